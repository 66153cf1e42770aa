//===- Memory.cpp - the device memory of a simulated GPU ------------------===//
//
// Allocations in one address space, each with a shadow that says which of its bytes hold a value.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/Memory.h"

#include "GlobalOrder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tilec::sim {

namespace {
// Where allocations start: high enough that a null or small pointer is never inside one, and far
// below 2^47, which hand-written kernels mask pointers to (48 bits).
constexpr uint64_t firstBase = 0x1000'0000'0000ull;
constexpr uint64_t endOfSpace = 1ull << 47;
constexpr uint64_t pageBytes = 4096;
constexpr uint64_t guardBytes = 64 << 10;
constexpr uint8_t unwritten = 0xA5;
} // namespace

struct Memory::Block {
  Allocation allocation;
  std::unique_ptr<uint8_t, decltype(&std::free)> storage{nullptr, &std::free};
  std::unique_ptr<uint8_t, decltype(&std::free)> written{nullptr, &std::free};

  /// Nothing holds a value. calloc: pages of the shadow cost nothing before they are written.
  void forget() {
    written.reset(
        static_cast<uint8_t *>(std::calloc(std::max<uint64_t>(allocation.sizeBytes, 1), 1)));
    allocation.written = written.get();
  }
  void markWritten(uint64_t offset, uint64_t bytes) {
    if (offset == 0 && bytes == allocation.sizeBytes) {
      written.reset();
      allocation.written = nullptr;
    } else if (written) {
      std::memset(written.get() + offset, 1, bytes);
    }
  }
  void markUnwritten(uint64_t offset, uint64_t bytes) {
    bool hadShadow = written != nullptr;
    if (!hadShadow || bytes == allocation.sizeBytes)
      forget();
    if (!hadShadow)
      std::memset(written.get(), 1, allocation.sizeBytes);
    std::memset(written.get() + offset, 0, bytes);
  }
};

Memory::Memory() : nextBase(firstBase) {}
Memory::~Memory() = default;

llvm::Expected<uint64_t> Memory::allocate(uint64_t sizeBytes, llvm::StringRef name) {
  if (sizeBytes > limitBytes || used > limitBytes - sizeBytes)
    return llvm::createStringError(
        "device memory limit: `%s` needs %llu bytes, %llu of %llu are in use", name.str().c_str(),
        static_cast<unsigned long long>(sizeBytes), static_cast<unsigned long long>(used),
        static_cast<unsigned long long>(limitBytes));
  uint64_t reserved = (sizeBytes + pageBytes - 1) / pageBytes * pageBytes;
  if (nextBase + reserved + 2 * guardBytes > endOfSpace)
    return llvm::createStringError("the simulated address space is used up");
  auto block = std::make_unique<Block>();
  block->storage.reset(
      static_cast<uint8_t *>(std::aligned_alloc(pageBytes, reserved ? reserved : pageBytes)));
  if (!block->storage)
    return llvm::createStringError("the host has no %llu bytes for `%s`",
                                   static_cast<unsigned long long>(sizeBytes), name.str().c_str());
  std::memset(block->storage.get(), unwritten, sizeBytes);
  block->allocation = {nextBase, sizeBytes, block->storage.get(), nullptr, name.str(), false};
  block->forget();
  if (!block->written)
    return llvm::createStringError("the host has no memory for the shadow of `%s`",
                                   name.str().c_str());
  nextBase += reserved + guardBytes;
  nextBase = (nextBase + guardBytes - 1) / guardBytes * guardBytes;
  used += sizeBytes;
  blocks.push_back(std::move(block)); // addresses only grow: stays sorted
  return blocks.back()->allocation.base;
}

llvm::Error Memory::place(uint64_t address, llvm::ArrayRef<uint8_t> bytes, llvm::StringRef name) {
  size_t after = indexAfter(address);
  uint64_t end = after == blocks.size() ? firstBase : blocks[after]->allocation.base;
  if (address % pageBytes != 0 || find(address) || bytes.size() > end - address)
    return llvm::createStringError("`%s` cannot be placed at 0x%llx", name.str().c_str(),
                                   static_cast<unsigned long long>(address));
  auto block = std::make_unique<Block>();
  block->storage.reset(static_cast<uint8_t *>(std::malloc(std::max<size_t>(bytes.size(), 1))));
  if (!block->storage)
    return llvm::createStringError("the host has no memory for `%s`", name.str().c_str());
  llvm::copy(bytes, block->storage.get());
  block->allocation = {address, bytes.size(), block->storage.get(), nullptr, name.str(), true};
  used += bytes.size();
  blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(after), std::move(block));
  return llvm::Error::success();
}

llvm::Error Memory::release(uint64_t address) {
  size_t after = indexAfter(address);
  if (after == 0 || blocks[after - 1]->allocation.base != address)
    return llvm::createStringError("0x%llx is not the start of an allocation",
                                   static_cast<unsigned long long>(address));
  used -= blocks[after - 1]->allocation.sizeBytes;
  blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(after - 1));
  return llvm::Error::success();
}

/// Of the first block that begins after `address`.
size_t Memory::indexAfter(uint64_t address) const {
  auto it = std::upper_bound(blocks.begin(), blocks.end(), address,
                             [](uint64_t a, const auto &b) { return a < b->allocation.base; });
  return static_cast<size_t>(it - blocks.begin());
}

const Allocation *Memory::find(uint64_t address) const {
  size_t after = indexAfter(address);
  if (after == 0)
    return nullptr;
  const Allocation &a = blocks[after - 1]->allocation;
  return address - a.base < a.sizeBytes ? &a : nullptr;
}

const Allocation *Memory::nearest(uint64_t address) const {
  size_t after = indexAfter(address);
  auto isNamed = [](const auto &block) { return !block->allocation.isReadOnly; };
  auto before =
      std::find_if(std::make_reverse_iterator(blocks.begin() + static_cast<std::ptrdiff_t>(after)),
                   blocks.rend(), isNamed);
  auto behind =
      std::find_if(blocks.begin() + static_cast<std::ptrdiff_t>(after), blocks.end(), isNamed);
  const Allocation *below = before == blocks.rend() ? nullptr : &(*before)->allocation;
  const Allocation *above = behind == blocks.end() ? nullptr : &(*behind)->allocation;
  if (!below || !above)
    return below ? below : above;
  uint64_t past = address - (below->base + below->sizeBytes);
  return static_cast<int64_t>(past) < 0 || past <= above->base - address ? below : above;
}

/// The block that holds all of [address, address + sizeBytes), or nullptr.
Memory::Block *Memory::blockOf(uint64_t address, uint64_t sizeBytes) const {
  size_t after = indexAfter(address);
  if (after == 0)
    return nullptr;
  const Allocation &a = blocks[after - 1]->allocation;
  uint64_t offset = address - a.base;
  if (offset > a.sizeBytes || sizeBytes > a.sizeBytes - offset)
    return nullptr;
  return blocks[after - 1].get();
}

const uint8_t *Memory::hostPointer(uint64_t address, uint64_t sizeBytes) const {
  const Block *block = blockOf(address, sizeBytes);
  return block ? block->allocation.host + (address - block->allocation.base) : nullptr;
}

uint8_t *Memory::hostPointerForWriting(uint64_t address, uint64_t sizeBytes) {
  Block *block = blockOf(address, sizeBytes);
  if (!block)
    return nullptr;
  uint64_t offset = address - block->allocation.base;
  block->markWritten(offset, sizeBytes);
  return block->allocation.host + offset;
}

static llvm::Error outside(const char *what, uint64_t address, uint64_t bytes) {
  return llvm::createStringError("%s of %llu bytes at 0x%llx: no allocation holds them all", what,
                                 static_cast<unsigned long long>(bytes),
                                 static_cast<unsigned long long>(address));
}

llvm::Error Memory::markUninitialized(uint64_t address, uint64_t sizeBytes) {
  Block *block = blockOf(address, sizeBytes);
  if (!block)
    return outside("range", address, sizeBytes);
  if (sizeBytes)
    block->markUnwritten(address - block->allocation.base, sizeBytes);
  return llvm::Error::success();
}

llvm::Error Memory::write(uint64_t address, llvm::ArrayRef<uint8_t> bytes) {
  uint8_t *host = hostPointerForWriting(address, bytes.size());
  if (!host)
    return outside("write", address, bytes.size());
  if (!bytes.empty())
    std::memcpy(host, bytes.data(), bytes.size());
  return llvm::Error::success();
}

llvm::Error Memory::read(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) const {
  const uint8_t *host = hostPointer(address, bytes.size());
  if (!host)
    return outside("read", address, bytes.size());
  if (!bytes.empty())
    std::memcpy(bytes.data(), host, bytes.size());
  return llvm::Error::success();
}

uint8_t *MemoryPort::translateSlowly(uint64_t address, uint64_t bytes) {
  const Allocation *a = memory.find(address);
  if (!a || bytes > a->sizeBytes - (address - a->base))
    return nullptr;
  base = a->base;
  size = a->sizeBytes;
  host = a->host;
  written = a->written;
  isReadOnly = a->isReadOnly;
  if (order)
    cells = order->cellsOf(*a);
  return host + (address - base);
}

} // namespace tilec::sim

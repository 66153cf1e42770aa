//===- Memory.h - the device memory of a simulated GPU --------------------===//
//
// Named allocations in one 47-bit address space. Every access of a kernel is
// checked against them, so an address that no allocation holds is a report and
// never a crash; and which bytes hold a value is remembered.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilec::sim {

/// One range of device memory. The host sees the same bytes at `host`.
struct Allocation {
  uint64_t base = 0;      ///< device address, a multiple of 4096
  uint64_t sizeBytes = 0; ///< as asked for; the byte after it is out of bounds
  uint8_t *host = nullptr;
  /// One byte a byte: whether anything has written it. nullptr: everything holds a value.
  uint8_t *written = nullptr;
  std::string name; ///< what reports call it
  bool isReadOnly = false;
};

/// Not thread-safe against allocate and release while a kernel runs; a running kernel's work-groups
/// may access it from several threads.
class Memory {
public:
  Memory();
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Reserves `sizeBytes` bytes (0 gives a valid address of which no byte may be accessed). The
  /// contents are 0xA5 and count as uninitialized until written. Fails only when the host has no
  /// memory or `limitBytes` is exceeded. Device addresses are below 2^47 and allocations are at
  /// least 64 KiB apart, so that running off an end is always found.
  llvm::Expected<uint64_t> allocate(uint64_t sizeBytes, llvm::StringRef name = "buffer");
  /// Puts what kernels may read and not write at `address`, a multiple of 4096 below all that
  /// `allocate` gives: a code object as it is loaded. Fails where something is there.
  llvm::Error place(uint64_t address, llvm::ArrayRef<uint8_t> bytes, llvm::StringRef name);
  /// Fails when `address` is not what `allocate` returned, nor one of `place`.
  llvm::Error release(uint64_t address);

  /// Copies between host and device; fails, copying nothing, unless one allocation holds the whole
  /// range.
  llvm::Error write(uint64_t address, llvm::ArrayRef<uint8_t> bytes);
  llvm::Error read(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) const;

  /// The host's view of [address, address + sizeBytes), or nullptr when no allocation holds it all.
  const uint8_t *hostPointer(uint64_t address, uint64_t sizeBytes) const;
  /// The same for a host that writes all of it: the bytes count as initialized.
  uint8_t *hostPointerForWriting(uint64_t address, uint64_t sizeBytes);
  /// The bytes stay, but count as uninitialized again: a kernel that reads them is reported. Fails
  /// unless one allocation holds the whole range.
  llvm::Error markUninitialized(uint64_t address, uint64_t sizeBytes);
  /// The allocation that holds `address`, or nullptr.
  const Allocation *find(uint64_t address) const;
  /// The allocation that ends at or before `address` or begins after it, whichever is nearer: what
  /// an out-of-bounds report names, so none that is read only. nullptr when there is none.
  const Allocation *nearest(uint64_t address) const;

  /// All allocations together may not exceed this; the default is 64 GiB.
  uint64_t limitBytes = 64ull << 30;
  uint64_t usedBytes() const { return used; }

private:
  struct Block;
  std::vector<std::unique_ptr<Block>> blocks; ///< sorted by address
  uint64_t nextBase;
  uint64_t used = 0;
  size_t indexAfter(uint64_t address) const;
  Block *blockOf(uint64_t address, uint64_t sizeBytes) const;
};

} // namespace tilec::sim

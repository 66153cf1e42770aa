//===- Shared.cpp - who may touch which byte ------------------------------===//
//
// Takes accesses to a block's shared memory, says which of them meet copies, mbarriers or other
// threads without an order.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Shared.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

namespace {

constexpr uint32_t wordBytes = 4;
constexpr uint32_t barrierBytes = 8;
constexpr uint8_t poison = 0xEE;

std::string place(uint32_t address) { return "shared address " + utostr(address); }

} // namespace

std::string nameOfAgent(uint32_t agent) {
  std::string warp = "warp " + utostr(agent / agentsPerWarp);
  switch (agent % agentsPerWarp) {
  case WgmmaAgent:
    return "the wgmma of the warp group of " + warp;
  case BulkLoadAgent:
    return "a bulk copy of " + warp;
  case BulkStoreAgent:
    return "a bulk store of " + warp;
  case CopyAgent:
    return "a cp.async of " + warp;
  default:
    return warp;
  }
}

bool MBarrier::settle() {
  if (pending != 0 || tx != 0)
    return false;
  ++phase;
  pending = count;
  arrived.join(arriving);
  arriving.clear();
  return true;
}

SharedMemory::SharedMemory(uint32_t size)
    : bytes(size, poison), written(size), pending(size), lastWrite(size / wordBytes + 1),
      lastReads(size / wordBytes + 1) {}

MBarrier *SharedMemory::barrier(uint32_t address) {
  auto it = barriers.find(address);
  return it == barriers.end() ? nullptr : &it->second;
}

std::string SharedMemory::overBarrier(uint32_t address, uint32_t count) const {
  if (barriers.empty())
    return "";
  auto it = barriers.upper_bound(address + count - 1);
  if (it == barriers.begin())
    return "";
  --it;
  if (it->first + barrierBytes <= address)
    return "";
  return "touches the mbarrier at " + place(it->first);
}

std::string SharedMemory::checkPlace(uint32_t address, uint32_t count, StringRef verb) const {
  if (address > size() || count > size() - address)
    return place(address) + " is outside of the block's " + utostr(size()) + " bytes";
  for (uint32_t i = address; i < address + count; ++i)
    if (pending[i])
      return (verb + " " + place(i) + ", to which a copy is still on its way").str();
  return overBarrier(address, count);
}

std::string SharedMemory::checkRead(uint32_t address, uint32_t count, const Access &access) {
  std::string fault = checkPlace(address, count, "reads");
  if (!fault.empty() || !access.checksOrder)
    return fault;
  Epoch last;
  for (uint32_t word = address / wordBytes; word <= (address + count - 1) / wordBytes; ++word) {
    Epoch e = lastWrite[word];
    if (e == last || !e.exists())
      continue;
    last = e;
    if (clash(e, access.epoch, false, access.hasSwaps) && !access.clock->knows(e))
      return "reads " + place(word * wordBytes) + ", which " + nameOfAgent(e.agent()) +
             " writes: nothing says that the write comes first";
    if (access.isAsync && !isAsyncProxy(e.agent()) && !access.clock->sees(e))
      return "reads " + place(word * wordBytes) + " through the asynchronous proxy, which " +
             nameOfAgent(e.agent()) +
             " has written through the generic one: there is no fence.proxy.async between";
  }
  return "";
}

std::string SharedMemory::checkWrite(uint32_t address, uint32_t count, const Access &access,
                                     const uint8_t *values) {
  std::string fault = checkPlace(address, count, "writes");
  if (!fault.empty() || !access.checksOrder)
    return fault;
  Epoch last;
  for (uint32_t word = address / wordBytes; word <= (address + count - 1) / wordBytes; ++word) {
    Epoch e = lastWrite[word];
    bool isSame = e == last || !e.exists();
    if (!isSame && clash(e, access.epoch, true, access.hasSwaps) && !access.clock->knows(e)) {
      uint32_t first = std::max(address, word * wordBytes);
      uint32_t end = std::min(address + count, (word + 1) * wordBytes);
      if (!values || std::memcmp(&bytes[first], values + (first - address), end - first) != 0)
        return "writes " + place(first) + ", which " + nameOfAgent(e.agent()) +
               " writes too: nothing says which comes first";
    }
    if (!isSame && access.isAsync && !isAsyncProxy(e.agent()) && !access.clock->sees(e))
      return "writes " + place(word * wordBytes) + " through the asynchronous proxy, which " +
             nameOfAgent(e.agent()) +
             " has written through the generic one: there is no fence.proxy.async between";
    last = e;
    for (Epoch read : lastReads[word]) {
      if (!read.exists())
        break;
      if (!clash(read, access.epoch, false, access.hasSwaps) || access.clock->knows(read))
        continue;
      return "writes " + place(word * wordBytes) + ", which " + nameOfAgent(read.agent()) +
             " reads: nothing says that the read is over";
    }
  }
  return "";
}

void SharedMemory::noteRead(uint32_t address, uint32_t count, Epoch epoch) {
  for (uint32_t word = address / wordBytes; word <= (address + count - 1) / wordBytes; ++word) {
    std::array<Epoch, readers> &reads = lastReads[word];
    unsigned slot = 0;
    while (slot < readers && reads[slot].exists() && reads[slot].agent() != epoch.agent())
      ++slot;
    // Too many readers: the oldest is forgotten, and with it what it could have found.
    if (slot == readers) {
      std::rotate(reads.begin(), reads.begin() + 1, reads.end());
      slot = readers - 1;
    }
    reads[slot] = epoch;
  }
}

void SharedMemory::noteWrite(uint32_t address, uint32_t count, Epoch epoch) {
  std::memset(&written[address], 1, count);
  for (uint32_t word = address / wordBytes; word <= (address + count - 1) / wordBytes; ++word) {
    lastWrite[word] = epoch;
    lastReads[word] = {};
  }
}

void SharedMemory::forget(uint32_t address, uint32_t count) {
  std::memset(&written[address], 0, count);
}

bool SharedMemory::holdsValues(uint32_t address, uint32_t count) const {
  return std::memchr(&written[address], 0, count) == nullptr;
}

void SharedMemory::addPending(uint32_t address, uint32_t count, int change) {
  for (uint32_t i = address; i < address + count; ++i)
    pending[i] = uint8_t(pending[i] + change);
}

bool SharedMemory::hasPending(uint32_t address, uint32_t count) const {
  for (uint32_t i = address; i < address + count; ++i)
    if (pending[i])
      return true;
  return false;
}

} // namespace tilec::ptx

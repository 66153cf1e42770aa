//===- Access.cpp - where a lane's access goes, and whether it may --------===//
//
// Takes an address of a lane, finds the bytes in global, shared or local memory, and reports what
// must not be touched.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Access.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

uint8_t *Machine::global(uint64_t address, uint64_t bytes, uint8_t **written) {
  if (address - base >= size || bytes > size - (address - base)) {
    const sim::Allocation *found = memory.find(address);
    if (!found || bytes > found->sizeBytes - (address - found->base))
      return nullptr;
    base = found->base;
    size = found->sizeBytes;
    host = found->host;
    hostWritten = found->written;
  }
  *written = hostWritten ? hostWritten + (address - base) : nullptr;
  return host + (address - base);
}

std::string Machine::noteGlobal(Warp &warp, AccessKind kind, uint64_t address, uint32_t bytes,
                                Epoch epoch, bool isConstant, const uint8_t *before,
                                const uint8_t *after) {
  Cluster &cluster = warp.block.cluster;
  if (config.cooperative && address == config.barrier) {
    cluster.gridMeetings += kind == AccessKind::Atomic;
    return "";
  }
  if (!options.checkOrder || ordersBlocks)
    return "";
  GlobalAccess access{cluster.index, &warp.clock, epoch, isConstant, cluster.gridMeetings};
  return kind != AccessKind::Read ? globalOrder.write(address, bytes, access, before, after)
                                  : globalOrder.read(address, bytes, access);
}

std::string Machine::describeOutside(uint64_t address, uint64_t bytes) const {
  std::string text =
      utostr(bytes) + " bytes at 0x" + utohexstr(address, true) + ", which no allocation holds";
  if (const sim::Allocation *near = memory.nearest(address)) {
    int64_t distance = int64_t(address - near->base);
    text += " (byte " + itostr(distance) + " of `" + near->name + "`, which has " +
            utostr(near->sizeBytes) + ")";
  }
  return text;
}

Block *sharedBlock(Warp &warp, uint64_t address, uint32_t &offset) {
  uint64_t rank = address >> clusterRankShift;
  offset = address & ((1u << clusterRankShift) - 1);
  std::vector<std::unique_ptr<Block>> &blocks = warp.block.cluster.blocks;
  Block *block = rank < blocks.size() ? blocks[rank].get() : nullptr;
  return block && !block->isDone() ? block : nullptr;
}

std::optional<uint32_t> ownShared(Warp &warp, const Instruction &instr, uint32_t lanes,
                                  uint64_t address) {
  uint64_t rank = address >> clusterRankShift;
  if (rank == warp.block.rank)
    return uint32_t(address & ((1u << clusterRankShift) - 1));
  warp.fail(instr, lanes,
            "takes 0x" + utohexstr(address, true) + " for a place of its own block, number " +
                Twine(warp.block.rank) + " of the cluster: bits 24 and up say block " +
                Twine(rank));
  return std::nullopt;
}

Target locate(Warp &warp, const Instruction &instr, Space space, uint64_t address, unsigned bytes,
              unsigned lane, AccessKind kind, const uint8_t *values) {
  uint32_t bit = 1u << lane;
  if (space == Space::Generic) {
    uint64_t window = address & windowMask;
    space = window == sharedWindow  ? Space::Cluster
            : window == localWindow ? Space::Local
            : window == paramWindow ? Space::Param
                                    : Space::Global;
    if (space != Space::Global)
      address &= ~windowMask;
  }
  const char *verb = kind == AccessKind::Read ? "reads " : "writes ";
  if (address % bytes != 0) {
    warp.fail(instr, bit,
              verb + Twine(bytes) + " bytes at 0x" + utohexstr(address, true) +
                  ", which is no multiple of " + Twine(bytes));
    return {};
  }
  Target target;
  switch (space) {
  case Space::Shared:
  case Space::Cluster: {
    Block *block = sharedBlock(warp, address, target.offset);
    if (space == Space::Shared && !ownShared(warp, instr, bit, address))
      return {};
    if (!block) {
      warp.fail(instr, bit, "the cluster has no such block, or it has returned");
      return {};
    }
    target.shared = &block->shared;
    if (block != &warp.block)
      block->noteVisit(warp.agent, warp.clock.before[warp.agent]);
    bool isAtomic = kind == AccessKind::Atomic || instr.isVolatile;
    Access access{&warp.clock, warp.epoch(touchOf(bytes, isAtomic)), false,
                  warp.machine.options.checkOrder && !instr.isGuess, warp.machine.program.hasSwaps};
    std::string problem = kind == AccessKind::Read
                              ? target.shared->checkRead(target.offset, bytes, access)
                              : target.shared->checkWrite(target.offset, bytes, access, values);
    if (!problem.empty()) {
      warp.fail(instr, bit, problem);
      return {};
    }
    if (kind == AccessKind::Read && !instr.isGuess)
      target.shared->noteRead(target.offset, bytes, access.epoch);
    target.host = target.shared->data(target.offset);
    return target;
  }
  case Space::Local:
    if (address + bytes > warp.localBytes) {
      warp.fail(instr, bit,
                verb + Twine("outside of its ") + Twine(warp.localBytes) +
                    " bytes of local memory");
      return {};
    }
    target.host = warp.local(lane) + address;
    target.written = warp.localWritten(lane) + address;
    return target;
  case Space::Param:
    if (kind != AccessKind::Read || address + bytes > warp.machine.params.size()) {
      warp.fail(instr, bit, verb + Twine("outside of the parameters"));
      return {};
    }
    target.host = warp.machine.params.data() + address;
    return target;
  default: {
    if ((address & windowMask) == dataWindow) {
      const std::vector<uint8_t> &data = *warp.machine.program.data;
      uint64_t offset = address & ~windowMask;
      if (kind != AccessKind::Read || offset + bytes > data.size())
        warp.fail(instr, bit, verb + Twine(bytes) + " bytes that the module's tables do not have");
      else
        target.host = const_cast<uint8_t *>(data.data()) + offset; // for reading
      return target;
    }
    if (!mayUseGlobal(warp, instr, bit))
      return {};
    target.host = warp.machine.global(address, bytes, &target.written);
    if (!target.host) {
      warp.fail(instr, bit, verb + warp.machine.describeOutside(address, bytes));
      return target;
    }
    if (instr.isGuess)
      return target;
    Touch touch = touchOf(bytes, kind == AccessKind::Atomic || instr.isVolatile);
    std::string problem = warp.machine.noteGlobal(warp, kind, address, bytes, warp.epoch(touch),
                                                  instr.isConstant, target.host, values);
    if (!problem.empty()) {
      warp.fail(instr, bit, problem);
      target.host = nullptr;
    }
    return target;
  }
  }
}

bool holdsValues(const Target &target, unsigned bytes) {
  if (target.shared)
    return target.shared->holdsValues(target.offset, bytes);
  return !target.written || std::memchr(target.written, 0, bytes) == nullptr;
}

uint64_t bytesWithValues(const Target &target, unsigned bytes) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    bool isKnown = target.shared ? target.shared->holdsValues(target.offset + i, 1)
                                 : !target.written || target.written[i];
    mask |= uint64_t(isKnown) << i;
  }
  return mask;
}

} // namespace tilec::ptx

//===- BulkLoads.cpp - TMA into shared memory -----------------------------===//
//
// A load lands at a random time after it started, and counts its bytes on its mbarrier
// then. Source: PTX ISA 9.0, "cp.async.bulk" and "cp.async.bulk.tensor".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Bulk.h"
#include "Decode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {
namespace {

void land(Cluster &cluster, BulkCopy &copy) {
  Machine &machine = cluster.machine;
  std::vector<uint8_t> data(copy.bytes), known(copy.bytes, 1);
  auto fetch = [&](uint32_t to, uint64_t address, uint32_t bytes) {
    uint8_t *written = nullptr;
    if (const uint8_t *host = globalBytes(machine, copy, address, bytes, &written)) {
      std::memcpy(&data[to], host, bytes);
      if (written)
        std::memcpy(&known[to], written, bytes);
    }
  };
  if (copy.map.rank == 0)
    fetch(0, copy.linear, copy.bytes);
  else
    forRows(copy, [&](uint32_t to, int64_t from, uint32_t bytes) {
      if (from >= 0)
        fetch(to, copy.map.address + uint64_t(from), bytes);
    });
  for (Block *block : copy.targets) {
    if (block->isDone()) {
      machine.fault = "the bulk copy of " + machine.program.placeOf(*copy.instruction) +
                      " lands in a block that has returned";
      return;
    }
    SharedMemory &shared = block->shared;
    shared.addPending(copy.shared, copy.bytes, -1);
    shared.noteWrite(copy.shared, copy.bytes, Epoch::make(copy.agent, copy.clock));
    forChunks(copy.shared, copy.bytes, copy.map.swizzleBytes,
              [&](uint32_t at, uint32_t to, uint32_t bytes) {
                std::memcpy(shared.data(to), &data[at], bytes);
                if (std::memchr(&known[at], 0, bytes))
                  shared.forget(to, bytes);
              });
    MBarrier *barrier = shared.barrier(copy.barrier);
    if (!barrier) {
      machine.fault = "the bulk copy of " + machine.program.placeOf(*copy.instruction) +
                      " lands, and its mbarrier is gone";
      return;
    }
    barrier->tx -= copy.bytes;
    uint32_t &told = barrier->arriving.before[copy.agent];
    told = std::max(told, copy.clock);
    barrier->settle();
  }
  ++cluster.events;
}

/// The offsets of an im2col load, and whether it begins where a kernel may.
bool readOffsets(Warp &warp, const Instruction &instr, unsigned lane, BulkCopy &copy) {
  constexpr int64_t most = 255; // of tensors of four dimensions
  const Operand &operand = instr.args[3];
  if (operand.parts.size() != 2)
    return warp.fail(instr, 1u << lane, "has no two offsets"), false;
  KernelPlaces places(copy);
  for (unsigned i : {0u, 1u}) {
    copy.offsets[i] = uint16_t(warp.use(operand.parts[i], 1u << lane, "an offset")[lane]);
    if (copy.offsets[i] > most)
      return warp.fail(instr, 1u << lane,
                       "has offset " + Twine(copy.offsets[i]) + ", 255 is the largest"),
             false;
    unsigned d = i + 1;
    if (places[d] < places.lower(d) || places[d] >= places.end(d))
      return warp.fail(instr, 1u << lane,
                       "begins at " + Twine(places[d]) + " of dimension " + Twine(d) +
                           ", outside of the corners " + Twine(places.lower(d)) + " and " +
                           Twine(places.end(d) - 1)),
             false;
  }
  return true;
}

Step load(Warp &warp, const Instruction &instr, uint32_t lanes) {
  if (!oneLane(warp, instr, lanes) || !mayUseGlobal(warp, instr, lanes))
    return Step::Next;
  unsigned lane = countr_zero(lanes);
  BulkCopy copy;
  copy.instruction = &instr;
  copy.lane = lane;
  const Operand &barrier = instr.args[instr.mode == Tensor ? 2 : 3];
  if (instr.mode == Tensor) {
    if (!readMap(warp, instr, lane, instr.args[1], copy))
      return Step::Next;
    if (instr.isIm2col && !readOffsets(warp, instr, lane, copy))
      return Step::Next;
  } else {
    copy.linear =
        warp.use(instr.args[1], lanes, "an address")[lane] + uint64_t(instr.args[1].offset);
    copy.bytes = uint32_t(warp.use(instr.args[2], lanes, "a size")[lane]);
  }
  uint32_t offset = 0;
  Block *target = sharedBlock(warp, sharedOffset(warp, instr.args[0], lane), copy.shared);
  Block *counter = sharedBlock(warp, sharedOffset(warp, barrier, lane), offset);
  copy.barrier = offset;
  if (!target || !counter) {
    warp.fail(instr, lanes, "the cluster has no such block");
    return Step::Next;
  }
  if (instr.mode2) { // multicast: to the same place of every block of the mask
    bool hasNoMore = instr.mode == Tensor && !instr.isIm2col;
    uint64_t mask = warp.use(instr.args[hasNoMore ? 3 : 4], lanes, "a mask")[lane];
    auto &blocks = warp.block.cluster.blocks;
    for (unsigned rank = 0; rank < 16; ++rank)
      if (mask >> rank & 1) {
        if (rank >= blocks.size()) {
          warp.fail(instr, lanes,
                    "multicasts to block " + Twine(rank) + " of a cluster of " +
                        Twine(blocks.size()));
          return Step::Next;
        }
        copy.targets.push_back(blocks[rank].get());
      }
  } else {
    copy.targets.push_back(target);
    if (counter != target) {
      warp.fail(instr, lanes, "counts on another block's mbarrier than that of its target");
      return Step::Next;
    }
  }
  if (copy.shared % (instr.mode == Tensor ? sharedAlign : linearAlign) != 0 ||
      copy.bytes % 16 != 0) {
    warp.fail(instr, lanes,
              "copies " + Twine(copy.bytes) + " bytes to shared address " + Twine(copy.shared) +
                  ", which is not aligned");
    return Step::Next;
  }
  copy.agent = warp.agentOf(BulkLoadAgent);
  copy.clock = ++warp.loadClock;
  for (Block *block : copy.targets) {
    Access access{&warp.clock, Epoch::make(copy.agent, copy.clock), true,
                  warp.machine.options.checkOrder, warp.machine.program.hasSwaps};
    std::string problem = block->shared.checkWrite(copy.shared, copy.bytes, access);
    MBarrier *counts = block->shared.barrier(copy.barrier);
    if (problem.empty() && !counts)
      problem = "there is no mbarrier at shared address " + utostr(copy.barrier);
    if (problem.empty() && access.checksOrder && !warp.clock.sees(counts->initialised))
      problem = "its mbarrier was initialised without a fence for the asynchronous proxy";
    if (!problem.empty()) {
      warp.fail(instr, lanes, problem);
      return Step::Next;
    }
    block->shared.addPending(copy.shared, copy.bytes, +1);
    block->noteVisit(copy.agent, copy.clock);
  }
  if (noteGlobal(warp, instr, lanes, copy, AccessKind::Read))
    warp.machine.landLater(warp.block.cluster, [&cluster = warp.block.cluster, copy]() mutable {
      land(cluster, copy);
    });
  return Step::Next;
}

} // namespace

bool decodeBulkLoads(const Statement &s, Instruction &i) {
  if (!s.has("bulk") || s.mods[0] == "reduce")
    return false;
  if (s.has("prefetch")) {
    i.run = ignore;
    return true;
  }
  i.mode = s.has("tensor") ? Tensor : Linear;
  i.mode2 = s.has("multicast::cluster");
  for (size_t at = 0; at + 1 < s.mods.size(); ++at)
    if (s.mods[at].starts_with("shared::") && s.mods[at + 1] == "global")
      i.run = load;
  i.isIm2col = s.has("im2col");
  size_t needed = (i.mode == Tensor && !i.isIm2col ? 3u : 4u) + i.mode2;
  return i.run != nullptr && !s.has("tile::gather4") && i.args.size() >= needed;
}

} // namespace tilec::ptx

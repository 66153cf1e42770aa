//===- Copies.cpp - cp.async ----------------------------------------------===//
//
// A copy lands when its own lane waits for it, not before: the latest that the program
// allows. Until then its bytes of shared memory may not be touched. It writes through
// the generic proxy.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Decode.h"
#include "Lanes.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

void finishCopies(Warp &warp, uint32_t lanes,
                  function_ref<bool(const CopyOp &, unsigned lane)> isDone) {
  SharedMemory &shared = warp.block.shared;
  uint32_t newest = 0;
  for (CopyOp &op : warp.copies) {
    uint32_t ends = 0;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if ((op.lanes & lanes) >> lane & 1 && isDone(op, lane))
        ends |= 1u << lane;
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      if (!(ends >> lane & 1))
        continue;
      uint8_t data[16] = {};
      bool isDefined = true;
      if (unsigned count = op.sourceBytes[lane]) {
        uint8_t *written = nullptr;
        const uint8_t *host = warp.machine.global(op.from[lane], count, &written);
        std::memcpy(data, host, count); // located when it started
        isDefined = !written || std::memchr(written, 0, count) == nullptr;
      }
      shared.addPending(op.to[lane], op.bytes, -1);
      std::memcpy(shared.data(op.to[lane]), data, op.bytes);
      shared.noteWrite(op.to[lane], op.bytes,
                       Epoch::make(warp.agentOf(CopyAgent), op.clock, touchOf(op.bytes, false)));
      if (!isDefined)
        shared.forget(op.to[lane], op.bytes);
    }
    op.lanes &= ~ends;
    if (ends)
      newest = std::max(newest, op.clock);
  }
  std::erase_if(warp.copies, [](const CopyOp &op) { return op.lanes == 0; });
  uint32_t &known = warp.clock.before[warp.agentOf(CopyAgent)];
  known = std::max(known, newest);
}

namespace {

Step copy(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &to = instr.args[0], &from = instr.args[1];
  Value destinations = warp.use(to, lanes, "an address");
  Value sources = warp.use(from, lanes, "an address");
  CopyOp op;
  op.lanes = lanes;
  op.bytes = instr.n;
  op.clock = ++warp.copyClock;
  op.instruction = &instr;
  const uint64_t *sizes =
      instr.args.size() > 3 ? warp.use(instr.args[3], lanes, "a copy's size").lanes : nullptr;
  if (!mayUseGlobal(warp, instr, lanes))
    return Step::Next;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    op.group[lane] = warp.copyGroups[lane];
    op.sourceBytes[lane] = sizes ? uint32_t(sizes[lane]) : op.bytes;
    if (op.sourceBytes[lane] > op.bytes) {
      warp.fail(instr, 1u << lane, "copies more bytes than it has");
      return Step::Next;
    }
    op.from[lane] = sources[lane] + uint64_t(from.offset);
    std::optional<uint32_t> own =
        ownShared(warp, instr, 1u << lane, uint32_t(destinations[lane] + uint64_t(to.offset)));
    if (!own)
      return Step::Next;
    uint32_t address = op.to[lane] = *own;
    if (unsigned count = op.sourceBytes[lane]) {
      uint8_t *written = nullptr;
      if (op.from[lane] % op.bytes != 0) {
        warp.fail(instr, 1u << lane,
                  "copies from an address that is no multiple of " + Twine(op.bytes));
        return Step::Next;
      }
      if (!warp.machine.global(op.from[lane], count, &written)) {
        warp.fail(instr, 1u << lane, "reads " + warp.machine.describeOutside(op.from[lane], count));
        return Step::Next;
      }
      std::string problem = warp.machine.noteGlobal(
          warp, AccessKind::Read, op.from[lane], count,
          Epoch::make(warp.agentOf(CopyAgent), op.clock, touchOf(count, false)));
      if (!problem.empty()) {
        warp.fail(instr, 1u << lane, problem);
        return Step::Next;
      }
    }
    std::string problem;
    if (address % op.bytes != 0)
      problem = ("copies to an address that is no multiple of " + Twine(op.bytes)).str();
    else
      problem = warp.block.shared.checkWrite(
          address, op.bytes,
          {&warp.clock, Epoch::make(warp.agentOf(CopyAgent), op.clock, touchOf(op.bytes, false)),
           false, warp.machine.options.checkOrder});
    if (!problem.empty()) {
      warp.fail(instr, 1u << lane, problem);
      return Step::Next;
    }
    warp.block.shared.addPending(address, op.bytes, +1);
  }
  warp.copies.push_back(op);
  return Step::Next;
}

Step commit(Warp &warp, const Instruction &, uint32_t lanes) {
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    warp.copyGroups[lane] += lanes >> lane & 1;
  return Step::Next;
}

/// mode 1: also what no group holds.
Step wait(Warp &warp, const Instruction &instr, uint32_t lanes) {
  uint32_t keep = instr.mode == 1 ? 0 : uint32_t(instr.args[0].offset);
  finishCopies(warp, lanes, [&](const CopyOp &op, unsigned lane) {
    return instr.mode == 1 || op.group[lane] + keep < warp.copyGroups[lane];
  });
  return Step::Next;
}

/// Arrives at an mbarrier when what the lanes have copied until now has landed; mode 1: such an
/// arrival is counted already.
Step arriveLater(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value addresses = warp.use(instr.args[0], lanes, "an address");
  uint32_t newest = warp.copyClock;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    std::optional<uint32_t> own = ownShared(
        warp, instr, 1u << lane, uint32_t(addresses[lane] + uint64_t(instr.args[0].offset)));
    if (!own)
      return Step::Next;
    MBarrier *barrier = warp.block.shared.barrier(*own);
    if (!barrier) {
      warp.fail(instr, 1u << lane, "there is no mbarrier here");
      return Step::Next;
    }
    if (instr.mode == 0)
      ++barrier->pending;
    Clock told = warp.clock;
    told.before[warp.agentOf(CopyAgent)] = newest;
    warp.machine.landLater(warp.block.cluster, [&warp, &instr, barrier, lane, newest, told] {
      uint32_t before = warp.clock.before[warp.agentOf(CopyAgent)];
      finishCopies(warp, 1u << lane,
                   [&](const CopyOp &op, unsigned) { return op.clock <= newest; });
      warp.clock.before[warp.agentOf(CopyAgent)] = before; // its own threads have not waited
      if (barrier->pending == 0)
        return warp.fail(instr, 1u << lane, "arrives more often than the mbarrier counts");
      --barrier->pending;
      barrier->arriving.join(told);
      barrier->settle();
      ++warp.block.cluster.events;
    });
  }
  warp.advance();
  return Step::Next;
}

} // namespace

bool decodeCopies(const Statement &s, Instruction &i) {
  if (s.opcode != "cp" || s.mods.empty() || s.mods[0] != "async" || s.has("bulk"))
    return false;
  if (s.has("commit_group")) {
    i.run = commit;
  } else if (s.has("wait_group") || s.has("wait_all")) {
    i.mode = s.has("wait_all");
    if (i.mode == 0 && i.args.size() != 1)
      return false;
    i.run = wait;
  } else if (s.has("mbarrier")) {
    i.mode = s.has("noinc");
    i.run = arriveLater;
    return i.args.size() == 1;
  } else if (i.args.size() == 3 || i.args.size() == 4) {
    i.n = uint16_t(i.args[2].offset);
    if ((i.n != 4 && i.n != 8 && i.n != 16) || s.has("L2::cache_hint"))
      return false;
    i.run = copy;
  }
  return i.run != nullptr;
}

} // namespace tilec::ptx

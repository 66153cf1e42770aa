//===- Mbarriers.cpp - barriers in shared memory --------------------------===//
//
// PTX ISA 9.0, "mbarrier": a phase ends when no arrival and no byte is missing. An
// arrival tells what its warp has done, a wait that has come true learns what was told
// to the phases that are over.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

using namespace llvm;

namespace tilec::ptx {
namespace {

constexpr int64_t maxTx = (1 << 20) - 1; ///< PTX ISA 9.0: the range of tx-count
constexpr uint32_t maxCount = (1 << 20) - 1;
constexpr uint32_t objectBytes = 8;

/// The mbarrier of a lane; nullptr: a fault has been reported.
MBarrier *find(Warp &warp, const Instruction &instr, uint32_t lanes, uint64_t address) {
  if ((address & windowMask) == sharedWindow)
    address &= ~windowMask;
  uint32_t offset = 0;
  Block *block = sharedBlock(warp, address, offset);
  MBarrier *barrier = block ? block->shared.barrier(offset) : nullptr;
  if (!barrier) {
    warp.fail(instr, lanes, "there is no mbarrier at shared address " + Twine(offset));
    return nullptr;
  }
  if (warp.machine.options.checkOrder && !warp.clock.knows(barrier->initialised)) {
    warp.fail(instr, lanes,
              "uses the mbarrier at shared address " + Twine(offset) +
                  ": nothing says that its initialisation comes first");
    return nullptr;
  }
  if (block != &warp.block)
    block->noteVisit(warp.agent, warp.clock.before[warp.agent]);
  return barrier;
}

Step init(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &memory = instr.args[0];
  Value addresses = warp.use(memory, lanes, "an address");
  Value counts = warp.use(instr.args[1], lanes, "a count");
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    std::optional<uint32_t> own =
        ownShared(warp, instr, 1u << lane, uint32_t(addresses[lane] + uint64_t(memory.offset)));
    if (!own)
      return Step::Next;
    uint32_t address = *own, count = counts[lane];
    SharedMemory &shared = warp.block.shared;
    std::string problem;
    if (address % objectBytes != 0)
      problem = "an mbarrier is no multiple of 8";
    else if (count == 0 || count > maxCount)
      problem = ("an mbarrier of " + Twine(count) + " arrivals").str();
    else if (shared.barrier(address))
      problem = ("there is an mbarrier at shared address " + Twine(address) + " already").str();
    else
      problem =
          shared.checkWrite(address, objectBytes,
                            {&warp.clock, warp.epoch(), false, warp.machine.options.checkOrder});
    if (!problem.empty()) {
      warp.fail(instr, 1u << lane, problem);
      return Step::Next;
    }
    MBarrier barrier;
    barrier.count = barrier.pending = count;
    barrier.initialised = warp.epoch();
    barrier.arriving = barrier.arrived = Clock(warp.clock.before.size());
    shared.barriers[address] = std::move(barrier);
  }
  return Step::Next;
}

Step invalidate(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value addresses = warp.use(instr.args[0], lanes, "an address");
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    if (lanes >> lane & 1) {
      uint64_t address = addresses[lane] + uint64_t(instr.args[0].offset);
      std::optional<uint32_t> own = ownShared(warp, instr, 1u << lane, uint32_t(address));
      if (!own || !find(warp, instr, 1u << lane, address))
        return Step::Next;
      warp.block.shared.barriers.erase(*own);
    }
  return Step::Next;
}

enum Kind : uint8_t { Arrive = 1, ExpectTx = 2, Drop = 4, CompleteTx = 8, Relaxed = 16 };

/// args: the phase (where it is an arrival), the barrier, then a count of arrivals or of bytes.
Step arrive(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned at = instr.mode & Arrive ? 1 : 0;
  // `arrive [b]` of a remote barrier has no result.
  if (at && instr.args[0].isAddress)
    at = 0;
  const Operand &memory = instr.args[at];
  Value addresses = warp.use(memory, lanes, "an address");
  const uint64_t *numbers =
      instr.args.size() > at + 1 ? warp.use(instr.args[at + 1], lanes, "a count").lanes : nullptr;
  uint64_t phases[warpLanes] = {};
  std::vector<MBarrier *> told;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    uint32_t bit = 1u << lane;
    MBarrier *barrier = find(warp, instr, bit, addresses[lane] + uint64_t(memory.offset));
    if (!barrier)
      return Step::Next;
    phases[lane] = barrier->phase;
    bool hasBytes = instr.mode & (ExpectTx | CompleteTx);
    int64_t bytes = hasBytes && numbers ? int64_t(uint32_t(numbers[lane])) : 0;
    barrier->tx += instr.mode & CompleteTx ? -bytes : bytes;
    if (std::llabs(barrier->tx) > maxTx) {
      warp.fail(instr, bit, "more bytes are expected than an mbarrier counts");
      return Step::Next;
    }
    if (!(instr.mode & Arrive)) {
      barrier->settle();
      continue;
    }
    uint32_t count = !hasBytes && numbers ? uint32_t(numbers[lane]) : 1;
    if (count == 0 || count > barrier->pending) {
      warp.fail(instr, bit,
                "arrives more often than the mbarrier's count of " + Twine(barrier->count) +
                    " in one phase");
      return Step::Next;
    }
    if (instr.mode & Drop)
      barrier->count -= count;
    barrier->pending -= count;
    if (!(instr.mode & Relaxed)) {
      barrier->arriving.join(warp.clock);
      told.push_back(barrier);
    }
    barrier->settle();
  }
  if (!told.empty())
    warp.advance();
  ++warp.block.cluster.events;
  if (at)
    warp.out(instr.args[0], lanes, phases, lanes);
  return Step::Next;
}

/// Whether a phase is over; mode 1: given by its parity, else by what an arrival returned.
Step wait(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &memory = instr.args[1];
  Value addresses = warp.use(memory, lanes, "an address");
  Value phases = warp.use(instr.args[2], lanes, "a phase");
  uint64_t results[warpLanes] = {};
  bool isIdle = true; // asked before, and nothing has happened since
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    isIdle &= warp.spinsAt[lane] == &instr && warp.spinsSince[lane] == warp.block.cluster.events;
    MBarrier *barrier = find(warp, instr, 1u << lane, addresses[lane] + uint64_t(memory.offset));
    if (!barrier)
      return Step::Next;
    if (instr.mode == 1 && phases[lane] > 1) {
      warp.fail(instr, 1u << lane, "a parity of " + Twine(phases[lane]));
      return Step::Next;
    }
    bool isOver =
        instr.mode == 1 ? (barrier->phase & 1) != phases[lane] : barrier->phase != phases[lane];
    results[lane] = isOver;
    if (isOver && !instr.isVolatile)
      warp.acquire(barrier->arrived);
    warp.spinsAt[lane] = isOver ? nullptr : &instr;
    warp.spinsSince[lane] = warp.block.cluster.events;
    isIdle &= !isOver;
  }
  if (isIdle)
    return Step::Wait;
  warp.out(instr.args[0], lanes, results, lanes);
  return Step::Next;
}

} // namespace

bool decodeMbarriers(const Statement &s, Instruction &i) {
  if (s.opcode != "mbarrier" || s.mods.empty())
    return false;
  StringRef kind = s.mods[0];
  size_t args = i.args.size();
  if (kind == "init" && args == 2)
    i.run = init;
  else if (kind == "inval" && args == 1)
    i.run = invalidate;
  else if ((kind == "try_wait" || kind == "test_wait") && args >= 3) {
    i.mode = s.has("parity");
    i.isVolatile = s.has("relaxed");
    i.run = wait;
  } else if (kind == "arrive" || kind == "arrive_drop" || kind == "expect_tx" ||
             kind == "complete_tx") {
    if (s.has("noComplete") || args == 0)
      return false;
    i.mode = (kind.starts_with("arrive") ? Arrive : 0) | (kind == "arrive_drop" ? Drop : 0) |
             (s.has("expect_tx") ? ExpectTx : 0) | (kind == "complete_tx" ? CompleteTx : 0) |
             (s.has("relaxed") ? Relaxed : 0);
    i.run = arrive;
  }
  return i.run != nullptr;
}

} // namespace tilec::ptx

//===- Control.cpp - conditions, loops, kernels, messages -----------------===//
//
// With one lane a condition is a branch. With more, both sides run under masks, as on
// a GPU.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include "BlockOrder.h"
#include "GridSync.h"
#include "Pipes.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilec::reference {
namespace {

bool anyOn(const std::vector<uint8_t> &mask) {
  return llvm::any_of(mask, [](uint8_t on) { return on != 0; });
}

/// Switches lanes for the duration of a scope.
struct MaskScope {
  Frame &frame;
  uint8_t *oldMask, *oldBroken;

  MaskScope(Frame &frame, uint8_t *mask)
      : frame(frame), oldMask(frame.mask), oldBroken(frame.broken) {
    frame.mask = mask;
  }
  ~MaskScope() {
    frame.mask = oldMask;
    frame.broken = oldBroken;
  }
};

/// After code that may break: the lanes that broke are off in this scope, too.
void dropBroken(Frame &frame) {
  bool any = false;
  for (int lane = 0; lane < frame.lanes; ++lane) {
    if (frame.broken[lane])
      frame.mask[lane] = 0;
    any |= frame.mask[lane] != 0;
  }
  frame.noneActive = !any;
}

void moveResults(Frame &frame, const IfAux &aux, const int64_t *condition) {
  for (const IfAux::Result &result : aux.results)
    for (int lane = 0; lane < frame.lanes; ++lane) {
      // Slots of an f32 have 4-byte lanes.
      Slot from = condition[lane] ? result.thenValue : result.elseValue;
      if (result.rep == Rep::F32)
        frame.at<float>(result.dst)[lane] = frame.at<float>(from)[lane];
      else
        frame.at<int64_t>(result.dst)[lane] = frame.at<int64_t>(from)[lane];
    }
}

} // namespace

void execIf(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const IfAux *>(instr.aux);
  const int64_t *condition = frame.at<int64_t>(instr.a);
  if (frame.lanes == 1) {
    runCode(frame, condition[0] ? aux.thenCode : aux.elseCode);
    if (!frame.machine.failed && !frame.noneActive)
      moveResults(frame, aux, condition);
    return;
  }
  std::vector<int64_t> conditions(condition, condition + frame.lanes);
  for (bool side : {true, false}) {
    const Code &code = side ? aux.thenCode : aux.elseCode;
    if (code.instrs.empty())
      continue;
    std::vector<uint8_t> mask(frame.lanes);
    for (int lane = 0; lane < frame.lanes; ++lane)
      mask[lane] = frame.isOn(lane) && (conditions[lane] != 0) == side;
    if (!anyOn(mask))
      continue;
    MaskScope scope(frame, mask.data());
    runCode(frame, code);
    frame.noneActive = false;
    if (frame.machine.failed)
      return;
  }
  if (aux.thenCode.mayBreak || aux.elseCode.mayBreak)
    dropBroken(frame);
  moveResults(frame, aux, conditions.data());
}

void execBreak(Frame &frame, const Instr &) {
  for (int lane = 0; lane < frame.lanes; ++lane)
    if (frame.mask[lane]) {
      frame.broken[lane] = 1;
      frame.mask[lane] = 0;
    }
  frame.noneActive = true;
}

/// Runs a body while `next` switches lanes on for another iteration. `next` fills the mask from
/// the lanes that entered the loop and did not break.
static void runLoop(Frame &frame, const Code &body,
                    llvm::function_ref<bool(std::vector<uint8_t> &alive)> next) {
  std::vector<uint8_t> alive(frame.lanes), mask(frame.lanes), broken(frame.lanes, 0);
  for (int lane = 0; lane < frame.lanes; ++lane)
    alive[lane] = frame.isOn(lane);
  MaskScope scope(frame, mask.data());
  frame.broken = broken.data();
  while (true) {
    mask = alive;
    frame.mask = mask.data();
    if (!next(mask) || frame.machine.failed)
      return;
    runCode(frame, body);
    frame.noneActive = false;
    if (frame.machine.failed)
      return;
    for (int lane = 0; lane < frame.lanes; ++lane)
      alive[lane] &= !broken[lane];
  }
}

static void runRounds(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const LoopAux *>(instr.aux);
  Slot iv = instr.dst;
  const int64_t *lower = frame.at<int64_t>(instr.a), *upper = frame.at<int64_t>(instr.b),
                *step = frame.at<int64_t>(instr.c);
  for (int lane = 0; lane < frame.lanes; ++lane)
    if (step[lane] == 0 && frame.isOn(lane))
      return frame.machine.fail(instr.op, "has a step of 0");
  auto goesOn = [&](int64_t at, int lane) {
    return step[lane] > 0 ? at < upper[lane] : at > upper[lane];
  };
  if (frame.lanes == 1 && !aux.body.mayBreak) {
    for (int64_t at = lower[0], end = upper[0], by = step[0]; by > 0 ? at < end : at > end;) {
      frame.at<int64_t>(iv)[0] = at;
      runCode(frame, aux.body);
      if (frame.machine.failed || __builtin_add_overflow(at, by, &at))
        return;
    }
    return;
  }
  std::vector<int64_t> at(lower, lower + frame.lanes);
  bool isFirst = true;
  runLoop(frame, aux.body, [&](std::vector<uint8_t> &mask) {
    for (int lane = 0; lane < frame.lanes; ++lane) {
      if (!isFirst && mask[lane] && __builtin_add_overflow(at[lane], step[lane], &at[lane]))
        mask[lane] = 0;
      mask[lane] = mask[lane] && goesOn(at[lane], lane);
      frame.at<int64_t>(iv)[lane] = at[lane];
    }
    isFirst = false;
    return anyOn(mask);
  });
}

void execFor(Frame &frame, const Instr &instr) {
  runRounds(frame, instr);
  if (frame.machine.failed)
    return;
  for (const ReductionDecl *decl : static_cast<const LoopAux *>(instr.aux)->flushes)
    flushReduction(frame.machine, *decl);
}

void execWhile(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const LoopAux *>(instr.aux);
  runLoop(frame, aux.body, [&](std::vector<uint8_t> &mask) {
    runCode(frame, aux.condition);
    if (frame.machine.failed)
      return false;
    const int64_t *condition = frame.at<int64_t>(instr.a);
    for (int lane = 0; lane < frame.lanes; ++lane)
      mask[lane] = mask[lane] && condition[lane];
    return anyOn(mask);
  });
}

//===----------------------------------------------------------------------===//
// tile.parallel
//===----------------------------------------------------------------------===//

void importValues(Frame &outer, int lane, Frame &inner, ArrayRef<Import> imports) {
  for (const Import &import : imports) {
    if (import.rep == Rep::F32)
      std::fill_n(inner.at<float>(import.inner), inner.lanes, outer.at<float>(import.outer)[lane]);
    else
      std::fill_n(inner.at<int64_t>(import.inner), inner.lanes,
                  outer.at<int64_t>(import.outer)[lane]);
  }
}

static bool iterationCount(Frame &frame, const Instr &instr, ArrayRef<int64_t> extents,
                           int64_t &count) {
  count = 1;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(count, std::max<int64_t>(extent, 0), &count)) {
      frame.machine.fail(instr.op, "has more iterations than fit in 64 bits");
      return false;
    }
  return true;
}

static void runIterations(Frame &outer, const Instr &instr, const ParallelAux &aux, int lane) {
  Machine &machine = outer.machine;
  SmallVector<int64_t, 3> extents;
  for (Slot slot : aux.extents)
    extents.push_back(outer.at<int64_t>(slot)[lane]);
  int64_t count;
  if (!iterationCount(outer, instr, extents, count) || count == 0)
    return;
  Frame frame{machine, machine.parallelData.get(), int64_t(aux.width) * laneBytes,
              int(std::min<int64_t>(aux.width, count))};
  importValues(outer, lane, frame, aux.imports);
  // Any cut into parts will do: iterations are independent.
  auto part = aux.part.empty() ? std::nullopt : std::optional<ArrayRef<int64_t>>(aux.part);
  auto [from, to] = tile::rangeOfPart(part, count);
  SmallVector<int64_t, 3> point(extents.size(), 0);
  for (int64_t d = int64_t(extents.size()) - 1, rest = from; d >= 0; rest /= extents[d--])
    point[d] = rest % extents[d];
  for (int64_t at = from; at < to; at += aux.width) {
    frame.lanes = int(std::min<int64_t>(aux.width, to - at));
    for (int l = 0; l < frame.lanes; ++l) {
      for (auto [slot, index] : llvm::zip(aux.ivs, point))
        frame.at<int64_t>(slot)[l] = index;
      for (size_t d = point.size(); d > 0; --d) {
        if (++point[d - 1] < extents[d - 1])
          break;
        point[d - 1] = 0;
      }
    }
    runCode(frame, aux.body);
    if (machine.failed)
      return;
  }
  for (const ReductionDecl *decl : aux.flushes)
    flushReduction(machine, *decl);
}

void execParallel(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const ParallelAux *>(instr.aux);
  if (frame.lanes == 1 || (aux.perLaneBuffers.empty() && !aux.perThread)) {
    if (int lane = frame.firstOn(); lane >= 0)
      runIterations(frame, instr, aux, lane);
    return;
  }
  // Each thread works on its own local buffers; once is enough when nothing differs.
  Machine &machine = frame.machine;
  SmallVector<BufferState, 2> saved;
  for (uint32_t id : aux.perLaneBuffers)
    saved.push_back(machine.buffers[id]);
  for (int lane = 0; lane < frame.lanes && !machine.failed; ++lane) {
    if (!frame.isOn(lane))
      continue;
    for (auto [id, state] : llvm::zip(aux.perLaneBuffers, saved)) {
      unsigned bits = bitsOf(machine.unit.buffers[id].dtype);
      machine.buffers[id].base = state.base + lane * state.laneStride * bits / 8;
      machine.buffers[id].laneStride = 0;
    }
    runIterations(frame, instr, aux, lane);
    if (!aux.perThread)
      break;
  }
  for (auto [id, state] : llvm::zip(aux.perLaneBuffers, saved))
    machine.buffers[id] = state;
}

/// A tile.parallel inside another one: its iterations run in order, each for all lanes.
void execInnerParallel(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const ParallelAux *>(instr.aux);
  std::vector<SmallVector<int64_t, 3>> extents(frame.lanes);
  std::vector<int64_t> counts(frame.lanes, 0);
  int64_t longest = 0;
  for (int lane = 0; lane < frame.lanes; ++lane) {
    if (!frame.isOn(lane))
      continue;
    for (Slot slot : aux.extents)
      extents[lane].push_back(frame.at<int64_t>(slot)[lane]);
    if (!iterationCount(frame, instr, extents[lane], counts[lane]))
      return;
    longest = std::max(longest, counts[lane]);
  }
  std::vector<uint8_t> mask(frame.lanes);
  for (int64_t at = 0; at < longest; ++at) {
    bool isFull = true;
    for (int lane = 0; lane < frame.lanes; ++lane) {
      mask[lane] = at < counts[lane];
      isFull &= mask[lane] != 0;
      int64_t rest = at;
      for (size_t d = extents[lane].size(); mask[lane] && d-- > 0; rest /= extents[lane][d])
        frame.at<int64_t>(aux.ivs[d])[lane] = rest % extents[lane][d];
    }
    MaskScope scope(frame, isFull ? nullptr : mask.data());
    runCode(frame, aux.body);
    if (frame.machine.failed)
      return;
  }
  for (const ReductionDecl *decl : aux.flushes)
    flushReduction(frame.machine, *decl);
}

//===----------------------------------------------------------------------===//
// Kernels, threads, assertions
//===----------------------------------------------------------------------===//

void execKernel(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const KernelAux *>(instr.aux);
  Machine &machine = frame.machine;
  int64_t grid[3] = {1, 1, 1};
  for (auto [i, slot] : llvm::enumerate(aux.grid))
    grid[i] = frame.at<int64_t>(slot)[0];
  machine.insideKernel = true;
  machine.blockNumber = 0;
  if (aux.waitsForBlocks && runTogether(frame, instr, {grid[0], grid[1], grid[2]})) {
    machine.insideKernel = machine.failed;
    return;
  }
  std::vector<uint8_t> data(size_t(aux.numSlots) * aux.lanes * laneBytes);
  Frame body{machine, data.data(), int64_t(aux.lanes) * laneBytes, aux.lanes};
  importValues(frame, 0, body, aux.imports);
  beginBlockOrder(machine);
  for (int64_t z = 0; z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0]; ++x) {
        int64_t ids[3] = {x, y, z};
        for (auto [i, slot] : llvm::enumerate(aux.ids))
          std::fill_n(body.at<int64_t>(slot), aux.lanes, ids[i]);
        std::copy_n(ids, 3, machine.block);
        runCode(body, aux.body);
        finishProducer(machine);
        if (machine.failed)
          return;
        ++machine.blockNumber;
      }
  machine.insideKernel = false;
}

/// Also whether the thread is in one of some waves.
void execThreadId(Frame &frame, const Instr &instr) {
  auto waves = dyn_cast<tile::OnWavesOp>(instr.op);
  const int64_t warpLanes = static_cast<const WarpAux *>(instr.aux)->warpLanes;
  for (int lane = 0; lane < frame.lanes; ++lane) {
    int64_t in = waves ? lane / warpLanes - int64_t(waves.getFirst()) : 0;
    frame.at<int64_t>(instr.dst)[lane] = waves ? in >= 0 && in < int64_t(waves.getCount()) : lane;
  }
}

void execAssert(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const AssertAux *>(instr.aux);
  const int64_t *condition = frame.at<int64_t>(instr.a);
  for (int lane = 0; lane < frame.lanes; ++lane)
    if (!condition[lane] && frame.isOn(lane))
      return frame.machine.fail(instr.op, aux.message);
}

} // namespace tilec::reference

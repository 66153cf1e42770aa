//===- Group.cpp - running the waves of a work-group ----------------------===//
//
// Waves take turns of a few instructions. A barrier opens when every wave that has not
// ended is at it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Checker.h"
#include "CodeObjectImpl.h"
#include "Execute.h"
#include "Progress.h"
#include "Reporter.h"
#include "Timing/ControlSlice.h"
#include "Timing/Recorder.h"

#include <algorithm>
#include <numeric>

namespace tilec::sim {
namespace {

constexpr uint32_t keepAllDenormals = 3;
// Limits and waiting waves are looked at between slices.
constexpr uint32_t longestSlice = 1 << 14;

/// s_set_gpr_idx mode: the selected operands' vector registers move by M0[7:0].
void execIndexed(Wave &wave, const Instr &instr) {
  if (!(instr.flags & isValu))
    return instr.exec(wave, instr);
  Instr moved = instr;
  uint32_t by = wave.s[sgprM0] & 0xff;
  auto shift = [&](Operand &operand) {
    if (operand.isVgpr())
      operand.reg = static_cast<uint16_t>(operand.reg + by);
    return operand.reg + operand.dwords <= wave.numVgprs || !operand.isVgpr();
  };
  bool inside = true;
  for (unsigned i = 0; i < 3; ++i)
    if (wave.gprIdx >> i & 1)
      inside &= shift(moved.src[i]);
  if (wave.gprIdx & 8)
    inside &= shift(moved.dst[0]);
  if (!inside)
    return fault(wave, instr, CheckKind::BadProgram,
                 "M0 = " + llvm::Twine(by) + " moves a register number out of the register file");
  moved.exec(wave, moved);
}

void executeOne(Wave &wave, const Instr &instr) {
  if (wave.gprIdx & 16)
    return execIndexed(wave, instr);
  if (wave.floatEnvSet && (instr.flags & (isF64 | keepsDenormals))) {
    FloatEnv env(instr.flags & keepsDenormals ? FloatEnv::hostControl(keepAllDenormals << 4, false)
                                              : FloatEnv::hostControl(wave.mode, true));
    return instr.exec(wave, instr);
  }
  instr.exec(wave, instr);
}

/// A barrier works for the wave whatever EXEC holds, but code that means so is rare: lanes that are
/// off when others meet are mostly those of a branch that was not meant to hold a barrier.
void checkPartialBarrier(Wave &wave) {
  uint64_t missing = wave.startExec & ~wave.exec();
  if (!missing)
    return;
  unsigned lane = static_cast<unsigned>(__builtin_ctzll(missing));
  report(wave, *wave.group->engine->program->at(wave.barrierPc), CheckKind::Barrier,
         FindingClass::Lint, false, static_cast<int>(lane),
         "the barrier is inside a branch that this lane has not taken: EXEC is 0x" +
             llvm::Twine::utohexstr(wave.exec()));
}

void runSlice(Wave &wave, uint32_t count) {
  Group &group = *wave.group;
  const Program &program = *group.engine->program;
  group.engine->port.isWatched = group.watch != nullptr;
  uint32_t done = 0;
  uint32_t mode = wave.mode; // a new one needs another host environment: ends the slice
  const ControlSlice *slice = group.engine->slice;
  while (done < count && !wave.ended && !wave.atBarrier && !wave.halted && !group.stop &&
         wave.mode == mode) {
    if (slice) [[unlikely]]
      if (ControlSlice::Run run = slice->skippedFrom(wave.pc); run.count) {
        group.matrixPasses += run.matrixPasses;
        done += run.count;
        wave.pc = run.next;
        continue;
      }
    const Instr *instr = program.at(wave.pc);
    wave.pc = instr->next;
    if (slice)
      group.matrixPasses += instr->passes;
    if (wave.vskip && (instr->flags & (isValu | isVmem | isLds))) {
      ++done;
      continue;
    }
    if (wave.checker) {
      wave.checker->before(wave, *instr);
      executeOne(wave, *instr);
      wave.checker->after(wave, *instr);
    } else {
      executeOne(wave, *instr);
    }
    if (group.record)
      group.record->instruction(wave, *instr);
    if (group.watch) [[unlikely]]
      group.watch->step(wave, *instr);
    ++done;
    wave.mfma += instr->flags & isMfma ? 1 : 0;
  }
  wave.instructions += done;
  group.instructions += done;
  if (wave.atBarrier && wave.checker)
    checkPartialBarrier(wave);
}

void runSliceInEnv(Wave &wave, uint32_t count) {
  if (!wave.floatEnvSet)
    return runSlice(wave, count);
  FloatEnv env(FloatEnv::hostControl(wave.mode, false));
  runSlice(wave, count);
}

/// xorshift64*, Vigna 2014: small, seeded, the same everywhere.
uint64_t nextRandom(uint64_t &state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dull;
}

/// Hardware does not wait for waves that have ended, but code that means so is rare.
void checkDivergence(Group &group) {
  if (!group.checker || group.saidDivergent)
    return;
  const Wave *ended = nullptr;
  Wave *waiting = nullptr;
  for (Wave &wave : group.waves) {
    if (wave.ended)
      ended = &wave;
    else
      waiting = &wave;
  }
  if (!ended || !waiting)
    return;
  group.saidDivergent = true;
  report(*waiting, *group.engine->program->at(waiting->barrierPc), CheckKind::Barrier,
         FindingClass::Lint, false, -1,
         "wave " + llvm::Twine(ended->index) + " has ended and takes no part in this barrier");
}

bool openBarrier(Group &group) {
  bool any = false;
  for (Wave &wave : group.waves) {
    if (!wave.ended && !wave.atBarrier)
      return false;
    any |= wave.atBarrier;
  }
  if (!any)
    return false;
  checkDivergence(group);
  for (Wave &wave : group.waves)
    wave.atBarrier = false;
  ++group.barrierEpoch;
  if (group.checker)
    group.checker->barrierOpened();
  return true;
}

bool allEnded(const Group &group) {
  return std::all_of(group.waves.begin(), group.waves.end(), [](const Wave &w) { return w.ended; });
}

/// Reports a work-group that has run into the limit of instructions or of time.
bool stopAtLimits(Group &group, uint64_t round) {
  constexpr uint64_t roundsPerClock = 1024; // asking for the time costs as much as an instruction
  bool tooMany = group.instructions > group.engine->options->maxInstructionsPerGroup;
  bool tooLate = !tooMany && round % roundsPerClock == 0 && group.engine->options->maxSeconds > 0 &&
                 std::chrono::steady_clock::now() > group.engine->deadline;
  if (!tooMany && !tooLate)
    return false;
  for (Wave &wave : group.waves)
    if (!wave.ended) {
      fault(wave, *group.engine->program->at(wave.pc), CheckKind::Limit,
            "the work-group has executed " + llvm::Twine(group.instructions) +
                " instructions and not ended" + (tooLate ? " within the time limit" : "") +
                "; if that is right, raise the limit");
      break;
    }
  return true;
}

/// Every wave that has not ended waits, and none is left to end that.
bool allBlocked(const Group &group) {
  return std::none_of(group.waves.begin(), group.waves.end(),
                      [](const Wave &w) { return !w.ended && !w.atBarrier && !w.halted; });
}

/// Takes the states of the waves to compare later ones with, now and at doubling intervals.
void watchFromHere(Group &group) {
  group.watch = std::make_shared<ProgressWatch>(group);
  group.nextWatch = std::max(2 * group.instructions, firstWatchInstructions);
}

} // namespace

const char *unsupportedMode(uint32_t mode) {
  if (mode >> 2 & 3)
    return "f16 and f64 rounding other than to nearest even is not modelled";
  if ((mode >> 6 & 3) != 3)
    return "flushing of f16 and f64 denormals is not modelled";
  return nullptr;
}

void setMode(Wave &wave, const Instr &instr, uint32_t mode) {
  if (const char *why = unsupportedMode(mode))
    return fault(wave, instr, CheckKind::BadInstruction, why);
  wave.mode = mode;
  bool wanted = FloatEnv::hostControl(mode, false) != FloatEnv::hostControl(3u << 4, false);
  wave.floatEnvSet = wanted;
}

Turn runGroup(Group &group, uint64_t maxInstructions) {
  const LaunchOptions &options = *group.engine->options;
  uint64_t limit = group.instructions + maxInstructions;
  std::vector<uint32_t> order(group.waves.size());
  std::iota(order.begin(), order.end(), 0);
  uint64_t round = 0;
  // The timing model runs parts of grids, whose groups may wait for others in vain.
  bool mayWatch = !group.record && !group.engine->slice;
  if (group.watch) // it has waited: most likely it still does
    watchFromHere(group);
  while (!allEnded(group)) {
    if (group.engine->reporter->stopped())
      group.stop = true;
    if (group.stop)
      return Turn::Ended;
    if (options.interleaveSeed)
      for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[nextRandom(group.random) % i]);
    for (uint32_t index : order) {
      Wave &wave = group.waves[index];
      if (wave.ended || wave.atBarrier || wave.halted)
        continue;
      uint32_t slice = options.sliceInstructions;
      if (options.interleaveSeed)
        slice = 1 + static_cast<uint32_t>(nextRandom(group.random) % (4ull * slice));
      runSliceInEnv(wave, std::min(slice, longestSlice));
      if (group.stop)
        return Turn::Ended;
      if (group.watch) {
        if (group.watch->changed()) {
          group.watch.reset();
          if (group.hasWaited) // soon again, most likely
            group.nextWatch = group.instructions + firstWatchInstructions;
        } else {
          group.watch->compare(wave);
        }
      }
    }
    if (openBarrier(group)) {
      group.watch.reset();
    } else if (group.watch && group.watch->allRepeat(group)) {
      if (group.watch->readGlobal()) {
        group.hasWaited = true;
        return Turn::Waits;
      }
      reportStuck(group, 0);
      return Turn::Ended;
    } else if (allBlocked(group) && !allEnded(group)) {
      reportStuck(group, 0);
      return Turn::Ended;
    }
    if (group.record && group.record->full)
      return Turn::Ended;
    if (stopAtLimits(group, round++))
      return Turn::Ended;
    if (mayWatch && group.instructions >= group.nextWatch)
      watchFromHere(group);
    if (group.instructions >= limit)
      break;
  }
  return allEnded(group) ? Turn::Ended : Turn::TimeIsUp;
}

} // namespace tilec::sim

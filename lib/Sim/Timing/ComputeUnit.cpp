//===- ComputeUnit.cpp - one CU, clock by clock ---------------------------===//
//
// Takes what waves have executed, gives when each instruction issues and completes on one CU, and
// what it waits for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ComputeUnit.h"

#include <algorithm>

namespace tilec::sim {
namespace {

constexpr uint64_t never = ~0ull;

/// Completion times of operations of one counter, oldest first.
using Outstanding = std::deque<uint64_t>;

/// Vector memory and LDS come back in order: a younger operation is not complete before an older.
void pushInOrder(Outstanding &queue, uint64_t done) {
  queue.push_back(queue.empty() ? done : std::max(done, queue.back()));
}

void dropComplete(Outstanding &queue, uint64_t now) {
  while (!queue.empty() && queue.front() <= now)
    queue.pop_front();
}

/// When at most `left` of the queue are outstanding.
uint64_t drainsTo(const Outstanding &queue, int left) {
  return static_cast<int>(queue.size()) <= left ? 0 : queue[queue.size() - 1 - left];
}

} // namespace

struct ComputeUnit::RunningGroup {
  const RecordedGroup *recorded;
  size_t order;
  unsigned alive = 0, arrived = 0;
  std::vector<std::unique_ptr<RunningWave>> waves;
};

struct ComputeUnit::RunningWave {
  RunningGroup *group = nullptr;
  const RecordedWave *recorded = nullptr;
  uint32_t timeline = 0; ///< index in trace.waves
  unsigned simd = 0;
  int priority = 0;
  size_t next = 0;            ///< instruction to issue
  const Form *form = nullptr; ///< of that instruction
  uint64_t naturalClk = 0;    ///< when it would issue if nothing were in the way
  uint64_t readyClk = 0;      ///< not before: fetch, s_nop
  StallReason readyReason = StallReason::None;
  uint64_t operandsClk = 0; ///< its matrix operands are there
  StallReason blockedBy = StallReason::None;
  bool atBarrier = false, ended = false;
  uint64_t steppedAt = never;

  Outstanding vm, lgkm;
  std::vector<uint64_t> smem; ///< comes back out of order
  struct Result {
    RegRange written;
    uint64_t forAccumulate, forOthers;
  };
  std::vector<Result> results; ///< of matrix instructions, not there yet

  const RecordedInstr &head() const { return recorded->instrs[next]; }
};

ComputeUnit::ComputeUnit(const TimingConstants &constants, const MemoryShare &share,
                         const MemoryUses &uses, TimingTrace &trace, bool keepEvents)
    : c(constants), trace(trace), keepEvents(keepEvents), lds(constants),
      memory(constants, share, uses) {}

ComputeUnit::~ComputeUnit() = default;

const ComputeUnit::Form &ComputeUnit::formFor(const Instr &instr) {
  auto [entry, isNew] = forms.try_emplace(&instr);
  Form &form = entry->second;
  if (isNew) {
    static_cast<TimedForm &>(form) = formOf(instr, c);
    form.index = static_cast<uint32_t>(trace.instructions.size());
    TimedInstruction timed;
    timed.address = instr.address;
    timed.kind = form.kind;
    trace.instructions.push_back(std::move(timed));
  }
  return form;
}

void ComputeUnit::startGroup(const RecordedGroup &recorded, size_t order, uint64_t clk) {
  auto group = std::make_unique<RunningGroup>();
  group->recorded = &recorded;
  group->order = order;
  for (size_t i = 0; i < recorded.waves.size(); ++i) {
    auto wave = std::make_unique<RunningWave>();
    wave->group = group.get();
    wave->recorded = &recorded.waves[i];
    wave->simd = static_cast<unsigned>((nextSimd + i) % numSimds);
    wave->naturalClk = clk;
    wave->readyClk = clk + static_cast<uint64_t>(c.waveStartClk);
    wave->readyReason = StallReason::Fetch;
    wave->blockedBy = StallReason::Fetch;
    wave->timeline = static_cast<uint32_t>(trace.waves.size());
    trace.waves.push_back({recorded.number, static_cast<uint32_t>(i), wave->simd, clk, clk, {}});
    if (keepEvents)
      trace.waves.back().events.reserve(wave->recorded->instrs.size());
    simds[wave->simd].waves.push_back(wave.get());
    ++group->alive;
    fetchNext(*wave);
    wakeClk = std::min(wakeClk, wave->readyClk);
    group->waves.push_back(std::move(wave));
  }
  nextSimd = static_cast<unsigned>((nextSimd + recorded.waves.size()) % numSimds);
  running.push_back(std::move(group));
}

/// What is known of the next instruction when the one before it has issued.
void ComputeUnit::fetchNext(RunningWave &wave) {
  if (wave.next >= wave.recorded->instrs.size())
    return;
  const Instr &instr = *wave.head().instr;
  wave.form = &formFor(instr);
  wave.operandsClk = operandsAt(wave, instr);
}

/// When the matrix results that the instruction uses or overwrites are there.
uint64_t ComputeUnit::operandsAt(RunningWave &wave, const Instr &instr) const {
  std::erase_if(wave.results, [&](const auto &r) { return r.forOthers <= wave.naturalClk; });
  uint64_t at = 0;
  bool matrix = wave.form->kind == TimedKind::Mfma;
  // Sparse instructions have no C of their own: they add to D.
  const Operand &accumulator = instr.flags & readsDst ? instr.dst[0] : instr.src[2];
  for (const RunningWave::Result &result : wave.results) {
    for (unsigned i = 0; i < instr.numUses; ++i) {
      if (!instr.uses[i].overlaps(result.written))
        continue;
      bool accumulates = matrix && instr.uses[i] == result.written && accumulator.isVgpr() &&
                         accumulator.reg == result.written.first;
      at = std::max(at, accumulates ? result.forAccumulate : result.forOthers);
    }
    for (unsigned i = 0; i < instr.numDefs && !matrix; ++i)
      if (instr.defs[i].overlaps(result.written))
        at = std::max(at, result.forOthers);
  }
  return at;
}

ComputeUnit::Blocked ComputeUnit::waitcntOpens(const RunningWave &wave, uint64_t now) const {
  const Instr &instr = *wave.head().instr;
  Blocked blocked{now, StallReason::None};
  auto until = [&](uint64_t clk, StallReason reason) {
    if (clk > blocked.clk)
      blocked = {clk, reason};
  };
  if (instr.waitVm >= 0)
    until(drainsTo(wave.vm, instr.waitVm), StallReason::Vmcnt);
  if (instr.waitLgkm < 0)
    return blocked;
  until(drainsTo(wave.lgkm, instr.waitLgkm), StallReason::Lgkmcnt);
  // Scalar loads come back in any order: only a count of zero says that one is there.
  if (static_cast<int>(wave.smem.size()) > instr.waitLgkm)
    for (uint64_t done : wave.smem)
      until(done, StallReason::Lgkmcnt);
  return blocked;
}

/// When the next instruction finds its port, pipe or queue free.
ComputeUnit::Blocked ComputeUnit::portOpens(const RunningWave &wave, uint64_t now) const {
  const Simd &simd = simds[wave.simd];
  const Simd::PortState &port = simd.ports[static_cast<unsigned>(wave.form->port)];
  Blocked blocked{now, StallReason::None};
  auto until = [&](uint64_t clk, StallReason reason) {
    if (clk > blocked.clk)
      blocked = {clk, reason};
  };
  until(port.free, port.last == &wave ? StallReason::VectorIssue : StallReason::OtherWave);
  switch (wave.form->port) {
  case Port::Vector:
    if (wave.form->matrixClk)
      until(simd.matrixFree, StallReason::MatrixPipe);
    if (wave.form->packedF32)
      until(simd.matrixEnd, StallReason::MatrixPipe);
    break;
  case Port::Lds:
    if (wave.lgkm.size() >= static_cast<size_t>(c.maxLgkmcnt))
      until(wave.lgkm.front(), StallReason::Counter);
    until(lds.acceptsAt(wave.simd, now), StallReason::LdsQueue);
    break;
  case Port::Memory:
    if (wave.vm.size() >= static_cast<size_t>(c.maxVmcnt))
      until(wave.vm.front(), StallReason::Counter);
    until(memory.acceptsAt(now), StallReason::MemoryQueue);
    break;
  default:
    break;
  }
  return blocked;
}

/// When the wave's next instruction can issue, as far as is known at `now`.
ComputeUnit::Blocked ComputeUnit::earliest(RunningWave &wave, uint64_t now) {
  if (wave.readyClk > now)
    return {wave.readyClk, wave.readyReason};
  if (wave.operandsClk > now)
    return {wave.operandsClk, StallReason::MatrixData};
  dropComplete(wave.vm, now);
  dropComplete(wave.lgkm, now);
  std::erase_if(wave.smem, [&](uint64_t done) { return done <= now; });
  return wave.form->kind == TimedKind::Wait ? waitcntOpens(wave, now) : portOpens(wave, now);
}

uint64_t ComputeUnit::issueVector(RunningWave &wave, uint64_t now) {
  const Form &form = *wave.form;
  const Instr &instr = *wave.head().instr;
  Simd &simd = simds[wave.simd];
  uint64_t free = now + form.vectorClk;
  simd.ports[static_cast<unsigned>(Port::Vector)].free = free;
  if (form.kind != TimedKind::Mfma)
    result.vectorClk += form.vectorClk;
  if (form.packedF32)
    simd.matrixFree = free + static_cast<uint64_t>(simd.lastMatrixWave == &wave
                                                       ? c.packedAfterMatrixSameWaveClk
                                                       : c.packedAfterMatrixOtherWaveClk);
  if (form.kind != TimedKind::Mfma)
    return free;
  simd.matrixFree = simd.matrixEnd = now + form.matrixClk;
  simd.lastMatrixWave = &wave;
  result.matrixClk += form.matrixClk;
  uint64_t others = simd.matrixFree + static_cast<uint64_t>(c.matrixResultPasses * c.passClk);
  RegRange written{instr.dst[0].reg, instr.dst[0].dwords};
  wave.results.push_back({written, simd.matrixFree, others});
  return others;
}

uint64_t ComputeUnit::issueScalarLoad(RunningWave &wave, const uint64_t *lines, uint64_t now) {
  bool cold = lines && !std::exchange(scalarLines[*lines], true);
  uint64_t done = now + static_cast<uint64_t>(cold ? c.scalarColdClk : c.scalarHitClk);
  wave.smem.push_back(done);
  return done;
}

uint64_t ComputeUnit::issueMemory(RunningWave &wave, uint64_t now) {
  static const RecordedAccess nothing;
  const RecordedGroup &group = *wave.group->recorded;
  const Instr &instr = *wave.head().instr;
  uint32_t index = wave.head().access;
  const RecordedAccess &access = index == noAccess ? nothing : group.accesses[index];
  const uint64_t *lines = access.lineCount ? &group.lines[access.firstLine] : nullptr;
  TimedInstruction &timed = trace.instructions[wave.form->index];
  timed.ldsDataClk += access.ldsClk;
  timed.ldsConflictClk += access.ldsConflictClk;
  if (wave.form->port == Port::ScalarMemory)
    return issueScalarLoad(wave, lines, now);
  if (wave.form->port == Port::Lds) {
    unsigned bytes = std::max(4u, instr.op->aux & 0xff) * (instr.op->aux >> 16 ? 2 : 1);
    uint64_t done = lds.issue(wave.simd, now, wave.form->kind, bytes, access);
    pushInOrder(wave.lgkm, done);
    return wave.lgkm.back();
  }
  uint64_t before = memory.bytes;
  uint64_t done = memory.issue(now, instr, access, lines);
  timed.memoryBytes += memory.bytes - before;
  if (wave.form->kind == TimedKind::LdsDma)
    done = lds.writeFromMemory(done, access.ldsClk);
  pushInOrder(wave.vm, done);
  if (instr.flags & isFlat)
    pushInOrder(wave.lgkm, done);
  return wave.vm.back();
}

/// The instruction at the head issues at `now`: sums and event, then the next one.
void ComputeUnit::retire(RunningWave &wave, uint64_t now, uint64_t end) {
  uint64_t stall = now - wave.naturalClk;
  StallReason reason = stall ? wave.blockedBy : StallReason::None;
  TimedInstruction &timed = trace.instructions[wave.form->index];
  if (timed.executions++ == 0)
    timed.firstIssueClk = now;
  timed.lastIssueClk = std::max(timed.lastIssueClk, now);
  timed.stallClk += stall;
  timed.stallByReason[static_cast<unsigned>(reason)] += stall;
  WaveTimeline &timeline = trace.waves[wave.timeline];
  if (keepEvents)
    timeline.events.push_back({wave.form->index, reason, wave.naturalClk, now, end});
  wave.naturalClk = now + static_cast<uint64_t>(c.slotClk);
  wave.readyClk = std::max(wave.readyClk, wave.naturalClk);
  wave.blockedBy = wave.readyClk > wave.naturalClk ? wave.readyReason : StallReason::None;
  wakeClk = std::min(wakeClk, wave.readyClk);
  ++wave.next;
  fetchNext(wave);
  if (wave.next < wave.recorded->instrs.size())
    return;
  wave.ended = true;
  --wave.group->alive;
  timeline.endClk = wave.naturalClk;
  openBarrierIfAll(*wave.group, now);
}

void ComputeUnit::openBarrierIfAll(RunningGroup &group, uint64_t now) {
  if (group.arrived == 0 || group.arrived < group.alive)
    return;
  uint64_t open = now + static_cast<uint64_t>(c.barrierClk);
  group.arrived = 0;
  for (auto &wave : group.waves) {
    if (!std::exchange(wave->atBarrier, false))
      continue;
    wave->blockedBy = StallReason::Barrier;
    retire(*wave, open, open);
  }
}

/// When the instruction behind a branch, s_nop or s_sleep may issue.
void ComputeUnit::delayNext(RunningWave &wave, uint64_t now) {
  const Instr &instr = *wave.head().instr;
  llvm::StringRef name = instr.op->name;
  auto slot = static_cast<uint64_t>(c.slotClk);
  uint64_t amount = instr.src[0].imm;
  wave.readyReason = StallReason::None;
  if (wave.form->kind == TimedKind::Branch) {
    bool last = wave.next + 1 >= wave.recorded->instrs.size();
    bool taken = !last && wave.recorded->instrs[wave.next + 1].instr->pc != instr.next;
    wave.readyClk = now + (taken ? static_cast<uint64_t>(c.branchTakenClk) : slot);
    wave.readyReason = StallReason::Fetch;
  } else if (name == "s_nop") {
    wave.readyClk = now + slot * (amount + 1);
    wave.readyReason = StallReason::Nop;
  } else if (name == "s_sleep") {
    wave.readyClk = now + std::max(slot, static_cast<uint64_t>(c.sleepClk) * (amount & 127));
    wave.readyReason = StallReason::Nop;
  } else if (name == "s_setprio") {
    wave.priority = static_cast<int>(amount & 3);
  }
}

void ComputeUnit::issue(RunningWave &wave, uint64_t now) {
  Simd::PortState &port = simds[wave.simd].ports[static_cast<unsigned>(wave.form->port)];
  uint64_t end = now + static_cast<uint64_t>(c.slotClk);
  if (wave.form->kind == TimedKind::Barrier) {
    wave.atBarrier = true;
    // The barrier's own stall is the wait for the others; what came before it is in naturalClk.
    ++wave.group->arrived;
    return openBarrierIfAll(*wave.group, now);
  }
  // Internal instructions (waits, s_nop, s_setprio) need no port.
  if (wave.form->port != Port::Internal)
    port = {end, &wave};
  if (wave.form->port == Port::Vector)
    end = issueVector(wave, now);
  else if (wave.form->port == Port::Lds || wave.form->port == Port::Memory ||
           wave.form->port == Port::ScalarMemory)
    end = issueMemory(wave, now);
  delayNext(wave, now);
  retire(wave, now, end);
}

/// Issues what the SIMD can at `now`: highest priority first, then oldest.
void ComputeUnit::step(Simd &simd, uint64_t now) {
  for (int priority = 3; priority >= 0; --priority)
    for (RunningWave *wave : simd.waves) {
      if (wave->ended || wave->atBarrier || wave->priority != priority || wave->steppedAt == now)
        continue;
      wave->steppedAt = now;
      Blocked blocked = earliest(*wave, now);
      if (blocked.clk > now) {
        wave->blockedBy = blocked.reason;
        wakeClk = std::min(wakeClk, blocked.clk);
      } else {
        issue(*wave, now);
      }
    }
}

CuResult ComputeUnit::run(const std::vector<const RecordedGroup *> &groups, unsigned places) {
  result.groupEndClk.assign(groups.size(), 0);
  size_t started = 0;
  for (; started < groups.size() && started < places; ++started)
    startGroup(*groups[started], started, 0);
  uint64_t now = 0;
  while (!running.empty()) {
    now = wakeClk;
    wakeClk = never;
    for (Simd &simd : simds)
      step(simd, now);
    for (size_t i = 0; i < running.size();) {
      if (running[i]->alive) {
        ++i;
        continue;
      }
      std::unique_ptr<RunningGroup> done = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      retireGroup(*done, now);
      if (started < groups.size()) {
        startGroup(*groups[started], started, now + static_cast<uint64_t>(c.groupStartClk));
        ++started;
      }
    }
  }
  result.clk = std::max(now, memory.drainedAt());
  result.ldsClk = lds.busyClk;
  result.ldsConflictClk = lds.conflictClk;
  result.memoryClk = memory.busyClk;
  result.l2Bytes = memory.bytes;
  result.l2Lines = memory.l2Lines;
  result.l2Misses = memory.l2Misses;
  result.infinityMisses = memory.infinityMisses;
  return std::move(result);
}

/// The group's waves leave their SIMDs.
void ComputeUnit::retireGroup(const RunningGroup &group, uint64_t now) {
  result.groupEndClk[group.order] = now;
  for (Simd &simd : simds) {
    std::erase_if(simd.waves, [&](const RunningWave *wave) { return wave->group == &group; });
    for (Simd::PortState &port : simd.ports)
      port.last = nullptr;
    simd.lastMatrixWave = nullptr;
  }
}

} // namespace tilec::sim

//===- Progress.cpp - whether a work-group still gets on ------------------===//
//
// Takes the state of a work-group twice, says whether it has moved on: a loop that never ends is
// reported.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Progress.h"

#include "CodeObjectImpl.h"

#include <algorithm>
#include <cstring>

namespace tilec::sim {
namespace {

/// Operations that strict mode holds back. Lanes that take no part have no address and no data.
bool sameOps(const std::deque<MemOp> &a, const std::deque<MemOp> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const MemOp &x, const MemOp &y) {
    if (x.instr != y.instr || x.mask != y.mask || x.zeroMask != y.zeroMask ||
        x.ldsBase != y.ldsBase)
      return false;
    if (x.instr->flags & isSmem) // stores are rare: never the same
      return x.addr[0] == y.addr[0] && !(x.instr->flags & isStore);
    bool same = true;
    forEachActiveLane(x.mask, [&](unsigned lane) {
      same &= x.addr[lane] == y.addr[lane];
      // Words beyond the access hold nothing.
      unsigned words = x.instr->flags & isStore ? x.instr->src[1].dwords : 0;
      for (unsigned i = 0; i < words && i < 4; ++i)
        same &= x.data[i][lane] == y.data[i][lane];
    });
    return same;
  });
}

bool sameScalars(const Wave &a, const Wave &b) {
  return a.pc == b.pc && a.scc == b.scc && a.mode == b.mode && a.vskip == b.vskip &&
         a.gprIdx == b.gprIdx && std::memcmp(a.s, b.s, sizeof(a.s)) == 0;
}

bool canRun(const Wave &wave) { return !wave.ended && !wave.atBarrier && !wave.halted; }

/// All rows, one behind the other.
const uint32_t *vectorsOf(const Wave &wave) { return reinterpret_cast<const uint32_t *>(wave.v); }

std::string placeOf(const Group &group, uint32_t pc) {
  return group.engine->program->object().describeAddress(4ull * pc);
}

} // namespace

ProgressWatch::ProgressWatch(const Group &group) : watched(group.waves.size()) {
  for (const Wave &wave : group.waves)
    if (canRun(wave)) {
      State &state = watched[wave.index].emplace();
      state.registers = wave;
      const uint32_t *first = vectorsOf(wave);
      state.vectors.assign(first, first + static_cast<size_t>(wave.numVgprs) * numLanes);
    }
}

void ProgressWatch::willWrite(const uint8_t *host, unsigned bytes, bool global) {
  Write &write = writes.emplace_back();
  write.host = host;
  write.bytes = bytes;
  write.global = global;
  std::memcpy(write.old, host, bytes);
}

void ProgressWatch::readsGlobal(const Wave &wave, const Instr &instr, uint64_t address) {
  hasReadGlobal = true;
  if (std::optional<State> &state = watched[wave.index]) {
    state->loop.read = &instr;
    state->loop.address = address;
  }
}

void ProgressWatch::settle(Group &group) {
  for (const Write &write : writes)
    if (std::memcmp(write.old, write.host, write.bytes) != 0) {
      hasChanged = true;
      group.changedGlobal |= write.global;
    }
  writes.clear();
}

void ProgressWatch::step(const Wave &wave, const Instr &instr) {
  std::optional<State> &state = watched[wave.index];
  if (!state || state->repeats)
    return;
  Loop &loop = state->loop;
  loop.firstPc = std::min(loop.firstPc, instr.pc);
  loop.lastPc = std::max(loop.lastPc, instr.pc);
  if ((instr.flags & isBranch) && wave.pc <= instr.pc)
    loop.jump = &instr;
}

void ProgressWatch::compare(const Wave &wave) {
  std::optional<State> &state = watched[wave.index];
  if (!state || state->repeats || !canRun(wave))
    return;
  const Wave &before = state->registers;
  if (!sameScalars(before, wave))
    return;
  state->repeats = std::equal(state->vectors.begin(), state->vectors.end(), wave.v[0]) &&
                   sameOps(before.pendingVm, wave.pendingVm) &&
                   sameOps(before.pendingLds, wave.pendingLds) &&
                   sameOps(before.pendingSmem, wave.pendingSmem);
}

bool ProgressWatch::allRepeat(const Group &group) const {
  bool any = false;
  for (const Wave &wave : group.waves)
    if (canRun(wave)) {
      any = true;
      if (!watched[wave.index] || !watched[wave.index]->repeats)
        return false;
    }
  return any;
}

std::string describeWaves(const Group &group) {
  std::string text;
  for (const Wave &wave : group.waves) {
    if (wave.ended)
      continue;
    text += (text.empty() ? "wave " : "; wave ") + std::to_string(wave.index);
    if (wave.halted) {
      text += " has halted itself at " + placeOf(group, wave.haltPc);
    } else if (wave.atBarrier) {
      text += " waits at the s_barrier " + placeOf(group, wave.barrierPc);
    } else if (group.watch) {
      const ProgressWatch::Loop &loop = group.watch->loopOf(wave);
      text += " repeats " + placeOf(group, loop.firstPc);
      if (loop.lastPc != loop.firstPc)
        text += " to " + placeOf(group, loop.lastPc);
      if (loop.read) {
        const Allocation *allocation = group.engine->memory->find(loop.address);
        text += ", waiting for another value of ";
        text += allocation ? "byte " + std::to_string(loop.address - allocation->base) + " of `" +
                                 allocation->name + "`"
                           : "0x" + llvm::Twine::utohexstr(loop.address).str();
        text += " (" + placeOf(group, loop.read->pc) + ")";
      }
    } else {
      text += " is at " + placeOf(group, wave.pc);
    }
  }
  return text;
}

void reportStuck(Group &group, uint64_t others) {
  Wave *first = nullptr;
  bool isBlocked = others != 0 || (group.watch && group.watch->readGlobal());
  for (Wave &wave : group.waves) {
    if (wave.ended)
      continue;
    isBlocked |= !canRun(wave);
    if (!first || (!canRun(*first) && canRun(wave)))
      first = &wave;
  }
  const Program &program = *group.engine->program;
  const Instr *at = first->halted      ? program.at(first->haltPc)
                    : first->atBarrier ? program.at(first->barrierPc)
                                       : nullptr;
  if (!at) {
    const ProgressWatch::Loop &loop = group.watch->loopOf(*first);
    at = loop.jump ? loop.jump : program.at(first->pc);
  }
  std::string rest = others ? " (and " + std::to_string(others) + " more work-groups)" : "";
  if (isBlocked)
    fault(*first, *at, CheckKind::Deadlock,
          "no wave can go on" + rest + ": " + describeWaves(group));
  else
    fault(*first, *at, CheckKind::EndlessLoop,
          "registers and memory are again what they were: " + describeWaves(group));
}

} // namespace tilec::sim

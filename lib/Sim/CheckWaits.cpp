//===- CheckWaits.cpp - registers used before their s_waitcnt -------------===//
//
// vmcnt: loads and stores complete in order. lgkmcnt: LDS operations complete in order
// among themselves, scalar loads in any order. A flat access counts in both.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include "CodeObjectImpl.h"
#include "Decode.h"
#include "Execute.h"

namespace tilec::sim {

std::string registerName(uint16_t reg, const Wave &wave) {
  if (reg < regSgpr0)
    return "vector register " + std::to_string(reg);
  if (reg == regScc)
    return "scc";
  unsigned s = reg - regSgpr0;
  if (s == sgprVcc || s == sgprVcc + 1)
    return "vcc";
  if (s == sgprM0)
    return "m0";
  if (s >= sgprExec)
    return "exec";
  return "s" + std::to_string(s);
}

/// `text` at its place.
std::string describe(const Wave &wave, const Instr &instr) {
  const Program &program = *wave.group->engine->program;
  return "`" + static_cast<const Decoded &>(*program.at(instr.pc)).text + "` at " +
         program.object().describeAddress(instr.address);
}

const Instr *WaveChecker::findLoadOf(uint16_t reg) const {
  for (const auto *queue : {&vm, &lds, &smem})
    for (const Outstanding &o : *queue)
      for (unsigned i = 0; i < o.instr->numDefs; ++i)
        if (o.writesRegisters && o.instr->defs[i].overlaps({reg, 1}))
          return o.instr;
  return nullptr;
}

void WaveChecker::checkOutstanding(Wave &wave, const Instr &instr) {
  if (numPending == 0)
    return;
  // A load may follow an outstanding load of the same kind into the same register: they complete in
  // order.
  auto inOrder = [&](uint16_t reg) {
    const Instr *load = findLoadOf(reg);
    constexpr uint32_t kinds = isVmem | isLds | isSmem | isFlat;
    return load && (instr.flags & isLoad) && !(instr.flags & isSmem) &&
           (load->flags & kinds) == (instr.flags & kinds);
  };
  auto check = [&](RegRange range, bool write) {
    for (uint16_t reg = range.first; reg < range.first + range.count; ++reg) {
      if (!pending[reg] || (write && inOrder(reg)))
        continue;
      const Instr *load = findLoadOf(reg);
      const char *counter = load && (load->flags & isVmem) ? "vmcnt" : "lgkmcnt";
      report(wave, instr, CheckKind::MissingWait, group.timingClass(), false, -1,
             registerName(reg, wave) + (write ? " is written" : " is read") + " while " +
                 (load ? describe(wave, *load) : std::string("a load")) +
                 " into it is outstanding: s_waitcnt " + counter + " is missing");
      return true;
    }
    return false;
  };
  for (unsigned i = 0; i < instr.numUses; ++i)
    if (check(instr.uses[i], false))
      return;
  for (unsigned i = 0; i < instr.numDefs; ++i)
    if (check(instr.defs[i], true))
      return;
}

void WaveChecker::noteIssue(Wave &wave, const Instr &instr) {
  uint32_t flags = instr.flags;
  currentAccess = 0;
  if (!(flags & (isVmem | isLds | isSmem)))
    return;
  if (flags & (isVmem | isSmem | isLoad | isStore)) // not lane permutations
    currentAccess = group.addAccess(wave, instr);
  Outstanding o{&instr, currentAccess, instr.numDefs != 0};
  auto add = [&](std::deque<Outstanding> &queue) {
    queue.push_back(o);
    if (!o.writesRegisters)
      return;
    for (unsigned i = 0; i < instr.numDefs; ++i)
      for (uint16_t k = 0; k < instr.defs[i].count; ++k)
        ++pending[instr.defs[i].first + k];
    ++numPending;
  };
  if (flags & isSmem)
    add(smem);
  else if (flags & isLds)
    add(lds);
  else
    add(vm);
  while (vm.size() > mostVmemInFlight)
    retireOldest(wave, vm);
  if (flags & isFlat)
    add(lds);
}

void WaveChecker::retireOldest(Wave &wave, std::deque<Outstanding> &queue) {
  Outstanding o = queue.front();
  queue.pop_front();
  if (o.writesRegisters) {
    for (unsigned i = 0; i < o.instr->numDefs; ++i)
      for (uint16_t k = 0; k < o.instr->defs[i].count; ++k)
        --pending[o.instr->defs[i].first + k];
    --numPending;
  }
  if (o.access)
    group.retireAccess(o.access);
}

void WaveChecker::noteWait(Wave &wave, const Instr &instr) {
  if (instr.waitVm >= 0)
    while (vm.size() > static_cast<size_t>(instr.waitVm))
      retireOldest(wave, vm);
  if (instr.waitLgkm < 0)
    return;
  while (lds.size() > static_cast<size_t>(instr.waitLgkm))
    retireOldest(wave, lds);
  if (instr.waitLgkm == 0)
    while (!smem.empty())
      retireOldest(wave, smem);
}

void WaveChecker::before(Wave &wave, const Instr &instr) {
  execBefore = wave.exec();
  if ((instr.traits & isWaitcnt) && instr.waitVm < 0 && instr.waitLgkm < 0 &&
      !instr.waitsForExports)
    report(wave, instr, CheckKind::EmptyWait, group.emptyWaitClass(), false, -1,
           "all fields are full, which waits for nothing; what is meant is at most vmcnt(62) or "
           "lgkmcnt(14)");
  if (instr.waitVm >= 0 || instr.waitLgkm >= 0)
    noteWait(wave, instr);
  else if (!(wave.gprIdx & 16)) { // index mode moves the numbers: not followed
    checkOutstanding(wave, instr);
    checkUndefined(wave, instr);
    bitsOfResult[0] = resultBits(wave, instr, 0);
    if (instr.dst[0].dwords == 2)
      bitsOfResult[1] = resultBits(wave, instr, 1);
  }
  checkHazards(wave, instr);
  noteIssue(wave, instr);
}

void WaveChecker::after(Wave &wave, const Instr &instr) {
  if (!(wave.gprIdx & 16)) {
    define(wave, instr);
    if (!loadedUndefined.empty())
      forgetLoadedUndefined();
    return;
  }
  // Index mode: what a moved destination receives counts as defined.
  if (!(instr.flags & isValu) || !instr.dst[0].isVgpr())
    return;
  uint32_t by = wave.gprIdx & 8 ? wave.s[sgprM0] & 0xff : 0;
  for (uint32_t k = 0; k < instr.dst[0].dwords; ++k)
    if (instr.dst[0].reg + by + k < regSgpr0)
      definedV[instr.dst[0].reg + by + k] |= execBefore;
}

} // namespace tilec::sim

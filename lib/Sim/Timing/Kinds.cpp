//===- Kinds.cpp - what the timing model asks about an instruction --------===//
//
// Takes a decoded instruction, gives its port, its latency and what it occupies; Kinds.h has the
// types.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Kinds.h"

#include "llvm/ADT/StringRef.h"

namespace tilec::sim {
namespace {

/// 32-bit integer multiplies run at a quarter of the rate.
bool isQuarterRate(llvm::StringRef name) {
  return name.starts_with("v_mul_lo_u32") || name.starts_with("v_mul_lo_i32") ||
         name.starts_with("v_mul_hi_") || name.starts_with("v_mad_u64") ||
         name.starts_with("v_mad_i64");
}

bool isPackedF32(llvm::StringRef name) {
  return name == "v_pk_mul_f32" || name == "v_pk_add_f32" || name == "v_pk_fma_f32";
}

TimedKind memoryKind(uint32_t flags) {
  if (flags & isLdsDma)
    return TimedKind::LdsDma;
  if (flags & isSmem)
    return TimedKind::Smem;
  if (flags & isLds)
    return (flags & isStore) && !(flags & isAtomic) ? TimedKind::LdsWrite : TimedKind::LdsRead;
  if (flags & isAtomic)
    return TimedKind::Atomic;
  return flags & isStore ? TimedKind::VmemStore : TimedKind::VmemLoad;
}

Port portOf(TimedKind kind) {
  switch (kind) {
  case TimedKind::Valu:
  case TimedKind::Trans:
  case TimedKind::Mfma:
    return Port::Vector;
  case TimedKind::Salu:
    return Port::Scalar;
  case TimedKind::Branch:
    return Port::Branch;
  case TimedKind::LdsRead:
  case TimedKind::LdsWrite:
    return Port::Lds;
  case TimedKind::VmemLoad:
  case TimedKind::VmemStore:
  case TimedKind::LdsDma:
  case TimedKind::Atomic:
    return Port::Memory;
  case TimedKind::Smem:
    return Port::ScalarMemory;
  default:
    return Port::Internal;
  }
}

} // namespace

TimedKind kindOf(const Instr &instr) {
  llvm::StringRef name = instr.op->name;
  if (instr.flags & isMfma)
    return TimedKind::Mfma;
  if (instr.flags & (isVmem | isLds | isSmem)) {
    bool moves = instr.flags & (isLoad | isStore | isAtomic | isLds);
    return moves ? memoryKind(instr.flags) : TimedKind::Other;
  }
  if (name == "s_barrier")
    return TimedKind::Barrier;
  if (name == "s_waitcnt")
    return TimedKind::Wait;
  if (name == "s_nop" || name == "s_sleep")
    return TimedKind::Nop;
  if (instr.flags & isBranch)
    return TimedKind::Branch;
  if (instr.flags & isValu)
    return instr.flags & isTrans || isQuarterRate(name) ? TimedKind::Trans : TimedKind::Valu;
  if (name == "s_setprio" || name == "s_endpgm")
    return TimedKind::Other;
  return instr.flags & isSalu ? TimedKind::Salu : TimedKind::Other;
}

TimedForm formOf(const Instr &instr, const TimingConstants &c) {
  TimedForm form;
  form.kind = kindOf(instr);
  form.port = portOf(form.kind);
  llvm::StringRef name = instr.op->name;
  form.packedF32 = isPackedF32(name);
  double clk = 0;
  switch (form.kind) {
  case TimedKind::Mfma:
    clk = c.matrixIssueClk;
    form.matrixClk = static_cast<unsigned>(c.passClk) * instr.passes;
    break;
  case TimedKind::Trans:
    clk = instr.flags & isTrans ? c.transClk : c.quarterRateClk;
    break;
  case TimedKind::Valu:
    clk = instr.flags & isF64 ? c.f64Clk : c.slotClk;
    break;
  default:
    break;
  }
  form.vectorClk = static_cast<unsigned>(clk);
  return form;
}

} // namespace tilec::sim

//===- KeepOffsets.cpp - buffer offsets that LLVM 22 must not split -------===//
//
// A raw buffer access adds its offsets with a carry: voffset -1 and an immediate of 1
// are out of range, not 0. Instruction selection nevertheless takes a constant out of
// `add %x, 1` whatever %x is, and loop strength reduction likes to start a counter at
// -1 and to add the 1 where it is used. Such an offset is computed in full.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KeepOffsets.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec::codegen {
namespace {

/// Whether values are negative, judged by where they come from. Sums and products of values that
/// are not negative count as such: an offset does not leave its 31 bits but by a negative part.
class Signs {
public:
  explicit Signs(const DataLayout &layout) : layout(layout) {}
  bool mayBeNegative(const Value *value);

private:
  bool anyNegative(const User &user) {
    return any_of(user.operands(), [&](const Use &use) {
      return use->getType()->isIntegerTy() && mayBeNegative(use.get());
    });
  }

  const DataLayout &layout;
  SmallPtrSet<const Value *, 16> visited; ///< a value that depends on itself adds nothing new
};

bool Signs::mayBeNegative(const Value *value) {
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return constant->isNegative();
  if (!visited.insert(value).second || computeKnownBits(value, layout).isNonNegative())
    return false;
  auto *instr = dyn_cast<Instruction>(value);
  if (!instr)
    return true; // an argument of the kernel, say
  switch (instr->getOpcode()) {
  case Instruction::Add:
  case Instruction::Mul:
  case Instruction::Or:
  case Instruction::PHI:
  case Instruction::Freeze:
  case Instruction::Trunc:
  case Instruction::SExt:
    return anyNegative(*instr);
  case Instruction::Shl:
  case Instruction::SDiv:
  case Instruction::SRem:
  case Instruction::AShr:
    return mayBeNegative(instr->getOperand(0));
  case Instruction::Select:
    return mayBeNegative(instr->getOperand(1)) || mayBeNegative(instr->getOperand(2));
  case Instruction::And: // with one side that is not negative
    return mayBeNegative(instr->getOperand(0)) && mayBeNegative(instr->getOperand(1));
  case Instruction::UDiv:
  case Instruction::URem:
  case Instruction::LShr:
    return false;
  default:
    break;
  }
  auto *call = dyn_cast<IntrinsicInst>(instr);
  if (!call)
    return true;
  switch (call->getIntrinsicID()) {
  case Intrinsic::amdgcn_workgroup_id_x:
  case Intrinsic::amdgcn_workgroup_id_y:
  case Intrinsic::amdgcn_workgroup_id_z:
  case Intrinsic::amdgcn_workitem_id_x:
  case Intrinsic::amdgcn_mbcnt_lo:
  case Intrinsic::amdgcn_mbcnt_hi:
    return false;
  case Intrinsic::amdgcn_readfirstlane:
  case Intrinsic::amdgcn_readlane:
    return mayBeNegative(call->getArgOperand(0));
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
    return mayBeNegative(call->getArgOperand(0)) || mayBeNegative(call->getArgOperand(1));
  default:
    return true;
  }
}

/// An offset as a constant and a rest.
struct Split {
  const BasicBlock *block; ///< of the access: instruction selection sees no other one
  uint32_t constant = 0;
  bool restMayBeNegative = false;

  void addRest(const Value *value, uint32_t scale, const DataLayout &layout) {
    restMayBeNegative |= int32_t(scale) < 0 || Signs(layout).mayBeNegative(value);
  }
  /// Of a sum with a negative constant LLVM makes no immediate.
  bool isAtRisk() const { return int32_t(constant) > 0 && restMayBeNegative; }
};

/// Adds scale * value, through what instruction selection reassociates and distributes.
void splitInto(Split &split, const Value *value, uint32_t scale, const DataLayout &layout) {
  auto *instr = dyn_cast<Instruction>(value);
  bool isElsewhere = instr && instr->getParent() != split.block;
  const Value *x, *y;
  const APInt *factor;
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    split.constant += scale * uint32_t(constant->getZExtValue());
  } else if (isElsewhere) {
    split.addRest(value, scale, layout);
  } else if (match(value, m_Add(m_Value(x), m_Value(y))) ||
             match(value, m_DisjointOr(m_Value(x), m_Value(y)))) {
    splitInto(split, x, scale, layout);
    splitInto(split, y, scale, layout);
  } else if (match(value, m_Mul(m_Value(x), m_APInt(factor)))) {
    splitInto(split, x, scale * uint32_t(factor->getZExtValue()), layout);
  } else if (match(value, m_Shl(m_Value(x), m_APInt(factor))) && factor->ult(32)) {
    splitInto(split, x, scale << factor->getZExtValue(), layout);
  } else {
    split.addRest(value, scale, layout);
  }
}

/// Whether a constant may be taken out of the offset and leave something negative: the whole
/// constant, or the one that is added last, where instruction selection does not join them.
bool isAtRisk(const Value *offset, const BasicBlock *block, const DataLayout &layout) {
  Split whole{block}, last{block};
  splitInto(whole, offset, 1, layout);
  const Value *x;
  const APInt *constant;
  if (match(offset, m_Add(m_Value(x), m_APInt(constant)))) {
    last.constant = uint32_t(constant->getZExtValue());
    last.addRest(x, 1, layout);
  }
  return whole.isAtRisk() || last.isAtRisk();
}

/// The operand of a raw buffer access that is its voffset, the one behind the descriptor; -1: it
/// is no such access. (Loads to LDS have an immediate of their own, and keep their offset.)
int voffsetOf(const IntrinsicInst &call) {
  StringRef name = call.getCalledFunction()->getName();
  if (!name.starts_with("llvm.amdgcn.raw.ptr.buffer.") || name.contains(".lds"))
    return -1;
  for (unsigned i = 0; i + 1 < call.arg_size(); ++i)
    if (auto *type = dyn_cast<PointerType>(call.getArgOperand(i)->getType()))
      if (type->getAddressSpace() == 8)
        return int(i) + 1;
  return -1;
}

} // namespace

char KeepOffsets::ID = 0;

bool KeepOffsets::runOnFunction(Function &function) { return keepOffsets(function); }

bool keepOffsets(Function &function) {
  bool changed = false;
  for (Instruction &instr : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&instr);
    int at = call ? voffsetOf(*call) : -1;
    if (at < 0)
      continue;
    Value *offset = call->getArgOperand(at);
    if (!isAtRisk(offset, call->getParent(), function.getDataLayout()))
      continue;
    IRBuilder<> b(call);
    auto *type = FunctionType::get(offset->getType(), {offset->getType()}, false);
    auto *hide = InlineAsm::get(type, "", "=v,0", /*hasSideEffects=*/false);
    call->setArgOperand(at, b.CreateCall(hide, {offset}));
    changed = true;
  }
  return changed;
}

} // namespace tilec::codegen

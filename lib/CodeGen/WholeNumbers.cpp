//===- WholeNumbers.cpp - floats to integers on NVIDIA ----------------------===//
//
// Of f32 and what fits into it alone: of NaN in f64 cvt makes the least integer.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WholeNumbers.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tilec::codegen {
namespace {

/// A function whose result is whole, and the conversions that round as it does.
struct Rounding {
  Intrinsic::ID function, toSigned, toUnsigned;
};
constexpr Rounding truncation = {Intrinsic::trunc, Intrinsic::nvvm_f2i_rz, Intrinsic::nvvm_f2ui_rz};
constexpr Rounding roundings[] = {
    truncation,
    {Intrinsic::roundeven, Intrinsic::nvvm_f2i_rn, Intrinsic::nvvm_f2ui_rn},
    {Intrinsic::floor, Intrinsic::nvvm_f2i_rm, Intrinsic::nvvm_f2ui_rm},
    {Intrinsic::ceil, Intrinsic::nvvm_f2i_rp, Intrinsic::nvvm_f2ui_rp},
};

const Rounding *roundingOf(const Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  return call ? find_if(roundings,
                        [&](const Rounding &rounding) {
                          return rounding.function == call->getIntrinsicID();
                        })
              : std::end(roundings);
}

Value *convert(IRBuilder<> &b, Value *value, bool isSigned) {
  const Rounding *rounding = roundingOf(value);
  if (rounding == std::end(roundings))
    rounding = &truncation;
  else
    value = cast<IntrinsicInst>(value)->getArgOperand(0);
  if (!value->getType()->isFloatTy())
    value = b.CreateFPExt(value, b.getFloatTy());
  return b.CreateIntrinsic(isSigned ? rounding->toSigned : rounding->toUnsigned, {}, {value});
}

bool isConverted(const IntrinsicInst &call) {
  return (call.getIntrinsicID() == Intrinsic::fptosi_sat ||
          call.getIntrinsicID() == Intrinsic::fptoui_sat) &&
         call.getType()->isIntegerTy(32) && !call.getArgOperand(0)->getType()->isDoubleTy();
}

} // namespace

PreservedAnalyses WholeNumbers::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<IntrinsicInst *> conversions;
  for (llvm::Instruction &instr : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instr); call && isConverted(*call))
      conversions.push_back(call);
  for (IntrinsicInst *conversion : conversions) {
    IRBuilder<> b(conversion);
    Value *value = conversion->getArgOperand(0);
    bool isSigned = conversion->getIntrinsicID() == Intrinsic::fptosi_sat;
    conversion->replaceAllUsesWith(convert(b, value, isSigned));
    conversion->eraseFromParent();
    // What is rounded for others as well stays for them.
    if (value->use_empty() && roundingOf(value) != std::end(roundings))
      cast<IntrinsicInst>(value)->eraseFromParent();
  }
  return conversions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace tilec::codegen

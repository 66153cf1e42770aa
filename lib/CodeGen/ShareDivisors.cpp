//===- ShareDivisors.cpp - quotients by one divisor -------------------------===//
//
// With r the rounded reciprocal of s, q0 = x r, e = q0 s - x and q = q0 - e r, each rounded once, q
// is x / s correctly rounded for all x and s, so long as nothing over- or underflows on the way:
// DivisorTest.cpp computes all quotients that lie close enough to the middle of two numbers for the
// errors of r and q0 to matter. (Brisebarre, Muller, Raina, "Accelerating correctly rounded
// floating-point division when the divisor is known in advance", IEEE ToC 53, 2004, has the
// method.)
//
// Whether something did is asked once for a group of quotients, which a branch then computes anew:
//
//   s in [2^-100, 2^24]              r is no denormal, and no quotient of a large number
//   q is finite                      nothing has overflowed, x is no infinity
//   x = 0 or |x| >= 2^-100           e is a number and q no denormal; unless q is rounded to an
//                                    integer, which then is 0, with the sign of x
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ShareDivisors.h"

#include "LargeCode.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilec::codegen {
namespace {

constexpr double leastDivisor = 0x1p-100, largestDivisor = 0x1p24;
/// The bits of 2^-100, without a sign and shifted to the left.
constexpr uint32_t leastNumerator = (127 - 100) << 24;
/// A reciprocal and the questions cost as much as two quotients. What a branch may compute anew
/// stays in registers until it is decided.
constexpr size_t leastQuotients = 4, mostQuotients = 16;

using Quotients = SmallVector<BinaryOperator *, 16>;

bool isExact(const llvm::Instruction &instr) {
  return instr.getOpcode() == llvm::Instruction::FDiv && instr.getType()->isFloatTy() &&
         !instr.hasAllowReciprocal() && !instr.hasApproxFunc();
}

/// Whether only the integers next to a value count.
bool isRoundedToInteger(const Value &value) {
  return all_of(value.users(), [](const User *user) {
    auto *call = dyn_cast<IntrinsicInst>(user);
    switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::roundeven:
    case Intrinsic::round:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat:
      return true;
    default:
      return false;
    }
  });
}

/// Quotients by one divisor, each group of those whose numerators are there at its first.
SmallVector<Quotients> groupsOf(ArrayRef<BinaryOperator *> quotients) {
  SmallVector<Quotients> groups;
  SmallPtrSet<BinaryOperator *, 16> taken;
  for (auto [n, first] : enumerate(quotients)) {
    if (taken.contains(first))
      continue;
    Quotients group;
    for (BinaryOperator *quotient : quotients.drop_front(n)) {
      auto *numerator = dyn_cast<llvm::Instruction>(quotient->getOperand(0));
      bool isThere = !numerator || numerator->getParent() != first->getParent() ||
                     numerator->comesBefore(first);
      if (isThere && !taken.contains(quotient) && group.size() < mostQuotients)
        group.push_back(quotient);
    }
    taken.insert_range(group);
    if (group.size() >= leastQuotients)
      groups.push_back(std::move(group));
  }
  return groups;
}

/// What is computed once for a divisor.
struct Divisor {
  Value *value, *reciprocal, *isInRange;
};

Divisor prepare(IRBuilder<> &b, Value *value) {
  auto number = [&](double x) { return ConstantFP::get(value->getType(), x); };
  Value *isInRange = b.CreateAnd(b.CreateFCmpOGE(value, number(leastDivisor)),
                                 b.CreateFCmpOLE(value, number(largestDivisor)));
  return {value, b.CreateFDiv(number(1), value), isInRange};
}

/// As a tree, which takes few steps.
Value *sumOf(IRBuilder<> &b, ArrayRef<Value *> values) {
  if (values.size() == 1)
    return values.front();
  size_t half = values.size() / 2;
  return b.CreateFAdd(sumOf(b, values.take_front(half)), sumOf(b, values.drop_front(half)));
}

/// Of a sum: whether all its terms are. One of large numbers may be infinite without them, which
/// costs time alone.
Value *isFinite(IRBuilder<> &b, Value *value) {
  Value *size = b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  return b.CreateFCmpOLT(size, ConstantFP::getInfinity(value->getType()));
}

void divide(IRBuilder<> &b, const Quotients &group, const Divisor &divisor) {
  Type *type = b.getFloatTy();
  auto fma = [&](Value *x, Value *y, Value *z) {
    return b.CreateIntrinsic(Intrinsic::fma, {type}, {x, y, z});
  };
  Value *minus = b.CreateFNeg(divisor.reciprocal), *least = nullptr;
  SmallVector<Value *> quick;
  for (BinaryOperator *quotient : group) {
    Value *x = quotient->getOperand(0), *first = b.CreateFMul(x, divisor.reciprocal);
    // This way around a zero keeps its sign: the residual is 0, and minus its product -0.
    Value *residual = fma(first, divisor.value, b.CreateFNeg(x));
    quick.push_back(fma(residual, minus, first));
    if (isRoundedToInteger(*quotient))
      continue;
    Value *bits = b.CreateShl(b.CreateBitCast(x, b.getInt32Ty()), 1);
    bits = b.CreateSub(bits, b.getInt32(1)); // 0 is the largest
    least = least ? b.CreateBinaryIntrinsic(Intrinsic::umin, least, bits) : bits;
  }
  Value *isRight = b.CreateAnd(divisor.isInRange, isFinite(b, sumOf(b, quick)));
  if (least)
    isRight = b.CreateAnd(isRight, b.CreateICmpUGE(least, b.getInt32(leastNumerator - 1)));

  BasicBlock *head = b.GetInsertBlock();
  llvm::Instruction *end =
      SplitBlockAndInsertIfThen(b.CreateNot(isRight), b.GetInsertPoint(), /*Unreachable=*/false,
                                MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  IRBuilder<> anew(end), behind(end->getSuccessor(0), end->getSuccessor(0)->begin());
  for (auto [quotient, value] : zip(group, quick)) {
    PHINode *phi = behind.CreatePHI(type, 2);
    phi->addIncoming(value, head);
    phi->addIncoming(anew.CreateFDiv(quotient->getOperand(0), divisor.value), end->getParent());
    quotient->replaceAllUsesWith(phi);
  }
  for (BinaryOperator *quotient : group)
    quotient->eraseFromParent();
}

} // namespace

PreservedAnalyses ShareDivisors::run(Function &function, FunctionAnalysisManager &) {
  if (isLarge(function))
    return PreservedAnalyses::all();
  bool changed = false;
  for (BasicBlock &block : make_early_inc_range(function)) {
    MapVector<Value *, SmallVector<BinaryOperator *>> byDivisor;
    for (llvm::Instruction &instr : block)
      if (isExact(instr))
        byDivisor[instr.getOperand(1)].push_back(cast<BinaryOperator>(&instr));
    // All groups first: a group's blocks end what an instruction comes before.
    SmallVector<SmallVector<Quotients>> groups;
    for (const auto &[divisor, quotients] : byDivisor)
      groups.push_back(groupsOf(quotients));
    for (const SmallVector<Quotients> &ofOne : groups) {
      std::optional<Divisor> divisor;
      for (const Quotients &group : ofOne) {
        IRBuilder<> b(group.front());
        if (!divisor)
          divisor = prepare(b, group.front()->getOperand(1));
        divide(b, group, *divisor);
        changed = true;
      }
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen

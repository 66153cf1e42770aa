//===- JoinBases.cpp - one base for neighbouring addresses ----------------===//
//
// Sums that do not overflow and bits that do not meet are taken apart; addresses whose parts are
// the same but for a constant are neighbours. `x | C` is x without the bits of C, and C.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "JoinBases.h"

#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/TargetParser/Triple.h"

#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec::codegen {
namespace {

constexpr unsigned mostParts = 8; // of an offset

/// A value without the bits of `taken`.
using Part = std::pair<Value *, uint64_t>;
using Key = std::pair<Value *, std::vector<Part>>;

/// base + parts + constant, in bytes.
struct Address {
  Value *base = nullptr;
  SmallVector<Part, 4> parts;
  uint64_t constant = 0;

  Key key() const {
    std::vector<Part> sorted(parts.begin(), parts.end());
    llvm::sort(sorted);
    return {base, sorted};
  }
  /// Whether LLVM sees no sum in it.
  bool isHidden() const {
    return any_of(parts, [](const Part &part) { return part.second != 0; });
  }
};

/// Bits that do not meet are not always said to be such.
bool isSum(Value *value, Value *&left, Value *&right, const DataLayout &layout) {
  return match(value, m_NUWAdd(m_Value(left), m_Value(right))) ||
         match(value, m_DisjointOr(m_Value(left), m_Value(right))) ||
         (match(value, m_Or(m_Value(left), m_Value(right))) &&
          haveNoCommonBitsSet(left, right, SimplifyQuery(layout)));
}

std::optional<Address> addressOf(GetElementPtrInst &gep, const DataLayout &layout) {
  Value *offset;
  if (!gep.getSourceElementType()->isIntegerTy(8) || gep.getNumIndices() != 1 ||
      !match(gep.getOperand(1), m_ZExt(m_Value(offset))))
    return std::nullopt;
  Address address{gep.getPointerOperand(), {}, 0};
  SmallVector<Value *, 4> work = {offset};
  while (!work.empty()) {
    Value *value = work.pop_back_val(), *left, *right;
    const APInt *set;
    if (isSum(value, left, right, layout)) {
      work.append({left, right});
    } else if (auto *constant = dyn_cast<ConstantInt>(value)) {
      address.constant += constant->getZExtValue();
    } else if (match(value, m_Or(m_Value(left), m_APInt(set)))) {
      // InstCombine drops a mask of bits that are set behind it.
      APInt taken = *set & ~computeKnownBits(left, layout).Zero;
      address.parts.push_back({left, taken.getZExtValue()});
      address.constant += set->getZExtValue();
    } else {
      address.parts.push_back({value, 0});
    }
    if (address.parts.size() > mostParts)
      return std::nullopt;
  }
  return address;
}

} // namespace

PreservedAnalyses JoinBases::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!Triple(function.getParent()->getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  std::map<Key, std::pair<GetElementPtrInst *, uint64_t>> bases;
  SmallVector<std::pair<GetElementPtrInst *, Address>> all;
  for (Instruction &instr : instructions(function))
    if (auto *gep = dyn_cast<GetElementPtrInst>(&instr))
      if (std::optional<Address> address = addressOf(*gep, function.getDataLayout())) {
        if (address->constant == 0 || address->isHidden())
          bases.try_emplace(address->key(), gep, address->constant);
        all.push_back({gep, *address});
      }
  bool changed = false;
  for (auto &[gep, address] : all) {
    auto found = bases.find(address.key());
    if (found == bases.end())
      continue;
    auto [base, constant] = found->second;
    if (base == gep || !dominators.dominates(base, gep))
      continue;
    IRBuilder<> b(gep);
    gep->replaceAllUsesWith(
        b.CreateGEP(b.getInt8Ty(), base, b.getInt64(address.constant - constant)));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen

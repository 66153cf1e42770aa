//===- WordPhis.cpp - bytes that live from round to round ------------------===//
//
// Takes a function, gives it with each such phi replaced by one of words, cast back behind it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WordPhis.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilec::codegen {

static FixedVectorType *wordsOf(PHINode &phi) {
  constexpr unsigned byteBits = 8, wordBits = 32;
  auto *type = dyn_cast<FixedVectorType>(phi.getType());
  if (!type || !type->getElementType()->isIntegerTy(byteBits))
    return nullptr;
  unsigned bits = type->getNumElements() * byteBits;
  return bits % wordBits == 0
             ? FixedVectorType::get(Type::getInt32Ty(phi.getContext()), bits / wordBits)
             : nullptr;
}

PreservedAnalyses WordPhis::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<PHINode *> phis;
  for (BasicBlock &block : function)
    for (PHINode &phi : block.phis())
      if (wordsOf(phi))
        phis.push_back(&phi);
  if (phis.empty())
    return PreservedAnalyses::all();
  // Of phis that give values to each other all are there first.
  for (PHINode *phi : phis) {
    IRBuilder<> b(phi);
    PHINode *words = b.CreatePHI(wordsOf(*phi), phi->getNumIncomingValues());
    b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    phi->replaceAllUsesWith(b.CreateBitCast(words, phi->getType()));
    for (auto [value, from] : zip(phi->incoming_values(), phi->blocks())) {
      b.SetInsertPoint(from->getTerminator());
      words->addIncoming(b.CreateBitCast(value, words->getType()), from);
    }
    phi->eraseFromParent();
  }
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace tilec::codegen

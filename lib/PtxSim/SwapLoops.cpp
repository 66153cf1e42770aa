//===- SwapLoops.cpp - loads that begin a loop of compare-and-swap --------===//
//
// Takes a kernel, marks the loads that only guess what a compare-and-swap will find there: the swap
// compares, so what they read may be old, and bytes that the swap puts back may be anything (LLVM's
// AtomicExpand). The register of an address holds one value, as LLVM writes PTX.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace tilec::ptx {

void markSwapLoops(Program &program) {
  if (!program.hasSwaps)
    return;
  for (Instruction &swap : program.code) {
    if (!swap.isSwap || swap.args.size() < 4)
      continue;
    const Operand &place = swap.args[1];
    SmallVector<uint32_t, 4> compared = {swap.args[2].reg};
    for (const Instruction &move : program.code)
      if (StringRef(move.text).starts_with("mov.b") && move.args.size() == 2 &&
          move.args[0].reg == swap.args[2].reg)
        compared.push_back(move.args[1].reg);
    for (Instruction &load : program.code) {
      if (!load.isLoad || load.n != 1 || load.space != swap.space ||
          bytesOf(load.type) != bytesOf(swap.type))
        continue;
      bool isSamePlace = load.args[1].reg == place.reg && load.args[1].offset == place.offset;
      if (!isSamePlace || !is_contained(compared, load.args[0].reg))
        continue;
      load.isGuess = swap.hasGuess = true;
    }
  }
}

} // namespace tilec::ptx

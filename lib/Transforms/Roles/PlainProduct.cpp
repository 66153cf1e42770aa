//===- PlainProduct.cpp - loops that do nothing but copy and multiply -----===//
//
// Recognises them; PlainProduct.h says what they are.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/PlainProduct.h"

#include "tilec/Transforms/Strategy.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

tile::ForOp onlyLoop(tile::KernelOp kernel) {
  tile::ForOp only;
  bool isOne = true;
  kernel.walk([&](tile::ForOp loop) {
    isOne &= !only && loop->getParentOp() == kernel;
    only = loop;
  });
  return isOne ? only : tile::ForOp();
}

bool choosesRounds(const TargetInfo &chip, StringRef strategy) {
  return chip.tensorCopies && !chip.groups.empty() && (strategy.empty() || strategy == "auto");
}

tile::GemmOp onlyGemmOf(tile::ForOp loop) {
  tile::GemmOp only;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
      unsigned bits = bitsOf(tile::dtypeOf(gemm.getA().getType().getElementType()));
      bool isForWarpGroups = bits <= 16 || (bits == 32 && gemm.getTfloat32());
      if (only || gemm.getClear() || !isForWarpGroups)
        return {};
      only = gemm;
      continue;
    }
    auto copy = dyn_cast<tile::CopyOp>(op);
    bool brings = copy && copy.getSrc().getType().isGlobal() && copy.getDst().getType().isShared();
    if (!brings && !(isMemoryEffectFree(&op) && op.getNumRegions() == 0))
      return {};
  }
  return only;
}

bool isFreeLoop(tile::ForOp loop) {
  SmallVector<StringRef, 4> names;
  loop.getStrategy().value_or("").split(names, ' ', -1, /*KeepEmpty=*/false);
  bool isNamed = llvm::any_of(
      names, [](StringRef name) { return name == "exact" || isProductStrategy(name); });
  return !isNamed && loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() >= 2 &&
         !loop.getExact() && tile::constantInt(loop.getLower()) == 0 &&
         tile::constantInt(loop.getStep()) == 1 && tile::constantInt(loop.getUpper());
}

} // namespace tilec

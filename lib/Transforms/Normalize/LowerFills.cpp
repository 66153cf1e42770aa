//===- LowerFills.cpp - fills of boxes, element by element ----------------===//
//
// Takes fills of anything else than a whole fragment or shared tile, gives parallels.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_LOWERFILLSPASS
#include "tilec/Transforms/Passes.h.inc"

static void lowerFills(tile::ProgramOp program) {
  SmallVector<Operation *> fills;
  program.walk([&](tile::FillOp fill) {
    if (!isWholeTile(fill.getDst()))
      fills.push_back(fill);
  });
  for (Operation *fill : fills)
    replaceByLoop(fill);
}

namespace {
struct LowerFillsPass : impl::LowerFillsPassBase<LowerFillsPass> {
  void runOnOperation() override { lowerFills(getOperation()); }
};
} // namespace

} // namespace tilec

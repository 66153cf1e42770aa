//===- FollowPieces.cpp - loops over a piece of a fragment ---------------===//
//
// Takes loops whose fragments do not say who runs an iteration, but of which one is read in a piece
// at a constant place, gives them the layout of the piece.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Windows.h"
#include "Layouts/LoopLayout.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FOLLOWPIECESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The lanes that have the piece run the loop, if these have all that it needs.
void followPiece(tile::ElementLoop loop) {
  if (layoutFromFragments(loop))
    return;
  std::optional<FragmentLayout> layout = layoutFromWindow(loop);
  bool serves =
      layout && llvm::all_of(fragmentReadsAndWrites(loop), [&](const ElementAccess &access) {
        const FragmentLayout *own = fragmentLayoutOf(access.buffer);
        return own && matchRegisters(*layout, *own, access.indices, loop, {});
      });
  if (serves)
    loop.setLayoutAttr(tile::FragmentLayoutAttr::get(loop.getContext(), *layout));
}

struct FollowPiecesPass : impl::FollowPiecesPassBase<FollowPiecesPass> {
  void runOnOperation() override {
    getOperation().walk([](tile::ElementLoop loop) { followPiece(loop); });
  }
};

} // namespace

} // namespace tilec

//===- LowerCopies.cpp - copies of registers, element by element ----------===//
//
// Takes copies that touch a fragment or local buffer, gives loops over elements: a tile.move each.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "tilec/Transforms/Passes.h.inc"

static bool isInRegisters(Value buffer) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return type.isFragment() || type.isLocal();
}

static void lowerCopies(tile::ProgramOp program) {
  SmallVector<tile::CopyOp> copies;
  program.walk([&](tile::CopyOp copy) {
    if (isInRegisters(copy.getSrc()) || isInRegisters(copy.getDst()))
      copies.push_back(copy);
  });
  for (tile::CopyOp copy : copies) {
    OpBuilder builder(copy);
    moveElements(builder, copy.getLoc(), copy.getSrc(), copy.getDst());
    copy.erase();
  }
}

namespace {
struct LowerCopiesPass : impl::LowerCopiesPassBase<LowerCopiesPass> {
  void runOnOperation() override { lowerCopies(getOperation()); }
};
} // namespace

} // namespace tilec

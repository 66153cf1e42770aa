//===- Masks.cpp - loops that choose elements by their place ---------------===//
//
// What is asked of loops in front of a gemm, and behind it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Masks.h"

#include "Layouts/Stores.h"
#include "Roles/Corner.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {

std::optional<Masking> maskingOf(tile::ElementLoop loop) {
  if (!loop.constantExtents())
    return std::nullopt;
  Masking masking{loop, onlyStore(loop)};
  if (!masking.store || !masking.buffer().getDefiningOp<tile::AllocOp>())
    return std::nullopt;
  auto type = cast<tile::BufferType>(masking.buffer().getType());
  if (!type.isFragment() || ArrayRef<int64_t>(*loop.constantExtents()) != type.getShape() ||
      !llvm::equal(masking.store.getIndices(), loop.ivs()))
    return std::nullopt;
  return masking;
}

bool isOldElement(Value value, const Masking &masking) {
  auto load = value.getDefiningOp<tile::LoadOp>();
  return load && load.getBuffer() == masking.buffer() &&
         llvm::equal(load.getIndices(), tile::StoreOp(masking.store).getIndices());
}

bool isMask(tile::ElementLoop loop) {
  std::optional<Masking> masking = maskingOf(loop);
  std::optional<Choice> choice =
      masking ? choiceOf(masking->store.getValue()) : std::optional<Choice>();
  return choice &&
         (isOldElement(choice->whenTrue, *masking) || isOldElement(choice->whenFalse, *masking));
}

tile::GemmOp gemmAfter(Operation *fill, Value buffer) {
  for (Operation *op = fill->getNextNode(); op; op = op->getNextNode()) {
    Accesses accesses = accessesOf(op);
    if (!llvm::is_contained(accesses.reads, buffer) && !llvm::is_contained(accesses.writes, buffer))
      continue;
    auto gemm = dyn_cast<tile::GemmOp>(op);
    return gemm && gemm.getC() == buffer && !gemm.getClear() ? gemm : tile::GemmOp();
  }
  return {};
}

} // namespace tilec

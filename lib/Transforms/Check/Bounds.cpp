//===- Bounds.cpp - accesses that certainly leave an on-chip buffer -------===//
//
// Certain means: nothing guards the access, and the index is a linear form of loop
// variables and block coordinates whose ranges are known, so that its extremes occur.
// What is not certain is checked when the kernel runs (cpu device, simulator).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Check/Check.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// Whether every value between the bounds of rangeOf occurs for this loop variable or coordinate.
bool runsThrough(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto kernel = dyn_cast<tile::KernelOp>(parent))
    return tile::constantInt(kernel.getGrid()[number]).has_value();
  if (auto parallel = dyn_cast<tile::ParallelOp>(parent))
    return tile::constantInt(parallel.getExtents()[number]).has_value();
  auto loop = dyn_cast<tile::ForOp>(parent);
  if (!loop)
    return false;
  auto lower = tile::constantInt(loop.getLower()), upper = tile::constantInt(loop.getUpper());
  auto step = tile::constantInt(loop.getStep());
  return lower && upper && step && *step > 0 && *lower < *upper;
}

/// Whether the access happens whenever its kernel runs.
bool isCertain(Operation *op) {
  for (Operation *at = op->getParentOp(); at && !isa<tile::KernelOp>(at); at = at->getParentOp()) {
    if (isa<scf::IfOp, tile::WhileOp>(at))
      return false;
    if (auto parallel = dyn_cast<tile::ParallelOp>(at)) {
      if (!parallel.constantExtents())
        return false;
    } else if (auto loop = dyn_cast<tile::ForOp>(at)) {
      auto range = rangeOf(loop.iv());
      bool breaks =
          loop->walk([](tile::BreakOp) { return WalkResult::interrupt(); }).wasInterrupted();
      if (!range || !runsThrough(loop.iv()) || breaks)
        return false;
    }
  }
  return true;
}

struct Outside {
  size_t dim;
  int64_t index, extent;
};

std::optional<Outside> findOutside(tile::BufferType type, ValueRange indices) {
  for (auto [d, index] : llvm::enumerate(indices)) {
    LinearForm form = linearize(index);
    std::optional<IndexRange> range = rangeOf(index);
    bool isExact = llvm::all_of(form.terms, [](auto &term) { return runsThrough(term.first); });
    if (!range || !isExact)
      continue;
    int64_t extent = type.getShape()[d];
    if (range->high >= extent)
      return Outside{d, range->high, extent};
    if (range->low < 0)
      return Outside{d, range->low, extent};
  }
  return std::nullopt;
}

} // namespace

LogicalResult checkBounds(tile::KernelOp kernel) {
  bool isLegal = true;
  kernel.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    if (!access)
      return;
    Value buffer = access->buffer;
    tile::BufferType type = access->type();
    if (type.isGlobal() || !type.hasStaticShape() || !isCertain(op))
      return;
    std::optional<Outside> outside = findOutside(type, access->indices);
    if (!outside)
      return;
    isLegal = false;
    Reported message(op, DiagId::IndexReachedOutside, outside->index, nameOfRoot(buffer),
                     outside->dim, outside->extent);
    if (Operation *alloc = buffer.getDefiningOp())
      message.note(alloc, DiagId::AllocatedHere, nameOfRoot(buffer));
  });
  return success(isLegal);
}

} // namespace tilec

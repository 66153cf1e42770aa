//===- JoinRowCopies.cpp - rows that a serial loop copies ------------------===//
//
//   for i: copy(A[ids[i], k], t[i, :])   becomes   parallel (i, j) { t[i, j] = A[ids[i], k + j] }
//
// and so do rows of a tile that go to a tensor,
//
// so that all threads bring rows at a time, and the tile is filled by one operation, which may run
// ahead of its round as others do. Pages, several rows each, are the same with i / rows and
// i % rows.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_JOINROWCOPIESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The rows of a tile that each iteration copies, whole, one iteration's behind the other's.
struct Rows {
  int64_t dim = -1; ///< of the tile
  int64_t count = 0;

  bool operator==(const Rows &) const = default;
};

/// Of the view, in each dimension of the root.
SmallVector<int64_t> extentsOf(const BufferBox &box, Value view) {
  SmallVector<int64_t> extents(box.offsets.size(), 1);
  for (auto [dim, extent] :
       llvm::zip_equal(box.dims, cast<tile::BufferType>(view.getType()).getShape()))
    extents[dim] = extent;
  return extents;
}

std::optional<Rows> rowsOf(Value view, tile::ForOp loop) {
  BufferBox box = boxOf(view);
  auto tile = box.root.getDefiningOp<tile::AllocOp>();
  ArrayRef<int64_t> shape = box.rootType().getShape();
  if (!tile || loop->isAncestor(tile) || box.rootType().isLocal() || shape.size() < 2)
    return std::nullopt;
  SmallVector<int64_t> extents = extentsOf(box, view);
  Rows rows;
  for (auto [d, offset] : llvm::enumerate(box.offsets)) {
    LinearForm form = linearize(offset);
    bool varies = llvm::any_of(form.terms, [&](auto term) {
      return term.second != 0 && loop.getBody().isAncestor(term.first.getParentRegion());
    });
    bool isLast = d + 1 == shape.size();
    bool isVariable = form.constant == 0 && form.terms.size() == 1 &&
                      form.coefficient(loop.iv()) == extents[d] && !isLast;
    bool isWhole = form.constant == 0 && form.terms.empty() && extents[d] == shape[d];
    if (isVariable && rows.dim < 0)
      rows = {int64_t(d), extents[d]};
    else if (isLast ? !isWhole : varies || extents[d] != 1)
      return std::nullopt;
  }
  return rows.dim < 0 ? std::nullopt : std::optional(rows);
}

/// Whether each iteration writes elements of its own, as one dimension's place says.
bool isApart(Value view, tile::ForOp loop) {
  BufferBox box = boxOf(view);
  SmallVector<int64_t> extents = extentsOf(box, view);
  return llvm::any_of(llvm::enumerate(box.offsets), [&](auto place) {
    LinearForm form = linearize(place.value());
    return form.coefficient(loop.iv()) >= extents[place.index()] &&
           llvm::none_of(form.terms, [&](auto term) {
             return term.first != loop.iv() && term.second != 0 &&
                    loop.getBody().isAncestor(term.first.getParentRegion());
           });
  });
}

/// The view of the tile, whose rows a tensor gives or takes.
Value tileOf(tile::CopyOp copy) {
  return copy.getSrc().getType().isGlobal() ? copy.getDst() : copy.getSrc();
}

/// Whether rows of a tile go to the tensor, in any order, as nothing else of the loop minds.
bool storesRows(tile::CopyOp copy, tile::ForOp loop) {
  return copy.getDst().getType().isGlobal() && !copy.getSrc().getType().isGlobal() &&
         isApart(copy.getDst(), loop) && llvm::all_of(*loop.bodyBlock(), [&](Operation &op) {
           auto load = dyn_cast<tile::LoadOp>(op);
           return &op == copy ||
                  (!isa<tile::CopyOp>(op) &&
                   !(load && isChangedBy({rootOf(copy.getDst())}, rootOf(load.getBuffer()))));
         });
}

/// The copies of a loop that does nothing but copy rows of tensors, at places that arithmetic and
/// tensors say, or to such places.
SmallVector<tile::CopyOp, 2> rowCopiesOf(tile::ForOp loop) {
  if (!countsOn(loop))
    return {};
  SmallVector<tile::CopyOp, 2> copies;
  for (Operation &op : *loop.bodyBlock()) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    std::optional<Rows> rows = copy ? rowsOf(tileOf(copy), loop) : std::nullopt;
    // Of two copies to one tile the later one stays the later one for each row.
    bool isAlike = rows && llvm::all_of(copies, [&](tile::CopyOp other) {
                     return rootOf(other.getDst()) != rootOf(copy.getDst()) ||
                            rowsOf(other.getDst(), loop) == rows;
                   });
    if (isAlike && (copy.getSrc().getType().isGlobal() ? !copy.getDst().getType().isGlobal()
                                                       : storesRows(copy, loop)))
      copies.push_back(copy);
    else if (!(load && load.getBuffer().getType().isGlobal()) &&
             (op.getNumRegions() != 0 || !isPure(&op)))
      return {};
  }
  return copies;
}

void join(tile::ForOp loop, tile::CopyOp copy) {
  Rows rows = *rowsOf(tileOf(copy), loop);
  Location loc = copy.getLoc();
  OpBuilder builder(loop), beside(copy);
  tile::ParallelOp piece = expandCopy(beside, loc, copy.getSrc(), copy.getDst());
  bool isStored = copy.getDst().getType().isGlobal();
  auto indicesOfTile = [&](tile::ParallelOp parallel) {
    if (!isStored)
      return (*parallel.bodyBlock()->getOps<tile::StoreOp>().begin()).getIndicesMutable();
    auto loads = parallel.bodyBlock()->getOps<tile::LoadOp>();
    return (*llvm::find_if(
                loads,
                [&](tile::LoadOp load) { return load.getBuffer() == rootOf(copy.getSrc()); }))
        .getIndicesMutable();
  };
  auto extentsOfPiece = *piece.constantExtents();
  auto constant = [&](OpBuilder &b, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  // The piece's variable that counts its rows; a single row may have none.
  auto counts = [&](Value variable) {
    return linearize(indicesOfTile(piece)[rows.dim].get()).coefficient(variable) != 0;
  };
  SmallVector<Value> extents{constant(builder, *tile::constantInt(loop.getUpper()) * rows.count)};
  SmallVector<Value> others;
  Value ofRow;
  for (auto [variable, extent] : llvm::zip_equal(piece.ivs(), extentsOfPiece)) {
    if (counts(variable)) {
      ofRow = variable;
      continue;
    }
    others.push_back(variable);
    extents.push_back(constant(builder, extent));
  }
  auto parallel = tile::ParallelOp::create(builder, loc, extents);
  OpBuilder inside = OpBuilder::atBlockEnd(parallel.bodyBlock());
  Value row = parallel.ivs().front(), number = row;
  IRMapping mapping;
  if (rows.count != 1)
    number = arith::DivUIOp::create(inside, loc, row, constant(inside, rows.count));
  mapping.map(loop.iv(), number);
  if (ofRow && rows.count == 1)
    mapping.map(ofRow, constant(inside, 0));
  else if (ofRow)
    mapping.map(ofRow,
                Value(arith::RemUIOp::create(inside, loc, row, constant(inside, rows.count))));
  for (auto [variable, all] : llvm::zip_equal(others, parallel.ivs().drop_front()))
    mapping.map(variable, Value(all));
  for (Operation &op : *loop.bodyBlock()) {
    if (&op == piece)
      break;
    if (!isa<tile::CopyOp>(op))
      inside.clone(op, mapping);
  }
  for (Operation &op : *piece.bodyBlock())
    inside.clone(op, mapping);
  indicesOfTile(parallel)[rows.dim].assign(row);
  piece->erase();
}

struct JoinRowCopiesPass : impl::JoinRowCopiesPassBase<JoinRowCopiesPass> {
  void runOnOperation() override {
    SmallVector<std::pair<tile::ForOp, SmallVector<tile::CopyOp, 2>>> found;
    getOperation().walk([&](tile::ForOp loop) {
      if (loop->getParentOfType<tile::ParallelOp>() ||
          loop->getParentOfType<tile::KernelOp>().getLockstep())
        return;
      if (auto copies = rowCopiesOf(loop); !copies.empty())
        found.emplace_back(loop, copies);
    });
    for (auto &[loop, copies] : found) {
      for (tile::CopyOp copy : copies)
        join(loop, copy);
      loop.erase();
    }
  }
};

} // namespace

} // namespace tilec

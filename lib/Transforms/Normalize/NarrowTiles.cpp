//===- NarrowTiles.cpp - tiles no wider than their tensors ----------------===//
//
// A tile that is written as wide as a large tensor wants it, beside one that has less:
//
//   B_s: 64 x 256, C: 128 x 256; copy(W[k * 64, bx * 256], B_s); gemm(A_s, B_s, C)
//   copy(C, Y[by * 128, bx * 256])                      where W and Y have 128 columns, bx is 0
//
// Columns of C behind the 128th depend on those of B_s alone and get nowhere: both tiles lose them,
// in registers, shared memory and matrix instructions. Dimensions of tiles that copies, fills and
// products put in the place of each other are one here; such a one is cut where all tensors that
// get it end before, and every op on it is one of these.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_NARROWTILESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Columns of the narrowest product whose waves have whole matrix instructions each, however they
/// share it: of 16, and one side of the tile may be all of theirs, of waves as narrow as any
/// chip's; a panel of shared memory.
constexpr int64_t leastOfWave = 16, leastOfTile = 64;

using Dim = std::pair<Operation *, int64_t>; // of an allocation

class NarrowTiles {
public:
  explicit NarrowTiles(tile::KernelOp kernel) : kernel(kernel) {}

  void run();

private:
  void visit(Operation *user, tile::AllocOp tile);
  void visitCopy(tile::CopyOp copy, tile::AllocOp tile);
  void visitGemm(tile::GemmOp gemm, tile::AllocOp tile);
  /// Of a tile that goes to the tensor's box; both have their dimensions in the same order.
  void noteStored(tile::SubviewOp box, tile::AllocOp tile);
  void keep(Dim dim) { kept.insert(dim); }
  void keepAll(tile::AllocOp tile);
  int64_t sizeOf(Dim dim) {
    return cast<tile::AllocOp>(dim.first).getResult().getType().getShape()[dim.second];
  }
  /// The new size of a class; nothing where it stays.
  std::optional<int64_t> narrowed(ArrayRef<Dim> dims);
  void rewrite(const llvm::MapVector<Dim, int64_t> &sizes);

  tile::KernelOp kernel;
  llvm::EquivalenceClasses<Dim> same;
  llvm::SetVector<Dim> all, kept;
  llvm::DenseMap<Dim, int64_t> stored; ///< elements of it that tensors get
};

/// Dimensions of more than one element.
SmallVector<int64_t, 4> realDims(tile::BufferType type) {
  SmallVector<int64_t, 4> dims;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      dims.push_back(d);
  return dims;
}

tile::AllocOp wholeTile(Value buffer) {
  auto alloc = buffer.getDefiningOp<tile::AllocOp>();
  return alloc && !alloc.getResult().getType().isLocal() ? alloc : tile::AllocOp();
}

/// A box of a tensor, as large as its type says.
tile::SubviewOp boxOf(Value buffer) {
  auto box = buffer.getDefiningOp<tile::SubviewOp>();
  if (!box || !box.getSource().getType().isGlobal() || !box.getType().hasStaticShape())
    return {};
  Value source = box.getSource();
  if (auto shape = source.getDefiningOp<tile::ReshapeOp>())
    source = shape.getSource();
  return source.getDefiningOp<tile::TensorOp>() ? box : tile::SubviewOp();
}

void NarrowTiles::keepAll(tile::AllocOp tile) {
  for (int64_t d = 0; d < tile.getResult().getType().rank(); ++d)
    keep({tile, d});
}

void NarrowTiles::noteStored(tile::SubviewOp box, tile::AllocOp tile) {
  ArrayRef<int64_t> dropped = box.getDropped();
  SmallVector<int64_t, 4> ofBox; // dimension of the source for each one of the box
  for (int64_t d = 0; d < box.getSource().getType().rank(); ++d)
    if (!llvm::is_contained(dropped, d))
      ofBox.push_back(d);
  SmallVector<int64_t, 4> real = realDims(box.getType());
  for (auto [n, d] : llvm::enumerate(realDims(tile.getResult().getType()))) {
    Dim dim(tile, d);
    int64_t inSource = ofBox[real[n]], size = sizeOf(dim);
    int64_t extent = box.getSource().getType().getShape()[inSource];
    std::optional<IndexRange> from = rangeOf(box.getOffsets()[inSource]);
    bool isKnown = !ShapedType::isDynamic(extent) && from && from->low >= 0;
    int64_t inside = isKnown ? std::clamp<int64_t>(extent - from->low, 0, size) : size;
    stored[dim] = std::max(stored.lookup(dim), inside);
  }
}

void NarrowTiles::visitCopy(tile::CopyOp copy, tile::AllocOp tile) {
  bool isStored = copy.getSrc() == tile.getResult();
  Value other = isStored ? copy.getDst() : copy.getSrc();
  auto type = cast<tile::BufferType>(other.getType());
  tile::AllocOp otherTile = wholeTile(other);
  tile::SubviewOp box = boxOf(other);
  SmallVector<int64_t, 4> own = realDims(tile.getResult().getType()), its = realDims(type);
  if ((!otherTile && !box) || own.size() != its.size())
    return keepAll(tile);
  if (box && isStored)
    noteStored(box, tile);
  if (box)
    return;
  for (auto [d, e] : llvm::zip(own, its))
    same.unionSets({tile, d}, {otherTile, e});
}

void NarrowTiles::visitGemm(tile::GemmOp gemm, tile::AllocOp tile) {
  tile::AllocOp a = wholeTile(gemm.getA()), b = wholeTile(gemm.getB()), c = wholeTile(gemm.getC());
  bool isPlain = a && b && c && !gemm.getPlaces() && a != b && a != c && b != c;
  for (tile::AllocOp each : {a, b, c})
    isPlain &= each && each.getResult().getType().rank() == 2;
  if (!isPlain)
    return keepAll(tile);
  int64_t rowOfA = gemm.getTransposeA() ? 1 : 0, columnOfB = gemm.getTransposeB() ? 0 : 1;
  same.unionSets({a, rowOfA}, {c, 0});
  same.unionSets({b, columnOfB}, {c, 1});
  keep({a, 1 - rowOfA});
  keep({b, 1 - columnOfB});
}

void NarrowTiles::visit(Operation *user, tile::AllocOp tile) {
  if (auto copy = dyn_cast<tile::CopyOp>(user); copy && copy.getSrc() != copy.getDst())
    visitCopy(copy, tile);
  else if (auto gemm = dyn_cast<tile::GemmOp>(user))
    visitGemm(gemm, tile);
  else if (!isa<tile::FillOp>(user))
    keepAll(tile);
}

std::optional<int64_t> NarrowTiles::narrowed(ArrayRef<Dim> dims) {
  int64_t size = sizeOf(dims.front()), needed = 0;
  for (Dim dim : dims) {
    if (kept.contains(dim) || sizeOf(dim) != size)
      return std::nullopt;
    needed = std::max(needed, stored.lookup(dim));
  }
  int64_t ofWaves = kernel.getThreads() / narrowestWave * leastOfWave;
  int64_t least = llvm::PowerOf2Ceil(std::max({needed, leastOfTile, ofWaves}));
  return needed > 0 && least < size ? std::optional(least) : std::nullopt;
}

void NarrowTiles::rewrite(const llvm::MapVector<Dim, int64_t> &sizes) {
  llvm::SetVector<Operation *> tiles;
  for (auto &[dim, size] : sizes) {
    auto tile = cast<tile::AllocOp>(dim.first);
    tile::BufferType type = tile.getResult().getType();
    SmallVector<int64_t, 4> shape(type.getShape());
    shape[dim.second] = size;
    tile.getResult().setType(tile::BufferType::get(shape, type.getElementType(), type.getScope()));
    tiles.insert(tile);
  }
  for (Operation *tile : tiles)
    for (Operation *user : tile->getUsers()) {
      auto copy = dyn_cast<tile::CopyOp>(user);
      Value other = !copy                                 ? Value()
                    : copy.getSrc() == tile->getResult(0) ? copy.getDst()
                                                          : copy.getSrc();
      tile::SubviewOp box = other ? boxOf(other) : tile::SubviewOp();
      if (!box)
        continue;
      SmallVector<int64_t, 4> shape(box.getType().getShape());
      auto type = cast<tile::BufferType>(tile->getResult(0).getType());
      for (auto [d, e] : llvm::zip(realDims(box.getType()), realDims(type)))
        shape[d] = type.getShape()[e];
      OpBuilder builder(copy);
      auto narrow = tile::SubviewOp::create(
          builder, box.getLoc(),
          tile::BufferType::get(shape, box.getType().getElementType(), box.getType().getScope()),
          box.getSource(), box.getOffsets(), box.getDroppedAttr());
      copy->replaceUsesOfWith(box.getResult(), narrow.getResult());
    }
}

void NarrowTiles::run() {
  kernel.walk([&](tile::AllocOp tile) {
    if (!wholeTile(tile.getResult()))
      return;
    tile::BufferType type = tile.getResult().getType();
    for (int64_t d = 0; d < type.rank(); ++d) {
      all.insert({tile, d});
      same.insert({tile, d});
    }
    if (tile.getLayout())
      keepAll(tile);
    for (Operation *user : tile->getUsers())
      visit(user, tile);
  });
  llvm::MapVector<Dim, int64_t> sizes;
  for (Dim dim : all)
    if (same.getLeaderValue(dim) == dim) {
      SmallVector<Dim> dims(same.findLeader(dim), same.member_end());
      if (std::optional<int64_t> size = narrowed(dims))
        for (Dim each : dims)
          sizes.insert({each, *size});
    }
  rewrite(sizes);
}

} // namespace

/// A product in tiles of 256 columns whose C has 128 multiplies 128.
static void narrowTiles(tile::ProgramOp program) {
  for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>())
    NarrowTiles(kernel).run();
}

namespace {
struct NarrowTilesPass : impl::NarrowTilesPassBase<NarrowTilesPass> {
  void runOnOperation() override { narrowTiles(getOperation()); }
};
} // namespace

} // namespace tilec

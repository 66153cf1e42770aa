//===- Gather.cpp - loops over elements that copies can do -----------------===//
//
// Follows the index arithmetic of the load from the loop's last variable. In a piece of w
// elements that begins at a multiple of w, a value is the same for all, or counts from a
// multiple of w on; everything else is refused.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/Gather.h"

#include "Layouts/LoopLayout.h"
#include "Pipelines/AsyncPieces.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace tilec {
namespace {

/// Whether it reads an element that all threads may see.
bool readsMemory(Operation &op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && (load.getBuffer().getType().isGlobal() || load.getBuffer().getType().isShared());
}

/// How values move inside of a piece of `width` elements along `along`.
class PieceValues {
public:
  PieceValues(BlockArgument along, int64_t width) : along(along), width(width) {}

  bool isSame(Value value) { return motionOf(value).kind == Same; }
  bool counts(Value value) { return motionOf(value).kind == Counting; }
  /// Whether it is the same and a multiple of the width.
  bool isMultiple(Value value) {
    Motion motion = motionOf(value);
    return motion.kind == Same && motion.divisor % width == 0;
  }

private:
  enum Kind { Same, Counting, Other };
  /// `divisor` divides a value that is the same for all elements of the piece.
  struct Motion {
    Kind kind = Other;
    int64_t divisor = 1;
  };

  Motion motionOf(Value value);
  Motion ofArith(Operation *op);
  Motion ofSum(Motion a, Motion b);
  /// Of a division or remainder by a constant.
  Motion ofDivision(Operation *op);

  BlockArgument along;
  int64_t width;
  llvm::DenseMap<Value, Motion> known;
};

PieceValues::Motion PieceValues::motionOf(Value value) {
  if (value == along)
    return {Counting, 1};
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Motion motion{Same, divisorOf(value)};
  Operation *op = value.getDefiningOp();
  Operation *loop = along.getOwner()->getParentOp();
  if (op && loop->isProperAncestor(op))
    motion = ofArith(op);
  return known[value] = motion;
}

PieceValues::Motion PieceValues::ofSum(Motion a, Motion b) {
  if (a.kind == Other || b.kind == Other || (a.kind == Counting && b.kind == Counting))
    return {};
  if (a.kind == Same && b.kind == Same)
    return {Same, std::gcd(a.divisor, b.divisor)};
  const Motion &same = a.kind == Same ? a : b;
  return same.divisor % width == 0 ? Motion{Counting, 1} : Motion{};
}

PieceValues::Motion PieceValues::ofDivision(Operation *op) {
  std::optional<int64_t> by = tile::constantInt(op->getOperand(1));
  Motion of = motionOf(op->getOperand(0));
  bool isRest = isa<arith::RemUIOp, arith::RemSIOp>(op);
  if (!by || *by <= 0 || of.kind == Other)
    return {};
  if (of.kind == Same)
    return {Same, isRest ? std::gcd(of.divisor, *by) : 1};
  // The piece lies between two multiples of the divisor; signs could move it off.
  bool isUnsigned = isa<arith::RemUIOp, arith::DivUIOp>(op);
  if (*by % width != 0 || !isUnsigned)
    return {};
  return isRest ? Motion{Counting, 1} : Motion{Same, 1};
}

PieceValues::Motion PieceValues::ofArith(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return {Same, op->getResult(0).getType().isIntOrIndex() ? divisorOf(op->getResult(0)) : 1};
  if (isa<arith::AddIOp>(op))
    return ofSum(motionOf(op->getOperand(0)), motionOf(op->getOperand(1)));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return motionOf(op->getOperand(0));
  if (isa<arith::RemUIOp, arith::RemSIOp, arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    if (Motion motion = ofDivision(op); motion.kind != Other)
      return motion;
  bool isPlain = op->getNumRegions() == 0 && op->getNumResults() == 1 &&
                 (isMemoryEffectFree(op) || readsMemory(*op));
  for (Value operand : op->getOperands())
    isPlain &= isa<tile::BufferType>(operand.getType()) || isSame(operand);
  if (!isPlain)
    return {};
  if (!isa<arith::MulIOp>(op))
    return {Same, 1};
  constexpr int64_t most = 1 << 20;
  return {Same, std::gcd(most, std::min(most, motionOf(op->getOperand(0)).divisor *
                                                  motionOf(op->getOperand(1)).divisor))};
}

bool isZeroOfBits(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  if (auto number = dyn_cast<FloatAttr>(constant))
    return number.getValue().isPosZero();
  auto number = dyn_cast<IntegerAttr>(constant);
  return number && number.getValue().isZero();
}

/// The load and the store of a loop that does nothing else but compute where.
std::optional<Gather> findAccesses(tile::ElementLoop loop) {
  Gather gather;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      if (gather.store)
        return std::nullopt;
      gather.store = store;
      continue;
    }
    if (op.getNumRegions() != 0 || !(isMemoryEffectFree(&op) || readsMemory(op)))
      return std::nullopt;
  }
  if (!gather.store)
    return std::nullopt;
  Value value = gather.store.getValue();
  if (auto select = value.getDefiningOp<arith::SelectOp>();
      select && isZeroOfBits(select.getFalseValue()) && loop->isProperAncestor(select)) {
    gather.mask = select.getCondition();
    value = select.getTrueValue();
  }
  gather.load = value.getDefiningOp<tile::LoadOp>();
  bool isWhole = gather.load && loop->isProperAncestor(gather.load) && gather.load->hasOneUse() &&
                 (!gather.load.getPad() || gather.load.getPad()->isPosZero());
  return isWhole ? std::optional(gather) : std::nullopt;
}

/// Whether the store writes the tile element by element as the loop counts, in a slot that is the
/// same for all.
bool writesInOrder(tile::ElementLoop loop, tile::StoreOp store) {
  auto extents = loop.constantExtents();
  ArrayRef<int64_t> shape = store.getBuffer().getType().getShape();
  if (!extents || shape.size() < extents->size() ||
      shape.take_back(extents->size()) != ArrayRef<int64_t>(*extents))
    return false;
  ValueRange indices = store.getIndices();
  size_t slots = shape.size() - extents->size();
  for (Value slot : indices.take_front(slots))
    if (loop.getBody().isAncestor(slot.getParentRegion()) && !tile::constantInt(slot))
      return false;
  return llvm::equal(indices.drop_front(slots), loop.ivs());
}

/// The width of pieces that the tile's layout keeps together.
bool staysTogether(const SharedLayout &layout, int64_t width) {
  return layout.phases == 1 && layout.panelElems == 0 ? layout.pitchElems % width == 0
                                                      : layout.vecElems % width == 0;
}

bool movesInPieces(tile::ElementLoop loop, Gather &gather, const SharedLayout &layout,
                   int64_t width) {
  BlockArgument along = loop.ivs().back();
  auto type = gather.load.getBuffer().getType();
  int64_t rowElems = type.getShape().back();
  if (ShapedType::isDynamic(rowElems) || rowElems % width != 0 ||
      loop.constantExtents()->back() % width != 0 || !staysTogether(layout, width))
    return false;
  PieceValues values(along, width);
  return llvm::all_of(gather.load.getIndices().drop_back(),
                      [&](Value index) { return values.isSame(index); }) &&
         values.counts(gather.load.getIndices().back()) &&
         (!gather.mask || values.isSame(gather.mask));
}

/// Whether the lanes of each instruction fill one piece of the tile behind the other, of a tensor
/// that 32 bits reach across.
bool fillsWaves(tile::ElementLoop loop, Gather &gather, const SharedLayout &layout,
                int64_t pieceBytes, const TargetInfo &target) {
  tile::BufferType from = gather.load.getBuffer().getType(),
                   to = gather.store.getBuffer().getType();
  DType dtype = tile::dtypeOf(from.getElementType());
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  int64_t elems = 1;
  for (int64_t extent : extents)
    elems *= extent;
  return fitsOffsets(from) && elems * bytesOf(dtype) % (target.waveLanes * pieceBytes) == 0 &&
         layout.panelElems == 0 && layout.pitchElems == to.getShape().back();
}

} // namespace

std::optional<Gather> gatherOf(tile::ElementLoop loop, const TargetInfo &target) {
  bool isKnown =
      target.asyncCopies.lanesInRow || target.asyncCopies.completion == Completion::Groups;
  if (!isKnown || loop->getParentOfType<tile::ElementLoop>() || !loop.constantExtents())
    return std::nullopt;
  std::optional<Gather> gather = findAccesses(loop);
  if (!gather)
    return std::nullopt;
  tile::BufferType from = gather->load.getBuffer().getType(),
                   to = gather->store.getBuffer().getType();
  Value tile = gather->store.getBuffer();
  const SharedLayout *layout = sharedLayoutOf(boxRootOf(tile));
  DType dtype = tile::dtypeOf(to.getElementType());
  // A boolean is a byte, which a copy would not clean.
  int64_t elemBits = dtype == DType::Bool ? 0 : int64_t(bitsOf(dtype));
  if (!from.isGlobal() || !to.isShared() || from.getElementType() != to.getElementType() ||
      elemBits == 0 || elemBits % 8 != 0 || from.rank() == 0 || !layout ||
      !plainTensorOf(gather->load.getBuffer()) || !writesInOrder(loop, gather->store))
    return std::nullopt;
  for (int64_t bytes : target.asyncCopies.bytes) {
    int64_t width = bytes * 8 / elemBits;
    if (width == 0 || !movesInPieces(loop, *gather, *layout, width) ||
        (target.asyncCopies.lanesInRow && !fillsWaves(loop, *gather, *layout, bytes, target)))
      continue;
    gather->pieceBytes = bytes;
    return gather;
  }
  return std::nullopt;
}

bool variesByRound(Value value, tile::ElementLoop gather, ArrayRef<Value> written) {
  auto around = gather->getParentOfType<tile::ForOp>();
  if (!around || !around.getBody().isAncestor(value.getParentRegion()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() != gather.bodyBlock();
  Operation *op = value.getDefiningOp();
  if (!gather->isProperAncestor(op))
    return true;
  if (auto load = dyn_cast<tile::LoadOp>(op); load && !load.getBuffer().getType().isGlobal() &&
                                              isChangedBy(written, rootOf(load.getBuffer())))
    return true;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return variesByRound(operand, gather, written); });
}

FragmentLayout gatherLayout(tile::ElementLoop loop, Gather gather, const TargetInfo &target,
                            int64_t numWaves) {
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  int64_t elemBytes = bytesOf(tile::dtypeOf(gather.load.getBuffer().getType().getElementType()));
  // What a group of lanes copies together of a row.
  int64_t width = gather.pieceBytes / elemBytes, line = target.cacheLine / elemBytes,
          cols = extents.back();
  if (cols <= line || cols % line != 0)
    return blockedLayout(extents, target.waveLanes, numWaves, width);
  // One line of each row first, then the next lines by repetitions.
  SmallVector<int64_t, 4> first = extents;
  first.back() = line;
  FragmentLayout layout = blockedLayout(first, target.waveLanes, numWaves, width);
  SmallVector<Factor, 4> reps(layout.reps());
  reps.insert(reps.begin(), Factor{int64_t(extents.size()) - 1, cols / line});
  return FragmentLayout(Coords(extents), layout.atom(), reps,
                        SmallVector<Factor, 4>(layout.waves()));
}

} // namespace tilec

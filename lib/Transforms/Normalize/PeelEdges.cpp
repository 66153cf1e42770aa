//===- PeelEdges.cpp - rounds that lie in their tensors whole ---------------===//
//
// A loop along K whose last tile passes the end of K, or may do so as only the run knows K, has
// masks in every round, and no planned order. All rounds but the last one lie in K whole: they get
// a loop of their own. Of a number of rounds that is read from a tensor so many lie in K as that
// has; what is beyond, if anything, is a loop behind them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PEELEDGESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A number that is a constant or a dim of the program.
struct Size {
  int64_t known = 0;
  Value dim; ///< null: `known`

  bool operator==(const Size &other) const { return known == other.known && dim == other.dim; }
};

Size sizeOf(tile::TensorOp tensor, int64_t d) {
  ArrayRef<int64_t> shape = tensor.getType().getShape();
  if (!ShapedType::isDynamic(shape[d]))
    return {shape[d], Value()};
  return {0, tensor.getDims()[llvm::count_if(shape.take_front(d), ShapedType::isDynamic)]};
}

class EdgePeeler {
public:
  EdgePeeler(tile::ForOp loop, const TargetInfo &target) : loop(loop), target(target) {}

  /// Whether something is gained; changes nothing.
  bool suits();
  void peel();

private:
  /// Whole rounds that are worth the code of another one.
  int64_t fewest();
  bool isProduct();
  bool addCopy(tile::CopyOp copy);
  /// Whether the loop counts pieces of this size, the last of which passes the end.
  bool countsPieces(const Size &size, int64_t piece);
  /// Whether its rounds are as many as such pieces begin in the dim.
  bool countsAll(Value dim, int64_t piece);
  /// Whether there may be more rounds than so many, for all that is known before the run.
  bool mayPass(int64_t count);
  /// Tiles that each round fills, once more.
  void cloneTiles(OpBuilder &b, IRMapping &mapping);
  void cloneRound(OpBuilder &b, Value round);
  /// All rounds from that one on.
  void cloneLoop(OpBuilder &b, Value first);

  tile::ForOp loop;
  const TargetInfo &target;
  std::optional<Size> rounds; ///< elements that the loop's rounds share out
  int64_t piece = 0;          ///< of those, a round's
  bool isOpen = false;        ///< there may be more than one round beyond
};

int64_t EdgePeeler::fewest() {
  auto haveRows = [&](int64_t bytes) { // of whole pieces of so many
    return llvm::all_of(loop.bodyBlock()->getOps<tile::CopyOp>(), [&](tile::CopyOp copy) {
      auto type = cast<tile::BufferType>(rootOf(copy.getSrc()).getType());
      int64_t row = type.getShape().back();
      int64_t bits = bitsOf(tile::dtypeOf(type.getElementType()));
      return !type.isGlobal() || ShapedType::isDynamic(row) || row * bits % (8 * bytes) == 0;
    });
  };
  // Masks of what no copy brings are read element by element: those of the last round are enough.
  if (!haveRows(target.asyncCopies.bytes.back()))
    return 2;
  // What a round behind the loop waits for, other blocks on the unit would hide.
  std::optional<int64_t> blocks = loop->getParentOfType<tile::KernelOp>().blocksOfGrid();
  if (!blocks || *blocks > target.units)
    return 8;
  return haveRows(target.accessBytes) ? 4 : 2;
}

/// Copies, and products of what they bring: what a round computes beside that may be long, and
/// would stand here twice.
bool EdgePeeler::isProduct() {
  bool multiplies = false;
  for (Operation &op : *loop.bodyBlock()) {
    multiplies |= isa<tile::GemmOp>(op);
    if (!isa<tile::GemmOp, tile::CopyOp, tile::SubviewOp, tile::ReshapeOp, tile::AssumeOp>(op) &&
        !(isPure(&op) && op.getNumRegions() == 0))
      return false;
  }
  return multiplies;
}

bool EdgePeeler::mayPass(int64_t count) {
  std::optional<IndexRange> range = rangeOf(loop.getUpper());
  return !tile::constantInt(loop.getUpper()) && !(range && range->high <= count);
}

bool EdgePeeler::countsPieces(const Size &size, int64_t of) {
  if (!size.dim && size.known / of >= fewest() && mayPass(size.known / of)) {
    isOpen = true;
    return true;
  }
  if (!size.dim)
    return tile::constantInt(loop.getUpper()) == ceilDiv(size.known, of) && size.known % of != 0 &&
           size.known / of >= fewest();
  if (countsAll(size.dim, of))
    return divisorOf(size.dim) % of != 0;
  isOpen = true;
  return true;
}

bool EdgePeeler::countsAll(Value dim, int64_t of) {
  Operation *upper = loop.getUpper().getDefiningOp();
  if (!isa_and_nonnull<arith::DivUIOp, arith::CeilDivUIOp, arith::CeilDivSIOp>(upper) ||
      tile::constantInt(upper->getOperand(1)) != of)
    return false;
  LinearForm elems = linearize(upper->getOperand(0));
  int64_t more = isa<arith::DivUIOp>(upper) ? of - 1 : 0;
  return elems.constant == more && elems.terms.size() == 1 && elems.terms[0].second == 1 &&
         elems.terms[0].first == dim;
}

bool EdgePeeler::addCopy(tile::CopyOp copy) {
  if (!copy.getSrc().getType().isGlobal())
    return !copy.getDst().getType().isGlobal();
  BufferBox box = boxOf(copy.getSrc());
  auto tensor = box.root.getDefiningOp<tile::TensorOp>();
  if (!tensor || !tensor.getStrides().empty() || !copy.getDst().getType().isShared())
    return false;
  for (int64_t d = 0; d < box.rootType().rank(); ++d) {
    LinearForm offset = linearize(box.offsets[d]);
    auto view = llvm::find(box.dims, d);
    int64_t extent =
        view == box.dims.end() ? 1 : copy.getSrc().getType().getShape()[view - box.dims.begin()];
    int64_t ofRound = offset.coefficient(loop.iv());
    bool isOfLoop = llvm::any_of(offset.terms, [&](auto term) {
      return loop->isAncestor(term.first.getParentRegion()->getParentOp());
    });
    if (!isOfLoop)
      continue;
    Size size = sizeOf(tensor, d);
    bool isPiece = offset.constant == 0 && offset.terms.size() == 1 && ofRound == extent;
    if (!isPiece)
      return false;
    if (!countsPieces(size, extent))
      continue;
    if (rounds && !(*rounds == size && piece == extent))
      return false;
    rounds = size;
    piece = extent;
  }
  return true;
}

bool EdgePeeler::suits() {
  if (loop.getKind() != tile::LoopKind::Pipelined || loop.getStages() < 2 || loop.getExact() ||
      loop.getRotate() || loop.getPersistent() || tile::constantInt(loop.getLower()) != 0 ||
      tile::constantInt(loop.getStep()) != 1 || !isProduct())
    return false;
  for (auto copy : loop.bodyBlock()->getOps<tile::CopyOp>())
    if (auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
        !tile || loop->isAncestor(tile) || !addCopy(copy) ||
        !isFilledFirst(*loop.bodyBlock(), tile) ||
        !llvm::all_of(copy.getDst().getUsers(),
                      [&](Operation *user) { return loop->isAncestor(user); }))
      return false;
  return rounds.has_value();
}

void EdgePeeler::cloneTiles(OpBuilder &b, IRMapping &mapping) {
  for (auto copy : loop.bodyBlock()->getOps<tile::CopyOp>())
    if (!mapping.contains(copy.getDst()))
      b.clone(*copy.getDst().getDefiningOp(), mapping);
}

void EdgePeeler::cloneRound(OpBuilder &b, Value round) {
  IRMapping mapping;
  cloneTiles(b, mapping);
  mapping.map(loop.iv(), round);
  for (Operation &op : *loop.bodyBlock())
    b.clone(op, mapping);
}

void EdgePeeler::cloneLoop(OpBuilder &b, Value first) {
  IRMapping mapping;
  cloneTiles(b, mapping);
  Location loc = loop.getLoc();
  auto rest = cast<tile::ForOp>(b.clone(*loop, mapping));
  rest.getLowerMutable().assign(first);
  rest.setKind(tile::LoopKind::Serial);
  rest.setStages(1);
  rest->setLoc(tile::withoutLoopId(loc)); // verdicts and orders are of the loop in front of it
}

void EdgePeeler::peel() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value all = loop.getUpper();
  Value whole = rounds->dim ? arith::DivUIOp::create(b, loc, rounds->dim, number(piece)).getResult()
                            : number(rounds->known / piece);
  if (isOpen) {
    b.setInsertionPointAfter(loop);
    cloneLoop(b, whole);
    b.setInsertionPoint(loop);
    whole = arith::MinSIOp::create(b, loc, all, whole);
    return loop.getUpperMutable().assign(whole);
  }
  loop.getUpperMutable().assign(whole);
  b.setInsertionPointAfter(loop);
  if (rounds->dim) {
    Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, whole, all);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, loc, isLeft, /*withElseRegion=*/false).thenBlock());
  }
  cloneRound(b, whole);
}

struct PeelEdgesPass : impl::PeelEdgesPassBase<PeelEdgesPass> {
  using PeelEdgesPassBase::PeelEdgesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    if (!chip->keepsOrder)
      return;
    SmallVector<tile::ForOp> loops;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep())
        kernel.walk([&](tile::ForOp loop) { loops.push_back(loop); });
    for (tile::ForOp loop : loops)
      if (EdgePeeler peeler(loop, *chip); peeler.suits())
        peeler.peel();
  }
};

} // namespace

} // namespace tilec

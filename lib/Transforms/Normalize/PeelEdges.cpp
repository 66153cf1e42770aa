//===- PeelEdges.cpp - rounds that lie in their tensors whole ---------------===//
//
// A loop along K whose last tile passes the end of K has masks in every round, and rows of a length
// that only the run knows end within pieces. All rounds but the last one lie in K whole, and all
// blocks but those at the edge lie in their rows. They get a loop of their own.
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
  explicit EdgePeeler(tile::ForOp loop) : loop(loop) {}

  /// Whether something is gained; changes nothing.
  bool suits();
  void peel();

private:
  bool isProduct();
  bool addCopy(tile::CopyOp copy);
  /// Whether the loop counts pieces of this size, the last of which passes the end.
  bool countsPieces(const Size &size, int64_t piece);
  bool addRowEnd(tile::TensorOp tensor, const BufferBox &box, int64_t extent);
  /// Tiles that each round fills, once more.
  void cloneTiles(OpBuilder &b, IRMapping &mapping);
  void cloneRound(OpBuilder &b, Value round);
  void cloneInOrder(OpBuilder &b);

  tile::ForOp loop;
  std::optional<Size> rounds; ///< elements that the loop's rounds share out
  int64_t piece = 0;          ///< of those, a round's
  /// What blocks have to ask of a row: its elements, and the box's own.
  struct RowEnd {
    Size elems;
    IndexSum first;
    int64_t extent;
  };
  SmallVector<RowEnd, 2> rowEnds;
};

/// Copies, and products of what they bring: what a round computes beside that may be long, and
/// would stand here twice or thrice.
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

bool EdgePeeler::countsPieces(const Size &size, int64_t of) {
  if (!size.dim)
    return tile::constantInt(loop.getUpper()) == ceilDiv(size.known, of) && size.known % of != 0 &&
           size.known > of;
  Operation *upper = loop.getUpper().getDefiningOp();
  if (!isa_and_nonnull<arith::DivUIOp, arith::CeilDivUIOp, arith::CeilDivSIOp>(upper) ||
      tile::constantInt(upper->getOperand(1)) != of)
    return false;
  LinearForm elems = linearize(upper->getOperand(0));
  int64_t more = isa<arith::DivUIOp>(upper) ? of - 1 : 0;
  return elems.constant == more && elems.terms.size() == 1 && elems.terms[0].second == 1 &&
         elems.terms[0].first == size.dim && divisorOf(size.dim) % of != 0;
}

bool EdgePeeler::addRowEnd(tile::TensorOp tensor, const BufferBox &box, int64_t extent) {
  unsigned bits = bitsOf(tile::dtypeOf(tensor.getType().getElementType()));
  Size elems = sizeOf(tensor, box.rootType().rank() - 1);
  // Words are moved each on its own.
  if (!elems.dim || (bits != 8 && bits != 16))
    return true;
  for (Value term : box.offsets.back().terms)
    if (loop->isAncestor(term.getParentRegion()->getParentOp()) &&
        !(isPure(term.getDefiningOp()) &&
          llvm::none_of(linearize(term).terms, [&](auto part) {
            return loop->isAncestor(part.first.getParentRegion()->getParentOp());
          })))
      return false;
  rowEnds.push_back({elems, box.offsets.back(), extent});
  return true;
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
    if (!isOfLoop) {
      if (d + 1 == box.rootType().rank() && extent > 1 && !addRowEnd(tensor, box, extent))
        return false;
      continue;
    }
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
    if (!addCopy(copy) || !isFilledFirst(loop, copy.getDst()) ||
        !llvm::all_of(copy.getDst().getUsers(),
                      [&](Operation *user) { return loop->isAncestor(user); }))
      return false;
  return rounds || !rowEnds.empty();
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

/// The whole loop, one round after the other.
void EdgePeeler::cloneInOrder(OpBuilder &b) {
  IRMapping mapping;
  cloneTiles(b, mapping);
  auto other = cast<tile::ForOp>(b.clone(*loop, mapping));
  other.setKind(tile::LoopKind::Serial);
  other.setStages(1);
  other.removeStrategyAttr();
  other.setEdge(true);
}

void EdgePeeler::peel() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value isInside;
  for (const RowEnd &end : rowEnds) {
    Value last = number(end.extent - 1);
    for (Value term : end.first.terms) {
      if (loop->isAncestor(term.getParentRegion()->getParentOp())) {
        // Arithmetic on what stands in front of the loop.
        LinearForm form = linearize(term);
        term = number(form.constant);
        for (auto [part, factor] : form.terms)
          term = arith::AddIOp::create(b, loc, term,
                                       arith::MulIOp::create(b, loc, part, number(factor)));
      }
      last = arith::AddIOp::create(b, loc, last, term);
    }
    Value asked =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last,
                              end.elems.dim ? end.elems.dim : number(end.elems.known));
    isInside = isInside ? arith::AndIOp::create(b, loc, isInside, asked).getResult() : asked;
  }
  if (isInside) {
    auto branch = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.elseBlock());
    cloneInOrder(b);
    loop->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
    b.setInsertionPoint(loop);
  }
  if (!rounds)
    return;
  Value all = loop.getUpper();
  Value whole = rounds->dim
                    ? arith::DivUIOp::create(b, loc, rounds->dim, number(piece)).getResult()
                    : number(rounds->known / piece);
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
    if (!chip->unalignedAccess)
      return;
    SmallVector<tile::ForOp> loops;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep())
        kernel.walk([&](tile::ForOp loop) { loops.push_back(loop); });
    for (tile::ForOp loop : loops)
      if (EdgePeeler peeler(loop); peeler.suits())
        peeler.peel();
  }
};

} // namespace

} // namespace tilec

//===- RowNumbers.cpp - what gathers find their rows by --------------------===//
//
// Where a loop over elements reads `Numbers[first + f(i)]`, `first` the round's and f(i) of a few
// values, the round copies as many consecutive elements from `first` on to a shared tile, and the
// loop reads element f(i) of that. What else of the round reads the same numbers (a mask) reads the
// tile, too. Pages are the case f(i) = i / n. The tile is padded to what one instruction copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/RowNumbers.h"
#include "Pipelines/AsyncPieces.h"
#include "Pipelines/Gather.h"
#include "Pipelines/Pipeline.h"
#include "Roles/ProducerLoop.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

/// Numbers of a round that are worth a tile.
constexpr int64_t mostNumbers = 1024;

/// Splits index arithmetic into what the round knows and what the loop over elements adds.
class Split {
public:
  Split(tile::ElementLoop around) : around(around) {}

  /// False where they are mixed. `most`: the largest number that is added; none is negative.
  bool add(const LinearForm &form, OpBuilder &inRound, OpBuilder &inLoop);

  Value ofRound, ofLoop; ///< null: 0
  int64_t most = 0;

private:
  /// Whether it is computed from the loop's variables and constants alone.
  bool isOfLoop(Value value);
  bool addQuotient(Value quotient, int64_t factor, OpBuilder &inRound, OpBuilder &inLoop);
  static void addTo(Value &sum, Value value, int64_t factor, OpBuilder &builder);

  tile::ElementLoop around;
};

bool Split::isOfLoop(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == around.bodyBlock();
  Operation *op = value.getDefiningOp();
  return isa<arith::ConstantOp>(op) ||
         (around->isProperAncestor(op) && isPure(op) && op->getNumRegions() == 0 &&
          llvm::all_of(op->getOperands(), [&](Value operand) { return isOfLoop(operand); }));
}

void Split::addTo(Value &sum, Value value, int64_t factor, OpBuilder &builder) {
  Location loc = value.getLoc();
  if (!value.getType().isIndex())
    value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
  if (factor != 1)
    value = arith::MulIOp::create(builder, loc, value,
                                  arith::ConstantIndexOp::create(builder, loc, factor));
  sum = sum ? arith::AddIOp::create(builder, loc, sum, value).getResult() : value;
}

/// (a + b) / n = a / n + b / n where n divides a, the round's part, and nothing is negative.
bool Split::addQuotient(Value quotient, int64_t factor, OpBuilder &inRound, OpBuilder &inLoop) {
  Operation *op = quotient.getDefiningOp();
  if (!op || !isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return false;
  std::optional<int64_t> divisor = tile::constantInt(op->getOperand(1));
  std::optional<IndexRange> range = rangeOf(op->getOperand(0));
  if (!divisor || *divisor <= 0 || !range || range->low < 0)
    return false;
  Split parts(around);
  LinearForm form = linearize(op->getOperand(0));
  bool divides = form.constant % *divisor == 0;
  for (auto [term, of] : form.terms)
    divides &= isOfLoop(term) || of * divisorOf(term) % *divisor == 0;
  if (!divides || !parts.add(form, inRound, inLoop))
    return false;
  auto divide = [&](Value value, OpBuilder &builder) -> Value {
    Location loc = value.getLoc();
    return arith::DivUIOp::create(builder, loc, value,
                                  arith::ConstantIndexOp::create(builder, loc, *divisor));
  };
  if (parts.ofRound)
    addTo(ofRound, divide(parts.ofRound, inRound), factor, inRound);
  if (parts.ofLoop)
    addTo(ofLoop, divide(parts.ofLoop, inLoop), factor, inLoop);
  most += factor * (parts.most / *divisor);
  return true;
}

bool Split::add(const LinearForm &form, OpBuilder &inRound, OpBuilder &inLoop) {
  int64_t constant = form.constant;
  auto constantIn = [&](OpBuilder &builder, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, around.getLoc(), value);
  };
  for (auto [term, factor] : form.terms) {
    if (!around.getBody().isAncestor(term.getParentRegion())) {
      addTo(ofRound, term, factor, inRound);
      continue;
    }
    std::optional<IndexRange> range = rangeOf(term);
    if (!range || range->low < 0)
      return false;
    if (isOfLoop(term)) {
      Value counted = term;
      if (factor < 0) { // down from its last value
        constant += factor * range->high;
        counted =
            arith::SubIOp::create(inLoop, term.getLoc(), constantIn(inLoop, range->high), term);
      }
      addTo(ofLoop, counted, std::abs(factor), inLoop);
      most += std::abs(factor) * range->high;
    } else if (factor < 0 || !addQuotient(term, factor, inRound, inLoop)) {
      return false;
    }
  }
  if (constant != 0)
    addTo(ofRound, constantIn(inRound, constant), 1, inRound);
  return true;
}

/// Whether it is another one in another round.
bool varies(Value value, tile::ForOp loop) {
  return llvm::any_of(linearize(value).terms, [&](auto term) {
    return loop.getBody().isAncestor(term.first.getParentRegion());
  });
}

} // namespace

RowNumbers::RowNumbers(tile::ForOp loop, const TargetInfo &target) : loop(loop), target(target) {
  bool isCounted = target.asyncCopies.completion != Completion::Groups;
  if (!isCounted || !copiesWidePieces(target) || loop.getStages() < 2 ||
      loop->getParentOfType<tile::KernelOp>().getLockstep())
    return;
  SmallVector<tile::LoadOp> numbers, others;
  for (tile::ElementLoop parallel : roundOf(loop)->getOps<tile::ElementLoop>()) {
    std::optional<Gather> gather = gatherOf(parallel, target);
    for (tile::LoadOp load : parallel.bodyBlock()->getOps<tile::LoadOp>())
      if (load.getBuffer().getType().isGlobal() && !(gather && load == gather->load))
        (gather ? numbers : others).push_back(load);
  }
  for (tile::LoadOp load : numbers)
    if (std::optional<Place> place = placeOf(load)) {
      Tile *tile = find(load, *place);
      replace(load, tile ? *tile : tiles.emplace_back(makeTile(load, *place)), place->behind);
    }
  if (isEmpty())
    return;
  for (tile::LoadOp load : others)
    if (std::optional<Place> place = placeOf(load))
      if (Tile *tile = find(load, *place))
        replace(load, *tile, place->behind);
}

std::optional<RowNumbers::Place> RowNumbers::placeOf(tile::LoadOp load) {
  auto around = cast<tile::ElementLoop>(load->getParentOp());
  tile::BufferType type = load.getBuffer().getType();
  if (!load.getBuffer().getDefiningOp<tile::TensorOp>() || load.getPad() || type.rank() == 0 ||
      bitsOf(tile::dtypeOf(type.getElementType())) % 32 != 0 || !around.constantExtents())
    return std::nullopt;
  OpBuilder inRound(around), inLoop(load);
  Place place;
  for (auto [n, index] : llvm::enumerate(load.getIndices())) {
    Split split(around);
    if (!split.add(linearize(index), inRound, inLoop))
      return std::nullopt;
    bool isLast = n + 1 == load.getIndices().size();
    if (split.ofLoop && (!isLast || split.most >= mostNumbers))
      return std::nullopt;
    if (!split.ofRound)
      split.ofRound = arith::ConstantIndexOp::create(inRound, load.getLoc(), 0);
    if (isLast && !split.ofLoop)
      split.ofLoop = arith::ConstantIndexOp::create(inLoop, load.getLoc(), 0);
    place.first.push_back(split.ofRound);
    place.behind = split.ofLoop;
    place.extent = split.most + 1;
  }
  bool isOfRound = llvm::any_of(place.first, [&](Value value) { return varies(value, loop); });
  return isOfRound ? std::optional(place) : std::nullopt;
}

RowNumbers::Tile *RowNumbers::find(tile::LoadOp load, const Place &place) {
  for (Tile &tile : tiles) {
    bool isThere = llvm::all_of(llvm::zip_equal(tile.first, place.first), [](auto pair) {
      LinearForm difference = linearize(std::get<1>(pair));
      difference.add(std::get<0>(pair), -1);
      return difference.constant == 0 &&
             llvm::all_of(difference.terms, [](auto term) { return term.second == 0; });
    });
    if (isThere && tile.tensor == load.getBuffer() && place.extent <= tile.extent &&
        tile.copy->isBeforeInBlock(load->getParentOp()))
      return &tile;
  }
  return nullptr;
}

RowNumbers::Tile RowNumbers::makeTile(tile::LoadOp load, const Place &place) {
  Location loc = load.getLoc();
  OpBuilder builder(loop);
  tile::BufferType from = load.getBuffer().getType();
  int64_t elemBytes = bytesOf(tile::dtypeOf(from.getElementType()));
  int64_t inInstruction = target.waveLanes;
  for (int64_t bytes : target.asyncCopies.bytes) // widest first
    if (bytes % elemBytes == 0)
      inInstruction = target.waveLanes * bytes / elemBytes;
  int64_t extent = alignTo(place.extent, inInstruction);
  auto type = tile::BufferType::get({extent}, from.getElementType(), tile::Scope::Shared);
  auto name = load.getBuffer().getDefiningOp<tile::TensorOp>().getName();
  auto alloc = tile::AllocOp::create(
      builder, loc, type, (name + "_ahead").str(),
      tile::SharedLayoutAttr::get(load.getContext(), SharedLayout::plain({extent})));
  builder.setInsertionPoint(load->getParentOp());
  SmallVector<int64_t> dropped(from.rank() - 1);
  for (auto [d, dim] : llvm::enumerate(dropped))
    dim = int64_t(d);
  auto view = tile::SubviewOp::create(
      builder, loc, tile::BufferType::get({extent}, from.getElementType(), tile::Scope::Global),
      load.getBuffer(), place.first, builder.getDenseI64ArrayAttr(dropped));
  auto copy = tile::CopyOp::create(builder, loc, view.getResult(), alloc.getResult(), StringAttr());
  SmallVector<LinearForm, 4> first =
      llvm::map_to_vector<4>(place.first, [](Value value) { return linearize(value); });
  return {load.getBuffer(), first, extent, alloc, copy};
}

void RowNumbers::replace(tile::LoadOp load, Tile &tile, Value at) {
  OpBuilder builder(load);
  auto brought = tile::LoadOp::create(builder, load.getLoc(), load.getType(),
                                      tile.alloc.getResult(), ValueRange{at}, FloatAttr());
  load.getResult().replaceAllUsesWith(brought.getResult());
  loads.emplace_back(load, brought);
}

void RowNumbers::undo() {
  for (auto &[was, brought] : loads) {
    brought.getResult().replaceAllUsesWith(was.getResult());
    brought.erase();
  }
  for (Tile &tile : tiles) {
    tile.copy.erase();
    tile.alloc.erase();
  }
  loads.clear();
  tiles.clear();
}

} // namespace tilec

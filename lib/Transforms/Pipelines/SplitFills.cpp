//===- SplitFills.cpp - what is brought, and what is made of it ------------===//
//
// Takes pipelined loops of products. A tile that a round fills twice, by a copy and then with other
// values, becomes two, and a tile that is computed on its way from a tensor, where registers hold
// no round of it, is computed from a tile that a copy brings: such copies can run ahead.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"
#include "Pipelines/AsyncPieces.h"
#include "Pipelines/HeldRounds.h"
#include "Pipelines/Pipeline.h"
#include "Pipelines/TensorReads.h"
#include "Roles/ProducerLoop.h"
#include "Roles/RingSlots.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SPLITFILLSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether the op gives each element of the tile a value, and reads the tile only before it does.
bool overwrites(Operation *op, Value tile) {
  auto type = cast<tile::BufferType>(tile.getType());
  if (isa<tile::CopyOp>(op))
    return overwritesAll(op, tile);
  auto parallel = dyn_cast<tile::ElementLoop>(op);
  if (!parallel || parallel.getPart() || !parallel.constantExtents() ||
      ArrayRef(*parallel.constantExtents()) != type.getShape())
    return false;
  SmallVector<tile::StoreOp> stores;
  bool isLast = true;
  parallel->walk([&](Operation *inner) {
    std::optional<ElementAccess> access = elementAccess(inner);
    if (!access || access->buffer != tile)
      return;
    if (auto store = dyn_cast<tile::StoreOp>(inner))
      stores.push_back(store);
    else
      isLast &= stores.empty() && isa<tile::LoadOp>(inner);
  });
  return isLast && stores.size() == 1 && stores.front()->getBlock() == parallel.bodyBlock() &&
         llvm::equal(stores.front().getIndices(), parallel.ivs());
}

/// The op behind the copy in its block that gives the tile other values, if until there it only is
/// read.
Operation *nextFill(tile::CopyOp copy) {
  Value tile = copy.getDst();
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode())
    if (llvm::is_contained(accessesOf(op).writes, tile))
      return overwrites(op, tile) ? op : nullptr;
  return nullptr;
}

class Splits {
public:
  Splits(tile::ForOp loop, const TargetInfo &chip)
      : loop(loop), chip(chip), kernel(loop->getParentOfType<tile::KernelOp>()) {}

  void run() {
    for (tile::CopyOp copy : llvm::to_vector(loop.bodyBlock()->getOps<tile::CopyOp>()))
      separate(copy);
    bool multiplies = !loop.bodyBlock()->getOps<tile::GemmOp>().empty();
    if (!copiesWidePieces(chip) || !multiplies || roundOf(loop) != loop.bodyBlock())
      return; // tiles wait in registers, if anywhere
    SmallVector<Operation *> fills = fillsWithoutRoom();
    for (Operation *fill : fills)
      if (auto parallel = dyn_cast<tile::ElementLoop>(fill))
        bringApart(parallel);
      else
        convertApart(cast<tile::CopyOp>(fill));
    // What is left has to find registers.
    bool isKept = fillsWithoutRoom().empty();
    for (auto &[was, brought] : loads) {
      if (!isKept)
        brought.getResult().replaceAllUsesWith(was.getResult());
      (isKept ? was : brought).erase();
    }
    for (auto &[copy, from] : copies)
      if (!isKept)
        copy.getSrcMutable().assign(from);
    if (!isKept)
      llvm::for_each(made, erase);
  }

private:
  /// The round's tiles that wait in registers, or would, if those have no room for them.
  SmallVector<Operation *> fillsWithoutRoom() {
    PipelinePlan plan = planPipeline(loop, chip);
    HeldRounds held(loop, chip, plan.fills);
    if (held.fills().empty())
      return {};
    SharedMemory memory(kernel, chip);
    plan.stages = std::min<int64_t>(plan.stages, 2);
    setSlots(plan, memory);
    if (held.fits(HeldRounds::enoughWaves) && held.hasRoom(memory))
      return {};
    return SmallVector<Operation *>(held.fills());
  }

  static void erase(tile::CopyOp copy) {
    auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
    copy.erase();
    tile.erase();
  }

  /// A tile of tensor's elements that loops over elements read.
  tile::AllocOp makeTile(Location loc, tile::BufferType box, StringRef name) {
    OpBuilder builder(loop);
    auto type = tile::BufferType::get(box.getShape(), box.getElementType(), tile::Scope::Shared);
    return tile::AllocOp::create(
        builder, loc, type, (name + "_brought").str(),
        tile::SharedLayoutAttr::get(loop.getContext(), SharedLayout::plain(box.getShape())));
  }

  int64_t blocks(const SharedMemory &memory) {
    return residentBlocks(kernel, /*producer=*/0, memory.bytes(), chip);
  }

  /// Whether the round's tiles have room for two slots, and leave a unit more than one block where
  /// others want it.
  bool hasRoom() {
    PipelinePlan plan = planPipeline(loop, chip);
    SharedMemory memory(kernel, chip);
    if (!copiesWidePieces(chip))
      return memory.fits();
    plan.stages = 2;
    setSlots(plan, memory);
    return memory.fits() && (hasUnitsForAll(kernel, chip) || blocks(memory) > 1);
  }

  /// The round's uses of what the copy brings are of a tile of their own.
  void separate(tile::CopyOp copy) {
    auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
    tile::BufferType type = copy.getDst().getType();
    Operation *next =
        tile && type.isShared() && copy.getSrc().getType().isGlobal() ? nextFill(copy) : nullptr;
    bool hasViews = next && llvm::any_of(tile->getUsers(), [](Operation *user) {
                      return isa<tile::SubviewOp, tile::ReshapeOp>(user);
                    });
    if (!next || hasViews || loop->isAncestor(tile)) // a view may be of both
      return;
    // Laid out as its readers want it.
    auto own = cast<tile::AllocOp>(OpBuilder(loop).clone(*tile));
    own.setName((tile.getName() + "_brought").str());
    auto isOfCopy = [&](OpOperand &use) {
      Operation *op = copy->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!op || op->isBeforeInBlock(copy) || next->isBeforeInBlock(op))
        return false;
      return op != next || isa<tile::LoadOp>(use.getOwner());
    };
    tile.getResult().replaceUsesWithIf(own.getResult(), isOfCopy);
    bool isAhead = copy.getDst() == own.getResult() &&
                   asyncPieceBytes(copy.getSrc(), copy.getDst(), chip) != 0;
    if (!isAhead || !hasRoom())
      own.getResult().replaceAllUsesWith(tile.getResult());
    if (own->use_empty())
      own->erase();
  }

  /// What a loop over elements reads of a tensor for each of its elements, as a copy of a box;
  /// null where it is none.
  tile::CopyOp boxOfLoad(tile::LoadOp load, tile::ElementLoop parallel, OpBuilder &builder) {
    auto type = load.getBuffer().getType();
    SmallVector<int64_t> extents = *parallel.constantExtents();
    unsigned variable = 0;
    SmallVector<int64_t> dropped;
    SmallVector<Value> offsets;
    IRMapping atFirst;
    Value zero = arith::ConstantIndexOp::create(builder, load.getLoc(), 0);
    for (Value iv : parallel.ivs())
      atFirst.map(iv, zero);
    SetVector<Operation *> slice = sliceOf(load.getIndices(), parallel);
    if (llvm::any_of(slice, [](Operation *op) { return !isPure(op); }))
      return {};
    for (auto [d, index] : llvm::enumerate(load.getIndices())) {
      LinearForm form = linearize(index);
      bool isAlong = variable < extents.size() && form.coefficient(parallel.ivs()[variable]) == 1;
      for (auto [term, factor] : form.terms)
        if (parallel.getBody().isAncestor(term.getParentRegion()) && factor != 0 &&
            !(isAlong && term == parallel.ivs()[variable]))
          return {};
      if (isAlong)
        ++variable;
      else
        dropped.push_back(int64_t(d));
    }
    if (variable != extents.size() || load.getPad())
      return {};
    for (Operation *op : slice)
      builder.clone(*op, atFirst);
    for (Value index : load.getIndices())
      offsets.push_back(atFirst.lookupOrDefault(index));
    auto of = tile::BufferType::get(extents, type.getElementType(), tile::Scope::Global);
    auto box = tile::SubviewOp::create(builder, load.getLoc(), of, load.getBuffer(), offsets,
                                       builder.getDenseI64ArrayAttr(dropped));
    tile::AllocOp own = makeTile(load.getLoc(), of, nameOfRoot(rootOf(load.getBuffer())));
    return tile::CopyOp::create(builder, load.getLoc(), box.getResult(), own.getResult(),
                                StringAttr());
  }

  /// Whether the copy can run ahead, with room; else it is gone.
  bool keep(tile::CopyOp copy) {
    bool isKept = asyncPieceBytes(copy.getSrc(), copy.getDst(), chip) != 0 && hasRoom();
    if (isKept)
      made.push_back(copy);
    else
      erase(copy);
    return isKept;
  }

  void bringApart(tile::ElementLoop parallel) {
    for (tile::LoadOp load : tensorReadsOf(parallel).values) {
      OpBuilder builder(parallel);
      tile::CopyOp copy = boxOfLoad(load, parallel, builder);
      if (!copy || !keep(copy))
        continue;
      builder.setInsertionPoint(load);
      auto brought = tile::LoadOp::create(builder, load.getLoc(), load.getType(), copy.getDst(),
                                          parallel.ivs(), FloatAttr());
      load.getResult().replaceAllUsesWith(brought.getResult());
      loads.emplace_back(load, brought);
    }
  }

  /// A copy between types is one of the tensor's, and a conversion.
  void convertApart(tile::CopyOp copy) {
    tile::BufferType from = copy.getSrc().getType(), to = copy.getDst().getType();
    if (from.getElementType() == to.getElementType() || from.getShape() != to.getShape())
      return;
    OpBuilder builder(copy);
    auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
    tile::AllocOp own = makeTile(copy.getLoc(), from, tile.getName());
    auto brought =
        tile::CopyOp::create(builder, copy.getLoc(), copy.getSrc(), own.getResult(), StringAttr());
    if (!keep(brought))
      return;
    copies.emplace_back(copy, copy.getSrc());
    copy.getSrcMutable().assign(own.getResult());
  }

  tile::ForOp loop;
  const TargetInfo &chip;
  tile::KernelOp kernel;
  /// Copies that bring tensors, loads that read what they bring for those that read tensors, and
  /// copies that do, with what they read before.
  SmallVector<tile::CopyOp, 2> made;
  SmallVector<std::pair<tile::LoadOp, tile::LoadOp>, 2> loads;
  SmallVector<std::pair<tile::CopyOp, Value>, 2> copies;
};

struct SplitFillsPass : impl::SplitFillsPassBase<SplitFillsPass> {
  using SplitFillsPassBase::SplitFillsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    SmallVector<tile::ForOp> loops;
    getOperation().walk([&](tile::ForOp loop) {
      if (loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1 &&
          !hasOneRound(loop) && !loop->getParentOfType<tile::KernelOp>().getLockstep())
        loops.push_back(loop);
    });
    for (tile::ForOp loop : loops)
      Splits(loop, *chip).run();
  }
};

} // namespace

} // namespace tilec

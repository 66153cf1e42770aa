//===- StageFragments.cpp - fragments whose elements other lanes need ----===//
//
// Every access that its loop's layout cannot serve is moved to a shared copy of the fragment. A
// loop has the layout of what it writes; where the copies of what it reads then take more shared
// memory than there is, it has the layout of what it reads, if the results are smaller.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/LayOutShared.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/Stores.h"
#include "Memory/SharedMemory.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_STAGEFRAGMENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

class Staging {
public:
  using Remark = std::pair<Location, std::string>;

  /// `sparesMemory`: loops may have the layout of what they read.
  Staging(tile::KernelOp kernel, const TargetInfo &target, bool sparesMemory)
      : kernel(kernel), target(target), sparesMemory(sparesMemory) {}

  /// What is to be said of each copy.
  std::vector<Remark> run();

private:
  bool stageMismatches(tile::ElementLoop loop);
  Operation *placeOfCopy(tile::ElementLoop loop, Value root);
  void stage(tile::ElementLoop loop, Value root);
  void defineAll(tile::AllocOp alloc);

  tile::KernelOp kernel;
  const TargetInfo &target;
  bool sparesMemory;
  llvm::SmallPtrSet<Operation *, 4> defined; ///< fragments that start from zeros
  std::vector<Remark> remarks;
};

std::vector<Staging::Remark> Staging::run() {
  SmallVector<tile::ElementLoop> loops;
  kernel.walk([&](tile::ElementLoop loop) {
    if (!loop->getParentOfType<tile::ElementLoop>())
      loops.push_back(loop);
  });
  // A staged access is one of memory, which the layout of the loop follows: it may serve fewer
  // fragments then.
  for (tile::ElementLoop loop : loops)
    while (loop.constantExtents() && stageMismatches(loop))
      ;
  return std::move(remarks);
}

/// The layout of the first fragment that the loop reads element by element.
const FragmentLayout *layoutOfReads(tile::ElementLoop loop) {
  const FragmentLayout *found = nullptr;
  loop.walk([&](tile::LoadOp load) {
    const FragmentLayout *own = fragmentLayoutOf(load.getBuffer());
    if (!found && own && ArrayRef(own->shape()) == ArrayRef(*loop.constantExtents()) &&
        llvm::equal(load.getIndices(), loop.ivs()))
      found = own;
  });
  return found;
}

int64_t bytesOfAll(ArrayRef<Value> buffers) {
  int64_t bytes = 0;
  for (Value buffer : buffers) {
    auto type = cast<tile::BufferType>(buffer.getType());
    bytes += type.numElems() * bytesOf(tile::dtypeOf(type.getElementType()));
  }
  return bytes;
}

/// False when the layout of the loop serves all of its accesses.
bool Staging::stageMismatches(tile::ElementLoop loop) {
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  if (!layout)
    layout = defaultLoopLayout(loop, target, wavesOf(loop, target));
  SmallVector<Value> staged = fragmentsElsewhere(loop, *layout);
  if (const FragmentLayout *reads = sparesMemory ? layoutOfReads(loop) : nullptr)
    if (SmallVector<Value> other = fragmentsElsewhere(loop, *reads);
        !staged.empty() && bytesOfAll(other) < bytesOfAll(staged))
      staged = other;
  for (Value root : staged)
    stage(loop, root);
  return !staged.empty();
}

/// Whether a statement in front of `op`, or of what it stands in, writes the fragment in any case.
bool isWrittenBefore(Operation *op, Value root) {
  auto writes = [&](Operation *user, Operation *at) {
    Operation *before = at->getBlock()->findAncestorOpInBlock(*user);
    return before && before->isBeforeInBlock(at) &&
           !isa<scf::IfOp, scf::WhileOp, tile::ForOp>(before) &&
           llvm::is_contained(accessesOf(before).writes, root);
  };
  for (; op && !isa<tile::KernelOp>(op); op = op->getParentOp())
    if (llvm::any_of(root.getUsers(), [&](Operation *user) { return writes(user, op); }))
      return true;
  return false;
}

/// Where what the loop reads of the fragment can be written to shared memory: in front of the loops
/// around it, as far as those leave the fragment as it is. The copy takes its bytes for longer.
Operation *Staging::placeOfCopy(tile::ElementLoop loop, Value root) {
  constexpr int64_t partOfMemory = 32;
  Operation *place = loop;
  if (sparesMemory || bytesOfAll({root}) > target.sharedBytes / partOfMemory)
    return place;
  while (auto around = dyn_cast<tile::ForOp>(place->getParentOp())) {
    if (around->isAncestor(root.getDefiningOp()) || !isWrittenBefore(around, root) ||
        isChangedBy(accessesOf(around).writes, root))
      break;
    place = around;
  }
  return place;
}

/// The loop works on a shared copy of the fragment: written before it, unless the loop does that,
/// and read back after it when the loop stores.
void Staging::stage(tile::ElementLoop loop, Value root) {
  OpBuilder builder(placeOfCopy(loop, root));
  Location loc = loop.getLoc();
  auto type = cast<tile::BufferType>(root.getType());
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  remarks.emplace_back(loc, ("fragment `" + alloc.getName() +
                             "` goes through shared memory: its elements are not in the lanes that "
                             "use them here")
                                .str());
  auto sharedType =
      tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Shared);
  std::string name = (alloc.getName() + "_staged").str();
  Value shared = tile::AllocOp::create(builder, loc, sharedType, name, Attribute());
  bool isOverwritten = overwritesAll(loop, root);
  if (!isOverwritten)
    moveElements(builder, loc, root, shared);
  bool isStored = false;
  loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer() == root)
      load.getBufferMutable().assign(shared);
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getBuffer() == root) {
      store.getBufferMutable().assign(shared);
      isStored = true;
    }
  });
  if (isStored) {
    builder.setInsertionPointAfter(loop);
    moveElements(builder, loc, shared, root);
    if (!isOverwritten)
      defineAll(alloc);
  }
}

/// The copies around a loop that writes a part of a fragment move all of it: registers that nothing
/// has written yet must not be undefined.
void Staging::defineAll(tile::AllocOp alloc) {
  if (!defined.insert(alloc).second)
    return;
  OpBuilder builder(alloc->getContext());
  builder.setInsertionPointAfter(alloc);
  Type element = alloc.getResult().getType().getElementType();
  Type scalar = tile::scalarTypeOf(element);
  Value zero = arith::ConstantOp::create(builder, alloc.getLoc(), builder.getZeroAttr(scalar));
  tile::FillOp::create(builder, alloc.getLoc(), zero, alloc.getResult());
}

/// Whether shared memory holds all, in the layouts that tiles will get.
bool fitsLaidOut(tile::KernelOp kernel, const TargetInfo &target) {
  OwningOpRef<tile::KernelOp> laidOut(kernel.clone());
  layOutShared(*laidOut, target);
  return SharedMemory(*laidOut, target).fits();
}

void stageFragments(tile::KernelOp kernel, const TargetInfo &target) {
  OwningOpRef<tile::KernelOp> before(kernel.clone());
  std::vector<Staging::Remark> remarks = Staging(kernel, target, /*sparesMemory=*/false).run();
  if (!remarks.empty() && !fitsLaidOut(kernel, target)) {
    kernel.getBody().takeBody(before->getBody());
    remarks = Staging(kernel, target, /*sparesMemory=*/true).run();
  }
  for (auto &[place, text] : remarks)
    emitRemark(place) << text;
}

struct StageFragmentsPass : impl::StageFragmentsPassBase<StageFragmentsPass> {
  using StageFragmentsPassBase::StageFragmentsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      stageFragments(kernel, *chip);
  }
};

} // namespace

} // namespace tilec

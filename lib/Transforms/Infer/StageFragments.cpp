//===- StageFragments.cpp - fragments whose elements other lanes need -----===//
//
// Every access that its loop's layout cannot serve is moved to a shared copy of the fragment. A
// loop has the layout of what it writes; where the copies of what it reads then take more shared
// memory than there is, it has the layout of what it reads, if the results are smaller.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Inference.h"
#include "Layouts/Exchange.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/Stores.h"
#include "Memory/SharedMemory.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

void Inference::stageAll() {
  Operation *before = kernel->clone();
  stageMismatches();
  setSharedLayouts();
  bool fits = SharedMemory(kernel, target).fits();
  if (!fits && !remarks.empty()) {
    kernel.getBody().takeBody(before->getRegion(0));
    defined.clear();
    remarks.clear();
    sparesMemory = true;
    stageMismatches();
    setSharedLayouts();
  }
  before->destroy();
  for (auto &[place, text] : remarks)
    emitRemark(place) << text;
}

void Inference::stageMismatches() {
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
}

/// Fragments of which the loop, with this layout, touches elements of other lanes.
SmallVector<Value> Inference::mismatches(tile::ElementLoop loop, const FragmentLayout &layout) {
  SmallVector<Value> found;
  loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    if (!access || !access->type().isFragment() || llvm::is_contained(found, access->buffer))
      return;
    const FragmentLayout *own = fragmentLayoutOf(access->buffer);
    if (own && !matchRegisters(layout, *own, access->indices, loop))
      found.push_back(access->buffer);
  });
  return found;
}

/// The layout of the first fragment that the loop reads element by element.
const FragmentLayout *Inference::layoutOfReads(tile::ElementLoop loop) {
  const FragmentLayout *found = nullptr;
  loop.walk([&](tile::LoadOp load) {
    const FragmentLayout *own = fragmentLayoutOf(load.getBuffer());
    if (!found && own && ArrayRef(own->shape()) == ArrayRef(*loop.constantExtents()) &&
        llvm::equal(load.getIndices(), loop.ivs()))
      found = own;
  });
  return found;
}

static int64_t bytesOfAll(ArrayRef<Value> buffers) {
  int64_t bytes = 0;
  for (Value buffer : buffers) {
    auto type = cast<tile::BufferType>(buffer.getType());
    bytes += type.numElems() * bytesOf(tile::dtypeOf(type.getElementType()));
  }
  return bytes;
}

/// False when the layout of the loop serves all of its accesses.
bool Inference::stageMismatches(tile::ElementLoop loop) {
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  if (!layout)
    layout = defaultLoopLayout(loop, target, wavesOf(loop, target));
  SmallVector<Value> staged = mismatches(loop, *layout);
  if (const FragmentLayout *reads = sparesMemory ? layoutOfReads(loop) : nullptr)
    if (SmallVector<Value> other = mismatches(loop, *reads);
        !staged.empty() && bytesOfAll(other) < bytesOfAll(staged))
      staged = other;
  for (Value root : staged)
    stage(loop, root);
  return !staged.empty();
}

/// Whether a statement in front of `op`, or of what it stands in, writes the fragment in any case.
static bool isWrittenBefore(Operation *op, Value root) {
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
Operation *Inference::placeOfCopy(tile::ElementLoop loop, Value root) {
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
void Inference::stage(tile::ElementLoop loop, Value root) {
  OpBuilder builder(placeOfCopy(loop, root));
  Location loc = loop.getLoc();
  auto type = cast<tile::BufferType>(root.getType());
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  remarks.push_back({loc, ("fragment `" + alloc.getName() +
                           "` goes through shared memory: its elements are not in the lanes that "
                           "use them here")
                              .str()});
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
void Inference::defineAll(tile::AllocOp alloc) {
  if (!defined.insert(alloc).second)
    return;
  OpBuilder builder(alloc->getContext());
  builder.setInsertionPointAfter(alloc);
  Type element = alloc.getResult().getType().getElementType();
  Type scalar = tile::scalarTypeOf(element);
  Value zero = arith::ConstantOp::create(builder, alloc.getLoc(), builder.getZeroAttr(scalar));
  tile::FillOp::create(builder, alloc.getLoc(), zero, alloc.getResult());
}

/// What is constant is folded later on, and an access that decides a loop's layout may go with it.
/// The loop keeps that layout where its other fragments need it.
void Inference::keepLoopLayouts() {
  kernel.walk([&](tile::ElementLoop loop) {
    Operation *decider = layoutDecider(loop);
    bool stays = decider && isa<tile::StoreOp>(decider) && decider->getParentOp() == loop;
    if (!decider || stays || loop->getParentOfType<tile::ElementLoop>())
      return;
    Value decides = elementAccess(decider)->buffer;
    SmallVector<Value> others =
        mismatches(loop, defaultLoopLayout(loop, target, wavesOf(loop, target)));
    if (llvm::any_of(others, [&](Value buffer) { return buffer != decides; }))
      loop.setLayoutAttr(
          tile::FragmentLayoutAttr::get(loop.getContext(), *layoutFromFragments(loop)));
  });
}

} // namespace tilec

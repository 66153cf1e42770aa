//===- ExpandThreads.cpp - tile operations of single threads, local arrays -===//
//
// Takes tile operations on what one thread owns, gives loops of that thread; and fills, copies and
// reductions of its arrays.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/DecideComparisons.h"
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"
#include "Normalize/Quotients.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDTHREADSPASS
#include "tilec/Transforms/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Tile operations of single threads
//===----------------------------------------------------------------------===//

/// The parallel as loops, which the thread runs in order.
static void serialize(tile::ParallelOp parallel) {
  OpBuilder b(parallel);
  Location loc = parallel.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  IRMapping mapping;
  for (auto [iv, extent] : llvm::zip(parallel.ivs(), parallel.getExtents())) {
    auto loop = tile::ForOp::create(b, loc, zero, extent, one);
    mapping.map(iv, loop.iv());
    b.setInsertionPointToStart(loop.bodyBlock());
  }
  for (Operation &op : *parallel.bodyBlock())
    b.clone(op, mapping);
  parallel.erase();
}

/// dst = combine(dst, src) element by element; expands reductions of local arrays.
static void expandReduce(tile::ReduceOp reduce) {
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  tile::BufferType src = reduce.getSrc().getType(), dst = reduce.getDst().getType();
  tile::ReduceKind kind = reduce.getKind();
  Type scalar = tile::scalarTypeOf(src.getElementType()),
       out = tile::scalarTypeOf(dst.getElementType());
  bool isUnsignedType = isUnsigned(tile::dtypeOf(src.getElementType()));
  if (reduce.getClear())
    makeElementwise(b, loc, reduce.getDst(), [&](OpBuilder &inner, ValueRange) {
      return identityOfElement(inner, loc, kind, dst.getElementType(), isUnsignedType,
                               reduce.getNanPropagate());
    });
  SmallVector<Value> extents;
  for (int64_t size : src.getShape())
    extents.push_back(arith::ConstantIndexOp::create(b, loc, size));
  auto loop = tile::ParallelOp::create(b, loc, extents);
  OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
  SmallVector<Value> from(loop.ivs().begin(), loop.ivs().end()), to(from);
  if (dst.rank() == src.rank())
    to[reduce.getDim()] = arith::ConstantIndexOp::create(inner, loc, 0);
  else
    to.erase(to.begin() + reduce.getDim());
  to.resize(dst.rank(), arith::ConstantIndexOp::create(inner, loc, 0));
  // Of the buffers behind views.
  ElementPlace read = placeOf(reduce.getSrc(), from, inner, loc);
  Value value = tile::LoadOp::create(inner, loc, scalar, read.buffer, read.indices, FloatAttr());
  if (kind == tile::ReduceKind::AbsSum || kind == tile::ReduceKind::AbsMax) {
    Value zero = arith::ConstantOp::create(inner, loc, inner.getZeroAttr(scalar));
    Value negated = isa<FloatType>(scalar)
                        ? arith::NegFOp::create(inner, loc, value).getResult()
                        : arith::SubIOp::create(inner, loc, zero, value).getResult();
    if (!isUnsignedType)
      value = combine(inner, loc, tile::ReduceKind::Max, value, negated, false, true);
  }
  value = convertScalar(inner, loc, value, src.getElementType(), dst.getElementType());
  ElementPlace sum = placeOf(reduce.getDst(), to, inner, loc);
  Value old = tile::LoadOp::create(inner, loc, out, sum.buffer, sum.indices, FloatAttr());
  value = combine(inner, loc, kind, old, value, isUnsignedType, reduce.getNanPropagate());
  tile::StoreOp::create(inner, loc, value, sum.buffer, sum.indices);
  reduce.erase();
}

static bool touchesFragment(Operation *op) {
  auto result = op->walk([](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (auto type = dyn_cast<tile::BufferType>(operand.getType()); type && type.isFragment())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// What the user wrote, for messages.
static llvm::StringRef spelling(Operation *op) {
  return llvm::TypeSwitch<Operation *, llvm::StringRef>(op)
      .Case([](tile::CopyOp) { return "T.copy"; })
      .Case([](tile::FillOp) { return "T.fill"; })
      .Case([](tile::GemmOp) { return "T.gemm"; })
      .Case([](tile::ReduceOp) { return "T.reduce"; })
      .Case([](tile::ScanOp) { return "T.cumsum"; })
      .Default([](Operation *) { return "T.Parallel"; });
}

static bool dependsOn(Value value, Value iv) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *def = values[i].getDefiningOp();
    if (def && isPure(def))
      values.insert(def->operand_begin(), def->operand_end());
  }
  return values.contains(iv);
}

/// Whether both are computed alike.
static bool isSameIndex(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return a == b || (x && y && isMemoryEffectFree(x) && x->getName() == y->getName() &&
                    x->getAttrs() == y->getAttrs() && x->getNumRegions() == 0 &&
                    x->getNumOperands() == y->getNumOperands() &&
                    llvm::all_of_zip(x->getOperands(), y->getOperands(), isSameIndex));
}

/// Whether what is stored is made of the element that it takes the place of, the same one in every
/// iteration.
static bool updatesOneElement(tile::StoreOp store, tile::ParallelOp loop) {
  auto walksAlong = [&](Value index) {
    return llvm::any_of(loop.ivs(), [&](Value iv) { return dependsOn(index, iv); });
  };
  if (llvm::any_of(store.getIndices(), walksAlong))
    return false;
  SmallVector<Value> work = {store.getValue()};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !loop->isAncestor(op) || !seen.insert(op).second)
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && load.getBuffer() == store.getBuffer() &&
        llvm::all_of_zip(load.getIndices(), store.getIndices(), isSameIndex))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Whether all that the loop leaves in local buffers are such updates.
static bool onlyUpdatesLocals(tile::ParallelOp loop) {
  auto result = loop.walk([&](tile::StoreOp store) {
    Operation *root = tile::bufferBehind(store.getBuffer()).getDefiningOp();
    bool isLeft = store.getBuffer().getType().isLocal() && root && !loop->isAncestor(root);
    return isLeft && !updatesOneElement(store, loop) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether the op has to be done by each thread. What is the same in all threads and reads a
/// fragment is done once, and all threads get the result (`s += f[i]` into a variable).
static bool belongsToThread(Operation *op, const tile::Uniformity &uniformity) {
  if (!uniformity.runsPerThread(op))
    return false;
  auto loop = dyn_cast<tile::ParallelOp>(op);
  return !loop || uniformity.usesDiffering(op) || !touchesFragment(op) || !onlyUpdatesLocals(loop);
}

static LogicalResult expandThreadTiles(tile::KernelOp kernel) {
  tile::Uniformity uniformity(kernel);
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!belongsToThread(op, uniformity))
      return WalkResult::advance();
    ops.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : ops) {
    if (isa<tile::PrintOp>(op))
      continue;
    if (isa<tile::GemmOp, tile::ScanOp>(op))
      return Reported(op, DiagId::BlockOperandsDiffer, spelling(op));
    if (touchesFragment(op))
      return Reported(op, DiagId::FragmentByThread, spelling(op));
  }
  for (Operation *op : ops) {
    OpBuilder b(op);
    if (auto copy = dyn_cast<tile::CopyOp>(op))
      expandCopy(b, op->getLoc(), copy.getSrc(), copy.getDst());
    else if (auto fill = dyn_cast<tile::FillOp>(op))
      expandFill(b, op->getLoc(), fill.getValue(), fill.getDst());
    else if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      expandReduce(reduce);
    if (isa<tile::CopyOp, tile::FillOp>(op))
      op->erase();
  }
  // The new loops over elements belong to threads as well: they do what the ops did.
  while (true) {
    tile::Uniformity now(kernel);
    tile::ParallelOp next;
    kernel.walk<WalkOrder::PreOrder>([&](tile::ParallelOp parallel) {
      auto outer = parallel->getParentOfType<tile::ParallelOp>();
      if (!belongsToThread(parallel, now) || outer)
        return WalkResult::advance();
      next = parallel;
      return WalkResult::interrupt();
    });
    if (!next)
      return success();
    serialize(next);
  }
}

//===----------------------------------------------------------------------===//
// Single elements of fragments
//===----------------------------------------------------------------------===//

/// A fragment of one element that all threads set alike, by no tile operation, is a copy in every
/// thread: nobody has to ask another thread for it.
static void keepSingleElements(tile::KernelOp kernel) {
  tile::Uniformity uniformity(kernel);
  auto setsAlike = [&](tile::StoreOp store) {
    return !store->getParentOfType<tile::ParallelOp>() &&
           !uniformity.isDivergent(store->getBlock()) && uniformity.isUniform(store.getValue());
  };
  SmallVector<tile::AllocOp> single;
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    bool isKept = type.isFragment() && type.numElems() == 1 && !alloc.getLayout() &&
                  alloc->getParentOp() == kernel;
    for (Operation *user : alloc->getUsers()) {
      auto store = dyn_cast<tile::StoreOp>(user);
      isKept &= isa<tile::LoadOp>(user) || (store && setsAlike(store));
    }
    if (isKept)
      single.push_back(alloc);
  });
  for (tile::AllocOp alloc : single) {
    tile::BufferType type = alloc.getResult().getType();
    alloc.getResult().setType(
        tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Local));
  }
}

static void stageFragmentElements(tile::KernelOp kernel) {
  SmallVector<Operation *> accesses;
  tile::Uniformity uniformity(kernel);
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ParallelOp>())
      return;
    // Equal stores of equal elements are left to tile-unify-meetings.
    auto store = dyn_cast<tile::StoreOp>(op);
    bool differs =
        store && llvm::any_of(op->getOperands(), [&](Value v) { return !uniformity.isUniform(v); });
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer().getType().isFragment())
      accesses.push_back(op);
    if (differs && store.getBuffer().getType().isFragment())
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    auto load = dyn_cast<tile::LoadOp>(op);
    Value fragment = load ? load.getBuffer() : cast<tile::StoreOp>(op).getBuffer();
    auto type = cast<tile::BufferType>(fragment.getType());
    OpBuilder b(op);
    auto sharedType =
        tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Shared);
    Value copy = tile::AllocOp::create(b, op->getLoc(), sharedType, "elements", Attribute());
    expandCopy(b, op->getLoc(), fragment, copy);
    if (load) {
      load.getBufferMutable().assign(copy);
      continue;
    }
    cast<tile::StoreOp>(op).getBufferMutable().assign(copy);
    b.setInsertionPointAfter(op);
    expandCopy(b, op->getLoc(), copy, fragment);
  }
}

//===----------------------------------------------------------------------===//
// Local arrays
//===----------------------------------------------------------------------===//

static bool picksLocalElement(tile::ForOp loop) {
  auto result = loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    bool hits = access && access->type().isLocal() && access->type().numElems() > 1 &&
                llvm::any_of(access->indices, [&](Value v) { return dependsOn(v, loop.iv()); });
    return hits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Loops whose bounds are known now, at most to `most` ops a loop and `left` in all.
static bool unrollKnownLocalLoops(tile::KernelOp kernel, int64_t most, int64_t &left) {
  constexpr int64_t mostRounds = 256;
  bool unrolled = false;
  for (KnownLoop known : knownLoops(kernel)) {
    if (known.rounds > mostRounds || !picksLocalElement(known.loop))
      continue;
    int64_t ops = 0;
    bool leaves = false;
    known.loop.walk([&](Operation *op) {
      ++ops;
      leaves |= isa<tile::BreakOp>(op);
    });
    if (leaves || known.rounds * ops > std::min(most, left))
      continue;
    left -= known.rounds * ops;
    known.unroll();
    unrolled = true;
  }
  return unrolled;
}

/// An inner loop whose bounds an outer one's variable gives is known once that one is unrolled.
static void unrollLocalLoops(tile::KernelOp kernel) {
  constexpr int64_t mostOps = 8192, mostOfInner = 32768;
  int64_t noLimit = std::numeric_limits<int64_t>::max(), left = mostOfInner;
  if (!unrollKnownLocalLoops(kernel, mostOps, noLimit))
    return;
  while (unrollKnownLocalLoops(kernel, mostOps, left)) {
  }
}

//===----------------------------------------------------------------------===//
// Reads of tensors
//===----------------------------------------------------------------------===//

/// Whether all that a loop of threads does besides arithmetic is to read and write elements, and
/// some of it is reads of tensors that the kernel does not write: those of all rounds may start
/// together.
static bool readsAhead(tile::ForOp loop, const Accesses &ofKernel) {
  bool reads = false;
  auto result = loop.getBody().walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      reads |= load.getBuffer().getType().isGlobal() &&
               !isChangedBy(ofKernel.writes, rootOf(load.getBuffer()));
    bool isPlain = isa<tile::LoadOp, tile::StoreOp, tile::AllocOp>(op) ||
                   (isPure(op) && op->getNumRegions() == 0) ||
                   op->hasTrait<OpTrait::IsTerminator>();
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reads && !result.wasInterrupted();
}

/// Short loops of threads that read tensors: a round waits for what it reads, and neither LLVM nor
/// ptxas moves reads of the next one up.
static void unrollReadingLoops(tile::KernelOp kernel) {
  constexpr int64_t mostRounds = 8, mostOps = 8192;
  std::optional<Accesses> ofKernel;
  for (KnownLoop known : knownLoops(kernel)) {
    int64_t ops = std::distance(known.loop.bodyBlock()->begin(), known.loop.bodyBlock()->end());
    if (known.rounds > mostRounds || known.rounds * ops > mostOps ||
        known.loop.getKind() != tile::LoopKind::Serial)
      continue;
    if (!ofKernel)
      ofKernel = accessesOf(kernel);
    if (readsAhead(known.loop, *ofKernel))
      known.unroll();
  }
}

//===----------------------------------------------------------------------===//
// Stores of the block
//===----------------------------------------------------------------------===//

/// A store to shared memory that all threads do alike is one thread's: waves do not write at once.
static void storeOnce(tile::KernelOp kernel) {
  tile::Uniformity uniformity(kernel);
  SmallVector<tile::StoreOp> stores;
  kernel.walk([&](tile::StoreOp store) {
    bool isAlike =
        !uniformity.isDivergent(store->getBlock()) &&
        llvm::all_of(store->getOperands(), [&](Value v) { return uniformity.isUniform(v); });
    if (isAlike && store.getBuffer().getType().isShared() &&
        !store->getParentOfType<tile::ParallelOp>())
      stores.push_back(store);
  });
  for (tile::StoreOp store : stores) {
    OpBuilder b(store);
    Location loc = store.getLoc();
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          tile::ThreadIdOp::create(b, loc, b.getIndexType()),
                                          arith::ConstantIndexOp::create(b, loc, 0));
    auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    store->moveBefore(branch.thenBlock()->getTerminator());
  }
}

namespace {
struct ExpandThreadsPass : impl::ExpandThreadsPassBase<ExpandThreadsPass> {
  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    auto kernels = program.getBody().getOps<tile::KernelOp>();
    if (llvm::none_of(kernels, [](tile::KernelOp kernel) { return kernel.getLockstep(); }))
      return;
    separateOverlaps(program);
    expandTilesInParallels(program);
    foldViews(program);
    for (tile::KernelOp kernel : kernels) {
      if (!kernel.getLockstep())
        continue;
      if (failed(expandThreadTiles(kernel)))
        return signalPassFailure();
      keepSingleElements(kernel);
      stageFragmentElements(kernel);
      unrollLocalLoops(kernel);
      unrollReadingLoops(kernel);
      shareQuotients(kernel);
      storeOnce(kernel);
    }
    // A barrier in a branch that no thread takes is none, and must not be counted on.
    decideComparisons(program);
  }
};
} // namespace

} // namespace tilec

//===- Scalars.cpp - statements of the block in a form that lanes share ---===//
//
// Outside of T.Parallel a statement happens once per block. Here: reads and writes of
// single fragment elements, scans, and serial loops whose iterations turn out to be
// independent, which become parallels.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

//===----------------------------------------------------------------------===//
// Single elements of fragments
//===----------------------------------------------------------------------===//

namespace {

/// Whether the load reads the only element of a fragment.
bool readsOnlyElement(Operation *op) {
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  return load && load.getBuffer().getDefiningOp<tile::AllocOp>() &&
         load.getBuffer().getType().isFragment() && load.getBuffer().getType().numElems() == 1 &&
         llvm::all_of(load.getIndices(), [](Value v) { return tile::constantInt(v) == 0; });
}

/// Whether anything between the two ops of a block writes the buffer.
bool isWrittenBetween(Value buffer, Operation *first, Operation *last) {
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (llvm::is_contained(accessesOf(op).writes, rootOf(buffer)))
      return true;
  return false;
}

/// What `value` is computed with from only elements of fragments, in front of `user`: loads and
/// pure ops of its block, operands first. False when one of the loads cannot be put off until then.
bool collectScalars(Value value, Operation *user, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != user->getBlock() || ops.contains(op))
    return true;
  if (readsOnlyElement(op)) {
    ops.insert(op);
    return !isWrittenBetween(op->getOperand(0), op, user);
  }
  if (!isPure(op) || op->getNumRegions() != 0)
    return true;
  size_t before = ops.size();
  for (Value operand : op->getOperands())
    if (!collectScalars(operand, user, ops))
      return false;
  bool isScalar = ops.size() != before || llvm::any_of(op->getOperands(), [&](Value operand) {
                    return ops.contains(operand.getDefiningOp());
                  });
  if (isScalar)
    ops.insert(op);
  return true;
}

/// A statement that computes with only elements of fragments, of which all lanes have copies, is a
/// parallel with one iteration: nothing has to pass through shared memory.
bool becomesParallel(tile::StoreOp store) {
  tile::BufferType type = store.getBuffer().getType();
  bool isElement =
      type.isFragment() && type.numElems() == 1 &&
      store.getBuffer().getDefiningOp<tile::AllocOp>() &&
      llvm::all_of(store.getIndices(), [](Value v) { return tile::constantInt(v) == 0; });
  llvm::SetVector<Operation *> ops;
  if ((type.isFragment() && !isElement) || !collectScalars(store.getValue(), store, ops) ||
      ops.empty())
    return false;
  OpBuilder b(store);
  Location loc = store.getLoc();
  SmallVector<Value> extents(std::max<size_t>(1, isElement ? type.rank() : 1),
                             arith::ConstantIndexOp::create(b, loc, 1));
  auto loop = tile::ParallelOp::create(b, loc, extents);
  OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
  IRMapping mapping;
  for (Operation *op : ops)
    inner.clone(*op, mapping);
  SmallVector<Value> indices(store.getIndices());
  if (isElement && !indices.empty())
    indices.assign(loop.ivs().begin(), loop.ivs().end());
  tile::StoreOp::create(inner, loc, mapping.lookupOrDefault(store.getValue()), store.getBuffer(),
                        indices);
  store.erase();
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  return true;
}

void liftScalarStatements(tile::ProgramOp program) {
  SmallVector<tile::StoreOp> stores;
  program.walk([&](tile::StoreOp store) {
    bool isOfBlock = !store->getParentOfType<tile::ParallelOp>() &&
                     !store->getParentOfType<tile::KernelOp>().getLockstep();
    if (isOfBlock && !store.getBuffer().getType().isLocal())
      stores.push_back(store);
  });
  for (tile::StoreOp store : stores)
    becomesParallel(store);
}

} // namespace

/// A write becomes a parallel over the fragment in which one iteration writes; a read goes through
/// a shared copy, which every lane can read.
void liftScalarAccesses(tile::ProgramOp program) {
  liftScalarStatements(program);
  SmallVector<Operation *> accesses;
  program.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ParallelOp>())
      return;
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer().getType().isFragment())
      accesses.push_back(op);
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getBuffer().getType().isFragment())
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      tile::BufferType type = load.getBuffer().getType();
      auto sharedType =
          tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Shared);
      Value copy = tile::AllocOp::create(b, loc, sharedType, "element", Attribute());
      expandCopy(b, loc, load.getBuffer(), copy);
      load.getBufferMutable().assign(copy);
      continue;
    }
    auto store = cast<tile::StoreOp>(op);
    SmallVector<Value> extents;
    for (int64_t size : store.getBuffer().getType().getShape())
      extents.push_back(arith::ConstantIndexOp::create(b, loc, size));
    bool isScalar = extents.empty();
    if (isScalar)
      extents.push_back(arith::ConstantIndexOp::create(b, loc, 1));
    auto loop = tile::ParallelOp::create(b, loc, extents);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
    SmallVector<Value> ivs(loop.ivs().begin(), loop.ivs().end());
    if (isScalar) {
      tile::StoreOp::create(inner, loc, store.getValue(), store.getBuffer(), ValueRange());
    } else {
      Value hit;
      for (auto [iv, index] : llvm::zip(ivs, store.getIndices())) {
        Value same = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, iv, index);
        hit = hit ? arith::AndIOp::create(inner, loc, hit, same).getResult() : same;
      }
      // Select keeps the lanes together; all of them hold their element anyway.
      Type scalar = store.getValue().getType();
      Value old = tile::LoadOp::create(inner, loc, scalar, store.getBuffer(), ivs, FloatAttr());
      Value value = arith::SelectOp::create(inner, loc, hit, store.getValue(), old);
      tile::StoreOp::create(inner, loc, value, store.getBuffer(), ivs);
    }
    store.erase();
  }
}

//===----------------------------------------------------------------------===//
// Serial loops with independent iterations
//===----------------------------------------------------------------------===//

namespace {

/// The loop that is all there is in a body, beside index arithmetic.
tile::ForOp onlyLoopIn(Block &body) {
  tile::ForOp found;
  for (Operation &op : body) {
    if (auto loop = dyn_cast<tile::ForOp>(op)) {
      if (found)
        return {};
      found = loop;
    } else if (!isPure(&op)) {
      return {};
    }
  }
  return found;
}

bool hasConstantBox(tile::ForOp loop) {
  auto lower = tile::constantInt(loop.getLower()), upper = tile::constantInt(loop.getUpper());
  auto step = tile::constantInt(loop.getStep());
  return lower && *lower == 0 && upper && *upper > 1 && step && *step == 1 &&
         loop.getKind() != tile::LoopKind::Pipelined;
}

/// Whether different values of `iv` touch different elements of everything that is written: some
/// dimension is iv plus something that does not vary in the nest, the same in every access.
bool isIndependent(tile::ForOp nest, Value iv) {
  struct Written {
    std::optional<LinearForm> form;
    int64_t dim = -1;
  };
  llvm::MapVector<Value, SmallVector<ValueRange, 4>> accesses;
  llvm::SmallPtrSet<void *, 4> written;
  bool legal = true;
  nest.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      accesses[load.getBuffer()].push_back(load.getIndices());
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      accesses[store.getBuffer()].push_back(store.getIndices());
      written.insert(store.getBuffer().getAsOpaquePointer());
    } else if (!isPure(op) && !isa<tile::ForOp, scf::IfOp, scf::YieldOp>(op)) {
      legal = false;
    }
  });
  if (!legal || written.empty())
    return false;
  for (auto &[buffer, list] : accesses) {
    if (!written.contains(buffer.getAsOpaquePointer()))
      continue;
    if (cast<tile::BufferType>(buffer.getType()).isLocal())
      return false;
    bool separates = false;
    for (size_t d = 0; d < list[0].size() && !separates; ++d) {
      separates = true;
      LinearForm first = linearize(list[0][d]);
      if (first.coefficient(iv) == 0) {
        separates = false;
        continue;
      }
      for (auto [term, factor] : first.terms)
        if (term != iv && nest.getBody().isAncestor(term.getParentRegion()))
          separates = false;
      for (ValueRange other : list) {
        LinearForm difference = linearize(other[d]);
        difference.add(first, -1);
        separates &= difference.terms.empty() && difference.constant == 0;
      }
    }
    if (!separates)
      return false;
  }
  return true;
}

} // namespace

void parallelizeSerialLoops(tile::ProgramOp program) {
  SmallVector<tile::ForOp> nests;
  program.walk<WalkOrder::PreOrder>([&](tile::ForOp loop) {
    if (loop->getParentOfType<tile::ParallelOp>())
      return WalkResult::skip();
    if (loop->getParentOfType<tile::KernelOp>().getLockstep())
      return WalkResult::skip(); // a loop of each thread
    if (!hasConstantBox(loop) || !isIndependent(loop, loop.iv()))
      return WalkResult::advance();
    nests.push_back(loop);
    return WalkResult::skip();
  });
  for (tile::ForOp outer : nests) {
    // As many loops of the perfect nest as are independent.
    SmallVector<tile::ForOp> loops = {outer};
    for (tile::ForOp next = onlyLoopIn(*outer.bodyBlock()); next;
         next = onlyLoopIn(*next.bodyBlock())) {
      if (!hasConstantBox(next) || !isIndependent(outer, next.iv()))
        break;
      loops.push_back(next);
    }
    OpBuilder b(outer);
    Location loc = outer.getLoc();
    SmallVector<Value> extents;
    for (tile::ForOp loop : loops)
      extents.push_back(
          arith::ConstantIndexOp::create(b, loc, *tile::constantInt(loop.getUpper())));
    auto parallel = tile::ParallelOp::create(b, loc, extents);
    OpBuilder inner = OpBuilder::atBlockEnd(parallel.bodyBlock());
    IRMapping mapping;
    for (auto [n, loop] : llvm::enumerate(loops)) {
      mapping.map(loop.iv(), parallel.ivs()[n]);
      bool isLast = n + 1 == loops.size();
      for (Operation &op : *loop.bodyBlock())
        if (isLast || &op != loops[n + 1].getOperation())
          inner.clone(op, mapping);
    }
    outer.erase();
  }
}

//===----------------------------------------------------------------------===//
// Parallels whose extents are known only at run time
//===----------------------------------------------------------------------===//

void chunkDynamicParallels(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> loops;
  program.walk([&](tile::ParallelOp loop) {
    if (!loop.constantExtents() && !loop->getParentOfType<tile::ParallelOp>())
      loops.push_back(loop);
  });
  for (tile::ParallelOp loop : loops) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    int64_t threads = tile::threadsAt(loop);
    SmallVector<Value> bounds, starts(loop.ivs().size());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    // The last dynamic dimension is cut into pieces of a block's lanes, others are walked.
    bool isFirst = true;
    SmallVector<Value> chunks(loop.ivs().size());
    for (int n = int(loop.ivs().size()) - 1; n >= 0; --n) {
      Value extent = loop.getExtents()[n];
      if (tile::constantInt(extent)) {
        chunks[n] = extent;
        continue;
      }
      chunks[n] = arith::ConstantIndexOp::create(b, loc, isFirst ? threads : 1);
      isFirst = false;
    }
    OpBuilder inner = b;
    for (auto [n, extent] : llvm::enumerate(loop.getExtents())) {
      if (tile::constantInt(extent))
        continue;
      auto outer = tile::ForOp::create(inner, loc, zero, extent, chunks[n]);
      starts[n] = outer.iv();
      inner = OpBuilder::atBlockEnd(outer.bodyBlock());
    }
    auto chunk = tile::ParallelOp::create(inner, loc, chunks);
    OpBuilder body = OpBuilder::atBlockEnd(chunk.bodyBlock());
    IRMapping mapping;
    Value isInside;
    for (auto [n, iv] : llvm::enumerate(loop.ivs())) {
      Value at = chunk.ivs()[n];
      if (starts[n]) {
        at = arith::AddIOp::create(body, loc, starts[n], at);
        Value inside =
            arith::CmpIOp::create(body, loc, arith::CmpIPredicate::slt, at, loop.getExtents()[n]);
        isInside =
            isInside ? arith::AndIOp::create(body, loc, isInside, inside).getResult() : inside;
      }
      mapping.map(iv, at);
    }
    auto guard = scf::IfOp::create(body, loc, isInside, /*withElseRegion=*/false);
    OpBuilder guarded = OpBuilder::atBlockBegin(&guard.getThenRegion().front());
    for (Operation &op : *loop.bodyBlock())
      guarded.clone(op, mapping);
    loop.erase();
  }
}

} // namespace tilec

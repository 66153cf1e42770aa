//===- Locals.cpp - where the local buffers of a block are ----------------===//
//
// Outside of lockstep mode a local buffer is one buffer of the block. Where every thread
// would write all of it alike, each thread holds a copy in its registers and nothing has
// to pass between them. What threads write for each other is in shared memory, or, when
// all of its accesses are tile operations and loops over its elements, a fragment.
// Buffers of an iteration of a parallel are left alone: they belong to one thread.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Locals.h"

#include "Layouts/LoopLayout.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tilec {
namespace {

// A copy in every thread: an index that is not constant is a choice among all elements.
constexpr int64_t mostChosenElements = 32;
constexpr int64_t mostHeldElements = 64;

tile::ParallelOp outermostParallel(Operation *op) {
  tile::ParallelOp found;
  for (auto at = op->getParentOfType<tile::ParallelOp>(); at;
       at = at->getParentOfType<tile::ParallelOp>())
    found = at;
  return found;
}

/// The users of the buffer and of its views, without the views.
void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users,
                  SmallVectorImpl<Operation *> &views) {
  for (Operation *user : buffer.getUsers()) {
    if (!isa<tile::SubviewOp, tile::ReshapeOp>(user)) {
      users.push_back(user);
      continue;
    }
    views.push_back(user);
    collectUsers(user->getResult(0), users, views);
  }
}

bool hasOneIteration(tile::ParallelOp loop) {
  return llvm::all_of(loop.getExtents(), [](Value v) { return tile::constantInt(v) == 1; });
}

/// Whether the value may differ between iterations of the parallel.
bool variesIn(Value value, tile::ParallelOp loop) {
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return false;
  Operation *op = value.getDefiningOp();
  return !op || !isPure(op) || op->getNumRegions() != 0 ||
         llvm::any_of(op->getOperands(), [&](Value v) { return variesIn(v, loop); });
}

//===----------------------------------------------------------------------===//
// One value that some iterations write
//===----------------------------------------------------------------------===//

/// Whether several iterations may do the store, and all of them store one value to one element,
/// which the loop does not touch otherwise.
bool isFlag(tile::StoreOp store, tile::ParallelOp loop) {
  Value root = rootOf(store.getBuffer());
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  if (!alloc || loop->isAncestor(alloc) || hasOneIteration(loop) ||
      variesIn(store.getValue(), loop) || variesIn(store.getBuffer(), loop) ||
      llvm::any_of(store.getIndices(), [&](Value v) { return variesIn(v, loop); }))
    return false;
  int64_t accesses = 0;
  loop.walk([&](Operation *op) {
    if (op->getNumRegions() != 0)
      return;
    Accesses all = accessesOf(op);
    accesses += llvm::is_contained(all.reads, root) || llvm::is_contained(all.writes, root);
  });
  return accesses == 1;
}

/// Such a store stands behind the loop, and in the loop whether an iteration does it: a reduction,
/// which all threads get. Else lanes would store on their own.
void gatherFlag(tile::StoreOp store, tile::ParallelOp loop) {
  hoistBefore(store.getValue(), loop);
  hoistBefore(store.getBuffer(), loop);
  for (Value index : store.getIndices())
    hoistBefore(index, loop);
  Location loc = store.getLoc();
  OpBuilder before(loop), inside(store), behind(loop->getContext());
  behind.setInsertionPointAfter(loop);
  auto constant = [&](OpBuilder &b, int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  };
  auto load = [&](OpBuilder &b, Value hit) -> Value {
    return tile::LoadOp::create(b, loc, b.getI32Type(), hit, ValueRange(), FloatAttr());
  };
  auto type = tile::BufferType::get({}, before.getI32Type(), tile::Scope::Local);
  Value hit = tile::AllocOp::create(before, loc, type, "hit", Attribute());
  tile::StoreOp::create(before, loc, constant(before, 0), hit, ValueRange());
  Value most = arith::MaxSIOp::create(inside, loc, load(inside, hit), constant(inside, 1));
  tile::StoreOp::create(inside, loc, most, hit, ValueRange());
  Value isHit = arith::CmpIOp::create(behind, loc, arith::CmpIPredicate::ne, load(behind, hit),
                                      constant(behind, 0));
  auto branch = scf::IfOp::create(behind, loc, isHit, /*withElseRegion=*/false);
  store->moveBefore(&branch.getThenRegion().front(), branch.getThenRegion().front().begin());
}

void gatherFlags(tile::KernelOp kernel) {
  SmallVector<tile::StoreOp> stores;
  kernel.walk([&](tile::StoreOp store) {
    if (tile::ParallelOp loop = outermostParallel(store); loop && isFlag(store, loop))
      stores.push_back(store);
  });
  for (tile::StoreOp store : stores)
    gatherFlag(store, outermostParallel(store));
}

/// A local buffer and all that touches it.
struct Local {
  tile::AllocOp alloc;
  SmallVector<Operation *> users, views;

  explicit Local(tile::AllocOp alloc) : alloc(alloc) {
    collectUsers(alloc.getResult(), users, views);
  }
  tile::BufferType type() { return alloc.getResult().getType(); }
  bool writes(Operation *op) {
    return llvm::is_contained(accessesOf(op).writes, alloc.getResult());
  }
};

//===----------------------------------------------------------------------===//
// A copy in every thread
//===----------------------------------------------------------------------===//

class Placement {
public:
  explicit Placement(tile::KernelOp kernel);

  /// Buffers that threads write for each other.
  SmallVector<Local> sharedOnes();
  /// What writes the others, in the form that every thread runs.
  void expandWrites();

private:
  bool canBeHeld(Local &local);
  bool isHeldBy(Local &local, Operation *write);
  bool isHeld(Value buffer) { return held.contains(rootOf(buffer)); }

  std::vector<Local> locals;
  llvm::SetVector<Value> held; ///< those of which every thread has a copy
};

Placement::Placement(tile::KernelOp kernel) {
  kernel.walk([&](tile::AllocOp alloc) {
    if (alloc.getResult().getType().isLocal() && !outermostParallel(alloc))
      locals.emplace_back(alloc);
  });
  for (Local &local : locals)
    if (canBeHeld(local))
      held.insert(local.alloc.getResult());
  // A copy from a buffer that is not held is no write of every thread.
  for (size_t before = held.size() + 1; before != held.size();) {
    before = held.size();
    for (Local &local : locals)
      if (isHeld(local.alloc.getResult()) && !llvm::all_of(local.users, [&](Operation *user) {
            return !local.writes(user) || isHeldBy(local, user);
          }))
        held.remove(local.alloc.getResult());
  }
}

/// Whether the registers of a thread can serve all accesses.
bool Placement::canBeHeld(Local &local) {
  unsigned bits = bitsOf(tile::dtypeOf(local.type().getElementType()));
  bool isWritten = llvm::any_of(local.users, [&](Operation *user) { return local.writes(user); });
  for (Operation *view : local.views) {
    auto type = cast<tile::BufferType>(view->getResult(0).getType());
    bool isRecast = bitsOf(tile::dtypeOf(type.getElementType())) != bits;
    bool isWrittenThrough = llvm::any_of(view->getResult(0).getUsers(),
                                         [&](Operation *user) { return local.writes(user); });
    if (isa<tile::ReshapeOp>(view) && (isRecast || (isWritten && isWrittenThrough)))
      return false;
  }
  auto isConstant = [](Operation *op) {
    ValueRange indices;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      indices = load.getIndices();
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      indices = store.getIndices();
    else
      return isa<tile::FillOp>(op);
    return llvm::all_of(indices, [](Value v) { return tile::constantInt(v).has_value(); });
  };
  bool isConstantOnly = llvm::all_of(local.users, isConstant);
  return local.type().numElems() <= (isConstantOnly ? mostHeldElements : mostChosenElements);
}

/// Whether every thread can do the write, and writes the same.
bool Placement::isHeldBy(Local &local, Operation *write) {
  tile::ParallelOp loop = outermostParallel(write);
  if (auto store = dyn_cast<tile::StoreOp>(write)) {
    // A reduction over the whole loop gives its result to all threads.
    return !loop || hasOneIteration(loop) ||
           (matchReduction(store) &&
            llvm::none_of(store.getIndices(), [&](Value index) { return variesIn(index, loop); }));
  }
  if (loop)
    return false;
  if (isa<tile::FillOp>(write))
    return true;
  auto copy = dyn_cast<tile::CopyOp>(write);
  if (!copy || rootOf(copy.getSrc()) == local.alloc.getResult())
    return false;
  auto src = cast<tile::BufferType>(copy.getSrc().getType());
  return src.isGlobal() || src.isShared() || isHeld(copy.getSrc());
}

SmallVector<Local> Placement::sharedOnes() {
  SmallVector<Local> result;
  for (Local &local : locals)
    if (!isHeld(local.alloc.getResult()))
      result.push_back(local);
  return result;
}

/// Where element `number` of the buffer is, row by row.
ElementPlace elementOf(OpBuilder &b, Location loc, Value buffer, int64_t number) {
  ArrayRef<int64_t> shape = cast<tile::BufferType>(buffer.getType()).getShape();
  SmallVector<Value> indices(shape.size());
  for (size_t d = shape.size(); d-- > 0; number /= shape[d])
    indices[d] = arith::ConstantIndexOp::create(b, loc, number % shape[d]);
  return placeOf(buffer, indices, b, loc);
}

/// What the fill or copy writes to element `number`.
Value elementWritten(OpBuilder &b, Operation *write, int64_t number) {
  if (auto fill = dyn_cast<tile::FillOp>(write))
    return fill.getValue();
  auto copy = cast<tile::CopyOp>(write);
  Location loc = write->getLoc();
  Type from = copy.getSrc().getType().getElementType();
  ElementPlace place = elementOf(b, loc, copy.getSrc(), number);
  Value value = tile::LoadOp::create(b, loc, tile::scalarTypeOf(from), place.buffer, place.indices,
                                     FloatAttr());
  return convertScalar(b, loc, value, from, copy.getDst().getType().getElementType());
}

/// Fills and copies of held buffers, element by element.
void Placement::expandWrites() {
  llvm::SetVector<Operation *> writes;
  for (Local &local : locals)
    for (Operation *user : local.users)
      if (isHeld(local.alloc.getResult()) && local.writes(user) && !isa<tile::StoreOp>(user))
        writes.insert(user);
  for (Operation *write : writes) {
    auto fill = dyn_cast<tile::FillOp>(write);
    Value dst = fill ? fill.getDst() : cast<tile::CopyOp>(write).getDst();
    OpBuilder b(write);
    for (int64_t n = 0; n < cast<tile::BufferType>(dst.getType()).numElems(); ++n) {
      Value value = elementWritten(b, write, n);
      ElementPlace place = elementOf(b, write->getLoc(), dst, n);
      tile::StoreOp::create(b, write->getLoc(), value, place.buffer, place.indices);
    }
    write->erase();
  }
}

//===----------------------------------------------------------------------===//
// Buffers that threads write for each other
//===----------------------------------------------------------------------===//

void setScope(Local &local, tile::Scope scope) {
  auto change = [&](Value buffer) {
    auto type = cast<tile::BufferType>(buffer.getType());
    buffer.setType(tile::BufferType::get(type.getShape(), type.getElementType(), scope));
  };
  change(local.alloc.getResult());
  for (Operation *view : local.views)
    change(view->getResult(0));
}

/// Whether the loop goes through the elements of a buffer of this shape, each by one iteration when
/// it writes.
bool isOverElements(tile::ParallelOp loop, ValueRange indices, ArrayRef<int64_t> shape,
                    bool isWrite) {
  auto extents = loop.constantExtents();
  if (!extents)
    return false;
  llvm::SmallSet<int, 4> used;
  for (auto [d, iv] : llvm::enumerate(directIndices(indices, loop))) {
    if (iv < 0 && shape[d] == 1 && tile::constantInt(indices[d]) == 0)
      continue;
    if (iv < 0 || !used.insert(iv).second || (*extents)[iv] != shape[d])
      return false;
  }
  for (auto [n, extent] : llvm::enumerate(*extents))
    if (isWrite && extent != 1 && !used.contains(int(n)))
      return false;
  return true;
}

/// Whether the registers of the block serve the access where it is.
bool suitsFragment(Local &local, Operation *user) {
  if (auto gemm = dyn_cast<tile::GemmOp>(user))
    return gemm.getC() == local.alloc.getResult();
  if (isa<tile::CopyOp, tile::FillOp, tile::ReduceOp>(user))
    return !outermostParallel(user);
  auto loop = user->getParentOfType<tile::ParallelOp>();
  if (!loop || loop != outermostParallel(user))
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(user))
    return isOverElements(loop, load.getIndices(), local.type().getShape(), false);
  auto store = dyn_cast<tile::StoreOp>(user);
  return store && isOverElements(loop, store.getIndices(), local.type().getShape(), true);
}

} // namespace

SmallVector<tile::AllocOp> placeLocals(tile::KernelOp kernel) {
  SmallVector<tile::AllocOp> shared;
  if (kernel.getLockstep())
    return shared;
  gatherFlags(kernel);
  Placement placement(kernel);
  for (Local &local : placement.sharedOnes()) {
    setScope(local, tile::Scope::Shared);
    shared.push_back(local.alloc);
  }
  placement.expandWrites();
  return shared;
}

void spreadLocals(ArrayRef<tile::AllocOp> shared) {
  for (tile::AllocOp alloc : shared) {
    Local local(alloc);
    bool isAccumulator = llvm::any_of(local.users, [&](Operation *user) {
      auto gemm = dyn_cast<tile::GemmOp>(user);
      return gemm && gemm.getC() == alloc.getResult();
    });
    bool suits = local.views.empty() && llvm::all_of(local.users, [&](Operation *user) {
                   return suitsFragment(local, user);
                 });
    if (suits || (isAccumulator && local.views.empty()))
      setScope(local, tile::Scope::Fragment);
  }
}

} // namespace tilec

//===- Stream.cpp - large fragments that are used element by element ------===//
//
// A fragment that is filled, changed and stored by loops over its own indices needs no
// place for all of its elements: the loops become one, in which the element is a value
// of the iteration. That is done where the registers of a thread could not hold them.
//
// Loops of one run (neighbours with the same extents) are joined where no iteration
// touches what another iteration of another loop of the run writes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilec {
namespace {

/// Registers of a thread from which on fragments are not held: more than what some targets have.
constexpr int64_t tooManyRegisters = 256;

struct Access {
  Operation *op;
  Value root;
  ValueRange indices;
  bool isWrite;
};

/// An index as the loop's own indices times factors, and a rest.
struct Form {
  SmallVector<int64_t, 4> factors;
  LinearForm rest;

  bool operator==(const Form &other) const {
    if (factors != other.factors || rest.constant != other.rest.constant ||
        rest.terms.size() != other.rest.terms.size())
      return false;
    return llvm::all_of(
        rest.terms, [&](auto &term) { return other.rest.coefficient(term.first) == term.second; });
  }
};

class Run {
public:
  /// Takes the loop in; false when it has other extents or does more than loads and stores.
  bool add(tile::ParallelOp loop);
  /// Whether all loops may run behind the op.
  bool commutesWith(Operation *op);
  void join();

private:
  bool collect(tile::ParallelOp loop, SmallVectorImpl<Access> &found);
  bool isElementwise(Value root);
  bool isIndependent(ArrayRef<Access> accesses);
  SmallVector<Form, 4> formsOf(const Access &access);
  tile::ParallelOp loopOf(Operation *op);

  SmallVector<tile::ParallelOp> loops;
  SmallVector<int64_t, 4> extents;
  llvm::MapVector<Value, SmallVector<Access>> accesses; ///< by buffer, in program order
  llvm::DenseSet<Value> written;
};

/// False when something in the loop has an effect that is no load or store.
bool Run::collect(tile::ParallelOp loop, SmallVectorImpl<Access> &found) {
  auto result = loop.getBody().walk([&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!load && !store)
      return isPure(op) || isa<scf::IfOp, scf::YieldOp, tile::ForOp, tile::AllocOp>(op)
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    Value buffer = load ? Value(load.getBuffer()) : Value(store.getBuffer());
    Operation *owner = buffer.getDefiningOp();
    if (!owner || rootOf(buffer) != buffer)
      return WalkResult::interrupt();
    if (!loop->isProperAncestor(owner)) // else: of the iteration
      found.push_back(
          {op, buffer, load ? ValueRange(load.getIndices()) : store.getIndices(), bool(store)});
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether each thread does many of its iterations.
bool isLarge(ArrayRef<int64_t> extents, tile::ParallelOp loop) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count / int64_t(loop->getParentOfType<tile::KernelOp>().getThreads()) >= 32;
}

bool Run::add(tile::ParallelOp loop) {
  auto own = loop.constantExtents();
  SmallVector<Access> found;
  if (!own || loop.getPart() || (!loops.empty() && ArrayRef(*own) != ArrayRef(extents)) ||
      !isLarge(*own, loop) || !collect(loop, found))
    return false;
  extents.assign(own->begin(), own->end());
  loops.push_back(loop);
  for (Access &access : found) {
    accesses[access.root].push_back(access);
    if (access.isWrite)
      written.insert(access.root);
  }
  return true;
}

bool Run::commutesWith(Operation *op) {
  if (isPure(op) || isa<tile::AllocOp>(op))
    return true;
  if (!isa<tile::ParallelOp, tile::CopyOp, tile::FillOp>(op))
    return false;
  Accesses other = accessesOf(op);
  return llvm::none_of(other.writes, [&](Value root) { return accesses.contains(root); }) &&
         llvm::none_of(other.reads, [&](Value root) { return written.contains(root); });
}

tile::ParallelOp Run::loopOf(Operation *op) {
  auto loop = op->getParentOfType<tile::ParallelOp>();
  while (loop && !llvm::is_contained(loops, loop))
    loop = loop->getParentOfType<tile::ParallelOp>();
  return loop;
}

/// Whether the buffer is a fragment that is used here only, each iteration writing and then reading
/// its own element.
bool Run::isElementwise(Value root) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  auto type = cast<tile::BufferType>(root.getType());
  if (!alloc || !type.isFragment() || type.getShape() != ArrayRef(extents) ||
      bitsOf(tile::dtypeOf(type.getElementType())) < 8)
    return false;
  ArrayRef<Access> own = accesses[root];
  for (Operation *user : root.getUsers())
    if (llvm::none_of(own, [&](const Access &access) { return access.op == user; }))
      return false;
  for (const Access &access : own)
    if (!llvm::equal(access.indices, loopOf(access.op).ivs()))
      return false;
  return own[0].isWrite && isa<tile::ParallelOp>(own[0].op->getParentOp());
}

SmallVector<Form, 4> Run::formsOf(const Access &access) {
  tile::ParallelOp loop = loopOf(access.op);
  SmallVector<Value, 4> ivs(loop.ivs().begin(), loop.ivs().end());
  SmallVector<Form, 4> forms;
  for (Value index : access.indices) {
    LinearForm form = linearize(index);
    Form made;
    for (Value iv : ivs)
      made.factors.push_back(form.coefficient(iv));
    made.rest = form.without(ivs);
    forms.push_back(std::move(made));
  }
  return forms;
}

/// Whether different iterations touch different elements of the buffer, in all loops alike.
bool Run::isIndependent(ArrayRef<Access> own) {
  bool isWritten = written.contains(own[0].root);
  bool isOfOneLoop = llvm::all_of(
      own, [&](const Access &access) { return loopOf(access.op) == loopOf(own[0].op); });
  if (!isWritten || isOfOneLoop)
    return true;
  SmallVector<Form, 4> first = formsOf(own[0]);
  for (const Access &access : own) {
    SmallVector<Form, 4> forms = formsOf(access);
    if (forms != first)
      return false;
    // What the iteration chooses otherwise is not known.
    for (const Form &form : forms)
      for (auto [term, factor] : form.rest.terms)
        if (loopOf(access.op).getBody().isAncestor(term.getParentRegion()))
          return false;
  }
  for (auto [d, extent] : llvm::enumerate(extents))
    if (extent != 1 && llvm::none_of(first, [&, d = d](const Form &form) {
          return form.factors[d] != 0 && llvm::count(form.factors, 0) + 1 == int(extents.size());
        }))
      return false;
  return true;
}

void Run::join() {
  if (loops.empty())
    return;
  SmallVector<Value> streamed;
  int64_t bits = 0;
  for (auto &[root, own] : accesses)
    if (isElementwise(root)) {
      auto type = cast<tile::BufferType>(root.getType());
      streamed.push_back(root);
      bits += type.numElems() * bitsOf(tile::dtypeOf(type.getElementType()));
    }
  int64_t threads = loops[0]->getParentOfType<tile::KernelOp>().getThreads();
  if (bits / 32 / threads < tooManyRegisters)
    return;
  for (auto &[root, own] : accesses)
    if (!llvm::is_contained(streamed, root) && !isIndependent(own))
      return;

  OpBuilder b(loops.back());
  auto joined = tile::ParallelOp::create(b, loops[0].getLoc(), loops.back().getExtents());
  joined->setAttrs(loops[0]->getAttrs());
  b.setInsertionPointToEnd(joined.bodyBlock());
  IRMapping map;
  llvm::DenseSet<Value> elements;
  for (Value root : streamed) {
    auto alloc = root.getDefiningOp<tile::AllocOp>();
    int64_t one[] = {1};
    auto type = tile::BufferType::get(one, alloc.getResult().getType().getElementType(),
                                      tile::Scope::Local);
    Value element = tile::AllocOp::create(b, alloc.getLoc(), type, alloc.getName(), Attribute());
    map.map(root, element);
    elements.insert(element);
  }
  for (tile::ParallelOp loop : loops) {
    map.map(loop.ivs(), joined.ivs());
    for (Operation &op : *loop.bodyBlock())
      b.clone(op, map);
  }
  joined.walk([&](Operation *op) {
    OpBuilder at(op);
    auto place = [&](MutableOperandRange indices) {
      indices.assign(arith::ConstantIndexOp::create(at, op->getLoc(), 0).getResult());
    };
    if (auto load = dyn_cast<tile::LoadOp>(op); load && elements.contains(load.getBuffer()))
      place(load.getIndicesMutable());
    if (auto store = dyn_cast<tile::StoreOp>(op); store && elements.contains(store.getBuffer()))
      place(store.getIndicesMutable());
  });
  for (tile::ParallelOp loop : loops)
    loop.erase();
}

void streamIn(Block &block) {
  Run run;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto loop = dyn_cast<tile::ParallelOp>(op);
    if ((loop && run.add(loop)) || run.commutesWith(&op))
      continue;
    run.join();
    run = Run();
    if (loop)
      run.add(loop);
  }
  run.join();
}

} // namespace

void streamFragments(tile::KernelOp kernel) {
  SmallVector<Block *> blocks;
  kernel->walk([&](Block *block) {
    if (!block->getParentOp()->getParentOfType<tile::ParallelOp>() &&
        !isa<tile::ParallelOp>(block->getParentOp()))
      blocks.push_back(block);
  });
  for (Block *block : blocks)
    streamIn(*block);
}

} // namespace tilec

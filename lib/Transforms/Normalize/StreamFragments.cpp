//===- StreamFragments.cpp - large fragments that are used element by element -===//
//
// A fragment that is filled, changed and stored by loops over its own indices needs no
// place for all of its elements: the loops become one, in which the element is a value
// of the iteration. That is done where the registers of a thread could not hold them.
//
// Loops of one run (neighbours with the same extents) are joined where no iteration
// touches what another iteration of another loop of the run writes. A fill counts as the
// loop over the elements of its tile, and is made one where it is joined.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_STREAMFRAGMENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Registers of a thread from which on fragments are not held: more than what some targets have.
constexpr int64_t tooManyRegisters = 256;

struct Access {
  Operation *op;
  Value root;
  ValueRange indices; ///< none of a fill: its loop's own variables
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
  /// Takes a loop or a fill in; false when it is neither, has other extents or does more than loads
  /// and stores.
  bool add(Operation *op);
  /// Whether all loops may run behind the op.
  bool commutesWith(Operation *op);
  void join();

private:
  bool collect(tile::ElementLoop loop, SmallVectorImpl<Access> &found);
  bool isElementwise(Value root);
  bool isIndependent(ArrayRef<Access> accesses);
  SmallVector<Form, 4> formsOf(const Access &access);
  bool isOfIteration(const Access &access);
  Operation *memberOf(Operation *op);
  SmallVector<tile::ElementLoop> loopsOfMembers();

  SmallVector<Operation *> members; ///< parallels and fills
  SmallVector<int64_t, 4> extents;
  llvm::MapVector<Value, SmallVector<Access>> accesses; ///< by buffer, in program order
  llvm::DenseSet<Value> written;
};

/// False when something in the loop has an effect that is no load or store.
bool Run::collect(tile::ElementLoop loop, SmallVectorImpl<Access> &found) {
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
bool isLarge(ArrayRef<int64_t> extents, Operation *member) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count / tile::threadsAt(member) >= 32;
}

/// The extents of a loop or of the tile that a fill fills; nothing of other ops, of parts of loops
/// and where they are not known.
std::optional<SmallVector<int64_t, 4>> extentsOf(Operation *op) {
  if (auto fill = dyn_cast<tile::FillOp>(op))
    return SmallVector<int64_t, 4>(fill.getDst().getType().getShape());
  auto loop = dyn_cast<tile::ElementLoop>(op);
  return loop && !loop.getPart() ? loop.constantExtents() : std::nullopt;
}

bool Run::add(Operation *op) {
  auto own = extentsOf(op);
  SmallVector<Access> found;
  if (!own || (!members.empty() && ArrayRef(*own) != ArrayRef(extents)) || !isLarge(*own, op))
    return false;
  if (auto fill = dyn_cast<tile::FillOp>(op))
    found.push_back({fill, fill.getDst(), {}, /*isWrite=*/true});
  else if (!collect(cast<tile::ElementLoop>(op), found))
    return false;
  extents.assign(own->begin(), own->end());
  members.push_back(op);
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
  if (!isa<tile::ElementLoop, tile::CopyOp, tile::FillOp>(op))
    return false;
  Accesses other = accessesOf(op);
  return llvm::none_of(other.writes, [&](Value root) { return accesses.contains(root); }) &&
         llvm::none_of(other.reads, [&](Value root) { return written.contains(root); });
}

Operation *Run::memberOf(Operation *op) {
  while (op && !llvm::is_contained(members, op))
    op = op->getParentOp();
  return op;
}

/// Whether it is of the element that has the loop's own variables for indices.
bool Run::isOfIteration(const Access &access) {
  auto loop = dyn_cast<tile::ElementLoop>(memberOf(access.op));
  return !loop || llvm::equal(access.indices, loop.ivs());
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
  if (!llvm::all_of(own, [&](const Access &access) { return isOfIteration(access); }))
    return false;
  return own[0].isWrite &&
         (isa<tile::FillOp>(own[0].op) || isa<tile::ElementLoop>(own[0].op->getParentOp()));
}

SmallVector<Form, 4> Run::formsOf(const Access &access) {
  SmallVector<Form, 4> forms;
  auto loop = dyn_cast<tile::ElementLoop>(memberOf(access.op));
  if (!loop) {
    for (size_t d = 0; d < extents.size(); ++d) {
      Form &form = forms.emplace_back();
      form.factors.assign(extents.size(), 0);
      form.factors[d] = 1;
    }
    return forms;
  }
  SmallVector<Value, 4> ivs(loop.ivs().begin(), loop.ivs().end());
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
      own, [&](const Access &access) { return memberOf(access.op) == memberOf(own[0].op); });
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
        if (memberOf(access.op)->isAncestor(term.getParentRegion()->getParentOp()))
          return false;
  }
  for (auto [d, extent] : llvm::enumerate(extents))
    if (extent != 1 && llvm::none_of(first, [&, d = d](const Form &form) {
          return form.factors[d] != 0 && llvm::count(form.factors, 0) + 1 == int(extents.size());
        }))
      return false;
  return true;
}

SmallVector<tile::ElementLoop> Run::loopsOfMembers() {
  SmallVector<tile::ElementLoop> loops;
  for (Operation *member : members) {
    auto fill = dyn_cast<tile::FillOp>(member);
    if (!fill) {
      loops.push_back(cast<tile::ElementLoop>(member));
      continue;
    }
    OpBuilder b(fill);
    loops.push_back(expandFill(b, fill.getLoc(), fill.getValue(), fill.getDst()));
    fill.erase();
  }
  return loops;
}

void Run::join() {
  if (members.empty())
    return;
  SmallVector<Value> streamed;
  int64_t bits = 0;
  for (auto &[root, own] : accesses)
    if (isElementwise(root)) {
      auto type = cast<tile::BufferType>(root.getType());
      streamed.push_back(root);
      bits += type.numElems() * bitsOf(tile::dtypeOf(type.getElementType()));
    }
  int64_t threads = tile::threadsAt(members[0]);
  if (bits / 32 / threads < tooManyRegisters)
    return;
  for (auto &[root, own] : accesses)
    if (!llvm::is_contained(streamed, root) && !isIndependent(own))
      return;

  SmallVector<tile::ElementLoop> loops = loopsOfMembers();
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
  for (tile::ElementLoop loop : loops) {
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
  for (tile::ElementLoop loop : loops)
    loop.erase();
}

void streamIn(Block &block) {
  Run run;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (run.add(&op) || run.commutesWith(&op))
      continue;
    run.join();
    run = Run();
    run.add(&op);
  }
  run.join();
}

} // namespace

static void streamFragments(tile::KernelOp kernel) {
  SmallVector<Block *> blocks;
  kernel->walk([&](Block *block) {
    if (!block->getParentOp()->getParentOfType<tile::ElementLoop>() &&
        !isa<tile::ElementLoop>(block->getParentOp()))
      blocks.push_back(block);
  });
  for (Block *block : blocks)
    streamIn(*block);
}

namespace {
struct StreamFragmentsPass : impl::StreamFragmentsPassBase<StreamFragmentsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep())
        streamFragments(kernel);
  }
};
} // namespace

} // namespace tilec

//===- UnifyMeetings.cpp - where threads meet, all of them pass -----------===//
//
//   if (c) { S1; meet; S2 }   becomes   if (c) { S1 }; meet active(c); if (c) { S2 }
//
// so that barriers are reached by the whole block and exchanges by whole waves. A tile
// operation is done by all threads of the block, if any of them gets there: which threads
// move a tile is not part of its meaning (docs/machine-code/lockstep.md).
//
// Waves are whole on every target. Where `threads` is no multiple of the wave, the kernel is
// rewritten as one whose body only the first `threads` threads enter. The others come along
// where all do: they take the same branches and loops, hold the values that are the same for
// all, and pass meetings, where they take no part. They touch no memory on their own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"
#include "Normalize/ThreadValues.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Reported.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UNIFYMEETINGSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool isExchange(Operation *op) {
  return isa<tile::ShuffleOp, tile::VoteOp, tile::BallotOp, tile::MatchOp, tile::WarpReduceOp>(op);
}

bool meets(Operation *op) {
  return isExchange(op) ||
         isa<tile::SyncThreadsOp, tile::GridSyncOp, tile::SyncWarpOp, tile::BlockVoteOp>(op) ||
         (tile::isTileOperation(op) && !isa<tile::PrintOp>(op));
}

bool hasMeeting(Operation *op) {
  if (meets(op))
    return true;
  auto result = op->walk([](Operation *inner) {
    return meets(inner) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Rewrites one kernel. `emit` functions put ops at `b`'s insertion point, which is always a place
/// that the whole block reaches.
class Meetings {
public:
  explicit Meetings(tile::KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult visit(Block &block);
  /// Emits ops of a region that only `active` threads enter; their block is emptied. `forAll`: all
  /// threads that there are enter it, and those that are not come along.
  LogicalResult emitRegion(Block &block, Value active, bool forAll = false);
  LogicalResult emitForAll(Block &block, Value active);
  bool isWritten(Value buffer) const;
  void loadForAll(tile::LoadOp load, Value active);
  bool isTakenByAll(Operation *op) const;
  bool isCut(Operation *op, bool forAll) const;
  bool isDoneByAll(Operation &op) const;
  LogicalResult emitMeeting(Operation *op, Value active);
  void emitPiece(ArrayRef<Operation *> ops, Value active);
  llvm::DenseSet<Operation *> opsThatFeedCuts(Block &block, bool forAll) const;
  llvm::SetVector<Operation *> sharedOps(Block &block, bool forAll);
  /// Whether there was anything to carry.
  bool carryValues(Block &block, bool forAll);
  bool carry(Value result, Block &block, llvm::function_ref<bool(Operation *)> isBeyond);
  bool isUniform(Value v) const { return uniformity->isUniform(v) && !differing.contains(v); }
  Value negate(Value condition, Location loc);
  Value zeroOf(Type type, Location loc);
  void maskLoad(Value loaded, Value active);
  void clearRegisters(tile::AllocOp alloc);
  Value both(Value x, Value y, Location loc);
  /// Whether any thread of the block is active; null: at least one always is.
  Value anyThread(Value active, Location loc);
  LogicalResult checkOperands(Operation *op);
  LogicalResult checkLeaves(tile::ForOp loop);
  LogicalResult emitUnevenLoop(tile::ForOp loop, Value active);

  tile::KernelOp kernel;
  std::optional<tile::Uniformity> uniformity;
  llvm::DenseSet<Value> differing; ///< made here
  llvm::DenseSet<Value> written;   ///< buffers
  OpBuilder b;
};

Value Meetings::negate(Value condition, Location loc) {
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, loc, condition, yes);
}

Value Meetings::zeroOf(Type type, Location loc) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

/// A thread that is not active may never have set its own register.
void Meetings::maskLoad(Value loaded, Value active) {
  Location loc = loaded.getLoc();
  Value zero = zeroOf(loaded.getType(), loc);
  auto masked = arith::SelectOp::create(b, loc, active, loaded, zero);
  loaded.replaceAllUsesExcept(masked, masked);
  differing.insert(masked);
}

/// Threads that are not there never set what only those that are do.
void Meetings::clearRegisters(tile::AllocOp alloc) {
  constexpr int64_t most = 256; // elements: larger arrays are not in registers anyway
  auto type = cast<tile::BufferType>(alloc.getResult().getType());
  if (!type.isLocal() || type.numElems() > most)
    return;
  Location loc = alloc.getLoc();
  Value zero = zeroOf(tile::scalarTypeOf(type.getElementType()), loc);
  for (int64_t n = 0; n < type.numElems(); ++n) {
    SmallVector<Value> at(type.rank());
    int64_t rest = n;
    for (int64_t d = type.rank() - 1; d >= 0; rest /= type.getShape()[d--])
      at[d] = arith::ConstantIndexOp::create(b, loc, rest % type.getShape()[d]);
    tile::StoreOp::create(b, loc, zero, alloc.getResult(), at);
  }
}

Value Meetings::both(Value x, Value y, Location loc) {
  return x ? arith::AndIOp::create(b, loc, x, y).getResult() : y;
}

Value Meetings::anyThread(Value active, Location loc) {
  ThreadValues values(kernel.getThreads());
  if (const std::vector<int64_t> *row = values.of(active);
      row && llvm::any_of(*row, [](int64_t holds) { return holds != 0; }))
    return nullptr;
  Value any =
      tile::BlockVoteOp::create(b, loc, b.getI32Type(), tile::VoteKind::Any, active, Value(),
                                /*shared_place=*/{});
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, any, zero);
}

//===----------------------------------------------------------------------===//
// Values between the pieces of a region
//===----------------------------------------------------------------------===//

/// What costs nothing where it is not wanted, and does no harm.
static bool mayRunAnywhere(Operation *op) {
  if (isa<tile::AllocOp>(op))
    return true;
  if (!isPure(op) || op->getNumRegions() != 0)
    return false;
  if (op->getNumOperands() == 2 &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    std::optional<int64_t> by = tile::constantInt(op->getOperand(1));
    return by && *by > 0;
  }
  return true;
}

/// Ops of the block whose results a cut uses, directly or through arithmetic.
llvm::DenseSet<Operation *> Meetings::opsThatFeedCuts(Block &block, bool forAll) const {
  llvm::DenseSet<Operation *> result;
  for (Operation &op : llvm::reverse(block)) {
    bool feeds = llvm::any_of(op.getUsers(), [&](Operation *user) {
      Operation *top = block.findAncestorOpInBlock(*user);
      return top && (isCut(top, forAll) || (mayRunAnywhere(top) && result.contains(top)));
    });
    if (feeds)
      result.insert(&op);
  }
  return result;
}

/// Where all threads come by: what is the same for all of them, so that those that are not there
/// take the same way.
bool Meetings::isDoneByAll(Operation &op) const {
  auto areUniform = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return isUniform(v); });
  };
  if (isa<tile::BreakOp, tile::AssumeOp, tile::SchedBarrierOp, tile::SetPrioOp>(op))
    return true;
  if (isa<tile::LoadOp>(op))
    return areUniform(op.getResults());
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return store.getBuffer().getType().isLocal() && areUniform(op.getOperands());
  return isPure(&op) && op.getNumRegions() == 0 && areUniform(op.getResults());
}

/// Arithmetic does not mind what is stored before it.
static bool minds(Operation *op) { return !isa<tile::AllocOp>(op) && !isPure(op); }

/// A loop or branch that all threads enter alike.
bool Meetings::isTakenByAll(Operation *op) const {
  return isa<scf::IfOp, tile::ForOp, tile::WhileOp>(op) && op->getNumResults() == 0 &&
         llvm::none_of(op->getRegions(), [&](Region &region) {
           return !region.empty() && uniformity->isDivergent(&region.front());
         });
}

/// Whether the region is cut at this op.
bool Meetings::isCut(Operation *op, bool forAll) const {
  return hasMeeting(op) || (forAll && isTakenByAll(op));
}

/// Ops of the block that every thread may do: arithmetic, and loads that a meeting needs, of the
/// thread's own registers or of a place that is the same for all.
llvm::SetVector<Operation *> Meetings::sharedOps(Block &block, bool forAll) {
  llvm::SetVector<Operation *> result;
  llvm::DenseSet<Operation *> feeding = opsThatFeedCuts(block, forAll);
  for (Operation &op : block) {
    auto load = dyn_cast<tile::LoadOp>(op);
    bool mayLoad =
        load && feeding.contains(load) &&
        (load.getBuffer().getType().isLocal() || uniformity->isUniform(load.getResult()));
    bool hasOperands = llvm::all_of(op.getOperands(), [&](Value v) {
      Operation *def = v.getDefiningOp();
      return !def || def->getBlock() != &block || result.contains(def) || isCut(def, forAll);
    });
    bool mayShare = mayRunAnywhere(&op) || mayLoad || (forAll && isDoneByAll(op));
    if (!isCut(&op, forAll) && hasOperands && mayShare)
      result.insert(&op);
  }
  return result;
}

/// Scalars that are used beyond the piece that makes them go through a local buffer.
bool Meetings::carryValues(Block &block, bool forAll) {
  llvm::SetVector<Operation *> shared = sharedOps(block, forAll);
  llvm::DenseMap<Operation *, int> pieceOf;
  int piece = 0;
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    bool isBoundary = isCut(&op, forAll) || (shared.contains(&op) && minds(&op));
    piece += isBoundary;
    pieceOf[&op] = piece;
    piece += isBoundary;
    ops.push_back(&op);
  }
  bool isAny = false;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (!isCut(op, forAll) && !shared.contains(op) && !isa<tile::BufferType>(result.getType()))
        isAny |= carry(result, block,
                       [&](Operation *user) { return pieceOf.lookup(user) != pieceOf.lookup(op); });
  return isAny;
}

bool Meetings::carry(Value result, Block &block, llvm::function_ref<bool(Operation *)> isBeyond) {
  SmallVector<OpOperand *> later;
  for (OpOperand &use : result.getUses())
    if (Operation *user = block.findAncestorOpInBlock(*use.getOwner()); user && isBeyond(user))
      later.push_back(&use);
  if (later.empty())
    return false;
  Location loc = result.getLoc();
  Type scalar = result.getType(), stored = scalar.isIndex() ? Type(b.getI32Type()) : scalar;
  auto type = tile::BufferType::get({}, stored, tile::Scope::Local);
  Value carried = tile::AllocOp::create(b, loc, type, "carried", Attribute());
  // Threads that do not make the value have one as well: what is undefined must not be computed
  // with.
  tile::StoreOp::create(b, loc, zeroOf(stored, loc), carried, ValueRange());
  OpBuilder after(b.getContext());
  after.setInsertionPointAfter(result.getDefiningOp());
  Value value = result;
  if (scalar.isIndex())
    value = arith::IndexCastOp::create(after, loc, stored, value);
  tile::StoreOp::create(after, loc, value, carried, ValueRange());
  for (OpOperand *use : later) {
    // Outside of a nested meeting, so that all its threads have it.
    OpBuilder before(block.findAncestorOpInBlock(*use->getOwner()));
    Value loaded = tile::LoadOp::create(before, loc, stored, carried, ValueRange(), FloatAttr());
    differing.insert(loaded);
    if (scalar.isIndex())
      loaded = arith::IndexCastOp::create(before, loc, scalar, loaded);
    use->set(loaded);
    differing.insert(loaded);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void Meetings::emitPiece(ArrayRef<Operation *> ops, Value active) {
  if (ops.empty())
    return;
  OpBuilder::InsertionGuard insertion(b);
  if (active)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, ops.front()->getLoc(), active, /*withElseRegion=*/false).thenBlock());
  for (Operation *op : ops) {
    op->remove();
    b.insert(op);
  }
}

/// What an op of the whole block is given must be the same in all threads.
LogicalResult Meetings::checkOperands(Operation *op) {
  WalkResult result = op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      bool isInside = operand.getDefiningOp() && op->isProperAncestor(operand.getDefiningOp());
      if (isInside || isa<tile::BufferType>(operand.getType()) || isUniform(operand))
        continue;
      (void)Reported(inner, DiagId::MeetingOperand);
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Meetings::emitMeeting(Operation *op, Value active) {
  Location loc = op->getLoc();
  auto place = [&](Operation *moved) {
    moved->remove();
    b.insert(moved);
  };
  if (isa<tile::SyncThreadsOp, tile::GridSyncOp, tile::SyncWarpOp>(op)) {
    place(op);
    return success();
  }
  if (isExchange(op) || isa<tile::BlockVoteOp>(op)) {
    auto narrow = [&](auto meeting) {
      Value takesPart = both(meeting.getActive(), active, loc);
      place(op);
      meeting.getActiveMutable().assign(takesPart);
      return success();
    };
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<tile::ShuffleOp, tile::VoteOp, tile::BallotOp, tile::MatchOp, tile::WarpReduceOp,
              tile::BlockVoteOp>(narrow);
  }
  if (tile::isTileOperation(op)) {
    if (failed(checkOperands(op)))
      return failure();
    Value any = anyThread(active, loc);
    OpBuilder::InsertionGuard insertion(b);
    if (any)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, any, /*withElseRegion=*/false).thenBlock());
    place(op);
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults() != 0)
      return Reported(op, DiagId::MeetingInValue);
    Value condition = branch.getCondition();
    bool isSame = isUniform(condition);
    for (bool side : {true, false}) {
      Region &region = side ? branch.getThenRegion() : branch.getElseRegion();
      if (region.empty())
        continue;
      Value here = side ? condition : negate(condition, loc);
      OpBuilder::InsertionGuard insertion(b);
      if (isSame)
        b.setInsertionPointToStart(
            scf::IfOp::create(b, loc, here, /*withElseRegion=*/false).thenBlock());
      if (failed(emitRegion(region.front(), isSame ? active : both(active, here, loc))))
        return failure();
    }
    op->erase();
    return success();
  }
  if (auto loop = dyn_cast<tile::ForOp>(op)) {
    if (failed(checkLeaves(loop)))
      return failure();
    if (llvm::any_of(op->getOperands(), [&](Value v) { return !isUniform(v); }))
      return emitUnevenLoop(loop, active);
    auto fresh = tile::ForOp::create(b, loc, loop.getLower(), loop.getUpper(), loop.getStep());
    loop.iv().replaceAllUsesWith(fresh.iv());
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToEnd(fresh.bodyBlock());
    if (failed(emitRegion(*loop.bodyBlock(), active)))
      return failure();
    op->erase();
    return success();
  }
  return Reported(op, DiagId::MeetingInWhile);
}

LogicalResult Meetings::checkLeaves(tile::ForOp loop) {
  auto leaves = loop.walk([](tile::BreakOp) { return WalkResult::interrupt(); });
  if (!leaves.wasInterrupted())
    return success();
  return Reported(loop, DiagId::MeetingAndBreak);
}

/// All threads go as many rounds as the one that goes most.
LogicalResult Meetings::emitUnevenLoop(tile::ForOp loop, Value active) {
  Location loc = loop.getLoc();
  std::optional<int64_t> step = tile::constantInt(loop.getStep());
  if (!step || *step == 0)
    return Reported(loop, DiagId::MeetingStep);
  Value first = *step > 0 ? loop.getLower() : loop.getUpper();
  Value end = *step > 0 ? loop.getUpper() : loop.getLower();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value span = arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, end, first), zero);
  Value rounds = arith::CeilDivSIOp::create(
      b, loc, span, arith::ConstantIndexOp::create(b, loc, std::abs(*step)));
  if (active)
    rounds = arith::SelectOp::create(b, loc, active, rounds, zero);

  auto type = tile::BufferType::get({1}, b.getI32Type(), tile::Scope::Shared);
  Value most = tile::AllocOp::create(b, loc, type, "rounds", Attribute());
  tile::FillOp::create(b, loc, arith::ConstantIntOp::create(b, loc, 0, 32), most);
  Value own = arith::IndexCastOp::create(b, loc, b.getI32Type(), rounds);
  tile::AtomicOp::create(b, loc, b.getI32Type(), tile::AtomicKind::Max, own, most, zero,
                         /*is_unsigned=*/false);
  tile::SyncThreadsOp::create(b, loc);
  Value all = tile::LoadOp::create(b, loc, b.getI32Type(), most, zero, FloatAttr());
  all = arith::IndexCastOp::create(b, loc, b.getIndexType(), all);

  auto fresh = tile::ForOp::create(b, loc, zero, all, one);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToEnd(fresh.bodyBlock());
  Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, fresh.iv(), rounds);
  Value iv = arith::MulIOp::create(b, loc, fresh.iv(), loop.getStep());
  iv = arith::AddIOp::create(b, loc, loop.getLower(), iv);
  if (!isUniform(loop.getLower()))
    differing.insert(iv);
  loop.iv().replaceAllUsesWith(iv);
  if (failed(emitRegion(*loop.bodyBlock(), here)))
    return failure();
  loop.erase();
  return success();
}

/// Whether a load of the buffer asks for an order: threads write it, or tile operations do.
bool Meetings::isWritten(Value buffer) const {
  auto type = cast<tile::BufferType>(buffer.getType());
  return !type.isLocal() && (type.isShared() || written.contains(rootOf(buffer)));
}

/// A load that is the same for all threads of a branch, of what some of them may have written
/// before and may write behind it: all threads of the block load it where any takes the branch,
/// between barriers.
void Meetings::loadForAll(tile::LoadOp load, Value active) {
  Location loc = load.getLoc();
  Type type = load.getResult().getType();
  Value any = anyThread(active, loc);
  Value carried;
  if (any) {
    auto local = tile::BufferType::get({}, type, tile::Scope::Local);
    carried = tile::AllocOp::create(b, loc, local, "carried", Attribute());
    tile::StoreOp::create(b, loc, zeroOf(type, loc), carried, ValueRange());
  }
  {
    OpBuilder::InsertionGuard insertion(b);
    if (any)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, any, /*withElseRegion=*/false).thenBlock());
    tile::SyncThreadsOp::create(b, loc);
    load->remove();
    b.insert(load);
    if (any)
      tile::StoreOp::create(b, loc, load.getResult(), carried, ValueRange());
    tile::SyncThreadsOp::create(b, loc);
  }
  if (!any)
    return;
  auto again = tile::LoadOp::create(b, loc, type, carried, ValueRange(), FloatAttr());
  load.getResult().replaceUsesWithIf(again.getResult(), [&](OpOperand &use) {
    return use.getOwner()->getBlock() != load->getBlock();
  });
}

LogicalResult Meetings::emitRegion(Block &block, Value active, bool forAll) {
  // A value that is loaded again may end a piece, too, and then more has to be carried.
  while (carryValues(block, forAll)) {
  }
  llvm::SetVector<Operation *> shared = sharedOps(block, forAll);
  SmallVector<Operation *> piece, ops;
  for (Operation &op : block)
    if (!isa<scf::YieldOp>(op))
      ops.push_back(&op);
  for (Operation *op : ops) {
    bool isShared = shared.contains(op);
    if (!isShared && !isCut(op, forAll)) {
      piece.push_back(op);
      continue;
    }
    if (!isShared || minds(op)) {
      emitPiece(piece, active);
      piece.clear();
    }
    auto load = dyn_cast<tile::LoadOp>(op);
    if (isShared && load && active && !forAll && isWritten(load.getBuffer())) {
      loadForAll(load, active);
    } else if (isShared) {
      op->remove();
      b.insert(op);
      if (auto alloc = dyn_cast<tile::AllocOp>(op); alloc && forAll)
        clearRegisters(alloc);
      if (isa<tile::LoadOp>(op) && active && !isUniform(op->getResult(0)))
        maskLoad(op->getResult(0), active);
    } else if (forAll && isTakenByAll(op)) {
      op->remove();
      b.insert(op);
      for (Region &region : op->getRegions())
        if (!region.empty() && failed(emitForAll(region.front(), active)))
          return failure();
    } else if (failed(emitMeeting(op, active))) {
      return failure();
    }
  }
  emitPiece(piece, active);
  return success();
}

/// A block that all threads enter, in place.
LogicalResult Meetings::emitForAll(Block &block, Value active) {
  Block source;
  bool hasTerminator = !block.empty() && block.back().hasTrait<OpTrait::IsTerminator>();
  Block::iterator end = hasTerminator ? Block::iterator(block.back()) : block.end();
  source.getOperations().splice(source.end(), block.getOperations(), block.begin(), end);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPoint(&block, end);
  return emitRegion(source, active, /*forAll=*/true);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A block that all threads reach.
LogicalResult Meetings::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumRegions() == 0 || isa<tile::ParallelOp>(op) || !hasMeeting(&op))
      continue;
    bool isDivergent = llvm::any_of(op.getRegions(), [&](Region &region) {
      return !region.empty() && uniformity->isDivergent(&region.front());
    });
    if (isDivergent) {
      b.setInsertionPoint(&op);
      if (failed(emitMeeting(&op, nullptr)))
        return failure();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(visit(inner)))
          return failure();
  }
  return success();
}

LogicalResult Meetings::run() {
  kernel.walk([&](Operation *op) {
    if (op->getNumRegions() == 0)
      written.insert_range(accessesOf(op).writes);
  });
  Block &body = kernel.getBody().front();
  if (hasWholeWaves(kernel)) {
    uniformity.emplace(kernel);
    return visit(body);
  }
  b.setInsertionPointToStart(&body);
  Location loc = kernel.getLoc();
  Value thread = tile::ThreadIdOp::create(b, loc, b.getIndexType());
  Value isThere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread,
                            arith::ConstantIndexOp::create(b, loc, kernel.getThreads()));
  uniformity.emplace(kernel);
  return emitForAll(body, isThere);
}

} // namespace

static LogicalResult makeMeetingsUniform(tile::KernelOp kernel) { return Meetings(kernel).run(); }

namespace {
struct UnifyMeetingsPass : impl::UnifyMeetingsPassBase<UnifyMeetingsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (kernel.getLockstep() && failed(makeMeetingsUniform(kernel)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace tilec

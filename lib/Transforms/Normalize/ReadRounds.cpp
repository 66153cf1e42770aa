//===- ReadRounds.cpp - rounds whose reads of tensors start together -------===//
//
// A short loop that brings tiles to registers and works on them waits for memory once a round: of
// bodies as long as these neither LLVM nor ptxas moves a read into the round before.
//
//   for k in [0, 2): a = A[k]; b = B[k]; c += a * b
//
// becomes, where a thread's registers hold what all rounds read,
//
//   a = A[0]; b = B[0]; a' = A[1]; b' = B[1]; c += a * b; c += a' * b'
//
// Longer loops are left alone: ptxas reads several rounds of small bodies ahead itself, and in
// blocks that fill a multiprocessor more reads in flight cost 9 % (preprocessing of sparse
// attention's backward pass).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_READROUNDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

constexpr int64_t mostRounds = 8, mostBytes = 128; // of a thread, in flight

class ReadRounds {
public:
  explicit ReadRounds(tile::ForOp loop) : loop(loop), all(accessesOf(loop)) {}

  /// Whether the loop is one of these.
  bool find();
  void rewrite();

private:
  /// Adds the arithmetic of the body that an operand of the move is computed by.
  bool addArithmetic(tile::MoveOp move);
  /// Whether the move writes all of a tile that only the loop uses, and before it a round does no
  /// more than fill it.
  bool isFirstWrite(tile::MoveOp move);
  void addMove(tile::MoveOp move);

  tile::ForOp loop;
  Accesses all;
  SmallVector<tile::MoveOp> moves;
  llvm::SmallPtrSet<Operation *, 4> dead; // fills of what a move fills
  llvm::SetVector<Operation *> arithmetic;
  int64_t bytes = 0; // that a round reads
  int64_t rounds = 0;
};

/// What a body may have: nothing that threads wait for, or that decides what runs.
bool isPlain(Operation &op) {
  return isa<tile::ElementLoop, tile::FillOp, tile::ReduceOp, tile::AllocOp, tile::LoadOp,
             tile::StoreOp>(op) ||
         (isPure(&op) && op.getNumRegions() == 0);
}

bool ReadRounds::addArithmetic(tile::MoveOp move) {
  llvm::SetVector<Operation *> found;
  SmallVector<Operation *> work = {move};
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    bool isWhole = true;
    user->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *op = operand.getDefiningOp();
        if (!op || op->getBlock() != loop.bodyBlock() || isa<tile::AllocOp>(op))
          continue;
        isWhole &= isPure(op) && op->getNumRegions() == 0;
        if (isWhole && found.insert(op))
          work.push_back(op);
      }
    });
    if (!isWhole)
      return false;
  }
  arithmetic.insert(found.begin(), found.end());
  return true;
}

bool ReadRounds::isFirstWrite(tile::MoveOp move) {
  tile::StoreOp store = move.store();
  auto tile = store.getBuffer().getDefiningOp<tile::AllocOp>();
  auto extents = cast<tile::ElementLoop>(move.getOperation()).constantExtents();
  if (!tile || !tile.getResult().getType().isFragment() || tile.getLayout() || !extents ||
      ArrayRef<int64_t>(*extents) != tile.getResult().getType().getShape() ||
      !llvm::equal(store.getIndices(), move.getBody().getArguments()) ||
      !llvm::all_of(tile->getUsers(), [&](Operation *user) { return loop->isAncestor(user); }))
    return false;
  SmallVector<Operation *> fills;
  for (Operation *op = move->getPrevNode(); op; op = op->getPrevNode()) {
    Accesses accesses = accessesOf(op);
    if (!llvm::is_contained(accesses.reads, tile.getResult()) &&
        !llvm::is_contained(accesses.writes, tile.getResult()))
      continue;
    if (!isa<tile::FillOp>(op))
      return false;
    fills.push_back(op);
  }
  dead.insert(fills.begin(), fills.end());
  return true;
}

void ReadRounds::addMove(tile::MoveOp move) {
  auto source = move.load().getBuffer().getType();
  if (!source.isGlobal() || isChangedBy(all.writes, rootOf(move.load().getBuffer())) ||
      !isFirstWrite(move) || !addArithmetic(move))
    return;
  moves.push_back(move);
  int64_t elements = move.store().getBuffer().getType().numElems();
  bytes += elements * bitsOf(tile::dtypeOf(source.getElementType())) / 8;
}

bool ReadRounds::find() {
  std::optional<IndexRange> lower = rangeOf(loop.getLower()), upper = rangeOf(loop.getUpper());
  auto step = tile::constantInt(loop.getStep());
  if (!lower || !upper || lower->low != lower->high || upper->low != upper->high || !step ||
      *step <= 0 || !llvm::all_of(*loop.bodyBlock(), isPlain))
    return false;
  rounds = ceilDiv(upper->low - lower->low, *step);
  for (tile::MoveOp move : loop.bodyBlock()->getOps<tile::MoveOp>())
    addMove(move);
  int64_t threads = tile::threadsAt(loop);
  return !moves.empty() && rounds > 1 && rounds <= mostRounds &&
         rounds * bytes <= mostBytes * threads;
}

void ReadRounds::rewrite() {
  Location loc = loop.getLoc();
  SmallVector<Operation *> before;
  for (Operation &op : *loop.bodyBlock())
    before.push_back(&op);
  auto b = OpBuilder::atBlockBegin(loop.bodyBlock());
  SmallVector<IRMapping> mappings(rounds);
  llvm::SmallPtrSet<Operation *, 4> moved;
  for (auto [n, mapping] : llvm::enumerate(mappings)) {
    Value offset = arith::ConstantIndexOp::create(b, loc, n * *tile::constantInt(loop.getStep()));
    mapping.map(loop.iv(), arith::AddIOp::create(b, loc, loop.iv(), offset).getResult());
    for (Operation *op : before)
      if (arithmetic.contains(op))
        b.clone(*op, mapping);
    for (tile::MoveOp move : moves) {
      auto tile = move.store().getBuffer().getDefiningOp<tile::AllocOp>();
      OpBuilder outside(loop);
      mapping.map(tile.getResult(), cast<tile::AllocOp>(outside.clone(*tile)).getResult());
      b.clone(*move, mapping);
      moved.insert(move);
      moved.insert(tile);
    }
  }
  for (IRMapping &mapping : mappings)
    for (Operation *op : before)
      if (!moved.contains(op) && !dead.contains(op) && !arithmetic.contains(op))
        b.clone(*op, mapping);
  for (Operation *op : llvm::reverse(before))
    op->erase();
  // What a loop sums up is combined over lanes behind it (tile-delay-sums), also of one round.
  if (!loop.bodyBlock()->getOps<tile::ReduceOp>().empty()) {
    b.setInsertionPoint(loop);
    int64_t step = rounds * *tile::constantInt(loop.getStep());
    loop.getStepMutable().assign(arith::ConstantIndexOp::create(b, loc, step).getResult());
    return;
  }
  loop.iv().replaceAllUsesWith(loop.getLower());
  loop->getBlock()->getOperations().splice(loop->getIterator(), loop.bodyBlock()->getOperations());
  loop.erase();
}

} // namespace

static void readRoundsTogether(tile::KernelOp kernel) {
  SmallVector<tile::ForOp> loops;
  kernel.walk([&](tile::ForOp loop) {
    if (!loop->getParentOfType<tile::ElementLoop>())
      loops.push_back(loop);
  });
  for (tile::ForOp loop : loops)
    if (ReadRounds reads(loop); reads.find())
      reads.rewrite();
}

namespace {
struct ReadRoundsPass : impl::ReadRoundsPassBase<ReadRoundsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep())
        readRoundsTogether(kernel);
  }
};
} // namespace

} // namespace tilec

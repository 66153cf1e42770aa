//===- FragmentRounds.cpp - fragments are read a round ahead ---------------===//
//
// A round that begins with reading its fragment waits for memory before it does anything. Where the
// last op that reads the fragment works element by element, it is done in parts, and each part's
// registers are free behind it:
//
//   f = T[0]
//   for k: f = T[k]; work; c += f   ->   for k: work; c.0 += f.0; f.0 = T[k + 1].0
//                                                c.1 += f.1; f.1 = T[k + 1].1
//
// So no register is added, and the wait for a part leaves the other one in flight. A fragment of
// other elements than the tensor's, or that the round changes, is made from one that waits, by the
// move itself. Past the end the last round is read again, so that the fragment keeps what it had
// behind the loop.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/FragmentRounds.h"

#include "Infer/FragmentRegisters.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Pipelines/TensorReads.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

/// Parts of a loop over elements: the fewest of which a wait leaves one in flight.
constexpr int64_t numParts = 2;

static Value fragmentOf(tile::MoveOp move) { return move.store().getBuffer(); }

static Type elementOf(Value buffer) {
  return cast<tile::BufferType>(buffer.getType()).getElementType();
}

/// Whether the access is of the loop's own element.
static bool isOwnElement(ValueRange indices, tile::ElementLoop loop) {
  return llvm::equal(indices, loop.ivs());
}

FragmentRounds::FragmentRounds(tile::ForOp loop, const TargetInfo &chip)
    : loop(loop), chip(chip), builder(loop), rounds(loop, builder), all(accessesOf(loop)) {
  for (Operation &op : *loop.bodyBlock()) {
    auto move = dyn_cast<tile::MoveOp>(op);
    if (std::optional<Read> read = move ? readBy(move) : std::nullopt) {
      reads.push_back(*read);
      continue;
    }
    bool isOther = op.walk([](Operation *inner) {
                       bool isOrder = isa<tile::GemmOp, tile::WhileOp, tile::BreakOp>(inner) ||
                                      isAsyncCopy(inner);
                       return isOrder ? WalkResult::interrupt() : WalkResult::advance();
                     }).wasInterrupted();
    isAll &= !isOther && !readsTensor(&op);
  }
}

/// What is read for the round itself would be waited for behind all that is read for the next one,
/// but for words that are the same for all lanes.
bool FragmentRounds::readsTensor(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (load && load.getBuffer().getType().isGlobal() && isOfWords(load.getBuffer())) {
    auto kernel = loop->getParentOfType<tile::KernelOp>();
    return isChangedBy(accessesOf(kernel).writes, rootOf(load.getBuffer()));
  }
  return llvm::any_of(accessesOf(op).reads,
                      [](Value root) { return cast<tile::BufferType>(root.getType()).isGlobal(); });
}

/// Nothing of the round has the fragment before, and nothing else changes it.
bool FragmentRounds::isFirstAccess(tile::MoveOp move, Value fragment) {
  for (Operation *user : fragment.getUsers()) {
    Operation *inBody = loop.bodyBlock()->findAncestorOpInBlock(*user);
    if (inBody && inBody != move &&
        (inBody->isBeforeInBlock(move) || isa<tile::ReshapeOp, tile::SubviewOp>(user) ||
         llvm::is_contained(accessesOf(inBody).writes, fragment)))
      return false;
  }
  return true;
}

std::optional<FragmentRounds::Read> FragmentRounds::readBy(tile::MoveOp move) {
  tile::ElementLoop parallel = move;
  tile::LoadOp load = move.load();
  Value fragment = fragmentOf(move);
  auto alloc = fragment.getDefiningOp<tile::AllocOp>();
  const FragmentLayout *layout = alloc ? fragmentLayoutOf(fragment) : nullptr;
  if (!layout || !alloc.getResult().getType().isFragment() ||
      !load.getBuffer().getType().isGlobal() || parallel.getPart() ||
      loop->isAncestor(alloc) != (alloc->getBlock() == loop.bodyBlock()))
    return std::nullopt;
  auto extents = parallel.constantExtents();
  if (!extents || ArrayRef<int64_t>(*extents) != alloc.getResult().getType().getShape() ||
      !isOwnElement(move.store().getIndices(), parallel) ||
      layoutFromFragments(parallel) != std::optional<FragmentLayout>(*layout))
    return std::nullopt;
  if (isChangedBy(all.writes, rootOf(load.getBuffer())) ||
      bitsOf(tile::dtypeOf(elementOf(load.getBuffer()))) < 8)
    return std::nullopt;
  SmallVector<Operation *> ops;
  for (Operation &op : *parallel.bodyBlock()) {
    if (isa<tile::LoadOp>(op) && &op != load)
      return std::nullopt;
    ops.push_back(&op);
  }
  auto isIndex = [&](Value value) { return isIndexOnly(value, loop); };
  if (!llvm::all_of(usedFromOutside(ops, parallel), isIndex))
    return std::nullopt;
  // What waits in registers of its own leaves the round's to the round.
  bool isSame = elementOf(load.getBuffer()) == elementOf(fragment) &&
                move.store().getValue() == load.getResult() && isFirstAccess(move, fragment);
  Read read{move, nullptr, /*converts=*/!isSame, {}};
  if (read.converts)
    read.last = move;
  else
    for (Operation *op = move->getNextNode(); op; op = op->getNextNode())
      if (llvm::is_contained(accessesOf(op).reads, fragment))
        read.last = op;
  return read.last ? std::optional<Read>(read) : std::nullopt;
}

llvm::SetVector<Operation *> FragmentRounds::lastOps() {
  llvm::SetVector<Operation *> ops;
  for (Read &read : reads)
    ops.insert(read.last);
  return ops;
}

SmallVector<FragmentRounds::Read *> FragmentRounds::readsBehind(Operation *last) {
  SmallVector<Read *> result;
  for (Read &read : reads)
    if (read.last == last)
      result.push_back(&read);
  return result;
}

bool FragmentRounds::hasParts(Operation *last) {
  auto parallel = dyn_cast<tile::ElementLoop>(last);
  std::optional<FragmentLayout> layout =
      parallel && !parallel.getPart() ? layoutFromFragments(parallel) : std::nullopt;
  if (!layout || layout->numReps() < numParts)
    return false;
  // A part has its own elements of what the loop changes, too.
  Accesses accesses = accessesOf(parallel);
  for (Operation &op : *parallel.bodyBlock()) {
    auto load = dyn_cast<tile::LoadOp>(op);
    auto store = dyn_cast<tile::StoreOp>(op);
    if (op.getNumRegions() != 0 || !(load || store || isMemoryEffectFree(&op)))
      return false;
    Value buffer = load ? load.getBuffer() : store ? store.getBuffer() : Value();
    if (!buffer)
      continue;
    bool isOwn = isOwnElement(load ? load.getIndices() : store.getIndices(), parallel);
    bool isRead = llvm::any_of(reads, [&](Read &read) {
      return read.last == last && !read.converts && fragmentOf(read.move) == buffer;
    });
    if (isRead && fragmentLayoutOf(buffer) && *fragmentLayoutOf(buffer) != *layout)
      return false;
    bool isWritten = llvm::is_contained(accesses.writes, rootOf(buffer));
    bool mayMeet = cast<tile::BufferType>(buffer.getType()).isFragment() ||
                   llvm::is_contained(accesses.reads, rootOf(buffer));
    if (!isOwn && (isRead || (isWritten && mayMeet)))
      return false;
  }
  return true;
}

bool FragmentRounds::haveRoom() {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  int64_t bits = 0;
  for (Read &read : reads)
    if (read.converts)
      bits +=
          fragmentOf(read.move).getDefiningOp<tile::AllocOp>().getResult().getType().numElems() *
          bitsOf(tile::dtypeOf(elementOf(read.move.load().getBuffer())));
  int64_t waves = wavesOf(loop, chip);
  int64_t waiting = ceilDiv(bits, 32 * waves * chip.waveLanes);
  // Two waves on a scheduler read while the other one works.
  int64_t resident = std::max(waves, 2 * chip.schedulers);
  return waiting == 0 ||
         fragmentRegisters(kernel, chip) + waiting + besideFragments <= chip.registersOf(resident);
}

bool FragmentRounds::fits() {
  if (reads.empty() || !isAll || loop->getParentOfType<tile::KernelOp>().getLockstep())
    return false;
  llvm::SetVector<Operation *> ops = lastOps();
  return llvm::all_of(ops, [&](Operation *op) { return hasParts(op); }) && haveRoom();
}

void FragmentRounds::makeWaiting(Read &read) {
  auto alloc = fragmentOf(read.move).getDefiningOp<tile::AllocOp>();
  if (alloc->getBlock() == loop.bodyBlock())
    alloc->moveBefore(loop);
  if (!read.converts) {
    read.waiting = alloc;
    return;
  }
  OpBuilder before(loop);
  auto type = tile::BufferType::get(alloc.getResult().getType().getShape(),
                                    elementOf(read.move.load().getBuffer()), tile::Scope::Fragment);
  read.waiting = tile::AllocOp::create(before, read.move.getLoc(), type,
                                       (alloc.getName() + "_next").str(), alloc.getLayoutAttr());
}

/// Reads the round whose variable `mapping` has, here.
tile::ElementLoop FragmentRounds::readRound(Read &read, IRMapping mapping) {
  tile::ElementLoop parallel = read.move;
  SmallVector<Operation *> ops;
  for (Operation &op : *parallel.bodyBlock())
    ops.push_back(&op);
  SmallVector<Value> outside = usedFromOutside(ops, parallel);
  llvm::append_range(outside, parallel->getOperands());
  rounds.repeatArithmetic(outside, mapping);
  auto copy = cast<tile::MoveOp>(builder.clone(*read.move, mapping));
  tile::StoreOp store = copy.store();
  store.getBufferMutable().assign(read.waiting.getResult());
  store.getValueMutable().assign(copy.load().getResult());
  return tile::ElementLoop(copy);
}

void FragmentRounds::readFirst() {
  builder.setInsertionPoint(loop);
  rounds.countRounds();
  if (mayBeEmpty(loop)) {
    Value zero = arith::ConstantIndexOp::create(builder, loop.getLoc(), 0);
    Value runs = arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::sgt,
                                       rounds.count(), zero);
    builder.setInsertionPointToStart(
        scf::IfOp::create(builder, loop.getLoc(), runs, /*withElseRegion=*/false).thenBlock());
  }
  IRMapping first;
  first.map(loop.iv(), loop.getLower());
  for (int64_t part = 0; part < numParts; ++part) // in a round's order, as its waits are for both
    for (Operation *last : lastOps())
      for (Read *read : readsBehind(last))
        readRound(*read, first).setPart(ArrayRef<int64_t>{part, numParts});
}

/// Reads stay behind what has used their registers, and in front of what waits for others.
void FragmentRounds::keepOrder() {
  tile::SchedBarrierOp::create(builder, loop.getLoc(), /*mask=*/0, StringAttr(),
                               DenseI64ArrayAttr());
}

void FragmentRounds::readBehind(Operation *last, const IRMapping &next) {
  builder.setInsertionPointAfter(last);
  SmallVector<tile::ElementLoop> whole{cast<tile::ElementLoop>(last)};
  keepOrder();
  for (Read *read : readsBehind(last))
    whole.push_back(readRound(*read, next));
  keepOrder();
  for (int64_t part = 1; part < numParts; ++part) {
    for (auto [n, parallel] : llvm::enumerate(whole)) {
      cast<tile::ElementLoop>(builder.clone(*parallel)).setPart(ArrayRef<int64_t>{part, numParts});
      if (n == 0)
        keepOrder();
    }
    keepOrder();
  }
  for (tile::ElementLoop parallel : whole)
    parallel.setPart(ArrayRef<int64_t>{0, numParts});
}

void FragmentRounds::expand() {
  for (Read &read : reads)
    makeWaiting(read);
  readFirst();
  builder.setInsertionPointToStart(loop.bodyBlock());
  IRMapping next;
  Value number = arith::AddIOp::create(builder, loop.getLoc(), rounds.numberOfBody(),
                                       arith::ConstantIndexOp::create(builder, loop.getLoc(), 1));
  next.map(loop.iv(), rounds.variableIn(number));
  llvm::SetVector<Operation *> ops = lastOps();
  for (Operation *last : ops)
    readBehind(last, next);
  for (Read &read : reads)
    if (read.converts)
      convertWaiting(read);
    else
      read.move.erase();
  if (chip.asyncCopies.completion == Completion::Groups)
    return;
  // Where the hardware counts, registers of reads that may be under way would be waited for in each
  // round of the next loop.
  builder.setInsertionPointAfter(loop);
  tile::AsyncWaitOp::create(builder, loop.getLoc(), 0);
}

/// The parts of the move take from registers what they have read of the tensor.
void FragmentRounds::convertWaiting(Read &read) {
  for (tile::MoveOp move : llvm::to_vector(loop.bodyBlock()->getOps<tile::MoveOp>())) {
    if (fragmentOf(move) != fragmentOf(read.move))
      continue;
    tile::LoadOp load = move.load();
    OpBuilder inside(load);
    auto held =
        tile::LoadOp::create(inside, load.getLoc(), load.getType(), read.waiting.getResult(),
                             tile::ElementLoop(move).ivs(), FloatAttr());
    load.getResult().replaceAllUsesWith(held.getResult());
    load.erase();
  }
}

} // namespace tilec

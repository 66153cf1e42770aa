//===- GroupRounds.cpp - rounds of a serial loop whose reads start together -===//
//
// A serial loop that brings elements of tensors to registers and works on them waits for memory
// once a round: LLVM moves no read into the round before.
//
//   for t in [0, n): s = s * A[t] + X[t]; Y[t] = s
//
// Where the reads need nothing that a round before computes or writes, several rounds are one,
//
//   for t in [0, n) by 2: a = A[t]; x = X[t]; a' = A[t + 1]; x' = X[t + 1]
//                         s = s * a + x; Y[t] = s; s = s * a' + x'; Y[t + 1] = s
//
// as many as registers hold what they read, until a unit has enough in flight. What is left over is
// a smaller group where the number of rounds is known, else smaller groups and single rounds.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

namespace {

constexpr int64_t mostRounds = 16, mostOps = 2048;
/// Registers of a lane that the reads may keep busy, of all that it can name.
constexpr int64_t partOfRegisters = 16;

/// What rounds may have: nothing that threads wait for, and no matrices, whose loops are planned.
bool isPlain(Operation &op) {
  if (isa<scf::IfOp>(op))
    return llvm::all_of(op.getRegions(), [](Region &region) {
      return region.empty() || llvm::all_of(region.front(), isPlain);
    });
  return isa<wave::GlobalReadOp, wave::GlobalWriteOp, wave::SharedReadOp, wave::SharedWriteOp,
             wave::AllocRegsOp, wave::GetOp, wave::SetOp, wave::ShuffleXorOp, wave::ShuffleOp,
             wave::ReduceOp, wave::VoteOp, scf::YieldOp>(op) ||
         (op.getNumRegions() == 0 && isPure(&op) && !isa<wave::MmaOp>(op));
}

class RoundGroups {
public:
  RoundGroups(Emitter &e, tile::ForOp from, scf::ForOp loop) : e(e), from(from), loop(loop) {}

  /// Whether all that rounds read of tensors may be read before them.
  bool find();
  void rewrite();

private:
  bool isUnchanged(Value base);
  /// Adds the op and what it is computed from, if that is there when rounds begin.
  bool addFirst(Operation *op);
  int64_t roundsTogether();
  /// Rounds that begin at `first`.
  void emitGroup(Value first, int64_t rounds);
  /// The same from `lower` to `upper`.
  void emitGroups(Value lower, Value upper, int64_t rounds);
  void rewriteKnown(int64_t lower, int64_t count, int64_t most);

  Emitter &e;
  tile::ForOp from;
  scf::ForOp loop;
  Accesses all;
  int64_t step = 1;
  /// The reads and what their places are computed from; each with the reads in a row in front.
  llvm::DenseMap<Operation *, int64_t> depths;
  int64_t deepest = 0;
};

bool RoundGroups::isUnchanged(Value base) {
  bool isKnown = false;
  for (auto &[buffer, place] : e.tensors) {
    if (place.base != base)
      continue;
    isKnown = true;
    if (isChangedBy(all.writes, rootOf(buffer)))
      return false;
  }
  return isKnown;
}

bool RoundGroups::addFirst(Operation *op) {
  if (!op || op->getBlock() != loop.getBody())
    return !op || !loop->isProperAncestor(op);
  if (depths.contains(op))
    return true;
  if (auto get = dyn_cast<wave::GetOp>(op)) {
    if (llvm::any_of(get.getRegs().getUsers(), [&](Operation *user) {
          return !isa<wave::GetOp>(user) && loop->isProperAncestor(user);
        }))
      return false;
  } else if (auto read = dyn_cast<wave::GlobalReadOp>(op)) {
    if (!isUnchanged(read.getBase()))
      return false;
  } else if (!isPure(op) || op->getNumRegions() != 0) {
    return false;
  }
  int64_t depth = 0;
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!addFirst(source))
      return false;
    if (auto it = depths.find(source); source && it != depths.end())
      depth = std::max(depth, it->second + int64_t(isa<wave::GlobalReadOp>(source)));
  }
  depths[op] = depth;
  deepest = std::max(deepest, depth);
  return true;
}

bool RoundGroups::find() {
  std::optional<int64_t> known = tile::constantInt(from.getStep());
  if (!e.target.keepsOrder || !known || *known <= 0 || !llvm::all_of(*loop.getBody(), isPlain))
    return false;
  step = *known;
  auto reads = loop.getBody()->getOps<wave::GlobalReadOp>();
  if (reads.empty())
    return false;
  all = accessesOf(from);
  return llvm::all_of(reads, [&](wave::GlobalReadOp read) { return addFirst(read); });
}

int64_t RoundGroups::roundsTogether() {
  int64_t registers = 0, bytes = 0;
  for (auto read : loop.getBody()->getOps<wave::GlobalReadOp>()) {
    int64_t bits = wave::bitsOf(read.getType());
    registers += ceilDiv(bits, 32);
    bytes += ceilDiv(bits, 8);
  }
  int64_t waves = wavesAtOnce(e), ops = 0;
  loop.walk([&](Operation *) { ++ops; });
  // The other half is for addresses and what is computed.
  int64_t left = (e.target.registersOf(waves) - e.heldRegisters()) / 2;
  int64_t inFlight = waves * e.target.waveLanes * bytes;
  return std::min({mostRounds,
                   std::min(left, e.target.registers.ofLane / partOfRegisters) / registers,
                   mostOps / ops, ceilDiv(enoughInFlight, inFlight)});
}

void RoundGroups::emitGroup(Value first, int64_t rounds) {
  OpBuilder &b = e.b;
  SmallVector<IRMapping, 16> mappings(rounds);
  for (auto [n, mapping] : llvm::enumerate(mappings))
    mapping.map(loop.getInductionVar(), e.addIndex(first, int64_t(n) * step));
  for (int64_t depth = 0; depth <= deepest; ++depth)
    for (IRMapping &mapping : mappings)
      for (Operation &op : loop.getBody()->without_terminator())
        if (auto it = depths.find(&op); it != depths.end() && it->second == depth)
          b.clone(op, mapping);
  // LLVM's scheduler would bring them back to where they are needed.
  wave::SchedFenceOp::create(b, e.loc, wave::arithmeticPasses | wave::sharedPasses, StringAttr(),
                             DenseI64ArrayAttr(), /*groups=*/true);
  for (IRMapping &mapping : mappings)
    for (Operation &op : loop.getBody()->without_terminator())
      if (!depths.contains(&op))
        b.clone(op, mapping);
}

void RoundGroups::emitGroups(Value lower, Value upper, int64_t rounds) {
  auto groups = scf::ForOp::create(e.b, e.loc, lower, upper, e.index(rounds * step));
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(groups.getBody());
  emitGroup(groups.getInductionVar(), rounds);
}

void RoundGroups::rewriteKnown(int64_t lower, int64_t count, int64_t most) {
  int64_t rounds = ceilDiv(count, ceilDiv(count, most));
  // Of a little fewer none may be left over.
  for (int64_t fewer = rounds, fewest = ceilDiv(2 * rounds, 3); fewer >= fewest; --fewer)
    if (count % fewer == 0) {
      rounds = fewer;
      break;
    }
  int64_t end = lower + count / rounds * rounds * step;
  if (count / rounds > 1)
    emitGroups(e.index(lower), e.index(end), rounds);
  else
    emitGroup(e.index(lower), rounds);
  if (count % rounds != 0)
    emitGroup(e.index(end), count % rounds);
  loop.erase();
}

void RoundGroups::rewrite() {
  int64_t most = roundsTogether();
  if (most < 2)
    return;
  OpBuilder &b = e.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  std::optional<int64_t> lower = tile::constantInt(from.getLower()),
                         upper = tile::constantInt(from.getUpper());
  if (lower && upper) {
    if (int64_t count = ceilDiv(*upper - *lower, step); count > 1)
      rewriteKnown(*lower, count, most);
    return;
  }
  Value next = loop.getLowerBound();
  for (int64_t rounds : {most, most / 4}) {
    if (rounds < 2)
      continue;
    // Where there are no rounds, the end is in front of the beginning, but not of the loop's end.
    Value span = arith::SubIOp::create(b, e.loc, loop.getUpperBound(), next);
    Value groups = arith::DivSIOp::create(b, e.loc, span, e.index(rounds * step));
    Value end = e.addIndex(next, e.mulIndex(groups, rounds * step));
    emitGroups(next, end, rounds);
    next = end;
  }
  loop.getLowerBoundMutable().assign(next);
}

} // namespace

void groupRounds(Emitter &e, tile::ForOp from, scf::ForOp loop) {
  if (RoundGroups groups(e, from, loop); groups.find())
    groups.rewrite();
}

} // namespace tilec

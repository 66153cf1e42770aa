//===- Threads.cpp - what threads of a wave or block find out together ----===//
//
// tile-unify-meetings has moved these ops to where all lanes of a wave (of the block) pass,
// and says in `active` which of them take part. So exchanges go over whole waves, on
// every target; lanes beyond the block's threads are among those that do not.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "ToWave/Ops.h"
#include "ToWave/Roles.h"
#include "tilec/IR/Reported.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

class ThreadEmitter {
public:
  ThreadEmitter(Emitter &emitter, Elements &elements)
      : e(emitter), b(emitter.b), loc(emitter.loc), elements(elements),
        lanes(emitter.target.waveLanes) {}

  Value shuffle(tile::ShuffleOp op);
  Value vote(tile::VoteKind kind, Value predicate, Value active);
  Value ballot(Value predicate, Value active);
  Value match(tile::MatchOp op);
  Value reduce(tile::WarpReduceOp op);
  Value blockVote(tile::BlockVoteOp op);
  Value at(Value value) { return value ? e.lookup(value, 0, elements) : Value(); }

private:
  /// The value as what lanes exchange, and back.
  Value widen(Value value);
  Value narrow(Value value, Type type);
  Value sourceLane(tile::ShuffleOp op);
  Value where(Value active, Value value, int64_t otherwise);
  Value butterfly(tile::WarpReduceOp op, Value value);
  Value constant(int64_t value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value isNot(Value x) { return arith::XOrIOp::create(b, loc, x, constant(1, b.getI1Type())); }
  Type maskType() { return b.getIntegerType(lanes); }
  Value wholeBallot(Value predicate) {
    return wave::BallotOp::create(b, loc, maskType(), predicate);
  }

  Emitter &e;
  OpBuilder &b;
  Location loc;
  Elements &elements;
  int64_t lanes;
};

Value ThreadEmitter::widen(Value value) {
  if (value.getType().getIntOrFloatBitWidth() >= 32)
    return value;
  return arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
}

Value ThreadEmitter::narrow(Value value, Type type) {
  return value.getType() == type ? value : arith::TruncIOp::create(b, loc, type, value).getResult();
}

/// The lane that a lane's value comes from; see tile.shuffle.
Value ThreadEmitter::sourceLane(tile::ShuffleOp op) {
  Value by = at(op.getLane()), own = e.laneId;
  int64_t width = op.getWidth();
  Value inSegment = e.index(width - 1);
  Value first =
      width == lanes
          ? e.index(0)
          : arith::SubIOp::create(b, loc, own, arith::AndIOp::create(b, loc, own, inSegment))
                .getResult();
  if (op.getKind() == tile::ShuffleKind::Idx)
    return e.addIndex(first, arith::AndIOp::create(b, loc, by, inSegment).getResult());
  Value last = e.addIndex(first, width - 1), from, exists;
  switch (op.getKind()) {
  case tile::ShuffleKind::Xor:
    from = arith::XOrIOp::create(b, loc, own, by);
    break;
  case tile::ShuffleKind::Up:
    from = arith::SubIOp::create(b, loc, own, by);
    break;
  default:
    from = arith::AddIOp::create(b, loc, own, by);
    break;
  }
  if (op.getKind() == tile::ShuffleKind::Up)
    exists = compare(arith::CmpIPredicate::ult, arith::SubIOp::create(b, loc, from, first),
                     e.index(width));
  else // below lane 0 is far above as an unsigned number
    exists = compare(arith::CmpIPredicate::ule, from, last);
  return select(exists, from, own);
}

Value ThreadEmitter::shuffle(tile::ShuffleOp op) {
  Value value = at(op.getValue()), wide = widen(value);
  std::optional<int64_t> by = tile::constantInt(at(op.getLane()));
  bool isButterfly =
      op.getKind() == tile::ShuffleKind::Xor && by && *by >= 0 && *by < int64_t(op.getWidth());
  Value other =
      isButterfly
          ? wave::ShuffleXorOp::create(b, loc, wide.getType(), wide, *by).getResult()
          : wave::ShuffleOp::create(b, loc, wide.getType(), wide, sourceLane(op)).getResult();
  return narrow(other, value.getType());
}

/// `value` where the thread takes part. A selection: the value of others may be undefined.
Value ThreadEmitter::where(Value active, Value value, int64_t otherwise) {
  return active ? select(active, value, constant(otherwise, value.getType())) : value;
}

Value ThreadEmitter::vote(tile::VoteKind kind, Value predicate, Value active) {
  bool all = kind == tile::VoteKind::All;
  return wave::VoteOp::create(b, loc, b.getI1Type(), where(active, predicate, all), all);
}

Value ThreadEmitter::ballot(Value predicate, Value active) {
  return wholeBallot(where(active, predicate, 0));
}

Value ThreadEmitter::match(tile::MatchOp op) {
  Value value = widen(at(op.getValue())), active = at(op.getActive());
  Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  if (isa<FloatType>(value.getType()))
    value = wave::BitcastOp::create(b, loc, bits, value);
  value = where(active, value, 0);
  if (op.getKind() == tile::VoteKind::Any) {
    Value same = wave::MatchOp::create(b, loc, maskType(), value);
    if (!active)
      return same;
    return where(active, arith::AndIOp::create(b, loc, same, wholeBallot(active)), 0);
  }
  // All agree with the first that takes part.
  Value here = wholeBallot(active ? active : constant(1, b.getI1Type()));
  Value first = math::CountTrailingZerosOp::create(b, loc, here);
  first = arith::IndexCastOp::create(b, loc, b.getIndexType(), first);
  Value other = wave::ShuffleOp::create(b, loc, bits, value, first);
  Value agree = vote(tile::VoteKind::All, compare(arith::CmpIPredicate::eq, value, other), active);
  return where(active, select(agree, here, constant(0, maskType())), 0);
}

/// Lane pairs at distance 1, 2, 4 ...: every lane ends with the same bits.
Value ThreadEmitter::butterfly(tile::WarpReduceOp op, Value value) {
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    Value wide = widen(value);
    Value other =
        narrow(wave::ShuffleXorOp::create(b, loc, wide.getType(), wide, distance), value.getType());
    value = combine(b, loc, op.getKind(), value, other, op.getIsUnsigned(), false);
  }
  return value;
}

static std::optional<wave::AtomicKind> reduxKind(tile::ReduceKind kind, bool isUnsigned) {
  switch (kind) {
  case tile::ReduceKind::Sum:
    return wave::AtomicKind::Add;
  case tile::ReduceKind::Max:
    return isUnsigned ? wave::AtomicKind::UMax : wave::AtomicKind::Max;
  case tile::ReduceKind::Min:
    return isUnsigned ? wave::AtomicKind::UMin : wave::AtomicKind::Min;
  case tile::ReduceKind::BitAnd:
    return wave::AtomicKind::And;
  case tile::ReduceKind::BitOr:
    return wave::AtomicKind::Or;
  case tile::ReduceKind::BitXor:
    return wave::AtomicKind::Xor;
  default:
    return std::nullopt;
  }
}

Value ThreadEmitter::reduce(tile::WarpReduceOp op) {
  Value value = at(op.getValue());
  if (Value active = at(op.getActive()))
    value = select(active, value,
                   identityOf(b, loc, op.getKind(), value.getType(), op.getIsUnsigned()));
  auto redux = reduxKind(op.getKind(), op.getIsUnsigned());
  if (e.target.hasWaveReduce && redux && value.getType().isInteger(32))
    return wave::ReduceOp::create(b, loc, value.getType(), *redux, value);
  return butterfly(op, value);
}

Value ThreadEmitter::blockVote(tile::BlockVoteOp op) {
  Value said = at(op.getPredicate()), active = at(op.getActive());
  // `all`: nobody says no.
  if (op.getKind() == tile::VoteKind::All)
    said = isNot(said);
  said = where(active, said, 0);
  Value count;
  if (e.target.hasBarrierCount) {
    if (e.roles->needsAsyncFence())
      wave::AsyncFenceOp::create(b, loc);
    count = wave::BarrierCountOp::create(b, loc, said);
  } else {
    auto barrier = [&] { e.emitBarrier(op); };
    count = math::CtPopOp::create(b, loc, wholeBallot(said));
    count = arith::TruncIOp::create(b, loc, b.getI32Type(), count);
    barrier();
    if (e.numWaves > 1) {
      constexpr int64_t bytes = 4;
      int64_t base = e.placeOfExchange(op, e.numWaves * bytes);
      Value isFirst = compare(arith::CmpIPredicate::eq, e.laneId, e.index(0));
      wave::SharedWriteOp::create(b, loc, count, e.mulIndex(e.waveId, bytes), isFirst, base);
      barrier();
      count = Value();
      for (int64_t w = 0; w < e.numWaves; ++w) {
        Value part = wave::SharedReadOp::create(b, loc, b.getI32Type(), e.index(w * bytes), base);
        count = count ? arith::AddIOp::create(b, loc, count, part).getResult() : part;
      }
    }
  }
  if (op.getKind() == tile::VoteKind::Count)
    return count;
  bool isAll = op.getKind() == tile::VoteKind::All;
  Value holds = compare(isAll ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne, count,
                        constant(0, b.getI32Type()));
  return arith::ExtUIOp::create(b, loc, b.getI32Type(), holds);
}

static LogicalResult emitDot(Emitter &e, tile::Dp4aOp op, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  SmallVector<Value, 4> values;
  for (int64_t n = 0; n < elements.count; ++n)
    values.push_back(wave::Dot4Op::create(b, loc, b.getI32Type(), e.lookup(op.getA(), n, elements),
                                          e.lookup(op.getB(), n, elements),
                                          e.lookup(op.getC(), n, elements), op.getIsUnsigned()));
  elements.map[op.getResult()] = values;
  return success();
}

/// Whether the op stands in rounds that leave copies in flight.
static bool isBesideCopies(Operation *op) {
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop;
       loop = loop->getParentOfType<tile::ForOp>())
    if (llvm::any_of(loop.bodyBlock()->getOps<tile::AsyncWaitOp>(),
                     [](tile::AsyncWaitOp wait) { return wait.getPending() > 0; }))
      return true;
  return false;
}

void Emitter::emitBarrier(Operation *op) {
  bool isGlobal = true;
  // Where copies are counted, order in device memory waits for those in flight.
  if (target.asyncCopies.completion != Completion::Groups && isBesideCopies(op)) {
    if (!deviceOrder)
      deviceOrder.emplace(kernel);
    auto barrier = dyn_cast<tile::BarrierOp>(op);
    isGlobal = (barrier && barrier.getGlobal()) || deviceOrder->isKeptBy(op);
  }
  // Between scalar code of threads, only fences keep LLVM from moving accesses across.
  if (!isGlobal)
    wave::WaveFenceOp::create(b, loc);
  wave::BarrierOp::create(b, loc).setGlobal(isGlobal);
  if (!isGlobal)
    wave::WaveFenceOp::create(b, loc);
}

std::optional<LogicalResult> emitThreadOp(Emitter &e, Operation &op, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (auto dot = dyn_cast<tile::Dp4aOp>(op))
    return emitDot(e, dot, elements);
  if (isa<tile::SyncThreadsOp>(op)) {
    if (e.roles->needsAsyncFence())
      wave::AsyncFenceOp::create(b, loc);
    e.emitBarrier(&op);
    return success();
  }
  if (auto sync = dyn_cast<tile::GridSyncOp>(op)) {
    if (e.roles->needsAsyncFence())
      wave::AsyncFenceOp::create(b, loc);
    Value counter = e.tensors.find(rootOf(sync.getCounter()))->second.base;
    wave::GridSyncOp::create(b, loc, counter, e.lookup(sync.getStep(), 0, elements));
    return success();
  }
  if (auto waves = dyn_cast<tile::OnWavesOp>(op)) {
    auto is = [&](arith::CmpIPredicate predicate, int64_t bound) {
      return arith::CmpIOp::create(b, loc, predicate, e.blockWave, e.index(bound)).getResult();
    };
    int64_t first = waves.getFirst(), end = first + int64_t(waves.getCount());
    Value here = first == 0 ? Value() : is(arith::CmpIPredicate::sge, first);
    if (!here || end < wavesOf(e.kernel, e.target))
      here = e.andMasks(here, is(arith::CmpIPredicate::slt, end));
    elements.map[op.getResult(0)] = {here};
    return success();
  }
  if (isa<tile::SyncWarpOp>(op)) {
    wave::WaveFenceOp::create(b, loc);
    return success();
  }
  if (auto fence = dyn_cast<tile::SchedBarrierOp>(op)) {
    wave::SchedFenceOp::create(b, loc, fence.getMask(), fence.getDirectiveAttr(),
                               fence.getNumbersAttr(), /*groups=*/false);
    return success();
  }
  if (auto prio = dyn_cast<tile::SetPrioOp>(op)) {
    if (e.target.mostPriority != 0)
      wave::SetPrioOp::create(b, loc, prio.getLevel());
    else
      op.emitRemark("warps have no priorities on this target: no effect");
    return success();
  }
  if (!isa<tile::ShuffleOp, tile::VoteOp, tile::BallotOp, tile::MatchOp, tile::WarpReduceOp,
           tile::BlockVoteOp>(op))
    return std::nullopt;
  if (int64_t lanes = e.kernel.getWarpLanes(); lanes != e.target.waveLanes)
    return Reported(&op, DiagId::WarpLanesDiffer, lanes, nameOf(e.target.arch), e.target.waveLanes);
  ThreadEmitter t(e, elements);
  Value result;
  if (auto shuffle = dyn_cast<tile::ShuffleOp>(op))
    result = t.shuffle(shuffle);
  else if (auto vote = dyn_cast<tile::VoteOp>(op))
    result = t.vote(vote.getKind(), t.at(vote.getPredicate()), t.at(vote.getActive()));
  else if (auto ballot = dyn_cast<tile::BallotOp>(op))
    result = t.ballot(t.at(ballot.getPredicate()), t.at(ballot.getActive()));
  else if (auto match = dyn_cast<tile::MatchOp>(op))
    result = t.match(match);
  else if (auto reduce = dyn_cast<tile::WarpReduceOp>(op))
    result = t.reduce(reduce);
  else
    result = t.blockVote(cast<tile::BlockVoteOp>(op));
  elements.map[op.getResult(0)] = {result};
  return success();
}

} // namespace tilec

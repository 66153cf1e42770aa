//===- Threads.cpp - what a thread does with its warp and its block -------===//
//
// Sizes that the script leaves open are the target's: a warp has the lanes of one
// wave. Masks become `active` (docs/machine-code/lockstep.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

#include "tilec/Target/Target.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {
using script::argument;
using script::IntrinsicId;

int64_t Importer::warpLanes() const { return targetInfo(program.arch).waveLanes; }

namespace {

std::optional<int64_t> constantOf(const script::Argument &a) {
  return a.expr ? a.expr->constInt() : std::nullopt;
}

llvm::StringRef archText(Arch arch) {
  std::string_view name = nameOf(arch);
  return llvm::StringRef(name.data(), name.size());
}

} // namespace

/// The thread's number in its block.
Value Importer::threadNumber() {
  if (!thread) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernelOp.getBody().front());
    thread = tile::ThreadIdOp::create(b, kernelOp.getLoc(), b.getIndexType());
  }
  return thread;
}

/// Names of the threads of an axis, for the whole launch: index arithmetic reads them.
void Importer::bindThreads(const script::Launch &l) {
  for (const script::Var *v : l.threadVars) {
    if (!v)
      continue;
    vars[v] = threadIndex(v->axis, v->span);
    nonNegative[v] = true;
  }
}

/// The number of the thread in its warp, or of the warp in the block, in threads of the same size.
Value Importer::placeInWarp(const Expr *e) {
  const Call *call = e->call;
  int64_t size = warpLanes();
  const Argument &sizeArg = argument(*call, "warp_size");
  if (!sizeArg.isAbsent()) {
    std::optional<int64_t> given = constantOf(sizeArg);
    if (!given || *given < 1)
      return fail(DiagId::WarpSize, sizeArg.span, nameOf(call->id));
    size = *given;
  }
  if (call->id == IntrinsicId::WarpGroupIdx) {
    const Argument &warps = argument(*call, "warps_per_group");
    std::optional<int64_t> given = warps.isAbsent() ? 4 : constantOf(warps);
    if (!given || *given < 1)
      return fail(DiagId::WarpSize, warps.span, nameOf(call->id));
    size *= *given;
  }
  Location loc = at(e->span);
  Value by = indexConstant(size, e->span);
  Value place = call->id == IntrinsicId::LaneIdx
                    ? arith::RemUIOp::create(b, loc, threadNumber(), by).getResult()
                    : arith::DivUIOp::create(b, loc, threadNumber(), by).getResult();
  return arith::IndexCastOp::create(b, loc, scalarType(e->type), place);
}

Value Importer::predicate(const Argument &a) {
  Value v = a.expr ? value(a.expr) : nullptr;
  if (v && !v.getType().isInteger(1))
    v = cast(v, a.expr->type, DType::Bool, at(a.span));
  return v;
}

/// Null when all lanes take part: no mask, or one of all ones. 32 ones are what scripts write for
/// "all" on every target.
bool Importer::takesPart(const Call *call, Value &active) {
  const Argument &mask = argument(*call, "mask");
  if (mask.isAbsent())
    return true;
  if (std::optional<int64_t> bits = constantOf(mask))
    if (*bits == -1 || *bits == 0xffffffff)
      return true;
  if (!mask.expr || isFloat(mask.expr->type)) {
    fail(DiagId::WarpMask, mask.span, nameOf(call->id));
    return false;
  }
  Location loc = at(mask.span);
  Value bits = value(mask.expr);
  if (!bits)
    return false;
  // A mask of fewer bits names none of the upper lanes.
  DType type = mask.expr->type;
  bits = cast(bits,
              isUnsigned(type)     ? type
              : bitsOf(type) == 64 ? DType::U64
                                   : DType::U32,
              DType::U64, loc);
  Value lane =
      arith::RemUIOp::create(b, loc, threadNumber(), indexConstant(warpLanes(), mask.span));
  Value shift = arith::IndexCastOp::create(b, loc, b.getI64Type(), lane);
  active =
      arith::TruncIOp::create(b, loc, b.getI1Type(), arith::ShRUIOp::create(b, loc, bits, shift));
  return true;
}

bool Importer::shuffle(const script::TileCallStmt *s, tile::ShuffleKind kind) {
  const Call *call = s->call;
  const Argument &a = argument(*call, "value"), &widthArg = argument(*call, "width");
  const Argument &lane = argument(*call, kind == tile::ShuffleKind::Idx ? "srcLane" : "delta");
  int64_t width = warpLanes();
  if (!widthArg.isAbsent()) {
    std::optional<int64_t> given = constantOf(widthArg);
    if (!given || *given < 1 || *given > width || !llvm::isPowerOf2_64(*given)) {
      fail(DiagId::WarpWidth, widthArg.span, nameOf(call->id), width, archText(program.arch));
      return false;
    }
    width = *given;
  }
  Value v = value(a.expr), from;
  if (lane.expr && !isFloat(lane.expr->type))
    from = index(lane.expr);
  else
    fail(DiagId::WarpLane, lane.span, nameOf(call->id));
  Value active; // who takes part does not change whose value a lane gets
  if (!takesPart(call, active) || !v || !from)
    return false;
  vars[s->result] =
      tile::ShuffleOp::create(b, at(call->span), v.getType(), kind, v, from, width, Value());
  return true;
}

bool Importer::vote(const script::TileCallStmt *s) {
  const Call *call = s->call;
  Location loc = at(call->span);
  Type mask = b.getIntegerType(warpLanes());
  Value active, said;
  bool isMatch = call->id == IntrinsicId::MatchAnySync || call->id == IntrinsicId::MatchAllSync;
  if (call->id == IntrinsicId::ActiveMask)
    said = constant(1, b.getI1Type(), loc);
  else
    said = isMatch ? value(argument(*call, "value").expr) : predicate(argument(*call, "predicate"));
  bool hasMask = call->id != IntrinsicId::ActiveMask && call->id != IntrinsicId::Ballot;
  if (!said || (hasMask && !takesPart(call, active)))
    return false;
  auto isAll = call->id == IntrinsicId::AllSync || call->id == IntrinsicId::MatchAllSync;
  tile::VoteKind kind = isAll ? tile::VoteKind::All : tile::VoteKind::Any;
  if (isMatch)
    vars[s->result] = tile::MatchOp::create(b, loc, mask, kind, said, active);
  else if (isAll || call->id == IntrinsicId::AnySync)
    vars[s->result] = tile::VoteOp::create(b, loc, b.getI1Type(), kind, said, active);
  else
    vars[s->result] = tile::BallotOp::create(b, loc, mask, said, active);
  return true;
}

bool Importer::warpReduce(const script::TileCallStmt *s, tile::ReduceKind kind) {
  const Argument &a = argument(*s->call, "value");
  DType type = a.expr->type;
  bool isBitwise = kind == tile::ReduceKind::BitAnd || kind == tile::ReduceKind::BitOr;
  if (isBitwise && isFloat(type)) {
    fail(DiagId::BitwiseFloat, a.span, nameOf(s->call->id), dtypeText(type));
    return false;
  }
  Value v = value(a.expr);
  if (!v)
    return false;
  Location loc = at(s->call->span);
  Value result =
      tile::WarpReduceOp::create(b, loc, v.getType(), kind, v, Value(), isUnsigned(type));
  // The sum of narrow floats has their own dtype.
  if (isFloat(type) && bitsOf(type) < 32)
    result = tile::RoundOp::create(b, loc, result.getType(), result,
                                   TypeAttr::get(tile::elementTypeOf(type, &context)));
  vars[s->result] = result;
  return true;
}

bool Importer::blockVote(const script::TileCallStmt *s, tile::VoteKind kind) {
  Value said = predicate(argument(*s->call, "predicate"));
  if (!said)
    return false;
  vars[s->result] =
      tile::BlockVoteOp::create(b, at(s->call->span), b.getI32Type(), kind, said, Value(),
                                /*shared_place=*/{});
  return true;
}

/// The first thread of each group of `thread_extent`, of the block when that is 0.
bool Importer::elect(const script::TileCallStmt *s) {
  const Call *call = s->call;
  const Argument &extent = argument(*call, "thread_extent");
  std::optional<int64_t> given = constantOf(extent);
  if (!given || *given < 0) {
    fail(DiagId::WarpSize, extent.span, nameOf(call->id));
    return false;
  }
  Location loc = at(call->span);
  Value place = threadNumber();
  if (*given > 0)
    place = arith::RemUIOp::create(b, loc, place, indexConstant(*given, call->span));
  vars[s->result] =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place, indexConstant(0, call->span));
  return true;
}

/// Four consecutive bytes from the operand's first element on, as one word, lowest first.
Value Importer::fourBytes(const Argument &a) {
  const Region *region = a.region;
  Value from = buffer(region->buffer, region->span);
  SmallVector<Value> list;
  if (!from || !headOf(region, list))
    return nullptr;
  Location loc = at(a.span);
  Value word;
  for (int64_t i = 0; i < 4; ++i) {
    SmallVector<Value> place(list);
    place.back() = arith::AddIOp::create(b, loc, place.back(), indexConstant(i, a.span));
    Value byte = tile::LoadOp::create(b, loc, b.getI8Type(), from, place, FloatAttr());
    Value part = arith::ExtUIOp::create(b, loc, b.getI32Type(), byte);
    if (i > 0)
      part = arith::ShLIOp::create(b, loc, part, constant(8 * i, b.getI32Type(), loc));
    word = word ? arith::OrIOp::create(b, loc, word, part).getResult() : part;
  }
  return word;
}

/// The indices of the first element of a slice, an element or a whole buffer.
bool Importer::headOf(const Region *region, SmallVectorImpl<Value> &list) {
  if (!region->whole)
    return indices(region->buffer, region->offsets, region->span, list);
  for (size_t d = 0; d < std::max<size_t>(region->buffer->shape.size(), 1); ++d)
    list.push_back(indexConstant(0, region->span));
  return true;
}

bool Importer::dp4a(const Call *call) {
  const Argument &argA = argument(*call, "A"), &argB = argument(*call, "B"),
                 &argC = argument(*call, "C");
  DType x = argA.region->buffer->type, y = argB.region->buffer->type;
  DType z = argC.region->buffer->type;
  bool isByte = x == y && (x == DType::I8 || x == DType::U8);
  if (!isByte || (z != DType::I32 && z != DType::U32)) {
    fail(DiagId::Dp4aOperands, call->calleeSpan, dtypeText(x), dtypeText(y), dtypeText(z));
    return false;
  }
  Value left = fourBytes(argA), right = left ? fourBytes(argB) : nullptr;
  Value into = right ? buffer(argC.region->buffer, argC.region->span) : nullptr;
  SmallVector<Value> list;
  if (!into || !headOf(argC.region, list))
    return false;
  Location loc = at(call->span);
  Value old = tile::LoadOp::create(b, loc, b.getI32Type(), into, list, FloatAttr());
  Value sum = tile::Dp4aOp::create(b, loc, b.getI32Type(), left, right, old, x == DType::U8);
  tile::StoreOp::create(b, loc, sum, into, list);
  return true;
}

/// Wishes of `tilec.schedule` about instructions.
bool Importer::scheduleCall(const Call *call) {
  if (call->id == IntrinsicId::Directive) {
    SmallVector<int64_t> numbers;
    for (const Argument &a : argument(*call, "numbers").list)
      numbers.push_back(a.intValue);
    tile::SchedBarrierOp::create(b, at(call->span), /*mask=*/0,
                                 b.getStringAttr(argument(*call, "name").string),
                                 b.getDenseI64ArrayAttr(numbers));
    return true;
  }
  bool isPrio = call->id == IntrinsicId::SetPrio;
  const Argument &a = argument(*call, isPrio ? "priority" : "mask");
  std::optional<int64_t> given = constantOf(a);
  int64_t most = isPrio ? 3 : 0x7fffffff;
  if (!given || *given < 0 || *given > most) {
    fail(DiagId::ScheduleNumber, a.span, nameOf(call->id), most);
    return false;
  }
  if (isPrio)
    tile::SetPrioOp::create(b, at(call->span), *given);
  else
    tile::SchedBarrierOp::create(b, at(call->span), *given, /*directive=*/{}, /*numbers=*/{});
  return true;
}

/// The counter is the program's, whose launches follow each other: each leaves its top bit as it
/// was or turned, and only turns count.
Value Importer::gridCounter(Location loc) {
  if (!gridCounterOp) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(kernelOp);
    auto type = tile::BufferType::get({1}, b.getI32Type(), tile::Scope::Global);
    gridCounterOp = tile::WorkspaceOp::create(b, loc, type, uniqueName("grid_barrier"),
                                              ValueRange(), /*zeroed=*/true);
  }
  return gridCounterOp;
}

bool Importer::gridSync(const Call *call) {
  Location loc = at(call->span);
  Value counter = gridCounter(loc), blocks, isFirst;
  auto first = kernelOp.getBody().getArguments();
  for (auto [extent, id] : llvm::zip(kernelOp.getGrid(), first)) {
    Value here =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, id, indexConstant(0, call->span));
    blocks = blocks ? arith::MulIOp::create(b, loc, blocks, extent).getResult() : Value(extent);
    isFirst = isFirst ? arith::AndIOp::create(b, loc, isFirst, here).getResult() : here;
  }
  // 2^31 less what the others add.
  Type word = b.getI32Type();
  Value others = arith::IndexCastOp::create(b, loc, word, blocks);
  Value rest = arith::SubIOp::create(b, loc, constant(int64_t(INT32_MIN) + 1, word, loc), others);
  Value step = arith::SelectOp::create(b, loc, isFirst, rest, constant(1, word, loc));
  tile::GridSyncOp::create(b, loc, step, counter);
  // Copies for later iterations may not run ahead of what other blocks write.
  for (Operation *up = b.getInsertionBlock()->getParentOp(); up != kernelOp; up = up->getParentOp())
    if (auto loop = dyn_cast<tile::ForOp>(up)) {
      loop.setKind(tile::LoopKind::Serial);
      loop.setStages(1);
    }
  return true;
}

bool Importer::threadCall(const script::TileCallStmt *s) {
  const Call *call = s->call;
  if (parallelDepth > 0 && call->id != IntrinsicId::Dp4a) {
    fail(DiagId::ThreadCallInParallel, call->calleeSpan, nameOf(call->id));
    return false;
  }
  switch (call->id) {
  case IntrinsicId::SyncThreads:
    // Without thread identity barriers are derived from data flow.
    if (current->usesThreadIdentity)
      tile::SyncThreadsOp::create(b, at(call->span));
    return true;
  case IntrinsicId::SyncWarp:
    tile::SyncWarpOp::create(b, at(call->span));
    return true;
  case IntrinsicId::SyncGrid:
    return gridSync(call);
  case IntrinsicId::ShflSync:
    return shuffle(s, tile::ShuffleKind::Idx);
  case IntrinsicId::ShflXor:
    return shuffle(s, tile::ShuffleKind::Xor);
  case IntrinsicId::ShflUp:
    return shuffle(s, tile::ShuffleKind::Up);
  case IntrinsicId::ShflDown:
    return shuffle(s, tile::ShuffleKind::Down);
  case IntrinsicId::SyncThreadsCount:
    return blockVote(s, tile::VoteKind::Count);
  case IntrinsicId::SyncThreadsAnd:
    return blockVote(s, tile::VoteKind::All);
  case IntrinsicId::SyncThreadsOr:
    return blockVote(s, tile::VoteKind::Any);
  case IntrinsicId::WarpReduceSum:
    return warpReduce(s, tile::ReduceKind::Sum);
  case IntrinsicId::WarpReduceMax:
    return warpReduce(s, tile::ReduceKind::Max);
  case IntrinsicId::WarpReduceMin:
    return warpReduce(s, tile::ReduceKind::Min);
  case IntrinsicId::WarpReduceBitAnd:
    return warpReduce(s, tile::ReduceKind::BitAnd);
  case IntrinsicId::WarpReduceBitOr:
    return warpReduce(s, tile::ReduceKind::BitOr);
  case IntrinsicId::ShuffleElect:
    return elect(s);
  case IntrinsicId::Dp4a:
    return dp4a(call);
  case IntrinsicId::SchedBarrier:
  case IntrinsicId::SetPrio:
  case IntrinsicId::Directive:
    return scheduleCall(call);
  default:
    return vote(s);
  }
}

} // namespace tilec

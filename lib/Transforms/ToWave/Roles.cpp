//===- Roles.cpp - a producer warp and the warps that consume -------------===//
//
// The block is the consumers' threads, then a warp group whose first warp produces.
// Slots are guarded by two mbarriers each: full, which counts the bytes of TMA copies,
// and empty, on which the consumers arrive. Both sides count slots and parities in
// registers of their own, so that loops of any nesting share a pipe.
//
// Blocks of a cluster that fill each other's slots: a slot is empty when the consumers of
// all of them have released it, each of which arrives at all blocks. Nobody leaves before
// the others are done with its shared memory. Teams of consumers pass the turn to multiply
// through mbarriers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Roles.h"
#include "Layouts/Registers.h"
#include "Layouts/WarpGroups.h"
#include "Roles/TmaBox.h"
#include "ToWave/Emitter.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

constexpr int64_t firstTeamBarrier = 1; // number 0 is the whole block's
constexpr int64_t firstTurnBarrier = 8; // one a warp group; teams and stores have 1 to 7

} // namespace

/// Bytes of a slot that its transfers leave as they are.
static int64_t bytesNotBrought(Value pipe, const TargetInfo &target) {
  llvm::SmallDenseMap<Value, int64_t, 4> ofTiles;
  for (Operation *user : pipe.getUsers())
    if (auto copy = dyn_cast<tile::TmaCopyOp>(user)) {
      TmaBox box = tmaBoxOf(copy, target);
      ofTiles[boxRootOf(copy.getDst())] = box.tileBytes() - box.bytes;
    }
  int64_t bytes = 0;
  for (auto [tile, left] : ofTiles)
    bytes += left;
  return bytes;
}

void RoleEmitter::placePipes() {
  auto regs = [&] {
    return wave::AllocRegsOp::create(
        b, loc, wave::RegsType::get(b.getContext(), 1, b.getIndexType()), StringAttr());
  };
  int64_t next = e.placeOf(e.kernel);
  auto take = [&](int64_t mbarriers) {
    return std::exchange(next, next + mbarriers * e.target.mbarrierBytes);
  };
  for (tile::PipeOp op : e.kernel.getBody().getOps<tile::PipeOp>()) {
    PipePlace pipe;
    pipe.stages = op.getStages();
    pipe.bytes = op.getBytes() - bytesNotBrought(op.getPipe(), e.target);
    pipe.everyThread = op.getEveryThread();
    pipe.shared = op.getShared();
    pipe.arrivals =
        pipe.everyThread ? e.kernel.getThreads() : e.kernel.getThreads() / e.target.groupLanes();
    if (pipe.shared)
      pipe.arrivals *= clusterBlocks();
    pipe.fullBytes = take(pipe.stages);
    pipe.emptyBytes = take(pipe.stages);
    for (int side : {0, 1}) {
      pipe.slot[side] = regs();
      pipe.parity[side] = regs();
    }
    pipe.previous = regs();
    pipes[op.getPipe()] = pipe;
  }
  if (e.team) {
    turnBytes = take(e.kernel.getTeams());
    turnParity = regs();
  }
  fenceBytes = take(1);
}

/// Both sides start at slot 0; the first round of waiting for empty slots passes at once.
void RoleEmitter::initPipes(wave::KernelOp waveKernel) {
  SmallVector<BlockArgument> kernelMaps;
  for (BlockArgument argument : waveKernel.getBody().getArguments())
    if (isa<wave::TensorMapType>(argument.getType()))
      kernelMaps.push_back(argument);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, e.blockThread, e.index(0));
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    for (auto &[value, pipe] : pipes)
      for (int64_t slot = 0; slot < pipe.stages; ++slot) {
        wave::MBarrierInitOp::create(b, loc,
                                     e.index(pipe.fullBytes + slot * e.target.mbarrierBytes), 0, 1);
        wave::MBarrierInitOp::create(
            b, loc, e.index(pipe.emptyBytes + slot * e.target.mbarrierBytes), 0, pipe.arrivals);
      }
    for (BlockArgument argument : kernelMaps)
      wave::TmaPrefetchOp::create(b, loc, argument);
    for (int64_t t = 0; e.team && t < int64_t(e.kernel.getTeams()); ++t)
      wave::MBarrierInitOp::create(b, loc, e.index(turnBytes + t * e.target.mbarrierBytes), 0,
                                   e.kernel.getThreads() / e.target.groupLanes());
    wave::MBarrierInitOp::create(b, loc, e.index(fenceBytes), 0, 1);
    wave::MBarrierFenceOp::create(b, loc);
  }
  for (auto &[value, pipe] : pipes) {
    for (int side : {0, 1}) {
      wave::SetOp::create(b, loc, e.index(0), pipe.slot[side], 0);
      wave::SetOp::create(b, loc, e.index(side), pipe.parity[side], 0);
    }
    wave::SetOp::create(b, loc, e.index(-1), pipe.previous, 0);
  }
  if (e.team) {
    // The first e.team waits for a phase before the first: that is over.
    Value isFirstTeam = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, e.team, e.index(0));
    wave::SetOp::create(
        b, loc, arith::SelectOp::create(b, loc, isFirstTeam, e.index(1), e.index(0)).getResult(),
        turnParity, 0);
  }
}

/// Zeros in the rows of tiles that no transfer ever writes.
void RoleEmitter::clearUntouched(int64_t threads) {
  const int64_t pieceBytes = e.target.accessBytes;
  llvm::SmallPtrSet<Value, 4> done;
  e.kernel.walk([&](tile::TmaCopyOp copy) {
    TmaBox box = tmaBoxOf(copy, e.target);
    Value tile = boxRootOf(copy.getDst());
    if (box.untouchedBytes() == 0 || !done.insert(tile).second)
      return;
    const SharedPlace &place = e.shared.find(tile)->second;
    // The ends of all panels in one row of pieces, which threads take in turn.
    auto type = cast<tile::BufferType>(tile.getType());
    int64_t tileBytes = type.numElems() * bytesOf(tile::dtypeOf(type.getElementType()));
    int64_t ofPanel = box.untouchedBytes() / pieceBytes;
    int64_t pieces = tileBytes / box.panelBytes * ofPanel;
    auto loop = scf::ForOp::create(b, loc, e.blockThread, e.index(pieces), e.index(threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value piece = loop.getInductionVar();
    Value at = e.addIndex(e.mulIndex(e.divIndex(piece, ofPanel), box.panelBytes),
                          e.mulIndex(e.remIndex(piece, ofPanel), pieceBytes));
    auto word = VectorType::get(pieceBytes / 4, b.getI32Type());
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(word));
    wave::SharedWriteOp::create(b, loc, zeros, at, Value(),
                                place.baseBytes + box.panelBytes - box.untouchedBytes());
  });
  if (!done.empty())
    wave::AsyncFenceOp::create(b, loc);
}

LogicalResult RoleEmitter::emitKernel(tile::ProducerOp producer, wave::KernelOp waveKernel) {
  int64_t teams = e.kernel.getTeams(), consumers = teams * int64_t(e.kernel.getThreads());
  int64_t threads = consumers + producerThreads(e.target, consumers);
  int64_t consumerWaves = teams * e.numWaves;
  bindTensorMaps(waveKernel);
  placePipes();
  initPipes(waveKernel);
  clearUntouched(threads);
  const bool sharesSlots = llvm::any_of(pipes, [](auto &pipe) { return pipe.second.shared; });
  if (sharesSlots)
    wave::ClusterBarrierOp::create(b, loc);
  else
    wave::BarrierOp::create(b, loc);
  waveKernel.setThreads(threads);
  // What is above touches no device memory: it may run while the launch before still does.
  e.meetLaunches();
  std::optional<RegisterSplit> split = splitRegisters(e.target, threads);
  Value produces =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, e.blockWave, e.index(consumerWaves));
  auto roles = scf::IfOp::create(b, loc, produces, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&roles.getThenRegion().front());
  if (split)
    wave::SetMaxRegsOp::create(b, loc, split->producer);
  Value isLoader =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, e.blockWave, e.index(consumerWaves));
  auto loader = scf::IfOp::create(b, loc, isLoader, /*withElseRegion=*/false);
  b.setInsertionPointToStart(&loader.getThenRegion().front());
  Value elected = wave::ElectOp::create(b, loc, b.getI1Type());
  auto one = scf::IfOp::create(b, loc, elected, /*withElseRegion=*/false);
  b.setInsertionPointToStart(&one.getThenRegion().front());
  Elements alone;
  if (failed(e.emitBlock(producer.getBody().front(), alone)))
    return failure();

  // Every thread of the cluster meets at the consumers' barriers. The one that copies comes back to
  // its warp first.
  auto meetings = llvm::range_size(e.kernel.getBody().getOps<tile::ClusterBarrierOp>());
  b.setInsertionPointAfter(loader);
  if (meetings)
    wave::WaveFenceOp::create(b, loc);
  for (size_t i = 0; i < size_t(meetings); ++i)
    wave::ClusterBarrierOp::create(b, loc);

  b.setInsertionPointToStart(&roles.getElseRegion().front());
  if (split)
    wave::SetMaxRegsOp::create(b, loc, split->consumer, /*more=*/true);
  if (e.kernel.walk([](tile::GroupTurnOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
    // As if the last group had been there before the first.
    Value group = e.divIndex(e.waveId, warpsPerGroup);
    Value isLast =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, e.addIndex(group, 1),
                              e.index(int64_t(e.kernel.getThreads()) / e.target.groupLanes()));
    auto branch = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard keep(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    emitTurn(e.index(0), /*isPass=*/true);
  }
  Elements top;
  for (Operation &op : e.kernel.getBody().front())
    if (&op != producer && failed(e.emitOp(op, top)))
      return failure();
  bool storesTiles =
      e.kernel.walk([](tile::StoreTileOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (storesTiles) {
    // Shared memory lives until the last transfer has read it.
    Value leads = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        e.remIndex(e.threadId, e.target.groupLanes()), e.index(0));
    auto branch = scf::IfOp::create(b, loc, leads, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard keep(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    wave::BulkWaitOp::create(b, loc, 0);
  }
  SmallVector<wave::BarrierOp> ofTeam;
  roles.getElseRegion().walk([&](wave::BarrierOp barrier) {
    if (barrier.getThreads() == 0) // else of a warp group
      ofTeam.push_back(barrier);
  });
  for (wave::BarrierOp barrier : ofTeam) {
    b.setInsertionPoint(barrier);
    syncAt(e.team, teams, firstTeamBarrier, e.kernel.getThreads());
    barrier.erase();
  }
  roles.getElseRegion().walk([&](wave::BarrierCountOp count) {
    b.setInsertionPoint(count);
    Value first = e.index(firstTeamBarrier);
    count.getIdMutable().assign(teams == 1 ? first : e.addIndex(e.team, first));
    count.setThreads(e.kernel.getThreads());
  });
  if (sharesSlots) {
    // Shared memory lives until the others of the cluster have filled and released their slots. The
    // thread that copies comes back to its warp first.
    b.setInsertionPointAfter(roles);
    wave::WaveFenceOp::create(b, loc);
    wave::ClusterBarrierOp::create(b, loc);
  }
  return success();
}

void RoleEmitter::syncAt(Value id, int64_t count, int64_t firstBarrier, int64_t threads) {
  if (count == 1)
    wave::BarrierOp::create(b, loc, /*raw=*/false, threads, firstBarrier);
  else
    wave::NamedBarrierOp::create(b, loc, e.addIndex(id, firstBarrier), threads, /*arrive=*/false);
}

void RoleEmitter::syncGroup() {
  // Barrier 0 is the block's, then come those of the teams.
  int64_t teams = e.kernel.getTeams(), groups = e.kernel.getThreads() / e.target.groupLanes();
  syncAt(e.divIndex(e.blockWave, warpsPerGroup), groups * teams, firstTeamBarrier + teams,
         e.target.groupLanes());
}

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

/// The side's slot and a wait for it; the side goes on to the next slot.
Value RoleEmitter::advanceSlot(PipePlace &pipe, bool isProducer) {
  Type type = b.getIndexType();
  Value slot = wave::GetOp::create(b, loc, type, pipe.slot[isProducer], 0);
  Value parity = wave::GetOp::create(b, loc, type, pipe.parity[isProducer], 0);
  int64_t barriers = isProducer ? pipe.emptyBytes : pipe.fullBytes;
  wave::MBarrierWaitOp::create(b, loc, e.mulIndex(slot, e.target.mbarrierBytes), barriers, parity);
  Value next = e.addIndex(slot, 1);
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, e.index(pipe.stages));
  Value flipped = arith::XOrIOp::create(b, loc, parity, e.index(1));
  wave::SetOp::create(b, loc, arith::SelectOp::create(b, loc, wraps, e.index(0), next).getResult(),
                      pipe.slot[isProducer], 0);
  wave::SetOp::create(b, loc, arith::SelectOp::create(b, loc, wraps, flipped, parity).getResult(),
                      pipe.parity[isProducer], 0);
  return slot;
}

void RoleEmitter::emitRelease(PipePlace &pipe, Value slot, Value mask) {
  Value rank;
  if (!pipe.everyThread) {
    // Thread i of a warp group arrives at block i of the cluster.
    Value inGroup = e.remIndex(e.threadId, e.target.groupLanes());
    Value arrives = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, inGroup,
                                          e.index(pipe.shared ? clusterBlocks() : 1));
    mask = e.andMasks(mask, arrives);
    rank = pipe.shared ? inGroup : Value();
  }
  if (!mask)
    mask = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  wave::MBarrierArriveOp::create(b, loc, e.mulIndex(slot, e.target.mbarrierBytes), pipe.emptyBytes,
                                 mask, rank);
}

/// The side goes on by `count` slots without a wait.
void RoleEmitter::skipSlots(PipePlace &pipe, Value count) {
  Type type = b.getIndexType();
  Value at = e.addIndex(wave::GetOp::create(b, loc, type, pipe.slot[0], 0), count);
  Value turns = e.divIndex(at, pipe.stages);
  Value parity = wave::GetOp::create(b, loc, type, pipe.parity[0], 0);
  wave::SetOp::create(b, loc, e.remIndex(at, pipe.stages), pipe.slot[0], 0);
  wave::SetOp::create(b, loc,
                      arith::XOrIOp::create(b, loc, parity, e.remIndex(turns, 2)).getResult(),
                      pipe.parity[0], 0);
}

void RoleEmitter::waitTurn() {
  Value parity = wave::GetOp::create(b, loc, b.getIndexType(), turnParity, 0);
  wave::MBarrierWaitOp::create(b, loc, e.mulIndex(e.team, e.target.mbarrierBytes), turnBytes,
                               parity);
  wave::SetOp::create(b, loc, arith::XOrIOp::create(b, loc, parity, e.index(1)).getResult(),
                      turnParity, 0);
}

void RoleEmitter::passTurn() {
  Value leads = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      e.remIndex(e.threadId, e.target.groupLanes()), e.index(0));
  Value next = e.remIndex(e.addIndex(e.team, 1), e.kernel.getTeams());
  wave::MBarrierArriveOp::create(b, loc, e.mulIndex(next, e.target.mbarrierBytes), turnBytes, leads,
                                 Value());
}

/// Each warp group has a barrier where it waits for its turn; the group before it arrives there to
/// pass it on.
void RoleEmitter::emitTurn(Value group, bool isPass) {
  int64_t groups = e.kernel.getThreads() / e.target.groupLanes();
  Value id = e.addIndex(e.remIndex(group, groups), firstTurnBarrier);
  wave::NamedBarrierOp::create(b, loc, id, 2 * e.target.groupLanes(), isPass);
}

/// Whether warp groups' instructions read e.shared memory that threads write: they make their
/// writes visible to it.
bool RoleEmitter::needsAsyncFence() {
  if (hasAsyncReaders)
    return *hasAsyncReaders;
  llvm::DenseSet<Value> filledByTma;
  e.kernel.walk([&](tile::TmaCopyOp copy) { filledByTma.insert(rootOf(copy.getDst())); });
  hasAsyncReaders = false;
  e.kernel.walk([&](tile::GemmOp gemm) {
    for (Value operand : {gemm.getA(), gemm.getB()})
      *hasAsyncReaders |= gemm.getWarpGroup() &&
                          cast<tile::BufferType>(operand.getType()).isShared() &&
                          !filledByTma.contains(rootOf(operand));
  });
  return *hasAsyncReaders;
}

std::optional<LogicalResult> RoleEmitter::emit(Operation &op, Elements &elements) {
  if (isa<tile::PipeOp>(op))
    return success(); // placed already
  if (auto acquire = dyn_cast<tile::PipeAcquireOp>(op)) {
    PipePlace &pipe = pipes[acquire.getPipe()];
    Value slot = advanceSlot(pipe, /*isProducer=*/true);
    wave::MBarrierExpectOp::create(b, loc, e.mulIndex(slot, e.target.mbarrierBytes), pipe.fullBytes,
                                   pipe.bytes);
    elements.map[acquire.getSlot()] = {slot};
    return success();
  }
  if (auto copy = dyn_cast<tile::TmaCopyOp>(op))
    return emitTmaCopy(copy, elements);
  if (auto wait = dyn_cast<tile::PipeWaitOp>(op)) {
    elements.map[wait.getSlot()] = {advanceSlot(pipes[wait.getPipe()], /*isProducer=*/false)};
    return success();
  }
  if (isa<tile::IssueFenceOp>(op)) {
    // A fresh mbarrier is beyond the phase of parity 1. One of a pipe would not do: a slot may be
    // full again before the last wave asks.
    wave::MBarrierWaitOp::create(b, loc, e.index(0), fenceBytes, e.index(1));
    return success();
  }
  if (auto release = dyn_cast<tile::PipeReleaseOp>(op)) {
    PipePlace &pipe = pipes[release.getPipe()];
    Value slot = e.lookup(release.getSlot(), 0, elements);
    if (!release.getPrevious())
      return emitRelease(pipe, slot, nullptr), success();
    Value before = wave::GetOp::create(b, loc, b.getIndexType(), pipe.previous, 0);
    emitRelease(pipe, before,
                arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, before, e.index(0)));
    wave::SetOp::create(b, loc, slot, pipe.previous, 0);
    return success();
  }
  if (auto drain = dyn_cast<tile::PipeDrainOp>(op)) {
    PipePlace &pipe = pipes[drain.getPipe()];
    Value before = wave::GetOp::create(b, loc, b.getIndexType(), pipe.previous, 0);
    emitRelease(pipe, before,
                arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, before, e.index(0)));
    wave::SetOp::create(b, loc, e.index(-1), pipe.previous, 0);
    return success();
  }
  if (auto skip = dyn_cast<tile::PipeSkipOp>(op))
    return skipSlots(pipes[skip.getPipe()], e.lookup(skip.getCount(), 0, elements)), success();
  if (auto rank = dyn_cast<tile::ClusterRankOp>(op)) {
    Value block = e.lookup(kernel.getBody().getArgument(0), 0, elements);
    elements.map[rank.getRank()] = {e.remIndex(block, clusterBlocks())};
    return success();
  }
  if (isa<tile::ClusterBarrierOp>(op))
    return wave::ClusterBarrierOp::create(b, loc), success();
  if (auto number = dyn_cast<tile::TeamOp>(op)) {
    elements.map[number.getTeam()] = {e.team ? e.team : e.index(0)};
    return success();
  }
  if (auto number = dyn_cast<tile::WarpGroupOp>(op)) {
    elements.map[number.getGroup()] = {e.divIndex(e.waveId, warpsPerGroup)};
    return success();
  }
  if (auto choice = dyn_cast<tile::OfGroupOp>(op)) {
    elements.map[choice.getResult()] = {e.lookup(choice.getOwn(), 0, elements)};
    return success();
  }
  if (isa<tile::TurnWaitOp>(op))
    return waitTurn(), success();
  if (isa<tile::TurnPassOp>(op))
    return passTurn(), success();
  if (auto turn = dyn_cast<tile::GroupTurnOp>(op)) {
    Value group = e.divIndex(e.waveId, warpsPerGroup);
    emitTurn(turn.getPass() ? e.addIndex(group, 1) : group, turn.getPass());
    return success();
  }
  if (isa<tile::GroupSyncOp>(op))
    return syncGroup(), success();
  if (auto wait = dyn_cast<tile::GemmWaitOp>(op)) {
    // With a group left in flight as well: an op that touches nothing would be erased as dead.
    SmallVector<Value, 4> readable;
    for (Value buffer : wait.getBuffers())
      readable.push_back(e.fragments.find(buffer)->second.regs);
    wave::GroupMmaWaitOp::create(b, loc, wait.getPending(), readable);
    return success();
  }
  return std::nullopt;
}

} // namespace tilec

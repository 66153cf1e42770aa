//===- Compile.cpp - from tile ops to instructions ------------------------===//
//
// One walk over the program. Each scalar has a slot of its frame; others' are imported when used.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Compile.h"

#include "Combine.h"
#include "GridSync.h"
#include "ParallelPlan.h"
#include "Pipes.h"
#include "Scalars.h"

#include "tilec/IR/Tile/Tfloat32.h"
#include "tilec/IR/Tile/Uniformity.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec::reference {
namespace {

/// Memory that the machine may take for one buffer, all lanes together.
constexpr int64_t maxBufferBytes = int64_t(1) << 32;

struct FrameScope {
  FrameScope *outer = nullptr;
  llvm::DenseMap<Value, Slot> slots;
  std::vector<Import> imports;
  uint32_t numSlots = 0;
  int lanes = 1;
  tile::ElementLoop parallel; ///< the outermost one, inside of it
  llvm::SmallVector<uint32_t, 2> perLaneBuffers;
};

class Compiler {
public:
  Compiler(Unit &unit, const CompileOptions &options) : unit(unit), options(options) {}

  llvm::Error run(tile::ProgramOp program) {
    FrameScope scope;
    frame = &scope;
    compileBlock(program.getBody().front(), unit.program);
    unit.programSlots = scope.numSlots;
    if (error.empty())
      return llvm::Error::success();
    return llvm::createStringError(error);
  }

private:
  void fail(Operation *op, const Twine &message) {
    if (error.empty())
      error = (placeOf(op->getLoc()) + op->getName().getStringRef() + ": " + message).str();
  }

  // Slots.
  Slot define(Value value) { return frame->slots[value] = frame->numSlots++; }
  Slot slotOf(Value value) { return slotIn(*frame, value); }
  Slot slotIn(FrameScope &scope, Value value);

  // Buffers.
  uint32_t declareBuffer(Value value, bool isAlloc);
  ViewChain chainOf(Value buffer);
  Access accessOf(Value buffer, ValueRange indices);
  /// A kernel writes it: blocks may meet there (BlockOrder.h).
  void noteWritten(const ViewChain &chain) {
    if (chain.buffer < unit.buffers.size())
      unit.buffers[chain.buffer].isWrittenGlobal |= unit.buffers[chain.buffer].type.isGlobal();
  }

  // Ops.
  void compileBlock(Block &block, Code &code);
  void compileOp(Operation *op, Code &code);
  bool compileElementOp(Operation *op, Instr &instr);
  bool compileTileOp(Operation *op, Instr &instr);
  bool compileControl(Operation *op, Instr &instr, Code &code);
  bool compileParam(Operation *op, Instr &instr);
  bool compilePipeOp(Operation *op, Instr &instr);
  bool compileThreadOp(Operation *op, Instr &instr);
  bool runsPerThread(Operation *op) const { return uniformity && uniformity->runsPerThread(op); }
  void compileStore(tile::StoreOp store, Instr &instr, Code &code);
  void compileConstant(arith::ConstantOp constant, Instr &instr);
  void compileIf(scf::IfOp op, Instr &instr, Code &code);
  void compileParallel(tile::ElementLoop op, Instr &instr);
  void compileInnerParallel(tile::ElementLoop op, Instr &instr);
  void compileKernel(tile::KernelOp op, Instr &instr);
  void addReductions(ParallelPlan &plan);
  SmallVector<const ReductionDecl *, 1> flushesOf(Operation *op);

  template <typename Aux> Aux *attach(Instr &instr) {
    Aux *aux = unit.make<Aux>();
    instr.aux = aux;
    return aux;
  }

  Unit &unit;
  const CompileOptions &options;
  FrameScope *frame = nullptr;
  std::optional<tile::Uniformity> uniformity; ///< of the kernel that is being compiled
  llvm::DenseMap<Value, uint32_t> bufferIds, pipeIds;
  struct Update {
    FoundReduction found;
    ReductionDecl *decl;
  };
  llvm::DenseMap<Operation *, Update> updates; ///< by store
  llvm::DenseSet<Operation *> absorbed;
  llvm::MapVector<std::pair<Operation *, Value>, ReductionDecl *> declOf; ///< by loop and buffer
  std::string error;
};

Slot Compiler::slotIn(FrameScope &scope, Value value) {
  if (auto it = scope.slots.find(value); it != scope.slots.end())
    return it->second;
  if (!scope.outer) { // only in unverified IR
    Operation *owner = value.getDefiningOp();
    if (owner)
      fail(owner, "is used before it is defined");
    return scope.slots[value] = scope.numSlots++;
  }
  Slot outer = slotIn(*scope.outer, value), inner = scope.numSlots++;
  scope.imports.push_back({outer, inner, repOf(value.getType())});
  return scope.slots[value] = inner;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

uint32_t Compiler::declareBuffer(Value value, bool isAlloc) {
  BufferDecl decl;
  decl.value = value;
  decl.type = cast<tile::BufferType>(value.getType());
  decl.dtype = tile::dtypeOf(decl.type.getElementType());
  decl.isAlloc = isAlloc;
  if (isAlloc) {
    if (decl.type.isLocal())
      decl.allocLanes = frame->lanes;
    int64_t count = decl.allocLanes * 8;
    for (int64_t extent : decl.type.getShape())
      if (__builtin_mul_overflow(count, extent, &count) || count > maxBufferBytes) {
        fail(value.getDefiningOp(), "needs more than 4 GiB of host memory");
        break;
      }
  }
  uint32_t id = unit.buffers.size();
  unit.buffers.push_back(decl);
  return bufferIds[value] = id;
}

ViewChain Compiler::chainOf(Value buffer) {
  SmallVector<Operation *> parts;
  while (Operation *op = buffer.getDefiningOp()) {
    if (!isa<tile::SubviewOp, tile::ReshapeOp, tile::Im2colOp>(op))
      break;
    parts.push_back(op);
    buffer = op->getOperand(0);
  }
  ViewChain chain;
  auto it = bufferIds.find(buffer);
  if (it == bufferIds.end()) {
    Operation *owner = buffer.getDefiningOp();
    fail(owner ? owner : buffer.getParentBlock()->getParentOp(),
         "makes a buffer that the cpu device does not know");
    return chain;
  }
  chain.buffer = it->second;
  const BufferDecl &decl = unit.buffers[chain.buffer];
  chain.dtype = decl.dtype;
  chain.traps = !decl.type.isGlobal();
  for (Operation *op : llvm::reverse(parts)) {
    ViewLevel level;
    auto type = cast<tile::BufferType>(op->getResult(0).getType());
    level.shape.assign(type.getShape().begin(), type.getShape().end());
    level.dtype = chain.dtype = tile::dtypeOf(type.getElementType());
    level.isReshape = isa<tile::ReshapeOp>(op);
    if (auto patches = dyn_cast<tile::Im2colOp>(op)) {
      level.patches = Patches{int64_t(patches.getKernel()),
                              int64_t(patches.getStride()),
                              int64_t(patches.getDilation()),
                              int64_t(patches.getPad()),
                              patches.outHeight(),
                              patches.outWidth(),
                              patches.channels()};
      level.dropped.assign(level.shape.size(), false);
    }
    // A box of the matrix: nobody lists all of it.
    if (isa<tile::SubviewOp>(op) && !chain.levels.empty() && chain.levels.back().patches &&
        chain.levels.back().offsets.empty())
      level.patches = chain.levels.pop_back_val().patches;
    if (auto subview = dyn_cast<tile::SubviewOp>(op)) {
      for (Value offset : subview.getOffsets())
        level.offsets.push_back(slotOf(offset));
      level.dropped.assign(level.offsets.size(), false);
      for (int64_t dim : subview.getDropped())
        level.dropped[dim] = true;
    }
    chain.levels.push_back(std::move(level));
  }
  bool isOuter =
      frame->parallel && !frame->parallel->isAncestor(buffer.getParentBlock()->getParentOp());
  if (isOuter && decl.allocLanes > 1 && !llvm::is_contained(frame->perLaneBuffers, chain.buffer))
    frame->perLaneBuffers.push_back(chain.buffer);
  return chain;
}

Access Compiler::accessOf(Value buffer, ValueRange indices) {
  Access access;
  access.chain = chainOf(buffer);
  access.dtype = access.chain.dtype;
  access.traps = access.chain.traps;
  for (Value index : indices)
    access.dims.push_back({slotOf(index)});
  auto &levels = access.chain.levels;
  while (!levels.empty() && levels.back().isBox()) {
    ViewLevel &level = levels.back();
    SmallVector<SmallVector<Slot, 2>, 4> source;
    size_t next = 0;
    for (size_t d = 0; d < level.offsets.size(); ++d) {
      SmallVector<Slot, 2> slots{level.offsets[d]};
      if (!level.dropped[d]) {
        if (access.traps)
          access.boxChecks.push_back({access.dims[next], level.shape[next]});
        slots.append(access.dims[next++]);
      }
      source.push_back(slots);
    }
    access.dims = std::move(source);
    levels.pop_back();
  }
  if (levels.empty())
    return access;
  bool isPlain = unit.buffers.size() > access.chain.buffer &&
                 unit.buffers[access.chain.buffer].isAlloc &&
                 llvm::all_of(levels, [](const ViewLevel &level) { return level.isReshape; });
  if (isPlain) { // an alloc is dense: its last shape is all that matters
    access.ownShape = true;
    access.shape = levels.back().shape;
  } else {
    access.indirect = true;
  }
  return access;
}

//===----------------------------------------------------------------------===//
// Scalars and elements
//===----------------------------------------------------------------------===//

void Compiler::compileConstant(arith::ConstantOp constant, Instr &instr) {
  Attribute value = constant.getValue();
  instr.dst = define(constant.getResult());
  instr.run = execConstant;
  instr.b = static_cast<Slot>(repOf(constant.getType()));
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    // An i1 true would come as -1.
    instr.imm = integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                               : integer.getValue().getSExtValue();
  } else if (auto real = dyn_cast<FloatAttr>(value);
             real && (real.getType().isF32() || real.getType().isF64())) {
    instr.imm = std::bit_cast<int64_t>(real.getValueAsDouble());
  } else {
    fail(constant, "is no scalar that the cpu device knows");
  }
}

bool Compiler::compileElementOp(Operation *op, Instr &instr) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    auto *aux = attach<LoadAux>(instr);
    aux->access = accessOf(load.getBuffer(), load.getIndices());
    aux->pad = asStored(aux->access.dtype, load.getPad() ? load.getPad()->convertToDouble() : 0);
    instr.dst = define(load.getResult());
    instr.run = loadFrom(load, *aux);
    return true;
  }
  if (auto atomic = dyn_cast<tile::AtomicOp>(op)) {
    auto *aux = attach<AtomicAux>(instr);
    aux->access = accessOf(atomic.getBuffer(), atomic.getIndices());
    noteWritten(aux->access.chain);
    aux->kind = atomic.getKind();
    aux->isUnsigned = atomic.getIsUnsigned();
    if (isFloat(aux->access.dtype) &&
        (aux->kind == tile::AtomicKind::And || aux->kind == tile::AtomicKind::Or ||
         aux->kind == tile::AtomicKind::Xor))
      fail(op, "combines the bits of floats");
    instr.a = slotOf(atomic.getValue());
    instr.dst = define(atomic.getOld());
    instr.run = atomicOf(atomic);
    return true;
  }
  if (auto round = dyn_cast<tile::RoundOp>(op)) {
    instr.a = slotOf(round.getValue());
    instr.dst = define(round.getResult());
    instr.imm = static_cast<int64_t>(tile::dtypeOf(round.getDtype()));
    instr.b = static_cast<Slot>(repOf(round.getValue().getType()));
    instr.run = execRoundTo;
    return true;
  }
  if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
    instr.imm = declareBuffer(alloc.getResult(), /*isAlloc=*/true);
    instr.run = execAlloc;
    return true;
  }
  return false;
}

bool Compiler::compileThreadOp(Operation *op, Instr &instr) {
  if (!isa<tile::ThreadIdOp, tile::OnWavesOp, tile::ShuffleOp, tile::VoteOp, tile::BallotOp,
           tile::MatchOp, tile::WarpReduceOp, tile::BlockVoteOp, tile::Dp4aOp>(op))
    return false;
  Value active;
  auto *aux = attach<WarpAux>(instr);
  if (op->getNumOperands() > 0) {
    Value value = op->getOperand(0);
    instr.a = slotOf(value);
    aux->rep = repOf(value.getType());
    aux->bits = value.getType().getIntOrFloatBitWidth();
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<tile::ThreadIdOp, tile::OnWavesOp>([&](auto) { instr.run = execThreadId; })
      .Case<tile::ShuffleOp>([&](tile::ShuffleOp shuffle) {
        instr.b = slotOf(shuffle.getLane());
        aux->shuffle = shuffle.getKind();
        aux->width = shuffle.getWidth();
        active = shuffle.getActive();
        instr.run = execShuffle;
      })
      .Case<tile::VoteOp>([&](tile::VoteOp vote) {
        aux->vote = vote.getKind();
        active = vote.getActive();
        instr.run = execVote;
      })
      .Case<tile::BallotOp>([&](tile::BallotOp ballot) {
        active = ballot.getActive();
        instr.run = execBallot;
      })
      .Case<tile::MatchOp>([&](tile::MatchOp match) {
        aux->vote = match.getKind();
        active = match.getActive();
        instr.run = execMatch;
      })
      .Case<tile::WarpReduceOp>([&](tile::WarpReduceOp reduce) {
        aux->reduce = reduce.getKind();
        aux->isUnsigned = reduce.getIsUnsigned();
        active = reduce.getActive();
        instr.run = execWarpReduce;
      })
      .Case<tile::BlockVoteOp>([&](tile::BlockVoteOp vote) {
        aux->vote = vote.getKind();
        active = vote.getActive();
        instr.run = execBlockVote;
      })
      .Case<tile::Dp4aOp>([&](tile::Dp4aOp dot) {
        instr.b = slotOf(dot.getB());
        instr.c = slotOf(dot.getC());
        instr.imm = dot.getIsUnsigned();
        instr.run = execDp4a;
      });
  aux->hasActive = active != nullptr;
  if (active)
    aux->active = slotOf(active);
  auto kernel = op->getParentOfType<tile::KernelOp>();
  if (kernel)
    aux->warpLanes = std::max<int64_t>(kernel.getWarpLanes(), 1);
  instr.dst = define(op->getResult(0));
  bool isOfThread = kernel && kernel.getLockstep() && !frame->parallel; // one thread, too
  if (!isa<tile::Dp4aOp>(op) && !isOfThread)
    fail(op, "is in no lockstep kernel, or inside tile.parallel");
  return true;
}

void Compiler::compileStore(tile::StoreOp store, Instr &instr, Code &code) {
  auto it = updates.find(store);
  if (it == updates.end()) {
    auto *aux = attach<StoreAux>(instr);
    aux->access = accessOf(store.getBuffer(), store.getIndices());
    aux->keepsInfinity = bitsOf(aux->access.dtype) == 8 && hasInfinity(aux->access.dtype) &&
                         tile::movesElement(store);
    noteWritten(aux->access.chain);
    instr.a = slotOf(store.getValue());
    instr.run = execStore;
    code.instrs.push_back(instr);
    return;
  }
  for (const FoundReduction::Step &step : it->second.found.steps) {
    auto *aux = attach<ReduceIntoAux>(instr);
    aux->access = accessOf(store.getBuffer(), store.getIndices());
    noteWritten(aux->access.chain);
    ReductionDecl &decl = *it->second.decl;
    decl.buffer = aux->access.chain.buffer;
    decl.dtype = aux->access.dtype;
    decl.rep = repOf(store.getValue().getType());
    aux->decl = &decl;
    aux->isSubtract = step.isSubtract;
    instr.a = slotOf(step.value);
    instr.run = execReduceInto;
    code.instrs.push_back(instr);
  }
}

//===----------------------------------------------------------------------===//
// Tile ops
//===----------------------------------------------------------------------===//

bool Compiler::compileTileOp(Operation *op, Instr &instr) {
  if (!isa<tile::CopyOp, tile::AsyncCopyOp, tile::FillOp, tile::GemmOp, tile::ReduceOp,
           tile::ScanOp, tile::PrintOp>(op))
    return false;
  auto *aux = attach<TileOpAux>(instr);
  for (Value operand : op->getOperands()) {
    if (!isa<tile::BufferType>(operand.getType()))
      continue;
    aux->views.push_back(chainOf(operand));
  }
  aux->perLane = frame->parallel || runsPerThread(op);
  aux->written = isa<tile::FillOp>(op)    ? 0
                 : isa<tile::GemmOp>(op)  ? 2
                 : isa<tile::PrintOp>(op) ? -1
                                          : 1;
  if (aux->written >= 0)
    noteWritten(aux->views[aux->written]);
  auto setCombine = [&](tile::ReduceKind kind, bool propagatesNan) {
    std::optional<Combine> combine = combineOf(kind, aux->views[0].dtype, propagatesNan);
    if (!combine)
      return fail(op, "combines the bits of floats");
    aux->combine = *combine;
    aux->absolute = (kind == tile::ReduceKind::AbsSum || kind == tile::ReduceKind::AbsMax) &&
                    !isUnsigned(aux->views[0].dtype);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<tile::CopyOp, tile::AsyncCopyOp>([&](auto) {
        const ViewChain &from = aux->views[0], &to = aux->views[1];
        aux->readsFirst = !frame->parallel && runsPerThread(op) && from.buffer == to.buffer &&
                          from.dtype == to.dtype;
        instr.run = execCopy;
      })
      .Case<tile::FillOp>([&](tile::FillOp fill) {
        instr.a = slotOf(fill.getValue());
        aux->rep = repOf(fill.getValue().getType());
        instr.run = execFill;
      })
      .Case<tile::GemmOp>([&](tile::GemmOp gemm) {
        aux->transposeA = gemm.getTransposeA();
        aux->transposeB = gemm.getTransposeB();
        aux->tfloat32 = gemm.getTfloat32();
        aux->hasClearSlot = gemm.getClear() != nullptr;
        if (aux->hasClearSlot)
          instr.a = slotOf(gemm.getClear());
        instr.run = execGemm;
      })
      .Case<tile::ReduceOp>([&](tile::ReduceOp reduce) {
        setCombine(reduce.getKind(), reduce.getNanPropagate());
        aux->dim = reduce.getDim();
        aux->clear = reduce.getClear();
        // There are no lanes here, so the one part is the result.
        instr.run = reduce.getStep() == tile::ReduceStep::Combine ? execNothing : execReduce;
      })
      .Case<tile::ScanOp>([&](tile::ScanOp scan) {
        setCombine(scan.getKind(), false);
        aux->dim = scan.getDim();
        aux->reverse = scan.getReverse();
        instr.run = execScan;
      })
      .Case<tile::PrintOp>([&](tile::PrintOp print) {
        aux->message = print.getMessage().str();
        instr.run = execPrint;
        if (!aux->views.empty())
          return;
        if (!isa<IntegerType, IndexType, FloatType>(print.getValue().getType()))
          return fail(op, "prints a scalar or a buffer");
        instr.a = slotOf(print.getValue());
        aux->rep = repOf(print.getValue().getType());
      });
  return true;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void Compiler::compileIf(scf::IfOp op, Instr &instr, Code &code) {
  auto *aux = attach<IfAux>(instr);
  instr.a = slotOf(op.getCondition());
  instr.run = execIf;
  compileBlock(*op.thenBlock(), aux->thenCode);
  if (op.elseBlock())
    compileBlock(*op.elseBlock(), aux->elseCode);
  code.mayBreak |= aux->thenCode.mayBreak || aux->elseCode.mayBreak;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    IfAux::Result moved;
    moved.thenValue = slotOf(op.thenYield().getOperand(i));
    moved.elseValue = slotOf(op.elseYield().getOperand(i));
    moved.dst = define(result);
    moved.rep = repOf(result.getType());
    aux->results.push_back(moved);
  }
}

void Compiler::addReductions(ParallelPlan &plan) {
  for (FoundReduction &found : plan.reductions) {
    Value root = rootBuffer(found.store.getBuffer());
    // A buffer of the nest itself gets its id when its alloc is compiled; the store comes later.
    for (Operation *op : found.absorbed)
      absorbed.insert(op);
    ReductionDecl *&decl = declOf[{found.level, root}];
    if (!decl) {
      decl = unit.make<ReductionDecl>();
      decl->id = unit.reductions.size();
      unit.reductions.push_back(decl);
    }
    decl->combine = found.combine;
    Operation *store = found.store;
    updates[store] = {std::move(found), decl};
  }
}

SmallVector<const ReductionDecl *, 1> Compiler::flushesOf(Operation *op) {
  SmallVector<const ReductionDecl *, 1> result;
  for (auto &[key, decl] : declOf)
    if (key.first == op)
      result.push_back(decl);
  return result;
}

void Compiler::compileParallel(tile::ElementLoop op, Instr &instr) {
  auto *aux = attach<ParallelAux>(instr);
  ParallelPlan plan = planParallel(op);
  if (options.findsReductions)
    addReductions(plan);
  for (Value extent : op.getExtents())
    aux->extents.push_back(slotOf(extent));
  FrameScope scope;
  scope.outer = frame;
  scope.parallel = op;
  scope.lanes = aux->width = plan.mayRunTogether && options.runsTogether ? chunkLanes : 1;
  frame = &scope;
  for (Value iv : op.ivs())
    aux->ivs.push_back(define(iv));
  compileBlock(*op.bodyBlock(), aux->body);
  frame = scope.outer;
  if (aux->body.mayBreak)
    fail(op, "is left by a tile.break; only tile.for and tile.while can be");
  aux->imports = std::move(scope.imports);
  aux->numSlots = scope.numSlots;
  aux->perLaneBuffers = scope.perLaneBuffers;
  aux->perThread = runsPerThread(op);
  if (auto part = op.getPart())
    aux->part.assign(part->begin(), part->end());
  aux->flushes = flushesOf(op);
  instr.run = execParallel;
  unit.parallelBytes =
      std::max(unit.parallelBytes, size_t(scope.numSlots) * scope.lanes * laneBytes);
}

void Compiler::compileInnerParallel(tile::ElementLoop op, Instr &instr) {
  auto *aux = attach<ParallelAux>(instr);
  for (Value extent : op.getExtents())
    aux->extents.push_back(slotOf(extent));
  for (Value iv : op.ivs())
    aux->ivs.push_back(define(iv));
  compileBlock(*op.bodyBlock(), aux->body);
  if (aux->body.mayBreak)
    fail(op, "is left by a tile.break; only tile.for and tile.while can be");
  aux->flushes = flushesOf(op);
  instr.run = execInnerParallel;
}

bool Compiler::compileControl(Operation *op, Instr &instr, Code &code) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    compileIf(branch, instr, code);
  } else if (auto loop = dyn_cast<tile::ForOp>(op)) {
    auto *aux = attach<LoopAux>(instr);
    instr.a = slotOf(loop.getLower());
    instr.b = slotOf(loop.getUpper());
    instr.c = slotOf(loop.getStep());
    instr.dst = define(loop.iv());
    compileBlock(*loop.bodyBlock(), aux->body);
    aux->flushes = flushesOf(loop);
    instr.run = execFor;
  } else if (auto repeat = dyn_cast<tile::WhileOp>(op)) {
    auto *aux = attach<LoopAux>(instr);
    compileBlock(repeat.getCondition().front(), aux->condition);
    auto condition = dyn_cast<tile::ConditionOp>(repeat.getCondition().front().back());
    if (!condition || aux->condition.mayBreak) {
      fail(op, "has a condition region that ends with tile.condition and does not break");
      return true;
    }
    instr.a = slotOf(condition.getValue());
    compileBlock(repeat.getBody().front(), aux->body);
    instr.run = execWhile;
  } else if (isa<tile::BreakOp>(op)) {
    if (!op->getParentOfType<tile::ForOp>() && !op->getParentOfType<tile::WhileOp>())
      fail(op, "is in no loop");
    code.mayBreak = true;
    instr.run = execBreak;
  } else if (auto parallel = dyn_cast<tile::ElementLoop>(op)) {
    frame->parallel ? compileInnerParallel(parallel, instr) : compileParallel(parallel, instr);
  } else if (auto kernel = dyn_cast<tile::KernelOp>(op)) {
    compileKernel(kernel, instr);
  } else if (isa<tile::GridSyncOp, tile::ClusterBarrierOp>(op)) {
    if (frame->parallel)
      fail(op, "is inside tile.parallel");
    instr.run = execGridSync;
  } else if (auto check = dyn_cast<tile::AssertOp>(op)) {
    instr.a = slotOf(check.getCondition());
    attach<AssertAux>(instr)->message = check.getMessage().str();
    instr.run = execAssert;
  } else if (auto fact = dyn_cast<tile::AssumeOp>(op)) {
    instr.a = slotOf(fact.getCondition());
    attach<AssertAux>(instr)->message = "what is assumed does not hold";
    instr.run = execAssert;
  } else {
    return false;
  }
  return true;
}

void Compiler::compileKernel(tile::KernelOp op, Instr &instr) {
  auto *aux = attach<KernelAux>(instr);
  for (Value extent : op.getGrid())
    aux->grid.push_back(slotOf(extent));
  FrameScope scope;
  scope.outer = frame;
  scope.lanes = aux->lanes = op.getLockstep() ? op.getThreads() : 1;
  uniformity.emplace(op);
  aux->waitsForBlocks = waitsForBlocks(op);
  frame = &scope;
  for (Value id : op.getBody().getArguments())
    aux->ids.push_back(define(id));
  compileBlock(op.getBody().front(), aux->body);
  frame = scope.outer;
  aux->imports = std::move(scope.imports);
  aux->numSlots = scope.numSlots;
  instr.run = execKernel;
}

//===----------------------------------------------------------------------===//
// Parameters and blocks
//===----------------------------------------------------------------------===//

bool Compiler::compileParam(Operation *op, Instr &instr) {
  if (auto tensor = dyn_cast<tile::TensorOp>(op)) {
    auto *aux = attach<ParamAux>(instr);
    aux->name = tensor.getName().str();
    for (Value dim : tensor.getDims())
      aux->dims.push_back(slotOf(dim));
    aux->buffer = declareBuffer(tensor.getResult(), false);
    aux->seenShape = tensor.getSeenShape();
    instr.run = execTensor;
  } else if (auto workspace = dyn_cast<tile::WorkspaceOp>(op)) {
    auto *aux = attach<ParamAux>(instr);
    aux->name = workspace.getName().str();
    for (Value dim : workspace.getDims())
      aux->dims.push_back(slotOf(dim));
    aux->buffer = declareBuffer(workspace.getResult(), false);
    instr.run = execWorkspace;
  } else if (auto scalar = dyn_cast<tile::ScalarOp>(op)) {
    auto *aux = attach<ParamAux>(instr);
    aux->name = scalar.getName().str();
    aux->dtype = tile::dtypeOf(scalar.getDtype());
    instr.dst = define(scalar.getResult());
    instr.b = static_cast<Slot>(repOf(scalar.getResult().getType()));
    instr.run = execScalar;
  } else if (auto dim = dyn_cast<tile::DimOp>(op)) {
    attach<ParamAux>(instr)->name = dim.getName().str();
    instr.dst = define(dim.getResult());
    instr.run = execDim;
  } else {
    return false;
  }
  return true;
}

bool Compiler::compilePipeOp(Operation *op, Instr &instr) {
  if (!isa<tile::PipeOp, tile::ProducerOp, tile::PipeAcquireOp, tile::TmaCopyOp, tile::PipeWaitOp,
           tile::PipeReleaseOp, tile::PipeDrainOp>(op))
    return false;
  if (frame->parallel || frame->lanes != 1) {
    fail(op, "is inside tile.parallel or in a lockstep kernel");
    return true;
  }
  if (auto producer = dyn_cast<tile::ProducerOp>(op)) {
    auto *aux = attach<ProducerAux>(instr);
    FrameScope scope;
    scope.outer = frame;
    frame = &scope;
    compileBlock(producer.getBody().front(), aux->body);
    frame = scope.outer;
    aux->imports = std::move(scope.imports);
    aux->numSlots = scope.numSlots;
    instr.run = execProducer;
    return true;
  }
  auto *aux = attach<PipeAux>(instr);
  if (auto pipe = dyn_cast<tile::PipeOp>(op)) {
    aux->pipe = pipeIds.size();
    pipeIds[pipe.getPipe()] = aux->pipe;
    aux->stages = pipe.getStages();
    aux->bytes = pipe.getBytes();
    if (aux->stages > 64) // far above what any shared memory holds
      fail(op, "has more than 64 slots");
    instr.run = execPipe;
    return true;
  }
  for (Value operand : op->getOperands())
    if (auto it = pipeIds.find(operand); it != pipeIds.end())
      aux->pipe = it->second;
  llvm::TypeSwitch<Operation *>(op)
      .Case<tile::PipeAcquireOp>([&](tile::PipeAcquireOp acquire) {
        instr.dst = define(acquire.getSlot());
        instr.run = execPipeAcquire;
      })
      .Case<tile::PipeWaitOp>([&](tile::PipeWaitOp wait) {
        instr.dst = define(wait.getSlot());
        instr.run = execPipeWait;
      })
      .Case<tile::PipeReleaseOp>([&](tile::PipeReleaseOp release) {
        aux->previous = release.getPrevious();
        instr.run = execPipeRelease;
      })
      .Case<tile::PipeDrainOp>([&](auto) { instr.run = execPipeDrain; })
      .Case<tile::TmaCopyOp>([&](tile::TmaCopyOp copy) {
        aux->copy.views = {chainOf(copy.getSrc()), chainOf(copy.getDst())};
        aux->copy.written = 1;
        instr.b = slotOf(copy.getSlot());
        instr.run = execTmaCopy;
      });
  return true;
}

void Compiler::compileOp(Operation *op, Code &code) {
  if (absorbed.contains(op) ||
      isa<tile::SubviewOp, tile::ReshapeOp, tile::Im2colOp, tile::ConditionOp, scf::YieldOp,
          tile::AsyncCommitOp, tile::AsyncWaitOp, tile::BarrierOp, tile::SyncThreadsOp,
          tile::SyncWarpOp, tile::GemmWaitOp, tile::GroupTurnOp, tile::GroupSyncOp,
          tile::IssueFenceOp, tile::SchedBarrierOp, tile::SetPrioOp>(op))
    return; // a view is evaluated where it is used; copies are complete at once
  Instr instr;
  instr.op = op;
  if (isa<tile::OfGroupOp, tile::BelowOp>(op)) { // another name of a value
    auto choice = dyn_cast<tile::OfGroupOp>(op);
    frame->slots[op->getResult(0)] = slotOf(choice ? choice.getWhole() : op->getOperand(0));
    return;
  }
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return compileStore(store, instr, code);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    compileConstant(constant, instr);
  } else if (auto rank = dyn_cast<tile::ClusterRankOp>(op)) {
    auto kernel = op->getParentOfType<tile::KernelOp>();
    instr.a = slotOf(kernel.getBody().getArgument(0));
    instr.imm = kernel.getCluster();
    instr.dst = define(rank.getRank());
    instr.run = execClusterRank;
  } else if (auto number = dyn_cast<tile::WarpGroupOp>(op)) {
    instr.dst = define(number.getGroup()); // asked for what tile.of_group leaves alone
    instr.run = execConstant;
    instr.b = static_cast<Slot>(repOf(number.getGroup().getType()));
  } else if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect())) {
    if (op->getNumOperands() > 3 || op->getNumResults() != 1)
      return fail(op, "has no meaning on the cpu device");
    Slot *operands[] = {&instr.a, &instr.b, &instr.c};
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      *operands[i] = slotOf(operand);
    instr.dst = define(op->getResult(0));
    bool isKnown =
        isa<arith::ArithDialect>(op->getDialect()) ? selectArith(op, instr) : selectMath(op, instr);
    if (!isKnown)
      return fail(op, "has no meaning on the cpu device");
  } else if (!compileElementOp(op, instr) && !compileTileOp(op, instr) &&
             !compileControl(op, instr, code) && !compileParam(op, instr) &&
             !compilePipeOp(op, instr) && !compileThreadOp(op, instr)) {
    return fail(op, "has no meaning on the cpu device");
  }
  code.instrs.push_back(instr);
}

void Compiler::compileBlock(Block &block, Code &code) {
  for (Operation &op : block) {
    if (!error.empty())
      return;
    compileOp(&op, code);
  }
}

} // namespace

llvm::Expected<std::unique_ptr<Unit>> compileProgram(tile::ProgramOp program,
                                                     const CompileOptions &options) {
  auto unit = std::make_unique<Unit>();
  if (llvm::Error error = Compiler(*unit, options).run(program))
    return error;
  return unit;
}

} // namespace tilec::reference

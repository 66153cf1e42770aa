//===- GridSync.cpp - blocks that wait for each other ---------------------===//
//
// The blocks of a kernel with tile.grid_sync or tile.cluster_barrier run as coroutines, each from
// one barrier to the next, in order. Each has shared memory, registers and pipes of its own. So do
// blocks that read global memory by atomics in a `while`: before each such read the others go on.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "GridSync.h"

#include "BlockOrder.h"
#include "Pipes.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilec::reference {

/// More than any chip holds; each has a thread.
constexpr int64_t mostBlocks = 4096;

/// Turns in which no block ends, comes to a barrier or is told anything new.
constexpr int mostTurns = 20000;

/// A block that has begun.
struct ResidentBlock {
  ResidentBlock(Frame &frame, const KernelAux &aux, std::array<int64_t, 3> id)
      : id(id), data(size_t(aux.numSlots) * aux.lanes * laneBytes),
        body{frame.machine, data.data(), int64_t(aux.lanes) * laneBytes, aux.lanes},
        coroutine([this, &aux] {
          if (!body.machine.failed)
            runCode(body, aux.body);
          finishProducer(body.machine);
        }) {
    pipes->pipes.resize(frame.machine.pipes->pipes.size());
    importValues(frame, 0, body, aux.imports);
    for (auto [i, slot] : llvm::enumerate(aux.ids))
      std::fill_n(body.at<int64_t>(slot), aux.lanes, id[i]);
  }

  std::array<int64_t, 3> id;
  std::vector<uint8_t> data;
  Frame body;
  std::vector<std::unique_ptr<uint8_t[]>> storage;              ///< of `owned`, while it waits
  std::unique_ptr<PipeSet> pipes = std::make_unique<PipeSet>(); ///< while it waits
  Operation *waitsAt = nullptr;
  bool asks = false;   ///< it waits in front of a read, not at a barrier
  uint64_t answer = 0; ///< of the last such read
  bool hasNews = false;
  Coroutine coroutine;
};

/// One launch.
class Together {
public:
  Together(Frame &frame, const Instr &instr)
      : machine(frame.machine), aux(*static_cast<const KernelAux *>(instr.aux)) {
    for (auto [id, decl] : llvm::enumerate(machine.unit.buffers))
      if (decl.isAlloc && instr.op->isProperAncestor(decl.value.getDefiningOp()))
        owned.push_back(uint32_t(id));
  }

  void start(Frame &frame, std::array<int64_t, 3> id) {
    auto block = std::make_unique<ResidentBlock>(frame, aux, id);
    for (uint32_t buffer : owned) {
      const BufferDecl &decl = machine.unit.buffers[buffer];
      int64_t elems =
          decl.allocLanes == 1 ? decl.type.numElems() : decl.laneStride() * decl.allocLanes;
      machine.allocate(buffer, elems, decl.value.getDefiningOp());
      block->storage.push_back(std::move(machine.storage[buffer]));
    }
    blocks.push_back(std::move(block));
  }

  /// From one barrier of the grid to the next. False: all have ended, or the run has failed.
  bool runPhase() {
    beginBlockOrder(machine);
    auto hasEnded = [](const auto &block) { return block->coroutine.hasEnded(); };
    auto asks = [&](const auto &block) { return block->asks && !hasEnded(block); };
    // Those at a barrier go on when all have come to it.
    bool anyAsks = llvm::any_of(blocks, asks), isStuck = true;
    for (auto [number, block] : llvm::enumerate(blocks)) {
      if (!hasEnded(block) && (!anyAsks || block->asks)) {
        block->asks = block->hasNews = false;
        run(*block, number);
        isStuck &= asks(block) && !block->hasNews;
      }
      if (machine.failed)
        return false;
    }
    turns = isStuck ? turns + 1 : 0;
    if (auto block = llvm::find_if(blocks, asks); block != blocks.end()) {
      if (turns < mostTurns)
        return true;
      std::copy_n((*block)->id.begin(), 3, machine.block);
      machine.fail((*block)->waitsAt, "waits for what no other block writes,");
      return false;
    }
    auto waiting = llvm::find_if_not(blocks, hasEnded);
    if (waiting == blocks.end())
      return false;
    if (llvm::none_of(blocks, hasEnded))
      return true;
    std::copy_n((*waiting)->id.begin(), 3, machine.block);
    machine.fail((*waiting)->waitsAt, "waits for blocks that have ended,");
    return false;
  }

  /// Memory of a buffer on the chip in the block that is `step` further on than the one that runs.
  uint8_t *memoryOf(uint32_t buffer, int64_t step) {
    if (step == 0)
      return machine.buffers[buffer].base;
    ResidentBlock &block = *blocks[machine.blockNumber + step];
    return block.storage[llvm::find(owned, buffer) - owned.begin()].get();
  }

  /// Lets what waits after a failure leave its code.
  void finish() {
    for (auto [number, block] : llvm::enumerate(blocks))
      while (!block->coroutine.hasEnded())
        run(*block, number);
  }

private:
  void run(ResidentBlock &block, uint64_t number) {
    exchangeStorage(block);
    std::copy_n(block.id.begin(), 3, machine.block);
    machine.blockNumber = number;
    machine.resident = &block;
    block.coroutine.resume();
    machine.resident = nullptr;
    exchangeStorage(block);
  }
  void exchangeStorage(ResidentBlock &block) {
    std::swap(machine.pipes, block.pipes);
    for (auto [buffer, own] : llvm::zip(owned, block.storage)) {
      std::swap(machine.storage[buffer], own);
      machine.buffers[buffer].base = machine.storage[buffer].get();
    }
  }

  Machine &machine;
  const KernelAux &aux;
  int turns = 0;                     ///< in which all were stuck
  llvm::SmallVector<uint32_t> owned; ///< buffers on the chip
  std::vector<std::unique_ptr<ResidentBlock>> blocks;
};

static bool asksInLoop(tile::AtomicOp atomic) {
  return atomic.getKind() == tile::AtomicKind::Read && atomic.getBuffer().getType().isGlobal() &&
         atomic->getParentOfType<tile::WhileOp>() && !atomic->getParentOfType<tile::ElementLoop>();
}

static bool meetsAtBarriers(tile::KernelOp kernel) {
  auto result = kernel.walk([](Operation *op) {
    return isa<tile::GridSyncOp, tile::ClusterBarrierOp>(op) ? WalkResult::interrupt()
                                                             : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool waitsForBlocks(tile::KernelOp kernel) {
  auto result = kernel.walk([](tile::AtomicOp atomic) {
    return asksInLoop(atomic) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted() || meetsAtBarriers(kernel);
}

bool runTogether(Frame &frame, const Instr &instr, std::array<int64_t, 3> grid) {
  Machine &machine = frame.machine;
  int64_t count = 1;
  for (int64_t extent : grid)
    if (__builtin_mul_overflow(count, extent, &count) || count > mostBlocks) {
      if (!meetsAtBarriers(cast<tile::KernelOp>(instr.op)))
        return false;
      machine.fail(instr.op,
                   "has more than " + llvm::Twine(mostBlocks) + " blocks that wait for each other");
      return true;
    }
  Together together(frame, instr);
  for (int64_t z = 0; z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0] && !machine.failed; ++x)
        together.start(frame, {x, y, z});
  machine.together = &together;
  while (!machine.failed && together.runPhase())
    continue;
  together.finish();
  machine.together = nullptr;
  return true;
}

void execGridSync(Frame &frame, const Instr &instr) {
  ResidentBlock *self = frame.machine.resident;
  self->waitsAt = instr.op;
  self->coroutine.wait();
}

static void execAsk(Frame &frame, const Instr &instr) {
  ResidentBlock *self = frame.machine.resident;
  if (!self) // one block after the other
    return execAtomic(frame, instr);
  self->waitsAt = instr.op;
  self->asks = true;
  self->coroutine.wait();
  execAtomic(frame, instr);
  const auto *told = frame.at<int64_t>(instr.dst);
  uint64_t answer = llvm::hash_combine_range(told, told + frame.lanes);
  self->hasNews |= answer != self->answer;
  self->answer = answer;
}

void (*atomicOf(tile::AtomicOp atomic))(Frame &, const Instr &) {
  return asksInLoop(atomic) ? execAsk : execAtomic;
}

static void execLoadOfBlock(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const LoadAux *>(instr.aux);
  Machine &machine = frame.machine;
  uint32_t buffer = aux.access.chain.buffer;
  int64_t own = machine.block[0] % aux.blocks;
  llvm::SaveAndRestore memory(
      machine.buffers[buffer].base,
      machine.together->memoryOf(buffer, (own + aux.block) % aux.blocks - own));
  execLoad(frame, instr);
}

void (*loadFrom(tile::LoadOp load, LoadAux &aux))(Frame &, const Instr &) {
  if (!load.getBlock())
    return execLoad;
  aux.block = *load.getBlock();
  aux.blocks = load->getParentOfType<tile::KernelOp>().getCluster();
  return execLoadOfBlock;
}

} // namespace tilec::reference

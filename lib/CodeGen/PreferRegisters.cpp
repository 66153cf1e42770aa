//===- PreferRegisters.cpp - registers or resident blocks -------------------===//
//
// Without `.minnctapersm` ptxas saves registers for blocks that may be resident beside this one: it
// reads operands late, and issues a load behind the use of the one before. With it, of 1, it issues
// them together; of the blocks that hide latency fewer fit, and there is less to hide. On an H100,
// with it against without (docs/machine-code/lowering.md), TileLang's examples take 1.02 to 1.17 of
// the speed where they multiply and keep their blocks, 1.00 to 1.17 where no loop reads memory.
// Products that lose a block take 0.75 to 0.90, so that these say how many they keep, or nothing.
// Kernels of rows of which few blocks fit then lose: one instead of two 0.80 (a layer norm of 16384
// columns by 256 threads), two instead of four 0.97 (an RMS norm of 8192 by 512): while one
// reduces, others have to read. On an H200, whose memory is faster, five instead of six lose 0.94
// and three instead of four 0.95 where a block meets twice (layer norms of 4096 and 8192 columns),
// none where shared memory has no room for more (TileLang's layer norm keeps its row there: 1.20).
// Where nobody waits for others, four waves a scheduler are asked for if they fit: ptxas takes 243
// registers for 128 f16 tanh of a lane, and two blocks of four waves leave memory idle (H200: 48.6
// us, 38.6 with four, 37.9 with five; ten other kernels of elements were the same with four).
// Other loops are mixed, 0.92 to 1.07: there ptxas takes loads of later rounds into registers,
// whose latency other blocks had hidden. They are left alone, and so are products on chips
// for which that was not measured; but not rounds that were put together to read ahead, of grids
// that have no other blocks (ShortLoops.h).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "PreferRegisters.h"

#include "GuardedReads.h"
#include "MatrixProducts.h"
#include "ShortLoops.h"

#include "tilec/CodeGen/CodeGen.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilec::codegen {
namespace {

constexpr const char *leastBlocks = "nvvm.minctasm";
constexpr unsigned tensorSpace = 1;     // addrspace of global memory
constexpr unsigned mostMeetings = 2;    // that count
constexpr unsigned largeBlock = 512;    // threads, whose waves wait for each other for longer
constexpr unsigned enoughThreads = 512; // four waves a scheduler

bool readsTensors(const llvm::Instruction &instr) {
  auto *load = dyn_cast<LoadInst>(&instr);
  return (load && load->getPointerAddressSpace() == tensorSpace) ||
         asmOf(instr).contains("ld.global");
}

/// How often all of a block waits for all of it, from one end of the kernel to the other.
unsigned meetings(Function &function) {
  return unsigned(count_if(instructions(function), [](const llvm::Instruction &instr) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(&instr);
    return intrinsic && intrinsic->getCalledFunction()->getName().starts_with("llvm.nvvm.barrier.");
  }));
}

/// Bits of a thread that are read of tensors.
struct BitsRead {
  uint64_t plain = 0, guarded = 0; ///< most of them before they are used; by a mask, in groups

  /// 32-bit words at once.
  unsigned words() const {
    return unsigned(plain / 32 + std::min<uint64_t>(guarded / 32, wordsOfGuardedReads));
  }
};

BitsRead bitsRead(Function &function) {
  BitsRead bits;
  for (const llvm::Instruction &instr : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instr);
    if (readsTensors(instr))
      (call && isGuardedConstantRead(*call) ? bits.guarded : bits.plain) +=
          function.getDataLayout().getTypeSizeInBits(instr.getType());
  }
  return bits;
}

} // namespace

unsigned PreferRegisters::blocksToKeep(Function &function) const {
  unsigned threads = 0;
  if (function.getFnAttribute("nvvm.reqntid").getValueAsString().getAsInteger(10, threads))
    return 0;
  // What ptxas took for ten kernels of rows (test/bench/hopper/rows.py), within a sixth.
  BitsRead bits = bitsRead(function);
  unsigned needed = 24 + bits.words() * 3 / 2;
  // The grid has no second block that would lose its place. What is read once and written at once
  // comes in turns; of much more (the 1089 words of test/e2e/lockstep-locals.py) some is spilled.
  constexpr unsigned mostInTurns = 2 * 255;
  if (function.hasFnAttribute(oneBlockOfGrid) && needed <= mostInTurns)
    return 1;
  unsigned blocks = threads >= largeBlock ? 3 : 2;
  // Two more for each meeting, if shared memory holds them.
  unsigned wanted = 2 + 2 * std::min(meetings(function), mostMeetings), inShared = 0;
  function.getFnAttribute(blocksInShared).getValueAsString().getAsInteger(10, inShared);
  if (inShared >= wanted)
    blocks = std::max(blocks, wanted);
  unsigned fitting = unsigned(registersOfUnit / (int64_t(needed) * threads));
  if (fitting < blocks)
    return 0;
  if (meetings(function) > 0 || inShared == 0)
    return 1;
  // ptxas would take all registers there are for later groups.
  unsigned enough = bits.guarded > 0 ? fitting : enoughThreads / threads;
  return std::clamp(enough, 1U, std::min(fitting, inShared));
}

PreservedAnalyses PreferRegisters::run(Function &function, FunctionAnalysisManager &analyses) {
  // Without a number of threads ptxas ignores the other.
  if (function.getCallingConv() != CallingConv::PTX_Kernel ||
      !function.hasFnAttribute("nvvm.reqntid") || function.hasFnAttribute(leastBlocks))
    return PreservedAnalyses::all();
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  bool multiplies = any_of(instructions(function), multipliesMatrices);
  bool readsInLoops = any_of(instructions(function), [&](const llvm::Instruction &instr) {
    return readsTensors(instr) && loops.getLoopFor(instr.getParent());
  });
  Attribute resident = function.getFnAttribute(residentBlocks);
  if (multiplies && resident.isValid())
    function.addFnAttr(leastBlocks, resident.getValueAsString());
  else if (function.hasFnAttribute(readsRoundsAhead))
    function.addFnAttr(leastBlocks, "1");
  else if (unsigned blocks = multiplies || readsInLoops ? 0 : blocksToKeep(function))
    function.addFnAttr(leastBlocks, std::to_string(blocks));
  return PreservedAnalyses::all();
}

} // namespace tilec::codegen

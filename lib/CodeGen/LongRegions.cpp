//===- LongRegions.cpp - the last scheduler of AMD, in parts --------------===//
//
// A machine pass: takes blocks of very many memory accesses, cuts them for the scheduler that runs
// on allocated registers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LongRegions.h"

#include "Opcodes.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace tilec::codegen {

char LongRegions::ID = 0;

namespace {

/// Accesses that a region may have, and that its parts have if it has more. 400 loads and 400
/// stores that may be the same places take LLVM 22 about 2.5 s, 128 of each 0.1 s.
constexpr unsigned longestRegion = 512, partOfRegion = 256;

using Region = std::pair<MachineBasicBlock::iterator, MachineBasicBlock::iterator>;

/// What the scheduler takes as regions of the block, if they are long.
SmallVector<Region> longRegionsOf(MachineBasicBlock &block, const TargetInstrInfo &instructions) {
  const MachineFunction &function = *block.getParent();
  SmallVector<Region> regions;
  unsigned accesses = 0;
  auto begin = block.begin();
  auto end = [&](MachineBasicBlock::iterator at) {
    if (accesses >= longestRegion)
      regions.emplace_back(begin, at);
    accesses = 0;
  };
  for (auto at = block.begin(); at != block.end(); ++at) {
    if (at->isCall() || instructions.isSchedulingBoundary(*at, &block, function)) {
      end(at);
      begin = std::next(at);
    }
    accesses += at->mayLoadOrStore();
  }
  end(block.end());
  return regions;
}

} // namespace

bool LongRegions::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
  std::optional<unsigned> barrier;
  for (MachineBasicBlock &block : function)
    for (auto [begin, end] : longRegionsOf(block, instructions)) {
      if (!barrier)
        barrier = opcodeOf(instructions, "SCHED_BARRIER");
      unsigned accesses = 0;
      for (auto at = begin; at != end; ++at) {
        if (!at->mayLoadOrStore() || ++accesses % partOfRegion != 0)
          continue;
        BuildMI(block, at, at->getDebugLoc(), instructions.get(*barrier)).addImm(0);
      }
    }
  return barrier.has_value();
}

} // namespace tilec::codegen

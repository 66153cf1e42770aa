//===- ControlFlow.cpp - blocks and loops of decoded code -----------------===//
//
// Takes decoded instructions, gives blocks at branches and their targets, and loops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ControlFlow.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace llvm;

namespace tilec::report {

static bool endsBlock(const Instruction &instr) {
  return instr.kind == InstrKind::Branch || instr.kind == InstrKind::End;
}

void findBlocks(KernelCode &kernel) {
  const std::vector<Instruction> &code = kernel.instructions;
  DenseMap<uint64_t, unsigned> indexOf;
  for (auto [i, instr] : enumerate(code))
    indexOf[instr.address] = i;

  std::set<unsigned> starts;
  if (!code.empty())
    starts.insert(0);
  for (auto [i, instr] : enumerate(code)) {
    if (endsBlock(instr) && i + 1 < code.size())
      starts.insert(i + 1);
    if (instr.target)
      if (auto it = indexOf.find(*instr.target); it != indexOf.end())
        starts.insert(it->second);
  }
  std::map<unsigned, unsigned> blockAt;
  for (unsigned start : starts) {
    if (!kernel.blocks.empty())
      kernel.blocks.back().end = start;
    blockAt[start] = kernel.blocks.size();
    kernel.blocks.push_back({start, static_cast<unsigned>(code.size()), {}});
  }
  for (auto [i, block] : enumerate(kernel.blocks)) {
    const Instruction &last = code[block.end - 1];
    bool isJump = last.kind == InstrKind::Branch;
    if (isJump && last.target)
      if (auto it = indexOf.find(*last.target); it != indexOf.end())
        block.successors.push_back(blockAt[it->second]);
    bool fallsThrough = last.kind != InstrKind::End && (!isJump || last.isConditional);
    if (fallsThrough && i + 1 < kernel.blocks.size())
      block.successors.push_back(i + 1);
  }
}

void findLoops(KernelCode &kernel) {
  std::vector<SmallVector<unsigned, 2>> successors;
  for (const BasicBlock &block : kernel.blocks)
    successors.push_back(block.successors);
  kernel.loops = codegen::findNaturalLoops(successors);
}

std::vector<const Instruction *> KernelCode::loopInstructions(const Loop &loop) const {
  std::vector<const Instruction *> result;
  for (unsigned block : loop.blocks)
    for (unsigned i = blocks[block].begin; i < blocks[block].end; ++i)
      result.push_back(&instructions[i]);
  return result;
}

const KernelCode *CodeObject::kernel(StringRef name) const {
  for (const KernelCode &kernel : kernels)
    if (kernel.facts.name == name)
      return &kernel;
  return nullptr;
}

bool Instruction::writesFile(RegisterFile file) const {
  return any_of(writes, [file](const RegisterRange &range) { return range.file == file; });
}
bool Instruction::readsFile(RegisterFile file) const {
  return any_of(reads, [file](const RegisterRange &range) { return range.file == file; });
}

StringRef nameOf(InstrKind kind) {
  static constexpr StringRef names[instrKindCount] = {
      "mfma",          "shared read", "shared write", "shared atomic", "lane exchange",
      "shared dma",    "global load", "global store", "global atomic", "scratch",
      "scalar memory", "vector",      "acc move",     "scalar",        "wait",
      "barrier",       "priority",    "nop",          "branch",        "end",
      "unknown"};
  return names[static_cast<unsigned>(kind)];
}

} // namespace tilec::report

//===- SourceLoops.cpp - which loop of the script an instruction is of ----===//
//
// Takes the line table of a code object of tilec's, gives each instruction the id of its loop
// (lib/Lower/DebugLines.h writes it), and each loop of the machine code that of its instructions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/Disassembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

#include <map>

using namespace llvm;

namespace tilec::report {

/// Of each address at which a row of the line table begins, the row's discriminator.
static std::map<uint64_t, unsigned> idsByAddress(DWARFContext &dwarf) {
  std::map<uint64_t, unsigned> ids;
  for (const std::unique_ptr<DWARFUnit> &unit : dwarf.compile_units()) {
    // What others have discriminators for is something else.
    if (StringRef(dwarf::toString(unit->getUnitDIE().find(dwarf::DW_AT_producer), "")) != "tilec")
      continue;
    const DWARFDebugLine::LineTable *table = dwarf.getLineTableForUnit(unit.get());
    if (!table)
      continue;
    for (const DWARFDebugLine::Row &row : table->Rows)
      ids[row.Address.Address] = row.EndSequence ? 0 : row.Discriminator;
  }
  return ids;
}

void addSourceLoops(CodeObject &object, ArrayRef<uint8_t> image) {
  auto file = object::ObjectFile::createObjectFile(
      MemoryBufferRef(StringRef(reinterpret_cast<const char *>(image.data()), image.size()), ""));
  if (!file)
    return consumeError(file.takeError());
  auto quiet = [](Error error) { consumeError(std::move(error)); };
  std::unique_ptr<DWARFContext> dwarf = DWARFContext::create(
      **file, DWARFContext::ProcessDebugRelocations::Process, nullptr, "", quiet, quiet);
  std::map<uint64_t, unsigned> ids = idsByAddress(*dwarf);
  for (KernelCode &kernel : object.kernels)
    for (Instruction &instr : kernel.instructions)
      if (auto behind = ids.upper_bound(instr.address); behind != ids.begin())
        instr.sourceLoop = std::prev(behind)->second;
}

unsigned KernelCode::sourceLoopOf(const Loop &loop) const {
  auto isInner = [&](unsigned block) {
    return any_of(loops, [&](const Loop &other) {
      return other.blocks.size() < loop.blocks.size() && is_contained(other.blocks, block) &&
             is_contained(loop.blocks, other.header);
    });
  };
  std::map<unsigned, unsigned> counts;
  for (unsigned block : loop.blocks)
    if (!isInner(block))
      for (unsigned i = blocks[block].begin; i < blocks[block].end; ++i)
        if (unsigned id = instructions[i].sourceLoop)
          ++counts[id];
  auto most = max_element(counts, [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == counts.end() ? 0 : most->first;
}

} // namespace tilec::report

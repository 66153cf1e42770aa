//===- BankConflicts.cpp - the LDS accesses of a loop and the banks -------===//
//
// Takes the addresses that lanes are known to have, gives the cycles that a round of a loop loses
// to LDS banks.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/BankConflicts.h"

#include "LaneAddresses.h"

#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace tilec::report {

namespace {

std::optional<SharedAccess> accessOf(const Instruction &instr) {
  if (instr.kind != InstrKind::SharedRead && instr.kind != InstrKind::SharedWrite)
    return std::nullopt;
  StringRef mnemonic = instr.mnemonic;
  unsigned bytes = mnemonic.contains("_b128")  ? 16
                   : mnemonic.contains("_b96") ? 12
                   : mnemonic.contains("_b64") ? 8
                                               : 4;
  return SharedAccess{instr.kind == InstrKind::SharedRead, bytes};
}

} // namespace

std::vector<LoopConflicts> loopConflicts(Arch arch, const KernelCode &kernel) {
  std::vector<std::optional<LaneValues>> addresses = sharedAddresses(kernel);
  std::vector<LoopConflicts> result(kernel.loops.size());
  for (unsigned i = 0; i < kernel.loops.size(); ++i)
    for (unsigned block : kernel.loops[i].blocks)
      for (unsigned at = kernel.blocks[block].begin; at < kernel.blocks[block].end; ++at) {
        std::optional<SharedAccess> access = accessOf(kernel.instructions[at]);
        if (!access)
          continue;
        ++result[i].accesses;
        if (!addresses[at])
          continue;
        ++result[i].known;
        result[i].conflicts += bankConflicts(arch, *access, *addresses[at]);
      }
  return result;
}

} // namespace tilec::report

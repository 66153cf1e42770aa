//===- IsaSurvey.h - which instructions of a chip the simulator executes --===//
//
// Takes a chip, decodes each of its opcodes with several operands, and says which of them the
// simulator can execute.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tilec::sim {

/// One mnemonic of LLVM's disassembler.
struct IsaEntry {
  std::string name; ///< with its encoding's suffix, ` lds` where it is an LDS DMA: `v_add_f32_dpp`
  std::string text; ///< an example
  std::string refused; ///< why a run would refuse the example; empty: it is executed
};

/// Decodes every opcode of every encoding of gfx942 or gfx950 with operands of several kinds, and
/// gives each mnemonic that comes out once, in the order of encodings and opcodes. An entry is
/// refused when any of its forms is. Fails when LLVM has no disassembler for the chip.
llvm::Expected<std::vector<IsaEntry>> surveyIsa(Arch arch);

} // namespace tilec::sim

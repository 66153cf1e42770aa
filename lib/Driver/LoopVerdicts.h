//===- LoopVerdicts.h - which loops of a program have a plan --------------===//
//
// For `--emit=report`: what each counted loop was made into, and never more than what the IR and,
// where it can be read, the machine code show.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/IR/Tile/Tile.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tilec {

struct LoopVerdict {
  /// Planned: copies start at least one round before their use, and no wait of a round leaves none
  /// of them in flight. Sequential: nothing was to run ahead. Unplanned: something was, and is not
  /// so.
  enum Kind { Planned, Sequential, Unplanned };

  std::string kernel, place; ///< file:line of the script
  int64_t loop = 0;          ///< its id (`#tile.loop`); 0: the program was given none
  Kind kind = Sequential;
  std::string reason; ///< why not, or what runs ahead
};

llvm::StringRef nameOf(LoopVerdict::Kind kind);

/// Of the loops of `compiled`, the program as the last stage left it, in program order. `source` is
/// the program as it came in, `image` what it became.
llvm::Expected<std::vector<LoopVerdict>>
loopVerdicts(tile::ProgramOp source, tile::ProgramOp compiled, const codegen::Image &image);

/// Adds them to a report, which is JSON or text.
void addLoopVerdicts(std::string &report, bool isJson, llvm::ArrayRef<LoopVerdict> verdicts);

} // namespace tilec

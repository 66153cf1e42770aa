//===- Program.h - a test program and how to run it -----------------------===//
//
// A program is one TileLang file that says in comments how it is run, so that
// it can be saved, reduced and sent around as text:
//
//   # traits: gemm pipelined ragged
//   # run: --seed 7 --arg O0=zeros --dim m=37 --entry 'program()'
//
// The options are those of tilec-run.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Arguments.h"

#include <set>
#include <string>

namespace tilec::fuzz {

struct Program {
  std::string text;
  std::set<std::string> traits; ///< `gemm`, `pipelined`, `ragged`, `nonpow2`
  std::string entry;
  rt::ArgumentRequest request;
};

/// Reads the comments of `text`. Fails on an option that it does not know.
rt::Result<Program> parseProgram(std::string text);

/// The program of a seed: the same text on every machine.
std::string generateProgram(uint64_t seed);

} // namespace tilec::fuzz

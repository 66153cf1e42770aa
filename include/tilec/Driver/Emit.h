//===- Emit.h - what can be asked of a compilation, by name ---------------===//
//
// The words of `--emit=` and of tilec_binary_stage: stages, and what is made of one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"

namespace tilec {

struct Emit {
  enum What { Text, Manifest, Report, Picture, Sass, Layouts };
  Stage stage = Stage::Binary; ///< has to run
  What what = Text;

  /// Bytes for a device or a linker, not text.
  bool isBinary() const {
    return what == Text && (stage == Stage::Object || stage == Stage::Binary);
  }
};

/// Nothing for an unknown word.
std::optional<Emit> parseEmit(llvm::StringRef word, Arch arch);
/// All words, for a message.
std::string listOfEmits();

struct EmitOptions {
  bool json = false;     ///< of a report
  bool annotate = false; ///< of assembly or machine code: the script's lines between
};

/// What the word says of a compilation that has run to its stage.
llvm::Expected<std::string> emitted(Compilation &compilation, Emit emit, EmitOptions options = {});

/// Sets what decides about line tables. `wanted` is what the user says; without a word code objects
/// have them, and texts stay short.
void chooseLineTables(CompileOptions &options, Emit emit, std::optional<bool> wanted);

std::optional<codegen::PtxAssembler> parsePtxAssembler(llvm::StringRef name);

/// `tilec 0.1.0, LLVM 22.1.8`
llvm::StringRef versionText();

} // namespace tilec

//===- Annotate.h - assembly with the script's lines between --------------===//
//
// Takes assembly with line tables and the sources, gives the text with the script's lines between.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Support/Source.h"

#include <string>

namespace tilec {

/// `sass` was printed by nvdisasm with the lines of the cubin's table: they become comments too.
std::string annotatedSass(llvm::StringRef sass, const SourceManager &sources);

/// `assembly` was printed with line tables: its `.loc` lines become comments that hold the line of
/// the script, and what else there is for debuggers goes.
std::string annotated(llvm::StringRef assembly, const SourceManager &sources, Arch arch);

} // namespace tilec

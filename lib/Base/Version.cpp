//===- Version.cpp - what `--version` of every tool says ------------------===//
//
// The number is CMake's; the list of targets is that of Arch.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Version.h"

#include "tilec/Base/Arch.h"

namespace tilec {

std::string_view versionNumber() { return TILEC_VERSION; }

std::string versionOf(std::string_view tool, std::string_view llvm) {
  std::string text(tool);
  text.append(" ").append(versionNumber());
  if (!llvm.empty())
    text.append(", LLVM ").append(llvm);
  text += "\ntargets:";
  for (const ArchName &arch : allArchs())
    text.append(" ").append(arch.name);
  return text;
}

} // namespace tilec

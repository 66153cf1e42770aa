//===- Version.h - what `--version` of every tool says --------------------===//
//
// Gives the project's number, and the two lines that every tool prints for `--version`.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace tilec {

/// `0.1.0`: the project's version in CMakeLists.txt.
std::string_view versionNumber();

/// Two lines without a newline at the end: `tilec-sim 0.1.0, LLVM 22.1.2` and the targets. `llvm`
/// is LLVM_VERSION_STRING; empty for what holds no LLVM.
std::string versionOf(std::string_view tool, std::string_view llvm);

} // namespace tilec

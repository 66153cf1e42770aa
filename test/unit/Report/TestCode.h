//===- TestCode.h - code objects from assembly for the tests --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"

#include <string>
#include <vector>

namespace tilec::report::test {

/// A kernel `k` with this body, through llvm-mc.
std::vector<uint8_t> assemble(const std::string &body, const std::string &chip = "gfx950");
/// A whole assembly file through llvm-mc.
std::vector<uint8_t> assembleFile(const std::string &text, const std::string &chip);
/// A kernel `k`, disassembled; a failure fails the test.
KernelCode decode(const std::string &body, const std::string &chip = "gfx950");

} // namespace tilec::report::test

//===- Report.h - what is in a GPU image ----------------------------------===//
//
// `tilec --emit=report` and `tilec-report`: the scorecard of an AMDGPU code object,
// the opcode histogram of a cubin; as text or JSON.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/Report/Scorecard.h"

#include <map>

namespace tilec::report {

struct ReportOptions {
  bool json = false;
  /// Of a cubin: dynamic shared memory of the launches of each kernel, where they are known.
  std::map<std::string, unsigned> launchSharedBytes;
  ScorecardOptions scorecard;
};

/// Reports on an AMDGPU object or code object, or a cubin.
llvm::Error writeReport(llvm::raw_ostream &os, llvm::ArrayRef<uint8_t> image,
                        const ReportOptions &options = {});

/// The same for what was just compiled: a cubin's spills are known from ptxas' log. PTX has nothing
/// to report yet and is an error.
llvm::Error writeReport(llvm::raw_ostream &os, const codegen::Image &image,
                        const ReportOptions &options = {});

} // namespace tilec::report

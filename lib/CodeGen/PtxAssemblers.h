//===- PtxAssemblers.h - PTX to cubin by ptxas or NVRTC -------------------===//
//
// Both are found at run time. nvJitLink is not among them: from PTX it compiles
// relocatable code, for which ptxas ignores setmaxnreg (C7504).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"

#include <optional>

namespace tilec::codegen {

struct Cubin {
  std::vector<uint8_t> bytes;
  std::string log;
};

/// A program of CUDA's toolkit: $`variable`, $CUDA_HOME/bin, /usr/local/cuda/bin, PATH, in this
/// order. The variable says `none` where there is to be none.
std::optional<std::string> findToolkitTool(llvm::StringRef name, const char *variable);
std::optional<std::string> findPtxas();
/// As a child process; `withLines`: the cubin keeps the lines that the PTX names. Fails with ptxas'
/// own message.
llvm::Expected<Cubin> runPtxas(llvm::StringRef ptxas, llvm::StringRef ptx, Arch arch,
                               bool withLines);

class Nvrtc;
/// $TILEC_NVRTC (`none`: there is none), $CUDA_HOME/lib64, /usr/local/cuda/lib64, the loader's
/// path.
llvm::Expected<std::shared_ptr<Nvrtc>> loadNvrtc();
/// The library file that loadNvrtc takes; empty without one.
std::string findNvrtc();
/// In process: the body of every kernel becomes one asm statement of a CUDA kernel.
llvm::Expected<Cubin> compileWithNvrtc(const Nvrtc &nvrtc, llvm::StringRef ptx, Arch arch);

/// Adds registers, spills and stack of each kernel, and ptxas' warnings, from its `-v` log.
void readPtxasLog(llvm::StringRef log, Image &image);
/// The lines about wgmma that was serialised and setmaxnreg that was ignored (C7501 to C7599).
std::vector<std::string> wgmmaNotices(llvm::StringRef log);

} // namespace tilec::codegen

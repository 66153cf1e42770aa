//===- Nvdisasm.cpp - a cubin's machine code as text ----------------------===//
//
// Takes a cubin, gives the text that CUDA's nvdisasm prints of it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "PtxAssemblers.h"
#include "Subprocess.h"

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/CodeGen/Sass.h"

using namespace llvm;

namespace tilec::codegen {

Expected<std::string> disassembleSass(const Image &image, bool withLines) {
  if (image.kind != ImageKind::Cubin)
    return createStringError("there is no machine code to show: nothing has assembled the PTX "
                             "(neither ptxas nor NVRTC was found, or --ptx-assembler=none)");
  std::optional<std::string> nvdisasm = findToolkitTool("nvdisasm", "TILEC_NVDISASM");
  if (!nvdisasm)
    return createStringError(
        "nvdisasm was not found (--emit=report counts opcodes without it); install the CUDA "
        "toolkit's package cuda-nvdisasm, or set TILEC_NVDISASM to its path or CUDA_HOME to the "
        "toolkit's folder");
  StringRef bytes(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size());
  auto cubin = TemporaryFile::create("cubin", bytes);
  if (!cubin)
    return cubin.takeError();
  SmallVector<StringRef> arguments = {"-c", cubin->path()};
  if (withLines)
    arguments.push_back("-g");
  auto result = runTool(*nvdisasm, arguments);
  if (!result)
    return result.takeError();
  if (result->exitCode != 0)
    return createStringError("`" + *nvdisasm + "` ended with exit status " +
                             Twine(result->exitCode) + ": " + StringRef(result->output).trim());
  return std::move(result->output);
}

} // namespace tilec::codegen

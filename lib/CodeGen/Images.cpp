//===- Images.cpp - the steps from object or PTX to a loadable image ------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Images.h"

#include "ImageFacts.h"
#include "PtxAssemblers.h"
#include "tilec/CodeGen/HsacoLinker.h"
#include "tilec/CodeGen/Sass.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

using namespace llvm;

namespace tilec::codegen {

Error makeHsaco(ArrayRef<uint8_t> object, Image &image) {
  auto linked = linkHsaco(object);
  if (!linked) {
    std::string reason;
    Error rest = handleErrors(linked.takeError(), [&](const NeedsFullLinker &why) {
      raw_string_ostream os(reason);
      why.log(os);
    });
    if (rest)
      return rest;
    linked = linkHsacoWithLld(object);
    if (!linked)
      return createStringError(reason + " in process; " + toString(linked.takeError()));
    image.notes.push_back({Note::Remark, reason + " in process: ld.lld did it"});
  }
  auto facts = readAmdgpuFacts(*linked);
  if (!facts)
    return facts.takeError();
  image.kind = ImageKind::Hsaco;
  image.bytes = std::move(*linked);
  image.kernels = std::move(*facts);
  return Error::success();
}

static void keepPtx(Image &image) {
  image.kind = ImageKind::Ptx;
  image.bytes.assign(image.ptx.begin(), image.ptx.end());
  image.bytes.push_back('\0');
}

Error assemblePtx(const CodeGenOptions &options, Image &image) {
  if (options.ptxAssembler == PtxAssembler::None) {
    keepPtx(image);
    return Error::success();
  }
  std::optional<std::string> ptxas;
  if (options.ptxAssembler != PtxAssembler::Nvrtc)
    ptxas = findPtxas();
  Expected<Cubin> cubin = Cubin();
  if (ptxas) {
    cubin = runPtxas(*ptxas, image.ptx, image.arch);
  } else if (options.ptxAssembler == PtxAssembler::Ptxas) {
    return createStringError("ptxas was not found: set TILEC_PTXAS to its path or CUDA_HOME to the "
                             "toolkit's folder");
  } else {
    Expected<std::shared_ptr<Nvrtc>> nvrtc = loadNvrtc();
    if (nvrtc) {
      cubin = compileWithNvrtc(**nvrtc, image.ptx, image.arch);
    } else if (options.ptxAssembler == PtxAssembler::Nvrtc) {
      return nvrtc.takeError();
    } else {
      consumeError(nvrtc.takeError());
      image.notes.push_back({Note::Remark, "neither ptxas nor NVRTC was found: the image is PTX, "
                                           "which the driver compiles when it is loaded"});
      keepPtx(image);
      return Error::success();
    }
  }
  if (!cubin)
    return cubin.takeError();
  auto facts = readCubinFacts(cubin->bytes);
  if (!facts)
    return facts.takeError();
  image.kind = ImageKind::Cubin;
  image.bytes = std::move(cubin->bytes);
  image.log = std::move(cubin->log);
  image.kernels = std::move(*facts);
  readPtxasLog(image.log, image);
  return Error::success();
}

/// A fragment has at least so many registers: fewer moves are of registers that an accumulator has
/// left.
constexpr unsigned fragmentRegisters = 4;

Error judgeImage(const CodeGenOptions &options, Image &image) {
  std::string problems;
  auto add = [&](const Twine &text) {
    image.notes.push_back({Note::Remark, text.str()});
    problems += (problems.empty() ? "" : "; ") + text.str();
  };
  for (const KernelFacts &kernel : image.kernels) {
    if (kernel.vgprSpills || kernel.sgprSpills)
      add("kernel `" + kernel.name + "` spills " + Twine(kernel.vgprSpills) + " vector and " +
          Twine(kernel.sgprSpills) + " scalar registers");
    if (kernel.spillStoreBytes || kernel.spillLoadBytes)
      add("kernel `" + kernel.name + "` spills registers: " + Twine(kernel.spillStoreBytes) +
          " bytes of stores and " + Twine(kernel.spillLoadBytes) + " of loads a thread");
  }
  for (const std::string &line : wgmmaNotices(image.log))
    add("ptxas: " + line);
  if (image.kind == ImageKind::Cubin) {
    auto sass = readSass(image.bytes);
    if (!sass)
      return sass.takeError();
    for (const SassKernel &kernel : *sass)
      for (const SassLoop &loop : kernel.loops)
        if (loop.isMmaLoop && loop.accumulatorMoves >= fragmentRegisters)
          add("kernel `" + kernel.facts.name + "` moves accumulators " +
              Twine(loop.accumulatorMoves) + " times in the loop at 0x" +
              utohexstr(loop.beginAddress, /*LowerCase=*/true));
  }
  if (options.strict && !problems.empty())
    return createStringError(problems);
  return Error::success();
}

Expected<std::vector<KernelFacts>> readKernelFacts(ArrayRef<uint8_t> image) {
  auto file = object::ELFFile<object::ELF64LE>::create(
      StringRef(reinterpret_cast<const char *>(image.data()), image.size()));
  if (!file)
    return file.takeError();
  uint16_t machine = file->getHeader().e_machine;
  if (machine == ELF::EM_AMDGPU)
    return readAmdgpuFacts(image);
  if (machine == ELF::EM_CUDA)
    return readCubinFacts(image);
  return createStringError("neither an AMDGPU code object nor a cubin (ELF machine %u)",
                           unsigned(machine));
}

} // namespace tilec::codegen

//===- Images.cpp - the steps from object or PTX to a loadable image ------===//
//
// Links hsacos, chooses between ptxas and NVRTC, and says of an image what its author should know
// (spills, serialised wgmma).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Images.h"

#include "ImageFacts.h"
#include "PtxAssemblers.h"
#include "tilec/CodeGen/HsacoLinker.h"
#include "tilec/CodeGen/Sass.h"
#include "tilec/Support/DiskCache.h"
#include "tilec/Support/StageWatch.h"

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

/// The assembler that the options ask for and this machine has. `ptxas` is empty for NVRTC.
struct FoundAssembler {
  std::string ptxas;
  bool isNvrtc = false;
};

static FoundAssembler findAssembler(PtxAssembler wanted) {
  if (wanted == PtxAssembler::Auto || wanted == PtxAssembler::Ptxas)
    if (std::optional<std::string> ptxas = findPtxas())
      return {*ptxas, false};
  return {"", wanted == PtxAssembler::Auto || wanted == PtxAssembler::Nvrtc};
}

std::string ptxAssemblerIdentity(PtxAssembler wanted) {
  FoundAssembler found = findAssembler(wanted);
  if (found.isNvrtc)
    return "nvrtc " + fileIdentity(findNvrtc());
  return "ptxas " + (found.ptxas.empty() ? "" : fileIdentity(found.ptxas));
}

bool hasPtxas(PtxAssembler wanted) { return !findAssembler(wanted).ptxas.empty(); }

/// By ptxas or NVRTC. No cubin and no error: neither was found, and none is insisted on.
static Expected<std::optional<Cubin>> assemble(const CodeGenOptions &options, const Image &image) {
  FoundAssembler found = findAssembler(options.ptxAssembler);
  if (!found.ptxas.empty()) {
    StageWatch::enter("ptxas");
    Expected<Cubin> cubin = runPtxas(found.ptxas, image.ptx, image.arch, options.lineTables);
    return cubin ? Expected<std::optional<Cubin>>(std::move(*cubin)) : cubin.takeError();
  }
  if (!found.isNvrtc)
    return createStringError("ptxas was not found: set TILEC_PTXAS to its path or CUDA_HOME to the "
                             "toolkit's folder");
  Expected<std::shared_ptr<Nvrtc>> nvrtc = loadNvrtc();
  if (!nvrtc) {
    if (options.ptxAssembler == PtxAssembler::Nvrtc)
      return nvrtc.takeError();
    consumeError(nvrtc.takeError());
    return std::nullopt;
  }
  StageWatch::enter("NVRTC");
  Expected<Cubin> cubin = compileWithNvrtc(**nvrtc, image.ptx, image.arch);
  return cubin ? Expected<std::optional<Cubin>>(std::move(*cubin)) : cubin.takeError();
}

static CacheKey cubinKey(const CodeGenOptions &options, const Image &image) {
  return CacheKey("cubin")
      .add(image.ptx)
      .add(StringRef(tilec::nameOf(image.arch)))
      .add(options.lineTables)
      .add(ptxAssemblerIdentity(options.ptxAssembler));
}

/// An entry is the log, a NUL, and the cubin.
static Cubin unpack(StringRef entry) {
  auto [log, bytes] = entry.split('\0');
  return {std::vector<uint8_t>(bytes.begin(), bytes.end()), log.str()};
}

static std::string pack(const Cubin &cubin) {
  return cubin.log + '\0' + std::string(cubin.bytes.begin(), cubin.bytes.end());
}

Error assemblePtx(const CodeGenOptions &options, Image &image) {
  if (options.ptxAssembler == PtxAssembler::None) {
    keepPtx(image);
    return Error::success();
  }
  Cubin cubin;
  std::optional<std::string> kept;
  if (options.cache)
    kept = options.cache->find(cubinKey(options, image));
  if (kept) {
    cubin = unpack(*kept);
  } else {
    Expected<std::optional<Cubin>> made = assemble(options, image);
    if (!made)
      return made.takeError();
    if (!*made) {
      image.notes.push_back({Note::Remark, "neither ptxas nor NVRTC was found: the image is PTX, "
                                           "which the driver compiles when it is loaded"});
      keepPtx(image);
      return Error::success();
    }
    cubin = std::move(**made);
    if (options.cache && !options.cache->store(cubinKey(options, image), pack(cubin)))
      image.notes.push_back(
          {Note::Remark, "the cache `" + options.cache->folder() + "` cannot be written"});
  }
  auto facts = readCubinFacts(cubin.bytes);
  if (!facts)
    return facts.takeError();
  image.kind = ImageKind::Cubin;
  image.bytes = std::move(cubin.bytes);
  image.log = std::move(cubin.log);
  image.kernels = std::move(*facts);
  readPtxasLog(image.log, image);
  return Error::success();
}

Error judgeImage(const CodeGenOptions &options, Image &image) {
  std::string problems;
  auto add = [&](const Twine &text) {
    image.notes.push_back({Note::Finding, text.str()});
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
      for (const SassLoop &loop : kernel.loops) {
        if (!loop.isMmaLoop)
          continue;
        std::string place = " times in the loop at 0x" + utohexstr(loop.beginAddress, true);
        if (loop.accumulatorMoves)
          add("kernel `" + kernel.facts.name + "` moves accumulators " +
              Twine(loop.accumulatorMoves) + place);
        // Also what a log says nothing of: arrays that are indexed, cubins without a log.
        if (loop.localAccesses)
          add("kernel `" + kernel.facts.name + "` accesses local memory " +
              Twine(loop.localAccesses) + place);
      }
  }
  if (options.strict && image.kind == ImageKind::Ptx)
    return createStringError(
        "--strict asks for what only an assembler says: neither ptxas nor NVRTC "
        "has assembled the PTX (docs/machine-code/codegen.md)");
  if (options.strict && !problems.empty())
    return createStringError(problems);
  return Error::success();
}

Expected<std::vector<KernelFacts>> readKernelFacts(ArrayRef<uint8_t> image) {
  auto file = object::ELFFile<object::ELF64LE>::create(
      StringRef(reinterpret_cast<const char *>(image.data()), image.size()));
  if (!file)
    return file.takeError();
  if (!file->getHeader().checkMagic())
    return createStringError("neither an AMDGPU code object nor a cubin: it is no ELF file");
  uint16_t machine = file->getHeader().e_machine;
  if (machine == ELF::EM_AMDGPU)
    return readAmdgpuFacts(image);
  if (machine == ELF::EM_CUDA)
    return readCubinFacts(image);
  return createStringError("neither an AMDGPU code object nor a cubin (ELF machine %u)",
                           unsigned(machine));
}

} // namespace tilec::codegen

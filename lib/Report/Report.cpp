//===- Report.cpp - what is in a GPU image --------------------------------===//
//
// Takes an image of any kind, finds out what it is, and writes its report.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/Report.h"

#include "tilec/CodeGen/Sass.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec::report {

using codegen::KernelFacts;
using codegen::SassKernel;
using codegen::SassLoop;

namespace {

void printOpcodes(raw_ostream &os, const std::map<std::string, unsigned> &opcodes) {
  std::vector<std::pair<std::string, unsigned>> sorted(opcodes.begin(), opcodes.end());
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
  for (const auto &[name, times] : sorted)
    os << ' ' << name << ':' << times;
  os << "\n";
}

void printSassText(raw_ostream &os, ArrayRef<SassKernel> kernels) {
  for (const SassKernel &kernel : kernels) {
    const KernelFacts &facts = kernel.facts;
    os << "kernel " << facts.name << "\n  registers " << facts.registers
       << (facts.launchSharedBytes ? ", shared memory " : ", static shared memory ")
       << facts.allSharedBytes() << " bytes, stack " << facts.scratchBytesPerLane
       << " bytes a thread\n  spills " << facts.spillStoreBytes << " bytes stored, "
       << facts.spillLoadBytes << " loaded; " << kernel.localStores << " STL, " << kernel.localLoads
       << " LDL\n  " << kernel.instructions << " instructions, " << kernel.mmas << " MMA\n   ";
    printOpcodes(os, kernel.opcodes);
    for (const SassLoop &loop : kernel.loops) {
      os << "  loop " << format_hex(loop.beginAddress, 1) << "-" << format_hex(loop.endAddress, 1)
         << " depth " << loop.depth << (loop.isMmaLoop ? " (hot)" : "") << ": " << loop.instructions
         << " instructions, " << loop.mmas << " MMA, " << loop.accumulatorMoves
         << " accumulator moves of " << loop.moves << " moves, " << loop.localAccesses
         << " local accesses\n   ";
      printOpcodes(os, loop.opcodes);
    }
  }
}

void printSassLoop(json::OStream &json, const SassLoop &loop) {
  json.object([&] {
    json.attribute("begin", int64_t(loop.beginAddress));
    json.attribute("end", int64_t(loop.endAddress));
    json.attribute("depth", loop.depth);
    json.attribute("innermost", loop.isInnermost);
    json.attribute("mma_loop", loop.isMmaLoop);
    json.attribute("instructions", loop.instructions);
    json.attribute("mmas", loop.mmas);
    json.attribute("accumulator_moves", loop.accumulatorMoves);
    json.attribute("moves", loop.moves);
    json.attribute("local_accesses", loop.localAccesses);
    json.attributeObject("opcodes", [&] {
      for (const auto &[name, times] : loop.opcodes)
        json.attribute(name, times);
    });
  });
}

void printSassJson(raw_ostream &os, ArrayRef<SassKernel> kernels) {
  json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attributeArray("kernels", [&] {
      for (const SassKernel &kernel : kernels)
        json.object([&] {
          const KernelFacts &facts = kernel.facts;
          json.attribute("name", facts.name);
          json.attribute("registers", facts.registers);
          json.attribute("shared_bytes", facts.allSharedBytes());
          json.attribute("static_shared_bytes", facts.sharedBytes);
          json.attribute("stack_bytes", facts.scratchBytesPerLane);
          json.attribute("spill_store_bytes", facts.spillStoreBytes);
          json.attribute("spill_load_bytes", facts.spillLoadBytes);
          json.attribute("max_threads", facts.maxThreads);
          json.attribute("code_bytes", int64_t(facts.codeBytes));
          json.attribute("instructions", kernel.instructions);
          json.attribute("mmas", kernel.mmas);
          json.attribute("local_loads", kernel.localLoads);
          json.attribute("local_stores", kernel.localStores);
          json.attributeObject("opcodes", [&] {
            for (const auto &[name, times] : kernel.opcodes)
              json.attribute(name, times);
          });
          json.attributeArray("loops", [&] {
            for (const SassLoop &loop : kernel.loops)
              printSassLoop(json, loop);
          });
        });
    });
  });
  os << "\n";
}

/// `known` are facts that the bytes do not tell (spills of a cubin); may be empty.
Error write(raw_ostream &os, ArrayRef<uint8_t> image, ArrayRef<KernelFacts> known,
            const ReportOptions &options) {
  auto file = object::ELFFile<object::ELF64LE>::create(
      StringRef(reinterpret_cast<const char *>(image.data()), image.size()));
  if (!file)
    return file.takeError();
  if (file->getHeader().e_machine == ELF::EM_CUDA) {
    auto kernels = codegen::readSass(image);
    if (!kernels)
      return kernels.takeError();
    for (SassKernel &kernel : *kernels) {
      for (const KernelFacts &facts : known)
        if (facts.name == kernel.facts.name)
          kernel.facts = facts;
      if (auto it = options.launchSharedBytes.find(kernel.facts.name);
          it != options.launchSharedBytes.end())
        kernel.facts.launchSharedBytes = it->second;
    }
    options.json ? printSassJson(os, *kernels) : printSassText(os, *kernels);
    return Error::success();
  }
  auto object = disassemble(image);
  if (!object)
    return object.takeError();
  Scorecard card = makeScorecard(*object, options.scorecard);
  options.json ? printJson(os, card) : printText(os, card);
  return Error::success();
}

} // namespace

Error writeReport(raw_ostream &os, ArrayRef<uint8_t> image, const ReportOptions &options) {
  return write(os, image, {}, options);
}

Error writeReport(raw_ostream &os, const codegen::Image &image, const ReportOptions &options) {
  if (image.kind == codegen::ImageKind::Ptx)
    return createStringError("a report on PTX: the machine code is made when a driver loads it; "
                             "with ptxas or NVRTC at hand the image is a cubin");
  return write(os, image.bytes, image.kernels, options);
}

} // namespace tilec::report

//===- main.cpp - tilec-report: what is in a code object or cubin ---------===//
//
// Takes an image, writes what lib/Report finds in it, as text or JSON.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Version.h"
#include "tilec/Messages/Messages.h"
#include "tilec/Report/Report.h"
#include "tilec/Runtime/Manifest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

/// What launches add to the static shared memory of a cubin, from the manifest that tilec writes
/// beside it; nothing where there is none.
static std::map<std::string, unsigned> launchSharedBytes(const std::string &path) {
  std::map<std::string, unsigned> bytes;
  auto text = llvm::MemoryBuffer::getFile(path + ".json");
  if (!text)
    return bytes;
  auto manifest = tilec::rt::parseManifest({(*text)->getBufferStart(), (*text)->getBufferSize()});
  if (manifest)
    for (const tilec::rt::Launch &launch : manifest->launches)
      bytes[launch.symbol] = static_cast<unsigned>(launch.sharedBytes);
  return bytes;
}

int main(int argc, char **argv) {
  tilec::Messages messages("tilec-report", argc, argv);
  CLI::App app("prints what the kernels of an AMDGPU code object or a cubin are made of");
  std::string path;
  tilec::report::ReportOptions options;
  app.set_version_flag("--version", tilec::versionOf("tilec-report", LLVM_VERSION_STRING));
  messages.addOption(app);
  app.add_option("OBJECT", path, "hsaco, AMDGPU object or cubin; - for standard input")->required();
  app.add_flag("--json", options.json, "JSON instead of text");
  app.add_option("--k-tiles", options.scorecard.kTilesPerRound,
                 "K tiles of one round of the hot loop: tells gaps at a K tile's end apart");
  if (std::optional<int> status = messages.parse(app, argc, argv))
    return *status;

  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                                   /*RequiresNullTerminator=*/false);
  if (!buffer)
    return messages.failure(tilec::DiagId::CannotRead,
                            "cannot read `" + path + "`: " + buffer.getError().message());
  options.launchSharedBytes = launchSharedBytes(path);
  auto bytes = llvm::arrayRefFromStringRef((*buffer)->getBuffer());
  if (llvm::Error error = tilec::report::writeReport(llvm::outs(), bytes, options))
    return messages.failure(tilec::DiagId::ImageFault,
                            "`" + path + "`: " + llvm::toString(std::move(error)));
  return messages.finish(llvm::outs(), 0);
}

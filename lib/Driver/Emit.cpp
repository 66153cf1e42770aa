//===- Emit.cpp - what can be asked of a compilation, by name -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Emit.h"

#include "LocalPlaces.h"

#include "tilec/Report/Report.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {

std::optional<Emit> parseEmit(llvm::StringRef word, Arch arch) {
  if (word == "manifest")
    return Emit{Stage::Wave, Emit::Manifest};
  if (word == "report")
    return Emit{Stage::Binary, Emit::Report};
  if (word == "schedule.svg")
    return Emit{Stage::WaveScheduled, Emit::Picture};
  // What users of NVIDIA's tools call the assembly text.
  if (word == "ptx" && vendorOf(arch) == Vendor::Nvidia)
    return Emit{Stage::Asm, Emit::Text};
  if (std::optional<Stage> stage = parseStage(word))
    return Emit{*stage, Emit::Text};
  return std::nullopt;
}

std::string listOfEmits() {
  std::string text;
  for (Stage stage : allStages())
    text += (text.empty() ? "" : ", ") + nameOf(stage).str();
  return text + ", ptx (asm of an NVIDIA target), manifest, report, schedule.svg";
}

llvm::Expected<std::string> emitted(Compilation &compilation, Emit emit, bool json) {
  switch (emit.what) {
  case Emit::Text:
    return compilation.textOf(emit.stage);
  case Emit::Manifest:
    return rt::printManifest(compilation.manifest());
  case Emit::Report: {
    report::ReportOptions options;
    options.json = json;
    std::string text;
    llvm::raw_string_ostream os(text);
    if (llvm::Error error = report::writeReport(os, compilation.image(), options))
      return error;
    addLocalPlaces(text, json, localPlaces(compilation.sourceProgram(), compilation.program()));
    return text;
  }
  case Emit::Picture: {
    std::string text = compilation.schedulePicture();
    if (text.empty())
      return llvm::createStringError("no loop of this program has a planned schedule");
    return text;
  }
  }
  llvm_unreachable("an emit of no kind");
}

void chooseLineTables(CompileOptions &options, Emit emit, std::optional<bool> wanted) {
  bool isAmd = vendorOf(options.arch) == Vendor::Amd;
  options.lineTables =
      wanted.value_or(isAmd && (emit.stage == Stage::Binary || emit.stage == Stage::Object));
  if (wanted.value_or(false) && !isAmd && emit.stage < Stage::Object)
    options.ptxAssembler = codegen::PtxAssembler::None; // a text with lines
}

std::optional<codegen::PtxAssembler> parsePtxAssembler(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<codegen::PtxAssembler>>(name)
      .Case("auto", codegen::PtxAssembler::Auto)
      .Case("ptxas", codegen::PtxAssembler::Ptxas)
      .Case("nvrtc", codegen::PtxAssembler::Nvrtc)
      .Case("none", codegen::PtxAssembler::None)
      .Default(std::nullopt);
}

llvm::StringRef versionText() { return "tilec 0.1.0, LLVM 22.1"; }

} // namespace tilec

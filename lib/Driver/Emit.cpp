//===- Emit.cpp - what can be asked of a compilation, by name -------------===//
//
// Takes the word behind `--emit=` and a compilation, gives the text or the bytes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Emit.h"

#include "Annotate.h"
#include "LayoutsPage.h"
#include "LocalPlaces.h"
#include "LoopVerdicts.h"

#include "tilec/Base/Version.h"
#include "tilec/CodeGen/Sass.h"
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
  if (word == "layouts.html")
    return Emit{Stage::TileLaidOut, Emit::Layouts};
  if (word == "sass" && vendorOf(arch) == Vendor::Nvidia)
    return Emit{Stage::Binary, Emit::Sass};
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
  return text + ", ptx (asm of an NVIDIA target), sass (NVIDIA), manifest, report, schedule.svg, "
                "layouts.html";
}

llvm::Expected<std::string> emitted(Compilation &compilation, Emit emit, EmitOptions options) {
  switch (emit.what) {
  case Emit::Text:
    if (options.annotate)
      return annotated(compilation.textOf(emit.stage), compilation.diagnostics().sourceManager(),
                       compilation.options().arch);
    return compilation.textOf(emit.stage);
  case Emit::Manifest:
    return rt::printManifest(compilation.manifest());
  case Emit::Report: {
    report::ReportOptions card;
    card.json = options.json;
    std::string text;
    llvm::raw_string_ostream os(text);
    if (llvm::Error error = report::writeReport(os, compilation.image(), card))
      return error;
    addLocalPlaces(text, options.json,
                   localPlaces(compilation.sourceProgram(), compilation.program()));
    llvm::Expected<std::vector<LoopVerdict>> verdicts =
        loopVerdicts(compilation.sourceProgram(), compilation.program(), compilation.image());
    if (!verdicts)
      return verdicts.takeError();
    addLoopVerdicts(text, options.json, *verdicts);
    return text;
  }
  case Emit::Picture: {
    std::string text = compilation.schedulePicture();
    if (text.empty())
      return llvm::createStringError("no loop of this program has a planned schedule");
    return text;
  }
  case Emit::Sass: {
    if (options.annotate && !compilation.options().cubinLines)
      return llvm::createStringError("--annotate: the machine code has no lines, which only ptxas "
                                     "keeps: set TILEC_PTXAS to its path or CUDA_HOME to the "
                                     "toolkit's folder");
    llvm::Expected<std::string> text =
        codegen::disassembleSass(compilation.image(), options.annotate);
    if (!text || !options.annotate)
      return text;
    return annotatedSass(*text, compilation.diagnostics().sourceManager());
  }
  case Emit::Layouts:
    return layoutsPage(compilation.program(), compilation.options().arch);
  }
  llvm_unreachable("an emit of no kind");
}

void chooseLineTables(CompileOptions &options, Emit emit, std::optional<bool> wanted) {
  bool isAmd = vendorOf(options.arch) == Vendor::Amd;
  options.lineTables =
      wanted.value_or(isAmd && (emit.stage == Stage::Binary || emit.stage == Stage::Object));
  if (wanted.value_or(false) && !isAmd && emit.stage < Stage::Object)
    options.ptxAssembler = codegen::PtxAssembler::None; // a text with lines
  // NVRTC gets the kernel's body as one statement, in which no line can be named.
  options.cubinLines = wanted.value_or(false) && !isAmd && emit.stage == Stage::Binary &&
                       codegen::hasPtxas(options.ptxAssembler);
}

std::optional<codegen::PtxAssembler> parsePtxAssembler(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<codegen::PtxAssembler>>(name)
      .Case("auto", codegen::PtxAssembler::Auto)
      .Case("ptxas", codegen::PtxAssembler::Ptxas)
      .Case("nvrtc", codegen::PtxAssembler::Nvrtc)
      .Case("none", codegen::PtxAssembler::None)
      .Default(std::nullopt);
}

llvm::StringRef versionText() {
  static const std::string text =
      llvm::StringRef(versionOf("tilec", LLVM_VERSION_STRING)).split('\n').first.str();
  return text;
}

} // namespace tilec

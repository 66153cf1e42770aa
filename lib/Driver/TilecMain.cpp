//===- TilecMain.cpp - the compiler's command line ------------------------===//
//
// Takes the command line of tilec, runs a compilation as far as it asks, and writes what comes
// out.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CacheOptions.h"
#include "CodeOptions.h"
#include "LayoutTool.h"
#include "PrintDiagnostics.h"
#include "TuneRecord.h"

#include "tilec/Base/Version.h"
#include "tilec/Driver/Emit.h"
#include "tilec/Driver/PlanFile.h"
#include "tilec/Driver/Tools.h"
#include "tilec/Runtime/Npy.h"
#include "tilec/Script/Trace.h"
#include "tilec/Support/StageWatch.h"
#include "tilec/Transforms/ScheduleNames.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace tilec {
namespace {

struct Arguments {
  std::string file, entry, target = "", emit = "binary", output, stopAfter, saveTemps;
  std::string ptxAssembler = "auto", schedule, planText, math = "default";
  bool debug = false, noDebug = false;
  CacheOptions cache;
  std::vector<std::string> defines;
  std::string tuned;
  bool json = false, annotate = false, strictSchedule = false, laxSchedule = false;
  bool listTargets = false, timeReport = false, remarks = false, strict = false,
       verifyStages = false;
};

std::string listOfTargets() {
  std::string text;
  for (const ArchName &arch : allArchs())
    text += llvm::formatv("{0,-8} {1} ({2})\n", llvm::StringRef(arch.name),
                          llvm::StringRef(arch.description), llvm::StringRef(arch.ranOn));
  return text;
}

bool write(const Messages &messages, llvm::StringRef path, llvm::StringRef bytes) {
  rt::Status status = rt::writeFile(path.str(), std::string_view(bytes.data(), bytes.size()));
  if (!status)
    messages.say(DiagId::CannotWrite, status.error().message);
  return bool(status);
}

/// The name says machine code. A cubin is one only where an assembler was there.
void sayWherePtxIsCalledCubin(llvm::StringRef output, const codegen::Image &image,
                              const Arguments &args, const Messages &messages) {
  if (image.kind != codegen::ImageKind::Ptx || !output.ends_with_insensitive(".cubin"))
    return;
  llvm::StringRef why =
      args.ptxAssembler == "none" ? "--ptx-assembler=none" : "neither ptxas nor NVRTC was found";
  messages.say(DiagId::CubinIsPtx,
               (output + " holds PTX, which the driver compiles when it is loaded: " + why).str());
}

/// The file name without its extension plus what the image is, in the current folder.
std::string defaultOutput(llvm::StringRef input, const codegen::Image &image) {
  return (llvm::sys::path::stem(input) + "." + codegen::nameOf(image.kind)).str();
}

void printTimes(const Compilation &compilation) {
  for (const codegen::StageTime &time : compilation.times())
    llvm::errs() << llvm::formatv("{0,-16} {1,8:f2} ms\n", time.stage, time.ms);
  llvm::errs() << llvm::formatv("{0,-16} {1,8:f2} ms\n", "total", compilation.totalMs());
}

/// What the entry of a file may be: one line a kernel.
int listKernels(const std::string &path, const Messages &messages) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return messages.failure(DiagId::CannotRead,
                            "cannot read " + path + ": " + buffer.getError().message());
  SourceManager sources;
  DiagnosticEngine diags(sources);
  uint32_t file = sources.add(path, (*buffer)->getBuffer().str());
  std::vector<script::EntryCandidate> list = script::listEntries(sources, file, diags);
  if (list.empty() && !diags.hasErrors())
    diags.report(DiagId::NoEntry, Span{file, 0, 0});
  print(messages, diags);
  if (list.empty())
    return 1;
  size_t width = 0;
  for (const script::EntryCandidate &c : list)
    width = std::max(width, c.call.size());
  for (const script::EntryCandidate &c : list)
    llvm::outs() << c.call << std::string(width - c.call.size(), ' ') << "  # " << path << ':'
                 << sources.file(file).lineColumn(c.span.begin).line << '\n';
  if (!messages.isJson())
    llvm::errs() << "compile one with --target=... --entry '...'\n";
  return 0;
}

int compile(const Arguments &args, const Messages &messages, Arch arch) {
  std::string word = args.stopAfter.empty() ? args.emit : args.stopAfter;
  std::optional<Emit> emit = parseEmit(word, arch);
  if (!emit && (word == "ptx" || word == "sass"))
    return messages.usageError("--emit=" + word + " is of NVIDIA targets; --emit=asm shows the " +
                               "machine code for " + std::string(nameOf(arch)));
  if (!emit)
    return messages.usageError("unknown stage `" + word + "`; known: " + listOfEmits());
  bool isAssembly = emit->stage == Stage::Asm || emit->what == Emit::Sass;
  if (args.annotate && !isAssembly)
    return messages.usageError("--annotate puts lines of the script into assembly: give "
                               "--emit=asm or --emit=sass, not " +
                               word);
  if (args.annotate && args.noDebug)
    return messages.usageError("--annotate wants the lines that --no-debug leaves out");
  if (args.json && emit->what != Emit::Report)
    return messages.usageError("--json is a form of --emit=report; messages as JSON: "
                               "--diagnostics=json");
  CompileOptions options;
  options.arch = arch;
  options.entry = args.entry;
  options.defines = args.defines;
  options.strict = args.strict;
  (args.planText.empty() ? options.schedule : options.planFile) = args.schedule;
  options.planText = args.planText;
  options.math = *parseMathMode(args.math);
  if (args.strictSchedule || args.laxSchedule)
    options.strictSchedule = args.strictSchedule;
  options.verifyStages = args.verifyStages;
  options.saveTempsPrefix = args.saveTemps;
  options.ptxAssembler = parsePtxAssembler(args.ptxAssembler).value_or(codegen::PtxAssembler::Auto);
  std::optional<bool> lines;
  if (args.debug || args.noDebug || args.annotate)
    lines = !args.noDebug;
  chooseLineTables(options, *emit, lines);
  options.cache = openCache(args.cache);
  // A report wants more than what is kept of a program.
  options.cachePrograms = emit->stage == Stage::Binary && emit->what == Emit::Text;
  Compilation compilation(options);
  bool ok = compilation.open(args.file);
  if (ok) {
    std::optional<StageWatch> watch;
    if (!messages.isJson()) // what it says is for people
      watch.emplace("tilec");
    ok = compilation.runTo(emit->stage);
  }
  print(messages, compilation.diagnostics(), args.remarks);
  if (args.timeReport)
    printTimes(compilation);
  if (!ok)
    return 1;
  llvm::Expected<std::string> text = emitted(compilation, *emit, {args.json, args.annotate});
  if (!text)
    return messages.failure(DiagId::NothingToShow, llvm::toString(text.takeError()));
  std::string output = args.output;
  bool isImage = emit->what == Emit::Text && emit->stage == Stage::Binary;
  if (output.empty() && emit->isBinary())
    output = isImage ? defaultOutput(args.file, compilation.image())
                     : (llvm::sys::path::stem(args.file) + ".o").str();
  if (output.empty() || output == "-") {
    llvm::outs() << *text;
    llvm::outs().flush();
    return 0;
  }
  if (!write(messages, output, *text))
    return 1;
  if (isImage)
    sayWherePtxIsCalledCubin(output, compilation.image(), args, messages);
  // Beside a file, not beside /dev/null.
  bool isDevice = false;
  if (llvm::sys::fs::is_other(output, isDevice))
    isDevice = false; // it cannot be asked; it was written just now
  if (isImage && !isDevice)
    return write(messages, output + ".json", rt::printManifest(compilation.manifest())) ? 0 : 1;
  return 0;
}

} // namespace

int tilecMain(int argc, char **argv) {
  if (argc > 1 && llvm::StringRef(argv[1]) == "layout")
    return layoutMain(argc - 1, argv + 1);
  Arguments args;
  Messages messages("tilec", argc, argv);
  CLI::App app{"tilec: compiles TileLang scripts to machine code for AMD CDNA and NVIDIA GPUs\n"
               "tilec layout --help: shows where a layout puts elements"};
  app.set_version_flag("--version", versionOf("tilec", LLVM_VERSION_STRING));
  messages.addOption(app);
  app.add_option("FILE", args.file, "a TileLang script, or Tile IR text (.mlir)");
  app.add_option("--entry", args.entry,
                 "what to compile, a call: 'matmul(1024, 1024, 1024, block_M=128)'");
  app.add_option("--define", args.defines,
                 "NAME=VALUE: a module-level name of the script, or a value that tilec cannot "
                 "know, such as 'torch.cuda.device_count()=8'")
      ->allow_extra_args(false);
  app.add_option("--target", args.target, "one of " + listOfArchs());
  app.add_option("--emit", args.emit, "what to write: " + listOfEmits());
  app.add_option("-o,--output", args.output,
                 "where to; - is standard output, where text goes without it. A binary goes to "
                 "FILE.hsaco, FILE.cubin or FILE.ptx then, and gets its launch manifest beside it, "
                 "OUT.json");
  app.add_option("--stop-after", args.stopAfter, "stop after this stage and print it");
  app.add_option("--save-temps", args.saveTemps, "write every stage to PREFIX.NN-stage.ext");
  app.add_option("--ptx-assembler", args.ptxAssembler, "auto, ptxas, nvrtc or none (PTX)")
      ->check(CLI::IsMember({"auto", "ptxas", "nvrtc", "none"}));
  addCodeOptions(app, args.schedule, args.math);
  app.add_flag("--strict-schedule", args.strictSchedule,
               "machine code that does not keep a planned order is an error (default for a "
               "schedule that is named)");
  app.add_flag("--no-strict-schedule", args.laxSchedule, "... is a warning");
  app.add_flag(
      "-g,--debug", args.debug,
      "source lines also in LLVM IR, assembly text and cubins (AMD code objects have them)");
  app.add_flag("--no-debug", args.noDebug, "... not even in code objects");
  addCacheOptions(app, args.cache);
  app.add_option("--tuned", args.tuned,
                 "FILE.json: take the entry's best parameters from there (tilec-run --tune)");
  app.add_flag("--json", args.json, "with --emit=report: as JSON");
  app.add_flag("--annotate", args.annotate,
               "with --emit=asm, sass: the script's lines between the instructions made of them");
  app.add_flag("--list-targets", args.listTargets, "print the targets and stop");
  app.add_flag("--time-report", args.timeReport, "milliseconds of each stage");
  app.add_flag("--remarks", args.remarks, "print what was slow but right");
  app.add_flag("--strict", args.strict,
               "spills, serialised wgmma, ignored setmaxnreg and moved accumulators are errors");
  app.add_flag("--verify-stages", args.verifyStages, "check the contract of every stage");
  if (std::optional<int> status = messages.parse(app, argc, argv))
    return *status;
  if (args.listTargets) {
    llvm::outs() << listOfTargets();
    return 0;
  }
  if (args.file.empty())
    return messages.usageError("no input file; see --help");
  bool asksForOutput = app.count("--entry") || app.count("--output") || app.count("--emit") ||
                       app.count("--stop-after") || app.count("--save-temps");
  if (args.target.empty() && !asksForOutput && !llvm::StringRef(args.file).ends_with(".mlir"))
    return listKernels(args.file, messages);
  if (args.target.empty())
    return messages.usageError("no --target; one of " + listOfArchs());
  std::optional<Arch> arch = parseArch(args.target);
  if (!arch)
    return messages.usageError("unknown target `" + args.target + "`; known:\n" + listOfTargets());
  if (std::string error = applyTuned(args.tuned, args.file, *arch, args.entry, args.schedule);
      !error.empty())
    return messages.failure(DiagId::TuningFailed, error);
  if (args.schedule == "search")
    return messages.usageError("--schedule=search times what it tries: tilec-run has it, with "
                               "--device=sim");
  if (std::string path = planFileOf(args.schedule, args.file, *arch); !path.empty()) {
    rt::Result<std::string> text = rt::readFile(path);
    if (!text)
      return messages.failure(DiagId::CannotRead, text.error().message);
    args.schedule = path;
    args.planText = *text;
  } else if (std::string problem = scheduleProblem(args.schedule, *arch); !problem.empty()) {
    return messages.usageError("--schedule: " + problem);
  }
  return compile(args, messages, *arch);
}

} // namespace tilec

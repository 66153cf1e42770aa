//===- Runner.cpp - one program on every device ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Runner.h"

#include "Mutants.h"

#include "tilec/Driver/Run.h"
#include "tilec/PtxSim/PtxDevice.h"
#include "tilec/SimDevice/SimDevice.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>

namespace tilec::fuzz {
namespace {

class Clock {
public:
  double ms() const {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now() - start).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

rt::Result<rt::Device> openTarget(const Target &target, const RunOptions &options) {
  if (target.kind == Target::Cuda)
    return rt::openCuda();
  if (target.kind == Target::Ptx) {
    PtxDeviceOptions ptx;
    ptx.launch.seed = options.interleaveSeed;
    ptx.launch.maxInstructions = 20'000'000;
    return openPtx(std::string(nameOf(target.arch)), ptx);
  }
  SimDeviceOptions sim;
  sim.launch.threads = 1; // programs run side by side already, and worker processes are forked
  sim.launch.interleaveSeed = options.interleaveSeed;
  sim.launch.memoryMode =
      options.interleaveSeed % 4 == 3 ? sim::MemoryMode::Strict : sim::MemoryMode::Eager;
  sim.launch.maxInstructionsPerGroup = 20'000'000;
  return openSim(target.arch, sim);
}

/// The errors of a compilation, as text.
std::string errorsOf(Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Diagnostic &d : compilation.diagnostics().all())
    if (d.severity == Severity::Error)
      compilation.diagnostics().printOne(os, d);
  return text.empty() ? "failed without a message" : text;
}

/// A fault of the compiler that it has noticed itself is a crash.
const char *kindOfErrors(Compilation &compilation) {
  bool isInternal = llvm::any_of(compilation.diagnostics().all(),
                                 [](const Diagnostic &d) { return d.id == DiagId::InternalError; });
  return isInternal ? "crash" : "compile";
}

/// Results that differ in the last bits have other reasons than those that are
/// far apart.
const char *kindOf(const TensorCheck &check) {
  auto isNan = [&](uint64_t bits) {
    return isFloat(check.dtype) && std::isnan(decodeFloat(check.dtype, bits));
  };
  const rt::Mismatch &first = *check.report.first;
  if (isNan(first.deviceBits) || isNan(first.referenceBits))
    return "nan";
  return check.report.maxRatio <= 100 ? "rounding" : "mismatch";
}

/// Without the options of parameters that the kernel does not use: the manifest
/// leaves them out.
rt::ArgumentRequest requestFor(const Program &program, const rt::Manifest &manifest) {
  rt::ArgumentRequest request = program.request;
  std::vector<rt::Param> arguments = manifest.arguments();
  std::erase_if(request.specs, [&](const rt::ArgSpec &spec) {
    return llvm::none_of(arguments, [&](const rt::Param &p) { return p.name == spec.name; });
  });
  std::erase_if(request.dims, [&](const auto &dim) {
    return llvm::none_of(manifest.dims, [&](const rt::DimDecl &d) { return d.name == dim.first; });
  });
  return request;
}

std::optional<Failure> runTarget(const Program &program, const Target &target,
                                 const RunOptions &options, RunReport &report) {
  CompileOptions compileOptions;
  compileOptions.arch = target.arch;
  compileOptions.entry = program.entry;
  compileOptions.verifyStages = options.verifyStages;
  if (target.kind == Target::Ptx) // runs the PTX itself
    compileOptions.ptxAssembler = codegen::PtxAssembler::None;
  bool isMutated = false;
  if (options.mutant)
    compileOptions.afterStage = [&](Stage stage, mlir::ModuleOp module, llvm::Module *llvm) {
      if (stage == options.mutant->stage)
        isMutated = options.mutant->rewrite(module, llvm);
    };
  Compilation compilation(compileOptions);
  auto failure = [&](const char *kind, std::string message) {
    return Failure{kind, target.name, std::move(message)};
  };
  Clock compileClock;
  compilation.openText("program.py", program.text);
  bool onCpu = target.kind == Target::Cpu;
  // A program that a mutant leaves alone tells nothing about it.
  bool ok = !options.mutant || compilation.runTo(options.mutant->stage);
  if (ok && options.mutant && !isMutated)
    return std::nullopt;
  report.isMutated |= isMutated;
  if (!ok || !compilation.runTo(onCpu ? Stage::Wave : Stage::Binary))
    return failure(kindOfErrors(compilation), errorsOf(compilation));
  report.compileMs += compileClock.ms();
  rt::Result<rt::ArgumentSet> before =
      rt::makeArguments(compilation.manifest(), requestFor(program, compilation.manifest()));
  if (!before)
    return failure("program", before.error().message);
  rt::ArgumentSet after = *before;
  Clock runClock;
  if (onCpu) {
    if (rt::Status status = runOnCpu(compilation, after); !status)
      return failure("cpu", status.error().message);
    report.runMs += runClock.ms();
    return std::nullopt;
  }
  rt::Result<rt::Device> device = openTarget(target, options);
  if (!device)
    return failure("program", device.error().message);
  rt::Result<rt::Timing> timing =
      rt::launchProgram(*device, compilation.manifest(), compilation.image().bytes, after);
  if (!timing)
    return failure("run", timing.error().message);
  report.runMs += runClock.ms();
  Clock checkClock;
  rt::Result<std::vector<TensorCheck>> checks = checkAgainstCpu(compilation, *before, after);
  report.checkMs += checkClock.ms();
  if (!checks)
    return failure("cpu", checks.error().message);
  for (const TensorCheck &check : *checks) {
    report.maxRatio = std::max(report.maxRatio, check.report.maxRatio);
    if (!check.report.passed())
      return failure(kindOf(check), rt::describe(check.name, check.dtype, check.report));
  }
  return std::nullopt;
}

} // namespace

rt::Result<std::vector<Target>> parseTargets(const std::string &list) {
  std::vector<Target> out;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(list).split(names, ',');
  for (llvm::StringRef name : names) {
    if (name == "cpu")
      out.push_back({Target::Cpu, Arch::Gfx950, "cpu"});
    else if (name == "sim:gfx942")
      out.push_back({Target::Sim, Arch::Gfx942, name.str()});
    else if (name == "sim:gfx950")
      out.push_back({Target::Sim, Arch::Gfx950, name.str()});
    else if (name == "ptx")
      out.push_back({Target::Ptx, Arch::Sm90a, name.str()});
    else if (name == "ptx:sm_80")
      out.push_back({Target::Ptx, Arch::Sm80, name.str()});
    else if (name == "cuda")
      out.push_back({Target::Cuda, Arch::Sm90a, "cuda"});
    else
      return rt::Error{"unknown device `" + name.str() +
                       "`; one of cpu, sim:gfx942, sim:gfx950, ptx, ptx:sm_80, cuda"};
  }
  return out;
}

std::string Failure::signature() const {
  // The kinds of results say enough, whichever element is first.
  std::string out = kind + " " + device;
  if (kind == "mismatch" || kind == "rounding" || kind == "nan")
    return out;
  llvm::StringRef first = llvm::StringRef(message).split('\n').first;
  // `program.py:3:1: error: ` says where, not what.
  if (size_t at = first.find("error: "); at != llvm::StringRef::npos)
    first = first.drop_front(at + 7);
  bool isQuoted = false;
  std::string text;
  for (char c : first) {
    if (c == '`')
      isQuoted = !isQuoted;
    else if (!isQuoted && !llvm::isDigit(c))
      text += c;
  }
  return out + " " + text.substr(0, 60);
}

RunReport runProgram(const Program &program, const RunOptions &options) {
  RunReport report;
  for (const Target &target : options.targets) {
    report.failure = runTarget(program, target, options, report);
    if (report.failure)
      break;
  }
  return report;
}

} // namespace tilec::fuzz

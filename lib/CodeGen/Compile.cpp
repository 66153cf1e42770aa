//===- Compile.cpp - one compile from module to image ---------------------===//
//
// Each compile works on a private copy of the module in its own LLVMContext (through
// bitcode, about a millisecond): the context carries the pass gate and the diagnostic
// handler of this compile, and it can be leaked whole when LLVM dies half-way.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AmdgpuPasses.h"
#include "Barriers.h"
#include "Images.h"
#include "LargeCode.h"
#include "Optimize.h"
#include "tilec/CodeGen/CodeGen.h"
#include "tilec/CodeGen/Contained.h"
#include "tilec/CodeGen/InvalidIr.h"
#include "tilec/Support/StageWatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <chrono>

using namespace llvm;

namespace tilec::codegen {

char InvalidIr::ID;

namespace {

/// Leaves out passes. Where waits are planned: the two machine schedulers, so that the order of the
/// IR stays, and the passes that merge neighbouring memory accesses: a planned wait counts
/// instructions. Where the code is large: those that compare all pairs of its addresses, look at
/// all its registers for each access or at all uses of a constant for each half of a register;
/// where it is huge, what gains little there and walks through more memory than a processor keeps
/// at hand: the schedules before and behind allocation, sinking, and the search for common
/// expressions in machine code, which joins what the parts have of their own and looks at all uses
/// of the joined register for each part; where it is vast, that search in the IR, too.
class Gate : public OptPassGate {
public:
  bool keepsOrder = false, isLarge = false, isHuge = false, isVast = false, sinksTooFar = false;

  bool isEnabled() const override { return keepsOrder || isLarge || sinksTooFar; }
  bool shouldRunPass(StringRef pass, StringRef) const override {
    bool moves = is_contained(
        {"machine-scheduler", "postmisched", "si-load-store-opt", "load-store-vectorizer"}, pass);
    bool isSlow = is_contained({"slsr", "si-form-memory-clauses", "si-peephole-sdwa"}, pass);
    bool gainsLittle = is_contained(
        {"machine-cse", "machine-sink", "machine-scheduler", "nary-reassociate", "postmisched"},
        pass);
    return !(keepsOrder && moves) && !(isLarge && isSlow) && !(isHuge && gainsLittle) &&
           !(isVast && pass == "early-cse") && !(sinksTooFar && pass == "machine-sink");
  }
};

/// Errors such as too much shared memory do not stop LLVM: it emits an object all the same.
class CollectDiagnostics : public DiagnosticHandler {
public:
  CollectDiagnostics(std::string &errors, std::vector<Note> &notes)
      : errors(errors), notes(notes) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    std::string text;
    raw_string_ostream os(text);
    DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    if (info.getSeverity() == DS_Error)
      errors += (errors.empty() ? "" : "; ") + text;
    else if (info.getSeverity() == DS_Warning)
      notes.push_back({Note::Warning, text});
    return true;
  }

private:
  std::string &errors;
  std::vector<Note> &notes;
};

/// What one run of the code generator works on. Leaked after a fatal error.
struct Job {
  std::string errors;
  std::vector<Note> notes;
  Gate gate;
  LLVMContext context;
  std::unique_ptr<Module> module;
  std::unique_ptr<TargetMachine> machine;
  SmallVector<char, 0> output;
  MachinePassState passes;
  std::vector<KernelOrder> order;
};

Error failed(Arch arch, const Twine &what) {
  return createStringError(Twine(StringRef(tilec::nameOf(arch))) + ": " + what);
}

/// Whether the IR has waits that leave some operations in flight: they mean the latest ones of the
/// IR's order, and after a scheduler or a merge of accesses they would mean others. Not those for
/// groups of copies that fences keep apart.
bool hasCountedWaits(const Module &module) {
  const Function *wait = module.getFunction("llvm.amdgcn.s.waitcnt");
  return wait && any_of(wait->users(), [](const User *user) {
           auto *call = cast<CallInst>(user);
           if (call->hasMetadata(waitOfGroups))
             return false;
           auto *immediate = dyn_cast<ConstantInt>(call->getArgOperand(0));
           WaitCounts counts = decodeWaitCounts(immediate ? immediate->getSExtValue() : -1);
           return counts.vmcnt.value_or(0) != 0 || counts.lgkmcnt.value_or(0) != 0;
         });
}

Expected<std::unique_ptr<Job>> makeJob(const Module &module, const CodeGenOptions &options) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    return make_error<InvalidIr>((Twine(StringRef(tilec::nameOf(options.arch))) +
                                  ": invalid LLVM IR: " + StringRef(problem).trim())
                                     .str());

  auto job = std::make_unique<Job>();
  auto machine = createTargetMachine(options.arch, options.optLevel);
  if (!machine)
    return machine.takeError();
  job->machine = std::move(*machine);
  if (module.getDataLayout() != job->machine->createDataLayout())
    return failed(options.arch, "the module's data layout is not the chip's; build the IR in a "
                                "module that went through prepareModule");
  SmallVector<char, 0> bitcode;
  raw_svector_ostream stream(bitcode);
  // Use lists in the reader's order: the code depends on what the IR says, not on how it was built.
  WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/false);
  auto copy = parseBitcodeFile(
      MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()), module.getModuleIdentifier()),
      job->context);
  if (!copy)
    return copy.takeError();
  job->module = std::move(*copy);
  job->context.setDiagnosticHandler(std::make_unique<CollectDiagnostics>(job->errors, job->notes));
  job->gate.keepsOrder =
      vendorOf(options.arch) == Vendor::Amd && (options.keepOrder || hasCountedWaits(module));
  job->context.setOptPassGate(job->gate);
  return job;
}

class Stopwatch {
public:
  explicit Stopwatch(std::vector<StageTime> &times) : times(times) {}
  void lap(StringRef stage) {
    auto now = std::chrono::steady_clock::now();
    times.push_back({stage.str(), std::chrono::duration<double, std::milli>(now - last).count()});
    last = now;
  }

private:
  std::vector<StageTime> &times;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

struct Emitted {
  SmallVector<char, 0> bytes;
  std::vector<Note> notes;
  std::vector<KernelOrder> order;
  unsigned spills = 0; ///< places in memory that vector registers got
  bool mayBeScheduledAnew = false;
};

/// `scheduler`: of LLVM's for AMD, "" is its own choice.
Expected<Emitted> emitScheduled(const Module &module, const CodeGenOptions &options,
                                CodeGenFileType fileType, Stopwatch &watch, StringRef scheduler) {
  initializeTargets();
  Expected<std::unique_ptr<Job>> made = makeJob(module, options);
  if (!made)
    return made.takeError();
  Job &job = **made;
  auto lap = [&](StringRef stage) {
    if (scheduler.empty())
      watch.lap(stage);
  };
  lap("copy");

  if (!scheduler.empty())
    for (Function &function : *job.module)
      if (!function.isDeclaration())
        function.addFnAttr("amdgpu-sched-strategy", scheduler);
  StageWatch::enter("LLVM code generation");
  bool crashed = false, unsupported = false, crowded = false;
  Error fatal = runContained(
      [&] {
        if (options.optimizeIr) {
          hideIntegers(*job.module, *job.machine);
          separateReturns(*job.module);
          optimizeWith(*job.module, *job.machine, options.arch);
          lap("optimize");
        }
        job.gate.isLarge = isLarge(*job.module);
        job.gate.isHuge = isHuge(*job.module);
        job.gate.isVast = isVast(*job.module);
        job.gate.sinksTooFar =
            mayCrossBarriers(*job.module) ||
            (vendorOf(options.arch) == Vendor::Nvidia && hasManyBlocks(*job.module));
        crowded = isCrowded(*job.module);
        hideCounters(*job.module, *job.machine);
        cutBeforePreparing(*job.module);
        if (job.gate.keepsOrder)
          job.order = plannedOrder(*job.module);
        job.passes.verify = options.verifyMachineCode;
        MachinePassScope scope(options.machinePasses ? &job.passes : nullptr);
        raw_svector_ostream stream(job.output);
        legacy::PassManager passes;
        unsupported = job.machine->addPassesToEmitFile(passes, stream, nullptr, fileType,
                                                       /*DisableVerify=*/true);
        if (!unsupported)
          passes.run(*job.module);
        lap("codegen");
      },
      crashed);
  if (!scheduler.empty())
    watch.lap("codegen anew");
  if (crashed) {
    MachinePassScope reset(nullptr);
    // Value handles of the abandoned stack frames point into the job: it cannot be destroyed.
    [[maybe_unused]] Job *leaked = made->release();
  }
  if (fatal)
    return failed(options.arch, "code generation failed: " + toString(std::move(fatal)));
  if (unsupported)
    return failed(options.arch, "LLVM cannot emit this kind of file");
  if (!job.errors.empty())
    return failed(options.arch, "code generation failed: " + job.errors);
  return Emitted{std::move(job.output), std::move(job.notes), std::move(job.order),
                 job.passes.vectorSpills, !job.gate.keepsOrder && !job.gate.isLarge && !crowded};
}

/// Where AMD's code spills registers of lanes, another of LLVM's schedulers is asked, and what
/// spills less is taken. Not of large code, for which there is no time to do so, nor of crowded
/// blocks: no order makes room in them.
Expected<Emitted> emit(const Module &module, const CodeGenOptions &options,
                       CodeGenFileType fileType, Stopwatch &watch) {
  Expected<Emitted> first = emitScheduled(module, options, fileType, watch, "");
  if (!first || first->spills == 0 || !first->mayBeScheduledAnew ||
      vendorOf(options.arch) != Vendor::Amd)
    return first;
  Expected<Emitted> second = emitScheduled(module, options, fileType, watch, "iterative-ilp");
  if (second && second->spills < first->spills)
    return second;
  if (!second)
    consumeError(second.takeError()); // the first is right
  return first;
}

CodeGenFileType objectFormOf(Arch arch) {
  return vendorOf(arch) == Vendor::Amd ? CodeGenFileType::ObjectFile
                                       : CodeGenFileType::AssemblyFile;
}

} // namespace

StringRef nameOf(ImageKind kind) {
  switch (kind) {
  case ImageKind::Hsaco:
    return "hsaco";
  case ImageKind::Cubin:
    return "cubin";
  case ImageKind::Ptx:
    return "ptx";
  }
  llvm_unreachable("an image kind without a name");
}

const KernelFacts *Image::kernel(StringRef name) const {
  for (const KernelFacts &facts : kernels)
    if (facts.name == name)
      return &facts;
  return nullptr;
}

Expected<std::string> emitAssembly(const Module &module, const CodeGenOptions &options) {
  std::vector<StageTime> times;
  Stopwatch watch(times);
  auto emitted = emit(module, options, CodeGenFileType::AssemblyFile, watch);
  if (!emitted)
    return emitted.takeError();
  return std::string(emitted->bytes.begin(), emitted->bytes.end());
}

Expected<std::vector<uint8_t>> emitObject(const Module &module, const CodeGenOptions &options) {
  std::vector<StageTime> times;
  Stopwatch watch(times);
  auto emitted = emit(module, options, objectFormOf(options.arch), watch);
  if (!emitted)
    return emitted.takeError();
  return std::vector<uint8_t>(emitted->bytes.begin(), emitted->bytes.end());
}

Expected<Image> compileModule(const Module &module, const CodeGenOptions &options) {
  Image image;
  image.arch = options.arch;
  Stopwatch watch(image.times);
  auto emitted = emit(module, options, objectFormOf(options.arch), watch);
  if (!emitted)
    return emitted.takeError();
  image.notes = std::move(emitted->notes);
  image.order = std::move(emitted->order);

  bool isAmd = vendorOf(options.arch) == Vendor::Amd;
  if (isAmd) {
    StageWatch::enter("linker");
    ArrayRef<uint8_t> object(reinterpret_cast<const uint8_t *>(emitted->bytes.data()),
                             emitted->bytes.size());
    if (Error error = makeHsaco(object, image))
      return failed(options.arch, toString(std::move(error)));
    watch.lap("link");
  } else {
    image.ptx.assign(emitted->bytes.begin(), emitted->bytes.end());
    if (Error error = assemblePtx(options, image))
      return failed(options.arch, toString(std::move(error)));
    watch.lap(nameOf(image.kind) == "cubin" ? "assemble" : "finish");
  }
  if (Error error = judgeImage(options, image))
    return failed(options.arch, toString(std::move(error)));
  return image;
}

} // namespace tilec::codegen

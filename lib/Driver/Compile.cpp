//===- Compile.cpp - from a script to an image, stage by stage ------------===//
//
// The stages of a compilation in order, each made when it is asked for: what runs, what is timed,
// what is verified, and how messages of MLIR become ours.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Compile.h"

#include "CompileState.h"
#include "InternalErrors.h"
#include "ProgramCache.h"
#include "tilec/Driver/Pipelines.h"
#include "tilec/Driver/PlanFile.h"
#include "tilec/Driver/ScheduleCheck.h"

#include "tilec/Build/Recorder.h"
#include "tilec/CodeGen/InvalidIr.h"
#include "tilec/IR/Wave/Wave.h"
#ifdef TILEC_HAS_IMPORT
#include "tilec/Import/Import.h"
#endif
#include "tilec/Lower/Lower.h"
#include "tilec/Support/StageWatch.h"
#ifdef TILEC_HAS_IMPORT
#include "tilec/Script/Trace.h"
#endif
#include "tilec/Transforms/Contracts.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/ScheduleNames.h"
#include "tilec/Transforms/SchedulePicture.h"
#include "tilec/Transforms/SchedulePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <mutex>

using namespace mlir;

namespace tilec {
namespace {

struct StageRow {
  Stage stage;
  llvm::StringLiteral name, extension;
};
constexpr StageRow stageRows[] = {
    {Stage::Tile, "tile", "mlir"},
    {Stage::TileLaidOut, "tile-laid-out", "mlir"},
    {Stage::TilePipelined, "tile-pipelined", "mlir"},
    {Stage::Wave, "wave", "mlir"},
    {Stage::WaveScheduled, "wave-scheduled", "mlir"},
    {Stage::Llvm, "llvm", "ll"},
    {Stage::Asm, "asm", "s"},
    {Stage::Object, "object", "o"},
    {Stage::Binary, "binary", "bin"},
};

constexpr std::pair<MathMode, llvm::StringLiteral> mathModes[] = {
    {MathMode::Default, "default"}, {MathMode::Fast, "fast"}, {MathMode::Libs, "libs"}};

void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerTilecPasses();
    registerCanonicalizerPass();
    registerCSEPass();
  });
}

/// The place in a source file behind an MLIR location.
Span spanOf(Location location, const SourceManager &sources) {
  auto inFile = [&](StringRef name, unsigned line, unsigned column, unsigned endLine,
                    unsigned endColumn) -> Span {
    // Of a file of the host several parts may be known, each at its lines. IR that is cut off ends
    // in an empty line.
    for (uint32_t f = 0; f < sources.fileCount(); ++f)
      if (sources.file(f).name() == name && column <= sources.file(f).line(line).size() + 1 &&
          (!sources.file(f).line(line).empty() || name.ends_with(".mlir"))) {
        uint32_t begin = sources.file(f).offsetOf({line, column});
        uint32_t end = sources.file(f).offsetOf({endLine, endColumn});
        return {f, begin, std::max(begin, end)};
      }
    return {};
  };
  Span span;
  location->walk([&](Location inner) {
    if (auto range = dyn_cast<FileLineColRange>(inner)) {
      span = inFile(range.getFilename().getValue(), range.getStartLine(), range.getStartColumn(),
                    range.getEndLine(), range.getEndColumn());
      if (span.isValid())
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return span;
}

DiagId idOf(mlir::Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata()) // tilec/IR/Reported.h
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Integer)
      return static_cast<DiagId>(argument.getAsInteger());
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return DiagId::IrMessage;
  case DiagnosticSeverity::Warning:
    return DiagId::IrWarning;
  case DiagnosticSeverity::Remark:
    return DiagId::IrRemark;
  case DiagnosticSeverity::Note:
    return DiagId::IrNote;
  }
  return DiagId::IrMessage;
}

} // namespace

double nowMs() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

llvm::StringRef nameOf(Stage stage) { return stageRows[static_cast<int>(stage)].name; }

std::optional<Stage> parseStage(llvm::StringRef name) {
  for (const StageRow &row : stageRows)
    if (row.name == name)
      return row.stage;
  return std::nullopt;
}

llvm::ArrayRef<Stage> allStages() {
  static const std::vector<Stage> stages = [] {
    std::vector<Stage> list;
    for (const StageRow &row : stageRows)
      list.push_back(row.stage);
    return list;
  }();
  return stages;
}

std::optional<MathMode> parseMathMode(llvm::StringRef name) {
  for (auto [mode, word] : mathModes)
    if (word == name)
      return mode;
  return std::nullopt;
}

std::string listOfMathModes() {
  std::string list;
  for (auto [mode, word] : mathModes)
    list += (list.empty() ? "" : ", ") + word.str();
  return list;
}

Compilation::Compilation(CompileOptions options)
    : opts(std::move(options)), diags(sources),
      state(std::make_unique<State>(targetInfo(opts.arch))) {
  registerPassesOnce();
  DialectRegistry registry;
  registry.insert<tile::TileDialect, wave::WaveDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect>();
  state->context.appendDialectRegistry(registry);
  state->context.loadAllAvailableDialects();
  if (opts.verifyStages)
    state->contracts.watch(state->context);
  // The op at fault is a stage of our own; the user has the line of the script.
  state->context.printOpOnDiagnostic(false);
  state->context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    DiagId id = idOf(diagnostic);
    diags.add({id, severityOf(id), spanOf(diagnostic.getLocation(), sources), diagnostic.str()});
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      diags.add({idOf(note), Severity::Note, spanOf(note.getLocation(), sources), note.str()});
    return success();
  });
}

Compilation::~Compilation() = default;

bool Compilation::fail(llvm::Error error, Stage stage) {
  if (error.isA<codegen::InvalidIr>())
    return internalError(stage, llvm::toString(std::move(error)), UnknownLoc::get(&state->context));
  return fail(std::move(error));
}

bool Compilation::fail(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  return fail(DiagId::CodeGenerator, llvm::StringRef(text).rtrim());
}

template <typename... Args> bool Compilation::fail(DiagId id, Args &&...args) {
  diags.report(id, Span(), std::forward<Args>(args)...);
  return false;
}

/// The fault is tilec's own: what the script can show of it is said, and what its author can do.
bool Compilation::internalError(Stage stage, llvm::StringRef text, Location place) {
  Span span = spanOf(place, sources);
  // An op that is nowhere in the script is somewhere in its kernel.
  if (!span.isValid())
    state->module->walk([&](Operation *op) {
      span = spanOf(op->getLoc(), sources);
      return span.isValid() ? WalkResult::interrupt() : WalkResult::advance();
    });
  std::string number = faultNumber(nameOf(stage), text);
  diags.report(DiagId::InternalError, span, number, nameOf(stage));
  if (!isTileIr && !recording)
    diags.report(DiagId::MakeScriptSmall, span,
                 reduceLine(sources.file(file).name(), opts, number));
  diags.add({DiagId::IrRemark, Severity::Remark, span,
             "internal error " + number + ", for who mends it: " + text.trim().str()});
  return false;
}

/// Reports what `verify` says of the module; true when it says nothing.
bool Compilation::verifies(Stage stage, llvm::function_ref<LogicalResult()> verify) {
  std::optional<VerifierFinding> finding = findingOf(state->context, verify);
  return !finding || internalError(stage, finding->text, finding->place);
}

/// A pass has failed. It has said why, or has made IR that does not verify: then the verifier's
/// errors are no messages to the user.
bool Compilation::explainFailure(Stage stage, size_t messagesBefore) {
  std::optional<VerifierFinding> finding =
      findingOf(state->context, [&] { return verify(*state->module); });
  auto first = std::find_if(diags.all().begin() + messagesBefore, diags.all().end(),
                            [](const Diagnostic &d) { return d.severity == Severity::Error; });
  bool isSaid = first != diags.all().end();
  if (isSaid && (!finding || first->message != finding->text))
    return false;
  std::vector<Diagnostic> kept(diags.all().begin(), first);
  diags.replace(std::move(kept));
  return finding ? internalError(stage, finding->text, finding->place)
                 : internalError(stage, "a pass fails and says nothing",
                                 UnknownLoc::get(&state->context));
}

bool Compilation::open(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return fail(DiagId::CannotRead, path, buffer.getError().message());
  bool isInput = path == "-"; // no folder to read modules from
  return openText(path, (*buffer)->getBuffer(),
                  isInput ? script::ModuleReader()
                          : script::readModulesBelow(llvm::sys::path::parent_path(path)));
}

bool Compilation::openRecording(std::shared_ptr<const build::Recording> recorded) {
  recording = std::move(recorded);
  // Places of the recording are by the number of the file.
  for (uint32_t f = 0; f < recording->sources.fileCount(); ++f)
    sources.add(recording->sources.file(f).name().str(), recording->sources.file(f).text().str());
  for (const Diagnostic &mistake : recording->mistakes)
    diags.add(mistake);
  return !diags.hasErrors();
}

bool Compilation::openText(llvm::StringRef name, llvm::StringRef text, script::ModuleReader reader,
                           std::shared_ptr<script::Host> names) {
  readModule = std::move(reader);
  host = std::move(names);
  file = sources.add(name.str(), text.str());
  isTileIr = name.ends_with(".mlir");
  return true;
}

tile::ProgramOp Compilation::program() {
  for (tile::ProgramOp op : state->module->getOps<tile::ProgramOp>())
    return op;
  return {};
}

tile::ProgramOp Compilation::sourceProgram() {
  if (!state->source)
    readSource(); // of a program that compiled before: what it had to say has been restored
  for (tile::ProgramOp op : state->source->getOps<tile::ProgramOp>())
    return op;
  return {};
}

double Compilation::totalMs() const {
  double sum = 0;
  for (const codegen::StageTime &time : stageTimes)
    sum += time.ms;
  return sum;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

bool Compilation::runTo(Stage stage) {
  if (std::string problem = scheduleProblem(opts.schedule, opts.arch); !problem.empty())
    return fail(DiagId::UnknownSchedule, problem);
  bool usesCache = opts.cache && opts.cachePrograms && !recording && stage == Stage::Binary &&
                   !reached && !opts.verifyStages && !opts.afterStage &&
                   opts.saveTempsPrefix.empty();
  std::optional<CacheKey> key;
  if (usesCache) {
    if (host && !runStages(Stage::Tile)) // which names are asked for, and what they are
      return false;
    key = cacheKey();
    if (findCompiled(*key))
      return true;
  }
  if (!runStages(stage))
    return false;
  if (key)
    keepCompiled(*key);
  return true;
}

bool Compilation::runStages(Stage stage) {
  for (const StageRow &row : stageRows) {
    if (row.stage > stage)
      break;
    // An object is no step on the way to a binary: the code generator makes both from LLVM IR.
    bool isSideExit = row.stage != stage && (row.stage == Stage::Asm || row.stage == Stage::Object);
    if ((reached && row.stage <= *reached) || isSideExit)
      continue;
    double start = nowMs();
    StageWatch::enter(row.name);
    if (!runStage(row.stage) || diags.hasErrors())
      return false;
    if (row.stage != Stage::Binary) {
      stageTimes.push_back({row.name.str(), nowMs() - start - state->trialMs});
      state->trialMs = 0;
    }
    reached = row.stage;
    if (opts.afterStage)
      opts.afterStage(row.stage, *state->module, state->llvmModule.get());
    saveTemp(row.stage);
  }
  return true;
}

/// What the program is made from: the script, and the modules that it may read.
CacheKey Compilation::cacheKey() {
  const SourceFile &source = sources.file(file);
  CacheKey key = programKey(opts, source.name(), source.text());
  if (host) { // what its names came to
    std::string ir;
    llvm::raw_string_ostream os(ir);
    state->module->print(os, OpPrintingFlags().enableDebugInfo());
    key.add(ir);
  }
  if (!isTileIr)
    for (const script::ImportedModule &module : script::importedModules(source.text(), readModule))
      key.add(module.path).add(module.file.text);
  return key;
}

bool Compilation::findCompiled(const CacheKey &key) {
  double start = nowMs();
  std::optional<std::string> entry = opts.cache->find(key);
  std::optional<CompiledProgram> program;
  if (entry)
    program = unpackProgram(*entry);
  if (!program)
    return false;
  launchManifest = std::move(program->manifest);
  binary = std::move(program->image);
  addLaunchFacts();
  diags.replace(std::move(program->diagnostics));
  reached = Stage::Binary;
  stageTimes.push_back({"cached", nowMs() - start});
  return true;
}

/// What the image of NVIDIA's kernels does not tell: its shared memory is the launch's.
void Compilation::addLaunchFacts() {
  for (codegen::KernelFacts &facts : binary.kernels)
    for (const rt::Launch &launch : launchManifest.launches)
      if (launch.symbol == facts.name)
        facts.launchSharedBytes = static_cast<unsigned>(launch.sharedBytes);
}

void Compilation::keepCompiled(const CacheKey &key) {
  // Only the script is read for a program from the cache: not its entry, nor its modules.
  bool pointsElsewhere = llvm::any_of(
      diags.all(), [&](const Diagnostic &d) { return d.span.isValid() && d.span.file != file; });
  if (pointsElsewhere)
    return;
  CompiledProgram program{launchManifest, binary, diags.all()};
  if (!opts.cache->store(key, packProgram(program)))
    diags.add({DiagId::IrRemark, Severity::Remark, Span(),
               "the cache `" + opts.cache->folder() + "` cannot be written"});
}

/// Stage::Tile after everything: for the cpu device's copy of a program from the cache.
bool Compilation::readSource() {
  std::vector<Diagnostic> before = diags.all();
  bool ok = isTileIr ? parseTileIr() : importScript();
  if (ok)
    state->source = std::move(state->module);
  if (!diags.hasErrors())
    diags.replace(std::move(before));
  return ok;
}

codegen::CodeGenOptions codeGenOptions(const CompileOptions &opts, ModuleOp module) {
  codegen::CodeGenOptions options;
  options.arch = opts.arch;
  options.ptxAssembler = opts.ptxAssembler;
  options.strict = opts.strict;
  options.lineTables = opts.cubinLines;
  options.cache = opts.cache.get();
  module.walk([&](wave::KernelOp kernel) { options.keepOrder |= kernel.getKeepOrder(); });
  return options;
}

bool Compilation::runStage(Stage stage) {
  switch (stage) {
  case Stage::Tile:
    if (!(isTileIr ? parseTileIr() : importScript()) || failed(checkLaunchArithmetic(program())))
      return false;
    state->source = OwningOpRef<ModuleOp>(state->module->clone());
    if (opts.math == MathMode::Fast) // not of the source: the reference knows no approximation
      program().setFastMath(true);
    if (opts.math == MathMode::Libs)
      program().setLibraryMath(true);
    if (!opts.planText.empty() && !readPlanFile())
      return false;
    if (PlanSettler::isWanted(opts)) {
      state->tile = OwningOpRef<ModuleOp>(state->module->clone());
      state->tileMessages = diags.all();
    }
    break;
  case Stage::Llvm:
    return state->trial || lower();
  case Stage::Asm:
  case Stage::Object:
  case Stage::Binary: {
    codegen::CodeGenOptions options = codeGenOptions(opts, *state->module);
    if (stage == Stage::Asm) {
      auto text = codegen::emitAssembly(*state->llvmModule, options);
      return text ? (state->assembly = *text, true) : fail(text.takeError(), stage);
    }
    if (stage == Stage::Object) {
      auto bytes = codegen::emitObject(*state->llvmModule, options);
      return bytes ? (state->object = *bytes, true) : fail(bytes.takeError(), stage);
    }
    if (state->trial && !opts.strict) {
      binary = std::move(*state->trial);
    } else {
      auto image = codegen::compileModule(*state->llvmModule, options);
      if (!image)
        return fail(image.takeError(), stage);
      binary = std::move(*image);
    }
    addLaunchFacts();
    for (const codegen::StageTime &time : binary.times)
      stageTimes.push_back(time);
    for (const codegen::Note &note : binary.notes) {
      DiagId id = note.kind == codegen::Note::Warning   ? DiagId::IrWarning
                  : note.kind == codegen::Note::Finding ? DiagId::IrMachineCode
                                                        : DiagId::IrRemark;
      diags.add({id, severityOf(id), Span(), note.text});
    }
    return checkSchedules();
  }
  case Stage::WaveScheduled:
    if (state->plans &&
        !givePlans(*state->module, opts.arch, *state->plans, state->plansFile, diags))
      return false;
    if (state->tile)
      return PlanSettler(*this).run();
    return runPasses(stage, pipelineOf(stage, opts.arch, opts.schedule, opts.checkBounds));
  default:
    if (!runPasses(stage, pipelineOf(stage, opts.arch, opts.schedule, opts.checkBounds, layouts())))
      return false;
    if (stage == Stage::TilePipelined)
      state->pipes = pipePlansOf(program());
    if (stage == Stage::Wave)
      launchManifest = buildManifest(sourceProgram(), program(), *state->module, opts.arch);
    break;
  }
  return true;
}

std::unique_ptr<script::Program> Compilation::trace(std::unique_ptr<script::Program> &rest) {
#ifdef TILEC_HAS_IMPORT
  if (recording)
    return script::traceModule(sources, recording->module, recording->entry, opts.arch, diags);
  script::ScriptOptions outside;
  outside.defines = opts.defines;
  outside.host = host.get();
  modulesRead.clear();
  if (readModule)
    outside.readModule = [this](llvm::StringRef path) {
      std::optional<script::ModuleText> text = readModule(path);
      if (text)
        modulesRead.push_back({path.str(), *text});
      return text;
    };
  return script::traceEntry(sources, file, opts.entry, opts.arch, diags, outside, &rest);
#else
  return nullptr;
#endif
}

bool Compilation::importScript() {
#ifdef TILEC_HAS_IMPORT
  std::unique_ptr<script::Program> rest, traced = trace(rest);
  if (rest) // for its errors only
    importProgram(state->context, *rest, sources, diags);
  if (!traced || diags.hasErrors())
    return false;
  state->module = importProgram(state->context, *traced, sources, diags);
  if (!state->module || diags.hasErrors())
    return false;
  tile::numberLoops(program());
  return verifies(Stage::Tile, [&] { return verify(*state->module); });
#else
  return false;
#endif
}

bool Compilation::parseTileIr() {
  const SourceFile &source = sources.file(file);
  state->module =
      parseSourceString<ModuleOp>(source.text(), ParserConfig(&state->context), source.name());
  if (!state->module)
    return false;
  if (!program())
    return fail(DiagId::NoTileProgram, source.name());
  tile::numberLoops(program());
  return true;
}

template <class... Ops> static bool holds(Operation *parent) {
  return parent
      ->walk([](Operation *op) {
        return isa<Ops...>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the passes of stage wave-scheduled find a loop: an order to plan, reads to carry, or
/// reads and atomics that wait for copies. Else they would walk through the module to clean up what
/// nobody has changed.
static bool hasLoopsToSchedule(ModuleOp module) {
  return holds<wave::PipelineOp, wave::CpAsyncWaitOp>(module) ||
         (holds<wave::LoadToSharedOp>(module) &&
          holds<wave::GlobalAtomicOp, wave::GlobalReadOp>(module));
}

bool Compilation::runPasses(Stage stage, llvm::StringRef pipeline) {
  if (pipeline.empty() || (stage == Stage::WaveScheduled && !hasLoopsToSchedule(*state->module)))
    return true;
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline);
  if (failed(parsed))
    return fail(
        llvm::createStringError("stage %s has no such pipeline", nameOf(stage).str().c_str()));
  PassManager manager(&state->context);
  static_cast<OpPassManager &>(manager) = std::move(*parsed);
  manager.enableVerifier(opts.verifyStages);
  size_t messagesBefore = diags.all().size();
  bool isDone = succeeded(manager.run(*state->module)) && succeeded(verify(*state->module));
  if (!isDone) // a pass that fails gives nothing, and has said why
    return explainFailure(stage, messagesBefore);
  const std::optional<Breach> &breach = state->contracts.breach();
  return !breach || internalError(stage, breach->text, breach->place);
}

/// What the plans of a file were found with.
PlanLayouts Compilation::layouts() const {
  return state->plans && arePlansFor(*state->plans, opts.arch) ? state->plans->layouts
                                                               : PlanLayouts();
}

/// Loops will get the plans that the file has for them, and the layouts that these are for.
bool Compilation::readPlanFile() {
  state->plansFile = sources.add(opts.planFile, opts.planText);
  state->plans = PlanFile::parse(sources, state->plansFile, diags);
  return state->plans.has_value();
}

/// Machine code that does not keep a planned order is no silent matter.
bool Compilation::checkSchedules() {
  bool isNamed = !opts.schedule.empty() && opts.schedule != "auto";
  bool isPlanned = false;
  state->module->walk([&](wave::KernelOp kernel) {
    isPlanned |= kernel.getSchedules().has_value();
    isNamed |= kernel.getNamedSchedule();
  });
  if (binary.kind != codegen::ImageKind::Hsaco)
    return true;
  if (!isPlanned && !opts.schedule.empty() && opts.schedule != "auto")
    diags.report(DiagId::ScheduleNowhere, Span(), opts.schedule, "--remarks says why");
  if (!isPlanned && opts.planText.empty())
    return true;
  llvm::Expected<std::string> differences = isPlanned ? differencesFromPlan(*state->module, binary)
                                                      : lostOrderOf(binary, LoopMatch::ById);
  if (!differences)
    return fail(differences.takeError());
  if (differences->empty())
    return true;
  bool isError = opts.strictSchedule.value_or(isNamed);
  diags.report(isError ? DiagId::PlanNotKept : DiagId::OrderNotKept, Span(), *differences);
  return !isError;
}

bool Compilation::lower() {
  // What ptxas makes of lines is in a cubin when it is asked for; PTX that nobody assembles has
  // them.
  bool withLines = opts.lineTables && (vendorOf(opts.arch) == Vendor::Amd || opts.cubinLines ||
                                       opts.ptxAssembler == codegen::PtxAssembler::None);
  auto lowered = lowerToLlvm(*state->module, opts.arch, *state->llvmContext, withLines);
  if (!lowered && diags.hasErrors()) { // the op has said it
    llvm::consumeError(lowered.takeError());
    return false;
  }
  if (!lowered)
    return fail(lowered.takeError(), Stage::Llvm);
  state->llvmModule = std::move(*lowered);
  return true;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

std::string Compilation::schedulePicture() {
  std::vector<SchedulePicture> pictures;
  for (const PipePlan &pipe : state->pipes)
    pictures.push_back(drawPipe(pipe));
  for (wave::KernelOp kernel : state->module->getOps<wave::KernelOp>()) {
    ArrayAttr plans = kernel.getSchedulesAttr();
    for (size_t i = 0; plans && i < plans.size(); ++i) {
      auto plan = SchedulePlan::parse(cast<StringAttr>(plans[i]).getValue());
      if (!plan)
        return fail(plan.takeError()), "";
      std::string title = kernel.getSymName().str();
      if (plans.size() > 1)
        title += ", loop " + std::to_string(i + 1);
      pictures.push_back(drawSchedule(*plan, title));
    }
  }
  return pictures.empty() ? "" : svgOf(pictures);
}

std::string Compilation::textOf(Stage stage) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (stage) {
  case Stage::Llvm:
    state->llvmModule->print(os, nullptr);
    break;
  case Stage::Asm:
    os << state->assembly;
    break;
  case Stage::Object:
    os.write(reinterpret_cast<const char *>(state->object.data()), state->object.size());
    break;
  case Stage::Binary:
    os.write(reinterpret_cast<const char *>(binary.bytes.data()), binary.bytes.size());
    break;
  case Stage::Wave:
  case Stage::WaveScheduled:
    for (Operation &op : *state->module->getBody())
      if (isa<wave::KernelOp>(op)) {
        op.print(os);
        os << '\n';
      }
    break;
  default:
    for (Operation &op : *state->module->getBody()) {
      op.print(os);
      os << '\n';
    }
  }
  return text;
}

void Compilation::saveTemp(Stage stage) {
  if (opts.saveTempsPrefix.empty())
    return;
  const StageRow &row = stageRows[static_cast<int>(stage)];
  std::string path = llvm::formatv("{0}.{1,0+2}-{2}.{3}", opts.saveTempsPrefix,
                                   static_cast<int>(stage) + 1, row.name, row.extension);
  saveText(path, textOf(stage));
  if (stage != Stage::Tile)
    return;
  for (const script::ImportedModule &module : modulesRead) {
    std::string name = module.path;
    llvm::replace(name, '/', '.');
    saveText(opts.saveTempsPrefix + ".00-" + name, module.file.text);
  }
}

void Compilation::saveText(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    fail(DiagId::CannotWrite, "cannot write " + path + ": " + error.message());
  else
    os << text;
}

} // namespace tilec

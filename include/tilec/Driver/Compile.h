//===- Compile.h - from a script to an image, stage by stage --------------===//
//
// The library entry point: what `tilec`, `tilec-run` and embedders call. One
// Compilation compiles one entry of one file for one target; any number of them may
// run at once in different threads.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/CodeGen/CodeGen.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/Runtime/Manifest.h"
#include "tilec/Script/Host.h"
#include "tilec/Script/ModuleFiles.h"
#include "tilec/Support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace tilec {

class CacheKey;
class DiskCache;
class PlanSettler;
struct PlanLayouts;
namespace build {
struct Recording;
}
namespace script {
struct Program;
}

/// The named stages, in order. The words of `--emit=`, `--stop-after=` and `--save-temps`.
enum class Stage {
  Tile,
  TileLaidOut,
  TilePipelined,
  Wave,
  WaveScheduled,
  Llvm,
  Asm,
  Object,
  Binary,
};
llvm::StringRef nameOf(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
llvm::ArrayRef<Stage> allStages();

/// How functions and quotients of f32 are computed (docs/machine-code/lowering.md).
enum class MathMode {
  Default, ///< to their bounds, but for what the agreement rule cannot see
  Fast,    ///< with the hardware's approximations everywhere
  Libs,    ///< by ROCm's device libraries and CUDA's libdevice
};

/// The words of `--math=`.
std::optional<MathMode> parseMathMode(llvm::StringRef name);
std::string listOfMathModes(); ///< `default, fast, libs`

struct CompileOptions {
  Arch arch = Arch::Gfx950;
  std::string entry; ///< a call in the script's language; may be empty with one candidate
  std::vector<std::string> defines; ///< NAME=VALUE: values of the script from outside
  codegen::PtxAssembler ptxAssembler = codegen::PtxAssembler::Auto;
  bool strict = false;       ///< spills are errors
  bool verifyStages = false; ///< check each stage's contract
  bool checkBounds = false;  ///< the kernel stops where an index leaves an on-chip buffer
  /// Line tables in code objects (AMD), and in the LLVM IR and assembly on the way.
  bool lineTables = true;
  bool cubinLines = false; ///< the same in cubins, where ptxas makes them
  MathMode math = MathMode::Default;
  std::string schedule; ///< a strategy for every matrix loop instead of its own
  /// Plans for loops instead of strategies' (tilec/Driver/PlanFile.h): the text, and the file's
  /// name for messages. Empty: none.
  std::string planText, planFile;
  /// A planned order that machine code does not keep is an error, not a warning. Not given: for
  /// schedules that were asked for by name.
  std::optional<bool> strictSchedule;
  /// Null: nothing is kept. Else cubins are, by their PTX; and with `cachePrograms` whole programs,
  /// by their text: then runTo(Stage::Binary) may find everything made, and only image(),
  /// manifest(), diagnostics() and sourceProgram() are valid after it, and image().order is empty.
  std::shared_ptr<DiskCache> cache;
  bool cachePrograms = false;
  std::string saveTempsPrefix; ///< not empty: write every stage to PREFIX.NN-stage.ext
  /// Called with what a stage has left, before the next one runs; `llvm` is null before
  /// Stage::Llvm. It may rewrite both: tests plant faults here. The cpu device does not see it.
  std::function<void(Stage, mlir::ModuleOp, llvm::Module *llvm)> afterStage;
};

class Compilation {
public:
  explicit Compilation(CompileOptions options);
  ~Compilation();
  Compilation(const Compilation &) = delete;

  /// Reads `path`: a script, or Tile IR text when it ends in `.mlir`. False after an error. A
  /// script may read modules beside it, below its folder.
  bool open(llvm::StringRef path);
  /// The same for text that is in memory; it has the modules that `readModule` gives.
  /// `host` is asked for names that the script does not bind.
  bool openText(llvm::StringRef name, llvm::StringRef text, script::ModuleReader readModule = {},
                std::shared_ptr<script::Host> host = nullptr);

  /// A kernel that a host language has recorded. Its mistakes are messages of this compilation.
  bool openRecording(std::shared_ptr<const build::Recording> recording);

  /// Compiles up to and including `stage`. False after an error, which is in diagnostics(). Stages
  /// that have run are not run again.
  bool runTo(Stage stage);

  /// What `--emit=` prints for a stage that has run; bytes for Object and Binary.
  std::string textOf(Stage stage);

  /// A picture of every planned loop; empty without one. Valid from Stage::WaveScheduled on.
  std::string schedulePicture();

  /// Valid from Stage::Tile on: as the stages so far have left it.
  tile::ProgramOp program();
  /// Valid from Stage::Tile on: as it came in, which is what the cpu device executes. Of a program
  /// that was taken from the cache it is made by the first call.
  tile::ProgramOp sourceProgram();
  /// Valid from Stage::Wave on.
  const rt::Manifest &manifest() const { return launchManifest; }
  /// Valid at Stage::Binary.
  const codegen::Image &image() const { return binary; }

  DiagnosticEngine &diagnostics() { return diags; }
  const std::vector<codegen::StageTime> &times() const { return stageTimes; }
  double totalMs() const;
  const CompileOptions &options() const { return opts; }

private:
  bool runStage(Stage stage);
  bool runStages(Stage stage);
  bool findCompiled(const CacheKey &key);
  void keepCompiled(const CacheKey &key);
  void addLaunchFacts();
  bool readSource();
  bool importScript();
  std::unique_ptr<script::Program> trace(std::unique_ptr<script::Program> &rest);
  bool parseTileIr();
  bool runPasses(Stage stage, llvm::StringRef pipeline);
  bool explainFailure(Stage stage, size_t messagesBefore);
  bool verifies(Stage stage, llvm::function_ref<mlir::LogicalResult()> verify);
  bool internalError(Stage stage, llvm::StringRef text, mlir::Location place);
  bool lower();
  bool readPlanFile();
  PlanLayouts layouts() const;
  bool emitImage();
  bool checkSchedules();
  bool fail(llvm::Error error);
  /// The same; IR that does not verify is a fault of tilec.
  bool fail(llvm::Error error, Stage stage);
  template <typename... Args> bool fail(DiagId id, Args &&...args);
  void saveTemp(Stage stage);
  void saveText(const std::string &path, llvm::StringRef text);
  CacheKey cacheKey();

  struct State;
  friend class PlanSettler;
  CompileOptions opts;
  SourceManager sources;
  DiagnosticEngine diags;
  std::unique_ptr<State> state;
  rt::Manifest launchManifest;
  codegen::Image binary;
  std::vector<codegen::StageTime> stageTimes;
  std::optional<Stage> reached;
  std::shared_ptr<const build::Recording> recording;
  uint32_t file = 0;
  bool isTileIr = false;
  script::ModuleReader readModule;
  std::shared_ptr<script::Host> host;
  std::vector<script::ImportedModule> modulesRead; ///< by the script, in order
};

/// Reports a size of a tensor, a workspace or a grid that no expression of a manifest says
/// (tilec/Runtime/DimExpr.h).
llvm::LogicalResult checkLaunchArithmetic(tile::ProgramOp program);

/// The launch manifest of a program whose kernels have become wave kernels; `source` is the program
/// as the script said it.
rt::Manifest buildManifest(tile::ProgramOp source, tile::ProgramOp program, mlir::ModuleOp module,
                           Arch arch);

} // namespace tilec

//===- CompileState.h - what a compilation holds between its stages -------===//
//
// The IR of a Compilation with all that belongs to it: for the files that make its stages.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"
#include "tilec/Driver/PlanFile.h"
#include "tilec/Transforms/Contracts.h"
#include "tilec/Transforms/SchedulePicture.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace tilec {

struct Compilation::State {
  explicit State(const TargetInfo &target) : contracts(target) {}

  ContractChecker contracts;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module, source;
  std::unique_ptr<llvm::LLVMContext> llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule;
  std::string assembly;
  std::vector<uint8_t> object;
  /// Of stage tile, with the messages so far: where the program is made once more, if its machine
  /// code has faults. Null where it will not be.
  mlir::OwningOpRef<mlir::ModuleOp> tile;
  std::vector<Diagnostic> tileMessages;
  std::optional<codegen::Image> trial; ///< of what was settled (SettlePlans.cpp)
  double trialMs = 0;
  std::vector<PipePlan> pipes;   ///< of stage tile-pipelined
  std::optional<PlanFile> plans; ///< those of CompileOptions::planText, and where their text is
  uint32_t plansFile = 0;
};

/// Milliseconds of a clock that only goes on.
double nowMs();
/// What the code generator shall do for a program whose kernels are wave kernels.
codegen::CodeGenOptions codeGenOptions(const CompileOptions &options, mlir::ModuleOp module);

/// Finds plans whose machine code is what was planned, from Wave IR without plans on.
class PlanSettler {
public:
  /// Whether the compiler chooses plans, whose machine code is to be seen.
  static bool isWanted(const CompileOptions &options);

  explicit PlanSettler(Compilation &compilation);
  ~PlanSettler();

  /// Makes stage wave-scheduled, and the image of it where a plan was chosen or a product may
  /// spill. False after an error.
  bool run();

private:
  struct Way;
  struct Outcome;

  bool hasProducts();
  bool plan(llvm::ArrayRef<std::string> rejected);
  bool tryStrategies(const Way &way);
  bool makeStages(const Way &way, bool keepTemps);
  Outcome &best();
  void take(Outcome &outcome);

  Compilation &c;
  Compilation::State &state;
  std::vector<Outcome> outcomes;
  std::vector<int64_t> threadsOfFirst; ///< of the kernels, in the first outcome
  std::vector<Diagnostic> left;        ///< why plans were left
};

} // namespace tilec

//===- tilec-opt.cpp - runs passes of tilec on textual IR -----------------===//
//
// `tilec-opt FILE --tile-infer-layouts ...`: parses Tile or Wave IR, runs the passes
// named on the command line and prints the result. For lit tests and for people who
// look at one stage. With `--verify-contracts=TARGET`, each pass has to find what it needs and to
// give what it promises (tilec/Transforms/Contracts.h).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Version.h"
#include "tilec/Driver/Pipelines.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Transforms/Contracts.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>

namespace {

llvm::cl::opt<std::string> verifyContracts(
    "verify-contracts", llvm::cl::value_desc("target"),
    llvm::cl::desc("check what each pass needs, gives and leaves, for this target"));

/// Ends a pipeline: a broken contract is its failure.
struct ReportBreachPass : mlir::PassWrapper<ReportBreachPass, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportBreachPass)

  explicit ReportBreachPass(std::shared_ptr<tilec::ContractChecker> checker)
      : checker(std::move(checker)) {}

  void runOnOperation() override {
    if (const std::optional<tilec::Breach> &breach = checker->breach()) {
      mlir::emitError(breach->place) << breach->text;
      signalPassFailure();
    }
  }

  std::shared_ptr<tilec::ContractChecker> checker;
};

/// The passes of the command line, watched.
mlir::LogicalResult addWatched(const mlir::MlirOptMainConfig &given, mlir::PassManager &manager) {
  if (failed(given.setupPassPipeline(manager)))
    return mlir::failure();
  if (verifyContracts.empty())
    return mlir::success();
  std::optional<tilec::Arch> arch = tilec::parseArch(verifyContracts);
  if (!arch) {
    llvm::errs() << "tilec-opt: unknown target `" << verifyContracts << "`\n";
    return mlir::failure();
  }
  auto checker = std::make_shared<tilec::ContractChecker>(tilec::targetInfo(*arch));
  checker->watch(*manager.getContext());
  manager.addPass(std::make_unique<ReportBreachPass>(checker));
  return mlir::success();
}

int run(int argc, char **argv, mlir::DialectRegistry &registry) {
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "tilec-opt: runs passes of tilec\n", registry);
  mlir::MlirOptMainConfig given = mlir::MlirOptMainConfig::createFromCLOptions();
  mlir::MlirOptMainConfig config = given;
  config.setPassPipelineSetupFn(
      [&](mlir::PassManager &manager) { return addWatched(given, manager); });
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> text = mlir::openInputFile(input, &problem);
  std::unique_ptr<llvm::ToolOutputFile> out =
      text ? mlir::openOutputFile(output, &problem) : nullptr;
  if (!out) {
    llvm::errs() << problem << '\n';
    return 1;
  }
  if (failed(mlir::MlirOptMain(out->os(), std::move(text), registry, config)))
    return 1;
  out->keep();
  return 0;
}

} // namespace

/// A full disk or a closed pipe behind standard output, which LLVM tells as its own error.
static void sayFatal(void *, const char *reason, bool) {
  std::fprintf(stderr, "tilec-opt: error: %s\n", reason);
  std::_Exit(1);
}

int main(int argc, char **argv) {
  llvm::install_fatal_error_handler(sayFatal);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << tilec::versionOf("tilec-opt", LLVM_VERSION_STRING) << '\n';
  });
  mlir::DialectRegistry registry;
  registry.insert<tilec::tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect>();
  registry.insert<tilec::wave::WaveDialect>();
  tilec::registerTilecPasses();
  tilec::registerPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return run(argc, argv, registry);
}

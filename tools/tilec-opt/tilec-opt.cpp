//===- tilec-opt.cpp - runs passes of tilec on textual IR -----------------===//
//
// `tilec-opt FILE --tile-infer-layouts ...`: parses Tile or Wave IR, runs the passes
// named on the command line and prints the result. For lit tests and for people who
// look at one stage. SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Version.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << tilec::versionOf("tilec-opt", LLVM_VERSION_STRING) << '\n';
  });
  mlir::DialectRegistry registry;
  registry.insert<tilec::tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect>();
  registry.insert<tilec::wave::WaveDialect>();
  tilec::registerTilecPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tilec-opt: runs passes of tilec\n", registry));
}

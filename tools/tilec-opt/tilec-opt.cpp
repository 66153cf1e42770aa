//===- tilec-opt.cpp - runs passes of tilec on textual IR -----------------===//
//
// `tilec-opt FILE --tile-infer-layouts ...`: parses Tile or Wave IR, runs the passes
// named on the command line and prints the result. For lit tests and for people who
// look at one stage. SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Tile/Tile.h"
#ifdef TILEC_HAS_WAVE
#include "tilec/IR/Wave/Wave.h"
#endif
#ifdef TILEC_HAS_PASSES
#include "tilec/Transforms/Passes.h"
#endif

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tilec::tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect>();
#ifdef TILEC_HAS_WAVE
  registry.insert<tilec::wave::WaveDialect>();
#endif
#ifdef TILEC_HAS_PASSES
  tilec::registerPasses();
#endif
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tilec-opt: runs passes of tilec\n", registry));
}

//===- MlirPlugin.cpp - the dialects and passes in mlir-opt ---------------===//
//
// libTilecPlugin.so, for `mlir-opt-22 --load-dialect-plugin --load-pass-plugin`: MLIR
// and LLVM are those of the program that loads it. docs/deploy/plugin.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Pipelines.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include "llvm/Support/Compiler.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tilec", "0.1", [](DialectRegistry *registry) {
            registry->insert<tilec::tile::TileDialect, tilec::wave::WaveDialect,
                             arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tilec", "0.1", [] {
            tilec::registerTilecPasses();
            tilec::registerPipelines();
          }};
}

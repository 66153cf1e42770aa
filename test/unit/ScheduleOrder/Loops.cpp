//===- Loops.cpp - matrix loops of both targets, through the compiler -----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Loops.h"

#include "tilec/Driver/Pipelines.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/Lower/Lower.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilec::test {

constexpr Case cases[] = {
    {"interleave128", Arch::Gfx950, 128, 128, 64, 256, 2, "interleave"},
    {"interleave128x64", Arch::Gfx950, 128, 64, 64, 256, 2, "interleave"},
    {"interleaveThreeStages", Arch::Gfx950, 128, 64, 64, 256, 3, "interleave"},
    {"interleaveFourSteps", Arch::Gfx950, 64, 64, 128, 256, 2, "interleave"},
    {"pingPong", Arch::Gfx950, 256, 128, 64, 512, 2, "ping_pong"},
    {"single", Arch::Gfx950, 128, 128, 64, 256, 2, "single"},
    {"interleave942", Arch::Gfx942, 128, 128, 32, 256, 2, "interleave"},
    {"interleave942x128", Arch::Gfx942, 128, 64, 32, 256, 2, "interleave"},
    {"single942", Arch::Gfx942, 128, 64, 32, 256, 2, "single"},
    {"pingPong942", Arch::Gfx942, 256, 128, 32, 512, 2, "ping_pong"},
};

llvm::ArrayRef<Case> allCases() { return cases; }

void PrintTo(const Case &c, std::ostream *os) { *os << c.name; }

static std::string tileIr(const Case &c) {
  int64_t k = 16 * c.k;
  return llvm::formatv(
             R"(tile.program @p {{
  %A = tile.tensor "A"[] : !tile.buffer<[{0}, {3}], bf16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[{1}, {3}], bf16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[{0}, {1}], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "gemm" grid(%one, %one) threads({4}) {{
  ^bb0(%bx: index, %by: index):
    %As = tile.alloc "As" : !tile.buffer<[{0}, {2}], bf16, shared>
    %Bs = tile.alloc "Bs" : !tile.buffer<[{1}, {2}], bf16, shared>
    %Cl = tile.alloc "Cl" : !tile.buffer<[{0}, {1}], f32, fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %zero, %Cl : f32, !tile.buffer<[{0}, {1}], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 16 : index
    %bk = arith.constant {2} : index
    tile.for %k = %c0 to %n step %c1 kind(pipelined) stages({5}) {{
      %ko = arith.muli %k, %bk : index
      %At = tile.subview %A[%c0, %ko] : !tile.buffer<[{0}, {3}], bf16, global> to !tile.buffer<[{0}, {2}], bf16, global>
      tile.copy %At to %As : !tile.buffer<[{0}, {2}], bf16, global>, !tile.buffer<[{0}, {2}], bf16, shared>
      %Bt = tile.subview %B[%c0, %ko] : !tile.buffer<[{1}, {3}], bf16, global> to !tile.buffer<[{1}, {2}], bf16, global>
      tile.copy %Bt to %Bs : !tile.buffer<[{1}, {2}], bf16, global>, !tile.buffer<[{1}, {2}], bf16, shared>
      tile.gemm %As, %Bs, %Cl {{transpose_b} : !tile.buffer<[{0}, {2}], bf16, shared>, !tile.buffer<[{1}, {2}], bf16, shared>, !tile.buffer<[{0}, {1}], f32, fragment>
    }
    tile.copy %Cl to %C : !tile.buffer<[{0}, {1}], f32, fragment>, !tile.buffer<[{0}, {1}], f32, global>
  }
})",
             c.m, c.n, c.k, k, c.threads, c.stages)
      .str();
}

Session::Session() {
  registerTilecPasses();
  registerPipelines();
  registerCanonicalizerPass();
  registerCSEPass();
  DialectRegistry registry;
  registry.insert<tile::TileDialect, wave::WaveDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect>();
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

bool Session::run(ModuleOp module, const std::string &pipeline) {
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline);
  if (failed(parsed))
    return false;
  PassManager manager(&context);
  static_cast<OpPassManager &>(manager) = std::move(*parsed);
  return succeeded(manager.run(module));
}

OwningOpRef<ModuleOp> Session::toWave(const Case &c) {
  std::string target = ("{target=" + llvm::StringRef(nameOf(c.arch)) + "}").str();
  auto module = parseSourceString<ModuleOp>(tileIr(c), ParserConfig(&context));
  if (!module ||
      !run(*module, "builtin.module(tile.program(tile-normalize,tile-lay-out" + target +
                        ",tile-expand-pipelines" + target + ",canonicalize,cse,tile-place-shared" +
                        target + ",tile-place-barriers),tile-to-wave" + target +
                        ",canonicalize,cse)"))
    return {};
  return module;
}

std::string Session::planTextOf(ModuleOp wave, const Case &c) {
  OwningOpRef<ModuleOp> copy = wave.clone();
  std::string text;
  (*copy).walk([&](wave::PipelineOp op) { op.setSchedule(c.strategy); });
  if (!run(*copy, ("builtin.module(wave.kernel(wave-schedule{target=" +
                   llvm::StringRef(nameOf(c.arch)) + "}))")
                      .str()))
    return "";
  (*copy).walk([&](wave::KernelOp kernel) {
    if (auto plans = kernel->getAttrOfType<ArrayAttr>("schedules"))
      text = cast<StringAttr>(plans[0]).getValue().str();
  });
  return text;
}

codegen::Image Session::compile(ModuleOp wave, const Case &c, llvm::StringRef plan) {
  wave.walk([&](wave::PipelineOp op) { op.setPlan(plan); });
  if (!run(wave, ("builtin.module(wave.kernel(wave-schedule{target=" +
                  llvm::StringRef(nameOf(c.arch)) + "}),canonicalize,cse)")
                     .str())) {
    ADD_FAILURE() << "the plan cannot be applied";
    return {};
  }
  llvm::LLVMContext llvmContext;
  auto lowered = lowerToLlvm(wave, c.arch, llvmContext);
  if (!lowered) {
    ADD_FAILURE() << llvm::toString(lowered.takeError());
    return {};
  }
  codegen::CodeGenOptions options;
  options.arch = c.arch;
  options.keepOrder = true;
  auto image = codegen::compileModule(**lowered, options);
  if (!image) {
    ADD_FAILURE() << llvm::toString(image.takeError());
    return {};
  }
  return std::move(*image);
}

} // namespace tilec::test

//===- InternalErrorsTest.cpp - what users see of IR that does not verify -===//
//
// Faults are planted behind a stage; what the user sees is InternalError, with the place in
// the script, and the line that makes the script small. The verifier's words are for
// `--remarks`.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Driver/InternalErrors.h"

#include "tilec/IR/Wave/Wave.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

constexpr const char *script = R"py(import tilelang.language as T

def scale(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(n):
                C[i] = A[i] * 2.0
    return main
)py";

using Plant = std::function<void(mlir::ModuleOp, llvm::Module *)>;

struct Outcome {
  bool ok;
  std::string shown, withRemarks;
};

Outcome compile(Stage planted, Plant plant, Stage last = Stage::Binary,
                llvm::StringRef text = script) {
  CompileOptions options;
  options.entry = "scale(n=64)";
  options.afterStage = [&](Stage stage, mlir::ModuleOp module, llvm::Module *llvm) {
    if (stage == planted)
      plant(module, llvm);
  };
  Compilation compilation(options);
  compilation.openText("dir/it's.py", text);
  Outcome outcome{compilation.runTo(last), "", ""};
  llvm::raw_string_ostream shown(outcome.shown), all(outcome.withRemarks);
  compilation.diagnostics().print(shown);
  compilation.diagnostics().print(all, /*withRemarks=*/true);
  return outcome;
}

void expectInternal(const Outcome &outcome, llvm::StringRef stage, llvm::StringRef verifierText) {
  EXPECT_FALSE(outcome.ok);
  llvm::StringRef shown = outcome.shown;
  EXPECT_TRUE(shown.starts_with("dir/it's.py:")) << outcome.shown;
  EXPECT_TRUE(shown.contains(("in stage `" + stage + "`").str())) << outcome.shown;
  EXPECT_EQ(shown.count("error: "), 1u) << outcome.shown;
  EXPECT_TRUE(shown.contains("[InternalError]")) << outcome.shown;
  size_t at = shown.find("internal error ");
  std::string number = shown.substr(at + 15, 6).str();
  EXPECT_TRUE(
      shown.contains("tilec-reduce 'dir/it'\\''s.py' -o small.py --message 'internal error " +
                     number + "' -- tilec {} --target=gfx950 --entry 'scale(n=64)' "))
      << outcome.shown;
  EXPECT_FALSE(shown.contains(verifierText)) << outcome.shown;
  EXPECT_TRUE(llvm::StringRef(outcome.withRemarks).contains(verifierText)) << outcome.withRemarks;
}

void setThreads(mlir::ModuleOp module, int64_t threads) {
  module.walk([&](tile::KernelOp kernel) { kernel.setThreads(threads); });
}

TEST(InternalErrors, TileIrThatDoesNotVerify) {
  for (Stage stage : {Stage::Tile, Stage::TileLaidOut})
    expectInternal(compile(stage, [](mlir::ModuleOp m, llvm::Module *) { setThreads(m, 4096); }),
                   stage == Stage::Tile ? "tile-laid-out" : "tile-pipelined", "4096 threads");
}

TEST(InternalErrors, LlvmIrThatDoesNotVerify) {
  expectInternal(compile(Stage::Llvm,
                         [](mlir::ModuleOp, llvm::Module *module) {
                           for (llvm::Function &function : *module)
                             if (!function.isDeclaration())
                               function.back().getTerminator()->eraseFromParent();
                         }),
                 "binary", "does not have terminator");
}

// Errors of passes are for the user, also where the IR does not verify when they are found.
TEST(InternalErrors, WhatAPassSaysIsLeftAlone) {
  std::string text = script;
  text.replace(text.find("C[i] = A[i]"), 11, "C[i] = A[i] + C[0]");
  text.replace(text.find("C[i] = "), 7, "C[0] = ");
  Outcome outcome = compile(
      Stage::Tile, [](mlir::ModuleOp m, llvm::Module *) { setThreads(m, 4096); }, Stage::Wave,
      text);
  EXPECT_FALSE(outcome.ok);
  EXPECT_NE(outcome.shown.find("depend on each other"), std::string::npos) << outcome.shown;
  EXPECT_EQ(outcome.shown.find("nternal"), std::string::npos) << outcome.shown;
}

TEST(InternalErrors, TheNumberStaysWhileAScriptShrinks) {
  std::string number = faultNumber("wave", "'tile.copy' op copies [64, 32] of `A_shared`");
  EXPECT_EQ(number.size(), 6u);
  EXPECT_EQ(number, faultNumber("wave", "'tile.copy' op copies [8, 4] of `s`"));
  EXPECT_NE(number, faultNumber("wave", "'tile.fill' op copies [8, 4] of `s`"));
  EXPECT_NE(number, faultNumber("tile", "'tile.copy' op copies [8, 4] of `s`"));
}

} // namespace

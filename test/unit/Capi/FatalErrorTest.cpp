//===- FatalErrorTest.cpp - what would end the process is a status --------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Capi/Objects.h"

#include "llvm/Support/ErrorHandling.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

tilec_program *programOf(tilec_compiler *compiler) {
  llvm::StringRef source = "import tilelang.language as T\n"
                           "@T.prim_func\n"
                           "def main(A: T.Tensor((64,), \"float32\")):\n"
                           "    with T.Kernel(1) as bx:\n"
                           "        for i in T.Parallel(64):\n"
                           "            A[i] = 1.0\n";
  tilec_program *program = nullptr;
  EXPECT_EQ(
      tilec_program_from_text(compiler, capi::toC("fill.py"), capi::toC(source), nullptr, &program),
      TILEC_OK);
  return program;
}

class FatalError : public testing::TestWithParam<Stage> {};

// Wherever the compiler dies, the next compile of the process works.
TEST_P(FatalError, IsAStatus) {
  tilec_compiler_options none{};
  none.size = sizeof none;
  none.cache_dir = "";
  tilec_compiler *compiler = nullptr;
  ASSERT_EQ(tilec_compiler_create(&none, &compiler), TILEC_OK);
  tilec_program *program = programOf(compiler);
  CompileOptions options;
  options.afterStage = [](Stage stage, mlir::ModuleOp, llvm::Module *) {
    if (stage == GetParam())
      llvm::report_fatal_error("a planted error");
  };
  auto *broken = new tilec_binary(program, options);
  EXPECT_EQ(broken->compile(Emit{Stage::Binary, Emit::Text}), TILEC_ERROR_INTERNAL);
  EXPECT_EQ(tilec_binary_image(broken).size, 0u);
  EXPECT_EQ(tilec_binary_manifest(broken).size, 0u);
  ASSERT_EQ(tilec_binary_diagnostic_count(broken), 1u);
  tilec_diagnostic d{};
  d.size = sizeof d;
  ASSERT_EQ(tilec_binary_diagnostic(broken, 0, &d), TILEC_OK);
  EXPECT_EQ(capi::fromC(d.text), "a planted error");
  EXPECT_EQ(capi::fromC(tilec_last_error()), "a planted error");
  EXPECT_EQ(capi::fromC(d.id), "CompilerStopped");
  EXPECT_EQ(capi::fromC(tilec_binary_log(broken)),
            "tilec: error: a planted error [CompilerStopped]\n");
  tilec_str text{};
  EXPECT_EQ(tilec_binary_stage(broken, "asm", &text), TILEC_ERROR_INTERNAL);
  tilec_binary_release(broken);

  tilec_compile_options good{};
  good.size = sizeof good;
  good.target = "gfx950";
  tilec_binary *binary = nullptr;
  EXPECT_EQ(tilec_compile(program, &good, &binary), TILEC_OK);
  EXPECT_NE(tilec_binary_image(binary).size, 0u);
  tilec_binary_release(binary);
  tilec_program_release(program);
  tilec_compiler_release(compiler);
}
INSTANTIATE_TEST_SUITE_P(Stages, FatalError,
                         testing::Values(Stage::Tile, Stage::WaveScheduled, Stage::Llvm));

} // namespace

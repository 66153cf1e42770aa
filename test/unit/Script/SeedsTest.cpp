// SPDX-License-Identifier: Apache-2.0
//
// The TileLang programs of the seed documents, extracted at test time, their text unmodified;
// snippets get the few lines that they lack around them.
#include "ScriptTesting.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <dirent.h>

using tilec::script::testing::trace;

namespace {

/// The ```python blocks of the seed whose file name starts with `number`.
std::vector<std::string> blocksOf(const std::string &number) {
  const char *folder = std::getenv("TILEC_SEEDS");
  std::vector<std::string> blocks;
  DIR *dir = folder ? opendir(folder) : nullptr;
  if (!dir)
    return blocks;
  std::string path;
  while (dirent *entry = readdir(dir))
    if (llvm::StringRef(entry->d_name).starts_with(number))
      path = std::string(folder) + "/" + entry->d_name;
  closedir(dir);
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return blocks;
  llvm::StringRef text = (*file)->getBuffer();
  while (true) {
    size_t begin = text.find("```python\n");
    if (begin == llvm::StringRef::npos)
      return blocks;
    text = text.drop_front(begin + 10);
    size_t end = text.find("```");
    blocks.push_back(text.take_front(end).str());
    text = text.drop_front(end);
  }
}

std::string blockWith(const std::string &number, llvm::StringRef needle) {
  for (const std::string &block : blocksOf(number))
    if (llvm::StringRef(block).contains(needle))
      return block;
  return "";
}

// The seed documents are not part of this repository: TILEC_SEEDS names their folder where one is
// at hand, and without it there is no text to compile.
#define SKIP_WITHOUT_SEEDS()                                                                       \
  if (!std::getenv("TILEC_SEEDS"))                                                                 \
  GTEST_SKIP() << "TILEC_SEEDS is not set"

void expectKernel(const std::string &text, llvm::StringRef entry, llvm::StringRef line) {
  ASSERT_FALSE(text.empty());
  std::string out = trace(text, entry);
  EXPECT_NE(out.find(line.str()), std::string::npos) << out;
}

TEST(Seeds, Gemm) {
  SKIP_WITHOUT_SEEDS();
  expectKernel(blockWith("000", "def matmul_kernel"),
               "matmul_kernel(1024, 1024, 1024, 128, 128, 32)",
               "for pipelined k in 0..32 stages=3");
  expectKernel(blockWith("002", "artifact") + blockWith("002", "def matmul("),
               "matmul(1024, 1024, 1024, 128, 128, 32)", "launch bx < 8, by < 8 threads 128");
  expectKernel(blockWith("002", "make_mma_swizzle_layout as"), "(512, 512, 512, 128, 128, 32)",
               "B_shared[ko, j] = B[((idx * 32) + ko), ((bx * 128) + j)]");
}

TEST(Seeds, FlashAttention) {
  SKIP_WITHOUT_SEEDS();
  std::string text = blockWith("000", "def flash_attention_v2");
  expectKernel(text, "func", "row_sum[] = (row_sum[] + S_local[i, j])");
  expectKernel(text, "flash_attention_v2(1, 2, 100, 64, 32, 32)", "launch bx < 4, by < 2, bz < 1");
}

TEST(Seeds, MlaDecode) {
  SKIP_WITHOUT_SEEDS();
  std::string text = blockWith("000", "def mla_decode_kernel");
  expectKernel(text, "func", "for serial l in 0..512");
  expectKernel(text, "(1, 2, 64, 64, 128, 1, 64)", "policy='FullCol'");
}

TEST(Seeds, FineGrainedMma) {
  SKIP_WITHOUT_SEEDS();
  std::string head = "import tilelang.language as T\n"
                     "from tilelang.intrinsics import make_mma_swizzle_layout as "
                     "make_swizzle_layout, TensorCoreIntrinEmitter\n"
                     "from tilelang.transform import simplify_prim_func\n";
  expectKernel(head + blockWith("002", "def tl_matmul") + "\n    return main\n",
               "tl_matmul(256, 256, 256, 'float16', 'float32', 'float32')",
               "emitter.stmatrix(emitter=tensor_core<float16, float16, float32, warps 2x2, "
               "tiles 32x32x32, bT>, C_local=C_local, C_buffer=C_shared)");
}

/// A snippet between `head` and nothing, indented by `spaces`.
std::string indented(llvm::StringRef text, unsigned spaces) {
  std::string out;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    out += std::string(spaces, ' ') + line.str() + "\n";
    text = rest;
  }
  return out;
}

TEST(Seeds, ElementWiseAndLayerNorm) {
  SKIP_WITHOUT_SEEDS();
  std::string head =
      "import tilelang.language as T\n"
      "def snippet(M, N):\n"
      "    @T.prim_func\n"
      "    def main(X: T.Tensor((M, N), 'float32'), Y: T.Tensor((M, N), 'float32')):\n"
      "        with T.Kernel(1, threads=128):\n"
      "            input = T.alloc_fragment((M, N), 'float32')\n"
      "            output = T.alloc_fragment((M, N), 'float32')\n"
      "            mean = T.alloc_fragment((M,), 'float32')\n"
      "            variance = T.alloc_fragment((M,), 'float32')\n"
      "            T.copy(X, input)\n";
  std::string tail = "            T.copy(output, Y)\n    return main\n";
  expectKernel(head + indented(blockWith("000", "# GELU approximation"), 12) + tail,
               "snippet(64, 96)", "tanh(");
  expectKernel(head + indented(blockWith("000", "# Compute variance"), 12) + tail,
               "snippet(32, 100)", "var_val[] = (var_val[] + (diff * diff))");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0
//
// One case for each message of the import: the id, and where the caret is.
#include "ImportTesting.h"

#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::test;

namespace {

constexpr const char *params =
    "A: T.Tensor((64, 32), 'float16'), B: T.Tensor((64, 32), 'float32'), "
    "I: T.Tensor((64,), 'int32'), n: T.int32";
constexpr const char *buffers = "s = T.alloc_shared((32, 16), 'float16')\n"
                                "t = T.alloc_shared((16, 8), 'float16')\n"
                                "f = T.alloc_fragment((32, 8), 'float32')\n"
                                "i = T.alloc_fragment((32, 8), 'int32')\n"
                                "v = T.alloc_fragment((32,), 'float32')\n";

/// The body's first line is line 10 of the script.
void expectError(const std::string &body, const char *place, const char *id) {
  Imported script(kernelText(params, buffers + body));
  std::string out = script.messages(), first = out.substr(0, out.find('\n'));
  EXPECT_NE(first.find(std::string("t.py:") + place + ": error: "), std::string::npos) << out;
  EXPECT_NE(first.find(std::string("[") + id + "]"), std::string::npos) << out;
  EXPECT_FALSE(script.module);
}

TEST(ImportErrors, Places) {
  expectError("x = s[32, 0]\nB[0, 0] = x", "10:15", "IndexOutOfBounds");
  expectError("T.copy(A[0:16, 0:16], s[24:40, :])", "10:31", "BoxOutOfBounds");
  expectError("T.copy(A[0:n, 0:16], s)", "10:16", "DynamicExtent");
  expectError("T.copy(A, I[0])", "10:19", "ElementRank");
  expectError("T.reduce_sum(A[0, 0], v)", "10:22", "ElementAsTile");
  expectError("w = T.view(f, (32, 16), dtype='float16')\nT.clear(w)", "10:9", "FragmentView");
}

TEST(ImportErrors, BothShapesAreTold) {
  Imported script(kernelText(params, std::string(buffers) + "T.copy(A[0:16, 0:8], s)"));
  EXPECT_EQ(script.messages(),
            "t.py:10:9: error: the source has shape [16, 8], the destination [32, 16]; they must "
            "agree up to dimensions of 1 [CopyExtents]\n"
            "        T.copy(A[0:16, 0:8], s)\n"
            "        ^~~~~~\n"
            "t.py:10:16: note: source `A` has shape [16, 8]\n"
            "        T.copy(A[0:16, 0:8], s)\n"
            "               ^~~~~~~~~~~~\n"
            "t.py:10:30: note: destination `s` has shape [32, 16]\n"
            "        T.copy(A[0:16, 0:8], s)\n"
            "                             ^\n");
}

TEST(ImportErrors, TileOperations) {
  expectError("T.transpose(s, t)", "10:9", "TransposeShape");
  expectError("T.c2d_im2col(A, s, 0, 0, 3, 1, 1, 1)", "10:9", "Im2colShape");
  expectError("T.fill(s, t)", "10:19", "FillValue");
  expectError("T.gemm(s, t, v)", "10:22", "GemmRank");
  expectError("T.gemm(s, s, f)", "10:9", "GemmK");
  expectError("T.gemm(s, t, f, transpose_B=True)", "10:9", "GemmK");
  expectError("g = T.alloc_fragment((32, 16), 'float32')\nT.gemm(s, t, g)", "11:9",
              "GemmResultShape");
  expectError("b = T.alloc_shared((16, 8), 'bfloat16')\nT.gemm(s, b, f)", "11:9", "GemmDTypes");
  expectError("b = T.alloc_shared((16, 8), 'int8')\nT.gemm(s, b, f)", "11:9", "GemmDTypes");
  expectError("T.gemm(s, t, i)", "10:22", "GemmAccumulator");
  expectError("T.reduce_sum(s, v, dim=2)", "10:32", "ReduceDim");
  expectError("T.reduce_sum(s, v, dim=0)", "10:9", "ReduceShape");
  expectError("T.reduce_bitand(s, v)", "10:25", "BitwiseFloat");
  expectError("T.reducer_init(v)", "10:24", "NoReducer");
  expectError("r = T.alloc_reducer((4,), 'float32')\nT.reducer_update(r, 1.0)", "11:26",
              "ReducerElement");
  expectError("T.atomic_add(v, 1.0)", "10:22", "AtomicScope");
  expectError("x = T.atomic_load(I)\nB[0, 0] = x", "10:27", "AtomicElement");
  expectError("T.atomic_addx2(I, I)", "10:9", "AtomicVectorOperands");
  expectError("x = T.atomic_add(B, 1.0, return_prev=True)\nB[0, 0] = x", "10:13",
              "AtomicPrevOfTile");
  expectError("T.use_swizzle(0)", "10:23", "PanelSize");
}

TEST(ImportErrors, ThreadCalls) {
  expectError("for j in T.Parallel(4):\n    x = T.shfl_xor(B[0, j], 1)\n    B[0, j] = x", "11:17",
              "ThreadCallInParallel");
  expectError("x = T.shfl_xor(B[0, 0], 1, width=24)\nB[0, 0] = x", "10:42", "WarpWidth");
  expectError("x = T.shfl_xor(B[0, 0], 1, width=128)\nB[0, 0] = x", "10:42", "WarpWidth");
  expectError("x = T.shfl_sync(B[0, 0], 1.5)\nB[0, 0] = x", "10:34", "WarpLane");
  expectError("x = T.any_sync(I[0] > 0, mask=1.5)\nB[0, 0] = T.cast(x, 'float32')", "10:39",
              "WarpMask");
  expectError("I[T.get_lane_idx(0)] = 1", "10:26", "WarpSize");
  expectError("T.dp4a(I, I, I)", "10:9", "Dp4aOperands");
  expectError("x = T.warp_reduce_bitor(B[0, 0])\nB[0, 0] = x", "10:33", "BitwiseFloat");
}

TEST(ImportErrors, Control) {
  expectError("for j in T.Parallel(4):\n    if I[j] > 0:\n        break", "12:17",
              "BreakInParallel");
  std::string many = "for j in range(4):\n";
  for (int n = 0; n < 80; ++n)
    many += "    if I[j] == " + std::to_string(n) + ":\n        B[0, 0] = 1\n        continue\n";
  expectError(many + "    B[0, 1] = 1", "203:13", "TooManyContinues");
  expectError("for j in T.thread_binding(128, thread='threadIdx.x'):\n    B[0, j] = 1", "10:18",
              "ThreadLoopExtent");
}

TEST(ImportErrors, ADimWithoutATensor) {
  Imported script("import tilelang.language as T\n"
                  "m = T.dynamic('m')\n"
                  "@T.prim_func\n"
                  "def k(A: T.Tensor((4,), 'int32')):\n"
                  "    with T.Kernel(m):\n"
                  "        A[0] = 1\n");
  EXPECT_NE(script.messages().find("[UnboundDim]"), std::string::npos) << script.messages();
}

TEST(ImportErrors, Emitters) {
  auto emit = [](const char *make, const char *body) {
    std::string text = "import tilelang.language as T\n"
                       "@T.prim_func\n"
                       "def k(A: T.Tensor((64, 32), 'float16')):\n"
                       "    with T.Kernel(1, threads=128) as bx:\n"
                       "        s = T.alloc_shared((64, 32), 'float16')\n"
                       "        c = T.alloc_shared((60, 64), 'float32')\n"
                       "        a = T.alloc_local((16,), 'float16')\n"
                       "        acc = T.alloc_local((32,), 'float32')\n"
                       "        e = T.TensorCoreIntrinEmitter(" +
                       std::string(make) + ")\n        " + body + "\n";
    Imported script(text);
    return script.messages();
  };
  const char *good = "accum_dtype='float32', b_transposed=True, warp_row_tiles=32, "
                     "warp_col_tiles=32, chunk=32";
  auto expect = [&](const char *make, const char *body, const char *id) {
    std::string out = emit(make, body);
    EXPECT_NE(out.find(std::string("[") + id + "]"), std::string::npos) << out;
  };
  expect("warp_row_tiles=8", "e.ldmatrix_a(a, s, 0)", "EmitterTiles");
  expect(good, "e.ldmatrix_a(acc, s, 0)", "EmitterLength");
  expect(good, "e.ldmatrix_a(s, s, 0)", "EmitterLocal");
  expect(good, "e.ldmatrix_a(a, c, 0)", "EmitterShared");
  expect(good, "e.stmatrix(acc, c)", "EmitterResult");
  expect(good, "e.ldmatrix_a(a, s, 0)\n        A[0, 0] = a[3]", "EmitterElement");
}

} // namespace

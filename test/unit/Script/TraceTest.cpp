// SPDX-License-Identifier: Apache-2.0
#include "ScriptTesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

using tilec::script::testing::kernel;
using tilec::script::testing::trace;
using tilec::script::testing::traceBody;

namespace {

constexpr const char *lazyGemm = R"py(
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1], pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def gemm(M, N, K, bm=128, bn=128, bk=32, dtype="float16"):
    @T.prim_func
    def main(A: T.Buffer((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=256) as (bx, by):
            A_s = T.alloc_shared((bm, bk), dtype)
            B_s = T.alloc_shared((bk, bn), dtype)
            C_l = T.alloc_fragment((bm, bn), "float")
            T.annotate_layout({A_s: T.make_swizzled_layout(A_s)})
            T.use_swizzle(panel_size=10)
            T.clear(C_l)
            for k in T.Pipelined(K // bk, num_stages=3):
                T.copy(A[by * bm, k * bk], A_s)
                T.copy(B[k * bk, bx * bn], B_s)
                T.gemm(A_s, B_s, C_l)
            T.copy(C_l, C[by * bm, bx * bn])
    return main
)py";

TEST(Trace, LazyGemm) {
  EXPECT_EQ(trace(lazyGemm, "gemm(256, 256, 96, bn=64)"),
            "program gemm(A: global[256, 96] float16, B: global[96, 256] float16, "
            "C: global[256, 256] float16)\n"
            "  output C\n"
            "  config tl.enable_fast_math = True\n"
            "launch bx < 4, by < 2 threads 256\n"
            "  alloc A_s: shared[128, 32] float16\n"
            "  alloc B_s: shared[32, 64] float16\n"
            "  alloc C_l: fragment[128, 64] float32\n"
            "  annotate_layout(layout_map={A_s: swizzled(A_s)})\n"
            "  use_swizzle(panel_size=10, order='row', enable=True)\n"
            "  clear(buffer=C_l)\n"
            "  for pipelined k in 0..3 stages=3\n"
            "    copy(src=A[(by * 128), (k * 32)], dst=A_s, disable_tma=False)\n"
            "    copy(src=B[(k * 32), (bx * 64)], dst=B_s, disable_tma=False)\n"
            "    gemm(A=A_s, B=B_s, C=C_l, transpose_A=False, transpose_B=False, policy='Square', "
            "clear_accum=False, k_pack=1, wg_wait=0)\n"
            "  copy(src=C_l, dst=C[(by * 128), (bx * 64)], disable_tma=False)\n");
}

TEST(Trace, TheEntryMayLeaveOutTheNameOrBeAModuleValue) {
  std::string full = trace(lazyGemm, "gemm(256, 256, 96)");
  EXPECT_EQ(trace(lazyGemm, "(256, 256, 96)"), full);
  EXPECT_EQ(trace(lazyGemm + std::string("func = gemm(256, 256, 96)\n"), "func"), full);
  EXPECT_EQ(trace(lazyGemm, ""),
            "t.py:6:5: error: `gemm` needs values; give them with `--entry 'gemm(M, N, K)'` "
            "[EntryNeedsArguments]\n"
            "def gemm(M, N, K, bm=128, bn=128, bk=32, dtype=\"float16\"):\n"
            "    ^~~~\n");
}

TEST(Trace, RangeIsASerialLoopAndAListUnrolls) {
  EXPECT_EQ(traceBody("for i in range(3):\n"
                      "    A[i, 0] = 1\n"
                      "for i in [2, 5]:\n"
                      "    A[i, 0] = i"),
            "  for serial i in 0..3\n"
            "    A[i, 0] = 1.0\n"
            "  A[2, 0] = 2.0\n"
            "  A[5, 0] = 5.0\n");
}

TEST(Trace, ARangeVariableIsNoConstant) {
  EXPECT_EQ(trace(kernel("for i in range(3):\n    s = T.alloc_shared((i, 4), 'float32')")),
            "t.py:7:32: error: a shape must be known at compile time, but this is a loop variable; "
            "loop over a list (`for i in [0, 1, 2]:`) to unroll [LoopVariableAsConstant]\n"
            "            s = T.alloc_shared((i, 4), 'float32')\n"
            "                               ^~~~~~\n");
}

TEST(Trace, CompileTimeIfIsResolved) {
  EXPECT_EQ(traceBody("causal = False\n"
                      "if causal:\n    ill_typed + nonsense\n"
                      "elif bx > 0 and not causal:\n    A[0, 0] = 1\n"
                      "else:\n    A[0, 0] = 2\n"
                      "x = 1 if causal and A[0, 0] > 2 else 3\n"
                      "A[0, 1] = x"),
            "  if (bx > 0)\n"
            "    A[0, 0] = 1.0\n"
            "  else\n"
            "    A[0, 0] = 2.0\n"
            "  A[0, 1] = 3.0\n");
}

TEST(Trace, ANameIsALetUntilItIsRebound) {
  EXPECT_EQ(traceBody("x = A[0, 0]\n"
                      "x = x * 2\n"
                      "A[0, 0] = x"),
            "  let x: float32 = A[0, 0]\n"
            "  let x: float32 = (x * 2.0)\n"
            "  A[0, 0] = x\n");
}

TEST(Trace, AnAccumulatorInALoopBecomesAVariable) {
  EXPECT_EQ(traceBody("for i in T.Parallel(64):\n"
                      "    s = T.float32(0.0)\n"
                      "    for j in T.Parallel(64):\n"
                      "        s += A[i, j]\n"
                      "    B[i, 0] = s"),
            "  for parallel i in 0..64\n"
            "    alloc s: var[] float32\n"
            "    s[] = 0.0\n"
            "    for parallel j in 0..64\n"
            "      s[] = (s[] + A[i, j])\n"
            "    B[i, 0] = s[]\n");
}

TEST(Trace, AVariableTakesTheWidestDTypeOfItsValues) {
  EXPECT_EQ(traceBody("n = 0\n"
                      "for i in range(4):\n"
                      "    if I[i] > 2:\n"
                      "        n = n + A[i, 0]\n"
                      "B[0, 0] = n"),
            "  alloc n: var[] float32\n"
            "  n[] = 0.0\n"
            "  for serial i in 0..4\n"
            "    if (I[i] > 2)\n"
            "      n[] = (n[] + A[i, 0])\n"
            "  B[0, 0] = n[]\n");
}

TEST(Trace, AllocVarStoresOnAssignment) {
  EXPECT_EQ(traceBody("a = T.alloc_var('int32', init=3)\n"
                      "b = T.alloc_var('int32')\n"
                      "a = b\n"
                      "a += 1\n"
                      "T.clear(b)\n"
                      "while a < 5:\n"
                      "    a = a * 2\n"
                      "    if a == 4:\n"
                      "        break"),
            "  alloc a: var[] int32\n"
            "  a[] = 3\n"
            "  alloc b: var[] int32\n"
            "  a[] = b[]\n"
            "  a[] = (a[] + 1)\n"
            "  clear(buffer=b[])\n"
            "  while (a[] < 5)\n"
            "    a[] = (a[] * 2)\n"
            "    if (a[] == 4)\n"
            "      break\n");
}

TEST(Trace, LiteralsTakeTheOtherDType) {
  EXPECT_EQ(traceBody("h = T.cast(A[0, 0], 'float16')\n"
                      "A[0, 0] = h * 2.5 + 1\n"
                      "A[0, 1] = I[0] / 2\n"
                      "A[0, 2] = I[0] // 2 + I[1] % 3\n"
                      "A[0, 3] = T.sqrt(64) * I[0]\n"
                      "A[0, 4] = T.max(h, 0)\n"
                      "A[0, 5] = I[0] * 0.5\n"
                      "A[0, 6] = I[0] ** 2"),
            "  let h: float16 = float16(A[0, 0])\n"
            "  A[0, 0] = float32(((h * 2.5:float16) + 1.0:float16))\n"
            "  A[0, 1] = (float32(I[0]) / 2.0)\n"
            "  A[0, 2] = float32(((I[0] // 2) + (I[1] % 3)))\n"
            "  A[0, 3] = (sqrt(64.0) * float32(I[0]))\n"
            "  A[0, 4] = float32(max(h, 0.0:float16))\n"
            "  A[0, 5] = (float32(I[0]) * 0.5)\n"
            "  A[0, 6] = float32((I[0] * I[0]))\n");
}

// Of indices the sum that analyses read; of numbers of the script, which have no room for it, not.
TEST(Trace, CeildivOfNumbersIsNoSum) {
  EXPECT_EQ(traceBody("I[0] = T.ceildiv(bx, 8)\n"
                      "I[1] = T.ceildiv(I[0], 8)\n"
                      "I[2] = T.ceildiv(bx, -8)\n"
                      "x = T.ceildiv(bx + 1, 2)\n"
                      "I[3] = T.ceildiv(x, 4)\n"
                      "I[4] = T.ceildiv(7, bx)\n"
                      "I[5] = T.ceildiv(T.int32(7), T.int32(-2))"),
            "  I[0] = ((bx + 7) // 8)\n"
            "  I[1] = ceildiv(I[0], 8)\n"
            "  I[2] = ceildiv(bx, -8)\n"
            "  let x: int32 = (((bx + 1) + 1) // 2)\n"
            "  I[3] = ((x + 3) // 4)\n"
            "  I[4] = ceildiv(7, bx)\n"
            "  I[5] = -3\n");
}

// A constant becomes the integer that it would become at run time.
TEST(Trace, FloatConstantsSaturateAsIntegers) {
  EXPECT_EQ(traceBody("I[0] = T.cast(-3.5, 'uint8')\n"
                      "I[1] = T.cast(3e9, 'int8')\n"
                      "I[2] = T.cast(float('nan'), 'int32')\n"
                      "I[3] = 1e30\n"
                      "I[4] = T.cast(-3e9, 'int16')"),
            "  I[0] = 0\n"
            "  I[1] = -1\n"
            "  I[2] = 0\n"
            "  I[3] = 2147483647\n"
            "  I[4] = 0\n");
}

// A number beside a narrow float has its dtype and float32's value; casts round.
TEST(Trace, NumbersBesideNarrowFloatsAreNotRounded) {
  EXPECT_EQ(traceBody("h = T.cast(A[0, 0], 'float16')\n"
                      "A[0, 0] = h + 2049\n"
                      "A[0, 1] = h + T.float16(2049)\n"
                      "A[0, 2] = T.max(h, I[0])\n"
                      "A[0, 3] = T.cast(h + 2049, 'float16')\n"
                      "A[0, 4] = T.float16(h)\n"
                      "A[0, 5] = T.cast(h, 'float8_e4m3fn') + h\n"
                      "A[0, 6] = T.float16(2049.0 if I[0] > 0 else h)\n"
                      "A[0, 7] = T.exp2(h * -2049)"),
            "  let h: float16 = float16(A[0, 0])\n"
            "  A[0, 0] = float32((h + 2049.0:float16))\n"
            "  A[0, 1] = float32((h + 2048.0:float16))\n"
            "  A[0, 2] = float32(max(h, promote<float16>(I[0])))\n"
            "  A[0, 3] = float32(float16((h + 2049.0:float16)))\n"
            "  A[0, 4] = float32(float16(h))\n"
            "  A[0, 5] = float32((promote<float16>(float8_e4m3fn(h)) + h))\n"
            "  A[0, 6] = float32(float16(if_then_else((I[0] > 0), 2049.0:float16, h)))\n"
            "  A[0, 7] = float32(exp2((h * -2049.0:float16)))\n");
}

TEST(Trace, ConditionsAndChoices) {
  EXPECT_EQ(traceBody("i = I[0]\n"
                      "A[0, 0] = A[i, 0] if 0 <= i < 64 else 0\n"
                      "A[0, 1] = T.if_then_else(i > 3 or i == 1, A[i, i], -T.infinity('float32'))\n"
                      "A[0, 2] = T.Select(not (i > 2), 1.0, 2.0)\n"
                      "if i in (1, 2):\n    A[0, 3] = 1"),
            "  let i: int32 = I[0]\n"
            "  A[0, 0] = if_then_else(((0 <= i) and (i < 64)), A[i, 0], 0.0)\n"
            "  A[0, 1] = if_then_else(((i > 3) or (i == 1)), A[i, i], -inf)\n"
            "  A[0, 2] = select(not((i > 2)), 1.0, 2.0)\n"
            "  if ((i == 1) or (i == 2))\n"
            "    A[0, 3] = 1.0\n");
}

TEST(Trace, LoopsOfEveryKind) {
  EXPECT_EQ(traceBody("for i in T.serial(1, 9, 2):\n    A[i, 0] = 0\n"
                      "for i in T.unroll(4):\n    A[i, 0] = 0\n"
                      "for i in T.vectorized(4):\n    A[0, i] = 0\n"
                      "for i, j in T.grid(2, 3):\n    A[i, j] = 0\n"
                      "for i in T.Pipelined(8, num_stages=2, order=[0, 1], stage=[0, 1], "
                      "group=[[0], [1]]):\n    A[i, 0] = 0\n"
                      "for i in range(7, -1, -2):\n    A[i, 0] = 0"),
            "  for serial i in 1..9 step 2\n"
            "    A[i, 0] = 0.0\n"
            "  for unroll i in 0..4\n"
            "    A[i, 0] = 0.0\n"
            "  for vectorized i in 0..4\n"
            "    A[0, i] = 0.0\n"
            "  for serial i in 0..2\n"
            "    for serial j in 0..3\n"
            "      A[i, j] = 0.0\n"
            "  for pipelined i in 0..8 stages=2 order=[0,1] stage=[0,1] group=[0] group=[1]\n"
            "    A[i, 0] = 0.0\n"
            "  for serial i in 7..-1 step -2\n"
            "    A[i, 0] = 0.0\n");
}

TEST(Trace, PersistentDecodesItsTiles) {
  EXPECT_EQ(traceBody("for m, n in T.Persistent([4, 6], wave_size=3, index=bx, group_size=4):\n"
                      "    A[m, n] = 1"),
            "  for serial wave in 0..11\n"
            "    let tile: int32 = ((wave * 3) + bx)\n"
            "    let n: int32 = ((((tile // 4) // 4) * 4) + (tile % 4))\n"
            "    let m: int32 = ((tile // 4) % 4)\n"
            "    if ((tile < 32) and (n < 6))\n"
            "      A[m, n] = 1.0\n");
}

TEST(Trace, MacrosAndHelpersAreInlined) {
  EXPECT_EQ(traceBody("x = T.alloc_var('float32')\n"
                      "bump(x, A[0, 0])\n"
                      "A[1, 1] = twice(A[0, 1])",
                      "@T.macro\n"
                      "def bump(v: T.Ref, by):\n"
                      "    for i in range(2):\n"
                      "        v += by\n"
                      "def twice(x):\n"
                      "    for i in range(1):\n"
                      "        x = x + x\n"
                      "    return x\n"),
            "  alloc x: var[] float32\n"
            "  for serial i in 0..2\n"
            "    x[] = (x[] + A[0, 0])\n"
            "  let x: float32 = (A[0, 1] + A[0, 1])\n"
            "  A[1, 1] = x\n");
}

TEST(Trace, RegionsSlicesAndNegativeIndices) {
  EXPECT_EQ(traceBody("s = T.alloc_shared((16, 8), 'float32')\n"
                      "T.copy(A[bx * 16:(bx + 1) * 16, 8:16], s)\n"
                      "T.copy(s[4, :], B[bx, 0:8])\n"
                      "T.copy(A[-1, bx:bx + 8], s[0, :])\n"
                      "s[2, 0:8] = A[0, 0:8]\n"
                      "s[3, :] = 0.5\n"
                      "v = T.view(s, (8, 16))\n"
                      "w = T.reshape(s, (128,))\n"
                      "A[-1, -2] = w[3] + v[0, 0]"),
            "  alloc s: shared[16, 8] float32\n"
            "  copy(src=A[(bx * 16) +: 16, 8 +: 8], dst=s, disable_tma=False)\n"
            "  copy(src=s[4, 0 +: 8], dst=B[bx, 0 +: 8], disable_tma=False)\n"
            "  copy(src=A[63, bx +: 8], dst=s[0, 0 +: 8], disable_tma=False)\n"
            "  copy(src=A[0, 0 +: 8], dst=s[2, 0 +: 8], disable_tma=False)\n"
            "  fill(buffer=s[3, 0 +: 8], value=0.5)\n"
            "  alloc v: shared[8, 16] float32 view of s\n"
            "  alloc w: shared[128] float32 view of s\n"
            "  A[63, 62] = (w[3] + v[0, 0])\n");
}

/// The extents of `A[bounds, :]` in the first copy of the listing; "?" for one of run time.
std::string extentOf(llvm::StringRef body) {
  std::string listing = traceBody(body);
  size_t at = listing.find("+: ");
  std::string text = at == std::string::npos ? listing : listing.substr(at + 3);
  return text.substr(0, text.find_first_of(",:"));
}

TEST(Trace, TheExtentOfASliceIsFoundThroughNames) {
  std::string s = "s = T.alloc_shared((16, 64), 'float32')\n";
  for (llvm::StringRef body : {
           "lo = 32 * bx\nhi = lo + 16\nT.copy(A[lo:hi, :], s)",
           "for k in T.serial(2):\n"
           "    lo = 32 * bx + k * 16\n"
           "    hi = 32 * bx + (k + 1) * 16\n"
           "    T.copy(A[lo:hi, :], s)",
           "a = bx * 2\nb = a + 1\nlo = a * 16 - 3\nend = b * 16\nhi = end - 3\nT.copy(A[lo:hi, "
           ":], s)",
           "hi = 64 - bx\nlo = hi - T.min(16, 24)\nT.copy(A[lo:hi, :], s)",
           "lo = bx * 8\nhi = T.min(lo + 16, lo + 20)\nT.copy(A[lo:hi, :], s)",
           "lo = T.max(bx, bx - 5)\nhi = bx + 16\nT.copy(A[lo:hi, :], s)",
           "x = bx // 4\nlo = x * 16\nhi = (bx // 4 + 1) * 16\nT.copy(A[lo:hi, :], s)",
           "lo = (bx * 32 + 16) // 2\nhi = bx * 16 + 24\nT.copy(A[lo:hi, :], s)",
           "lo = (bx * 32 + 5) % 16\nT.copy(A[lo:21, :], s)",
           "lo = I[bx] * 16\nhi = lo + 16\nT.copy(A[lo:hi, :], s)",
           "lo = T.cast(bx, 'int64') * 2\nhi = 2 * bx + 16\nT.copy(A[lo:hi, :], s)",
           "lo = -bx\nhi = 16 - bx\nT.copy(A[lo:hi, :], s)",
           "lo = bx << 4\nhi = bx * 16 + 16\nT.copy(A[lo:hi, :], s)",
           // A name that a loop has made a variable.
           "lo = 0\n"
           "for k in range(2):\n"
           "    lo = k * 16\n"
           "    hi = lo + 16\n"
           "    T.copy(s, A[lo:hi, :])\n"
           "    T.copy(A[lo:hi, :], s)",
           "def rows(n):\n    first = n * 16\n    return first, first + 16\n"
           "lo, hi = rows(bx)\nT.copy(A[lo:hi, :], s)",
       })
    EXPECT_EQ(extentOf(s + body.str()), "16") << body.str();
}

TEST(Trace, TheExtentOfASliceIsNotMadeUp) {
  std::string s = "s = T.alloc_shared((16, 64), 'float32')\n";
  for (llvm::StringRef body : {
           // What was read may have changed.
           "lo = I[0]\nI[0] = 3\nT.copy(A[lo:I[0] + 16, :], s)",
           "lo = I[0]\nT.clear(I)\nT.copy(A[lo:I[0] + 16, :], s)",
           "v = T.alloc_var('int32', 0)\nlo = v + 0\nv = 5\nT.copy(A[lo:v + 16, :], s)",
           "v = T.alloc_var('int32', 0)\nlo = v + 0\nT.clear(v)\nT.copy(A[lo:v + 16, :], s)",
           "v = T.alloc_var('int32', 0)\n"
           "lo = v + 0\n"
           "for k in range(2):\n"
           "    T.copy(A[lo:v + 16, :], s)\n"
           "    v = v + 1",
           "lo = I[0]\nif bx == 0:\n    I[0] = 1\nT.copy(A[lo:I[0] + 16, :], s)",
           // Unlike terms.
           "hi = T.min(bx + 16, 40)\nT.copy(A[bx:hi, :], s)",
           "lo = bx // 3\nT.copy(A[lo:bx // 4 + 16, :], s)",
           "lo = (bx + 1) // 2\nT.copy(A[lo:bx // 2 + 16, :], s)",
           "lo = T.cast(bx, 'int8')\nT.copy(A[lo:bx + 16, :], s)",
       }) {
    std::string extent = extentOf(s + body.str());
    EXPECT_FALSE(!extent.empty() && llvm::all_of(extent, llvm::isDigit)) << body.str() << extent;
  }
}

// Names that double each time are a sum of 2^60 reads of one name, and unlike terms are compared
// pair by pair: both end.
TEST(Trace, LongChainsOfNamesAreNoLongSearch) {
  std::string doubling = "a = bx + 1\n", unlike = "a = bx + 1\nb = bx + 1\n";
  for (int i = 0; i < 60; ++i) {
    doubling += "a = a + a\n";
    for (llvm::StringRef x : {"a", "b"})
      unlike += (x + " = (" + x + " // 3) * (" + x + " % 5)\n").str();
  }
  std::string s = "s = T.alloc_shared((16, 64), 'float32')\n";
  EXPECT_EQ(extentOf(s + doubling + "lo = a - a\nT.copy(A[lo:lo + 16, :], s)"), "16");
  EXPECT_NE(traceBody(s + unlike + "T.copy(A[a:b, :], s)"), "");
}

TEST(Trace, ExtentsCancel) {
  EXPECT_EQ(
      traceBody("o = I[0]\n"
                "s = T.alloc_shared((16, 8), 'float32')\n"
                "for k in range(2):\n"
                "    T.copy(A[o + k * 16 : o + (k + 1) * 16, 64 // 4 + k:k + 8 + 64 // 4], s)\n"
                "    T.copy(A[o : o + 16, (I[k] // 2) * 4 : I[k] // 2 * 4 + 8], s)\n"
                "    T.copy(A[o : k, 0:8], s)"),
      "  let o: int32 = I[0]\n"
      "  alloc s: shared[16, 8] float32\n"
      "  for serial k in 0..2\n"
      "    copy(src=A[(o + (k * 16)) +: 16, (16 + k) +: 8], dst=s, disable_tma=False)\n"
      "    copy(src=A[o +: 16, ((I[k] // 2) * 4) +: 8], dst=s, disable_tma=False)\n"
      "    copy(src=A[o +: (k - o), 0 +: 8], dst=s, disable_tma=False)\n");
}

TEST(Trace, ReductionsReducersAndAtomics) {
  EXPECT_EQ(traceBody("f = T.alloc_fragment((64,), 'float32')\n"
                      "T.reduce_max(A, f, dim=1, clear=False)\n"
                      "T.reduce(A, f, 'sum', -1)\n"
                      "r = T.alloc_reducer((1,), 'float32', op='max')\n"
                      "old = T.atomic_add(B[0, 0], 1.0, return_prev=True)\n"
                      "T.atomic_max(B[0, 1], old)\n"
                      "T.cumsum(f, reverse=True)"),
            "  alloc f: fragment[64] float32\n"
            "  reduce_max(buffer=A, out=f, dim=1, clear=False, batch=1, nan_propagate=False)\n"
            "  reduce_sum(buffer=A, out=f, dim=-1, clear=True, batch=1)\n"
            "  alloc r: fragment[1] float32 reducer max\n"
            "  let atomic_add: float32 = atomic_add(dst=B[0, 0], value=1.0, return_prev=True, "
            "use_tma=False)\n"
            "  atomic_max(dst=B[0, 1], value=atomic_add, return_prev=False)\n"
            "  cumsum(src=f, dim=0, reverse=True)\n");
}

TEST(Trace, ThreadIdentityMakesALaunchLockstep) {
  auto head = [](const char *body) {
    std::string out = trace(kernel(body));
    size_t at = out.find("launch");
    return out.substr(at, out.find('\n', at) - at);
  };
  EXPECT_EQ(head("A[0, 0] = 1"), "launch bx < 4 threads 64");
  EXPECT_EQ(head("tx = T.get_thread_binding()\nA[0, tx] = 1"), "launch bx < 4 threads 64 spmd");
  EXPECT_EQ(head("T.atomic_add(A[0, 0], 1)"), "launch bx < 4 threads 64 spmd");
  EXPECT_EQ(head("for i in T.Parallel(4):\n    T.atomic_add(A[i, 0], 1)"),
            "launch bx < 4 threads 64");
  EXPECT_EQ(head("T.atomic_add(A, 1)"), "launch bx < 4 threads 64");
  EXPECT_EQ(head("for t in T.thread_binding(64, thread='threadIdx.x'):\n    A[0, t] = 1"),
            "launch bx < 4 threads 64 spmd");
}

TEST(Trace, SchedulesOfTilec) {
  EXPECT_EQ(traceBody("for k in schedule.ping_pong(T.Pipelined(4, num_stages=2)):\n"
                      "    schedule.sched_barrier()\n"
                      "    schedule.setprio(1)",
                      "from tilec import schedule\n"),
            "  for pipelined k in 0..4 stages=2 strategy=ping_pong\n"
            "    schedule.sched_barrier(mask=0)\n"
            "    schedule.setprio(priority=1)\n");
}

TEST(Trace, LayoutsAreEvaluatedOnSymbols) {
  EXPECT_EQ(traceBody("s = T.alloc_shared((16, 8), 'float32')\n"
                      "f = T.alloc_fragment((16, 8), 'float32')\n"
                      "T.annotate_layout({s: T.Layout((16, 8), lambda i, j: i * 8 + (j ^ i % 8)),\n"
                      "                   f: T.Fragment((16, 8), lambda i, j: (i, j))})"),
            "  alloc s: shared[16, 8] float32\n"
            "  alloc f: fragment[16, 8] float32\n"
            "  annotate_layout(layout_map={s: layout(i0, i1 -> ((i0 * 8) + (i1 ^ (i0 % 8)))), "
            "f: fragment(i0, i1 -> thread i0; i1)})\n");
}

} // namespace

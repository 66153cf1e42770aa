// SPDX-License-Identifier: Apache-2.0
//
// The form of the Tile IR that scripts become.
#include "ImportTesting.h"

#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::test;

namespace {

/// The lines of the kernel's body that hold `needle`, without leading spaces.
std::string linesWith(const std::string &ir, llvm::StringRef needle) {
  std::string out;
  llvm::StringRef rest = ir;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    if (line.contains(needle))
      out += line.trim().str() + "\n";
    rest = next;
  }
  return out;
}

TEST(Import, ParametersDimsAndOutputs) {
  Imported script(R"py(
import tilelang
import tilelang.language as T
m = T.dynamic("m", "int64")
@tilelang.jit(out_idx=-1)
def f():
    @T.prim_func
    def main(A: T.Tensor((m, 8), "uint8"), s: T.float16, B: T.StridedTensor((m // 2, 8), (64, 1), "bool")):
        with T.Kernel(T.ceildiv(m, 4), 3, threads=96) as (bx, by):
            B[bx, by] = A[bx, by] > 0
    return main
)py",
                  "f()");
  EXPECT_EQ(linesWith(script.ir(), "tile.program"), "tile.program @f outputs([\"B\"]) {\n");
  EXPECT_EQ(linesWith(script.ir(), "tile.dim"), "%0 = tile.dim \"m\" wide\n");
  EXPECT_EQ(linesWith(script.ir(), "tile.scalar"),
            "%1 = tile.scalar \"s\" f16 {place = 1 : i64} : f32\n");
  EXPECT_EQ(linesWith(script.ir(), "tile.tensor"),
            "%2 = tile.tensor \"A\"[%0] {place = 0 : i64} : !tile.buffer<[?, 8], ui8, global>\n"
            "%4 = tile.tensor \"B\"[%3] strides(%c64, %c1) {place = 2 : i64} : !tile.buffer<[?, "
            "8], i1, global>\n");
  EXPECT_NE(linesWith(script.ir(), "tile.kernel").find("threads(96)"), std::string::npos);
}

TEST(Import, IndicesStayIndices) {
  Imported script(kernelText("A: T.Tensor((64,), 'float32')",
                             "for i in T.Parallel(16):\n"
                             "    if bx * 16 + i < 50:\n"
                             "        A[(bx * 16 + i) // 2 % 7] = i",
                             "T.Kernel(4) as bx"));
  std::string ir = script.ir();
  EXPECT_NE(ir.find("arith.divui"), std::string::npos);
  EXPECT_NE(ir.find("arith.remui"), std::string::npos);
  EXPECT_NE(linesWith(ir, "arith.cmpi").find(": index"), std::string::npos);
  // Only the stored value is a 32-bit integer.
  EXPECT_EQ(linesWith(ir, "index_cast").find("index_cast", 40), std::string::npos) << ir;
}

TEST(Import, StoresRoundOnceAndLoadsWiden) {
  Imported script(kernelText("A: T.Tensor((4,), 'float16'), B: T.Tensor((4,), 'float16')",
                             "B[0] = A[0] * 2 + A[1]\n"
                             "B[1] = T.cast(A[0], 'float16') + A[1]"));
  std::string ir = script.ir();
  EXPECT_EQ(linesWith(ir, "round_to"), "") << ir; // what an f16 buffer holds is rounded already
  Imported explicitCast(
      kernelText("A: T.Tensor((4,), 'float32')", "A[1] = T.cast(A[0], 'float16') + A[1]"));
  EXPECT_NE(linesWith(explicitCast.ir(), "round_to").find("to f16"), std::string::npos);
}

TEST(Import, GuardedLoadsAreNotSpeculated) {
  Imported script(kernelText("A: T.Tensor((8,), 'float32'), I: T.Tensor((8,), 'int32')",
                             "s = T.alloc_shared((8,), 'float32')\n"
                             "T.copy(A, s)\n"
                             "for i in T.Parallel(8):\n"
                             "    A[i] = s[I[i]] if I[i] < 8 else 0\n"
                             "    I[i] = T.if_then_else(i < 4, A[i + 4] > 0, False)"));
  std::string ir = script.ir();
  EXPECT_NE(ir.find("scf.if"), std::string::npos) << ir;       // shared: behind the guard
  EXPECT_NE(ir.find("arith.select"), std::string::npos) << ir; // global: outside is zero anyway
}

TEST(Import, LoopsCarryTheirHints) {
  Imported script(kernelText(
      "A: T.Tensor((64, 8), 'float32')",
      "from tilec import schedule\n"
      "for k in schedule.interleave(T.Pipelined(4, num_stages=3, order=[0], stage=[1])):\n"
      "    A[k, 0] = 1\n"
      "for i in T.unroll(2):\n"
      "    A[i, 1] = 1\n"
      "for i in T.Parallel(64, coalesced_width=4):\n"
      "    A[i, 2] = 1\n"
      "T.use_swizzle(10, order='column')"));
  std::string ir = script.ir();
  EXPECT_NE(ir.find("kind(pipelined) stages(3) attributes {strategy = \"interleave\"}"),
            std::string::npos)
      << ir;
  EXPECT_NE(ir.find("kind(unroll)"), std::string::npos);
  EXPECT_EQ(ir.find("vector_hint"), std::string::npos); // remarked as ignored
  EXPECT_NE(ir.find("raster_by_column = true, raster_panel = 10"), std::string::npos);
}

TEST(Import, LocationsAreRangesOfTheScript) {
  Imported script(kernelText("A: T.Tensor((4,), 'float32')", "T.clear(A)"));
  std::string out;
  llvm::raw_string_ostream os(out);
  script.module->walk([&](tile::FillOp op) { op->getLoc().print(os); });
  EXPECT_EQ(out, "loc(\"t.py\":5:9 to :19)");
}

} // namespace

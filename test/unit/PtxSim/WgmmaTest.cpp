//===- WgmmaTest.cpp - operands in shared memory, TMA boxes, swizzles -----===//
//
// Addresses and places by hand from PTX ISA 9.0, "Asynchronous warpgroup-level matrix
// instructions" and "Tensor swizzling".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Runner.h"

using namespace tilec::ptx;
using namespace tilec::ptx::test;

namespace {

/// Zeros 16 KiB of shared memory, writes a bf16 1.0 at smem + a and 2.0 at smem + b, and multiplies
/// m64n8k16 by descriptors that start at smem and smem + 8192. Out: 4 accumulators a thread.
PtxRun oneProduct(uint32_t a, uint32_t b, const std::string &aDescHigh, const std::string &aLeading,
                  const std::string &bDescHigh, const std::string &bLeading,
                  const char *transposes) {
  PtxRun run;
  run.threads = 128;
  run.words = 512;
  run.body =
      "mov.b32 %r1, smem;\nmad.lo.s32 %r2, %tid, 4, %r1;\nmov.b32 %r3, 0;\nmov.b32 %r4, 0;\n"
      "ZERO:\nst.shared.b32 [%r2], %r4;\nadd.s32 %r2, %r2, 512;\nadd.s32 %r3, %r3, 1;\n"
      "setp.lt.u32 %p1, %r3, 32;\n@%p1 bra ZERO;\nbar.sync 0;\n"
      "setp.ne.b32 %p1, %tid, 0;\n@%p1 bra SKIP;\nmov.b16 %h1, 0x3f80;\nmov.b16 %h2, 0x4000;\n"
      "st.shared.b16 [smem+" +
      std::to_string(a) + "], %h1;\nst.shared.b16 [smem+" + std::to_string(8192 + b) +
      "], %h2;\nSKIP:\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "shr.u32 %r5, %r1, 4;\nor.b32 %r6, %r5, " +
      aLeading +
      ";\nadd.s32 %r5, %r5, 512;\n"
      "or.b32 %r7, %r5, " +
      bLeading +
      ";\n"
      "mov.b32 %r8, " +
      aDescHigh + ";\nmov.b32 %r9, " + bDescHigh +
      ";\n"
      "mov.b64 %q1, {%r6, %r8};\nmov.b64 %q2, {%r7, %r9};\n"
      "mov.b32 %r10, 0;\nmov.b32 %r11, 0;\nmov.b32 %r12, 0;\nmov.b32 %r13, 0;\n"
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r10, %r11, %r12, %r13}, %q1, %q2, "
      "0, 1, 1, " +
      transposes +
      ";\nwgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0;\n"
      "mul.wide.u32 %q3, %tid, 16;\nadd.s64 %q3, %out, %q3;\n"
      "st.global.v4.b32 [%q3], {%r10, %r11, %r12, %r13};";
  return run;
}

/// C(row, column) of m64n8: the row in its warp's 16, the lane 4 (row % 8) + column / 2, the
/// register 2 (row / 8 % 2) + column % 2.
void expectOnlyAt(const std::vector<uint32_t> &out, unsigned row, unsigned column) {
  unsigned thread = row / 16 * 32 + row % 8 * 4 + column / 2;
  unsigned reg = row / 8 % 2 * 2 + column % 2;
  for (unsigned i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i == thread * 4 + reg ? 0x40000000u : 0u)
        << "thread " << i / 4 << " register " << i % 4;
}

// Stride 1024 (64 in units of 16) and 128-byte swizzle (1 in bits 62-63 of the descriptor).
constexpr const char *swizzle128 = "1073741888";
constexpr const char *swizzle64 = "0x80000020"; // stride 512: 32; 2 in bits 62-63
constexpr const char *swizzle32 = "0xc0000010"; // stride 256: 16; 3 in bits 62-63

} // namespace

// A(19, 9): row 19 = 3 in the group 2 of 8: byte 2048 + 3 * 128 + 18; chunk 1 XOR 3 is 2.
// B(5, 9), column 5: byte 5 * 128 + 18; chunk 1 XOR 5 is 4.
TEST(Wgmma, ReadsKMajorOperandsSwizzledOver128Bytes) {
  PtxRun run = oneProduct(2048 + 3 * 128 + 2 * 16 + 2, 5 * 128 + 4 * 16 + 2, swizzle128, "65536",
                          swizzle128, "65536", "0, 0");
  expectOnlyAt(run.results(), 19, 5);
}

// Rows of 64 bytes: address bits 7-8 change bits 4-5. A(19, 9): 2 * 512 + 3 * 64 + 18 = 1234: bits
// 7-8 are 1, chunk 5 (bits 4-6: 101) becomes 4. B(5, 9): 5 * 64 + 18 = 338: bits 7-8 are 2, chunk
// bits 4-5 01 become 11.
TEST(Wgmma, ReadsKMajorOperandsSwizzledOver64Bytes) {
  static_assert(((1234 ^ (1234 >> 7 & 3) << 4)) == 1218);
  static_assert(((338 ^ (338 >> 7 & 3) << 4)) == 370);
  PtxRun run = oneProduct(1218, 370, swizzle64, "65536", swizzle64, "65536", "0, 0");
  expectOnlyAt(run.results(), 19, 5);
}

// Rows of 32 bytes: bit 7 changes bit 4. A(19, 9): 2 * 256 + 3 * 32 + 18 = 626, bit 7 is 0. B(5,
// 9): 5 * 32 + 18 = 178, bit 7 is 1: 178 - 16 = 162.
TEST(Wgmma, ReadsKMajorOperandsSwizzledOver32Bytes) {
  PtxRun run = oneProduct(626, 162, swizzle32, "65536", swizzle32, "65536", "0, 0");
  expectOnlyAt(run.results(), 19, 5);
}

// Core matrices of 8 rows of 16 bytes, one after the other along K (leading 128: 8), row groups 256
// apart (16). A(19, 9): group 2, core 1: 512 + 128 + 3 * 16 + 2. B(5, 9): 128 + 5 * 16 + 2.
TEST(Wgmma, ReadsCoreMatricesWithoutSwizzle) {
  PtxRun run =
      oneProduct(512 + 128 + 48 + 2, 128 + 80 + 2, "16", "0x80000", "16", "0x80000", "0, 0");
  expectOnlyAt(run.results(), 19, 5);
}

// M contiguous, 64 elements to 128 bytes: A(19, 9): K 9 is row 1 of the second group of 8 (stride
// 1024): 1024 + 128 + 38; chunk 2 XOR 1 is 3.
TEST(Wgmma, ReadsAWithMContiguous) {
  PtxRun run = oneProduct(1024 + 128 + 3 * 16 + 6, 5 * 128 + 4 * 16 + 2, swizzle128, "65536",
                          swizzle128, "65536", "1, 0");
  expectOnlyAt(run.results(), 19, 5);
}

// N contiguous without swizzle: cores of 8 k by 8 n. B(5, 9): second k group (leading 128): 128 +
// row 1 * 16 + 5 * 2.
TEST(Wgmma, ReadsBWithNContiguousWithoutSwizzle) {
  PtxRun run = oneProduct(2048 + 3 * 128 + 2 * 16 + 2, 128 + 16 + 10, swizzle128, "65536", "16",
                          "0x80000", "0, 1");
  expectOnlyAt(run.results(), 19, 5);
}

/// The product of a 2:4 sparse A by this selector: thread `thread` has these places, the other
/// lanes that the selector names the first two of each four, lanes that it does not name none.
PtxRun sparseProduct(uint32_t a, uint32_t b, unsigned selector, unsigned thread,
                     const std::string &places) {
  PtxRun run = oneProduct(a, b, swizzle128, "65536", swizzle128, "65536", "0, 0");
  auto replace = [&](const std::string &what, const std::string &with) {
    size_t at = run.body.find(what);
    EXPECT_NE(at, std::string::npos);
    run.body.replace(at, what.size(), with);
  };
  replace("mma_async.sync.aligned.m64n8k16", "mma_async.sp.sync.aligned.m64n8k32");
  replace("%q1, %q2, ", "%q1, %q2, %r14, " + std::to_string(selector) + ", ");
  replace("wgmma.fence",
          "mov.b32 %r14, 0x44444444;\nand.b32 %r15, %tid, 2;\nsetp.ne.b32 %p1, %r15, " +
              std::to_string(2 * selector) +
              ";\n@%p1 mov.b32 %r14, 0;\n"
              "setp.eq.b32 %p1, %tid, " +
              std::to_string(thread) + ";\n@%p1 mov.b32 %r14, " + places + ";\nwgmma.fence");
  return run;
}

// Stored A(19, 5): the second of group 2; byte 2048 + 3 * 128 + 10, chunk 0 XOR 3 is 3. Row 19 is
// row 3 of warp 1: lanes 12 to 15, low half. Nibble 2 is 1101: k = 8 + 3. B(5, 11): 5 * 128 + 22;
// chunk 1 XOR 5 is 4.
TEST(Wgmma, ASparseAHasItsPlacesInTheLanesOfTheSelector) {
  uint32_t a = 2048 + 3 * 128 + 3 * 16 + 10, b = 5 * 128 + 4 * 16 + 6;
  expectOnlyAt(sparseProduct(a, b, 0, 32 + 12, "0x44444d44").results(), 19, 5);
  expectOnlyAt(sparseProduct(a, b, 1, 32 + 14, "0x44444d44").results(), 19, 5);
  // Row 27 = 16 + 8 + 3: the same lane's high half.
  expectOnlyAt(sparseProduct(a + 1024, b, 0, 32 + 12, "0x4d444444").results(), 27, 5);
  // Stored A(19, 13) is of group 6, whose nibble the next lane has: k = 27, byte 54, chunk 3 XOR 5.
  expectOnlyAt(
      sparseProduct(2048 + 3 * 128 + 2 * 16 + 10, 5 * 128 + 6 * 16 + 6, 0, 32 + 13, "0x44444d44")
          .results(),
      19, 5);
  expectFault(sparseProduct(a, b, 0, 32 + 12, "0x44444744"), "wgmma.mma_async.sp",
              "the places of a sparse A are 3 and 1; the second is to be behind the first");
  PtxRun early = sparseProduct(a, b, 0, 32 + 12, "0x44444d44");
  early.body.insert(early.body.find("wgmma.wait_group"), "mov.b32 %r14, 0;\n");
  expectFault(early, "mov.b32 %r14, 0",
              "writes %r14, which a wgmma reads that nothing has waited for");
}

TEST(Wgmma, AccumulatorsMayNotBeTouchedBeforeTheWait) {
  PtxRun run = oneProduct(0, 0, swizzle128, "65536", swizzle128, "65536", "0, 0");
  std::string good = run.body;
  auto planted = [&](const std::string &what, const std::string &with) {
    PtxRun bad = run;
    bad.body = good;
    size_t at = bad.body.find(what);
    EXPECT_NE(at, std::string::npos);
    bad.body.replace(at, what.size(), with);
    return bad;
  };
  run.results();
  expectFault(planted("wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;"),
              "st.global.v4", "reads %r10, an accumulator of a wgmma that nothing has waited for");
  expectFault(planted("wgmma.wait_group.sync.aligned 0;",
                      "mov.b32 %r13, 0;\nwgmma.wait_group.sync.aligned 0;"),
              "mov.b32 %r13, 0", "writes %r13, an accumulator");
  expectFault(planted("wgmma.fence.sync.aligned;", ""), "wgmma.mma_async",
              "there was no wgmma.fence before the first wgmma");
  expectFault(planted("wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned;\nmov.b32 %r13, 0;"),
              "wgmma.mma_async", "uses a register that was written since the last wgmma.fence");
  expectFault(planted("fence.proxy.async.shared::cta;", ""), "wgmma.mma_async",
              "there is no fence.proxy.async between");
  // The last barrier before the product.
  expectFault(
      planted("fence.proxy.async.shared::cta;\nbar.sync 0;", "fence.proxy.async.shared::cta;"), "",
      "nothing says that the");
  expectFault(planted("setp.lt.u32 %p1, %r3, 32;", "setp.lt.u32 %p1, %r3, 8;"), "wgmma.mma_async",
              "multiplies shared memory that nothing has written");
}

namespace {

/// A tensor of 16 x 100 bf16 whose element (row, column) is 256 row + column; boxes of 8 rows
/// of 64.
PtxRun tensorRun(unsigned swizzleBytes, unsigned columns = 64) {
  PtxRun run;
  constexpr unsigned rows = 16, pitch = 104; // a multiple of 16 bytes
  run.input.resize(rows * pitch / 2);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < pitch; ++column)
      run.input[(row * pitch + column) / 2] |= (256 * row + column) << (16 * (column % 2));
  TensorMap map;
  map.rank = 2;
  map.elementBytes = 2;
  map.swizzleBytes = uint8_t(swizzleBytes);
  map.dims[0] = 100;
  map.dims[1] = rows;
  map.strideBytes[0] = pitch * 2;
  map.box[0] = uint16_t(columns);
  map.box[1] = 8;
  run.maps.push_back(map);
  return run;
}

const std::string initBarrier = "setp.ne.b32 %p1, %tid, 0;\n@%p1 bra SKIP;\nmov.b32 %r1, 1;\n"
                                "mbarrier.init.shared.b64 [smem+32768], "
                                "%r1;\nfence.proxy.async.shared::cta;\nSKIP:\nbar.sync 0;\n";
const std::string waitForBarrier =
    "mov.b32 %r9, smem;\nadd.s32 %r9, %r9, 32768;\nmov.b32 %r8, 0;\nWAIT:\n"
    "mbarrier.try_wait.parity.shared.b64 %p2, [%r9], %r8;\nnot.pred %p2, %p2;\n@%p2 bra WAIT;\n";

std::string loadBox(int x, int y, unsigned bytes) {
  return "mov.b64 %q1, map0;\ncvta.param.u64 %q1, %q1;\nmov.b32 %r2, smem;\n@%p1 bra ISSUED;\n"
         "mov.b32 %r3, " +
         std::to_string(bytes) +
         ";\n"
         "mbarrier.arrive.expect_tx.shared.b64 %q2, [smem+32768], %r3;\n"
         "mov.b32 %r4, " +
         std::to_string(x) + ";\nmov.b32 %r5, " + std::to_string(y) +
         ";\n"
         "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r2], "
         "[%q1, {%r4, %r5}], [smem+32768];\nISSUED:\n";
}

} // namespace

// The box at column 64 and row 12: columns 100 and on, and rows 16 and on, are zeros.
TEST(Bulk, LoadsSwizzleAndFillWithZeros) {
  PtxRun run = tensorRun(128);
  run.words = 64;
  // Each thread reads the word at 128 * (tid / 4) + 16 * chunk: rows 0 to 7, column 8 * (tid % 4).
  run.body = initBarrier + loadBox(64, 12, 1024) + waitForBarrier +
             "shr.u32 %r10, %tid, 2;\nand.b32 %r11, %tid, 3;\nxor.b32 %r12, %r11, %r10;\n"
             "and.b32 %r12, %r12, 7;\nshl.b32 %r13, %r10, 7;\nshl.b32 %r12, %r12, 4;\n"
             "add.s32 %r13, %r13, %r12;\nadd.s32 %r13, %r13, %r2;\nld.shared.b32 %r14, [%r13];\n"
             "st.global.b32 [%mine], %r14;\n"
             // and the chunk of columns 96 to 103: 4, at chunk 4 XOR row
             "xor.b32 %r12, %r10, 4;\nand.b32 %r12, %r12, 7;\nshl.b32 %r12, %r12, 4;\n"
             "shl.b32 %r13, %r10, 7;\nadd.s32 %r13, %r13, %r12;\nadd.s32 %r13, %r13, %r2;\n"
             "ld.shared.b32 %r14, [%r13+8];\nst.global.b32 [%mine+128], %r14;";
  const std::vector<uint32_t> &out = run.results();
  EXPECT_EQ(out[0], (12u * 256 + 65) << 16 | (12 * 256 + 64));
  EXPECT_EQ(out[4 + 3], (13u * 256 + 89) << 16 | (13 * 256 + 88));
  EXPECT_EQ(out[16], 0u) << "row 16 is outside";
  EXPECT_EQ(out[32], 0u) << "columns 100 and 101 are outside";
}

TEST(Bulk, ANegativeCoordinateIsOutside) {
  PtxRun run = tensorRun(0);
  run.body = initBarrier + loadBox(-8, -1, 1024) + waitForBarrier +
             "shl.b32 %r13, %tid, 2;\nadd.s32 %r13, %r13, %r2;\nld.shared.b32 %r14, [%r13+128];\n"
             "st.global.b32 [%mine], %r14;";
  const std::vector<uint32_t> &out = run.results();
  EXPECT_EQ(out[3], 0u);
  EXPECT_EQ(out[4], 1u << 16); // row 0, columns 0 and 1
}

TEST(Bulk, StoresAreCutAtTheEdge) {
  PtxRun run = tensorRun(128);
  run.body =
      "mov.b32 %r2, smem;\nshl.b32 %r3, %tid, 2;\nadd.s32 %r3, %r3, %r2;\nmov.b32 %r4, 0x7070707;\n"
      "mov.b32 %r5, 0;\nFILL:\nst.shared.b32 [%r3], %r4;\nadd.s32 %r3, %r3, 128;\n"
      "add.s32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 8;\n@%p1 bra FILL;\n"
      "fence.proxy.async.shared::cta;\nbar.warp.sync -1;\nsetp.ne.b32 %p1, %tid, 0;\n@%p1 bra "
      "DONE;\n"
      "mov.b64 %q1, map0;\ncvta.param.u64 %q1, %q1;\nmov.b32 %r6, 64;\nmov.b32 %r7, 12;\n"
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%q1, {%r6, %r7}], [%r2];\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:\n"
      "st.global.b32 [%mine], %tid;";
  run.results();
  constexpr unsigned pitch = 104;
  EXPECT_EQ(run.input[(12 * pitch + 64) / 2], 0x7070707u);
  EXPECT_EQ(run.input[(15 * pitch + 98) / 2], 0x7070707u);
  EXPECT_EQ(run.input[(15 * pitch + 100) / 2], (15u * 256 + 101) << 16 | (15 * 256 + 100));
  EXPECT_EQ(run.input[(11 * pitch + 64) / 2], (11u * 256 + 65) << 16 | (11 * 256 + 64));

  std::string good = run.body;
  auto without = [&](const std::string &what) {
    PtxRun bad = tensorRun(128);
    bad.body = good;
    bad.body.erase(bad.body.find(what), what.size());
    return bad;
  };
  expectFault(without("cp.async.bulk.wait_group 0;"), "ret", "still reads shared memory");
  expectFault(without("fence.proxy.async.shared::cta;"), "cp.async.bulk.tensor.2d.global",
              "there is no fence.proxy.async between");
}

TEST(Bulk, BytesMayNotBeTouchedBeforeTheyHaveLanded) {
  PtxRun run = tensorRun(128);
  run.body = initBarrier + loadBox(0, 0, 1024) + "ld.shared.b32 %r14, [smem];\n" + waitForBarrier;
  expectFault(run, "ld.shared.b32", "to which a copy is still on its way");
  // Too few bytes are expected: the wait comes true at once, and no phase counts the rest.
  run.body = initBarrier + loadBox(0, 0, 512) + waitForBarrier;
  expectFault(run, "mbarrier.try_wait", "nothing moves any more");
}

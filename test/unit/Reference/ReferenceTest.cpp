//===- ReferenceTest.cpp - whole kernels on the cpu device ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunHelper.h"

using namespace tilec;
using namespace tilec::test;

namespace {

// A blocked GEMM: 2 x 2 blocks of 16 x 16, K in steps of 8.
const char *gemmText = R"(
tile.program @gemm {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 24], $T, global>
  %B = tile.tensor "B"[] : !tile.buffer<[24, 32], $T, global>
  %C = tile.tensor "C"[] : !tile.buffer<[32, 32], f32, global>
  %c2 = arith.constant 2 : index
  tile.kernel "gemm" grid(%c2, %c2) threads(128) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc "As" : !tile.buffer<[16, 8], $T, shared>
    %Bs = tile.alloc "Bs" : !tile.buffer<[8, 16], $T, shared>
    %Cf = tile.alloc "Cf" : !tile.buffer<[16, 16], f32, fragment>
    tile.fill %zero, %Cf : f32, !tile.buffer<[16, 16], f32, fragment>
    %row = arith.muli %by, %c16 : index
    %col = arith.muli %bx, %c16 : index
    tile.for %k = %c0 to %c3 step %c1 kind(pipelined) stages(2) {
      %k8 = arith.muli %k, %c8 : index
      %a = tile.subview %A[%row, %k8] : !tile.buffer<[32, 24], $T, global> to !tile.buffer<[16, 8], $T, global>
      %b = tile.subview %B[%k8, %col] : !tile.buffer<[24, 32], $T, global> to !tile.buffer<[8, 16], $T, global>
      tile.copy %a to %As : !tile.buffer<[16, 8], $T, global>, !tile.buffer<[16, 8], $T, shared>
      tile.copy %b to %Bs : !tile.buffer<[8, 16], $T, global>, !tile.buffer<[8, 16], $T, shared>
      tile.gemm %As, %Bs, %Cf : !tile.buffer<[16, 8], $T, shared>, !tile.buffer<[8, 16], $T, shared>, !tile.buffer<[16, 16], f32, fragment>
    }
    %c = tile.subview %C[%row, %col] : !tile.buffer<[32, 32], f32, global> to !tile.buffer<[16, 16], f32, global>
    tile.copy %Cf to %c : !tile.buffer<[16, 16], f32, fragment>, !tile.buffer<[16, 16], f32, global>
  }
})";

TEST(Reference, BlockedGemm) {
  for (auto [name, dtype] : {std::pair{"f16", DType::F16},
                             {"bf16", DType::BF16},
                             {"f32", DType::F32},
                             {"f8E4M3FN", DType::E4M3FN}}) {
    Program program(with(gemmText, {{"T", name}}));
    Values a(dtype, {32, 24}), b(dtype, {24, 32}), c(DType::F32, {32, 32}, NAN);
    a.fill([](int64_t i) { return (i * 7) % 13 - 6; });
    b.fill([](int64_t i) { return (i * 5) % 11 - 5; });
    program.tensor("A", a).tensor("B", b).tensor("C", c);
    ASSERT_EQ(program.run(), "");
    for (int64_t i = 0; i < 32; ++i)
      for (int64_t j = 0; j < 32; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < 24; ++k)
          sum += a.at(i * 24 + k) * b.at(k * 32 + j);
        ASSERT_EQ(c.at(i * 32 + j), sum) << name << ' ' << i << ' ' << j;
      }
  }
}

// An extent of 1000 in blocks of 256: the last block reaches past the end.
TEST(Reference, RaggedAddReadsZeroAndWritesNothingOutside) {
  Program program(R"(
tile.program @add {
  %n = tile.dim "n"
  %A = tile.tensor "A"[%n] : !tile.buffer<[?], f16, global>
  %B = tile.tensor "B"[%n] : !tile.buffer<[?], f16, global>
  %C = tile.tensor "C"[%n] : !tile.buffer<[?], f16, global>
  %c256 = arith.constant 256 : index
  %blocks = arith.ceildivsi %n, %c256 : index
  tile.kernel "add" grid(%blocks) threads(128) {
  ^bb0(%bx: index):
    %first = arith.muli %bx, %c256 : index
    tile.parallel (%i) in (%c256) {
      %at = arith.addi %first, %i : index
      %a = tile.load %A[%at] : !tile.buffer<[?], f16, global> -> f32
      %b = tile.load %B[%at] : !tile.buffer<[?], f16, global> -> f32
      %s = arith.addf %a, %b : f32
      tile.store %s, %C[%at] : f32, !tile.buffer<[?], f16, global>
    }
  }
})");
  Values a(DType::F16, {1000}), b(DType::F16, {1000}), c(DType::F16, {1001}, -1);
  a.fill([](int64_t i) { return i * 0.25; });
  b.fill([](int64_t i) { return 1000 - i; });
  program.tensor("A", a).tensor("B", b).tensor("C", c);
  program.args.tensors["C"].shape = {1000};
  ASSERT_EQ(program.run(), "");
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(c.bits(i), encodeFloat(DType::F16, i * 0.25 + (1000 - i))) << i;
  EXPECT_EQ(c.at(1000), -1);
}

TEST(Reference, CastCopyRoundsToNearestEven) {
  Program program(R"(
tile.program @cast {
  %A = tile.tensor "A"[] : !tile.buffer<[4], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[4], bf16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "cast" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    tile.copy %A to %B : !tile.buffer<[4], f32, global>, !tile.buffer<[4], bf16, global>
  }
})");
  Values a(DType::F32, {4}), b(DType::BF16, {4});
  a.set(0, 1 + 0x1p-8);           // halfway: to even, down
  a.set(1, 1 + 3 * 0x1p-8);       // halfway: to even, up
  a.set(2, 1 + 0x1p-8 + 0x1p-20); // above half
  a.set(3, 3.4e38);               // overflows
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.at(0), 1);
  EXPECT_EQ(b.at(1), 1 + 0x1p-6);
  EXPECT_EQ(b.at(2), 1 + 0x1p-7);
  EXPECT_EQ(b.at(3), std::numeric_limits<double>::infinity());
}

} // namespace

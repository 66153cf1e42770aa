//===- RareOpsTest.cpp - instructions that compilers seldom emit ----------===//
//
// Values by hand from the ISA documents' formulas.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

using Inputs = std::map<std::string, Lanes>;

TEST(RareOps, SumsOfAbsoluteDifferences) {
  EXPECT_EQ(evaluate("v_sad_u16 v10, v1, v2, v3",
                     {{"v1", all(0x00050010)}, {"v2", all(0x00090002)}, {"v3", all(100)}}),
            all(100 + 4 + 14));
  // Bytes of S1 that are 0 do not count.
  EXPECT_EQ(evaluate("v_msad_u8 v10, v1, v2, v3",
                     {{"v1", all(0x0a141e28)}, {"v2", all(0x00151e00)}, {"v3", all(7)}}),
            all(7 + 1));
  // Bytes 1..5 of S0 against 1, 1, 1, 1; sums of four neighbours, 16 bits each.
  const Inputs quad = {{"v4", all(0x04030201)},
                       {"v5", all(0x00000605)},
                       {"v2", all(0x01010101)},
                       {"v6", all(0x000a0000)},
                       {"v7", all(0)}};
  EXPECT_EQ(evaluate("v_qsad_pk_u16_u8 v[10:11], v[4:5], v2, v[6:7]", quad), all(0x00140006));
  EXPECT_EQ(evaluate("v_mqsad_pk_u16_u8 v[12:13], v[4:5], v2, v[6:7]\nv_mov_b32 v10, v13", quad),
            all((3 + 4 + 5 + 1) << 16 | (2 + 3 + 4 + 5)));
  Inputs sums = quad;
  for (int i = 0; i < 4; ++i)
    sums["v" + std::to_string(16 + i)] = all(1000u * i);
  EXPECT_EQ(evaluate("v_mqsad_u32_u8 v[20:23], v[4:5], v2, v[16:19]\nv_mov_b32 v10, v22", sums),
            all(2000 + 2 + 3 + 4 + 5));
}

TEST(RareOps, CubeMaps) {
  auto cube = [](const std::string &op, float x, float y, float z) {
    return asFloat(evaluate("v_cube" + op + "_f32 v10, v1, v2, v3",
                            {{"v1", allF(x)}, {"v2", allF(y)}, {"v3", allF(z)}})[0]);
  };
  EXPECT_EQ(cube("id", -3, 1, 2), 1);
  EXPECT_EQ(cube("id", 1, 3, 2), 2);
  EXPECT_EQ(cube("id", 1, 2, -3), 5);
  EXPECT_EQ(cube("sc", -3, 1, 2), 2);
  EXPECT_EQ(cube("sc", 1, 2, -3), -1);
  EXPECT_EQ(cube("tc", 1, -3, 2), -2);
  EXPECT_EQ(cube("tc", 1, 2, 3), -2);
  EXPECT_EQ(cube("ma", 1, -3, 2), -6);
}

TEST(RareOps, ArgumentReductionTakesBitsOfTwoOverPi) {
  auto preop = [](double x, uint32_t segment) {
    auto bits = std::bit_cast<uint64_t>(x);
    Snippet s;
    s.in = {{"v4", all(static_cast<uint32_t>(bits))},
            {"v5", all(static_cast<uint32_t>(bits >> 32))},
            {"v3", all(segment)}};
    s.body = "v_trig_preop_f64 v[10:11], v[4:5], v3";
    s.out = {"v10", "v11"};
    auto r = s.run();
    return std::bit_cast<double>(r["v10"][7] | static_cast<uint64_t>(r["v11"][7]) << 32);
  };
  EXPECT_EQ(preop(1, 0), 0x1.45f306dc9c882p-1);
  EXPECT_EQ(preop(1, 1), 0x1.4a7f09d5f47d4p-54);
  EXPECT_EQ(preop(0x1p77, 2), 0x1.6d8a5664f10e4p-130); // 23 bits further on
  EXPECT_NEAR(preop(1, 0) + preop(1, 1), 2 / M_PI, 1e-16);
}

TEST(RareOps, PacksAndConverts) {
  const Inputs halves = {{"v1", all(0x3800)}, {"v2", all(0xbc00)}};                 // 0.5, -1
  EXPECT_EQ(evaluate("v_cvt_pknorm_i16_f16 v10, v1, v2", halves), all(0x80014000)); // ties to even
  EXPECT_EQ(evaluate("v_cvt_pknorm_u16_f16 v10, v1, v2", halves), all(0x00008000));
  EXPECT_EQ(evaluate("v_mov_b32 v10, v3\nv_cvt_pkaccum_u8_f32 v10, v1, v2",
                     {{"v1", allF(300)}, {"v2", all(2)}, {"v3", all(0x11223344)}}),
            all(0x11ff3344));
  EXPECT_EQ(evaluate("v_mov_b32 v10, -1\nv_fma_legacy_f16 v10, v1, v1, v2", halves),
            all(0x0000ba00)); // 0.25 - 1; the other half is cleared
  EXPECT_EQ(evaluate("v_prng_b32 v10, v1", {{"v1", all(0x80000001)}}), all(2 ^ 197));
}

TEST(RareOps, PackedMinimumAndMaximumOfThree) {
  // Halves 1, 2, -3 above and 0, NaN, 1 below.
  const Inputs in = {{"v1", all(0x3c000000)}, {"v2", all(0x40007e00)}, {"v3", all(0xc2003c00)}};
  EXPECT_EQ(evaluate("v_pk_minimum3_f16 v10, v1, v2, v3", in)[0] >> 16, 0xc200u);
  EXPECT_EQ(evaluate("v_pk_maximum3_f16 v10, v1, v2, v3", in)[0], 0x40007e00u);
}

TEST(RareOps, StochasticRounding) {
  auto half = [](const std::string &op, float value, uint32_t random,
                 const std::string &more = "") {
    return evaluate("v_mov_b32 v10, v3\n" + op + " v10, v1, v2" + more,
                    {{"v1", allF(value)}, {"v2", all(random)}, {"v3", all(0xaaaabbbb)}})[0];
  };
  // 1 + 2^-9: a quarter of bf16's last bit.
  const float x = 1 + 0x1p-9f;
  EXPECT_EQ(half("v_cvt_sr_bf16_f32", x, 0), 0xaaaa3f80u);
  EXPECT_EQ(half("v_cvt_sr_bf16_f32", x, 0xbfffffff), 0xaaaa3f80u);
  EXPECT_EQ(half("v_cvt_sr_bf16_f32", x, 0xc0000000), 0xaaaa3f81u);
  EXPECT_EQ(half("v_cvt_sr_bf16_f32", -x, 0xc0000000, " op_sel:[0,0,1]"), 0xbf81bbbbu);
  EXPECT_EQ(half("v_cvt_sr_f16_f32", 1 + 0x1p-11f, 0x7fffffff), 0xaaaa3c00u);
  EXPECT_EQ(half("v_cvt_sr_f16_f32", 1 + 0x1p-11f, 0x80000000), 0xaaaa3c01u);
  EXPECT_EQ(half("v_cvt_sr_f16_f32", 0x1.8p-24f, 0x80000000), 0xaaaa0002u); // a denormal
  // Divided by the scale first: 4.5 / 4 lies halfway between fp8's 1 and 1.25.
  auto fp8 = [](float value, uint32_t random) {
    return evaluate("v_mov_b32 v10, 0\nv_cvt_scalef32_sr_fp8_f32 v10, v1, v2, v3 op_sel:[0,0,0,1]",
                    {{"v1", allF(value)}, {"v2", all(random)}, {"v3", allF(4)}})[0];
  };
  EXPECT_EQ(fp8(4.25f, 0x7fffffff), 0x00380000u);
  EXPECT_EQ(fp8(4.25f, 0x80000000), 0x00390000u);
}

Snippet withLds(const std::string &body, std::vector<std::string> out) {
  Snippet s;
  s.kernel.ldsBytes = 4096;
  s.in = {{"v1", lanes([](uint32_t i) { return 16 * i; })}};
  for (int i = 2; i < 8; ++i)
    s.in["v" + std::to_string(i)] = all(0x10u * i);
  s.body = body + "\ns_waitcnt lgkmcnt(0)";
  s.out = std::move(out);
  return s;
}
Lanes after(const std::string &body, const std::string &reg) {
  Snippet s = withLds(body, {reg});
  auto r = s.run();
  EXPECT_TRUE(s.result.findings.empty()) << body << llvm::toString(s.result.toError());
  return r[reg];
}
const std::string stored =
    "ds_write_b32 v1, v2\nds_write_b32 v1, v3 offset:4\ns_waitcnt lgkmcnt(0)\n";

TEST(RareOps, LdsAtomicsWithTwoOperands) { // LDS holds 0x20, 0x30
  EXPECT_EQ(after(stored + "ds_mskor_b32 v1, v3, v6\nds_read_b32 v10, v1", "v10"),
            all((0x20 & ~0x30u) | 0x60));
  EXPECT_EQ(after(stored + "ds_wrap_rtn_b32 v11, v1, v2, v7\nds_read_b32 v10, v1", "v10"), all(0));
  EXPECT_EQ(after(stored + "ds_wrap_rtn_b32 v11, v1, v3, v7\nds_read_b32 v10, v1", "v10"),
            all(0x20 + 0x70));
  // -0 and 0 are equal as floats.
  EXPECT_EQ(after("v_mov_b32 v8, 0\nv_bfrev_b32 v9, 1\nds_write_b32 v1, v9\n"
                  "ds_cmpst_rtn_f32 v11, v1, v8, v5\nds_read_b32 v10, v1",
                  "v10"),
            all(0x50));
}
TEST(RareOps, LdsExchangesOfTwo) {
  const std::string exchange =
      stored + "ds_wrxchg2_rtn_b32 v[10:11], v1, v6, v7 offset0:1 offset1:0\n";
  EXPECT_EQ(after(exchange, "v10"), all(0x30));
  EXPECT_EQ(after(exchange, "v11"), all(0x20));
  EXPECT_EQ(after(exchange + "ds_read_b32 v12, v1", "v12"), all(0x70));
  EXPECT_EQ(after(exchange + "ds_read_b32 v12, v1 offset:4", "v12"), all(0x60));
  // Only the half whose top bit is set is stored.
  const std::string conditional = stored +
                                  "v_bfrev_b32 v9, 1\nv_or_b32 v9, v9, v7\nv_mov_b32 v8, v6\n"
                                  "ds_condxchg32_rtn_b64 v[10:11], v1, v[8:9]\n"
                                  "ds_read_b64 v[12:13], v1";
  EXPECT_EQ(after(conditional, "v11"), all(0x30));
  EXPECT_EQ(after(conditional, "v12"), all(0x20));
  EXPECT_EQ(after(conditional, "v13"), all(0x70));
}
TEST(RareOps, LdsCountersCountLanes) {
  const std::string start = "v_mov_b32 v8, 0\nds_write_b32 v8, v2\ns_mov_b32 m0, 0\n"
                            "s_waitcnt lgkmcnt(0)\ns_mov_b64 exec, 0xff\n";
  EXPECT_EQ(after(start + "ds_append v10\ns_mov_b64 exec, -1\nds_read_b32 v11, v8", "v11"),
            all(0x28));
  EXPECT_EQ(after(start + "ds_consume v10\ns_mov_b64 exec, -1\nds_read_b32 v11, v8", "v11"),
            all(0x18));
  EXPECT_EQ(after(start + "ds_append v2\ns_mov_b64 exec, -1", "v2"), all(0x20));
}

TEST(RareOps, ScalarStoresAndAtomicsThroughDescriptors) {
  Snippet s;
  s.in = {{"v1", all(0)}};
  s.body =
      "s_mov_b32 s12, s8\ns_and_b32 s13, s9, 0xffff\ns_movk_i32 s14, 8\ns_mov_b32 s15, 0x20000\n"
      "s_movk_i32 s20, 5\ns_movk_i32 s21, 6\ns_movk_i32 s22, 7\n"
      "s_buffer_store_dword s20, s[12:15], 0x4\ns_buffer_store_dword s21, s[12:15], 0x8\n"
      "s_waitcnt lgkmcnt(0)\ns_buffer_atomic_add s22, s[12:15], 0x4 glc\n"
      "s_waitcnt lgkmcnt(0)\nv_mov_b32 v10, s22";
  s.out = {"v10"};
  auto r = s.run();
  EXPECT_TRUE(s.result.ok()) << llvm::toString(s.result.toError());
  EXPECT_EQ(r["v10"], all(5)); // the old value
  uint32_t words[3];
  std::memcpy(words, s.buffer.data(), sizeof(words));
  EXPECT_EQ(words[1], 12u);
  EXPECT_EQ(words[2], 0u); // beyond the descriptor's 8 bytes
}

TEST(RareOps, ScratchToLds) {
  Snippet s =
      withLds("scratch_store_dword off, v4, off\ns_waitcnt vmcnt(0)\ns_mov_b32 m0, 0\ns_nop 0\n"
              "scratch_load_lds_dword off, off\ns_waitcnt vmcnt(0)\n"
              "v_mbcnt_lo_u32_b32 v8, -1, 0\nv_mbcnt_hi_u32_b32 v8, -1, v8\n"
              "v_lshlrev_b32 v8, 2, v8\nds_read_b32 v10, v8",
              {"v10"});
  s.kernel.scratchBytes = 16;
  auto r = s.run();
  EXPECT_TRUE(s.result.ok()) << llvm::toString(s.result.toError());
  EXPECT_EQ(r["v10"], all(0x40));
}

TEST(RareOps, WholeQuads) {
  EXPECT_EQ(evaluate("s_movk_i32 s20, 0x120\ns_wqm_b32 s21, s20\nv_mov_b32 v10, s21", {}),
            all(0xff0));
  EXPECT_EQ(evaluate("s_movk_i32 s20, 0x120\ns_quadmask_b32 s21, s20\nv_mov_b32 v10, s21", {}),
            all(6));
}

} // namespace

//===- VopTest.cpp - vector operations against hand-computed values -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

/// One lane's result of `body` with v1, v2, v3 the same in all lanes.
uint32_t one(const std::string &body, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0,
             const std::string &cpu = "gfx950") {
  Lanes result = evaluate(body, {{"v1", all(a)}, {"v2", all(b)}, {"v3", all(c)}}, cpu);
  for (uint32_t lane = 1; lane < 64; ++lane)
    EXPECT_EQ(result[lane], result[0]) << body << " lane " << lane;
  return result[0];
}
uint32_t bits(float x) { return allF(x)[0]; }
float oneF(const std::string &body, float a = 0, float b = 0, float c = 0) {
  return asFloat(one(body, bits(a), bits(b), bits(c)));
}

TEST(Vop, FloatArithmetic) {
  EXPECT_EQ(oneF("v_add_f32 v10, v1, v2", 1.5f, 2.25f), 3.75f);
  EXPECT_EQ(oneF("v_sub_f32 v10, v1, v2", 1.5f, 2.25f), -0.75f);
  EXPECT_EQ(oneF("v_subrev_f32 v10, v1, v2", 1.5f, 2.25f), 0.75f);
  EXPECT_EQ(oneF("v_mul_f32 v10, v1, v2", 1.5f, -2.0f), -3.0f);
  EXPECT_EQ(oneF("v_fma_f32 v10, v1, v2, v3", 3, 5, 7), 22.0f);
  EXPECT_EQ(oneF("v_max3_f32 v10, v1, v2, v3", 3, 5, -7), 5.0f);
  EXPECT_EQ(oneF("v_med3_f32 v10, v1, v2, v3", 3, 5, -7), 3.0f);
  // Fused: 1 + 2^-12 squared is 1 + 2^-11 + 2^-24; the last term survives the subtraction.
  float x = 1 + 0x1p-12f;
  EXPECT_EQ(oneF("v_fma_f32 v10, v1, v2, v3", x, x, -(1 + 0x1p-11f)), 0x1p-24f);
}

// Rounded once, from the exact sum: 3 * 683/2048 is half-way between 1 and 1 + 2^-10, and 2^-24
// decides; 7 * 293/2048 is half-way between 1 + 2^-10 and 1 + 2^-9.
TEST(Vop, FusedF16RoundsOnce) {
  EXPECT_EQ(one("v_fma_f16 v10, v1, v2, v3", 0x4200, 0x3556, 0x0000) & 0xffff, 0x3c00u);
  EXPECT_EQ(one("v_fma_f16 v10, v1, v2, v3", 0x4200, 0x3556, 0x0001) & 0xffff, 0x3c01u);
  EXPECT_EQ(one("v_fma_f16 v10, v1, v2, v3", 0x4700, 0x3094, 0x0000) & 0xffff, 0x3c02u);
  EXPECT_EQ(one("v_fma_f16 v10, v1, v2, v3", 0x4700, 0x3094, 0x8001) & 0xffff, 0x3c01u);
  EXPECT_EQ(one("v_fma_legacy_f16 v10, v1, v2, v3", 0x4700, 0x3094, 0x8001), 0x3c01u);
  EXPECT_EQ(one("v_pk_fma_f16 v10, v1, v2, v3", 0x47004200, 0x30943556, 0x80010001), 0x3c013c01u);
}

// Not fused, and no denormal comes in or out.
TEST(Vop, UnfusedF16) {
  // (1 + 2^-10)^2 - (1 + 2^-9): the 2^-20 of the product is rounded away.
  EXPECT_EQ(one("v_mad_legacy_f16 v10, v1, v1, v2", 0x3c01, 0xbc02), 0u);
  EXPECT_EQ(one("v_mad_legacy_f16 v10, v1, v2, v3", 0x4200, 0x3556, 0x0001), 0x3c00u);
  EXPECT_EQ(one("v_mad_legacy_f16 v10, v1, v2, v3", 0x4000, 0x4200, 0x3c00), 0x4700u); // 2 * 3 + 1
  EXPECT_EQ(one("v_mad_legacy_f16 v10, v1, v2, v3", 0x03ff, 0x3c00, 0x8000), 0u);
  EXPECT_EQ(one("v_mad_legacy_f16 v10, v1, v2, v3", 0x0400, 0xb800, 0x8000), 0x8000u); // -2^-15
  // The high half: kept, or 0.
  EXPECT_EQ(one("v_mov_b32 v10, -1\nv_mad_f16 v10, v1, v2, v3", 0x4000, 0x4200, 0x3c00),
            0xffff4700u);
  EXPECT_EQ(
      one("v_mov_b32 v10, -1\nv_mad_f16 v10, v1, v2, v3 op_sel:[0,0,0,1]", 0x4000, 0x4200, 0x3c00),
      0x4700ffffu);
  EXPECT_EQ(one("v_mov_b32 v10, 0x3c00\nv_mac_f16 v10, v1, v2", 0x4000, 0x4200), 0x4700u);
  EXPECT_EQ(one("v_madmk_f16 v10, v1, 0x4200, v2", 0x4000, 0x3c00), 0x4700u);
  EXPECT_EQ(one("v_madak_f16 v10, v1, v2, 0x3c00", 0x4000, 0x4200), 0x4700u);
  // LLVM's disassembler dies of a constant that is the code of a literal.
  EXPECT_EQ(one("v_madak_f16 v10, v1, v2, 0xff", 0x4000, 0x4200), 0x4600u);
}

TEST(Vop, SourceAndResultModifiers) {
  EXPECT_EQ(oneF("v_add_f32 v10, -v1, |v2|", 1, -4), 3.0f);
  EXPECT_EQ(oneF("v_add_f32 v10, -|v1|, 1.0", 8), -7.0f);
  EXPECT_EQ(oneF("v_mul_f32 v10, v1, v2 mul:4", 3, 5), 60.0f);
  EXPECT_EQ(oneF("v_mul_f32 v10, v1, v2 div:2", 3, 5), 7.5f);
  EXPECT_EQ(oneF("v_add_f32 v10, v1, v2 clamp", 3, 5), 1.0f);
  EXPECT_EQ(oneF("v_add_f32 v10, v1, v2 clamp", -3, 1), 0.0f);
}

TEST(Vop, InlineConstantsHaveTheTypeOfTheirOperand) {
  EXPECT_EQ(one("v_mov_b32 v10, 1.0"), 0x3f800000u);
  EXPECT_EQ(one("v_mov_b32 v10, -1"), 0xffffffffu);
  EXPECT_EQ(one("v_mov_b32 v10, 0.15915494"), 0x3e22f983u);
  EXPECT_EQ(one("v_mov_b32 v10, 0x12345678"), 0x12345678u);
  EXPECT_EQ(one("v_add_f16 v10, v1, 1.0", 0x4000), 0x4200u); // 2 + 1
  // f64: 0.5 + 1.0 in the high word
  EXPECT_EQ(one("v_mov_b32 v4, 0\nv_mov_b32 v5, 0x3fe00000\nv_add_f64 v[10:11], v[4:5], 1.0\n"
                "s_nop 4\nv_mov_b32 v10, v11"),
            0x3ff80000u);
}

TEST(Vop, Integers) {
  EXPECT_EQ(one("v_add_u32 v10, v1, v2", 0xffffffff, 2), 1u);
  EXPECT_EQ(one("v_add_u32 v10, v1, v2 clamp", 0xffffffff, 2), 0xffffffffu);
  EXPECT_EQ(one("v_sub_i32 v10, v1, v2 clamp", 0x80000000, 1), 0x80000000u);
  EXPECT_EQ(one("v_add_u16_e64 v10, v1, v2 clamp", 0xfff0, 0x20), 0xffffu);
  EXPECT_EQ(one("v_sub_u16_e64 v10, v1, v2 clamp", 3, 5), 0u);
  EXPECT_EQ(one("v_subrev_u16_e64 v10, v1, v2 clamp", 3, 5), 2u);
  EXPECT_EQ(one("v_mul_hi_u32 v10, v1, v2", 0x80000000, 6), 3u);
  EXPECT_EQ(one("v_mul_hi_i32 v10, v1, v2", 0x80000000, 2), 0xffffffffu);
  EXPECT_EQ(one("v_mul_i32_i24 v10, v1, v2", 0xffffff, 5), 0xfffffffbu);
  EXPECT_EQ(one("v_mad_u32_u24 v10, v1, v2, v3", 0xff000003, 5, 7), 22u);
  EXPECT_EQ(one("v_bfe_u32 v10, v1, 8, 12", 0xabcdef12), 0xdefu);
  EXPECT_EQ(one("v_bfe_i32 v10, v1, 8, 4", 0xabcdef12), 0xffffffffu);
  EXPECT_EQ(one("v_bfi_b32 v10, v1, v2, v3", 0xff00ff00, 0x12345678, 0xabcdef01), 0x12cd5601u);
  EXPECT_EQ(one("v_lshl_add_u32 v10, v1, 4, v2", 3, 5), 53u);
  EXPECT_EQ(one("v_xad_u32 v10, v1, v2, v3", 12, 10, 100), 106u);
  EXPECT_EQ(one("v_alignbit_b32 v10, v1, v2, 8", 0x11223344, 0x55667788), 0x44556677u);
  EXPECT_EQ(one("v_perm_b32 v10, v1, v2, v3", 0x11223344, 0x55667788, 0x07010c0d), 0x117700ffu);
  EXPECT_EQ(one("v_ffbh_u32 v10, v1", 0x00010000), 15u);
  EXPECT_EQ(one("v_ashrrev_i32 v10, 4, v1", 0x80000000), 0xf8000000u);
}

// Truth table index of a lane's bits: bit 2 from source 0, bit 1 from source 1, bit 0 from
// source 2.
TEST(Vop, Bitop3) {
  EXPECT_EQ(one("v_bitop3_b32 v10, v1, v2, v3 bitop3:0xca", 0xff00ff00, 0x12345678, 0xabcdef01),
            0x12cd5601u); // a ? b : c
  EXPECT_EQ(one("v_bitop3_b32 v10, v1, v2, v3 bitop3:0x96", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa),
            0x96969696u); // xor of three, written as its own truth table
}

TEST(Vop, CarriesGoThroughVcc) {
  EXPECT_EQ(
      one("v_add_co_u32 v4, vcc, v1, v2\nv_addc_co_u32 v10, vcc, v3, v3, vcc", 0xffffffff, 1, 5),
      11u);
  EXPECT_EQ(one("v_sub_co_u32 v4, vcc, v1, v2\nv_subb_co_u32 v10, vcc, v3, 0, vcc", 0, 1, 5), 4u);
}

TEST(Vop, CompareAndSelect) {
  Lanes index = lanes([](uint32_t i) { return i; });
  Lanes result = evaluate("v_cmp_gt_u32 vcc, 10, v1\nv_cndmask_b32 v10, v2, v3, vcc",
                          {{"v1", index}, {"v2", all(7)}, {"v3", all(9)}});
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(result[i], i < 10 ? 9u : 7u);
  EXPECT_EQ(one("v_cmp_class_f32 vcc, v1, v2\nv_cndmask_b32 v10, 0, 1, vcc", 0x7fc00000, 3), 1u);
  EXPECT_EQ(one("v_cmp_u_f32 vcc, v1, v2\nv_cndmask_b32 v10, 0, 1, vcc", 0x7fc00000, 0), 1u);
}

TEST(Vop, ExecMasksWrites) {
  Lanes result =
      evaluate("v_mov_b32 v10, 1\ns_mov_b64 exec, 0xf0\nv_mov_b32 v10, 2\ns_mov_b64 exec, -1", {});
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(result[i], i >= 4 && i < 8 ? 2u : 1u);
}

TEST(Vop, Conversions) {
  EXPECT_EQ(one("v_cvt_i32_f32 v10, v1", bits(-3.99f)), static_cast<uint32_t>(-3));
  EXPECT_EQ(one("v_cvt_u32_f32 v10, v1", bits(-3.99f)), 0u);
  EXPECT_EQ(one("v_cvt_u32_f32 v10, v1", bits(5e9f)), 0xffffffffu);
  EXPECT_EQ(one("v_cvt_i32_f32 v10, v1", 0x7fc00000), 0u);
  EXPECT_EQ(one("v_cvt_f16_f32 v10, v1", bits(65519.0f)), 0x7bffu);
  EXPECT_EQ(one("v_cvt_f16_f32 v10, v1", bits(65520.0f)), 0x7c00u);
  EXPECT_EQ(one("v_cvt_f16_f32 v10, v1", bits(0x1p-24f)), 1u);
  EXPECT_EQ(one("v_cvt_pk_bf16_f32 v10, v1, v2", 0x3f808000, 0x3f818000),
            0x3f823f80u); // ties to even
  EXPECT_EQ(one("v_cvt_pkrtz_f16_f32 v10, v1, v2", bits(1.9999f), bits(1e9f)), 0x7bff3fffu);
  EXPECT_EQ(oneF("v_rndne_f32 v10, v1", 2.5f), 2.0f);
}

TEST(Vop, Fp8IsOcpOnGfx950AndFnuzOnGfx942) {
  // 0x38 is 1.0 in e4m3fn (bias 7) and 0.5 in e4m3fnuz (bias 8).
  EXPECT_EQ(asFloat(one("v_cvt_f32_fp8 v10, v1", 0x38, 0, 0, "gfx950")), 1.0f);
  EXPECT_EQ(asFloat(one("v_cvt_f32_fp8 v10, v1", 0x38, 0, 0, "gfx942")), 0.5f);
  EXPECT_EQ(one("v_mov_b32 v10, 0\nv_cvt_pk_fp8_f32 v10, v1, v2", bits(1), bits(2), 0, "gfx950"),
            0x4038u);
  EXPECT_EQ(one("v_mov_b32 v10, 0\nv_cvt_pk_fp8_f32 v10, v1, v2 op_sel:[0,0,1]", bits(1), bits(2),
                0, "gfx942"),
            0x48400000u);
}

TEST(Vop, ScaledConversions) {
  uint32_t four = bits(4.0f); // 2^2
  // fp4 e2m1: 1.0 is 2, 6.0 is 7, 0.5 is 1; 8 / 4 = 2.0 is 4, 100 / 4 saturates.
  EXPECT_EQ(one("v_mov_b32 v10, -1\nv_cvt_scalef32_pk_fp4_f32 v10, v1, v2, v3 op_sel:[0,0,1,0]",
                bits(8), bits(-100), four),
            0xfffff4ffu);
  EXPECT_EQ(
      oneF("v_cvt_scalef32_pk_f32_fp4 v[10:11], v1, v3 op_sel:[0,1,0]", asFloat(0x00070000), 0, 4),
      24.0f);
  EXPECT_EQ(oneF("v_cvt_scalef32_f32_fp8 v10, v1, v3 op_sel:[1,0,0]", asFloat(0x3800), 0, 4), 4.0f);
  EXPECT_EQ(one("v_mov_b32 v10, 0\nv_cvt_scalef32_pk_fp8_f32 v10, v1, v2, v3 op_sel:[0,0,0,1]",
                bits(4), bits(-8), four),
            0xc0380000u);
  EXPECT_EQ(one("v_cvt_scalef32_pk_bf16_fp8 v10, v1, v3", 0xc038, 0, four), 0xc1004080u); // 4, -8
  // 32 fp6 e2m3 codes of 1.0 (0x08) widen to 2^2 and come back.
  EXPECT_EQ(oneF("v_mov_b32 v40, 0x08208208\nv_mov_b32 v41, 0x82082082\nv_mov_b32 v42, "
                 "0x20820820\nv_mov_b32 v43, v40\n"
                 "v_mov_b32 v44, v41\nv_mov_b32 v45, v42\nv_cvt_scalef32_pk32_f32_fp6 v[4:35], "
                 "v[40:45], v3\nv_mov_b32 v10, v35",
                 0, 0, 4),
            4.0f);
  EXPECT_EQ(
      one(
          "v_mov_b32 v40, 1.0\n" +
              [] {
                std::string moves;
                for (unsigned r = 4; r < 36; ++r)
                  moves += "v_mov_b32 v" + std::to_string(r) + ", 4.0\n";
                return moves;
              }() +
              "v_cvt_scalef32_2xpk16_fp6_f32 v[40:45], v[4:19], v[20:35], v3\nv_mov_b32 v10, v41",
          0, 0, four),
      0x82082082u);
}

TEST(Vop, Transcendentals) {
  for (float x : {-3.5f, 0.0f, 0.25f, 10.0f, 127.0f, -126.0f})
    EXPECT_EQ(oneF("v_exp_f32 v10, v1", x), static_cast<float>(std::exp2(static_cast<double>(x))))
        << x;
  EXPECT_EQ(oneF("v_exp_f32 v10, v1", -200.0f), 0.0f);
  EXPECT_TRUE(std::isinf(oneF("v_exp_f32 v10, v1", 200.0f)));
  EXPECT_EQ(oneF("v_log_f32 v10, v1", 8.0f), 3.0f);
  EXPECT_EQ(oneF("v_rcp_f32 v10, v1", 3.0f), static_cast<float>(1.0 / 3));
  EXPECT_EQ(oneF("v_rsq_f32 v10, v1", 4.0f), 0.5f);
  EXPECT_EQ(oneF("v_sin_f32 v10, v1", 0.25f), 1.0f);
}

TEST(Vop, PackedMath) {
  // halves (low, high): a = (1, 2), b = (3, 4)
  EXPECT_EQ(one("v_pk_add_f16 v10, v1, v2", 0x40003c00, 0x44004200), 0x46004400u); // 4, 6
  EXPECT_EQ(one("v_pk_mul_f16 v10, v1, v2 op_sel_hi:[0,1]", 0x40003c00, 0x44004200), 0x44004200u);
  EXPECT_EQ(
      one("v_pk_fma_f16 v10, v1, v2, v3 neg_lo:[1,0,0] neg_hi:[0,0,0]", 0x40003c00, 0x44004200, 0),
      0x4800c200u); // -3, 8
  EXPECT_EQ(one("v_pk_add_u16 v10, v1, v2", 0xffff0001, 0x00020003), 0x00010004u);
  std::string pair = "v_mov_b32 v4, v1\nv_mov_b32 v5, v2\nv_mov_b32 v6, v3\nv_mov_b32 v7, 2.0\n";
  EXPECT_EQ(oneF(pair + "v_pk_mul_f32 v[10:11], v[4:5], v[6:7]", 3, 5, 7), 21.0f);
  EXPECT_EQ(oneF(pair + "v_pk_mul_f32 v[10:11], v[4:5], v[6:7]\nv_mov_b32 v10, v11", 3, 5, 7),
            10.0f);
  EXPECT_EQ(
      oneF(pair + "v_pk_add_f32 v[10:11], v[4:5], v[6:7] op_sel:[1,0] op_sel_hi:[0,0]", 3, 5, 7),
      12.0f);
  EXPECT_EQ(one("v_dot2_f32_f16 v10, v1, v2, v3", 0x40003c00, 0x44004200, bits(0.5f)), bits(11.5f));
  EXPECT_EQ(one("v_dot4_i32_i8 v10, v1, v2, v3", 0xff020304, 0x01010101, 10), 18u);
  EXPECT_EQ(oneF("v_fma_mix_f32 v10, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]",
                 asFloat(0x40003c00), 5, 1),
            11.0f);
}

TEST(Vop, DppMovesLanes) {
  Lanes index = lanes([](uint32_t i) { return i; });
  auto dpp = [&](const std::string &how) {
    return evaluate("v_mov_b32 v10, -1\ns_nop 4\nv_mov_b32_dpp v10, v1 " + how, {{"v1", index}});
  };
  Lanes quad = dpp("quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf");
  Lanes shr = dpp("row_shr:1 row_mask:0xf bank_mask:0xf");
  Lanes shl = dpp("row_shl:2 row_mask:0xf bank_mask:0xf bound_ctrl:0");
  Lanes ror = dpp("row_ror:4 row_mask:0xf bank_mask:0xf");
  Lanes mirror = dpp("row_mirror row_mask:0xf bank_mask:0xf");
  Lanes bcast = dpp("row_bcast:15 row_mask:0xa bank_mask:0xf");
  Lanes newBcast = dpp("row_newbcast:3 row_mask:0xf bank_mask:0xf");
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(quad[i], i ^ 3);
    EXPECT_EQ(shr[i], i % 16 == 0 ? ~0u : i - 1);
    EXPECT_EQ(shl[i], i % 16 >= 14 ? 0 : i + 2);
    EXPECT_EQ(ror[i], (i & ~15u) + ((i - 4) & 15));
    EXPECT_EQ(mirror[i], i ^ 15);
    EXPECT_EQ(bcast[i], i / 16 % 2 == 1 ? (i & ~15u) - 1 : ~0u);
    EXPECT_EQ(newBcast[i], (i & ~15u) + 3);
  }
}

TEST(Vop, SdwaSelectsParts) {
  EXPECT_EQ(
      one("v_mov_b32 v10, -1\nv_add_u32_sdwa v10, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE "
          "src0_sel:BYTE_2 src1_sel:WORD_1",
          0x00050000, 0x00070000),
      0xffff0cffu);
  EXPECT_EQ(
      one("v_mov_b32_sdwa v10, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0", 0x80),
      0xffffff80u);
}

TEST(Vop, LaneExchange) {
  Lanes index = lanes([](uint32_t i) { return i; });
  EXPECT_EQ(evaluate("v_readlane_b32 s10, v1, 17\nv_mov_b32 v10, s10", {{"v1", index}})[5], 17u);
  EXPECT_EQ(evaluate("s_mov_b64 exec, 0xf00\nv_readfirstlane_b32 s10, v1\ns_mov_b64 exec, -1\n"
                     "v_mov_b32 v10, s10",
                     {{"v1", index}})[5],
            8u);
  Lanes count = evaluate("v_mbcnt_lo_u32_b32 v10, -1, 0\nv_mbcnt_hi_u32_b32 v10, -1, v10", {});
  EXPECT_EQ(count, index);
  Lanes low = evaluate("v_mov_b32 v10, v1\ns_nop 4\nv_permlane32_swap_b32 v10, v2",
                       {{"v1", index}, {"v2", lanes([](uint32_t i) { return 100 + i; })}});
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(low[i], i < 32 ? i : 100 + i - 32);
  Lanes rows = evaluate("v_mov_b32 v10, v1\ns_nop 4\nv_permlane16_swap_b32 v10, v2",
                        {{"v1", index}, {"v2", lanes([](uint32_t i) { return 100 + i; })}});
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(rows[i], i / 16 % 2 == 0 ? i : 100 + i - 16);
}

TEST(Vop, DivisionSequenceOfTheCompilerIsCorrectlyRounded) {
  const std::string divide =
      "v_div_scale_f32 v4, s[10:11], v2, v2, v1\nv_div_scale_f32 v5, vcc, v1, v2, v1\n"
      "v_rcp_f32 v6, v4\nv_fma_f32 v7, -v4, v6, 1.0\nv_fma_f32 v6, v7, v6, v6\n"
      "v_mul_f32 v8, v5, v6\nv_fma_f32 v9, -v4, v8, v5\nv_fma_f32 v8, v9, v6, v8\n"
      "v_fma_f32 v4, -v4, v8, v5\nv_div_fmas_f32 v4, v4, v6, v8\n"
      "v_div_fixup_f32 v10, v4, v2, v1";
  const float values[] = {1, 3, 7.5f, 1e30f, 1e-30f, 1e-40f, 3e38f, 5e-39f, -2, 0.1f};
  for (float a : values)
    for (float b : values)
      EXPECT_EQ(oneF(divide, a, b), a / b) << a << " / " << b;
}

} // namespace

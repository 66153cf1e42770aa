//===- TypedBufferTest.cpp - data formats, swizzles and lane ids ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

enum DataFormat { Data8 = 1, Data16, Data8x2, Data32, Data16x2, Data8x4 = 10, Data32x2, Data16x4 };
enum NumberFormat { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float = 7 };
constexpr uint32_t asTheyAre = 4 | 5 << 3 | 6 << 6 | 7 << 9;

/// Code that sets s[12:15] to a descriptor of the scratch buffer.
std::string descriptor(uint32_t word3, uint32_t stride = 0, uint32_t records = 4096,
                       bool swizzled = false) {
  return "s_mov_b32 s12, s8\ns_and_b32 s13, s9, 0xffff\ns_or_b32 s13, s13, " +
         std::to_string(stride << 16 | (swizzled ? 1u << 31 : 0)) + "\ns_mov_b32 s14, " +
         std::to_string(records) + "\ns_mov_b32 s15, " + std::to_string(word3) + "\ns_nop 4\n";
}
std::string typed(DataFormat data, NumberFormat number, uint32_t select = asTheyAre) {
  return descriptor(select | static_cast<uint32_t>(number) << 12 |
                    static_cast<uint32_t>(data) << 15);
}

/// Runs with v1 = 4 * lane; the first bytes of the buffer are `words` when the body runs.
Snippet withWords(const std::vector<uint32_t> &words, const std::string &body,
                  std::vector<std::string> out) {
  Snippet s;
  s.in = {{"v1", lanes([](uint32_t i) { return 4 * i; })},
          {"v2", lanes([](uint32_t i) { return i; })}};
  for (size_t i = 0; i < words.size(); ++i)
    s.body += "v_mov_b32 v20, " + std::to_string(4 * i) + "\nv_mov_b32 v21, " +
              std::to_string(words[i]) +
              "\nglobal_store_dword v20, v21, s[8:9]\ns_waitcnt vmcnt(0)\n";
  s.body += body + "\ns_waitcnt vmcnt(0) lgkmcnt(0)";
  s.out = std::move(out);
  return s;
}
std::vector<uint32_t> load(const std::vector<uint32_t> &words, const std::string &body,
                           std::vector<std::string> out) {
  std::vector<uint32_t> values[2];
  for (MemoryMode mode : {MemoryMode::Eager, MemoryMode::Strict}) {
    Snippet s = withWords(words, body, out);
    s.launch.memoryMode = mode;
    auto result = s.run();
    EXPECT_TRUE(s.result.findings.empty()) << llvm::toString(s.result.toError());
    for (const std::string &name : out)
      values[mode == MemoryMode::Strict].push_back(result[name][0]);
  }
  EXPECT_EQ(values[0], values[1]);
  return values[0];
}
/// The fault's message.
std::string refusal(const std::string &body) {
  Snippet s = withWords({0x12345678}, body, {});
  s.run();
  return s.result.ok() ? "" : s.result.findings[0].message;
}
using Words = std::vector<uint32_t>;

TEST(TypedBuffer, LoadsConvertToRegisters) {
  const std::string xyzw =
                        "v_mov_b32 v3, 0\nbuffer_load_format_xyzw v[10:13], v3, s[12:15], 0 offen",
                    xy = "v_mov_b32 v3, 0\nbuffer_load_format_xy v[10:11], v3, s[12:15], 0 offen";
  const Words bytes = {0x80ff0102};
  EXPECT_EQ(load(bytes, typed(Data8x4, Uint) + xyzw, {"v10", "v11", "v12", "v13"}),
            (Words{2, 1, 0xff, 0x80}));
  EXPECT_EQ(load(bytes, typed(Data8x4, Sint) + xyzw, {"v10", "v11", "v12", "v13"}),
            (Words{2, 1, 0xffffffff, 0xffffff80}));
  EXPECT_EQ(load(bytes, typed(Data8x4, Uscaled) + xyzw, {"v10", "v11", "v12", "v13"}),
            (Words{0x40000000, 0x3f800000, 0x437f0000, 0x43000000})); // 2 1 255 128
  EXPECT_EQ(load({0x800000ff}, typed(Data8x4, Unorm, 4 | 5 << 3 | 6 << 6 | 6 << 9) + xyzw,
                 {"v10", "v11", "v13"}),
            (Words{0x3f800000, 0, 0})); // 1 0 0
  EXPECT_EQ(load({0x80007fff}, typed(Data16x2, Snorm) + xy, {"v10", "v11"}),
            (Words{0x3f800000, 0xbf800000})); // 1 -1
  EXPECT_EQ(load({0xc0003800}, typed(Data16x2, Float) + xy, {"v10", "v11"}),
            (Words{0x3f000000, 0xc0000000})); // 0.5 -2
  EXPECT_EQ(load({0xdeadbeef, 7}, typed(Data32x2, Float) + xy, {"v10", "v11"}),
            (Words{0xdeadbeef, 7}));
}

TEST(TypedBuffer, TheDescriptorSelectsComponents) {
  const std::string xyzw =
      "v_mov_b32 v3, 0\nbuffer_load_format_xyzw v[10:13], v3, s[12:15], 0 offen";
  EXPECT_EQ(load({0x00050006}, typed(Data16x2, Uint, 5 | 4 << 3 | 0 << 6 | 1 << 9) + xyzw,
                 {"v10", "v11", "v12", "v13"}),
            (Words{5, 6, 0, 1}));
  EXPECT_EQ(load({0x00003c00}, typed(Data16x2, Float, 1 | 4 << 3 | 0 << 6 | 1 << 9) + xyzw,
                 {"v10", "v11", "v12", "v13"}),
            (Words{0x3f800000, 0x3f800000, 0, 0x3f800000}));
}

TEST(TypedBuffer, TheInstructionHasTheFormat) {
  const std::string plain = descriptor(0x20000) + "v_mov_b32 v3, 0\n";
  EXPECT_EQ(load({0xffff0003},
                 plain + "tbuffer_load_format_xy v[10:11], v3, s[12:15], 0 "
                         "format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SINT] offen",
                 {"v10", "v11"}),
            (Words{3, 0xffffffff}));
  EXPECT_EQ(load({0x3f800000},
                 plain + "tbuffer_load_format_x v10, v3, s[12:15], 0 "
                         "format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen",
                 {"v10"}),
            Words{0x3f800000});
  // 8, UNORM is the default that nobody prints.
  EXPECT_EQ(load({0x000000ff},
                 plain + "tbuffer_load_format_x v10, v3, s[12:15], 0 "
                         "format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UNORM] offen",
                 {"v10"}),
            Words{0x3f800000});
}

TEST(TypedBuffer, HalvesArePacked) {
  const std::string set = "v_mov_b32 v3, 0\nv_mov_b32 v10, -1\nv_mov_b32 v11, -1\n";
  EXPECT_EQ(load({0x40003c00, 0x00004200},
                 typed(Data16x4, Float) + set +
                     "buffer_load_format_d16_xyz v[10:11], v3, s[12:15], 0 offen",
                 {"v10", "v11"}),
            (Words{0x40003c00, 0xffff4200}));
  EXPECT_EQ(
      load({0x0000ff02},
           typed(Data8x2, Sint) + set + "buffer_load_format_d16_xy v10, v3, s[12:15], 0 offen",
           {"v10"}),
      Words{0xffff0002});
  EXPECT_EQ(
      load({0x00003c00},
           typed(Data16, Float) + set + "buffer_load_format_d16_hi_x v10, v3, s[12:15], 0 offen",
           {"v10"}),
      Words{0x3c00ffff});
}

TEST(TypedBuffer, Stores) {
  auto stored = [](const std::string &format, const std::string &body) {
    Snippet s = withWords({}, format + "v_mov_b32 v3, 0\n" + body, {});
    s.run();
    EXPECT_TRUE(s.result.findings.empty()) << llvm::toString(s.result.toError());
    uint32_t words[2];
    std::memcpy(words, s.buffer.data(), 8);
    return Words{words[0], words[1]};
  };
  EXPECT_EQ(stored(typed(Data8x4, Sint), "v_mov_b32 v10, -1\nv_mov_b32 v11, 127\nv_mov_b32 v12, "
                                         "0xffffff80\nv_mov_b32 v13, 3\nbuffer_store_format_xyzw "
                                         "v[10:13], v3, s[12:15], 0 offen"),
            (Words{0x03807fff, 0}));
  EXPECT_EQ(stored(typed(Data16x2, Float),
                   "v_mov_b32 v10, 0.5\nv_mov_b32 v11, -2.0\n"
                   "buffer_store_format_xy v[10:11], v3, s[12:15], 0 offen"),
            (Words{0xc0003800, 0}));
  EXPECT_EQ(stored(typed(Data8x4, Unorm),
                   "v_mov_b32 v10, 1.0\nv_mov_b32 v11, 0\nv_mov_b32 v12, 0\nv_mov_b32 v13, 1.0\n"
                   "buffer_store_format_xyzw v[10:13], v3, s[12:15], 0 offen"),
            (Words{0xff0000ff, 0}));
  EXPECT_EQ(stored(typed(Data16x4, Float),
                   "v_mov_b32 v10, 0x40003c00\nv_mov_b32 v11, 0x44004200\n"
                   "buffer_store_format_d16_xyzw v[10:11], v3, s[12:15], 0 offen"),
            (Words{0x40003c00, 0x44004200}));
  EXPECT_EQ(stored(descriptor(0x20000), "v_mov_b32 v10, 5\nv_mov_b32 v11, 6\n"
                                        "tbuffer_store_format_xy v[10:11], v3, s[12:15], 0 "
                                        "format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_UINT] offen"),
            (Words{5, 6}));
}

TEST(TypedBuffer, OutOfRangeIsZero) {
  // Two halves a lane, 16 bytes of buffer: lanes 0 to 3 are inside.
  Snippet s = withWords({1, 2, 3, 4},
                        descriptor(asTheyAre | Uint << 12 | Data16 << 15, 0, 16) +
                            "buffer_load_format_x v10, v1, s[12:15], 0 offen",
                        {"v10"});
  auto r = s.run();
  EXPECT_TRUE(s.result.findings.empty()) << llvm::toString(s.result.toError());
  EXPECT_EQ(r["v10"], lanes([](uint32_t i) { return i < 4 ? i + 1 : 0; }));
}

TEST(TypedBuffer, WhatIsNotPublishedIsRefused) {
  const std::string x = "v_mov_b32 v3, 0\nbuffer_load_format_x v10, v3, s[12:15], 0 offen",
                    xy = "v_mov_b32 v3, 0\nbuffer_load_format_xy v[10:11], v3, s[12:15], 0 offen",
                    store = "v_mov_b32 v3, 0\nv_mov_b32 v10, 0.5\nbuffer_store_format_x v10, v3, "
                            "s[12:15], 0 offen";
  for (const std::string &body :
       {typed(Data8, Unorm) + x, typed(static_cast<DataFormat>(6), Float) + x,
        typed(Data8, Float) + x, typed(Data32, Unorm) + x, typed(Data16, Uint) + xy,
        typed(Data16, Uint, 2) + x, typed(Data8, Unorm) + store, typed(Data8x2, Uint) + store,
        typed(Data8, Uscaled) + store})
    EXPECT_NE(refusal(body).find("error: bad-instruction: k+0x"), std::string::npos) << body;
}

const Words counting = [] {
  Words words(128);
  for (uint32_t i = 0; i < 128; ++i)
    words[i] = 1000 + i;
  return words;
}();

// Records of 16 bytes, groups of 8: dword d of record r is word (r/8 * 4 + d) * 8 + r % 8.
TEST(SwizzledBuffer, FieldsOfEightRecordsLieTogether) {
  const std::string srd = descriptor(0x20000, 16, 32, true);
  Snippet s = withWords(counting,
                        srd + "v_mov_b32 v4, v2\nv_mov_b32 v5, 4\nbuffer_load_dwordx2 v[10:11], "
                              "v[4:5], s[12:15], 0 idxen offen\nbuffer_load_ushort v12, v2, "
                              "s[12:15], 0 idxen offset:12",
                        {"v10", "v11", "v12"});
  auto r = s.run();
  EXPECT_TRUE(s.result.findings.empty()) << llvm::toString(s.result.toError());
  auto word = [](uint32_t record, uint32_t d) {
    return record < 32 ? 1000 + (record / 8 * 4 + d) * 8 + record % 8 : 0;
  };
  EXPECT_EQ(r["v10"], lanes([&](uint32_t i) { return word(i, 1); }));
  EXPECT_EQ(r["v11"], lanes([&](uint32_t i) { return word(i, 2); }));
  EXPECT_EQ(r["v12"], lanes([&](uint32_t i) { return word(i, 3); }));
  // The last dword of a record is not followed by the next record's first.
  EXPECT_NE(refusal(srd + "buffer_load_dwordx2 v[10:11], v2, s[12:15], 0 idxen offset:12")
                .find("swizzled buffer"),
            std::string::npos);
  Snippet stores = withWords(counting,
                             srd + "v_mov_b32 v4, 0\nv_mov_b32 v10, 7\nv_mov_b32 v11, 8\n"
                                   "buffer_store_dwordx2 v[10:11], v4, s[12:15], 0 idxen",
                             {});
  stores.run();
  uint32_t at[9];
  std::memcpy(at, stores.buffer.data(), sizeof(at));
  EXPECT_EQ(at[0], 7u);
  EXPECT_EQ(at[8], 8u);
  EXPECT_EQ(at[1], 1001u);
}

TEST(Buffer, TheDescriptorAddsTheLaneId) {
  // Records of 8 bytes; the data format's field holds stride bits 17:14, here 0.
  Snippet s = withWords(
      counting, descriptor(1u << 23, 8, 60) + "buffer_load_dword v10, off, s[12:15], 0 offset:4",
      {"v10"});
  auto r = s.run();
  EXPECT_TRUE(s.result.findings.empty()) << llvm::toString(s.result.toError());
  EXPECT_EQ(r["v10"], lanes([](uint32_t i) { return i < 60 ? 1001 + 2 * i : 0; }));
}

} // namespace

//===- ManifestTest.cpp - reading, printing and refusing manifests --------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Manifest.h"
#include "tilec/Runtime/Npy.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::rt;

namespace {

/// A matrix product with a dynamic m, a stride, a split-K workspace and a tensor map: every kind.
Manifest sample() {
  Manifest manifest;
  manifest.kernel = "gemm";
  manifest.target = "sm_90a";
  manifest.dims = {{"m", DType::I32}};
  manifest.outputs = {"C"};
  manifest.flops = DimExpr::name("m") * DimExpr(2 * 512 * 64);
  DimExpr m = DimExpr::name("m");
  Param a, c, scale, dim, stride, work, map;
  a.name = "A", a.kind = ParamKind::Tensor, a.dtype = DType::BF16, a.shape = {m, 512};
  a.strides = {DimExpr::name("A_stride_0"), 1};
  c.name = "C", c.kind = ParamKind::Tensor, c.dtype = DType::F32, c.shape = {m, 64};
  c.access = Access::Write;
  scale.name = "scale", scale.kind = ParamKind::Scalar, scale.dtype = DType::F16;
  dim.name = "m", dim.kind = ParamKind::Dim;
  stride.name = "A_stride_0", stride.kind = ParamKind::Stride, stride.dtype = DType::I64;
  work.name = "partial", work.kind = ParamKind::Workspace, work.bytes = m * DimExpr(256);
  work.zeroed = true;
  map.name = "A_map", map.kind = ParamKind::TensorMap, map.dtype = DType::BF16;
  map.map = {"A", {512, m}, {DimExpr::name("A_stride_0")}, {64, 128}, 128};
  map.map.l2Promotion = DimExpr(256) - DimExpr(128) * min(DimExpr(1), m % DimExpr(64));
  Launch launch;
  launch.symbol = "gemm_kernel";
  launch.grid = {ceilDiv(m, DimExpr(128)), DimExpr(1), DimExpr(1)};
  launch.block = {384, 1, 1};
  launch.cluster = {2, 1, 1};
  launch.sharedBytes = 229440;
  launch.early = true;
  launch.params = {a, c, scale, dim, stride, work, map};
  assignOffsets(launch.params);
  manifest.launches = {launch};
  return manifest;
}

std::string errorAfter(const std::string &from, const std::string &to) {
  std::string text = printManifest(sample());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Result<Manifest> manifest = parseManifest(text);
  return manifest ? "accepted" : manifest.error().message;
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Manifest, OffsetsFollowNaturalAlignment) {
  Launch launch = sample().launches[0];
  std::vector<int64_t> offsets;
  for (const Param &param : launch.params)
    offsets.push_back(param.offset);
  // 2-byte scalar, then a 4-byte dim at the next multiple of 4, then 8, 8, and 64 for the map.
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 8, 16, 20, 24, 32, 64}));
  EXPECT_EQ(launch.paramBytes(), 192);
}

TEST(Manifest, PrintsWhatItReads) {
  std::string text = printManifest(sample());
  Result<Manifest> read = parseManifest(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(printManifest(*read), text);
  EXPECT_EQ(read->launches[0].params[5].bytes.str(), "m * 256");
  EXPECT_TRUE(read->launches[0].params[5].zeroed);
  EXPECT_TRUE(read->launches[0].early);
  EXPECT_EQ(read->launches[0].params[6].map.swizzle, 128);
  EXPECT_EQ(read->launches[0].params[6].map.l2Promotion.str(), "256 - 128 * min(1, m % 64)");
  EXPECT_EQ(read->launches[0].params[1].access, Access::Write);
}

TEST(Manifest, NamesAndKindsStayAsWritten) {
  std::string text = printManifest(sample());
  for (const char *part :
       {R"("version": 1)", R"("kind": "tensormap")", R"("of": "A")", R"("dtype": "bfloat16")",
        R"_("ceildiv(m, 128)")_", R"("shared_bytes": 229440)", R"("access": "w")"})
    EXPECT_HAS(text, part);
}

TEST(Manifest, MapsWithoutPromotionAskFor256Bytes) {
  std::string text = printManifest(sample());
  size_t at = text.find("\"l2_promotion\"");
  ASSERT_NE(at, std::string::npos);
  text.erase(at, text.find('\n', at) - at);
  Result<Manifest> read = parseManifest(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->launches[0].params[6].map.l2Promotion.constant(), 256);
}

TEST(Manifest, IgnoresFieldsItDoesNotKnow) {
  EXPECT_EQ(errorAfter("\"version\": 1", "\"version\": 1, \"later\": {\"x\": [1]}"), "accepted");
}

TEST(Manifest, BlocksThatWaitForEachOtherAreVersionTwo) {
  Manifest manifest = sample();
  Launch &launch = manifest.launches[0];
  launch.cooperative = true;
  launch.early = false;
  launch.params[5].bytes = 4;
  auto read = [&] { return parseManifest(printManifest(manifest)); };
  EXPECT_HAS(read().error().message, "version 1, with cooperative launches it is 2");
  manifest.version = cooperativeManifestVersion;
  Result<Manifest> again = read();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->version, 2);
  EXPECT_TRUE(again->launches[0].cooperative);
  ASSERT_NE(again->launches[0].barrier(), nullptr);
  EXPECT_EQ(again->launches[0].barrier()->name, "partial");
  launch.early = true;
  EXPECT_HAS(read().error().message, "does not begin early");
  launch.early = false;
  launch.params[5].zeroed = false;
  EXPECT_HAS(read().error().message, "one zeroed workspace of 4 bytes");
}

TEST(Manifest, MapsOfImagesAreVersionThree) {
  Manifest manifest = sample();
  Launch &launch = manifest.launches[0];
  TensorMapSpec &map = launch.params[6].map;
  map.dims = {64, 8, 8, DimExpr::name("m")};
  map.strides = {64, 512, 4096};
  map.im2col = {{-1, -2}, {-1, 0}, {1, 2}};
  auto read = [&] { return parseManifest(printManifest(manifest)); };
  EXPECT_HAS(read().error().message, "version 1, with im2col tensor maps it is 3");
  manifest.version = im2colManifestVersion;
  Result<Manifest> again = read();
  ASSERT_TRUE(again) << again.error().message;
  const Im2colSpec &im2col = *again->launches[0].params[6].map.im2col;
  EXPECT_EQ(im2col.lower, (std::vector<int64_t>{-1, -2}));
  EXPECT_EQ(im2col.upper, (std::vector<int64_t>{-1, 0}));
  EXPECT_EQ(im2col.steps, (std::vector<int64_t>{1, 2}));
  auto refuses = [&](auto change, const char *why) {
    TensorMapSpec good = map;
    change(map);
    EXPECT_HAS(read().error().message, why);
    map = good;
  };
  refuses([](TensorMapSpec &m) { m.box = {64, 8, 8, 1}; }, "4 dims want 3 strides and 2 box");
  refuses([](TensorMapSpec &m) { m.im2col->lower = {-129, 0}; },
          "im2col.lower: -129, -128 to 127 expected");
  refuses([](TensorMapSpec &m) { m.im2col->steps = {9, 1}; }, "im2col.steps: 9, 1 to 8 expected");
  refuses([](TensorMapSpec &m) { m.im2col->upper = {0}; },
          "im2col.upper has 1 numbers, 2 expected");
  refuses([](TensorMapSpec &m) { m.dims.pop_back(), m.strides.pop_back(); },
          "im2col: the tensor has 3 dims, 4 expected");
}

TEST(Manifest, RefusesUnknownVersions) {
  EXPECT_HAS(errorAfter("\"version\": 1", "\"version\": 4"), "version 4, this reader knows 1 to 3");
  EXPECT_HAS(errorAfter("\"version\": 1", "\"version\": 0"), "version 0, this reader knows 1 to 3");
  EXPECT_HAS(errorAfter("\"version\": 1", "\"version\": 2"),
             "manifest version 2, without cooperative launches it is 1");
  EXPECT_HAS(errorAfter("\"version\": 1,", ""), "version is missing");
}

TEST(Manifest, NamesTheFieldThatIsWrong) {
  EXPECT_HAS(errorAfter("\"symbol\": \"gemm_kernel\"", "\"symbol\": 3"),
             "launches[0].symbol is no string");
  EXPECT_HAS(errorAfter("\"ceildiv(m, 128)\"", "\"ceildiv(m 128)\""), "launches[0].grid");
  EXPECT_HAS(errorAfter("\"ceildiv(m, 128)\"", "\"q\""), "`q`");
  EXPECT_HAS(errorAfter("\"bfloat16\"", "\"float17\""), "unknown dtype `float17`");
  EXPECT_HAS(errorAfter("\"kind\": \"dim\"", "\"kind\": \"size\""), "unknown kind `size`");
  EXPECT_HAS(errorAfter("\"of\": \"A\"", "\"of\": \"Z\""), "there is no tensor `Z`");
  EXPECT_HAS(errorAfter("\"swizzle\": 128", "\"swizzle\": 7"), "swizzle: 7");
  EXPECT_HAS(errorAfter("\"offset\": 16", "\"offset\": 9"), "offset 9, 16 or a later multiple");
  EXPECT_HAS(errorAfter("\"offset\": 8", "\"offset\": 0"), "offset 0, 8 or a later multiple");
  EXPECT_HAS(errorAfter("\"size\": 2", "\"size\": 4"), "size 4, its kind takes 2");
  EXPECT_HAS(errorAfter("\"C\"\n  ]", "\"A\"\n  ]"), "outputs: `A` is no tensor that a launch");
  EXPECT_HAS(errorAfter("384", "3840"), "product at most 1024");
  EXPECT_HAS(errorAfter("384", "99999999999999999999"), "no 64-bit integer");
}

TEST(Manifest, SurvivesBadJson) {
  for (const std::string &text :
       {std::string(), std::string("{"), std::string("[1, 2]"), std::string("\xff\xfe"),
        std::string("null"), std::string(100000, '['),
        std::string(R"({"version": 1, "kernel": "k", "target": "t", "dims": [], "outputs": [], )"
                    R"("launches": [3]})")})
    EXPECT_FALSE(parseManifest(text)) << text.substr(0, 60);
  // Every prefix of a good file is bad, none crashes.
  std::string good = printManifest(sample());
  for (size_t length = 0; length + 2 < good.size(); length += 7)
    EXPECT_FALSE(parseManifest(good.substr(0, length)));
}

TEST(Manifest, TheDocumentedExampleIsValid) {
  Result<std::string> page = readFile(TILEC_TEST_DATA "/../../docs/deploy/launch-manifest.md");
  ASSERT_TRUE(page) << page.error().message;
  size_t begin = page->find("```json\n") + 8, end = page->find("```", begin);
  Result<Manifest> manifest = parseManifest(page->substr(begin, end - begin));
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(*manifest->launches[0].grid[0].evaluate({{"m", 129}}), 2);
  EXPECT_EQ(manifest->launches[0].paramBytes(), 28);
}

// Any damage to a file gives a manifest or a message. The generator is fixed.
TEST(Manifest, SurvivesDamagedText) {
  const std::string good = printManifest(sample());
  uint32_t state = 1;
  auto next = [&state](uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  };
  const std::string pieces[] = {"-1",   "1e999",       "\"",     "{",   "[",
                                "null", "99999999999", "m // 0", "\xc3"};
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (uint32_t hits = 1 + next(3); hits > 0; --hits) {
      size_t at = next(static_cast<uint32_t>(text.size()));
      if (next(2))
        text[at] = static_cast<char>(next(256));
      else
        text.replace(at, next(6), pieces[next(9)]);
    }
    Result<Manifest> manifest = parseManifest(text);
    if (!manifest) {
      ASSERT_FALSE(manifest.error().message.empty());
      continue;
    }
    ++read;
    ASSERT_TRUE(parseManifest(printManifest(*manifest)));
  }
  EXPECT_GT(read, 10); // some damage is to blanks and names
}

TEST(Manifest, ArgumentsAreTensorsAndScalarsOnce) {
  Manifest manifest = sample();
  manifest.launches.push_back(manifest.launches[0]);
  manifest.launches[1].params[1].access = Access::Read; // the second launch reads C
  std::vector<Param> list = manifest.arguments();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].name, "A");
  EXPECT_EQ(list[1].name, "C");
  EXPECT_EQ(list[1].access, Access::ReadWrite);
  EXPECT_EQ(list[2].name, "scale");
}

} // namespace

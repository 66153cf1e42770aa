//===- MfmaTest.cpp - matrix instructions against published layouts -------===//
//
// test/data/mfma_layouts says which matrix element every register slot of every lane
// holds. Each instruction is run on small random integers, which all formats hold
// exactly, and every element of D is compared.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include "tilec/Base/DType.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

using namespace tilec;
using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

/// How one operand's elements are stored.
struct Encoding {
  unsigned bits;
  DType type;
};

struct Operand {
  Encoding encoding;
  const llvm::json::Array *layout; ///< [lane][slot] -> element index
  std::vector<double> values;      ///< by element index
  unsigned registers() const {
    return static_cast<unsigned>((*layout)[0].getAsArray()->size() * encoding.bits + 31) / 32;
  }
};

uint64_t encode(Encoding encoding, double value) {
  if (isInteger(encoding.type))
    return encodeInt(encoding.type, static_cast<int64_t>(value));
  return encodeFloat(encoding.type, value);
}
double decode(Encoding encoding, uint64_t bits) {
  return isInteger(encoding.type) ? static_cast<double>(decodeInt(encoding.type, bits))
                                  : decodeFloat(encoding.type, bits);
}

/// The registers of an operand, first register number `first` of file `file`.
void place(const Operand &operand, const std::string &file, unsigned first,
           std::map<std::string, Lanes> &in) {
  unsigned bits = operand.encoding.bits;
  for (unsigned r = 0; r < operand.registers(); ++r)
    in[file + std::to_string(first + r)] = all(0);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const llvm::json::Array &slots = *(*operand.layout)[lane].getAsArray();
    for (unsigned s = 0; s < slots.size(); ++s) {
      uint64_t code = encode(operand.encoding, operand.values[*slots[s].getAsInteger()]);
      unsigned at = s * bits;
      in[file + std::to_string(first + at / 32)][lane] |= static_cast<uint32_t>(code << at % 32);
      if (at % 32 + bits > 32)
        in[file + std::to_string(first + at / 32 + 1)][lane] |=
            static_cast<uint32_t>(code >> (32 - at % 32));
    }
  }
}

std::string range(const std::string &file, unsigned first, unsigned count) {
  return count == 1
             ? file + std::to_string(first)
             : file + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

class Layouts {
public:
  explicit Layouts(const std::string &file) {
    auto buffer =
        llvm::MemoryBuffer::getFile(std::string(TILEC_TEST_DATA) + "/mfma_layouts/" + file);
    EXPECT_TRUE(bool(buffer)) << file;
    auto parsed = llvm::json::parse((*buffer)->getBuffer());
    EXPECT_TRUE(bool(parsed));
    root = std::move(*parsed);
  }
  const llvm::json::Object &instructions() const { return *root.getAsObject(); }

private:
  llvm::json::Value root = nullptr;
};

struct Case {
  std::string cpu, mnemonic, modifiers;
  Encoding a, b, c;
  bool operandsInAgprs = false;
};

void check(const Case &test, const llvm::json::Object &info) {
  SCOPED_TRACE(test.cpu + " " + test.mnemonic + test.modifiers);
  auto number = [&](const char *key) { return static_cast<unsigned>(*info.getInteger(key)); };
  unsigned m = number("m"), n = number("n"), k = number("k"), blocks = number("blocks");
  const llvm::json::Object &layout = *info.getObject("layout");
  std::mt19937 random(7);
  auto fill = [&](const char *name, unsigned count, Encoding encoding, int limit) {
    Operand operand{encoding, layout.getArray(name), {}};
    for (unsigned i = 0; i < count; ++i)
      operand.values.push_back(static_cast<int>(random() % (2 * limit + 1)) - limit);
    return operand;
  };
  Operand a = fill("A", blocks * m * k, test.a, 3), b = fill("B", blocks * k * n, test.b, 3),
          c = fill("C", blocks * m * n, test.c, 50);
  Snippet snippet;
  snippet.cpu = test.cpu;
  snippet.kernel.vgprs = 256;
  snippet.kernel.accumOffset = 128;
  std::string file = test.operandsInAgprs ? "a" : "v";
  place(a, file, 8, snippet.in);
  place(b, file, 24, snippet.in);
  place(c, "v", 40, snippet.in);
  unsigned count = c.registers();
  std::string dst = test.operandsInAgprs ? "v" : "a"; // the other file, to see both used
  if (!test.operandsInAgprs)                          // C comes with D's register class
    for (unsigned r = 0; r < count; ++r)
      snippet.body +=
          "v_accvgpr_write_b32 a" + std::to_string(r) + ", v" + std::to_string(40 + r) + "\n";
  unsigned d = test.operandsInAgprs ? 40 : 0;
  snippet.body += "s_nop 4\n" + test.mnemonic + " " + range(dst, d, count) + ", " +
                  range(file, 8, a.registers()) + ", " + range(file, 24, b.registers()) + ", " +
                  range(dst, d, count) + test.modifiers + "\n";
  for (unsigned r = 0; r < count; ++r)
    snippet.out.push_back(dst + std::to_string(d + r));
  auto results = snippet.run();
  ASSERT_TRUE(snippet.result.ok()) << llvm::toString(snippet.result.toError());

  const llvm::json::Array &layoutD = *layout.getArray("D");
  unsigned wrong = 0;
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned slot = 0; slot < layoutD[lane].getAsArray()->size(); ++slot) {
      auto element = static_cast<unsigned>(*(*layoutD[lane].getAsArray())[slot].getAsInteger());
      unsigned block = element / (m * n), i = element / n % m, j = element % n;
      double expected = c.values[element];
      for (unsigned kk = 0; kk < k; ++kk)
        expected += a.values[(block * m + i) * k + kk] * b.values[(block * k + kk) * n + j];
      unsigned at = slot * test.c.bits / 32;
      uint64_t bits = results[dst + std::to_string(d + at)][lane];
      if (test.c.bits == 64)
        bits |= static_cast<uint64_t>(results[dst + std::to_string(d + at + 1)][lane]) << 32;
      wrong += decode(test.c, bits) != expected;
    }
  EXPECT_EQ(wrong, 0u);
}

Encoding encodingOf(const std::string &name, bool fnuz) {
  if (name == "f16")
    return {16, DType::F16};
  if (name == "bf16")
    return {16, DType::BF16};
  if (name == "i8")
    return {8, DType::I8};
  if (name == "i32")
    return {32, DType::I32};
  if (name == "f64")
    return {64, DType::F64};
  if (name == "fp8")
    return {8, fnuz ? DType::E4M3FNUZ : DType::E4M3FN};
  if (name == "bf8")
    return {8, fnuz ? DType::E5M2FNUZ : DType::E5M2};
  if (name == "fp4")
    return {4, DType::E2M1};
  return {32, DType::F32};
}

void checkFile(const std::string &cpu, const std::string &file) {
  Layouts layouts(file);
  unsigned checked = 0;
  for (const auto &[key, value] : layouts.instructions()) {
    std::string name = key.str();
    if (name.find('/') != std::string::npos || name.find("f8f6f4") != std::string::npos)
      continue;
    // v_mfma_<result>_<shape>[_<n>b]_<a>[_<b>]
    llvm::SmallVector<llvm::StringRef, 8> parts;
    llvm::StringRef(name).split(parts, '_');
    std::string b = parts.back().str(), a = b;
    if (parts[parts.size() - 2] == "fp8" || parts[parts.size() - 2] == "bf8")
      a = parts[parts.size() - 2].str();
    bool fnuz = cpu == "gfx942";
    Case test{
        cpu, name, "", encodingOf(a, fnuz), encodingOf(b, fnuz), encodingOf(parts[2].str(), fnuz)};
    check(test, *value.getAsObject());
    test.operandsInAgprs = true;
    check(test, *value.getAsObject());
    ++checked;
  }
  EXPECT_GE(checked, 30u);
}

TEST(Mfma, PlacesOperandsAsPublishedOnGfx942) { checkFile("gfx942", "gfx942_calc.json"); }
TEST(Mfma, PlacesOperandsAsPublishedOnGfx950) { checkFile("gfx950", "gfx950.json"); }

TEST(Mfma, F8F6F4TakesTheFormatOfEachOperand) {
  Layouts layouts("gfx950.json");
  // CBSZ and BLGP: 0 fp8, 1 bf8, 4 fp4 (and 2 fp6, 3 bf6).
  for (const char *name : {"v_mfma_f32_16x16x128_f8f6f4", "v_mfma_f32_32x32x64_f8f6f4"}) {
    const llvm::json::Object &info = *layouts.instructions().getObject(name);
    Encoding fp8{8, DType::E4M3FN}, bf8{8, DType::E5M2}, fp4{4, DType::E2M1}, f32{32, DType::F32};
    check({"gfx950", name, "", fp8, fp8, f32}, info);
    check({"gfx950", name, " cbsz:1", bf8, fp8, f32}, info);
    check({"gfx950", name, " blgp:1", fp8, bf8, f32}, info);
    check({"gfx950", name, " cbsz:4 blgp:4", fp4, fp4, f32}, info);
    check({"gfx950", name, " cbsz:4", fp4, fp8, f32}, info);
  }
}

TEST(Mfma, IgnoresExecAndTakesInlineConstants) {
  Snippet snippet;
  snippet.in = {{"v1", allF(2)}, {"v2", allF(3)}};
  snippet.body =
      "s_mov_b64 exec, 1\nv_mfma_f32_16x16x4_f32 v[10:13], v1, v2, 1.0\ns_mov_b64 exec, -1";
  snippet.out = {"v10", "v13"};
  auto results = snippet.run();
  EXPECT_EQ(results["v10"], allF(25)); // 1 + 4 * 6
  EXPECT_EQ(results["v13"], allF(25));
}

TEST(Mfma, KeepsDenormalsWhateverTheMode) {
  Snippet snippet;
  snippet.kernel.denorm32 = 0;
  snippet.in = {{"v1", all(1)}, {"v2", allF(1)}}; // the smallest f32 denormal
  snippet.body = "v_mfma_f32_16x16x4_f32 v[10:13], v1, v2, 0\nv_add_f32 v14, v1, v1";
  snippet.out = {"v10", "v14"};
  auto results = snippet.run();
  EXPECT_EQ(results["v10"], all(4));
  EXPECT_EQ(results["v14"], all(0)); // the vector unit flushes
}

// Row i of A scaled by 2^(sa - 127), column j of B by 2^(sb - 127).
TEST(Mfma, ScalesApplyToBlocksOf32) {
  Snippet snippet;
  snippet.in = {{"v4", lanes([](uint32_t i) { return i < 16 ? 129 : 127; })},
                {"v5", all(128 << 8)}};
  for (unsigned r = 8; r < 12; ++r)
    snippet.in["v" + std::to_string(r)] = snippet.in["v" + std::to_string(r + 16)] =
        all(0x22222222); // 1.0
  snippet.body = "v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[8:11], v[24:27], 0, v4, v5 "
                 "op_sel:[0,1,0] op_sel_hi:[0,0,0] cbsz:4 blgp:4";
  snippet.out = {"v40"};
  // Block 0 counts four times, all of B twice: 2 * (4 * 32 + 3 * 32).
  EXPECT_EQ(snippet.run1(), allF(448));
  EXPECT_TRUE(snippet.result.ok());
}

// All elements are 1 but those of slot 20 in lane group 0, which are 0: k = 20 in one order and 68
// in the other. Only block 0 has a scale other than 1.
TEST(Mfma, TheOrderOfScaledFp8IsAnOption) {
  Snippet snippet;
  snippet.in = {{"v4", lanes([](uint32_t i) { return i < 16 ? 129 : 127; })}, {"v5", all(127)}};
  for (unsigned r = 8; r < 16; ++r)
    snippet.in["v" + std::to_string(r)] = snippet.in["v" + std::to_string(r + 16)] =
        all(0x38383838);
  snippet.in["v13"] = lanes([](uint32_t i) { return i < 16 ? 0x38383800u : 0x38383838u; });
  snippet.body = "v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[8:15], v[24:31], 0, v4, v5 "
                 "op_sel_hi:[0,0,0]";
  snippet.out = {"v40"};
  snippet.launch.fp8ScaleOrder = Fp8ScaleOrder::Contiguous;
  EXPECT_EQ(snippet.run1(), allF(4 * 31 + 96));
  snippet.launch.fp8ScaleOrder = Fp8ScaleOrder::Split;
  EXPECT_EQ(snippet.run1(), allF(4 * 32 + 95));
  EXPECT_TRUE(snippet.result.ok());
}

TEST(Mfma, RefusesWhatTheSourcesDisagreeAbout) {
  Snippet snippet;
  snippet.in = {{"v4", lanes([](uint32_t i) { return i < 16 ? 129 : 127; })}, {"v5", all(127)}};
  for (unsigned r = 8; r < 16; ++r)
    snippet.in["v" + std::to_string(r)] = snippet.in["v" + std::to_string(r + 16)] =
        all(0x38383838);
  snippet.body = "v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[8:15], v[24:31], 0, v4, v5 "
                 "op_sel_hi:[0,0,0]";
  snippet.out = {"v40"};
  snippet.run();
  ASSERT_EQ(snippet.result.findings.size(), 1u);
  EXPECT_EQ(snippet.result.findings[0].kind, CheckKind::BadInstruction);
  EXPECT_FALSE(snippet.result.ok());
}

} // namespace

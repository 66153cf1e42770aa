//===- IsaSurveyTest.cpp - what is refused is what the documentation lists ===//
//
// Every opcode that LLVM's disassembler knows of gfx942 and gfx950 is executed, or
// docs/simulators/simulator.md names it under "Instructions that are refused".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/IsaSurvey.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <set>

using namespace tilec;
using namespace tilec::sim;

namespace {

/// The names in backticks of the list, whose items may have several lines; one may end in `*`.
std::vector<std::string> documentedNames() {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(TILEC_TEST_DATA) +
                                            "/../../docs/simulators/simulator.md");
  EXPECT_TRUE(bool(buffer));
  llvm::StringRef text = (*buffer)->getBuffer();
  llvm::StringRef section = text.split("\n## Instructions that are refused\n").second;
  section = section.split("\n## ").first;
  std::vector<std::string> names;
  llvm::SmallVector<llvm::StringRef, 0> parts, lines;
  section.split(lines, '\n');
  bool inItem = false;
  for (llvm::StringRef line : lines) {
    inItem = line.starts_with("* ") || (inItem && line.starts_with("  "));
    if (!inItem)
      continue;
    parts.clear();
    line.split(parts, '`');
    for (size_t i = 1; i < parts.size(); i += 2)
      names.push_back(parts[i].str());
  }
  return names;
}
bool matches(llvm::StringRef pattern, llvm::StringRef name) {
  return pattern.consume_back("*") ? name.starts_with(pattern) : name == pattern;
}
/// Without the suffix that names the encoding.
std::string baseName(llvm::StringRef name) {
  for (llvm::StringRef suffix : {"_e32", "_e64", "_sdwa", "_dpp"})
    if (name.consume_back(suffix))
      break;
  return name.str();
}

TEST(IsaSurvey, RefusesOnlyWhatTheDocumentationLists) {
  std::vector<std::string> documented = documentedNames();
  ASSERT_GT(documented.size(), 10u);
  std::set<std::string> used;
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950}) {
    auto entries = surveyIsa(arch);
    ASSERT_TRUE(bool(entries)) << llvm::toString(entries.takeError());
    EXPECT_GT(entries->size(), 1500u);
    for (const IsaEntry &entry : *entries) {
      std::string name = baseName(entry.name);
      bool listed = false;
      for (const std::string &pattern : documented)
        if (matches(pattern, name)) {
          listed = true;
          used.insert(pattern);
        }
      EXPECT_EQ(listed, !entry.refused.empty()) << entry.text << ": " << entry.refused;
    }
  }
  for (const std::string &pattern : documented)
    EXPECT_TRUE(used.count(pattern)) << pattern << " names no instruction";
}

// The survey reaches all encodings: one of each, and the newest of each kind.
TEST(IsaSurvey, SeesAllEncodings) {
  auto entries = surveyIsa(Arch::Gfx950);
  ASSERT_TRUE(bool(entries)) << llvm::toString(entries.takeError());
  std::set<std::string> names;
  for (const IsaEntry &entry : *entries)
    names.insert(entry.name);
  for (const char *name : {"s_add_u32",
                           "s_movk_i32",
                           "s_mov_b32",
                           "s_cmp_eq_i32",
                           "s_barrier",
                           "s_load_dwordx16",
                           "s_atomic_add_x2",
                           "v_mov_b32_e32",
                           "v_mov_b32_sdwa",
                           "v_mov_b32_dpp",
                           "v_cmp_eq_f32_sdwa",
                           "v_add_f32_dpp",
                           "v_fma_f64",
                           "v_div_scale_f64",
                           "v_pk_fma_f32",
                           "v_permlane32_swap_b32_e32",
                           "v_mfma_f32_32x32x16_bf16",
                           "v_mfma_scale_f32_16x16x128_f8f6f4",
                           "v_smfmac_i32_32x32x64_i8",
                           "v_cvt_scalef32_2xpk16_bf6_f32",
                           "ds_read_b96_tr_b6",
                           "ds_append",
                           "ds_nop",
                           "buffer_load_dwordx4 lds",
                           "buffer_atomic_pk_add_bf16",
                           "flat_load_dword",
                           "scratch_store_dwordx4",
                           "global_load_lds_dwordx3",
                           "tbuffer_load_format_xyzw"})
    EXPECT_TRUE(names.count(name)) << name;
}

} // namespace

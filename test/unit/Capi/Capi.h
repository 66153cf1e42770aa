//===- Capi.h - handles of the C interface for tests ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Compile.h"

#include "gtest/gtest.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

namespace capi_test {

template <auto Release> struct Releaser {
  template <typename T> void operator()(T *handle) const { Release(handle); }
};
template <typename T, auto Release> using Owned = std::unique_ptr<T, Releaser<Release>>;
using Compiler = Owned<tilec_compiler, tilec_compiler_release>;
using Program = Owned<tilec_program, tilec_program_release>;
using Binary = Owned<tilec_binary, tilec_binary_release>;

inline std::string_view text(tilec_str s) { return {s.data, s.size}; }
inline tilec_str str(std::string_view s) { return {s.data(), s.size()}; }

inline Compiler compiler() {
  tilec_compiler_options options{};
  options.size = sizeof options;
  options.cache_dir = "";
  tilec_compiler *made = nullptr;
  EXPECT_EQ(tilec_compiler_create(&options, &made), TILEC_OK);
  return Compiler(made);
}

inline Program program(tilec_compiler *compiler, std::string_view name, std::string_view source) {
  tilec_program *made = nullptr;
  EXPECT_EQ(tilec_program_from_text(compiler, str(name), str(source), nullptr, &made), TILEC_OK);
  return Program(made);
}

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline tilec_compile_options options(const char *target, const char *entry = nullptr) {
  tilec_compile_options made{};
  made.size = sizeof made;
  made.target = target;
  made.entry = entry;
  made.ptx_assembler = "none";
  return made;
}

inline Binary compile(tilec_program *program, const tilec_compile_options &options,
                      tilec_status wanted = TILEC_OK) {
  tilec_binary *made = nullptr;
  EXPECT_EQ(tilec_compile(program, &options, &made), wanted) << text(tilec_binary_log(made));
  return Binary(made);
}

} // namespace capi_test

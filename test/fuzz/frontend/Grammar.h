//===- Grammar.h - random pieces of scripts -------------------------------===//
//
// Expressions and statements of the language, drawn from its own tables (Intrinsics.def, Math.def)
// and from the names of the text they will stand in. Most are well formed, many are ill typed: that
// is what reaches past the parser.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilec::fuzz {

class Grammar {
public:
  /// The same seed and names give the same pieces.
  Grammar(uint64_t seed, std::vector<std::string> names);

  std::string expression(unsigned depth = 3);
  /// One statement with its block, each line ended; the first is indented by `indent`.
  std::string statement(unsigned indent, unsigned depth = 2);
  std::string name();
  std::string number();
  std::string string();
  std::string operatorText();

  uint64_t below(uint64_t bound); ///< uniform in [0, bound)
  bool oneIn(uint64_t n) { return below(n) == 0; }
  template <typename List> auto pick(const List &list) { return list[below(std::size(list))]; }

private:
  std::string call(unsigned depth);
  std::string tileCall(unsigned depth);
  std::string arguments(std::string_view signature, unsigned depth);
  std::string method(unsigned depth);
  std::string display(unsigned depth);
  std::string comprehension(unsigned depth);
  std::string formatted(unsigned depth);
  std::string index(unsigned depth);
  std::string target();
  std::string iterable(unsigned depth);
  std::string simple(unsigned depth);
  std::string block(unsigned indent, unsigned depth);

  uint64_t state;
  std::vector<std::string> names;
};

} // namespace tilec::fuzz

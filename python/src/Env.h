//===- Env.h - the interpreter as the environment of a program ------------===//
//
// Answers the compiler's questions with a Python object that has the methods lookup,
// attribute, call, source and release; tilec/_env.py is one. Values cross as tuples that
// begin with their tilec_host_kind.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

#include "tilec-c/Compile.h"

#include <deque>
#include <vector>

namespace tilec::python {

class Env {
public:
  explicit Env(nb::object answers) : answers(std::move(answers)) {}

  /// The functions over a new Env, which `destroy` deletes.
  static tilec_env make(nb::object answers);

private:
  // All run with the interpreter's lock held.
  tilec_status lookup(uint64_t scope, tilec_str name, tilec_host_value *value);
  tilec_status attribute(uint64_t object, tilec_str name, tilec_host_value *value);
  tilec_status call(uint64_t object, const tilec_host_value *args, size_t argCount,
                    const tilec_keyword *keywords, size_t keywordCount, tilec_host_value *value);
  tilec_status source(uint64_t function, tilec_function_source *source);

  template <typename Body> tilec_status answer(tilec_host_value *value, Body body);
  tilec_host_value encode(nb::handle tuple);
  nb::object decode(const tilec_host_value &value);
  tilec_str keep(nb::handle text);

  nb::object answers;
  // What the last answer points to.
  std::deque<std::string> texts;
  std::deque<std::vector<tilec_host_value>> lists;
};

} // namespace tilec::python

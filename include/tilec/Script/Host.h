//===- Host.h - the program around a script -------------------------------===//
//
// A script that is compiled inside of another program (a Python interpreter) may use
// names of that program. They are asked for when they are needed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec::script {

/// A value that script and host exchange; tilec-c/Compile.h says what a kind's fields are.
struct HostValue {
  enum Kind : uint8_t {
    None,
    Bool,
    Int,
    Float,
    Str,
    DType,
    List,
    Tuple,
    Dict,
    Tensor,
    Module,
    Function,
    Object,
  };
  Kind kind = None;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<HostValue> items;
  uint64_t object = 0;
};

/// What a host answers: a value, a reason why there is none, or neither where it knows nothing.
struct HostAnswer {
  std::optional<HostValue> value;
  std::string reason;
};

struct HostFunction {
  std::string name, text, file;
  uint32_t firstLine = 1;
};

class Host {
public:
  virtual ~Host() = default;
  /// A name of the script (`scope` 0) or of a function of the host.
  virtual HostAnswer lookup(uint64_t scope, llvm::StringRef name) = 0;
  virtual HostAnswer attribute(uint64_t object, llvm::StringRef name) = 0;
  virtual HostAnswer call(uint64_t object, llvm::ArrayRef<HostValue> args,
                          llvm::ArrayRef<std::pair<std::string, HostValue>> keywords) = 0;
  /// Nothing where a function has no text.
  virtual std::optional<HostFunction> source(uint64_t function) = 0;
};

} // namespace tilec::script

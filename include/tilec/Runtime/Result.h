//===- Result.h - a value or the reason why there is none -----------------===//
//
// The runtime must build without LLVM, so it has no llvm::Expected. An error is
// a message for a person: what failed, with path or driver code, and where there
// is one, what to do.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tilec::rt {

struct Error {
  std::string message;
};

/// Puts `context` and a colon before the message: where the failing thing was asked for.
inline Error inContext(std::string_view context, Error error) {
  return {std::string(context) + ": " + error.message};
}

/// A T or an Error. Ask with `if (!result)`, then take `*result` or `result.error()`.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() & {
    assert(*this && "no value: ask before taking it");
    return *std::get_if<0>(&state);
  }
  const T &operator*() const & {
    assert(*this && "no value: ask before taking it");
    return *std::get_if<0>(&state);
  }
  T &&operator*() && {
    assert(*this && "no value: ask before taking it");
    return std::move(*std::get_if<0>(&state));
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  const Error &error() const {
    assert(!*this && "there is no error");
    return *std::get_if<1>(&state);
  }

private:
  std::variant<T, Error> state;
};

/// Success or an Error: `return success();`, `return Error{"..."};`.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : state(std::move(error)) {}

  explicit operator bool() const { return !state; }
  const Error &error() const {
    assert(state && "there is no error");
    return *state;
  }

private:
  std::optional<Error> state;
};

using Status = Result<void>;
inline Status success() { return {}; }

} // namespace tilec::rt

//===- CHandles.h - what both C interfaces are made of --------------------===//
//
// Handles with counts, structures that carry their size, text.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Core.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string_view>

namespace tilec::capi {

/// A count of owners; the last one deletes.
template <typename Derived> class Counted {
public:
  void retain() { count.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (count.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete static_cast<Derived *>(this);
  }

protected:
  Counted() = default;
  ~Counted() = default;

private:
  std::atomic<unsigned> count{1};
};

inline tilec_str toC(std::string_view text) { return {text.data(), text.size()}; }

/// The caller's options with everything that its header did not have cleared. Nothing where it has
/// set no size.
template <typename Options> std::optional<Options> readOptions(const Options *given) {
  Options options{};
  if (!given)
    return options;
  if (given->size < sizeof(size_t))
    return std::nullopt;
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

/// Fills what the caller's header knows of `value`. False where it has set no size.
template <typename Struct> bool writeStruct(Struct *out, Struct value) {
  if (!out || out->size < sizeof(size_t))
    return false;
  value.size = out->size;
  std::memcpy(out, &value, std::min(out->size, sizeof value));
  return true;
}

} // namespace tilec::capi

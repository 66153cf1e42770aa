//===- RegisterMap.h - something for each of a wave's registers -----------===//
//
// A map from registers to T. The integers of a wave are followed through every instruction that it
// executes, so finding and forgetting have to be a few machine instructions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"

#include <array>
#include <vector>

namespace tilec::report {

using RegisterKey = std::pair<RegisterFile, unsigned>;

template <typename T> class RegisterMap {
public:
  /// nullptr: there is nothing.
  const T *find(RegisterKey key) const {
    const File &file = files[unsigned(key.first)];
    return key.second < file.has.size() && file.has[key.second] ? &file.values[key.second]
                                                                : nullptr;
  }

  void set(RegisterKey key, T value) {
    File &file = files[unsigned(key.first)];
    if (key.second >= file.has.size()) {
      file.has.resize(key.second + 1);
      file.values.resize(key.second + 1);
    }
    size += !file.has[key.second];
    file.has[key.second] = true;
    file.values[key.second] = std::move(value);
  }

  void erase(RegisterKey key) { erase(key, 1); }

  /// Those of `count` registers from `first` on.
  void erase(RegisterKey first, unsigned count) {
    if (size == 0)
      return;
    File &file = files[unsigned(first.first)];
    unsigned end = std::min<size_t>(file.has.size(), size_t(first.second) + count);
    for (unsigned i = first.second; i < end; ++i) {
      size -= file.has[i];
      file.has[i] = false;
    }
  }

private:
  struct File {
    std::vector<uint8_t> has;
    std::vector<T> values;
  };

  std::array<File, unsigned(RegisterFile::Other) + 1> files;
  size_t size = 0;
};

} // namespace tilec::report

//===- DiskCache.h - results kept on disk by what they were made from -----===//
//
// A folder of files, each named by the digest of everything that decided its
// contents. Any number of processes may use one folder: an entry appears whole by
// a rename, and one that is damaged counts as absent. Nothing here is ever an
// error for the user: a cache that cannot be read or written is a slow cache.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA256.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilec {

/// Digest of a list of fields; the length of each counts, so that no two lists run together.
class CacheKey {
public:
  /// `kind` keeps the entries of different makers apart.
  explicit CacheKey(llvm::StringRef kind) { add(kind); }
  CacheKey &add(llvm::StringRef field);
  CacheKey &add(uint64_t number);
  /// 64 hexadecimal digits.
  std::string hex() const;

private:
  llvm::SHA256 digest;
};

class DiskCache {
public:
  static constexpr uint64_t defaultLimitBytes = uint64_t(512) << 20;

  /// Uses `folder`, which is made with the first entry. More than `limitBytes` of entries are cut
  /// down to three quarters of it, the least recently used first.
  explicit DiskCache(std::string folder, uint64_t limitBytes = defaultLimitBytes)
      : root(std::move(folder)), limit(limitBytes) {}

  /// $TILEC_CACHE_DIR (`none`: there is no cache), else tilec in $XDG_CACHE_HOME or in ~/.cache.
  static std::optional<std::string> defaultFolder();
  /// $TILEC_CACHE_LIMIT in MiB, else the default.
  static uint64_t limitFromEnvironment();

  /// What was stored under this key. A hit makes the entry the most recently used one; a damaged
  /// entry is removed.
  std::optional<std::string> find(const CacheKey &key) const;

  /// False when the entry could not be written.
  bool store(const CacheKey &key, llvm::StringRef contents) const;

  const std::string &folder() const { return root; }
  std::string pathOf(const CacheKey &key) const;

private:
  /// Counts a stored entry. Bytes of all entries then, as far as is known; nothing where they must
  /// be counted anew: by the first writer, and now and then.
  std::optional<uint64_t> addSize(uint64_t bytes) const;
  void evict() const;
  std::string sizesPath() const;

  const std::string root;
  const uint64_t limit;
};

/// Names the code of this process: build ids of the program and of LLVM's libraries. What one
/// compiler has made is nothing for another.
std::string programIdentity();
/// Names a file that a result depends on by path, size and time of change; empty without it.
std::string fileIdentity(llvm::StringRef path);

} // namespace tilec

//===- CacheOptions.h - the cache on a tool's command line ----------------===//
//
// Takes a tool's command line, adds the options of the cache, and opens it as they say.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Support/DiskCache.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace tilec {

struct CacheOptions {
  std::string folder; ///< empty: the usual place
  bool isOff = false;
};

inline void addCacheOptions(CLI::App &app, CacheOptions &options) {
  app.add_option("--cache-dir", options.folder,
                 "where compiled programs are kept (default: $TILEC_CACHE_DIR, else tilec in "
                 "$XDG_CACHE_HOME or ~/.cache)");
  app.add_flag("--no-cache", options.isOff, "compile everything anew and keep nothing");
}

/// Null when there is to be none.
inline std::shared_ptr<DiskCache> openCache(const CacheOptions &options) {
  std::optional<std::string> folder = options.folder;
  if (options.folder.empty())
    folder = DiskCache::defaultFolder();
  if (options.isOff || !folder)
    return nullptr;
  return std::make_shared<DiskCache>(*folder, DiskCache::limitFromEnvironment());
}

} // namespace tilec

//===- Library.h - a driver library opened at run time --------------------===//
//
// Nothing links a GPU driver: its functions are looked up by name, in a table of
// required and optional ones, so that a host without it gets a sentence and not a
// loader error.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Result.h"

#include <dlfcn.h>
#include <initializer_list>
#include <string>

namespace tilec::rt {

class Library {
public:
  /// Tries the names in order. Never closed: drivers do not survive dlclose.
  static Result<Library> open(std::initializer_list<std::string> names) {
    std::string tried;
    for (const std::string &name : names) {
      if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
        return Library(handle, name);
      tried += (tried.empty() ? "" : "; ") + std::string(dlerror());
    }
    return Error{tried};
  }

  /// Sets `function` to the first of `names` that the library has. The first one missing for good
  /// is remembered for `status`.
  template <typename Function>
  void required(Function &function, std::initializer_list<const char *> names) {
    optional(function, names);
    if (!function && missing.empty())
      missing = *names.begin();
  }
  template <typename Function>
  void optional(Function &function, std::initializer_list<const char *> names) {
    for (const char *name : names)
      if (void *symbol = dlsym(handle, name)) {
        function = reinterpret_cast<Function>(symbol);
        return;
      }
  }
  Status status() const {
    if (missing.empty())
      return success();
    return Error{path + " has no function " + missing + ": a newer driver is needed"};
  }

private:
  Library(void *handle, std::string path) : handle(handle), path(std::move(path)) {}

  void *handle;
  std::string path, missing;
};

} // namespace tilec::rt

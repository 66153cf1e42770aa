//===- VendorLibrary.h - where vendors' libraries lie ---------------------===//
//
// Takes the name of a library, finds its newest version on this machine and opens it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Result.h"

#include <initializer_list>
#include <vector>

namespace tilec::rt {

/// Where `file.VERSION` is looked for, in order: by the loader, in CUDA's usual folders, and in the
/// NVIDIA packages of the Pythons of $VIRTUAL_ENV and $PATH.
std::vector<std::string> vendorLibraryPlaces(const char *file,
                                             std::initializer_list<const char *> versions);

/// Opens the first that there is, or `path` where it is given. `name` is for messages.
Result<void *> openVendorLibrary(const char *name, const char *file,
                                 std::initializer_list<const char *> versions,
                                 const std::string &path);

/// Looks up the functions of an open library, and remembers which was missing first.
class VendorSymbols {
public:
  explicit VendorSymbols(void *library) : library(library) {}

  template <typename Function> void get(Function &function, const char *name) {
    function = reinterpret_cast<Function>(find(name));
  }
  /// An error where one was missing; `name` is the library's, for the message.
  Status status(const std::string &name) const;

private:
  void *find(const char *name);

  void *library;
  std::string missing;
};

} // namespace tilec::rt

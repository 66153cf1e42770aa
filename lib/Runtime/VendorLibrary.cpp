//===- VendorLibrary.cpp - where vendors' libraries lie -------------------===//
//
// Looks in CUDA's folders and in Python's packages; VendorLibrary.h has the order.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "VendorLibrary.h"

#include "RivalSpec.h"

#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

namespace tilec::rt {
namespace {

/// The folders that hold `bin/python3`: virtual environments, /usr and the like.
std::vector<std::string> pythonPrefixes() {
  std::vector<std::string> prefixes;
  if (const char *environment = std::getenv("VIRTUAL_ENV"))
    prefixes.emplace_back(environment);
  if (const char *path = std::getenv("PATH"))
    for (const std::string &folder : split(path, ':'))
      if (!folder.empty() && access((folder + "/python3").c_str(), X_OK) == 0)
        prefixes.push_back(folder + "/..");
  return prefixes;
}

void addMatches(const std::string &pattern, std::vector<std::string> &out) {
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i)
      out.emplace_back(found.gl_pathv[i]);
  globfree(&found);
}

} // namespace

std::vector<std::string> vendorLibraryPlaces(const char *file,
                                             std::initializer_list<const char *> versions) {
  std::vector<std::string> places;
  for (const char *version : versions)
    for (const char *folder :
         {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/"})
      places.push_back(std::string(folder) + file + version);
  for (const std::string &prefix : pythonPrefixes())
    for (const char *version : versions)
      for (const char *packages : {"site-packages", "dist-packages"})
        addMatches(prefix + "/lib/python3*/" + packages + "/nvidia/*/lib/" + file + version,
                   places);
  return places;
}

void *VendorSymbols::find(const char *name) {
  void *found = dlsym(library, name);
  if (!found && missing.empty())
    missing = name;
  return found;
}

Status VendorSymbols::status(const std::string &name) const {
  return missing.empty() ? success() : Status(Error{"this " + name + " has no " + missing});
}

Result<void *> openVendorLibrary(const char *name, const char *file,
                                 std::initializer_list<const char *> versions,
                                 const std::string &path) {
  std::vector<std::string> places{path};
  if (path.empty())
    places = vendorLibraryPlaces(file, versions);
  std::string first;
  for (const std::string &place : places) {
    if (void *handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    std::string reason = dlerror();
    if (first.empty())
      first = reason;
  }
  return Error{"there is no " + std::string(name) + " on this machine: " + first};
}

} // namespace tilec::rt

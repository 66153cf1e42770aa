//===- launch_each.cpp - many kernels on one GPU, in one process ----------===//
//
// usage: tilec-launch-each LIST.json
//
// LIST.json is a list of {"binary": FILE, "launch": [OPTION, VALUE, ...]}, with the options --arg,
// --dim and --seed of tilec-launch; the manifest is FILE.json. Launches each once, in order, with
// the driver opened once: what compute-sanitizer takes longest for is a process's start. Prints
// `ran FILE` for each. Exit code: 0 all ran, 2 at the first that did not, which is said.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Launch.h"
#include "tilec/Runtime/Npy.h"

#include "nlohmann/json.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

using namespace tilec;
using rt::Error;
using rt::Result;
using rt::Status;

struct Entry {
  std::string binary;
  std::vector<std::string> launch;
};

Result<std::vector<Entry>> readList(const std::string &path) {
  Result<std::string> text = rt::readFile(path);
  if (!text)
    return text.error();
  auto list = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array())
    return Error{path + " holds no list"};
  std::vector<Entry> entries;
  for (const auto &item : list)
    entries.push_back(
        {item.value("binary", std::string()), item.value("launch", std::vector<std::string>())});
  return entries;
}

Result<rt::ArgumentRequest> requestOf(const Entry &entry) {
  rt::ArgumentRequest request;
  for (size_t i = 0; i + 1 < entry.launch.size(); i += 2) {
    const std::string &option = entry.launch[i], &value = entry.launch[i + 1];
    if (option == "--arg") {
      Result<rt::ArgSpec> spec = rt::parseArgSpec(value);
      if (!spec)
        return spec.error();
      request.specs.push_back(std::move(*spec));
    } else if (option == "--dim") {
      auto dim = rt::parseDim(value);
      if (!dim)
        return dim.error();
      request.dims[dim->first] = dim->second;
    } else if (option == "--seed") {
      request.seed = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    } else {
      return Error{option + " is no option of a launch"};
    }
  }
  return request;
}

Status launch(const rt::Device &device, const Entry &entry) {
  Result<std::string> text = rt::readFile(entry.binary + ".json");
  Result<std::string> image = rt::readFile(entry.binary);
  if (!text || !image)
    return text ? image.error() : text.error();
  Result<rt::Manifest> manifest = rt::parseManifest(*text);
  if (!manifest)
    return manifest.error();
  Result<rt::ArgumentRequest> request = requestOf(entry);
  if (!request)
    return request.error();
  Result<rt::ArgumentSet> arguments = rt::makeArguments(*manifest, *request);
  if (!arguments)
    return arguments.error();
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(image->data()), image->size());
  Result<rt::Timing> ran = rt::launchProgram(device, *manifest, bytes, *arguments);
  return ran ? rt::success() : Status(ran.error());
}

} // namespace

int main(int argc, char **argv) {
  auto fail = [](const std::string &what, const Error &error) {
    std::printf("tilec-launch-each: %s: %s\n", what.c_str(), error.message.c_str());
    return 2;
  };
  if (argc != 2)
    return fail("usage", {"tilec-launch-each LIST.json"});
  Result<std::vector<Entry>> entries = readList(argv[1]);
  if (!entries)
    return fail(argv[1], entries.error());
  Result<rt::Device> device = rt::openCuda();
  if (!device)
    return fail("device", device.error());
  for (const Entry &entry : *entries) {
    if (Status s = launch(*device, entry); !s)
      return fail(entry.binary, s.error());
    std::printf("ran %s\n", entry.binary.c_str());
    std::fflush(stdout);
  }
  return 0;
}

//===- RunFiles.cpp - a fuzz target without libFuzzer ---------------------===//
//
// Runs the target once on each file, or on each file of a folder: the fixed corpus in CI, and one
// input by hand. The name is printed first, so that it is the last line before a crash; a file that
// takes longer than the limit ends the program.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

// Far above what any input takes (milliseconds), for slow machines and sanitizers.
constexpr unsigned secondsPerFile = 30;

std::vector<std::string> filesOf(const std::string &path) {
  std::vector<std::string> files;
  if (!std::filesystem::is_directory(path))
    return {path};
  for (const auto &entry : std::filesystem::directory_iterator(path))
    if (entry.is_regular_file())
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

bool runFile(const std::string &name) {
  std::ifstream stream(name, std::ios::binary);
  if (!stream) {
    std::fprintf(stderr, "%s: cannot be read\n", name.c_str());
    return false;
  }
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::printf("%s\n", name.c_str());
  std::fflush(stdout);
  alarm(secondsPerFile);
  // A copy of exactly this size, so that a sanitizer sees reads behind its end.
  std::vector<uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  alarm(0);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  size_t count = 0;
  for (int i = 1; i < argc; ++i)
    for (const std::string &name : filesOf(argv[i])) {
      if (!runFile(name))
        return 1;
      ++count;
    }
  std::printf("%zu inputs\n", count);
  return count == 0; // an empty corpus is a mistake
}

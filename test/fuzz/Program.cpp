//===- Program.cpp - the comments that say how a program is run -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Program.h"

#include <sstream>

namespace tilec::fuzz {
namespace {

/// Words separated by spaces; single quotes keep spaces.
std::vector<std::string> words(const std::string &line) {
  std::vector<std::string> out;
  std::string word;
  bool isQuoted = false, isWord = false;
  for (char c : line) {
    if (c == '\'') {
      isQuoted = !isQuoted;
      isWord = true;
    } else if (c == ' ' && !isQuoted) {
      if (isWord)
        out.push_back(word);
      word.clear();
      isWord = false;
    } else {
      word += c;
      isWord = true;
    }
  }
  if (isWord)
    out.push_back(word);
  return out;
}

rt::Status takeOption(Program &program, const std::string &option, const std::string &value) {
  if (option == "--seed") {
    program.request.seed = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
  } else if (option == "--entry") {
    program.entry = value;
  } else if (option == "--arg") {
    rt::Result<rt::ArgSpec> spec = rt::parseArgSpec(value);
    if (!spec)
      return spec.error();
    program.request.specs.push_back(*spec);
  } else if (option == "--dim") {
    rt::Result<std::pair<std::string, int64_t>> dim = rt::parseDim(value);
    if (!dim)
      return dim.error();
    program.request.dims[dim->first] = dim->second;
  } else {
    return rt::Error{"`# run:` takes --seed, --entry, --arg and --dim, found " + option};
  }
  return rt::success();
}

} // namespace

rt::Result<Program> parseProgram(std::string text) {
  Program program;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("# traits: ", 0) == 0)
      for (const std::string &trait : words(line.substr(10)))
        program.traits.insert(trait);
    if (line.rfind("# run: ", 0) != 0)
      continue;
    std::vector<std::string> options = words(line.substr(7));
    if (options.size() % 2)
      return rt::Error{"`# run:` has an option without a value"};
    for (size_t i = 0; i < options.size(); i += 2)
      if (rt::Status status = takeOption(program, options[i], options[i + 1]); !status)
        return status.error();
  }
  program.text = std::move(text);
  return program;
}

} // namespace tilec::fuzz

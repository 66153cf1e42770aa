//===- Messages.cpp - how a tool says what is wrong -----------------------===//
//
// Takes what a tool has to say, prints it as text or as JSON lines, and reads the option that
// decides.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Messages/Messages.h"

#include "tilec/Base/MessageJson.h"

#include <CLI/CLI.hpp>
#include <csignal>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace tilec {

Messages::Messages(std::string tool, int argc, char **argv, int failed)
    : name(std::move(tool)), failed(failed) {
  std::signal(SIGXFSZ, SIG_IGN); // a file beyond its limit is an error of writing, as a full disk
  constexpr std::string_view option = "--diagnostics";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    bool isNext = word == option && i + 1 < argc && std::string_view(argv[i + 1]) == "json";
    if (isNext || (word.starts_with(option) && word.substr(option.size()) == "=json"))
      form = "json";
  }
}

void Messages::addOption(CLI::App &app) {
  app.add_option(
         "--diagnostics", form,
         "text, or json: a JSON object a line for each message (docs/reference/diagnostics.md)")
      ->check(CLI::IsMember({"text", "json"}));
}

void Messages::say(DiagId id, const std::string &text) const {
  Severity severity = severityOf(id);
  std::string line;
  if (isJson()) {
    line = jsonOf({id, severity, text, std::nullopt, {}}) + "\n";
  } else {
    size_t end = std::min(text.find('\n'), text.size());
    line = name + ": " + std::string(nameOf(severity)) + ": " + text.substr(0, end) + " [" +
           std::string(nameOf(id)) + "]\n";
    std::string rest = end < text.size() ? text.substr(end + 1) : "";
    rest.resize(rest.find_last_not_of(" \t\r\n") + 1);
    if (!rest.empty())
      line += rest + "\n";
  }
  std::fwrite(line.data(), 1, line.size(), stderr);
}

/// What speaks against `text` as a value of an option that takes whole numbers, or nothing. CLI11
/// makes the largest number of one that is too large for 64 bits, and wraps those below 0.
static std::string problemOfNumber(const std::string &text, bool isSigned) {
  char *end = nullptr;
  errno = 0;
  std::strtoll(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || end == text.c_str())
    return "`" + text + "` is not a whole number";
  if (text.find('-') != std::string::npos && !isSigned)
    return "`" + text + "` is less than 0";
  if (!isSigned) {
    errno = 0;
    std::strtoull(text.c_str(), &end, 0);
  }
  return errno == ERANGE ? "`" + text + "` is too large" : "";
}

/// An option that takes whole numbers says itself what is wrong with another value.
static void checkWholeNumbers(CLI::App &app) {
  for (CLI::Option *option : app.get_options()) {
    std::string type = option->get_type_name();
    bool isSigned = type.starts_with("INT");
    if (isSigned || type.starts_with("UINT"))
      option->check(
          [isSigned](const std::string &text) { return problemOfNumber(text, isSigned); });
  }
}

std::optional<int> Messages::parse(CLI::App &app, int argc, char **argv) const {
  checkWholeNumbers(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // --help, --version
      int status = app.exit(error);
      return std::cout.flush() ? status : failedOutput(status, std::strerror(errno));
    }
    return usageError(std::string(error.what()) + "; --help lists the options");
  }
  return std::nullopt;
}

int Messages::failedOutput(int code, const std::string &problem) const {
  say(DiagId::CannotWrite, "cannot write to standard output: " + problem);
  return code ? code : failed;
}

int Messages::finish(int code) const {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return code;
  return failedOutput(code, std::strerror(errno));
}

} // namespace tilec

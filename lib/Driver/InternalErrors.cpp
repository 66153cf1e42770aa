//===- InternalErrors.cpp - faults of tilec that a script has found -------===//
//
// Takes a fault of a pass or of LLVM, gives a message with a number that is the same for the same
// fault, and the command that makes the script smaller.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "InternalErrors.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tilec {

std::optional<VerifierFinding> findingOf(MLIRContext &context,
                                         llvm::function_ref<LogicalResult()> verify) {
  std::optional<VerifierFinding> first;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (!first && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      first = {diagnostic.str(), diagnostic.getLocation()};
    return success();
  });
  if (succeeded(verify()))
    return std::nullopt;
  return first ? first : VerifierFinding{"no reason given", UnknownLoc::get(&context)};
}

std::string faultNumber(llvm::StringRef stage, llvm::StringRef text) {
  std::string kept = stage.str() + ' ';
  bool isQuoted = false;
  for (char c : text) {
    isQuoted ^= c == '`';
    if (!isQuoted && !llvm::isDigit(c))
      kept += c;
  }
  return llvm::utohexstr(llvm::xxh3_64bits(kept) & 0xffffff, /*LowerCase=*/true, /*Width=*/6);
}

static std::string quoted(llvm::StringRef word) {
  bool isPlain = !word.empty() && llvm::all_of(word, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("-_=./{}").contains(c);
  });
  if (isPlain)
    return word.str();
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string reduceLine(llvm::StringRef script, const CompileOptions &options,
                       llvm::StringRef faultNumber) {
  std::string line = "tilec-reduce " + quoted(script == "-" ? "SCRIPT.py" : script) +
                     " -o small.py --message " + quoted(("internal error " + faultNumber).str()) +
                     " -- tilec {} --target=" + std::string(nameOf(options.arch));
  if (!options.entry.empty())
    line += " --entry " + quoted(options.entry);
  if (!options.schedule.empty())
    line += " " + quoted("--schedule=" + options.schedule);
  if (options.strict)
    line += " --strict";
  if (options.verifyStages)
    line += " --verify-stages";
  return line + " --no-cache -o /dev/null";
}

} // namespace tilec

//===- ScriptTesting.h - helpers of the script tests ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/Parser.h"
#include "tilec/Script/Trace.h"

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tilec::script::testing {

inline std::string messages(const DiagnosticEngine &diags, bool withRemarks = false) {
  std::string out;
  llvm::raw_string_ostream os(out);
  diags.print(os, withRemarks);
  return out;
}

/// The tree of a module in fully parenthesised form, or the messages.
inline std::string parsed(llvm::StringRef text) {
  SourceManager sources;
  uint32_t file = sources.add("t.py", text.str());
  DiagnosticEngine diags(sources);
  auto module = parseModule(sources, file, diags);
  if (!module)
    return messages(diags);
  std::string out;
  llvm::raw_string_ostream os(out);
  ast::print(module->body, os);
  return out;
}

/// The repr of an expression after a module's text, or the messages.
inline std::string eval(llvm::StringRef expression, llvm::StringRef moduleText = "") {
  SourceManager sources;
  uint32_t file = sources.add("t.py", moduleText.str());
  DiagnosticEngine diags(sources);
  auto text = evaluateToText(sources, file, expression, Arch::Gfx950, diags);
  return text ? *text : messages(diags);
}

/// The listing of the traced kernel, or the messages.
inline std::string trace(llvm::StringRef text, llvm::StringRef entry = "",
                         Arch arch = Arch::Gfx950) {
  SourceManager sources;
  uint32_t file = sources.add("t.py", text.str());
  DiagnosticEngine diags(sources);
  auto program = traceEntry(sources, file, entry, arch, diags);
  if (!program)
    return messages(diags);
  std::string out;
  llvm::raw_string_ostream os(out);
  dump(*program, os);
  return out;
}

/// A kernel of one block around `body` (lines at column 0), with tensors A and B of 64 x 64 floats
/// and I of 64 integers.
inline std::string kernel(llvm::StringRef body, llvm::StringRef before = "") {
  std::string out = "import tilelang.language as T\n";
  out += before;
  out += "@T.prim_func\n"
         "def k(A: T.Tensor((64, 64), 'float32'), B: T.Tensor((64, 64), 'float32'),\n"
         "      I: T.Tensor((64,), 'int32')):\n"
         "    with T.Kernel(4, threads=64) as bx:\n";
  while (!body.empty()) {
    auto [line, rest] = body.split('\n');
    out += "        " + line.str() + "\n";
    body = rest;
  }
  return out;
}

/// The statements of such a kernel without the head of the listing.
inline std::string traceBody(llvm::StringRef body, llvm::StringRef before = "") {
  std::string out = trace(kernel(body, before));
  size_t at = out.find("launch");
  return at == std::string::npos ? out : out.substr(out.find('\n', at) + 1);
}

} // namespace tilec::script::testing

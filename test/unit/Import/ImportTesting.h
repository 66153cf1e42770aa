//===- ImportTesting.h - scripts to Tile IR, and through the reference ----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "RunHelper.h"

#include "tilec/Import/Import.h"
#include "tilec/Script/Trace.h"

#include "llvm/Support/raw_ostream.h"

namespace tilec::test {

/// A script, traced and imported.
class Imported {
public:
  explicit Imported(const std::string &text, const std::string &entry = "") : diags(sources) {
    uint32_t file = sources.add("t.py", text);
    traced = script::traceEntry(sources, file, entry, Arch::Gfx950, diags);
    if (traced)
      module = importProgram(context, *traced, sources, diags);
    if (module)
      EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  }

  std::string messages(bool withRemarks = false) const {
    std::string out;
    llvm::raw_string_ostream os(out);
    diags.print(os, withRemarks);
    return out;
  }
  std::string ir() {
    if (!module)
      return messages();
    std::string out;
    llvm::raw_string_ostream os(out);
    module->print(os);
    return out;
  }

  Imported &tensor(const std::string &name, Values &values) {
    ReferenceTensor &t = args.tensors[name];
    t.data = values.bytes.data();
    t.sizeBytes = values.bytes.size();
    t.shape.assign(values.shape.begin(), values.shape.end());
    return *this;
  }
  Imported &scalar(const std::string &name, std::variant<int64_t, double> value) {
    args.scalars[name] = value;
    return *this;
  }
  /// Runs on the cpu device; the tensors keep the results. Empty when it succeeded.
  std::string run() {
    if (!module)
      return messages();
    llvm::Error error = runReference(*module->getOps<tile::ProgramOp>().begin(), args, options);
    return error ? llvm::toString(std::move(error)) : "";
  }

  SourceManager sources;
  DiagnosticEngine diags;
  mlir::MLIRContext context;
  std::unique_ptr<script::Program> traced;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ReferenceArgs args;
  ReferenceOptions options;
};

/// A kernel of one block around `body`, whose tensors are given as Python parameters.
inline std::string kernelText(const std::string &params, const std::string &body,
                              const std::string &launch = "T.Kernel(1, threads=64) as bx") {
  std::string out = "import tilelang.language as T\n@T.prim_func\ndef k(" + params +
                    "):\n    with " + launch + ":\n";
  llvm::StringRef rest = body;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    out += "        " + line.str() + "\n";
    rest = next;
  }
  return out;
}

} // namespace tilec::test

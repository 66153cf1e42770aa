//===- FrontendFuzzer.cpp - fuzz target: script to Tile IR ----------------===//
//
// Lexer, parser, evaluator, tracer, importer, verifier. Whatever the text, the outcome is a
// verified module or a message with a place; anything else ends the program. A first line `# entry:
// TEXT` gives the entry, as `--entry` does.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Import/Import.h"
#include "tilec/Script/Trace.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <memory>

using namespace tilec;

namespace {

[[noreturn]] void broken(const llvm::Twine &what) {
  llvm::errs() << "frontend-fuzz: " << what << '\n';
  std::abort();
}

/// Types and attributes live as long as their context: a fresh one now and then bounds them.
mlir::MLIRContext &context() {
  static std::unique_ptr<mlir::MLIRContext> current;
  static unsigned uses = 0;
  if (!current || ++uses % 200 == 0)
    current = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  return *current;
}

llvm::StringRef entryOf(llvm::StringRef text) {
  llvm::StringRef line = text.split('\n').first;
  return line.consume_front("# entry: ") ? line : llvm::StringRef();
}

void checkMessages(const DiagnosticEngine &diags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diags.print(os, /*withRemarks=*/true);
  for (const Diagnostic &d : diags.all()) {
    if (!d.span.isValid())
      broken("a message without a place: " + d.message);
    const SourceFile &file = diags.sourceManager().file(d.span.file);
    if (d.span.begin > file.text().size() || d.span.end > file.text().size())
      broken("a message outside of its file: " + d.message);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  SourceManager sources;
  DiagnosticEngine diags(sources);
  uint32_t file = sources.add("input.py", text.str());
  std::unique_ptr<script::Program> program =
      script::traceEntry(sources, file, entryOf(text), Arch::Gfx950, diags);
  checkMessages(diags);
  if (!program) {
    if (!diags.hasErrors())
      broken("no kernel and no error");
    return 0;
  }
  mlir::OwningOpRef<mlir::ModuleOp> module = importProgram(context(), *program, sources, diags);
  checkMessages(diags);
  if (!module) {
    if (!diags.hasErrors())
      broken("no Tile IR and no error");
    return 0;
  }
  std::string reason;
  mlir::ScopedDiagnosticHandler handler(module->getContext(), [&](mlir::Diagnostic &d) {
    reason += d.str() + "\n";
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*module)))
    broken("the Tile IR does not verify: " + reason);
  return 0;
}

//===- Binary.cpp - what a compile leaves ---------------------------------===//
//
// What `tilec_compile` gives: image, manifest, messages and the text of any stage, as a handle
// with a count.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Objects.h"

#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::capi;

void tilec_binary::keepMessages(const DiagnosticEngine &diagnostics) {
  messages = messagesOf(diagnostics);
  llvm::raw_string_ostream os(log);
  diagnostics.print(os);
}

void tilec_binary::addError(llvm::StringRef text) {
  messages.push_back({Severity::Error, DiagId::CompilerStopped, text.str(), "", {}, {}, {}});
  log += ("tilec: error: " + text + " [CompilerStopped]\n").str();
}

tilec_status tilec_binary::compile(Emit emit) {
  chooseLineTables(options, emit, lineTables);
  options.cachePrograms = emit.stage == Stage::Binary && emit.what == Emit::Text;
  // Behind a pointer: after a fatal error nobody may touch it any more, not even to destroy it.
  auto compilation = std::make_unique<Compilation>(options);
  bool ok = false;
  std::string reason;
  if (!runGuarded(
          [&] {
            ok = program->open(*compilation) && compilation->runTo(emit.stage);
            keepMessages(compilation->diagnostics());
            if (!ok)
              return;
            if (emit.stage >= Stage::Wave)
              manifest = rt::printManifest(compilation->manifest());
            if (emit.stage != Stage::Binary)
              return;
            image.assign(compilation->image().bytes.begin(), compilation->image().bytes.end());
            kind = codegen::nameOf(compilation->image().kind).str();
          },
          reason)) {
    (void)compilation.release();
    image.clear();
    kind.clear();
    manifest.clear();
    addError(reason);
    return failed(TILEC_ERROR_INTERNAL, reason);
  }
  return ok ? TILEC_OK : failed(TILEC_ERROR_COMPILE, "the program does not compile; see the log");
}

tilec_status tilec_binary::stage(llvm::StringRef word, tilec_str &text) {
  std::optional<Emit> emit = parseEmit(word, options.arch);
  if (!emit)
    return failed(TILEC_ERROR_ARGUMENT,
                  ("unknown stage `" + word + "`; known: " + listOfEmits()).str());
  std::lock_guard<std::mutex> lock(mutex);
  auto it = stages.find(word.str());
  if (it != stages.end()) {
    text = toC(it->second);
    return TILEC_OK;
  }
  CompileOptions again = options;
  again.cachePrograms = false;
  chooseLineTables(again, *emit, lineTables);
  auto compilation = std::make_unique<Compilation>(again);
  std::string result, reason;
  bool ok = false;
  if (!runGuarded(
          [&] {
            if (!program->open(*compilation) || !compilation->runTo(emit->stage)) {
              llvm::raw_string_ostream os(reason);
              compilation->diagnostics().print(os);
              return;
            }
            llvm::Expected<std::string> made = emitted(*compilation, *emit);
            ok = static_cast<bool>(made);
            (ok ? result : reason) = ok ? std::move(*made) : llvm::toString(made.takeError());
          },
          reason)) {
    (void)compilation.release();
    return failed(TILEC_ERROR_INTERNAL, reason);
  }
  if (!ok)
    return failed(TILEC_ERROR_COMPILE, reason);
  text = toC(stages.emplace(word.str(), std::move(result)).first->second);
  return TILEC_OK;
}

extern "C" {

void tilec_binary_retain(tilec_binary *binary) {
  if (binary)
    binary->retain();
}
void tilec_binary_release(tilec_binary *binary) {
  if (binary)
    binary->release();
}

tilec_str tilec_binary_image(const tilec_binary *binary) {
  return binary ? toC(binary->image) : tilec_str{};
}
tilec_str tilec_binary_kind(const tilec_binary *binary) {
  return binary ? toC(binary->kind) : tilec_str{};
}
tilec_str tilec_binary_manifest(const tilec_binary *binary) {
  return binary ? toC(binary->manifest) : tilec_str{};
}
tilec_str tilec_binary_target(const tilec_binary *binary) {
  return binary ? toC(llvm::StringRef(nameOf(binary->options.arch))) : tilec_str{};
}
tilec_str tilec_binary_log(const tilec_binary *binary) {
  return binary ? toC(binary->log) : tilec_str{};
}

size_t tilec_binary_diagnostic_count(const tilec_binary *binary) {
  return binary ? binary->messages.size() : 0;
}

tilec_status tilec_binary_diagnostic(const tilec_binary *binary, size_t index,
                                     tilec_diagnostic *out) {
  if (!binary || index >= binary->messages.size())
    return failed(TILEC_ERROR_ARGUMENT, "no message " + std::to_string(index));
  return writeStruct(out, binary->messages[index].toC())
             ? TILEC_OK
             : failed(TILEC_ERROR_ARGUMENT, "the structure for the message has no size");
}

tilec_status tilec_binary_note(const tilec_binary *binary, size_t index, size_t note,
                               tilec_diagnostic *out) {
  if (!binary || index >= binary->messages.size() || note >= binary->messages[index].notes.size())
    return failed(TILEC_ERROR_ARGUMENT, "no note " + std::to_string(note));
  return writeStruct(out, binary->messages[index].notes[note].toC())
             ? TILEC_OK
             : failed(TILEC_ERROR_ARGUMENT, "the structure for the note has no size");
}

tilec_status tilec_binary_stage(tilec_binary *binary, const char *stage, tilec_str *text) {
  if (!text)
    return failed(TILEC_ERROR_ARGUMENT, "text is NULL");
  *text = {};
  if (!binary || !stage)
    return failed(TILEC_ERROR_ARGUMENT, "binary or stage is NULL");
  return binary->stage(stage, *text);
}

} // extern "C"

//===- Core.cpp - versions, errors, messages, guards ----------------------===//
//
// What all of libtilec's functions share: the last error of a thread, messages as C sees them, and
// a guard against faults inside.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Objects.h"

#include "tilec/CodeGen/Contained.h"
#include "tilec/Driver/Tools.h"
#include "tilec/Messages/Messages.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using namespace tilec::capi;

static thread_local std::string lastError;

tilec_status capi::failed(tilec_status status, std::string message) {
  lastError = std::move(message);
  return status;
}

static Message messageOf(const Diagnostic &d, const SourceManager &sources) {
  Message message{d.severity, d.id, d.message, "", {}, {}, {}};
  if (!d.span.isValid() || d.span.file >= sources.fileCount())
    return message;
  const SourceFile &file = sources.file(d.span.file);
  message.file = file.name().str();
  message.begin = file.lineColumn(d.span.begin);
  message.end = file.lineColumn(std::max(d.span.begin, d.span.end));
  return message;
}

std::vector<Message> capi::messagesOf(const DiagnosticEngine &diagnostics) {
  std::vector<Message> list;
  for (const Diagnostic &d : diagnostics.all()) {
    Message message = messageOf(d, diagnostics.sourceManager());
    bool isNote = d.severity == Severity::Note && !list.empty();
    (isNote ? list.back().notes : list).push_back(std::move(message));
  }
  return list;
}

tilec_diagnostic Message::toC() const {
  tilec_diagnostic out{};
  switch (severity) {
  case Severity::Error:
    out.severity = TILEC_SEVERITY_ERROR;
    break;
  case Severity::Warning:
    out.severity = TILEC_SEVERITY_WARNING;
    break;
  case Severity::Remark:
    out.severity = TILEC_SEVERITY_REMARK;
    break;
  case Severity::Note:
    out.severity = TILEC_SEVERITY_NOTE;
    break;
  }
  out.id = capi::toC(nameOf(id));
  out.text = capi::toC(text);
  out.file = capi::toC(file);
  out.line = begin.line;
  out.column = begin.column;
  out.end_line = end.line;
  out.end_column = end.column;
  out.notes = notes.size();
  return out;
}

bool capi::runGuarded(llvm::function_ref<void()> body, std::string &text) {
  bool crashed = false;
  if (llvm::Error error = codegen::runContained(body, crashed))
    text = llvm::toString(std::move(error));
  return !crashed;
}

extern "C" {

uint32_t tilec_version(void) { return TILEC_VERSION_MAJOR << 16 | TILEC_VERSION_MINOR; }
uint32_t tilec_abi_version(void) { return TILEC_ABI_VERSION; }
tilec_str tilec_version_text(void) { return toC(versionText()); }

tilec_str tilec_status_name(tilec_status status) {
  switch (status) {
  case TILEC_OK:
    return toC("TILEC_OK");
  case TILEC_ERROR_COMPILE:
    return toC("TILEC_ERROR_COMPILE");
  case TILEC_ERROR_ARGUMENT:
    return toC("TILEC_ERROR_ARGUMENT");
  case TILEC_ERROR_IO:
    return toC("TILEC_ERROR_IO");
  case TILEC_ERROR_INTERNAL:
    return toC("TILEC_ERROR_INTERNAL");
  }
  return toC("unknown status");
}

tilec_str tilec_last_error(void) { return toC(lastError); }

size_t tilec_target_count(void) { return allArchs().size(); }
tilec_str tilec_target_name(size_t index) {
  return index < allArchs().size() ? toC(llvm::StringRef(allArchs()[index].name)) : tilec_str{};
}

int tilec_tool_main(const char *tool, int argc, char **argv) {
  using Main = int (*)(int, char **);
  Main run = llvm::StringSwitch<Main>(fromC(tool))
                 .Case("tilec", tilecMain)
                 .Case("tilec-run", tilecRunMain)
                 .Default(nullptr);
  return run ? Messages(tool, argc, argv).finish(llvm::outs(), run(argc, argv)) : 2;
}

} // extern "C"

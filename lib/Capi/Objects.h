//===- Objects.h - what the handles of the C interface point to -----------===//
//
// The structs behind libtilec's handles, with their counts, and the conversions between C's texts
// and ours.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Compile.h"

#include "tilec/Base/CHandles.h"
#include "tilec/Driver/Emit.h"
#include "tilec/Support/DiskCache.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilec::capi {

/// Holds one count of a handle.
template <typename T> class Ref {
public:
  explicit Ref(T *object) : object(object) { object->retain(); }
  ~Ref() { object->release(); }
  Ref(const Ref &) = delete;
  Ref &operator=(const Ref &) = delete;
  T *operator->() const { return object; }
  T &operator*() const { return *object; }

private:
  T *object;
};

inline llvm::StringRef fromC(tilec_str text) { return {text.data, text.size}; }
inline llvm::StringRef fromC(const char *text) { return text ? text : llvm::StringRef(); }

/// Keeps the sentence for tilec_last_error; returns `status`.
tilec_status failed(tilec_status status, std::string message);

/// A message with everything that it needs: it outlives the sources.
struct Message {
  Severity severity;
  DiagId id;
  std::string text, file;
  LineColumn begin, end;
  std::vector<Message> notes;

  tilec_diagnostic toC() const;
};

/// Messages with their notes; remarks included.
std::vector<Message> messagesOf(const DiagnosticEngine &diagnostics);

/// Runs `body`, in which the compiler may fail fatally. False then, with the reason in `text`; what
/// body has made must be leaked.
bool runGuarded(llvm::function_ref<void()> body, std::string &text);

} // namespace tilec::capi

struct tilec_compiler : tilec::capi::Counted<tilec_compiler> {
  std::shared_ptr<tilec::DiskCache> cache;
};

struct tilec_program : tilec::capi::Counted<tilec_program> {
  explicit tilec_program(tilec_compiler *compiler) : compiler(compiler) {}
  ~tilec_program() {
    if (env && env->destroy)
      env->destroy(env->user);
  }

  tilec::capi::Ref<tilec_compiler> compiler;
  std::string name, text;
  std::shared_ptr<const tilec::build::Recording> recording; ///< instead of a text
  std::optional<tilec_env> env;

  struct Entry {
    std::string name;
    std::vector<std::string> parameters;
    tilec::LineColumn place;
  };
  /// Parsed when it is first asked for.
  const std::vector<Entry> &entries();
  bool open(tilec::Compilation &compilation) const;

private:
  std::once_flag listed;
  std::vector<Entry> entryList;
};

struct tilec_binary : tilec::capi::Counted<tilec_binary> {
  tilec_binary(tilec_program *program, tilec::CompileOptions options)
      : program(program), options(std::move(options)) {}

  /// Compiles up to what `emit` needs and keeps what there is to know.
  tilec_status compile(tilec::Emit emit);
  tilec_status stage(llvm::StringRef word, tilec_str &text);

  tilec::capi::Ref<tilec_program> program;
  tilec::CompileOptions options;
  std::optional<bool> lineTables;
  std::string image, kind, manifest, log;
  std::vector<tilec::capi::Message> messages;

private:
  void keepMessages(const tilec::DiagnosticEngine &diagnostics);
  void addError(llvm::StringRef text);

  std::mutex mutex;
  std::map<std::string, std::string> stages; ///< by word; addresses stay
};

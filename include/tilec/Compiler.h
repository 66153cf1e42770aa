//===- tilec/Compiler.h - the compiler for C++ hosts ----------------------===//
//
// A thin, header-only C++20 layer over tilec-c/Compile.h: objects that own their
// handles, and messages as values. Link libtilec.so (CMake: tilec::tilec).
//
//     tilec::Result<tilec::Binary> binary =
//         tilec::compile(tilec::script(text), {.target = "gfx950", .entry = "gemm(512, 512,
//         512)"});
//     if (!binary)
//       return fail(binary.log());
//     upload(binary->image(), binary->manifest());
//
// Nothing here throws, unless TILEC_THROW is defined: then a compile that fails throws
// tilec::Error. Threads: as in tilec-c/Compile.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Compile.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilec {

/// One message; `line` is 0 without a place.
struct Message {
  tilec_severity severity = TILEC_SEVERITY_ERROR;
  std::string id, text, file;
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
  std::vector<Message> notes;
};

class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

namespace detail {

template <typename T, void (*Retain)(T *), void (*Release)(T *)> class Handle {
public:
  Handle() = default;
  /// Takes the caller's count.
  explicit Handle(T *handle) : handle(handle) {}
  Handle(const Handle &other) : handle(other.handle) { Retain(handle); }
  Handle(Handle &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Handle &operator=(Handle other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Handle() { Release(handle); }
  T *get() const { return handle; }

private:
  T *handle = nullptr;
};

inline std::string_view view(tilec_str s) { return {s.data, s.size}; }
inline tilec_str str(std::string_view s) { return {s.data(), s.size()}; }

inline Message message(const tilec_diagnostic &d) {
  return {d.severity,
          std::string(view(d.id)),
          std::string(view(d.text)),
          std::string(view(d.file)),
          d.line,
          d.column,
          d.end_line,
          d.end_column,
          {}};
}

} // namespace detail

/// The compiler with its cache; copies share it.
class Compiler {
public:
  /// `cacheDir`: as in tilec_compiler_options; NULL is the usual place.
  explicit Compiler(const char *cacheDir = nullptr) {
    tilec_compiler_options options{};
    options.size = sizeof options;
    options.cache_dir = cacheDir;
    tilec_compiler *made = nullptr;
    (void)tilec_compiler_create(&options, &made);
    handle = decltype(handle)(made);
  }
  /// One for the process, with the usual cache.
  static const Compiler &shared() {
    static const Compiler compiler;
    return compiler;
  }
  tilec_compiler *get() const { return handle.get(); }

private:
  detail::Handle<tilec_compiler, tilec_compiler_retain, tilec_compiler_release> handle;
};

/// Something to compile; copies share it.
class Program {
public:
  Program() = default;
  explicit Program(tilec_program *handle) : handle(handle) {}
  tilec_program *get() const { return handle.get(); }

private:
  detail::Handle<tilec_program, tilec_program_retain, tilec_program_release> handle;
};

/// A TileLang script in a text; messages show `name`.
inline Program script(std::string_view text, std::string_view name = "script.py",
                      const Compiler &compiler = Compiler::shared()) {
  tilec_program *made = nullptr;
  (void)tilec_program_from_text(compiler.get(), detail::str(name), detail::str(text), nullptr,
                                &made);
  return Program(made);
}

/// A compiled program; never changes, copies share it.
class Binary {
public:
  Binary() = default;
  explicit Binary(tilec_binary *handle) : handle(handle) {}

  /// What a device loads.
  std::string_view image() const { return detail::view(tilec_binary_image(get())); }
  /// `hsaco`, `cubin` or `ptx`.
  std::string_view kind() const { return detail::view(tilec_binary_kind(get())); }
  std::string_view manifest() const { return detail::view(tilec_binary_manifest(get())); }
  std::string_view target() const { return detail::view(tilec_binary_target(get())); }
  std::string_view log() const { return detail::view(tilec_binary_log(get())); }
  /// As tilec_binary_stage; empty where there is no such stage.
  std::string_view stage(const char *name) const {
    tilec_str text{};
    (void)tilec_binary_stage(get(), name, &text);
    return detail::view(text);
  }
  std::vector<Message> messages() const {
    std::vector<Message> list;
    for (size_t i = 0; i < tilec_binary_diagnostic_count(get()); ++i) {
      tilec_diagnostic d{};
      d.size = sizeof d;
      (void)tilec_binary_diagnostic(get(), i, &d);
      list.push_back(detail::message(d));
      for (size_t n = 0, count = d.notes; n < count; ++n) {
        (void)tilec_binary_note(get(), i, n, &d);
        list.back().notes.push_back(detail::message(d));
      }
    }
    return list;
  }
  tilec_binary *get() const { return handle.get(); }

private:
  detail::Handle<tilec_binary, tilec_binary_retain, tilec_binary_release> handle;
};

/// A value, or why there is none.
template <typename T> class Result {
public:
  Result(T value, bool ok, std::string why)
      : value(std::move(value)), ok(ok), why(std::move(why)) {}

  explicit operator bool() const { return ok; }
  const T &operator*() const { return value; }
  const T *operator->() const { return &value; }
  /// What the compiler printed, or what is wrong with the call.
  const std::string &log() const { return why; }
  std::vector<Message> messages() const { return value.messages(); }

private:
  T value;
  bool ok;
  std::string why;
};

/// What is left out has its default: tilec_compile_options says which.
struct CompileOptions {
  std::string target;
  std::string entry = "";
  std::string schedule = "";
  std::string ptxAssembler = "";
  std::string stopAfter = "";
  tilec_choice strict = TILEC_DEFAULT, strictSchedule = TILEC_DEFAULT, lineTables = TILEC_DEFAULT,
               checkBounds = TILEC_DEFAULT, verifyStages = TILEC_DEFAULT;
  std::string math = "";
  std::vector<std::string> defines = {};
  std::string tunedJson = "";
};

inline Result<Binary> compile(const Program &program, const CompileOptions &options) {
  auto text = [](const std::string &s) { return s.empty() ? nullptr : s.c_str(); };
  tilec_compile_options given{};
  given.size = sizeof given;
  given.target = text(options.target);
  given.entry = text(options.entry);
  given.schedule = text(options.schedule);
  given.ptx_assembler = text(options.ptxAssembler);
  given.stop_after = text(options.stopAfter);
  given.strict = options.strict;
  given.strict_schedule = options.strictSchedule;
  given.line_tables = options.lineTables;
  given.check_bounds = options.checkBounds;
  given.verify_stages = options.verifyStages;
  given.math = text(options.math);
  std::vector<const char *> defines;
  for (const std::string &define : options.defines)
    defines.push_back(define.c_str());
  given.defines = defines.data();
  given.define_count = defines.size();
  given.tuned_json = text(options.tunedJson);
  tilec_binary *made = nullptr;
  tilec_status status = tilec_compile(program.get(), &given, &made);
  Binary binary(made);
  std::string why(made ? binary.log() : detail::view(tilec_last_error()));
#ifdef TILEC_THROW
  if (status != TILEC_OK)
    throw Error(why);
#endif
  return Result<Binary>(std::move(binary), status == TILEC_OK, std::move(why));
}

} // namespace tilec

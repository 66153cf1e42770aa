//===- Compiler.cpp - tilec._compiler: libtilec.so for Python -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Env.h"

#include "tilec-c/Simulate.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

namespace tilec::python {
namespace {

using CompilerHandle = Handle<tilec_compiler, tilec_compiler_release>;
using ProgramHandle = Handle<tilec_program, tilec_program_release>;
using BinaryHandle = Handle<tilec_binary, tilec_binary_release>;

struct Binary {
  explicit Binary(tilec_binary *owned) : handle(owned) {}
  BinaryHandle handle;
  tilec_status status = TILEC_OK;

  nb::object message(const tilec_diagnostic &d, nb::list notes) const {
    constexpr const char *severities[] = {"error", "warning", "remark", "note"};
    return nb::make_tuple(severities[d.severity], toPython(d.id), toPython(d.text),
                          toPython(d.file), d.line, d.column, d.end_line, d.end_column, notes);
  }

  nb::list diagnostics() const {
    nb::list out;
    for (size_t i = 0, n = tilec_binary_diagnostic_count(handle.get()); i < n; ++i) {
      tilec_diagnostic d{};
      d.size = sizeof d;
      tilec_binary_diagnostic(handle.get(), i, &d);
      nb::list notes;
      for (size_t k = 0; k < d.notes; ++k) {
        tilec_diagnostic note{};
        note.size = sizeof note;
        tilec_binary_note(handle.get(), i, k, &note);
        notes.append(message(note, nb::list()));
      }
      out.append(message(d, notes));
    }
    return out;
  }

  nb::bytes stage(const std::string &word) {
    tilec_str text{};
    tilec_status result;
    {
      nb::gil_scoped_release unlock;
      result = tilec_binary_stage(handle.get(), word.c_str(), &text);
    }
    if (result == TILEC_ERROR_ARGUMENT)
      throw nb::value_error(std::string(fromC(tilec_last_error())).c_str());
    if (result != TILEC_OK)
      raise("CompileError", "the kernel does not get to stage " + word + ": " +
                                std::string(fromC(tilec_last_error())));
    return nb::bytes(text.data, text.size);
  }
};

tilec_choice choice(std::optional<bool> given) {
  return !given ? TILEC_DEFAULT : *given ? TILEC_ON : TILEC_OFF;
}

const char *orNull(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}

struct Compiler {
  explicit Compiler(const std::optional<std::string> &cacheDir) {
    tilec_compiler_options options{};
    options.size = sizeof options;
    options.cache_dir = orNull(cacheDir);
    if (tilec_compiler_create(&options, handle.out()) != TILEC_OK)
      raise("Error", std::string(fromC(tilec_last_error())));
  }

  std::unique_ptr<Binary>
  compile(const std::string &name, const std::string &text, const std::string &target,
          const std::optional<std::string> &entry, nb::object env,
          const std::optional<std::string> &schedule, const std::optional<std::string> &assembler,
          const std::optional<std::string> &stopAfter, const std::optional<std::string> &math,
          std::optional<bool> strict, std::optional<bool> checkBounds) {
    tilec_compile_options options{};
    options.size = sizeof options;
    options.target = target.c_str();
    options.entry = orNull(entry);
    options.schedule = orNull(schedule);
    options.ptx_assembler = orNull(assembler);
    options.stop_after = orNull(stopAfter);
    options.math = orNull(math);
    options.strict = choice(strict);
    options.check_bounds = choice(checkBounds);
    std::optional<tilec_env> answers;
    if (!env.is_none())
      answers = Env::make(env);
    ProgramHandle program;
    tilec_binary *binary = nullptr;
    tilec_status status;
    std::string problem;
    {
      nb::gil_scoped_release unlock;
      status = tilec_program_from_text(handle.get(), toC(name), toC(text),
                                       answers ? &*answers : nullptr, program.out());
      if (status == TILEC_OK)
        status = tilec_compile(program.get(), &options, &binary);
      if (!binary)
        problem = fromC(tilec_last_error());
      // The last count of the program is the binary's: callbacks may come for its stages.
    }
    if (!binary)
      throw nb::value_error(problem.c_str());
    auto made = std::make_unique<Binary>(binary);
    made->status = status;
    return made;
  }

  CompilerHandle handle;
};

/// A simulated GPU for tilec._runtime, which takes the backend out of the capsule.
nb::capsule simulator(const std::string &target) {
  auto backend = std::make_unique<tilec_backend>();
  *backend = {};
  backend->size = sizeof(tilec_backend);
  if (tilec_simulator_create(target.c_str(), backend.get()) != TILEC_OK)
    throw nb::value_error(std::string(fromC(tilec_last_error())).c_str());
  return nb::capsule(backend.release(), "tilec_backend", [](void *p) noexcept {
    auto *unused = static_cast<tilec_backend *>(p);
    if (unused->release)
      unused->release(unused->user);
    delete unused;
  });
}

/// `tilec` or `tilec-run` as their programs run: for a process that does nothing else.
int tool(const std::string &name, std::vector<std::string> args) {
  args.insert(args.begin(), name);
  std::vector<char *> pointers;
  for (std::string &arg : args)
    pointers.push_back(arg.data());
  pointers.push_back(nullptr);
  nb::gil_scoped_release unlock;
  return tilec_tool_main(name.c_str(), static_cast<int>(args.size()), pointers.data());
}

} // namespace

NB_MODULE(_compiler, m) {
  nb::set_leak_warnings(false); // kernels live as long as the process
  m.doc() = "libtilec.so: compiling and simulating.";
  m.def("version", [] { return toPython(tilec_version_text()); });
  m.def("abi_matches", [] { return tilec_abi_version() == TILEC_ABI_VERSION; });
  m.def("targets", [] {
    nb::list out;
    for (size_t i = 0, n = tilec_target_count(); i < n; ++i)
      out.append(toPython(tilec_target_name(i)));
    return out;
  });
  m.def("simulator", simulator);
  m.def("tool", tool);
  nb::class_<Binary>(m, "Binary")
      .def_prop_ro("ok", [](const Binary &b) { return b.status == TILEC_OK; })
      .def_prop_ro("internal", [](const Binary &b) { return b.status == TILEC_ERROR_INTERNAL; })
      .def_prop_ro("image",
                   [](const Binary &b) {
                     tilec_str s = tilec_binary_image(b.handle.get());
                     return nb::bytes(s.data, s.size);
                   })
      .def_prop_ro("kind",
                   [](const Binary &b) { return toPython(tilec_binary_kind(b.handle.get())); })
      .def_prop_ro("manifest",
                   [](const Binary &b) { return toPython(tilec_binary_manifest(b.handle.get())); })
      .def_prop_ro("target",
                   [](const Binary &b) { return toPython(tilec_binary_target(b.handle.get())); })
      .def_prop_ro("log",
                   [](const Binary &b) { return toPython(tilec_binary_log(b.handle.get())); })
      .def_prop_ro("diagnostics", &Binary::diagnostics)
      .def("stage", &Binary::stage);
  nb::class_<Compiler>(m, "Compiler")
      .def(nb::init<const std::optional<std::string> &>(), nb::arg("cache_dir") = nb::none())
      .def("compile", &Compiler::compile, nb::arg("name"), nb::arg("text"), nb::arg("target"),
           nb::arg("entry") = nb::none(), nb::arg("env") = nb::none(),
           nb::arg("schedule") = nb::none(), nb::arg("ptx_assembler") = nb::none(),
           nb::arg("stop_after") = nb::none(), nb::arg("math") = nb::none(),
           nb::arg("strict") = nb::none(), nb::arg("check_bounds") = nb::none());
}

} // namespace tilec::python

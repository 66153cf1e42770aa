//===- Compile.cpp - compilers and programs of the C interface ------------===//
//
// Takes the caller's options and texts, gives compilers, programs and their entries; options that
// are wrong come back as a sentence.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EnvHost.h"
#include "Objects.h"

#include "tilec/CodeGen/Contained.h"
#include "tilec/Driver/Tuned.h"
#include "tilec/Script/Trace.h"
#include "tilec/Transforms/ScheduleNames.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace tilec;
using namespace tilec::capi;

const std::vector<tilec_program::Entry> &tilec_program::entries() {
  std::call_once(listed, [this] {
    if (recording || llvm::StringRef(name).ends_with(".mlir"))
      return;
    std::string reason;
    runGuarded(
        [this] {
          SourceManager sources;
          DiagnosticEngine diagnostics(sources);
          uint32_t file = sources.add(name, text);
          for (script::EntryCandidate &c : script::listEntries(sources, file, diagnostics))
            entryList.push_back({std::move(c.name), std::move(c.required),
                                 sources.file(file).lineColumn(c.span.begin)});
        },
        reason);
  });
  return entryList;
}

bool tilec_program::open(Compilation &compilation) const {
  if (recording)
    return compilation.openRecording(recording);
  return compilation.openText(name, text, {}, env ? std::make_shared<EnvHost>(*env) : nullptr);
}

namespace {

std::optional<bool> toBool(tilec_choice choice) {
  if (choice == TILEC_DEFAULT)
    return std::nullopt;
  return choice == TILEC_ON;
}

bool isChoice(tilec_choice choice) { return choice >= TILEC_DEFAULT && choice <= TILEC_OFF; }

/// The options of the compiler, or a sentence about what is wrong with the caller's.
std::optional<std::string> convert(const tilec_compile_options &given, CompileOptions &options,
                                   Emit &emit) {
  if (!given.target)
    return "no target is given";
  std::optional<Arch> arch = parseArch(given.target);
  if (!arch)
    return "unknown target `" + std::string(given.target) + "`";
  options.arch = *arch;
  options.entry = fromC(given.entry).str();
  options.schedule = fromC(given.schedule).str();
  if (std::string problem = scheduleProblem(options.schedule, *arch); !problem.empty())
    return "schedule: " + problem;
  auto assembler = parsePtxAssembler(given.ptx_assembler ? given.ptx_assembler : "auto");
  if (!assembler)
    return "unknown ptx_assembler `" + std::string(given.ptx_assembler) + "`";
  options.ptxAssembler = *assembler;
  std::optional<Emit> stop = parseEmit(given.stop_after ? given.stop_after : "binary", *arch);
  if (!stop)
    return "unknown stage `" + std::string(given.stop_after) + "`; known: " + listOfEmits();
  emit = *stop;
  std::optional<MathMode> math = parseMathMode(given.math ? given.math : "default");
  if (!math)
    return "unknown math `" + std::string(given.math) + "`; known: " + listOfMathModes();
  options.math = *math;
  for (size_t i = 0; i < given.define_count; ++i) {
    if (!given.defines || !given.defines[i])
      return "defines is NULL";
    options.defines.push_back(given.defines[i]);
  }
  for (tilec_choice choice : {given.strict, given.strict_schedule, given.line_tables,
                              given.check_bounds, given.verify_stages})
    if (!isChoice(choice))
      return "a tilec_choice is " + std::to_string(choice);
  options.strict = given.strict == TILEC_ON;
  options.strictSchedule = toBool(given.strict_schedule);
  options.checkBounds = given.check_bounds == TILEC_ON;
  options.verifyStages = given.verify_stages == TILEC_ON;
  return std::nullopt;
}

} // namespace

extern "C" {

tilec_status tilec_compiler_create(const tilec_compiler_options *given, tilec_compiler **compiler) {
  if (!compiler)
    return failed(TILEC_ERROR_ARGUMENT, "compiler is NULL");
  *compiler = nullptr;
  std::optional<tilec_compiler_options> options = readOptions(given);
  if (!options)
    return failed(TILEC_ERROR_ARGUMENT, "the options have no size");
  // The signals of the process are the host's.
  codegen::leaveSignalsToHost();
  codegen::initializeTargets();
  auto *made = new tilec_compiler;
  std::optional<std::string> folder = DiskCache::defaultFolder();
  if (options->cache_dir)
    folder = *options->cache_dir ? std::optional<std::string>(options->cache_dir) : std::nullopt;
  if (folder)
    made->cache = std::make_shared<DiskCache>(*folder, DiskCache::limitFromEnvironment());
  *compiler = made;
  return TILEC_OK;
}

void tilec_compiler_retain(tilec_compiler *compiler) {
  if (compiler)
    compiler->retain();
}
void tilec_compiler_release(tilec_compiler *compiler) {
  if (compiler)
    compiler->release();
}

tilec_status tilec_program_from_text(tilec_compiler *compiler, tilec_str name, tilec_str text,
                                     const tilec_env *env, tilec_program **program) {
  if (!program)
    return failed(TILEC_ERROR_ARGUMENT, "program is NULL");
  *program = nullptr;
  std::optional<tilec_env> host = readOptions(env);
  auto refuse = [&](const char *why) {
    if (host && host->destroy)
      host->destroy(host->user);
    return failed(TILEC_ERROR_ARGUMENT, why);
  };
  if (!compiler || (!name.data && name.size) || (!text.data && text.size))
    return refuse("compiler, name or text is NULL");
  // Places in a file are 32 bits.
  if (text.size >= UINT32_MAX)
    return refuse("the text is larger than 4 GiB");
  if (env && (!host || !host->lookup))
    return refuse("the env has no size or no lookup");
  auto *made = new tilec_program(compiler);
  if (env)
    made->env = *host;
  made->name = fromC(name).str();
  made->text = fromC(text).str();
  *program = made;
  return TILEC_OK;
}

tilec_status tilec_program_from_file(tilec_compiler *compiler, const char *path,
                                     tilec_program **program) {
  if (!program)
    return failed(TILEC_ERROR_ARGUMENT, "program is NULL");
  *program = nullptr;
  if (!compiler || !path)
    return failed(TILEC_ERROR_ARGUMENT, "compiler or path is NULL");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return failed(TILEC_ERROR_IO,
                  "cannot read " + std::string(path) + ": " + buffer.getError().message());
  return tilec_program_from_text(compiler, {path, std::strlen(path)}, toC((*buffer)->getBuffer()),
                                 nullptr, program);
}

void tilec_program_retain(tilec_program *program) {
  if (program)
    program->retain();
}
void tilec_program_release(tilec_program *program) {
  if (program)
    program->release();
}

size_t tilec_program_entry_count(tilec_program *program) {
  return program ? program->entries().size() : 0;
}

tilec_status tilec_program_entry(tilec_program *program, size_t index, tilec_entry *entry) {
  if (!program || index >= program->entries().size())
    return failed(TILEC_ERROR_ARGUMENT, "no entry " + std::to_string(index));
  const tilec_program::Entry &found = program->entries()[index];
  tilec_entry value{};
  value.name = toC(found.name);
  value.line = found.place.line;
  value.column = found.place.column;
  value.parameters = found.parameters.size();
  return writeStruct(entry, value)
             ? TILEC_OK
             : failed(TILEC_ERROR_ARGUMENT, "the structure for the entry has no size");
}

tilec_str tilec_program_entry_parameter(tilec_program *program, size_t index, size_t parameter) {
  if (!program || index >= program->entries().size() ||
      parameter >= program->entries()[index].parameters.size())
    return {};
  return toC(program->entries()[index].parameters[parameter]);
}

tilec_status tilec_compile(tilec_program *program, const tilec_compile_options *given,
                           tilec_binary **binary) {
  if (!binary)
    return failed(TILEC_ERROR_ARGUMENT, "binary is NULL");
  *binary = nullptr;
  std::optional<tilec_compile_options> known = readOptions(given);
  if (!program || !given || !known)
    return failed(TILEC_ERROR_ARGUMENT, "program or options is NULL, or the options have no size");
  CompileOptions options;
  Emit emit;
  if (std::optional<std::string> problem = convert(*known, options, emit))
    return failed(TILEC_ERROR_ARGUMENT, *problem);
  if (known->tuned_json) {
    std::string script = program->name.substr(program->name.rfind('/') + 1);
    if (std::string problem = applyTunedText(known->tuned_json, "tuned_json", script, options.arch,
                                             options.entry, options.schedule);
        !problem.empty())
      return failed(TILEC_ERROR_ARGUMENT, problem);
  }
  options.cache = program->compiler->cache;
  *binary = new tilec_binary(program, std::move(options));
  (*binary)->lineTables = toBool(known->line_tables);
  return (*binary)->compile(emit);
}

} // extern "C"

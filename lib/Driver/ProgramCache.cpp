//===- ProgramCache.cpp - whole compilations kept on disk -----------------===//
//
// An entry is a line of JSON, then the PTX and the image, whose lengths the JSON
// tells.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ProgramCache.h"

#include "tilec/CodeGen/DeviceLibrary.h"

#include "llvm/Support/JSON.h"

namespace tilec {
namespace {

using llvm::json::Array;
using llvm::json::Object;

/// The fields of KernelFacts that are numbers: one list for writing and reading.
template <typename Visitor> void visitFacts(codegen::KernelFacts &facts, Visitor visit) {
  for (unsigned *field :
       {&facts.vgprs, &facts.agprs, &facts.sgprs, &facts.registers, &facts.vgprSpills,
        &facts.sgprSpills, &facts.spillStoreBytes, &facts.spillLoadBytes,
        &facts.scratchBytesPerLane, &facts.sharedBytes, &facts.kernargBytes, &facts.maxThreads})
    visit(*field);
  visit(facts.codeBytes);
}

Object toJson(codegen::KernelFacts facts) {
  Array numbers;
  visitFacts(facts, [&](auto &field) { numbers.push_back(int64_t(field)); });
  return Object{{"name", facts.name}, {"numbers", std::move(numbers)}};
}

bool fromJson(const llvm::json::Value &value, codegen::KernelFacts &facts) {
  const Object *object = value.getAsObject();
  std::optional<llvm::StringRef> name = object ? object->getString("name") : std::nullopt;
  const Array *numbers = object ? object->getArray("numbers") : nullptr;
  if (!name || !numbers)
    return false;
  facts.name = name->str();
  size_t next = 0;
  bool isGood = true;
  visitFacts(facts, [&](auto &field) {
    std::optional<int64_t> number;
    if (next < numbers->size())
      number = (*numbers)[next++].getAsInteger();
    isGood &= number.has_value();
    field = number.value_or(0);
  });
  return isGood && next == numbers->size();
}

/// Messages hold parts of the user's text, which may be no UTF-8.
llvm::json::Value asValue(llvm::StringRef text) { return llvm::json::fixUTF8(text); }

Object toJson(const Diagnostic &d) {
  return Object{{"id", int64_t(d.id)},          {"severity", int64_t(d.severity)},
                {"file", int64_t(d.span.file)}, {"begin", int64_t(d.span.begin)},
                {"end", int64_t(d.span.end)},   {"text", asValue(d.message)}};
}

bool fromJson(const llvm::json::Value &value, Diagnostic &d) {
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(value, root);
  int64_t id, severity, file, begin, end;
  if (!map || !map.map("id", id) || !map.map("severity", severity) || !map.map("file", file) ||
      !map.map("begin", begin) || !map.map("end", end) || !map.map("text", d.message))
    return false;
  d.id = static_cast<DiagId>(id);
  d.severity = static_cast<Severity>(severity);
  d.span = {static_cast<uint32_t>(file), static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  return true;
}

template <typename T>
bool readList(const Object &object, llvm::StringRef key, std::vector<T> &out) {
  const Array *list = object.getArray(key);
  for (size_t i = 0; list && i < list->size(); ++i)
    if (!fromJson((*list)[i], out.emplace_back()))
      return false;
  return list != nullptr;
}

} // namespace

CacheKey programKey(const CompileOptions &options, llvm::StringRef name, llvm::StringRef text) {
  // By name, so that a new option does not build until someone has decided whether it counts. Those
  // that do not count say how to work, or switch this cache off (Compilation::runTo).
  const auto &[arch, entry, defines, ptxAssembler, strict, verifyStages, checkBounds, lineTables,
               cubinLines, math, schedule, planText, planFile, strictSchedule, cache, cachePrograms,
               saveTempsPrefix, afterStage] = options;
  CacheKey key("program");
  key.add(programIdentity()).add(name).add(text);
  key.add(llvm::StringRef(nameOf(arch))).add(entry).add(schedule).add(planText).add(planFile);
  key.add(uint64_t(defines.size()));
  for (const std::string &define : defines)
    key.add(define);
  key.add(strict).add(checkBounds).add(lineTables).add(cubinLines);
  key.add(strictSchedule ? 1 + *strictSchedule : 0);
  key.add(static_cast<uint64_t>(math)).add(static_cast<uint64_t>(ptxAssembler));
  key.add(codegen::deviceLibraryIdentity(vendorOf(arch)));
  if (vendorOf(arch) == Vendor::Nvidia && ptxAssembler != codegen::PtxAssembler::None)
    key.add(codegen::ptxAssemblerIdentity(ptxAssembler));
  return key;
}

std::string packProgram(const CompiledProgram &program) {
  const codegen::Image &image = program.image;
  Array kernels, diagnostics;
  for (const codegen::KernelFacts &facts : image.kernels)
    kernels.push_back(toJson(facts));
  for (const Diagnostic &diagnostic : program.diagnostics)
    diagnostics.push_back(toJson(diagnostic));
  Object head{{"manifest", asValue(rt::printManifest(program.manifest))},
              {"kind", int64_t(image.kind)},
              {"arch", int64_t(image.arch)},
              {"kernels", std::move(kernels)},
              {"diagnostics", std::move(diagnostics)},
              {"log", asValue(image.log)},
              {"ptx_bytes", int64_t(image.ptx.size())}};
  std::string entry;
  llvm::raw_string_ostream os(entry);
  os << llvm::json::Value(std::move(head)) << '\n' << image.ptx;
  os.write(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size());
  return entry;
}

std::optional<CompiledProgram> unpackProgram(llvm::StringRef entry) {
  auto [line, rest] = entry.split('\n');
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(line);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(*parsed, root);
  CompiledProgram program;
  codegen::Image &image = program.image;
  std::string manifest;
  int64_t kind, arch, ptxBytes;
  if (!map || !map.map("manifest", manifest) || !map.map("kind", kind) || !map.map("arch", arch) ||
      !map.map("log", image.log) || !map.map("ptx_bytes", ptxBytes) || ptxBytes < 0 ||
      static_cast<uint64_t>(ptxBytes) > rest.size())
    return std::nullopt;
  const Object &head = *parsed->getAsObject();
  if (!readList(head, "kernels", image.kernels) ||
      !readList(head, "diagnostics", program.diagnostics))
    return std::nullopt;
  rt::Result<rt::Manifest> read = rt::parseManifest(manifest);
  if (!read)
    return std::nullopt;
  program.manifest = std::move(*read);
  image.kind = static_cast<codegen::ImageKind>(kind);
  image.arch = static_cast<Arch>(arch);
  image.ptx = rest.take_front(ptxBytes).str();
  llvm::StringRef bytes = rest.drop_front(ptxBytes);
  image.bytes.assign(bytes.begin(), bytes.end());
  return program;
}

} // namespace tilec

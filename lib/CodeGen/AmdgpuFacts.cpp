//===- AmdgpuFacts.cpp - kernel facts from an hsaco's metadata ------------===//
//
// The note is a MessagePack map, described in LLVM's AMDGPU usage guide, "Code
// Object V5 Metadata".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ImageFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::object;

namespace tilec::codegen {

namespace {

/// Walks the note with LLVM's pull parser. (Its document model asserts on malformed input.)
class NoteReader {
public:
  explicit NoteReader(StringRef payload) : reader(payload) {}

  Error read(std::vector<KernelFacts> &facts) {
    return readMap([&](StringRef key) -> Error {
      if (key != "amdhsa.kernels")
        return skip(0);
      msgpack::Object array;
      if (Error error = next(array))
        return error;
      if (array.Kind != msgpack::Type::Array)
        return malformed();
      for (size_t i = 0; i < array.Length; ++i)
        if (Error error = readKernel(facts.emplace_back()))
          return error;
      return Error::success();
    });
  }

private:
  static constexpr unsigned maxDepth = 32; ///< deeper than any metadata; bounds the recursion

  static Error malformed() { return createStringError("the AMDGPU metadata note is malformed"); }

  Error next(msgpack::Object &object) {
    auto more = reader.read(object);
    if (!more) {
      consumeError(more.takeError());
      return malformed();
    }
    return *more ? Error::success() : malformed();
  }

  /// Calls `visit` at every key; it must read the value.
  Error readMap(function_ref<Error(StringRef)> visit) {
    msgpack::Object map, key;
    if (Error error = next(map))
      return error;
    if (map.Kind != msgpack::Type::Map)
      return malformed();
    for (size_t i = 0; i < map.Length; ++i) {
      if (Error error = next(key))
        return error;
      if (key.Kind != msgpack::Type::String)
        return malformed();
      if (Error error = visit(key.Raw))
        return error;
    }
    return Error::success();
  }

  Error skip(unsigned depth) {
    msgpack::Object object;
    if (depth > maxDepth)
      return malformed();
    if (Error error = next(object))
      return error;
    bool isMap = object.Kind == msgpack::Type::Map, isArray = object.Kind == msgpack::Type::Array;
    for (size_t i = 0; i < (isMap || isArray ? object.Length : 0); ++i)
      for (unsigned part = 0; part < (isMap ? 2u : 1u); ++part)
        if (Error error = skip(depth + 1))
          return error;
    return Error::success();
  }

  Error readKernel(KernelFacts &facts) {
    unsigned allVgprs = 0;
    const std::pair<StringRef, unsigned *> numbers[] = {
        {".agpr_count", &facts.agprs},
        {".vgpr_count", &allVgprs},
        {".sgpr_count", &facts.sgprs},
        {".vgpr_spill_count", &facts.vgprSpills},
        {".sgpr_spill_count", &facts.sgprSpills},
        {".private_segment_fixed_size", &facts.scratchBytesPerLane},
        {".group_segment_fixed_size", &facts.sharedBytes},
        {".kernarg_segment_size", &facts.kernargBytes},
        {".max_flat_workgroup_size", &facts.maxThreads}};
    Error error = readMap([&](StringRef key) -> Error {
      auto number = llvm::find_if(numbers, [&](auto &entry) { return entry.first == key; });
      if (number == std::end(numbers) && key != ".name")
        return skip(0);
      msgpack::Object value;
      if (Error inner = next(value))
        return inner;
      if (key == ".name" && value.Kind == msgpack::Type::String)
        facts.name = value.Raw.str();
      else if (key != ".name" && value.Kind == msgpack::Type::UInt)
        *number->second = value.UInt;
      else if (key != ".name" && value.Kind == msgpack::Type::Int)
        *number->second = value.Int;
      else
        return malformed();
      return Error::success();
    });
    // With accumulators the count is of both files: those of the vector file rounded up to 4.
    facts.vgprs = allVgprs - std::min(allVgprs, facts.agprs);
    return error;
  }

  msgpack::Reader reader;
};

} // namespace

Expected<std::vector<KernelFacts>> readAmdgpuFacts(ArrayRef<uint8_t> image) {
  auto file = ELFFile<ELF64LE>::create(
      StringRef(reinterpret_cast<const char *>(image.data()), image.size()));
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  std::vector<KernelFacts> facts;
  const ELF64LE::Shdr *table = nullptr;
  for (const ELF64LE::Shdr &section : *sections) {
    if (section.sh_type == ELF::SHT_SYMTAB || (section.sh_type == ELF::SHT_DYNSYM && !table))
      table = &section;
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    for (const auto &note : file->notes(section, error))
      if (note.getName() == "AMDGPU" && note.getType() == ELF::NT_AMDGPU_METADATA) {
        if (Error inner = NoteReader(note.getDescAsStringRef(section.sh_addralign)).read(facts)) {
          consumeError(std::move(error));
          return inner;
        }
      }
    if (error)
      return error;
  }
  if (!table)
    return facts;
  auto symbols = file->symbols(table);
  if (!symbols)
    return symbols.takeError();
  auto names = file->getStringTableForSymtab(*table);
  if (!names)
    return names.takeError();
  for (const ELF64LE::Sym &symbol : *symbols) {
    auto name = symbol.getName(*names);
    if (!name)
      return name.takeError();
    for (KernelFacts &kernel : facts)
      if (*name == kernel.name)
        kernel.codeBytes = symbol.st_size;
  }
  return facts;
}

} // namespace tilec::codegen

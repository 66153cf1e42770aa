//===- AmdgpuFacts.cpp - kernel facts from an hsaco's metadata ------------===//
//
// The note is a MessagePack map, described in LLVM's AMDGPU usage guide, "Code
// Object V5 Metadata".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ImageFacts.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::object;

namespace tilec::codegen {

namespace {

/// Of an entry of the metadata map; 0 and "" where it is missing.
uint64_t number(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  if (it == map.end())
    return 0;
  if (it->second.getKind() == msgpack::Type::UInt)
    return it->second.getUInt();
  return it->second.getKind() == msgpack::Type::Int ? it->second.getInt() : 0;
}

std::string text(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  return it == map.end() || !it->second.isString() ? "" : it->second.getString().str();
}

KernelFacts kernelFacts(msgpack::MapDocNode &map) {
  KernelFacts facts;
  facts.name = text(map, ".name");
  facts.agprs = number(map, ".agpr_count");
  // With accumulators the count is of both files: those of the vector file rounded up to 4.
  facts.vgprs = number(map, ".vgpr_count") - facts.agprs;
  facts.sgprs = number(map, ".sgpr_count");
  facts.vgprSpills = number(map, ".vgpr_spill_count");
  facts.sgprSpills = number(map, ".sgpr_spill_count");
  facts.scratchBytesPerLane = number(map, ".private_segment_fixed_size");
  facts.sharedBytes = number(map, ".group_segment_fixed_size");
  facts.kernargBytes = number(map, ".kernarg_segment_size");
  facts.maxThreads = number(map, ".max_flat_workgroup_size");
  return facts;
}

Error readNote(StringRef payload, std::vector<KernelFacts> &facts) {
  msgpack::Document document;
  if (!document.readFromBlob(payload, /*Multi=*/false) || !document.getRoot().isMap())
    return createStringError("the AMDGPU metadata note is malformed");
  auto &root = document.getRoot().getMap();
  auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end() || !kernels->second.isArray())
    return Error::success();
  for (msgpack::DocNode &kernel : kernels->second.getArray())
    if (kernel.isMap())
      facts.push_back(kernelFacts(kernel.getMap()));
  return Error::success();
}

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
        if (Error inner = readNote(note.getDescAsStringRef(section.sh_addralign), facts)) {
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

//===- CubinFacts.cpp - kernel facts from a cubin -------------------------===//
//
// .nv.info is a list of attributes: format byte, attribute byte, 16 bits (a value,
// or the payload's size when the format is 4), payload. The numbers were learned by
// comparing cubins of ptxas 13.0 with its own -v log.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ImageFacts.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::object;

namespace tilec::codegen {

namespace {

constexpr uint8_t sizedFormat = 4;
/// From sm_90 on, the first KiB of a block's shared memory is the system's; .nv.shared.<kernel>
/// counts it, and a section .nv.shared.reserved.0 says that it is there.
constexpr unsigned systemSharedBytes = 1024;
enum Attribute : uint8_t {
  FrameBytes = 0x11,    ///< global .nv.info: symbol, bytes
  RegisterCount = 0x2f, ///< global .nv.info: symbol, registers
  MaxThreads = 0x05,    ///< .nv.info.<kernel>: x, y, z of maxntid
  RequiredThreads = 0x10,
  ParameterBytes = 0x19, ///< in the 16 bits of the attribute: size of the parameters
};

template <typename Visit> void forEachAttribute(StringRef bytes, Visit visit) {
  while (bytes.size() >= 4) {
    uint8_t format = bytes[0], attribute = bytes[1];
    uint16_t value = support::endian::read16le(bytes.data() + 2);
    bytes = bytes.drop_front(4);
    StringRef payload;
    if (format == sizedFormat) {
      payload = bytes.take_front(value);
      bytes = bytes.drop_front(payload.size());
    }
    visit(attribute, value, payload);
  }
}

uint32_t word(StringRef payload, unsigned index) {
  return support::endian::read32le(payload.data() + 4 * index);
}

KernelFacts &find(std::vector<KernelFacts> &facts, StringRef name) {
  for (KernelFacts &kernel : facts)
    if (kernel.name == name)
      return kernel;
  facts.emplace_back().name = name.str();
  return facts.back();
}

void readKernelInfo(StringRef bytes, KernelFacts &kernel) {
  forEachAttribute(bytes, [&](uint8_t attribute, uint16_t value, StringRef payload) {
    if ((attribute == MaxThreads || attribute == RequiredThreads) && payload.size() >= 12)
      kernel.maxThreads = word(payload, 0) * word(payload, 1) * word(payload, 2);
    else if (attribute == ParameterBytes)
      kernel.kernargBytes = value;
  });
}

/// Registers and stack, which .nv.info lists by symbol for all kernels together.
Error readGlobalInfo(const ELFFile<ELF64LE> &file, const ELF64LE::Shdr &table, StringRef bytes,
                     std::vector<KernelFacts> &facts) {
  auto symbols = file.symbols(&table);
  if (!symbols)
    return symbols.takeError();
  auto names = file.getStringTableForSymtab(table);
  if (!names)
    return names.takeError();
  forEachAttribute(bytes, [&](uint8_t attribute, uint16_t, StringRef payload) {
    if ((attribute != RegisterCount && attribute != FrameBytes) || payload.size() < 8 ||
        word(payload, 0) >= symbols->size())
      return;
    auto name = (*symbols)[word(payload, 0)].getName(*names);
    if (!name) {
      consumeError(name.takeError());
      return;
    }
    for (KernelFacts &kernel : facts)
      if (kernel.name == *name)
        (attribute == RegisterCount ? kernel.registers : kernel.scratchBytesPerLane) =
            word(payload, 1);
  });
  return Error::success();
}

} // namespace

Expected<std::vector<KernelFacts>> readCubinFacts(ArrayRef<uint8_t> image) {
  auto file = ELFFile<ELF64LE>::create(
      StringRef(reinterpret_cast<const char *>(image.data()), image.size()));
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  std::vector<KernelFacts> facts;
  const ELF64LE::Shdr *table = nullptr;
  StringRef globalInfo;
  unsigned reservedBytes = 0;
  for (const ELF64LE::Shdr &section : *sections) {
    auto name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    if (section.sh_type == ELF::SHT_SYMTAB)
      table = &section;
    StringRef kernel = *name;
    bool isShared = kernel.consume_front(".nv.shared.");
    bool isInfo = !isShared && kernel.consume_front(".nv.info.");
    bool isText = !isShared && !isInfo && kernel.consume_front(".text.");
    if (isText)
      find(facts, kernel).codeBytes = section.sh_size;
    else if (isShared && kernel.starts_with("reserved."))
      reservedBytes = systemSharedBytes;
    else if (isShared)
      find(facts, kernel).sharedBytes = section.sh_size;
    if (!isInfo && *name != ".nv.info")
      continue;
    auto contents = file->getSectionContents(section);
    if (!contents)
      return contents.takeError();
    StringRef bytes(reinterpret_cast<const char *>(contents->data()), contents->size());
    if (isInfo)
      readKernelInfo(bytes, find(facts, kernel));
    else
      globalInfo = bytes;
  }
  for (KernelFacts &kernel : facts)
    kernel.sharedBytes -= std::min(kernel.sharedBytes, reservedBytes);
  if (!table)
    return facts;
  if (Error error = readGlobalInfo(*file, *table, globalInfo, facts))
    return error;
  return facts;
}

} // namespace tilec::codegen

//===- Program.cpp - decoded code, instruction by instruction -------------===//
//
// Takes an address in the code, gives its decoded instruction; each is decoded once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CodeObjectImpl.h"
#include "Decode.h"
#include "Wave.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"

namespace tilec::sim {

/// Runs in place of an instruction that cannot be executed.
static void execUndecodable(Wave &wave, const Instr &instr) {
  const auto &decoded = static_cast<const Decoded &>(instr);
  fault(wave, instr, decoded.text.empty() ? CheckKind::BadProgram : CheckKind::BadInstruction,
        decoded.error);
}

Program::Program(const CodeObjectImpl &object, ProgramKey key)
    : owner(object), key(key), numSlots(static_cast<uint32_t>(object.image.size() / 4)),
      slots(new std::atomic<const Decoded *>[numSlots]()) {}

Arch Program::arch() const { return owner.arch; }

/// Empty when every vector register of the instruction is one that the kernel has.
static std::string checkRegisters(const Instr &instr, uint32_t numVgprs) {
  auto bad = [&](const Operand &o) {
    return o.isVgpr() && static_cast<uint32_t>(o.reg) + o.dwords > numVgprs;
  };
  for (const Operand *o : {&instr.dst[0], &instr.dst[1], &instr.src[0], &instr.src[1],
                           &instr.src[2], &instr.src[3], &instr.src[4], &instr.src[5]})
    if (bad(*o))
      return "vector register " + std::to_string(o->reg + o->dwords - 1) +
             " of the unified file is used; the kernel's descriptor allocates " +
             std::to_string(numVgprs);
  return "";
}

Decoded Program::decode(uint32_t pc) const {
  Decoded result;
  static const OpInfo nothing{"", execUndecodable};
  result.exec = execUndecodable;
  result.op = &nothing;
  result.address = pc * 4;
  result.pc = result.next = pc;
  uint64_t address = static_cast<uint64_t>(pc) * 4;
  if (!owner.isExecutable(address)) {
    result.error =
        "execution reached 0x" + llvm::Twine::utohexstr(address).str() + ", which is not code";
    return result;
  }
  AsmText text;
  {
    std::lock_guard lock(owner.disassemblerMutex);
    text = owner.disassembler->decode(llvm::ArrayRef(owner.image).drop_front(address), address);
  }
  if (text.text.empty() || text.sizeBytes % 4 != 0) {
    uint32_t word;
    memcpy(&word, &owner.image[address], 4);
    result.error = "the bytes 0x" + llvm::Twine::utohexstr(word).str() +
                   "... are no instruction of " + std::string(nameOf(owner.arch));
    return result;
  }
  result.next = pc + text.sizeBytes / 4;
  DecodeContext context{static_cast<uint32_t>(address), text.sizeBytes, key.firstAgpr};
  auto instr = decodeText(text.text, context);
  if (!instr) {
    result.text = text.text;
    result.error = llvm::toString(instr.takeError());
    return result;
  }
  std::string registers = checkRegisters(*instr, key.numVgprs);
  instr->passes = static_cast<uint8_t>(mfmaPasses(*instr, owner.arch == Arch::Gfx950));
  if (registers.empty())
    static_cast<Instr &>(result) = *instr;
  result.text = text.text;
  result.error = registers;
  return result;
}

const Instr *Program::decodeAt(uint32_t pc) const {
  std::lock_guard lock(mutex);
  if (pc < numSlots)
    if (const Decoded *found = slots[pc].load(std::memory_order_acquire))
      return found;
  storage.push_back(decode(pc));
  if (pc < numSlots)
    slots[pc].store(&storage.back(), std::memory_order_release);
  return &storage.back();
}

const Program &CodeObjectImpl::programFor(const KernelSetup &setup) const {
  std::lock_guard lock(programsMutex);
  ProgramKey key{setup.accumOffset, setup.numVgprs};
  auto &program = programs[key];
  if (!program)
    program = std::make_unique<Program>(*this, key);
  return *program;
}

struct CodeObjectImpl::DebugInfo {
  std::unique_ptr<llvm::object::ObjectFile> file;
  std::unique_ptr<llvm::DWARFContext> dwarf;
};
CodeObjectImpl::CodeObjectImpl() = default;
CodeObjectImpl::~CodeObjectImpl() = default;

/// LLVM allocates what a compressed section says of its size. No compiler compresses those of GPU
/// code unless told to.
static bool hasCompressedSection(const llvm::object::ObjectFile &file) {
  return llvm::any_of(file.sections(),
                      [](const llvm::object::SectionRef &s) { return s.isCompressed(); });
}

/// LLVM counts and reads relocations by the size that the file says they have.
static bool hasOddRelocations(const llvm::object::ObjectFile &file) {
  auto *elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(&file);
  return !elf || llvm::any_of(elf->sections(), [&](const llvm::object::SectionRef &section) {
    const auto &header = *elf->getSection(section.getRawDataRefImpl());
    switch (header.sh_type) {
    case llvm::ELF::SHT_REL:
      return header.sh_entsize != sizeof(llvm::object::ELF64LE::Rel);
    case llvm::ELF::SHT_RELA:
      return header.sh_entsize != sizeof(llvm::object::ELF64LE::Rela);
    case llvm::ELF::SHT_RELR:
    case llvm::ELF::SHT_CREL:
      return true;
    default:
      return false;
    }
  });
}

/// At the first call; with `debugMutex` held.
void CodeObjectImpl::readDebugInfo() const {
  if (debugInfo)
    return;
  debugInfo = std::make_unique<DebugInfo>();
  llvm::StringRef bytes(reinterpret_cast<const char *>(elf.data()), elf.size());
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "object"));
  if (file)
    debugInfo->file = std::move(*file);
  else
    llvm::consumeError(file.takeError());
  auto quiet = [](llvm::Error e) { llvm::consumeError(std::move(e)); };
  if (debugInfo->file && !hasCompressedSection(*debugInfo->file) &&
      !hasOddRelocations(*debugInfo->file))
    debugInfo->dwarf = llvm::DWARFContext::create(
        *debugInfo->file, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", quiet,
        quiet);
}

bool CodeObjectImpl::isOwn() const {
  std::lock_guard lock(debugMutex);
  readDebugInfo();
  if (!debugInfo->dwarf || debugInfo->dwarf->getNumCompileUnits() == 0)
    return false;
  llvm::DWARFDie unit = debugInfo->dwarf->getUnitAtIndex(0)->getUnitDIE();
  return llvm::StringRef(llvm::dwarf::toString(unit.find(llvm::dwarf::DW_AT_producer), "")) ==
         "tilec";
}

std::string CodeObjectImpl::sourceLine(uint64_t address) const {
  std::lock_guard lock(debugMutex);
  readDebugInfo();
  if (!debugInfo->dwarf)
    return "";
  llvm::object::SectionedAddress place{address, llvm::object::SectionedAddress::UndefSection};
  for (const Place &moved : places) // lines of a relocatable object count within its sections
    if (address >= moved.begin && address < moved.end)
      place = {address - moved.begin, moved.section};
  using Specifier = llvm::DILineInfoSpecifier;
  auto line = debugInfo->dwarf->getLineInfoForAddress(
      place, Specifier(Specifier::FileLineInfoKind::RelativeFilePath,
                       Specifier::FunctionNameKind::None, /*ApproximateLine=*/true));
  if (!line || line->Line == 0)
    return "";
  return " (" + line->FileName + ":" + std::to_string(line->Line) + ")";
}

std::string CodeObjectImpl::describeAddress(uint64_t address) const {
  for (size_t i = 0; i < kernels.size(); ++i) {
    uint64_t entry = static_cast<uint64_t>(setups[i].entryPc) * 4;
    if (address >= entry && address < entry + setups[i].codeBytes)
      return kernels[i].name + "+0x" + llvm::Twine::utohexstr(address - entry).str() +
             sourceLine(address);
  }
  return "0x" + llvm::Twine::utohexstr(address).str() + sourceLine(address);
}

} // namespace tilec::sim

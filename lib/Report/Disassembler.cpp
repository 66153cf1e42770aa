//===- Disassembler.cpp - AMDGPU machine code through LLVM's MC layer -----===//
//
// Takes the bytes of a code object, gives instructions with what they read and write, and of which
// kind they are.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ControlFlow.h"
#include "tilec/CodeGen/CodeGen.h"
#include "tilec/Report/Disassembly.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::object;

namespace tilec::report {

namespace {

InstrKind sharedKind(StringRef mnemonic) {
  if (mnemonic.contains("permute") || mnemonic.contains("swizzle"))
    return InstrKind::LaneExchange;
  if (mnemonic.starts_with("ds_read"))
    return InstrKind::SharedRead;
  return mnemonic.starts_with("ds_write") ? InstrKind::SharedWrite : InstrKind::SharedOther;
}

InstrKind memoryKind(StringRef mnemonic, StringRef operands) {
  if (mnemonic.contains("_lds_") || operands.ends_with(" lds"))
    return InstrKind::SharedDma;
  if (mnemonic.contains("_load"))
    return InstrKind::GlobalLoad;
  return mnemonic.contains("_store") ? InstrKind::GlobalStore : InstrKind::GlobalAtomic;
}

InstrKind scalarKind(StringRef mnemonic) {
  auto starts = [mnemonic](std::initializer_list<StringRef> prefixes) {
    return llvm::any_of(prefixes, [&](StringRef prefix) { return mnemonic.starts_with(prefix); });
  };
  if (starts({"s_waitcnt"}))
    return InstrKind::Wait;
  if (starts({"s_barrier"}))
    return InstrKind::Barrier;
  if (starts({"s_setprio"}))
    return InstrKind::Priority;
  if (starts({"s_nop", "s_sleep"}))
    return InstrKind::Nop;
  if (starts({"s_endpgm"}))
    return InstrKind::End;
  if (starts({"s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call"}))
    return InstrKind::Branch;
  if (starts({"s_load", "s_buffer_", "s_scratch_", "s_store", "s_atomic", "s_dcache", "s_memtime",
              "s_memrealtime"}))
    return InstrKind::ScalarMemory;
  return InstrKind::Scalar;
}

InstrKind kindOf(StringRef mnemonic, StringRef operands) {
  if (mnemonic.starts_with("v_mfma") || mnemonic.starts_with("v_smfma"))
    return InstrKind::Mfma;
  if (mnemonic.starts_with("v_accvgpr"))
    return InstrKind::AccumulatorMove;
  if (mnemonic.starts_with("v_"))
    return InstrKind::Vector;
  if (mnemonic.starts_with("ds_"))
    return sharedKind(mnemonic);
  if (mnemonic.starts_with("scratch_"))
    return InstrKind::Scratch;
  if (mnemonic.starts_with("buffer_wb") || mnemonic.starts_with("buffer_inv"))
    return InstrKind::ScalarMemory; // cache control: no data
  if (mnemonic.starts_with("buffer_") || mnemonic.starts_with("global_") ||
      mnemonic.starts_with("flat_") || mnemonic.starts_with("tbuffer_"))
    return memoryKind(mnemonic, operands);
  return mnemonic.starts_with("s_") ? scalarKind(mnemonic) : InstrKind::Unknown;
}

/// LLVM's register numbers as ranges of a file, by their names (`VGPR4_VGPR5`, `SGPR0_LO16`,
/// `M0_gfxpre11`): the only public place that tells files apart.
class RegisterNames {
public:
  explicit RegisterNames(const MCRegisterInfo &info) : info(info) {}

  RegisterRange rangeOf(MCRegister reg) {
    auto [it, isNew] = known.try_emplace(reg.id(), RegisterRange{RegisterFile::Other});
    if (isNew)
      it->second = parse(info.getName(reg));
    return it->second;
  }

private:
  static RegisterRange parse(StringRef name) {
    constexpr std::pair<StringRef, RegisterFile> numbered[] = {{"VGPR", RegisterFile::Vector},
                                                               {"AGPR", RegisterFile::Accumulator},
                                                               {"SGPR", RegisterFile::Scalar}};
    for (auto [prefix, file] : numbered) {
      StringRef rest = name;
      unsigned first = 0;
      if (!rest.consume_front(prefix) || rest.consumeInteger(10, first))
        continue;
      return {file, static_cast<uint16_t>(first), static_cast<uint16_t>(name.count(prefix))};
    }
    constexpr std::pair<StringRef, RegisterFile> special[] = {{"M0", RegisterFile::M0},
                                                              {"VCC", RegisterFile::Vcc},
                                                              {"EXEC", RegisterFile::Exec},
                                                              {"SCC", RegisterFile::Scc}};
    for (auto [prefix, file] : special)
      if (name.consume_front(prefix)) {
        // vcc and exec have two halves.
        bool hasHalves = file == RegisterFile::Vcc || file == RegisterFile::Exec;
        bool isHalf = name == "_LO" || name == "_HI";
        return {file, uint16_t(name == "_HI"), uint16_t(hasHalves && !isHalf ? 2 : 1)};
      }
    return {RegisterFile::Other};
  }

  const MCRegisterInfo &info;
  DenseMap<unsigned, RegisterRange> known;
};

class Decoder {
public:
  static Expected<std::unique_ptr<Decoder>> create(StringRef chip);

  std::vector<Instruction> decode(ArrayRef<uint8_t> code, uint64_t address);

private:
  Instruction decodeOne(ArrayRef<uint8_t> code, uint64_t address);
  void describe(const MCInst &inst, Instruction &result);
  void collectRegisters(const MCInst &inst, Instruction &result);

  Triple triple{"amdgcn-amd-amdhsa"};
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> asmInfo;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
  std::unique_ptr<RegisterNames> names;
};

Expected<std::unique_ptr<Decoder>> Decoder::create(StringRef chip) {
  codegen::initializeTargets();
  auto decoder = std::make_unique<Decoder>();
  std::string message;
  const llvm::Target *target = TargetRegistry::lookupTarget(decoder->triple, message);
  if (!target)
    return createStringError(message);
  Decoder &d = *decoder;
  d.registers.reset(target->createMCRegInfo(d.triple));
  d.asmInfo.reset(target->createMCAsmInfo(*d.registers, d.triple, d.options));
  d.subtarget.reset(target->createMCSubtargetInfo(d.triple, chip, ""));
  d.instructions.reset(target->createMCInstrInfo());
  d.context =
      std::make_unique<MCContext>(d.triple, d.asmInfo.get(), d.registers.get(), d.subtarget.get());
  d.disassembler.reset(target->createMCDisassembler(*d.subtarget, *d.context));
  d.printer.reset(
      target->createMCInstPrinter(d.triple, 0, *d.asmInfo, *d.instructions, *d.registers));
  d.names = std::make_unique<RegisterNames>(*d.registers);
  if (!d.disassembler || !d.printer)
    return createStringError("LLVM has no disassembler for " + chip);
  return decoder;
}

std::vector<Instruction> Decoder::decode(ArrayRef<uint8_t> code, uint64_t address) {
  std::vector<Instruction> result;
  for (size_t at = 0; at < code.size();) {
    result.push_back(decodeOne(code.drop_front(at), address + at));
    at += result.back().bytes;
  }
  return result;
}

Instruction Decoder::decodeOne(ArrayRef<uint8_t> code, uint64_t address) {
  Instruction result;
  result.address = address;
  MCInst inst;
  uint64_t bytes = 0;
  if (disassembler->getInstruction(inst, bytes, code, address, nulls()) !=
          MCDisassembler::Success ||
      bytes == 0) {
    result.bytes = std::min<size_t>(4, code.size());
    result.mnemonic = ".byte";
    return result;
  }
  result.bytes = bytes;
  std::string text;
  raw_string_ostream os(text);
  printer->printInst(&inst, address, "", *subtarget, os);
  StringRef line = StringRef(text).trim();
  result.mnemonic = line.take_until([](char c) { return c == ' ' || c == '\t'; }).str();
  result.operands = line.drop_front(result.mnemonic.size()).trim().str();
  describe(inst, result);
  return result;
}

/// The printed `offset:128` of a memory instruction; 0 when there is none.
int64_t printedOffset(StringRef operands) {
  size_t at = operands.find("offset:");
  int64_t value = 0;
  if (at != StringRef::npos)
    operands.substr(at + strlen("offset:")).consumeInteger(10, value);
  return value;
}

void Decoder::describe(const MCInst &inst, Instruction &result) {
  result.kind = kindOf(result.mnemonic, result.operands);
  int64_t first =
      inst.getNumOperands() && inst.getOperand(0).isImm() ? inst.getOperand(0).getImm() : 0;
  switch (result.kind) {
  case InstrKind::Wait:
    if (result.mnemonic == "s_waitcnt")
      result.waits = codegen::decodeWaitCounts(first);
    break;
  case InstrKind::Priority:
  case InstrKind::Nop:
    result.immediate = first;
    break;
  case InstrKind::Branch:
    result.isConditional = StringRef(result.mnemonic).starts_with("s_cbranch");
    // SOPP: words relative to the next instruction.
    if (result.isConditional || result.mnemonic == "s_branch")
      result.target = result.address + result.bytes + 4 * static_cast<int16_t>(first);
    break;
  default:
    result.immediate = printedOffset(result.operands);
  }
  collectRegisters(inst, result);
}

void Decoder::collectRegisters(const MCInst &inst, Instruction &result) {
  const MCInstrDesc &desc = instructions->get(inst.getOpcode());
  for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
    const MCOperand &operand = inst.getOperand(i);
    if (!operand.isReg() || !operand.getReg())
      continue;
    RegisterRange range = names->rangeOf(operand.getReg());
    if (i < desc.getNumDefs())
      result.writes.push_back(range);
    else
      result.reads.push_back(range);
  }
  for (MCPhysReg reg : desc.implicit_defs())
    result.writes.push_back(names->rangeOf(reg));
  for (MCPhysReg reg : desc.implicit_uses()) {
    RegisterRange range = names->rangeOf(reg);
    // LLVM's descriptions of ds_* claim a use of m0 that gfx9 does not have.
    bool isFalseM0 =
        range.file == RegisterFile::M0 && StringRef(result.mnemonic).starts_with("ds_");
    if (!isFalseM0)
      result.reads.push_back(range);
  }
}

struct Placed {
  codegen::KernelFacts facts;
  uint64_t entry;
};

/// Reads the code of every kernel that the metadata names.
class ObjectReader {
public:
  explicit ObjectReader(const ELF64LEObjectFile &file) : file(file) {}

  Expected<std::vector<KernelCode>> read(Decoder &decoder, ArrayRef<codegen::KernelFacts> kernels);

private:
  Expected<uint64_t> entryOf(const codegen::KernelFacts &kernel);
  Expected<ArrayRef<uint8_t>> codeAt(uint64_t address, uint64_t bytes);

  const ELF64LEObjectFile &file;
};

Expected<std::vector<KernelCode>> ObjectReader::read(Decoder &decoder,
                                                     ArrayRef<codegen::KernelFacts> kernels) {
  std::vector<KernelCode> result;
  for (const codegen::KernelFacts &facts : kernels) {
    auto entry = entryOf(facts);
    if (!entry)
      return entry.takeError();
    auto code = codeAt(*entry, facts.codeBytes);
    if (!code)
      return code.takeError();
    KernelCode kernel;
    kernel.facts = facts;
    kernel.address = *entry;
    kernel.instructions = decoder.decode(*code, *entry);
    findBlocks(kernel);
    findLoops(kernel);
    result.push_back(std::move(kernel));
  }
  return result;
}

Expected<uint64_t> ObjectReader::entryOf(const codegen::KernelFacts &kernel) {
  for (const ELFSymbolRef symbol : file.symbols()) {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if (*name == kernel.name)
      return symbol.getAddress();
  }
  return createStringError("kernel `" + kernel.name + "` has no symbol");
}

/// The code at an address; up to the end of its section when the size is not known.
Expected<ArrayRef<uint8_t>> ObjectReader::codeAt(uint64_t address, uint64_t bytes) {
  for (const SectionRef &section : file.sections()) {
    if (!section.isText() || address < section.getAddress())
      continue;
    auto contents = section.getContents();
    if (!contents)
      return contents.takeError();
    ArrayRef<uint8_t> code = arrayRefFromStringRef(*contents);
    if (address - section.getAddress() >= code.size())
      continue;
    code = code.drop_front(address - section.getAddress());
    return bytes ? code.take_front(bytes) : code;
  }
  return createStringError("a kernel starts outside of all code");
}

/// LLVM's own translation of the flags is undefined for chips that it does not know.
std::optional<Arch> archOf(unsigned flags) {
  switch (flags & ELF::EF_AMDGPU_MACH) {
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX942:
    return Arch::Gfx942;
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX950:
    return Arch::Gfx950;
  default:
    return std::nullopt;
  }
}

} // namespace

Expected<CodeObject> disassemble(ArrayRef<uint8_t> image) {
  auto facts = codegen::readKernelFacts(image);
  if (!facts)
    return facts.takeError();
  auto binary = ObjectFile::createELFObjectFile(
      MemoryBufferRef(StringRef(reinterpret_cast<const char *>(image.data()), image.size()), ""));
  if (!binary)
    return binary.takeError();
  auto *file = dyn_cast<ELF64LEObjectFile>(binary->get());
  if (!file || file->getELFFile().getHeader().e_machine != ELF::EM_AMDGPU)
    return createStringError("not an AMDGPU code object");
  std::optional<Arch> arch = archOf(file->getPlatformFlags());
  if (!arch)
    return createStringError("a code object for a chip that tilec does not know (ELF flags 0x%x)",
                             file->getPlatformFlags());
  auto decoder = Decoder::create(tilec::nameOf(*arch));
  if (!decoder)
    return decoder.takeError();
  auto kernels = ObjectReader(*file).read(**decoder, *facts);
  if (!kernels)
    return kernels.takeError();
  return CodeObject{*arch, std::move(*kernels)};
}

} // namespace tilec::report

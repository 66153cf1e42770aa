//===- Disassembler.cpp - LLVM's decoder and printer for one chip ---------===//
//
// No opcode number is known to the simulator: bytes become LLVM's assembler text,
// and Decode.cpp reads that text.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Disassembler.h"

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
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

// NOLINTBEGIN(readability-identifier-naming): the names are LLVM's.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}
// NOLINTEND(readability-identifier-naming)

namespace tilec::sim {

struct Disassembler::Parts {
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asmInfo;
  std::unique_ptr<llvm::MCInstrInfo> instrs;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> decoder;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Disassembler::Disassembler() : parts(std::make_unique<Parts>()) {}
Disassembler::~Disassembler() = default;

llvm::Expected<std::unique_ptr<Disassembler>> Disassembler::create(llvm::StringRef cpu) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("LLVM has no AMDGPU target: %s", error.c_str());
  std::unique_ptr<Disassembler> made(new Disassembler);
  Parts &p = *made->parts;
  p.registers.reset(target->createMCRegInfo(triple));
  p.asmInfo.reset(target->createMCAsmInfo(*p.registers, triple, p.options));
  p.instrs.reset(target->createMCInstrInfo());
  p.subtarget.reset(target->createMCSubtargetInfo(triple, cpu, ""));
  p.context = std::make_unique<llvm::MCContext>(triple, p.asmInfo.get(), p.registers.get(),
                                                p.subtarget.get());
  p.decoder.reset(target->createMCDisassembler(*p.subtarget, *p.context));
  p.printer.reset(target->createMCInstPrinter(triple, 0, *p.asmInfo, *p.instrs, *p.registers));
  if (!p.decoder || !p.printer)
    return llvm::createStringError("LLVM was built without the AMDGPU disassembler");
  return made;
}

/// A VOP3 instruction with a literal constant, also where a scalar result stands: chips before
/// gfx10 have none, and LLVM 22's disassembler reads a string that is gone when it says so
/// (llvm-objdump dies of it as well).
static bool hasLiteralInVop3(llvm::ArrayRef<uint8_t> bytes) {
  constexpr uint32_t vop3 = 0b110100, scalePrefix = 0xd3ac, literal = 255;
  constexpr uint32_t readFirstLane = 0x142, readLane = 0x289; // comparisons are those below 0x100
  for (; bytes.size() >= 8; bytes = bytes.drop_front(8)) {
    uint32_t first = llvm::support::endian::read32le(bytes.data());
    uint32_t sources = llvm::support::endian::read32le(bytes.data() + 4);
    if (first >> 26 != vop3)
      return false;
    uint32_t opcode = first >> 16 & 0x3ff;
    bool hasScalarResult = opcode < 0x100 || opcode == readFirstLane || opcode == readLane;
    if (hasScalarResult && (first & 255) == literal)
      return true;
    for (unsigned shift : {0, 9, 18})
      if ((sources >> shift & 511) == literal)
        return true;
    if (first >> 16 != scalePrefix) // which stands before the matrix instruction that it belongs to
      return false;
  }
  return false;
}

/// The same for the scalar offset of a buffer access.
static bool hasLiteralOffset(llvm::ArrayRef<uint8_t> bytes) {
  constexpr uint32_t untyped = 0b111000, typed = 0b111010, literal = 255;
  if (bytes.size() < 8)
    return false;
  uint32_t encoding = llvm::support::endian::read32le(bytes.data()) >> 26;
  return (encoding == untyped || encoding == typed) && bytes[7] == literal;
}

/// A matrix instruction of 8, 6 and 4 bits whose factors are no vector registers: LLVM 22's
/// disassembler takes their parts by the formats, has none of a scalar or a constant, and its
/// printer reads the name of what it has instead.
static bool hasScalarFactor(llvm::ArrayRef<uint8_t> bytes) {
  constexpr uint32_t scalePrefix = 0xd3ac, small = 0xd3ad, large = 0xd3ae, isVector = 256;
  for (; bytes.size() >= 8; bytes = bytes.drop_front(8)) {
    uint32_t opcode = llvm::support::endian::read32le(bytes.data()) >> 16;
    uint32_t sources = llvm::support::endian::read32le(bytes.data() + 4);
    if (opcode == small || opcode == large)
      return (sources & isVector) == 0 || (sources >> 9 & isVector) == 0;
    if (opcode != scalePrefix)
      return false;
  }
  return false;
}

/// An SDWA operand of a part that there is none of: LLVM 22's printer has no name for it.
static bool hasUnknownSdwaPart(llvm::ArrayRef<uint8_t> bytes) {
  constexpr uint32_t sdwa = 0xf9, vopc = 0b0111110, none = 7;
  if (bytes.size() < 8)
    return false;
  uint32_t first = llvm::support::endian::read32le(bytes.data());
  uint32_t parts = llvm::support::endian::read32le(bytes.data() + 4);
  if (first >> 31 != 0 || (first & 511) != sdwa)
    return false;
  bool hasResult = first >> 25 != vopc; // a comparison has a scalar register's number there
  return (parts >> 16 & 7) == none || (parts >> 24 & 7) == none ||
         (hasResult && (parts >> 8 & 7) == none);
}

/// v_madmk_f16 or v_madak_f16 with a constant of exactly 255. LLVM 22 takes the constant's value
/// for the code of a literal that follows, and reads on.
static bool hasConstantOf255(llvm::ArrayRef<uint8_t> bytes) {
  constexpr uint32_t madmk = 0b0100100, madak = 0b0100101;
  if (bytes.size() < 8 || llvm::support::endian::read32le(bytes.data() + 4) != 255)
    return false;
  uint32_t opcode = llvm::support::endian::read32le(bytes.data()) >> 25;
  return opcode == madmk || opcode == madak;
}

AsmText Disassembler::decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address) const {
  llvm::MCInst inst;
  uint64_t size = 0;
  AsmText result;
  // Where a literal is cut off, LLVM 22 reads a string that is gone to say so: zeros behind the end
  // make it one that is too long.
  constexpr size_t longest = 20;
  llvm::SmallVector<uint8_t, 2 * longest> padded(bytes.take_front(longest));
  padded.append(longest, 0);
  if (hasLiteralInVop3(padded) || hasLiteralOffset(padded) || hasUnknownSdwaPart(padded) ||
      hasScalarFactor(padded))
    return result;
  constexpr uint8_t inPlaceOf255 = 254;
  bool is255 = hasConstantOf255(padded);
  if (is255)
    padded[4] = inPlaceOf255;
  auto status = parts->decoder->getInstruction(inst, size, padded, address, llvm::nulls());
  if (is255)
    for (llvm::MCOperand &operand : inst)
      if (operand.isImm() && operand.getImm() == inPlaceOf255)
        operand.setImm(255);
  result.sizeBytes = static_cast<uint32_t>(size);
  // A soft failure is an encoding with reserved bits set: hardware's behaviour is not defined.
  if (status != llvm::MCDisassembler::Success || size == 0 || size > bytes.size())
    return result;
  llvm::raw_string_ostream os(result.text);
  parts->printer->printInst(&inst, address, "", *parts->subtarget, os);
  result.text = llvm::StringRef(result.text).trim().str();
  return result;
}

} // namespace tilec::sim

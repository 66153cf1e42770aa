//===- Sass.cpp - what a cubin's machine code is made of ------------------===//
//
// An instruction is 16 bytes. In the first word: opcode 0-11 (form in 9-11),
// destination 16-23, operands A 24-31 and B 32-39; operand C is 0-7 of the second
// word. Register 255 reads as zero.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/Sass.h"

#include "ImageFacts.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

#include <optional>
#include <tuple>

using namespace llvm;
using namespace llvm::object;

namespace tilec::codegen {

namespace {

constexpr unsigned instructionBytes = 16;
constexpr unsigned zeroRegister = 255;
enum Opcode : unsigned {
  Mov = 0x002,
  Imad = 0x024,
  Imma = 0x037,
  Hmma = 0x03c,
  Dmma = 0x03f,
  Nop = 0x118,
  Bra = 0x147,
  Ldl = 0x183,
  Stl = 0x187,
  Hgmma = 0x1f0,
  Igmma = 0x1f1,
  Qgmma = 0x1f3,
};
constexpr unsigned registerForm = 1; ///< all operands in registers

struct Decoded {
  uint64_t address, low, high;

  unsigned opcode() const { return low & 0x1ff; }
  unsigned form() const { return (low >> 9) & 7; }
  unsigned dst() const { return (low >> 16) & 0xff; }
  unsigned operandA() const { return (low >> 24) & 0xff; }
  unsigned operandB() const { return (low >> 32) & 0xff; }
  unsigned operandC() const { return high & 0xff; }

  bool isWarpgroupMma() const {
    return opcode() == Hgmma || opcode() == Igmma || opcode() == Qgmma;
  }
  bool isMma() const {
    return isWarpgroupMma() || opcode() == Hmma || opcode() == Imma || opcode() == Dmma;
  }
  /// The accumulators of an MMA: m64nN has N / 2 registers a thread, whose N / 8 - 1 is in bits
  /// 53-57; the MMAs of one warp at most 4.
  unsigned accumulatorCount() const { return isWarpgroupMma() ? ((low >> 53 & 0x1f) + 1) * 4 : 4; }
  /// The source of a move from register to register (IMAD with two zero factors is one too).
  std::optional<unsigned> moveSource() const {
    if (form() != registerForm)
      return std::nullopt;
    if (opcode() == Mov)
      return operandB();
    if (opcode() == Imad && operandA() == zeroRegister && operandB() == zeroRegister)
      return operandC();
    return std::nullopt;
  }
};

std::string nameOf(unsigned opcode) {
  switch (opcode) {
#define TILEC_SASS(Number, Name)                                                                   \
  case Number:                                                                                     \
    return Name;
#include "SassOpcodes.def"
#undef TILEC_SASS
  }
  return "op_" + utohexstr(opcode, /*LowerCase=*/true, /*Width=*/3);
}

/// Where a BRA goes. The distance is in words of 4 bytes from the next instruction: bits 34-63, and
/// from sm_90 on eight more low bits in 16-23.
uint64_t branchTarget(const Decoded &bra, unsigned sm) {
  int64_t words = static_cast<int64_t>(bra.low) >> 34;
  if (sm >= 90)
    words = words * 256 + (bra.low >> 16 & 0xff);
  return bra.address + instructionBytes + words * 4;
}

void measureLoop(ArrayRef<Decoded> code, SassLoop &loop) {
  BitVector accumulators(256);
  for (const Decoded &instr : code)
    if (instr.isMma())
      for (unsigned i = 0; i < instr.accumulatorCount() && instr.dst() + i < zeroRegister; ++i)
        accumulators.set(instr.dst() + i);
  for (const Decoded &instr : code) {
    ++loop.instructions;
    ++loop.opcodes[nameOf(instr.opcode())];
    loop.mmas += instr.isMma();
    loop.localAccesses += instr.opcode() == Ldl || instr.opcode() == Stl;
    if (std::optional<unsigned> source = instr.moveSource()) {
      ++loop.moves;
      loop.accumulatorMoves += accumulators.test(*source) || accumulators.test(instr.dst());
    }
  }
}

void readKernel(ArrayRef<uint8_t> bytes, unsigned sm, SassKernel &kernel) {
  std::vector<Decoded> code;
  for (size_t at = 0; at + instructionBytes <= bytes.size(); at += instructionBytes)
    code.push_back({at, support::endian::read64le(bytes.data() + at),
                    support::endian::read64le(bytes.data() + at + 8)});
  // ptxas ends a kernel with a branch to itself and pads with NOPs.
  auto isSelfBranch = [&](const Decoded &instr) {
    return instr.opcode() == Bra && branchTarget(instr, sm) == instr.address;
  };
  while (!code.empty() && (code.back().opcode() == Nop || isSelfBranch(code.back())))
    code.pop_back();

  kernel.instructions = code.size();
  for (auto [i, instr] : enumerate(code)) {
    ++kernel.opcodes[nameOf(instr.opcode())];
    kernel.mmas += instr.isMma();
    kernel.localLoads += instr.opcode() == Ldl;
    kernel.localStores += instr.opcode() == Stl;
    if (instr.opcode() != Bra)
      continue;
    uint64_t target = branchTarget(instr, sm);
    if (target >= instr.address || target % instructionBytes != 0)
      continue;
    SassLoop loop;
    loop.beginAddress = target;
    loop.endAddress = instr.address + instructionBytes;
    unsigned begin = target / instructionBytes;
    measureLoop(ArrayRef(code).slice(begin, i + 1 - begin), loop);
    kernel.loops.push_back(std::move(loop));
  }
  llvm::sort(kernel.loops, [](const SassLoop &a, const SassLoop &b) {
    return std::tie(a.beginAddress, a.endAddress) < std::tie(b.beginAddress, b.endAddress);
  });
  for (SassLoop &outer : kernel.loops)
    for (const SassLoop &inner : kernel.loops)
      if (&inner != &outer && inner.beginAddress >= outer.beginAddress &&
          inner.endAddress <= outer.endAddress)
        outer.isInnermost = false;
}

} // namespace

Expected<std::vector<SassKernel>> readSass(ArrayRef<uint8_t> cubin) {
  auto facts = readCubinFacts(cubin);
  if (!facts)
    return facts.takeError();
  auto file = ELFFile<ELF64LE>::create(
      StringRef(reinterpret_cast<const char *>(cubin.data()), cubin.size()));
  if (!file)
    return file.takeError();
  if (file->getHeader().e_machine != ELF::EM_CUDA)
    return createStringError("not a cubin");
  // The SM number is in bits 8-15 of the flags since ELF ABI version 8 (CUDA 13), in 0-7 before.
  constexpr unsigned newAbiVersion = 8;
  uint32_t flags = file->getHeader().e_flags;
  unsigned sm = file->getHeader().e_ident[ELF::EI_ABIVERSION] >= newAbiVersion ? flags >> 8 & 0xff
                                                                               : flags & 0xff;
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  std::vector<SassKernel> kernels;
  for (const ELF64LE::Shdr &section : *sections) {
    auto name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    if (!name->consume_front(".text."))
      continue;
    auto contents = file->getSectionContents(section);
    if (!contents)
      return contents.takeError();
    SassKernel kernel;
    for (const KernelFacts &known : *facts)
      if (known.name == *name)
        kernel.facts = known;
    readKernel(*contents, sm, kernel);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

} // namespace tilec::codegen

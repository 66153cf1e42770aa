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
#include "tilec/CodeGen/NaturalLoops.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

#include <map>
#include <optional>
#include <set>

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
  Exit = 0x14d,
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
  /// Bits 12-15 are the guard predicate, 7 is the true one.
  bool isUnconditional() const { return (low >> 12 & 0xf) == 7; }
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

struct Block {
  unsigned begin, end; ///< instructions
};

/// Basic blocks of a kernel by its BRA and EXIT instructions; their successors by index. Other
/// jumps (calls, indirect branches) are taken to come back.
std::vector<Block> findBlocks(ArrayRef<Decoded> code, unsigned sm,
                              std::vector<SmallVector<unsigned, 2>> &successors) {
  auto targetOf = [&](const Decoded &instr) -> std::optional<unsigned> {
    uint64_t target = branchTarget(instr, sm);
    if (instr.opcode() != Bra || target % instructionBytes ||
        target / instructionBytes >= code.size())
      return std::nullopt;
    return target / instructionBytes;
  };
  std::set<unsigned> starts;
  if (!code.empty())
    starts.insert(0);
  for (auto [i, instr] : enumerate(code)) {
    if (std::optional<unsigned> target = targetOf(instr))
      starts.insert(*target);
    if ((instr.opcode() == Bra || instr.opcode() == Exit) && i + 1 < code.size())
      starts.insert(i + 1);
  }
  std::vector<Block> blocks;
  std::map<unsigned, unsigned> blockAt;
  for (unsigned start : starts) {
    if (!blocks.empty())
      blocks.back().end = start;
    blockAt[start] = blocks.size();
    blocks.push_back({start, static_cast<unsigned>(code.size())});
  }
  for (auto [i, block] : enumerate(blocks)) {
    const Decoded &last = code[block.end - 1];
    auto &next = successors.emplace_back();
    if (std::optional<unsigned> target = targetOf(last))
      next.push_back(blockAt[*target]);
    bool ends = (last.opcode() == Bra || last.opcode() == Exit) && last.isUnconditional();
    if (!ends && i + 1 < blocks.size())
      next.push_back(i + 1);
  }
  return blocks;
}

std::vector<SassLoop> findLoops(ArrayRef<Decoded> code, unsigned sm) {
  std::vector<SmallVector<unsigned, 2>> successors;
  std::vector<Block> blocks = findBlocks(code, sm, successors);
  std::vector<SassLoop> loops;
  std::vector<NaturalLoop> naturals = findNaturalLoops(successors);
  for (const NaturalLoop &natural : naturals) {
    SassLoop &loop = loops.emplace_back();
    loop.depth = natural.depth;
    loop.isInnermost = natural.isInnermost;
    std::vector<Decoded> body;
    unsigned end = blocks[natural.header].begin;
    for (unsigned block : natural.blocks) {
      auto [first, last] = blocks[block];
      body.insert(body.end(), code.begin() + first, code.begin() + last);
      if (first == end)
        end = last;
    }
    loop.beginAddress = uint64_t(blocks[natural.header].begin) * instructionBytes;
    loop.endAddress = uint64_t(end) * instructionBytes;
    measureLoop(body, loop);
    loop.isMmaLoop = loop.mmas != 0;
  }
  for (auto [i, natural] : enumerate(naturals))
    if (loops[i].mmas)
      for (std::optional<unsigned> up = natural.parent; up; up = naturals[*up].parent)
        loops[*up].isMmaLoop = false;
  return loops;
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
  for (const Decoded &instr : code) {
    ++kernel.opcodes[nameOf(instr.opcode())];
    kernel.mmas += instr.isMma();
    kernel.localLoads += instr.opcode() == Ldl;
    kernel.localStores += instr.opcode() == Stl;
  }
  kernel.loops = findLoops(code, sm);
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

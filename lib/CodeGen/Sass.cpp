//===- Sass.cpp - what a cubin's machine code is made of ------------------===//
//
// Takes the bytes of a cubin's code, gives opcodes, loops and moves, without a disassembler of
// NVIDIA's.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/Sass.h"

#include "ImageFacts.h"
#include "SassDecode.h"
#include "tilec/CodeGen/NaturalLoops.h"

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

namespace sass {

std::optional<unsigned> Instruction::moveSource() const {
  if (form() != registerForm)
    return std::nullopt;
  bool isImadMove = opcode() == Imad && operandA() == zeroRegister && operandB() == zeroRegister;
  if (opcode() != Mov && !isImadMove)
    return std::nullopt;
  unsigned source = opcode() == Mov ? operandB() : operandC();
  return source == zeroRegister ? std::nullopt : std::optional(source);
}

unsigned Instruction::writtenCount() const {
  switch (writesOf(opcode())) {
  case Writes::None:
    return 0;
  case Writes::One:
    return 1;
  case Writes::Two:
    return 2;
  case Writes::Sized: { // bits 73-75: 5 is 64 bits, 6 is 128, less than 5 at most 32
    unsigned size = high >> 9 & 7;
    return size == 6 ? 4 : size == 5 ? 2 : 1;
  }
  case Writes::Matrices: // bits 72-73: 1, 2 or 4 matrices
    return 1u << (high >> 8 & 3);
  case Writes::Mma:
    return accumulatorCount();
  }
  return 0;
}

std::string nameOf(unsigned opcode) {
  switch (opcode) {
#define TILEC_SASS(Number, Name, Written)                                                          \
  case Number:                                                                                     \
    return Name;
#include "SassOpcodes.def"
#undef TILEC_SASS
  }
  return "op_" + utohexstr(opcode, /*LowerCase=*/true, /*Width=*/3);
}

Writes writesOf(unsigned opcode) {
  switch (opcode) {
#define TILEC_SASS(Number, Name, Written)                                                          \
  case Number:                                                                                     \
    return Writes::Written;
#include "SassOpcodes.def"
#undef TILEC_SASS
  }
  return Writes::None; // a sum that is not seen to be overwritten: at worst a move too many
}

} // namespace sass

using namespace sass;

namespace {

/// Where a BRA goes. The distance is in words of 4 bytes from the next instruction: bits 34-63, and
/// from sm_90 on eight more low bits in 16-23.
uint64_t branchTarget(const Instruction &bra, unsigned sm) {
  int64_t words = static_cast<int64_t>(bra.low) >> 34;
  if (sm >= 90)
    words = words * 256 + (bra.low >> 16 & 0xff);
  return bra.address + instructionBytes + words * 4;
}

/// Measures the loop that these instructions of the code make up.
void measureLoop(ArrayRef<Instruction> code, ArrayRef<unsigned> body, const BitVector &moves,
                 SassLoop &loop) {
  for (unsigned i : body) {
    const Instruction &instr = code[i];
    ++loop.instructions;
    ++loop.opcodes[nameOf(instr.opcode())];
    loop.mmas += instr.isMma();
    loop.localAccesses += instr.opcode() == Ldl || instr.opcode() == Stl;
    loop.moves += instr.moveSource().has_value();
    loop.accumulatorMoves += moves.test(i);
  }
}

/// Basic blocks of a kernel by its BRA and EXIT instructions; their successors by index. Other
/// jumps (calls, indirect branches) are taken to come back.
std::vector<Block> findBlocks(ArrayRef<Instruction> code, unsigned sm,
                              std::vector<SmallVector<unsigned, 2>> &successors) {
  auto targetOf = [&](const Instruction &instr) -> std::optional<unsigned> {
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
    const Instruction &last = code[block.end - 1];
    auto &next = successors.emplace_back();
    if (std::optional<unsigned> target = targetOf(last))
      next.push_back(blockAt[*target]);
    bool ends = (last.opcode() == Bra || last.opcode() == Exit) && last.isUnconditional();
    if (!ends && i + 1 < blocks.size())
      next.push_back(i + 1);
  }
  return blocks;
}

std::vector<SassLoop> findLoops(ArrayRef<Instruction> code, unsigned sm) {
  std::vector<SmallVector<unsigned, 2>> successors;
  std::vector<Block> blocks = findBlocks(code, sm, successors);
  BitVector moves = accumulatorMoves(code, blocks, successors);
  std::vector<SassLoop> loops;
  std::vector<NaturalLoop> naturals = findNaturalLoops(successors);
  for (const NaturalLoop &natural : naturals) {
    SassLoop &loop = loops.emplace_back();
    loop.depth = natural.depth;
    loop.isInnermost = natural.isInnermost;
    SmallVector<unsigned, 0> body;
    unsigned end = blocks[natural.header].begin;
    for (unsigned block : natural.blocks) {
      auto [first, last] = blocks[block];
      for (unsigned i = first; i < last; ++i)
        body.push_back(i);
      if (first == end)
        end = last;
    }
    loop.beginAddress = uint64_t(blocks[natural.header].begin) * instructionBytes;
    loop.endAddress = uint64_t(end) * instructionBytes;
    measureLoop(code, body, moves, loop);
    loop.isMmaLoop = loop.mmas != 0;
  }
  for (auto [i, natural] : enumerate(naturals))
    if (loops[i].mmas)
      for (std::optional<unsigned> up = natural.parent; up; up = naturals[*up].parent)
        loops[*up].isMmaLoop = false;
  return loops;
}

void readKernel(ArrayRef<uint8_t> bytes, unsigned sm, SassKernel &kernel) {
  std::vector<Instruction> code;
  for (size_t at = 0; at + instructionBytes <= bytes.size(); at += instructionBytes)
    code.push_back({at, support::endian::read64le(bytes.data() + at),
                    support::endian::read64le(bytes.data() + at + 8)});
  // ptxas ends a kernel with a branch to itself and pads with NOPs.
  auto isSelfBranch = [&](const Instruction &instr) {
    return instr.opcode() == Bra && branchTarget(instr, sm) == instr.address;
  };
  while (!code.empty() && (code.back().opcode() == Nop || isSelfBranch(code.back())))
    code.pop_back();

  kernel.instructions = code.size();
  for (const Instruction &instr : code) {
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

//===- SassDecode.h - fields of a SASS instruction ------------------------===//
//
// An instruction is 16 bytes. In the first word: opcode 0-11 (form in 9-11),
// destination 16-23, operands A 24-31 and B 32-39; operand C is 0-7 of the second
// word. Register 255 reads as zero.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec::codegen::sass {

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

/// How many registers, from the destination on, an opcode writes.
enum class Writes {
  None, ///< or predicates, or uniform registers
  One,
  Two,      ///< 64 bits
  Sized,    ///< a load: by its width
  Matrices, ///< LDSM: one for each matrix
  Mma,      ///< accumulators
};

struct Instruction {
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
  /// Where an MMA takes the sums from that it adds to; those of warp groups add in place.
  unsigned firstAccumulator() const { return isWarpgroupMma() ? dst() : operandC(); }
  /// The source of a move from register to register (IMAD with two zero factors is one too).
  std::optional<unsigned> moveSource() const;
  /// The number of registers written, from `dst` on.
  unsigned writtenCount() const;
};

/// Of the opcode table; `op_01a` where it has none.
std::string nameOf(unsigned opcode);
Writes writesOf(unsigned opcode);

struct Block {
  unsigned begin, end; ///< instructions
};

/// The instructions that move an accumulator between registers, which costs time and means that the
/// register allocator did not find one place for it: moves of what an MMA has summed up, and moves
/// to where an MMA adds of what was computed for that elsewhere.
llvm::BitVector accumulatorMoves(llvm::ArrayRef<Instruction> code, llvm::ArrayRef<Block> blocks,
                                 llvm::ArrayRef<llvm::SmallVector<unsigned, 2>> successors);

} // namespace tilec::codegen::sass

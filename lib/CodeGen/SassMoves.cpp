//===- SassMoves.cpp - which moves of a kernel move accumulators ----------===//
//
// Two questions to the flow of data, answered for all blocks at once:
//
//   forwards    which registers may hold what an MMA has summed up
//   backwards   from which registers an MMA will add
//
// A mask or a bias that fills several accumulators by moves from the first of them is
// no move of an accumulator: there the source will be added to as well.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SassDecode.h"

using namespace llvm;

namespace tilec::codegen::sass {

namespace {

constexpr unsigned registers = 256;
using Set = BitVector;

void setRange(Set &set, unsigned first, unsigned count, bool value) {
  for (unsigned i = first; i < first + count && i < zeroRegister; ++i)
    set[i] = value;
}

/// Registers that hold sums, after the instruction.
void forwards(const Instruction &instr, Set &sums) {
  std::optional<unsigned> source = instr.moveSource();
  bool isSum = instr.isMma() || (source && sums.test(*source));
  setRange(sums, instr.dst(), instr.writtenCount(), isSum);
}

/// Registers that will be added to, before the instruction.
void backwards(const Instruction &instr, Set &wanted) {
  std::optional<unsigned> source = instr.moveSource();
  bool isWanted = source && instr.dst() < zeroRegister && wanted.test(instr.dst());
  setRange(wanted, instr.dst(), instr.writtenCount(), false);
  if (isWanted)
    wanted.set(*source);
  if (instr.isMma())
    setRange(wanted, instr.firstAccumulator(), instr.accumulatorCount(), true);
}

} // namespace

BitVector accumulatorMoves(ArrayRef<Instruction> code, ArrayRef<Block> blocks,
                           ArrayRef<SmallVector<unsigned, 2>> successors) {
  std::vector<Set> sumsIn(blocks.size(), Set(registers)), wantedOut = sumsIn;
  for (bool changed = true; changed;) {
    changed = false;
    auto merge = [&](Set &into, const Set &from) {
      Set before = into;
      into |= from;
      changed |= into != before;
    };
    for (size_t b = 0; b < blocks.size(); ++b) {
      Set sums = sumsIn[b];
      for (unsigned i = blocks[b].begin; i < blocks[b].end; ++i)
        forwards(code[i], sums);
      for (unsigned next : successors[b])
        merge(sumsIn[next], sums);
    }
    for (size_t b = blocks.size(); b-- > 0;)
      for (unsigned next : successors[b]) {
        Set wanted = wantedOut[next];
        for (unsigned i = blocks[next].end; i-- > blocks[next].begin;)
          backwards(code[i], wanted);
        merge(wantedOut[b], wanted);
      }
  }
  BitVector moves(code.size());
  for (size_t b = 0; b < blocks.size(); ++b) {
    Set sums = sumsIn[b], wanted = wantedOut[b];
    for (unsigned i = blocks[b].begin; i < blocks[b].end; ++i) {
      std::optional<unsigned> source = code[i].moveSource();
      if (source && sums.test(*source))
        moves.set(i);
      forwards(code[i], sums);
    }
    for (unsigned i = blocks[b].end; i-- > blocks[b].begin;) {
      std::optional<unsigned> source = code[i].moveSource();
      if (source && code[i].dst() < zeroRegister && wanted.test(code[i].dst()) &&
          !wanted.test(*source))
        moves.set(i);
      backwards(code[i], wanted);
    }
  }
  return moves;
}

} // namespace tilec::codegen::sass

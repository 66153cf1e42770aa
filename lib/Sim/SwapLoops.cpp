//===- SwapLoops.cpp - loads that begin a loop of compare-and-swap --------===//
//
// Follows the code behind each load: what it has loaded must reach a compare-and-swap as the value
// that is compared. In memory both must name the place alike; in LDS, where LLVM moves constants
// between register and offset and joins loads, any place will do: nothing else compares so.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SwapLoops.h"

#include "CodeObjectImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tilec::sim {
namespace {

/// Instructions that are followed behind a load. Loops of our code begin within 20.
constexpr unsigned mostFollowed = 256;

unsigned bytesOf(const Instr &instr) { return instr.op->aux & 0xff; }

bool mayBegin(const Instr &instr) {
  bool isPlainLoad = (instr.flags & isLoad) && !(instr.flags & (isStore | isAtomic | isLdsDma));
  return isPlainLoad && (instr.flags & (isLds | isVmem)) && instr.dst[0].isVgpr() &&
         (bytesOf(instr) == 4 || bytesOf(instr) == 8);
}

/// ds_read2, see Ds.cpp.
bool isPair(const Instr &instr) { return (instr.flags & isLds) && instr.op->aux >> 16; }

bool isSame(const Operand &a, const Operand &b) {
  return a.kind == b.kind && a.reg == b.reg && a.imm == b.imm;
}

/// "global" of "global_load_dword".
llvm::StringRef segmentOf(const Instr &instr) {
  return llvm::StringRef(instr.op->name).split('_').first;
}

bool mayBeSamePlace(const Instr &a, const Instr &b) {
  if (a.flags & b.flags & isLds)
    return bytesOf(a) == bytesOf(b);
  return segmentOf(a) == segmentOf(b) && bytesOf(a) == bytesOf(b) && a.offset == b.offset &&
         a.offen == b.offen && a.idxen == b.idxen && isSame(a.src[0], b.src[0]) &&
         isSame(a.src[2], b.src[2]) && isSame(a.src[3], b.src[3]);
}

/// The first register of the value that is compared. In LDS it is an operand of its own.
uint16_t comparedBy(const Instr &swap) {
  unsigned words = bytesOf(swap) / 4;
  return static_cast<uint16_t>(swap.src[1].reg + (swap.flags & isLds ? 0 : words));
}

bool overlaps(llvm::ArrayRef<RegRange> a, llvm::ArrayRef<RegRange> b) {
  return llvm::any_of(
      a, [&](RegRange x) { return llvm::any_of(b, [&](RegRange y) { return x.overlaps(y); }); });
}
llvm::ArrayRef<RegRange> usesOf(const Instr &instr) { return {instr.uses, instr.numUses}; }
llvm::ArrayRef<RegRange> defsOf(const Instr &instr) { return {instr.defs, instr.numDefs}; }

/// A place in the code, and the registers that begin a copy of the loaded value there.
struct Path {
  uint32_t pc;
  llvm::SmallVector<uint16_t, 4> copies;
};

/// The copies behind `instr`.
void step(const Instr &instr, unsigned words, llvm::SmallVectorImpl<uint16_t> &copies) {
  llvm::StringRef name = instr.op->name;
  bool isCopy = (name == "v_mov_b32" || name == "v_mov_b64") && instr.src[0].isVgpr() &&
                llvm::is_contained(copies, instr.src[0].reg);
  llvm::erase_if(copies, [&](uint16_t reg) {
    return overlaps(RegRange{reg, static_cast<uint16_t>(words)}, defsOf(instr));
  });
  if (isCopy)
    copies.push_back(instr.dst[0].reg);
}

/// Whether what is loaded to `reg` is compared.
bool beginsSwap(const Program &program, const Instr &load, uint16_t reg) {
  bool inLds = load.flags & isLds;
  if (!inLds && overlaps(defsOf(load), usesOf(load)))
    return false;
  unsigned words = bytesOf(load) / 4;
  llvm::SmallVector<Path, 4> open = {{load.next, {reg}}};
  llvm::DenseSet<uint32_t> seen;
  while (!open.empty() && seen.size() < mostFollowed) {
    Path path = open.pop_back_val();
    if (!seen.insert(path.pc).second)
      continue;
    const Instr &instr = *program.at(path.pc);
    llvm::StringRef name = instr.op->name;
    if ((instr.traits & isCompareAndSwap) && mayBeSamePlace(load, instr) &&
        llvm::is_contained(path.copies, comparedBy(instr)))
      return true;
    // Behind a barrier it would not be a guess any more.
    bool movesPlace = !inLds && overlaps(defsOf(instr), usesOf(load));
    if (name == "s_barrier" || name == "s_endpgm" || movesPlace)
      continue;
    step(instr, words, path.copies);
    if (path.copies.empty())
      continue;
    bool isJump = name == "s_branch";
    if (isJump || name.starts_with("s_cbranch"))
      open.push_back({instr.target, path.copies});
    if (!isJump && instr.next > instr.pc)
      open.push_back({instr.next, path.copies});
  }
  return false;
}

} // namespace

SwapLoops findSwapLoops(const Program &program, const KernelSetup &setup) {
  SwapLoops result;
  if (setup.codeBytes == 0)
    return result;
  result.hasSwaps = false;
  llvm::SmallVector<const Instr *> loads;
  uint32_t end = setup.entryPc + setup.codeBytes / 4;
  for (uint32_t pc = setup.entryPc; pc < end;) {
    const Instr *instr = program.at(pc);
    result.hasSwaps |= (instr->traits & isCompareAndSwap) != 0;
    if (mayBegin(*instr))
      loads.push_back(instr);
    pc = std::max(instr->next, pc + 1);
  }
  for (const Instr *load : loads) {
    if (!result.hasSwaps)
      break;
    uint16_t reg = load->dst[0].reg, second = static_cast<uint16_t>(reg + bytesOf(*load) / 4);
    if (beginsSwap(program, *load, reg))
      result.guesses.insert(load->pc);
    if (isPair(*load) && beginsSwap(program, *load, second))
      result.secondGuesses.insert(load->pc);
  }
  return result;
}

} // namespace tilec::sim

//===- AmdgpuLanes.cpp - exchanges between lanes on CDNA ------------------===//
//
// DPP moves data inside a row of 16 lanes as part of a vector instruction, and gfx950
// swaps rows and halves of a wave. Elsewhere a swizzle reaches 32 lanes without an
// address register; the rest goes through ds_bpermute.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AMDGPU/AmdgpuEmitter.h"

namespace tilec::lower {

// DPP controls of gfx9 (CDNA3 ISA, "DPP_CTRL Enumerations").
constexpr unsigned rowMirror = 0x140;     ///< lane ^ 15
constexpr unsigned rowHalfMirror = 0x141; ///< lane ^ 7
constexpr unsigned rowRotate = 0x120;     ///< + n: lane i takes lane (i - n) mod 16 of its row
constexpr unsigned rowShiftLeft = 0x100;  ///< + n: lane i takes lane i + n of its row, if it has it
constexpr unsigned rowShiftRight = 0x110; ///< + n: lane i - n
constexpr unsigned rowBroadcast15 = 0x142; ///< a row takes lane 15 of the row before
constexpr unsigned rowBroadcast31 = 0x143; ///< rows 2 and 3 take lane 31

/// quad_perm whose lane i takes lane i ^ mask, mask in 1..3.
static unsigned quadXor(unsigned mask) {
  unsigned control = 0;
  for (unsigned lane = 0; lane < 4; ++lane)
    control |= (lane ^ mask) << (2 * lane);
  return control;
}

llvm::Value *AmdgpuEmitter::dpp(llvm::Value *value, unsigned control) {
  // All rows and banks; lanes that are off give no value, as with every exchange.
  return call("llvm.amdgcn.update.dpp", {b.getInt32Ty()},
              {llvm::PoisonValue::get(b.getInt32Ty()), value, b.getInt32(control), b.getInt32(0xf),
               b.getInt32(0xf), b.getTrue()});
}

/// lane ^ mask for mask in 1..15: at most two moves inside a row, one where lanes in groups of
/// `equal` have the same value.
llvm::Value *AmdgpuEmitter::rowXor(llvm::Value *value, unsigned mask, unsigned equal) {
  unsigned base = mask < 4 ? 0 : mask < 8 ? 7 : mask < 12 ? 8 : 15;
  switch (base) {
  case 7:
    value = dpp(value, rowHalfMirror);
    break;
  case 8:
    value = dpp(value, rowRotate + 8);
    break;
  case 15:
    value = dpp(value, rowMirror);
    break;
  default:
    break;
  }
  unsigned rest = (mask ^ base) & ~(equal - 1);
  return rest == 0 ? value : dpp(value, quadXor(rest));
}

/// lane ^ distance for 16 or 32 by v_permlane16_swap or v_permlane32_swap: the odd groups of the
/// first are exchanged with the even groups of the second (CDNA4 ISA). Of two copies, the first
/// then holds the even groups twice, the second the odd ones.
std::pair<llvm::Value *, llvm::Value *> AmdgpuEmitter::bothOfXor(llvm::Value *low,
                                                                 llvm::Value *high, int64_t mask) {
  if (target.arch != Arch::Gfx950 || (mask != 16 && mask != 32))
    return {};
  const char *name = mask == 16 ? "llvm.amdgcn.permlane16.swap" : "llvm.amdgcn.permlane32.swap";
  llvm::Value *both = call(name, {}, {low, high, b.getFalse(), b.getFalse()});
  return {b.CreateExtractValue(both, 0), b.CreateExtractValue(both, 1)};
}

llvm::Value *AmdgpuEmitter::swapXor(llvm::Value *value, unsigned distance) {
  auto [ofEven, ofOdd] = bothOfXor(value, value, distance);
  llvm::Value *isOdd = b.CreateICmpNE(b.CreateAnd(thread, uint64_t(distance)), b.getInt32(0));
  return b.CreateSelect(isOdd, ofEven, ofOdd);
}

llvm::Value *AmdgpuEmitter::shuffleXor(llvm::Value *value, int64_t mask, int64_t equal) {
  auto bits = static_cast<unsigned>(mask), groups = static_cast<unsigned>(equal);
  if (bits < 16)
    return rowXor(value, bits, groups);
  if (target.arch == Arch::Gfx950) {
    for (unsigned distance : {32u, 16u})
      if (bits & distance)
        value = swapXor(value, distance);
    return (bits & 15) == 0 ? value : rowXor(value, bits & 15, 1);
  }
  if (bits < 32) {
    // Bit-mask mode: and_mask in bits 4:0, or_mask in 9:5, xor_mask in 14:10 (ds_swizzle_b32).
    return call("llvm.amdgcn.ds.swizzle", {}, {value, b.getInt32(0x1f | bits << 10)});
  }
  llvm::Value *lane = b.CreateAnd(thread, static_cast<uint64_t>(target.waveLanes - 1));
  return shuffle(value, b.CreateXor(lane, static_cast<uint64_t>(mask)));
}

llvm::Value *AmdgpuEmitter::shuffle(llvm::Value *value, llvm::Value *lane) {
  if (llvm::isa<llvm::ConstantInt>(lane))
    return call("llvm.amdgcn.readlane", {b.getInt32Ty()}, {value, lane});
  return call("llvm.amdgcn.ds.bpermute", {}, {b.CreateShl(lane, 2), value});
}

llvm::Value *AmdgpuEmitter::scanPartner(llvm::Value *value, llvm::Value *fill, unsigned step,
                                        unsigned width, bool reverse) {
  constexpr unsigned row = 16, allRows = 0xf, oddRows = 0xa, upperRows = 0xc;
  unsigned distance = 1u << step;
  bool asksForLane = distance < row ? width < row : reverse;
  llvm::Value *lane = asksForLane ? b.CreateAnd(thread, uint64_t(target.waveLanes - 1)) : nullptr;
  // Lanes without a source, and rows that are left out, keep `fill`.
  auto move = [&](unsigned control, unsigned rows) {
    return call(
        "llvm.amdgcn.update.dpp", {b.getInt32Ty()},
        {fill, value, b.getInt32(control), b.getInt32(rows), b.getInt32(0xf), b.getFalse()});
  };
  auto readLane = [&](unsigned which) {
    return call("llvm.amdgcn.readlane", {b.getInt32Ty()}, {value, b.getInt32(which)});
  };
  if (distance < row) {
    llvm::Value *other = move((reverse ? rowShiftLeft : rowShiftRight) + distance, allRows);
    if (width >= row)
      return other;
    llvm::Value *inGroup = b.CreateAnd(lane, uint64_t(width - 1));
    llvm::Value *has = reverse ? b.CreateICmpULT(inGroup, b.getInt32(width - distance))
                               : b.CreateICmpUGE(inGroup, b.getInt32(distance));
    return b.CreateSelect(has, other, fill);
  }
  if (!reverse)
    return distance == row ? move(rowBroadcast15, oddRows) : move(rowBroadcast31, upperRows);
  // No broadcast goes down.
  llvm::Value *isLower = b.CreateICmpEQ(b.CreateAnd(lane, uint64_t(distance)), b.getInt32(0));
  llvm::Value *first = readLane(distance);
  if (distance == row)
    first = b.CreateSelect(b.CreateICmpULT(lane, b.getInt32(2 * row)), first, readLane(3 * row));
  return b.CreateSelect(isLower, first, fill);
}

llvm::Value *AmdgpuEmitter::bytePermute(llvm::Value *low, llvm::Value *high, uint32_t nibbles) {
  // v_perm_b32 numbers the bytes of its second source first.
  uint32_t selector = 0;
  for (unsigned i = 0; i < 4; ++i)
    selector |= (nibbles >> (4 * i) & 7) << (8 * i);
  return call("llvm.amdgcn.perm", {}, {high, low, b.getInt32(selector)});
}

llvm::Value *AmdgpuEmitter::ballot(llvm::Value *predicate) {
  return call("llvm.amdgcn.ballot", {b.getInt64Ty()}, {predicate});
}

llvm::Value *AmdgpuEmitter::vote(llvm::Value *predicate, bool all) {
  // No lane that is on says no.
  llvm::Value *lanes = ballot(all ? b.CreateNot(predicate) : predicate);
  return all ? b.CreateICmpEQ(lanes, b.getInt64(0)) : b.CreateICmpNE(lanes, b.getInt64(0));
}

/// Bit by bit: of the lanes that are left, those agree whose ballot says what this lane's bit says.
llvm::Value *AmdgpuEmitter::matchAny(llvm::Value *value) {
  llvm::Value *lanes = ballot(b.getTrue());
  llvm::Type *type = value->getType();
  for (unsigned bit = 0; bit < type->getIntegerBitWidth(); ++bit) {
    llvm::Value *isSet =
        b.CreateICmpNE(b.CreateAnd(value, uint64_t(1) << bit), llvm::ConstantInt::get(type, 0));
    llvm::Value *set = ballot(isSet);
    lanes = b.CreateAnd(lanes, b.CreateSelect(isSet, set, b.CreateNot(set)));
  }
  // Here, where the ballots are: in a branch behind them they would all be alive at once, twice as
  // many scalar registers as bits.
  return opaque(lanes, /*isUniform=*/false);
}

llvm::Value *AmdgpuEmitter::dot4(llvm::Value *left, llvm::Value *right, llvm::Value *sum,
                                 bool isUnsigned) {
  return call(isUnsigned ? "llvm.amdgcn.udot4" : "llvm.amdgcn.sdot4", {},
              {left, right, sum, b.getFalse()}); // no clamp
}

} // namespace tilec::lower

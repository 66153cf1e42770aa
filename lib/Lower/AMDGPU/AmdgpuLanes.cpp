//===- AmdgpuLanes.cpp - exchanges between lanes on CDNA ------------------===//
//
// DPP moves data inside a row of 16 lanes as part of a vector instruction; a swizzle
// reaches 32 lanes without an address register; the rest goes through ds_bpermute.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AMDGPU/AmdgpuEmitter.h"

namespace tilec::lower {

// DPP controls of gfx9 (CDNA3 ISA, "DPP_CTRL Enumerations").
constexpr unsigned rowMirror = 0x140;     ///< lane ^ 15
constexpr unsigned rowHalfMirror = 0x141; ///< lane ^ 7
constexpr unsigned rowRotate = 0x120;     ///< + n: lane i takes lane (i - n) mod 16 of its row

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

llvm::Value *AmdgpuEmitter::shuffleXor(llvm::Value *value, int64_t mask) {
  switch (mask) {
  case 1:
  case 2:
  case 3:
    return dpp(value, quadXor(static_cast<unsigned>(mask)));
  case 7:
    return dpp(value, rowHalfMirror);
  case 8:
    return dpp(value, rowRotate + 8);
  case 15:
    return dpp(value, rowMirror);
  default:
    break;
  }
  if (mask < 32) {
    // Bit-mask mode: and_mask in bits 4:0, or_mask in 9:5, xor_mask in 14:10 (ds_swizzle_b32).
    int64_t pattern = 0x1f | mask << 10;
    return call("llvm.amdgcn.ds.swizzle", {}, {value, b.getInt32(pattern)});
  }
  llvm::Value *lane = b.CreateAnd(thread, static_cast<uint64_t>(target.waveLanes - 1));
  return shuffle(value, b.CreateXor(lane, static_cast<uint64_t>(mask)));
}

llvm::Value *AmdgpuEmitter::shuffle(llvm::Value *value, llvm::Value *lane) {
  return call("llvm.amdgcn.ds.bpermute", {}, {b.CreateShl(lane, 2), value});
}

} // namespace tilec::lower

//===- Cdna.cpp - what AMD's CDNA chips share, and the layouts of MFMA ----===//
//
// Sources: AMD CDNA3 and CDNA4 ISA documents (chapter 2: four SIMDs a compute unit;
// 3.6.4: registers; s_waitcnt; MUBUF and DS formats), LLVM's AMDGPU usage guide, AMD
// matrix instruction calculator.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Cdna.h"

#include "AtomBases.h"

namespace tilec::chips {

TargetInfo makeCdna(Arch arch) {
  TargetInfo chip{};
  chip.arch = arch;
  chip.vendor = Vendor::Amd;
  chip.waveLanes = 64;
  chip.schedulers = 4;
  chip.wavesOfScheduler = 8;
  chip.dies = 8; // XCDs, each with an L2: data sheets of MI300X and MI355X
  chip.maxThreads = 1024;
  chip.mostBlocksYZ = INT32_MAX;
  chip.registers = {.ofLane = 512, // of both files together, of which AGPRs are one
                    .accumulators = 256,
                    .ofUnit = 131072,
                    .step = 8,
                    .areOfSchedulers = true,
                    .besideFragments = 0,
                    .scalars = 102,
                    // Measured: with 64 offsets and 64 places LLVM 22 spills some; 48 fit.
                    .scalarsOfCopies = 64,
                    .scalarsOfPlaces = 48,
                    .moved = std::nullopt};
  chip.sharedBytesKept = 0;
  chip.sharedGrain = 1024; // 64 lanes, 16 bytes each
  chip.bankBytes = 4;
  chip.swizzleGrain = chip.sharedGrain;
  chip.cacheLine = chip.cacheSector = 128;
  chip.accessBytes = 16; // buffer_load_dwordx4, ds_read_b128
  // vmcnt has 6 bits, lgkmcnt 4, and all ones wait for nothing.
  chip.counters = {.memory = 62, .shared = 14};
  // 12 bits of a buffer access, 16 of an LDS access.
  chip.constants = {.buffer = 4096, .global = 0, .shared = 65536};
  chip.hasDescriptors = true;
  // SH_MEM_CONFIG.alignment_mode is UNALIGNED under HSA (LLVM's unaligned-access-mode).
  chip.unalignedAccess = true;
  // A SIMD takes four clocks for a wave's instruction, whose result the next one can have.
  // Copies: about what they take in the simulator's timing while other blocks of the unit copy,
  // too. A softmax: about 22, which rounds of attention compile to.
  chip.clocks = {.dependentVector = 1,
                 .copyToShared = 1000,
                 .roundOfCopies = 0,
                 .multiplyAdds16 = 0,
                 .softmax = 22};
  chip.accumulatesColumns = true; // D has runs of four rows a lane
  chip.addsToConstants = true;    // an inline constant
  chip.convertsFp8 = true;
  chip.hasAccurateExp2 = false; // v_exp_f32 flushes
  chip.pairsF32 = true;         // v_pk_fma_f32 and kin
  // v_sin_f32 and v_cos_f32. Their error is not published; that of HIP's __sinf and __cosf, which
  // reduce by one rounded product in front of them, is (HIP math API: 18 and 4 ulp where it is
  // largest, over [-pi, pi]), and below 2^-20.
  chip.hasSineOfTurns = true;
  chip.mostPriority = 3;        // s_setprio: two bits
  chip.predicatesLanes = false; // EXEC is a register of its own
  chip.keepsOrder = true;
  chip.spillsAccumulators = false;
  return chip;
}

/// Lane l holds row (or column) l % m and the l / m-th run of consecutive k; D holds runs of 4
/// rows, lanes along the columns. The test MfmaLayouts compares every atom with
/// test/data/mfma_layouts.
MmaAtom mfma(llvm::StringRef name, llvm::StringRef intrinsic, DType a, DType b, DType c, int64_t mn,
             int64_t k, unsigned passes) {
  int64_t groups = 64 / mn; // lane groups along k
  int64_t run = k / groups; // consecutive k of one lane
  LinearLayout operand = atomLayout(along(1, 1, run), along(0, 1, mn) + along(1, run, k));
  // Of 32 bytes a lane the second 16 are of the upper half of k (8-bit operands of f8f6f4). Beside
  // an operand of 4 bits the k of a lane are one run: only which of A meets which of B matters.
  if (int64_t half = 128 / bitsOf(a); run == 2 * half && bitsOf(b) == bitsOf(a))
    operand =
        atomLayout(along(1, 1, half) + along(1, k / 2, k), along(0, 1, mn) + along(1, half, k / 2));
  if (c == DType::F64) { // rows in lane groups first, then registers
    Bases rows = along(0, groups, mn), lanes = along(1, 1, mn) + along(0, 1, groups);
    return {name, intrinsic, a, b, c, mn, mn, k, operand, operand, atomLayout(rows, lanes), passes};
  }
  Bases dRegs = along(0, 1, 4), dLanes = along(1, 1, mn);
  // Rows 0-3 in a register group, then lane groups, then further register groups.
  dLanes = dLanes + along(0, 4, 4 * groups);
  dRegs = dRegs + along(0, 4 * groups, mn);
  return {name, intrinsic, a, b, c, mn, mn, k, operand, operand, atomLayout(dRegs, dLanes), passes};
}

} // namespace tilec::chips

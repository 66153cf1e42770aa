//===- MmaSync.cpp - NVIDIA's chips since sm_80, and mma.sync's layouts ---===//
//
// Sources: CUDA C++ Programming Guide 13.0, table of compute capabilities; PTX ISA 9.0.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "MmaSync.h"

#include "AtomBases.h"

namespace tilec::chips {

TargetInfo makeMmaSync(Arch arch) {
  TargetInfo chip{};
  chip.arch = arch;
  chip.vendor = Vendor::Nvidia;
  chip.waveLanes = 32;
  chip.schedulers = 4;
  chip.wavesOfScheduler = 16;
  chip.dies = 1;
  chip.maxThreads = 1024;
  chip.mostBlocksYZ = 65535;
  chip.registers = {.ofLane = 255,
                    .accumulators = 0,
                    .ofUnit = 65536,
                    .step = 8,
                    .areOfSchedulers = false,
                    .besideFragments = 1,
                    .scalars = 63, // uniform registers
                    // Addresses are a lane's own: as many as are worth a register each.
                    .scalarsOfCopies = 64,
                    .scalarsOfPlaces = 0,
                    .moved = std::nullopt};
  chip.sharedBytesKept = 1024;
  chip.sharedGrain = 128; // of tensor copies without a swizzle; others begin and end anywhere
  chip.sharedStep = 128;
  chip.sharedBanks = 32;
  chip.bankBytes = 4;
  chip.swizzleGrain =
      1024; // of the widest swizzle: 8 rows of 128 bytes (PTX ISA, "Swizzling modes")
  chip.cacheLine = 128;
  chip.cacheSector =
      32; // of L2: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"
  chip.accessBytes = 16; // .v4.b32
  chip.asyncCopies = {
      .bytes = {16, 8, 4}, .completion = Completion::Groups, .lanesInRow = false}; // cp.async
  chip.counters = {.memory = INT64_MAX, .shared = INT64_MAX}; // scoreboards: waits are the chip's
  chip.constants = {.buffer = 0, .global = 1 << 23, .shared = 1 << 23}; // 24 bits, with a sign
  chip.hasConstantReads = true;                                         // ld.global.nc
  chip.hasMatrixReads = true;                                           // ldmatrix
  // A vector instruction's result can be had four clocks later.
  chip.clocks = {.dependentVector = 4,
                 .copyToShared = 0,
                 .roundOfCopies = 0,
                 .multiplyAdds16 = 0,
                 .softmax = 0};
  chip.nativeE4M3 = DType::E4M3FN;
  chip.nativeE5M2 = DType::E5M2;
  chip.hasAccurateExp2 = true; // ex2.approx
  chip.hasWaveReduce = true;   // redux.sync
  chip.hasBarrierCount = true; // barrier.red.popc
  chip.partBarriers = 15;      // PTX ISA, "bar": 16, of which number 0 is the block's
  chip.predicatesLanes = true;
  chip.spillsAccumulators = true; // ptxas
  chip.codeFeatures = "+ptx83";   // CUDA 12.3: says which bytes of a wide load are used
  chip.mma = mmaOfSm80();
  return chip;
}

/// mma.sync m16n8: PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16" and its siblings. A holds pairs
/// (4 bytes) along k, then row + 8, then the upper half of k; B pairs along k, then the upper half.
static MmaAtom mmaSync(llvm::StringRef name, llvm::StringRef intrinsic, DType a, DType b, DType c,
                       int64_t k) {
  int64_t pack = 32 / bitsOf(a); // elements of one 32-bit register
  Bases aRegs = along(1, 1, pack) + Bases{{8, 0}} + along(1, 4 * pack, k);
  Bases bRegs = along(1, 1, pack) + along(1, 4 * pack, k);
  Bases cRegs = {{0, 1}, {8, 0}};
  Bases aLanes = along(1, pack, 4 * pack) + along(0, 1, 8);
  Bases cLanes = along(1, 2, 8) + along(0, 1, 8);
  return {.name = name,
          .intrinsic = intrinsic,
          .a = a,
          .b = b,
          .c = c,
          .m = 16,
          .n = 8,
          .k = k,
          .aLayout = atomLayout(aRegs, aLanes),
          .bLayout = atomLayout(bRegs, aLanes),
          .cLayout = atomLayout(cRegs, cLanes)};
}

static MmaAtom mmaSyncOfTfloat32(llvm::StringRef name, llvm::StringRef intrinsic, int64_t k) {
  MmaAtom atom = mmaSync(name, intrinsic, DType::F32, DType::F32, DType::F32, k);
  atom.isTfloat32 = true;
  return atom;
}

#define MMA_SYNC(Name, Intrinsic, A, B, C, K)                                                      \
  mmaSync("mma.sync.aligned." Name, "llvm.nvvm.mma." Intrinsic, DType::A, DType::B, DType::C, K),
#define MMA_TFLOAT32(Name, Intrinsic, K)                                                           \
  mmaSyncOfTfloat32("mma.sync.aligned." Name, "llvm.nvvm.mma." Intrinsic, K),

std::vector<MmaAtom> mmaOfSm80() {
  return {
#define MMA_SM80
#include "MmaSync.def"
  };
}

#define MMA_SYNC(Name, Intrinsic, A, B, C, K)                                                      \
  mmaSync("mma.sync.aligned." Name, "llvm.nvvm.mma." Intrinsic, DType::A, DType::B, DType::C, K),

std::vector<MmaAtom> mmaOfSm89() {
  std::vector<MmaAtom> atoms = mmaOfSm80();
  const MmaAtom narrow[] = {
#define MMA_SM89
#include "MmaSync.def"
  };
  atoms.insert(atoms.end(), std::begin(narrow), std::end(narrow));
  return atoms;
}

} // namespace tilec::chips

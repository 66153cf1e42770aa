//===- Target.h - what a GPU has, as data ---------------------------------===//
//
// One file a chip (lib/Target/<vendor>/<chip>.cpp) fills in the fields, each with its
// source. Everything that asks "can it, and how large" asks here, and never which chip
// or whose it is: a pass that needs to know something new gets a new field.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Base/DType.h"
#include "tilec/Layout/FragmentLayout.h"

#include <optional>
#include <vector>

namespace tilec {

/// What holds of whatever target, for verifiers and passes that come before there is one: lanes of
/// a wave, threads of a block, blocks of a cluster.
constexpr int64_t narrowestWave = 32, widestWave = 64, largestBlock = 1024, largestCluster = 16;

/// One matrix instruction D = A * B + C of a wave. The layouts map (register, lane) to A: (m, k),
/// B: (n, k), C and D: (m, n); registers count elements, not 32-bit words.
struct MmaAtom {
  llvm::StringRef name;      ///< the instruction, as the assembler spells it
  llvm::StringRef intrinsic; ///< LLVM's name
  DType a, b, c;
  int64_t m, n, k;
  LinearLayout aLayout, bLayout, cLayout;
  unsigned passes = 0; ///< issue interval in units of 4 clocks; 0 where nobody counts it
  /// Of f32 operands it ignores the low bits (tilec/IR/Tile/Tfloat32.h): only for products that do.
  bool isTfloat32 = false;

  /// More rows and columns than the smallest that every target has.
  bool isLarge() const { return m > 16 && n > 16; }
};

/// One that no gemm takes yet; wave IR may name it. Operands of 4 bits have a byte each in shared
/// memory.
struct NarrowAtom {
  MmaAtom atom;
  /// A and B have an e8m0 scale for each row and 32 k: that of row i and block b is a byte of lane
  /// i + m * b.
  bool isScaled = false;
};

constexpr int64_t warpsPerGroup = 4; ///< (PTX ISA, "warpgroup")
/// Columns after which a warp group's registers of an accumulator repeat (PTX ISA, "Matrix
/// fragments for wgmma.mma_async").
constexpr int64_t groupColumns = 8;

/// Matrix instructions of four waves together, which read shared memory themselves: m rows, and
/// columns in steps of `stepN`.
struct GroupAtom {
  DType a, b, c;
  int64_t m, k, stepN, mostN;
  bool isTfloat32 = false; ///< as of MmaAtom
};

/// Registers that waves hand to others: a lane then has between these.
struct MovedRegisters {
  int64_t least, most;
};

/// 32-bit registers.
struct RegisterFile {
  int64_t ofLane;       ///< that a lane's instructions can name
  int64_t accumulators; ///< of these, what serves accumulators better than addresses; 0: no class
  int64_t ofUnit;       ///< of all lanes of a compute unit or multiprocessor together
  int64_t step;         ///< lanes get multiples of so many
  /// Each scheduler has its part of them, which all of its waves share; else any wave gets any.
  bool areOfSchedulers;
  int64_t besideFragments; ///< that addresses take at least: none where those are scalar
  int64_t scalars;         ///< of a wave, for what is the same in all lanes
  /// Of the scalars: as many as the copies of a round may take, for places in shared memory or for
  /// offsets in tensors; and where a planned loop keeps both.
  int64_t scalarsOfCopies, scalarsOfPlaces;
  std::optional<MovedRegisters> moved; ///< waves can hand theirs to others
};

/// What says that an asynchronous copy has arrived.
enum class Completion {
  Counter, ///< one of a wave's operations in flight, which end in order
  Groups,  ///< groups of copies that a lane closes and waits for
};

/// Copies from global to shared memory that a wave does not wait for.
struct AsyncCopies {
  llvm::SmallVector<int64_t, 4> bytes; ///< a lane's piece, widest first
  Completion completion;
  /// One instruction writes the pieces of all lanes in a row; else each lane has an address.
  bool lanesInRow;
};

/// Copies of whole boxes of tensors: one lane starts one, which an mbarrier awaits.
struct TensorCopies {
  int64_t mostDims;     ///< of a tensor
  int64_t widestExtent; ///< of a box, along each of them
  int64_t pitchBytes;   ///< rows of a tensor begin at multiples of it, and rows of a box are such
  /// In shared memory rows of a box may be swizzled, in pieces of `chunkBytes`; after so many rows
  /// that starts anew.
  int64_t chunkBytes, swizzleRows;
  int64_t narrowestRowBytes, widestRowBytes; ///< of rows that are

  /// Of boxes whose rows have so many bytes and are swizzled.
  int64_t swizzleBytes(int64_t rowBytes) const { return swizzleRows * rowBytes; }
};

/// What copies of boxes of an image's matrix (`tile.im2col`) can say of it.
struct PatchCopies {
  int64_t lowestCorner, highestCorner; ///< of a kernel's first element, from the image's corners
  int64_t widestOffset;                ///< from a kernel's first element to another one
  int64_t longestStride;
};

/// Operations of a wave that may be in flight when it waits for the others.
struct Counters {
  int64_t memory, shared;
};

/// What the blocks of a cluster take to meet and to add up what each has.
struct ClusterSums {
  int64_t clocks;        ///< whatever the size
  int64_t bytesPerClock; ///< of others' shared memory
};

/// Constants that an access adds to its address for free: from 0 to below these, in bytes.
struct AddressConstants {
  int64_t buffer; ///< of copies and bounds-checked accesses by descriptor
  int64_t global; ///< of accesses by pointer; 0: offsets are given whole
  int64_t shared;
};

/// A unit's way with instructions, in clocks and rates.
struct Clocks {
  /// Vector instructions of a wave that fit between one and another that takes its result.
  int64_t dependentVector;
  int64_t copyToShared;  ///< from L2, while all units copy; 0: not known
  int64_t roundOfCopies; ///< of a round beside its products, where another wave copies; 0: the same
  int64_t multiplyAdds16; ///< of the matrix units of 16-bit operands, a clock; 0: not known
  /// Of a scheduler, for a wave's exponential and what a softmax does beside: its argument, and its
  /// part of maximum, sum, mask and conversion. 0: not known.
  int64_t softmax;
};

/// One product with the chip on it, for questions that scripts ask of a device.
struct Part {
  llvm::StringRef name;
  int64_t major, minor; ///< compute capability
  int64_t memoryBytes, cacheBytes, threadsOfUnit;
};

struct TargetInfo {
  Arch arch;
  Vendor vendor; ///< for Lower and what is behind it: a vendor has one of each

  // --- lanes, and who shares what
  int64_t waveLanes;  ///< lanes of a wave
  int64_t schedulers; ///< of a unit: the waves of a block are dealt to them in turn
  int64_t wavesOfScheduler;
  int64_t units;         ///< compute units or multiprocessors of `part`
  int64_t clusterUnits;  ///< of those, that blocks in clusters of four and eight reach at once
  int64_t mostOfCluster; ///< blocks of a cluster that every part with this chip can run
  ClusterSums clusterSums;
  int64_t dies;         ///< with a cache of their own, to which blocks are dealt in turn
  int64_t maxThreads;   ///< lanes of a block
  int64_t mostBlocksYZ; ///< of a grid, along its second and third dimension
  RegisterFile registers;

  // --- shared memory
  int64_t sharedBytes;       ///< that one block may use
  int64_t sharedBytesOfUnit; ///< of all blocks of a unit
  int64_t sharedBytesKept;   ///< of these, by the system for each block
  int64_t sharedGrain; ///< asynchronous copies begin at multiples of it and may write all of one
  int64_t sharedStep;  ///< blocks get multiples of so many
  int64_t sharedBanks; ///< that one read meets
  int64_t bankBytes;
  int64_t swizzleGrain; ///< buffers that are swizzled begin at multiples of it
  int64_t cacheLine;    ///< bytes
  int64_t cacheSector;  ///< bytes that are read of a line at least
  int64_t accessBytes;  ///< of a lane, that one instruction reads or writes at most

  // --- memory and what brings it
  AsyncCopies asyncCopies;
  Counters counters;
  AddressConstants constants;
  bool hasDescriptors; ///< global memory is accessed by bounds-checked descriptors
  /// Reads and writes of registers may begin at any element of global memory, however wide they
  /// are.
  bool unalignedAccess = false;
  std::optional<TensorCopies> tensorCopies;
  std::optional<PatchCopies> patchCopies; ///< such copies of an image's matrix
  int64_t mbarrierBytes; ///< of an mbarrier; 0: there are none, and no clusters of blocks
  bool launchesEarly;  ///< a kernel may begin before the launch in front has ended: it waits itself
  bool hasMatrixReads; ///< a wave reads matrices of 8 x 16 bytes from shared memory as atoms take
                       ///< them: k of an operand then stays in order
  bool hasMatrixWrites;   ///< and writes those matrices as accumulators of 16 bits hold them
  bool hasConstantReads;  ///< instructions for reads of memory that nobody writes, which the
                          ///< assembler moves across writes and barriers as it moves no others
  int64_t transposedBits; ///< of a lane, of a read that transposes 8- and 16-bit elements; 0: none

  // --- arithmetic
  Clocks clocks;
  std::vector<MmaAtom> mma;
  std::vector<NarrowAtom> narrow;
  std::vector<GroupAtom> groups;
  /// Those of 16-bit floats also multiply a 2:4 sparse A, of twice their k.
  bool hasSparseGroups;
  /// How a GroupAtom is told of an operand in shared memory beside its address: rows swizzled over
  /// `rowBytes`, 8 of them every `strideBytes`, panels every `leadBytes`. Null without such atoms.
  uint64_t (*groupDescriptor)(int64_t rowBytes, int64_t strideBytes, int64_t leadBytes);
  /// Where registers and lanes of a warp lie in its part of `slabs` slabs of rows and
  /// `groupColumns` columns of an accumulator. Null without such atoms.
  LinearLayout (*groupAccumulator)(int64_t slabs);
  /// What the assembler wants of a lane beside the accumulators of one GroupAtom.
  int64_t besideGroupAtom;
  /// Of a lane, that accumulators and operands of such atoms in flight may take together: of more
  /// the assembler does not keep the order.
  int64_t registersInFlight;
  /// Neighbouring accumulators of a lane are of one column: products swap their operands, so that
  /// they are of one row of C.
  bool accumulatesColumns;
  bool addsToConstants; ///< a matrix instruction takes 0 for C without a register
  DType nativeE4M3, nativeE5M2;
  /// Bytes of neighbouring f32 in global memory that one atomic addition covers; 0: one at a time.
  int64_t vectorAddBytes = 0;
  int64_t halfAddBytes = 0; ///< the same of f16 and bf16, two at least
  bool convertsFp8;         ///< instructions for nativeE4M3, nativeE5M2 to and from f16 or f32
  bool hasAccurateExp2;     ///< 2^x is one instruction, with subnormals
  /// One instruction adds or multiplies pairs of f32. It does not run beside matrix instructions.
  bool pairsF32;
  bool hasSineOfTurns;      ///< sine and cosine of 2 pi x are one instruction each, to 2^-20
  bool hasWaveReduce;       ///< one instruction combines 32-bit integers of all lanes
  bool hasBarrierCount;     ///< a barrier that counts lanes with a predicate
  int64_t partBarriers = 0; ///< that some waves of a block may have for themselves, numbered from 1
  int64_t mostPriority;     ///< by which waves go before others; 0: they do not
  bool predicatesLanes;     ///< leaving lanes out of a store costs no change of the wave's mask

  // --- what stands behind LLVM
  /// Machine code has the order of instructions that it is given. Else an assembler orders them
  /// once more: it moves loads up, and computes cheap values again where registers are short.
  bool keepsOrder;
  /// Accumulators that no register holds are kept in memory, which is slow; else they are refused.
  bool spillsAccumulators;
  /// So many of a lane that assembler should have for a matrix product where as many blocks are
  /// resident with them as without; 0: nobody measured it.
  int64_t registersOfProducts = 0;
  llvm::StringRef codeFeatures; ///< of LLVM's subtarget, beside the chip's name

  Part part;

  bool hasMbarriers() const { return mbarrierBytes != 0; }
  int64_t groupLanes() const { return warpsPerGroup * waveLanes; } ///< of a warp group
  /// The widest piece of at most `bytes` that an asynchronous copy moves; 0: none.
  int64_t asyncCopy(int64_t bytes) const;
  /// Bits of a lane that a transposing read of elements of `bits` gives; 0: there is none.
  int64_t transposedRead(int64_t bits) const {
    return bits == 16 || bits == 8 ? transposedBits : 0;
  }
  /// Registers that each lane of a block of so many waves can have, if the block has the unit.
  int64_t registersOf(int64_t waves) const;

  /// Atoms for these operand and accumulator types, best first. Empty: multiply on the vector unit.
  llvm::ArrayRef<MmaAtom> atoms() const { return mma; }
  /// The best atom for an m x n x k gemm of these types; null when there is none. `tfloat32`: the
  /// gemm ignores low bits of its operands.
  const MmaAtom *findAtom(DType a, DType b, DType c, bool tfloat32 = false) const;
  const GroupAtom *findGroupAtom(DType a, DType b, DType c, bool tfloat32 = false) const;
};

const TargetInfo &targetInfo(Arch arch);

} // namespace tilec

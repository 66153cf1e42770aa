//===- Machine.h - the register machine that runs a kernel ----------------===//
//
// A kernel body is compiled once (Compile.cpp) to blocks of instructions over slots.
// An instruction works on `lanes` values at a time: 1 at block level, the threads of a
// lockstep kernel, or a chunk of iterations of a tile.parallel. Lanes that a condition
// switched off are in `mask`; pure instructions compute them anyway.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Sums.h"
#include "Values.h"

#include "tilec/Reference/Reference.h"

#include <any>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilec::reference {

/// Iterations of a tile.parallel that run together: enough to hide the dispatch of an instruction,
/// few enough that a body's slots stay in the L2 cache.
constexpr int chunkLanes = 128;
/// Bytes of a slot's lane; every Rep fits.
constexpr int laneBytes = 8;

/// Elements that one tile op may work on: its operands are decoded to dense arrays of 8-byte
/// values.
constexpr int64_t maxDenseElems = int64_t(1) << 28;

using Slot = uint32_t;
struct Frame;
struct Instr;
using Exec = void (*)(Frame &, const Instr &);

struct Instr {
  Exec run = nullptr;
  Slot dst = 0, a = 0, b = 0, c = 0;
  int64_t imm = 0;
  const void *aux = nullptr; ///< what only this kind of instruction needs; owned by Unit
  mlir::Operation *op = nullptr;
};

struct Code {
  std::vector<Instr> instrs;
  bool mayBreak = false; ///< holds a tile.break that leaves a loop around this code
};

/// A slot of the frame around this one whose value is needed here.
struct Import {
  Slot outer, inner;
  Rep rep;
};

/// What is known of a buffer before it has memory.
struct BufferDecl {
  mlir::Value value;
  tile::BufferType type;
  DType dtype;
  int64_t allocLanes = 1;       ///< copies: local buffers have one per lane of their frame
  bool isAlloc = false;         ///< memory of the machine, not of a parameter
  bool isWrittenGlobal = false; ///< a tensor that a kernel writes

  /// Elements from one copy to the next, a whole number of cache lines.
  int64_t laneStride() const { return allocLanes == 1 ? 0 : (type.numElems() + 127) / 128 * 128; }
};

struct BufferState {
  uint8_t *base = nullptr;
  int64_t laneStride = 0; ///< elements from one lane's copy to the next
  llvm::SmallVector<int64_t, 4> shape, strides;
};

/// What `tile.im2col` makes of an image [n, h, w, channels].
struct Patches {
  int64_t kernel, stride, dilation, pad, outHeight, outWidth, channels;
};

/// A step from a buffer to a part of it.
struct ViewLevel {
  bool isReshape = false;
  std::optional<Patches> patches;     ///< of which the level is a box, at `offsets`
  llvm::SmallVector<Slot, 4> offsets; ///< subview: one per source dimension
  llvm::SmallVector<bool, 4> dropped; ///< subview: likewise
  llvm::SmallVector<int64_t, 4> shape;
  DType dtype;

  /// Whether indices into it are sums with indices into what is behind it.
  bool isBox() const { return !isReshape && !patches; }
};

struct ViewChain {
  uint32_t buffer = 0;
  llvm::SmallVector<ViewLevel, 2> levels;
  DType dtype;       ///< of the last level
  bool traps = true; ///< not global: an access outside is an error
};

/// A buffer operand with its place resolved: element i is at
/// first + sum(i[d] * strides[d]), valid for lo[d] <= i[d] < hi[d]; or, with a table, at table[i].
struct View {
  DType dtype;
  uint8_t *base = nullptr;
  int64_t first = 0;
  llvm::SmallVector<int64_t, 4> shape, strides, lo, hi;
  bool empty = false; ///< no element exists
  std::vector<int64_t> table;

  int64_t numElems() const;
};

/// How an index expression becomes an element offset: per root dimension, slots that are summed.
struct Access {
  ViewChain chain; ///< evaluated per lane when `indirect`, else only its buffer counts
  bool indirect = false;
  bool ownShape = false; ///< row-major of `shape` instead of the buffer's own extents
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<llvm::SmallVector<Slot, 2>, 4> dims;
  struct BoxCheck {
    llvm::SmallVector<Slot, 2> slots;
    int64_t extent;
  };
  llvm::SmallVector<BoxCheck, 0> boxChecks; ///< bounds of subviews of buffers that trap
  DType dtype;
  bool traps = true;
};

enum class Combine : uint8_t { Sum, Prod, Max, Min, And, Or, Xor, MaxNan, MinNan, MaxU, MinU };

/// A location that a tile.parallel reduces into: running values, rounded when the loop ends.
struct ReductionState {
  std::vector<double> floats;
  std::vector<int64_t> ints;
  std::vector<uint8_t> seen;
  std::vector<int64_t> touched;                  ///< element offsets in use
  std::unordered_map<int64_t, WideSum> wideSums; ///< of float64, by position
  std::unordered_map<int64_t, SumTerms> terms;   ///< where sums are spread, by position
  std::unordered_map<int64_t, int64_t> sparse;   ///< offset -> position, for large buffers
};

/// What atomics have added to an element, where sums are spread.
struct AtomicSum {
  float sum = 0, held = 0; ///< the sum, and what memory holds for it
  SumTerms terms;
};

struct ReductionDecl {
  uint32_t id = 0;
  Combine combine = Combine::Sum;
  uint32_t buffer = 0;
  DType dtype;
  Rep rep;
};

/// Everything compiled for one program; immutable while it runs.
struct Unit {
  std::vector<BufferDecl> buffers;
  std::vector<ReductionDecl *> reductions;
  Code program;
  uint32_t programSlots = 0;
  size_t parallelBytes = 0; ///< of the largest frame of a tile.parallel

  template <typename T> T *make() {
    auto owned = std::make_shared<T>();
    T *raw = owned.get();
    arena.push_back(std::move(owned));
    return raw;
  }

private:
  std::vector<std::shared_ptr<void>> arena;
};

struct PipeSet;
struct ResidentBlock;
class Together;
class BlockOrder;

struct Machine {
  const Unit &unit;
  const ReferenceArgs &args;
  const ReferenceOptions &options;
  std::vector<BufferState> buffers;
  std::vector<std::unique_ptr<uint8_t[]>> storage; ///< of buffers that the machine owns
  std::vector<ReductionState> reductions;
  std::vector<std::vector<AtomicSum>> atomicSums; ///< by buffer and element
  std::unique_ptr<uint8_t[]> parallelData;
  std::unique_ptr<PipeSet> pipes;
  llvm::StringMap<int64_t> dims; ///< given, or found in a tensor's shape
  std::string error;
  bool failed = false;
  int64_t steps = 0;
  int64_t block[3] = {0, 0, 0};
  ResidentBlock *resident = nullptr;               ///< that runs; blocks that wait for each other
  Together *together = nullptr;                    ///< all of those
  uint64_t blockNumber = 0;                        ///< in the order in which blocks run
  std::vector<std::unique_ptr<BlockOrder>> orders; ///< by buffer; null: not used yet
  bool insideKernel = false;

  Machine(const Unit &unit, const ReferenceArgs &args, const ReferenceOptions &options);
  ~Machine();
  /// Gives a buffer memory of the machine; every element is marked as uninitialised.
  bool allocate(uint32_t id, int64_t elems, mlir::Operation *op);
  /// Stops the run; the first message wins.
  void fail(mlir::Operation *op, const llvm::Twine &message);
  /// Counts the work of a tile op before it is done; false, with a failure, when it is too much.
  bool takeWork(int64_t elems, int64_t products, mlir::Operation *op);
  bool isSequential() const {
    return options.accumulate == ReferenceOptions::Accumulate::SequentialF32;
  }
  /// Whether sums of these need more than f64.
  bool sumsWide(DType a, DType b) const {
    return !isSequential() && (a == DType::F64 || b == DType::F64);
  }
  /// Moves the results of a float sum that are held in f32 or f64, where this run does.
  template <typename T> void moveSums(DType dtype, T *sums, int64_t count) {
    if (!options.moveSums || (dtype != DType::F32 && dtype != DType::F64))
      return;
    for (int64_t i = 0; i < count; ++i)
      sums[i] = neighbour(sums[i], dtype, uint64_t(i) + (movedSums << 20));
    ++movedSums;
  }
  uint64_t movedSums = 0;
  /// encodeSpan as this run rounds.
  template <typename T>
  void encode(DType dtype, uint8_t *base, int64_t first, int64_t stride, int64_t count,
              const T *in) const {
    options.crossTies ? encodeSpanAcrossTies(dtype, base, first, stride, count, in)
                      : encodeSpan(dtype, base, first, stride, count, in);
  }
};

struct Frame {
  Machine &machine;
  uint8_t *data;
  int64_t slotBytes; ///< laneBytes times the lanes that a slot has room for
  int lanes;
  uint8_t *mask = nullptr;   ///< null: all lanes are on
  uint8_t *broken = nullptr; ///< lanes that left the innermost loop
  bool noneActive = false;   ///< set by tile.break when it switched the last lane off

  template <typename T> T *at(Slot slot) { return reinterpret_cast<T *>(data + slot * slotBytes); }
  bool isOn(int lane) const { return !mask || mask[lane]; }
  int firstOn() const {
    for (int lane = 0; lane < lanes; ++lane)
      if (isOn(lane))
        return lane;
    return -1;
  }
};

/// Copies the values that a body needs from one lane of the frame around it to all of its lanes.
void importValues(Frame &outer, int lane, Frame &inner, llvm::ArrayRef<Import> imports);

/// Runs instructions until the end, an error, or until no lane is on.
void runCode(Frame &frame, const Code &code);

/// Resolves a buffer operand for one lane. Fails (machine.failed) when a part of a buffer that is
/// not global reaches past its end.
View evalView(Frame &frame, const ViewChain &chain, int lane, mlir::Operation *op);

/// Calls fn(position, first, stride, count, isValid) for the runs of a view in row-major order.
void forSpans(const View &view,
              llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t, bool)> fn);
template <typename T> std::vector<T> readView(const View &view);
template <typename T> void writeView(const Machine &machine, const View &view, const T *values);

/// Element offsets of an access for all lanes; -1 where there is no element. Fails when a lane that
/// is on lies outside of a buffer that traps.
void offsetsOf(Frame &frame, const Access &access, mlir::Operation *op, int64_t *offsets);

// What instructions of each family do; Compile.cpp puts them together.
void execLoad(Frame &frame, const Instr &instr);
void execStore(Frame &frame, const Instr &instr);
void execAtomic(Frame &frame, const Instr &instr);
void execReduceInto(Frame &frame, const Instr &instr);
void flushReduction(Machine &machine, const ReductionDecl &decl);
void execAlloc(Frame &frame, const Instr &instr);

void execCopy(Frame &frame, const Instr &instr);
void execFill(Frame &frame, const Instr &instr);
void execGemm(Frame &frame, const Instr &instr);
void execReduce(Frame &frame, const Instr &instr);
void execScan(Frame &frame, const Instr &instr);
void execPrint(Frame &frame, const Instr &instr);

void execIf(Frame &frame, const Instr &instr);
void execFor(Frame &frame, const Instr &instr);
void execWhile(Frame &frame, const Instr &instr);
void execBreak(Frame &frame, const Instr &instr);
inline void execNothing(Frame &, const Instr &) {}
void execParallel(Frame &frame, const Instr &instr);
void execInnerParallel(Frame &frame, const Instr &instr);
void execAssert(Frame &frame, const Instr &instr);
void execThreadId(Frame &frame, const Instr &instr);
void execConstant(Frame &frame, const Instr &instr);
void execClusterRank(Frame &frame, const Instr &instr);
void execRoundTo(Frame &frame, const Instr &instr);
void execKernel(Frame &frame, const Instr &instr);

// Threads.cpp
void execShuffle(Frame &frame, const Instr &instr);
void execVote(Frame &frame, const Instr &instr);
void execBallot(Frame &frame, const Instr &instr);
void execMatch(Frame &frame, const Instr &instr);
void execWarpReduce(Frame &frame, const Instr &instr);
void execBlockVote(Frame &frame, const Instr &instr);
void execDp4a(Frame &frame, const Instr &instr);

// What instructions carry in `aux`.
struct LoadAux {
  Access access;
  double pad = 0;
  int64_t block = 0, blocks = 0; ///< how much further on in a cluster of how many; 0: none
};
struct StoreAux {
  Access access;
  bool keepsInfinity; ///< of fp8, as the element is only moved
};
struct AtomicAux {
  Access access;
  tile::AtomicKind kind;
  bool isUnsigned;
};
struct ReduceIntoAux {
  Access access;
  const ReductionDecl *decl;
  bool isSubtract;
};
struct TileOpAux {
  llvm::SmallVector<ViewChain, 3> views;
  bool perLane = false; ///< touches a buffer of which every lane has its own
  /// copy of threads within a buffer: all of them read before any writes
  bool readsFirst = false;
  int64_t dim = 0;
  Combine combine = Combine::Sum;
  bool absolute = false, clear = true, reverse = false, transposeA = false, transposeB = false;
  bool hasClearSlot = false;
  bool tfloat32 = false; ///< gemm: of the operands (tilec/IR/Tile/Tfloat32.h)
  Rep rep = Rep::F32;    ///< of the scalar operand
  int written = -1;      ///< of `views`; the others are read
  std::string message;
};
struct WarpAux {
  int warpLanes = 1;
  int64_t width = 1; ///< shuffle: lanes of a segment
  tile::ShuffleKind shuffle = tile::ShuffleKind::Idx;
  tile::VoteKind vote = tile::VoteKind::Any;
  tile::ReduceKind reduce = tile::ReduceKind::Sum;
  Rep rep = Rep::Int; ///< of the value, with its width
  unsigned bits = 64;
  bool isUnsigned = false, hasActive = false;
  Slot active = 0;
};
struct IfAux {
  Code thenCode, elseCode;
  struct Result {
    Slot dst, thenValue, elseValue;
    Rep rep;
  };
  llvm::SmallVector<Result, 1> results;
};
struct LoopAux {
  Code condition, body;
  llvm::SmallVector<const ReductionDecl *, 1> flushes; ///< of what the rounds fold
};
struct ParallelAux {
  Code body;
  llvm::SmallVector<Slot, 3> extents, ivs; ///< extents: of the frame around (inner: of this one)
  std::vector<Import> imports;
  llvm::SmallVector<const ReductionDecl *, 1> flushes;
  llvm::SmallVector<uint32_t, 2> perLaneBuffers; ///< local buffers of a lockstep kernel used here
  bool perThread = false;                        ///< every thread that is on runs all iterations
  llvm::SmallVector<int64_t, 2> part;            ///< [i, n]: only the i-th of n parts; empty: all
  uint32_t numSlots = 0;
  int width = 1; ///< iterations that run together
};
struct KernelAux {
  Code body;
  llvm::SmallVector<Slot, 3> grid, ids;
  std::vector<Import> imports;
  uint32_t numSlots = 0;
  int lanes = 1;
  bool waitsForBlocks = false; ///< as GridSync.h says
};
struct AssertAux {
  std::string message;
};
struct ParamAux {
  std::string name;
  DType dtype;
  uint32_t buffer = 0;
  llvm::SmallVector<Slot, 4> dims;
  /// Of a tensor whose elements lie in another order: the shape that it is given with.
  std::optional<llvm::ArrayRef<int64_t>> seenShape;
};

// Parameters of the program (Program.cpp).
void execTensor(Frame &frame, const Instr &instr);
void execWorkspace(Frame &frame, const Instr &instr);
void execScalar(Frame &frame, const Instr &instr);
void execDim(Frame &frame, const Instr &instr);

} // namespace tilec::reference

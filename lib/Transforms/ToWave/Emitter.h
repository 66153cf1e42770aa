//===- Emitter.h - one tile.kernel becomes one wave.kernel ----------------===//
//
// The emitter walks the kernel in order and writes what one wave does. Values of
// the tile program have two kinds of images: outside parallels one value per wave,
// inside one value per element of the register group that is being computed
// (`Elements`). Files: Emitter.cpp structure and scalars, Parallel.cpp loops over
// elements, Address.cpp places in memory, Gemm.cpp, AsyncCopy.cpp, Reduce.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/Exchange.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "ToWave/Pipeline.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/BlockOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <map>
#include <numeric>
#include <vector>

namespace tilec {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Location;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

/// A tensor parameter or workspace inside the wave kernel.
struct TensorPlace {
  Value base;                          ///< !wave.global
  SmallVector<Value, 4> extents;       ///< index; null where the type is static
  SmallVector<Value, 4> strides;       ///< elements, i64; null where `staticStrides` holds
  SmallVector<int64_t, 4> staticShape; ///< dynamic: kDynamic
  SmallVector<int64_t, 4> staticStrides;
  DType dtype;
  bool isWide; ///< offsets need 64 bits
  Value desc;  ///< bounds-checked descriptor over the whole tensor, when one was made
};

struct SharedPlace {
  int64_t baseBytes;
  SharedLayout layout;
  DType dtype;
};

struct FragmentPlace {
  Value regs; ///< slots of `slotRegs` registers each
  FragmentLayout layout;
  DType dtype;
  int64_t slotRegs;   ///< those of the layout's atom, or of a product's whose rows stand together
  int64_t stride = 1; ///< a slot's registers are so many apart in the layout

  int64_t slots() const { return layout.numRegs() / slotRegs; }
  int64_t slotOf(int64_t reg) const { return reg / (slotRegs * stride) * stride + reg % stride; }
  int64_t placeInSlot(int64_t reg) const { return reg / stride % slotRegs; }
};

struct LocalPlace {
  Value regs; ///< one slot per element
  DType dtype;
};

/// The mbarriers of a pipe, and where its two sides are in it.
struct PipePlace {
  int64_t stages = 0, bytes = 0, arrivals = 0;
  bool everyThread = false, shared = false;
  int64_t fullBytes = 0, emptyBytes = 0; ///< addresses of the first of each
  Value slot[2], parity[2];              ///< registers of the consumers and of the producer
  Value previous;                        ///< register: the slot that is still being read, or -1
};

/// A coordinate of the lane: `value` (may be null: 0) plus `constant`.
struct LaneCoord {
  Value value;
  int64_t constant = 0;
  int64_t divisor = 1; ///< of `value`
  int64_t bits = -1;   ///< that may be set in `value`; all by default
  int64_t most = -1;   ///< no value of `value` is larger; negative: not known
};

/// The register group that a parallel's body is being computed for. Outside of parallels there is
/// one element and no loop.
struct Elements {
  tile::ParallelOp loop;
  const FragmentLayout *layout = nullptr;
  int64_t count = 1;
  int64_t rep = 0;          ///< repetition of the atom
  int64_t groupCount = 0;   ///< size of the group that a single element was taken from; 0: whole
  int64_t firstElement = 0; ///< its place in that group
  SmallVector<LaneCoord, 4> coords; ///< of element 0, per loop variable
  SmallVector<Coords, 8> deltas;    ///< coordinates of element e minus element 0's
  SmallVector<Value, 8> masks;      ///< inside the tile: empty (all are), one for all, or one each
  Value primary;                    ///< null: no lane holds a copy of another's
  const Elements *outer = nullptr;  ///< where values of enclosing code are found
  llvm::DenseMap<Value, SmallVector<Value, 4>> map; ///< one value (same for all) or `count`
  llvm::DenseMap<Value, SmallVector<LocalPlace, 4>> locals;

  /// Whether this is one element taken from a group, or no group at all.
  bool isSingle() const { return groupCount != 0; }
  /// The loop's register of an element.
  int64_t registerOf(int64_t element) const {
    return rep * (groupCount ? groupCount : count) + firstElement + element;
  }
  Value maskOf(int64_t element) const {
    return masks.empty() ? Value() : masks.size() == 1 ? masks[0] : masks[element];
  }
};

class Emitter {
public:
  Emitter(tile::KernelOp kernel, const TargetInfo &target, mlir::OpBuilder &builder,
          bool checksBounds)
      : kernel(kernel), target(target), b(builder), loc(kernel.getLoc()),
        numWaves(wavesOf(kernel, target)), checksBounds(checksBounds),
        producers(kernel.getBody().getOps<tile::ProducerOp>()) {}

  /// Builds the wave kernel before the builder's insertion point.
  LogicalResult run();
  LogicalResult checkGrid();

private:
  // Emitter.cpp
  wave::KernelOp makeKernel();
  void bindParameters(wave::KernelOp waveKernel, ArrayRef<Operation *> used);
  void bindTensor(Operation *op, Value base);
  Value cloneProgramValue(Value value);
  Value wideProgramValue(Value value);
  /// Code from here on computes its addresses anew: after a loop whose registers are dear.
  void renewLane();
  void setLane(Value id);
  /// Whether a wave's fragments and the addresses of the loop's operands exceed its registers.
  bool isShortOfRegisters(tile::ForOp loop) const;
  /// What the lane's number is in a loop body: where registers are short, a number that LLVM
  /// does not know, so that addresses are computed in every round and wait in no register.
  class LaneScope {
  public:
    LaneScope(Emitter &emitter, tile::ForOp loop);
    ~LaneScope();

  private:
    struct Lanes {
      Value id, wave;
      Operation *topAnchor;
      std::vector<std::pair<FragmentLayout, SmallVector<LaneCoord, 4>>> coords;
      std::vector<std::pair<FragmentLayout, Value>> primary;
    };
    Emitter &e;
    std::optional<Lanes> saved;
  };
  /// Block coordinates, in the order that the author asked for (BlockOrder.cpp).
  BlockOrder makeBlockIds();
  LogicalResult placeBuffers();
  LogicalResult checkRegisters(tile::AllocOp alloc, int64_t bitsOfLane);
  LogicalResult placeFragment(tile::AllocOp alloc, const FragmentLayout &layout);
  LogicalResult placeView(tile::ReshapeOp view);
  LogicalResult emitBlock(mlir::Block &block, Elements &elements);
  LogicalResult emitOp(Operation &op, Elements &elements);
  LogicalResult emitFor(tile::ForOp loop, Elements &elements);
  LogicalResult emitWhile(tile::WhileOp loop, Elements &elements);
  LogicalResult forEachElement(Elements &elements,
                               llvm::function_ref<LogicalResult(Elements &)> emit);
  LogicalResult emitIf(mlir::scf::IfOp op, Elements &elements);
  LogicalResult emitBranch(mlir::scf::IfOp op, Value condition, Elements &elements, int64_t count,
                           llvm::function_ref<Value(Value, int64_t)> valueOf);
  Elements elementOf(Elements &elements, int64_t e);
  LogicalResult emitArith(Operation &op, Elements &elements);
  /// The values of an operation on f32 for all elements, two by two; empty where it has no pairs.
  SmallVector<Value, 4> emitPairs(Operation &op, Elements &elements);
  /// Whether arithmetic goes two elements at a time.
  bool goesInPairs() const;
  /// Elements e and e + pairStride() lie in neighbouring registers of the loop's fragments, for e /
  /// pairStride() even.
  int64_t pairStride(Elements &elements);
  bool dividesPairs(mlir::arith::DivFOp quotient, int64_t stride, Elements &elements);
  LogicalResult emitAlloc(tile::AllocOp alloc, Elements &elements);
  LogicalResult unsupported(Operation &op, llvm::StringRef what);

  // Parallel.cpp
  LogicalResult emitParallel(tile::ParallelOp loop, Elements &outer);
  /// A loop that scales a fragment, where the factors are often 1: runs where one is not.
  std::optional<LogicalResult> emitScaling(tile::ParallelOp loop, const FragmentLayout &layout,
                                           Elements &outer);
  void bindLoopVariables(tile::ParallelOp loop, Elements &elements);
  LogicalResult emitCopyLoop(tile::ParallelOp loop, const FragmentLayout &layout,
                             std::pair<int64_t, int64_t> reps, int64_t together, Elements &outer);
  LogicalResult emitRep(tile::ParallelOp loop, const FragmentLayout &layout, int64_t rep,
                        Value dynamicRep, Elements &outer);
  /// The register group of one repetition, its loop variables bound.
  Elements elementsOf(tile::ParallelOp loop, const FragmentLayout &layout, int64_t rep,
                      Value dynamicRep, Elements &outer);
  LogicalResult emitLoad(tile::LoadOp load, Elements &elements);
  LogicalResult emitStore(tile::StoreOp store, Elements &elements);
  LogicalResult emitAtomic(tile::AtomicOp atomic, Elements &elements);
  /// Stops the kernel where an index of an on-chip buffer is outside, and `mask` holds.
  void trapUnless(Value holds, Value mask, mlir::StringAttr message);
  void trapOutside(Value buffer, ValueRange tileIndices, ArrayRef<Value> indices, Value mask);
  /// Whether an index of an on-chip buffer may be outside, and that is to be checked.
  bool wantsTrap(Value buffer, ValueRange tileIndices);
  LogicalResult loadFragment(tile::LoadOp load, Elements &elements);
  /// A slot's registers in the type of memory.
  Value getSlot(const FragmentPlace &place, int64_t slot);
  /// The values of one repetition of the layout's atom, as scalars.
  SmallVector<Value, 8> registersOf(const FragmentPlace &place, int64_t rep);
  /// The same of all repetitions; the other way round.
  void setRegisters(const FragmentPlace &place, ArrayRef<Value> scalars);
  LogicalResult storeFragment(tile::StoreOp store, Elements &elements);
  LogicalResult loadLocal(tile::LoadOp load, Elements &elements);
  LogicalResult storeLocal(tile::StoreOp store, Elements &elements);
  const SmallVector<int64_t> *registersOf(Operation *access, ValueRange indices, Value root,
                                          Elements &elements);
  /// Lanes that may write for this element: inside the tile, no copy, one thread outside of loops.
  Value writerMask(Elements &elements, int64_t element);

  // ByteTranspose.cpp
  std::optional<LogicalResult> emitByteTranspose(tile::ParallelOp loop, Elements &outer);
  Value sharedAddress(tile::ParallelOp loop, Value buffer, ValueRange indices, ArrayRef<Value> ivs,
                      Elements &outer);

  // Address.cpp
  SmallVector<LaneCoord, 4> laneCoords(const FragmentLayout &layout);
  SmallVector<LaneCoord, 4> computeLaneCoords(const FragmentLayout &layout);
  Value primaryMask(const FragmentLayout &layout);
  SmallVector<Value, 8> insideMasks(const FragmentLayout &layout, ArrayRef<LaneCoord> coords,
                                    ArrayRef<Coords> deltas,
                                    std::optional<unsigned> onlyDim = std::nullopt);
  /// The elements of a repetition of the atom, as what they add to the first.
  SmallVector<Coords, 8> elementsOfRep(const FragmentLayout &layout, int64_t rep);
  /// Elements that one access of this op may move at once.
  int64_t accessWidth(ValueRange indices, Value root, Elements &elements);
  /// The image of an index for one element.
  Value indexFor(Value index, int64_t element, Elements &elements);
  /// Byte offset in the tensor and the mask of the bounds that are not proved (may be null).
  Value globalOffset(const TensorPlace &place, ArrayRef<Value> indices);
  /// The same of one access; a constant part is added last, as some targets' instructions can
  /// (AddressConstants::global).
  Value accessOffset(const TensorPlace &place, ArrayRef<Value> indices);
  Value boundsMask(const TensorPlace &place, ValueRange tileIndices, ArrayRef<Value> indices,
                   Elements &elements);
  int64_t globalAlign(const TensorPlace &place, int64_t elems) const;
  Value sharedOffset(const SharedPlace &place, ArrayRef<Value> indices);
  /// The same for coordinates that are split into a part that loops leave alone, offsets of a box
  /// (null: 0) and constants, of which as much as possible goes into `imm`.
  Value sharedOffset(const SharedPlace &place, ArrayRef<LaneCoord> coords, ArrayRef<Value> offsets,
                     int64_t &imm);

  /// The swizzle's phase of a row.
  Value phaseOf(const SharedLayout &layout, Value row);
  /// The place in its row, in elements, of a column of a swizzled tile. Constants that share no
  /// bits with what varies go to `imm` (bytes, with that of `rowConstant`) and into one XOR, so
  /// that places which differ by constants share addresses.
  Value swizzledColumn(const SharedPlace &place, Value row, int64_t rowConstant,
                       const LaneCoord &col, int64_t &imm);
  Value panelOffset(const SharedPlace &place, ArrayRef<LaneCoord> coords, ArrayRef<Value> offsets);

  // Roles/Roles.cpp, Roles/EmitGemm.cpp
  LogicalResult emitRoles(tile::ProducerOp producer, wave::KernelOp waveKernel);
  void bindTensorMaps(wave::KernelOp waveKernel);
  void placePipes();
  void initPipes(wave::KernelOp waveKernel);
  void waitTurn();
  void passTurn();
  void skipSlots(PipePlace &pipe, Value count);
  int64_t clusterBlocks() { return kernel.getCluster(); }
  Value advanceSlot(PipePlace &pipe, bool isProducer);
  LogicalResult emitTmaCopy(tile::TmaCopyOp copy, Elements &elements);
  LogicalResult emitTileStore(tile::ParallelOp loop, Elements &outer);
  friend class TileStoreEmitter;
  /// The threads whose number `id` is meet at a barrier of their own, from number `firstBarrier`.
  void syncAt(Value id, int64_t count, int64_t firstBarrier, int64_t threads);
  /// Those of the warp group.
  void syncGroup();
  bool needsAsyncFence();
  void emitRelease(PipePlace &pipe, Value slot, Value mask);
  void emitTurn(Value group, bool isPass);
  /// Pipes, TMA and waits for matrices; nothing when `op` is none of them.
  std::optional<LogicalResult> emitRoles(Operation &op, Elements &elements);
  LogicalResult emitWarpGroupGemm(tile::GemmOp gemm, const GemmPlan &plan, Elements &elements);

  // Gemm.cpp
  /// Whether a scheduler has several waves, as far as the grid and shared memory go.
  bool sharesSchedulers() const;
  /// The issue priority with which a round of the loop begins, if it is not that of the kernel.
  std::optional<int64_t> priorityOfRounds(tile::ForOp loop) const;
  LogicalResult emitGemm(tile::GemmOp gemm, Elements &elements);
  friend class GemmEmitter;

  // AsyncCopy.cpp
  LogicalResult emitAsyncCopy(tile::AsyncCopyOp copy, Elements &elements);
  void emitAsyncCommit();
  void emitAsyncWait(int64_t pending);
  friend class AsyncCopyEmitter;

  // Pipeline.cpp: the parts of a matrix loop, whose order `wave-schedule` plans.
  LogicalResult emitPipeline(tile::ForOp loop, Elements &elements);
  void emitCopyTemplates(tile::AsyncCopyOp copy, const PipelineOperand &operand,
                         Elements &elements); ///< AsyncCopy.cpp
  LogicalResult emitGemmTemplates(tile::GemmOp gemm, const PipelineOperand (&operands)[2],
                                  Elements &elements); ///< Gemm.cpp
  void makeDescriptor(TensorPlace &place);             ///< AsyncCopy.cpp

  // Threads.cpp: what lanes find out together, and wishes about instructions.
  std::optional<LogicalResult> emitThreadOp(Operation &op, Elements &elements);
  LogicalResult emitDot(tile::Dp4aOp op, Elements &elements);
  friend class ThreadEmitter;

  // Reduce.cpp
  LogicalResult emitReduce(tile::ReduceOp reduce, Elements &elements);
  friend class ReduceEmitter;

  // Scan.cpp
  LogicalResult emitScan(tile::ScanOp scan, Elements &elements);
  friend class ScanEmitter;

  /// Shared memory for exchanges between waves; its users put barriers around each use.
  int64_t reserveShared(int64_t bytes);
  /// Shared memory that nothing else uses; at most mostOwnScratch bytes.
  int64_t ownScratch(int64_t bytes);

  // Small helpers
  Value index(int64_t value);
  Value addIndex(Value a, Value c); ///< null operands are 0
  Value addIndex(Value a, int64_t c);
  Value mulIndex(Value a, int64_t factor);
  Value divIndex(Value a, int64_t by); ///< a >= 0
  Value remIndex(Value a, int64_t by); ///< a >= 0
  Value andMasks(Value a, Value c);    ///< null: true
  Value lookup(Value value, int64_t element, const Elements &elements);
  bool isSameForAll(Value value, const Elements &elements);
  Type memoryType(DType dtype);               ///< what a load of one element gives
  Type vectorOf(int64_t count, Type element); ///< the element itself for count 1
  /// Between memory types and scalar types; both may be vectors of `count`.
  Value toScalar(Value value, DType dtype);
  Value fromScalar(Value value, DType dtype);
  /// Element widths below a byte: packed in device memory, a byte each on chip.
  static bool isPacked(DType dtype) { return bitsOf(dtype) < 8 && dtype != DType::Bool; }
  Value decodeE2M1(Value code);
  Value encodeE2M1(Value value);
  Value elementwise(Value value, llvm::function_ref<Value(Value)> convert);
  /// The lower four bits of a byte, extended as the dtype wants.
  Value lowNibble(Value byte, DType dtype);
  /// Packed.cpp: `width` consecutive elements of 4 bits, as bytes; the first index is even when
  /// there are several.
  Value loadPacked(const TensorPlace &place, ArrayRef<Value> indices, int64_t width, Value mask);
  void storePacked(Value value, const TensorPlace &place, ArrayRef<Value> indices, Value mask);
  /// The number of an element in its tensor, in `index`, or i64 where the tensor is wide.
  Value elementNumber(const TensorPlace &place, ArrayRef<Value> indices);
  Value pack(ArrayRef<Value> parts);
  SmallVector<Value, 8> unpack(Value vector, int64_t count);

  tile::KernelOp kernel;
  const TargetInfo &target;
  mlir::OpBuilder &b;
  Location loc;
  int64_t numWaves;
  bool checksBounds;
  SmallVector<tile::ProducerOp, 1> producers;

  /// waveId, threadId: in the team, where the block's consumers are several; else in the block.
  Value laneId, waveId, threadId;
  bool isShort = false;                  ///< of registers, in the loop that is emitted
  Value blockWave, blockThread;          ///< in the block, whoever it is
  Value team;                            ///< null where there is one
  mlir::IRMapping programValues;         ///< tile.program values -> values in the wave kernel
  llvm::DenseMap<Value, Value> wideDims; ///< dims that are int64 parameters -> these
  llvm::DenseMap<Value, TensorPlace> tensors;
  llvm::DenseMap<Value, SharedPlace> shared;
  llvm::DenseMap<Value, FragmentPlace> fragments;
  llvm::DenseMap<Operation *, SmallVector<int64_t>> registerCache;
  llvm::DenseMap<int64_t, Value> constants; ///< at the top of the kernel
  Operation *constantAnchor = nullptr;      ///< which they stand in front of
  std::vector<std::pair<FragmentLayout, SmallVector<LaneCoord, 4>>> laneCoordCache;
  std::vector<std::pair<FragmentLayout, Value>> primaryCache;
  Operation *topAnchor = nullptr; ///< lane arithmetic that any code may use stands before it
  int64_t sharedBytes = 0, scratchBase = 0, scratchBytes = 0;
  int64_t ownScratchEnd = 0, ownScratchLeft = 0;
  std::optional<int64_t> stagingAt; ///< shared memory that accumulators are stored through
  std::optional<bool>
      hasAsyncReaders; ///< matrix instructions or tensor copies read what threads write
  llvm::MapVector<Value, PipePlace> pipes;
  int64_t turnBytes = 0;  ///< address of the teams' mbarriers
  Value turnParity;       ///< register
  int64_t fenceBytes = 0; ///< the mbarrier of tile.issue_fence
  /// Tensor maps by copy; copies of equal boxes of a tensor share one.
  llvm::DenseMap<Operation *, Value> tensorMaps;
  int64_t copiesInGroup = 0, copiesPerGroup = 0; ///< by counter: operations of each wave at least
};

} // namespace tilec

//===- Emitter.h - what differs per vendor --------------------------------===//
//
// KernelLowering walks the IR; an Emitter makes the instructions that AMD and
// NVIDIA do not share. A function that returns null or false says "this chip has no
// such thing"; the caller reports it with the op's name and place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Wave/Wave.h"
#include "tilec/Target/Target.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace tilec::lower {

using Builder = llvm::IRBuilder<>;

/// What the lowering knows of a kernel before its first instruction.
struct KernelTraits {
  std::string name;
  int64_t threads = 0, sharedBytes = 0, minBlocks = 1, cluster = 1;
  std::optional<int64_t> gridBlocks;
  bool keepOrder = false;
  bool hasRoles = false; ///< warp groups move registers among each other
  bool usesBlockId[3] = {false, false, false};
  /// 32-bit registers a lane needs for all register arrays at once, an upper bound.
  int64_t arrayRegisters = 0;
};

/// What the lowering of an op that only one vendor has may ask of the kernel, and tell it.
class KernelValues {
public:
  virtual ~KernelValues() = default;

  virtual const KernelTraits &kernelTraits() const = 0;
  virtual llvm::Value *at(mlir::Value value) const = 0;
  virtual llvm::Type *typeOf(mlir::Type type) const = 0;
  /// The current values of a register array.
  virtual std::vector<llvm::Value *> &registersOf(mlir::Value array) = 0;
  virtual llvm::Value *sharedPointer(mlir::Value offset, int64_t imm) = 0;
  virtual llvm::Value *pointerFrom(llvm::Value *base, mlir::Value offset, int64_t imm) = 0;
  virtual llvm::BasicBlock *newBlock(const char *name) = 0;
  /// Maps the one result of `op` to `value`; null means that op was reported as unsupported.
  virtual mlir::LogicalResult done(mlir::Operation &op, llvm::Value *value) = 0;
  virtual mlir::LogicalResult fail(mlir::Operation &op, const llvm::Twine &text) = 0;
  virtual mlir::LogicalResult unsupported(mlir::Operation &op) = 0;
};

class Emitter {
public:
  Emitter(llvm::Module &module, const TargetInfo &target)
      : module(module), target(target), b(module.getContext()) {}
  virtual ~Emitter() = default;

  llvm::Module &module;
  const TargetInfo &target;
  Builder b;

  /// Sets calling convention, attributes and the shared array of a fresh kernel.
  virtual void beginKernel(llvm::Function &function, const KernelTraits &traits) = 0;
  /// Byte 0 of shared memory.
  llvm::Value *shared = nullptr;

  virtual llvm::Value *threadId() = 0;
  /// The lane's number, by a value that nothing else is; null: there is none.
  virtual llvm::Value *freshLaneId() { return nullptr; }
  virtual llvm::Value *blockId(unsigned dim) = 0;
  /// A pointer to device memory of which 8 bytes may always be read.
  virtual llvm::Value *readablePointer() = 0;
  /// One of which `bytes` are zero, for lanes that have nothing to read in a place of their own;
  /// null: those are better kept from the read by a branch.
  virtual llvm::Value *zeroMemory(int64_t bytes) { return nullptr; }
  /// A value that is equal in all lanes, made so for the compiler. i32.
  virtual llvm::Value *uniform(llvm::Value *value) = 0;
  virtual llvm::Value *waveId(llvm::Value *threadId) = 0;

  /// Keeps an address in a register of its own, so that constant offsets fold into instructions.
  virtual llvm::Value *pinAddress(llvm::Value *value) { return value; }
  /// `value` behind something that LLVM cannot see through.
  virtual llvm::Value *opaque(llvm::Value *value, bool isUniform) { return value; }
  /// The start value of an accumulator that is a constant.
  virtual llvm::Value *pinAccumulator(llvm::Value *value) { return value; }
  /// Marks a read or write of shared memory beside which asynchronous copies are in flight: what
  /// orders them are planned waits, none of the back end.
  virtual void markSharedAccess(llvm::Instruction &access) {}

  /// With `global`, accesses to global memory are ordered, too, and none is moved across.
  virtual bool barrier(bool raw, bool global) = 0;
  /// Between two looks at a word that another block changes.
  virtual void pause() {}
  /// What reads of the same values by all lanes may have kept from before is dropped.
  virtual void dropScalars() {}
  /// Orders the accesses of a wave's lanes among each other.
  virtual void waveFence() = 0;
  /// The first `threads` threads of the block meet at the block's barrier number `id`.
  virtual bool barrierOf(int64_t threads, int64_t id) { return false; }
  /// `ofGroups`: see wave.wait.
  virtual bool wait(std::optional<int64_t> memory, std::optional<int64_t> shared, bool ofGroups) {
    return false;
  }
  virtual bool setPriority(int64_t level) { return false; }
  /// No instruction is moved across but of the kinds in `mask` (amdgcn.sched.barrier).
  virtual void schedFence(int64_t mask = 0) = 0;
  /// An instruction of the target by its name.
  virtual bool directive(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers) { return false; }

  /// A load of `type` at base + offset (unsigned 32-bit bytes) where `mask` holds and zero
  /// elsewhere, without a branch. Null: the caller branches. `isConstant`: nobody writes there.
  virtual llvm::Value *maskedLoad(llvm::Value *base, llvm::Value *offset, llvm::Value *mask,
                                  llvm::Type *type, int64_t align, bool isConstant) {
    return nullptr;
  }
  /// The same for a store.
  virtual bool maskedStore(llvm::Value *value, llvm::Value *base, llvm::Value *offset,
                           llvm::Value *mask, int64_t align) {
    return false;
  }

  virtual llvm::Value *bufferDesc(llvm::Value *base, llvm::Value *bytes) { return nullptr; }
  virtual bool loadToShared(llvm::Value *desc, llvm::Value *laneOffset, llvm::Value *uniformOffset,
                            llvm::Value *sharedPointer, int64_t imm, int64_t bytes) {
    return false;
  }
  /// `sourceBytes` is null when all `bytes` are copied.
  virtual bool cpAsync(llvm::Value *sharedPointer, llvm::Value *source, int64_t bytes,
                       llvm::Value *sourceBytes) {
    return false;
  }
  virtual bool cpAsyncCommit() { return false; }
  virtual bool cpAsyncWait(int64_t pending) { return false; }

  /// The intrinsic of `atom`; operands are cut into what it takes. The result has the type of `c`.
  virtual llvm::Value *mma(const MmaAtom &atom, llvm::Value *a, llvm::Value *b, llvm::Value *c) = 0;
  virtual llvm::Value *ldMatrix(llvm::Value *pointer, llvm::Type *result, bool transposed) {
    return nullptr;
  }
  virtual llvm::Value *sharedReadTr(llvm::Value *pointer, llvm::Type *result) { return nullptr; }

  /// Lane exchange of one 32-bit integer, which lanes in groups of `equal` have in common.
  virtual llvm::Value *shuffleXor(llvm::Value *value, int64_t mask, int64_t equal) = 0;
  /// The values of lane l and lane l ^ mask, in any order: of `low` in lanes without that bit, of
  /// `high` in those with it. Nulls where it costs no less than to exchange one.
  virtual std::pair<llvm::Value *, llvm::Value *> bothOfXor(llvm::Value *low, llvm::Value *high,
                                                            int64_t mask) {
    return {};
  }
  virtual llvm::Value *shuffle(llvm::Value *value, llvm::Value *lane) = 0;
  /// One word of wave.scan_partner.
  virtual llvm::Value *scanPartner(llvm::Value *value, llvm::Value *fill, unsigned step,
                                   unsigned width, bool reverse) = 0;
  /// Bytes of two 32-bit words; `bytes` has a nibble each, lowest first.
  virtual llvm::Value *bytePermute(llvm::Value *low, llvm::Value *high, uint32_t nibbles) = 0;

  // Lane masks are integers of as many bits as a wave has lanes.
  virtual llvm::Value *ballot(llvm::Value *predicate) = 0;
  virtual llvm::Value *vote(llvm::Value *predicate, bool all) = 0;
  /// Lanes with the same i32 or i64.
  virtual llvm::Value *matchAny(llvm::Value *value) = 0;
  virtual llvm::Value *reduceWave(wave::AtomicKind kind, llvm::Value *value) { return nullptr; }
  /// `threads` of them at the barrier `id`; 0: all of the block.
  virtual llvm::Value *barrierCount(llvm::Value *predicate, llvm::Value *id, int64_t threads) {
    return nullptr;
  }
  virtual llvm::Value *dot4(llvm::Value *a, llvm::Value *b, llvm::Value *c, bool isUnsigned) = 0;

  virtual llvm::SyncScope::ID deviceScope() = 0;
  /// Adds a vector to aligned global memory, element by element, each atomically (relaxed, device
  /// scope). False: there is no such instruction.
  virtual bool addVector(llvm::Value *vector, llvm::Value *pointer) { return false; }
  virtual llvm::SyncScope::ID blockScope() = 0;
  /// Lets the hardware's own atomic instructions be used.
  virtual void markAtomic(llvm::AtomicRMWInst &atomic) {}
  virtual void trap() = 0;
  /// One instruction without a branch that traps where `condition` does not hold; false where the
  /// target has none. A branch would end a block of code, and reads of memory before it move behind
  /// it, each to where it is needed.
  virtual bool trapUnless(llvm::Value *condition) { return false; }
  /// What the branch around a trap asks, which is left alone where `condition` holds: a trap ends
  /// all of the kernel, whichever lanes come to it.
  virtual llvm::Value *trapCondition(llvm::Value *condition) { return condition; }

  // Approximations of f32 in hardware, within 2 ulp; denormals may be flushed.
  virtual llvm::Value *approxExp2(llvm::Value *value) = 0;
  virtual llvm::Value *approxLog2(llvm::Value *value) = 0;
  virtual llvm::Value *approxRcp(llvm::Value *value) = 0;
  /// Whether `value` is what approxExp2, approxRcp, approxSine gave; its operand 0 is the angle.
  virtual bool isApproxExp2(const llvm::Value *value) const { return false; }
  virtual bool isApproxRcp(const llvm::Value *value) const { return false; }
  virtual bool isApproxSine(const llvm::Value *value, bool isCosine) const { return false; }
  /// 1 / value to 2 ulp, over the whole range of f32.
  virtual llvm::Value *reciprocal(llvm::Value *value) {
    return b.CreateFDiv(llvm::ConstantFP::get(value->getType(), 1.0), value);
  }
  virtual llvm::Value *approxRsqrt(llvm::Value *value) = 0;
  /// Sine or cosine of f32 elements to 2^-20, where |value| is below 2^18; null: there is no
  /// instruction that takes more than LLVM's own way to it.
  virtual llvm::Value *approxSine(llvm::Value *value, bool isCosine) { return nullptr; }
  /// 2^x in f32, denormals kept, within 2 ulp.
  virtual llvm::Value *exp2(llvm::Value *value) = 0;
  /// e^x in f32, denormals kept, within 2 ulp; null: there is nothing shorter than a polynomial.
  virtual llvm::Value *exp(llvm::Value *value) { return nullptr; }
  /// value * 2^exponent for f32 and an i32 in [-300, 300], rounded once.
  virtual llvm::Value *ldexp(llvm::Value *value, llvm::Value *exponent) = 0;

  /// Whether the chip converts this 8-bit format itself, to and from f32.
  virtual bool convertsSmallFloat(DType format) const { return false; }
  /// Whether the chip has an instruction from f32 to bf16.
  virtual bool convertsBf16() const { return true; }
  /// Whether packSmallFloats turns what is too large, infinity as well, into the largest number.
  virtual bool packSaturates() const { return false; }
  /// Two f32 as two codes in the low 16 bits of an i32: nearest even, the caller has saturated
  /// unless packSaturates().
  virtual llvm::Value *packSmallFloats(DType format, llvm::Value *low, llvm::Value *high) {
    return nullptr;
  }
  /// The f32 value of the code in byte `byte` of an i32.
  virtual llvm::Value *unpackSmallFloat(DType format, llvm::Value *word, unsigned byte) {
    return nullptr;
  }

  /// Lowers an op that only this vendor has; nothing when it is none.
  virtual std::optional<mlir::LogicalResult> lowerOwn(mlir::Operation &op, KernelValues &kernel) {
    return std::nullopt;
  }

protected:
  llvm::CallInst *call(llvm::StringRef intrinsic, llvm::ArrayRef<llvm::Type *> overloads,
                       llvm::ArrayRef<llvm::Value *> args);
};

std::unique_ptr<Emitter> makeAmdgpuEmitter(llvm::Module &module, const TargetInfo &target);
std::unique_ptr<Emitter> makeNvptxEmitter(llvm::Module &module, const TargetInfo &target);

} // namespace tilec::lower

//===- KernelLowering.h - one wave.kernel to one llvm::Function -----------===//
//
// Structured SSA construction: a register array is a list of current values, a loop
// makes phis for exactly the slots that its body writes, and an `if` merges those
// that one of its branches writes. Nothing lives in memory, so that LLVM sees
// registers from the start (docs/machine-code/lowering.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "DebugLines.h"
#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec::lower {

class KernelLowering : KernelValues {
public:
  /// `lines` is null when the module gets no line tables.
  KernelLowering(wave::KernelOp kernel, Emitter &emitter, DebugLines *lines)
      : kernel(kernel), e(emitter), b(emitter.b), lines(lines),
        context(emitter.module.getContext()), usesLibrary(kernel.getLibraryMath()) {}

  /// Adds the kernel to the emitter's module. On failure message() is one line, or empty where
  /// the context has been told.
  mlir::LogicalResult run();
  const std::string &message() const { return error; }

private:
  // The lowering of one op: maps its results, or fails with a message.
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  mlir::LogicalResult lowerOpHere(mlir::Operation &op);
  mlir::LogicalResult lowerArith(mlir::Operation &op); ///< arith; ArithOps.cpp
  mlir::LogicalResult lowerCast(mlir::Operation &op);  ///< arith conversions; Casts.cpp
  mlir::LogicalResult lowerMath(mlir::Operation &op);  ///< math; MathOps.cpp
  mlir::LogicalResult lowerByLibrary(mlir::Operation &op);
  mlir::LogicalResult lowerMemory(mlir::Operation &op); ///< shared and global; MemoryOps.cpp
  mlir::LogicalResult lowerWave(mlir::Operation &op);   ///< the rest of wave; WaveOps.cpp

  // ArithOps.cpp
  llvm::Value *binary(mlir::Operation &op);
  llvm::Value *quickQuotient(mlir::arith::DivFOp op);
  llvm::Value *roundedDivision(mlir::Operation &op);
  mlir::LogicalResult lowerConstant(mlir::arith::ConstantOp op);
  llvm::Constant *constantOf(mlir::Attribute attribute, mlir::Type type);
  mlir::LogicalResult lowerWideMultiply(mlir::Operation &op);
  llvm::FastMathFlags fastMathOf(mlir::Operation &op);

  // MathOps.cpp
  llvm::Value *
  elementWise(mlir::Operation &op, llvm::Type *type,
              llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> compute);

  // Casts.cpp
  llvm::Value *extendFloat(llvm::Value *value, mlir::Type from, mlir::Type to);
  llvm::Value *truncateFloat(llvm::Value *value, mlir::Type from, mlir::Type to);

  // ControlFlow.cpp
  using SlotId = std::pair<unsigned, int64_t>; ///< array number, register
  mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp loop);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp branch);
  llvm::SmallVector<SlotId> slotsWrittenIn(mlir::Region &region);
  llvm::SmallVector<llvm::Value *> valuesOf(llvm::ArrayRef<SlotId> slots);
  void setValues(llvm::ArrayRef<SlotId> slots, llvm::ArrayRef<llvm::Value *> values);
  llvm::Value *startValue(llvm::Value *value);

  // MemoryOps.cpp
  llvm::Value *sharedPointer(mlir::Value offset, int64_t imm) override;
  llvm::Value *pointerFrom(llvm::Value *base, mlir::Value offset, int64_t imm) override;
  /// The base, or other memory that may be read where that is null.
  llvm::Value *readableBase(mlir::Value base);
  llvm::Value *globalPointer(llvm::Value *base, llvm::Value *offset, bool isIndex);
  llvm::Value *globalPointer(mlir::Value base, mlir::Value offset);
  llvm::Value *toCarrier(llvm::Value *value);
  llvm::Value *fromCarrier(llvm::Value *value, llvm::Type *type);
  mlir::LogicalResult lowerGlobalRead(wave::GlobalReadOp op);
  mlir::LogicalResult lowerAtomic(mlir::Operation &op, wave::AtomicKind kind, llvm::Value *value,
                                  llvm::Value *pointer, mlir::Value mask, bool isShared);
  /// Emits `body` where `mask` holds; its value, or zero of `type` elsewhere. Null mask: always.
  llvm::Value *under(mlir::Value mask, llvm::Type *type, llvm::function_ref<llvm::Value *()> body);

  // WaveOps.cpp
  llvm::Value *pack(wave::PackOp op);
  llvm::Value *extract(wave::ExtractOp op);
  llvm::Value *laneExchange(llvm::Value *value,
                            llvm::function_ref<llvm::Value *(llvm::Value *)> exchange);
  mlir::LogicalResult lowerShuffleXor(wave::ShuffleXorOp shuffle);
  mlir::LogicalResult lowerVote(mlir::Operation &op);
  mlir::LogicalResult lowerTrap(wave::TrapOp trap);
  mlir::LogicalResult lowerGridSync(wave::GridSyncOp sync);
  mlir::LogicalResult lowerScanPartner(wave::ScanPartnerOp scan);
  mlir::LogicalResult lowerMma(wave::MmaOp op);

  // Shared helpers.
  const KernelTraits &kernelTraits() const override { return traits; }
  llvm::Value *at(mlir::Value value) const override { return values.lookup(value); }
  llvm::Type *typeOf(mlir::Type type) const override;
  std::vector<llvm::Value *> &registersOf(mlir::Value array) override {
    return arrays[arrayNumbers.lookup(array)];
  }
  void map(mlir::Value from, llvm::Value *to);
  mlir::LogicalResult done(mlir::Operation &op, llvm::Value *value) override;
  mlir::LogicalResult fail(mlir::Operation &op, const llvm::Twine &text) override;
  mlir::LogicalResult unsupported(mlir::Operation &op) override;
  bool isUniform(mlir::Value value);
  /// at(value), made uniform for the compiler when it cannot see that itself.
  llvm::Value *uniformAt(mlir::Value value);
  llvm::BasicBlock *newBlock(const char *name) override;
  KernelTraits traitsOf();

  wave::KernelOp kernel;
  Emitter &e;
  Builder &b;
  DebugLines *lines;
  llvm::LLVMContext &context;
  llvm::Function *function = nullptr;
  KernelTraits traits;
  bool usesLibrary;              ///< functions of f32, too, are the vendor's
  std::optional<bool> shortNans; ///< hasOnlyShortNans, once it has been asked
  std::string error;

  llvm::DenseMap<mlir::Value, llvm::Value *> values;
  llvm::DenseMap<mlir::Value, llvm::Value *> pinned; ///< shared addresses in registers of their own
  llvm::DenseMap<mlir::Value, bool> uniformity;
  /// The operands of operations that combine a value with a partner lane's, in either order.
  llvm::DenseMap<mlir::Operation *, std::pair<llvm::Value *, llvm::Value *>> folds;
  llvm::DenseMap<mlir::Value, unsigned> arrayNumbers;
  std::vector<std::vector<llvm::Value *>> arrays; ///< current value of every register
  llvm::DenseMap<mlir::Value, llvm::Value *> readableBases;
};

} // namespace tilec::lower

//===- AmdgpuEmitter.h - instructions of CDNA -----------------------------===//
//
// What KernelLowering asks of a vendor, answered with intrinsics of the AMDGPU target.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Emitter.h"

namespace tilec::lower {

class AmdgpuEmitter : public Emitter {
public:
  using Emitter::Emitter;

  void beginKernel(llvm::Function &function, const KernelTraits &traits) override;
  llvm::Value *threadId() override { return thread; }
  llvm::Value *blockId(unsigned dim) override;
  llvm::Value *readablePointer() override;
  llvm::Value *zeroMemory(int64_t bytes) override;
  llvm::Value *uniform(llvm::Value *value) override;
  llvm::Value *waveId(llvm::Value *threadId) override;

  llvm::Value *pinAddress(llvm::Value *value) override;
  llvm::Value *opaque(llvm::Value *value, bool isUniform) override;
  llvm::Value *pinAccumulator(llvm::Value *value) override;
  void markSharedAccess(llvm::Instruction &access) override;

  bool barrier(bool raw, bool global) override;
  void pause() override;
  void dropScalars() override;
  void waveFence() override;
  bool wait(std::optional<int64_t> vm, std::optional<int64_t> lgkm, bool ofGroups) override;
  bool setPriority(int64_t level) override;
  void schedFence(int64_t mask = 0) override;
  bool directive(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers) override;

  llvm::Value *maskedLoad(llvm::Value *base, llvm::Value *offset, llvm::Value *mask,
                          llvm::Type *type, int64_t align, bool isConstant) override;
  bool maskedStore(llvm::Value *value, llvm::Value *base, llvm::Value *offset, llvm::Value *mask,
                   int64_t align) override;

  llvm::Value *bufferDesc(llvm::Value *base, llvm::Value *bytes) override;
  bool loadToShared(llvm::Value *desc, llvm::Value *laneOffset, llvm::Value *uniformOffset,
                    llvm::Value *sharedPointer, int64_t imm, int64_t bytes) override;

  llvm::Value *mma(const MmaAtom &atom, llvm::Value *a, llvm::Value *b, llvm::Value *c) override;
  llvm::Value *sharedReadTr(llvm::Value *pointer, llvm::Type *result) override;

  llvm::Value *shuffleXor(llvm::Value *value, int64_t mask, int64_t equal) override;
  std::pair<llvm::Value *, llvm::Value *> bothOfXor(llvm::Value *low, llvm::Value *high,
                                                    int64_t mask) override;
  llvm::Value *shuffle(llvm::Value *value, llvm::Value *lane) override;
  llvm::Value *scanPartner(llvm::Value *value, llvm::Value *fill, unsigned step, unsigned width,
                           bool reverse) override;
  llvm::Value *bytePermute(llvm::Value *low, llvm::Value *high, uint32_t nibbles) override;
  llvm::Value *ballot(llvm::Value *predicate) override;
  llvm::Value *vote(llvm::Value *predicate, bool all) override;
  llvm::Value *matchAny(llvm::Value *value) override;
  llvm::Value *dot4(llvm::Value *a, llvm::Value *b, llvm::Value *c, bool isUnsigned) override;

  llvm::SyncScope::ID deviceScope() override;
  llvm::SyncScope::ID blockScope() override;
  void markAtomic(llvm::AtomicRMWInst &atomic) override;
  void trap() override;
  llvm::Value *trapCondition(llvm::Value *condition) override;

  llvm::Value *approxExp2(llvm::Value *value) override;
  llvm::Value *approxLog2(llvm::Value *value) override;
  llvm::Value *approxRcp(llvm::Value *value) override;
  bool isApproxExp2(const llvm::Value *value) const override;
  bool isApproxRcp(const llvm::Value *value) const override;
  bool isApproxSine(const llvm::Value *value, bool isCosine) const override;
  llvm::Value *reciprocal(llvm::Value *value) override;
  llvm::Value *approxRsqrt(llvm::Value *value) override;
  llvm::Value *approxSine(llvm::Value *value, bool isCosine) override;
  llvm::Value *exp2(llvm::Value *value) override;
  llvm::Value *ldexp(llvm::Value *value, llvm::Value *exponent) override;

  bool convertsSmallFloat(DType format) const override;
  bool convertsBf16() const override { return target.arch == Arch::Gfx950; }
  llvm::Value *packSmallFloats(DType format, llvm::Value *low, llvm::Value *high) override;
  llvm::Value *unpackSmallFloat(DType format, llvm::Value *word, unsigned byte) override;

private:
  llvm::Value *pin(llvm::Value *value, const char *constraint);
  llvm::Value *dpp(llvm::Value *value, unsigned control);
  llvm::Value *rowXor(llvm::Value *value, unsigned mask, unsigned equal);
  llvm::Value *swapXor(llvm::Value *value, unsigned distance);
  llvm::Value *wholeMemory(llvm::Value *base);
  llvm::Value *maskedOffset(llvm::Value *offset, llvm::Value *mask);

  llvm::CallInst *thread = nullptr;
  bool usesAgprs = false, keepsOrder = false;
  llvm::MDNode *sharedScope = nullptr;
  llvm::DenseMap<llvm::Value *, llvm::Value *> descriptors; ///< of wholeMemory, by base
};

} // namespace tilec::lower

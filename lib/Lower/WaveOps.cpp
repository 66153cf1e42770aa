//===- WaveOps.cpp - identity, registers, copies, waits, matrices, lanes --===//
//
// Takes the ops of Wave IR that are no arithmetic and no memory, gives LLVM IR through the
// vendor's Emitter.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "Elements.h"
#include "Types.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilec::lower {

using mlir::LogicalResult;
using mlir::success;

static unsigned elementCount(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Elements below 8 bits live in an integer while they are moved about: LLVM has no registers for
/// vectors of them.
static bool isSubByte(llvm::Type *type) {
  unsigned bits = type->getScalarSizeInBits();
  return type->isVectorTy() && bits > 1 && bits < 8;
}

llvm::Value *KernelLowering::extract(wave::ExtractOp op) {
  llvm::Value *vector = at(op.getVector());
  llvm::Type *result = typeOf(op.getResult().getType());
  uint64_t position = op.getPosition();
  if (isSubByte(vector->getType())) {
    unsigned elementBits = vector->getType()->getScalarSizeInBits();
    llvm::Value *bits = b.CreateBitCast(vector, b.getIntNTy(bitsOf(vector->getType())));
    bits = b.CreateLShr(bits, position * elementBits);
    if (!result->isVectorTy()) // see llvmType: one element of 4 bits is the low bits of a byte
      return b.CreateZExtOrTrunc(b.CreateTrunc(bits, b.getIntNTy(elementBits)), result);
    return b.CreateBitCast(b.CreateTrunc(bits, b.getIntNTy(bitsOf(result))), result);
  }
  if (!result->isVectorTy())
    return elementOf(b, vector, position);
  // Bytes in registers' words are moved as those: LLVM would carry each byte in a register of its
  // own where they go from one round of a loop to the next.
  constexpr unsigned wordBits = 32;
  unsigned elementBits = vector->getType()->getScalarSizeInBits(), elements = elementCount(result);
  bool isOfWords = elementBits == 8 && position * elementBits % wordBits == 0 &&
                   bitsOf(result) % wordBits == 0 && bitsOf(vector->getType()) % wordBits == 0;
  if (isOfWords) {
    unsigned ofWord = wordBits / elementBits;
    vector = b.CreateBitCast(
        vector, llvm::FixedVectorType::get(b.getInt32Ty(), bitsOf(vector->getType()) / wordBits));
    position /= ofWord;
    elements /= ofWord;
  }
  llvm::SmallVector<int> mask;
  for (unsigned i = 0; i < elements; ++i)
    mask.push_back(static_cast<int>(position + i));
  llvm::Value *part = b.CreateShuffleVector(vector, mask);
  return isOfWords ? b.CreateBitCast(part, result) : part;
}

llvm::Value *KernelLowering::pack(wave::PackOp op) {
  llvm::Type *result = typeOf(op.getResult().getType());
  if (isSubByte(result)) {
    llvm::Type *whole = b.getIntNTy(bitsOf(result));
    llvm::Value *bits = llvm::ConstantInt::get(whole, 0);
    unsigned position = 0;
    for (mlir::Value part : op.getParts()) {
      llvm::Value *value = at(part);
      bool isScalar = !value->getType()->isVectorTy();
      unsigned partBits = isScalar ? result->getScalarSizeInBits() : bitsOf(value->getType());
      if (isScalar)
        value = b.CreateTrunc(value, b.getIntNTy(partBits));
      value = b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(partBits)), whole);
      bits = b.CreateOr(bits, b.CreateShl(value, position));
      position += partBits;
    }
    return b.CreateBitCast(bits, result);
  }
  if (op.getParts().size() == 1 && at(op.getParts()[0])->getType() == result)
    return at(op.getParts()[0]);
  llvm::Value *packed = llvm::PoisonValue::get(result);
  uint64_t position = 0;
  for (mlir::Value part : op.getParts()) {
    llvm::Value *value = at(part);
    if (!value->getType()->isVectorTy()) {
      packed = b.CreateInsertElement(packed, value, position++);
      continue;
    }
    for (unsigned i = 0; i < elementCount(value->getType()); ++i)
      packed = b.CreateInsertElement(packed, elementOf(b, value, i), position++);
  }
  return packed;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Applies an exchange of 32-bit words to a value of 32 or 64 bits.
llvm::Value *
KernelLowering::laneExchange(llvm::Value *value,
                             llvm::function_ref<llvm::Value *(llvm::Value *)> exchange) {
  llvm::Type *type = value->getType();
  unsigned words = bitsOf(type) / 32;
  if (words == 1)
    return b.CreateBitCast(exchange(bitsAs(b, value, b.getInt32Ty())), type);
  auto *vector = llvm::FixedVectorType::get(b.getInt32Ty(), words);
  llvm::Value *parts = b.CreateBitCast(value, vector);
  llvm::Value *result = llvm::PoisonValue::get(vector);
  for (unsigned i = 0; i < words; ++i)
    result = b.CreateInsertElement(result, exchange(b.CreateExtractElement(parts, i)), i);
  return b.CreateBitCast(result, type);
}

LogicalResult KernelLowering::lowerScanPartner(wave::ScanPartnerOp scan) {
  if (scan.getWidth() > uint64_t(e.target.waveLanes))
    return fail(*scan, "scans groups of " + llvm::Twine(scan.getWidth()) + " lanes in a wave of " +
                           llvm::Twine(e.target.waveLanes));
  llvm::Value *value = at(scan.getValue());
  llvm::Value *fill = at(scan.getFill());
  unsigned words = bitsOf(value->getType()) / 32;
  auto partner = [&](llvm::Value *word, llvm::Value *fillWord) {
    return e.scanPartner(word, fillWord, scan.getStep(), scan.getWidth(), scan.getReverse());
  };
  if (words == 1) {
    llvm::Value *word = partner(bitsAs(b, value, b.getInt32Ty()), bitsAs(b, fill, b.getInt32Ty()));
    return done(*scan, b.CreateBitCast(word, value->getType()));
  }
  auto *vector = llvm::FixedVectorType::get(b.getInt32Ty(), words);
  llvm::Value *parts = b.CreateBitCast(value, vector), *fills = b.CreateBitCast(fill, vector);
  llvm::Value *result = llvm::PoisonValue::get(vector);
  for (unsigned i = 0; i < words; ++i)
    result = b.CreateInsertElement(
        result, partner(b.CreateExtractElement(parts, i), b.CreateExtractElement(fills, i)), i);
  return done(*scan, b.CreateBitCast(result, value->getType()));
}

/// What lanes find out together.
LogicalResult KernelLowering::lowerVote(mlir::Operation &op) {
  auto checkMask = [&](llvm::Value *mask) -> LogicalResult {
    if (mask && mask->getType() != typeOf(op.getResult(0).getType()))
      return fail(op, "gives a mask for another number of lanes than " +
                          llvm::Twine(e.target.waveLanes));
    return done(op, mask);
  };
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      .Case([&](wave::BallotOp ballot) { return checkMask(e.ballot(at(ballot.getPredicate()))); })
      .Case([&](wave::VoteOp vote) {
        return done(op, e.vote(at(vote.getPredicate()), vote.getAll()));
      })
      .Case([&](wave::MatchOp match) { return checkMask(e.matchAny(at(match.getValue()))); })
      .Case([&](wave::ReduceOp reduce) {
        return done(op, e.reduceWave(reduce.getKind(), at(reduce.getValue())));
      })
      .Case([&](wave::BarrierCountOp count) {
        llvm::Value *id =
            count.getId() ? b.CreateTrunc(uniformAt(count.getId()), b.getInt32Ty()) : b.getInt32(0);
        return done(op, e.barrierCount(at(count.getPredicate()), id, count.getThreads()));
      })
      .Case([&](wave::Dot4Op dot) {
        return done(op,
                    e.dot4(at(dot.getA()), at(dot.getB()), at(dot.getC()), dot.getIsUnsigned()));
      })
      .Default([&](mlir::Operation *) { return unsupported(op); });
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerMma(wave::MmaOp op) {
  const MmaAtom *atom = nullptr;
  for (const MmaAtom &candidate : e.target.atoms())
    if (candidate.name == op.getAtom())
      atom = &candidate;
  for (const NarrowAtom &candidate : e.target.narrow)
    if (!candidate.isScaled && candidate.atom.name == op.getAtom())
      atom = &candidate.atom;
  if (!atom)
    return fail(*op, "names the atom `" + op.getAtom() + "`, which " +
                         llvm::StringRef(nameOf(e.target.arch)) + " does not have");
  struct Operand {
    const char *name;
    mlir::Value value;
    DType type;
    const LinearLayout &layout;
  };
  const Operand operands[] = {{"a", op.getA(), atom->a, atom->aLayout},
                              {"b", op.getB(), atom->b, atom->bLayout},
                              {"c", op.getC(), atom->c, atom->cLayout}};
  for (const Operand &operand : operands) {
    int64_t count = operand.layout.inputs()[0].count();
    int64_t bits = count * tilec::bitsOf(operand.type);
    if (wave::bitsOf(operand.value.getType()) != bits)
      return fail(*op, llvm::Twine("operand ") + operand.name + " holds " +
                           llvm::Twine(wave::bitsOf(operand.value.getType())) + " bits; " +
                           atom->name + " takes " + llvm::Twine(count) + " x " +
                           llvm::StringRef(nameOf(operand.type)) + ", " + llvm::Twine(bits) +
                           " bits");
  }
  return done(*op, e.mma(*atom, at(op.getA()), at(op.getB()), at(op.getC())));
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

static std::optional<int64_t> optional(std::optional<uint64_t> value) {
  return value ? std::optional<int64_t>(static_cast<int64_t>(*value)) : std::nullopt;
}

LogicalResult KernelLowering::lowerTrap(wave::TrapOp trap) {
  if (e.trapUnless(at(trap.getCondition())))
    return success();
  llvm::BasicBlock *bad = newBlock("trap"), *good = newBlock("checked");
  b.CreateCondBr(e.trapCondition(at(trap.getCondition())), good, bad);
  b.SetInsertPoint(bad);
  e.trap();
  b.CreateBr(good);
  b.SetInsertPoint(good);
  return success();
}

/// The block's barriers hand on to all waves what the fences of its first thread order: what the
/// others had written is known to it when it arrives, and what it sees they see after it.
LogicalResult KernelLowering::lowerGridSync(wave::GridSyncOp sync) {
  llvm::BasicBlock *arrive = newBlock("arrive"), *poll = newBlock("poll");
  llvm::BasicBlock *again = newBlock("again"), *seen = newBlock("seen"), *met = newBlock("met");
  llvm::Value *counter = at(sync.getCounter());
  if (!e.barrier(/*raw=*/false, /*global=*/true))
    return unsupported(*sync);
  b.CreateCondBr(b.CreateICmpEQ(e.threadId(), b.getInt32(0)), arrive, met);

  b.SetInsertPoint(arrive);
  b.CreateFence(llvm::AtomicOrdering::Release, e.deviceScope());
  llvm::AtomicRMWInst *before =
      b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, at(sync.getStep()), llvm::Align(4),
                        llvm::AtomicOrdering::Monotonic, e.deviceScope());
  e.markAtomic(*before);
  b.CreateBr(poll);

  b.SetInsertPoint(poll);
  llvm::LoadInst *now = b.CreateAlignedLoad(b.getInt32Ty(), counter, llvm::Align(4));
  now->setAtomic(llvm::AtomicOrdering::Monotonic, e.deviceScope());
  llvm::Value *hasTurned = b.CreateICmpSLT(b.CreateXor(before, now), b.getInt32(0));
  b.CreateCondBr(hasTurned, seen, again);

  b.SetInsertPoint(again);
  e.pause();
  b.CreateBr(poll);

  b.SetInsertPoint(seen);
  b.CreateFence(llvm::AtomicOrdering::Acquire, e.deviceScope());
  e.dropScalars();
  b.CreateBr(met);

  b.SetInsertPoint(met);
  return e.barrier(/*raw=*/false, /*global=*/true) ? success() : unsupported(*sync);
}

/// A fence of the order of instructions, or the instruction that a script names.
static bool lowerFence(Emitter &e, wave::SchedFenceOp fence) {
  if (!fence.getDirective()) {
    e.schedFence(fence.getMask());
    return true;
  }
  return e.directive(*fence.getDirective(), *fence.getNumbers());
}

LogicalResult KernelLowering::lowerWave(mlir::Operation &op) {
  auto must = [&](bool emitted) { return emitted ? success() : unsupported(op); };
  int64_t lanes = e.target.waveLanes;
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      .Case([&](wave::ThreadIdOp) { return done(op, e.threadId()); })
      .Case([&](wave::LaneIdOp id) {
        if (id.getFresh())
          return done(op, e.freshLaneId());
        return done(op, b.CreateAnd(e.threadId(), static_cast<uint64_t>(lanes - 1), "lane"));
      })
      .Case([&](wave::WaveIdOp) { return done(op, e.waveId(e.threadId())); })
      .Case([&](wave::BlockIdOp id) { return done(op, e.blockId(id.getDim())); })
      .Case([&](wave::OpaqueOp opaque) {
        mlir::Value value = opaque.getValue();
        return done(op, e.opaque(at(value), isUniform(value)));
      })
      .Case([&](wave::UniformOp uniform) { return done(op, uniformAt(uniform.getValue())); })
      .Case([&](wave::AllocRegsOp regs) {
        wave::RegsType type = regs.getType();
        llvm::Type *element = typeOf(type.getElementType());
        if (!element)
          return fail(op, "holds elements that have no registers");
        arrayNumbers[regs] = arrays.size();
        arrays.emplace_back(type.getCount(), llvm::PoisonValue::get(carrierType(element)));
        return success();
      })
      .Case([&](wave::GetOp get) {
        llvm::Value *value = arrays[arrayNumbers.lookup(get.getRegs())][get.getSlot()];
        return done(op, fromCarrier(value, typeOf(get.getResult().getType())));
      })
      .Case([&](wave::SetOp set) {
        arrays[arrayNumbers.lookup(set.getRegs())][set.getSlot()] = toCarrier(at(set.getValue()));
        return success();
      })
      .Case([&](wave::ExtractOp extractOp) { return done(op, extract(extractOp)); })
      .Case([&](wave::PackOp packOp) { return done(op, pack(packOp)); })
      .Case([&](wave::BitcastOp cast) {
        return done(op, b.CreateBitCast(at(cast.getValue()), typeOf(cast.getResult().getType())));
      })
      .Case([&](wave::AddGlobalOp add) {
        return done(op, b.CreateGEP(b.getInt8Ty(), at(add.getBase()), at(add.getOffset())));
      })
      .Case([&](wave::BufferDescOp desc) {
        llvm::Value *base = at(desc.getBase());
        return done(op, e.bufferDesc(base, at(desc.getBytes())));
      })
      .Case([&](wave::CpAsyncCommitOp) { return must(e.cpAsyncCommit()); })
      .Case([&](wave::CpAsyncWaitOp wait) { return must(e.cpAsyncWait(wait.getPending())); })
      .Case([&](wave::WaitOp wait) {
        return must(
            e.wait(optional(wait.getMemory()), optional(wait.getShared()), wait.getGroups()));
      })
      .Case([&](wave::BarrierOp barrier) {
        return must(barrier.getThreads() != 0 ? e.barrierOf(barrier.getThreads(), barrier.getId())
                                              : e.barrier(barrier.getRaw(), barrier.getGlobal()));
      })
      .Case([&](wave::RolledOp) { return success(); }) // lowerFor asks for it
      .Case([&](wave::GridSyncOp sync) { return lowerGridSync(sync); })
      .Case([&](wave::WaveFenceOp) {
        e.waveFence();
        return success();
      })
      .Case<wave::BallotOp, wave::VoteOp, wave::MatchOp, wave::ReduceOp, wave::BarrierCountOp,
            wave::Dot4Op>([&](mlir::Operation *) { return lowerVote(op); })
      .Case([&](wave::SetPrioOp prio) { return must(e.setPriority(prio.getLevel())); })
      .Case([&](wave::SchedFenceOp fence) { return must(lowerFence(e, fence)); })
      .Case([&](wave::MmaOp mma) { return lowerMma(mma); })
      .Case([&](wave::ShuffleXorOp shuffle) {
        int64_t mask = shuffle.getMask();
        if (mask < 0 || mask >= lanes)
          return fail(op, "exchanges lanes by mask " + llvm::Twine(mask) + " in a wave of " +
                              llvm::Twine(lanes) + " lanes");
        return lowerShuffleXor(shuffle);
      })
      .Case([&](wave::ShuffleOp shuffle) {
        llvm::Value *lane = at(shuffle.getLane());
        return done(op, laneExchange(at(shuffle.getValue()),
                                     [&](llvm::Value *word) { return e.shuffle(word, lane); }));
      })
      .Case([&](wave::ScanPartnerOp scan) { return lowerScanPartner(scan); })
      .Case([&](wave::BytePermuteOp permute) {
        uint32_t nibbles = 0;
        for (auto [i, byte] : llvm::enumerate(permute.getBytes()))
          nibbles |= uint32_t(byte) << (4 * i);
        return done(op, e.bytePermute(at(permute.getA()), at(permute.getB()), nibbles));
      })
      .Case([&](wave::PipelineOp) {
        return fail(op, "is not planned yet; the pass wave-schedule makes a loop of it");
      })
      .Case([&](wave::TrapOp trap) { return lowerTrap(trap); })
      .Default([&](mlir::Operation *) {
        std::optional<LogicalResult> own = e.lowerOwn(op, *this);
        return own ? *own : lowerMemory(op);
      });
}

} // namespace tilec::lower

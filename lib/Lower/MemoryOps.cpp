//===- MemoryOps.cpp - shared and global memory, atomics ------------------===//
//
// Takes loads, stores and atomics of Wave IR, gives pointers, address spaces and LLVM's operations
// on them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "Types.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilec::lower {

using mlir::LogicalResult;
using mlir::success;

llvm::Value *KernelLowering::toCarrier(llvm::Value *value) {
  return b.CreateBitCast(value, carrierType(value->getType()));
}

llvm::Value *KernelLowering::fromCarrier(llvm::Value *value, llvm::Type *type) {
  return b.CreateBitCast(value, type);
}

llvm::Value *KernelLowering::sharedPointer(mlir::Value offset, int64_t imm) {
  return pointerFrom(e.shared, offset, imm);
}

llvm::Value *KernelLowering::pointerFrom(llvm::Value *base, mlir::Value offset, int64_t imm) {
  auto known = pinned.find(offset);
  llvm::Value *bytes = known != pinned.end() ? known->second : at(offset);
  // Two steps, so that the constant part stays the instruction's own offset.
  llvm::Value *pointer = b.CreateGEP(b.getInt8Ty(), base, bytes);
  return imm == 0 ? pointer : b.CreateGEP(b.getInt8Ty(), pointer, b.getInt32(imm));
}

/// `offset` as x + constant, when it is known that this does not wrap; else (null, 0).
static std::pair<mlir::Value, int64_t> splitOffset(mlir::Value offset) {
  auto sum = offset.getDefiningOp<mlir::arith::AddIOp>();
  if (!sum || !bitEnumContainsAll(sum.getOverflowFlags(), mlir::arith::IntegerOverflowFlags::nuw))
    return {};
  mlir::IntegerAttr constant;
  if (!mlir::matchPattern(sum.getRhs(), mlir::m_Constant(&constant)))
    return {};
  return {sum.getLhs(), constant.getValue().getZExtValue()};
}

llvm::Value *KernelLowering::readableBase(mlir::Value base) {
  llvm::Value *&known = readableBases[base];
  if (known)
    return known;
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  llvm::BasicBlock &entry = function->getEntryBlock();
  b.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  llvm::Value *pointer = at(base);
  llvm::Value *isNull = b.CreateIsNull(pointer);
  return known = b.CreateSelect(isNull, e.readablePointer(), pointer);
}

llvm::Value *KernelLowering::globalPointer(llvm::Value *base, llvm::Value *offset, bool isIndex) {
  // An index offset counts up to 4 GiB: zero-extended, which is also what addressing modes with a
  // scalar base and a 32-bit lane offset want.
  llvm::Value *wide = isIndex ? b.CreateZExt(offset, b.getInt64Ty()) : offset;
  return b.CreateGEP(b.getInt8Ty(), base, wide);
}

llvm::Value *KernelLowering::globalPointer(mlir::Value base, mlir::Value offset) {
  bool isIndex = offset.getType().isIndex();
  auto [variable, constant] = splitOffset(offset);
  if (!variable)
    return globalPointer(at(base), at(offset), isIndex);
  // The constant stays apart and becomes the instruction's own offset.
  return b.CreateGEP(b.getInt8Ty(), globalPointer(at(base), at(variable), isIndex),
                     b.getInt64(constant));
}

llvm::Value *KernelLowering::under(mlir::Value mask, llvm::Type *type,
                                   llvm::function_ref<llvm::Value *()> body) {
  if (!mask)
    return body();
  llvm::Value *condition = at(mask);
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    if (constant->isOne())
      return body();
    return type ? llvm::Constant::getNullValue(type) : nullptr;
  }
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *active = newBlock("masked"), *join = newBlock("unmasked");
  b.CreateCondBr(condition, active, join);
  b.SetInsertPoint(active);
  llvm::Value *value = body();
  llvm::BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  if (!type)
    return nullptr;
  llvm::PHINode *phi = b.CreatePHI(type, 2);
  phi->addIncoming(llvm::Constant::getNullValue(type), before);
  phi->addIncoming(value, end);
  return phi;
}

/// The largest power of two that divides `bytes`, at most 16.
static llvm::Align naturalAlign(int64_t bytes) {
  return llvm::Align(std::min<int64_t>(bytes & -bytes, 16));
}

/// Whether the kernel may write what lies behind the address.
static bool isWritten(mlir::Value base) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(base);
  auto kernel =
      argument ? mlir::dyn_cast<wave::KernelOp>(argument.getOwner()->getParentOp()) : nullptr;
  return !kernel || mlir::cast<mlir::StringAttr>(kernel.getArgAccess()[argument.getArgNumber()])
                        .getValue()
                        .contains('w');
}

LogicalResult KernelLowering::lowerGlobalRead(wave::GlobalReadOp op) {
  llvm::Type *type = typeOf(op.getResult().getType()), *carrier = carrierType(type);
  bool isIndex = op.getOffset().getType().isIndex();
  llvm::Align align(op.getAlign());
  llvm::MDNode *empty = llvm::MDNode::get(b.getContext(), {});
  if (op.getMask() && isIndex && !op.getScalar())
    if (llvm::Value *value = e.maskedLoad(at(op.getBase()), at(op.getOffset()), at(op.getMask()),
                                          carrier, op.getAlign(), op.getConstant()))
      return done(*op, fromCarrier(value, type));
  auto read = [&](llvm::Value *pointer) {
    llvm::LoadInst *load = b.CreateAlignedLoad(carrier, pointer, align);
    if (op.getScalar() || op.getConstant())
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
    return load;
  };
  int64_t bytes = int64_t(e.module.getDataLayout().getTypeStoreSize(carrier));
  bool hasMask = op.getMask() && !op.getScalar();
  if (llvm::Value *zeros = hasMask ? e.zeroMemory(bytes) : nullptr) {
    llvm::Value *place = globalPointer(op.getBase(), op.getOffset());
    return done(*op, fromCarrier(read(b.CreateSelect(at(op.getMask()), place, zeros)), type));
  }
  // One element at `base` may always be read, but for a race where another block writes it; a
  // vector there may reach past a small tensor.
  if (op.getMask() && wave::elementsOf(op.getResult().getType()) == 1 && !isWritten(op.getBase())) {
    llvm::Value *mask = at(op.getMask()), *offset = at(op.getOffset());
    llvm::Value *safe =
        b.CreateSelect(mask, offset, llvm::Constant::getNullValue(offset->getType()));
    llvm::Value *base = op.getMayBeEmpty() ? readableBase(op.getBase()) : at(op.getBase());
    llvm::Value *value = read(globalPointer(base, safe, isIndex));
    value = b.CreateSelect(mask, value, llvm::Constant::getNullValue(carrier));
    return done(*op, fromCarrier(value, type));
  }
  llvm::Value *value = under(op.getMask(), carrier,
                             [&] { return read(globalPointer(op.getBase(), op.getOffset())); });
  return done(*op, fromCarrier(value, type));
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static std::optional<llvm::AtomicRMWInst::BinOp> atomicOp(wave::AtomicKind kind, bool isFloat) {
  using Op = llvm::AtomicRMWInst;
  switch (kind) {
  case wave::AtomicKind::Add:
    return isFloat ? Op::FAdd : Op::Add;
  case wave::AtomicKind::Max:
    return isFloat ? Op::FMax : Op::Max;
  case wave::AtomicKind::Min:
    return isFloat ? Op::FMin : Op::Min;
  case wave::AtomicKind::Exchange:
    return Op::Xchg;
  case wave::AtomicKind::UMax:
    return isFloat ? std::nullopt : std::optional(Op::UMax);
  case wave::AtomicKind::UMin:
    return isFloat ? std::nullopt : std::optional(Op::UMin);
  case wave::AtomicKind::And:
    return isFloat ? std::nullopt : std::optional(Op::And);
  case wave::AtomicKind::Or:
    return isFloat ? std::nullopt : std::optional(Op::Or);
  case wave::AtomicKind::Xor:
    return isFloat ? std::nullopt : std::optional(Op::Xor);
  }
  return std::nullopt;
}

LogicalResult KernelLowering::lowerAtomic(mlir::Operation &op, wave::AtomicKind kind,
                                          llvm::Value *value, llvm::Value *pointer,
                                          mlir::Value mask, bool isShared) {
  llvm::Type *type = value->getType();
  std::optional<llvm::AtomicRMWInst::BinOp> rmw = atomicOp(kind, type->isFPOrFPVectorTy());
  mlir::Type element = wave::elementOf(op.getResult(0).getType());
  bool isPair = type->isVectorTy() && type->isFPOrFPVectorTy() && bitsOf(type) == 32;
  bool hasInstruction = isPair ? e.target.halfAddBytes > 0 : type->isVectorTy();
  if (hasInstruction && kind == wave::AtomicKind::Add && !isShared && op.getResult(0).use_empty()) {
    bool isAdded = true;
    under(mask, nullptr, [&]() -> llvm::Value * {
      isAdded = e.addVector(value, pointer);
      return nullptr;
    });
    if (isAdded)
      return done(op, llvm::PoisonValue::get(type));
  }
  if (!rmw || smallFloat(element) || bitsOf(type) < 8 || (type->isVectorTy() && !isPair))
    return fail(op, "has no atomic `" + wave::stringifyAtomicKind(kind) + "` of this type");
  llvm::Value *old = under(mask, type, [&]() -> llvm::Value * {
    llvm::AtomicRMWInst *atomic = b.CreateAtomicRMW(
        *rmw, pointer, value, llvm::Align(bitsOf(type) / 8), llvm::AtomicOrdering::Monotonic,
        isShared ? e.blockScope() : e.deviceScope());
    e.markAtomic(*atomic);
    return atomic;
  });
  return done(op, old);
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerMemory(mlir::Operation &op) {
  auto must = [&](bool emitted) { return emitted ? success() : unsupported(op); };
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      .Case([&](wave::SharedReadOp read) {
        if (read.getBlock())
          return unsupported(op);
        llvm::Type *type = typeOf(read.getResult().getType());
        // Where the assembler moves reads as it likes, nothing is won. An atomic read would lose
        // the alias tag, and LLVM would wait for copies in front of it.
        bool stays = read.getStays() && e.target.keepsOrder && !carrierType(type)->isVectorTy();
        // What takes the pair as a word makes it a read of one where it stands itself, which is
        // behind what has been planned behind the read.
        bool isWord = traits.keepOrder && bitsOf(type) == 32;
        llvm::LoadInst *load = b.CreateAlignedLoad(
            isWord ? b.getInt32Ty() : carrierType(type),
            sharedPointer(read.getOffset(), read.getImm()),
            naturalAlign(wave::bitsOf(read.getResult().getType()) / 8), traits.keepOrder || stays);
        e.markSharedAccess(*load);
        llvm::Value *value = isWord ? b.CreateBitCast(load, carrierType(type)) : load;
        return done(op, fromCarrier(value, type));
      })
      .Case([&](wave::SharedWriteOp write) {
        llvm::Align align = naturalAlign(wave::bitsOf(write.getValue().getType()) / 8);
        under(write.getMask(), nullptr, [&]() -> llvm::Value * {
          llvm::StoreInst *store =
              b.CreateAlignedStore(toCarrier(at(write.getValue())),
                                   sharedPointer(write.getOffset(), write.getImm()), align);
          e.markSharedAccess(*store);
          return store;
        });
        return success();
      })
      .Case([&](wave::SharedAtomicOp atomic) {
        return lowerAtomic(op, atomic.getKind(), at(atomic.getValue()),
                           sharedPointer(atomic.getOffset(), 0), atomic.getMask(), true);
      })
      .Case([&](wave::LdMatrixOp read) {
        return done(op, e.ldMatrix(sharedPointer(read.getOffset(), read.getImm()),
                                   typeOf(read.getResult().getType()), read.getTrans()));
      })
      .Case([&](wave::SharedReadTrOp read) {
        return done(op, e.sharedReadTr(sharedPointer(read.getOffset(), read.getImm()),
                                       typeOf(read.getResult().getType())));
      })
      .Case([&](wave::GlobalReadOp read) { return lowerGlobalRead(read); })
      .Case([&](wave::GlobalWriteOp write) {
        if (write.getMask() && write.getOffset().getType().isIndex() &&
            e.maskedStore(toCarrier(at(write.getValue())), at(write.getBase()),
                          at(write.getOffset()), at(write.getMask()), write.getAlign()))
          return success();
        under(write.getMask(), nullptr, [&]() -> llvm::Value * {
          return b.CreateAlignedStore(toCarrier(at(write.getValue())),
                                      globalPointer(write.getBase(), write.getOffset()),
                                      llvm::Align(write.getAlign()));
        });
        return success();
      })
      .Case([&](wave::GlobalAtomicOp atomic) {
        llvm::Value *pointer = globalPointer(atomic.getBase(), atomic.getOffset());
        return lowerAtomic(op, atomic.getKind(), at(atomic.getValue()), pointer, atomic.getMask(),
                           false);
      })
      .Case([&](wave::LoadToSharedOp copy) {
        if (!llvm::is_contained(e.target.asyncCopies.bytes, copy.getBytes()))
          return fail(op, "moves " + llvm::Twine(copy.getBytes()) + " bytes a lane, which " +
                              llvm::StringRef(nameOf(e.target.arch)) + " cannot");
        llvm::Value *pointer =
            b.CreateGEP(b.getInt8Ty(), e.shared, uniformAt(copy.getShared()), "dst");
        return must(e.loadToShared(at(copy.getDesc()), at(copy.getVoffset()),
                                   uniformAt(copy.getSoffset()), pointer, copy.getImm(),
                                   copy.getBytes()));
      })
      .Case([&](wave::CpAsyncOp copy) {
        int64_t bytes = copy.getBytes();
        if (!llvm::is_contained(e.target.asyncCopies.bytes, bytes))
          return fail(op, "moves " + llvm::Twine(bytes) + " bytes a lane, which " +
                              llvm::StringRef(nameOf(e.target.arch)) + " cannot");
        llvm::Value *sourceBytes =
            copy.getMask() ? b.CreateSelect(at(copy.getMask()), b.getInt32(bytes), b.getInt32(0))
                           : nullptr;
        llvm::Value *source = globalPointer(copy.getBase(), copy.getOffset());
        return must(
            e.cpAsync(sharedPointer(copy.getShared(), copy.getImm()), source, bytes, sourceBytes));
      })
      .Default([&](mlir::Operation *other) { return unsupported(*other); });
}

} // namespace tilec::lower

//===- KernelLowering.cpp - one wave.kernel to one llvm::Function ---------===//
//
// Takes a wave.kernel, walks over its ops and hands each to the function of its kind; signature,
// blocks and locations are made here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "Types.h"

#include "tilec/IR/Tile/Tile.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::lower {

using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

llvm::CallInst *Emitter::call(llvm::StringRef intrinsic, llvm::ArrayRef<llvm::Type *> overloads,
                              llvm::ArrayRef<llvm::Value *> args) {
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(intrinsic);
  assert(id != llvm::Intrinsic::not_intrinsic && "a misspelt intrinsic");
  return b.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&module, id, overloads), args);
}

/// "file:line:column: " of the innermost place in a file, or nothing.
static std::string placeOf(mlir::Location location) {
  std::optional<SourcePlace> place = sourcePlaceOf(location);
  if (!place)
    return "";
  return (place->file + ":" + llvm::Twine(place->line) + ":" + llvm::Twine(place->column) + ": ")
      .str();
}

LogicalResult KernelLowering::fail(mlir::Operation &op, const llvm::Twine &text) {
  error = placeOf(op.getLoc()) + "`" + op.getName().getStringRef().str() + "` " + text.str();
  return failure();
}

LogicalResult KernelLowering::unsupported(mlir::Operation &op) {
  return fail(op, "has no counterpart on " + llvm::StringRef(nameOf(e.target.arch)));
}

llvm::Type *KernelLowering::typeOf(mlir::Type type) const { return llvmType(type, context); }

LogicalResult KernelLowering::done(mlir::Operation &op, llvm::Value *value) {
  if (!value)
    return error.empty() ? unsupported(op) : failure();
  map(op.getResult(0), value);
  return success();
}

/// A shared address that is used with several offsets outside the block that makes it is worth a
/// register of its own: LLVM would otherwise keep one for each offset beyond its folding rules
/// (../reference/amdgpu-codegen.md 1.1 counted 14 for 4).
static bool wantsPin(mlir::Value value) {
  if (!value.getType().isIndex())
    return false;
  for (mlir::OpOperand &use : value.getUses())
    if (mlir::isa<wave::SharedReadOp, wave::SharedReadTrOp>(use.getOwner()) &&
        use.getOwner()->getBlock() != value.getParentBlock())
      return true;
  return false;
}

void KernelLowering::map(mlir::Value from, llvm::Value *to) {
  values[from] = to;
  if (!llvm::isa<llvm::Constant>(to) && wantsPin(from))
    pinned[from] = e.pinAddress(to);
}

bool KernelLowering::isUniform(mlir::Value value) {
  auto known = uniformity.find(value);
  if (known != uniformity.end())
    return known->second;
  bool result = false;
  mlir::Operation *op = value.getDefiningOp();
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    mlir::Operation *parent = argument.getOwner()->getParentOp();
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(parent);
    result = mlir::isa<wave::KernelOp>(parent) ||
             (loop && value == loop.getInductionVar() && isUniform(loop.getLowerBound()) &&
              isUniform(loop.getUpperBound()) && isUniform(loop.getStep()));
  } else if (mlir::isa<wave::BlockIdOp, wave::WaveIdOp, wave::UniformOp>(op)) {
    result = true;
  } else if (mlir::isa<wave::AddGlobalOp, wave::ExtractOp, wave::PackOp, wave::BitcastOp,
                       wave::OpaqueOp>(op) ||
             op->getName().getDialectNamespace() == "arith" ||
             op->getName().getDialectNamespace() == "math") {
    result = llvm::all_of(op->getOperands(), [&](mlir::Value v) { return isUniform(v); });
  }
  uniformity[value] = result;
  return result;
}

llvm::Value *KernelLowering::uniformAt(mlir::Value value) {
  return isUniform(value) ? at(value) : e.uniform(at(value));
}

llvm::BasicBlock *KernelLowering::newBlock(const char *name) {
  return llvm::BasicBlock::Create(context, name, function);
}

/// The descriptor stays in the parameter space, where TMA reads it: 128 bytes at a multiple of 64.
static void addTensorMapAttributes(llvm::Argument &argument) {
  llvm::LLVMContext &context = argument.getContext();
  llvm::Type *bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 128);
  argument.addAttr(llvm::Attribute::getWithByValType(context, bytes));
  argument.addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(64)));
  argument.addAttr(llvm::Attribute::get(context, "nvvm.grid_constant"));
}

KernelTraits KernelLowering::traitsOf() {
  KernelTraits t;
  t.name = kernel.getSymName().str();
  t.threads = kernel.getThreads();
  t.sharedBytes = kernel.getSharedBytes();
  t.minBlocks = kernel.getMinBlocks();
  t.cluster = kernel.getCluster();
  t.gridBlocks = kernel.getGridBlocks();
  t.keepOrder = kernel.getKeepOrder();
  kernel.walk([&](mlir::Operation *op) {
    if (auto id = mlir::dyn_cast<wave::BlockIdOp>(op))
      t.usesBlockId[id.getDim()] = true;
    t.hasRoles |= mlir::isa<wave::SetMaxRegsOp>(op);
    if (auto regs = mlir::dyn_cast<wave::AllocRegsOp>(op))
      t.arrayRegisters +=
          regs.getType().getCount() * ((wave::bitsOf(regs.getType().getElementType()) + 31) / 32);
  });
  return t;
}

LogicalResult KernelLowering::run() {
  traits = traitsOf();
  if (traits.sharedBytes > e.target.sharedBytes)
    return fail(*kernel, "needs " + llvm::Twine(traits.sharedBytes) +
                             " bytes of shared memory; a block of " +
                             llvm::StringRef(nameOf(e.target.arch)) + " has " +
                             llvm::Twine(e.target.sharedBytes));
  // LLVM's own names, and those of shared arrays.
  if (e.module.getNamedValue(traits.name) || llvm::StringRef(traits.name).starts_with("llvm."))
    return fail(*kernel, "has the name @" + traits.name + ", which is taken");
  llvm::SmallVector<llvm::Type *> parameters;
  for (mlir::BlockArgument argument : kernel.getBody().getArguments()) {
    llvm::Type *type = typeOf(argument.getType());
    if (!type || mlir::isa<wave::DescType>(argument.getType()))
      return fail(*kernel, "takes an argument of a type that no launch can give");
    parameters.push_back(type);
  }
  auto *type = llvm::FunctionType::get(b.getVoidTy(), parameters, false);
  function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, traits.name, e.module);
  if (lines)
    lines->beginKernel(*function, kernel.getLoc());
  b.SetInsertPoint(newBlock("entry"));
  if (lines)
    b.SetCurrentDebugLocation(lines->at(kernel.getLoc()));
  e.beginKernel(*function, traits);
  for (mlir::BlockArgument argument : kernel.getBody().getArguments()) {
    llvm::Argument *lowered = function->getArg(argument.getArgNumber());
    lowered->setName(
        mlir::cast<mlir::StringAttr>(kernel.getArgNames()[argument.getArgNumber()]).getValue());
    auto access =
        mlir::cast<mlir::StringAttr>(kernel.getArgAccess()[argument.getArgNumber()]).getValue();
    if (mlir::isa<wave::TensorMapType>(argument.getType())) {
      addTensorMapAttributes(*lowered);
    } else if (lowered->getType()->isPointerTy()) {
      lowered->addAttr(llvm::Attribute::getWithCaptureInfo(context, llvm::CaptureInfo::none()));
      // About this pointer only; nothing is claimed of others to the same memory.
      if (access == "r")
        lowered->addAttr(llvm::Attribute::ReadOnly);
    }
    map(argument, lowered);
  }
  if (failed(lowerBlock(kernel.getBody().front())))
    return failure();
  b.CreateRetVoid();
  return success();
}

LogicalResult KernelLowering::lowerBlock(mlir::Block &block) {
  for (mlir::Operation &op : block)
    if (!op.hasTrait<mlir::OpTrait::IsTerminator>() && failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult KernelLowering::lowerOp(mlir::Operation &op) {
  if (!lines)
    return lowerOpHere(op);
  // What is emitted behind a region belongs to its op again, not to the last op inside.
  int64_t id = mlir::isa<mlir::scf::ForOp>(op) ? tile::loopIdOf(op.getLoc()) : 0;
  int64_t outerLoop = id != 0 ? lines->enterLoop(id) : 0;
  llvm::DebugLoc outer = b.getCurrentDebugLocation();
  if (llvm::DebugLoc here = lines->at(op.getLoc()))
    b.SetCurrentDebugLocation(here);
  LogicalResult result = lowerOpHere(op);
  b.SetCurrentDebugLocation(outer);
  if (id != 0)
    lines->enterLoop(outerLoop);
  return result;
}

LogicalResult KernelLowering::lowerOpHere(mlir::Operation &op) {
  for (mlir::Type type : op.getResultTypes())
    if (!mlir::isa<wave::RegsType>(type) && !typeOf(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return fail(op, "gives " + text + ", which has no registers");
    }
  llvm::StringRef dialect = op.getName().getDialectNamespace();
  if (dialect == "arith")
    return lowerArith(op);
  if (dialect == "math")
    return lowerMath(op);
  if (dialect == "wave")
    return lowerWave(op);
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      .Case([&](mlir::scf::ForOp loop) { return lowerFor(loop); })
      .Case([&](mlir::scf::WhileOp loop) { return lowerWhile(loop); })
      .Case([&](mlir::scf::IfOp branch) { return lowerIf(branch); })
      .Default([&](mlir::Operation *other) { return fail(*other, "is no operation of Wave IR"); });
}

} // namespace tilec::lower

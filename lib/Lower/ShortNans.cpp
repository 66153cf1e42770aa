//===- ShortNans.cpp - which NaNs a kernel can meet -----------------------===//
//
// An operation on a NaN gives that NaN, quieted; one that makes a NaN gives 0x7fc00000 or
// 0xffc00000. What is not zero in a NaN's low half must have come from outside, and of bf16, whose
// f32 has zeros there, it cannot. So all operations are listed of which that holds; with any other
// that gives a float nothing is known.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ShortNans.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilec::lower {

static bool isShort(const llvm::APFloat &number) {
  return !number.isNaN() || (number.bitcastToAPInt().getZExtValue() & 0xffff) == 0;
}

static bool isShort(arith::ConstantOp constant) {
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    return isShort(number.getValue());
  auto numbers = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  return numbers && llvm::all_of(numbers.getValues<llvm::APFloat>(),
                                 [](const llvm::APFloat &number) { return isShort(number); });
}

/// Of an op that gives f32.
static bool givesShortNans(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isShort(constant);
  if (isa<arith::BitcastOp>(op))
    return false;
  if (isa<wave::SharedReadOp>(op)) // what the kernel has written
    return true;
  return isa<arith::ArithDialect, math::MathDialect, scf::SCFDialect>(op.getDialect()) ||
         isa<wave::GetOp, wave::ExtractOp, wave::PackOp, wave::ShuffleXorOp, wave::ShuffleOp,
             wave::ScanPartnerOp, wave::ReduceOp>(op);
}

/// Other types of floats, or other data in the bytes that are read as f32, would bring NaNs of
/// their own.
static bool isOfType(Type type) {
  Type element = wave::elementOf(type);
  return !isa<FloatType>(element) || element.isF32() || element.isBF16();
}

bool hasOnlyShortNans(wave::KernelOp kernel) {
  if (kernel.getLibraryMath() || llvm::any_of(kernel.getBody().front().getArgumentTypes(),
                                              [](Type type) { return isa<FloatType>(type); }))
    return false;
  bool readsShared = false, fillsShared = false;
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (auto write = dyn_cast<wave::SharedWriteOp>(op))
      fillsShared |= !wave::elementOf(write.getValue().getType()).isF32();
    fillsShared |= isa<wave::SharedAtomicOp, wave::LoadToSharedOp, wave::CpAsyncOp, wave::TmaLoadOp,
                       wave::StMatrixOp, wave::PipelineOp>(op);
    for (Type type : op->getResultTypes()) {
      if (!isOfType(type))
        return WalkResult::interrupt();
      if (!wave::elementOf(type).isF32())
        continue;
      if (!givesShortNans(*op))
        return WalkResult::interrupt();
      readsShared |= isa<wave::SharedReadOp>(op);
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted() && !(readsShared && fillsShared);
}

} // namespace tilec::lower

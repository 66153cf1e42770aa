//===- Steps.cpp - values whose last bit may matter -----------------------===//
//
// Follows a value through arithmetic and buffers; what reads a buffer, reads any of its elements.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Steps.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilec {

llvm::ArrayRef<Operation *> Steps::readersOf(Value root) {
  if (!isScanned)
    kernel.walk([&](Operation *op) {
      if (op->getNumRegions() == 0)
        for (Value read : accessesOf(op).reads)
          readers[read].push_back(op);
    });
  isScanned = true;
  return readers[root];
}

bool Steps::isReachedBy(Value value) {
  llvm::DenseSet<Value> seen = {value};
  SmallVector<Value> work = {value};
  auto add = [&](ValueRange values) {
    for (Value next : values)
      if (seen.insert(next).second)
        work.push_back(next);
  };
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (auto type = dyn_cast<tile::BufferType>(next.getType())) {
      if (isInteger(tile::dtypeOf(type.getElementType())))
        return true;
      for (Operation *reader : readersOf(next)) {
        add(reader->getResults());
        add(accessesOf(reader).writes);
      }
      continue;
    }
    for (Operation *user : next.getUsers()) {
      if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp,
              arith::FPToSIOp, arith::FPToUIOp, arith::RemFOp, arith::CmpFOp>(user))
        return true;
      add(isa<scf::YieldOp>(user) ? user->getParentOp()->getResults() : user->getResults());
      if (user->getNumRegions() == 0)
        add(accessesOf(user).writes);
    }
  }
  return false;
}

} // namespace tilec

//===- FragmentRegisters.cpp - registers that fragments take -------------===//
//
// Adds up the fragments of a kernel, each spread evenly over its lanes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/FragmentRegisters.h"

#include "Layouts/GemmPlan.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

int64_t fragmentRegisters(tile::KernelOp kernel, const TargetInfo &target) {
  int64_t lanes = target.waveLanes * wavesOf(kernel, target), registers = 0;
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    if (type.isFragment())
      registers +=
          ceilDiv(type.numElems() * bytesOf(tile::dtypeOf(type.getElementType())), 4 * lanes);
  });
  return registers;
}

} // namespace tilec

//===- Reduce.cpp - reductions over registers, lanes and waves ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Emitter.h"

using namespace mlir;

namespace tilec {

LogicalResult Emitter::emitReduce(tile::ReduceOp reduce, Elements &elements) {
  return unsupported(*reduce, "a reduction");
}

} // namespace tilec

//===- Scalars.h - instructions of arith and math -------------------------===//
//
// Takes an op of arith or math, gives the function that computes it over the lanes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

namespace tilec::reference {

/// Fills `run`, `imm` and `aux` of an instruction whose slots are the op's operands and result.
/// Returns false when the op has no meaning here.
bool selectArith(mlir::Operation *op, Instr &instr);
bool selectMath(mlir::Operation *op, Instr &instr);

/// Whether the result of a math op is rounded correctly by every device.
bool isTranscendental(mlir::Operation *op);

inline Rep repOf(mlir::Type type) {
  return type.isF32() ? Rep::F32 : type.isF64() ? Rep::F64 : Rep::Int;
}
/// Bits of an integer scalar. An index has the 32 of devices: int32 arithmetic in an index is one,
/// and wraps; what needs more is i64 (lib/Import/Ranges.cpp).
inline unsigned widthOf(mlir::Type type) {
  auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  return integer ? integer.getWidth() : 32;
}
/// How an integer scalar is held: sign-extended, i1 as 0 or 1.
inline int64_t canonInt(int64_t value, unsigned bits) {
  return bits == 1 ? value & 1 : wrapInt(value, bits);
}
inline uint64_t asUnsigned(int64_t value, unsigned bits) {
  return bits >= 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << bits) - 1);
}
inline int64_t asSigned(int64_t value, unsigned bits) { return bits == 1 ? -(value & 1) : value; }

template <typename In, typename Out, auto Fn> void mapUnary(Frame &frame, const Instr &instr) {
  const In *__restrict a = frame.at<In>(instr.a);
  Out *__restrict dst = frame.at<Out>(instr.dst);
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = Fn(a[lane]);
}

template <typename In, typename Out, auto Fn> void mapBinary(Frame &frame, const Instr &instr) {
  const In *__restrict a = frame.at<In>(instr.a);
  const In *__restrict b = frame.at<In>(instr.b);
  Out *__restrict dst = frame.at<Out>(instr.dst);
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = Fn(a[lane], b[lane]);
}

} // namespace tilec::reference

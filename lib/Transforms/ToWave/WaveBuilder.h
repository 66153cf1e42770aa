//===- WaveBuilder.h - arithmetic of a wave, elements as values -----------===//
//
// Takes values of the kernel, gives arithmetic on them: all that needs to know nothing of the
// program.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/IR/Wave/Wave.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilec {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Location;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

/// Writes what needs no knowledge of a kernel: index arithmetic, whose constants are folded and
/// stand once at the top; elements as memory has them and as scalar code does; vectors of them.
class WaveBuilder {
public:
  WaveBuilder(mlir::OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value index(int64_t value);
  Value addIndex(Value a, Value c); ///< null operands are 0
  Value addIndex(Value a, int64_t c);
  Value mulIndex(Value a, int64_t factor);
  Value divIndex(Value a, int64_t by); ///< a >= 0
  Value remIndex(Value a, int64_t by); ///< a >= 0
  Value andMasks(Value a, Value c);    ///< null: true

  Type memoryType(DType dtype);               ///< what a load of one element gives
  Type vectorOf(int64_t count, Type element); ///< the element itself for count 1
  /// Between memory types and scalar types; both may be vectors of `count`.
  Value toScalar(Value value, DType dtype);
  /// What `value` was before elements of that type were made f32; null: it was none.
  Value beforeExtension(Value value, Type element);
  /// The vector that `parts` are consecutive elements of, or those of it; null: they are not.
  Value vectorOfElements(ArrayRef<Value> parts);
  /// `isMoved`: an element of that type is stored as it was loaded.
  Value fromScalar(Value value, DType dtype, bool isMoved = false);
  /// Element widths below a byte: packed in device memory, a byte each on chip.
  static bool isPacked(DType dtype) { return bitsOf(dtype) < 8 && dtype != DType::Bool; }
  /// The lower four bits of a byte, extended as the dtype wants.
  Value lowNibble(Value byte, DType dtype);
  Value pack(ArrayRef<Value> parts);
  SmallVector<Value, 8> unpack(Value vector, int64_t count);

  mlir::OpBuilder &b;
  Location loc; ///< of what is being emitted
  /// What constants stand in front of.
  Operation *constantAnchor = nullptr;

private:
  Value decodeE2M1(Value code);
  Value encodeE2M1(Value value);
  Value elementwise(Value value, llvm::function_ref<Value(Value)> convert);

  llvm::DenseMap<int64_t, Value> constants;
};

/// A constant of an integer type, of `index`, or of vectors of them.
inline Value constantLike(mlir::OpBuilder &b, Location loc, Type type, int64_t value) {
  return mlir::arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

} // namespace tilec

//===- Wave.h - the wave dialect ------------------------------------------===//
//
// Includes what TableGen makes of WaveOps.td and its kin, and has the questions about sizes of
// types that all users of the dialect ask.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tilec/IR/Wave/WaveEnums.h.inc"

#include "tilec/IR/Wave/WaveDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilec/IR/Wave/WaveAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tilec/IR/Wave/WaveTypes.h.inc"

#define GET_OP_CLASSES
#include "tilec/IR/Wave/WaveOps.h.inc"

namespace tilec::wave {

/// What wave.ldmatrix and wave.stmatrix move: rows of a matrix, bytes of a row, and the most
/// matrices that one of them does.
constexpr int64_t matrixRows = 8, matrixRowBytes = 16, mostMatrices = 4;

/// `mask` of a sched_fence: what is no memory access may be moved across; accesses of shared memory
/// alone may.
constexpr int64_t arithmeticPasses = 0xf, sharedPasses = 0x380;

/// Which part of a `wave.pipeline` the op is; null where it is none.
StepAttr stepOf(mlir::Operation *op);
/// Null takes it away. Only what may be a step is asked to be one.
void setStep(mlir::Operation *op, StepAttr step);

/// Whether the op, or one in it, copies to shared memory without waiting for it.
bool startsCopies(mlir::Operation *op);

/// Bits of an integer, a float or a vector of them; index counts 32.
int64_t bitsOf(mlir::Type type);
/// Elements of a vector; 1 for a scalar.
int64_t elementsOf(mlir::Type type);
/// The element of a vector, or the scalar type itself.
mlir::Type elementOf(mlir::Type type);

} // namespace tilec::wave

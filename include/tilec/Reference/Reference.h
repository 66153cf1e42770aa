//===- Reference.h - the cpu device ---------------------------------------===//
//
// Executes a tile.program block by block, in order, with the semantics that every
// other device is compared with: docs/simulators/reference-device.md. Takes Tile IR of any tile
// stage (layouts and async copies included; neither changes a result) and buffers in
// host memory; gives the buffers' new contents or the first error.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

namespace tilec {

/// One tensor in host memory. 4-bit elements are packed two a byte, low nibble first. The strides
/// that the program gives the parameter say how a device keeps it; here they do not matter.
struct ReferenceTensor {
  void *data = nullptr;
  int64_t sizeBytes = 0;
  llvm::SmallVector<int64_t, 4> shape = {};
  llvm::SmallVector<int64_t, 4> strides = {}; ///< of `data`, in elements; empty: row-major, dense
};

struct ReferenceArgs {
  llvm::StringMap<ReferenceTensor> tensors;
  /// Scalar parameters; rounded or wrapped to the parameter's dtype.
  llvm::StringMap<std::variant<int64_t, double>> scalars;
  /// Symbolic dimensions. One that is an extent of a tensor may be left out.
  llvm::StringMap<int64_t> dims;
};

struct ReferenceOptions {
  enum class Accumulate {
    F64,          ///< normative: each tile op accumulates in f64 (f64 data: in twice its
                  ///< precision) and rounds once
    SequentialF32 ///< r2 of the agreement rule: in order, in f32 (f64 data: in f64)
  };
  Accumulate accumulate = Accumulate::F64;
  /// A store to a 16-bit or narrower float whose value is within 2^-16 of the middle between two
  /// neighbours takes the other one: what a device may do whose f32 values differ a little.
  bool crossTies = false;
  /// Every float sum of a tile op or recognised reduction that is held in f32 or f64 is moved to a
  /// neighbouring value: what a device may do that adds in another order.
  bool moveSums = false;
  /// Float sums of `tile.gemm` with operands of at most 16 bits, of `tile.reduce`, scans, atomics
  /// and loops that are reductions are moved up or down by the last bit that a float32 of the size
  /// of their partial sums has, unless they are exact in every order: what a device may lose that
  /// adds in another order than this run, which often loses nothing where the terms have few bits.
  bool spreadSums = false;
  /// Not 0: sums of products of floats of 16 bits and less keep so many significant bits and lose
  /// the rest, `sumGroup` products at a time, as NVIDIA's tensor cores do. Where it was measured:
  /// docs/decisions/0006-spread-before-rounding.md.
  unsigned sumBits = 0;
  int64_t sumGroup = 8;
  /// The same for e4m3fn and e5m2, where they have sums of their own (0: those above): wgmma keeps
  /// fewer bits of them.
  unsigned fp8SumBits = 0;
  int64_t fp8SumGroup = 32;
  /// Instructions times lanes, and elements of tile ops, after which the run is given up.
  int64_t maxSteps = int64_t(1) << 42;
  /// A parameter that is not given is one that the compiled program does not use, so that its
  /// manifest does not list it: a tensor of unset elements, a scalar or dimension of 1.
  bool unusedMayBeMissing = false;
  /// An element of a tensor that one block of a launch writes and another one uses is an error.
  bool checkBlocks = false;
  /// Receives what `tile.print` prints; standard output when empty.
  std::function<void(const std::string &)> print;
};

/// Runs all kernels of `program` in order. Fails on arguments that do not fit the parameters, on an
/// element access outside a shared, fragment or local buffer, a false tile.assert or tile.assume,
/// an integer division by zero, too many steps, and on an op that has no meaning here (anything but
/// tile, arith, math and scf.if); the message begins with the op's place.
llvm::Error runReference(tile::ProgramOp program, const ReferenceArgs &args,
                         const ReferenceOptions &options = {});

/// A copy of a program in which results are not rounded on their way out: tensors of 16-bit and
/// narrower floats that are only written, and tiles that only carry values to them, hold f32. Their
/// values then show how far two runs differ where rounding would hide it. (A tensor that is also
/// read, accumulated into by a tile op or updated atomically stays as it is.)
struct UnroundedProgram {
  mlir::OwningOpRef<tile::ProgramOp> program;
  llvm::StringMap<DType> tensors; ///< parameters that have another dtype now
  bool roundsInside = false;      ///< some value is still rounded to 16 bits or less on the way
};
UnroundedProgram withUnroundedOutputs(tile::ProgramOp program);
/// As above; besides, floats that atomics add to hold f64, so that no addition rounds: the sum that
/// every order of them is compared with.
UnroundedProgram withExactSums(tile::ProgramOp program);

/// Whether a kernel computes with a float sum of its own, so that another order of additions shows
/// in more than the sum.
bool computesWithSums(tile::ProgramOp program);

/// Whether any kernel calls a function whose result is not exactly rounded by hardware (exp, log,
/// sin, tanh, rsqrt, pow ...): the agreement rule then allows a little more.
bool usesTranscendentals(tile::ProgramOp program);

} // namespace tilec

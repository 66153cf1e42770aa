//===- GemmRival.h - a matrix product as vendors' libraries take it -------===//
//
// What a matrix product is for a library: extents, strides, types and scales.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Rivals.h"

namespace tilec::rt {

/// The row-major C = op(A) op(B). Libraries are column-major: for them it is C' = op(B)' op(A)'.
struct GemmProduct {
  std::string a, b, c, scaleA, scaleB; ///< names of tensors; scales may be empty
  bool aTransposed = false, bTransposed = false;
  int m = 0, n = 0, k = 0;
  int aType = -1, bType = -1, cType = -1; ///< cudaDataType_t
  bool isInteger = false, isFp8 = false;

  int lda() const { return aTransposed ? m : k; }
  int ldb() const { return bTransposed ? k : n; }
};

/// How far two libraries' results may be apart: Rival::tolerance. Tensor cores add fp8 products
/// with 14 bits.
double toleranceOf(const GemmProduct &product);

/// alpha and beta of one product: the value 1 and 0 in the type of the sums.
struct GemmFactors {
  float one = 1, zero = 0;
  int32_t oneInt = 1, zeroInt = 0;
  const void *alpha(bool isInteger) const { return isInteger ? (const void *)&oneInt : &one; }
  const void *beta(bool isInteger) const { return isInteger ? (const void *)&zeroInt : &zero; }
};

/// The text of an option behind its library: `FORM:A,B,C[,SCALE_A,SCALE_B]`, or nothing where the
/// kernel's tensors can be one product only.
Result<GemmProduct> parseProduct(const std::string &spec, const ArgumentSet &arguments);

Result<Rival> cublasRival(const GemmProduct &product, const std::string &path);
Result<Rival> cublasLtRival(const GemmProduct &product, const Device &device,
                            const std::string &path);

} // namespace tilec::rt

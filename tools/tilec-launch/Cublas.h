//===- Cublas.h - a vendor's matrix product to compare with ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Launch.h"

namespace tilec::launch {

/// A rival that computes C = op(A) op(B) with cublasGemmEx, f32 accumulation (int32 for int8).
/// `spec` is `FORM:A,B,C` with the names of the tensors and the form `nn`, `nt`, `tn` or `tt`:
/// which of the row-major A and B are stored transposed.
///
/// Fails when the shapes are no matrix product, when cuBLAS knows no such types, and where there is
/// no cuBLAS. Must be made after the device was opened: the library uses its context.
rt::Result<rt::Rival> cublasGemm(const std::string &spec, const rt::ArgumentSet &arguments,
                                 const std::string &library);

} // namespace tilec::launch

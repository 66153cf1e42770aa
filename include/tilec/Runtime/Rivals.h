//===- Rivals.h - vendors' libraries to compare with ----------------------===//
//
// Found on the host at run time; nothing links them. docs/runtime.md has the options.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Launch.h"

namespace tilec::rt {

/// A rival from the text of an option, `LIBRARY[:FORM:A,B,C[,SCALE_A,SCALE_B]]` or `copy:FROM,TO`:
///
/// - `cublas`: cublasGemmEx; `cublaslt`: the fastest of what cublasLt's heuristics propose, with
/// fp8
///   in its fast accumulation and the scales (tensors of one f32) where they are named.
/// - `copy`: the driver copies one tensor to another of the same size. Nothing is compared.
/// - FORM is nn, nt, tn or tt: which of the row-major A and B are stored transposed. C = op(A)
///   op(B), sums in f32 (int32 for int8).
/// - Without a form the kernel must have one product only that its tensors' shapes allow.
///
/// `libraryPath` replaces the library's usual names. Fails when the shapes are no matrix product,
/// when the library knows no such types, and where there is no such library. Must be made after the
/// device was opened, which must be a CUDA device: the libraries use its context.
Result<Rival> openRival(const std::string &spec, const ArgumentSet &arguments, const Device &device,
                        const std::string &libraryPath = {});

} // namespace tilec::rt

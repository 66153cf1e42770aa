//===- Rivals.h - vendors' libraries to compare with ----------------------===//
//
// Found on the host at run time; nothing links them. docs/deploy/runtime.md has the options.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Launch.h"

namespace tilec::rt {

/// A rival from the text of an option:
///
/// - `cublas[:FORM:A,B,C]`: cublasGemmEx. FORM is nn, nt, tn or tt: which of the row-major A and B
///   are stored transposed. C = op(A) op(B), sums in f32 (int32 for int8).
/// - `cublaslt[:FORM:A,B,C[,SCALE_A,SCALE_B]]`: the fastest of what cublasLt's heuristics propose,
///   with fp8 in its fast accumulation and the scales (tensors of one f32) where they are named.
/// - `cudnn[:FORM][:Q,K,V,O]`: cuDNN's attention forward, the fastest of what its heuristics
///   propose; `Attention` of AttentionRival.h says what it computes. FORM is the order of the
///   dimensions, bshd where none is given, with `+causal` for a causal mask.
/// - `copy:FROM,TO`: the driver copies one tensor to another of the same size. Nothing is compared.
///
/// Without names the kernel's tensors must allow one product, or one attention, only.
///
/// `libraryPath` replaces the library's usual places. Fails when the shapes are no such product or
/// attention, when the library knows no such types, and where there is no such library. Must be
/// made after the device was opened, which must be a CUDA device: the libraries use its context.
Result<Rival> openRival(const std::string &spec, const ArgumentSet &arguments, const Device &device,
                        const std::string &libraryPath = {});

} // namespace tilec::rt

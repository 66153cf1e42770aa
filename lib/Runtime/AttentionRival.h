//===- AttentionRival.h - attention as vendors' libraries take it ---------===//
//
// What an attention is for a library: tensors, strides, scale and mask.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Rivals.h"

#include <array>

namespace tilec::rt {

/// One tensor, its dimensions in the order batch, head, row, element of a head.
struct AttentionTensor {
  std::string name;
  std::array<int64_t, 4> dims = {}, strides = {}; ///< strides in elements
};

/// O = softmax(Q K' / sqrt(size of a head)) V for every batch and head; heads of Q share those of K
/// and V in groups. Causal: row i of Q sees the rows 0 to i of K.
struct Attention {
  AttentionTensor q, k, v, o;
  DType dtype = DType::F16; ///< of all four; sums are f32
  bool isCausal = false;

  float scale() const;
  /// Rival::tolerance: 4 u, where u is half a unit in the last place of 1. Both sides round each
  /// weight before it multiplies V, by 0.4 u of it in the mean square. A row's errors add up as its
  /// elements do, so they are noise of 0.4 u of the row, and two rows differ by 0.57 u of it: 4 u
  /// is seven times the noise, which no element of a large tensor reaches, while weights that are
  /// wrong by a hundredth do.
  double tolerance() const;
};

/// The text of an option behind its library: `[FORM[:Q,K,V,O]]` or `Q,K,V,O`. FORM has words
/// between `+`: the order of the tensors' dimensions as letters b, h, s and d (bshd where none is
/// given; b and h may be missing), and `causal`. Without names the kernel's tensors of that many
/// dimensions must be three that are read, in this order, and one that is written.
Result<Attention> parseAttention(const std::string &spec, const ArgumentSet &arguments);

/// cuDNN's attention: the fastest of what its heuristics propose.
Result<Rival> cudnnRival(const Attention &attention, const Device &device, const std::string &path);

} // namespace tilec::rt

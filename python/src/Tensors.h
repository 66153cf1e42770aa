//===- Tensors.h - what a kernel wants to know of a Python tensor ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"
#include "DLPack.h"

#include <array>
#include <optional>

namespace tilec::python {

constexpr int maxRank = 16;

struct TensorView {
  uint64_t address = 0;
  int32_t deviceType = 0, device = 0;
  const char *dtype = nullptr; ///< of the manifest; null: one that kernels do not take
  bool readOnly = false;
  int rank = 0;
  std::array<int64_t, maxRank> shape{}, strides{}; ///< in elements
};

/// Looks into a tensor of torch, cupy, or anything that speaks `__dlpack_c_exchange_api__`,
/// `__cuda_array_interface__` or `__dlpack__`. False where `object` is no tensor; the interpreter's
/// exception where it is one that cannot be looked into.
bool viewTensor(nb::handle object, TensorView &view);

/// The stream that the framework of `object` works on; nothing where it does not say.
std::optional<uint64_t> streamOf(nb::handle object, const TensorView &view);

} // namespace tilec::python

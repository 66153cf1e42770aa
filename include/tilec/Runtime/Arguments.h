//===- Arguments.h - the arguments of a run, on the host ------------------===//
//
// Turns what a user gives (`--arg`, `--dim`, `--seed`) and what a manifest declares
// into tensors, scalars and the values of all dims. Every device, the cpu reference
// included, starts from the same ArgumentSet.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Data.h"
#include "tilec/Runtime/Manifest.h"

namespace tilec::rt {

/// One argument with its data.
struct Argument {
  Param param;                  ///< a tensor or a scalar
  HostTensor tensor;            ///< of a tensor
  std::vector<int64_t> strides; ///< of a tensor, in elements
  uint64_t scalarBits = 0;      ///< of a scalar, in the low bits
};

struct ArgumentSet {
  std::vector<Argument> list; ///< in the order of Manifest::arguments()
  DimValues dims;             ///< dims, strides and integer scalars by name

  Argument *find(std::string_view name);
  const Argument *find(std::string_view name) const;
};

struct ArgumentRequest {
  std::vector<ArgSpec> specs;
  DimValues dims; ///< given sizes, and strides of strided tensors
  uint32_t seed = 0;
};

/// Reads the texts of `--arg` and `--dim`. What is malformed, or given twice, is an error that
/// names the option and its text.
Result<ArgumentRequest> parseRequest(const std::vector<std::string> &args,
                                     const std::vector<std::string> &dims, uint32_t seed);

/// Makes all arguments. A dim takes its value from `--dim`, else from the shape of an .npy file,
/// else there is an error that says so; a stride is that of a dense tensor unless given. Tensors
/// without a spec are `randn` where the kernel reads them, else prefilled (Data.h); scalars need a
/// spec.
Result<ArgumentSet> makeArguments(const Manifest &manifest, const ArgumentRequest &request);

} // namespace tilec::rt

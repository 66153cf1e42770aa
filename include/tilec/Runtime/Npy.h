//===- Npy.h - NumPy's array files ----------------------------------------===//
//
// Formats 1.0, 2.0 and 3.0, little-endian, C order (numpy/lib/format.py is the
// specification). bfloat16, fp8 and fp4 have no NumPy type: they are stored as
// unsigned integers of the same width (4-bit ones two a byte, low nibble first),
// and ml_dtypes' `V2` and `V1` are read as well.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/HostTensor.h"

#include <string>

namespace tilec::rt {

/// A file as it is, before anything says what its bytes mean.
struct NpyArray {
  std::string descr; ///< `<f4`, `|u1`, `|V2` ...
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

Result<NpyArray> readNpy(const std::string &path);
/// As readNpy, of a file's contents.
Result<NpyArray> parseNpy(std::string_view contents);

/// Reads the array as elements of `dtype`; fails when the file's type is not how `dtype` is stored.
/// A 4-bit dtype doubles the last extent.
Result<HostTensor> asTensor(NpyArray array, DType dtype);

Status writeNpy(const std::string &path, const HostTensor &tensor);
/// The header of the file that writeNpy writes; the tensor's bytes follow it.
std::string npyHeader(const HostTensor &tensor);

/// A whole file. Fails with the path and the system's reason.
Result<std::string> readFile(const std::string &path);
/// Written beside and renamed: whoever reads `path` finds what it held before or all of `contents`,
/// also when writing fails or is cut short.
Status writeFile(const std::string &path, std::string_view contents);

} // namespace tilec::rt

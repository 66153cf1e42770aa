//===- DeviceLibrary.h - the vendors' functions in bitcode ----------------===//
//
// ROCm's device libraries (ocml) and CUDA's libdevice: functions that tilec has no
// expansion for, those of f64 among them. They are linked in process, and only what is
// used of them becomes part of a kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace llvm {
class Module;
}

namespace tilec::codegen {

/// The file of the library for a vendor's chips. Looked for at each call.
///
/// AMD: `ocml.bc` in $TILEC_ROCM_DEVICE_LIBS, else in ROCm's folders below $ROCM_PATH and
/// /opt/rocm, else where Debian's package rocm-device-libs puts it. NVIDIA: `libdevice.10.bc`, the
/// file $TILEC_LIBDEVICE, else in the CUDA toolkits where ptxas is looked for, and the one of ptxas
/// itself. `none` in a variable: there is none.
std::optional<std::string> findDeviceLibrary(Vendor vendor);

/// What to say where there is none: `ROCm's device libraries`, and how to get them.
struct LibraryAdvice {
  llvm::StringRef name, advice;
};
LibraryAdvice deviceLibraryAdvice(Vendor vendor);

/// The library by path, size and time of change, or that there is none: part of the key of what is
/// kept of compiles.
std::string deviceLibraryIdentity(Vendor vendor);

/// The library's name for `function` (`sin`, `pow`, and `powi` with an integer) on f32 or f64.
std::string libraryFunctionName(Vendor vendor, llvm::StringRef function, bool isDouble);

/// Gives bodies to the functions of the library that `module` declares and calls, and puts them
/// into their callers. Nothing happens where it calls none. The constants by which the library
/// knows chip and modes are defined here: a library may be older than the chip.
llvm::Error linkDeviceLibrary(llvm::Module &module, Arch arch);

} // namespace tilec::codegen

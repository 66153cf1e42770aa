//===- HsacoLinker.h - one AMDGPU object to one code object ---------------===//
//
// lld cannot run inside a compiling process: it is not thread-safe and resets every
// cl::opt. A code object made of one relocatable object needs little of a linker,
// so linkHsaco does it in memory, byte for byte as ld.lld lays it out; anything it
// does not know goes to ld.lld as a child process.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace tilec::codegen {

/// The default text of the .comment section.
extern const char *const hsacoLinkerComment;

/// What linkHsaco says about an object that a linker could handle and it cannot: sections such as
/// .data, or relocations that need a dynamic one.
class NeedsFullLinker : public llvm::ErrorInfo<NeedsFullLinker> {
public:
  static char ID;
  explicit NeedsFullLinker(std::string reason) : reason(std::move(reason)) {}
  void log(llvm::raw_ostream &os) const override { os << "cannot link this object: " << reason; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string reason;
};

/// Links `object` (ET_REL) to a shared code object (ET_DYN). The bytes are those of
/// `ld.lld --no-undefined -shared` (LLVM 22) with `comment` in the place of lld's own.
/// Fails with NeedsFullLinker, or with a message about undefined symbols or a malformed object.
llvm::Expected<std::vector<uint8_t>> linkHsaco(llvm::ArrayRef<uint8_t> object,
                                               llvm::StringRef comment = hsacoLinkerComment);

/// The same by ld.lld-22 or ld.lld as a child process ($TILEC_LLD, else from PATH).
llvm::Expected<std::vector<uint8_t>> linkHsacoWithLld(llvm::ArrayRef<uint8_t> object);

} // namespace tilec::codegen

//===- InvalidIr.h - the error for LLVM IR that does not verify -----------===//
//
// A fault of whoever made the IR, never of the script: told apart from what a user can
// change, so that the driver can say so.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tilec::codegen {

class InvalidIr : public llvm::ErrorInfo<InvalidIr> {
public:
  static char ID;

  explicit InvalidIr(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string text; ///< with what the verifier says
};

} // namespace tilec::codegen

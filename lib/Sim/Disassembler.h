//===- Disassembler.h - LLVM's decoder and printer for one chip -----------===//
//
// Takes bytes, gives the mnemonic and operands that LLVM prints for one chip.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>

namespace tilec::sim {

/// One decoded instruction as the assembler writes it.
struct AsmText {
  std::string text; ///< mnemonic, operands and modifiers; empty when undecodable
  uint32_t sizeBytes = 0;
};

/// Not thread-safe.
class Disassembler {
public:
  static llvm::Expected<std::unique_ptr<Disassembler>> create(llvm::StringRef cpu);
  ~Disassembler();
  /// Decodes the instruction at the start of `bytes`.
  AsmText decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address) const;

private:
  Disassembler();
  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace tilec::sim

//===- Names.h - the names of a kernel while it is parsed -----------------===//
//
// Takes declarations and uses in the order of the text, gives numbers of registers and targets of
// jumps.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Program.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>

namespace tilec::ptx {

/// Registers and labels belong to the block `{ }` that declares them; parameters and variables to
/// the kernel. Whatever an instruction reads is a register: constants get some of their own.
class Names {
public:
  explicit Names(Program &program) : program(program) { openBlock(); }

  void openBlock();
  /// A label that the block has used and nobody declares, with the line: it is an error.
  struct Label {
    std::string name;
    uint32_t line;
  };
  std::optional<Label> closeBlock();
  bool isOpen() const { return !scopes.empty(); }

  void declareRegister(llvm::StringRef name, uint8_t bytes);
  std::optional<uint32_t> registerOf(llvm::StringRef name) const;
  void declareLabel(llvm::StringRef name);
  /// Argument `arg` of the instruction that comes next is a label, perhaps one further down.
  void useLabel(llvm::StringRef name, size_t arg, uint32_t line);

  /// The registers that hold these.
  uint32_t constant(uint64_t value);
  uint32_t sharedAddress(uint64_t address, llvm::StringRef name);
  std::optional<uint32_t> special(llvm::StringRef name);

  /// Offsets of parameters and of variables in local memory.
  llvm::StringMap<uint64_t> offsets;

  /// Tells the program what its registers begin with.
  void finish();

private:
  struct Use {
    Label label;
    size_t instruction, arg;
  };
  uint32_t newRegister(llvm::StringRef name, uint8_t bytes = 8);

  Program &program;
  std::vector<llvm::StringMap<uint32_t>> scopes;
  std::vector<llvm::StringMap<size_t>> labels;
  std::vector<Use> uses; ///< of labels
  std::map<uint64_t, uint32_t> constants, sharedAddresses;
  std::map<Special, uint32_t> specials;
};

} // namespace tilec::ptx

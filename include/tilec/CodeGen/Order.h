//===- Order.h - the planned order of a kernel's loops --------------------===//
//
// What a schedule fixes: the sequence of memory operations, MFMAs, waits, barriers
// and priorities of each loop, and what each of them works on. Taken from the LLVM
// IR that enters the code generator, to be compared with the disassembly of what
// comes out (tilec/Report/CheckOrder.h).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace tilec::codegen {

/// What an s_waitcnt waits for; a counter that it leaves alone is absent.
struct WaitCounts {
  std::optional<unsigned> vmcnt, lgkmcnt, expcnt;

  bool operator==(const WaitCounts &) const = default;
};
/// From the immediate of a gfx9 s_waitcnt.
WaitCounts decodeWaitCounts(int64_t immediate);
/// As the assembler writes it: `vmcnt(8) lgkmcnt(0)`.
std::string toString(const WaitCounts &counts);

/// Where an input of an MFMA comes from.
struct ValueSource {
  enum From : uint8_t {
    Outside, ///< of the loop, or a constant
    Read,    ///< the `ordinal`-th LDS read of the loop, `dword` of what it read
    Mfma,    ///< the result of the `ordinal`-th MFMA of the loop
    Other,   ///< computed in the loop
  } from = Outside;
  unsigned ordinal = 0;
  unsigned rounds = 0; ///< 0: of this round of the loop, 1: of the one before
  unsigned dword = 0;

  bool operator==(const ValueSource &) const = default;
};

/// A part of an address: something that is computed elsewhere, and a constant. `id` numbers the
/// values of one kernel.
struct AddressPart {
  enum Role : uint8_t { SharedAddress, Descriptor, LaneOffset, UniformOffset, DmaTarget } role;
  uint64_t id = 0;
  int64_t offset = 0; ///< in bytes

  bool operator==(const AddressPart &) const = default;
};

struct OrderedOp {
  enum Kind : uint8_t {
    Mfma,
    SharedRead,
    SharedWrite,
    SharedDma,
    GlobalLoad,
    GlobalStore,
    Barrier,
    Priority,
    Wait
  } kind;
  std::string text; ///< for messages: the IR or the assembly
  /// Mfma: the first registers of a, b and c, then those in the middle of a and of b: an operand
  /// may be two reads.
  llvm::SmallVector<ValueSource, 5> sources;
  llvm::SmallVector<AddressPart, 4> address; ///< SharedRead, SharedWrite, SharedDma
  int64_t level = 0;                         ///< Priority
  WaitCounts waits;                          ///< Wait
};

struct LoopOrder {
  std::vector<OrderedOp> ops;
  /// Loads and stores that LLVM may turn into scalar ones or split: global ones are then not
  /// compared.
  bool hasPlainGlobalAccesses = false;
  /// The script's loop that it is of (`#tile.loop`); 0: not known, as without line tables.
  unsigned sourceLoop = 0;
  /// Waits for lgkmcnt are those of `ops` too: LLVM may add none and strengthen none.
  bool hasExactLgkmWaits = false;
};

struct KernelOrder {
  std::string kernel;
  std::vector<LoopOrder> loops; ///< innermost ones with an MFMA or a DMA, in program order
};

/// The order of every kernel of an AMDGPU module.
std::vector<KernelOrder> plannedOrder(llvm::Module &module);

} // namespace tilec::codegen

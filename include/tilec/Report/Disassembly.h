//===- Disassembly.h - a code object as instructions, blocks and loops ----===//
//
// Any AMDGPU code object, ours or not, decoded in process by LLVM's MC layer. What
// reports and schedule checks read: each instruction with its class, registers,
// waits and branch target; basic blocks; natural loops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/CodeGen/KernelFacts.h"
#include "tilec/CodeGen/NaturalLoops.h"
#include "tilec/CodeGen/Order.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec::report {

enum class InstrKind : uint8_t {
  Mfma,         ///< matrix instructions, sparse ones too
  SharedRead,   ///< ds_read*
  SharedWrite,  ///< ds_write*
  SharedOther,  ///< LDS atomics
  LaneExchange, ///< ds_bpermute, ds_permute, ds_swizzle: the LDS crossbar, not its memory
  SharedDma,    ///< loads from global memory straight to LDS
  GlobalLoad,   ///< to registers: buffer, global, flat
  GlobalStore,
  GlobalAtomic,
  Scratch,         ///< scratch_*: spills and stack
  ScalarMemory,    ///< s_load*, s_buffer_load*, s_store*, cache control
  Vector,          ///< every other v_*
  AccumulatorMove, ///< v_accvgpr_*
  Scalar,          ///< every other s_*, writes of m0 included
  Wait,            ///< s_waitcnt*
  Barrier,
  Priority, ///< s_setprio
  Nop,      ///< s_nop, s_sleep
  Branch,
  End,     ///< s_endpgm
  Unknown, ///< not decodable
};
constexpr unsigned instrKindCount = static_cast<unsigned>(InstrKind::Unknown) + 1;
llvm::StringRef nameOf(InstrKind kind);

enum class RegisterFile : uint8_t { Vector, Accumulator, Scalar, M0, Vcc, Exec, Scc, Other };

/// `count` consecutive 32-bit registers of a file.
struct RegisterRange {
  RegisterFile file;
  uint16_t first = 0, count = 1;

  bool operator==(const RegisterRange &) const = default;
  bool overlaps(const RegisterRange &other) const {
    return file == other.file && first < other.first + other.count && other.first < first + count;
  }
};

using codegen::WaitCounts;

struct Instruction {
  uint64_t address = 0; ///< in the code object's address space
  unsigned bytes = 0;
  InstrKind kind = InstrKind::Unknown;
  std::string mnemonic;
  std::string operands; ///< as printed, without the mnemonic
  WaitCounts waits;     ///< of a Wait
  /// Where a Branch goes; absent for s_setpc and the like.
  std::optional<uint64_t> target;
  bool isConditional = false; ///< of a Branch
  unsigned sourceLoop = 0;    ///< see addSourceLoops
  int64_t immediate = 0;      ///< memory: the offset; s_setprio, s_nop: the operand
  llvm::SmallVector<RegisterRange, 2> writes;
  llvm::SmallVector<RegisterRange, 4> reads;

  bool writesFile(RegisterFile file) const;
  bool readsFile(RegisterFile file) const;
};

/// Instructions [begin, end) of a kernel; entered at the top and left at the bottom only.
struct BasicBlock {
  unsigned begin = 0, end = 0;
  llvm::SmallVector<unsigned, 2> successors;
};

using Loop = codegen::NaturalLoop; ///< its blocks are indices of KernelCode::blocks

struct KernelCode {
  codegen::KernelFacts facts;
  uint64_t address = 0; ///< of the entry
  std::vector<Instruction> instructions;
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops; ///< by header address

  /// The instructions of a loop in address order.
  std::vector<const Instruction *> loopInstructions(const Loop &loop) const;
  /// The script's loop that most instructions of a loop and of no loop in it are of; 0: none is.
  unsigned sourceLoopOf(const Loop &loop) const;
};

struct CodeObject {
  Arch arch = Arch::Gfx950;
  std::vector<KernelCode> kernels;

  const KernelCode *kernel(llvm::StringRef name) const;
};

/// Decodes every kernel of an AMDGPU object or code object. Bytes that are no instruction become
/// Unknown ones. Fails on anything that is not such a file, or for a chip that tilec does not know.
llvm::Expected<CodeObject> disassemble(llvm::ArrayRef<uint8_t> image);

/// Fills Instruction::sourceLoop from the line table of `image`, a code object that tilec has made
/// with line tables: the id of the loop (`#tile.loop`) is the discriminator. Of other objects, and
/// of instructions of no loop, it stays 0.
void addSourceLoops(CodeObject &object, llvm::ArrayRef<uint8_t> image);

} // namespace tilec::report

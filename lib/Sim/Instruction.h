//===- Instruction.h - a decoded instruction ------------------------------===//
//
// What the disassembler said, with operands resolved so that executing needs no
// look-up: registers are indices, constants are bits, modifiers are fields.
// Function, checks and timing all read this one form.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tilec::sim {

struct Wave;
struct Instr;
using ExecFn = void (*)(Wave &, const Instr &);

/// How an operand's bits are read; decides what an inline constant such as 1.0 means.
enum class Type : uint8_t {
  None,
  B32,
  I32,
  F32,
  B64,
  I64,
  F64,
  B16,
  F16,
  BF16,
  Packed16,
  Packed32
};

enum class OperandKind : uint8_t {
  None,
  Vgpr, ///< index into the unified file (accumulation registers already added)
  Sgpr, ///< index as encoded: 0-101 s, 106 vcc, 124 m0, 126 exec, ...
  Imm,
  Scc,
  Vccz,
  Execz,
  Off, ///< `off` of memory instructions
};

/// What SDWA selects.
enum class Sel : uint8_t { Dword, Word0, Word1, Byte0, Byte1, Byte2, Byte3 };

struct Operand {
  OperandKind kind = OperandKind::None;
  bool neg = false, abs = false, sext = false;
  Sel sel = Sel::Dword;
  uint16_t reg = 0;
  uint16_t dwords = 0;
  bool inlineFloat = false; ///< printed as 1.0 and the like; `imm` holds the final bits
  uint64_t imm = 0;

  bool isVgpr() const { return kind == OperandKind::Vgpr; }
  bool isSgpr() const { return kind == OperandKind::Sgpr; }
  bool isImm() const { return kind == OperandKind::Imm; }
  bool hasModifiers() const { return neg || abs || sext || sel != Sel::Dword; }
};

/// Encoded indices of the special scalar registers (fixed by the ISA's operand encoding).
enum SpecialSgpr : uint16_t {
  sgprFlatScratch = 102,
  sgprXnackMask = 104,
  sgprVcc = 106,
  sgprTtmp0 = 108,
  sgprM0 = 124,
  sgprExec = 126,
  numSgprSlots = 128,
};

/// Implicit operands and memory behaviour of an operation; all checks hang on these.
enum OpFlag : uint32_t {
  readsScc = 1u << 0,
  writesScc = 1u << 1,
  readsVcc = 1u << 2,
  writesVcc = 1u << 3,
  readsExec = 1u << 4,
  writesExec = 1u << 5,
  readsM0 = 1u << 6,
  writesM0 = 1u << 7,
  readsDst = 1u << 8,    ///< the destination is also the last source (v_fmac)
  ignoresExec = 1u << 9, ///< works on all lanes whatever exec holds
  isBranch = 1u << 10,
  isValu = 1u << 11,
  isSalu = 1u << 12,
  isTrans = 1u << 13,
  isMfma = 1u << 14,
  isSmem = 1u << 15,
  isLds = 1u << 16,
  isVmem = 1u << 17, ///< buffer, global, flat and scratch
  isFlat = 1u << 18, ///< may go to LDS or scratch: counts in both counters
  isLoad = 1u << 19,
  isStore = 1u << 20,
  isAtomic = 1u << 21,
  isLdsDma = 1u << 22,
  keepsDenormals = 1u << 23,
  isF64 = 1u << 24,
  writesBothOperands = 1u << 25, ///< source 0 is also written (swaps)
  intClamp = 1u << 26,           ///< integer operation that defines the clamp bit
  isPackedMath = 1u << 27,
  /// Combines 64-bit lane masks: compilers combine undefined bits of lanes that are off.
  isMaskOp = 1u << 29,
  isSelect = 1u << 30,      ///< source 0 or 1 by the mask in source 2
  isSccSelect = 1u << 31,   ///< source 0 where SCC is set, else source 1
  preservesHigh = 1u << 28, ///< a 16-bit result leaves the other half of the register
};

/// What the checks ask of an operation's name: looked up once, as comparing names takes longer than
/// most instructions.
enum CheckTrait : uint16_t {
  decides = 1u << 0, ///< undefined sources are reported: an address, a comparison, a branch ...
  isWaitcnt = 1u << 1,
  isNop = 1u << 2,
  isReadLane = 1u << 3,
  isReadFirstLane = 1u << 4,
  isWriteLane = 1u << 5,
  isDivFmas = 1u << 6,
  isPermLane = 1u << 7,
  isF32Matrix = 1u << 8,
  isF64Matrix = 1u << 9,
  isCompareAndSwap = 1u << 10,
  isOrOfBits = 1u << 11, ///< atomics of LDS; xor, too
  isAndOfBits = 1u << 12,
};

/// One row of a semantics table.
struct OpInfo {
  const char *name = nullptr; ///< mnemonic without encoding suffix
  ExecFn exec = nullptr;
  /// What each printed operand is, in order: d, D destinations; 0 to 5 that source.
  const char *form = "";
  uint32_t flags = 0;
  Type src[6] = {Type::None};
  Type dst = Type::None;
  /// Family-specific number: bytes an access moves, matrix shape, ...
  uint32_t aux = 0;
};

/// Registers as the checks number them: vector registers of the unified file, then scalar ones,
/// SCC.
inline constexpr uint16_t regSgpr0 = 512;
inline constexpr uint16_t regScc = regSgpr0 + numSgprSlots;
inline constexpr uint16_t numRegs = regScc + 1;
struct RegRange {
  uint16_t first = 0, count = 0;
  bool overlaps(RegRange other) const {
    return first < other.first + other.count && other.first < first + count;
  }
  bool operator==(const RegRange &) const = default;
};

enum class DppKind : uint8_t {
  None,
  QuadPerm,
  RowShl,
  RowShr,
  RowRor,
  WaveShl,
  WaveRol,
  WaveShr,
  WaveRor,
  RowMirror,
  RowHalfMirror,
  RowBcast15,
  RowBcast31,
  RowNewBcast,
};

enum class SdwaUnused : uint8_t { Pad, Sext, Preserve };

struct Instr {
  ExecFn exec = nullptr;
  const OpInfo *op = nullptr;
  uint32_t flags = 0;                    ///< op->flags and what this form adds
  uint32_t address = 0;                  ///< bytes from the start of the section
  uint32_t pc = 0, next = 0, target = 0; ///< in dwords

  Operand dst[2];
  Operand src[6];
  uint8_t numSrc = 0;

  int32_t offset = 0;
  int32_t offset1 = 0;
  bool offen = false, idxen = false, glc = false, clamp = false, gds = false;
  bool isDeviceScope = false; ///< sc1: an atomic load or store, or a fence, of work-groups
  bool e64 = false;
  uint8_t omod = 0; ///< 0 none, 1 *2, 2 *4, 3 /2
  uint8_t opSel = 0, opSelHi = 0xff, negLo = 0, negHi = 0;
  uint8_t cbsz = 0, abid = 0, blgp = 0, bitop3 = 0;

  DppKind dpp = DppKind::None;
  uint8_t dppArg = 0, rowMask = 0xf, bankMask = 0xf;
  bool boundCtrl = false;

  bool sdwa = false;
  Sel dstSel = Sel::Dword;
  SdwaUnused dstUnused = SdwaUnused::Pad;

  int8_t waitVm = -1, waitLgkm = -1; ///< s_waitcnt; -1: not waited for
  bool waitsForExports = false;      ///< which compute kernels do not have
  uint32_t simm = 0;                 ///< s_nop, s_sleep, hwreg and the like

  // What the checks need, implicit registers included.
  RegRange uses[9], defs[4];
  uint8_t numUses = 0, numDefs = 0;
  uint8_t passes = 0;  ///< of a matrix instruction
  uint16_t traits = 0; ///< CheckTrait
};

} // namespace tilec::sim

//===- Program.h - one kernel, decoded ------------------------------------===//
//
// Every operand is a register of the warp: immediates and special registers have
// registers of their own that are filled when a warp starts. An instruction holds the
// function that executes it for all lanes at once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilec::ptx {

class Warp;
struct Instruction;

constexpr unsigned warpLanes = 32;
constexpr uint32_t allLanes = 0xffffffff;

/// What became of an instruction for some lanes.
enum class Step {
  Next, ///< executed
  Jump, ///< executed, and has set the lanes' next instruction itself
  Wait, ///< not yet: try again when something has happened
};
using Handler = Step (*)(Warp &, const Instruction &, uint32_t lanes);

enum class Ty : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F32x2,
  F64,
  TF32,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
};
unsigned bytesOf(Ty type);
bool isSignedInt(Ty type);
bool isFloat(Ty type);

/// Generic addresses: the windows lie above every allocation of sim::Memory. That of the module's
/// data is one of global memory, too.
constexpr uint64_t sharedWindow = 1ull << 56, localWindow = 2ull << 56, paramWindow = 3ull << 56,
                   dataWindow = 4ull << 56;
constexpr uint64_t windowMask = 0xffull << 56;

enum class Space : uint8_t { Generic, Global, Shared, Cluster, Local, Param };

struct Operand {
  static constexpr uint32_t none = ~0u; ///< `_`, or an address without a register
  uint32_t reg = none;
  int64_t offset = 0; ///< of an address; the instruction of a label
  bool isNegated = false;
  bool isAddress = false;
  std::vector<Operand> parts; ///< of {...}, and coordinates of a tensor map's address
};

/// Which lanes must have come to an instruction before it runs.
enum class Meeting : uint8_t {
  None,
  All,  ///< every lane that has not returned: `.aligned`
  Mask, ///< those of the last operand
};

struct Instruction {
  Handler run = nullptr;
  uint32_t guard = Operand::none;
  bool isGuardNegated = false;
  Meeting meeting = Meeting::None;
  Ty type = Ty::None, type2 = Ty::None;  ///< of the result or the access, and of the source
  Ty aType = Ty::None, bType = Ty::None; ///< of a matrix instruction
  Space space = Space::Generic;
  uint8_t mode = 0; ///< the handler's own: a comparison, a rounding, a shuffle
  uint8_t mode2 = 0;
  bool isGridFence = false;            ///< that reaches other clusters
  bool isOrderedAccess = false;        ///< an access with such a fence
  bool isLoad = false, isSwap = false; ///< ld, a compare-and-swap
  bool isGuess = false;  ///< a load of what a compare-and-swap will judge (SwapLoops.cpp)
  bool hasGuess = false; ///< a compare-and-swap behind such a load
  bool isSparse = false; ///< a matrix instruction whose A is
  bool isIm2col = false; ///< a bulk copy's mode
  bool saturates = false, flushes = false, transposes = false, isVolatile = false,
       isConstant = false;
  uint16_t m = 0, n = 0, k = 0; ///< a matrix's shape; n: registers of a vector access, copied bytes
  uint64_t usedBytes = ~0ull;   ///< of a load, by the pragma before it: the others aren't touched
  uint32_t line = 0;            ///< in the PTX
  uint32_t sourceFile = 0, sourceLine = 0; ///< of the last `.loc`; line 0: nothing is known
  std::vector<Operand> args;
  std::string text; ///< as written, shortened
};

enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  ClusterCtaRank,
  ClusterNctaRank,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusteridX,
  ClusteridY,
  ClusteridZ,
  NclusteridX,
  NclusteridY,
  NclusteridZ,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  LaneMaskEq,
  SmId,
  Clock,
};

struct Program {
  std::string name;
  uint32_t paramBytes = 0;
  std::array<uint32_t, 3> block = {0, 0, 0}; ///< .reqntid; 0: any
  std::array<uint32_t, 3> maxBlock = {0, 0, 0};
  std::array<uint32_t, 3> cluster = {0, 0, 0};      ///< .reqnctapercluster; 0: any
  uint32_t staticSharedBytes = 0;                   ///< below the dynamic part
  uint32_t localBytes = 0;                          ///< of a lane
  std::shared_ptr<const std::vector<uint8_t>> data; ///< the module's tables
  std::vector<Instruction> code;
  uint32_t registers = 0;
  bool hasGridFences = false, hasOrderedAccesses = false; ///< that reach other clusters
  bool hasSwaps = false;                                  ///< compare-and-swaps
  std::vector<std::pair<uint32_t, uint64_t>> constants;   ///< register, value
  /// The same for addresses of shared variables, which differ between the blocks of a cluster.
  std::vector<std::pair<uint32_t, uint64_t>> sharedAddresses;
  std::vector<std::pair<uint32_t, Special>> specials;
  std::vector<std::string> registerNames; ///< those with a name
  std::vector<uint8_t> registerBytes;
  std::map<uint32_t, std::string> sourceFiles; ///< by the numbers of `.file`
  /// "PTX line 91 (gemm.py:27)": the script's line as far as the PTX has it.
  std::string placeOf(const Instruction &instruction) const;
  std::string problem; ///< why it cannot run: the first unknown instruction
};

/// A statement as the parser hands it to the decoder: names are registers already.
struct Statement {
  llvm::StringRef opcode;
  llvm::SmallVector<llvm::StringRef, 12> mods; ///< of the opcode, split at the dots
  bool has(llvm::StringRef mod) const;
};

/// Sets the handler and everything else that the opcode says; false: not known here.
bool decode(const Statement &statement, Instruction &instruction);
/// Marks `isGuess` and `hasGuess`, once all of the code is there.
void markSwapLoops(Program &program);
Ty parseType(llvm::StringRef name);

} // namespace tilec::ptx

//===- Wave.h - the state of running waves and work-groups ----------------===//
//
// Registers are kept one row of 64 lanes a register, so that operations are loops
// over contiguous lanes. V and A registers share one file, as in hardware.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Bits.h"
#include "Instruction.h"
#include "tilec/Sim/Simulator.h"

#include "llvm/ADT/Twine.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace tilec::sim {

inline constexpr unsigned numLanes = 64;
using Row = uint32_t[numLanes];

struct Wave;
struct Group;
class Program;
class Reporter;
class WaveChecker;
class GroupChecker;
class RecordedGroup;
class ControlSlice;
class ProgressWatch;
class GlobalOrder;
struct SwapLoops;
struct GlobalCell;

/// Who has used the bytes of an allocation (GlobalOrder.h): a cell a dword, and four a dword for
/// those of which parts are used.
struct GlobalCells {
  uint64_t base = 0;
  GlobalCell *dwords = nullptr, *bytes = nullptr;
};

/// The address space as one thread sees it: remembers the last allocation hit.
class MemoryPort {
public:
  explicit MemoryPort(const Memory &memory, GlobalOrder *order = nullptr)
      : order(order), memory(memory) {}
  /// Host address of [address, address + bytes), or nullptr when no allocation holds it all.
  uint8_t *translate(uint64_t address, uint64_t bytes) {
    uint64_t offset = address - base;
    if (offset < size && bytes <= size - offset)
      return host + offset;
    return translateSlowly(address, bytes);
  }
  /// The flags of what `translate` has just given: one byte a byte, nonzero where it holds a value;
  /// nullptr when all of the allocation does.
  uint8_t *writtenOf(const uint8_t *translated) const {
    return written ? written + (translated - host) : nullptr;
  }

  /// The work-group that has its turn is watched (Progress.h).
  bool isWatched = false;
  GlobalOrder *const order; ///< null: not looked at
  GlobalCells cells;        ///< of what `translate` has just given; none: not looked at
  bool isReadOnly = false;  ///< whether kernels may only read what `translate` has just given

private:
  uint8_t *translateSlowly(uint64_t address, uint64_t bytes);
  const Memory &memory;
  uint64_t base = 0, size = 0;
  uint8_t *host = nullptr, *written = nullptr;
};

/// What all waves of one host thread share.
struct Engine {
  const Program *program;
  const LaunchOptions *options;
  const Memory *memory;
  Reporter *reporter;
  MemoryPort port;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const ControlSlice *slice = nullptr; ///< only this part is executed, the rest counted
  const SwapLoops *swapLoops = nullptr;
};

/// What performing an operation does: in strict mode the checks of order come when it is issued,
/// and the data move later.
enum class Phase : uint8_t { Both, Check, Move };

/// A memory instruction with its operands read: executed at issue (eager) or at the covering wait
/// (strict).
struct MemOp {
  const Instr *instr;
  void (*perform)(Wave &, MemOp &);
  uint64_t mask = 0;     ///< lanes that take part
  uint64_t zeroMask = 0; ///< lanes out of the buffer's range: loads give 0
  uint64_t addr[numLanes];
  uint32_t data[4][numLanes];
  uint32_t ldsBase = 0; ///< LDS DMA: where lane 0's data goes
  uint32_t format = 0;  ///< of typed buffers: bits 18:0 of a descriptor's last word
  uint32_t checkId = 0; ///< the checker's number of this operation; 0: not checked
  Phase phase = Phase::Both;
};

struct Wave {
  Row *v = nullptr; ///< the unified vector register file
  uint32_t numVgprs = 0;
  uint32_t s[numSgprSlots] = {};
  uint32_t pc = 0; ///< in dwords from the start of the section
  bool scc = false;
  bool ended = false, atBarrier = false;
  uint32_t barrierPc = 0;   ///< of the s_barrier it is at
  bool halted = false;      ///< s_sethalt: only a debugger lets it go on
  uint32_t haltPc = 0;      ///< of the s_sethalt
  uint64_t startExec = 0;   ///< EXEC when it started: the lanes that exist
  uint32_t mode = 0;        ///< hardware register MODE
  bool vskip = false;       ///< s_setvskip: vector and memory instructions are not issued
  uint8_t gprIdx = 0;       ///< s_set_gpr_idx flags; 0 when the mode is off
  bool floatEnvSet = false; ///< MODE differs from the host's defaults
  uint32_t index = 0;       ///< in the work-group
  uint64_t instructions = 0, mfma = 0;
  Group *group = nullptr;
  WaveChecker *checker = nullptr;    ///< null: no checks
  uint8_t *scratch = nullptr;        ///< 64 lanes of the kernel's private segment, lane after lane
  uint8_t *scratchWritten = nullptr; ///< as `scratch`; null: no checks
  uint32_t scratchBytes = 0;         ///< a lane
  std::deque<MemOp> pendingVm, pendingLds, pendingSmem; ///< strict mode only

  uint64_t pair(unsigned index) const {
    return s[index] | static_cast<uint64_t>(s[index + 1]) << 32;
  }
  void setPair(unsigned index, uint64_t value) {
    s[index] = static_cast<uint32_t>(value);
    s[index + 1] = static_cast<uint32_t>(value >> 32);
  }
  uint64_t exec() const { return pair(sgprExec); }
  uint64_t vcc() const { return pair(sgprVcc); }
};

struct Group {
  Engine *engine = nullptr;
  uint64_t number = 0; ///< linear index in the grid
  Dim3 id = {0, 0, 0};
  std::vector<Wave> waves;
  std::vector<uint8_t> lds;
  std::vector<uint32_t> registerFile;
  std::vector<uint8_t> scratch;
  std::vector<uint8_t> scratchWritten; ///< with checks: which bytes of it hold a value
  uint64_t instructions = 0;
  uint64_t matrixPasses = 0;         ///< with Engine::slice: of all its matrix instructions
  std::map<uint32_t, LdsUse> ldsUse; ///< by program counter
  uint64_t barrierEpoch = 0;
  uint64_t gridMeetings = 0; ///< barriers of a cooperative launch at which it has arrived
  uint64_t gridFences = 0;   ///< fences of device scope
  uint64_t random = 0;
  bool stop = false; ///< a fatal finding
  bool saidDivergent = false;
  std::shared_ptr<GroupChecker> checker; ///< null: no checks
  RecordedGroup *record = nullptr;       ///< of the timing model; null: not recorded

  // Progress.h
  std::shared_ptr<ProgressWatch> watch; ///< while states are compared
  uint64_t nextWatch = 0;               ///< instructions after which states are taken (anew)
  bool hasWaited = false;               ///< for another work-group
  bool changedGlobal = false;           ///< since its turn began
  uint64_t changesBefore = 0;           ///< turns that had changed global memory by then
};

/// Reports what an instruction did wrong. `lane` < 0: no lane in particular. A fatal finding stops
/// the launch.
void report(Wave &wave, const Instr &instr, CheckKind kind, FindingClass cls, bool fatal, int lane,
            const llvm::Twine &message);
inline void fault(Wave &wave, const Instr &instr, CheckKind kind, const llvm::Twine &message) {
  report(wave, instr, kind, FindingClass::Error, true, -1, message);
}

/// Executes now, or in strict mode puts the operation in the queue of its counter.
void issue(Wave &wave, MemOp &op);
/// Executes now.
void performNow(Wave &wave, MemOp &op);

/// Calls body(lane) for every set bit of `mask`, lowest first.
template <class Body> void forEachActiveLane(uint64_t mask, Body body) {
  if (mask == ~0ull) {
    for (unsigned lane = 0; lane < numLanes; ++lane)
      body(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    body(static_cast<unsigned>(__builtin_ctzll(mask)));
}

/// The operand's 32 bits where it is the same for all lanes.
inline uint32_t scalar32(const Wave &wave, const Operand &operand) {
  switch (operand.kind) {
  case OperandKind::Sgpr:
    return wave.s[operand.reg];
  case OperandKind::Imm:
    return static_cast<uint32_t>(operand.imm);
  case OperandKind::Scc:
    return wave.scc;
  case OperandKind::Vccz:
    return wave.vcc() == 0;
  case OperandKind::Execz:
    return wave.exec() == 0;
  case OperandKind::Vgpr:
    return wave.v[operand.reg][0];
  default:
    return 0;
  }
}
inline uint64_t scalar64(const Wave &wave, const Operand &operand) {
  if (operand.isSgpr())
    return wave.pair(operand.reg);
  if (operand.isImm())
    return operand.imm;
  return scalar32(wave, operand);
}

/// Sets the host's rounding and denormal handling for the time of its life to what MODE asks of f32
/// (or of f64), and back.
class FloatEnv {
public:
  static uint32_t hostControl(uint32_t mode, bool f64);
  explicit FloatEnv(uint32_t control);
  ~FloatEnv();
  FloatEnv(const FloatEnv &) = delete;
  FloatEnv &operator=(const FloatEnv &) = delete;

private:
  uint32_t saved;
};

} // namespace tilec::sim

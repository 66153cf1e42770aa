//===- Simulator.h - run AMDGPU code objects on the host ------------------===//
//
// CodeObject: what an ELF file holds. run(): executes one kernel of it on a
// Memory, exactly as the instructions say, and reports what hardware would
// punish. Free of MLIR. docs/simulators/simulator.md explains the checks and the modes.
//
//   auto object = CodeObject::load(bytes);            // Expected
//   Memory memory;
//   uint64_t a = *memory.allocate(4096, "a");         // Expected
//   auto result = run(**object, "kernel", {4, 1, 1}, {256, 1, 1}, kernarg, memory, {});
//   if (!result) ...                                  // the launch itself was wrong
//   if (llvm::Error e = result->toError()) ...        // the kernel did something wrong
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Sim/Memory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilec::sim {

using Dim3 = std::array<uint32_t, 3>; ///< x, y, z

/// One kernel argument as the object's metadata tells it.
struct ArgInfo {
  std::string name;      ///< empty when the metadata has none
  std::string valueKind; ///< `global_buffer`, `by_value`, `hidden_block_count_x`, ... (AMDGPUUsage)
  uint32_t offsetBytes = 0;
  uint32_t sizeBytes = 0;
  bool isPointer() const {
    return valueKind == "global_buffer" || valueKind == "dynamic_shared_pointer";
  }
  bool isHidden() const { return llvm::StringRef(valueKind).starts_with("hidden_"); }
};

struct KernelInfo {
  std::string name;
  uint32_t vgprs = 0;           ///< allocated registers a lane, accumulation registers included
  uint32_t firstAgpr = 0;       ///< a0 is register `firstAgpr` of the unified file; 0: no AGPRs
  uint32_t sgprs = 0;           ///< from the metadata; 0 when it does not say
  uint32_t ldsBytes = 0;        ///< static; LaunchOptions::dynamicLdsBytes come on top
  uint32_t scratchBytes = 0;    ///< per lane
  uint32_t kernargBytes = 0;    ///< explicit and hidden arguments
  uint32_t maxBlockThreads = 0; ///< `max_flat_workgroup_size`; 0 when the metadata does not say
  std::vector<ArgInfo> args;    ///< by offset; empty when the metadata lists none
};

class CodeObjectImpl;

/// A loaded code object. Immutable; one object may run in several threads at once.
class CodeObject {
public:
  /// Copies what it needs from `elf`. Takes a linked object (ET_DYN, as lld makes it) or a
  /// relocatable one whose relocations stay inside it. Fails with what is wrong and, where the user
  /// can do something, what to do.
  /// An image of more than `maxImageBytes` is refused: its header is broken, or hostile.
  static llvm::Expected<std::unique_ptr<CodeObject>> load(llvm::ArrayRef<uint8_t> elf,
                                                          uint64_t maxImageBytes = 128ull << 20);
  ~CodeObject();

  Arch arch() const;
  /// In the order of the symbol table.
  llvm::ArrayRef<KernelInfo> kernels() const;
  const KernelInfo *findKernel(llvm::StringRef name) const;
  /// Counts the instructions of the kernel's symbol and lists those that a run would refuse when it
  /// reached them, each with its place and the reason, in program order. Data between instructions
  /// may be in the list.
  struct Coverage {
    uint64_t instructions = 0;
    std::vector<std::string> unsupported;
  };
  Coverage coverage(const KernelInfo &kernel) const;

  CodeObjectImpl &impl() const { return *pimpl; }

private:
  CodeObject();
  std::unique_ptr<CodeObjectImpl> pimpl;
};

/// When results of memory operations become visible.
enum class MemoryMode {
  Eager,  ///< at issue; runs everything that runs on hardware
  Strict, ///< only at the s_waitcnt that covers them, as late as the ISA allows
};

/// Which k the 8-bit elements of a scaled matrix instruction's lane have, and so which of the row's
/// scales applies. Documents disagree (docs/simulators/simulator.md). Lane group g of 32 k holds
enum class Fp8ScaleOrder {
  Refuse,     ///< an error, unless all scales of the row are equal
  Contiguous, ///< k = 32g to 32g + 31 (the ISA document's formula)
  Split,      ///< k = 16g to 16g + 15, then K/2 + 16g to K/2 + 16g + 15 (composable_kernel's test)
};

/// What a finding means.
enum class FindingClass {
  Error, ///< undefined or fatal by the ISA: the result cannot be trusted
  Lint,  ///< a compiler avoids it, hardware is known to run without (m0 write before LDS DMA)
};

enum class CheckKind {
  OutOfBounds,     ///< global, scratch, LDS access outside every allocation
  MissingWait,     ///< a register is used while a load into it is outstanding
  LdsDmaNotWaited, ///< LDS is read before the LDS DMA that fills it was waited for and published
  LdsRace,         ///< two waves access the same LDS bytes without a barrier between, one writes
  GlobalRace,      ///< the same of global memory, also of two work-groups
  WaitStates,      ///< required independent instructions (s_nop) are missing
  EmptyWait,       ///< an s_waitcnt that waits for nothing: all its fields are full
  Uninitialized,   ///< a register or LDS byte that nothing has written is used
  Barrier,         ///< waves of a work-group disagree about barriers
  Deadlock,        ///< no wave can go on: all wait, for each other or for what nobody does
  EndlessLoop,     ///< registers and memory are again what they were
  Limit,           ///< the limit of instructions or of time is reached
  BadInstruction,  ///< the simulator or the target does not know the instruction or this form of it
  Trap,            ///< s_trap: an assertion of the kernel failed
  BadProgram,      ///< the program counter or another state left what the object defines
};
llvm::StringRef nameOf(CheckKind kind);

struct Finding {
  CheckKind kind;
  FindingClass cls;
  bool fatal;          ///< the run stopped here
  uint64_t address;    ///< of the instruction: offset from the start of the kernel's section
  std::string where;   ///< instruction text, kernel + offset, source line when known
  std::string message; ///< one line: instruction, work-group, wave, lane, address, what is wrong
  uint64_t count = 1;  ///< how often this instruction was found doing it
};

/// Which checks run. A fatal fault (out of bounds, unknown instruction) is always found.
enum class Checks { None, All };

struct Progress {
  uint64_t doneGroups, totalGroups;
  uint64_t instructions; ///< wave instructions so far
};

struct LaunchOptions {
  Checks checks = Checks::All;
  MemoryMode memoryMode = MemoryMode::Eager;
  /// Wave interleave: 0 gives round robin with `sliceInstructions`; any other value shuffles the
  /// order and length of slices, reproducibly.
  uint64_t interleaveSeed = 0;
  uint32_t sliceInstructions = 8; ///< instructions that a wave runs before the next wave's turn
  unsigned threads = 0;           ///< host threads over work-groups; 0: one a core
  uint32_t dynamicLdsBytes = 0;   ///< added to the kernel's static LDS
  bool cooperative = false;       ///< all work-groups run at once
  uint64_t barrier = 0;           ///< the counter by which the work-groups of such a launch meet
  /// Whether soffset counts in the range check of raw buffers. The sources disagree
  /// (docs/simulators/simulator.md); code that depends on it is best avoided.
  bool soffsetInRangeCheck = true;
  Fp8ScaleOrder fp8ScaleOrder = Fp8ScaleOrder::Refuse;
  /// Wave instructions of one work-group before the run is called endless.
  uint64_t maxInstructionsPerGroup = 2'000'000'000;
  /// Host time of the whole run before it is called endless; 0: no limit.
  double maxSeconds = 0;
  /// Code that was tuned on hardware may rely on its timing. True makes what hardware is known to
  /// let pass (missing waits, races, wait states) lints instead of errors.
  bool timingHazardsAreLints = false;
  /// Distinct ones kept of each kind and class; more are only counted.
  uint32_t maxFindings = 20;
  /// Fill RunResult::ldsUse (slower).
  bool countLdsConflicts = false;
  /// Work-groups to run, by linear index; empty: the whole grid.
  std::vector<uint64_t> onlyGroups;
  /// Records what work-groups execute, for the timing model (tilec/Sim/Timing.h sets it).
  class ExecutionRecorder *recorder = nullptr;
  /// Called now and then, from any of the threads but never by two at once.
  std::function<void(const Progress &)> progress;
};

/// What one LDS instruction of the kernel cost, over all waves.
struct LdsUse {
  std::string where, text;
  uint64_t executions = 0;
  uint64_t dataCycles = 0; ///< cycles in which data moved, conflicts included
  uint64_t conflicts = 0;  ///< of these, what bank conflicts added
};

struct RunCounters {
  uint64_t groups = 0;
  uint64_t waves = 0;
  uint64_t instructions = 0; ///< wave instructions
  uint64_t mfma = 0;
  double seconds = 0; ///< host time
};

struct RunResult {
  bool completed = false; ///< every wave reached s_endpgm
  std::vector<Finding> findings;
  /// With LaunchOptions::countLdsConflicts: reads and writes of LDS in address order.
  std::vector<LdsUse> ldsUse;
  uint64_t findingsDropped = 0; ///< found beyond LaunchOptions::maxFindings
  uint64_t errorsDropped = 0;   ///< of these of class Error
  RunCounters counters;

  /// Completed, and no finding of class Error.
  bool ok() const;
  /// Success when ok(); otherwise an error whose text lists the findings of class Error. Lints are
  /// never in it.
  llvm::Error toError() const;
};

/// Runs `kernelName` with `gridBlocks` work-groups of `blockThreads` work-items. `kernarg` is the
/// kernel's whole argument segment (hidden arguments included, see makeKernarg); pointers in it are
/// addresses of `memory`. The call returns when the kernel has ended; `memory` then holds its
/// results.
///
/// Fails when the launch is wrong: no such kernel, a zero dimension, more than 1024 work-items in a
/// work-group, too few kernarg bytes, more LDS than the target has. What the kernel does wrong is
/// in the result's findings.
llvm::Expected<RunResult> run(const CodeObject &object, llvm::StringRef kernelName, Dim3 gridBlocks,
                              Dim3 blockThreads, llvm::ArrayRef<uint8_t> kernarg, Memory &memory,
                              const LaunchOptions &options);

/// Lays out a kernarg segment: `args[i]` are the bytes of the i-th argument that is not hidden, in
/// the metadata's order; hidden arguments get the values of this launch. Fails when count or sizes
/// differ from the metadata, or when it needs a hidden argument that a simulator cannot give.
llvm::Expected<std::vector<uint8_t>> makeKernarg(const KernelInfo &kernel,
                                                 llvm::ArrayRef<std::vector<uint8_t>> args,
                                                 Dim3 gridBlocks, Dim3 blockThreads,
                                                 uint32_t dynamicLdsBytes = 0);

} // namespace tilec::sim

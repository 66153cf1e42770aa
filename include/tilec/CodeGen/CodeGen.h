//===- CodeGen.h - llvm::Module to a GPU image ----------------------------===//
//
// One call compiles a module for one chip: optional IR clean-up, LLVM's code
// generator with our machine passes, linking (AMD) or ptxas / NVRTC (NVIDIA), and
// the facts of every kernel. Any number of threads may compile at once.
//
// No state in cl::opt is needed after initializeTargets(); everything that steers
// one compile travels in CodeGenOptions (docs/machine-code/codegen.md says why).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/CodeGen/KernelFacts.h"
#include "tilec/CodeGen/Order.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilec {
class DiskCache;
}

namespace tilec::codegen {

/// Attribute of an NVPTX kernel's function: with the registers that a product likes so many of its
/// blocks are resident on a multiprocessor, none fewer than with less.
inline constexpr const char *residentBlocks = "tilec-resident-blocks";
/// So many blocks a multiprocessor's shared memory holds.
inline constexpr const char *blocksInShared = "tilec-blocks-in-shared";
/// On a kernel of a grid of no more blocks than the chip has multiprocessors.
inline constexpr const char *oneBlockOfGrid = "tilec-one-block";

/// Who turns PTX into a cubin. Auto tries ptxas, then NVRTC, and leaves PTX when there is neither.
enum class PtxAssembler { Auto, Ptxas, Nvrtc, None };

/// AMD: metadata of an s.waitcnt whose vmcnt counts the latest groups of copies to shared memory,
/// which fences keep apart: what else is moved or merged makes it stricter at most.
inline constexpr char waitOfGroups[] = "tilec.groups";

struct CodeGenOptions {
  Arch arch = Arch::Gfx950;
  /// AMD: keep the order of the IR; LLVM's two machine schedulers and the merging of LDS accesses
  /// do not run. For kernels whose schedule was planned; others are better off with them. Waits
  /// that leave operations in flight do the same, but for those with `waitOfGroups`.
  bool keepOrder = false;
  /// Runs optimizeModule first.
  bool optimizeIr = true;
  /// LLVM's code generator level, 0 to 3. All of 1 to 3 keep a planned order; 3 adds GVN and more
  /// loop passes on the IR.
  unsigned optLevel = 2;
  /// AMD: make MFMAs accumulate in place and hide the wait state behind m0 writes
  /// (../lib/CodeGen/AmdgpuPasses.cpp). Off only to see what they are worth.
  bool machinePasses = true;
  /// AMD: runs LLVM's machine verifier after our machine passes and after register allocation.
  bool verifyMachineCode = false;

  PtxAssembler ptxAssembler = PtxAssembler::Auto;
  /// NVIDIA: the cubin keeps the lines that the PTX names (ptxas -lineinfo). NVRTC drops them.
  bool lineTables = false;
  /// Spills and serialised wgmma (C75xx) are errors instead of remarks (NVIDIA); spills are errors
  /// (AMD).
  bool strict = false;
  /// NVIDIA: cubins by their PTX are taken from here and kept here; null: none are.
  DiskCache *cache = nullptr;
};

/// Names whoever would turn PTX into a cubin now, by path, size and time of change: part of the
/// key of what is kept of its results. Starts and loads nothing that it can avoid.
std::string ptxAssemblerIdentity(PtxAssembler wanted);
/// Whether that is ptxas, which is here.
bool hasPtxas(PtxAssembler wanted);

/// What the compilation has to say beside the image: one line each.
struct Note {
  enum Kind {
    Remark,
    Finding, ///< of the machine code: spills, moved accumulators, serialised wgmma; a remark that
             ///< is printed unasked
    Warning
  } kind;
  std::string text;
};

struct StageTime {
  std::string stage; ///< "optimize", "codegen", "link", "ptxas", ...
  double ms;
};

enum class ImageKind { Hsaco, Cubin, Ptx };
llvm::StringRef nameOf(ImageKind kind); ///< "hsaco", "cubin", "ptx"

/// What a device loads.
struct Image {
  ImageKind kind = ImageKind::Hsaco;
  Arch arch = Arch::Gfx950;
  std::vector<uint8_t> bytes;       ///< PTX ends in a NUL byte, as cuModuleLoadData wants it
  std::vector<KernelFacts> kernels; ///< empty for PTX: the driver has not compiled it yet
  std::vector<Note> notes;
  std::string log; ///< of ptxas or NVRTC, verbatim
  std::vector<StageTime> times;
  std::string ptx; ///< NVIDIA: the PTX that the cubin was made from
  /// AMD, where the order was kept: the order that the IR had, for report::checkOrder.
  std::vector<KernelOrder> order;

  const KernelFacts *kernel(llvm::StringRef name) const;
};

/// Registers the AMDGPU and NVPTX targets and our machine passes, and sets the few cl::opt that
/// have no other form. Once per process, from any thread; all functions below call it.
void initializeTargets();

/// A fresh target machine. `optLevel` as in CodeGenOptions.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(Arch arch,
                                                                         unsigned optLevel = 2);

/// Sets triple, data layout (NVPTX: 32-bit shared pointers) and the module flags that the back end
/// needs (AMD: code object version 6). Call it on the empty module, before any IR is built.
void prepareModule(llvm::Module &module, Arch arch);

/// Few and cheap IR passes: SROA, EarlyCSE, InstCombine, SimplifyCFG, LICM. The caller's builder
/// folds constants already; planned orders survive.
llvm::Error optimizeModule(llvm::Module &module, Arch arch);

/// Assembly text: AMDGPU assembly or PTX. Assembling the AMD text gives the .text of emitObject.
/// The module is not changed: the code generator works on a private copy in its own LLVMContext, so
/// that a fatal error inside LLVM can be survived. This holds for the two functions below as well.
llvm::Expected<std::string> emitAssembly(const llvm::Module &module, const CodeGenOptions &options);

/// A relocatable ELF object (AMD), or the PTX text (NVIDIA has no relocatable form here).
llvm::Expected<std::vector<uint8_t>> emitObject(const llvm::Module &module,
                                                const CodeGenOptions &options);

/// The loadable image with its facts.
///
/// Fails, with LLVM's or ptxas' own text, when the IR is invalid, the chip lacks an intrinsic, a
/// kernel needs more shared memory or registers than there are, or ptxas refuses the PTX.
llvm::Expected<Image> compileModule(const llvm::Module &module, const CodeGenOptions &options);

/// The facts of every kernel in an hsaco or a cubin (without ptxas' log a cubin tells no spills).
llvm::Expected<std::vector<KernelFacts>> readKernelFacts(llvm::ArrayRef<uint8_t> image);

} // namespace tilec::codegen

//===- Sass.h - what a cubin's machine code is made of --------------------===//
//
// NVIDIA publishes no encoding and no disassembler is at hand, so this knows as
// little as the checks need: an own small table of opcode names, where branches go,
// and which registers an MMA accumulates in. Sources: public disassemblies, and one-
// instruction kernels compiled by ptxas 13.0 for sm_80 and sm_90a.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/KernelFacts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace tilec::codegen {

struct Image;

/// A natural loop. ptxas puts cold blocks, such as the spinning part of a wait, behind the kernel:
/// the addresses may span code that is no part of the loop.
struct SassLoop {
  uint64_t beginAddress = 0, endAddress = 0; ///< in the kernel's code, of the blocks that follow
                                             ///< the header without a hole
  unsigned depth = 1;                        ///< 1: outermost
  bool isInnermost = true;
  bool isMmaLoop = false; ///< has MMAs, and no loop within has (waits spin in loops of their own)
  unsigned instructions = 0;
  unsigned mmas = 0;             ///< HMMA, IMMA, DMMA, HGMMA, IGMMA, QGMMA
  unsigned accumulatorMoves = 0; ///< moves of sums, and of what an MMA adds to, between registers
  unsigned moves = 0;            ///< all moves from register to register
  unsigned localAccesses = 0;    ///< LDL and STL: spills, mostly
  std::map<std::string, unsigned> opcodes;
};

struct SassKernel {
  KernelFacts facts;
  unsigned instructions = 0; ///< padding behind the last one not counted
  unsigned mmas = 0, localLoads = 0, localStores = 0;
  std::map<std::string, unsigned> opcodes; ///< names; `op_01a` when the table has none
  std::vector<SassLoop> loops;             ///< by address
};

/// The machine code of an image as text, by nvdisasm of CUDA's toolkit, which is looked for as
/// ptxas is: $TILEC_NVDISASM (`none`: as if there were none), $CUDA_HOME, /usr/local/cuda, the
/// path. `withLines`: with a line `//## File "gemm.py", line 24` in front of what was made of it,
/// where the image has line tables. Fails where the image is PTX, and where there is no nvdisasm.
llvm::Expected<std::string> disassembleSass(const Image &image, bool withLines = false);

/// Every kernel of a cubin for sm_80 or later.
llvm::Expected<std::vector<SassKernel>> readSass(llvm::ArrayRef<uint8_t> cubin);

} // namespace tilec::codegen

//===- Scorecard.h - what the hot loops of a code object are made of ------===//
//
// The metrics by which hand-written AMD kernels differ from compiled ones, computed
// from the disassembly alone (docs/machine-code/scorecard.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/AuditShared.h"
#include "tilec/Report/AuditWaits.h"
#include "tilec/Report/BankConflicts.h"
#include "tilec/Report/Disassembly.h"
#include "tilec/Target/Residency.h"

#include <array>
#include <map>

namespace llvm {
class raw_ostream;
}

namespace tilec::report {

struct ScorecardOptions {
  /// K tiles that one round of the hot loop works on, when known: tells the gaps at a K tile's end
  /// from those within. 0: not known, and no gap is treated as such.
  unsigned kTilesPerRound = 0;
};

/// What lies between two consecutive LDS DMAs.
struct DmaGap {
  unsigned scalarOrVector = 0; ///< Scalar, Vector and AccumulatorMove instructions
  unsigned mfmas = 0;
  bool crossesBarrier = false;
};

struct WaitLine {
  WaitCounts counts;
  unsigned times = 0;
};

struct LoopCard {
  uint64_t beginAddress = 0, endAddress = 0; ///< first instruction, and behind the last
  unsigned depth = 1;
  unsigned sourceLoop = 0; ///< of the script, see addSourceLoops; 0: not known
  unsigned instructions = 0;
  uint64_t codeBytes = 0;
  std::array<unsigned, instrKindCount> counts = {};
  std::map<std::string, unsigned> mnemonics;

  /// Between DMAs that follow each other in address order; the last DMA to the first one over the
  /// back edge; those at the end of a K tile. Empty or zero without DMAs.
  std::vector<DmaGap> dmaGaps, kTileEndGaps;
  DmaGap backEdgeGap;
  unsigned maxGap = 0; ///< of dmaGaps, scalarOrVector
  double meanGap = 0;
  unsigned minMfmasPerDma = 0, maxMfmasPerDma = 0; ///< between consecutive DMAs, back edge included

  std::vector<WaitLine> waits; ///< different ones, by first appearance
  std::optional<unsigned> smallestVmcnt;
  unsigned vmcntZeros = 0;
  /// Of these, in blocks that only read parts of words: the elements of a piece that passes the end
  /// of its row, which few waves read (a branch leads around them).
  unsigned vmcntZerosOfEdges = 0;

  LoopConflicts bankConflicts;

  unsigned nopsAfterM0Write = 0;
  unsigned readFirstLanes = 0;
  unsigned packedMath = 0; ///< v_pk_{add,mul,fma}_f32
  unsigned longestMfmaRun = 0;
  unsigned longestRunWithoutMfma = 0; ///< in a straight line

  unsigned count(InstrKind kind) const { return counts[static_cast<unsigned>(kind)]; }
  unsigned mfmas() const { return count(InstrKind::Mfma); }
  double otherPerMfma() const { return mfmas() ? double(instructions - mfmas()) / mfmas() : 0; }
};

struct KernelCard {
  codegen::KernelFacts facts;
  uint64_t instructions = 0;
  /// Registers that instructions really name, highest index + 1.
  unsigned vgprsUsed = 0, agprsUsed = 0, sgprsUsed = 0;
  Residency residency; ///< blocks of the declared size that a compute unit holds
  unsigned accumulatorMoves = 0, scratchInstructions = 0, unknownInstructions = 0;
  std::vector<WaitFinding> waitFindings; ///< loads that are not waited for
  SharedAudit sharedAudit;               ///< LDS DMAs against the reads of their data
  std::vector<LoopCard> loops;           ///< every loop, by address
  /// The innermost loop with the most MFMAs, else the innermost with the most instructions.
  std::optional<unsigned> hotLoop;
};

struct Scorecard {
  Arch arch;
  std::vector<KernelCard> kernels;
};

Scorecard makeScorecard(const CodeObject &object, const ScorecardOptions &options = {});

void printText(llvm::raw_ostream &os, const Scorecard &card);
void printJson(llvm::raw_ostream &os, const Scorecard &card);

} // namespace tilec::report

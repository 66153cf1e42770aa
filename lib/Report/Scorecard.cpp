//===- Scorecard.cpp - metrics of hot loops -------------------------------===//
//
// Takes a decoded kernel, counts what its loops are made of: kinds, waits, runs of matrix
// instructions, gaps between copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/Scorecard.h"

#include "tilec/Base/Math.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

using namespace llvm;

namespace tilec::report {

namespace {

using Instructions = std::vector<const Instruction *>;

bool isScalarOrVector(const Instruction &instr) {
  return instr.kind == InstrKind::Scalar || instr.kind == InstrKind::Vector ||
         instr.kind == InstrKind::AccumulatorMove;
}

DmaGap gapBetween(ArrayRef<const Instruction *> between) {
  DmaGap gap;
  for (const Instruction *instr : between) {
    gap.scalarOrVector += isScalarOrVector(*instr);
    gap.mfmas += instr->kind == InstrKind::Mfma;
    gap.crossesBarrier |= instr->kind == InstrKind::Barrier;
  }
  return gap;
}

void measureDmas(const Instructions &loop, const ScorecardOptions &options, LoopCard &card) {
  SmallVector<unsigned> places;
  for (auto [i, instr] : enumerate(loop))
    if (instr->kind == InstrKind::SharedDma)
      places.push_back(i);
  if (places.empty())
    return;
  ArrayRef<const Instruction *> all = loop;
  unsigned perTile = options.kTilesPerRound ? places.size() / options.kTilesPerRound : 0;
  for (unsigned i = 1; i < places.size(); ++i) {
    DmaGap gap = gapBetween(all.slice(places[i - 1] + 1, places[i] - places[i - 1] - 1));
    bool isTileEnd = perTile && i % perTile == 0;
    (isTileEnd ? card.kTileEndGaps : card.dmaGaps).push_back(gap);
  }
  card.backEdgeGap = gapBetween(all.drop_front(places.back() + 1));
  DmaGap head = gapBetween(all.take_front(places.front()));
  card.backEdgeGap.scalarOrVector += head.scalarOrVector;
  card.backEdgeGap.mfmas += head.mfmas;
  card.backEdgeGap.crossesBarrier |= head.crossesBarrier;

  unsigned sum = 0;
  card.minMfmasPerDma = card.maxMfmasPerDma = card.backEdgeGap.mfmas;
  for (const std::vector<DmaGap> *gaps : {&card.dmaGaps, &card.kTileEndGaps})
    for (const DmaGap &gap : *gaps) {
      card.minMfmasPerDma = std::min(card.minMfmasPerDma, gap.mfmas);
      card.maxMfmasPerDma = std::max(card.maxMfmasPerDma, gap.mfmas);
    }
  for (const DmaGap &gap : card.dmaGaps) {
    card.maxGap = std::max(card.maxGap, gap.scalarOrVector);
    sum += gap.scalarOrVector;
  }
  card.meanGap = card.dmaGaps.empty() ? 0 : double(sum) / card.dmaGaps.size();
}

bool readsPartOfWord(const Instruction &instr) {
  llvm::StringRef name = instr.mnemonic;
  return instr.kind == InstrKind::GlobalLoad &&
         (name.contains("ubyte") || name.contains("sbyte") || name.contains("short"));
}

/// Looks at each block for itself.
void measureEdges(const Instructions &loop, LoopCard &card) {
  std::set<uint64_t> entries;
  for (const Instruction *instr : loop)
    if (instr->target)
      entries.insert(*instr->target);
  unsigned parts = 0, zeros = 0;
  bool isEdge = true;
  auto endBlock = [&] {
    card.vmcntZerosOfEdges += isEdge && parts > 0 ? zeros : 0;
    parts = zeros = 0;
    isEdge = true;
  };
  for (const Instruction *instr : loop) {
    if (entries.count(instr->address))
      endBlock();
    bool isPart = readsPartOfWord(*instr);
    parts += isPart;
    zeros += instr->kind == InstrKind::Wait && instr->waits.vmcnt == 0U;
    isEdge &= isPart || instr->kind == InstrKind::Vector || instr->kind == InstrKind::Scalar ||
              instr->kind == InstrKind::Wait || instr->kind == InstrKind::Nop ||
              instr->kind == InstrKind::Branch;
    if (instr->kind == InstrKind::Branch)
      endBlock();
  }
}

void measureWaits(const Instructions &loop, LoopCard &card) {
  for (const Instruction *instr : loop) {
    if (instr->kind != InstrKind::Wait)
      continue;
    auto line =
        find_if(card.waits, [&](const WaitLine &known) { return known.counts == instr->waits; });
    if (line == card.waits.end())
      line = card.waits.insert(line, {instr->waits, 0});
    ++line->times;
    if (std::optional<unsigned> vmcnt = instr->waits.vmcnt) {
      card.smallestVmcnt = std::min(*vmcnt, card.smallestVmcnt.value_or(*vmcnt));
      card.vmcntZeros += *vmcnt == 0;
    }
  }
}

void measureRuns(const Instructions &loop, LoopCard &card) {
  unsigned mfmas = 0, others = 0;
  for (const Instruction *instr : loop) {
    bool isMfma = instr->kind == InstrKind::Mfma;
    mfmas = isMfma ? mfmas + 1 : 0;
    others = isMfma ? 0 : others + 1;
    card.longestMfmaRun = std::max(card.longestMfmaRun, mfmas);
    card.longestRunWithoutMfma = std::max(card.longestRunWithoutMfma, others);
  }
}

LoopCard measureLoop(const KernelCode &kernel, const Loop &loop, const ScorecardOptions &options) {
  Instructions instructions = kernel.loopInstructions(loop);
  LoopCard card;
  card.depth = loop.depth;
  card.sourceLoop = kernel.sourceLoopOf(loop);
  card.instructions = instructions.size();
  card.beginAddress = instructions.front()->address;
  card.endAddress = instructions.back()->address + instructions.back()->bytes;
  const Instruction *previous = nullptr;
  for (const Instruction *instr : instructions) {
    StringRef mnemonic = instr->mnemonic;
    ++card.counts[static_cast<unsigned>(instr->kind)];
    ++card.mnemonics[instr->mnemonic];
    card.codeBytes += instr->bytes;
    card.readFirstLanes += mnemonic == "v_readfirstlane_b32";
    card.packedMath += mnemonic.starts_with("v_pk_add_f32") ||
                       mnemonic.starts_with("v_pk_mul_f32") || mnemonic.starts_with("v_pk_fma_f32");
    card.nopsAfterM0Write +=
        instr->kind == InstrKind::Nop && previous && previous->writesFile(RegisterFile::M0);
    previous = instr;
  }
  measureDmas(instructions, options, card);
  measureWaits(instructions, card);
  measureEdges(instructions, card);
  measureRuns(instructions, card);
  return card;
}

void measureRegisters(const KernelCode &kernel, KernelCard &card) {
  auto use = [&card](const RegisterRange &range) {
    unsigned end = range.first + range.count;
    if (range.file == RegisterFile::Vector)
      card.vgprsUsed = std::max(card.vgprsUsed, end);
    else if (range.file == RegisterFile::Accumulator)
      card.agprsUsed = std::max(card.agprsUsed, end);
    else if (range.file == RegisterFile::Scalar)
      card.sgprsUsed = std::max(card.sgprsUsed, end);
  };
  for (const Instruction &instr : kernel.instructions) {
    for_each(instr.writes, use);
    for_each(instr.reads, use);
    card.accumulatorMoves += instr.kind == InstrKind::AccumulatorMove;
    card.scratchInstructions += instr.kind == InstrKind::Scratch;
    card.unknownInstructions += instr.kind == InstrKind::Unknown;
  }
}

std::optional<unsigned> findHotLoop(const KernelCode &kernel, const KernelCard &card) {
  std::optional<unsigned> hot;
  auto weight = [&](unsigned i) {
    return std::pair(card.loops[i].mfmas(), card.loops[i].instructions);
  };
  for (unsigned i = 0; i < kernel.loops.size(); ++i) {
    if (kernel.loops[i].isInnermost && (!hot || weight(*hot) < weight(i)))
      hot = i;
  }
  return hot;
}

} // namespace

Scorecard makeScorecard(const CodeObject &object, const ScorecardOptions &options) {
  Scorecard result{object.arch, {}};
  for (const KernelCode &kernel : object.kernels) {
    KernelCard card;
    card.facts = kernel.facts;
    card.instructions = kernel.instructions.size();
    card.residency = residencyOf(object.arch, {kernel.facts.vgprs, kernel.facts.agprs,
                                               kernel.facts.sharedBytes, kernel.facts.maxThreads});
    measureRegisters(kernel, card);
    for (const Loop &loop : kernel.loops)
      card.loops.push_back(measureLoop(kernel, loop, options));
    for (auto [loop, conflicts] : zip(card.loops, loopConflicts(object.arch, kernel)))
      loop.bankConflicts = conflicts;
    card.waitFindings = auditWaits(kernel);
    card.sharedAudit = auditShared(kernel);
    card.hotLoop = findHotLoop(kernel, card);
    result.kernels.push_back(std::move(card));
  }
  return result;
}

} // namespace tilec::report

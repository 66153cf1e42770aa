//===- PrintScorecard.cpp - scorecards as text and as JSON ----------------===//
//
// Takes scorecards, writes them for people and for programs; nothing is counted here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/Scorecard.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec::report {

namespace {

void printGaps(raw_ostream &os, const LoopCard &loop) {
  if (loop.count(InstrKind::SharedDma) == 0)
    return;
  os << "    between LDS DMAs: max " << loop.maxGap << ", mean " << format("%.2f", loop.meanGap)
     << " scalar or vector";
  if (!loop.kTileEndGaps.empty()) {
    os << "; at a K tile's end";
    for (const DmaGap &gap : loop.kTileEndGaps)
      os << ' ' << gap.scalarOrVector;
  }
  os << "; over the back edge " << loop.backEdgeGap.scalarOrVector << "; MFMAs "
     << loop.minMfmasPerDma << " to " << loop.maxMfmasPerDma << "\n";
}

void printLoop(raw_ostream &os, const LoopCard &loop, bool isHot) {
  os << "  loop " << format_hex(loop.beginAddress, 1) << "-" << format_hex(loop.endAddress, 1)
     << " depth " << loop.depth << (isHot ? " (hot)" : "") << ": " << loop.instructions
     << " instructions, " << loop.codeBytes << " bytes\n    ";
  bool isFirst = true;
  for (unsigned i = 0; i < instrKindCount; ++i)
    if (loop.counts[i]) {
      os << (isFirst ? "" : ", ") << loop.counts[i] << ' ' << nameOf(InstrKind(i));
      isFirst = false;
    }
  os << "\n";
  if (loop.mfmas())
    os << "    other per MFMA " << format("%.3f", loop.otherPerMfma()) << ", MFMA share "
       << format("%.1f%%", 100.0 * loop.mfmas() / loop.instructions) << ", longest MFMA run "
       << loop.longestMfmaRun << ", longest run without " << loop.longestRunWithoutMfma << "\n";
  printGaps(os, loop);
  if (!loop.waits.empty()) {
    os << "    waits:";
    for (const WaitLine &line : loop.waits)
      os << ' ' << line.times << " x " << toString(line.counts)
         << (&line == &loop.waits.back() ? "" : ",");
    os << "\n";
  }
  if (loop.bankConflicts.accesses)
    os << "    LDS bank conflicts: " << loop.bankConflicts.conflicts
       << " cycles a round, addresses of " << loop.bankConflicts.known << " of "
       << loop.bankConflicts.accesses << " accesses known\n";
  if (loop.nopsAfterM0Write || loop.readFirstLanes || loop.packedMath)
    os << "    nops after an m0 write " << loop.nopsAfterM0Write << ", v_readfirstlane "
       << loop.readFirstLanes << ", packed f32 math " << loop.packedMath << "\n";
}

void printJsonGap(json::OStream &json, const DmaGap &gap) {
  json.object([&] {
    json.attribute("scalar_or_vector", gap.scalarOrVector);
    json.attribute("mfmas", gap.mfmas);
    json.attribute("crosses_barrier", gap.crossesBarrier);
  });
}

void printJsonLoop(json::OStream &json, const LoopCard &loop) {
  json.object([&] {
    json.attribute("begin", int64_t(loop.beginAddress));
    json.attribute("end", int64_t(loop.endAddress));
    json.attribute("depth", loop.depth);
    json.attribute("instructions", loop.instructions);
    json.attribute("code_bytes", int64_t(loop.codeBytes));
    json.attributeObject("counts", [&] {
      for (unsigned i = 0; i < instrKindCount; ++i) {
        std::string key = nameOf(InstrKind(i)).str();
        std::replace(key.begin(), key.end(), ' ', '_');
        json.attribute(key, loop.counts[i]);
      }
    });
    json.attribute("other_per_mfma", loop.otherPerMfma());
    json.attribute("mfma_share",
                   loop.instructions ? double(loop.mfmas()) / loop.instructions : 0.0);
    json.attribute("dma_gap_max", loop.maxGap);
    json.attribute("dma_gap_mean", loop.meanGap);
    json.attributeArray("dma_gaps", [&] {
      for (const DmaGap &gap : loop.dmaGaps)
        printJsonGap(json, gap);
    });
    json.attributeArray("k_tile_end_gaps", [&] {
      for (const DmaGap &gap : loop.kTileEndGaps)
        printJsonGap(json, gap);
    });
    json.attributeBegin("back_edge_gap");
    printJsonGap(json, loop.backEdgeGap);
    json.attributeEnd();
    json.attribute("mfmas_per_dma_min", loop.minMfmasPerDma);
    json.attribute("mfmas_per_dma_max", loop.maxMfmasPerDma);
    json.attributeArray("waits", [&] {
      for (const WaitLine &line : loop.waits)
        json.object([&] {
          json.attribute("text", toString(line.counts));
          if (line.counts.vmcnt)
            json.attribute("vmcnt", *line.counts.vmcnt);
          if (line.counts.lgkmcnt)
            json.attribute("lgkmcnt", *line.counts.lgkmcnt);
          json.attribute("times", line.times);
        });
    });
    json.attribute("vmcnt_zeros", loop.vmcntZeros);
    json.attribute("vmcnt_zeros_of_edges", loop.vmcntZerosOfEdges);
    json.attribute("smallest_vmcnt",
                   loop.smallestVmcnt ? json::Value(*loop.smallestVmcnt) : json::Value(nullptr));
    json.attributeObject("bank_conflicts", [&] {
      json.attribute("accesses", loop.bankConflicts.accesses);
      json.attribute("known", loop.bankConflicts.known);
      json.attribute("cycles", loop.bankConflicts.conflicts);
    });
    json.attribute("nops_after_m0_write", loop.nopsAfterM0Write);
    json.attribute("readfirstlanes", loop.readFirstLanes);
    json.attribute("packed_math", loop.packedMath);
    json.attribute("longest_mfma_run", loop.longestMfmaRun);
    json.attribute("longest_run_without_mfma", loop.longestRunWithoutMfma);
    json.attributeObject("mnemonics", [&] {
      for (const auto &[name, times] : loop.mnemonics)
        json.attribute(name, times);
    });
  });
}

void printJsonSharedAudit(json::OStream &json, const SharedAudit &audit) {
  json.attributeObject("shared_audit", [&] {
    json.attribute("dmas", audit.dmas);
    json.attribute("reads", audit.reads);
    json.attribute("proved", audit.isProved());
    json.attribute("unproved", audit.unproved);
    json.attributeArray("assumed_rounds", [&] {
      for (unsigned rounds : audit.assumedRounds)
        json.value(rounds);
    });
    json.attributeArray("findings", [&] {
      for (const SharedFinding &finding : audit.findings)
        json.object([&] {
          json.attribute("dma_address", int64_t(finding.dmaAddress));
          json.attribute("dma", finding.dma);
          json.attribute("other_address", int64_t(finding.otherAddress));
          json.attribute("other", finding.other);
          json.attribute("byte", finding.byte);
        });
    });
  });
}

void printJsonKernel(json::OStream &json, const KernelCard &card) {
  const codegen::KernelFacts &facts = card.facts;
  json.object([&] {
    json.attribute("name", facts.name);
    json.attribute("vgprs", facts.vgprs);
    json.attribute("agprs", facts.agprs);
    json.attribute("sgprs", facts.sgprs);
    json.attribute("vgprs_used", card.vgprsUsed);
    json.attribute("agprs_used", card.agprsUsed);
    json.attribute("sgprs_used", card.sgprsUsed);
    json.attribute("waves_per_simd", card.residency.wavesPerSimd);
    json.attribute("blocks_per_unit", card.residency.blocks);
    json.attribute("residency_limit", card.residency.limit);
    json.attribute("shared_bytes", facts.sharedBytes);
    json.attribute("scratch_bytes_per_lane", facts.scratchBytesPerLane);
    json.attribute("vgpr_spills", facts.vgprSpills);
    json.attribute("sgpr_spills", facts.sgprSpills);
    json.attribute("max_threads", facts.maxThreads);
    json.attribute("code_bytes", int64_t(facts.codeBytes));
    json.attribute("instructions", int64_t(card.instructions));
    json.attribute("acc_moves", card.accumulatorMoves);
    json.attribute("scratch_instructions", card.scratchInstructions);
    json.attribute("unknown_instructions", card.unknownInstructions);
    json.attributeArray("wait_findings", [&] {
      for (const WaitFinding &finding : card.waitFindings)
        json.object([&] {
          json.attribute("address", int64_t(finding.address));
          json.attribute("instruction", finding.instruction);
          json.attribute("load_address", int64_t(finding.loadAddress));
          json.attribute("load", finding.load);
        });
    });
    printJsonSharedAudit(json, card.sharedAudit);
    json.attribute("hot_loop", card.hotLoop ? json::Value(*card.hotLoop) : json::Value(nullptr));
    json.attributeArray("loops", [&] {
      for (const LoopCard &loop : card.loops)
        printJsonLoop(json, loop);
    });
  });
}

/// Whether every LDS read of DMA-written data was proved to come after a wait and a barrier.
void printSharedAudit(raw_ostream &os, const SharedAudit &audit) {
  if (audit.dmas == 0 && audit.isProved())
    return;
  os << "  LDS DMAs: ";
  if (audit.isProved()) {
    os << audit.dmas << " and the " << audit.reads
       << " reads of their data are kept apart by waits and barriers";
    if (!audit.assumedRounds.empty())
      os << " (loops of unknown length followed for up to " << audit.assumedRounds.back()
         << " rounds)";
    os << "\n";
    return;
  }
  if (audit.unproved.empty())
    os << audit.findings.size() << " pairs are not kept apart\n";
  os << describe(audit);
}

} // namespace

void printText(raw_ostream &os, const Scorecard &card) {
  for (const KernelCard &kernel : card.kernels) {
    const codegen::KernelFacts &facts = kernel.facts;
    os << "kernel " << facts.name << " for " << StringRef(tilec::nameOf(card.arch))
       << "\n  registers " << facts.vgprs << " vector, " << facts.agprs << " accumulator, "
       << facts.sgprs << " scalar (named: " << kernel.vgprsUsed << ", " << kernel.agprsUsed << ", "
       << kernel.sgprsUsed << "); " << describe(kernel.residency) << "\n  spills "
       << facts.vgprSpills << " vector, " << facts.sgprSpills << " scalar; scratch "
       << facts.scratchBytesPerLane << " bytes a lane, " << kernel.scratchInstructions
       << " instructions; accumulator moves " << kernel.accumulatorMoves << "\n  shared memory "
       << facts.sharedBytes << " bytes, code " << facts.codeBytes << " bytes, "
       << kernel.instructions << " instructions\n";
    if (kernel.unknownInstructions)
      os << "  " << kernel.unknownInstructions << " places could not be decoded\n";
    if (!kernel.waitFindings.empty())
      os << "  " << kernel.waitFindings.size() << " loads are not waited for on some path\n"
         << describe(kernel.waitFindings);
    printSharedAudit(os, kernel.sharedAudit);
    for (unsigned i = 0; i < kernel.loops.size(); ++i)
      printLoop(os, kernel.loops[i], kernel.hotLoop == i);
  }
}

void printJson(raw_ostream &os, const Scorecard &card) {
  json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("arch", StringRef(tilec::nameOf(card.arch)));
    json.attributeArray("kernels", [&] {
      for (const KernelCard &kernel : card.kernels)
        printJsonKernel(json, kernel);
    });
  });
  os << "\n";
}

} // namespace tilec::report

//===- AuditShared.cpp - are LDS DMAs and the reads of their data apart? --===//
//
// Between waves, time is counted in barriers: what wave 0 does before its third
// barrier and what wave 5 does after its third one are in order, nothing else is.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/AuditShared.h"

#include "WaveTrace.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace llvm;

namespace tilec::report {

namespace {

constexpr unsigned assumedRounds[] = {1, 2, 3, 6};

/// Which pieces of shared memory a set of bytes touches: two sets of which the pieces are apart
/// have no byte in common.
BitVector piecesOf(const ByteSet &bytes) {
  constexpr uint32_t pieceBytes = 16; // what a lane moves at most
  BitVector pieces(bytes.empty() ? 0 : (bytes.back().second - 1) / pieceBytes + 1);
  for (auto [begin, end] : bytes)
    pieces.set(begin / pieceBytes, (end - 1) / pieceBytes + 1);
  return pieces;
}

/// What the DMAs of an epoch write: pieces, and those of them that several write.
struct Written {
  BitVector once, again;

  void add(const BitVector &pieces) {
    BitVector both = once;
    both &= pieces;
    again |= both;
    once |= pieces;
  }
};

/// A byte that both have.
std::optional<uint32_t> commonByte(const ByteSet &a, const ByteSet &b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    uint32_t begin = std::max(x->first, y->first);
    if (begin < std::min(x->second, y->second))
      return begin;
    x->second < y->second ? ++x : ++y;
  }
  return std::nullopt;
}

class Comparison {
public:
  Comparison(const KernelCode &kernel, const WaveTraces &traces, SharedAudit &audit)
      : kernel(kernel), traces(traces), audit(audit), meetings(traces.byteSets.size()) {}

  void run();
  /// Read instructions that fetch bytes that some DMA writes.
  std::set<uint32_t> readsOfDmas, dmas;

private:
  struct Place {
    uint32_t wave, use;
  };
  const SharedUse &useAt(Place place) const { return traces.waves[place.wave][place.use]; }
  bool areDisjoint(uint32_t dma, uint32_t other);
  void findReadsOfDmas();
  void compare(Place dma, Place other);
  bool areApart(Place dma, Place other) const;

  const KernelCode &kernel;
  const WaveTraces &traces;
  SharedAudit &audit;
  enum Meeting : uint8_t { Unknown, Disjoint, Common };
  /// Of a DMA's byte set with each one: rounds of a loop use the same ones again.
  std::vector<std::vector<Meeting>> meetings;
  std::set<std::tuple<uint32_t, uint32_t>> reported;
};

bool Comparison::areDisjoint(uint32_t dma, uint32_t other) {
  std::vector<Meeting> &known = meetings[dma];
  known.resize(traces.byteSets.size(), Unknown);
  Meeting &meeting = known[other];
  if (meeting == Unknown)
    meeting = commonByte(traces.byteSets[dma], traces.byteSets[other]) ? Common : Disjoint;
  return meeting == Disjoint;
}

bool Comparison::areApart(Place dma, Place other) const {
  const SharedUse &a = useAt(dma), &b = useAt(other);
  auto before = [](uint32_t done, uint32_t issue) {
    return done != SharedUse::never && done < issue;
  };
  if (dma.wave == other.wave)
    return before(a.doneStep, b.issueStep) || before(b.doneStep, a.issueStep);
  return before(a.doneEpoch, b.issueEpoch) || before(b.doneEpoch, a.issueEpoch);
}

void Comparison::compare(Place dma, Place other) {
  const SharedUse &a = useAt(dma), &b = useAt(other);
  // Two DMAs meet each other in both orders.
  if ((b.isDma && b.instr < a.instr) || areApart(dma, other) || areDisjoint(a.bytes, b.bytes) ||
      !reported.insert({a.instr, b.instr}).second)
    return;
  SharedFinding finding;
  bool isSameEpoch = dma.wave == other.wave || a.issueEpoch == b.issueEpoch;
  bool isLater = isSameEpoch ? b.issueStep > a.issueStep : b.issueEpoch > a.issueEpoch;
  finding.kind = b.isDma   ? SharedFinding::TwoDmas
                 : isLater ? SharedFinding::ReadTooEarly
                           : SharedFinding::OverwrittenTooEarly;
  const Instruction &dmaInstr = kernel.instructions[a.instr],
                    &otherInstr = kernel.instructions[b.instr];
  finding.dmaAddress = dmaInstr.address;
  finding.dma = dmaInstr.mnemonic + " " + dmaInstr.operands;
  finding.otherAddress = otherInstr.address;
  finding.other = otherInstr.mnemonic + " " + otherInstr.operands;
  finding.dmaWave = dma.wave;
  finding.otherWave = other.wave;
  finding.byte = *commonByte(traces.byteSets[a.bytes], traces.byteSets[b.bytes]);
  audit.findings.push_back(std::move(finding));
}

void Comparison::run() {
  std::vector<BitVector> pieces;
  for (const ByteSet &bytes : traces.byteSets)
    pieces.push_back(piecesOf(bytes));
  // Uses by the epochs that they span. One that is never waited for spans all that follow.
  uint32_t lastEpoch = 0;
  for (const std::vector<SharedUse> &uses : traces.waves)
    for (const SharedUse &use : uses)
      lastEpoch = std::max(lastEpoch, use.issueEpoch);
  std::vector<std::vector<Place>> dmasOf(lastEpoch + 1);
  std::vector<Written> written(lastEpoch + 1);
  auto endOf = [&](const SharedUse &use) { return std::min(use.doneEpoch, lastEpoch); };
  for (auto [wave, uses] : enumerate(traces.waves))
    for (auto [i, use] : enumerate(uses))
      if (use.isDma) {
        dmas.insert(use.instr);
        for (uint32_t epoch = use.issueEpoch; epoch <= endOf(use); ++epoch) {
          dmasOf[epoch].push_back({uint32_t(wave), uint32_t(i)});
          written[epoch].add(pieces[use.bytes]);
        }
      }
  // Each pair once: in the first epoch that both span. Nearly all uses touch nothing that is being
  // written, which the pieces tell at once.
  for (auto [wave, uses] : enumerate(traces.waves))
    for (auto [i, use] : enumerate(uses))
      for (uint32_t epoch = use.issueEpoch; epoch <= endOf(use); ++epoch) {
        const BitVector &others = use.isDma ? written[epoch].again : written[epoch].once;
        if (!pieces[use.bytes].anyCommon(others))
          continue;
        for (Place dma : dmasOf[epoch])
          if (epoch == std::max(use.issueEpoch, useAt(dma).issueEpoch) &&
              std::pair(dma.wave, dma.use) != std::pair(uint32_t(wave), uint32_t(i)))
            compare(dma, {uint32_t(wave), uint32_t(i)});
      }
  findReadsOfDmas();
}

/// Reads of what a DMA writes at any time.
void Comparison::findReadsOfDmas() {
  std::set<uint32_t> written;
  std::set<std::pair<uint32_t, uint32_t>> read; // bytes, instruction
  for (const std::vector<SharedUse> &uses : traces.waves)
    for (const SharedUse &use : uses)
      if (use.isDma)
        written.insert(use.bytes);
      else
        read.insert({use.bytes, use.instr});
  for (auto [bytes, instr] : read)
    if (any_of(written, [&, bytes = bytes](uint32_t dma) { return !areDisjoint(dma, bytes); }))
      readsOfDmas.insert(instr);
}

void auditTraces(const KernelCode &kernel, const WaveTraces &traces, SharedAudit &audit) {
  Comparison comparison(kernel, traces, audit);
  comparison.run();
  audit.dmas = std::max<unsigned>(audit.dmas, comparison.dmas.size());
  audit.reads = std::max<unsigned>(audit.reads, comparison.readsOfDmas.size());
}

} // namespace

SharedAudit auditShared(const KernelCode &kernel) {
  SharedAudit audit;
  if (none_of(kernel.instructions,
              [](const Instruction &instr) { return instr.kind == InstrKind::SharedDma; }))
    return audit;
  for (bool takesForward : {false, true})
    for (unsigned rounds : assumedRounds) {
      WaveTraces traces = traceWaves(kernel, {rounds, takesForward});
      if (!traces.problem.empty()) {
        audit.unproved = traces.problem;
        return audit;
      }
      auditTraces(kernel, traces, audit);
      if (!traces.usedPolicy || !audit.findings.empty())
        return audit;
      if (!takesForward)
        audit.assumedRounds.push_back(rounds);
    }
  return audit;
}

std::string describe(const SharedAudit &audit) {
  if (!audit.unproved.empty())
    return "not proved: " + audit.unproved + "\n";
  std::string text;
  for (const SharedFinding &finding : audit.findings) {
    constexpr StringRef verbs[] = {"may read before it has landed",
                                   "may not have been served when it lands",
                                   "may be in flight to the same bytes"};
    text += "0x" + utohexstr(finding.otherAddress, /*LowerCase=*/true) + ": " + finding.other +
            "\n  of wave " + std::to_string(finding.otherWave) + " " + verbs[finding.kind].str() +
            ": 0x" + utohexstr(finding.dmaAddress, true) + ": " + finding.dma + " of wave " +
            std::to_string(finding.dmaWave) + ", byte " + std::to_string(finding.byte) + "\n";
  }
  return text;
}

} // namespace tilec::report

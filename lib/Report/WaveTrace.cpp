//===- WaveTrace.cpp - what a wave does to LDS, and when ------------------===//
//
// Takes a kernel, follows each wave of a block through it, and notes when it uses which bytes of
// LDS.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WaveTrace.h"

#include "WaveState.h"

#include "tilec/Base/Math.h"

#include "llvm/ADT/StringExtras.h"

#include <deque>

using namespace llvm;

namespace tilec::report {

namespace {

/// Instructions of all waves together; a kernel of the tests takes some ten thousand.
constexpr uint64_t mostSteps = 20'000'000;

unsigned bytesPerLane(const Instruction &instr) {
  StringRef name = instr.mnemonic;
  if (instr.kind == InstrKind::SharedDma) {
    bool isWord = !name.contains("_dwordx") && !name.contains("_ubyte") &&
                  !name.contains("_sbyte") && !name.contains("_ushort") &&
                  !name.contains("_sshort");
    return name.ends_with("_dwordx4") ? 16 : name.ends_with("_dwordx3") ? 12 : isWord ? 4 : 0;
  }
  if (name.contains("_b128"))
    return 16;
  if (name.contains("_b96"))
    return 12;
  if (name.contains("_b64"))
    return 8;
  return name.contains("16") ? 2 : name.contains("8") ? 1 : 4;
}

class Tracer {
public:
  Tracer(const KernelCode &kernel, const BranchPolicy &policy, WaveTraces &traces)
      : kernel(kernel), policy(policy), traces(traces) {
    for (auto [i, instr] : enumerate(kernel.instructions)) {
      indexOf[instr.address] = i;
      widths.push_back(bytesPerLane(instr));
    }
    for (const Loop &loop : kernel.loops) {
      std::vector<bool> inside(kernel.instructions.size());
      for (unsigned block : loop.blocks)
        for (unsigned i = kernel.blocks[block].begin; i < kernel.blocks[block].end; ++i)
          inside[i] = true;
      insideLoop.push_back(std::move(inside));
    }
  }

  void run(unsigned wave);

private:
  /// A memory operation that its counter still counts.
  struct Outstanding {
    int64_t use;    ///< index in `uses`, or -1
    bool isCertain; ///< false: lanes may be off, and it may not count
  };

  void stepInstruction(const Instruction &instr, uint32_t index);
  using Pieces = SmallVector<uint32_t, 2 * waveLanes>;
  std::optional<Pieces> piecesOf(const Instruction &instr, uint32_t index, bool isDma) const;
  std::optional<ByteSet> stretchOf(const Instruction &instr, uint32_t index) const;
  static ByteSet united(Pieces begins, uint32_t width);
  /// Whether it is a use: no lane may be on.
  bool note(const Instruction &instr, uint32_t index, bool isDma);
  void count(const Instruction &instr, uint32_t index);
  void wait(std::deque<Outstanding> &counter, unsigned atMost);
  std::optional<uint32_t> nextAfter(const Instruction &instr, uint32_t index);
  bool decide(const Instruction &branch, uint32_t index);
  uint32_t idOf(ByteSet bytes);
  static std::string textOf(const Instruction &instr) {
    return "0x" + utohexstr(instr.address, /*LowerCase=*/true) + ": " + instr.mnemonic + " " +
           instr.operands;
  }
  /// What made the address of `instr` unknown.
  std::string sourceText(const Instruction &instr) const {
    const Instruction *source = state->unknownSource(instr);
    return source ? " (unknown since " + textOf(*source) + ")" : "";
  }
  void giveUp(const Instruction &instr, const Twine &why) {
    if (traces.problem.empty())
      traces.problem = (textOf(instr) + ": " + why).str();
  }

  const KernelCode &kernel;
  BranchPolicy policy;
  WaveTraces &traces;
  std::map<uint64_t, uint32_t> indexOf;
  std::vector<uint8_t> widths; ///< by instruction: bytes a lane that it moves, if it does
  std::vector<std::vector<bool>> insideLoop;
  std::map<ByteSet, uint32_t> byteSetIds;
  /// By instruction and first piece: what it was the last time, as rounds of a loop come again.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<Pieces, uint32_t>> bytesOf;
  uint64_t totalSteps = 0;

  // Of the wave at hand.
  std::optional<WaveState> state;
  std::vector<SharedUse> uses;
  std::deque<Outstanding> vector, shared;
  std::map<uint32_t, unsigned> visits; ///< of branches on unknown values
  uint32_t epoch = 0, step = 0;
};

uint32_t Tracer::idOf(ByteSet bytes) {
  auto [it, isNew] = byteSetIds.try_emplace(std::move(bytes), traces.byteSets.size());
  if (isNew)
    traces.byteSets.push_back(it->first);
  return it->second;
}

ByteSet Tracer::united(Pieces begins, uint32_t width) {
  llvm::sort(begins);
  ByteSet result;
  for (uint32_t begin : begins)
    if (!result.empty() && begin <= result.back().second)
      result.back().second = begin + width;
    else
      result.push_back({begin, begin + width});
  return result;
}

/// Where the pieces of the lanes begin that are on; of all where that is not known.
std::optional<Tracer::Pieces> Tracer::piecesOf(const Instruction &instr, uint32_t index,
                                               bool isDma) const {
  unsigned width = widths[index], places = accessesTwoPlaces(instr) ? 2 : 1;
  uint64_t active = state->active().value_or(~uint64_t(0));
  Pieces pieces;
  for (unsigned place = 0; place < places; ++place) {
    std::optional<LaneInts> at = isDma ? state->dmaTarget() : state->sharedAddress(instr, place);
    if (!at || !at->isExact() || width == 0)
      return std::nullopt;
    for (unsigned lane = 0; lane < waveLanes; ++lane)
      // A DMA puts lane n's data behind that of lane n - 1 (CDNA3 ISA document, 9.1.9).
      if (active >> lane & 1)
        pieces.push_back(isDma ? at->lanes[0] + instr.immediate + lane * width : at->lanes[lane]);
  }
  return pieces;
}

/// Bytes of which lanes fetch some: an element of a table that memory names.
std::optional<ByteSet> Tracer::stretchOf(const Instruction &instr, uint32_t index) const {
  unsigned places = accessesTwoPlaces(instr) ? 2 : 1;
  ByteSet bytes;
  for (unsigned place = 0; place < places; ++place) {
    std::optional<Bounds> begins = state->sharedStretch(instr, place);
    if (!begins || widths[index] == 0)
      return std::nullopt;
    bytes.push_back({begins->least, begins->most + widths[index]});
  }
  if (places == 2) { // sorted and apart
    llvm::sort(bytes);
    if (bytes[1].first <= bytes[0].second)
      bytes = {{bytes[0].first, std::max(bytes[0].second, bytes[1].second)}};
  }
  return bytes;
}

bool Tracer::note(const Instruction &instr, uint32_t index, bool isDma) {
  std::optional<Pieces> pieces = piecesOf(instr, index, isDma);
  std::optional<ByteSet> stretch = pieces || isDma ? std::nullopt : stretchOf(instr, index);
  if (!pieces && !stretch) {
    giveUp(instr,
           "its LDS address does not follow from the numbers of the threads" + sourceText(instr));
    return false;
  }
  SharedUse use;
  use.instr = index;
  if (stretch) {
    use.bytes = idOf(*stretch);
  } else if (pieces->empty()) {
    return false;
  } else {
    auto [known, isNew] = bytesOf.try_emplace({index, pieces->front()});
    if (isNew || known->second.first != *pieces)
      known->second = {*pieces, idOf(united(*pieces, widths[index]))};
    use.bytes = known->second.second;
  }
  use.isDma = isDma;
  use.issueEpoch = epoch;
  use.issueStep = step;
  uses.push_back(use);
  return true;
}

void Tracer::wait(std::deque<Outstanding> &counter, unsigned atMost) {
  // The last `atMost` that certainly count may be left.
  size_t left = counter.size();
  for (unsigned certain = 0; left > 0 && certain < atMost; --left)
    certain += counter[left - 1].isCertain;
  for (; left > 0; --left) {
    if (int64_t use = counter.front().use; use >= 0) {
      uses[use].doneEpoch = epoch;
      uses[use].doneStep = step;
    }
    counter.pop_front();
  }
}

void Tracer::count(const Instruction &instr, uint32_t index) {
  bool isCertain = state->active().value_or(0) != 0;
  auto add = [&](std::deque<Outstanding> &counter, bool isUse) {
    counter.push_back({isUse ? int64_t(uses.size()) - 1 : -1, isCertain});
  };
  switch (instr.kind) {
  case InstrKind::SharedDma:
    add(vector, note(instr, index, true));
    break;
  case InstrKind::GlobalLoad:
  case InstrKind::GlobalStore:
  case InstrKind::GlobalAtomic:
  case InstrKind::Scratch:
    add(vector, false);
    break;
  case InstrKind::SharedRead:
    add(shared, note(instr, index, false));
    break;
  case InstrKind::SharedWrite:
  case InstrKind::SharedOther:
  case InstrKind::LaneExchange:
    add(shared, false);
    break;
  default:
    break;
  }
}

void Tracer::stepInstruction(const Instruction &instr, uint32_t index) {
  if (instr.kind == InstrKind::Wait) {
    if (instr.waits.vmcnt)
      wait(vector, *instr.waits.vmcnt);
    if (instr.waits.lgkmcnt)
      wait(shared, *instr.waits.lgkmcnt);
  } else if (instr.kind == InstrKind::Barrier) {
    ++epoch;
  } else {
    count(instr, index);
  }
  state->step(instr);
  ++step;
}

/// A branch on something unknown: loops go round as often as the policy says. One that leaves no
/// loop itself may set what a later one leaves it by: after as many visits it goes the other way
/// once.
bool Tracer::decide(const Instruction &branch, uint32_t index) {
  traces.usedPolicy = true;
  uint32_t target = indexOf.count(*branch.target) ? indexOf[*branch.target] : index + 1;
  bool isInLoop = false;
  for (const std::vector<bool> &inside : insideLoop) {
    isInLoop |= inside[index];
    if (!inside[index] || inside[target] == inside[index + 1])
      continue;
    bool leaves = visits[index]++ % (policy.rounds + 1) == policy.rounds;
    return leaves != inside[target];
  }
  bool isUsual = target <= index ? false : policy.takesForward;
  bool isOther = isInLoop && visits[index]++ % (policy.rounds + 1) == policy.rounds;
  return isUsual != isOther;
}

std::optional<uint32_t> Tracer::nextAfter(const Instruction &instr, uint32_t index) {
  if (instr.kind == InstrKind::End)
    return std::nullopt;
  if (instr.kind != InstrKind::Branch)
    return index + 1;
  if (!instr.target || !indexOf.count(*instr.target)) {
    giveUp(instr, "its target is not known");
    return std::nullopt;
  }
  std::optional<bool> known = state->isTaken(instr);
  bool isTaken = known ? *known : decide(instr, index);
  return isTaken ? indexOf[*instr.target] : index + 1;
}

void Tracer::run(unsigned wave) {
  state.emplace(wave * waveLanes);
  uses.clear(), vector.clear(), shared.clear(), visits.clear();
  epoch = step = 0;
  std::optional<uint32_t> at = 0;
  while (at && *at < kernel.instructions.size() && traces.problem.empty()) {
    const Instruction &instr = kernel.instructions[*at];
    std::optional<uint32_t> next = nextAfter(instr, *at);
    stepInstruction(instr, *at);
    at = next;
    if (++totalSteps > mostSteps)
      giveUp(instr, "the kernel takes too many steps to follow");
  }
  traces.waves.push_back(std::move(uses));
}

} // namespace

WaveTraces traceWaves(const KernelCode &kernel, const BranchPolicy &policy) {
  WaveTraces traces;
  Tracer tracer(kernel, policy, traces);
  unsigned waves = std::max<unsigned>(1, ceilDiv(kernel.facts.maxThreads, waveLanes));
  for (unsigned wave = 0; wave < waves && traces.problem.empty(); ++wave)
    tracer.run(wave);
  return traces;
}

} // namespace tilec::report

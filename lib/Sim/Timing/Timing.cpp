//===- Timing.cpp - how long a kernel takes -------------------------------===//
//
// Records the work-groups that matter, replays the caches, then the CU, and scales to
// the grid. SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/Timing.h"

#include "../CodeObjectImpl.h"
#include "ComputeUnit.h"

#include <algorithm>
#include <numeric>

namespace tilec::sim {
namespace {

// Instructions of one work-group that are recorded at most: 16 bytes each.
constexpr uint64_t maxRecorded = 100'000'000;

uint64_t roundUpTo(uint64_t value, double granule) {
  auto g = static_cast<uint64_t>(granule);
  return (value + g - 1) / g * g;
}

uint64_t product(Dim3 dim) { return static_cast<uint64_t>(dim[0]) * dim[1] * dim[2]; }

/// Where the work-groups of a grid run. Work-group i goes to XCD i modulo 8, and there to the CUs
/// in turn.
struct Placement {
  uint64_t groups, cus, xcds, places;

  uint64_t cusPerXcd() const { return cus / xcds; }
  uint64_t activeCus() const { return std::min(groups, cus); }
  /// Work-groups of the first CU, in the order in which they run there.
  std::vector<uint64_t> onFirstCu(uint64_t atMost) const {
    std::vector<uint64_t> ids;
    for (uint64_t id = 0; id < groups && ids.size() < atMost; id += cus)
      ids.push_back(id);
    return ids;
  }
  uint64_t countOnFirstCu() const { return (groups + cus - 1) / cus; }
};

unsigned placesPerCu(const KernelInfo &info, uint32_t ldsBytes, uint64_t waves,
                     const TimingConstants &c) {
  uint64_t registers = roundUpTo(std::max(1u, info.vgprs), c.vgprGranule);
  auto wavesPerSimd = std::min<uint64_t>(static_cast<uint64_t>(c.wavesPerSimd),
                                         static_cast<uint64_t>(c.vgprsPerSimd) / registers);
  uint64_t byWaves = waves >= numSimds ? wavesPerSimd / ((waves + numSimds - 1) / numSimds)
                                       : wavesPerSimd * numSimds / waves;
  uint64_t byLds =
      ldsBytes ? static_cast<uint64_t>(c.ldsBytes) / roundUpTo(ldsBytes, c.ldsGranule) : byWaves;
  return static_cast<unsigned>(std::max<uint64_t>(1, std::min(byWaves, byLds)));
}

MemoryShare shareOf(const TimingConstants &c, const Placement &placement, double clockGhz,
                    uint64_t footprintBytes, bool warm) {
  auto cus = static_cast<double>(placement.activeCus());
  auto perCu = [&](double gigabytes) {
    return std::min(c.l2BytesPerClk, gigabytes / clockGhz / cus);
  };
  MemoryShare share;
  share.infinityBytesPerClk = perCu(c.infinityCacheGBs);
  share.hbmBytesPerClk = perCu(c.hbmGBs);
  share.infinityExtraClk = c.infinityCacheExtraNs * clockGhz;
  share.hbmExtraClk = c.hbmExtraNs * clockGhz;
  auto footprint = static_cast<double>(std::max<uint64_t>(1, footprintBytes));
  if (warm)
    share.hbmFraction = std::max(0.0, 1 - c.infinityCacheBytes / footprint);
  return share;
}

/// Runs the work-groups that the model looks at: those of the first CU to their end, those that are
/// resident beside them for a while.
llvm::Error record(const CodeObject &object, llvm::StringRef kernelName, Dim3 grid, Dim3 block,
                   llvm::ArrayRef<uint8_t> kernarg, Memory &memory, const LaunchOptions &launch,
                   const Placement &placement, const std::vector<uint64_t> &timed,
                   uint64_t sampleInstructions, ExecutionRecorder &recorder) {
  LaunchOptions options = launch;
  uint64_t resident = std::min(placement.groups, placement.cus * placement.places);
  for (uint64_t id = 0; id < resident; ++id)
    recorder.want(id, sampleInstructions);
  for (uint64_t id : timed)
    recorder.want(id, ~0ull); // to its end, or to the launch's own limit
  for (const auto &[id, group] : recorder.all())
    options.onlyGroups.push_back(id);
  options.recorder = &recorder;
  options.checks = Checks::None;
  options.maxInstructionsPerGroup = std::min(launch.maxInstructionsPerGroup, maxRecorded);
  auto ran = run(object, kernelName, grid, block, kernarg, memory, options);
  if (!ran)
    return ran.takeError();
  return ran->toError();
}

std::vector<ResidentGroup> residentGroups(const ExecutionRecorder &recorder,
                                          const Placement &placement) {
  std::vector<ResidentGroup> resident;
  for (const auto &[id, group] : recorder.all())
    if (id < placement.cus * placement.places)
      resident.push_back({group.get(), static_cast<unsigned>(id % placement.xcds)});
  return resident;
}

/// Texts, and instructions in address order.
void describe(TimingTrace &trace, const CodeObjectImpl &impl, const Program &program) {
  std::vector<uint32_t> order(trace.instructions.size()), place(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return trace.instructions[a].address < trace.instructions[b].address;
  });
  std::vector<TimedInstruction> sorted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    TimedInstruction timed = std::move(trace.instructions[order[i]]);
    timed.where = impl.describeAddress(timed.address);
    timed.text =
        static_cast<const Decoded *>(program.at(static_cast<uint32_t>(timed.address / 4)))->text;
    sorted.push_back(std::move(timed));
  }
  trace.instructions = std::move(sorted);
  for (WaveTimeline &wave : trace.waves)
    for (TimingEvent &event : wave.events)
      event.instruction = place[event.instruction];
  std::sort(trace.waves.begin(), trace.waves.end(),
            [](const WaveTimeline &a, const WaveTimeline &b) {
              return std::pair(a.group, a.wave) < std::pair(b.group, b.wave);
            });
}

void summarise(TimingResult &timing, const CuResult &cu, const TimingConstants &c) {
  auto clk = static_cast<double>(std::max<uint64_t>(1, cu.clk));
  timing.cuClk = cu.clk;
  timing.mfmaUtilisation = static_cast<double>(cu.matrixClk) / clk / numSimds;
  timing.valuUtilisation = static_cast<double>(cu.vectorClk) / clk / numSimds;
  timing.ldsUtilisation = static_cast<double>(cu.ldsClk) / clk;
  timing.memoryUtilisation = static_cast<double>(cu.memoryClk) / clk;
  timing.ldsConflictClk = cu.ldsConflictClk;
  timing.l2HitRate = cu.l2Lines > 0 ? 1 - cu.l2Misses / cu.l2Lines : 1;
  timing.infinityCacheHitRate = cu.l2Misses > 0 ? 1 - cu.infinityMisses / cu.l2Misses : 1;
  for (const TimedInstruction &instr : timing.trace.instructions)
    for (unsigned i = 0; i < numStallReasons; ++i)
      timing.stallByReason[i] += instr.stallByReason[i];

  // The rest of the CU's work-groups take as long as those behind the first that filled it.
  size_t timed = cu.groupEndClk.size();
  size_t first = std::min<size_t>(timing.groupsPerCu, timed);
  std::vector<uint64_t> ends = cu.groupEndClk;
  std::sort(ends.begin(), ends.end());
  double each = timed > first ? static_cast<double>(ends.back() - ends[first - 1]) /
                                    static_cast<double>(timed - first)
                              : clk / static_cast<double>(timed);
  timing.kernelClk = c.launchMicroseconds * 1000 * timing.clockGhz + clk +
                     each * static_cast<double>(timing.groupsOnCu - timed);
}

} // namespace

llvm::Expected<TimingResult> timeKernel(const CodeObject &object, llvm::StringRef kernelName,
                                        Dim3 gridBlocks, Dim3 blockThreads,
                                        llvm::ArrayRef<uint8_t> kernarg, Memory &memory,
                                        const LaunchOptions &launch, const TimingOptions &options) {
  const TimingConstants &c = timingConstants(object.arch());
  const KernelInfo *info = object.findKernel(kernelName);
  if (!info)
    return llvm::createStringError("the code object has no kernel `" + kernelName + "`");
  uint64_t waves = std::max<uint64_t>(1, (product(blockThreads) + numLanes - 1) / numLanes);
  Placement placement{product(gridBlocks), static_cast<uint64_t>(c.computeUnits),
                      static_cast<uint64_t>(c.xcds),
                      placesPerCu(*info, info->ldsBytes + launch.dynamicLdsBytes, waves, c)};
  std::vector<uint64_t> timed =
      placement.onFirstCu(placement.places * std::max(1u, options.roundsPerCu));
  uint64_t footprint = memory.usedBytes();
  ExecutionRecorder recorder;
  if (llvm::Error e = record(object, kernelName, gridBlocks, blockThreads, kernarg, memory, launch,
                             placement, timed, waves * options.cacheSampleInstructions, recorder))
    return e;

  MemoryUses uses = replayCaches(residentGroups(recorder, placement), c);

  TimingResult timing;
  timing.clockGhz = options.clockGhz > 0 ? options.clockGhz : c.sustainedClock;
  timing.groupsPerCu = static_cast<uint32_t>(placement.places);
  timing.activeCus = static_cast<uint32_t>(placement.activeCus());
  timing.groupsOnCu = placement.countOnFirstCu();
  timing.groupsTimed = timed.size();
  timing.trace.arch = object.arch();
  timing.trace.kernel = kernelName.str();
  std::vector<const RecordedGroup *> groups;
  for (uint64_t id : timed)
    groups.push_back(recorder.find(id));
  MemoryShare share = shareOf(c, placement, timing.clockGhz, footprint, options.warm);
  ComputeUnit unit(c, share, uses, timing.trace, options.keepEvents);
  CuResult cu = unit.run(groups, static_cast<unsigned>(placement.places));
  const CodeObjectImpl &impl = object.impl();
  const KernelSetup &setup = impl.setups[static_cast<size_t>(info - impl.kernels.data())];
  describe(timing.trace, impl, impl.programFor(setup));
  summarise(timing, cu, c);
  return timing;
}

const TimingConstants &timingConstants(Arch arch) {
  static const TimingConstants gfx942Constants = {
#define TIMING(name, gfx942, gfx950, unit, source) gfx942,
#include "Constants.def"
  };
  static const TimingConstants gfx950Constants = {
#define TIMING(name, gfx942, gfx950, unit, source) gfx950,
#include "Constants.def"
  };
  return arch == Arch::Gfx950 ? gfx950Constants : gfx942Constants;
}

} // namespace tilec::sim

//===- Timing.cpp - how long a kernel takes -------------------------------===//
//
// Records the work-groups that matter, replays the caches, then the CU, and scales to
// the grid.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/Timing.h"

#include "../CodeObjectImpl.h"
#include "ComputeUnit.h"
#include "ControlSlice.h"
#include "Grid.h"
#include "Peaks.h"

#include <algorithm>
#include <numeric>

namespace tilec::sim {
namespace {

// Instructions of one work-group that are recorded at most: 16 bytes each.
constexpr uint64_t maxRecorded = 100'000'000;
// Work-groups of a grid whose work is counted one by one.
constexpr uint64_t mostWalked = 1 << 18;
// Instructions of a work-group after which it is taken to wait for others, which a walk does not
// run.
constexpr uint64_t mostWalkedOfGroup = 1 << 25;
// Sizes of work-groups that are timed where sizes differ.
constexpr size_t timedSizes = 5;

uint64_t roundUpTo(uint64_t value, double granule) {
  auto g = static_cast<uint64_t>(granule);
  return (value + g - 1) / g * g;
}

uint64_t product(Dim3 dim) { return static_cast<uint64_t>(dim[0]) * dim[1] * dim[2]; }

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
  // Least recently used goes out first: of a footprint that does not fit, every run finds the end
  // of what the run before left, and needs the beginning.
  if (warm && static_cast<double>(footprintBytes) <= c.infinityCacheBytes)
    share.hbmFraction = 0;
  share.atomicDwordsPerClk = c.atomicDwordsPerClk * c.xcds / cus;
  share.places = static_cast<unsigned>(placement.places);
  return share;
}

/// What is the same for all steps of timing one launch.
struct Request {
  const CodeObject &object;
  llvm::StringRef kernel;
  Dim3 grid, block;
  llvm::ArrayRef<uint8_t> kernarg;
  Memory &memory;
  const LaunchOptions &launch;
  const TimingConstants &c;
  Placement placement;

  const CodeObjectImpl &impl() const { return object.impl(); }
  const KernelSetup &setup() const {
    const KernelInfo *info = object.findKernel(kernel);
    return impl().setups[static_cast<size_t>(info - impl().kernels.data())];
  }
  const Program &program() const { return impl().programFor(setup()); }
  llvm::Expected<RunResult> runOnly(std::vector<uint64_t> groups,
                                    ExecutionRecorder &recorder) const {
    LaunchOptions options = launch;
    options.onlyGroups = std::move(groups);
    options.recorder = &recorder;
    options.checks = Checks::None;
    if (recorder.slice) { // waves do not meet: each goes to its end
      options.interleaveSeed = 0;
      options.sliceInstructions = ~0u;
    }
    options.maxInstructionsPerGroup =
        std::min(launch.maxInstructionsPerGroup, recorder.slice ? mostWalkedOfGroup : maxRecorded);
    return run(object, kernel, grid, block, kernarg, memory, options);
  }
};

/// Runs `timed` work-groups to their end and those of `sampled` for a while.
llvm::Error record(const Request &request, const std::vector<uint64_t> &timed,
                   const std::vector<uint64_t> &sampled, uint64_t sampleInstructions,
                   ExecutionRecorder &recorder) {
  for (uint64_t id : sampled)
    recorder.want(id, sampleInstructions);
  for (uint64_t id : timed)
    recorder.want(id, ~0ull); // to its end, or to the launch's own limit
  std::vector<uint64_t> groups;
  for (const auto &[id, group] : recorder.all())
    groups.push_back(id);
  auto ran = request.runOnly(std::move(groups), recorder);
  if (!ran)
    return ran.takeError();
  return ran->toError();
}

/// Walks the work-groups `ids`: what they would execute, by the part of the code that decides it.
bool walk(const Request &request, const ControlSlice &slice, std::vector<uint64_t> ids,
          std::unordered_map<uint64_t, GroupWork> &work) {
  ExecutionRecorder recorder;
  recorder.slice = &slice;
  size_t count = ids.size();
  auto ran = request.runOnly(std::move(ids), recorder);
  if (!ran) {
    llvm::consumeError(ran.takeError());
    return false;
  }
  work = std::move(recorder.work);
  return ran->completed && work.size() == count;
}

/// A part of a very large grid stands for the rest: a group for those between it and the next.
std::vector<uint64_t> groupsToWalk(uint64_t groups) {
  uint64_t every = (groups + mostWalked - 1) / mostWalked;
  every += every > 1 && every % 2 == 0; // sizes of grids are even: no rhythm of theirs is met
  std::vector<uint64_t> ids;
  for (uint64_t id = 0; id < groups; id += every)
    ids.push_back(id);
  return ids;
}

GridWork workOf(const Request &request) {
  GridWork work;
  work.groups = request.placement.groups;
  ControlSlice slice(request.program(), request.setup().entryPc);
  if (!slice.whyNot().empty()) {
    work.assumed = "branches depend on `" + slice.whyNot() + "`";
    return work;
  }
  std::unordered_map<uint64_t, GroupWork> seen;
  std::vector<uint64_t> sample = sampleOfGrid(request.grid);
  if (!walk(request, slice, sample, seen)) {
    work.assumed = "it may wait for others";
    return work;
  }
  GroupWork first = seen[sample.front()];
  bool alike = true;
  for (const auto &[id, group] : seen) {
    alike &= isAlike(group, first);
    work.typical.instructions += group.instructions;
    work.typical.matrixPasses += group.matrixPasses;
  }
  work.typical.instructions /= seen.size();
  work.typical.matrixPasses /= seen.size();
  if (alike)
    return work;
  std::vector<uint64_t> ids = groupsToWalk(work.groups);
  if (sample.size() < work.groups && !walk(request, slice, ids, seen)) {
    work.assumed = "it may wait for others";
    return work;
  }
  work.of.resize(work.groups);
  GroupWork last = work.typical;
  for (uint64_t id = 0; id < work.groups; ++id) {
    auto found = seen.find(id);
    work.of[id] = last = found == seen.end() ? last : found->second;
  }
  return work;
}

std::vector<uint64_t> residentIds(const Placement &placement) {
  std::vector<uint64_t> ids(placement.resident());
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

/// Those that the caches serve together. Behind the sample, work-groups that are recorded to their
/// end stand for all: also those that start later.
std::vector<ResidentGroup> residentGroups(const ExecutionRecorder &recorder,
                                          const Placement &placement, bool withLater) {
  std::vector<ResidentGroup> resident;
  for (const auto &[id, group] : recorder.all())
    if (withLater || id < placement.resident())
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

void summarise(TimingResult &timing, const CuResult &cu) {
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
}

/// Clocks that the busiest part of the CU needs for one of the groups: they never follow each other
/// faster.
double busiestClkAGroup(const CuResult &cu, const MemoryShare &share, const TimingConstants &c) {
  double clk = std::max({static_cast<double>(cu.matrixClk) / numSimds, double(cu.ldsClk),
                         double(cu.memoryClk), static_cast<double>(cu.l2Bytes) / c.l2BytesPerClk,
                         cu.l2Misses * c.lineBytes / share.infinityBytesPerClk,
                         cu.infinityMisses * c.lineBytes / share.hbmBytesPerClk});
  return clk / static_cast<double>(cu.groupEndClk.size());
}

/// The rest of the CU's work-groups take as long as those behind the first that filled it.
double scaleToCu(const CuResult &cu, uint64_t places, uint64_t groups, double busiestClk) {
  size_t timed = cu.groupEndClk.size(), first = std::min<size_t>(places, timed);
  std::vector<uint64_t> ends = cu.groupEndClk;
  std::sort(ends.begin(), ends.end());
  auto clk = static_cast<double>(cu.clk);
  double each = timed > first ? static_cast<double>(ends.back() - ends[first - 1]) /
                                    static_cast<double>(timed - first)
                              : clk / static_cast<double>(timed);
  return clk + std::max(each, busiestClk) * static_cast<double>(groups - timed);
}

/// One launch on its way to a prediction.
class GridTimer {
public:
  GridTimer(const Request &request, const TimingOptions &options, TimingResult &timing)
      : request(request), options(options), timing(timing),
        waves(std::max<uint64_t>(1, (product(request.block) + numLanes - 1) / numLanes)),
        share(shareOf(request.c, request.placement, timing.clockGhz, request.memory.usedBytes(),
                      options.warm)) {}

  llvm::Error run() {
    const Placement &placement = request.placement;
    work = workOf(request);
    timing.workAssumed = work.assumed;
    timing.equalWork = work.isEqual();
    if (llvm::Error e = work.isEqual() ? timeEqual() : timeUnequal())
      return e;
    timing.kernelClk = gridClk + request.c.launchMicroseconds * 1000 * timing.clockGhz;
    timing.groupsPerCu = static_cast<uint32_t>(placement.places);
    timing.activeCus = static_cast<uint32_t>(placement.activeCus());
    return checkPeaks(use(), request.object.arch(), request.kernel);
  }

private:
  uint64_t sampleInstructions() const { return waves * options.cacheSampleInstructions; }
  unsigned places() const { return static_cast<unsigned>(request.placement.places); }
  size_t groupsToReplay() const {
    return request.placement.places * std::max(1u, options.roundsPerCu);
  }

  llvm::Error timeEqual() {
    const Placement &placement = request.placement;
    std::vector<uint64_t> timed = placement.onFirstCu(groupsToReplay());
    ExecutionRecorder recorder;
    if (llvm::Error e =
            record(request, timed, residentIds(placement), sampleInstructions(), recorder))
      return e;
    uses = replayCaches(residentGroups(recorder, placement, false), request.c);
    replay(recorder, timed);
    count(recorder, timed, cu);
    timing.groupsOnCu = placement.countOnFirstCu();
    gridClk = scaleToCu(cu, places(), timing.groupsOnCu, busiestClkAGroup(cu, share, request.c));
    return llvm::Error::success();
  }

  /// Times work-groups of several sizes and dispatches the whole grid by them.
  llvm::Error timeUnequal() {
    const Placement &placement = request.placement;
    std::vector<uint64_t> bySize(placement.groups);
    std::iota(bySize.begin(), bySize.end(), 0);
    std::sort(bySize.begin(), bySize.end(), [&](uint64_t a, uint64_t b) {
      return std::pair(work.of[a].instructions, a) < std::pair(work.of[b].instructions, b);
    });
    // Of each size one group alone, and as many neighbours in size as fill a CU.
    std::vector<std::vector<uint64_t>> crowds(timedSizes);
    std::vector<uint64_t> all;
    uint64_t crowd = std::min(placement.places, placement.groups);
    for (size_t i = 0; i < timedSizes; ++i) {
      uint64_t first = i * (placement.groups - crowd) / (timedSizes - 1);
      crowds[i].assign(bySize.begin() + static_cast<std::ptrdiff_t>(first),
                       bySize.begin() + static_cast<std::ptrdiff_t>(first + crowd));
      all.insert(all.end(), crowds[i].begin(), crowds[i].end());
    }
    ExecutionRecorder recorder;
    if (llvm::Error e =
            record(request, all, residentIds(placement), sampleInstructions(), recorder))
      return e;
    uses = replayCaches(residentGroups(recorder, placement, true), request.c);

    std::vector<Durations::Point> points;
    for (size_t i = 0; i < timedSizes; ++i)
      points.push_back(
          durationOf(recorder, crowds[i], crowds[i][i * (crowd - 1) / (timedSizes - 1)]));
    Durations durations(std::move(points));
    Dispatch whole = dispatch(
        placement,
        [&](uint64_t id) { return durations.at(static_cast<double>(work.of[id].instructions)); },
        request.c.groupStartClk);
    gridClk = whole.clk;

    // What the user sees is the CU that ends last.
    std::vector<uint64_t> timed = whole.lastCu;
    timing.groupsOnCu = timed.size();
    timed.resize(std::min(timed.size(), groupsToReplay()));
    ExecutionRecorder last;
    if (llvm::Error e = record(request, timed, {}, 0, last))
      return e;
    replay(last, timed);
    return llvm::Error::success();
  }

  /// Of work-group `id`, alone and by its part of the work of `crowd`.
  Durations::Point durationOf(const ExecutionRecorder &recorder, const std::vector<uint64_t> &crowd,
                              uint64_t id) {
    auto instructions = static_cast<double>(work.of[id].instructions);
    double ofCrowd = 0;
    for (uint64_t other : crowd)
      ofCrowd += static_cast<double>(work.of[other].instructions);
    auto alone = static_cast<double>(replayQuietly(recorder, {id}).clk);
    CuResult full = replayQuietly(recorder, crowd);
    count(recorder, crowd, full);
    return {instructions, alone,
            std::min(alone, static_cast<double>(full.clk) * instructions / ofCrowd)};
  }

  static std::vector<const RecordedGroup *> found(const ExecutionRecorder &recorder,
                                                  const std::vector<uint64_t> &ids) {
    std::vector<const RecordedGroup *> groups;
    for (uint64_t id : ids)
      groups.push_back(recorder.find(id));
    return groups;
  }
  /// The replay whose trace the user sees.
  void replay(const ExecutionRecorder &recorder, const std::vector<uint64_t> &ids) {
    timing.groupsTimed = ids.size();
    ComputeUnit unit(request.c, share, uses, timing.trace, options.keepEvents);
    cu = unit.run(found(recorder, ids), places());
  }
  CuResult replayQuietly(const ExecutionRecorder &recorder,
                         const std::vector<uint64_t> &ids) const {
    TimingTrace trace;
    ComputeUnit unit(request.c, share, uses, trace, false);
    return unit.run(found(recorder, ids), places());
  }

  /// What work-groups that were replayed did, for the peaks.
  void count(const ExecutionRecorder &recorder, const std::vector<uint64_t> &ids,
             const CuResult &result) {
    for (uint64_t id : ids)
      countGroup(*recorder.find(id));
    replayedUse.ldsClk += static_cast<double>(result.ldsClk);
    replayedUse.l2Bytes += static_cast<double>(result.l2Bytes);
    replayedUse.hbmBytes += result.infinityMisses * request.c.lineBytes;
  }
  void countGroup(const RecordedGroup &group) {
    for (const RecordedWave &wave : group.waves)
      for (const RecordedInstr &recorded : wave.instrs) {
        ++replayed.instructions;
        if (!recorded.instr->passes)
          continue;
        replayed.matrixPasses += recorded.instr->passes;
        MatrixType type;
        bool sparse;
        double flops = matrixFlops(*recorded.instr, type, sparse);
        replayedUse.flops[static_cast<unsigned>(type)] += sparse ? flops / 2 : flops;
      }
  }

  /// The whole grid, from what was replayed and how much of the work that was.
  GridUse use() const {
    GridUse all;
    all.clk = gridClk;
    all.clockGhz = timing.clockGhz;
    double instructions = static_cast<double>(work.instructions()),
           passes = static_cast<double>(work.matrixPasses());
    if (work.typical.instructions == 0) { // not walked
      double groups = static_cast<double>(work.groups) / static_cast<double>(timing.groupsTimed);
      instructions = static_cast<double>(replayed.instructions) * groups;
      passes = static_cast<double>(replayed.matrixPasses) * groups;
    }
    double part = instructions / static_cast<double>(std::max<uint64_t>(1, replayed.instructions));
    all.matrixClk = passes * request.c.passClk;
    if (replayed.matrixPasses)
      for (unsigned i = 0; i < numMatrixTypes; ++i)
        all.flops[i] = replayedUse.flops[i] * passes / static_cast<double>(replayed.matrixPasses);
    all.ldsClk = replayedUse.ldsClk * part;
    all.l2Bytes = replayedUse.l2Bytes * part;
    all.hbmBytes = replayedUse.hbmBytes * part;
    return all;
  }

  const Request &request;
  const TimingOptions &options;
  TimingResult &timing;
  uint64_t waves;
  MemoryShare share;
  GridWork work;
  MemoryUses uses;
  CuResult cu;
  GroupWork replayed;
  GridUse replayedUse;
  double gridClk = 0;

public:
  const CuResult &replayedCu() const { return cu; }
};

} // namespace

static TimingConstants scaled(TimingConstants c, double scale) {
  for (double *latency :
       {&c.ldsLatencyClk, &c.ldsWriteLatencyClk, &c.l1LatencyClk, &c.l2LatencyClk,
        &c.infinityCacheExtraNs, &c.hbmExtraNs, &c.scalarColdClk, &c.scalarHitClk})
    *latency *= scale;
  return c;
}

llvm::Expected<TimingResult> timeKernel(const CodeObject &object, llvm::StringRef kernelName,
                                        Dim3 gridBlocks, Dim3 blockThreads,
                                        llvm::ArrayRef<uint8_t> kernarg, Memory &memory,
                                        const LaunchOptions &launch, const TimingOptions &options) {
  const TimingConstants c = scaled(timingConstants(object.arch()), options.latencyScale);
  const KernelInfo *info = object.findKernel(kernelName);
  if (!info)
    return llvm::createStringError("the code object has no kernel `" + kernelName + "`");
  uint64_t waves = std::max<uint64_t>(1, (product(blockThreads) + numLanes - 1) / numLanes);
  Placement placement{product(gridBlocks), static_cast<uint64_t>(c.computeUnits),
                      static_cast<uint64_t>(c.xcds),
                      placesPerCu(*info, info->ldsBytes + launch.dynamicLdsBytes, waves, c)};
  Request request{object, kernelName, gridBlocks, blockThreads, kernarg,
                  memory, launch,     c,          placement};
  TimingResult timing;
  timing.clockGhz = options.clockGhz > 0 ? options.clockGhz : c.sustainedClock;
  timing.trace.arch = object.arch();
  timing.trace.kernel = kernelName.str();
  GridTimer timer(request, options, timing);
  if (llvm::Error e = timer.run())
    return e;
  describe(timing.trace, request.impl(), request.program());
  summarise(timing, timer.replayedCu());
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

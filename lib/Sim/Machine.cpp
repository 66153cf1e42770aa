//===- Machine.cpp - launching a grid -------------------------------------===//
//
// Sets up work-groups as the hardware's dispatcher does and spreads them over host
// threads. A work-group that runs long is put aside for others, so that groups may wait
// for each other.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Checker.h"
#include "CodeObjectImpl.h"
#include "Execute.h"
#include "GlobalOrder.h"
#include "Progress.h"
#include "Reporter.h"
#include "SwapLoops.h"
#include "Timing/Recorder.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <thread>

namespace tilec::sim {
namespace {

namespace hsa = llvm::amdhsa;

template <class... Args> llvm::Error fail(const char *format, Args... args) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), format, args...);
}

// LDS of a work-group: amd.md 1.1.
uint32_t ldsLimit(Arch arch) { return arch == Arch::Gfx950 ? 160 << 10 : 64 << 10; }
// A wave has at most 8 MiB of scratch (SPI_TMPRING_SIZE, AMDGPUUsage).
constexpr uint32_t maxScratchPerLane = 128 << 10;
// Far beyond what could be run; keeps products of sizes in range.
constexpr uint64_t maxGroups = 1ull << 40;
// Wave instructions after which other work-groups get a turn.
constexpr uint64_t turnInstructions = 20'000'000;

struct Launch {
  const KernelInfo *info;
  const KernelSetup *setup;
  const Program *program;
  const LaunchOptions *options;
  const Memory *memory;
  Dim3 grid, block;
  uint32_t ldsBytes;
  uint64_t kernargAddress, packetAddress, queueAddress;
  llvm::ArrayRef<uint8_t> kernarg;
  uint64_t gridGroups() const { return static_cast<uint64_t>(grid[0]) * grid[1] * grid[2]; }
  /// How many are run.
  uint64_t groups() const {
    return options->onlyGroups.empty() ? gridGroups() : options->onlyGroups.size();
  }
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
};

/// hsa_kernel_dispatch_packet_t, HSA Runtime specification 2.9.6.
std::array<uint8_t, 64> dispatchPacket(const Launch &launch) {
  std::array<uint8_t, 64> packet = {};
  auto put = [&](size_t at, auto value) { std::memcpy(&packet[at], &value, sizeof(value)); };
  put(2, uint16_t(3));
  for (size_t i = 0; i < 3; ++i) {
    put(4 + 2 * i, static_cast<uint16_t>(launch.block[i]));
    put(12 + 4 * i, launch.grid[i] * launch.block[i]);
  }
  put(24, launch.info->scratchBytes);
  put(28, launch.ldsBytes);
  put(40, launch.kernargAddress);
  return packet;
}

class SgprWriter {
public:
  explicit SgprWriter(Wave &wave) : wave(wave) {}
  void put(uint32_t value) {
    if (next < sgprFlatScratch)
      wave.s[next] = value;
    ++next;
  }
  void putPair(uint64_t value) {
    put(static_cast<uint32_t>(value));
    put(static_cast<uint32_t>(value >> 32));
  }
  void skipTo(unsigned index) { next = std::max(next, index); }
  unsigned next = 0;

private:
  Wave &wave;
};

/// Returns how many are set. User SGPRs, then system SGPRs, in ABI order (AMDGPUUsage, "Initial
/// Kernel Execution State").
uint32_t setUpSgprs(const Launch &launch, const Group &group, Wave &wave) {
  uint16_t p = launch.setup->properties;
  SgprWriter sgprs(wave);
  if (p & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER)
    sgprs.skipTo(4); // flat scratch is architected: the buffer is not used
  if (p & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR)
    sgprs.putPair(launch.packetAddress);
  if (p & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR)
    sgprs.putPair(launch.queueAddress);
  if (p & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR)
    sgprs.putPair(launch.kernargAddress);
  if (p & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID)
    sgprs.putPair(0);
  if (p & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT)
    sgprs.putPair(0);
  if (p & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE)
    sgprs.put(launch.info->scratchBytes);
  uint32_t preloadDwords = launch.setup->preload & 0x7f;
  uint32_t preloadOffset = launch.setup->preload >> 7 & 0x1ff; // dwords
  for (uint32_t i = 0; i < preloadDwords; ++i) {
    uint32_t value = 0;
    size_t at = 4ull * (preloadOffset + i);
    if (at + 4 <= launch.kernarg.size())
      std::memcpy(&value, &launch.kernarg[at], 4);
    sgprs.put(value);
  }
  uint32_t rsrc2 = launch.setup->rsrc2;
  sgprs.next = rsrc2 >> 1 & 31; // USER_SGPR_COUNT
  for (unsigned i = 0; i < 3; ++i)
    if (rsrc2 >> (7 + i) & 1) // ENABLE_SGPR_WORKGROUP_ID_X, _Y, _Z
      sgprs.put(group.id[i]);
  if (rsrc2 >> 10 & 1) // ENABLE_SGPR_WORKGROUP_INFO
    sgprs.put(static_cast<uint32_t>(group.waves.size()));
  return sgprs.next;
}

/// v0 = x | y << 10 | z << 20, as far as the descriptor asks for y and z.
void setUpWorkItems(const Launch &launch, Wave &wave) {
  uint32_t numIds = launch.setup->rsrc2 >> 11 & 3;
  uint64_t exec = 0;
  for (uint32_t lane = 0; lane < numLanes; ++lane) {
    uint32_t flat = wave.index * numLanes + lane;
    if (flat >= launch.threads())
      break;
    exec |= 1ull << lane;
    uint32_t x = flat % launch.block[0], y = flat / launch.block[0] % launch.block[1],
             z = flat / launch.block[0] / launch.block[1];
    wave.v[0][lane] = x | (numIds >= 1 ? y << 10 : 0) | (numIds >= 2 ? z << 20 : 0);
  }
  wave.setPair(sgprExec, exec);
}

uint32_t initialMode(uint32_t rsrc1) {
  // FLOAT_MODE 19:12 to MODE 7:0; DX10_CLAMP 21 to 8; IEEE 23 to 9; FP16_OVFL 26 to 23.
  return (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9 |
         (rsrc1 >> 26 & 1) << 23;
}

constexpr uint32_t garbageWord = 0xdeadbeef; // what registers and LDS hold before they are written

void startGroup(const Launch &launch, Engine &engine, uint64_t number, Group &group) {
  uint32_t numWaves = (launch.threads() + numLanes - 1) / numLanes;
  group.engine = &engine;
  group.number = number;
  group.id = {static_cast<uint32_t>(number % launch.grid[0]),
              static_cast<uint32_t>(number / launch.grid[0] % launch.grid[1]),
              static_cast<uint32_t>(number / launch.grid[0] / launch.grid[1])};
  group.instructions = group.matrixPasses = group.barrierEpoch = 0;
  group.gridMeetings = group.gridFences = 0;
  group.stop = group.saidDivergent = false;
  group.ldsUse.clear();
  group.random =
      (launch.options->interleaveSeed + 0x9e3779b97f4a7c15ull) ^ (number * 0xff51afd7ed558ccdull);
  group.random = group.random ? group.random : 1;
  group.lds.assign(launch.ldsBytes, 0xA5);
  size_t rowsPerWave = launch.setup->numVgprs;
  group.registerFile.assign(numWaves * rowsPerWave * numLanes + 16, garbageWord);
  group.scratch.assign(static_cast<size_t>(numWaves) * numLanes * launch.info->scratchBytes, 0xA5);
  group.waves.clear();
  group.waves.resize(numWaves);
  // Rows on 64-byte boundaries, which vector instructions of the host like.
  auto base = reinterpret_cast<uintptr_t>(group.registerFile.data());
  auto *file = reinterpret_cast<Row *>((base + 63) / 64 * 64);
  uint32_t numSgprs = 0;
  for (uint32_t i = 0; i < numWaves; ++i) {
    Wave &wave = group.waves[i];
    wave.index = i;
    wave.group = &group;
    wave.v = file + i * rowsPerWave;
    wave.numVgprs = launch.setup->numVgprs;
    wave.pc = launch.setup->entryPc;
    wave.mode = initialMode(launch.setup->rsrc1);
    wave.floatEnvSet =
        FloatEnv::hostControl(wave.mode, false) != FloatEnv::hostControl(3u << 4, false);
    wave.scratchBytes = launch.info->scratchBytes;
    wave.scratch = wave.scratchBytes
                       ? &group.scratch[static_cast<size_t>(i) * numLanes * wave.scratchBytes]
                       : nullptr;
    for (uint32_t &s : wave.s)
      s = garbageWord;
    numSgprs = setUpSgprs(launch, group, wave);
    setUpWorkItems(launch, wave);
    wave.startExec = wave.exec();
  }
  group.watch.reset();
  group.nextWatch = firstWatchInstructions;
  group.changedGlobal = group.hasWaited = false;
  group.record = launch.options->recorder && !engine.slice
                     ? launch.options->recorder->start(number, numWaves)
                     : nullptr;
  group.checker.reset();
  if (launch.options->checks == Checks::All) {
    group.checker = std::make_shared<GroupChecker>(group, numSgprs);
    group.scratchWritten.assign(group.scratch.size(), 0);
    for (Wave &wave : group.waves) {
      wave.checker = &group.checker->waves[wave.index];
      if (wave.scratch)
        wave.scratchWritten = group.scratchWritten.data() + (wave.scratch - group.scratch.data());
    }
  }
}

/// Hands out work-groups; those that had their turn wait behind the new ones.
class Dispatcher {
public:
  Dispatcher(const Launch &launch, Reporter &reporter)
      : launch(launch), reporter(reporter),
        deadline(std::chrono::steady_clock::now() +
                 std::chrono::microseconds(
                     static_cast<int64_t>(std::min(launch.options->maxSeconds, 1e9) * 1e6))) {
    if (launch.options->checks != Checks::All)
      return;
    swapLoops = findSwapLoops(*launch.program, *launch.setup);
    // Cells number work-groups with 32 bits.
    if (launch.gridGroups() < GlobalOrder::several - 1)
      order = std::make_unique<GlobalOrder>(launch.options->barrier, swapLoops.hasSwaps);
  }

  void work() {
    auto engine =
        std::make_unique<Engine>(Engine{launch.program, launch.options, launch.memory, &reporter,
                                        MemoryPort(*launch.memory, order.get()), deadline});
    engine->swapLoops = &swapLoops;
    if (launch.options->recorder)
      engine->slice = launch.options->recorder->slice;
    std::unique_ptr<Group> spare;
    while (std::unique_ptr<Group> group = take(*engine, spare)) {
      uint64_t before = group->instructions;
      Turn turn = runGroup(*group, turnInstructions);
      count(*group, group->instructions - before, turn == Turn::Ended);
      endTurn(group, turn);
      spare = std::move(group);
    }
  }
  RunCounters counters;

private:
  /// A work-group that has had a turn.
  struct Paused {
    std::unique_ptr<Group> group;
    bool waits;       ///< for a change of global memory that another one makes
    uint64_t changes; ///< of global memory when its last turn began
  };

  std::unique_ptr<Group> take(Engine &engine, std::unique_ptr<Group> &spare) {
    std::unique_lock lock(mutex);
    for (;;) {
      if (reporter.stopped())
        return nullptr;
      auto next = std::find_if(paused.begin(), paused.end(),
                               [&](const Paused &p) { return !p.waits || p.changes != changes; });
      bool isNewLeft = nextGroup < launch.groups();
      // Resume an old group only when no new one is left, or every other time, so that both groups
      // that wait and groups that are waited for get on.
      // All of a cooperative launch are there before one goes on.
      bool oldMayGo = preferOld && !launch.options->cooperative;
      if (next != paused.end() && (!isNewLeft || oldMayGo)) {
        preferOld = false;
        auto group = std::move(next->group);
        paused.erase(next);
        group->engine = &engine;
        beginTurn(*group);
        return group;
      }
      preferOld = true;
      if (isNewLeft)
        break;
      if (paused.empty())
        return nullptr;
      if (running == 0) {
        if (isStuck) // another thread is about to say so, with its engine
          return nullptr;
        isStuck = true;
        Group &first = *paused.front().group;
        first.engine = &engine;
        lock.unlock();
        reportStuck(first, paused.size() - 1);
        turnEnded.notify_all();
        return nullptr;
      }
      turnEnded.wait_for(lock, std::chrono::milliseconds(20));
    }
    uint64_t number = nextGroup++;
    ++running;
    uint64_t changesBefore = changes;
    lock.unlock();
    auto group = spare ? std::move(spare) : std::make_unique<Group>();
    const std::vector<uint64_t> &only = launch.options->onlyGroups;
    startGroup(launch, engine, only.empty() ? number : only[number], *group);
    group->changesBefore = changesBefore;
    return group;
  }
  void beginTurn(Group &group) {
    ++running;
    group.changedGlobal = false;
    group.changesBefore = changes;
  }
  /// Keeps the group when it has to be continued.
  void endTurn(std::unique_ptr<Group> &group, Turn turn) {
    {
      std::lock_guard lock(mutex);
      --running;
      changes += group->changedGlobal;
      if (turn != Turn::Ended) {
        uint64_t before = group->changesBefore;
        paused.push_back({std::move(group), turn == Turn::Waits, before});
      }
    }
    turnEnded.notify_all();
  }
  void count(const Group &group, uint64_t instructions, bool ended) {
    std::lock_guard lock(mutex);
    counters.instructions += instructions;
    if (ended) {
      ++counters.groups;
      counters.waves += group.waves.size();
      for (const Wave &wave : group.waves)
        counters.mfma += wave.mfma;
      if (group.engine->slice)
        launch.options->recorder->work[group.number] = {group.instructions, group.matrixPasses};
      for (const auto &[pc, use] : group.ldsUse)
        reporter.addLdsUse(pc, use);
    }
    if (launch.options->progress)
      launch.options->progress({counters.groups, launch.groups(), counters.instructions});
  }

  const Launch &launch;
  Reporter &reporter;
  std::chrono::steady_clock::time_point deadline;
  std::unique_ptr<GlobalOrder> order; ///< null: not looked at
  SwapLoops swapLoops;
  std::mutex mutex;
  uint64_t nextGroup = 0;
  bool preferOld = false;
  std::deque<Paused> paused;
  uint64_t changes = 0; ///< turns that have changed global memory
  unsigned running = 0; ///< work-groups that have a turn
  bool isStuck = false; ///< no work-group can go on
  std::condition_variable turnEnded;
};

llvm::Error checkLaunch(const Launch &launch, Arch arch) {
  for (unsigned i = 0; i < 3; ++i)
    if (launch.grid[i] == 0 || launch.block[i] == 0 || launch.block[i] > 1024)
      return fail(
          "grid (%u, %u, %u), block (%u, %u, %u): every size must be at least 1, and a block "
          "has at most 1024 work-items",
          launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
          launch.block[2]);
  uint64_t plane = static_cast<uint64_t>(launch.grid[0]) * launch.grid[1];
  if (plane > maxGroups || launch.grid[2] > maxGroups / plane)
    return fail("a grid of %u x %u x %u work-groups is too large", launch.grid[0], launch.grid[1],
                launch.grid[2]);
  for (uint64_t group : launch.options->onlyGroups)
    if (group >= launch.gridGroups())
      return fail("work-group %llu is not in the grid", static_cast<unsigned long long>(group));
  const KernelInfo &info = *launch.info;
  if (launch.threads() > 1024)
    return fail("a block of %u work-items is more than the hardware's 1024", launch.threads());
  if (info.maxBlockThreads && launch.threads() > info.maxBlockThreads)
    return fail("a block of %u work-items is more than the %u that `%s` was compiled for",
                launch.threads(), info.maxBlockThreads, info.name.c_str());
  if (launch.ldsBytes > ldsLimit(arch))
    return fail("`%s` needs %u bytes of LDS; %s has %u", info.name.c_str(), launch.ldsBytes,
                std::string(nameOf(arch)).c_str(), ldsLimit(arch));
  if (info.scratchBytes > maxScratchPerLane)
    return fail("`%s` asks for %u bytes of scratch a lane", info.name.c_str(), info.scratchBytes);
  if (launch.kernarg.size() < info.kernargBytes)
    return fail("`%s` takes %u bytes of arguments, %llu were given", info.name.c_str(),
                info.kernargBytes, static_cast<unsigned long long>(launch.kernarg.size()));
  if (const char *why = unsupportedMode(initialMode(launch.setup->rsrc1)))
    return fail("`%s`: %s", info.name.c_str(), why);
  return llvm::Error::success();
}

/// Launch data that lives in device memory while the kernel runs.
class TemporaryBuffers {
public:
  explicit TemporaryBuffers(Memory &memory) : memory(memory) {}
  ~TemporaryBuffers() {
    for (uint64_t address : addresses)
      llvm::consumeError(memory.release(address));
  }
  llvm::Expected<uint64_t> add(llvm::ArrayRef<uint8_t> bytes, uint64_t size, llvm::StringRef name) {
    auto address = memory.allocate(size, name);
    if (!address)
      return address;
    addresses.push_back(*address);
    uint8_t *host = memory.hostPointerForWriting(*address, size);
    std::memset(host, 0, size);
    if (!bytes.empty())
      std::memcpy(host, bytes.data(), bytes.size());
    return address;
  }

  /// What a loader has put where the program counter is.
  llvm::Error addImage(llvm::ArrayRef<uint8_t> image) {
    if (llvm::Error e = memory.place(codeBase, image, "code object"))
      return e;
    addresses.push_back(codeBase);
    return llvm::Error::success();
  }

private:
  Memory &memory;
  std::vector<uint64_t> addresses;
};

llvm::Error placeLaunchData(Launch &launch, llvm::ArrayRef<uint8_t> image,
                            TemporaryBuffers &buffers) {
  if (llvm::Error e = buffers.addImage(image))
    return e;
  // Compilers may load up to the next 64 bytes of the segment.
  uint64_t kernargBytes = (launch.kernarg.size() + 63) / 64 * 64 + 64;
  auto kernarg = buffers.add(launch.kernarg, kernargBytes, "kernel arguments");
  if (!kernarg)
    return kernarg.takeError();
  launch.kernargAddress = *kernarg;
  auto packet = buffers.add(dispatchPacket(launch), 64, "dispatch packet");
  if (!packet)
    return packet.takeError();
  launch.packetAddress = *packet;
  auto queue = buffers.add({}, 256, "queue");
  if (!queue)
    return queue.takeError();
  launch.queueAddress = *queue;
  return llvm::Error::success();
}

unsigned threadCount(const Launch &launch) {
  unsigned wanted = launch.options->threads ? launch.options->threads
                                            : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<uint64_t>(wanted, launch.groups()));
}

} // namespace

llvm::Expected<RunResult> run(const CodeObject &object, llvm::StringRef kernelName, Dim3 gridBlocks,
                              Dim3 blockThreads, llvm::ArrayRef<uint8_t> kernarg, Memory &memory,
                              const LaunchOptions &options) {
  auto begin = std::chrono::steady_clock::now();
  const KernelInfo *info = object.findKernel(kernelName);
  if (!info) {
    std::string names;
    for (const KernelInfo &kernel : object.kernels())
      names += (names.empty() ? "" : ", ") + kernel.name;
    return fail("the code object has no kernel `%s`; it has %s", kernelName.str().c_str(),
                names.c_str());
  }
  CodeObjectImpl &impl = object.impl();
  const KernelSetup &setup = impl.setups[static_cast<size_t>(info - impl.kernels.data())];
  Launch launch{};
  launch.info = info;
  launch.setup = &setup;
  launch.options = &options;
  launch.memory = &memory;
  launch.grid = gridBlocks;
  launch.block = blockThreads;
  uint64_t ldsBytes = uint64_t(info->ldsBytes) + options.dynamicLdsBytes;
  launch.ldsBytes = static_cast<uint32_t>(std::min<uint64_t>(ldsBytes, ~0u));
  launch.kernarg = kernarg;
  if (llvm::Error e = checkLaunch(launch, object.arch()))
    return e;
  launch.program = &impl.programFor(setup);
  TemporaryBuffers buffers(memory);
  if (llvm::Error e = placeLaunchData(launch, impl.image, buffers))
    return e;

  Reporter reporter(options.maxFindings);
  Dispatcher dispatcher(launch, reporter);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < threadCount(launch); ++i)
    threads.emplace_back([&] { dispatcher.work(); });
  dispatcher.work();
  for (std::thread &thread : threads)
    thread.join();

  RunResult result;
  result.completed = !reporter.stopped();
  reporter.moveTo(result);
  for (auto &[pc, use] : reporter.ldsUse) {
    use.where = impl.describeAddress(4ull * pc);
    use.text = static_cast<const Decoded &>(*launch.program->at(pc)).text;
    result.ldsUse.push_back(std::move(use));
  }
  result.counters = dispatcher.counters;
  result.counters.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

} // namespace tilec::sim

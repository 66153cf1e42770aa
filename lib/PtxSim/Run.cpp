//===- Run.cpp - whose turn it is -----------------------------------------===//
//
// Each run has its own paces: some warps, often whole warp groups, get few turns, so
// that others run ahead as far as the program's waits let them. A warp that found
// nothing to do sleeps until something happens. When nothing moves and no copy is
// under way, the program is stuck.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <map>

using namespace llvm;

namespace tilec::ptx {

namespace {

constexpr unsigned defaultResident = 6;
constexpr unsigned roundsBeforeMore = 4000; ///< a block may be waiting for one that has not started
constexpr unsigned mostResident = 132;
constexpr uint32_t mostSharedBytes = 232448; ///< sm_90: 227 KiB

uint64_t volume(const Dim3 &d) { return uint64_t(d[0]) * d[1] * d[2]; }

} // namespace

Machine::Machine(const Program &program, const LaunchConfig &config, ArrayRef<uint8_t> params,
                 sim::Memory &memory, const LaunchOptions &options)
    : program(program), config(config), options(options), params(params.begin(), params.end()),
      memory(memory), random(options.seed * 0x9e3779b97f4a7c15ull + 1),
      ordersBlocks(config.cooperative ? program.hasOrderedAccesses
                                      : program.hasOrderedAccesses || program.hasGridFences),
      globalOrder(program.hasSwaps) {}

size_t Machine::agents() const {
  return size_t(warpsPerBlock()) * volume(config.cluster) * agentsPerWarp;
}

/// Executes one instruction for the lanes that are furthest behind and may go on. False: none may.
bool Machine::step(Warp &warp) {
  uint32_t candidates = warp.live;
  while (candidates) {
    uint32_t pc = ~0u;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if (candidates >> lane & 1)
        pc = std::min(pc, warp.pc[lane]);
    uint32_t here = 0;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      here |= uint32_t((warp.live >> lane & 1) && warp.pc[lane] == pc) << lane;
    candidates &= ~here;
    if (pc >= program.code.size()) {
      fault = "block (" + utostr(warp.block.id[0]) + ", ...), warp " + utostr(warp.index) +
              " runs past the end of the kernel";
      return true;
    }
    const Instruction &instr = program.code[pc];
    warp.current = &instr;
    warp.currentLanes = here;
    uint32_t required = instr.meeting == Meeting::All ? warp.live : 0;
    if (instr.meeting == Meeting::Mask) {
      Value mask = warp.use(instr.args.back(), here, "a lane mask");
      required = uint32_t(mask[countr_zero(here)]) & warp.live;
    }
    if (required & ~here)
      continue; // the others come first
    uint32_t lanes = here;
    if (instr.guard != Operand::none) {
      Operand guard;
      guard.reg = instr.guard;
      Value p = warp.use(guard, here, "a predicate");
      uint32_t yes = 0;
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        yes |= uint32_t((p[lane] != 0) != instr.isGuardNegated) << lane;
      lanes &= yes;
    }
    if (!fault.empty())
      return true;
    ++warp.now;
    ++instructions;
    Step result = Step::Next;
    if (lanes)
      result = instr.run(warp, instr, instr.meeting == Meeting::Mask ? lanes & required : lanes);
    if (result == Step::Wait) {
      --instructions;
      continue;
    }
    uint32_t onward = result == Step::Jump ? here & ~lanes : here;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if (onward >> lane & 1)
        ++warp.pc[lane];
    return true;
  }
  warp.sleepsSince = warp.block.cluster.events;
  return false;
}

/// Gives turns to the warps in random order. False: none had anything to do.
bool Machine::runRound() {
  std::vector<Warp *> warps;
  for (auto &cluster : resident)
    for (auto &block : cluster->blocks)
      for (auto &warp : block->warps)
        if (warp->live && !warp->sleeps())
          warps.push_back(warp.get());
  std::shuffle(warps.begin(), warps.end(), random);
  std::uniform_real_distribution<double> chance(0, 1);
  constexpr unsigned turns[] = {1, 5, 40, 200};
  bool moved = false;
  bool isAlone = warps.size() == 1;
  for (Warp *warp : warps) {
    if (!isAlone && chance(random) > warp->pace) {
      moved = true; // it could
      continue;
    }
    unsigned turn = turns[random() % std::size(turns)];
    for (unsigned i = 0; i < turn && warp->live; ++i) {
      if (!step(*warp))
        break;
      moved = true;
      if (!fault.empty())
        return true;
    }
  }
  return moved;
}

/// Lands copies that are under way, in random order. True: at least one.
bool Machine::landSome(bool hasToMove) {
  std::uniform_real_distribution<double> chance(0, 1);
  bool moved = false;
  for (auto &cluster : resident) {
    std::vector<Landing> &landings = cluster->landings;
    std::shuffle(landings.begin(), landings.end(), random);
    // The last ones are those that land when nothing else can happen.
    auto prompt = llvm::partition(landings, [](const Landing &l) { return l.isLast; });
    while (prompt != landings.end() && fault.empty() && chance(random) > lateness) {
      std::function<void()> land = std::move(landings.back().land);
      landings.pop_back();
      land();
      moved = true;
    }
  }
  if (moved || !hasToMove)
    return moved;
  for (auto &cluster : resident)
    if (!cluster->landings.empty() && fault.empty()) {
      std::function<void()> land = std::move(cluster->landings.back().land);
      cluster->landings.pop_back();
      land();
      moved = true;
    }
  return moved;
}

void Machine::landLater(Cluster &cluster, std::function<void()> land) {
  std::uniform_real_distribution<double> chance(0, 1);
  cluster.landings.push_back({std::move(land), chance(random) < lastLandings});
}

void Machine::start(uint64_t index) {
  Dim3 clusters;
  for (unsigned axis = 0; axis < 3; ++axis)
    clusters[axis] = config.grid[axis] / config.cluster[axis];
  Dim3 id = {uint32_t(index % clusters[0]), uint32_t(index / clusters[0] % clusters[1]),
             uint32_t(index / clusters[0] / clusters[1])};
  auto cluster = std::make_unique<Cluster>(*this, id, uint32_t(index));
  constexpr double paces[] = {1, 1, 0.3, 0.04};
  for (auto &block : cluster->blocks) {
    double pace = 1;
    for (auto &warp : block->warps) {
      if (warp->index % warpsPerGroup == 0)
        pace = paces[random() % std::size(paces)];
      // Now and then a warp lags behind its group.
      warp->pace = random() % 8 ? pace : paces[random() % std::size(paces)];
    }
  }
  resident.push_back(std::move(cluster));
}

std::string Machine::whatWaits() const {
  std::map<uint32_t, std::pair<unsigned, std::string>> places; // by instruction
  for (const auto &cluster : resident)
    for (const auto &block : cluster->blocks)
      for (const auto &warp : block->warps) {
        std::vector<uint32_t> seen;
        for (unsigned lane = 0; lane < warpLanes; ++lane) {
          if (!(warp->live >> lane & 1) || is_contained(seen, warp->pc[lane]))
            continue;
          seen.push_back(warp->pc[lane]);
          auto &[count, first] = places[warp->pc[lane]];
          if (count++ == 0)
            first = "block (" + utostr(block->id[0]) + ", " + utostr(block->id[1]) + ", " +
                    utostr(block->id[2]) + ") warp " + utostr(warp->index);
        }
      }
  std::string text;
  for (auto &[pc, place] : places) {
    const Instruction &instr = program.code[pc];
    text += "\n  " + utostr(place.first) + (place.first == 1 ? " warp" : " warps") + " at " +
            program.placeOf(instr) + ": `" + instr.text + "`, such as " + place.second;
  }
  return text;
}

RunResult Machine::run() {
  RunResult result;
  uint64_t all = volume(config.grid) / volume(config.cluster), next = 0, done = 0;
  constexpr double latenesses[] = {0, 0.5, 0.9, 0.99};
  lateness = latenesses[random() % std::size(latenesses)];
  constexpr double shares[] = {0, 0.1, 0.5, 1};
  lastLandings = shares[random() % std::size(shares)];
  unsigned wanted = options.residentBlocks ? options.residentBlocks : defaultResident;
  if (config.cooperative)
    wanted = unsigned(all);
  unsigned rounds = 0;
  while (fault.empty() && (next < all || !resident.empty())) {
    while (next < all && resident.size() < wanted)
      start(next++);
    bool moved = runRound();
    if (fault.empty())
      moved |= landSome(!moved);
    size_t before = resident.size();
    std::erase_if(resident, [](const auto &cluster) { return cluster->isDone(); });
    if (before != resident.size()) {
      done += before - resident.size();
      rounds = 0;
      if (options.progress)
        options.progress(done * volume(config.cluster), volume(config.grid));
      continue;
    }
    bool canStart = next < all && resident.size() < mostResident;
    if (canStart && (!moved || ++rounds >= roundsBeforeMore)) {
      ++wanted;
      rounds = 0;
    } else if (!moved && fault.empty()) {
      fault = "nothing moves any more:" + whatWaits();
    }
    if (instructions > options.maxInstructions)
      fault = "more than " + utostr(options.maxInstructions) + " instructions:" + whatWaits();
  }
  if (fault.empty() && config.early && all && !hasWaitedForLaunch)
    fault = "it may begin before the launch before it has ended, and no thread waits for that "
            "(griddepcontrol.wait): a launch behind it may run beside both";
  result.fault = fault;
  result.instructions = instructions;
  result.blocks = done * volume(config.cluster);
  return result;
}

Expected<RunResult> run(const Program &kernel, const LaunchConfig &config, ArrayRef<uint8_t> params,
                        sim::Memory &memory, const LaunchOptions &options) {
  if (!kernel.problem.empty())
    return createStringError(kernel.problem);
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (kernel.block[axis] && config.block[axis] != kernel.block[axis])
      return createStringError("the kernel wants blocks of " + Twine(kernel.block[axis]) +
                               " threads, the launch has " + Twine(config.block[axis]));
    if (config.cluster[axis] == 0 || config.grid[axis] % config.cluster[axis] != 0)
      return createStringError("the grid is no multiple of the cluster");
    if (kernel.cluster[axis] && config.cluster[axis] != kernel.cluster[axis])
      return createStringError("the kernel wants clusters of " + Twine(kernel.cluster[axis]) +
                               ", the launch has " + Twine(config.cluster[axis]));
  }
  uint64_t threads = volume(config.block), warps = (threads + warpLanes - 1) / warpLanes;
  if (threads == 0 || threads > 1024)
    return createStringError("blocks of " + Twine(threads) + " threads");
  if (warps * volume(config.cluster) * agentsPerWarp > 1u << Epoch::agentBits)
    return createStringError("a cluster of more warps than are known here");
  if (config.sharedBytes > mostSharedBytes)
    return createStringError(Twine(config.sharedBytes) + " bytes of shared memory, a block has " +
                             Twine(mostSharedBytes));
  if (params.size() < kernel.paramBytes)
    return createStringError("the kernel reads " + Twine(kernel.paramBytes) +
                             " bytes of parameters, the launch packs " + Twine(params.size()));
  return Machine(kernel, config, params, memory, options).run();
}

} // namespace tilec::ptx

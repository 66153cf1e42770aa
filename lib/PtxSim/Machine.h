//===- Machine.h - warps, blocks, clusters and what is under way ----------===//
//
// The state that instructions change: registers, shared memory, barriers, copies under way, and
// whose turn it is.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "GlobalOrder.h"
#include "Program.h"
#include "Shared.h"
#include "tilec/PtxSim/PtxSim.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>

namespace tilec::ptx {

enum class AccessKind { Read, Write, Atomic };

class Machine;
class Block;
class Cluster;

/// Where shared addresses hold the rank of their block in its cluster. Seen in what ptxas 13.0
/// makes of kernels with clusters: it shifts SR_CgaCtaId by 24 into every address of a shared
/// variable, so that shared::cta addresses are those of shared::cluster.
constexpr unsigned clusterRankShift = 24;

constexpr unsigned warpsPerGroup = 4;

/// A register of a warp. A predicate is 0 or 1.
struct Register {
  uint64_t lanes[warpLanes] = {};
  uint32_t defined = 0;          ///< lanes all of whose bytes hold a value
  uint8_t bytes[warpLanes] = {}; ///< which bytes of a lane do
  uint32_t lockedUntil = 0;      ///< accumulator of the wgmma group of this number
  uint32_t readUntil = 0;        ///< A, or its places, of the group of this number
  uint32_t writtenAt = 0;        ///< time of the warp

  void setDefined() {
    defined = allLanes;
    std::fill(std::begin(bytes), std::end(bytes), 0xff);
  }
};

/// An operand's lanes.
struct Value {
  const uint64_t *lanes;
  uint32_t defined;
  const uint8_t *bytes;
  uint64_t operator[](unsigned lane) const { return lanes[lane]; }
};

/// One cp.async of a warp, with the lanes that have not waited for it.
struct CopyOp {
  uint32_t lanes = 0;
  unsigned bytes = 0;
  uint32_t clock = 0;
  uint32_t to[warpLanes];
  uint64_t from[warpLanes];
  uint32_t sourceBytes[warpLanes];
  uint32_t group[warpLanes];
  const Instruction *instruction = nullptr;
};

/// A TMA load that is under way, or an arrival at an mbarrier when copies have landed.
struct Landing {
  std::function<void()> land;
  bool isLast; ///< it lands when nothing else can happen
};

/// One TMA transfer.
struct BulkCopy {
  const Instruction *instruction = nullptr;
  TensorMap map;
  int64_t coords[5] = {};
  int64_t offsets[2] = {}; ///< im2col: of w and h
  uint64_t linear = 0;     ///< without a map: the global address
  uint32_t bytes = 0;
  uint32_t shared = 0;
  uint32_t barrier = 0;         ///< loads
  std::vector<Block *> targets; ///< loads
  uint32_t clock = 0;           ///< of the issuing warp's agent
  uint32_t agent = 0;
  // Stores:
  unsigned lane = 0;
  uint32_t group = 0;
  bool wasRead = false; ///< out of shared memory
  uint8_t reduce = 0;   ///< 0: a copy
  std::vector<uint8_t> data;
};

struct WgmmaOp {
  const Instruction *instruction = nullptr;
  uint64_t a = 0, b = 0; ///< descriptors
  bool accumulates = false;
  uint32_t issued = 0;                                         ///< a bit a warp
  uint32_t group = 0;                                          ///< commit group, counted from 1
  std::array<std::vector<uint32_t>, warpsPerGroup> aRegisters; ///< [register * 32 + lane]
  std::array<std::vector<uint32_t>, warpsPerGroup> places;     ///< of a sparse A, [lane]
};

/// The wgmma of four warps, which compute together.
struct WarpGroup {
  std::deque<WgmmaOp> ops; ///< not computed yet
  uint64_t computed = 0;   ///< ops before those
};

struct NamedBarrier {
  uint32_t expected = 0, arrived = 0;
  uint64_t warps = 0; ///< that have arrived, as bits
  uint64_t generation = 0;
  uint64_t count = 0, lastCount = 0; ///< bar.red
  bool all = true, any = false, lastAll = true, lastAny = false;
  Clock clock, lastClock; ///< of this generation and those before; of the last one
};

class Warp {
public:
  Warp(Block &block, unsigned index);
  void fillSpecials(); ///< when the cluster is whole

  Block &block;
  Machine &machine;
  const unsigned index; ///< in the block
  const uint32_t agent; ///< ThreadsAgent
  Clock clock;          ///< of the agents of the cluster, and of the launch before this one
  uint32_t pc[warpLanes] = {};
  uint32_t live = 0;      ///< lanes that have not returned
  uint32_t now = 1;       ///< instructions, for the order of register writes
  uint32_t fencedAt = 0;  ///< wgmma.fence
  uint32_t carry = 0;     ///< the carry flags of the lanes
  unsigned registerCount; ///< that a lane has
  double pace = 1;        ///< how often it gets a turn
  /// The cluster's events when nothing could run: nothing can before there are more.
  uint64_t sleepsSince = ~0ull;
  bool sleeps() const;
  /// The wait that has last not come true for a lane, and the cluster's events then: asking again
  /// is idle before there are more.
  const Instruction *spinsAt[warpLanes] = {};
  uint64_t spinsSince[warpLanes] = {};

  // Asynchronous work.
  std::vector<CopyOp> copies;
  uint32_t copyGroups[warpLanes] = {};
  uint32_t copyClock = 0;
  std::vector<BulkCopy> stores;
  uint32_t storeGroups[warpLanes] = {};
  uint32_t storeClock = 0, loadClock = 0;
  uint64_t wgmmaIssued = 0; ///< ops
  uint32_t wgmmaCommits = 0, wgmmaDone = 0;
  bool hasOpenWgmma = false; ///< that no group holds yet

  // A wait at a barrier: which, and its generation then.
  bool isAtBarrier = false;
  uint64_t barrierGeneration = 0;
  uint32_t clusterArrivals = 0, clusterWaits = 0;

  Register &reg(uint32_t index) { return registers[index]; }
  /// The lanes of a source; a fault when wgmma still writes it.
  Value in(const Operand &operand);
  /// The same for a value that something hangs on: a fault when a lane has none.
  Value use(const Operand &operand, uint32_t lanes, const char *what);
  void out(const Operand &operand, uint32_t lanes, const uint64_t *values, uint32_t defined);
  /// The same for instructions that move bytes, some of which may hold no value.
  void outBytes(const Operand &operand, uint32_t lanes, const uint64_t *values,
                const uint8_t *bytes);

  /// A lane's local memory.
  uint8_t *local(unsigned lane) { return localMemory.data() + size_t(lane) * localBytes; }
  uint8_t *localWritten(unsigned lane) { return localKnown.data() + size_t(lane) * localBytes; }
  const uint32_t localBytes;

  /// The next access of the warp's threads.
  Epoch epoch(Touch touch = Touch::Whole) const {
    return Epoch::make(agent, clock.before[agent], touch);
  }
  /// What the warp has done until now is told to `to`; later work gets a new time.
  void release(Clock &to) {
    to.join(clock);
    advance();
  }
  void acquire(const Clock &from) { clock.join(from); }
  void advance() { ++clock.before[agent]; }
  uint32_t agentOf(AgentKind kind) const { return agent + kind; }
  WarpGroup &group();

  /// Ends the run with a message about `instruction`.
  void fail(const Instruction &instruction, uint32_t lanes, const llvm::Twine &what);
  const Instruction *current = nullptr; ///< what runs
  uint32_t currentLanes = 0;

private:
  std::vector<Register> registers;
  std::vector<uint8_t> localMemory, localKnown;
  uint64_t negated[4][warpLanes];
  unsigned nextNegated = 0;
  std::string nameOf(uint32_t reg) const;
};

class Block {
public:
  Block(Cluster &cluster, Machine &machine, unsigned rank, Dim3 id);

  Cluster &cluster;
  Machine &machine;
  const unsigned rank; ///< in the cluster
  const Dim3 id;
  SharedMemory shared;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<WarpGroup> groups;
  std::array<NamedBarrier, 16> barriers;
  unsigned freeRegisters = 0; ///< of a lane, of one warp

  /// When other blocks and copies have last touched the shared memory, by agent.
  std::vector<uint32_t> visits;
  void noteVisit(uint32_t agent, uint32_t clock) { visits[agent] = std::max(visits[agent], clock); }
  Clock left; ///< what the warps knew that have returned
  /// Empty while warps are left; then what may come to memory that is not there any more.
  std::string problemOfReturning() const;

  bool isDone() const;
  unsigned liveWarps() const;
};

class Cluster {
public:
  Cluster(Machine &machine, Dim3 id, uint32_t index);

  Machine &machine;
  const Dim3 id;
  const uint32_t index; ///< in the grid
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Landing> landings; ///< under way
  uint64_t events = 0;           ///< counts what may end a wait
  uint32_t gridMeetings = 0;     ///< barriers of a cooperative launch at which it has arrived
  uint32_t gridFences = 0;       ///< fences that reach other clusters
  uint32_t arrivedWarps = 0;     ///< at the barrier of the cluster
  uint32_t phase = 0;
  Clock arriving, arrived;
  bool isDone() const;
};

/// One launch.
class Machine {
public:
  Machine(const Program &program, const LaunchConfig &config, llvm::ArrayRef<uint8_t> params,
          sim::Memory &memory, const LaunchOptions &options);

  const Program &program;
  const LaunchConfig &config;
  const LaunchOptions &options;
  std::vector<uint8_t> params;
  sim::Memory &memory;
  std::mt19937_64 random;
  std::string fault;
  /// The kernel orders clusters in ways of its own.
  bool ordersBlocks = false;
  bool hasWaitedForLaunch = false; ///< a thread has come out of griddepcontrol.wait
  uint64_t instructions = 0;

  RunResult run();
  void landLater(Cluster &cluster, std::function<void()> land);
  unsigned threads() const { return config.block[0] * config.block[1] * config.block[2]; }
  unsigned warpsPerBlock() const { return (threads() + warpLanes - 1) / warpLanes; }
  /// Of a cluster.
  size_t agents() const;

  /// Host memory of global addresses, or nullptr; `written` is the shadow, nullptr: all holds
  /// values.
  uint8_t *global(uint64_t address, uint64_t bytes, uint8_t **written);
  /// Empty, or what is wrong with the order of an access to global memory.
  std::string noteGlobal(Warp &warp, AccessKind kind, uint64_t address, uint32_t bytes, Epoch epoch,
                         bool isConstant = false, const uint8_t *before = nullptr,
                         const uint8_t *after = nullptr);
  std::string describeOutside(uint64_t address, uint64_t bytes) const;

private:
  bool step(Warp &warp);
  bool runRound();
  bool landSome(bool hasToMove);
  void start(uint64_t index);
  std::string whatWaits() const;
  std::vector<std::unique_ptr<Cluster>> resident;
  double lateness = 0.5;   ///< how often a copy stays under way for another round
  double lastLandings = 0; ///< how many stay as long as anything else can happen
  GlobalOrder globalOrder;
  uint64_t base = 1, size = 0; ///< the allocation that was used last
  uint8_t *host = nullptr, *hostWritten = nullptr;
};

// Asynchronous work (BulkStores.cpp, Copies.cpp, WgmmaCompute.cpp).
void readStore(Warp &warp, BulkCopy &store);
void finishStore(Warp &warp, BulkCopy &store);
/// Ends the lanes' copies that `isDone` picks.
void finishCopies(Warp &warp, uint32_t lanes,
                  llvm::function_ref<bool(const CopyOp &, unsigned lane)> isDone);
std::string compute(Block &block, unsigned group, WgmmaOp &op);

/// That each thread has until it changes them.
unsigned registersAtLaunch(unsigned threads);
/// Whether the launch before this one is over for the warp; else a fault.
bool mayUseGlobal(Warp &warp, const Instruction &instr, uint32_t lanes);

/// The block and place of a shared::cluster address; nullptr: no such block.
Block *sharedBlock(Warp &warp, uint64_t address, uint32_t &offset);
/// The place of a shared::cta address; none, and a fault: it is another block's.
std::optional<uint32_t> ownShared(Warp &warp, const Instruction &instr, uint32_t lanes,
                                  uint64_t address);

} // namespace tilec::ptx

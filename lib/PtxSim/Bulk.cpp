//===- Bulk.cpp - TMA: bulk copies with and without a tensor map ----------===//
//
// A load lands at a random time after it started, and counts its bytes on its mbarrier
// then. A store reads shared memory when its lane waits for that, and no earlier.
// Sources: PTX ISA 9.0, "cp.async.bulk"; CUDA driver API 13.0, cuTensorMapEncodeTiled.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"
#include "Swizzle.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

namespace {

constexpr uint32_t sharedAlign = 128; ///< of a box in shared memory
constexpr uint32_t linearAlign = 16;

uint32_t innerBytes(const TensorMap &map) { return map.box[0] * map.elementBytes; }

uint32_t boxBytes(const TensorMap &map) {
  uint32_t bytes = innerBytes(map);
  for (unsigned d = 1; d < map.rank; ++d)
    bytes *= map.box[d];
  return bytes;
}

/// Calls `visit(offset in the box, offset in the tensor or -1, bytes)` for each row of a box, cut
/// at the edges of the tensor: what is outside comes with -1.
template <typename F> void forRows(const BulkCopy &copy, F visit) {
  const TensorMap &map = copy.map;
  uint32_t rows = boxBytes(map) / innerBytes(map);
  int64_t first = std::clamp<int64_t>(-copy.coords[0], 0, map.box[0]);
  int64_t end = std::clamp<int64_t>(int64_t(map.dims[0]) - copy.coords[0], first, map.box[0]);
  for (uint32_t row = 0; row < rows; ++row) {
    uint32_t rest = row;
    int64_t offset = 0;
    bool isInside = true;
    for (unsigned d = 1; d < map.rank; ++d) {
      int64_t at = copy.coords[d] + rest % map.box[d];
      rest /= map.box[d];
      isInside &= at >= 0 && at < int64_t(map.dims[d]);
      offset += at * int64_t(map.strideBytes[d - 1]);
    }
    uint32_t start = row * innerBytes(map), each = map.elementBytes;
    if (!isInside) {
      visit(start, int64_t(-1), innerBytes(map));
      continue;
    }
    if (first)
      visit(start, int64_t(-1), uint32_t(first * each));
    if (end > first)
      visit(uint32_t(start + first * each), offset + (copy.coords[0] + first) * each,
            uint32_t((end - first) * each));
    if (end < map.box[0])
      visit(uint32_t(start + end * each), int64_t(-1), uint32_t((map.box[0] - end) * each));
  }
}

/// The bytes of a box in the tensor's order, from or to shared memory, where 16-byte chunks are
/// swizzled.
template <typename F>
void forChunks(uint32_t shared, uint32_t bytes, uint32_t swizzleBytes, F visit) {
  constexpr uint32_t chunk = 16;
  for (uint32_t at = 0; at < bytes; at += chunk)
    visit(at, swizzled(shared + at, swizzleBytes), std::min(chunk, bytes - at));
}

/// Global memory that a transfer wants; a fault where there is none.
uint8_t *globalBytes(Machine &machine, const BulkCopy &copy, uint64_t address, uint32_t bytes,
                     uint8_t **written) {
  uint8_t *host = machine.global(address, bytes, written);
  if (!host && machine.fault.empty())
    machine.fault = "the bulk copy of PTX line " + utostr(copy.instruction->line) + ": `" +
                    copy.instruction->text + "` touches " + machine.describeOutside(address, bytes);
  return host;
}

} // namespace

void land(Cluster &cluster, BulkCopy &copy) {
  Machine &machine = cluster.machine;
  std::vector<uint8_t> data(copy.bytes), known(copy.bytes, 1);
  auto fetch = [&](uint32_t to, uint64_t address, uint32_t bytes) {
    uint8_t *written = nullptr;
    if (const uint8_t *host = globalBytes(machine, copy, address, bytes, &written)) {
      std::memcpy(&data[to], host, bytes);
      if (written)
        std::memcpy(&known[to], written, bytes);
    }
  };
  if (copy.map.rank == 0)
    fetch(0, copy.linear, copy.bytes);
  else
    forRows(copy, [&](uint32_t to, int64_t from, uint32_t bytes) {
      if (from >= 0)
        fetch(to, copy.map.address + uint64_t(from), bytes);
    });
  for (Block *block : copy.targets) {
    if (block->isDone()) {
      machine.fault = "the bulk copy of PTX line " + utostr(copy.instruction->line) +
                      " lands in a block that has returned";
      return;
    }
    SharedMemory &shared = block->shared;
    shared.addPending(copy.shared, copy.bytes, -1);
    shared.noteWrite(copy.shared, copy.bytes, Epoch::make(copy.agent, copy.clock));
    forChunks(copy.shared, copy.bytes, copy.map.swizzleBytes,
              [&](uint32_t at, uint32_t to, uint32_t bytes) {
                std::memcpy(shared.data(to), &data[at], bytes);
                if (std::memchr(&known[at], 0, bytes))
                  shared.forget(to, bytes);
              });
    MBarrier *barrier = shared.barrier(copy.barrier);
    if (!barrier) {
      machine.fault = "the bulk copy of PTX line " + utostr(copy.instruction->line) +
                      " lands, and its mbarrier is gone";
      return;
    }
    barrier->tx -= copy.bytes;
    uint32_t &told = barrier->arriving.before[copy.agent];
    told = std::max(told, copy.clock);
    barrier->settle();
  }
  ++cluster.events;
}

void readStore(Warp &warp, BulkCopy &store) {
  store.data.resize(store.bytes);
  SharedMemory &shared = warp.block.shared;
  std::vector<uint8_t> known(store.bytes);
  forChunks(store.shared, store.bytes, store.map.swizzleBytes,
            [&](uint32_t at, uint32_t from, uint32_t bytes) {
              std::memcpy(&store.data[at], shared.data(from), bytes);
              for (uint32_t i = 0; i < bytes; ++i)
                known[at + i] = shared.holdsValues(from + i, 1);
            });
  auto check = [&](uint32_t at, int64_t to, uint32_t bytes) {
    if (to >= 0 && std::memchr(&known[at], 0, bytes))
      warp.fail(*store.instruction, 1u << store.lane,
                "stores shared memory that nothing has written");
  };
  if (store.map.rank == 0)
    check(0, 0, store.bytes);
  else
    forRows(store, check);
  store.wasRead = true;
}

void finishStore(Warp &warp, BulkCopy &store) {
  if (!store.wasRead)
    readStore(warp, store);
  auto write = [&](uint32_t at, uint64_t address, uint32_t bytes) {
    uint8_t *written = nullptr;
    uint8_t *host = globalBytes(warp.machine, store, address, bytes, &written);
    if (!host)
      return;
    if (store.reduce == 0) {
      std::memcpy(host, &store.data[at], bytes);
    } else if (store.reduce == 4) {
      for (uint32_t i = 0; i < bytes; i += 4) {
        float sum, more;
        std::memcpy(&sum, host + i, 4);
        std::memcpy(&more, &store.data[at + i], 4);
        sum += more;
        std::memcpy(host + i, &sum, 4);
      }
    }
    if (written)
      std::memset(written, 1, bytes);
  };
  if (store.map.rank == 0)
    write(0, store.linear, store.bytes);
  else
    forRows(store, [&](uint32_t at, int64_t to, uint32_t bytes) {
      if (to >= 0)
        write(at, store.map.address + uint64_t(to), bytes);
    });
}

namespace {

/// Reads the tensor map that the operand names.
bool readMap(Warp &warp, const Instruction &instr, unsigned lane, const Operand &operand,
             BulkCopy &copy) {
  Value addresses = warp.use(operand, 1u << lane, "a tensor map");
  uint64_t address = addresses[lane] + uint64_t(operand.offset);
  const uint8_t *host = nullptr;
  if ((address & windowMask) == paramWindow) {
    address &= ~windowMask;
    if (address + sizeof(TensorMap) <= warp.machine.params.size())
      host = warp.machine.params.data() + address;
  } else {
    uint8_t *written = nullptr;
    host = warp.machine.global(address, sizeof(TensorMap), &written);
  }
  if (host)
    std::memcpy(&copy.map, host, sizeof(TensorMap));
  if (!host || copy.map.magic != TensorMap::mark)
    return warp.fail(instr, 1u << lane, "there is no tensor map at its address"), false;
  if (operand.parts.size() != copy.map.rank)
    return warp.fail(instr, 1u << lane,
                     "gives " + Twine(operand.parts.size()) + " coordinates, the tensor map has " +
                         Twine(copy.map.rank)),
           false;
  for (auto [d, part] : enumerate(operand.parts))
    copy.coords[d] = int32_t(warp.use(part, 1u << lane, "a coordinate")[lane]);
  copy.bytes = boxBytes(copy.map);
  return true;
}

/// The only lane of a bulk copy. Others would copy the same again: a mistake, never a wish.
bool oneLane(Warp &warp, const Instruction &instr, uint32_t lanes) {
  if (isPowerOf2_32(lanes))
    return true;
  warp.fail(instr, lanes, Twine(popcount(lanes)) + " lanes start the same bulk copy");
  return false;
}

uint64_t sharedOffset(Warp &warp, const Operand &operand, unsigned lane) {
  uint64_t address = warp.use(operand, 1u << lane, "an address")[lane] + uint64_t(operand.offset);
  return (address & windowMask) == sharedWindow ? address & ~windowMask : uint32_t(address);
}

enum Shape : uint8_t { Tensor, Linear };

/// The order of the words of global memory that a transfer reads or writes.
bool noteGlobal(Warp &warp, const Instruction &instr, uint32_t lanes, const BulkCopy &copy,
                AccessKind kind) {
  std::string problem;
  auto note = [&](uint64_t address, uint32_t bytes) {
    Epoch epoch = Epoch::make(copy.agent, copy.clock, touchOf(bytes, copy.reduce));
    if (problem.empty())
      problem = warp.machine.noteGlobal(warp, kind, address, bytes, epoch);
  };
  if (copy.map.rank == 0)
    note(copy.linear, copy.bytes);
  else
    forRows(copy, [&](uint32_t, int64_t offset, uint32_t bytes) {
      if (offset >= 0)
        note(copy.map.address + uint64_t(offset), bytes);
    });
  if (!problem.empty())
    warp.fail(instr, lanes, problem);
  return problem.empty();
}

Step load(Warp &warp, const Instruction &instr, uint32_t lanes) {
  if (!oneLane(warp, instr, lanes) || !mayUseGlobal(warp, instr, lanes))
    return Step::Next;
  unsigned lane = countr_zero(lanes);
  BulkCopy copy;
  copy.instruction = &instr;
  copy.lane = lane;
  const Operand &barrier = instr.args[instr.mode == Tensor ? 2 : 3];
  if (instr.mode == Tensor) {
    if (!readMap(warp, instr, lane, instr.args[1], copy))
      return Step::Next;
  } else {
    copy.linear =
        warp.use(instr.args[1], lanes, "an address")[lane] + uint64_t(instr.args[1].offset);
    copy.bytes = uint32_t(warp.use(instr.args[2], lanes, "a size")[lane]);
  }
  uint32_t offset = 0;
  Block *target = sharedBlock(warp, sharedOffset(warp, instr.args[0], lane), copy.shared);
  Block *counter = sharedBlock(warp, sharedOffset(warp, barrier, lane), offset);
  copy.barrier = offset;
  if (!target || !counter) {
    warp.fail(instr, lanes, "the cluster has no such block");
    return Step::Next;
  }
  if (instr.mode2) { // multicast: to the same place of every block of the mask
    uint64_t mask = warp.use(instr.args[instr.mode == Tensor ? 3 : 4], lanes, "a mask")[lane];
    auto &blocks = warp.block.cluster.blocks;
    for (unsigned rank = 0; rank < 16; ++rank)
      if (mask >> rank & 1) {
        if (rank >= blocks.size()) {
          warp.fail(instr, lanes,
                    "multicasts to block " + Twine(rank) + " of a cluster of " +
                        Twine(blocks.size()));
          return Step::Next;
        }
        copy.targets.push_back(blocks[rank].get());
      }
  } else {
    copy.targets.push_back(target);
    if (counter != target) {
      warp.fail(instr, lanes, "counts on another block's mbarrier than that of its target");
      return Step::Next;
    }
  }
  if (copy.shared % (instr.mode == Tensor ? sharedAlign : linearAlign) != 0 ||
      copy.bytes % 16 != 0) {
    warp.fail(instr, lanes,
              "copies " + Twine(copy.bytes) + " bytes to shared address " + Twine(copy.shared) +
                  ", which is not aligned");
    return Step::Next;
  }
  copy.agent = warp.agentOf(BulkLoadAgent);
  copy.clock = ++warp.loadClock;
  for (Block *block : copy.targets) {
    Access access{&warp.clock, Epoch::make(copy.agent, copy.clock), true,
                  warp.machine.options.checkOrder};
    std::string problem = block->shared.checkWrite(copy.shared, copy.bytes, access);
    MBarrier *counts = block->shared.barrier(copy.barrier);
    if (problem.empty() && !counts)
      problem = "there is no mbarrier at shared address " + utostr(copy.barrier);
    if (problem.empty() && access.checksOrder && !warp.clock.sees(counts->initialised))
      problem = "its mbarrier was initialised without a fence for the asynchronous proxy";
    if (!problem.empty()) {
      warp.fail(instr, lanes, problem);
      return Step::Next;
    }
    block->shared.addPending(copy.shared, copy.bytes, +1);
    block->noteVisit(copy.agent, copy.clock);
  }
  if (noteGlobal(warp, instr, lanes, copy, AccessKind::Read))
    warp.machine.landLater(warp.block.cluster, [&cluster = warp.block.cluster, copy]() mutable {
      land(cluster, copy);
    });
  return Step::Next;
}

Step store(Warp &warp, const Instruction &instr, uint32_t lanes) {
  if (!oneLane(warp, instr, lanes) || !mayUseGlobal(warp, instr, lanes))
    return Step::Next;
  unsigned lane = countr_zero(lanes);
  BulkCopy copy;
  copy.instruction = &instr;
  copy.lane = lane;
  copy.reduce = instr.mode2;
  if (instr.mode == Tensor) {
    if (!readMap(warp, instr, lane, instr.args[0], copy))
      return Step::Next;
    if (copy.reduce && copy.map.elementBytes != copy.reduce) {
      warp.fail(instr, lanes, "adds elements that are not f32");
      return Step::Next;
    }
  } else {
    copy.linear =
        warp.use(instr.args[0], lanes, "an address")[lane] + uint64_t(instr.args[0].offset);
    copy.bytes = uint32_t(warp.use(instr.args[2], lanes, "a size")[lane]);
  }
  std::optional<uint32_t> own =
      ownShared(warp, instr, lanes, sharedOffset(warp, instr.args[1], lane));
  if (!own)
    return Step::Next;
  copy.shared = *own;
  copy.group = warp.storeGroups[lane];
  copy.clock = ++warp.storeClock;
  copy.agent = warp.agentOf(BulkStoreAgent);
  std::string problem;
  if (copy.shared % (instr.mode == Tensor ? sharedAlign : linearAlign) != 0 || copy.bytes % 16 != 0)
    problem = "stores " + utostr(copy.bytes) + " bytes from shared address " + utostr(copy.shared) +
              ", which is not aligned";
  else
    problem = warp.block.shared.checkRead(
        copy.shared, copy.bytes,
        {&warp.clock, Epoch::make(copy.agent, copy.clock), true, warp.machine.options.checkOrder});
  if (!problem.empty()) {
    warp.fail(instr, lanes, problem);
    return Step::Next;
  }
  warp.block.shared.noteRead(copy.shared, copy.bytes, Epoch::make(copy.agent, copy.clock));
  if (noteGlobal(warp, instr, lanes, copy, copy.reduce ? AccessKind::Atomic : AccessKind::Write))
    warp.stores.push_back(std::move(copy));
  return Step::Next;
}

Step commit(Warp &warp, const Instruction &, uint32_t lanes) {
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    warp.storeGroups[lane] += lanes >> lane & 1;
  return Step::Next;
}

/// mode 1: only until shared memory has been read.
Step wait(Warp &warp, const Instruction &instr, uint32_t lanes) {
  uint32_t keep = uint32_t(instr.args[0].offset), newest = 0;
  for (BulkCopy &copy : warp.stores) {
    if (!(lanes >> copy.lane & 1) || copy.group + keep >= warp.storeGroups[copy.lane])
      continue;
    if (!copy.wasRead)
      readStore(warp, copy);
    newest = std::max(newest, copy.clock);
    if (instr.mode == 0) {
      finishStore(warp, copy);
      copy.bytes = 0;
    }
  }
  std::erase_if(warp.stores, [](const BulkCopy &copy) { return copy.bytes == 0; });
  uint32_t &known = warp.clock.before[warp.agentOf(BulkStoreAgent)];
  known = std::max(known, newest);
  return Step::Next;
}

Step nothing(Warp &, const Instruction &, uint32_t) { return Step::Next; }

} // namespace

bool decodeBulk(const Statement &s, Instruction &i) {
  if (s.opcode != "cp" || !s.has("bulk"))
    return false;
  size_t args = i.args.size();
  if (s.has("commit_group")) {
    i.run = commit;
  } else if (s.has("wait_group")) {
    i.mode = s.has("read");
    i.run = args == 1 ? wait : nullptr;
  } else if (s.has("prefetch")) {
    i.run = nothing;
  } else if (!s.has("im2col") && !s.has("tile::gather4") && !s.has("tile::scatter4")) {
    i.mode = s.has("tensor") ? Tensor : Linear;
    bool isReduction = s.mods[0] == "reduce";
    bool fromShared = false, fromGlobal = false;
    for (size_t at = 0; at + 1 < s.mods.size(); ++at) {
      fromShared |= s.mods[at] == "global" && s.mods[at + 1] == "shared::cta";
      fromGlobal |= s.mods[at].starts_with("shared::") && s.mods[at + 1] == "global";
    }
    size_t most = i.mode == Tensor ? 2 : 3;
    if (fromShared && args >= most) {
      // Sums of f32 are the only reduction known here.
      if (isReduction && (!s.has("add") || (i.mode == Linear && !s.has("f32"))))
        return false;
      i.mode2 = isReduction ? 4 : 0;
      i.run = store;
    } else if (fromGlobal && args >= most + 1 && !isReduction) {
      i.mode2 = s.has("multicast::cluster");
      i.run = args >= most + 1 + i.mode2 ? load : nullptr;
    }
  }
  return i.run != nullptr;
}

} // namespace tilec::ptx

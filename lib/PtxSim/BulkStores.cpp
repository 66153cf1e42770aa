//===- BulkStores.cpp - TMA out of shared memory --------------------------===//
//
// A store reads shared memory when its lane waits for that, and no earlier.
// Source: PTX ISA 9.0, "cp.async.bulk" and "cp.reduce.async.bulk".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Bulk.h"
#include "Decode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

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

} // namespace

bool decodeBulkStores(const Statement &s, Instruction &i) {
  if (!s.has("bulk"))
    return false;
  if (s.has("commit_group")) {
    i.run = commit;
    return true;
  }
  if (s.has("wait_group")) {
    i.mode = s.has("read");
    i.run = wait;
    return i.args.size() == 1;
  }
  i.mode = s.has("tensor") ? Tensor : Linear;
  for (size_t at = 0; at + 1 < s.mods.size(); ++at)
    if (s.mods[at] == "global" && s.mods[at + 1] == "shared::cta")
      i.run = store;
  if (s.mods[0] == "reduce") { // sums of f32 are the only reduction known here
    i.mode2 = 4;
    if (!s.has("add") || (i.mode == Linear && !s.has("f32")))
      return false;
  }
  bool isPlain = !s.has("im2col") && !s.has("tile::scatter4");
  return i.run != nullptr && isPlain && i.args.size() >= (i.mode == Tensor ? 2u : 3u);
}

} // namespace tilec::ptx

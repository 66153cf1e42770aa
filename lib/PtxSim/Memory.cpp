//===- Memory.cpp - loads and stores --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Decode.h"
#include "Lanes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

uint8_t *Machine::global(uint64_t address, uint64_t bytes, uint8_t **written) {
  if (address - base >= size || bytes > size - (address - base)) {
    const sim::Allocation *found = memory.find(address);
    if (!found || bytes > found->sizeBytes - (address - found->base))
      return nullptr;
    base = found->base;
    size = found->sizeBytes;
    host = found->host;
    hostWritten = found->written;
  }
  *written = hostWritten ? hostWritten + (address - base) : nullptr;
  return host + (address - base);
}

std::string Machine::noteGlobal(Warp &warp, AccessKind kind, uint64_t address, uint32_t bytes,
                                Epoch epoch, bool isConstant, const uint8_t *before,
                                const uint8_t *after) {
  if (!options.checkOrder || program.ordersBlocks)
    return "";
  const Cluster &cluster = warp.block.cluster;
  GlobalAccess access{cluster.index, &warp.clock, epoch, isConstant};
  return kind != AccessKind::Read ? globalOrder.write(address, bytes, access, before, after)
                                  : globalOrder.read(address, bytes, access);
}

std::string Machine::describeOutside(uint64_t address, uint64_t bytes) const {
  std::string text =
      utostr(bytes) + " bytes at 0x" + utohexstr(address, true) + ", which no allocation holds";
  if (const sim::Allocation *near = memory.nearest(address)) {
    int64_t distance = int64_t(address - near->base);
    text += " (byte " + itostr(distance) + " of `" + near->name + "`, which has " +
            utostr(near->sizeBytes) + ")";
  }
  return text;
}

Block *sharedBlock(Warp &warp, uint64_t address, uint32_t &offset) {
  uint64_t rank = address >> clusterRankShift;
  offset = address & ((1u << clusterRankShift) - 1);
  std::vector<std::unique_ptr<Block>> &blocks = warp.block.cluster.blocks;
  Block *block = rank < blocks.size() ? blocks[rank].get() : nullptr;
  return block && !block->isDone() ? block : nullptr;
}

std::optional<uint32_t> ownShared(Warp &warp, const Instruction &instr, uint32_t lanes,
                                  uint64_t address) {
  uint64_t rank = address >> clusterRankShift;
  if (rank == warp.block.rank)
    return uint32_t(address & ((1u << clusterRankShift) - 1));
  warp.fail(instr, lanes,
            "takes 0x" + utohexstr(address, true) + " for a place of its own block, number " +
                Twine(warp.block.rank) + " of the cluster: bits 24 and up say block " +
                Twine(rank));
  return std::nullopt;
}

Target locate(Warp &warp, const Instruction &instr, Space space, uint64_t address, unsigned bytes,
              unsigned lane, AccessKind kind, const uint8_t *values) {
  uint32_t bit = 1u << lane;
  if (space == Space::Generic) {
    uint64_t window = address & windowMask;
    space = window == sharedWindow  ? Space::Cluster
            : window == localWindow ? Space::Local
            : window == paramWindow ? Space::Param
                                    : Space::Global;
    if (space != Space::Global)
      address &= ~windowMask;
  }
  const char *verb = kind == AccessKind::Read ? "reads " : "writes ";
  if (address % bytes != 0) {
    warp.fail(instr, bit,
              verb + Twine(bytes) + " bytes at 0x" + utohexstr(address, true) +
                  ", which is no multiple of " + Twine(bytes));
    return {};
  }
  Target target;
  switch (space) {
  case Space::Shared:
  case Space::Cluster: {
    Block *block = sharedBlock(warp, address, target.offset);
    if (space == Space::Shared && !ownShared(warp, instr, bit, address))
      return {};
    if (!block) {
      warp.fail(instr, bit, "the cluster has no such block, or it has returned");
      return {};
    }
    target.shared = &block->shared;
    if (block != &warp.block)
      block->noteVisit(warp.agent, warp.clock.before[warp.agent]);
    bool isAtomic = kind == AccessKind::Atomic || instr.isVolatile;
    Access access{&warp.clock, warp.epoch(touchOf(bytes, isAtomic)), false,
                  warp.machine.options.checkOrder};
    std::string problem = kind == AccessKind::Read
                              ? target.shared->checkRead(target.offset, bytes, access)
                              : target.shared->checkWrite(target.offset, bytes, access, values);
    if (!problem.empty()) {
      warp.fail(instr, bit, problem);
      return {};
    }
    if (kind == AccessKind::Read)
      target.shared->noteRead(target.offset, bytes, access.epoch);
    target.host = target.shared->data(target.offset);
    return target;
  }
  case Space::Local:
    if (address + bytes > warp.localBytes) {
      warp.fail(instr, bit,
                verb + Twine("outside of its ") + Twine(warp.localBytes) +
                    " bytes of local memory");
      return {};
    }
    target.host = warp.local(lane) + address;
    target.written = warp.localWritten(lane) + address;
    return target;
  case Space::Param:
    if (kind != AccessKind::Read || address + bytes > warp.machine.params.size()) {
      warp.fail(instr, bit, verb + Twine("outside of the parameters"));
      return {};
    }
    target.host = warp.machine.params.data() + address;
    return target;
  default: {
    if (!mayUseGlobal(warp, instr, bit))
      return {};
    target.host = warp.machine.global(address, bytes, &target.written);
    if (!target.host) {
      warp.fail(instr, bit, verb + warp.machine.describeOutside(address, bytes));
      return target;
    }
    Touch touch = touchOf(bytes, kind == AccessKind::Atomic || instr.isVolatile);
    std::string problem = warp.machine.noteGlobal(warp, kind, address, bytes, warp.epoch(touch),
                                                  instr.isConstant, target.host, values);
    if (!problem.empty()) {
      warp.fail(instr, bit, problem);
      target.host = nullptr;
    }
    return target;
  }
  }
}

bool holdsValues(const Target &target, unsigned bytes) {
  if (target.shared)
    return target.shared->holdsValues(target.offset, bytes);
  return !target.written || std::memchr(target.written, 0, bytes) == nullptr;
}

uint64_t bytesWithValues(const Target &target, unsigned bytes) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    bool isKnown = target.shared ? target.shared->holdsValues(target.offset + i, 1)
                                 : !target.written || target.written[i];
    mask |= uint64_t(isKnown) << i;
  }
  return mask;
}

namespace {

/// The address of a lane: of 32 bits in shared memory.
uint64_t addressOf(const Instruction &instr, const Operand &operand, uint64_t base) {
  uint64_t address = base + uint64_t(operand.offset);
  return instr.space == Space::Shared || instr.space == Space::Cluster ? uint32_t(address)
                                                                       : address;
}

constexpr unsigned mostElements = 8;

Step load(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &from = instr.args[1];
  Value addresses = warp.use(from, lanes, "an address");
  unsigned each = bytesOf(instr.type), count = instr.n, bytes = each * count;
  uint64_t results[mostElements][warpLanes] = {};
  uint8_t known[mostElements][warpLanes] = {};
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    Target target = locate(warp, instr, instr.space, addressOf(instr, from, addresses[lane]), bytes,
                           lane, AccessKind::Read);
    if (!target.host)
      return Step::Next;
    uint64_t values = holdsValues(target, bytes) ? ~0ull : bytesWithValues(target, bytes);
    uint8_t extension = uint8_t(0xff << each); // what a load fills up
    for (unsigned i = 0; i < count; ++i) {
      std::memcpy(&results[i][lane], target.host + i * each, each);
      uint8_t low = uint8_t(values >> (i * each)) & uint8_t(~extension);
      known[i][lane] = low | extension;
      if (isSignedInt(instr.type) && each < 8) { // into a register that may be wider
        const Operand &to = instr.args[0].parts.empty() ? instr.args[0] : instr.args[0].parts[i];
        unsigned width = to.reg == Operand::none ? 8u : warp.machine.program.registerBytes[to.reg];
        results[i][lane] = uint64_t(SignExtend64(results[i][lane], 8 * each)) &
                           maskTrailingOnes<uint64_t>(8 * std::max(width, 2u));
        known[i][lane] = low == uint8_t(~extension) ? 0xff : 0;
      }
    }
  }
  const Operand &to = instr.args[0];
  if (to.parts.empty())
    warp.outBytes(to, lanes, results[0], known[0]);
  for (auto [i, part] : enumerate(to.parts))
    warp.outBytes(part, lanes, results[i], known[i]);
  return Step::Next;
}

Step store(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &to = instr.args[0], &from = instr.args[1];
  Value addresses = warp.use(to, lanes, "an address");
  unsigned each = bytesOf(instr.type), count = instr.n, bytes = each * count;
  std::vector<Value> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(warp.in(from.parts.empty() ? from : from.parts[i]));
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    uint8_t data[mostElements * 8];
    uint64_t known = 0;
    for (unsigned i = 0; i < count; ++i) {
      uint64_t value = values[i][lane];
      std::memcpy(data + i * each, &value, each);
      known |= uint64_t(values[i].bytes[lane] & uint8_t((1u << each) - 1)) << (i * each);
    }
    uint64_t address = addressOf(instr, to, addresses[lane]);
    Target target = locate(warp, instr, instr.space, address, bytes, lane, AccessKind::Write, data);
    if (!target.host)
      return Step::Next;
    std::memcpy(target.host, data, bytes);
    bool isWhole = popcount(known) == int(bytes);
    if (target.shared) {
      target.shared->noteWrite(target.offset, bytes, warp.epoch(touchOf(bytes, instr.isVolatile)));
      for (unsigned i = 0; !isWhole && i < bytes; ++i)
        if (!(known >> i & 1))
          target.shared->forget(target.offset + i, 1);
      continue;
    }
    // What is global outlives the kernel: somebody will read it.
    bool isGlobal = instr.space == Space::Global ||
                    (instr.space == Space::Generic && (address & windowMask) == 0);
    if (!isWhole && isGlobal) {
      warp.fail(instr, 1u << lane, "stores a value that nothing has written");
      return Step::Next;
    }
    for (unsigned i = 0; target.written && i < bytes; ++i)
      target.written[i] = known >> i & 1;
  }
  return Step::Next;
}

/// Matrices of 8x8 16-bit elements; lanes 8i to 8i + 7 give the rows of matrix i.
template <bool IsLoad> Step matrices(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &memory = instr.args[IsLoad ? 1 : 0], &regs = instr.args[IsLoad ? 0 : 1];
  constexpr unsigned rowBytes = 16, rows = 8;
  unsigned count = instr.n;
  auto part = [&](unsigned i) -> const Operand & {
    return regs.parts.empty() ? regs : regs.parts[i];
  };
  Value addresses =
      warp.use(memory, count == 4 ? lanes : lanes & ((1u << (8 * count)) - 1), "an address");
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint16_t elements[rows][rows] = {}; // [row][column]
    uint64_t values[warpLanes] = {};
    uint32_t defined = 0;
    // Lane l holds row l / 4, columns 2 (l % 4) and the next; transposed, rows and columns change
    // places.
    auto place = [&](unsigned lane, unsigned half) -> uint16_t & {
      unsigned row = lane / 4, column = 2 * (lane % 4) + half;
      return instr.transposes ? elements[column][row] : elements[row][column];
    };
    bool isRowDefined[rows] = {};
    if (!IsLoad) {
      Value value = warp.in(part(matrix));
      defined = value.defined;
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        for (unsigned half : {0u, 1u})
          place(lane, half) = uint16_t(value[lane] >> (16 * half));
    }
    for (unsigned row = 0; row < rows; ++row) {
      unsigned lane = matrix * rows + row;
      uint32_t address = uint32_t(addresses[lane] + uint64_t(memory.offset));
      uint8_t data[rowBytes];
      std::memcpy(data, elements[row], rowBytes);
      Target target = locate(warp, instr, Space::Shared, address, rowBytes, lane,
                             IsLoad ? AccessKind::Read : AccessKind::Write, data);
      if (!target.host)
        return Step::Next;
      if (IsLoad) {
        isRowDefined[row] = holdsValues(target, rowBytes);
        std::memcpy(elements[row], target.host, rowBytes);
      } else {
        std::memcpy(target.host, data, rowBytes);
        target.shared->noteWrite(target.offset, rowBytes, warp.epoch());
        if (defined != allLanes)
          target.shared->forget(target.offset, rowBytes);
      }
    }
    if (IsLoad) {
      for (unsigned lane = 0; lane < warpLanes; ++lane) {
        values[lane] = place(lane, 0) | uint32_t(place(lane, 1)) << 16;
        bool isDefined = instr.transposes
                             ? isRowDefined[2 * (lane % 4)] && isRowDefined[2 * (lane % 4) + 1]
                             : isRowDefined[lane / 4];
        defined |= uint32_t(isDefined) << lane;
      }
      warp.out(part(matrix), lanes, values, defined);
    }
  }
  return Step::Next;
}

} // namespace

Space parseSpace(const Statement &s) {
  for (StringRef mod : s.mods) {
    Space space = StringSwitch<Space>(mod)
                      .Case("global", Space::Global)
                      .Cases({"shared", "shared::cta"}, Space::Shared)
                      .Case("shared::cluster", Space::Cluster)
                      .Case("local", Space::Local)
                      .StartsWith("param", Space::Param)
                      .Default(Space::Generic);
    if (space != Space::Generic)
      return space;
  }
  return Space::Generic;
}

bool decodeMemory(const Statement &s, Instruction &i) {
  if (s.opcode == "ldmatrix" || s.opcode == "stmatrix") {
    i.n = s.has("x4") ? 4 : s.has("x2") ? 2 : 1;
    i.transposes = s.has("trans");
    i.meeting = Meeting::All;
    if (!s.has("m8n8") || i.type != Ty::B16 || i.args.size() != 2)
      return false;
    i.run = s.opcode == "ldmatrix" ? matrices<true> : matrices<false>;
    return true;
  }
  if ((s.opcode != "ld" && s.opcode != "st") || i.args.size() != 2 || bytesOf(i.type) == 0)
    return false;
  i.space = parseSpace(s);
  i.isConstant = s.has("nc");
  i.n = s.has("v8") ? 8 : s.has("v4") ? 4 : s.has("v2") ? 2 : 1;
  i.run = s.opcode == "ld" ? load : store;
  const Operand &regs = i.args[s.opcode == "ld" ? 0 : 1];
  return i.n == 1 ? regs.parts.size() <= 1 : regs.parts.size() == i.n;
}

} // namespace tilec::ptx

//===- Memory.cpp - loads and stores --------------------------------------===//
//
// Decodes ld and st in all spaces, and does them lane by lane.
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
#include <optional>

using namespace llvm;

namespace tilec::ptx {

namespace {

/// The address of a lane: of 32 bits in shared and in local memory, where LLVM subtracts below 0
/// before it adds an offset.
uint64_t addressOf(const Instruction &instr, const Operand &operand, uint64_t base) {
  uint64_t address = base + uint64_t(operand.offset);
  bool isNarrow =
      instr.space == Space::Shared || instr.space == Space::Cluster || instr.space == Space::Local;
  return isNarrow ? uint32_t(address) : address;
}

constexpr unsigned mostElements = 8;

/// Reads `bytes` of a lane into `data` and says which of them hold values; nothing: a fault. Bytes
/// that the program says it does not use are as if they had not been read: a compiler fills gaps
/// between neighbours by them, past the end of an allocation, too.
std::optional<uint64_t> read(Warp &warp, const Instruction &instr, uint64_t address, unsigned bytes,
                             unsigned lane, uint8_t *data) {
  uint64_t all = maskTrailingOnes<uint64_t>(bytes), used = instr.usedBytes & all;
  if (used == all) {
    Target target = locate(warp, instr, instr.space, address, bytes, lane, AccessKind::Read);
    if (!target.host)
      return std::nullopt;
    std::memcpy(data, target.host, bytes);
    return instr.isGuess || holdsValues(target, bytes) ? all : bytesWithValues(target, bytes);
  }
  if (address % bytes != 0) {
    warp.fail(instr, 1u << lane,
              "reads " + Twine(bytes) + " bytes at 0x" + utohexstr(address, true) +
                  ", which is no multiple of " + Twine(bytes));
    return std::nullopt;
  }
  unsigned each = bytesOf(instr.type);
  uint64_t values = 0;
  for (unsigned at = 0, size = 0; at < bytes; at += size) {
    uint64_t element = maskTrailingOnes<uint64_t>(each) << at;
    size = at % each == 0 && (used & element) == element ? each : 1;
    if (!(used >> at & 1))
      continue;
    Target target = locate(warp, instr, instr.space, address + at, size, lane, AccessKind::Read);
    if (!target.host)
      return std::nullopt;
    std::memcpy(data + at, target.host, size);
    values |= bytesWithValues(target, size) << at;
  }
  return values;
}

Step load(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &from = instr.args[1];
  Value addresses = warp.use(from, lanes, "an address");
  unsigned each = bytesOf(instr.type), count = instr.n, bytes = each * count;
  uint64_t results[mostElements][warpLanes] = {};
  uint8_t known[mostElements][warpLanes] = {};
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    uint8_t data[mostElements * 8] = {};
    std::optional<uint64_t> values =
        read(warp, instr, addressOf(instr, from, addresses[lane]), bytes, lane, data);
    if (!values)
      return Step::Next;
    uint8_t extension = uint8_t(0xff << each); // what a load fills up
    for (unsigned i = 0; i < count; ++i) {
      std::memcpy(&results[i][lane], data + i * each, each);
      uint8_t low = uint8_t(*values >> (i * each)) & uint8_t(~extension);
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

} // namespace

bool decodeMemory(const Statement &s, Instruction &i) {
  if ((s.opcode != "ld" && s.opcode != "st") || i.args.size() != 2 || bytesOf(i.type) == 0)
    return false;
  i.space = parseSpace(s);
  i.isConstant = s.has("nc");
  i.n = s.has("v8") ? 8 : s.has("v4") ? 4 : s.has("v2") ? 2 : 1;
  i.isLoad = s.opcode == "ld";
  i.run = i.isLoad ? load : store;
  const Operand &regs = i.args[s.opcode == "ld" ? 0 : 1];
  return i.n == 1 ? regs.parts.size() <= 1 : regs.parts.size() == i.n;
}

} // namespace tilec::ptx

//===- Exchange.cpp - between the lanes of a warp -------------------------===//
//
// Decodes shfl, vote, match, redux, elect, activemask and bar.warp.sync, and does them over the
// lanes that take part.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilec::ptx {
namespace {

enum Shuffle : uint8_t { Up, Down, Butterfly, Index };

/// PTX ISA 9.0, "shfl.sync": lanes read within segments, or their own value.
Step shuffle(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.in(instr.args[1]), b = warp.use(instr.args[2], lanes, "a shuffle's lane");
  Value c = warp.use(instr.args[3], lanes, "a shuffle's segment");
  uint64_t results[warpLanes] = {}, inside[warpLanes] = {};
  uint32_t defined = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    unsigned distance = b[lane] & 31, clamp = c[lane] & 31, segments = c[lane] >> 8 & 31;
    unsigned last = (lane & segments) | (clamp & ~segments), first = lane & segments;
    unsigned from = lane;
    switch (instr.mode) {
    case Up:
      from = lane - distance;
      inside[lane] = int(from) >= int(last);
      break;
    case Down:
      from = lane + distance;
      inside[lane] = from <= last;
      break;
    case Butterfly:
      from = lane ^ distance;
      inside[lane] = from <= last;
      break;
    default:
      from = first | (distance & ~segments);
      inside[lane] = from <= last;
    }
    if (!inside[lane])
      from = lane;
    results[lane] = a[from];
    bool isThere = lanes >> from & 1; // else the value is undefined
    defined |= uint32_t(isThere && (a.defined >> from & 1)) << lane;
  }
  const Operand &to = instr.args[0];
  warp.out(to.parts.empty() ? to : to.parts[0], lanes, results, defined);
  if (!to.parts.empty())
    warp.out(to.parts[1], lanes, inside, lanes);
  return Step::Next;
}

uint32_t trueLanes(const Value &value, uint32_t lanes) {
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    mask |= uint32_t(value[lane] != 0) << lane;
  return mask & lanes;
}

Step broadcast(Warp &warp, const Operand &to, uint32_t lanes, uint64_t value) {
  uint64_t results[warpLanes];
  std::fill(results, results + warpLanes, value);
  warp.out(to, lanes, results, lanes);
  return Step::Next;
}

enum Vote : uint8_t { AllVote, AnyVote, UniformVote, Ballot };

Step vote(Warp &warp, const Instruction &instr, uint32_t lanes) {
  uint32_t yes = trueLanes(warp.use(instr.args[1], lanes, "a vote"), lanes);
  uint64_t result = instr.mode == Ballot    ? yes
                    : instr.mode == AllVote ? yes == lanes
                    : instr.mode == AnyVote ? yes != 0
                                            : yes == 0 || yes == lanes;
  return broadcast(warp, instr.args[0], lanes, result);
}

/// mode 0: which lanes have the same value; 1: whether all have.
Step match(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.use(instr.args[1], lanes, "a value to match");
  uint64_t results[warpLanes] = {};
  bool isSame = true;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    for (unsigned other = 0; other < warpLanes; ++other)
      if ((lanes >> other & 1) && a[other] == a[lane])
        results[lane] |= 1u << other;
    isSame &= results[lane] == lanes;
  }
  const Operand &to = instr.args[0];
  if (instr.mode == 0) {
    warp.out(to, lanes, results, lanes);
    return Step::Next;
  }
  broadcast(warp, to.parts.empty() ? to : to.parts[0], lanes, isSame ? lanes : 0);
  if (!to.parts.empty())
    broadcast(warp, to.parts[1], lanes, isSame);
  return Step::Next;
}

enum Reduction : uint8_t { None, Add, Min, Max, And, Or, Xor };

Step reduce(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.use(instr.args[1], lanes, "a value to reduce");
  uint64_t result = 0;
  forInt(instr.type, [&](auto zero) {
    using T = decltype(zero);
    bool isFirst = true;
    T total = 0;
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      if (!(lanes >> lane & 1))
        continue;
      T value = T(a[lane]);
      if (isFirst)
        total = value;
      else if (instr.mode == Add)
        total = T(uint64_t(total) + uint64_t(value));
      else if (instr.mode == Min)
        total = std::min(total, value);
      else if (instr.mode == Max)
        total = std::max(total, value);
      else if (instr.mode == And)
        total = T(total & value);
      else if (instr.mode == Or)
        total = T(total | value);
      else
        total = T(total ^ value);
      isFirst = false;
    }
    result = pack(total);
    return Step::Next;
  });
  return broadcast(warp, instr.args[0], lanes, result);
}

/// One lane of those that are here: the program may not count on which, but it is the same one for
/// the same lanes (PTX ISA 9.0, "elect.sync").
Step elect(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned leader = unsigned(warp.machine.options.seed * 7 + warp.index * 5) % warpLanes;
  while (!(lanes >> leader & 1))
    leader = (leader + 1) % warpLanes;
  uint64_t isLeader[warpLanes] = {};
  isLeader[leader] = 1;
  const Operand &to = instr.args[0];
  if (to.parts.size() != 2)
    return Step::Next;
  broadcast(warp, to.parts[0], lanes, leader);
  warp.out(to.parts[1], lanes, isLeader, lanes);
  return Step::Next;
}

Step activeMask(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return broadcast(warp, instr.args[0], lanes, lanes);
}

/// Orders the accesses of a warp's lanes, which are not told apart here.
Step syncWarp(Warp &, const Instruction &, uint32_t) { return Step::Next; }

} // namespace

bool decodeExchange(const Statement &s, Instruction &i) {
  if (s.opcode == "activemask") {
    i.run = activeMask;
    return true;
  }
  if (!s.has("sync"))
    return false;
  if (s.opcode == "bar" && s.has("warp")) {
    i.run = syncWarp;
  } else if (s.opcode == "shfl" && i.args.size() == 5) {
    i.mode = s.has("up") ? Up : s.has("down") ? Down : s.has("bfly") ? Butterfly : Index;
    i.run = shuffle;
  } else if (s.opcode == "vote" && i.args.size() == 3) {
    i.mode = s.has("all") ? AllVote : s.has("any") ? AnyVote : s.has("uni") ? UniformVote : Ballot;
    i.run = vote;
  } else if (s.opcode == "match" && i.args.size() == 3) {
    i.mode = s.has("all");
    i.run = match;
  } else if (s.opcode == "redux" && i.args.size() == 3 && !isFloat(i.type)) {
    i.mode = StringSwitch<uint8_t>(s.mods[1])
                 .Case("add", Add)
                 .Case("min", Min)
                 .Case("max", Max)
                 .Case("and", And)
                 .Case("or", Or)
                 .Case("xor", Xor)
                 .Default(None);
    if (i.mode == None)
      return false;
    i.run = reduce;
  } else if (s.opcode == "elect" && i.args.size() == 2) {
    i.run = elect;
  } else {
    return false;
  }
  i.meeting = Meeting::Mask;
  return true;
}

} // namespace tilec::ptx

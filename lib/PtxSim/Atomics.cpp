//===- Atomics.cpp - atom and red -----------------------------------------===//
//
// Decodes atom and red in all their forms, and does them lane by lane.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Decode.h"
#include "Lanes.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

namespace {

enum Operation : uint8_t { Unknown, Add, Min, Max, And, Or, Xor, Exchange, CompareSwap, Inc, Dec };

template <typename T> T combineInts(uint8_t op, T a, T b) {
  switch (op) {
  case Add:
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  case Min:
    return std::min(a, b);
  case Max:
    return std::max(a, b);
  case And:
    return T(a & b);
  case Or:
    return T(a | b);
  case Xor:
    return T(a ^ b);
  case Inc:
    return a >= b ? T(0) : T(a + 1);
  case Dec:
    return a == T(0) || a > b ? b : T(a - 1);
  default:
    return b;
  }
}

double combineFloats(uint8_t op, double a, double b) {
  if (op == Add)
    return a + b;
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return (op == Min) == (a < b) ? a : b;
}

uint64_t combine(const Instruction &instr, uint64_t old, uint64_t value) {
  if (instr.mode == Exchange)
    return value;
  switch (instr.type) {
  case Ty::F32:
    return pack(float(combineFloats(instr.mode, unpack<float>(old), unpack<float>(value))));
  case Ty::F64:
    return pack(combineFloats(instr.mode, unpack<double>(old), unpack<double>(value)));
  case Ty::F16:
    return halfOfFloat(
        combineFloats(instr.mode, unpack<Half>(old).value, unpack<Half>(value).value));
  case Ty::BF16:
    return brainOfFloat(
        combineFloats(instr.mode, unpack<Brain>(old).value, unpack<Brain>(value).value));
  case Ty::F16x2:
  case Ty::BF16x2: {
    uint64_t result = 0;
    for (unsigned shift : {0u, 16u}) {
      uint64_t a = old >> shift & 0xffff, b = value >> shift & 0xffff;
      result |= uint64_t(instr.type == Ty::F16x2
                             ? halfOfFloat(combineFloats(instr.mode, unpack<Half>(a).value,
                                                         unpack<Half>(b).value))
                             : brainOfFloat(combineFloats(instr.mode, unpack<Brain>(a).value,
                                                          unpack<Brain>(b).value)))
                << shift;
    }
    return result;
  }
  default: {
    uint64_t result = 0;
    forInt(instr.type, [&](auto zero) {
      using T = decltype(zero);
      result = pack(combineInts<T>(instr.mode, T(old), T(value)));
      return Step::Next;
    });
    return result;
  }
  }
}

uint64_t bytesThatDiffer(uint64_t a, uint64_t b, unsigned bytes) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < bytes; ++i)
    mask |= uint64_t(((a ^ b) >> 8 * i & 0xff) != 0) << i;
  return mask;
}

/// atom has a result in front, red has none.
Step atomic(Warp &warp, const Instruction &instr, uint32_t lanes) {
  bool hasResult = instr.mode2;
  const Operand &memory = instr.args[hasResult];
  Value addresses = warp.use(memory, lanes, "an address");
  Value values = warp.use(instr.args[hasResult + 1], lanes, "an atomic's operand");
  const uint64_t *swaps = instr.mode == CompareSwap
                              ? warp.use(instr.args[hasResult + 2], lanes, "an operand").lanes
                              : nullptr;
  unsigned bytes = bytesOf(instr.type);
  uint64_t results[warpLanes] = {};
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    uint64_t address = addresses[lane] + uint64_t(memory.offset);
    if (instr.space == Space::Shared || instr.space == Space::Cluster)
      address = uint32_t(address);
    Target target = locate(warp, instr, instr.space, address, bytes, lane, AccessKind::Atomic);
    if (!target.host)
      return Step::Next;
    // Elements of less than a byte are put into words of tensors by AND, OR and compare-and-swap:
    // the rest of such a word may be anything.
    bool isBitwise = instr.mode == And || instr.mode == Or || instr.mode == Xor ||
                     instr.mode == Exchange || instr.mode == CompareSwap;
    // Behind a guess, the bytes that a compare-and-swap changes are the element that it is about.
    uint64_t withValues = instr.hasGuess ? bytesWithValues(target, bytes) : ~0ull;
    bool lacksValue =
        instr.hasGuess && (bytesThatDiffer(values[lane], swaps[lane], bytes) & ~withValues);
    if (lacksValue || (!isBitwise && !holdsValues(target, bytes))) {
      warp.fail(instr, 1u << lane, "an atomic on memory that nothing has written");
      return Step::Next;
    }
    if (target.written && !instr.hasGuess)
      std::memset(target.written, 1, bytes);
    uint64_t old = 0;
    std::memcpy(&old, target.host, bytes);
    uint64_t next =
        swaps ? (old == values[lane] ? swaps[lane] : old) : combine(instr, old, values[lane]);
    std::memcpy(target.host, &next, bytes);
    if (target.shared) {
      target.shared->noteWrite(target.offset, bytes, warp.epoch(Touch::Atomic));
      for (unsigned i = 0; i < bytes; ++i) // what is put back has no more value than before
        if (!(withValues >> i & 1))
          target.shared->forget(target.offset + i, 1);
    }
    results[lane] = old;
  }
  if (hasResult)
    warp.out(instr.args[0], lanes, results, lanes);
  return Step::Next;
}

/// red.global.add.{v2, v4} of f32 or pairs of 16 bits: neighbouring elements at an aligned address,
/// each by itself.
Step addVector(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &memory = instr.args[0];
  Value addresses = warp.use(memory, lanes, "an address");
  llvm::SmallVector<Value, 4> values;
  for (const Operand &part : instr.args[1].parts)
    values.push_back(warp.use(part, lanes, "an atomic's operand"));
  unsigned each = bytesOf(instr.type), bytes = each * instr.n;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    Target target = locate(warp, instr, instr.space, addresses[lane] + uint64_t(memory.offset),
                           bytes, lane, AccessKind::Atomic);
    if (!target.host)
      return Step::Next;
    if (!holdsValues(target, bytes)) {
      warp.fail(instr, 1u << lane, "an atomic on memory that nothing has written");
      return Step::Next;
    }
    for (unsigned i = 0; i < instr.n; ++i) {
      uint64_t old = 0;
      std::memcpy(&old, target.host + i * each, each);
      uint64_t next = combine(instr, old, values[i][lane]);
      std::memcpy(target.host + i * each, &next, each);
    }
  }
  return Step::Next;
}

} // namespace

bool decodeAtomics(const Statement &s, Instruction &i) {
  if (s.opcode != "atom" && s.opcode != "red")
    return false;
  i.mode2 = s.opcode == "atom";
  i.isSwap = s.has("cas");
  i.space = parseSpace(s);
  for (StringRef mod : s.mods) {
    uint8_t op = StringSwitch<uint8_t>(mod)
                     .Case("add", Add)
                     .Case("min", Min)
                     .Case("max", Max)
                     .Case("and", And)
                     .Case("or", Or)
                     .Case("xor", Xor)
                     .Case("exch", Exchange)
                     .Case("cas", CompareSwap)
                     .Case("inc", Inc)
                     .Case("dec", Dec)
                     .Default(Unknown);
    i.mode = op == Unknown ? i.mode : op;
  }
  if (s.has("async") || i.mode == Unknown || bytesOf(i.type) == 0)
    return false;
  size_t parts = i.args.back().parts.size();
  if (parts == 0) {
    i.run = atomic;
    return true;
  }
  i.n = s.has("v4") ? 4 : s.has("v2") ? 2 : 1;
  i.run = addVector;
  bool isAdded = i.type == Ty::F32 || i.type == Ty::F16x2 || i.type == Ty::BF16x2;
  return s.opcode == "red" && i.mode == Add && i.space == Space::Global && isAdded && parts == i.n;
}

} // namespace tilec::ptx

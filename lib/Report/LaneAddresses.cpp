//===- LaneAddresses.cpp - what the lanes of a wave address in LDS --------===//
//
// Runs the integer arithmetic of a kernel once, in address order, for the 64 lanes of
// the first wave. A value is exact, or known up to an offset that all lanes share (what
// comes from a scalar register that nothing here computed): addition keeps that, bit
// operations do not. Everything else is unknown.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LaneAddresses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>

using namespace llvm;

namespace tilec::report {

namespace {

struct Value {
  LaneValues lanes = {};
  bool isExact = true; ///< false: plus one offset that all lanes share

  bool isUniform() const { return all_equal(lanes); }
};
using MaybeValue = std::optional<Value>;
using Args = ArrayRef<Value>;

template <typename Function> Value perLane(Args args, bool isExact, Function function) {
  Value result;
  result.isExact = isExact;
  for (unsigned lane = 0; lane < waveLanes; ++lane)
    result.lanes[lane] = function(lane);
  return result;
}

bool allExact(Args args) {
  return all_of(args, [](const Value &value) { return value.isExact; });
}

MaybeValue add(const Value &a, const Value &b) {
  return perLane({}, a.isExact && b.isExact,
                 [&](unsigned lane) { return a.lanes[lane] + b.lanes[lane]; });
}

MaybeValue subtract(const Value &a, const Value &b) {
  return perLane({}, a.isExact && b.isExact,
                 [&](unsigned lane) { return a.lanes[lane] - b.lanes[lane]; });
}

MaybeValue shiftLeft(const Value &value, const Value &by) {
  if (!by.isExact || !by.isUniform())
    return std::nullopt;
  return perLane({}, value.isExact,
                 [&](unsigned lane) { return value.lanes[lane] << (by.lanes[0] & 31); });
}

MaybeValue multiply(const Value &a, const Value &b) {
  // An unknown offset times a number of the lane is no offset that all lanes share.
  bool isKnown =
      (a.isExact && b.isExact) || (a.isExact && a.isUniform()) || (b.isExact && b.isUniform());
  if (!isKnown)
    return std::nullopt;
  return perLane({}, a.isExact && b.isExact,
                 [&](unsigned lane) { return a.lanes[lane] * b.lanes[lane]; });
}

template <typename Function> MaybeValue bitwise(Args args, Function function) {
  if (!allExact(args))
    return std::nullopt;
  return perLane(args, true, function);
}

MaybeValue chain(MaybeValue first, const Value &second,
                 MaybeValue (*operation)(const Value &, const Value &)) {
  return first ? operation(*first, second) : std::nullopt;
}

MaybeValue bitAnd(const Value &a, const Value &b) {
  return bitwise({a, b}, [&](unsigned lane) { return a.lanes[lane] & b.lanes[lane]; });
}
MaybeValue bitOr(const Value &a, const Value &b) {
  return bitwise({a, b}, [&](unsigned lane) { return a.lanes[lane] | b.lanes[lane]; });
}
MaybeValue bitXor(const Value &a, const Value &b) {
  return bitwise({a, b}, [&](unsigned lane) { return a.lanes[lane] ^ b.lanes[lane]; });
}
MaybeValue shiftRight(const Value &value, const Value &by) {
  return bitwise({value, by},
                 [&](unsigned lane) { return value.lanes[lane] >> (by.lanes[lane] & 31); });
}
MaybeValue extractBits(Args args) {
  return bitwise(args, [&](unsigned lane) {
    uint32_t width = args[2].lanes[lane] & 31;
    return args[0].lanes[lane] >> (args[1].lanes[lane] & 31) & ((uint32_t(1) << width) - 1);
  });
}

/// v_bitop3_b32: any function of three bits, as the truth table `table`.
MaybeValue bitOperation(Args args, uint32_t table) {
  return bitwise(args, [&](unsigned lane) {
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      unsigned row = 0;
      for (const Value &arg : args)
        row = row * 2 + (arg.lanes[lane] >> bit & 1);
      result |= (table >> row & 1) << bit;
    }
    return result;
  });
}

/// Lanes below this one in the low or the high half of a full mask, plus a value.
MaybeValue countBelow(Args args, bool isHigh) {
  if (!args[0].isExact || !args[0].isUniform() || args[0].lanes[0] != ~uint32_t(0))
    return std::nullopt;
  return perLane({}, args[1].isExact, [&](unsigned lane) {
    unsigned below = isHigh ? (lane > 32 ? lane - 32 : 0) : std::min(lane, 32u);
    return args[1].lanes[lane] + below;
  });
}

/// An operation by name; `args` are its inputs in the assembler's order. Suffixes such as _e32 and
/// _u32 are gone.
MaybeValue evaluate(StringRef operation, Args args) {
  auto two = [&] { return args.size() >= 2; };
  auto three = [&] { return args.size() >= 3; };
  if (operation == "mov" && args.size() == 1)
    return args[0];
  if (operation == "readfirstlane" && args.size() == 1)
    return perLane(args, args[0].isExact, [&](unsigned) { return args[0].lanes[0]; });
  if (operation == "add" && two())
    return add(args[0], args[1]);
  if (operation == "add3" && three())
    return chain(add(args[0], args[1]), args[2], add);
  if (operation == "sub" && two())
    return subtract(args[0], args[1]);
  if (operation == "lshl" && two()) // s_lshl: value, shift
    return shiftLeft(args[0], args[1]);
  if (operation == "lshlrev" && two())
    return shiftLeft(args[1], args[0]);
  if (operation == "lshr" && two())
    return shiftRight(args[0], args[1]);
  if (operation == "lshrrev" && two())
    return shiftRight(args[1], args[0]);
  if (operation == "lshl_add" && three())
    return chain(shiftLeft(args[0], args[1]), args[2], add);
  if (operation == "add_lshl" && three())
    return chain(add(args[0], args[1]), args[2], shiftLeft);
  if (operation == "lshl_or" && three())
    return chain(shiftLeft(args[0], args[1]), args[2], bitOr);
  if (operation == "and_or" && three())
    return chain(bitAnd(args[0], args[1]), args[2], bitOr);
  if (operation == "or3" && three())
    return chain(bitOr(args[0], args[1]), args[2], bitOr);
  if (operation == "xad" && three())
    return chain(bitXor(args[0], args[1]), args[2], add);
  if (operation == "mul" && two())
    return multiply(args[0], args[1]);
  if (operation == "mad" && three())
    return chain(multiply(args[0], args[1]), args[2], add);
  if (operation == "and" && two())
    return bitAnd(args[0], args[1]);
  if (operation == "or" && two())
    return bitOr(args[0], args[1]);
  if (operation == "xor" && two())
    return bitXor(args[0], args[1]);
  if (operation == "bfe" && three())
    return extractBits(args);
  if (operation == "s_bfe" && two()) // offset in bits 0-4, width in 16-22
    return bitwise(args, [&](unsigned lane) {
      uint32_t field = args[1].lanes[lane], width = field >> 16 & 0x7f;
      uint32_t mask = width >= 32 ? ~uint32_t(0) : (uint32_t(1) << width) - 1;
      return args[0].lanes[lane] >> (field & 31) & mask;
    });
  if (operation == "bfi" && three())
    return bitwise(args, [&](unsigned lane) {
      uint32_t mask = args[0].lanes[lane];
      return (mask & args[1].lanes[lane]) | (~mask & args[2].lanes[lane]);
    });
  if ((operation == "mbcnt_lo" || operation == "mbcnt_hi") && two())
    return countBelow(args, operation == "mbcnt_hi");
  return std::nullopt;
}

/// `v_lshl_add_u32` and its like without type and encoding; empty for what is not evaluated.
StringRef operationOf(StringRef mnemonic) {
  constexpr std::pair<StringRef, StringRef> table[] = {{"v_mov_b32_e32", "mov"},
                                                       {"s_mov_b32", "mov"},
                                                       {"v_readfirstlane_b32", "readfirstlane"},
                                                       {"v_add_u32_e32", "add"},
                                                       {"v_add_u32_e64", "add"},
                                                       {"s_add_i32", "add"},
                                                       {"s_add_u32", "add"},
                                                       {"v_add3_u32", "add3"},
                                                       {"v_sub_u32_e32", "sub"},
                                                       {"v_sub_u32_e64", "sub"},
                                                       {"s_sub_i32", "sub"},
                                                       {"s_sub_u32", "sub"},
                                                       {"s_lshl_b32", "lshl"},
                                                       {"v_lshlrev_b32_e32", "lshlrev"},
                                                       {"v_lshlrev_b32_e64", "lshlrev"},
                                                       {"s_lshr_b32", "lshr"},
                                                       {"v_lshrrev_b32_e32", "lshrrev"},
                                                       {"v_lshrrev_b32_e64", "lshrrev"},
                                                       {"v_lshl_add_u32", "lshl_add"},
                                                       {"v_add_lshl_u32", "add_lshl"},
                                                       {"v_lshl_or_b32", "lshl_or"},
                                                       {"v_and_or_b32", "and_or"},
                                                       {"v_or3_b32", "or3"},
                                                       {"v_xad_u32", "xad"},
                                                       {"v_mul_u32_u24_e32", "mul"},
                                                       {"v_mul_u32_u24_e64", "mul"},
                                                       {"v_mul_lo_u32", "mul"},
                                                       {"s_mul_i32", "mul"},
                                                       {"v_mad_u32_u24", "mad"},
                                                       {"v_and_b32_e32", "and"},
                                                       {"v_and_b32_e64", "and"},
                                                       {"s_and_b32", "and"},
                                                       {"v_or_b32_e32", "or"},
                                                       {"v_or_b32_e64", "or"},
                                                       {"s_or_b32", "or"},
                                                       {"v_xor_b32_e32", "xor"},
                                                       {"v_xor_b32_e64", "xor"},
                                                       {"s_xor_b32", "xor"},
                                                       {"v_bfe_u32", "bfe"},
                                                       {"s_bfe_u32", "s_bfe"},
                                                       {"v_bfi_b32", "bfi"},
                                                       {"v_mbcnt_lo_u32_b32", "mbcnt_lo"},
                                                       {"v_mbcnt_hi_u32_b32", "mbcnt_hi"}};
  for (auto [name, operation] : table)
    if (mnemonic == name)
      return operation;
  return "";
}

/// ds_read2_b64 and its like: two addresses that the offset does not tell.
bool isTwoAccesses(StringRef mnemonic) {
  return mnemonic.starts_with("ds_read2") || mnemonic.starts_with("ds_write2");
}

class Evaluator {
public:
  Evaluator() {
    // The only thing that a wave knows from the start: v0 holds the number of the lane.
    Value lane;
    for (unsigned i = 0; i < waveLanes; ++i)
      lane.lanes[i] = i;
    known[{RegisterFile::Vector, 0}] = lane;
  }

  std::optional<LaneValues> step(const Instruction &instr);

private:
  MaybeValue operand(StringRef text) const;
  std::optional<SmallVector<Value, 3>> inputs(StringRef operands) const;
  MaybeValue registerValue(RegisterFile file, unsigned number) const;

  std::map<std::pair<RegisterFile, unsigned>, Value> known;
};

MaybeValue Evaluator::registerValue(RegisterFile file, unsigned number) const {
  if (auto it = known.find({file, number}); it != known.end())
    return it->second;
  if (file != RegisterFile::Scalar)
    return std::nullopt;
  Value offset; // some number, the same for all lanes
  offset.isExact = false;
  return offset;
}

MaybeValue Evaluator::operand(StringRef text) const {
  text = text.trim();
  unsigned number = 0;
  int64_t constant = 0;
  if (StringRef rest = text; rest.consume_front("v") && !rest.getAsInteger(10, number))
    return registerValue(RegisterFile::Vector, number);
  if (StringRef rest = text; rest.consume_front("s") && !rest.getAsInteger(10, number))
    return registerValue(RegisterFile::Scalar, number);
  if (text.getAsInteger(0, constant))
    return std::nullopt;
  Value value;
  value.lanes.fill(static_cast<uint32_t>(constant));
  return value;
}

/// All operands but the first one, which is the result; nothing when one of them is unknown.
std::optional<SmallVector<Value, 3>> Evaluator::inputs(StringRef operands) const {
  SmallVector<StringRef, 4> texts;
  operands.split(texts, ',');
  SmallVector<Value, 3> values;
  for (StringRef text : drop_begin(texts)) {
    MaybeValue value = operand(text);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<LaneValues> Evaluator::step(const Instruction &instr) {
  std::optional<LaneValues> result;
  bool isShared = instr.kind == InstrKind::SharedRead || instr.kind == InstrKind::SharedWrite;
  if (isShared && !instr.reads.empty() && !isTwoAccesses(instr.mnemonic)) {
    const RegisterRange &address = instr.reads[0];
    if (MaybeValue base = registerValue(address.file, address.first)) {
      result = base->lanes;
      for (uint32_t &lane : *result)
        lane += instr.immediate;
    }
  }
  MaybeValue value;
  StringRef operation = operationOf(instr.mnemonic);
  if (!operation.empty()) {
    if (std::optional<SmallVector<Value, 3>> args = inputs(instr.operands))
      value = evaluate(operation, *args);
  } else if (instr.mnemonic == "v_bitop3_b32") {
    auto [operands, table] = StringRef(instr.operands).split(" bitop3:");
    std::optional<SmallVector<Value, 3>> args = inputs(operands);
    uint32_t truth = 0;
    if (args && args->size() == 3 && !table.getAsInteger(0, truth))
      value = bitOperation(*args, truth);
  }
  for (const RegisterRange &range : instr.writes)
    for (unsigned i = 0; i < range.count; ++i)
      known.erase({range.file, range.first + i});
  if (value && !instr.writes.empty())
    known[{instr.writes[0].file, instr.writes[0].first}] = *value;
  return result;
}

} // namespace

std::vector<std::optional<LaneValues>> sharedAddresses(const KernelCode &kernel) {
  Evaluator evaluator;
  std::vector<std::optional<LaneValues>> result;
  for (const Instruction &instr : kernel.instructions)
    result.push_back(evaluator.step(instr));
  return result;
}

} // namespace tilec::report

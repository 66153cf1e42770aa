//===- IntegerOps.cpp - integer instructions on lane values ---------------===//
//
// A value is exact, or known up to multiples of numbers that all lanes share (what comes
// from a scalar register that nothing here computed): addition keeps that, bit operations
// do not. Everything else is unknown.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntegerOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace tilec::report {

namespace {

using MaybeValue = std::optional<LaneInts>;
using Args = ArrayRef<LaneInts>;

using Terms = SmallVector<SharedTerm, 1>;

template <typename Function> LaneInts perLane(Terms terms, Function function) {
  LaneInts result;
  result.terms = std::move(terms);
  for (unsigned lane = 0; lane < waveLanes; ++lane)
    result.lanes[lane] = function(lane);
  return result;
}

bool allExact(Args args) {
  return all_of(args, [](const LaneInts &value) { return value.isExact(); });
}

/// a + factor * b. Arithmetic wraps at 32 bits, that of the factors as well.
Terms combined(const Terms &a, const Terms &b, uint32_t factor) {
  Terms result(a);
  for (SharedTerm term : b) {
    auto at = lower_bound(result, term.unknown, [](const SharedTerm &have, uint32_t unknown) {
      return have.unknown < unknown;
    });
    if (at == result.end() || at->unknown != term.unknown)
      at = result.insert(at, {term.unknown, 0});
    at->factor += term.factor * factor;
  }
  erase_if(result, [](const SharedTerm &term) { return term.factor == 0; });
  return result;
}

MaybeValue add(const LaneInts &a, const LaneInts &b) {
  return perLane(combined(a.terms, b.terms, 1),
                 [&](unsigned lane) { return a.lanes[lane] + b.lanes[lane]; });
}

MaybeValue subtract(const LaneInts &a, const LaneInts &b) {
  return perLane(combined(a.terms, b.terms, ~uint32_t(0)),
                 [&](unsigned lane) { return a.lanes[lane] - b.lanes[lane]; });
}

MaybeValue shiftLeft(const LaneInts &value, const LaneInts &by) {
  if (!by.isExact() || !by.isUniform())
    return std::nullopt;
  uint32_t bits = by.lanes[0] & 31;
  return perLane(combined({}, value.terms, uint32_t(1) << bits),
                 [&](unsigned lane) { return value.lanes[lane] << bits; });
}

MaybeValue multiply(const LaneInts &a, const LaneInts &b) {
  // An unknown offset times a number of the lane is no offset that all lanes share.
  auto isFactor = [](const LaneInts &value) { return value.isExact() && value.isUniform(); };
  if (!allExact({a, b}) && !isFactor(a) && !isFactor(b))
    return std::nullopt;
  Terms terms = a.isExact() ? combined({}, b.terms, a.lanes[0]) : combined({}, a.terms, b.lanes[0]);
  return perLane(std::move(terms), [&](unsigned lane) { return a.lanes[lane] * b.lanes[lane]; });
}

template <typename Function> MaybeValue bitwise(Args args, Function function) {
  if (!allExact(args))
    return std::nullopt;
  return perLane({}, function);
}

MaybeValue chain(MaybeValue first, const LaneInts &second,
                 MaybeValue (*operation)(const LaneInts &, const LaneInts &)) {
  return first ? operation(*first, second) : std::nullopt;
}

MaybeValue bitAnd(const LaneInts &a, const LaneInts &b) {
  return bitwise({a, b}, [&](unsigned lane) { return a.lanes[lane] & b.lanes[lane]; });
}
MaybeValue bitOr(const LaneInts &a, const LaneInts &b) {
  return bitwise({a, b}, [&](unsigned lane) { return a.lanes[lane] | b.lanes[lane]; });
}
MaybeValue bitXor(const LaneInts &a, const LaneInts &b) {
  return bitwise({a, b}, [&](unsigned lane) { return a.lanes[lane] ^ b.lanes[lane]; });
}
MaybeValue shiftRight(const LaneInts &value, const LaneInts &by) {
  return bitwise({value, by},
                 [&](unsigned lane) { return value.lanes[lane] >> (by.lanes[lane] & 31); });
}
MaybeValue shiftRightSigned(const LaneInts &value, const LaneInts &by) {
  return bitwise({value, by}, [&](unsigned lane) {
    return uint32_t(int32_t(value.lanes[lane]) >> (by.lanes[lane] & 31));
  });
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
      for (const LaneInts &arg : args)
        row = row * 2 + (arg.lanes[lane] >> bit & 1);
      result |= (table >> row & 1) << bit;
    }
    return result;
  });
}

/// Lanes below this one in the low or the high half of a full mask, plus a value.
MaybeValue countBelow(Args args, bool isHigh) {
  if (!args[0].isExact() || !args[0].isUniform() || args[0].lanes[0] != ~uint32_t(0))
    return std::nullopt;
  return perLane(args[1].terms, [&](unsigned lane) {
    unsigned below = isHigh ? (lane > 32 ? lane - 32 : 0) : std::min(lane, 32u);
    return args[1].lanes[lane] + below;
  });
}

/// min_i32 and its like.
struct Choice {
  bool isMin, isSigned;
};
std::optional<Choice> choiceOf(StringRef operation) {
  bool isMin = operation.starts_with("min_");
  if (!isMin && !operation.starts_with("max_"))
    return std::nullopt;
  return Choice{isMin, operation.ends_with("_i32")};
}

/// An operation by name; `args` are its inputs in the assembler's order. Suffixes such as _e32 and
/// _u32 are gone.
MaybeValue evaluate(StringRef operation, Args args) {
  auto two = [&] { return args.size() >= 2; };
  auto three = [&] { return args.size() >= 3; };
  if (operation == "mov" && args.size() == 1)
    return args[0];
  if (operation == "readfirstlane" && args.size() == 1)
    return perLane(args[0].terms, [&](unsigned) { return args[0].lanes[0]; });
  if (operation == "add" && two())
    return add(args[0], args[1]);
  if (operation == "add3" && three())
    return chain(add(args[0], args[1]), args[2], add);
  if (operation == "sub" && two())
    return subtract(args[0], args[1]);
  if (operation == "subrev" && two())
    return subtract(args[1], args[0]);
  if (operation == "lshl" && two()) // s_lshl: value, shift
    return shiftLeft(args[0], args[1]);
  if (operation == "lshlrev" && two())
    return shiftLeft(args[1], args[0]);
  if (operation == "lshr" && two())
    return shiftRight(args[0], args[1]);
  if (operation == "lshrrev" && two())
    return shiftRight(args[1], args[0]);
  if (operation == "lshrrev_b16" && two()) // the upper half becomes zero (CDNA3 ISA document, 6.2)
    return bitwise(args, [&](unsigned lane) {
      return (args[1].lanes[lane] & 0xffff) >> (args[0].lanes[lane] & 15);
    });
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
  if (operation == "ashr" && two())
    return shiftRightSigned(args[0], args[1]);
  if (operation == "ashrrev" && two())
    return shiftRightSigned(args[1], args[0]);
  if (operation == "mul_hi" && two())
    return bitwise(args, [&](unsigned lane) {
      return uint32_t(uint64_t(args[0].lanes[lane]) * args[1].lanes[lane] >> 32);
    });
  if (operation == "mul" && two())
    return multiply(args[0], args[1]);
  if (operation == "mul_i24" && two())
    return bitwise(args, [&](unsigned lane) {
      auto low24 = [](uint32_t value) { return int32_t(value << 8) >> 8; };
      return uint32_t(low24(args[0].lanes[lane]) * low24(args[1].lanes[lane]));
    });
  if (operation == "mad" && three())
    return chain(multiply(args[0], args[1]), args[2], add);
  if (operation == "and" && two())
    return bitAnd(args[0], args[1]);
  if (operation == "or" && two())
    return bitOr(args[0], args[1]);
  if (operation == "xor" && two())
    return bitXor(args[0], args[1]);
  if (operation == "bitset0" && two())
    return bitwise(args, [&](unsigned lane) {
      return args[0].lanes[lane] & ~(uint32_t(1) << (args[1].lanes[lane] & 31));
    });
  if (operation == "bitset1" && two())
    return bitwise(args, [&](unsigned lane) {
      return args[0].lanes[lane] | uint32_t(1) << (args[1].lanes[lane] & 31);
    });
  if (operation == "andn2" && two())
    return bitwise(args, [&](unsigned lane) { return args[0].lanes[lane] & ~args[1].lanes[lane]; });
  if (operation == "brev" && args.size() == 1)
    return bitwise(args, [&](unsigned lane) { return llvm::reverseBits(args[0].lanes[lane]); });
  if (operation == "not" && args.size() == 1)
    return bitwise(args, [&](unsigned lane) { return ~args[0].lanes[lane]; });
  if (std::optional<Choice> choice = choiceOf(operation); choice && two())
    return bitwise(args, [&](unsigned lane) {
      uint32_t a = args[0].lanes[lane], b = args[1].lanes[lane];
      bool isLess = choice->isSigned ? int32_t(a) < int32_t(b) : a < b;
      return isLess == choice->isMin ? a : b;
    });
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

} // namespace

/// `v_lshl_add_u32` and its like without type and encoding; empty for what is not evaluated.
static StringRef operationOf(StringRef mnemonic) {
  // Asked for every instruction of every round, of which most are not there.
  static const StringMap<StringRef> table = {{"v_mov_b32_e32", "mov"},
                                             {"s_mov_b32", "mov"},
                                             {"v_accvgpr_write_b32", "mov"},
                                             {"v_accvgpr_read_b32", "mov"},
                                             {"v_accvgpr_mov_b32", "mov"},
                                             {"v_mad_u64_u32", "mad"},
                                             {"v_readfirstlane_b32", "readfirstlane"},
                                             {"s_movk_i32", "mov"},
                                             {"s_addk_i32", "add"},
                                             {"s_mulk_i32", "mul"},
                                             {"v_subrev_u32_e32", "subrev"},
                                             {"v_subrev_u32_e64", "subrev"},
                                             {"s_mul_hi_u32", "mul_hi"},
                                             {"v_mul_hi_u32", "mul_hi"},
                                             {"s_ashr_i32", "ashr"},
                                             {"v_ashrrev_i32_e32", "ashrrev"},
                                             {"v_ashrrev_i32_e64", "ashrrev"},
                                             {"s_andn2_b32", "andn2"},
                                             {"s_brev_b32", "brev"},
                                             {"v_bfrev_b32_e32", "brev"},
                                             {"s_not_b32", "not"},
                                             {"v_not_b32_e32", "not"},
                                             {"s_min_i32", "min_i32"},
                                             {"s_min_u32", "min_u32"},
                                             {"s_max_i32", "max_i32"},
                                             {"s_max_u32", "max_u32"},
                                             {"v_min_i32_e32", "min_i32"},
                                             {"v_min_u32_e32", "min_u32"},
                                             {"v_max_i32_e32", "max_i32"},
                                             {"v_max_u32_e32", "max_u32"},
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
                                             {"v_lshrrev_b16_e32", "lshrrev_b16"},
                                             {"v_lshrrev_b16_e64", "lshrrev_b16"},
                                             {"v_lshl_add_u32", "lshl_add"},
                                             {"v_add_lshl_u32", "add_lshl"},
                                             {"v_lshl_or_b32", "lshl_or"},
                                             {"v_and_or_b32", "and_or"},
                                             {"v_or3_b32", "or3"},
                                             {"v_xad_u32", "xad"},
                                             {"v_mul_u32_u24_e32", "mul"},
                                             {"v_mul_u32_u24_e64", "mul"},
                                             {"v_mul_i32_i24_e32", "mul_i24"},
                                             {"v_mul_i32_i24_e64", "mul_i24"},
                                             {"v_mul_lo_u32", "mul"},
                                             {"s_mul_i32", "mul"},
                                             {"v_mad_u32_u24", "mad"},
                                             {"v_and_b32_e32", "and"},
                                             {"v_and_b32_e64", "and"},
                                             {"s_and_b32", "and"},
                                             {"v_or_b32_e32", "or"},
                                             {"v_or_b32_e64", "or"},
                                             {"s_or_b32", "or"},
                                             {"s_bitset0_b32", "bitset0"},
                                             {"s_bitset1_b32", "bitset1"},
                                             {"v_xor_b32_e32", "xor"},
                                             {"v_xor_b32_e64", "xor"},
                                             {"s_xor_b32", "xor"},
                                             {"v_bfe_u32", "bfe"},
                                             {"s_bfe_u32", "s_bfe"},
                                             {"v_bfi_b32", "bfi"},
                                             {"v_mbcnt_lo_u32_b32", "mbcnt_lo"},
                                             {"v_mbcnt_hi_u32_b32", "mbcnt_hi"}};
  return table.lookup(mnemonic);
}

std::optional<LaneInts>
evaluateInteger(const Instruction &instr,
                function_ref<std::optional<LaneInts>(StringRef)> operandValue) {
  StringRef operands = instr.operands;
  uint32_t truthTable = 0;
  bool isBitOp = instr.mnemonic == "v_bitop3_b32";
  if (isBitOp) {
    auto [list, table] = operands.split(" bitop3:");
    operands = list;
    if (table.getAsInteger(0, truthTable))
      return std::nullopt;
  }
  StringRef operation = operationOf(instr.mnemonic);
  if (operation.empty() && !isBitOp)
    return std::nullopt;
  SmallVector<StringRef, 4> texts;
  operands.split(texts, ',');
  // The first operand is the result; of s_addk, s_mulk and s_bitset an input, too. A product of 64
  // bits has a carry behind it, and its low half is evaluated.
  bool isInPlace = instr.mnemonic == "s_addk_i32" || instr.mnemonic == "s_mulk_i32" ||
                   instr.mnemonic.starts_with("s_bitset");
  bool isWide = instr.mnemonic == "v_mad_u64_u32";
  SmallVector<LaneInts, 3> values;
  for (StringRef text : ArrayRef(texts).drop_front(isInPlace ? 0 : isWide ? 2 : 1)) {
    text = text.trim();
    std::string lowHalf;
    if (isWide && text.consume_front("v["))
      lowHalf = "v" + text.split(':').first.str();
    std::optional<LaneInts> value = operandValue(lowHalf.empty() ? text : StringRef(lowHalf));
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  if (!isBitOp)
    return evaluate(operation, values);
  return values.size() == 3 ? bitOperation(values, truthTable) : std::nullopt;
}

bool setsSccToNonZero(StringRef mnemonic) {
  constexpr StringRef list[] = {"s_and_b32",  "s_or_b32",   "s_xor_b32", "s_andn2_b32", "s_not_b32",
                                "s_lshl_b32", "s_lshr_b32", "s_bfe_u32", "s_ashr_i32"};
  return is_contained(list, mnemonic);
}

std::optional<bool> compareIntegers(StringRef relation, bool isSigned, uint32_t a, uint32_t b) {
  bool isLess = isSigned ? int32_t(a) < int32_t(b) : a < b;
  if (relation == "eq")
    return a == b;
  if (relation == "ne" || relation == "lg")
    return a != b;
  if (relation == "lt")
    return isLess;
  if (relation == "ge")
    return !isLess;
  if (relation == "le")
    return isLess || a == b;
  if (relation == "gt")
    return !isLess && a != b;
  return std::nullopt;
}

} // namespace tilec::report

//===- Arith.cpp - arith ops on lanes of scalars --------------------------===//
//
// `imm` holds the width of the integers that an instruction works on.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Scalars.h"

#include "tilec/Base/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec::reference {
namespace {

/// Integer operations: Fn(a, b, bits) on canonical values.
template <auto Fn> void intBinary(Frame &frame, const Instr &instr) {
  const int64_t *__restrict a = frame.at<int64_t>(instr.a);
  const int64_t *__restrict b = frame.at<int64_t>(instr.b);
  int64_t *__restrict dst = frame.at<int64_t>(instr.dst);
  unsigned bits = instr.imm;
  if (bits == 64) {
    for (int lane = 0; lane < frame.lanes; ++lane)
      dst[lane] = Fn(a[lane], b[lane], 64u);
    return;
  }
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = canonInt(Fn(a[lane], b[lane], bits), bits);
}

/// Divisions: an error for a lane that is on, 0 for one that is off.
template <auto Fn> void intDivision(Frame &frame, const Instr &instr) {
  const int64_t *a = frame.at<int64_t>(instr.a), *b = frame.at<int64_t>(instr.b);
  int64_t *dst = frame.at<int64_t>(instr.dst);
  unsigned bits = instr.imm;
  for (int lane = 0; lane < frame.lanes; ++lane) {
    if (b[lane] == 0) {
      if (frame.isOn(lane))
        return frame.machine.fail(instr.op, "divides by zero");
      dst[lane] = 0;
      continue;
    }
    dst[lane] = canonInt(Fn(a[lane], b[lane], bits), bits);
  }
}

// -2^63 / -1 overflows in C++ and wraps here.
int64_t signedQuotient(int64_t a, int64_t b) { return b == -1 ? int64_t(-uint64_t(a)) : a / b; }
int64_t signedRemainder(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }

template <auto Fn> void compareInts(Frame &frame, const Instr &instr) {
  mapBinary<int64_t, int64_t, Fn>(frame, instr);
}

// Below, g++ 12 would end a template argument at a `>` of the lambda's body: hence the parentheses.

Exec intCompare(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  // Canonical values of one width keep their unsigned order when compared as 64-bit unsigned ones.
  switch (predicate) {
  case P::eq:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return a == b; }>;
  case P::ne:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return a != b; }>;
  case P::slt:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return a < b; }>;
  case P::sle:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return a <= b; }>;
  case P::sgt:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return (a > b); }>;
  case P::sge:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return (a >= b); }>;
  case P::ult:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return uint64_t(a) < uint64_t(b); }>;
  case P::ule:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return uint64_t(a) <= uint64_t(b); }>;
  case P::ugt:
    return compareInts<[](int64_t a, int64_t b) -> int64_t { return (uint64_t(a) > uint64_t(b)); }>;
  case P::uge:
    return compareInts<[](int64_t a, int64_t b) -> int64_t {
      return (uint64_t(a) >= uint64_t(b));
    }>;
  }
  llvm_unreachable("unknown predicate");
}

template <typename T> Exec floatCompare(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return mapBinary<T, int64_t, [](T, T) -> int64_t { return 0; }>;
  case P::OEQ:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return a == b; }>;
  case P::OGT:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return (a > b); }>;
  case P::OGE:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return (a >= b); }>;
  case P::OLT:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return a < b; }>;
  case P::OLE:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return a <= b; }>;
  case P::ONE:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return (a < b || a > b); }>;
  case P::ORD:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return a == a && b == b; }>;
  case P::UEQ:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return !(a < b || a > b); }>;
  case P::UGT:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return !(a <= b); }>;
  case P::UGE:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return !(a < b); }>;
  case P::ULT:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return !(a >= b); }>;
  case P::ULE:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return !(a > b); }>;
  case P::UNE:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return a != b; }>;
  case P::UNO:
    return mapBinary<T, int64_t, [](T a, T b) -> int64_t { return a != a || b != b; }>;
  case P::AlwaysTrue:
    return mapBinary<T, int64_t, [](T, T) -> int64_t { return 1; }>;
  }
  llvm_unreachable("unknown predicate");
}

template <typename T> void selectLanes(Frame &frame, const Instr &instr) {
  const int64_t *condition = frame.at<int64_t>(instr.a);
  const T *__restrict yes = frame.at<T>(instr.b), *__restrict no = frame.at<T>(instr.c);
  T *__restrict dst = frame.at<T>(instr.dst);
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = condition[lane] ? yes[lane] : no[lane];
}

/// Fn(value, bits): an integer becomes Out.
template <typename Out, auto Fn> void fromInt(Frame &frame, const Instr &instr) {
  const int64_t *__restrict a = frame.at<int64_t>(instr.a);
  Out *__restrict dst = frame.at<Out>(instr.dst);
  unsigned bits = instr.imm;
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = Fn(a[lane], bits);
}

template <typename In, bool isUnsigned> void toInt(Frame &frame, const Instr &instr) {
  const In *a = frame.at<In>(instr.a);
  int64_t *dst = frame.at<int64_t>(instr.dst);
  unsigned bits = instr.imm;
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = bits == 1 ? a[lane] != 0 : floatToInt(a[lane], bits, isUnsigned);
}

template <typename T> T maximum(T a, T b) {
  if (a != a || b != b)
    return std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
template <typename T> T minimum(T a, T b) {
  if (a != a || b != b)
    return std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
/// IEEE 754-2008 maxNum: a number wins over NaN.
template <typename T> T maxNum(T a, T b) { return a != a ? b : b != b ? a : maximum(a, b); }
template <typename T> T minNum(T a, T b) { return a != a ? b : b != b ? a : minimum(a, b); }

template <typename T> Exec selectFloat(Operation *op) {
  return llvm::TypeSwitch<Operation *, Exec>(op)
      .template Case<arith::AddFOp>(
          [](auto) { return mapBinary<T, T, [](T a, T b) -> T { return a + b; }>; })
      .template Case<arith::SubFOp>(
          [](auto) { return mapBinary<T, T, [](T a, T b) -> T { return a - b; }>; })
      .template Case<arith::MulFOp>(
          [](auto) { return mapBinary<T, T, [](T a, T b) -> T { return a * b; }>; })
      .template Case<arith::DivFOp>(
          [](auto) { return mapBinary<T, T, [](T a, T b) -> T { return a / b; }>; })
      .template Case<arith::RemFOp>(
          [](auto) { return mapBinary<T, T, [](T a, T b) -> T { return std::fmod(a, b); }>; })
      .template Case<arith::MaxNumFOp>([](auto) { return mapBinary<T, T, maxNum<T>>; })
      .template Case<arith::MinNumFOp>([](auto) { return mapBinary<T, T, minNum<T>>; })
      .template Case<arith::MaximumFOp>([](auto) { return mapBinary<T, T, maximum<T>>; })
      .template Case<arith::MinimumFOp>([](auto) { return mapBinary<T, T, minimum<T>>; })
      .template Case<arith::NegFOp>(
          [](auto) { return mapUnary<T, T, [](T a) -> T { return -a; }>; })
      .Default([](Operation *) -> Exec { return nullptr; });
}

Exec selectInt(Operation *op) {
  using I = int64_t;
  using U = uint64_t;
  return llvm::TypeSwitch<Operation *, Exec>(op)
      .Case<arith::AddIOp>(
          [](auto) { return intBinary<[](I a, I b, unsigned) { return I(U(a) + U(b)); }>; })
      .Case<arith::SubIOp>(
          [](auto) { return intBinary<[](I a, I b, unsigned) { return I(U(a) - U(b)); }>; })
      .Case<arith::MulIOp>(
          [](auto) { return intBinary<[](I a, I b, unsigned) { return I(U(a) * U(b)); }>; })
      .Case<arith::AndIOp>([](auto) { return intBinary<[](I a, I b, unsigned) { return a & b; }>; })
      .Case<arith::OrIOp>([](auto) { return intBinary<[](I a, I b, unsigned) { return a | b; }>; })
      .Case<arith::XOrIOp>([](auto) { return intBinary<[](I a, I b, unsigned) { return a ^ b; }>; })
      .Case<arith::MaxSIOp>([](auto) {
        return intBinary<[](I a, I b, unsigned w) {
          return std::max(asSigned(a, w), asSigned(b, w));
        }>;
      })
      .Case<arith::MinSIOp>([](auto) {
        return intBinary<[](I a, I b, unsigned w) {
          return std::min(asSigned(a, w), asSigned(b, w));
        }>;
      })
      .Case<arith::MaxUIOp>([](auto) {
        return intBinary<[](I a, I b, unsigned) { return I(std::max(U(a), U(b))); }>;
      })
      .Case<arith::MinUIOp>([](auto) {
        return intBinary<[](I a, I b, unsigned) { return I(std::min(U(a), U(b))); }>;
      })
      // A shift by the width or more has no defined result; it shifts everything out here.
      .Case<arith::ShLIOp>([](auto) {
        return intBinary<[](I a, I b, unsigned w) { return U(b) >= w ? I(0) : I(U(a) << b); }>;
      })
      .Case<arith::ShRSIOp>([](auto) {
        return intBinary<[](I a, I b, unsigned w) {
          return (asSigned(a, w) >> (U(b) >= w ? w - 1 : unsigned(b)));
        }>;
      })
      .Case<arith::ShRUIOp>([](auto) {
        return intBinary<[](I a, I b, unsigned w) {
          return U(b) >= w ? I(0) : I(asUnsigned(a, w) >> b);
        }>;
      })
      .Case<arith::DivSIOp>([](auto) {
        return intDivision<[](I a, I b, unsigned w) {
          return signedQuotient(asSigned(a, w), asSigned(b, w));
        }>;
      })
      .Case<arith::RemSIOp>([](auto) {
        return intDivision<[](I a, I b, unsigned w) {
          return signedRemainder(asSigned(a, w), asSigned(b, w));
        }>;
      })
      .Case<arith::FloorDivSIOp>([](auto) {
        return intDivision<[](I a, I b, unsigned) {
          return b == -1 ? signedQuotient(a, b) : floorDiv(a, b);
        }>;
      })
      .Case<arith::CeilDivSIOp>([](auto) {
        return intDivision<[](I a, I b, unsigned) {
          return b == -1 ? signedQuotient(a, b) : floorDiv(a, b) + (a % b != 0);
        }>;
      })
      .Case<arith::DivUIOp>([](auto) {
        return intDivision<[](I a, I b, unsigned w) {
          return I(asUnsigned(a, w) / asUnsigned(b, w));
        }>;
      })
      .Case<arith::RemUIOp>([](auto) {
        return intDivision<[](I a, I b, unsigned w) {
          return I(asUnsigned(a, w) % asUnsigned(b, w));
        }>;
      })
      .Case<arith::CeilDivUIOp>([](auto) {
        return intDivision<[](I a, I b, unsigned w) {
          uint64_t n = asUnsigned(a, w), d = asUnsigned(b, w);
          return I(n / d + (n % d != 0));
        }>;
      })
      .Default([](Operation *) -> Exec { return nullptr; });
}

template <typename Out> Exec convertInt(bool isUnsigned) {
  if (isUnsigned)
    return fromInt<Out, [](int64_t v, unsigned w) { return static_cast<Out>(asUnsigned(v, w)); }>;
  return fromInt<Out, [](int64_t v, unsigned w) { return static_cast<Out>(asSigned(v, w)); }>;
}

/// Copies bits between f32 and i32, f64 and i64, or within a kind.
Exec bitcastOf(Rep from, Rep to) {
  if (from == Rep::F32 && to == Rep::Int)
    return mapUnary<float, int64_t, [](float v) -> int64_t { return std::bit_cast<int32_t>(v); }>;
  if (from == Rep::Int && to == Rep::F32)
    return mapUnary<int64_t, float, [](int64_t v) { return std::bit_cast<float>(int32_t(v)); }>;
  return mapUnary<int64_t, int64_t, [](int64_t v) { return v; }>; // equal bits of 8 bytes
}

Exec selectConversion(Operation *op, Instr &instr) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  bool f32In = from.isF32();
  instr.imm = widthOf(isa<FloatType>(to) ? from : to);
  return llvm::TypeSwitch<Operation *, Exec>(op)
      .Case<arith::ExtSIOp>([&](auto) {
        instr.imm = widthOf(from);
        return fromInt<int64_t, [](int64_t v, unsigned w) { return asSigned(v, w); }>;
      })
      .Case<arith::ExtUIOp>([&](auto) {
        instr.imm = widthOf(from);
        return fromInt<int64_t, [](int64_t v, unsigned w) { return int64_t(asUnsigned(v, w)); }>;
      })
      .Case<arith::IndexCastUIOp>([&](auto) {
        instr.imm = std::min(widthOf(from), widthOf(to));
        bool narrows = widthOf(to) < widthOf(from);
        return narrows ? fromInt<int64_t, [](int64_t v, unsigned w) { return canonInt(v, w); }>
                       : fromInt<int64_t,
                                 [](int64_t v, unsigned w) { return int64_t(asUnsigned(v, w)); }>;
      })
      .Case<arith::IndexCastOp>([&](auto) {
        instr.imm = std::min(widthOf(from), widthOf(to));
        bool narrows = widthOf(to) < widthOf(from);
        return narrows ? fromInt<int64_t, [](int64_t v, unsigned w) { return canonInt(v, w); }>
                       : fromInt<int64_t, [](int64_t v, unsigned w) { return asSigned(v, w); }>;
      })
      .Case<arith::TruncIOp>([](auto) {
        return fromInt<int64_t, [](int64_t v, unsigned w) { return canonInt(v, w); }>;
      })
      .Case<arith::SIToFPOp>([&](auto) -> Exec {
        return to.isF32() ? convertInt<float>(false) : convertInt<double>(false);
      })
      .Case<arith::UIToFPOp>([&](auto) -> Exec {
        return to.isF32() ? convertInt<float>(true) : convertInt<double>(true);
      })
      .Case<arith::FPToSIOp>(
          [&](auto) -> Exec { return f32In ? toInt<float, false> : toInt<double, false>; })
      .Case<arith::FPToUIOp>(
          [&](auto) -> Exec { return f32In ? toInt<float, true> : toInt<double, true>; })
      .Case<arith::ExtFOp>(
          [](auto) { return mapUnary<float, double, [](float v) { return double(v); }>; })
      .Case<arith::TruncFOp>(
          [](auto) { return mapUnary<double, float, [](double v) { return float(v); }>; })
      .Case<arith::BitcastOp>([&](auto) { return bitcastOf(repOf(from), repOf(to)); })
      .Default([](Operation *) -> Exec { return nullptr; });
}

bool isScalarType(Type type) {
  return type.isF32() || type.isF64() || type.isIndex() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

} // namespace

bool selectArith(Operation *op, Instr &instr) {
  if (op->getNumResults() != 1 || !llvm::all_of(op->getOperandTypes(), isScalarType) ||
      !isScalarType(op->getResult(0).getType()))
    return false;
  Type type = op->getResult(0).getType();
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    bool isBool = compare.getLhs().getType().isInteger(1);
    auto predicate = compare.getPredicate();
    // i1 is held as 0 or 1; as a signed number true is -1, so that the order is the other way
    // round.
    using P = arith::CmpIPredicate;
    if (isBool &&
        (predicate == P::slt || predicate == P::sle || predicate == P::sgt || predicate == P::sge))
      std::swap(instr.a, instr.b);
    instr.run = intCompare(predicate);
    return true;
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    instr.run = compare.getLhs().getType().isF32() ? floatCompare<float>(compare.getPredicate())
                                                   : floatCompare<double>(compare.getPredicate());
    return true;
  }
  if (isa<arith::SelectOp>(op)) {
    instr.run = type.isF32() ? selectLanes<float> : selectLanes<int64_t>; // 8-byte lanes alike
    return true;
  }
  if (op->getNumOperands() == 1 && !isa<arith::NegFOp>(op)) {
    instr.run = selectConversion(op, instr);
    return instr.run;
  }
  instr.imm = widthOf(type);
  instr.run = type.isF32()   ? selectFloat<float>(op)
              : type.isF64() ? selectFloat<double>(op)
                             : selectInt(op);
  return instr.run;
}

} // namespace tilec::reference

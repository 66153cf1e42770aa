//===- Types.cpp - types of instructions ----------------------------------===//
//
// One row a type of PTX: its name, width and kind.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Program.h"

using namespace llvm;

namespace tilec::ptx {
namespace {

enum class Kind : uint8_t { Bits, Signed, Float };
struct Row {
  StringRef name;
  Ty type;
  unsigned bytes;
  Kind kind;
};

/// In the order of Ty.
constexpr Row rows[] = {
    {"", Ty::None, 0, Kind::Bits},          {"pred", Ty::Pred, 0, Kind::Bits},
    {"b8", Ty::B8, 1, Kind::Bits},          {"b16", Ty::B16, 2, Kind::Bits},
    {"b32", Ty::B32, 4, Kind::Bits},        {"b64", Ty::B64, 8, Kind::Bits},
    {"u8", Ty::U8, 1, Kind::Bits},          {"u16", Ty::U16, 2, Kind::Bits},
    {"u32", Ty::U32, 4, Kind::Bits},        {"u64", Ty::U64, 8, Kind::Bits},
    {"s8", Ty::S8, 1, Kind::Signed},        {"s16", Ty::S16, 2, Kind::Signed},
    {"s32", Ty::S32, 4, Kind::Signed},      {"s64", Ty::S64, 8, Kind::Signed},
    {"f16", Ty::F16, 2, Kind::Float},       {"f16x2", Ty::F16x2, 4, Kind::Float},
    {"bf16", Ty::BF16, 2, Kind::Float},     {"bf16x2", Ty::BF16x2, 4, Kind::Float},
    {"f32", Ty::F32, 4, Kind::Float},       {"f32x2", Ty::F32x2, 8, Kind::Float},
    {"f64", Ty::F64, 8, Kind::Float},       {"tf32", Ty::TF32, 4, Kind::Float},
    {"e4m3", Ty::E4M3, 1, Kind::Float},     {"e5m2", Ty::E5M2, 1, Kind::Float},
    {"e4m3x2", Ty::E4M3x2, 2, Kind::Float}, {"e5m2x2", Ty::E5M2x2, 2, Kind::Float},
};

constexpr bool isInOrder() {
  for (unsigned i = 0; i < std::size(rows); ++i)
    if (unsigned(rows[i].type) != i)
      return false;
  return true;
}
static_assert(isInOrder());

const Row &rowOf(Ty type) { return rows[unsigned(type)]; }

} // namespace

Ty parseType(StringRef name) {
  for (const Row &row : rows)
    if (row.name == name)
      return row.type;
  return Ty::None;
}
unsigned bytesOf(Ty type) { return rowOf(type).bytes; }
bool isSignedInt(Ty type) { return rowOf(type).kind == Kind::Signed; }
bool isFloat(Ty type) { return rowOf(type).kind == Kind::Float; }

} // namespace tilec::ptx

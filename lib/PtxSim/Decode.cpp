//===- Decode.cpp - from opcode text to handlers --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilec::ptx {

bool Statement::has(StringRef mod) const { return is_contained(mods, mod); }

Ty parseType(StringRef name) {
  return StringSwitch<Ty>(name)
      .Case("pred", Ty::Pred)
      .Case("b8", Ty::B8)
      .Case("b16", Ty::B16)
      .Case("b32", Ty::B32)
      .Case("b64", Ty::B64)
      .Case("u8", Ty::U8)
      .Case("u16", Ty::U16)
      .Case("u32", Ty::U32)
      .Case("u64", Ty::U64)
      .Case("s8", Ty::S8)
      .Case("s16", Ty::S16)
      .Case("s32", Ty::S32)
      .Case("s64", Ty::S64)
      .Case("f16", Ty::F16)
      .Case("f16x2", Ty::F16x2)
      .Case("bf16", Ty::BF16)
      .Case("bf16x2", Ty::BF16x2)
      .Case("f32", Ty::F32)
      .Case("f64", Ty::F64)
      .Case("tf32", Ty::TF32)
      .Case("e4m3", Ty::E4M3)
      .Case("e5m2", Ty::E5M2)
      .Case("e4m3x2", Ty::E4M3x2)
      .Case("e5m2x2", Ty::E5M2x2)
      .Default(Ty::None);
}

unsigned bytesOf(Ty type) {
  switch (type) {
  case Ty::None:
  case Ty::Pred:
    return 0;
  case Ty::B8:
  case Ty::U8:
  case Ty::S8:
  case Ty::E4M3:
  case Ty::E5M2:
    return 1;
  case Ty::B16:
  case Ty::U16:
  case Ty::S16:
  case Ty::F16:
  case Ty::BF16:
  case Ty::E4M3x2:
  case Ty::E5M2x2:
    return 2;
  case Ty::B64:
  case Ty::U64:
  case Ty::S64:
  case Ty::F64:
    return 8;
  default:
    return 4;
  }
}

bool isSignedInt(Ty type) {
  return type == Ty::S8 || type == Ty::S16 || type == Ty::S32 || type == Ty::S64;
}

bool isFloat(Ty type) {
  switch (type) {
  case Ty::F16:
  case Ty::F16x2:
  case Ty::BF16:
  case Ty::BF16x2:
  case Ty::F32:
  case Ty::F64:
  case Ty::TF32:
  case Ty::E4M3:
  case Ty::E5M2:
  case Ty::E4M3x2:
  case Ty::E5M2x2:
    return true;
  default:
    return false;
  }
}

bool decode(const Statement &statement, Instruction &instruction) {
  if (!statement.mods.empty())
    instruction.type = parseType(statement.mods.back());
  instruction.saturates = statement.has("sat") || statement.has("satfinite");
  instruction.flushes = statement.has("ftz");
  instruction.isVolatile = statement.has("volatile") || statement.has("relaxed") ||
                           statement.has("acquire") || statement.has("release");
  bool isFence = statement.opcode == "membar" || statement.opcode == "fence" ||
                 statement.has("acquire") || statement.has("release") || statement.has("acq_rel");
  instruction.ordersBlocks = isFence && (statement.has("gpu") || statement.has("gl") ||
                                         statement.has("sys") || statement.has("sc"));
  using Decoder = bool (*)(const Statement &, Instruction &);
  constexpr Decoder decoders[] = {decodeFloat,          decodeInteger,  decodeConvert, decodeMemory,
                                  decodeAtomic,         decodeExchange, decodeControl, decodeGrid,
                                  decodeRegisterCounts, decodeMatrix,   decodeWgmma,   decodeCopies,
                                  decodeBulk,           decodeBarrier,  decodeMbarrier};
  for (Decoder decoder : decoders)
    if (decoder(statement, instruction))
      return true;
  return false;
}

} // namespace tilec::ptx

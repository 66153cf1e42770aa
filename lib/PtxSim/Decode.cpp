//===- Decode.cpp - from opcode text to handlers --------------------------===//
//
// Takes a statement of PTX, asks the families of instructions in turn, and gives the function that
// executes it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilec::ptx {

bool Statement::has(StringRef mod) const { return is_contained(mods, mod); }

namespace {

using Decoder = bool (*)(const Statement &, Instruction &);

/// Who is asked about an opcode.
ArrayRef<Decoder> familiesOf(StringRef opcode) {
  constexpr Decoder Integer = decodeInteger;
  constexpr Decoder Float = decodeFloat;
  constexpr Decoder Convert = decodeConvert;
  constexpr Decoder Bits = decodeBits;
  constexpr Decoder Moves = decodeMoves;
  constexpr Decoder Memory = decodeMemory;
  constexpr Decoder Matrices = decodeMatrices;
  constexpr Decoder Atomics = decodeAtomics;
  constexpr Decoder Exchange = decodeExchange;
  constexpr Decoder Control = decodeControl;
  constexpr Decoder Fences = decodeFences;
  constexpr Decoder Grid = decodeGrid;
  constexpr Decoder RegisterCounts = decodeRegisterCounts;
  constexpr Decoder Products = decodeProducts;
  constexpr Decoder Wgmma = decodeWgmma;
  constexpr Decoder Copies = decodeCopies;
  constexpr Decoder BulkLoads = decodeBulkLoads;
  constexpr Decoder BulkStores = decodeBulkStores;
  constexpr Decoder Barriers = decodeBarriers;
  constexpr Decoder Mbarriers = decodeMbarriers;
  static const std::map<StringRef, SmallVector<Decoder, 2>> rows = {
#define TILEC_PTX(Opcode, ...) {#Opcode, {__VA_ARGS__}},
#include "Opcodes.def"
#undef TILEC_PTX
  };
  auto row = rows.find(opcode);
  return row == rows.end() ? ArrayRef<Decoder>() : ArrayRef<Decoder>(row->second);
}

} // namespace

bool decode(const Statement &statement, Instruction &instruction) {
  if (!statement.mods.empty())
    instruction.type = parseType(statement.mods.back());
  instruction.saturates = statement.has("sat") || statement.has("satfinite");
  instruction.flushes = statement.has("ftz");
  instruction.isVolatile = statement.has("volatile") || statement.has("relaxed") ||
                           statement.has("acquire") || statement.has("release");
  bool isFence = statement.opcode == "membar" || statement.opcode == "fence";
  bool isOrdered = statement.has("acquire") || statement.has("release") || statement.has("acq_rel");
  bool reachesGrid =
      statement.has("gpu") || statement.has("gl") || statement.has("sys") || statement.has("sc");
  instruction.isGridFence = isFence && reachesGrid;
  instruction.isOrderedAccess = !isFence && isOrdered && reachesGrid;
  for (Decoder decoder : familiesOf(statement.opcode))
    if (decoder(statement, instruction))
      return true;
  return false;
}

Space parseSpace(const Statement &s) {
  for (StringRef mod : s.mods) {
    Space space = StringSwitch<Space>(mod)
                      .Cases({"global", "const"}, Space::Global)
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

Step ignore(Warp &, const Instruction &, uint32_t) { return Step::Next; }

} // namespace tilec::ptx

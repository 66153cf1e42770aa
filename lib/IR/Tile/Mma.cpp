//===- Mma.cpp - how a gemm is multiplied ---------------------------------===//
//
// Text and checks of `#tile.mma`. What a target can do of it is asked where the target is known
// (lib/Transforms/Layouts/GemmPlan.h).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Tile/Tile.h"

#include "tilec/Base/Math.h"
#include "tilec/Target/Target.h"

using namespace mlir;

namespace tilec::tile {

namespace {

constexpr StringRef units[] = {"wave", "warp_group", "lanes"};

bool isPositive(const Mma &mma) {
  int64_t counts[] = {mma.m,     mma.n,     mma.k,         mma.wavesM,    mma.wavesN, mma.repsM,
                      mma.repsN, mma.steps, mma.togetherM, mma.togetherN, mma.pack,   mma.copies};
  return llvm::all_of(counts, [](int64_t count) { return count > 0; });
}

/// Whether so many instructions are what a tile of `extent` takes of each of `waves`.
bool covers(int64_t extent, int64_t ofOne, int64_t waves, int64_t reps) {
  return reps == ceilDiv(ceilDiv(extent, ofOne), waves);
}

ParseResult parsePair(AsmParser &parser, StringRef name, int64_t &first, int64_t &second) {
  return failure(parser.parseKeyword(name) || parser.parseEqual() || parser.parseLSquare() ||
                 parser.parseInteger(first) || parser.parseComma() || parser.parseInteger(second) ||
                 parser.parseRSquare());
}

ParseResult parseCount(AsmParser &parser, StringRef name, int64_t &value) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return failure(parser.parseEqual() || parser.parseInteger(value));
}

ParseResult parsePlace(AsmParser &parser, bool &inRegisters) {
  StringRef name;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  if (name != "shared" && name != "registers")
    return parser.emitError(at, "an operand is read from `shared` or `registers`");
  inRegisters = name == "registers";
  return success();
}

ParseResult parseInto(AsmParser &parser, Mma &mma) {
  StringRef unitName;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&unitName))
    return failure();
  std::optional<MmaUnit> unit = symbolizeMmaUnit(unitName);
  if (!unit)
    return parser.emitError(at, "a product is one of `wave`, `warp_group` or `lanes`");
  mma.unit = *unit;
  if (mma.unit == MmaUnit::Wave && parser.parseString(&mma.atom))
    return failure();
  if (parser.parseKeyword("shape") || parser.parseEqual() || parser.parseLSquare() ||
      parser.parseInteger(mma.m) || parser.parseComma() || parser.parseInteger(mma.n) ||
      parser.parseComma() || parser.parseInteger(mma.k) || parser.parseRSquare() ||
      parsePair(parser, "waves", mma.wavesM, mma.wavesN) ||
      parsePair(parser, "reps", mma.repsM, mma.repsN) || parser.parseKeyword("steps") ||
      parser.parseEqual() || parser.parseInteger(mma.steps) || parser.parseKeyword("operands") ||
      parser.parseEqual() || parser.parseLSquare() || parsePlace(parser, mma.inRegisters[0]) ||
      parser.parseComma() || parsePlace(parser, mma.inRegisters[1]) || parser.parseRSquare() ||
      parseCount(parser, "copies", mma.copies) || parseCount(parser, "pack", mma.pack) ||
      parseCount(parser, "rows_together", mma.togetherM) ||
      parseCount(parser, "columns_together", mma.togetherN))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("order")) &&
      (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(mma.order.emplace_back());
      })))
    return failure();
  mma.swapped = succeeded(parser.parseOptionalKeyword("swapped"));
  return success();
}

} // namespace

StringRef stringifyMmaUnit(MmaUnit unit) { return units[size_t(unit)]; }

std::optional<MmaUnit> symbolizeMmaUnit(StringRef name) {
  const StringRef *found = llvm::find(units, name);
  return found == std::end(units) ? std::nullopt
                                  : std::optional(MmaUnit(found - std::begin(units)));
}

llvm::hash_code hash_value(const Mma &mma) {
  return llvm::hash_combine(
      int(mma.unit), mma.atom, mma.m, mma.n, mma.k,
      llvm::hash_combine(mma.wavesM, mma.wavesN, mma.copies, mma.repsM, mma.repsN, mma.steps),
      llvm::hash_combine(mma.pack, mma.togetherM, mma.togetherN, mma.inRegisters[0],
                         mma.inRegisters[1], mma.swapped),
      llvm::hash_combine_range(mma.order.begin(), mma.order.end()));
}

Attribute MmaAttr::parse(AsmParser &parser, Type) {
  Mma mma;
  if (parser.parseLess() || parseInto(parser, mma) || parser.parseGreater())
    return {};
  return get(parser.getContext(), mma);
}

void MmaAttr::print(AsmPrinter &printer) const {
  const Mma &mma = getMma();
  auto place = [&](int n) { return mma.inRegisters[n] ? "registers" : "shared"; };
  auto count = [&](StringRef name, int64_t value) {
    if (value != 1)
      printer << ' ' << name << " = " << value;
  };
  printer << '<' << stringifyMmaUnit(mma.unit);
  if (mma.unit == MmaUnit::Wave) {
    printer << ' ';
    printer.printString(mma.atom);
  }
  printer << " shape = [" << mma.m << ", " << mma.n << ", " << mma.k << "] waves = [" << mma.wavesM
          << ", " << mma.wavesN << "] reps = [" << mma.repsM << ", " << mma.repsN
          << "] steps = " << mma.steps << " operands = [" << place(0) << ", " << place(1) << ']';
  count("copies", mma.copies);
  count("pack", mma.pack);
  count("rows_together", mma.togetherM);
  count("columns_together", mma.togetherN);
  if (!mma.order.empty()) {
    printer << " order = [";
    llvm::interleaveComma(mma.order, printer);
    printer << ']';
  }
  if (mma.swapped)
    printer << " swapped";
  printer << '>';
}

std::optional<std::string> complaintAbout(const Mma &mma, GemmOp gemm) {
  if (!isPositive(mma))
    return "counts at least one of everything";
  bool isOfGroups = mma.unit == MmaUnit::WarpGroup;
  if (isOfGroups != gemm.getWarpGroup())
    return isOfGroups ? "is of warp groups, the gemm is not" : "is not of warp groups, the gemm is";
  if (isOfGroups && mma.wavesM % warpsPerGroup != 0)
    return "has no whole warp groups along M";
  int64_t sharersM = isOfGroups ? mma.wavesM / warpsPerGroup : mma.wavesM;
  if (!covers(gemm.m(), mma.m, sharersM, mma.repsM) ||
      !covers(gemm.n(), mma.n, mma.wavesN, mma.repsN) ||
      mma.steps != ceilDiv(gemm.k(), mma.k * mma.pack))
    return ("does not multiply " + Twine(gemm.m()) + " x " + Twine(gemm.n()) + " x " +
            Twine(gemm.k()))
        .str();
  int64_t bits = isPowerOf2(mma.k) ? log2Floor(mma.k) : 0;
  SmallVector<int64_t> sorted = llvm::to_vector<6>(mma.order);
  llvm::sort(sorted);
  for (auto [bit, worth] : llvm::enumerate(sorted))
    if (worth != int64_t(1) << bit || int64_t(sorted.size()) != bits)
      return "has an `order` that is none of its k's bits, 1, 2, 4, ...";
  for (int n : {0, 1}) {
    BufferType type = (n == 0 ? gemm.getA() : gemm.getB()).getType();
    StringRef name = n == 0 ? "A" : "B";
    if (mma.inRegisters[n] != type.isFragment())
      return ("reads " + name + (mma.inRegisters[n] ? " from registers" : " from shared memory") +
              ", where it is not")
          .str();
    int64_t together = n == 0 ? mma.togetherM : mma.togetherN;
    bool kIsRow = n == 0 ? gemm.getTransposeA() : !gemm.getTransposeB();
    if (together != 1 && (mma.inRegisters[n] || !kIsRow || mma.unit != MmaUnit::Wave ||
                          (n == 0 ? mma.repsM : mma.repsN) % together != 0))
      return ("reads " + Twine(together) + " rows of " + name + " together, which do not lie so")
          .str();
  }
  if (mma.pack != 1 && (mma.inRegisters[0] || mma.inRegisters[1] || mma.unit != MmaUnit::Wave))
    return "packs operands that are not in shared memory";
  return std::nullopt;
}

} // namespace tilec::tile

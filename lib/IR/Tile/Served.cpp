//===- Served.cpp - how a producer serves a loop --------------------------===//
//
// Text and checks of `#tile.served`, and checks of `#tile.transfers`, which says how the copies of
// such a loop are brought.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Transfers.h"

using namespace mlir;

namespace tilec::tile {

//===----------------------------------------------------------------------===//
// #tile.served
//===----------------------------------------------------------------------===//

namespace {

constexpr StringRef forms[] = {"plain", "beside", "in_flight", "overlapped"};
constexpr StringRef roundParts[] = {"head", "first",  "early",   "longest",
                                    "late", "second", "deferred"};

/// The words that may follow, in order, and what each of them sets.
constexpr std::pair<StringRef, bool Served::*> flags[] = {
    {"every_thread", &Served::everyThread}, {"exact", &Served::exact},
    {"turns", &Served::takesTurns},         {"ends_together", &Served::endsTogether},
    {"first_ahead", &Served::firstAhead},
};

} // namespace

StringRef stringifyRoundForm(RoundForm form) { return forms[size_t(form)]; }

std::optional<RoundForm> symbolizeRoundForm(StringRef name) {
  const StringRef *found = llvm::find(forms, name);
  return found == std::end(forms) ? std::nullopt
                                  : std::optional(RoundForm(found - std::begin(forms)));
}

StringRef stringifyRoundPart(RoundPart part) { return roundParts[size_t(part)]; }

std::optional<RoundPart> symbolizeRoundPart(StringRef name) {
  const StringRef *found = llvm::find(roundParts, name);
  return found == std::end(roundParts) ? std::nullopt
                                       : std::optional(RoundPart(found - std::begin(roundParts)));
}

llvm::hash_code hash_value(const Served &served) {
  return llvm::hash_combine(int(served.form), served.slots, served.everyThread, served.exact,
                            llvm::hash_combine_range(served.parts), served.takesTurns,
                            served.endsTogether, served.firstAhead);
}

Attribute ServedAttr::parse(AsmParser &parser, Type) {
  Served served;
  StringRef name;
  SMLoc at;
  if (parser.parseLess() || parser.getCurrentLocation(&at) || parser.parseKeyword(&name))
    return {};
  std::optional<RoundForm> form = symbolizeRoundForm(name);
  if (!form) {
    parser.emitError(at, "a round is `plain`, `beside`, `in_flight` or `overlapped`");
    return {};
  }
  served.form = *form;
  auto parsePart = [&]() -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<RoundPart> part = symbolizeRoundPart(name);
    if (!part)
      return parser.emitError(place, "no part of a round is `" + name + "`");
    served.parts.push_back(*part);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalSquare, parsePart))
    return {};
  if (parser.parseKeyword("slots") || parser.parseEqual() || parser.parseInteger(served.slots))
    return {};
  for (auto [word, flag] : flags)
    served.*flag = succeeded(parser.parseOptionalKeyword(word));
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), served);
}

void ServedAttr::print(AsmPrinter &printer) const {
  const Served &served = getServed();
  printer << '<' << stringifyRoundForm(served.form);
  if (!served.parts.empty()) {
    printer << " [";
    llvm::interleaveComma(served.parts, printer,
                          [&](RoundPart part) { printer << stringifyRoundPart(part); });
    printer << ']';
  }
  printer << " slots = " << served.slots;
  for (auto [word, flag] : flags)
    if (served.*flag)
      printer << ' ' << word;
  printer << '>';
}

SmallVector<Operation *> statementsOf(ForOp loop) {
  SmallVector<Operation *> statements;
  for (Operation &op : *loop.bodyBlock()) {
    auto copy = dyn_cast<CopyOp>(op);
    auto alloc = dyn_cast<AllocOp>(op);
    bool isFragment = alloc && alloc.getResult().getType().isFragment();
    if (!isMemoryEffectFree(&op) && !isFragment && !(copy && copy.getTransfers()))
      statements.push_back(&op);
  }
  return statements;
}

/// What is wrong about when the statements of an overlapped loop run.
static std::optional<std::string> complaintAboutParts(ArrayRef<RoundPart> parts, ForOp loop) {
  SmallVector<Operation *> statements = statementsOf(loop);
  if (parts.size() != statements.size())
    return "says when " + std::to_string(parts.size()) + " statements run and has " +
           std::to_string(statements.size());
  SmallVector<RoundPart> ofGemms;
  for (auto [part, statement] : llvm::zip(parts, statements))
    if (isa<GemmOp>(statement) || part == RoundPart::First || part == RoundPart::Second)
      ofGemms.push_back(part);
  if (ofGemms != ArrayRef{RoundPart::First, RoundPart::Second})
    return "has other gemms than a first and a second one";
  const RoundPart *longest = llvm::find(parts, RoundPart::Longest);
  if (longest != parts.end() && !isa<ElementLoop>(statements[longest - parts.begin()]))
    return "halves what is no loop over elements";
  if (llvm::count(parts, RoundPart::Longest) > 1)
    return "halves more than one loop";
  return std::nullopt;
}

std::optional<std::string> complaintAbout(const Served &served, ForOp loop) {
  if (loop.getKind() != LoopKind::Pipelined)
    return "has a producer and is not pipelined";
  if (served.slots < 1)
    return "has " + std::to_string(served.slots) + " slots";
  auto gemms = loop.bodyBlock()->getOps<GemmOp>();
  int64_t count = std::distance(gemms.begin(), gemms.end());
  bool isOverlapped = served.form == RoundForm::Overlapped;
  if (isOverlapped && count != 2)
    return "overlaps two gemms and has " + std::to_string(count);
  if (!isOverlapped && !served.parts.empty())
    return "says when statements run and does not overlap gemms";
  if (isOverlapped)
    if (std::optional<std::string> complaint = complaintAboutParts(served.parts, loop))
      return complaint;
  if (served.form == RoundForm::InFlight && count != 1)
    return "leaves one gemm in flight and has " + std::to_string(count);
  if (served.takesTurns && !isOverlapped)
    return "has turns and does not overlap gemms";
  if ((served.endsTogether || served.firstAhead) && !(isOverlapped && served.slots == 1))
    return "is ordered for one slot of overlapped gemms, which it has not";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// #tile.transfers
//===----------------------------------------------------------------------===//

LogicalResult TransfersAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                    ArrayRef<int64_t> extents, int64_t swizzle, int64_t panels,
                                    int64_t chunks, int64_t rowDim, int64_t colDim) {
  if (llvm::any_of(extents, [](int64_t extent) { return extent < 1; }) || panels < 1 ||
      chunks < 1 || swizzle < 0)
    return emitError() << "counts at least one of everything";
  if (colDim < 0 || colDim >= int64_t(extents.size()) || rowDim < -1 || rowDim >= colDim)
    return emitError() << "has no rows in dimension " << rowDim << " and columns in " << colDim
                       << " of " << extents.size();
  return success();
}

LogicalResult verifyTransfers(Operation *op, TransfersAttr transfers, Value src, BufferType dst) {
  auto from = cast<BufferType>(src.getType());
  if (!from.isGlobal() || !dst.isShared())
    return op->emitOpError("has transfers and does not copy from global to shared memory");
  if (from.getElementType() != dst.getElementType())
    return op->emitOpError("has transfers, which do not convert elements");
  while (auto view = src.getDefiningOp<SubviewOp>())
    src = view.getSource();
  if (int64_t rank = cast<BufferType>(src.getType()).rank();
      rank != int64_t(transfers.getExtents().size()))
    return op->emitOpError() << "has transfers of " << transfers.getExtents().size()
                             << " dimensions from a tensor of " << rank;
  bool isVector = transfers.getRowDim() < 0;
  if (dst.rank() != (isVector ? 1 : 2))
    return op->emitOpError("has transfers of ")
           << (isVector ? "a vector" : "a matrix") << " to " << dst;
  int64_t columns = dst.getShape().back(), ofPanel = transfers.panelElems();
  if ((transfers.getPanels() - 1) * ofPanel >= columns || transfers.getPanels() * ofPanel < columns)
    return op->emitOpError() << "brings " << transfers.getPanels() << " panels of " << ofPanel
                             << " columns to " << columns;
  if (int64_t rows = isVector ? 1 : dst.getShape()[0]; transfers.rows() > rows)
    return op->emitOpError() << "brings " << transfers.rows() << " rows to " << rows;
  return success();
}

} // namespace tilec::tile

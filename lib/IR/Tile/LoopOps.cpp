//===- LoopOps.cpp - loops over elements, and what their bodies may do -----===//
//
// Verifiers and syntax of tile.parallel, tile.move, tile.gather, tile.store_tile and
// tile.transpose_bytes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LoopOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec::tile {

//===----------------------------------------------------------------------===//
// All loops
//===----------------------------------------------------------------------===//

void buildElementLoop(OpBuilder &builder, OperationState &state, ValueRange extents) {
  state.addOperands(extents);
  Block &block = state.addRegion()->emplaceBlock();
  for (size_t i = 0; i < extents.size(); ++i)
    block.addArgument(builder.getIndexType(), state.location);
}

ParseResult parseElementLoop(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> ivs;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseArgumentList(ivs, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("in") ||
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.resolveOperands(extents, index, state.operands))
    return failure();
  for (OpAsmParser::Argument &iv : ivs)
    iv.type = index;
  return parser.parseRegion(*state.addRegion(), ivs);
}

void printElementLoop(ElementLoop loop, OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(loop.ivs(), printer, [&](Value v) { printer << v; });
  printer << ") in (" << loop.getExtents() << ')';
  printer.printOptionalAttrDictWithKeyword(loop->getAttrs());
  printer << ' ';
  printer.printRegion(loop.getBody(), /*printEntryBlockArgs=*/false);
}

Operation *turnInto(ElementLoop loop, StringRef name, ArrayRef<NamedAttribute> own) {
  OpBuilder builder(loop);
  OperationState state(loop.getLoc(), name);
  state.addOperands(loop.getExtents());
  if (auto part = loop.getPart())
    state.addAttribute("part", builder.getDenseI64ArrayAttr(*part));
  if (auto layout = loop.getLayoutAttr())
    state.addAttribute("layout", layout);
  state.addAttributes(own);
  state.addRegion()->takeBody(loop.getBody());
  Operation *made = builder.create(state);
  loop.erase();
  return made;
}

std::optional<SmallVector<int64_t, 4>> constantInts(ValueRange values) {
  SmallVector<int64_t, 4> numbers;
  for (Value value : values) {
    std::optional<int64_t> number = constantInt(value);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::pair<int64_t, int64_t> rangeOfPart(std::optional<ArrayRef<int64_t>> part, int64_t count) {
  if (!part)
    return {0, count};
  return {count * (*part)[0] / (*part)[1], count * ((*part)[0] + 1) / (*part)[1]};
}

static LogicalResult verifyElementLoop(ElementLoop loop) {
  bool areIndices =
      llvm::all_of(loop.ivs(), [](BlockArgument iv) { return iv.getType().isIndex(); });
  if (loop.ivs().size() != loop.getExtents().size() || loop.getExtents().empty() || !areIndices)
    return loop.emitOpError("has one index per extent, and at least one");
  if (auto part = loop.getPart();
      part && (part->size() != 2 || (*part)[0] < 0 || (*part)[0] >= (*part)[1]))
    return loop.emitOpError("`part` is [i, n] with 0 <= i < n");
  auto extents = loop.constantExtents();
  if (auto layout = loop.getLayoutAttr();
      layout && (!extents || ArrayRef(*extents) != ArrayRef(layout.getLayout().shape())))
    return loop.emitOpError("`layout` is one of its iterations");
  return success();
}

LogicalResult ParallelOp::verify() { return verifyElementLoop(*this); }
LogicalResult GatherOp::verify() { return verifyElementLoop(*this); }

//===----------------------------------------------------------------------===//
// tile.move
//===----------------------------------------------------------------------===//

/// The only load and the only store of a body that has nothing else but arithmetic.
static std::pair<LoadOp, StoreOp> onlyAccesses(Block &body) {
  LoadOp load;
  StoreOp store;
  for (Operation &op : body) {
    auto isLoad = dyn_cast<LoadOp>(op);
    auto isStore = dyn_cast<StoreOp>(op);
    bool isPlain = op.getNumRegions() == 0 && isMemoryEffectFree(&op);
    if ((isLoad && load) || (isStore && store) || (!isLoad && !isStore && !isPlain))
      return {};
    load = isLoad ? isLoad : load;
    store = isStore ? isStore : store;
  }
  return {load, store};
}

/// What the op converts to another type; null of other ops. To a truth value it is a comparison
/// with zero.
static Value convertedBy(Operation *op) {
  if (isa<CastOpInterface, RoundOp>(op))
    return op->getOperand(0);
  auto isZero = [](Value value) {
    return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
  };
  auto ofInt = dyn_cast<arith::CmpIOp>(op);
  auto ofFloat = dyn_cast<arith::CmpFOp>(op);
  bool isTest = (ofInt && ofInt.getPredicate() == arith::CmpIPredicate::ne) ||
                (ofFloat && ofFloat.getPredicate() == arith::CmpFPredicate::UNE);
  return isTest && isZero(op->getOperand(1)) ? op->getOperand(0) : Value();
}

bool MoveOp::isBodyOf(ElementLoop loop) {
  auto [load, store] = onlyAccesses(*loop.bodyBlock());
  if (!load || !store || load.getPad())
    return false;
  Value value = store.getValue();
  while (value && value != load.getResult()) {
    Operation *op = value.getDefiningOp();
    value = op && op->getBlock() == loop.bodyBlock() ? convertedBy(op) : Value();
  }
  return bool(value);
}

std::pair<LoadOp, StoreOp> MoveOp::plainMove(ElementLoop loop) {
  auto [load, store] = onlyAccesses(*loop.bodyBlock());
  bool isPlain = load && store && !load.getPad() && store.getValue() == load.getResult();
  return isPlain ? std::pair(load, store) : std::pair<LoadOp, StoreOp>();
}

bool movesElement(StoreOp store) {
  auto load = store.getValue().getDefiningOp<LoadOp>();
  return load && load.getBuffer().getType().getElementType() ==
                     store.getBuffer().getType().getElementType();
}

LoadOp MoveOp::load() { return onlyAccesses(*bodyBlock()).first; }
StoreOp MoveOp::store() { return onlyAccesses(*bodyBlock()).second; }

LogicalResult MoveOp::verify() {
  if (failed(verifyElementLoop(*this)))
    return failure();
  return isBodyOf(*this) ? success()
                         : emitOpError("moves elements: its body loads one, converts it or not, "
                                       "and stores it");
}

//===----------------------------------------------------------------------===//
// tile.store_tile
//===----------------------------------------------------------------------===//

/// That it says where each tensor's box lies, and that all of its body runs for each element, but
/// for a guard.
LogicalResult StoreTileOp::verify() {
  if (failed(verifyElementLoop(*this)))
    return failure();
  if (getBuffers() < 1 || getBytes() < 1)
    return emitOpError("has `buffers` of `bytes`, one at least");
  ArrayRef<int64_t> rows = getRows(), bytes = getRowBytes();
  size_t written = 0;
  auto result = getBody().walk([&](Operation *op) {
    auto guard = dyn_cast<scf::IfOp>(op);
    bool isGuard = guard && guard->getParentOp() == *this && guard.getElseRegion().empty();
    if (op->getNumRegions() != 0 && !isGuard) {
      emitOpError("has a body without branches but a guard");
      return WalkResult::interrupt();
    }
    auto store = dyn_cast<StoreOp>(op);
    auto atomic = dyn_cast<AtomicOp>(op);
    if (!store && !atomic)
      return WalkResult::advance();
    int64_t rank = (store ? store.getBuffer() : atomic.getBuffer()).getType().rank();
    if (written < rows.size() && (rows[written] < 0 || rows[written] >= rank - 1)) {
      emitOpError("has rows along dimension ") << rows[written] << " of a tensor of rank " << rank;
      return WalkResult::interrupt();
    }
    ++written;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (rows.size() != written || bytes.size() != written ||
      llvm::any_of(bytes, [](int64_t n) { return n < 1; }))
    return emitOpError("`rows` and `row_bytes` have one number for each tensor that it writes");
  auto extents = constantExtents();
  return extents && extents->size() == 2 ? success() : emitOpError("has two constant extents");
}

//===----------------------------------------------------------------------===//
// tile.transpose_bytes
//===----------------------------------------------------------------------===//

LogicalResult TransposeBytesOp::verify() {
  constexpr int64_t edge = 4;
  if (failed(verifyElementLoop(*this)))
    return failure();
  auto isBytes = [](BufferType type) {
    return type.isShared() && type.rank() >= 2 && bitsOf(dtypeOf(type.getElementType())) == 8;
  };
  auto extents = constantExtents();
  bool isWhole =
      extents && extents->size() == 2 && (*extents)[0] % edge == 0 && (*extents)[1] % edge == 0;
  auto [load, store] = MoveOp::plainMove(*this);
  bool isMove = load && isBytes(load.getBuffer().getType()) && isBytes(store.getBuffer().getType());
  return isWhole && isMove
             ? success()
             : emitOpError("has two extents that 4 divides, and a body that moves one byte from "
                           "shared memory to shared memory");
}

} // namespace tilec::tile

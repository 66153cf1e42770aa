//===- TileOps.cpp - verifiers and syntax of the tile ops -----------------===//
//
// Says of each op of TileOps.td what makes it invalid, and reads and prints those with a syntax of
// their own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LoopOps.h"
#include "Transfers.h"

#include "tilec/Target/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilec::tile {
namespace {

/// The extents without those of size 1.
SmallVector<int64_t> squeezed(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result;
  for (int64_t size : shape)
    if (size != 1)
      result.push_back(size);
  return result;
}

LogicalResult checkIndices(Operation *op, BufferType type, size_t count) {
  if (int64_t(count) != type.rank())
    return op->emitOpError() << "has " << count << " indices for a buffer of rank " << type.rank();
  return success();
}

LogicalResult checkValue(Operation *op, BufferType type, Type value) {
  Type expected = scalarTypeOf(type.getElementType());
  if (value != expected)
    return op->emitOpError() << "a scalar of a buffer of " << type.getElementType() << " is "
                             << expected << ", not " << value;
  return success();
}

int64_t dynamicExtents(BufferType type) {
  return llvm::count_if(type.getShape(), ShapedType::isDynamic);
}

LogicalResult checkGlobal(Operation *op, BufferType type, size_t numDims) {
  if (!type.isGlobal())
    return op->emitOpError("is a global buffer");
  if (dynamicExtents(type) != int64_t(numDims))
    return op->emitOpError() << "has " << dynamicExtents(type) << " dynamic extents and " << numDims
                             << " dims";
  return success();
}

bool allIndices(ValueRange values) {
  return llvm::all_of(values, [](Value v) { return v.getType().isIndex(); });
}

/// Pipe ops belong to one side: inside tile.producer or outside of it.
LogicalResult checkSide(Operation *op, bool isProducer) {
  if (bool(op->getParentOfType<ProducerOp>()) != isProducer)
    return op->emitOpError() << "is " << (isProducer ? "outside of" : "inside") << " tile.producer";
  return success();
}

LogicalResult checkExtents(Operation *op, BufferType src, BufferType dst) {
  if (squeezed(src.getShape()) != squeezed(dst.getShape()))
    return op->emitOpError() << "copies " << src << " to " << dst << ": the extents differ";
  return success();
}

} // namespace

LogicalResult ProgramOp::verifyRegions() {
  llvm::StringSet<> names, tensors;
  for (Operation &op : getBody().front()) {
    if (!isa<TensorOp, ScalarOp, DimOp, WorkspaceOp>(op))
      continue;
    StringRef name = op.getAttrOfType<StringAttr>("name").getValue();
    if (!names.insert(name).second)
      return op.emitOpError() << "is the second parameter with the name `" << name << '`';
    if (isa<TensorOp>(op))
      tensors.insert(name);
  }
  for (Attribute output : getOutputs().value_or(ArrayAttr::get(getContext(), {})))
    if (StringRef name = cast<StringAttr>(output).getValue(); !tensors.contains(name))
      return emitOpError() << "lists the output `" << name << "`, which is no tensor parameter";
  return success();
}

LogicalResult TensorOp::verify() {
  BufferType type = getResult().getType();
  if (failed(checkGlobal(*this, type, getDims().size())))
    return failure();
  if (!getStrides().empty() && int64_t(getStrides().size()) != type.rank())
    return emitOpError() << "has " << getStrides().size() << " strides for rank " << type.rank();
  if (std::optional<ArrayRef<int64_t>> seen = getSeenShape()) {
    auto elements = [](ArrayRef<int64_t> shape) {
      return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    };
    if (!type.hasStaticShape() || !getStrides().empty() ||
        elements(*seen) != elements(type.getShape()))
      return emitOpError("is seen with another number of elements than it has");
  }
  return success();
}

LogicalResult ScalarOp::verify() {
  if (!isElementType(getDtype()))
    return emitOpError() << "has the dtype " << getDtype() << ", which no buffer can hold";
  if (scalarTypeOf(getDtype()) != getResult().getType())
    return emitOpError() << "of dtype " << getDtype() << " is a value of type "
                         << scalarTypeOf(getDtype()) << ", not " << getResult().getType();
  return success();
}

LogicalResult WorkspaceOp::verify() {
  return checkGlobal(*this, getResult().getType(), getDims().size());
}

LogicalResult GridSyncOp::verify() {
  BufferType type = getCounter().getType();
  if (!type.isGlobal() || type.getShape() != ArrayRef<int64_t>(1) ||
      !type.getElementType().isInteger(32))
    return emitOpError() << "counts in one int32 of global memory, found " << type;
  return success();
}

std::optional<int64_t> KernelOp::blocksOfGrid() {
  int64_t blocks = 1;
  for (Value extent : getGrid()) {
    std::optional<int64_t> known = constantInt(extent);
    if (!known)
      return std::nullopt;
    blocks = std::min<int64_t>(blocks, int64_t(1) << 31) * *known;
  }
  return blocks;
}

LogicalResult KernelOp::verify() {
  if (getGrid().empty() || getGrid().size() > 3)
    return emitOpError() << "has " << getGrid().size() << " grid extents; 1 to 3 are possible";
  if (getBody().getNumArguments() != getGrid().size() || !allIndices(getBody().getArguments()))
    return emitOpError("has one block argument of type index per grid extent");
  if (int64_t threads = getThreads(); threads < 1 || threads > largestBlock)
    return emitOpError() << "has " << threads << " threads; 1 to " << largestBlock
                         << " are possible";
  if (int64_t cluster = getCluster(), teams = getTeams();
      cluster < 1 || cluster > largestCluster || teams < 1 || teams > 7)
    return emitOpError() << "has clusters of " << cluster << " blocks and " << teams
                         << " teams; 1 to " << largestCluster << " and 1 to 7 are possible";
  if (int64_t lanes = getWarpLanes(); lanes != 0 && lanes != narrowestWave && lanes != widestWave)
    return emitOpError() << "has warps of " << lanes << " lanes; there are " << narrowestWave
                         << " and " << widestWave;
  return success();
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral names[] = {"bx", "by", "bz"};
  for (BlockArgument argument : region.getArguments())
    setName(argument, names[argument.getArgNumber()]);
}

void AllocOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }

LogicalResult AllocOp::verify() {
  BufferType type = getResult().getType();
  if (type.isGlobal())
    return emitOpError("makes shared, fragment and local buffers; global memory is a parameter");
  if (std::optional<uint64_t> place = getSharedPlace())
    if (!type.isShared() || int64_t(*place) < 0)
      return emitOpError() << "has place " << int64_t(*place)
                           << "; shared buffers have one, from byte 0 on";
  if (getWasLocal() && !type.isShared())
    return emitOpError("is no shared buffer, and `was_local` is for those");
  if (!getLayout())
    return success();
  if (auto fragment = dyn_cast<FragmentLayoutAttr>(*getLayout())) {
    if (!type.isFragment() || ArrayRef(fragment.getLayout().shape()) != type.getShape())
      return emitOpError("has a fragment layout of another shape or scope");
    return success();
  }
  if (auto shared = dyn_cast<SharedLayoutAttr>(*getLayout())) {
    if (!type.isShared() || ArrayRef(shared.getLayout().shape) != type.getShape())
      return emitOpError("has a shared layout of another shape or scope");
    return success();
  }
  return emitOpError("has a layout that is neither #tile.fragment nor #tile.shared");
}

LogicalResult SubviewOp::verify() {
  BufferType source = getSource().getType(), result = getResult().getType();
  if (failed(checkIndices(*this, source, getOffsets().size())))
    return failure();
  ArrayRef<int64_t> dropped = getDropped();
  for (size_t i = 0; i < dropped.size(); ++i)
    if (dropped[i] < 0 || dropped[i] >= source.rank() || (i && dropped[i] <= dropped[i - 1]))
      return emitOpError("lists dropped dimensions in ascending order");
  if (source.rank() - int64_t(dropped.size()) != result.rank())
    return emitOpError() << "drops " << dropped.size() << " of " << source.rank()
                         << " dimensions and leaves " << result.rank();
  if (source.getElementType() != result.getElementType() || source.getScope() != result.getScope())
    return emitOpError("keeps element type and scope");
  for (int64_t d = 0, next = 0; d < source.rank(); ++d)
    if (!llvm::is_contained(dropped, d) && ShapedType::isDynamic(result.getShape()[next++]) &&
        !ShapedType::isDynamic(source.getShape()[d]))
      return emitOpError() << "leaves the extent of dimension " << d << " open, which the source "
                           << "knows";
  return success();
}

LogicalResult ReshapeOp::verify() {
  BufferType source = getSource().getType(), result = getResult().getType();
  if (source.getScope() != result.getScope())
    return emitOpError("keeps the scope");
  if (source.isFragment() && source.getElementType() != result.getElementType())
    return emitOpError("keeps the element type of a fragment");
  if (dynamicExtents(result) > 1)
    return emitOpError("has more than one `?` in its result");
  if (!source.hasStaticShape() || !result.hasStaticShape())
    return success();
  int64_t from = source.numElems() * bitsOf(dtypeOf(source.getElementType()));
  int64_t to = result.numElems() * bitsOf(dtypeOf(result.getElementType()));
  if (from != to)
    return emitOpError() << "turns " << from << " bits into " << to;
  return success();
}

LogicalResult LoadOp::verify() {
  if (getBlock() && (!getBuffer().getType().isShared() || int64_t(*getBlock()) < 0))
    return emitOpError("reads shared memory of a block of the cluster");
  if (failed(checkIndices(*this, getBuffer().getType(), getIndices().size())))
    return failure();
  return checkValue(*this, getBuffer().getType(), getResult().getType());
}

LogicalResult StoreOp::verify() {
  if (failed(checkIndices(*this, getBuffer().getType(), getIndices().size())))
    return failure();
  return checkValue(*this, getBuffer().getType(), getValue().getType());
}

LogicalResult RoundOp::verify() {
  if (!isElementType(getDtype()) || !isFloat(dtypeOf(getDtype())))
    return emitOpError() << "rounds to a float type of buffers, not " << getDtype();
  return success();
}

LogicalResult CopyOp::verify() {
  if (TransfersAttr transfers = getTransfersAttr();
      transfers && failed(verifyTransfers(*this, transfers, getSrc(), getDst().getType())))
    return failure();
  return checkExtents(*this, getSrc().getType(), getDst().getType());
}

LogicalResult AsyncCopyOp::verify() {
  BufferType src = getSrc().getType(), dst = getDst().getType();
  if (!src.isGlobal() || !dst.isShared())
    return emitOpError("copies from global to shared memory");
  if (src.getElementType() != dst.getElementType())
    return emitOpError("does not convert elements");
  return checkExtents(*this, src, dst);
}

LogicalResult TmaCopyOp::verify() {
  BufferType src = getSrc().getType(), dst = getDst().getType();
  if (!src.isGlobal() || !dst.isShared())
    return emitOpError("copies from global to shared memory");
  if (src.getElementType() != dst.getElementType())
    return emitOpError("does not convert elements");
  if (failed(verifyTransfers(*this, getTransfers(), getSrc(), dst)))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (int64_t parts = getParts(); parts != 1 && kernel && parts != int64_t(kernel.getCluster()))
    return emitOpError() << "is cut into " << parts << " parts, the cluster has "
                         << kernel.getCluster() << " blocks";
  return success(succeeded(checkSide(*this, /*isProducer=*/true)) &&
                 succeeded(checkExtents(*this, src, dst)));
}

LogicalResult PipeOp::verify() {
  if (int64_t stages = getStages(), bytes = getBytes(); stages < 1 || bytes < 1)
    return emitOpError() << "has " << stages << " slots of " << bytes << " bytes";
  return success();
}

LogicalResult ProducerOp::verify() {
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("is a statement of a kernel's body");
  for (Operation &op : kernel.getBody().front())
    if (isa<ProducerOp>(op) && &op != getOperation() && op.isBeforeInBlock(getOperation()))
      return emitOpError("is the second one of its kernel");
  return success();
}

LogicalResult PipeAcquireOp::verify() { return checkSide(*this, /*isProducer=*/true); }
LogicalResult PipeWaitOp::verify() { return checkSide(*this, /*isProducer=*/false); }
LogicalResult PipeReleaseOp::verify() { return checkSide(*this, /*isProducer=*/false); }
LogicalResult PipeDrainOp::verify() { return checkSide(*this, /*isProducer=*/false); }
LogicalResult PipeSkipOp::verify() { return checkSide(*this, /*isProducer=*/false); }

LogicalResult FillOp::verify() {
  return checkValue(*this, getDst().getType(), getValue().getType());
}

int64_t GemmOp::m() { return getA().getType().getShape()[getTransposeA() ? 1 : 0]; }
int64_t GemmOp::k() { return getA().getType().getShape()[getTransposeA() ? 0 : 1] * sparsity(); }
int64_t GemmOp::n() { return getB().getType().getShape()[getTransposeB() ? 0 : 1]; }

LogicalResult GemmOp::verify() {
  BufferType a = getA().getType(), b = getB().getType(), c = getC().getType();
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2)
    return emitOpError("takes matrices");
  if (!a.hasStaticShape() || !b.hasStaticShape() || !c.hasStaticShape())
    return emitOpError("takes matrices of static extents");
  int64_t kOfB = b.getShape()[getTransposeB() ? 1 : 0];
  if (k() != kOfB)
    return emitOpError() << "A has K = " << k() << ", B has K = " << kOfB;
  if (c.getShape()[0] != m() || c.getShape()[1] != n())
    return emitOpError() << "C is " << c.getShape()[0] << " x " << c.getShape()[1] << ", A x B is "
                         << m() << " x " << n();
  if (a.getElementType() != b.getElementType() &&
      !(isFp8(dtypeOf(a.getElementType())) && isFp8(dtypeOf(b.getElementType()))))
    return emitOpError("A and B have one element type");
  if (getPlaces()) {
    auto places = cast<BufferType>(getPlaces().getType());
    bool fits = places.rank() == 2 && places.getShape()[0] == m() &&
                places.getShape()[1] * 16 == k() && k() % 16 == 0 &&
                bitsOf(dtypeOf(places.getElementType())) == 16;
    if (!fits || getTransposeA())
      return emitOpError() << "takes places of " << m() << " x " << k()
                           << " / 16 words of 16 bits, "
                           << "and A not transposed";
  }
  if (MmaAttr mma = getMmaAttr())
    if (std::optional<std::string> complaint = complaintAbout(mma.getMma(), *this))
      return emitOpError("`mma` ") << *complaint;
  return success();
}

LogicalResult ReduceOp::verify() {
  BufferType src = getSrc().getType(), dst = getDst().getType();
  int64_t dim = getDim();
  if (dim < 0 || dim >= src.rank())
    return emitOpError() << "reduces dimension " << dim << " of rank " << src.rank();
  SmallVector<int64_t> dropped(src.getShape()), kept(src.getShape());
  dropped.erase(dropped.begin() + dim);
  kept[dim] = 1;
  bool isScalarResult = dropped.empty() && dst.numElems() == 1;
  if (ArrayRef(dropped) != dst.getShape() && ArrayRef(kept) != dst.getShape() && !isScalarResult)
    return emitOpError() << "reduces dimension " << dim << " of " << src << " into " << dst;
  return success();
}

LogicalResult ScanOp::verify() {
  BufferType src = getSrc().getType(), dst = getDst().getType();
  if (src.getShape() != dst.getShape())
    return emitOpError("keeps the shape");
  if (int64_t dim = getDim(); dim < 0 || dim >= src.rank())
    return emitOpError() << "scans dimension " << dim << " of rank " << src.rank();
  return success();
}

LogicalResult AtomicOp::verify() {
  BufferType type = getBuffer().getType();
  if (failed(checkIndices(*this, type, getIndices().size())) ||
      failed(checkValue(*this, type, getValue().getType())))
    return failure();
  if (getOld().getType() != getValue().getType())
    return emitOpError("gives the old value in the type of the new one");
  if (!type.isGlobal() && !type.isShared())
    return emitOpError("updates global and shared buffers; others belong to one thread");
  bool isBitwise =
      getKind() == AtomicKind::And || getKind() == AtomicKind::Or || getKind() == AtomicKind::Xor;
  if (isBitwise && isFloat(dtypeOf(type.getElementType())))
    return emitOpError() << "combines the bits of " << type.getElementType();
  return success();
}

LogicalResult WhileOp::verify() {
  Block &condition = getCondition().front();
  if (condition.empty() || !isa<ConditionOp>(condition.back()))
    return emitOpError("ends its condition region with tile.condition");
  if (condition.getNumArguments() || getBody().getNumArguments())
    return emitOpError("has no block arguments");
  return success();
}

LogicalResult BreakOp::verify() {
  for (Operation *at = (*this)->getParentOp(); at; at = at->getParentOp()) {
    if (isa<ForOp, WhileOp>(at))
      return success();
    if (isa<ElementLoop>(at))
      return emitOpError("leaves a tile.parallel; only tile.for and tile.while can be left");
  }
  return emitOpError("is in no tile.for or tile.while");
}

LogicalResult PrintOp::verify() {
  Type type = getValue().getType();
  if (isa<BufferType>(type) || type.isIndex() || type.isF32() || type.isF64() ||
      (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64))
    return success();
  return emitOpError() << "prints a scalar or a buffer, not " << type;
}

//===----------------------------------------------------------------------===//
// tile.for
//===----------------------------------------------------------------------===//

void ForOp::build(OpBuilder &builder, OperationState &state, Value lower, Value upper, Value step,
                  LoopKind kind, int64_t stages) {
  state.addOperands({lower, upper, step});
  state.addAttribute("kind", LoopKindAttr::get(builder.getContext(), kind));
  state.addAttribute("stages", builder.getI64IntegerAttr(stages));
  Region *body = state.addRegion();
  body->emplaceBlock().addArgument(builder.getIndexType(), state.location);
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::Argument iv;
  OpAsmParser::UnresolvedOperand lower, upper, step;
  Type index = parser.getBuilder().getIndexType();
  iv.type = index;
  if (parser.parseArgument(iv) || parser.parseEqual() || parser.parseOperand(lower) ||
      parser.parseKeyword("to") || parser.parseOperand(upper) || parser.parseKeyword("step") ||
      parser.parseOperand(step))
    return failure();
  std::optional<OpAsmParser::UnresolvedOperand> deadFrom;
  if (succeeded(parser.parseOptionalKeyword("dead_from")) &&
      (parser.parseLParen() || parser.parseOperand(deadFrom.emplace()) || parser.parseRParen()))
    return failure();
  LoopKind kind = LoopKind::Serial;
  int64_t stages = 1;
  if (succeeded(parser.parseOptionalKeyword("kind"))) {
    StringRef name;
    SMLoc at;
    if (parser.parseLParen() || parser.getCurrentLocation(&at) || parser.parseKeyword(&name) ||
        parser.parseRParen())
      return failure();
    std::optional<LoopKind> found = symbolizeLoopKind(name);
    if (!found)
      return parser.emitError(at, "unknown loop kind `") << name << '`';
    kind = *found;
  }
  if (succeeded(parser.parseOptionalKeyword("stages")) &&
      (parser.parseLParen() || parser.parseInteger(stages) || parser.parseRParen()))
    return failure();
  state.addAttribute("kind", LoopKindAttr::get(parser.getContext(), kind));
  state.addAttribute("stages", parser.getBuilder().getI64IntegerAttr(stages));
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.resolveOperand(lower, index, state.operands) ||
      parser.resolveOperand(upper, index, state.operands) ||
      parser.resolveOperand(step, index, state.operands) ||
      (deadFrom && parser.resolveOperand(*deadFrom, index, state.operands)))
    return failure();
  return parser.parseRegion(*state.addRegion(), {iv});
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << ' ' << iv() << " = " << getLower() << " to " << getUpper() << " step " << getStep();
  if (Value from = getDeadFrom())
    printer << " dead_from(" << from << ')';
  if (getKind() != LoopKind::Serial)
    printer << " kind(" << stringifyLoopKind(getKind()) << ')';
  if (getStages() != 1)
    printer << " stages(" << getStages() << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"kind", "stages"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult ForOp::verify() {
  if (getBody().getNumArguments() != 1 || !allIndices(getBody().getArguments()))
    return emitOpError("has one induction variable of type index");
  if (std::optional<int64_t> step = constantInt(getStep()); step && *step == 0)
    return emitOpError("has a step of 0");
  // 0 asks for steps in series, 1 for no second slot. An I64Attr's getter is unsigned.
  if (int64_t(getStages()) < (getKind() == LoopKind::Pipelined ? 0 : 1))
    return emitOpError("has at least 1 stage");
  if (std::optional<uint64_t> slots = getRotate(); slots && int64_t(*slots) < 2)
    return emitOpError() << "rotates over " << int64_t(*slots) << " slots; 2 are the fewest";
  if (std::optional<uint64_t> blocks = getPersistent(); blocks && int64_t(*blocks) < 1)
    return emitOpError() << "is shared out among clusters of " << int64_t(*blocks) << " blocks";
  if (std::optional<StringRef> strategy = getPlanned(); strategy && strategy->empty())
    return emitOpError("is planned by a strategy without a name");
  if (ServedAttr served = getServedAttr())
    if (std::optional<std::string> complaint = complaintAbout(served.getServed(), *this))
      return emitOpError(*complaint);
  if (getDeadFrom() && !getServed())
    return emitOpError("has rounds that are dead for a warp group, and no producer that goes on");
  return success();
}

} // namespace tilec::tile

#include "tilec/IR/Tile/TileInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "tilec/IR/Tile/TileOps.cpp.inc"

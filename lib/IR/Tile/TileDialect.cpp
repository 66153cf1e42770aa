//===- TileDialect.cpp - types and attributes of the tile dialect ---------===//
//
// Buffer and pipe types, layout attributes, and element types: their syntax, and what makes them
// invalid.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

llvm::hash_code hash_value(const LinearLayout &layout) {
  llvm::hash_code h = llvm::hash_value(layout.rank());
  for (const LayoutInput &in : layout.inputs()) {
    h = llvm::hash_combine(h, in.name);
    for (const Coords &base : in.bases)
      h = llvm::hash_combine(h, llvm::hash_combine_range(base.begin(), base.end()));
  }
  return h;
}

llvm::hash_code hash_value(const FragmentLayout &layout) {
  llvm::hash_code h = hash_value(layout.atom());
  h = llvm::hash_combine(h, llvm::hash_combine_range(layout.shape().begin(), layout.shape().end()));
  for (const Factor &f : layout.reps())
    h = llvm::hash_combine(h, f.dim, f.count);
  for (const Factor &f : layout.waves())
    h = llvm::hash_combine(h, f.dim, f.count, 1);
  return h;
}

llvm::hash_code hash_value(const SharedLayout &layout) {
  return llvm::hash_combine(llvm::hash_combine_range(layout.shape.begin(), layout.shape.end()),
                            layout.pitchElems, layout.vecElems, layout.rowsPerPhase, layout.phases,
                            layout.panelElems, layout.isGray);
}

} // namespace tilec

#include "tilec/IR/Tile/TileDialect.cpp.inc"
#include "tilec/IR/Tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilec/IR/Tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tilec/IR/Tile/TileTypes.cpp.inc"

namespace tilec::tile {

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tilec/IR/Tile/TileOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilec/IR/Tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilec/IR/Tile/TileAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Type elementTypeOf(DType dtype, MLIRContext *context) {
  Builder b(context);
  switch (dtype) {
  case DType::Bool:
    return b.getI1Type();
  case DType::I4:
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
    return b.getIntegerType(bitsOf(dtype));
  case DType::U4:
  case DType::U8:
  case DType::U16:
  case DType::U32:
  case DType::U64:
    return b.getIntegerType(bitsOf(dtype), /*isSigned=*/false);
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F64:
    return b.getF64Type();
  case DType::E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::E5M2:
    return Float8E5M2Type::get(context);
  case DType::E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DType::E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DType::E8M0:
    return Float8E8M0FNUType::get(context);
  case DType::E2M1:
    return Float4E2M1FNType::get(context);
  }
  llvm_unreachable("unknown dtype");
}

static std::optional<DType> maybeDTypeOf(Type type) {
  if (auto i = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = i.isUnsigned();
    if (i.isSigned())
      return std::nullopt;
    switch (i.getWidth()) {
    case 1:
      return isUnsigned ? std::nullopt : std::optional(DType::Bool);
    case 4:
      return isUnsigned ? DType::U4 : DType::I4;
    case 8:
      return isUnsigned ? DType::U8 : DType::I8;
    case 16:
      return isUnsigned ? DType::U16 : DType::I16;
    case 32:
      return isUnsigned ? DType::U32 : DType::I32;
    case 64:
      return isUnsigned ? DType::U64 : DType::I64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, std::optional<DType>>(type)
      .Case<Float16Type>([](Type) { return DType::F16; })
      .Case<BFloat16Type>([](Type) { return DType::BF16; })
      .Case<Float32Type>([](Type) { return DType::F32; })
      .Case<Float64Type>([](Type) { return DType::F64; })
      .Case<Float8E4M3FNType>([](Type) { return DType::E4M3FN; })
      .Case<Float8E5M2Type>([](Type) { return DType::E5M2; })
      .Case<Float8E4M3FNUZType>([](Type) { return DType::E4M3FNUZ; })
      .Case<Float8E5M2FNUZType>([](Type) { return DType::E5M2FNUZ; })
      .Case<Float8E8M0FNUType>([](Type) { return DType::E8M0; })
      .Case<Float4E2M1FNType>([](Type) { return DType::E2M1; })
      .Default([](Type) { return std::nullopt; });
}

bool isElementType(Type type) { return maybeDTypeOf(type).has_value(); }

DType dtypeOf(Type elementType) {
  std::optional<DType> dtype = maybeDTypeOf(elementType);
  assert(dtype && "BufferType verified its element type");
  return *dtype;
}

DType dtypeOf(Value buffer) { return dtypeOf(cast<BufferType>(buffer.getType()).getElementType()); }

Type scalarTypeOf(Type elementType) {
  Builder b(elementType.getContext());
  DType dtype = dtypeOf(elementType);
  if (isFloat(dtype))
    return dtype == DType::F64 ? Type(b.getF64Type()) : Type(b.getF32Type());
  if (dtype == DType::Bool)
    return b.getI1Type();
  return b.getIntegerType(std::max(8u, bitsOf(dtype)));
}

OnWavesOp wavesAround(Operation *statement) {
  for (Operation *at = statement; at && !isa<KernelOp>(at); at = at->getParentOp())
    if (auto branch = dyn_cast_or_null<scf::IfOp>(at->getParentOp()))
      if (auto waves = branch.getCondition().getDefiningOp<OnWavesOp>())
        return waves;
  return {};
}

int64_t threadsAt(Operation *statement) {
  auto kernel = dyn_cast<KernelOp>(statement);
  if (!kernel)
    kernel = statement->getParentOfType<KernelOp>();
  OnWavesOp waves = wavesAround(statement);
  return waves ? int64_t(waves.getCount()) * int64_t(kernel.getWarpLanes())
               : int64_t(kernel.getThreads());
}

std::optional<int64_t> constantInt(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// !tile.buffer
//===----------------------------------------------------------------------===//

/// No memory holds more; byte and bit counts of smaller buffers cannot overflow.
static constexpr int64_t maxElems = int64_t(1) << 48;

bool BufferType::hasStaticShape() const { return llvm::none_of(getShape(), ShapedType::isDynamic); }

int64_t BufferType::numElems() const {
  int64_t n = 1;
  for (int64_t size : getShape())
    n *= size;
  return n;
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType, Scope scope) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size)) {
      if (scope != Scope::Global)
        return emitError() << "only global buffers may have a dynamic extent";
    } else if (size < 0 || (size == 0 && scope != Scope::Global)) { // a tensor may be empty
      return emitError() << "a buffer's extents are positive, not " << size;
    } else if (__builtin_mul_overflow(count, size, &count) || count > maxElems) {
      return emitError() << "a buffer has at most 2^48 elements";
    }
  }
  if (!maybeDTypeOf(elementType))
    return emitError() << elementType << " is no element type of a buffer";
  return success();
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef scopeName;
  auto parseExtent = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      shape.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(shape.emplace_back());
  };
  SMLoc at;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseExtent) ||
      parser.parseComma() || parser.parseType(elementType) || parser.parseComma() ||
      parser.getCurrentLocation(&at) || parser.parseKeyword(&scopeName) || parser.parseGreater())
    return {};
  std::optional<Scope> scope = symbolizeScope(scopeName);
  if (!scope) {
    parser.emitError(at, "unknown scope `") << scopeName << '`';
    return {};
  }
  return parser.getChecked<BufferType>(parser.getContext(), shape, elementType, *scope);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getShape(), printer, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
  });
  printer << "], " << getElementType() << ", " << stringifyScope(getScope()) << '>';
}

//===----------------------------------------------------------------------===//
// Layout attributes
//===----------------------------------------------------------------------===//

namespace {

ParseResult parseInts(AsmParser &parser, Coords &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

ParseResult parseIntLists(AsmParser &parser, SmallVectorImpl<Coords> &lists) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parseInts(parser, lists.emplace_back()); });
}

ParseResult parseField(AsmParser &parser, StringRef name, int64_t &value) {
  return failure(parser.parseKeyword(name) || parser.parseEqual() || parser.parseInteger(value));
}

void printInts(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

void printBases(AsmPrinter &printer, const LayoutInput &input) {
  printer << ' ' << input.name << " = [";
  llvm::interleaveComma(input.bases, printer, [&](const Coords &c) { printInts(printer, c); });
  printer << ']';
}

void printFactors(AsmPrinter &printer, StringRef name, ArrayRef<Factor> factors) {
  printer << ' ' << name << " = [";
  llvm::interleaveComma(factors, printer,
                        [&](const Factor &f) { printInts(printer, {f.dim, f.count}); });
  printer << ']';
}

} // namespace

Attribute FragmentLayoutAttr::parse(AsmParser &parser, Type) {
  Coords shape;
  SmallVector<Coords> regs, lanes, reps, waves;
  SMLoc at;
  auto lists = [&](StringRef name, SmallVectorImpl<Coords> &into) {
    return parser.parseKeyword(name) || parser.parseEqual() || parseIntLists(parser, into);
  };
  if (parser.getCurrentLocation(&at) || parser.parseLess() || parser.parseKeyword("shape") ||
      parser.parseEqual() || parseInts(parser, shape) || lists("register", regs) ||
      lists("lane", lanes) || lists("reps", reps) || lists("waves", waves) || parser.parseGreater())
    return {};
  auto hasSize = [](size_t n) { return [n](const Coords &c) { return c.size() == n; }; };
  if (!llvm::all_of(regs, hasSize(shape.size())) || !llvm::all_of(lanes, hasSize(shape.size())) ||
      !llvm::all_of(reps, hasSize(2)) || !llvm::all_of(waves, hasSize(2))) {
    parser.emitError(at, "bases have one entry per dimension, factors are [dim, count]");
    return {};
  }
  auto factors = [](ArrayRef<Coords> pairs) {
    SmallVector<Factor, 4> result;
    for (const Coords &pair : pairs)
      result.push_back({pair[0], pair[1]});
    return result;
  };
  auto isBad = [&](const Coords &f) { return f[0] >= int64_t(shape.size()) || f[1] < 1; };
  if (llvm::any_of(reps, isBad) || llvm::any_of(waves, isBad)) {
    parser.emitError(at, "a factor names a dimension of the shape and counts at least 1");
    return {};
  }
  LayoutInput regInput{"register", {}}, laneInput{"lane", {}};
  regInput.bases.assign(regs.begin(), regs.end());
  laneInput.bases.assign(lanes.begin(), lanes.end());
  LinearLayout atom(shape.size(), {regInput, laneInput});
  return get(parser.getContext(), FragmentLayout(shape, atom, factors(reps), factors(waves)));
}

void FragmentLayoutAttr::print(AsmPrinter &printer) const {
  const FragmentLayout &layout = getLayout();
  printer << "<shape = ";
  printInts(printer, layout.shape());
  for (const LayoutInput &input : layout.atom().inputs())
    printBases(printer, input);
  printFactors(printer, "reps", layout.reps());
  printFactors(printer, "waves", layout.waves());
  printer << '>';
}

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  SharedLayout layout;
  SMLoc at;
  if (parser.getCurrentLocation(&at) || parser.parseLess() || parser.parseKeyword("shape") ||
      parser.parseEqual() || parseInts(parser, layout.shape) ||
      parseField(parser, "pitch", layout.pitchElems) ||
      parseField(parser, "vec", layout.vecElems) ||
      parseField(parser, "rows_per_phase", layout.rowsPerPhase) ||
      parseField(parser, "phases", layout.phases))
    return {};
  layout.isGray = succeeded(parser.parseOptionalKeyword("gray"));
  if (succeeded(parser.parseOptionalKeyword("panel")) &&
      (parser.parseEqual() || parser.parseInteger(layout.panelElems)))
    return {};
  if (parser.parseGreater())
    return {};
  if (layout.panelElems != 0 && (layout.panelElems < 0 || layout.panelElems != layout.pitchElems)) {
    parser.emitError(at, "a panel is as wide as the pitch");
    return {};
  }
  bool legal = (layout.panelElems != 0 || layout.pitchElems >= layout.cols()) &&
               layout.vecElems > 0 && layout.rowsPerPhase > 0 && layout.phases > 0 &&
               (layout.phases == 1 || layout.pitchElems % (layout.vecElems * layout.phases) == 0);
  if (!legal) {
    parser.emitError(at, "the pitch holds a row, and phases * vec divides the pitch");
    return {};
  }
  return get(parser.getContext(), layout);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  const SharedLayout &layout = getLayout();
  printer << "<shape = ";
  printInts(printer, layout.shape);
  printer << " pitch = " << layout.pitchElems << " vec = " << layout.vecElems
          << " rows_per_phase = " << layout.rowsPerPhase << " phases = " << layout.phases;
  if (layout.isGray)
    printer << " gray";
  if (layout.panelElems != 0)
    printer << " panel = " << layout.panelElems;
  printer << '>';
}

} // namespace tilec::tile

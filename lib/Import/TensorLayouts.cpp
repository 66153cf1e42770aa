//===- TensorLayouts.cpp - where the elements of a tensor lie in memory ---===//
//
// A layout of a tensor parameter is kept: the tensor gets the shape that the layout maps its
// elements to, row-major, and every access of the kernel the indices there. Callers see the shape
// of the script.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

#include "tilec/Base/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {
using script::ExprOp;
using script::LayoutSpec;

namespace {

struct Interval {
  int64_t low, high;
};

/// Of sums, products, quotients and remainders of a layout's variables.
std::optional<Interval> intervalOf(const script::Expr *e, const LayoutSpec &layout) {
  if (std::optional<int64_t> constant = e->constInt())
    return fitsIndex(*constant) ? std::optional(Interval{*constant, *constant}) : std::nullopt;
  if (e->op == ExprOp::Var) {
    for (auto [var, size] : llvm::zip(layout.indices, layout.shape))
      if (var == e->var)
        return Interval{0, size - 1};
    return std::nullopt;
  }
  if (e->op == ExprOp::Cast)
    return intervalOf(e->args[0], layout);
  if (e->args.size() != 2)
    return std::nullopt;
  std::optional<Interval> x = intervalOf(e->args[0], layout), y = intervalOf(e->args[1], layout);
  if (!x || !y || x->low < 0 || y->low < 0)
    return std::nullopt;
  switch (e->op) {
  case ExprOp::Add:
    return Interval{x->low + y->low, x->high + y->high};
  case ExprOp::Mul: {
    int64_t high;
    if (__builtin_mul_overflow(x->high, y->high, &high) || !fitsIndex(high))
      return std::nullopt;
    return Interval{x->low * y->low, high};
  }
  case ExprOp::FloorDiv:
    if (y->low != y->high || y->low == 0)
      return std::nullopt;
    return Interval{x->low / y->low, x->high / y->low};
  case ExprOp::FloorMod:
    if (y->low != y->high || y->low == 0)
      return std::nullopt;
    return x->high < y->low ? *x : Interval{0, y->low - 1};
  default:
    return std::nullopt;
  }
}

/// By how much `e` divides the layout's variable `var`: 1 where it is that; nothing where it is
/// something else.
std::optional<int64_t> quotientOf(const script::Expr *e, const script::Var *var) {
  if (e->op == ExprOp::Cast)
    return quotientOf(e->args[0], var);
  if (e->op == ExprOp::Var)
    return e->var == var ? std::optional<int64_t>(1) : std::nullopt;
  std::optional<int64_t> by = e->op == ExprOp::FloorDiv ? e->args[1]->constInt() : std::nullopt;
  std::optional<int64_t> before = by ? quotientOf(e->args[0], var) : std::nullopt;
  return before ? std::optional(*before * *by) : std::nullopt;
}

/// Of an index: blocks, threads, iterations and arithmetic on them.
bool isNotNegative(Value value) {
  if (std::optional<int64_t> constant = tile::constantInt(value))
    return *constant >= 0;
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto loop = dyn_cast<tile::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    return !loop || isNotNegative(loop.getLower());
  }
  if (isa<tile::ThreadIdOp, tile::DimOp>(op))
    return true;
  return isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp>(op) &&
         llvm::all_of(op->getOperands(), isNotNegative);
}

/// The tensor or buffer that a view shows a box of.
Value boxedBy(Value buffer) {
  while (isa_and_present<tile::SubviewOp, tile::Im2colOp>(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer;
}

/// The element of the view's source that `indices` is in the view.
SmallVector<Value> inSource(tile::SubviewOp view, ValueRange indices, OpBuilder &b) {
  SmallVector<Value> result;
  size_t next = 0;
  for (auto [d, offset] : llvm::enumerate(view.getOffsets()))
    if (llvm::is_contained(view.getDropped(), int64_t(d)))
      result.push_back(offset);
    else
      result.push_back(arith::AddIOp::create(b, view.getLoc(), offset, indices[next++]));
  return result;
}

} // namespace

/// Shapes that are known, a place for every element and none without; and what is outside of the
/// tensor is outside of the layout's box.
std::optional<SmallVector<int64_t>> Importer::boxOfLayout(const Buffer *buf,
                                                          const LayoutSpec &layout) {
  Value held = buffers.lookup(buf);
  if (layout.kind != LayoutSpec::Function || program.launches.size() != 1 ||
      !buf->strides.empty() || layout.shape.size() != buf->shape.size() ||
      bitsOf(buf->type) % 8 != 0 || !held || !held.getDefiningOp<tile::TensorOp>())
    return std::nullopt;
  for (auto [size, e] : llvm::zip(layout.shape, buf->shape))
    if (size <= 0 || e->constInt() != size)
      return std::nullopt;
  SmallVector<int64_t> box;
  int64_t elements = 1, places = 1;
  for (const Expr *e : layout.forward) {
    std::optional<Interval> interval = intervalOf(e, layout);
    if (!interval || interval->low != 0 || !fitsIndex(interval->high))
      return std::nullopt;
    box.push_back(interval->high + 1);
  }
  for (int64_t size : layout.shape)
    if (__builtin_mul_overflow(elements, size, &elements))
      return std::nullopt;
  for (int64_t size : box)
    if (__builtin_mul_overflow(places, size, &places))
      return std::nullopt;
  bool keepsOutside = llvm::all_of(llvm::zip(layout.indices, layout.shape), [&](auto pair) {
    auto [var, size] = pair;
    return llvm::any_of(layout.forward, [&, var = var, size = size](const Expr *e) {
      std::optional<int64_t> by = quotientOf(e, var);
      return by && size % *by == 0;
    });
  });
  return keepsOutside && elements == places ? std::optional(box) : std::nullopt;
}

/// The layout's index `e` of the element at `indices`.
Value Importer::placeIn(const LayoutSpec &layout, const Expr *e, llvm::ArrayRef<Value> indices,
                        Location loc) {
  if (std::optional<int64_t> constant = e->constInt())
    return arith::ConstantIndexOp::create(b, loc, *constant);
  if (e->op == ExprOp::Var) {
    size_t at = llvm::find(layout.indices, e->var) - layout.indices.begin();
    return indices[at];
  }
  Value x = placeIn(layout, e->args[0], indices, loc);
  if (e->op == ExprOp::Cast)
    return x;
  Value y = placeIn(layout, e->args[1], indices, loc);
  if (e->op == ExprOp::Add)
    return arith::AddIOp::create(b, loc, x, y);
  if (e->op == ExprOp::Mul)
    return arith::MulIOp::create(b, loc, x, y);
  return floorDivision(x, y, e->op == ExprOp::FloorMod, isNotNegative(x), loc);
}

/// The element of a box that a copy reads.
Value Importer::elementOf(Value box, llvm::ArrayRef<Value> indices, Location loc) {
  SmallVector<Value> places(indices);
  auto view = box.getDefiningOp<tile::SubviewOp>();
  if (auto patches = view ? view.getSource().getDefiningOp<tile::Im2colOp>() : nullptr) {
    places = inSource(view, places, b);
    box = patches.getSource();
    places =
        SmallVector<Value>(patches.imageIndices(b, loc, places[0], places[1], /*isWithin=*/false));
  }
  Type type = scalarType(tile::dtypeOf(typeOf(box).getElementType()));
  return tile::LoadOp::create(b, loc, type, box, places, FloatAttr());
}

/// Copies from or to the tensor, an element at a time. Shapes are known.
void Importer::copyElements(tile::CopyOp copy, Span span) {
  llvm::ArrayRef<int64_t> from = typeOf(copy.getSrc()).getShape(),
                          to = typeOf(copy.getDst()).getShape();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(copy);
  DType read = tile::dtypeOf(typeOf(copy.getSrc()).getElementType()),
        written = tile::dtypeOf(typeOf(copy.getDst()).getElementType());
  Location loc = copy.getLoc();
  overTile(to, span, [&](llvm::ArrayRef<Value> i) {
    Value v = elementOf(copy.getSrc(), sameElement(to, i, from, span), loc);
    tile::StoreOp::create(b, loc, cast(v, read, written, loc), copy.getDst(), ValueRange(i));
    return true;
  });
  copy.erase();
}

void Importer::placeTensors() {
  for (auto &[tensor, placed] : placedTensors) {
    auto isOurs = [tensor = tensor](Value buffer) { return boxedBy(buffer) == tensor; };
    SmallVector<Operation *> users;
    SmallVector<tile::CopyOp> copies;
    bool isKnown = true;
    kernelOp.walk([&](Operation *op) {
      if (isa<tile::SubviewOp, tile::Im2colOp>(op) || llvm::none_of(op->getOperands(), isOurs))
        return;
      if (auto copy = dyn_cast<tile::CopyOp>(op))
        copies.push_back(copy);
      else
        isKnown &= isa<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(op);
    });
    isKnown &= llvm::all_of(copies, [](tile::CopyOp copy) {
      return typeOf(copy.getSrc()).hasStaticShape() && typeOf(copy.getDst()).hasStaticShape();
    });
    if (!isKnown) {
      diags.report(DiagId::LayoutOfTensor, placed.span, placed.buffer->name);
      continue;
    }
    for (tile::CopyOp copy : copies)
      copyElements(copy, placed.span);
    kernelOp.walk([&](Operation *op) {
      if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(op) &&
          llvm::any_of(op->getOperands(), isOurs))
        users.push_back(op);
    });
    auto shape = b.getDenseI64ArrayAttr(typeOf(tensor).getShape());
    OpBuilder::InsertionGuard guard(b);
    for (Operation *user : users)
      llvm::TypeSwitch<Operation *>(user).Case<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(
          [&](auto op) {
            b.setInsertionPoint(op);
            SmallVector<Value> indices(op.getIndices());
            Value buffer = op.getBuffer();
            for (; auto view = buffer.getDefiningOp<tile::SubviewOp>(); buffer = view.getSource())
              indices = inSource(view, indices, b);
            SmallVector<Value> places;
            for (const Expr *e : placed.layout->forward)
              places.push_back(placeIn(*placed.layout, e, indices, op.getLoc()));
            op.getBufferMutable().assign(tensor);
            op.getIndicesMutable().assign(places);
          });
    SmallVector<Operation *> views;
    kernelOp.walk([&](Operation *op) {
      if (isa<tile::SubviewOp, tile::Im2colOp>(op))
        views.push_back(op);
    });
    for (Operation *view : llvm::reverse(views))
      if (view->use_empty())
        view->erase();
    auto op = cast<tile::TensorOp>(tensor.getDefiningOp());
    op.setSeenShapeAttr(shape);
    tensor.setType(tile::BufferType::get(&context, placed.box, typeOf(tensor).getElementType(),
                                         tile::Scope::Global));
  }
  placedTensors.clear();
}

} // namespace tilec

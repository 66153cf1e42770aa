//===- Layouts.cpp - T.annotate_layout ------------------------------------===//
//
// A layout says where elements lie, never what they are (reference/tilelang.md, 8 row
// 30): it is checked to give each element a place of its own, and is a hint then. Of a tensor it
// is kept (TensorLayouts.cpp): another program reads that memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

#include "tilec/Base/Math.h"

#include <map>

using namespace mlir;

namespace tilec {
using script::argument;
using script::ExprOp;
using script::LayoutSpec;

namespace {

/// Integer expressions of the formal variables of a layout.
class LayoutFunction {
public:
  llvm::DenseMap<const script::Var *, int64_t> variables;

  std::optional<int64_t> evaluate(const script::Expr *e) {
    if (std::optional<int64_t> constant = e->constInt())
      return constant;
    if (e->op == ExprOp::Var) {
      auto it = variables.find(e->var);
      return it == variables.end() ? std::nullopt : std::optional(it->second);
    }
    llvm::SmallVector<int64_t, 3> x;
    for (const script::Expr *arg : e->args) {
      std::optional<int64_t> value = evaluate(arg);
      if (!value)
        return std::nullopt;
      x.push_back(*value);
    }
    return apply(e->op, x);
  }

private:
  static std::optional<int64_t> apply(ExprOp op, llvm::ArrayRef<int64_t> x) {
    bool divides = op == ExprOp::FloorDiv || op == ExprOp::FloorMod || op == ExprOp::TruncDiv ||
                   op == ExprOp::TruncMod || op == ExprOp::CeilDiv;
    bool shifts = op == ExprOp::Shl || op == ExprOp::Shr;
    if ((divides && x[1] == 0) || (shifts && (x[1] < 0 || x[1] > 62)))
      return std::nullopt;
    switch (op) {
    case ExprOp::Neg:
      return -x[0];
    case ExprOp::BitNot:
      return ~x[0];
    case ExprOp::LogicalNot:
      return x[0] == 0;
    case ExprOp::Add:
      return x[0] + x[1];
    case ExprOp::Sub:
      return x[0] - x[1];
    case ExprOp::Mul:
      return x[0] * x[1];
    case ExprOp::FloorDiv:
      return floorDiv(x[0], x[1]);
    case ExprOp::FloorMod:
      return x[0] - floorDiv(x[0], x[1]) * x[1];
    case ExprOp::TruncDiv:
      return x[0] / x[1];
    case ExprOp::TruncMod:
      return x[0] % x[1];
    case ExprOp::CeilDiv:
      return floorDiv(x[0], x[1]) + (x[0] % x[1] != 0);
    case ExprOp::Min:
      return std::min(x[0], x[1]);
    case ExprOp::Max:
      return std::max(x[0], x[1]);
    case ExprOp::Shl:
      return x[0] << x[1];
    case ExprOp::Shr:
      return x[0] >> x[1];
    case ExprOp::BitAnd:
      return x[0] & x[1];
    case ExprOp::BitOr:
      return x[0] | x[1];
    case ExprOp::BitXor:
      return x[0] ^ x[1];
    case ExprOp::LogicalAnd:
      return x[0] && x[1];
    case ExprOp::LogicalOr:
      return x[0] || x[1];
    case ExprOp::Eq:
      return x[0] == x[1];
    case ExprOp::Ne:
      return x[0] != x[1];
    case ExprOp::Lt:
      return x[0] < x[1];
    case ExprOp::Le:
      return x[0] <= x[1];
    case ExprOp::Gt:
      return x[0] > x[1];
    case ExprOp::Ge:
      return x[0] >= x[1];
    case ExprOp::IfThenElse:
    case ExprOp::Select:
      return x[0] != 0 ? x[1] : x[2];
    case ExprOp::Cast:
      return x[0];
    default:
      return std::nullopt;
    }
  }
};

/// Elements of a layout that are tried out.
constexpr int64_t mostElements = int64_t(1) << 18;

} // namespace

/// Whether all elements have places, and different ones; reports the first that has not.
bool Importer::checkLayout(const LayoutSpec &layout, const Buffer *buf, Span span) {
  int64_t count = 1;
  for (int64_t size : layout.shape)
    count *= size;
  int64_t threads = 1;
  for (int64_t t : current->threads)
    threads *= t;
  LayoutFunction function;
  std::map<llvm::SmallVector<int64_t, 4>, int64_t> elementAt;
  auto pointOf = [&](int64_t element) {
    llvm::SmallVector<int64_t, 4> point(layout.shape.size());
    for (size_t d = point.size(); d-- > 0; element /= layout.shape[d])
      point[d] = element % layout.shape[d];
    return point;
  };
  if (layout.replica)
    function.variables[layout.replica] = 0;
  for (int64_t element = 0; element < std::min(count, mostElements); ++element) {
    llvm::SmallVector<int64_t, 4> point = pointOf(element), place;
    for (auto [var, index] : llvm::zip(layout.indices, point))
      function.variables[var] = index;
    if (layout.thread) {
      std::optional<int64_t> thread = function.evaluate(layout.thread);
      if (!thread || *thread < 0 || *thread >= threads) {
        fail(DiagId::LayoutThread, span, buf->name, shapeText(point), thread.value_or(-1), threads);
        return false;
      }
      place.push_back(*thread);
    }
    for (const Expr *e : layout.forward) {
      std::optional<int64_t> index = function.evaluate(e);
      if (!index || *index < 0) {
        fail(DiagId::LayoutIndex, span, buf->name, shapeText(point));
        return false;
      }
      place.push_back(*index);
    }
    auto [it, isNew] = elementAt.try_emplace(place, element);
    if (!isNew) {
      fail(DiagId::LayoutNotInjective, span, buf->name, shapeText(pointOf(it->second)),
           shapeText(point));
      return false;
    }
  }
  return true;
}

bool Importer::annotateLayout(const Call *call) {
  const Argument &map = argument(*call, "layout_map");
  if (map.kind != Argument::Dict) {
    fail(DiagId::LayoutEntry, map.span);
    return false;
  }
  for (const script::DictEntry &entry : map.dict) {
    const Argument &key = entry.key, &value = entry.value;
    if (!key.region || value.kind != Argument::Layout) {
      fail(DiagId::LayoutEntry, call->span);
      return false;
    }
    const Buffer *buf = key.region->buffer;
    const LayoutSpec &layout = *value.layout;
    bool isFunction = layout.kind == LayoutSpec::Function || layout.kind == LayoutSpec::Fragment;
    SmallVector<int64_t> shape;
    for (const Expr *e : buf->shape)
      shape.push_back(e->constInt().value_or(ShapedType::kDynamic));
    if (buf->scope == script::Scope::Global) {
      std::optional<SmallVector<int64_t>> box = boxOfLayout(buf, layout);
      if (!box)
        diags.report(DiagId::LayoutOfTensor, call->span, buf->name);
      else if (!checkLayout(layout, buf, layout.span))
        return false;
      else
        placedTensors.insert({buffers.lookup(buf), {buf, &layout, *box, call->span}});
      continue;
    }
    if (isFunction && llvm::ArrayRef<int64_t>(shape) != layout.shape) {
      fail(DiagId::LayoutShape, layout.span, shapeText(layout.shape), buf->name, shapeText(shape));
      return false;
    }
    if (isFunction && !checkLayout(layout, buf, layout.span))
      return false;
    diags.report(DiagId::LayoutIsHint, call->span, buf->name);
  }
  return true;
}

} // namespace tilec

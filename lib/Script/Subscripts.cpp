//===- Subscripts.cpp - items, slices and regions of buffers --------------===//
//
// Takes `a[...]`, gives items, slices, elements and regions of buffers, with bounds that are known
// checked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Lanes.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {
namespace {

/// A key as the name of what stands under it has it; `...` where it cannot be told by a name.
std::string keyText(const Value &key) {
  constexpr size_t most = 40;
  if (key.is(ValueKind::Int))
    return toStr(key);
  auto isPlain = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_-. /").contains(c); };
  bool isName = key.is(ValueKind::Str) && !key.str().empty() && key.str().size() <= most &&
                llvm::all_of(key.str(), isPlain);
  return isName ? "'" + key.str().str() + "'" : "...";
}

} // namespace

bool Evaluator::sliceBounds(const SliceObject *slice, int64_t length, Span span, int64_t &start,
                            int64_t &stop, int64_t &step) {
  step = 1;
  if (!slice->step.is(ValueKind::None)) {
    std::optional<int64_t> s = toInt(slice->step, span, "a slice");
    if (!s)
      return false;
    if (*s == 0) {
      fail(DiagId::ZeroStep, span);
      return false;
    }
    step = *s;
  }
  auto clamp = [&](const Value &v, int64_t fallback, int64_t &out) {
    if (v.is(ValueKind::None)) {
      out = fallback;
      return true;
    }
    std::optional<int64_t> i = toInt(v, span, "a slice");
    if (!i)
      return false;
    int64_t at = *i < 0 ? std::max<int64_t>(*i, -length) + length : *i;
    if (*i < -length)
      at = step < 0 ? -1 : 0;
    out = std::min(at, step < 0 ? length - 1 : length);
    return true;
  };
  return clamp(slice->lower, step < 0 ? length - 1 : 0, start) &&
         clamp(slice->upper, step < 0 ? -1 : length, stop);
}

Value Evaluator::sequenceItem(const Value &object, const Value &index, Span span, Span indexSpan) {
  bool isStr = object.is(ValueKind::Str);
  std::vector<llvm::StringRef> chars;
  if (isStr && !step(span, object.str().size() / 16))
    return Value();
  if (isStr)
    chars = codePoints(object.str());
  auto length = static_cast<int64_t>(isStr ? chars.size() : object.items().size());
  if (index.is(ValueKind::Slice)) {
    int64_t start, stop, stride;
    if (!sliceBounds(index.as<SliceObject>(), length, indexSpan, start, stop, stride))
      return Value();
    std::vector<Value> items;
    std::string text;
    // A stride beyond the length takes one item; it is cut so that the sum can't overflow.
    stride = std::clamp<int64_t>(stride, -length - 1, length + 1);
    for (int64_t i = start; stride > 0 ? i < stop : i > stop; i += stride) {
      if (!step(span))
        return Value();
      if (isStr)
        text += chars[i];
      else
        items.push_back(object.items()[i]);
    }
    return isStr ? heap.str(std::move(text)) : heap.list(std::move(items), object.kind());
  }
  std::optional<int64_t> i = toInt(index, indexSpan, "an index of a list");
  if (!i)
    return Value();
  int64_t at = *i < 0 ? *i + length : *i;
  if (at < 0 || at >= length)
    return fail(DiagId::IndexOutOfRange, indexSpan, *i, length);
  return isStr ? heap.str(chars[at].str()) : object.items()[at];
}

Value Evaluator::subscript(const Value &object, const Value &index, Span span, Span indexSpan) {
  switch (object.kind()) {
  case ValueKind::Buffer:
    return subscriptBuffer(object.buffer(), index, span, indexSpan);
  case ValueKind::Region:
    if (!object.region()->whole)
      return fail(DiagId::SliceOfSlice, span);
    return subscriptBuffer(object.region()->buffer, index, span, indexSpan);
  case ValueKind::Str:
  case ValueKind::List:
  case ValueKind::Tuple:
  case ValueKind::Lanes:
    return sequenceItem(object, index, span, indexSpan);
  case ValueKind::Dict: {
    Value *found = dictFind(object.as<DictObject>(), index);
    return found ? *found : fail(DiagId::KeyMissing, indexSpan, shown(index));
  }
  case ValueKind::Range: {
    auto *r = object.as<RangeObject>();
    if (index.is(ValueKind::Slice)) {
      auto *part = heap.make<RangeObject>();
      int64_t start, stop, stride, count = r->count();
      if (!sliceBounds(index.as<SliceObject>(), count, indexSpan, start, stop, stride))
        return Value();
      stride = std::clamp<int64_t>(stride, -count - 1, count + 1);
      part->start = r->start + start * r->step;
      part->stop = r->start + stop * r->step;
      part->step = r->step * stride;
      return Value::object(ValueKind::Range, part);
    }
    std::optional<int64_t> i = toInt(index, indexSpan, "an index of a range");
    if (!i)
      return Value();
    int64_t at = *i < 0 ? *i + r->count() : *i;
    if (at < 0 || at >= r->count())
      return fail(DiagId::IndexOutOfRange, indexSpan, *i, r->count());
    return Value::small(r->start + at * r->step);
  }
  case ValueKind::Intrinsic: { // `T.Tensor[(M, N), dtype]`
    CallArgs args;
    args.span = span;
    args.calleeSpan = span;
    if (index.is(ValueKind::Tuple)) {
      args.values.append(index.items().begin(), index.items().end());
      args.spans.append(index.items().size(), indexSpan);
    } else {
      args.values.push_back(index);
      args.spans.push_back(indexSpan);
    }
    return call(object, args);
  }
  case ValueKind::Expr:
    // `x[0]` of a variable is the variable.
    if (object.expr()->op == ExprOp::Load && object.expr()->buffer->scope == Scope::Var)
      return object;
    // The only block index of `T.Kernel(n) as bx` is its own 1-tuple.
    if (object.expr()->op == ExprOp::Var && index.is(ValueKind::Int) && index.integer().isZero())
      return object;
    return fail(DiagId::NotSubscriptable, span, typeName(object));
  case ValueKind::Type: // `Optional[int]`, `list[int]` in annotations
  case ValueKind::Builtin:
    return object;
  case ValueKind::Opaque:
    if (object.as<NamedObject>()->host) {
      Value getItem = hostAttribute(object, "__getitem__", span);
      if (!getItem.ok())
        return Value();
      CallArgs args;
      args.span = args.calleeSpan = span;
      args.values.push_back(index);
      args.spans.push_back(indexSpan);
      return call(getItem, args);
    }
    return opaque((object.str() + "[" + keyText(index) + "]").str(), span);
  default:
    return fail(DiagId::NotSubscriptable, span, typeName(object));
  }
}

Value Evaluator::subscriptBuffer(const Buffer *buffer, const Value &index, Span span,
                                 Span indexSpan) {
  llvm::SmallVector<Value> items;
  if (index.isSequence())
    items.append(index.items().begin(), index.items().end());
  else
    items.push_back(index);
  if (buffer->scope == Scope::Var)
    return Value::expr(build.load(buffer, {}, span));
  size_t rank = buffer->shape.size();
  // An ellipsis stands for the dimensions that are not named.
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].is(ValueKind::Ellipsis)) {
      items.erase(items.begin() + i);
      auto *all = heap.make<SliceObject>();
      all->lower = all->upper = all->step = Value::none();
      while (items.size() < rank)
        items.insert(items.begin() + i, Value::object(ValueKind::Slice, all));
      break;
    }
  if (llvm::any_of(items, isLanes))
    return eachLane(items, span, [&](llvm::ArrayRef<Value> own) {
      return subscriptBuffer(buffer, heap.tuple(own.vec()), span, indexSpan);
    });
  if (items.size() > rank)
    return fail(DiagId::TooManyIndices, indexSpan, buffer->name, rank, items.size());
  bool isElement = items.size() == rank &&
                   llvm::none_of(items, [](const Value &v) { return v.is(ValueKind::Slice); });
  llvm::SmallVector<const Expr *> offsets, extents;
  uint64_t scalarDims = 0;
  for (size_t d = 0; d < rank; ++d) {
    const Expr *size = buffer->shape[d];
    const Expr *zero = build.constInt(0, DType::I32, indexSpan);
    if (d < items.size() && !items[d].is(ValueKind::Slice)) {
      const Expr *at = toIndex(items[d], indexSpan);
      if (!at)
        return Value();
      // Negative constants count from the end, as in Python.
      if (std::optional<int64_t> c = at->constInt(); c && *c < 0)
        at = build.binary(ExprOp::Add, size, at, indexSpan);
      offsets.push_back(at);
      extents.push_back(build.constInt(1, DType::I32, indexSpan));
      scalarDims |= uint64_t(1) << d;
      continue;
    }
    const Expr *lower = zero, *upper = size;
    if (d < items.size()) {
      auto *slice = items[d].as<SliceObject>();
      if (!slice->step.is(ValueKind::None)) {
        std::optional<int64_t> s = toInt(slice->step, indexSpan, "the step of a slice");
        if (!s)
          return Value();
        if (*s != 1)
          return fail(DiagId::SliceStep, indexSpan, *s);
      }
      auto bound = [&](const Value &v, const Expr *fallback) -> const Expr * {
        if (v.is(ValueKind::None))
          return fallback;
        const Expr *e = toIndex(v, indexSpan);
        if (e)
          if (std::optional<int64_t> c = e->constInt(); c && *c < 0)
            return build.binary(ExprOp::Add, size, e, indexSpan);
        return e;
      };
      lower = bound(slice->lower, zero);
      upper = lower ? bound(slice->upper, size) : nullptr;
      if (!upper)
        return Value();
    }
    offsets.push_back(lower);
    const Expr *extent = build.difference(upper, lower, indexSpan);
    if (std::optional<int64_t> c = extent->constInt(); c && *c <= 0)
      return fail(DiagId::EmptySlice, indexSpan, *c, d);
    extents.push_back(extent);
  }
  if (isElement)
    return Value::expr(build.load(buffer, offsets, span));
  auto *region = program.make<Region>();
  region->buffer = buffer;
  region->offsets = program.copy(llvm::ArrayRef<const Expr *>(offsets));
  region->extents = program.copy(llvm::ArrayRef<const Expr *>(extents));
  region->scalarDims = scalarDims;
  region->span = span;
  return Value::region(region);
}

/// `a[i:j] = items`; with a step the counts must agree.
bool Evaluator::assignSlice(const Value &list, const SliceObject *slice, const Value &value,
                            Span indexSpan, Span valueSpan) {
  std::vector<Value> &items = list.items();
  int64_t start, stop, stride;
  llvm::SmallVector<Value> more;
  if (!iterate(value, valueSpan, more) ||
      !sliceBounds(slice, static_cast<int64_t>(items.size()), indexSpan, start, stop, stride))
    return false;
  if (stride == 1) {
    auto at = items.erase(items.begin() + start, items.begin() + std::max(start, stop));
    items.insert(at, more.begin(), more.end());
    return step(indexSpan, items.size() / 16);
  }
  stride = std::clamp<int64_t>(stride, -int64_t(items.size()) - 1, int64_t(items.size()) + 1);
  std::vector<int64_t> places;
  for (int64_t i = start; stride > 0 ? i < stop : i > stop; i += stride)
    places.push_back(i);
  if (places.size() != more.size()) {
    fail(DiagId::UnpackCount, indexSpan, places.size(), more.size());
    return false;
  }
  for (auto [place, item] : llvm::zip_equal(places, more))
    items[place] = item;
  return step(indexSpan, places.size());
}

bool Evaluator::assignSubscript(const ast::SubscriptExpr *target, const Value &value,
                                Span valueSpan) {
  Value object = evalRaw(target->value);
  Value index = object.ok() ? eval(target->index) : Value();
  if (!index.ok())
    return false;
  Span indexSpan = target->index->span;
  if (object.is(ValueKind::Dict))
    return dictSet(object.as<DictObject>(), index, value, indexSpan);
  if (object.is(ValueKind::List) && index.is(ValueKind::Slice))
    return assignSlice(object, index.as<SliceObject>(), value, indexSpan, valueSpan);
  if (object.is(ValueKind::List)) {
    std::optional<int64_t> i = toInt(index, indexSpan, "an index of a list");
    if (!i)
      return false;
    auto length = static_cast<int64_t>(object.items().size());
    int64_t at = *i < 0 ? *i + length : *i;
    if (at < 0 || at >= length) {
      fail(DiagId::IndexOutOfRange, indexSpan, *i, length);
      return false;
    }
    Value &slot = object.items()[at];
    if (slot.is(ValueKind::Buffer) && slot.buffer()->scope == Scope::Var)
      return emitStore(slot.buffer(), {}, value, target->span, target->span, valueSpan);
    slot = value;
    return true;
  }
  if (object.is(ValueKind::Opaque)) // a tensor of the host code
    return true;
  if (!object.is(ValueKind::Buffer) && !(object.is(ValueKind::Region) && object.region()->whole)) {
    fail(DiagId::CannotAssignItem, target->span, typeName(object));
    return false;
  }
  Value place = subscript(object, index, target->span, indexSpan);
  if (!place.ok())
    return false;
  if (place.is(ValueKind::Expr))
    return emitStore(place.expr()->buffer, place.expr()->args, value, target->span.to(valueSpan),
                     target->span, valueSpan);
  if (isLanes(place) && llvm::all_of(place.items(), [&](const Value &v) { return isRuntime(v); }))
    return storeLanes(place, value, target->span.to(valueSpan), target->span, valueSpan);
  if (isLanes(value)) {
    Value places = lanesOfRegion(place.region(), target->span);
    return places.ok() &&
           storeLanes(places, value, target->span.to(valueSpan), target->span, valueSpan);
  }
  if (value.isSequence())
    return storeItems(place.region(), value.items(), target->span.to(valueSpan), target->span,
                      valueSpan);
  // A slice on the left: a copy, or a fill when the right side is one value.
  bool isTile = value.is(ValueKind::Buffer) || value.is(ValueKind::Region);
  CallArgs args;
  args.span = target->span.to(valueSpan);
  args.calleeSpan = target->span;
  args.values =
      isTile ? llvm::SmallVector<Value>{value, place} : llvm::SmallVector<Value>{place, value};
  args.spans = isTile ? llvm::SmallVector<Span>{valueSpan, target->span}
                      : llvm::SmallVector<Span>{target->span, valueSpan};
  return callIntrinsic(isTile ? IntrinsicId::Copy : IntrinsicId::Fill, args).ok();
}

/// `C[i, 0:2] = a, b`: an element each, along the last dimension.
bool Evaluator::storeItems(const Region *region, llvm::ArrayRef<Value> items, Span span,
                           Span targetSpan, Span valueSpan) {
  int64_t count = 1;
  for (const Expr *e : region->extents)
    count *= e->constInt().value_or(0);
  bool isRow = !region->extents.empty() && region->extents.back()->constInt() == count;
  if (!isRow) {
    fail(DiagId::WantedOther, targetSpan, "a slice along the last dimension for several values",
         "one of more dimensions");
    return false;
  }
  if (count != static_cast<int64_t>(items.size())) {
    fail(DiagId::UnpackCount, targetSpan, count, items.size());
    return false;
  }
  for (auto [i, item] : llvm::enumerate(items)) {
    llvm::SmallVector<const Expr *> place(region->offsets);
    place.back() = build.binary(ExprOp::Add, place.back(),
                                build.constInt(int64_t(i), place.back()->type, span), span);
    if (!emitStore(region->buffer, program.copy(llvm::ArrayRef<const Expr *>(place)), item, span,
                   targetSpan, valueSpan))
      return false;
  }
  return true;
}

} // namespace tilec::script

//===- SequenceMethods.cpp - methods of list, tuple, dict and set ---------===//
//
// Tables of methods (Methods.h) and the functions that are more than a line. What looks at every
// item counts as steps, so that no script runs without end.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Methods.h"

namespace tilec::script {

//===----------------------------------------------------------------------===//
// Lists and tuples
//===----------------------------------------------------------------------===//

llvm::ArrayRef<Evaluator::MethodCall::Row> Evaluator::MethodCall::ofTuple() {
  using Call = MethodCall;
  static const Row rows[] = {
      {"index", [](Call &c) { return c.index(); }, 1, 1},
      {"count", [](Call &c) { return c.countItem(); }, 1, 1},
  };
  return rows;
}

llvm::ArrayRef<Evaluator::MethodCall::Row> Evaluator::MethodCall::ofList() {
  using Call = MethodCall;
  static const Row rows[] = {
      {"append", [](Call &c) { return c.append(); }, 1, 1},
      {"extend", [](Call &c) { return c.extend(); }, 1, 1},
      {"insert", [](Call &c) { return c.insert(); }, 2, 2},
      {"pop", [](Call &c) { return c.popItem(); }, 0, 1},
      {"index", [](Call &c) { return c.index(); }, 1, 1},
      {"count", [](Call &c) { return c.countItem(); }, 1, 1},
      {"copy", [](Call &c) { return c.e.heap.list(c.self.items()); }},
      {"reverse",
       [](Call &c) {
         std::reverse(c.self.items().begin(), c.self.items().end());
         return Value::none();
       }},
      {"sort", [](Call &c) { return c.sort(); }, 0, 0, Keywords::Own},
      {"remove", [](Call &c) { return c.removeItem(); }, 1, 1},
      {"clear",
       [](Call &c) {
         c.self.items().clear();
         return Value::none();
       }},
  };
  return rows;
}

Value Evaluator::MethodCall::append() {
  self.items().push_back(args.values[0]);
  return Value::none();
}

Value Evaluator::MethodCall::extend() {
  llvm::SmallVector<Value> more;
  if (!e.iterate(args.values[0], args.spans[0], more))
    return Value();
  self.items().insert(self.items().end(), more.begin(), more.end());
  return Value::none();
}

Value Evaluator::MethodCall::insert() {
  auto size = static_cast<int64_t>(self.items().size());
  std::optional<int64_t> at = e.toInt(args.values[0], args.spans[0], "an index");
  if (!at)
    return Value();
  int64_t fromStart = *at < 0 ? *at + size : *at;
  self.items().insert(self.items().begin() + std::clamp<int64_t>(fromStart, 0, size),
                      args.values[1]);
  return Value::none();
}

Value Evaluator::MethodCall::popItem() {
  std::vector<Value> &items = self.items();
  auto size = static_cast<int64_t>(items.size());
  std::optional<int64_t> at = -1;
  if (!args.values.empty() && !(at = e.toInt(args.values[0], args.spans[0], "an index")))
    return Value();
  int64_t fromStart = *at < 0 ? *at + size : *at;
  if (fromStart < 0 || fromStart >= size)
    return e.fail(DiagId::IndexOutOfRange, args.span, fromStart, size);
  Value out = items[fromStart];
  items.erase(items.begin() + fromStart);
  return out;
}

size_t Evaluator::MethodCall::placeOfArgument() {
  std::vector<Value> &items = self.items();
  if (!e.step(args.span, items.size()))
    return items.size();
  size_t at = llvm::find_if(items, [&](const Value &v) { return e.same(v, args.values[0]); }) -
              items.begin();
  if (at == items.size())
    e.fail(DiagId::NotInList, args.spans[0], shown(args.values[0]), typeName(self));
  return at;
}

Value Evaluator::MethodCall::index() {
  size_t at = placeOfArgument();
  return at < self.items().size() ? Value::small(static_cast<int64_t>(at)) : Value();
}

Value Evaluator::MethodCall::removeItem() {
  size_t at = placeOfArgument();
  if (at == self.items().size())
    return Value();
  self.items().erase(self.items().begin() + at);
  return Value::none();
}

Value Evaluator::MethodCall::countItem() {
  if (!e.step(args.span, self.items().size()))
    return Value();
  return Value::small(
      llvm::count_if(self.items(), [&](const Value &v) { return e.same(v, args.values[0]); }));
}

Value Evaluator::MethodCall::sort() {
  CallArgs forward = args;
  forward.values.insert(forward.values.begin(), self);
  forward.spans.insert(forward.spans.begin(), args.calleeSpan);
  Value sorted = e.builtinSorted(forward);
  if (!sorted.ok())
    return Value();
  self.items() = sorted.items();
  return Value::none();
}

//===----------------------------------------------------------------------===//
// Dicts
//===----------------------------------------------------------------------===//

Value *Evaluator::dictFind(DictObject *dict, const Value &key) {
  stepCount += dict->entries.size() / 8;
  for (auto &[k, v] : dict->entries)
    if (same(k, key))
      return &v;
  return nullptr;
}

bool Evaluator::dictSet(DictObject *dict, const Value &key, const Value &value, Span span) {
  if (!hashable(key, span) || !step(span))
    return false;
  if (Value *slot = dictFind(dict, key))
    *slot = value;
  else
    dict->entries.push_back({key, value});
  return true;
}

llvm::ArrayRef<Evaluator::MethodCall::Row> Evaluator::MethodCall::ofDict() {
  using Call = MethodCall;
  static const Row rows[] = {
      {"get", [](Call &c) { return c.get(); }, 1, 2},
      {"keys",
       [](Call &c) { return c.entries([](Heap &, const Value &k, const Value &) { return k; }); }},
      {"values",
       [](Call &c) { return c.entries([](Heap &, const Value &, const Value &v) { return v; }); }},
      {"items",
       [](Call &c) {
         return c.entries(
             [](Heap &heap, const Value &k, const Value &v) { return heap.tuple({k, v}); });
       }},
      {"update", [](Call &c) { return c.updateDict(); }, 0, ~size_t(0), Keywords::Own},
      {"pop", [](Call &c) { return c.popKey(); }, 1, 2},
      {"setdefault", [](Call &c) { return c.setDefault(); }, 1, 2},
      {"copy",
       [](Call &c) {
         auto *copy = c.e.heap.make<DictObject>();
         copy->entries = c.self.as<DictObject>()->entries;
         return Value::object(ValueKind::Dict, copy);
       }},
      {"clear",
       [](Call &c) {
         c.self.as<DictObject>()->entries.clear();
         return Value::none();
       }},
  };
  return rows;
}

Value Evaluator::MethodCall::get() {
  if (Value *found = e.dictFind(self.as<DictObject>(), args.values[0]))
    return *found;
  return args.values.size() > 1 ? args.values[1] : Value::none();
}

Value Evaluator::MethodCall::popKey() {
  auto *dict = self.as<DictObject>();
  if (Value *found = e.dictFind(dict, args.values[0])) {
    Value out = *found;
    llvm::erase_if(dict->entries, [&](auto &entry) { return e.same(entry.first, args.values[0]); });
    return out;
  }
  return args.values.size() > 1 ? args.values[1]
                                : e.fail(DiagId::KeyMissing, args.spans[0], shown(args.values[0]));
}

Value Evaluator::MethodCall::setDefault() {
  auto *dict = self.as<DictObject>();
  if (Value *found = e.dictFind(dict, args.values[0]))
    return *found;
  Value fallback = args.values.size() > 1 ? args.values[1] : Value::none();
  return e.dictSet(dict, args.values[0], fallback, args.spans[0]) ? fallback : Value();
}

Value Evaluator::MethodCall::updateDict() {
  auto *dict = self.as<DictObject>();
  for (const Value &v : args.values) {
    if (!v.is(ValueKind::Dict))
      return e.fail(DiagId::WantedOther, args.span, "a dict", typeName(v));
    for (auto &[k, value] : v.as<DictObject>()->entries)
      if (!e.dictSet(dict, k, value, args.span))
        return Value();
  }
  for (const CallArgs::Keyword &k : args.keywords)
    if (!e.dictSet(dict, e.heap.str(k.name), k.value, k.span))
      return Value();
  return Value::none();
}

Value Evaluator::MethodCall::entries(Value (*of)(Heap &, const Value &, const Value &)) {
  std::vector<Value> out;
  for (auto &[key, value] : self.as<DictObject>()->entries)
    out.push_back(of(e.heap, key, value));
  return e.heap.list(std::move(out));
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

llvm::ArrayRef<Evaluator::MethodCall::Row> Evaluator::MethodCall::ofSet() {
  using Call = MethodCall;
  static const Row rows[] = {
      {"add", [](Call &c) { return c.add(); }, 1, 1},
      {"union", [](Call &c) { return c.combine(BinaryOp::BitOr); }, 1, 1},
      {"intersection", [](Call &c) { return c.combine(BinaryOp::BitAnd); }, 1, 1},
      {"difference", [](Call &c) { return c.combine(BinaryOp::Sub); }, 1, 1},
      {"symmetric_difference", [](Call &c) { return c.combine(BinaryOp::BitXor); }, 1, 1},
      {"update",
       [](Call &c) {
         Value all = c.combine(BinaryOp::BitOr);
         if (!all.ok())
           return Value();
         c.self.items() = all.items();
         return Value::none();
       },
       1, 1},
      {"issubset", [](Call &c) { return c.compareSets(CompareOp::Le); }, 1, 1},
      {"issuperset", [](Call &c) { return c.compareSets(CompareOp::Ge); }, 1, 1},
      {"isdisjoint",
       [](Call &c) {
         Value common = c.combine(BinaryOp::BitAnd);
         return common.ok() ? Value::boolean(common.items().empty()) : Value();
       },
       1, 1},
      {"discard", [](Call &c) { return c.discard(false); }, 1, 1},
      {"remove", [](Call &c) { return c.discard(true); }, 1, 1},
      {"copy", [](Call &c) { return c.e.heap.list(c.self.items(), ValueKind::Set); }},
      {"clear",
       [](Call &c) {
         c.self.items().clear();
         return Value::none();
       }},
  };
  return rows;
}

Value Evaluator::MethodCall::discard(bool mustBeThere) {
  size_t before = self.items().size();
  if (!e.step(args.span, before))
    return Value();
  llvm::erase_if(self.items(), [&](const Value &u) { return e.same(u, args.values[0]); });
  if (mustBeThere && before == self.items().size())
    return e.fail(DiagId::NotInList, args.spans[0], shown(args.values[0]), "set");
  return Value::none();
}

Value Evaluator::MethodCall::add() {
  if (!e.hashable(args.values[0], args.spans[0]) || !e.step(args.span, self.items().size()))
    return Value();
  if (llvm::none_of(self.items(), [&](const Value &u) { return e.same(u, args.values[0]); }))
    self.items().push_back(args.values[0]);
  return Value::none();
}

Value Evaluator::MethodCall::otherSet() {
  llvm::SmallVector<Value> items;
  if (!e.iterate(args.values[0], args.spans[0], items))
    return Value();
  return e.heap.list({items.begin(), items.end()}, ValueKind::Set);
}

Value Evaluator::MethodCall::combine(ast::BinaryOp op) {
  Value other = otherSet();
  return other.ok() ? e.sequenceOp(op, self, other, args.span) : Value();
}

Value Evaluator::MethodCall::compareSets(ast::CompareOp op) {
  Value other = otherSet();
  return other.ok() ? e.compare(op, self, other, args.span, args.calleeSpan, args.spans[0])
                    : Value();
}

} // namespace tilec::script

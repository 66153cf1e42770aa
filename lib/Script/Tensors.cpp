//===- Tensors.cpp - the tensors of a script's host code ------------------===//
//
// A script makes tensors with torch and calls its kernel with them. Nothing is computed
// here, but shapes and dtypes are followed: they decide what is compiled. A tensor is an
// opaque value with a shape and a dtype; one of its methods has its name as well.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::script {
namespace {

using Shape = llvm::SmallVector<int64_t>;

bool isOneOf(llvm::StringRef name, std::initializer_list<llvm::StringRef> names) {
  return llvm::is_contained(names, name);
}

std::optional<Shape> shapeOf(const Value &sequence) {
  Shape shape;
  for (const Value &v : sequence.items()) {
    if (!v.is(ValueKind::Int) || !v.integer().fits64())
      return std::nullopt;
    shape.push_back(v.integer().value64());
  }
  return shape;
}

/// `f(2, 3)` or `f((2, 3))`.
std::optional<Shape> shapeOf(llvm::ArrayRef<Value> values) {
  if (values.size() == 1 && values[0].isSequence())
    return shapeOf(values[0]);
  Shape shape;
  for (const Value &v : values) {
    if (!v.is(ValueKind::Int) || !v.integer().fits64())
      return std::nullopt;
    shape.push_back(v.integer().value64());
  }
  return shape;
}

int64_t elementsOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t n : shape)
    if (llvm::MulOverflow(count, n, count))
      return -1;
  return count;
}

std::optional<size_t> axisOf(const Value &v, size_t rank) {
  if (!v.is(ValueKind::Int) || !v.integer().fits64())
    return std::nullopt;
  int64_t axis = v.integer().value64();
  axis += axis < 0 ? int64_t(rank) : 0;
  return axis >= 0 && axis < int64_t(rank) ? std::optional(size_t(axis)) : std::nullopt;
}

const Value *keyword(const CallArgs &args, llvm::StringRef name) {
  for (const CallArgs::Keyword &k : args.keywords)
    if (k.name == name)
      return &k.value;
  return nullptr;
}

} // namespace

bool Evaluator::isTensor(const Value &v) const {
  return v.is(ValueKind::Opaque) && v.as<NamedObject>()->state.size() == 2;
}

Value Evaluator::tensor(std::string name, llvm::ArrayRef<int64_t> shape, Value type, Span span) {
  Value v = heap.named(ValueKind::Opaque, std::move(name), span);
  std::vector<Value> extents;
  for (int64_t n : shape)
    extents.push_back(Value::small(n));
  v.as<NamedObject>()->state = {heap.tuple(std::move(extents)), type};
  return v;
}

/// `torch.tensor([[1, 2], [3, 4]])`: nested lists of numbers.
std::optional<Value> Evaluator::tensorOfList(const std::string &text, const Value &list,
                                             const Value *type, Span span) {
  Shape shape;
  const Value *element = &list;
  for (; element->isSequence(); element = &element->items()[0]) {
    shape.push_back(static_cast<int64_t>(element->items().size()));
    if (element->items().empty())
      return std::nullopt;
  }
  if (!element->isNumber())
    return std::nullopt;
  DType plain = element->is(ValueKind::Float)  ? DType::F32
                : element->is(ValueKind::Bool) ? DType::Bool
                                               : DType::I64;
  return tensor(text, shape, type ? *type : Value::dtype(plain), span);
}

/// `torch.randn(4, 8, dtype=...)` and its like; nothing when the call makes no tensor whose shape
/// is known.
std::optional<Value> Evaluator::tensorFactory(llvm::StringRef name, const CallArgs &args) {
  llvm::StringRef maker = name;
  if (!maker.consume_front("torch.") || maker.contains('.'))
    return std::nullopt;
  const Value *type = keyword(args, "dtype");
  std::string text = (name + "(...)").str();
  if (maker.ends_with("_like")) {
    const Value *other = args.values.empty() ? nullptr : &args.values[0];
    if (!other || !isTensor(*other))
      return std::nullopt;
    const std::vector<Value> &state = other->as<NamedObject>()->state;
    return tensor(text, *shapeOf(state[0]), type ? *type : state[1], args.span);
  }
  if (maker == "tensor" || maker == "as_tensor")
    return args.values.empty() ? std::nullopt : tensorOfList(text, args.values[0], type, args.span);
  // Which arguments are the sizes.
  enum class Sizes { All, First, Last, Only };
  struct Maker {
    llvm::StringLiteral name;
    Sizes sizes;
    DType type = DType::F32;
  };
  constexpr Maker makers[] = {{"empty", Sizes::All},
                              {"zeros", Sizes::All},
                              {"ones", Sizes::All},
                              {"rand", Sizes::All},
                              {"randn", Sizes::All},
                              {"full", Sizes::First},
                              {"empty_strided", Sizes::First},
                              {"randint", Sizes::Last, DType::I64},
                              {"arange", Sizes::Only, DType::I64},
                              {"randperm", Sizes::All, DType::I64}};
  const Maker *row = llvm::find_if(makers, [&](const Maker &m) { return m.name == maker; });
  if (row == std::end(makers))
    return std::nullopt;
  llvm::ArrayRef<Value> sizes = args.values;
  if (const Value *size = keyword(args, "size"))
    sizes = llvm::ArrayRef(*size);
  else if (row->sizes == Sizes::First)
    sizes = sizes.take_front(1);
  else if (row->sizes == Sizes::Last)
    sizes = sizes.take_back(1);
  else if (row->sizes == Sizes::Only && sizes.size() != 1)
    return std::nullopt;
  if (row->sizes == Sizes::Last && (sizes.empty() || !sizes[0].isSequence()))
    return std::nullopt;
  std::optional<Shape> shape = shapeOf(sizes);
  if (!shape)
    return std::nullopt;
  return tensor(text, *shape, type ? *type : Value::dtype(row->type), args.span);
}

Value Evaluator::tensorAttribute(const Value &self, llvm::StringRef name, Span span) {
  const std::vector<Value> &state = self.as<NamedObject>()->state;
  const std::pair<llvm::StringLiteral, Value> known[] = {
      {"shape", state[0]},
      {"dtype", state[1]},
      {"ndim", Value::small(int64_t(state[0].items().size()))},
      {"is_cuda", Value::boolean(true)}};
  for (const auto &[attribute, value] : known)
    if (attribute == name)
      return value;
  Value out = heap.named(ValueKind::Opaque, (self.str() + "." + name).str(), span);
  if (isOneOf(name, {"T", "mT"})) {
    Shape shape = *shapeOf(state[0]);
    if (shape.size() >= 2)
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return tensor(out.str().str(), shape, state[1], span);
  }
  if (name != "device")
    out.as<NamedObject>()->state = {state[0], state[1], heap.str(name.str())};
  return out;
}

/// A call of a method of a tensor. Its functions are the rows' of the table below; what has no
/// shape that is known is opaque.
struct Evaluator::TensorCall {
  struct Row {
    llvm::StringLiteral name;
    Value (*call)(TensorCall &);
    DType type = DType::Bool; ///< of `cast`
  };
  static const Row *find(llvm::StringRef name);

  Evaluator &e;
  const CallArgs &args;
  std::string text; ///< of the call
  Value extents, type;
  Shape shape;
  const Row *row = nullptr;

  Value result(const Shape &newShape) const { return e.tensor(text, newShape, type, args.span); }
  Value unknown() const { return e.opaque(text, args.span); }

  Value same() { return result(shape); }
  Value cast();
  Value to();
  Value size();
  Value elementSize();
  Value view();
  Value transpose();
  Value exchange(std::optional<size_t> a, std::optional<size_t> b);
  Value permute();
  Value squeeze();
  Value unsqueeze();
};

const Evaluator::TensorCall::Row *Evaluator::TensorCall::find(llvm::StringRef name) {
  using Call = TensorCall;
  // Those that leave shape and dtype as they are.
  if (isOneOf(name,
              {"cuda",        "cpu",          "contiguous", "clone",   "detach",  "requires_grad_",
               "normal_",     "uniform_",     "zero_",      "fill_",   "random_", "abs",
               "exp",         "neg",          "clamp",      "clamp_",  "mul_",    "add_",
               "sub_",        "div_",         "copy_",      "sigmoid", "relu",    "softmax",
               "masked_fill", "masked_fill_", "pin_memory", "sqrt",    "round"})) {
    static const Row same = {"", [](Call &c) { return c.same(); }};
    return &same;
  }
  constexpr auto cast = [](Call &c) { return c.cast(); };
  static const Row rows[] = {
      {"size", [](Call &c) { return c.size(); }},
      {"dim", [](Call &c) { return Value::small(int64_t(c.shape.size())); }},
      {"numel", [](Call &c) { return Value::small(elementsOf(c.shape)); }},
      {"element_size", [](Call &c) { return c.elementSize(); }},
      {"is_contiguous", [](Call &) { return Value::boolean(true); }},
      {"half", cast, DType::F16},
      {"float", cast, DType::F32},
      {"bfloat16", cast, DType::BF16},
      {"double", cast, DType::F64},
      {"int", cast, DType::I32},
      {"long", cast, DType::I64},
      {"short", cast, DType::I16},
      {"char", cast, DType::I8},
      {"bool", cast, DType::Bool},
      {"to", [](Call &c) { return c.to(); }},
      {"type", [](Call &c) { return c.to(); }},
      {"type_as", [](Call &c) { return c.to(); }},
      {"view", [](Call &c) { return c.view(); }},
      {"reshape", [](Call &c) { return c.view(); }},
      {"transpose", [](Call &c) { return c.transpose(); }},
      {"t", [](Call &c) { return c.exchange(0, 1); }},
      {"permute", [](Call &c) { return c.permute(); }},
      {"squeeze", [](Call &c) { return c.squeeze(); }},
      {"unsqueeze", [](Call &c) { return c.unsqueeze(); }},
  };
  const Row *row = llvm::find_if(rows, [&](const Row &r) { return r.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

Value Evaluator::tensorMethod(const Value &callee, const CallArgs &args) {
  const std::vector<Value> &state = callee.as<NamedObject>()->state;
  TensorCall call{*this,    args,     (callee.str() + "(...)").str(),
                  state[0], state[1], *shapeOf(state[0])};
  call.row = TensorCall::find(state[2].str());
  return call.row ? call.row->call(call) : call.unknown();
}

Value Evaluator::TensorCall::cast() {
  type = Value::dtype(row->type);
  return result(shape);
}

Value Evaluator::TensorCall::to() {
  const Value *wanted = keyword(args, "dtype");
  for (const Value &v : args.values)
    if (v.is(ValueKind::DType) || e.isTensor(v))
      wanted = &v;
  if (wanted)
    type = e.isTensor(*wanted) ? wanted->as<NamedObject>()->state[1] : *wanted;
  return result(shape);
}

Value Evaluator::TensorCall::size() {
  if (args.values.empty())
    return extents;
  std::optional<size_t> axis = axisOf(args.values[0], shape.size());
  return axis ? Value::small(shape[*axis]) : unknown();
}

Value Evaluator::TensorCall::elementSize() {
  return type.is(ValueKind::DType) ? Value::small(bytesOf(type.dtype())) : unknown();
}

Value Evaluator::TensorCall::view() {
  std::optional<Shape> wanted = shapeOf(args.values);
  if (!wanted)
    return unknown();
  int64_t rest = 1;
  int64_t *open = nullptr;
  for (int64_t &n : *wanted)
    n < 0 ? void(open = &n) : void(rest *= n);
  int64_t count = elementsOf(shape);
  if (open && rest > 0 && count >= 0)
    *open = count / rest;
  return elementsOf(*wanted) == count ? result(*wanted) : unknown();
}

Value Evaluator::TensorCall::transpose() {
  return args.values.size() == 2
             ? exchange(axisOf(args.values[0], shape.size()), axisOf(args.values[1], shape.size()))
             : unknown();
}

Value Evaluator::TensorCall::exchange(std::optional<size_t> a, std::optional<size_t> b) {
  if (!a || !b || shape.size() < 2)
    return unknown();
  std::swap(shape[*a], shape[*b]);
  return result(shape);
}

Value Evaluator::TensorCall::permute() {
  std::optional<Shape> order = shapeOf(args.values);
  Shape out;
  for (int64_t d : order.value_or(Shape()))
    if (std::optional<size_t> axis = axisOf(Value::small(d), shape.size()))
      out.push_back(shape[*axis]);
  return out.size() == shape.size() ? result(out) : unknown();
}

Value Evaluator::TensorCall::unsqueeze() {
  std::optional<size_t> axis;
  if (args.values.size() == 1)
    axis = axisOf(args.values[0], shape.size() + 1);
  if (!axis)
    return unknown();
  shape.insert(shape.begin() + *axis, 1);
  return result(shape);
}

Value Evaluator::TensorCall::squeeze() {
  std::optional<size_t> axis;
  if (args.values.size() == 1)
    axis = axisOf(args.values[0], shape.size());
  if (!axis || shape[*axis] != 1)
    return unknown();
  shape.erase(shape.begin() + *axis);
  return result(shape);
}

/// Elementwise arithmetic: shapes are broadcast, a tensor's dtype wins over a number's.
std::optional<Value> Evaluator::tensorArithmetic(const Value &a, const Value &b, Span span) {
  if ((!isTensor(a) && !a.isNumber()) || (!isTensor(b) && !b.isNumber()))
    return std::nullopt;
  const Value &first = isTensor(a) ? a : b;
  const std::vector<Value> &state = first.as<NamedObject>()->state;
  Shape shape = *shapeOf(state[0]);
  if (isTensor(a) && isTensor(b)) {
    Shape other = *shapeOf(b.as<NamedObject>()->state[0]);
    if (other.size() > shape.size())
      std::swap(shape, other);
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t &n = shape[shape.size() - other.size() + i];
      if (n != other[i] && n != 1 && other[i] != 1)
        return std::nullopt;
      n = n == 1 ? other[i] : n;
    }
  }
  return tensor("tensor", shape, state[1], span);
}

Value Evaluator::callOpaque(const Value &callee, const CallArgs &args) {
  std::string text = (callee.str() + "(...)").str();
  if (callee.as<NamedObject>()->state.size() == 3)
    return tensorMethod(callee, args);
  if (std::optional<Value> value = defined(text))
    return *value;
  if (std::optional<Value> value = tensorFactory(callee.str(), args))
    return *value;
  if (callee.str() == "dataclasses.replace")
    return replaceFields(args);
  // What does not depend on the environment: the value that is taken without it.
  bool asksEnvironment = callee.str() == "os.environ.get" || callee.str() == "os.getenv";
  if (asksEnvironment && args.values.size() == 2 && !callee.as<NamedObject>()->host)
    return args.values[1];
  Value value = opaque(text, args.span);
  if (value.is(ValueKind::Opaque) && callee.as<NamedObject>()->host)
    return hostCall(callee, args, std::move(text));
  // What an unknown function does with a kernel's buffers is part of the kernel.
  auto isTile = [](const Value &v) { return v.is(ValueKind::Buffer) || v.is(ValueKind::Region); };
  if (inLaunch() && llvm::any_of(args.values, isTile))
    return failOpaque(heap.named(ValueKind::Opaque, std::move(text)), args.span);
  return value;
}

/// Gives dimensions of `T.const` the extents of the tensors that the call passes:
/// `A: T.Tensor((M, K), dtype)` says which they are.
void Evaluator::solveConsts(EagerState &state, const CallArgs &args) {
  const FunctionObject *f = state.function;
  EagerValues values = eagerValues(f->def);
  auto passed = [&](llvm::StringRef name) -> const Value * {
    for (size_t i = 0; i < f->params.size() && i < args.values.size(); ++i)
      if (f->params[i].name == name)
        return &args.values[i];
    return keyword(args, name);
  };
  for (const TensorDeclaration &declared : values.tensors) {
    const Value *given = passed(declared.name);
    if (!given || !isTensor(*given))
      continue;
    const std::vector<Value> &extents = given->as<NamedObject>()->state[0].items();
    if (extents.size() != declared.dims.size())
      continue;
    for (auto [dim, extent] : llvm::zip_equal(declared.dims, extents)) {
      bool isOpen = llvm::is_contained(values.dims, dim) &&
                    llvm::none_of(state.consts, [&](auto &k) { return k.name == dim; });
      if (isOpen)
        state.consts.push_back({dim.str(), extent, args.span});
    }
  }
}

} // namespace tilec::script

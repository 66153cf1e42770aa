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
  bool isPlain = isOneOf(maker, {"empty", "zeros", "ones", "rand", "randn"});
  bool countsInts = isOneOf(maker, {"randint", "arange", "randperm"});
  if (!isPlain && !countsInts && maker != "full")
    return std::nullopt;
  llvm::ArrayRef<Value> sizes = args.values;
  if (const Value *size = keyword(args, "size"))
    sizes = llvm::ArrayRef(*size);
  else if (maker == "full")
    sizes = sizes.take_front(1);
  else if (maker == "randint")
    sizes = sizes.take_back(1);
  else if (maker == "arange" && sizes.size() != 1)
    return std::nullopt;
  if (maker == "randint" && (sizes.empty() || !sizes[0].isSequence()))
    return std::nullopt;
  std::optional<Shape> shape = shapeOf(sizes);
  if (!shape)
    return std::nullopt;
  Value standard = Value::dtype(countsInts ? DType::I64 : DType::F32);
  return tensor(text, *shape, type ? *type : standard, args.span);
}

Value Evaluator::tensorAttribute(const Value &self, llvm::StringRef name, Span span) {
  const std::vector<Value> &state = self.as<NamedObject>()->state;
  if (name == "shape")
    return state[0];
  if (name == "dtype")
    return state[1];
  if (name == "ndim")
    return Value::small(int64_t(state[0].items().size()));
  if (name == "is_cuda")
    return Value::boolean(true);
  Value out = heap.named(ValueKind::Opaque, (self.str() + "." + name).str(), span);
  if (name == "T" || name == "mT") {
    Shape shape = *shapeOf(state[0]);
    if (shape.size() >= 2)
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return tensor(out.str().str(), shape, state[1], span);
  }
  if (name != "device")
    out.as<NamedObject>()->state = {state[0], state[1], heap.str(name.str())};
  return out;
}

/// A method of a tensor; what has no shape that is known is opaque.
Value Evaluator::tensorMethod(const Value &callee, const CallArgs &args) {
  const std::vector<Value> &state = callee.as<NamedObject>()->state;
  llvm::StringRef name = state[2].str();
  Shape shape = *shapeOf(state[0]);
  Value type = state[1];
  std::string text = (callee.str() + "(...)").str();
  auto result = [&](const Shape &newShape) { return tensor(text, newShape, type, args.span); };
  auto unknown = [&] { return opaque(text, args.span); };
  if (isOneOf(name, {"size", "dim", "numel", "element_size", "is_contiguous"})) {
    if (name == "dim")
      return Value::small(int64_t(shape.size()));
    if (name == "is_contiguous")
      return Value::boolean(true);
    if (name == "numel")
      return Value::small(elementsOf(shape));
    if (name == "element_size")
      return type.is(ValueKind::DType) ? Value::small(bytesOf(type.dtype())) : unknown();
    if (args.values.empty())
      return state[0];
    std::optional<size_t> axis = axisOf(args.values[0], shape.size());
    return axis ? Value::small(shape[*axis]) : unknown();
  }
  if (isOneOf(name,
              {"cuda",        "cpu",          "contiguous", "clone",   "detach",  "requires_grad_",
               "normal_",     "uniform_",     "zero_",      "fill_",   "random_", "abs",
               "exp",         "neg",          "clamp",      "clamp_",  "mul_",    "add_",
               "sub_",        "div_",         "copy_",      "sigmoid", "relu",    "softmax",
               "masked_fill", "masked_fill_", "pin_memory", "sqrt",    "round"}))
    return result(shape);
  DType fixed = llvm::StringSwitch<DType>(name)
                    .Case("half", DType::F16)
                    .Case("float", DType::F32)
                    .Case("bfloat16", DType::BF16)
                    .Case("double", DType::F64)
                    .Case("int", DType::I32)
                    .Case("long", DType::I64)
                    .Case("short", DType::I16)
                    .Case("char", DType::I8)
                    .Default(DType::Bool);
  if (fixed != DType::Bool || name == "bool") {
    type = Value::dtype(fixed);
    return result(shape);
  }
  if (name == "to" || name == "type" || name == "type_as") {
    const Value *wanted = keyword(args, "dtype");
    for (const Value &v : args.values)
      if (v.is(ValueKind::DType) || isTensor(v))
        wanted = &v;
    if (wanted)
      type = isTensor(*wanted) ? wanted->as<NamedObject>()->state[1] : *wanted;
    return result(shape);
  }
  if (name == "view" || name == "reshape") {
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
  if ((name == "transpose" && args.values.size() == 2) || name == "t") {
    std::optional<size_t> a = name == "t" ? 0 : axisOf(args.values[0], shape.size());
    std::optional<size_t> b = name == "t" ? 1 : axisOf(args.values[1], shape.size());
    if (!a || !b || shape.size() < 2)
      return unknown();
    std::swap(shape[*a], shape[*b]);
    return result(shape);
  }
  if (name == "permute") {
    std::optional<Shape> order = shapeOf(args.values);
    Shape out;
    for (int64_t d : order.value_or(Shape()))
      if (std::optional<size_t> axis = axisOf(Value::small(d), shape.size()))
        out.push_back(shape[*axis]);
    return out.size() == shape.size() ? result(out) : unknown();
  }
  if ((name == "unsqueeze" || name == "squeeze") && args.values.size() == 1) {
    bool adds = name == "unsqueeze";
    std::optional<size_t> axis = axisOf(args.values[0], shape.size() + adds);
    if (!axis || (!adds && shape[*axis] != 1))
      return unknown();
    if (adds)
      shape.insert(shape.begin() + *axis, 1);
    else
      shape.erase(shape.begin() + *axis);
    return result(shape);
  }
  return unknown();
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

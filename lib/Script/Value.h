//===- Value.h - what a script's expressions evaluate to ------------------===//
//
// A Value is a small tagged union. Compound values are objects of a Heap that lives as
// long as the evaluation: nothing is freed before, and the step limit bounds it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Integer.h"
#include "tilec/Script/Ast.h"
#include "tilec/Script/TracedKernel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace tilec::script {

enum class ValueKind : uint8_t {
  Invalid, ///< after an error
  None,
  Ellipsis,
  Bool,
  Int,
  Float,
  Str,
  List,
  Tuple,
  Dict,
  Set,
  Range,
  Slice,
  Function, ///< def or lambda
  Method,   ///< a built-in method with its object
  Builtin,  ///< a built-in function, by name
  Type,     ///< `int`, `str`, `T.PrimExpr` ...: for calls and isinstance
  Module,
  Opaque, ///< something of a module that the evaluator does not know
  DType,
  Expr, ///< a runtime value
  Buffer,
  Region,
  TensorType, ///< `T.Tensor(...)` before it annotates a parameter
  Layout,
  Emitter,
  Loop,      ///< `T.Parallel(...)` and its like
  Launch,    ///< `T.Kernel(...)`
  Intrinsic, ///< a function of `T.`, by IntrinsicId
  MathFn,
  Jit,      ///< what `@tilelang.jit` makes of a function
  Kernel,   ///< a traced prim_func or a called jit function
  Pointer,  ///< a parameter declared as `T.ptr`, by name
  Unfilled, ///< a tensor parameter of an eager function before its annotation
  Refused,  ///< a function of `T.` that tilec refuses; an error when called
  Class,    ///< one under `@dataclass`; others are opaque
  Instance, ///< what such a class makes
  Lanes,    ///< a vector: runtime values, or the variables of one, a lane each
};

struct Object;
struct BigObject;
struct StrObject;
struct ListObject;
struct DictObject;
struct FunctionObject;
class Heap;

class Value {
public:
  Value() = default;
  static Value none() { return Value(ValueKind::None); }
  static Value ellipsis() { return Value(ValueKind::Ellipsis); }
  static Value boolean(bool b) {
    Value v(ValueKind::Bool);
    v.bits = b;
    return v;
  }
  static Value small(int64_t i) {
    Value v(ValueKind::Int);
    v.bits = i;
    return v;
  }
  static Value real(double d) {
    Value v(ValueKind::Float);
    v.number = d;
    return v;
  }
  static Value dtype(DType type) {
    Value v(ValueKind::DType);
    v.bits = static_cast<int64_t>(type);
    return v;
  }
  /// float32 of which products ignore the low 13 bits.
  static Value tfloat32() {
    Value v = dtype(DType::F32);
    v.bits |= 0x100;
    return v;
  }
  /// `float16x2`
  static Value vectorType(DType element, unsigned lanes) {
    Value v = dtype(element);
    v.bits |= int64_t(lanes) << 16;
    return v;
  }
  static Value expr(const Expr *e) { return pointer(ValueKind::Expr, e); }
  static Value buffer(const Buffer *b) { return pointer(ValueKind::Buffer, b); }
  static Value region(const Region *r) { return pointer(ValueKind::Region, r); }
  static Value layout(const LayoutSpec *l) { return pointer(ValueKind::Layout, l); }
  static Value emitter(const Emitter *e) { return pointer(ValueKind::Emitter, e); }
  static Value intrinsic(IntrinsicId id) {
    Value v(ValueKind::Intrinsic);
    v.bits = static_cast<int64_t>(id);
    return v;
  }
  static Value mathFn(MathFn fn) {
    Value v(ValueKind::MathFn);
    v.bits = static_cast<int64_t>(fn);
    return v;
  }
  static Value unfilled() { return Value(ValueKind::Unfilled); }
  static Value object(ValueKind kind, const Object *o) { return pointer(kind, o); }

  ValueKind kind() const { return tag; }
  bool is(ValueKind k) const { return tag == k; }
  bool ok() const { return tag != ValueKind::Invalid; }
  bool isNumber() const {
    return is(ValueKind::Int) || is(ValueKind::Float) || is(ValueKind::Bool);
  }
  bool isSequence() const { return is(ValueKind::List) || is(ValueKind::Tuple); }

  bool boolean() const { return bits != 0; }
  double real() const { return number; }
  DType dtype() const { return static_cast<DType>(bits & 0xff); }
  bool isTfloat32() const { return tag == ValueKind::DType && (bits & 0x100); }
  unsigned lanes() const { return static_cast<unsigned>(bits >> 16); } ///< DType; 0 of scalars
  const Expr *expr() const { return static_cast<const Expr *>(ptr); }
  const Buffer *buffer() const { return static_cast<const Buffer *>(ptr); }
  const Region *region() const { return static_cast<const Region *>(ptr); }
  const LayoutSpec *layout() const { return static_cast<const LayoutSpec *>(ptr); }
  const Emitter *emitter() const { return static_cast<const Emitter *>(ptr); }
  IntrinsicId intrinsic() const { return static_cast<IntrinsicId>(bits); }
  MathFn mathFn() const { return static_cast<MathFn>(bits); }
  template <typename T> T *as() const {
    return static_cast<T *>(const_cast<Object *>(static_cast<const Object *>(ptr)));
  }
  const void *identity() const { return ptr; }

  /// Bool and Int only.
  Integer integer() const;
  /// Bool, Int, Float.
  double toDouble() const;
  llvm::StringRef str() const;
  std::vector<Value> &items() const; ///< List, Tuple, Set, Lanes

private:
  friend class Heap;
  explicit Value(ValueKind kind) : tag(kind) {}
  static Value pointer(ValueKind kind, const void *p) {
    Value v(kind);
    v.ptr = p;
    return v;
  }

  ValueKind tag = ValueKind::Invalid;
  bool isBig = false; ///< Int: ptr is a BigObject
  union {
    int64_t bits = 0;
    double number;
    const void *ptr;
  };
};

struct Object {
  virtual ~Object() = default;
};
struct BigObject : Object {
  Integer value;
};
struct StrObject : Object {
  std::string text;
};
struct ListObject : Object {
  std::vector<Value> items;
};
struct DictObject : Object {
  std::vector<std::pair<Value, Value>> entries;
};
struct RangeObject : Object {
  int64_t start = 0, stop = 0, step = 1;
  int64_t count() const;
};
struct SliceObject : Object {
  Value lower, upper, step;
};

/// The variables of one call of a function, or of one comprehension.
struct Binding {
  Value value;
  Span span;
  bool stale = false; ///< rebound in a runtime loop or branch that has ended
};
struct Env : Object {
  Env *parent = nullptr; ///< lexically enclosing; null at module level
  llvm::StringMap<Binding> names;
  const llvm::DenseSet<llvm::StringRef> *locals = nullptr; ///< assigned somewhere in the function
  llvm::StringMap<Span> closed;  ///< bound only in a runtime loop or branch that has ended
  llvm::StringMap<bool> globals; ///< declared `global`; true for `nonlocal`
  bool isComprehension = false;  ///< `:=` binds in the nearest scope that is none
  bool traced = false;           ///< a prim_func, eager function or macro: range loops are runtime
};

struct ModuleScope;
struct FunctionObject : Object {
  llvm::StringRef name;
  ModuleScope *home = nullptr; ///< the file whose names it sees
  Span span;
  ast::Params params;
  ast::Body body;                        ///< def
  const ast::Expr *expression = nullptr; ///< lambda
  const ast::FunctionStmt *def = nullptr;
  std::vector<Value> defaults; ///< one per parameter; Invalid where there is none
  Env *closure = nullptr;
  bool isMacro = false;
  const ast::CallExpr *tuned = nullptr; ///< its decorator with configurations
};

struct ClassObject : Object {
  struct Member {
    llvm::StringRef name;
    Value value; ///< a function, or anything
    bool isProperty = false;
  };
  llvm::StringRef name;
  std::vector<const ClassObject *> bases;
  std::vector<Member> members;     ///< those of the bases behind its own
  FunctionObject *maker = nullptr; ///< its parameters are the fields
};
struct InstanceObject : Object {
  const ClassObject *type = nullptr;
  Env *fields = nullptr;
};

struct MethodObject : Object {
  Value self;
  llvm::StringRef name;
};
/// Builtin, Type, Module, Opaque, Pointer, Refused: a name.
struct NamedObject : Object {
  std::string name;
  Span span;
  struct Keyword {
    std::string name;
    Value value;
    Span span, valueSpan;
  };
  uint64_t host = 0;        ///< Module, Opaque: the host's number for it
  std::vector<Value> state; ///< functools.partial: callee, then its arguments
  std::vector<Keyword> keywords;
};

/// Something that the program around the script has, and can be asked about.
inline bool isHosts(const Value &v) {
  return v.is(ValueKind::Opaque) && v.as<NamedObject>()->host != 0;
}

struct TensorTypeObject : Object {
  std::vector<Value> shape;
  std::vector<Value> strides;
  DType type = DType::F32;
  bool isTfloat32 = false;
  Scope scope = Scope::Global;
  Span span;
};

struct LoopObject : Object {
  LoopKind loop = LoopKind::Serial;
  std::vector<LoopRange> ranges; ///< var is null
  LoopHints hints;
  bool isGrid = false; ///< nested serial loops
  Span span;
  // T.Persistent
  bool isPersistent = false;
  std::vector<const Expr *> domain;
  const Expr *index = nullptr;
  int64_t waveSize = 1, groupSize = 8;
};

struct LaunchObject : Object {
  std::vector<const Expr *> grid;
  std::vector<int64_t> threads;
  bool threadsGiven = false;
  Span span, threadsSpan;
};

struct JitObject : Object {
  FunctionObject *function = nullptr;
  bool isEager = false;
  std::vector<int64_t> outIdx;
  bool hasOutIdx = false;
  std::vector<std::pair<std::string, Value>> passConfigs;
  Span span;
};

/// What a prim_func or an eager function traces to; moved into the Program in the end.
struct KernelObject : Object {
  std::string name;
  Span span;
  std::vector<Param> params;
  std::vector<unsigned> outputs;
  std::vector<const Buffer *> workspaces;
  std::vector<const Expr *> assumptions;
  std::vector<const Launch *> launches;
  std::vector<std::pair<std::string, Value>> passConfigs;
};

/// A dtype of several lanes.
struct VectorType {
  DType element;
  unsigned lanes;
};

/// Owns the objects of one evaluation.
class Heap {
public:
  template <typename T> T *make() {
    auto owned = std::make_unique<T>();
    T *raw = owned.get();
    objects.push_back(std::move(owned));
    return raw;
  }
  Value integer(const Integer &value);
  Value str(std::string text);
  Value list(std::vector<Value> items, ValueKind kind = ValueKind::List);
  Value tuple(std::vector<Value> items) { return list(std::move(items), ValueKind::Tuple); }
  Value named(ValueKind kind, std::string name, Span span = {});
  size_t size() const { return objects.size(); }

private:
  std::vector<std::unique_ptr<Object>> objects;
};

/// `int`, `list`, `float32 buffer` ...: for messages.
std::string typeName(const Value &value);
/// Python's repr() and str(); runtime values print as their kind. Ends with `...` when it would be
/// longer than about a megabyte, or nested deeper than 20 levels.
std::string repr(const Value &value, unsigned depth = 0);
std::string toStr(const Value &value);
/// The code points of UTF-8 text: how many, each, and where the n-th begins in bytes.
size_t textLength(llvm::StringRef text);
std::vector<llvm::StringRef> codePoints(llvm::StringRef text);
size_t byteOffset(llvm::StringRef text, size_t codePoint);
/// Shortest text that reads back as the same double, in Python's notation.
std::string formatDouble(double value);
/// The same for a message: cut when it is long.
std::string shown(const Value &value);
/// Python's `==` on compile-time values; runtime ones compare by identity. Counts what it compares
/// in `work` and gives up (false) when that is more than `maxWork`: shared parts of nested lists
/// can make them exponentially large.
bool equals(const Value &a, const Value &b, uint64_t &work, uint64_t maxWork, unsigned depth = 0);
/// Python's format(value, spec); nothing when the spec does not fit the value.
std::optional<std::string> formatValue(const Value &value, llvm::StringRef spec);

/// `T.tfloat32`, or its name.
bool isTfloat32(const Value &dtype);

} // namespace tilec::script

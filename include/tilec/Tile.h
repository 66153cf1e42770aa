//===- tilec/Tile.h - kernels written in C++ ------------------------------===//
//
// A kernel is recorded by running C++: tiles, loops and operations are calls, what
// decides shapes is plain C++. Header only, C++20, over tilec-c/Build.h; link
// libtilec.so (CMake: tilec::cxx).
//
//     namespace tile = tilec::tile;
//     tile::Kernel f("gemm");
//     auto A = f.tensor("A", tile::f16, {M, K});  // and B, C
//     f.launch({tile::ceildiv(N, 128), tile::ceildiv(M, 128)}, {.threads = 256},
//              [&](tile::Index bx, tile::Index by) {
//       auto a = tile::shared(tile::f16, {128, 64}), b = tile::shared(tile::f16, {64, 128});
//       auto c = tile::fragment(tile::f32, {128, 128});
//       tile::clear(c);
//       tile::pipelined(tile::ceildiv(K, 64), {.stages = 2}, [&](tile::Index k) {
//         tile::copy(A.at(by * 128, k * 64), a);
//         tile::copy(B.at(k * 64, bx * 128), b);
//         tile::gemm(a, b, c);
//       });
//       tile::copy(c, C.at(by * 128, bx * 128));
//     });
//     auto binary = tilec::compile(f, {.target = "gfx950"});
//
// The functions are those of `T.` in scripts (docs/language/README.md), in TileFunctions.h
// (tiles, threads) and TileMath.h (numbers).
// Recording never throws and never aborts: mistakes are messages of the compile, with the place in
// this source. A run-time value is no bool: `if (i < n)` does not compile, write If(i < n, ...).
//
// Threads: a kernel is recorded by one thread; a recorded one may be compiled by any.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Build.h"
#include "tilec/Compiler.h"

#include <array>
#include <concepts>
#include <initializer_list>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

namespace tilec::tile {

using Loc = std::source_location;

namespace detail {

/// The kernel whose launch is being recorded on this thread.
inline thread_local tilec_builder *current = nullptr;

inline tilec_place place(const Loc &loc) { return {loc.file_name(), loc.line(), loc.column()}; }

} // namespace detail

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The type of elements: f16, bf16, ... below.
struct DType {
  const char *name;
};
inline constexpr DType boolean{"bool"}, i4{"int4"}, i8{"int8"}, i16{"int16"}, i32{"int32"},
    i64{"int64"}, u4{"uint4"}, u8{"uint8"}, u16{"uint16"}, u32{"uint32"}, u64{"uint64"},
    f16{"float16"}, bf16{"bfloat16"}, f32{"float32"}, f64{"float64"}, e4m3{"float8_e4m3fn"},
    e5m2{"float8_e5m2"}, e4m3fnuz{"float8_e4m3fnuz"}, e5m2fnuz{"float8_e5m2fnuz"},
    e8m0{"float8_e8m0fnu"}, e2m1{"float4_e2m1fn"};

/// A value of the running kernel, or an object that describes one (a layout). A handle: copies are
/// the same value.
class Value {
public:
  Value() = default;
  Value(tilec_builder *builder, tilec_value id) : builder(builder), id(id) {}
  /// Known only when the kernel runs: use If, select or While.
  explicit operator bool() const = delete;

  tilec_builder *builder = nullptr;
  tilec_value id = TILEC_NO_VALUE;
};
/// An integer: of a loop, of a block, a size.
using Index = Value;

class Tile;
class Element;
class Variable;

/// Anything that an operation takes, with the place where it was given.
class Arg {
public:
  Arg(Value v, Loc loc = Loc::current()) : builder(v.builder), id(v.id), kind(Made), loc(loc) {}
  Arg(const Tile &tile, Loc loc = Loc::current());
  Arg(const Element &element, Loc loc = Loc::current());
  Arg(const Variable &variable, Loc loc = Loc::current());
  Arg(DType type, Loc loc = Loc::current()) : kind(Text), text(type.name), loc(loc) {}
  Arg(const char *text, Loc loc = Loc::current()) : kind(Text), text(text), loc(loc) {}
  Arg(std::string text, Loc loc = Loc::current()) : kind(Text), text(std::move(text)), loc(loc) {}
  template <typename T>
    requires std::integral<T>
  Arg(T value, Loc loc = Loc::current())
      : kind(std::same_as<T, bool> ? Bool : Int), integer(static_cast<int64_t>(value)), loc(loc) {}
  template <typename T>
    requires std::floating_point<T>
  Arg(T value, Loc loc = Loc::current()) : kind(Real), real(value), loc(loc) {}
  Arg(std::initializer_list<Arg> items, Loc loc = Loc::current())
      : kind(List), items(items), loc(loc) {}
  Arg(std::vector<Arg> items, Loc loc = Loc::current())
      : kind(List), items(std::move(items)), loc(loc) {}

  /// The kernel that it belongs to; null for constants.
  tilec_builder *owner() const {
    if (builder)
      return builder;
    for (const Arg &item : items)
      if (tilec_builder *found = item.owner())
        return found;
    return nullptr;
  }
  tilec_value in(tilec_builder *b) const {
    switch (kind) {
    case Bool:
      return tilec_build_bool(b, integer != 0);
    case Int:
      return tilec_build_int(b, integer);
    case Real:
      return tilec_build_float(b, real);
    case Text:
      return tilec_build_string(b, {text.data(), text.size()});
    case List: {
      std::vector<tilec_value> ids;
      for (const Arg &item : items)
        ids.push_back(item.in(b));
      return tilec_build_list(b, ids.data(), ids.size());
    }
    default:
      return id;
    }
  }
  Loc where() const { return loc; }

private:
  tilec_builder *builder = nullptr;
  tilec_value id = TILEC_NO_VALUE;
  enum Kind { Made, Bool, Int, Real, Text, List } kind;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Arg> items;
  Loc loc;
};

/// An argument that may be left out: then the default of docs/language/README.md holds.
class Option {
public:
  Option() = default;
  Option(const Arg &arg) : args(1, arg) {}
  template <typename T>
    requires(std::convertible_to<T, Arg> && !std::same_as<T, Arg>)
  Option(T value, Loc loc = Loc::current()) : args{Arg(std::move(value), loc)} {}
  Option(std::initializer_list<Arg> items, Loc loc = Loc::current()) : args{Arg(items, loc)} {}
  const Arg *get() const { return args.empty() ? nullptr : args.data(); }

private:
  std::vector<Arg> args;
};

using Shape = std::initializer_list<Arg>;

namespace detail {

struct Keyword {
  const char *name;
  const Option &value;
};

inline tilec_builder *ownerOf(std::initializer_list<const Arg *> args) {
  for (const Arg *arg : args)
    if (tilec_builder *found = arg->owner())
      return found;
  return current;
}

/// Calls `T.NAME`.
inline Value call(const char *function, std::initializer_list<const Arg *> args,
                  std::initializer_list<Keyword> keywords, Loc loc, const char *name = nullptr) {
  tilec_builder *b = ownerOf(args);
  for (const Keyword &k : keywords)
    if (!b && k.value.get())
      b = k.value.get()->owner();
  std::vector<tilec_call_arg> list;
  for (const Arg *arg : args)
    list.push_back({nullptr, arg->in(b)});
  for (const Keyword &k : keywords)
    if (const Arg *given = k.value.get())
      list.push_back({k.name, given->in(b)});
  tilec_place at = place(loc);
  return {b, tilec_build_call(b, function, list.data(), list.size(), name, &at)};
}

inline Value operation(tilec_op op, const Arg &a, const Arg &b) {
  tilec_builder *owner = ownerOf({&a, &b});
  tilec_place at = place(a.where());
  return {owner, tilec_build_op(owner, op, a.in(owner), b.in(owner), &at)};
}

} // namespace detail

#define TILEC_TILE_OPERATOR(Symbol, Op)                                                            \
  inline Value operator Symbol(const Arg &a, const Arg &b) { return detail::operation(Op, a, b); }
TILEC_TILE_OPERATOR(+, TILEC_OP_ADD)
TILEC_TILE_OPERATOR(-, TILEC_OP_SUB)
TILEC_TILE_OPERATOR(*, TILEC_OP_MUL)
TILEC_TILE_OPERATOR(<<, TILEC_OP_SHL)
TILEC_TILE_OPERATOR(>>, TILEC_OP_SHR)
TILEC_TILE_OPERATOR(&, TILEC_OP_BIT_AND)
TILEC_TILE_OPERATOR(|, TILEC_OP_BIT_OR)
TILEC_TILE_OPERATOR(^, TILEC_OP_BIT_XOR)
TILEC_TILE_OPERATOR(==, TILEC_OP_EQ)
TILEC_TILE_OPERATOR(!=, TILEC_OP_NE)
TILEC_TILE_OPERATOR(<, TILEC_OP_LT)
TILEC_TILE_OPERATOR(<=, TILEC_OP_LE)
TILEC_TILE_OPERATOR(>, TILEC_OP_GT)
TILEC_TILE_OPERATOR(>=, TILEC_OP_GE)
TILEC_TILE_OPERATOR(&&, TILEC_OP_AND)
TILEC_TILE_OPERATOR(||, TILEC_OP_OR)
/// True division, as in scripts: of integers in float32. `floordiv` and `%` round down.
TILEC_TILE_OPERATOR(/, TILEC_OP_DIV)
TILEC_TILE_OPERATOR(%, TILEC_OP_MOD)
#undef TILEC_TILE_OPERATOR
inline Value operator-(const Arg &a) { return detail::operation(TILEC_OP_NEG, a, a); }
inline Value operator~(const Arg &a) { return detail::operation(TILEC_OP_BIT_NOT, a, a); }
inline Value operator!(const Arg &a) { return detail::operation(TILEC_OP_NOT, a, a); }

/// Of plain numbers, at once; of values see TileMath.h.
template <std::integral A, std::integral B> constexpr int64_t ceildiv(A a, B b) {
  return (static_cast<int64_t>(a) + static_cast<int64_t>(b) - 1) / static_cast<int64_t>(b);
}
template <std::integral A, std::integral B> constexpr int64_t floordiv(A a, B b) {
  int64_t x = a, y = b;
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

/// Evaluates an expression here, once, and gives it a name.
inline Value let(const Arg &value, const char *name = nullptr) {
  tilec_builder *b = detail::ownerOf({&value});
  tilec_place at = detail::place(value.where());
  return {b, tilec_build_let(b, value.in(b), name, &at)};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// An element of a tile: a value where one is wanted, and a place to assign to.
class Element {
public:
  Element(Value tile, std::vector<tilec_value> indices, Loc loc)
      : tile(tile), indices(std::move(indices)), loc(loc) {
    tilec_place at = detail::place(loc);
    id = tilec_build_index(tile.builder, tile.id, this->indices.data(), this->indices.size(), &at);
  }
  Element(const Element &) = default;

  operator Value() const { return {tile.builder, id}; }
  explicit operator bool() const = delete;
  const Element &operator=(const Arg &value) const {
    tilec_place at = detail::place(loc);
    tilec_build_store(tile.builder, tile.id, indices.data(), indices.size(), value.in(tile.builder),
                      &at);
    return *this;
  }
  const Element &operator=(const Element &value) const { return *this = Arg(value, loc); }
  const Element &operator+=(const Arg &value) const { return *this = Arg(*this, loc) + value; }
  const Element &operator-=(const Arg &value) const { return *this = Arg(*this, loc) - value; }
  const Element &operator*=(const Arg &value) const { return *this = Arg(*this, loc) * value; }
  const Element &operator/=(const Arg &value) const { return *this = Arg(*this, loc) / value; }

private:
  friend class Arg;
  Value tile;
  std::vector<tilec_value> indices;
  tilec_value id = TILEC_NO_VALUE;
  Loc loc;
};

/// What a box takes of a dimension: `{lo, hi}` without `hi`, `all` of it, or one index.
class Range {
public:
  Range() = default;
  Range(const Arg &lo, const Arg &hi) : lo(lo), hi(hi) {}
  template <typename T>
    requires std::convertible_to<T, Arg>
  Range(T index, Loc loc = Loc::current()) : lo(Arg(std::move(index), loc)), isIndex(true) {}

  tilec_value in(tilec_builder *b) const {
    auto bound = [&](const Option &o) { return o.get() ? o.get()->in(b) : TILEC_NO_VALUE; };
    return isIndex ? bound(lo) : tilec_build_slice(b, bound(lo), bound(hi));
  }

private:
  Option lo, hi;
  bool isIndex = false;
};
inline const Range all;

/// A tensor in global memory, or a buffer of a block.
class Tile {
public:
  Tile() = default;
  explicit Tile(Value value) : value(value) {}

  /// The tile that begins at these indices; its extents are those of what it is copied to or from.
  Value at(Shape indices, Loc loc = Loc::current()) const {
    std::vector<tilec_value> ids = in(indices);
    tilec_place where = detail::place(loc);
    return {value.builder, tilec_build_at(value.builder, value.id, ids.data(), ids.size(), &where)};
  }
  template <typename... I>
    requires(std::convertible_to<I, Arg> && ...)
  Value at(const Arg &first, const I &...rest) const {
    return at({first, Arg(rest, first.where())...}, first.where());
  }
  /// The box of these ranges.
  Value box(std::initializer_list<Range> ranges, Loc loc = Loc::current()) const {
    std::vector<tilec_value> ids;
    for (const Range &range : ranges)
      ids.push_back(range.in(value.builder));
    tilec_place where = detail::place(loc);
    return {value.builder,
            tilec_build_index(value.builder, value.id, ids.data(), ids.size(), &where)};
  }
  Element element(Shape indices, Loc loc = Loc::current()) const {
    return Element(value, in(indices), loc);
  }
  template <typename... I>
    requires(std::convertible_to<I, Arg> && ...)
  Element operator()(const Arg &first, const I &...rest) const {
    return element({first, Arg(rest, first.where())...}, first.where());
  }
  /// Other names for the same bytes.
  Tile view(const Option &shape, const Option &dtype = {}, Loc loc = Loc::current()) const {
    Arg self(value, loc);
    return Tile(detail::call("view", {&self}, {{"shape", shape}, {"dtype", dtype}}, loc));
  }
  Tile reshape(Shape shape, Loc loc = Loc::current()) const {
    Arg self(value, loc), to(shape, loc);
    return Tile(detail::call("reshape", {&self, &to}, {}, loc));
  }

  Value value;

private:
  std::vector<tilec_value> in(Shape indices) const {
    std::vector<tilec_value> ids;
    for (const Arg &index : indices)
      ids.push_back(index.in(value.builder));
    return ids;
  }
};

inline Arg::Arg(const Tile &tile, Loc loc)
    : builder(tile.value.builder), id(tile.value.id), kind(Made), loc(loc) {}
inline Arg::Arg(const Element &element, Loc loc)
    : builder(element.tile.builder), id(element.id), kind(Made), loc(loc) {}

/// A variable: read where a value is wanted, assigned with `=`.
class Variable {
public:
  Variable(Value value, Loc loc) : value(value), loc(loc) {}
  Variable(const Variable &) = default;

  operator Value() const { return read(loc); }
  explicit operator bool() const = delete;
  const Variable &operator=(const Arg &to) const {
    tilec_place at = detail::place(to.where());
    tilec_build_store(value.builder, value.id, nullptr, 0, to.in(value.builder), &at);
    return *this;
  }
  const Variable &operator=(const Variable &to) const { return *this = Arg(to.read(loc), loc); }
  const Variable &operator+=(const Arg &by) const { return *this = Arg(*this, by.where()) + by; }
  const Variable &operator-=(const Arg &by) const { return *this = Arg(*this, by.where()) - by; }
  const Variable &operator*=(const Arg &by) const { return *this = Arg(*this, by.where()) * by; }
  Value read(Loc loc = Loc::current()) const {
    tilec_place at = detail::place(loc);
    return {value.builder, tilec_build_index(value.builder, value.id, nullptr, 0, &at)};
  }

  Value value;

private:
  Loc loc;
};

inline Arg::Arg(const Variable &variable, Loc loc) : Arg(variable.read(loc), loc) {}

/// What messages call a tile; the place is the caller's.
struct Name {
  const char *text = nullptr;
};

namespace detail {
inline Tile allocate(const char *function, DType type, const Arg &shape, Name name, Loc loc) {
  Arg dtype(type, loc);
  return Tile(call(function, {&shape, &dtype}, {}, loc, name.text));
}
} // namespace detail

/// Memory that all threads of a block share.
inline Tile shared(DType type, Shape shape, Name name = {}, Loc loc = Loc::current()) {
  return detail::allocate("alloc_shared", type, Arg(shape, loc), name, loc);
}
/// Registers of the block: each element in some thread.
inline Tile fragment(DType type, Shape shape, Name name = {}, Loc loc = Loc::current()) {
  return detail::allocate("alloc_fragment", type, Arg(shape, loc), name, loc);
}
/// Registers of each thread.
inline Tile local(DType type, Shape shape, Name name = {}, Loc loc = Loc::current()) {
  return detail::allocate("alloc_local", type, Arg(shape, loc), name, loc);
}
/// Scratch in global memory, which the launcher allocates.
inline Tile workspace(DType type, Shape shape, Name name = {}, Loc loc = Loc::current()) {
  return detail::allocate("alloc_global", type, Arg(shape, loc), name, loc);
}
/// What iterations of parallel loops reduce into: `sum`, `max`, `min`, `bitand`, `bitor`, `bitxor`.
inline Tile reducer(DType type, Shape shape, const char *op = "sum", Loc loc = Loc::current()) {
  Arg extents(shape, loc), dtype(type, loc);
  return Tile(detail::call("alloc_reducer", {&extents, &dtype}, {{"op", Option(op)}}, loc));
}
inline Variable var(DType type, const Option &init = {}, Loc loc = Loc::current()) {
  Arg dtype(type, loc);
  return Variable(detail::call("alloc_var", {&dtype}, {{"init", init}}, loc), loc);
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

namespace detail {

/// Ends what was begun, whichever way the scope is left.
class Frame {
public:
  Frame(tilec_builder *builder, Loc loc) : builder(builder), loc(loc) {}
  Frame(const Frame &) = delete;
  ~Frame() {
    tilec_place at = place(loc);
    tilec_build_end(builder, &at);
  }

private:
  tilec_builder *builder;
  Loc loc;
};

template <size_t N> std::array<Value, N> begin(Value head, Loc loc) {
  std::array<tilec_value, N> ids{};
  tilec_place at = place(loc);
  tilec_build_begin(head.builder, head.id, ids.data(), N, &at);
  std::array<Value, N> values;
  for (size_t i = 0; i < N; ++i)
    values[i] = {head.builder, ids[i]};
  return values;
}

/// Runs `body` once with as many symbols as it takes.
template <size_t N = 1, typename Body> void run(Value head, Loc loc, Body &body) {
  static_assert(N <= 4, "a body takes one to four indices");
  auto apply = [&]<size_t... I>(std::index_sequence<I...>) {
    if constexpr (requires(std::array<Value, N> v) { body(v[I]...); }) {
      std::array<Value, N> v = begin<N>(head, loc);
      Frame frame(head.builder, loc);
      body(v[I]...);
    } else {
      run<N + 1>(head, loc, body);
    }
  };
  apply(std::make_index_sequence<N>());
}

/// `T.NAME(lo, hi, ...)`, with a strategy around it.
inline Value loop(const char *function, std::initializer_list<const Arg *> bounds,
                  std::initializer_list<Keyword> keywords, const char *strategy, Loc loc) {
  Value made = call(function, bounds, keywords, loc);
  if (!strategy || !*strategy)
    return made;
  Arg inner(made, loc);
  return call((std::string("schedule.") + strategy).c_str(), {&inner}, {}, loc);
}

} // namespace detail

struct PipelinedOptions {
  Option stages = {}, order = {}, stage = {};
  const char *schedule = ""; ///< a strategy, such as `ping_pong`
};
/// A serial loop whose rounds may overlap.
template <typename Body>
void pipelined(const Arg &count, const PipelinedOptions &options, Body &&body,
               Loc loc = Loc::current()) {
  detail::run(
      detail::loop(
          "Pipelined", {&count},
          {{"num_stages", options.stages}, {"order", options.order}, {"stage", options.stage}},
          options.schedule, loc),
      loc, body);
}
template <typename Body> void serial(const Arg &count, Body &&body, Loc loc = Loc::current()) {
  detail::run(detail::call("serial", {&count}, {}, loc), loc, body);
}
template <typename Body>
void serial(const Arg &lo, const Arg &hi, Body &&body, Loc loc = Loc::current()) {
  detail::run(detail::call("serial", {&lo, &hi}, {}, loc), loc, body);
}
template <typename Body> void unroll(const Arg &count, Body &&body, Loc loc = Loc::current()) {
  detail::run(detail::call("unroll", {&count}, {}, loc), loc, body);
}
template <typename Body> void vectorized(const Arg &count, Body &&body, Loc loc = Loc::current()) {
  detail::run(detail::call("vectorized", {&count}, {}, loc), loc, body);
}
/// Iterations in any order, one index an extent.
template <typename Body> void parallel(Shape extents, Body &&body, Loc loc = Loc::current()) {
  Arg list(extents, loc);
  detail::run(detail::call("Parallel", {&list}, {}, loc), loc, body);
}
template <typename Body> void parallel(const Arg &extent, Body &&body, Loc loc = Loc::current()) {
  detail::run(detail::call("Parallel", {&extent}, {}, loc), loc, body);
}
/// The tiles of one of `blocks` blocks, `index` being its number.
template <typename Body>
void persistent(Shape domain, const Arg &blocks, const Arg &index, Body &&body,
                Loc loc = Loc::current()) {
  Arg extents(domain, loc);
  detail::run(detail::call("Persistent", {&extents, &blocks, &index}, {}, loc), loc, body);
}

/// `for (Index i : range(n))`: a serial loop; the body runs once with a symbol.
class range {
public:
  explicit range(const Arg &count, Loc loc = Loc::current())
      : head(detail::call("serial", {&count}, {}, loc)), loc(loc) {}
  range(const Arg &lo, const Arg &hi, Loc loc = Loc::current())
      : head(detail::call("serial", {&lo, &hi}, {}, loc)), loc(loc) {}
  range(const range &) = delete;
  ~range() { end_(); }

  class iterator {
  public:
    explicit iterator(range *of) : of(of) {}
    Index operator*() const { return of->variable; }
    iterator &operator++() {
      of->end_();
      of = nullptr;
      return *this;
    }
    bool operator!=(const iterator &other) const { return of != other.of; }

  private:
    range *of;
  };
  iterator begin() {
    variable = detail::begin<1>(head, loc)[0];
    isOpen = true;
    return iterator(this);
  }
  iterator end() { return iterator(nullptr); }

private:
  void end_() {
    tilec_place at = detail::place(loc);
    if (std::exchange(isOpen, false))
      tilec_build_end(head.builder, &at);
  }
  Value head, variable;
  Loc loc;
  bool isOpen = false;
};

template <typename Body> void If(const Arg &condition, Body &&body) {
  tilec_builder *b = detail::ownerOf({&condition});
  tilec_place at = detail::place(condition.where());
  tilec_build_begin_if(b, condition.in(b), &at);
  detail::Frame frame(b, condition.where());
  body();
}
template <typename Then, typename Else>
void IfElse(const Arg &condition, Then &&thenBody, Else &&elseBody) {
  tilec_builder *b = detail::ownerOf({&condition});
  tilec_place at = detail::place(condition.where());
  tilec_build_begin_if(b, condition.in(b), &at);
  detail::Frame frame(b, condition.where());
  thenBody();
  tilec_build_begin_else(b, &at);
  elseBody();
}
template <typename Body> void While(const Arg &condition, Body &&body) {
  tilec_builder *b = detail::ownerOf({&condition});
  tilec_place at = detail::place(condition.where());
  tilec_build_begin_while(b, condition.in(b), &at);
  detail::Frame frame(b, condition.where());
  body();
}
/// Leaves the innermost loop of the kernel.
inline void Break(Loc loc = Loc::current()) {
  tilec_place at = detail::place(loc);
  tilec_build_break(detail::current, &at);
}
inline void Continue(Loc loc = Loc::current()) {
  tilec_place at = detail::place(loc);
  tilec_build_continue(detail::current, &at);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// A layout of a tile of this shape: `forward` maps indices to one physical index.
template <typename Forward> Value layout(Shape shape, Forward &&forward, Loc loc = Loc::current()) {
  std::vector<tilec_value> ids(shape.size());
  tilec_builder *b = detail::current;
  tilec_place at = detail::place(loc);
  tilec_build_begin_function(b, ids.data(), ids.size(), &at);
  std::vector<Index> indices;
  for (tilec_value id : ids)
    indices.push_back({b, id});
  Arg result = forward(indices);
  tilec_value physical = result.in(b);
  Arg extents(shape, loc);
  Arg function(Value(b, tilec_build_end_function(b, &physical, 1, &at)), loc);
  return detail::call("Layout", {&extents, &function}, {}, loc);
}
/// Asks for a layout of a tile.
inline void annotateLayout(const Tile &tile, const Arg &layout, Loc loc = Loc::current()) {
  tilec_builder *b = tile.value.builder;
  tilec_value value = layout.in(b);
  Arg map(Value(b, tilec_build_dict(b, &tile.value.id, &value, 1)), loc);
  detail::call("annotate_layout", {&map}, {}, loc);
}
/// What a read outside of a tensor gives.
inline void annotateSafeValue(const Tile &tile, const Arg &safe, Loc loc = Loc::current()) {
  tilec_builder *b = tile.value.builder;
  tilec_value value = safe.in(b);
  Arg map(Value(b, tilec_build_dict(b, &tile.value.id, &value, 1)), loc);
  detail::call("annotate_safe_value", {&map}, {}, loc);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

struct LaunchOptions {
  Option threads = {};
};

/// A kernel function: parameters, then launches. Move only.
class Kernel {
public:
  explicit Kernel(const char *name, Loc loc = Loc::current()) {
    tilec_place at = detail::place(loc);
    tilec_builder *made = nullptr;
    (void)tilec_builder_create(name, &at, &made);
    builder.reset(made);
  }

  /// A tensor in global memory; strides in elements, left out: dense.
  Tile tensor(const char *name, DType type, Shape shape, const Option &strides = {},
              Loc loc = Loc::current()) {
    Arg extents(shape, loc), dtype(type, loc);
    tilec_builder *before = std::exchange(detail::current, builder.get());
    Value annotation = detail::call("Tensor", {&extents, &dtype}, {{"strides", strides}}, loc);
    detail::current = before;
    return Tile(parameter(name, annotation.id, loc));
  }
  /// A number that is given to the launch.
  Value scalar(const char *name, DType type, Loc loc = Loc::current()) {
    return parameter(name, Arg(type, loc).in(builder.get()), loc);
  }
  /// A size that is taken from the tensors of a launch.
  Index dim(const char *name, DType type = i32, Loc loc = Loc::current()) {
    tilec_place at = detail::place(loc);
    return {builder.get(), tilec_build_dim(builder.get(), name, type.name, &at)};
  }
  /// The kernel returns it.
  void output(const Tile &tensor) { tilec_build_output(builder.get(), tensor.value.id); }

  /// One launch: `body` takes an index for each extent of the grid.
  template <typename Body>
  void launch(Shape grid, const LaunchOptions &options, Body &&body, Loc loc = Loc::current()) {
    Arg blocks(grid, loc);
    tilec_builder *before = std::exchange(detail::current, builder.get());
    detail::run(detail::call("Kernel", {&blocks}, {{"threads", options.threads}}, loc), loc, body);
    detail::current = before;
  }

  /// Ends the recording, the first time.
  const Program &program(const Compiler &compiler = Compiler::shared()) {
    if (!recorded.get()) {
      tilec_program *made = nullptr;
      (void)tilec_builder_finish(builder.get(), compiler.get(), &made);
      recorded = Program(made);
    }
    return recorded;
  }
  tilec_builder *get() const { return builder.get(); }

private:
  Value parameter(const char *name, tilec_value type, Loc loc) {
    tilec_place at = detail::place(loc);
    return {builder.get(), tilec_build_parameter(builder.get(), name, type, &at)};
  }

  struct Release {
    void operator()(tilec_builder *b) const { tilec_builder_release(b); }
  };
  std::unique_ptr<tilec_builder, Release> builder;
  Program recorded;
};

} // namespace tilec::tile

namespace tilec {

/// Ends the recording and compiles it; may be called again, for other targets.
inline Result<Binary> compile(tile::Kernel &kernel, const CompileOptions &options) {
  return compile(kernel.program(), options);
}
inline Result<Binary> compile(tile::Kernel &&kernel, const CompileOptions &options) {
  return compile(kernel.program(), options);
}

} // namespace tilec

#include "tilec/TileFunctions.h"
#include "tilec/TileMath.h"

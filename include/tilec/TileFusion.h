//===- tilec/TileFusion.h - TileFusion's vocabulary on tilec/Tile.h -------===//
//
// Kernels in the words of microsoft/TileFusion (GlobalTile, RegTile, TileIterator, loaders and
// storers) become kernels of tilec: `record` runs the kernel function once for every pass and
// makes a tile::Kernel of what it does. No CUDA is needed.
//
//     #include <tilec/TileFusion.h>
//     using namespace tilec::tilefusion;
//     using InType = __half; using AccType = float;
//     ... the program as written for TileFusion ...
//     tilec::tile::Kernel k = record("simple_gemm", {.grid = {1}}, simple_gemm<InType, AccType,
//     ...>); auto binary = tilec::compile(k, {.target = "gfx950"});
//
// - A register tile is the block's: its base tiles times the warps that share it. A tile that does
// not
//   hold what a loader brings is a located error with the right numbers, where TileFusion reads
//   beyond the sub-tile.
// - `for (int k = 0; k < Iterator::sc1; ++k)` is a loop of the kernel: the body runs once, `k` is a
//   number that stands for the loop variable and knows `k + constant`. The function is run again
//   with every value of each `k`; a body that does something else for one of them (`if (k == 0)`)
//   is a located error. `for (auto k : range(Iterator::sc1))` gives a symbol that no `if` accepts.
// - Copies, waits and barriers are derived: `__syncthreads()` and `__copy_async()` record nothing.
// - `blockIdx.x` is an object: `auto offset = blockIdx.x * (kTM * kK)`, not `int`.
//
// Threads: as tilec/Tile.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Tile.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#ifndef __global__
#define __global__
#endif
#ifndef __device__
#define __device__
#endif

namespace tilec::tilefusion {

using tile::Loc;

// Names of CUDA's types; only their sizes matter.
struct __half {
  uint16_t bits;
};
struct __bfloat16 {
  uint16_t bits;
};

//===----------------------------------------------------------------------===//
// Layouts and shapes
//===----------------------------------------------------------------------===//

template <int kRows, int kCols, int kStride = kCols> struct RowMajor {
  static constexpr int rows = kRows, cols = kCols, stride = kStride;
  static constexpr bool isRowMajor = true;
};
template <int kRows, int kCols, int kStride = kRows> struct ColMajor {
  static constexpr int rows = kRows, cols = kCols, stride = kStride;
  static constexpr bool isRowMajor = false;
};
template <int kRows, int kCols> struct TileShape {
  static constexpr int rows = kRows, cols = kCols;
};

/// How the warps of a block share a tile: each a part, or a row (a column) of warps the same part.
enum class WarpReuse { kCont, kCir, kRowReuseCont, kRowReuseCir, kColReuseCont, kColReuseCir };
inline constexpr WarpReuse kCont = WarpReuse::kCont, kCir = WarpReuse::kCir,
                           kRowReuseCont = WarpReuse::kRowReuseCont,
                           kRowReuseCir = WarpReuse::kRowReuseCir,
                           kColReuseCont = WarpReuse::kColReuseCont,
                           kColReuseCir = WarpReuse::kColReuseCir;

namespace detail {

/// The side of a base tile; TileFusion's types/register.hpp.
inline constexpr int64_t baseSide = 16;
/// Addresses that `record` hands out: (parameter + 1) << addressBits.
inline constexpr int addressBits = 40;
/// Numbers that stand for loop variables: (loop + 1) << handleBits, plus a constant.
inline constexpr int handleBits = 20;

template <typename T> constexpr tile::DType dtypeOf() {
  if constexpr (std::is_same_v<T, __half>)
    return tile::f16;
  else if constexpr (std::is_same_v<T, __bfloat16>)
    return tile::bf16;
  else if constexpr (std::is_same_v<T, float>)
    return tile::f32;
  else if constexpr (std::is_same_v<T, double>)
    return tile::f64;
  else if constexpr (std::is_same_v<T, int8_t>)
    return tile::i8;
  else if constexpr (std::is_same_v<T, int32_t>)
    return tile::i32;
  else
    static_assert(sizeof(T) == 0, "no tile has elements of this type");
}

/// constant + factor * (variable of a loop), or plus a symbol.
struct Coord {
  Coord(int64_t constant = 0, int loop = -1, int64_t factor = 0)
      : constant(constant), loop(loop), factor(factor) {}
  int64_t constant;
  int loop; ///< in the order in which loops begin
  int64_t factor;
  tile::Value symbol;
};

/// What a kernel function does, one entry a loader, storer or product.
struct Event {
  std::string what; ///< with the tiles that it is about
  std::vector<Coord> coords;
  Loc loc;
};

struct Parameter {
  const char *dtype = nullptr;
  int64_t rows = 0, cols = 0; ///< as it lies in memory, row after row
  tile::Tile tensor;
};

/// A register or shared tile, by the order in which they are declared.
struct Buffer {
  int64_t rows = 0, cols = 0; ///< of the block, as it is written in the program; a vector has rows
  bool isRowMajor = true;
  bool isZeroFirst = false; ///< read before all of it is written
  bool isWritten = false;
};

/// Two register tiles that have one shape, or a vector with a value for each row of a tile as it
/// lies in its fragment.
struct Equal {
  size_t a, b;
  bool isVector;
};

struct LoopInfo {
  int64_t start = 0, count = 0;
};
struct OpenLoop {
  const int *variable;
  int order;
  tile::Value symbol;
};

struct Session {
  enum Pass { Learn, Record, Check } pass = Learn;
  tilec_builder *builder = nullptr;
  Loc where; ///< of the call of `record`
  int64_t stages = 2, warps = 0;
  std::vector<Parameter> parameters;
  std::vector<Buffer> buffers;
  std::vector<LoopInfo> loops;
  std::vector<Equal> equal;
  std::map<std::pair<int, int>, int64_t> commits; ///< of a pipeline in the body of a loop
  // Of the pass that runs.
  size_t nextBuffer = 0;
  int nextLoop = 0, nextPipeline = 0, varied = -1;
  bool hasRanges = false; ///< loops that are no `int` loops
  int64_t value = 0;
  std::vector<OpenLoop> open;
  std::vector<Event> events;

  void begin(Pass next) {
    pass = next;
    nextBuffer = 0;
    nextLoop = nextPipeline = 0;
    hasRanges = false;
    open.clear();
    events.clear();
  }
  void fail(const std::string &text, Loc loc) const {
    tilec_place at = tile::detail::place(loc);
    if (pass == Record)
      tilec_build_error(builder, {text.data(), text.size()}, &at);
  }
  void note(std::string what, std::vector<Coord> coords, Loc loc) {
    events.push_back({std::move(what), std::move(coords), loc});
  }
};
inline thread_local Session *session = nullptr;

/// Whether the shape of a register tile is known in the pass that records.
template <typename Reg> bool isKnown(const Reg &reg, Loc loc) {
  if (reg.block().rows)
    return true;
  session->fail("nothing says what shape this register tile has: no loader, storer or product "
                "uses it, nor a tile that it is computed with",
                loc);
  return false;
}

inline std::string pair(int64_t a, int64_t b) {
  return std::to_string(a) + " x " + std::to_string(b);
}

/// What an `int` of the program stands for.
inline Coord decode(int value, Loc loc) {
  Session &s = *session;
  if (s.pass != Session::Record)
    return {value};
  int id = (value + (1 << (handleBits - 1))) >> handleBits;
  if (id <= 0)
    return {value};
  for (const OpenLoop &loop : s.open)
    if (loop.order + 1 == id)
      return {value - (id << handleBits), loop.order, 1};
  s.fail("this index is no loop variable plus a constant; for other arithmetic write the loop as "
         "`for (auto k : range(n))`",
         loc);
  return {};
}
inline Coord decode(const tile::Value &symbol, Loc) {
  Coord c;
  c.symbol = symbol;
  c.factor = 1;
  return c;
}

inline tile::Arg toArg(const Coord &c, Loc loc) {
  tile::Arg sum(c.constant, loc);
  tile::Value variable = c.symbol;
  if (c.loop >= 0)
    for (const OpenLoop &loop : session->open)
      if (loop.order == c.loop)
        variable = loop.symbol;
  if (!variable.id)
    return sum;
  tile::Arg term(variable, loc);
  if (c.factor != 1)
    term = tile::Arg(term * tile::Arg(c.factor, loc), loc);
  return c.constant ? tile::Arg(term + sum, loc) : term;
}

} // namespace detail

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How many sub-tiles an iterator has along a dimension: a constant, and what makes a loop of `k <
/// sc1`.
struct StripCount {
  int count;
  constexpr operator int() const { return count; }
};
constexpr StripCount operator-(StripCount n, int less) { return {n.count - less}; }

inline bool operator<(int &k, const StripCount &n) {
  detail::Session &s = *detail::session;
  if (!s.open.empty() && s.open.back().variable == &k) {
    s.open.pop_back();
    s.note("end", {}, Loc());
    tilec_build_end(tile::detail::current, nullptr);
    return false;
  }
  int order = s.nextLoop++;
  if (s.pass == detail::Session::Learn)
    s.loops.push_back({k, n.count});
  s.note("loop of " + std::to_string(n.count), {{s.loops[order].start}}, Loc());
  tile::Value symbol;
  if (s.pass == detail::Session::Record) {
    Loc loc = s.where;
    tile::Arg from(k, loc), to(n.count, loc);
    tile::Value head = s.stages > 1 ? tile::detail::call("Pipelined", {&from, &to},
                                                         {{"num_stages", s.stages}}, loc)
                                    : tile::detail::call("serial", {&from, &to}, {}, loc);
    symbol = tile::detail::begin<1>(head, loc)[0];
    k = (order + 1) << detail::handleBits;
  } else if (s.varied == order) {
    k = static_cast<int>(s.value);
  }
  s.open.push_back({&k, order, symbol});
  return true;
}

/// `for (auto k : range(Iterator::sc1))`.
inline tile::range range(StripCount n, Loc loc = Loc::current()) {
  detail::session->hasRanges = true;
  return tile::range(tile::Arg(n.count, loc), loc);
}

// Derived from what the kernel reads and writes.
inline void __syncthreads() {}
inline void __copy_async() {}
template <int kPending = 0> inline void wait_group() {}

/// The block's place in the grid.
struct BlockIndex {
  tile::Index x, y, z;
};
inline thread_local BlockIndex blockIdx;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace detail {

/// A box of a parameter or of a shared tile.
struct Box {
  int parameter = -1, buffer = -1;
  bool isRowMajor = true;
  int64_t rows = 0, cols = 0, stride = 0;
  Coord row, col;
  int64_t offset = 0; ///< in elements, of the tile in its parameter
  tile::Value symbol; ///< the same, known at run time
  tile::Tile storage;

  std::string name() const {
    return parameter >= 0 ? "parameter " + std::to_string(parameter)
                          : "tile " + std::to_string(buffer);
  }
  std::vector<Coord> coords() const { return {row, col, {offset}}; }

  /// As it lies in memory, row after row.
  tile::Value box(Loc loc) const {
    Coord r = isRowMajor ? row : col, c = isRowMajor ? col : row;
    r.constant += offset / stride;
    c.constant += offset % stride;
    tile::Arg firstRow = toArg(r, loc), firstCol = toArg(c, loc);
    if (symbol.id) {
      tile::Arg whole(symbol, loc), by(stride, loc);
      firstRow = tile::Arg(tile::floordiv(whole, by, loc) + firstRow, loc);
      firstCol = tile::Arg(whole % by + firstCol, loc);
    }
    int64_t height = isRowMajor ? rows : cols, width = isRowMajor ? cols : rows;
    return storage.box({tile::Range(firstRow, firstRow + tile::Arg(height, loc)),
                        tile::Range(firstCol, firstCol + tile::Arg(width, loc))},
                       loc);
  }
};

template <typename Layout> Box boxOf() {
  Box box;
  box.isRowMajor = Layout::isRowMajor;
  box.rows = Layout::rows;
  box.cols = Layout::cols;
  box.stride = Layout::stride;
  return box;
}

} // namespace detail

/// An address that is known when the kernel runs: `dA + blockIdx.x * (kTM * kK)`.
template <typename T> struct Pointer {
  const T *base;
  tile::Value offset;
};
template <typename T>
  requires(!std::is_void_v<T>)
Pointer<std::remove_const_t<T>> operator+(T *base, const tile::Value &offset) {
  return {base, offset};
}

/// A matrix in global memory.
template <typename T, typename Layout_> class GlobalTile {
public:
  using DType = T;
  using Layout = Layout_;
  static constexpr int kRows = Layout::rows, kCols = Layout::cols;

  GlobalTile(const T *address) : box(detail::boxOf<Layout>()) { place(address); }
  GlobalTile(const Pointer<T> &pointer) : box(detail::boxOf<Layout>()) {
    box.symbol = pointer.offset;
    place(pointer.base);
  }
  detail::Box box;

private:
  void place(const T *address) {
    auto at = reinterpret_cast<uintptr_t>(address);
    detail::Session &s = *detail::session;
    box.parameter = static_cast<int>(at >> detail::addressBits) - 1;
    if (box.parameter < 0 || box.parameter >= static_cast<int>(s.parameters.size())) {
      s.fail("a tile on an address that is no parameter of the kernel", s.where);
      box.parameter = 0;
    }
    box.offset = static_cast<int64_t>(at & ((uintptr_t(1) << detail::addressBits) - 1)) /
                 static_cast<int64_t>(sizeof(T));
    detail::Parameter &p = s.parameters[box.parameter];
    p.dtype = detail::dtypeOf<T>().name;
    int64_t height = Layout::isRowMajor ? kRows : kCols;
    p.rows = std::max(p.rows, height + box.offset / box.stride);
    p.cols = std::max<int64_t>(p.cols, box.stride);
    box.storage = p.tensor;
  }
};

/// A matrix in shared memory; swizzled as the compiler finds best.
template <typename T, typename Layout_, bool kSwizzled = true, int kAccessBytes = 64>
class SharedTile {
public:
  using DType = T;
  using Layout = Layout_;
  static constexpr int kRows = Layout::rows, kCols = Layout::cols, kNumel = kRows * kCols;

  /// `storage` says nothing: each tile has bytes of its own until the compiler joins them.
  explicit SharedTile(const void *storage = nullptr, Loc loc = Loc::current())
      : box(detail::boxOf<Layout>()) {
    (void)storage;
    detail::Session &s = *detail::session;
    box.buffer = static_cast<int>(s.nextBuffer++);
    if (s.pass == detail::Session::Learn)
      s.buffers.push_back({box.rows, box.cols, false, true});
    int64_t height = Layout::isRowMajor ? kRows : kCols, width = Layout::isRowMajor ? kCols : kRows;
    box.stride = width;
    box.storage = tile::shared(detail::dtypeOf<T>(), {height, width}, {}, loc);
  }
  detail::Box box;
};

template <typename T> struct BaseTileRowMajor {
  using DType = T;
  static constexpr bool isRowMajor = true;
};
template <typename T> struct BaseTileColMajor {
  using DType = T;
  static constexpr bool isRowMajor = false;
};

namespace detail {
/// What a register tile is made of: base tiles, or the elements of a vector.
template <typename Base> struct Parts {
  using DType = Base;
  static constexpr bool isRowMajor = true, isVector = true;
};
template <typename Base>
  requires requires { Base::isRowMajor; }
struct Parts<Base> {
  using DType = typename Base::DType;
  static constexpr bool isRowMajor = Base::isRowMajor, isVector = false;
};
} // namespace detail

/// Registers: so many base tiles of 16 x 16 a warp, or a vector. Zero when it is declared.
template <typename Base, typename Layout_> class RegTile {
public:
  using DType = typename detail::Parts<Base>::DType;
  using Layout = Layout_;
  static constexpr bool isRowMajor = detail::Parts<Base>::isRowMajor,
                        isVector = detail::Parts<Base>::isVector;

  explicit RegTile(Loc loc = Loc::current()) {
    detail::Session &s = *detail::session;
    order = s.nextBuffer++;
    if (s.pass == detail::Session::Learn)
      s.buffers.emplace_back().isRowMajor = isRowMajor;
    const detail::Buffer &known = s.buffers[order];
    if (s.pass != detail::Session::Record || !known.rows)
      return;
    storage = isVector ? tile::fragment(detail::dtypeOf<DType>(), {known.rows}, {}, loc)
              : isRowMajor
                  ? tile::fragment(detail::dtypeOf<DType>(), {known.rows, known.cols}, {}, loc)
                  : tile::fragment(detail::dtypeOf<DType>(), {known.cols, known.rows}, {}, loc);
    if (known.isZeroFirst)
      tile::clear(storage, loc);
  }
  detail::Buffer &block() const { return detail::session->buffers[order]; }
  /// All zeros again.
  void clear(Loc loc = Loc::current()) {
    detail::session->note("clear " + std::to_string(order), {}, loc);
    block().isWritten = true;
    if (detail::session->pass == detail::Session::Record && block().rows)
      tile::clear(storage, loc);
  }

  size_t order;
  tile::Tile storage;
};

/// The sub-tiles of a tile.
template <typename Tile_, typename Shape> class TileIterator {
public:
  using Tile = Tile_;
  static_assert(Tile::kRows % Shape::rows == 0 && Tile::kCols % Shape::cols == 0,
                "the sub-tiles do not fill the tile");
  static constexpr StripCount sc0{Tile::kRows / Shape::rows}, sc1{Tile::kCols / Shape::cols};

  template <typename Source> TileIterator(const Source &source) : tile(source) {}

  /// The i-th one, where there is one row or one column of them.
  template <typename Int> detail::Box operator()(const Int &i, Loc loc = Loc::current()) const {
    return strip(detail::decode(i, loc));
  }
  detail::Box strip(const detail::Coord &i) const {
    static_assert(sc0.count == 1 || sc1.count == 1,
                  "sub-tiles in both dimensions take two indices");
    return sc0.count == 1 ? at(detail::Coord{}, i) : at(i, detail::Coord{});
  }
  template <typename I, typename J>
  detail::Box operator()(const I &i, const J &j, Loc loc = Loc::current()) const
    requires(!std::same_as<J, Loc>)
  {
    return at(detail::decode(i, loc), detail::decode(j, loc));
  }

private:
  detail::Box at(detail::Coord i, detail::Coord j) const {
    detail::Box box = tile.box;
    auto scaled = [](detail::Coord c, int64_t by) {
      c.constant *= by;
      c.factor *= by;
      return c;
    };
    box.row = scaled(i, Shape::rows);
    box.col = scaled(j, Shape::cols);
    box.rows = Shape::rows;
    box.cols = Shape::cols;
    return box;
  }
  Tile tile;
};
template <typename Tile, typename Shape> using GTileIterator = TileIterator<Tile, Shape>;
template <typename Tile, typename Shape> using STileIterator = TileIterator<Tile, Shape>;

//===----------------------------------------------------------------------===//
// Loaders, storers, products
//===----------------------------------------------------------------------===//

namespace detail {

inline const Box &boxOf(const Box &box) { return box; }
template <typename Tile>
  requires requires(const Tile &t) { t.box; }
const Box &boxOf(const Tile &tile) {
  return tile.box;
}

template <typename WarpLayout> void useWarps(Loc loc) {
  Session &s = *session;
  int64_t warps = int64_t(WarpLayout::rows) * WarpLayout::cols;
  if (s.warps && s.warps != warps)
    s.fail("a warp layout of " + std::to_string(warps) + " warps, others have " +
               std::to_string(s.warps),
           loc);
  s.warps = warps;
}

/// What a register tile holds against what it is given.
template <typename Reg, typename WarpLayout, WarpReuse kReuse>
bool fits(const Box &box, const char *other, bool tellsWarp, Loc loc) {
  constexpr bool rowsShared = kReuse == kColReuseCont || kReuse == kColReuseCir,
                 colsShared = kReuse == kRowReuseCont || kReuse == kRowReuseCir;
  constexpr int64_t down = rowsShared ? 1 : WarpLayout::rows,
                    across = colsShared ? 1 : WarpLayout::cols;
  constexpr int64_t rows = Reg::Layout::rows * baseSide * down,
                    cols = Reg::Layout::cols * baseSide * across;
  if (rows == box.rows && cols == box.cols)
    return true;
  std::string text = "the register tile holds " + pair(rows, cols) + " for the block";
  if (tellsWarp)
    text += " (" + pair(Reg::Layout::rows, Reg::Layout::cols) + " base tiles a warp)";
  text += std::string(", the ") + other + " is " + pair(box.rows, box.cols);
  if (box.rows % (baseSide * down) == 0 && box.cols % (baseSide * across) == 0)
    text += ": write <" + std::to_string(box.rows / baseSide / down) + ", " +
            std::to_string(box.cols / baseSide / across) + ">";
  else
    text += ", which " + pair(WarpLayout::rows, WarpLayout::cols) + " warps do not divide";
  session->fail(text, loc);
  return false;
}

template <typename Reg> void load(const Box &from, Reg &to, Loc loc) {
  Buffer &block = to.block();
  block.rows = from.rows;
  block.cols = from.cols;
  block.isWritten = true;
  session->note("load " + std::to_string(to.order) + " from " + from.name(), from.coords(), loc);
  if (session->pass != Session::Record)
    return;
  if (from.isRowMajor == Reg::isRowMajor) {
    tile::copy(tile::Arg(from.box(loc), loc), to.storage, {}, loc);
    return;
  }
  session->fail(
      "a row-major register tile takes a row-major tile, a column-major one a column-major "
      "tile",
      loc);
}

template <typename Reg> void store(const Reg &from, const Box &to, Loc loc) {
  Buffer &block = from.block();
  block.isZeroFirst |= !block.isWritten;
  if (!block.rows) {
    block.rows = to.rows;
    block.cols = to.cols;
  }
  session->note("store " + std::to_string(from.order) + " to " + to.name(), to.coords(), loc);
  if (session->pass != Session::Record)
    return;
  if (to.isRowMajor == Reg::isRowMajor)
    tile::copy(from.storage, tile::Arg(to.box(loc), loc), {}, loc);
  else
    session->fail("a row-major register tile goes to a row-major tile, a column-major one to a "
                  "column-major tile",
                  loc);
}

inline void move(const Box &from, const Box &to, Loc loc) {
  std::vector<Coord> coords = from.coords();
  for (const Coord &coord : to.coords())
    coords.push_back(coord);
  session->note("copy " + from.name() + " to " + to.name(), std::move(coords), loc);
  if (from.rows != to.rows || from.cols != to.cols || from.isRowMajor != to.isRowMajor)
    session->fail("the source is " + pair(from.rows, from.cols) + ", the destination " +
                      pair(to.rows, to.cols) + "; they must have one shape and one order",
                  loc);
  else if (session->pass == Session::Record)
    tile::copy(tile::Arg(from.box(loc), loc), tile::Arg(to.box(loc), loc), {}, loc);
}

} // namespace detail

template <typename Reg, typename WarpLayout, WarpReuse kReuse = kCont> struct GlobalToRegLoader {
  template <typename Source>
  void operator()(const Source &from, Reg &to, Loc loc = Loc::current()) const {
    detail::useWarps<WarpLayout>(loc);
    detail::fits<Reg, WarpLayout, kReuse>(detail::boxOf(from), "source", true, loc);
    detail::load(detail::boxOf(from), to, loc);
  }
};
template <typename Reg, typename WarpLayout, WarpReuse kReuse = kCont>
struct SharedToRegLoader : GlobalToRegLoader<Reg, WarpLayout, kReuse> {};

template <typename Global, typename Reg, typename WarpLayout> struct RegToGlobalStorer {
  template <typename Target>
  void operator()(const Reg &from, const Target &to, Loc loc = Loc::current()) const {
    detail::useWarps<WarpLayout>(loc);
    detail::fits<Reg, WarpLayout, kCont>(detail::boxOf(to), "destination", false, loc);
    detail::store(from, detail::boxOf(to), loc);
  }
};
template <typename Reg, typename WarpLayout> struct RegToSharedStorer {
  template <typename Target>
  void operator()(const Reg &from, const Target &to, Loc loc = Loc::current()) const {
    RegToGlobalStorer<Target, Reg, WarpLayout>()(from, to, loc);
  }
};
template <typename Shared, typename WarpLayout> struct GlobalToSharedLoader {
  template <typename Source, typename Target>
  void operator()(const Source &from, const Target &to, Loc loc = Loc::current()) const {
    detail::useWarps<WarpLayout>(loc);
    detail::move(detail::boxOf(from), detail::boxOf(to), loc);
  }
};
template <typename Shared, typename WarpLayout>
struct SharedToGlobalStorer : GlobalToSharedLoader<Shared, WarpLayout> {};

/// acc += a * b.
template <typename A, typename B, typename C>
void gemm(const A &a, const B &b, C &acc, Loc loc = Loc::current()) {
  detail::Session &s = *detail::session;
  detail::Buffer &out = acc.block();
  out.isZeroFirst |= !out.isWritten;
  out.isWritten = true;
  if (!out.rows) {
    out.rows = a.block().rows;
    out.cols = b.block().cols;
  }
  s.note("gemm " + std::to_string(a.order) + ", " + std::to_string(b.order) + ", " +
             std::to_string(acc.order),
         {}, loc);
  if (!C::isRowMajor)
    s.fail("the accumulator of a product is row-major", loc);
  else if (s.pass == detail::Session::Record)
    tile::gemm(a.storage, b.storage, acc.storage,
               {.transposeA = !A::isRowMajor, .transposeB = !B::isRowMajor}, loc);
}

} // namespace tilec::tilefusion

#define TILEC_TILEFUSION_INSIDE
#include "tilec/TileFusionCompute.h"
#include "tilec/TileFusionPipeline.h"
#undef TILEC_TILEFUSION_INSIDE

namespace tilec::tilefusion {

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

struct RecordOptions {
  std::vector<int64_t> grid = {1};
  /// Rows and columns of each parameter as it lies in memory; left out: those of its largest tile.
  std::vector<std::array<int64_t, 2>> shapes = {};
  int64_t stages = 2; ///< of loops over sub-tiles: how many are on the way at once
};

namespace detail {

/// Runs the function with every value of each loop variable: it must do what was recorded.
template <typename Run> void checkLoops(Session &s, Run run) {
  const std::vector<Event> recorded = s.events;
  for (int loop = 0; loop < static_cast<int>(s.loops.size()); ++loop)
    for (int64_t value = s.loops[loop].start; value < s.loops[loop].count; ++value) {
      s.begin(Session::Check);
      s.varied = loop;
      s.value = value;
      run();
      size_t at = 0;
      auto number = [&](const Coord &c) {
        int64_t of = c.loop < 0 ? 0 : c.loop == loop ? value : s.loops[c.loop].start;
        return c.constant + c.factor * of;
      };
      auto same = [&](const Event &a, const Event &b) {
        return a.what == b.what && std::equal(a.coords.begin(), a.coords.end(), b.coords.begin(),
                                              b.coords.end(), [&](const Coord &x, const Coord &y) {
                                                return (x.loop < 0 && x.factor) ||
                                                       number(x) == y.constant;
                                              });
      };
      while (at < recorded.size() && at < s.events.size() && same(recorded[at], s.events[at]))
        ++at;
      if (at == recorded.size() && at == s.events.size())
        continue;
      // Of what one of the two does and the other does not; loops have no place of their own.
      Loc loc = s.where;
      if (at < recorded.size() && recorded[at].loc.line())
        loc = recorded[at].loc;
      else if (at < s.events.size() && s.events[at].loc.line())
        loc = s.events[at].loc;
      s.pass = Session::Record;
      s.fail("the loop does something else when its variable is " + std::to_string(value) +
                 ": C++ decides an `if` once, while the kernel is recorded; write the loop as `for "
                 "(auto k : range(n))` and the branch as `tilec::tile::If(...)`",
             loc);
      break;
    }
}

} // namespace detail

/// Makes a kernel of a kernel function, whose parameters are pointers.
template <typename... P>
tile::Kernel record(const char *name, const RecordOptions &options, void (*function)(P...),
                    Loc loc = Loc::current()) {
  static_assert((std::is_pointer_v<P> && ...), "the parameters of a kernel function are pointers");
  detail::Session s;
  s.where = loc;
  s.stages = options.stages;
  s.parameters.resize(sizeof...(P));
  detail::Session *outer = std::exchange(detail::session, &s);
  auto run = [&]<size_t... I>(std::index_sequence<I...>) {
    function(reinterpret_cast<P>(uintptr_t(I + 1) << detail::addressBits)...);
  };
  auto runOnce = [&] { run(std::index_sequence_for<P...>()); };
  tilec_builder *before = std::exchange(tile::detail::current, nullptr);
  blockIdx = {};
  s.begin(detail::Session::Learn);
  runOnce();
  detail::spreadShapes(s);

  tile::Kernel kernel(name, loc);
  s.builder = kernel.get();
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    detail::Parameter &p = s.parameters[i];
    int64_t rows = i < options.shapes.size() ? options.shapes[i][0] : p.rows;
    int64_t cols = i < options.shapes.size() ? options.shapes[i][1] : p.cols;
    std::string parameter = "p" + std::to_string(i);
    if (p.dtype)
      p.tensor = kernel.tensor(parameter.c_str(), {p.dtype}, {rows, cols}, {}, loc);
  }
  std::vector<tile::Arg> grid(options.grid.begin(), options.grid.end());
  auto launch = [&](auto... index) {
    tile::Index all[] = {index...};
    blockIdx = {all[0], sizeof...(index) > 1 ? all[1 % sizeof...(index)] : tile::Index(),
                sizeof...(index) > 2 ? all[2 % sizeof...(index)] : tile::Index()};
    s.begin(detail::Session::Record);
    runOnce();
  };
  tile::LaunchOptions threads{.threads = 32 * std::max<int64_t>(s.warps, 1)};
  if (grid.size() == 1)
    kernel.launch({grid[0]}, threads, [&](tile::Index x) { launch(x); }, loc);
  else if (grid.size() == 2)
    kernel.launch(
        {grid[0], grid[1]}, threads, [&](tile::Index x, tile::Index y) { launch(x, y); }, loc);
  else
    kernel.launch(
        {grid[0], grid[1], grid[2]}, threads,
        [&](tile::Index x, tile::Index y, tile::Index z) { launch(x, y, z); }, loc);
  blockIdx = {};
  tile::detail::current = nullptr;
  detail::checkLoops(s, runOnce);
  tile::detail::current = before;
  detail::session = outer;
  return kernel;
}

} // namespace tilec::tilefusion

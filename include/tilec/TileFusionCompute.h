//===- tilec/TileFusionCompute.h - functions of register tiles ------------===//
//
// Reductions, broadcasts and element-wise functions of TileFusion's vocabulary. Included by
// tilec/TileFusion.h.
//
// A vector of a tile is a RegTile of elements instead of base tiles,
// `RegTile<__half, RowMajor<kAccMs, 2>>`: one value for each row of a row-major tile, for each
// column of a column-major one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#ifndef TILEC_TILEFUSION_INSIDE
#error "include tilec/TileFusion.h"
#endif

namespace tilec::tilefusion {

namespace tile_layout {
enum class Layout { kRowMajor, kColMajor };
using tilefusion::ColMajor;
using tilefusion::RowMajor;
template <typename L> inline constexpr int num_rows = L::rows;
template <typename L> inline constexpr int num_cols = L::cols;
template <typename L> inline constexpr int get_numel = L::rows * L::cols;
} // namespace tile_layout
namespace tl = tile_layout;

/// The elements of a base tile.
template <typename T> struct BaseTileShape {
  static constexpr int kRows = detail::baseSide, kCols = detail::baseSide;
};

namespace detail {

/// Gives tiles the shapes of those that they are used with.
inline void spreadShapes(Session &s) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Equal &equal : s.equal) {
      Buffer &a = s.buffers[equal.a], &b = s.buffers[equal.b];
      int64_t rows = a.rows, cols = a.cols;
      if (equal.isVector && !a.rows)
        a.rows = b.isRowMajor ? b.rows : b.cols;
      else if (!equal.isVector && !a.rows)
        a.rows = b.rows, a.cols = b.cols;
      else if (!equal.isVector && !b.rows)
        b.rows = rows, b.cols = cols, changed = true;
      changed |= a.rows != rows;
    }
  }
}

template <typename Reg> void willRead(const Reg &from) {
  from.block().isZeroFirst |= !from.block().isWritten;
}
template <typename Reg> void willWrite(const Reg &to) { to.block().isWritten = true; }

/// Two tiles have one shape; who knows it tells the other, at the latest after the first run.
template <typename A, typename B> void sameShape(const A &a, const B &b) {
  static_assert(
      A::isVector == B::isVector && A::isRowMajor == B::isRowMajor,
      "a vector and a tile, or a row-major and a column-major tile, have no common shape");
  static_assert(A::Layout::rows == B::Layout::rows && A::Layout::cols == B::Layout::cols,
                "the tiles have different numbers of base tiles");
  session->equal.push_back({a.order, b.order, false});
}

/// to[i] = f(from[i]...) for each element.
template <typename F, typename To, typename... From>
void map(const char *what, F f, const To &to, Loc loc, const From &...from) {
  (sameShape(from, to), ...);
  (willRead(from), ...);
  willWrite(to);
  std::string text = what;
  ((text += " " + std::to_string(from.order)), ...);
  session->note(text + " to " + std::to_string(to.order), {}, loc);
  if (session->pass != Session::Record || !isKnown(to, loc) || !(isKnown(from, loc) && ...))
    return;
  const Buffer &block = to.block();
  int64_t height = To::isRowMajor ? block.rows : block.cols,
          width = To::isRowMajor ? block.cols : block.rows;
  auto stays = [&](auto... at) {
    const tile::Arg value = f(tile::Arg(from.storage(at...), loc)...);
    to.storage(at...) = value;
  };
  if constexpr (To::isVector)
    tile::parallel({block.rows}, [&](tile::Index i) { stays(i); }, loc);
  else
    tile::parallel({height, width}, [&](tile::Index i, tile::Index j) { stays(i, j); }, loc);
}

/// tile[i, j] = f(vector[i], tile[i, j]).
template <typename F, typename Vec, typename Reg>
void spread(const char *what, F f, const Vec &vec, const Reg &to, Loc loc) {
  static_assert(Vec::isVector && !Reg::isVector, "a vector is broadcast to a tile");
  session->equal.push_back({vec.order, to.order, true});
  willRead(vec);
  willRead(to);
  willWrite(to);
  session->note(what + (" " + std::to_string(vec.order)) + " to " + std::to_string(to.order), {},
                loc);
  if (session->pass != Session::Record || !isKnown(vec, loc) || !isKnown(to, loc))
    return;
  const Buffer &block = to.block();
  int64_t height = Reg::isRowMajor ? block.rows : block.cols,
          width = Reg::isRowMajor ? block.cols : block.rows;
  tile::parallel(
      {height, width},
      [&](tile::Index i, tile::Index j) {
        const tile::Arg value = f(tile::Arg(vec.storage(i), loc), tile::Arg(to.storage(i, j), loc));
        to.storage(i, j) = value;
      },
      loc);
}

struct AddOf {
  tile::Value operator()(const tile::Arg &a, const tile::Arg &b) const { return a + b; }
};
struct SubOf {
  tile::Value operator()(const tile::Arg &a, const tile::Arg &b) const { return a - b; }
};
struct MulOf {
  tile::Value operator()(const tile::Arg &a, const tile::Arg &b) const { return a * b; }
};
struct DivOf {
  tile::Value operator()(const tile::Arg &a, const tile::Arg &b) const { return a / b; }
};
struct MaxOf {
  tile::Value operator()(const tile::Arg &a, const tile::Arg &b) const { return tile::max(a, b); }
};
struct MinOf {
  tile::Value operator()(const tile::Arg &a, const tile::Arg &b) const { return tile::min(a, b); }
};
struct ExpOf {
  tile::Value operator()(const tile::Arg &x) const { return tile::exp(x); }
};
struct LogOf {
  tile::Value operator()(const tile::Arg &x) const { return tile::log(x); }
};
struct ReluOf {
  tile::Value operator()(const tile::Arg &x) const { return tile::max(x, 0); }
};

template <typename Reg, typename F> struct Unary {
  void operator()(const Reg &from, Reg &to, Loc loc = Loc::current()) const {
    map("function of", F(), to, loc, from);
  }
};
template <typename Reg, typename F> struct Binary {
  void operator()(const Reg &a, const Reg &b, Reg &to, Loc loc = Loc::current()) const {
    map("function of", F(), to, loc, a, b);
  }
};

} // namespace detail

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

template <typename Reg> using RegTileExp = detail::Unary<Reg, detail::ExpOf>;
template <typename Reg> using RegTileLog = detail::Unary<Reg, detail::LogOf>;
template <typename Reg> using RegTileRelu = detail::Unary<Reg, detail::ReluOf>;
template <typename Reg> using RegTileAdd = detail::Binary<Reg, detail::AddOf>;
template <typename Reg> using RegTileSub = detail::Binary<Reg, detail::SubOf>;
template <typename Reg> using RegTileMul = detail::Binary<Reg, detail::MulOf>;
template <typename Reg> using RegTileDiv = detail::Binary<Reg, detail::DivOf>;
template <typename Reg> using RegTileMax = detail::Binary<Reg, detail::MaxOf>;
template <typename Reg> using RegTileMin = detail::Binary<Reg, detail::MinOf>;

// The same for vectors, whose elements TileFusion takes for base tiles.
template <typename Vec> using BaseTileExp = RegTileExp<Vec>;
template <typename Vec> using BaseTileLog = RegTileLog<Vec>;
template <typename Vec> using BaseTileAdd = RegTileAdd<Vec>;
template <typename Vec> using BaseTileSub = RegTileSub<Vec>;
template <typename Vec> using BaseTileMul = RegTileMul<Vec>;
template <typename Vec> using BaseTileDiv = RegTileDiv<Vec>;
template <typename Vec> using BaseTileMax = RegTileMax<Vec>;
template <typename Vec> using BaseTileMin = RegTileMin<Vec>;

/// Rounds to the elements of another tile.
template <typename From, typename To> struct RegTileConvert {
  void operator()(const From &from, To &to, Loc loc = Loc::current()) const {
    detail::map(
        "conversion of",
        [](const tile::Arg &x) { return tile::cast(x, detail::dtypeOf<typename To::DType>()); }, to,
        loc, from);
  }
};
template <typename Reg> struct RegTileCopy {
  void operator()(const Reg &from, Reg &to, Loc loc = Loc::current()) const {
    detail::map("copy of", [](const tile::Arg &x) { return x; }, to, loc, from);
  }
};
template <typename Vec> using BaseTileCopy = RegTileCopy<Vec>;

/// to = scalar * from.
template <typename Reg> struct BroadcastScalarMul {
  void operator()(const Reg &from, double scalar, Reg &to, Loc loc = Loc::current()) const {
    detail::map(
        "product of", [scalar](const tile::Arg &x) { return x * tile::Arg(scalar); }, to, loc,
        from);
  }
};

//===----------------------------------------------------------------------===//
// Rows of a row-major tile, columns of a column-major one
//===----------------------------------------------------------------------===//

namespace detail {

template <typename Reg, tl::Layout kLayout, bool kIsMax> struct Reduction {
  static_assert(Reg::isRowMajor == (kLayout == tl::Layout::kRowMajor),
                "a row-major tile is reduced along its rows, a column-major one along its columns");
  template <typename Vec>
  void operator()(const Reg &from, Vec &to, Loc loc = Loc::current()) const {
    static_assert(Vec::isVector, "a reduction gives a vector: RegTile<T, RowMajor<rows, 2>>");
    session->equal.push_back({to.order, from.order, true});
    willRead(from);
    willWrite(to);
    session->note((kIsMax ? "maximum of " : "sum of ") + std::to_string(from.order) + " to " +
                      std::to_string(to.order),
                  {}, loc);
    if (session->pass != Session::Record || !isKnown(from, loc) || !isKnown(to, loc))
      return;
    if (kIsMax)
      tile::reduceMax(from.storage, to.storage, {.dim = 1}, loc);
    else
      tile::reduceSum(from.storage, to.storage, {.dim = 1}, loc);
  }
};

template <typename Vec, typename Reg, tl::Layout kLayout, typename F> struct Broadcasting {
  static_assert(Reg::isRowMajor == (kLayout == tl::Layout::kRowMajor),
                "a vector is broadcast along rows to a row-major tile, along columns to a "
                "column-major one");
  void operator()(const Vec &vec, Reg &to, Loc loc = Loc::current()) const {
    spread(
        "broadcast of", [](const tile::Arg &v, const tile::Arg &x) { return F()(x, v); }, vec, to,
        loc);
  }
};

} // namespace detail

template <typename Reg, tl::Layout kLayout>
using SumReduce = detail::Reduction<Reg, kLayout, /*kIsMax=*/false>;
template <typename Reg, tl::Layout kLayout>
using MaxReduce = detail::Reduction<Reg, kLayout, /*kIsMax=*/true>;

/// tile = vector, for each of its rows or columns.
template <typename Vec, typename Reg, tl::Layout kLayout> struct Broadcast {
  void operator()(const Vec &vec, Reg &to, Loc loc = Loc::current()) const {
    detail::spread(
        "broadcast of", [](const tile::Arg &v, const tile::Arg &) { return v; }, vec, to, loc);
  }
};
template <typename Vec, typename Reg, tl::Layout kLayout>
using BroadcastAdd = detail::Broadcasting<Vec, Reg, kLayout, detail::AddOf>;
template <typename Vec, typename Reg, tl::Layout kLayout>
using BroadcastSub = detail::Broadcasting<Vec, Reg, kLayout, detail::SubOf>;
template <typename Vec, typename Reg, tl::Layout kLayout>
using BroadcastMul = detail::Broadcasting<Vec, Reg, kLayout, detail::MulOf>;
template <typename Vec, typename Reg, tl::Layout kLayout>
using BroadcastDiv = detail::Broadcasting<Vec, Reg, kLayout, detail::DivOf>;

// TileFusion's programs open these.
namespace cell {
namespace copy {}
namespace compute {
using namespace tilefusion;
}
} // namespace cell

} // namespace tilec::tilefusion

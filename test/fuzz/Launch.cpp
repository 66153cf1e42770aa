//===- Launch.cpp - one T.Kernel: its grid, its tiles, what it does -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include <algorithm>

namespace tilec::fuzz {
namespace {

bool isPowerOfTwo(int64_t v) { return (v & (v - 1)) == 0; }

/// Shared memory that a program may ask for: gfx942 has 64 KiB, and pipelines
/// keep several slots.
constexpr int64_t maxSharedBytes = 20 << 10;

} // namespace

DType Generator::floatType() {
  static const DType types[] = {DType::F32,      DType::F32,  DType::F32,      DType::F16,
                                DType::F16,      DType::BF16, DType::BF16,     DType::E4M3FN,
                                DType::E4M3FNUZ, DType::E5M2, DType::E5M2FNUZ, DType::F64,
                                DType::E2M1};
  return types[spread("float type", std::size(types))];
}
DType Generator::intType() {
  static const DType types[] = {DType::I32, DType::I32, DType::I8,  DType::U8,
                                DType::I16, DType::U16, DType::U32, DType::I64,
                                DType::U64, DType::I4,  DType::U4};
  return types[spread("integer type", std::size(types))];
}
DType Generator::anyType() {
  return rng.percent(68) ? floatType() : rng.percent(85) ? intType() : DType::Bool;
}

void Generator::chooseShape() {
  bool isOdd = rng.percent(30);
  int64_t limit = rng.percent(15) ? 2048 : 1024;
  do {
    P = isOdd ? rng.pick({4, 12, 17, 20, 24, 40, 48, 33, 1, 16})
              : rng.pick({8, 16, 16, 32, 32, 64, 1});
    Q = isOdd ? rng.pick({12, 20, 24, 40, 48, 56, 80, 33, 16})
              : rng.pick({8, 16, 32, 32, 64, 64, 128});
  } while (P * Q > limit);
  threads = P * Q > 2048 ? 256 : rng.pick({64, 128, 128, 128, 192, 256});
}

/// What a launch computes on: [M, N] tensors in tiles of [P, Q].
void Generator::launch(bool isFirst) {
  tiles.clear();
  scalars.clear();
  sharedBytes = 0;
  isPersistent = false;
  chooseShape();
  if (isFirst) {
    gm = rng.pick({1, 2, 2});
    gn = rng.pick({1, 1, 2});
    M = gm * P;
    N = gn * Q;
    if (rng.percent(38) && P > 1)
      M -= rng.between(1, P - 1);
    if (rng.percent(38))
      N -= rng.percent(50) ? rng.between(1, Q - 1) : 2 * rng.between(1, Q / 2 - 1);
    N = std::max<int64_t>(N, 8); // rows: see sinkShortRows
    m = std::to_string(M);
    n = std::to_string(N);
    isDynamic = rng.percent(13);
    bool isNamed = style == Style::Eager || rng.percent(30);
    if (isDynamic) {
      m = "m";
      consts.push_back("m = T." + spreadName("dynamic", {"dynamic", "symbolic"}) + "(\"m\")");
      runOptions.push_back("--dim m=" + std::to_string(M));
    } else if (isNamed) {
      m = "M";
      if (style != Style::Eager)
        consts.push_back("M = " + std::to_string(M));
    }
    if (isNamed) {
      n = "N";
      if (style != Style::Eager)
        consts.push_back("N = " + std::to_string(N));
    }
  }
  gm = (M + P - 1) / P;
  gn = (N + Q - 1) / Q;
  isRaggedM = M % P != 0;
  isRaggedN = N % Q != 0;
  if (isRaggedM || isRaggedN)
    traits.insert("ragged");
  p = std::to_string(P);
  q = std::to_string(Q);
  if (rng.percent(25)) {
    std::string block = fresh("block");
    p = block;
    consts.push_back(block + " = " + std::to_string(P));
  }
  openBlock([&] { body(); });
}

/// The grid, as launched blocks or as T.Persistent.
void Generator::openBlock(const std::function<void()> &inside) {
  std::string gridM = "T.ceildiv(" + m + ", " + p + ")", gridN = "T.ceildiv(" + n + ", " + q + ")";
  std::string tail =
      threads == 128 && rng.percent(40) ? "" : ", threads=" + std::to_string(threads);
  auto bases = [&] {
    rowBase = by + " * " + p;
    colBase = bx == "0" ? "0" : bx + " * " + q;
  };
  if (rng.percent(10) && !isDynamic) {
    int64_t waves = rng.between(1, 3);
    isPersistent = true;
    by = "by";
    bx = "bx";
    Suite kernel(*this, "with T.Kernel(" + std::to_string(waves) + tail + ") as worker:");
    Suite loop(*this,
               "for by, bx in T.Persistent([" + gridM + ", " + gridN + "], " +
                   std::to_string(waves) + ", worker" +
                   (rng.percent(70) ? ", group_size=" + std::to_string(rng.between(1, 4)) : "") +
                   "):");
    bases();
    inside();
    return;
  }
  if (gn == 1 && !isDynamic && rng.percent(50)) {
    by = "by";
    bx = "0";
    bases();
    Suite kernel(*this, "with T.Kernel(" + gridM + tail + ") as by:");
    inside();
    return;
  }
  by = "by";
  bx = "bx";
  bases();
  bool isRowsFirst = rng.percent(30);
  Suite kernel(*this, "with T.Kernel(" +
                          (isRowsFirst ? gridM + ", " + gridN : gridN + ", " + gridM) + tail +
                          ") as (" + (isRowsFirst ? "by, bx" : "bx, by") + "):");
  hints();
  inside();
}

/// Statements that change nothing.
void Generator::hints() {
  if (rng.percent(10))
    line("T.use_swizzle(" + std::string(rng.percent(50) ? "panel_size=" : "") +
         std::to_string(rng.between(1, 8)) + (rng.percent(30) ? ", order=\"column\"" : "") + ")");
  if (rng.percent(12))
    line("T.assume(" + by + " >= 0)");
}

/// More of them, about the tensors and tiles that are there.
void Generator::bodyHints() {
  if (!tensors.empty() && rng.percent(45)) {
    std::string tensor = tensors.front()->name;
    line("T." + std::vector<std::string>{
                    "annotate_l2_hit_ratio({" + tensor + ": 0.5})",
                    "annotate_restrict_buffers(" + tensor + ")",
                    "annotate_min_blocks_per_sm(2)",
                    "annotate_compile_flags([\"-O3\"])",
                    "annotate_pass_configs({\"tl.enable_fast_math\": True})",
                    "disable_warp_group_reg_alloc()",
                    "set_max_nreg(" + std::to_string(8 * rng.between(3, 30)) + ", " +
                        std::to_string(rng.below(2)) + ")",
                }[static_cast<size_t>(spread("hint", 7))]);
  }
  Tile *t = rng.percent(35) ? pickTile([&](const Tile &t) { return isFull(t); }) : nullptr;
  if (!t)
    return;
  std::string shape = "(" + std::to_string(P) + ", " + std::to_string(Q) + ")";
  line("T.annotate_layout({" + t->name + ": " +
       (t->isShared ? "T.Layout(" + shape + ", lambda i, j: i * " + std::to_string(Q) + " + j)"
                    : "T.Fragment(" + shape + ", forward_fn=lambda i, j: (i, j))") +
       "})");
}

void Generator::body() {
  int sources = static_cast<int>(rng.between(1, 2));
  for (int i = 0; i < sources; ++i)
    source();
  bodyHints();
  int transforms = static_cast<int>(rng.between(3, 7));
  elementwiseInto(
      fullTile(rng.pick({DType::F32, DType::F32, DType::F16, DType::BF16}), rng.percent(45)),
      false);
  for (int i = 0; i < transforms; ++i)
    transform();
  for (size_t i = 0; i < tiles.size(); ++i)
    sink(*tiles[i]);
}

bool Generator::fitsShared(DType type, const std::vector<int64_t> &shape) const {
  int64_t bytes = bytesOf(type);
  for (int64_t size : shape)
    bytes *= size;
  return sharedBytes + bytes <= maxSharedBytes;
}

Tile &Generator::alloc(bool isShared, DType type, std::vector<int64_t> shape) {
  isShared &= fitsShared(type, shape);
  auto tile = std::make_unique<Tile>();
  tile->name = fresh(isShared ? "sh" : "fr");
  tile->type = type;
  tile->shape = std::move(shape);
  tile->isShared = isShared;
  std::string extents;
  int64_t bytes = bytesOf(type);
  for (int64_t size : tile->shape) {
    extents += (extents.empty() ? "" : ", ") +
               (size == P && p != std::to_string(P) ? p : std::to_string(size));
    bytes *= size;
    if (!isPowerOfTwo(size))
      traits.insert("nonpow2");
  }
  if (tile->shape.size() == 1)
    extents += ",";
  if (isShared)
    sharedBytes += bytes;
  std::string scope = isShared && rng.percent(15) ? ", scope=\"shared\"" : "";
  line(tile->name + " = T.alloc_" + (isShared ? "shared" : "fragment") + "((" + extents + "), " +
       dtypeText(type) + scope + ")");
  tiles.push_back(std::move(tile));
  return *tiles.back();
}

std::vector<Tile *> Generator::tilesOf(const std::vector<int64_t> &shape) {
  std::vector<Tile *> out;
  for (auto &tile : tiles)
    if (tile->isReady && tile->shape == shape)
      out.push_back(tile.get());
  return out;
}

Tile *Generator::pickTile(const std::function<bool(const Tile &)> &want) {
  std::vector<Tile *> out;
  for (auto &tile : tiles)
    if (tile->isReady && want(*tile))
      out.push_back(tile.get());
  return out.empty() ? nullptr : rng.pick(out);
}

} // namespace tilec::fuzz

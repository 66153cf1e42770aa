//===- Gemms.cpp - matrix products in all their forms ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include <algorithm>

namespace tilec::fuzz {
namespace {

std::string flag(const char *name, bool value) {
  return value ? std::string(", ") + name + "=True" : "";
}

/// Facts of a sum of `count` products.
Facts dotFacts(const Facts &a, const Facts &b, int64_t count, bool isInteger) {
  double mag = a.mag() * b.mag() * double(count);
  Facts out{-mag, mag, isInteger, 0, isInteger ? 1.0 : 0};
  double step = a.step * b.step;
  if (!isInteger && a.exact && b.exact && step > 0 && mag / step < 1 << 24) {
    out.exact = true; // every partial sum is representable
    out.step = step;
  }
  return out;
}

} // namespace

/// A tile of a tensor into an operand's buffer, by copy or by a loop that is
/// one.
void Generator::copyOperand(Tensor &from, const std::string &row, const std::string &col,
                            Tile &to) {
  if (rng.percent(85)) {
    line("T.copy(" + from.name + "[" + row + ", " + col + "], " + to.name + ")");
    return;
  }
  Suite loop(*this, "for i, j in T.Parallel(" + std::to_string(to.shape[0]) + ", " +
                        std::to_string(to.shape[1]) + "):");
  line(to.name + "[i, j] = " + from.name + "[" + row + " + i, " + col + " + j]");
}

/// C = A B over a loop of K tiles.
void Generator::gemm() {
  DType type = rng.pick({DType::F16, DType::F16, DType::F16, DType::BF16, DType::BF16, DType::F32,
                         DType::I8, DType::E4M3FN, DType::E5M2, DType::E4M3FNUZ, DType::E5M2FNUZ,
                         DType::U8, DType::I4, DType::U4, DType::E2M1, DType::F64});
  bool isInt = isInteger(type), ta = rng.percent(25), tb = rng.percent(55);
  int64_t R = rng.pick({16, 32, 32, 64, 48, 24, 8}), rounds = rng.between(1, 4);
  int64_t stages = rng.between(0, 4);
  while (R > 8 && !fitsShared(type, {(P + Q) * std::max<int64_t>(stages, 1), R}))
    R = R > 16 ? 16 : 8;
  int64_t K = rounds * R - (rng.percent(30) ? rng.between(1, R - 1) : 0);
  if (K % R)
    traits.insert("ragged");
  traits.insert("gemm");
  std::string k = std::to_string(K), r = std::to_string(R);
  Tensor &A = input(type, ta ? "(" + k + ", " + m + ")" : "(" + m + ", " + k + ")", true);
  Tensor &B = input(type, tb ? "(" + n + ", " + k + ")" : "(" + k + ", " + n + ")", true);
  Tile &a = alloc(true, type, ta ? std::vector<int64_t>{R, P} : std::vector<int64_t>{P, R});
  Tile &b = alloc(true, type, tb ? std::vector<int64_t>{Q, R} : std::vector<int64_t>{R, Q});
  Tile &c = alloc(false,
                  isInt                                   ? DType::I32
                  : type == DType::F64 && rng.percent(50) ? DType::F64
                                                          : DType::F32,
                  {P, Q});
  sharedBytes += std::max<int64_t>(stages - 1, 0) * (P + Q) * R * bytesOf(type);
  a.facts = A.facts.withZero();
  b.facts = B.facts.withZero();
  Tile *fragment = nullptr;
  if (!ta && rng.percent(20)) {
    fragment = &alloc(false, type, a.shape);
    fragment->facts = a.facts;
  }
  bool isClearing = rng.percent(15);
  if (!isClearing)
    line(rng.percent(70) ? "T.clear(" + c.name + ")" : "T.fill(" + c.name + ", 0)");
  if (rng.percent(5))
    line("T.annotate_layout({" + a.name + ": tilelang.layout.make_swizzled_layout(" + a.name +
         ")})");
  {
    std::string count = "T.ceildiv(" + k + ", " + r + ")";
    std::string head = stages == 0 ? "for k in T.serial(" + count + "):"
                                   : "for k in T.Pipelined(" + count +
                                         ", num_stages=" + std::to_string(stages) + "):";
    if (stages > 1)
      traits.insert("pipelined");
    Suite loop(*this, head);
    copyOperand(A, ta ? "k * " + r : rowBase, ta ? rowBase : "k * " + r, a);
    copyOperand(B, tb ? colBase : "k * " + r, tb ? "k * " + r : colBase, b);
    if (fragment)
      line("T.copy(" + a.name + ", " + fragment->name + ")");
    std::string policy;
    if (rng.percent(15))
      policy = ", policy=T.GemmWarpPolicy." +
               rng.pick({std::string("FullRow"), std::string("FullCol"), std::string("Square")});
    line("T.gemm(" + (fragment ? fragment->name : a.name) + ", " + b.name + ", " + c.name +
         flag("transpose_A", ta) + flag("transpose_B", tb) + policy +
         (isClearing ? ", clear_accum=k == 0" : "") + (rng.percent(14) ? ", k_pack=2" : "") + ")");
  }
  c.facts = dotFacts(A.facts, B.facts, K, isInt);
  c.isReady = true;
  // Operands hold their last tiles after the loop; reading them there keeps
  // them from running ahead.
  bool keeps = rng.percent(8);
  a.isReady = b.isReady = keeps;
  if (fragment)
    fragment->isReady = keeps;
}

/// A product of a tile that is there already, like the second one of attention.
void Generator::tileGemm() {
  DType type = rng.pick({DType::F16, DType::BF16, DType::F32});
  Tile *from = pickTile([&](const Tile &t) {
    return isFull(t) && isFloat(t.type) && t.type != DType::F64 && t.facts.mag() < 50 &&
           t.facts.exact;
  });
  int64_t S = rng.pick({16, 32, 24, 64});
  if (!from || S * P > 2048 || !fitsShared(type, {Q, S}))
    return;
  traits.insert("gemm");
  bool tb = rng.percent(40);
  Tile *a = from;
  if (from->type != type) {
    a = &fullTile(type, rng.percent(35));
    line("T.copy(" + from->name + ", " + a->name + ")");
    a->facts = stored(from->facts, type);
    a->isReady = true;
  }
  std::string extent = std::to_string(S);
  Tensor &B =
      input(type, tb ? "(" + extent + ", " + q + ")" : "(" + q + ", " + extent + ")", false);
  Tile &b = alloc(true, type, tb ? std::vector<int64_t>{S, Q} : std::vector<int64_t>{Q, S});
  Tile &c = alloc(false, DType::F32, {P, S});
  line("T.copy(" + B.name + ", " + b.name + ")");
  bool clears = rng.percent(40);
  if (!clears)
    line("T.clear(" + c.name + ")");
  line("T.gemm(" + a->name + ", " + b.name + ", " + c.name + flag("transpose_B", tb) +
       flag("clear_accum", clears) + ")");
  b.facts = B.facts;
  b.isReady = true;
  c.facts = dotFacts(a->facts, B.facts, Q, false);
  c.isReady = true;
}

} // namespace tilec::fuzz

//===- Sources.cpp - statements that bring a first tile -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include <algorithm>

namespace tilec::fuzz {

void Generator::source() {
  int64_t roll = spread("source", 100);
  if (roll < 39)
    return gemm();
  if (roll < 50)
    return pipelinedAccumulate();
  if (roll < 58)
    return im2colLoad();
  if (roll < 66)
    return stridedLoad();
  if (roll < 71)
    return safeValueLoad();
  if (roll < 76)
    return gatherLoad();
  // Its elements are powers of two: there is none for what lies outside of a
  // tensor.
  if (!isRaggedM && !isRaggedN && rng.percent(45))
    return void(loadTile(DType::E8M0));
  loadTile(anyType());
}

/// A new tile with a box of a new tensor.
Tile &Generator::loadTile(DType type) {
  bool isFromBefore = !readable.empty() && rng.percent(60);
  Tensor &from = isFromBefore ? *rng.pick(readable)
                              : input(type, "(" + m + ", " + n + ")", isRaggedM || isRaggedN);
  Tile &t =
      fullTile(rng.percent(75) || !isFloat(from.type) ? from.type : floatType(), rng.percent(50));
  return loadInto(t, from);
}

Tile &Generator::loadInto(Tile &t, Tensor &from) {
  std::string box = from.name + "[" + rowBase + ", " + colBase + "]";
  std::string hint;
  if (rng.percent(50))
    hint = spreadName("copy hint",
                      {", disable_tma=True", ", coalesced_width=2", ", prefer_instruction=\"sync\"",
                       ", disable_tma=True", ", prefer_instruction=\"cp_async\""});
  t.facts = stored(from.facts.withZero(), t.type);
  switch (rng.below(4)) {
  case 0:
    line("T.copy(" + box + ", " + t.name + hint + ")");
    break;
  case 1: {
    std::string columns = bx == "0" ? "0:" + q : bx + " * " + q + ":(" + bx + " + 1) * " + q;
    line("T.copy(" + from.name + "[" + by + " * " + p + ":(" + by + " + 1) * " + p + ", " +
         columns + "], " + t.name + hint + ")");
    break;
  }
  case 2: {
    Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
    line(t.name + "[i, j] = " + from.name + "[" + rowBase + " + i, " + colBase + " + j]");
    break;
  }
  default:
    if (!t.isShared && fitsShared(from.type, t.shape)) {
      Tile &staging = fullTile(from.type, true);
      staging.facts = from.facts.withZero();
      line("T.copy(" + box + ", " + staging.name + ")");
      line("T.copy(" + staging.name + ", " + t.name + ")");
      staging.isReady = true;
    } else {
      line("T.copy(" + box + ", " + t.name + hint + ")");
    }
  }
  t.isReady = true;
  return t;
}

/// What is read outside of the tensor is not zero here.
void Generator::safeValueLoad() {
  DType type = rng.pick({DType::F32, DType::F16, DType::I32, DType::BF16, DType::I8, DType::U4});
  Tensor &from = input(type, "(" + m + ", " + n + ")", false);
  Tile &t = fullTile(type, rng.percent(40));
  int64_t safe = rng.between(1, 5);
  line("T.annotate_safe_value({" + from.name + ": " + std::to_string(safe) + "})");
  int64_t shift = rng.between(0, 3);
  Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
  line(t.name + "[i, j] = " + from.name + "[" + rowBase + " + i - " + std::to_string(shift) + ", " +
       colBase + " + j + " + std::to_string(shift) + "]");
  t.facts = from.facts.hull({double(safe), double(safe), true, 0, 1});
  t.isReady = true;
}

void Generator::stridedLoad() {
  DType type = rng.pick(
      {DType::F32, DType::F16, DType::BF16, DType::I32, DType::E4M3FN, DType::U8, DType::I4});
  std::string name = fresh("S");
  int64_t pitch = N + rng.between(0, 9);
  std::string shape = "(" + m + ", " + n + ")", strides = "(" + std::to_string(pitch) + ", 1)";
  std::string annotation =
      spread("strided", 2)
          ? "T.StridedTensor(" + shape + ", " + strides + ", " + quoted(type) + ")"
          : "T.Tensor(" + shape + ", " + quoted(type) + ", strides=" + strides + ")";
  if (style == Style::Eager) {
    params.push_back(name);
    annotations[name] = annotation;
  } else {
    params.push_back(name + ": " + annotation);
  }
  if (isFloat(type))
    runOptions.push_back("--arg " + name + "=uniform");
  Tensor from;
  from.name = name;
  from.type = type;
  from.facts = isFloat(type) ? Facts{-1, 1, true, 0, 0}
                             : Facts{isUnsigned(type) ? 0.0 : -8.0, 15, true, 0, 1};
  Tile &t = fullTile(type, rng.percent(50));
  loadInto(t, from);
}

void Generator::im2colLoad() {
  DType type = rng.pick({DType::F16, DType::F32, DType::BF16});
  int64_t kernel = rng.between(1, 3), stride = rng.between(1, 2), dilation = rng.between(1, 2),
          pad = rng.between(0, 2);
  int64_t size = rng.between(6, 9), channels = rng.pick({4, 8, 3});
  Tensor &image = input(type,
                        "(2, " + std::to_string(size) + ", " + std::to_string(size + 1) + ", " +
                            std::to_string(channels) + ")",
                        true);
  Tile &t = fullTile(type, rng.percent(60) || true);
  line("T." + spreadName("im2col", {"im2col", "c2d_im2col"}) + "(" + image.name + ", " + t.name +
       ", " + by + ", " + bx + ", " + std::to_string(kernel) + ", " + std::to_string(stride) +
       ", " + std::to_string(dilation) + ", " + std::to_string(pad) + ")");
  t.facts = image.facts.withZero();
  t.isReady = true;
}

/// An index that is data.
void Generator::gatherLoad() {
  Tensor &index = input(DType::I32, "(" + m + ", " + n + ")", true);
  Tensor &table =
      input(rng.pick({DType::F32, DType::F16, DType::I32, DType::U8, DType::I4, DType::E2M1}),
            "(20,)", false);
  Tile &t = fullTile(table.type, rng.percent(40));
  std::string place = index.name + "[" + rowBase + " + i, " + colBase + " + j]";
  Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
  if (rng.percent(50)) {
    line("at = " + place + " + 8");
    line(t.name + "[i, j] = " + table.name + "[at]");
  } else {
    // Also outside of the table, where zero is read.
    line(t.name + "[i, j] = " + table.name + "[" + place + " * 3 + 2]");
  }
  t.facts = table.facts.withZero();
  t.isReady = true;
}

/// A pipelined loop without a gemm: every iteration's tile counts.
void Generator::pipelinedAccumulate() {
  DType type = rng.pick({DType::F32, DType::F16, DType::BF16, DType::I8, DType::I32, DType::I4,
                         DType::U4, DType::E2M1, DType::E4M3FN});
  DType sumType = isFloat(type) ? DType::F32 : DType::I32;
  int64_t rounds = rng.between(1, 6), stages = rng.between(1, 4);
  if (!fitsShared(type, {P, Q * stages}))
    stages = 1;
  int64_t K = rounds * Q - (rng.percent(40) ? rng.between(1, Q - 1) : 0);
  Tensor &from = input(type, "(" + m + ", " + std::to_string(K) + ")", true);
  Tile &acc = fullTile(sumType, false), &s = fullTile(type, true);
  sharedBytes += (stages - 1) * P * Q * bytesOf(type);
  line("T.fill(" + acc.name + ", 0)");
  if (stages > 1 && s.isShared)
    traits.insert("pipelined");
  {
    Suite loop(*this, "for k in T.Pipelined(" + std::to_string(rounds) +
                          ", num_stages=" + std::to_string(stages) + "):");
    line("T.copy(" + from.name + "[" + rowBase + ", k * " + q + "], " + s.name + ")");
    Suite inner(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
    std::string a = acc.name + "[i, j]", e = s.name + "[i, j]";
    if (!isFloat(type))
      line(a + " = " + a + " * 3 + " + e);
    else if (rng.percent(50))
      line(a + " = " + a + " * 0.5 + " + e);
    else
      line(a + " = T.max(" + a + ", " + e + " * (k + 1))");
  }
  double mag = from.facts.mag() * 8;
  acc.facts = isFloat(type) ? Facts{-mag, mag, true, 0, 0} : Facts{-6000, 6000, true, 0, 1};
  s.facts = from.facts.withZero();
  acc.isReady = true;
  s.isReady = rng.percent(50); // its last tile is read after the loop, or not
  if (!s.isReady)
    tiles.erase(std::find_if(tiles.begin(), tiles.end(), [&](auto &t) { return t.get() == &s; }));
}

} // namespace tilec::fuzz

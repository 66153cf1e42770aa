//===- Views.cpp - tiles and tensors as arrays of other shapes and dtypes -===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

namespace tilec::fuzz {

void Generator::viewTile() {
  switch (spread("view", 7)) {
  case 0:
  case 1:
    return bitsOfTile();
  case 2:
    return writeThroughView();
  case 3:
  case 4:
    return viewOfTensor();
  default:
    return reshapedTile();
  }
}

/// The name of a view of `source`: `T.view` or `T.reshape`.
std::string Generator::reshaped(const std::string &source, const std::string &shape) {
  std::string name = fresh("view");
  line(name + " = T." + spreadName("reshape", {"view", "reshape", "reshape"}) + "(" + source +
       ", " + shape + ")");
  return name;
}

/// The same elements in another shape, by elements or as a tile.
void Generator::reshapedTile() {
  Tile *t = pickTile([&](const Tile &t) { return isFull(t); });
  if (!t)
    t = &loadTile(anyType());
  std::string count = std::to_string(P * Q), flat = "i * " + std::to_string(Q) + " + j";
  int64_t form = rng.below(4);
  if (form == 0) {
    std::string view = reshaped(t->name, "(" + std::to_string(Q) + ", " + std::to_string(P) + ")");
    Tile &out = alloc(rng.percent(50), t->type, {Q, P});
    line("T.copy(" + view + ", " + out.name + ")");
    out.facts = t->facts;
    out.isReady = true;
    return;
  }
  std::string shape, index;
  if (form == 1) {
    shape = "(" + std::to_string(Q) + ", " + std::to_string(P) + ")";
    index = "(" + flat + ") // " + std::to_string(P) + ", (" + flat + ") % " + std::to_string(P);
  } else if (form == 2 && Q % 2 == 0) {
    shape = "(" + std::to_string(P) + ", " + std::to_string(Q / 2) + ", 2)";
    index = "i, j // 2, j % 2";
  } else {
    shape = rng.percent(50) ? "(" + count + ",)" : "[" + count + "]";
    index = flat;
  }
  std::string view = reshaped(t->name, shape);
  Tile &out = fullTile(t->type, rng.percent(30));
  Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
  line(out.name + "[i, j] = " + view + "[" + index + "]");
  out.facts = t->facts;
  out.isReady = true;
}

/// The bits of a shared tile as integers of the same width, as bytes, or four
/// bytes as one. Devices may differ in the sign of a zero: signs of floats are
/// masked.
void Generator::bitsOfTile() {
  Tile *t = pickTile([&](const Tile &t) {
    return isFull(t) && t.isShared && t.facts.exact && bitsOf(t.type) >= 8 &&
           t.type != DType::Bool && t.type != DType::E8M0;
  });
  if (!t) {
    DType type = rng.pick({DType::F32, DType::F16, DType::I32, DType::U8, DType::BF16});
    if (!fitsShared(type, {P, Q}))
      return;
    t = &fullTile(type, true);
    loadInto(*t, input(type, "(" + m + ", " + n + ")", true));
  }
  unsigned bytes = bytesOf(t->type);
  std::string view = fresh("bits");
  DType type = bytes == 1   ? rng.pick({DType::U8, DType::I8})
               : bytes == 2 ? rng.pick({DType::U16, DType::I16})
               : bytes == 4 ? rng.pick({DType::U32, DType::I32})
                            : rng.pick({DType::U64, DType::I64});
  std::string index = "i, j";
  int64_t form = rng.below(3);
  if (form == 0 && bytes > 1) {
    type = DType::U8;
    int64_t byte = rng.below(isFloat(t->type) ? bytes - 1 : bytes);
    index = "i, j * " + std::to_string(bytes) + " + " + std::to_string(byte);
    line(view + " = T.view(" + t->name + ", dtype=\"uint8\")");
  } else if (form == 1 && bytes == 1 && Q % 4 == 0 && !isFloat(t->type)) {
    type = DType::I32;
    index = "i, j // 4";
    line(view + " = T.view(" + t->name + ", (" + p + ", " + std::to_string(Q / 4) +
         "), \"int32\")");
  } else if (rng.percent(50)) {
    index = "i * " + std::to_string(Q) + " + j";
    line(view + " = T.view(" + t->name + ", (" + std::to_string(P * Q) + ",), " + quoted(type) +
         ")");
  } else {
    line(view + " = T.view(" + t->name + ", dtype=" + quoted(type) + ")");
  }
  Tile &out = fullTile(type, rng.percent(30));
  Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
  bool hasSign = isFloat(t->type) && index.find("* " + std::to_string(bytes)) == std::string::npos;
  line(out.name + "[i, j] = " + view + "[" + index + "]" + (hasSign ? " << 1" : ""));
  out.facts = {minValue(type), maxValue(type), true, 0, 1};
  out.isReady = true;
}

/// A tile that is written through a view of it.
void Generator::writeThroughView() {
  DType type = rng.pick({DType::F32, DType::I32, DType::F16, DType::U8, DType::I16});
  Tile &out = fullTile(type, rng.percent(60));
  bool isFlat = rng.percent(60);
  std::string view =
      reshaped(out.name, isFlat ? "(" + std::to_string(P * Q) + ",)"
                                : "(" + std::to_string(Q) + ", " + std::to_string(P) + ")");
  int64_t factor = rng.between(1, 9);
  std::string place = isFlat ? "i" : "i * " + std::to_string(P) + " + j";
  Suite loop(*this, isFlat ? "for i in T.Parallel(" + std::to_string(P * Q) + "):"
                           : "for i, j in T.Parallel(" + std::to_string(Q) + ", " +
                                 std::to_string(P) + "):");
  line(view + (isFlat ? "[i]" : "[i, j]") + " = T.cast((" + place + ") * " +
       std::to_string(factor) + " % 31 + " + by + ", " + quoted(type) + ")");
  out.facts = {0, 40, true, 0, 1};
  out.isReady = true;
}

/// A tensor as a vector, or as the integers that its bits are.
void Generator::viewOfTensor() {
  if (isDynamic)
    return reshapedTile();
  DType type = anyType();
  Tensor &from = input(type, "(" + m + ", " + n + ")", isRaggedM || isRaggedN);
  if ((type == DType::F32 || type == DType::F16) && rng.percent(50)) {
    DType bits = type == DType::F32 ? DType::I32 : DType::U16;
    std::string view = fresh("bits");
    line(view + " = T.view(" + from.name + ", (" + std::to_string(M) + ", " + std::to_string(N) +
         "), " + quoted(bits) + ")");
    Tile &out = fullTile(bits, rng.percent(50));
    line("T.copy(" + view + "[" + rowBase + ", " + colBase + "], " + out.name + ")");
    out.facts = {minValue(bits), maxValue(bits), true, 0, 1};
    out.isReady = true;
    return;
  }
  std::string count = std::to_string(M * N), view;
  if (rng.percent(70)) {
    view = fresh("view");
    line(view + " = T.Tensor((" + count + ",), " + quoted(type) + ", " + from.name + ".data)");
  } else {
    view = reshaped(from.name, "(" + count + ",)");
  }
  Tile &out = fullTile(type, rng.percent(40));
  Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
  // Past the end of the vector is zero as well; its elements wrap into rows.
  line(out.name + "[i, j] = " + view + "[(" + rowBase + " + i) * " + std::to_string(N) + " + " +
       colBase + " + j]");
  out.facts = from.facts.withZero();
  out.isReady = true;
}

} // namespace tilec::fuzz

//===- Products.cpp - mma.sync --------------------------------------------===//
//
// Fragments (PTX ISA 9.0, "Matrix fragments for mma.m16n8kX"): a register holds e =
// 32 / bits elements that follow each other along k. Register i of A: row lane / 4 +
// 8 (i % 2), k = e (lane % 4) + 4 e (i / 2); of B: column lane / 4, k = e (lane % 4) +
// 4 e i; of C: row lane / 4 + 8 (i / 2), column 2 (lane % 4) + i % 2, two to a register
// where they are f16.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Elements.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {
namespace {

constexpr unsigned rows = 16, columns = 8, maxK = 64;

/// The undefined lanes of any operand poison every result: a fault is what a reader wants.
Step multiply(Warp &warp, const Instruction &instr, uint32_t lanes) {
  float a[rows][maxK], b[maxK][columns];
  unsigned elements = 4 / bytesOf(instr.aType), bits = 32 / elements;
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  uint32_t defined = allLanes;
  for (auto [i, part] : enumerate(instr.args[1].parts)) {
    Value value = warp.in(part);
    defined &= value.defined;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      for (unsigned e = 0; e < elements; ++e)
        a[lane / 4 + 8 * (i % 2)][elements * (lane % 4) + e + 4 * elements * (i / 2)] =
            floatElement(instr.aType, uint32_t(value[lane]) >> (bits * e) & mask);
  }
  for (auto [i, part] : enumerate(instr.args[2].parts)) {
    Value value = warp.in(part);
    defined &= value.defined;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      for (unsigned e = 0; e < elements; ++e)
        b[elements * (lane % 4) + e + 4 * elements * i][lane / 4] =
            floatElement(instr.bType, uint32_t(value[lane]) >> (bits * e) & mask);
  }
  bool isInt = instr.type == Ty::S32, isHalf = instr.type == Ty::F16;
  unsigned perRegister = isHalf ? 2 : 1;
  std::vector<Value> sums;
  for (const Operand &part : instr.args[3].parts) {
    sums.push_back(warp.in(part));
    defined &= sums.back().defined;
  }
  uint64_t results[4][warpLanes] = {};
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
      uint64_t old = sums[i / perRegister][lane];
      uint64_t &result = results[i / perRegister][lane];
      if (isInt) {
        int64_t sum = int32_t(old);
        for (unsigned k = 0; k < instr.k; ++k)
          sum += int64_t(a[row][k]) * int64_t(b[k][column]);
        result = uint32_t(sum);
        continue;
      }
      double sum = isHalf ? double(floatOfHalf(uint16_t(old >> (16 * (i % 2)))))
                          : double(unpack<float>(old));
      for (unsigned k = 0; k < instr.k; ++k)
        sum += double(a[row][k]) * double(b[k][column]);
      result |= isHalf ? uint64_t(halfOfFloat(sum)) << (16 * (i % 2)) : pack(float(sum));
    }
  for (auto [i, part] : enumerate(instr.args[0].parts))
    warp.out(part, lanes, results[i], defined == allLanes ? allLanes : 0);
  return Step::Next;
}

} // namespace

bool decodeProducts(const Statement &s, Instruction &i) {
  if (s.opcode != "mma" || s.mods.size() < 9 || s.has("sp") || s.has("block_scale"))
    return false;
  // mma.sync.aligned.m16n8kK.row.col.D.A.B.C, perhaps with .satfinite
  size_t types = s.mods.size() - 4;
  i.type = parseType(s.mods[types]);
  i.aType = parseType(s.mods[types + 1]);
  i.bType = parseType(s.mods[types + 2]);
  StringRef shape = s.mods[2];
  unsigned k = 0;
  if (!shape.consume_front("m16n8k") || shape.getAsInteger(10, k) || k > maxK)
    return false;
  i.k = k;
  unsigned elements = bytesOf(i.aType) ? 4 / bytesOf(i.aType) : 0;
  if (!elements || bytesOf(i.aType) > 4 || s.has("satfinite") || s.has("xor") || s.has("and"))
    return false;
  size_t accumulators = i.type == Ty::F16 ? 2 : 4;
  bool fits =
      i.args.size() == 4 && i.args[0].parts.size() == accumulators &&
      i.args[3].parts.size() == accumulators && i.args[2].parts.size() == k / elements / 4 &&
      i.args[1].parts.size() == k / elements / 2 && (i.type == Ty::S32) == isIntElement(i.aType) &&
      (i.type == Ty::S32 || i.type == Ty::F16 || i.type == Ty::F32);
  i.meeting = Meeting::All;
  i.run = multiply;
  return fits;
}

} // namespace tilec::ptx

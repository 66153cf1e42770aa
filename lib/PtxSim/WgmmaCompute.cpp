//===- WgmmaCompute.cpp - the product of a wgmma --------------------------===//
//
// Takes a wgmma and what its descriptors name, computes the product as the hardware sums it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Elements.h"
#include "WgmmaOperands.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

/// An operand in shared memory as floats [k][size].
static void readOperand(SharedMemory &shared, const Descriptor &d, Ty type, bool isKMajor,
                        unsigned size, unsigned kBytes, std::vector<float> &out, bool &isDefined) {
  unsigned each = bytesOf(type), perChunk = coreBytes / each, k = kBytes / each;
  out.resize(size_t(k) * size);
  forChunks(d, isKMajor, size, kBytes, each, [&](unsigned outer, unsigned inner, uint32_t address) {
    isDefined &= shared.holdsValues(address, coreBytes);
    const uint8_t *bytes = shared.data(address);
    for (unsigned i = 0; i < perChunk; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, bytes + i * each, each);
      unsigned along = inner * perChunk + i;
      size_t at = isKMajor ? size_t(along) * size + outer : size_t(outer) * size + along;
      out[at] = floatElement(type, bits);
    }
  });
}

/// A sparse A [k / 2][rows] as a dense one. Empty, or why a group of four has no such places: the
/// second is behind the first.
/// PTX ISA 9.0, "Sparse matrix storage", 16-bit types: of each four lanes those of the selector's
/// pair have the places of 16 k each, the low half of a word those of row i, the high one of row i
/// + 8.
static std::string spreadOut(const WgmmaOp &op, std::vector<float> &a) {
  constexpr unsigned kOfHalf = 16, k = 2 * kOfHalf;
  unsigned selector = unsigned(op.instruction->args[4].offset);
  std::vector<float> dense(size_t(k) * groupRows, 0.0f);
  for (unsigned row = 0; row < groupRows; ++row)
    for (unsigned group = 0; group < k / 4; ++group) {
      unsigned lane = row % 8 * 4 + 2 * selector + group / 4;
      uint32_t half = op.places[row / warpRows][lane] >> (row / 8 % 2 * kOfHalf);
      unsigned first = half >> (group % 4 * 4) & 3, second = half >> (group % 4 * 4 + 2) & 3;
      if (first >= second)
        return "the places of a sparse A are " + std::to_string(first) + " and " +
               std::to_string(second) + "; the second is to be behind the first";
      dense[size_t(4 * group + first) * groupRows + row] = a[size_t(2 * group) * groupRows + row];
      dense[size_t(4 * group + second) * groupRows + row] =
          a[size_t(2 * group + 1) * groupRows + row];
    }
  a = std::move(dense);
  return "";
}

/// Empty, or why it could not.
std::string compute(Block &block, unsigned group, WgmmaOp &op) {
  const Instruction &instr = *op.instruction;
  unsigned n = instr.n, each = bytesOf(instr.aType), k = kBytesOfB(instr) / each;
  std::vector<float> a, b;
  bool isDefined = true;
  if (aInRegisters(instr)) {
    unsigned perRegister = 4 / each, bits = 8 * each;
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    a.resize(size_t(k) * groupRows);
    for (unsigned w = 0; w < warpsPerGroup; ++w)
      for (unsigned i = 0; i < 4; ++i)
        for (unsigned lane = 0; lane < warpLanes; ++lane)
          for (unsigned e = 0; e < perRegister; ++e) {
            unsigned row = warpRows * w + lane / 4 + 8 * (i % 2);
            unsigned at = perRegister * (lane % 4) + e + 4 * perRegister * (i / 2);
            a[size_t(at) * groupRows + row] = floatElement(
                instr.aType, op.aRegisters[w][i * warpLanes + lane] >> (bits * e) & mask);
          }
  } else {
    readOperand(block.shared, Descriptor(op.a), instr.aType, isKMajorA(instr), groupRows,
                instructionKBytes, a, isDefined);
  }
  readOperand(block.shared, Descriptor(op.b), instr.bType, isKMajorB(instr), n, kBytesOfB(instr), b,
              isDefined);
  if (!isDefined)
    return "multiplies shared memory that nothing has written";
  if (instr.isSparse)
    if (std::string problem = spreadOut(op, a); !problem.empty())
      return problem;

  bool isInt = instr.type == Ty::S32;
  unsigned perRegister = accumulatorsPerRegister(instr);
  std::vector<float> sums(n);
  std::vector<int32_t> intSums(isInt ? n : 0);
  for (unsigned row = 0; row < groupRows; ++row) {
    Warp &warp = *block.warps[group * warpsPerGroup + row / warpRows];
    // The places of a row's accumulators: registers and lanes.
    auto bitsAt = [&](unsigned column) -> std::pair<Register &, unsigned> {
      unsigned lane = row % 8 * 4 + column / 2 % 4;
      unsigned index = 4 * (column / 8) + 2 * (row / 8 % 2) + column % 2;
      return {warp.reg(instr.args[0].parts[index / perRegister].reg), lane};
    };
    for (unsigned column = 0; column < n; ++column) {
      auto [reg, lane] = bitsAt(column);
      uint64_t bits = op.accumulates ? reg.lanes[lane] : 0;
      if (op.accumulates && !(reg.defined >> lane & 1))
        return "accumulates on registers that nothing has written";
      if (isInt)
        intSums[column] = int32_t(bits);
      else
        sums[column] = perRegister == 2 ? floatOfHalf(uint16_t(bits >> (16 * (column % 2))))
                                        : unpack<float>(bits);
    }
    for (unsigned at = 0; at < k; ++at) {
      float x = a[size_t(at) * groupRows + row];
      const float *y = &b[size_t(at) * n];
      if (isInt)
        for (unsigned column = 0; column < n; ++column)
          intSums[column] =
              int32_t(uint32_t(intSums[column]) + uint32_t(int32_t(x) * int32_t(y[column])));
      else
        for (unsigned column = 0; column < n; ++column)
          sums[column] += x * y[column];
    }
    for (unsigned column = 0; column < n; ++column) {
      auto [reg, lane] = bitsAt(column);
      if (isInt)
        reg.lanes[lane] = uint32_t(intSums[column]);
      else if (perRegister == 2)
        reg.lanes[lane] =
            column % 2 ? (reg.lanes[lane] & 0xffff) | uint32_t(halfOfFloat(sums[column])) << 16
                       : halfOfFloat(sums[column]) | (reg.lanes[lane] & 0xffff0000);
      else
        reg.lanes[lane] = pack(sums[column]);
      reg.defined |= 1u << lane;
      reg.bytes[lane] = 0xff;
    }
  }
  return "";
}

} // namespace tilec::ptx

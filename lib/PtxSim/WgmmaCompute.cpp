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
                        unsigned size, std::vector<float> &out, bool &isDefined) {
  unsigned each = bytesOf(type), perChunk = coreBytes / each, k = instructionKBytes / each;
  out.resize(size_t(k) * size);
  forChunks(d, isKMajor, size, instructionKBytes, each,
            [&](unsigned outer, unsigned inner, uint32_t address) {
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

/// Empty, or why it could not.
std::string compute(Block &block, unsigned group, WgmmaOp &op) {
  const Instruction &instr = *op.instruction;
  unsigned n = instr.n, each = bytesOf(instr.aType), k = instructionKBytes / each;
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
    readOperand(block.shared, Descriptor(op.a), instr.aType, isKMajorA(instr), groupRows, a,
                isDefined);
  }
  readOperand(block.shared, Descriptor(op.b), instr.bType, isKMajorB(instr), n, b, isDefined);
  if (!isDefined)
    return "multiplies shared memory that nothing has written";

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

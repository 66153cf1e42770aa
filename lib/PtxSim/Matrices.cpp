//===- Matrices.cpp - ldmatrix and stmatrix -------------------------------===//
//
// Decodes ldmatrix and stmatrix, and moves their 8 x 8 tiles between lanes and shared memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Decode.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {
namespace {

/// Matrices of 8x8 16-bit elements; lanes 8i to 8i + 7 give the rows of matrix i.
template <bool IsLoad> Step matrices(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &memory = instr.args[IsLoad ? 1 : 0], &regs = instr.args[IsLoad ? 0 : 1];
  constexpr unsigned rowBytes = 16, rows = 8;
  unsigned count = instr.n;
  auto part = [&](unsigned i) -> const Operand & {
    return regs.parts.empty() ? regs : regs.parts[i];
  };
  Value addresses =
      warp.use(memory, count == 4 ? lanes : lanes & ((1u << (8 * count)) - 1), "an address");
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint16_t elements[rows][rows] = {}; // [row][column]
    uint64_t values[warpLanes] = {};
    uint32_t defined = 0;
    // Lane l holds row l / 4, columns 2 (l % 4) and the next; transposed, rows and columns change
    // places.
    auto place = [&](unsigned lane, unsigned half) -> uint16_t & {
      unsigned row = lane / 4, column = 2 * (lane % 4) + half;
      return instr.transposes ? elements[column][row] : elements[row][column];
    };
    bool isRowDefined[rows] = {};
    if (!IsLoad) {
      Value value = warp.in(part(matrix));
      defined = value.defined;
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        for (unsigned half : {0u, 1u})
          place(lane, half) = uint16_t(value[lane] >> (16 * half));
    }
    for (unsigned row = 0; row < rows; ++row) {
      unsigned lane = matrix * rows + row;
      uint32_t address = uint32_t(addresses[lane] + uint64_t(memory.offset));
      uint8_t data[rowBytes];
      std::memcpy(data, elements[row], rowBytes);
      Target target = locate(warp, instr, Space::Shared, address, rowBytes, lane,
                             IsLoad ? AccessKind::Read : AccessKind::Write, data);
      if (!target.host)
        return Step::Next;
      if (IsLoad) {
        isRowDefined[row] = holdsValues(target, rowBytes);
        std::memcpy(elements[row], target.host, rowBytes);
      } else {
        std::memcpy(target.host, data, rowBytes);
        target.shared->noteWrite(target.offset, rowBytes, warp.epoch());
        if (defined != allLanes)
          target.shared->forget(target.offset, rowBytes);
      }
    }
    if (IsLoad) {
      for (unsigned lane = 0; lane < warpLanes; ++lane) {
        values[lane] = place(lane, 0) | uint32_t(place(lane, 1)) << 16;
        bool isDefined = instr.transposes
                             ? isRowDefined[2 * (lane % 4)] && isRowDefined[2 * (lane % 4) + 1]
                             : isRowDefined[lane / 4];
        defined |= uint32_t(isDefined) << lane;
      }
      warp.out(part(matrix), lanes, values, defined);
    }
  }
  return Step::Next;
}

} // namespace

bool decodeMatrices(const Statement &s, Instruction &i) {
  i.n = s.has("x4") ? 4 : s.has("x2") ? 2 : 1;
  i.transposes = s.has("trans");
  i.meeting = Meeting::All;
  if (!s.has("m8n8") || i.type != Ty::B16 || i.args.size() != 2)
    return false;
  i.run = s.opcode == "ldmatrix" ? matrices<true> : matrices<false>;
  return true;
}

} // namespace tilec::ptx

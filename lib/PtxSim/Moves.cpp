//===- Moves.cpp - moves, selections, addresses of other windows ----------===//
//
// Decodes mov, selp, cvta, mapa and their kin, and does them with the definedness of what they
// move.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilec::ptx {
namespace {

/// Bytes without a value follow the one that is taken.
Step select(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]), p = warp.in(instr.args[3]);
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = p[lane] ? a[lane] : b[lane];
    bool isChosen = p.defined >> lane & 1;
    known[lane] = !isChosen ? 0 : p[lane] ? a.bytes[lane] : b.bytes[lane];
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}

/// Also between a register and the pieces of a vector.
Step move(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &to = instr.args[0], &from = instr.args[1];
  unsigned bytes = bytesOf(instr.type), bits = 8 * bytes;
  uint64_t mask = bits ? maskTrailingOnes<uint64_t>(bits) : 1;
  uint64_t whole[warpLanes] = {};
  uint8_t known[warpLanes];
  std::fill(known, known + warpLanes, bytes < 8 ? uint8_t(0xff << bytes) : 0);
  if (from.parts.empty()) {
    Value value = warp.in(from);
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      whole[lane] = value[lane] & mask;
      known[lane] = bytes ? known[lane] | value.bytes[lane] : value.bytes[lane];
    }
  }
  for (auto [i, part] : enumerate(from.parts)) {
    unsigned each = bytes / from.parts.size();
    Value value = warp.in(part);
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      whole[lane] |= (value[lane] & maskTrailingOnes<uint64_t>(8 * each)) << (8 * each * i);
      known[lane] |= (value.bytes[lane] & ((1u << each) - 1)) << (each * i);
    }
  }
  if (to.parts.empty()) {
    warp.outBytes(to, lanes, whole, known);
    return Step::Next;
  }
  unsigned each = bytes / to.parts.size();
  for (auto [i, part] : enumerate(to.parts)) {
    uint64_t results[warpLanes];
    uint8_t pieces[warpLanes];
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      results[lane] = whole[lane] >> (8 * each * i) & maskTrailingOnes<uint64_t>(8 * each);
      pieces[lane] = uint8_t(known[lane] >> (each * i)) | uint8_t(0xff << each);
    }
    warp.outBytes(part, lanes, results, pieces);
  }
  return Step::Next;
}

/// Between generic addresses and those of a window.
Step convertAddress(Warp &warp, const Instruction &instr, uint32_t lanes) {
  uint64_t window = instr.space == Space::Shared || instr.space == Space::Cluster ? sharedWindow
                    : instr.space == Space::Local                                 ? localWindow
                    : instr.space == Space::Param                                 ? paramWindow
                                                                                  : 0;
  bool toWindow = instr.mode;
  return map<1, uint64_t>(warp, instr, lanes,
                          [&](uint64_t a) { return toWindow ? a & ~windowMask : a | window; });
}

/// The same place in the shared memory of another block of the cluster.
Step mapToBlock(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<2, uint64_t>(warp, instr, lanes, [](uint64_t address, uint64_t rank) {
    uint64_t place = address & ((1u << clusterRankShift) - 1);
    return (address & windowMask) | uint64_t(uint32_t(rank)) << clusterRankShift | place;
  });
}
Step blockOfAddress(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<1, uint64_t>(warp, instr, lanes, [&](uint64_t address) -> uint32_t {
    return uint32_t(address & ~windowMask) >> clusterRankShift;
  });
}

} // namespace

bool decodeMoves(const Statement &s, Instruction &i) {
  if (s.opcode == "cvta") {
    i.mode = s.has("to");
    for (StringRef mod : s.mods)
      i.space = StringSwitch<Space>(mod)
                    .StartsWith("shared", Space::Shared)
                    .Case("local", Space::Local)
                    .Case("param", Space::Param)
                    .Case("global", Space::Global)
                    .Default(i.space);
  }
  i.run = StringSwitch<Handler>(s.opcode)
              .Case("mov", move)
              .Case("selp", select)
              .Case("cvta", convertAddress)
              .Case("mapa", mapToBlock)
              .Case("getctarank", blockOfAddress)
              .Default(nullptr);
  return i.run != nullptr;
}

} // namespace tilec::ptx

//===- RegisterCounts.cpp - setmaxnreg ------------------------------------===//
//
// PTX ISA 9.0, "setmaxnreg": a block has the registers that it was launched with. Warps
// that give some back fill a pool, from which others take more; who finds too few waits.
// How many a launch has is ptxas' choice: the most that fit, where a block has a
// multiprocessor for itself (.minnctapersm 1).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Machine.h"

namespace tilec::ptx {

constexpr unsigned registersOfAll = 65536; ///< of a multiprocessor: sm_90
constexpr unsigned unit = 8, least = 24, most = 256;

unsigned registersAtLaunch(unsigned threads) {
  return std::min(most, registersOfAll / threads / unit * unit);
}

namespace {

enum Kind : uint8_t { Dec, Inc };

Step change(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned wanted = unsigned(instr.args[0].offset);
  unsigned &free = warp.block.freeRegisters;
  if (wanted % unit != 0 || wanted < least || wanted > most) {
    warp.fail(instr, lanes, "a number of registers is a multiple of 8 from 24 to 256");
    return Step::Next;
  }
  if (instr.mode == Dec ? wanted > warp.registerCount : wanted < warp.registerCount) {
    warp.fail(instr, lanes,
              "the warp has " + llvm::Twine(warp.registerCount) + " registers already");
    return Step::Next;
  }
  if (instr.mode == Inc && wanted - warp.registerCount > free)
    return Step::Wait;
  free += warp.registerCount - wanted;
  warp.registerCount = wanted;
  ++warp.block.cluster.events;
  return Step::Next;
}

} // namespace

bool decodeRegisterCounts(const Statement &s, Instruction &i) {
  if (i.args.size() != 1)
    return false;
  i.mode = s.has("inc") ? Inc : Dec;
  i.meeting = Meeting::All;
  i.run = change;
  return true;
}

} // namespace tilec::ptx

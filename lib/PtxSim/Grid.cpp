//===- Grid.cpp - launches that begin before the one before them has ended -===//
//
// PTX ISA 9.0, "griddepcontrol": until a thread has come out of `.wait`, what the launch
// before it on the stream writes may not be there, and what it reads may not be
// overwritten. Which tensors that launch uses is not known here, so all of global memory
// counts; the parameters are the launch's own. `.launch_dependents` orders nothing.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Machine.h"

namespace tilec::ptx {

bool mayUseGlobal(Warp &warp, const Instruction &instr, uint32_t lanes) {
  if (!warp.machine.config.early || warp.clock.before.back() != 0)
    return true;
  warp.fail(instr, lanes,
            "uses global memory, and nothing says that griddepcontrol.wait comes first: the launch "
            "before may still use it");
  return false;
}

namespace {

Step waitForLaunch(Warp &warp, const Instruction &, uint32_t) {
  warp.clock.before.back() = 1;
  warp.machine.hasWaitedForLaunch = true;
  return Step::Next;
}

} // namespace

bool decodeGrid(const Statement &s, Instruction &i) {
  i.run = s.has("wait") ? waitForLaunch : s.has("launch_dependents") ? ignore : nullptr;
  return i.run != nullptr;
}

} // namespace tilec::ptx

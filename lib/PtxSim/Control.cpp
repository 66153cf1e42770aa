//===- Control.cpp - jumps, ends, what has no effect here -------------===//
//
// Decodes bra, ret, exit, trap and the instructions that do nothing here, and does them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"

using namespace llvm;

namespace tilec::ptx {
namespace {

Step branch(Warp &warp, const Instruction &instr, uint32_t lanes) {
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    if (lanes >> lane & 1)
      warp.pc[lane] = uint32_t(instr.args[0].offset);
  return Step::Jump;
}

/// A lane that returns with work under way leaves shared memory to whoever comes next.
Step leave(Warp &warp, const Instruction &instr, uint32_t lanes) {
  for (const BulkCopy &store : warp.stores)
    if ((lanes >> store.lane & 1) && !store.wasRead) {
      warp.fail(instr, 1u << store.lane,
                "returns while its bulk store of line " + Twine(store.instruction->line) +
                    " still reads shared memory");
      return Step::Jump;
    }
  for (const CopyOp &copy : warp.copies)
    if (copy.lanes & lanes) {
      warp.fail(instr, copy.lanes & lanes,
                "returns while its cp.async of line " + Twine(copy.instruction->line) +
                    " is under way");
      return Step::Jump;
    }
  if (warp.wgmmaDone < warp.wgmmaCommits || warp.hasOpenWgmma) {
    warp.fail(instr, lanes, "returns while wgmma is under way");
    return Step::Jump;
  }
  for (BulkCopy &store : warp.stores)
    if (lanes >> store.lane & 1)
      finishStore(warp, store);
  std::erase_if(warp.stores, [&](const BulkCopy &store) { return lanes >> store.lane & 1; });
  warp.live &= ~lanes;
  if (warp.live == 0)
    warp.block.left.join(warp.clock);
  if (std::string problem = warp.block.problemOfReturning(); !problem.empty())
    warp.fail(instr, lanes, problem);
  ++warp.block.cluster.events; // a barrier may have been waiting for it
  return Step::Jump;
}

Step trap(Warp &warp, const Instruction &instr, uint32_t lanes) {
  warp.fail(instr, lanes, "the program stops itself");
  return Step::Next;
}

} // namespace

bool decodeControl(const Statement &s, Instruction &i) {
  StringRef op = s.opcode;
  if (op == "bra" && i.args.size() == 1) {
    i.run = branch;
  } else if (op == "ret" || op == "exit") {
    i.run = leave;
  } else {
    i.run = op == "trap" || op == "brkpt" ? trap : ignore; // prefetches, sleep, marks
  }
  return i.run != nullptr;
}

} // namespace tilec::ptx

//===- CopyGroups.cpp - groups of copies that are waited for --------------===//
//
// A chip has groups, or a counter that goes down in the order in which copies were started.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Ops.h"

#include <numeric>

using namespace mlir;

namespace tilec {

void keepGroupsApart(Emitter &e) {
  if (e.target.asyncCopies.completion != Completion::Groups && e.copies.hasEnded)
    wave::SchedFenceOp::create(e.b, e.loc, /*mask=*/wave::arithmeticPasses, StringAttr(),
                               DenseI64ArrayAttr(), /*groups=*/true);
  e.copies.hasEnded = false;
}

void emitAsyncCommit(Emitter &e) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (e.target.asyncCopies.completion == Completion::Groups) {
    wave::CpAsyncCommitOp::create(b, loc);
    return;
  }
  e.copies.ended.push_back(e.copies.inGroup);
  e.copies.inGroup = 0;
  e.copies.hasEnded = true;
}

void emitAsyncWait(Emitter &e, int64_t pending) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (e.target.asyncCopies.completion == Completion::Groups) {
    wave::CpAsyncWaitOp::create(b, loc, pending);
    return;
  }
  // The counter goes down in order: once no more operations are open than the latest groups have,
  // every older group has landed. Other loads issued since only make the wait stricter. A loop's
  // rounds start the groups that stand in front of it, in the same order.
  auto latest = ArrayRef(e.copies.ended).take_back(pending);
  int64_t open =
      std::min(std::accumulate(latest.begin(), latest.end(), int64_t(0)), e.target.counters.memory);
  wave::WaitOp::create(b, loc, b.getI64IntegerAttr(open), IntegerAttr(), /*groups=*/true);
  e.copies.hasEnded = false;
}

} // namespace tilec

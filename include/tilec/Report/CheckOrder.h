//===- CheckOrder.h - does the machine code keep the planned order? -------===//
//
// Compares the loops of a code object with the order that their LLVM IR had when it
// entered the code generator (codegen::Image::order): the same operations, each on
// the same data, in the same sequence; the waits as planned.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/Order.h"
#include "tilec/Report/Disassembly.h"

namespace tilec::report {

struct OrderCheckOptions {
  /// LLVM may add or strengthen waits for lgkmcnt (LDS reads whose wait the plan left to it). Waits
  /// for vmcnt must always be those of the plan.
  bool allowsAddedLgkmWaits = true;
  /// Differences to report for one loop; more follow from the first ones mostly.
  unsigned maxDifferences = 4;
};

struct OrderDifference {
  std::string kernel;
  uint64_t loopAddress = 0; ///< of the emitted loop, 0 when there is none
  unsigned sourceLoop = 0;  ///< of the planned one (LoopOrder::sourceLoop)
  unsigned position = 0;    ///< which ordered operation of the loop
  std::string text;         ///< what was planned and what was emitted, one line each
};

/// Empty when every planned loop is there as planned. A loop whose id some of the machine code's
/// loops have (addSourceLoops) has to be one of those.
std::vector<OrderDifference> checkOrder(const CodeObject &object,
                                        llvm::ArrayRef<codegen::KernelOrder> planned,
                                        const OrderCheckOptions &options = {});

/// The differences as text for an error message.
std::string describe(llvm::ArrayRef<OrderDifference> differences);

/// The ordered operations of a loop of machine code, in the form that plans have.
codegen::LoopOrder emittedOrder(const KernelCode &kernel, const Loop &loop);

} // namespace tilec::report

//===- BlockOrder.cpp - which block of the grid a work-group computes -----===//
//
// Takes the grid and hints of a kernel, gives the block that a work-group computes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/KernelFrame.h"

using namespace mlir;

namespace tilec {
namespace {

struct Numbers {
  using Value = int64_t;
  Value constant(int64_t value) { return value; }
  Value add(Value a, Value c) { return a + c; }
  Value sub(Value a, Value c) { return a - c; }
  Value mul(Value a, Value c) { return a * c; }
  Value div(Value a, Value c) { return a / c; }
  Value rem(Value a, Value c) { return a % c; }
  Value min(Value a, Value c) { return std::min(a, c); }
  Value selectLess(Value a, Value c, Value then, Value otherwise) {
    return a < c ? then : otherwise;
  }
};

struct IndexOps {
  using Value = mlir::Value;
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, loc, a, c); }
  Value sub(Value a, Value c) { return arith::SubIOp::create(b, loc, a, c); }
  Value mul(Value a, Value c) { return arith::MulIOp::create(b, loc, a, c); }
  Value div(Value a, Value c) { return arith::DivUIOp::create(b, loc, a, c); }
  Value rem(Value a, Value c) { return arith::RemUIOp::create(b, loc, a, c); }
  Value min(Value a, Value c) { return arith::MinUIOp::create(b, loc, a, c); }
  Value selectLess(Value a, Value c, Value then, Value otherwise) {
    Value isLess = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, a, c);
    return arith::SelectOp::create(b, loc, isLess, then, otherwise);
  }
};

} // namespace

std::pair<int64_t, int64_t> blockAt(const BlockOrder &order, int64_t number, int64_t gridX,
                                    int64_t gridY) {
  Numbers numbers;
  return blockAt(order, numbers, number, gridX, gridY);
}

std::string BlockOrder::str() const {
  std::string text = panel > 1
                         ? "panels of " + std::to_string(panel) + (byColumn ? " columns" : " rows")
                         : "launch order";
  if (dies > 1)
    text += ", chunks of " + std::to_string(chunk) + " blocks on each of " + std::to_string(dies) +
            " dies";
  return text;
}

BlockOrder KernelFrame::makeBlockIds() {
  BlockOrder order;
  SmallVector<Value, 3> ids;
  for (size_t d = 0; d < kernel.getGrid().size(); ++d)
    ids.push_back(wave::BlockIdOp::create(b, loc, b.getIndexType(), d));
  if (kernel.getRasterPanel() > 1 && ids.size() >= 2) {
    order = BlockOrder::panels(kernel.getRasterPanel(), kernel.getRasterByColumn(), target.dies);
    Value gridX = lookup(kernel.getGrid()[0], 0, Elements());
    Value gridY = lookup(kernel.getGrid()[1], 0, Elements());
    IndexOps ops{b, loc};
    Value number = ops.add(ops.mul(ids[1], gridX), ids[0]);
    std::tie(ids[0], ids[1]) = blockAt(order, ops, number, gridX, gridY);
  }
  for (auto [argument, id] : llvm::zip(kernel.getBody().getArguments(), ids))
    programValues.map(argument, id);
  return order;
}

} // namespace tilec

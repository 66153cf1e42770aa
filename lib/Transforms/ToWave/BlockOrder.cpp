//===- BlockOrder.cpp - which block of the grid a work-group computes -----===//
//
// Takes the grid and hints of a kernel, gives the block that a work-group computes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Product.h"
#include "ToWave/KernelFrame.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Uniformity.h"

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

/// Whether what the loop over elements fills is a fragment of which a shared tile is made: a later
/// round's tile, that waits in registers.
bool fillsWaitingTile(tile::ElementLoop move) {
  auto isShared = [](Value root) { return cast<tile::BufferType>(root.getType()).isShared(); };
  Accesses accesses = accessesOf(move);
  auto waits = accesses.writes.size() == 1 ? accesses.writes.front().getDefiningOp<tile::AllocOp>()
                                           : tile::AllocOp();
  return waits && waits.getResult().getType().isFragment() &&
         llvm::any_of(waits->getUsers(), [&](Operation *user) {
           auto write = user->getParentOfType<tile::ElementLoop>();
           return write && write != move && llvm::any_of(accessesOf(write).writes, isShared);
         });
}

/// What says where the op copies from a tensor, in a loop; empty: it copies nothing.
SmallVector<Value, 4> placesInLoop(Operation *op) {
  if (!op->getParentOfType<tile::ForOp>() && !op->getParentOfType<tile::WhileOp>())
    return {};
  Value source;
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    source = copy.getSrc();
  else if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
    source = copy.getSrc();
  if (source && cast<tile::BufferType>(source.getType()).isGlobal())
    return {source};
  SmallVector<Value, 4> places;
  if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer().getType().isGlobal())
    if (auto move = load->getParentOfType<tile::ElementLoop>(); move && fillsWaitingTile(move))
      llvm::append_range(places, load.getIndices());
  return places;
}

/// Whether a place moves with a coordinate of the block. How far a loop goes is no place: of the
/// round that is copied ahead the last one is the limit.
bool movesWith(Value place, Value id) {
  auto limited = place.getDefiningOp<arith::MinSIOp>();
  if (limited)
    return movesWith(limited.getLhs(), id) && movesWith(limited.getRhs(), id);
  Operation *op = place.getDefiningOp();
  bool isComputed = op && op->getNumOperands() > 0 && op->getNumRegions() == 0 &&
                    (isMemoryEffectFree(op) || isa<tile::SubviewOp>(op));
  if (!isComputed)
    return dependsOn(place, id);
  return llvm::any_of(op->getOperands(), [&](Value operand) { return movesWith(operand, id); });
}

/// Whether a place is read from a tensor: of which blocks it is the same is not known (experts, to
/// which several rows of blocks belong).
bool isRead(Value place) {
  Operation *op = place.getDefiningOp();
  if (!op)
    return false;
  auto load = dyn_cast<tile::LoadOp>(op);
  return (load && load.getBuffer().getType().isGlobal()) || llvm::any_of(op->getOperands(), isRead);
}

/// Whether blocks may wait for earlier ones, in the order of the grid: a `while` that asks a
/// tensor, or one beside a tensor that the kernel reads and writes.
bool mayWaitForOthers(tile::KernelOp kernel) {
  Accesses all = accessesOf(kernel);
  bool exchanges = llvm::any_of(all.writes, [&](Value root) {
    return cast<tile::BufferType>(root.getType()).isGlobal() && llvm::is_contained(all.reads, root);
  });
  auto result = kernel.walk([&](tile::WhileOp loop) {
    auto asks = loop.getCondition().walk([](tile::LoadOp load) {
      return load.getBuffer().getType().isGlobal() ? WalkResult::interrupt()
                                                   : WalkResult::advance();
    });
    return exchanges || asks.wasInterrupted() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return tile::hasGridSync(kernel) || result.wasInterrupted();
}

/// Whether loops of the blocks of one row of the grid copy the same of some tensor, and those of a
/// column nothing of any, as attention does whose rows of blocks are heads.
bool sharesAlongRowsOnly(tile::KernelOp kernel) {
  Value x = kernel.getBody().getArgument(0), y = kernel.getBody().getArgument(1);
  bool isShared = false;
  auto result = kernel.walk([&](Operation *op) {
    SmallVector<Value, 4> places = placesInLoop(op);
    if (places.empty())
      return WalkResult::advance();
    auto moves = [&](Value id) {
      return llvm::any_of(places, [&](Value place) { return movesWith(place, id); });
    };
    if (llvm::any_of(places, isRead) || !moves(y))
      return WalkResult::interrupt();
    isShared |= !moves(x);
    return WalkResult::advance();
  });
  return isShared && !result.wasInterrupted() && !mayWaitForOthers(kernel);
}

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
  for (auto [d, extent] : llvm::enumerate(kernel.getGrid())) {
    // Of one block all numbers are known, and what they are the places of.
    bool isOne = tile::constantInt(extent) == 1 && kernel.getCluster() == 1;
    ids.push_back(isOne ? Value(arith::ConstantIndexOp::create(b, loc, 0))
                        : wave::BlockIdOp::create(b, loc, b.getIndexType(), d));
  }
  if (ids.size() >= 2) {
    std::optional<int64_t> row = tile::constantInt(kernel.getGrid()[0]);
    if (target.dies > 1 && row && *row > 1 && sharesAlongRowsOnly(kernel)) {
      order = BlockOrder::rows(*row, target.dies);
      if (kernel.getRasterPanel() > 1)
        kernel.emitRemark() << "blocks of a row of the grid share tiles, those of a column none: "
                               "rows of blocks go to one die, instead of panels of "
                            << kernel.getRasterPanel();
    } else if (kernel.getRasterPanel() > 1) {
      order = BlockOrder::panels(kernel.getRasterPanel(), kernel.getRasterByColumn(), target.dies);
    }
  }
  if (!order.isLaunchOrder()) {
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

//===- LowerBreaks.cpp - loops that are left early ------------------------===//
//
//   for i in lo .. hi { S1; if (c) { break }; S2 }
//
// becomes a tile.while over a counter and a flag, both private to the place where the
// loop stands; what follows a break in its iteration runs under the flag:
//
//   at = lo; goes = true
//   while (at < hi && goes) { S1; if (c) { goes = false }; if (goes) { S2 }; at += step }
//
// A pipelined loop with a break loses its stages: its copies cannot run ahead of a
// decision that is made in order.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_LOWERBREAKSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether `op` is, or holds, a break of the loop that it stands in.
bool mayBreak(Operation *op) {
  if (isa<tile::BreakOp>(op))
    return true;
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && llvm::any_of(branch->getRegions(), [](Region &region) {
           return !region.empty() &&
                  llvm::any_of(region.front(), [](Operation &inner) { return mayBreak(&inner); });
         });
}

class BreakLowering {
public:
  explicit BreakLowering(Operation *loop) : loop(loop), b(loop), loc(loop->getLoc()) {}

  void run() {
    goes = makeVariable("goes", b.getI1Type());
    store(b, goes, arith::ConstantIntOp::create(b, loc, 1, 1));
    if (auto serial = dyn_cast<tile::ForOp>(loop))
      return lowerFor(serial);
    auto repeated = cast<tile::WhileOp>(loop);
    lowerBlock(repeated.getBody().front());
    // The condition is not computed again once the loop is left.
    auto condition = cast<tile::ConditionOp>(repeated.getCondition().front().getTerminator());
    Block &block = repeated.getCondition().front();
    guardCondition(block, condition);
  }

private:
  Value makeVariable(StringRef name, Type element) {
    auto type = tile::BufferType::get({}, element, tile::Scope::Local);
    return tile::AllocOp::create(b, loc, type, name, Attribute());
  }
  void store(OpBuilder &at, Value variable, Value value) {
    tile::StoreOp::create(at, loc, value, variable, ValueRange());
  }
  Value load(OpBuilder &at, Value variable) {
    Type element = cast<tile::BufferType>(variable.getType()).getElementType();
    return tile::LoadOp::create(at, loc, tile::scalarTypeOf(element), variable, ValueRange(),
                                FloatAttr());
  }

  void lowerFor(tile::ForOp serial);
  void lowerBlock(Block &block);
  void guardCondition(Block &block, tile::ConditionOp condition);

  Operation *loop;
  OpBuilder b;
  Location loc;
  Value goes;
};

void BreakLowering::lowerBlock(Block &block) {
  auto first = llvm::find_if(block, [](Operation &op) { return mayBreak(&op); });
  if (first == block.end())
    return;
  Operation *op = &*first;
  SmallVector<Operation *> rest;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (!next->hasTrait<OpTrait::IsTerminator>())
      rest.push_back(next);
  if (isa<tile::BreakOp>(op)) {
    for (Operation *dead : llvm::reverse(rest))
      dead->erase();
    OpBuilder at(op);
    store(at, goes, arith::ConstantIntOp::create(at, loc, 0, 1));
    op->erase();
    return;
  }
  for (Region &region : op->getRegions())
    if (!region.empty())
      lowerBlock(region.front());
  if (rest.empty())
    return;
  OpBuilder after(op->getContext());
  after.setInsertionPointAfter(op);
  auto guard = scf::IfOp::create(after, rest.front()->getLoc(), load(after, goes), false);
  Block &inside = guard.getThenRegion().front();
  for (Operation *moved : rest)
    moved->moveBefore(inside.getTerminator());
  lowerBlock(inside);
}

/// `goes and condition`, without what the condition computes when `goes` is false.
void BreakLowering::guardCondition(Block &block, tile::ConditionOp condition) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (&op != condition)
      ops.push_back(&op);
  OpBuilder at = OpBuilder::atBlockBegin(&block);
  auto guard = scf::IfOp::create(at, loc, TypeRange(at.getI1Type()), load(at, goes), true);
  OpBuilder inside = OpBuilder::atBlockBegin(&guard.getThenRegion().front());
  auto yield = scf::YieldOp::create(inside, loc, condition.getValue());
  for (Operation *op : ops)
    op->moveBefore(yield);
  OpBuilder otherwise = OpBuilder::atBlockBegin(&guard.getElseRegion().front());
  scf::YieldOp::create(otherwise, loc,
                       arith::ConstantIntOp::create(otherwise, loc, 0, 1).getResult());
  condition.getValueMutable().assign(guard.getResult(0));
}

void BreakLowering::lowerFor(tile::ForOp serial) {
  if (serial.getStages() > 1)
    serial.emitRemark() << "this loop runs without pipeline stages: it may be left by a `break`";
  Type counterType = b.getI32Type();
  auto toCounter = [&](OpBuilder &at, Value index) -> Value {
    return arith::IndexCastOp::create(at, loc, counterType, index);
  };
  Value counter = makeVariable("at", counterType);
  store(b, counter, toCounter(b, serial.getLower()));
  auto repeated = tile::WhileOp::create(b, loc);
  OpBuilder test = OpBuilder::atBlockBegin(&repeated.getCondition().emplaceBlock());
  Value at = arith::IndexCastOp::create(test, loc, test.getIndexType(), load(test, counter));
  bool goesDown = tile::constantInt(serial.getStep()).value_or(1) < 0;
  auto predicate = goesDown ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
  Value inside = arith::CmpIOp::create(test, loc, predicate, at, serial.getUpper());
  Value both = arith::AndIOp::create(test, loc, inside, load(test, goes));
  tile::ConditionOp::create(test, loc, both);

  Block &body = repeated.getBody().emplaceBlock();
  OpBuilder into = OpBuilder::atBlockBegin(&body);
  Value iv = arith::IndexCastOp::create(into, loc, into.getIndexType(), load(into, counter));
  serial.iv().replaceAllUsesWith(iv);
  body.getOperations().splice(body.end(), serial.bodyBlock()->getOperations());
  lowerBlock(body);
  OpBuilder end = OpBuilder::atBlockEnd(&body);
  Value next = arith::AddIOp::create(end, loc, iv, serial.getStep());
  store(end, counter, toCounter(end, next));
  serial.erase();
}

} // namespace

static void lowerBreaks(tile::ProgramOp program) {
  SmallVector<Operation *> loops;
  // Inner loops first: their breaks are gone when the outer one is looked at.
  program.walk([&](Operation *op) {
    Block *body = nullptr;
    if (auto serial = dyn_cast<tile::ForOp>(op))
      body = serial.bodyBlock();
    else if (auto repeated = dyn_cast<tile::WhileOp>(op))
      body = &repeated.getBody().front();
    if (body && llvm::any_of(*body, [](Operation &inner) { return mayBreak(&inner); }))
      loops.push_back(op);
  });
  for (Operation *loop : loops)
    BreakLowering(loop).run();
}

namespace {
struct LowerBreaksPass : impl::LowerBreaksPassBase<LowerBreaksPass> {
  void runOnOperation() override { lowerBreaks(getOperation()); }
};
} // namespace

} // namespace tilec

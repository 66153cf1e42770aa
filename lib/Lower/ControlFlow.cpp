//===- ControlFlow.cpp - loops and branches with register arrays ----------===//
//
// Loops are rotated: the condition is at the end, and in front of the loop only
// when the bounds do not prove a first round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "Types.h"

#include "llvm/ADT/SetVector.h"

namespace tilec::lower {

using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

/// The registers of arrays made outside `region` that an op inside writes, in order of first write.
/// Arrays made inside start each round undefined and need no phi.
llvm::SmallVector<KernelLowering::SlotId> KernelLowering::slotsWrittenIn(mlir::Region &region) {
  llvm::SetVector<SlotId> slots;
  auto insertAll = [&](mlir::Value regs) {
    auto known = arrayNumbers.find(regs);
    if (known != arrayNumbers.end())
      for (size_t slot = 0; slot < arrays[known->second].size(); ++slot)
        slots.insert({known->second, static_cast<int64_t>(slot)});
  };
  region.walk([&](mlir::Operation *op) {
    if (auto set = mlir::dyn_cast<wave::SetOp>(op)) {
      auto known = arrayNumbers.find(set.getRegs());
      if (known != arrayNumbers.end())
        slots.insert({known->second, static_cast<int64_t>(set.getSlot())});
    } else if (auto wgmma = mlir::dyn_cast<wave::GroupMmaOp>(op)) {
      insertAll(wgmma.getC());
    } else if (auto wait = mlir::dyn_cast<wave::GroupMmaWaitOp>(op)) {
      for (mlir::Value regs : wait.getRegs())
        insertAll(regs);
    }
  });
  return slots.takeVector();
}

llvm::SmallVector<llvm::Value *> KernelLowering::valuesOf(llvm::ArrayRef<SlotId> slots) {
  llvm::SmallVector<llvm::Value *> result;
  for (auto [array, slot] : slots)
    result.push_back(arrays[array][slot]);
  return result;
}

void KernelLowering::setValues(llvm::ArrayRef<SlotId> slots,
                               llvm::ArrayRef<llvm::Value *> newValues) {
  for (auto [id, value] : llvm::zip_equal(slots, newValues))
    arrays[id.first][id.second] = value;
}

/// What a loop's phi starts from: constants in vectors are hidden, or LLVM would split the phi into
/// single registers.
llvm::Value *KernelLowering::startValue(llvm::Value *value) {
  bool isPlainConstant = llvm::isa<llvm::Constant>(value) && !llvm::isa<llvm::UndefValue>(value);
  return isPlainConstant && value->getType()->isVectorTy() ? e.pinAccumulator(value) : value;
}

static std::optional<int64_t> integerOf(llvm::Value *value) {
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
    return constant->getSExtValue();
  return std::nullopt;
}

/// Phis of `starts` in the current block; the edge from `from`.
static llvm::SmallVector<llvm::PHINode *> makePhis(Builder &b, llvm::ArrayRef<llvm::Value *> starts,
                                                   llvm::BasicBlock *from, unsigned edges) {
  llvm::SmallVector<llvm::PHINode *> phis;
  for (llvm::Value *start : starts) {
    phis.push_back(b.CreatePHI(start->getType(), edges));
    phis.back()->addIncoming(start, from);
  }
  return phis;
}

static void addEdges(llvm::ArrayRef<llvm::PHINode *> phis, llvm::ArrayRef<llvm::Value *> incoming,
                     llvm::BasicBlock *from) {
  for (auto [phi, value] : llvm::zip_equal(phis, incoming))
    phi->addIncoming(value, from);
}

static llvm::SmallVector<llvm::Value *> asValues(llvm::ArrayRef<llvm::PHINode *> phis) {
  return {phis.begin(), phis.end()};
}

/// Keeps the loop of this branch from being unrolled.
static void keepRolled(llvm::BranchInst &latch) {
  llvm::LLVMContext &context = latch.getContext();
  llvm::Metadata *disable =
      llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode *loop = llvm::MDNode::getDistinct(context, {nullptr, disable});
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

LogicalResult KernelLowering::lowerFor(mlir::scf::ForOp loop) {
  llvm::Value *lower = at(loop.getLowerBound()), *upper = at(loop.getUpperBound());
  llvm::Value *step = at(loop.getStep());
  bool isUnsigned = loop.getUnsignedCmp();
  auto less = [&](llvm::Value *x, llvm::Value *y) {
    return isUnsigned ? b.CreateICmpULT(x, y) : b.CreateICmpSLT(x, y);
  };
  // All that the loop carries: its own values, then the registers it writes.
  llvm::SmallVector<SlotId> slots = slotsWrittenIn(loop.getRegion());
  llvm::SmallVector<llvm::Value *> starts;
  for (mlir::Value init : loop.getInitArgs())
    starts.push_back(startValue(at(init)));
  for (llvm::Value *value : valuesOf(slots))
    starts.push_back(startValue(value));
  size_t numCarried = loop.getInitArgs().size();

  std::optional<int64_t> first = integerOf(lower), end = integerOf(upper);
  bool runsOnce = first && end && (isUnsigned ? uint64_t(*first) < uint64_t(*end) : *first < *end);
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *body = newBlock("loop"), *exit = newBlock("after");
  if (runsOnce)
    b.CreateBr(body);
  else
    b.CreateCondBr(less(lower, upper), body, exit);

  b.SetInsertPoint(body);
  llvm::PHINode *iv = b.CreatePHI(lower->getType(), 2, "iv");
  iv->addIncoming(lower, before);
  llvm::SmallVector<llvm::PHINode *> phis = makePhis(b, starts, before, 2);
  map(loop.getInductionVar(), iv);
  for (auto [argument, phi] : llvm::zip(loop.getRegionIterArgs(), phis))
    map(argument, phi);
  setValues(slots, asValues(llvm::ArrayRef(phis).drop_front(numCarried)));
  if (failed(lowerBlock(*loop.getBody())))
    return failure();

  llvm::SmallVector<llvm::Value *> nexts;
  for (mlir::Value yielded : loop.getBody()->getTerminator()->getOperands())
    nexts.push_back(at(yielded));
  llvm::append_range(nexts, valuesOf(slots));
  // Bounds that are constants prove that the last addition does not wrap.
  std::optional<int64_t> by = integerOf(step);
  bool noWrap = end && by && !isUnsigned && *end <= INT32_MAX - *by;
  llvm::Value *next = b.CreateAdd(iv, step, "iv.next", /*HasNUW=*/false, noWrap);
  llvm::BasicBlock *latch = b.GetInsertBlock();
  iv->addIncoming(next, latch);
  addEdges(phis, nexts, latch);
  llvm::BranchInst *again = b.CreateCondBr(less(next, upper), body, exit);
  if (!loop.getBody()->getOps<wave::RolledOp>().empty()) // assemblers behind LLVM read this as well
    keepRolled(*again);

  b.SetInsertPoint(exit);
  if (!runsOnce) {
    llvm::SmallVector<llvm::PHINode *> merged = makePhis(b, starts, before, 2);
    addEdges(merged, nexts, latch);
    nexts = asValues(merged);
  }
  for (auto [result, value] : llvm::zip(loop.getResults(), nexts))
    map(result, value);
  setValues(slots, llvm::ArrayRef(nexts).drop_front(numCarried));
  return success();
}

LogicalResult KernelLowering::lowerWhile(mlir::scf::WhileOp loop) {
  llvm::SmallVector<SlotId> slots = slotsWrittenIn(loop.getBefore());
  for (SlotId slot : slotsWrittenIn(loop.getAfter()))
    if (!llvm::is_contained(slots, slot))
      slots.push_back(slot);
  llvm::SmallVector<llvm::Value *> starts;
  for (mlir::Value init : loop.getInits())
    starts.push_back(startValue(at(init)));
  for (llvm::Value *value : valuesOf(slots))
    starts.push_back(startValue(value));
  size_t numCarried = loop.getInits().size();

  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *test = newBlock("test"), *body = newBlock("loop"), *exit = newBlock("after");
  b.CreateBr(test);
  b.SetInsertPoint(test);
  llvm::SmallVector<llvm::PHINode *> phis = makePhis(b, starts, before, 2);
  for (auto [argument, phi] : llvm::zip(loop.getBeforeArguments(), phis))
    map(argument, phi);
  setValues(slots, asValues(llvm::ArrayRef(phis).drop_front(numCarried)));
  if (failed(lowerBlock(*loop.getBeforeBody())))
    return failure();
  mlir::scf::ConditionOp condition = loop.getConditionOp();
  llvm::SmallVector<llvm::Value *> atExit = valuesOf(slots);
  for (auto [argument, passed] : llvm::zip(loop.getAfterArguments(), condition.getArgs()))
    map(argument, at(passed));
  for (auto [result, passed] : llvm::zip(loop.getResults(), condition.getArgs()))
    map(result, at(passed));
  b.CreateCondBr(at(condition.getCondition()), body, exit);

  b.SetInsertPoint(body);
  if (failed(lowerBlock(*loop.getAfterBody())))
    return failure();
  llvm::SmallVector<llvm::Value *> nexts;
  for (mlir::Value yielded : loop.getYieldOp().getOperands())
    nexts.push_back(at(yielded));
  llvm::append_range(nexts, valuesOf(slots));
  addEdges(phis, nexts, b.GetInsertBlock());
  b.CreateBr(test);
  b.SetInsertPoint(exit);
  setValues(slots, atExit);
  return success();
}

LogicalResult KernelLowering::lowerIf(mlir::scf::IfOp branch) {
  llvm::SmallVector<SlotId> slots = slotsWrittenIn(branch.getThenRegion());
  for (SlotId slot : slotsWrittenIn(branch.getElseRegion()))
    if (!llvm::is_contained(slots, slot))
      slots.push_back(slot);
  llvm::SmallVector<llvm::Value *> old = valuesOf(slots);

  bool hasElse = !branch.getElseRegion().empty();
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *thenBlock = newBlock("then"), *elseBlock = nullptr, *join = newBlock("join");
  if (hasElse)
    elseBlock = newBlock("else");
  b.CreateCondBr(at(branch.getCondition()), thenBlock, hasElse ? elseBlock : join);

  // The values at the end of one branch, and the block they come from.
  auto lowerBranch = [&](llvm::BasicBlock *start, mlir::Block &block,
                         llvm::SmallVector<llvm::Value *> &results) -> llvm::BasicBlock * {
    b.SetInsertPoint(start);
    setValues(slots, old);
    if (failed(lowerBlock(block)))
      return nullptr;
    for (mlir::Value yielded : block.getTerminator()->getOperands())
      results.push_back(at(yielded));
    llvm::append_range(results, valuesOf(slots));
    llvm::BasicBlock *end = b.GetInsertBlock();
    b.CreateBr(join);
    return end;
  };
  llvm::SmallVector<llvm::Value *> thenValues, elseValues = old;
  llvm::BasicBlock *thenEnd = lowerBranch(thenBlock, *branch.thenBlock(), thenValues);
  llvm::BasicBlock *elseEnd = before;
  if (thenEnd && hasElse) {
    elseValues.clear();
    elseEnd = lowerBranch(elseBlock, *branch.elseBlock(), elseValues);
  }
  if (!thenEnd || !elseEnd)
    return failure();

  b.SetInsertPoint(join);
  llvm::SmallVector<llvm::Value *> merged;
  for (auto [fromThen, fromElse] : llvm::zip_equal(thenValues, elseValues)) {
    llvm::PHINode *phi = b.CreatePHI(fromThen->getType(), 2);
    phi->addIncoming(fromThen, thenEnd);
    phi->addIncoming(fromElse, elseEnd);
    merged.push_back(phi);
  }
  for (auto [result, value] : llvm::zip(branch.getResults(), merged))
    map(result, value);
  setValues(slots, llvm::ArrayRef(merged).drop_front(branch.getNumResults()));
  return success();
}

} // namespace tilec::lower

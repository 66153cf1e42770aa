//===- HoistReads.cpp - what a loop reads alike in all rounds -------------===//
//
// Takes pipelined loops, reads in front of them what each round would read again: variables of
// which places of copies are computed, where copies are counted, elements of tensors, and tables
// that elements of tiles are looked up in.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Memory/SharedMemory.h"
#include "Pipelines/RoundReads.h"
#include "Pipelines/TensorReads.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_HOISTREADSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether an element of a variable is the same in all rounds of the loop.
bool readsTheSame(tile::LoadOp load, tile::ForOp loop) {
  Value root = rootOf(load.getBuffer());
  auto isSame = [&](Value index) {
    return tile::constantInt(index) || !loop.getBody().isAncestor(index.getParentRegion());
  };
  return cast<tile::BufferType>(root.getType()).isLocal() &&
         !loop.getBody().isAncestor(root.getParentRegion()) &&
         !llvm::is_contained(accessesOf(loop).writes, root) &&
         llvm::all_of(load.getIndices(), isSame);
}

/// Moves in front of the loop what it reads of variables, and does not write, to find the places
/// that it copies from: a read in the loop would keep the copy back.
void hoistReads(tile::ForOp loop) {
  SmallVector<Value> values;
  for (tile::CopyOp copy : loop.bodyBlock()->getOps<tile::CopyOp>())
    if (auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>())
      llvm::append_range(values, view.getOffsets());
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != loop.bodyBlock() || !seen.insert(op).second)
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load) {
      llvm::append_range(values, op->getOperands());
    } else if (load.getBuffer().getParentRegion() != &loop.getBody() && readsTheSame(load, loop)) {
      for (Value index : load.getIndices())
        if (Operation *constant = index.getDefiningOp();
            constant && loop->isProperAncestor(constant))
          constant->moveBefore(loop);
      load->moveBefore(loop);
    }
  }
}

/// The largest value of what is not negative, as unpacked bits are not; nothing where that is not
/// known.
std::optional<int64_t> mostOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op))
    return mostOf(op->getOperand(0));
  if (auto mask = dyn_cast_or_null<arith::AndIOp>(op)) {
    std::optional<int64_t> bits = tile::constantInt(mask.getRhs());
    return bits && *bits >= 0 ? bits : std::nullopt;
  }
  std::optional<IndexRange> range = rangeOf(value);
  return range && range->low >= 0 ? std::optional(range->high) : std::nullopt;
}

/// Whether it reads a small tensor, which nobody writes, at a place that an element of a tile or
/// fragment names, and that is inside.
bool looksUp(tile::LoadOp load, const Accesses &ofKernel) {
  constexpr int64_t mostBytes = 1024; // little beside tiles
  auto parallel = dyn_cast<tile::ElementLoop>(load->getParentOp());
  tile::BufferType type = load.getBuffer().getType();
  if (!parallel || !load.getBuffer().getDefiningOp<tile::TensorOp>() || load.getPad() ||
      !type.hasStaticShape() || isChangedBy(ofKernel.writes, load.getBuffer()) ||
      bitsOf(tile::dtypeOf(type.getElementType())) < 8 ||
      storageBytes(tile::dtypeOf(type.getElementType()), type.numElems()) > mostBytes)
    return false;
  bool isNamed = llvm::any_of(sliceOf(load.getIndices(), parallel), [](Operation *op) {
    auto name = dyn_cast<tile::LoadOp>(op);
    return name && !name.getBuffer().getType().isGlobal();
  });
  return isNamed && llvm::all_of(llvm::zip_equal(load.getIndices(), type.getShape()), [](auto at) {
           std::optional<int64_t> most = mostOf(std::get<0>(at));
           return most && *most < std::get<1>(at);
         });
}

/// Tables that the products' operands are looked up in are in shared memory: a read of a tensor
/// would be waited for behind the copies of later rounds.
void keepTables(tile::ForOp loop, const TargetInfo &chip) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  if (loop.bodyBlock()->getOps<tile::GemmOp>().empty() || kernel.getLockstep())
    return;
  SmallVector<tile::LoadOp> loads;
  Accesses ofKernel = accessesOf(kernel);
  loop.walk([&](tile::LoadOp load) {
    if (looksUp(load, ofKernel))
      loads.push_back(load);
  });
  llvm::MapVector<Value, tile::AllocOp> tables;
  for (tile::LoadOp load : loads) {
    tile::AllocOp &table = tables[load.getBuffer()];
    tile::BufferType from = load.getBuffer().getType();
    OpBuilder builder(loop);
    if (!table) {
      auto type =
          tile::BufferType::get(from.getShape(), from.getElementType(), tile::Scope::Shared);
      table = tile::AllocOp::create(
          builder, load.getLoc(), type, (nameOfRoot(load.getBuffer()) + "_kept").str(),
          tile::SharedLayoutAttr::get(loop.getContext(), SharedLayout::plain(from.getShape())));
      if (!SharedMemory(kernel, chip).fits())
        return table.erase();
      tile::CopyOp::create(builder, load.getLoc(), load.getBuffer(), table.getResult(),
                           StringAttr());
    }
    load.getBufferMutable().assign(table.getResult());
  }
}

struct HoistReadsPass : impl::HoistReadsPassBase<HoistReadsPass> {
  using HoistReadsPassBase::HoistReadsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      kernel.walk([&](tile::ForOp loop) {
        if (loop.getStages() <= 1)
          return;
        if (chip->asyncCopies.completion == Completion::Counter) {
          readSameElementsFirst(loop);
          if (!loop.bodyBlock()->getOps<tile::GemmOp>().empty() && !kernel.getLockstep())
            readSameRowsFirst(loop);
        }
        hoistReads(loop);
        keepTables(loop, *chip);
      });
  }
};
} // namespace

} // namespace tilec

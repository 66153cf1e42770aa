//===- MutantsTile.cpp - faults in Tile IR --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Mutants.h"

#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec::fuzz {
namespace {

/// Calls `change` for every op of a kind; whether any call was true.
template <typename Op> bool all(ModuleOp module, llvm::function_ref<bool(Op)> change) {
  SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  bool any = false;
  for (Op op : ops)
    any |= change(op);
  return any;
}

/// The same up to the first that is true.
template <typename Op> bool first(ModuleOp module, llvm::function_ref<bool(Op)> change) {
  bool done = false;
  all<Op>(module, [&](Op op) { return !done && (done = change(op)); });
  return done;
}

/// Lowers a constant operand that is more than 1 by one.
bool lowerByOne(OpOperand &operand) {
  APInt value;
  if (!matchPattern(operand.get(), m_ConstantInt(&value)) || value.getSExtValue() <= 1)
    return false;
  OpBuilder b(operand.getOwner());
  operand.set(
      arith::ConstantIndexOp::create(b, operand.getOwner()->getLoc(), value.getSExtValue() - 1));
  return true;
}

bool eraseIf(Operation *op, bool condition) {
  if (condition)
    op->erase();
  return condition;
}

/// The slot of a ring that a view takes, one further: what `k % stages` picks.
bool moveSlot(tile::SubviewOp view) {
  if (view.getOffsets().empty() || !view.getSource().getType().isShared())
    return false;
  auto slot = view.getOffsets()[0].getDefiningOp<arith::RemUIOp>();
  if (!slot)
    return false;
  OpBuilder b(view);
  Location loc = view.getLoc();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value next = arith::RemUIOp::create(b, loc, arith::AddIOp::create(b, loc, slot.getLhs(), one),
                                      slot.getRhs());
  view.getOffsetsMutable()[0].set(next);
  return true;
}

bool isCopied(tile::SubviewOp view) {
  return llvm::any_of(view->getUsers(),
                      [](Operation *user) { return isa<tile::AsyncCopyOp>(user); });
}

std::vector<Mutant> atTile() {
  auto on = [](const char *name, const char *text, std::function<bool(ModuleOp)> rewrite) {
    return Mutant{name, text, Stage::Tile,
                  [rewrite](ModuleOp module, llvm::Module *) { return rewrite(module); }};
  };
  return {
      on("missing-clear", "the accumulator of a product is not cleared",
         [](ModuleOp module) {
           return all<tile::FillOp>(module, [](tile::FillOp fill) {
             return eraseIf(fill, llvm::any_of(fill.getDst().getUsers(), [](Operation *user) {
                              return isa<tile::GemmOp>(user);
                            }));
           });
         }),
      on("transposed-operand", "a square B is taken transposed",
         [](ModuleOp module) {
           return all<tile::GemmOp>(module, [](tile::GemmOp gemm) {
             ArrayRef<int64_t> shape = cast<tile::BufferType>(gemm.getB().getType()).getShape();
             if (shape[0] != shape[1])
               return false;
             gemm.setTransposeB(!gemm.getTransposeB());
             return true;
           });
         }),
      on("k-tail-dropped", "a loop with a product ends one round early",
         [](ModuleOp module) {
           return all<tile::ForOp>(module, [](tile::ForOp loop) {
             bool hasGemm = false;
             loop.walk([&](tile::GemmOp) { hasGemm = true; });
             return hasGemm && lowerByOne(loop.getUpperMutable());
           });
         }),
      on("parallel-tail-dropped", "the last index of a parallel loop is left out",
         [](ModuleOp module) {
           return all<tile::ParallelOp>(module, [](tile::ParallelOp loop) {
             return lowerByOne(loop.getExtentsMutable()[loop.getExtents().size() - 1]);
           });
         }),
      on("reduction-keeps-old", "a reduction is combined with what was there",
         [](ModuleOp module) {
           return all<tile::ReduceOp>(module, [](tile::ReduceOp reduce) {
             bool changes = reduce.getClear();
             reduce.setClear(false);
             return changes;
           });
         }),
      on("reduction-drops-old", "a reduction overwrites what it should be combined with",
         [](ModuleOp module) {
           return all<tile::ReduceOp>(module, [](tile::ReduceOp reduce) {
             bool changes = !reduce.getClear();
             reduce.setClear(true);
             return changes;
           });
         }),
      on("absmax-as-max", "the magnitude is not taken",
         [](ModuleOp module) {
           return all<tile::ReduceOp>(module, [](tile::ReduceOp reduce) {
             bool changes = reduce.getKind() == tile::ReduceKind::AbsMax;
             if (changes)
               reduce.setKind(tile::ReduceKind::Max);
             return changes;
           });
         }),
      on("scan-direction", "a scan runs from the other end",
         [](ModuleOp module) {
           return all<tile::ScanOp>(module, [](tile::ScanOp scan) {
             scan.setReverse(!scan.getReverse());
             return true;
           });
         }),
      on("atomic-as-store", "an atomic addition only stores",
         [](ModuleOp module) {
           return all<tile::AtomicOp>(module, [](tile::AtomicOp atomic) {
             bool changes = atomic.getKind() == tile::AtomicKind::Add;
             if (changes)
               atomic.setKind(tile::AtomicKind::Exchange);
             return changes;
           });
         }),
      on("safe-value-forgotten", "outside of a tensor zero is read instead of its safe value",
         [](ModuleOp module) {
           return all<tile::LoadOp>(
               module, [](tile::LoadOp load) { return load.removePadAttr() != nullptr; });
         }),
      on("clear-accum-forgotten", "a product with clear_accum adds to the old value",
         [](ModuleOp module) {
           return all<tile::GemmOp>(module, [](tile::GemmOp gemm) {
             bool changes = gemm.getClear() != nullptr;
             gemm.getClearMutable().clear();
             return changes;
           });
         }),
      on("floor-as-trunc", "floor rounds towards zero",
         [](ModuleOp module) {
           return all<math::FloorOp>(module, [](math::FloorOp floor) {
             OpBuilder b(floor);
             floor.replaceAllUsesWith(
                 math::TruncOp::create(b, floor.getLoc(), floor.getOperand()).getResult());
             floor.erase();
             return true;
           });
         }),
      on("shift-as-logical", "a negative number is shifted right with zeros",
         [](ModuleOp module) {
           return all<arith::ShRSIOp>(module, [](arith::ShRSIOp shift) {
             OpBuilder b(shift);
             shift.replaceAllUsesWith(
                 arith::ShRUIOp::create(b, shift.getLoc(), shift.getLhs(), shift.getRhs())
                     .getResult());
             shift.erase();
             return true;
           });
         }),
  };
}

std::vector<Mutant> atTilePipelined() {
  auto on = [](const char *name, const char *text, std::function<bool(ModuleOp)> rewrite) {
    return Mutant{name, text, Stage::TilePipelined,
                  [rewrite](ModuleOp module, llvm::Module *) { return rewrite(module); }};
  };
  return {
      on("barrier-dropped", "the first barrier outside of loops is missing",
         [](ModuleOp module) {
           return first<tile::BarrierOp>(module, [](tile::BarrierOp barrier) {
             return eraseIf(barrier, !isa<tile::ForOp>(barrier->getParentOp()));
           });
         }),
      on("loop-barrier-dropped", "the first barrier in a loop is missing",
         [](ModuleOp module) {
           return first<tile::BarrierOp>(module, [](tile::BarrierOp barrier) {
             return eraseIf(barrier, isa<tile::ForOp>(barrier->getParentOp()));
           });
         }),
      on("wait-plus-one", "one group more than allowed is left in flight",
         [](ModuleOp module) {
           return all<tile::AsyncWaitOp>(module, [](tile::AsyncWaitOp wait) {
             wait.setPending(wait.getPending() + 1);
             return true;
           });
         }),
      on("stale-stage", "an iteration reads another one's slot",
         [](ModuleOp module) {
           return all<tile::SubviewOp>(
               module, [](tile::SubviewOp view) { return !isCopied(view) && moveSlot(view); });
         }),
      on("copy-into-read-slot", "a copy ahead goes to the wrong slot",
         [](ModuleOp module) {
           return all<tile::SubviewOp>(
               module, [](tile::SubviewOp view) { return isCopied(view) && moveSlot(view); });
         }),
  };
}

} // namespace

std::vector<Mutant> tileMutants() {
  std::vector<Mutant> out = atTile();
  llvm::append_range(out, atTilePipelined());
  return out;
}

} // namespace tilec::fuzz

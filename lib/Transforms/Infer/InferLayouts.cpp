//===- InferLayouts.cpp - layouts of fragments ----------------------------===//
//
// Three rounds, strongest wish first: matrix operations fix their accumulators;
// parallels, copies and reductions pass layouts from fragment to fragment; what is
// left gets the layout that suits the loop that touches it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Carriers.h"
#include "Infer/HeldRows.h"
#include "Infer/Windows.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/KOrder.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/ScanLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Reported.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include <functional>
#include <map>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_INFERLAYOUTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Gives the fragments of a kernel their layouts, and products what multiplies them.
class Inference {
public:
  Inference(tile::KernelOp kernel, const TargetInfo &target)
      : kernel(kernel), target(target), carriers(kernel) {}

  LogicalResult run();

private:
  LogicalResult fixGemms();
  WalkResult fixChosen(tile::GemmOp gemm);
  void fixAccumulator(tile::GemmOp gemm, const GemmPlan &plan);
  void fixOperands(tile::GemmOp gemm);
  void fixScans();
  void propagate();
  void visit(tile::ElementLoop loop);
  void visit(tile::ReduceOp reduce);
  void visit(tile::ScanOp scan);
  std::multimap<int64_t, tile::AllocOp, std::greater<>> openFragments();
  void setDefault(tile::AllocOp open);

  void set(Value root, const FragmentLayout &layout) {
    auto alloc = root.getDefiningOp<tile::AllocOp>();
    if (alloc && alloc.getResult().getType().isFragment() && !alloc.getLayout())
      replace(alloc, layout);
  }

  void replace(tile::AllocOp alloc, const FragmentLayout &layout) {
    alloc.setLayoutAttr(tile::FragmentLayoutAttr::get(kernel.getContext(), layout));
    carriers.note(alloc.getResult());
  }

  tile::KernelOp kernel;
  const TargetInfo &target;
  Carriers carriers;
  std::optional<HeldRows> heldRows; ///< of what matrix operations leave open
};

LogicalResult Inference::run() {
  if (failed(fixGemms()))
    return failure();
  fixScans();
  propagate();
  heldRows.emplace(kernel, target);
  for (auto [rank, open] : openFragments())
    if (!open.getLayout()) {
      setDefault(open);
      propagate();
    }
  return success();
}

LogicalResult Inference::fixGemms() {
  KernelProducts products(kernel);
  auto result = kernel.walk([&](tile::GemmOp gemm) {
    if (gemm.getMma()) // chosen by whoever wrote the program
      return fixChosen(gemm);
    std::optional<GemmPlan> plan = planGemm(gemm, target, wavesOf(gemm, target), products);
    if (!plan) {
      auto nameOfType = [](Value v) { return nameOf(tile::dtypeOf(v)); };
      (void)Reported(gemm, DiagId::NoMatrixInstruction, nameOf(target.arch),
                     nameOfType(gemm.getA()), nameOfType(gemm.getB()), nameOfType(gemm.getC()));
      return WalkResult::interrupt();
    }
    setMma(gemm, *plan);
    if (int64_t pack = gemm.getKPack(); pack > 1 && plan->kPack != pack)
      gemm.emitRemark() << "`k_pack` of " << pack
                        << " is ignored: lanes read operands as wide without it, or K is no "
                           "multiple of so many instructions'";
    fixAccumulator(gemm, *plan);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (!target.hasMatrixReads) {
    // Operands that are made of accumulators lie where those do, if the gemm can take its k in that
    // order.
    propagate();
    kernel.walk([&](tile::GemmOp gemm) { fixOperands(gemm); });
  }
  return success();
}

WalkResult Inference::fixChosen(tile::GemmOp gemm) {
  llvm::Expected<GemmPlan> plan = gemmPlanOf(gemm, target, wavesOf(gemm, target));
  if (!plan) {
    gemm.emitOpError() << llvm::toString(plan.takeError());
    return WalkResult::interrupt();
  }
  fixAccumulator(gemm, *plan);
  return WalkResult::advance();
}

void Inference::fixAccumulator(tile::GemmOp gemm, const GemmPlan &plan) {
  // A whole fragment takes the layout; a box of one is staged by tile-to-wave.
  if (rootOf(gemm.getC()) == gemm.getC())
    set(gemm.getC(), plan.c);
  if (target.hasMatrixReads)
    fixOperands(gemm);
}

void Inference::fixOperands(tile::GemmOp gemm) {
  // It has been decided, but for the order of k.
  GemmPlan plan = llvm::cantFail(gemmPlanOf(gemm, target, wavesOf(gemm, target)));
  Value operands[] = {gemm.getA(), gemm.getB()};
  // Those that lie where they are made decide the order of k, then the other one follows.
  for (bool isB : {false, true}) {
    auto alloc = operands[isB].getDefiningOp<tile::AllocOp>();
    const FragmentLayout *own = alloc ? fragmentLayoutOf(operands[isB]) : nullptr;
    bool isSum = llvm::any_of(operands[isB].getUsers(), [&](Operation *user) {
      auto other = dyn_cast<tile::GemmOp>(user);
      return other && other.getC() == operands[isB];
    });
    if (target.hasMatrixReads || !own || isSum)
      continue;
    if (auto order = kOrderFor(gemm, isB, *own, plan)) {
      if (!llvm::is_sorted(*order)) {
        plan.kOrder.assign(order->begin(), order->end());
        setMma(gemm, plan);
        plan = llvm::cantFail(gemmPlanOf(gemm, target, wavesOf(gemm, target)));
      }
      replace(alloc, operandLayout(gemm, isB, plan));
    }
  }
  for (bool isB : {false, true})
    if (rootOf(operands[isB]) == operands[isB])
      set(operands[isB], operandLayout(gemm, isB, plan));
}

/// Fragments that nothing else has placed lie as their scan wants them.
void Inference::fixScans() {
  propagate();
  kernel.walk([&](tile::ScanOp scan) {
    if (fragmentLayoutOf(scan.getSrc()) || fragmentLayoutOf(scan.getDst()))
      return;
    FragmentLayout layout = scanLayoutOf(scan, target, wavesOf(scan, target));
    set(scan.getSrc(), layout);
    set(scan.getDst(), layout);
    propagate();
  });
}

void Inference::visit(tile::ElementLoop loop) {
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  if (!layout)
    layout = layoutFromWindow(loop);
  if (!layout)
    return;
  loop.walk([&](Operation *op) {
    auto give = [&](Value buffer, ValueRange indices) {
      auto type = cast<tile::BufferType>(buffer.getType());
      if (!type.isFragment() || fragmentLayoutOf(buffer))
        return;
      if (auto own = fragmentFromLoop(*layout, indices, type.getShape(), loop))
        set(buffer, *own);
    };
    if (auto load = dyn_cast<tile::LoadOp>(op))
      give(load.getBuffer(), load.getIndices());
    if (auto store = dyn_cast<tile::StoreOp>(op))
      give(store.getBuffer(), store.getIndices());
  });
}

void Inference::visit(tile::ReduceOp reduce) {
  Value src = rootOf(reduce.getSrc()), dst = rootOf(reduce.getDst());
  const FragmentLayout *layout = fragmentLayoutOf(src);
  if (!layout || src != reduce.getSrc() || dst != reduce.getDst() || layout->rank() < 2)
    return;
  FragmentLayout left = layout->withoutDim(reduce.getDim());
  auto type = cast<tile::BufferType>(dst.getType());
  if (type.rank() == layout->rank())
    left = left.withUnitDim(reduce.getDim());
  if (ArrayRef(left.shape()) == type.getShape())
    set(dst, left);
}

void Inference::visit(tile::ScanOp scan) {
  const FragmentLayout *layout = fragmentLayoutOf(scan.getSrc());
  if (layout && isScannable(*layout, scan.getDim()))
    set(scan.getDst(), *layout);
}

void Inference::propagate() {
  size_t from = 0;
  while (Operation *op = carriers.next(from)) {
    if (auto loop = dyn_cast<tile::ElementLoop>(op))
      visit(loop);
    else if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      visit(reduce);
    else
      visit(cast<tile::ScanOp>(op));
  }
}

/// The fragments without a layout by their rank, the highest first.
std::multimap<int64_t, tile::AllocOp, std::greater<>> Inference::openFragments() {
  std::multimap<int64_t, tile::AllocOp, std::greater<>> open;
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    if (type.isFragment() && !alloc.getLayout())
      open.emplace(type.rank(), alloc);
  });
  return open;
}

/// Whether the loop over elements that the op is in reads or writes tensors.
static bool touchesTensor(Operation *op) {
  auto loop = op->getParentOfType<tile::ElementLoop>();
  return loop && (anyGlobal(accessesOf(loop).reads) || anyGlobal(accessesOf(loop).writes));
}

void Inference::setDefault(tile::AllocOp open) {
  tile::BufferType type = open.getResult().getType();
  const int64_t numWaves = wavesOf(open, target);
  // The loop that walks all of it knows the memory it comes from: one that touches a tensor, if
  // there is one, else the last.
  SmallVector<Operation *> users, others;
  for (Operation *user : open->getUsers())
    (touchesTensor(user) ? users : others).push_back(user);
  users.append(others);
  for (Operation *user : users) {
    if (isa<tile::FillOp>(user) && type.rank() > 0)
      return set(open,
                 heldRows->ofFill(open, defaultFillLayout(type.getShape(), target, numWaves)));
    auto loop = user->getParentOfType<tile::ElementLoop>();
    if (!loop || !loop.constantExtents())
      continue;
    ValueRange indices;
    if (auto load = dyn_cast<tile::LoadOp>(user))
      indices = load.getIndices();
    else if (auto store = dyn_cast<tile::StoreOp>(user))
      indices = store.getIndices();
    FragmentLayout layout = heldRows->ofLoop(loop, defaultLoopLayout(loop, target, numWaves));
    if (auto own = fragmentFromLoop(layout, indices, type.getShape(), loop)) {
      set(open, *own);
      return;
    }
  }
  Coords shape(type.getShape());
  if (shape.empty()) { // one element, a copy in every lane
    LayoutInput lanes{"lane", {}};
    for (int64_t l = 1; l < target.waveLanes; l *= 2)
      lanes.bases.push_back(Coords{});
    set(open, FragmentLayout({}, LinearLayout(0, {{"register", {}}, lanes}), {}, {{-1, numWaves}}));
    return;
  }
  int64_t vec = target.accessBytes / bytesOf(tile::dtypeOf(type.getElementType()));
  while (vec > 1 &&
         (shape.back() % vec != 0 || type.numElems() < vec * target.waveLanes * numWaves))
    vec /= 2;
  set(open, blockedLayout(shape, target.waveLanes, numWaves, vec));
}

struct InferLayoutsPass : impl::InferLayoutsPassBase<InferLayoutsPass> {
  using InferLayoutsPassBase::InferLayoutsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (failed(Inference(kernel, *chip).run()))
        return signalPassFailure();
  }
};

} // namespace

} // namespace tilec

//===- Schedulable.cpp - which pipelined loops get a planned order --------===//
//
// Those that are a matrix product and nothing else: two copies, one gemm of whole
// atoms, index arithmetic.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/Schedulable.h"

#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Pipelines/AsyncPieces.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/IR/Tile/Tfloat32.h"

using namespace mlir;

namespace tilec {

/// Copies of one operand that a plan can tell apart (ScheduleShape::cover has a bit for each).
constexpr int64_t mostCopies = 64;

static bool dependsOn(Value value, Value iv) {
  if (value == iv)
    return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value v) { return dependsOn(v, iv); });
}

std::optional<int64_t> advanceBytes(Value source, tile::ForOp loop) {
  BufferBox box = boxOf(source);
  std::optional<int64_t> step = tile::constantInt(loop.getStep());
  if (!step || *step <= 0)
    return std::nullopt;
  auto shape = box.rootType().getShape();
  auto viewShape = cast<tile::BufferType>(source.getType()).getShape();
  SmallVector<int64_t> sizes = sizesWithinOffsets(box.rootType());
  int64_t elems = 0;
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    const IndexSum &offset = box.offsets[d];
    if (llvm::none_of(offset.terms, [&](Value term) { return dependsOn(term, loop.iv()); }))
      continue;
    if (sizes[d] < 0)
      return std::nullopt;
    LinearForm form = linearize(offset);
    for (auto [term, coefficient] : form.terms)
      if (term != loop.iv() && dependsOn(term, loop.iv()))
        return std::nullopt;
    // The whole box is inside in every iteration.
    auto inView = llvm::find(box.dims, d);
    int64_t extent = inView == box.dims.end() ? 1 : viewShape[inView - box.dims.begin()];
    std::optional<IndexRange> range = rangeOf(offset);
    if (!range || range->low < 0 || range->high + extent > shape[d])
      return std::nullopt;
    elems += form.coefficient(loop.iv()) * *step * sizes[d + 1];
  }
  DType dtype = tile::dtypeOf(box.rootType().getElementType());
  int64_t bytes = storageBytes(dtype, std::abs(elems));
  return elems < 0 ? -bytes : bytes;
}

static llvm::Error no(const llvm::Twine &reason) { return llvm::createStringError(reason); }

/// Whether waves and repetitions of the atom cover the tile exactly.
static bool isWhole(const GemmPlan &plan, tile::GemmOp gemm) {
  return plan.copies == 1 && plan.repsM * plan.wavesM * plan.atomM == gemm.m() &&
         plan.repsN * plan.wavesN * plan.atomN == gemm.n() &&
         plan.kSteps * plan.kPack * plan.atom->k == gemm.k();
}

llvm::Expected<MatrixLoop> matrixLoop(tile::ForOp loop, const PipelinePlan &plan,
                                      const TargetInfo &target) {
  MatrixLoop found;
  if (!target.keepsOrder)
    return no("the target has no planned schedules");
  if (plan.stages < 2)
    return no("its copies do not run ahead");
  if (loop->getParentOfType<tile::KernelOp>().getUnplanned())
    return no("with every plan the machine code spills, moves accumulators or loses its order");
  if (!tile::constantInt(loop.getStep()))
    return no("its step is not a constant");
  for (Operation &op : *loop.bodyBlock()) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
      if (found.gemm)
        return no("it has two matrix products");
      found.gemm = gemm;
    } else if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      if (!llvm::is_contained(plan.fills, copy))
        return no("a copy cannot run ahead");
    } else if (!isa<tile::SubviewOp, tile::ReshapeOp, tile::AssumeOp>(op) &&
               !(isPure(&op) && op.getNumRegions() == 0)) {
      return no("it holds `" + op.getName().getStringRef() + "`");
    }
  }
  if (!found.gemm)
    return no("it has no matrix product");
  if (found.gemm.getClear())
    return no("its matrix product clears C");
  if (found.gemm.getTfloat32())
    return no("its operands are masked before they are multiplied");
  if (plan.fills.size() != 2 || plan.hasGathers() || found.gemm.getA() == found.gemm.getB())
    return no("it does not copy exactly its two operands");
  for (size_t fill : {0, 1})
    for (int n : {0, 1})
      if (plan.rings[fill] ==
          (n == 0 ? found.gemm.getA() : found.gemm.getB()).getDefiningOp<tile::AllocOp>())
        found.copies[n] = plan.copyAt(fill);
  int64_t waves = wavesOf(loop->getParentOfType<tile::KernelOp>(), target);
  llvm::Expected<GemmPlan> gemmPlan = gemmPlanOf(found.gemm, target, waves);
  if (!gemmPlan)
    return no("its matrix product " + llvm::toString(gemmPlan.takeError()));
  if (!isWhole(*gemmPlan, found.gemm))
    return no("its tile is no whole number of matrix instructions of every wave");
  for (int n : {0, 1}) {
    bool kIsRow = n == 0 ? found.gemm.getTransposeA() : !found.gemm.getTransposeB();
    tile::BufferType type = (n == 0 ? found.gemm.getA() : found.gemm.getB()).getType();
    int64_t together = n == 0 ? gemmPlan->togetherM : gemmPlan->togetherN;
    if (kIsRow && together == 1 &&
        !readsTransposed(n == 0 ? gemmPlan->a : gemmPlan->b, kIsRow,
                         tile::dtypeOf(type.getElementType()), target))
      return no("an operand is read element by element, as the target does not transpose it");
    Value ring = found.copies[n] ? found.copies[n].getDst() : Value();
    const SharedLayout *layout = ring ? sharedLayoutOf(ring) : nullptr;
    if (layout && (layout->pitchElems % together != 0 || layout->panelElems != 0 ||
                   (layout->phases > 1 && layout->vecElems % together != 0)))
      return no("its shared tile keeps rows apart that are read together");
  }
  int64_t copiesPerTile = 0;
  for (tile::CopyOp copy : found.copies) {
    if (!copy)
      return no("it does not copy exactly its two operands");
    int64_t pieceBytes = asyncPieceBytes(copy.getSrc(), copy.getDst(), target);
    tile::BufferType type = copy.getDst().getType();
    int64_t bytes = storageBytes(tile::dtypeOf(type.getElementType()), type.numElems());
    int64_t perInstruction = pieceBytes * target.waveLanes * waves;
    if (pieceBytes == 0 || bytes % perInstruction != 0 || bytes / perInstruction > mostCopies)
      return no("not every wave takes the same part in its copies");
    if (!advanceBytes(copy.getSrc(), loop))
      return no("a copy's source does not advance evenly within the tensor");
    copiesPerTile += bytes / perInstruction;
  }
  // Each may keep its row group's offset in a scalar register.
  if (copiesPerTile > target.registers.scalarsOfCopies)
    return no("the offsets of " + llvm::Twine(copiesPerTile) +
              " copies do not fit in scalar registers");
  return found;
}

} // namespace tilec

//===- LayOutShared.cpp - layouts of shared tiles -------------------------===//
//
// Takes a kernel whose fragments have layouts: what reads and writes a tile decides whether its
// rows are swizzled, panelled for warp groups or plain.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/LayOutShared.h"

#include "Infer/ByteTranspose.h"
#include "Infer/ThreadRows.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/Swizzle.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_LAYOUTSHAREDPASS
#include "tilec/Transforms/Passes.h.inc"

/// The shared tile that the operand is or, element by element, is a copy of. Where there is none
/// the operand's own buffer, if a kernel makes it.
static tile::AllocOp tileOf(Value operand) {
  auto own = operand.getDefiningOp<tile::AllocOp>();
  if (!own || !own.getResult().getType().isFragment())
    return own;
  for (Operation *user : operand.getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    auto load = store ? store.getValue().getDefiningOp<tile::LoadOp>() : tile::LoadOp();
    auto loop = load ? load->getParentOfType<tile::ElementLoop>() : tile::ElementLoop();
    auto tile = load ? load.getBuffer().getDefiningOp<tile::AllocOp>() : tile::AllocOp();
    if (loop && tile && store.getBuffer() == operand &&
        llvm::equal(store.getIndices(), loop.ivs()) && llvm::equal(load.getIndices(), loop.ivs()) &&
        load.getBuffer().getType().getShape() == own.getResult().getType().getShape())
      return tile;
  }
  return own;
}

/// Tiles that loops read into fragments of several rows a wave, or write from them, whose rows
/// start in one bank: what a matrix instruction wants or gives, where no instruction moves a matrix
/// (another element type). Boxes of warp groups' copies have their own swizzle.
static llvm::SmallPtrSet<Operation *, 4> metAcrossRows(tile::KernelOp kernel,
                                                       const TargetInfo &target) {
  llvm::SmallPtrSet<Operation *, 4> found, boxes;
  if (!target.hasMatrixReads)
    return found;
  bool hasWarpGroups = false;
  kernel.walk([&](tile::GemmOp gemm) { hasWarpGroups |= bool(gemm.getWarpGroup()); });
  // Their accumulators leave no registers for the addresses of what the compiler stages.
  if (hasWarpGroups && !kernel.getLockstep())
    return found;
  if (hasWarpGroups)
    kernel.walk([&](tile::CopyOp copy) {
      if (copy.getSrc().getType().isGlobal())
        boxes.insert(rootOf(copy.getDst()).getDefiningOp());
    });
  auto meet = [&](Operation *access, Value buffer, OperandRange indices) {
    auto loop = access->getParentOfType<tile::ElementLoop>();
    auto alloc = buffer.getDefiningOp<tile::AllocOp>();
    auto type = cast<tile::BufferType>(buffer.getType());
    if (!loop || !alloc || !type.isShared() || type.rank() != 2 || found.contains(alloc) ||
        boxes.contains(alloc) || !llvm::equal(indices, loop.ivs()) ||
        bitsOf(tile::dtypeOf(type.getElementType())) < 8)
      return;
    std::optional<FragmentLayout> lanes = layoutFromFragments(loop);
    if (!lanes || ArrayRef(lanes->shape()) != type.getShape())
      return;
    int64_t bytes = bytesOf(tile::dtypeOf(type.getElementType()));
    if (passesOf(*lanes, SharedLayout::swizzled(type.getShape(), 8 * bytes), bytes, target) <
        passesOf(*lanes, SharedLayout::plain(type.getShape()), bytes, target))
      found.insert(alloc);
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && !hasWarpGroups)
      meet(op, load.getBuffer(), load.getIndices());
    if (auto store = dyn_cast<tile::StoreOp>(op))
      meet(op, store.getBuffer(), store.getIndices());
  });
  return found;
}

void layOutShared(tile::KernelOp kernel, const TargetInfo &target, int64_t passedOver) {
  llvm::SmallPtrSet<Operation *, 8> readByGemm, readByWarpGroups;
  // Read lane by lane, of whole tiles of two dimensions: which lane reads what; of several the
  // first.
  llvm::DenseMap<Operation *, SharedReads> operandReads;
  kernel.walk([&](tile::GemmOp gemm) {
    std::optional<GemmPlan> plan;
    if (!target.hasMatrixReads)
      plan = llvm::cantFail(gemmPlanOf(gemm, target, wavesOf(gemm, target)));
    for (int n : {0, 1}) {
      Value operand = n == 0 ? gemm.getA() : gemm.getB();
      tile::AllocOp alloc = tileOf(operand);
      if (!plan || !alloc)
        continue;
      tile::BufferType type = alloc.getResult().getType();
      if (!type.isShared() || type.rank() != 2)
        continue;
      bool kIsRow = n == 0 ? gemm.getTransposeA() : !gemm.getTransposeB();
      if (auto reads = sharedReads(n == 0 ? plan->a : plan->b, kIsRow,
                                   n == 0 ? plan->togetherM : plan->togetherN,
                                   tile::dtypeOf(type.getElementType()), target))
        operandReads.try_emplace(alloc, std::move(*reads));
    }
    for (Value operand : {gemm.getA(), gemm.getB()}) {
      // Lanes read neighbouring rows of one k: those lie side by side without a swizzle.
      bool kIsRow = operand == gemm.getA() ? gemm.getTransposeA() : !gemm.getTransposeB();
      if (kIsRow && gemm.getMmaAttr().getMma().unit == tile::MmaUnit::Lanes)
        continue;
      if (auto alloc = rootOf(operand).getDefiningOp<tile::AllocOp>()) {
        readByGemm.insert(alloc);
        if (gemm.getWarpGroup())
          readByWarpGroups.insert(alloc);
      }
    }
  });
  // A reshaped buffer is addressed row-major.
  llvm::SmallPtrSet<Value, 4> reshaped;
  kernel.walk([&](tile::ReshapeOp view) { reshaped.insert(rootOf(view)); });
  // Lanes read bytes to be transposed from several rows at a time.
  SmallVector<tile::MoveOp> transpositions;
  if (target.hasMatrixReads)
    transpositions = byteTranspositions(kernel);
  for (tile::MoveOp loop : transpositions)
    if (auto alloc = loop.load().getBuffer().getDefiningOp<tile::AllocOp>();
        alloc && !target.groups.empty() && !reshaped.contains(alloc) &&
        SharedLayout::panelled(alloc.getResult().getType().getShape(), 8))
      readByWarpGroups.insert(alloc);
  llvm::SmallPtrSet<Operation *, 4> acrossRows = metAcrossRows(kernel, target);
  llvm::SmallPtrSet<Operation *, 4> byThreads = tilesMetByThreads(kernel, target);
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    if (!type.isShared() || alloc.getLayout())
      return;
    unsigned bits = 8 * bytesOf(tile::dtypeOf(type.getElementType()));
    bool isSwizzled =
        readByGemm.contains(alloc) || acrossRows.contains(alloc) || byThreads.contains(alloc);
    SharedLayout layout = isSwizzled && !reshaped.contains(alloc)
                              ? SharedLayout::swizzled(type.getShape(), bits)
                              : SharedLayout::plain(type.getShape());
    if (auto reads = operandReads.find(alloc);
        reads != operandReads.end() && !reshaped.contains(alloc))
      layout = chooseSwizzle(type.getShape(), reads->second, passedOver);
    if (readByWarpGroups.contains(alloc))
      layout = *SharedLayout::panelled(type.getShape(), bits);
    alloc.setLayoutAttr(tile::SharedLayoutAttr::get(alloc.getContext(), layout));
  });
}

namespace {

struct LayOutSharedPass : impl::LayOutSharedPassBase<LayOutSharedPass> {
  using LayOutSharedPassBase::LayOutSharedPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      layOutShared(kernel, *chip, swizzle);
  }
};

} // namespace

} // namespace tilec

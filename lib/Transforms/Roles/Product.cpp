//===- Product.cpp - kernels that are one matrix product ------------------===//
//
// Recognises kernels that are one product; Product.h has what is known of them then.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Product.h"

#include "Roles/PlainProduct.h"
#include "Roles/TmaBox.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

bool dependsOn(Value value, Value source) {
  if (value == source)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<tile::ForOp>(argument.getOwner()->getParentOp());
    return loop && (dependsOn(loop.getLower(), source) || dependsOn(loop.getStep(), source));
  }
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<tile::LoadOp>(op);
  if (op->getNumRegions() != 0 || (load && !load.getBuffer().getType().isGlobal()))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOn(operand, source); });
}

bool isPartible(tile::CopyOp copy, int64_t parts, const TargetInfo &target) {
  return copy.getTransfers() &&
         tmaBoxOf(copy.getSrc(), copy.getDst(), *copy.getTransfers(), target).canSplit(parts);
}

namespace {

tile::CopyOp copyInto(const ProducerLoop &loop, Value operand) {
  for (tile::CopyOp copy : loop.copies)
    if (rootOf(copy.getDst()) == rootOf(operand))
      return copy;
  return {};
}

/// Whether rows of the tensor are known not to begin at multiples of so many bytes.
bool hasRaggedPitch(tile::CopyOp copy, int64_t bytes) {
  Value root = boxRootOf(copy.getSrc());
  if (auto matrix = root.getDefiningOp<tile::Im2colOp>())
    root = matrix.getSource();
  auto type = cast<tile::BufferType>(root.getType());
  if (type.rank() < 2 || ShapedType::isDynamic(type.getShape().back()))
    return false;
  return type.getShape().back() * bitsOf(tile::dtypeOf(type.getElementType())) % (bytes * 8) != 0;
}

bool touchesGlobal(Operation *op) {
  Accesses accesses = accessesOf(op);
  auto isGlobal = [](Value root) { return cast<tile::BufferType>(root.getType()).isGlobal(); };
  return llvm::any_of(accesses.reads, isGlobal) || llvm::any_of(accesses.writes, isGlobal);
}

/// Why blocks that are neighbours along grid dimension `dim` cannot share their copies of one
/// operand: `copy` does not move along it.
std::string whyNoCluster(tile::KernelOp kernel, const ProducerLoop &plan, int dim,
                         tile::CopyOp copy, const TargetInfo &target) {
  if (kernel.getCluster() > 1)
    return "the blocks of a cluster share a tile, each a part of K";
  if (dim < 0)
    return "no dimension of the grid moves along one operand alone";
  Value id = kernel.getBody().getArgument(dim);
  tile::ForOp loop = plan.loop;
  for (Value bound : {loop.getLower(), loop.getUpper(), loop.getStep()})
    if (dependsOn(bound, id))
      return "neighbouring blocks go different ways along K";
  if (!isPartible(copy, 2, target))
    return "the copies of the shared operand cannot be cut in halves";
  // A last block without a neighbour is given one, which must touch no memory.
  std::optional<int64_t> extent = tile::constantInt(kernel.getGrid()[dim]);
  if (extent && *extent % 2 == 0)
    return "";
  for (Operation &op : kernel.getBody().front()) {
    if (&op == loop)
      return "";
    if (touchesGlobal(&op))
      return "the number of tiles may be odd, and memory is touched in front of the loop";
  }
  return "";
}

/// Whether the op works on numbers alone, each thread on its own: which group a tile belongs to.
bool isOfNumbers(Operation *top) {
  WalkResult result = top->walk([](Operation *op) {
    auto store = dyn_cast<tile::StoreOp>(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    tile::BufferType read = load ? load.getBuffer().getType() : tile::BufferType();
    bool isOne = isa<tile::ForOp, scf::IfOp, scf::YieldOp>(op) ||
                 (store && store.getBuffer().getType().isLocal()) ||
                 (read && (read.isLocal() || read.isGlobal())) ||
                 (op->getNumRegions() == 0 && isMemoryEffectFree(op));
    return isOne ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Why teams cannot take tiles in turn: what they do beside the loop uses registers and global
/// memory only, since everything in shared memory is there once.
std::string whyNoTeams(tile::KernelOp kernel, const ProducerLoop &plan) {
  tile::ForOp loop = plan.loop;
  for (BlockArgument id : kernel.getBody().getArguments())
    for (Value bound : {loop.getLower(), loop.getUpper(), loop.getStep()})
      if (dependsOn(bound, id))
        return "tiles have different numbers of K tiles";
  for (Operation &op : kernel.getBody().front()) {
    if (&op == loop || isMemoryEffectFree(&op))
      continue;
    if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
      if (alloc.getResult().getType().isShared() && !llvm::is_contained(plan.rings, alloc))
        return "shared memory holds more than the operands";
      continue;
    }
    bool isPlain = isa<tile::FillOp, tile::CopyOp>(op) || isOfNumbers(&op);
    if (auto parallel = dyn_cast<tile::ElementLoop>(op)) {
      isPlain = true;
      parallel.walk([&](Operation *inner) {
        isPlain &= inner == parallel || isa<tile::LoadOp, tile::StoreOp, scf::IfOp>(inner) ||
                   isMemoryEffectFree(inner);
      });
    }
    if (!isPlain)
      return "the kernel does more than multiply and store element by element";
  }
  return "";
}

/// The kernel's one loop that is not of numbers alone; it stands in no other.
tile::ForOp mainLoopOf(tile::KernelOp kernel) {
  tile::ForOp main;
  bool isOne = true;
  kernel.walk<WalkOrder::PreOrder>([&](tile::ForOp loop) {
    if (isOfNumbers(loop))
      return WalkResult::skip();
    isOne &= !main && loop->getParentOp() == kernel;
    main = loop;
    return WalkResult::advance();
  });
  return isOne ? main : tile::ForOp();
}

} // namespace

std::optional<Product> productOf(tile::KernelOp kernel, const TargetInfo &target,
                                 const SharedMemory &memory) {
  tile::ForOp only = mainLoopOf(kernel);
  if (!only || !only.getServed() || only.getStages() < 2)
    return std::nullopt;
  ProducerLoop plan = producerLoopOf(only, target);
  tile::GemmOp gemm = plan.gemmInFlight();
  if (!gemm || !plan.fitInto(memory))
    return std::nullopt;
  Product product;
  product.loop = plan;
  ProductShape &shape = product.shape;
  shape.tileM = gemm.m();
  shape.tileN = gemm.n();
  shape.tileK = gemm.k();
  shape.threads = kernel.getThreads();
  shape.units = target.units;
  shape.registersOfUnit = target.registers.ofUnit;
  shape.mostThreads = target.maxThreads;
  shape.groupThreads = target.groupLanes();
  int64_t bits = bitsOf(tile::dtypeOf(gemm.getC().getType().getElementType()));
  shape.accumulatorRegs = gemm.m() * gemm.n() * bits / 32 / shape.threads;
  const int64_t sectorBytes = target.cacheSector;
  shape.raggedPitch = llvm::any_of(
      plan.copies, [&](tile::CopyOp copy) { return hasRaggedPitch(copy, 2 * sectorBytes); });
  tile::CopyOp a = copyInto(plan, gemm.getA()), b = copyInto(plan, gemm.getB());
  shape.splitSectorsA = a && hasRaggedPitch(a, sectorBytes);
  shape.splitSectorsB = b && hasRaggedPitch(b, sectorBytes);
  std::optional<int64_t> lower = tile::constantInt(only.getLower()),
                         upper = tile::constantInt(only.getUpper()),
                         step = tile::constantInt(only.getStep());
  if (lower && upper && step && *step > 0)
    shape.tilesK = ceilDiv(*upper - *lower, *step);
  shape.tiles = 1;
  for (auto [dim, extent] : llvm::enumerate(kernel.getGrid())) {
    Value id = kernel.getBody().getArgument(dim);
    bool movesA = a && dependsOn(a.getSrc(), id), movesB = b && dependsOn(b.getSrc(), id);
    if (a && b && movesA && !movesB && product.dimM < 0)
      product.dimM = dim;
    if (a && b && movesB && !movesA && product.dimN < 0)
      product.dimN = dim;
    std::optional<int64_t> known = tile::constantInt(extent);
    shape.tiles = shape.tiles && known ? std::optional(*shape.tiles * *known) : std::nullopt;
  }
  if (product.dimM >= 0)
    shape.tilesM = tile::constantInt(kernel.getGrid()[product.dimM]);
  if (product.dimN >= 0)
    shape.tilesN = tile::constantInt(kernel.getGrid()[product.dimN]);
  shape.noClusterM = whyNoCluster(kernel, plan, product.dimM, b, target);
  shape.noClusterN = whyNoCluster(kernel, plan, product.dimN, a, target);
  shape.noTeams = whyNoTeams(kernel, plan);
  // Groups of rows have few tiles each and share the chip's memory: several small tiles on a unit
  // that wait for it by turns are faster than one after another.
  constexpr int64_t largeTile = 128 * 128;
  if (!onlyLoop(kernel) && shape.tileM * shape.tileN < largeTile)
    return std::nullopt;
  return product;
}

} // namespace tilec

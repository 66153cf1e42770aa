//===- ForwardAccumulators.cpp - operands made of accumulators -------------===//
//
// Attention's weights, in a shared tile between the two products because their author put them
// there: each wave has in registers what it reads of them. Looks for such tiles and makes them
// fragments, as other authors do; what is written, waited for and read again is gone.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/FragmentRegisters.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/WarpGroups.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FORWARDACCUMULATORSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A shared tile with the loop that writes all of it, and the products whose A it is.
struct Passage {
  tile::AllocOp tile;
  tile::ElementLoop writer;
  SmallVector<tile::GemmOp, 2> readers;
};

/// Whether the loop stores or loads the buffer's elements in their order, all of them.
bool goesThrough(tile::ElementLoop loop, Value buffer, ValueRange indices) {
  std::optional<SmallVector<int64_t>> extents = loop.constantExtents();
  return extents && llvm::equal(indices, loop.ivs()) &&
         cast<tile::BufferType>(buffer.getType()).getShape() == ArrayRef<int64_t>(*extents);
}

/// What the tile is between; nothing where it is more than a place on the way.
std::optional<Passage> passageOf(tile::AllocOp alloc) {
  tile::BufferType type = alloc.getResult().getType();
  if (!type.isShared() || type.rank() != 2 || alloc.getLayout() ||
      !isa<FloatType>(type.getElementType()) || bitsOf(tile::dtypeOf(type.getElementType())) != 16)
    return std::nullopt;
  Passage found{alloc, {}, {}};
  for (Operation *user : alloc.getResult().getUsers()) {
    if (auto store = dyn_cast<tile::StoreOp>(user)) {
      auto loop = dyn_cast<tile::ElementLoop>(store->getParentOp());
      if (found.writer || !loop || !goesThrough(loop, store.getBuffer(), store.getIndices()))
        return std::nullopt;
      found.writer = loop;
      continue;
    }
    auto gemm = dyn_cast<tile::GemmOp>(user);
    if (!gemm || gemm.getA() != alloc.getResult() || gemm.getB() == alloc.getResult() ||
        gemm.getTransposeA() || gemm.getPlaces() || gemm.getMma())
      return std::nullopt;
    found.readers.push_back(gemm);
  }
  bool isInOrder =
      found.writer && !found.readers.empty() && llvm::all_of(found.readers, [&](tile::GemmOp gemm) {
        return gemm->getBlock() == found.writer->getBlock() && found.writer->isBeforeInBlock(gemm);
      });
  return isInOrder ? std::optional(found) : std::nullopt;
}

/// How plans of products share out rows.
class Rows {
public:
  Rows(tile::KernelOp kernel, const TargetInfo &target)
      : products(kernel), numWaves(wavesOf(kernel, target)), target(target) {
    kernel.walk([&](tile::GemmOp gemm) { ofAccumulators[rootOf(gemm.getC())].push_back(gemm); });
  }

  /// Whether each wave has rows of its own, with all of their columns.
  bool sharesOutRows(tile::GemmOp gemm) {
    std::optional<GemmPlan> plan = planGemm(gemm, target, numWaves, products);
    return plan && !plan->isOfLanes && plan->c.wavesPerDim()[0] == numWaves;
  }

  /// Whether waves that multiply the tile's rows have made them.
  bool areKept(Passage &passage) {
    bool isMade = false, isElsewhere = false;
    auto isAlike = [&](tile::GemmOp gemm) {
      return gemm.getWarpGroup() == passage.readers.front().getWarpGroup() && sharesOutRows(gemm);
    };
    passage.writer->walk([&](tile::LoadOp load) {
      auto made = ofAccumulators.find(load.getBuffer());
      if (made == ofAccumulators.end())
        return;
      bool isHere = goesThrough(passage.writer, load.getBuffer(), load.getIndices()) &&
                    llvm::all_of(made->second, isAlike);
      (isHere ? isMade : isElsewhere) = true;
    });
    return isMade && !isElsewhere && llvm::all_of(passage.readers, isAlike);
  }

private:
  KernelProducts products;
  llvm::DenseMap<Value, SmallVector<tile::GemmOp, 1>> ofAccumulators;
  int64_t numWaves;
  const TargetInfo &target;
};

/// Whether a lane has registers for its part of the tile. Waves that share a scheduler's keep half
/// of them each.
bool fits(tile::AllocOp tile, tile::KernelOp kernel, const TargetInfo &target) {
  int64_t numWaves = wavesOf(kernel, target);
  tile::BufferType type = tile.getResult().getType();
  int64_t own = ceilDiv(type.numElems() * 2, 4 * target.waveLanes * numWaves);
  int64_t all = std::min(target.registers.ofLane, target.registersOf(numWaves));
  int64_t used = fragmentRegisters(kernel, target) + own;
  if (target.registers.areOfSchedulers)
    return used + besideFragments <= target.registers.ofLane / 2;
  return used + target.registers.besideFragments <= all;
}

/// Whether the product is multiplied as was chosen, with its A in registers.
bool takesA(tile::GemmOp gemm, const TargetInfo &target) {
  return !gemm.getWarpGroup() || isWarpGroupGemm(gemm, target, wavesOf(gemm, target));
}

void forwardAccumulators(tile::KernelOp kernel, const TargetInfo &target) {
  if (kernel.getLockstep())
    return;
  SmallVector<tile::AllocOp> tiles;
  kernel.walk([&](tile::AllocOp alloc) { tiles.push_back(alloc); });
  for (tile::AllocOp alloc : tiles) {
    std::optional<Passage> passage = passageOf(alloc);
    if (!passage || !fits(alloc, kernel, target) || !Rows(kernel, target).areKept(*passage))
      continue;
    tile::BufferType type = alloc.getResult().getType();
    OpBuilder b(alloc);
    auto kept = tile::AllocOp::create(
        b, alloc.getLoc(),
        tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Fragment),
        alloc.getName(), Attribute());
    alloc.getResult().replaceAllUsesWith(kept.getResult());
    // Not where the atom wants its A in memory after all.
    if (llvm::all_of(passage->readers, [&](tile::GemmOp gemm) { return takesA(gemm, target); })) {
      alloc.erase();
      continue;
    }
    kept.getResult().replaceAllUsesWith(alloc.getResult());
    kept.erase();
  }
}

struct ForwardAccumulatorsPass : impl::ForwardAccumulatorsPassBase<ForwardAccumulatorsPass> {
  using ForwardAccumulatorsPassBase::ForwardAccumulatorsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      forwardAccumulators(kernel, *chip);
  }
};

} // namespace

} // namespace tilec

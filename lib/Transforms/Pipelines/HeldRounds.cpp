//===- HeldRounds.cpp - which tiles may wait in registers ------------------===//
//
// Decides; changes nothing. What becomes of the round is in HoldRounds.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/HeldRounds.h"

#include "Infer/FragmentRegisters.h"
#include "Layouts/GemmPlan.h"
#include "Memory/SharedMemory.h"
#include "Pipelines/AsyncPieces.h"
#include "Pipelines/TensorReads.h"
#include "Roles/ProducerLoop.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

/// A tile that the loop is given, not one of its body.
bool isTileOf(tile::ForOp loop, tile::AllocOp ring) {
  return ring && ring.getResult().getType().isShared() && !loop->isAncestor(ring);
}

/// Registers of a lane that the places of a tile's next round take, where addresses are no scalars:
/// three tiles with a scale each spilled 1112 bytes without (128 x 192 each by 256 threads).
constexpr int64_t ofAddresses = 16;

} // namespace

HeldRounds::HeldRounds(tile::ForOp loop, const TargetInfo &chip, ArrayRef<Operation *> others)
    : loop(loop), chip(chip), builder(loop), rounds(loop, builder), all(accessesOf(loop)),
      isBeside(!others.empty()) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  block = roundOf(loop);
  if (block != loop.bodyBlock()) {
    round = cast<scf::IfOp>(block->getParentOp());
    if (kernel.getLockstep() || !isIndex(round.getCondition())) {
      block = loop.bodyBlock();
      round = {};
    }
  }
  for (Operation &op : *block) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    auto parallel = dyn_cast<tile::ElementLoop>(op);
    if (llvm::is_contained(others, &op))
      continue;
    if (copy && isLegal(copy))
      found.push_back(copy);
    else if (parallel && isReader(parallel))
      beside.push_back(parallel);
    else if (parallel && isLegal(parallel))
      found.push_back(parallel);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      addReadersOf(branch);
    else if (movesToShared(&op))
      holdsAll = false;
  }
}

/// What they read is read in all rounds: a few registers.
void HeldRounds::addReadersOf(scf::IfOp branch) {
  for (Region *side : {&branch.getThenRegion(), &branch.getElseRegion()})
    for (Operation &op : side->getOps())
      if (auto parallel = dyn_cast<tile::ElementLoop>(op); parallel && isReader(parallel))
        beside.push_back(parallel);
      else if (movesToShared(&op))
        holdsAll = false;
}

/// What lanes read of tensors to find places would be waited for in the order of all reads; words
/// that are the same for all lanes have another counter.
bool HeldRounds::isIndex(Value value) {
  if (isIndexOnly(value, loop))
    return true;
  if (!ofKernel) // a kernel of many loops is not walked through for each of them
    ofKernel = accessesOf(loop->getParentOfType<tile::KernelOp>());
  return isIndexOnly(value, loop, &*ofKernel, /*words=*/true);
}

bool HeldRounds::isLegal(tile::CopyOp copy) {
  tile::AllocOp ring = tileOf(copy);
  if (!copy.getSrc().getType().isGlobal() || !isTileOf(loop, ring) || !isFilledBy(copy, ring) ||
      bitsOf(tile::dtypeOf(copy.getSrc().getType().getElementType())) < 8 ||
      isChangedBy(all.writes, rootOf(copy.getSrc())) ||
      (round && !canLieOutside(cast<tile::BufferType>(boxRootOf(copy.getSrc()).getType()))))
    return false;
  for (Value buffer = copy.getSrc(); Operation *view = buffer.getDefiningOp();) {
    if (!isa<tile::SubviewOp, tile::ReshapeOp>(view))
      break;
    for (Value operand : view->getOperands())
      if (!isa<tile::BufferType>(operand.getType()) && !isIndex(operand))
        return false;
    buffer = view->getOperand(0);
  }
  return true;
}

bool HeldRounds::isKnownAhead(tile::LoadOp load, tile::ElementLoop parallel) {
  SetVector<Operation *> slice = sliceOf(load.getIndices(), parallel);
  for (Operation *op : slice)
    if (auto other = dyn_cast<tile::LoadOp>(op);
        other && isChangedBy(all.writes, rootOf(other.getBuffer())))
      return false;
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  ops.push_back(load);
  return llvm::all_of(usedFromOutside(ops, parallel), [&](Value value) { return isIndex(value); });
}

bool HeldRounds::isLegal(tile::ElementLoop parallel) {
  tile::AllocOp ring;
  if (!parallel.constantExtents() || parallel.getPart())
    return false;
  for (Operation &op : *parallel.bodyBlock()) {
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      auto to = store.getBuffer().getDefiningOp<tile::AllocOp>();
      if (!isTileOf(loop, to) || (ring && ring != to))
        return false;
      ring = to;
    } else if (op.getNumRegions() != 0 || !(isMemoryEffectFree(&op) || isa<tile::LoadOp>(op))) {
      return false;
    }
  }
  SmallVector<tile::LoadOp> values = tensorReadsOf(parallel).values;
  auto isWhole = [&](tile::LoadOp load) {
    return values.size() == 1 ||
           variablesOf(load.getIndices(), parallel).size() == parallel.ivs().size();
  };
  bool hasWhole = llvm::any_of(values, isWhole);
  bool isSame = llvm::all_of(
      values, [&](tile::LoadOp load) { return variablesOf(load.getIndices(), parallel).empty(); });
  if (!ring || values.empty() || isSame || !hasWhole || !isFilledBy(parallel, ring))
    return false;
  for (tile::LoadOp load : values)
    if (isChangedBy(all.writes, rootOf(load.getBuffer())) ||
        bitsOf(tile::dtypeOf(load.getBuffer().getType().getElementType())) < 8 ||
        !isKnownAhead(load, parallel) ||
        (round && isWhole(load) && !canLieOutside(load.getBuffer().getType())))
      return false;
  if (!round && !isBeside)
    return true;
  // It is moved to the front of its round.
  for (auto load : parallel.bodyBlock()->getOps<tile::LoadOp>())
    if (isChangedBy(all.writes, rootOf(load.getBuffer())))
      return false;
  SmallVector<Operation *> ops;
  for (Operation &op : *parallel.bodyBlock())
    ops.push_back(&op);
  return llvm::all_of(usedFromOutside(ops, parallel), [&](Value value) { return isIndex(value); });
}

/// Registers of a lane that what a loop over elements reads beside tiles may take, each twice: what
/// is read ahead is to be little beside what waits for it.
constexpr int64_t mostBesideTiles = 8;
/// And where all of a round's tiles wait in registers, which are counted then: an element of a
/// product's result each (a bias).
constexpr int64_t mostOfMany = 32;

bool HeldRounds::isReader(tile::ElementLoop parallel) {
  // Where a producer brings tiles, the others have no copies to wait for.
  bool hasProducer = !loop.bodyBlock()->getOps<tile::PipeWaitOp>().empty();
  if (hasProducer || round || !parallel.constantExtents() || parallel.getPart())
    return false;
  for (Operation &op : *parallel.bodyBlock())
    if (op.getNumRegions() != 0 || isa<tile::AtomicOp>(op))
      return false;
  bool readsTiles = llvm::any_of(accessesOf(parallel).reads, [&](Value root) {
    return !root.getDefiningOp<tile::TensorOp>() && isChangedBy(all.writes, root);
  });
  TensorReads reads = tensorReadsOf(parallel);
  if (!readsTiles)
    return false;
  for (tile::LoadOp load : reads.values)
    if (isChangedBy(all.writes, rootOf(load.getBuffer())) ||
        bitsOf(tile::dtypeOf(load.getBuffer().getType().getElementType())) < 8 ||
        !isKnownAhead(load, parallel))
      return false;
  return !reads.values.empty() &&
         registersOfReads(parallel) <= (isBeside ? mostBesideTiles : mostOfMany);
}

int64_t HeldRounds::registersOfReads(tile::ElementLoop parallel) const {
  TensorReads reads = tensorReadsOf(parallel);
  int64_t bits = 0;
  for (tile::LoadOp load : llvm::concat<tile::LoadOp>(reads.values, reads.places))
    bits += heldBits(load, parallel);
  return ceilDiv(bits, 32 * wavesOf(loop, chip) * chip.waveLanes);
}

void HeldRounds::readFewUnlessFits(int64_t fewestWaves) {
  if (!beside.empty() && !fits(fewestWaves))
    llvm::erase_if(beside, [&](tile::ElementLoop parallel) {
      return registersOfReads(parallel) > mostBesideTiles;
    });
}

/// Whether pieces of the box may begin anywhere in the tensor's rows (partsRowEnds).
static bool readsAnyPiece(const BufferBox &box, int64_t columns, const TargetInfo &chip) {
  auto tensor = box.root.getDefiningOp<tile::TensorOp>();
  tile::BufferType type = box.rootType();
  if (!chip.unalignedAccess || !tensor || !tensor.getStrides().empty() || box.dims.empty() ||
      box.dims.back() != type.rank() - 1)
    return false;
  std::optional<IndexRange> range = rangeOf(box.offsets.back());
  int64_t rowElems = type.getShape().back();
  bool isInside = range && !ShapedType::isDynamic(rowElems) && range->low >= 0 &&
                  range->high + columns <= rowElems;
  return isInside || partsRowEnds(type, columns, chip);
}

bool HeldRounds::readsPieces(Operation *fill, int64_t bytes) const {
  auto isWhole = [&](tile::BufferType tensor, ArrayRef<int64_t> elements) {
    int64_t bits = bitsOf(tile::dtypeOf(tensor.getElementType()));
    return llvm::all_of(elements, [&](int64_t n) {
      return (ShapedType::isDynamic(n) ? 1 : n) * bits % (8 * bytes) == 0;
    });
  };
  if (auto copy = dyn_cast<tile::CopyOp>(fill)) {
    BufferBox box = boxOf(copy.getSrc());
    int64_t rowElems = box.rootType().getShape().back();
    int64_t columns = copy.getDst().getType().getShape().back();
    if (readsAnyPiece(box, columns, chip))
      return isWhole(box.rootType(), {columns});
    return isWhole(box.rootType(), {rowElems, divisorOf(box.offsets.back()), columns});
  }
  auto parallel = cast<tile::ElementLoop>(fill);
  return llvm::all_of(tensorReadsOf(parallel).values, [&](tile::LoadOp load) {
    tile::BufferType tensor = load.getBuffer().getType();
    // What several elements share is little.
    if (isWhole(tensor, {1}) ||
        variablesOf(load.getIndices(), parallel).size() < parallel.ivs().size())
      return true;
    SmallVector<int64_t> multiples{tensor.getShape().back()};
    Value column = load.getIndices().back();
    // A column of an image's channels: whole pieces are so, too, behind what wraps.
    while (auto rest = column.getDefiningOp<arith::RemUIOp>()) {
      std::optional<int64_t> divisor = tile::constantInt(rest.getRhs());
      if (!divisor)
        break;
      multiples.push_back(*divisor);
      column = rest.getLhs();
    }
    LinearForm form = linearize(column);
    multiples.push_back(form.constant);
    for (auto [term, factor] : form.terms)
      if (term != parallel.ivs().back())
        multiples.push_back(factor * divisorOf(term));
    return isWhole(tensor, multiples);
  });
}

int64_t HeldRounds::heldBits(tile::LoadOp load, tile::ElementLoop parallel) const {
  int64_t elements = 1;
  for (HeldVariable variable : heldVariablesOf(load, parallel))
    elements *= (*parallel.constantExtents())[variable.number] / variable.run;
  return elements * bitsOf(tile::dtypeOf(load.getBuffer().getType().getElementType()));
}

SmallVector<int64_t, 2> HeldRounds::heldBits(Operation *fill) const {
  if (auto copy = dyn_cast<tile::CopyOp>(fill))
    return {copy.getDst().getType().numElems() *
            bitsOf(tile::dtypeOf(copy.getSrc().getType().getElementType()))};
  auto parallel = cast<tile::ElementLoop>(fill);
  return llvm::map_to_vector<2>(tensorReadsOf(parallel).values,
                                [&](tile::LoadOp load) { return heldBits(load, parallel); });
}

bool HeldRounds::isLittle(Operation *fill) const {
  int64_t bits = 0;
  for (int64_t ofRead : heldBits(fill))
    bits += ofRead;
  return bits <= 32 * wavesOf(loop, chip) * chip.waveLanes * mostBesideTiles / 2;
}

bool HeldRounds::fits(int64_t fewestWaves) const {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  int64_t waves = wavesOf(loop, chip), bits = 0, addresses = 0;
  for (Operation *fill : found)
    for (int64_t ofRead : heldBits(fill)) {
      bits += ofRead;
      addresses += chip.registers.besideFragments != 0 ? ofAddresses : 0;
    }
  for (tile::ElementLoop parallel : beside) {
    TensorReads reads = tensorReadsOf(parallel);
    for (tile::LoadOp load : llvm::concat<tile::LoadOp>(reads.values, reads.places))
      bits += 2 * heldBits(load, parallel);
  }
  int64_t ofBlock = std::max<int64_t>(1, SharedMemory(kernel, chip).bytes() + chip.sharedBytesKept);
  int64_t most = chip.schedulers * chip.wavesOfScheduler;
  int64_t resident = std::min(most, std::max<int64_t>(1, chip.sharedBytesOfUnit / ofBlock) * waves);
  if (fewestWaves != 0)
    resident = std::min(resident, std::max(waves, fewestWaves * chip.schedulers));
  int64_t held = ceilDiv(bits, 32 * waves * chip.waveLanes);
  return fragmentRegisters(kernel, chip) + held + addresses + besideFragments <=
         chip.registersOf(resident);
}

bool HeldRounds::hasRoom(const SharedMemory &now) const {
  if (!isBeside && !round)
    return true;
  SharedMemory memory = now;
  for (Operation *op : found)
    for (Value buffer : accessesOf(op).writes)
      if (auto tile = buffer.getDefiningOp<tile::AllocOp>();
          tile && tile.getResult().getType().isShared())
        memory.keepDuring(loop, tile);
  return memory.fits();
}

bool HeldRounds::varies(tile::LoadOp load, tile::ElementLoop parallel) {
  SetVector<Operation *> slice = sliceOf(load.getIndices(), parallel);
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  ops.push_back(load);
  SmallVector<Value> work = usedFromOutside(ops, parallel);
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == loop.iv())
      return true;
    Operation *op = value.getDefiningOp();
    if (op && loop->isProperAncestor(op) && seen.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

} // namespace tilec

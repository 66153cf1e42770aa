//===- AppliedAddresses.cpp - addresses of a planned loop -----------------===//
//
// They follow a few rules that leave the loop nothing to compute:
//  - a slot of shared memory is the immediate of a read, and a scalar made in front
//    of the loop for a copy (m0);
//  - a copy's place along K is its immediate within `slots` tiles, and one addition
//    for all copies of an operand per `slots` tiles. The instruction adds the
//    immediate to both addresses, so the scalar is lowered by it: slot s takes tiles
//    s, s + slots, ... and its immediate is s * advance, never below address 0.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/Application.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

Value Application::outside(Value value, int64_t bytes) {
  if (bytes == 0)
    return value;
  Value &known = outsideValues[{value.getAsOpaquePointer(), bytes}];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(front);
    known = arith::AddIOp::create(b, loc, value, constant(bytes));
  }
  return known;
}

/// Of lane and uniform offsets the kind with fewer different values moves along K.
void Application::chooseAdvancing() {
  for (MmaOperand operand : {MmaOperand::A, MmaOperand::B}) {
    int n = static_cast<int>(operand);
    llvm::DenseSet<Value> lane, uniform;
    for (int64_t d = 0; d < shape.dmas[n]; ++d) {
      auto dma = cast<wave::LoadToSharedOp>(opsOf(ScheduleStep::dma(operand, d, 0).name())[0]);
      lane.insert(dma.getVoffset());
      uniform.insert(dma.getSoffset());
    }
    movesLaneOffset[n] = lane.size() <= uniform.size();
  }
}

void Application::chooseAnchors() {
  for (auto &[name, ops] : pipeline.steps)
    for (Operation *read : ops)
      if (wave::stepOf(read).isRead()) {
        int64_t imm = immOf(read);
        auto [at, isNew] = anchors.try_emplace(read->getOperand(0), imm);
        at->second = std::min(at->second, imm);
      }
}

Value Application::advancedTo(int64_t index, int64_t block, Values &values) {
  auto known = values.advanced.find({index, block});
  if (known != values.advanced.end())
    return known->second;
  const Advancing &which = advancing[index];
  // Blocks are asked for in order; the nearest one before is at hand.
  Value before = advancedTo(index, block - 1, values);
  Value next = arith::AddIOp::create(b, loc, before, constant(which.bytes * which.block));
  return values.advanced[{index, block}] = next;
}

/// Where a copy goes. Each target in a scalar register of its own is one s_mov to m0, which may
/// stand anywhere; where those are too many, m0 is the sum of one register and a constant.
Value Application::dmaTarget(Value base, int64_t bytes, Values &values) {
  bool isConstant =
      base.getDefiningOp<arith::ConstantIndexOp>() != nullptr; // of a block of one wave
  if (isConstant || shape.dmasPerTile() * shape.slots <= chip.registers.scalarsOfPlaces)
    return outside(base, bytes);
  // The base of the first copy, to which the others are constants.
  arith::AddIOp sum = base.getDefiningOp<arith::AddIOp>();
  while (sum) {
    std::optional<int64_t> constant;
    if (auto known = sum.getRhs().getDefiningOp<arith::ConstantIndexOp>())
      constant = known.value();
    if (!constant)
      break;
    bytes += *constant;
    base = sum.getLhs();
    sum = base.getDefiningOp<arith::AddIOp>();
  }
  Value &known = values.targets[base];
  if (!known)
    known = wave::OpaqueOp::create(b, loc, b.getIndexType(), base);
  return arith::AddIOp::create(b, loc, known, constant(bytes));
}

/// The tile, modulo the slots, with which a copy's tiles of a round begin: the round's copies then
/// share one address.
int64_t Application::phaseOf(const ScheduleStep &copy, wave::LoadToSharedOp dma, int64_t advance) {
  auto first = firstTiles.find(copy.name());
  int64_t phase = first == firstTiles.end() ? 0 : first->second % shape.slots;
  // The target is lowered by the immediate, which slot 0 then has as well: not below address 0.
  auto sum = dma.getShared().getDefiningOp<arith::AddIOp>();
  auto base = sum ? sum.getRhs().getDefiningOp<arith::ConstantIndexOp>() : nullptr;
  bool hasRoom = base && base.value() >= advance * (shape.slots - 1);
  return hasRoom ? phase : 0;
}

int64_t Application::advancingOf(const ScheduleStep &copy, Values &values) {
  auto dma = cast<wave::LoadToSharedOp>(opsOf(copy.name())[0]);
  int64_t advance = dma.getStep()->getAdvance();
  int64_t slotBytes = dma.getStep()->getSlotBytes();
  bool isLane = movesLaneOffset[static_cast<int>(copy.operand)];
  Value moving = isLane ? dma.getVoffset() : dma.getSoffset();
  bool fitsImm = advance >= 0 && advance * (shape.slots - 1) < pipeline.constants.buffer &&
                 advance <= slotBytes;
  Advancing which = {moving, advance, fitsImm ? shape.slots : 1,
                     fitsImm ? phaseOf(copy, dma, advance) : 0};
  auto found = llvm::find(advancing, which);
  int64_t index = found - advancing.begin();
  if (found == advancing.end())
    advancing.push_back(which);
  values.advanced.try_emplace({index, 0}, outside(moving, which.phase * advance));
  return index;
}

} // namespace tilec

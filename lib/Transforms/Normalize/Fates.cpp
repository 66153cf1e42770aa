//===- Fates.cpp - where values go until they are rounded -----------------===//
//
// Inside a parallel a value is followed through products, quotients, clamps and negations, which
// keep relative errors, and sums of positive values with positive constants, to stores; from a
// fragment of f32 on through the statements that read it until it is overwritten.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Fates.h"

#include "Layouts/Stores.h"
#include "Normalize/RowMaxima.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

Value chosenAs(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<arith::SelectOp>(user) && use.getOperandNumber() != 0)
    return user->getResult(0);
  if (isa<scf::YieldOp>(user))
    if (auto choice = dyn_cast<scf::IfOp>(user->getParentOp()))
      return choice.getResult(use.getOperandNumber());
  return {};
}

bool Uses::isRounded(OpOperand &use, Known known) {
  Operation *user = use.getOwner();
  if (isa<arith::MulFOp, arith::NegFOp>(user))
    return areRounded(user->getResult(0), Known{false, known.mayVanish});
  // A clamp, as in front of a rounding to 8 bits.
  if (isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(user))
    return areRounded(user->getResult(0), Known{false, known.mayVanish});
  if (Value chosen = chosenAs(use))
    return areRounded(chosen, Known{false, known.mayVanish});
  if (isa<arith::DivFOp>(user)) {
    bool isDivisor = use.getOperandNumber() == 1;
    return !(isDivisor && known.mayVanish) &&
           areRounded(user->getResult(0), Known{false, known.mayVanish});
  }
  if (mayBeAdded && isa<arith::AddFOp, arith::SubFOp>(user))
    return areRounded(user->getResult(0), Known{false, known.mayVanish});
  if (isa<arith::AddFOp>(user)) {
    std::optional<double> other = constantOf(user->getOperand(1 - use.getOperandNumber()));
    return known.isPositive && other && *other >= smallestVisible &&
           areRounded(user->getResult(0), Known{true, false});
  }
  if (auto round = dyn_cast<tile::RoundOp>(user))
    return bitsOf(tile::dtypeOf(round.getDtype())) <= 16;
  auto store = dyn_cast<tile::StoreOp>(user);
  if (!store || store.getValue() != use.get())
    return false;
  auto type = cast<tile::BufferType>(store.getBuffer().getType());
  if (bitsOf(tile::dtypeOf(type.getElementType())) <= 16)
    return true;
  auto loop = store->getParentOfType<tile::ElementLoop>();
  return type.isFragment() && store.getBuffer().getDefiningOp<tile::AllocOp>() && loop &&
         !loop->getParentOfType<tile::ElementLoop>() && followFragment(store.getBuffer(), loop);
}

bool Uses::followFragment(Value fragment, Operation *writer) {
  if (auto found = known.find({fragment, writer}); found != known.end())
    return found->second;
  if (!followed.insert({fragment, writer}).second)
    return true; // a round further
  if (scan(fragment, writer->getBlock(), std::next(writer->getIterator())))
    return true;
  known[{fragment, writer}] = false;
  return false;
}

Fates::Fates(tile::KernelOp kernel) {
  SmallVector<Written> all;
  kernel.walk([&](tile::StoreOp store) {
    auto loop = store->getParentOfType<tile::ElementLoop>();
    auto type = cast<tile::BufferType>(store.getBuffer().getType());
    if (loop && !loop->getParentOfType<tile::ElementLoop>() && type.isFragment() &&
        bitsOf(tile::dtypeOf(type.getElementType())) > 16 &&
        store.getBuffer().getDefiningOp<tile::AllocOp>())
      all.push_back({store.getBuffer(), loop});
  });
  for (const auto &[fragment, loop] : llvm::reverse(all)) {
    for (bool mayBeSummed : {false, true})
      for (bool mayVanish : {false, true})
        Uses(*this, mayBeSummed, mayVanish).isFragmentRounded(fragment, loop);
    Uses::besideOthers(*this).isFragmentRounded(fragment, loop);
  }
}

bool Uses::isHarmless(Operation *op, Value fragment) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return mayBeSummed && reduce.getKind() == tile::ReduceKind::Sum && reduce.getDst() != fragment;
  auto loop = dyn_cast<tile::ElementLoop>(op);
  if (!loop)
    return false;
  bool isRounded = true;
  loop.walk([&](tile::LoadOp load) {
    if (rootOf(load.getBuffer()) == fragment)
      isRounded = isRounded && areRounded(load.getResult(), Known{false, mayVanish});
  });
  return isRounded;
}

LaterReads::Fate LaterReads::fateIn(Value fragment, Block *block, Block::iterator at) {
  for (; at != block->end(); ++at) {
    if (overwritesAll(&*at, fragment))
      return Fate::Overwritten;
    if (!isa<tile::ForOp, tile::WhileOp, scf::IfOp>(*at)) {
      if (llvm::is_contained(accessesOf(&*at).reads, fragment) && !isHarmless(&*at, fragment))
        return Fate::Misused;
      if (storesAll(&*at, fragment))
        return Fate::Overwritten;
      continue;
    }
    // Whether a loop runs at all is not known, so what is behind counts as well; one of two
    // branches runs.
    auto choice = dyn_cast<scf::IfOp>(*at);
    bool isOverwritten = choice && !choice.getElseRegion().empty();
    for (Region &region : at->getRegions()) {
      if (region.empty())
        continue;
      Fate fate = fateIn(fragment, &region.front(), region.front().begin());
      if (fate == Fate::Misused)
        return Fate::Misused;
      isOverwritten &= fate == Fate::Overwritten;
    }
    if (isOverwritten)
      return Fate::Overwritten;
  }
  return Fate::Kept;
}

bool LaterReads::scan(Value fragment, Block *block, Block::iterator at) {
  if (Fate fate = fateIn(fragment, block, at); fate != Fate::Kept)
    return fate == Fate::Overwritten;
  Operation *parent = block->getParentOp();
  if (isa<tile::KernelOp>(parent))
    return true;
  if (!isa<tile::ForOp, tile::WhileOp, scf::IfOp>(parent))
    return false;
  // The next round, in front of which a while's condition is asked.
  if (!isa<scf::IfOp>(parent) && roundsOfLoops.insert({fragment, parent}).second &&
      !llvm::all_of(parent->getRegions(), [&](Region &region) {
        return fateIn(fragment, &region.front(), region.front().begin()) != Fate::Misused;
      }))
    return false;
  return scan(fragment, parent->getBlock(), std::next(parent->getIterator()));
}

} // namespace tilec

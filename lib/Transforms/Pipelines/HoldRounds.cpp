//===- HoldRounds.cpp - the next round's tiles wait in registers -----------===//
//
// A fill becomes two loops over the same elements: one reads tensors into fragments, in the round
// before, and one computes from them what the tile gets. A round is
//
//   write this round's tiles from the fragments
//   read the next round's elements into the fragments
//   everything else
//
// for one tile after the other, so that the waits for registers, which LLVM counts, leave the reads
// of other tiles in flight. Past the end the last round is read again. Of a round under a condition
// the writes stand under it, and the reads are done in any case, so that they can be counted: from
// behind the tensor, where there is nothing to read, where the next round is left out.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Exchange.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Memory/SharedMemory.h"
#include "Normalize/Normalize.h"
#include "Pipelines/HeldRounds.h"
#include "Pipelines/RoundReads.h"
#include "Pipelines/TensorReads.h"

using namespace mlir;

namespace tilec {

tile::AllocOp HeldRounds::registersFor(Held &held, const FragmentLayout &layout,
                                       tile::ElementLoop parallel, const Twine &name) {
  SmallVector<int64_t> shape;
  SmallVector<Value> variables;
  FragmentLayout ofQuotients = layout; // lanes of one run have the same element
  for (auto [n, run] : held.variables) {
    shape.push_back((*parallel.constantExtents())[n] / run);
    variables.push_back(parallel.ivs()[n]);
    std::optional<FragmentLayout> split =
        run != 1 ? ofQuotients.withSplitDim(n, run) : std::nullopt;
    if (run != 1 && !split)
      return {};
    if (split)
      ofQuotients = split->withoutDim(n + 1);
  }
  std::optional<FragmentLayout> ofRegisters =
      fragmentFromLoop(ofQuotients, variables, shape, parallel);
  if (!ofRegisters)
    return {};
  auto type = tile::BufferType::get(shape, held.load.getBuffer().getType().getElementType(),
                                    tile::Scope::Fragment);
  builder.setInsertionPoint(loop);
  return tile::AllocOp::create(builder, held.load.getLoc(), type, name.str(),
                               tile::FragmentLayoutAttr::get(builder.getContext(), *ofRegisters));
}

const HeldRounds::Held *HeldRounds::sameNumbers(const Held &place, Fill &fill) {
  auto layoutOf = [](tile::AllocOp alloc) { return alloc ? alloc->getAttrDictionary() : nullptr; };
  for (Fill &before : made)
    for (const Held &other : before.places) {
      IRMapping variables;
      for (auto [a, b] : llvm::zip(before.loop.ivs(), fill.loop.ivs()))
        variables.map(Value(a), Value(b));
      if (other.variables == place.variables && bool(other.coming) == bool(place.coming) &&
          layoutOf(other.registers) == layoutOf(place.registers) &&
          isSameRead(other.load, place.load, variables))
        return &other;
    }
  return nullptr;
}

void HeldRounds::addPlaces(Fill &fill, ArrayRef<tile::LoadOp> places,
                           const FragmentLayout &layout) {
  for (tile::LoadOp load : places) {
    if (variablesOf(load.getIndices(), fill.loop).empty()) // the same for all lanes
      continue;
    Held held{load, heldVariablesOf(load, fill.loop), {}, {}};
    StringRef name = nameOfRoot(rootOf(load.getBuffer()));
    held.registers = registersFor(held, layout, fill.loop, name + "_rows");
    if (held.registers && varies(load, fill.loop))
      held.coming = registersFor(held, layout, fill.loop, name + "_ahead");
    if (held.registers)
      fill.places.push_back(held);
  }
}

std::optional<HeldRounds::Fill> HeldRounds::makeReader(tile::ElementLoop parallel) {
  Fill reader{parallel, {}, {}, {}, /*isNew=*/false};
  TensorReads loads = tensorReadsOf(parallel);
  std::optional<FragmentLayout> layout = layoutFromFragments(parallel);
  if (!layout)
    layout = defaultLoopLayout(parallel, chip, wavesOf(parallel, chip));
  for (tile::LoadOp load : loads.values) {
    Held held{load, heldVariablesOf(load, parallel), {}, {}};
    std::string name = nameOfRoot(rootOf(load.getBuffer())).str();
    held.registers = registersFor(held, *layout, parallel, name + "_now");
    if (held.registers && varies(load, parallel))
      held.coming = registersFor(held, *layout, parallel, name + "_next");
    reader.few.push_back(held);
    if (!held.registers) {
      undo(reader);
      return std::nullopt;
    }
  }
  addPlaces(reader, loads.places, *layout);
  // What it reads has had a part in the choice.
  parallel.setLayoutAttr(tile::FragmentLayoutAttr::get(builder.getContext(), *layout));
  return reader;
}

std::optional<HeldRounds::Fill> HeldRounds::makeFill(Operation *op) {
  Fill fill;
  auto copy = dyn_cast<tile::CopyOp>(op);
  fill.isNew = bool(copy);
  if (copy) {
    builder.setInsertionPoint(copy);
    fill.loop = moveElements(builder, copy.getLoc(), copy.getSrc(), copy.getDst());
  } else {
    fill.loop = cast<tile::ElementLoop>(op);
  }
  std::optional<FragmentLayout> known = layoutFromFragments(fill.loop);
  FragmentLayout layout =
      known ? *known : defaultLoopLayout(fill.loop, chip, wavesOf(fill.loop, chip));
  StringRef ring;
  for (auto store : fill.loop.bodyBlock()->getOps<tile::StoreOp>())
    ring = rootOf(store.getBuffer()).getDefiningOp<tile::AllocOp>().getName();
  TensorReads loads = tensorReadsOf(fill.loop);
  for (tile::LoadOp load : loads.values) {
    Held held{load, heldVariablesOf(load, fill.loop), {}, {}};
    bool isOnly = loads.values.size() == 1;
    if (isOnly) // an element for each of the tile, as the loop's layout is
      held.variables = llvm::map_to_vector<4>(llvm::seq<unsigned>(0, fill.loop.ivs().size()),
                                              [](unsigned n) { return HeldVariable{n}; });
    bool isWhole =
        held.variables.size() == fill.loop.ivs().size() &&
        llvm::all_of(held.variables, [](HeldVariable variable) { return variable.run == 1; });
    std::string name = (isOnly ? ring : nameOfRoot(rootOf(load.getBuffer()))).str();
    held.registers = registersFor(held, layout, fill.loop, name + "_next");
    if (!held.registers) {
      undo(fill);
      return std::nullopt;
    }
    (isWhole ? fill.held : fill.few).push_back(held);
  }
  addPlaces(fill, loads.places, layout);
  for (Held &held : fill.places) {
    const Held *other = sameNumbers(held, fill);
    if (!other)
      continue;
    for (tile::AllocOp registers : {held.registers, held.coming})
      if (registers)
        registers->erase();
    held.registers = other->registers;
    held.coming = other->coming;
    held.isOfOther = true;
  }
  return fill;
}

void HeldRounds::undo(Fill &fill) {
  for (Held &held : llvm::concat<Held>(fill.held, fill.few, fill.places))
    for (tile::AllocOp registers : {held.registers, held.coming})
      if (registers && !held.isOfOther)
        registers->erase();
  if (fill.isNew)
    fill.loop->erase();
}

tile::ElementLoop HeldRounds::read(Fill &fill, Held &held, IRMapping mapping) {
  Location loc = held.load.getLoc();
  // It is found by what other loads have brought.
  auto placeOf = [&](Operation *op) {
    return llvm::find_if(fill.places, [&](Held &place) { return place.load == op; });
  };
  SetVector<Operation *> slice = sliceOf(held.load.getIndices(), fill.loop, [&](Operation *op) {
    return placeOf(op) != fill.places.end();
  });
  SmallVector<Operation *> ops, others;
  for (Operation *op : slice) {
    ops.push_back(op);
    if (placeOf(op) == fill.places.end())
      others.push_back(op);
  }
  others.push_back(held.load);
  rounds.repeatArithmetic(usedFromOutside(others, fill.loop), mapping);
  bool isValue =
      llvm::is_contained(llvm::map_range(fill.held, [](Held &h) { return h.load; }), held.load);
  Value isDone = round && isValue ? mapping.lookupOrDefault(round.getCondition()) : Value();
  SmallVector<Value> extents;
  for (auto [n, run] : held.variables)
    extents.push_back(
        arith::ConstantIndexOp::create(builder, loc, (*fill.loop.constantExtents())[n] / run));
  auto loop = tile::ParallelOp::create(builder, loc, extents);
  OpBuilder inside = OpBuilder::atBlockEnd(loop.bodyBlock());
  // Of a variable of which all values name the same, the first one.
  for (unsigned n : variablesOf(held.load.getIndices(), fill.loop))
    if (llvm::none_of(held.variables, [&](HeldVariable of) { return of.number == n; }))
      mapping.map(fill.loop.ivs()[n], arith::ConstantIndexOp::create(inside, loc, 0).getResult());
  for (auto [of, variable] : llvm::zip_equal(held.variables, loop.ivs())) {
    Value first = variable; // of its run
    if (of.run != 1)
      first = arith::MulIOp::create(inside, loc, variable,
                                    arith::ConstantIndexOp::create(inside, loc, of.run));
    mapping.map(fill.loop.ivs()[of.number], first);
  }
  // What is the same for all elements is in front of them: words of tensors, which have another
  // counter there.
  OpBuilder before(loop);
  llvm::SmallPtrSet<Operation *, 8> ofElements;
  auto isOfElement = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op ? ofElements.contains(op) : llvm::is_contained(fill.loop.ivs(), value);
  };
  for (Operation *op : ops) {
    auto place = placeOf(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isSame = place == fill.places.end() && llvm::none_of(op->getOperands(), isOfElement) &&
                  (!load || load.getBuffer().getType().isGlobal());
    if (!isSame)
      ofElements.insert(op);
    if (place == fill.places.end()) {
      (isSame ? before : inside).clone(*op, mapping);
      continue;
    }
    mapping.map(op->getResult(0), loadHeld(*place, inside, fill.loop, mapping));
  }
  auto load = cast<tile::LoadOp>(inside.clone(*held.load, mapping));
  tile::AllocOp to = held.coming ? held.coming : held.registers;
  tile::StoreOp::create(inside, loc, load.getResult(), to.getResult(), loop.ivs());
  if (isDone) { // else from behind the tensor, where nothing is read
    int64_t rows = load.getBuffer().getType().getShape().front();
    builder.setInsertionPoint(loop);
    Value end = arith::ConstantIndexOp::create(builder, loc, rows);
    OpBuilder atLoad(load);
    load.getIndicesMutable()[0].assign(
        arith::SelectOp::create(atLoad, loc, isDone, load.getIndices().front(), end));
    builder.setInsertionPointAfter(loop);
  }
  return tile::MoveOp::isBodyOf(loop) ? tile::turnInto<tile::MoveOp>(loop)
                                      : tile::ElementLoop(loop);
}

/// The element of this iteration.
Value HeldRounds::loadHeld(Held &held, OpBuilder &inside, tile::ElementLoop parallel,
                           IRMapping &mapping) {
  SmallVector<Value> indices;
  for (auto [n, run] : held.variables) {
    Value index = mapping.lookupOrDefault(Value(parallel.ivs()[n]));
    if (run != 1)
      index =
          arith::DivUIOp::create(inside, held.load.getLoc(), index,
                                 arith::ConstantIndexOp::create(inside, held.load.getLoc(), run));
    indices.push_back(index);
  }
  return tile::LoadOp::create(inside, held.load.getLoc(), held.load.getType(),
                              held.registers.getResult(), indices, FloatAttr());
}

void HeldRounds::takeComing(MutableArrayRef<Held> list) {
  for (Held &held : list)
    if (held.coming && !held.isOfOther)
      moveElements(builder, held.load.getLoc(), held.coming.getResult(),
                   held.registers.getResult());
}

/// What says where rows lie, and what there is little of, is read before the rest: older, it is
/// there without a wait for that.
void HeldRounds::readComing(Fill &fill, MutableArrayRef<Held> list, const IRMapping &mapping) {
  for (Held &held : list)
    if (held.coming && !held.isOfOther)
      read(fill, held, mapping);
}

/// Behind the write of the tile, of which both parts need them, and in front of reads that a wait
/// for them leaves in flight.
SmallVector<tile::ElementLoop> HeldRounds::readFew(Fill &fill, const IRMapping &next) {
  SmallVector<tile::ElementLoop> reads;
  for (Held &held : fill.few)
    if (varies(held.load, fill.loop))
      reads.push_back(read(fill, held, next));
  return reads;
}

void HeldRounds::moveHere(ArrayRef<tile::ElementLoop> loops) {
  for (tile::ElementLoop loop : loops)
    loop->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
}

void HeldRounds::advance(Fill &fill, MutableArrayRef<Held> list, const IRMapping &mapping) {
  for (Held &held : list) {
    takeComing(held);
    readComing(fill, held, mapping);
  }
}

/// Writes, and what is computed for them, stay behind the reads of the fill before them, which they
/// leave in flight.
tile::SchedBarrierOp HeldRounds::keepOrder() {
  return tile::SchedBarrierOp::create(builder, loop.getLoc(), /*mask=*/0, StringAttr(),
                                      DenseI64ArrayAttr());
}

void HeldRounds::readFirst() {
  builder.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  rounds.countRounds();
  if (mayBeEmpty(loop)) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value runs =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, rounds.count(), zero);
    builder.setInsertionPointToStart(
        scf::IfOp::create(builder, loc, runs, /*withElseRegion=*/false).thenBlock());
  }
  IRMapping mapping;
  mapping.map(loop.iv(), loop.getLower());
  if (round)
    rounds.repeatArithmetic({round.getCondition()}, mapping);
  IRMapping second;
  second.map(loop.iv(), rounds.variableIn(arith::ConstantIndexOp::create(builder, loc, 1)));
  auto readHeld = [&](Fill &fill) {
    for (Held &place : fill.places)
      if (!place.isOfOther)
        read(fill, place, mapping);
    advance(fill, fill.places, second);
    for (Held &held : llvm::concat<Held>(fill.few, fill.held))
      read(fill, held, mapping);
  };
  llvm::for_each(madeReaders, readHeld);
  for (auto [n, fill] : llvm::enumerate(made)) {
    if (n != 0 ||
        !madeReaders.empty()) // in the order of a round, as waits at its beginning are for both
      keepOrder();
    readHeld(fill);
  }
}

/// What is left of the fill computes the tile from registers.
void HeldRounds::writeFromRegisters(Fill &fill) {
  IRMapping same;
  for (Held &held : llvm::concat<Held>(fill.held, fill.few)) {
    OpBuilder inside(held.load);
    held.load.getResult().replaceAllUsesWith(loadHeld(held, inside, fill.loop, same));
    held.load->erase();
  }
}

/// Brings the fill here, with what its places are computed from.
void HeldRounds::moveHere(Fill &fill) {
  SmallVector<Operation *> ops;
  for (Operation &op : *fill.loop.bodyBlock())
    ops.push_back(&op);
  SmallVector<Value> outside = usedFromOutside(ops, fill.loop);
  llvm::append_range(outside, fill.loop->getOperands());
  llvm::erase_if(outside, [&](Value value) {
    return !block->getParent()->isAncestor(value.getParentRegion());
  });
  IRMapping here;
  here.map(loop.iv(), loop.iv());
  rounds.repeatArithmetic(outside, here);
  fill.loop->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  fill.loop->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(here.lookupOrDefault(operand.get()));
  });
}

void HeldRounds::rewriteBesideCopies(const IRMapping &next, const IRMapping &third) {
  for (Fill &reader : madeReaders) {
    takeComing(reader.places);
    takeComing(reader.few);
  }
  for (Fill &fill : made) {
    takeComing(fill.places);
    moveHere(fill);
  }
  // What is read in front of this would be waited for with the round's copies.
  written = keepOrder();
  for (Fill &reader : madeReaders) {
    readComing(reader, reader.places, third);
    readComing(reader, reader.few, next);
    writeFromRegisters(reader);
  }
  for (Fill &fill : made) {
    readComing(fill, fill.places, third);
    readFew(fill, next);
  }
  for (Fill &fill : made) {
    for (Held &held : fill.held)
      read(fill, held, next);
    writeFromRegisters(fill);
  }
  readNext = keepOrder();
}

void HeldRounds::rewriteRound(IRMapping &next, const IRMapping &third) {
  builder.setInsertionPoint(round);
  rounds.repeatArithmetic({round.getCondition()}, next);
  for (Fill &fill : made) {
    advance(fill, fill.places, third);
    // The branch is an order of its own.
    auto writes = scf::IfOp::create(builder, loop.getLoc(), round.getCondition(), false);
    SmallVector<tile::ElementLoop> few = readFew(fill, next), reads;
    for (Held &held : fill.held)
      reads.push_back(read(fill, held, next));
    writeFromRegisters(fill);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(writes.thenBlock());
      moveHere(fill);
    }
    if (!hasParts())
      continue;
    keepOrder();
    builder.clone(*writes)->walk(
        [](tile::ElementLoop loop) { loop.setPart(ArrayRef<int64_t>{1, 2}); });
    fill.loop.setPart(ArrayRef<int64_t>{0, 2});
    moveHere(few);
    for (tile::ElementLoop first : reads)
      splitBehind(first);
  }
}

bool HeldRounds::hasParts() {
  // A tile of which nothing but shared scales waits has none.
  return made.size() == 1 && !made.front().held.empty() &&
         fragmentLayoutOf(made.front().held.front().registers)->numReps() > 1;
}

void HeldRounds::splitBehind(tile::ElementLoop first) {
  cast<tile::ElementLoop>(builder.clone(*first)).setPart(ArrayRef<int64_t>{1, 2});
  first.setPart(ArrayRef<int64_t>{0, 2});
}

void HeldRounds::rewriteInPlace(const IRMapping &next, const IRMapping &third) {
  readFragmentsBefore(made.front().loop); // they are not waited for with the next round's
  for (auto [n, fill] : llvm::enumerate(made)) {
    // Where the copy stands, so that tiles that share bytes still can.
    builder.setInsertionPoint(fill.loop);
    if (n != 0)
      keepOrder();
    advance(fill, fill.places, third);
    builder.setInsertionPointAfter(fill.loop);
    SmallVector<tile::ElementLoop> few = readFew(fill, next), reads;
    for (Held &held : fill.held)
      reads.push_back(read(fill, held, next));
    writeFromRegisters(fill);
    if (!hasParts())
      continue;
    keepOrder();
    splitBehind(fill.loop);
    moveHere(few);
    for (tile::ElementLoop first : reads)
      splitBehind(first);
  }
}

void HeldRounds::rewriteBody() {
  Location loc = loop.getLoc();
  IRMapping next;
  builder.setInsertionPointToStart(loop.bodyBlock());
  Value number = arith::AddIOp::create(builder, loc, rounds.numberOfBody(),
                                       arith::ConstantIndexOp::create(builder, loc, 1));
  next.map(loop.iv(), rounds.variableIn(number));
  IRMapping third;
  bool anyComing = llvm::any_of(llvm::concat<Fill>(madeReaders, made), [](Fill &fill) {
    return llvm::any_of(fill.places, [](Held &place) { return bool(place.coming); });
  });
  if (anyComing)
    third.map(loop.iv(),
              rounds.variableIn(arith::AddIOp::create(
                  builder, loc, number, arith::ConstantIndexOp::create(builder, loc, 1))));
  if (isBeside)
    return rewriteBesideCopies(next, third);
  for (Fill &reader : madeReaders) {
    advance(reader, reader.places, third);
    advance(reader, reader.few, next);
    writeFromRegisters(reader);
  }
  if (!madeReaders.empty())
    keepOrder();
  if (round)
    rewriteRound(next, third);
  else
    rewriteInPlace(next, third);
}

bool HeldRounds::expand() {
  for (Operation *op : found) {
    std::optional<Fill> fill = makeFill(op);
    if (fill) {
      made.push_back(*fill);
      continue;
    }
    for (Fill &before : made)
      undo(before);
    made.clear();
    return false;
  }
  for (tile::ElementLoop parallel : beside)
    if (std::optional<Fill> reader = makeReader(parallel))
      madeReaders.push_back(*reader);
  readFirst();
  rewriteBody();
  for (Operation *op : found)
    if (isa<tile::CopyOp>(op))
      op->erase();
  return true;
}

} // namespace tilec

//===- SharedRows.cpp - rows of tensors that lanes of a round share --------===//
//
// Where a loop over elements reads `Row[first + j]`, `first` the round's, for several i, the round
// copies as many consecutive elements as j has values to a shared tile, and the loop reads element
// j of that.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/SharedRows.h"
#include "Normalize/SimplifyOffsets.h"
#include "Pipelines/AsyncPieces.h"
#include "Pipelines/Pipeline.h"
#include "Roles/ProducerLoop.h"

using namespace mlir;

namespace tilec {
namespace {

bool isSamePlace(const LinearForm &a, const LinearForm &b) {
  LinearForm difference = a;
  difference.add(b, -1);
  return difference.constant == 0 &&
         llvm::all_of(difference.terms, [](auto term) { return term.second == 0; });
}

} // namespace

SharedRows::SharedRows(tile::ForOp loop, const TargetInfo &target) : loop(loop), target(target) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  Block *round = roundOf(loop);
  if (target.asyncCopies.completion != Completion::Counter || loop.getStages() < 2 ||
      kernel.getLockstep() || round != loop.bodyBlock() || round->getOps<tile::GemmOp>().empty())
    return;
  Accesses ofKernel = accessesOf(kernel);
  SmallVector<std::pair<tile::LoadOp, tile::ElementLoop>> found;
  for (tile::ElementLoop parallel : round->getOps<tile::ElementLoop>()) {
    // What is made of tiles for tiles has its reads in registers.
    bool isOfFragments = llvm::all_of(accessesOf(parallel).writes, [](Value root) {
      return cast<tile::BufferType>(root.getType()).isFragment();
    });
    if (isOfFragments && parallel.constantExtents() && !parallel.getPart())
      parallel->walk([&](tile::LoadOp load) {
        if (load.getBuffer().getDefiningOp<tile::TensorOp>() &&
            !isChangedBy(ofKernel.writes, load.getBuffer()))
          found.emplace_back(load, parallel);
      });
  }
  for (auto [load, parallel] : found)
    replace(load, parallel);
}

std::optional<SharedRows::Place> SharedRows::placeOf(tile::LoadOp load,
                                                     tile::ElementLoop parallel) {
  tile::BufferType type = load.getBuffer().getType();
  int64_t bits = bitsOf(tile::dtypeOf(type.getElementType()));
  if (load.getPad() || type.rank() == 0 || bits % 8 != 0)
    return std::nullopt;
  Place place;
  for (Value index : load.getIndices())
    place.first.push_back(linearize(index));
  auto extents = *parallel.constantExtents();
  for (auto [variable, extent] : llvm::zip_equal(parallel.ivs(), extents))
    if (place.first.back().coefficient(variable) == 1) {
      place.variable = variable;
      place.extent = extent;
      break;
    }
  if (!place.variable || place.extent == 1 ||
      llvm::count_if(extents, [](int64_t extent) { return extent > 1; }) < 2)
    return std::nullopt;
  place.first.back() = place.first.back().without(place.variable);
  // Nothing else of the loop has a part in it, and it is another place in another round.
  bool isOfRound = false;
  for (const LinearForm &form : place.first)
    for (auto [term, factor] : form.terms) {
      if (parallel.getBody().isAncestor(term.getParentRegion()) || !term.getType().isIndex())
        return std::nullopt;
      isOfRound |= loop.getBody().isAncestor(term.getParentRegion());
    }
  return isOfRound ? std::optional(place) : std::nullopt;
}

SharedRows::Row *SharedRows::find(tile::LoadOp load, const Place &place,
                                  tile::ElementLoop parallel) {
  for (Row &row : rows) {
    bool isThere = llvm::all_of(llvm::zip_equal(row.first, place.first), [](auto pair) {
      return isSamePlace(std::get<0>(pair), std::get<1>(pair));
    });
    if (isThere && row.tensor == load.getBuffer() && place.extent <= row.extent &&
        row.copy->isBeforeInBlock(parallel))
      return &row;
  }
  return nullptr;
}

std::optional<SharedRows::Row> SharedRows::makeRow(tile::LoadOp load, const Place &place,
                                                   tile::ElementLoop parallel) {
  Location loc = load.getLoc();
  OpBuilder builder(loop);
  tile::BufferType from = load.getBuffer().getType();
  SmallVector<int64_t> shape{place.extent};
  auto name = load.getBuffer().getDefiningOp<tile::TensorOp>().getName();
  auto alloc = tile::AllocOp::create(
      builder, loc, tile::BufferType::get(shape, from.getElementType(), tile::Scope::Shared),
      (name + "_row").str(),
      tile::SharedLayoutAttr::get(load.getContext(), SharedLayout::plain(shape)));
  builder.setInsertionPoint(parallel);
  SmallVector<Value> first = llvm::map_to_vector(
      place.first, [&](const LinearForm &form) { return valueOf(form, builder, loc); });
  SmallVector<int64_t> dropped = llvm::to_vector(llvm::seq<int64_t>(0, from.rank() - 1));
  auto view = tile::SubviewOp::create(
      builder, loc, tile::BufferType::get(shape, from.getElementType(), tile::Scope::Global),
      load.getBuffer(), first, builder.getDenseI64ArrayAttr(dropped));
  auto copy = tile::CopyOp::create(builder, loc, view.getResult(), alloc.getResult(), StringAttr());
  if (asyncPieceBytes(view.getResult(), alloc.getResult(), target) == 0) {
    copy.erase();
    view.erase();
    alloc.erase();
    return std::nullopt;
  }
  return Row{load.getBuffer(), place.first, place.extent, alloc, copy};
}

void SharedRows::replace(tile::LoadOp load, tile::ElementLoop parallel) {
  std::optional<Place> place = placeOf(load, parallel);
  if (!place)
    return;
  Row *row = find(load, *place, parallel);
  if (!row) {
    std::optional<Row> made = makeRow(load, *place, parallel);
    if (!made)
      return;
    row = &rows.emplace_back(*made);
  }
  OpBuilder builder(load);
  auto brought =
      tile::LoadOp::create(builder, load.getLoc(), load.getType(), row->alloc.getResult(),
                           ValueRange{place->variable}, FloatAttr());
  load.getResult().replaceAllUsesWith(brought.getResult());
  loads.emplace_back(load, brought);
}

bool SharedRows::areCopiedBy(const PipelinePlan &plan) const {
  return llvm::all_of(
      rows, [&](Row row) { return llvm::is_contained(plan.fills, row.copy.getOperation()); });
}

void SharedRows::keep() {
  for (auto &[was, brought] : loads)
    was.erase();
  loads.clear();
}

void SharedRows::undo() {
  for (auto &[was, brought] : loads) {
    brought.getResult().replaceAllUsesWith(was.getResult());
    brought.erase();
  }
  for (Row &row : rows) {
    Operation *view = row.copy.getSrc().getDefiningOp();
    row.copy.erase();
    view->erase();
    row.alloc.erase();
  }
  loads.clear();
  rows.clear();
}

} // namespace tilec

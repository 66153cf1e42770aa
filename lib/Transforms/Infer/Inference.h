//===- Inference.h - the layouts of one kernel, found in rounds -----------===//
//
// What the rounds over fragments (InferLayouts.cpp), the copies that accesses of other lanes go
// through (StageFragments.cpp) and the layouts of shared tiles (SharedLayouts.cpp) share.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Infer/HeldRows.h"
#include "Layouts/GemmPlan.h"

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

#include <functional>
#include <map>
#include <set>

namespace tilec {

/// The ops that pass layouts from fragment to fragment. They are looked at in rounds, each in
/// program order, but again only if one of their fragments has got its layout since.
class Carriers {
public:
  explicit Carriers(tile::KernelOp kernel) {
    kernel.walk([&](mlir::Operation *op) {
      if (!mlir::isa<tile::ElementLoop, tile::ReduceOp, tile::ScanOp>(op))
        return;
      places[op] = ops.size();
      waiting.insert(ops.size());
      ops.push_back(op);
    });
  }

  /// `buffer` has its layout now.
  void note(mlir::Value buffer) {
    for (mlir::Operation *user : buffer.getUsers()) {
      for (mlir::Operation *op = user; op; op = op->getParentOp())
        if (auto place = places.find(op); place != places.end())
          waiting.insert(place->second);
      for (mlir::Value view : user->getResults())
        if (mlir::isa<tile::BufferType>(view.getType()))
          note(view);
    }
  }

  /// The next one to look at behind the place `from` or, in the next round, before it; null when
  /// all have been.
  mlir::Operation *next(size_t &from) {
    if (waiting.empty())
      return nullptr;
    auto found = waiting.lower_bound(from);
    size_t place = found == waiting.end() ? *waiting.begin() : *found;
    waiting.erase(place);
    from = place + 1;
    return ops[place];
  }

private:
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, size_t> places;
  std::set<size_t> waiting;
};

/// Gives the fragments and shared tiles of a kernel their layouts.
class Inference {
public:
  Inference(tile::KernelOp kernel, const TargetInfo &target, int64_t swizzle)
      : kernel(kernel), target(target), swizzle(swizzle) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult fixGemms();
  mlir::WalkResult fixChosen(tile::GemmOp gemm);
  void fixAccumulator(tile::GemmOp gemm, const GemmPlan &plan);
  void fixOperands(tile::GemmOp gemm);
  void fixScans();
  void propagate();
  void visit(tile::ElementLoop loop);
  void visit(tile::ReduceOp reduce);
  void visit(tile::ScanOp scan);
  std::multimap<int64_t, tile::AllocOp, std::greater<>> openFragments();
  void setDefault(tile::AllocOp open);
  void stageAll();
  void stageMismatches();
  bool stageMismatches(tile::ElementLoop loop);
  llvm::SmallVector<mlir::Value> mismatches(tile::ElementLoop loop, const FragmentLayout &layout);
  const FragmentLayout *layoutOfReads(tile::ElementLoop loop);
  mlir::Operation *placeOfCopy(tile::ElementLoop loop, mlir::Value root);
  void stage(tile::ElementLoop loop, mlir::Value root);
  void defineAll(tile::AllocOp alloc);
  void keepLoopLayouts();
  llvm::SmallPtrSet<mlir::Operation *, 4> metAcrossRows();
  void setSharedLayouts();

  void set(mlir::Value root, const FragmentLayout &layout) {
    auto alloc = root.getDefiningOp<tile::AllocOp>();
    if (alloc && alloc.getResult().getType().isFragment() && !alloc.getLayout())
      replace(alloc, layout);
  }

  void replace(tile::AllocOp alloc, const FragmentLayout &layout) {
    alloc.setLayoutAttr(tile::FragmentLayoutAttr::get(kernel.getContext(), layout));
    carriers->note(alloc.getResult());
  }

  tile::KernelOp kernel;
  const TargetInfo &target;
  int64_t swizzle; ///< shared layouts without bank conflicts that are passed over
  std::optional<Carriers> carriers;
  std::optional<HeldRows> heldRows;
  llvm::SmallPtrSet<mlir::Operation *, 4> defined; ///< fragments that start from zeros
  bool sparesMemory = false;                       ///< loops may have the layout of what they read
  llvm::SmallVector<std::pair<mlir::Location, std::string>> remarks;
};

} // namespace tilec

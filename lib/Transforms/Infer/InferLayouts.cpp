//===- InferLayouts.cpp - layouts of fragments and shared buffers ---------===//
//
// Three rounds, strongest wish first: matrix operations fix their accumulators;
// parallels, copies and reductions pass layouts from fragment to fragment; what is
// left gets the layout that suits the loop that touches it. Then every access that
// its loop's layout cannot serve is moved to a shared copy of the fragment. A loop has the
// layout of what it writes; where the copies of what it reads then take more shared memory
// than there is, it has the layout of what it reads, if the results are smaller.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/ByteTranspose.h"
#include "Infer/Chains.h"
#include "Infer/HeldRows.h"
#include "Infer/KeepOperands.h"
#include "Infer/Operands.h"
#include "Infer/ThreadRows.h"
#include "Infer/Windows.h"
#include "Layouts/Exchange.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/KOrder.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/ScanLayout.h"
#include "Layouts/Stores.h"
#include "Layouts/Swizzle.h"
#include "Layouts/WarpGroups.h"
#include "Memory/SharedMemory.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Reported.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>
#include <map>
#include <set>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_INFERLAYOUTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The ops that pass layouts from fragment to fragment. They are looked at in rounds, each in
/// program order, but again only if one of their fragments has got its layout since.
class Carriers {
public:
  explicit Carriers(tile::KernelOp kernel) {
    kernel.walk([&](Operation *op) {
      if (!isa<tile::ElementLoop, tile::ReduceOp, tile::ScanOp>(op))
        return;
      places[op] = ops.size();
      waiting.insert(ops.size());
      ops.push_back(op);
    });
  }

  /// `buffer` has its layout now.
  void note(Value buffer) {
    for (Operation *user : buffer.getUsers()) {
      for (Operation *op = user; op; op = op->getParentOp())
        if (auto place = places.find(op); place != places.end())
          waiting.insert(place->second);
      for (Value view : user->getResults())
        if (isa<tile::BufferType>(view.getType()))
          note(view);
    }
  }

  /// The next one to look at behind the place `from` or, in the next round, before it; null when
  /// all have been.
  Operation *next(size_t &from) {
    if (waiting.empty())
      return nullptr;
    auto found = waiting.lower_bound(from);
    size_t place = found == waiting.end() ? *waiting.begin() : *found;
    waiting.erase(place);
    from = place + 1;
    return ops[place];
  }

private:
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, size_t> places;
  std::set<size_t> waiting;
};

class Inference {
public:
  Inference(tile::KernelOp kernel, const TargetInfo &target, bool useWarpGroups, StringRef atoms,
            int64_t swizzle)
      : kernel(kernel), target(target), useWarpGroups(useWarpGroups), atoms(atoms),
        swizzle(swizzle) {}

  LogicalResult run() {
    isolateOperands(kernel, target, useWarpGroups);
    if (useWarpGroups)
      markWarpGroupGemms(kernel, target);
    if (atoms != "small")
      markChains(kernel, target, /*all=*/atoms == "large");
    keepOperands(kernel, target);
    carriers.emplace(kernel);
    if (failed(fixGemms()))
      return failure();
    fixScans();
    propagate();
    heldRows.emplace(kernel, target);
    for (auto [rank, open] : openFragments())
      if (!open.getLayout()) {
        setDefault(open);
        propagate();
      }
    unrollHeldRows(kernel);
    unrollWindows(kernel);
    matchOperands(kernel, target);
    stageAll();
    keepLoopLayouts();
    return success();
  }

private:
  LogicalResult fixGemms();
  WalkResult fixChosen(tile::GemmOp gemm);
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
  SmallVector<Value> mismatches(tile::ElementLoop loop, const FragmentLayout &layout);
  const FragmentLayout *layoutOfReads(tile::ElementLoop loop);
  Operation *placeOfCopy(tile::ElementLoop loop, Value root);
  void stage(tile::ElementLoop loop, Value root);
  void defineAll(tile::AllocOp alloc);
  void keepLoopLayouts();
  llvm::SmallPtrSet<Operation *, 4> metAcrossRows();
  void setSharedLayouts();

  void set(Value root, const FragmentLayout &layout) {
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
  bool useWarpGroups;
  StringRef atoms; ///< `large`, `small` or nothing: of products that could have either
  int64_t swizzle; ///< shared layouts without bank conflicts that are passed over
  std::optional<Carriers> carriers;
  std::optional<HeldRows> heldRows;
  llvm::SmallPtrSet<Operation *, 4> defined; ///< fragments that start from zeros
  bool sparesMemory = false;                 ///< loops may have the layout of what they read
  SmallVector<std::pair<Location, std::string>> remarks;
};

LogicalResult Inference::fixGemms() {
  KernelProducts products(kernel);
  auto result = kernel.walk([&](tile::GemmOp gemm) {
    if (gemm.getMma()) // chosen by whoever wrote the program
      return fixChosen(gemm);
    std::optional<GemmPlan> plan = planGemm(gemm, target, wavesOf(gemm, target), products);
    if (!plan) {
      auto nameOfType = [](Value v) {
        return nameOf(tile::dtypeOf(cast<tile::BufferType>(v.getType()).getElementType()));
      };
      (void)Reported(gemm, DiagId::NoMatrixInstruction, nameOf(target.arch),
                     nameOfType(gemm.getA()), nameOfType(gemm.getB()), nameOfType(gemm.getC()));
      return WalkResult::interrupt();
    }
    setMma(gemm, *plan);
    if (int64_t pack = gemm.getKPack(); pack > 1 && plan->kPack != pack)
      gemm.emitRemark() << "`k_pack` of " << pack
                        << " is ignored: lanes read operands as wide without it, or K is no "
                           "multiple of so many instructions'";
    fixAccumulator(gemm, *plan);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (!target.hasMatrixReads) {
    // Operands that are made of accumulators lie where those do, if the gemm can take its k in that
    // order.
    propagate();
    kernel.walk([&](tile::GemmOp gemm) { fixOperands(gemm); });
  }
  return success();
}

WalkResult Inference::fixChosen(tile::GemmOp gemm) {
  llvm::Expected<GemmPlan> plan = gemmPlanOf(gemm, target, wavesOf(gemm, target));
  if (!plan) {
    gemm.emitOpError() << llvm::toString(plan.takeError());
    return WalkResult::interrupt();
  }
  fixAccumulator(gemm, *plan);
  return WalkResult::advance();
}

void Inference::fixAccumulator(tile::GemmOp gemm, const GemmPlan &plan) {
  // A whole fragment takes the layout; a box of one is staged by tile-to-wave.
  if (rootOf(gemm.getC()) == gemm.getC())
    set(gemm.getC(), plan.c);
  if (target.hasMatrixReads)
    fixOperands(gemm);
}

void Inference::fixOperands(tile::GemmOp gemm) {
  // It has been decided, but for the order of k.
  GemmPlan plan = llvm::cantFail(gemmPlanOf(gemm, target, wavesOf(gemm, target)));
  Value operands[] = {gemm.getA(), gemm.getB()};
  // Those that lie where they are made decide the order of k, then the other one follows.
  for (bool isB : {false, true}) {
    auto alloc = operands[isB].getDefiningOp<tile::AllocOp>();
    const FragmentLayout *own = alloc ? fragmentLayoutOf(operands[isB]) : nullptr;
    bool isSum = llvm::any_of(operands[isB].getUsers(), [&](Operation *user) {
      auto other = dyn_cast<tile::GemmOp>(user);
      return other && other.getC() == operands[isB];
    });
    if (target.hasMatrixReads || !own || isSum)
      continue;
    if (auto order = kOrderFor(gemm, isB, *own, plan)) {
      if (!llvm::is_sorted(*order)) {
        plan.kOrder.assign(order->begin(), order->end());
        setMma(gemm, plan);
        plan = llvm::cantFail(gemmPlanOf(gemm, target, wavesOf(gemm, target)));
      }
      replace(alloc, operandLayout(gemm, isB, plan));
    }
  }
  for (bool isB : {false, true})
    if (rootOf(operands[isB]) == operands[isB])
      set(operands[isB], operandLayout(gemm, isB, plan));
}

/// Fragments that nothing else has placed lie as their scan wants them.
void Inference::fixScans() {
  propagate();
  kernel.walk([&](tile::ScanOp scan) {
    if (fragmentLayoutOf(scan.getSrc()) || fragmentLayoutOf(scan.getDst()))
      return;
    FragmentLayout layout = scanLayoutOf(scan, target, wavesOf(scan, target));
    set(scan.getSrc(), layout);
    set(scan.getDst(), layout);
    propagate();
  });
}

void Inference::visit(tile::ElementLoop loop) {
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  if (!layout)
    layout = layoutFromWindow(loop);
  if (!layout)
    return;
  loop.walk([&](Operation *op) {
    auto give = [&](Value buffer, ValueRange indices) {
      auto type = cast<tile::BufferType>(buffer.getType());
      if (!type.isFragment() || fragmentLayoutOf(buffer))
        return;
      if (auto own = fragmentFromLoop(*layout, indices, type.getShape(), loop))
        set(buffer, *own);
    };
    if (auto load = dyn_cast<tile::LoadOp>(op))
      give(load.getBuffer(), load.getIndices());
    if (auto store = dyn_cast<tile::StoreOp>(op))
      give(store.getBuffer(), store.getIndices());
  });
}

void Inference::visit(tile::ReduceOp reduce) {
  Value src = rootOf(reduce.getSrc()), dst = rootOf(reduce.getDst());
  const FragmentLayout *layout = fragmentLayoutOf(src);
  if (!layout || src != reduce.getSrc() || dst != reduce.getDst() || layout->rank() < 2)
    return;
  FragmentLayout left = layout->withoutDim(reduce.getDim());
  auto type = cast<tile::BufferType>(dst.getType());
  if (type.rank() == layout->rank())
    left = left.withUnitDim(reduce.getDim());
  if (ArrayRef(left.shape()) == type.getShape())
    set(dst, left);
}

void Inference::visit(tile::ScanOp scan) {
  const FragmentLayout *layout = fragmentLayoutOf(scan.getSrc());
  if (layout && isScannable(*layout, scan.getDim()))
    set(scan.getDst(), *layout);
}

void Inference::propagate() {
  size_t from = 0;
  while (Operation *op = carriers->next(from)) {
    if (auto loop = dyn_cast<tile::ElementLoop>(op))
      visit(loop);
    else if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      visit(reduce);
    else
      visit(cast<tile::ScanOp>(op));
  }
}

/// The fragments without a layout by their rank, the highest first.
std::multimap<int64_t, tile::AllocOp, std::greater<>> Inference::openFragments() {
  std::multimap<int64_t, tile::AllocOp, std::greater<>> open;
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    if (type.isFragment() && !alloc.getLayout())
      open.emplace(type.rank(), alloc);
  });
  return open;
}

void Inference::setDefault(tile::AllocOp open) {
  tile::BufferType type = open.getResult().getType();
  const int64_t numWaves = wavesOf(open, target);
  // The loop that walks all of it knows the memory it comes from.
  for (Operation *user : open->getUsers()) {
    if (isa<tile::FillOp>(user) && type.rank() > 0)
      return set(open,
                 heldRows->ofFill(open, defaultFillLayout(type.getShape(), target, numWaves)));
    auto loop = user->getParentOfType<tile::ElementLoop>();
    if (!loop || !loop.constantExtents())
      continue;
    ValueRange indices;
    if (auto load = dyn_cast<tile::LoadOp>(user))
      indices = load.getIndices();
    else if (auto store = dyn_cast<tile::StoreOp>(user))
      indices = store.getIndices();
    FragmentLayout layout = heldRows->ofLoop(loop, defaultLoopLayout(loop, target, numWaves));
    if (auto own = fragmentFromLoop(layout, indices, type.getShape(), loop)) {
      set(open, *own);
      return;
    }
  }
  Coords shape(type.getShape());
  if (shape.empty()) { // one element, a copy in every lane
    LayoutInput lanes{"lane", {}};
    for (int64_t l = 1; l < target.waveLanes; l *= 2)
      lanes.bases.push_back(Coords{});
    set(open, FragmentLayout({}, LinearLayout(0, {{"register", {}}, lanes}), {}, {{-1, numWaves}}));
    return;
  }
  int64_t vec = target.accessBytes / bytesOf(tile::dtypeOf(type.getElementType()));
  while (vec > 1 &&
         (shape.back() % vec != 0 || type.numElems() < vec * target.waveLanes * numWaves))
    vec /= 2;
  set(open, blockedLayout(shape, target.waveLanes, numWaves, vec));
}

//===----------------------------------------------------------------------===//
// Accesses that the layouts do not serve
//===----------------------------------------------------------------------===//

void Inference::stageAll() {
  Operation *before = kernel->clone();
  stageMismatches();
  setSharedLayouts();
  bool fits = SharedMemory(kernel, target).fits();
  if (!fits && !remarks.empty()) {
    kernel.getBody().takeBody(before->getRegion(0));
    defined.clear();
    remarks.clear();
    sparesMemory = true;
    stageMismatches();
    setSharedLayouts();
  }
  before->destroy();
  for (auto &[place, text] : remarks)
    emitRemark(place) << text;
}

void Inference::stageMismatches() {
  SmallVector<tile::ElementLoop> loops;
  kernel.walk([&](tile::ElementLoop loop) {
    if (!loop->getParentOfType<tile::ElementLoop>())
      loops.push_back(loop);
  });
  // A staged access is one of memory, which the layout of the loop follows: it may serve fewer
  // fragments then.
  for (tile::ElementLoop loop : loops)
    while (loop.constantExtents() && stageMismatches(loop))
      ;
}

/// Fragments of which the loop, with this layout, touches elements of other lanes.
SmallVector<Value> Inference::mismatches(tile::ElementLoop loop, const FragmentLayout &layout) {
  SmallVector<Value> found;
  loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    if (!access || !access->type().isFragment() || llvm::is_contained(found, access->buffer))
      return;
    const FragmentLayout *own = fragmentLayoutOf(access->buffer);
    if (own && !matchRegisters(layout, *own, access->indices, loop))
      found.push_back(access->buffer);
  });
  return found;
}

/// The layout of the first fragment that the loop reads element by element.
const FragmentLayout *Inference::layoutOfReads(tile::ElementLoop loop) {
  const FragmentLayout *found = nullptr;
  loop.walk([&](tile::LoadOp load) {
    const FragmentLayout *own = fragmentLayoutOf(load.getBuffer());
    if (!found && own && ArrayRef(own->shape()) == ArrayRef(*loop.constantExtents()) &&
        llvm::equal(load.getIndices(), loop.ivs()))
      found = own;
  });
  return found;
}

static int64_t bytesOfAll(ArrayRef<Value> buffers) {
  int64_t bytes = 0;
  for (Value buffer : buffers) {
    auto type = cast<tile::BufferType>(buffer.getType());
    bytes += type.numElems() * bytesOf(tile::dtypeOf(type.getElementType()));
  }
  return bytes;
}

/// False when the layout of the loop serves all of its accesses.
bool Inference::stageMismatches(tile::ElementLoop loop) {
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  if (!layout)
    layout = defaultLoopLayout(loop, target, wavesOf(loop, target));
  SmallVector<Value> staged = mismatches(loop, *layout);
  if (const FragmentLayout *reads = sparesMemory ? layoutOfReads(loop) : nullptr)
    if (SmallVector<Value> other = mismatches(loop, *reads);
        !staged.empty() && bytesOfAll(other) < bytesOfAll(staged))
      staged = other;
  for (Value root : staged)
    stage(loop, root);
  return !staged.empty();
}

/// Whether a statement in front of `op`, or of what it stands in, writes the fragment in any case.
static bool isWrittenBefore(Operation *op, Value root) {
  auto writes = [&](Operation *user, Operation *at) {
    Operation *before = at->getBlock()->findAncestorOpInBlock(*user);
    return before && before->isBeforeInBlock(at) &&
           !isa<scf::IfOp, scf::WhileOp, tile::ForOp>(before) &&
           llvm::is_contained(accessesOf(before).writes, root);
  };
  for (; op && !isa<tile::KernelOp>(op); op = op->getParentOp())
    if (llvm::any_of(root.getUsers(), [&](Operation *user) { return writes(user, op); }))
      return true;
  return false;
}

/// Where what the loop reads of the fragment can be written to shared memory: in front of the loops
/// around it, as far as those leave the fragment as it is. The copy takes its bytes for longer.
Operation *Inference::placeOfCopy(tile::ElementLoop loop, Value root) {
  constexpr int64_t partOfMemory = 32;
  Operation *place = loop;
  if (sparesMemory || bytesOfAll({root}) > target.sharedBytes / partOfMemory)
    return place;
  while (auto around = dyn_cast<tile::ForOp>(place->getParentOp())) {
    if (around->isAncestor(root.getDefiningOp()) || !isWrittenBefore(around, root) ||
        isChangedBy(accessesOf(around).writes, root))
      break;
    place = around;
  }
  return place;
}

/// The loop works on a shared copy of the fragment: written before it, unless the loop does that,
/// and read back after it when the loop stores.
void Inference::stage(tile::ElementLoop loop, Value root) {
  OpBuilder builder(placeOfCopy(loop, root));
  Location loc = loop.getLoc();
  auto type = cast<tile::BufferType>(root.getType());
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  remarks.push_back({loc, ("fragment `" + alloc.getName() +
                           "` goes through shared memory: its elements are not in the lanes that "
                           "use them here")
                              .str()});
  auto sharedType =
      tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Shared);
  std::string name = (alloc.getName() + "_staged").str();
  Value shared = tile::AllocOp::create(builder, loc, sharedType, name, Attribute());
  bool isOverwritten = overwritesAll(loop, root);
  if (!isOverwritten)
    moveElements(builder, loc, root, shared);
  bool isStored = false;
  loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer() == root)
      load.getBufferMutable().assign(shared);
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getBuffer() == root) {
      store.getBufferMutable().assign(shared);
      isStored = true;
    }
  });
  if (isStored) {
    builder.setInsertionPointAfter(loop);
    moveElements(builder, loc, shared, root);
    if (!isOverwritten)
      defineAll(alloc);
  }
}

/// The copies around a loop that writes a part of a fragment move all of it: registers that nothing
/// has written yet must not be undefined.
void Inference::defineAll(tile::AllocOp alloc) {
  if (!defined.insert(alloc).second)
    return;
  OpBuilder builder(alloc->getContext());
  builder.setInsertionPointAfter(alloc);
  Type element = alloc.getResult().getType().getElementType();
  Type scalar = tile::scalarTypeOf(element);
  Value zero = arith::ConstantOp::create(builder, alloc.getLoc(), builder.getZeroAttr(scalar));
  tile::FillOp::create(builder, alloc.getLoc(), zero, alloc.getResult());
}

/// What is constant is folded later on, and an access that decides a loop's layout may go with it.
/// The loop keeps that layout where its other fragments need it.
void Inference::keepLoopLayouts() {
  kernel.walk([&](tile::ElementLoop loop) {
    Operation *decider = layoutDecider(loop);
    bool stays = decider && isa<tile::StoreOp>(decider) && decider->getParentOp() == loop;
    if (!decider || stays || loop->getParentOfType<tile::ElementLoop>())
      return;
    Value decides = elementAccess(decider)->buffer;
    SmallVector<Value> others =
        mismatches(loop, defaultLoopLayout(loop, target, wavesOf(loop, target)));
    if (llvm::any_of(others, [&](Value buffer) { return buffer != decides; }))
      loop.setLayoutAttr(
          tile::FragmentLayoutAttr::get(loop.getContext(), *layoutFromFragments(loop)));
  });
}

//===----------------------------------------------------------------------===//
// Shared buffers
//===----------------------------------------------------------------------===//

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
llvm::SmallPtrSet<Operation *, 4> Inference::metAcrossRows() {
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

void Inference::setSharedLayouts() {
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
  llvm::SmallPtrSet<Operation *, 4> acrossRows = metAcrossRows();
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
      layout = chooseSwizzle(type.getShape(), reads->second, swizzle);
    if (readByWarpGroups.contains(alloc))
      layout = *SharedLayout::panelled(type.getShape(), bits);
    alloc.setLayoutAttr(tile::SharedLayoutAttr::get(alloc.getContext(), layout));
  });
  markTranspositions(transpositions);
}

struct InferLayoutsPass : impl::InferLayoutsPassBase<InferLayoutsPass> {
  using InferLayoutsPassBase::InferLayoutsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (failed(Inference(kernel, *chip, warpGroups, atoms, swizzle).run()))
        return signalPassFailure();
  }
};

} // namespace

} // namespace tilec

//===- WarpGroups.cpp - gemms by whole warp groups ------------------------===//
//
// Sources: PTX ISA 9.0, "Asynchronous warpgroup level matrix instructions" (shapes,
// fragments, descriptors); the operand strides were proved on hardware,
// docs/machine-code/hopper.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/WarpGroups.h"

#include "Layouts/Registers.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"

#include "llvm/Support/Error.h"

using namespace mlir;

namespace tilec {
namespace {

/// What a consumer needs at least beside all of its accumulators.
constexpr int64_t leastOtherRegs = 24;

llvm::Error refuse(const Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
}

const GroupAtom *groupAtom(tile::GemmOp gemm, const TargetInfo &target) {
  return target.findGroupAtom(tile::dtypeOf(gemm.getA()), tile::dtypeOf(gemm.getB()),
                              tile::dtypeOf(gemm.getC()), gemm.getTfloat32());
}

/// How the warp groups share C, or why they cannot.
llvm::Expected<WarpGroupShape> shapeOf(tile::GemmOp gemm, int64_t groups, const GroupAtom &atom,
                                       const TargetInfo &target) {
  int64_t m = gemm.m(), n = gemm.n();
  if (m % atom.m != 0)
    return refuse("C has " + Twine(m) + " rows, no multiple of " + Twine(atom.m));
  // With the producer's warp group, which not every kernel has.
  int64_t threads = (groups + 1) * target.groupLanes();
  std::optional<RegisterSplit> split = splitRegisters(target, threads);
  int64_t accumulators = m * n / (groups * target.groupLanes());
  int64_t most = split ? split->consumer : target.registers.ofLane;
  if (accumulators + leastOtherRegs > most)
    return refuse("C takes " + Twine(accumulators) + " registers of each thread, which has " +
                  Twine(most - leastOtherRegs) +
                  " for it in a block of so many threads; make the tile smaller");
  int64_t atEntry = target.registersOf(threads / target.waveLanes);
  int64_t ofColumns = atom.m * groupColumns / target.groupLanes(); // registers of a lane
  int64_t widest =
      std::min(atom.mostN, (atEntry - target.besideGroupAtom) / ofColumns * groupColumns);
  std::optional<WarpGroupShape> best;
  for (int64_t groupsM = 1; groupsM <= groups; ++groupsM) {
    WarpGroupShape shape;
    shape.groupsM = groupsM;
    shape.groupsN = groups / groupsM;
    if (groups % groupsM != 0 || m % (atom.m * groupsM) != 0 ||
        n % (groupColumns * shape.groupsN) != 0)
      continue;
    shape.slabRows = atom.m;
    shape.k = atom.k * gemm.sparsity();
    shape.storedK = atom.k;
    shape.slabs = m / atom.m / groupsM;
    int64_t own = n / shape.groupsN;
    shape.pieces = ceilDiv(own, widest);
    shape.n = own / shape.pieces;
    bool exists = own % shape.pieces == 0 && shape.n % atom.stepN == 0;
    if (!isPowerOf2(shape.slabs) || !exists)
      continue;
    // Wide instructions read the least of shared memory: 80 bytes a clock at N = 256, 128 at 64.
    if (!best || shape.n * 2 > best->n * 2 || (shape.n == best->n && shape.slabs < best->slabs))
      best = shape;
  }
  if (!best)
    return refuse(Twine(groups) + " warp groups cannot share C of " + Twine(m) + " x " + Twine(n) +
                  ": each multiplies a power of two of " + Twine(atom.m) +
                  " rows with a multiple of " + Twine(atom.stepN) + " columns");
  return *best;
}

/// The matrix in shared memory that an operand is, or is a part of at constant places.
struct SharedMatrix {
  tile::AllocOp alloc;
  int64_t row = 0, col = 0; ///< where the operand starts in it
};

std::optional<SharedMatrix> matrixOf(Value operand) {
  if (auto alloc = operand.getDefiningOp<tile::AllocOp>())
    return SharedMatrix{alloc};
  auto view = operand.getDefiningOp<tile::SubviewOp>();
  auto alloc = view ? view.getSource().getDefiningOp<tile::AllocOp>() : tile::AllocOp();
  if (!alloc || alloc.getResult().getType().rank() < 2 || view.getType().rank() != 2)
    return std::nullopt;
  size_t outer = alloc.getResult().getType().rank() - 2;
  if (view.getDropped().size() != outer)
    return std::nullopt;
  for (size_t d = 0; d < outer; ++d)
    if (view.getDropped()[d] != int64_t(d))
      return std::nullopt;
  SmallVector<int64_t, 4> starts;
  for (Value offset : view.getOffsets()) {
    std::optional<int64_t> start = tile::constantInt(offset);
    if (!start)
      return std::nullopt;
    starts.push_back(*start);
  }
  for (int64_t start : ArrayRef(starts).take_front(outer))
    if (start != 0)
      return std::nullopt;
  return SharedMatrix{alloc, starts[outer], starts[outer + 1]};
}

/// Bytes of a row of the layout's panels, or of its rows: what the swizzle permutes.
int64_t panelRowBytes(const SharedLayout &layout, int64_t elemBytes) {
  return layout.pitchElems * elemBytes;
}

/// Whether instructions of `k` of its elements along K can read the operand where it lies.
llvm::Error checkShared(Value operand, bool kIsRow, int64_t k, const GroupAtom &atom,
                        const TensorCopies &copies) {
  std::optional<SharedMatrix> matrix = matrixOf(operand);
  if (!matrix || !matrix->alloc.getResult().getType().isShared())
    return refuse(quotedName(operand) +
                  " is no matrix in shared memory, nor a part of one at a constant place");
  tile::AllocOp alloc = matrix->alloc;
  for (Operation *user : alloc->getUsers())
    if (isa<tile::ReshapeOp>(user))
      return refuse(quotedName(operand) + " is used in another shape");
  tile::BufferType type = alloc.getResult().getType();
  int64_t bits = bitsOf(tile::dtypeOf(operand));
  std::optional<SharedLayout> layout = SharedLayout::panelled(type.getShape(), bits);
  const SharedLayout *own = sharedLayoutOf(alloc.getResult());
  if (!layout)
    return refuse(quotedName(operand) + " needs rows of a multiple of " +
                  Twine(copies.narrowestRowBytes) + " bytes, and a multiple of " +
                  Twine(copies.swizzleRows) + " of them");
  if (own && !(*own == *layout))
    return refuse(quotedName(operand) + " is laid out for threads");
  // K as the slower dimension: 16-bit elements only; an instruction covers as many rows.
  if (kIsRow && bits != 16)
    return refuse("K is the slower dimension of " + quotedName(operand) +
                  ", and its elements have " + Twine(bits) + " bits");
  if (kIsRow && type.getShape()[type.rank() - 2] % atom.k != 0)
    return refuse("K is the slower dimension of " + quotedName(operand) +
                  ", which then needs a multiple of " + Twine(atom.k) + " rows");
  // K of an instruction lies in one panel.
  if (!kIsRow && layout->pitchElems % k != 0)
    return refuse(quotedName(operand) + " has rows of " + Twine(layout->pitchElems) +
                  " elements, an instruction takes " + Twine(k) + " of them");
  // A part starts where the swizzle starts anew, and at a step of K or a panel.
  int64_t rowStep = kIsRow ? atom.k : copies.swizzleRows;
  int64_t colStep = kIsRow ? layout->pitchElems : k;
  if (matrix->row % rowStep != 0 || matrix->col % colStep != 0)
    return refuse(quotedName(operand) + " starts at row " + Twine(matrix->row) + ", column " +
                  Twine(matrix->col) + " of its buffer, which are no multiples of " +
                  Twine(rowStep) + " and " + Twine(colStep));
  return llvm::Error::success();
}

/// What a sparse A needs beside: a lane's words of places are of two steps.
llvm::Error checkSparse(tile::GemmOp gemm, const GroupAtom &atom, const TargetInfo &target) {
  const int64_t kOfWords = 2 * gemm.sparsity() * atom.k;
  if (!target.hasSparseGroups || bitsOf(tile::dtypeOf(gemm.getA())) != 16)
    return refuse("no instruction of theirs multiplies a sparse A of these types");
  if (gemm.k() % kOfWords != 0)
    return refuse("A is sparse, and K is " + Twine(gemm.k()) + ", no multiple of " +
                  Twine(kOfWords));
  if (!gemm.getA().getType().isShared())
    return refuse("A is sparse and lies in registers");
  auto places = gemm.getPlaces().getDefiningOp<tile::AllocOp>();
  if (!places || !places.getResult().getType().isShared() || places.getLayout())
    return refuse("the places of a sparse A are no whole buffer in shared memory");
  return llvm::Error::success();
}

} // namespace

llvm::Error checkWarpGroupGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  if (target.groups.empty() || !target.tensorCopies)
    return refuse("the target has no instructions of warp groups");
  if (numWaves % warpsPerGroup != 0)
    return refuse("threads= is " + Twine(numWaves * target.waveLanes) + ", no multiple of " +
                  Twine(target.groupLanes()));
  DType a = tile::dtypeOf(gemm.getA()), b = tile::dtypeOf(gemm.getB()),
        c = tile::dtypeOf(gemm.getC());
  const GroupAtom *atom = groupAtom(gemm, target);
  if (!atom)
    return refuse(Twine("no instruction of theirs multiplies ") + nameOf(a) + " x " + nameOf(b) +
                  " into " + nameOf(c));
  if (gemm.getPlaces())
    if (llvm::Error error = checkSparse(gemm, *atom, target))
      return error;
  if (gemm.k() % atom->k != 0)
    return refuse("K is " + Twine(gemm.k()) + ", no multiple of " + Twine(atom->k));
  llvm::Expected<WarpGroupShape> shape = shapeOf(gemm, numWaves / warpsPerGroup, *atom, target);
  if (!shape)
    return shape.takeError();
  if (gemm.getA().getType().isFragment()) {
    bool isTaken = (bitsOf(a) == 16 || atom->isTfloat32) &&
                   target.findAtom(a, b, c, gemm.getTfloat32()) != nullptr;
    if (shape->slabs != 1 || gemm.getTransposeA() || !isTaken)
      return refuse(
          quotedName(gemm.getA()) +
          " lies in registers, which is for 16-bit elements and tfloat32, not transposed, "
          "and " +
          Twine(atom->m) + " rows a warp group");
  } else {
    if (llvm::Error error = checkShared(gemm.getA(), gemm.getTransposeA(), shape->storedK, *atom,
                                        *target.tensorCopies))
      return error;
    if (gemm.getTransposeA() && shape->slabs != 1)
      return refuse("K is the slower dimension of " + quotedName(gemm.getA()) +
                    ", of which a warp group then multiplies " + Twine(atom->m) +
                    " rows; use more threads");
  }
  if (llvm::Error error =
          checkShared(gemm.getB(), !gemm.getTransposeB(), shape->k, *atom, *target.tensorCopies))
    return error;
  // Columns of B as the fast dimension: every part is whole panels, or lies in one.
  bool isCut = shape->groupsN > 1 || shape->pieces > 1;
  if (!gemm.getTransposeB() && isCut) {
    ArrayRef<int64_t> tile = matrixOf(gemm.getB())->alloc.getResult().getType().getShape();
    int64_t panel = SharedLayout::panelled(tile, bitsOf(b))->pitchElems;
    for (int64_t part : {shape->n, shape->n * shape->pieces})
      if (part % panel != 0 && panel % part != 0)
        return refuse("K is the slower dimension of " + quotedName(gemm.getB()) +
                      ", whose parts of " + Twine(part) +
                      " columns are no multiple and no part of " + Twine(panel));
  }
  return llvm::Error::success();
}

bool isWarpGroupGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  llvm::Error error = checkWarpGroupGemm(gemm, target, numWaves);
  bool isOne = !error;
  llvm::consumeError(std::move(error));
  return isOne;
}

/// The plan of a gemm that warp groups share so.
static GemmPlan planOfShape(tile::GemmOp gemm, const WarpGroupShape &shape,
                            const TargetInfo &target) {
  DType a = tile::dtypeOf(gemm.getA()), b = tile::dtypeOf(gemm.getB()),
        c = tile::dtypeOf(gemm.getC());
  GemmPlan plan;
  plan.warpGroup = shape;
  plan.wavesM = warpsPerGroup * shape.groupsM;
  plan.wavesN = shape.groupsN;
  plan.repsN = gemm.n() / shape.groupsN / groupColumns;
  plan.kSteps = gemm.k() / shape.k;
  plan.atomM = shape.slabRows / warpsPerGroup * shape.slabs;
  plan.atomN = groupColumns;
  llvm::SmallVector<Factor, 4> waves = {{0, warpsPerGroup}, {0, shape.groupsM}, {1, shape.groupsN}};
  plan.c = FragmentLayout({gemm.m(), gemm.n()}, target.groupAccumulator(shape.slabs),
                          {{1, plan.repsN}}, waves);
  // A in registers looks as to a warp's own instructions.
  if (const MmaAtom *atom = target.findAtom(a, b, c, gemm.getTfloat32())) {
    plan.atom = atom;
    plan.a = FragmentLayout({gemm.m(), gemm.k()}, atom->aLayout, {{1, plan.kSteps}},
                            {{0, warpsPerGroup}, {0, shape.groupsM}, {-1, shape.groupsN}});
  }
  return plan;
}

GemmPlan planWarpGroupGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  // Only marked gemms are planned here.
  WarpGroupShape shape =
      llvm::cantFail(shapeOf(gemm, numWaves / warpsPerGroup, *groupAtom(gemm, target), target));
  return planOfShape(gemm, shape, target);
}

llvm::Expected<GemmPlan> warpGroupPlanOf(tile::GemmOp gemm, const tile::Mma &mma,
                                         const TargetInfo &target) {
  const GroupAtom *atom = groupAtom(gemm, target);
  if (!atom || mma.m != atom->m || mma.k != atom->k * gemm.sparsity() || mma.n % atom->stepN != 0 ||
      mma.n > atom->mostN || !isPowerOf2(mma.repsM) || mma.copies != 1 || mma.swapped)
    return refuse("names instructions of warp groups that " + Twine(nameOf(target.arch)) +
                  " does not have so");
  WarpGroupShape shape;
  shape.groupsM = mma.wavesM / warpsPerGroup;
  shape.groupsN = mma.wavesN;
  shape.slabRows = mma.m;
  shape.slabs = mma.repsM;
  shape.k = mma.k;
  shape.storedK = atom->k;
  shape.n = mma.n;
  shape.pieces = mma.repsN;
  return planOfShape(gemm, shape, target);
}

GroupOperand groupOperand(const GemmPlan &plan, const SharedLayout &layout, int64_t elemBytes,
                          bool isA, bool kIsRow, int64_t firstRow, int64_t firstCol,
                          const TargetInfo &target) {
  const WarpGroupShape &shape = *plan.warpGroup;
  int64_t rowBytes = panelRowBytes(layout, elemBytes);
  int64_t panelBytes = layout.matrixRows() * rowBytes;
  int64_t parts = isA ? shape.slabs : shape.pieces;
  const TensorCopies &copies = *target.tensorCopies;
  int64_t leadBytes = copies.chunkBytes, strideBytes = copies.swizzleBytes(rowBytes);
  GroupOperand operand;
  for (int64_t step = 0; step < plan.kSteps; ++step)
    for (int64_t part = 0; part < parts; ++part) {
      if (kIsRow) {
        // A step is as many rows of each panel.
        int64_t col = firstCol + part * (isA ? shape.slabRows : shape.n);
        int64_t row = firstRow + step * shape.k, inRow = col * elemBytes;
        operand.starts.push_back(inRow / rowBytes * panelBytes + inRow % rowBytes + row * rowBytes);
      } else {
        int64_t row = firstRow + part * (isA ? copies.swizzleRows : shape.n);
        int64_t inRow = (firstCol + step * (isA ? shape.storedK : shape.k)) * elemBytes;
        operand.starts.push_back(inRow / rowBytes * panelBytes + inRow % rowBytes + row * rowBytes);
      }
    }
  int64_t groupRows = isA ? shape.slabRows * shape.slabs : shape.n * shape.pieces;
  if (kIsRow) {
    leadBytes = panelBytes;
    int64_t groupRowBytes = groupRows * elemBytes;
    if (groupRowBytes < rowBytes) {
      operand.groupBytes = groupRowBytes;
      operand.groupsOfPanel = rowBytes / groupRowBytes;
      operand.panelBytes = panelBytes;
    } else {
      operand.groupBytes = groupRowBytes / rowBytes * panelBytes;
    }
  } else {
    strideBytes *= isA ? shape.slabs : 1;
    operand.groupBytes = groupRows * rowBytes;
  }
  operand.descriptor = target.groupDescriptor(rowBytes, strideBytes, leadBytes);
  return operand;
}

} // namespace tilec

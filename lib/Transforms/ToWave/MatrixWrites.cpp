//===- MatrixWrites.cpp - fragments to shared memory, a matrix at a time --===//
//
// Accumulators of a matrix instruction have two neighbours of a row in a lane and a row in four
// lanes. A loop that writes such elements of 16 bits to shared memory writes up to four matrices
// of 8 rows of 16 bytes with one instruction (TargetInfo::hasMatrixWrites), for which each lane
// tells where one row is, instead of a word of each lane.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Ops.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

using namespace mlir;

namespace tilec {

namespace {

constexpr int64_t rowElems = wave::matrixRowBytes / 2;                  // of 16 bits
constexpr unsigned mostBits = llvm::ConstantLog2<wave::mostMatrices>(); // of a matrix's number
/// Bits of a lane's number.
constexpr unsigned lanesOfRow = 2, rowsOfMatrix = llvm::ConstantLog2<wave::matrixRows>();

/// A layout's elements as rows of matrices.
struct RowsLayout {
  /// The same elements by where a lane finds the rows that it names: lane l has row l % 8 of
  /// matrix l / 8 in eight registers. Further registers of the layout's atom come on top.
  FragmentLayout rows;
  SmallVector<int64_t, mostBits> registerBits; ///< of the layout's, that number matrices
  bool pairsReps = false;                      ///< the last bit is whether the repetition is odd
  int64_t matrices() const { return int64_t(1) << (registerBits.size() + (pairsReps ? 1 : 0)); }
};

bool isUnit(const Coords &basis, int64_t step) {
  return llvm::count(basis, 0) + 1 == int64_t(basis.size()) && basis.back() == step;
}

/// Nothing where lanes do not hold pairs of rows of eight.
std::optional<RowsLayout> rowsOf(const FragmentLayout &layout) {
  const LayoutInput &registers = layout.atom().inputs()[0], &lanes = layout.atom().inputs()[1];
  if (lanes.bits() != lanesOfRow + rowsOfMatrix || registers.bits() == 0 ||
      !isUnit(registers.bases[0], 1) || !isUnit(lanes.bases[0], 2) || !isUnit(lanes.bases[1], 4))
    return std::nullopt;
  // No repetition and no wave is outside of the tile.
  Coords box = layout.atom().boxShape(), reps = layout.repsPerDim(), waves = layout.wavesPerDim();
  for (unsigned d = 0; d < layout.rank(); ++d)
    if (box[d] * reps[d] * waves[d] != layout.shape()[d])
      return std::nullopt;
  RowsLayout result;
  LayoutInput ofRow{registers.name, {registers.bases[0], lanes.bases[0], lanes.bases[1]}};
  LayoutInput ofLane{lanes.name, {}};
  ofLane.bases.append(lanes.bases.begin() + lanesOfRow, lanes.bases.end());
  for (unsigned bit = 1; bit < registers.bits(); ++bit)
    if (result.registerBits.size() < mostBits) {
      result.registerBits.push_back(bit);
      ofLane.bases.push_back(registers.bases[bit]);
    } else {
      ofRow.bases.push_back(registers.bases[bit]);
    }
  SmallVector<Factor, 4> repeated(layout.reps());
  if (result.registerBits.size() < mostBits && !repeated.empty() && repeated.front().dim >= 0 &&
      repeated.front().count % 2 == 0) {
    Coords next(layout.rank(), 0);
    next[repeated.front().dim] = box[repeated.front().dim];
    ofLane.bases.push_back(next);
    repeated.front().count /= 2;
    result.pairsReps = true;
  }
  if (result.matrices() == 1)
    return std::nullopt;
  while (ofLane.bases.size() < lanes.bits()) // two matrices: the other lanes' places do not count
    ofLane.bases.push_back(Coords(layout.rank(), 0));
  SmallVector<Factor, 4> ofWaves(layout.waves());
  result.rows = FragmentLayout(layout.shape(), LinearLayout(layout.rank(), {ofRow, ofLane}),
                               repeated, ofWaves);
  return result;
}

bool holdsHalves(tile::BufferType type) {
  return bitsOf(tile::dtypeOf(type.getElementType())) == 16;
}

/// Whether `index` is a sum of the loop's variables and of what stands in front of the loop.
bool isLinear(Value index, tile::ElementLoop loop) {
  for (auto [term, factor] : linearize(index).terms)
    if (!llvm::is_contained(loop.ivs(), term) &&
        loop->getRegion(0).isAncestor(term.getParentRegion()))
      return false;
  return true;
}

class MatrixWriter {
public:
  MatrixWriter(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout, Elements &outer)
      : e(e), loop(loop), layout(layout), outer(outer) {}

  /// Whether stores of these repetitions can be written so; finds them.
  bool suits(std::pair<int64_t, int64_t> reps);
  LogicalResult run(std::pair<int64_t, int64_t> reps);

private:
  bool findStores();
  /// Every one of the rows that a store writes is 16 bytes of shared memory, at a multiple of 16.
  bool writesRows(tile::StoreOp store, Elements &elements);
  /// Of an index that is linear: the body's ops are not emitted for the rows.
  Value indexFor(Value index, int64_t element, Elements &places);
  void write(tile::StoreOp store, Elements &places, ArrayRef<Elements> values);
  int64_t together() const { return rows.pairsReps ? 2 : 1; }

  Emitter &e;
  tile::ElementLoop loop;
  const FragmentLayout &layout;
  Elements &outer;
  RowsLayout rows;
  SmallVector<tile::StoreOp, 2> stores;
};

/// Writes come behind all else of their elements, so nothing else may touch what they write.
bool MatrixWriter::findStores() {
  llvm::SmallPtrSet<Value, 4> read;
  for (Operation &op : *loop.bodyBlock()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load)
      read.insert(rootOf(load.getBuffer()));
    if (!store && !load && !isMemoryEffectFree(&op))
      return false;
    if (store && store.getBuffer().getType().isShared())
      stores.push_back(store);
    else if (store && !store.getBuffer().getType().isFragment())
      return false;
  }
  return !stores.empty() && llvm::all_of(stores, [&](tile::StoreOp store) {
    return holdsHalves(store.getBuffer().getType()) && !read.contains(rootOf(store.getBuffer()));
  });
}

bool MatrixWriter::writesRows(tile::StoreOp store, Elements &elements) {
  return e.shared.contains(store.getBuffer()) &&
         llvm::all_of(store.getIndices(), [&](Value i) { return isLinear(i, loop); }) &&
         e.accessWidth(store.getIndices(), store.getBuffer(), elements) == rowElems;
}

bool MatrixWriter::suits(std::pair<int64_t, int64_t> reps) {
  if (!e.target.hasMatrixWrites || e.checksBounds || !findStores())
    return false;
  // All lanes of a wave write together.
  if (e.kernel.getLockstep() && e.isDivergent(loop->getBlock()))
    return false;
  std::optional<RowsLayout> found = rowsOf(layout);
  if (!found || e.primaryMask(layout))
    return false;
  rows = std::move(*found);
  if (reps.first % together() || reps.second % together())
    return false;
  Elements places = elementsOf(e, loop, rows.rows, 0, nullptr, outer);
  return llvm::all_of(stores, [&](tile::StoreOp store) { return writesRows(store, places); });
}

Value MatrixWriter::indexFor(Value index, int64_t element, Elements &places) {
  LinearForm form = linearize(index);
  Value sum;
  for (auto [term, factor] : form.terms) {
    Value part = e.mulIndex(e.indexFor(term, element, places), factor);
    sum = sum ? e.addIndex(sum, part) : part;
  }
  return e.addIndex(sum, form.constant);
}

/// `places`: of the rows; `values`: of the repetitions that they have.
void MatrixWriter::write(tile::StoreOp store, Elements &places, ArrayRef<Elements> values) {
  OpBuilder &b = e.b;
  DType dtype = tile::dtypeOf(store.getBuffer().getType().getElementType());
  // Registers of the layout's atom that number no matrix.
  SmallVector<int64_t, 4> others;
  for (int64_t reg = 0; reg < layout.atomRegs(); reg += 2)
    if (llvm::none_of(rows.registerBits, [&](int64_t bit) { return reg >> bit & 1; }))
      others.push_back(reg);
  for (auto [n, reg] : llvm::enumerate(others)) {
    SmallVector<Value, 4> indices;
    for (Value index : store.getIndices())
      indices.push_back(indexFor(index, int64_t(n) * rowElems, places));
    SmallVector<Value, 8> parts;
    for (int64_t matrix = 0; matrix < rows.matrices(); ++matrix) {
      int64_t at = reg;
      for (auto [i, bit] : llvm::enumerate(rows.registerBits))
        at |= (matrix >> i & 1) << bit;
      const Elements &from = values[matrix >> rows.registerBits.size()];
      for (int64_t i : {0, 1})
        parts.push_back(e.lookup(store.getValue(), at + i, from));
    }
    wave::StMatrixOp::create(b, e.loc,
                             e.fromScalar(e.pack(parts), dtype, tile::movesElement(store)),
                             e.sharedOffset(e.shared.find(store.getBuffer())->second, indices), 0);
  }
}

LogicalResult MatrixWriter::run(std::pair<int64_t, int64_t> reps) {
  for (int64_t rep = reps.first; rep < reps.second; rep += together()) {
    SmallVector<Elements, 2> values;
    for (int64_t i = 0; i < together(); ++i)
      values.push_back(elementsOf(e, loop, layout, rep + i, nullptr, outer));
    for (Elements &elements : values)
      for (Operation &op : *loop.bodyBlock())
        if (!llvm::is_contained(stores, dyn_cast<tile::StoreOp>(op)) &&
            failed(e.emitOp(op, elements)))
          return failure();
    Elements places = elementsOf(e, loop, rows.rows, rep / together(), nullptr, outer);
    for (tile::StoreOp store : stores)
      write(store, places, values);
  }
  return success();
}

} // namespace

std::optional<LogicalResult> emitMatrixWrites(Emitter &e, tile::ElementLoop loop,
                                              const FragmentLayout &layout,
                                              std::pair<int64_t, int64_t> reps, Elements &outer) {
  MatrixWriter writer(e, loop, layout, outer);
  if (!writer.suits(reps))
    return std::nullopt;
  return writer.run(reps);
}

} // namespace tilec

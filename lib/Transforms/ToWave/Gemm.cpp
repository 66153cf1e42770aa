//===- Gemm.cpp - matrix instructions with operands from shared memory ----===//
//
// Per K step: read the operand atoms of the wave's rows and columns, then multiply.
// Shared operands are read with the widest access that keeps an operand register
// group together (16 bytes a lane, or whole matrices); a fragment operand is in registers already.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Tile/Tfloat32.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

/// Issue priorities in a loop of chained products (chainPriorities).
constexpr int64_t workPriority = 0, productPriority = 1, roundPriority = 2;

/// Issue priorities of a wave at a product and behind it, where they change.
struct ChainPriorities {
  std::optional<int64_t> at, behind;
};

/// Steps of a product of lanes in a round of its loop: what instruction caches hold.
constexpr int64_t laneSteps = 2;

/// One operand of a gemm. The operand's matrix is [rows, K]: A is [M, K], B is [N, K], whatever the
/// order in memory (`kIsRow`: memory has K as the slower dimension).
struct GemmOperand {
  Value buffer;
  const FragmentLayout *layout; ///< [rows, K]
  bool kIsRow;
  int64_t rows, k;
  int64_t together; ///< rows that one read fetches, each for a repetition of its own

  bool isTurned() const { return together > 1; }
};

class GemmEmitter {
public:
  GemmEmitter(Emitter &emitter, tile::GemmOp gemm, GemmPlan plan, Elements &elements)
      : e(emitter), b(emitter.b), loc(gemm.getLoc()), gemm(gemm), plan(std::move(plan)),
        elements(elements) {}

  LogicalResult run();
  /// The reads and matrix instructions of one K tile, named as `wave.pipeline` wants them.
  LogicalResult runTemplates(const PipelineOperand (&copied)[2]);

private:
  std::array<GemmOperand, 2> operands();
  ChainPriorities chainPriorities();
  void multiply(int64_t m, int64_t n, Value left, Value right);
  void multiplyLanes(const GemmOperand &left, const GemmOperand &right);
  Value withoutLowBits(Value v);
  /// Which copies fill what any wave reads for this repetition and K step.
  uint64_t coverOf(const GemmOperand &operand, int64_t rep, int64_t step,
                   const CopyAssignment &copies);
  /// The operand registers of row repetition `rep` at K step `step`.
  Value read(const GemmOperand &operand, int64_t rep, int64_t step);
  int64_t repsAtOnce(const GemmOperand &operand);
  /// Those of `reps` repetitions from `first` on, with as few reads as the target has.
  SmallVector<Value> readAll(const GemmOperand &operand, int64_t first, int64_t reps, int64_t step);
  Value readShared(const GemmOperand &operand, int64_t rep, int64_t step);
  /// 32-bit words of a lane in an operand register group.
  int64_t wordsOf(const GemmOperand &operand);
  /// `count` neighbouring repetitions, from `rep` on, with one instruction.
  SmallVector<Value> readLdMatrix(const GemmOperand &operand, int64_t rep, int64_t count,
                                  int64_t step);
  /// The registers of `together` repetitions from `rep` on, of which memory has the rows side by
  /// side. `named` is around what fetches for each of them.
  SmallVector<Value>
  readTurned(const GemmOperand &operand, int64_t rep, int64_t step,
             llvm::function_ref<void(int64_t, llvm::function_ref<void()>)> named);
  bool fitsTurned(const GemmOperand &operand);
  SmallVector<Value> turned(ArrayRef<Value> runs, const GemmOperand &operand, DType dtype);
  bool fitsTransposed(const GemmOperand &operand);
  Value readTransposed(const GemmOperand &operand, int64_t rep, int64_t step);
  /// Of the registers of a K step those of its atom `part`.
  Value partOf(Value registers, int64_t part);
  bool fitsLdMatrix(const GemmOperand &operand);
  Value zeroPastK(const GemmOperand &operand, Value registers, int64_t rep, int64_t step);
  /// K of all steps, of which operands may have less.
  int64_t covered(const GemmOperand &operand) const {
    return operand.layout->atom().boxShape()[1] * plan.kSteps;
  }
  Value offsetAt(const GemmOperand &operand, ArrayRef<LaneCoord> rowAndK, int64_t &imm);
  void clear();

  Emitter &e;
  OpBuilder &b;
  Location loc;
  tile::GemmOp gemm;
  GemmPlan plan;
  Elements &elements;
  Value kFrom; ///< of lanes' products: where the round of their loop begins; may be null
};

/// The shared byte address of an operand element; coordinates are (row, k).
Value GemmEmitter::offsetAt(const GemmOperand &operand, ArrayRef<LaneCoord> rowAndK, int64_t &imm) {
  BufferBox box = boxOf(operand.buffer);
  const SharedPlace &place = e.shared.find(box.root)->second;
  SmallVector<LaneCoord, 4> coords(place.layout.shape.size());
  coords[box.dims[operand.kIsRow ? 1 : 0]] = rowAndK[0];
  coords[box.dims[operand.kIsRow ? 0 : 1]] = rowAndK[1];
  SmallVector<Value, 4> offsets;
  for (const IndexSum &offset : box.offsets)
    offsets.push_back(e.indexFor(offset, 0, elements));
  return e.sharedOffset(place, coords, offsets, imm);
}

/// Coordinates past the tile are read from its last `run` elements instead: what they multiply is
/// padding, or is zeroed.
static void clampTo(OpBuilder &b, Location loc, LaneCoord &coord, int64_t extent, int64_t run,
                    bool mayPass) {
  if (!mayPass)
    return;
  Value last = arith::ConstantIndexOp::create(b, loc, extent - run);
  Value at = arith::ConstantIndexOp::create(b, loc, coord.constant);
  if (coord.value)
    at = arith::AddIOp::create(b, loc, coord.value, at);
  coord = {arith::MinSIOp::create(b, loc, at, last), 0, run};
}

/// What divides the column of the shared tile where the operand, maybe a slice, starts: wider reads
/// could leave a vector of the swizzle. 1 if its neighbours along the fast dimension are apart.
static int64_t startDivisorOf(const GemmOperand &operand) {
  BufferBox box = boxOf(operand.buffer);
  bool isLast = box.dims.back() == int64_t(box.offsets.size()) - 1;
  return isLast ? divisorOf(box.offsets.back()) : 1;
}

Value GemmEmitter::readShared(const GemmOperand &operand, int64_t rep, int64_t step) {
  const FragmentLayout &layout = *operand.layout;
  int64_t group = layout.atomRegs();
  int64_t firstReg = (step + plan.kSteps * rep) * group;
  SmallVector<LaneCoord, 4> lane = e.laneCoords(layout);
  Coords origin = layout.coords(firstReg, 0, 0);
  Coords covered = layout.atom().boxShape();
  bool passesRows = covered[0] * layout.repsPerDim()[0] * layout.wavesPerDim()[0] > operand.rows;
  bool passesK = covered[1] * plan.kSteps > operand.k;
  DType dtype = tile::dtypeOf(cast<tile::BufferType>(operand.buffer.getType()).getElementType());
  int64_t elemBytes = bytesOf(dtype);
  Type element = e.memoryType(dtype);

  const SharedPlace &place = e.shared.find(boxRootOf(operand.buffer))->second;
  int64_t startDivisor = startDivisorOf(operand);
  SmallVector<Value> parts;
  for (int64_t reg = 0; reg < group;) {
    Coords at = layout.coords(firstReg + reg, 0, 0);
    // The longest run along the memory's fast dimension.
    int64_t run = 1;
    unsigned fast = operand.kIsRow ? 0 : 1;
    while (reg + run < group && run * elemBytes < e.target.accessBytes) {
      Coords next = layout.coords(firstReg + reg + run, 0, 0);
      if (next[fast] != at[fast] + run || next[1 - fast] != at[1 - fast])
        break;
      ++run;
    }
    run = int64_t(1) << log2Floor(run);
    int64_t aligned = std::gcd(lane[fast].value ? lane[fast].divisor : int64_t(1) << 20,
                               at[fast] == 0 ? int64_t(1) << 20 : at[fast]);
    aligned = std::gcd(aligned, startDivisor);
    if (place.layout.phases > 1)
      aligned = std::min(aligned, place.layout.vecElems);
    // A run lies inside or outside of the tile as a whole.
    int64_t fastExtent = operand.kIsRow ? operand.rows : operand.k;
    while (run > 1 &&
           (aligned % run != 0 || place.layout.pitchElems % run != 0 || fastExtent % run != 0))
      run /= 2;
    LaneCoord row = lane[0], k = lane[1];
    row.constant = at[0];
    k.constant = at[1];
    if (kFrom) {
      k.value = kFrom;
      k.bits = -laneSteps * covered[1];
    }
    if (plan.isOfLanes && isPowerOf2(layout.repsPerDim()[0])) {
      row.bits = -covered[0] * layout.repsPerDim()[0];
      for (const Coords &base : layout.atom().inputs()[1].bases)
        row.bits |= base[0];
    }
    clampTo(b, loc, row, operand.rows, operand.kIsRow ? run : 1, passesRows);
    clampTo(b, loc, k, operand.k, operand.kIsRow ? 1 : run, passesK);
    int64_t imm;
    Value offset = offsetAt(operand, {row, k}, imm);
    parts.push_back(wave::SharedReadOp::create(b, loc, e.vectorOf(run, element), offset, imm));
    reg += run;
  }
  Value registers = e.pack(parts);
  return passesK ? zeroPastK(operand, registers, rep, step) : registers;
}

Value GemmEmitter::zeroPastK(const GemmOperand &operand, Value registers, int64_t rep,
                             int64_t step) {
  const FragmentLayout &layout = *operand.layout;
  int64_t group = layout.atomRegs();
  int64_t firstReg = (step + plan.kSteps * rep) * group;
  SmallVector<LaneCoord, 4> lane = e.laneCoords(layout);
  SmallVector<Value, 8> parts = e.unpack(registers, group);
  for (int64_t reg = 0; reg < group; ++reg) {
    Value k = e.addIndex(lane[1].value, layout.coords(firstReg + reg, 0, 0)[1]);
    Value isInside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, k, e.index(operand.k));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(parts[reg].getType()));
    parts[reg] = arith::SelectOp::create(b, loc, isInside, parts[reg], zero);
  }
  return e.pack(parts);
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

/// ldmatrix gives register i of matrix i the words of one 8 x 16-byte piece, which is how mma.sync
/// wants its operands when K is contiguous (or, transposed, when K is the slower dimension and
/// elements have 16 bits).
bool GemmEmitter::fitsLdMatrix(const GemmOperand &operand) {
  if (!e.target.hasMatrixReads)
    return false;
  const FragmentLayout &layout = *operand.layout;
  Coords box = layout.atom().boxShape(), reps = layout.repsPerDim(), waves = layout.wavesPerDim();
  bool isWhole = box[0] * reps[0] * waves[0] <= operand.rows && box[1] * plan.kSteps <= operand.k;
  DType dtype = tile::dtypeOf(cast<tile::BufferType>(operand.buffer.getType()).getElementType());
  int64_t bits = bitsOf(dtype);
  const SharedLayout &shared = e.shared.find(boxRootOf(operand.buffer))->second.layout;
  // Each row of a matrix stays together and aligned.
  int64_t rowElems = 8 * wave::matrixRowBytes / bits;
  bool staysTogether =
      shared.pitchElems % rowElems == 0 && (shared.phases == 1 || shared.vecElems % rowElems == 0);
  BufferBox view = boxOf(operand.buffer);
  if (view.dims.back() != int64_t(shared.shape.size()) - 1)
    return false;
  return isWhole && staysTogether && (bits == 16 || (bits <= 32 && !operand.kIsRow)) &&
         divisorOf(view.offsets.back()) % rowElems == 0;
}

int64_t GemmEmitter::wordsOf(const GemmOperand &operand) {
  DType dtype = tile::dtypeOf(cast<tile::BufferType>(operand.buffer.getType()).getElementType());
  return operand.layout->atomRegs() * bitsOf(dtype) / 32;
}

SmallVector<Value> GemmEmitter::readLdMatrix(const GemmOperand &operand, int64_t rep, int64_t count,
                                             int64_t step) {
  const FragmentLayout &layout = *operand.layout;
  DType dtype = tile::dtypeOf(cast<tile::BufferType>(operand.buffer.getType()).getElementType());
  int64_t rowElems = 8 * wave::matrixRowBytes / bitsOf(dtype); // elements of a matrix row along K
  int64_t words = wordsOf(operand);
  // Where the matrices lie: register bits above a 32-bit word, as (row, k).
  const LayoutInput &regs = layout.atom().inputs()[0];
  unsigned wordBits = log2Floor(32 / bitsOf(dtype));
  // Lanes 0-7 give the rows of matrix 0, 8-15 of matrix 1, ...; lanes beyond are ignored.
  LayoutInput lanes{"lane", {}};
  for (int64_t row = 1; row < wave::matrixRows; row *= 2)
    lanes.bases.push_back(operand.kIsRow ? Coords{0, row} : Coords{row, 0});
  for (unsigned bit = wordBits; bit < regs.bits(); ++bit)
    lanes.bases.push_back(regs.bases[bit]);
  while (lanes.bases.size() < log2Floor(wave::matrixRows * wave::mostMatrices))
    lanes.bases.push_back({0, 0});
  // The atom's box is the same, so waves and repetitions are too.
  LayoutInput box{"register", {}};
  Coords full = layout.atom().boxShape();
  for (unsigned d : {0u, 1u})
    for (int64_t step2 = 1; step2 < full[d]; step2 *= 2) {
      Coords base{0, 0};
      base[d] = step2;
      box.bases.push_back(base);
    }
  FragmentLayout addresses(Coords(layout.shape()), LinearLayout(2, {box, lanes}),
                           SmallVector<Factor, 4>(layout.reps()),
                           SmallVector<Factor, 4>(layout.waves()));
  SmallVector<LaneCoord, 4> lane = e.laneCoords(addresses);
  Coords origin = layout.coords((step + plan.kSteps * rep) * layout.atomRegs(), 0, 0);
  LaneCoord row = lane[0], k = lane[1];
  // Bits of the coordinates that differ between lanes and waves; repetitions fill those between.
  int64_t repRows = full[0] * layout.repsPerDim()[0];
  row.bits = isPowerOf2(repRows) ? -repRows : -1;
  k.bits = 0;
  for (const Coords &base : lanes.bases) {
    row.bits |= base[0];
    k.bits |= base[1];
  }
  // Lanes of further matrices: those of the next repetitions, which are the next rows.
  if (count > 1) {
    Value next = e.remIndex(e.divIndex(e.laneId, wave::matrixRows * words), count);
    row.value = e.addIndex(row.value, e.mulIndex(next, full[0]));
    row.bits |= full[0] * (count - 1);
  }
  row.constant = origin[0];
  k.constant = origin[1];
  // Matrix rows start at multiples of their bytes.
  (operand.kIsRow ? row : k).divisor = rowElems;
  int64_t imm;
  Value offset = offsetAt(operand, {row, k}, imm);
  Type read = VectorType::get({words * count}, b.getI32Type());
  Value raw = wave::LdMatrixOp::create(b, loc, read, offset, imm, operand.kIsRow);
  Type atom = VectorType::get({layout.atomRegs()}, e.memoryType(dtype));
  SmallVector<Value> result;
  for (int64_t n = 0; n < count; ++n) {
    Value part = raw;
    if (count > 1)
      part =
          wave::ExtractOp::create(b, loc, VectorType::get({words}, b.getI32Type()), raw, n * words);
    result.push_back(wave::BitcastOp::create(b, loc, atom, part));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Transposing reads
//===----------------------------------------------------------------------===//

bool GemmEmitter::fitsTransposed(const GemmOperand &operand) {
  const SharedPlace &place = e.shared.find(rootOf(operand.buffer))->second;
  const FragmentLayout &layout = *operand.layout;
  if (!readsTransposed(layout, operand.kIsRow, place.dtype, e.target))
    return false;
  Coords box = layout.atom().boxShape(), reps = layout.repsPerDim(), waves = layout.wavesPerDim();
  bool isWhole = box[0] * reps[0] * waves[0] <= operand.rows && box[1] * plan.kSteps <= operand.k;
  // The runs that a lane fetches stay together, and start at multiples of themselves.
  int64_t run = e.target.transposedBits / bitsOf(place.dtype);
  const SharedLayout &shared = place.layout;
  bool staysTogether = shared.pitchElems % run == 0 && shared.panelElems == 0 &&
                       (shared.phases == 1 || shared.vecElems % run == 0);
  BufferBox view = boxOf(operand.buffer);
  if (view.dims.back() != int64_t(shared.shape.size()) - 1)
    return false;
  return isWhole && staysTogether && divisorOf(view.offsets.back()) % run == 0;
}

Value GemmEmitter::readTransposed(const GemmOperand &operand, int64_t rep, int64_t step) {
  const FragmentLayout &layout = *operand.layout;
  DType dtype = e.shared.find(rootOf(operand.buffer))->second.dtype;
  int64_t run = e.target.transposedBits / bitsOf(dtype);
  FragmentLayout addresses = transposedAddresses(layout, dtype, e.target);
  SmallVector<LaneCoord, 4> lane = e.laneCoords(addresses);
  // Bits of the coordinates that differ between lanes and waves; repetitions fill those between.
  int64_t repRows = layout.atom().boxShape()[0] * layout.repsPerDim()[0];
  int64_t rowBits = isPowerOf2(repRows) ? -repRows : -1, kBits = 0;
  for (const Coords &base : addresses.atom().inputs()[1].bases) {
    rowBits |= base[0];
    kBits |= base[1];
  }
  SmallVector<Value> parts;
  for (int64_t reg = 0; reg < layout.atomRegs(); reg += run) {
    Coords origin = layout.coords((step + plan.kSteps * rep) * layout.atomRegs() + reg, 0, 0);
    LaneCoord row = lane[0], k = lane[1];
    row.constant = origin[0];
    k.constant = origin[1];
    row.divisor = run;
    row.bits = rowBits;
    k.bits = kBits;
    int64_t imm;
    Value offset = offsetAt(operand, {row, k}, imm);
    parts.push_back(
        wave::SharedReadTrOp::create(b, loc, e.vectorOf(run, e.memoryType(dtype)), offset, imm));
  }
  return e.pack(parts);
}

//===----------------------------------------------------------------------===//
// Operands that are turned in registers
//===----------------------------------------------------------------------===//

/// Whether the rows that are fetched together lie so in memory.
bool GemmEmitter::fitsTurned(const GemmOperand &operand) {
  const SharedPlace &place = e.shared.find(boxRootOf(operand.buffer))->second;
  const SharedLayout &shared = place.layout;
  Coords box = operand.layout->atom().boxShape();
  bool isWhole =
      box[0] * operand.layout->repsPerDim()[0] * operand.layout->wavesPerDim()[0] <= operand.rows &&
      box[1] * plan.kSteps <= operand.k;
  bool staysTogether = shared.pitchElems % operand.together == 0 && shared.panelElems == 0 &&
                       (shared.phases == 1 || shared.vecElems % operand.together == 0);
  BufferBox view = boxOf(operand.buffer);
  if (view.dims.back() != int64_t(shared.shape.size()) - 1)
    return false;
  return isWhole && staysTogether && divisorOf(view.offsets.back()) % operand.together == 0;
}

/// `runs`: for every k of a lane a run of rows. The result: for every row its k, in 32-bit words.
SmallVector<Value> GemmEmitter::turned(ArrayRef<Value> runs, const GemmOperand &operand,
                                       DType dtype) {
  int64_t elemBytes = bytesOf(dtype), perWord = 4 / elemBytes;
  int64_t runWords = ceilDiv(operand.together, perWord);
  Type word = b.getI32Type();
  auto wordsOfRun = [&](Value run) {
    if (operand.together < perWord) { // a part of a word
      Type part = b.getIntegerType(8 * operand.together * elemBytes);
      return SmallVector<Value, 2>{
          arith::ExtUIOp::create(b, loc, word, wave::BitcastOp::create(b, loc, part, run))};
    }
    Type type = e.vectorOf(runWords, word);
    Value words = wave::BitcastOp::create(b, loc, type, run);
    SmallVector<Value, 2> result;
    for (Value part : e.unpack(words, runWords))
      result.push_back(part);
    return result;
  };
  SmallVector<SmallVector<Value, 2>, 8> words;
  for (Value run : runs)
    words.push_back(wordsOfRun(run));
  auto permute = [&](Value a, Value c, std::array<int64_t, 4> bytes) -> Value {
    return wave::BytePermuteOp::create(b, loc, word, a, c, ArrayRef<int64_t>(bytes));
  };
  // Low and high halves of two words side by side.
  constexpr std::array<int64_t, 4> lows = {0, 1, 4, 5}, highs = {2, 3, 6, 7};
  SmallVector<SmallVector<Value, 4>, 4> rows(operand.together); // words along K
  for (int64_t k = 0; k < int64_t(runs.size()); k += perWord)
    for (int64_t at = 0; at < runWords; ++at) {
      auto put = [&](int64_t row, Value value) {
        if (at * perWord + row < operand.together)
          rows[at * perWord + row].push_back(value);
      };
      if (elemBytes == 2) {
        put(0, permute(words[k][at], words[k + 1][at], lows));
        put(1, permute(words[k][at], words[k + 1][at], highs));
        continue;
      }
      // Bytes: two k of two rows each, then all four k of a row.
      for (int64_t half = 0; half < 2 && 2 * half < operand.together; ++half) {
        std::array<int64_t, 4> pairs = {2 * half, 4 + 2 * half, 2 * half + 1, 5 + 2 * half};
        Value first = permute(words[k][at], words[k + 1][at], pairs);
        Value second = permute(words[k + 2][at], words[k + 3][at], pairs);
        put(2 * half, permute(first, second, lows));
        put(2 * half + 1, permute(first, second, highs));
      }
    }
  Type atom = VectorType::get({int64_t(runs.size())}, e.memoryType(dtype));
  SmallVector<Value> result;
  for (ArrayRef<Value> row : rows)
    result.push_back(wave::BitcastOp::create(b, loc, atom, e.pack(row)));
  return result;
}

SmallVector<Value>
GemmEmitter::readTurned(const GemmOperand &operand, int64_t rep, int64_t step,
                        llvm::function_ref<void(int64_t, llvm::function_ref<void()>)> named) {
  const FragmentLayout &layout = *operand.layout;
  DType dtype = e.shared.find(boxRootOf(operand.buffer))->second.dtype;
  int64_t together = operand.together, perRow = layout.atomRegs() / together;
  SmallVector<Value> result;
  if (!fitsTurned(operand)) {
    Value all;
    named(rep, [&] { all = readShared(operand, rep / together, step); });
    Type atom = e.vectorOf(perRow, e.memoryType(dtype));
    for (int64_t n = 0; n < together; ++n)
      result.push_back(wave::ExtractOp::create(b, loc, atom, all, n * perRow));
    return result;
  }
  SmallVector<LaneCoord, 4> lane = e.laneCoords(layout);
  // Bits of the coordinates that differ between lanes and waves; repetitions fill those between.
  int64_t repRows = layout.atom().boxShape()[0] * layout.repsPerDim()[0];
  int64_t rowBits = isPowerOf2(repRows) ? -repRows : -1, kBits = 0;
  for (const Coords &base : layout.atom().inputs()[1].bases) {
    rowBits |= base[0];
    kBits |= base[1];
  }
  int64_t firstReg = (step + plan.kSteps * (rep / together)) * layout.atomRegs();
  SmallVector<Value> runs;
  for (int64_t n = 0; n < together; ++n)
    named(rep + n, [&] {
      for (int64_t reg = n * perRow / together; reg < (n + 1) * perRow / together; ++reg) {
        Coords at = layout.coords(firstReg + reg, 0, 0);
        LaneCoord row = lane[0], k = lane[1];
        row.constant = at[0];
        k.constant = at[1];
        row.divisor = together;
        row.bits = rowBits;
        k.bits = kBits;
        int64_t imm;
        Value offset = offsetAt(operand, {row, k}, imm);
        Type run = e.vectorOf(together, e.memoryType(dtype));
        runs.push_back(wave::SharedReadOp::create(b, loc, run, offset, imm));
      }
    });
  return turned(runs, operand, dtype);
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

Value GemmEmitter::partOf(Value registers, int64_t part) {
  if (plan.kPack == 1)
    return registers;
  int64_t all = wave::elementsOf(registers.getType()), each = all / plan.kPack;
  SmallVector<Value, 8> elements;
  for (int64_t i = 0; i < each; ++i)
    elements.push_back(wave::ExtractOp::create(b, loc, wave::elementOf(registers.getType()),
                                               registers, part * each + i));
  return e.pack(elements);
}

Value GemmEmitter::read(const GemmOperand &operand, int64_t rep, int64_t step) {
  auto fragment = e.fragments.find(operand.buffer);
  if (fragment != e.fragments.end()) {
    const FragmentPlace &place = fragment->second;
    Value registers =
        wave::GetOp::create(b, loc, e.vectorOf(place.layout.atomRegs(), e.memoryType(place.dtype)),
                            place.regs, step + plan.kSteps * rep);
    // What is behind the last column is whatever was computed there: zero times it may be no zero.
    return covered(operand) > operand.k ? zeroPastK(operand, registers, rep, step) : registers;
  }
  if (fitsLdMatrix(operand))
    return readLdMatrix(operand, rep, 1, step).front();
  if (fitsTransposed(operand))
    return readTransposed(operand, rep, step);
  return readShared(operand, rep, step);
}

/// Of an operand in shared memory: how many repetitions are read before the first is multiplied.
/// Where registers are short few are, for LLVM's scheduler then keeps this order.
int64_t GemmEmitter::repsAtOnce(const GemmOperand &operand) {
  if (!e.isShort || e.fragments.contains(operand.buffer))
    return plan.repsN;
  constexpr int64_t mostRegisters = 32;
  // Elements that are not neighbours in memory come in a register each and are packed then.
  bool isApart = operand.kIsRow && !operand.isTurned() && !fitsTransposed(operand);
  int64_t each = isApart ? 2 * operand.layout->atomRegs() : wordsOf(operand);
  // Turned ones come by so many.
  return alignTo(std::max<int64_t>(mostRegisters / each, 1), operand.together);
}

SmallVector<Value> GemmEmitter::readAll(const GemmOperand &operand, int64_t first, int64_t reps,
                                        int64_t step) {
  bool isShared = !e.fragments.contains(operand.buffer);
  SmallVector<Value> regs;
  while (int64_t(regs.size()) < reps) {
    int64_t done = regs.size(), count = 1;
    if (operand.isTurned()) {
      auto plain = [](int64_t, llvm::function_ref<void()> emit) { emit(); };
      llvm::append_range(regs, readTurned(operand, first + done, step, plain));
      continue;
    }
    if (isShared && fitsLdMatrix(operand))
      while (2 * count * wordsOf(operand) <= wave::mostMatrices && done + 2 * count <= reps)
        count *= 2;
    if (count > 1)
      llvm::append_range(regs, readLdMatrix(operand, first + done, count, step));
    else
      regs.push_back(read(operand, first + done, step));
  }
  return regs;
}

void GemmEmitter::clear() {
  const FragmentPlace &c = e.fragments.find(gemm.getC())->second;
  Type type = e.vectorOf(c.slotRegs, e.memoryType(c.dtype));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (int64_t slot = 0; slot < c.slots(); ++slot)
    wave::SetOp::create(b, loc, zero, c.regs, slot);
}

/// The products of a chain in one loop: the first and the last of several.
static std::pair<tile::GemmOp, tile::GemmOp> chainOf(tile::ForOp loop) {
  std::pair<tile::GemmOp, tile::GemmOp> ends;
  for (tile::GemmOp gemm : loop.bodyBlock()->getOps<tile::GemmOp>()) {
    if (!gemm.getChained())
      return {};
    (ends.first ? ends.second : ends.first) = gemm;
  }
  return ends;
}

/// In a loop of a chain: products go before the vector work of other waves, so that the matrix
/// unit does not wait for that. Before both goes what a round begins with, up to its first product:
/// all waves of a block wait for the last of them there, and copies are started.
ChainPriorities GemmEmitter::chainPriorities() {
  auto loop = dyn_cast<tile::ForOp>(gemm->getParentOp());
  if (!loop || !priorityOfRounds(e, loop))
    return {};
  auto [first, last] = chainOf(loop);
  if (gemm == first)
    return {std::nullopt, workPriority};
  return {productPriority, gemm == last ? roundPriority : workPriority};
}

static bool sharesSchedulers(Emitter &e) {
  int64_t sharedBytes = tile::KernelOp(e.kernel).getSharedBytes().value_or(0);
  int64_t blocks = e.target.sharedBytesOfUnit / std::max<int64_t>(sharedBytes, 1);
  int64_t ofGrid = e.kernel.blocksOfGrid().value_or(e.target.units * blocks);
  return std::min(blocks, ceilDiv(ofGrid, e.target.units)) * e.numWaves > e.target.schedulers;
}

std::optional<int64_t> priorityOfRounds(Emitter &e, tile::ForOp loop) {
  if (e.target.mostPriority == 0 || !sharesSchedulers(e) || !chainOf(loop).second)
    return std::nullopt;
  return roundPriority;
}

LogicalResult GemmEmitter::run() {
  auto c = e.fragments.find(gemm.getC());
  if (c == e.fragments.end() || !(c->second.layout == plan.c))
    return e.unsupported(*gemm, "a gemm whose C is no whole fragment");
  if (Value condition = gemm.getClear()) {
    std::optional<int64_t> constant = tile::constantInt(condition);
    if (constant && *constant != 0) {
      clear();
    } else if (!constant) {
      auto branch = scf::IfOp::create(b, loc, e.lookup(condition, 0, elements), false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
      clear();
    }
  }
  auto [a, bOperand] = operands();
  for (const GemmOperand &operand : {a, bOperand}) {
    auto fragment = e.fragments.find(operand.buffer);
    if (fragment != e.fragments.end()) {
      FragmentLayout wanted = operand.kIsRow ? exchanged(*operand.layout) : *operand.layout;
      if (!(fragment->second.layout == wanted))
        return e.unsupported(*gemm, "this layout of a gemm operand");
    } else if (!e.shared.contains(boxRootOf(operand.buffer))) {
      return e.unsupported(*gemm, "a gemm operand that is neither shared nor a fragment");
    }
  }
  if (plan.isOfLanes)
    return multiplyLanes(a, bOperand), success();
  ChainPriorities priorities = chainPriorities();
  int64_t most = repsAtOnce(bOperand);
  for (int64_t step = 0; step < plan.kSteps; ++step) {
    SmallVector<Value> aRegs = readAll(a, 0, plan.repsM, step);
    for (int64_t first = 0; first < plan.repsN; first += most) {
      int64_t count = std::min(most, plan.repsN - first);
      SmallVector<Value> bRegs = readAll(bOperand, first, count, step);
      if (priorities.at && step == 0 && first == 0)
        wave::SetPrioOp::create(b, loc, *priorities.at);
      for (int64_t part = 0; part < plan.kPack; ++part)
        for (int64_t m = 0; m < plan.repsM; ++m)
          for (int64_t n = 0; n < count; ++n)
            multiply(m, first + n, partOf(aRegs[m], part), partOf(bRegs[n], part));
    }
  }
  if (priorities.behind)
    wave::SetPrioOp::create(b, loc, *priorities.behind);
  return success();
}

std::array<GemmOperand, 2> GemmEmitter::operands() {
  return {
      GemmOperand{gemm.getA(), &plan.a, gemm.getTransposeA(), gemm.m(), gemm.k(), plan.togetherM},
      GemmOperand{gemm.getB(), &plan.b, !gemm.getTransposeB(), gemm.n(), gemm.k(), plan.togetherN}};
}

/// Registers of float32 as tensor cores read tf32 (tilec/IR/Tile/Tfloat32.h).
Value GemmEmitter::withoutLowBits(Value v) {
  auto vector = dyn_cast<VectorType>(v.getType());
  auto bitsType = VectorType::get({vector ? vector.getNumElements() : 1}, b.getI32Type());
  Value bits = wave::BitcastOp::create(b, loc, bitsType, v);
  Value mask = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(bitsType,
                             b.getI32IntegerAttr(static_cast<int32_t>(tfloat32Mask)).getValue()));
  bits = arith::AndIOp::create(b, loc, bits, mask);
  return wave::BitcastOp::create(b, loc, VectorType::get(bitsType.getShape(), b.getF32Type()),
                                 bits);
}

void GemmEmitter::multiply(int64_t m, int64_t n, Value left, Value right) {
  const FragmentPlace &c = e.fragments.find(gemm.getC())->second;
  int64_t slot = plan.slotOf(m, n);
  Value old = e.getSlot(c, slot);
  Type accumulator = old.getType();
  if (plan.swapped)
    std::swap(left, right);
  if (gemm.getTfloat32() && !plan.atom->isTfloat32) {
    left = withoutLowBits(left);
    right = withoutLowBits(right);
  }
  // An atom with one element a lane takes a vector of one.
  for (Value *operand : {&left, &right})
    if (!isa<VectorType>(operand->getType()))
      *operand =
          wave::BitcastOp::create(b, loc, VectorType::get({1}, operand->getType()), *operand);
  Value sum = wave::MmaOp::create(b, loc, accumulator, plan.atom->name, left, right, old);
  wave::SetOp::create(b, loc, sum, c.regs, slot);
}

/// Each lane adds up its part of C (GemmPlan::isOfLanes).
void GemmEmitter::multiplyLanes(const GemmOperand &left, const GemmOperand &right) {
  const FragmentPlace &c = e.fragments.find(gemm.getC())->second;
  OpBuilder::InsertionGuard guard(b);
  int64_t own = plan.atom->k, steps = plan.kSteps; // own: also rows and columns of a lane
  if (steps > laneSteps && steps % laneSteps == 0) {
    auto loop = scf::ForOp::create(b, loc, e.index(0), e.index(steps / laneSteps), e.index(1));
    b.setInsertionPointToStart(loop.getBody());
    wave::RolledOp::create(b, loc);
    kFrom = e.mulIndex(loop.getInductionVar(), laneSteps * own);
    steps = laneSteps;
  }
  std::vector<SmallVector<Value, 8>> sums;
  for (int64_t slot = 0; slot < c.slots(); ++slot)
    sums.push_back(e.unpack(e.getSlot(c, slot), c.slotRegs));
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<SmallVector<Value, 8>> values[2];
    for (bool isB : {false, true})
      for (int64_t rep = 0; rep < (isB ? plan.repsN : plan.repsM); ++rep)
        values[isB].push_back(e.unpack(readShared(isB ? right : left, rep, step), own * own));
    auto valueOf = [&](bool isB, int64_t at, int64_t k) {
      bool kIsRow = (isB ? right : left).kIsRow;
      return values[isB][at / own][kIsRow ? at % own + own * k : k + own * (at % own)];
    };
    for (int64_t k = 0; k < own; ++k)
      for (int64_t m = 0; m < plan.repsM * own; ++m)
        for (int64_t n = 0; n < plan.repsN * own; ++n) {
          Value &sum = sums[plan.slotOf(m / own, n / own)][n % own + own * (m % own)];
          sum = math::FmaOp::create(b, loc, valueOf(false, m, k), valueOf(true, n, k), sum);
        }
  }
  for (auto [slot, parts] : llvm::enumerate(sums))
    wave::SetOp::create(b, loc, e.pack(parts), c.regs, slot);
  kFrom = nullptr;
}

uint64_t GemmEmitter::coverOf(const GemmOperand &operand, int64_t rep, int64_t step,
                              const CopyAssignment &copies) {
  const FragmentLayout &layout = *operand.layout;
  const SharedPlace &place = e.shared.find(boxRootOf(operand.buffer))->second;
  BufferBox box = boxOf(operand.buffer);
  int64_t group = layout.atomRegs();
  int64_t firstReg = (step + plan.kSteps * (rep / operand.together)) * group;
  int64_t elemBytes = bytesOf(place.dtype);
  uint64_t cover = 0;
  Coords point(place.layout.shape.size(), 0);
  for (int64_t wave = 0; wave < layout.numWaves(); ++wave)
    for (int64_t lane = 0; lane < layout.lanes(); ++lane)
      for (int64_t reg = 0; reg < group; ++reg) {
        Coords at = layout.coords(firstReg + reg, lane, wave);
        point[box.dims[operand.kIsRow ? 1 : 0]] = at[0];
        point[box.dims[operand.kIsRow ? 0 : 1]] = at[1];
        int64_t chunk = place.layout.offset(point) * elemBytes / copies.chunkBytes;
        cover |= uint64_t(1) << copies.copyOfChunk[chunk];
      }
  return cover;
}

LogicalResult GemmEmitter::runTemplates(const PipelineOperand (&copied)[2]) {
  auto c = e.fragments.find(gemm.getC());
  if (c == e.fragments.end() || !(c->second.layout == plan.c))
    return e.unsupported(*gemm, "a gemm whose C is no whole fragment");
  // The ops that `emit` adds are those of one step.
  auto named = [&](wave::StepAttr step, llvm::function_ref<void()> emit) {
    Block *block = b.getInsertionBlock();
    Operation *last = block->empty() ? nullptr : &block->back();
    emit();
    for (Operation *op = last ? last->getNextNode() : &block->front(); op; op = op->getNextNode())
      wave::setStep(op, step);
  };
  std::array<GemmOperand, 2> both = operands();
  for (int64_t step = 0; step < plan.kSteps; ++step) {
    SmallVector<Value> regs[2];
    for (int n : {0, 1}) {
      auto fetch = [&](int64_t rep, llvm::function_ref<void()> emit) {
        uint64_t cover = coverOf(both[n], rep, step, copied[n].copies);
        named(wave::StepAttr::get(b.getContext(),
                                  n == 0 ? wave::StepKind::ReadA : wave::StepKind::ReadB, rep,
                                  /*j=*/0, step, copied[n].slotBytes, /*advance=*/0, int64_t(cover),
                                  both[n].together),
              emit);
      };
      for (int64_t rep = 0; rep < (n == 0 ? plan.repsM : plan.repsN); rep = regs[n].size())
        if (both[n].isTurned())
          llvm::append_range(regs[n], readTurned(both[n], rep, step, fetch));
        else
          fetch(rep, [&] { regs[n].push_back(read(both[n], rep, step)); });
    }
    for (int64_t part = 0; part < plan.kPack; ++part)
      for (int64_t m = 0; m < plan.repsM; ++m)
        for (int64_t n = 0; n < plan.repsN; ++n) {
          Value left = partOf(regs[0][m], part), right = partOf(regs[1][n], part);
          named(wave::StepAttr::get(b.getContext(), wave::StepKind::Mma, m, n,
                                    step * plan.kPack + part, /*slot_bytes=*/0, /*advance=*/0,
                                    /*cover=*/0, /*together=*/1),
                [&] { multiply(m, n, left, right); });
        }
  }
  return success();
}

LogicalResult emitGemmTemplates(Emitter &e, tile::GemmOp gemm, const PipelineOperand (&operands)[2],
                                Elements &elements) {
  return GemmEmitter(e, gemm, e.planOf(gemm), elements).runTemplates(operands);
}

LogicalResult emitGemm(Emitter &e, tile::GemmOp gemm, Elements &elements) {
  GemmPlan plan = e.planOf(gemm);
  if (plan.warpGroup)
    return emitWarpGroupGemm(e, gemm, plan, elements);
  return GemmEmitter(e, gemm, std::move(plan), elements).run();
}

} // namespace tilec

//===- GemmReads.cpp - operands of products from shared memory ------------===//
//
// Takes a repetition and a K step of an operand, reads the registers of its atom with the widest
// access that keeps a register group together: vectors, whole matrices (ldmatrix), reads that
// transpose, or vectors across repetitions that are turned in registers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/GemmEmitter.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

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
  DType dtype = tile::dtypeOf(operand.buffer);
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
  DType dtype = tile::dtypeOf(operand.buffer);
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
  DType dtype = tile::dtypeOf(operand.buffer);
  return operand.layout->atomRegs() * bitsOf(dtype) / 32;
}

SmallVector<Value> GemmEmitter::readLdMatrix(const GemmOperand &operand, int64_t rep, int64_t count,
                                             int64_t step) {
  const FragmentLayout &layout = *operand.layout;
  DType dtype = tile::dtypeOf(operand.buffer);
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

} // namespace tilec

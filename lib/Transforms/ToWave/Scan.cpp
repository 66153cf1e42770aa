//===- Scan.cpp - prefix sums over registers, lanes and waves -------------===//
//
// A line along the scanned dimension lies in runs of a lane's registers, which lanes
// continue, then repetitions, then waves (isScannable). Each lane scans its runs; their
// totals are scanned over the lanes, step by step with a partner (wave.scan_partner);
// what stands in front of a repetition or a wave is added at the end. Waves leave
// their totals in shared memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Exchange.h"
#include "Layouts/ScanLayout.h"
#include "Normalize/Normalize.h"
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

/// Exchanges of a step that are under way together: each is waited for longer than it takes, and
/// where a planned loop keeps the order of its operations, nobody else moves them up.
constexpr size_t runsTogether = 16;

class ScanEmitter {
public:
  ScanEmitter(Emitter &emitter, tile::ScanOp scan, const FragmentPlace &src,
              const FragmentPlace &dst)
      : e(emitter), b(emitter.b), op(scan), loc(scan.getLoc()), src(src), dst(dst),
        dim(scan.getDim()), kind(scan.getKind()), isReverse(scan.getReverse()),
        isUnsignedType(isUnsigned(src.dtype)), dtype(scanDType(src.dtype, dst.dtype)),
        element(tile::elementTypeOf(dtype, b.getContext())) {}

  void run();

private:
  /// Neighbouring registers of a lane, in the order of the scan; what stands in front of them.
  struct Run {
    SmallVector<int64_t, 4> regs;
    Value before; ///< in this wave; null: nothing
  };
  struct Line {
    std::vector<Run> runs; ///< in the order of the scan
    Value total;           ///< of this wave
  };

  /// NaN is what maxNum and minNum take for nothing.
  Value identity();
  /// `x` stands in front of `y`; null is nothing.
  Value fold(Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    return combine(b, loc, kind, x, y, isUnsignedType, /*nanPropagate=*/false);
  }
  void load();
  std::vector<Line> findLines();
  /// What the partner of a step over the lanes has of each value, the identity where there is none.
  SmallVector<Value> partners(ArrayRef<Value> values, size_t step);
  /// The combination of the lanes in front of this one, and of all, for each value.
  struct OverLanes {
    SmallVector<Value> before, all;
  };
  OverLanes scanLanes(SmallVector<Value> values);
  void scanRuns(ArrayRef<Run *> runs, ArrayRef<Line *> lines);
  void scanWaves(std::vector<Line> &lines);
  void store();

  Emitter &e;
  OpBuilder &b;
  tile::ScanOp op;
  Location loc;
  const FragmentPlace &src, &dst;
  int64_t dim;
  tile::ReduceKind kind;
  bool isReverse, isUnsignedType;
  DType dtype; ///< what is added up in
  Type element;
  SmallVector<int64_t, 6> laneBits; ///< of the lane's number, those along the line, fastest first
  SmallVector<Value> values;        ///< one per register
  Value none;
};

Value ScanEmitter::identity() {
  Type scalar = tile::scalarTypeOf(element);
  return identityOf(b, loc, kind, scalar, isUnsignedType);
}

void ScanEmitter::load() {
  Type from = tile::elementTypeOf(src.dtype, b.getContext());
  SmallVector<LaneCoord, 4> lane = e.laneCoords(src.layout);
  int64_t group = src.layout.atomRegs();
  for (int64_t rep = 0; rep < src.layout.numReps(); ++rep) {
    SmallVector<LaneCoord, 4> coords = lane;
    for (auto [coord, constant] : llvm::zip(coords, src.layout.coords(rep * group, 0, 0)))
      coord.constant = constant;
    SmallVector<Value, 8> masks =
        e.insideMasks(src.layout, coords, elementsOfRep(src.layout, rep), dim);
    for (auto [i, value] : llvm::enumerate(e.registersOf(src, rep))) {
      value = convertScalar(b, loc, value, from, element);
      if (!masks.empty())
        value = arith::SelectOp::create(b, loc, masks[masks.size() == 1 ? 0 : i], value, none);
      values.push_back(value);
    }
  }
}

std::vector<ScanEmitter::Line> ScanEmitter::findLines() {
  int64_t box = src.layout.atom().boxShape()[dim];
  // Place of the line, then number of the run, then the coordinate along the line.
  std::map<Coords, std::map<int64_t, std::map<int64_t, int64_t>>> found;
  for (int64_t reg = 0; reg < src.layout.numRegs(); ++reg) {
    Coords at = src.layout.coords(reg, 0, 0);
    int64_t along = at[dim], run = laneBits.empty() ? 0 : along / box;
    at[dim] = 0;
    found[at][run].try_emplace(along, reg); // others are copies
  }
  std::vector<Line> lines;
  for (auto &[place, runs] : found) {
    Line &line = lines.emplace_back();
    for (auto &[number, regs] : runs) {
      Run &run = line.runs.emplace_back();
      for (auto [along, reg] : regs)
        run.regs.push_back(reg);
      if (isReverse)
        std::reverse(run.regs.begin(), run.regs.end());
    }
    if (isReverse)
      std::reverse(line.runs.begin(), line.runs.end());
  }
  return lines;
}

SmallVector<Value> ScanEmitter::partners(ArrayRef<Value> values, size_t step) {
  bool isLow = laneBits.back() == int64_t(laneBits.size()) - 1;
  if (isLow)
    return llvm::map_to_vector(values, [&](Value value) -> Value {
      return wave::ScanPartnerOp::create(b, loc, value.getType(), value, none, int64_t(step),
                                         int64_t(1) << laneBits.size(), isReverse);
    });
  int64_t bit = int64_t(1) << laneBits[step], below = 0;
  for (size_t s = 0; s < step; ++s)
    below |= int64_t(1) << laneBits[s];
  auto bits = [&](Value lane, int64_t mask) -> Value {
    return arith::AndIOp::create(b, loc, lane, e.index(mask));
  };
  // The last lane of the half below, or with `reverse` the first of the half above.
  Value rest = bits(e.laneId, e.target.waveLanes - 1 - bit - below);
  Value from = arith::OrIOp::create(b, loc, rest, e.index(isReverse ? bit : below));
  SmallVector<Value> others;
  for (Value value : values)
    others.push_back(wave::ShuffleOp::create(b, loc, value.getType(), value, from));
  Value isAbove =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits(e.laneId, bit), e.index(0));
  for (Value &other : others)
    other = isReverse ? arith::SelectOp::create(b, loc, isAbove, none, other)
                      : arith::SelectOp::create(b, loc, isAbove, other, none);
  return others;
}

ScanEmitter::OverLanes ScanEmitter::scanLanes(SmallVector<Value> values) {
  SmallVector<Value> before(values.size());
  int64_t mask = 0;
  for (size_t step = 0; step < laneBits.size(); ++step) {
    SmallVector<Value> others = partners(values, step);
    for (auto [other, value, front] : llvm::zip(others, values, before)) {
      front = fold(other, front);
      value = fold(other, value);
    }
    mask |= int64_t(1) << laneBits[step];
  }
  if (laneBits.empty())
    return {before, values};
  // The last lane of the line has the combination of all.
  int64_t lanes = e.target.waveLanes;
  Value last = e.index(isReverse ? 0 : lanes - 1);
  if (mask != lanes - 1) {
    Value rest = arith::AndIOp::create(b, loc, e.laneId, e.index(lanes - 1 - mask));
    last = arith::OrIOp::create(b, loc, rest, e.index(isReverse ? 0 : mask));
  }
  for (Value &value : values)
    value = wave::ShuffleOp::create(b, loc, value.getType(), value, last);
  return {before, values};
}

void ScanEmitter::scanRuns(ArrayRef<Run *> runs, ArrayRef<Line *> lines) {
  SmallVector<Value> sums;
  for (Run *run : runs) {
    Value sum;
    for (int64_t reg : run->regs)
      sum = values[reg] = fold(sum, values[reg]);
    sums.push_back(sum);
  }
  OverLanes scanned = scanLanes(sums);
  for (auto [run, line, before, all] : llvm::zip(runs, lines, scanned.before, scanned.all)) {
    run->before = fold(line->total, before);
    line->total = fold(line->total, all);
  }
}

void ScanEmitter::scanWaves(std::vector<Line> &lines) {
  SmallVector<WaveDigit, 2> digits = digitsAlong(src.layout, dim);
  int64_t partners = 1;
  Value first = e.waveId, number; // the first wave of the line, and this one's place behind it
  for (const WaveDigit &d : digits) {
    Value digit = e.remIndex(e.divIndex(e.waveId, d.below), d.count);
    first = arith::SubIOp::create(b, loc, first, e.mulIndex(digit, d.below));
    number = e.addIndex(number, e.mulIndex(digit, partners));
    partners *= d.count;
  }
  if (partners == 1)
    return;
  int64_t bytes = bytesOf(dtype), lanes = e.target.waveLanes, perLine = e.numWaves * lanes * bytes;
  int64_t base = e.placeOfExchange(op, int64_t(lines.size()) * perLine);
  Value lane = e.mulIndex(e.laneId, bytes);
  auto placeOf = [&](Value wave) { return e.addIndex(e.mulIndex(wave, lanes * bytes), lane); };
  wave::BarrierOp::create(b, loc); // what was there is read
  Value own = placeOf(e.waveId), start = placeOf(first);
  for (auto [n, line] : llvm::enumerate(lines))
    wave::SharedWriteOp::create(b, loc, line.total, own, Value(), base + int64_t(n) * perLine);
  wave::BarrierOp::create(b, loc);
  for (auto [n, line] : llvm::enumerate(lines)) {
    Value before;
    for (int64_t p = isReverse ? 1 : 0; p < partners - (isReverse ? 0 : 1); ++p) {
      int64_t offset = 0, rest = p;
      for (const WaveDigit &d : digits) {
        offset += rest % d.count * d.below;
        rest /= d.count;
      }
      Value total =
          wave::SharedReadOp::create(b, loc, line.total.getType(), start,
                                     base + int64_t(n) * perLine + offset * lanes * bytes);
      Value isBefore = arith::CmpIOp::create(
          b, loc, isReverse ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt, number,
          e.index(p));
      before = fold(before, arith::SelectOp::create(b, loc, isBefore, total, none));
    }
    for (Run &run : line.runs)
      run.before = fold(before, run.before);
  }
}

void ScanEmitter::store() {
  Type to = tile::elementTypeOf(dst.dtype, b.getContext());
  SmallVector<Value> results;
  for (int64_t reg = 0; reg < dst.layout.numRegs(); ++reg)
    results.push_back(convertScalar(b, loc, values[reg], element, to));
  e.setRegisters(dst, results);
}

void ScanEmitter::run() {
  none = identity();
  const LayoutInput &lanes = src.layout.atom().inputs()[1];
  for (auto [bit, base] : llvm::enumerate(lanes.bases))
    if (base[dim] != 0)
      laneBits.push_back(bit);
  load();
  std::vector<Line> lines = findLines();
  SmallVector<Run *> runs;
  SmallVector<Line *> ofRuns;
  for (Line &line : lines)
    for (Run &run : line.runs) {
      runs.push_back(&run);
      ofRuns.push_back(&line);
    }
  for (size_t n = 0; n < runs.size(); n += runsTogether)
    scanRuns(ArrayRef(runs).slice(n).take_front(runsTogether),
             ArrayRef(ofRuns).slice(n).take_front(runsTogether));
  scanWaves(lines);
  for (Line &line : lines)
    for (Run &run : line.runs)
      for (int64_t reg : run.regs)
        values[reg] = fold(run.before, values[reg]);
  store();
}

LogicalResult emitScan(Emitter &e, tile::ScanOp scan, Elements &elements) {
  auto src = e.fragments.find(scan.getSrc()), dst = e.fragments.find(scan.getDst());
  if (src == e.fragments.end() || dst == e.fragments.end() ||
      !(src->second.layout == dst->second.layout) ||
      !isScannable(src->second.layout, scan.getDim()))
    return e.unsupported(*scan, "a scan of anything but whole e.fragments");
  ScanEmitter(e, scan, src->second, dst->second).run();
  return success();
}

} // namespace tilec

//===- Reduce.cpp - reductions over registers, lanes and waves ------------===//
//
// Each lane first combines the registers that fall on one result element, then lanes
// exchange along the lane bits that run over the reduced dimension (a butterfly, so
// that all of them end with the result; where waves have parts of it, each lane ends with
// some of the results), then waves through shared memory, in the order of the waves, so
// that every wave computes the same bits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Exchange.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/ScanLayout.h"
#include "Normalize/Normalize.h"
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

/// Shared memory for the results of every wave, in bytes.
struct WavePlaces {
  int64_t base = 0, perWave = 0, perResult = 0;
  int64_t together = 1; ///< results of a lane that lie side by side; `perResult` is between those
  Value lane;           ///< what a lane adds; null: all lanes share one value
  bool isOwn = false;   ///< nothing else uses it, and what was there is read
};

class ReduceEmitter {
public:
  ReduceEmitter(Emitter &emitter, tile::ReduceOp reduce, const FragmentPlace &src,
                const FragmentPlace &dst)
      : e(emitter), b(emitter.b), loc(reduce.getLoc()), reduce(reduce), src(src), dst(dst),
        dim(reduce.getDim()), kind(reduce.getKind()), isUnsignedType(isUnsigned(src.dtype)) {}

  void run();

private:
  struct Term {
    Value value;
    int64_t reg; ///< of src
  };

  Value identity(Type type) {
    tile::ReduceKind base = kind;
    return identityOf(b, loc, base, type, isUnsignedType, reduce.getNanPropagate());
  }
  Value fold(Value x, Value y) { return fold(x, y, isUnsignedType); }
  Value fold(Value x, Value y, bool areUnsigned) {
    Value result = combine(b, loc, kind, x, y, areUnsigned, reduce.getNanPropagate());
    // Fused with those products that allow it, too (Normalize/FuseSquares.cpp).
    if (auto sum = result.getDefiningOp<arith::AddFOp>())
      sum.setFastmath(arith::FastMathFlags::contract);
    return result;
  }
  /// What an element contributes.
  Value termOf(Value value);
  /// Where a repetition of the atom is padding (Emitter::insideMasks).
  SmallVector<Value, 8> masksOf(int64_t rep);
  /// The element's value, or the identity where the register is padding.
  Value masked(Value value, ArrayRef<Value> masks, int64_t element);
  void foldRegisters();
  bool isOfPairs() { return goesInPairs(e, reduce) && tile::scalarTypeOf(elementOf(src)).isF32(); }
  bool foldsPairs(int64_t perResult);
  Value foldPairs(ArrayRef<Value> pairs);
  Value foldInPairs(ArrayRef<Value> terms);
  bool foldNeighbours(size_t result, ArrayRef<SmallVector<Term, 4>> terms);
  void foldInto(MutableArrayRef<Value> sums, ArrayRef<Value> parts);
  void loadParts();
  int64_t bytesOfResult();
  int64_t sharesOf(ArrayRef<WaveDigit> digits);
  int64_t resultsTogether(int64_t shares);
  bool dealsResults();
  void foldLanes();
  bool dealOut(int64_t laneMask, int64_t together);
  Value laneBit(int64_t laneMask);
  Value laneOfResults();
  WavePlaces placesOf(int64_t bytes, int64_t shares);
  void writeParts(const WavePlaces &places, Value own, Type stored);
  void foldWaves();
  /// Each of the partners combines as many results as the others, and reads what those have.
  void foldShares(const WavePlaces &places, ArrayRef<WaveDigit> digits, Value start,
                  int64_t partners);
  /// A result in dst's type, combined with what dst held (null: with nothing).
  Value finished(Value part, Value before);
  void store();
  Type elementOf(const FragmentPlace &place) {
    return tile::elementTypeOf(place.dtype, b.getContext());
  }
  /// Small integers travel between lanes as 32 bits.
  Value exchange(Value value, int64_t laneMask);

  Emitter &e;
  OpBuilder &b;
  Location loc;
  tile::ReduceOp reduce;
  const FragmentPlace &src, &dst;
  int64_t dim;
  tile::ReduceKind kind;
  bool isUnsignedType;
  int64_t numResults = 0;     ///< one per register of dst
  SmallVector<Value> results; ///< all of them, or those that a lane has
  SmallVector<int64_t> dealt; ///< lane masks: each has halved the results that a lane has
};

Value ReduceEmitter::termOf(Value value) {
  if (kind != tile::ReduceKind::AbsSum && kind != tile::ReduceKind::AbsMax)
    return value;
  if (isa<FloatType>(value.getType()))
    return math::AbsFOp::create(b, loc, value);
  if (isUnsignedType)
    return value;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  Value negated = arith::SubIOp::create(b, loc, zero, value);
  return arith::MaxSIOp::create(b, loc, value, negated);
}

SmallVector<Value, 8> ReduceEmitter::masksOf(int64_t rep) {
  SmallVector<LaneCoord, 4> coords = e.laneCoords(src.layout);
  Coords origin = src.layout.coords(rep * src.layout.atomRegs(), 0, 0);
  for (auto [coord, constant] : llvm::zip(coords, origin))
    coord.constant = constant;
  return e.insideMasks(src.layout, coords, elementsOfRep(src.layout, rep), dim);
}

Value ReduceEmitter::masked(Value value, ArrayRef<Value> masks, int64_t element) {
  if (masks.empty())
    return value;
  Value isInside = masks[masks.size() == 1 ? 0 : element];
  return arith::SelectOp::create(b, loc, isInside, value, identity(value.getType()));
}

/// Whether the registers of a result are combined two by two: sums by instructions on pairs, and
/// the largest of what was extended from a narrower type by such ones on pairs of that.
bool ReduceEmitter::foldsPairs(int64_t perResult) {
  constexpr int64_t fewest = 4;
  bool mayPair = kind == tile::ReduceKind::Sum ||
                 ((kind == tile::ReduceKind::Max || kind == tile::ReduceKind::Min) &&
                  !reduce.getNanPropagate());
  return mayPair && perResult >= fewest && isOfPairs();
}

/// Two chains: instructions on pairs of f16 must not follow each other's results at once.
Value ReduceEmitter::foldPairs(ArrayRef<Value> pairs) {
  Value chains[2];
  for (auto [n, pair] : llvm::enumerate(pairs)) {
    Value &chain = chains[n % 2];
    chain = chain ? fold(chain, pair) : pair;
  }
  return chains[1] ? fold(chains[0], chains[1]) : chains[0];
}

Value ReduceEmitter::foldInPairs(ArrayRef<Value> terms) {
  SmallVector<Value> pairs;
  for (; terms.size() >= 2; terms = terms.drop_front(2))
    pairs.push_back(e.pack({terms[0], terms[1]}));
  SmallVector<Value, 8> halves = e.unpack(foldPairs(pairs), 2);
  Value result = fold(halves[0], halves[1]);
  return terms.empty() ? result : fold(result, terms[0]);
}

/// Two results whose terms lie side by side are a pair themselves: pairs of terms of one of them
/// would be made by moves. False where they do not.
bool ReduceEmitter::foldNeighbours(size_t result, ArrayRef<SmallVector<Term, 4>> terms) {
  if (result + 1 == terms.size() || terms[result].size() != terms[result + 1].size())
    return false;
  SmallVector<Value> pairs;
  for (auto [low, high] : llvm::zip(terms[result], terms[result + 1])) {
    if (low.reg % 2 != 0 || high.reg != low.reg + 1)
      return false;
    pairs.push_back(e.pack({low.value, high.value}));
  }
  llvm::copy(e.unpack(foldPairs(pairs), 2), results.begin() + result);
  return true;
}

void ReduceEmitter::foldRegisters() {
  int64_t group = src.layout.atomRegs();
  results.assign(dst.layout.numRegs(), Value());
  // Several chains a result, whose instructions need not wait for each other.
  constexpr int64_t shortest = 2;
  int64_t chains = e.target.clocks.dependentVector;
  int64_t perResult = src.layout.numRegs() / std::max<int64_t>(dst.layout.numRegs(), 1);
  bool splits = chains > 1 && perResult >= chains * shortest;
  bool isInPairs = foldsPairs(perResult);
  std::vector<SmallVector<Value, 4>> parts(results.size());
  std::vector<SmallVector<Term, 4>> terms(results.size()); // of pairs
  std::vector<int64_t> taken(results.size(), 0);
  for (int64_t rep = 0; rep < src.layout.numReps(); ++rep) {
    SmallVector<Value, 8> elements = e.registersOf(src, rep);
    SmallVector<Value, 8> masks = masksOf(rep);
    for (int64_t i = 0; i < group; ++i) {
      int64_t reg = rep * group + i;
      Coords at = src.layout.coords(reg, 0, 0);
      if (dst.layout.rank() == src.layout.rank())
        at[dim] = 0;
      else
        at.erase(at.begin() + dim);
      // The element falls on this register of the result in lane 0, hence in all.
      int64_t target = dst.layout.regHolding(at, 0, 0).value_or(0);
      Value term = masked(termOf(elements[i]), masks, i);
      SmallVector<Value, 4> &sums = parts[target];
      if (isInPairs) {
        terms[target].push_back({term, reg});
        continue;
      }
      int64_t chain = splits ? taken[target]++ % chains : 0;
      if (chain == int64_t(sums.size()))
        sums.push_back(term);
      else
        sums[chain] = fold(sums[chain], term);
    }
  }
  for (auto [n, sums] : llvm::enumerate(parts)) {
    if (results[n] || (terms[n].size() > 1 && foldNeighbours(n, terms)))
      continue; // it was the neighbour of one
    for (Term term : terms[n])
      sums.push_back(term.value);
    if (terms[n].size() > 1) {
      results[n] = foldInPairs(sums);
      continue;
    }
    for (Value sum : sums)
      results[n] = results[n] ? fold(results[n], sum) : sum;
  }
}

/// Combines each with the part of its number.
void ReduceEmitter::foldInto(MutableArrayRef<Value> sums, ArrayRef<Value> parts) {
  if (!sums[0])
    return void(llvm::copy(parts, sums.begin()));
  bool arePairs = sums.size() % 2 == 0 && kind == tile::ReduceKind::Sum && isOfPairs();
  for (size_t n = 0; n < sums.size(); n += arePairs ? 2 : 1) {
    if (!arePairs) {
      sums[n] = fold(sums[n], parts[n]);
      continue;
    }
    Value pair = fold(e.pack({sums[n], sums[n + 1]}), e.pack({parts[n], parts[n + 1]}));
    llvm::copy(e.unpack(pair, 2), sums.begin() + n);
  }
}

void ReduceEmitter::loadParts() {
  for (int64_t rep = 0; rep < dst.layout.numReps(); ++rep)
    results.append(e.registersOf(dst, rep));
}

Value ReduceEmitter::exchange(Value value, int64_t laneMask) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits >= 32)
    return wave::ShuffleXorOp::create(b, loc, type, value, laneMask);
  Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  Value other = wave::ShuffleXorOp::create(b, loc, wide.getType(), wide, laneMask);
  return arith::TruncIOp::create(b, loc, type, other);
}

Value ReduceEmitter::laneBit(int64_t laneMask) {
  return e.remIndex(e.divIndex(e.laneId, laneMask), 2);
}

/// Of two lanes that have terms of the same results each combines half of them. False, and nothing
/// is done, where halves are no whole accesses of shared memory, or parts of one.
bool ReduceEmitter::dealOut(int64_t laneMask, int64_t together) {
  int64_t half = results.size() / 2;
  if (results.size() % 2 != 0 || (half % together != 0 && together % half != 0))
    return false;
  Value bit = arith::AndIOp::create(b, loc, e.laneId, e.index(laneMask));
  Value isUpper = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, e.index(0));
  for (int64_t n = 0; n < half; ++n) {
    Value low = results[n], high = results[n + half];
    Value sent = arith::SelectOp::create(b, loc, isUpper, low, high);
    Value kept = arith::SelectOp::create(b, loc, isUpper, high, low);
    results[n] = fold(kept, exchange(sent, laneMask));
  }
  results.truncate(half);
  dealt.push_back(laneMask);
  return true;
}

void ReduceEmitter::foldLanes() {
  const LayoutInput &lanes = src.layout.atom().inputs()[1];
  bool deals = dealsResults();
  int64_t together = deals ? resultsTogether(sharesOf(digitsAlong(src.layout, dim))) : 1;
  for (auto [bit, base] : llvm::enumerate(lanes.bases)) {
    int64_t laneMask = int64_t(1) << bit;
    if (base[dim] == 0 || (deals && dealOut(laneMask, together)))
      continue;
    for (Value &value : results)
      value = fold(value, exchange(value, laneMask));
  }
}

/// The lane's number among those that have different results. Lanes that have the same ones write
/// and read the same places, so that fewer banks are busy; only for a run of bits, which costs two
/// instructions at most.
Value ReduceEmitter::laneOfResults() {
  ArrayRef<Coords> bases = src.layout.atom().inputs()[1].bases;
  auto isShared = [&](const Coords &base) {
    for (int64_t d = 0; d < int64_t(base.size()); ++d)
      if (d != dim && base[d] != 0)
        return false;
    return true;
  };
  ArrayRef<Coords> own = bases.drop_while(isShared);
  int64_t below = int64_t(1) << (bases.size() - own.size());
  while (!own.empty() && isShared(own.back()))
    own = own.drop_back();
  if (llvm::any_of(own, isShared))
    return e.laneId;
  return e.remIndex(e.divIndex(e.laneId, below), int64_t(1) << own.size());
}

/// In shared memory.
int64_t ReduceEmitter::bytesOfResult() {
  return std::max<int64_t>(1, results[0].getType().getIntOrFloatBitWidth() / 8);
}

/// How many waves share the work of combining all results; 1: each combines all.
int64_t ReduceEmitter::sharesOf(ArrayRef<WaveDigit> digits) {
  // A second barrier costs less than to read so many parts.
  constexpr int64_t mostParts = 64;
  int64_t partners = 1;
  for (const WaveDigit &d : digits)
    partners *= d.count;
  bool isShared = numResults % partners == 0 && numResults * partners > mostParts &&
                  bytesOfResult() >= 4 && !results[0].getType().isInteger(1);
  return isShared ? partners : 1;
}

/// Results of a lane that lie side by side, in one of the shares.
int64_t ReduceEmitter::resultsTogether(int64_t shares) {
  int64_t bytes = bytesOfResult(), together = 1;
  while (bytes >= 4 && numResults % (2 * together * shares) == 0 &&
         2 * together * bytes <= e.target.accessBytes)
    together *= 2;
  return together;
}

/// Whether lanes that have terms of the same results may each combine some of them, as all read
/// what waves have left in shared memory: where lanes of the same results have one place there.
bool ReduceEmitter::dealsResults() {
  bool isOne = isUniformWithout(src.layout, dim) && e.target.predicatesLanes;
  bool areAlone = llvm::all_of(src.layout.atom().inputs()[1].bases, [&](const Coords &base) {
    return base[dim] == 0 || llvm::count(base, 0) == int64_t(base.size()) - 1;
  });
  return !isOne && areAlone && bytesOfResult() >= 4 && !digitsAlong(src.layout, dim).empty() &&
         laneOfResults() != e.laneId;
}

/// Where each wave leaves its results: a value a lane, or, where all lanes have the same, one.
WavePlaces ReduceEmitter::placesOf(int64_t bytes, int64_t shares) {
  int64_t lanes = e.target.waveLanes;
  WavePlaces places;
  if (isUniformWithout(src.layout, dim) && e.target.predicatesLanes) {
    places.perWave = bytes;
    places.perResult = e.numWaves * bytes;
  } else {
    places.together = resultsTogether(shares);
    places.perWave = numResults * lanes * bytes;
    places.perResult = lanes * places.together * bytes;
    places.lane = e.mulIndex(laneOfResults(), places.together * bytes);
  }
  int64_t size = numResults * e.numWaves * (places.lane ? lanes : 1) * bytes;
  places.isOwn = exchangeOf(reduce, e.target).isOwn && e.hasOwnPlace(reduce);
  places.base = e.placeOfExchange(reduce, size);
  return places;
}

/// Each lane writes the results that it has.
void ReduceEmitter::writeParts(const WavePlaces &places, Value own, Type stored) {
  int64_t bytes = bytesOfResult(), first = numResults;
  for (int64_t laneMask : dealt) {
    first /= 2; // of the lanes that have this bit, beside those that have it not
    int64_t offset =
        first < places.together ? first * bytes : first / places.together * places.perResult;
    own = e.addIndex(own, e.mulIndex(laneBit(laneMask), offset));
  }
  int64_t width = std::min<int64_t>(places.together, results.size());
  SmallVector<Value, 4> row;
  for (auto [r, value] : llvm::enumerate(results)) {
    bool isBool = value.getType().isInteger(1);
    row.push_back(isBool ? arith::ExtUIOp::create(b, loc, stored, value).getResult() : value);
    if (int64_t(row.size()) < width)
      continue;
    wave::SharedWriteOp::create(b, loc, e.pack(row), own, Value(),
                                places.base + int64_t(r) / places.together * places.perResult);
    row.clear();
  }
}

/// How many waves along the digits the n-th of the partners is from the first one.
static int64_t waveOf(ArrayRef<WaveDigit> digits, int64_t n) {
  int64_t offset = 0;
  for (const WaveDigit &d : digits) {
    offset += n % d.count * d.below;
    n /= d.count;
  }
  return offset;
}

void ReduceEmitter::foldShares(const WavePlaces &places, ArrayRef<WaveDigit> digits, Value start,
                               int64_t partners) {
  Value rank = e.index(0);
  int64_t below = 1;
  for (const WaveDigit &d : digits) {
    Value digit = e.remIndex(e.divIndex(e.waveId, d.below), d.count);
    rank = e.addIndex(rank, e.mulIndex(digit, below));
    below *= d.count;
  }
  int64_t rows = numResults / places.together, share = rows / partners;
  Value mine = e.addIndex(start, e.mulIndex(rank, share * places.perResult));
  Type row = e.vectorOf(places.together, results[0].getType());
  SmallVector<Value> sums(share * places.together);
  for (int64_t n = 0; n < share; ++n)
    for (int64_t p = 0; p < partners; ++p) {
      int64_t at = places.base + waveOf(digits, p) * places.perWave + n * places.perResult;
      Value read = wave::SharedReadOp::create(b, loc, row, mine, at);
      foldInto(MutableArrayRef(sums).slice(n * places.together, places.together),
               e.unpack(read, places.together));
    }
  wave::WaveFenceOp::create(b, loc); // lanes may have the same results
  for (int64_t n = 0; n < share; ++n)
    wave::SharedWriteOp::create(b, loc,
                                e.pack(ArrayRef(sums).slice(n * places.together, places.together)),
                                mine, Value(), places.base + n * places.perResult);
  wave::BarrierOp::create(b, loc);
  results.resize(numResults);
  for (int64_t r = 0; r < rows; ++r) {
    Value read = wave::SharedReadOp::create(b, loc, row, start, places.base + r * places.perResult);
    llvm::copy(e.unpack(read, places.together), results.begin() + r * places.together);
  }
}

void ReduceEmitter::foldWaves() {
  SmallVector<WaveDigit, 2> digits = digitsAlong(src.layout, dim);
  if (digits.empty())
    return;
  int64_t partners = 1;
  // The wave whose digits are all 0 among the partners.
  Value first = e.waveId;
  for (const WaveDigit &d : digits) {
    partners *= d.count;
    Value digit = e.remIndex(e.divIndex(e.waveId, d.below), d.count);
    first = arith::SubIOp::create(b, loc, first, e.mulIndex(digit, d.below));
  }
  bool isBool = results[0].getType().isInteger(1);
  Type stored = isBool ? Type(b.getI8Type()) : results[0].getType();
  int64_t bytes = bytesOfResult(), shares = sharesOf(digits);
  WavePlaces places = placesOf(bytes, shares);
  if (!places.isOwn)
    wave::BarrierOp::create(b, loc); // what was there is read
  auto placeOf = [&](Value wave) {
    Value at = e.mulIndex(wave, places.perWave);
    return places.lane ? e.addIndex(at, places.lane) : at;
  };
  writeParts(places, placeOf(e.waveId), stored);
  wave::BarrierOp::create(b, loc);
  Value start = placeOf(first);
  if (shares > 1 && places.lane)
    return foldShares(places, digits, start, partners);
  // Values that lie side by side are read together.
  bool areTogether = places.perWave == bytes && digits.size() == 1 && digits[0].below == 1 &&
                     isPowerOf2(partners) && !isBool;
  int64_t width = areTogether ? std::min(partners, e.target.accessBytes / bytes) : 1;
  results.resize(numResults);
  for (int64_t r = 0; r < numResults; r += places.together) {
    SmallVector<Value, 4> sums(places.together);
    for (int64_t p = 0; p < partners; p += width) {
      int64_t offset = waveOf(digits, p);
      int64_t count = width * places.together; // of several waves or several results
      Value read = wave::SharedReadOp::create(b, loc, e.vectorOf(count, stored), start,
                                              places.base + offset * places.perWave +
                                                  r / places.together * places.perResult);
      SmallVector<Value, 8> parts = e.unpack(read, count);
      if (isBool)
        for (Value &part : parts) {
          Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(stored));
          part = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, part, zero);
        }
      for (ArrayRef<Value> rest = parts; !rest.empty(); rest = rest.drop_front(places.together))
        foldInto(sums, rest.take_front(places.together));
    }
    llvm::copy(sums, results.begin() + r);
  }
}

Value ReduceEmitter::finished(Value part, Value before) {
  Type from = elementOf(src), to = elementOf(dst);
  bool isSum = kind == tile::ReduceKind::Sum || kind == tile::ReduceKind::AbsSum;
  if (before && isSum && isFloat(src.dtype) && !isFloat(dst.dtype)) {
    // Fractions count until the whole is converted; f64 holds the integers.
    Type wide = tile::elementTypeOf(DType::F64, b.getContext());
    Value sum =
        fold(convertScalar(b, loc, before, to, wide), convertScalar(b, loc, part, from, wide));
    return convertScalar(b, loc, sum, wide, to);
  }
  part = convertScalar(b, loc, part, from, to);
  return before ? fold(before, part, isUnsigned(dst.dtype)) : part;
}

void ReduceEmitter::store() {
  int64_t group = dst.layout.atomRegs();
  llvm::DenseMap<int64_t, SmallVector<Value, 8>> slots;
  for (int64_t rep = 0; rep < dst.layout.numReps(); ++rep) {
    SmallVector<Value, 8> before;
    if (!reduce.getClear())
      before = e.registersOf(dst, rep);
    for (int64_t i = 0; i < group; ++i) {
      int64_t reg = rep * group + i;
      SmallVector<Value, 8> &slot = slots[dst.slotOf(reg)];
      slot.resize(dst.slotRegs);
      slot[dst.placeInSlot(reg)] = finished(results[reg], before.empty() ? Value() : before[i]);
    }
    for (int64_t slot = rep * group / dst.slotRegs; slot < (rep + 1) * group / dst.slotRegs; ++slot)
      wave::SetOp::create(b, loc, e.fromScalar(e.pack(slots[slot]), dst.dtype), dst.regs, slot);
  }
}

void ReduceEmitter::run() {
  tile::ReduceStep step = reduce.getStep();
  if (step == tile::ReduceStep::Combine)
    loadParts();
  else
    foldRegisters();
  numResults = results.size();
  for (Value &value : results)
    if (!value) // a register that is padding of the result
      value = identity(tile::scalarTypeOf(tile::elementTypeOf(src.dtype, b.getContext())));
  if (step != tile::ReduceStep::Parts) {
    foldLanes();
    foldWaves();
  }
  store();
}

LogicalResult emitReduce(Emitter &e, tile::ReduceOp reduce, Elements &elements) {
  auto src = e.fragments.find(reduce.getSrc()), dst = e.fragments.find(reduce.getDst());
  if (src == e.fragments.end() || dst == e.fragments.end())
    return e.unsupported(*reduce, "a reduction of anything but whole e.fragments");
  ReduceEmitter(e, reduce, src->second, dst->second).run();
  return success();
}

} // namespace tilec

//===- LoopLayout.cpp - which lane runs which iteration of a parallel -----===//
//
// Takes a tile.parallel and the layouts of what it touches, gives the one that its iterations get.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/Layout/SameLayout.h"

#include <numeric>
#include <set>

using namespace mlir;

namespace tilec {

const FragmentLayout *fragmentLayoutOf(Value root) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  if (!alloc || !alloc.getLayout())
    return nullptr;
  auto attr = dyn_cast<tile::FragmentLayoutAttr>(*alloc.getLayout());
  return attr ? &attr.getLayout() : nullptr;
}

const SharedLayout *sharedLayoutOf(Value root) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  if (!alloc || !alloc.getLayout())
    return nullptr;
  auto attr = dyn_cast<tile::SharedLayoutAttr>(*alloc.getLayout());
  return attr ? &attr.getLayout() : nullptr;
}

SmallVector<int, 4> directIndices(ValueRange indices, tile::ElementLoop loop) {
  SmallVector<int, 4> result;
  for (Value index : indices) {
    LinearForm form = linearize(index);
    int found = -1;
    if (form.constant == 0 && form.terms.size() == 1 && form.terms[0].second == 1)
      for (auto [n, iv] : llvm::enumerate(loop.ivs()))
        if (form.terms[0].first == iv)
          found = n;
    result.push_back(found);
  }
  return result;
}

namespace {

using Digits = SmallVector<int, 4>;

/// For each dimension of a buffer the loop variables whose number, row-major, is the index; none
/// where it is anything else.
SmallVector<Digits, 4> digitsOf(ValueRange indices, ArrayRef<int64_t> shape,
                                tile::ElementLoop loop) {
  auto extents = loop.constantExtents();
  SmallVector<Digits, 4> result;
  for (auto [index, size] : llvm::zip_equal(indices, shape)) {
    Digits &digits = result.emplace_back();
    LinearForm form = linearize(index);
    if (form.constant != 0)
      continue;
    SmallVector<std::pair<int64_t, int>, 4> weights;
    for (auto [term, factor] : form.terms)
      if (auto at = llvm::find(loop.ivs(), term); at != loop.ivs().end())
        weights.push_back({factor, int(at - loop.ivs().begin())});
    if (weights.size() != form.terms.size())
      continue;
    llvm::sort(weights); // the fastest first
    int64_t weight = 1;
    bool isNumber = !weights.empty();
    for (auto [factor, iv] : weights) {
      isNumber &= factor == weight && (weights.size() == 1 || extents);
      weight *= extents ? (*extents)[iv] : 1;
      digits.insert(digits.begin(), iv);
    }
    if (!isNumber || (digits.size() > 1 && weight != size))
      digits.clear();
  }
  return result;
}

/// The layout of the fragment seen with a dimension for each digit; nothing where it cannot be cut
/// so.
std::optional<FragmentLayout> withDigits(FragmentLayout layout, ArrayRef<Digits> digits,
                                         ArrayRef<int64_t> extents) {
  for (int d = int(digits.size()) - 1; d >= 0; --d)
    for (size_t n = digits[d].size(); n > 1; --n) {
      std::optional<FragmentLayout> split = layout.withSplitDim(d, extents[digits[d][n - 1]]);
      if (!split)
        return std::nullopt;
      layout = *split;
    }
  return layout;
}

/// `layout` with its dimensions reordered: dimension d of the result is dimension order[d].
FragmentLayout permuted(const FragmentLayout &layout, ArrayRef<int> order) {
  unsigned rank = layout.rank();
  SmallVector<int, 4> where(rank); // old dimension -> new
  Coords shape(rank);
  for (unsigned d = 0; d < rank; ++d) {
    where[order[d]] = d;
    shape[d] = layout.shape()[order[d]];
  }
  SmallVector<LayoutInput, 3> inputs(layout.atom().inputs());
  for (LayoutInput &in : inputs)
    for (Coords &base : in.bases) {
      Coords moved(rank);
      for (unsigned d = 0; d < rank; ++d)
        moved[where[d]] = base[d];
      base = moved;
    }
  auto moved = [&](ArrayRef<Factor> factors) {
    SmallVector<Factor, 4> result(factors);
    for (Factor &f : result)
      if (f.dim >= 0)
        f.dim = where[f.dim];
    return result;
  };
  return FragmentLayout(shape, LinearLayout(rank, inputs), moved(layout.reps()),
                        moved(layout.waves()));
}

bool isPermutation(ArrayRef<int> indices, size_t rank) {
  SmallVector<bool, 4> seen(rank, false);
  for (int index : indices) {
    if (index < 0 || seen[index])
      return false;
    seen[index] = true;
  }
  return indices.size() == rank;
}

struct FragmentAccess {
  Operation *op;
  Value root;
  ValueRange indices;
  bool isStore;
  size_t order;
};

SmallVector<FragmentAccess> fragmentAccesses(tile::ElementLoop loop) {
  SmallVector<FragmentAccess> result;
  loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer().getType().isFragment())
      result.push_back({op, load.getBuffer(), load.getIndices(), false, result.size()});
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getBuffer().getType().isFragment())
      result.push_back({op, store.getBuffer(), store.getIndices(), true, result.size()});
  });
  return result;
}

struct Decision {
  FragmentLayout layout;
  Operation *access;
};

/// The layout that an access of a fragment gives the loop.
std::optional<Decision> decide(tile::ElementLoop loop) {
  auto extents = loop.constantExtents();
  if (!extents)
    return std::nullopt;
  SmallVector<FragmentAccess> accesses = fragmentAccesses(loop);
  // What is stored decides before what is read: a load can be staged more cheaply.
  llvm::sort(accesses, [](auto &a, auto &b) {
    return std::make_pair(!a.isStore, a.order) < std::make_pair(!b.isStore, b.order);
  });
  for (const FragmentAccess &access : accesses) {
    const FragmentLayout *layout = fragmentLayoutOf(access.root);
    if (!layout)
      continue;
    SmallVector<Digits, 4> digits = digitsOf(access.indices, layout->shape(), loop);
    std::optional<FragmentLayout> split = withDigits(*layout, digits, *extents);
    if (!split)
      continue;
    SmallVector<int, 4> direct;
    for (const Digits &each : digits)
      direct.append(each.empty() ? Digits{-1} : each);
    // Dimensions of size 1 do not matter; the rest must be all loop variables.
    FragmentLayout reduced = *split;
    for (int d = int(direct.size()) - 1; d >= 0; --d)
      if (direct[d] < 0 && reduced.shape()[d] == 1) {
        reduced = reduced.withoutDim(d);
        direct.erase(direct.begin() + d);
      }
    // A loop variable that is always 0 need not be an index.
    for (auto [iv, extent] : llvm::enumerate(*extents))
      if (extent == 1 && !llvm::is_contained(direct, int(iv))) {
        reduced = reduced.withUnitDim(0);
        direct.insert(direct.begin(), int(iv));
      }
    if (!isPermutation(direct, extents->size()))
      continue;
    SmallVector<int, 4> order(direct.size());
    for (auto [d, iv] : llvm::enumerate(direct))
      order[iv] = d;
    FragmentLayout candidate = permuted(reduced, order);
    if (ArrayRef(candidate.shape()) == ArrayRef(*extents))
      return Decision{candidate, access.op};
  }
  return std::nullopt;
}

} // namespace

std::optional<FragmentLayout> layoutFromFragments(tile::ElementLoop loop) {
  if (auto kept = loop.getLayoutAttr())
    return kept.getLayout();
  std::optional<Decision> decision = decide(loop);
  return decision ? std::optional(decision->layout) : std::nullopt;
}

Operation *layoutDecider(tile::ElementLoop loop) {
  std::optional<Decision> decision = loop.getLayoutAttr() ? std::nullopt : decide(loop);
  return decision ? decision->access : nullptr;
}

/// As many neighbours a lane as 16 bytes hold of elements of `widest` bits, but enough iterations
/// for all lanes; not fewer than `fewest`.
static FragmentLayout spread(ArrayRef<int64_t> extents, unsigned widest, int64_t fewest,
                             const TargetInfo &target, int64_t numWaves) {
  int64_t total = 1;
  for (int64_t extent : extents)
    total *= extent;
  int64_t lanes = target.waveLanes * numWaves;
  int64_t vec = std::max<int64_t>(1, 8 * target.accessBytes / widest);
  while (vec > 1 && (extents.back() % vec != 0 || (vec > fewest && total < vec * lanes)))
    vec /= 2;
  return blockedLayout(extents, target.waveLanes, numWaves, vec);
}

constexpr unsigned narrowest = 8;        ///< bits of elements, where none is in memory
constexpr int64_t widestNeighbours = 16; ///< elements of an access
constexpr int64_t wordBytes = 4;         ///< of a register

FragmentLayout defaultFillLayout(ArrayRef<int64_t> shape, const TargetInfo &target,
                                 int64_t numWaves) {
  return spread(shape, narrowest, 1, target, numWaves);
}

/// Whether neighbours of the loop's last variable are no neighbours in memory, but rearranged (a
/// layout of a tensor): how many of them a lane has is left to the loop's other accesses.
static bool isRearranged(tile::LoadOp load, tile::ElementLoop loop) {
  return load.getBuffer().getType().isGlobal() && !load.getIndices().empty() &&
         llvm::any_of(linearize(load.getIndices().back()).terms, [&](auto &term) {
           Operation *op = term.first.getDefiningOp();
           return op && op->getBlock() == loop.bodyBlock() &&
                  isa<arith::DivUIOp, arith::RemUIOp>(op);
         });
}

/// An index at a point of the loop, up to what is the same for all of its points; nothing where it
/// depends on what is read.
static std::optional<int64_t> evaluated(Value index, tile::ElementLoop loop,
                                        ArrayRef<int64_t> point) {
  if (std::optional<int64_t> constant = tile::constantInt(index))
    return constant;
  for (auto [iv, at] : llvm::zip(loop.ivs(), point))
    if (index == iv)
      return at;
  Operation *op = index.getDefiningOp();
  if (!op || op->getBlock() != loop.bodyBlock())
    return 0;
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> x = evaluated(op->getOperand(0), loop, point),
                         y = evaluated(op->getOperand(1), loop, point);
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *x + *y;
  if (isa<arith::MulIOp>(op))
    return *x * *y;
  if (*x < 0 || *y <= 0)
    return std::nullopt;
  return isa<arith::DivUIOp>(op)   ? std::optional(*x / *y)
         : isa<arith::RemUIOp>(op) ? std::optional(*x % *y)
                                   : std::nullopt;
}

/// Lines of the cache that a wave touches with one repetition of the layout, in tensors of known
/// shapes.
static int64_t linesTouched(tile::ElementLoop loop, const FragmentLayout &layout, int64_t line) {
  int64_t sum = 0;
  loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    auto type = access ? cast<tile::BufferType>(access->buffer.getType()) : tile::BufferType();
    if (!type || !type.isGlobal() || !type.hasStaticShape())
      return;
    std::set<int64_t> lines;
    for (int64_t lane = 0; lane < layout.lanes(); ++lane)
      for (int64_t reg = 0; reg < layout.atomRegs(); ++reg) {
        Coords point = layout.coords(reg, lane, 0);
        if (!layout.isInside(point))
          continue;
        int64_t element = 0;
        for (auto [index, size] : llvm::zip(access->indices, type.getShape())) {
          std::optional<int64_t> at = evaluated(index, loop, point);
          if (!at)
            return;
          element = element * size + *at;
        }
        lines.insert(element * bitsOf(tile::dtypeOf(type.getElementType())) / (8 * line));
      }
    sum += int64_t(lines.size());
  });
  return sum;
}

/// Lanes on rows of their own, where that is what the memory's order asks for.
static FragmentLayout alongMemory(tile::ElementLoop loop, FragmentLayout layout,
                                  const TargetInfo &target, int64_t numWaves) {
  constexpr int64_t mostRows = 16;
  int64_t vec = layout.atomRegs(), fewest = linesTouched(loop, layout, target.cacheLine);
  for (int64_t rows = 2; rows <= mostRows; rows *= 2) {
    FragmentLayout other = blockedLayout(layout.shape(), target.waveLanes, numWaves, vec, rows);
    if (int64_t lines = linesTouched(loop, other, target.cacheLine); lines < fewest) {
      fewest = lines;
      layout = other;
    }
  }
  return layout;
}

/// Whether neighbours of the loop's last variable are at places of their own: an element that all
/// of a row share says nothing of how many a lane takes.
static bool movesAlongRow(ValueRange indices, tile::ElementLoop loop) {
  Value last = loop.ivs().back();
  llvm::SmallPtrSet<Value, 16> seen;
  SmallVector<Value> open(indices);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (value == last || (op && op->getNumRegions() > 0))
      return true;
    if (op && loop->isProperAncestor(op) && seen.insert(value).second)
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// How many neighbours along the loop's last variable one access of a tensor may take by where they
/// lie, a power of two; nothing where it takes none of them.
static std::optional<int64_t> neighboursOf(const ElementAccess &access, tile::ElementLoop loop) {
  auto tensor = access.buffer.getDefiningOp<tile::TensorOp>();
  if (!tensor || access.indices.empty())
    return std::nullopt;
  Value last = loop.ivs().back();
  LinearForm place = linearize(access.indices.back());
  if (place.coefficient(last) != 1)
    return std::nullopt;
  int64_t most = std::gcd<int64_t>(widestNeighbours, place.constant);
  for (auto [term, factor] : place.without(last).terms)
    most = std::gcd(most, factor * divisorOf(term));
  return access.indices.size() == 1 ? most : std::gcd(most, divisorOfRows(tensor));
}

/// Elements of a tensor from one neighbour along the loop's last variable to the next; nothing
/// where its index or the tensor's shape does not say.
static std::optional<int64_t> strideOf(const ElementAccess &access, tile::ElementLoop loop) {
  ArrayRef<int64_t> shape = access.type().getShape();
  auto tensor = access.buffer.getDefiningOp<tile::TensorOp>();
  if (!tensor || !tensor.getStrides().empty() || shape.size() != access.indices.size())
    return std::nullopt;
  int64_t stride = 0, size = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    LinearForm form = linearize(access.indices[dim]);
    int64_t own = form.coefficient(loop.ivs().back());
    if (own != 0 && size == 0)
      return std::nullopt; // behind an extent that only a launch knows
    stride += own * size;
    auto isOpaque = [&](auto &term) {
      return term.first != loop.ivs().back() && movesAlongRow(term.first, loop);
    };
    if (llvm::any_of(form.terms, isOpaque))
      return std::nullopt;
    size = ShapedType::isDynamic(shape[dim]) ? 0 : size * shape[dim];
  }
  return stride;
}

FragmentLayout defaultLoopLayout(tile::ElementLoop loop, const TargetInfo &target,
                                 int64_t numWaves) {
  unsigned widest = narrowest;
  int64_t fewest = 1; // elements a lane: both of a byte that holds two
  bool rearranges = false;
  std::optional<int64_t> bytesTogether; // of the widest access of a tensor
  loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    if (!access)
      return;
    tile::BufferType type = access->type();
    if (isa<tile::AtomicOp>(op) && !type.isGlobal())
      return;
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isRearranging = load && isRearranged(load, loop);
    rearranges |= isRearranging;
    if (isRearranging || !(type.isGlobal() || type.isShared()))
      return;
    unsigned bits = bitsOf(tile::dtypeOf(type.getElementType()));
    if (movesAlongRow(access->indices, loop))
      widest = std::max(widest, bits);
    // Pairs and quads that stores of the loop write side by side are one element of their size: of
    // more, a lane's parts of a line would be those of two accesses.
    if (std::optional<int64_t> stride =
            isa<tile::StoreOp>(op) ? strideOf(*access, loop) : std::nullopt;
        stride && *stride > 1 && *stride * bits <= 8 * target.accessBytes)
      widest = std::max<unsigned>(widest, *stride * bits);
    if (type.isGlobal() && bits == 4)
      fewest = 2;
    if (std::optional<int64_t> neighbours = neighboursOf(*access, loop))
      bytesTogether = std::max(bytesTogether.value_or(wordBytes), *neighbours * bits / 8);
  });
  // Where no access can be wider, further neighbours of a lane only take other lanes' places in a
  // line of the cache: a wave's accesses would touch each line several times.
  if (bytesTogether && !target.unalignedAccess)
    widest = std::max<int64_t>(widest, target.accessBytes * widest / *bytesTogether);
  FragmentLayout layout = spread(*loop.constantExtents(), widest, fewest, target, numWaves);
  return rearranges ? alongMemory(loop, layout, target, numWaves) : layout;
}

/// The layout of a fragment of which each dimension is a loop variable, or of size 1 (-1).
static std::optional<FragmentLayout> selected(const FragmentLayout &loop, ArrayRef<int> direct,
                                              ArrayRef<int64_t> shape) {
  SmallVector<int, 4> used; // loop variables in the order of the fragment's dimensions
  SmallVector<int64_t, 4> unitDims;
  for (auto [d, iv] : llvm::enumerate(direct)) {
    if (iv < 0) {
      if (shape[d] != 1)
        return std::nullopt;
      unitDims.push_back(d);
      continue;
    }
    if (llvm::is_contained(used, iv) || shape[d] != loop.shape()[iv])
      return std::nullopt;
    used.push_back(iv);
  }
  FragmentLayout layout = loop;
  SmallVector<int, 4> left;
  for (int d = int(loop.rank()) - 1; d >= 0; --d) {
    if (llvm::is_contained(used, d))
      left.insert(left.begin(), d);
    else
      layout = layout.withoutDim(d);
  }
  SmallVector<int, 4> order;
  for (int iv : used)
    order.push_back(llvm::find(left, iv) - left.begin());
  layout = permuted(layout, order);
  for (int64_t d : unitDims)
    layout = layout.withUnitDim(d);
  return layout;
}

/// The same with a dimension for each digit.
static std::optional<FragmentLayout>
selectedDigits(const FragmentLayout &loop, ArrayRef<Digits> digits, ArrayRef<int64_t> shape) {
  SmallVector<int, 4> direct;
  SmallVector<int64_t, 4> sizes;
  for (auto [each, size] : llvm::zip_equal(digits, shape)) {
    direct.append(each.empty() ? Digits{-1} : each);
    if (each.size() < 2)
      sizes.push_back(size);
    else
      for (int iv : each)
        sizes.push_back(loop.shape()[iv]);
  }
  return selected(loop, direct, sizes);
}

std::optional<FragmentLayout> fragmentFromLoop(const FragmentLayout &loop, ValueRange indices,
                                               ArrayRef<int64_t> shape, tile::ElementLoop op) {
  SmallVector<Digits, 4> digits = digitsOf(indices, shape, op);
  std::optional<FragmentLayout> layout = selectedDigits(loop, digits, shape);
  unsigned d = 0;
  for (const Digits &each : digits) {
    for (size_t n = 1; layout && n < each.size(); ++n)
      layout = layout->withMergedDims(d);
    ++d;
  }
  return layout;
}

std::optional<SmallVector<int64_t>> matchRegisters(const FragmentLayout &loop,
                                                   const FragmentLayout &fragment,
                                                   ValueRange indices, tile::ElementLoop op,
                                                   ArrayRef<std::pair<Value, int64_t>> known) {
  if (loop.lanes() != fragment.lanes() || loop.numWaves() != fragment.numWaves())
    return std::nullopt;
  // Each index as constant + sum over loop variables, or their quotients by constants; anything
  // else cannot be matched.
  struct Index {
    int64_t constant;
    SmallVector<int64_t, 4> factors, divisors;
  };
  SmallVector<Index, 4> forms;
  for (Value index : indices) {
    LinearForm form = linearize(index);
    Index own{form.constant, SmallVector<int64_t, 4>(op.ivs().size(), 0),
              SmallVector<int64_t, 4>(op.ivs().size(), 1)};
    for (auto [term, factor] : form.terms) {
      auto number = llvm::find_if(known, [&](auto &pair) { return pair.first == term; });
      if (number != known.end()) {
        own.constant += number->second * factor;
        continue;
      }
      auto quotient = term.getDefiningOp<arith::DivUIOp>();
      std::optional<int64_t> divisor =
          quotient ? tile::constantInt(quotient.getRhs()) : std::nullopt;
      auto iv = dyn_cast<BlockArgument>(divisor ? quotient.getLhs() : term);
      if (!iv || iv.getOwner() != op.bodyBlock() || own.factors[iv.getArgNumber()] != 0)
        return std::nullopt;
      own.factors[iv.getArgNumber()] = factor;
      own.divisors[iv.getArgNumber()] = divisor.value_or(1);
    }
    forms.push_back(own);
  }
  SmallVector<int64_t> registers(loop.numRegs(), -1);
  // Equal layouts match everywhere when they match in one lane; the search below takes long.
  SmallVector<Digits, 4> digits = digitsOf(indices, fragment.shape(), op);
  std::optional<FragmentLayout> same = selectedDigits(loop, digits, fragment.shape());
  std::optional<FragmentLayout> split = withDigits(fragment, digits, loop.shape());
  bool isSame = same && split && holdsLike(*same, *split);
  for (int64_t wave = 0; wave < (isSame ? 1 : loop.numWaves()); ++wave)
    for (int64_t lane = 0; lane < (isSame ? 1 : loop.lanes()); ++lane) {
      for (int64_t reg = 0; reg < loop.numRegs(); ++reg) {
        Coords at = loop.coords(reg, lane, wave);
        if (!isSame && !loop.isInside(at))
          continue;
        Coords element;
        for (const Index &form : forms) {
          int64_t value = form.constant;
          for (auto [coordinate, factor, divisor] : llvm::zip(at, form.factors, form.divisors))
            value += coordinate / divisor * factor;
          element.push_back(value);
        }
        std::optional<int64_t> holder = fragment.regHolding(element, lane, wave);
        if (!holder || (registers[reg] >= 0 && registers[reg] != *holder))
          return std::nullopt;
        registers[reg] = *holder;
      }
    }
  return registers;
}

SmallVector<Value> fragmentsElsewhere(tile::ElementLoop loop, const FragmentLayout &layout) {
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

} // namespace tilec

//===- ElementBuilder.h - values, one an element --------------------------===//
//
// Values of the tile program have two kinds of images: outside parallels one value per
// wave, inside one value per element of the register group that is being computed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/LoopLayout.h"
#include "ToWave/MemoryBuilder.h"

#include "tilec/Analysis/Index.h"

#include "mlir/IR/IRMapping.h"

namespace tilec {

struct FragmentPlace {
  Value regs; ///< slots of `slotRegs` registers each
  FragmentLayout layout;
  DType dtype;
  int64_t slotRegs;   ///< those of the layout's atom, or of a product's whose rows stand together
  int64_t stride = 1; ///< a slot's registers are so many apart in the layout

  int64_t slots() const { return layout.numRegs() / slotRegs; }
  int64_t slotOf(int64_t reg) const { return reg / (slotRegs * stride) * stride + reg % stride; }
  int64_t placeInSlot(int64_t reg) const { return reg / stride % slotRegs; }
};

struct LocalPlace {
  Value regs; ///< one slot per element
  DType dtype;
};

/// The register group that a parallel's body is being computed for. Outside of parallels there is
/// one element and no loop.
struct Elements {
  tile::ElementLoop loop;
  const FragmentLayout *layout = nullptr;
  int64_t count = 1;
  int64_t rep = 0;          ///< repetition of the atom
  int64_t groupCount = 0;   ///< size of the group that these elements were taken from; 0: whole
  int64_t firstElement = 0; ///< the place of the first in that group
  SmallVector<LaneCoord, 4> coords; ///< of element 0, per loop variable
  SmallVector<Coords, 8> deltas;    ///< coordinates of element e minus element 0's
  SmallVector<Value, 8> masks;      ///< inside the tile: empty (all are), one for all, or one each
  Value primary;                    ///< null: no lane holds a copy of another's
  const Elements *outer = nullptr;  ///< where values of enclosing code are found
  llvm::DenseMap<Value, SmallVector<Value, 4>> map; ///< one value (same for all) or `count`
  llvm::DenseMap<Value, SmallVector<LocalPlace, 4>> locals;

  /// Whether this is one element taken from a group.
  bool isSingle() const { return groupCount != 0 && count == 1; }
  /// The loop's register of an element.
  int64_t registerOf(int64_t element) const {
    return rep * (groupCount ? groupCount : count) + firstElement + element;
  }
  Value maskOf(int64_t element) const {
    return masks.empty() ? Value() : masks.size() == 1 ? masks[0] : masks[element];
  }
};

/// Places in memory of a group's elements, those together that one access moves, in the order of
/// memory; each with the elements that lie there (`q[j // 2]` has two of one place).
using ElementRuns = SmallVector<SmallVector<SmallVector<int64_t, 2>, 8>, 4>;

/// Images of values and of fragments' registers.
class ElementBuilder : public MemoryBuilder {
public:
  using MemoryBuilder::MemoryBuilder;

  /// The image of a value for one element.
  Value lookup(Value value, int64_t element, const Elements &elements);
  /// The same of an index.
  Value indexFor(Value index, int64_t element, Elements &elements);
  /// Null where the sum is zero.
  Value indexFor(const IndexSum &sum, int64_t element, Elements &elements);
  bool isSameForAll(Value value, const Elements &elements);
  /// Whether the value is the same for so many elements from `first` on, because nothing that it is
  /// computed from differs between them.
  static bool agrees(Value value, const Elements &elements, int64_t first, int64_t count);
  /// The context of some elements of a group.
  static Elements elementsOf(Elements &elements, int64_t first, int64_t count);
  /// Elements that one access of this op may move at once, and whether it begins at a multiple of
  /// so many in memory.
  /// `passesEnd`: a group may have elements on both sides of its row's end.
  struct AccessWidth {
    int64_t elems = 1;
    bool isAligned = true, passesEnd = false;
  };
  AccessWidth widthOf(Operation *access, ValueRange indices, Value root, Elements &elements);
  /// The same of accesses that have to be aligned.
  int64_t accessWidth(ValueRange indices, Value root, Elements &elements);
  /// The same where neighbours in memory are other elements than neighbours of the group
  /// (Runs.cpp); none where that is not known.
  ElementRuns runsOf(ValueRange indices, const TensorPlace &place, DType dtype, Elements &elements);
  /// The byte address in shared memory of an element of such indices is the result plus `imm`:
  /// elements of a lane share what the swizzle makes of its place.
  Value sharedOffsetOf(const SharedPlace &place, ValueRange indices, int64_t element,
                       Elements &elements, int64_t &imm);

  /// A slot's registers in the type of memory.
  Value getSlot(const FragmentPlace &place, int64_t slot);
  /// The values of one repetition of the layout's atom, as scalars.
  SmallVector<Value, 8> registersOf(const FragmentPlace &place, int64_t rep);
  /// The same of all repetitions; the other way round.
  void setRegisters(const FragmentPlace &place, ArrayRef<Value> scalars);
  /// The fragment's register of each of the loop's, for an access to it; null where lanes would
  /// need what others hold.
  const SmallVector<int64_t> *registersOf(Operation *access, ValueRange indices, Value root,
                                          Elements &elements);

  llvm::DenseMap<Value, FragmentPlace> fragments;
  mlir::IRMapping programValues;         ///< tile.program values -> values in the wave kernel
  llvm::DenseMap<Value, Value> wideDims; ///< dims that are int64 parameters -> these

protected:
  /// Arithmetic on parameters, in 64 bits from the parameters on.
  Value wideProgramValue(Value value);

private:
  int64_t divisorOfPlace(const LinearForm &last, Elements &elements);
  int64_t groupWidth(ValueRange indices, Value root, Elements &elements, bool isAligned);
  /// What is known of a column, also by what branches ask that `access` is in.
  KnownEnds endsOfColumn(Operation *access, Value column, const TensorPlace &place);
  static int64_t alignedWidth(int64_t width, const TensorPlace &place, bool isInside);

  Value cloneProgramValue(Value value);
  int64_t divisorOfFirst(Value index, Elements &elements);
  std::optional<int64_t> movedBy(Value index, int64_t element, Elements &elements);

  llvm::DenseMap<Operation *, SmallVector<int64_t>> registerCache;
};

} // namespace tilec

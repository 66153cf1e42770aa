//===- Machine.cpp - state, failure, views --------------------------------===//
//
// Keeps buffers, reductions and the first failure of a run, and executes a list of instructions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include "BlockOrder.h"
#include "Compile.h"
#include "Pipes.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilec::reference {

std::string placeOf(Location loc) {
  std::string text;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream(text)
        << file.getFilename().strref() << ':' << file.getLine() << ':' << file.getColumn() << ": ";
    return WalkResult::interrupt();
  });
  return text;
}

Machine::Machine(const Unit &unit, const ReferenceArgs &args, const ReferenceOptions &options)
    : unit(unit), args(args), options(options), buffers(unit.buffers.size()),
      storage(unit.buffers.size()), reductions(unit.reductions.size()),
      parallelData(new uint8_t[unit.parallelBytes]()), pipes(std::make_unique<PipeSet>()) {}

Machine::~Machine() = default;

void Machine::fail(Operation *op, const llvm::Twine &message) {
  if (failed)
    return;
  failed = true;
  llvm::raw_string_ostream os(error);
  if (op)
    os << placeOf(op->getLoc()) << op->getName() << ": ";
  os << message;
  if (insideKernel)
    os << " in block (" << block[0] << ", " << block[1] << ", " << block[2] << ')';
}

bool Machine::takeWork(int64_t elems, int64_t products, Operation *op) {
  if (elems > maxDenseElems) {
    fail(op, "works on " + Twine(elems) + " elements; the cpu device takes at most " +
                 Twine(maxDenseElems) + " at a time");
    return false;
  }
  steps += elems + products;
  if (steps > options.maxSteps) {
    fail(op, "gives up after " + Twine(options.maxSteps) + " steps");
    return false;
  }
  return true;
}

void runCode(Frame &frame, const Code &code) {
  Machine &machine = frame.machine;
  machine.steps += int64_t(code.instrs.size() + 1) * frame.lanes;
  if (machine.steps > machine.options.maxSteps)
    return machine.fail(code.instrs.empty() ? nullptr : code.instrs.front().op,
                        "gives up after " + llvm::Twine(machine.options.maxSteps) + " steps");
  for (const Instr &instr : code.instrs) {
    instr.run(frame, instr);
    if (machine.failed || frame.noneActive)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

int64_t View::numElems() const {
  int64_t count = 1;
  bool isHuge = false;
  for (int64_t extent : shape) {
    if (extent == 0)
      return 0;
    isHuge |= __builtin_mul_overflow(count, extent, &count);
  }
  return isHuge ? std::numeric_limits<int64_t>::max() : count;
}

static bool isWhole(const View &view) {
  if (view.empty || !view.table.empty())
    return false;
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (view.lo[d] > 0 || view.hi[d] < view.shape[d])
      return false;
  return true;
}

static bool isContiguous(const View &view) {
  int64_t stride = 1;
  for (size_t d = view.shape.size(); d-- > 0;) {
    if (view.shape[d] != 1 && view.strides[d] != stride)
      return false;
    stride *= view.shape[d];
  }
  return isWhole(view);
}

/// The element offset of every position, -1 where there is none.
static std::vector<int64_t> tableOf(const View &view) {
  if (!view.table.empty())
    return view.table;
  std::vector<int64_t> table(view.numElems(), -1);
  forSpans(view, [&](int64_t at, int64_t first, int64_t stride, int64_t count, bool isValid) {
    for (int64_t i = 0; i < count && isValid; ++i)
      table[at + i] = first + i * stride;
  });
  return table;
}

static void takeBoxOfTable(View &view, const ViewLevel &level, ArrayRef<int64_t> offsets) {
  std::vector<int64_t> table;
  SmallVector<int64_t> kept, point(level.shape.size(), 0);
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (!level.dropped[d])
      kept.push_back(d);
  int64_t count = 1;
  for (int64_t extent : level.shape)
    count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> source(offsets);
    int64_t rest = i;
    for (size_t d = kept.size(); d-- > 0; rest /= level.shape[d])
      source[kept[d]] += rest % level.shape[d];
    int64_t linear = 0;
    bool isInside = true;
    for (size_t d = 0; d < source.size(); ++d) {
      isInside &= source[d] >= 0 && source[d] < view.shape[d];
      linear = linear * view.shape[d] + source[d];
    }
    table.push_back(isInside ? view.table[linear] : -1);
  }
  view.table = std::move(table);
  view.shape = level.shape;
}

static void takeBox(View &view, const ViewLevel &level, ArrayRef<int64_t> offsets) {
  View box;
  box.dtype = view.dtype;
  box.base = view.base;
  box.first = view.first;
  box.empty = view.empty;
  size_t next = 0;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    int64_t offset = offsets[d];
    if (level.dropped[d]) {
      box.empty |= offset < view.lo[d] || offset >= view.hi[d];
      if (!box.empty)
        box.first += offset * view.strides[d];
      continue;
    }
    int64_t extent = level.shape[next++];
    // An offset far outside leaves nothing; clamping it keeps the sums below from overflowing.
    if (offset >= view.hi[d] || offset <= view.lo[d] - extent) {
      box.empty = true;
      offset = 0;
    }
    box.first += offset * view.strides[d];
    box.shape.push_back(extent);
    box.strides.push_back(view.strides[d]);
    box.lo.push_back(std::max<int64_t>(0, view.lo[d] - offset));
    box.hi.push_back(std::min(extent, view.hi[d] - offset));
  }
  view = std::move(box);
}

/// A box of an image's matrix, element by element.
static void takePatches(View &view, const ViewLevel &level, ArrayRef<int64_t> offsets) {
  const Patches &of = *level.patches;
  int64_t rows = level.dropped[0] ? 1 : level.shape.front(),
          columns = level.dropped[1] ? 1 : level.shape.back();
  int64_t lastRow = view.shape[0] * of.outHeight * of.outWidth,
          lastColumn = of.kernel * of.kernel * of.channels;
  std::vector<int64_t> table;
  for (int64_t i = 0; i < rows * columns; ++i) {
    int64_t row = offsets[0] + i / columns, column = offsets[1] + i % columns;
    bool isInside = row >= 0 && row < lastRow && column >= 0 && column < lastColumn;
    int64_t tap = column / of.channels, place = row / of.outWidth;
    int64_t point[] = {
        place / of.outHeight,
        place % of.outHeight * of.stride + tap / of.kernel * of.dilation - of.pad,
        row % of.outWidth * of.stride + tap % of.kernel * of.dilation - of.pad,
        column % of.channels,
    };
    int64_t at = view.first, linear = 0;
    for (size_t d = 0; d < 4; ++d) {
      int64_t low = view.table.empty() ? view.lo[d] : 0,
              high = view.table.empty() ? view.hi[d] : view.shape[d];
      isInside &= !view.empty && point[d] >= low && point[d] < high;
      at += point[d] * view.strides[d];
      linear = linear * view.shape[d] + point[d];
    }
    table.push_back(!isInside ? -1 : view.table.empty() ? at : view.table[linear]);
  }
  view.table = std::move(table);
  view.shape = level.shape;
}

static void reshapeView(Frame &frame, View &view, const ViewLevel &level, Operation *op) {
  SmallVector<int64_t, 4> shape = level.shape;
  if (view.numElems() > (int64_t(1) << 48)) // beyond this, bits would not fit
    return frame.machine.fail(op, "reshapes " + Twine(view.numElems()) + " elements");
  int64_t bits = view.numElems() * bitsOf(view.dtype), known = bitsOf(level.dtype);
  for (int64_t extent : shape)
    known *= ShapedType::isDynamic(extent) ? 1 : extent;
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent)) {
      extent = known ? bits / known : 0;
      known *= extent;
    }
  if (known != bits)
    return frame.machine.fail(op, "reshapes " + Twine(bits) + " bits to " + Twine(known));
  if (isContiguous(view)) {
    int64_t firstBits = view.first * bitsOf(view.dtype);
    if (firstBits % bitsOf(level.dtype))
      return frame.machine.fail(op, "reshapes a part that does not begin at an element");
    view.first = firstBits / bitsOf(level.dtype);
    view.strides.assign(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;)
      view.strides[d - 1] = view.strides[d] * shape[d];
    view.lo.assign(shape.size(), 0);
    view.hi = shape;
  } else if (view.dtype == level.dtype) {
    if (!frame.machine.takeWork(view.numElems(), 0, op))
      return;
    view.table = tableOf(view);
    view.empty = false;
  } else {
    return frame.machine.fail(op, "changes the element type of a part that is not contiguous");
  }
  view.shape = shape;
  view.dtype = level.dtype;
}

View evalView(Frame &frame, const ViewChain &chain, int lane, Operation *op) {
  const BufferState &buffer = frame.machine.buffers[chain.buffer];
  View view;
  view.dtype = frame.machine.unit.buffers[chain.buffer].dtype;
  view.base = buffer.base;
  view.first = lane * buffer.laneStride;
  view.shape = view.hi = buffer.shape;
  view.strides = buffer.strides;
  view.lo.assign(view.shape.size(), 0);
  for (const ViewLevel &level : chain.levels) {
    if (level.isReshape) {
      reshapeView(frame, view, level, op);
      if (frame.machine.failed)
        return view;
      continue;
    }
    SmallVector<int64_t, 4> offsets;
    for (Slot slot : level.offsets)
      offsets.push_back(frame.at<int64_t>(slot)[lane]);
    if (level.patches) {
      View box;
      box.shape = level.shape;
      if (!frame.machine.takeWork(box.numElems(), 0, op))
        return view;
      offsets.resize(2, 0); // all of the matrix begins at its first element
      takePatches(view, level, offsets);
      continue;
    }
    ViewLevel sized = level;
    for (size_t d = 0, next = 0; d < view.shape.size(); ++d)
      if (!level.dropped[d]) {
        if (ShapedType::isDynamic(sized.shape[next]))
          sized.shape[next] = view.shape[d];
        ++next;
      }
    if (chain.traps)
      for (size_t d = 0, next = 0; d < offsets.size(); ++d) {
        int64_t extent = level.dropped[d] ? 1 : sized.shape[next++];
        if (offsets[d] < 0 || offsets[d] > view.shape[d] - extent) {
          frame.machine.fail(op, "takes elements " + Twine(offsets[d]) + " to " +
                                     Twine(offsets[d] + extent - 1) + " of dimension " + Twine(d) +
                                     ", which has " + Twine(view.shape[d]));
          return view;
        }
      }
    if (view.table.empty()) {
      takeBox(view, sized, offsets);
      continue;
    }
    View box;
    box.shape = sized.shape;
    int64_t count = box.numElems();
    if (!frame.machine.takeWork(count, 0, op))
      return view;
    takeBoxOfTable(view, sized, offsets);
  }
  return view;
}

void forSpans(const View &view,
              llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t, bool)> fn) {
  int64_t count = view.numElems();
  if (count == 0)
    return;
  if (!view.table.empty()) {
    for (int64_t i = 0; i < count; ++i)
      fn(i, view.table[i], 1, 1, view.table[i] >= 0);
    return;
  }
  if (view.empty)
    return fn(0, -1, 1, count, false);
  // Dimensions that continue each other are walked as one.
  SmallVector<int64_t, 4> shape, strides, lo, hi;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    bool whole = view.lo[d] <= 0 && view.hi[d] >= view.shape[d];
    if (whole && view.shape[d] == 1)
      continue;
    bool outerWhole = !shape.empty() && lo.back() <= 0 && hi.back() >= shape.back();
    if (whole && outerWhole && strides.back() == view.strides[d] * view.shape[d]) {
      shape.back() *= view.shape[d];
      hi.back() = shape.back();
      strides.back() = view.strides[d];
      continue;
    }
    shape.push_back(view.shape[d]);
    strides.push_back(view.strides[d]);
    lo.push_back(view.lo[d]);
    hi.push_back(view.hi[d]);
  }
  if (shape.empty())
    return fn(0, view.first, 1, 1, true);
  size_t inner = shape.size() - 1;
  int64_t length = shape[inner], first = std::min(lo[inner], length);
  int64_t last = std::max(first, std::min(hi[inner], length));
  SmallVector<int64_t, 4> point(inner, 0);
  for (int64_t at = 0; at < count; at += length) {
    int64_t base = view.first;
    bool isValid = true;
    for (size_t d = 0; d < inner; ++d) {
      base += point[d] * strides[d];
      isValid &= point[d] >= lo[d] && point[d] < hi[d];
    }
    if (!isValid) {
      fn(at, -1, 1, length, false);
    } else {
      if (first > 0)
        fn(at, -1, 1, first, false);
      if (last > first)
        fn(at + first, base + first * strides[inner], strides[inner], last - first, true);
      if (last < length)
        fn(at + last, -1, 1, length - last, false);
    }
    for (size_t d = inner; d > 0; --d) {
      ++point[d - 1];
      if (point[d - 1] != shape[d - 1])
        break;
      point[d - 1] = 0;
    }
  }
}

template <typename T> std::vector<T> readView(const View &view) {
  std::vector<T> values(view.numElems());
  const uint8_t zeros[8] = {};
  T outside;
  decodeSpan(view.dtype, zeros, 0, 1, 1, &outside);
  forSpans(view, [&](int64_t at, int64_t first, int64_t stride, int64_t count, bool isValid) {
    if (isValid)
      decodeSpan(view.dtype, view.base, first, stride, count, values.data() + at);
    else
      std::fill_n(values.data() + at, count, outside);
  });
  return values;
}

template <typename T> void writeView(const Machine &machine, const View &view, const T *values) {
  forSpans(view, [&](int64_t at, int64_t first, int64_t stride, int64_t count, bool isValid) {
    if (isValid)
      machine.encode(view.dtype, view.base, first, stride, count, values + at);
  });
}

#define INSTANTIATE(T)                                                                             \
  template std::vector<T> readView<T>(const View &);                                               \
  template void writeView<T>(const Machine &, const View &, const T *);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(int64_t)
#undef INSTANTIATE

} // namespace tilec::reference

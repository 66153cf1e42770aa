//===- TileOps.cpp - copy, fill, reduce, scan, print ----------------------===//
//
// Executes operations on whole tiles: what they mean, with the orders of summation that the
// agreement rule wants.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "BlockOrder.h"
#include "Combine.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilec::reference {
namespace {

/// Runs a tile op once, or for every lane when it works on a lane's own buffer. `last` ends it,
/// after all lanes.
void forLanes(
    Frame &frame, const Instr &instr, llvm::function_ref<void(ArrayRef<View>, int lane)> fn,
    llvm::function_ref<void()> last = [] {}) {
  std::vector<BlockWrites> writes;
  const auto &aux = *static_cast<const TileOpAux *>(instr.aux);
  for (int lane = frame.firstOn(); lane >= 0 && lane < frame.lanes; ++lane) {
    if (!frame.isOn(lane))
      continue;
    SmallVector<View, 3> views;
    for (const ViewChain &chain : aux.views) {
      views.push_back(evalView(frame, chain, lane, instr.op));
      if (frame.machine.failed || !frame.machine.takeWork(views.back().numElems(), 0, instr.op))
        return;
    }
    for (auto [i, view] : llvm::enumerate(views)) {
      if (int(i) == aux.written)
        writes.emplace_back(frame.machine, aux.views[i].buffer, instr.op).note(view);
      else
        noteReads(frame.machine, aux.views[i].buffer, view, instr.op);
    }
    if (frame.machine.failed)
      return;
    fn(views, lane);
    if (!aux.perLane)
      break;
  }
  last();
  for (BlockWrites &written : writes)
    written.finish();
}

/// The stored bits of every element; 0 outside.
std::vector<uint64_t> readBitsOf(const View &view) {
  std::vector<uint64_t> values(view.numElems(), 0);
  unsigned bits = bitsOf(view.dtype);
  forSpans(view, [&](int64_t at, int64_t first, int64_t stride, int64_t count, bool isValid) {
    for (int64_t i = 0; i < count && isValid; ++i)
      values[at + i] = readBits(view.base, bits, first + i * stride);
  });
  return values;
}

void writeBitsTo(const View &dst, const std::vector<uint64_t> &values) {
  unsigned bits = bitsOf(dst.dtype);
  forSpans(dst, [&](int64_t at, int64_t first, int64_t stride, int64_t count, bool isValid) {
    for (int64_t i = 0; i < count && isValid; ++i)
      writeBits(dst.base, bits, first + i * stride, values[at + i]);
  });
}

void copyBits(const View &src, const View &dst) {
  unsigned bits = bitsOf(src.dtype);
  if (bits == 4) {
    writeBitsTo(dst, readBitsOf(src));
    return;
  }
  int64_t bytes = bits / 8;
  std::vector<uint8_t> dense(src.numElems() * bytes, 0);
  forSpans(src, [&](int64_t at, int64_t first, int64_t stride, int64_t count, bool isValid) {
    if (!isValid)
      return;
    if (stride == 1) {
      std::memcpy(dense.data() + at * bytes, src.base + first * bytes, count * bytes);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(dense.data() + (at + i) * bytes, src.base + (first + i * stride) * bytes, bytes);
  });
  forSpans(dst, [&](int64_t at, int64_t first, int64_t stride, int64_t count, bool isValid) {
    if (!isValid)
      return;
    if (stride == 1) {
      std::memcpy(dst.base + first * bytes, dense.data() + at * bytes, count * bytes);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(dst.base + (first + i * stride) * bytes, dense.data() + (at + i) * bytes, bytes);
  });
}

/// The common widths, so that a tile is filled at the speed of memory.
template <typename T> void fillRun(uint8_t *base, int64_t first, int64_t count, uint64_t code) {
  T value = static_cast<T>(code);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(base + (first + i) * int64_t(sizeof(T)), &value, sizeof(T));
}

template <typename T> void copyAs(const Machine &machine, const View &src, const View &dst) {
  writeView(machine, dst, readView<T>(src).data());
}

/// outer x length x inner elements, `length` along the reduced dimension.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;

  Lines(const View &view, int64_t dim) {
    for (int64_t d = 0; d < int64_t(view.shape.size()); ++d)
      (d < dim ? outer : d == dim ? length : inner) *= view.shape[d];
  }
};

template <typename T> T absolute(T value) {
  if constexpr (std::is_same_v<T, int64_t>)
    return value < 0 ? int64_t(-uint64_t(value)) : value;
  else
    return std::fabs(value);
}

bool isSum(Combine combine) { return combine == Combine::Sum || combine == Combine::Prod; }

/// ReferenceOptions::spreadSums
template <typename T> bool spreads(const Machine &machine, const TileOpAux &aux, const View &dst) {
  return machine.options.spreadSums && !std::is_same_v<T, int64_t> && aux.combine == Combine::Sum &&
         dst.dtype != DType::F64;
}

template <typename T>
void reduce(Machine &machine, const TileOpAux &aux, const View &src, const View &dst) {
  Lines lines(src, aux.dim);
  std::vector<T> values = readView<T>(src);
  std::vector<T> result = aux.clear ? std::vector<T>(dst.numElems()) : readView<T>(dst);
  auto at = [&](int64_t o, int64_t k, int64_t i) {
    T value = values[(o * lines.length + k) * lines.inner + i];
    return aux.absolute ? absolute(value) : value;
  };
  bool isSpread = spreads<T>(machine, aux, dst);
  uint64_t number = isSpread ? machine.movedSums++ << 20 : 0;
  double by = 0;
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      T &total = result[o * lines.inner + i];
      int64_t k = 0;
      T running = aux.clear ? at(o, k++, i) : total;
      if (std::is_same_v<T, double> && aux.combine == Combine::Sum &&
          machine.sumsWide(src.dtype, dst.dtype)) {
        WideSum sum{double(running)};
        for (; k < lines.length; ++k)
          sum.add(double(at(o, k, i)));
        total = T(sum.value());
        continue;
      }
      if (isSpread) {
        SumTerms terms;
        terms.add(double(running));
        for (int64_t j = k; j < lines.length; ++j)
          terms.add(double(at(o, j, i)));
        by = terms.spread();
      }
      for (; k < lines.length; ++k)
        running = combine(aux.combine, running, at(o, k, i));
      total = isSpread ? spread(running, by, uint64_t(o * lines.inner + i) + number) : running;
    }
  if constexpr (!std::is_same_v<T, int64_t>)
    if (isSum(aux.combine))
      machine.moveSums(dst.dtype, result.data(), int64_t(result.size()));
  writeView(machine, dst, result.data());
}

template <typename T>
void scan(Machine &machine, const TileOpAux &aux, const View &src, const View &dst) {
  Lines lines(src, aux.dim);
  std::vector<T> values = readView<T>(src);
  bool isSpread = spreads<T>(machine, aux, dst);
  uint64_t number = isSpread ? machine.movedSums++ << 20 : 0;
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      T running = T(0);
      WideSum wide;
      SumTerms terms;
      bool isWide = std::is_same_v<T, double> && aux.combine == Combine::Sum &&
                    machine.sumsWide(src.dtype, dst.dtype);
      for (int64_t step = 0; step < lines.length; ++step) {
        int64_t k = aux.reverse ? lines.length - 1 - step : step;
        int64_t position = (o * lines.length + k) * lines.inner + i;
        T &value = values[position];
        T own = aux.absolute ? absolute(value) : value;
        if (isWide)
          wide.add(double(own));
        running = isWide ? T(wide.value()) : step == 0 ? own : combine(aux.combine, running, own);
        value = running;
        if (isSpread) {
          terms.add(double(own));
          value = spread(running, terms.spreadInScan(), uint64_t(position) + number);
        }
      }
    }
  if constexpr (!std::is_same_v<T, int64_t>)
    if (isSum(aux.combine))
      machine.moveSums(dst.dtype, values.data(), int64_t(values.size()));
  writeView(machine, dst, values.data());
}

/// Calls fn with a value of the type that a reduction of `src` into `dst` accumulates in.
template <typename Fn> void withAccumulator(const Machine &machine, DType src, DType dst, Fn fn) {
  if (!isFloat(src) && !isFloat(dst))
    fn(int64_t(0));
  else if (machine.isSequential() && src != DType::F64 && dst != DType::F64)
    fn(float(0));
  else
    fn(double(0));
}

void printScalar(llvm::raw_ostream &os, DType dtype, const View &view, int64_t at) {
  if (at < 0) {
    os << "outside";
    return;
  }
  uint64_t bits = readBits(view.base, bitsOf(dtype), at);
  if (isFloat(dtype))
    os << llvm::format("%.9g", decodeFloat(dtype, bits));
  else if (dtype == DType::U64)
    os << bits;
  else
    os << decodeInt(dtype, bits);
}

void printView(llvm::raw_ostream &os, const View &view) {
  os << '[';
  int64_t rowLength = view.shape.empty() ? 1 : view.shape.back();
  forSpans(view, [&](int64_t at, int64_t first, int64_t stride, int64_t count, bool isValid) {
    for (int64_t i = 0; i < count; ++i) {
      if (at + i)
        os << ((at + i) % rowLength ? ", " : "; ");
      printScalar(os, view.dtype, view, isValid ? first + i * stride : -1);
    }
  });
  os << ']';
}

} // namespace

/// Whether as many elements are read as written; the machine fails else.
static bool isSameCount(Frame &frame, const Instr &instr, const View &src, const View &dst) {
  if (src.numElems() == dst.numElems())
    return true;
  frame.machine.fail(instr.op,
                     "copies " + Twine(src.numElems()) + " elements to " + Twine(dst.numElems()));
  return false;
}

/// A copy from one part of a buffer to another one: all lanes read before any writes.
static void copyWithin(Frame &frame, const Instr &instr) {
  std::vector<std::pair<View, std::vector<uint64_t>>> held;
  auto read = [&](ArrayRef<View> views, int) {
    if (isSameCount(frame, instr, views[0], views[1]))
      held.emplace_back(views[1], readBitsOf(views[0]));
  };
  forLanes(frame, instr, read, [&] {
    for (const auto &[dst, values] : held)
      writeBitsTo(dst, values);
  });
}

void execCopy(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const TileOpAux *>(instr.aux);
  if (aux.readsFirst)
    return copyWithin(frame, instr);
  forLanes(frame, instr, [&](ArrayRef<View> views, int) {
    const View &src = views[0], &dst = views[1];
    if (!isSameCount(frame, instr, src, dst))
      return;
    if (src.dtype == dst.dtype)
      return copyBits(src, dst);
    if (!isFloat(src.dtype) && !isFloat(dst.dtype))
      return copyAs<int64_t>(frame.machine, src, dst);
    if (src.dtype == DType::F64 || dst.dtype == DType::F64)
      return copyAs<double>(frame.machine, src, dst);
    return copyAs<float>(frame.machine, src, dst);
  });
}

void execFill(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const TileOpAux *>(instr.aux);
  forLanes(frame, instr, [&](ArrayRef<View> views, int lane) {
    const View &dst = views[0];
    uint8_t encoded[8] = {};
    if (aux.rep == Rep::F32)
      encodeSpan(dst.dtype, encoded, 0, 1, 1, frame.at<float>(instr.a) + lane);
    else if (aux.rep == Rep::F64)
      encodeSpan(dst.dtype, encoded, 0, 1, 1, frame.at<double>(instr.a) + lane);
    else
      encodeSpan(dst.dtype, encoded, 0, 1, 1, frame.at<int64_t>(instr.a) + lane);
    unsigned bits = bitsOf(dst.dtype);
    uint64_t code = readBits(encoded, bits, 0);
    forSpans(dst, [&](int64_t, int64_t first, int64_t stride, int64_t count, bool isValid) {
      if (!isValid)
        return;
      if (stride == 1 && bits == 32)
        fillRun<uint32_t>(dst.base, first, count, code);
      else if (stride == 1 && bits == 16)
        fillRun<uint16_t>(dst.base, first, count, code);
      else
        for (int64_t i = 0; i < count; ++i)
          writeBits(dst.base, bits, first + i * stride, code);
    });
  });
}

void execReduce(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const TileOpAux *>(instr.aux);
  forLanes(frame, instr, [&](ArrayRef<View> views, int) {
    Lines lines(views[0], aux.dim); // extents that are not constant may differ
    if (lines.length < 1 || lines.outer * lines.inner != views[1].numElems())
      return frame.machine.fail(instr.op, "reduces " + Twine(views[0].numElems()) +
                                              " elements to " + Twine(views[1].numElems()));
    withAccumulator(frame.machine, views[0].dtype, views[1].dtype, [&](auto zero) {
      reduce<decltype(zero)>(frame.machine, aux, views[0], views[1]);
    });
  });
}

void execScan(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const TileOpAux *>(instr.aux);
  forLanes(frame, instr, [&](ArrayRef<View> views, int) {
    if (views[0].shape != views[1].shape)
      return frame.machine.fail(instr.op, "scans " + Twine(views[0].numElems()) +
                                              " elements into " + Twine(views[1].numElems()));
    withAccumulator(frame.machine, views[0].dtype, views[1].dtype, [&](auto zero) {
      scan<decltype(zero)>(frame.machine, aux, views[0], views[1]);
    });
  });
}

void execPrint(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const TileOpAux *>(instr.aux);
  auto emit = [&](const std::string &text) {
    if (frame.machine.options.print)
      frame.machine.options.print(text);
    else
      llvm::outs() << text << '\n';
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  const int64_t *block = frame.machine.block;
  os << "block (" << block[0] << ", " << block[1] << ", " << block[2] << "): " << aux.message
     << (aux.message.empty() ? "" : " ");
  if (aux.views.empty()) {
    int lane = frame.firstOn();
    if (aux.rep == Rep::F32)
      os << llvm::format("%.9g", frame.at<float>(instr.a)[lane]);
    else if (aux.rep == Rep::F64)
      os << llvm::format("%.17g", frame.at<double>(instr.a)[lane]);
    else
      os << frame.at<int64_t>(instr.a)[lane];
    return emit(text);
  }
  forLanes(frame, instr, [&](ArrayRef<View> views, int) {
    std::string line = text;
    llvm::raw_string_ostream lineStream(line);
    printView(lineStream, views[0]);
    emit(line);
  });
}

} // namespace tilec::reference

//===- Gemm.cpp - tile.gemm -----------------------------------------------===//
//
// Operands are decoded once to dense panels; the inner loop runs along a row of C.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "BlockOrder.h"

#include "tilec/IR/Tile/Tfloat32.h"

namespace tilec::reference {
namespace {

/// The operand as [rows, cols], transposed when it is stored the other way.
template <typename T>
std::vector<T> panel(const View &view, bool transpose, int64_t rows, int64_t cols) {
  std::vector<T> stored = readView<T>(view);
  if (!transpose)
    return stored;
  std::vector<T> turned(stored.size());
  for (int64_t c = 0; c < cols; ++c)
    for (int64_t r = 0; r < rows; ++r)
      turned[r * cols + c] = stored[c * rows + r];
  return turned;
}

/// A 2:4 sparse operand [rows, cols / 2] as [rows, cols]: nibbles of `places` say where its
/// elements are.
template <typename T>
std::vector<T> spreadOut(const std::vector<T> &stored, const View &places, int64_t rows,
                         int64_t cols) {
  std::vector<int64_t> words = readView<int64_t>(places);
  std::vector<T> dense(rows * cols, T(0));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t group = 0; group < cols / 4; ++group) {
      int64_t nibble = words[row * (cols / 16) + group / 4] >> (group % 4 * 4);
      const T *pair = &stored[row * (cols / 2) + 2 * group];
      T *four = &dense[row * cols + 4 * group];
      four[nibble >> 2 & 3] = pair[1];
      four[nibble & 3] = pair[0];
    }
  return dense;
}

/// c[i][j] += sum over k, in the order of k, of a[i][k] * b[k][j], all in T.
template <typename T>
[[gnu::always_inline]] inline void multiplyRows(const T *__restrict a, const T *__restrict b,
                                                T *__restrict c, int64_t m, int64_t n, int64_t k) {
  // Columns of C that stay in the first-level cache while k runs.
  constexpr int64_t blockCols = 256;
  for (int64_t j0 = 0; j0 < n; j0 += blockCols) {
    int64_t cols = std::min(blockCols, n - j0);
    for (int64_t i = 0; i < m; ++i) {
      T *__restrict row = c + i * n + j0;
      const T *factor = a + i * k, *other = b + j0;
      int64_t p = 0;
      for (; p + 4 <= k; p += 4, factor += 4, other += 4 * n) // a row of C is loaded once for four
        for (int64_t j = 0; j < cols; ++j) {
          T sum = row[j] + factor[0] * other[j];
          sum += factor[1] * other[n + j];
          sum += factor[2] * other[2 * n + j];
          row[j] = sum + factor[3] * other[3 * n + j];
        }
      for (; p < k; ++p, ++factor, other += n)
        for (int64_t j = 0; j < cols; ++j)
          row[j] += factor[0] * other[j];
    }
  }
}

// AVX2 without FMA: the same additions and multiplications, so the same result on every host.
#if defined(__x86_64__)
template <typename T>
[[gnu::target("avx2")]] void multiplyAvx2(const T *a, const T *b, T *c, int64_t m, int64_t n,
                                          int64_t k) {
  multiplyRows(a, b, c, m, n, k);
}
#endif

template <typename T> void multiply(const T *a, const T *b, T *c, int64_t m, int64_t n, int64_t k) {
#if defined(__x86_64__)
  static const bool hasAvx2 = __builtin_cpu_supports("avx2");
  if (hasAvx2)
    return multiplyAvx2(a, b, c, m, n, k);
#endif
  multiplyRows(a, b, c, m, n, k);
}

/// `value` with its low bits cut off, so that it is a multiple of the last of `sumBits` bits of
/// `largest` (positive, normal).
[[gnu::always_inline]] inline double cutOff(double value, double largest, double lastBit) {
  uint64_t exponent = std::bit_cast<uint64_t>(largest) & 0x7ff0000000000000;
  double unit = std::bit_cast<double>(exponent) * lastBit;
  return std::trunc(value / unit) * unit;
}

/// c += a b as a tensor core sums: `groupK` products at a time, aligned to the largest of them and
/// the sum so far, of which `sumBits` significant bits are kept. What carries make of them is cut
/// to an f32.
[[gnu::always_inline]] inline void multiplyShortRows(const double *__restrict a,
                                                     const double *__restrict b,
                                                     double *__restrict c, int64_t m, int64_t n,
                                                     int64_t k, unsigned sumBits, int64_t groupK) {
  double lastBit = std::ldexp(1.0, 1 - int(sumBits));
  std::vector<double> group(n), largest(n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t begin = 0; begin < k; begin += groupK) {
      double *__restrict row = c + i * n, *__restrict sum = group.data();
      double *__restrict top = largest.data();
      for (int64_t j = 0; j < n; ++j) {
        sum[j] = row[j];
        top[j] = std::max(std::fabs(row[j]), 0x1p-126);
      }
      for (int64_t p = begin; p < std::min(k, begin + groupK); ++p)
        for (int64_t j = 0; j < n; ++j) {
          double product = a[i * k + p] * b[p * n + j];
          sum[j] += product;
          top[j] = std::max(top[j], std::fabs(product));
        }
      for (int64_t j = 0; j < n; ++j) {
        double kept = cutOff(sum[j], top[j], lastBit);
        row[j] = cutOff(kept, std::max(std::fabs(kept), top[j]), 0x1p-23);
      }
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void multiplyShortAvx2(const double *a, const double *b, double *c,
                                               int64_t m, int64_t n, int64_t k, unsigned sumBits,
                                               int64_t groupK) {
  multiplyShortRows(a, b, c, m, n, k, sumBits, groupK);
}
#endif

void multiplyShort(const double *a, const double *b, double *c, int64_t m, int64_t n, int64_t k,
                   unsigned sumBits, int64_t groupK) {
#if defined(__x86_64__)
  static const bool hasAvx2 = __builtin_cpu_supports("avx2");
  if (hasAvx2)
    return multiplyShortAvx2(a, b, c, m, n, k, sumBits, groupK);
#endif
  multiplyShortRows(a, b, c, m, n, k, sumBits, groupK);
}

/// How sums of a product of such operands are cut; 0 bits: f32, rounded.
struct SumCut {
  unsigned bits = 0;
  int64_t group = 1;
};
SumCut sumCutOf(const Machine &machine, DType a, DType b, bool tfloat32) {
  const ReferenceOptions &options = machine.options;
  // Elements of twice the width: half as many at a time.
  if (tfloat32)
    return {options.sumBits, std::max<int64_t>(1, options.sumGroup / 2)};
  if (!isFloat(a) || !isFloat(b) || std::max(bitsOf(a), bitsOf(b)) > 16)
    return {};
  // The formats that NVIDIA multiplies; others go through f16.
  auto isOcp = [](DType dtype) { return dtype == DType::E4M3FN || dtype == DType::E5M2; };
  if (options.fp8SumBits && isOcp(a) && isOcp(b))
    return {options.fp8SumBits, options.fp8SumGroup};
  return {options.sumBits, options.sumGroup};
}

/// float64 in twice its precision.
void multiplyWide(const double *a, const double *b, double *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      WideSum sum(c[i * n + j]);
      for (int64_t p = 0; p < k; ++p)
        sum.addProduct(a[i * k + p], b[p * n + j]);
      c[i * n + j] = sum.value();
    }
}

/// ReferenceOptions::spreadSums; `before`: what the products were added to.
template <typename T>
void spreadSums(Machine &machine, const std::vector<T> &left, const std::vector<T> &right,
                const std::vector<T> &before, std::vector<T> &sum, int64_t m, int64_t n,
                int64_t k) {
  auto squared = [](const std::vector<T> &values) {
    std::vector<float> squares(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      squares[i] = static_cast<float>(values[i] * values[i]);
    return squares;
  };
  std::vector<float> leftSquares = squared(left), rightSquares = squared(right),
                     squares = squared(before);
  multiply(leftSquares.data(), rightSquares.data(), squares.data(), m, n, k);
  constexpr int noBit = 1 << 20;
  std::vector<int> rows(m, noBit), columns(n, noBit);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      rows[i] = std::min(rows[i], lowestBit(static_cast<float>(left[i * k + p])));
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j < n; ++j)
      columns[j] = std::min(columns[j], lowestBit(static_cast<float>(right[p * n + j])));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      int64_t at = i * n + j;
      int lowest = std::min(rows[i] + columns[j], lowestBit(static_cast<float>(before[at])));
      double by = spreadOfSum(squares[at], double(k + 1), lowest);
      sum[at] = spread(sum[at], by, uint64_t(at) + (machine.movedSums << 20));
    }
  ++machine.movedSums;
}

template <typename T>
void gemm(Machine &machine, const TileOpAux &aux, const View &a, const View &b, const View &c,
          const View *places, bool clear) {
  int64_t m = c.shape[0], n = c.shape[1], k = aux.transposeB ? b.shape[1] : b.shape[0];
  std::vector<T> left = panel<T>(a, aux.transposeA, m, places ? k / 2 : k);
  if (places)
    left = spreadOut(left, *places, m, k);
  std::vector<T> right = panel<T>(b, aux.transposeB, k, n);
  if constexpr (!std::is_same_v<T, int64_t>)
    if (aux.tfloat32)
      for (std::vector<T> *values : {&left, &right})
        for (T &value : *values)
          value = std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(value)) &
                                       tfloat32Mask);
  std::vector<T> sum = clear ? std::vector<T>(m * n, T(0)) : readView<T>(c);
  bool isSpread = machine.options.spreadSums && isFloat(a.dtype) && c.dtype != DType::F64 &&
                  (aux.tfloat32 || std::max(bitsOf(a.dtype), bitsOf(b.dtype)) <= 16);
  std::vector<T> before = isSpread ? sum : std::vector<T>();
  if constexpr (std::is_same_v<T, int64_t>) // wraps without overflow
    multiply(reinterpret_cast<uint64_t *>(left.data()), reinterpret_cast<uint64_t *>(right.data()),
             reinterpret_cast<uint64_t *>(sum.data()), m, n, k);
  else if (SumCut cut = sumCutOf(machine, a.dtype, b.dtype, aux.tfloat32);
           std::is_same_v<T, double> && cut.bits)
    multiplyShort(reinterpret_cast<double *>(left.data()), reinterpret_cast<double *>(right.data()),
                  reinterpret_cast<double *>(sum.data()), m, n, k, cut.bits, cut.group);
  else if (std::is_same_v<T, double> && machine.sumsWide(a.dtype, c.dtype))
    multiplyWide(reinterpret_cast<double *>(left.data()), reinterpret_cast<double *>(right.data()),
                 reinterpret_cast<double *>(sum.data()), m, n, k);
  else
    multiply(left.data(), right.data(), sum.data(), m, n, k);
  if constexpr (!std::is_same_v<T, int64_t>) {
    if (isSpread)
      spreadSums(machine, left, right, before, sum, m, n, k);
    machine.moveSums(c.dtype, sum.data(), m * n);
  }
  writeView(machine, c, sum.data());
}

} // namespace

void execGemm(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const TileOpAux *>(instr.aux);
  Machine &machine = frame.machine;
  for (int lane = frame.firstOn(); lane >= 0 && lane < frame.lanes; ++lane) {
    if (!frame.isOn(lane))
      continue;
    View a = evalView(frame, aux.views[0], lane, instr.op);
    View b = evalView(frame, aux.views[1], lane, instr.op);
    View c = evalView(frame, aux.views[2], lane, instr.op);
    std::optional<View> sparse;
    if (aux.views.size() > 3)
      sparse = evalView(frame, aux.views[3], lane, instr.op);
    if (machine.failed || !machine.takeWork(a.numElems(), 0, instr.op) ||
        !machine.takeWork(b.numElems(), 0, instr.op) ||
        // Both factors are at most 2^28 here. Sixteen products take the time of one instruction.
        !machine.takeWork(c.numElems(), a.numElems() * c.shape[1] / 16, instr.op))
      return;
    noteReads(machine, aux.views[0].buffer, a, instr.op);
    noteReads(machine, aux.views[1].buffer, b, instr.op);
    if (sparse)
      noteReads(machine, aux.views[3].buffer, *sparse, instr.op);
    const View *places = sparse ? &*sparse : nullptr;
    BlockWrites writes(machine, aux.views[2].buffer, instr.op);
    writes.note(c);
    if (machine.failed)
      return;
    bool clear = aux.hasClearSlot && frame.at<int64_t>(instr.a)[lane];
    if (!isFloat(a.dtype) && !isFloat(c.dtype))
      gemm<int64_t>(machine, aux, a, b, c, places, clear);
    else if (machine.isSequential() && a.dtype != DType::F64 && c.dtype != DType::F64 &&
             sumCutOf(machine, a.dtype, b.dtype, aux.tfloat32).bits == 0)
      gemm<float>(machine, aux, a, b, c, places, clear);
    else
      gemm<double>(machine, aux, a, b, c, places, clear);
    writes.finish();
    if (!aux.perLane)
      return;
  }
}

} // namespace tilec::reference

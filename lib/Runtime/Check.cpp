//===- Check.cpp - whether a result agrees with the reference -------------===//
//
// Takes a result, the reference and its spread, says by the agreement rule which elements are
// wrong.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Check.h"

#include "Parallel.h"

#include "tilec/Runtime/Data.h"

#include <cmath>
#include <limits>

namespace tilec::rt {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Values and ulps of a format; a table where it has at most 16 bits, since decoding an element at
/// a time takes seconds on large outputs.
class Decoder {
public:
  explicit Decoder(DType dtype) : dtype(dtype) {
    if (bitsOf(dtype) > 16)
      return;
    values.resize(size_t(1) << bitsOf(dtype));
    ulps.resize(values.size());
    for (size_t bits = 0; bits < values.size(); ++bits) {
      values[bits] = decodeFloat(dtype, bits);
      ulps[bits] = std::isfinite(values[bits]) ? ulpOf(dtype, bits) : 0;
    }
  }
  double value(uint64_t bits) const {
    return values.empty() ? decodeFloat(dtype, bits) : values[bits];
  }
  double ulp(uint64_t bits) const { return ulps.empty() ? ulpOf(dtype, bits) : ulps[bits]; }

private:
  DType dtype;
  std::vector<double> values, ulps;
};

/// The largest magnitude of a row that is finite.
double largestOf(const HostTensor &tensor, const Decoder &decoder, int64_t begin, int64_t end) {
  ElemBits elems(tensor);
  double largest = 0;
  for (int64_t i = begin; i < end; ++i)
    if (double value = std::fabs(decoder.value(tensor.bits(i))); std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

int64_t rowElemsOf(const HostTensor &tensor) {
  return tensor.shape.empty() ? 1 : tensor.shape.back();
}

/// Parts of all rows for the cores of this machine.
std::vector<int64_t> partsOfRows(int64_t rows, int64_t rowElems) {
  constexpr int64_t elemsWorthAThread = 1 << 18;
  return partEnds(rows, 1, elemsWorthAThread / std::max<int64_t>(rowElems, 1) + 1);
}

class Comparer {
public:
  Comparer(const HostTensor &device, const HostTensor &reference)
      : device(device), reference(reference) {
    report.elemCount = device.elemCount();
  }

  void bitwise(bool floats) {
    if (device.bytes == reference.bytes)
      return;
    for (int64_t i = 0; i < report.elemCount; ++i) {
      uint64_t d = device.bits(i), r = reference.bits(i);
      if (d == r)
        continue;
      if (floats && std::isnan(device.value(i)) && std::isnan(reference.value(i)))
        continue;
      add(i, std::fabs(device.value(i) - reference.value(i)), 0);
    }
  }

  void row(int64_t begin, int64_t end, double tolerance, const Decoder &decoder) {
    ElemBits deviceBits(device), referenceBits(reference);
    for (int64_t i = begin; i < end; ++i) {
      uint64_t dBits = deviceBits[i], rBits = referenceBits[i];
      if (dBits == rBits)
        continue;
      double d = decoder.value(dBits), r = decoder.value(rBits);
      if ((std::isnan(d) && std::isnan(r)) || d == r)
        continue;
      if (!std::isfinite(r) || std::isnan(d))
        add(i, infinity, 0);
      else
        add(i, std::fabs(d - r), 2 * decoder.ulp(rBits) + 8 * tolerance);
    }
  }

  /// What another comparer found further behind.
  void append(const CheckReport &later) {
    report.mismatchCount += later.mismatchCount;
    report.maxError = std::max(report.maxError, later.maxError);
    report.maxRatio = std::max(report.maxRatio, later.maxRatio);
    if (!report.first)
      report.first = later.first;
  }

  CheckReport report;

private:
  void add(int64_t index, double error, double bound) {
    if (std::isfinite(error))
      report.maxError = std::max(report.maxError, error);
    report.maxRatio = std::max(report.maxRatio, bound > 0 ? error / bound : infinity);
    if (error <= bound && bound > 0)
      return;
    if (report.mismatchCount++ == 0)
      report.first =
          Mismatch{device.coordinates(index), device.bits(index), reference.bits(index), bound};
  }

  const HostTensor &device, &reference;
};

Status sameKind(const HostTensor &a, const HostTensor &b, const char *what) {
  if (a.dtype == b.dtype && a.shape == b.shape)
    return success();
  return Error{"the result is " + std::string(nameOf(a.dtype)) + " " + printShape(a.shape) +
               ", the " + what + " " + std::string(nameOf(b.dtype)) + " " + printShape(b.shape)};
}

} // namespace

double ulpOf(DType dtype, uint64_t bits) {
  uint64_t magnitude =
      dtype == DType::E8M0 ? bits : bits & ((uint64_t(1) << (bitsOf(dtype) - 1)) - 1);
  double here = decodeFloat(dtype, magnitude), above = decodeFloat(dtype, magnitude + 1);
  if (std::isfinite(above) && above > here)
    return above - here;
  return here - decodeFloat(dtype, magnitude - 1);
}

std::vector<double> rowSpread(const HostTensor &a, const HostTensor &b) {
  Decoder decodeA(a.dtype), decodeB(b.dtype);
  ElemBits bitsA(a), bitsB(b);
  std::vector<double> spread;
  int64_t rowElems = rowElemsOf(a), rows = rowElems ? a.elemCount() / rowElems : 0;
  // The largest of a few distances says little about the next one. Zeros, which a mask has left,
  // say nothing, nor do elements that a limit keeps at one value beside others that move.
  constexpr int64_t enoughElems = 32;
  double largest = 0;
  int64_t first = 0, elems = 0; // of the rows that have their spread together
  for (int64_t row = 0; row < rows; ++row) {
    int64_t present = 0, moved = 0;
    for (int64_t i = row * rowElems; i < (row + 1) * rowElems; ++i) {
      double value = decodeA.value(bitsA[i]);
      double distance = std::fabs(value - decodeB.value(bitsB[i]));
      if (std::isfinite(distance))
        largest = std::max(largest, distance);
      present += value != 0;
      moved += std::isfinite(distance) && distance != 0;
    }
    elems += moved ? moved : present;
    spread.push_back(largest);
    if (elems < enoughElems && row + 1 < rows)
      continue;
    std::fill(spread.begin() + first, spread.end(), largest);
    first = row + 1;
    largest = 0;
    elems = 0;
  }
  return spread;
}

std::vector<double> rowTolerance(const HostTensor &tensor, double parts) {
  std::vector<double> spread;
  if (!isFloat(tensor.dtype))
    return spread;
  Decoder decoder(tensor.dtype);
  ElemBits elems(tensor);
  int64_t rowElems = rowElemsOf(tensor);
  spread.resize(tensor.elemCount() ? tensor.elemCount() / rowElems : 0);
  parallelFor(partsOfRows(spread.size(), rowElems), [&](size_t, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      double sum = 0;
      for (int64_t i = row * rowElems; i < (row + 1) * rowElems; ++i)
        if (double value = decoder.value(elems[i]); std::isfinite(value))
          sum += value * value;
      spread[row] = parts * std::sqrt(sum / rowElems) / 8; // compare() takes 8 of them
    }
  });
  return spread;
}

Result<CheckReport> compare(const HostTensor &device, const HostTensor &reference,
                            const std::vector<double> &spread, const CheckOptions &options) {
  if (Status s = sameKind(device, reference, "reference"); !s)
    return s.error();
  int64_t count = device.elemCount(), rowElems = rowElemsOf(device);
  int64_t rows = count ? count / rowElems : 0;
  if (!spread.empty() && static_cast<int64_t>(spread.size()) != rows)
    return Error{"the result has " + std::to_string(rows) + " rows, their spread " +
                 std::to_string(spread.size())};
  Comparer comparer(device, reference);
  if (options.exact || !isFloat(device.dtype)) {
    comparer.bitwise(isFloat(device.dtype));
    return std::move(comparer.report);
  }
  Decoder decoder(device.dtype);
  std::vector<int64_t> ends = partsOfRows(rows, rowElems);
  std::vector<Comparer> parts(ends.size(), comparer);
  parallelFor(ends, [&](size_t part, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      int64_t begin = row * rowElems, end = begin + rowElems;
      double tolerance = spread.empty() ? 0 : spread[row];
      if (options.transcendental)
        tolerance += 0x1p-22 * largestOf(reference, decoder, begin, end);
      parts[part].row(begin, end, tolerance, decoder);
    }
  });
  for (const Comparer &part : parts)
    comparer.append(part.report);
  return std::move(comparer.report);
}

std::string describe(const std::string &name, DType dtype, const CheckReport &report) {
  char text[160];
  if (report.passed()) {
    std::snprintf(text, sizeof text, " agree, max |d - r| / bound = %.3g", report.maxRatio);
    return name + ": " + std::to_string(report.elemCount) + " elements" + text;
  }
  std::string index;
  for (int64_t i : report.first->index)
    index += (index.empty() ? "" : ", ") + std::to_string(i);
  std::snprintf(text, sizeof text, " (bound %.3g); max |d - r| / bound = %.3g", report.first->bound,
                report.maxRatio);
  return name + ": " + std::to_string(report.mismatchCount) + " of " +
         std::to_string(report.elemCount) + " elements differ, the first at [" + index +
         "]: " + printElement(dtype, report.first->deviceBits) + ", expected " +
         printElement(dtype, report.first->referenceBits) + text;
}

} // namespace tilec::rt

//===- Values.cpp - spans of elements as numbers --------------------------===//
//
// Takes bytes of a tensor, gives integers or floats of a span, and the way back with each format's
// rounding.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Values.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tilec::reference {
namespace {

/// The 256 values of an 8-bit (16 of a 4-bit) float format.
const std::array<float, 256> &smallFloats(DType dtype) {
  static const auto tables = [] {
    std::array<std::array<float, 256>, 32> all{};
    for (DType type :
         {DType::E4M3FN, DType::E5M2, DType::E4M3FNUZ, DType::E5M2FNUZ, DType::E8M0, DType::E2M1})
      for (int code = 0; code < 256; ++code)
        all[static_cast<int>(type)][code] = static_cast<float>(decodeFloat(type, code));
    return all;
  }();
  return tables[static_cast<int>(dtype)];
}

template <typename Stored, typename T, typename Convert>
void decodeWith(const uint8_t *base, int64_t first, int64_t stride, int64_t count, T *out,
                Convert convert) {
  const uint8_t *from = base + first * int64_t(sizeof(Stored));
  if (stride == 1) { // a loop of its own, so that it is vectorised
    for (int64_t i = 0; i < count; ++i) {
      Stored s;
      std::memcpy(&s, from + i * int64_t(sizeof(Stored)), sizeof(Stored));
      out[i] =
          static_cast<T>(convert(s)); // NOLINT(bugprone-signed-char-misuse): an int8 has a sign
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    Stored s;
    std::memcpy(&s, from + i * stride * int64_t(sizeof(Stored)), sizeof(Stored));
    out[i] = static_cast<T>(convert(s)); // NOLINT(bugprone-signed-char-misuse): as above
  }
}

template <typename Stored, typename T, typename Convert>
void encodeWith(uint8_t *base, int64_t first, int64_t stride, int64_t count, const T *in,
                Convert convert) {
  uint8_t *to = base + first * int64_t(sizeof(Stored));
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) {
      Stored s = static_cast<Stored>(convert(in[i]));
      std::memcpy(to + i * int64_t(sizeof(Stored)), &s, sizeof(Stored));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    Stored s = static_cast<Stored>(convert(in[i]));
    std::memcpy(to + i * stride * int64_t(sizeof(Stored)), &s, sizeof(Stored));
  }
}

} // namespace

template <typename T>
void decodeSpan(DType dtype, const uint8_t *base, int64_t first, int64_t stride, int64_t count,
                T *out) {
  auto same = [](auto v) { return v; };
  switch (dtype) {
  case DType::F16:
    return decodeWith<uint16_t>(base, first, stride, count, out, halfToFloat);
  case DType::BF16:
    return decodeWith<uint16_t>(base, first, stride, count, out, bfloatToFloat);
  case DType::F32:
    return decodeWith<float>(base, first, stride, count, out, same);
  case DType::F64:
    return decodeWith<double>(base, first, stride, count, out, same);
  case DType::E4M3FN:
  case DType::E5M2:
  case DType::E4M3FNUZ:
  case DType::E5M2FNUZ:
  case DType::E8M0: {
    const auto &table = smallFloats(dtype);
    return decodeWith<uint8_t>(base, first, stride, count, out,
                               [&](uint8_t code) { return table[code]; });
  }
  case DType::E2M1: {
    const auto &table = smallFloats(dtype);
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<T>(table[readBits(base, 4, first + i * stride)]);
    return;
  }
  case DType::I4:
  case DType::U4:
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<T>(decodeInt(dtype, readBits(base, 4, first + i * stride)));
    return;
  case DType::Bool:
    return decodeWith<uint8_t>(base, first, stride, count, out, [](uint8_t v) { return v != 0; });
  case DType::I8:
    return decodeWith<int8_t>(base, first, stride, count, out, same);
  case DType::I16:
    return decodeWith<int16_t>(base, first, stride, count, out, same);
  case DType::I32:
    return decodeWith<int32_t>(base, first, stride, count, out, same);
  case DType::I64:
    return decodeWith<int64_t>(base, first, stride, count, out, same);
  case DType::U8:
    return decodeWith<uint8_t>(base, first, stride, count, out, same);
  case DType::U16:
    return decodeWith<uint16_t>(base, first, stride, count, out, same);
  case DType::U32:
    return decodeWith<uint32_t>(base, first, stride, count, out, same);
  case DType::U64:
    return decodeWith<uint64_t>(base, first, stride, count, out, same);
  }
}

template <typename T>
void encodeSpan(DType dtype, uint8_t *base, int64_t first, int64_t stride, int64_t count,
                const T *in) {
  // What is wide passes through a float rounded to odd, so that the second rounding is the only
  // one.
  auto narrow = [](T v) {
    if constexpr (std::is_same_v<T, float>)
      return v;
    else
      return toFloatOdd(v);
  };
  unsigned bits = bitsOf(dtype);
  if (!isFloat(dtype)) {
    auto toInt = [&](T v) -> int64_t {
      if constexpr (std::is_same_v<T, int64_t>)
        return dtype == DType::Bool ? v != 0 : v;
      else
        return dtype == DType::Bool ? v != 0 : floatToInt(v, bits, isUnsigned(dtype));
    };
    switch (bits) {
    case 8:
      return encodeWith<uint8_t>(base, first, stride, count, in, toInt);
    case 16:
      return encodeWith<uint16_t>(base, first, stride, count, in, toInt);
    case 32:
      return encodeWith<uint32_t>(base, first, stride, count, in, toInt);
    case 64:
      return encodeWith<uint64_t>(base, first, stride, count, in, toInt);
    default:
      for (int64_t i = 0; i < count; ++i)
        writeBits(base, bits, first + i * stride, static_cast<uint64_t>(toInt(in[i])));
      return;
    }
  }
  switch (dtype) {
  case DType::F16:
    return encodeWith<uint16_t>(base, first, stride, count, in,
                                [&](T v) { return floatToHalf(narrow(v)); });
  case DType::BF16:
    return encodeWith<uint16_t>(base, first, stride, count, in,
                                [&](T v) { return floatToBfloat(narrow(v)); });
  case DType::F32:
    return encodeWith<float>(base, first, stride, count, in,
                             [](T v) { return static_cast<float>(v); });
  case DType::F64:
    return encodeWith<double>(base, first, stride, count, in,
                              [](T v) { return static_cast<double>(v); });
  default:
    for (int64_t i = 0; i < count; ++i)
      writeBits(base, bits, first + i * stride, encodeFloat(dtype, static_cast<double>(in[i])));
  }
}

template <typename T>
void encodeSpanAcrossTies(DType dtype, uint8_t *base, int64_t first, int64_t stride, int64_t count,
                          const T *in) {
  encodeSpan(dtype, base, first, stride, count, in);
  unsigned bits = bitsOf(dtype);
  if (!isFloat(dtype) || bits > 16 || std::is_same_v<T, int64_t>)
    return;
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = first + i * stride;
    uint64_t nearest = readBits(base, bits, at);
    // Formats that round up or down have their step at the numbers that they hold; those stay.
    T held;
    decodeSpan(dtype, base, at, 1, 1, &held);
    if (held == in[i])
      continue;
    for (double side : {1 + tieBand, 1 - tieBand}) {
      double moved = static_cast<double>(in[i]) * side;
      uint8_t code[8] = {};
      encodeSpan(dtype, code, 0, 1, 1, &moved);
      if (readBits(code, bits, 0) == nearest)
        continue;
      writeBits(base, bits, at, readBits(code, bits, 0));
      break;
    }
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type.
#define INSTANTIATE(T)                                                                             \
  template void decodeSpan<T>(DType, const uint8_t *, int64_t, int64_t, int64_t, T *);             \
  template void encodeSpan<T>(DType, uint8_t *, int64_t, int64_t, int64_t, const T *);             \
  template void encodeSpanAcrossTies<T>(DType, uint8_t *, int64_t, int64_t, int64_t, const T *);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(int64_t)
#undef INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

double asStored(DType dtype, double value) {
  uint8_t bits[8] = {};
  if (repOf(dtype) == Rep::Int)
    return value;
  encodeSpan(dtype, bits, 0, 1, 1, &value);
  decodeSpan(dtype, bits, 0, 1, 1, &value);
  return value;
}

void fillUninitialised(DType dtype, uint8_t *base, int64_t count) {
  if (!isFloat(dtype)) {
    std::memset(base, 0xA5, storageBytes(dtype, count));
    return;
  }
  unsigned bits = bitsOf(dtype);
  if (bits == 8 || bits == 4) { // e2m1 has no NaN: its largest magnitude stands out
    uint8_t code = static_cast<uint8_t>(encodeFloat(dtype, std::nan("")));
    std::memset(base, bits == 4 ? code * 0x11 : code, storageBytes(dtype, count));
    return;
  }
  uint64_t nan = encodeFloat(dtype, std::nan(""));
  if (count)
    writeBits(base, bits, 0, nan);
  int64_t size = storageBytes(dtype, count);
  for (int64_t done = bits / 8; done < size; done *= 2) // what is there, again
    std::memcpy(base + done, base, std::min(done, size - done));
}

} // namespace tilec::reference

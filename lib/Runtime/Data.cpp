//===- Data.cpp - reproducible inputs for runs ----------------------------===//
//
// Takes a seed, a name and a distribution, fills a tensor: the same on every machine.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Data.h"

#include "Parallel.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>

namespace tilec::rt {
namespace {

uint64_t generate(DType dtype, Fill how, uint32_t seed, uint32_t nameHash, int64_t index) {
  uint64_t counter = static_cast<uint64_t>(index);
  auto w = philox4x32({static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0},
                      {seed, nameHash});
  if (dtype == DType::Bool)
    return w[0] & 1;
  if (isInteger(dtype))
    return encodeInt(dtype, static_cast<int64_t>(w[0] & 15) - (isUnsigned(dtype) ? 0 : 8));
  if (dtype == DType::E8M0)
    return 127 + (w[0] & 7) - 4;
  if (how == Fill::Uniform)
    return encodeFloat(dtype, 2.0 * (w[0] >> 8) * 0x1p-24 - 1.0);
  double u = (w[0] + 1.0) * 0x1p-32, v = w[1] * 0x1p-32;
  return encodeFloat(dtype, std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v));
}

/// Calls `body(begin, end)` on parts of [0, count) that start at even indices, so that no two
/// threads share a byte of packed elements.
template <typename Body> void forParts(int64_t count, Body body) {
  constexpr int64_t elemsWorthAThread = 1 << 14; // a millisecond
  parallelFor(partEnds(count, 2, elemsWorthAThread),
              [&](size_t, int64_t begin, int64_t end) { body(begin, end); });
}

uint64_t nanBits(DType dtype) { return encodeFloat(dtype, std::nan("")); }

} // namespace

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr uint32_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
  constexpr uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(multiplier0) * counter[0], p1 = uint64_t(multiplier1) * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(p0)};
    key = {key[0] + weyl0, key[1] + weyl1};
  }
  return counter;
}

uint32_t fnv1a32(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (char c : text)
    hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  return hash;
}

void fill(HostTensor &tensor, Fill how, uint32_t seed, std::string_view name) {
  if (how == Fill::Zeros) {
    // The all-zero code of e8m0 is 2^-127; it has no zero.
    std::fill(tensor.bytes.begin(), tensor.bytes.end(), 0);
    return;
  }
  uint32_t nameHash = fnv1a32(name);
  forParts(tensor.elemCount(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      tensor.setBits(i, generate(tensor.dtype, how, seed, nameHash, i));
  });
}

void fillBits(HostTensor &tensor, uint64_t bits) {
  int64_t count = tensor.elemCount();
  if (bitsOf(tensor.dtype) < 8) {
    for (int64_t i = 0; i < count; ++i)
      tensor.setBits(i, bits);
    return;
  }
  if (count)
    tensor.setBits(0, bits);
  std::vector<uint8_t> &bytes = tensor.bytes;
  for (size_t done = bitsOf(tensor.dtype) / 8; done < bytes.size();
       done *= 2) // what is there, again
    std::memcpy(&bytes[done], &bytes[0], std::min(done, bytes.size() - done));
}

void prefillOutput(HostTensor &tensor) {
  if (isFloat(tensor.dtype) && std::isnan(decodeFloat(tensor.dtype, nanBits(tensor.dtype))))
    fillBits(tensor, nanBits(tensor.dtype));
  else
    std::fill(tensor.bytes.begin(), tensor.bytes.end(), 0xA5);
}

/// The number that the whole text spells. One beyond all doubles is infinite, with errno ERANGE.
static std::optional<double> readFloat(const std::string &text) {
  // strtod skips leading space, which no number here has.
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])))
    return std::nullopt;
  char *end = nullptr;
  errno = 0;
  double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || end == text.c_str())
    return std::nullopt;
  return value;
}

Result<ArgSpec> parseArgSpec(std::string_view text) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return Error{"`" + std::string(text) +
                 "`: write NAME=randn, NAME=uniform, NAME=zeros, NAME=FILE.npy or NAME=NUMBER"};
  ArgSpec spec;
  spec.name = text.substr(0, equals);
  spec.text = text.substr(equals + 1);
  constexpr std::pair<std::string_view, Fill> fills[] = {
      {"randn", Fill::Randn}, {"uniform", Fill::Uniform}, {"zeros", Fill::Zeros}};
  for (auto [word, how] : fills)
    if (spec.text == word) {
      spec.fill = how;
      return spec;
    }
  bool file = spec.text.size() > 4 && spec.text.substr(spec.text.size() - 4) == ".npy";
  spec.kind = file ? ArgSpec::File : ArgSpec::Scalar;
  // Whether a number fits is seen when its type is known.
  bool isTruth = spec.text == "true" || spec.text == "false";
  if (!file && !isTruth && !readFloat(spec.text))
    return Error{"`" + std::string(text) + "`: `" + spec.text +
                 "` is neither randn, uniform, zeros, a .npy file nor a number"};
  return spec;
}

Result<uint64_t> parseScalar(std::string_view view, DType dtype) {
  std::string text(view);
  Error bad{"`" + text + "` is no number of type " + std::string(nameOf(dtype))};
  if (text == "true" || text == "false")
    text = text == "true" ? "1" : "0";
  Error tooLarge{"`" + text + "` does not fit in " + std::string(nameOf(dtype))};
  if (isFloat(dtype)) {
    std::optional<double> value = readFloat(text);
    if (!value)
      return bad;
    bool isBeyondDoubles = std::isinf(*value) && errno == ERANGE;
    uint64_t bits = encodeFloat(dtype, *value);
    if (isBeyondDoubles || (std::isfinite(*value) && std::isinf(decodeFloat(dtype, bits))))
      return tooLarge;
    return bits;
  }
  // strtoll skips leading space, which no number here has.
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])))
    return bad;
  char *end = nullptr;
  errno = 0;
  bool negative = text[0] == '-';
  int64_t value = 0;
  if (dtype == DType::U64 && !negative)
    value = static_cast<int64_t>(std::strtoull(text.c_str(), &end, 0));
  else
    value = std::strtoll(text.c_str(), &end, 0);
  if (*end != '\0' || end == text.c_str())
    return bad;
  bool fits = errno != ERANGE && decodeInt(dtype, encodeInt(dtype, value)) == value;
  if (!fits || (negative && isUnsigned(dtype) && value != 0))
    return tooLarge;
  return encodeInt(dtype, value);
}

std::string printElement(DType dtype, uint64_t bits) {
  if (dtype == DType::Bool)
    return bits ? "true" : "false";
  if (dtype == DType::U64)
    return std::to_string(bits);
  if (isInteger(dtype))
    return std::to_string(decodeInt(dtype, bits));
  // 9 digits tell all f32 apart, 17 all f64.
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", dtype == DType::F64 ? 17 : 9, decodeFloat(dtype, bits));
  return text;
}

Result<std::pair<std::string, int64_t>> parseDim(std::string_view text) {
  size_t equals = text.find('=');
  if (equals != std::string_view::npos && equals > 0) {
    Result<uint64_t> value = parseScalar(text.substr(equals + 1), DType::I64);
    if (value && static_cast<int64_t>(*value) >= 0)
      return std::pair(std::string(text.substr(0, equals)), static_cast<int64_t>(*value));
  }
  return Error{"`" + std::string(text) + "`: write NAME=N with a size N of 0 or more"};
}

} // namespace tilec::rt

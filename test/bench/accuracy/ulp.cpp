//===- ulp.cpp - how far results are from a function's value --------------===//
//
// usage: ulp FUNCTION f32|f64 X Y      X and Y: raw values; prints the largest error in ulp, its
// argument, and how many special results (NaN, infinity, zero's sign) are wrong.
//
// The reference is the host's long double, whose error is below 2^-10 ulp of a double.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using Function = long double (*)(long double);

static const std::map<std::string, Function> functions = {
    {"exp", expl},     {"exp2", exp2l},
    {"log", logl},     {"log2", log2l},
    {"log10", log10l}, {"log1p", log1pl},
    {"sin", sinl},     {"cos", cosl},
    {"tan", tanl},     {"sinh", sinhl},
    {"cosh", coshl},   {"tanh", tanhl},
    {"asin", asinl},   {"acos", acosl},
    {"atan", atanl},   {"asinh", asinhl},
    {"acosh", acoshl}, {"atanh", atanhl},
    {"erf", erfl},     {"rsqrt", [](long double x) { return 1 / sqrtl(x); }},
};

template <typename T> std::vector<T> read(const char *path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// The distance of the two floats around `value`.
template <typename T> long double ulpOf(long double value) {
  T near = std::fabs(static_cast<T>(value));
  if (std::isinf(near))
    near = std::numeric_limits<T>::max();
  T above = std::nextafter(near, std::numeric_limits<T>::infinity());
  return std::isinf(above) ? near - std::nextafter(near, T(0))
                           : static_cast<long double>(above) - near;
}

template <typename T> int compare(const char *name, Function f, const char *xs, const char *ys) {
  std::vector<T> x = read<T>(xs), y = read<T>(ys);
  if (x.size() != y.size() || x.empty())
    return 2;
  long double worst = 0;
  T at = 0;
  size_t wrong = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    long double wanted = f(x[i]);
    T rounded = static_cast<T>(wanted);
    bool isSpecial = std::isnan(rounded) || std::isinf(rounded) || wanted == 0;
    if (isSpecial || std::isnan(y[i]) || std::isinf(y[i])) {
      bool isSame = std::isnan(rounded)
                        ? std::isnan(y[i])
                        : rounded == y[i] && std::signbit(rounded) == std::signbit(y[i]);
      // One step from the largest number to infinity is an error of an ulp.
      bool isEdge = std::isinf(rounded) != std::isinf(y[i]) && !std::isnan(y[i]) &&
                    std::fabs(static_cast<double>(y[i])) >= 0.999 * std::numeric_limits<T>::max();
      if (!isSame && !isEdge && ++wrong <= 3)
        std::fprintf(stderr, "%s(%.9g) = %.9g, not %.9g\n", name, static_cast<double>(x[i]),
                     static_cast<double>(y[i]), static_cast<double>(rounded));
      continue;
    }
    long double error = fabsl(y[i] - wanted) / ulpOf<T>(wanted);
    if (error > worst)
      worst = error, at = x[i];
  }
  std::printf("%.2Lf %.17g %zu\n", worst, static_cast<double>(at), wrong);
  return 0;
}

int main(int argc, char **argv) {
  auto function = argc == 5 ? functions.find(argv[1]) : functions.end();
  if (function == functions.end())
    return 2;
  return std::strcmp(argv[2], "f64") == 0
             ? compare<double>(argv[1], function->second, argv[3], argv[4])
             : compare<float>(argv[1], function->second, argv[3], argv[4]);
}

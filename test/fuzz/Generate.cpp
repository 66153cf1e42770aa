//===- Generate.cpp - a program around its launches -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"
#include "Program.h"

#include <cmath>
#include <cstdio>
#include <numeric>

namespace tilec::fuzz {

double Facts::mag() const { return std::max(std::fabs(lo), std::fabs(hi)); }

Facts Facts::hull(const Facts &o) const {
  double common = step == 0 || o.step == 0 ? 0 : std::min(step, o.step);
  return {std::min(lo, o.lo), std::max(hi, o.hi), exact && o.exact, std::max(ulps, o.ulps), common};
}

Facts Facts::withZero() const { return {std::min(lo, 0.0), std::max(hi, 0.0), exact, ulps, step}; }

double safeMagnitude(DType type) {
  switch (type) {
  case DType::E4M3FN:
  case DType::E4M3FNUZ:
    return 200;
  case DType::E2M1:
    return 6;
  case DType::F16:
  case DType::E5M2:
  case DType::E5M2FNUZ:
    return 2000;
  default:
    return isFloat(type) ? 1e6 : maxValue(type);
  }
}

std::string quoted(DType type) { return "\"" + std::string(nameOf(type)) + "\""; }

std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", value);
  std::string out = text;
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

Generator::Generator(uint64_t seed) : rng(seed), seed(seed) {}

int64_t Generator::spread(const char *site, int64_t n) {
  uint64_t hash = 1469598103934665603u; // FNV-1a
  for (const char *c = site; *c; ++c)
    hash = (hash ^ static_cast<uint8_t>(*c)) * 1099511628211u;
  uint64_t count = static_cast<uint64_t>(n), stride = hash % count;
  while (std::gcd(stride, count) != 1)
    ++stride;
  uint64_t use = siteUses[site]++;
  uint64_t mixed = (hash >> 20) + seed * stride + use * ((hash >> 40) | 1);
  return rng.percent(25) ? rng.below(n) : static_cast<int64_t>(mixed % count);
}

void Generator::line(const std::string &content) {
  text += std::string(static_cast<size_t>(depth) * 4, ' ') + content + "\n";
}

std::string Generator::fresh(const std::string &stem) {
  return stem + std::to_string(counters[stem]++);
}

std::string Generator::dtypeText(DType type) {
  bool isPlain = type == DType::F32 || type == DType::F16 || type == DType::BF16 ||
                 type == DType::I32 || type == DType::I8;
  return isPlain && rng.percent(25) ? "T." + std::string(nameOf(type)) : quoted(type);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Tensor &Generator::input(DType type, const std::string &shape, bool isRagged) {
  auto tensor = std::make_unique<Tensor>();
  tensor->name = fresh("A");
  tensor->shape = shape;
  tensor->type = type;
  Facts &f = tensor->facts;
  bool isNormal = false;
  if (type == DType::E8M0) {
    f = {0.0625, 8, true, 0, 0.0625};
  } else if (isFloat(type)) {
    isNormal = type != DType::E2M1 && rng.percent(10);
    f.hi = isNormal ? 7 : 1; // of 2^32 normal numbers the largest is 6.7
    f.lo = -f.hi;
    // Few bits make sums exact.
    f.step = type == DType::E4M3FN || type == DType::E4M3FNUZ ? 0x1p-10
             : type == DType::E2M1                            ? 0.5
                                                              : 0;
  } else {
    bool isPositive = isUnsigned(type) || type == DType::Bool;
    f = {isPositive ? 0.0 : -8.0, type == DType::Bool ? 1.0 : isPositive ? 15.0 : 7.0, true, 0, 1};
  }
  if (isRagged)
    f = f.withZero();
  if (isFloat(type) && type != DType::E8M0)
    runOptions.push_back("--arg " + tensor->name + (isNormal ? "=randn" : "=uniform"));
  std::string annotation = "T.Tensor(" + shape + ", " + dtypeText(type) + ")";
  if (rng.percent(10) && shape.find('%') == std::string::npos)
    annotation = "T.Tensor[" + shape + ", " + dtypeText(type) + "]";
  if (style == Style::Eager) {
    params.push_back(tensor->name);
    annotations[tensor->name] = annotation;
  } else {
    params.push_back(tensor->name + ": " + annotation);
  }
  tensors.push_back(std::move(tensor));
  return *tensors.back();
}

Tensor &Generator::output(DType type, const std::string &shape, bool isZeroed) {
  auto tensor = std::make_unique<Tensor>();
  tensor->name = fresh("O");
  tensor->shape = shape;
  tensor->type = type;
  std::string annotation = "T.Tensor(" + shape + ", " + dtypeText(type) + ")";
  if (isZeroed)
    runOptions.push_back("--arg " + tensor->name + "=zeros");
  if (style != Style::Eager) {
    params.push_back(tensor->name + ": " + annotation);
  } else if (isZeroed || rng.percent(30)) {
    params.push_back(tensor->name);
    annotations[tensor->name] = annotation;
  } else {
    std::string made = rng.percent(50) ? "T.empty(" + shape + ", " + dtypeText(type) + ")"
                                       : "T.empty(" + shape.substr(1, shape.size() - 2) +
                                             (shape[shape.size() - 2] == ',' ? " " : ", ") +
                                             "dtype=" + dtypeText(type) + ")";
    workspaces.push_back(tensor->name + " = " + made);
    eagerOutputs.push_back(tensor->name);
  }
  tensors.push_back(std::move(tensor));
  return *tensors.back();
}

std::string Generator::scalarParam(DType type, const std::string &value) {
  std::string name = fresh("s");
  params.push_back(name + ": T." + std::string(nameOf(type)));
  runOptions.push_back("--arg " + name + "=" + value);
  return name;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void Generator::chooseStyle() {
  int roll = static_cast<int>(rng.below(100));
  style = roll < 25   ? Style::PrimFunc
          : roll < 60 ? Style::Factory
          : roll < 75 ? Style::JitFactory
                      : Style::Eager;
}

std::string Generator::signature() const {
  std::string out;
  for (const std::string &param : params)
    out += (out.empty() ? "" : ", ") + param;
  return out;
}

std::string indented(const std::string &text, int levels) {
  std::string out, pad(static_cast<size_t>(levels) * 4, ' ');
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    out += pad + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string Generator::assemble() {
  std::string out = "# tilec-diff --print " + std::to_string(seed) + "\n# traits:";
  for (const std::string &trait : traits)
    out += " " + trait;
  out += "\n# run: --seed " + std::to_string(seed % 1000);
  for (const std::string &option : runOptions)
    out += " " + option;
  std::string dims, body;
  for (const std::string &c : consts)
    (c.find("T.dynamic") != std::string::npos || style != Style::Eager ? dims : body) += c + "\n";
  if (style == Style::Eager) {
    out += " --entry 'program(";
    std::string sizes, names;
    for (const auto &[name, size] : {std::pair("M", M), std::pair("N", N)})
      if ((name[0] == 'M' ? m : n) == name) {
        sizes += (sizes.empty() ? "" : ", ") + std::string(name) + "=" + std::to_string(size);
        names += (names.empty() ? "" : ", ") + std::string(name);
      }
    out += sizes + ")'";
    if (!names.empty())
      body = names + " = T.const(\"" + names + "\")\n" + body;
  }
  out += "\nimport tilelang\nimport tilelang.language as T\n\n" + macros;
  if (style == Style::Eager) {
    for (const auto &[name, annotation] : annotations)
      body += name + ": " + annotation + "\n";
    for (const std::string &w : workspaces)
      body += w + "\n";
    body += text;
    for (size_t i = 0; i < eagerOutputs.size(); ++i)
      body += (i ? ", " : "return ") + eagerOutputs[i] + (i + 1 == eagerOutputs.size() ? "\n" : "");
    return out + dims + "\n@tilelang.jit\ndef program(" + signature() + "):\n" + indented(body, 1);
  }
  for (const std::string &w : workspaces)
    body += w + "\n";
  std::string function =
      "@T.prim_func\ndef main(" + signature() + "):\n" + indented(body + text, 1);
  if (style == Style::PrimFunc)
    return out + dims + "\n" + function;
  std::string jit;
  if (style == Style::JitFactory)
    jit = rng.percent(50) ? "@tilelang.jit(out_idx=[-1])\n" : "@tilelang.jit\n";
  return out + jit + "def program():\n" + indented(dims + function + "return main\n", 1);
}

std::string Generator::run() {
  chooseStyle();
  int launches = rng.percent(12) ? 2 : 1;
  for (int i = 0; i < launches; ++i) {
    isLastLaunch = i + 1 == launches;
    launch(i == 0);
  }
  return assemble();
}

std::string generateProgram(uint64_t seed) { return Generator(seed).run(); }

} // namespace tilec::fuzz

//===- EnvHost.cpp - a tilec_env as the host of a compile -----------------===//
//
// Turns questions of the evaluator about names of the host into calls of the functions of a
// tilec_env, and their answers into values.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EnvHost.h"

#include "Objects.h"

#include <cstdlib>
#include <deque>

using namespace tilec;
using namespace tilec::capi;
using script::HostAnswer;
using script::HostValue;

namespace {

/// Values for the host with the arrays that they point into.
struct Arguments {
  tilec_host_value write(const HostValue &value) {
    tilec_host_value out{};
    out.kind = static_cast<tilec_host_kind>(value.kind);
    out.integer = value.integer;
    out.real = value.real;
    out.text = toC(value.text);
    out.object = value.object;
    if (!value.items.empty()) {
      std::vector<tilec_host_value> items;
      for (const HostValue &item : value.items)
        items.push_back(write(item));
      out.items = arrays.emplace_back(std::move(items)).data();
      out.item_count = value.items.size();
    }
    return out;
  }
  std::deque<std::vector<tilec_host_value>> arrays;
};

bool hasBytes(tilec_str text) { return text.data || text.size == 0; }

} // namespace

EnvHost::~EnvHost() {
  for (uint64_t object : given)
    if (env.release)
      env.release(env.user, object);
}

/// Nothing where the value is none that the header describes. All objects in it are kept, to be
/// given back.
std::optional<HostValue> EnvHost::read(const tilec_host_value &value, unsigned depth) {
  constexpr unsigned deepest = 64;
  if (value.object)
    given.push_back(value.object);
  bool isGood = value.kind >= TILEC_HOST_NONE && value.kind <= TILEC_HOST_OBJECT &&
                hasBytes(value.text) && depth < deepest && (value.items || value.item_count == 0);
  if (!isGood)
    return std::nullopt;
  HostValue out;
  out.kind = static_cast<HostValue::Kind>(value.kind);
  out.integer = value.integer;
  out.real = value.real;
  out.text = fromC(value.text).str();
  out.object = value.object;
  for (size_t i = 0; i < value.item_count; ++i) {
    std::optional<HostValue> item = read(value.items[i], depth + 1);
    isGood &= item.has_value(); // the rest is read for its objects
    if (item)
      out.items.push_back(std::move(*item));
  }
  bool wantsObject = out.kind == HostValue::Function || out.kind == HostValue::Object;
  isGood &= !wantsObject || out.object != 0;
  isGood &= out.kind != HostValue::Dict || out.items.size() % 2 == 0;
  return isGood ? std::optional(std::move(out)) : std::nullopt;
}

HostAnswer EnvHost::answer(tilec_status status, const tilec_host_value &value) {
  HostAnswer answer;
  if (status == TILEC_ERROR_ARGUMENT)
    return answer;
  if (status != TILEC_OK) {
    bool isSaid = value.kind == TILEC_HOST_STR && value.text.data && value.text.size;
    answer.reason = isSaid ? fromC(value.text).str() : "the host has failed";
    return answer;
  }
  answer.value = read(value, 0);
  if (!answer.value)
    answer.reason = "the host has given a malformed value";
  return answer;
}

HostAnswer EnvHost::lookup(uint64_t scope, llvm::StringRef name) {
  tilec_host_value value{};
  tilec_status status = env.lookup(env.user, scope, toC(name), &value);
  return answer(status, value);
}

HostAnswer EnvHost::attribute(uint64_t object, llvm::StringRef name) {
  if (!env.attribute)
    return {};
  tilec_host_value value{};
  tilec_status status = env.attribute(env.user, object, toC(name), &value);
  return answer(status, value);
}

HostAnswer EnvHost::call(uint64_t object, llvm::ArrayRef<HostValue> args,
                         llvm::ArrayRef<std::pair<std::string, HostValue>> keywords) {
  const char *pure = std::getenv("TILEC_PURE");
  if (pure && std::strcmp(pure, "1") == 0)
    return {std::nullopt, "TILEC_PURE=1 forbids calls of the host"};
  if (!env.call)
    return {};
  Arguments arguments;
  std::vector<tilec_host_value> values;
  std::vector<tilec_keyword> named;
  for (const HostValue &arg : args)
    values.push_back(arguments.write(arg));
  for (const auto &[name, value] : keywords)
    named.push_back({toC(name), arguments.write(value)});
  tilec_host_value value{};
  tilec_status status =
      env.call(env.user, object, values.data(), values.size(), named.data(), named.size(), &value);
  return answer(status, value);
}

std::optional<script::HostFunction> EnvHost::source(uint64_t function) {
  if (!env.source)
    return std::nullopt;
  tilec_function_source source{};
  source.size = sizeof source;
  if (env.source(env.user, function, &source) != TILEC_OK || !source.text.data ||
      !hasBytes(source.name) || !hasBytes(source.file))
    return std::nullopt;
  return script::HostFunction{fromC(source.name).str(), fromC(source.text).str(),
                              fromC(source.file).str(), source.first_line};
}

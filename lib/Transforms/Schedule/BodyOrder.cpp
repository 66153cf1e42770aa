//===- BodyOrder.cpp - body orders as text, and near another one ----------===//
//
// Takes an order of the steps of a loop's body, gives it as text and back, and orders that differ
// from it by one move.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/BodyOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace tilec {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string BodyOrder::str() const {
  std::string text = keepsOrder ? "order kept\n" : "order free\n";
  for (size_t at = 0; at < steps.size();) {
    const BodyStep &first = steps[at];
    size_t end = at + 1;
    while (!first.isPriority() && end < steps.size() && steps[end].kind == first.kind &&
           steps[end].number == steps[end - 1].number + 1)
      ++end;
    text += "  " + first.kind + " " + std::to_string(first.number);
    if (end - at > 1)
      text += ".." + std::to_string(steps[end - 1].number);
    text += "\n";
    at = end;
  }
  return text;
}

/// Adds the steps of `line`; false where it is none.
static bool parseSteps(llvm::StringRef line, std::vector<BodyStep> &steps) {
  constexpr int64_t most = 1 << 16; // far more than the largest body has of a kind
  auto [kind, numbers] = line.rsplit(' ');
  auto [firstText, lastText] = numbers.split("..");
  int64_t first = 0, last = 0;
  kind = kind.rtrim();
  if (kind.empty() || firstText.getAsInteger(10, first) || first < 0 || first > most)
    return false;
  last = first;
  if (numbers.contains("..") &&
      (lastText.getAsInteger(10, last) || last < first || last > most || kind == "prio"))
    return false;
  if (kind == "prio" && first > 3)
    return false;
  for (; first <= last; ++first)
    steps.push_back({kind.str(), first});
  return true;
}

llvm::Expected<BodyOrder> BodyOrder::parse(llvm::StringRef text) {
  BodyOrder order;
  bool hasHeader = false;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, whole] : llvm::enumerate(lines)) {
    llvm::StringRef line = whole.split('#').first.trim();
    if (line.empty())
      continue;
    bool isGood = false;
    if (!hasHeader) {
      isGood = line == "order kept" || line == "order free";
      order.keepsOrder = line == "order kept";
      hasHeader = true;
    } else {
      isGood = parseSteps(line, order.steps);
    }
    if (!isGood)
      return llvm::createStringError(
          "line %u: `%s` is no part of an order, which begins with `order kept` or `order free` "
          "and goes on with steps as `mma acc 0..7`, `exp2 3`, `prio 1`",
          static_cast<unsigned>(number + 1), line.str().c_str());
  }
  if (!hasHeader)
    return llvm::createStringError("line 1: an order begins with `order kept` or `order free`");
  return order;
}

//===----------------------------------------------------------------------===//
// Variation
//===----------------------------------------------------------------------===//

namespace {

constexpr size_t mostTries = 8, mostChanges = 3;

using Steps = std::vector<BodyStep>;

size_t place(const Steps &steps, PlanRandom &random) { return random.below(steps.size() + 1); }

/// A run of steps of one kind from one place to another.
void moveRun(Steps &steps, PlanRandom &random) {
  size_t from = random.below(steps.size()), end = from + 1, most = 1 + random.below(8);
  while (end < steps.size() && end - from < most && steps[end].kind == steps[from].kind)
    ++end;
  Steps run(steps.begin() + int64_t(from), steps.begin() + int64_t(end));
  steps.erase(steps.begin() + int64_t(from), steps.begin() + int64_t(end));
  // Mostly near.
  size_t reach = std::max<size_t>(steps.size() / (random.below(2) ? 2 : 8), 1);
  size_t low = from > reach ? from - reach : 0, high = std::min(from + reach, steps.size());
  size_t to = low + random.below(high - low + 1);
  steps.insert(steps.begin() + int64_t(to), run.begin(), run.end());
}

/// All steps of a kind so many places earlier: reads ahead of what takes them.
void leadKind(Steps &steps, PlanRandom &random) {
  std::string kind = steps[random.below(steps.size())].kind;
  size_t by = 1 + random.below(std::max<size_t>(steps.size() / 4, 1));
  for (size_t at = 0; at < steps.size(); ++at)
    if (steps[at].kind == kind) {
      size_t to = at > by ? at - by : 0;
      std::rotate(steps.begin() + int64_t(to), steps.begin() + int64_t(at),
                  steps.begin() + int64_t(at) + 1);
    }
}

/// Two neighbouring ranges merged, so that each is spread over both.
void interleave(Steps &steps, PlanRandom &random) {
  size_t a = place(steps, random), b = place(steps, random), c = place(steps, random);
  size_t bounds[] = {a, b, c};
  std::sort(std::begin(bounds), std::end(bounds));
  size_t first = bounds[1] - bounds[0], second = bounds[2] - bounds[1];
  if (first == 0 || second == 0)
    return;
  Steps merged;
  for (size_t i = 0, j = 0; i < first || j < second;) {
    bool takesFirst = j >= second || (i < first && i * second <= j * first);
    merged.push_back(steps[takesFirst ? bounds[0] + i++ : bounds[1] + j++]);
  }
  std::copy(merged.begin(), merged.end(), steps.begin() + int64_t(bounds[0]));
}

void changePriority(Steps &steps, PlanRandom &random) {
  constexpr size_t levels = 4;
  std::vector<size_t> places;
  for (auto [at, step] : llvm::enumerate(steps))
    if (step.isPriority())
      places.push_back(at);
  size_t form = random.below(4);
  if (places.empty() || form == 0) {
    steps.insert(steps.begin() + int64_t(place(steps, random)),
                 {"prio", static_cast<int64_t>(random.below(levels))});
    return;
  }
  size_t at = places[random.below(places.size())];
  if (form == 1) {
    steps[at].number = static_cast<int64_t>(random.below(levels));
    return;
  }
  BodyStep step = steps[at];
  steps.erase(steps.begin() + int64_t(at));
  if (form == 2)
    steps.insert(steps.begin() + int64_t(place(steps, random)), step);
}

} // namespace

std::optional<BodyOrder> variedOrder(const BodyOrder &order, const LoopBody &body,
                                     PlanRandom &random) {
  if (order.steps.empty())
    return std::nullopt;
  for (size_t n = 0; n < mostTries; ++n) {
    BodyOrder tried = order;
    size_t changes = 1 + random.below(mostChanges);
    for (size_t c = 0; c < changes && !tried.steps.empty(); ++c)
      switch (random.below(8)) {
      case 0:
      case 1:
        changePriority(tried.steps, random);
        break;
      case 2:
        leadKind(tried.steps, random);
        break;
      case 3:
        interleave(tried.steps, random);
        break;
      case 4:
        tried.keepsOrder = !tried.keepsOrder;
        break;
      default:
        moveRun(tried.steps, random);
      }
    tried = body.repaired(tried);
    if (!(tried == order))
      return tried;
  }
  return std::nullopt;
}

} // namespace tilec

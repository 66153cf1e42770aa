//===- SchedulePlan.cpp - plans as text -----------------------------------===//
//
// Makes steps of a plan, writes plans as text, and reads them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/SchedulePlan.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tilec {

void ScheduleShape::setProportionalCover() {
  for (int operand = 0; operand < 2; ++operand) {
    int64_t reps = this->reps(static_cast<MmaOperand>(operand)), copies = dmas[operand];
    cover[operand].clear();
    for (int64_t rep = 0; rep < reps; ++rep) {
      int64_t first = rep * copies / reps, last = ((rep + 1) * copies - 1) / reps;
      uint64_t mask = 0;
      for (int64_t d = first; d <= last; ++d)
        mask |= uint64_t(1) << d;
      cover[operand].insert(cover[operand].end(), readsAlongK(), mask);
    }
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

ScheduleStep ScheduleStep::dma(MmaOperand operand, int64_t index, int64_t tile) {
  ScheduleStep step;
  step.kind = Dma;
  step.operand = operand;
  step.i = index;
  step.tile = tile;
  return step;
}

ScheduleStep ScheduleStep::read(MmaOperand operand, int64_t rep, int64_t k, int64_t tile) {
  ScheduleStep step;
  step.kind = Read;
  step.operand = operand;
  step.i = rep;
  step.k = k;
  step.tile = tile;
  return step;
}

ScheduleStep ScheduleStep::mma(int64_t m, int64_t n, int64_t k, int64_t tile) {
  ScheduleStep step;
  step.kind = Mma;
  step.i = m;
  step.j = n;
  step.k = k;
  step.tile = tile;
  return step;
}

ScheduleStep ScheduleStep::wait(int64_t vm, int64_t lgkm) {
  ScheduleStep step;
  step.kind = Wait;
  step.vm = vm;
  step.lgkm = lgkm;
  return step;
}

ScheduleStep ScheduleStep::barrier() { return {}; }

ScheduleStep ScheduleStep::priority(int64_t level) {
  ScheduleStep step;
  step.kind = Priority;
  step.i = level;
  return step;
}

ScheduleStep ScheduleStep::mark(llvm::StringRef label) {
  ScheduleStep step;
  step.kind = Mark;
  step.label = label.str();
  return step;
}

static std::string countText(const char *name, int64_t count) {
  if (count == ScheduleStep::noCount)
    return "";
  return " " + std::string(name) + "(" +
         (count == ScheduleStep::autoCount ? "auto" : std::to_string(count)) + ")";
}

std::string ScheduleStep::name() const {
  const char *operandName = operand == MmaOperand::A ? " A " : " B ";
  switch (kind) {
  case Dma:
    return std::string("dma") + operandName + std::to_string(i);
  case Read:
    return std::string("read") + operandName + std::to_string(i) + " " + std::to_string(k);
  case Mma:
    return "mma " + std::to_string(i) + " " + std::to_string(j) + " " + std::to_string(k);
  case Wait:
    return "wait" + countText("vm", vm) + countText("lgkm", lgkm);
  case Barrier:
    return "barrier";
  case Priority:
    return "prio " + std::to_string(i);
  case Mark:
    return "mark \"" + label + "\"";
  }
  return "";
}

std::string ScheduleStep::str() const {
  return isWork() ? name() + " +" + std::to_string(tile) : name();
}

namespace {

/// Words and numbers of one line.
class LineReader {
public:
  explicit LineReader(llvm::StringRef line) : rest(line.trim()) {}

  llvm::StringRef word() {
    rest = rest.ltrim();
    llvm::StringRef result = rest.take_until([](char c) { return c == ' ' || c == '\t'; });
    rest = rest.drop_front(result.size());
    return result;
  }
  bool number(int64_t &value) {
    llvm::StringRef text = word();
    text.consume_front("+");
    return !text.empty() && text.size() < 8 && !text.getAsInteger(10, value) && value >= 0;
  }
  bool operand(MmaOperand &value) {
    llvm::StringRef text = word();
    value = text == "B" ? MmaOperand::B : MmaOperand::A;
    return text == "A" || text == "B";
  }
  bool atEnd() { return rest.trim().empty(); }
  llvm::StringRef remaining() const { return rest; }

private:
  llvm::StringRef rest;
};

bool parseWait(LineReader &in, ScheduleStep &step) {
  bool any = false;
  while (!in.atEnd()) {
    llvm::StringRef text = in.word();
    bool isVm = text.consume_front("vm(");
    if (!isVm && !text.consume_front("lgkm("))
      return false;
    if (!text.consume_back(")"))
      return false;
    int64_t &count = isVm ? step.vm : step.lgkm;
    if (isVm && text == "auto")
      count = ScheduleStep::autoCount;
    else if (text.size() > 4 || text.getAsInteger(10, count) || count < 0)
      return false;
    any = true;
  }
  return any;
}

bool parseStep(LineReader &in, ScheduleStep &step) {
  llvm::StringRef kind = in.word();
  if (kind == "dma") {
    step.kind = ScheduleStep::Dma;
    return in.operand(step.operand) && in.number(step.i) && in.number(step.tile);
  }
  if (kind == "read") {
    step.kind = ScheduleStep::Read;
    return in.operand(step.operand) && in.number(step.i) && in.number(step.k) &&
           in.number(step.tile);
  }
  if (kind == "mma") {
    step.kind = ScheduleStep::Mma;
    return in.number(step.i) && in.number(step.j) && in.number(step.k) && in.number(step.tile);
  }
  if (kind == "wait") {
    step.kind = ScheduleStep::Wait;
    return parseWait(in, step);
  }
  if (kind == "barrier")
    return true;
  if (kind == "prio") {
    step.kind = ScheduleStep::Priority;
    return in.number(step.i);
  }
  return false;
}

} // namespace

llvm::Expected<ScheduleStep> ScheduleStep::parse(llvm::StringRef text) {
  ScheduleStep step;
  text = text.trim();
  if (text.consume_front("mark \"")) {
    if (text.consume_back("\"") && !text.contains('"'))
      return mark(text);
    return llvm::createStringError("a mark is `mark \"text\"`");
  }
  LineReader in(text);
  if (parseStep(in, step) && in.atEnd())
    return step;
  return llvm::createStringError(
      "`%s` is no step of a schedule; steps are `dma A 0 +2`, `read B 0 1 +0`, `mma 0 1 0 +0`, "
      "`wait vm(auto) lgkm(0)`, `barrier`, `prio 1`, `mark \"text\"`",
      text.str().c_str());
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

int64_t SchedulePlan::lookahead() const {
  int64_t most = 0;
  for (const ScheduleStep &step : body)
    if (step.isWork())
      most = std::max(most, step.tile);
  return most;
}

SchedulePlan SchedulePlan::repeated(int64_t times) const {
  SchedulePlan result = *this;
  for (int64_t copy = 1; copy < times; ++copy)
    for (ScheduleStep step : body) {
      if (step.isWork())
        step.tile += copy * tilesPerRound;
      result.body.push_back(step);
    }
  result.tilesPerRound *= times;
  return result;
}

std::string SchedulePlan::str() const {
  std::string text = "schedule " + strategy + " tiles " + std::to_string(tilesPerRound) +
                     " stagger " + std::to_string(stagger) + (autoLgkm ? " lgkm auto\n" : "\n");
  for (const ScheduleStep &step : body)
    text += "  " + step.str() + "\n";
  return text;
}

constexpr const char *headerRule =
    "a schedule begins with `schedule NAME tiles N stagger N`, and perhaps `lgkm auto`";

llvm::Expected<SchedulePlan> SchedulePlan::parse(llvm::StringRef text) {
  SchedulePlan plan;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  bool hasHeader = false;
  for (auto [number, line] : llvm::enumerate(lines)) {
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    if (!hasHeader) {
      LineReader in(line);
      bool ok = in.word() == "schedule";
      plan.strategy = in.word().str();
      ok = ok && in.word() == "tiles" && in.number(plan.tilesPerRound) && plan.tilesPerRound > 0;
      ok = ok && in.word() == "stagger" && in.number(plan.stagger);
      plan.autoLgkm = ok && !in.atEnd();
      ok = ok && (!plan.autoLgkm || (in.word() == "lgkm" && in.word() == "auto")) && in.atEnd();
      if (!ok)
        return llvm::createStringError("line %u: %s", static_cast<unsigned>(number + 1),
                                       headerRule);
      hasHeader = true;
      continue;
    }
    llvm::Expected<ScheduleStep> step = ScheduleStep::parse(line);
    if (!step)
      return llvm::createStringError("line %u: %s", static_cast<unsigned>(number + 1),
                                     llvm::toString(step.takeError()).c_str());
    plan.body.push_back(*step);
  }
  if (!hasHeader)
    return llvm::createStringError(headerRule);
  return plan;
}

} // namespace tilec

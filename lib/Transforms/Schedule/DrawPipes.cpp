//===- DrawPipes.cpp - producers, consumers and slots as a picture --------===//
//
// The horizontal unit is one round of a consumer. A slot is filled from when its last
// reader has released it until the round that reads it; what is drawn follows from the
// number of slots, the rounds that a slot is kept, and the teams. How long a copy takes
// is not known here: the bar is the time that it may take.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/Svg.h"

#include "tilec/IR/Tile/Tile.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilec {
namespace {

constexpr const char *fillColour = "#d98032", *readColour = "#3f6fb5", *keptColour = "#9db7dc";
constexpr double leftMargin = 170, topMargin = 72, rowHeight = 28, barHeight = 20, unit = 64;

/// What an op of a role does, in a few words; empty for what only computes.
std::string wordsOf(Operation &op) {
  if (auto copy = dyn_cast<tile::TmaCopyOp>(op)) {
    Operation *alloc = copy.getDst().getDefiningOp();
    while (auto view = dyn_cast_or_null<tile::SubviewOp>(alloc))
      alloc = view.getOperand(0).getDefiningOp();
    auto buffer = dyn_cast_or_null<tile::AllocOp>(alloc);
    return ("copy to " + (buffer ? buffer.getName() : "a slot")).str();
  }
  if (auto wait = dyn_cast<tile::GemmWaitOp>(op))
    return "wait until at most " + std::to_string(wait.getPending()) + " is in flight";
  if (auto release = dyn_cast<tile::PipeReleaseOp>(op))
    return release.getPrevious() ? "release the slot of the round before" : "release the slot";
  if (isa<tile::PipeAcquireOp>(op))
    return "wait for an empty slot";
  if (isa<tile::PipeWaitOp>(op))
    return "wait for a full slot";
  if (isa<tile::SubviewOp>(op) || op.hasTrait<OpTrait::IsTerminator>() ||
      op.getDialect()->getNamespace() != tile::TileDialect::getDialectNamespace())
    return "";
  return op.getName().stripDialect().str();
}

std::vector<std::string> stepsOf(Block *block) {
  std::vector<std::string> steps;
  for (Operation &op : *block)
    if (std::string words = wordsOf(op); !words.empty())
      steps.push_back(words);
  return steps;
}

struct Timeline {
  const PipePlan &plan;
  Svg &svg;
  int64_t rounds; ///< drawn

  /// From one round to the next. Where a slot is released no earlier than the round that wants it
  /// filled again, the consumers have to wait for the copy.
  double period() const { return plan.slots - plan.lag < 2 ? 2 : 1; }
  double startOf(int64_t round) const { return double(round) * period(); }
  double at(double time) const { return leftMargin + time * unit; }

  void bar(int64_t row, double from, double to, const char *colour, const std::string &text) {
    from = std::max(from, 0.0);
    to = std::min(to, startOf(rounds));
    if (to <= from)
      return;
    double y = topMargin + double(row) * rowHeight;
    svg.rect(at(from) + 1, y, (to - from) * unit - 2, barHeight, colour, 1, text);
    svg.text(at(from) + 5, y + 14, text,
             colour == readColour ? "font-size=\"10\" fill=\"#fff\""
                                  : "font-size=\"10\" fill=\"#111\"");
  }

  void label(int64_t row, const std::string &text) {
    svg.text(8, topMargin + double(row) * rowHeight + 14, text);
  }

  /// The slot that round `n` reads may be filled from then on: the first ones at once.
  double freeAt(int64_t n) const {
    return n < plan.slots ? 0 : startOf(n - plan.slots + plan.lag) + 1;
  }

  void draw() {
    for (int64_t round = 0; round <= rounds; ++round) {
      svg.line(at(startOf(round)), topMargin - 8, at(startOf(round)),
               topMargin + double(rows()) * rowHeight, "#dddddd");
      if (round < rounds)
        svg.text(at(startOf(round)) + 4, topMargin - 12, "round " + std::to_string(round),
                 "font-size=\"9\" fill=\"#555\"");
    }
    label(0, "producer");
    for (int64_t slot = 0; slot < plan.slots; ++slot)
      label(1 + slot, llvm::formatv("slot {0}", slot));
    label(1 + plan.slots, plan.teams > 1 ? "consumers in turn" : "consumers");
    for (int64_t n = 0; n < rounds + plan.slots; ++n)
      drawRound(n);
  }

  void drawRound(int64_t n) {
    int64_t slot = n % plan.slots;
    std::string number = std::to_string(n);
    // It starts one fill after the other, each when its slot is free.
    if (n >= plan.slots)
      bar(0, freeAt(n), freeAt(n) + 1, fillColour, "fill " + number);
    bar(1 + slot, freeAt(n), startOf(n), fillColour, "fill " + number);
    bar(1 + slot, startOf(n), startOf(n) + 1, readColour, "read " + number);
    bar(1 + slot, startOf(n) + 1, startOf(n + plan.lag) + 1, keptColour, "kept");
    bar(1 + plan.slots, startOf(n), startOf(n) + 1, readColour, "multiply " + number);
  }

  int64_t rows() const { return 2 + plan.slots; }
};

double listSteps(Svg &svg, double x, double y, llvm::StringRef title,
                 llvm::ArrayRef<std::string> steps) {
  svg.text(x, y, title, "font-size=\"11\" font-weight=\"bold\"");
  for (const std::string &step : steps)
    svg.text(x, y += 14, step, "font-size=\"10\"");
  return y;
}

} // namespace

std::vector<PipePlan> pipePlansOf(tile::ProgramOp program) {
  std::vector<PipePlan> plans;
  program.walk([&](tile::PipeOp pipe) {
    PipePlan plan;
    auto kernel = pipe->getParentOfType<tile::KernelOp>();
    plan.kernel = kernel.getName().str();
    plan.slots = pipe.getStages();
    plan.slotBytes = pipe.getBytes();
    plan.teams = std::max<int64_t>(1, kernel.getTeams());
    for (Operation *user : pipe.getPipe().getUsers()) {
      if (isa<tile::PipeAcquireOp>(user) && plan.producer.empty())
        plan.producer = stepsOf(user->getBlock());
      if (isa<tile::PipeWaitOp>(user) && plan.consumer.empty())
        plan.consumer = stepsOf(user->getBlock());
      if (auto release = dyn_cast<tile::PipeReleaseOp>(user))
        plan.lag = std::max<int64_t>(plan.lag, release.getPrevious());
    }
    plans.push_back(std::move(plan));
  });
  return plans;
}

SchedulePicture drawPipe(const PipePlan &plan) {
  Svg svg;
  svg.text(
      8, 20,
      llvm::formatv("{0}: a producer and {1} over {2} slots of {3} bytes", plan.kernel,
                    plan.teams > 1
                        ? llvm::formatv("{0} teams, which take tiles in turn,", plan.teams).str()
                        : "its consumers",
                    plan.slots, plan.slotBytes)
          .str(),
      "font-size=\"14\"");
  svg.text(8, 38,
           "time to the right, in rounds of the consumers; a bar of a fill is the time that "
           "its copies may take",
           "font-size=\"10\" fill=\"#555\"");
  Timeline timeline{plan, svg, plan.slots + 4};
  timeline.draw();
  double y = topMargin + double(timeline.rows()) * rowHeight + 20, x = 8;
  for (auto [text, colour] : {std::pair("filled by the producer", fillColour),
                              std::pair("read by a multiplication", readColour),
                              std::pair("kept for one that is in flight", keptColour)}) {
    svg.rect(x, y - 9, 10, 10, colour);
    svg.text(x + 15, y, text, "font-size=\"10\"");
    x += 190;
  }
  listSteps(svg, 8, y + 24, "a round of the producer", plan.producer);
  listSteps(svg, 300, y + 24, "a round of the consumers", plan.consumer);
  return svg.take();
}

} // namespace tilec

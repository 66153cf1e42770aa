//===- DrawPipes.cpp - loops over the slots of a ring as a picture --------===//
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

tile::AllocOp bufferOf(Value view) {
  Operation *op = view.getDefiningOp();
  while (auto subview = dyn_cast_or_null<tile::SubviewOp>(op))
    op = subview.getOperand(0).getDefiningOp();
  return dyn_cast_or_null<tile::AllocOp>(op);
}

std::string nameOfBuffer(Value view) {
  tile::AllocOp buffer = bufferOf(view);
  return buffer ? buffer.getName().str() : "a slot";
}

/// The script's line of an op: ` (line 12)`, or nothing.
std::string lineOf(Operation &op) {
  auto place = op.getLoc()->findInstanceOf<FileLineColLoc>();
  return place ? " (line " + std::to_string(place.getLine()) + ")" : "";
}

std::string waitOf(uint64_t pending, llvm::StringRef what) {
  if (pending == 0)
    return ("wait until no " + what + " is in flight").str();
  return llvm::formatv("wait until at most {0} {1}{2} in flight", pending, what,
                       pending == 1 ? " is" : "s are");
}

/// What an op of a role does, in a few words; empty for what takes no time.
std::string wordsOf(Operation &op) {
  if (auto copy = dyn_cast<tile::TmaCopyOp>(op))
    return "copy to " + nameOfBuffer(copy.getDst());
  if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
    return "start the copy of a later round to " + nameOfBuffer(copy.getDst());
  if (isa<tile::AsyncCommitOp>(op))
    return "end the group of copies";
  if (auto wait = dyn_cast<tile::AsyncWaitOp>(op))
    return waitOf(wait.getPending(), "group");
  if (auto wait = dyn_cast<tile::GemmWaitOp>(op))
    return waitOf(wait.getPending(), "gemm");
  if (auto release = dyn_cast<tile::PipeReleaseOp>(op))
    return release.getPrevious() ? "release the slot of the round before" : "release the slot";
  if (isa<tile::PipeAcquireOp>(op))
    return "wait for an empty slot";
  if (isa<tile::PipeWaitOp>(op))
    return "wait for a full slot";
  if (isa<tile::IssueFenceOp>(op))
    return "what stands above is issued first";
  if (auto turn = dyn_cast<tile::GroupTurnOp>(op))
    return turn.getPass() ? "give the turn to the next warp group" : "wait for the turn";
  if (isa<tile::SubviewOp, tile::AllocOp>(op) || op.hasTrait<OpTrait::IsTerminator>() ||
      op.getDialect()->getNamespace() != tile::TileDialect::getDialectNamespace())
    return "";
  return op.getName().stripDialect().str() + lineOf(op);
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
    label(0, plan.hasProducer ? "producer" : "copies");
    for (int64_t slot = 0; slot < plan.slots; ++slot)
      label(1 + slot, llvm::formatv("slot {0}", slot));
    label(1 + plan.slots, !plan.hasProducer ? "the block"
                          : plan.teams > 1  ? "consumers in turn"
                                            : "consumers");
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
    bar(1 + plan.slots, startOf(n), startOf(n) + 1, readColour, "round " + number);
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

/// A loop whose threads start copies of later rounds themselves, or nothing. Loops that rotate get
/// a planned order, which is drawn as such.
std::optional<PipePlan> ownCopiesOf(tile::ForOp loop) {
  PipePlan plan;
  plan.hasProducer = false;
  bool waits = false;
  llvm::SmallPtrSet<Operation *, 4> buffers;
  for (Operation &op : *loop.bodyBlock()) {
    waits |= isa<tile::AsyncWaitOp>(op);
    auto copy = dyn_cast<tile::AsyncCopyOp>(op);
    tile::AllocOp buffer = copy ? bufferOf(copy.getDst()) : tile::AllocOp();
    if (!buffer || !buffers.insert(buffer).second)
      continue;
    auto ring = cast<tile::BufferType>(buffer.getResult().getType());
    auto slot = cast<tile::BufferType>(copy.getDst().getType());
    if (ring.rank() == slot.rank())
      continue; // one slot
    plan.slots = std::max(plan.slots, ring.getShape().front());
    plan.slotBytes += slot.numElems() * bitsOf(tile::dtypeOf(slot.getElementType())) / 8;
  }
  if (!waits || plan.slots < 2 || loop.getRotate())
    return std::nullopt;
  plan.kernel = loop->getParentOfType<tile::KernelOp>().getName().str();
  plan.consumer = stepsOf(loop.bodyBlock());
  return plan;
}

int64_t loopsAround(Block *block) {
  int64_t loops = 0;
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    loops += isa<tile::ForOp>(op);
  return loops;
}

/// The block of `op` replaces `block` when it is the first one, or in more loops: what stands
/// before and behind a loop is only its first and last round.
void takeRound(Operation *op, Block *&block) {
  if (!block || loopsAround(op->getBlock()) > loopsAround(block))
    block = op->getBlock();
}

/// The buffers that are filled behind `acquire`, up to the next one: `k`, `v`.
std::string filledBehind(tile::PipeAcquireOp acquire) {
  std::string names;
  for (Operation *op = acquire->getNextNode(); op && !isa<tile::PipeAcquireOp>(op);
       op = op->getNextNode())
    if (auto copy = dyn_cast<tile::TmaCopyOp>(op))
      names += (names.empty() ? "`" : "`, `") + nameOfBuffer(copy.getDst());
  return names.empty() ? "" : names + "`";
}

std::string titleOf(const PipePlan &plan) {
  std::string who = "a producer and its consumers";
  if (!plan.hasProducer)
    who = "threads that copy ahead";
  else if (plan.teams > 1)
    who = "a producer and " + std::to_string(plan.teams) + " teams, which take tiles in turn,";
  return llvm::formatv("{0}: {1} over {2} slots of {3} bytes{4}{5}", plan.kernel, who, plan.slots,
                       plan.slotBytes, plan.buffers.empty() ? "" : " for ", plan.buffers);
}

} // namespace

std::vector<PipePlan> pipePlansOf(tile::ProgramOp program) {
  std::vector<PipePlan> plans;
  program.walk([&](tile::ForOp loop) {
    if (std::optional<PipePlan> plan = ownCopiesOf(loop))
      plans.push_back(std::move(*plan));
  });
  program.walk([&](tile::PipeOp pipe) {
    PipePlan plan;
    auto kernel = pipe->getParentOfType<tile::KernelOp>();
    plan.kernel = kernel.getName().str();
    plan.slots = pipe.getStages();
    plan.slotBytes = pipe.getBytes();
    plan.teams = std::max<int64_t>(1, kernel.getTeams());
    Block *producer = nullptr, *consumer = nullptr;
    for (Operation *user : pipe.getPipe().getUsers()) {
      if (auto acquire = dyn_cast<tile::PipeAcquireOp>(user)) {
        takeRound(acquire, producer);
        plan.buffers = filledBehind(acquire);
      }
      if (isa<tile::PipeWaitOp>(user))
        takeRound(user, consumer);
      if (auto release = dyn_cast<tile::PipeReleaseOp>(user))
        plan.lag = std::max<int64_t>(plan.lag, release.getPrevious());
    }
    if (producer)
      plan.producer = stepsOf(producer);
    if (consumer)
      plan.consumer = stepsOf(consumer);
    plans.push_back(std::move(plan));
  });
  return plans;
}

SchedulePicture drawPipe(const PipePlan &plan) {
  Svg svg;
  svg.text(8, 20, titleOf(plan), "font-size=\"14\"");
  svg.text(8, 38, "time to the right, in rounds; a bar of a fill is the time its copies may take",
           "font-size=\"10\" fill=\"#555\"");
  Timeline timeline{plan, svg, plan.slots + 4};
  timeline.draw();
  double y = topMargin + double(timeline.rows()) * rowHeight + 20, x = 8;
  for (auto [text, colour] : {std::pair("filled by copies in flight", fillColour),
                              std::pair("read in its round", readColour),
                              std::pair("kept for a product in flight", keptColour)}) {
    if (colour == keptColour && plan.lag == 0)
      continue;
    svg.rect(x, y - 9, 10, 10, colour);
    svg.text(x + 15, y, text, "font-size=\"10\"");
    x += 190;
  }
  if (plan.hasProducer)
    listSteps(svg, 8, y + 24, "a round of the producer", plan.producer);
  listSteps(svg, plan.hasProducer ? 300 : 8, y + 24,
            plan.hasProducer ? "a round of the consumers" : "a round of the block", plan.consumer);
  return svg.take();
}

} // namespace tilec

//===- DrawSchedule.cpp - one round of a plan as a picture ----------------===//
//
// Every step has a column. Work is drawn in rows by its kind; waits, barriers and
// priorities are lines through all rows, with their text below.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/Svg.h"

#include "tilec/Transforms/SchedulePlan.h"

#include "llvm/Support/FormatVariadic.h"

namespace tilec {
namespace {

struct Row {
  const char *label, *colour;
};
/// By ScheduleStep::Kind, as far as drawn in rows.
constexpr Row rows[] = {{"copies to shared", "#d98032"},
                        {"shared reads", "#4d8c57"},
                        {"matrix instructions", "#3f6fb5"}};
constexpr double leftMargin = 150, axis = 64, topMargin = 72, rowHeight = 34, stepWidth = 7;
constexpr double bottom = topMargin + 3 * rowHeight;
constexpr int64_t stepsOfTick = 10;
constexpr const char *small = "font-size=\"9\" fill=\"#555\"";

/// Darker for the tile at hand, lighter for those ahead.
double opacityOf(int64_t tile) { return 1.0 - 0.25 * double(std::min<int64_t>(tile, 3)); }

const char *colourOf(ScheduleStep::Kind kind) {
  return kind == ScheduleStep::Barrier ? "#b3261e"
         : kind == ScheduleStep::Wait  ? "#6b4fa0"
                                       : "#888888";
}

void drawAxis(Svg &svg, int64_t steps) {
  double end = leftMargin + double(steps) * stepWidth;
  svg.text(8, axis, "step of the round", small);
  svg.line(leftMargin, axis + 4, end, axis + 4, "#999999");
  for (int64_t step = 0; step <= steps; step += stepsOfTick) {
    double x = leftMargin + double(step) * stepWidth;
    svg.line(x, axis, x, axis + 4, "#999999");
    svg.text(x + 2, axis, std::to_string(step), small);
  }
}

void drawLegend(Svg &svg, const SchedulePlan &plan, double y) {
  double x = 8;
  auto entry = [&](llvm::StringRef text, llvm::StringRef colour, double opacity, bool isLine) {
    if (isLine)
      svg.line(x + 5, y - 9, x + 5, y + 1, colour, 2);
    else
      svg.rect(x, y - 9, 10, 10, colour, opacity);
    svg.text(x + 15, y, text, "font-size=\"10\"");
    x += 30 + 6.2 * double(text.size());
  };
  for (int64_t tile = 0; tile <= std::min<int64_t>(plan.lookahead(), 3); ++tile)
    entry(tile == 0 ? std::string("for the K tile at hand")
                    : llvm::formatv("{0} ahead", tile).str(),
          "#555555", opacityOf(tile), false);
  for (auto [kind, text] :
       {std::pair(ScheduleStep::Barrier, "barrier of the block"),
        std::pair(ScheduleStep::Wait, "wait for loads (vm) or shared reads (lgkm)"),
        std::pair(ScheduleStep::Priority, "priority")})
    if (llvm::any_of(plan.body, [kind = kind](const ScheduleStep &s) { return s.kind == kind; }))
      entry(text, colourOf(kind), 1, true);
}

struct Label {
  double x, y;
  std::string text;
  const char *colour;
};

} // namespace

SchedulePicture drawSchedule(const SchedulePlan &plan, llvm::StringRef title) {
  Svg svg;
  svg.text(8, 20,
           llvm::formatv("{0}: {1}, a round of {2} K tile{3}{4}", title, plan.strategy,
                         plan.tilesPerRound, plan.tilesPerRound == 1 ? "" : "s",
                         plan.hasLoop() ? "" : "; too few tiles for a loop, they stand in a line")
               .str(),
           "font-size=\"14\"");
  for (int row = 0; row < 3; ++row)
    svg.text(8, topMargin + row * rowHeight + 20, rows[row].label);
  double x = leftMargin;
  int64_t steps = 0;
  LabelRows marks, labels;
  llvm::SmallVector<Label> written;
  for (const ScheduleStep &step : plan.body) {
    std::string text = step.str();
    if (step.kind == ScheduleStep::Mark) {
      if (step.label == SchedulePlan::noLoop)
        continue;
      double y = axis - 14 - labelHeight * double(marks.place(x, step.label));
      svg.text(x, y, step.label, "font-size=\"10\" fill=\"#222\"");
      svg.line(x, y + 2, x, bottom, "#cccccc", 0.7);
      continue;
    }
    if (step.isWork()) {
      svg.rect(x, topMargin + int(step.kind) * rowHeight + 4, stepWidth - 1, 24,
               rows[step.kind].colour, opacityOf(step.tile), text);
    } else {
      double y = bottom + 14 + labelHeight * double(labels.place(x, text));
      svg.line(x + stepWidth / 2, topMargin, x + stepWidth / 2, y - 8, colourOf(step.kind),
               step.kind == ScheduleStep::Barrier ? 2 : 1, text);
      written.push_back({x + stepWidth / 2 + 2, y, text, colourOf(step.kind)});
    }
    x += stepWidth;
    ++steps;
  }
  // Behind all lines, with a rim: the line of a later step may run through a label.
  for (const Label &label : written)
    svg.text(label.x, label.y, label.text,
             llvm::formatv("font-size=\"9\" fill=\"{0}\" stroke=\"white\" stroke-width=\"3\" "
                           "paint-order=\"stroke\"",
                           label.colour)
                 .str());
  drawAxis(svg, steps);
  drawLegend(svg, plan, bottom + 26 + labelHeight * double(labels.count()));
  return svg.take();
}

} // namespace tilec

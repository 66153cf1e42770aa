//===- DrawSchedule.cpp - one round of a plan as a picture ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/SchedulePlan.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {
namespace {

struct Row {
  const char *label, *colour;
};
/// By ScheduleStep::Kind, as far as drawn in rows.
constexpr Row rows[] = {{"copies to shared", "#d98032"},
                        {"shared reads", "#4d8c57"},
                        {"matrix instructions", "#3f6fb5"}};
constexpr int leftMargin = 150, topMargin = 56, rowHeight = 34, stepWidth = 6;

std::string escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '&':
      result += "&amp;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

} // namespace

void drawSchedule(llvm::raw_ostream &os, const SchedulePlan &plan, llvm::StringRef title) {
  int64_t width = leftMargin + int64_t(plan.body.size()) * stepWidth + 20;
  int64_t bottom = topMargin + 3 * rowHeight;
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                      "font-family=\"sans-serif\" font-size=\"12\">\n",
                      width, bottom + 56);
  os << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  os << llvm::formatv("<text x=\"8\" y=\"20\" font-size=\"14\">{0}: {1}, a round of {2} K "
                      "tiles</text>\n",
                      escaped(title), escaped(plan.strategy), plan.tilesPerRound);
  for (int row = 0; row < 3; ++row)
    os << llvm::formatv("<text x=\"8\" y=\"{0}\">{1}</text>\n", topMargin + row * rowHeight + 20,
                        rows[row].label);
  int64_t x = leftMargin, labelRow = 0;
  for (const ScheduleStep &step : plan.body) {
    std::string tip = escaped(step.str());
    if (step.isWork()) {
      int row = step.kind;
      // Darker for the tile at hand, lighter for those ahead.
      double opacity = 1.0 - 0.25 * double(std::min<int64_t>(step.tile, 3));
      os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"24\" fill=\"{3}\" "
                          "fill-opacity=\"{4:f2}\"><title>{5}</title></rect>\n",
                          x, topMargin + row * rowHeight + 4, stepWidth - 1, rows[row].colour,
                          opacity, tip);
    } else if (step.kind == ScheduleStep::Mark) {
      os << llvm::formatv("<text x=\"{0}\" y=\"{1}\" fill=\"#555\">{2}</text>\n", x, topMargin - 6,
                          escaped(step.label));
      continue;
    } else {
      bool isBarrier = step.kind == ScheduleStep::Barrier;
      os << llvm::formatv("<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" stroke=\"{3}\" "
                          "stroke-width=\"{4}\"><title>{5}</title></line>\n",
                          x + stepWidth / 2, topMargin, bottom, isBarrier ? "#b3261e" : "#888",
                          isBarrier ? 2 : 1, tip);
      os << llvm::formatv("<text x=\"{0}\" y=\"{1}\" font-size=\"9\" fill=\"{2}\">{3}</text>\n", x,
                          bottom + 12 + 11 * (labelRow++ % 4), isBarrier ? "#b3261e" : "#555", tip);
    }
    x += stepWidth;
  }
  os << "</svg>\n";
}

} // namespace tilec

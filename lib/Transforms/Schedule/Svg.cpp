//===- Svg.cpp - parts of pictures ----------------------------------------===//
//
// Writes SVG elements and remembers how far they reach.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/Svg.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {
namespace {

constexpr double letterWidth = 5.8; ///< of the small font, at most
constexpr double gap = 24;          ///< between pictures

std::string escaped(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printHTMLEscaped(text, os);
  return result;
}

std::string titleOf(llvm::StringRef tip) {
  return tip.empty() ? "" : "<title>" + escaped(tip) + "</title>";
}

} // namespace

void Svg::grow(double x, double y) {
  picture.width = std::max(picture.width, x);
  picture.height = std::max(picture.height, y);
}

void Svg::text(double x, double y, llvm::StringRef text, llvm::StringRef attributes) {
  picture.elements += llvm::formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" {2}>{3}</text>\n", x, y,
                                    attributes, escaped(text));
  grow(x + letterWidth * double(text.size()), y + 4);
}

void Svg::rect(double x, double y, double width, double height, llvm::StringRef colour,
               double opacity, llvm::StringRef tip) {
  picture.elements += llvm::formatv("<rect x=\"{0:f1}\" y=\"{1:f1}\" width=\"{2:f1}\" "
                                    "height=\"{3:f1}\" fill=\"{4}\" fill-opacity=\"{5:f2}\">{6}"
                                    "</rect>\n",
                                    x, y, width, height, colour, opacity, titleOf(tip));
  grow(x + width, y + height);
}

void Svg::line(double x1, double y1, double x2, double y2, llvm::StringRef colour, double width,
               llvm::StringRef tip) {
  picture.elements += llvm::formatv("<line x1=\"{0:f1}\" y1=\"{1:f1}\" x2=\"{2:f1}\" "
                                    "y2=\"{3:f1}\" stroke=\"{4}\" stroke-width=\"{5:f1}\">{6}"
                                    "</line>\n",
                                    x1, y1, x2, y2, colour, width, titleOf(tip));
  grow(std::max(x1, x2), std::max(y1, y2));
}

size_t LabelRows::place(double x, llvm::StringRef text) {
  size_t row = 0;
  while (row < ends.size() && ends[row] > x)
    ++row;
  if (row == ends.size())
    ends.push_back(0);
  ends[row] = x + letterWidth * double(text.size()) + 6;
  return row;
}

std::string svgOf(llvm::ArrayRef<SchedulePicture> pictures) {
  double width = 0, height = 0;
  std::string elements;
  for (const SchedulePicture &picture : pictures) {
    if (height > 0)
      height += gap;
    elements +=
        llvm::formatv("<g transform=\"translate(0 {0:f1})\">\n{1}</g>\n", height, picture.elements);
    width = std::max(width, picture.width);
    height += picture.height;
  }
  return llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:f0}\" "
                       "height=\"{1:f0}\" font-family=\"DejaVu Sans, sans-serif\" "
                       "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
                       "fill=\"white\"/>\n{2}</svg>\n",
                       width + 16, height + 12, elements);
}

} // namespace tilec

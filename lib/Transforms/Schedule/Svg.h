//===- Svg.h - parts of pictures ------------------------------------------===//
//
// Takes texts, lines and boxes with their places, gives a picture as large as they need.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/SchedulePicture.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace tilec {

/// What is drawn so far, growing to the right and down.
class Svg {
public:
  void text(double x, double y, llvm::StringRef text, llvm::StringRef attributes = "");
  void rect(double x, double y, double width, double height, llvm::StringRef colour,
            double opacity = 1, llvm::StringRef tip = "");
  void line(double x1, double y1, double x2, double y2, llvm::StringRef colour, double width = 1,
            llvm::StringRef tip = "");
  SchedulePicture take() { return std::move(picture); }

private:
  void grow(double x, double y);
  SchedulePicture picture;
};

/// Puts labels under the lines that they belong to, each in the first row where it overlaps none.
class LabelRows {
public:
  /// The row for `text` that begins at `x`.
  size_t place(double x, llvm::StringRef text);
  size_t count() const { return ends.size(); }

private:
  llvm::SmallVector<double, 8> ends; ///< of the last label of each row
};

constexpr double labelHeight = 12;

} // namespace tilec

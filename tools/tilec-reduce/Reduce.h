//===- Reduce.h - make a script small while it keeps a property -----------===//
//
// Delta debugging on the structure of a script: statements, suites, elements of
// brackets, operands, numbers, dtypes. Every candidate parses. The property is a
// callback, so that a tool may ask a command and a tester itself.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>

namespace tilec {

struct ReduceOptions {
  unsigned maxTries = 3000; ///< candidates that are asked about
  double maxSeconds = 120;  ///< no new candidate after this long
  /// Called with every smaller text that has the property.
  std::function<void(const std::string &text, unsigned tries)> progress;
};

struct ReduceResult {
  std::string text;
  unsigned tries = 0; ///< candidates that were asked about
};

/// The smallest text found for which `has` holds; `text` itself must have the property. A comment
/// line that starts with `# run:` is kept, its numbers may shrink; other comments go.
ReduceResult reduceScript(std::string text, const std::function<bool(const std::string &)> &has,
                          const ReduceOptions &options = {});

/// Whether the front end's parser takes it.
bool parsesAsScript(const std::string &text);

} // namespace tilec

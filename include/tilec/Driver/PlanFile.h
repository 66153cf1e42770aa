//===- PlanFile.h - plans of loops as a file ------------------------------===//
//
// What `--schedule=search` finds and `--schedule=FILE.plan` uses:
//
//   plan gemm-512 for gfx950 model 5f1c2a90
//   # how it was found
//   atoms small                            # of all products, where there is a choice
//   swizzle 1                              # the second of those without bank conflicts
//   loop gemm graph 0123456789abcdef
//     schedule found tiles 2 stagger 0     # a matrix loop: SchedulePlan
//       ...
//   loop attention graph 0123456789abcdef
//     order kept                           # another loop: BodyOrder
//       ...
//
// A loop whose graph has none of the hashes keeps its strategy, with a remark; so do all
// where the target or the constants of the timing model are others.
// docs/machine-code/scheduling.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

struct PlannedLoop {
  std::string kernel; ///< for readers
  uint64_t graph = 0;
  std::string text; ///< a SchedulePlan or a BodyOrder
  /// Of what was parsed: the line of `loop`, and the first of the text.
  unsigned line = 0, textLine = 0;
};

/// What plans were found with beside the order of loops: layouts are chosen so (tile-lay-out).
struct PlanLayouts {
  std::string atoms; ///< `large` or `small`; "": its own choice
  int64_t swizzle = 0;

  bool isDefault() const { return atoms.empty() && swizzle == 0; }
  bool operator==(const PlanLayouts &) const = default;
};

struct PlanFile {
  std::string name, target, model;
  PlanLayouts layouts;
  std::vector<std::string> comments; ///< printed behind the first line
  std::vector<PlannedLoop> loops;

  bool saysNothing() const { return layouts.isDefault() && loops.empty(); }
  std::string str() const;
  /// Reports what is wrong at its line. The plans themselves are parsed, too.
  static std::optional<PlanFile> parse(const SourceManager &sources, uint32_t file,
                                       DiagnosticEngine &diags);
};

/// Names the constants of the timing model that plans are found with: a hash of their values.
std::string modelVersion();

/// Whether the plans are for this chip and this model.
bool arePlansFor(const PlanFile &plans, Arch arch);

/// Gives the loops of a module at Stage::Wave the plans of the file (`file` of `sources`, for
/// messages). False after an error: a plan that its loop cannot have. What does not match is said
/// as remarks.
bool givePlans(mlir::ModuleOp module, Arch arch, const PlanFile &plans, uint32_t file,
               DiagnosticEngine &diags);

/// What `--schedule=` names where it is no strategy: `WORD`, if it ends in `.plan`; else WORD.plan
/// beside the script, if it is there. "" otherwise.
std::string planFileOf(llvm::StringRef word, llvm::StringRef script, Arch arch);

} // namespace tilec

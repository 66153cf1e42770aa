//===- BodyOrder.h - the order of a loop's body, as data ------------------===//
//
// For loops that are more than one product, as attention's. The plan is one order of
// the ops of a round that become machine instructions; what only renames registers or
// computes addresses goes where it is needed. Ops are named by what they are and which
// of their kind, as the body was written:
//
//   order kept
//     prio 2
//     shared_read 0..15
//     mma acc_s 0..7        # the products that add to `acc_s`
//     exp2 0..3
//     ...
//
// `order kept`: no scheduler of LLVM's runs. `order free`: LLVM orders what stands
// between priorities once more. No MLIR but in what applies it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/VaryPlan.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}

namespace tilec {

/// One op of the body, or a priority.
struct BodyStep {
  std::string kind;   ///< `mma acc_s`, `exp2`; `prio` for a priority
  int64_t number = 0; ///< which of its kind, as written; the level of a priority

  bool isPriority() const { return kind == "prio"; }
  bool operator==(const BodyStep &) const = default;
};

struct BodyOrder {
  bool keepsOrder = true;
  std::vector<BodyStep> steps;

  std::string str() const;
  /// Fails with the line that is no step.
  static llvm::Expected<BodyOrder> parse(llvm::StringRef text);
  bool operator==(const BodyOrder &) const = default;
};

/// The body of one loop: what there is to order, and what has to stay before what.
class LoopBody {
public:
  /// `loop` is an scf.for; it must outlive this.
  explicit LoopBody(mlir::Operation *loop);
  ~LoopBody();
  LoopBody(LoopBody &&) noexcept;

  /// As it stands.
  BodyOrder asWritten() const;
  /// The order nearest to `wanted` that is legal: what a step needs is moved in front of it.
  BodyOrder repaired(const BodyOrder &wanted) const;
  /// Fails with the first step that the body lacks, has twice, or that comes before what it needs.
  llvm::Error check(const BodyOrder &order) const;
  /// Moves the ops, after `check`; priorities become those of the order. With `keepsOrder` the
  /// kernel keeps its order.
  llvm::Error apply(const BodyOrder &order);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// A legal order near `order`; nothing where some tries have found none.
std::optional<BodyOrder> variedOrder(const BodyOrder &order, const LoopBody &body,
                                     PlanRandom &random);

} // namespace tilec

//===- ThreadValues.h - what arithmetic on the thread's number gives ------===//
//
// Takes a value made of constants and the thread's number, gives what it is in each thread.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace tilec {

/// Integers that are made of constants and the thread's number have one known value in each thread.
/// Every value is computed once, for all threads; the program may not change meanwhile.
class ThreadValues {
public:
  explicit ThreadValues(int64_t threads) : threads(threads) {}

  /// The value of each thread, booleans as 0 and 1; null when something else is in it.
  const std::vector<int64_t> *of(mlir::Value value);

private:
  std::unique_ptr<std::vector<int64_t>> compute(mlir::Value value);

  int64_t threads;
  llvm::DenseMap<mlir::Value, std::unique_ptr<std::vector<int64_t>>> known;
};

} // namespace tilec

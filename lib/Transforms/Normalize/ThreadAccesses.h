//===- ThreadAccesses.h - which threads touch the same element ------------===//
//
// For accesses of single threads to shared buffers in a lockstep kernel: whether two
// of them may be of one element and of different threads, and how far those threads
// may be apart. Every answer that is not exact errs towards "may".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Normalize/ThreadValues.h"

#include "tilec/Analysis/Index.h"
#include "tilec/IR/Tile/Uniformity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace tilec {

/// What has to separate two accesses: nothing, the order within a wave, a barrier of the block.
enum class Gap { None, Wave, Block };

/// Equal values of a lockstep kernel that are computed more than once: arithmetic, and loads of
/// registers with no store between. Maps each to the first of them that is reached.
llvm::DenseMap<mlir::Value, mlir::Value> numberValues(tile::KernelOp kernel);

class ThreadAccesses {
public:
  explicit ThreadAccesses(tile::KernelOp kernel);

  /// The gap between two accesses (load, store, atomic) of one root buffer, of which `first` comes
  /// first: in the same round of all loops around both, or, with `crossed`, in an earlier round of
  /// that loop.
  Gap gapBetween(mlir::Operation *first, mlir::Operation *second, mlir::Operation *crossed);

  const tile::Uniformity &uniformity() const { return uniform; }

private:
  /// A value that several accesses may have in common, or the round of a loop (a number from 0).
  struct Symbol {
    mlir::Value value;
    int64_t factor;
    bool isRound;
  };
  /// constant + what the thread's number gives + symbols.
  struct Form {
    int64_t constant = 0;
    std::vector<int64_t> ofThread; ///< empty: 0 for all
    llvm::SmallVector<Symbol, 3> symbols;
  };
  /// lhs - rhs of a comparison that holds where an access is done.
  struct Guard {
    Form difference;
    bool isEqual; ///< it is 0; else it is at most 0
  };
  struct Access {
    mlir::Value view;              ///< the buffer as it is named
    llvm::SmallVector<Form, 3> at; ///< index of each dimension
    std::vector<bool> isActive;    ///< threads that may get there; empty: all
    llvm::SmallVector<Guard, 2> guards;
    int64_t kind = 0; ///< the same for accesses that only the constants in `at` tell apart
  };
  /// A part of a difference that may be any of factor * [low, high].
  struct Free {
    int64_t factor, low, high;
  };
  /// first's element minus second's: per thread of each, and what is open.
  struct Difference {
    std::vector<int64_t> first, second;
    int64_t constant = 0;
    llvm::SmallVector<Symbol, 3> fixed; ///< the same for both
    llvm::SmallVector<Free, 4> open;
  };
  /// The rounds that two accesses have in common.
  struct Scope {
    mlir::Operation *loop;    ///< innermost loop (or the kernel) that both are in one round of
    mlir::Operation *crossed; ///< loop of which the second access is in a later round; null: none
  };

  mlir::Value sameAs(mlir::Value value) const {
    mlir::Value same = representative.lookup(value);
    return same ? same : value;
  }
  Form formOf(mlir::Value index);
  void addTo(Form &form, mlir::Value value, int64_t factor);
  void addTo(Form &form, const LinearForm &linear, int64_t factor);
  bool addQuotient(Form &form, mlir::Value value, int64_t factor);
  static void addSymbol(llvm::SmallVectorImpl<Symbol> &symbols, Symbol symbol);
  static void addRow(std::vector<int64_t> &sum, const std::vector<int64_t> &row, int64_t factor);
  const Access &accessOf(mlir::Operation *op);
  int64_t kindOf(const Access &access);
  Gap gapOf(const Access &first, const Access &second, const Scope &scope);
  void addGuards(Access &access, mlir::Value condition, bool isTrue);
  void addComparison(Access &access, mlir::arith::CmpIOp compare, bool isTrue);

  bool isFixed(const Symbol &symbol, const Scope &scope) const;
  /// The loop whose variable the value is.
  static tile::ForOp loopOf(mlir::Value iv);
  static Free rangeOfSymbol(const Symbol &symbol);
  void subtractSymbols(Difference &difference, llvm::ArrayRef<Symbol> first,
                       llvm::ArrayRef<Symbol> second, const Scope &scope) const;
  /// With `clipped`, an index of which nothing is known is at least inside its buffer.
  Difference differenceOf(const Access &first, const Access &second, const Scope &scope,
                          bool clipped) const;
  bool excludes(const Guard &guard, bool isOfFirst, const Difference &difference,
                const Access &first, const Access &second, const Scope &scope) const;
  static bool areApart(const Access &first, const Access &second);
  bool isReadByAll(mlir::Operation *op) const;
  bool storesSame(mlir::Operation *first, mlir::Operation *second, const Scope &scope) const;
  bool isRefuted(const Difference &difference, const Access &first, const Access &second,
                 const Scope &scope) const;
  Gap search(const Difference &difference, const Access &first, const Access &second,
             const Scope &scope) const;

  tile::KernelOp kernel;
  tile::Uniformity uniform;
  int64_t threads, lanes;
  ThreadValues values;
  llvm::DenseMap<mlir::Value, mlir::Value> representative; ///< loads of equal values
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Access>> accesses;
  std::map<std::vector<int64_t>, int64_t> kinds;
  /// By kinds, scope and differences of constants.
  std::map<std::tuple<int64_t, int64_t, mlir::Operation *, mlir::Operation *, std::vector<int64_t>>,
           Gap>
      answers;
};

} // namespace tilec

//===- GemmPlan.h - which atoms a gemm uses, and where its operands live --===//
//
// Layout inference decides a plan and writes it on the gemm (`mma`); whoever comes later reads it
// there.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <map>

namespace tilec {

/// How warp groups share a gemm (WarpGroups/WarpGroups.h).
struct WarpGroupShape {
  int64_t groupsM = 1, groupsN = 1; ///< product: the warp groups of the block
  int64_t slabRows = 0, k = 0;      ///< of one instruction
  int64_t storedK = 0;       ///< elements along K that A has of them: half, where it is sparse
  int64_t slabs = 1;         ///< of so many rows, per warp group
  int64_t n = 0, pieces = 1; ///< columns of one instruction; instructions along N
};

struct GemmPlan {
  const MmaAtom *atom = nullptr;
  std::optional<WarpGroupShape> warpGroup; ///< not nothing: instructions of whole warp groups
  bool isOfLanes = false;                  ///< the atom is no instruction: lanes multiply and add
  /// The atom's A is the gemm's B and the other way round, so that the registers of a lane run
  /// along the columns of C, as row-major memory does (TargetInfo::accumulatesColumns).
  bool swapped = false;
  int64_t wavesM = 1, wavesN = 1, copies = 1; ///< product: the waves of the block
  int64_t repsM = 1, repsN = 1;               ///< atoms per wave
  /// K steps of the operands' layouts, and atoms along K that one of them feeds (`k_pack`): a lane
  /// holds the operands of `kPack` atoms side by side, so that one read fetches them.
  int64_t kSteps = 1, kPack = 1;
  /// Neighbouring rows of A and columns of B that a lane holds in as many repetitions: memory has
  /// these side by side where K is its slower dimension. One read fetches them for a k, and lanes
  /// exchange the bytes of their own registers (`turned`). M = lane * togetherM + repetition.
  int64_t togetherM = 1, togetherN = 1;
  /// Bit i of the atom's k is worth kOrder[i], for A and B alike; empty: 1, 2, 4, ...
  llvm::SmallVector<int64_t, 6> kOrder;
  /// Extent of one atom along the gemm's M and N.
  int64_t atomM = 1, atomN = 1;

  /// Layouts of the fragments [M, N], and of A as [M, K] and B as [N, K]. Those whose rows stand
  /// together have one atom for all of them: of an operand the registers of its first row come
  /// first, of C columns, then the registers of an atom, then rows.
  FragmentLayout c, a, b;

  /// Where the registers of C's atom (m, n) are, in groups of an atom's.
  int64_t slotOf(int64_t m, int64_t n) const {
    int64_t block = n / togetherN + repsN / togetherN * (m / togetherM);
    return togetherN * (togetherM * block + m % togetherM) + n % togetherN;
  }
};

/// Whether there is an atom of more rows and columns than the smallest that every wave has one of,
/// and that is no slower.
bool hasLargeAtom(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves);

/// Whether lanes do the product, each its part of C, with operands in shared memory: f32 where no
/// matrix instruction has all of its bits, and a tile that all waves share.
bool isLaneProduct(tile::GemmOp gemm, const TargetInfo &target);

/// How waves share out the product: as it or another one that adds to the same fragment asks.
tile::WarpPolicy policyOf(tile::GemmOp gemm);

/// What a product's plan asks about all products of its kernel: found once for as long as their
/// operands stay, so that planning a thousand of them looks at each only once.
class KernelProducts {
public:
  /// How many products of an accumulator want so many rows and columns together; nothing: no atom
  /// multiplies them.
  using Together = std::map<std::optional<std::pair<int64_t, int64_t>>, int64_t>;

  explicit KernelProducts(tile::KernelOp kernel);

  bool mayBeLarge() const { return large; }
  const Together &togetherOf(mlir::Value c, const TargetInfo &target, int64_t numWaves);

private:
  bool large; ///< atoms
  llvm::DenseMap<mlir::Value, Together> together;
};

/// Decides how a gemm that has no `mma` yet is multiplied: for layout inference alone. Nothing when
/// no atom multiplies these types into C's.
std::optional<GemmPlan> planGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves,
                                 KernelProducts &products);
/// The layouts of a plan whose atoms, waves and rows together are known.
void planLayouts(tile::GemmOp gemm, GemmPlan &plan);

/// The plan as the gemm's `mma` says it, and the other way round.
void setMma(tile::GemmOp gemm, const GemmPlan &plan);
/// What `mma` says with its layouts, or why there is none or the target cannot do it.
llvm::Expected<GemmPlan> gemmPlanOf(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves);

/// Whether an operand (its matrix as [rows, K], `kIsRow`: memory has K as the slower dimension) is
/// read by transposing reads: every lane gets runs of K although memory has runs of rows.
bool readsTransposed(const FragmentLayout &operand, bool kIsRow, DType dtype,
                     const TargetInfo &target);
/// The addresses of such a read: lane -> the first of the elements that it fetches.
FragmentLayout transposedAddresses(const FragmentLayout &operand, DType dtype,
                                   const TargetInfo &target);

/// The waves that share out a statement of a kernel (tile::wavesAround), or the kernel's.
int64_t wavesOf(mlir::Operation *statement, const TargetInfo &target);

/// `layout` with its two coordinates exchanged.
LinearLayout exchanged(const LinearLayout &layout);
FragmentLayout exchanged(const FragmentLayout &layout);

} // namespace tilec

//===- JoinProducts.cpp - products that their author cuts by hand --------===//
//
// Kernels that were written for the instructions of one warp go through a tile's K in steps of an
// instruction, and bring each step's operands to registers themselves:
//
//   for i in [0, 2): a = A_s[:, 16 i : 16 i + 16]; b = B_s[:, 16 i : ...]; gemm(a, b, C)
//
// All steps together are `gemm(A_s, B_s, C)`, which the target reads and multiplies in the way it
// has for that: swizzled, by warp groups, beside a producer. So are the parts of M or N that a loop
// goes through, gemm(A_s, B_s[64 i : 64 i + 64], C[:, 64 i : ...]).
//
// The steps of a sum in f32 and int32 are exact in any cut; a shorter C is rounded in between, and
// stays as it is.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_JOINPRODUCTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

class WholeProduct {
public:
  explicit WholeProduct(tile::ForOp loop) : loop(loop) {}

  /// Whether the loop's rounds are the steps of one product.
  bool find();
  void rewrite();

private:
  /// Takes one op of the body.
  bool take(Operation &op);
  /// The shared tile that the steps of the operand go through along dimension `k`; null: another
  /// operand.
  tile::AllocOp tileOf(Value operand, unsigned k);
  bool findSteps();
  bool findParts(unsigned dim);
  /// Whether the view goes through the two dimensions of a tile along `along`, a step a round, and
  /// has all of the other one.
  bool goesThrough(tile::SubviewOp window, unsigned along);
  /// The window that a copy of the body brings to the fragment, for this product alone.
  Value windowOf(tile::AllocOp fragment);

  tile::ForOp loop;
  int64_t rounds = 0;
  tile::GemmOp gemm;
  SmallVector<tile::CopyOp, 2> copies;
  Value a, b, c; ///< whole
};

bool WholeProduct::take(Operation &op) {
  if (auto product = dyn_cast<tile::GemmOp>(op)) {
    bool isFirst = !gemm;
    gemm = product;
    return isFirst && !product.getClear() && !product.getPlaces();
  }
  if (auto copy = dyn_cast<tile::CopyOp>(op)) {
    copies.push_back(copy);
    return !gemm; // a copy behind the product is for another round
  }
  return isMemoryEffectFree(&op) && op.getNumRegions() == 0;
}

Value WholeProduct::windowOf(tile::AllocOp fragment) {
  Value window;
  for (Operation *user : fragment->getUsers()) {
    auto copy = dyn_cast<tile::CopyOp>(user);
    if (user == gemm)
      continue;
    if (!copy || window || !llvm::is_contained(copies, copy) ||
        copy.getDst() != fragment.getResult())
      return {};
    window = copy.getSrc();
  }
  bool isSame = window &&
                cast<tile::BufferType>(window.getType()).getShape() ==
                    fragment.getResult().getType().getShape() &&
                cast<tile::BufferType>(window.getType()).getElementType() ==
                    fragment.getResult().getType().getElementType();
  return isSame ? window : Value();
}

tile::AllocOp WholeProduct::tileOf(Value operand, unsigned k) {
  if (auto fragment = operand.getDefiningOp<tile::AllocOp>())
    operand = fragment.getResult().getType().isFragment() && !fragment.getLayout()
                  ? windowOf(fragment)
                  : Value();
  auto window = operand ? operand.getDefiningOp<tile::SubviewOp>() : tile::SubviewOp();
  bool isTile = goesThrough(window, k) && window.getSource().getType().isShared();
  return isTile ? window.getSource().getDefiningOp<tile::AllocOp>() : tile::AllocOp();
}

bool WholeProduct::goesThrough(tile::SubviewOp window, unsigned along) {
  auto tile = window ? window.getSource().getDefiningOp<tile::AllocOp>() : tile::AllocOp();
  if (!tile || !window.getDropped().empty() || tile.getResult().getType().rank() != 2)
    return false;
  ArrayRef<int64_t> whole = tile.getResult().getType().getShape();
  ArrayRef<int64_t> step = window.getResult().getType().getShape();
  for (unsigned d = 0; d < 2; ++d) {
    LinearForm form = linearize(window.getOffsets()[d]);
    int64_t expected = d == along ? step[d] : 0;
    if (form.constant != 0 || form.coefficient(loop.iv()) != expected ||
        !form.without(loop.iv()).terms.empty() || whole[d] != (d == along ? rounds : 1) * step[d])
      return false;
  }
  return true;
}

bool WholeProduct::find() {
  std::optional<int64_t> upper = tile::constantInt(loop.getUpper());
  if (loop.getKind() == tile::LoopKind::Pipelined || !upper || *upper < 1 ||
      tile::constantInt(loop.getLower()) != 0 || tile::constantInt(loop.getStep()) != 1)
    return false;
  rounds = *upper;
  for (Operation &op : loop.bodyBlock()->without_terminator())
    if (!take(op))
      return false;
  return gemm && (findSteps() || findParts(0) || findParts(1));
}

/// Of M (0) or N (1): each round has its part of one operand and of C, and all of the other one.
bool WholeProduct::findParts(unsigned dim) {
  auto window = gemm.getC().getDefiningOp<tile::SubviewOp>();
  Value other = dim == 0 ? gemm.getB() : gemm.getA();
  if (!copies.empty() || !other.getDefiningOp<tile::AllocOp>() || !goesThrough(window, dim))
    return false;
  bool isTransposed = dim == 0 ? gemm.getTransposeA() : gemm.getTransposeB();
  tile::AllocOp tile = tileOf(dim == 0 ? gemm.getA() : gemm.getB(), isTransposed ? 1 - dim : dim);
  a = dim == 0 && tile ? tile.getResult() : gemm.getA();
  b = dim == 1 && tile ? tile.getResult() : gemm.getB();
  c = window.getSource();
  return tile && c != a && c != b;
}

/// Of K.
bool WholeProduct::findSteps() {
  c = gemm.getC();
  if (!c.getDefiningOp<tile::AllocOp>() ||
      cast<tile::BufferType>(c.getType()).getElementType().getIntOrFloatBitWidth() < 32)
    return false;
  tile::AllocOp first = tileOf(gemm.getA(), gemm.getTransposeA() ? 0 : 1);
  tile::AllocOp second = tileOf(gemm.getB(), gemm.getTransposeB() ? 1 : 0);
  a = first ? first.getResult() : Value();
  b = second ? second.getResult() : Value();
  // A copy that is for neither operand stays a statement of each round.
  return a && b && llvm::all_of(copies, [&](tile::CopyOp copy) {
           return copy.getDst() == gemm.getA() || copy.getDst() == gemm.getB();
         });
}

void WholeProduct::rewrite() {
  gemm->moveBefore(loop);
  gemm.getAMutable().assign(a);
  gemm.getBMutable().assign(b);
  gemm.getCMutable().assign(c);
  loop.erase();
}

} // namespace

static void joinWholeProducts(tile::ProgramOp program) {
  SmallVector<tile::ForOp> loops;
  for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>())
    if (!kernel.getLockstep())
      kernel.walk([&](tile::ForOp loop) { loops.push_back(loop); });
  for (tile::ForOp loop : loops)
    if (WholeProduct product(loop); product.find())
      product.rewrite();
}

namespace {
struct JoinProductsPass : impl::JoinProductsPassBase<JoinProductsPass> {
  void runOnOperation() override { joinWholeProducts(getOperation()); }
};
} // namespace

} // namespace tilec

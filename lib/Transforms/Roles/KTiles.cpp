//===- KTiles.cpp - how much of K a round brings ---------------------------===//
//
// A round of 128 x 128 x 32 in 16-bit elements copies rows of 64 bytes, half a row of the swizzle
// and half a line of L2, and meets twice as often for as many products: 0.64 of cuBLAS at 4096,
// where 128 x 128 x 64 has 1.04 (docs/numbers/hopper-trials.md). One of 128 x 128 x 128 leaves
// shared memory for two slots: 0.62. So where rows along K are copied, a round of a product brings
// whole rows of the swizzle, and no more than that where slots are large.
//
// Where waves copy, with no producer beside them, a round brings half as much of K as long as the
// unit has more blocks so, or copies start earlier: of 64 KiB two slots of 128 x 128 x 64 leave
// none for a second block, and one of 256 x 128 x 64 none for a ring
// (docs/machine-code/pipelining.md).
//
// The sums are added in the same order as before.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Memory/SharedMemory.h"
#include "Roles/PlainProduct.h"
#include "Roles/Product.h"
#include "Roles/RingSlots.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SETKTILESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Slots that a ring of short rounds shall have at least, and one of rounds that were joined.
constexpr int64_t fewestSlots = 6, fewestOfLonger = 3;

/// One operand of the product: its tile, the copy that fills it, and which dimension is K.
struct Operand {
  tile::AllocOp tile;
  tile::CopyOp copy;
  tile::SubviewOp box;
  unsigned dim = 0;    ///< of the tile
  unsigned source = 0; ///< of the tensor

  int64_t bits() { return bitsOf(tile::dtypeOf(tile.getResult().getType().getElementType())); }
  /// Elements of the widest row that a swizzle permutes.
  int64_t rowElems(const TargetInfo &target) {
    return 8 * target.tensorCopies->widestRowBytes / bits();
  }
  /// Whether boxes of `k` along K are copied as others are: the channels of one element of a
  /// convolution's kernel, each row of a panel.
  bool canHave(int64_t k, const TargetInfo &target) {
    auto matrix = box.getSource().getDefiningOp<tile::Im2colOp>();
    return !matrix || matrix.channels() % std::min(k, rowElems(target)) == 0;
  }
  bool hasRowsAlongK() { return dim == 1; }
};

struct Rounds {
  tile::ForOp loop;
  tile::GemmOp gemm;
  int64_t count = 0, k = 0;
  SmallVector<Operand, 2> operands;
};

/// The operand, when one copy a round brings a box of a tensor that is `k` further on along K in
/// each and nowhere else, and nothing but the product reads the tile.
std::optional<Operand> operandOf(Rounds &rounds, Value value, unsigned dim) {
  Operand operand;
  operand.dim = dim;
  operand.tile = value.getDefiningOp<tile::AllocOp>();
  if (!operand.tile || operand.tile.getLayout())
    return std::nullopt;
  for (Operation *user : value.getUsers()) {
    auto copy = dyn_cast<tile::CopyOp>(user);
    if (user == rounds.gemm)
      continue;
    if (!copy || operand.copy || copy->getBlock() != rounds.loop.bodyBlock())
      return std::nullopt;
    operand.copy = copy;
  }
  operand.box = operand.copy ? operand.copy.getSrc().getDefiningOp<tile::SubviewOp>() : nullptr;
  if (!operand.box || !operand.box->hasOneUse() ||
      (!plainTensorOf(operand.box.getSource()) &&
       !operand.box.getSource().getDefiningOp<tile::Im2colOp>()) ||
      operand.box.getResult().getType().getShape() != operand.tile.getResult().getType().getShape())
    return std::nullopt;
  ArrayRef<int64_t> dropped = operand.box.getDropped();
  for (unsigned d = 0, kept = 0; d < operand.box.getOffsets().size(); ++d)
    if (!llvm::is_contained(dropped, int64_t(d)) && kept++ == dim)
      operand.source = d;
  Value iv = rounds.loop.iv();
  for (auto [d, offset] : llvm::enumerate(operand.box.getOffsets())) {
    LinearForm form = linearize(offset);
    if (d == operand.source ? form.coefficient(iv) != rounds.k : dependsOn(offset, iv))
      return std::nullopt;
    for (auto [term, factor] : form.terms)
      if (term != iv && dependsOn(term, iv))
        return std::nullopt;
  }
  return operand;
}

/// Whether what lies behind the loop's last round reads as zero.
bool endsWithTensor(Rounds &rounds, Operand &operand) {
  auto type = cast<tile::BufferType>(operand.box.getSource().getType());
  int64_t extent = type.getShape()[operand.source];
  LinearForm form = linearize(operand.box.getOffsets()[operand.source]);
  return !ShapedType::isDynamic(extent) && form.terms.size() == 1 &&
         form.constant + rounds.count * rounds.k >= extent;
}

std::optional<Rounds> roundsOf(tile::ForOp loop) {
  Rounds rounds;
  rounds.loop = loop;
  rounds.gemm = isFreeLoop(loop) ? onlyGemmOf(loop) : nullptr;
  if (!rounds.gemm || rounds.gemm.getPlaces())
    return std::nullopt;
  rounds.count = *tile::constantInt(loop.getUpper());
  rounds.k = rounds.gemm.k();
  std::optional<Operand> a =
      operandOf(rounds, rounds.gemm.getA(), rounds.gemm.getTransposeA() ? 0 : 1);
  std::optional<Operand> b =
      operandOf(rounds, rounds.gemm.getB(), rounds.gemm.getTransposeB() ? 1 : 0);
  auto copies = loop.bodyBlock()->getOps<tile::CopyOp>();
  if (!a || !b || a->tile == b->tile || std::distance(copies.begin(), copies.end()) != 2)
    return std::nullopt;
  rounds.operands = {*a, *b};
  return rounds;
}

/// K of a round: whole rows of the swizzle.
int64_t chooseK(Rounds &rounds, const TargetInfo &target) {
  int64_t k = rounds.k, row = 0;
  for (Operand &operand : rounds.operands)
    if (operand.hasRowsAlongK())
      row = std::max(row, operand.rowElems(target));
  // The kernel may become a persistent one, whose producer fills slots for the next tile.
  SharedMemory memory(rounds.loop->getParentOfType<tile::KernelOp>(), target,
                      FilledBuffers::Always);
  auto hasSlots = [&](int64_t slots, int64_t other) {
    SmallVector<RingSlot, 2> rings;
    for (Operand &operand : rounds.operands)
      rings.push_back({operand.tile, bytesOfBuffer(operand.tile) * other / k});
    return memory.hasRoomFor(rings, slots);
  };
  bool canBeRow =
      llvm::all_of(rounds.operands, [&](Operand &operand) { return operand.canHave(row, target); });
  if (row == 0 || row % k * k % row != 0 || !canBeRow)
    return k;
  if (row < k)
    return k % row == 0 && !hasSlots(fewestSlots, k) ? row : k;
  bool isWhole = rounds.count % (row / k) == 0 ||
                 llvm::all_of(rounds.operands,
                              [&](Operand &operand) { return endsWithTensor(rounds, operand); });
  return isWhole && rounds.count > row / k && hasSlots(fewestOfLonger, row) ? row : k;
}

/// What a round of so much of K leaves of a unit, with two slots.
struct Room {
  int64_t slots = 0;  ///< that fit into a block's shared memory, of those that the author wishes
  int64_t blocks = 0; ///< of a unit, where two slots fit
  int64_t ahead = 0;  ///< clocks from a copy to its use where all slots are taken
};

Room roomOf(Rounds &rounds, int64_t k, const TargetInfo &target) {
  auto kernel = rounds.loop->getParentOfType<tile::KernelOp>();
  SharedMemory memory(kernel, target, FilledBuffers::FromStart);
  int64_t bytes = 0, other = memory.bytes();
  for (Operand &operand : rounds.operands) {
    int64_t own = bytesOfBuffer(operand.tile);
    other -= own;
    bytes += own * k / rounds.k;
  }
  other = std::max<int64_t>(other, 0); // tiles that share bytes with others
  Room room;
  room.slots =
      std::clamp<int64_t>((target.sharedBytes - other) / bytes, 0, rounds.loop.getStages());
  room.blocks =
      room.slots < 2 ? 0 : residentBlocks(kernel, /*producer=*/0, other + 2 * bytes, target);
  room.ahead = (room.slots - 1) * clocksOfRound(rounds.loop, target) * k / rounds.k;
  return room;
}

/// Whether each wave takes the same part in the copies of a round, which a planned schedule asks.
bool sharesOut(Rounds &rounds, int64_t k, const TargetInfo &target) {
  auto kernel = rounds.loop->getParentOfType<tile::KernelOp>();
  int64_t lanes = std::max<int64_t>(kernel.getThreads(), target.schedulers * target.waveLanes);
  return llvm::all_of(rounds.operands, [&](Operand &operand) {
    int64_t bytes = bytesOfBuffer(operand.tile) * k / rounds.k;
    return bytes % (lanes * target.accessBytes) == 0;
  });
}

/// K of a round that waves copy themselves.
int64_t cutK(Rounds &rounds, const TargetInfo &target) {
  constexpr int64_t enoughBlocks = 3; // of which two multiply while one waits; measured as above
  auto kernel = rounds.loop->getParentOfType<tile::KernelOp>();
  // A matrix instruction takes all of its own K, and half a line is what is read of a row at least.
  DType dtype = tile::dtypeOf(rounds.gemm.getA().getType().getElementType());
  int64_t shortest = target.cacheLine / 2 * 8 / bitsOf(dtype);
  for (const MmaAtom &atom : target.atoms())
    if (atom.a == dtype)
      shortest = std::max(shortest, atom.k);
  int64_t k = rounds.k;
  if (kernel.getThreads() % target.waveLanes != 0)
    return k; // waves are not whole yet (tile-choose-threads)
  for (Room room = roomOf(rounds, k, target); k % 2 == 0 && k / 2 >= shortest;) {
    Room half = roomOf(rounds, k / 2, target);
    bool hasRing = room.slots < 2 && half.slots >= 2;
    bool hasBlocks =
        !hasUnitsForAll(kernel, target) && room.blocks < enoughBlocks && half.blocks > room.blocks;
    bool isEarlier = room.ahead < target.clocks.copyToShared && half.ahead > room.ahead;
    bool staysPlanned = sharesOut(rounds, k / 2, target) || !sharesOut(rounds, k, target);
    if (!staysPlanned || (!hasRing && !hasBlocks && !isEarlier))
      break;
    k /= 2;
    room = half;
  }
  return k;
}

/// Boxes, tiles and rounds of another length.
void setK(Rounds &rounds, int64_t k) {
  tile::ForOp loop = rounds.loop;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  int64_t all = rounds.count * rounds.k;
  loop.getUpperMutable().assign(index((all + k - 1) / k));
  for (Operand &operand : rounds.operands) {
    // Where the first round's box is, and `k` further on in each.
    b.setInsertionPoint(operand.box);
    SmallVector<Value> offsets(operand.box.getOffsets());
    LinearForm form = linearize(offsets[operand.source]).without(loop.iv());
    Value at = arith::MulIOp::create(b, loc, loop.iv(), index(k));
    for (auto [term, factor] : form.terms)
      at = arith::AddIOp::create(b, loc, at, arith::MulIOp::create(b, loc, term, index(factor)));
    if (form.constant != 0)
      at = arith::AddIOp::create(b, loc, at, index(form.constant));
    offsets[operand.source] = at;
    auto withK = [&](tile::BufferType type) {
      SmallVector<int64_t> shape(type.getShape());
      shape[operand.dim] = k;
      return tile::BufferType::get(shape, type.getElementType(), type.getScope());
    };
    operand.tile.getResult().setType(withK(operand.tile.getResult().getType()));
    Value box =
        tile::SubviewOp::create(b, operand.box.getLoc(), withK(operand.box.getResult().getType()),
                                operand.box.getSource(), offsets, operand.box.getDropped());
    operand.copy.getSrcMutable().assign(box);
    operand.box.erase();
  }
}

struct SetKTilesPass : impl::SetKTilesPassBase<SetKTilesPass> {
  using SetKTilesPassBase::SetKTilesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    bool hasProducer = choosesRounds(*chip, strategy);
    // Copies that are awaited in groups, or by nobody, are no waves' that go on.
    bool cuts = !hasProducer && (strategy.empty() || strategy == "auto") &&
                chip->asyncCopies.completion != Completion::Groups &&
                !chip->asyncCopies.bytes.empty();
    if (!hasProducer && !cuts)
      return;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      if (kernel.getLockstep())
        continue;
      SmallVector<tile::ForOp> loops;
      kernel.walk([&](tile::ForOp loop) { loops.push_back(loop); });
      for (tile::ForOp loop : loops) {
        std::optional<Rounds> rounds = roundsOf(loop);
        if (!rounds)
          continue;
        int64_t k = cuts ? cutK(*rounds, *chip) : chooseK(*rounds, *chip);
        if (k == rounds->k)
          continue;
        loop.emitRemark() << "a round brings " << k << " of K instead of " << rounds->k;
        setK(*rounds, k);
      }
    }
  }
};

} // namespace

} // namespace tilec

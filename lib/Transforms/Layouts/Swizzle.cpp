//===- Swizzle.cpp - a shared layout whose reads meet no bank twice -------===//
//
// The bank tables of the chip judge a few dozen XOR swizzles; the first one without
// conflicts is taken, which is mostly the usual one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Swizzle.h"

#include "tilec/Base/Math.h"
#include "tilec/Target/SharedBanks.h"

#include <set>

namespace tilec {

constexpr int64_t widestChunkBytes = 64; ///< that a swizzle moves as one: a row of a large atom

std::optional<SharedReads> sharedReads(const FragmentLayout &operand, bool kIsRow, int64_t together,
                                       DType dtype, const TargetInfo &target) {
  SharedReads reads;
  reads.arch = target.arch;
  reads.dtype = dtype;
  reads.isTransposed = readsTransposed(operand, kIsRow, dtype, target);
  reads.isTurned = together > 1;
  reads.pieceBytes = target.asyncCopies.bytes.front();
  if (target.hasMatrixReads || (kIsRow && !reads.isTransposed && !reads.isTurned) ||
      bitsOf(dtype) < 8)
    return std::nullopt;
  int64_t elemBytes = bytesOf(dtype), regs = operand.atomRegs();
  // A lane's elements that lie side by side in memory are read together.
  int64_t run = 1;
  while (run < regs && operand.coords(run, 0, 0) == Coords{0, run})
    ++run;
  reads.bytesPerLane = reads.isTransposed ? target.transposedBits / 8
                                          : std::min(target.accessBytes, run * elemBytes);
  if (reads.isTurned) // a k after the other, whose rows are the registers behind them
    reads.bytesPerLane = together * elemBytes;
  int64_t perRead = reads.isTurned ? 1 : reads.bytesPerLane / elemBytes;
  int64_t ofReads = regs / together;
  FragmentLayout lanes = reads.isTransposed ? transposedAddresses(operand, dtype, target) : operand;
  int64_t kSteps = 1;
  for (const Factor &f : operand.reps())
    if (f.dim == 1)
      kSteps *= f.count;
  for (int64_t step = 0; step < kSteps; ++step)
    for (int64_t reg = 0; reg < ofReads; reg += perRead) {
      Coords first = operand.coords(step * regs + reg, 0, 0);
      for (int64_t lane = 0; lane < target.waveLanes; ++lane) {
        Coords at = lanes.coords(0, lane, 0);
        int64_t row = first[0] + at[0], k = first[1] + at[1];
        reads.lanes.push_back(kIsRow ? Coords{k, row} : Coords{row, k});
      }
    }
  return reads;
}

int64_t conflictsOf(const SharedReads &reads, const SharedLayout &layout) {
  int64_t elemBytes = bytesOf(reads.dtype), conflicts = 0;
  // A tile that is smaller than an atom repeats its last elements (Gemm.cpp, clampTo): no question
  // of banks.
  auto isInside = [&](const Coords &point) {
    return point[0] < layout.shape[0] && point[1] < layout.shape[1];
  };
  for (size_t read = 0; read < reads.lanes.size(); read += bankedLanes) {
    LaneValues addresses;
    for (unsigned lane = 0; lane < bankedLanes; ++lane) {
      const Coords &point = reads.lanes[read + lane];
      addresses[lane] = isInside(point) ? layout.offset(point) * elemBytes : 0;
    }
    conflicts += bankConflicts(reads.arch, {true, unsigned(reads.bytesPerLane)}, addresses);
  }
  return conflicts;
}

SharedLayout chooseSwizzle(llvm::ArrayRef<int64_t> shape, const SharedReads &reads,
                           int64_t passedOver) {
  int64_t bits = bitsOf(reads.dtype), elemBytes = bytesOf(reads.dtype);
  SharedLayout best = reads.isTransposed ? SharedLayout::transposed(shape, bits)
                      : reads.isTurned   ? SharedLayout::plain(shape)
                                         : SharedLayout::swizzled(shape, bits);
  int64_t fewest = conflictsOf(reads, best);
  int64_t smallestChunk = std::max(reads.bytesPerLane, reads.pieceBytes);
  for (int64_t chunkBytes = smallestChunk;
       chunkBytes <= widestChunkBytes && (fewest > 0 || passedOver > 0); chunkBytes *= 2) {
    int64_t vec = chunkBytes / elemBytes;
    if (vec == 0 || shape.back() % vec != 0)
      continue;
    int64_t chunks = shape.back() / vec;
    for (int64_t phases = std::min<int64_t>(chunks & -chunks, 32); phases > 1; phases /= 2)
      for (int64_t rowsPerPhase : {1, 2, 4, 8})
        for (bool isGray : {false, true}) {
          SharedLayout layout = SharedLayout::plain(shape);
          layout.vecElems = vec;
          layout.phases = phases;
          layout.rowsPerPhase = rowsPerPhase;
          layout.isGray = isGray;
          int64_t conflicts = conflictsOf(reads, layout);
          bool isOther = fewest == 0 && conflicts == 0 && !(layout == best) && passedOver-- > 0;
          if (conflicts < fewest || isOther) {
            fewest = conflicts;
            best = layout;
          }
          if (fewest == 0 && passedOver <= 0)
            return best;
        }
  }
  return best;
}

int64_t passesOf(const FragmentLayout &lanes, const SharedLayout &layout, int64_t elemBytes,
                 const TargetInfo &target) {
  const int64_t bankBytes = target.bankBytes;
  int64_t regs = lanes.atomRegs(), run = 1;
  while (run < regs && run * elemBytes < target.accessBytes &&
         lanes.coords(run, 0, 0) == Coords{0, run})
    ++run;
  int64_t bytes = run * elemBytes;
  // As many lanes as take a word of each bank are served together.
  int64_t together = std::min<int64_t>(target.waveLanes,
                                       target.sharedBanks * bankBytes / std::max(bytes, bankBytes));
  int64_t passes = 0;
  for (int64_t first = 0; first < target.waveLanes; first += together) {
    llvm::SmallVector<std::set<int64_t>> words(target.sharedBanks);
    for (int64_t lane = first; lane < first + together; ++lane) {
      int64_t offset = layout.offset(lanes.coords(0, lane, 0)) * elemBytes;
      for (int64_t word = offset / bankBytes; word * bankBytes < offset + bytes; ++word)
        words[word % target.sharedBanks].insert(word);
    }
    size_t most = 0;
    for (const std::set<int64_t> &ofBank : words)
      most = std::max(most, ofBank.size());
    passes += int64_t(most);
  }
  return passes;
}

} // namespace tilec

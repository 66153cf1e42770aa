//===- NaturalLoops.cpp - loops of a control-flow graph -------------------===//
//
// Takes the successors of blocks, gives loops with their nesting, for any code that has blocks.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/NaturalLoops.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace llvm;

namespace tilec::codegen {

using Graph = std::vector<SmallVector<unsigned, 2>>;

static Graph predecessorsOf(ArrayRef<SmallVector<unsigned, 2>> successors) {
  Graph predecessors(successors.size());
  for (auto [block, nexts] : enumerate(successors))
    for (unsigned next : nexts)
      predecessors[next].push_back(block);
  return predecessors;
}

/// The blocks that dominate each block, as bit sets; kernels have few blocks.
static std::vector<BitVector> dominators(const Graph &predecessors) {
  unsigned count = predecessors.size();
  std::vector<BitVector> result(count, BitVector(count, true));
  if (count) {
    result[0].reset();
    result[0].set(0);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned block = 1; block < count; ++block) {
      BitVector now(count, true);
      for (unsigned before : predecessors[block])
        now &= result[before];
      now.set(block);
      changed |= now != result[block];
      result[block] = std::move(now);
    }
  }
  return result;
}

/// The blocks that nothing reaches: their dominators mean nothing.
static BitVector reachable(ArrayRef<SmallVector<unsigned, 2>> successors) {
  BitVector seen(successors.size());
  SmallVector<unsigned> work;
  if (!successors.empty())
    work.push_back(0);
  while (!work.empty()) {
    unsigned block = work.pop_back_val();
    if (seen.test(block))
      continue;
    seen.set(block);
    append_range(work, successors[block]);
  }
  return seen;
}

static void nest(std::vector<NaturalLoop> &loops) {
  for (NaturalLoop &loop : loops) {
    size_t smallest = ~size_t(0);
    for (auto [i, other] : enumerate(loops))
      if (&other != &loop && is_contained(other.blocks, loop.header) &&
          other.blocks.size() > loop.blocks.size() && other.blocks.size() < smallest) {
        loop.parent = i;
        smallest = other.blocks.size();
      }
  }
  for (NaturalLoop &loop : loops) {
    if (loop.parent)
      loops[*loop.parent].isInnermost = false;
    for (std::optional<unsigned> up = loop.parent; up; up = loops[*up].parent)
      ++loop.depth;
  }
}

std::vector<NaturalLoop> findNaturalLoops(ArrayRef<SmallVector<unsigned, 2>> successors) {
  Graph predecessors = predecessorsOf(successors);
  std::vector<BitVector> dominatedBy = dominators(predecessors);
  BitVector isReachable = reachable(successors);
  std::map<unsigned, std::set<unsigned>> bodies;
  for (auto [block, nexts] : enumerate(successors))
    for (unsigned header : nexts) {
      if (!isReachable.test(block) || !dominatedBy[block].test(header))
        continue;
      std::set<unsigned> &body = bodies[header];
      body.insert(header);
      SmallVector<unsigned> work{static_cast<unsigned>(block)};
      while (!work.empty()) {
        unsigned at = work.pop_back_val();
        if (isReachable.test(at) && body.insert(at).second)
          append_range(work, predecessors[at]);
      }
    }
  std::vector<NaturalLoop> loops;
  for (auto &[header, body] : bodies) {
    NaturalLoop &loop = loops.emplace_back();
    loop.header = header;
    loop.blocks.assign(body.begin(), body.end());
  }
  nest(loops);
  return loops;
}

} // namespace tilec::codegen

//===- GroupRows.cpp - which rows of a fragment a warp group has ----------===//
//
// Reads the rows of warp groups off layouts; GroupRows.h says of which.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/GroupRows.h"

#include "Layouts/LoopLayout.h"
#include "Layouts/WarpGroups.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {

std::optional<GroupRows> groupRowsOf(Value fragment) {
  auto type = dyn_cast<tile::BufferType>(fragment.getType());
  if (!type || !type.isFragment() || !fragment.getDefiningOp<tile::AllocOp>())
    return std::nullopt;
  const FragmentLayout *layout = fragmentLayoutOf(fragment);
  if (!layout || layout->numWaves() % warpsPerGroup != 0)
    return std::nullopt;
  Coords box = layout->atom().boxShape(), reps = layout->repsPerDim();
  GroupRows rows;
  rows.groups = layout->numWaves() / warpsPerGroup;
  for (int64_t wave = 0; wave < layout->numWaves(); ++wave) {
    Coords at = layout->coords(0, 0, wave);
    // Groups may differ in rows only; warps of a group share columns at most.
    for (unsigned d = 1; d < layout->rank(); ++d)
      if (at[d] != layout->coords(0, 0, wave % warpsPerGroup)[d])
        return std::nullopt;
    int64_t end = at[0] + box[0] * reps[0];
    if (wave < warpsPerGroup)
      rows.count = std::max(rows.count, end);
    else if (wave == warpsPerGroup)
      rows.step = at[0];
    int64_t first = rows.first(wave / warpsPerGroup);
    if (at[0] < first || end > first + rows.count)
      return std::nullopt;
  }
  return rows;
}

bool joinRows(std::optional<GroupRows> &rows, Value fragment) {
  std::optional<GroupRows> own = groupRowsOf(fragment);
  if (!own || (rows && !(*rows == *own)))
    return false;
  rows = own;
  return true;
}

std::optional<GroupRows> groupRowsOf(Operation *op) {
  Accesses accesses = accessesOf(op);
  std::optional<GroupRows> rows;
  for (ArrayRef<Value> list : {ArrayRef(accesses.reads), ArrayRef(accesses.writes)})
    for (Value root : list)
      if (!cast<tile::BufferType>(root.getType()).isGlobal() && !joinRows(rows, root))
        return std::nullopt;
  return rows;
}

} // namespace tilec

//===- BlockOrder.h - which block uses which element of a tensor ----------===//
//
// Blocks of a launch are in no order: what one writes no other may use, atomics among
// atomics and equal values written twice excepted. Kept for the tensors that a kernel
// writes, while it runs.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

namespace tilec::reference {

/// Of one tensor.
class BlockOrder {
public:
  struct Cell {
    uint32_t writer = 0, reader = 0; ///< block + 1; the writer's top bit: by an atomic
  };
  unsigned bits = 0; ///< of an element of the tensor
  std::vector<Cell> cells;
};

/// Makes what blocks of the kernel before this one did forgotten.
void beginBlockOrder(Machine &machine);

/// Lanes' accesses; fails where another block is in the way.
void noteReads(Frame &frame, const Access &access, const int64_t *offsets, mlir::Operation *op);
void noteAtomics(Frame &frame, const Access &access, const int64_t *offsets, mlir::Operation *op);
void noteRead(Machine &machine, uint32_t buffer, DType dtype, int64_t offset, mlir::Operation *op);
void noteReads(Machine &machine, uint32_t buffer, const View &view, mlir::Operation *op);

/// Plain writes: `note` before they are done, `finish` after, when it is known whether they changed
/// anything.
class BlockWrites {
public:
  BlockWrites(Machine &machine, uint32_t buffer, mlir::Operation *op);
  void note(DType dtype, int64_t offset);
  void note(const View &view);
  void finish();

private:
  struct Candidate {
    int64_t elem;
    uint64_t before;
    uint32_t other; ///< block + 1
    bool isRead;
  };
  Machine &machine;
  uint32_t buffer;
  mlir::Operation *op;
  BlockOrder *order; ///< null: not looked at
  std::vector<Candidate> candidates;
};

} // namespace tilec::reference

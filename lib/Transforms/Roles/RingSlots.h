//===- RingSlots.h - how many slots a producer's rings have ----------------===//
//
// Takes rings and the shared memory that is left, gives each as many slots as copies need to be
// under way.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/ProducerLoop.h"

#include "tilec/Target/Target.h"

namespace tilec {

/// Whether the kernel's blocks take several tiles of the former grid.
bool isPersistent(tile::KernelOp kernel);

/// Shared memory of the kernel with the rings of these loops, which a producer fills as early as it
/// can.
SharedMemory memoryWith(tile::KernelOp kernel, llvm::MutableArrayRef<ProducerLoop> plans,
                        const TargetInfo &target);

/// Clocks of a unit's matrix instructions for all of a block's gemm; 0: not known.
int64_t clocksOfGemm(tile::GemmOp gemm, const TargetInfo &target);

/// Clocks of the tensor cores in a round of the loop; at least 1.
int64_t clocksOfRound(tile::ForOp loop, const TargetInfo &target);

/// Takes a slot away from a ring that has more than are useful, and no author who wants exactly
/// those; gives it back to `memory`. False: there is none.
bool giveSlot(llvm::MutableArrayRef<ProducerLoop> plans, SharedMemory &memory,
              const TargetInfo &target);

/// Blocks that are resident on a unit, of which each has so many bytes of shared memory and a
/// producer of so many threads, or none.
int64_t residentBlocks(tile::KernelOp kernel, int64_t producer, int64_t bytes,
                       const TargetInfo &target);
/// The same without a producer, where registers hold so many bits beside the fragments that live.
int64_t residentBlocksHolding(tile::KernelOp kernel, int64_t bits, int64_t bytes,
                              const TargetInfo &target);

/// What a block with a producer of so many threads, or none, may take of shared memory so that as
/// many are resident as with `usedBytes`.
int64_t bytesForSameOccupancy(tile::KernelOp kernel, int64_t producer, int64_t usedBytes,
                              const TargetInfo &target);

/// Whether every block of the grid has a unit for itself.
bool hasUnitsForAll(tile::KernelOp kernel, const TargetInfo &target);

/// Whether a second block is resident beside one of the kernel's as long as it has no producer.
bool hasNeighbour(tile::KernelOp kernel, const TargetInfo &target);

} // namespace tilec

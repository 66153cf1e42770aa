//===- BufferAddress.h - addresses through buffer descriptors -------------===//
//
// Takes a buffer instruction, reads its descriptor, gives the address of each lane and which lanes
// are out of range.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "MemOps.h"

namespace tilec::sim {

/// The 128 bits of a buffer resource, CDNA3 ISA 9.1.
struct BufferDescriptor {
  uint64_t base;
  uint32_t stride, numRecords, word3;
  bool addsLaneId;
  bool swizzled; ///< as the instruction sees it: without an index there is nothing to swizzle
};
BufferDescriptor bufferDescriptorOf(const Wave &wave, const Instr &instr);

/// Fills addresses of `bytes` bytes a lane, and the lanes out of range. False after a fault.
bool computeBufferAddresses(Wave &wave, const Instr &instr, unsigned bytes, MemOp &op);

/// Lanes of which a buffer instruction without an index touches nothing, whatever they store.
uint64_t lanesOutOfRange(const Wave &wave, const Instr &instr);

} // namespace tilec::sim

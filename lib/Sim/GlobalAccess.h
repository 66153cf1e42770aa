//===- GlobalAccess.h - moving lanes' data to and from global memory ------===//
//
// Shared by buffer, global, flat and scratch instructions: addresses are final here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "MemOps.h"

namespace tilec::sim {

/// OpInfo::aux of vector memory instructions.
constexpr uint32_t packAccess(unsigned bytes, Format format) {
  return bytes | static_cast<uint32_t>(format) << 8;
}
constexpr uint32_t packAtomicAccess(unsigned bytes, AtomicOp op) {
  return bytes | static_cast<uint32_t>(op) << 8;
}

/// Host bytes of one lane's access, or nullptr after a report. Flat addresses may name LDS or the
/// lane's scratch.
uint8_t *hostOf(Wave &wave, MemOp &op, unsigned lane, uint64_t address, unsigned bytes,
                Touch touch);

/// Loads to D; lanes of zeroMask get 0.
void performLoad(Wave &wave, MemOp &op);
/// Stores op.data.
void performStore(Wave &wave, MemOp &op);
/// Loads to LDS at ldsBase + lane * bytes; lanes of zeroMask write 0.
void performLdsDma(Wave &wave, MemOp &op);
/// D = old value when the form returns it.
void performAtomic(Wave &wave, MemOp &op);

/// M0 plus the instruction's offset: where an LDS DMA's lane 0 goes. M0 carries 18 bits, enough for
/// the 160 KiB of gfx950.
uint32_t ldsDmaBase(const Wave &wave, const Instr &instr);

} // namespace tilec::sim

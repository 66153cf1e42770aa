//===- Access.h - one lane's access to memory -----------------------------===//
//
// Takes an instruction, a space and an address, gives the bytes behind it after all checks, or
// none.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

namespace tilec::ptx {

/// Where an access of one lane goes, after every check; no host bytes: a fault has been reported.
struct Target {
  uint8_t *host = nullptr;
  uint8_t *written = nullptr; ///< shadow; nullptr: all holds values
  SharedMemory *shared = nullptr;
  uint32_t offset = 0; ///< in shared memory
};

/// Finds the bytes at `address` of `space` for a lane. `values`: what is written.
Target locate(Warp &warp, const Instruction &instr, Space space, uint64_t address, unsigned bytes,
              unsigned lane, AccessKind kind, const uint8_t *values = nullptr);

/// Whether all bytes of it hold values.
bool holdsValues(const Target &target, unsigned bytes);
/// Which of (at most 64) bytes do.
uint64_t bytesWithValues(const Target &target, unsigned bytes);

} // namespace tilec::ptx

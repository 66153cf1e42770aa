//===- Bulk.cpp - what bulk loads and stores share ------------------------===//
//
// Reads tensor maps and the operands of bulk copies, and notes what they touch in global memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Bulk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

uint8_t *globalBytes(Machine &machine, const BulkCopy &copy, uint64_t address, uint32_t bytes,
                     uint8_t **written) {
  uint8_t *host = machine.global(address, bytes, written);
  if (!host && machine.fault.empty())
    machine.fault = "the bulk copy of " + machine.program.placeOf(*copy.instruction) + ": `" +
                    copy.instruction->text + "` touches " + machine.describeOutside(address, bytes);
  return host;
}

bool readMap(Warp &warp, const Instruction &instr, unsigned lane, const Operand &operand,
             BulkCopy &copy) {
  Value addresses = warp.use(operand, 1u << lane, "a tensor map");
  uint64_t address = addresses[lane] + uint64_t(operand.offset);
  const uint8_t *host = nullptr;
  if ((address & windowMask) == paramWindow) {
    address &= ~windowMask;
    if (address + sizeof(TensorMap) <= warp.machine.params.size())
      host = warp.machine.params.data() + address;
  } else {
    uint8_t *written = nullptr;
    host = warp.machine.global(address, sizeof(TensorMap), &written);
  }
  if (host)
    std::memcpy(&copy.map, host, sizeof(TensorMap));
  if (!host || copy.map.magic != TensorMap::mark)
    return warp.fail(instr, 1u << lane, "there is no tensor map at its address"), false;
  if (operand.parts.size() != copy.map.rank)
    return warp.fail(instr, 1u << lane,
                     "gives " + Twine(operand.parts.size()) + " coordinates, the tensor map has " +
                         Twine(copy.map.rank)),
           false;
  if (instr.isIm2col != (copy.map.isIm2col != 0))
    return warp.fail(instr, 1u << lane,
                     "is of another mode than the tensor map, which is " +
                         Twine(copy.map.isIm2col ? "im2col" : "tiled")),
           false;
  for (auto [d, part] : enumerate(operand.parts))
    copy.coords[d] = int32_t(warp.use(part, 1u << lane, "a coordinate")[lane]);
  copy.bytes = boxBytes(copy.map);
  return true;
}

bool oneLane(Warp &warp, const Instruction &instr, uint32_t lanes) {
  if (isPowerOf2_32(lanes))
    return true;
  warp.fail(instr, lanes, Twine(popcount(lanes)) + " lanes start the same bulk copy");
  return false;
}

uint64_t sharedOffset(Warp &warp, const Operand &operand, unsigned lane) {
  uint64_t address = warp.use(operand, 1u << lane, "an address")[lane] + uint64_t(operand.offset);
  return (address & windowMask) == sharedWindow ? address & ~windowMask : uint32_t(address);
}

bool noteGlobal(Warp &warp, const Instruction &instr, uint32_t lanes, const BulkCopy &copy,
                AccessKind kind) {
  std::string problem;
  auto note = [&](uint64_t address, uint32_t bytes) {
    Epoch epoch = Epoch::make(copy.agent, copy.clock, touchOf(bytes, copy.reduce));
    if (problem.empty())
      problem = warp.machine.noteGlobal(warp, kind, address, bytes, epoch);
  };
  if (copy.map.rank == 0)
    note(copy.linear, copy.bytes);
  else
    forRows(copy, [&](uint32_t, int64_t offset, uint32_t bytes) {
      if (offset >= 0)
        note(copy.map.address + uint64_t(offset), bytes);
    });
  if (!problem.empty())
    warp.fail(instr, lanes, problem);
  return problem.empty();
}

} // namespace tilec::ptx

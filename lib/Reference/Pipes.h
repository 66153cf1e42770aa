//===- Pipes.h - a producer warp beside the rest of the kernel ------------===//
//
// tile.producer runs as a coroutine: when the consumers wait for a slot that is not
// full, the producer goes on until it has filled one or needs one that is not empty.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Coroutine.h"
#include "Machine.h"

namespace tilec::reference {

struct PipeState {
  int64_t stages = 1, bytesPerFill = 1;
  int64_t acquired = 0; ///< slots the producer took, in all
  int64_t consumed = 0; ///< slots the consumers waited for
  int64_t released = 0;
  std::vector<int64_t> arrivedBytes; ///< of each slot
};

/// What a block's pipes hold while it runs.
struct PipeSet {
  std::vector<PipeState> pipes; ///< by the pipe's number
  std::unique_ptr<Coroutine> producer;
};

struct ProducerAux {
  Code body;
  std::vector<Import> imports;
  uint32_t numSlots = 0;
};
struct PipeAux {
  uint32_t pipe = 0;
  int64_t stages = 1, bytes = 1;
  bool previous = false;
  TileOpAux copy; ///< tile.tma_copy: source and destination
};

void execPipe(Frame &frame, const Instr &instr);
void execProducer(Frame &frame, const Instr &instr);
void execPipeAcquire(Frame &frame, const Instr &instr);
void execTmaCopy(Frame &frame, const Instr &instr);
void execPipeWait(Frame &frame, const Instr &instr);
void execPipeRelease(Frame &frame, const Instr &instr);
void execPipeDrain(Frame &frame, const Instr &instr);

/// At the end of a block: the producer ends, too, or waits for ever, which is an error.
void finishProducer(Machine &machine);

} // namespace tilec::reference

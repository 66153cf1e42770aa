//===- Pipes.cpp - a producer warp beside the rest of the kernel ----------===//
//
// Executes producers: who waits for which slot, and that nobody reads what is not filled yet.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipes.h"

using namespace mlir;

namespace tilec::reference {

static PipeState &pipeOf(Frame &frame, const Instr &instr) {
  return frame.machine.pipes->pipes[static_cast<const PipeAux *>(instr.aux)->pipe];
}

void execPipe(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const PipeAux *>(instr.aux);
  auto &pipes = frame.machine.pipes->pipes;
  if (pipes.size() <= aux.pipe)
    pipes.resize(aux.pipe + 1);
  pipes[aux.pipe] = PipeState{aux.stages, aux.bytes, 0, 0, 0, std::vector<int64_t>(aux.stages, 0)};
}

void execProducer(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const ProducerAux *>(instr.aux);
  Machine &machine = frame.machine;
  finishProducer(machine); // of an earlier round, were this in a loop
  if (machine.failed)
    return;
  auto data = std::make_shared<std::vector<uint8_t>>(size_t(aux.numSlots + 1) * laneBytes);
  Frame body{machine, data->data(), laneBytes, 1};
  importValues(frame, 0, body, aux.imports);
  machine.pipes->producer = std::make_unique<Coroutine>([&machine, &aux, data] {
    Frame own{machine, data->data(), laneBytes, 1};
    runCode(own, aux.body);
  });
}

void execPipeAcquire(Frame &frame, const Instr &instr) {
  PipeState &pipe = pipeOf(frame, instr);
  while (pipe.acquired - pipe.released >= pipe.stages) {
    frame.machine.pipes->producer->wait();
    if (frame.machine.failed)
      return;
  }
  *frame.at<int64_t>(instr.dst) = pipe.acquired++ % pipe.stages;
}

void execTmaCopy(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const PipeAux *>(instr.aux);
  PipeState &pipe = pipeOf(frame, instr);
  int64_t slot = *frame.at<int64_t>(instr.b);
  if (slot < 0 || slot >= pipe.stages)
    return frame.machine.fail(instr.op, "fills slot " + Twine(slot) + " of " + Twine(pipe.stages));
  Instr copy = instr;
  copy.aux = &aux.copy;
  execCopy(frame, copy);
  if (frame.machine.failed)
    return;
  // The whole box counts, the part outside of the tensor included, as hardware counts it.
  View dst = evalView(frame, aux.copy.views[1], 0, instr.op);
  pipe.arrivedBytes[slot] += storageBytes(dst.dtype, dst.numElems());
  if (pipe.arrivedBytes[slot] > pipe.bytesPerFill)
    frame.machine.fail(instr.op, "brings " + Twine(pipe.arrivedBytes[slot]) +
                                     " bytes to a slot that takes " + Twine(pipe.bytesPerFill));
}

void execPipeWait(Frame &frame, const Instr &instr) {
  PipeState &pipe = pipeOf(frame, instr);
  Machine &machine = frame.machine;
  int64_t slot = pipe.consumed % pipe.stages;
  while (pipe.arrivedBytes[slot] < pipe.bytesPerFill) {
    Coroutine *producer = machine.pipes->producer.get();
    int64_t before = machine.steps;
    if (producer && !producer->hasEnded())
      producer->resume();
    if (machine.failed)
      return;
    // A producer that does not get on waits for a slot, and nobody is left to release it.
    if (!producer || (machine.steps == before && pipe.arrivedBytes[slot] < pipe.bytesPerFill) ||
        (producer->hasEnded() && pipe.arrivedBytes[slot] < pipe.bytesPerFill))
      return machine.fail(instr.op,
                          "waits for slot " + Twine(slot) + ", which the producer does not fill");
  }
  pipe.arrivedBytes[slot] = 0;
  ++pipe.consumed;
  *frame.at<int64_t>(instr.dst) = slot;
}

void execPipeRelease(Frame &frame, const Instr &instr) {
  PipeState &pipe = pipeOf(frame, instr);
  bool previous = static_cast<const PipeAux *>(instr.aux)->previous;
  pipe.released = std::max(pipe.released, pipe.consumed - (previous ? 1 : 0));
}

void execPipeDrain(Frame &frame, const Instr &instr) {
  PipeState &pipe = pipeOf(frame, instr);
  pipe.released = pipe.consumed;
}

void finishProducer(Machine &machine) {
  Coroutine *producer = machine.pipes->producer.get();
  if (!producer)
    return;
  if (!producer->hasEnded())
    producer->resume(); // to its end, to a wait, or out of its code when the run has failed
  if (!producer->hasEnded()) {
    machine.fail(nullptr, "the producer waits for a slot that no consumer releases,");
    producer->resume();
  }
  machine.pipes->producer.reset();
}

} // namespace tilec::reference

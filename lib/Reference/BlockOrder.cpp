//===- BlockOrder.cpp - which block uses which element of a tensor --------===//
//
// Takes what blocks read and write of tensors, and fails where the result would depend on which
// block runs first.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "BlockOrder.h"

using namespace mlir;

namespace tilec::reference {
namespace {

constexpr uint32_t atomicBit = 1u << 31, several = atomicBit - 1;

uint32_t blockOf(uint32_t writer) { return writer & ~atomicBit; }

/// The tensor's cells, or null where nothing is looked at.
BlockOrder *orderOf(Machine &machine, uint32_t buffer) {
  if (!machine.options.checkBlocks || !machine.insideKernel || machine.blockNumber >= several ||
      !machine.unit.buffers[buffer].isWrittenGlobal)
    return nullptr;
  std::unique_ptr<BlockOrder> &order = machine.orders[buffer];
  if (order)
    return order.get();
  const BufferState &state = machine.buffers[buffer];
  int64_t elems = 1;
  for (auto [extent, stride] : llvm::zip(state.shape, state.strides))
    elems += std::max<int64_t>(extent - 1, 0) * stride;
  order = std::make_unique<BlockOrder>();
  order->bits = bitsOf(machine.unit.buffers[buffer].dtype);
  order->cells.resize(elems);
  return order.get();
}

/// Calls fn(element of the tensor) for those that an element of a part of it lies in, which may be
/// of another dtype.
template <typename Fn> void forElems(const BlockOrder &order, DType dtype, int64_t offset, Fn fn) {
  int64_t bits = bitsOf(dtype), first = offset * bits / order.bits,
          last = (offset * bits + bits - 1) / order.bits;
  for (int64_t elem = first; elem <= last && elem < int64_t(order.cells.size()); ++elem)
    fn(elem);
}

void fail(Machine &machine, uint32_t buffer, int64_t elem, uint32_t other, const char *does,
          const char *did, Operation *op) {
  std::string name;
  if (auto tensor = machine.unit.buffers[buffer].value.getDefiningOp<tile::TensorOp>())
    name = " of `" + tensor.getName().str() + "`";
  std::string who = blockOf(other) == several
                        ? std::string("another block")
                        : "block number " + std::to_string(blockOf(other) - 1);
  machine.fail(op, Twine(does) + " element " + Twine(elem) + name + ", which " + who + " " + did +
                       "; blocks of a launch are in no order,");
}

bool readOne(Machine &machine, BlockOrder &order, uint32_t buffer, int64_t elem, Operation *op) {
  BlockOrder::Cell &cell = order.cells[elem];
  uint32_t self = machine.blockNumber + 1;
  if (cell.writer && blockOf(cell.writer) != self) {
    fail(machine, buffer, elem, cell.writer, "reads",
         cell.writer & atomicBit ? "updates" : "writes", op);
    return false;
  }
  cell.reader = cell.reader == 0 || cell.reader == self ? self : several;
  return true;
}

} // namespace

void beginBlockOrder(Machine &machine) {
  machine.orders.clear();
  machine.orders.resize(machine.buffers.size());
}

void noteRead(Machine &machine, uint32_t buffer, DType dtype, int64_t offset, Operation *op) {
  if (BlockOrder *order = orderOf(machine, buffer))
    forElems(*order, dtype, offset,
             [&](int64_t elem) { readOne(machine, *order, buffer, elem, op); });
}

void noteReads(Frame &frame, const Access &access, const int64_t *offsets, Operation *op) {
  Machine &machine = frame.machine;
  if (!orderOf(machine, access.chain.buffer))
    return;
  for (int lane = 0; lane < frame.lanes && !machine.failed; ++lane)
    if (offsets[lane] >= 0 && frame.isOn(lane))
      noteRead(machine, access.chain.buffer, access.dtype, offsets[lane], op);
}

void noteReads(Machine &machine, uint32_t buffer, const View &view, Operation *op) {
  if (!orderOf(machine, buffer))
    return;
  forSpans(view, [&](int64_t, int64_t first, int64_t stride, int64_t count, bool isValid) {
    for (int64_t i = 0; i < count && isValid && !machine.failed; ++i)
      noteRead(machine, buffer, view.dtype, first + i * stride, op);
  });
}

void noteAtomics(Frame &frame, const Access &access, const int64_t *offsets, Operation *op) {
  Machine &machine = frame.machine;
  uint32_t buffer = access.chain.buffer, self = machine.blockNumber + 1;
  BlockOrder *order = orderOf(machine, buffer);
  for (int lane = 0; order && lane < frame.lanes && !machine.failed; ++lane)
    if (offsets[lane] >= 0 && frame.isOn(lane))
      forElems(*order, access.dtype, offsets[lane], [&](int64_t elem) {
        auto &[writer, reader] = order->cells[elem];
        if (writer && !(writer & atomicBit) && writer != self)
          fail(machine, buffer, elem, writer, "updates", "writes", op);
        else if (reader && reader != self)
          fail(machine, buffer, elem, reader, "updates", "reads", op);
        bool isOthers = (writer & atomicBit) && writer != (self | atomicBit);
        writer = (isOthers ? several : self) | atomicBit;
      });
}

BlockWrites::BlockWrites(Machine &machine, uint32_t buffer, Operation *op)
    : machine(machine), buffer(buffer), op(op), order(orderOf(machine, buffer)) {}

void BlockWrites::note(DType dtype, int64_t offset) {
  if (!order)
    return;
  forElems(*order, dtype, offset, [&](int64_t elem) {
    BlockOrder::Cell &cell = order->cells[elem];
    uint32_t self = machine.blockNumber + 1;
    bool isWritten = cell.writer && blockOf(cell.writer) != self,
         isRead = cell.reader && cell.reader != self;
    if (isWritten || isRead)
      candidates.push_back({elem, readBits(machine.buffers[buffer].base, order->bits, elem),
                            isWritten ? cell.writer : cell.reader, !isWritten});
    cell.writer = self;
  });
}

void BlockWrites::note(const View &view) {
  if (order)
    forSpans(view, [&](int64_t, int64_t first, int64_t stride, int64_t count, bool isValid) {
      for (int64_t i = 0; i < count && isValid; ++i)
        note(view.dtype, first + i * stride);
    });
}

void BlockWrites::finish() {
  for (const Candidate &c : candidates)
    if (readBits(machine.buffers[buffer].base, order->bits, c.elem) != c.before)
      return fail(machine, buffer, c.elem, c.other, "writes", c.isRead ? "reads" : "writes, too",
                  op);
}

} // namespace tilec::reference

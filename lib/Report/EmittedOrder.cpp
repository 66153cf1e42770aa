//===- EmittedOrder.cpp - the order of a loop, from its machine code ------===//
//
// The loop is executed symbolically three rounds: registers hold where their value
// came from, so that in the last round each MFMA knows its inputs, from the round
// before too. Three rounds suffice, because plans look one round back only.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/CheckOrder.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;
using tilec::codegen::AddressPart;
using tilec::codegen::LoopOrder;
using tilec::codegen::OrderedOp;
using tilec::codegen::ValueSource;

namespace tilec::report {

namespace {

constexpr unsigned rounds = 3;
constexpr uint64_t constantId = ~uint64_t(0); ///< an address part that is a constant only

using RegisterKey = std::pair<RegisterFile, unsigned>;

std::optional<OrderedOp::Kind> orderedKind(InstrKind kind) {
  switch (kind) {
  case InstrKind::Mfma:
    return OrderedOp::Mfma;
  case InstrKind::SharedRead:
    return OrderedOp::SharedRead;
  case InstrKind::SharedWrite:
    return OrderedOp::SharedWrite;
  case InstrKind::SharedDma:
    return OrderedOp::SharedDma;
  case InstrKind::GlobalLoad:
    return OrderedOp::GlobalLoad;
  case InstrKind::GlobalStore:
    return OrderedOp::GlobalStore;
  case InstrKind::Barrier:
    return OrderedOp::Barrier;
  case InstrKind::Priority:
    return OrderedOp::Priority;
  case InstrKind::Wait:
    return OrderedOp::Wait;
  default:
    return std::nullopt;
  }
}

class SymbolicLoop {
public:
  LoopOrder run(ArrayRef<const Instruction *> loop) {
    for (unsigned round = 0; round < rounds; ++round) {
      order = {};
      reads = mfmas = 0;
      now = round;
      for (auto [i, instr] : enumerate(loop)) {
        position = i;
        step(*instr);
      }
    }
    return std::move(order);
  }

private:
  struct Origin {
    ValueSource source;
    unsigned round = 0;
  };

  void step(const Instruction &instr);
  void addSources(const Instruction &instr, OrderedOp &op);
  void addAddress(const Instruction &instr, OrderedOp &op);
  void trackM0(const Instruction &instr);
  void writeResults(const Instruction &instr);

  /// A register's value: the register and what wrote it last in the loop.
  AddressPart part(AddressPart::Role role, const RegisterRange &range, int64_t offset) {
    RegisterKey key{range.file, range.first};
    auto it = lastWriter.find(key);
    // Numbers for messages and comparison only: file, register, position of the writer, and whether
    // it wrote in this round: an address that is advanced in place is another value behind that.
    uint64_t writer = 0;
    if (it != lastWriter.end())
      writer = (uint64_t(it->second.position) + 1) << 1 | (it->second.round == now);
    return {role, uint64_t(range.file) << 56 | uint64_t(range.first) << 32 | writer, offset};
  }

  LoopOrder order;
  std::map<RegisterKey, Origin> origins;
  struct Writer {
    unsigned position = 0, round = 0; ///< in the loop
  };
  std::map<RegisterKey, Writer> lastWriter;
  std::optional<AddressPart> m0;
  unsigned reads = 0, mfmas = 0, now = 0, position = 0;
};

void SymbolicLoop::addSources(const Instruction &instr, OrderedOp &op) {
  // a, b, c, and the middles of a and b.
  constexpr std::pair<unsigned, bool> places[] = {
      {0, false}, {1, false}, {2, false}, {0, true}, {1, true}};
  for (auto [i, isMiddle] : places) {
    ValueSource source;
    if (i < instr.reads.size()) {
      const RegisterRange &range = instr.reads[i];
      unsigned number = range.first + (isMiddle ? range.count / 2 : 0);
      if (auto it = origins.find({range.file, number}); it != origins.end()) {
        source = it->second.source;
        source.rounds = now - it->second.round;
      }
    }
    if (source.from == ValueSource::Outside || source.from == ValueSource::Other)
      source = {source.from};
    else if (source.rounds > 1)
      source = {ValueSource::Other};
    op.sources.push_back(source);
  }
}

/// Operands of memory instructions by what they can only be: a quad of scalar registers is a
/// descriptor, a single one an offset, a vector register the lane's part.
void SymbolicLoop::addAddress(const Instruction &instr, OrderedOp &op) {
  if (op.kind == OrderedOp::SharedRead || op.kind == OrderedOp::SharedWrite) {
    if (!instr.reads.empty())
      op.address.push_back(part(AddressPart::SharedAddress, instr.reads[0], instr.immediate));
    return;
  }
  constexpr unsigned descriptorRegisters = 4;
  op.address.push_back(m0.value_or(AddressPart{AddressPart::DmaTarget, constantId, 0}));
  if (!StringRef(instr.mnemonic).starts_with("buffer_"))
    return;
  AddressPart lane{AddressPart::LaneOffset, constantId, instr.immediate};
  AddressPart uniform{AddressPart::UniformOffset, constantId, 0};
  std::optional<AddressPart> descriptor;
  for (const RegisterRange &range : instr.reads) {
    if (range.file == RegisterFile::Vector)
      lane = part(AddressPart::LaneOffset, range, instr.immediate);
    else if (range.file == RegisterFile::Scalar && range.count == descriptorRegisters)
      descriptor = part(AddressPart::Descriptor, range, 0);
    else if (range.file == RegisterFile::Scalar)
      uniform = part(AddressPart::UniformOffset, range, 0);
  }
  if (descriptor)
    op.address.push_back(*descriptor);
  op.address.push_back(lane);
  op.address.push_back(uniform);
}

/// m0 as a register plus a constant, where it is written that way.
void SymbolicLoop::trackM0(const Instruction &instr) {
  if (!instr.writesFile(RegisterFile::M0))
    return;
  SmallVector<StringRef, 3> operands;
  StringRef(instr.operands).split(operands, ", ");
  int64_t constant = 0;
  for (StringRef operand : drop_begin(operands)) {
    int64_t value = 0;
    if (!operand.getAsInteger(0, value))
      constant += value;
  }
  m0 = AddressPart{AddressPart::DmaTarget, constantId, constant};
  for (const RegisterRange &range : instr.reads)
    if (range.file == RegisterFile::Scalar)
      m0 = part(AddressPart::DmaTarget, range, constant);
}

void SymbolicLoop::writeResults(const Instruction &instr) {
  bool isMove = instr.mnemonic == "v_mov_b32_e32" || instr.kind == InstrKind::AccumulatorMove;
  // Of a permutation of bytes the source of the low ones, which is the second, stands for all.
  bool isPermutation = instr.mnemonic == "v_perm_b32";
  unsigned taken = isPermutation ? 1 : 0;
  std::optional<Origin> moved;
  if ((isMove || isPermutation) && instr.reads.size() > taken) {
    const RegisterRange &from = instr.reads[taken];
    if (auto it = origins.find({from.file, from.first}); it != origins.end())
      moved = it->second;
  }
  for (const RegisterRange &range : instr.writes)
    for (unsigned i = 0; i < range.count; ++i) {
      Origin origin{{ValueSource::Other}, now};
      if (instr.kind == InstrKind::SharedRead)
        origin.source = {ValueSource::Read, reads, 0, i};
      else if (instr.kind == InstrKind::Mfma)
        origin.source = {ValueSource::Mfma, mfmas, 0, i};
      else if (moved)
        origin = *moved;
      origins[{range.file, range.first + i}] = origin;
      lastWriter[{range.file, range.first + i}] = {position, now};
    }
  reads += instr.kind == InstrKind::SharedRead;
  mfmas += instr.kind == InstrKind::Mfma;
}

void SymbolicLoop::step(const Instruction &instr) {
  if (std::optional<OrderedOp::Kind> kind = orderedKind(instr.kind)) {
    OrderedOp &op = order.ops.emplace_back();
    op.kind = *kind;
    op.text = instr.mnemonic + (instr.operands.empty() ? "" : " " + instr.operands);
    op.level = instr.immediate;
    op.waits = instr.waits;
    if (op.kind == OrderedOp::Mfma)
      addSources(instr, op);
    else if (op.kind == OrderedOp::SharedRead || op.kind == OrderedOp::SharedWrite ||
             op.kind == OrderedOp::SharedDma)
      addAddress(instr, op);
  }
  trackM0(instr);
  writeResults(instr);
}

} // namespace

LoopOrder emittedOrder(const KernelCode &kernel, const Loop &loop) {
  return SymbolicLoop().run(kernel.loopInstructions(loop));
}

} // namespace tilec::report

//===- CheckOrder.cpp - does the machine code keep the planned order? -----===//
//
// Takes the order of a plan and that of the machine code, gives the first difference.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/CheckOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;
using tilec::codegen::AddressPart;
using tilec::codegen::KernelOrder;
using tilec::codegen::LoopOrder;
using tilec::codegen::OrderedOp;
using tilec::codegen::ValueSource;

namespace tilec::report {

namespace {

constexpr unsigned waveLanes = 64; ///< of CDNA

const char *nameOf(OrderedOp::Kind kind) {
  switch (kind) {
  case OrderedOp::Mfma:
    return "MFMA";
  case OrderedOp::SharedRead:
    return "shared read";
  case OrderedOp::SharedWrite:
    return "shared write";
  case OrderedOp::SharedDma:
    return "shared DMA";
  case OrderedOp::GlobalLoad:
    return "global load";
  case OrderedOp::GlobalStore:
    return "global store";
  case OrderedOp::Barrier:
    return "barrier";
  case OrderedOp::Priority:
    return "priority";
  case OrderedOp::Wait:
    return "wait";
  }
  return "";
}

std::string describe(const ValueSource &source) {
  std::string round = source.rounds ? " of the round before" : "";
  switch (source.from) {
  case ValueSource::Outside:
    return "outside";
  case ValueSource::Read:
    return "read " + std::to_string(source.ordinal) + "." + std::to_string(source.dword) + round;
  case ValueSource::Mfma:
    return "MFMA " + std::to_string(source.ordinal) + round;
  case ValueSource::Other:
    return "computed";
  }
  return "";
}

const char *nameOf(AddressPart::Role role) {
  switch (role) {
  case AddressPart::SharedAddress:
    return "an LDS address";
  case AddressPart::Descriptor:
    return "a descriptor";
  case AddressPart::LaneOffset:
    return "a lane offset";
  case AddressPart::UniformOffset:
    return "a uniform offset";
  case AddressPart::DmaTarget:
    return "a place in LDS";
  }
  return "";
}

/// An operation and the waits between it and the one before.
struct Slot {
  const OrderedOp *op = nullptr; ///< null: the end of the loop
  WaitCounts waits;
};

void merge(std::optional<unsigned> &into, std::optional<unsigned> value) {
  if (value)
    into = std::min(*value, into.value_or(*value));
}

/// What a comparison leaves out.
struct Ignored {
  bool global = false;   ///< see LoopOrder::hasPlainGlobalAccesses
  bool barriers = false; ///< LLVM drops the barriers of a block that is one wave
};

std::vector<Slot> slotsOf(const LoopOrder &loop, Ignored ignored) {
  std::vector<Slot> slots(1);
  for (const OrderedOp &op : loop.ops) {
    if (op.kind == OrderedOp::Wait) {
      merge(slots.back().waits.vmcnt, op.waits.vmcnt);
      merge(slots.back().waits.lgkmcnt, op.waits.lgkmcnt);
      merge(slots.back().waits.expcnt, op.waits.expcnt);
      continue;
    }
    bool isGlobal = op.kind == OrderedOp::GlobalLoad || op.kind == OrderedOp::GlobalStore;
    if ((isGlobal && ignored.global) || (op.kind == OrderedOp::Barrier && ignored.barriers))
      continue;
    slots.back().op = &op;
    slots.emplace_back();
  }
  return slots;
}

class LoopComparison {
public:
  LoopComparison(const std::string &kernel, uint64_t address, const OrderCheckOptions &options,
                 std::vector<OrderDifference> &differences)
      : kernel(kernel), address(address), options(options), differences(differences) {}

  void compare(const LoopOrder &planned, const LoopOrder &emitted, Ignored ignored);

private:
  void compareOps(const OrderedOp &planned, const OrderedOp &emitted);
  void compareWaits(const WaitCounts &planned, const WaitCounts &emitted, bool isExact);
  std::string addressMismatch(const OrderedOp &planned, const OrderedOp &emitted);

  void report(const std::string &planned, const std::string &emitted) {
    if (reported++ < options.maxDifferences)
      differences.push_back(
          {kernel, address, 0, position, "planned: " + planned + "\nemitted: " + emitted});
  }

  const std::string &kernel;
  uint64_t address;
  const OrderCheckOptions &options;
  std::vector<OrderDifference> &differences;
  unsigned position = 0, reported = 0;
  /// What an emitted register stands for: a planned value, and how much is added to it. Found at
  /// its first use and then the same for all.
  std::map<std::pair<AddressPart::Role, uint64_t>, std::pair<uint64_t, int64_t>> meaning;
};

/// Empty when the address parts can stand for the same.
std::string LoopComparison::addressMismatch(const OrderedOp &planned, const OrderedOp &emitted) {
  for (const AddressPart &want : planned.address) {
    auto got =
        find_if(emitted.address, [&](const AddressPart &part) { return part.role == want.role; });
    if (got == emitted.address.end())
      continue;
    std::pair now{want.id, want.offset - got->offset};
    auto [it, isNew] = meaning.try_emplace({got->role, got->id}, now);
    if (!isNew && it->second != now)
      return std::string(nameOf(want.role)) + " that is not the planned one";
  }
  return "";
}

void LoopComparison::compareOps(const OrderedOp &planned, const OrderedOp &emitted) {
  if (planned.kind != emitted.kind)
    return report(std::string(nameOf(planned.kind)) + ": " + planned.text,
                  std::string(nameOf(emitted.kind)) + ": " + emitted.text);
  if (planned.kind == OrderedOp::Priority && planned.level != emitted.level)
    return report(planned.text, emitted.text);
  if (planned.kind == OrderedOp::Mfma && planned.sources != emitted.sources) {
    auto list = [](const OrderedOp &op) {
      std::string text;
      for (const ValueSource &source : op.sources)
        text += (text.empty() ? " (of " : ", ") + describe(source);
      return text + ")";
    };
    return report(planned.text + list(planned), emitted.text + list(emitted));
  }
  if (std::string problem = addressMismatch(planned, emitted); !problem.empty())
    report(planned.text, emitted.text + " (" + problem + ")");
}

void LoopComparison::compareWaits(const WaitCounts &planned, const WaitCounts &emitted,
                                  bool isExact) {
  bool sameVm = planned.vmcnt == emitted.vmcnt;
  bool sameLgkm = planned.lgkmcnt == emitted.lgkmcnt;
  bool coversLgkm = !planned.lgkmcnt || (emitted.lgkmcnt && *emitted.lgkmcnt <= *planned.lgkmcnt);
  if (sameVm && (options.allowsAddedLgkmWaits && !isExact ? coversLgkm : sameLgkm))
    return;
  auto text = [](const WaitCounts &counts) {
    std::string all = codegen::toString(counts);
    return all.empty() ? std::string("no wait") : "s_waitcnt " + all;
  };
  report(text(planned), text(emitted));
}

void LoopComparison::compare(const LoopOrder &planned, const LoopOrder &emitted, Ignored ignored) {
  std::vector<Slot> want = slotsOf(planned, ignored), got = slotsOf(emitted, ignored);
  for (unsigned i = 0; i < std::min(want.size(), got.size()); ++i) {
    position = i;
    compareWaits(want[i].waits, got[i].waits, planned.hasExactLgkmWaits);
    if (want[i].op && got[i].op)
      compareOps(*want[i].op, *got[i].op);
  }
  // Both end with an empty slot; a longer one has an operation where the other ends.
  if (want.size() != got.size()) {
    position = std::min(want.size(), got.size()) - 1;
    const OrderedOp *missing = position < want.size() ? want[position].op : nullptr;
    const OrderedOp *added = position < got.size() ? got[position].op : nullptr;
    report(missing ? missing->text : "the end of the loop",
           added ? added->text : "the end of the loop");
  }
}

bool isScheduled(const KernelCode &kernel, const Loop &loop) {
  return loop.isInnermost && any_of(kernel.loopInstructions(loop), [](const Instruction *instr) {
           return instr->kind == InstrKind::Mfma || instr->kind == InstrKind::SharedDma;
         });
}

} // namespace

std::vector<OrderDifference> checkOrder(const CodeObject &object, ArrayRef<KernelOrder> planned,
                                        const OrderCheckOptions &options) {
  std::vector<OrderDifference> differences;
  for (const KernelOrder &plan : planned) {
    const KernelCode *kernel = object.kernel(plan.kernel);
    if (!kernel) {
      differences.push_back(
          {plan.kernel, 0, 0, 0,
           "planned: kernel `" + plan.kernel + "`\nemitted: no kernel of this name"});
      continue;
    }
    std::vector<const Loop *> loops;
    for (const Loop &loop : kernel->loops)
      if (isScheduled(*kernel, loop))
        loops.push_back(&loop);
    if (loops.size() != plan.loops.size()) {
      differences.push_back(
          {plan.kernel, 0, 0, 0,
           "planned: " + std::to_string(plan.loops.size()) +
               " innermost loops with MFMAs or DMAs\nemitted: " + std::to_string(loops.size())});
      continue;
    }
    bool isOneWave = kernel->facts.maxThreads != 0 && kernel->facts.maxThreads <= waveLanes;
    auto compare = [&](const codegen::LoopOrder &want, const Loop &loop) {
      std::vector<OrderDifference> found;
      LoopComparison(plan.kernel, kernel->loopInstructions(loop).front()->address, options, found)
          .compare(want, emittedOrder(*kernel, loop), {want.hasPlainGlobalAccesses, isOneWave});
      for (OrderDifference &difference : found)
        difference.sourceLoop = want.sourceLoop;
      return found;
    };
    // Those of its id; without ids, mostly in program order: of two branches the code generator may
    // put either first. Each loop is to be one of the code's, and what differs is said of the one
    // in its place.
    std::vector<bool> isTaken(loops.size());
    for (auto [n, want] : enumerate(plan.loops)) {
      auto isOfId = [&, id = want.sourceLoop](const Loop *loop) {
        return kernel->sourceLoopOf(*loop) == id;
      };
      bool hasId = want.sourceLoop != 0 && any_of(loops, isOfId);
      std::vector<OrderDifference> inPlace;
      bool isThere = false;
      for (size_t step = 0; step < loops.size() && !isThere; ++step) {
        size_t at = (n + step) % loops.size();
        if (isTaken[at] || (hasId && !isOfId(loops[at])))
          continue;
        std::vector<OrderDifference> found = compare(want, *loops[at]);
        if (found.empty())
          isThere = isTaken[at] = true;
        else if (inPlace.empty())
          inPlace = std::move(found);
      }
      if (!isThere)
        append_range(differences, inPlace);
    }
  }
  return differences;
}

std::string describe(ArrayRef<OrderDifference> differences) {
  std::string text;
  for (const OrderDifference &difference : differences) {
    text += "kernel `" + difference.kernel + "`";
    if (difference.loopAddress)
      text += ", loop at 0x" + utohexstr(difference.loopAddress, /*LowerCase=*/true) +
              ", operation " + std::to_string(difference.position);
    text += ":\n" + difference.text + "\n";
  }
  return text;
}

} // namespace tilec::report

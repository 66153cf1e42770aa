//===- AuditWaits.cpp - is every loaded register waited for? --------------===//
//
// A forward data-flow over the basic blocks. The state holds, for each register with
// a load that may be in flight, how many operations of the same counter were issued
// after it at least: a wait for N covers it when these are N or more. Joins take the
// union of the registers and the smaller number, which is the worse case.
//
// Counters of gfx9: vmcnt counts loads, stores and DMAs, which complete in order;
// lgkmcnt counts LDS operations, in order among themselves, and scalar loads, in no
// order, so that only a wait for 0 covers those. Source: AMD CDNA3 ISA document,
// "Data dependency resolution".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/AuditWaits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;

namespace tilec::report {

namespace {

enum class Counter : uint8_t { Vector, Shared, Scalar };

struct InFlight {
  Counter counter;
  unsigned after; ///< later operations of the counter, at least
  unsigned load;  ///< index of the instruction

  bool operator==(const InFlight &) const = default;
};

using RegisterKey = std::pair<RegisterFile, unsigned>;
/// A register may be the target of a load of each counter, on different paths.
using State = std::map<std::pair<RegisterKey, Counter>, InFlight>;

std::optional<Counter> counterOf(const Instruction &instr) {
  switch (instr.kind) {
  case InstrKind::SharedDma:
  case InstrKind::GlobalLoad:
  case InstrKind::GlobalStore:
  case InstrKind::GlobalAtomic:
  case InstrKind::Scratch:
    return Counter::Vector;
  case InstrKind::SharedRead:
  case InstrKind::SharedWrite:
  case InstrKind::SharedOther:
  case InstrKind::LaneExchange:
    return Counter::Shared;
  case InstrKind::ScalarMemory:
    return Counter::Scalar;
  default:
    return std::nullopt;
  }
}

template <typename Visit> void forEachRegister(ArrayRef<RegisterRange> ranges, Visit visit) {
  for (const RegisterRange &range : ranges)
    for (unsigned i = 0; i < range.count; ++i)
      visit(RegisterKey{range.file, range.first + i});
}

class Audit {
public:
  explicit Audit(const KernelCode &kernel) : kernel(kernel), atEntry(kernel.blocks.size()) {}

  std::vector<WaitFinding> run();

private:
  void step(unsigned index, State &state);
  void check(unsigned index, const State &state);
  static bool merge(State &into, const State &from);

  const KernelCode &kernel;
  std::vector<State> atEntry;
  std::map<unsigned, WaitFinding> findings; ///< by instruction
};

bool Audit::merge(State &into, const State &from) {
  bool changed = false;
  for (const auto &[key, flight] : from) {
    auto [it, isNew] = into.try_emplace(key, flight);
    changed |= isNew;
    if (!isNew && flight.after < it->second.after) {
      it->second = flight;
      changed = true;
    }
  }
  return changed;
}

void Audit::check(unsigned index, const State &state) {
  const Instruction &instr = kernel.instructions[index];
  auto touch = [&](RegisterKey key) {
    for (Counter counter : {Counter::Vector, Counter::Shared, Counter::Scalar}) {
      auto it = state.find({key, counter});
      if (it == state.end())
        continue;
      const Instruction &load = kernel.instructions[it->second.load];
      // Loads of one counter that complete in order may write the same register.
      std::optional<Counter> own = counterOf(instr);
      bool isWriteInOrder = own == counter && counter != Counter::Scalar &&
                            none_of(instr.reads, [&](const RegisterRange &range) {
                              return range.overlaps({key.first, uint16_t(key.second), 1});
                            });
      if (!isWriteInOrder)
        findings.try_emplace(index, WaitFinding{instr.address,
                                                instr.mnemonic + " " + instr.operands,
                                                load.address,
                                                load.mnemonic + " " + load.operands,
                                                {key.first, uint16_t(key.second), 1}});
    }
  };
  forEachRegister(instr.reads, touch);
  forEachRegister(instr.writes, touch);
}

void Audit::step(unsigned index, State &state) {
  const Instruction &instr = kernel.instructions[index];
  if (instr.kind == InstrKind::Wait) {
    // A wait of a form that is not understood counts as none.
    auto covers = [&](const InFlight &flight) {
      std::optional<unsigned> count =
          flight.counter == Counter::Vector ? instr.waits.vmcnt : instr.waits.lgkmcnt;
      return count && (flight.counter == Counter::Scalar ? *count == 0 : flight.after >= *count);
    };
    for (auto it = state.begin(); it != state.end();)
      it = covers(it->second) ? state.erase(it) : std::next(it);
    return;
  }
  check(index, state);
  std::optional<Counter> counter = counterOf(instr);
  forEachRegister(instr.writes, [&](RegisterKey key) {
    for (Counter each : {Counter::Vector, Counter::Shared, Counter::Scalar})
      state.erase({key, each});
  });
  if (!counter)
    return;
  constexpr unsigned enough = 64; // more than any wait can ask for; bounds the iteration
  for (auto &[key, flight] : state)
    if (flight.counter == *counter && flight.after < enough)
      ++flight.after;
  forEachRegister(instr.writes, [&](RegisterKey key) {
    bool isData = key.first == RegisterFile::Vector || key.first == RegisterFile::Accumulator ||
                  key.first == RegisterFile::Scalar || key.first == RegisterFile::Vcc;
    if (isData)
      state[{key, *counter}] = {*counter, 0, index};
  });
}

std::vector<WaitFinding> Audit::run() {
  std::vector<bool> isQueued(kernel.blocks.size());
  SmallVector<unsigned> work;
  if (!kernel.blocks.empty()) {
    work.push_back(0);
    isQueued[0] = true;
  }
  std::vector<bool> wasVisited(kernel.blocks.size());
  while (!work.empty()) {
    unsigned block = work.pop_back_val();
    isQueued[block] = false;
    wasVisited[block] = true;
    State state = atEntry[block];
    for (unsigned i = kernel.blocks[block].begin; i < kernel.blocks[block].end; ++i)
      step(i, state);
    for (unsigned next : kernel.blocks[block].successors) {
      bool changed = merge(atEntry[next], state);
      if ((changed || !wasVisited[next]) && !isQueued[next]) {
        work.push_back(next);
        isQueued[next] = true;
      }
    }
  }
  std::vector<WaitFinding> result;
  for (auto &[index, finding] : findings)
    result.push_back(std::move(finding));
  return result;
}

} // namespace

std::vector<WaitFinding> auditWaits(const KernelCode &kernel) { return Audit(kernel).run(); }

static StringRef prefixOf(RegisterFile file) {
  switch (file) {
  case RegisterFile::Vector:
    return "v";
  case RegisterFile::Accumulator:
    return "a";
  case RegisterFile::Scalar:
    return "s";
  default:
    return "vcc";
  }
}

std::string describe(ArrayRef<WaitFinding> findings) {
  std::string text;
  for (const WaitFinding &finding : findings) {
    std::string reg = prefixOf(finding.reg.file).str();
    if (finding.reg.file != RegisterFile::Vcc)
      reg += std::to_string(finding.reg.first);
    text += "0x" + utohexstr(finding.address, /*LowerCase=*/true) + ": " + finding.instruction +
            "\n  touches " + reg + ", which 0x" + utohexstr(finding.loadAddress, true) + ": " +
            finding.load + "\n  may still be loading\n";
  }
  return text;
}

} // namespace tilec::report

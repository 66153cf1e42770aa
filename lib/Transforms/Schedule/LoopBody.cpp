//===- LoopBody.cpp - what in a loop's body has to stay before what -------===//
//
// Takes a loop of wave ops, gives its steps and which of them stay before which: by values, by
// memory, by barriers and waits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Transforms/BodyOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilec {
namespace {

/// What an op does to memory that waits and barriers order.
enum class Touches : uint8_t { Nothing, Read, Write, Copy, Everything };

Touches touchesOf(Operation *op) {
  if (isa<wave::GetOp, wave::SetOp, wave::SetPrioOp>(op))
    return Touches::Nothing;
  // Of other lanes' registers: no memory.
  if (isa<wave::ShuffleXorOp, wave::ShuffleOp, wave::ScanPartnerOp, wave::BallotOp, wave::VoteOp,
          wave::ReduceOp>(op))
    return Touches::Nothing;
  if (isa<wave::SharedReadOp, wave::SharedReadTrOp>(op))
    return Touches::Read;
  if (isa<wave::SharedWriteOp, wave::StMatrixOp>(op))
    return Touches::Write;
  auto fence = dyn_cast<wave::SchedFenceOp>(op);
  if (isa<wave::LoadToSharedOp>(op) || (fence && fence.getGroups()))
    return Touches::Copy;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool isOfRegisters = true;
    branch->walk([&](Operation *inner) {
      if (inner != op)
        isOfRegisters &= touchesOf(inner) == Touches::Nothing;
    });
    return isOfRegisters ? Touches::Nothing : Touches::Everything;
  }
  return isPure(op) || op->hasTrait<OpTrait::IsTerminator>() ? Touches::Nothing
                                                             : Touches::Everything;
}

/// Whether the op is no machine instruction of its own, or arithmetic on addresses.
bool isFree(Operation *op) {
  if (isa<wave::GetOp, wave::SetOp, wave::ExtractOp, wave::PackOp, wave::BitcastOp,
          arith::ConstantOp>(op))
    return true;
  return isPure(op) && op->getNumRegions() == 0 && llvm::all_of(op->getResultTypes(), [](Type t) {
           return t.isIndex() || isa<wave::DescType, wave::GlobalType>(t);
         });
}

/// Collects what has to come before each op of a block.
class Dependences {
public:
  explicit Dependences(llvm::ArrayRef<Operation *> ops) {
    for (auto [n, op] : llvm::enumerate(ops))
      numbers[op] = n;
    needs.resize(ops.size());
    for (auto [n, op] : llvm::enumerate(ops)) {
      addValues(n, op);
      addRegisters(n, op);
      addMemory(n, touchesOf(op));
    }
  }
  std::vector<llvm::SmallVector<size_t, 4>> needs;

private:
  using Register = std::pair<Value, int64_t>;
  struct Uses {
    std::optional<size_t> write;
    llvm::SmallVector<size_t, 4> reads; ///< since then
  };

  void add(size_t n, size_t before) {
    if (before != n && !llvm::is_contained(needs[n], before))
      needs[n].push_back(before);
  }

  void addValues(size_t n, Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          if (auto found = numbers.find(maker); found != numbers.end())
            add(n, found->second);
    });
  }

  void addRegisters(size_t n, Operation *op) {
    op->walk([&](Operation *inner) {
      if (auto get = dyn_cast<wave::GetOp>(inner)) {
        Uses &uses = registers[{get.getRegs(), get.getSlot()}];
        if (uses.write)
          add(n, *uses.write);
        uses.reads.push_back(n);
      } else if (auto set = dyn_cast<wave::SetOp>(inner)) {
        Uses &uses = registers[{set.getRegs(), set.getSlot()}];
        for (size_t read : uses.reads)
          add(n, read);
        if (uses.write)
          add(n, *uses.write);
        uses.write = n;
        uses.reads.clear();
      }
    });
  }

  /// A copy and a later read that no wait is between are of different slots; a read and a later
  /// copy may be of one.
  void addMemory(size_t n, Touches touches) {
    if (touches == Touches::Nothing)
      return;
    if (fence)
      add(n, *fence);
    auto after = [&](llvm::ArrayRef<size_t> others) {
      for (size_t other : others)
        add(n, other);
    };
    bool isFence = touches == Touches::Everything;
    after(writes);
    if (touches != Touches::Read) {
      after(reads);
      after(copies);
    }
    if (touches == Touches::Read)
      reads.push_back(n);
    else if (touches == Touches::Write)
      writes.push_back(n);
    else if (touches == Touches::Copy)
      copies.push_back(n);
    if (!isFence)
      return;
    fence = n;
    reads.clear();
    writes.clear();
    copies.clear();
  }

  llvm::DenseMap<Operation *, size_t> numbers;
  llvm::DenseMap<Register, Uses> registers;
  llvm::SmallVector<size_t> reads, writes, copies;
  std::optional<size_t> fence;
};

/// `mma acc_s`: the array that a matrix instruction's result goes to, by name where it has one.
std::string kindOf(Operation *op, llvm::MapVector<Value, std::string> &arrays) {
  std::string kind = op->getName().stripDialect().str();
  if (!isa<wave::MmaOp>(op))
    return kind;
  Value value = op->getResult(0);
  while (value.hasOneUse() && isa<wave::MmaOp>(*value.user_begin()))
    value = value.user_begin()->getResult(0);
  for (Operation *user : value.getUsers())
    if (auto set = dyn_cast<wave::SetOp>(user)) {
      std::string &name = arrays[set.getRegs()];
      if (name.empty())
        name = "c" + std::to_string(arrays.size() - 1);
      return kind + " " + name;
    }
  return kind;
}

} // namespace

struct LoopBody::State {
  explicit State(scf::ForOp loop) : loop(loop) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<wave::SetPrioOp>(op))
        ops.push_back(&op);
    needs = Dependences(ops).needs;
    llvm::MapVector<Value, std::string> arrays;
    llvm::StringMap<int64_t> counts;
    for (Operation *op : ops) {
      BodyStep step;
      if (!isFree(op)) {
        step.kind = kindOf(op, arrays);
        step.number = counts[step.kind]++;
        byName[name(step)] = names.size();
      }
      names.push_back(step);
    }
  }

  static std::string name(const BodyStep &step) {
    return step.kind + " " + std::to_string(step.number);
  }

  bool isNamed(size_t n) const { return !names[n].kind.empty(); }

  scf::ForOp loop;
  std::vector<Operation *> ops; ///< as written, without priorities
  std::vector<BodyStep> names;  ///< of each; no kind: it goes where it is needed
  std::vector<llvm::SmallVector<size_t, 4>> needs;
  llvm::StringMap<size_t> byName;
};

namespace {

/// Puts ops in an order, each behind what it needs.
class Placement {
public:
  Placement(llvm::ArrayRef<llvm::SmallVector<size_t, 4>> needs) : needs(needs) {
    isPlaced.resize(needs.size());
  }
  /// `pulls` says which ops may be placed because others need them. The number of one that may not;
  /// nothing where all is well.
  std::optional<size_t> place(size_t n, llvm::function_ref<bool(size_t)> pulls) {
    if (isPlaced[n])
      return std::nullopt;
    for (size_t before : needs[n]) {
      if (isPlaced[before])
        continue;
      if (!pulls(before))
        return before;
      if (std::optional<size_t> missing = place(before, pulls))
        return missing;
    }
    isPlaced[n] = true;
    order.push_back(n);
    return std::nullopt;
  }
  bool has(size_t n) const { return isPlaced[n]; }

  std::vector<size_t> order;

private:
  llvm::ArrayRef<llvm::SmallVector<size_t, 4>> needs;
  std::vector<bool> isPlaced;
};

} // namespace

LoopBody::LoopBody(Operation *loop) : state(std::make_unique<State>(cast<scf::ForOp>(loop))) {}
LoopBody::~LoopBody() = default;
LoopBody::LoopBody(LoopBody &&) noexcept = default;

BodyOrder LoopBody::asWritten() const {
  BodyOrder order;
  order.keepsOrder = false;
  size_t n = 0;
  for (Operation &op : state->loop.getBody()->without_terminator()) {
    if (auto priority = dyn_cast<wave::SetPrioOp>(op))
      order.steps.push_back({"prio", static_cast<int64_t>(priority.getLevel())});
    else if (state->isNamed(n++))
      order.steps.push_back(state->names[n - 1]);
  }
  return order;
}

BodyOrder LoopBody::repaired(const BodyOrder &wanted) const {
  BodyOrder result;
  result.keepsOrder = wanted.keepsOrder;
  Placement placement(state->needs);
  size_t shown = 0;
  auto show = [&] {
    for (; shown < placement.order.size(); ++shown)
      if (state->isNamed(placement.order[shown]))
        result.steps.push_back(state->names[placement.order[shown]]);
  };
  for (const BodyStep &step : wanted.steps) {
    if (step.isPriority()) {
      result.steps.push_back(step);
      continue;
    }
    if (auto found = state->byName.find(State::name(step)); found != state->byName.end())
      placement.place(found->second, [](size_t) { return true; });
    show();
  }
  for (size_t n = 0; n < state->ops.size(); ++n)
    placement.place(n, [](size_t) { return true; });
  show();
  return result;
}

/// The ops in the order of the steps, -1 - level for a priority.
static llvm::Expected<std::vector<int64_t>>
placed(const BodyOrder &order, llvm::ArrayRef<llvm::SmallVector<size_t, 4>> needs,
       llvm::ArrayRef<BodyStep> names, const llvm::StringMap<size_t> &byName) {
  Placement placement(needs);
  std::vector<int64_t> line;
  size_t shown = 0;
  auto isFree = [&](size_t n) { return names[n].kind.empty(); };
  auto text = [](const BodyStep &step) { return step.kind + " " + std::to_string(step.number); };
  auto show = [&] {
    for (; shown < placement.order.size(); ++shown)
      line.push_back(static_cast<int64_t>(placement.order[shown]));
  };
  for (const BodyStep &step : order.steps) {
    if (step.isPriority()) {
      line.push_back(-1 - step.number);
      continue;
    }
    auto found = byName.find(text(step));
    if (found == byName.end())
      return llvm::createStringError("`" + text(step) + "` does not exist in this loop");
    if (placement.has(found->second))
      return llvm::createStringError("`" + text(step) + "` is there twice");
    if (std::optional<size_t> missing = placement.place(found->second, isFree))
      return llvm::createStringError("`" + text(step) + "` comes before `" + text(names[*missing]) +
                                     "`");
    show();
  }
  for (size_t n = 0; n < names.size(); ++n) {
    if (!isFree(n) && !placement.has(n))
      return llvm::createStringError("`" + text(names[n]) + "` is missing");
    placement.place(n, isFree);
  }
  show();
  return line;
}

llvm::Error LoopBody::check(const BodyOrder &order) const {
  return placed(order, state->needs, state->names, state->byName).takeError();
}

llvm::Error LoopBody::apply(const BodyOrder &order) {
  auto line = placed(order, state->needs, state->names, state->byName);
  if (!line)
    return line.takeError();
  Block *block = state->loop.getBody();
  for (auto priority : llvm::make_early_inc_range(block->getOps<wave::SetPrioOp>()))
    priority.erase();
  OpBuilder b(block->getTerminator());
  for (int64_t n : *line)
    if (n < 0)
      wave::SetPrioOp::create(b, state->loop.getLoc(), -1 - n);
    else
      state->ops[n]->moveBefore(block->getTerminator());
  if (order.keepsOrder)
    state->loop->getParentOfType<wave::KernelOp>().setKeepOrder(true);
  return llvm::Error::success();
}

} // namespace tilec

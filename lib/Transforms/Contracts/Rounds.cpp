//===- Rounds.cpp - a pipelined kernel, walked through by its rounds ------===//
//
// Enough rounds are walked for every slot of the longest ring to come round, and loops inside of
// loops as long as there is patience: what holds of some rounds in a row holds of all. Branches of
// which only the run knows which way they go are all taken, then all left out: those of one kernel
// mostly ask the same, whether there are rounds.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Contracts/Rounds.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <deque>

using namespace mlir;

namespace tilec {

namespace {

/// A buffer, and which slot of it, if it has several.
struct Slot {
  Value ring;
  int64_t number = 0;
  bool operator==(const Slot &other) const = default;
};

/// Copies that one wait counts as one. What is uncounted is older than the group behind it.
struct Group {
  SmallVector<Slot, 4> slots;
  bool isCounted = true;
};

/// A product in flight: what it reads, in which fill of the pipes that bring that, and its C.
struct Product {
  Value c;
  SmallVector<std::pair<Value, int64_t>, 2> fills; ///< pipe and how many waits it had seen
};

class RoundsWalk {
public:
  RoundsWalk(tile::KernelOp kernel, const TargetInfo &target, bool takesBranches)
      : kernel(kernel), countsCopies(target.asyncCopies.completion != Completion::Groups),
        takesBranches(takesBranches) {
    kernel.walk([&](tile::TmaCopyOp copy) { pipes[boxRootOf(copy.getDst())] = copy.getPipe(); });
    kernel.walk([&](Operation *op) {
      if (isAsyncCopy(op))
        for (Value root : accessesOf(op).writes)
          rings.insert(root);
    });
    for (Value ring : rings)
      if (isRing(ring))
        mostSlots = std::max(mostSlots, cast<tile::BufferType>(ring.getType()).getShape().front());
    kernel.walk(
        [&](tile::PipeOp pipe) { mostSlots = std::max<int64_t>(mostSlots, pipe.getStages()); });
  }

  std::optional<Breach> run() {
    if (!rings.empty() || !pipes.empty())
      walk(kernel.getBody().front());
    return std::move(found);
  }

private:
  /// Steps in all, of loops inside of loops.
  static constexpr int64_t patience = 200000, mostRounds = 16;

  std::optional<int64_t> numberOf(Value value) {
    if (auto constant = tile::constantInt(value))
      return constant;
    auto it = known.find(value);
    return it == known.end() ? std::nullopt : std::optional(it->second);
  }

  static std::optional<int64_t> compared(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
    using enum arith::CmpIPredicate;
    switch (predicate) {
    case eq:
      return a == b;
    case ne:
      return a != b;
    case slt:
    case ult:
      return a < b;
    case sle:
    case ule:
      return a <= b;
    case sgt:
    case ugt:
      return a > b;
    case sge:
    case uge:
      return a >= b;
    }
    return std::nullopt;
  }

  /// Of numbers that are not negative, as iterations and slots are; nothing of others.
  std::optional<int64_t> valueOf(Operation *op) {
    SmallVector<int64_t, 3> in;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> number = numberOf(operand);
      if (!number)
        return std::nullopt;
      in.push_back(*number);
    }
    bool divides = in.size() == 2 && in[0] >= 0 && in[1] > 0;
    return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
        .Case<arith::AddIOp>([&](auto) { return in[0] + in[1]; })
        .Case<arith::SubIOp>([&](auto) { return in[0] - in[1]; })
        .Case<arith::MulIOp>([&](auto) { return in[0] * in[1]; })
        .Case<arith::DivSIOp, arith::DivUIOp>(
            [&](auto) { return divides ? std::optional(in[0] / in[1]) : std::nullopt; })
        .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
            [&](auto) { return divides ? std::optional(ceilDiv(in[0], in[1])) : std::nullopt; })
        .Case<arith::RemSIOp, arith::RemUIOp>(
            [&](auto) { return divides ? std::optional(in[0] % in[1]) : std::nullopt; })
        .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return std::min(in[0], in[1]); })
        .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return std::max(in[0], in[1]); })
        .Case<arith::AndIOp>([&](auto) { return in[0] & in[1]; })
        .Case<arith::OrIOp>([&](auto) { return in[0] | in[1]; })
        .Case<arith::XOrIOp>([&](auto) { return in[0] ^ in[1]; })
        .Case<arith::SelectOp>([&](auto) { return in[0] != 0 ? in[1] : in[2]; })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto) { return in[0]; })
        .Case<arith::CmpIOp>(
            [&](arith::CmpIOp op) { return compared(op.getPredicate(), in[0], in[1]); })
        .Default(std::nullopt);
  }

  /// Whether the buffer may have a slot in each element of its first dimension: views drop that, or
  /// accesses name it in front of a row and a column.
  static bool isRing(Value buffer) {
    return cast<tile::BufferType>(buffer.getType()).rank() > 2 ||
           llvm::any_of(buffer.getUsers(), [](Operation *user) {
             auto part = dyn_cast<tile::SubviewOp>(user);
             return part && llvm::is_contained(part.getDropped(), 0);
           });
  }

  /// The slot that an op's operand is in: that of a view, or of the element of a ring.
  std::optional<Slot> slotOf(Operation *user, Value operand) {
    Value ring = boxRootOf(operand), place;
    for (Value view = operand; view != ring && !place;) {
      Operation *op = view.getDefiningOp();
      auto part = dyn_cast<tile::SubviewOp>(op);
      if (part && part.getSource() == ring && llvm::is_contained(part.getDropped(), 0))
        place = part.getOffsets().front();
      view = op->getOperand(0);
    }
    if (!isRing(ring))
      return Slot{ring, 0};
    std::optional<ElementAccess> access = elementAccess(user);
    if (!place && access && access->buffer == ring)
      place = access->indices.front();
    std::optional<int64_t> number = place ? numberOf(place) : std::nullopt;
    return number ? std::optional(Slot{ring, *number}) : std::nullopt;
  }

  void complain(Operation *op, const std::string &text) {
    if (!found)
      found = Breach{"`" + op->getName().getStringRef().str() + "` " + text, op->getLoc()};
  }

  bool travels(const Slot &slot) const {
    return llvm::is_contained(current.slots, slot) ||
           llvm::any_of(groups, [&](const Group &g) { return llvm::is_contained(g.slots, slot); });
  }

  void start(Operation *op) {
    bool isUncounted = isa<tile::AsyncCopyOp>(op) && cast<tile::AsyncCopyOp>(op).getUncounted();
    SmallVector<Slot, 4> into;
    for (Value view : op->getOperands()) {
      auto type = dyn_cast<tile::BufferType>(view.getType());
      if (type && type.isShared())
        if (std::optional<Slot> slot = slotOf(op, view); slot && rings.contains(slot->ring))
          into.push_back(*slot);
    }
    op->walk([&](tile::StoreOp store) {
      std::optional<Slot> slot = slotOf(store, store.getBuffer());
      if (slot && rings.contains(slot->ring))
        into.push_back(*slot);
    });
    if (isUncounted && countsCopies)
      groups.push_back({into, /*isCounted=*/false});
    else
      current.slots.append(into);
  }

  void commit() {
    groups.push_back(std::move(current));
    current = {};
  }

  void wait(int64_t pending) {
    int64_t open = llvm::count_if(groups, [](const Group &group) { return group.isCounted; });
    while (!groups.empty() && (open > pending || !groups.front().isCounted)) {
      open -= groups.front().isCounted;
      landed.append(groups.front().slots);
      groups.pop_front();
    }
  }

  void multiply(tile::GemmOp gemm) {
    Product product{rootOf(gemm.getC()), {}};
    for (Value operand : {gemm.getA(), gemm.getB()})
      if (auto pipe = pipes.find(boxRootOf(operand)); pipe != pipes.end())
        product.fills.push_back({pipe->second, waits[pipe->second]});
    if (gemm.getInFlight())
      products.push_back(product);
  }

  void awaitFill(tile::PipeWaitOp op) {
    auto pipe = op.getPipe().getDefiningOp<tile::PipeOp>();
    if (++waits[op.getPipe()] > releases[op.getPipe()] + int64_t(pipe.getStages()))
      complain(op, "waits for a fill for which no slot has been given back");
  }

  void release(tile::PipeReleaseOp op) {
    // Of what `previous` leaves, tile.pipe_drain or the next release gives back the last one.
    ++releases[op.getPipe()];
    int64_t fill = waits[op.getPipe()] - op.getPrevious();
    for (const Product &product : products)
      for (auto [pipe, number] : product.fills)
        if (pipe == op.getPipe() && number <= fill)
          complain(op, "gives a slot back that a product in flight reads");
  }

  /// What an op without a part of its own in this reads and writes.
  void touch(Operation *op) {
    Accesses accesses = accessesOf(op);
    for (const Product &product : products)
      if (llvm::is_contained(accesses.reads, product.c) ||
          llvm::is_contained(accesses.writes, product.c))
        complain(op, "touches what a product in flight writes");
    auto look = [&](Operation *inner) {
      for (Value view : inner->getOperands()) {
        auto type = dyn_cast<tile::BufferType>(view.getType());
        if (!type || !type.isShared() || !rings.contains(boxRootOf(view)) ||
            !llvm::is_contained(accessesOf(inner).reads, rootOf(view)))
          continue;
        std::optional<Slot> slot = slotOf(inner, view);
        if (slot && travels(*slot))
          complain(op, "reads slot " + std::to_string(slot->number) +
                           " while a copy to it is in flight");
        else if (slot && llvm::is_contained(landed, *slot))
          complain(op, "reads slot " + std::to_string(slot->number) +
                           " between the wait for a copy to it and a barrier");
      }
    };
    if (op->getNumRegions() == 0)
      return look(op);
    op->walk([&](Operation *inner) {
      if (inner->getNumRegions() == 0 && !isa<tile::SubviewOp, tile::ReshapeOp>(inner))
        look(inner);
    });
  }

  void loop(tile::ForOp op) {
    int64_t lower = numberOf(op.getLower()).value_or(0);
    int64_t step = numberOf(op.getStep()).value_or(1);
    // Of a number of rounds that only the run knows, some.
    if (!numberOf(op.getLower()))
      known[op.getLower()] = lower;
    int64_t most = std::min(mostSlots + 3, mostRounds);
    if (!numberOf(op.getUpper()))
      known[op.getUpper()] = lower + step * most;
    int64_t rounds = step > 0 ? ceilDiv(*numberOf(op.getUpper()) - lower, step) : 0;
    for (int64_t n = 0; n < std::min(rounds, most) && !found && steps < patience; ++n) {
      known[op.iv()] = lower + n * step;
      walk(*op.bodyBlock());
    }
    known.erase(op.iv());
  }

  void branch(scf::IfOp op) {
    if (numberOf(op.getCondition()).value_or(takesBranches) != 0)
      walk(op.getThenRegion().front());
    else if (!op.getElseRegion().empty())
      walk(op.getElseRegion().front());
  }

  void visit(Operation &op) {
    ++steps;
    llvm::TypeSwitch<Operation *>(&op)
        .Case<tile::ProducerOp, tile::SubviewOp, tile::ReshapeOp, tile::AllocOp>([](auto) {})
        .Case<tile::ForOp>([&](tile::ForOp op) { loop(op); })
        .Case<scf::IfOp>([&](scf::IfOp op) { branch(op); })
        .Case<tile::AsyncCopyOp, tile::GatherOp>([&](auto op) { start(op); })
        .Case<tile::AsyncCommitOp>([&](auto) { commit(); })
        .Case<tile::AsyncWaitOp>([&](tile::AsyncWaitOp op) { wait(op.getPending()); })
        .Case<tile::BarrierOp>([&](auto) { landed.clear(); })
        .Case<tile::PipeWaitOp>([&](tile::PipeWaitOp op) { awaitFill(op); })
        .Case<tile::PipeReleaseOp>([&](tile::PipeReleaseOp op) { release(op); })
        .Case<tile::GemmWaitOp>([&](tile::GemmWaitOp op) {
          while (int64_t(products.size()) > int64_t(op.getPending()))
            products.pop_front();
        })
        .Case<tile::GemmOp>([&](tile::GemmOp op) {
          if (!op.getInFlight())
            touch(op);
          multiply(op);
        })
        .Default([&](Operation *op) {
          if (op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op)) {
            if (std::optional<int64_t> number = valueOf(op))
              known[op->getResult(0)] = *number;
            else
              known.erase(op->getResult(0));
            return;
          }
          touch(op);
        });
  }

  void walk(Block &block) {
    for (Operation &op : block) {
      if (found || steps >= patience)
        return;
      visit(op);
    }
  }

  tile::KernelOp kernel;
  bool countsCopies, takesBranches;
  int64_t mostSlots = 1, steps = 0;
  llvm::DenseSet<Value> rings;
  llvm::DenseMap<Value, Value> pipes; ///< of the tiles that TMA fills
  llvm::DenseMap<Value, int64_t> waits, releases, known;
  Group current;
  std::deque<Group> groups;
  SmallVector<Slot, 4> landed; ///< for the threads that have waited, until all meet
  std::deque<Product> products;
  std::optional<Breach> found;
};

} // namespace

std::optional<Breach> touchedInFlight(tile::KernelOp kernel, const TargetInfo &target) {
  for (bool takesBranches : {true, false})
    if (std::optional<Breach> breach = RoundsWalk(kernel, target, takesBranches).run())
      return breach;
  return std::nullopt;
}

} // namespace tilec

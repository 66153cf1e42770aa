//===- LoopVerdicts.cpp - planned, sequential or unplanned ----------------===//
//
// The tile program at its last stage says what starts, waits and reads in a round. A loop whose
// order `wave-schedule` planned is as its plan says, if the machine code has kept it. Loops are
// found again by their ids (`#tile.loop`), which stages hand on and a line table has. On AMD the
// innermost loops with copies to LDS, those of products whose tiles wait in registers, and those
// that read fragments ahead are looked at in the machine code as well: a vmcnt(0) there is a wait
// for everything, whoever put it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LoopVerdicts.h"

#include "LocalPlaces.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Analysis/Buffers.h"
#include "tilec/Driver/ScheduleCheck.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Report/Scorecard.h"
#include "tilec/Transforms/SchedulePlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace tilec {

StringRef nameOf(LoopVerdict::Kind kind) {
  return kind == LoopVerdict::Planned      ? "planned"
         : kind == LoopVerdict::Sequential ? "sequential"
                                           : "unplanned";
}

namespace {

std::string placeOf(Location location) {
  auto at = location->findInstanceOf<FileLineColLoc>();
  return at ? (at.getFilename().getValue() + ":" + Twine(at.getLine())).str() : "?";
}

/// What one round does about copies from global to shared memory, in order.
struct Round {
  int64_t starts = 0; ///< asynchronous copies
  int64_t groups = 0; ///< of them
  bool waits = false, waitsForOwn = false;
  bool hasMultiplied = false;        ///< since it started copies
  int64_t turns = 0;                 ///< waits for what was started in front of a product
  std::optional<int64_t> fewestLeft; ///< groups that a wait leaves in flight
  int64_t fewestSlots = 0;           ///< of the pipes it waits for; 0: none
  llvm::SmallPtrSet<Operation *, 2> pipes;
  int64_t inStep = 0; ///< copies that the round itself does
};

void look(Block &block, Round &round) {
  for (Operation &op : block) {
    op.walk([&](tile::GemmOp) { round.hasMultiplied = true; });
    if (isAsyncCopy(&op)) {
      ++round.starts;
      round.hasMultiplied = false;
    } else if (isa<tile::AsyncCommitOp>(op)) {
      ++round.groups;
    } else if (auto wait = dyn_cast<tile::AsyncWaitOp>(op)) {
      round.waits = true;
      int64_t left = wait.getPending();
      round.fewestLeft = std::min(round.fewestLeft.value_or(left), left);
      round.turns += round.hasMultiplied && left == 0;
      round.waitsForOwn |= round.starts > 0 && left == 0 && !round.hasMultiplied;
    } else if (auto wait = dyn_cast<tile::PipeWaitOp>(op)) {
      auto pipe = wait.getPipe().getDefiningOp<tile::PipeOp>();
      round.pipes.insert(pipe);
      int64_t slots = pipe.getStages();
      round.fewestSlots = round.fewestSlots ? std::min(round.fewestSlots, slots) : slots;
    } else if (isa<tile::CopyOp, tile::ElementLoop>(op)) {
      round.inStep += movesToShared(&op);
    } else if (isa<scf::IfOp>(op)) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          look(inner, round);
    }
  }
}

/// Whether the plan's copies are for later tiles, and its waits leave some of them in flight.
std::string faultOfPlan(StringRef text) {
  llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(text);
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return "its plan cannot be read";
  }
  int64_t multiplied = 0;
  for (const ScheduleStep &step : plan->body) {
    if (step.kind == ScheduleStep::Mma)
      multiplied = std::max(multiplied, step.tile);
    if (step.kind == ScheduleStep::Dma && step.tile <= multiplied)
      return "a copy of its plan is for the tile that is being multiplied";
    if (step.kind == ScheduleStep::Wait && step.vm == 0)
      return "its plan waits for all copies";
  }
  return "";
}

class Verdicts {
public:
  Verdicts(tile::ProgramOp source, ModuleOp module) : module(module) {
    source.walk([&](tile::ForOp loop) {
      if (loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1)
        wanted.insert(tile::loopIdOf(loop.getLoc()));
    });
  }

  llvm::Error readImage(const codegen::Image &image) {
    if (image.kind != codegen::ImageKind::Hsaco)
      return llvm::Error::success();
    llvm::Expected<std::vector<PlanDifference>> differences =
        planDifferences(module, image, LoopMatch::ById);
    if (!differences)
      return differences.takeError();
    lostOrders = std::move(*differences);
    llvm::Expected<report::CodeObject> object = report::disassemble(image.bytes);
    if (!object)
      return object.takeError();
    report::addSourceLoops(*object, image.bytes);
    for (report::KernelCard &kernel : report::makeScorecard(*object).kernels)
      code[kernel.facts.name] = std::move(kernel.loops);
    return llvm::Error::success();
  }

  LoopVerdict of(tile::ForOp loop) {
    LoopVerdict verdict;
    auto kernel = loop->getParentOfType<tile::KernelOp>();
    verdict.kernel = kernel.getName().str();
    verdict.place = placeOf(loop.getLoc());
    verdict.loop = tile::loopIdOf(loop.getLoc());
    bool isWanted = wanted.contains(verdict.loop);
    auto say = [&](LoopVerdict::Kind kind, const Twine &reason) {
      verdict.kind = kind;
      verdict.reason = reason.str();
      return verdict;
    };
    if (verdict.loop == 0 && !wanted.contains(0))
      return say(LoopVerdict::Sequential, "its rounds are those that another loop leaves");
    std::string fault, ahead;
    Round round;
    look(*loop.bodyBlock(), round);
    if (loop.getRotate()) {
      fault = faultOfRotated(kernel.getName(), verdict.loop);
      if (hasOneRound(loop))
        return say(LoopVerdict::Sequential, "it has one round");
      ahead = "copies and matrix instructions in the order of a schedule";
    } else if (round.fewestSlots == 1 && round.pipes.size() > 1) {
      ahead = "a producer fills one tile while another is read";
    } else if (round.fewestSlots != 0) {
      fault = round.fewestSlots < 2 ? "a pipe of it has one slot" : "";
      ahead = llvm::formatv("a producer fills up to {0} slots ahead", round.fewestSlots - 1);
    } else if (round.turns > 1 && !round.waitsForOwn && round.inStep == 0) {
      return say(LoopVerdict::Planned, "a tile is copied while another is read");
    } else if (round.starts != 0) {
      fault = !round.waits            ? "no wait for its copies stands in it"
              : round.waitsForOwn     ? "a round waits for the copies that it starts"
              : round.fewestLeft == 0 ? "a round waits for all copies in flight"
                                      : "";
      // Of the groups that the strictest wait leaves in flight, and the awaited one.
      int64_t rounds = (round.fewestLeft.value_or(0) + 1) / std::max<int64_t>(round.groups, 1);
      ahead = llvm::formatv("copies start {0} round{1} ahead", rounds, rounds == 1 ? "" : "s");
    } else if (round.inStep == 0 && !isWanted) {
      return say(LoopVerdict::Sequential, "it copies nothing to shared memory");
    } else if (!isWanted) {
      return say(LoopVerdict::Sequential, "its author asks for no stages");
    } else if (hasOneRound(loop)) {
      return say(LoopVerdict::Sequential, "it has one round");
    } else if (round.inStep == 0 && readsNextRound(loop)) {
      bool ofProducts = // those of a round under a condition stand in its branch
          loop.walk([](tile::GemmOp) { return WalkResult::interrupt(); }).wasInterrupted();
      ahead = (Twine(ofProducts ? "tiles" : "fragments") + " are read 1 round ahead").str() +
              (ofProducts ? " to registers" : "");
      if (waitsForAll(loop, ofProducts ? readsTiles : readsFragments))
        return say(LoopVerdict::Unplanned,
                   ahead + ", and its machine code has vmcnt(0) in a loop with such reads");
      return say(LoopVerdict::Planned, ahead);
    } else {
      return say(LoopVerdict::Unplanned, "no copy runs ahead; --remarks says why");
    }
    if (fault.empty() && round.inStep != 0)
      fault = "a copy of each round goes through registers";
    // The waits of a schedule are compared with those of the machine code; a loop for too few tiles
    // may stand beside it.
    if (fault.empty() && !loop.getRotate() && waitsForAll(loop, copiesWithoutRegisters))
      fault = "its machine code has vmcnt(0) in a loop with copies";
    if (fault.empty())
      return say(LoopVerdict::Planned, ahead);
    if (!isWanted)
      return say(LoopVerdict::Sequential, "its author asks for no stages");
    return hasOneRound(loop) ? say(LoopVerdict::Sequential, "it has one round")
                             : say(LoopVerdict::Unplanned, fault);
  }

private:
  static bool copiesWithoutRegisters(const report::LoopCard &loop) {
    return loop.count(report::InstrKind::SharedDma) != 0;
  }
  /// Products of tiles that it writes to LDS itself.
  static bool readsTiles(const report::LoopCard &loop) {
    return loop.count(report::InstrKind::GlobalLoad) != 0 &&
           loop.count(report::InstrKind::SharedWrite) != 0 &&
           loop.count(report::InstrKind::Mfma) != 0;
  }

  /// Brings tensors to registers, for no products.
  static bool readsFragments(const report::LoopCard &loop) {
    return loop.count(report::InstrKind::GlobalLoad) != 0 &&
           loop.count(report::InstrKind::Mfma) == 0;
  }

  using LoopTest = llvm::function_ref<bool(const report::LoopCard &)>;

  /// Of a kernel's code the innermost ones of such loops, in the order of the code.
  SmallVector<const report::LoopCard *> innermost(StringRef kernel, LoopTest isSuch) {
    SmallVector<const report::LoopCard *> found;
    for (const report::LoopCard &loop : code[kernel]) {
      bool isInnermost = llvm::none_of(code[kernel], [&](const report::LoopCard &other) {
        return &other != &loop && isSuch(other) && other.beginAddress >= loop.beginAddress &&
               other.endAddress <= loop.endAddress;
      });
      if (isSuch(loop) && isInnermost)
        found.push_back(&loop);
    }
    return found;
  }

  /// Whether the machine code of a loop, as far as it is of such loops, has a wait for all
  /// operations in flight. What is made of one loop may be several, and none where LLVM has
  /// unrolled it. Code without ids, as that without line tables: any of them may be it.
  bool waitsForAll(tile::ForOp loop, LoopTest isSuch) {
    StringRef kernel = loop->getParentOfType<tile::KernelOp>().getName();
    int64_t id = tile::loopIdOf(loop.getLoc());
    bool hasIds = llvm::any_of(code[kernel],
                               [](const report::LoopCard &card) { return card.sourceLoop != 0; });
    return llvm::any_of(innermost(kernel, isSuch), [&](const report::LoopCard *card) {
      return (!hasIds || card->sourceLoop == id) && card->vmcntZeros > card->vmcntZerosOfEdges;
    });
  }

  /// The text that planned a loop: that of its id; of programs without ids the next one, as matrix
  /// loops are planned in program order, one text each, whatever becomes of them.
  std::string faultOfRotated(StringRef kernelName, int64_t id) {
    size_t n = rotated[kernelName]++;
    auto kernel = module.lookupSymbol<wave::KernelOp>(kernelName);
    ArrayAttr plans = kernel ? kernel.getSchedulesAttr() : ArrayAttr();
    if (kernel && id != 0) {
      ArrayRef<int64_t> ids = kernel.getScheduleLoops().value_or(ArrayRef<int64_t>());
      n = llvm::find(ids, id) - ids.begin();
    }
    if (!plans || n >= plans.size())
      return "it has no plan";
    bool isLost = llvm::any_of(lostOrders, [&](const PlanDifference &lost) {
      return lost.kernel == kernelName && (lost.loop == 0 || id == 0 || lost.loop == id);
    });
    if (isLost)
      return "the machine code does not keep the planned order";
    return faultOfPlan(cast<StringAttr>(plans[n]).getValue());
  }

  ModuleOp module;
  llvm::DenseSet<int64_t> wanted; ///< ids of loops whose author asks for stages
  llvm::StringMap<std::vector<report::LoopCard>> code; ///< of kernels
  llvm::StringMap<size_t> rotated;
  std::vector<PlanDifference> lostOrders;
};

} // namespace

llvm::Expected<std::vector<LoopVerdict>>
loopVerdicts(tile::ProgramOp source, tile::ProgramOp compiled, const codegen::Image &image) {
  std::vector<LoopVerdict> result;
  if (!source || !compiled)
    return result;
  Verdicts verdicts(source, compiled->getParentOfType<ModuleOp>());
  if (llvm::Error error = verdicts.readImage(image))
    return error;
  compiled.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tile::ProducerOp>(op)) // the consumers' loops say what there is to say
      return WalkResult::skip();
    auto loop = dyn_cast<tile::ForOp>(op);
    if (loop && loop.getKind() != tile::LoopKind::Unroll)
      result.push_back(verdicts.of(loop));
    return WalkResult::advance();
  });
  return result;
}

void addLoopVerdicts(std::string &report, bool isJson, ArrayRef<LoopVerdict> verdicts) {
  if (!isJson) {
    for (const LoopVerdict &v : verdicts) {
      // Of two loops of one line, as those of a macro, which one: their order in the script.
      auto shares = [&v](const LoopVerdict &other) {
        return other.kernel == v.kernel && other.place == v.place && other.loop != v.loop &&
               other.loop != 0 && v.loop != 0;
      };
      std::string which =
          llvm::any_of(verdicts, shares) ? " (loop " + std::to_string(v.loop) + ")" : std::string();
      report += "loop of " + v.kernel + " at " + v.place + which + ": " + nameOf(v.kind).str() +
                ": " + v.reason + "\n";
    }
    return;
  }
  llvm::json::Array list;
  for (const LoopVerdict &v : verdicts)
    list.push_back(llvm::json::Object{{"kernel", v.kernel},
                                      {"place", v.place},
                                      {"loop", v.loop},
                                      {"verdict", nameOf(v.kind)},
                                      {"reason", v.reason}});
  addListToReport(report, "loop_verdicts", std::move(list));
}

} // namespace tilec

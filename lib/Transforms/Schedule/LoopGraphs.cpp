//===- LoopGraphs.cpp - the loops that a plan can be given to -------------===//
//
// Takes a wave kernel, gives its loops that a plan may order, each with a hash of what it does.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/LoopGraphs.h"

#include "Schedule/ApplySchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tilec {

uint64_t graphHashOf(const ScheduleShape &s) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t number :
       {s.repsM, s.repsN, s.kSteps, s.kStepsPerRead, s.slots, s.waves, s.wavesPerSimd, s.registers,
        s.mostOpen, s.accumulatorRegs, s.fragmentRegs[0], s.fragmentRegs[1], s.dmas[0], s.dmas[1],
        s.together[0], s.together[1]})
    os << number << ' ';
  for (const std::vector<uint64_t> &covers : s.cover)
    for (uint64_t cover : covers)
      os << cover << ' ';
  return llvm::xxh3_64bits(text);
}

namespace {

/// What a body's ops are and take from each other, as text. Constants are left out, and with them
/// strides and sizes: a plan says nothing about them.
class GraphText {
public:
  std::string of(Block &body) {
    add(body);
    return std::move(text);
  }

private:
  void add(Block &block) {
    for (Value argument : block.getArguments())
      numberOf(argument);
    for (Operation &op : block) {
      if (isa<arith::ConstantOp, wave::SetPrioOp>(op))
        continue;
      add(op);
    }
  }

  void add(Operation &op) {
    os << op.getName().getStringRef();
    if (auto get = dyn_cast<wave::GetOp>(op))
      os << '[' << get.getSlot() << ']';
    if (auto set = dyn_cast<wave::SetOp>(op))
      os << '[' << set.getSlot() << ']';
    if (auto mma = dyn_cast<wave::MmaOp>(op))
      os << ' ' << mma.getAtom();
    for (Value operand : op.getOperands())
      if (!operand.getDefiningOp<arith::ConstantOp>())
        os << " %" << numberOf(operand);
    for (Value result : op.getResults())
      os << " -> %" << numberOf(result) << ' ' << result.getType();
    os << '\n';
    for (Region &region : op.getRegions())
      for (Block &block : region) {
        os << "{\n";
        add(block);
        os << "}\n";
      }
  }

  size_t numberOf(Value value) { return numbers.try_emplace(value, numbers.size()).first->second; }

  std::string text;
  llvm::raw_string_ostream os{text};
  llvm::DenseMap<Value, size_t> numbers;
};

/// Whether the loop holds matrix instructions and no other loop, and hands nothing from round to
/// round but through registers.
bool isMatrixLoop(scf::ForOp loop) {
  bool hasLoop = false, hasMma = false;
  loop.getBody()->walk([&](Operation *op) {
    hasLoop |= isa<scf::ForOp, scf::WhileOp, wave::PipelineOp>(op);
    hasMma |= isa<wave::MmaOp>(op);
  });
  return hasMma && !hasLoop && loop.getNumResults() == 0;
}

} // namespace

llvm::SmallVector<LoopGraph> loopGraphsOf(ModuleOp module, const TargetInfo &target) {
  llvm::SmallVector<LoopGraph> graphs;
  if (!target.keepsOrder)
    return graphs;
  for (wave::KernelOp kernel : module.getOps<wave::KernelOp>())
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto pipeline = dyn_cast<wave::PipelineOp>(op)) {
        llvm::Expected<PipelineTemplate> read = readTemplate(pipeline, target);
        if (read)
          graphs.push_back({op, kernel, graphHashOf(read->shape), read->shape});
        else
          llvm::consumeError(read.takeError()); // wave-schedule reports it
        return WalkResult::skip();
      }
      auto loop = dyn_cast<scf::ForOp>(op);
      if (loop && isMatrixLoop(loop))
        graphs.push_back(
            {op, kernel, llvm::xxh3_64bits(GraphText().of(*loop.getBody())), std::nullopt});
      return WalkResult::advance();
    });
  return graphs;
}

} // namespace tilec

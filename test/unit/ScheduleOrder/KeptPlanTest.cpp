//===- KeptPlanTest.cpp - the machine code has the order of the plan ------===//
//
// Random legal orders of loops of both targets, through the whole compiler: none may
// come out changed. And planted changes of the plan: each must be seen.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/CodeGen.h"
#include "tilec/Driver/ScheduleCheck.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/Lower/Lower.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/SchedulePlan.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace tilec;

namespace {

/// A loop to plan: a block tile, its waves and stages, and the strategy to start from.
struct Case {
  const char *name;
  Arch arch;
  int64_t m, n, k, threads, stages;
  const char *strategy;
};

constexpr Case cases[] = {
    {"interleave128", Arch::Gfx950, 128, 128, 64, 256, 2, "interleave"},
    {"interleave128x64", Arch::Gfx950, 128, 64, 64, 256, 2, "interleave"},
    {"interleaveThreeStages", Arch::Gfx950, 128, 64, 64, 256, 3, "interleave"},
    {"interleaveFourSteps", Arch::Gfx950, 64, 64, 128, 256, 2, "interleave"},
    {"pingPong", Arch::Gfx950, 256, 128, 64, 512, 2, "ping_pong"},
    {"single", Arch::Gfx950, 128, 128, 64, 256, 2, "single"},
    {"interleave942", Arch::Gfx942, 128, 128, 32, 256, 2, "interleave"},
    {"interleave942x128", Arch::Gfx942, 128, 64, 32, 256, 2, "interleave"},
    {"single942", Arch::Gfx942, 128, 64, 32, 256, 2, "single"},
    {"pingPong942", Arch::Gfx942, 256, 128, 32, 512, 2, "ping_pong"},
};

std::string tileIr(const Case &c) {
  int64_t k = 16 * c.k;
  return llvm::formatv(
             R"(tile.program @p {{
  %A = tile.tensor "A"[] : !tile.buffer<[{0}, {3}], bf16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[{1}, {3}], bf16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[{0}, {1}], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "gemm" grid(%one, %one) threads({4}) {{
  ^bb0(%bx: index, %by: index):
    %As = tile.alloc "As" : !tile.buffer<[{0}, {2}], bf16, shared>
    %Bs = tile.alloc "Bs" : !tile.buffer<[{1}, {2}], bf16, shared>
    %Cl = tile.alloc "Cl" : !tile.buffer<[{0}, {1}], f32, fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %zero, %Cl : f32, !tile.buffer<[{0}, {1}], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 16 : index
    %bk = arith.constant {2} : index
    tile.for %k = %c0 to %n step %c1 kind(pipelined) stages({5}) {{
      %ko = arith.muli %k, %bk : index
      %At = tile.subview %A[%c0, %ko] : !tile.buffer<[{0}, {3}], bf16, global> to !tile.buffer<[{0}, {2}], bf16, global>
      tile.copy %At to %As : !tile.buffer<[{0}, {2}], bf16, global>, !tile.buffer<[{0}, {2}], bf16, shared>
      %Bt = tile.subview %B[%c0, %ko] : !tile.buffer<[{1}, {3}], bf16, global> to !tile.buffer<[{1}, {2}], bf16, global>
      tile.copy %Bt to %Bs : !tile.buffer<[{1}, {2}], bf16, global>, !tile.buffer<[{1}, {2}], bf16, shared>
      tile.gemm %As, %Bs, %Cl {{transpose_b} : !tile.buffer<[{0}, {2}], bf16, shared>, !tile.buffer<[{1}, {2}], bf16, shared>, !tile.buffer<[{0}, {1}], f32, fragment>
    }
    tile.copy %Cl to %C : !tile.buffer<[{0}, {1}], f32, fragment>, !tile.buffer<[{0}, {1}], f32, global>
  }
})",
             c.m, c.n, c.k, k, c.threads, c.stages)
      .str();
}

class Session {
public:
  Session() {
    registerTilecPasses();
    registerCanonicalizerPass();
    registerCSEPass();
    DialectRegistry registry;
    registry.insert<tile::TileDialect, wave::WaveDialect, arith::ArithDialect, math::MathDialect,
                    scf::SCFDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  bool run(ModuleOp module, const std::string &pipeline) {
    FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline);
    if (failed(parsed))
      return false;
    PassManager manager(&context);
    static_cast<OpPassManager &>(manager) = std::move(*parsed);
    return succeeded(manager.run(module));
  }

  /// The module with its wave.pipeline.
  OwningOpRef<ModuleOp> toWave(const Case &c) {
    std::string target = ("{target=" + llvm::StringRef(nameOf(c.arch)) + "}").str();
    auto module = parseSourceString<ModuleOp>(tileIr(c), ParserConfig(&context));
    if (!module || !run(*module, "builtin.module(tile.program(tile-normalize,tile-infer-layouts" +
                                     target + ",tile-expand-pipelines" + target +
                                     ",canonicalize,cse,tile-place-barriers),tile-to-wave" +
                                     target + ",canonicalize,cse)"))
      return {};
    return module;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

/// The plan that a strategy makes for this loop, by letting the pass make it once.
std::string planTextOf(Session &session, ModuleOp wave, const Case &c) {
  OwningOpRef<ModuleOp> copy = wave.clone();
  std::string text;
  (*copy).walk([&](wave::PipelineOp op) { op.setSchedule(c.strategy); });
  if (!session.run(*copy, ("builtin.module(wave.kernel(wave-schedule{target=" +
                           llvm::StringRef(nameOf(c.arch)) + "}))")
                              .str()))
    return "";
  (*copy).walk([&](wave::KernelOp kernel) {
    if (auto plans = kernel->getAttrOfType<ArrayAttr>("schedules"))
      text = cast<StringAttr>(plans[0]).getValue().str();
  });
  return text;
}

bool feeds(const ScheduleStep &read, const ScheduleStep &mma) {
  return read.kind == ScheduleStep::Read && mma.kind == ScheduleStep::Mma &&
         read.tile == mma.tile && read.i == (read.operand == MmaOperand::A ? mma.i : mma.j);
}

/// Another order of the steps between waits, barriers and priorities: at random, but reads stay in
/// front of what they feed. Counts of vm waits are worked out anew.
SchedulePlan shuffled(const SchedulePlan &plan, uint32_t seed, int &moved) {
  std::mt19937 random(seed);
  SchedulePlan result = plan;
  result.body.clear();
  moved = 0;
  for (size_t begin = 0; begin < plan.body.size();) {
    if (!plan.body[begin].isWork()) {
      ScheduleStep step = plan.body[begin++];
      if (step.kind == ScheduleStep::Wait && step.vm >= 0)
        step.vm = ScheduleStep::autoCount;
      result.body.push_back(step);
      continue;
    }
    size_t end = begin;
    while (end < plan.body.size() && plan.body[end].isWork())
      ++end;
    std::vector<ScheduleStep> left(plan.body.begin() + begin, plan.body.begin() + end);
    for (size_t at = begin; !left.empty(); ++at) {
      size_t pick = random() % left.size();
      // The first one in front of the pick that feeds it goes first.
      for (size_t before = 0; before < left.size(); ++before)
        if (feeds(left[before], left[pick])) {
          pick = before;
          break;
        }
      moved += !(left[pick] == plan.body[at]);
      result.body.push_back(left[pick]);
      left.erase(left.begin() + pick);
    }
    begin = end;
  }
  return result;
}

/// For messages of GoogleTest.
void PrintTo(const Case &c, std::ostream *os) { *os << c.name; }

class KeptPlan : public ::testing::TestWithParam<Case> {};

} // namespace

// Ten loops, fifty orders each.
TEST_P(KeptPlan, RandomOrdersSurvive) {
  const Case &c = GetParam();
  Session session;
  OwningOpRef<ModuleOp> wave = session.toWave(c);
  ASSERT_TRUE(wave);
  std::string text = planTextOf(session, *wave, c);
  llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(text);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  std::string pipeline =
      ("builtin.module(wave.kernel(wave-schedule{target=" + llvm::StringRef(nameOf(c.arch)) +
       "}),canonicalize,cse)")
          .str();
  codegen::CodeGenOptions options;
  options.arch = c.arch;
  options.keepOrder = true;
  int planted = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    int moved = 0;
    SchedulePlan order = shuffled(*plan, seed, moved);
    EXPECT_GE(moved, 50) << "seed " << seed;
    OwningOpRef<ModuleOp> module = wave->clone();
    (*module).walk([&](wave::PipelineOp op) { op.setPlan(order.str()); });
    ASSERT_TRUE(session.run(*module, pipeline)) << "seed " << seed;
    llvm::LLVMContext context;
    auto lowered = lowerToLlvm(*module, c.arch, context);
    ASSERT_TRUE(bool(lowered)) << llvm::toString(lowered.takeError());
    auto image = codegen::compileModule(**lowered, options);
    ASSERT_TRUE(bool(image)) << llvm::toString(image.takeError());
    auto differences = differencesFromPlan(*module, *image);
    ASSERT_TRUE(bool(differences)) << llvm::toString(differences.takeError());
    EXPECT_EQ(*differences, "") << "seed " << seed;
    // Another plan is not mistaken for this one.
    if (seed <= 3) {
      (*module).walk([&](wave::KernelOp kernel) {
        Builder b(module->getContext());
        int ignored = 0;
        SchedulePlan other = shuffled(*plan, seed + 1000, ignored);
        kernel->setAttr("schedules", b.getArrayAttr(b.getStringAttr(other.str())));
      });
      auto found = differencesFromPlan(*module, *image);
      ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
      EXPECT_NE(found->find("planned: "), std::string::npos);
      ++planted;
    }
  }
  EXPECT_EQ(planted, 3);
}

INSTANTIATE_TEST_SUITE_P(Loops, KeptPlan, ::testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

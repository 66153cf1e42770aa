//===- PlanTrial.cpp - one program with plans, compiled and timed ---------===//
//
// Takes a program and plans, gives the time of the model or what is against them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "PlanTrial.h"

#include "tilec/Driver/ScheduleCheck.h"
#include "tilec/Report/Scorecard.h"
#include "tilec/Runtime/Check.h"
#include "tilec/Runtime/Launch.h"
#include "tilec/SimDevice/SimDevice.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilec {

std::string firstErrorOf(Compilation &compilation) {
  for (const Diagnostic &diagnostic : compilation.diagnostics().all())
    if (diagnostic.severity == Severity::Error)
      return diagnostic.message;
  return "no message";
}

std::string CodeFacts::reasonAgainst(const CodeFacts &base) const {
  if (spills > base.spills)
    return llvm::formatv("spills {0} registers", spills);
  if (moves > base.moves)
    return llvm::formatv("moves accumulators {0} times in a loop", moves);
  if (waitsForAll > base.waitsForAll)
    return "waits for all copies in a loop";
  if (findings > base.findings || unproved > base.unproved)
    return "copies and reads are not proved apart";
  return lostOrder;
}

static llvm::Expected<CodeFacts> factsOf(const codegen::Image &image) {
  CodeFacts facts;
  llvm::Expected<report::CodeObject> object = report::disassemble(image.bytes);
  if (!object)
    return object.takeError();
  for (const report::KernelCard &card : report::makeScorecard(*object).kernels) {
    facts.spills += card.facts.vgprSpills + card.facts.sgprSpills;
    facts.findings += card.sharedAudit.findings.size() + card.waitFindings.size();
    facts.unproved += !card.sharedAudit.unproved.empty();
    for (const report::LoopCard &loop : card.loops) {
      if (loop.mfmas() != 0)
        facts.moves += loop.count(report::InstrKind::AccumulatorMove);
      if (loop.count(report::InstrKind::SharedDma) != 0)
        facts.waitsForAll += loop.vmcntZeros;
    }
  }
  llvm::Expected<std::string> lost = lostOrderOf(image, LoopMatch::ByOrder);
  if (!lost)
    return lost.takeError();
  facts.lostOrder = *lost;
  return facts;
}

static rt::Error asError(llvm::Error error) { return rt::Error{llvm::toString(std::move(error))}; }

rt::Result<std::unique_ptr<Compilation>> PlanTrial::compile(const PlanFile &plans) const {
  CompileOptions with = options;
  if (!plans.saysNothing()) {
    with.planText = plans.str();
    with.planFile = "found";
  }
  auto compilation = std::make_unique<Compilation>(with);
  if (!compilation->open(file) || !compilation->runTo(Stage::Binary))
    return rt::Error{firstErrorOf(*compilation)};
  return compilation;
}

rt::Status PlanTrial::prepare(const rt::ArgumentRequest &request) {
  auto plain = compile(PlanFile());
  if (!plain)
    return plain.error();
  llvm::Expected<CodeFacts> facts = factsOf((*plain)->image());
  if (!facts)
    return asError(facts.takeError());
  base = *facts;
  base.lostOrder.clear();
  rt::Result<rt::ArgumentSet> made = rt::makeArguments((*plain)->manifest(), request);
  if (!made)
    return made.error();
  arguments = std::move(*made);
  return rt::success();
}

rt::Result<double> PlanTrial::timeOf(const PlanFile &plans, Clock clock, double latencies) {
  auto compiled = compile(plans);
  if (!compiled)
    return compiled.error();
  Compilation &compilation = **compiled;
  llvm::Expected<CodeFacts> facts = factsOf(compilation.image());
  if (!facts)
    return asError(facts.takeError());
  if (std::string reason = facts->reasonAgainst(base); !reason.empty() && !plans.saysNothing())
    return rt::Error{reason};
  SimDeviceOptions device;
  device.timing.keepEvents = false;
  device.timing.latencyScale = latencies;
  if (clock == Clock::Quick) {
    // Most of the time goes into what other work-groups leave in the caches, which plans of one
    // loop hardly change.
    constexpr uint32_t sample = 100;
    device.timing.cacheSampleInstructions = sample;
    device.timing.roundsPerCu = 1;
  }
  double us = 0;
  device.onTimed = [&](const std::string &, const sim::TimingResult &result) {
    us += result.kernelMicroseconds();
  };
  rt::Result<rt::Device> model = openSim(options.arch, device);
  if (!model)
    return model.error();
  auto ran =
      rt::launchProgram(*model, compilation.manifest(), compilation.image().bytes, arguments);
  if (!ran)
    return ran.error();
  return us;
}

/// Work-groups that stand for a grid: at its ends and in its midst.
static std::vector<uint64_t> someOf(uint64_t groups) {
  llvm::SmallSet<uint64_t, 4> some;
  for (uint64_t group : {uint64_t(0), groups / 2, groups - 1})
    some.insert(group);
  return {some.begin(), some.end()};
}

rt::Result<rt::ArgumentSet> PlanTrial::runSome(const PlanFile &plans) const {
  auto compiled = compile(plans);
  if (!compiled)
    return compiled.error();
  Compilation &compilation = **compiled;
  uint64_t fewest = UINT64_MAX;
  for (const rt::Launch &launch : compilation.manifest().launches) {
    rt::Result<rt::LaunchShape> shape = rt::shapeOf(compilation.manifest(), launch, arguments.dims);
    if (!shape)
      return shape.error();
    fewest = std::min<uint64_t>(fewest, shape->grid[0] * shape->grid[1] * shape->grid[2]);
  }
  SimDeviceOptions device;
  device.launch.memoryMode = sim::MemoryMode::Strict;
  // A launch that takes another's results wants all of them.
  if (compilation.manifest().launches.size() == 1)
    device.launch.onlyGroups = someOf(fewest);
  rt::Result<rt::Device> model = openSim(options.arch, device);
  if (!model)
    return model.error();
  rt::ArgumentSet results = arguments;
  auto ran = rt::launchProgram(*model, compilation.manifest(), compilation.image().bytes, results);
  if (!ran)
    return ran.error();
  return results;
}

std::string reasonAgainst(llvm::ArrayRef<WithLatencies> times) {
  constexpr double atLeast = 0.97;
  for (const WithLatencies &time : times)
    if (time.strategies < atLeast * time.found)
      return llvm::formatv("with latencies x {0}: {1:f2} us, the strategies {2:f2} us", time.scale,
                           time.found, time.strategies);
  return "";
}

std::string PlanTrial::differenceOf(const PlanFile &plans) {
  rt::Result<rt::ArgumentSet> wanted = runSome(PlanFile()), found = runSome(plans);
  for (const auto *results : {&wanted, &found})
    if (!*results)
      return results->error().message;
  return differenceBetween(*wanted, *found);
}

std::string differenceBetween(const rt::ArgumentSet &wanted, const rt::ArgumentSet &found) {
  // Other orders of sums differ in their last bits.
  constexpr double ofRow = 0x1p-16;
  for (const rt::Argument &argument : wanted.list) {
    const rt::Argument &other = *found.find(argument.param.name);
    if (argument.param.kind != rt::ParamKind::Tensor || argument.tensor.bytes == other.tensor.bytes)
      continue;
    rt::Result<rt::CheckReport> report =
        rt::compare(other.tensor, argument.tensor, rt::rowTolerance(argument.tensor, ofRow), {});
    if (!report)
      return report.error().message;
    if (!report->passed())
      return rt::describe(argument.param.name, argument.param.dtype, *report);
  }
  return "";
}

} // namespace tilec

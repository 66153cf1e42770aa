//===- RunReport.cpp - what tilec-run says of a run -----------------------===//
//
// Prints an Outcome as a table or as JSON; nothing is measured here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunReport.h"

#include "tilec/Runtime/Rivals.h"
#include "tilec/Target/Residency.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace tilec {
namespace {

void row(llvm::StringRef name, const std::string &value) {
  llvm::outs() << llvm::formatv("  {0,-14} {1}\n", name, value);
}

void printFacts(const Outcome &o) {
  for (const codegen::KernelFacts &f : o.facts) {
    std::string prefix = o.facts.size() > 1 ? f.name + " " : "";
    if (f.registers)
      row(prefix + "registers", std::to_string(f.registers));
    else
      row(prefix + "VGPR/AGPR/SGPR",
          llvm::formatv("{0} / {1} / {2}", f.vgprs, f.agprs, f.sgprs).str());
    row(prefix + (f.registers ? "shared" : "LDS"),
        llvm::formatv("{0} bytes", f.allSharedBytes()).str());
    if (std::optional<Arch> arch = parseArch(o.target); vendorOf(*arch) == Vendor::Amd)
      row(prefix + "occupancy",
          describe(residencyOf(*arch, {f.vgprs, f.agprs, f.allSharedBytes(), f.maxThreads})));
    row(prefix + "spills",
        std::to_string(f.vgprSpills + f.sgprSpills + f.spillStoreBytes + f.spillLoadBytes));
  }
}

/// Of the device's clock, or of the model's.
std::optional<double> kernelMs(const Outcome &o) {
  if (o.timing)
    return o.timing->medianMs;
  return o.model ? std::optional(o.model->us() / 1000) : std::nullopt;
}

std::optional<double> tflops(const Outcome &o) {
  std::optional<double> ms = kernelMs(o);
  return ms && o.flops && *ms > 0 ? std::optional(double(*o.flops) / (*ms * 1e9)) : std::nullopt;
}

void printTimes(const Outcome &o) {
  if (o.timing)
    row("time",
        llvm::formatv("{0:f4} ms (median of {1})", o.timing->medianMs, o.timing->samples).str());
  if (o.model) {
    row("model's time", llvm::formatv("{0:f2} us at {1:f2} GHz: what the simulator's model of {2} "
                                      "says, not a measurement",
                                      o.model->us(), o.model->clockGhz, o.target)
                            .str());
    if (o.model->launches.size() > 1)
      for (const ModelTime::OfKernel &launch : o.model->launches)
        row("", llvm::formatv("{0}: {1:f2} us, {2:f0} clk", launch.name, launch.us, launch.clk));
  }
  if (!o.noModel.empty())
    row("model's time", "none: " + o.noModel);
  if (o.timing)
    for (const rt::RivalTiming &rival : o.timing->rivals)
      row("against", rt::describe(rival, o.timing->samples));
  if (std::optional<double> rate = tflops(o))
    row("rate", llvm::formatv("{0:f1} TFLOP/s{1}", *rate, o.timing ? "" : " (model)").str());
  if (!o.steps.empty())
    row("this process", "by the host's clock:");
  for (const codegen::StageTime &step : o.steps)
    row("", llvm::formatv("{0,-16} {1,10:f2} ms", step.stage, step.ms));
}

} // namespace

double ModelTime::us() const {
  double sum = 0;
  for (const OfKernel &launch : launches)
    sum += launch.us;
  return sum;
}

bool Outcome::passed() const {
  return llvm::all_of(checks, [](const TensorCheck &c) { return c.report.passed(); }) &&
         (!timing || llvm::all_of(timing->rivals, [](const rt::RivalTiming &rival) {
           return !rival.agreement || rival.agreement->passed();
         }));
}

void printTable(const Outcome &o) {
  row("kernel", o.kernel);
  row("target", o.target);
  row("device", o.device + (o.deviceName.empty() ? "" : " (" + o.deviceName + ")"));
  row("compile time", llvm::formatv("{0:f1} ms", o.compileMs).str());
  printFacts(o);
  if (o.simInstructions)
    row("simulated",
        llvm::formatv("{0} wave instructions in {1:f2} s", o.simInstructions, o.runSeconds).str());
  printTimes(o);
  for (const std::string &page : o.pages)
    row("profile", page);
  for (const TensorCheck &c : o.checks) {
    row("max error", llvm::formatv("{0:e2} in {1} ({2:f3} of the bound)", c.report.maxError, c.name,
                                   c.report.maxRatio)
                         .str());
    if (!c.report.passed())
      row("", rt::describe(c.name, c.dtype, c.report));
  }
  if (o.isChecked)
    row("result", o.passed() ? "PASS" : "FAIL");
  else
    row("result", "not checked (--check compares it with the cpu reference)");
}

void printJson(const Outcome &o) {
  nlohmann::ordered_json j;
  j["kernel"] = o.kernel;
  j["target"] = o.target;
  j["device"] = o.device;
  j["compile_ms"] = o.compileMs;
  for (const codegen::KernelFacts &f : o.facts)
    j["kernels"].push_back({{"name", f.name},
                            {"vgprs", f.vgprs},
                            {"agprs", f.agprs},
                            {"sgprs", f.sgprs},
                            {"registers", f.registers},
                            {"shared_bytes", f.allSharedBytes()},
                            {"vgpr_spills", f.vgprSpills},
                            {"spill_bytes", f.spillStoreBytes + f.spillLoadBytes},
                            {"code_bytes", f.codeBytes}});
  for (const TensorCheck &c : o.checks)
    j["checks"].push_back({{"tensor", c.name},
                           {"elements", c.report.elemCount},
                           {"mismatches", c.report.mismatchCount},
                           {"max_error", c.report.maxError},
                           {"max_ratio", c.report.maxRatio}});
  if (o.timing)
    j["time_ms"] = {{"median", o.timing->medianMs},
                    {"min", o.timing->minMs},
                    {"max", o.timing->maxMs},
                    {"samples", o.timing->samples}};
  if (o.model) {
    j["model"] = {{"us", o.model->us()}, {"clock_ghz", o.model->clockGhz}};
    for (const ModelTime::OfKernel &launch : o.model->launches)
      j["model"]["launches"].push_back(
          {{"kernel", launch.name}, {"us", launch.us}, {"clk", launch.clk}});
  }
  for (const codegen::StageTime &step : o.steps)
    j["steps_ms"][step.stage] = step.ms;
  for (const std::string &page : o.pages)
    j["profiles"].push_back(page);
  if (o.timing)
    for (const rt::RivalTiming &rival : o.timing->rivals)
      j["rivals"].push_back({{"name", rival.name},
                             {"version", rival.version},
                             {"median_ms", rival.medianMs},
                             {"ratio", rival.ratio},
                             {"ratio_low", rival.low},
                             {"ratio_high", rival.high},
                             {"agrees", !rival.agreement || rival.agreement->passed()}});
  if (std::optional<double> rate = tflops(o))
    j["tflops"] = *rate;
  if (o.isChecked)
    j["passed"] = o.passed();
  llvm::outs() << j.dump(2) << '\n';
}

} // namespace tilec

//===- LaunchTool.cpp - run a compiled kernel on a GPU host ---------------===//
//
// Takes a compiled image with its manifest, runs it on this machine's GPU, compares with saved
// results and times it; no LLVM is linked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LaunchTool.h"

#include "tilec/Runtime/Check.h"
#include "tilec/Runtime/Launch.h"
#include "tilec/Runtime/Npy.h"
#include "tilec/Runtime/Rivals.h"

#include "nlohmann/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilec::launch {
namespace {

using rt::Error;
using rt::Result;
using rt::Status;

struct NamedFile {
  std::string name, path;
};

Result<std::vector<NamedFile>> parseFiles(const std::vector<std::string> &texts,
                                          const char *option) {
  std::vector<NamedFile> files;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return Error{std::string(option) + " " + text + ": write NAME=FILE.npy"};
    files.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return files;
}

struct Checked {
  std::string name;
  DType dtype;
  rt::CheckReport report;
};

/// Everything of one run, for printing.
struct Report {
  rt::DeviceInfo device;
  std::string kernel, target;
  rt::DimValues dims;
  std::vector<Checked> checks;
  rt::Timing timing;
  double flops = 0; ///< of one run; 0 when unknown

  bool passed() const {
    return std::all_of(checks.begin(), checks.end(),
                       [](const Checked &check) { return check.report.passed(); }) &&
           std::all_of(timing.rivals.begin(), timing.rivals.end(), [](const auto &rival) {
             return !rival.agreement || rival.agreement->passed();
           });
  }
  double teraflops() const { return flops / timing.medianMs * 1e-9; }
};

class Tool {
public:
  Tool(const Options &options, const Messages &messages) : options(options), messages(messages) {}

  int run() {
    for (auto step : {&Tool::readManifest, &Tool::readRequest, &Tool::launch, &Tool::save,
                      &Tool::check, &Tool::countFlops}) {
      cause = DiagId::RunArgument;
      if (Status s = (this->*step)(); !s)
        return messages.failure(cause, s.error().message);
    }
    if (options.json)
      printJson();
    else
      printText();
    return report.passed() ? 0 : 1;
  }

private:
  /// The error of a step, by the id that is not RunArgument.
  Error as(DiagId id, Error error) {
    cause = id;
    return error;
  }

  Status readManifest() {
    std::string path = options.manifest.empty() ? options.binary + ".json" : options.manifest;
    Result<std::string> text = rt::readFile(path);
    if (!text)
      return as(DiagId::CannotRead,
                {text.error().message +
                 (options.manifest.empty() ? "; name the launch manifest with --manifest" : "")});
    Result<rt::Manifest> parsed = rt::parseManifest(*text);
    if (!parsed)
      return as(DiagId::ManifestFault, inContext(path, parsed.error()));
    manifest = std::move(*parsed);
    report.kernel = manifest.kernel;
    report.target = manifest.target;
    return rt::success();
  }

  Status readRequest() {
    Result<rt::ArgumentRequest> request =
        rt::parseRequest(options.args, options.dims, options.seed);
    if (!request)
      return request.error();
    Result<rt::ArgumentSet> made = rt::makeArguments(manifest, *request);
    if (!made)
      return made.error();
    arguments = std::move(*made);
    report.dims = arguments.dims;
    return rt::success();
  }

  Result<rt::Device> openDevice() const {
    std::string kind = options.device;
    if (kind.empty())
      kind = manifest.target.rfind("sm_", 0) == 0 ? "cuda" : "hip";
    if (kind == "cuda")
      return rt::openCuda(options.deviceIndex, options.driver);
    return rt::openHip(options.deviceIndex, options.driver);
  }

  Status launch() {
    Result<std::string> image = rt::readFile(options.binary);
    if (!image)
      return as(DiagId::CannotRead, image.error());
    Result<rt::Device> device = openDevice();
    if (!device)
      return as(DiagId::DeviceFault, device.error());
    report.device = device->info();
    rt::BenchOptions bench;
    std::vector<std::string> rivals = options.rivals;
    if (!options.cublas.empty())
      rivals.push_back("cublas:" + options.cublas);
    bench.enabled = options.bench || !rivals.empty();
    bench.minSamples = options.rounds;
    for (const std::string &spec : rivals) {
      Result<rt::Rival> rival = rt::openRival(spec, arguments, *device, options.rivalLibrary);
      if (!rival)
        return inContext("--vs", rival.error());
      bench.rivals.push_back(std::move(*rival));
    }
    std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(image->data()), image->size());
    Result<rt::Timing> timing = rt::launchProgram(*device, manifest, bytes, arguments, bench);
    if (!timing)
      return as(DiagId::DeviceFault, timing.error());
    report.timing = *timing;
    return rt::success();
  }

  Result<const rt::Argument *> tensorNamed(const std::string &name, const char *option) const {
    const rt::Argument *argument = arguments.find(name);
    if (argument && argument->param.kind == rt::ParamKind::Tensor)
      return argument;
    return Error{std::string(option) + ": kernel `" + manifest.kernel + "` has no tensor `" + name +
                 "`"};
  }

  Status save() {
    Result<std::vector<NamedFile>> files = parseFiles(options.saves, "--save");
    if (!files)
      return files.error();
    for (const NamedFile &file : *files) {
      auto argument = tensorNamed(file.name, "--save");
      if (!argument)
        return argument.error();
      if (Status s = rt::writeNpy(file.path, (*argument)->tensor); !s)
        return as(DiagId::CannotWrite, s.error());
    }
    return rt::success();
  }

  Result<rt::HostTensor> readExpected(const NamedFile &file, const rt::Argument &argument) {
    Result<rt::NpyArray> array = rt::readNpy(file.path);
    if (!array)
      return as(DiagId::CannotRead, array.error());
    Result<rt::HostTensor> tensor = asTensor(std::move(*array), argument.param.dtype);
    if (!tensor)
      return inContext(file.path, tensor.error());
    if (bitsOf(argument.param.dtype) == 4 && tensor->bytes.size() == argument.tensor.bytes.size())
      tensor->shape = argument.tensor.shape; // odd rows are stored flat
    return tensor;
  }

  Status check() {
    Result<std::vector<NamedFile>> files = parseFiles(options.expects, "--expect");
    Result<std::vector<NamedFile>> spreads = parseFiles(options.spreads, "--spread");
    if (!files || !spreads)
      return files ? spreads.error() : files.error();
    for (const NamedFile &spread : *spreads)
      if (std::none_of(files->begin(), files->end(),
                       [&](const NamedFile &file) { return file.name == spread.name; }))
        return Error{"--spread " + spread.name + " wants an --expect of the same tensor"};
    for (const NamedFile &file : *files) {
      const NamedFile *spread = nullptr;
      for (const NamedFile &candidate : *spreads)
        if (candidate.name == file.name)
          spread = &candidate;
      if (Status s = checkTensor(file, spread); !s)
        return s;
    }
    return rt::success();
  }

  Result<std::vector<double>> readSpread(const NamedFile &file) {
    Result<rt::NpyArray> array = rt::readNpy(file.path);
    if (!array)
      return as(DiagId::CannotRead, array.error());
    Result<rt::HostTensor> tensor = asTensor(std::move(*array), DType::F64);
    if (!tensor)
      return inContext(file.path, tensor.error());
    std::vector<double> rows(tensor->elemCount());
    for (size_t row = 0; row < rows.size(); ++row)
      rows[row] = tensor->value(row);
    return rows;
  }

  Status checkTensor(const NamedFile &file, const NamedFile *spreadFile) {
    auto argument = tensorNamed(file.name, "--expect");
    if (!argument)
      return argument.error();
    Result<rt::HostTensor> reference = readExpected(file, **argument);
    if (!reference)
      return reference.error();
    std::vector<double> spread;
    if (spreadFile) {
      Result<std::vector<double>> read = readSpread(*spreadFile);
      if (!read)
        return read.error();
      spread = std::move(*read);
    }
    rt::CheckOptions rule;
    rule.exact = std::count(manifest.exact.begin(), manifest.exact.end(), file.name) != 0;
    rule.transcendental = manifest.transcendental;
    Result<rt::CheckReport> result = compare((*argument)->tensor, *reference, spread, rule);
    if (!result)
      return inContext("--expect " + file.name, result.error());
    report.checks.push_back({file.name, (*argument)->param.dtype, *result});
    return rt::success();
  }

  Status countFlops() {
    std::optional<rt::DimExpr> expr = manifest.flops;
    if (!options.flops.empty()) {
      Result<rt::DimExpr> parsed = rt::DimExpr::parse(options.flops);
      if (!parsed)
        return inContext("--flops", parsed.error());
      expr = *parsed;
    }
    if (!expr)
      return rt::success();
    Result<int64_t> flops = expr->evaluate(arguments.dims);
    if (!flops)
      return inContext("flops", flops.error());
    report.flops = static_cast<double>(*flops);
    return rt::success();
  }

  void printText() const {
    std::printf("device  %s (%s)\n", report.device.name.c_str(), report.device.arch.c_str());
    std::printf("kernel  %s for %s", report.kernel.c_str(), report.target.c_str());
    for (const auto &[name, value] : report.dims)
      std::printf(", %s = %lld", name.c_str(), static_cast<long long>(value));
    std::printf("\n");
    for (const Checked &check : report.checks)
      std::printf("check   %s\n", describe(check.name, check.dtype, check.report).c_str());
    const rt::Timing &t = report.timing;
    if (t.samples > 0) {
      std::printf("time    median %.2f us, min %.2f, max %.2f (%d samples of %d runs, %d buffer "
                  "sets)\n",
                  t.medianMs * 1e3, t.minMs * 1e3, t.maxMs * 1e3, t.samples, t.runsPerSample,
                  t.bufferSets);
      if (report.flops > 0)
        std::printf("rate    %.1f TFLOP/s\n", report.teraflops());
      for (const rt::RivalTiming &rival : t.rivals)
        std::printf("%s\n", rt::describe(rival, t.samples).c_str());
    }
    bool isChecked = !report.checks.empty() || !t.rivals.empty();
    std::printf("%s\n", !isChecked        ? "DONE (nothing was checked: no --expect)"
                        : report.passed() ? "PASS"
                                          : "FAIL");
  }

  void printJson() const {
    nlohmann::ordered_json out;
    out["device"] = report.device.name;
    out["arch"] = report.device.arch;
    out["kernel"] = report.kernel;
    out["target"] = report.target;
    out["dims"] = report.dims;
    out["checks"] = nlohmann::ordered_json::array();
    for (const Checked &check : report.checks) {
      nlohmann::ordered_json item;
      item["tensor"] = check.name;
      item["elements"] = check.report.elemCount;
      item["mismatches"] = check.report.mismatchCount;
      item["max_error"] = check.report.maxError;
      // JSON has no infinity: a bitwise mismatch has no ratio.
      if (std::isfinite(check.report.maxRatio))
        item["max_ratio"] = check.report.maxRatio;
      item["text"] = describe(check.name, check.dtype, check.report);
      out["checks"].push_back(item);
    }
    out["passed"] = report.passed();
    if (report.timing.samples > 0) {
      const rt::Timing &t = report.timing;
      out["median_us"] = t.medianMs * 1e3;
      out["min_us"] = t.minMs * 1e3;
      out["max_us"] = t.maxMs * 1e3;
      out["samples"] = t.samples;
      out["runs_per_sample"] = t.runsPerSample;
      out["buffer_sets"] = t.bufferSets;
      if (report.flops > 0)
        out["tflops"] = report.teraflops();
      for (const rt::RivalTiming &rival : t.rivals) {
        nlohmann::ordered_json item;
        item["name"] = rival.name;
        if (!rival.version.empty())
          item["version"] = rival.version;
        item["median_us"] = rival.medianMs * 1e3;
        item["ratio"] = rival.ratio;
        item["ratio_low"] = rival.low;
        item["ratio_high"] = rival.high;
        item["algorithm"] = rival.algorithm;
        item["algorithms"] = rival.algorithms;
        if (rival.agreement) {
          item["agrees"] = rival.agreement->passed();
          if (std::isfinite(rival.agreement->maxRatio))
            item["max_ratio"] = rival.agreement->maxRatio; // of |d - r| to what it may be
        }
        out["rivals"].push_back(item);
      }
    }
    std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }

  const Options &options;
  const Messages &messages;
  DiagId cause = DiagId::RunArgument; ///< what the step that failed failed for
  rt::Manifest manifest;
  rt::ArgumentSet arguments;
  Report report;
};

} // namespace

int run(const Options &options, const Messages &messages) { return Tool(options, messages).run(); }

} // namespace tilec::launch

//===- ManifestRun.cpp - tilec-sim on what tilec wrote --------------------===//
//
// Takes the manifest beside a code object, makes its arguments, and runs or times each launch.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ManifestRun.h"

#include "tilec/Runtime/Launch.h"
#include "tilec/Runtime/Npy.h"
#include "tilec/SimDevice/SimDevice.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::sim {
namespace {

using llvm::StringRef;

/// `NAME=...`: the arguments of a manifest. Those by number are files, or begin with their kind.
bool isByName(StringRef argument) {
  size_t equals = argument.find('=');
  return equals != StringRef::npos && equals < argument.find(':');
}

rt::Result<rt::ArgumentSet> argumentsOf(const ToolOptions &options, const rt::Manifest &manifest) {
  for (const std::string &text : options.args)
    if (!isByName(text))
      return rt::Error{"--arg " + text +
                       ": the manifest knows arguments by name: write NAME=...; "
                       "--grid and --block run the kernel without the manifest"};
  rt::Result<rt::ArgumentRequest> request =
      rt::parseRequest(options.args, options.dims, options.seed);
  if (!request)
    return request.error();
  return rt::makeArguments(manifest, *request);
}

rt::Status saveAll(const ToolOptions &options, const rt::ArgumentSet &arguments) {
  for (StringRef spec : options.saves) {
    auto [name, path] = spec.split('=');
    const rt::Argument *argument = arguments.find(name.str());
    if (path.empty() || !argument || argument->param.kind != rt::ParamKind::Tensor)
      return rt::Error{"--save wants NAME=FILE.npy with the name of a tensor, not `" + spec.str() +
                       "`"};
    if (rt::Status status = rt::writeNpy(path.str(), argument->tensor); !status)
      return status;
  }
  return rt::success();
}

/// Files of the timing of one of several launches: x.html becomes x.2.html.
ToolOptions forLaunch(ToolOptions options, size_t launch) {
  for (std::string *file : {&options.timingJson, &options.profile, &options.trace}) {
    StringRef extension = llvm::sys::path::extension(*file);
    if (!file->empty())
      *file =
          (StringRef(*file).drop_back(extension.size()) + "." + llvm::Twine(launch + 1) + extension)
              .str();
  }
  return options;
}

} // namespace

std::optional<std::string> manifestOf(const ToolOptions &options) {
  if (!options.manifest.empty())
    return options.manifest;
  bool isByHand = !options.grid.empty() || !options.block.empty() || !options.kernel.empty() ||
                  !options.rawKernarg.empty() ||
                  llvm::any_of(options.args, [](StringRef arg) { return !isByName(arg); });
  std::string beside = options.object + ".json";
  if (isByHand || !llvm::sys::fs::exists(beside))
    return std::nullopt;
  return beside;
}

int runManifest(const ToolOptions &options, const std::string &file, const std::string &image,
                const CodeObject &object, const LaunchOptions &launch) {
  const Messages &messages = *options.messages;
  if (!options.grid.empty() || !options.block.empty() || !options.rawKernarg.empty() ||
      !options.kernel.empty())
    return messages.usageError(
        "--manifest says the kernels, grid, block and arguments: leave --kernel, "
        "--grid, --block and --kernarg out");
  auto text = rt::readFile(file);
  if (!text)
    return messages.failure(DiagId::CannotRead, text.error().message);
  auto manifest = rt::parseManifest(*text);
  if (!manifest)
    return messages.failure(DiagId::ManifestFault, file + ": " + manifest.error().message);
  auto arguments = argumentsOf(options, *manifest);
  if (!arguments)
    return messages.failure(DiagId::RunArgument, arguments.error().message);
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(image.data()), image.size());

  bool ok = true;
  rt::ArgumentSet after = *arguments;
  bool isTimed = wantsTiming(options);
  if (isTimed && !options.saves.empty())
    return messages.usageError("--timing runs a part of the grid only: there is nothing to --save");
  if (!isTimed || launch.checks != Checks::None) {
    SimDeviceOptions device;
    device.launch = launch;
    device.memoryLimitBytes = options.maxMemoryBytes;
    device.onRun = [&](const std::string &kernel, const RunResult &result) {
      sayFindings(messages, result);
      printCounters(kernel, result);
      ok &= result.ok();
    };
    auto simulator = openSim(object.arch(), device);
    if (!simulator)
      return messages.failure(DiagId::DeviceFault, simulator.error().message);
    auto ran = rt::launchProgram(*simulator, *manifest, bytes, after);
    if (!ran && ok) // findings have been printed
      return messages.failure(DiagId::DeviceFault, ran.error().message);
  }
  if (isTimed) {
    std::vector<TimingResult> results;
    SimDeviceOptions device;
    device.launch = launch;
    device.memoryLimitBytes = options.maxMemoryBytes;
    device.timing = options.timingOptions;
    device.timing.warm = !options.cold;
    device.timing.keepEvents = !options.profile.empty() || !options.trace.empty();
    device.onTimed = [&](const std::string &, const TimingResult &result) {
      results.push_back(result);
    };
    auto model = openSim(object.arch(), device);
    if (!model)
      return messages.failure(DiagId::DeviceFault, model.error().message);
    rt::ArgumentSet partial = *arguments;
    auto ran = rt::launchProgram(*model, *manifest, bytes, partial);
    if (!ran)
      return messages.failure(DiagId::DeviceFault, ran.error().message);
    for (auto [i, result] : llvm::enumerate(results))
      if (int code =
              writeTiming(results.size() > 1 ? forLaunch(options, i) : options, object, result))
        return code;
    return ok ? 0 : 1;
  }
  if (rt::Status status = saveAll(options, after); !status)
    return messages.failure(DiagId::CannotWrite, status.error().message);
  return ok ? 0 : 1;
}

} // namespace tilec::sim

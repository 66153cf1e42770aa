//===- ChooseDevice.cpp - which target and device where none is given -----===//
//
// Asks the drivers of this machine, and combines what they find with what was given;
// ChooseDevice.h has the rule.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ChooseDevice.h"

#include "tilec/Runtime/Device.h"

namespace tilec {
namespace {

/// The form with all of its instructions: a Hopper GPU runs `sm_90a`.
std::optional<Arch> targetOfGpu(const std::string &gpu) {
  if (std::optional<Arch> arch = parseArch(gpu + "a"))
    return arch;
  return parseArch(gpu);
}

bool runsOn(Arch arch, const std::string &gpu) {
  return nameOf(arch) == gpu || nameOf(arch) == gpu + "a";
}

/// The simulated chip that stands for a device where no target is given.
Arch usualTarget(const std::string &device) { return device == "ptx" ? Arch::Sm90a : Arch::Gfx950; }

rt::Result<DeviceChoice> byDevice(const std::string &device, const FindGpu &find) {
  DeviceChoice choice{usualTarget(device), device, ""};
  if (device != "cuda" && device != "hip") {
    choice.why = "no --target is given, and " + device + " runs any of its vendor's";
    if (device == "cpu")
      choice.why = "no --target is given, and the reference computes the same for all";
    return choice;
  }
  rt::Result<std::string> gpu = find(device);
  if (!gpu)
    return gpu.error();
  std::optional<Arch> arch = targetOfGpu(*gpu);
  if (!arch)
    return rt::Error{"this machine's GPU is " + *gpu + ", and tilec compiles for " + listOfArchs()};
  choice.arch = *arch;
  choice.why = "this machine's GPU is " + *gpu;
  return choice;
}

DeviceChoice byTarget(Arch arch, const FindGpu &find) {
  bool isAmd = vendorOf(arch) == Vendor::Amd;
  std::string driver = isAmd ? "hip" : "cuda";
  rt::Result<std::string> gpu = find(driver);
  if (gpu && runsOn(arch, *gpu))
    return {arch, driver, "no --device is given, and this machine has such a GPU"};
  return {arch, isAmd ? "sim" : "ptx",
          "no --device is given, and " +
              (gpu ? "this machine's GPU is " + *gpu : std::string("no GPU is found"))};
}

DeviceChoice byMachine(const FindGpu &find) {
  for (const char *driver : {"cuda", "hip"}) {
    rt::Result<std::string> gpu = find(driver);
    std::optional<Arch> arch = gpu ? targetOfGpu(*gpu) : std::nullopt;
    if (arch)
      return {*arch, driver, "no --target and no --device is given, and this machine has this GPU"};
  }
  return {usualTarget("sim"), "sim",
          "no --target and no --device is given, and no GPU is found that tilec compiles for"};
}

/// Why code for `arch` does not run on `device`; empty where it does.
std::string mismatch(Arch arch, const std::string &device) {
  bool isAmd = vendorOf(arch) == Vendor::Amd;
  std::string name(nameOf(arch));
  if (device == "cuda" && isAmd)
    return "--device=cuda runs code for NVIDIA GPUs, not for " + name +
           "; give --target=sm_90a or sm_80";
  if (device == "hip" && !isAmd)
    return "--device=hip runs code for AMD GPUs, not for " + name +
           "; give --target=gfx942 or gfx950";
  if (device == "ptx" && isAmd)
    return "--device=ptx runs code for NVIDIA GPUs, not for " + name + ": use --device=sim";
  if (device == "sim" && !isAmd)
    return "the simulator runs gfx942 and gfx950; use --device=ptx, cuda or cpu for " + name;
  return "";
}

} // namespace

rt::Result<std::string> findGpu(const std::string &device) {
  rt::Result<rt::Device> opened = device == "hip" ? rt::openHip() : rt::openCuda();
  if (!opened)
    return opened.error();
  return opened->info().arch;
}

rt::Result<DeviceChoice> chooseDevice(const std::string &target, const std::string &device,
                                      const FindGpu &find) {
  if (target.empty())
    return device.empty() ? byMachine(find) : byDevice(device, find);
  std::optional<Arch> arch = parseArch(target);
  if (!arch)
    return rt::Error{"unknown target `" + target + "`; one of " + listOfArchs()};
  if (device.empty())
    return byTarget(*arch, find);
  if (std::string problem = mismatch(*arch, device); !problem.empty())
    return rt::Error{problem};
  // A Hopper GPU runs the `a` form, with wgmma.
  if (device == "cuda" && *arch == Arch::Sm90)
    arch = Arch::Sm90a;
  return DeviceChoice{*arch, device, ""};
}

} // namespace tilec

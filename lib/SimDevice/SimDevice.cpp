//===- SimDevice.cpp - the simulator as a device of the runtime -----------===//
//
// Takes code objects and launches from the runtime, runs them on sim::run or the timing model;
// memory is SimulatedBackend's.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/SimDevice/SimDevice.h"

#include "tilec/SimDevice/SimulatedBackend.h"
#include "tilec/Target/BlocksAtOnce.h"

#include <cstring>
#include <map>

namespace tilec {
namespace {

using rt::Result;
using rt::Status;

/// A kernel is found by its module and its place in it.
struct KernelRef {
  const sim::CodeObject *object;
  std::string name;
};

class SimBackend final : public SimulatedBackend {
public:
  SimBackend(Arch arch, SimDeviceOptions options) : arch(arch), options(std::move(options)) {
    memory.limitBytes = this->options.memoryLimitBytes;
    deviceInfo.kind = "sim";
    deviceInfo.name = "simulator";
    deviceInfo.arch = nameOf(arch);
    deviceInfo.checksBounds = true;
  }

  Result<uint64_t> loadModule(std::span<const uint8_t> image) override {
    auto object = sim::CodeObject::load({image.data(), image.size()});
    if (!object)
      return toError(object.takeError());
    if ((*object)->arch() != arch)
      return rt::Error{"the code object is for " + std::string(nameOf((*object)->arch()))};
    modules[++lastHandle] = std::move(*object);
    return lastHandle;
  }
  void unloadModule(uint64_t module) override {
    const sim::CodeObject *object = modules.at(module).get();
    std::erase_if(kernels, [&](const auto &entry) { return entry.second.object == object; });
    modules.erase(module);
  }
  Result<uint64_t> findKernel(uint64_t module, const std::string &symbol) override {
    const sim::CodeObject &object = *modules.at(module);
    if (!object.findKernel(symbol)) {
      std::string names;
      for (const sim::KernelInfo &kernel : object.kernels())
        names += (names.empty() ? "" : ", ") + kernel.name;
      return rt::Error{"not in the code object; it has " + (names.empty() ? "none" : names)};
    }
    kernels[++lastHandle] = {&object, symbol};
    return lastHandle;
  }

  Status launch(uint64_t kernel, const rt::LaunchShape &shape, const rt::ParamBuffer &params,
                uint64_t) override {
    const KernelRef &ref = kernels.at(kernel);
    sim::Dim3 grid, block;
    for (int axis = 0; axis < 3; ++axis) {
      if (shape.cluster[axis] != 1)
        return rt::Error{"AMD GPUs have no clusters"};
      if (shape.grid[axis] > UINT32_MAX)
        return rt::Error{"grid extent " + std::to_string(shape.grid[axis]) + " is too large"};
      grid[axis] = static_cast<uint32_t>(shape.grid[axis]);
      block[axis] = static_cast<uint32_t>(shape.block[axis]);
    }
    sim::LaunchOptions launchOptions = options.launch;
    launchOptions.dynamicLdsBytes += static_cast<uint32_t>(shape.sharedBytes);
    const sim::KernelInfo &info = *ref.object->findKernel(ref.name);
    if (shape.cooperative) {
      launchOptions.cooperative = true;
      launchOptions.barrier = params.barrier;
      if (rt::Status s = checkRoom(shape, info, launchOptions.dynamicLdsBytes); !s)
        return s;
    }
    auto kernarg = kernargFor(info, params.bytes, grid, block, launchOptions.dynamicLdsBytes);
    if (!kernarg)
      return toError(kernarg.takeError());
    if (options.onTimed) {
      auto timed = sim::timeKernel(*ref.object, ref.name, grid, block, *kernarg, memory,
                                   launchOptions, options.timing);
      if (!timed)
        return toError(timed.takeError());
      options.onTimed(ref.name, *timed);
      return rt::success();
    }
    auto result = sim::run(*ref.object, ref.name, grid, block, *kernarg, memory, launchOptions);
    if (!result)
      return toError(result.takeError());
    if (options.onRun)
      options.onRun(ref.name, *result);
    if (llvm::Error error = result->toError())
      addFault(llvm::toString(std::move(error)));
    return rt::success();
  }

private:
  /// The blocks of a cooperative launch have to be on the chip at once.
  Status checkRoom(const rt::LaunchShape &shape, const sim::KernelInfo &info,
                   uint32_t dynamicLdsBytes) const {
    if (options.onTimed)
      return rt::Error{"the timing model knows no kernels whose blocks wait for each other "
                       "(T.sync_grid)"};
    BlockNeeds needs;
    needs.threads = shape.block[0] * shape.block[1] * shape.block[2];
    needs.sharedBytes = int64_t(info.ldsBytes) + dynamicLdsBytes;
    needs.registersOfLane = info.vgprs;
    int64_t most = blocksAtOnce(targetInfo(arch), needs);
    if (shape.grid[0] * shape.grid[1] * shape.grid[2] <= most)
      return rt::success();
    return rt::tooManyBlocks(shape, {std::string(nameOf(arch)) + " holds " + std::to_string(most)});
  }

  /// The whole segment: what the manifest packs, and the hidden arguments that an object of another
  /// compiler may want behind it.
  static llvm::Expected<std::vector<uint8_t>> kernargFor(const sim::KernelInfo &info,
                                                         const std::vector<uint8_t> &packed,
                                                         sim::Dim3 grid, sim::Dim3 block,
                                                         uint32_t dynamicLdsBytes) {
    bool hidden = false;
    std::vector<std::vector<uint8_t>> args;
    for (const sim::ArgInfo &arg : info.args) {
      hidden |= arg.isHidden();
      if (arg.isHidden())
        continue;
      size_t end = size_t(arg.offsetBytes) + arg.sizeBytes;
      if (end > packed.size())
        return llvm::createStringError("the manifest packs " + std::to_string(packed.size()) +
                                       " bytes of parameters, `" + info.name + "` reads " +
                                       std::to_string(end));
      args.emplace_back(packed.begin() + arg.offsetBytes, packed.begin() + end);
    }
    if (hidden)
      return sim::makeKernarg(info, args, grid, block, dynamicLdsBytes);
    return packed;
  }

  const Arch arch;
  SimDeviceOptions options;
  std::map<uint64_t, std::unique_ptr<sim::CodeObject>> modules;
  std::map<uint64_t, KernelRef> kernels;
};

} // namespace

rt::Result<rt::Device> openSim(Arch arch, SimDeviceOptions options) {
  if (vendorOf(arch) != Vendor::Amd)
    return rt::Error{"the simulator runs gfx942 and gfx950 code, not " + std::string(nameOf(arch)) +
                     ": use --device=cuda or --device=cpu"};
  return rt::Device(std::make_shared<SimBackend>(arch, std::move(options)));
}

} // namespace tilec

//===- Plan.cpp - what is known of a launch before its addresses ----------===//
//
// A plan holds the packed parameter buffers of all launches; a launch writes
// addresses and floating-point scalars into them. All of it is called with the
// device's mutex held, but for `make` and the destructor of a plan that a caller
// owns.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Objects.h"

using namespace tilec;
using namespace tilec::capi;

namespace {

size_t indexOf(const rt::ArgumentSet &arguments, std::string_view name) {
  for (size_t i = 0; i < arguments.list.size(); ++i)
    if (arguments.list[i].param.name == name)
      return i;
  return arguments.list.size();
}

void store(rt::ParamBuffer &buffer, const PlannedLaunch::Patch &patch, uint64_t value) {
  std::memcpy(&buffer.bytes[patch.offset], &value, static_cast<size_t>(patch.size));
}

} // namespace

rt::Result<tilec_plan *> tilec_plan::make(tilec_module *module, bool isOwner,
                                          std::vector<rt::GivenArgument> given) {
  rt::Result<rt::ArgumentSet> bound = rt::bindArguments(module->manifest, given);
  if (!bound)
    return bound.error();
  auto *plan = new tilec_plan(module, isOwner);
  plan->given = std::move(given);
  plan->arguments = std::move(*bound);
  if (rt::Status s = plan->prepare(); !s) {
    delete plan;
    return s.error();
  }
  return plan;
}

tilec_plan::~tilec_plan() {
  tilec_device *device = module->device;
  if (!scratch.empty()) {
    // One of the module's own goes with the module, or from tilec_launch, which has the mutex.
    std::unique_lock<std::mutex> lock(device->mutex, std::defer_lock);
    if (isOwner)
      lock.lock();
    // The drivers wait for launches that still use the memory.
    for (auto &[stream, addresses] : scratch)
      for (uint64_t address : addresses)
        device->backend->free(address);
  }
  if (isOwner)
    module->release();
}

rt::Status tilec_plan::prepare() {
  const rt::Manifest &manifest = module->manifest;
  for (size_t i = 0; i < manifest.launches.size(); ++i)
    if (rt::Status s = addLaunch(manifest.launches[i], i); !s)
      return s;
  return rt::success();
}

/// Launches share workspaces of one name: the largest counts.
size_t tilec_plan::workspaceIndex(const rt::Param &param, int64_t bytes) {
  for (size_t i = 0; i < workspaces.size(); ++i)
    if (workspaces[i].name == param.name) {
      workspaces[i].bytes = std::max(workspaces[i].bytes, bytes);
      workspaces[i].zeroed |= param.zeroed;
      return i;
    }
  workspaces.push_back({param.name, bytes, param.zeroed});
  return workspaces.size() - 1;
}

rt::Status tilec_plan::addLaunch(const rt::Launch &launch, size_t index) {
  using Patch = PlannedLaunch::Patch;
  rt::Result<rt::LaunchShape> shape = rt::shapeOf(module->manifest, launch, arguments.dims);
  if (!shape)
    return shape.error();
  PlannedLaunch planned;
  planned.kernel = module->kernels[index];
  planned.shape = *shape;
  planned.params.bytes.resize(static_cast<size_t>(launch.paramBytes()));
  for (const rt::Param &param : launch.params) {
    planned.params.offsets.push_back(param.offset);
    switch (param.kind) {
    case rt::ParamKind::Tensor:
      planned.patches.push_back(
          {Patch::Address, indexOf(arguments, param.name), param.offset, param.size});
      break;
    case rt::ParamKind::Scalar: {
      size_t i = indexOf(arguments, param.name);
      Patch patch{Patch::Real, i, param.offset, param.size};
      store(planned.params, patch, arguments.list[i].scalarBits);
      if (isFloat(param.dtype))
        planned.patches.push_back(patch);
      break;
    }
    case rt::ParamKind::Dim:
    case rt::ParamKind::Stride: {
      auto it = arguments.dims.find(param.name);
      if (it == arguments.dims.end())
        return rt::Error{"`" + param.name + "` of `" + launch.symbol + "` follows from no tensor"};
      store(planned.params, {Patch::Real, 0, param.offset, param.size},
            static_cast<uint64_t>(it->second));
      break;
    }
    case rt::ParamKind::Workspace: {
      rt::Result<int64_t> bytes = param.bytes.evaluate(arguments.dims);
      if (!bytes)
        return bytes.error();
      planned.patches.push_back({Patch::Workspace, workspaceIndex(param, *bytes), param.offset,
                                 param.size,
                                 /*isBarrier=*/&param == launch.barrier()});
      break;
    }
    case rt::ParamKind::TensorMap: {
      rt::Result<rt::TensorMapRequest> request = rt::tensorMapOf(param, arguments, 0);
      if (!request)
        return rt::inContext("argument `" + param.map.of + "`", request.error());
      planned.patches.push_back({Patch::Map, maps.size(), param.offset, param.size});
      maps.push_back({std::move(*request), indexOf(arguments, param.map.of), false, {}});
      break;
    }
    }
  }
  launches.push_back(std::move(planned));
  return rt::success();
}

rt::Result<std::vector<uint64_t> *> tilec_plan::workspacesOf(uint64_t stream) {
  std::vector<uint64_t> &addresses = scratch[stream];
  rt::Backend &backend = *module->device->backend;
  while (addresses.size() < workspaces.size()) {
    const Workspace &workspace = workspaces[addresses.size()];
    // Kernels change single elements of 4 bits by atomics on whole words.
    rt::Result<rt::DeviceAddress> made =
        backend.allocate((workspace.bytes + 3) / 4 * 4, workspace.name);
    if (!made)
      return rt::inContext("workspace `" + workspace.name + "` of " +
                               std::to_string(workspace.bytes) + " bytes",
                           made.error());
    addresses.push_back(*made);
  }
  return &addresses;
}

rt::Status tilec_plan::patch(PlannedLaunch &launch, const tilec_arg *args,
                             const std::vector<uint64_t> &scratchAddresses) {
  using Patch = PlannedLaunch::Patch;
  for (const Patch &patch : launch.patches)
    switch (patch.kind) {
    case Patch::Address:
      store(launch.params, patch, args[patch.source].address);
      break;
    case Patch::Real: {
      const tilec_arg &arg = args[patch.source];
      double value = arg.kind == TILEC_ARG_INT ? double(arg.integer) : arg.real;
      store(launch.params, patch, encodeFloat(arguments.list[patch.source].param.dtype, value));
      break;
    }
    case Patch::Workspace:
      store(launch.params, patch, scratchAddresses[patch.source]);
      if (patch.isBarrier)
        launch.params.barrier = scratchAddresses[patch.source];
      break;
    case Patch::Map: {
      Map &map = maps[patch.source];
      uint64_t address = args[map.argument].address;
      if (!map.isEncoded || map.request.address != address) {
        map.request.address = address;
        rt::Result<std::array<uint8_t, 128>> bytes =
            module->device->backend->encodeTensorMap(map.request);
        if (!bytes)
          return rt::inContext("tensor map of `" + arguments.list[map.argument].param.name + "`",
                               bytes.error());
        map.bytes = *bytes;
        map.isEncoded = true;
      }
      std::memcpy(&launch.params.bytes[patch.offset], map.bytes.data(), map.bytes.size());
      break;
    }
    }
  return rt::success();
}

tilec_status tilec_plan::launch(uint64_t stream, const tilec_arg *args, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    bool isTensor = given[i].kind == rt::GivenArgument::Tensor;
    const std::string &name = arguments.list[i].param.name;
    if (isTensor != (args[i].kind == TILEC_ARG_TENSOR))
      return failed(TILEC_ERROR_ARGUMENT,
                    "argument `" + name +
                        "`: " + (isTensor ? "a tensor is wanted" : "a number is wanted"));
    // docs/deploy/launch-manifest.md: what vector loads and tensor maps rely on.
    if (isTensor && args[i].address % 16 != 0)
      return failed(TILEC_ERROR_ARGUMENT,
                    "argument `" + name + "`: its address is no multiple of 16 bytes");
  }
  rt::Result<std::vector<uint64_t> *> own = workspacesOf(stream);
  if (!own)
    return ioError(own.error());
  rt::Backend &backend = *module->device->backend;
  for (PlannedLaunch &launch : launches)
    if (rt::Status s = patch(launch, args, **own); !s)
      return ioError(s.error());
  for (size_t i = 0; i < workspaces.size(); ++i)
    if (workspaces[i].zeroed && workspaces[i].bytes != 0)
      if (rt::Status s = backend.fillOnStream((**own)[i], 0, workspaces[i].bytes, stream); !s)
        return ioError(s.error());
  for (size_t i = 0; i < launches.size(); ++i) {
    const auto &grid = launches[i].shape.grid;
    if (std::count(grid.begin(), grid.end(), 0) != 0)
      continue; // nothing to do; drivers refuse empty grids
    if (rt::Status s =
            backend.launch(launches[i].kernel, launches[i].shape, launches[i].params, stream);
        !s)
      return ioError(
          rt::inContext("launch of `" + module->manifest.launches[i].symbol + "`", s.error()));
  }
  return TILEC_OK;
}

//===- Objects.h - what the handles of the runtime's C interface point to -===//
//
// The structs behind the handles of libtilec-runtime, with their counts.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Runtime.h"

#include "tilec/Base/CHandles.h"
#include "tilec/Runtime/Bind.h"
#include "tilec/Runtime/Launch.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilec::capi {

/// Keeps the sentence for tilec_runtime_last_error; returns `status`.
tilec_status failed(tilec_status status, std::string message);
inline tilec_status ioError(const rt::Error &error) {
  return failed(TILEC_ERROR_IO, error.message);
}
inline tilec_status badArgument(const rt::Error &error) {
  return failed(TILEC_ERROR_ARGUMENT, error.message);
}

/// A device made of functions as a backend.
std::shared_ptr<rt::Backend> backendOf(const tilec_backend &functions);

} // namespace tilec::capi

struct tilec_device : tilec::capi::Counted<tilec_device> {
  explicit tilec_device(std::shared_ptr<tilec::rt::Backend> backend)
      : backend(std::move(backend)) {}

  std::shared_ptr<tilec::rt::Backend> backend;
  std::mutex mutex; ///< a backend is called from one thread at a time
};

struct tilec_module : tilec::capi::Counted<tilec_module> {
  explicit tilec_module(tilec_device *device) : device(device) { device->retain(); }
  ~tilec_module();

  tilec_status load(tilec_str image);
  /// The plan for such arguments, from those that were used last, or a new one; not retained.
  tilec::rt::Result<tilec_plan *> planFor(const std::vector<tilec::rt::GivenArgument> &given);

  tilec_device *device;
  tilec::rt::Manifest manifest;
  std::vector<tilec::rt::Param> params; ///< what a caller gives
  std::vector<uint64_t> kernels;        ///< one per launch of the manifest

private:
  friend struct tilec_plan;
  uint64_t handle = 0;
  bool isLoaded = false;
  std::mutex mutex;
  std::vector<tilec_plan *> recent; ///< the last ones, newest first
};

/// One launch of a plan, ready but for what changes.
struct PlannedLaunch {
  uint64_t kernel = 0;
  tilec::rt::LaunchShape shape;
  tilec::rt::ParamBuffer params;
  struct Patch {
    enum Kind { Address, Real, Workspace, Map } kind;
    size_t source;  ///< of an argument, a workspace or a map
    int64_t offset; ///< in the buffer
    int64_t size;
    bool isBarrier = false; ///< a workspace: the counter of a cooperative launch
  };
  std::vector<Patch> patches;
};

struct tilec_plan : tilec::capi::Counted<tilec_plan> {
  /// `owner` null: the plan is one of the module's own.
  static tilec::rt::Result<tilec_plan *> make(tilec_module *module, bool isOwner,
                                              std::vector<tilec::rt::GivenArgument> given);
  ~tilec_plan();
  tilec_status launch(uint64_t stream, const tilec_arg *args, size_t count);

  tilec_module *module;
  bool isOwner; ///< of a count of the module
  std::vector<tilec::rt::GivenArgument> given;

private:
  tilec_plan(tilec_module *module, bool isOwner) : module(module), isOwner(isOwner) {
    if (isOwner)
      module->retain();
  }
  tilec::rt::Status prepare();
  tilec::rt::Status addLaunch(const tilec::rt::Launch &launch, size_t index);
  size_t workspaceIndex(const tilec::rt::Param &param, int64_t bytes);
  tilec::rt::Status patch(PlannedLaunch &launch, const tilec_arg *args,
                          const std::vector<uint64_t> &workspaces);
  tilec::rt::Result<std::vector<uint64_t> *> workspacesOf(uint64_t stream);

  struct Workspace {
    std::string name;
    int64_t bytes;
    bool zeroed;
  };
  struct Map {
    tilec::rt::TensorMapRequest request;
    size_t argument;
    bool isEncoded = false;
    std::array<uint8_t, 128> bytes;
  };
  tilec::rt::ArgumentSet arguments;
  std::vector<PlannedLaunch> launches;
  std::vector<Workspace> workspaces;
  std::vector<Map> maps;
  std::map<uint64_t, std::vector<uint64_t>> scratch; ///< by stream, one per workspace
};

//===- Launcher.h - from Python arguments to a launch ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Tensors.h"

#include "tilec-c/Runtime.h"

#include <map>
#include <mutex>
#include <vector>

namespace tilec::python {

using DeviceHandle = Handle<tilec_device, tilec_device_release>;
using ModuleHandle = Handle<tilec_module, tilec_module_release>;
using PlanHandle = Handle<tilec_plan, tilec_plan_release>;

/// A module's kernel with what is known of its parameters. Arguments are checked against it, and
/// what the runtime finds out of their shapes is kept by shape.
class Launcher {
public:
  /// `deviceIndex` is that of the framework; `stream` is called with the first tensor where its
  /// framework does not say on which stream it works.
  Launcher(tilec_module *module, int deviceIndex, nb::object stream);

  /// Queues the kernel. `args`, a tuple, follow the parameters of the script. False where the first
  /// tensor is not on the device that the kernel was loaded on: nothing was done then.
  bool launch(nb::handle args, nb::handle stream);

  /// The arguments of one call.
  struct Call {
    std::vector<tilec_arg> args;
    std::vector<TensorView> views;
    std::vector<int64_t> signature; ///< what a plan depends on
    nb::handle first;               ///< the first tensor
    size_t firstIndex = 0;
  };

private:
  friend class Bound;
  struct Parameter {
    std::string name, dtype;
    bool isTensor, isFloat, isWritten;
    uint32_t rank;
    unsigned packed; ///< elements a byte
  };

  bool read(nb::handle args, Call &call) const;
  bool readTensor(size_t index, nb::handle object, Call &call) const;
  void readScalar(size_t index, nb::handle object, Call &call) const;
  tilec_plan *planFor(const Call &call);
  uint64_t chooseStream(const Call &call, nb::handle given) const;
  [[noreturn]] void badArgument(size_t index, const std::string &what) const;

  tilec_module *module; ///< the owner keeps it alive
  int deviceIndex;
  nb::object stream;
  std::vector<Parameter> parameters;
  std::mutex mutex;
  std::map<std::vector<int64_t>, PlanHandle> plans;
  std::vector<int64_t> lastSignature;
  tilec_plan *lastPlan = nullptr;
};

/// A launch whose arguments have been looked at once.
class Bound {
public:
  Bound(Launcher &launcher, nb::tuple args, nb::object stream);
  ~Bound() { tilec_plan_release(plan); }
  Bound(const Bound &) = delete;
  void operator()();

private:
  Launcher &launcher; ///< its module is kept alive by the owner
  nb::tuple args;
  nb::object stream;
  Launcher::Call call;
  tilec_plan *plan;
};

} // namespace tilec::python

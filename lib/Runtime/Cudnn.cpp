//===- Cudnn.cpp - cuDNN's attention as a rival ---------------------------===//
//
// Takes an attention, tries what cuDNN's heuristics propose, gives the fastest as a rival.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CudnnGraph.h"
#include "VendorLibrary.h"

#include <algorithm>

namespace tilec::rt {
namespace {

using namespace cudnn;

/// The heuristics' list starts with the best; what stands behind these is for other GPUs.
constexpr size_t mostPlans = 8;

Status bind(void *library, Api &api) {
  VendorSymbols symbols(library);
  symbols.get(api.version, "cudnnGetVersion");
  symbols.get(api.errorString, "cudnnGetErrorString");
  symbols.get(api.lastError, "cudnnGetLastErrorString");
  symbols.get(api.create, "cudnnCreate");
  symbols.get(api.destroy, "cudnnDestroy");
  symbols.get(api.setStream, "cudnnSetStream");
  symbols.get(api.createDescriptor, "cudnnBackendCreateDescriptor");
  symbols.get(api.destroyDescriptor, "cudnnBackendDestroyDescriptor");
  symbols.get(api.setAttribute, "cudnnBackendSetAttribute");
  symbols.get(api.getAttribute, "cudnnBackendGetAttribute");
  symbols.get(api.finalize, "cudnnBackendFinalize");
  symbols.get(api.execute, "cudnnBackendExecute");
  return symbols.status("cuDNN");
}

/// One attention, described to the library.
class Session {
public:
  Session(const Api &api, const Attention &attention)
      : api(api), attention(attention), descriptors(std::make_unique<Descriptors>(this->api)),
        scale(attention.scale()), masked(maskedScore(api.version())) {}
  ~Session() {
    descriptors.reset();
    if (handle)
      api.destroy(handle);
  }

  Status prepare(const Device &device);
  Status run(const std::map<std::string, DeviceAddress> &tensors, uint64_t stream);
  int planCount() const { return static_cast<int>(plans.size()); }
  void choose(int index) { chosen = index; }

private:
  std::vector<Descriptor> configs(Descriptor graph, int mode);
  void makePlans(Descriptor graph, int mode, int64_t &workspaceBytes);
  Descriptor packOf(const std::array<void *, 4> &addresses);
  void refuse(const std::string &why) { refusal = refusal.empty() ? why : refusal; }

  const Api api;
  const Attention attention;
  void *handle = nullptr;
  Buffer workspace;
  std::unique_ptr<Descriptors> descriptors;
  std::vector<Descriptor> plans;
  std::string refusal; ///< why the first of what was proposed makes no plan
  size_t chosen = 0;
  float scale, masked; ///< read through pointers at each run
  uint64_t streamSet = 0;
  /// Runs rotate through copies of the tensors.
  std::map<std::array<void *, 4>, Descriptor> packs;
};

/// What the heuristics propose, best first.
std::vector<Descriptor> Session::configs(Descriptor graph, int mode) {
  Descriptors &d = *descriptors;
  Descriptor asked = d.create(heuristics, "the heuristics");
  d.set(asked, heuristicsGraph, kindDescriptor, graph);
  d.set(asked, heuristicsMode, kindHeuristicsMode, mode);
  if (Status s = d.tryToFinish(asked); !s) {
    refuse(s.error().message);
    return {};
  }
  int64_t count = 0;
  d.get(asked, heuristicsResults, kindDescriptor, 0, &count, nullptr);
  std::vector<Descriptor> found;
  for (int64_t i = 0; i < count; ++i)
    found.push_back(d.create(engineConfig, "an engine's configuration"));
  if (count != 0) // it counts again: those that this GPU does not run are left out
    d.get(asked, heuristicsResults, kindDescriptor, count, &count, found.data());
  found.resize(d.status() ? count : 0);
  if (found.empty())
    refuse(lastReason(api));
  return found;
}

void Session::makePlans(Descriptor graph, int mode, int64_t &workspaceBytes) {
  Descriptors &d = *descriptors;
  for (Descriptor config : configs(graph, mode)) {
    Descriptor made = d.create(plan, "a plan");
    d.set(made, planHandle, kindHandle, handle);
    d.set(made, planConfig, kindDescriptor, config);
    if (Status s = d.tryToFinish(made); !s) {
      refuse(s.error().message);
      continue;
    }
    int64_t bytes = 0, count = 0;
    d.get(made, planWorkspaceBytes, kindInt64, 1, &count, &bytes);
    workspaceBytes = std::max(workspaceBytes, bytes);
    plans.push_back(made);
    if (plans.size() == mostPlans)
      return;
  }
}

Status Session::prepare(const Device &device) {
  if (int code = api.create(&handle))
    return errorOf(api, "cudnnCreate", code);
  Descriptor graph = attentionGraph(*descriptors, handle, attention);
  int64_t workspaceBytes = 0;
  for (int mode : {heuristicsA, heuristicsFallback})
    if (plans.empty())
      makePlans(graph, mode, workspaceBytes);
  if (!descriptors->status())
    return descriptors->status();
  if (plans.empty())
    return Error{"it has no engine for this attention: " + refusal};
  Result<Buffer> buffer = device.allocate(workspaceBytes, "the workspace of cuDNN");
  if (!buffer)
    return buffer.error();
  workspace = std::move(*buffer);
  return success();
}

Descriptor Session::packOf(const std::array<void *, 4> &addresses) {
  auto known = packs.find(addresses);
  if (known != packs.end())
    return known->second;
  Descriptors &d = *descriptors;
  std::vector<int64_t> ids = {idQ, idK, idV, idO, idScale};
  std::vector<void *> pointers(addresses.begin(), addresses.end());
  pointers.push_back(&scale);
  if (attention.isCausal) {
    ids.push_back(idMasked);
    pointers.push_back(&masked);
  }
  Descriptor made = d.create(variantPack, "the variant pack");
  d.setAll(made, packIds, kindInt64, ids.data(), ids.size());
  d.setAll(made, packPointers, kindPointer, pointers.data(), pointers.size());
  d.set(made, packWorkspace, kindPointer, reinterpret_cast<void *>(workspace.address()));
  return packs[addresses] = d.finish(made);
}

Status Session::run(const std::map<std::string, DeviceAddress> &tensors, uint64_t stream) {
  auto address = [&](const AttentionTensor &of) {
    return reinterpret_cast<void *>(tensors.at(of.name));
  };
  Descriptor pack = packOf(
      {address(attention.q), address(attention.k), address(attention.v), address(attention.o)});
  if (!descriptors->status())
    return descriptors->status();
  if (stream != streamSet)
    if (int code = api.setStream(handle, reinterpret_cast<void *>(stream)))
      return errorOf(api, "cudnnSetStream", code);
  streamSet = stream;
  if (int code = api.execute(handle, plans[chosen], pack))
    return errorOf(api, "cudnnBackendExecute", code);
  return success();
}

} // namespace

Result<Rival> cudnnRival(const Attention &attention, const Device &device,
                         const std::string &path) {
  Result<void *> library = openVendorLibrary("cuDNN 9", "libcudnn.so", {".9"}, path);
  if (!library)
    return library.error();
  Api api;
  if (Status s = bind(*library, api); !s)
    return s.error();
  auto session = std::make_shared<Session>(api, attention);
  if (Status s = session->prepare(device); !s)
    return s.error();
  size_t version = api.version();
  Rival rival;
  rival.version = std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                  "." + std::to_string(version % 100);
  rival.algorithms = session->planCount();
  rival.choose = [session](int index) { session->choose(index); };
  rival.run = [session](const auto &tensors, uint64_t stream) {
    return session->run(tensors, stream);
  };
  return rival;
}

} // namespace tilec::rt

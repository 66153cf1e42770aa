//===- CublasLt.cpp - the best that cublasLt's heuristics propose ---------===//
//
// Takes a product, tries what cublasLt's heuristics propose, gives the fastest as a rival.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CublasAbi.h"
#include "GemmRival.h"
#include "VendorLibrary.h"

#include <algorithm>

namespace tilec::rt {
namespace {

/// What NVIDIA recommends for Hopper is 32 MiB; more only widens the choice.
constexpr uint64_t workspaceBytes = uint64_t(64) << 20;
constexpr int mostAlgorithms = 24;

/// One product, described to the library.
struct LtProduct {
  GemmProduct product;
  cublas::LtApi api;
  void *handle = nullptr, *desc = nullptr, *first = nullptr, *second = nullptr, *result = nullptr;
  Buffer workspace;
  std::vector<cublas::LtHeuristic> algorithms;
  size_t chosen = 0;
};

Status bind(void *library, cublas::LtApi &api) {
  VendorSymbols symbols(library);
  symbols.get(api.create, "cublasLtCreate");
  symbols.get(api.descCreate, "cublasLtMatmulDescCreate");
  symbols.get(api.descSet, "cublasLtMatmulDescSetAttribute");
  symbols.get(api.layoutCreate, "cublasLtMatrixLayoutCreate");
  symbols.get(api.preferenceCreate, "cublasLtMatmulPreferenceCreate");
  symbols.get(api.preferenceSet, "cublasLtMatmulPreferenceSetAttribute");
  symbols.get(api.heuristics, "cublasLtMatmulAlgoGetHeuristic");
  symbols.get(api.matmul, "cublasLtMatmul");
  return symbols.status("cublasLt");
}

Status checked(int code, const char *function) {
  return code == 0
             ? success()
             : Status(Error{std::string(function) + " failed with code " + std::to_string(code)});
}

/// Column-major: the first matrix is B, the second A.
Status describe(LtProduct &lt) {
  const GemmProduct &p = lt.product;
  const cublas::LtApi &api = lt.api;
  int compute = p.isInteger ? cublas::computeI32 : cublas::computeF32;
  int scale = p.isInteger ? cublas::typeI32 : cublas::typeF32;
  int32_t firstOp = p.bTransposed, secondOp = p.aTransposed;
  int8_t fast = 1; // as wgmma itself adds fp8 products
  auto layout = [&](void *&out, int type, bool isTransposed, int rows, int columns) {
    return checked(isTransposed ? api.layoutCreate(&out, type, columns, rows, columns)
                                : api.layoutCreate(&out, type, rows, columns, rows),
                   "cublasLtMatrixLayoutCreate");
  };
  if (Status s = checked(api.descCreate(&lt.desc, compute, scale), "cublasLtMatmulDescCreate"); !s)
    return s;
  auto set = [&](int attribute, const auto &value) {
    return checked(api.descSet(lt.desc, attribute, &value, sizeof value),
                   "cublasLtMatmulDescSetAttribute");
  };
  for (const Status &s : {set(cublas::descTransA, firstOp), set(cublas::descTransB, secondOp),
                          p.isFp8 ? set(cublas::descFastAccumulation, fast) : success(),
                          layout(lt.first, p.bType, p.bTransposed, p.n, p.k),
                          layout(lt.second, p.aType, p.aTransposed, p.k, p.m),
                          layout(lt.result, p.cType, false, p.n, p.m)})
    if (!s)
      return s;
  return success();
}

Status askHeuristics(LtProduct &lt) {
  const cublas::LtApi &api = lt.api;
  void *preference = nullptr;
  int count = 0;
  lt.algorithms.resize(mostAlgorithms);
  for (const Status &s :
       {checked(api.preferenceCreate(&preference), "cublasLtMatmulPreferenceCreate"),
        checked(api.preferenceSet(preference, cublas::preferenceWorkspaceBytes, &workspaceBytes,
                                  sizeof workspaceBytes),
                "cublasLtMatmulPreferenceSetAttribute"),
        checked(api.heuristics(lt.handle, lt.desc, lt.first, lt.second, lt.result, lt.result,
                               preference, mostAlgorithms, lt.algorithms.data(), &count),
                "cublasLtMatmulAlgoGetHeuristic")})
    if (!s)
      return s;
  lt.algorithms.resize(count);
  std::erase_if(lt.algorithms, [](const cublas::LtHeuristic &h) { return h.status != 0; });
  return lt.algorithms.empty() ? Status(Error{"cublasLt proposes no algorithm for this"})
                               : success();
}

Status multiply(const LtProduct &lt, const std::map<std::string, DeviceAddress> &tensors,
                uint64_t stream) {
  const GemmProduct &p = lt.product;
  auto address = [&](const std::string &name) {
    return reinterpret_cast<void *>(tensors.at(name));
  };
  // Scales are pointers, which change with the buffers; the first matrix is B.
  if (!p.scaleA.empty()) {
    void *first = address(p.scaleB), *second = address(p.scaleA);
    for (const Status &s :
         {checked(lt.api.descSet(lt.desc, cublas::descScaleA, &first, sizeof first), "scale"),
          checked(lt.api.descSet(lt.desc, cublas::descScaleB, &second, sizeof second), "scale")})
      if (!s)
        return s;
  }
  GemmFactors factors;
  return checked(lt.api.matmul(lt.handle, lt.desc, factors.alpha(p.isInteger), address(p.b),
                               lt.first, address(p.a), lt.second, factors.beta(p.isInteger),
                               address(p.c), lt.result, address(p.c), lt.result,
                               &lt.algorithms[lt.chosen].algorithm,
                               reinterpret_cast<void *>(lt.workspace.address()), workspaceBytes,
                               reinterpret_cast<void *>(stream)),
                 "cublasLtMatmul");
}

} // namespace

Result<Rival> cublasLtRival(const GemmProduct &product, const Device &device,
                            const std::string &path) {
  Result<void *> library =
      openVendorLibrary("cublasLt", "libcublasLt.so", {".13", ".12", ".11"}, path);
  if (!library)
    return library.error();
  auto lt = std::make_shared<LtProduct>();
  lt->product = product;
  if (Status s = bind(*library, lt->api); !s)
    return s.error();
  if (Status s = checked(lt->api.create(&lt->handle), "cublasLtCreate"); !s)
    return s.error();
  Result<Buffer> workspace = device.allocate(workspaceBytes, "the workspace of cublasLt");
  if (!workspace)
    return workspace.error();
  lt->workspace = std::move(*workspace);
  for (auto step : {describe, askHeuristics})
    if (Status s = step(*lt); !s)
      return s.error();
  Rival rival;
  rival.algorithms = static_cast<int>(lt->algorithms.size());
  rival.choose = [lt](int index) { lt->chosen = index; };
  rival.run = [lt](const auto &tensors, uint64_t stream) { return multiply(*lt, tensors, stream); };
  return rival;
}

} // namespace tilec::rt

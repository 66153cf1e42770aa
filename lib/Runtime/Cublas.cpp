//===- Cublas.cpp - cublasGemmEx as a rival -------------------------------===//
//
// Takes a product, gives a rival that computes it with cublasGemmEx, opened by dlopen.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CublasAbi.h"
#include "GemmRival.h"
#include "VendorLibrary.h"

namespace tilec::rt {

Result<Rival> cublasRival(const GemmProduct &product, const std::string &path) {
  if (product.isFp8 || !product.scaleA.empty())
    return Error{"cublasGemmEx has no product of fp8, and none with scales: use cublaslt"};
  Result<void *> library = openVendorLibrary("cuBLAS", "libcublas.so", {".13", ".12", ".11"}, path);
  if (!library)
    return library.error();
  cublas::Api api;
  VendorSymbols symbols(*library);
  symbols.get(api.create, "cublasCreate_v2");
  symbols.get(api.setStream, "cublasSetStream_v2");
  symbols.get(api.gemmEx, "cublasGemmEx");
  if (Status bound = symbols.status("cuBLAS"); !bound)
    return bound.error();
  void *handle = nullptr;
  if (int code = api.create(&handle))
    return Error{"cublasCreate failed with code " + std::to_string(code)};
  Rival rival;
  // The handle lives as long as the process: a rival is timed once.
  rival.run = [p = product, api, handle](const auto &tensors, uint64_t stream) -> Status {
    GemmFactors factors;
    api.setStream(handle, reinterpret_cast<void *>(stream));
    int code = api.gemmEx(
        handle, p.bTransposed, p.aTransposed, p.n, p.m, p.k, factors.alpha(p.isInteger),
        reinterpret_cast<void *>(tensors.at(p.b)), p.bType, p.ldb(),
        reinterpret_cast<void *>(tensors.at(p.a)), p.aType, p.lda(), factors.beta(p.isInteger),
        reinterpret_cast<void *>(tensors.at(p.c)), p.cType, p.n,
        p.isInteger ? cublas::computeI32 : cublas::computeF32, cublas::defaultAlgorithm);
    if (code)
      return Error{"cublasGemmEx failed with code " + std::to_string(code)};
    return success();
  };
  return rival;
}

} // namespace tilec::rt

//===- Cublas.cpp - a vendor's matrix product to compare with -------------===//
//
// cuBLAS is opened at run time where the host has it. Declarations are our own; numbers are those
// of cublas_api.h and library_types.h (CUDA 11 to 13). SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Cublas.h"

#include <dlfcn.h>

namespace tilec::launch {
namespace {

using rt::Error;
using rt::Result;
using rt::Status;

struct Api {
  int (*create)(void **handle);
  int (*setStream)(void *handle, void *stream);
  int (*gemmEx)(void *handle, int opA, int opB, int m, int n, int k, const void *alpha,
                const void *a, int aType, int lda, const void *b, int bType, int ldb,
                const void *beta, void *c, int cType, int ldc, int computeType, int algorithm);
};

constexpr int computeF32 = 68, computeI32 = 72; // cublasComputeType_t
constexpr int defaultAlgorithm = -1;            // CUBLAS_GEMM_DEFAULT

/// cudaDataType_t; -1 for what cublasGemmEx does not take.
int cudaType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return 0;
  case DType::F16:
    return 2;
  case DType::I8:
    return 3;
  case DType::I32:
    return 10;
  case DType::BF16:
    return 14;
  default:
    return -1;
  }
}

Result<Api> openCublas(const std::string &library) {
  void *handle = nullptr;
  std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                    "/usr/local/cuda/lib64/libcublas.so"};
  if (!library.empty())
    names = {library};
  for (const std::string &name : names)
    if (!handle)
      handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Error{"there is no cuBLAS on this machine: " + std::string(dlerror())};
  Api api;
  api.create = reinterpret_cast<decltype(api.create)>(dlsym(handle, "cublasCreate_v2"));
  api.setStream = reinterpret_cast<decltype(api.setStream)>(dlsym(handle, "cublasSetStream_v2"));
  api.gemmEx = reinterpret_cast<decltype(api.gemmEx)>(dlsym(handle, "cublasGemmEx"));
  if (!api.create || !api.setStream || !api.gemmEx)
    return Error{"this cuBLAS has no cublasGemmEx"};
  return api;
}

struct Product {
  std::string a, b, c; ///< names
  bool aTransposed = false, bTransposed = false;
  int m = 0, n = 0, k = 0;
  int abType = -1, cType = -1;
};

Result<Product> parseSpec(const std::string &spec, const rt::ArgumentSet &arguments) {
  size_t colon = spec.find(':'), comma = spec.find(','), last = spec.rfind(',');
  std::string form = spec.substr(0, colon == std::string::npos ? 0 : colon);
  bool formIsGood = form.size() == 2 && form.find_first_not_of("nt") == std::string::npos;
  if (!formIsGood || comma == std::string::npos || comma == last)
    return Error{"`" + spec + "`: write FORM:A,B,C with a form nn, nt, tn or tt"};
  Product product;
  product.aTransposed = form[0] == 't';
  product.bTransposed = form[1] == 't';
  product.a = spec.substr(colon + 1, comma - colon - 1);
  product.b = spec.substr(comma + 1, last - comma - 1);
  product.c = spec.substr(last + 1);
  const rt::HostTensor *tensors[3];
  const std::string *names[3] = {&product.a, &product.b, &product.c};
  for (int i = 0; i < 3; ++i) {
    const rt::Argument *argument = arguments.find(*names[i]);
    if (!argument || argument->param.kind != rt::ParamKind::Tensor)
      return Error{"there is no tensor `" + *names[i] + "`"};
    tensors[i] = &argument->tensor;
    if (tensors[i]->shape.size() != 2 || tensors[i]->elemCount() > INT32_MAX)
      return Error{"`" + *names[i] +
                   "` is no matrix that cublasGemmEx takes: " + rt::printShape(tensors[i]->shape)};
  }
  const auto &aShape = tensors[0]->shape, &bShape = tensors[1]->shape, &cShape = tensors[2]->shape;
  product.m = static_cast<int>(cShape[0]);
  product.n = static_cast<int>(cShape[1]);
  product.k = static_cast<int>(aShape[product.aTransposed ? 0 : 1]);
  if (aShape[product.aTransposed ? 1 : 0] != product.m ||
      bShape[product.bTransposed ? 0 : 1] != product.n ||
      bShape[product.bTransposed ? 1 : 0] != product.k)
    return Error{"shapes " + rt::printShape(aShape) + ", " + rt::printShape(bShape) + " and " +
                 rt::printShape(cShape) + " are no " + form + " matrix product"};
  product.abType = cudaType(tensors[0]->dtype);
  product.cType = cudaType(tensors[2]->dtype);
  if (product.abType < 0 || product.cType < 0 || tensors[0]->dtype != tensors[1]->dtype)
    return Error{"cublasGemmEx has no product of " + std::string(nameOf(tensors[0]->dtype)) +
                 " and " + std::string(nameOf(tensors[1]->dtype)) + " to " +
                 std::string(nameOf(tensors[2]->dtype))};
  return product;
}

} // namespace

Result<rt::Rival> cublasGemm(const std::string &spec, const rt::ArgumentSet &arguments,
                             const std::string &library) {
  Result<Product> parsed = parseSpec(spec, arguments);
  if (!parsed)
    return parsed.error();
  Result<Api> api = openCublas(library);
  if (!api)
    return api.error();
  void *handle = nullptr;
  if (int code = api->create(&handle))
    return Error{"cublasCreate failed with code " + std::to_string(code)};
  // The handle lives as long as the process: the rival is timed once.
  return rt::Rival([product = *parsed, api = *api, handle](const auto &tensors, uint64_t stream) {
    const Product &p = product;
    float one = 1, zero = 0;
    int32_t oneInt = 1, zeroInt = 0;
    bool isInt = p.cType == cudaType(DType::I32);
    api.setStream(handle, reinterpret_cast<void *>(stream));
    // cuBLAS is column-major: the row-major C = A B is its C' = B' A'.
    int code = api.gemmEx(
        handle, p.bTransposed, p.aTransposed, p.n, p.m, p.k,
        isInt ? static_cast<void *>(&oneInt) : &one, reinterpret_cast<void *>(tensors.at(p.b)),
        p.abType, p.bTransposed ? p.k : p.n, reinterpret_cast<void *>(tensors.at(p.a)), p.abType,
        p.aTransposed ? p.m : p.k, isInt ? static_cast<void *>(&zeroInt) : &zero,
        reinterpret_cast<void *>(tensors.at(p.c)), p.cType, p.n, isInt ? computeI32 : computeF32,
        defaultAlgorithm);
    return code ? Status(Error{"cublasGemmEx failed with code " + std::to_string(code)})
                : rt::success();
  });
}

} // namespace tilec::launch

//===- DLPack.h - the part of the DLPack 1 interface that is used here ----===//
//
// https://dmlc.github.io/dlpack: structures that frameworks hand over by
// `type(x).__dlpack_c_exchange_api__` and by `x.__dlpack__()`.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tilec::python::dlpack {

enum DeviceType : int32_t { Cpu = 1, Cuda = 2, CudaHost = 3, Rocm = 10, CudaManaged = 13 };

struct Version {
  uint32_t major, minor;
};
struct Device {
  int32_t type, id;
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void *data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *);
};
struct ManagedVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedVersioned *);
  uint64_t flags;
  Tensor tensor;
};
constexpr uint64_t readOnly = 1;

struct ExchangeApi {
  Version version;
  void *previous;
  void *allocate, *fromObject, *toObject;
  /// Fills a tensor that `object` owns; it lives until the interpreter goes on.
  int (*tensorOf)(void *object, Tensor *out);
  int (*currentStream)(int32_t deviceType, int32_t device, void **stream);
};

/// The name of the manifest; null for a type that kernels do not take.
inline const char *nameOf(DataType type) {
  if (type.lanes != 1)
    return nullptr;
  auto sized = [&](const char *b8, const char *b16, const char *b32, const char *b64) {
    return type.bits == 8    ? b8
           : type.bits == 16 ? b16
           : type.bits == 32 ? b32
           : type.bits == 64 ? b64
                             : nullptr;
  };
  switch (type.code) {
  case 0:
    return sized("int8", "int16", "int32", "int64");
  case 1:
    return sized("uint8", "uint16", "uint32", "uint64");
  case 2:
    return sized(nullptr, "float16", "float32", "float64");
  case 4:
    return sized(nullptr, "bfloat16", nullptr, nullptr);
  case 6:
    return type.bits == 8 ? "bool" : nullptr;
  case 10:
    return "float8_e4m3fn";
  case 11:
    return "float8_e4m3fnuz";
  case 12:
    return "float8_e5m2";
  case 13:
    return "float8_e5m2fnuz";
  case 14:
    return "float8_e8m0fnu";
  case 17:
    return "float4_e2m1fn";
  default:
    return nullptr;
  }
}

} // namespace tilec::python::dlpack

//===- hip_runtime.h - what docs/deploy/loading-hsaco.md uses of HIP's header ----===//
//
// For machines without ROCm: the names and values of its hip_runtime_api.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

typedef int hipError_t;
constexpr hipError_t hipSuccess = 0;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;
typedef void *hipDeviceptr_t;
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define HIP_LAUNCH_PARAM_END ((void *)0x03)

extern "C" {
const char *hipGetErrorString(hipError_t);
hipError_t hipInit(unsigned);
hipError_t hipSetDevice(int);
hipError_t hipMalloc(void **, size_t);
hipError_t hipMemcpyHtoD(hipDeviceptr_t, void *, size_t);
hipError_t hipMemcpyDtoH(void *, hipDeviceptr_t, size_t);
hipError_t hipModuleLoad(hipModule_t *, const char *);
hipError_t hipModuleGetFunction(hipFunction_t *, hipModule_t, const char *);
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, hipStream_t, void **, void **);
}

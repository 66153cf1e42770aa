//===- CudaAbi.h - the part of the CUDA driver API that is used -----------===//
//
// Our own declarations, so that no CUDA header is needed to build. Numbers and
// layouts: cuda.h of CUDA 13.0 (they are ABI and do not change). Functions are
// declared as the driver's current versions; Cuda.cpp names the symbols.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilec::rt::cuda {

using DevicePtr = unsigned long long;
using ContextPtr = struct ContextTag *;
using ModulePtr = struct ModuleTag *;
using FunctionPtr = struct FunctionTag *;
using StreamPtr = struct StreamTag *;
using EventPtr = struct EventTag *;

// CUdevice_attribute
inline constexpr int attributeClockKilohertz = 13;
inline constexpr int attributeMultiprocessors = 16;
inline constexpr int attributeMemoryClockKilohertz = 36, attributeMemoryBusBits = 37;
inline constexpr int attributeL2Bytes = 38;
inline constexpr int attributeMajor = 75, attributeMinor = 76;
inline constexpr int attributeSharedOptin = 97;
// CUfunction_attribute
inline constexpr int functionMaxDynamicShared = 8, functionNonPortableCluster = 14;
// CUresult
inline constexpr int errorCooperativeLaunchTooLarge = 720;
// CUlaunchAttributeID
inline constexpr int launchAttributeClusterDimension = 4;
inline constexpr int launchAttributeProgrammaticSerialization = 6;
// CUtensorMapDataType
inline constexpr int tensorMapU8 = 0, tensorMapU16 = 1, tensorMapU32 = 2, tensorMapI32 = 3,
                     tensorMapU64 = 4, tensorMapI64 = 5, tensorMapF16 = 6, tensorMapF32 = 7,
                     tensorMapF64 = 8, tensorMapBF16 = 9;
// CUtensorMapL2promotion
inline constexpr int tensorMapL2PromotionNone = 0, tensorMapL2Promotion64 = 1,
                     tensorMapL2Promotion128 = 2, tensorMapL2Promotion256 = 3;

/// CUtensorMap; aligned as CUDA 13 has it (12 asked for 64 bytes)
struct alignas(128) TensorMap {
  uint64_t opaque[16];
};

/// CUlaunchAttribute with the values that are used of its union.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    unsigned clusterDim[3];
    int programmaticSerializationAllowed;
    char value[64];
  };
};

/// CUlaunchConfig
struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  StreamPtr stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

struct Api {
  int (*init)(unsigned flags);
  int (*getErrorName)(int code, const char **name);
  int (*getErrorString)(int code, const char **text);
  int (*deviceGetCount)(int *count);
  int (*deviceGet)(int *device, int index);
  int (*deviceGetName)(char *name, int bytes, int device);
  int (*deviceGetAttribute)(int *value, int attribute, int device);
  int (*devicePrimaryCtxRetain)(ContextPtr *context, int device);
  int (*devicePrimaryCtxRelease)(int device);
  int (*ctxSetCurrent)(ContextPtr context);
  int (*memAlloc)(DevicePtr *address, size_t bytes);
  int (*memFree)(DevicePtr address);
  int (*memcpyHtoD)(DevicePtr dst, const void *src, size_t bytes);
  int (*memcpyDtoH)(void *dst, DevicePtr src, size_t bytes);
  int (*memsetD8)(DevicePtr dst, unsigned char value, size_t bytes);
  int (*memsetD8Async)(DevicePtr dst, unsigned char value, size_t bytes, StreamPtr stream);
  int (*moduleLoadData)(ModulePtr *module, const void *image);
  int (*moduleUnload)(ModulePtr module);
  int (*moduleGetFunction)(FunctionPtr *function, ModulePtr module, const char *name);
  int (*funcSetAttribute)(FunctionPtr function, int attribute, int value);
  int (*streamCreate)(StreamPtr *stream, unsigned flags);
  int (*streamDestroy)(StreamPtr stream);
  int (*streamSynchronize)(StreamPtr stream);
  int (*launchKernel)(FunctionPtr function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      StreamPtr stream, void **params, void **extra);
  int (*launchCooperativeKernel)(FunctionPtr function, unsigned gridX, unsigned gridY,
                                 unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                                 unsigned sharedBytes, StreamPtr stream, void **params);
  int (*launchKernelEx)(const LaunchConfig *config, FunctionPtr function, void **params,
                        void **extra);
  int (*occupancyOf)(int *blocks, FunctionPtr function, int threads, size_t sharedBytes);
  int (*eventCreate)(EventPtr *event, unsigned flags);
  int (*eventDestroy)(EventPtr event);
  int (*eventRecord)(EventPtr event, StreamPtr stream);
  int (*eventElapsedTime)(float *ms, EventPtr begin, EventPtr end);
  int (*tensorMapEncodeTiled)(TensorMap *map, int type, unsigned rank, void *address,
                              const uint64_t *dims, const uint64_t *strideBytes,
                              const uint32_t *box, const uint32_t *elementSteps, int interleave,
                              int swizzle, int l2Promotion, int oobFill);
  int (*tensorMapEncodeIm2col)(TensorMap *map, int type, unsigned rank, void *address,
                               const uint64_t *dims, const uint64_t *strideBytes,
                               const int *lowerCorner, const int *upperCorner, unsigned channels,
                               unsigned pixels, const uint32_t *elementSteps, int interleave,
                               int swizzle, int l2Promotion, int oobFill);
};

} // namespace tilec::rt::cuda

//===- FakeDriver.cpp - libcuda and libamdhip64 without a GPU -------------===//
//
// A shared library with the driver functions that the runtime calls, over host
// memory. Kernels are host functions found by name; the image's bytes are not read,
// except that one that starts with `!` is refused. It lets the whole path from
// tilec-launch to the parameter buffer be tested where there is no GPU. Faults are
// sticky, as in a real driver: every later call fails.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/DType.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

constexpr int cooperativeLaunchTooLarge = 720;
constexpr int invalidValue = 1, outOfMemory = 2, invalidImage = 200, notFound = 500,
              illegalAddress = 700;
constexpr size_t memoryBytes = size_t(1) << 30;

int sticky = 0;
int live = 0; ///< handles and allocations that have not been given back
std::map<uint64_t, size_t> allocations;
std::string record; ///< text of the last launch's shape, for tests

struct LaunchArgs {
  unsigned grid[3], block[3];
  void **params;
};

template <typename T> T param(const LaunchArgs &args, int index) {
  T value;
  std::memcpy(&value, args.params[index], sizeof value);
  return value;
}

/// Calls `body(global thread index)` for every thread along x.
template <typename Body> void forEachThread(const LaunchArgs &args, Body body) {
  for (unsigned i = 0; i < args.grid[0] * args.block[0]; ++i)
    body(static_cast<int>(i));
}

// The kernels of test/unit/Runtime/Inputs/amdgcn.ll and nvptx.ll, and of
// test/lit/Driver/Inputs/tune-cuda.py, on the host.
int scale(const LaunchArgs &args) {
  auto *x = param<const float *>(args, 0);
  auto *y = param<float *>(args, 1);
  auto s = param<float>(args, 2);
  int n = param<int>(args, 3);
  forEachThread(args, [&](int i) {
    if (i < n)
      y[i] = x[i] * s;
  });
  return 0;
}

int twice(const LaunchArgs &args) {
  auto *x = param<const float *>(args, 0);
  auto *y = param<float *>(args, 1);
  for (int i = 0; i < param<int>(args, 2); ++i)
    y[i] = 2 * x[i];
  return 0;
}

int pack(const LaunchArgs &args) {
  auto *out = param<int64_t *>(args, 0);
  out[0] = param<int8_t>(args, 1);
  out[1] = param<int64_t>(args, 2);
  out[2] = param<int16_t>(args, 3);
  out[3] = param<int32_t>(args, 4);
  return 0;
}

int blocks(const LaunchArgs &args) {
  auto *out = param<int *>(args, 0);
  for (unsigned z = 0; z < args.grid[2]; ++z)
    for (unsigned y = 0; y < args.grid[1]; ++y)
      for (unsigned x = 0; x < args.grid[0]; ++x)
        for (unsigned t = 0; t < args.block[0]; ++t)
          out[((z * args.grid[1] + y) * args.grid[0] + x) * args.block[0] + t] =
              static_cast<int>(x + 100 * y + 10000 * z);
  return 0;
}

/// Attention of float16 [1, s, h, d] tensors, with h / kv heads to one of K and V.
int attend(const LaunchArgs &args) {
  constexpr auto f16 = tilec::DType::F16;
  auto tensor = [&](int index) { return param<uint16_t *>(args, index); };
  uint16_t *q = tensor(0), *k = tensor(1), *v = tensor(2), *o = tensor(3);
  int s = param<int>(args, 4), h = param<int>(args, 5), d = param<int>(args, 6),
      kv = param<int>(args, 7);
  auto value = [&](const uint16_t *t, int row, int heads, int head, int e) {
    return decodeFloat(f16, t[(row * heads + head) * d + e]);
  };
  for (int i = 0; i < s; ++i)
    for (int head = 0; head < h; ++head) {
      int shared = head / (h / kv);
      std::vector<double> sums(d);
      double total = 0;
      for (int j = 0; j < s; ++j) {
        double score = 0;
        for (int e = 0; e < d; ++e)
          score += value(q, i, h, head, e) * value(k, j, kv, shared, e);
        double weight = std::exp(score / std::sqrt(d));
        total += weight;
        for (int e = 0; e < d; ++e)
          sums[e] += weight * value(v, j, kv, shared, e);
      }
      for (int e = 0; e < d; ++e)
        o[(i * h + head) * d + e] = encodeFloat(f16, sums[e] / total);
    }
  return 0;
}

int overrun(const LaunchArgs &args) {
  auto *out = param<float *>(args, 0);
  out[param<int>(args, 1)] = 1;
  return 0;
}

int fault(const LaunchArgs &) { return sticky = illegalAddress; }

using HostKernel = int (*)(const LaunchArgs &);
HostKernel kernelNamed(const std::string &name) {
  static const std::map<std::string, HostKernel> kernels = {
      {"scale", scale},   {"twice", twice},     {"pack", pack},  {"blocks", blocks},
      {"attend", attend}, {"overrun", overrun}, {"fault", fault}};
  auto it = kernels.find(name);
  return it == kernels.end() ? nullptr : it->second;
}

/// $TILEC_FAKE_GPUS: how many CUDA devices there are, 1 without it.
constexpr int mostGpus = 8;
char contexts[mostGpus];
thread_local int currentGpu = 0;
int fakeGpus() {
  const char *text = std::getenv("TILEC_FAKE_GPUS");
  return text ? std::clamp(std::atoi(text), 0, mostGpus) : 1;
}

/// $TILEC_FAKE_MULTIPROCESSORS, 4 without it.
int fakeMultiprocessors() {
  const char *text = std::getenv("TILEC_FAKE_MULTIPROCESSORS");
  return text ? std::atoi(text) : 4;
}

/// $TILEC_FAKE_CLOCK=F: a launch takes F microseconds for each thread of a block, and nothing else
/// takes any time; F0,F1: on GPU 0 and GPU 1. Without it the clock is that of the host.
std::optional<double> fakeClock() {
  const char *text = std::getenv("TILEC_FAKE_CLOCK");
  for (int gpu = 0; text && gpu < currentGpu && std::strchr(text, ','); ++gpu)
    text = std::strchr(text, ',') + 1;
  return text ? std::optional(std::atof(text)) : std::nullopt;
}
double fakeNanoseconds = 0;

int start(HostKernel kernel, const LaunchArgs &args, unsigned sharedBytes, const unsigned *cluster,
          bool isEarly = false) {
  fakeNanoseconds += fakeClock().value_or(0) * 1e3 * args.block[0] * args.block[1] * args.block[2];
  record = "grid";
  for (unsigned g : args.grid)
    record += " " + std::to_string(g);
  record += " block";
  for (unsigned b : args.block)
    record += " " + std::to_string(b);
  record += " shared " + std::to_string(sharedBytes);
  if (cluster)
    record += " cluster " + std::to_string(cluster[0]);
  if (isEarly)
    record += " early";
  kernel(args);
  return 0; // faults come out of the next wait
}

int allocate(uint64_t *address, size_t bytes) {
  size_t used = 0;
  for (auto [at, size] : allocations)
    used += size;
  if (sticky || bytes == 0 || bytes > memoryBytes - used)
    return sticky ? sticky : bytes == 0 ? invalidValue : outOfMemory;
  *address = reinterpret_cast<uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  allocations[*address] = bytes;
  ++live;
  return 0;
}

int release(uint64_t address) {
  if (allocations.erase(address) == 0)
    return invalidValue;
  std::free(reinterpret_cast<void *>(address));
  --live;
  return 0;
}

/// Fails unless [address, address + bytes) is inside one allocation, as real drivers do.
int checkRange(uint64_t address, size_t bytes) {
  if (sticky)
    return sticky;
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return invalidValue;
  --it;
  return address + bytes <= it->first + it->second ? 0 : invalidValue;
}

template <typename T> int make(T **out, uint64_t value = 0) {
  *out = reinterpret_cast<T *>(new uint64_t(value));
  ++live;
  return 0;
}
template <typename T> int destroy(T *object) {
  delete reinterpret_cast<uint64_t *>(object);
  --live;
  return 0;
}

uint64_t now() {
  if (fakeClock())
    return static_cast<uint64_t>(fakeNanoseconds);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

const char *nameOfCode(int code) {
  return code == outOfMemory      ? "ERROR_OUT_OF_MEMORY"
         : code == invalidImage   ? "ERROR_INVALID_IMAGE"
         : code == notFound       ? "ERROR_NOT_FOUND"
         : code == illegalAddress ? "ERROR_ILLEGAL_ADDRESS"
                                  : "ERROR_INVALID_VALUE";
}

struct LaunchConfig { // CUlaunchConfig
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  struct {
    int id;
    char pad[4];
    unsigned clusterDim[16];
  } *attributes;
  unsigned attributeCount;
};

// cublasLt's objects
struct LtDesc {
  int compute, scale;
  std::map<int, uint64_t> attributes;
};
struct LtLayout {
  int type, rows, columns, ld;
};
struct LtHeuristic { // cublasLtMatmulHeuristicResult_t
  uint64_t algorithm[8];
  size_t workspaceBytes;
  int status;
  float waves;
  int reserved[4];
};

} // namespace

extern "C" {

int fakeLiveHandles() { return live; }
void fakeReset() { sticky = 0; }
/// Whether these bytes are inside one allocation.
int fakeOwns(uint64_t address, size_t bytes) { return checkRange(address, bytes) == 0; }
const char *fakeLastLaunch() { return record.c_str(); }

int cuInit(unsigned) { return 0; }
int cuGetErrorName(int code, const char **out) { return *out = nameOfCode(code), 0; }
int cuGetErrorString(int, const char **out) { return *out = "from the fake driver", 0; }
int cuDeviceGetCount(int *count) { return *count = fakeGpus(), 0; }
int cuDeviceGet(int *device, int index) { return *device = index, 0; }
int cuDeviceGetName(char *name, int bytes, int device) {
  std::string text = device ? "Fake H200 " + std::to_string(device) : "Fake H200";
  return std::strncpy(name, text.c_str(), bytes), 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 13   ? 1'000'000 // kHz
           : attribute == 16 ? fakeMultiprocessors()
           : attribute == 36 ? 1'000'000 // kHz
           : attribute == 37 ? 64
           : attribute == 75 ? 9
           : attribute == 38 ? 1 << 16
           : attribute == 97 ? 232448
                             : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  return *context = &contexts[device], ++live, 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return --live, 0; }
int cuCtxSetCurrent(void *context) {
  auto gpu = static_cast<char *>(context) - contexts;
  if (gpu < 0 || gpu >= fakeGpus())
    return invalidValue;
  currentGpu = static_cast<int>(gpu);
  return 0;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) { return allocate(address, bytes); }
int cuMemFree_v2(uint64_t address) { return release(address); }
int cuMemcpyHtoD_v2(uint64_t dst, const void *src, size_t bytes) {
  int code = checkRange(dst, bytes);
  if (!code)
    std::memcpy(reinterpret_cast<void *>(dst), src, bytes);
  return code;
}
int cuMemcpyDtoH_v2(void *dst, uint64_t src, size_t bytes) {
  int code = checkRange(src, bytes);
  if (!code)
    std::memcpy(dst, reinterpret_cast<void *>(src), bytes);
  return code;
}
int cuMemcpyDtoDAsync_v2(uint64_t dst, uint64_t src, size_t bytes, void *) {
  int code = checkRange(src, bytes);
  return code ? code : cuMemcpyHtoD_v2(dst, reinterpret_cast<void *>(src), bytes);
}
int cuMemsetD8_v2(uint64_t dst, unsigned char value, size_t bytes) {
  int code = checkRange(dst, bytes);
  if (!code)
    std::memset(reinterpret_cast<void *>(dst), value, bytes);
  return code;
}
int cuModuleLoadData(void **module, const void *image) {
  return *static_cast<const char *>(image) == '!' ? invalidImage : make(module);
}
int cuModuleUnload(void *module) { return destroy(module); }
int cuModuleGetFunction(void **function, void *, const char *name) {
  *function = reinterpret_cast<void *>(kernelNamed(name));
  return *function ? 0 : notFound;
}
int cuFuncSetAttribute(void *, int, int) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t sharedBytes) {
  *blocks = sharedBytes > 48 * 1024 ? 1 : sharedBytes > 16 * 1024 ? 2 : 4;
  return 0;
}
int cuStreamCreate(void **stream, unsigned) { return make(stream); }
int cuStreamDestroy_v2(void *stream) { return destroy(stream); }
int cuStreamSynchronize(void *) { return sticky; }
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned sharedBytes, void *, void **params, void **) {
  return start(reinterpret_cast<HostKernel>(function), {{gx, gy, gz}, {bx, by, bz}, params},
               sharedBytes, nullptr);
}
int cuLaunchKernelEx(const LaunchConfig *config, void *function, void **params, void **) {
  const unsigned *cluster = nullptr;
  bool isEarly = false;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const auto &attribute = config->attributes[i];
    if (attribute.id == 4)
      cluster = attribute.clusterDim;
    else if (attribute.id == 6 && attribute.clusterDim[0] == 1)
      isEarly = true;
    else
      return invalidValue;
  }
  const unsigned *g = config->grid, *b = config->block;
  return start(reinterpret_cast<HostKernel>(function),
               {{g[0], g[1], g[2]}, {b[0], b[1], b[2]}, params}, config->sharedBytes, cluster,
               isEarly);
}
/// 24 blocks, whatever they take.
int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned sharedBytes, void *,
                              void **params) {
  if (gx * gy * gz > 24)
    return cooperativeLaunchTooLarge;
  int code = start(reinterpret_cast<HostKernel>(function), {{gx, gy, gz}, {bx, by, bz}, params},
                   sharedBytes, nullptr);
  record += " cooperative";
  return code;
}
int cuEventCreate(void **event, unsigned) { return make(event); }
int cuEventDestroy_v2(void *event) { return destroy(event); }
int cuEventRecord(void *event, void *) { return *static_cast<uint64_t *>(event) = now(), 0; }
int cuEventElapsedTime(float *ms, void *begin, void *end) {
  *ms = static_cast<float>(*static_cast<uint64_t *>(end) - *static_cast<uint64_t *>(begin)) * 1e-6f;
  return 0;
}
/// The map holds what was asked, for tests to read: address, rank, type, swizzle, dims, strides,
/// box.
int cuTensorMapEncodeTiled(uint64_t *map, int type, unsigned rank, void *address,
                           const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, int interleave, int swizzle, int, int) {
  if (interleave != 0 || steps[0] != 1 || rank > 5)
    return invalidValue;
  *map++ = reinterpret_cast<uint64_t>(address);
  *map++ = rank | type << 8 | swizzle << 16;
  for (unsigned i = 0; i < rank; ++i)
    *map++ = dims[i];
  for (unsigned i = 0; i + 1 < rank; ++i)
    *map++ = strides[i];
  for (unsigned i = 0; i < rank; ++i)
    *map++ = box[i];
  return 0;
}

/// Behind strides: corners, channels and pixels, steps.
int cuTensorMapEncodeIm2col(uint64_t *map, int type, unsigned rank, void *address,
                            const uint64_t *dims, const uint64_t *strides, const int *lower,
                            const int *upper, unsigned channels, unsigned pixels,
                            const uint32_t *steps, int interleave, int swizzle, int, int) {
  if (interleave != 0 || steps[0] != 1 || rank != 4)
    return invalidValue;
  *map++ = reinterpret_cast<uint64_t>(address);
  *map++ = rank | type << 8 | swizzle << 16;
  for (unsigned i = 0; i < rank; ++i)
    *map++ = dims[i];
  for (unsigned i = 0; i + 1 < rank; ++i)
    *map++ = strides[i];
  for (const int *corner : {lower, upper})
    *map++ = uint64_t(uint32_t(corner[0])) | uint64_t(uint32_t(corner[1])) << 32;
  *map++ = channels | uint64_t(pixels) << 32;
  *map++ = steps[1] | uint64_t(steps[2]) << 32;
  return 0;
}

int cublasCreate_v2(void **handle) { return *handle = &live, 0; }
int cublasSetStream_v2(void *, void *stream) { return stream ? 0 : invalidValue; }
/// Column-major f32 product; checks what a caller can get wrong.
int cublasGemmEx(void *, int opA, int opB, int m, int n, int k, const float *alpha, const float *a,
                 int aType, int lda, const float *b, int bType, int ldb, const float *beta,
                 float *c, int cType, int ldc, int compute, int) {
  if (aType != 0 || bType != 0 || cType != 0 || compute != 68 || *alpha != 1 || *beta != 0 ||
      lda < (opA ? k : m) || ldb < (opB ? n : k) || ldc < m)
    return invalidValue;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      c[j * ldc + i] = 0;
      for (int at = 0; at < k; ++at)
        c[j * ldc + i] +=
            a[opA ? i * lda + at : at * lda + i] * b[opB ? at * ldb + j : j * ldb + at];
    }
  return 0;
}

int cublasLtCreate(void **handle) { return *handle = &live, 0; }
int cublasLtMatmulDescCreate(LtDesc **desc, int compute, int scale) {
  return *desc = new LtDesc{compute, scale, {}}, 0;
}
int cublasLtMatmulDescSetAttribute(LtDesc *desc, int attribute, const void *value, size_t bytes) {
  if (bytes > 8)
    return invalidValue;
  std::memcpy(&desc->attributes[attribute], value, bytes);
  return 0;
}
int cublasLtMatrixLayoutCreate(LtLayout **layout, int type, uint64_t rows, uint64_t columns,
                               int64_t ld) {
  return *layout = new LtLayout{type, static_cast<int>(rows), static_cast<int>(columns),
                                static_cast<int>(ld)},
         0;
}
int cublasLtMatmulPreferenceCreate(uint64_t **preference) { return *preference = new uint64_t, 0; }
int cublasLtMatmulPreferenceSetAttribute(uint64_t *preference, int attribute, const void *value,
                                         size_t bytes) {
  return attribute == 1 && bytes == 8 ? std::memcpy(preference, value, 8), 0 : invalidValue;
}
/// Four: the second is refused here already, the fourth when it is used.
int cublasLtMatmulAlgoGetHeuristic(void *, LtDesc *, LtLayout *, LtLayout *, LtLayout *, LtLayout *,
                                   uint64_t *, int wanted, LtHeuristic *results, int *count) {
  *count = std::min(wanted, 4);
  for (int i = 0; i < *count; ++i)
    results[i] = {{uint64_t(i)}, 0, i == 1 ? 15 : 0, 1, {}};
  return 0;
}
int cublasLtMatmul(void *handle, LtDesc *desc, const float *alpha, const float *a, LtLayout *aIs,
                   const float *b, LtLayout *bIs, const float *beta, const float *, LtLayout *,
                   float *d, LtLayout *dIs, const uint64_t *algorithm, void *workspace,
                   size_t workspaceBytes, void *stream) {
  if (!workspace || checkRange(reinterpret_cast<uint64_t>(workspace), workspaceBytes) || !stream)
    return invalidValue;
  if (*algorithm == 3)
    return 15;
  int opA = static_cast<int>(desc->attributes[3]), opB = static_cast<int>(desc->attributes[4]);
  int k = opA ? aIs->rows : aIs->columns;
  if ((opA ? aIs->columns : aIs->rows) != dIs->rows ||
      (opB ? bIs->rows : bIs->columns) != dIs->columns || (opB ? bIs->columns : bIs->rows) != k)
    return invalidValue;
  return cublasGemmEx(handle, opA, opB, dIs->rows, dIs->columns, k, alpha, a, aIs->type, aIs->ld, b,
                      bIs->type, bIs->ld, beta, d, dIs->type, dIs->ld, desc->compute, 0);
}

int hipInit(unsigned) { return 0; }
const char *hipGetErrorName(int code) { return nameOfCode(code); }
const char *hipGetErrorString(int) { return "from the fake driver"; }
int hipGetDeviceCount(int *count) { return *count = 1, 0; }
int hipSetDevice(int device) { return device == 0 ? 0 : invalidValue; }
int hipDeviceGetName(char *name, int bytes, int) {
  return std::strncpy(name, "Fake MI355X", bytes), 0;
}
int hipGetDevicePropertiesR0600(char *properties, int) {
  std::strcpy(properties + 1160, "gfx950:sramecc+:xnack-");
  return 0;
}
int hipMalloc(uint64_t *address, size_t bytes) { return allocate(address, bytes); }
int hipFree(void *address) { return release(reinterpret_cast<uint64_t>(address)); }
int hipMemcpyHtoD(uint64_t dst, const void *src, size_t bytes) {
  return cuMemcpyHtoD_v2(dst, src, bytes);
}
int hipMemcpyDtoH(void *dst, uint64_t src, size_t bytes) {
  return cuMemcpyDtoH_v2(dst, src, bytes);
}
int hipMemset(uint64_t dst, int value, size_t bytes) { return cuMemsetD8_v2(dst, value, bytes); }
int hipModuleLoadData(void **module, const void *image) { return cuModuleLoadData(module, image); }
int hipModuleLoad(void **module, const char *) { return make(module); }
int hipModuleUnload(void *module) { return destroy(module); }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  return cuModuleGetFunction(function, module, name);
}
/// The offsets of `scale`, `pack`, `blocks` and `overrun` by natural alignment: a real runtime
/// reads them from the code object's metadata.
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned sharedBytes, void *, void **,
                          void **extra) {
  if (extra[0] != reinterpret_cast<void *>(1) || extra[2] != reinterpret_cast<void *>(2) ||
      extra[4] != reinterpret_cast<void *>(3))
    return invalidValue;
  auto *kernarg = static_cast<char *>(extra[1]);
  auto kernel = reinterpret_cast<HostKernel>(function);
  std::vector<int> offsets = {0, 8, 16, 20};
  if (kernel == pack)
    offsets = {0, 8, 16, 24, 28};
  std::vector<void *> params;
  for (int offset : offsets)
    params.push_back(kernarg + offset);
  return start(kernel, {{gx, gy, gz}, {bx, by, bz}, params.data()}, sharedBytes, nullptr);
}
int hipModuleLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                     unsigned bx, unsigned by, unsigned bz, unsigned sharedBytes,
                                     void *stream, void **params) {
  return cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, sharedBytes, stream, params);
}
int hipStreamCreate(void **stream) { return make(stream); }
int hipStreamDestroy(void *stream) { return destroy(stream); }
int hipStreamSynchronize(void *) { return sticky; }
int hipEventCreate(void **event) { return make(event); }
int hipEventDestroy(void *event) { return destroy(event); }
int hipEventRecord(void *event, void *stream) { return cuEventRecord(event, stream); }
int hipEventElapsedTime(float *ms, void *begin, void *end) {
  return cuEventElapsedTime(ms, begin, end);
}

} // extern "C"

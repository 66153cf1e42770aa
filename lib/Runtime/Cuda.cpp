//===- Cuda.cpp - the CUDA driver as a backend ----------------------------===//
//
// libcuda.so.1 is opened at run time. The declarations are our own; numbers and
// layouts are those of cuda.h (CUDA driver API 12.x and 13.0), and CudaAbiTest
// compares them with that header where one is installed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CudaAbi.h"
#include "Library.h"

#include "tilec/Runtime/Device.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tilec::rt {
namespace {

using namespace cuda;

class CudaBackend final : public Backend {
public:
  static Result<std::shared_ptr<Backend>> open(int index, const std::string &library) {
    std::shared_ptr<CudaBackend> backend(new CudaBackend);
    if (Status s = loadApi(library, backend->api); !s)
      return s.error();
    if (Status s = backend->start(index); !s)
      return s.error();
    return std::shared_ptr<Backend>(std::move(backend));
  }
  ~CudaBackend() override {
    if (context)
      api.devicePrimaryCtxRelease(device);
  }

  const DeviceInfo &info() const override { return deviceInfo; }

  Result<DeviceAddress> allocate(int64_t bytes, const std::string &) override {
    DevicePtr address = 0;
    if (Status s = invoke("cuMemAlloc", api.memAlloc, &address, std::max<int64_t>(bytes, 1)); !s)
      return s.error();
    return address;
  }
  void free(DeviceAddress address) override { (void)invoke("cuMemFree", api.memFree, address); }
  Status copyToDevice(DeviceAddress dst, const void *src, int64_t bytes) override {
    return invoke("cuMemcpyHtoD", api.memcpyHtoD, dst, src, bytes);
  }
  Status copyToHost(void *dst, DeviceAddress src, int64_t bytes) override {
    return invoke("cuMemcpyDtoH", api.memcpyDtoH, dst, src, bytes);
  }
  Status fillBytes(DeviceAddress dst, uint8_t value, int64_t bytes) override {
    return invoke("cuMemsetD8", api.memsetD8, dst, value, bytes);
  }
  Status fillOnStream(DeviceAddress dst, uint8_t value, int64_t bytes, uint64_t stream) override {
    if (!api.memsetD8Async)
      return Error{"this driver has no cuMemsetD8Async"};
    return invoke("cuMemsetD8Async", api.memsetD8Async, dst, value, bytes,
                  reinterpret_cast<StreamPtr>(stream));
  }

  Result<uint64_t> loadModule(std::span<const uint8_t> image) override {
    // PTX must end with a NUL; a cubin does not mind one.
    std::vector<uint8_t> copy(image.begin(), image.end());
    copy.push_back(0);
    ModulePtr module = nullptr;
    if (Status s = invoke("cuModuleLoadData", api.moduleLoadData, &module, copy.data()); !s)
      return s.error();
    return reinterpret_cast<uint64_t>(module);
  }
  void unloadModule(uint64_t module) override {
    sharedBytesOf.clear(); // the driver may give a function's address to another
    residentOf.clear();
    (void)invoke("cuModuleUnload", api.moduleUnload, reinterpret_cast<ModulePtr>(module));
  }
  Result<uint64_t> findKernel(uint64_t module, const std::string &symbol) override {
    FunctionPtr function = nullptr;
    if (Status s = invoke("cuModuleGetFunction", api.moduleGetFunction, &function,
                          reinterpret_cast<ModulePtr>(module), symbol.c_str());
        !s)
      return s.error();
    return reinterpret_cast<uint64_t>(function);
  }

  Result<uint64_t> createStream() override {
    // A blocking stream: copies are issued on the null stream and must be ordered with it.
    StreamPtr stream = nullptr;
    if (Status s = invoke("cuStreamCreate", api.streamCreate, &stream, 0); !s)
      return s.error();
    return reinterpret_cast<uint64_t>(stream);
  }
  void destroyStream(uint64_t stream) override {
    (void)invoke("cuStreamDestroy", api.streamDestroy, reinterpret_cast<StreamPtr>(stream));
  }
  Status wait(uint64_t stream) override {
    return invoke("cuStreamSynchronize", api.streamSynchronize,
                  reinterpret_cast<StreamPtr>(stream));
  }

  Status launch(uint64_t kernel, const LaunchShape &shape, const ParamBuffer &params,
                uint64_t stream) override {
    auto function = reinterpret_cast<FunctionPtr>(kernel);
    if (Status s = checkShape(shape); !s)
      return s;
    if (Status s = prepare(function, shape); !s)
      return s;
    auto *bytes = const_cast<uint8_t *>(params.bytes.data());
    std::vector<void *> pointers;
    for (int64_t offset : params.offsets)
      pointers.push_back(bytes + offset);
    pointers.push_back(nullptr); // never an empty array
    const auto &g = shape.grid, &b = shape.block, &c = shape.cluster;
    auto queue = reinterpret_cast<StreamPtr>(stream);
    bool isCluster = c[0] * c[1] * c[2] > 1;
    if (shape.cooperative)
      return launchTogether(function, shape, pointers, queue);
    // A driver without early launches makes the kernel wait before it begins.
    bool isEarly = shape.early && api.launchKernelEx && gainsByOverlap(function, shape);
    if (!isCluster && !isEarly)
      return invoke("cuLaunchKernel", api.launchKernel, function, g[0], g[1], g[2], b[0], b[1],
                    b[2], shape.sharedBytes, queue, pointers.data(), nullptr);
    if (!api.launchKernelEx)
      return Error{"this driver cannot launch clusters (no cuLaunchKernelEx): CUDA 11.8 or newer "
                   "is needed"};
    LaunchAttribute attributes[2] = {};
    unsigned count = 0;
    if (isCluster) {
      LaunchAttribute &cluster = attributes[count++];
      cluster.id = launchAttributeClusterDimension;
      for (int axis = 0; axis < 3; ++axis)
        cluster.clusterDim[axis] = static_cast<unsigned>(c[axis]);
    }
    if (isEarly) {
      LaunchAttribute &early = attributes[count++];
      early.id = launchAttributeProgrammaticSerialization;
      early.programmaticSerializationAllowed = 1;
    }
    LaunchConfig config{};
    for (int axis = 0; axis < 3; ++axis) {
      config.grid[axis] = static_cast<unsigned>(g[axis]);
      config.block[axis] = static_cast<unsigned>(b[axis]);
    }
    config.sharedBytes = static_cast<unsigned>(shape.sharedBytes);
    config.stream = queue;
    config.attributes = attributes;
    config.attributeCount = count;
    return invoke("cuLaunchKernelEx", api.launchKernelEx, &config, function, pointers.data(),
                  nullptr);
  }

  Result<uint64_t> createEvent() override {
    EventPtr event = nullptr;
    if (Status s = invoke("cuEventCreate", api.eventCreate, &event, 0); !s)
      return s.error();
    return reinterpret_cast<uint64_t>(event);
  }
  void destroyEvent(uint64_t event) override {
    (void)invoke("cuEventDestroy", api.eventDestroy, reinterpret_cast<EventPtr>(event));
  }
  Status record(uint64_t event, uint64_t stream) override {
    return invoke("cuEventRecord", api.eventRecord, reinterpret_cast<EventPtr>(event),
                  reinterpret_cast<StreamPtr>(stream));
  }
  Result<double> elapsedMs(uint64_t begin, uint64_t end) override {
    float ms = 0;
    if (Status s = invoke("cuEventElapsedTime", api.eventElapsedTime, &ms,
                          reinterpret_cast<EventPtr>(begin), reinterpret_cast<EventPtr>(end));
        !s)
      return s.error();
    return ms;
  }

  Result<std::array<uint8_t, 128>> encodeTensorMap(const TensorMapRequest &request) override {
    if (!(request.im2col ? bool(api.tensorMapEncodeIm2col) : bool(api.tensorMapEncodeTiled)))
      return Error{std::string("this driver has no cuTensorMapEncode") +
                   (request.im2col ? "Im2col" : "Tiled") + ": CUDA 12.0 or newer is needed"};
    int type = tensorMapType(request);
    if (type < 0)
      return Error{"no tensor map has elements of " + std::to_string(request.elementBits) +
                   " bits"};
    std::vector<uint64_t> dims(request.dims.begin(), request.dims.end());
    std::vector<uint64_t> strides(request.strideBytes.begin(), request.strideBytes.end());
    strides.push_back(0); // not read; an array is never empty
    std::vector<uint32_t> box(request.box.begin(), request.box.end());
    std::vector<uint32_t> steps(dims.size(), 1);
    int swizzle = request.swizzleBytes == 0    ? 0
                  : request.swizzleBytes == 32 ? 1
                  : request.swizzleBytes == 64 ? 2
                                               : 3;
    std::optional<int> promotion = promotionOf(request.l2PromotionBytes);
    if (!promotion)
      return Error{"l2_promotion is " + std::to_string(request.l2PromotionBytes) +
                   ", 0, 64, 128 or 256 expected"};
    TensorMap map{};
    auto rank = static_cast<unsigned>(dims.size());
    auto *address = reinterpret_cast<void *>(request.address);
    Status s = success();
    if (request.im2col) {
      const Im2colSpec &im2col = *request.im2col;
      std::vector<int> lower(im2col.lower.begin(), im2col.lower.end()),
          upper(im2col.upper.begin(), im2col.upper.end());
      std::copy(im2col.steps.begin(), im2col.steps.end(), steps.begin() + 1);
      s = invoke("cuTensorMapEncodeIm2col", api.tensorMapEncodeIm2col, &map, type, rank, address,
                 dims.data(), strides.data(), lower.data(), upper.data(), box[0], box[1],
                 steps.data(), /*interleave=*/0, swizzle, *promotion, /*oobFill=*/0);
    } else {
      s = invoke("cuTensorMapEncodeTiled", api.tensorMapEncodeTiled, &map, type, rank, address,
                 dims.data(), strides.data(), box.data(), steps.data(), /*interleave=*/0, swizzle,
                 *promotion, /*oobFill=*/0);
    }
    if (!s)
      return s.error();
    std::array<uint8_t, 128> bytes;
    std::memcpy(bytes.data(), &map, sizeof map);
    return bytes;
  }

private:
  CudaBackend() = default;

  static Status loadApi(const std::string &library, Api &api);

  Status start(int index) {
    if (Status s = checked(api.init(0), "cuInit"); !s)
      return s;
    int count = 0;
    if (Status s = checked(api.deviceGetCount(&count), "cuDeviceGetCount"); !s)
      return s;
    if (index < 0 || index >= count)
      return Error{"there is no CUDA device " + std::to_string(index) + ", the driver sees " +
                   std::to_string(count)};
    if (Status s = checked(api.deviceGet(&device, index), "cuDeviceGet"); !s)
      return s;
    if (Status s =
            checked(api.devicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
        !s)
      return s;
    char name[256] = {};
    (void)api.deviceGetName(name, sizeof name - 1, device);
    deviceInfo.kind = "cuda";
    deviceInfo.name = name;
    deviceInfo.arch = "sm_" + std::to_string(attribute(attributeMajor)) +
                      std::to_string(attribute(attributeMinor));
    deviceInfo.cacheBytes = attribute(attributeL2Bytes);
    deviceInfo.maxSharedBytes = attribute(attributeSharedOptin);
    multiprocessors = attribute(attributeMultiprocessors);
    constexpr double flopsPerClock = 4096; // of a Hopper multiprocessor, in 16 bits
    // Kilohertz to what a microsecond brings; memory has two transfers a clock.
    bytesPerMicrosecond =
        2e-3 * attribute(attributeMemoryClockKilohertz) * attribute(attributeMemoryBusBits) / 8;
    flopsPerMicrosecond =
        1e-3 * attribute(attributeClockKilohertz) * multiprocessors * flopsPerClock;
    return success();
  }

  int attribute(int which) const {
    int value = 0;
    return api.deviceGetAttribute(&value, which, device) == 0 ? value : 0;
  }

  /// Calls a function of the driver. A context is current to a thread, so it is set each time.
  template <typename Function, typename... Args>
  Status invoke(const char *name, Function function, Args... args) {
    if (Status s = checked(api.ctxSetCurrent(context), "cuCtxSetCurrent"); !s)
      return s;
    return checked(function(args...), name);
  }

  Status checked(int code, const char *function) const {
    if (code == 0)
      return success();
    const char *name = nullptr, *text = nullptr;
    api.getErrorName(code, &name);
    api.getErrorString(code, &text);
    return Error{std::string(function) + ": " + (name ? name : "unknown error") + " (" +
                 std::to_string(code) + ")" + (text ? std::string(", ") + text : "")};
  }

  /// All blocks at once.
  Status launchTogether(FunctionPtr function, const LaunchShape &shape,
                        std::vector<void *> &pointers, StreamPtr queue) {
    const auto &g = shape.grid, &b = shape.block;
    if (shape.cluster[0] * shape.cluster[1] * shape.cluster[2] > 1)
      return Error{"a cooperative launch has no clusters"};
    if (!api.launchCooperativeKernel)
      return Error{"this driver cannot launch blocks that wait for each other (no "
                   "cuLaunchCooperativeKernel): CUDA 9.0 or newer is needed"};
    int code = 0;
    auto launch = [&](auto... args) { return code = api.launchCooperativeKernel(args...); };
    Status s = invoke("cuLaunchCooperativeKernel", launch, function, g[0], g[1], g[2], b[0], b[1],
                      b[2], shape.sharedBytes, queue, pointers.data());
    return s || code != errorCooperativeLaunchTooLarge ? s
                                                       : Status(tooManyBlocks(shape, s.error()));
  }

  /// Limits of cuLaunchKernel that would come back as a bare CUDA_ERROR_INVALID_VALUE.
  Status checkShape(const LaunchShape &shape) const {
    for (int axis = 0; axis < 3; ++axis)
      if (int64_t most = axis == 0 ? 0x7fffffff : 65535; shape.grid[axis] > most)
        return Error{"grid extent " + std::to_string(shape.grid[axis]) + " in dimension " +
                     std::to_string(axis) + ", CUDA launches at most " + std::to_string(most)};
    if (shape.sharedBytes > deviceInfo.maxSharedBytes && deviceInfo.maxSharedBytes > 0)
      return Error{"needs " + std::to_string(shape.sharedBytes) + " bytes of shared memory, " +
                   deviceInfo.name + " has " + std::to_string(deviceInfo.maxSharedBytes) +
                   " for a block"};
    return success();
  }

  /// Opts in to what is beyond the portable limits: 48 KiB of dynamic shared memory, 8 blocks in a
  /// cluster.
  Status prepare(FunctionPtr function, const LaunchShape &shape) {
    if (shape.sharedBytes > 48 * 1024)
      if (int64_t &asked = sharedBytesOf[function]; asked < shape.sharedBytes) {
        if (Status s = invoke("cuFuncSetAttribute", api.funcSetAttribute, function,
                              functionMaxDynamicShared, static_cast<int>(shape.sharedBytes));
            !s)
          return s;
        asked = shape.sharedBytes;
      }
    if (shape.cluster[0] * shape.cluster[1] * shape.cluster[2] > 8)
      return invoke("cuFuncSetAttribute", api.funcSetAttribute, function,
                    functionNonPortableCluster, 1);
    return success();
  }

  /// Blocks that come while the launch before still runs take what room it leaves, wherever that
  /// is: a grid that does not fill the device lies unevenly on it, and the launch takes as long as
  /// the multiprocessors that got most of it, or that share a way to memory
  /// (docs/deploy/launch-manifest.md has the figures). Not so where the grid fills the device,
  /// where large clusters take more than half of it, nor where the grid is so small that several
  /// launches find room beside each other.
  ///
  /// Neighbours of a grid that is launched plainly share a pair of multiprocessors, and what both
  /// read comes to them once; blocks that come early lie apart (docs/numbers/hopper-trials.md, Ways
  /// to L2). What they lose grows with the launch, what they gain does not.
  bool gainsByOverlap(FunctionPtr function, const LaunchShape &shape) {
    const auto &g = shape.grid, &b = shape.block, &c = shape.cluster;
    auto [known, isNew] = residentOf.try_emplace({function, b[0] * b[1] * b[2], shape.sharedBytes});
    if (int fit = 0;
        isNew && api.occupancyOf &&
        invoke("cuOccupancyMaxActiveBlocksPerMultiprocessor", api.occupancyOf, &fit, function,
               static_cast<int>(b[0] * b[1] * b[2]), static_cast<size_t>(shape.sharedBytes)))
      known->second = fit;
    constexpr int64_t fewBlocks = 8; // an eighth of the multiprocessors
    constexpr int64_t largeCluster = 4;
    constexpr int64_t nearlyAll = 90; // percent
    constexpr double longLaunch = 18; // microseconds
    int64_t resident = known->second; // 0: the driver does not say
    int64_t blocks = g[0] * g[1] * g[2];
    if (blocks * fewBlocks <= multiprocessors || resident < 1)
      return true;
    if (resident > 1)
      return blocks >= resident * multiprocessors;
    int64_t cluster = c[0] * c[1] * c[2];
    if (cluster == 1 && blocks <= multiprocessors && leastMicroseconds(shape) > longLaunch)
      return false;
    return blocks * 100 >= nearlyAll * multiprocessors ||
           (cluster >= largeCluster && blocks * 2 > multiprocessors);
  }

  /// What the launch takes if it is as fast as the device can be; 0: not known.
  double leastMicroseconds(const LaunchShape &shape) const {
    auto time = [](int64_t work, double rate) { return rate > 0 ? double(work) / rate : 0; };
    return std::max(time(shape.tensorBytes, bytesPerMicrosecond),
                    time(shape.flops, flopsPerMicrosecond));
  }

  static std::optional<int> promotionOf(int64_t bytes) {
    switch (bytes) {
    case 0:
      return tensorMapL2PromotionNone;
    case 64:
      return tensorMapL2Promotion64;
    case 128:
      return tensorMapL2Promotion128;
    case 256:
      return tensorMapL2Promotion256;
    default:
      return std::nullopt;
    }
  }

  static int tensorMapType(const TensorMapRequest &request) {
    switch (request.elementBits) {
    case 8:
      return tensorMapU8;
    case 16:
      return request.isBrainFloat ? tensorMapBF16 : request.isFloat ? tensorMapF16 : tensorMapU16;
    case 32:
      return request.isFloat ? tensorMapF32 : request.isSigned ? tensorMapI32 : tensorMapU32;
    case 64:
      return request.isFloat ? tensorMapF64 : request.isSigned ? tensorMapI64 : tensorMapU64;
    default:
      return -1;
    }
  }

  Api api{};
  int device = 0;
  ContextPtr context = nullptr;
  DeviceInfo deviceInfo;
  std::unordered_map<FunctionPtr, int64_t> sharedBytesOf; ///< what `prepare` has asked for
  /// Blocks that a multiprocessor holds at once, by threads and shared memory of a block.
  std::map<std::tuple<FunctionPtr, int64_t, int64_t>, int64_t> residentOf;
  int64_t multiprocessors = 0;
  /// The most that the device can do; 0: it does not say.
  double bytesPerMicrosecond = 0, flopsPerMicrosecond = 0;
};

Status CudaBackend::loadApi(const std::string &library, Api &api) {
  // The second name is where container runtimes put the driver without telling ldconfig.
  Result<Library> opened =
      library.empty() ? Library::open({"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"})
                      : Library::open({library});
  if (!opened)
    return Error{"no CUDA driver: " + opened.error().message +
                 " (an NVIDIA driver must be installed; where there is none, tilec-run "
                 "--device=ptx checks kernels)"};
  Library &cuda = *opened;
  cuda.required(api.init, {"cuInit"});
  cuda.required(api.getErrorName, {"cuGetErrorName"});
  cuda.required(api.getErrorString, {"cuGetErrorString"});
  cuda.required(api.deviceGetCount, {"cuDeviceGetCount"});
  cuda.required(api.deviceGet, {"cuDeviceGet"});
  cuda.required(api.deviceGetName, {"cuDeviceGetName"});
  cuda.required(api.deviceGetAttribute, {"cuDeviceGetAttribute"});
  cuda.required(api.devicePrimaryCtxRetain, {"cuDevicePrimaryCtxRetain"});
  cuda.required(api.devicePrimaryCtxRelease,
                {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease"});
  cuda.required(api.ctxSetCurrent, {"cuCtxSetCurrent"});
  cuda.required(api.memAlloc, {"cuMemAlloc_v2"});
  cuda.required(api.memFree, {"cuMemFree_v2"});
  cuda.required(api.memcpyHtoD, {"cuMemcpyHtoD_v2"});
  cuda.required(api.memcpyDtoH, {"cuMemcpyDtoH_v2"});
  cuda.required(api.memsetD8, {"cuMemsetD8_v2"});
  cuda.required(api.moduleLoadData, {"cuModuleLoadData"});
  cuda.required(api.moduleUnload, {"cuModuleUnload"});
  cuda.required(api.moduleGetFunction, {"cuModuleGetFunction"});
  cuda.required(api.funcSetAttribute, {"cuFuncSetAttribute"});
  cuda.required(api.streamCreate, {"cuStreamCreate"});
  cuda.required(api.streamDestroy, {"cuStreamDestroy_v2"});
  cuda.required(api.streamSynchronize, {"cuStreamSynchronize"});
  cuda.required(api.launchKernel, {"cuLaunchKernel"});
  cuda.required(api.eventCreate, {"cuEventCreate"});
  cuda.required(api.eventDestroy, {"cuEventDestroy_v2"});
  cuda.required(api.eventRecord, {"cuEventRecord"});
  cuda.required(api.eventElapsedTime, {"cuEventElapsedTime_v2", "cuEventElapsedTime"});
  cuda.optional(api.memsetD8Async, {"cuMemsetD8Async"});
  cuda.optional(api.launchKernelEx, {"cuLaunchKernelEx"});
  cuda.optional(api.occupancyOf, {"cuOccupancyMaxActiveBlocksPerMultiprocessor"});
  cuda.optional(api.launchCooperativeKernel, {"cuLaunchCooperativeKernel"});
  cuda.optional(api.tensorMapEncodeTiled, {"cuTensorMapEncodeTiled"});
  cuda.optional(api.tensorMapEncodeIm2col, {"cuTensorMapEncodeIm2col"});
  return cuda.status();
}

} // namespace

Result<Device> openCuda(int index, const std::string &library) {
  Result<std::shared_ptr<Backend>> backend = CudaBackend::open(index, library);
  if (!backend)
    return backend.error();
  return Device(std::move(*backend));
}

} // namespace tilec::rt

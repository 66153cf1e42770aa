//===- Hip.cpp - the HIP runtime as a backend -----------------------------===//
//
// libamdhip64.so is opened at run time; the declarations are our own, after
// hip_runtime_api.h of ROCm 5 to 7. Structures and enumerations whose layout changed
// between those releases are avoided.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Library.h"

#include "tilec/Runtime/Device.h"

#include <algorithm>

namespace tilec::rt {
namespace {

struct Api {
  int (*init)(unsigned flags);
  const char *(*getErrorName)(int code);
  const char *(*getErrorString)(int code);
  int (*getDeviceCount)(int *count);
  int (*setDevice)(int device);
  int (*deviceGetName)(char *name, int bytes, int device);
  int (*getDeviceProperties)(void *properties, int device);
  int (*malloc)(void **address, size_t bytes);
  int (*free)(void *address);
  int (*memcpyHtoD)(void *dst, const void *src, size_t bytes);
  int (*memcpyDtoH)(void *dst, void *src, size_t bytes);
  int (*memset)(void *dst, int value, size_t bytes);
  int (*memsetAsync)(void *dst, int value, size_t bytes, void *stream);
  int (*moduleLoadData)(void **module, const void *image);
  int (*moduleUnload)(void *module);
  int (*moduleGetFunction)(void **function, void *module, const char *name);
  int (*moduleLaunchKernel)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                            unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                            void *stream, void **params, void **extra);
  int (*moduleLaunchCooperativeKernel)(void *function, unsigned gridX, unsigned gridY,
                                       unsigned gridZ, unsigned blockX, unsigned blockY,
                                       unsigned blockZ, unsigned sharedBytes, void *stream,
                                       void **params);
  int (*streamCreate)(void **stream);
  int (*streamDestroy)(void *stream);
  int (*streamSynchronize)(void *stream);
  int (*eventCreate)(void **event);
  int (*eventDestroy)(void *event);
  int (*eventRecord)(void *event, void *stream);
  int (*eventElapsedTime)(float *ms, void *begin, void *end);
};

constexpr int errorCooperativeLaunchTooLarge = 720; // hipError_t

// MI300's and MI350's Infinity Cache (vendor data sheets); HIP reports the L2 alone.
constexpr int64_t infinityCacheBytes = int64_t(256) << 20;

Status loadApi(const std::string &library, Api &api) {
  Result<Library> opened =
      library.empty() ? Library::open({"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                                       "libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so"})
                      : Library::open({library});
  if (!opened)
    return Error{
        "no HIP runtime: " + opened.error().message +
        " (ROCm must be installed; where there is none, tilec-run --device=sim runs kernels)"};
  Library &hip = *opened;
  hip.required(api.init, {"hipInit"});
  hip.required(api.getErrorName, {"hipGetErrorName"});
  hip.required(api.getErrorString, {"hipGetErrorString"});
  hip.required(api.getDeviceCount, {"hipGetDeviceCount"});
  hip.required(api.setDevice, {"hipSetDevice"});
  hip.required(api.deviceGetName, {"hipDeviceGetName"});
  hip.required(api.getDeviceProperties, {"hipGetDevicePropertiesR0600", "hipGetDeviceProperties"});
  hip.required(api.malloc, {"hipMalloc"});
  hip.required(api.free, {"hipFree"});
  hip.required(api.memcpyHtoD, {"hipMemcpyHtoD"});
  hip.required(api.memcpyDtoH, {"hipMemcpyDtoH"});
  hip.required(api.memset, {"hipMemset"});
  hip.required(api.moduleLoadData, {"hipModuleLoadData"});
  hip.required(api.moduleUnload, {"hipModuleUnload"});
  hip.required(api.moduleGetFunction, {"hipModuleGetFunction"});
  hip.required(api.moduleLaunchKernel, {"hipModuleLaunchKernel"});
  hip.required(api.streamCreate, {"hipStreamCreate"});
  hip.required(api.streamDestroy, {"hipStreamDestroy"});
  hip.required(api.streamSynchronize, {"hipStreamSynchronize"});
  hip.required(api.eventCreate, {"hipEventCreate"});
  hip.required(api.eventDestroy, {"hipEventDestroy"});
  hip.required(api.eventRecord, {"hipEventRecord"});
  hip.required(api.eventElapsedTime, {"hipEventElapsedTime"});
  hip.optional(api.memsetAsync, {"hipMemsetAsync"});
  hip.optional(api.moduleLaunchCooperativeKernel, {"hipModuleLaunchCooperativeKernel"});
  return hip.status();
}

void *pointer(uint64_t value) { return reinterpret_cast<void *>(value); }

class HipBackend final : public Backend {
public:
  static Result<std::shared_ptr<Backend>> open(int index, const std::string &library) {
    auto backend = std::make_shared<HipBackend>();
    if (Status s = loadApi(library, backend->api); !s)
      return s.error();
    if (Status s = backend->start(index); !s)
      return s.error();
    return std::shared_ptr<Backend>(std::move(backend));
  }

  const DeviceInfo &info() const override { return deviceInfo; }

  Result<DeviceAddress> allocate(int64_t bytes, const std::string &) override {
    return create("hipMalloc", api.malloc, std::max<size_t>(bytes, 1));
  }
  void free(DeviceAddress address) override { (void)invoke("hipFree", api.free, pointer(address)); }
  Status copyToDevice(DeviceAddress dst, const void *src, int64_t bytes) override {
    return invoke("hipMemcpyHtoD", api.memcpyHtoD, pointer(dst), src, bytes);
  }
  Status copyToHost(void *dst, DeviceAddress src, int64_t bytes) override {
    return invoke("hipMemcpyDtoH", api.memcpyDtoH, dst, pointer(src), bytes);
  }
  Status fillBytes(DeviceAddress dst, uint8_t value, int64_t bytes) override {
    return invoke("hipMemset", api.memset, pointer(dst), value, bytes);
  }
  Status fillOnStream(DeviceAddress dst, uint8_t value, int64_t bytes, uint64_t stream) override {
    if (!api.memsetAsync)
      return Error{"this runtime has no hipMemsetAsync"};
    return invoke("hipMemsetAsync", api.memsetAsync, pointer(dst), value, bytes, pointer(stream));
  }

  Result<uint64_t> loadModule(std::span<const uint8_t> image) override {
    return create("hipModuleLoadData", api.moduleLoadData, static_cast<const void *>(image.data()));
  }
  void unloadModule(uint64_t module) override {
    (void)invoke("hipModuleUnload", api.moduleUnload, pointer(module));
  }
  Result<uint64_t> findKernel(uint64_t module, const std::string &symbol) override {
    return create("hipModuleGetFunction", api.moduleGetFunction, pointer(module), symbol.c_str());
  }

  Result<uint64_t> createStream() override { return create("hipStreamCreate", api.streamCreate); }
  void destroyStream(uint64_t stream) override {
    (void)invoke("hipStreamDestroy", api.streamDestroy, pointer(stream));
  }
  Status wait(uint64_t stream) override {
    return invoke("hipStreamSynchronize", api.streamSynchronize, pointer(stream));
  }

  Status launch(uint64_t kernel, const LaunchShape &shape, const ParamBuffer &params,
                uint64_t stream) override {
    const auto &g = shape.grid, &b = shape.block, &c = shape.cluster;
    if (c[0] * c[1] * c[2] != 1)
      return Error{"AMD GPUs have no clusters"};
    for (int axis = 0; axis < 3; ++axis)
      if (g[axis] > 0xffffffff / b[axis]) // HIP counts work-items in 32 bits
        return Error{"grid extent " + std::to_string(g[axis]) + " in dimension " +
                     std::to_string(axis) + " is too large for blocks of " +
                     std::to_string(b[axis])};
    if (shape.cooperative)
      return launchTogether(kernel, shape, params, stream);
    // The packed buffer is the kernarg segment: HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END.
    std::vector<uint8_t> bytes = params.bytes;
    size_t byteCount = bytes.size();
    bytes.push_back(0); // never an empty array
    void *extra[] = {pointer(1), bytes.data(), pointer(2), &byteCount, pointer(3)};
    return invoke("hipModuleLaunchKernel", api.moduleLaunchKernel, pointer(kernel), g[0], g[1],
                  g[2], b[0], b[1], b[2], shape.sharedBytes, pointer(stream),
                  static_cast<void **>(nullptr), static_cast<void **>(extra));
  }

  Result<uint64_t> createEvent() override { return create("hipEventCreate", api.eventCreate); }
  void destroyEvent(uint64_t event) override {
    (void)invoke("hipEventDestroy", api.eventDestroy, pointer(event));
  }
  Status record(uint64_t event, uint64_t stream) override {
    return invoke("hipEventRecord", api.eventRecord, pointer(event), pointer(stream));
  }
  Result<double> elapsedMs(uint64_t begin, uint64_t end) override {
    float ms = 0;
    if (Status s =
            invoke("hipEventElapsedTime", api.eventElapsedTime, &ms, pointer(begin), pointer(end));
        !s)
      return s.error();
    return ms;
  }

private:
  /// All blocks at once. There is no form that takes the packed buffer.
  Status launchTogether(uint64_t kernel, const LaunchShape &shape, const ParamBuffer &params,
                        uint64_t stream) {
    if (!api.moduleLaunchCooperativeKernel)
      return Error{"this runtime cannot launch blocks that wait for each other "
                   "(no hipModuleLaunchCooperativeKernel)"};
    std::vector<uint8_t> bytes = params.bytes;
    bytes.push_back(0); // never an empty array
    std::vector<void *> pointers;
    for (int64_t offset : params.offsets)
      pointers.push_back(bytes.data() + offset);
    pointers.push_back(nullptr);
    const auto &g = shape.grid, &b = shape.block;
    if (Status s = checked(api.setDevice(device), "hipSetDevice"); !s)
      return s;
    int code =
        api.moduleLaunchCooperativeKernel(pointer(kernel), g[0], g[1], g[2], b[0], b[1], b[2],
                                          shape.sharedBytes, pointer(stream), pointers.data());
    Status s = checked(code, "hipModuleLaunchCooperativeKernel");
    return s || code != errorCooperativeLaunchTooLarge ? s
                                                       : Status(tooManyBlocks(shape, s.error()));
  }

  Status start(int index) {
    if (Status s = checked(api.init(0), "hipInit"); !s)
      return s;
    int count = 0;
    if (Status s = checked(api.getDeviceCount(&count), "hipGetDeviceCount"); !s)
      return s;
    if (index < 0 || index >= count)
      return Error{"there is no HIP device " + std::to_string(index) + ", the runtime sees " +
                   std::to_string(count)};
    device = index;
    char name[256] = {};
    (void)api.deviceGetName(name, sizeof name - 1, device);
    deviceInfo = {"hip",
                  name,
                  archName(),
                  infinityCacheBytes,
                  /*maxSharedBytes=*/0,
                  /*checksBounds=*/false};
    return success();
  }

  /// hipDeviceProp_t holds `gcnArchName`, a text such as `gfx950:sramecc+:xnack-`, at a place that
  /// changed between ROCm releases: it is found by its first letters.
  std::string archName() const {
    std::vector<char> properties(16384, 0); // the structure takes less than 2 KiB
    if (api.getDeviceProperties(properties.data(), device) != 0)
      return "unknown";
    std::string_view text(properties.data(), properties.size() - 1);
    size_t at = text.find("gfx");
    if (at == std::string_view::npos)
      return "unknown";
    std::string_view arch = text.substr(at);
    return std::string(arch.substr(0, arch.find_first_of(std::string_view(":\0", 2))));
  }

  /// Calls a function of the runtime; the current device is a thread's, so it is set each time.
  template <typename Function, typename... Args>
  Status invoke(const char *name, Function function, Args... args) {
    if (Status s = checked(api.setDevice(device), "hipSetDevice"); !s)
      return s;
    return checked(function(args...), name);
  }
  template <typename Function, typename... Args>
  Result<uint64_t> create(const char *name, Function function, Args... args) {
    void *made = nullptr;
    if (Status s = invoke(name, function, &made, args...); !s)
      return s.error();
    return reinterpret_cast<uint64_t>(made);
  }
  Status checked(int code, const char *function) const {
    if (code == 0)
      return success();
    const char *name = api.getErrorName(code), *text = api.getErrorString(code);
    return Error{std::string(function) + ": " + (name ? name : "unknown error") + " (" +
                 std::to_string(code) + ")" + (text ? std::string(", ") + text : "")};
  }

  Api api{};
  int device = 0;
  DeviceInfo deviceInfo;
};

} // namespace

Result<Device> openHip(int index, const std::string &library) {
  Result<std::shared_ptr<Backend>> backend = HipBackend::open(index, library);
  if (!backend)
    return backend.error();
  return Device(std::move(*backend));
}

} // namespace tilec::rt

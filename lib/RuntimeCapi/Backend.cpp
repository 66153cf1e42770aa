//===- Backend.cpp - a device made of C functions -------------------------===//
//
// Takes a tilec_backend, a table of C functions, gives a backend of the runtime.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Objects.h"

using namespace tilec;
using namespace tilec::capi;

namespace {

class FunctionBackend final : public rt::Backend {
public:
  explicit FunctionBackend(const tilec_backend &functions) : f(functions) {
    deviceInfo.kind = f.kind;
    deviceInfo.name = f.name;
    deviceInfo.arch = f.arch;
  }
  ~FunctionBackend() override {
    if (f.release)
      f.release(f.user);
  }

  const rt::DeviceInfo &info() const override { return deviceInfo; }

  rt::Result<rt::DeviceAddress> allocate(int64_t bytes, const std::string &) override {
    return made([&](uint64_t *out) { return f.allocate(f.user, bytes, out); });
  }
  void free(rt::DeviceAddress address) override { f.free(f.user, address); }
  rt::Status copyToDevice(rt::DeviceAddress dst, const void *src, int64_t bytes) override {
    return checked(f.upload(f.user, dst, src, bytes));
  }
  rt::Status copyToHost(void *dst, rt::DeviceAddress src, int64_t bytes) override {
    return checked(f.download(f.user, dst, src, bytes));
  }
  rt::Status fillBytes(rt::DeviceAddress dst, uint8_t value, int64_t bytes) override {
    return fillOnStream(dst, value, bytes, 0);
  }
  rt::Status fillOnStream(rt::DeviceAddress dst, uint8_t value, int64_t bytes,
                          uint64_t stream) override {
    return checked(f.fill(f.user, dst, value, bytes, stream));
  }
  rt::Result<uint64_t> loadModule(std::span<const uint8_t> image) override {
    tilec_str bytes{reinterpret_cast<const char *>(image.data()), image.size()};
    return made([&](uint64_t *out) { return f.load(f.user, bytes, out); });
  }
  void unloadModule(uint64_t module) override { f.unload(f.user, module); }
  rt::Result<uint64_t> findKernel(uint64_t module, const std::string &symbol) override {
    return made([&](uint64_t *out) { return f.find(f.user, module, symbol.c_str(), out); });
  }

  // Its work is done when a launch returns, or `wait` waits for all of it.
  rt::Result<uint64_t> createStream() override { return uint64_t(1); }
  void destroyStream(uint64_t) override {}
  rt::Status wait(uint64_t stream) override { return checked(f.wait(f.user, stream)); }
  rt::Status launch(uint64_t kernel, const rt::LaunchShape &shape, const rt::ParamBuffer &params,
                    uint64_t stream) override {
    tilec_launch_shape s{};
    s.size = sizeof s;
    for (int axis = 0; axis < 3; ++axis) {
      s.grid[axis] = shape.grid[axis];
      s.block[axis] = shape.block[axis];
      s.cluster[axis] = shape.cluster[axis];
    }
    s.shared_bytes = shape.sharedBytes;
    s.cooperative = shape.cooperative;
    s.barrier = params.barrier;
    return checked(f.launch(f.user, kernel, &s, params.bytes.data(), params.bytes.size(),
                            params.offsets.data(), params.offsets.size(), stream));
  }
  rt::Result<uint64_t> createEvent() override { return rt::Error{"this device has no clock"}; }
  void destroyEvent(uint64_t) override {}
  rt::Status record(uint64_t, uint64_t) override { return rt::Error{"this device has no clock"}; }
  rt::Result<double> elapsedMs(uint64_t, uint64_t) override {
    return rt::Error{"this device has no clock"};
  }

  rt::Result<std::array<uint8_t, 128>>
  encodeTensorMap(const rt::TensorMapRequest &request) override {
    if (!f.encode_tensor_map)
      return rt::Backend::encodeTensorMap(request);
    tilec_tensor_map map{};
    map.size = sizeof map;
    map.address = request.address;
    map.element_bits = request.elementBits;
    map.is_float = request.isFloat;
    map.is_signed = request.isSigned;
    map.is_brain_float = request.isBrainFloat;
    map.rank = request.dims.size();
    map.dims = request.dims.data();
    map.stride_bytes = request.strideBytes.data();
    map.box = request.box.data();
    map.swizzle_bytes = request.swizzleBytes;
    if (request.im2col) {
      map.lower = request.im2col->lower.data();
      map.upper = request.im2col->upper.data();
      map.steps = request.im2col->steps.data();
    }
    std::array<uint8_t, 128> bytes{};
    if (rt::Status s = checked(f.encode_tensor_map(f.user, &map, bytes.data())); !s)
      return s.error();
    return bytes;
  }

private:
  rt::Status checked(tilec_status status) const {
    if (status == TILEC_OK)
      return rt::success();
    tilec_str text = f.last_error(f.user);
    return rt::Error{text.size ? std::string(text.data, text.size) : "the device fails"};
  }
  template <typename Function> rt::Result<uint64_t> made(Function function) const {
    uint64_t value = 0;
    if (rt::Status s = checked(function(&value)); !s)
      return s.error();
    return value;
  }

  tilec_backend f;
  rt::DeviceInfo deviceInfo;
};

} // namespace

std::shared_ptr<rt::Backend> capi::backendOf(const tilec_backend &functions) {
  return std::make_shared<FunctionBackend>(functions);
}

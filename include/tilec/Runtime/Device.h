//===- Device.h - one interface to GPUs and the simulator -----------------===//
//
// `Backend` is what a kind of device implements: CUDA and HIP here, the simulator in
// tilec/SimDevice. Users see the move-only handles below it; a handle keeps its
// backend alive and gives back what it owns. No call blocks except `wait` and the
// copies, and there is no global device. docs/deploy/runtime.md has the whole picture.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Manifest.h"
#include "tilec/Runtime/Result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tilec::rt {

using DeviceAddress = uint64_t;

struct DeviceInfo {
  std::string kind;           ///< `cuda`, `hip`, `sim`
  std::string name;           ///< the driver's name for it
  std::string arch;           ///< `sm_90`, `gfx950`
  int64_t cacheBytes = 0;     ///< the last cache before memory; 0 when there is none
  int64_t maxSharedBytes = 0; ///< most dynamic shared memory of a block; 0 when unknown
  bool checksBounds = false;  ///< an access outside an allocation is reported by the device
};

/// Everything a launch takes beside the kernel.
struct LaunchShape {
  std::array<int64_t, 3> grid = {1, 1, 1};    ///< in blocks
  std::array<int64_t, 3> block = {1, 1, 1};   ///< in threads
  std::array<int64_t, 3> cluster = {1, 1, 1}; ///< in blocks
  int64_t sharedBytes = 0;                    ///< dynamic shared memory of a block
  bool early = false;       ///< the kernel waits itself for kernels before it on the stream
  bool cooperative = false; ///< all blocks have to be resident: they wait for each other
  /// How much work it is, as far as the manifest tells; 0: not known.
  int64_t tensorBytes = 0; ///< of all its tensors
  int64_t flops = 0;       ///< of its matrix products
};

/// `error` of a driver that has no room for all blocks of a cooperative launch at once.
Error tooManyBlocks(const LaunchShape &shape, const Error &error);

/// The parameter buffer of a kernel and where each parameter starts in it.
struct ParamBuffer {
  std::vector<uint8_t> bytes;
  std::vector<int64_t> offsets;
  DeviceAddress barrier = 0; ///< the counter of a cooperative launch, for devices that follow it
};

/// What cuTensorMapEncodeTiled takes or, with `im2col`, cuTensorMapEncodeIm2col; innermost
/// dimension first.
struct TensorMapRequest {
  DeviceAddress address = 0;
  unsigned elementBits = 0;
  bool isFloat = false, isSigned = false, isBrainFloat = false;
  std::vector<int64_t> dims, strideBytes, box; ///< strideBytes of dims 1..
  int64_t swizzleBytes = 0, l2PromotionBytes = 256;
  std::optional<Im2colSpec> im2col = std::nullopt;
};

/// One opened device. Handles are numbers that only this backend understands; each `create`,
/// `load` and `allocate` is paired with one release. Calls come from one thread at a time.
class Backend {
public:
  virtual ~Backend() = default;
  virtual const DeviceInfo &info() const = 0;

  /// At least 256-byte aligned; 0 bytes have an address too. `name` is what reports call it.
  virtual Result<DeviceAddress> allocate(int64_t bytes, const std::string &name) = 0;
  virtual void free(DeviceAddress address) = 0;
  virtual Status copyToDevice(DeviceAddress dst, const void *src, int64_t bytes) = 0;
  virtual Status copyToHost(void *dst, DeviceAddress src, int64_t bytes) = 0;
  virtual Status fillBytes(DeviceAddress dst, uint8_t value, int64_t bytes) = 0;
  /// The same in the order of a stream, without waiting. A device whose calls all finish at once
  /// has no need of its own.
  virtual Status fillOnStream(DeviceAddress dst, uint8_t value, int64_t bytes, uint64_t) {
    return fillBytes(dst, value, bytes);
  }
  /// Says that no kernel may rely on what these bytes hold. A device that can tell (the simulator)
  /// reports kernels that read them first; others do nothing.
  virtual void markUninitialized(DeviceAddress, int64_t) {}

  virtual Result<uint64_t> loadModule(std::span<const uint8_t> image) = 0;
  virtual void unloadModule(uint64_t module) = 0;
  virtual Result<uint64_t> findKernel(uint64_t module, const std::string &symbol) = 0;

  virtual Result<uint64_t> createStream() = 0;
  virtual void destroyStream(uint64_t stream) = 0;
  /// Returns when everything on the stream has finished; reports faults of its kernels.
  virtual Status wait(uint64_t stream) = 0;
  /// Copies `params` before it returns.
  virtual Status launch(uint64_t kernel, const LaunchShape &shape, const ParamBuffer &params,
                        uint64_t stream) = 0;

  virtual Result<uint64_t> createEvent() = 0;
  virtual void destroyEvent(uint64_t event) = 0;
  virtual Status record(uint64_t event, uint64_t stream) = 0;
  /// Milliseconds between two recorded events of a stream that has been waited for.
  virtual Result<double> elapsedMs(uint64_t begin, uint64_t end) = 0;

  /// Refuses by default: only NVIDIA devices since sm_90 have tensor maps.
  virtual Result<std::array<uint8_t, 128>> encodeTensorMap(const TensorMapRequest &request);
};

/// Owns one handle of a backend; `Release` is the backend's function that gives it back.
template <void (Backend::*Release)(uint64_t)> class Handle {
public:
  Handle() = default;
  Handle(std::shared_ptr<Backend> backend, uint64_t value)
      : backend(std::move(backend)), value(value) {}
  Handle(Handle &&other) noexcept
      : backend(std::move(other.backend)), value(std::exchange(other.value, 0)) {}
  Handle &operator=(Handle &&other) noexcept {
    std::swap(backend, other.backend);
    std::swap(value, other.value);
    return *this;
  }
  ~Handle() {
    if (backend)
      (backend.get()->*Release)(value);
  }
  uint64_t raw() const { return value; }

protected:
  std::shared_ptr<Backend> backend;
  uint64_t value = 0;
};

/// Memory of a device.
class Buffer : public Handle<&Backend::free> {
public:
  Buffer() = default;
  Buffer(std::shared_ptr<Backend> backend, DeviceAddress address, int64_t bytes)
      : Handle(std::move(backend), address), sizeBytes(bytes) {}

  DeviceAddress address() const { return value; }
  int64_t bytes() const { return sizeBytes; }
  /// Copies into the buffer from `offsetBytes` on; fails when it does not fit.
  Status upload(const void *src, int64_t count, int64_t offsetBytes = 0);
  Status download(void *dst, int64_t count, int64_t offsetBytes = 0) const;
  Status fillBytes(uint8_t byte);
  /// Backend::markUninitialized of the first `count` bytes.
  void markUninitialized(int64_t count) {
    if (count != 0)
      backend->markUninitialized(value, count);
  }

private:
  int64_t sizeBytes = 0;
};

/// A kernel of a module. Valid while the module lives.
struct Kernel {
  uint64_t handle = 0;
  std::string symbol;
};

/// A loaded binary.
class Module : public Handle<&Backend::unloadModule> {
public:
  using Handle::Handle;
  /// Fails when the binary has no kernel of this name.
  Result<Kernel> kernel(const std::string &symbol) const;
};

/// A moment on a stream, for timing.
class Event : public Handle<&Backend::destroyEvent> {
public:
  using Handle::Handle;
};

/// A queue of launches that run in order.
class Stream : public Handle<&Backend::destroyStream> {
public:
  using Handle::Handle;
  /// Starts `kernel` and returns without waiting for it. `params` is copied before the call
  /// returns. Grids count blocks. A fault inside the kernel is reported by `wait`.
  Status launch(const Kernel &kernel, const LaunchShape &shape, const ParamBuffer &params);
  Status record(Event &event);
  Status wait();
};

/// An opened device; copies share it.
class Device {
public:
  explicit Device(std::shared_ptr<Backend> backend) : backend(std::move(backend)) {}

  const DeviceInfo &info() const { return backend->info(); }
  /// For who works with handles himself.
  const std::shared_ptr<Backend> &shared() const { return backend; }
  /// `bytes` may be 0; the address is valid either way. `name` helps devices that report accesses.
  Result<Buffer> allocate(int64_t bytes, const std::string &name = "buffer") const;
  /// The image is copied: hsaco for HIP and the simulator, cubin or PTX for CUDA.
  Result<Module> load(std::span<const uint8_t> image) const;
  Result<Stream> createStream() const;
  Result<Event> createEvent() const;
  Result<double> elapsedMs(const Event &begin, const Event &end) const;
  Result<std::array<uint8_t, 128>> encodeTensorMap(const TensorMapRequest &request) const {
    return backend->encodeTensorMap(request);
  }

private:
  std::shared_ptr<Backend> backend;
};

/// Opens a GPU through the driver found at run time. `library` names another driver library than
/// the usual one. Fails with a clear message where there is no driver or no such device.
Result<Device> openCuda(int index = 0, const std::string &library = {});
Result<Device> openHip(int index = 0, const std::string &library = {});

} // namespace tilec::rt

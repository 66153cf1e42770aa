//===- Simulator.cpp - simulated GPUs as functions of C -------------------===//
//
// Both simulators as a tilec_backend, so that a host without a GPU runs kernels through the
// runtime's functions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Objects.h"

#include "tilec-c/Simulate.h"
#include "tilec/PtxSim/PtxDevice.h"
#include "tilec/SimDevice/SimDevice.h"

using namespace tilec;
using namespace tilec::capi;

namespace {

struct Simulator {
  std::shared_ptr<rt::Backend> backend;
  uint64_t stream = 0; ///< the one that all launches are on
  std::string kind, name, arch, error;

  tilec_status check(const rt::Status &status) {
    if (status)
      return TILEC_OK;
    error = status.error().message;
    return TILEC_ERROR_IO;
  }
  tilec_status give(const rt::Result<uint64_t> &made, uint64_t *out) {
    if (!made)
      return check(made.error());
    *out = *made;
    return TILEC_OK;
  }
};

Simulator &of(void *user) { return *static_cast<Simulator *>(user); }

tilec_status launch(void *user, uint64_t kernel, const tilec_launch_shape *given,
                    const void *params, size_t bytes, const int64_t *offsets, size_t count,
                    uint64_t) {
  rt::LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = given->grid[axis];
    shape.block[axis] = given->block[axis];
    shape.cluster[axis] = given->cluster[axis];
  }
  shape.sharedBytes = given->shared_bytes;
  shape.cooperative = given->cooperative != 0;
  rt::ParamBuffer buffer;
  buffer.barrier = given->barrier;
  const auto *first = static_cast<const uint8_t *>(params);
  buffer.bytes.assign(first, first + bytes);
  buffer.offsets.assign(offsets, offsets + count);
  return of(user).check(of(user).backend->launch(kernel, shape, buffer, of(user).stream));
}

tilec_status encode(void *user, const tilec_tensor_map *map, void *bytes) {
  rt::TensorMapRequest request;
  request.address = map->address;
  request.elementBits = map->element_bits;
  request.isFloat = map->is_float;
  request.isSigned = map->is_signed;
  request.isBrainFloat = map->is_brain_float;
  request.dims.assign(map->dims, map->dims + map->rank);
  request.strideBytes.assign(map->stride_bytes, map->stride_bytes + map->rank - 1);
  bool isIm2col = map->size >= sizeof *map && map->steps;
  request.box.assign(map->box, map->box + (isIm2col ? 2 : map->rank));
  if (isIm2col) {
    auto numbers = [&](const int64_t *list) {
      return std::vector<int64_t>(list, list + map->rank - 2);
    };
    request.im2col = {numbers(map->lower), numbers(map->upper), numbers(map->steps)};
  }
  request.swizzleBytes = map->swizzle_bytes;
  rt::Result<std::array<uint8_t, 128>> made = of(user).backend->encodeTensorMap(request);
  if (!made)
    return of(user).check(made.error());
  std::memcpy(bytes, made->data(), made->size());
  return TILEC_OK;
}

/// The functions that only hand over.
void addFunctions(tilec_backend &f) {
  f.allocate = [](void *user, uint64_t bytes, uint64_t *address) {
    return of(user).give(of(user).backend->allocate(static_cast<int64_t>(bytes), "buffer"),
                         address);
  };
  f.free = [](void *user, uint64_t address) { of(user).backend->free(address); };
  f.upload = [](void *user, uint64_t address, const void *from, uint64_t bytes) {
    return of(user).check(
        of(user).backend->copyToDevice(address, from, static_cast<int64_t>(bytes)));
  };
  f.download = [](void *user, void *to, uint64_t address, uint64_t bytes) {
    return of(user).check(of(user).backend->copyToHost(to, address, static_cast<int64_t>(bytes)));
  };
  f.fill = [](void *user, uint64_t address, uint8_t value, uint64_t bytes, uint64_t) {
    return of(user).check(of(user).backend->fillBytes(address, value, static_cast<int64_t>(bytes)));
  };
  f.load = [](void *user, tilec_str image, uint64_t *module) {
    return of(user).give(
        of(user).backend->loadModule({reinterpret_cast<const uint8_t *>(image.data), image.size}),
        module);
  };
  f.unload = [](void *user, uint64_t module) { of(user).backend->unloadModule(module); };
  f.find = [](void *user, uint64_t module, const char *symbol, uint64_t *kernel) {
    return of(user).give(of(user).backend->findKernel(module, symbol), kernel);
  };
  f.launch = launch;
  f.wait = [](void *user, uint64_t) {
    return of(user).check(of(user).backend->wait(of(user).stream));
  };
  f.encode_tensor_map = encode;
  f.last_error = [](void *user) { return toC(of(user).error); };
  f.release = [](void *user) {
    of(user).backend->destroyStream(of(user).stream);
    delete &of(user);
  };
}

} // namespace

extern "C" tilec_status tilec_simulator_create(const char *target, tilec_backend *out) {
  if (!target || !out)
    return failed(TILEC_ERROR_ARGUMENT, "target or backend is NULL");
  std::optional<Arch> arch = parseArch(target);
  if (!arch)
    return failed(TILEC_ERROR_ARGUMENT, "unknown target `" + std::string(target) + "`");
  bool isAmd = vendorOf(*arch) == Vendor::Amd;
  rt::Result<rt::Device> device = isAmd ? openSim(*arch) : openPtx(target);
  if (!device)
    return failed(TILEC_ERROR_IO, device.error().message);
  rt::Result<uint64_t> stream = device->shared()->createStream();
  if (!stream)
    return failed(TILEC_ERROR_IO, stream.error().message);
  const rt::DeviceInfo &info = device->shared()->info();
  auto *simulator =
      new Simulator{device->shared(), *stream, info.kind, info.name, info.arch, std::string()};
  tilec_backend made{};
  made.user = simulator;
  made.kind = simulator->kind.c_str();
  made.name = simulator->name.c_str();
  made.arch = simulator->arch.c_str();
  addFunctions(made);
  if (!writeStruct(out, made)) {
    made.release(simulator);
    return failed(TILEC_ERROR_ARGUMENT, "the structure for the backend has no size");
  }
  return TILEC_OK;
}

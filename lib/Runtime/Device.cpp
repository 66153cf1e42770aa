//===- Device.cpp - handles over a backend --------------------------------===//
//
// Buffers, modules, streams and events that own what a backend gave, with ranges checked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Device.h"

namespace tilec::rt {

Result<std::array<uint8_t, 128>> Backend::encodeTensorMap(const TensorMapRequest &) {
  return Error{info().kind + " device `" + info().name + "` has no tensor maps"};
}

Error tooManyBlocks(const LaunchShape &shape, const Error &error) {
  int64_t blocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
  return Error{"`T.sync_grid` wants all " + std::to_string(blocks) +
               " blocks on the device at once, which has no room for so many; launch fewer, and "
               "let each loop over its share (" +
               error.message + ")"};
}

namespace {

Status checkRange(const char *what, int64_t offset, int64_t count, int64_t bytes) {
  if (offset >= 0 && count >= 0 && count <= bytes - offset)
    return success();
  return Error{std::string(what) + " of " + std::to_string(count) + " bytes at offset " +
               std::to_string(offset) + " of a buffer of " + std::to_string(bytes)};
}

} // namespace

Status Buffer::upload(const void *src, int64_t count, int64_t offsetBytes) {
  if (Status s = checkRange("upload", offsetBytes, count, sizeBytes); !s || count == 0)
    return s;
  return backend->copyToDevice(value + offsetBytes, src, count);
}

Status Buffer::download(void *dst, int64_t count, int64_t offsetBytes) const {
  if (Status s = checkRange("download", offsetBytes, count, sizeBytes); !s || count == 0)
    return s;
  return backend->copyToHost(dst, value + offsetBytes, count);
}

Status Buffer::fillBytes(uint8_t byte) {
  return sizeBytes == 0 ? success() : backend->fillBytes(value, byte, sizeBytes);
}

Result<Kernel> Module::kernel(const std::string &symbol) const {
  Result<uint64_t> handle = backend->findKernel(value, symbol);
  if (!handle)
    return inContext("kernel `" + symbol + "`", handle.error());
  return Kernel{*handle, symbol};
}

Status Stream::launch(const Kernel &kernel, const LaunchShape &shape, const ParamBuffer &params) {
  Status s = backend->launch(kernel.handle, shape, params, value);
  return s ? s : inContext("launch of `" + kernel.symbol + "`", s.error());
}

Status Stream::record(Event &event) { return backend->record(event.raw(), value); }
Status Stream::wait() { return backend->wait(value); }

Result<Buffer> Device::allocate(int64_t bytes, const std::string &name) const {
  if (bytes < 0)
    return Error{"allocation of a negative number of bytes"};
  Result<DeviceAddress> address = backend->allocate(bytes, name);
  if (!address)
    return inContext("allocation of " + std::to_string(bytes) + " bytes", address.error());
  return Buffer(backend, *address, bytes);
}

Result<Module> Device::load(std::span<const uint8_t> image) const {
  if (image.empty())
    return Error{"the binary is empty"};
  Result<uint64_t> module = backend->loadModule(image);
  if (!module)
    return inContext("loading the binary on " + info().name + " (" + info().arch + ")",
                     module.error());
  return Module(backend, *module);
}

Result<Stream> Device::createStream() const {
  Result<uint64_t> stream = backend->createStream();
  if (!stream)
    return stream.error();
  return Stream(backend, *stream);
}

Result<Event> Device::createEvent() const {
  Result<uint64_t> event = backend->createEvent();
  if (!event)
    return event.error();
  return Event(backend, *event);
}

Result<double> Device::elapsedMs(const Event &begin, const Event &end) const {
  return backend->elapsedMs(begin.raw(), end.raw());
}

} // namespace tilec::rt

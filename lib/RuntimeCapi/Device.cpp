//===- Device.cpp - devices, memory and streams of the C interface --------===//
//
// Devices, buffers and streams of libtilec-runtime, and the last error of a thread.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Objects.h"

using namespace tilec;
using namespace tilec::capi;

static thread_local std::string lastError;

tilec_status capi::failed(tilec_status status, std::string message) {
  lastError = std::move(message);
  return status;
}

extern "C" {

uint32_t tilec_runtime_version(void) { return TILEC_VERSION_MAJOR << 16 | TILEC_VERSION_MINOR; }
tilec_str tilec_runtime_last_error(void) { return toC(lastError); }

tilec_status tilec_device_open(const tilec_device_options *given, tilec_device **device) {
  if (!device)
    return failed(TILEC_ERROR_ARGUMENT, "device is NULL");
  *device = nullptr;
  std::optional<tilec_device_options> known = readOptions(given);
  if (!given || !known)
    return failed(TILEC_ERROR_ARGUMENT, "options is NULL or has no size");
  const tilec_device_options &options = *known;
  std::string kind = options.kind ? options.kind : "";
  if (kind != "cuda" && kind != "hip")
    return failed(TILEC_ERROR_ARGUMENT, "unknown kind `" + kind + "`; known: cuda, hip");
  std::string driver = options.driver ? options.driver : "";
  rt::Result<rt::Device> opened =
      kind == "cuda" ? rt::openCuda(options.index, driver) : rt::openHip(options.index, driver);
  if (!opened)
    return ioError(opened.error());
  *device = new tilec_device(opened->shared());
  return TILEC_OK;
}

tilec_status tilec_device_from_backend(const tilec_backend *given, tilec_device **device) {
  if (!device)
    return failed(TILEC_ERROR_ARGUMENT, "device is NULL");
  *device = nullptr;
  std::optional<tilec_backend> known = readOptions(given);
  if (!given || !known)
    return failed(TILEC_ERROR_ARGUMENT, "backend is NULL or has no size");
  const tilec_backend &functions = *known;
  if (!functions.allocate || !functions.free || !functions.upload || !functions.download ||
      !functions.fill || !functions.load || !functions.unload || !functions.find ||
      !functions.launch || !functions.wait || !functions.last_error || !functions.kind ||
      !functions.name || !functions.arch)
    return failed(TILEC_ERROR_ARGUMENT, "a function or a name of the backend is NULL");
  *device = new tilec_device(backendOf(functions));
  return TILEC_OK;
}

void tilec_device_retain(tilec_device *device) {
  if (device)
    device->retain();
}
void tilec_device_release(tilec_device *device) {
  if (device)
    device->release();
}

tilec_str tilec_device_kind(const tilec_device *device) {
  return device ? toC(device->backend->info().kind) : tilec_str{};
}
tilec_str tilec_device_name(const tilec_device *device) {
  return device ? toC(device->backend->info().name) : tilec_str{};
}
tilec_str tilec_device_arch(const tilec_device *device) {
  return device ? toC(device->backend->info().arch) : tilec_str{};
}

int tilec_device_runs(const tilec_device *device, tilec_str target) {
  if (!device || !target.data)
    return 0;
  std::string_view wanted(target.data, target.size);
  const std::string &arch = device->backend->info().arch;
  // sm_90a is sm_90's own instructions: an image with them runs on an sm_90 and on nothing later;
  // one without, such as sm_80's PTX, on all that came after. Code of AMD is a chip's own.
  if (wanted == arch || (wanted == arch + "a"))
    return 1;
  if (wanted.substr(0, 3) != "sm_" || arch.compare(0, 3, "sm_") != 0 || wanted.back() == 'a')
    return 0;
  int image = std::atoi(std::string(wanted.substr(3)).c_str()), chip = std::atoi(arch.c_str() + 3);
  return image <= chip && image / 10 == chip / 10;
}

tilec_status tilec_device_allocate(tilec_device *device, size_t bytes, uint64_t *address) {
  if (!device || !address)
    return failed(TILEC_ERROR_ARGUMENT, "device or address is NULL");
  *address = 0;
  if (bytes > static_cast<size_t>(INT64_MAX))
    return failed(TILEC_ERROR_ARGUMENT, "an allocation of more than 2^63 bytes");
  std::lock_guard<std::mutex> lock(device->mutex);
  rt::Result<rt::DeviceAddress> made =
      device->backend->allocate(static_cast<int64_t>(bytes), "buffer");
  if (!made)
    return ioError(made.error());
  *address = *made;
  return TILEC_OK;
}

void tilec_device_free(tilec_device *device, uint64_t address) {
  if (!device || !address)
    return;
  std::lock_guard<std::mutex> lock(device->mutex);
  device->backend->free(address);
}

tilec_status tilec_device_upload(tilec_device *device, uint64_t address, const void *from,
                                 size_t bytes) {
  if (!device || (!from && bytes))
    return failed(TILEC_ERROR_ARGUMENT, "device or source is NULL");
  std::lock_guard<std::mutex> lock(device->mutex);
  rt::Status s = bytes ? device->backend->copyToDevice(address, from, static_cast<int64_t>(bytes))
                       : rt::success();
  return s ? TILEC_OK : ioError(s.error());
}

tilec_status tilec_device_download(tilec_device *device, void *to, uint64_t address, size_t bytes) {
  if (!device || (!to && bytes))
    return failed(TILEC_ERROR_ARGUMENT, "device or destination is NULL");
  std::lock_guard<std::mutex> lock(device->mutex);
  rt::Status s =
      bytes ? device->backend->copyToHost(to, address, static_cast<int64_t>(bytes)) : rt::success();
  return s ? TILEC_OK : ioError(s.error());
}

tilec_status tilec_stream_create(tilec_device *device, uint64_t *stream) {
  if (!device || !stream)
    return failed(TILEC_ERROR_ARGUMENT, "device or stream is NULL");
  *stream = 0;
  std::lock_guard<std::mutex> lock(device->mutex);
  rt::Result<uint64_t> made = device->backend->createStream();
  if (!made)
    return ioError(made.error());
  *stream = *made;
  return TILEC_OK;
}

void tilec_stream_destroy(tilec_device *device, uint64_t stream) {
  if (!device || !stream)
    return;
  std::lock_guard<std::mutex> lock(device->mutex);
  device->backend->destroyStream(stream);
}

tilec_status tilec_stream_wait(tilec_device *device, uint64_t stream) {
  if (!device)
    return failed(TILEC_ERROR_ARGUMENT, "device is NULL");
  std::lock_guard<std::mutex> lock(device->mutex);
  rt::Status s = device->backend->wait(stream);
  return s ? TILEC_OK : ioError(s.error());
}

} // extern "C"

//===- SimulatedBackend.cpp - memory and time of devices without hardware -===//
//
// SimulatedBackend.h says who uses it. Nothing here runs a kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/SimDevice/SimulatedBackend.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace tilec {

rt::Result<rt::DeviceAddress> SimulatedBackend::allocate(int64_t bytes, const std::string &name) {
  // Whole words: an atomic on the last 16-bit element of a tensor is a compare-and-swap of the word
  // around it, and every driver's memory has that word.
  uint64_t whole = llvm::alignTo(static_cast<uint64_t>(bytes), 4);
  llvm::Expected<uint64_t> address = memory.allocate(whole, name);
  if (!address)
    return toError(address.takeError());
  const uint8_t rest[4] = {};
  if (llvm::Error error = memory.write(*address + bytes, {rest, size_t(whole - bytes)}))
    return toError(std::move(error));
  return *address;
}

// A handle owns what it frees and marks, so neither can fail.
void SimulatedBackend::free(rt::DeviceAddress address) {
  llvm::consumeError(memory.release(address));
}

void SimulatedBackend::markUninitialized(rt::DeviceAddress address, int64_t bytes) {
  llvm::consumeError(memory.markUninitialized(address, static_cast<uint64_t>(bytes)));
}

rt::Status SimulatedBackend::copyToDevice(rt::DeviceAddress dst, const void *src, int64_t bytes) {
  return status(memory.write(dst, {static_cast<const uint8_t *>(src), size_t(bytes)}));
}

rt::Status SimulatedBackend::copyToHost(void *dst, rt::DeviceAddress src, int64_t bytes) {
  return status(memory.read(src, {static_cast<uint8_t *>(dst), size_t(bytes)}));
}

rt::Status SimulatedBackend::fillBytes(rt::DeviceAddress dst, uint8_t value, int64_t bytes) {
  uint8_t *host = memory.hostPointerForWriting(dst, static_cast<uint64_t>(bytes));
  if (!host)
    return rt::Error{"fill outside every allocation"};
  std::memset(host, value, static_cast<size_t>(bytes));
  return rt::success();
}

rt::Status SimulatedBackend::wait(uint64_t) {
  if (fault.empty())
    return rt::success();
  return rt::Error{std::exchange(fault, {})};
}

rt::Result<double> SimulatedBackend::elapsedMs(uint64_t, uint64_t) {
  return rt::Error{"the " + deviceInfo.name + " has no clock: time kernels on a GPU"};
}

} // namespace tilec

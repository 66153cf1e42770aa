//===- SimulatedBackend.h - what devices without hardware have in common --===//
//
// A backend of the runtime over sim::Memory: allocations, copies, and streams and events that are
// over when they begin. Both simulators (SimDevice.cpp, PtxSim/PtxDevice.cpp) add modules, kernels
// and launches.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Device.h"
#include "tilec/Sim/Memory.h"

namespace tilec {

class SimulatedBackend : public rt::Backend {
public:
  const rt::DeviceInfo &info() const override { return deviceInfo; }

  rt::Result<rt::DeviceAddress> allocate(int64_t bytes, const std::string &name) override;
  void free(rt::DeviceAddress address) override;
  rt::Status copyToDevice(rt::DeviceAddress dst, const void *src, int64_t bytes) override;
  rt::Status copyToHost(void *dst, rt::DeviceAddress src, int64_t bytes) override;
  rt::Status fillBytes(rt::DeviceAddress dst, uint8_t value, int64_t bytes) override;
  void markUninitialized(rt::DeviceAddress address, int64_t bytes) override;

  rt::Result<uint64_t> createStream() override { return ++lastHandle; }
  void destroyStream(uint64_t) override {}
  /// Tells what launches have found since the last wait.
  rt::Status wait(uint64_t) override;
  rt::Result<uint64_t> createEvent() override { return ++lastHandle; }
  void destroyEvent(uint64_t) override {}
  rt::Status record(uint64_t, uint64_t) override { return rt::success(); }
  rt::Result<double> elapsedMs(uint64_t, uint64_t) override;

protected:
  static rt::Error toError(llvm::Error error) { return {llvm::toString(std::move(error))}; }
  static rt::Status status(llvm::Error error) {
    return error ? rt::Status(toError(std::move(error))) : rt::success();
  }
  void addFault(const std::string &text) { fault += (fault.empty() ? "" : "\n") + text; }

  rt::DeviceInfo deviceInfo;
  sim::Memory memory;
  uint64_t lastHandle = 0;

private:
  std::string fault; ///< what no wait has told yet
};

} // namespace tilec

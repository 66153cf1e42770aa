//===- PtxDevice.cpp - the PTX simulator as a device of the runtime -------===//
//
// Takes PTX and launches from the runtime, runs them on ptx::run; memory is SimulatedBackend's.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/PtxSim/PtxDevice.h"

#include "tilec/SimDevice/SimulatedBackend.h"
#include "tilec/Target/BlocksAtOnce.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <map>

namespace tilec {
namespace {

using rt::Result;
using rt::Status;

class PtxBackend final : public SimulatedBackend {
public:
  PtxBackend(const std::string &arch, PtxDeviceOptions options) : options(std::move(options)) {
    memory.limitBytes = this->options.memoryLimitBytes;
    deviceInfo.kind = "ptx";
    deviceInfo.name = "PTX simulator";
    deviceInfo.arch = arch;
    deviceInfo.checksBounds = true;
  }

  Result<uint64_t> loadModule(std::span<const uint8_t> image) override {
    llvm::StringRef text(reinterpret_cast<const char *>(image.data()), image.size());
    text = text.take_until([](char c) { return c == '\0'; });
    if (!text.contains(".version"))
      return rt::Error{"the image is no PTX"};
    auto module = ptx::Module::parse(text);
    if (!module)
      return toError(module.takeError());
    modules[++lastHandle] = std::move(*module);
    return lastHandle;
  }
  void unloadModule(uint64_t module) override { modules.erase(module); }
  Result<uint64_t> findKernel(uint64_t module, const std::string &symbol) override {
    const ptx::Module &loaded = *modules.at(module);
    const ptx::Program *program = loaded.find(symbol);
    if (!program)
      return rt::Error{"not in the PTX; it has " + llvm::join(loaded.names(), ", ")};
    kernels[++lastHandle] = {program, symbol};
    return lastHandle;
  }

  Status launch(uint64_t kernel, const rt::LaunchShape &shape, const rt::ParamBuffer &params,
                uint64_t) override {
    const auto &[program, name] = kernels.at(kernel);
    ptx::LaunchConfig config;
    for (int axis = 0; axis < 3; ++axis) {
      if (shape.grid[axis] > UINT32_MAX)
        return rt::Error{"grid extent " + std::to_string(shape.grid[axis]) + " is too large"};
      config.grid[axis] = static_cast<uint32_t>(shape.grid[axis]);
      config.block[axis] = static_cast<uint32_t>(shape.block[axis]);
      config.cluster[axis] = static_cast<uint32_t>(shape.cluster[axis]);
    }
    config.early = shape.early;
    config.cooperative = shape.cooperative;
    config.barrier = params.barrier;
    if (rt::Status s = checkRoom(shape); !s)
      return s;
    config.sharedBytes = static_cast<uint32_t>(shape.sharedBytes);
    auto result = ptx::run(*program, config, params.bytes, memory, options.launch);
    if (!result)
      return toError(result.takeError());
    if (options.onRun)
      options.onRun(name, *result);
    if (!result->fault.empty())
      addFault(result->fault);
    return rt::success();
  }

  /// Refuses what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col refuse (CUDA driver API 13.0).
  Result<std::array<uint8_t, 128>> encodeTensorMap(const rt::TensorMapRequest &request) override {
    constexpr int64_t mostBox = 256, mostPixels = 1024, unit = 16;
    ptx::TensorMap map;
    size_t rank = request.dims.size(), boxRank = request.im2col ? 2 : rank;
    if (rank < 1 || rank > 5 || request.strideBytes.size() != rank - 1 ||
        request.box.size() != boxRank)
      return rt::Error{"a tensor map has 1 to 5 dimensions"};
    if (request.elementBits % 8 != 0 || request.elementBits > 64)
      return rt::Error{"a tensor map has elements of whole bytes"};
    if (request.address % unit != 0)
      return rt::Error{"a tensor map's address is a multiple of 16"};
    map.rank = uint8_t(rank);
    map.elementBytes = uint8_t(request.elementBits / 8);
    map.address = request.address;
    map.swizzleBytes = uint8_t(request.swizzleBytes);
    for (size_t d = 0; d < rank; ++d) {
      if (request.dims[d] < 1 || request.dims[d] > int64_t(1) << 32)
        return rt::Error{"a tensor map's extents are 1 to 2^32"};
      if (d < boxRank) {
        int64_t most = request.im2col && d == 1 ? mostPixels : mostBox;
        if (request.box[d] < 1 || request.box[d] > most)
          return rt::Error{"the extents of a box are 1 to " + std::to_string(most)};
        map.box[d] = uint16_t(request.box[d]);
      }
      map.dims[d] = uint64_t(request.dims[d]);
      if (d == 0)
        continue;
      if (request.strideBytes[d - 1] % unit != 0 || request.strideBytes[d - 1] < 0 ||
          request.strideBytes[d - 1] >= int64_t(1) << 40)
        return rt::Error{"a tensor map's strides are multiples of 16 below 2^40"};
      map.strideBytes[d - 1] = uint64_t(request.strideBytes[d - 1]);
    }
    if (request.im2col)
      if (rt::Status s = addIm2col(*request.im2col, map); !s)
        return s.error();
    int64_t inner = map.box[0] * map.elementBytes;
    if (inner % unit != 0)
      return rt::Error{"the rows of a box are a multiple of 16 bytes"};
    if (request.swizzleBytes != 0 && inner != request.swizzleBytes)
      return rt::Error{"the rows of a box are " + std::to_string(inner) + " bytes, the swizzle " +
                       std::to_string(request.swizzleBytes) + ": only equal ones are known here"};
    std::array<uint8_t, 128> bytes = {};
    std::memcpy(bytes.data(), &map, sizeof map);
    return bytes;
  }

private:
  static rt::Status addIm2col(const rt::Im2colSpec &im2col, ptx::TensorMap &map) {
    if (map.rank != 4 || im2col.lower.size() != 2 || im2col.upper.size() != 2 ||
        im2col.steps.size() != 2)
      return rt::Error{"an im2col tensor map of other than four dimensions is not known here"};
    map.isIm2col = 1;
    for (int i : {0, 1}) {
      auto isCorner = [](int64_t corner) { return corner >= -128 && corner <= 127; };
      if (!isCorner(im2col.lower[i]) || !isCorner(im2col.upper[i]))
        return rt::Error{"the corners of an im2col tensor map are -128 to 127"};
      if (im2col.steps[i] < 1 || im2col.steps[i] > 8)
        return rt::Error{"the element strides of a tensor map are 1 to 8"};
      map.lower[i] = int8_t(im2col.lower[i]);
      map.upper[i] = int8_t(im2col.upper[i]);
      map.steps[i] = uint8_t(im2col.steps[i]);
      if (map.lower[i] >= int64_t(map.dims[1 + i]) + map.upper[i])
        return rt::Error{"the bounding box of an im2col tensor map is empty"};
    }
    return rt::success();
  }

  /// The blocks of a cooperative launch have to be on the chip at once. How many registers they
  /// take only ptxas knows.
  Status checkRoom(const rt::LaunchShape &shape) const {
    std::optional<Arch> arch = parseArch(deviceInfo.arch);
    if (!shape.cooperative || !arch)
      return rt::success();
    BlockNeeds needs;
    needs.threads = shape.block[0] * shape.block[1] * shape.block[2];
    needs.sharedBytes = shape.sharedBytes;
    int64_t most = blocksAtOnce(targetInfo(*arch), needs);
    if (shape.grid[0] * shape.grid[1] * shape.grid[2] <= most)
      return rt::success();
    return rt::tooManyBlocks(shape, {deviceInfo.arch + " holds at most " + std::to_string(most)});
  }

  PtxDeviceOptions options;
  std::map<uint64_t, std::unique_ptr<ptx::Module>> modules;
  std::map<uint64_t, std::pair<const ptx::Program *, std::string>> kernels;
};

} // namespace

rt::Result<rt::Device> openPtx(const std::string &arch, PtxDeviceOptions options) {
  return rt::Device(std::make_shared<PtxBackend>(arch, std::move(options)));
}

} // namespace tilec

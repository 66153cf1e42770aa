//===- Conformance.h - what every device must do --------------------------===//
//
// One suite for all kinds of device. A test binary includes this file once and
// instantiates `Conformance` with its devices. The kernels are those of Inputs/, in
// the device's own format.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Launch.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <functional>

namespace tilec::rt {

struct DeviceUnderTest {
  std::string name;
  std::function<Result<Device>()> open;
  std::string image; ///< the file with the kernels
  /// The device can time runs; one that cannot says so.
  bool hasClock = true;
};

inline void PrintTo(const DeviceUnderTest &device, std::ostream *os) { *os << device.name; }

/// Reads a file of the build, or, on a machine that only got this program, the one of the same name
/// in $TILEC_CONFORMANCE_DIR.
inline std::vector<uint8_t> readImage(std::string path) {
  if (const char *folder = std::getenv("TILEC_CONFORMANCE_DIR"))
    path = std::string(folder) + path.substr(path.rfind('/'));
  std::vector<uint8_t> bytes;
  if (FILE *file = std::fopen(path.c_str(), "rb")) {
    uint8_t chunk[4096];
    while (size_t count = std::fread(chunk, 1, sizeof chunk, file))
      bytes.insert(bytes.end(), chunk, chunk + count);
    std::fclose(file);
  }
  return bytes;
}

/// A parameter of a manifest, without its place.
inline Param tensorParam(std::string name, DType dtype, std::vector<DimExpr> shape, Access access) {
  Param param;
  param.name = std::move(name);
  param.dtype = dtype;
  param.shape = std::move(shape);
  param.access = access;
  return param;
}
inline Param valueParam(std::string name, ParamKind kind, DType dtype) {
  Param param;
  param.name = std::move(name);
  param.kind = kind;
  param.dtype = dtype;
  return param;
}
inline Manifest manifestOf(const std::string &symbol, std::vector<Param> params,
                           std::array<DimExpr, 3> grid) {
  Manifest manifest;
  manifest.kernel = symbol;
  manifest.launches.resize(1);
  Launch &launch = manifest.launches[0];
  launch.symbol = symbol;
  launch.grid = std::move(grid);
  launch.block = {64, 1, 1};
  launch.params = std::move(params);
  assignOffsets(launch.params);
  for (const Param &param : launch.params)
    if (param.kind == ParamKind::Dim)
      manifest.dims.push_back({param.name, param.dtype});
  return manifest;
}

/// y[i] = x[i] * s for i < n, n a dim.
inline Manifest scaleManifest() {
  DimExpr n = DimExpr::name("n");
  return manifestOf("scale",
                    {tensorParam("x", DType::F32, {n}, Access::Read),
                     tensorParam("y", DType::F32, {n}, Access::Write),
                     valueParam("s", ParamKind::Scalar, DType::F32),
                     valueParam("n", ParamKind::Dim, DType::I32)},
                    {ceilDiv(n, DimExpr(64)), DimExpr(1), DimExpr(1)});
}

class Conformance : public testing::TestWithParam<DeviceUnderTest> {
protected:
  void SetUp() override {
    Result<Device> opened = GetParam().open();
    ASSERT_TRUE(opened) << opened.error().message;
    device.emplace(std::move(*opened));
    image = readImage(GetParam().image);
    ASSERT_FALSE(image.empty()) << GetParam().image;
  }

  Result<ArgumentSet> launch(const Manifest &manifest, std::vector<std::string> specs,
                             DimValues dims = {}, const BenchOptions &bench = {}) {
    ArgumentRequest request;
    request.dims = std::move(dims);
    for (const std::string &text : specs)
      request.specs.push_back(*parseArgSpec(text));
    Result<ArgumentSet> arguments = makeArguments(manifest, request);
    if (!arguments)
      return arguments;
    Result<Timing> done = launchProgram(*device, manifest, image, *arguments, bench);
    if (!done)
      return done.error();
    timing = *done;
    return arguments;
  }

  std::optional<Device> device;
  std::vector<uint8_t> image;
  Timing timing;
};

TEST_P(Conformance, SaysWhatItIs) {
  EXPECT_FALSE(device->info().kind.empty());
  EXPECT_FALSE(device->info().name.empty());
  EXPECT_FALSE(device->info().arch.empty());
}

TEST_P(Conformance, MemoryKeepsWhatIsCopied) {
  Result<Buffer> buffer = device->allocate(1000);
  ASSERT_TRUE(buffer) << buffer.error().message;
  EXPECT_EQ(buffer->address() % 256, 0u);
  ASSERT_TRUE(buffer->fillBytes(0x5A));
  std::vector<uint8_t> part(100), all(1000);
  for (int i = 0; i < 100; ++i)
    part[i] = static_cast<uint8_t>(i);
  ASSERT_TRUE(buffer->upload(part.data(), 100, 333));
  ASSERT_TRUE(buffer->download(all.data(), 1000));
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(all[i], i >= 333 && i < 433 ? i - 333 : 0x5A) << i;
  EXPECT_FALSE(buffer->upload(part.data(), 100, 901));
  EXPECT_FALSE(buffer->download(all.data(), 1001));
  EXPECT_FALSE(buffer->download(all.data(), 10, -1));
  EXPECT_TRUE(buffer->upload(nullptr, 0, 1000));
}

TEST_P(Conformance, AllocatesNothingAndRefusesTooMuch) {
  EXPECT_TRUE(device->allocate(0));
  EXPECT_FALSE(device->allocate(int64_t(1) << 60));
  EXPECT_FALSE(device->allocate(-1));
}

TEST_P(Conformance, RunsAKernelOverRaggedSizes) {
  for (int64_t n : {1, 63, 64, 65, 1000}) {
    auto run = launch(scaleManifest(), {"s=2.5"}, {{"n", n}});
    ASSERT_TRUE(run) << run.error().message;
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(run->find("y")->tensor.value(i),
                static_cast<float>(run->find("x")->tensor.value(i) * 2.5))
          << i;
  }
}

TEST_P(Conformance, AnEmptyGridDoesNothing) {
  auto run = launch(scaleManifest(), {"s=1"}, {{"n", 0}});
  EXPECT_TRUE(run) << run.error().message;
}

TEST_P(Conformance, PassesParametersOfEverySize) {
  Manifest manifest = manifestOf("pack",
                                 {tensorParam("out", DType::I64, {4}, Access::Write),
                                  valueParam("a", ParamKind::Scalar, DType::I8),
                                  valueParam("b", ParamKind::Scalar, DType::I64),
                                  valueParam("c", ParamKind::Scalar, DType::I16),
                                  valueParam("d", ParamKind::Scalar, DType::I32)},
                                 {DimExpr(1), DimExpr(1), DimExpr(1)});
  auto run = launch(manifest, {"a=-7", "b=1234567890123456789", "c=-30000", "d=-2000000000"});
  ASSERT_TRUE(run) << run.error().message;
  std::vector<int64_t> out(4);
  std::memcpy(out.data(), run->find("out")->tensor.bytes.data(), 32);
  EXPECT_EQ(out, (std::vector<int64_t>{-7, 1234567890123456789, -30000, -2000000000}));
}

TEST_P(Conformance, RunsEveryBlockOfAGridOnce) {
  Manifest manifest = manifestOf("blocks", {tensorParam("out", DType::I32, {768}, Access::Write)},
                                 {DimExpr(3), DimExpr(2), DimExpr(2)});
  auto run = launch(manifest, {});
  ASSERT_TRUE(run) << run.error().message;
  for (int i = 0; i < 768; ++i) {
    int block = i / 64;
    ASSERT_EQ(run->find("out")->tensor.value(i),
              block % 3 + 100 * (block / 3 % 2) + 10000 * (block / 6))
        << i;
  }
}

TEST_P(Conformance, FindsAWritePastTheEnd) {
  Manifest manifest = manifestOf("overrun",
                                 {tensorParam("out", DType::F32, {16}, Access::Write),
                                  valueParam("index", ParamKind::Scalar, DType::I32)},
                                 {DimExpr(1), DimExpr(1), DimExpr(1)});
  EXPECT_TRUE(launch(manifest, {"index=15"}));
  EXPECT_FALSE(launch(manifest, {"index=16"}));
}

TEST_P(Conformance, LaunchesRunInOrder) {
  // y = 2 x, then z = 4 y through a second launch of the same kernel.
  Manifest manifest = scaleManifest();
  Launch second = manifest.launches[0];
  second.params[0].name = "y";
  second.params[1].name = "z";
  second.params[2].name = "s2";
  manifest.launches.push_back(second);
  auto run = launch(manifest, {"s=2", "s2=4"}, {{"n", 200}});
  ASSERT_TRUE(run) << run.error().message;
  for (int64_t i = 0; i < 200; ++i)
    ASSERT_EQ(run->find("z")->tensor.value(i), run->find("x")->tensor.value(i) * 8) << i;
}

TEST_P(Conformance, TimesRunsOnTheInputs) {
  BenchOptions bench;
  bench.enabled = true;
  bench.warmUpMs = 0.1, bench.sampleMs = 0.1, bench.targetMs = 1, bench.minSamples = 3;
  bench.maxSamples = 5;
  auto run = launch(scaleManifest(), {"s=2"}, {{"n", 640}}, bench);
  if (!GetParam().hasClock) {
    ASSERT_FALSE(run);
    EXPECT_NE(run.error().message.find("has no clock"), std::string::npos) << run.error().message;
    return;
  }
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_GE(timing.samples, 3);
  EXPECT_GT(timing.medianMs, 0);
  EXPECT_LE(timing.minMs, timing.medianMs);
  EXPECT_GE(timing.maxMs, timing.medianMs);
  EXPECT_EQ(run->find("y")->tensor.value(7), run->find("x")->tensor.value(7) * 2);
}

TEST_P(Conformance, SaysWhatItCannotLoad) {
  std::vector<uint8_t> noise(300, '!');
  EXPECT_FALSE(device->load(noise));
  EXPECT_FALSE(device->load({}));
  Result<Module> module = device->load(image);
  ASSERT_TRUE(module) << module.error().message;
  Result<Kernel> kernel = module->kernel("no_such_kernel");
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().message.find("no_such_kernel"), std::string::npos);
}

TEST_P(Conformance, TensorMapsWorkOrAreRefused) {
  Result<Buffer> buffer = device->allocate(1 << 16);
  ASSERT_TRUE(buffer);
  TensorMapRequest request;
  request.address = buffer->address();
  request.elementBits = 16;
  request.isFloat = request.isBrainFloat = true;
  request.dims = {128, 64};
  request.strideBytes = {256};
  request.box = {64, 64};
  request.swizzleBytes = 128;
  auto map = device->encodeTensorMap(request);
  EXPECT_EQ(static_cast<bool>(map), device->info().kind == "cuda" || device->info().kind == "ptx");
}

} // namespace tilec::rt

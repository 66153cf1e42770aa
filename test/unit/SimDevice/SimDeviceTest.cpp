//===- SimDeviceTest.cpp - the simulator passes the devices' suite --------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/SimDevice/SimDevice.h"

#include "Conformance.h"

using namespace tilec;
using namespace tilec::rt;

namespace {

DeviceUnderTest simulated(const char *name, Arch arch, sim::MemoryMode mode, uint64_t seed,
                          const char *image) {
  SimDeviceOptions options;
  options.launch.memoryMode = mode;
  options.launch.interleaveSeed = seed;
  return {name, [=] { return openSim(arch, options); }, image, /*hasClock=*/false};
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance,
                         testing::Values(simulated("Gfx942", Arch::Gfx942, sim::MemoryMode::Eager,
                                                   0, TILEC_CONFORMANCE_GFX942),
                                         simulated("Gfx950", Arch::Gfx950, sim::MemoryMode::Eager,
                                                   0, TILEC_CONFORMANCE_GFX950),
                                         simulated("Gfx950Strict", Arch::Gfx950,
                                                   sim::MemoryMode::Strict, 17,
                                                   TILEC_CONFORMANCE_GFX950)),
                         [](const auto &info) { return info.param.name; });

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(SimDevice, RefusesOtherVendorsAndOtherChips) {
  EXPECT_HAS(openSim(Arch::Sm90a).error().message, "not sm_90a");
  Result<Device> device = openSim(Arch::Gfx942);
  ASSERT_TRUE(device);
  Result<Module> module = device->load(readImage(TILEC_CONFORMANCE_GFX950));
  ASSERT_FALSE(module);
  EXPECT_HAS(module.error().message, "the code object is for gfx950");
}

TEST(SimDevice, AFindingNamesTheBufferAndComesFromWait) {
  SimDeviceOptions options;
  int runs = 0;
  options.onRun = [&](const std::string &kernel, const sim::RunResult &result) {
    ++runs;
    EXPECT_EQ(kernel, "overrun");
    EXPECT_FALSE(result.ok());
  };
  Result<Device> device = openSim(Arch::Gfx950, options);
  Manifest manifest = manifestOf("overrun",
                                 {tensorParam("out", DType::F32, {16}, Access::Write),
                                  valueParam("index", ParamKind::Scalar, DType::I32)},
                                 {DimExpr(1), DimExpr(1), DimExpr(1)});
  Result<ArgumentSet> arguments = makeArguments(manifest, {{*parseArgSpec("index=16")}, {}, 0});
  ASSERT_TRUE(arguments);
  std::vector<uint8_t> image = readImage(TILEC_CONFORMANCE_GFX950);
  Result<Timing> run = launchProgram(*device, manifest, image, *arguments);
  ASSERT_FALSE(run);
  EXPECT_HAS(run.error().message, "run of `overrun`");
  EXPECT_HAS(run.error().message, "`out`");
  EXPECT_EQ(runs, 1);
}

// The manifest says that the kernel only writes `x`; it reads it.
TEST(SimDevice, AReadOfAnOutputIsFound) {
  Result<Device> device = openSim(Arch::Gfx950);
  Manifest manifest = manifestOf("scale",
                                 {tensorParam("x", DType::F32, {64}, Access::Write),
                                  tensorParam("y", DType::F32, {64}, Access::Write),
                                  valueParam("s", ParamKind::Scalar, DType::F32),
                                  valueParam("n", ParamKind::Scalar, DType::I32)},
                                 {DimExpr(1), DimExpr(1), DimExpr(1)});
  Result<ArgumentSet> arguments =
      makeArguments(manifest, {{*parseArgSpec("s=2"), *parseArgSpec("n=64")}, {}, 0});
  ASSERT_TRUE(arguments);
  std::vector<uint8_t> image = readImage(TILEC_CONFORMANCE_GFX950);
  Result<Timing> run = launchProgram(*device, manifest, image, *arguments);
  ASSERT_FALSE(run);
  EXPECT_HAS(run.error().message, "0 of `x`, is read and nothing has written it");
}

TEST(SimDevice, AManifestThatPacksTooLittleIsAMessage) {
  Result<Device> device = openSim(Arch::Gfx950);
  Manifest manifest = manifestOf("overrun", {tensorParam("out", DType::F32, {16}, Access::Write)},
                                 {DimExpr(1), DimExpr(1), DimExpr(1)});
  Result<ArgumentSet> arguments = makeArguments(manifest, {});
  std::vector<uint8_t> image = readImage(TILEC_CONFORMANCE_GFX950);
  Result<Timing> run = launchProgram(*device, manifest, image, *arguments);
  ASSERT_FALSE(run);
  EXPECT_HAS(run.error().message, "packs 8 bytes of parameters, `overrun` reads 12");
}

} // namespace

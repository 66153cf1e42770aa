//===- DeviceTest.cpp - CUDA and HIP, and a driver without a GPU ----------===//
//
// The suite runs on the fake driver everywhere and on real GPUs where there are any.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Conformance.h"

#include "tilec/Runtime/Statistics.h"

#include <chrono>
#include <cmath>
#include <dlfcn.h>
#include <set>
#include <thread>

using namespace tilec::rt;
using tilec::DType;

namespace {

template <typename Function> Function fake(const char *name) {
  static void *library = dlopen(TILEC_FAKE_DRIVER, RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

DeviceUnderTest fakeCuda() {
  return {"FakeCuda", [] { return openCuda(0, TILEC_FAKE_DRIVER); }, TILEC_CONFORMANCE_PTX};
}
DeviceUnderTest fakeHip() {
  return {"FakeHip", [] { return openHip(0, TILEC_FAKE_DRIVER); }, TILEC_CONFORMANCE_GFX950};
}

std::vector<DeviceUnderTest> devices() {
  std::vector<DeviceUnderTest> list = {fakeCuda(), fakeHip()};
  if (openCuda())
    list.push_back({"Cuda", [] { return openCuda(); }, TILEC_CONFORMANCE_PTX});
  if (Result<Device> hip = openHip())
    list.push_back(
        {"Hip", [] { return openHip(); },
         hip->info().arch == "gfx942" ? TILEC_CONFORMANCE_GFX942 : TILEC_CONFORMANCE_GFX950});
  return list;
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance, testing::ValuesIn(devices()),
                         [](const auto &info) { return info.param.name; });

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Drivers, AMissingDriverIsAMessage) {
  EXPECT_HAS(openCuda(0, "libno-such-driver.so").error().message, "no CUDA driver");
  EXPECT_HAS(openCuda(0, "libno-such-driver.so").error().message, "tilec-run --device=ptx");
  EXPECT_HAS(openHip(0, "libno-such-driver.so").error().message, "no HIP runtime");
  // A library that is there but is no driver.
  EXPECT_HAS(openCuda(0, "libc.so.6").error().message, "has no function cuInit");
}

TEST(Drivers, AMissingDeviceIsAMessage) {
  EXPECT_HAS(openCuda(5, TILEC_FAKE_DRIVER).error().message, "no CUDA device 5");
  EXPECT_HAS(openHip(-1, TILEC_FAKE_DRIVER).error().message, "no HIP device -1");
}

TEST(Drivers, EachOfTwoGpusIsOpened) {
  setenv("TILEC_FAKE_GPUS", "2", 1);
  Result<Device> first = openCuda(0, TILEC_FAKE_DRIVER), second = openCuda(1, TILEC_FAKE_DRIVER);
  EXPECT_HAS(openCuda(2, TILEC_FAKE_DRIVER).error().message, "no CUDA device 2");
  unsetenv("TILEC_FAKE_GPUS");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->info().name, "Fake H200");
  EXPECT_EQ(second->info().name, "Fake H200 1");
}

TEST(Drivers, TellTheirArchitecture) {
  EXPECT_EQ(openCuda(0, TILEC_FAKE_DRIVER)->info().arch, "sm_90");
  EXPECT_EQ(openHip(0, TILEC_FAKE_DRIVER)->info().arch, "gfx950");
}

TEST(Drivers, HandlesAreGivenBack) {
  int before = fake<int (*)()>("fakeLiveHandles")();
  {
    Result<Device> device = openCuda(0, TILEC_FAKE_DRIVER);
    ASSERT_TRUE(device);
    Result<Buffer> buffer = device->allocate(64), other = device->allocate(64);
    *buffer = std::move(*other); // the old memory goes with `other`
    auto stream = device->createStream();
    auto event = device->createEvent();
    std::vector<uint8_t> image = {'x'};
    auto module = device->load(image);
    EXPECT_GT(fake<int (*)()>("fakeLiveHandles")(), before);
  }
  EXPECT_EQ(fake<int (*)()>("fakeLiveHandles")(), before);
}

class OnFakeCuda : public testing::Test {
protected:
  Result<Timing> launch(const Manifest &manifest, ArgumentRequest request = {}) {
    Result<Device> device = openCuda(0, TILEC_FAKE_DRIVER);
    EXPECT_TRUE(device);
    Result<ArgumentSet> made = makeArguments(manifest, request);
    if (!made)
      return made.error();
    arguments = std::move(*made);
    std::vector<uint8_t> image = {'x'};
    return launchProgram(*device, manifest, image, arguments);
  }
  Manifest blocks() const {
    return manifestOf("blocks", {tensorParam("out", DType::I32, {768}, Access::Write)},
                      {DimExpr(3), DimExpr(2), DimExpr(2)});
  }
  ArgumentSet arguments;
};

TEST_F(OnFakeCuda, ClustersAndSharedMemoryReachTheDriver) {
  Manifest manifest = blocks();
  manifest.launches[0].sharedBytes = 200000;
  manifest.launches[0].cluster = {3, 1, 1};
  Result<Timing> run = launch(manifest);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_STREQ(fake<const char *(*)()>("fakeLastLaunch")(),
               "grid 3 2 2 block 64 1 1 shared 200000 cluster 3");
  manifest.launches[0].early = true;
  ASSERT_TRUE(launch(manifest));
  EXPECT_STREQ(fake<const char *(*)()>("fakeLastLaunch")(),
               "grid 3 2 2 block 64 1 1 shared 200000 cluster 3 early");
  manifest.launches[0].cluster = {1, 1, 1};
  ASSERT_TRUE(launch(manifest));
  EXPECT_STREQ(fake<const char *(*)()>("fakeLastLaunch")(),
               "grid 3 2 2 block 64 1 1 shared 200000 early");
  // 12 blocks do not fill four multiprocessors that hold four each, but those that hold two.
  manifest.launches[0].sharedBytes = 1024;
  ASSERT_TRUE(launch(manifest));
  EXPECT_STREQ(fake<const char *(*)()>("fakeLastLaunch")(), "grid 3 2 2 block 64 1 1 shared 1024");
  manifest.launches[0].sharedBytes = 40000;
  ASSERT_TRUE(launch(manifest));
  EXPECT_STREQ(fake<const char *(*)()>("fakeLastLaunch")(),
               "grid 3 2 2 block 64 1 1 shared 40000 early");
  // Nor 95 multiprocessors; of 96 they take an eighth, so that launches do not meet.
  for (const char *multiprocessors : {"95", "96"}) {
    setenv("TILEC_FAKE_MULTIPROCESSORS", multiprocessors, 1);
    ASSERT_TRUE(launch(manifest));
    unsetenv("TILEC_FAKE_MULTIPROCESSORS");
    std::string expected = "grid 3 2 2 block 64 1 1 shared 40000";
    EXPECT_EQ(fake<const char *(*)()>("fakeLastLaunch")(),
              expected + (std::string_view(multiprocessors) == "96" ? " early" : ""));
  }
}

// One block a multiprocessor: where the grid takes nine of ten of them, or large clusters more than
// half; without clusters only while the launch is short.
TEST_F(OnFakeCuda, EarlyLaunchesOfLoneBlocks) {
  Manifest manifest = blocks();
  manifest.launches[0].sharedBytes = 200000;
  manifest.launches[0].early = true;
  struct Case {
    const char *multiprocessors;
    std::array<int64_t, 3> cluster;
    bool isEarly;
    int64_t flops = 0;
  };
  // 13 multiprocessors multiply 53 million a microsecond.
  for (const Case &one :
       {Case{"13", {1, 1, 1}, true}, Case{"14", {1, 1, 1}, false}, Case{"23", {3, 2, 1}, true},
        Case{"24", {3, 2, 1}, false}, Case{"23", {3, 1, 1}, false}, Case{"96", {1, 1, 1}, true},
        Case{"13", {1, 1, 1}, true, 950'000'000}, Case{"13", {1, 1, 1}, false, 970'000'000},
        Case{"13", {3, 1, 1}, true, 970'000'000}, Case{"11", {1, 1, 1}, true, 970'000'000}}) {
    manifest.launches[0].cluster = one.cluster;
    manifest.flops = one.flops ? std::optional(DimExpr(one.flops)) : std::nullopt;
    setenv("TILEC_FAKE_MULTIPROCESSORS", one.multiprocessors, 1);
    ASSERT_TRUE(launch(manifest));
    unsetenv("TILEC_FAKE_MULTIPROCESSORS");
    std::string_view last = fake<const char *(*)()>("fakeLastLaunch")();
    EXPECT_EQ(last.ends_with(" early"), one.isEarly) << one.multiprocessors << ": " << last;
  }
}

/// `blocks`, whose blocks wait for each other.
Manifest cooperative() {
  Param counter;
  counter.name = "grid_barrier", counter.kind = ParamKind::Workspace;
  counter.bytes = 4, counter.zeroed = true;
  Manifest manifest =
      manifestOf("blocks", {tensorParam("out", DType::I32, {768}, Access::Write), counter},
                 {DimExpr(3), DimExpr(2), DimExpr(2)});
  manifest.version = cooperativeManifestVersion;
  manifest.launches[0].cooperative = true;
  return manifest;
}

TEST_F(OnFakeCuda, BlocksThatWaitForEachOtherAreLaunchedTogether) {
  ASSERT_TRUE(launch(cooperative()));
  EXPECT_STREQ(fake<const char *(*)()>("fakeLastLaunch")(),
               "grid 3 2 2 block 64 1 1 shared 0 cooperative");
  Manifest manifest = cooperative();
  manifest.launches[0].grid[2] = DimExpr(5);
  EXPECT_HAS(launch(manifest).error().message,
             "wants all 30 blocks on the device at once, which has no room for so many");
}

TEST(OnFakeHip, BlocksThatWaitForEachOtherAreLaunchedTogether) {
  Result<Device> device = openHip(0, TILEC_FAKE_DRIVER);
  ASSERT_TRUE(device);
  Manifest manifest = cooperative();
  Result<ArgumentSet> arguments = makeArguments(manifest, {});
  ASSERT_TRUE(arguments);
  std::vector<uint8_t> image = {'x'};
  ASSERT_TRUE(launchProgram(*device, manifest, image, *arguments));
  EXPECT_STREQ(fake<const char *(*)()>("fakeLastLaunch")(),
               "grid 3 2 2 block 64 1 1 shared 0 cooperative");
  manifest.launches[0].grid[2] = DimExpr(5);
  EXPECT_HAS(launchProgram(*device, manifest, image, *arguments).error().message,
             "wants all 30 blocks on the device at once");
}

TEST_F(OnFakeCuda, LimitsAreNamed) {
  Manifest manifest = blocks();
  manifest.launches[0].sharedBytes = 300000;
  EXPECT_HAS(launch(manifest).error().message, "needs 300000 bytes of shared memory, Fake H200");
  manifest = blocks();
  manifest.launches[0].grid[1] = DimExpr(65536);
  EXPECT_HAS(launch(manifest).error().message, "CUDA launches at most 65535");
  manifest.launches[0].grid[1] = DimExpr(-1);
  EXPECT_HAS(launch(manifest).error().message, "is -1");
}

TEST_F(OnFakeCuda, AFaultIsReportedWithTheKernel) {
  Manifest manifest = blocks();
  manifest.kernel = "faulty";
  manifest.launches[0].symbol = "fault";
  Result<Timing> run = launch(manifest);
  fake<void (*)()>("fakeReset")();
  ASSERT_FALSE(run);
  EXPECT_HAS(run.error().message, "run of `faulty`: cuStreamSynchronize: ERROR_ILLEGAL_ADDRESS");
}

TEST_F(OnFakeCuda, StridedTensorsAreScatteredAndTheirGapsGuarded) {
  // The kernel reads x[i] and writes y[i], i < n, by address; x and y have two elements, three
  // apart.
  Manifest manifest = scaleManifest();
  for (int i = 0; i < 2; ++i) {
    manifest.launches[0].params[i].shape = {DimExpr(2)};
    manifest.launches[0].params[i].strides = {DimExpr(3)};
  }
  ArgumentRequest request;
  request.specs = {*parseArgSpec("s=2"), *parseArgSpec("y=7")};
  request.dims = {{"n", 1}};
  Result<Timing> run = launch(manifest, request);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(arguments.find("y")->tensor.value(0), arguments.find("x")->tensor.value(0) * 2);
  EXPECT_EQ(arguments.find("y")->tensor.value(1), 7);
  request.dims = {{"n", 2}};
  EXPECT_HAS(launch(manifest, request).error().message, "wrote between its elements, at byte");
}

TEST_F(OnFakeCuda, ZeroedWorkspacesAreClearedBeforeEachRun) {
  // `scale` adds nothing up, so the workspace is its input: 0 s = 0, and 0xA5A5A5A5 otherwise.
  Manifest manifest = scaleManifest();
  Param &x = manifest.launches[0].params[0];
  x.kind = ParamKind::Workspace;
  x.bytes = DimExpr::name("n") * DimExpr(4);
  ArgumentRequest request;
  request.specs = {*parseArgSpec("s=1")};
  request.dims = {{"n", 3}};
  ASSERT_TRUE(launch(manifest, request));
  EXPECT_EQ(arguments.find("y")->tensor.bits(2), 0xA5A5A5A5u);
  x.zeroed = true;
  ASSERT_TRUE(launch(manifest, request));
  EXPECT_EQ(arguments.find("y")->tensor.bits(2), 0u);
}

TEST_F(OnFakeCuda, TensorMapsAreEncodedFromTheManifest) {
  Result<Device> device = openCuda(0, TILEC_FAKE_DRIVER);
  Param map = valueParam("m", ParamKind::TensorMap, DType::BF16);
  DimExpr rows = DimExpr::name("rows");
  map.map = {"A", {512, rows}, {DimExpr(512)}, {64, 128}, 128};
  Manifest manifest = manifestOf("k",
                                 {tensorParam("A", DType::BF16, {rows, 512}, Access::Read),
                                  valueParam("rows", ParamKind::Dim, DType::I32), map},
                                 {DimExpr(1), DimExpr(1), DimExpr(1)});
  ASSERT_TRUE(validate(manifest));
  ArgumentSet set;
  set.dims = {{"rows", 300}};
  Result<ParamBuffer> params = packParams(*device, manifest.launches[0], set, {{"A", 0x1000}});
  ASSERT_TRUE(params) << params.error().message;
  ASSERT_EQ(params->bytes.size(), 192u); // pointer, dim, then the map at 64
  std::vector<uint64_t> words(7);
  std::memcpy(words.data(), &params->bytes[64], 56);
  // address; rank 2, BFLOAT16 = 9, SWIZZLE_128B = 3; dims; strides in bytes; box
  EXPECT_EQ(words, (std::vector<uint64_t>{0x1000, 2 | 9 << 8 | 3 << 16, 512, 300, 1024, 64, 128}));
  manifest.launches[0].params[2].map.strides = {DimExpr(509)};
  EXPECT_HAS(packParams(*device, manifest.launches[0], set, {{"A", 0x1000}}).error().message,
             "1018 bytes apart");
}

TEST_F(OnFakeCuda, TensorMapsOfImagesAreEncodedFromTheManifest) {
  Result<Device> device = openCuda(0, TILEC_FAKE_DRIVER);
  Param map = valueParam("m", ParamKind::TensorMap, DType::F16);
  DimExpr images = DimExpr::name("n");
  map.map = {"A", {64, 9, 8, images}, {64, 576, 4608}, {64, 128}, 128};
  map.map.im2col = {{-1, -2}, {-3, 0}, {1, 2}};
  Manifest manifest = manifestOf("k",
                                 {tensorParam("A", DType::F16, {images, 8, 9, 64}, Access::Read),
                                  valueParam("n", ParamKind::Dim, DType::I32), map},
                                 {DimExpr(1), DimExpr(1), DimExpr(1)});
  manifest.version = im2colManifestVersion;
  ASSERT_TRUE(validate(manifest));
  ArgumentSet set;
  set.dims = {{"n", 5}};
  Result<ParamBuffer> params = packParams(*device, manifest.launches[0], set, {{"A", 0x1000}});
  ASSERT_TRUE(params) << params.error().message;
  std::vector<uint64_t> words(13);
  std::memcpy(words.data(), &params->bytes[64], 8 * words.size());
  auto both = [](int32_t low, int32_t high) {
    return uint64_t(uint32_t(low)) | uint64_t(uint32_t(high)) << 32;
  };
  // address; rank 4, FLOAT16 = 6, SWIZZLE_128B = 3; dims; strides in bytes; corners; channels and
  // pixels; steps
  EXPECT_EQ(words,
            (std::vector<uint64_t>{0x1000, 4 | 6 << 8 | 3 << 16, 64, 9, 8, 5, 128, 1152, 9216,
                                   both(-1, -2), both(-3, 0), both(64, 128), both(1, 2)}));
}

TEST_F(OnFakeCuda, ARivalIsTimedInTurnsOnTheSameTensors) {
  Manifest manifest = scaleManifest();
  ArgumentRequest request;
  request.dims = {{"n", 64}};
  request.specs = {*parseArgSpec("s=2")};
  ArgumentSet set = *makeArguments(manifest, request);
  Result<Device> device = openCuda(0, TILEC_FAKE_DRIVER);
  std::vector<uint8_t> image = {'x'};
  int runs = 0;
  std::set<DeviceAddress> seen;
  BenchOptions bench;
  bench.enabled = true;
  bench.warmUpMs = 0, bench.sampleMs = 0.01, bench.targetMs = 0.1, bench.minSamples = 20;
  Rival rival;
  rival.name = "other";
  rival.result = "y";
  rival.run = [&](const std::map<std::string, DeviceAddress> &tensors, uint64_t stream) {
    ++runs;
    EXPECT_NE(stream, 0u);
    seen.insert(tensors.at("x"));
    const auto *x = reinterpret_cast<const float *>(tensors.at("x"));
    auto *y = reinterpret_cast<float *>(tensors.at("y"));
    for (int i = 0; i < 64; ++i)
      y[i] = 2 * x[i];
    return success();
  };
  bench.rivals = {rival};
  Result<Timing> timing = launchProgram(*device, manifest, image, set, bench);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_GE(runs, 3 + timing->samples);
  EXPECT_EQ(seen.size(), static_cast<size_t>(timing->bufferSets)); // rotates through all copies
  EXPECT_GT(timing->bufferSets, 1);
  ASSERT_EQ(timing->rivals.size(), 1u);
  const RivalTiming &other = timing->rivals[0];
  EXPECT_GE(timing->samples, 20);
  EXPECT_GT(other.medianMs, 0);
  EXPECT_GT(other.low, 0);
  EXPECT_LE(other.low, other.ratio);
  EXPECT_LE(other.ratio, other.high);
  ASSERT_TRUE(other.agreement);
  EXPECT_TRUE(other.agreement->passed());

  // One that leaves a single element alone computes something else.
  bench.rivals[0].run = [](const auto &tensors, uint64_t) {
    const auto *x = reinterpret_cast<const float *>(tensors.at("x"));
    auto *y = reinterpret_cast<float *>(tensors.at("y"));
    for (int i = 1; i < 64; ++i)
      y[i] = 2 * x[i];
    return success();
  };
  timing = launchProgram(*device, manifest, image, set, bench);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_EQ(timing->rivals[0].agreement->mismatchCount, 1);
  EXPECT_HAS(describe(timing->rivals[0], 20), "RESULTS DIFFER in 1 of 64 elements");

  bench.rivals[0].run = [](const auto &, uint64_t) -> Status { return Error{"no algorithm"}; };
  EXPECT_HAS(launchProgram(*device, manifest, image, set, bench).error().message,
             "other: no algorithm");
}

TEST_F(OnFakeCuda, AlternativesTakeTurnsOnTheSameTensors) {
  int handles = fake<int (*)()>("fakeLiveHandles")();
  {
    Manifest manifest = scaleManifest(), other = manifest;
    other.launches[0].symbol = "unknown";
    ArgumentRequest request;
    request.dims = {{"n", 64}};
    request.specs = {*parseArgSpec("s=2")};
    ArgumentSet set = *makeArguments(manifest, request), results = set;
    std::vector<uint8_t> image = {'x'};
    Trials trials(*openCuda(0, TILEC_FAKE_DRIVER), set);
    for (int i = 0; i < 2; ++i) {
      results.find("y")->tensor.setValue(5, 7);
      Status ran = trials.run({&manifest, image}, results);
      ASSERT_TRUE(ran) << ran.error().message;
      EXPECT_EQ(results.find("y")->tensor.value(5), 2 * set.find("x")->tensor.value(5));
      EXPECT_TRUE(std::isnan(set.find("y")->tensor.value(5))) << "the arguments stay as they were";
      auto times = trials.timeInTurns({{&manifest, image}, {&manifest, image}}, 7, 0);
      ASSERT_TRUE(times) << times.error().message;
      ASSERT_EQ(times->size(), 2u);
      for (const std::vector<double> &rounds : *times) {
        EXPECT_EQ(rounds.size(), 7u);
        EXPECT_GT(median(rounds), 0);
      }
    }
    EXPECT_TRUE(trials.timeInTurns({}, 7, 0)->empty());
    EXPECT_FALSE(trials.timeInTurns({{&manifest, image}, {&other, image}}, 7, 0));
    EXPECT_FALSE(trials.run({&other, image}, results));
  }
  EXPECT_EQ(fake<int (*)()>("fakeLiveHandles")(), handles);
}

TEST_F(OnFakeCuda, TheFastestAlgorithmOfARivalIsTimed) {
  Manifest manifest = scaleManifest();
  ArgumentRequest request;
  request.dims = {{"n", 64}};
  request.specs = {*parseArgSpec("s=2")};
  ArgumentSet set = *makeArguments(manifest, request);
  Result<Device> device = openCuda(0, TILEC_FAKE_DRIVER);
  std::vector<uint8_t> image = {'x'};
  BenchOptions bench;
  bench.enabled = true;
  bench.warmUpMs = 0, bench.sampleMs = 0.01, bench.targetMs = 0.1, bench.minSamples = 5;
  int chosen = -1;
  Rival rival;
  rival.name = "library";
  rival.algorithms = 4;
  rival.choose = [&](int i) { chosen = i; };
  rival.run = [&](const auto &, uint64_t) -> Status {
    if (chosen == 0)
      return Error{"not supported"};
    if (chosen != 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return success();
  };
  bench.rivals = {rival};
  Result<Timing> timing = launchProgram(*device, manifest, image, set, bench);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_EQ(timing->rivals[0].algorithm, 2);
  EXPECT_EQ(timing->rivals[0].algorithms, 3) << "one of four did not run";
  EXPECT_EQ(chosen, 2);

  bench.rivals[0].run = [](const auto &, uint64_t) -> Status { return Error{"not supported"}; };
  EXPECT_HAS(launchProgram(*device, manifest, image, set, bench).error().message,
             "library: not supported");
}

} // namespace

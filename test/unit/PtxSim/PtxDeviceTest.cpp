//===- PtxDeviceTest.cpp - the PTX simulator passes the devices' suite ----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/PtxSim/PtxDevice.h"

#include "Conformance.h"

using namespace tilec;
using namespace tilec::rt;

namespace {

DeviceUnderTest simulated(const char *name, uint64_t seed) {
  PtxDeviceOptions options;
  options.launch.seed = seed;
  return {name, [=] { return openPtx("sm_80", options); }, TILEC_CONFORMANCE_PTX,
          /*hasClock=*/false};
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance,
                         testing::Values(simulated("Ptx", 0), simulated("PtxOtherOrder", 17)),
                         [](const auto &info) { return info.param.name; });

TensorMapRequest request() {
  TensorMapRequest r;
  r.address = 4096;
  r.elementBits = 16;
  r.dims = {100, 50};
  r.strideBytes = {208};
  r.box = {64, 8};
  r.swizzleBytes = 128;
  return r;
}

} // namespace

TEST(PtxDevice, RefusesTheTensorMapsThatTheDriverRefuses) {
  Result<Device> device = openPtx("sm_90a");
  ASSERT_TRUE(device);
  EXPECT_TRUE(device->encodeTensorMap(request()));
  auto refuses = [&](auto change, const char *why) {
    TensorMapRequest r = request();
    change(r);
    Result<std::array<uint8_t, 128>> map = device->encodeTensorMap(r);
    ASSERT_FALSE(map);
    EXPECT_NE(map.error().message.find(why), std::string::npos) << map.error().message;
  };
  refuses([](TensorMapRequest &r) { r.address += 8; }, "multiple of 16");
  refuses([](TensorMapRequest &r) { r.strideBytes = {200}; }, "multiples of 16");
  refuses([](TensorMapRequest &r) { r.box = {64, 257}; }, "1 to 256");
  refuses([](TensorMapRequest &r) { r.box = {128, 8}; }, "the swizzle 128");
  refuses([](TensorMapRequest &r) { r.box = {4, 8}, r.swizzleBytes = 0; }, "multiple of 16 bytes");
  refuses([](TensorMapRequest &r) { r.dims = {}; }, "1 to 5 dimensions");
}

TEST(PtxDevice, RefusesTheIm2colTensorMapsThatTheDriverRefuses) {
  Result<Device> device = openPtx("sm_90a");
  ASSERT_TRUE(device);
  TensorMapRequest good = request();
  good.dims = {64, 9, 8, 5};
  good.strideBytes = {128, 1152, 9216};
  good.box = {64, 1024};
  good.im2col = Im2colSpec{{-1, -1}, {-1, -1}, {2, 2}};
  auto map = device->encodeTensorMap(good);
  EXPECT_TRUE(map) << map.error().message;
  auto refuses = [&](auto change, const char *why) {
    TensorMapRequest r = good;
    change(r);
    Result<std::array<uint8_t, 128>> map = device->encodeTensorMap(r);
    ASSERT_FALSE(map);
    EXPECT_NE(map.error().message.find(why), std::string::npos) << map.error().message;
  };
  refuses([](TensorMapRequest &r) { r.box = {64, 1025}; }, "1 to 1024");
  refuses([](TensorMapRequest &r) { r.box = {264, 8}; }, "1 to 256");
  refuses([](TensorMapRequest &r) { r.im2col->lower = {-129, 0}; }, "-128 to 127");
  refuses([](TensorMapRequest &r) { r.im2col->steps = {9, 1}; }, "1 to 8");
  refuses([](TensorMapRequest &r) { r.im2col->upper = {-10, 0}; }, "bounding box");
  refuses([](TensorMapRequest &r) { r.dims.pop_back(), r.strideBytes.pop_back(); },
          "four dimensions");
}

TEST(PtxDevice, RefusesImagesThatAreNoPtx) {
  Result<Device> device = openPtx("sm_90a");
  const uint8_t image[] = {0x7f, 'E', 'L', 'F'};
  Result<Module> module = device->load(image);
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("the image is no PTX"), std::string::npos);
}

//===- ChooseDeviceTest.cpp - target and device go together ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Driver/ChooseDevice.h"

#include <gtest/gtest.h>

#include <map>

using namespace tilec;

namespace {

/// A machine with these GPUs, by driver.
FindGpu machine(std::map<std::string, std::string> gpus) {
  return [gpus](const std::string &device) -> rt::Result<std::string> {
    auto it = gpus.find(device);
    if (it == gpus.end())
      return rt::Error{device + ": no driver"};
    return it->second;
  };
}

std::string chosen(const std::string &target, const std::string &device,
                   std::map<std::string, std::string> gpus = {}) {
  rt::Result<DeviceChoice> choice = chooseDevice(target, device, machine(std::move(gpus)));
  if (!choice)
    return choice.error().message;
  return std::string(nameOf(choice->arch)) + " " + choice->device +
         (choice->why.empty() ? "" : " because");
}

TEST(ChooseDevice, BothGiven) {
  EXPECT_EQ(chosen("gfx942", "sim", {{"cuda", "sm_90"}}), "gfx942 sim");
  EXPECT_EQ(chosen("sm_90", "cuda"), "sm_90a cuda"); // with wgmma
  EXPECT_EQ(chosen("sm_90", "ptx"), "sm_90 ptx");
  EXPECT_NE(chosen("sm_80", "hip").find("AMD GPUs"), std::string::npos);
}

TEST(ChooseDevice, TheTargetDecides) {
  EXPECT_EQ(chosen("gfx942", ""), "gfx942 sim because");
  EXPECT_EQ(chosen("gfx942", "", {{"hip", "gfx942"}}), "gfx942 hip because");
  EXPECT_EQ(chosen("gfx942", "", {{"hip", "gfx950"}, {"cuda", "sm_90"}}), "gfx942 sim because");
  EXPECT_EQ(chosen("sm_80", "", {{"cuda", "sm_90"}}), "sm_80 ptx because");
  EXPECT_EQ(chosen("sm_90a", "", {{"cuda", "sm_90"}}), "sm_90a cuda because");
}

TEST(ChooseDevice, TheDeviceDecides) {
  EXPECT_EQ(chosen("", "sim"), "gfx950 sim because");
  EXPECT_EQ(chosen("", "ptx"), "sm_90a ptx because");
  EXPECT_EQ(chosen("", "cpu"), "gfx950 cpu because");
  EXPECT_EQ(chosen("", "cuda", {{"cuda", "sm_80"}}), "sm_80 cuda because");
  EXPECT_EQ(chosen("", "cuda", {{"cuda", "sm_90"}}), "sm_90a cuda because");
  EXPECT_EQ(chosen("", "hip"), "hip: no driver");
  EXPECT_NE(chosen("", "cuda", {{"cuda", "sm_70"}}).find("this machine's GPU is sm_70"),
            std::string::npos);
}

TEST(ChooseDevice, TheMachineDecides) {
  EXPECT_EQ(chosen("", ""), "gfx950 sim because");
  EXPECT_EQ(chosen("", "", {{"cuda", "sm_90"}}), "sm_90a cuda because");
  EXPECT_EQ(chosen("", "", {{"hip", "gfx942"}}), "gfx942 hip because");
  EXPECT_EQ(chosen("", "", {{"cuda", "sm_70"}, {"hip", "gfx950"}}), "gfx950 hip because");
}

} // namespace

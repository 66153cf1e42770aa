//===- LanesTest.cpp - exchanges between lanes, identity, votes -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WaveRunner.h"

#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::testing;

namespace {

std::vector<uint64_t> randomWords(size_t count) {
  Random random(21);
  std::vector<uint64_t> words(count);
  for (uint64_t &word : words)
    word = uint64_t(random.next()) << 32 | random.next();
  return words;
}

TEST(Lanes, EveryXorMask) {
  std::vector<uint64_t> xs = randomWords(128);
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (unsigned mask = 0; mask < 64; ++mask) {
      std::string body = "  %z = wave.shuffle_xor %x, " + std::to_string(mask) + " : i64";
      std::vector<uint64_t> zs = runElementWise(arch, {"i64", "i64", "i64", body}, xs, xs);
      ASSERT_EQ(zs.size(), xs.size());
      for (size_t i = 0; i < xs.size(); ++i)
        ASSERT_EQ(zs[i], xs[i ^ mask]) << "mask " << mask << " lane " << i;
    }
}

TEST(Lanes, AnyOtherLane) {
  std::vector<uint64_t> xs = randomWords(64), ys(64);
  for (size_t i = 0; i < 64; ++i)
    ys[i] = i * 29 % 64;
  std::string body = "  %f = arith.bitcast %x : i32 to f32\n"
                     "  %l = arith.index_cast %y : i32 to index\n"
                     "  %s = wave.shuffle %f, %l : f32\n  %z = arith.bitcast %s : f32 to i32";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"i32", "i32", "i32", body}, xs, ys);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(zs[i], xs[ys[i]] & 0xffffffff);
}

TEST(Lanes, OneLaneForAll) {
  std::vector<uint64_t> xs = randomWords(64);
  std::string body = "  %l = arith.constant 37 : index\n  %z = wave.shuffle %x, %l : i32";
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950}) {
    std::vector<uint64_t> zs = runElementWise(arch, {"i32", "i32", "i32", body}, xs, xs);
    for (uint64_t z : zs)
      EXPECT_EQ(z, xs[37] & 0xffffffff);
  }
}

/// What wave.scan_partner says.
std::optional<unsigned> scanPartner(unsigned lane, unsigned step, unsigned width, bool reverse) {
  unsigned distance = 1u << step, group = std::min(width, 16u), inGroup = lane % group;
  if (distance >= 16) {
    bool isUpper = lane & distance;
    if (isUpper == reverse)
      return std::nullopt;
    unsigned own = lane / distance * distance;
    return reverse ? own + distance : own - 1;
  }
  if (reverse ? inGroup + distance >= group : inGroup < distance)
    return std::nullopt;
  return reverse ? lane + distance : lane - distance;
}

TEST(Lanes, EveryStepOfAScan) {
  std::vector<uint64_t> xs = randomWords(128), ys = randomWords(128);
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (bool reverse : {false, true})
      for (unsigned width = 2; width <= 64; width *= 2)
        for (unsigned step = 0; 1u << step < width; ++step) {
          std::string body = std::string("  %z = wave.scan_partner ") +
                             (reverse ? "reverse " : "") + "%x, %y step " + std::to_string(step) +
                             " width " + std::to_string(width) + " : i64";
          std::vector<uint64_t> zs = runElementWise(arch, {"i64", "i64", "i64", body}, xs, ys);
          ASSERT_EQ(zs.size(), xs.size());
          for (size_t i = 0; i < xs.size(); ++i) {
            auto from = scanPartner(i % 64, step, width, reverse);
            ASSERT_EQ(zs[i], from ? xs[i / 64 * 64 + *from] : ys[i])
                << "step " << step << " of " << width << ", lane " << i << ", reverse " << reverse;
          }
        }
}

// The steps leave the sum of the lanes up to each in it.
TEST(Lanes, StepsMakeAScan) {
  for (bool reverse : {false, true})
    for (unsigned width = 2; width <= 64; width *= 2) {
      std::vector<unsigned> sums(64, 1), next;
      for (unsigned step = 0; 1u << step < width; ++step) {
        next = sums;
        for (unsigned lane = 0; lane < 64; ++lane)
          if (auto from = scanPartner(lane, step, width, reverse))
            next[lane] += sums[*from];
        sums = next;
      }
      for (unsigned lane = 0; lane < 64; ++lane)
        EXPECT_EQ(sums[lane], reverse ? width - lane % width : lane % width + 1);
    }
}

TEST(Lanes, BytesOfTwoWords) {
  std::vector<uint64_t> xs = randomWords(64), ys(xs.rbegin(), xs.rend());
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (std::array<unsigned, 4> bytes : {std::array<unsigned, 4>{0, 1, 4, 5}, {7, 2, 0, 4}}) {
      std::string list;
      for (unsigned byte : bytes)
        list += (list.empty() ? "" : ", ") + std::to_string(byte);
      std::string body = "  %z = wave.byte_permute %x, %y [" + list + "]";
      std::vector<uint64_t> zs = runElementWise(arch, {"i32", "i32", "i32", body}, xs, ys);
      for (size_t i = 0; i < zs.size(); ++i) {
        uint64_t both = (xs[i] & 0xffffffff) | ys[i] << 32, want = 0;
        for (unsigned n = 0; n < 4; ++n)
          want |= (both >> (8 * bytes[n]) & 0xff) << (8 * n);
        ASSERT_EQ(zs[i], want) << list << " lane " << i;
      }
    }
}

TEST(Lanes, Identity) {
  const char *text = R"(
    wave.kernel @k(["z"]) access ["w"] threads(192) shared(0) {
    ^bb0(%Z: !wave.global):
      %t = wave.thread_id
      %lane = wave.lane_id
      %wave = wave.wave_id
      %block = wave.block_id 0
      %c4 = arith.constant 4 : index
      %c192 = arith.constant 192 : index
      %c64 = arith.constant 64 : index
      %c1000 = arith.constant 1000 : index
      %first = arith.muli %block, %c192 : index
      %i = arith.addi %first, %t : index
      %o = arith.muli %i, %c4 : index
      %a = arith.muli %wave, %c1000 : index
      %b = arith.addi %a, %lane : index
      %v = arith.index_cast %b : index to i32
      wave.global_write %v, %Z[%o] align 4 : i32, index
    })";
  std::vector<Bytes> buffers = {Bytes(2 * 192 * 4)};
  ASSERT_TRUE(runKernel(Arch::Gfx950, text, 2, 192, buffers));
  for (uint32_t i = 0; i < 2 * 192; ++i) {
    uint32_t value;
    std::memcpy(&value, &buffers[0][i * 4], 4);
    EXPECT_EQ(value, i % 192 / 64 * 1000 + i % 64) << i;
  }
}

} // namespace

//===- MemoryTest.cpp - memory, control flow and copies on the simulator --===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WaveRunner.h"

#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::testing;

namespace {

Bytes wordsAsBytes(const std::vector<uint32_t> &words) {
  Bytes bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::vector<uint32_t> bytesAsWords(const Bytes &bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::vector<uint32_t> randomWords(size_t count) {
  Random random(31);
  std::vector<uint32_t> words(count);
  for (uint32_t &word : words)
    word = random.next();
  return words;
}

// Loops with a number of rounds that only the run knows, zero included, and registers that pass
// through nested loops and branches.
TEST(ControlFlow, RegistersThroughLoopsAndBranches) {
  const char *text = R"(
    wave.kernel @k(["n", "z"]) access ["r", "w"] threads(64) shared(0) {
    ^bb0(%N: !wave.global, %Z: !wave.global):
      %t = wave.thread_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %o = arith.muli %t, %c4 : index
      %n32 = wave.global_read %N[%o] align 4 : index -> i32
      %n = arith.index_cast %n32 : i32 to index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %r = wave.alloc_regs "r" : !wave.regs<2 x i32>
      wave.set %zero, %r[0] : i32, !wave.regs<2 x i32>
      wave.set %one, %r[1] : i32, !wave.regs<2 x i32>
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %c3 step %c2 {
          %rest = arith.remui %i, %c2 : index
          %even = arith.cmpi eq, %rest, %c0 : index
          scf.if %even {
            %a = wave.get %r[0] : !wave.regs<2 x i32> -> i32
            %b = wave.get %r[1] : !wave.regs<2 x i32> -> i32
            %s = arith.addi %a, %b : i32
            wave.set %s, %r[0] : i32, !wave.regs<2 x i32>
          } else {
            %b = wave.get %r[1] : !wave.regs<2 x i32> -> i32
            %d = arith.addi %b, %b : i32
            wave.set %d, %r[1] : i32, !wave.regs<2 x i32>
          }
        }
      }
      %big = arith.cmpi ugt, %n, %c3 : index
      scf.if %big {
        %a = wave.get %r[0] : !wave.regs<2 x i32> -> i32
        %m = arith.subi %zero, %a : i32
        wave.set %m, %r[0] : i32, !wave.regs<2 x i32>
      }
      %v = wave.get %r[0] : !wave.regs<2 x i32> -> i32
      wave.global_write %v, %Z[%o] align 4 : i32, index
    })";
  std::vector<uint32_t> rounds(64);
  for (uint32_t i = 0; i < 64; ++i)
    rounds[i] = i % 7;
  std::vector<Bytes> buffers = {wordsAsBytes(rounds), Bytes(256)};
  ASSERT_TRUE(runKernel(Arch::Gfx950, text, 1, 64, buffers));
  std::vector<uint32_t> results = bytesAsWords(buffers[1]);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    uint32_t a = 0, b = 1;
    for (uint32_t i = 0; i < rounds[lane]; ++i)
      for (int j = 0; j < 3; j += 2)
        i % 2 == 0 ? a += b : b *= 2;
    EXPECT_EQ(results[lane], rounds[lane] > 3 ? 0u - a : a) << lane;
  }
}

TEST(ControlFlow, WhileAndCarriedValues) {
  const char *text = R"(
    wave.kernel @k(["x", "z"]) access ["r", "w"] threads(64) shared(0) {
    ^bb0(%X: !wave.global, %Z: !wave.global):
      %t = wave.thread_id
      %c4 = arith.constant 4 : index
      %o = arith.muli %t, %c4 : index
      %x = wave.global_read %X[%o] align 4 : index -> i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %zero = arith.constant 0 : i32
      %steps = wave.alloc_regs : !wave.regs<1 x i32>
      wave.set %zero, %steps[0] : i32, !wave.regs<1 x i32>
      %last = scf.while (%v = %x) : (i32) -> i32 {
        %more = arith.cmpi ne, %v, %one : i32
        scf.condition(%more) %v : i32
      } do {
      ^bb0(%v: i32):
        %s = wave.get %steps[0] : !wave.regs<1 x i32> -> i32
        %s1 = arith.addi %s, %one : i32
        wave.set %s1, %steps[0] : i32, !wave.regs<1 x i32>
        %bit = arith.andi %v, %one : i32
        %odd = arith.cmpi ne, %bit, %zero : i32
        %next = scf.if %odd -> i32 {
          %m = arith.muli %v, %three : i32
          %p = arith.addi %m, %one : i32
          scf.yield %p : i32
        } else {
          %h = arith.divui %v, %two : i32
          scf.yield %h : i32
        }
        scf.yield %next : i32
      }
      %s = wave.get %steps[0] : !wave.regs<1 x i32> -> i32
      wave.global_write %s, %Z[%o] align 4 : i32, index
    })";
  std::vector<uint32_t> starts(64);
  for (uint32_t i = 0; i < 64; ++i)
    starts[i] = i + 1;
  std::vector<Bytes> buffers = {wordsAsBytes(starts), Bytes(256)};
  ASSERT_TRUE(runKernel(Arch::Gfx950, text, 1, 64, buffers));
  std::vector<uint32_t> results = bytesAsWords(buffers[1]);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    uint32_t steps = 0;
    for (uint32_t v = starts[lane]; v != 1; v = v % 2 ? 3 * v + 1 : v / 2)
      ++steps;
    EXPECT_EQ(results[lane], steps) << lane;
  }
}

// Waves exchange data through shared memory; half of the lanes write, all read 16 bytes.
TEST(SharedMemory, WritesAreSeenAfterTheBarrier) {
  const char *text = R"(
    wave.kernel @k(["x", "z"]) access ["r", "w"] threads(256) shared(4096) {
    ^bb0(%X: !wave.global, %Z: !wave.global):
      %t = wave.thread_id
      %c255 = arith.constant 255 : index
      %c16 = arith.constant 16 : index
      %c128 = arith.constant 128 : index
      %o = arith.muli %t, %c16 : index
      %x = wave.global_read %X[%o] align 16 : index -> vector<4xi32>
      %true = arith.constant true
      wave.shared_write %x, %o mask(%true) : vector<4xi32>
      %low = wave.extract %x[1] : vector<4xi32> -> i32
      %lower = arith.cmpi ult, %t, %c128 : index
      wave.barrier
      wave.shared_write %low, %o imm(8) mask(%lower) : i32
      wave.barrier
      %back = arith.subi %c255, %t : index
      %at = arith.muli %back, %c16 : index
      %y = wave.shared_read %at : vector<4xi32>
      wave.global_write %y, %Z[%o] align 16 : vector<4xi32>, index
    })";
  std::vector<uint32_t> words = randomWords(1024);
  std::vector<Bytes> buffers = {wordsAsBytes(words), Bytes(4096)};
  ASSERT_TRUE(runKernel(Arch::Gfx942, text, 1, 256, buffers));
  std::vector<uint32_t> results = bytesAsWords(buffers[1]);
  for (uint32_t i = 0; i < 1024; ++i) {
    uint32_t from = 255 - i / 4, part = i % 4;
    EXPECT_EQ(results[i], words[from * 4 + (part == 2 && from < 128 ? 1 : part)]) << i;
  }
}

// Tails: what the mask excludes lies outside the tensors, which the simulator would report.
TEST(GlobalMemory, MaskedAccessesStayInside) {
  for (const char *type : {"i32", "vector<4xi8>", "vector<2xf16>", "vector<1xi32>"}) {
    std::string t = type;
    std::string text = R"(
    wave.kernel @k(["x", "z"]) access ["r", "w"] threads(64) shared(0) {
    ^bb0(%X: !wave.global, %Z: !wave.global):
      %t = wave.thread_id
      %c4 = arith.constant 4 : index
      %c37 = arith.constant 37 : index
      %o = arith.muli %t, %c4 : index
      %o64 = arith.index_castui %o : index to i64
      %in = arith.cmpi ult, %t, %c37 : index
      %x = wave.global_read %X[%o64] mask(%in) align 4 : i64 -> )" +
                       t + R"(
      %w = wave.bitcast %x : )" +
                       t + R"( -> i32
      %c1 = arith.constant 1 : i32
      %w1 = arith.addi %w, %c1 : i32
      %y = wave.bitcast %w1 : i32 -> )" +
                       t + R"(
      wave.global_write %y, %Z[%o] mask(%in) align 4 : )" +
                       t + R"(, index
    })";
    std::vector<uint32_t> words = randomWords(37);
    std::vector<Bytes> buffers = {wordsAsBytes(words), Bytes(37 * 4)};
    ASSERT_TRUE(runKernel(Arch::Gfx950, text, 1, 64, buffers)) << type;
    std::vector<uint32_t> results = bytesAsWords(buffers[1]);
    for (uint32_t i = 0; i < 37; ++i)
      EXPECT_EQ(results[i], words[i] + 1) << type;
  }
}

TEST(GlobalMemory, MaskedReadsGiveZero) {
  const char *text = R"(
    wave.kernel @k(["x", "z"]) access ["r", "w"] threads(64) shared(0) {
    ^bb0(%X: !wave.global, %Z: !wave.global):
      %t = wave.thread_id
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c20 = arith.constant 20 : index
      %o = arith.muli %t, %c4 : index
      %o2 = arith.muli %t, %c8 : index
      %in = arith.cmpi ult, %t, %c20 : index
      %step = arith.constant 16 : i64
      %B = wave.add_global %X, %step
      %x = wave.global_read %B[%o] mask(%in) align 4 : index -> f32
      %v = wave.global_read %B[%o] mask(%in) align 4 : index -> vector<1xf32>
      %e = wave.extract %v[0] : vector<1xf32> -> f32
      %p = wave.pack %x, %e : f32, f32 -> vector<2xf32>
      wave.global_write %p, %Z[%o2] align 8 : vector<2xf32>, index
    })";
  std::vector<uint32_t> words = randomWords(24);
  std::vector<Bytes> buffers = {wordsAsBytes(words), Bytes(512)};
  ASSERT_TRUE(runKernel(Arch::Gfx950, text, 1, 64, buffers));
  std::vector<uint32_t> results = bytesAsWords(buffers[1]);
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(results[i], i / 2 < 20 ? words[i / 2 + 4] : 0) << i;
}

/// 64 lanes update two counters; odd lanes only, where `masked`.
void checkAtomic(Arch arch, const std::string &kind, const std::string &type, bool isShared,
                 bool masked, const std::vector<uint32_t> &values, uint32_t start, uint32_t want) {
  std::string mask = masked ? " mask(%odd)" : "";
  std::string update = isShared ? "%old = wave.shared_atomic " + kind + " %v, %c0" + mask + " : " +
                                      type + " -> " + type
                                : "%old = wave.global_atomic " + kind + " %v, %Z[%c0]" + mask +
                                      " : " + type + ", index -> " + type;
  std::string text =
      R"(
    wave.kernel @k(["x", "z"]) access ["r", "rw"] threads(64) shared(16) {
    ^bb0(%X: !wave.global, %Z: !wave.global):
      %t = wave.thread_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %o = arith.muli %t, %c4 : index
      %bit = arith.andi %t, %c1 : index
      %odd = arith.cmpi eq, %bit, %c1 : index
      %first = arith.cmpi eq, %t, %c0 : index
      %v = wave.global_read %X[%o] align 4 : index -> )" +
      type + R"(
      %s = wave.global_read %Z[%c0] align 4 : index -> )" +
      type + R"(
      wave.shared_write %s, %c0 mask(%first) : )" +
      type + "\n wave.barrier\n" + update + R"(
      wave.barrier
      %r = wave.shared_read %c0 : )" +
      type + "\n" +
      (isShared ? "wave.global_write %r, %Z[%c0] mask(%first) align 4 : " + type + ", index\n"
                : "") +
      "}";
  std::vector<Bytes> buffers = {wordsAsBytes(values), wordsAsBytes({start})};
  ASSERT_TRUE(runKernel(arch, text, 1, 64, buffers));
  EXPECT_EQ(bytesAsWords(buffers[1])[0], want) << kind << " " << type << " " << isShared << masked;
}

TEST(Atomics, IntegersAndFloats) {
  std::vector<uint32_t> numbers(64), floats(64), halves(64);
  uint32_t sum = 5, oddSum = 5, largest = 5, smallest = 5;
  float floatSum = 0.5f;
  for (uint32_t i = 0; i < 64; ++i) {
    numbers[i] = i * 7 - 100;
    floats[i] = bitsOf(static_cast<float>(i) * 0.25f - 3);
    halves[i] = 0x3c00; // (1, 0) as two f16
    sum += numbers[i];
    oddSum += i % 2 ? numbers[i] : 0;
    largest = static_cast<uint32_t>(
        std::max(static_cast<int32_t>(largest), static_cast<int32_t>(numbers[i])));
    smallest = std::min(smallest, numbers[i]);
    floatSum += floatOf(floats[i]);
  }
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (bool isShared : {false, true}) {
      checkAtomic(arch, "add", "i32", isShared, false, numbers, 5, sum);
      checkAtomic(arch, "add", "i32", isShared, true, numbers, 5, oddSum);
      checkAtomic(arch, "max", "i32", isShared, false, numbers, 5, largest);
      checkAtomic(arch, "umin", "i32", isShared, false, numbers, 5, smallest);
      checkAtomic(arch, "add", "f32", isShared, false, floats, bitsOf(0.5f), bitsOf(floatSum));
      checkAtomic(arch, "max", "f32", isShared, false, floats, bitsOf(0.5f), floats[63]);
      checkAtomic(arch, "add", "vector<2xf16>", isShared, false, halves, 0x40003c00, 0x40005410);
    }
}

// 16 bytes a lane arrive where the wave's part of shared memory says.
TEST(AsyncCopies, LoadToShared) {
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950}) {
    int bytes = arch == Arch::Gfx950 ? 16 : 4;
    std::string size = std::to_string(bytes);
    std::string text = R"(
    wave.kernel @k(["x", "z"]) access ["r", "w"] threads(128) shared(4096) {
    ^bb0(%X: !wave.global, %Z: !wave.global):
      %t = wave.thread_id
      %lane = wave.lane_id
      %wave = wave.wave_id
      %c0 = arith.constant 0 : index
      %size = arith.constant )" +
                       size + R"( : index
      %part = arith.constant )" +
                       std::to_string(64 * bytes) + R"( : index
      %n = arith.constant )" +
                       std::to_string(128 * bytes + 64) + R"( : i64
      %d = wave.buffer_desc %X, %n
      %v = arith.muli %lane, %size : index
      %s = arith.muli %wave, %part : index
      wave.load_to_shared %d, %v, %s to %s imm(64) bytes )" +
                       size + R"(
      wave.wait memory(0)
      wave.barrier
      %o = arith.muli %t, %size : index
      %last = arith.constant )" +
                       std::to_string(127 * bytes) + R"( : index
      %r = arith.subi %last, %o : index
      %y = wave.shared_read %r imm(64) : vector<)" +
                       std::to_string(bytes / 4) + R"(xi32>
      wave.global_write %y, %Z[%o] align )" +
                       size + " : vector<" + std::to_string(bytes / 4) + "xi32>, index\n}";
    size_t perLane = static_cast<size_t>(bytes) / 4;
    std::vector<uint32_t> words = randomWords(128 * perLane + 16);
    std::vector<Bytes> buffers = {wordsAsBytes(words), Bytes(128 * perLane * 4)};
    ASSERT_TRUE(runKernel(arch, text, 1, 128, buffers));
    std::vector<uint32_t> results = bytesAsWords(buffers[1]);
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(results[i], words[16 + (127 - i / perLane) * perLane + i % perLane]) << i;
  }
}

} // namespace

//===- RaceTest.cpp - planted races and waits that wait for nothing -------===//
//
// Each in eager and in strict mode, and beside it the same without the fault.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

using Names = std::vector<std::string>;

struct Outcome {
  RunResult result;
  /// The kinds of findings, each once, in the order of their first.
  Names kinds() const {
    Names names;
    for (const Finding &f : result.findings) {
      std::string name = nameOf(f.kind).str() + (f.cls == FindingClass::Lint ? " (lint)" : "");
      if (!llvm::is_contained(names, name))
        names.push_back(name);
    }
    return names;
  }
};

struct Shape {
  uint32_t groups = 1, waves = 2;
};

/// Each body starts with v1 = 4 * work-item, v2 = work-item, v6 = 0, v7 = 1, s6 = wave, s2 = group,
/// and s[8:9] at a buffer of 4 KiB of zeros.
Outcome runWaves(const std::string &body, Shape shape, LaunchOptions options) {
  KernelOptions kernel;
  kernel.ldsBytes = 2048;
  std::string text = "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_and_b32 v2, 0x3ff, v0\n"
                     "v_lshlrev_b32 v1, 2, v2\nv_lshrrev_b32 v4, 6, v2\nv_mov_b32 v6, 0\n"
                     "v_mov_b32 v7, 1\ns_nop 0\nv_readfirstlane_b32 s6, v4\n"
                     "s_waitcnt lgkmcnt(0)\ns_nop 4\n" +
                     body + "\ns_endpgm";
  auto object = CodeObject::load(assemble("gfx950", kernelText("gfx950", text, kernel)));
  Memory memory;
  uint64_t buffer = llvm::cantFail(memory.allocate(4096, "data"));
  llvm::cantFail(memory.write(buffer, std::vector<uint8_t>(4096)));
  std::vector<uint8_t> kernarg(64);
  std::memcpy(kernarg.data(), &buffer, 8);
  options.threads = 1;
  auto result = tilec::sim::run(**object, "k", {shape.groups, 1, 1}, {64 * shape.waves, 1, 1},
                                kernarg, memory, options);
  return {llvm::cantFail(std::move(result))};
}

/// In both memory modes.
void expectKinds(const std::string &body, const Names &kinds, Shape shape = {}) {
  SCOPED_TRACE(body);
  for (MemoryMode mode : {MemoryMode::Eager, MemoryMode::Strict}) {
    LaunchOptions options;
    options.memoryMode = mode;
    Outcome run = runWaves(body, shape, options);
    EXPECT_EQ(run.kinds(), kinds) << (mode == MemoryMode::Strict ? "strict" : "eager") << ": "
                                  << llvm::toString(run.result.toError());
  }
}

const Names none = {}, ldsRace = {"lds-race"}, globalRace = {"global-race"};
const std::string lgkm = "\ns_waitcnt lgkmcnt(0)\n", vm = "\ns_waitcnt vmcnt(0)\n",
                  barrier = "s_barrier\n";
/// Only wave `n` of two does `what`.
std::string onlyWave(int n, const std::string &what) {
  std::string label = ".Lskip" + std::to_string(std::hash<std::string>()(what) + size_t(n));
  return "s_cmp_lg_u32 s6, " + std::to_string(n) + "\ns_cbranch_scc1 " + label + "\n" + what +
         "\n" + label + ":\n";
}
const std::string setZero = onlyWave(0, "ds_write_b32 v6, v6" + lgkm) + barrier;

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

TEST(LdsRaces, EqualValuesAreNone) {
  expectKinds("ds_write_b32 v6, v7" + lgkm + barrier + "ds_read_b32 v5, v6" + lgkm, none);
  expectKinds("ds_write_b16 v6, v7" + lgkm, none);
  expectKinds("v_mov_b32 v8, s6\nds_write_b32 v6, v8" + lgkm, ldsRace);
  expectKinds("v_mov_b32 v8, s6\nds_write_b8 v6, v8" + lgkm, ldsRace);
  // Wave 0 reads where wave 1 stores the same again: what it reads may be older still.
  expectKinds("ds_write_b32 v6, v7" + lgkm + "ds_read_b32 v5, v6" + lgkm, ldsRace);
}

TEST(LdsRaces, ReadsAndAtomics) {
  const std::string add = "ds_add_u32 v6, v7" + lgkm, read = "ds_read_b32 v5, v6" + lgkm;
  expectKinds(setZero + add + barrier + read, none);
  expectKinds(setZero + onlyWave(0, add) + onlyWave(1, read), ldsRace);
  expectKinds(setZero + onlyWave(0, read) + onlyWave(1, "s_nop 7\ns_nop 7\n" + add), ldsRace);
  expectKinds(setZero + onlyWave(0, add) + onlyWave(1, "ds_write_b32 v6, v6" + lgkm), ldsRace);
  // Atomics that are not waited for before the barrier.
  expectKinds(setZero + onlyWave(0, "ds_add_u32 v6, v7") + barrier + onlyWave(1, read), ldsRace);
}

// A loop of compare-and-swap begins with a plain read.
TEST(LdsRaces, TheReadOfACompareAndSwapIsNone) {
  const std::string loop =
      "ds_read_b32 v5, v6" + lgkm + "v_add_u32 v8, v5, v7\nds_cmpst_rtn_b32 v9, v6, v5, v8" + lgkm;
  expectKinds(setZero + loop, none);
  expectKinds(setZero + onlyWave(0, loop) + onlyWave(1, "ds_read_b32 v5, v6" + lgkm), ldsRace);
  // Its own read before the loop is one of its own.
  const std::string read = "ds_read_b32 v10, v6" + lgkm;
  expectKinds(setZero + onlyWave(0, read + loop) + onlyWave(1, loop), ldsRace);
}

/// An addition to the 16-bit element at byte 2 * `half` of the dword at `base` (a register of 0),
/// as LLVM expands it. `load`, `swap`: with their operands behind the mnemonic.
std::string addToHalf(int half, const std::string &load, const std::string &swap,
                      const std::string &wait) {
  static int count = 0;
  const std::string label = ".Lswap" + std::to_string(count++),
                    kept = half ? "0xffff" : "0xffff0000", addend = half ? "0x10000" : "1";
  return "s_mov_b32 s20, " + kept + "\ns_not_b32 s21, s20\ns_mov_b64 s[22:23], 0\n" + load + wait +
         label + ":\nv_add_u32 v8, " + addend +
         ", v9\nv_and_b32 v8, s21, v8\nv_and_or_b32 v8, v9, s20, v8\n" + swap + wait +
         "v_cmp_eq_u32 vcc, v12, v9\ns_or_b64 s[22:23], vcc, s[22:23]\nv_mov_b32 v9, v12\n"
         "s_andn2_b64 exec, exec, s[22:23]\ns_cbranch_execnz " +
         label + "\ns_mov_b64 exec, -1\n";
}
std::string addInLds(int half) {
  return addToHalf(half, "ds_read_b32 v9, v6", "ds_cmpst_rtn_b32 v12, v6, v9, v8", lgkm);
}

// A compare-and-swap of a dword is how an element of 16 bits is changed: that element is what it
// uses, by whatever other elements of the dword it is compared.
TEST(LdsRaces, ACompareAndSwapUsesWhatItChanges) {
  const std::string store = "v_mov_b32 v8, 5\nds_write_b16 v6, v8", read = "ds_read_u16 v11, v6",
                    late = "s_nop 15\ns_nop 15\ns_nop 15\ns_nop 15\n", high = " offset:2";
  expectKinds(setZero + addInLds(0) + barrier + read + lgkm, none);
  expectKinds(setZero + onlyWave(0, addInLds(0)) + onlyWave(1, addInLds(1)), none);
  for (const std::string &wait : {std::string(), late}) {
    auto besideAdd = [&](const std::string &what) {
      return setZero + onlyWave(0, addInLds(0)) + onlyWave(1, wait + what + lgkm);
    };
    expectKinds(besideAdd(store + high), none);
    expectKinds(besideAdd(read + high), none);
    expectKinds(besideAdd(store), ldsRace);
    expectKinds(besideAdd(read), ldsRace);
    expectKinds(besideAdd("ds_read_b32 v11, v6"), ldsRace);
    expectKinds(besideAdd("ds_write_b32 v6, v7"), ldsRace);
  }
  // Waves that all add, and read without a barrier.
  expectKinds(setZero + addInLds(0) + read + lgkm, ldsRace);
}

// Bytes without a value may be put back, but not changed.
TEST(LdsRaces, ACompareAndSwapNeedsTheValueOfItsElement) {
  const Names unwritten = {"uninitialized"};
  const std::string setHalf = onlyWave(0, "ds_write_b16 v6, v6" + lgkm) + barrier;
  expectKinds(setHalf + addInLds(0) + barrier + "ds_read_u16 v11, v6" + lgkm, none);
  expectKinds(setHalf + addInLds(1), unwritten);
  expectKinds(addInLds(0), unwritten);
  // What is put back has no value still.
  expectKinds(setHalf + addInLds(0) + barrier + "ds_read_u16 v11, v6 offset:2" + lgkm, unwritten);
  // A read that nothing swaps.
  expectKinds(setHalf + "ds_read_b32 v9, v6" + lgkm + "v_cmp_eq_u32 vcc, v9, v9\n" + barrier +
                  addInLds(0),
              unwritten);
}

// The last reader is the writer itself; the one before it is not.
TEST(LdsRaces, AnEarlierReaderCounts) {
  const std::string read = "ds_read_b32 v5, v6" + lgkm;
  expectKinds(
      setZero + onlyWave(1, read) +
          onlyWave(0, "s_nop 15\ns_nop 15\ns_nop 15\n" + read + "ds_write_b32 v6, v7" + lgkm),
      ldsRace);
}

// A read that is under way across a barrier may come after what follows it.
TEST(LdsRaces, AReadThatIsNotWaitedForBeforeTheBarrier) {
  const std::string write = onlyWave(1, "ds_write_b32 v6, v7" + lgkm);
  expectKinds(setZero + onlyWave(0, "ds_read_b32 v5, v6" + lgkm) + barrier + write, none);
  expectKinds(setZero + onlyWave(0, "ds_read_b32 v5, v6") + barrier + write, ldsRace);
}

// An atomic (or a read) that is under way across a barrier, behind which another wave's comes, too.
TEST(LdsRaces, WhatIsUnderWayIsNotForgottenForTheNext) {
  const std::string late = "s_nop 15\ns_nop 15\ns_nop 15\n", add = "ds_add_u32 v6, v7";
  auto both = [&](const std::string &open, const std::string &done) {
    return setZero + onlyWave(0, open) + onlyWave(1, late + done + lgkm) + barrier;
  };
  const std::string read = "ds_read_b32 v5, v6" + lgkm, write = "ds_write_b32 v6, v6" + lgkm;
  expectKinds(both(add + lgkm, add) + onlyWave(1, read), none);
  expectKinds(both(add, add) + onlyWave(1, read), ldsRace);
  expectKinds(both("ds_read_b32 v5, v6", "ds_read_b32 v5, v6") + onlyWave(1, write), ldsRace);
}

// Bits of an or, xor or and that change nothing touch no element beside.
TEST(LdsRaces, BitsOfOneElement) {
  const std::string beside = "v_mov_b32 v8, 5\nds_write_b16 v6, v8 offset:2" + lgkm,
                    same = "v_mov_b32 v8, 5\nds_write_b16 v6, v8" + lgkm;
  for (const std::string &update :
       {std::string("ds_or_b32 v6, v7"), std::string("ds_xor_b32 v6, v7"),
        std::string("v_mov_b32 v9, 0xfffffffe\nds_and_b32 v6, v9")}) {
    expectKinds(setZero + onlyWave(0, update + lgkm) + onlyWave(1, beside), none);
    expectKinds(setZero + onlyWave(0, update + lgkm) + onlyWave(1, same), ldsRace);
  }
  const std::string setHalf = onlyWave(0, "ds_write_b16 v6, v6" + lgkm) + barrier;
  expectKinds(setHalf + "ds_or_b32 v6, v7" + lgkm, none);
  expectKinds(setHalf + "v_mov_b32 v8, 0x10000\nds_or_b32 v6, v8" + lgkm, {"uninitialized"});
}

// LLVM moves constants between register and offset, and joins the first read with another.
TEST(LdsRaces, TheReadOfACompareAndSwapHasAnotherForm) {
  const std::string place = "v_mov_b32 v13, 4\n",
                    zeros = setZero + onlyWave(0, "ds_write_b32 v6, v6 offset:4" + lgkm) + barrier;
  auto moved = [&](int half) {
    return place + addToHalf(half, "ds_read_b32 v9, v6 offset:4",
                             "ds_cmpst_rtn_b32 v12, v13, v9, v8", lgkm);
  };
  expectKinds(zeros + onlyWave(0, moved(0)) + onlyWave(1, moved(1)), none);
  auto joined = [&](int half) {
    return place + addToHalf(half,
                             "ds_read2_b32 v[16:17], v6 offset1:1" + lgkm + "v_mov_b32 v9, v17\n",
                             "ds_cmpst_rtn_b32 v12, v13, v9, v8", lgkm);
  };
  expectKinds(zeros + onlyWave(0, joined(0)) + onlyWave(1, joined(1)), none);
  // The other half is a read like any.
  expectKinds(zeros + onlyWave(0, joined(0)) + onlyWave(1, "ds_write_b32 v6, v7" + lgkm), ldsRace);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

TEST(GlobalRaces, BetweenWaves) {
  const std::string store = "v_mov_b32 v8, s6\nglobal_store_dword v6, v8, s[8:9]",
                    load = "global_load_dword v5, v6, s[8:9]" + vm;
  expectKinds(onlyWave(0, store + vm) + barrier + onlyWave(1, load), none);
  expectKinds(onlyWave(0, store) + barrier + onlyWave(1, load), globalRace);
  expectKinds(onlyWave(0, store + vm) + onlyWave(1, load), globalRace);
  expectKinds(onlyWave(0, load) + onlyWave(1, store + vm), globalRace);
  expectKinds(store + vm, globalRace);
  expectKinds("global_store_dword v6, v7, s[8:9]" + vm, none); // the same value
  expectKinds("global_atomic_add v6, v7, s[8:9]" + vm, none);
  expectKinds(onlyWave(0, "global_atomic_add v6, v7, s[8:9]" + vm) + onlyWave(1, store + vm),
              globalRace);
}

TEST(GlobalRaces, BetweenWorkGroups) {
  const Shape two = {2, 1};
  const std::string group = "v_mov_b32 v8, s2\n", own = group + "v_lshlrev_b32 v9, 2, v8\n";
  expectKinds(own + "global_store_dword v9, v8, s[8:9]" + vm, none, two);
  expectKinds(group + "global_store_dword v6, v8, s[8:9]" + vm, globalRace, two);
  expectKinds("global_store_dword v6, v7, s[8:9]" + vm, none, two); // the same value
  // Each reads what the other writes.
  expectKinds(own + "v_xor_b32 v10, 4, v9\nglobal_store_dword v9, v8, s[8:9]" + vm +
                  "global_load_dword v5, v10, s[8:9]" + vm,
              globalRace, two);
  // Neighbours in a dword.
  expectKinds(group + "v_lshlrev_b32 v9, 1, v8\nglobal_store_short v9, v8, s[8:9]" + vm, none, two);
  expectKinds(group + "global_store_byte v6, v8, s[8:9] offset:3" + vm, globalRace, two);
  // Atomics among themselves; with a plain store they are none.
  expectKinds("global_atomic_add v6, v7, s[8:9]" + vm, none, two);
  expectKinds("global_atomic_add v6, v7, s[8:9]" + vm + "global_store_dword v6, v8, s[8:9]" + vm,
              {"uninitialized", "global-race"}, two);
}

// As in LDS: the element that a compare-and-swap of its dword changes.
TEST(GlobalRaces, NeighboursOfWhatIsSwapped) {
  const std::string add = addToHalf(0, "global_load_dword v9, v6, s[8:9]",
                                    "v_mov_b32 v14, v8\nv_mov_b32 v15, v9\n"
                                    "global_atomic_cmpswap v12, v6, v[14:15], s[8:9] sc0",
                                    vm),
                    store = "global_store_short v6, v7, s[8:9]";
  auto onlyGroup = [](int n, const std::string &what) {
    std::string label = ".Lgroup" + std::to_string(n);
    return "s_cmp_lg_u32 s2, " + std::to_string(n) + "\ns_cbranch_scc1 " + label + "\n" + what +
           "\n" + label + ":\n";
  };
  for (int adder : {0, 1}) {
    auto beside = [&](const std::string &what) {
      return onlyGroup(adder, add) + onlyGroup(1 - adder, what + vm);
    };
    expectKinds(beside(store + " offset:2"), none, {2, 1});
    expectKinds(beside(store), globalRace, {2, 1});
    expectKinds(beside("global_store_dword v6, v7, s[8:9]"), globalRace, {2, 1});
  }
  expectKinds(add, none, {2, 2});
  // A load that nothing swaps.
  expectKinds(onlyGroup(0, "global_load_dword v13, v6, s[8:9]" + vm + add) +
                  onlyGroup(1, store + " offset:2" + vm),
              globalRace, {2, 1});
}

// A counter says that a group has written; only a fence makes that known to another.
TEST(GlobalRaces, FencesOrderWorkGroups) {
  auto lastOfTwo = [](const std::string &fence) {
    return "v_mov_b32 v8, s2\nv_lshlrev_b32 v9, 2, v8\nglobal_store_dword v9, v7, s[8:9] "
           "offset:64" +
           vm + fence + "\nglobal_atomic_add v10, v6, v7, s[8:9] sc0" + vm + fence +
           "\nv_readfirstlane_b32 s7, v10\ns_cmp_lg_u32 s7, 64\ns_cbranch_scc1 .Lend2\n"
           "global_load_dwordx2 v[10:11], v6, s[8:9] offset:64" +
           vm + ".Lend2:";
  };
  expectKinds(lastOfTwo(""), globalRace, {2, 1});
  expectKinds(lastOfTwo("buffer_wbl2 sc1\ns_waitcnt vmcnt(0)\nbuffer_inv sc1"), none, {2, 1});
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

TEST(EmptyWait, AFullFieldWaitsForNothing) {
  const std::string load = "global_load_dword v10, v1, s[8:9]\n", use = "\nv_add_u32 v11, v10, v2";
  expectKinds(load + "s_waitcnt vmcnt(0)" + use, none);
  expectKinds(load + "s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)" + use + vm,
              {"empty-wait (lint)", "missing-wait"});
  // Seventeen reads: a wait for the two oldest of them, and one for none.
  std::string reads = "ds_write_b32 v1, v2" + lgkm;
  for (int i = 0; i < 17; ++i)
    reads += "ds_read_b32 v" + std::to_string(20 + i) + ", v1\n";
  const std::string first = "\nv_add_u32 v11, v20, v2" + lgkm;
  expectKinds(reads + "s_waitcnt lgkmcnt(14)" + first, none);
  expectKinds(reads + "s_waitcnt lgkmcnt(15)" + first, {"empty-wait (lint)", "missing-wait"});
}

TEST(EmptyWait, IsAnErrorInOurOwnCode) {
  const std::string unit =
      ".section .debug_abbrev,\"\",@progbits\n"
      ".byte 1, 0x11, 0, 0x25, 0x08, 0, 0, 0\n"
      ".section .debug_info,\"\",@progbits\n.long .Lunit_end - .Lunit\n.Lunit:\n"
      ".short 4\n.long 0\n.byte 8, 1\n.asciz \"tilec\"\n.Lunit_end:\n.text\n";
  expectKinds(unit + "s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)", {"empty-wait"});
}

//===----------------------------------------------------------------------===//
// What is kept
//===----------------------------------------------------------------------===//

TEST(MaxFindings, CountsByKindAndNeverDecides) {
  // Thirty lints, then a race.
  std::string body = "s_mov_b32 s12, s8\ns_and_b32 s13, s9, 0xffff\ns_movk_i32 s14, 0x1000\n"
                     "s_mov_b32 s15, 0x20000\n";
  body += onlyWave(0, [] {
    std::string lints;
    for (int i = 0; i < 30; ++i)
      lints += "s_mov_b32 m0, 0x400\nbuffer_load_dword v1, s[12:15], 0 offen lds\n";
    return lints + "s_waitcnt vmcnt(0)";
  }());
  body += "v_mov_b32 v8, s6\nds_write_b32 v6, v8" + lgkm;
  for (uint32_t most : {0u, 1u, 20u, 2000u}) {
    LaunchOptions options;
    options.maxFindings = most;
    Outcome run = runWaves(body, {}, options);
    EXPECT_FALSE(run.result.ok()) << most;
    EXPECT_NE(llvm::toString(run.result.toError()), "") << most;
    EXPECT_EQ(run.result.findings.size() + run.result.findingsDropped, 31u) << most;
    if (most)
      EXPECT_EQ(run.kinds(), (Names{"wait-states (lint)", "lds-race"})) << most;
  }
}

} // namespace

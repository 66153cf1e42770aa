//===- CompileTest.cpp - the compiler through its C interface -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Capi.h"

#include <csignal>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

using namespace capi_test;

namespace {

const std::string examples = TILEC_EXAMPLES;
const char *const allTargets[] = {"gfx942", "gfx950", "sm_80", "sm_90a"};

Program gemm(tilec_compiler *c) { return program(c, "gemm.py", readFile(examples + "/gemm.py")); }

TEST(Capi, SaysWhatItIs) {
  EXPECT_EQ(tilec_version(), uint32_t(TILEC_VERSION_MAJOR << 16 | TILEC_VERSION_MINOR));
  EXPECT_EQ(tilec_abi_version(), uint32_t(TILEC_ABI_VERSION));
  EXPECT_EQ(text(tilec_version_text()).substr(0, 6), "tilec ");
  EXPECT_EQ(text(tilec_status_name(TILEC_ERROR_IO)), "TILEC_ERROR_IO");
  ASSERT_GE(tilec_target_count(), 4u);
  EXPECT_EQ(text(tilec_target_name(0)), "gfx942");
  EXPECT_EQ(tilec_target_name(tilec_target_count()).size, 0u);
}

TEST(Capi, CompilesForEveryTarget) {
  Compiler c = compiler();
  Program p = gemm(c.get());
  for (const char *target : allTargets) {
    Binary binary = compile(p.get(), options(target, "gemm(256, 256, 256)"));
    bool isAmd = target[0] == 'g';
    EXPECT_EQ(text(tilec_binary_kind(binary.get())), isAmd ? "hsaco" : "ptx");
    EXPECT_EQ(text(tilec_binary_target(binary.get())), target);
    std::string_view image = text(tilec_binary_image(binary.get()));
    EXPECT_EQ(image.substr(0, 4), isAmd ? "\x7f"
                                          "ELF"
                                        : image.substr(0, 4));
    EXPECT_NE(text(tilec_binary_manifest(binary.get())).find("\"symbol\": \"gemm\""),
              std::string_view::npos);
    EXPECT_EQ(tilec_binary_log(binary.get()).size, 0u);
  }
}

// Each stage is what the stage of a fresh compilation is, in any order, and asked for twice the
// same text.
TEST(Capi, GivesEveryStage) {
  Compiler c = compiler();
  Program p = gemm(c.get());
  Binary binary = compile(p.get(), options("gfx950", "gemm(256, 256, 256)"));
  const struct {
    const char *stage, *holds;
  } rows[] = {{"asm", "v_mfma_f32"},
              {"tile", "tile.gemm"},
              {"llvm", "define"},
              {"wave-scheduled", "wave.mma"},
              {"wave", "wave."},
              {"manifest", "\"launches\""},
              {"report", "spills"},
              {"schedule.svg", "<svg"},
              {"object", "\x7f"
                         "ELF"}};
  for (const auto &row : rows) {
    tilec_str first{}, again{};
    ASSERT_EQ(tilec_binary_stage(binary.get(), row.stage, &first), TILEC_OK)
        << row.stage << text(tilec_last_error());
    EXPECT_NE(text(first).find(row.holds), std::string_view::npos) << row.stage;
    ASSERT_EQ(tilec_binary_stage(binary.get(), row.stage, &again), TILEC_OK);
    EXPECT_EQ(first.data, again.data) << row.stage;
  }
  tilec_str none{};
  EXPECT_EQ(tilec_binary_stage(binary.get(), "ptx", &none), TILEC_ERROR_ARGUMENT);
  EXPECT_EQ(none.data, nullptr);
  EXPECT_NE(text(tilec_last_error()).find("wave-scheduled"), std::string_view::npos);
}

TEST(Capi, StopsAfterAStage) {
  Compiler c = compiler();
  Program p = gemm(c.get());
  tilec_compile_options o = options("gfx950", "gemm(256, 256, 256)");
  o.stop_after = "wave";
  Binary binary = compile(p.get(), o);
  EXPECT_EQ(tilec_binary_image(binary.get()).size, 0u);
  EXPECT_NE(tilec_binary_manifest(binary.get()).size, 0u);
}

TEST(Capi, TellsMistakesAsData) {
  Compiler c = compiler();
  Program p = program(c.get(), "bad.py",
                      "import tilelang.language as T\n"
                      "@T.prim_func\n"
                      "def main(A: T.Tensor((64, 64), \"float16\")):\n"
                      "    with T.Kernel(1) as bx:\n"
                      "        T.copy(A, B_shared)\n");
  Binary binary = compile(p.get(), options("gfx950"), TILEC_ERROR_COMPILE);
  EXPECT_EQ(tilec_binary_image(binary.get()).size, 0u);
  EXPECT_EQ(tilec_binary_kind(binary.get()).size, 0u);
  ASSERT_EQ(tilec_binary_diagnostic_count(binary.get()), 1u);
  tilec_diagnostic d{};
  d.size = sizeof d;
  ASSERT_EQ(tilec_binary_diagnostic(binary.get(), 0, &d), TILEC_OK);
  EXPECT_EQ(d.severity, TILEC_SEVERITY_ERROR);
  EXPECT_EQ(text(d.id), "UndefinedName");
  EXPECT_EQ(text(d.file), "bad.py");
  EXPECT_EQ(d.line, 5u);
  EXPECT_EQ(d.column, 19u);
  EXPECT_EQ(d.end_line, 5u);
  EXPECT_EQ(d.end_column, 27u);
  EXPECT_NE(text(d.text).find("B_shared"), std::string_view::npos);
  EXPECT_NE(text(tilec_binary_log(binary.get())).find("bad.py:5:19: error: "),
            std::string_view::npos);
  EXPECT_EQ(tilec_binary_diagnostic(binary.get(), 1, &d), TILEC_ERROR_ARGUMENT);
}

TEST(Capi, GivesNotesToTheirMessage) {
  Compiler c = compiler();
  Program p = program(c.get(), "note.py",
                      "def size(n):\n    return n\n"
                      "import tilelang.language as T\n"
                      "@T.prim_func\n"
                      "def main(A: T.Tensor((size(1, 2),), \"float16\")):\n"
                      "    with T.Kernel(1) as bx:\n        T.clear(A)\n");
  Binary binary = compile(p.get(), options("gfx950"), TILEC_ERROR_COMPILE);
  ASSERT_EQ(tilec_binary_diagnostic_count(binary.get()), 1u);
  tilec_diagnostic d{}, note{};
  d.size = note.size = sizeof d;
  ASSERT_EQ(tilec_binary_diagnostic(binary.get(), 0, &d), TILEC_OK);
  ASSERT_EQ(d.notes, 1u);
  ASSERT_EQ(tilec_binary_note(binary.get(), 0, 0, &note), TILEC_OK);
  EXPECT_EQ(note.severity, TILEC_SEVERITY_NOTE);
  EXPECT_EQ(note.line, 1u);
  EXPECT_EQ(tilec_binary_note(binary.get(), 0, 1, &note), TILEC_ERROR_ARGUMENT);
}

TEST(Capi, RefusesWrongCalls) {
  Compiler c = compiler();
  Program p = gemm(c.get());
  tilec_binary *binary = reinterpret_cast<tilec_binary *>(1);
  tilec_compile_options o = options("gfx1100");
  EXPECT_EQ(tilec_compile(p.get(), &o, &binary), TILEC_ERROR_ARGUMENT);
  EXPECT_EQ(binary, nullptr);
  EXPECT_NE(text(tilec_last_error()).find("gfx1100"), std::string_view::npos);
  o = options(nullptr);
  EXPECT_EQ(tilec_compile(p.get(), &o, &binary), TILEC_ERROR_ARGUMENT);
  o = options("gfx950");
  o.schedule = "no_such";
  EXPECT_EQ(tilec_compile(p.get(), &o, &binary), TILEC_ERROR_ARGUMENT);
  o = options("gfx950");
  o.stop_after = "nowhere";
  EXPECT_EQ(tilec_compile(p.get(), &o, &binary), TILEC_ERROR_ARGUMENT);
  o = options("gfx950");
  o.strict = static_cast<tilec_choice>(7);
  EXPECT_EQ(tilec_compile(p.get(), &o, &binary), TILEC_ERROR_ARGUMENT);
  o = options("gfx950");
  o.size = 0;
  EXPECT_EQ(tilec_compile(p.get(), &o, &binary), TILEC_ERROR_ARGUMENT);
  EXPECT_EQ(tilec_compile(p.get(), nullptr, &binary), TILEC_ERROR_ARGUMENT);
  EXPECT_EQ(tilec_compile(nullptr, &o, &binary), TILEC_ERROR_ARGUMENT);
  EXPECT_EQ(tilec_compile(p.get(), &o, nullptr), TILEC_ERROR_ARGUMENT);
  tilec_program *none = nullptr;
  EXPECT_EQ(tilec_program_from_file(c.get(), "no/such/file.py", &none), TILEC_ERROR_IO);
  EXPECT_NE(text(tilec_last_error()).find("no/such/file.py"), std::string_view::npos);
  EXPECT_EQ(tilec_program_from_text(nullptr, {}, {}, nullptr, &none), TILEC_ERROR_ARGUMENT);
  tilec_binary_release(nullptr);
  tilec_program_release(nullptr);
  tilec_compiler_release(nullptr);
  EXPECT_EQ(tilec_binary_image(nullptr).size, 0u);
}

// A caller of an older header has a shorter structure: what is behind it has its default, whatever
// lies there.
TEST(Capi, TakesOptionsOfAnOlderHeader) {
  Compiler c = compiler();
  Program p = gemm(c.get());
  tilec_compile_options o = options("gfx950", "gemm(256, 256, 256)");
  o.size = offsetof(tilec_compile_options, strict);
  o.strict = static_cast<tilec_choice>(99);
  o.verify_stages = static_cast<tilec_choice>(-1);
  Binary binary = compile(p.get(), o);
  EXPECT_NE(tilec_binary_image(binary.get()).size, 0u);
}

TEST(Capi, ListsEntries) {
  Compiler c = compiler();
  Program p = program(c.get(), "two.py",
                      "import tilelang\n"
                      "@tilelang.jit\ndef first(M, N, block=64):\n    pass\n"
                      "@tilelang.jit\ndef second():\n    pass\n");
  ASSERT_EQ(tilec_program_entry_count(p.get()), 2u);
  tilec_entry entry{};
  entry.size = sizeof entry;
  ASSERT_EQ(tilec_program_entry(p.get(), 0, &entry), TILEC_OK);
  EXPECT_EQ(text(entry.name), "first");
  EXPECT_EQ(entry.line, 3u);
  ASSERT_EQ(entry.parameters, 2u);
  EXPECT_EQ(text(tilec_program_entry_parameter(p.get(), 0, 1)), "N");
  EXPECT_EQ(tilec_program_entry_parameter(p.get(), 0, 2).size, 0u);
  EXPECT_EQ(tilec_program_entry(p.get(), 2, &entry), TILEC_ERROR_ARGUMENT);
}

TEST(Capi, LivesAsLongAsItsUsers) {
  Compiler c = compiler();
  Program p = gemm(c.get());
  c.reset(); // the program keeps it
  Binary binary = compile(p.get(), options("sm_90a", "gemm(256, 256, 256)"));
  p.reset();
  tilec_str ptx{};
  ASSERT_EQ(tilec_binary_stage(binary.get(), "ptx", &ptx), TILEC_OK);
  EXPECT_NE(text(ptx).find("wgmma"), std::string_view::npos);
}

// Both vendors at once: nothing of one compile is seen by another.
TEST(Capi, CompilesInFourThreads) {
  Compiler c = compiler();
  Program p = gemm(c.get());
  std::vector<std::string> images[4];
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 4; ++i) {
          const char *target = allTargets[(i + t) % 4];
          Binary binary = compile(p.get(), options(target, "gemm(256, 256, 256)"));
          static std::mutex mutex;
          std::lock_guard<std::mutex> lock(mutex);
          images[(i + t) % 4].emplace_back(text(tilec_binary_image(binary.get())));
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<std::string> &list : images) {
    ASSERT_EQ(list.size(), 8u);
    for (const std::string &image : list)
      EXPECT_TRUE(image == list[0]);
  }
}

// What the header promises about the stack.
TEST(Capi, NeedsAMebibyteOfStack) {
  Compiler c = compiler();
  Program p = gemm(c.get());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  pthread_t thread;
  auto run = [](void *program) -> void * {
    for (const char *target : allTargets)
      compile(static_cast<tilec_program *>(program), options(target, "gemm(256, 256, 256)"));
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, p.get()), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Capi, LeavesSignalsToTheHost) {
  struct sigaction ours{}, now{};
  ours.sa_handler = [](int) {};
  struct sigaction before;
  ASSERT_EQ(sigaction(SIGSEGV, &ours, &before), 0);
  Compiler c = compiler();
  Program p = gemm(c.get());
  compile(p.get(), options("gfx950", "gemm(256, 256, 256)"));
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, ours.sa_handler);
  sigaction(SIGSEGV, &before, nullptr);
}

} // namespace

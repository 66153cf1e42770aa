/* host.c - C: compile, launch on a simulator, look. SPDX-License-Identifier: Apache-2.0 */
#include <tilec-c/Compile.h>
#include <tilec-c/Simulate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const script = "import tilelang.language as T\n"
                                  "@T.prim_func\n"
                                  "def count(A: T.Tensor((256,), \"int32\")):\n"
                                  "    with T.Kernel(2, threads=128) as bx:\n"
                                  "        for i in T.Parallel(128):\n"
                                  "            A[bx * 128 + i] = bx * 128 + i\n";

static void fail(const char *what, tilec_str why) {
  fprintf(stderr, "host_c: %s: %.*s\n", what, (int)why.size, why.data);
  exit(1);
}

/* The reason is asked for behind the call: a function's arguments have no order. */
#define CHECK(call, what, why)                                                                     \
  do {                                                                                             \
    if ((call) != TILEC_OK)                                                                        \
      fail(what, why);                                                                             \
  } while (0)

int main(void) {
  tilec_compiler *compiler;
  tilec_program *program;
  tilec_binary *binary;
  tilec_device *device;
  tilec_module *module;
  tilec_backend backend = {sizeof backend};
  tilec_compile_options options = {sizeof options};
  tilec_arg arg = {TILEC_ARG_TENSOR};
  tilec_str name = {"count.py", 8}, text = {script, strlen(script)};
  static int32_t host[256];
  options.target = "gfx950";
  CHECK(tilec_compiler_create(NULL, &compiler), "compiler", tilec_last_error());
  CHECK(tilec_program_from_text(compiler, name, text, NULL, &program), "program",
        tilec_last_error());
  CHECK(tilec_compile(program, &options, &binary), "compile", tilec_binary_log(binary));
  CHECK(tilec_simulator_create("gfx950", &backend), "simulator", tilec_last_error());
  CHECK(tilec_device_from_backend(&backend, &device), "device", tilec_runtime_last_error());
  CHECK(
      tilec_module_load(device, tilec_binary_image(binary), tilec_binary_manifest(binary), &module),
      "load", tilec_runtime_last_error());
  CHECK(tilec_device_allocate(device, sizeof host, &arg.address), "memory",
        tilec_runtime_last_error());
  CHECK(tilec_launch(module, 0, &arg, 1), "launch", tilec_runtime_last_error());
  CHECK(tilec_stream_wait(device, 0), "wait", tilec_runtime_last_error());
  CHECK(tilec_device_download(device, host, arg.address, sizeof host), "download",
        tilec_runtime_last_error());
  for (int i = 0; i < 256; ++i)
    if (host[i] != i) {
      fprintf(stderr, "host_c: element %d is %d\n", i, (int)host[i]);
      return 1;
    }
  tilec_device_free(device, arg.address);
  tilec_module_release(module);
  tilec_device_release(device);
  tilec_binary_release(binary);
  tilec_program_release(program);
  tilec_compiler_release(compiler);
  puts("host_c: all elements are right");
  return 0;
}

//===- RuntimeTest.cpp - the runtime through its C interface --------------===//
//
// Compiled by libtilec.so, launched by libtilec-runtime.so on the simulators of the
// former: what crosses is data and C functions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Capi.h"

#include "tilec-c/Runtime.h"
#include "tilec-c/Simulate.h"

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

using namespace capi_test;

namespace {

using Device = Owned<tilec_device, tilec_device_release>;
using Module = Owned<tilec_module, tilec_module_release>;
using Plan = Owned<tilec_plan, tilec_plan_release>;

std::string lastError() { return std::string(text(tilec_runtime_last_error())); }
#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

Device simulator(const char *target) {
  tilec_backend backend{};
  backend.size = sizeof backend;
  EXPECT_EQ(tilec_simulator_create(target, &backend), TILEC_OK) << text(tilec_last_error());
  tilec_device *device = nullptr;
  EXPECT_EQ(tilec_device_from_backend(&backend, &device), TILEC_OK) << lastError();
  return Device(device);
}

/// Memory of a device with floats in it.
class Floats {
public:
  Floats(tilec_device *device, std::vector<float> values)
      : device(device), host(std::move(values)) {
    EXPECT_EQ(tilec_device_allocate(device, bytes(), &address), TILEC_OK) << lastError();
    EXPECT_EQ(tilec_device_upload(device, address, host.data(), bytes()), TILEC_OK);
  }
  ~Floats() { tilec_device_free(device, address); }
  const std::vector<float> &download() {
    EXPECT_EQ(tilec_device_download(device, host.data(), address, bytes()), TILEC_OK);
    return host;
  }
  size_t bytes() const { return host.size() * sizeof(float); }

  tilec_device *device;
  uint64_t address = 0;
  std::vector<float> host;
};

tilec_arg tensor(const Floats &memory) {
  tilec_arg arg{};
  arg.address = memory.address;
  return arg;
}
tilec_arg tensor(const Floats &memory, const std::vector<int64_t> &shape) {
  tilec_arg arg = tensor(memory);
  arg.shape = shape.data();
  arg.rank = static_cast<uint32_t>(shape.size());
  return arg;
}
tilec_arg real(double value) {
  tilec_arg arg{};
  arg.kind = TILEC_ARG_FLOAT;
  arg.real = value;
  return arg;
}

// y = a * x + y of n elements, and the same by rows of a strided tensor.
const char *const axpy = R"(
import tilelang.language as T
n = T.dynamic("n")
@T.prim_func
def axpy(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32"), a: T.float32):
    with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
        for i in T.Parallel(128):
            if bx * 128 + i < n:
                Y[bx * 128 + i] = Y[bx * 128 + i] + a * X[bx * 128 + i]
)";

Module load(tilec_device *device, const Binary &binary) {
  tilec_module *module = nullptr;
  EXPECT_EQ(tilec_module_load(device, tilec_binary_image(binary.get()),
                              tilec_binary_manifest(binary.get()), &module),
            TILEC_OK)
      << lastError();
  return Module(module);
}

class OnSimulators : public testing::TestWithParam<const char *> {
protected:
  Compiler c = compiler();
  Device device = simulator(GetParam());
  Module compileAndLoad(const char *source, const char *entry = nullptr) {
    Program p = program(c.get(), "kernel.py", source);
    return load(device.get(), compile(p.get(), options(GetParam(), entry)));
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, OnSimulators,
                         testing::Values("gfx942", "gfx950", "sm_80", "sm_90a"));

TEST_P(OnSimulators, LaunchesWithSizesOfItsArguments) {
  Module module = compileAndLoad(axpy);
  ASSERT_EQ(tilec_module_param_count(module.get()), 3u);
  tilec_param param{};
  param.size = sizeof param;
  ASSERT_EQ(tilec_module_param(module.get(), 1, &param), TILEC_OK);
  EXPECT_EQ(text(param.name), "Y");
  EXPECT_EQ(text(param.dtype), "float32");
  EXPECT_EQ(param.rank, 1u);
  EXPECT_TRUE(param.is_read && param.is_written);
  EXPECT_EQ(param.output, -1);
  for (int64_t n : {1, 200, 1000}) {
    std::vector<int64_t> shape = {n};
    std::vector<float> x(n), y(n);
    for (int64_t i = 0; i < n; ++i)
      x[i] = float(i), y[i] = 1;
    Floats X(device.get(), x), Y(device.get(), y);
    tilec_arg args[] = {tensor(X, shape), tensor(Y, shape), real(0.5)};
    ASSERT_EQ(tilec_launch(module.get(), 0, args, 3), TILEC_OK) << lastError();
    args[2] = real(2); // the plan of this shape, another number
    ASSERT_EQ(tilec_launch(module.get(), 0, args, 3), TILEC_OK) << lastError();
    ASSERT_EQ(tilec_stream_wait(device.get(), 0), TILEC_OK) << lastError();
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(Y.download()[i], 1 + 2.5f * float(i)) << i;
  }
}

TEST_P(OnSimulators, RunsAMatrixProduct) {
  const char *source = R"(
import tilelang.language as T
def product(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])
    return main
)";
  Module module = compileAndLoad(source, "product(96, 80, 64)");
  std::vector<float> a(96 * 64), b(64 * 80);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(int(i * 7 % 5) - 2);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(int(i * 3 % 7) - 3);
  Floats A(device.get(), a), B(device.get(), b), C(device.get(), std::vector<float>(96 * 80, -1));
  tilec_arg args[] = {tensor(A), tensor(B), tensor(C)};
  ASSERT_EQ(tilec_launch(module.get(), 0, args, 3), TILEC_OK) << lastError();
  ASSERT_EQ(tilec_stream_wait(device.get(), 0), TILEC_OK) << lastError();
  C.download();
  for (int m = 0; m < 96; ++m)
    for (int n = 0; n < 80; ++n) {
      float sum = 0;
      for (int k = 0; k < 64; ++k)
        sum += a[m * 64 + k] * b[k * 80 + n];
      ASSERT_EQ(C.host[m * 80 + n], sum) << m << ", " << n;
    }
}

TEST_P(OnSimulators, RefusesWhatDoesNotFit) {
  Module module = compileAndLoad(axpy);
  Floats X(device.get(), std::vector<float>(64)), Y(device.get(), std::vector<float>(64));
  std::vector<int64_t> n = {64}, other = {32}, two = {8, 8}, wide = {2};
  tilec_arg args[] = {tensor(X, n), tensor(Y, n), real(1)};
  auto launch = [&](size_t count = 3) { return tilec_launch(module.get(), 0, args, count); };
  EXPECT_EQ(launch(2), TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "takes 3 arguments, 2 are given");
  args[1] = tensor(Y, other);
  EXPECT_EQ(launch(), TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "argument `Y`: shape 64 is wanted, not 32");
  args[1] = tensor(Y, two);
  EXPECT_EQ(launch(), TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "1 dimensions are wanted, not 2");
  args[1] = tensor(Y, n);
  args[1].strides = wide.data();
  EXPECT_EQ(launch(), TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "a stride of 1 elements is wanted in dimension 0, not 2");
  args[1] = real(1);
  EXPECT_EQ(launch(), TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "a tensor is wanted");
  args[1] = tensor(Y, n);
  args[1].dtype = "float16";
  EXPECT_EQ(launch(), TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "a tensor of float32 is wanted, not of float16");
  args[1] = tensor(Y, n);
  args[1].address += 4;
  EXPECT_EQ(launch(), TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "no multiple of 16");
  args[0] = tensor(X), args[1] = tensor(Y);
  EXPECT_EQ(launch(), TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "size `n`");
}

TEST_P(OnSimulators, PlansKeepShapes) {
  Module module = compileAndLoad(axpy);
  Floats X(device.get(), std::vector<float>(64, 1)), Y(device.get(), std::vector<float>(64, 0)),
      Z(device.get(), std::vector<float>(64, 0));
  std::vector<int64_t> n = {64};
  tilec_arg args[] = {tensor(X, n), tensor(Y, n), real(1)};
  tilec_plan *made = nullptr;
  ASSERT_EQ(tilec_plan_create(module.get(), args, 3, &made), TILEC_OK) << lastError();
  Plan plan(made);
  module.reset(); // the plan keeps it
  ASSERT_EQ(tilec_plan_launch(plan.get(), 0, args, 3), TILEC_OK) << lastError();
  args[1] = tensor(Z);
  args[2] = real(3);
  ASSERT_EQ(tilec_plan_launch(plan.get(), 0, args, 3), TILEC_OK) << lastError();
  EXPECT_EQ(tilec_plan_launch(plan.get(), 0, args, 2), TILEC_ERROR_ARGUMENT);
  ASSERT_EQ(tilec_stream_wait(device.get(), 0), TILEC_OK);
  EXPECT_EQ(Y.download()[63], 1);
  EXPECT_EQ(Z.download()[63], 3);
}

// Scratch memory that a kernel wants cleared is cleared before every launch.
TEST_P(OnSimulators, AllocatesAndClearsScratch) {
  const char *source = R"(
import tilelang
import tilelang.language as T
@tilelang.jit
def total(X, n: int = 4096):
    X: T.Tensor((n,), "float32")
    S = T.empty((32,), "float32")
    Y = T.empty((1,), "float32")
    with T.Kernel(n // 128, threads=128) as bx:
        x = T.alloc_fragment((128,), "float32")
        s = T.alloc_fragment((1,), "float32")
        T.copy(X[bx * 128], x)
        T.reduce_sum(x, s)
        S[bx] = s[0]
    with T.Kernel(1, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        s = T.alloc_fragment((1,), "float32")
        T.copy(S, x)
        T.reduce_sum(x, s)
        Y[0] = s[0]
    return Y
)";
  Module module = compileAndLoad(source);
  ASSERT_EQ(tilec_module_param_count(module.get()), 2u);
  tilec_param param{};
  param.size = sizeof param;
  ASSERT_EQ(tilec_module_param(module.get(), 1, &param), TILEC_OK);
  EXPECT_EQ(param.output, 0);
  Floats X(device.get(), std::vector<float>(4096, 2)), Y(device.get(), {-1});
  tilec_arg args[] = {tensor(X), tensor(Y)};
  for (uint64_t stream : {0, 0, 1}) {
    ASSERT_EQ(tilec_launch(module.get(), stream, args, 2), TILEC_OK) << lastError();
    ASSERT_EQ(tilec_stream_wait(device.get(), stream), TILEC_OK) << lastError();
    EXPECT_EQ(Y.download()[0], 8192);
  }
}

TEST_P(OnSimulators, TakesLaunchesOfManyThreads) {
  Module module = compileAndLoad(axpy);
  std::vector<int64_t> n = {256};
  std::vector<std::unique_ptr<Floats>> xs, ys;
  for (int t = 0; t < 4; ++t) {
    xs.push_back(std::make_unique<Floats>(device.get(), std::vector<float>(256, float(t))));
    ys.push_back(std::make_unique<Floats>(device.get(), std::vector<float>(256, 0)));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      tilec_arg args[] = {tensor(*xs[t], n), tensor(*ys[t], n), real(1)};
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(tilec_launch(module.get(), 0, args, 3), TILEC_OK);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int t = 0; t < 4; ++t)
    EXPECT_EQ(ys[t]->download()[17], 3.0f * float(t));
}

TEST(CapiRuntime, RefusesForeignImages) {
  Compiler c = compiler();
  Program p = program(c.get(), "kernel.py", axpy);
  Binary binary = compile(p.get(), options("gfx950"));
  Device device = simulator("gfx942");
  EXPECT_EQ(text(tilec_device_arch(device.get())), "gfx942");
  EXPECT_TRUE(tilec_device_runs(device.get(), str("gfx942")));
  EXPECT_FALSE(tilec_device_runs(device.get(), str("gfx950")));
  EXPECT_FALSE(tilec_device_runs(device.get(), str("sm_80")));
  tilec_module *module = nullptr;
  EXPECT_EQ(tilec_module_load(device.get(), tilec_binary_image(binary.get()),
                              tilec_binary_manifest(binary.get()), &module),
            TILEC_ERROR_IO);
  EXPECT_EQ(module, nullptr);
  EXPECT_HAS(lastError(), "compiled for gfx950");
  EXPECT_EQ(tilec_module_load(device.get(), str("no code"), str("{}"), &module),
            TILEC_ERROR_ARGUMENT);
  EXPECT_HAS(lastError(), "manifest");
}

// A wrong access is what the simulator is for: an error of the wait.
TEST(CapiRuntime, ReportsFaults) {
  Compiler c = compiler();
  Program p = program(c.get(), "kernel.py", axpy);
  Device device = simulator("gfx950");
  Module module = load(device.get(), compile(p.get(), options("gfx950")));
  Floats X(device.get(), std::vector<float>(64)), Y(device.get(), std::vector<float>(64));
  std::vector<int64_t> tooLong = {4096};
  tilec_arg args[] = {tensor(X, tooLong), tensor(Y, tooLong), real(1)};
  tilec_status launched = tilec_launch(module.get(), 0, args, 3);
  EXPECT_TRUE(launched != TILEC_OK || tilec_stream_wait(device.get(), 0) == TILEC_ERROR_IO);
  EXPECT_FALSE(lastError().empty());
}

TEST(CapiRuntime, OpensDrivers) {
  tilec_device_options o{};
  o.size = sizeof o;
  o.kind = "cuda";
  o.driver = "libno-such-driver.so";
  tilec_device *device = nullptr;
  EXPECT_EQ(tilec_device_open(&o, &device), TILEC_ERROR_IO);
  EXPECT_HAS(lastError(), "no CUDA driver");
  o.kind = "vulkan";
  EXPECT_EQ(tilec_device_open(&o, &device), TILEC_ERROR_ARGUMENT);
  o.driver = TILEC_FAKE_DRIVER;
  for (const char *kind : {"cuda", "hip"}) {
    o.kind = kind;
    ASSERT_EQ(tilec_device_open(&o, &device), TILEC_OK) << lastError();
    Device owned(device);
    EXPECT_EQ(text(tilec_device_kind(device)), kind);
    uint64_t stream = 0;
    EXPECT_EQ(tilec_stream_create(device, &stream), TILEC_OK) << lastError();
    EXPECT_NE(stream, 0u);
    tilec_stream_destroy(device, stream);
  }
}

} // namespace

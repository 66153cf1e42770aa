// Compiles for both vendors in four threads.
#include "tilec/Compiler.h"

#include <cstdio>
#include <thread>
#include <vector>

static const char *const text = R"(
import tilelang.language as T

@T.prim_func
def twice(X: T.Tensor((256,), "float32"), Y: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(256):
            Y[i] = X[i] * 2.0
)";

static bool compiles(const char *target) {
  auto binary =
      tilec::compile(tilec::script(text, "twice.py"), {.target = target, .ptxAssembler = "none"});
  return binary && !binary->image().empty();
}

int main() {
  const char *const targets[] = {"gfx942", "gfx950", "sm_80", "sm_90a"};
  int good[4] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { good[i] = compiles(targets[i]); });
  for (std::thread &thread : threads)
    thread.join();
  bool isError = !tilec::compile(tilec::script("def f(:", "bad.py"), {.target = "gfx950"});
  std::printf("%d of 4, error %d\n", good[0] + good[1] + good[2] + good[3], isError);
  return 0;
}

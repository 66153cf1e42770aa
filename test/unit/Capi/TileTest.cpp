//===- TileTest.cpp - kernels in C++ are those of the same scripts --------===//
//
// Each kernel is written twice, as a script and in C++, and gives the same bytes on
// every target.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Tile.h"

#include "Capi.h"

#include <cmath>

namespace tile = tilec::tile;
using tile::Index;

namespace {

const std::string repository = TILEC_REPOSITORY;
const char *const allTargets[] = {"gfx942", "gfx950", "sm_80", "sm_90a"};
const tilec::Compiler &uncached() {
  static const tilec::Compiler compiler("");
  return compiler;
}

#define EXPECT_HAS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

/// Both compile, to the same image and manifest.
void expectSame(tile::Kernel kernel, const std::string &script, const std::string &entry) {
  const tilec::Program &recorded = kernel.program(uncached());
  tilec::Program parsed = tilec::script(script, "script.py", uncached());
  for (const char *target : allTargets) {
    tilec::CompileOptions options{.target = target};
    options.ptxAssembler = "none";
    options.lineTables = TILEC_OFF;
    tilec::Result<tilec::Binary> ours = tilec::compile(recorded, options);
    ASSERT_TRUE(ours) << target << "\n" << ours.log();
    options.entry = entry;
    tilec::Result<tilec::Binary> theirs = tilec::compile(parsed, options);
    ASSERT_TRUE(theirs) << target << "\n" << theirs.log();
    EXPECT_FALSE(ours->image().empty());
    EXPECT_TRUE(ours->image() == theirs->image()) << target;
    EXPECT_EQ(ours->manifest(), theirs->manifest()) << target;
  }
}

std::string errorsOf(tile::Kernel &kernel, const char *target = "gfx950") {
  tilec::Result<tilec::Binary> binary =
      tilec::compile(kernel.program(uncached()), {.target = target, .ptxAssembler = "none"});
  EXPECT_FALSE(binary);
  return binary.log();
}

tile::Kernel gemm(int m, int n, int k, int bm = 128, int bn = 128, int bk = 64) {
  tile::Kernel f("gemm");
  auto A = f.tensor("A", tile::bf16, {m, k}), B = f.tensor("B", tile::bf16, {n, k}),
       C = f.tensor("C", tile::bf16, {m, n});
  f.output(C);
  f.launch({tile::ceildiv(n, bn), tile::ceildiv(m, bm)}, {.threads = 256}, [&](Index bx, Index by) {
    auto a = tile::shared(tile::bf16, {bm, bk}), b = tile::shared(tile::bf16, {bn, bk});
    auto c = tile::fragment(tile::f32, {bm, bn});
    tile::clear(c);
    tile::pipelined(tile::ceildiv(k, bk), {.stages = 2}, [&](Index t) {
      tile::copy(A.at(by * bm, t * bk), a);
      tile::copy(B.at(bx * bn, t * bk), b);
      tile::gemm(a, b, c, {.transposeB = true});
    });
    tile::copy(c, C.at(by * bm, bx * bn));
  });
  return f;
}

TEST(Tile, Gemm) {
  expectSame(gemm(512, 384, 320), capi_test::readFile(repository + "/examples/gemm.py"),
             "gemm(512, 384, 320)");
}

/// test/e2e/attention.py.
tile::Kernel attention(int B, int H, int kvHeads, int S, int D, int bm = 64, int bn = 64,
                       int threads = 128, int stages = 2, bool causal = false,
                       bool lengths = false) {
  double scale = std::pow(1.0 / D, 0.5) * 1.44269504, low = -1e30;
  int sharedBy = H / kvHeads;
  tile::Kernel f("attention");
  auto Q = f.tensor("Q", tile::f16, {B, S, H, D}), K = f.tensor("K", tile::f16, {B, S, kvHeads, D}),
       V = f.tensor("V", tile::f16, {B, S, kvHeads, D}),
       Lengths = f.tensor("Lengths", tile::i32, {B}),
       Out = f.tensor("Out", tile::f16, {B, S, H, D}), Lse = f.tensor("Lse", tile::f32, {B, H, S});
  f.launch(
      {H, tile::ceildiv(S, bm), B}, {.threads = threads}, [&](Index head, Index rows, Index batch) {
        auto q = tile::shared(tile::f16, {bm, D}), k = tile::shared(tile::f16, {bn, D}),
             v = tile::shared(tile::f16, {bn, D});
        auto scores = tile::fragment(tile::f32, {bm, bn}),
             weights = tile::fragment(tile::f16, {bm, bn}),
             out = tile::fragment(tile::f32, {bm, D});
        auto top = tile::fragment(tile::f32, {bm}), topBefore = tile::fragment(tile::f32, {bm}),
             fade = tile::fragment(tile::f32, {bm}), rowSum = tile::fragment(tile::f32, {bm}),
             total = tile::fragment(tile::f32, {bm});
        tile::copy(Q.box({batch, {rows * bm, (rows + 1) * bm}, head, tile::all}), q);
        tile::fill(out, 0);
        tile::fill(total, 0);
        tile::fill(top, low);
        tile::Arg rounds = tile::ceildiv(S, bn);
        if (causal)
          rounds = tile::min(tile::ceildiv((rows + 1) * bm, bn), tile::ceildiv(S, bn));
        tile::pipelined(rounds, {.stages = stages}, [&](Index t) {
          tile::Range keys(t * bn, (t + 1) * bn);
          tile::copy(K.box({batch, keys, tile::floordiv(head, sharedBy), tile::all}), k);
          tile::clear(scores);
          tile::gemm(q, k, scores, {.transposeB = true, .policy = "FullRow"});
          if (causal)
            tile::parallel({bm, bn}, [&](Index i, Index j) {
              scores(i, j) = tile::ifThenElse(rows * bm + i >= t * bn + j, scores(i, j), low);
            });
          if (lengths)
            tile::parallel({bm, bn}, [&](Index i, Index j) {
              scores(i, j) = tile::ifThenElse(t * bn + j < Lengths(batch), scores(i, j), low);
            });
          tile::copy(top, topBefore);
          tile::reduceMax(scores, top, {.dim = 1, .clear = false});
          tile::parallel(
              bm, [&](Index i) { fade(i) = tile::exp2(topBefore(i) * scale - top(i) * scale); });
          tile::parallel({bm, bn}, [&](Index i, Index j) {
            scores(i, j) = tile::exp2(scores(i, j) * scale - top(i) * scale);
          });
          tile::reduceSum(scores, rowSum, {.dim = 1});
          tile::parallel(bm, [&](Index i) { total(i) = total(i) * fade(i) + rowSum(i); });
          tile::copy(scores, weights);
          tile::parallel({bm, D}, [&](Index i, Index j) { out(i, j) *= fade(i); });
          tile::copy(V.box({batch, keys, tile::floordiv(head, sharedBy), tile::all}), v);
          tile::gemm(weights, v, out, {.policy = "FullRow"});
        });
        tile::parallel({bm, D}, [&](Index i, Index j) { out(i, j) /= total(i); });
        tile::copy(out, Out.box({batch, {rows * bm, (rows + 1) * bm}, head, tile::all}));
        tile::parallel(bm, [&](Index i) { total(i) = tile::log2(total(i)) + top(i) * scale; });
        tile::copy(total, Lse.box({batch, head, {rows * bm, (rows + 1) * bm}}));
      });
  return f;
}

TEST(Tile, Attention) {
  std::string script = capi_test::readFile(repository + "/test/e2e/attention.py");
  expectSame(attention(1, 2, 2, 256, 64), script, "attention(1, 2, 2, 256, 64)");
  expectSame(attention(1, 4, 2, 128, 64, 64, 64, 128, 2, true), script,
             "attention(1, 4, 2, 128, 64, causal=True)");
  expectSame(attention(2, 2, 2, 128, 64, 64, 64, 128, 2, false, true), script,
             "attention(2, 2, 2, 128, 64, lengths=True)");
}

/// test/bench/hopper/rows.py.
tile::Kernel layernorm(int M, int N, int bm = 1, int threads = 256) {
  tile::Kernel f("layernorm");
  auto X = f.tensor("X", tile::bf16, {M, N}), W = f.tensor("W", tile::bf16, {N}),
       B = f.tensor("B", tile::bf16, {N}), Y = f.tensor("Y", tile::bf16, {M, N});
  f.launch({tile::ceildiv(M, bm)}, {.threads = threads}, [&](Index bx) {
    auto x = tile::fragment(tile::bf16, {bm, N});
    auto v = tile::fragment(tile::f32, {bm, N}), square = tile::fragment(tile::f32, {bm, N});
    auto mean = tile::fragment(tile::f32, {bm}), spread = tile::fragment(tile::f32, {bm});
    tile::copy(X.at(bx * bm, 0), x);
    tile::parallel({bm, N}, [&](Index i, Index j) { v(i, j) = tile::cast(x(i, j), tile::f32); });
    tile::reduceSum(v, mean, {.dim = 1});
    tile::parallel(bm, [&](Index i) { mean(i) = mean(i) / N; });
    tile::parallel({bm, N}, [&](Index i, Index j) {
      v(i, j) = v(i, j) - mean(i);
      square(i, j) = v(i, j) * v(i, j);
    });
    tile::reduceSum(square, spread, {.dim = 1});
    tile::parallel(bm, [&](Index i) { spread(i) = tile::rsqrt(spread(i) / N + 1e-5); });
    tile::parallel({bm, N}, [&](Index i, Index j) {
      x(i, j) = tile::cast(v(i, j) * spread(i) * tile::cast(W(j), tile::f32) +
                               tile::cast(B(j), tile::f32),
                           tile::bf16);
    });
    tile::copy(x, Y.at(bx * bm, 0));
  });
  return f;
}

TEST(Tile, Layernorm) {
  expectSame(layernorm(64, 1024), capi_test::readFile(repository + "/test/bench/hopper/rows.py"),
             "layernorm(64, 1024)");
}

// Decoding with latent heads: scores of a latent and a positional part, a dynamic length of the
// cache, masked, values from the latent part.
const char *const mlaScript = R"(
import tilelang.language as T
def mla(H, D, R, bn):
    kv = T.dynamic("kv")
    @T.prim_func
    def main(Q: T.Tensor((1, H, D), "float16"), Qpe: T.Tensor((1, H, R), "float16"), KV: T.Tensor((1, kv, D), "float16"), Kpe: T.Tensor((1, kv, R), "float16"), Out: T.Tensor((1, H, D), "float16"), scale: T.float32):
        with T.Kernel(1, H // 64, threads=128) as (b, h):
            q = T.alloc_shared((64, D), "float16")
            qpe = T.alloc_shared((64, R), "float16")
            k = T.alloc_shared((bn, D), "float16")
            kpe = T.alloc_shared((bn, R), "float16")
            p = T.alloc_shared((64, bn), "float16")
            s = T.alloc_fragment((64, bn), "float32")
            o = T.alloc_fragment((64, D), "float32")
            m = T.alloc_fragment((64,), "float32")
            before = T.alloc_fragment((64,), "float32")
            total = T.alloc_fragment((64,), "float32")
            part = T.alloc_fragment((64,), "float32")
            T.copy(Q[b, h * 64:(h + 1) * 64, :], q)
            T.copy(Qpe[b, h * 64:(h + 1) * 64, :], qpe)
            T.clear(o)
            T.clear(total)
            T.fill(m, -1e30)
            for t in T.Pipelined(T.ceildiv(kv, bn), num_stages=2):
                T.copy(KV[b, t * bn:(t + 1) * bn, :], k)
                T.copy(Kpe[b, t * bn:(t + 1) * bn, :], kpe)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol, clear_accum=True)
                T.gemm(qpe, kpe, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
                for i, j in T.Parallel(64, bn):
                    s[i, j] = T.if_then_else(t * bn + j < kv, s[i, j] * scale, -1e30)
                T.copy(m, before)
                T.reduce_max(s, m, dim=1, clear=False)
                for i, j in T.Parallel(64, bn):
                    s[i, j] = T.exp2(s[i, j] - m[i])
                T.reduce_sum(s, part, dim=1)
                T.copy(s, p)
                for i in T.Parallel(64):
                    fade = T.exp2(before[i] - m[i])
                    total[i] = total[i] * fade + part[i]
                for i, j in T.Parallel(64, D):
                    o[i, j] *= T.exp2(before[i] - m[i])
                T.gemm(p, k, o, policy=T.GemmWarpPolicy.FullCol)
            for i, j in T.Parallel(64, D):
                o[i, j] /= total[i]
            T.copy(o, Out[b, h * 64:(h + 1) * 64, :])
    return main
)";

tile::Kernel mla(int H, int D, int R, int bn) {
  tile::Kernel f("mla");
  Index kv = f.dim("kv");
  auto Q = f.tensor("Q", tile::f16, {1, H, D}), Qpe = f.tensor("Qpe", tile::f16, {1, H, R}),
       KV = f.tensor("KV", tile::f16, {1, kv, D}), Kpe = f.tensor("Kpe", tile::f16, {1, kv, R}),
       Out = f.tensor("Out", tile::f16, {1, H, D});
  tile::Value scale = f.scalar("scale", tile::f32);
  f.launch({1, H / 64}, {.threads = 128}, [&](Index b, Index h) {
    auto q = tile::shared(tile::f16, {64, D}), qpe = tile::shared(tile::f16, {64, R}),
         k = tile::shared(tile::f16, {bn, D}), kpe = tile::shared(tile::f16, {bn, R}),
         p = tile::shared(tile::f16, {64, bn});
    auto s = tile::fragment(tile::f32, {64, bn}), o = tile::fragment(tile::f32, {64, D});
    auto m = tile::fragment(tile::f32, {64}), before = tile::fragment(tile::f32, {64}),
         total = tile::fragment(tile::f32, {64}), part = tile::fragment(tile::f32, {64});
    tile::Range heads(h * 64, (h + 1) * 64);
    tile::copy(Q.box({b, heads, tile::all}), q);
    tile::copy(Qpe.box({b, heads, tile::all}), qpe);
    tile::clear(o);
    tile::clear(total);
    tile::fill(m, -1e30);
    tile::pipelined(tile::ceildiv(kv, bn), {.stages = 2}, [&](Index t) {
      tile::Range rows(t * bn, (t + 1) * bn);
      tile::copy(KV.box({b, rows, tile::all}), k);
      tile::copy(Kpe.box({b, rows, tile::all}), kpe);
      tile::gemm(q, k, s, {.transposeB = true, .policy = "FullCol", .clearAccum = true});
      tile::gemm(qpe, kpe, s, {.transposeB = true, .policy = "FullCol"});
      tile::parallel({64, bn}, [&](Index i, Index j) {
        s(i, j) = tile::ifThenElse(t * bn + j < kv, s(i, j) * scale, -1e30);
      });
      tile::copy(m, before);
      tile::reduceMax(s, m, {.dim = 1, .clear = false});
      tile::parallel({64, bn}, [&](Index i, Index j) { s(i, j) = tile::exp2(s(i, j) - m(i)); });
      tile::reduceSum(s, part, {.dim = 1});
      tile::copy(s, p);
      tile::parallel(64, [&](Index i) {
        tile::Value fade = tile::let(tile::exp2(before(i) - m(i)));
        total(i) = total(i) * fade + part(i);
      });
      tile::parallel({64, D}, [&](Index i, Index j) { o(i, j) *= tile::exp2(before(i) - m(i)); });
      tile::gemm(p, k, o, {.policy = "FullCol"});
    });
    tile::parallel({64, D}, [&](Index i, Index j) { o(i, j) /= total(i); });
    tile::copy(o, Out.box({b, heads, tile::all}));
  });
  return f;
}

TEST(Tile, MlaDecode) { expectSame(mla(64, 128, 64, 32), mlaScript, "mla(64, 128, 64, 32)"); }

// Branches, variables, while, break, ranges, views, atomics, persistent blocks.
TEST(Tile, ControlFlow) {
  const char *script = R"(
import tilelang.language as T
@T.prim_func
def walk(X: T.Tensor((64, 64), "float32"), N: T.Tensor((64,), "int32"), Y: T.Tensor((64, 64), "float32"), total: T.Tensor((1,), "float32")):
    with T.Kernel(64, threads=64) as bx:
        x = T.alloc_shared((64,), "float32")
        y = T.alloc_fragment((64,), "float32")
        T.copy(X[bx, 0], x)
        T.clear(y)
        n = T.alloc_var("int32", init=0)
        while n < N[bx]:
            if n % 2 == 0:
                for i in T.Parallel(64):
                    y[i] = y[i] + x[i]
            else:
                for i in T.Parallel(64):
                    y[i] = y[i] - x[i] * 0.5
            n = n + 1
        for r in T.serial(4):
            if r > N[bx]:
                break
            for i in T.Parallel(64):
                y[i] = y[i] * 2
        T.copy(y, Y[bx, 0])
        for i in T.Parallel(64):
            T.atomic_add(total[0], y[i])
)";
  tile::Kernel f("walk");
  auto X = f.tensor("X", tile::f32, {64, 64}), N = f.tensor("N", tile::i32, {64}),
       Y = f.tensor("Y", tile::f32, {64, 64}), total = f.tensor("total", tile::f32, {1});
  f.launch({64}, {.threads = 64}, [&](Index bx) {
    auto x = tile::shared(tile::f32, {64});
    auto y = tile::fragment(tile::f32, {64});
    tile::copy(X.at(bx, 0), x);
    tile::clear(y);
    auto n = tile::var(tile::i32, 0);
    tile::While(n < N(bx), [&] {
      tile::IfElse(
          n % 2 == 0, [&] { tile::parallel(64, [&](Index i) { y(i) = y(i) + x(i); }); },
          [&] { tile::parallel(64, [&](Index i) { y(i) = y(i) - x(i) * 0.5; }); });
      n = n + 1;
    });
    for (Index r : tile::range(4)) {
      tile::If(r > N(bx), [&] { tile::Break(); });
      tile::parallel(64, [&](Index i) { y(i) = y(i) * 2; });
    }
    tile::copy(y, Y.at(bx, 0));
    tile::parallel(64, [&](Index i) { tile::atomicAdd(total.at(0), y(i)); });
  });
  expectSame(std::move(f), script, "walk");
}

// What was read stays what it was, whatever is written before it is used.
TEST(Tile, ValuesAreThoseOfTheirPlace) {
  const char *script = R"(
import tilelang.language as T
@T.prim_func
def swap(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            old = A[i]
            A[i] = B[i]
            B[i] = old
)";
  tile::Kernel f("swap");
  auto A = f.tensor("A", tile::f32, {64}), B = f.tensor("B", tile::f32, {64});
  f.launch({1}, {.threads = 64}, [&](Index) {
    tile::parallel(64, [&](Index i) {
      tile::Value old = A(i);
      A(i) = B(i);
      B(i) = old;
    });
  });
  expectSame(std::move(f), script, "swap");

  const char *loop = R"(
import tilelang.language as T
@T.prim_func
def shift(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        a = T.alloc_shared((64,), "float32")
        T.copy(A, a)
        first = a[0]
        for k in T.serial(3):
            for i in T.Parallel(64):
                a[i] = a[i] + first
        T.copy(a, B)
)";
  tile::Kernel g("shift");
  auto X = g.tensor("A", tile::f32, {64}), Y = g.tensor("B", tile::f32, {64});
  g.launch({1}, {.threads = 64}, [&](Index) {
    auto a = tile::shared(tile::f32, {64});
    tile::copy(X, a);
    tile::Value first = a(0);
    tile::serial(3, [&](Index) { tile::parallel(64, [&](Index i) { a(i) = a(i) + first; }); });
    tile::copy(a, Y);
  });
  expectSame(std::move(g), loop, "shift");
}

// Where a tile begins is known when it is named, too.
TEST(Tile, PlacesOfTilesAreThoseOfTheirPlace) {
  const char *script = R"(
import tilelang.language as T
@T.prim_func
def gather(A: T.Tensor((64, 64), "float32"), rows: T.Tensor((8,), "int32"), B: T.Tensor((8, 64), "float32"), C: T.Tensor((8, 64), "float32")):
    with T.Kernel(8, threads=64) as bx:
        b = T.alloc_shared((1, 64), "float32")
        row = rows[bx]
        low = rows[bx]
        rows[bx] = 0
        T.copy(A[row, 0], b)
        T.copy(b, B[bx, 0])
        T.copy(A[low:low + 1, :], b)
        T.copy(b, C[bx, 0])
)";
  tile::Kernel f("gather");
  auto A = f.tensor("A", tile::f32, {64, 64}), rows = f.tensor("rows", tile::i32, {8}),
       B = f.tensor("B", tile::f32, {8, 64}), C = f.tensor("C", tile::f32, {8, 64});
  f.launch({8}, {.threads = 64}, [&](Index bx) {
    auto b = tile::shared(tile::f32, {1, 64});
    auto from = A.at(rows(bx), 0);
    tile::Value low = tile::let(rows(bx));
    auto box = A.box({{low, low + 1}, tile::all});
    rows(bx) = 0;
    tile::copy(from, b);
    tile::copy(b, B.at(bx, 0));
    tile::copy(box, b);
    tile::copy(b, C.at(bx, 0));
  });
  expectSame(std::move(f), script, "gather");
}

// Nothing is done with what is not there.
TEST(Tile, CallsOnNothingAreHarmless) {
  tilec_value out[2] = {7, 7};
  tilec_build_begin(nullptr, 3, out, 2, nullptr);
  EXPECT_EQ(out[1], TILEC_NO_VALUE);
  EXPECT_EQ(tilec_build_int(nullptr, 1), TILEC_NO_VALUE);
  tilec_build_end(nullptr, nullptr);
  tile::Kernel f("used");
  auto A = f.tensor("A", tile::f32, {64});
  f.launch({1}, {.threads = 64}, [&](Index) { tile::fill(A, 1); });
  tilec_build_end(f.get(), nullptr); // one too many
  tilec_build_begin_else(f.get(), nullptr);
  EXPECT_EQ(tilec_build_end_function(f.get(), nullptr, 0, nullptr), TILEC_NO_VALUE);
  EXPECT_EQ(tilec_build_op(f.get(), static_cast<tilec_op>(99), 1, 1, nullptr), TILEC_NO_VALUE);
  EXPECT_HAS(errorsOf(f), "an end without a loop, branch or launch");
  EXPECT_EQ(tilec_build_int(f.get(), 1), TILEC_NO_VALUE); // the recording has ended
  tilec_program *again = nullptr;
  EXPECT_EQ(tilec_builder_finish(f.get(), uncached().get(), &again), TILEC_ERROR_ARGUMENT);
}

// A tree that doubles forty times is recorded and compiled in no time.
TEST(Tile, SharedExpressionsAreSmall) {
  tile::Kernel f("doubled");
  auto A = f.tensor("A", tile::f32, {64});
  f.launch({1}, {.threads = 64}, [&](Index) {
    tile::parallel(64, [&](Index i) {
      tile::Value x = A(i);
      for (int round = 0; round < 40; ++round)
        x = x + x * 0.5;
      A(i) = x;
    });
  });
  EXPECT_TRUE(tilec::compile(f.program(uncached()), {.target = "gfx950"}));
}

TEST(Tile, LayoutsAndSchedules) {
  const char *script = R"(
import tilelang.language as T
from tilec import schedule
@T.prim_func
def main(A: T.Tensor((256, 256), "float16"), B: T.Tensor((256, 256), "float16"), C: T.Tensor((256, 256), "float32")):
    with T.Kernel(2, 2, threads=256) as (bx, by):
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((128, 64), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.annotate_layout({a: T.make_swizzled_layout(a)})
        T.use_swizzle(4)
        T.clear(c)
        for k in schedule.interleave(T.Pipelined(4, num_stages=2)):
            T.copy(A[by * 128, k * 64], a)
            T.copy(B[bx * 128, k * 64], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, C[by * 128, bx * 128])
)";
  tile::Kernel f("main");
  auto A = f.tensor("A", tile::f16, {256, 256}), B = f.tensor("B", tile::f16, {256, 256}),
       C = f.tensor("C", tile::f32, {256, 256});
  f.launch({2, 2}, {.threads = 256}, [&](Index bx, Index by) {
    auto a = tile::shared(tile::f16, {128, 64}), b = tile::shared(tile::f16, {128, 64});
    auto c = tile::fragment(tile::f32, {128, 128});
    tile::annotateLayout(a, tile::makeSwizzledLayout(a));
    tile::useSwizzle(4);
    tile::clear(c);
    tile::pipelined(4, {.stages = 2, .schedule = "interleave"}, [&](Index k) {
      tile::copy(A.at(by * 128, k * 64), a);
      tile::copy(B.at(bx * 128, k * 64), b);
      tile::gemm(a, b, c, {.transposeB = true});
    });
    tile::copy(c, C.at(by * 128, bx * 128));
  });
  expectSame(std::move(f), script, "main");
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

std::string here(int line) { return std::string("TileTest.cpp:") + std::to_string(line) + ":"; }

TEST(TileMistakes, ArePlacesOfThisFile) {
  tile::Kernel f("wrong");
  auto A = f.tensor("A", tile::f32, {64});
  int line = 0;
  f.launch({1}, {.threads = 64}, [&](Index) {
    auto a = tile::shared(tile::f16, {64, 64}), c = tile::fragment(tile::f32, {32, 32});
    line = __LINE__ + 1;
    tile::gemm(a, a, c);
    tile::copy(c, A);
  });
  std::string log = errorsOf(f);
  EXPECT_HAS(log, here(line));
  EXPECT_HAS(log, "error: ");
}

/// The log of a kernel whose mistake is in line 6, column 5 of `file`.
std::string mistakeIn(const std::string &file) {
  tile::Kernel f("wrong");
  tilec_place place{file.c_str(), 6, 5};
  tilec_build_error(f.get(), capi_test::str("no such thing"), &place);
  return errorsOf(f);
}

TEST(TileMistakes, ShowTheLineWhereTheFileCanBeRead) {
  std::string file = repository + "/examples/gemm.py";
  EXPECT_EQ(mistakeIn(file), file + ":6:5: error: no such thing [RecordedCall]\n"
                                    "import tilelang.language as T\n    ^~\n");
  EXPECT_EQ(mistakeIn("gone.cpp"), "gone.cpp:6:5: error: no such thing [RecordedCall]\n");
}

TEST(TileMistakes, WhatIsNotEnded) {
  tile::Kernel f("wrong");
  tilec_place place{"gone.cpp", 7, 5};
  tilec_build_begin_while(f.get(), tilec_build_int(f.get(), 1), &place);
  EXPECT_HAS(errorsOf(f),
             "gone.cpp:7:5: error: what begins here is not ended [RecordedNotEnded]\n");
}

TEST(TileMistakes, ValuesOfAnEndedLoop) {
  tile::Kernel f("wrong");
  auto A = f.tensor("A", tile::f32, {64});
  int loop = 0, use = 0;
  f.launch({1}, {.threads = 64}, [&](Index) {
    Index kept;
    loop = __LINE__ + 1;
    tile::serial(4, [&](Index k) { kept = k + 1; });
    use = __LINE__ + 1;
    A(0) = kept;
  });
  std::string log = errorsOf(f);
  EXPECT_HAS(log, here(use));
  EXPECT_HAS(log, "a value is used after its loop has ended");
  EXPECT_HAS(log, here(loop));
}

TEST(TileMistakes, ValuesOfAnotherKernel) {
  tile::Kernel f("one"), g("two");
  auto A = f.tensor("A", tile::f32, {64}), B = g.tensor("B", tile::f32, {64});
  g.launch({1}, {.threads = 64},
           [&](Index) { tile::parallel(64, [&](Index i) { B(i) = A.value; }); });
  EXPECT_HAS(errorsOf(g), "this is no value of the kernel that is being recorded");
}

TEST(TileMistakes, AllAreReported) {
  tile::Kernel f("wrong");
  auto A = f.tensor("A", tile::f32, {64});
  f.tensor("A", tile::f32, {64});
  f.tensor("not a name", tile::f32, {64});
  f.launch({1}, {.threads = 64}, [&](Index) {
    Index kept;
    tile::serial(4, [&](Index k) { kept = k; });
    A(kept) = 1;
    A(kept + 1) = 1; // follows from the first
  });
  f.tensor("late", tile::f32, {64});
  tilec::Result<tilec::Binary> binary = tilec::compile(f.program(uncached()), {.target = "gfx950"});
  ASSERT_FALSE(binary);
  std::vector<tilec::Message> messages = binary.messages();
  ASSERT_EQ(messages.size(), 5u) << binary.log();
  EXPECT_HAS(messages[0].text, "has a name `A` already");
  EXPECT_HAS(messages[1].text, "`not a name` is no name");
  EXPECT_HAS(messages[2].text, "after its loop has ended");
  ASSERT_EQ(messages[2].notes.size(), 1u);
  EXPECT_HAS(messages[4].text, "comes after a launch");
}

TEST(TileMistakes, UnknownFunctionsOfTheTable) {
  tile::Kernel f("wrong");
  auto A = f.tensor("A", tile::f32, {64});
  f.launch({1}, {.threads = 64}, [&](Index) {
    tile::Arg a(A);
    tile::detail::call("cleer", {&a}, {}, tile::Loc::current());
  });
  EXPECT_HAS(errorsOf(f), "clear");
}

// if (i < n) on a value that only the running kernel has.
template <typename T>
concept DecidesInCpp = requires(T v) { v ? 1 : 0; };
static_assert(!DecidesInCpp<tile::Value> && !DecidesInCpp<tile::Element> &&
              !DecidesInCpp<tile::Variable>);

} // namespace

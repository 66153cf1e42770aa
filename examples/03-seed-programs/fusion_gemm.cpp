//===- fusion_gemm.cpp - a product in TileFusion's words ------------------===//
//
// usage: gallery-fusion-gemm [TARGET]
//
// C (128 x 64) = A (128 x 256) * B (256 x 64), half floats, four warps: the problem of TileFusion's
// first example, written anew. The kernel is plain C++ that is run once to record what it does.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../Device.h"
#include "tilec/TileFusion.h"

#include <cstdint>

using namespace tilec::tilefusion;

namespace {

constexpr int M = 128, N = 64, K = 256, step = 32;
using Warps = RowMajor<2, 2>;
// A register tile counts base tiles of 16 x 16 of one warp: 128 x 32 by two rows of warps is 4 x 2.
using RegA = RegTile<BaseTileRowMajor<__half>, RowMajor<4, 2>>;
using RegB = RegTile<BaseTileColMajor<__half>, ColMajor<2, 2>>;
using RegC = RegTile<BaseTileRowMajor<float>, RowMajor<4, 2>>;
using StepsA = TileIterator<GlobalTile<__half, RowMajor<M, K>>, TileShape<M, step>>;
using StepsB = TileIterator<GlobalTile<__half, ColMajor<K, N>>, TileShape<step, N>>;
using TileC = GlobalTile<float, RowMajor<M, N>>;

__global__ void product(const __half *dA, const __half *dB, float *dC) {
  StepsA a(dA);
  StepsB b(dB);
  RegA ra;
  RegB rb;
  RegC sum;
  for (int k = 0; k < StepsA::sc1; ++k) {
    GlobalToRegLoader<RegA, Warps, kRowReuseCont>()(a(k), ra);
    GlobalToRegLoader<RegB, Warps, kColReuseCont>()(b(k), rb);
    gemm(ra, rb, sum);
  }
  TileC c(dC);
  RegToGlobalStorer<TileC, RegC, Warps>()(sum, c);
}

/// -2 ... 2, so that every sum is exact.
int value(int i) { return (i * 7 + i / 11) % 5 - 2; }
uint16_t half(int v) {
  const uint16_t codes[] = {0xC000, 0xBC00, 0x0000, 0x3C00, 0x4000};
  return codes[v + 2];
}

} // namespace

int main(int argc, char **argv) {
  const char *target = argc > 1 ? argv[1] : "gfx950";
  tilec::tile::Kernel kernel = record("fusion_gemm", {}, product);
  gallery::Device device(target, kernel);
  std::vector<uint16_t> a(M * K), b(N * K);
  std::vector<float> c(M * N);
  for (int i = 0; i < M * K; ++i)
    a[i] = half(value(i));
  for (int i = 0; i < N * K; ++i)
    b[i] = half(value(i + 3));
  tilec_arg A = device.upload(a), B = device.upload(b), C = device.upload(c);
  device.launch({A, B, C});
  device.download(c, C);
  int wrong = 0;
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      int sum = 0;
      for (int k = 0; k < K; ++k)
        sum += value(m * K + k) * value(n * K + k + 3);
      wrong += c[m * N + n] != float(sum);
    }
  std::printf("%s: %d elements, %d wrong\n", target, M * N, wrong);
  return wrong != 0;
}

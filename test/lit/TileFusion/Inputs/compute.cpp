//===- compute.cpp - functions of register tiles, fused products ----------===//
//
// compute NAME TARGET: one of the kernels below, run and checked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "host.h"

#include <cmath>
#include <string_view>

using namespace tilec::tilefusion;
using namespace cell;
using namespace cell::compute;

namespace {

constexpr int M = 256, N = 128, K = 128, P = 128;
constexpr int kTM = 64, kTN = 64, kTK = 32, kTP = 64;
using Warps = tl::RowMajor<4, 1>; // as TileFusion's example: one column of warps
constexpr int kDown = tl::num_rows<Warps>, kSide = BaseTileShape<__half>::kRows;

using GlobalA = GlobalTile<__half, tl::RowMajor<kTM, K>>;
using IteratorA = GTileIterator<GlobalA, TileShape<kTM, kTK>>;
using SharedA = SharedTile<__half, tl::RowMajor<kTM, kTK>, true, 64>;
using RegA = RegTile<BaseTileRowMajor<__half>, tl::RowMajor<kTM / kDown / kSide, kTK / kSide>>;

using GlobalB = GlobalTile<__half, tl::ColMajor<K, N>>;
using IteratorB = GTileIterator<GlobalB, TileShape<kTK, kTN>>;
using SharedB = SharedTile<__half, tl::ColMajor<kTK, kTN>, true, 64>;
using RegB = RegTile<BaseTileColMajor<__half>, tl::ColMajor<kTK / kSide, kTN / kSide>>;

using GlobalC = GlobalTile<__half, tl::ColMajor<N, kTP>>;
using IteratorC = GTileIterator<GlobalC, TileShape<kTN, kTP>>;
using SharedC = SharedTile<__half, tl::ColMajor<kTN, kTP>, true, 64>;
using RegC = RegTile<BaseTileColMajor<__half>, tl::ColMajor<kTN / kSide, kTP / kSide>>;

using RegAcc = RegTile<BaseTileRowMajor<float>, tl::RowMajor<kTM / kDown / kSide, kTN / kSide>>;
using RegAccHalf =
    RegTile<BaseTileRowMajor<__half>, tl::RowMajor<kTM / kDown / kSide, kTN / kSide>>;
using RegD = RegTile<BaseTileRowMajor<float>, tl::RowMajor<kTM / kDown / kSide, kTP / kSide>>;
using GlobalD = GlobalTile<float, tl::RowMajor<kTM, kTP, P>>;
using SharedD = SharedTile<float, tl::RowMajor<kTM, kTP>>;

template <typename Reg> using ReadRows = SharedToRegLoader<Reg, Warps, WarpReuse::kRowReuseCont>;
template <typename Reg> using ReadCols = SharedToRegLoader<Reg, Warps, WarpReuse::kColReuseCont>;

/// D = (A * B) * C: the first product stays in registers.
__global__ void fused(const __half *dA, const __half *dB, const __half *dC, float *dD) {
  IteratorA gAs(dA + blockIdx.x * (kTM * K));
  IteratorB gBs(dB);
  IteratorC gCs(dC + blockIdx.y * (kTP * N));
  SharedA sA;
  SharedB sB;
  SharedC sC;
  RegA rA;
  RegB rB;
  RegC rC;
  RegAcc acc;
  RegAccHalf accHalf;
  RegD rD;
  RegTileConvert<RegAcc, RegAccHalf> toHalf;
  for (int n = 0; n < IteratorC::sc0; ++n) {
    GlobalToSharedLoader<SharedC, Warps>()(gCs(n), sC);
    for (int k = 0; k < IteratorA::sc1; ++k) {
      GlobalToSharedLoader<SharedA, Warps>()(gAs(k), sA);
      GlobalToSharedLoader<SharedB, Warps>()(gBs(k, n), sB);
      __copy_async();
      __syncthreads();
      ReadRows<RegA>()(sA, rA);
      ReadCols<RegB>()(sB, rB);
      __syncthreads();
      gemm(rA, rB, acc);
    }
    ReadCols<RegC>()(sC, rC);
    __syncthreads();
    toHalf(acc, accHalf);
    gemm(accHalf, rC, rD);
    acc.clear();
  }
  SharedD sD;
  RegToSharedStorer<RegD, Warps>()(rD, sD);
  __syncthreads();
  SharedToGlobalStorer<SharedD, Warps>()(sD,
                                         GlobalD(dD + (blockIdx.x * (kTM * P) + blockIdx.y * kTP)));
}

/// All memories with sub-tiles of shared tiles: STileIterator.
using IteratorSA = STileIterator<SharedA, TileShape<kTM, 16>>;
using IteratorSB = STileIterator<SharedB, TileShape<16, kTN>>;
using StripA = RegTile<BaseTileRowMajor<__half>, tl::RowMajor<kTM / kDown / kSide, 1>>;
using StripB = RegTile<BaseTileColMajor<__half>, tl::ColMajor<1, kTN / kSide>>;
using GlobalAcc = GlobalTile<float, tl::RowMajor<kTM, kTN, N>>;

__global__ void strips(const __half *dA, const __half *dB, float *dC) {
  IteratorA gAs(dA + blockIdx.y * (kTM * K));
  GTileIterator<GlobalTile<__half, tl::ColMajor<K, kTN>>, TileShape<kTK, kTN>> gBs(
      dB + blockIdx.x * (kTN * K));
  SharedA sA;
  SharedB sB;
  StripA rA;
  StripB rB;
  RegAcc acc;
  for (int k = 0; k < IteratorA::sc1; ++k) {
    GlobalToSharedLoader<SharedA, Warps>()(gAs(k), sA);
    GlobalToSharedLoader<SharedB, Warps>()(gBs(k), sB);
    __copy_async();
    __syncthreads();
    IteratorSA sAs(sA);
    IteratorSB sBs(sB);
    for (int j = 0; j < IteratorSA::sc1; ++j) {
      ReadRows<StripA>()(sAs(j), rA);
      ReadCols<StripB>()(sBs(j), rB);
      gemm(rA, rB, acc);
    }
    __syncthreads();
  }
  RegToGlobalStorer<GlobalAcc, RegAcc, Warps>()(
      acc, GlobalAcc(dC + (blockIdx.y * (kTM * N) + blockIdx.x * kTN)));
}

/// A product in two levels: the loads of the next round are committed before the product of this
/// one.
using GlobalStripsB = GlobalTile<__half, tl::ColMajor<K, kTN>>;
using PipelineA = Pipeline<__half, GlobalA, SharedA, IteratorA,
                           GlobalToSharedLoader<SharedA, Warps>, 2, IteratorA::sc1>;
using PipelineB =
    Pipeline<__half, GlobalStripsB, SharedB, GTileIterator<GlobalStripsB, TileShape<kTK, kTN>>,
             GlobalToSharedLoader<SharedB, Warps>, 2, IteratorA::sc1>;

template <int kFault> __global__ void pipelined(const __half *dA, const __half *dB, float *dC) {
  PipelineA a(dA + blockIdx.y * (kTM * K));
  PipelineB b(dB + blockIdx.x * (kTN * K));
  StripA rA;
  StripB rB;
  RegAcc acc;
  auto multiply = [&](const SharedA &sA, const SharedB &sB) {
    IteratorSA sAs(sA);
    IteratorSB sBs(sB);
    for (int j = 0; j < IteratorSA::sc1; ++j) {
      ReadRows<StripA>()(sAs(j), rA);
      ReadCols<StripB>()(sBs(j), rB);
      gemm(rA, rB, acc);
    }
  };
  a.commit();
  b.commit();
  if (kFault == 1)
    for (auto k : range(StripCount{1}))
      (void)k, a.commit();
  for (int k = 0; k < PipelineA::Iterations - 1; ++k) {
    a.commit();
    b.commit();
    if (kFault == 2 && k == 1)
      a.commit();
    multiply(a.get_prev_dst(), b.get_prev_dst());
    __copy_async();
    __syncthreads();
  }
  multiply(a.get_cur_dst(), b.get_cur_dst());
  RegToGlobalStorer<GlobalAcc, RegAcc, Warps>()(
      acc, GlobalAcc(dC + (blockIdx.y * (kTM * N) + blockIdx.x * kTN)));
}

/// Rows through every function: exp(x - max) / sum, and what undoes itself.
using RegX = RegTile<BaseTileRowMajor<float>, tl::RowMajor<kTM / kDown / kSide, kTN / kSide>>;
using Rows = RegTile<float, tl::RowMajor<kTM / kDown / kSide, 2>>;
using GlobalX = GlobalTile<float, tl::RowMajor<kTM, kTN>>;

__global__ void softmax(const float *dX, float *dY) {
  constexpr auto kRow = tl::Layout::kRowMajor;
  RegX x, y, z;
  Rows most, sum, twice;
  GlobalToRegLoader<RegX, Warps>()(GlobalX(dX + blockIdx.x * (kTM * kTN)), x);
  MaxReduce<RegX, kRow>()(x, most);
  RegTileCopy<RegX>()(x, y);
  BroadcastSub<Rows, RegX, kRow>()(most, y);
  RegTileExp<RegX>()(y, y);
  SumReduce<RegX, kRow>()(y, sum);
  BroadcastDiv<Rows, RegX, kRow>()(sum, y);
  // y + (x - x) * y * 2, then the sum of two equal rows by half.
  RegTileSub<RegX>()(x, x, z);
  BroadcastScalarMul<RegX>()(z, 2.0, z);
  RegTileMul<RegX>()(z, y, z);
  RegTileAdd<RegX>()(y, z, y);
  BaseTileCopy<Rows>()(sum, twice);
  BaseTileAdd<Rows>()(sum, twice, twice);
  BaseTileDiv<Rows>()(twice, sum, twice);
  BroadcastMul<Rows, RegX, kRow>()(twice, y);
  Broadcast<Rows, RegX, kRow>()(twice, z);
  RegTileDiv<RegX>()(y, z, y);
  RegTileMax<RegX>()(y, y, z);
  RegTileMin<RegX>()(y, z, z);
  RegTileRelu<RegX>()(z, z);
  RegToGlobalStorer<GlobalX, RegX, Warps>()(z, GlobalX(dY + blockIdx.x * (kTM * kTN)));
}

/// Nobody says what shape `x` has.
__global__ void shapeless(const float *, float *) {
  RegX x;
  RegTileExp<RegX>()(x, x);
}

int runFused(const char *target) {
  auto kernel = record(
      "fused", {.grid = {M / kTM, P / kTP}, .shapes = {{M, K}, {N, K}, {P, N}, {M, P}}}, fused);
  Host host(target, kernel);
  auto bit = [](int i, int seed) { return pattern(i, seed) > 1 ? 1 : 0; };
  std::vector<uint16_t> a(M * K), b(N * K), c(P * N);
  std::vector<float> d(M * P, -1);
  for (int i = 0; i < M * K; ++i)
    a[i] = toHalf(bit(i, 3));
  for (int i = 0; i < N * K; ++i)
    b[i] = toHalf(bit(i, 5));
  for (int i = 0; i < P * N; ++i)
    c[i] = toHalf(pattern(i, 2));
  tilec_arg A = host.tensor(a), B = host.tensor(b), C = host.tensor(c), D = host.tensor(d);
  host.launch({A, B, C, D});
  host.download(d, D);
  for (int m = 0; m < M; ++m) {
    std::vector<int> first(N);
    for (int n = 0; n < N; ++n)
      for (int k = 0; k < K; ++k)
        first[n] += bit(m * K + k, 3) * bit(n * K + k, 5);
    for (int p = 0; p < P; ++p) {
      int sum = 0;
      for (int n = 0; n < N; ++n)
        sum += first[n] * pattern(p * N + n, 2);
      if (d[m * P + p] != float(sum))
        fail("element " + std::to_string(m) + ", " + std::to_string(p) + " is " +
             std::to_string(d[m * P + p]) + ", not " + std::to_string(sum));
    }
  }
  std::puts("all elements are right");
  return 0;
}

int runSoftmax(const char *target) {
  auto kernel =
      record("softmax", {.grid = {2}, .shapes = {{2 * kTM, kTN}, {2 * kTM, kTN}}}, softmax);
  Host host(target, kernel);
  std::vector<float> x(2 * kTM * kTN), y(x.size(), -1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = pattern(int(i), 4) * 0.75f;
  tilec_arg X = host.tensor(x), Y = host.tensor(y);
  host.launch({X, Y});
  host.download(y, Y);
  for (int m = 0; m < 2 * kTM; ++m) {
    double sum = 0;
    for (int n = 0; n < kTN; ++n)
      sum += std::exp(double(x[m * kTN + n]));
    for (int n = 0; n < kTN; ++n)
      if (double wanted = std::exp(double(x[m * kTN + n])) / sum;
          !(std::fabs(y[m * kTN + n] - wanted) <= 1e-6 * wanted + 1e-12))
        fail("element " + std::to_string(m) + ", " + std::to_string(n));
  }
  std::puts("all elements are right");
  return 0;
}

} // namespace

int main(int, char **argv) {
  std::string_view name = argv[1];
  if (name == "fused")
    return runFused(argv[2]);
  if (name == "softmax")
    return runSoftmax(argv[2]);
  if (name == "shapeless") {
    auto kernel = record("shapeless", {}, shapeless);
    Host host(argv[2], kernel);
    return 0;
  }
  auto function = name == "pipelined" ? pipelined<0>
                  : name == "range"   ? pipelined<1>
                  : name == "uneven"  ? pipelined<2>
                                      : strips;
  auto kernel =
      record("product", {.grid = {N / kTN, M / kTM}, .shapes = {{M, K}, {N, K}, {M, N}}}, function);
  return checkProduct(argv[2], kernel, M, N, K);
}

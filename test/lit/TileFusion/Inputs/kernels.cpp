//===- kernels.cpp - TileFusion's vocabulary beyond the seed --------------===//
//
// kernels NAME TARGET: one of the kernels below, run and checked, or the messages of one that must
// not be recorded.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "host.h"

#include <string_view>

using namespace tilec::tilefusion;

namespace {

constexpr int M = 256, N = 128, K = 128, kTM = 128, kTN = 64, kTK = 32;
using WarpLayout = RowMajor<2, 2>;
using RegA = RegTile<BaseTileRowMajor<__half>, RowMajor<4, 2>>;
using RegB = RegTile<BaseTileColMajor<__half>, ColMajor<2, 2>>;
using RegC = RegTile<BaseTileRowMajor<float>, RowMajor<4, 2>>;
using GlobalA = GlobalTile<__half, RowMajor<kTM, K>>;
using GlobalB = GlobalTile<__half, ColMajor<K, kTN>>;
using GlobalC = GlobalTile<float, RowMajor<kTM, kTN, N>>;
using IteratorA = GTileIterator<GlobalA, TileShape<kTM, kTK>>;
using IteratorB = GTileIterator<GlobalB, TileShape<kTK, kTN>>;
using SharedA = SharedTile<__half, RowMajor<kTM, kTK>>;
using SharedB = SharedTile<__half, ColMajor<kTK, kTN>>;
using SharedC = SharedTile<float, RowMajor<kTM, kTN>>;

RecordOptions blocks() { return {.grid = {N / kTN, M / kTM}, .shapes = {{M, K}, {N, K}, {M, N}}}; }

/// Blocks of the grid, all memories: global, shared, registers, shared, global.
__global__ void allMemories(const __half *dA, const __half *dB, float *dC) {
  IteratorA gAs(dA + blockIdx.y * (kTM * K));
  IteratorB gBs(dB + blockIdx.x * (kTN * K));
  SharedA sA;
  SharedB sB;
  SharedC sC;
  RegA rA;
  RegB rB;
  RegC acc;
  GlobalToSharedLoader<SharedA, WarpLayout> loadA;
  GlobalToSharedLoader<SharedB, WarpLayout> loadB;
  SharedToRegLoader<RegA, WarpLayout, kRowReuseCont> readA;
  SharedToRegLoader<RegB, WarpLayout, kColReuseCont> readB;
  for (int k = 0; k < IteratorA::sc1; ++k) {
    loadA(gAs(k), sA);
    loadB(gBs(k), sB);
    __copy_async();
    __syncthreads();
    readA(sA, rA);
    readB(sB, rB);
    gemm(rA, rB, acc);
    __syncthreads();
  }
  RegToSharedStorer<RegC, WarpLayout> writeC;
  writeC(acc, sC);
  __syncthreads();
  GlobalC gC(dC + (blockIdx.y * (kTM * N) + blockIdx.x * kTN));
  SharedToGlobalStorer<SharedC, WarpLayout> storeC;
  storeC(sC, gC);
}

using LoadA = GlobalToRegLoader<RegA, WarpLayout, kRowReuseCont>;
using LoadB = GlobalToRegLoader<RegB, WarpLayout, kColReuseCont>;
using StoreC = RegToGlobalStorer<GlobalC, RegC, WarpLayout>;

/// The first round outside of the loop, the others by `k - 1`, `k + 1` and a range.
__global__ void offsets(const __half *dA, const __half *dB, float *dC) {
  IteratorA gAs(dA + blockIdx.y * (kTM * K));
  IteratorB gBs(dB + blockIdx.x * (kTN * K));
  RegA rA;
  RegB rB;
  RegC acc;
  auto multiply = [&](const auto &a, const auto &b) {
    LoadA()(a, rA);
    LoadB()(b, rB);
    gemm(rA, rB, acc);
  };
  static_assert(IteratorA::sc1 == 4);
  multiply(gAs(0), gBs(0));
  for (int k = 2; k < IteratorA::sc1; ++k)
    multiply(gAs(k - 1), gBs(k - 1));
  for (auto k : range(StripCount{1}))
    multiply(gAs(k + 3), gBs(k + 3));
  StoreC()(acc, GlobalC(dC + (blockIdx.y * (kTM * N) + blockIdx.x * kTN)));
}

/// Branches on the number that stands for the loop variable.
template <int kWhich> __global__ void branches(const __half *dA, const __half *dB, float *dC) {
  IteratorA gAs(dA);
  IteratorB gBs(dB);
  RegA rA;
  RegB rB;
  RegC acc;
  for (int k = 0; k < IteratorA::sc1; ++k) {
    LoadA()(gAs(k), rA);
    LoadB()(gBs(k), rB);
    bool skips = kWhich == 0   ? k == 0
                 : kWhich == 1 ? k % 2 == 1
                 : kWhich == 2 ? k == IteratorA::sc1 - 1
                               : k == 2;
    if (!skips)
      gemm(rA, rB, acc);
  }
  StoreC()(acc, GlobalC(dC));
}

__global__ void doubled(const __half *dA, const __half *, float *) {
  IteratorA gAs(dA);
  RegA rA;
  for (int k = 0; k < IteratorA::sc1; ++k)
    LoadA()(gAs(k * 2), rA);
}

} // namespace

int main(int, char **argv) {
  std::string_view name = argv[1];
  using Function = void (*)(const __half *, const __half *, float *);
  const struct {
    std::string_view name;
    Function function;
  } kernels[] = {{"all-memories", allMemories}, {"offsets", offsets},
                 {"branch-first", branches<0>}, {"branch-odd", branches<1>},
                 {"branch-last", branches<2>},  {"branch-middle", branches<3>},
                 {"doubled", doubled}};
  for (const auto &kernel : kernels)
    if (kernel.name == name) {
      auto recorded = record("kernel", blocks(), kernel.function);
      return checkProduct(argv[2], recorded, M, N, K);
    }
  return 2;
}

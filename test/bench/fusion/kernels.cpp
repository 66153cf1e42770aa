//===- kernels.cpp - products in TileFusion's words, for timing -----------===//
//
// usage: kernels NAME TARGET OUT      writes the image and OUT.json; NAME: a function below. PTX
// instead of a cubin where OUT ends in .ptx.
//
// The counterparts of kernels.py, with the same tiles, threads and stages.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/TileFusion.h"

#include <cstdio>
#include <fstream>
#include <string_view>

using namespace tilec::tilefusion;
using namespace cell;
using namespace cell::compute;

namespace {

constexpr int kSize = 4096, kTM = 128, kTN = 128, kTK = 64, kBase = 16;
using Warps = tl::RowMajor<2, 2>;
constexpr int kDown = tl::num_rows<Warps>, kAcross = tl::num_cols<Warps>;

using GlobalA = GlobalTile<__half, tl::RowMajor<kTM, kSize>>;
using GlobalB = GlobalTile<__half, tl::ColMajor<kSize, kTN>>;
using GlobalC = GlobalTile<float, tl::RowMajor<kTM, kTN, kSize>>;
using StepsA = GTileIterator<GlobalA, TileShape<kTM, kTK>>;
using StepsB = GTileIterator<GlobalB, TileShape<kTK, kTN>>;
using SharedA = SharedTile<__half, tl::RowMajor<kTM, kTK>, true, 128>;
using SharedB = SharedTile<__half, tl::ColMajor<kTK, kTN>, true, 128>;
using RegA = RegTile<BaseTileRowMajor<__half>, tl::RowMajor<kTM / kDown / kBase, kTK / kBase>>;
using RegB = RegTile<BaseTileColMajor<__half>, tl::ColMajor<kTK / kBase, kTN / kAcross / kBase>>;
using RegC =
    RegTile<BaseTileRowMajor<float>, tl::RowMajor<kTM / kDown / kBase, kTN / kAcross / kBase>>;
using ReadA = SharedToRegLoader<RegA, Warps, WarpReuse::kRowReuseCont>;
using ReadB = SharedToRegLoader<RegB, Warps, WarpReuse::kColReuseCont>;
using StoreC = RegToGlobalStorer<GlobalC, RegC, Warps>;

GlobalC tileOf(float *dC) { return GlobalC(dC + (blockIdx.y * (kTM * kSize) + blockIdx.x * kTN)); }

__global__ void registers(const __half *dA, const __half *dB, float *dC) {
  StepsA a(dA + blockIdx.y * (kTM * kSize));
  StepsB b(dB + blockIdx.x * (kTN * kSize));
  RegA rA;
  RegB rB;
  RegC sum;
  for (int k = 0; k < StepsA::sc1; ++k) {
    GlobalToRegLoader<RegA, Warps, WarpReuse::kRowReuseCont>()(a(k), rA);
    GlobalToRegLoader<RegB, Warps, WarpReuse::kColReuseCont>()(b(k), rB);
    gemm(rA, rB, sum);
  }
  StoreC()(sum, tileOf(dC));
}

__global__ void memories(const __half *dA, const __half *dB, float *dC) {
  StepsA a(dA + blockIdx.y * (kTM * kSize));
  StepsB b(dB + blockIdx.x * (kTN * kSize));
  SharedA sA;
  SharedB sB;
  RegA rA;
  RegB rB;
  RegC sum;
  for (int k = 0; k < StepsA::sc1; ++k) {
    GlobalToSharedLoader<SharedA, Warps>()(a(k), sA);
    GlobalToSharedLoader<SharedB, Warps>()(b(k), sB);
    __copy_async();
    __syncthreads();
    ReadA()(sA, rA);
    ReadB()(sB, rB);
    __syncthreads();
    gemm(rA, rB, sum);
  }
  StoreC()(sum, tileOf(dC));
}

template <typename Global, typename Shared, typename Steps>
using Stages =
    Pipeline<__half, Global, Shared, Steps, GlobalToSharedLoader<Shared, Warps>, 2, StepsA::sc1>;

__global__ void pipelined(const __half *dA, const __half *dB, float *dC) {
  Stages<GlobalA, SharedA, StepsA> a(dA + blockIdx.y * (kTM * kSize));
  Stages<GlobalB, SharedB, StepsB> b(dB + blockIdx.x * (kTN * kSize));
  RegA rA;
  RegB rB;
  RegC sum;
  auto multiply = [&](const SharedA &sA, const SharedB &sB) {
    ReadA()(sA, rA);
    ReadB()(sB, rB);
    gemm(rA, rB, sum);
  };
  a.commit();
  b.commit();
  for (int k = 0; k < StepsA::sc1 - 1; ++k) {
    a.commit();
    b.commit();
    multiply(a.get_prev_dst(), b.get_prev_dst());
    __copy_async();
    __syncthreads();
  }
  multiply(a.get_cur_dst(), b.get_cur_dst());
  StoreC()(sum, tileOf(dC));
}

// D = (A * B) * C with A: 4096 x 128, B: 128 x 4096, C: 4096 x 128.
constexpr int kInner = 128;
using Column = tl::RowMajor<4, 1>;
using RowsA = GlobalTile<__half, tl::RowMajor<kTM, kInner>>;
using RowsB = GlobalTile<__half, tl::ColMajor<kInner, kSize>>;
using RowsC = GlobalTile<__half, tl::ColMajor<kSize, kInner>>;
using FusedA = GTileIterator<RowsA, TileShape<kTM, kInner>>;
using FusedB = GTileIterator<RowsB, TileShape<kInner, kTK>>;
using FusedC = GTileIterator<RowsC, TileShape<kTK, kInner>>;
using SharedFusedA = SharedTile<__half, tl::RowMajor<kTM, kInner>, true, 128>;
using SharedFusedB = SharedTile<__half, tl::ColMajor<kInner, kTK>, true, 128>;
using SharedFusedC = SharedTile<__half, tl::ColMajor<kTK, kInner>, true, 128>;
using RegFusedA = RegTile<BaseTileRowMajor<__half>, tl::RowMajor<kTM / 4 / kBase, kInner / kBase>>;
using RegFusedB = RegTile<BaseTileColMajor<__half>, tl::ColMajor<kInner / kBase, kTK / kBase>>;
using RegFusedC = RegTile<BaseTileColMajor<__half>, tl::ColMajor<kTK / kBase, kInner / kBase>>;
using RegSum = RegTile<BaseTileRowMajor<float>, tl::RowMajor<kTM / 4 / kBase, kTK / kBase>>;
using RegHalf = RegTile<BaseTileRowMajor<__half>, tl::RowMajor<kTM / 4 / kBase, kTK / kBase>>;
using RegD = RegTile<BaseTileRowMajor<float>, tl::RowMajor<kTM / 4 / kBase, kInner / kBase>>;
using GlobalD = GlobalTile<float, tl::RowMajor<kTM, kInner>>;

__global__ void fused(const __half *dA, const __half *dB, const __half *dC, float *dD) {
  FusedA a(dA + blockIdx.x * (kTM * kInner));
  FusedB b(dB);
  FusedC c(dC);
  SharedFusedA sA;
  SharedFusedB sB;
  SharedFusedC sC;
  RegFusedA rA;
  RegFusedB rB;
  RegFusedC rC;
  RegSum sum;
  RegHalf half;
  RegD rD;
  GlobalToSharedLoader<SharedFusedA, Column>()(a(0), sA);
  for (int n = 0; n < FusedC::sc0; ++n) {
    GlobalToSharedLoader<SharedFusedB, Column>()(b(0, n), sB);
    GlobalToSharedLoader<SharedFusedC, Column>()(c(n), sC);
    __copy_async();
    __syncthreads();
    SharedToRegLoader<RegFusedA, Column, WarpReuse::kRowReuseCont>()(sA, rA);
    SharedToRegLoader<RegFusedB, Column, WarpReuse::kColReuseCont>()(sB, rB);
    gemm(rA, rB, sum);
    RegTileConvert<RegSum, RegHalf>()(sum, half);
    SharedToRegLoader<RegFusedC, Column, WarpReuse::kColReuseCont>()(sC, rC);
    __syncthreads();
    gemm(half, rC, rD);
    sum.clear();
  }
  RegToGlobalStorer<GlobalD, RegD, Column>()(rD, GlobalD(dD + blockIdx.x * (kTM * kInner)));
}

tilec::tile::Kernel recorded(std::string_view name) {
  if (name == "fused")
    return record("fused",
                  {.grid = {kSize / kTM},
                   .shapes = {{kSize, kInner}, {kSize, kInner}, {kInner, kSize}, {kSize, kInner}}},
                  fused);
  RecordOptions options{.grid = {kSize / kTN, kSize / kTM},
                        .shapes = {{kSize, kSize}, {kSize, kSize}, {kSize, kSize}}};
  return record(name.data(), options,
                name == "registers"  ? registers
                : name == "memories" ? memories
                                     : pipelined);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  tilec::tile::Kernel kernel = recorded(argv[1]);
  bool isPtx = std::string_view(argv[3]).ends_with(".ptx");
  auto binary = tilec::compile(kernel, {.target = argv[2], .ptxAssembler = isPtx ? "none" : ""});
  if (!binary) {
    std::fputs(std::string(binary.log()).c_str(), stderr);
    return 1;
  }
  std::ofstream(argv[3], std::ios::binary) << binary->image();
  std::ofstream(std::string(argv[3]) + ".json") << binary->manifest();
  return 0;
}

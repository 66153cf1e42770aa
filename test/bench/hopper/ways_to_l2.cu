// SPDX-License-Identifier: Apache-2.0
// What multiprocessors get from L2, by who reads the same at the same time:
//   nvcc -arch=sm_90a -O3 -o ways_to_l2 ways_to_l2.cu && ./ways_to_l2
// One block a multiprocessor copies pieces of 16 KB to shared memory (cp.async.bulk, 12 on the way), and what it reads
// depends on where it is. Multiprocessors of one GPC are found by where clusters of eight lie.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int pieceBytes = 16384, slots = 12, rounds = 400, mostUnits = 256;

enum Sharing { Nobody, Pair, Neighbours, Gpc, GpcNotPair, All, AcrossGpcs, FourOfGpc, TwoOfGpc, TwoOfTwoGpcs, Kinds };
const char *const names[Kinds] = {"nobody shares",          "the two of a TPC",      "neighbours of the grid",
                                  "a GPC",                  "a GPC, a TPC's two not", "all",
                                  "one of each GPC",        "four of a GPC",         "two of a GPC, of two TPCs",
                                  "two of two GPCs"};

__device__ uint32_t sharedAddress(const void *p) { return uint32_t(__cvta_generic_to_shared(p)); }

/// `places`: GPC and number in it of each multiprocessor.
__global__ __launch_bounds__(32) void copy(const char *from, int sharing, uint64_t mask, const int *places) {
  extern __shared__ __align__(1024) char ring[];
  __shared__ __align__(8) uint64_t full[slots];
  uint32_t unit;
  asm volatile("mov.u32 %0, %smid;" : "=r"(unit));
  if (threadIdx.x)
    return;
  int gpc = places[2 * unit], number = places[2 * unit + 1], odd = unit & 1;
  const int streams[Kinds] = {int(blockIdx.x), int(unit / 2), int(blockIdx.x / 2), gpc, 2 * gpc + odd, 0, number,
                              4 * gpc + number / 4, 8 * gpc + 4 * odd + number / 4, 18 * (gpc / 2) + number};
  uint64_t first = uint64_t(streams[sharing]) * rounds;
  for (int slot = 0; slot < slots; ++slot)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(sharedAddress(&full[slot])));
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;");
  auto bring = [&](int round) {
    uint32_t barrier = sharedAddress(&full[round % slots]);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(pieceBytes));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     sharedAddress(ring) + round % slots * pieceBytes),
                 "l"(from + ((first + round) * pieceBytes & mask)), "r"(pieceBytes), "r"(barrier)
                 : "memory");
  };
  for (int round = 0; round < slots; ++round)
    bring(round);
  for (int round = 0; round < rounds; ++round) {
    asm volatile("{.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN;}" ::"r"(
                     sharedAddress(&full[round % slots])),
                 "r"(round / slots & 1)
                 : "memory");
    if (round + slots < rounds)
      bring(round + slots);
  }
}

/// Where the blocks of clusters are; they stay for a while, so that all places are seen.
__global__ void __cluster_dims__(8, 1, 1) where(int *units) {
  uint32_t unit;
  asm volatile("mov.u32 %0, %smid;" : "=r"(unit));
  if (!threadIdx.x)
    units[blockIdx.x] = unit;
  for (long long start = clock64(); clock64() - start < 200000;) {
  }
}

/// GPC and number in it. Multiprocessors that no cluster of eight has are GPCs of their own.
int *findPlaces(int units) {
  int root[mostUnits], *at, *places;
  for (int unit = 0; unit < mostUnits; ++unit)
    root[unit] = unit;
  auto find = [&](int unit) {
    while (root[unit] != unit)
      unit = root[unit];
    return unit;
  };
  cudaMallocManaged(&at, mostUnits * sizeof(int));
  cudaMallocManaged(&places, 2 * mostUnits * sizeof(int));
  cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  for (int turn = 0; turn < 40; ++turn) {
    int blocks = 8 * (1 + turn % 30);
    where<<<blocks, 32, 200000>>>(at);
    cudaDeviceSynchronize();
    for (int block = 0; block < blocks; ++block)
      root[find(at[block])] = find(at[block / 8 * 8]);
  }
  std::vector<int> roots, sizes;
  for (int unit = 0; unit < units; ++unit) {
    auto found = std::find(roots.begin(), roots.end(), find(unit));
    places[2 * unit] = int(found - roots.begin());
    if (found == roots.end())
      roots.push_back(find(unit)), sizes.push_back(0);
    places[2 * unit + 1] = sizes[places[2 * unit]]++;
  }
  printf("multiprocessors of GPCs, as clusters of eight show them:");
  for (int size : sizes)
    printf(" %d", size);
  printf("\n");
  return places;
}

int main() {
  int units = 0;
  cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0);
  const int *places = findPlaces(units);
  cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, slots * pieceBytes);
  char *from;
  cudaMalloc(&from, size_t(2) << 30);
  cudaMemset(from, 1, size_t(2) << 30);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (uint64_t bytes : {uint64_t(1) << 24, uint64_t(1) << 31}) {
    printf("%s, %d blocks, TB/s of all together:\n", bytes >> 31 ? "2 GB" : "16 MB", units);
    for (int sharing = 0; sharing < Kinds; ++sharing) {
      float best = 1e9f, time;
      for (int turn = 0; turn < 6; ++turn) {
        cudaEventRecord(begin);
        copy<<<units, 32, slots * pieceBytes>>>(from, sharing, bytes - 1, places);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, begin, end);
        best = std::min(best, time);
      }
      printf("  %-26s %6.2f\n", names[sharing], double(units) * rounds * pieceBytes / best / 1e9);
    }
  }
  cudaError_t error = cudaDeviceSynchronize();
  if (error)
    printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}

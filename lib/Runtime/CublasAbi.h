//===- CublasAbi.h - the part of cuBLAS and cublasLt that is used ---------===//
//
// Our own declarations; numbers and layouts are those of cublas_api.h, cublasLt.h
// and library_types.h (CUDA 11.8 to 13), and CudaAbiTest compares them where the
// headers are installed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilec::rt::cublas {

// cudaDataType_t
inline constexpr int typeF32 = 0, typeF16 = 2, typeI8 = 3, typeI32 = 10, typeBF16 = 14,
                     typeE4M3 = 28, typeE5M2 = 29;
// cublasComputeType_t
inline constexpr int computeF32 = 68, computeI32 = 72;
inline constexpr int defaultAlgorithm = -1; // CUBLAS_GEMM_DEFAULT
// cublasLtMatmulDescAttributes_t
inline constexpr int descTransA = 3, descTransB = 4, descScaleA = 17, descScaleB = 18,
                     descFastAccumulation = 25;
inline constexpr int preferenceWorkspaceBytes = 1; // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

struct LtAlgorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t
struct LtHeuristic {
  LtAlgorithm algorithm;
  size_t workspaceBytes;
  int status;
  float waves;
  int reserved[4];
};

struct Api {
  int (*create)(void **handle);
  int (*setStream)(void *handle, void *stream);
  int (*gemmEx)(void *handle, int opA, int opB, int m, int n, int k, const void *alpha,
                const void *a, int aType, int lda, const void *b, int bType, int ldb,
                const void *beta, void *c, int cType, int ldc, int computeType, int algorithm);
};

struct LtApi {
  int (*create)(void **handle);
  int (*descCreate)(void **desc, int computeType, int scaleType);
  int (*descSet)(void *desc, int attribute, const void *value, size_t bytes);
  int (*layoutCreate)(void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld);
  int (*preferenceCreate)(void **preference);
  int (*preferenceSet)(void *preference, int attribute, const void *value, size_t bytes);
  int (*heuristics)(void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference,
                    int wanted, LtHeuristic *results, int *count);
  int (*matmul)(void *handle, void *desc, const void *alpha, const void *a, void *aLayout,
                const void *b, void *bLayout, const void *beta, const void *c, void *cLayout,
                void *d, void *dLayout, const LtAlgorithm *algorithm, void *workspace,
                size_t workspaceBytes, void *stream);
};

} // namespace tilec::rt::cublas

//===- CudaAbiTest.cpp - our declarations against NVIDIA's header ---------===//
//
// Built only where a CUDA toolkit is installed: the runtime never needs its headers.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Runtime/CudaAbi.h"
#include "../../../lib/Runtime/CublasAbi.h"

#include <cuda.h>
#if __has_include(<cublasLt.h>) && __has_include(<cublas_v2.h>)
#include <cublasLt.h>
#include <cublas_v2.h>
#define TILEC_HAS_CUBLAS_HEADERS 1
#endif

#include "gtest/gtest.h"

namespace ours = tilec::rt::cuda;

TEST(CudaAbi, ConstantsAreThoseOfTheHeader) {
  EXPECT_EQ(ours::attributeL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(ours::attributeMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(ours::attributeMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(ours::attributeSharedOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(ours::functionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(ours::functionNonPortableCluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  EXPECT_EQ(ours::launchAttributeClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(ours::launchAttributeProgrammaticSerialization,
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  EXPECT_EQ(ours::tensorMapU8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
  EXPECT_EQ(ours::tensorMapU16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
  EXPECT_EQ(ours::tensorMapU32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
  EXPECT_EQ(ours::tensorMapI32, CU_TENSOR_MAP_DATA_TYPE_INT32);
  EXPECT_EQ(ours::tensorMapU64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
  EXPECT_EQ(ours::tensorMapI64, CU_TENSOR_MAP_DATA_TYPE_INT64);
  EXPECT_EQ(ours::tensorMapF16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  EXPECT_EQ(ours::tensorMapF32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  EXPECT_EQ(ours::tensorMapF64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  EXPECT_EQ(ours::tensorMapBF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(ours::tensorMapL2Promotion256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_32B, 1);
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_64B, 2);
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_128B, 3);
}

TEST(CudaAbi, StructuresAreLaidOutAlike) {
  EXPECT_EQ(sizeof(ours::TensorMap), sizeof(CUtensorMap));
  EXPECT_GE(alignof(ours::TensorMap), alignof(CUtensorMap));
  EXPECT_EQ(sizeof(ours::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(ours::LaunchAttribute, clusterDim), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(ours::LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(ours::LaunchConfig, sharedBytes), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(ours::LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(ours::LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(ours::LaunchConfig, attributeCount), offsetof(CUlaunchConfig, numAttrs));
}

#ifdef TILEC_HAS_CUBLAS_HEADERS
TEST(CudaAbi, CublasIsThatOfTheHeaders) {
  namespace blas = tilec::rt::cublas;
  EXPECT_EQ(blas::typeF32, CUDA_R_32F);
  EXPECT_EQ(blas::typeF16, CUDA_R_16F);
  EXPECT_EQ(blas::typeBF16, CUDA_R_16BF);
  EXPECT_EQ(blas::typeI8, CUDA_R_8I);
  EXPECT_EQ(blas::typeI32, CUDA_R_32I);
  EXPECT_EQ(blas::typeE4M3, CUDA_R_8F_E4M3);
  EXPECT_EQ(blas::typeE5M2, CUDA_R_8F_E5M2);
  EXPECT_EQ(blas::computeF32, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(blas::computeI32, CUBLAS_COMPUTE_32I);
  EXPECT_EQ(blas::defaultAlgorithm, CUBLAS_GEMM_DEFAULT);
  EXPECT_EQ(CUBLAS_OP_N, 0);
  EXPECT_EQ(CUBLAS_OP_T, 1);
  EXPECT_EQ(blas::descTransA, CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(blas::descTransB, CUBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_EQ(blas::descScaleA, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
  EXPECT_EQ(blas::descScaleB, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
  EXPECT_EQ(blas::descFastAccumulation, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
  EXPECT_EQ(blas::preferenceWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_EQ(sizeof(blas::LtAlgorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(blas::LtHeuristic), sizeof(cublasLtMatmulHeuristicResult_t));
  EXPECT_EQ(offsetof(blas::LtHeuristic, status), offsetof(cublasLtMatmulHeuristicResult_t, state));
}
#endif

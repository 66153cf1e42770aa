//===- CudaAbiTest.cpp - our declarations against NVIDIA's header ---------===//
//
// Built only where a CUDA toolkit is installed: the runtime never needs its headers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Runtime/CudaAbi.h"
#include "../../../lib/Runtime/CublasAbi.h"
#include "../../../lib/Runtime/CudnnAbi.h"

#include <cuda.h>
#if __has_include(<cublasLt.h>) && __has_include(<cublas_v2.h>)
#include <cublasLt.h>
#include <cublas_v2.h>
#define TILEC_HAS_CUBLAS_HEADERS 1
#endif
#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>
#define TILEC_HAS_CUDNN_HEADERS 1
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
  EXPECT_EQ(ours::tensorMapL2PromotionNone, CU_TENSOR_MAP_L2_PROMOTION_NONE);
  EXPECT_EQ(ours::tensorMapL2Promotion64, CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
  EXPECT_EQ(ours::tensorMapL2Promotion128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
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

#ifdef TILEC_HAS_CUDNN_HEADERS
TEST(CudaAbi, CudnnIsThatOfTheHeader) {
  namespace dnn = tilec::rt::cudnn;
  EXPECT_EQ(dnn::dataF32, CUDNN_DATA_FLOAT);
  EXPECT_EQ(dnn::dataF16, CUDNN_DATA_HALF);
  EXPECT_EQ(dnn::dataI32, CUDNN_DATA_INT32);
  EXPECT_EQ(dnn::dataBF16, CUDNN_DATA_BFLOAT16);
  EXPECT_EQ(dnn::dataBool, CUDNN_DATA_BOOLEAN);
  EXPECT_EQ(dnn::pointwiseAdd, CUDNN_POINTWISE_ADD);
  EXPECT_EQ(dnn::pointwiseMul, CUDNN_POINTWISE_MUL);
  EXPECT_EQ(dnn::pointwiseDiv, CUDNN_POINTWISE_DIV);
  EXPECT_EQ(dnn::pointwiseSub, CUDNN_POINTWISE_SUB);
  EXPECT_EQ(dnn::pointwiseExp, CUDNN_POINTWISE_EXP);
  EXPECT_EQ(dnn::pointwiseLog, CUDNN_POINTWISE_LOG);
  EXPECT_EQ(dnn::pointwiseGreaterEqual, CUDNN_POINTWISE_CMP_GE);
  EXPECT_EQ(dnn::pointwiseIndex, CUDNN_POINTWISE_GEN_INDEX);
  EXPECT_EQ(dnn::pointwiseSelect, CUDNN_POINTWISE_BINARY_SELECT);
  EXPECT_EQ(dnn::reduceAdd, CUDNN_REDUCE_TENSOR_ADD);
  EXPECT_EQ(dnn::reduceMax, CUDNN_REDUCE_TENSOR_MAX);
  EXPECT_EQ(dnn::heuristicsFallback, CUDNN_HEUR_MODE_FALLBACK);
  EXPECT_EQ(dnn::heuristicsA, CUDNN_HEUR_MODE_A);
  EXPECT_EQ(dnn::pointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  EXPECT_EQ(dnn::engineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  EXPECT_EQ(dnn::heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  EXPECT_EQ(dnn::plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  EXPECT_EQ(dnn::pointwiseOperation, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  EXPECT_EQ(dnn::operationGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  EXPECT_EQ(dnn::variantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  EXPECT_EQ(dnn::tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  EXPECT_EQ(dnn::matmul, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  EXPECT_EQ(dnn::matmulOperation, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  EXPECT_EQ(dnn::reduction, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  EXPECT_EQ(dnn::reductionOperation, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  EXPECT_EQ(dnn::kindHandle, CUDNN_TYPE_HANDLE);
  EXPECT_EQ(dnn::kindDataType, CUDNN_TYPE_DATA_TYPE);
  EXPECT_EQ(dnn::kindBool, CUDNN_TYPE_BOOLEAN);
  EXPECT_EQ(dnn::kindInt64, CUDNN_TYPE_INT64);
  EXPECT_EQ(dnn::kindFloat, CUDNN_TYPE_FLOAT);
  EXPECT_EQ(dnn::kindPointer, CUDNN_TYPE_VOID_PTR);
  EXPECT_EQ(dnn::kindHeuristicsMode, CUDNN_TYPE_HEUR_MODE);
  EXPECT_EQ(dnn::kindPointwiseMode, CUDNN_TYPE_POINTWISE_MODE);
  EXPECT_EQ(dnn::kindDescriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  EXPECT_EQ(dnn::kindReduction, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE);
  EXPECT_EQ(dnn::pointwiseMode, CUDNN_ATTR_POINTWISE_MODE);
  EXPECT_EQ(dnn::pointwisePrecision, CUDNN_ATTR_POINTWISE_MATH_PREC);
  EXPECT_EQ(dnn::pointwiseAxis, CUDNN_ATTR_POINTWISE_AXIS);
  EXPECT_EQ(dnn::heuristicsMode, CUDNN_ATTR_ENGINEHEUR_MODE);
  EXPECT_EQ(dnn::heuristicsGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  EXPECT_EQ(dnn::heuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS);
  EXPECT_EQ(dnn::planHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
  EXPECT_EQ(dnn::planConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  EXPECT_EQ(dnn::planWorkspaceBytes, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  EXPECT_EQ(dnn::pointwiseOperationDesc, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  EXPECT_EQ(dnn::pointwiseOperationX, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  EXPECT_EQ(dnn::pointwiseOperationB, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  EXPECT_EQ(dnn::pointwiseOperationY, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  EXPECT_EQ(dnn::pointwiseOperationAlpha1, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1);
  EXPECT_EQ(dnn::pointwiseOperationAlpha2, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2);
  EXPECT_EQ(dnn::pointwiseOperationT, CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
  EXPECT_EQ(dnn::graphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
  EXPECT_EQ(dnn::graphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  EXPECT_EQ(dnn::tensorAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  EXPECT_EQ(dnn::tensorDataType, CUDNN_ATTR_TENSOR_DATA_TYPE);
  EXPECT_EQ(dnn::tensorDims, CUDNN_ATTR_TENSOR_DIMENSIONS);
  EXPECT_EQ(dnn::tensorStrides, CUDNN_ATTR_TENSOR_STRIDES);
  EXPECT_EQ(dnn::tensorId, CUDNN_ATTR_TENSOR_UNIQUE_ID);
  EXPECT_EQ(dnn::tensorIsVirtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  EXPECT_EQ(dnn::tensorIsByValue, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  EXPECT_EQ(dnn::packIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  EXPECT_EQ(dnn::packPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  EXPECT_EQ(dnn::packWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  EXPECT_EQ(dnn::matmulPrecision, CUDNN_ATTR_MATMUL_COMP_TYPE);
  EXPECT_EQ(dnn::matmulOperationA, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
  EXPECT_EQ(dnn::matmulOperationB, CUDNN_ATTR_OPERATION_MATMUL_BDESC);
  EXPECT_EQ(dnn::matmulOperationC, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
  EXPECT_EQ(dnn::matmulOperationDesc, CUDNN_ATTR_OPERATION_MATMUL_DESC);
  EXPECT_EQ(dnn::reductionOperator, CUDNN_ATTR_REDUCTION_OPERATOR);
  EXPECT_EQ(dnn::reductionPrecision, CUDNN_ATTR_REDUCTION_COMP_TYPE);
  EXPECT_EQ(dnn::reductionOperationX, CUDNN_ATTR_OPERATION_REDUCTION_XDESC);
  EXPECT_EQ(dnn::reductionOperationY, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
  EXPECT_EQ(dnn::reductionOperationDesc, CUDNN_ATTR_OPERATION_REDUCTION_DESC);
  EXPECT_EQ(sizeof(cudnnDataType_t), sizeof(int));
  EXPECT_EQ(sizeof(cudnnBackendDescriptor_t), sizeof(void *));
}
#endif

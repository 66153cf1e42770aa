//===- CudaAbiTest.cpp - our declarations against NVIDIA's header ---------===//
//
// Built only where a CUDA toolkit is installed: the runtime never needs its headers.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Runtime/CudaAbi.h"

#include <cuda.h>

#include "gtest/gtest.h"

namespace abi = tilec::rt::cuda;

TEST(CudaAbi, ConstantsAreThoseOfTheHeader) {
  EXPECT_EQ(abi::attributeL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(abi::attributeMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(abi::attributeMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(abi::attributeSharedOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(abi::functionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(abi::functionNonPortableCluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  EXPECT_EQ(abi::launchAttributeClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(abi::tensorMapU8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
  EXPECT_EQ(abi::tensorMapU16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
  EXPECT_EQ(abi::tensorMapU32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
  EXPECT_EQ(abi::tensorMapI32, CU_TENSOR_MAP_DATA_TYPE_INT32);
  EXPECT_EQ(abi::tensorMapU64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
  EXPECT_EQ(abi::tensorMapI64, CU_TENSOR_MAP_DATA_TYPE_INT64);
  EXPECT_EQ(abi::tensorMapF16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  EXPECT_EQ(abi::tensorMapF32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  EXPECT_EQ(abi::tensorMapF64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  EXPECT_EQ(abi::tensorMapBF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(abi::tensorMapL2Promotion256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_32B, 1);
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_64B, 2);
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_128B, 3);
}

TEST(CudaAbi, StructuresAreLaidOutAlike) {
  EXPECT_EQ(sizeof(abi::TensorMap), sizeof(CUtensorMap));
  EXPECT_EQ(alignof(abi::TensorMap), alignof(CUtensorMap));
  EXPECT_EQ(sizeof(abi::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(abi::LaunchAttribute, clusterDim), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(abi::LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(abi::LaunchConfig, sharedBytes), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(abi::LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(abi::LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(abi::LaunchConfig, attributeCount), offsetof(CUlaunchConfig, numAttrs));
}

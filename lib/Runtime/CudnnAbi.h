//===- CudnnAbi.h - the part of cuDNN's graph API that is used ------------===//
//
// Our own declarations; numbers are those of cudnn_graph.h (cuDNN 9.0 to 9.19), and
// CudaAbiTest compares them where the header is installed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilec::rt::cudnn {

// cudnnDataType_t
inline constexpr int dataF32 = 0, dataF16 = 2, dataI32 = 4, dataBF16 = 9, dataBool = 11;
// cudnnPointwiseMode_t
inline constexpr int pointwiseAdd = 0, pointwiseMul = 1, pointwiseDiv = 6, pointwiseSub = 9,
                     pointwiseExp = 13, pointwiseLog = 15, pointwiseGreaterEqual = 303,
                     pointwiseIndex = 501, pointwiseSelect = 601;
// cudnnReduceTensorOp_t
inline constexpr int reduceAdd = 0, reduceMax = 3;
// cudnnBackendHeurMode_t
inline constexpr int heuristicsFallback = 2, heuristicsA = 3;

// cudnnBackendDescriptorType_t
inline constexpr int pointwise = 0, engineConfig = 3, heuristics = 4, plan = 5,
                     pointwiseOperation = 13, operationGraph = 15, variantPack = 16, tensor = 17,
                     matmul = 18, matmulOperation = 19, reduction = 21, reductionOperation = 22;

// cudnnBackendAttributeType_t
inline constexpr int kindHandle = 0, kindDataType = 1, kindBool = 2, kindInt64 = 3, kindFloat = 4,
                     kindPointer = 6, kindHeuristicsMode = 8, kindPointwiseMode = 14,
                     kindDescriptor = 15, kindReduction = 18;

// cudnnBackendAttributeName_t
inline constexpr int pointwiseMode = 0, pointwisePrecision = 1, pointwiseAxis = 9;
inline constexpr int heuristicsMode = 200, heuristicsGraph = 201, heuristicsResults = 202;
inline constexpr int planHandle = 400, planConfig = 401, planWorkspaceBytes = 402;
inline constexpr int pointwiseOperationDesc = 750, pointwiseOperationX = 751,
                     pointwiseOperationB = 752, pointwiseOperationY = 753,
                     pointwiseOperationAlpha1 = 754, pointwiseOperationAlpha2 = 755,
                     pointwiseOperationT = 758;
inline constexpr int graphHandle = 800, graphOperations = 801;
inline constexpr int tensorAlignment = 900, tensorDataType = 901, tensorDims = 902,
                     tensorStrides = 903, tensorId = 906, tensorIsVirtual = 907,
                     tensorIsByValue = 908;
inline constexpr int packIds = 1000, packPointers = 1001, packWorkspace = 1003;
inline constexpr int matmulPrecision = 1500, matmulOperationA = 1520, matmulOperationB = 1521,
                     matmulOperationC = 1522, matmulOperationDesc = 1523;
inline constexpr int reductionOperator = 1600, reductionPrecision = 1601,
                     reductionOperationX = 1610, reductionOperationY = 1611,
                     reductionOperationDesc = 1612;

struct Api {
  size_t (*version)();
  const char *(*errorString)(int code);
  /// Since 9.0: why the last call of this thread failed.
  void (*lastError)(char *message, size_t bytes);
  int (*create)(void **handle);
  int (*destroy)(void *handle);
  int (*setStream)(void *handle, void *stream);
  int (*createDescriptor)(int type, void **descriptor);
  int (*destroyDescriptor)(void *descriptor);
  int (*setAttribute)(void *descriptor, int name, int type, int64_t count, const void *values);
  int (*getAttribute)(void *descriptor, int name, int type, int64_t wanted, int64_t *count,
                      void *values);
  int (*finalize)(void *descriptor);
  int (*execute)(void *handle, void *plan, void *variantPack);
};

} // namespace tilec::rt::cudnn

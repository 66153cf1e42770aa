//===- CudnnGraph.cpp - cuDNN's descriptors, and attention as a graph -----===//
//
// Source: the operation graph that NVIDIA's cudnn-frontend (MIT) builds for the forward
// pass of its attention, by which cuDNN's flash attention engines recognise it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CudnnGraph.h"

#include <limits>

namespace tilec::rt::cudnn {
namespace {

using Extents = std::array<int64_t, 4>;

Extents denseStrides(const Extents &dims) {
  return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
}

/// Adds operations to a graph. Tensors that are not named are the graph's own: cuDNN keeps them out
/// of memory.
class GraphBuilder {
public:
  explicit GraphBuilder(Descriptors &d) : d(d) {}

  Descriptor memory(TensorId id, int type, const Extents &dims, const Extents &strides) {
    return d.finish(makeTensor(id, type, dims, strides));
  }
  /// An f32 of the host.
  Descriptor number(TensorId id) {
    Descriptor made = makeTensor(id, dataF32, {1, 1, 1, 1}, {1, 1, 1, 1});
    d.set(made, tensorIsByValue, kindBool, true);
    return d.finish(made);
  }
  Descriptor inner(const Extents &dims, int type = dataF32) {
    Descriptor made = makeTensor(nextId++, type, dims, denseStrides(dims));
    d.set(made, tensorIsVirtual, kindBool, true);
    return d.finish(made);
  }

  void multiply(Descriptor a, Descriptor b, Descriptor c) {
    Descriptor kind = d.create(matmul, "a product");
    d.set(kind, matmulPrecision, kindDataType, dataF32);
    d.finish(kind);
    Descriptor operation = d.create(matmulOperation, "a product's operation");
    d.set(operation, matmulOperationA, kindDescriptor, a);
    d.set(operation, matmulOperationB, kindDescriptor, b);
    d.set(operation, matmulOperationC, kindDescriptor, c);
    d.set(operation, matmulOperationDesc, kindDescriptor, kind);
    operations.push_back(d.finish(operation));
  }
  /// Returns `y` = mode(x, b), or mode(x, b, t) of three; absent operands are null.
  Descriptor apply(int mode, Descriptor y, Descriptor x, Descriptor b = nullptr,
                   Descriptor t = nullptr, int precision = dataF32, int64_t axis = -1) {
    Descriptor kind = d.create(pointwise, "an elementwise operator");
    d.set(kind, pointwiseMode, kindPointwiseMode, mode);
    d.set(kind, pointwisePrecision, kindDataType, precision);
    if (axis >= 0)
      d.set(kind, pointwiseAxis, kindInt64, axis);
    d.finish(kind);
    Descriptor operation = d.create(pointwiseOperation, "an elementwise operation");
    d.set(operation, pointwiseOperationDesc, kindDescriptor, kind);
    d.set(operation, pointwiseOperationX, kindDescriptor, x);
    d.set(operation, pointwiseOperationY, kindDescriptor, y);
    if (b)
      d.set(operation, pointwiseOperationB, kindDescriptor, b);
    if (t)
      d.set(operation, pointwiseOperationT, kindDescriptor, t);
    for (int alpha : {pointwiseOperationAlpha1, pointwiseOperationAlpha2})
      d.set(operation, alpha, kindFloat, 1.0f);
    operations.push_back(d.finish(operation));
    return y;
  }
  Descriptor reduce(int op, Descriptor y, Descriptor x) {
    Descriptor kind = d.create(reduction, "a reduction");
    d.set(kind, reductionPrecision, kindDataType, dataF32);
    d.set(kind, reductionOperator, kindReduction, op);
    d.finish(kind);
    Descriptor operation = d.create(reductionOperation, "a reduction's operation");
    d.set(operation, reductionOperationX, kindDescriptor, x);
    d.set(operation, reductionOperationY, kindDescriptor, y);
    d.set(operation, reductionOperationDesc, kindDescriptor, kind);
    operations.push_back(d.finish(operation));
    return y;
  }

  Descriptor graph(void *handle) {
    Descriptor made = d.create(operationGraph, "the operation graph");
    d.set(made, graphHandle, kindHandle, handle);
    d.setAll(made, graphOperations, kindDescriptor, operations.data(), operations.size());
    return d.finish(made);
  }

private:
  Descriptor makeTensor(int64_t id, int type, const Extents &dims, const Extents &strides) {
    Descriptor made = d.create(tensor, "a tensor");
    d.set(made, tensorId, kindInt64, id);
    d.set(made, tensorDataType, kindDataType, type);
    d.setAll(made, tensorDims, kindInt64, dims.data(), dims.size());
    d.setAll(made, tensorStrides, kindInt64, strides.data(), strides.size());
    d.set(made, tensorAlignment, kindInt64, int64_t(16));
    return made;
  }

  Descriptors &d;
  std::vector<Descriptor> operations;
  int64_t nextId = 100;
};

} // namespace

std::string lastReason(const Api &api) {
  char message[4096] = "";
  api.lastError(message, sizeof message);
  // Of several lines the first with a reason; the others name the calls that passed it on.
  std::string text = message;
  if (size_t at = text.find("Reason: "); at != std::string::npos)
    text.erase(0, at + 8);
  text.erase(0, text.find_first_not_of('\n'));
  return text.substr(0, text.find('\n'));
}

Error errorOf(const Api &api, const std::string &what, int code) {
  std::string text = what + ": " + api.errorString(code) + " (" + std::to_string(code) + ")";
  std::string reason = lastReason(api);
  return {reason.empty() ? text : text + ": " + reason};
}

Descriptors::~Descriptors() {
  while (!owned.empty()) { // users before what they use
    api.destroyDescriptor(owned.back());
    owned.pop_back();
  }
}

void Descriptors::check(int code, const char *call) {
  if (code != 0 && state)
    state = errorOf(api, std::string(call) + " of " + last, code);
}

Descriptor Descriptors::create(int type, const char *what) {
  Descriptor made = nullptr;
  if (!state)
    return made;
  last = what;
  check(api.createDescriptor(type, &made), "cudnnBackendCreateDescriptor");
  if (state)
    owned.push_back(made);
  return made;
}

void Descriptors::setAll(Descriptor descriptor, int name, int type, const void *values,
                         int64_t count) {
  if (state)
    check(api.setAttribute(descriptor, name, type, count, values), "cudnnBackendSetAttribute");
}

void Descriptors::get(Descriptor descriptor, int name, int type, int64_t wanted, int64_t *count,
                      void *values) {
  if (state)
    check(api.getAttribute(descriptor, name, type, wanted, count, values),
          "cudnnBackendGetAttribute");
}

Descriptor Descriptors::finish(Descriptor descriptor) {
  if (state)
    check(api.finalize(descriptor), "cudnnBackendFinalize");
  return descriptor;
}

Status Descriptors::tryToFinish(Descriptor descriptor) {
  if (!state)
    return state;
  int code = api.finalize(descriptor);
  return code == 0 ? success()
                   : Status(errorOf(api, "cudnnBackendFinalize of " + std::string(last), code));
}

float maskedScore(size_t version) {
  return version < 91000 ? std::numeric_limits<float>::lowest()
                         : -std::numeric_limits<float>::infinity();
}

Descriptor attentionGraph(Descriptors &descriptors, void *handle, const Attention &a) {
  GraphBuilder g(descriptors);
  int type = a.dtype == DType::BF16 ? dataBF16 : dataF16;
  auto [batches, heads, rows, size] = a.q.dims;
  auto memory = [&](TensorId id, const AttentionTensor &t) {
    return g.memory(id, type, t.dims, t.strides);
  };
  auto transposed = [](Extents extents) {
    std::swap(extents[2], extents[3]);
    return extents;
  };
  Descriptor q = memory(idQ, a.q), v = memory(idV, a.v), o = memory(idO, a.o);
  Descriptor k = g.memory(idK, type, transposed(a.k.dims), transposed(a.k.strides));
  Extents all = {batches, heads, rows, a.k.dims[2]}, ofRows = {batches, heads, rows, 1};

  Descriptor scores = g.inner(all);
  g.multiply(q, k, scores);
  scores = g.apply(pointwiseMul, g.inner(all), scores, g.number(idScale));
  if (a.isCausal) {
    auto index = [&](int64_t axis) {
      return g.apply(pointwiseIndex, g.inner(all, dataI32), scores, nullptr, nullptr, dataF32,
                     axis);
    };
    Descriptor row = index(2), column = index(3);
    Descriptor isSeen =
        g.apply(pointwiseGreaterEqual, g.inner(all, dataBool), row, column, nullptr, dataBool);
    scores = g.apply(pointwiseSelect, g.inner(all), scores, g.number(idMasked), isSeen);
  }
  Descriptor top = g.reduce(reduceMax, g.inner(ofRows), scores);
  Descriptor below = g.apply(pointwiseSub, g.inner(all), scores, top);
  Descriptor powers = g.apply(pointwiseExp, g.inner(all), below);
  Descriptor sum = g.reduce(reduceAdd, g.inner(ofRows), powers);
  // Nobody reads the log-sum-exp, but without it only cuDNN's oldest engine knows the graph.
  Descriptor logSum = g.apply(pointwiseLog, g.inner(ofRows), sum);
  g.apply(pointwiseAdd, g.inner(ofRows), top, logSum);
  Descriptor weights = g.apply(pointwiseDiv, g.inner(all, type), powers, sum);
  g.multiply(weights, v, o);
  return g.graph(handle);
}

} // namespace tilec::rt::cudnn

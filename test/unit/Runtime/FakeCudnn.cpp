//===- FakeCudnn.cpp - cuDNN's graph API without a GPU --------------------===//
//
// Part of the fake driver's library. Descriptors take the attributes that cuDNN's do, of the right
// type and number, before they are finished; a graph's tensors must be made before they are read;
// and a plan computes the graph on the host, operation by operation, so that results can be
// compared with a plain attention.
//
// Of three proposals of the heuristics the second is no plan and the third fails when it runs.
// Heads of 24 elements have only the fallback's one, other sizes than multiples of 8 none, and
// neither has a graph without a log-sum-exp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Runtime/CudnnAbi.h"

#include "tilec/Base/DType.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

extern "C" int fakeOwns(uint64_t address, size_t bytes); // FakeDriver.cpp

namespace {

using namespace tilec::rt::cudnn;
using tilec::DType;

constexpr int badParam = 2000, notFinished = 2004, notSupported = 3000, executionFailed = 5000;
constexpr int64_t workspaceOfPlan = 4096;

std::string lastMessage, graphText;
int liveObjects = 0;

int fail(int code, const std::string &why) {
  lastMessage = "Error: code " + std::to_string(code) + "; Reason: " + why + "\nError: passed on";
  return code;
}

struct Attribute {
  int type;
  int64_t count;
  std::vector<uint8_t> bytes;
};

struct Object {
  int type = 0;
  bool isFinished = false;
  std::map<int, Attribute> attributes;
  int engine = 0;                ///< of configurations and plans
  const Object *graph = nullptr; ///< of heuristics, configurations and plans

  bool has(int name) const { return attributes.count(name) != 0; }
  template <typename T> std::vector<T> all(int name) const {
    auto it = attributes.find(name);
    std::vector<T> values(it == attributes.end() ? 0 : it->second.count);
    if (!values.empty())
      std::memcpy(values.data(), it->second.bytes.data(), it->second.bytes.size());
    return values;
  }
  template <typename T> T one(int name) const {
    std::vector<T> values = all<T>(name);
    return values.empty() ? T() : values[0];
  }
  const Object *object(int name) const { return one<Object *>(name); }
};

size_t bytesOfType(int type) {
  return type == kindBool ? 1
         : type == kindInt64 || type == kindHandle || type == kindPointer || type == kindDescriptor
             ? 8
             : 4;
}

/// An attribute that a kind of descriptor has. A count of 0 is any.
struct Allowed {
  int type, name, valueType;
  int64_t count = 1;
  bool isOptional = false;
};
const std::vector<Allowed> allowed = {
    {tensor, tensorId, kindInt64},
    {tensor, tensorDataType, kindDataType},
    {tensor, tensorDims, kindInt64, 4},
    {tensor, tensorStrides, kindInt64, 4},
    {tensor, tensorAlignment, kindInt64},
    {tensor, tensorIsVirtual, kindBool, 1, true},
    {tensor, tensorIsByValue, kindBool, 1, true},
    {matmul, matmulPrecision, kindDataType},
    {matmulOperation, matmulOperationA, kindDescriptor},
    {matmulOperation, matmulOperationB, kindDescriptor},
    {matmulOperation, matmulOperationC, kindDescriptor},
    {matmulOperation, matmulOperationDesc, kindDescriptor},
    {pointwise, pointwiseMode, kindPointwiseMode},
    {pointwise, pointwisePrecision, kindDataType},
    {pointwise, pointwiseAxis, kindInt64, 1, true},
    {pointwiseOperation, pointwiseOperationDesc, kindDescriptor},
    {pointwiseOperation, pointwiseOperationX, kindDescriptor},
    {pointwiseOperation, pointwiseOperationB, kindDescriptor, 1, true},
    {pointwiseOperation, pointwiseOperationT, kindDescriptor, 1, true},
    {pointwiseOperation, pointwiseOperationY, kindDescriptor},
    {pointwiseOperation, pointwiseOperationAlpha1, kindFloat},
    {pointwiseOperation, pointwiseOperationAlpha2, kindFloat},
    {reduction, reductionOperator, kindReduction},
    {reduction, reductionPrecision, kindDataType},
    {reductionOperation, reductionOperationX, kindDescriptor},
    {reductionOperation, reductionOperationY, kindDescriptor},
    {reductionOperation, reductionOperationDesc, kindDescriptor},
    {operationGraph, graphHandle, kindHandle},
    {operationGraph, graphOperations, kindDescriptor, 0},
    {heuristics, heuristicsGraph, kindDescriptor},
    {heuristics, heuristicsMode, kindHeuristicsMode},
    {plan, planHandle, kindHandle},
    {plan, planConfig, kindDescriptor},
    {variantPack, packIds, kindInt64, 0},
    {variantPack, packPointers, kindPointer, 0},
    {variantPack, packWorkspace, kindPointer},
};

std::vector<const Object *> inputsOf(const Object &operation) {
  std::vector<const Object *> inputs;
  for (int name : {matmulOperationA, matmulOperationB, reductionOperationX, pointwiseOperationX,
                   pointwiseOperationB, pointwiseOperationT})
    if (operation.has(name))
      inputs.push_back(operation.object(name));
  return inputs;
}

const Object *outputOf(const Object &operation) {
  for (int name : {matmulOperationC, reductionOperationY, pointwiseOperationY})
    if (operation.has(name))
      return operation.object(name);
  return nullptr;
}

std::string nameOf(const Object &operation) {
  static const std::map<int, std::string> modes = {
      {pointwiseAdd, "add"},     {pointwiseMul, "mul"},         {pointwiseDiv, "div"},
      {pointwiseSub, "sub"},     {pointwiseExp, "exp"},         {pointwiseLog, "log"},
      {pointwiseIndex, "index"}, {pointwiseGreaterEqual, "ge"}, {pointwiseSelect, "select"}};
  if (operation.type == matmulOperation)
    return "matmul";
  if (operation.type == reductionOperation)
    return operation.object(reductionOperationDesc)->one<int>(reductionOperator) == reduceMax
               ? "max"
               : "sum";
  auto it = modes.find(operation.object(pointwiseOperationDesc)->one<int>(pointwiseMode));
  return it == modes.end() ? "?" : it->second;
}

std::vector<Object *> operationsOf(const Object &graph) {
  return graph.all<Object *>(graphOperations);
}

/// Every tensor has its own number, and those of the graph are written once, before they are read.
int checkGraph(const Object &graph) {
  std::set<const Object *> tensors, written;
  graphText.clear();
  for (const Object *operation : operationsOf(graph)) {
    for (const Object *input : inputsOf(*operation)) {
      tensors.insert(input);
      if (input->has(tensorIsVirtual) && !written.count(input))
        return fail(badParam, "a tensor is read before it is written");
    }
    const Object *output = outputOf(*operation);
    tensors.insert(output);
    if (!written.insert(output).second)
      return fail(badParam, "a tensor is written twice");
    graphText += (graphText.empty() ? "" : " ") + nameOf(*operation);
  }
  std::set<int64_t> ids;
  for (const Object *t : tensors)
    if (!ids.insert(t->one<int64_t>(tensorId)).second)
      return fail(badParam, "two tensors have one number");
  return 0;
}

/// How many configurations the heuristics propose.
int proposals(const Object &asked) {
  const Object &graph = *asked.object(heuristicsGraph);
  bool isFallback = asked.one<int>(heuristicsMode) == heuristicsFallback;
  const Object *q = operationsOf(graph)[0]->object(matmulOperationA);
  int64_t size = q->all<int64_t>(tensorDims)[3];
  if (size % 8 != 0 || graphText.find("sum log add div") == std::string::npos) {
    fail(notSupported, "heads must have a multiple of 8 elements");
    return 0;
  }
  return size == 24 ? isFallback : isFallback ? 0 : 3;
}

// What a plan computes.

using Extents = std::array<int64_t, 4>;
Extents extentsOf(const Object &t, int name) {
  Extents extents;
  std::vector<int64_t> all = t.all<int64_t>(name);
  std::copy(all.begin(), all.end(), extents.begin());
  return extents;
}

int64_t offsetOf(const Extents &at, const Extents &strides) {
  int64_t offset = 0;
  for (int i = 0; i < 4; ++i)
    offset += at[i] * strides[i];
  return offset;
}

template <typename Body> void forEach(const Extents &dims, Body body) {
  for (int64_t b = 0; b < dims[0]; ++b)
    for (int64_t h = 0; h < dims[1]; ++h)
      for (int64_t s = 0; s < dims[2]; ++s)
        for (int64_t d = 0; d < dims[3]; ++d)
          body(Extents{b, h, s, d});
}

class Machine {
public:
  explicit Machine(const Object &pack) {
    std::vector<int64_t> ids = pack.all<int64_t>(packIds);
    std::vector<char *> pointers = pack.all<char *>(packPointers);
    for (size_t i = 0; i < ids.size(); ++i)
      memory[ids[i]] = pointers[i];
  }

  int run(const Object &operation) {
    for (const Object *t : inputsOf(operation))
      if (!placeOf(*t))
        return fail(badParam, "a tensor has no pointer");
    if (!placeOf(*outputOf(operation)))
      return fail(badParam, "the result has no pointer");
    operation.type == matmulOperation      ? multiply(operation)
    : operation.type == reductionOperation ? reduce(operation)
                                           : apply(operation);
    return 0;
  }

private:
  /// Memory of the caller, or our own for the tensors of the graph.
  char *placeOf(const Object &t) {
    auto given = memory.find(t.one<int64_t>(tensorId));
    if (!t.has(tensorIsVirtual))
      return given == memory.end() ? nullptr : given->second;
    Extents dims = extentsOf(t, tensorDims);
    std::vector<char> &own = inner[&t];
    own.resize(4 * dims[0] * dims[1] * dims[2] * dims[3]);
    return own.data();
  }
  static DType dtypeOf(const Object &t) {
    int type = t.one<int>(tensorDataType);
    return type == dataF16    ? DType::F16
           : type == dataBF16 ? DType::BF16
           : type == dataI32  ? DType::I32
           : type == dataBool ? DType::Bool
                              : DType::F32;
  }
  /// The element at a place of a larger tensor: extents of 1 repeat.
  double read(const Object &t, Extents at) {
    Extents dims = extentsOf(t, tensorDims);
    for (int i = 0; i < 4; ++i)
      at[i] = dims[i] == 1 ? 0 : at[i];
    DType dtype = dtypeOf(t);
    unsigned bytes = tilec::bytesOf(dtype);
    uint64_t bits = 0;
    std::memcpy(&bits, placeOf(t) + offsetOf(at, extentsOf(t, tensorStrides)) * bytes, bytes);
    return isFloat(dtype) ? decodeFloat(dtype, bits) : double(bits);
  }
  void write(const Object &t, const Extents &at, double value) {
    DType dtype = dtypeOf(t);
    unsigned bytes = tilec::bytesOf(dtype);
    uint64_t bits = isFloat(dtype) ? encodeFloat(dtype, value) : uint64_t(value);
    std::memcpy(placeOf(t) + offsetOf(at, extentsOf(t, tensorStrides)) * bytes, &bits, bytes);
  }

  void multiply(const Object &operation) {
    const Object &a = *operation.object(matmulOperationA), &b = *operation.object(matmulOperationB),
                 &c = *operation.object(matmulOperationC);
    int64_t depth = extentsOf(a, tensorDims)[3];
    int64_t group = extentsOf(a, tensorDims)[1] / extentsOf(b, tensorDims)[1];
    forEach(extentsOf(c, tensorDims), [&](const Extents &at) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += read(a, {at[0], at[1], at[2], k}) * read(b, {at[0], at[1] / group, k, at[3]});
      write(c, at, sum);
    });
  }
  void reduce(const Object &operation) {
    const Object &x = *operation.object(reductionOperationX),
                 &y = *operation.object(reductionOperationY);
    bool isMax = operation.object(reductionOperationDesc)->one<int>(reductionOperator) == reduceMax;
    forEach(extentsOf(y, tensorDims), [&](const Extents &at) {
      double value = isMax ? -INFINITY : 0;
      for (int64_t j = 0; j < extentsOf(x, tensorDims)[3]; ++j) {
        double element = read(x, {at[0], at[1], at[2], j});
        value = isMax ? std::max(value, element) : value + element;
      }
      write(y, at, value);
    });
  }
  void apply(const Object &operation) {
    const Object &kind = *operation.object(pointwiseOperationDesc),
                 &x = *operation.object(pointwiseOperationX),
                 &y = *operation.object(pointwiseOperationY);
    const Object *b = operation.object(pointwiseOperationB),
                 *t = operation.object(pointwiseOperationT);
    int mode = kind.one<int>(pointwiseMode);
    int64_t axis = kind.one<int64_t>(pointwiseAxis);
    forEach(extentsOf(y, tensorDims), [&](const Extents &at) {
      double left = read(x, at), right = b ? read(*b, at) : 0;
      write(y, at,
            mode == pointwiseAdd            ? left + right
            : mode == pointwiseMul          ? left * right
            : mode == pointwiseDiv          ? left / right
            : mode == pointwiseSub          ? left - right
            : mode == pointwiseExp          ? std::exp(left)
            : mode == pointwiseLog          ? std::log(left)
            : mode == pointwiseGreaterEqual ? left >= right
            : mode == pointwiseSelect       ? (read(*t, at) != 0 ? left : right)
                                            : at[axis]);
    });
  }

  std::map<int64_t, char *> memory;
  std::map<const Object *, std::vector<char>> inner;
};

struct Handle {
  void *stream = nullptr;
};

} // namespace

extern "C" {

int fakeCudnnLive() { return liveObjects; }
const char *fakeCudnnGraph() { return graphText.c_str(); }

size_t cudnnGetVersion() { return 91900; }
const char *cudnnGetErrorString(int code) {
  return code == notSupported      ? "CUDNN_STATUS_NOT_SUPPORTED"
         : code == notFinished     ? "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED"
         : code == executionFailed ? "CUDNN_STATUS_EXECUTION_FAILED"
                                   : "CUDNN_STATUS_BAD_PARAM";
}
void cudnnGetLastErrorString(char *message, size_t bytes) {
  std::strncpy(message, lastMessage.c_str(), bytes);
  lastMessage.clear();
}
int cudnnCreate(void **handle) { return *handle = new Handle, ++liveObjects, 0; }
int cudnnDestroy(void *handle) { return delete static_cast<Handle *>(handle), --liveObjects, 0; }
int cudnnSetStream(void *handle, void *stream) {
  return static_cast<Handle *>(handle)->stream = stream, 0;
}

int cudnnBackendCreateDescriptor(int type, void **out) {
  bool isKnown = type == engineConfig || std::any_of(allowed.begin(), allowed.end(),
                                                     [&](auto &a) { return a.type == type; });
  if (!isKnown)
    return fail(badParam, "no such descriptor");
  auto *object = new Object;
  object->type = type;
  ++liveObjects;
  return *out = object, 0;
}
int cudnnBackendDestroyDescriptor(void *descriptor) {
  return delete static_cast<Object *>(descriptor), --liveObjects, 0;
}

int cudnnBackendSetAttribute(void *descriptor, int name, int type, int64_t count,
                             const void *values) {
  auto *object = static_cast<Object *>(descriptor);
  if (object->isFinished)
    return fail(badParam, "the descriptor is finished");
  for (const Allowed &a : allowed) {
    if (a.type != object->type || a.name != name)
      continue;
    if (a.valueType != type || (a.count ? a.count != count : count < 1))
      return fail(badParam, "attribute " + std::to_string(name) + " is of another type or number");
    Attribute attribute{type, count, std::vector<uint8_t>(count * bytesOfType(type))};
    std::memcpy(attribute.bytes.data(), values, attribute.bytes.size());
    if (type == kindDescriptor)
      for (int64_t i = 0; i < count; ++i)
        if (Object *used = static_cast<Object *const *>(values)[i]; !used || !used->isFinished)
          return fail(notFinished, "attribute " + std::to_string(name) + " is not finished");
    object->attributes[name] = std::move(attribute);
    return 0;
  }
  return fail(badParam, "no attribute " + std::to_string(name));
}

int cudnnBackendGetAttribute(void *descriptor, int name, int type, int64_t wanted, int64_t *count,
                             void *values) {
  auto *object = static_cast<Object *>(descriptor);
  if (!object->isFinished)
    return fail(notFinished, "asked too early");
  if (object->type == plan && name == planWorkspaceBytes && type == kindInt64 && wanted == 1) {
    std::memcpy(values, &workspaceOfPlan, sizeof workspaceOfPlan);
    return *count = 1, 0;
  }
  if (object->type != heuristics || name != heuristicsResults || type != kindDescriptor)
    return fail(badParam, "nothing to get");
  int64_t found = proposals(*object);
  *count = found;
  if (wanted == 0)
    return *count = 4, 0; // as many as there might be
  *count = std::min(found, wanted);
  for (int i = 0; i < *count; ++i) {
    auto *config = static_cast<Object **>(values)[i];
    config->graph = object->object(heuristicsGraph);
    config->engine = i;
    config->isFinished = true;
  }
  return 0;
}

int cudnnBackendFinalize(void *descriptor) {
  auto *object = static_cast<Object *>(descriptor);
  for (const Allowed &a : allowed)
    if (a.type == object->type && !a.isOptional && !object->has(a.name))
      return fail(badParam, "attribute " + std::to_string(a.name) + " is missing");
  if (object->type == operationGraph)
    if (int code = checkGraph(*object))
      return code;
  if (object->type == plan) {
    const Object *config = object->object(planConfig);
    if (config->engine == 1)
      return fail(notSupported, "this engine cannot");
    object->engine = config->engine;
    object->graph = config->graph;
  }
  if (object->type == variantPack &&
      object->all<int64_t>(packIds).size() != object->all<void *>(packPointers).size())
    return fail(badParam, "other pointers than numbers");
  object->isFinished = true;
  return 0;
}

int cudnnBackendExecute(void *handle, void *planToRun, void *packOfRun) {
  auto *made = static_cast<Object *>(planToRun), *pack = static_cast<Object *>(packOfRun);
  if (!static_cast<Handle *>(handle)->stream || !made->isFinished || !pack->isFinished ||
      made->type != plan || pack->type != variantPack ||
      !fakeOwns(pack->one<uint64_t>(packWorkspace), workspaceOfPlan))
    return fail(badParam, "no stream, no plan, no variant pack or no workspace");
  if (made->engine == 2)
    return fail(executionFailed, "this engine fails");
  Machine machine(*pack);
  for (const Object *operation : operationsOf(*made->graph))
    if (int code = machine.run(*operation))
      return code;
  return 0;
}

} // extern "C"

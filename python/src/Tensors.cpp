//===- Tensors.cpp - what a kernel wants to know of a Python tensor -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Tensors.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace tilec::python {
namespace {

using dlpack::ExchangeApi;

/// The function table of a type; null where it has none. Types of tensors live for ever.
const ExchangeApi *exchangeOf(PyTypeObject *type) {
  static std::unordered_map<PyTypeObject *, const ExchangeApi *> known;
  static thread_local PyTypeObject *lastType = nullptr;
  static thread_local const ExchangeApi *last = nullptr;
  if (type == lastType)
    return last;
  auto [it, isNew] = known.try_emplace(type, nullptr);
  if (isNew) {
    Py_INCREF(reinterpret_cast<PyObject *>(type));
    nb::object capsule = nb::getattr(nb::handle(reinterpret_cast<PyObject *>(type)),
                                     "__dlpack_c_exchange_api__", nb::none());
    if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) {
      auto *api = static_cast<const ExchangeApi *>(
          PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
      if (api->version.major == 1)
        it->second = api;
    }
  }
  lastType = type;
  return last = it->second;
}

/// Row-major strides where none are given.
void fillStrides(TensorView &view) {
  int64_t step = 1;
  for (int i = view.rank - 1; i >= 0; --i) {
    view.strides[i] = step;
    step *= view.shape[i];
  }
}

bool fromDLPack(const dlpack::Tensor &tensor, TensorView &view) {
  if (tensor.ndim > maxRank)
    throw nb::value_error("a tensor has more than 16 dimensions");
  view.address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  view.deviceType = tensor.device.type;
  view.device = tensor.device.id;
  view.dtype = dlpack::nameOf(tensor.dtype);
  view.rank = tensor.ndim;
  std::copy_n(tensor.shape, tensor.ndim, view.shape.begin());
  if (tensor.strides)
    std::copy_n(tensor.strides, tensor.ndim, view.strides.begin());
  else
    fillStrides(view);
  return true;
}

void readInts(nb::handle sequence, TensorView &view, std::array<int64_t, maxRank> &out) {
  int i = 0;
  for (nb::handle item : sequence) {
    if (i == maxRank)
      throw nb::value_error("a tensor has more than 16 dimensions");
    out[i++] = nb::cast<int64_t>(item);
  }
  view.rank = i;
}

/// The name in the manifest of NumPy's `<f2` and the like.
const char *ofTypestr(const std::string &text) {
  struct Row {
    const char *from, *to;
  };
  constexpr Row rows[] = {{"f2", "float16"}, {"f4", "float32"}, {"f8", "float64"}, {"i1", "int8"},
                          {"i2", "int16"},   {"i4", "int32"},   {"i8", "int64"},   {"u1", "uint8"},
                          {"u2", "uint16"},  {"u4", "uint32"},  {"u8", "uint64"},  {"b1", "bool"}};
  if (text.size() < 3 || text[0] == '>')
    return nullptr;
  for (const Row &row : rows)
    if (text.compare(1, std::string::npos, row.from) == 0)
      return row.to;
  return nullptr;
}

bool fromArrayInterface(nb::handle object, nb::handle interface, TensorView &view) {
  auto get = [&](const char *key) -> nb::object { return interface.attr("get")(key); };
  nb::object data = get("data");
  view.address = nb::cast<uint64_t>(data[0]);
  view.readOnly = nb::cast<bool>(data[1]);
  view.deviceType = dlpack::Cuda;
  nb::object device = nb::getattr(object, "device", nb::none());
  nb::object id = nb::getattr(device, "id", nb::none());
  view.device = nb::isinstance<nb::int_>(id) ? nb::cast<int32_t>(id) : -1;
  std::string type = nb::cast<std::string>(get("typestr"));
  view.dtype = ofTypestr(type);
  readInts(get("shape"), view, view.shape);
  nb::object strides = get("strides");
  if (strides.is_none()) {
    fillStrides(view);
    return true;
  }
  int64_t bytes = std::max(1, std::atoi(type.c_str() + 2));
  readInts(strides, view, view.strides);
  for (int i = 0; i < view.rank; ++i)
    view.strides[i] /= bytes;
  return true;
}

/// Element types of torch that DLPack of that version of torch does not hand out.
bool fromTorch(nb::handle object, TensorView &view) {
  view.address = nb::cast<uint64_t>(object.attr("data_ptr")());
  readInts(object.attr("shape"), view, view.shape);
  readInts(object.attr("stride")(), view, view.strides);
  static std::unordered_map<PyObject *, std::string> names; // torch's dtypes live for ever
  nb::object dtype = object.attr("dtype");
  auto [it, isNew] = names.try_emplace(dtype.ptr());
  if (isNew) {
    it->second = nb::cast<std::string>(nb::str(dtype));
    if (it->second.rfind("torch.", 0) == 0)
      it->second.erase(0, 6);
  }
  view.dtype = it->second.c_str();
  int64_t device = nb::cast<int64_t>(object.attr("get_device")());
  view.deviceType = device < 0 ? dlpack::Cpu : dlpack::Cuda;
  view.device = device < 0 ? 0 : static_cast<int32_t>(device);
  return true;
}

bool fromCapsule(nb::handle object, TensorView &view) {
  nb::object device = object.attr("__dlpack_device__")();
  bool isCpu = nb::cast<int>(device[0]) == dlpack::Cpu;
  // -1: nothing waits for anything.
  nb::object capsule = isCpu ? object.attr("__dlpack__")()
                             : object.attr("__dlpack__")(nb::arg("stream") = nb::int_(-1));
  if (void *p = PyCapsule_GetPointer(capsule.ptr(), "dltensor")) {
    auto *managed = static_cast<dlpack::Managed *>(p);
    return fromDLPack(managed->tensor, view);
  }
  PyErr_Clear();
  if (void *p = PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned")) {
    auto *managed = static_cast<dlpack::ManagedVersioned *>(p);
    view.readOnly = managed->flags & dlpack::readOnly;
    return fromDLPack(managed->tensor, view);
  }
  throw nb::python_error();
}

} // namespace

bool viewTensor(nb::handle object, TensorView &view) {
  PyTypeObject *type = Py_TYPE(object.ptr());
  if (const ExchangeApi *api = exchangeOf(type)) {
    dlpack::Tensor tensor{};
    if (api->tensorOf(object.ptr(), &tensor) == 0 && dlpack::nameOf(tensor.dtype))
      return fromDLPack(tensor, view);
    // A tensor that needs a gradient, or of a type that DLPack has no name for.
    PyErr_Clear();
  }
  if (nb::hasattr(object, "data_ptr"))
    return fromTorch(object, view);
  nb::object interface = nb::getattr(object, "__cuda_array_interface__", nb::none());
  if (!interface.is_none())
    return fromArrayInterface(object, interface, view);
  if (nb::hasattr(object, "__dlpack__"))
    return fromCapsule(object, view);
  return false;
}

std::optional<uint64_t> streamOf(nb::handle object, const TensorView &view) {
  const ExchangeApi *api = exchangeOf(Py_TYPE(object.ptr()));
  if (!api || !api->currentStream)
    return std::nullopt;
  void *stream = nullptr;
  if (api->currentStream(view.deviceType, view.device, &stream) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  return reinterpret_cast<uint64_t>(stream);
}

} // namespace tilec::python

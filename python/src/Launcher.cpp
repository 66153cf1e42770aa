//===- Launcher.cpp - from Python arguments to a launch -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Launcher.h"

namespace tilec::python {

static void check(tilec_status status) {
  if (status != TILEC_OK)
    raise(status == TILEC_ERROR_ARGUMENT ? "ArgumentError" : "LaunchError",
          std::string(fromC(tilec_runtime_last_error())));
}

Launcher::Launcher(tilec_module *module, int deviceIndex, nb::object stream)
    : module(module), deviceIndex(deviceIndex), stream(std::move(stream)) {
  for (size_t i = 0, n = tilec_module_param_count(module); i < n; ++i) {
    tilec_param param{};
    param.size = sizeof param;
    tilec_module_param(module, i, &param);
    std::string dtype(fromC(param.dtype));
    bool isFour = dtype == "int4" || dtype == "uint4" || dtype == "float4_e2m1fn";
    bool isFloat = dtype.find("float") != std::string::npos;
    parameters.push_back({std::string(fromC(param.name)), dtype, param.kind == TILEC_PARAM_TENSOR,
                          isFloat, param.is_written != 0, param.rank, isFour ? 2u : 1u});
  }
}

void Launcher::badArgument(size_t index, const std::string &what) const {
  raise("ArgumentError", "argument `" + parameters[index].name + "`: " + what);
}

bool Launcher::readTensor(size_t index, nb::handle object, Call &call) const {
  const Parameter &parameter = parameters[index];
  TensorView &view = call.views[index];
  bool isTensor = false;
  try {
    isTensor = viewTensor(object, view);
  } catch (nb::python_error &error) { // a sparse tensor, a fake one of torch.compile
    badArgument(index, "the memory of this " +
                           nb::cast<std::string>(nb::str(object.type().attr("__name__"))) +
                           " cannot be had: " + nb::cast<std::string>(nb::str(error.value())));
  }
  if (!isTensor)
    badArgument(index, "a tensor is wanted, not " +
                           nb::cast<std::string>(nb::str(object.type().attr("__name__"))));
  bool isHere = view.deviceType != dlpack::Cpu && (view.device < 0 || view.device == deviceIndex);
  if (!isHere && !call.first)
    return false;
  if (view.deviceType == dlpack::Cpu)
    badArgument(index, "it is in memory of the cpu; the kernel runs on GPU " +
                           std::to_string(deviceIndex));
  if (!isHere)
    badArgument(index, "it is on GPU " + std::to_string(view.device) +
                           ", the first tensor is on GPU " + std::to_string(deviceIndex));
  if (view.readOnly && parameter.isWritten)
    badArgument(index, "the kernel writes it, but it is read-only");
  if (parameter.packed == 2 && view.dtype &&
      (std::string_view(view.dtype) == "int8" || std::string_view(view.dtype) == "uint8") &&
      view.rank > 0) {
    view.shape[view.rank - 1] *= 2;
    for (int i = 0; i + 1 < view.rank; ++i)
      view.strides[i] *= 2;
    view.dtype = parameter.dtype.c_str();
  }
  if (!view.dtype || parameter.dtype != view.dtype)
    badArgument(index, "its elements are " +
                           std::string(view.dtype ? view.dtype : "of another kind") + ", " +
                           parameter.dtype + " is wanted");
  if (static_cast<uint32_t>(view.rank) != parameter.rank)
    badArgument(index, "it has " + std::to_string(view.rank) + " dimensions, " +
                           std::to_string(parameter.rank) + " are wanted");
  int64_t elements = 1;
  for (int i = 0; i < view.rank; ++i)
    elements *= view.shape[i];
  // A part of a tensor whose memory has been given back begins a little above 0.
  if (view.address < 4096 && elements != 0)
    badArgument(index, "it has no memory (has it been freed?)");
  tilec_arg &arg = call.args[index];
  arg.kind = TILEC_ARG_TENSOR;
  arg.address = view.address;
  arg.rank = parameter.rank;
  // A pointer says that there is a shape, also where it has no extents.
  arg.shape = view.shape.data();
  arg.strides = view.strides.data();
  for (int i = 0; i < view.rank; ++i) {
    // The stride of an extent of 1 (or of an empty tensor) says nothing: the dense one.
    if (view.shape[i] == 1 || elements == 0) {
      int64_t dense = 1;
      for (int k = i + 1; k < view.rank; ++k)
        dense *= view.shape[k];
      view.strides[i] = dense;
    }
  }
  call.signature.insert(call.signature.end(), view.shape.begin(), view.shape.begin() + view.rank);
  call.signature.insert(call.signature.end(), view.strides.begin(),
                        view.strides.begin() + view.rank);
  if (!call.first) {
    call.first = object;
    call.firstIndex = index;
  }
  return true;
}

void Launcher::readScalar(size_t index, nb::handle object, Call &call) const {
  const Parameter &parameter = parameters[index];
  tilec_arg &arg = call.args[index];
  nb::object value = nb::borrow(object);
  if (!PyLong_Check(object.ptr()) && !PyFloat_Check(object.ptr()) && nb::hasattr(object, "item"))
    value = object.attr("item")(); // of NumPy
  if (parameter.isFloat) {
    double real = PyFloat_AsDouble(value.ptr());
    if (real == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      badArgument(index, "a number is wanted, not " +
                             nb::cast<std::string>(nb::str(object.type().attr("__name__"))));
    }
    arg.kind = TILEC_ARG_FLOAT;
    arg.real = real;
    return;
  }
  int overflow = 0;
  if (!PyLong_Check(value.ptr()))
    badArgument(index, "an integer is wanted, not " +
                           nb::cast<std::string>(nb::str(object.type().attr("__name__"))));
  arg.kind = TILEC_ARG_INT;
  arg.integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow)
    badArgument(index, "the integer has more than 64 bits");
  call.signature.push_back(arg.integer);
}

bool Launcher::read(nb::handle args, Call &call) const {
  size_t count = static_cast<size_t>(NB_TUPLE_GET_SIZE(args.ptr()));
  if (count != parameters.size()) {
    std::string names;
    for (const Parameter &parameter : parameters)
      names += (names.empty() ? "" : ", ") + parameter.name;
    raise("ArgumentError", "the kernel takes " + std::to_string(parameters.size()) +
                               " arguments (" + names + "), " + std::to_string(count) +
                               " are given");
  }
  call.args.assign(count, tilec_arg{});
  call.views.resize(count);
  call.signature.clear();
  call.first = nb::handle();
  for (size_t i = 0; i < count; ++i) {
    nb::handle object = NB_TUPLE_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i));
    if (!parameters[i].isTensor)
      readScalar(i, object, call);
    else if (!readTensor(i, object, call))
      return false;
  }
  return true;
}

/// Called with the interpreter's lock and the mutex held.
tilec_plan *Launcher::planFor(const Call &call) {
  if (lastPlan && call.signature == lastSignature)
    return lastPlan;
  auto it = plans.find(call.signature);
  if (it == plans.end()) {
    // Launches hold the interpreter's lock: nobody uses a plan now.
    constexpr size_t most = 4096;
    if (plans.size() >= most) {
      plans.clear();
      lastPlan = nullptr;
    }
    PlanHandle plan;
    if (tilec_plan_create(module, call.args.data(), call.args.size(), plan.out()) != TILEC_OK)
      raise("ArgumentError", std::string(fromC(tilec_runtime_last_error())));
    it = plans.emplace(call.signature, std::move(plan)).first;
  }
  lastSignature = call.signature;
  return lastPlan = it->second.get();
}

uint64_t Launcher::chooseStream(const Call &call, nb::handle given) const {
  if (!given.is_none()) {
    nb::object number = nb::borrow(given);
    for (const char *name : {"cuda_stream", "ptr"})
      if (!PyLong_Check(number.ptr()) && nb::hasattr(number, name))
        number = number.attr(name);
    return nb::cast<uint64_t>(number);
  }
  if (call.first)
    if (std::optional<uint64_t> found = streamOf(call.first, call.views[call.firstIndex]))
      return *found;
  if (stream.is_none() || !call.first)
    return 0;
  return nb::cast<uint64_t>(stream(call.first));
}

bool Launcher::launch(nb::handle args, nb::handle givenStream) {
  static thread_local Call call; // keeps its memory
  if (!read(args, call))
    return false;
  uint64_t onStream = chooseStream(call, givenStream);
  tilec_plan *plan;
  {
    std::lock_guard<std::mutex> guard(mutex);
    plan = planFor(call);
  }
  // The lock of the interpreter is kept: queueing is shorter than giving it away.
  check(tilec_plan_launch(plan, onStream, call.args.data(), call.args.size()));
  return true;
}

Bound::Bound(Launcher &launcher, nb::tuple given, nb::object stream)
    : launcher(launcher), args(std::move(given)), stream(std::move(stream)) {
  if (!launcher.read(args, call))
    raise("ArgumentError", "the first tensor is not on the device that the kernel was loaded on");
  plan = launcher.planFor(call);
  tilec_plan_retain(plan);
}

void Bound::operator()() {
  uint64_t onStream = launcher.chooseStream(call, stream);
  check(tilec_plan_launch(plan, onStream, call.args.data(), call.args.size()));
}

} // namespace tilec::python

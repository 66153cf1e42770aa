//===- Runtime.cpp - tilec._runtime: libtilec-runtime.so for Python -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Launcher.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

namespace tilec::python {
namespace {

void check(tilec_status status) {
  if (status != TILEC_OK)
    raise("DeviceError", std::string(fromC(tilec_runtime_last_error())));
}

/// The memory of an object that has some, such as bytes, memoryview or a NumPy array.
class Bytes {
public:
  Bytes(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &buffer, flags) != 0)
      throw nb::python_error();
  }
  ~Bytes() { PyBuffer_Release(&buffer); }
  Bytes(const Bytes &) = delete;
  void *data() const { return buffer.buf; }
  size_t size() const { return static_cast<size_t>(buffer.len); }

private:
  Py_buffer buffer;
};

struct Device {
  DeviceHandle handle;

  static std::unique_ptr<Device> open(const std::string &kind, int index,
                                      const std::optional<std::string> &driver) {
    auto made = std::make_unique<Device>();
    tilec_device_options options{};
    options.size = sizeof options;
    options.kind = kind.c_str();
    options.index = index;
    options.driver = driver ? driver->c_str() : nullptr;
    check(tilec_device_open(&options, made->handle.out()));
    return made;
  }
  /// Takes the backend out of the capsule.
  static std::unique_ptr<Device> fromBackend(nb::handle capsule) {
    auto *backend =
        static_cast<tilec_backend *>(PyCapsule_GetPointer(capsule.ptr(), "tilec_backend"));
    if (!backend)
      throw nb::python_error();
    auto made = std::make_unique<Device>();
    check(tilec_device_from_backend(backend, made->handle.out()));
    backend->release = nullptr;
    return made;
  }
  uint64_t allocate(size_t bytes) {
    uint64_t address = 0;
    check(tilec_device_allocate(handle.get(), bytes, &address));
    return address;
  }
  void upload(uint64_t address, nb::handle from) {
    Bytes bytes(from, PyBUF_C_CONTIGUOUS);
    check(tilec_device_upload(handle.get(), address, bytes.data(), bytes.size()));
  }
  void download(nb::handle to, uint64_t address) {
    Bytes bytes(to, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE);
    check(tilec_device_download(handle.get(), bytes.data(), address, bytes.size()));
  }
  void wait(uint64_t stream) {
    tilec_status status;
    {
      nb::gil_scoped_release unlock;
      status = tilec_stream_wait(handle.get(), stream);
    }
    check(status);
  }
};

struct Module {
  ModuleHandle handle;
  std::unique_ptr<Launcher> launcher;

  Module(Device &device, nb::bytes image, const std::string &manifest, int deviceIndex,
         nb::object stream) {
    tilec_str bytes{image.c_str(), image.size()};
    check(tilec_module_load(device.handle.get(), bytes, toC(manifest), handle.out()));
    launcher = std::make_unique<Launcher>(handle.get(), deviceIndex, std::move(stream));
  }
  nb::list params() const {
    nb::list out;
    for (size_t i = 0, n = tilec_module_param_count(handle.get()); i < n; ++i) {
      tilec_param p{};
      p.size = sizeof p;
      tilec_module_param(handle.get(), i, &p);
      out.append(nb::make_tuple(toPython(p.name), toPython(p.dtype), p.kind == TILEC_PARAM_TENSOR,
                                p.rank, p.is_read != 0, p.is_written != 0, p.output));
    }
    return out;
  }
  /// Arguments that Python has looked into: (address, shape) or numbers.
  void launchViews(nb::handle list, uint64_t stream) {
    std::vector<tilec_arg> args;
    std::vector<std::vector<int64_t>> shapes, strides;
    shapes.reserve(nb::len(list));
    strides.reserve(nb::len(list));
    for (nb::handle item : list) {
      tilec_arg arg{};
      if (nb::isinstance<nb::tuple>(item)) {
        arg.address = nb::cast<uint64_t>(item[0]);
        shapes.push_back(nb::cast<std::vector<int64_t>>(item[1]));
        arg.rank = static_cast<uint32_t>(shapes.back().size());
        arg.shape = shapes.back().data();
        if (!item[2].is_none()) {
          strides.push_back(nb::cast<std::vector<int64_t>>(item[2]));
          arg.strides = strides.back().data();
        }
      } else if (PyFloat_Check(item.ptr())) {
        arg.kind = TILEC_ARG_FLOAT;
        arg.real = nb::cast<double>(item);
      } else {
        arg.kind = TILEC_ARG_INT;
        arg.integer = nb::cast<int64_t>(item);
      }
      args.push_back(arg);
    }
    tilec_status status;
    {
      nb::gil_scoped_release unlock;
      status = tilec_launch(handle.get(), stream, args.data(), args.size());
    }
    if (status == TILEC_ERROR_ARGUMENT)
      raise("ArgumentError", std::string(fromC(tilec_runtime_last_error())));
    if (status != TILEC_OK)
      raise("LaunchError", std::string(fromC(tilec_runtime_last_error())));
  }
};

/// What kernels are called as: once a kernel has been launched, the next launches on the same
/// device go past Python's code.
struct Callable {
  nb::object module; ///< keeps the launcher
  Launcher *launcher = nullptr;
};

PyObject *callSlowly(PyObject *self, PyObject *args, PyObject *named) {
  nb::object call = nb::steal(PyObject_GetAttrString(self, "_call"));
  return call ? PyObject_Call(call.ptr(), args, named) : nullptr;
}

PyObject *callKernel(PyObject *self, PyObject *args, PyObject *named) {
  if (!nb::inst_ready(self) || (named && PyDict_Size(named) != 0))
    return callSlowly(self, args, named);
  Launcher *launcher = nb::inst_ptr<Callable>(self)->launcher;
  try {
    if (launcher && launcher->launch(args, nb::none()))
      Py_RETURN_NONE;
  } catch (nb::python_error &error) {
    error.restore();
    return nullptr;
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
  return callSlowly(self, args, named);
}

PyType_Slot callableSlots[] = {{Py_tp_call, reinterpret_cast<void *>(callKernel)}, {0, nullptr}};

nb::object describe(nb::handle object) {
  TensorView view;
  if (!viewTensor(object, view))
    return nb::none();
  nb::list shape, strides;
  for (int i = 0; i < view.rank; ++i) {
    shape.append(view.shape[i]);
    strides.append(view.strides[i]);
  }
  nb::object dtype = view.dtype ? nb::object(nb::str(view.dtype)) : nb::object(nb::none());
  return nb::make_tuple(view.address, view.deviceType, view.device, dtype, nb::tuple(shape),
                        nb::tuple(strides), view.readOnly);
}

} // namespace

NB_MODULE(_runtime, m) {
  nb::set_leak_warnings(false); // kernels live as long as the process
  m.doc() = "libtilec-runtime.so: loading and launching what was compiled.";
  m.def("version", [] { return tilec_runtime_version(); });
  m.def("describe", describe,
        "(address, device type, device, dtype, shape, strides, read-only) of a tensor, or None.");
  nb::class_<Device>(m, "Device")
      .def_static("open", &Device::open, nb::arg("kind"), nb::arg("index") = 0,
                  nb::arg("driver") = nb::none())
      .def_static("from_backend", &Device::fromBackend)
      .def_prop_ro("kind",
                   [](const Device &d) { return toPython(tilec_device_kind(d.handle.get())); })
      .def_prop_ro("name",
                   [](const Device &d) { return toPython(tilec_device_name(d.handle.get())); })
      .def_prop_ro("arch",
                   [](const Device &d) { return toPython(tilec_device_arch(d.handle.get())); })
      .def("runs",
           [](const Device &d, const std::string &target) {
             return tilec_device_runs(d.handle.get(), toC(target)) != 0;
           })
      .def("allocate", &Device::allocate)
      .def("free", [](Device &d, uint64_t address) { tilec_device_free(d.handle.get(), address); })
      .def("upload", &Device::upload)
      .def("download", &Device::download)
      .def("wait", &Device::wait, nb::arg("stream") = 0);
  nb::class_<Callable>(m, "Callable", nb::type_slots(callableSlots),
                       "Calls go to the module that launches, or else to `_call`.")
      .def(nb::init<>())
      .def("launch_with", [](Callable &self, nb::object module) {
        self.launcher = nb::cast<Module &>(module).launcher.get();
        self.module = std::move(module);
      });
  nb::class_<Bound>(m, "Bound").def("__call__", &Bound::operator());
  nb::class_<Module>(m, "Module")
      .def(nb::init<Device &, nb::bytes, const std::string &, int, nb::object>(), nb::arg("device"),
           nb::arg("image"), nb::arg("manifest"), nb::arg("device_index") = 0,
           nb::arg("stream") = nb::none(), nb::keep_alive<1, 2>())
      .def_prop_ro("params", &Module::params)
      .def("launch_views", &Module::launchViews, nb::arg("args"), nb::arg("stream") = 0)
      .def(
          "bind",
          [](Module &self, nb::tuple args, nb::object stream) {
            return std::make_unique<Bound>(*self.launcher, std::move(args), std::move(stream));
          },
          nb::arg("args"), nb::arg("stream") = nb::none(), nb::keep_alive<0, 1>())
      .def(
          "launch",
          [](Module &self, nb::handle args, nb::handle stream) {
            return self.launcher->launch(args, stream);
          },
          nb::arg("args"), nb::arg("stream") = nb::none());
}

} // namespace tilec::python

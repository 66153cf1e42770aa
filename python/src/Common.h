//===- Common.h - what both extension modules use -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Core.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

namespace tilec::python {

namespace nb = nanobind;

inline tilec_str toC(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view fromC(tilec_str text) {
  return text.data ? std::string_view(text.data, text.size) : std::string_view();
}
/// Text of the library is UTF-8, but for bytes of a script that is not.
inline nb::object toPython(tilec_str text) {
  PyObject *made = PyUnicode_DecodeUTF8(text.data ? text.data : "",
                                        static_cast<Py_ssize_t>(text.size), "replace");
  if (!made)
    throw nb::python_error();
  return nb::steal(made);
}

/// An exception of a type of tilec.errors.
[[noreturn]] inline void raise(const char *type, const std::string &message) {
  nb::object errors = nb::module_::import_("tilec.errors");
  nb::object made = errors.attr(type)(message);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made.ptr())), made.ptr());
  throw nb::python_error();
}

/// Holds one count of a handle of the C interface.
template <typename T, void (*Release)(T *)> class Handle {
public:
  Handle() = default;
  explicit Handle(T *owned) : object(owned) {}
  Handle(Handle &&other) noexcept : object(other.object) { other.object = nullptr; }
  Handle &operator=(Handle &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Handle() {
    if (object)
      Release(object);
  }
  T *get() const { return object; }
  T **out() { return &object; }

private:
  T *object = nullptr;
};

} // namespace tilec::python

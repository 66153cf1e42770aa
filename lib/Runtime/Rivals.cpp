//===- Rivals.cpp - vendors' libraries to compare with --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Rivals.h"

#include "CublasAbi.h"
#include "GemmRival.h"
#include "Library.h"

#include <dlfcn.h>

namespace tilec::rt {
namespace {

constexpr const char *wantedForm = "write FORM:A,B,C with a form nn, nt, tn or tt";

/// cudaDataType_t; -1 for what the libraries' products do not take.
int cudaType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return cublas::typeF32;
  case DType::F16:
    return cublas::typeF16;
  case DType::BF16:
    return cublas::typeBF16;
  case DType::I8:
    return cublas::typeI8;
  case DType::I32:
    return cublas::typeI32;
  case DType::E4M3FN:
    return cublas::typeE4M3;
  case DType::E5M2:
    return cublas::typeE5M2;
  default:
    return -1;
  }
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts{""};
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

Result<const Argument *> tensorNamed(const std::string &name, const ArgumentSet &arguments) {
  const Argument *argument = arguments.find(name);
  if (!argument || argument->param.kind != ParamKind::Tensor)
    return Error{"there is no tensor `" + name + "`"};
  return argument;
}

/// Whether the shapes are a product of this form; sets its extents.
bool fits(const std::string &form, const HostTensor &a, const HostTensor &b, const HostTensor &c,
          GemmProduct &product) {
  product.aTransposed = form[0] == 't';
  product.bTransposed = form[1] == 't';
  product.m = static_cast<int>(c.shape[0]);
  product.n = static_cast<int>(c.shape[1]);
  product.k = static_cast<int>(a.shape[product.aTransposed ? 0 : 1]);
  return a.shape[product.aTransposed ? 1 : 0] == product.m &&
         b.shape[product.bTransposed ? 0 : 1] == product.n &&
         b.shape[product.bTransposed ? 1 : 0] == product.k;
}

Result<GemmProduct> makeProduct(const std::string &form, const std::vector<std::string> &names,
                                const ArgumentSet &arguments) {
  GemmProduct product;
  const HostTensor *tensors[3];
  for (int i = 0; i < 3; ++i) {
    Result<const Argument *> argument = tensorNamed(names[i], arguments);
    if (!argument)
      return argument.error();
    tensors[i] = &(*argument)->tensor;
    if (tensors[i]->shape.size() != 2 || tensors[i]->elemCount() > INT32_MAX)
      return Error{"`" + names[i] +
                   "` is no matrix that cuBLAS takes: " + printShape(tensors[i]->shape)};
    if ((*argument)->strides != rowMajorStrides(tensors[i]->shape))
      return Error{"`" + names[i] + "` is strided: only dense matrices are compared"};
  }
  product.a = names[0], product.b = names[1], product.c = names[2];
  const HostTensor &a = *tensors[0], &b = *tensors[1], &c = *tensors[2];
  if (!fits(form, a, b, c, product))
    return Error{"shapes " + printShape(a.shape) + ", " + printShape(b.shape) + " and " +
                 printShape(c.shape) + " are no " + form + " matrix product"};
  product.aType = cudaType(a.dtype);
  product.bType = cudaType(b.dtype);
  product.cType = cudaType(c.dtype);
  product.isInteger = c.dtype == DType::I32;
  product.isFp8 = isFloat(a.dtype) && bitsOf(a.dtype) == 8;
  if (names.size() == 5)
    for (int i = 3; i < 5; ++i) {
      Result<const Argument *> scale = tensorNamed(names[i], arguments);
      if (!scale)
        return scale.error();
      if ((*scale)->tensor.dtype != DType::F32 || (*scale)->tensor.elemCount() != 1)
        return Error{"`" + names[i] + "` is no scale: a tensor of one float32"};
      (i == 3 ? product.scaleA : product.scaleB) = names[i];
    }
  if (product.aType < 0 || product.bType < 0 || product.cType < 0 ||
      bitsOf(a.dtype) != bitsOf(b.dtype) || isFloat(a.dtype) != isFloat(b.dtype))
    return Error{"cuBLAS has no product of " + std::string(nameOf(a.dtype)) + " and " +
                 std::string(nameOf(b.dtype)) + " to " + std::string(nameOf(c.dtype))};
  return product;
}

/// The one product that a kernel of two inputs and one result can be.
Result<GemmProduct> guessProduct(const ArgumentSet &arguments) {
  std::vector<std::string> read, written;
  for (const Argument &argument : arguments.list)
    if (argument.param.kind == ParamKind::Tensor)
      (argument.param.access == Access::Read ? read : written).push_back(argument.param.name);
  if (read.size() != 2 || written.size() != 1)
    return Error{std::string("name the product's tensors: ") + wantedForm};
  std::vector<std::string> forms;
  std::optional<GemmProduct> product;
  for (const char *form : {"nn", "nt", "tn", "tt"})
    if (auto made = makeProduct(form, {read[0], read[1], written[0]}, arguments)) {
      forms.push_back(form);
      product = *made;
    }
  if (forms.size() == 1)
    return *product;
  return Error{(forms.empty() ? "its tensors are no matrix product"
                              : "the shapes allow more than one matrix product") +
               std::string(": ") + wantedForm};
}

Result<GemmProduct> parseProduct(const std::string &spec, const ArgumentSet &arguments) {
  std::vector<std::string> parts = split(spec, ':');
  const std::string &form = parts[0];
  bool formIsGood = form.size() == 2 && form.find_first_not_of("nt") == std::string::npos;
  std::vector<std::string> names =
      parts.size() == 2 ? split(parts[1], ',') : std::vector<std::string>();
  if (!formIsGood || (names.size() != 3 && names.size() != 5))
    return Error{"`" + spec + "`: " + wantedForm};
  return makeProduct(form, names, arguments);
}

/// A copy of the tensor FROM to TO, which is of the same size, by the driver: how fast memory is.
Result<Rival> copyRival(const std::string &spec, const ArgumentSet &arguments,
                        const std::string &path) {
  std::vector<std::string> names = split(spec, ',');
  if (names.size() != 2)
    return Error{"`" + spec + "`: write copy:FROM,TO"};
  Result<const Argument *> from = tensorNamed(names[0], arguments);
  Result<const Argument *> to = tensorNamed(names[1], arguments);
  if (!from || !to)
    return from ? to.error() : from.error();
  size_t bytes = (*from)->tensor.bytes.size();
  if (bytes != (*to)->tensor.bytes.size())
    return Error{"`" + names[0] + "` and `" + names[1] + "` are not of the same size"};
  Result<Library> cuda = Library::open({path.empty() ? "libcuda.so.1" : path});
  if (!cuda)
    return cuda.error();
  int (*copy)(DeviceAddress, DeviceAddress, size_t, void *) = nullptr;
  cuda->required(copy, {"cuMemcpyDtoDAsync_v2"});
  if (Status s = cuda->status(); !s)
    return s.error();
  Rival rival;
  rival.name = "copy";
  rival.run = [=](const auto &tensors, uint64_t stream) -> Status {
    int code =
        copy(tensors.at(names[1]), tensors.at(names[0]), bytes, reinterpret_cast<void *>(stream));
    if (code)
      return Error{"cuMemcpyDtoDAsync failed with code " + std::to_string(code)};
    return success();
  };
  return rival;
}

} // namespace

double toleranceOf(const GemmProduct &product) { return product.isFp8 ? 0x1p-6 : 0x1p-9; }

Result<void *> openVendorLibrary(const char *name, const char *file, const std::string &path) {
  std::vector<std::string> names{path};
  if (path.empty()) {
    names.clear();
    for (const char *version : {".13", ".12", ".11"})
      for (const char *folder :
           {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/"})
        names.push_back(std::string(folder) + file + version);
  }
  std::string first;
  for (const std::string &candidate : names) {
    if (void *handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    std::string reason = dlerror();
    if (first.empty())
      first = reason;
  }
  return Error{"there is no " + std::string(name) + " on this machine: " + first};
}

Result<Rival> openRival(const std::string &spec, const ArgumentSet &arguments, const Device &device,
                        const std::string &libraryPath) {
  size_t colon = spec.find(':');
  std::string library = spec.substr(0, colon);
  if (library == "cudnn")
    return Error{"cuDNN's attention is timed in one process with a kernel by "
                 "test/bench/hopper/attention.py"};
  if (library != "cublas" && library != "cublaslt" && library != "copy")
    return Error{"`" + library + "`: known are cublas, cublaslt, cudnn and copy"};
  if (device.info().kind != "cuda")
    return Error{library + ": the device is no CUDA device"};
  if (library == "copy")
    return copyRival(colon == std::string::npos ? "" : spec.substr(colon + 1), arguments,
                     libraryPath);
  Result<GemmProduct> product = colon == std::string::npos
                                    ? guessProduct(arguments)
                                    : parseProduct(spec.substr(colon + 1), arguments);
  Result<Rival> rival = !product              ? Result<Rival>(product.error())
                        : library == "cublas" ? cublasRival(*product, libraryPath)
                                              : cublasLtRival(*product, device, libraryPath);
  if (!rival)
    return inContext(library, rival.error());
  rival->name = library;
  rival->result = product->c;
  rival->tolerance = toleranceOf(*product);
  return rival;
}

} // namespace tilec::rt

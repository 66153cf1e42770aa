//===- GemmRival.cpp - reads what product a rival computes ----------------===//
//
// Takes the text behind `--vs=`, gives the product that it means of a kernel's tensors.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "GemmRival.h"

#include "CublasAbi.h"
#include "RivalSpec.h"

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

} // namespace

double toleranceOf(const GemmProduct &product) { return product.isFp8 ? 0x1p-6 : 0x1p-9; }

Result<GemmProduct> parseProduct(const std::string &spec, const ArgumentSet &arguments) {
  if (spec.empty())
    return guessProduct(arguments);
  std::vector<std::string> parts = split(spec, ':');
  const std::string &form = parts[0];
  bool formIsGood = form.size() == 2 && form.find_first_not_of("nt") == std::string::npos;
  std::vector<std::string> names =
      parts.size() == 2 ? split(parts[1], ',') : std::vector<std::string>();
  if (!formIsGood || (names.size() != 3 && names.size() != 5))
    return Error{"`" + spec + "`: " + wantedForm};
  return makeProduct(form, names, arguments);
}

} // namespace tilec::rt

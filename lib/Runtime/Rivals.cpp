//===- Rivals.cpp - vendors' libraries to compare with --------------------===//
//
// Takes `--vs=LIBRARY:...`, gives the rival of that library.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Rivals.h"

#include "AttentionRival.h"
#include "GemmRival.h"
#include "Library.h"
#include "RivalSpec.h"

namespace tilec::rt {
namespace {

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
  rival.run = [=](const auto &tensors, uint64_t stream) -> Status {
    int code =
        copy(tensors.at(names[1]), tensors.at(names[0]), bytes, reinterpret_cast<void *>(stream));
    if (code)
      return Error{"cuMemcpyDtoDAsync failed with code " + std::to_string(code)};
    return success();
  };
  return rival;
}

Result<Rival> gemmRival(const std::string &library, const std::string &spec,
                        const ArgumentSet &arguments, const Device &device,
                        const std::string &path) {
  Result<GemmProduct> product = parseProduct(spec, arguments);
  if (!product)
    return product.error();
  Result<Rival> rival =
      library == "cublas" ? cublasRival(*product, path) : cublasLtRival(*product, device, path);
  if (rival) {
    rival->result = product->c;
    rival->tolerance = toleranceOf(*product);
  }
  return rival;
}

Result<Rival> attentionRival(const std::string &spec, const ArgumentSet &arguments,
                             const Device &device, const std::string &path) {
  Result<Attention> attention = parseAttention(spec, arguments);
  if (!attention)
    return attention.error();
  Result<Rival> rival = cudnnRival(*attention, device, path);
  if (rival) {
    rival->result = attention->o.name;
    rival->tolerance = attention->tolerance();
  }
  return rival;
}

} // namespace

Result<Rival> openRival(const std::string &spec, const ArgumentSet &arguments, const Device &device,
                        const std::string &libraryPath) {
  size_t colon = spec.find(':');
  std::string library = spec.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
  if (library != "cublas" && library != "cublaslt" && library != "cudnn" && library != "copy")
    return Error{"`" + library + "`: known are cublas, cublaslt, cudnn and copy"};
  if (device.info().kind != "cuda")
    return Error{library + ": the device is no CUDA device"};
  Result<Rival> rival = library == "copy" ? copyRival(rest, arguments, libraryPath)
                        : library == "cudnn"
                            ? attentionRival(rest, arguments, device, libraryPath)
                            : gemmRival(library, rest, arguments, device, libraryPath);
  if (!rival)
    return inContext(library, rival.error());
  rival->name = library;
  return rival;
}

} // namespace tilec::rt

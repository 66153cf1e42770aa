//===- Arguments.cpp - the arguments of a run, on the host ----------------===//
//
// Order matters: scalars and files first, since they give dims their values, then
// the shapes of all tensors, then strides, then generated data.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Arguments.h"
#include "tilec/Runtime/Bind.h"
#include "tilec/Runtime/Npy.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <unistd.h>

namespace tilec::rt {
namespace {

class Maker {
public:
  Maker(const Manifest &manifest, const ArgumentRequest &request)
      : manifest(manifest), request(request) {}

  Result<ArgumentSet> run() {
    for (const Param &param : manifest.arguments()) {
      Argument argument;
      argument.param = param;
      set.list.push_back(std::move(argument));
    }
    set.dims = request.dims;
    for (auto step :
         {&Maker::checkNames, &Maker::takeScalars, &Maker::takeFiles, &Maker::checkDimsKnown,
          &Maker::findShapes, &Maker::findStrides, &Maker::checkHostMemory, &Maker::makeTensors})
      if (Status s = (this->*step)(); !s)
        return s.error();
    return std::move(set);
  }

private:
  const ArgSpec *specOf(const std::string &name) const {
    auto it = std::find_if(request.specs.begin(), request.specs.end(),
                           [&](const ArgSpec &spec) { return spec.name == name; });
    return it == request.specs.end() ? nullptr : &*it;
  }

  Status checkNames() {
    std::string names;
    for (const Argument &argument : set.list)
      names += (names.empty() ? "" : ", ") + argument.param.name;
    for (const ArgSpec &spec : request.specs)
      if (!set.find(spec.name))
        return Error{"kernel `" + manifest.kernel + "` has no argument `" + spec.name +
                     "`; it has " + names};
    std::string sizes;
    for (const DimDecl &dim : manifest.dims)
      sizes += (sizes.empty() ? "" : ", ") + dim.name;
    for (const auto &[name, value] : request.dims)
      if (!isDim(name) && !isStride(name))
        return Error{"kernel `" + manifest.kernel + "` has no dim `" + name + "`; it has " +
                     (sizes.empty() ? "none" : sizes)};
    return success();
  }

  bool isDim(const std::string &name) const {
    return std::any_of(manifest.dims.begin(), manifest.dims.end(),
                       [&](const DimDecl &dim) { return dim.name == name; });
  }
  bool isStride(const std::string &name) const {
    for (const Launch &launch : manifest.launches)
      for (const Param &param : launch.params)
        if (param.kind == ParamKind::Stride && param.name == name)
          return true;
    return false;
  }

  Status takeScalars() {
    for (Argument &argument : set.list) {
      const Param &param = argument.param;
      if (param.kind != ParamKind::Scalar)
        continue;
      const ArgSpec *spec = specOf(param.name);
      if (spec && spec->kind != ArgSpec::Scalar)
        return Error{"--arg " + param.name + "=" + spec->text + ": `" + param.name +
                     "` is a scalar, which takes a number (" + std::string(nameOf(param.dtype)) +
                     ")"};
      if (!spec)
        return Error{"scalar `" + param.name + "` needs a value: --arg " + param.name +
                     "=NUMBER (" + std::string(nameOf(param.dtype)) + ")"};
      Result<uint64_t> bits = parseScalar(spec->text, param.dtype);
      if (!bits)
        return inContext("--arg " + param.name, bits.error());
      argument.scalarBits = *bits;
      if (isInteger(param.dtype))
        set.dims[param.name] = decodeInt(param.dtype, *bits);
    }
    return success();
  }

  Status takeFiles() {
    for (Argument &argument : set.list) {
      const ArgSpec *spec = specOf(argument.param.name);
      if (argument.param.kind != ParamKind::Tensor || !spec || spec->kind != ArgSpec::File)
        continue;
      Result<NpyArray> array = readNpy(spec->text);
      if (!array)
        return inContext("--arg " + spec->name, array.error());
      Result<HostTensor> tensor = asTensor(std::move(*array), argument.param.dtype);
      if (!tensor)
        return inContext("--arg " + spec->name + "=" + spec->text, tensor.error());
      argument.tensor = std::move(*tensor);
      if (Status s = bindShape(argument, spec->text); !s)
        return s;
    }
    return success();
  }

  /// Gives dims that the extents tell their value; shapes are compared later.
  Status bindShape(const Argument &argument, const std::string &path) {
    const std::vector<DimExpr> &declared = argument.param.shape;
    const std::vector<int64_t> &actual = argument.tensor.shape;
    if (bitsOf(argument.param.dtype) == 4 && declared.size() != actual.size())
      return success(); // stored flat; makeTensors compares the number of bytes
    if (declared.size() != actual.size())
      return Error{"`" + argument.param.name + "` has " + std::to_string(declared.size()) +
                   " dimensions, " + path + " has " + std::to_string(actual.size())};
    takeExtents(declared, actual, set.dims);
    return success();
  }

  Status checkDimsKnown() {
    for (const DimDecl &dim : manifest.dims) {
      auto it = set.dims.find(dim.name);
      if (it == set.dims.end())
        return Error{"dim `" + dim.name + "` has no value: give --dim " + dim.name +
                     "=N, or an .npy file for a tensor that has this extent"};
      if (decodeInt(dim.dtype, encodeInt(dim.dtype, it->second)) != it->second)
        return Error{"dim `" + dim.name + "` is " + std::to_string(it->second) +
                     ", which does not fit in " + std::string(nameOf(dim.dtype))};
    }
    return success();
  }

  /// Sets the shape of every tensor, or compares it with its file's.
  Status findShapes() {
    for (Argument &argument : set.list)
      if (argument.param.kind == ParamKind::Tensor)
        if (Status s = findShape(argument); !s)
          return inContext("argument `" + argument.param.name + "`", s.error());
    return success();
  }

  Status findShape(Argument &argument) {
    const Param &param = argument.param;
    std::vector<int64_t> shape;
    for (const DimExpr &expr : param.shape) {
      Result<int64_t> extent = expr.evaluate(set.dims);
      if (!extent)
        return extent.error();
      if (*extent > std::numeric_limits<int32_t>::max())
        return Error{"an extent of " + std::to_string(*extent) +
                     "; kernels compute indices in 32 bits, so a dimension has at most 2147483647 "
                     "elements"};
      shape.push_back(*extent);
    }
    Result<int64_t> count = elemCountOf(shape);
    if (!count)
      return count.error();
    if (const ArgSpec *spec = specOf(param.name); spec && spec->kind == ArgSpec::File) {
      bool flat = bitsOf(param.dtype) == 4 && static_cast<int64_t>(argument.tensor.bytes.size()) ==
                                                  storageBytes(param.dtype, *count);
      if (argument.tensor.shape != shape && !flat)
        return Error{"shape " + printShape(shape) + " expected, " + spec->text + " has " +
                     printShape(argument.tensor.shape)};
    }
    argument.tensor.dtype = param.dtype;
    argument.tensor.shape = std::move(shape);
    return success();
  }

  /// All tensors together must fit in the host's memory: an allocation beyond it would end the
  /// process without a word.
  Status checkHostMemory() {
    double wantedBytes = 0;
    for (const Argument &argument : set.list)
      if (argument.param.kind == ParamKind::Tensor)
        wantedBytes +=
            static_cast<double>(storageBytes(argument.param.dtype, argument.tensor.elemCount()));
    double hostBytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    if (wantedBytes <= hostBytes)
      return success();
    char text[120];
    std::snprintf(text, sizeof text, "the arguments take %.1f GB, this machine has %.1f GB",
                  wantedBytes * 1e-9, hostBytes * 1e-9);
    return Error{text};
  }

  /// Generates what does not come from a file. Last, since it may take long.
  Status makeTensors() {
    for (Argument &argument : set.list) {
      const Param &param = argument.param;
      const ArgSpec *spec = specOf(param.name);
      if (param.kind != ParamKind::Tensor || (spec && spec->kind == ArgSpec::File))
        continue;
      argument.tensor = HostTensor(param.dtype, std::move(argument.tensor.shape));
      if (spec && spec->kind == ArgSpec::Scalar) {
        Result<uint64_t> bits = parseScalar(spec->text, param.dtype);
        if (!bits)
          return inContext("--arg " + param.name, bits.error());
        fillBits(argument.tensor, *bits);
      } else if (spec || param.access != Access::Write) {
        fill(argument.tensor, spec ? spec->fill : Fill::Randn, request.seed, param.name);
      } else {
        prefillOutput(argument.tensor);
      }
    }
    return success();
  }

  Status findStrides() {
    for (Argument &argument : set.list) {
      const Param &param = argument.param;
      if (param.kind != ParamKind::Tensor)
        continue;
      argument.strides = rowMajorStrides(argument.tensor.shape);
      for (size_t axis = 0; axis < param.strides.size(); ++axis) {
        if (auto name = param.strides[axis].asName())
          set.dims.emplace(*name, argument.strides[axis]);
        Result<int64_t> stride = param.strides[axis].evaluate(set.dims);
        if (!stride)
          return inContext("strides of `" + param.name + "`", stride.error());
        argument.strides[axis] = *stride;
      }
      if (Result<int64_t> span = spanElems(argument.tensor.shape, argument.strides); !span)
        return inContext("strides of `" + param.name + "`", span.error());
    }
    return success();
  }

  const Manifest &manifest;
  const ArgumentRequest &request;
  ArgumentSet set;
};

} // namespace

Argument *ArgumentSet::find(std::string_view name) {
  for (Argument &argument : list)
    if (argument.param.name == name)
      return &argument;
  return nullptr;
}

const Argument *ArgumentSet::find(std::string_view name) const {
  return const_cast<ArgumentSet *>(this)->find(name);
}

Result<ArgumentRequest> parseRequest(const std::vector<std::string> &args,
                                     const std::vector<std::string> &dims, uint32_t seed) {
  ArgumentRequest request;
  request.seed = seed;
  for (const std::string &text : args) {
    Result<ArgSpec> spec = parseArgSpec(text);
    if (!spec)
      return inContext("--arg", spec.error());
    for (const ArgSpec &earlier : request.specs)
      if (earlier.name == spec->name)
        return Error{"--arg " + text + ": `" + spec->name + "` is given twice, before as `" +
                     earlier.text + "`"};
    request.specs.push_back(std::move(*spec));
  }
  for (const std::string &text : dims) {
    Result<std::pair<std::string, int64_t>> dim = parseDim(text);
    if (!dim)
      return inContext("--dim", dim.error());
    if (auto [it, isNew] = request.dims.insert(*dim); !isNew)
      return Error{"--dim " + text + ": `" + dim->first + "` is given twice, before as `" +
                   std::to_string(it->second) + "`"};
  }
  return request;
}

Result<ArgumentSet> makeArguments(const Manifest &manifest, const ArgumentRequest &request) {
  return Maker(manifest, request).run();
}

} // namespace tilec::rt

//===- Run.cpp - run a compiled program on any device and check it --------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Run.h"

namespace tilec {
namespace {

rt::Error asError(llvm::Error error) { return rt::Error{llvm::toString(std::move(error))}; }

std::set<std::string> writtenTensors(const rt::Manifest &manifest) {
  std::set<std::string> names;
  for (const rt::Launch &launch : manifest.launches)
    for (const rt::Param &param : launch.params)
      if (param.kind == rt::ParamKind::Tensor && param.access != rt::Access::Read)
        names.insert(param.name);
  return names;
}

} // namespace

rt::Status runOnCpu(Compilation &compilation, rt::ArgumentSet &arguments,
                    ReferenceOptions::Accumulate accumulate) {
  ReferenceArgs args;
  for (rt::Argument &argument : arguments.list) {
    const std::string &name = argument.param.name;
    if (argument.param.kind == rt::ParamKind::Tensor) {
      const std::vector<int64_t> &shape = argument.tensor.shape;
      args.tensors[name] = {argument.tensor.bytes.data(),
                            static_cast<int64_t>(argument.tensor.bytes.size()),
                            llvm::SmallVector<int64_t, 4>(shape.begin(), shape.end())};
    } else if (isFloat(argument.param.dtype)) {
      args.scalars[name] = decodeFloat(argument.param.dtype, argument.scalarBits);
    } else {
      args.scalars[name] = decodeInt(argument.param.dtype, argument.scalarBits);
    }
  }
  for (const rt::DimDecl &dim : compilation.manifest().dims)
    if (auto it = arguments.dims.find(dim.name); it != arguments.dims.end())
      args.dims[dim.name] = it->second;
  ReferenceOptions options;
  options.accumulate = accumulate;
  options.unusedMayBeMissing = true; // the manifest lists what the compiled program uses
  if (llvm::Error error = runReference(compilation.sourceProgram(), args, options))
    return asError(std::move(error));
  return rt::success();
}

rt::Result<std::vector<TensorCheck>> checkAgainstCpu(Compilation &compilation,
                                                     const rt::ArgumentSet &before,
                                                     const rt::ArgumentSet &after) {
  const rt::Manifest &manifest = compilation.manifest();
  rt::ArgumentSet reference = before, sequential = before;
  if (rt::Status status = runOnCpu(compilation, reference); !status)
    return rt::inContext("the cpu reference", status.error());
  // The second opinion costs as much again: only for floats that are computed.
  std::set<std::string> written = writtenTensors(manifest);
  bool needsSecond = false;
  for (const std::string &name : written)
    needsSecond |=
        isFloat(after.find(name)->param.dtype) &&
        std::find(manifest.exact.begin(), manifest.exact.end(), name) == manifest.exact.end();
  if (needsSecond)
    if (rt::Status status =
            runOnCpu(compilation, sequential, ReferenceOptions::Accumulate::SequentialF32);
        !status)
      return rt::inContext("the cpu reference", status.error());
  std::vector<TensorCheck> checks;
  for (const std::string &name : written) {
    rt::CheckOptions options;
    options.exact =
        std::find(manifest.exact.begin(), manifest.exact.end(), name) != manifest.exact.end();
    options.transcendental = manifest.transcendental;
    const rt::Argument *argument = after.find(name);
    rt::Result<rt::CheckReport> report =
        rt::compare(argument->tensor, reference.find(name)->tensor,
                    needsSecond ? &sequential.find(name)->tensor : nullptr, options);
    if (!report)
      return rt::inContext(name, report.error());
    checks.push_back({name, argument->param.dtype, *report});
  }
  return checks;
}

} // namespace tilec

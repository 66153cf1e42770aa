//===- Run.cpp - run a compiled program on any device and check it --------===//
//
// Runs the reference as often as the agreement rule wants (Run.h), with the sums of the target
// that is compared with.
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

/// Significant bits of a tensor core's sums (ReferenceOptions::sumBits).
constexpr unsigned tensorCoreSumBits = 24;
/// wgmma's sums of fp8 products: 13 bits behind the point of the largest (docs/decisions/0006).
constexpr unsigned wgmmaFp8SumBits = 14;

rt::Status runReferenceOn(Compilation &compilation, tile::ProgramOp program,
                          rt::ArgumentSet &arguments, ReferenceOptions options) {
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
  options.unusedMayBeMissing = true; // the manifest lists what the compiled program uses
  if (llvm::Error error = runReference(program, args, options))
    return asError(std::move(error));
  return rt::success();
}

/// Runs of the reference whose results are not rounded on their way out.
struct UnroundedRuns {
  rt::ArgumentSet exact; ///< as the reference computes
  /// As devices may compute: sums in order in f32 (tensor cores: cut off); and, where something is
  /// rounded on the way, every value near a tie rounded the other way; and, where a kernel computes
  /// with its sums, these moved by one unit. Runs of their own, since a sum that has crossed the
  /// tie would be taken back by the second liberty.
  std::vector<rt::ArgumentSet> liberal;

  explicit UnroundedRuns(const rt::ArgumentSet &before) : exact(before) {}

  std::vector<double> spreadOf(const std::string &tensor) const {
    std::vector<double> spread;
    for (const rt::ArgumentSet &set : liberal) {
      std::vector<double> one = rt::rowSpread(exact.find(tensor)->tensor, set.find(tensor)->tensor);
      spread.resize(one.size());
      for (auto [largest, row] : llvm::zip(spread, one))
        largest = std::max(largest, row);
    }
    return spread;
  }
};

/// Runs `unrounded` on a copy of `before`, whose tensors it may want in another dtype.
rt::Result<rt::ArgumentSet> runUnrounded(Compilation &compilation,
                                         const UnroundedProgram &unrounded,
                                         const rt::ArgumentSet &before,
                                         const ReferenceOptions &options) {
  rt::ArgumentSet arguments = before;
  for (rt::Argument &argument : arguments.list)
    if (auto it = unrounded.tensors.find(argument.param.name); it != unrounded.tensors.end())
      argument.tensor = rt::converted(argument.tensor, it->second);
  rt::Status status = runReferenceOn(compilation, *unrounded.program, arguments, options);
  if (!status)
    return status.error();
  return arguments;
}

rt::Status run(Compilation &compilation, UnroundedRuns &runs) {
  const rt::ArgumentSet before = runs.exact;
  UnroundedProgram exactSums = withExactSums(compilation.sourceProgram());
  UnroundedProgram unrounded = withUnroundedOutputs(compilation.sourceProgram());
  auto run = [&](const UnroundedProgram &program, const ReferenceOptions &options,
                 rt::ArgumentSet &result) -> rt::Status {
    rt::Result<rt::ArgumentSet> set = runUnrounded(compilation, program, before, options);
    if (!set)
      return set.error();
    result = std::move(*set);
    return rt::success();
  };
  ReferenceOptions inItsOrder;
  inItsOrder.checkBlocks = true; // once is enough
  if (rt::Status status = run(exactSums, inItsOrder, runs.exact); !status)
    return status;
  ReferenceOptions inOrder;
  inOrder.accumulate = ReferenceOptions::Accumulate::SequentialF32;
  inOrder.spreadSums = true;
  if (vendorOf(compilation.options().arch) == Vendor::Nvidia)
    inOrder.sumBits = tensorCoreSumBits;
  if (compilation.options().arch == Arch::Sm90a)
    inOrder.fp8SumBits = wgmmaFp8SumBits;
  if (rt::Status status = run(unrounded, inOrder, runs.liberal.emplace_back()); !status)
    return status;
  if (computesWithSums(compilation.sourceProgram())) {
    ReferenceOptions moved;
    moved.moveSums = true;
    if (rt::Status status = run(exactSums, moved, runs.liberal.emplace_back()); !status)
      return status;
  }
  if (!unrounded.roundsInside)
    return rt::success();
  ReferenceOptions acrossTies;
  acrossTies.crossTies = true;
  return run(exactSums, acrossTies, runs.liberal.emplace_back());
}

} // namespace

rt::Status runOnCpu(Compilation &compilation, rt::ArgumentSet &arguments) {
  ReferenceOptions options;
  options.checkBlocks = true;
  return runReferenceOn(compilation, compilation.sourceProgram(), arguments, options);
}

rt::Result<std::vector<Expected>> expectedResults(Compilation &compilation,
                                                  const rt::ArgumentSet &before) {
  const rt::Manifest &manifest = compilation.manifest();
  std::vector<Expected> results;
  bool needsSpread = false;
  for (const std::string &name : writtenTensors(manifest)) {
    Expected result;
    result.name = name;
    result.isExact = !isFloat(before.find(name)->param.dtype) ||
                     std::count(manifest.exact.begin(), manifest.exact.end(), name) != 0;
    needsSpread |= !result.isExact;
    results.push_back(std::move(result));
  }
  UnroundedRuns runs(before);
  rt::Status status = needsSpread ? run(compilation, runs) : runOnCpu(compilation, runs.exact);
  if (!status)
    return rt::inContext("the cpu reference", status.error());
  for (Expected &result : results) {
    DType dtype = before.find(result.name)->param.dtype;
    const rt::HostTensor &unrounded = runs.exact.find(result.name)->tensor;
    // The one rounding of the reference, where the run left it out.
    result.value = unrounded.dtype == dtype ? unrounded : rt::converted(unrounded, dtype);
    if (!result.isExact)
      result.spread = runs.spreadOf(result.name);
  }
  return results;
}

rt::Result<std::vector<TensorCheck>> checkAgainstCpu(Compilation &compilation,
                                                     const rt::ArgumentSet &before,
                                                     const rt::ArgumentSet &after) {
  rt::Result<std::vector<Expected>> expected = expectedResults(compilation, before);
  if (!expected)
    return expected.error();
  std::vector<TensorCheck> checks;
  for (const Expected &result : *expected) {
    rt::CheckOptions options;
    options.exact = result.isExact;
    options.transcendental = compilation.manifest().transcendental;
    const rt::Argument *argument = after.find(result.name);
    rt::Result<rt::CheckReport> report =
        rt::compare(argument->tensor, result.value, result.spread, options);
    if (!report)
      return rt::inContext(result.name, report.error());
    checks.push_back({result.name, argument->param.dtype, *report});
  }
  return checks;
}

} // namespace tilec

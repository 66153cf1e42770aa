//===- Bind.cpp - arguments that are on a device already ------------------===//
//
// Order matters: integer scalars and extents that are one name give dims their
// values, then extents that are an expression of one more name, then every shape
// and stride is compared with what the manifest makes of them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Bind.h"
#include "tilec/Base/Math.h"

namespace tilec::rt {
namespace {

using Node = DimExpr::Node;

Result<int64_t> valueOf(const Node &node, const DimValues &known) {
  if (node.op == DimExpr::Op::Constant)
    return node.value;
  if (node.op == DimExpr::Op::Name)
    return DimExpr::name(node.name).evaluate(known);
  Result<int64_t> lhs = valueOf(*node.lhs, known), rhs = valueOf(*node.rhs, known);
  if (!lhs || !rhs)
    return lhs ? rhs : lhs;
  return DimExpr::binary(node.op, *lhs, *rhs).evaluate(known);
}

/// The one name of an expression that `known` has not, and the value with which it is `value`.
std::optional<std::pair<std::string, int64_t>> solve(const Node &node, int64_t value,
                                                     const DimValues &known) {
  using Op = DimExpr::Op;
  if (node.op == Op::Name)
    return known.contains(node.name) ? std::nullopt : std::optional(std::pair(node.name, value));
  if (node.op != Op::Add && node.op != Op::Sub && node.op != Op::Mul)
    return std::nullopt;
  Result<int64_t> left = valueOf(*node.lhs, known), right = valueOf(*node.rhs, known);
  if (bool(left) == bool(right)) // nothing to find, or two things at once
    return std::nullopt;
  int64_t side = left ? *left : *right, rest = 0;
  bool overflows = false;
  if (node.op == Op::Mul) {
    if (side == 0 || floorMod(value, side) != 0)
      return std::nullopt;
    rest = floorDiv(value, side);
  } else if (node.op == Op::Sub && right) { // x - side
    overflows = __builtin_add_overflow(value, side, &rest);
  } else { // side + x, x + side; side - x
    bool isSum = node.op == Op::Add;
    overflows = __builtin_sub_overflow(isSum ? value : side, isSum ? side : value, &rest);
  }
  return overflows ? std::nullopt : solve(left ? *node.rhs : *node.lhs, rest, known);
}

class Binder {
public:
  Binder(const Manifest &manifest, std::span<const GivenArgument> given)
      : manifest(manifest), given(given) {}

  Result<ArgumentSet> run() {
    for (const Param &param : manifest.arguments())
      set.list.push_back({param, {}, {}, 0});
    if (given.size() != set.list.size())
      return Error{"kernel `" + manifest.kernel + "` takes " + std::to_string(set.list.size()) +
                   " arguments, " + std::to_string(given.size()) + " are given"};
    using Step = Status (Binder::*)(Argument &, const GivenArgument &);
    for (Step step : {&Binder::takeScalar, &Binder::takeNames, &Binder::checkShape,
                      &Binder::takeStrides, &Binder::checkStrides}) {
      if (step == &Binder::checkShape) {
        solveExtents();
        if (Status s = checkDims(/*isStrideToCome=*/true); !s)
          return s.error();
      } else if (step == &Binder::checkStrides) {
        if (Status s = checkDims(/*isStrideToCome=*/false); !s)
          return s.error();
      }
      for (size_t i = 0; i < given.size(); ++i)
        if (Status s = (this->*step)(set.list[i], given[i]); !s)
          return inContext("argument `" + set.list[i].param.name + "`", s.error());
    }
    return std::move(set);
  }

private:
  static bool isTensor(const Argument &argument) {
    return argument.param.kind == ParamKind::Tensor;
  }

  Status takeScalar(Argument &argument, const GivenArgument &from) {
    const Param &param = argument.param;
    if (isTensor(argument) != (from.kind == GivenArgument::Tensor))
      return Error{isTensor(argument) ? "a tensor is wanted" : "a number is wanted, not a tensor"};
    if (isTensor(argument))
      return success();
    if (isFloat(param.dtype)) {
      double value = from.kind == GivenArgument::Real ? from.real : double(from.integer);
      argument.scalarBits = encodeFloat(param.dtype, value);
      return success();
    }
    if (from.kind == GivenArgument::Real)
      return Error{"an integer is wanted (" + std::string(nameOf(param.dtype)) + ")"};
    argument.scalarBits = encodeInt(param.dtype, from.integer);
    // An unsigned 64-bit number comes as its bits.
    if (param.dtype != DType::U64 && decodeInt(param.dtype, argument.scalarBits) != from.integer)
      return Error{std::to_string(from.integer) + " does not fit in " +
                   std::string(nameOf(param.dtype))};
    set.dims[param.name] = decodeInt(param.dtype, argument.scalarBits);
    return success();
  }

  /// Dims that are the whole extent of a tensor.
  Status takeNames(Argument &argument, const GivenArgument &from) {
    const Param &param = argument.param;
    if (!isTensor(argument))
      return success();
    if (from.dtype && *from.dtype != param.dtype)
      return Error{"a tensor of " + std::string(nameOf(param.dtype)) + " is wanted, not of " +
                   std::string(nameOf(*from.dtype))};
    if (!from.shape)
      return success();
    if (from.shape->size() != param.shape.size())
      return Error{std::to_string(param.shape.size()) + " dimensions are wanted, not " +
                   std::to_string(from.shape->size())};
    for (size_t axis = 0; axis < param.shape.size(); ++axis)
      if (auto name = param.shape[axis].asName())
        set.dims.emplace(*name, (*from.shape)[axis]);
    return success();
  }

  /// Dims that only occur in extents like `4 * n`. What comes out is compared with the shapes
  /// later.
  void solveExtents() {
    for (bool isNew = true; isNew;) {
      isNew = false;
      for (size_t i = 0; i < given.size(); ++i)
        if (given[i].shape)
          isNew |= takeExtents(set.list[i].param.shape, *given[i].shape, set.dims);
    }
  }

  /// Whether a dim is the whole stride of a tensor, which is looked at behind the shapes.
  bool isStride(const std::string &name) const {
    for (const Argument &argument : set.list)
      for (const DimExpr &stride : argument.param.strides)
        if (stride.asName() == name)
          return true;
    return false;
  }

  Status checkDims(bool isStrideToCome) const {
    for (const DimDecl &dim : manifest.dims) {
      auto it = set.dims.find(dim.name);
      if (it == set.dims.end() && isStrideToCome && isStride(dim.name))
        continue;
      if (it == set.dims.end())
        return Error{"size `" + dim.name + "` of kernel `" + manifest.kernel +
                     "` follows from no tensor's shape"};
      if (decodeInt(dim.dtype, encodeInt(dim.dtype, it->second)) != it->second)
        return Error{"size `" + dim.name + "` is " + std::to_string(it->second) +
                     ", which does not fit in " + std::string(nameOf(dim.dtype))};
    }
    return success();
  }

  Status checkShape(Argument &argument, const GivenArgument &from) {
    if (!isTensor(argument))
      return success();
    std::vector<int64_t> shape;
    for (const DimExpr &expr : argument.param.shape) {
      Result<int64_t> extent = expr.evaluate(set.dims);
      if (!extent)
        return extent.error();
      if (*extent > INT32_MAX) // kernels compute indices in 32 bits
        return Error{"an extent of " + std::to_string(*extent) + ", beyond 2147483647"};
      shape.push_back(*extent);
    }
    if (from.shape && *from.shape != shape)
      return Error{"shape " + printShape(shape) + " is wanted, not " + printShape(*from.shape)};
    if (Result<int64_t> count = elemCountOf(shape); !count)
      return count.error();
    argument.tensor.dtype = argument.param.dtype;
    argument.tensor.shape = std::move(shape);
    return success();
  }

  Status takeStrides(Argument &argument, const GivenArgument &from) {
    if (!isTensor(argument))
      return success();
    const Param &param = argument.param;
    argument.strides = rowMajorStrides(argument.tensor.shape);
    if (from.strides) {
      if (from.strides->size() != argument.strides.size())
        return Error{std::to_string(argument.strides.size()) + " strides are wanted, not " +
                     std::to_string(from.strides->size())};
      for (size_t axis = 0; axis < argument.strides.size(); ++axis)
        if (argument.tensor.shape[axis] > 1) // else it says nothing
          argument.strides[axis] = (*from.strides)[axis];
    }
    for (size_t axis = 0; axis < param.strides.size(); ++axis)
      if (auto name = param.strides[axis].asName())
        set.dims.emplace(*name, argument.strides[axis]);
    return success();
  }

  Status checkStrides(Argument &argument, const GivenArgument &) {
    if (!isTensor(argument))
      return success();
    const Param &param = argument.param;
    std::vector<int64_t> wanted = rowMajorStrides(argument.tensor.shape);
    for (size_t axis = 0; axis < param.strides.size(); ++axis) {
      Result<int64_t> stride = param.strides[axis].evaluate(set.dims);
      if (!stride)
        return stride.error();
      wanted[axis] = *stride;
    }
    for (size_t axis = 0; axis < wanted.size(); ++axis)
      if (argument.tensor.shape[axis] > 1 && wanted[axis] != argument.strides[axis])
        return Error{"a stride of " + std::to_string(wanted[axis]) +
                     " elements is wanted in dimension " + std::to_string(axis) + ", not " +
                     std::to_string(argument.strides[axis])};
    argument.strides = std::move(wanted);
    if (Result<int64_t> span = spanElems(argument.tensor.shape, argument.strides); !span)
      return span.error();
    return success();
  }

  const Manifest &manifest;
  std::span<const GivenArgument> given;
  ArgumentSet set;
};

} // namespace

bool takeExtents(std::span<const DimExpr> declared, std::span<const int64_t> actual,
                 DimValues &dims) {
  bool isNew = false;
  if (declared.size() != actual.size())
    return false;
  for (bool isName : {true, false})
    for (size_t axis = 0; axis < declared.size(); ++axis)
      if (isName == declared[axis].asName().has_value())
        if (auto found = solve(declared[axis].node(), actual[axis], dims))
          isNew |= dims.insert(*found).second;
  return isNew;
}

Result<ArgumentSet> bindArguments(const Manifest &manifest, std::span<const GivenArgument> given) {
  return Binder(manifest, given).run();
}

} // namespace tilec::rt

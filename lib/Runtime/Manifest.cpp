//===- Manifest.cpp - the launch manifest: layout, checks, printing -------===//
//
// Takes launches and parameters, says what is wrong with them, and writes them as JSON;
// ManifestReader.cpp reads.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Manifest.h"
#include "tilec/Base/Math.h"

#include "nlohmann/json.hpp"

#include <algorithm>
#include <set>

namespace tilec::rt {
namespace {

using Json = nlohmann::ordered_json; // fields print in the order they are set

Json toJson(const DimExpr &expr) {
  if (auto value = expr.constant())
    return *value;
  return expr.str();
}

template <typename Exprs> Json toJsonList(const Exprs &exprs) {
  Json list = Json::array();
  for (const DimExpr &expr : exprs)
    list.push_back(toJson(expr));
  return list;
}

Json toJson(const Param &param) {
  Json out;
  out["name"] = param.name;
  out["kind"] = nameOf(param.kind);
  switch (param.kind) {
  case ParamKind::Tensor:
    out["dtype"] = nameOf(param.dtype);
    out["shape"] = toJsonList(param.shape);
    if (!param.strides.empty())
      out["strides"] = toJsonList(param.strides);
    out["access"] = nameOf(param.access);
    break;
  case ParamKind::Scalar:
  case ParamKind::Dim:
  case ParamKind::Stride:
    out["dtype"] = nameOf(param.dtype);
    break;
  case ParamKind::Workspace:
    out["bytes"] = toJson(param.bytes);
    if (param.zeroed)
      out["zeroed"] = true;
    break;
  case ParamKind::TensorMap:
    out["of"] = param.map.of;
    out["dtype"] = nameOf(param.dtype);
    out["dims"] = toJsonList(param.map.dims);
    out["strides"] = toJsonList(param.map.strides);
    out["box"] = param.map.box;
    out["swizzle"] = param.map.swizzle;
    if (param.map.l2Promotion.constant() != 256)
      out["l2_promotion"] = toJson(param.map.l2Promotion);
    if (param.map.im2col)
      out["im2col"] = Json{{"lower", param.map.im2col->lower},
                           {"upper", param.map.im2col->upper},
                           {"steps", param.map.im2col->steps}};
    break;
  }
  out["offset"] = param.offset;
  out["size"] = param.size;
  out["align"] = param.align;
  return out;
}

Json toJson(const Launch &launch) {
  Json out;
  out["symbol"] = launch.symbol;
  out["grid"] = toJsonList(launch.grid);
  out["block"] = launch.block;
  out["cluster"] = launch.cluster;
  out["shared_bytes"] = launch.sharedBytes;
  if (launch.early)
    out["early"] = true;
  if (launch.cooperative)
    out["cooperative"] = true;
  out["params"] = Json::array();
  for (const Param &param : launch.params)
    out["params"].push_back(toJson(param));
  return out;
}

int64_t sizeOf(const Param &param) {
  switch (param.kind) {
  case ParamKind::Tensor:
  case ParamKind::Workspace:
    return pointerBytes;
  case ParamKind::TensorMap:
    return tensorMapBytes;
  default:
    return bytesOf(param.dtype);
  }
}

int64_t alignOf(const Param &param) {
  return param.kind == ParamKind::TensorMap ? tensorMapAlign : sizeOf(param);
}

/// Checks one manifest; `where` names the place in messages.
class Validator {
public:
  explicit Validator(const Manifest &manifest) : manifest(manifest) {}

  Status run() {
    int version = manifest.neededVersion();
    if (manifest.version != version)
      return Error{"manifest version " + std::to_string(manifest.version) + ", with" +
                   (version == manifestVersion         ? "out cooperative launches"
                    : version == im2colManifestVersion ? " im2col tensor maps"
                                                       : " cooperative launches") +
                   " it is " + std::to_string(version)};
    if (manifest.launches.empty())
      return Error{"manifest has no launches"};
    if (Status s = declareNames(); !s)
      return s;
    for (size_t i = 0; i < manifest.launches.size(); ++i)
      if (Status s = checkLaunch(manifest.launches[i], "launches[" + std::to_string(i) + "]"); !s)
        return s;
    for (const std::string &name : manifest.outputs)
      if (auto it = tensors.find(name); it == tensors.end() || it->second->access == Access::Read)
        return Error{"outputs: `" + name + "` is no tensor that a launch writes"};
    for (const std::string &name : manifest.exact)
      if (!tensors.count(name))
        return Error{"exact: there is no tensor `" + name + "`"};
    return manifest.flops ? checkNames(*manifest.flops, "flops") : success();
  }

private:
  Status declareNames() {
    for (const DimDecl &dim : manifest.dims) {
      if (dim.dtype != DType::I32 && dim.dtype != DType::I64)
        return Error{"dims: `" + dim.name + "` has dtype " + std::string(nameOf(dim.dtype)) +
                     ", int32 or int64 expected"};
      if (!dims.insert(dim.name).second)
        return Error{"dims: `" + dim.name + "` is declared twice"};
    }
    sizes = dims;
    for (const Launch &launch : manifest.launches)
      for (const Param &param : launch.params) {
        if (param.kind == ParamKind::Tensor)
          tensors.emplace(param.name, &param);
        if (param.kind == ParamKind::Stride ||
            (param.kind == ParamKind::Scalar && isInteger(param.dtype)))
          sizes.insert(param.name);
      }
    return success();
  }

  Status checkNames(const DimExpr &expr, const std::string &where) const {
    std::set<std::string> used;
    expr.collectNames(used);
    for (const std::string &name : used)
      if (!sizes.count(name))
        return Error{where + ": `" + name + "` in `" + expr.str() +
                     "` is neither a dim nor a stride nor an integer scalar"};
    return success();
  }

  template <typename Exprs> Status checkAll(const Exprs &exprs, const std::string &where) const {
    for (const DimExpr &expr : exprs)
      if (Status s = checkNames(expr, where); !s)
        return s;
    return success();
  }

  Status checkLaunch(const Launch &launch, const std::string &where) {
    if (launch.symbol.empty())
      return Error{where + ".symbol is empty"};
    if (Status s = checkAll(launch.grid, where + ".grid"); !s)
      return s;
    int64_t threads = 1;
    for (int axis = 0; axis < 3; ++axis) {
      // 1024 threads a block and 16 blocks a cluster are the most that any target runs.
      threads *= std::clamp<int64_t>(launch.block[axis], 1, 2048); // no overflow
      if (launch.block[axis] < 1 || threads > 1024)
        return Error{where + ".block: each extent is at least 1 and their product at most 1024"};
      if (launch.cluster[axis] < 1 || launch.cluster[axis] > 16)
        return Error{where + ".cluster: each extent is 1 to 16"};
    }
    if (launch.sharedBytes < 0)
      return Error{where + ".shared_bytes is negative"};
    if (launch.cooperative && launch.early)
      return Error{where + ".early: a cooperative launch does not begin early"};
    if (launch.cooperative && !launch.barrier())
      return Error{where +
                   ".cooperative: one zeroed workspace of 4 bytes is the barrier's counter"};
    int64_t end = 0;
    std::set<std::string> seen;
    for (const Param &param : launch.params) {
      std::string place = where + ".params `" + param.name + "`";
      if (param.name.empty() || !seen.insert(param.name).second)
        return Error{place + ": names must be there and differ"};
      if (Status s = checkPlace(param, place, end); !s)
        return s;
      if (Status s = checkParam(param, place); !s)
        return s;
    }
    return success();
  }

  static Status checkPlace(const Param &param, const std::string &place, int64_t &end) {
    if (param.size != sizeOf(param))
      return Error{place + ": size " + std::to_string(param.size) + ", its kind takes " +
                   std::to_string(sizeOf(param))};
    if (param.align != alignOf(param))
      return Error{place + ": align " + std::to_string(param.align) + ", its kind takes " +
                   std::to_string(alignOf(param))};
    if (param.offset < end || param.offset % param.align != 0)
      return Error{place + ": offset " + std::to_string(param.offset) + ", " +
                   std::to_string(alignTo(end, param.align)) + " or a later multiple of " +
                   std::to_string(param.align) + " expected"};
    // CUDA takes 32,764 bytes of parameters since 12.1, HIP 4 KiB; a sane bound for files.
    end = param.offset + param.size;
    if (end > 32764)
      return Error{place + ": ends at byte " + std::to_string(end) + ", at most 32764"};
    return success();
  }

  Status checkParam(const Param &param, const std::string &place) const {
    switch (param.kind) {
    case ParamKind::Tensor:
      if (!param.strides.empty() && param.strides.size() != param.shape.size())
        return Error{place + ": " + std::to_string(param.shape.size()) + " extents but " +
                     std::to_string(param.strides.size()) + " strides"};
      if (Status s = checkAll(param.shape, place + ".shape"); !s)
        return s;
      return checkAll(param.strides, place + ".strides");
    case ParamKind::Workspace:
      return checkNames(param.bytes, place + ".bytes");
    case ParamKind::TensorMap:
      return checkMap(param.map, place);
    case ParamKind::Dim:
      if (!dims.count(param.name))
        return Error{place + ": is not among the manifest's dims"};
      [[fallthrough]];
    case ParamKind::Stride:
      if (param.dtype != DType::I32 && param.dtype != DType::I64)
        return Error{place + ": dtype is int32 or int64"};
      return success();
    case ParamKind::Scalar:
      if (bitsOf(param.dtype) < 8)
        return Error{place + ": a scalar has at least 8 bits"};
      return success();
    }
    return success();
  }

  Status checkMap(const TensorMapSpec &map, const std::string &place) const {
    if (!tensors.count(map.of))
      return Error{place + ".of: there is no tensor `" + map.of + "`"};
    size_t rank = map.dims.size();
    if (rank < 1 || rank > 5) // cuTensorMapEncodeTiled
      return Error{place + ".dims: " + std::to_string(rank) + " extents, 1 to 5 expected"};
    size_t boxRank = map.im2col ? 2 : rank;
    if (map.strides.size() != rank - 1 || map.box.size() != boxRank)
      return Error{place + ": " + std::to_string(rank) + " dims want " + std::to_string(rank - 1) +
                   " strides and " + std::to_string(boxRank) + " box extents"};
    if (map.im2col)
      if (Status s = checkIm2col(*map.im2col, rank, place + ".im2col"); !s)
        return s;
    for (int64_t extent : map.box)
      if (extent < 1 || extent > 256) // cuTensorMapEncodeTiled
        return Error{place + ".box: extent " + std::to_string(extent) + ", 1 to 256 expected"};
    if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
      return Error{place + ".swizzle: " + std::to_string(map.swizzle) +
                   ", 0, 32, 64 or 128 expected"};
    if (Status s = checkAll(std::vector{map.l2Promotion}, place + ".l2_promotion"); !s)
      return s;
    if (Status s = checkAll(map.dims, place + ".dims"); !s)
      return s;
    return checkAll(map.strides, place + ".strides");
  }

  /// Limits of cuTensorMapEncodeIm2col for images of two dimensions.
  static Status checkIm2col(const Im2colSpec &im2col, size_t rank, const std::string &place) {
    if (rank != 4)
      return Error{place + ": the tensor has " + std::to_string(rank) + " dims, 4 expected"};
    auto check = [&](const std::vector<int64_t> &list, const char *name, int64_t low,
                     int64_t high) -> Status {
      if (list.size() != 2)
        return Error{place + "." + name + " has " + std::to_string(list.size()) +
                     " numbers, 2 expected"};
      for (int64_t value : list)
        if (value < low || value > high)
          return Error{place + "." + name + ": " + std::to_string(value) + ", " +
                       std::to_string(low) + " to " + std::to_string(high) + " expected"};
      return success();
    };
    if (Status s = check(im2col.lower, "lower", -128, 127); !s)
      return s;
    if (Status s = check(im2col.upper, "upper", -128, 127); !s)
      return s;
    return check(im2col.steps, "steps", 1, 8);
  }

  const Manifest &manifest;
  std::set<std::string> dims, sizes;
  std::map<std::string, const Param *> tensors;
};

} // namespace

std::string_view nameOf(ParamKind kind) {
  constexpr std::string_view names[] = {"tensor", "scalar",    "dim",
                                        "stride", "workspace", "tensormap"};
  return names[static_cast<int>(kind)];
}

std::string_view nameOf(Access access) {
  constexpr std::string_view names[] = {"r", "w", "rw"};
  return names[static_cast<int>(access)];
}

const Param *Launch::barrier() const {
  if (!cooperative)
    return nullptr;
  auto isZeroed = [](const Param &param) {
    return param.kind == ParamKind::Workspace && param.zeroed;
  };
  auto found = std::find_if(params.begin(), params.end(), isZeroed);
  bool isOnly = found != params.end() && std::none_of(found + 1, params.end(), isZeroed);
  return isOnly && found->bytes.constant() == 4 ? &*found : nullptr;
}

int Manifest::neededVersion() const {
  int version = manifestVersion;
  for (const Launch &launch : launches) {
    if (launch.cooperative)
      version = std::max(version, cooperativeManifestVersion);
    for (const Param &param : launch.params)
      if (param.map.im2col)
        version = std::max(version, im2colManifestVersion);
  }
  return version;
}

int64_t Launch::paramBytes() const {
  int64_t end = 0;
  for (const Param &param : params)
    end = std::max(end, param.offset + param.size);
  return (end + 3) / 4 * 4; // code objects take whole words
}

std::vector<Param> Manifest::arguments() const {
  std::vector<Param> list;
  for (const Launch &launch : launches)
    for (const Param &param : launch.params) {
      if (param.kind != ParamKind::Tensor && param.kind != ParamKind::Scalar)
        continue;
      auto it = std::find_if(list.begin(), list.end(),
                             [&](const Param &known) { return known.name == param.name; });
      if (it == list.end())
        list.push_back(param);
      else if (it->access != param.access) // a later launch may write what an earlier one reads
        it->access = Access::ReadWrite;
    }
  return list;
}

void assignOffsets(std::vector<Param> &params) {
  int64_t end = 0;
  for (Param &param : params) {
    param.size = sizeOf(param);
    param.align = alignOf(param);
    param.offset = alignTo(end, param.align);
    end = param.offset + param.size;
  }
}

Status validate(const Manifest &manifest) { return Validator(manifest).run(); }

std::string printManifest(const Manifest &manifest) {
  Json out;
  out["version"] = manifest.version;
  out["kernel"] = manifest.kernel;
  out["target"] = manifest.target;
  out["dims"] = Json::array();
  for (const DimDecl &dim : manifest.dims)
    out["dims"].push_back(Json{{"name", dim.name}, {"dtype", nameOf(dim.dtype)}});
  out["outputs"] = manifest.outputs;
  out["exact"] = manifest.exact;
  out["transcendental"] = manifest.transcendental;
  if (manifest.flops)
    out["flops"] = toJson(*manifest.flops);
  out["launches"] = Json::array();
  for (const Launch &launch : manifest.launches)
    out["launches"].push_back(toJson(launch));
  // Bytes that are no UTF-8 are replaced rather than thrown about: names come from scripts.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilec::rt

//===- ManifestReader.cpp - the launch manifest from JSON -----------------===//
//
// nlohmann-json throws; every exception ends in parseManifest. Fields are read
// through `Object`, which names the field's path in messages.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Manifest.h"

#include "nlohmann/json.hpp"

namespace tilec::rt {
namespace {

using Json = nlohmann::json;

/// Thrown by the readers below and caught in parseManifest, never seen outside this file.
struct BadField {
  std::string message;
};

class Object {
public:
  Object(const Json &json, std::string path) : json(json), path(std::move(path)) {
    if (!json.is_object())
      throw BadField{this->path + " is no object"};
  }

  bool has(const char *key) const { return json.contains(key); }
  std::string placeOf(const char *key) const {
    return path.empty() ? key : path + "." + std::string(key);
  }
  const Json &at(const char *key) const {
    auto it = json.find(key);
    if (it == json.end())
      throw BadField{placeOf(key) + " is missing"};
    return *it;
  }
  std::string text(const char *key) const {
    const Json &value = at(key);
    if (!value.is_string())
      throw BadField{placeOf(key) + " is no string"};
    return value.get<std::string>();
  }
  int64_t integer(const char *key) const { return asInteger(at(key), placeOf(key)); }
  bool flag(const char *key) const {
    const Json &value = at(key);
    if (!value.is_boolean())
      throw BadField{placeOf(key) + " is neither true nor false"};
    return value.get<bool>();
  }
  DType dtype() const {
    std::string name = text("dtype");
    if (auto type = parseDType(name))
      return *type;
    throw BadField{placeOf("dtype") + ": unknown dtype `" + name + "`"};
  }
  DimExpr expr(const char *key) const { return asExpr(at(key), placeOf(key)); }

  const Json &list(const char *key) const {
    const Json &value = at(key);
    if (!value.is_array())
      throw BadField{placeOf(key) + " is no list"};
    return value;
  }
  std::vector<DimExpr> exprs(const char *key) const {
    std::vector<DimExpr> out;
    for (const Json &item : list(key))
      out.push_back(asExpr(item, placeOf(key)));
    return out;
  }
  std::vector<int64_t> integers(const char *key) const {
    std::vector<int64_t> out;
    for (const Json &item : list(key))
      out.push_back(asInteger(item, placeOf(key)));
    return out;
  }
  std::vector<std::string> texts(const char *key) const {
    std::vector<std::string> out;
    for (const Json &item : list(key)) {
      if (!item.is_string())
        throw BadField{placeOf(key) + " holds something that is no string"};
      out.push_back(item.get<std::string>());
    }
    return out;
  }

private:
  static int64_t asInteger(const Json &value, const std::string &place) {
    bool fits = value.is_number_integer() &&
                !(value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX));
    if (!fits)
      throw BadField{place + " is no 64-bit integer"};
    return value.get<int64_t>();
  }
  static DimExpr asExpr(const Json &value, const std::string &place) {
    if (!value.is_string())
      return DimExpr(asInteger(value, place));
    Result<DimExpr> expr = DimExpr::parse(value.get_ref<const std::string &>());
    if (!expr)
      throw BadField{place + ": " + expr.error().message};
    return *expr;
  }

  const Json &json;
  std::string path;
};

template <typename T> std::array<T, 3> three(std::vector<T> list, const std::string &place) {
  if (list.size() != 3)
    throw BadField{place + " has " + std::to_string(list.size()) + " extents, 3 expected"};
  return {list[0], list[1], list[2]};
}

template <typename Enum> Enum readEnum(const Object &in, const char *key, int count) {
  std::string name = in.text(key);
  for (int i = 0; i < count; ++i)
    if (name == nameOf(static_cast<Enum>(i)))
      return static_cast<Enum>(i);
  throw BadField{in.placeOf(key) + ": unknown " + key + " `" + name + "`"};
}

Param readParam(const Object &in) {
  Param param;
  param.name = in.text("name");
  param.kind = readEnum<ParamKind>(in, "kind", 6);
  if (param.kind != ParamKind::Workspace)
    param.dtype = in.dtype();
  if (param.kind == ParamKind::Tensor) {
    param.shape = in.exprs("shape");
    if (in.has("strides"))
      param.strides = in.exprs("strides");
    param.access = readEnum<Access>(in, "access", 3);
  } else if (param.kind == ParamKind::Workspace) {
    param.bytes = in.expr("bytes");
    param.zeroed = in.has("zeroed") && in.flag("zeroed");
  } else if (param.kind == ParamKind::TensorMap) {
    param.map.of = in.text("of");
    param.map.dims = in.exprs("dims");
    param.map.strides = in.exprs("strides");
    param.map.box = in.integers("box");
    param.map.swizzle = in.integer("swizzle");
    if (in.has("l2_promotion"))
      param.map.l2Promotion = in.expr("l2_promotion");
    if (in.has("im2col")) {
      Object im2col(in.at("im2col"), in.placeOf("im2col"));
      param.map.im2col = {im2col.integers("lower"), im2col.integers("upper"),
                          im2col.integers("steps")};
    }
  }
  param.offset = in.integer("offset");
  param.size = in.integer("size");
  param.align = in.integer("align");
  return param;
}

Launch readLaunch(const Object &in) {
  Launch launch;
  launch.symbol = in.text("symbol");
  launch.grid = three(in.exprs("grid"), in.placeOf("grid"));
  launch.block = three(in.integers("block"), in.placeOf("block"));
  if (in.has("cluster"))
    launch.cluster = three(in.integers("cluster"), in.placeOf("cluster"));
  launch.sharedBytes = in.integer("shared_bytes");
  launch.early = in.has("early") && in.flag("early");
  launch.cooperative = in.has("cooperative") && in.flag("cooperative");
  int index = 0;
  for (const Json &item : in.list("params"))
    launch.params.push_back(
        readParam(Object(item, in.placeOf("params") + "[" + std::to_string(index++) + "]")));
  return launch;
}

Manifest readManifest(const Json &json) {
  if (!json.is_object())
    throw BadField{"the file holds no JSON object"};
  Object in(json, "");
  Manifest manifest;
  int64_t version = in.integer("version");
  // Before any other field: a new version may mean them otherwise.
  if (version < manifestVersion || version > im2colManifestVersion)
    throw BadField{"version " + std::to_string(version) + ", this reader knows " +
                   std::to_string(manifestVersion) + " to " +
                   std::to_string(im2colManifestVersion) + "; use the tools of the newer release"};
  manifest.version = int(version);
  manifest.kernel = in.text("kernel");
  manifest.target = in.text("target");
  int index = 0;
  for (const Json &item : in.list("dims")) {
    Object dim(item, "dims[" + std::to_string(index++) + "]");
    manifest.dims.push_back({dim.text("name"), dim.dtype()});
  }
  manifest.outputs = in.texts("outputs");
  if (in.has("exact"))
    manifest.exact = in.texts("exact");
  if (in.has("transcendental"))
    manifest.transcendental = in.flag("transcendental");
  if (in.has("flops"))
    manifest.flops = in.expr("flops");
  index = 0;
  for (const Json &item : in.list("launches"))
    manifest.launches.push_back(
        readLaunch(Object(item, "launches[" + std::to_string(index++) + "]")));
  return manifest;
}

/// nlohmann's parser is not recursive but its destructor of deep values is; a manifest is 6 deep.
bool tooDeep(int depth, Json::parse_event_t event, Json &) {
  bool opens =
      event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
  if (opens && depth > 32)
    throw BadField{"JSON nested more than 32 deep"};
  return true;
}

} // namespace

Result<Manifest> parseManifest(std::string_view json) {
  Manifest manifest;
  try {
    manifest = readManifest(Json::parse(json.begin(), json.end(), tooDeep));
  } catch (const BadField &bad) {
    return Error{"launch manifest: " + bad.message};
  } catch (const std::exception &e) { // nlohmann: syntax errors with their byte, bad UTF-8
    return Error{std::string("launch manifest: ") + e.what()};
  }
  if (Status s = validate(manifest); !s)
    return inContext("launch manifest", s.error());
  return manifest;
}

} // namespace tilec::rt

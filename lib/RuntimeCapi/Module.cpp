//===- Module.cpp - loaded images of the C interface ----------------------===//
//
// Takes an image and its manifest, gives modules that keep plans of launches for the shapes that
// they have met.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Objects.h"

using namespace tilec;
using namespace tilec::capi;

tilec_module::~tilec_module() {
  {
    std::lock_guard<std::mutex> lock(device->mutex);
    for (tilec_plan *plan : recent)
      plan->release();
    if (isLoaded)
      device->backend->unloadModule(handle);
  }
  device->release();
}

tilec_status tilec_module::load(tilec_str image) {
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(image.data), image.size);
  std::lock_guard<std::mutex> lock(device->mutex);
  rt::Result<uint64_t> loaded = device->backend->loadModule(bytes);
  if (!loaded) {
    std::string text = loaded.error().message;
    if (!tilec_device_runs(device, toC(manifest.target)))
      text += "; the binary was compiled for " + manifest.target + ", the device is " +
              device->backend->info().arch;
    return failed(TILEC_ERROR_IO, text);
  }
  handle = *loaded;
  isLoaded = true;
  for (const rt::Launch &launch : manifest.launches) {
    rt::Result<uint64_t> kernel = device->backend->findKernel(handle, launch.symbol);
    if (!kernel)
      return ioError(rt::inContext("kernel `" + launch.symbol + "`", kernel.error()));
    kernels.push_back(*kernel);
  }
  return TILEC_OK;
}

namespace {

/// Equal in all that a plan depends on.
bool isSame(const rt::GivenArgument &a, const rt::GivenArgument &b) {
  return a.kind == b.kind && a.shape == b.shape && a.strides == b.strides && a.dtype == b.dtype &&
         a.integer == b.integer;
}

/// As many shapes as a server's batches have; a plan holds scratch memory.
constexpr size_t maxRecent = 16;

/// What the arguments say but for addresses and reals; an error for what cannot be read.
rt::Result<std::vector<rt::GivenArgument>> read(const tilec_arg *args, size_t count) {
  std::vector<rt::GivenArgument> list(count);
  for (size_t i = 0; i < count; ++i) {
    const tilec_arg &arg = args[i];
    std::string place = "argument " + std::to_string(i);
    switch (arg.kind) {
    case TILEC_ARG_TENSOR:
      list[i].kind = rt::GivenArgument::Tensor;
      break;
    case TILEC_ARG_INT:
      list[i].kind = rt::GivenArgument::Integer;
      list[i].integer = arg.integer;
      continue;
    case TILEC_ARG_FLOAT:
      list[i].kind = rt::GivenArgument::Real;
      continue;
    default:
      return rt::Error{place + ": unknown kind " + std::to_string(arg.kind)};
    }
    if (arg.rank > 64)
      return rt::Error{place + ": " + std::to_string(arg.rank) + " dimensions"};
    if (arg.shape)
      list[i].shape.emplace(arg.shape, arg.shape + arg.rank);
    else if (arg.rank || arg.strides)
      return rt::Error{place + ": strides or a rank without a shape"};
    if (arg.strides)
      list[i].strides.emplace(arg.strides, arg.strides + arg.rank);
    if (arg.dtype) {
      list[i].dtype = parseDType(arg.dtype);
      if (!list[i].dtype)
        return rt::Error{place + ": unknown dtype `" + std::string(arg.dtype) + "`"};
    }
  }
  return list;
}

} // namespace

rt::Result<tilec_plan *> tilec_module::planFor(const std::vector<rt::GivenArgument> &given) {
  for (size_t i = 0; i < recent.size(); ++i)
    if (std::equal(given.begin(), given.end(), recent[i]->given.begin(), recent[i]->given.end(),
                   isSame)) {
      std::rotate(recent.begin(), recent.begin() + i, recent.begin() + i + 1);
      return recent.front();
    }
  rt::Result<tilec_plan *> plan = tilec_plan::make(this, /*isOwner=*/false, given);
  if (!plan)
    return plan.error();
  recent.insert(recent.begin(), *plan);
  if (recent.size() > maxRecent) {
    recent.back()->release();
    recent.pop_back();
  }
  return *plan;
}

extern "C" {

tilec_status tilec_module_load(tilec_device *device, tilec_str image, tilec_str manifest,
                               tilec_module **module) {
  if (!module)
    return failed(TILEC_ERROR_ARGUMENT, "module is NULL");
  *module = nullptr;
  if (!device || !image.data || !manifest.data)
    return failed(TILEC_ERROR_ARGUMENT, "device, image or manifest is NULL");
  rt::Result<rt::Manifest> parsed =
      rt::parseManifest(std::string_view(manifest.data, manifest.size));
  if (!parsed)
    return badArgument(rt::inContext("manifest", parsed.error()));
  auto *made = new tilec_module(device);
  made->manifest = std::move(*parsed);
  made->params = made->manifest.arguments();
  if (tilec_status status = made->load(image); status != TILEC_OK) {
    made->release();
    return status;
  }
  *module = made;
  return TILEC_OK;
}

void tilec_module_retain(tilec_module *module) {
  if (module)
    module->retain();
}
void tilec_module_release(tilec_module *module) {
  if (module)
    module->release();
}

size_t tilec_module_param_count(const tilec_module *module) {
  return module ? module->params.size() : 0;
}

tilec_status tilec_module_param(const tilec_module *module, size_t index, tilec_param *out) {
  if (!module || index >= module->params.size())
    return failed(TILEC_ERROR_ARGUMENT, "no parameter " + std::to_string(index));
  const rt::Param &param = module->params[index];
  tilec_param value{};
  value.name = toC(param.name);
  value.dtype = toC(nameOf(param.dtype));
  bool isTensor = param.kind == rt::ParamKind::Tensor;
  value.kind = isTensor ? TILEC_PARAM_TENSOR : TILEC_PARAM_SCALAR;
  value.rank = static_cast<uint32_t>(param.shape.size());
  value.is_read = !isTensor || param.access != rt::Access::Write;
  value.is_written = isTensor && param.access != rt::Access::Read;
  const std::vector<std::string> &outputs = module->manifest.outputs;
  auto found = std::find(outputs.begin(), outputs.end(), param.name);
  value.output = found == outputs.end() ? -1 : static_cast<int>(found - outputs.begin());
  return writeStruct(out, value)
             ? TILEC_OK
             : failed(TILEC_ERROR_ARGUMENT, "the structure for the parameter has no size");
}

tilec_status tilec_launch(tilec_module *module, uint64_t stream, const tilec_arg *args,
                          size_t count) {
  if (!module || (!args && count))
    return failed(TILEC_ERROR_ARGUMENT, "module or arguments are NULL");
  rt::Result<std::vector<rt::GivenArgument>> given = read(args, count);
  if (!given)
    return badArgument(given.error());
  std::lock_guard<std::mutex> lock(module->device->mutex);
  rt::Result<tilec_plan *> plan = module->planFor(*given);
  if (!plan)
    return badArgument(plan.error());
  return (*plan)->launch(stream, args, count);
}

tilec_status tilec_plan_create(tilec_module *module, const tilec_arg *args, size_t count,
                               tilec_plan **plan) {
  if (!plan)
    return failed(TILEC_ERROR_ARGUMENT, "plan is NULL");
  *plan = nullptr;
  if (!module || (!args && count))
    return failed(TILEC_ERROR_ARGUMENT, "module or arguments are NULL");
  rt::Result<std::vector<rt::GivenArgument>> given = read(args, count);
  if (!given)
    return badArgument(given.error());
  rt::Result<tilec_plan *> made = tilec_plan::make(module, /*isOwner=*/true, std::move(*given));
  if (!made)
    return badArgument(made.error());
  *plan = *made;
  return TILEC_OK;
}

tilec_status tilec_plan_launch(tilec_plan *plan, uint64_t stream, const tilec_arg *args,
                               size_t count) {
  if (!plan || (!args && count))
    return failed(TILEC_ERROR_ARGUMENT, "plan or arguments are NULL");
  if (count != plan->given.size())
    return failed(TILEC_ERROR_ARGUMENT, "the plan takes " + std::to_string(plan->given.size()) +
                                            " arguments, " + std::to_string(count) + " are given");
  std::lock_guard<std::mutex> lock(plan->module->device->mutex);
  return plan->launch(stream, args, count);
}

void tilec_plan_retain(tilec_plan *plan) {
  if (plan)
    plan->retain();
}
void tilec_plan_release(tilec_plan *plan) {
  if (plan)
    plan->release();
}

} // extern "C"

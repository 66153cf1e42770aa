//===- DeviceQueries.cpp - what scripts ask about the GPU -----------------===//
//
// Scripts ask torch or tilelang which GPU there is and choose tile sizes by the answer.
// Here the target is known, so these questions have answers, by the text of the question.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "tilec/Target/Target.h"

namespace tilec::script {

/// The answer to `torch.cuda.get_device_capability(...)` and its like; nothing when the text is no
/// question about the target.
std::optional<Value> Evaluator::targetFact(llvm::StringRef name) {
  llvm::StringRef root = name.split('.').first;
  if (root != "torch" && root != "tilelang" && root != "tvm")
    return std::nullopt;
  const TargetInfo &target = targetInfo(arch);
  const Part &facts = target.part;
  bool isAmd = vendorOf(arch) == Vendor::Amd;
  auto number = [](int64_t n) { return Value::small(n); };
  auto text = [&](llvm::StringRef s) { return heap.str(s.str()); };
  auto capability = [&] { return heap.tuple({number(facts.major), number(facts.minor)}); };
  auto is = [&](llvm::StringRef question) {
    return name == question || name.ends_with(("." + question).str());
  };
  if (name == "torch.version.hip")
    return isAmd ? text("7.0") : Value::none();
  if (name == "torch.version.cuda")
    return isAmd ? Value::none() : text("13.0");
  if (name == "torch.xpu.is_available(...)" || name == "torch.backends.mps.is_available(...)" ||
      name == "torch.mps.is_available(...)")
    return Value::boolean(false);
  if (name == "torch.cuda.is_available(...)")
    return Value::boolean(true);
  if (name == "torch.cuda.device_count(...)")
    return number(1);
  if (name == "torch.cuda.current_device(...)")
    return number(0);
  if (name == "torch.cuda.get_device_capability(...)" || is("parse_compute_version(...)"))
    return capability();
  if (is("get_target_compute_version(...)"))
    return text(std::to_string(facts.major) + "." + std::to_string(facts.minor));
  if (is("get_device_name(...)"))
    return text(facts.name);
  if (is("get_num_sms(...)"))
    return number(target.units);
  if (is("get_shared_memory_per_block(...)") || is("get_max_dynamic_shared_size_bytes(...)"))
    return number(target.sharedBytes);
  if (is("get_registers_per_block(...)"))
    return number(65536);
  if (is("get_persisting_l2_cache_max_size(...)"))
    return number(facts.cacheBytes);
  if (is("check_cuda_availability(...)") || is("target_is_cuda(...)") || is("is_cuda_target(...)"))
    return Value::boolean(!isAmd);
  if (is("check_hip_availability(...)") || is("target_is_hip(...)") || is("target_is_rocm(...)") ||
      is("is_hip_target(...)"))
    return Value::boolean(isAmd);
  if (is("target_is_gfx950(...)"))
    return Value::boolean(arch == Arch::Gfx950);
  if (is("target_is_cdna(...)") || is("target_is_rdna(...)"))
    return Value::boolean(isAmd && is("target_is_cdna(...)"));
  if (is("target_get_warp_size(...)"))
    return number(target.waveLanes);
  // Attributes of the device's properties.
  size_t call = name.rfind("(...).");
  llvm::StringRef before = name.take_front(call == llvm::StringRef::npos ? 0 : call);
  if (!before.ends_with("get_device_properties") && !before.ends_with("get_cuda_device_properties"))
    return std::nullopt;
  llvm::StringRef property = name.drop_front(call + 6);
  if (property == "multi_processor_count")
    return number(target.units);
  if (property == "warp_size")
    return number(target.waveLanes);
  if (property == "major" || property == "minor")
    return number(property == "major" ? facts.major : facts.minor);
  if (property == "name")
    return text(facts.name);
  if (property == "gcnArchName" && isAmd)
    return text(nameOf(arch));
  if (property == "total_memory")
    return number(facts.memoryBytes);
  if (property == "L2_cache_size")
    return number(facts.cacheBytes);
  if (property == "shared_memory_per_block")
    return number(isAmd ? target.sharedBytes : 48 * 1024);
  if (property == "shared_memory_per_block_optin" || property == "shared_memory_per_multiprocessor")
    return number(target.sharedBytes + (isAmd || property.ends_with("optin") ? 0 : 1024));
  if (property == "regs_per_multiprocessor")
    return number(target.registers.ofUnit);
  if (property == "max_threads_per_multi_processor")
    return number(facts.threadsOfUnit);
  if (property == "max_threads_per_block")
    return number(target.maxThreads);
  return std::nullopt;
}

} // namespace tilec::script

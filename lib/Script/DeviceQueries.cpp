//===- DeviceQueries.cpp - what scripts ask about the GPU -----------------===//
//
// Scripts ask torch or tilelang which GPU there is and choose tile sizes by the answer.
// Here the target is known, so these questions have answers: rows by the text of the question.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "tilec/Target/Target.h"

namespace tilec::script {
namespace {

/// Whom scripts ask.
struct Gpu {
  const TargetInfo &target;
  Arch arch;
  Heap &heap;

  const Part &part() const { return target.part; }
  bool isAmd() const { return vendorOf(arch) == Vendor::Amd; }
  Value text(llvm::StringRef s) const { return heap.str(s.str()); }
};

Value number(int64_t n) { return Value::small(n); }

struct Row {
  llvm::StringLiteral question; ///< the text, or what it ends with behind a dot
  Value (*answer)(const Gpu &);
};
constexpr Row questions[] = {
    {"torch.version.hip", [](const Gpu &g) { return g.isAmd() ? g.text("7.0") : Value::none(); }},
    {"torch.version.cuda", [](const Gpu &g) { return g.isAmd() ? Value::none() : g.text("13.0"); }},
    {"torch.xpu.is_available(...)", [](const Gpu &) { return Value::boolean(false); }},
    {"torch.backends.mps.is_available(...)", [](const Gpu &) { return Value::boolean(false); }},
    {"torch.mps.is_available(...)", [](const Gpu &) { return Value::boolean(false); }},
    {"torch.cuda.is_available(...)", [](const Gpu &) { return Value::boolean(true); }},
    {"torch.cuda.device_count(...)", [](const Gpu &) { return number(1); }},
    {"torch.cuda.current_device(...)", [](const Gpu &) { return number(0); }},
    {"torch.cuda.mem_get_info(...)", // free and all
     [](const Gpu &g) {
       return g.heap.tuple({number(g.part().memoryBytes), number(g.part().memoryBytes)});
     }},
    {"torch.cuda.get_device_capability(...)",
     [](const Gpu &g) { return g.heap.tuple({number(g.part().major), number(g.part().minor)}); }},
    {"parse_compute_version(...)",
     [](const Gpu &g) { return g.heap.tuple({number(g.part().major), number(g.part().minor)}); }},
    {"get_target_compute_version(...)",
     [](const Gpu &g) {
       return g.text(std::to_string(g.part().major) + "." + std::to_string(g.part().minor));
     }},
    {"get_device_name(...)", [](const Gpu &g) { return g.text(g.part().name); }},
    {"get_num_sms(...)", [](const Gpu &g) { return number(g.target.units); }},
    {"get_shared_memory_per_block(...)", [](const Gpu &g) { return number(g.target.sharedBytes); }},
    {"get_max_dynamic_shared_size_bytes(...)",
     [](const Gpu &g) { return number(g.target.sharedBytes); }},
    // These two are asked by TilesFront.py alone.
    {"get_warp_size(...)", [](const Gpu &g) { return number(g.target.waveLanes); }},
    {"has_warp_groups(...)", [](const Gpu &g) { return Value::boolean(!g.target.groups.empty()); }},
    {"get_registers_per_block(...)", [](const Gpu &) { return number(65536); }},
    {"get_persisting_l2_cache_max_size(...)",
     [](const Gpu &g) { return number(g.part().cacheBytes); }},
    {"check_cuda_availability(...)", [](const Gpu &g) { return Value::boolean(!g.isAmd()); }},
    {"target_is_cuda(...)", [](const Gpu &g) { return Value::boolean(!g.isAmd()); }},
    {"is_cuda_target(...)", [](const Gpu &g) { return Value::boolean(!g.isAmd()); }},
    {"check_hip_availability(...)", [](const Gpu &g) { return Value::boolean(g.isAmd()); }},
    {"target_is_hip(...)", [](const Gpu &g) { return Value::boolean(g.isAmd()); }},
    {"target_is_rocm(...)", [](const Gpu &g) { return Value::boolean(g.isAmd()); }},
    {"is_hip_target(...)", [](const Gpu &g) { return Value::boolean(g.isAmd()); }},
    {"target_is_gfx950(...)", [](const Gpu &g) { return Value::boolean(g.arch == Arch::Gfx950); }},
    {"target_is_cdna(...)", [](const Gpu &g) { return Value::boolean(g.isAmd()); }},
    {"target_is_rdna(...)", [](const Gpu &) { return Value::boolean(false); }},
    {"target_get_warp_size(...)", [](const Gpu &g) { return number(g.target.waveLanes); }},
};

// Of `torch.cuda.get_device_properties(...)`. A question without a row has no answer here.
constexpr Row properties[] = {
    {"multi_processor_count", [](const Gpu &g) { return number(g.target.units); }},
    {"warp_size", [](const Gpu &g) { return number(g.target.waveLanes); }},
    {"major", [](const Gpu &g) { return number(g.part().major); }},
    {"minor", [](const Gpu &g) { return number(g.part().minor); }},
    {"name", [](const Gpu &g) { return g.text(g.part().name); }},
    {"gcnArchName", [](const Gpu &g) { return g.isAmd() ? g.text(nameOf(g.arch)) : Value(); }},
    {"total_memory", [](const Gpu &g) { return number(g.part().memoryBytes); }},
    {"L2_cache_size", [](const Gpu &g) { return number(g.part().cacheBytes); }},
    {"shared_memory_per_block",
     [](const Gpu &g) { return number(g.isAmd() ? g.target.sharedBytes : 48 * 1024); }},
    {"shared_memory_per_block_optin", [](const Gpu &g) { return number(g.target.sharedBytes); }},
    // NVIDIA's driver keeps a KiB of each block's.
    {"shared_memory_per_multiprocessor",
     [](const Gpu &g) { return number(g.target.sharedBytes + (g.isAmd() ? 0 : 1024)); }},
    {"regs_per_multiprocessor", [](const Gpu &g) { return number(g.target.registers.ofUnit); }},
    {"max_threads_per_multi_processor",
     [](const Gpu &g) { return number(g.part().threadsOfUnit); }},
    {"max_threads_per_block", [](const Gpu &g) { return number(g.target.maxThreads); }},
};

} // namespace

/// The answer to `torch.cuda.get_device_capability(...)` and its like; nothing when the text is no
/// question about the target.
std::optional<Value> Evaluator::targetFact(llvm::StringRef name) {
  constexpr llvm::StringLiteral askable[] = {"torch", "tilelang", "tvm"};
  if (!llvm::is_contained(askable, name.split('.').first))
    return std::nullopt;
  Gpu gpu{targetInfo(arch), arch, heap};
  for (const Row &row : questions) {
    llvm::StringRef before = name;
    if (before.consume_back(row.question) && (before.empty() || before.ends_with(".")))
      return row.answer(gpu);
  }
  size_t call = name.rfind("(...).");
  llvm::StringRef before = name.take_front(call == llvm::StringRef::npos ? 0 : call);
  if (!before.ends_with("get_device_properties") && !before.ends_with("get_cuda_device_properties"))
    return std::nullopt;
  llvm::StringRef property = name.drop_front(call + 6);
  for (const Row &row : properties)
    if (row.question == property)
      if (Value answer = row.answer(gpu); answer.ok())
        return answer;
  return std::nullopt;
}

} // namespace tilec::script

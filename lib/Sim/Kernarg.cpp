//===- Kernarg.cpp - laying out argument segments -------------------------===//
//
// Hidden arguments: AMDGPUUsage, "Code Object V5 Metadata", `.value_kind`.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Bits.h"
#include "tilec/Sim/Simulator.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tilec::sim {
namespace {

struct LaunchShape {
  Dim3 grid, block;
  uint32_t dynamicLdsBytes;
};

/// The value of a hidden argument; nullopt when a simulator has none to give.
std::optional<uint64_t> hiddenValue(llvm::StringRef kind, const LaunchShape &shape) {
  kind.consume_front("hidden_");
  if (!kind.empty() && (kind.ends_with("_x") || kind.ends_with("_y") || kind.ends_with("_z"))) {
    unsigned dim = static_cast<unsigned>(kind.back() - 'x');
    llvm::StringRef base = kind.drop_back(2);
    if (base == "block_count")
      return shape.grid[dim];
    if (base == "group_size")
      return shape.block[dim];
    if (base == "remainder" || base == "global_offset")
      return 0;
  }
  if (kind == "grid_dims")
    return shape.grid[2] * shape.block[2] > 1 ? 3 : shape.grid[1] * shape.block[1] > 1 ? 2 : 1;
  if (kind == "dynamic_lds_size")
    return shape.dynamicLdsBytes;
  if (kind == "shared_base")
    return sharedAperture >> 32;
  if (kind == "private_base")
    return privateAperture >> 32;
  // Unused unless the kernel calls for services of the host; a null pointer then faults by name.
  if (kind == "none" || kind == "printf_buffer" || kind == "hostcall_buffer" ||
      kind == "multigrid_sync_arg" || kind == "heap_v1" || kind == "default_queue" ||
      kind == "completion_action" || kind == "queue_ptr")
    return 0;
  return std::nullopt;
}

} // namespace

llvm::Expected<std::vector<uint8_t>> makeKernarg(const KernelInfo &kernel,
                                                 llvm::ArrayRef<std::vector<uint8_t>> args,
                                                 Dim3 gridBlocks, Dim3 blockThreads,
                                                 uint32_t dynamicLdsBytes) {
  std::vector<uint8_t> bytes(kernel.kernargBytes);
  LaunchShape shape{gridBlocks, blockThreads, dynamicLdsBytes};
  size_t next = 0;
  for (const ArgInfo &arg : kernel.args) {
    if (arg.sizeBytes > bytes.size() || arg.offsetBytes > bytes.size() - arg.sizeBytes)
      return llvm::createStringError("argument `%s` lies outside the argument segment",
                                     arg.name.c_str());
    uint8_t *to = bytes.data() + arg.offsetBytes;
    if (arg.isHidden()) {
      auto value = hiddenValue(arg.valueKind, shape);
      if (!value)
        return llvm::createStringError(
            "`%s` needs the hidden argument %s, which the simulator does "
            "not provide",
            kernel.name.c_str(), arg.valueKind.c_str());
      std::memcpy(to, &*value, std::min<size_t>(arg.sizeBytes, sizeof(*value)));
      continue;
    }
    if (next >= args.size())
      break;
    if (args[next].size() != arg.sizeBytes)
      return llvm::createStringError("argument %d of `%s` (`%s`) has %u bytes, %d were given",
                                     static_cast<int>(next), kernel.name.c_str(), arg.name.c_str(),
                                     arg.sizeBytes, static_cast<int>(args[next].size()));
    std::copy(args[next].begin(), args[next].end(), to); // may be empty
    ++next;
  }
  auto wanted = std::count_if(kernel.args.begin(), kernel.args.end(),
                              [](const ArgInfo &arg) { return !arg.isHidden(); });
  if (static_cast<size_t>(wanted) != args.size())
    return llvm::createStringError("`%s` takes %d arguments, %d were given", kernel.name.c_str(),
                                   static_cast<int>(wanted), static_cast<int>(args.size()));
  return bytes;
}

} // namespace tilec::sim

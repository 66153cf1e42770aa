//===- Metadata.cpp - the NT_AMDGPU_METADATA note -------------------------===//
//
// AMDGPUUsage, "Code Object V3+ Metadata". Unknown keys are ignored, wrong types are
// errors. SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Metadata.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"

#include <algorithm>

namespace tilec::sim {
namespace {

namespace mp = llvm::msgpack;

mp::DocNode *findKey(mp::MapDocNode &map, llvm::StringRef key) {
  auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}
std::string stringOf(mp::MapDocNode &map, llvm::StringRef key) {
  mp::DocNode *node = findKey(map, key);
  return node && node->isString() ? node->getString().str() : "";
}
uint64_t numberOf(mp::MapDocNode &map, llvm::StringRef key) {
  mp::DocNode *node = findKey(map, key);
  if (!node)
    return 0;
  if (node->getKind() == mp::Type::UInt)
    return node->getUInt();
  if (node->getKind() == mp::Type::Int && node->getInt() >= 0)
    return static_cast<uint64_t>(node->getInt());
  return 0;
}

void readArgs(mp::MapDocNode &map, KernelInfo &kernel) {
  mp::DocNode *args = findKey(map, ".args");
  if (!args || !args->isArray())
    return;
  for (mp::DocNode &node : args->getArray()) {
    if (!node.isMap())
      continue;
    ArgInfo arg;
    arg.name = stringOf(node.getMap(), ".name");
    arg.valueKind = stringOf(node.getMap(), ".value_kind");
    arg.offsetBytes = static_cast<uint32_t>(numberOf(node.getMap(), ".offset"));
    arg.sizeBytes = static_cast<uint32_t>(numberOf(node.getMap(), ".size"));
    kernel.args.push_back(std::move(arg));
  }
  std::sort(kernel.args.begin(), kernel.args.end(),
            [](const ArgInfo &a, const ArgInfo &b) { return a.offsetBytes < b.offsetBytes; });
}

void readKernel(mp::MapDocNode &map, std::vector<KernelInfo> &kernels) {
  std::string symbol = stringOf(map, ".symbol");
  for (KernelInfo &kernel : kernels) {
    if (symbol != kernel.name + ".kd" || !kernel.args.empty())
      continue;
    kernel.sgprs = static_cast<uint32_t>(numberOf(map, ".sgpr_count"));
    kernel.maxBlockThreads = static_cast<uint32_t>(numberOf(map, ".max_flat_workgroup_size"));
    if (findKey(map, ".agpr_count") && numberOf(map, ".agpr_count") == 0)
      kernel.firstAgpr = 0; // what lies above accum_offset is only the allocation's granule
    auto kernarg = static_cast<uint32_t>(numberOf(map, ".kernarg_segment_size"));
    kernel.kernargBytes = std::max(kernel.kernargBytes, kernarg);
    readArgs(map, kernel);
  }
}

} // namespace

llvm::Error applyMetadata(llvm::StringRef blob, std::vector<KernelInfo> &kernels) {
  mp::Document document;
  if (!document.readFromBlob(blob, false))
    return llvm::createStringError("the code object's metadata note is not valid MessagePack");
  if (!document.getRoot().isMap())
    return llvm::createStringError("the code object's metadata is not a map");
  mp::DocNode *list = findKey(document.getRoot().getMap(), "amdhsa.kernels");
  if (!list || !list->isArray())
    return llvm::Error::success();
  for (mp::DocNode &node : list->getArray())
    if (node.isMap())
      readKernel(node.getMap(), kernels);
  return llvm::Error::success();
}

} // namespace tilec::sim

//===- Metadata.cpp - the NT_AMDGPU_METADATA note -------------------------===//
//
// AMDGPUUsage, "Code Object V3+ Metadata". Unknown keys are ignored, wrong types are
// errors.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Metadata.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"

#include <algorithm>
#include <vector>

namespace tilec::sim {
namespace {

namespace mp = llvm::msgpack;

/// Whether every key is a string, and nothing is nested deeply. The document model compares keys,
/// and ends the process over one that is a list or a map.
bool isMessagePackWithStringKeys(llvm::StringRef blob) {
  constexpr size_t deepest = 64; // compilers nest four levels
  struct Open {
    bool isMap;
    uint64_t left; ///< objects, keys included
  };
  std::vector<Open> open;
  mp::Reader reader(blob);
  do {
    mp::Object object;
    llvm::Expected<bool> isThere = reader.read(object);
    if (!isThere) {
      llvm::consumeError(isThere.takeError());
      return false;
    }
    if (!*isThere)
      return false;
    if (!open.empty()) {
      bool isKey = open.back().isMap && open.back().left % 2 == 0;
      if (isKey && object.Kind != mp::Type::String)
        return false;
      --open.back().left;
    }
    if (object.Kind == mp::Type::Map || object.Kind == mp::Type::Array) {
      bool isMap = object.Kind == mp::Type::Map;
      open.push_back({isMap, static_cast<uint64_t>(object.Length) * (isMap ? 2 : 1)});
      if (open.size() > deepest)
        return false;
    }
    while (!open.empty() && open.back().left == 0)
      open.pop_back();
  } while (!open.empty());
  return true;
}

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
  if (!isMessagePackWithStringKeys(blob) || !document.readFromBlob(blob, false))
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

//===- LocalPlaces.cpp - where the local buffers of a program are ---------===//
//
// Takes a program before and after normalisation, gives for each local buffer of the script
// whether it became registers, a fragment or shared memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LocalPlaces.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilec {
namespace {

std::string placeOf(tile::AllocOp source, tile::KernelOp compiled) {
  tile::AllocOp found;
  compiled.walk([&](tile::AllocOp alloc) {
    if (alloc.getLoc() == source.getLoc() && alloc.getName() == source.getName())
      found = alloc;
  });
  if (!found)
    return "nowhere: nothing uses it";
  tile::BufferType type = found.getResult().getType();
  if (type.isShared())
    return "shared memory";
  if (type.isFragment())
    return "registers, spread over the threads of the block";
  if (source->getParentOfType<tile::ElementLoop>())
    return "registers, one buffer an iteration";
  return compiled.getLockstep() ? "registers, one buffer a thread"
                                : "registers, a copy in every thread";
}

} // namespace

std::string typeText(tile::BufferType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(type.getShape(), os);
  os << "] " << nameOf(tile::dtypeOf(type.getElementType()));
  return text;
}

std::vector<LocalBufferPlace> localPlaces(tile::ProgramOp source, tile::ProgramOp compiled) {
  std::vector<LocalBufferPlace> places;
  auto kernels = llvm::to_vector(compiled.getBody().getOps<tile::KernelOp>());
  for (auto [n, kernel] : llvm::enumerate(source.getBody().getOps<tile::KernelOp>()))
    if (n < kernels.size())
      kernel.walk([&](tile::AllocOp alloc) {
        tile::BufferType type = alloc.getResult().getType();
        // Scalars (T.alloc_var and variables) are values, unless threads write them for each other.
        std::string place = placeOf(alloc, kernels[n]);
        if (type.isLocal() && (type.rank() > 0 || place == "shared memory"))
          places.push_back(
              {kernel.getName().str(), alloc.getName().str(), typeText(type), std::move(place)});
      });
  return places;
}

void addListToReport(std::string &report, StringRef key, llvm::json::Array list) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(report);
  if (!value)
    return llvm::consumeError(value.takeError());
  if (list.empty())
    return;
  (*value->getAsObject())[key] = std::move(list);
  report = llvm::formatv("{0:2}\n", *value).str();
}

void addLocalPlaces(std::string &report, bool isJson, ArrayRef<LocalBufferPlace> places) {
  if (!isJson) {
    for (const LocalBufferPlace &p : places)
      report += "local buffer " + p.name + p.type + " of " + p.kernel + ": " + p.place + "\n";
    return;
  }
  llvm::json::Array list;
  for (const LocalBufferPlace &p : places)
    list.push_back(llvm::json::Object{
        {"kernel", p.kernel}, {"name", p.name}, {"type", p.type}, {"place", p.place}});
  addListToReport(report, "local_buffers", std::move(list));
}

} // namespace tilec

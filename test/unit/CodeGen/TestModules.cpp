//===- TestModules.cpp - modules for the tests of CodeGen -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestModules.h"

#include "llvm/IRReader/IRReader.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::codegen::test {

OwnedModule parseText(const std::string &text, Arch arch) {
  initializeTargets();
  OwnedModule result;
  result.context = std::make_unique<LLVMContext>();
  // Layout and triple come first, as for a module that is built from nothing.
  auto empty = std::make_unique<Module>("test", *result.context);
  prepareModule(*empty, arch);
  std::string layout = empty->getDataLayoutStr();
  SMDiagnostic diagnostic;
  ParserCallbacks callbacks([&](StringRef, StringRef) { return std::optional(layout); });
  result.module = parseIR(MemoryBufferRef(text, "test.ll"), diagnostic, *result.context, callbacks);
  if (!result.module) {
    ADD_FAILURE() << diagnostic.getMessage().str() << " in line " << diagnostic.getLineNo();
    result.module = std::move(empty);
    return result;
  }
  prepareModule(*result.module, arch);
  return result;
}

OwnedModule parseFile(const std::string &name, Arch arch) {
  auto buffer = MemoryBuffer::getFile(std::string(TILEC_TEST_DATA) + "/codegen/" + name + ".ll");
  EXPECT_TRUE(bool(buffer)) << name;
  return parseText(buffer ? (*buffer)->getBuffer().str() : "", arch);
}

std::string sectionOf(ArrayRef<uint8_t> object, StringRef name) {
  auto file = cantFail(object::ObjectFile::createObjectFile(MemoryBufferRef(
      StringRef(reinterpret_cast<const char *>(object.data()), object.size()), "object")));
  for (const object::SectionRef &section : file->sections())
    if (cantFail(section.getName()) == name)
      return cantFail(section.getContents()).str();
  return "";
}

CodeGenOptions optionsFor(Arch arch) {
  CodeGenOptions options;
  options.arch = arch;
  return options;
}

} // namespace tilec::codegen::test

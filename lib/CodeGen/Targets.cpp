//===- Targets.cpp - LLVM's targets, set up once per process --------------===//
//
// Takes an Arch, gives LLVM's target machine with the settings of that chip; flags of LLVM are set
// once, before the first.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AmdgpuPasses.h"
#include "tilec/CodeGen/CodeGen.h"
#include "tilec/CodeGen/Contained.h"
#include "tilec/Target/Target.h"

#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace llvm;

namespace tilec::codegen {

namespace {

/// Version 6 of the code object: ELF ABI version 4 (LLVM's AMDGPU usage guide, "Code Object V6").
constexpr uint32_t codeObjectVersion = 600;

struct ChipSettings {
  const char *triple;
  StringRef features;
};

ChipSettings settingsOf(Arch arch) {
  StringRef features = targetInfo(arch).codeFeatures;
  switch (vendorOf(arch)) {
  case Vendor::Amd:
    return {"amdgcn-amd-amdhsa", features};
  case Vendor::Nvidia:
    return {"nvptx64-nvidia-cuda", features};
  }
  llvm_unreachable("a vendor without settings");
}

/// Sets a boolean cl::opt of LLVM by name.
void setFlag(StringRef name) {
  auto &registered = cl::getRegisteredOptions();
  auto it = registered.find(name);
  if (it == registered.end())
    report_fatal_error("this LLVM has no option " + Twine(name));
  it->second->addOccurrence(0, name, "true");
}

void initializeOnce() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUDisassembler();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  initializeCore(*PassRegistry::getPassRegistry());
  initializeCodeGen(*PassRegistry::getPassRegistry());
  // 32-bit shared pointers: no 64-bit address arithmetic, and "r" operands of inline PTX. There is
  // no form of it but this option, which is read when a TargetMachine is made.
  setFlag("nvptx-short-ptr");
  registerMachinePasses();
  installFatalErrorHandler();
}

} // namespace

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, initializeOnce);
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(Arch arch, unsigned optLevel) {
  initializeTargets();
  ChipSettings settings = settingsOf(arch);
  Triple triple(settings.triple);
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError("no LLVM target for %s: %s", settings.triple, message.c_str());
  std::optional<CodeGenOptLevel> level = CodeGenOpt::getLevel(static_cast<int>(optLevel));
  if (!level)
    return createStringError("optimization level %u; there are 0 to 3", optLevel);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, std::string(tilec::nameOf(arch)), settings.features, TargetOptions(),
      vendorOf(arch) == Vendor::Amd ? std::optional(Reloc::PIC_) : std::nullopt, std::nullopt,
      *level));
  if (!machine)
    return createStringError("LLVM cannot make a target machine for %s",
                             std::string(tilec::nameOf(arch)).c_str());
  return machine;
}

void prepareModule(Module &module, Arch arch) {
  // One target machine a chip is enough to learn its data layout; making one takes a millisecond.
  static std::mutex mutex;
  static std::string layouts[2];
  bool isAmd = vendorOf(arch) == Vendor::Amd;
  std::string layout;
  {
    std::lock_guard<std::mutex> lock(mutex);
    std::string &known = layouts[isAmd ? 0 : 1];
    if (known.empty())
      known = cantFail(createTargetMachine(arch))->createDataLayout().getStringRepresentation();
    layout = known;
  }
  module.setTargetTriple(Triple(settingsOf(arch).triple));
  module.setDataLayout(layout);
  if (isAmd && !module.getModuleFlag("amdhsa_code_object_version"))
    module.addModuleFlag(Module::Error, "amdhsa_code_object_version", codeObjectVersion);
}

} // namespace tilec::codegen

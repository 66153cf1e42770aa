//===- DeviceLibrary.cpp - find and link the vendors' functions -----------===//
//
// Takes a module that calls functions of ocml or libdevice, finds the library on this machine and
// links what is called.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/DeviceLibrary.h"

#include "PtxAssemblers.h"
#include "tilec/Support/DiskCache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/TargetParser.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

#include <cstdlib>

using namespace llvm;

namespace tilec::codegen {

namespace {

/// What a variable of the environment says; empty where it is not set.
StringRef fromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : StringRef();
}

/// The first of `folders` that has the file.
std::optional<std::string> findIn(ArrayRef<std::string> folders, StringRef file) {
  for (const std::string &folder : folders) {
    SmallString<128> path(folder);
    sys::path::append(path, file);
    if (sys::fs::is_regular_file(path))
      return std::string(path.str());
  }
  return std::nullopt;
}

std::optional<std::string> findOcml() {
  constexpr StringLiteral file = "ocml.bc";
  if (StringRef chosen = fromEnvironment("TILEC_ROCM_DEVICE_LIBS"); !chosen.empty())
    return chosen == "none" ? std::nullopt : findIn({chosen.str()}, file);
  SmallVector<std::string> folders;
  if (StringRef home = fromEnvironment("ROCM_PATH"); !home.empty())
    folders.push_back((home + "/amdgcn/bitcode").str());
  folders.append({"/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
                  "/usr/lib/amdgcn/bitcode"});
  return findIn(folders, file);
}

std::optional<std::string> findLibdevice() {
  if (StringRef chosen = fromEnvironment("TILEC_LIBDEVICE"); !chosen.empty())
    return chosen == "none" ? std::nullopt : std::optional(chosen.str());
  SmallVector<std::string> folders;
  if (StringRef home = fromEnvironment("CUDA_HOME"); !home.empty())
    folders.push_back((home + "/nvvm/libdevice").str());
  folders.push_back("/usr/local/cuda/nvvm/libdevice");
  folders.push_back("/usr/lib/nvidia-cuda-toolkit/libdevice");
  if (std::optional<std::string> ptxas = findPtxas()) {
    StringRef home = sys::path::parent_path(sys::path::parent_path(*ptxas));
    folders.push_back((home + "/nvvm/libdevice").str());
  }
  return findIn(folders, "libdevice.10.bc");
}

/// ROCm's convention: gfx942 is 9402.
uint32_t isaNumber(Arch arch) {
  AMDGPU::IsaVersion version = AMDGPU::getIsaVersion(StringRef(tilec::nameOf(arch)));
  return version.Major * 1000 + version.Minor * 100 + version.Stepping;
}

/// Defines the constants that ocml asks for. Functions are compiled as tilec's own are: denormals
/// are kept, infinities and NaN are numbers, divisions and roots are correctly rounded.
Error defineConstants(Module &module, Arch arch) {
  for (GlobalVariable &constant : module.globals()) {
    if (!constant.getName().starts_with("__oclc_") || !constant.isDeclaration())
      continue;
    std::optional<uint64_t> value = StringSwitch<std::optional<uint64_t>>(constant.getName())
                                        .Case("__oclc_ISA_version", isaNumber(arch))
                                        .Case("__oclc_ABI_version", 600)
                                        .Case("__oclc_wavefrontsize64", 1)
                                        .Case("__oclc_wavefrontsize_log2", 6)
                                        .Case("__oclc_correctly_rounded_sqrt32", 1)
                                        .Case("__oclc_finite_only_opt", 0)
                                        .Case("__oclc_unsafe_math_opt", 0)
                                        .Case("__oclc_daz_opt", 0)
                                        .Default(std::nullopt);
    if (!value || !constant.getValueType()->isIntegerTy())
      return createStringError("the device library asks for `" + constant.getName() +
                               "`, which tilec does not know");
    constant.setInitializer(ConstantInt::get(constant.getValueType(), *value));
    constant.setLinkage(GlobalValue::InternalLinkage);
    constant.setConstant(true);
  }
  return Error::success();
}

/// Answers libdevice's questions about the modes of a compile.
void answerReflections(Module &module) {
  Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (User *user : make_early_inc_range(reflect->users())) {
    auto *call = cast<CallInst>(user);
    auto *text = dyn_cast<GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    auto *data = text && text->hasInitializer()
                     ? dyn_cast<ConstantDataArray>(text->getInitializer())
                     : nullptr;
    StringRef question = data && data->isCString() ? data->getAsCString() : "";
    bool isYes = question == "__CUDA_PREC_DIV" || question == "__CUDA_PREC_SQRT";
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), isYes));
    call->eraseFromParent();
  }
  reflect->eraseFromParent();
}

bool isLibraryFunction(Vendor vendor, const Function &function) {
  return function.isDeclaration() && !function.use_empty() &&
         function.getName().starts_with(vendor == Vendor::Amd ? "__ocml_" : "__nv_");
}

/// A function of the library becomes part of its callers, on their terms.
void makeOurs(Function &function) {
  function.setLinkage(GlobalValue::InternalLinkage);
  function.setVisibility(GlobalValue::DefaultVisibility);
  function.setDSOLocal(true);
  function.setComdat(nullptr);
  function.setAttributes(
      AttributeList().addFnAttribute(function.getContext(), Attribute::NoUnwind));
  function.addFnAttr(Attribute::AlwaysInline);
}

void inlineAll(Module &module) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  passes.addPass(GlobalDCEPass());
  passes.run(module, modules);
}

Expected<std::unique_ptr<Module>> readLibrary(const std::string &path, Module &user) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read the device library `" + path + "`");
  auto library = getOwningLazyBitcodeModule(std::move(*buffer), user.getContext());
  if (!library)
    return createStringError(
        "the device library `" + path +
        "` is no bitcode that this LLVM reads: " + toString(library.takeError()));
  (*library)->setTargetTriple(user.getTargetTriple());
  (*library)->setDataLayout(user.getDataLayout());
  return std::move(*library);
}

} // namespace

std::optional<std::string> findDeviceLibrary(Vendor vendor) {
  return vendor == Vendor::Amd ? findOcml() : findLibdevice();
}

LibraryAdvice deviceLibraryAdvice(Vendor vendor) {
  if (vendor == Vendor::Amd)
    return {"ROCm's device libraries",
            "install Debian's package rocm-device-libs or ROCm, or set TILEC_ROCM_DEVICE_LIBS to "
            "the folder of ocml.bc"};
  return {"the NVVM libraries of CUDA (libdevice)",
          "install the CUDA toolkit (nvvm), or set TILEC_LIBDEVICE to "
          "libdevice.10.bc"};
}

std::string deviceLibraryIdentity(Vendor vendor) {
  std::optional<std::string> path = findDeviceLibrary(vendor);
  return path ? fileIdentity(*path) : "none";
}

std::string libraryFunctionName(Vendor vendor, StringRef function, bool isDouble) {
  if (vendor == Vendor::Nvidia)
    return ("__nv_" + function + (isDouble ? "" : "f")).str();
  StringRef name = function == "powi" ? "pown" : function;
  return ("__ocml_" + name + (isDouble ? "_f64" : "_f32")).str();
}

Error linkDeviceLibrary(Module &module, Arch arch) {
  Vendor vendor = vendorOf(arch);
  SmallVector<std::string> wanted;
  for (const Function &function : module)
    if (isLibraryFunction(vendor, function))
      wanted.push_back(function.getName().str());
  if (wanted.empty())
    return Error::success();
  LibraryAdvice advice = deviceLibraryAdvice(vendor);
  std::optional<std::string> path = findDeviceLibrary(vendor);
  if (!path)
    return createStringError(advice.name + " not found: " + advice.advice);
  auto library = readLibrary(*path, module);
  if (!library)
    return library.takeError();
  for (const std::string &name : wanted)
    if (const Function *found = (*library)->getFunction(name); !found || found->isDeclaration())
      return createStringError("`" + *path + "` has no function `" + name + "`");
  SmallPtrSet<const GlobalValue *, 32> ours;
  for (const Function &function : module)
    if (!function.isDeclaration())
      ours.insert(&function);
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return createStringError("linking `" + *path + "` failed");
  for (Function &function : module)
    if (!function.isDeclaration() && !ours.contains(&function))
      makeOurs(function);
  answerReflections(module);
  if (Error error = defineConstants(module, arch))
    return error;
  inlineAll(module);
  return Error::success();
}

} // namespace tilec::codegen

//===- Lower.cpp - Wave IR to LLVM IR: the entry point --------------------===//
//
// Takes a module of wave kernels and a target, gives an LLVM module.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Lower/Lower.h"

#include "KernelLowering.h"

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/CodeGen/DeviceLibrary.h"
#include "tilec/CodeGen/InvalidIr.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {

llvm::Expected<std::unique_ptr<llvm::Module>>
lowerToLlvm(mlir::ModuleOp module, Arch arch, llvm::LLVMContext &context, bool withLines) {
  auto result = std::make_unique<llvm::Module>(module.getName().value_or("tilec"), context);
  codegen::prepareModule(*result, arch);
  const TargetInfo &target = targetInfo(arch);
  std::unique_ptr<lower::Emitter> emitter = vendorOf(arch) == Vendor::Amd
                                                ? lower::makeAmdgpuEmitter(*result, target)
                                                : lower::makeNvptxEmitter(*result, target);
  lower::DebugLines lines(*result);
  bool any = false;
  for (auto kernel : module.getOps<wave::KernelOp>()) {
    any = true;
    lower::KernelLowering lowering(kernel, *emitter, withLines ? &lines : nullptr);
    if (mlir::failed(lowering.run()))
      return llvm::createStringError(lowering.message());
  }
  if (!any)
    return llvm::createStringError("the module holds no wave.kernel");
  lines.finish();
  if (llvm::Error error = codegen::linkDeviceLibrary(*result, arch))
    return error;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (llvm::verifyModule(*result, &os))
    return llvm::make_error<codegen::InvalidIr>("the lowering made invalid LLVM IR: " + text);
  return result;
}

} // namespace tilec

//===- WaveRunner.cpp - small Wave IR kernels on the simulator ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WaveRunner.h"

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Lower/Lower.h"
#include "tilec/Sim/Simulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tilec::testing {

namespace {

/// A module with everything it lives in.
struct Lowered {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

llvm::Error lower(Arch arch, const std::string &text, Lowered &result) {
  mlir::DialectRegistry registry;
  registry.insert<wave::WaveDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!parsed)
    return llvm::createStringError("the test's text does not parse");
  auto module = lowerToLlvm(*parsed, arch, result.context);
  if (!module)
    return module.takeError();
  result.module = std::move(*module);
  return llvm::Error::success();
}

bool succeeded(llvm::Error error) {
  if (!error)
    return true;
  ADD_FAILURE() << llvm::toString(std::move(error));
  return false;
}

/// `value`, or a test failure.
template <typename T> bool take(llvm::Expected<T> expected, T &value) {
  if (!expected)
    return succeeded(expected.takeError());
  value = std::move(*expected);
  return true;
}

unsigned bytesOfType(const std::string &type) {
  unsigned bits = 0;
  for (char c : type.substr(0, type.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"))) {
    if (c >= '0' && c <= '9')
      bits = bits * 10 + static_cast<unsigned>(c - '0');
    else if (bits != 0)
      break;
  }
  return type.rfind("f8", 0) == 0 ? 1 : bits / 8;
}

} // namespace

std::string lowerToText(Arch arch, const std::string &text, bool asAssembly) {
  Lowered lowered;
  if (!succeeded(lower(arch, text, lowered)))
    return {};
  std::string result;
  if (!asAssembly) {
    llvm::raw_string_ostream os(result);
    lowered.module->print(os, nullptr);
    return result;
  }
  codegen::CodeGenOptions options;
  options.arch = arch;
  take(codegen::emitAssembly(*lowered.module, options), result);
  return result;
}

std::string lowerError(Arch arch, const std::string &text) {
  Lowered lowered;
  llvm::Error error = lower(arch, text, lowered);
  return error ? llvm::toString(std::move(error)) : std::string();
}

bool runKernel(Arch arch, const std::string &text, uint32_t blocks, uint32_t threads,
               std::vector<Bytes> &buffers) {
  Lowered lowered;
  if (!succeeded(lower(arch, text, lowered)))
    return false;
  codegen::CodeGenOptions options;
  options.arch = arch;
  codegen::Image image;
  if (!take(codegen::compileModule(*lowered.module, options), image))
    return false;
  std::unique_ptr<sim::CodeObject> object;
  if (!take(sim::CodeObject::load(image.bytes), object))
    return false;
  const sim::KernelInfo *kernel = object->findKernel("k");
  if (!kernel) {
    ADD_FAILURE() << "the image has no kernel k";
    return false;
  }
  sim::Memory memory;
  std::vector<uint64_t> addresses;
  std::vector<Bytes> arguments;
  for (const Bytes &buffer : buffers) {
    uint64_t address = 0;
    if (!take(memory.allocate(buffer.size(), "buffer" + std::to_string(addresses.size())),
              address) ||
        !succeeded(memory.write(address, buffer)))
      return false;
    addresses.push_back(address);
    Bytes argument(8);
    std::memcpy(argument.data(), &address, 8);
    arguments.push_back(argument);
  }
  sim::Dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
  std::vector<uint8_t> kernarg;
  sim::RunResult result;
  sim::LaunchOptions launch;
  if (!take(sim::makeKernarg(*kernel, arguments, grid, block), kernarg) ||
      !take(sim::run(*object, "k", grid, block, kernarg, memory, launch), result) ||
      !succeeded(result.toError()))
    return false;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!succeeded(memory.read(addresses[i], buffers[i])))
      return false;
  return true;
}

std::vector<uint64_t> runElementWise(Arch arch, const ElementWise &kernel,
                                     const std::vector<uint64_t> &xs,
                                     const std::vector<uint64_t> &ys) {
  const std::string types[3] = {kernel.xType, kernel.yType, kernel.zType};
  unsigned bytes[3];
  std::string offsets;
  for (int i = 0; i < 3; ++i) {
    bytes[i] = bytesOfType(types[i]);
    std::string n = std::to_string(i), size = std::to_string(bytes[i]);
    offsets += "  %size" + n + " = arith.constant " + size + " : index\n  %at" + n +
               " = arith.muli %i, %size" + n + " : index\n";
  }
  auto align = [&](int i) { return " align " + std::to_string(bytes[i]); };
  std::string text =
      "wave.kernel @k([\"x\", \"y\", \"z\"]) access [\"r\", \"r\", \"w\"] threads(64) shared(0) {\n"
      "^bb0(%X: !wave.global, %Y: !wave.global, %Z: !wave.global):\n"
      "  %t = wave.thread_id\n  %block = wave.block_id 0\n"
      "  %c64 = arith.constant 64 : index\n  %first = arith.muli %block, %c64 : index\n"
      "  %i = arith.addi %first, %t : index\n" +
      offsets + "  %x = wave.global_read %X[%at0]" + align(0) + " : index -> " + types[0] +
      "\n  %y = wave.global_read %Y[%at1]" + align(1) + " : index -> " + types[1] + "\n" +
      kernel.body + "\n  wave.global_write %z, %Z[%at2]" + align(2) + " : " + types[2] +
      ", index\n}\n";
  size_t count = xs.size();
  std::vector<Bytes> buffers;
  const std::vector<uint64_t> *inputs[2] = {&xs, &ys};
  for (int i = 0; i < 3; ++i) {
    Bytes buffer(count * bytes[i]);
    for (size_t j = 0; i < 2 && j < count; ++j)
      std::memcpy(&buffer[j * bytes[i]], &(*inputs[i])[j], bytes[i]);
    buffers.push_back(std::move(buffer));
  }
  std::vector<uint64_t> results(count);
  if (!runKernel(arch, text, static_cast<uint32_t>(count / 64), 64, buffers))
    return {};
  for (size_t j = 0; j < count; ++j)
    std::memcpy(&results[j], &buffers[2][j * bytes[2]], bytes[2]);
  return results;
}

} // namespace tilec::testing

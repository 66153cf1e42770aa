//===- tilec-translate.cpp - Wave IR to LLVM IR, assembly or an image -----===//
//
// `tilec-translate FILE.mlir --target=gfx950 --emit=llvm|asm|object|binary [-o OUT]`:
// the last two stages of the compiler alone, for lit tests and for people who write
// Wave IR by hand.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Version.h"
#include "tilec/CodeGen/CodeGen.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Lower/Lower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <cstdio>
#include <cstdlib>

namespace cl = llvm::cl;
using namespace tilec;

enum class Emit { Llvm, Asm, Object, Binary };

static cl::opt<std::string> input(cl::Positional, cl::desc("FILE.mlir"), cl::init("-"));
static cl::opt<std::string> output("o", cl::desc("where to write"), cl::init("-"));
static cl::opt<std::string> target("target", cl::desc("as tilec's --target"), cl::init("gfx950"));
static cl::opt<Emit> emit("emit", cl::desc("what to write"), cl::init(Emit::Llvm),
                          cl::values(clEnumValN(Emit::Llvm, "llvm", "LLVM IR"),
                                     clEnumValN(Emit::Asm, "asm", "assembly or PTX"),
                                     clEnumValN(Emit::Object, "object", "ELF object or PTX"),
                                     clEnumValN(Emit::Binary, "binary", "hsaco or cubin")));
static cl::opt<bool> keepOrder("keep-order", cl::desc("switch LLVM's machine schedulers off"));

/// What `--emit` asks for, as bytes.
static llvm::Expected<std::string> translate(mlir::ModuleOp module, Arch arch) {
  llvm::LLVMContext context;
  auto lowered = lowerToLlvm(module, arch, context);
  if (!lowered)
    return lowered.takeError();
  codegen::CodeGenOptions options;
  options.arch = arch;
  options.keepOrder = keepOrder;
  std::string text;
  switch (emit) {
  case Emit::Llvm: {
    llvm::raw_string_ostream os(text);
    (*lowered)->print(os, nullptr);
    return text;
  }
  case Emit::Asm:
    return codegen::emitAssembly(**lowered, options);
  case Emit::Object: {
    auto bytes = codegen::emitObject(**lowered, options);
    if (!bytes)
      return bytes.takeError();
    return std::string(bytes->begin(), bytes->end());
  }
  case Emit::Binary: {
    auto image = codegen::compileModule(**lowered, options);
    if (!image)
      return image.takeError();
    return std::string(image->bytes.begin(), image->bytes.end());
  }
  }
  llvm_unreachable("an output without a case");
}

/// A full disk or a closed pipe behind standard output, which LLVM tells as its own error.
static void sayFatal(void *, const char *reason, bool) {
  std::fprintf(stderr, "tilec-translate: error: %s\n", reason);
  std::_Exit(1);
}

int main(int argc, char **argv) {
  llvm::install_fatal_error_handler(sayFatal);
  llvm::InitLLVM init(argc, argv);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << versionOf("tilec-translate", LLVM_VERSION_STRING) << '\n';
  });
  cl::ParseCommandLineOptions(argc, argv, "tilec-translate: Wave IR to LLVM IR and images\n");
  auto fail = [](const llvm::Twine &message) {
    llvm::WithColor::error(llvm::errs(), "tilec-translate") << message << '\n';
    return 1;
  };
  std::optional<Arch> arch = parseArch(target);
  if (!arch)
    return fail("unknown target " + target + "; known: " + listOfArchs());
  mlir::DialectRegistry registry;
  // A module of the stages before has its tile.program, too: the launches.
  registry.insert<tile::TileDialect, wave::WaveDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
  mlir::MLIRContext mlirContext(registry, mlir::MLIRContext::Threading::DISABLED);
  // The parser and the verifiers print their own diagnostics.
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, &mlirContext);
  if (!module)
    return 1;
  llvm::Expected<std::string> result = translate(*module, *arch);
  if (!result)
    return fail(llvm::toString(result.takeError()));
  std::error_code error;
  llvm::ToolOutputFile file(output, error, llvm::sys::fs::OF_None);
  if (error)
    return fail("cannot write " + output + ": " + error.message());
  file.os() << *result;
  file.os().flush();
  if (std::error_code problem = file.os().error()) {
    file.os().clear_error();
    return fail("cannot write " + output + ": " + problem.message());
  }
  file.keep();
  return 0;
}

//===- MutationTest.cpp - damaged programs give messages, never a crash ---===//
//
// Takes the programs of test/lit/IR/Tile, damages them token by token, and parses,
// verifies, prints and runs what comes out. The test is that nothing crashes or hangs,
// and that what verifies survives printing.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunHelper.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <random>

using namespace tilec;
using namespace tilec::test;

namespace {

std::vector<std::string> seedPrograms() {
  std::vector<std::string> files, seeds;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(TILEC_TEST_DATA "/../lit/IR/Tile", error), end;
       it != end && !error; it.increment(error))
    if (llvm::StringRef(it->path()).ends_with(".mlir"))
      files.push_back(it->path());
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      continue;
    llvm::SmallVector<llvm::StringRef> parts;
    (*buffer)->getBuffer().split(parts, "// -----");
    for (llvm::StringRef part : parts)
      seeds.push_back(part.str());
  }
  return seeds;
}

std::vector<std::string> tokensOf(const std::string &text) {
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size();) {
    auto isWord = [&](size_t i) { return i < text.size() && (isalnum(text[i]) || text[i] == '_'); };
    size_t end = at + 1;
    if (text.compare(at, 2, "//") == 0) { // comments would only hide mutations
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (isWord(at) || text[at] == '%' || text[at] == '@' || text[at] == '#' || text[at] == '!')
      while (isWord(end) || (end < text.size() && text[end] == '.'))
        ++end;
    tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

/// A program that runs to its end, with most kinds of statements.
const char *const gemmText = R"(
tile.program @gemm {
  %n = tile.dim "n"
  %A = tile.tensor "A"[%n] : !tile.buffer<[?, 8], f16, global>
  %C = tile.tensor "C"[%n, %n] : !tile.buffer<[?, ?], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "gemm" grid(%n, %c1) threads(64) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %f = arith.constant 1.0 : f32
    %a = tile.alloc "a" : !tile.buffer<[4, 4], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[4, 4], f32, fragment>
    tile.fill %f, %c : f32, !tile.buffer<[4, 4], f32, fragment>
    tile.for %k = %c0 to %c4 step %c1 {
      %v = tile.subview %A[%bx, %k] : !tile.buffer<[?, 8], f16, global> to !tile.buffer<[4, 4], f16, global>
      tile.copy %v to %a : !tile.buffer<[4, 4], f16, global>, !tile.buffer<[4, 4], f16, shared>
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[4, 4], f16, shared>, !tile.buffer<[4, 4], f16, shared>, !tile.buffer<[4, 4], f32, fragment>
    }
    %r = tile.reshape %c : !tile.buffer<[4, 4], f32, fragment> to !tile.buffer<[16], f32, fragment>
    tile.parallel (%i, %j) in (%c4, %c4) {
      %x = tile.load %c[%i, %j] : !tile.buffer<[4, 4], f32, fragment> -> f32
      %p = tile.alloc "p" : !tile.buffer<[1], f32, local>
      tile.store %x, %p[%c0] : f32, !tile.buffer<[1], f32, local>
      tile.parallel (%q) in (%j) {
        %o = tile.load %p[%c0] : !tile.buffer<[1], f32, local> -> f32
        %e = tile.load %r[%q] : !tile.buffer<[16], f32, fragment> -> f32
        %s = arith.maxnumf %o, %e : f32
        tile.store %s, %p[%c0] : f32, !tile.buffer<[1], f32, local>
      }
      %y = tile.load %p[%c0] : !tile.buffer<[1], f32, local> -> f32
      %z = math.exp2 %y : f32
      %at = arith.addi %bx, %i : index
      tile.store %z, %C[%at, %j] : f32, !tile.buffer<[?, ?], f32, global>
    }
  }
})";

class Mutator {
public:
  Mutator(uint64_t seed, const std::vector<std::vector<std::string>> &pool, size_t numValid)
      : random(seed), pool(pool), numValid(numValid) {}

  std::string mutated() {
    // Half of the time one of the first, which are larger and verify as they are.
    std::vector<std::string> tokens = pool[pick(2) ? pick(pool.size()) : pick(numValid)];
    for (size_t n = pick(2) ? 1 : 1 + pick(4); n && !tokens.empty(); --n)
      mutate(tokens);
    std::string text;
    for (const std::string &token : tokens)
      text += token;
    return text;
  }

private:
  size_t pick(size_t n) { return random() % n; }

  void mutate(std::vector<std::string> &tokens) {
    static const char *const extremes[] = {"0",
                                           "-1",
                                           "1",
                                           "3",
                                           "1024",
                                           "4294967296",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "99999999999999999999",
                                           "0.5",
                                           "?",
                                           "0x7FC00000"};
    static const char *const words[] = {"f32",
                                        "f16",
                                        "i1",
                                        "i8",
                                        "ui32",
                                        "index",
                                        "f64",
                                        "f8E4M3FN",
                                        "shared",
                                        "global",
                                        "local",
                                        "fragment",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "(",
                                        ")",
                                        ",",
                                        "%one",
                                        "%bx",
                                        "dropped",
                                        "clear",
                                        "{lockstep}",
                                        "attributes",
                                        "tile.break",
                                        "tile.barrier",
                                        "none",
                                        "vector<4xf32>",
                                        "max",
                                        "bitor",
                                        "\""};
    size_t at = pick(tokens.size());
    switch (pick(8)) {
    case 0:
      tokens.erase(tokens.begin() + at);
      return;
    case 1:
      tokens.insert(tokens.begin() + at, tokens[pick(tokens.size())]);
      return;
    case 2:
      std::swap(tokens[at], tokens[pick(tokens.size())]);
      return;
    case 3:
      tokens[at] = words[pick(std::size(words))];
      return;
    case 4: { // a piece of another program
      const std::vector<std::string> &other = pool[pick(pool.size())];
      size_t from = pick(other.size()), count = std::min(other.size() - from, 1 + pick(30));
      tokens.insert(tokens.begin() + at, other.begin() + from, other.begin() + from + count);
      return;
    }
    case 5:
      if (pick(10) == 0)
        tokens.resize(at);
      return;
    default: // a number: the most telling change
      for (size_t i = 0; i < tokens.size(); ++i) {
        std::string &token = tokens[(at + i) % tokens.size()];
        if (isdigit(token[0])) {
          token = extremes[pick(std::size(extremes))];
          return;
        }
      }
    }
  }

  std::mt19937_64 random;
  const std::vector<std::vector<std::string>> &pool;
  size_t numValid;
};

/// Runs a program that verifies, when its buffers are small.
void runWithAnyArguments(tile::ProgramOp program) {
  bool isSmall = true;
  program.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      if (auto buffer = mlir::dyn_cast<tile::BufferType>(type)) {
        double count = 1;
        for (int64_t extent : buffer.getShape())
          count *= mlir::ShapedType::isDynamic(extent) ? 8 : extent;
        isSmall &= count <= 1 << 16;
      }
  });
  if (!isSmall)
    return;
  ReferenceArgs args;
  std::vector<std::vector<uint8_t>> storage;
  program.walk([&](mlir::Operation *op) {
    if (auto dim = mlir::dyn_cast<tile::DimOp>(op))
      args.dims[dim.getName()] = 8;
    if (auto scalar = mlir::dyn_cast<tile::ScalarOp>(op))
      args.scalars[scalar.getName()] = int64_t(1);
    if (auto tensor = mlir::dyn_cast<tile::TensorOp>(op)) {
      ReferenceTensor &given = args.tensors[tensor.getName()];
      int64_t count = 1;
      for (int64_t extent : tensor.getResult().getType().getShape())
        count *= given.shape.emplace_back(mlir::ShapedType::isDynamic(extent) ? 8 : extent);
      DType dtype = tile::dtypeOf(tensor.getResult().getType().getElementType());
      storage.emplace_back(storageBytes(dtype, count));
      given.data = storage.back().data();
      given.sizeBytes = storage.back().size();
    }
  });
  ReferenceOptions options;
  options.maxSteps = 20000;
  options.print = [](const std::string &) {};
  llvm::consumeError(runReference(program, args, options));
}

TEST(TileMutation, DamagedProgramsGiveMessages) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect>();
  int valid = 0, refused = 0, messages = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) {
    ++messages;
    return mlir::success();
  });
  std::vector<std::vector<std::string>> pool, invalid;
  for (const std::string &text : seedPrograms()) {
    bool verifies = bool(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    (verifies ? pool : invalid).push_back(tokensOf(text));
  }
  pool.push_back(tokensOf(gemmText));
  size_t numValid = pool.size();
  pool.insert(pool.end(), invalid.begin(), invalid.end());
  ASSERT_GT(pool.size(), 50u) << "the lit tests were not found";
  for (uint64_t seed = 0; seed < 8000; ++seed) {
    std::string text = Mutator(seed, pool, numValid).mutated();
    messages = 0;
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ++refused;
      ASSERT_GT(messages, 0) << "refused without a message:\n" << text;
      continue;
    }
    ++valid;
    std::string printed;
    llvm::raw_string_ostream os(printed);
    module->print(os);
    ASSERT_TRUE(mlir::parseSourceString<mlir::ModuleOp>(printed, &context)) << printed;
    for (tile::ProgramOp program : module->getOps<tile::ProgramOp>())
      runWithAnyArguments(program);
  }
  EXPECT_GT(valid, 200);
  EXPECT_GT(refused, 2000);
}

} // namespace

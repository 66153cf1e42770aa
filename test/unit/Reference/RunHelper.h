//===- RunHelper.h - Tile IR text, arguments as vectors -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Reference/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tilec::test {

/// A tensor by value: numbers in, numbers out, encoded as `dtype` in between.
struct Values {
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  Values(DType dtype, std::vector<int64_t> shape, double fill = 0) : dtype(dtype), shape(shape) {
    bytes.resize(storageBytes(dtype, count()));
    for (int64_t i = 0; i < count(); ++i)
      set(i, fill);
  }
  int64_t count() const {
    int64_t n = 1;
    for (int64_t extent : shape)
      n *= extent;
    return n;
  }
  void set(int64_t i, double value) {
    setBits(i, isFloat(dtype) ? encodeFloat(dtype, value) : encodeInt(dtype, int64_t(value)));
  }
  double at(int64_t i) const {
    return isFloat(dtype) ? decodeFloat(dtype, bits(i)) : double(decodeInt(dtype, bits(i)));
  }
  uint64_t bits(int64_t i) const {
    unsigned width = bitsOf(dtype);
    if (width == 4)
      return (bytes[i / 2] >> (i % 2 * 4)) & 15;
    uint64_t value = 0;
    std::memcpy(&value, &bytes[i * width / 8], width / 8);
    return value;
  }
  void setBits(int64_t i, uint64_t value) {
    unsigned width = bitsOf(dtype);
    if (width == 4)
      bytes[i / 2] = uint8_t((bytes[i / 2] & (i % 2 ? 0x0f : 0xf0)) | (value & 15) << (i % 2 * 4));
    else
      std::memcpy(&bytes[i * width / 8], &value, width / 8);
  }
  /// set(i, fn(i)) for all i.
  template <typename Fn> Values &fill(Fn fn) {
    for (int64_t i = 0; i < count(); ++i)
      set(i, fn(i));
    return *this;
  }
  std::vector<double> all() const {
    std::vector<double> result;
    for (int64_t i = 0; i < count(); ++i)
      result.push_back(at(i));
    return result;
  }
};

/// Parses a program and runs it. The tensors passed to `run` keep the results.
class Program {
public:
  explicit Program(const std::string &text) {
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "test.mlir");
    EXPECT_TRUE(module) << text;
  }
  tile::ProgramOp op() { return *module->getOps<tile::ProgramOp>().begin(); }

  Program &tensor(const std::string &name, Values &values) {
    ReferenceTensor &tensor = args.tensors[name];
    tensor.data = values.bytes.data();
    tensor.sizeBytes = values.bytes.size();
    tensor.shape.assign(values.shape.begin(), values.shape.end());
    return *this;
  }
  /// The error's text; empty when the run succeeded.
  std::string run() {
    if (!module)
      return "does not parse";
    llvm::Error error = runReference(op(), args, options);
    return error ? llvm::toString(std::move(error)) : "";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ReferenceArgs args;
  ReferenceOptions options;
};

/// Replaces `$name` in a program's text.
inline std::string with(std::string text,
                        std::initializer_list<std::pair<std::string, std::string>> names) {
  for (const auto &[name, value] : names)
    for (size_t at; (at = text.find("$" + name)) != std::string::npos;)
      text.replace(at, name.size() + 1, value);
  return text;
}

/// One block with the tensors A, B, C of the given types; `body` uses them.
inline std::string oneBlock(const std::string &params, const std::string &body) {
  return "tile.program @p {\n" + params +
         "  %one = arith.constant 1 : index\n"
         "  tile.kernel \"k\" grid(%one) threads(32) {\n  ^bb0(%bx: index):\n" +
         "    %c0 = arith.constant 0 : index\n    %c1 = arith.constant 1 : index\n"
         "    %c2 = arith.constant 2 : index\n    %c3 = arith.constant 3 : index\n" +
         body + "  }\n}\n";
}

inline std::string tensor(const std::string &name, const std::string &type) {
  return "  %" + name + " = tile.tensor \"" + name + "\"[] : !tile.buffer<" + type + ", global>\n";
}

} // namespace tilec::test

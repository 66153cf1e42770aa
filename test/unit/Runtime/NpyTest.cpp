//===- NpyTest.cpp - array files and strided storage ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Npy.h"
#include "tilec/Runtime/Data.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <unistd.h>

using namespace tilec;
using namespace tilec::rt;

namespace {

/// A file's contents with any header text, in format 1 or 2.
std::string npy(const std::string &dict, const std::string &data, char major = 1) {
  std::string out = std::string("\x93NUMPY", 6) + major + '\0';
  uint32_t length = static_cast<uint32_t>(dict.size());
  out.append(reinterpret_cast<const char *>(&length), major == 1 ? 2 : 4);
  return out + dict + data;
}

std::string errorOf(const std::string &contents) {
  Result<NpyArray> array = parseNpy(contents);
  return array ? "read" : array.error().message;
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Npy, HeaderIsWhatNumPyWrites) {
  // numpy.save of zeros((3, 4), float32): 128 bytes of header, padded with spaces.
  std::string header = npyHeader(HostTensor(DType::F32, {3, 4}));
  EXPECT_EQ(header.size(), 128u);
  EXPECT_EQ(header.substr(10, 58), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), ");
  EXPECT_EQ(header.back(), '\n');
  EXPECT_HAS(npyHeader(HostTensor(DType::BF16, {5})),
             "'<u2', 'fortran_order': False, 'shape': (5,)");
  EXPECT_HAS(npyHeader(HostTensor(DType::F64, {})), "'shape': ()");
  EXPECT_HAS(npyHeader(HostTensor(DType::E2M1, {3, 8})),
             "'|u1', 'fortran_order': False, 'shape': (3, 4)");
}

TEST(Npy, ReadsWhatItWrites) {
  std::string path = testing::TempDir() + "tilec-npy-" + std::to_string(getpid()) + ".npy";
  for (DType dtype : {DType::Bool, DType::I8, DType::I64, DType::U16, DType::F16, DType::BF16,
                      DType::F32, DType::F64, DType::E4M3FN, DType::E5M2FNUZ, DType::E2M1}) {
    HostTensor tensor(dtype, {3, 6});
    fill(tensor, Fill::Randn, 1, "A");
    ASSERT_TRUE(writeNpy(path, tensor));
    Result<NpyArray> array = readNpy(path);
    ASSERT_TRUE(array) << array.error().message;
    Result<HostTensor> read = asTensor(std::move(*array), dtype);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->shape, tensor.shape) << nameOf(dtype);
    EXPECT_EQ(read->bytes, tensor.bytes) << nameOf(dtype);
  }
  std::remove(path.c_str());
}

TEST(Npy, ReadsAllFormatsAndVoidTypes) {
  std::string dict = "{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }";
  std::string data("\x80\x3f\x00\x40", 4);
  for (char major : {1, 2, 3}) {
    Result<NpyArray> array = parseNpy(npy(dict, data, major));
    ASSERT_TRUE(array) << array.error().message;
    Result<HostTensor> tensor = asTensor(*array, DType::BF16);
    ASSERT_TRUE(tensor);
    EXPECT_EQ(tensor->value(0), 1.0);
    EXPECT_EQ(tensor->value(1), 2.0);
    EXPECT_FALSE(asTensor(*array, DType::F16)); // NumPy has a float16: V2 is not it
    EXPECT_FALSE(asTensor(*array, DType::E4M3FN));
  }
}

TEST(Npy, RefusesWithAReason) {
  std::string data(8, '\0');
  auto dict = [](const std::string &descr, const std::string &order, const std::string &shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + "}";
  };
  EXPECT_HAS(errorOf("PK\x03\x04zip file here"), "no .npy file");
  EXPECT_HAS(errorOf(npy(dict("'<f4'", "True", "(2,)"), data)), "ascontiguousarray");
  EXPECT_HAS(errorOf(npy(dict("'>f4'", "False", "(2,)"), data)), "big-endian");
  EXPECT_HAS(errorOf(npy(dict("'<c8'", "False", "(1,)"), data)), "`<c8` is not read");
  EXPECT_HAS(errorOf(npy(dict("'|O'", "False", "(1,)"), data)), "is not read");
  EXPECT_HAS(errorOf(npy(dict("[('a', '<f4')]", "False", "(2,)"), data)), "structured");
  EXPECT_HAS(errorOf(npy(dict("'<f4'", "False", "(3,)"), data)), "holds 8 bytes");
  EXPECT_HAS(errorOf(npy(dict("'<f4'", "False", "(-2,)"), data)), "shape is no tuple");
  EXPECT_HAS(errorOf(npy(dict("'<f4'", "False", "(99999999999,99999999999)"), data)), "2^40");
  EXPECT_HAS(errorOf(npy(dict("'<f4'", "False", "(99999999999999999999,)"), data)), "too large");
  EXPECT_HAS(errorOf(npy("{'descr': '<f4'}", data)), "expected");
  EXPECT_HAS(errorOf(npy(dict("'<f4'", "False", "(2,)"), data, 9)), "format 9");
  std::string good = npy(dict("'<f4'", "False", "(2,)"), data);
  ASSERT_TRUE(parseNpy(good));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(parseNpy(good.substr(0, length))) << length;
  EXPECT_HAS(readNpy("no/such/file.npy").error().message, "No such file");
}

TEST(Strides, ScatterAndGatherAreInverse) {
  HostTensor tensor(DType::I16, {3, 2, 2});
  fill(tensor, Fill::Randn, 1, "A");
  std::vector<int64_t> strides = {10, 1, 3};
  EXPECT_EQ(*spanElems(tensor.shape, strides), 2 * 10 + 1 + 3 + 1);
  std::vector<uint8_t> storage(25 * 2, 0xEE);
  scatter(tensor, strides, storage);
  EXPECT_EQ(storage[2 * 2], 0xEE); // a gap
  EXPECT_EQ(storage[(10 + 1 + 3) * 2], tensor.bytes[(4 + 2 + 1) * 2]);
  HostTensor back(DType::I16, {3, 2, 2});
  gather(storage, strides, back);
  EXPECT_EQ(back.bytes, tensor.bytes);
}

TEST(Strides, SpansAreBounded) {
  EXPECT_EQ(*spanElems({0, 4}, {4, 1}), 0);
  EXPECT_FALSE(spanElems({2, 4}, {-4, 1}));
  EXPECT_FALSE(spanElems({3, 4}, {int64_t(1) << 62, 1}));
  EXPECT_FALSE(elemCountOf({int64_t(1) << 30, int64_t(1) << 30}));
  EXPECT_EQ(*elemCountOf({int64_t(1) << 40, 0}), 0);
}

} // namespace

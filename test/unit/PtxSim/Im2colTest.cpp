//===- Im2colTest.cpp - TMA that walks the places of a convolution's kernel ===//
//
// Source: PTX ISA 9.0, "im2col mode"; CUDA driver API 13.0, cuTensorMapEncodeIm2col.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Runner.h"

using namespace tilec::ptx;
using namespace tilec::ptx::test;

namespace {

constexpr int images = 2, height = 5, width = 4, channels = 8, pixels = 32;

/// A convolution of an image [2, 5, 4, 8] of 16-bit elements that count from 1 on, in boxes of 32
/// places of its kernel.
struct Convolution {
  int kernel, stride, dilation, pad;

  int reach() const { return dilation * (kernel - 1); }
  int placesAlong(int extent) const { return (extent + 2 * pad - reach() - 1) / stride + 1; }

  /// The word of channels 0 and 1 that element (r, s) of the kernel meets at a place.
  uint32_t at(int place, int r, int s) const {
    int ow = placesAlong(width), oh = placesAlong(height);
    int w = place % ow * stride + s * dilation - pad;
    int h = place / ow % oh * stride + r * dilation - pad, n = place / ow / oh;
    if (w < 0 || h < 0 || w >= width || h >= height || n >= images)
      return 0;
    uint32_t first = uint32_t(((n * height + h) * width + w) * channels + 1);
    return first | (first + 1) << 16;
  }

  PtxRun run(int firstPlace, int r, int s) const {
    PtxRun run;
    run.input.resize(images * height * width * channels / 2);
    for (uint32_t i = 0; i < run.input.size(); ++i)
      run.input[i] = (2 * i + 1) | (2 * i + 2) << 16;
    TensorMap map;
    map.rank = 4;
    map.elementBytes = 2;
    map.isIm2col = 1;
    uint64_t dims[] = {channels, width, height, images}, bytes = 2;
    for (int d = 0; d < 4; ++d) {
      map.dims[d] = dims[d];
      bytes *= dims[d];
      if (d < 3)
        map.strideBytes[d] = bytes;
    }
    map.box[0] = channels;
    map.box[1] = pixels;
    for (int i : {0, 1}) {
      map.lower[i] = int8_t(-pad);
      map.upper[i] = int8_t(pad - reach());
      map.steps[i] = uint8_t(stride);
    }
    run.maps.push_back(map);
    int ow = placesAlong(width), oh = placesAlong(height);
    run.body = body({0, firstPlace % ow * stride - pad, firstPlace / ow % oh * stride - pad,
                     firstPlace / ow / oh},
                    s * dilation, r * dilation);
    return run;
  }

  /// Loads a box; each thread gives the first word of a place's row.
  static std::string body(std::vector<int> coords, int right, int down) {
    std::string text = "setp.ne.b32 %p1, %tid, 0;\n@%p1 bra SKIP;\nmov.b32 %r1, 1;\n"
                       "mbarrier.init.shared.b64 [smem+32768], %r1;\n"
                       "fence.proxy.async.shared::cta;\nSKIP:\nbar.sync 0;\n"
                       "mov.b64 %q1, map0;\ncvta.param.u64 %q1, %q1;\nmov.b32 %r2, smem;\n"
                       "@%p1 bra ISSUED;\nmov.b32 %r3, 512;\n"
                       "mbarrier.arrive.expect_tx.shared.b64 %q2, [smem+32768], %r3;\n";
    for (int d = 0; d < 4; ++d)
      text += "mov.b32 %r1" + std::to_string(d) + ", " + std::to_string(coords[d]) + ";\n";
    text += "mov.b16 %h1, " + std::to_string(right) + ";\nmov.b16 %h2, " + std::to_string(down) +
            ";\ncp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes "
            "[%r2], [%q1, {%r10, %r11, %r12, %r13}], [smem+32768], {%h1, %h2};\nISSUED:\n"
            "mov.b32 %r9, smem;\nadd.s32 %r9, %r9, 32768;\nmov.b32 %r8, 0;\nWAIT:\n"
            "mbarrier.try_wait.parity.shared.b64 %p2, [%r9], %r8;\nnot.pred %p2, %p2;\n"
            "@%p2 bra WAIT;\nshl.b32 %r14, %tid, 4;\nadd.s32 %r14, %r14, %r2;\n"
            "ld.shared.b32 %r15, [%r14];\nst.global.b32 [%mine], %r15;";
    return text;
  }
};

const char *const instruction = "cp.async.bulk.tensor.4d.shared::cta.global.im2col";

} // namespace

// Boxes begin anywhere in a line, go on in the next lines and images, and end behind the last one.
TEST(Im2col, WalksThePlacesOfTheKernel) {
  for (Convolution c : {Convolution{1, 1, 1, 0},
                        {3, 1, 1, 1},
                        {3, 2, 1, 1},
                        {3, 1, 2, 2},
                        {2, 2, 3, 2},
                        {2, 1, 1, 0}})
    for (int r = 0; r < c.kernel; ++r)
      for (int s = 0; s < c.kernel; ++s)
        for (int first : {0, 3, 7}) {
          PtxRun run = c.run(first, r, s);
          const std::vector<uint32_t> &out = run.results();
          for (int i = 0; i < pixels; ++i)
            EXPECT_EQ(out[i], c.at(first + i, r, s))
                << c.kernel << c.stride << c.dilation << c.pad << " " << r << s << " " << first + i;
        }
}

// Channels behind the last are zeros: what a box has beyond the last element of the kernel.
TEST(Im2col, ChannelsOutsideAreZeros) {
  PtxRun run = Convolution{3, 1, 1, 1}.run(0, 1, 1);
  run.body = Convolution::body({channels, -1, -1, 0}, 1, 1);
  EXPECT_EQ(run.results(), std::vector<uint32_t>(32, 0));
}

TEST(Im2col, BeginsWhereAKernelMay) {
  PtxRun run = Convolution{3, 1, 1, 1}.run(0, 0, 0);
  run.body = Convolution::body({0, -2, -1, 0}, 0, 0);
  expectFault(run, instruction, "begins at -2 of dimension 1, outside of the corners -1 and 2");
  run.body = Convolution::body({0, 0, 4, 0}, 0, 0);
  expectFault(run, instruction, "begins at 4 of dimension 2, outside of the corners -1 and 3");
  run.body = Convolution::body({0, 0, 0, 0}, 256, 0);
  expectFault(run, instruction, "has offset 256, 255 is the largest");
}

TEST(Im2col, TakesMapsOfItsMode) {
  PtxRun run = Convolution{3, 1, 1, 1}.run(0, 0, 0);
  PtxRun tiled = run;
  tiled.maps[0].isIm2col = 0;
  expectFault(tiled, instruction, "is of another mode than the tensor map, which is tiled");
  std::string mode = ".im2col", offsets = ", {%h1, %h2}";
  run.body.replace(run.body.find(mode), mode.size(), ".tile");
  run.body.erase(run.body.find(offsets), offsets.size());
  expectFault(run, "cp.async.bulk.tensor.4d.shared::cta.global.tile",
              "is of another mode than the tensor map, which is im2col");
}

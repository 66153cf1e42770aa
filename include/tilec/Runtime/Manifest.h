//===- Manifest.h - how to launch a compiled kernel -----------------------===//
//
// The launch manifest: what the compiler writes beside every binary and what every
// launcher reads. docs/deploy/launch-manifest.md is its reference. A field is added,
// never re-purposed; readers refuse an unknown version and ignore unknown fields.
// Version 2 is a manifest with cooperative launches, version 3 one with im2col tensor maps.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"
#include "tilec/Runtime/DimExpr.h"
#include "tilec/Runtime/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilec::rt {

inline constexpr int manifestVersion = 1;
/// Of manifests with cooperative launches, which readers of version 1 would run as others.
inline constexpr int cooperativeManifestVersion = 2;
/// Of manifests with tensor maps of images, whose boxes older readers would take for others.
inline constexpr int im2colManifestVersion = 3;
inline constexpr int64_t pointerBytes = 8;
inline constexpr int64_t tensorMapBytes = 128; ///< CUtensorMap; CUDA driver API, cuda.h
inline constexpr int64_t tensorMapAlign = 64;

enum class ParamKind {
  Tensor,    ///< address of the first element, 8 bytes
  Scalar,    ///< a value of `dtype`
  Dim,       ///< a symbolic size, found from the shapes of the tensors
  Stride,    ///< a stride in elements, found from the strides of the tensors
  Workspace, ///< address of scratch memory that the launcher allocates
  TensorMap, ///< 128 bytes by value, encoded by the launcher (NVIDIA)
};

enum class Access { Read, Write, ReadWrite };

/// What cuTensorMapEncodeIm2col takes of a convolution beside the image's dims: width and height,
/// of the first elements that its kernel meets. Innermost dimension first.
struct Im2colSpec {
  std::vector<int64_t> lower; ///< the first of them
  std::vector<int64_t> upper; ///< the last of them, from the image's last element on
  std::vector<int64_t> steps; ///< between them
};

/// What a tensor map describes. Innermost dimension first, as the CUDA driver wants it.
struct TensorMapSpec {
  std::string of;               ///< name of the tensor parameter it covers
  std::vector<DimExpr> dims;    ///< extents in elements, 1 to 5 of them
  std::vector<DimExpr> strides; ///< of dims 1.., in elements: one less than dims
  std::vector<int64_t> box;     ///< extents of one transfer in elements; im2col: channels, pixels
  int64_t swizzle = 0;          ///< span in bytes: 0, 32, 64 or 128
  /// What L2 reads of a line that it lacks, in bytes: 0, 64, 128 or 256. Where rows do not begin at
  /// sectors of L2, 256 bytes bring much that nobody asked for.
  DimExpr l2Promotion = 256;
  /// The tensor is an image [n, h, w, channels] and transfers walk its places of a kernel.
  std::optional<Im2colSpec> im2col = std::nullopt;
};

/// One parameter of a launch, at its place in the parameter buffer.
struct Param {
  std::string name;
  ParamKind kind = ParamKind::Tensor;
  DType dtype = DType::I32;     ///< tensor, scalar, dim, stride and tensor map (the element's)
  std::vector<DimExpr> shape;   ///< tensor: extents in elements, outermost first
  std::vector<DimExpr> strides; ///< tensor: in elements; empty means row-major without padding
  Access access = Access::Read; ///< tensor
  DimExpr bytes;                ///< workspace
  bool zeroed = false;          ///< workspace: the launcher fills it with zeros before each run
  TensorMapSpec map;            ///< tensor map
  int64_t offset = 0, size = 0, align = 0; ///< bytes, in the parameter buffer
};

struct Launch {
  std::string symbol; ///< the entry's name in the binary
  std::array<DimExpr, 3> grid = {DimExpr(1), DimExpr(1), DimExpr(1)}; ///< in blocks
  std::array<int64_t, 3> block = {1, 1, 1};                           ///< in threads
  std::array<int64_t, 3> cluster = {1, 1, 1};                         ///< in blocks
  /// Dynamic shared memory that the launch asks for. 0 when the binary declares all it needs, as
  /// AMDGPU kernels do.
  int64_t sharedBytes = 0;
  /// The kernel waits itself for what the stream does before it: it may be launched while a kernel
  /// before it still runs (CUDA's programmatic stream serialization).
  bool early = false;
  /// Blocks wait for each other (`T.sync_grid`): all of them run at once, or the launch fails. Its
  /// one zeroed workspace is the barrier's counter.
  bool cooperative = false;
  std::vector<Param> params; ///< by ascending offset

  /// The barrier's counter of a cooperative launch, else null.
  const Param *barrier() const;

  /// Bytes of the parameter buffer: whole words up to the end of the last parameter.
  int64_t paramBytes() const;
};

struct DimDecl {
  std::string name;
  DType dtype = DType::I32; ///< I32 or I64
};

struct Manifest {
  int version = manifestVersion;
  std::string kernel; ///< name in the script
  std::string target; ///< as in `--target=`
  std::vector<DimDecl> dims;
  std::vector<std::string> outputs; ///< tensors that the script returns, in order
  /// Tensors that must match the reference bit for bit although they are floats: the kernel only
  /// copies, casts or masks what it writes there.
  std::vector<std::string> exact;
  /// The kernel calls exp, log, tanh or the like: the agreement rule has a term for it.
  bool transcendental = false;
  /// Floating-point operations of one run, a multiply-add counting two; for benchmarks.
  std::optional<DimExpr> flops;
  std::vector<Launch> launches; ///< in order, each starts after the one before has finished

  /// The version that its launches ask for.
  int neededVersion() const;
  /// The parameters that a caller gives, in order: tensors and scalars, each once.
  std::vector<Param> arguments() const;
};

/// Places `params` in order with natural alignment: sets size, align and offset of each.
void assignOffsets(std::vector<Param> &params);

/// Checks what the types do not: versions, ranges, names that expressions and tensor maps use,
/// offsets. The message names the field.
Status validate(const Manifest &manifest);
/// Reads and validates.
Result<Manifest> parseManifest(std::string_view json);
/// Indented JSON with a newline at the end.
std::string printManifest(const Manifest &manifest);

std::string_view nameOf(ParamKind kind);
std::string_view nameOf(Access access);

} // namespace tilec::rt

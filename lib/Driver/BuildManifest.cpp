//===- BuildManifest.cpp - what a launcher must know ----------------------===//
//
// Parameters, grids and block sizes are read off the tile.program and the wave
// kernels made from it; index arithmetic between parameters becomes expressions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Compile.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Reported.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Reference/Reference.h"
#include "tilec/Transforms/ProductPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {
namespace {

using rt::DimExpr;

/// 1 where a != b, else 0.
DimExpr differs(const DimExpr &a, const DimExpr &b) { return min(max(a - b, b - a), DimExpr(1)); }

/// 1 where a < b, else 0.
DimExpr isLess(const DimExpr &a, const DimExpr &b) {
  return min(max(b - a, DimExpr(0)), DimExpr(1));
}

/// a where the choice is 1, b where it is 0.
DimExpr chosen(const DimExpr &choice, const DimExpr &a, const DimExpr &b) {
  return b + choice * (a - b);
}

/// Unsigned comparisons are those of numbers that are not negative.
DimExpr compared(arith::CmpIPredicate predicate, const DimExpr &a, const DimExpr &b) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::eq:
    return DimExpr(1) - differs(a, b);
  case Predicate::ne:
    return differs(a, b);
  case Predicate::slt:
  case Predicate::ult:
    return isLess(a, b);
  case Predicate::sle:
  case Predicate::ule:
    return DimExpr(1) - isLess(b, a);
  case Predicate::sgt:
  case Predicate::ugt:
    return isLess(b, a);
  case Predicate::sge:
  case Predicate::uge:
    return DimExpr(1) - isLess(a, b);
  }
  llvm_unreachable("all predicates are above");
}

/// Whether the value may be negative: dims are not.
bool dependsOnScalar(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || isa<tile::ScalarOp>(op) || llvm::any_of(op->getOperands(), dependsOnScalar);
}

/// The quotient that is rounded towards zero.
DimExpr truncated(const DimExpr &a, const DimExpr &b, Operation *op) {
  if (!dependsOnScalar(op->getResult(0)))
    return floorDiv(a, b);
  DimExpr size = floorDiv(max(a, DimExpr(0) - a), max(b, DimExpr(0) - b));
  return chosen(differs(isLess(a, DimExpr(0)), isLess(b, DimExpr(0))), DimExpr(0) - size, size);
}

/// Whether a number that is converted to the type is the same as before: sizes have 32 bits.
bool keepsNumbers(Type type) { return type.isIndex() || type.getIntOrFloatBitWidth() >= 32; }

/// The sum; a quotient and 1 where there is a rest, which is how the language rounds up, by its
/// name.
DimExpr sumOf(const DimExpr &a, const DimExpr &b) {
  const DimExpr::Node &node = a.node();
  if (node.op == DimExpr::Op::FloorDiv) {
    DimExpr whole = DimExpr::of(node.lhs), by = DimExpr::of(node.rhs);
    if (b == differs(whole - a * by, DimExpr(0)))
      return ceilDiv(whole, by);
  }
  return a + b;
}

/// Arithmetic on parameters, as the manifest's expression; nothing where a launch cannot do it.
std::optional<DimExpr> expressionOf(Value value) {
  bool isTruth = value.getType().isInteger(1);
  if (std::optional<int64_t> constant = tile::constantInt(value))
    return DimExpr(isTruth ? *constant & 1 : *constant);
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<tile::DimOp>(op))
    return DimExpr::name(dim.getName().str());
  if (auto scalar = dyn_cast_or_null<tile::ScalarOp>(op))
    return value.getType().isIntOrIndex() ? std::optional(DimExpr::name(scalar.getName().str()))
                                          : std::nullopt;
  if (!op || op->getNumOperands() == 0 || !isa<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  SmallVector<DimExpr, 3> of;
  for (Value operand : op->getOperands()) {
    std::optional<DimExpr> one = expressionOf(operand);
    if (!one)
      return std::nullopt;
    of.push_back(*one);
  }
  bool isShift = isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
  std::optional<int64_t> by = isShift ? tile::constantInt(op->getOperand(1)) : std::nullopt;
  if (isShift && (!by || *by < 0 || *by > 62))
    return std::nullopt;
  using Result = std::optional<DimExpr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](auto) { return keepsNumbers(value.getType()) ? Result(of[0]) : std::nullopt; })
      .Case([&](arith::ExtSIOp) {
        bool ofTruth = op->getOperand(0).getType().isInteger(1);
        return ofTruth ? DimExpr(0) - of[0] : of[0];
      })
      .Case([&](arith::AddIOp) { return sumOf(of[0], of[1]); })
      .Case([&](arith::SubIOp) { return of[0] - of[1]; })
      .Case([&](arith::MulIOp) { return of[0] * of[1]; })
      .Case<arith::FloorDivSIOp, arith::DivUIOp>([&](auto) { return floorDiv(of[0], of[1]); })
      .Case([&](arith::DivSIOp) { return truncated(of[0], of[1], op); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) { return ceilDiv(of[0], of[1]); })
      .Case([&](arith::RemUIOp) { return of[0] % of[1]; })
      .Case([&](arith::RemSIOp) {
        return dependsOnScalar(value) ? of[0] - truncated(of[0], of[1], op) * of[1] : of[0] % of[1];
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return min(of[0], of[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return max(of[0], of[1]); })
      .Case([&](arith::AndIOp) { return of[0] & of[1]; })
      .Case([&](arith::OrIOp) { return of[0] | of[1]; })
      .Case([&](arith::XOrIOp) { return of[0] ^ of[1]; })
      .Case([&](arith::ShLIOp) { return of[0] * DimExpr(int64_t(1) << *by); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto) { return floorDiv(of[0], DimExpr(int64_t(1) << *by)); })
      .Case([&](arith::CmpIOp compare) { return compared(compare.getPredicate(), of[0], of[1]); })
      .Case([&](arith::SelectOp) -> Result {
        return op->getResult(0).getType().isIntOrIndex() ? Result(chosen(of[0], of[1], of[2]))
                                                         : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The same of what checkLaunchArithmetic has let pass.
DimExpr exprOf(Value value) {
  std::optional<DimExpr> expression = expressionOf(value);
  if (!expression)
    llvm::report_fatal_error("a pass has made a size that a launch cannot compute");
  return *expression;
}

std::vector<rt::DimExpr> shapeOf(Value buffer, ValueRange dims) {
  std::vector<rt::DimExpr> shape;
  size_t next = 0;
  for (int64_t size : cast<tile::BufferType>(buffer.getType()).getShape())
    shape.push_back(ShapedType::isDynamic(size) ? exprOf(dims[next++]) : rt::DimExpr(size));
  return shape;
}

rt::Param paramOf(Operation *op, llvm::StringRef access) {
  rt::Param param;
  param.name = op->getAttrOfType<StringAttr>("name").getValue().str();
  param.access = access == "rw"  ? rt::Access::ReadWrite
                 : access == "w" ? rt::Access::Write
                                 : rt::Access::Read;
  if (auto tensor = dyn_cast<tile::TensorOp>(op)) {
    param.kind = rt::ParamKind::Tensor;
    param.dtype = tile::dtypeOf(tensor.getResult().getType().getElementType());
    if (std::optional<ArrayRef<int64_t>> seen = tensor.getSeenShape())
      param.shape.assign(seen->begin(), seen->end());
    else
      param.shape = shapeOf(tensor.getResult(), tensor.getDims());
    for (Value stride : tensor.getStrides())
      param.strides.push_back(exprOf(stride));
  } else if (auto scalar = dyn_cast<tile::ScalarOp>(op)) {
    param.kind = rt::ParamKind::Scalar;
    param.dtype = tile::dtypeOf(scalar.getDtype());
  } else if (auto dim = dyn_cast<tile::DimOp>(op)) {
    param.kind = rt::ParamKind::Dim;
    param.dtype = dim.getWide() ? DType::I64 : DType::I32;
  } else {
    auto workspace = cast<tile::WorkspaceOp>(op);
    tile::BufferType type = workspace.getResult().getType();
    param.kind = rt::ParamKind::Workspace;
    rt::DimExpr elems(1);
    for (const rt::DimExpr &size : shapeOf(workspace.getResult(), workspace.getDims()))
      elems = elems * size;
    param.bytes = elems * rt::DimExpr(bytesOf(tile::dtypeOf(type.getElementType())));
    param.zeroed = workspace.getZeroed();
  }
  return param;
}

Operation *parameterNamed(tile::ProgramOp program, StringRef name) {
  for (Operation &op : program.getBody().front())
    if (isa<tile::TensorOp, tile::ScalarOp, tile::DimOp, tile::WorkspaceOp>(op) &&
        op.getAttrOfType<StringAttr>("name").getValue() == name)
      return &op;
  return nullptr;
}

/// 256 bytes, but 128 where rows do not begin at multiples of 64 bytes: there the rest of a line is
/// another row's. A product whose rows are 8208 bytes apart takes 1.19 times as long with 256
/// (docs/numbers/hopper-trials.md, "Pitches").
rt::DimExpr promotionOf(const rt::TensorMapSpec &map, DType dtype) {
  rt::DimExpr misaligned(0);
  for (const rt::DimExpr &stride : map.strides)
    misaligned = max(misaligned, stride * rt::DimExpr(bitsOf(dtype)) % rt::DimExpr(64 * 8));
  return rt::DimExpr(256) - rt::DimExpr(128) * min(rt::DimExpr(1), misaligned);
}

/// A tensor map, from its entry in the kernel's `tensor_maps`: the whole tensor, innermost first.
rt::Param mapParamOf(DictionaryAttr spec, tile::ProgramOp program) {
  auto tensor =
      cast<tile::TensorOp>(parameterNamed(program, spec.getAs<StringAttr>("of").getValue()));
  rt::Param param;
  param.name = spec.getAs<StringAttr>("name").getValue().str();
  param.kind = rt::ParamKind::TensorMap;
  param.dtype = tile::dtypeOf(tensor.getResult().getType().getElementType());
  param.map.of = tensor.getName().str();
  if (auto dims = spec.getAs<DenseI64ArrayAttr>("dims")) {
    param.map.dims.assign(dims.asArrayRef().begin(), dims.asArrayRef().end());
  } else {
    param.map.dims = shapeOf(tensor.getResult(), tensor.getDims());
    std::reverse(param.map.dims.begin(), param.map.dims.end());
  }
  rt::DimExpr stride(1);
  for (size_t d = 0; d + 1 < param.map.dims.size(); ++d) {
    stride = stride * param.map.dims[d];
    param.map.strides.push_back(stride);
  }
  for (int64_t extent : spec.getAs<DenseI64ArrayAttr>("box").asArrayRef())
    param.map.box.push_back(extent);
  param.map.swizzle = spec.getAs<IntegerAttr>("swizzle").getInt();
  param.map.l2Promotion = promotionOf(param.map, param.dtype);
  if (spec.contains("steps")) {
    auto numbers = [&](StringRef name) {
      ArrayRef<int64_t> list = spec.getAs<DenseI64ArrayAttr>(name).asArrayRef();
      return std::vector<int64_t>(list.begin(), list.end());
    };
    param.map.im2col = {numbers("lower"), numbers("upper"), numbers("steps")};
  }
  return param;
}

DictionaryAttr tensorMapNamed(wave::KernelOp kernel, StringRef name) {
  auto maps = kernel.getTensorMapsAttr();
  for (Attribute spec : maps ? maps.getValue() : ArrayRef<Attribute>())
    if (cast<DictionaryAttr>(spec).getAs<StringAttr>("name").getValue() == name)
      return cast<DictionaryAttr>(spec);
  return {};
}

/// Operations of the matrix products of one launch, when their number is known.
std::optional<rt::DimExpr> flopsOf(tile::KernelOp kernel, const rt::Launch &launch) {
  rt::DimExpr perBlock(0);
  bool isKnown = true, isPersistent = false;
  kernel.walk([&](tile::GemmOp gemm) {
    rt::DimExpr times(2 * gemm.m() * gemm.n() * gemm.k());
    for (Operation *up = gemm->getParentOp(); up != kernel; up = up->getParentOp()) {
      auto loop = dyn_cast<tile::ForOp>(up);
      std::optional<uint64_t> perRound = loop ? loop.getPersistent() : std::nullopt;
      if (perRound) {
        // Its rounds in all clusters together are the tiles.
        std::optional<DimExpr> tiles = expressionOf(loop.getUpper());
        isKnown &= tiles.has_value();
        times = times * tiles.value_or(DimExpr(0)) * rt::DimExpr(int64_t(*perRound));
        isPersistent = true;
        continue;
      }
      auto lower = loop ? tile::constantInt(loop.getLower()) : std::nullopt;
      auto upper = loop ? tile::constantInt(loop.getUpper()) : std::nullopt;
      auto step = loop ? tile::constantInt(loop.getStep()) : std::nullopt;
      if (!lower || !upper || !step || *step <= 0) {
        isKnown = false;
        return;
      }
      times = times * rt::DimExpr(std::max<int64_t>(0, (*upper - *lower + *step - 1) / *step));
    }
    perBlock = perBlock + times;
  });
  if (!isKnown || perBlock.constant() == 0)
    return std::nullopt;
  if (isPersistent)
    return perBlock;
  return perBlock * launch.grid[0] * launch.grid[1] * launch.grid[2];
}

//===----------------------------------------------------------------------===//
// Tensors that are only copied into
//===----------------------------------------------------------------------===//

/// Whether a scalar is computed without rounding arithmetic on floats.
bool isExactValue(Value value, const llvm::DenseSet<Value> &inexact) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !inexact.contains(rootOf(load.getBuffer()));
  if (isa<arith::ConstantOp>(op))
    return true;
  bool movesOnly = isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp, arith::CmpFOp,
                       arith::CmpIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
                       arith::FPToUIOp, arith::NegFOp, arith::BitcastOp, tile::RoundOp>(op);
  if (!movesOnly &&
      !llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndex(); }))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value v) {
    return isa<tile::BufferType>(v.getType()) || isExactValue(v, inexact);
  });
}

std::vector<std::string> exactTensors(tile::ProgramOp program) {
  llvm::DenseSet<Value> inexact;
  bool changed = true;
  while (changed) {
    changed = false;
    auto mark = [&](Value buffer) { changed |= inexact.insert(rootOf(buffer)).second; };
    program.walk([&](Operation *op) {
      if (auto store = dyn_cast<tile::StoreOp>(op)) {
        if (!isExactValue(store.getValue(), inexact))
          mark(store.getBuffer());
      } else if (auto copy = dyn_cast<tile::CopyOp>(op)) {
        if (inexact.contains(rootOf(copy.getSrc())))
          mark(copy.getDst());
      } else if (auto copy = dyn_cast<tile::AsyncCopyOp>(op)) {
        if (inexact.contains(rootOf(copy.getSrc())))
          mark(copy.getDst());
      } else if (auto copy = dyn_cast<tile::TmaCopyOp>(op)) {
        if (inexact.contains(rootOf(copy.getSrc())))
          mark(copy.getDst());
      } else if (isa<tile::GemmOp, tile::ReduceOp, tile::ScanOp, tile::AtomicOp>(op)) {
        for (Value root : accessesOf(op).writes)
          mark(root);
      } else if (!op->getNumRegions()) {
        auto accesses = accessesOf(op);
        if (llvm::any_of(accesses.reads,
                         [&](Value root) { return inexact.contains(rootOf(root)); }))
          for (Value root : accesses.writes)
            mark(root);
      }
    });
  }
  std::vector<std::string> names;
  for (tile::TensorOp tensor : program.getBody().getOps<tile::TensorOp>())
    if (isFloat(tile::dtypeOf(tensor.getResult().getType().getElementType())) &&
        !inexact.contains(tensor.getResult()))
      names.push_back(tensor.getName().str());
  return names;
}

} // namespace

/// Sizes that nothing depends on are left out: they are extents of tensors that no launch takes,
/// and callers could not tell them.
static void dropUnmentionedDims(rt::Manifest &manifest) {
  std::set<std::string> names;
  auto mention = [&](const std::vector<rt::DimExpr> &expressions) {
    for (const rt::DimExpr &expression : expressions)
      expression.collectNames(names);
  };
  if (manifest.flops)
    mention({*manifest.flops});
  for (const rt::Launch &launch : manifest.launches) {
    mention({launch.grid.begin(), launch.grid.end()});
    for (const rt::Param &param : launch.params) {
      names.insert(param.name);
      mention(param.shape);
      mention(param.strides);
      mention(param.map.dims);
      mention(param.map.strides);
      mention({param.bytes, param.map.l2Promotion});
    }
  }
  std::erase_if(manifest.dims, [&](const rt::DimDecl &dim) { return !names.count(dim.name); });
}

LogicalResult checkLaunchArithmetic(tile::ProgramOp program) {
  auto result = program.walk([](Operation *op) {
    SmallVector<Value> sizes;
    if (auto tensor = dyn_cast<tile::TensorOp>(op)) {
      llvm::append_range(sizes, tensor.getDims());
      llvm::append_range(sizes, tensor.getStrides());
    } else if (auto workspace = dyn_cast<tile::WorkspaceOp>(op)) {
      llvm::append_range(sizes, workspace.getDims());
    } else if (auto kernel = dyn_cast<tile::KernelOp>(op)) {
      llvm::append_range(sizes, kernel.getGrid());
    }
    for (Value size : sizes)
      if (!expressionOf(size)) {
        (void)Reported(op, DiagId::NotLaunchArithmetic);
        return WalkResult::interrupt();
      }
    return isa<tile::KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

rt::Manifest buildManifest(tile::ProgramOp source, tile::ProgramOp program, ModuleOp module,
                           Arch arch) {
  rt::Manifest manifest;
  manifest.kernel = program.getName().str();
  manifest.target = nameOf(arch);
  for (tile::DimOp dim : program.getBody().getOps<tile::DimOp>())
    manifest.dims.push_back({dim.getName().str(), dim.getWide() ? DType::I64 : DType::I32});
  if (program.getOutputs())
    for (Attribute output : program.getOutputsAttr())
      manifest.outputs.push_back(cast<StringAttr>(output).getValue().str());
  // Of a constant they may be folded by now, which rounds as the host's library does.
  manifest.transcendental = usesTranscendentals(source);
  std::set<std::string> written;

  SmallVector<tile::KernelOp> kernels(program.getBody().getOps<tile::KernelOp>());
  std::optional<rt::DimExpr> flops;
  for (auto [kernel, waveKernel] : llvm::zip(kernels, module.getOps<wave::KernelOp>())) {
    rt::Launch launch;
    launch.symbol = waveKernel.getSymName().str();
    for (auto [d, extent] : llvm::enumerate(kernel.getGrid()))
      launch.grid[d] = exprOf(extent);
    launch.block[0] = waveKernel.getThreads();
    launch.cluster[0] = waveKernel.getCluster();
    waveKernel.walk([&](wave::GridWaitOp) { launch.early = true; });
    waveKernel.walk([&](wave::GridSyncOp) { launch.cooperative = true; });
    // NVPTX kernels use one dynamic array; AMDGPU objects declare their LDS themselves.
    launch.sharedBytes = vendorOf(arch) == Vendor::Nvidia ? waveKernel.getSharedBytes() : 0;
    for (auto [name, access] : llvm::zip(waveKernel.getArgNames(), waveKernel.getArgAccess())) {
      StringRef mode = cast<StringAttr>(access).getValue();
      if (DictionaryAttr map = tensorMapNamed(waveKernel, cast<StringAttr>(name).getValue())) {
        launch.params.push_back(mapParamOf(map, program));
        continue;
      }
      Operation *op = parameterNamed(program, cast<StringAttr>(name).getValue());
      launch.params.push_back(paramOf(op, mode));
      if (mode.contains('w'))
        written.insert(launch.params.back().name);
    }
    rt::assignOffsets(launch.params);
    if (auto own = flopsOf(kernel, launch))
      flops = flops ? *flops + *own : *own;
    manifest.launches.push_back(std::move(launch));
  }
  manifest.version = manifest.neededVersion();
  manifest.flops = flops;
  std::vector<std::string> exact = exactTensors(program);
  if (manifest.transcendental) {
    std::vector<std::string> before = exactTensors(source);
    std::erase_if(exact,
                  [&](const std::string &name) { return !llvm::is_contained(before, name); });
  }
  for (const std::string &name : exact)
    if (written.count(name))
      manifest.exact.push_back(name);
  dropUnmentionedDims(manifest);
  return manifest;
}

} // namespace tilec

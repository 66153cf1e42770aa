//===- Import.cpp - programs, parameters, launches ------------------------===//
//
// Takes a traced program, makes the ops of parameters and launches around the bodies; Importer.h
// has what all files of this folder share.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Import/Import.h"

#include "Importer.h"

#include "tilec/IR/Tile/Places.h"

using namespace mlir;

namespace tilec {

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    out += i ? ", " : "";
    out += ShapedType::isDynamic(shape[i]) ? "?" : std::to_string(shape[i]);
  }
  return out + "]";
}

llvm::StringRef dtypeText(DType type) {
  std::string_view name = nameOf(type);
  return llvm::StringRef(name.data(), name.size());
}

Importer::Importer(MLIRContext &context, const script::Program &program,
                   const SourceManager &sources, DiagnosticEngine &diags)
    : context(context), program(program), sources(sources), diags(diags), b(&context) {}

std::nullptr_t Importer::fail(Diagnostic error) {
  constexpr unsigned most = 200;
  failed = true;
  std::string key(nameOf(error.id));
  key += error.span.isValid() ? llvm::formatv("@{0}:{1}", error.span.file, error.span.begin).str()
                              : error.message;
  lastIsNew = errors.size() < most && errors.insert(key).second;
  if (lastIsNew)
    diags.add(std::move(error));
  return nullptr;
}

void Importer::lose(const script::Stmt *s) {
  failed = true;
  const script::Var *var = nullptr;
  if (const auto *alloc = llvm::dyn_cast<script::AllocStmt>(s))
    lose(alloc->buffer);
  else if (const auto *let = llvm::dyn_cast<script::LetStmt>(s))
    var = let->var;
  else if (const auto *call = llvm::dyn_cast<script::TileCallStmt>(s))
    var = call->result;
  if (!var)
    return;
  vars.erase(var);
  lostVars.insert(var);
}

Location Importer::at(Span span) {
  if (!span.isValid() || span.file >= sources.fileCount())
    return b.getUnknownLoc();
  const SourceFile &file = sources.file(span.file);
  LineColumn begin = file.lineColumn(span.begin), end = file.lineColumn(span.end);
  return FileLineColRange::get(&context, file.name(), begin.line, begin.column, end.line,
                               end.column);
}

/// Whether the script turns upstream's option of this key on.
static bool asksFor(const script::Program &program, llvm::StringRef key) {
  return llvm::any_of(program.passConfigs, [&](const script::PassConfig &config) {
    return config.key == key && config.value.isTrue();
  });
}

/// The exponentials of f32 may be the hardware's, which give no denormals. Other functions stay
/// accurate: their instructions err by more than the agreement rule allows.
static void approximateExponentials(ModuleOp module) {
  module.walk([](Operation *op) {
    if (isa<math::ExpOp, math::Exp2Op>(op) && op->getResult(0).getType().isF32())
      op->setAttr(cast<arith::ArithFastMathInterface>(op).getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::afn));
  });
}

OwningOpRef<ModuleOp> Importer::run() {
  OwningOpRef<ModuleOp> module(ModuleOp::create(at(program.span)));
  b.setInsertionPointToStart(module->getBody());
  SmallVector<Attribute> outputs;
  for (const script::Param &p : program.params)
    paramNames.push_back(uniqueName(p.name));
  for (unsigned i : program.outputs)
    outputs.push_back(paramNames[i]);
  ArrayAttr outputNames = outputs.empty() ? ArrayAttr() : b.getArrayAttr(outputs);
  auto op =
      tile::ProgramOp::create(b, at(program.span), b.getStringAttr(program.name), outputNames);
  b.setInsertionPointToStart(&op.getBody().emplaceBlock());
  parameters();
  for (size_t i = 0; i < program.launches.size(); ++i)
    launch(*program.launches[i], i);
  if (asksFor(program, "tl.enable_fast_math"))
    approximateExponentials(*module);
  if (!failed)
    return module;
  if (!diags.hasErrors())
    diags.report(DiagId::NotYetCompiled, program.span, program.name);
  return nullptr;
}

/// Scripts may give two tensors or dimensions one name (`B = T.empty(...)` twice); a launch may
/// not.
StringAttr Importer::uniqueName(llvm::StringRef name) {
  std::string unique = name.str();
  for (unsigned n = 2; !usedNames.insert(unique).second; ++n)
    unique = (name + "_" + llvm::Twine(n)).str();
  return b.getStringAttr(unique);
}

/// Extents as a type has them, with the values of the dynamic ones.
bool Importer::programExtents(llvm::ArrayRef<const Expr *> shape, Span span,
                              SmallVectorImpl<int64_t> &sizes, SmallVectorImpl<Value> &dims) {
  for (const Expr *e : shape) {
    if (std::optional<int64_t> size = e->constInt()) {
      if (!fitsIndex(*size)) {
        fail(DiagId::ExtentTooWide, span, *size);
        return false;
      }
      sizes.push_back(*size);
      continue;
    }
    Value v = index(e);
    if (!v)
      return false;
    sizes.push_back(ShapedType::kDynamic);
    dims.push_back(v);
  }
  return true;
}

bool Importer::declareTensor(const Buffer *buffer, StringAttr name, bool isWorkspace) {
  SmallVector<int64_t> sizes;
  SmallVector<Value> dims, strides;
  if (!programExtents(buffer->shape, buffer->span, sizes, dims))
    return false;
  auto type = tile::BufferType::get(&context, sizes, tile::elementTypeOf(buffer->type, &context),
                                    tile::Scope::Global);
  Location loc = at(buffer->span);
  if (isWorkspace) {
    buffers[buffer] = tile::WorkspaceOp::create(b, loc, type, name, dims);
    return true;
  }
  for (const Expr *e : buffer->strides) {
    Value v = index(e);
    if (!v)
      return false;
    strides.push_back(v);
  }
  buffers[buffer] = tile::TensorOp::create(b, loc, type, name, dims, strides,
                                           /*place=*/IntegerAttr(),
                                           buffer->mayOverlap ? b.getUnitAttr() : UnitAttr(),
                                           /*seen_shape=*/DenseI64ArrayAttr());
  return true;
}

void Importer::parameters() {
  // Values before their uses: dims and scalars first, whatever the order of the ABI is.
  for (const script::Var *dim : program.dims) {
    vars[dim] = tile::DimOp::create(b, at(dim->span), b.getIndexType(), uniqueName(dim->name),
                                    dim->type == DType::I64);
    nonNegative[dim] = true;
  }
  for (auto [p, name] : llvm::zip_equal(program.params, paramNames))
    if (p.scalar)
      vars[p.scalar] =
          tile::ScalarOp::create(b, at(p.span), scalarType(p.scalar->type), name,
                                 TypeAttr::get(tile::elementTypeOf(p.scalar->type, &context)),
                                 /*place=*/IntegerAttr());
  for (auto [p, name] : llvm::zip_equal(program.params, paramNames))
    if (p.buffer && !declareTensor(p.buffer, name, /*isWorkspace=*/false))
      lose(p.buffer);
  recordPlaces();
  for (const Buffer *workspace : program.workspaces)
    if (!declareTensor(workspace, uniqueName(workspace->name), /*isWorkspace=*/true))
      lose(workspace);
}

/// Where the script has scalars between tensors, which place each parameter has in the ABI.
void Importer::recordPlaces() {
  bool scalarsComeFirst =
      std::is_partitioned(program.params.begin(), program.params.end(),
                          [](const script::Param &p) { return p.scalar != nullptr; });
  if (scalarsComeFirst)
    return;
  for (auto [n, p] : llvm::enumerate(program.params)) {
    Value v = p.scalar ? vars.lookup(p.scalar) : buffers.lookup(p.buffer);
    if (Operation *op = v ? v.getDefiningOp() : nullptr)
      tile::setParameterPlace(op, int64_t(n));
  }
}

void Importer::launch(const script::Launch &l, size_t number) {
  SmallVector<Value> grid;
  for (const Expr *e : l.grid)
    grid.push_back(extent(e));
  int64_t threads = 1;
  for (int64_t t : l.threads)
    threads *= t;
  std::string name = program.name;
  if (program.launches.size() > 1)
    name += "_" + std::to_string(number);
  bool ownBarriers = l.usesThreadIdentity && asksFor(program, "tl.disable_thread_storage_sync");
  kernelOp = tile::KernelOp::create(b, at(l.span), b.getStringAttr(name), grid,
                                    b.getI64IntegerAttr(threads), b.getI64IntegerAttr(0),
                                    b.getBoolAttr(false),
                                    l.usesThreadIdentity ? b.getUnitAttr() : UnitAttr(),
                                    ownBarriers ? b.getUnitAttr() : UnitAttr(),
                                    b.getI64IntegerAttr(l.usesThreadIdentity ? warpLanes() : 0),
                                    l.readsThreadCount ? b.getUnitAttr() : UnitAttr(),
                                    /*least_threads=*/IntegerAttr(), /*unplanned=*/UnitAttr(),
                                    /*cluster=*/b.getI64IntegerAttr(1),
                                    /*teams=*/b.getI64IntegerAttr(1),
                                    /*min_blocks=*/b.getI64IntegerAttr(1), /*shared_bytes=*/{},
                                    /*shared_place=*/{});
  OpBuilder::InsertionGuard guard(b);
  Block &block = kernelOp.getBody().emplaceBlock();
  for (const script::Var *v : l.blockVars) {
    vars[v] = block.addArgument(b.getIndexType(), at(v->span));
    nonNegative[v] = true;
  }
  for (auto [v, extent] : llvm::zip(l.blockVars, l.grid))
    if (std::optional<ExprRange> range = rangeOf(extent))
      ranges.insert_or_assign(v, ExprRange{0, std::max<int64_t>(range->high - 1, 0)});
  b.setInsertionPointToStart(&block);
  current = &l;
  thread = nullptr;
  bindThreads(l);
  emitterLocals.clear();
  findEmitterLocals(l.body);
  for (const Expr *e : program.assumptions)
    if (Value condition = value(e))
      tile::AssumeOp::create(b, at(e->span), condition);
    else
      failed = true;
  body(l.body);
  if (!failed)
    placeTensors();
}

OwningOpRef<ModuleOp> importProgram(MLIRContext &context, const script::Program &program,
                                    const SourceManager &sources, DiagnosticEngine &diags) {
  context.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  return Importer(context, program, sources, diags).run();
}

} // namespace tilec

//===- ContractsTest.cpp - broken contracts between passes are found ------===//
//
// A fault is planted for every need, every promise and every part that a pass leaves: a pass that
// does nothing under another's name, a pass in front of those that it needs, or one that changes
// what is none of its business.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/Contracts.h"
#include "tilec/Driver/Pipelines.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;
using namespace tilec;

namespace {

using Fault = std::function<void(Operation *)>;

/// Has the name of another pass, or of one of MLIR's.
struct Planted : PassWrapper<Planted, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Planted)

  Planted(StringRef name, Fault fault) : name(name), fault(std::move(fault)) {}
  StringRef getArgument() const override { return name; }
  void runOnOperation() override { fault(getOperation()); }

  std::string name;
  Fault fault;
};

/// A product over rounds of 32; fills and stores a fragment; `two` shared buffers at once.
constexpr const char *product = R"mlir(
tile.program @product {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 512], f16, global>
  %R = tile.tensor "R"[] : !tile.buffer<[64, 64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "product" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[64, 64], f16, shared>
    %Bs = tile.alloc "B_shared" : !tile.buffer<[64, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    tile.fill %zero, %C : f32, !tile.buffer<[64, 64], f32, fragment>
    tile.for %k = %c0 to %c8 step %one kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %box = tile.subview %A[%c0, %at] : !tile.buffer<[64, 512], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %box to %As : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.copy %box to %Bs : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %As, %Bs, %C {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
    %rest = tile.subview %R[%c0, %c0] : !tile.buffer<[64, 64], f32, global> to !tile.buffer<[64, 64], f32, global>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %C[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      tile.store %x, %rest[%i, %j] : f32, !tile.buffer<[64, 64], f32, global>
    }
  }
}
)mlir";

/// Two shared buffers that are needed at the same time, and a value handed over in one.
constexpr const char *exchange = R"mlir(
tile.program @exchange {
  %B = tile.tensor "B"[] : !tile.buffer<[256], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "exchange" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[256], f32, shared>
    %U = tile.alloc "U" : !tile.buffer<[256], f32, shared>
    %n = arith.constant 256 : index
    %last = arith.constant 255 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%n) {
      tile.store %zero, %S[%i] : f32, !tile.buffer<[256], f32, shared>
      tile.store %zero, %U[%i] : f32, !tile.buffer<[256], f32, shared>
    }
    tile.parallel (%i) in (%n) {
      %mirror = arith.subi %last, %i : index
      %x = tile.load %S[%mirror] : !tile.buffer<[256], f32, shared> -> f32
      %y = tile.load %U[%mirror] : !tile.buffer<[256], f32, shared> -> f32
      %s = arith.addf %x, %y : f32
      tile.store %s, %B[%i] : f32, !tile.buffer<[256], f32, global>
    }
  }
}
)mlir";

/// Threads of two waves touch one element.
constexpr const char *threads = R"mlir(
tile.program @threads {
  %R = tile.tensor "R"[] : !tile.buffer<[128], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "threads" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %last = arith.constant 127 : index
    %f = arith.constant 1.0 : f32
    %t = tile.thread_id
    %m = arith.subi %last, %t : index
    %s = tile.alloc "s" : !tile.buffer<[128], f32, shared>
    tile.store %f, %s[%t] : f32, !tile.buffer<[128], f32, shared>
    %x = tile.load %s[%m] : !tile.buffer<[128], f32, shared> -> f32
    tile.store %x, %R[%t] : f32, !tile.buffer<[128], f32, global>
  }
}
)mlir";

struct Context {
  Context() {
    DialectRegistry registry;
    registry.insert<tile::TileDialect, wave::WaveDialect, arith::ArithDialect, math::MathDialect,
                    scf::SCFDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    static bool once = [] {
      registerTilecPasses();
      registerPipelines();
      registerCanonicalizerPass();
      registerCSEPass();
      return true;
    }();
    (void)once;
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

/// The passes of each stage, with {target}, up to `last`. The order is that of
/// Driver/Pipelines.cpp.
std::vector<std::string> passesBefore(StringRef last, StringRef target) {
  std::string chip = ("{target=" + target + "}").str();
  std::vector<std::string> all = {"tile-check",
                                  "tile-separate-overlaps{lockstep=true}",
                                  "tile-expand-thread-tiles",
                                  "tile-keep-single-elements",
                                  "tile-stage-elements",
                                  "tile-unroll-locals",
                                  "tile-unroll-reads",
                                  "tile-share-quotients",
                                  "tile-store-once",
                                  "tile-decide-comparisons{lockstep=true}",
                                  "tile-separate-threads",
                                  "tile-part-waves" + chip,
                                  "tile-choose-threads" + chip,
                                  "tile-transpose-operands" + chip,
                                  "tile-convert-operands" + chip,
                                  "tile-expand-products" + chip,
                                  "tile-pack-tiles",
                                  "tile-isolate-operands" + chip,
                                  "tile-choose-warp-groups" + chip,
                                  "tile-chain-products" + chip,
                                  "tile-keep-operands" + chip,
                                  "tile-infer-layouts" + chip,
                                  "tile-unroll-held-rows",
                                  "tile-unroll-windows",
                                  "tile-follow-pieces",
                                  "tile-match-operands" + chip,
                                  "tile-stage-fragments" + chip,
                                  "tile-lay-out-shared" + chip,
                                  "tile-raise-transposes" + chip,
                                  "tile-keep-loop-layouts" + chip,
                                  "tile-choose-schedules" + chip,
                                  "tile-delay-sums",
                                  "tile-rewrite-gates",
                                  "tile-shorten-angles" + chip,
                                  "tile-fuse-squares",
                                  "tile-fuse-affine",
                                  "tile-relax-exponentials" + chip,
                                  "tile-relax-logarithms",
                                  "tile-relax-tangents",
                                  "tile-relax-quotients" + chip,
                                  "tile-fuse-exact-products",
                                  "tile-allow-fast-math",
                                  "tile-run-serial-ahead" + chip,
                                  "tile-hoist-reads" + chip,
                                  "tile-hoist-tiles",
                                  "tile-find-producers" + chip,
                                  "tile-clear-products" + chip,
                                  "tile-choose-rounds" + chip,
                                  "tile-forward-stores" + chip,
                                  "tile-find-dead-rounds",
                                  "tile-guard-masks" + chip,
                                  "tile-share-out-tiles" + chip,
                                  "tile-take-turns" + chip,
                                  "tile-fit-slots" + chip,
                                  "tile-store-tiles" + chip,
                                  "tile-add-slots" + chip,
                                  "tile-fill-once" + chip,
                                  "tile-clear-first-rounds" + chip,
                                  "tile-delay-waits" + chip,
                                  "tile-expand-producers" + chip,
                                  "tile-read-images",
                                  "tile-separate-tiles",
                                  "tile-expand-pipelines" + chip,
                                  "canonicalize",
                                  "cse",
                                  "tile-stage-stores" + chip,
                                  "tile-place-shared" + chip,
                                  "tile-place-barriers",
                                  "tile-to-wave" + chip,
                                  "wave-schedule" + chip};
  auto forming = passesToOneForm();
  all.insert(llvm::find(all, "tile-choose-threads" + chip), forming.begin(), forming.end());
  if (target.starts_with("gfx"))
    llvm::erase(all, "tile-stage-stores" + chip);
  auto found = llvm::find_if(all, [&](StringRef pass) { return pass.split('{').first == last; });
  all.erase(found, all.end());
  return all;
}

/// What the checker says of these passes, the planted one behind them.
std::string said(const char *program, StringRef target, ArrayRef<std::string> passes,
                 std::optional<std::pair<StringRef, Fault>> planted) {
  Context c;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &c.context);
  EXPECT_TRUE(bool(module));
  ContractChecker checker(targetInfo(*parseArch(target)));
  checker.watch(c.context);
  PassManager manager(&c.context);
  auto nestOf = [&](StringRef pass) -> OpPassManager & {
    if (pass.starts_with("wave-"))
      return manager.nest<wave::KernelOp>();
    bool isOfModule = pass.starts_with("tile-to-wave");
    return isOfModule ? manager : manager.nest<tile::ProgramOp>();
  };
  for (StringRef pass : passes)
    EXPECT_TRUE(succeeded(parsePassPipeline(pass, nestOf(pass))));
  // Faults of wave kernels are planted where they are.
  bool isBehindWave =
      llvm::any_of(passes, [](StringRef pass) { return pass.starts_with("tile-to-wave"); });
  if (planted)
    (isBehindWave && !planted->first.starts_with("wave-") ? manager : nestOf(planted->first))
        .addPass(std::make_unique<Planted>(planted->first, planted->second));
  EXPECT_TRUE(succeeded(manager.run(*module)) || checker.breach());
  return checker.breach() ? checker.breach()->text : "";
}

std::string saidOfPlanted(const char *program, StringRef target, StringRef last, StringRef name,
                          Fault fault) {
  return said(program, target, passesBefore(last, target), std::pair(name, fault));
}

void doNothing(Operation *) {}

template <typename OpT> Fault eraseFirst() {
  return [](Operation *root) {
    OpT found;
    root->walk([&](OpT op) { found = found ? found : op; });
    ASSERT_TRUE(bool(found));
    found->dropAllUses();
    found->erase();
  };
}

void expectSaid(const std::string &text, StringRef start) {
  EXPECT_TRUE(StringRef(text).starts_with(start))
      << "said: " << text << "\nwanted: " << start.str();
}

TEST(Contracts, HoldOfWholePrograms) {
  for (StringRef target : {"gfx942", "gfx950", "sm_80"})
    for (const char *program : {product, exchange})
      EXPECT_EQ(said(program, target, passesBefore("wave-schedule", target), std::nullopt), "");
}

TEST(Contracts, EveryPassHasOne) {
  auto file = llvm::MemoryBuffer::getFile(TILEC_SOURCE "/include/tilec/Transforms/Passes.td");
  ASSERT_TRUE(bool(file));
  std::set<std::string> declared, rows;
  llvm::Regex declaration("Pass<\"([^\"]+)\"");
  StringRef rest = (*file)->getBuffer();
  for (llvm::SmallVector<StringRef> match; declaration.match(rest, &match);
       rest = rest.substr(rest.find(match[0]) + match[0].size()))
    declared.insert(match[1].str());
  for (const Contract &row : contracts())
    rows.insert(row.pass.str());
  EXPECT_EQ(declared, rows);
  EXPECT_GE(rows.size(), 13u);
}

//===----------------------------------------------------------------------===//
// Promises: the pass does nothing
//===----------------------------------------------------------------------===//

std::string withoutPass(const char *program, StringRef target, StringRef pass) {
  return saidOfPlanted(program, target, pass, pass, doNothing);
}

TEST(ContractPromises, WholeBuffers) {
  expectSaid(withoutPass(product, "gfx950", "tile-check"),
             "`tile-check` gives: `tile.store` names a view");
}
TEST(ContractPromises, ThreadsApart) {
  expectSaid(
      withoutPass(threads, "gfx950", "tile-separate-threads"),
      "`tile-separate-threads` gives: synchronisation is missing: `tile.sync_threads` stands");
}
TEST(ContractPromises, MovedRegisters) {
  // A copy to registers, which stands for what the pass has left.
  Fault copy = [](Operation *root) {
    tile::GemmOp gemm;
    root->walk([&](tile::GemmOp op) { gemm = op; });
    OpBuilder b(gemm);
    auto type = gemm.getA().getType();
    Value registers = tile::AllocOp::create(
        b, gemm.getLoc(),
        tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Fragment), "F",
        Attribute());
    tile::CopyOp::create(b, gemm.getLoc(), gemm.getA(), registers, StringAttr());
  };
  expectSaid(saidOfPlanted(product, "gfx950", "tile-choose-threads", "tile-lower-copies", copy),
             "`tile-lower-copies` gives: `tile.copy` copies registers");
}
TEST(ContractPromises, NamedFillsAndMoves) {
  Fault loop = [](Operation *root) {
    tile::FillOp fill;
    root->walk([&](tile::FillOp op) { fill = op; });
    OpBuilder b(fill);
    SmallVector<Value> extents;
    for (int64_t size : fill.getDst().getType().getShape())
      extents.push_back(arith::ConstantIndexOp::create(b, fill.getLoc(), size));
    auto parallel = tile::ParallelOp::create(b, fill.getLoc(), extents);
    b.setInsertionPointToEnd(parallel.bodyBlock());
    tile::StoreOp::create(b, fill.getLoc(), fill.getValue(), fill.getDst(), parallel.ivs());
    fill.erase();
  };
  expectSaid(saidOfPlanted(product, "gfx950", "tile-choose-threads", "tile-raise-fills", loop),
             "`tile-raise-fills` gives: `tile.parallel` is a fill and nothing else");
  expectSaid(withoutPass(exchange, "gfx950", "tile-raise-fills"),
             "`tile-raise-fills` gives: `tile.parallel` is a fill and nothing else");
  Fault unnamed = [](Operation *root) {
    tile::MoveOp move;
    root->walk([&](tile::MoveOp op) { move = op; });
    tile::turnInto<tile::ParallelOp>(move);
  };
  expectSaid(saidOfPlanted(product, "gfx950", "tile-choose-threads", "tile-raise-moves", unnamed),
             "`tile-raise-moves` gives: `tile.parallel` is a move and nothing else");
  // Passes between keep the names.
  expectSaid(
      saidOfPlanted(product, "gfx950", "tile-choose-threads", "tile-choose-threads", unnamed),
      "`tile-choose-threads` leaves: `tile.parallel` stands or has changed");
  expectSaid(saidOfPlanted(product, "gfx950", "tile-choose-threads", "tile-peel-edges", unnamed),
             "`tile-peel-edges` keeps: `tile.parallel` is a move and nothing else");
  // Folding may do that: no other pass promises it.
  EXPECT_EQ(saidOfPlanted(product, "gfx950", "canonicalize", "canonicalize", loop), "");
}
TEST(ContractPromises, NoBreaks) {
  Fault leave = [](Operation *root) {
    root->walk([](tile::ForOp loop) {
      OpBuilder b = OpBuilder::atBlockEnd(loop.bodyBlock());
      tile::BreakOp::create(b, loop.getLoc());
    });
  };
  expectSaid(saidOfPlanted(product, "gfx950", "tile-lower-breaks", "tile-lower-breaks", leave),
             "`tile-lower-breaks` gives: `tile.break` is left");
}
/// The loop that stores C once more, in an iteration of another loop over `extent`.
Fault nestIn(std::function<Value(OpBuilder &, Operation *)> extent) {
  return [=](Operation *root) {
    tile::ParallelOp loop;
    root->walk([&](tile::ParallelOp op) { loop = op; });
    OpBuilder b(loop);
    auto outer = tile::ParallelOp::create(b, loop.getLoc(), extent(b, loop));
    loop->moveBefore(outer.bodyBlock(), outer.bodyBlock()->end());
  };
}
TEST(ContractPromises, Parallels) {
  auto two = [](OpBuilder &b, Operation *op) -> Value {
    return arith::ConstantIndexOp::create(b, op->getLoc(), 2);
  };
  auto some = [](OpBuilder &, Operation *op) -> Value {
    return op->getParentOfType<tile::KernelOp>().getBody().getArgument(0);
  };
  expectSaid(saidOfPlanted(product, "gfx950", "tile-bound-parallels", "tile-bound-parallels",
                           nestIn(some)),
             "`tile-bound-parallels` gives: `tile.parallel` has extents that only the run knows");
  expectSaid(saidOfPlanted(product, "gfx950", "tile-fission-parallels", "tile-fission-parallels",
                           nestIn(two)),
             "`tile-fission-parallels` gives: `tile.parallel` stands in another one");
}
TEST(ContractPromises, OuterTiles) {
  Fault inside = [](Operation *root) {
    tile::ParallelOp loop;
    tile::FillOp fill;
    root->walk([&](tile::ParallelOp op) { loop = op; });
    root->walk([&](tile::FillOp op) { fill = op; });
    fill->moveBefore(loop.bodyBlock(), loop.bodyBlock()->begin());
  };
  expectSaid(saidOfPlanted(product, "gfx950", "tile-expand-inner-tiles", "tile-expand-inner-tiles",
                           inside),
             "`tile-expand-inner-tiles` gives: `tile.fill` stands in a parallel");
}
TEST(ContractPromises, LiftedElements) {
  Fault loose = [](Operation *root) {
    tile::FillOp fill;
    root->walk([&](tile::FillOp op) { fill = op; });
    OpBuilder b(fill);
    SmallVector<Value> first(2, arith::ConstantIndexOp::create(b, fill.getLoc(), 0));
    tile::StoreOp::create(b, fill.getLoc(), fill.getValue(), fill.getDst(), first);
  };
  expectSaid(
      saidOfPlanted(product, "gfx950", "tile-lift-elements", "tile-lift-elements", loose),
      "`tile-lift-elements` gives: `tile.store` touches an element of a fragment outside of a");
}
TEST(ContractPromises, PlacedLocals) {
  Fault waiting = [](Operation *root) {
    root->walk(
        [](tile::AllocOp alloc) { alloc.setWasLocal(alloc.getResult().getType().isShared()); });
  };
  expectSaid(saidOfPlanted(product, "gfx950", "tile-spread-locals", "tile-spread-locals", waiting),
             "`tile-spread-locals` gives: `tile.alloc` has no place for good");
}
TEST(ContractPromises, WholeOperands) {
  Fault part = [](Operation *root) {
    root->walk([](tile::GemmOp gemm) {
      OpBuilder b(gemm);
      SmallVector<Value> first(2, arith::ConstantIndexOp::create(b, gemm.getLoc(), 0));
      gemm.getCMutable().assign(tile::SubviewOp::create(b, gemm.getLoc(), gemm.getC().getType(),
                                                        gemm.getC(), first, ArrayRef<int64_t>()));
    });
  };
  expectSaid(
      saidOfPlanted(product, "gfx950", "tile-isolate-operands", "tile-isolate-operands", part),
      "`tile-isolate-operands` gives: `tile.gemm` has an operand that is no whole fragment");
}
TEST(ContractPromises, FragmentLayouts) {
  expectSaid(withoutPass(product, "gfx950", "tile-infer-layouts"),
             "`tile-infer-layouts` gives: `tile.alloc` has no layout");
}
TEST(ContractPromises, Layouts) {
  expectSaid(withoutPass(product, "gfx950", "tile-lay-out-shared"),
             "`tile-lay-out-shared` gives: `tile.alloc` has no layout");
}
TEST(ContractPromises, BroughtTiles) {
  Fault left = [](Operation *root) {
    root->walk([](tile::CopyOp copy) { copy.removeTransfersAttr(); });
  };
  expectSaid(
      saidOfPlanted(product, "sm_90a", "tile-clear-products", "tile-find-producers", left),
      "`tile-find-producers` gives: `tile.copy` stands in a round of a served loop and is left to");
}
TEST(ContractPromises, WholeRings) {
  Fault again = [](Operation *root) {
    SmallVector<tile::ForOp> loops;
    root->walk([&](tile::ForOp loop) { loops.push_back(loop); });
    for (tile::ForOp loop : loops) {
      if (!loop.getServed())
        continue;
      OpBuilder b(loop);
      cast<tile::ForOp>(b.clone(*loop)).removeServedAttr();
    }
  };
  expectSaid(
      saidOfPlanted(product, "sm_90a", "tile-store-tiles", "tile-fit-slots", again),
      "`tile-fit-slots` gives: `tile.kernel` has loops with and without a producer that use");
}
TEST(ContractPromises, OneStage) {
  expectSaid(withoutPass(product, "gfx950", "tile-expand-pipelines"),
             "`tile-expand-pipelines` gives: `tile.for` has 3 stages");
}
TEST(ContractPromises, PipesFilled) {
  expectSaid(
      saidOfPlanted(product, "sm_90a", "tile-read-images", "tile-expand-producers",
                    eraseFirst<tile::TmaCopyOp>()),
      "`tile-expand-producers` gives: `tile.pipe` awaits 16384 bytes a fill, which brings 8192");
}
TEST(ContractPromises, Places) {
  expectSaid(withoutPass(exchange, "gfx950", "tile-place-shared"),
             "`tile-place-shared` gives: `tile.kernel` leaves `S` without a place");
}
TEST(ContractPromises, PlacesOfTheirOwn) {
  Fault allFirst = [](Operation *root) {
    root->walk([&](tile::AllocOp alloc) {
      if (alloc.getResult().getType().isShared())
        alloc.setSharedPlace(0);
    });
  };
  expectSaid(saidOfPlanted(exchange, "gfx950", "tile-place-shared", "tile-place-shared", allFirst),
             "`tile-place-shared` gives: `tile.kernel` needs `S` and `U` at the same time");
}
TEST(ContractPromises, Barriers) {
  expectSaid(withoutPass(exchange, "gfx950", "tile-place-barriers"),
             "`tile-place-barriers` gives: synchronisation is missing: `tile.barrier` stands");
}
TEST(ContractPromises, OrdersOfMatrixLoops) {
  expectSaid(withoutPass(product, "gfx950", "wave-schedule"),
             "`wave-schedule` gives: `wave.pipeline` is left");
}

//===----------------------------------------------------------------------===//
// What holds goes on to hold
//===----------------------------------------------------------------------===//

TEST(ContractsKept, FillsOfWholeTiles) {
  Fault box = [](Operation *root) {
    tile::FillOp fill;
    root->walk([&](tile::FillOp op) { fill = op; });
    OpBuilder b(fill);
    tile::BufferType type = fill.getDst().getType();
    Value zero = arith::ConstantIndexOp::create(b, fill.getLoc(), 0);
    auto row = tile::BufferType::get({1, type.getShape()[1]}, type.getElementType(),
                                     tile::Scope::Fragment);
    fill.getDstMutable().assign(tile::SubviewOp::create(
        b, fill.getLoc(), row, fill.getDst(), ValueRange{zero, zero}, b.getDenseI64ArrayAttr({})));
  };
  expectSaid(saidOfPlanted(product, "gfx950", "canonicalize", "canonicalize", box),
             "`canonicalize` keeps: `tile.fill` fills something else than a whole tile");
  expectSaid(saidOfPlanted(product, "gfx950", "tile-lower-fills", "tile-lower-fills", box),
             "`tile-lower-fills` gives: `tile.fill` fills something else than a whole tile");
}
TEST(ContractsKept, Layouts) {
  Fault forget = [](Operation *root) {
    root->walk([](tile::AllocOp alloc) { alloc.removeLayoutAttr(); });
  };
  expectSaid(saidOfPlanted(exchange, "gfx950", "canonicalize", "canonicalize", forget),
             "`canonicalize` keeps: `tile.alloc` has no layout");
}
TEST(ContractsKept, LayoutsOfProducts) {
  // What C of a product on gfx950 has is nothing that mma.sync can write.
  Fault otherLayout = [](Operation *root) {
    root->walk([&](tile::AllocOp alloc) {
      if (alloc.getName() == "C")
        alloc.setLayoutAttr(tile::FragmentLayoutAttr::get(
            root->getContext(), blockedLayout({64, 64}, 64, 2, /*vecElems=*/4)));
    });
  };
  expectSaid(saidOfPlanted(product, "gfx950", "canonicalize", "canonicalize", otherLayout),
             "`canonicalize` keeps: `tile.gemm` multiplies into a C");
}
TEST(ContractsKept, WaysOfProducts) {
  Fault noWay = [](Operation *root) {
    root->walk([](tile::GemmOp gemm) { gemm.removeMmaAttr(); });
  };
  expectSaid(saidOfPlanted(product, "gfx950", "canonicalize", "canonicalize", noWay),
             "`canonicalize` keeps: `tile.gemm` has no `mma`");
  Fault otherWay = [](Operation *root) {
    root->walk([&](tile::GemmOp gemm) {
      tile::Mma mma = gemm.getMmaAttr().getMma();
      mma.atom = "v_mfma_f32_16x16x32_bf16"; // of other operands
      gemm.setMmaAttr(tile::MmaAttr::get(root->getContext(), mma));
    });
  };
  expectSaid(saidOfPlanted(product, "gfx950", "canonicalize", "canonicalize", otherWay),
             "`canonicalize` keeps: `tile.gemm` names the instruction `v_mfma_f32_16x16x32_bf16`");
}
TEST(ContractsKept, WaitsForCopies) {
  expectSaid(saidOfPlanted(product, "sm_80", "cse", "cse", eraseFirst<tile::AsyncWaitOp>()),
             "`cse` keeps: `tile.gemm` reads what an asynchronous copy brings");
}
TEST(ContractsKept, GroupsOfCopies) {
  Fault noGroups = [](Operation *root) {
    root->walk([](tile::AsyncCommitOp commit) { commit.erase(); });
  };
  expectSaid(saidOfPlanted(product, "sm_80", "cse", "cse", noGroups),
             "`cse` keeps: `tile.async_copy` belongs to no group");
}
TEST(ContractsKept, WaitsByNumber) {
  Fault weaker = [](Operation *root) {
    root->walk([](tile::AsyncWaitOp wait) { wait.setPending(wait.getPending() + 1); });
  };
  expectSaid(saidOfPlanted(product, "sm_80", "cse", "cse", weaker),
             "`cse` keeps: `tile.gemm` reads slot 0 while a copy to it is in flight");
  // The first group is then one with the second.
  expectSaid(saidOfPlanted(product, "sm_80", "cse", "cse", eraseFirst<tile::AsyncCommitOp>()),
             "`cse` keeps: `tile.gemm` reads slot 0 while a copy to it is in flight");
}
/// Waits for all copies at the end of a round and in front of the first one, in the branch around
/// the first copies if there is one: as where tiles take turns. With `always`, copies are started
/// in front of that branch, and the wait alone is left in it.
Fault awaitAtEnds(bool meetsInRounds, bool always = false) {
  return [=](Operation *root) {
    tile::ForOp loop;
    root->walk([&](tile::ForOp op) { loop = op; });
    scf::IfOp branch;
    root->walk([&](scf::IfOp op) { branch = op; });
    SmallVector<Operation *> old;
    loop.walk([&](Operation *op) {
      if (isa<tile::AsyncWaitOp, tile::BarrierOp>(op))
        old.push_back(op);
    });
    llvm::for_each(old, [](Operation *op) { op->erase(); });
    Location loc = loop.getLoc();
    OpBuilder b = OpBuilder::atBlockEnd(loop.bodyBlock());
    tile::AsyncWaitOp::create(b, loc, 0);
    if (meetsInRounds)
      tile::BarrierOp::create(b, loc);
    b.setInsertionPoint(branch ? branch.thenBlock()->getTerminator() : loop);
    Operation *wait = tile::AsyncWaitOp::create(b, loc, 0);
    tile::BarrierOp::create(b, loc);
    while (always && &branch.thenBlock()->front() != wait)
      branch.thenBlock()->front().moveBefore(branch);
  };
}
TEST(ContractsKept, WaitsInBranches) {
  std::string rounds = product;
  rounds.replace(rounds.find("%c0 to %c8"), 10, "%c0 to %bx");
  EXPECT_EQ(saidOfPlanted(rounds.c_str(), "sm_80", "cse", "cse", awaitAtEnds(true)), "");
  expectSaid(saidOfPlanted(rounds.c_str(), "sm_80", "cse", "cse", awaitAtEnds(true, true)),
             "`cse` keeps: `tile.gemm` reads slot 0 while a copy to it is in flight");
}
TEST(ContractsKept, MeetingsBehindWaits) {
  EXPECT_EQ(saidOfPlanted(product, "sm_80", "cse", "cse", awaitAtEnds(true)), "");
  expectSaid(saidOfPlanted(product, "sm_80", "cse", "cse", awaitAtEnds(false)),
             "`cse` keeps: `tile.gemm` reads slot 2 between the wait for a copy to it and a");
}
TEST(ContractsKept, WaitsForProducts) {
  Fault none = [](Operation *root) { root->walk([](tile::GemmWaitOp wait) { wait.erase(); }); };
  expectSaid(saidOfPlanted(product, "sm_90a", "cse", "cse", none),
             "`cse` keeps: `tile.pipe_release` gives a slot back that a product in flight reads");
  Fault weaker = [](Operation *root) {
    root->walk([](tile::GemmWaitOp wait) { wait.setPending(wait.getPending() + 1); });
  };
  expectSaid(saidOfPlanted(product, "sm_90a", "cse", "cse", weaker),
             "`cse` keeps: `tile.pipe_release` gives a slot back that a product in flight reads");
}
TEST(ContractsKept, SlotsGivenBack) {
  // More rounds than there are slots.
  std::string rounds = product;
  rounds.replace(rounds.find("%c0 to %c8"), 10, "%c0 to %c64");
  expectSaid(
      saidOfPlanted(rounds.c_str(), "sm_90a", "cse", "cse", eraseFirst<tile::PipeReleaseOp>()),
      "`cse` keeps: `tile.pipe_wait` waits for a fill for which no slot has been given back");
}
TEST(ContractsKept, BytesOfPipes) {
  expectSaid(saidOfPlanted(product, "sm_90a", "cse", "cse", eraseFirst<tile::TmaCopyOp>()),
             "`cse` keeps: `tile.pipe` awaits 16384 bytes a fill, which brings 8192");
}
TEST(ContractsKept, Barriers) {
  std::vector<std::string> passes = passesBefore("tile-to-wave", "gfx950");
  expectSaid(
      said(exchange, "gfx950", passes, std::pair(StringRef("cse"), eraseFirst<tile::BarrierOp>())),
      "`cse` keeps: synchronisation is missing: `tile.barrier` stands");
}
TEST(ContractsKept, TurnsWithoutMeetings) {
  Fault meeting = [](Operation *root) {
    root->walk([](tile::KernelOp kernel) {
      OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
      tile::GroupTurnOp::create(b, kernel.getLoc(), /*pass=*/false);
      tile::BarrierOp::create(b, kernel.getLoc(), /*global=*/false);
      tile::GroupTurnOp::create(b, kernel.getLoc(), /*pass=*/true);
    });
  };
  std::vector<std::string> passes = passesBefore("tile-to-wave", "sm_90a");
  expectSaid(said(product, "sm_90a", passes, std::pair(StringRef("cse"), meeting)),
             "`cse` keeps: `tile.barrier` lets all warp groups meet between a turn and its end");
}
TEST(ContractsKept, AtomsOfTheTarget) {
  Fault otherAtom = [](Operation *root) {
    root->walk([](wave::MmaOp mma) { mma.setAtom("mma.sync.nowhere"); });
  };
  expectSaid(saidOfPlanted(product, "gfx950", "wave-schedule", "cse", otherAtom),
             "`cse` keeps: `wave.mma` names the atom `mma.sync.nowhere`");
}
TEST(ContractsKept, InstructionsOfTheTarget) {
  Fault foreign = [](Operation *root) {
    root->walk([](wave::KernelOp kernel) {
      OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
      wave::CpAsyncCommitOp::create(b, kernel.getLoc());
    });
  };
  expectSaid(saidOfPlanted(product, "gfx950", "wave-schedule", "cse", foreign),
             "`cse` keeps: `wave.cp_async_commit` is nothing that the target has");
}
TEST(ContractsKept, OneDialect) {
  Fault stray = [](Operation *root) {
    root->walk([](wave::KernelOp kernel) {
      OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
      tile::BarrierOp::create(b, kernel.getLoc());
    });
  };
  expectSaid(saidOfPlanted(product, "gfx950", "wave-schedule", "cse", stray),
             "`cse` keeps: `tile.barrier` is left in a wave kernel");
}

//===----------------------------------------------------------------------===//
// Needs: a pass comes too early, and does not run
//===----------------------------------------------------------------------===//

TEST(ContractNeeds, EachOne) {
  auto early = [](const char *program, std::vector<std::string> passes) {
    return said(program, "gfx950", passes, std::nullopt);
  };
  // A copy to registers, which only tile-lower-copies takes away.
  std::string copies = product;
  copies.insert(copies.find("    %rest ="),
                "    %F = tile.alloc \"F\" : !tile.buffer<[64, 64], f16, fragment>\n"
                "    tile.copy %As to %F : !tile.buffer<[64, 64], f16, shared>, "
                "!tile.buffer<[64, 64], f16, fragment>\n");
  expectSaid(early(product, {"tile-gather-flags"}),
             "`tile-gather-flags` needs: `tile.store` names a view");
  expectSaid(early(exchange, {"tile-stream-fragments"}),
             "`tile-stream-fragments` needs: `tile.parallel` is a fill and nothing else");
  expectSaid(early(copies.c_str(), {"tile-check", "tile-choose-threads{target=gfx950}"}),
             "`tile-choose-threads` needs: `tile.copy` copies registers");
  expectSaid(early(copies.c_str(), {"tile-check", "tile-infer-layouts{target=gfx950}"}),
             "`tile-infer-layouts` needs: `tile.copy` copies registers");
  expectSaid(
      early(product, {"tile-check", "tile-normalize", "tile-expand-pipelines{target=gfx950}"}),
      "`tile-expand-pipelines` needs: `tile.alloc` has no layout");
  expectSaid(early(product, {"tile-stage-stores"}),
             "`tile-stage-stores` needs: `tile.alloc` has no");
  std::vector<std::string> unpipelined = passesBefore("tile-expand-pipelines", "gfx950");
  unpipelined.push_back("tile-place-shared");
  expectSaid(early(product, unpipelined), "`tile-place-shared` needs: `tile.for` has 3 stages");
  std::vector<std::string> unplaced = passesBefore("tile-place-shared", "gfx950");
  unplaced.push_back("tile-place-barriers");
  expectSaid(early(exchange, unplaced),
             "`tile-place-barriers` needs: `tile.kernel` leaves `S` without a place");
  std::vector<std::string> unseparated = passesBefore("tile-place-barriers", "gfx950");
  unseparated.push_back("tile-to-wave{target=gfx950}");
  expectSaid(early(exchange, unseparated),
             "`tile-to-wave` needs: synchronisation is missing: `tile.barrier` stands");
}

//===----------------------------------------------------------------------===//
// What is none of a pass's business
//===----------------------------------------------------------------------===//

void renameTensor(Operation *root) {
  root->walk([](tile::TensorOp tensor) { tensor.setName((tensor.getName() + "_").str()); });
}
void addSetprio(Operation *root) {
  root->walk([](tile::KernelOp kernel) {
    OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
    tile::SetPrioOp::create(b, kernel.getLoc(), 1);
  });
}

TEST(ContractsLeave, Parameters) {
  for (StringRef pass :
       {"tile-check", "tile-expand-thread-tiles", "tile-narrow-tiles", "tile-raise-copies",
        "tile-match-operands", "tile-relax-exponentials", "tile-expand-pipelines"})
    expectSaid(saidOfPlanted(product, "gfx950", pass, pass, renameTensor),
               ("`" + pass + "` leaves: `tile.tensor` stands or has changed").str());
  expectSaid(
      saidOfPlanted(product, "sm_80", "tile-stage-stores", "tile-stage-stores", renameTensor),
      "`tile-stage-stores` leaves: `tile.tensor` stands or has changed");
}
TEST(ContractsLeave, AllElse) {
  for (StringRef pass :
       {"tile-separate-threads", "tile-place-locals", "tile-separate-overlaps",
        "tile-spread-locals", "tile-choose-threads", "tile-choose-schedules", "tile-hoist-tiles",
        "tile-place-shared", "tile-place-barriers", "tile-to-wave"})
    expectSaid(saidOfPlanted(exchange, "gfx950", pass, pass, addSetprio),
               ("`" + pass + "` leaves: `tile.setprio` ").str());
}
TEST(ContractsLeave, NoUndeclaredAttributes) {
  Fault mark = [](Operation *root) {
    root->walk([](tile::AllocOp alloc) {
      alloc->setDiscardableAttr("planned_slots", UnitAttr::get(alloc.getContext()));
    });
  };
  for (StringRef pass : {"tile-fold-views", "canonicalize"})
    expectSaid(
        saidOfPlanted(product, "gfx950", pass, pass, mark),
        ("`" + pass + "`: `tile.alloc` has `planned_slots`, which it does not declare").str());
  // What the author of a program has written is no pass's.
  std::string marked = product;
  size_t at = marked.find("tile.alloc \"C\"");
  ASSERT_NE(at, std::string::npos);
  marked.insert(at + StringRef("tile.alloc \"C\"").size(), " {planned_slots}");
  EXPECT_EQ(said(marked.c_str(), "gfx950", passesBefore("wave-schedule", "gfx950"), {}), "");
}
TEST(ContractsLeave, KernelsOfWaves) {
  Fault moreThreads = [](Operation *root) { cast<wave::KernelOp>(root).setThreads(256); };
  expectSaid(saidOfPlanted(product, "gfx950", "wave-schedule", "wave-schedule", moreThreads),
             "`wave-schedule` leaves: `wave.kernel` stands or has changed");
  expectSaid(saidOfPlanted(product, "sm_80", "wave-schedule", "wave-carry-rounds", moreThreads),
             "`wave-carry-rounds` leaves: `wave.kernel` stands or has changed");
  for (StringRef pass : {"wave-reads-first", "wave-leave-atomics"})
    expectSaid(saidOfPlanted(product, "gfx950", "wave-schedule", pass, moreThreads),
               ("`" + pass + "` leaves: `wave.kernel` ").str());
  Fault addPriority = [](Operation *root) {
    OpBuilder b = OpBuilder::atBlockBegin(&root->getRegion(0).front());
    wave::SetPrioOp::create(b, root->getLoc(), 1);
  };
  expectSaid(saidOfPlanted(product, "gfx950", "wave-schedule", "wave-leave-atomics", addPriority),
             "`wave-leave-atomics` leaves: `wave.setprio` ");
}

} // namespace

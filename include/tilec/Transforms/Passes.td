//===- Passes.td - every pass of tilec ------------------------------------===//
//
// Needs, Gives and Leaves are checked by rows of lib/Transforms/Contracts/Contracts.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef TILEC_TRANSFORMS_PASSES_TD
#define TILEC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandIm2colPass : Pass<"tile-expand-im2col", "::tilec::tile::ProgramOp"> {
  let summary = "images are read as matrices only where copies of boxes may do it";
  let description = [{
    Needs:  a verified program.
    Gives:  a copy of a box of a `tile.im2col` is a `tile.parallel` over the image's elements, but
            for those that the chip may bring in one piece: an operand's tile, in a pipelined loop
            around its product, whose rows are parts of one element of the kernel each.
    Leaves: what is computed. `tile-expand-pipelines` expands those that no producer brings.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def CheckPass : Pass<"tile-check", "::tilec::tile::ProgramOp"> {
  let summary = "report what a program cannot mean";
  let description = [{
    Needs:  a verified program.
    Gives:  errors for iterations of a parallel that depend on each other, for reads of
            buffers that nothing has written and for indices that certainly leave an
            on-chip buffer; warnings where that is possible, and where blocks write one
            element. Loads and stores name whole buffers, not views.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandThreadsPass : Pass<"tile-expand-threads", "::tilec::tile::ProgramOp"> {
  let summary = "write out what single threads do";
  let description = [{
    Needs:  `tile-check`.
    Gives:  in lockstep kernels, what each thread does on its own is loads, stores and
            atomics of whole buffers, in loops and branches; elements of fragments are
            reached through a shared copy; what all threads store to shared memory alike,
            one of them stores; places in one row share their quotient and remainder; branches
            that no thread takes are gone.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SeparateThreadsPass : Pass<"tile-separate-threads", "::tilec::tile::ProgramOp"> {
  let summary = "barriers between threads that touch one element of a shared buffer";
  let description = [{
    Needs:  `tile-expand-threads`.
    Gives:  in lockstep kernels, between two accesses of a shared buffer that may be of one
            element, by threads of different waves, and not both reads or atomics of one kind,
            there is a `tile.sync_threads`; by threads of one wave, a `tile.sync_warp`.
            Around loops as well, and between threads and tile operations. Errors where
            a barrier cannot stand.
    Leaves: everything else; barriers of the author count. Tile operations are kept
            apart from each other by `tile-place-barriers`. docs/machine-code/lockstep.md.
  }];
}

def PartWavesPass : Pass<"tile-part-waves", "::tilec::tile::ProgramOp"> {
  let summary = "branches of some waves run side by side";
  let description = [{
    Needs:  `tile-separate-threads`.
    Gives:  in lockstep kernels, branches with tile operations that whole waves take, and of which
            none writes what another one touches, stand under `tile.on_waves`, behind a barrier
            of the block and in front of one. Where several waves take one, the target has a barrier
            for them.
    Leaves: everything else, and kernels with products, which are the whole block's.
            docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def NormalizePass : Pass<"tile-normalize", "::tilec::tile::ProgramOp"> {
  let summary = "give every tile operation one form";
  let description = [{
    Needs:  `tile-check`; of lockstep kernels, `tile-expand-threads`.
    Gives:  a `tile.parallel` that only moves a global box to shared memory is a
            `tile.copy`; one that only sets whole fragments or shared tiles to values
            that no iteration changes is as many `tile.fill`, and so is what another
            one sets a fragment to that it does not touch otherwise; a copy that touches
            a fragment, and a `tile.parallel` that only moves elements, is a `tile.move`;
            a fill of a box is a `tile.parallel`; nested parallels are perfect nests; a
            reduction inside a parallel is a `tile.reduce`; no `tile.break` is left, no
            guard, minimum or maximum of indices whose ranges decide it, and no shared
            tile that only brings converted elements of a tensor to a fragment.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ChooseThreadsPass : Pass<"tile-choose-threads", "::tilec::tile::ProgramOp"> {
  let summary = "more threads where fragments do not fit into those that the author named";
  let description = [{
    Needs:  `tile-normalize`.
    Gives:  the peak of the fragments' registers and some beside fit into a thread's
            share, where more threads can do that. A block that has a unit to itself, and
            whose loops compute with more than a lane's arithmetic reaches, has a wave on
            each scheduler. `least_threads` are taken where fragments fit and every
            wave has a part of each product. One warp group instead of two where products
            have one slab of rows and the last blocks would leave units idle.
    Leaves: kernels that name threads, ask for their number, give layouts of fragments
            or say `schedule.exact`; all else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def GiveStagesPass : Pass<"tile-give-stages", "::tilec::tile::ProgramOp"> {
  let summary = "two stages for long products of a grid that leaves units idle";
  let description = [{
    Needs:  `tile-normalize`.
    Gives:  a pipelined loop of copies and one product that asks for no ring (`stages` 0 and 1) has two
            stages where the grid has no more blocks than the chip units and the loop 64 rounds.
    Leaves: chips without warp groups and TMA, loops whose schedule or stages the author named, all
            else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"", "`--schedule=`">];
}

def SetKTilesPass : Pass<"tile-set-k-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "products whose rounds bring whole rows of the swizzle";
  let description = [{
    Needs:  `tile-normalize`.
    Gives:  a loop that copies two operands and multiplies them does so in rounds of 128 bytes along
            K where rows along K are copied: fewer longer rounds instead of shorter ones, and more
            shorter ones where shared memory would hold few slots.
    Leaves: chips without warp groups and TMA, loops whose schedule or stages the author named, all
            else; the order in which sums are added. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"", "`--schedule=`">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitProductsPass : Pass<"tile-split-products", "::tilec::tile::ProgramOp"> {
  let summary = "products with few tiles and a long K: a cluster of blocks a tile";
  let description = [{
    Needs:  `tile-choose-threads`.
    Gives:  where blocks are few and their loops along K long enough to pay for a sum, `cluster`
            blocks run a part of the rounds each, add their accumulators through each other's
            shared memory (`tile.load block(n)` between two `tile.cluster_barrier`) and finish
            some of the tile's rows each.
    Leaves: chips without clusters, loops whose schedule the author named, kernels that do more
            than multiply and pass rows on. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"", "`--schedule=`">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PeelEdgesPass : Pass<"tile-peel-edges", "::tilec::tile::ProgramOp"> {
  let summary = "rounds of products that lie in K whole have a loop of their own";
  let description = [{
    Needs:  `tile-split-products`.
    Gives:  a pipelined loop of copies and products along a K that is no multiple of the round's
            piece, or that only the run knows, counts whole pieces; the round that is left stands
            behind it, with tiles of its own. Of rounds whose number a tensor has, those that may
            lie beyond K are a serial loop behind it.
    Leaves: what is computed; chips that plan no order of loops, which only a K without masks
            gets; loops of which the author fixed the stages, that compute between their copies and
            products, of which a tile is used outside, or of fewer than 8 whole rounds.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def InferLayoutsPass : Pass<"tile-infer-layouts", "::tilec::tile::ProgramOp"> {
  let summary = "choose where the elements of every fragment and shared buffer are";
  let description = [{
    Needs:  `tile-normalize`.
    Gives:  every `tile.alloc` of a fragment or shared buffer has a layout; a use
            that wants another one goes through shared memory, as explicit copies.
            Every `tile.gemm` says how it is multiplied (`mma`), which no later pass
            decides again; what it says already is kept, or refused.
    Leaves: the order of ops.

    Matrix operations decide first; parallels, reductions and copies pass layouts
    on; what is left gets a blocked layout. docs/machine-code/layouts.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"warpGroups", "warp-groups", "bool", "true",
                        "multiply by whole warp groups where the chip can">,
                 Option<"atoms", "atoms", "std::string", "\"\"",
                        "`large` or `small` for products that could have either; empty: large ones for chains">,
                 Option<"swizzle", "swizzle", "int64_t", "0",
                        "how many shared layouts without bank conflicts are passed over">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandPipelinesPass : Pass<"tile-expand-pipelines", "::tilec::tile::ProgramOp"> {
  let summary = "run the copies of a pipelined loop ahead of their use";
  let description = [{
    Needs:  layouts.
    Gives:  no loop has `stages` > 1; its copies from global to shared memory are
            asynchronous, in a ring of `stages` buffers, with explicit waits and
            barriers. Tiles that cannot be copied so, or find no room for a second slot,
            wait in registers (where the chip keeps the order of what it reads).
    Leaves: the order of everything else.

    `planPipeline` decides. docs/machine-code/pipelining.md. Where the chip
    has TMA, loops whose copies it can do get a producer warp instead (docs/machine-code/hopper.md).
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"producer", "producer", "bool", "true",
                        "copies by a producer warp where the chip can">,
                 Option<"strategy", "strategy", "std::string", "\"\"",
                        "the strategy of every product, instead of its own">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def StageStoresPass : Pass<"tile-stage-stores", "::tilec::tile::ProgramOp"> {
  let summary = "store accumulators through shared memory, in wide pieces";
  let description = [{
    Needs:  expanded pipelines; a chip whose accumulators have short runs of a row.
    Gives:  a loop that stores a fragment to a tensor 4 bytes a lane at a time writes a
            shared tile, and a loop behind it copies the tile in 16 bytes a lane.
    Leaves: loops of which the tile would take shared memory that the kernel does not
            have anyway.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PlaceSharedPass : Pass<"tile-place-shared", "::tilec::tile::ProgramOp"> {
  let summary = "give everything its bytes of shared memory";
  let description = [{
    Needs:  expanded pipelines.
    Gives:  every shared `tile.alloc`, what waves tell each other in reductions, scans and votes,
            the kernel's mbarriers and the buffers of stores by tensor copies have `shared_place`,
            their first byte; buffers that are never needed at the same time may share bytes. The
            kernel has `shared_bytes`, all of it.
    Leaves: everything else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def PlaceBarriersPass : Pass<"tile-place-barriers", "::tilec::tile::ProgramOp"> {
  let summary = "separate accesses to shared memory that depend on each other";
  let description = [{
    Needs:  expanded pipelines, `tile-place-shared`.
    Gives:  between two tile operations of which one writes what the other touches
            in shared memory there is a `tile.barrier`, around loops as well; so in a
            tensor that the kernel reads and writes, and between two writes of any
            tensor where different threads may write one element.
    Leaves: everything else. Rings of a pipeline have their own barriers.
  }];
}

def ToWavePass : Pass<"tile-to-wave", "::mlir::ModuleOp"> {
  let summary = "from what a block computes to what one wave executes";
  let description = [{
    Needs:  layouts, expanded pipelines, barriers.
    Gives:  one `wave.kernel` per `tile.kernel`, beside the program; shared buffers
            have addresses.
    Leaves: the `tile.program`, whose parameters the launch manifest is made from.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"checkBounds", "check-bounds", "bool", "false",
                        "trap where an index leaves a shared or local buffer">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::tilec::wave::WaveDialect"];
}

def WaveSchedulePass : Pass<"wave-schedule", "::tilec::wave::KernelOp"> {
  let summary = "put matrix loops into their planned order";
  let description = [{
    Needs:  `tile-to-wave`.
    Gives:  no `wave.pipeline` is left: each is a prologue, a loop of whole rounds of
            its plan and a tail, with counted waits; their kernels `keep_order`.
    Leaves: everything else.

    `planSchedule` decides (tilec/Transforms/SchedulePlan.h), `applySchedule`
    rewrites. docs/machine-code/scheduling.md.
  }];
  let options = [
    Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
    Option<"strategy", "strategy", "std::string", "\"\"",
           "the strategy of every loop, instead of its own">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def CarryRoundsPass : Pass<"wave-carry-rounds", "::tilec::wave::KernelOp"> {
  let summary = "hand operands and ring slots from one round of a loop to the next";
  let description = [{
    Needs:  `tile-to-wave`, for a chip with cp.async.
    Gives:  a loop that starts a round by waiting for copies reads the operands of its
            first matrix instructions a round early: the wait, the barrier and the
            reads stand in front of the matrix instructions that end the round before,
            which hide them. `round mod slots` is counted where the slots are no power
            of two.
    Leaves: everything else.
  }];
  let options = [Option<"target", "target", "std::string",
                        "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ReadsFirstPass : Pass<"wave-reads-first", "::tilec::wave::KernelOp"> {
  let summary = "what a round reads to registers is read among its copies";
  let description = [{
    Needs:  `tile-to-wave`, for a chip that counts copies in order.
    Gives:  a round of a loop with counted copies reads tensors that the kernel does not
            write to registers before the second half of the copies that it starts, where the
            place is known there, an eighth of a lane's registers hold what is read, and
            nothing in between writes tensors or makes writes seen.
    Leaves: everything else.
  }];
  let options = [Option<"target", "target", "std::string",
                        "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def LeaveAtomicsPass : Pass<"wave-leave-atomics", "::tilec::wave::KernelOp"> {
  let summary = "waits for copies leave the atomics behind them in flight";
  let description = [{
    Needs:  `tile-to-wave`, for a chip that counts copies in order.
    Gives:  a wait for copies in a loop leaves in flight the atomics that each wave issues
            behind the latest copy, of the round before, too; in front of such a loop
            stands the wait as it was.
    Leaves: everything else.
  }];
  let options = [Option<"target", "target", "std::string",
                        "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

#endif // TILEC_TRANSFORMS_PASSES_TD

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
    Leaves: what is computed. `tile-read-images` reads those that no producer brings.
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

def ExpandThreadTilesPass : Pass<"tile-expand-thread-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "tile operations of single threads are loops of theirs";
  let description = [{
    Needs:  `tile-check`, `tile-separate-overlaps`.
    Gives:  in lockstep kernels, a copy, a fill or a reduction that each thread does on its own, or an iteration, is loads
            and stores of whole buffers, in loops. Errors for products and scans of single threads, and for
            fragments that they touch.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def KeepSingleElementsPass : Pass<"tile-keep-single-elements", "::tilec::tile::ProgramOp"> {
  let summary = "fragments of one element are a copy in every thread";
  let description = [{
    Needs:  `tile-expand-thread-tiles`: no tile operation of a thread sets them.
    Gives:  in lockstep kernels, a fragment of one element that all threads set alike, by no tile operation, is local.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
}

def StageElementsPass : Pass<"tile-stage-elements", "::tilec::tile::ProgramOp"> {
  let summary = "threads reach elements of fragments through a shared copy";
  let description = [{
    Needs:  `tile-keep-single-elements`: what need not go through shared memory.
    Gives:  in lockstep kernels, no thread reads an element of a fragment, or writes one that differs between threads: it
            does so of a shared copy.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnrollLocalsPass : Pass<"tile-unroll-locals", "::tilec::tile::ProgramOp"> {
  let summary = "loops that pick elements of local arrays are unrolled";
  let description = [{
    Needs:  `tile-expand-thread-tiles`: loops over elements of a thread's arrays.
    Gives:  in lockstep kernels, a loop of known bounds whose number picks an element of a local array is its rounds,
            and one around it that only says how many rounds it has.
    Leaves: other kernels. docs/machine-code/lockstep.md. Loops of more than 256 rounds,
            nests of more than 16384 ops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnrollReadsPass : Pass<"tile-unroll-reads", "::tilec::tile::ProgramOp"> {
  let summary = "short loops of threads that read tensors are unrolled";
  let description = [{
    Needs:  `tile-expand-thread-tiles`.
    Gives:  in lockstep kernels, a serial loop of at most 8 known rounds that only computes, reads and writes elements, some
            of a tensor that the kernel does not write, is its rounds; what these read stands in front of what they
            write, where none of it is written by one before.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ShareQuotientsPass : Pass<"tile-share-quotients", "::tilec::tile::ProgramOp"> {
  let summary = "places in one row share their quotient and remainder";
  let description = [{
    Needs:  `tile-unroll-locals`, `tile-unroll-reads`: rounds whose places differ by constants.
    Gives:  in lockstep kernels, quotients and remainders of sums are those of what comes before a constant that carries into
            nothing.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def StoreOncePass : Pass<"tile-store-once", "::tilec::tile::ProgramOp"> {
  let summary = "what all threads store to shared memory alike, one of them stores";
  let description = [{
    Needs:  `tile-expand-thread-tiles`.
    Gives:  in lockstep kernels, a store to shared memory whose place and value are the same in all threads stands in a branch
            of the first one.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SeparateThreadsPass : Pass<"tile-separate-threads", "::tilec::tile::ProgramOp"> {
  let summary = "barriers between threads that touch one element of a shared buffer";
  let description = [{
    Needs:  `tile-store-once`, and `tile-decide-comparisons`: a barrier in a branch that no thread takes is none.
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

def GatherFlagsPass : Pass<"tile-gather-flags", "::tilec::tile::ProgramOp"> {
  let summary = "what some iterations store alike is stored once, behind the loop";
  let description = [{
    Needs:  `tile-check`.
    Gives:  where several iterations of a parallel may store one value to one element that the loop does
            not touch otherwise, the loop finds out whether an iteration does, in a local buffer, and
            the store stands in a branch behind it.
    Leaves: what is computed; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PlaceLocalsPass : Pass<"tile-place-locals", "::tilec::tile::ProgramOp"> {
  let summary = "local buffers that threads write for each other are in shared memory";
  let description = [{
    Needs:  `tile-gather-flags`.
    Gives:  every local buffer of the block is written by all threads alike, which each have a copy; others
            are shared buffers, which say so (`was_local`).
    Leaves: everything but the buffers' places; lockstep kernels, buffers of an iteration.
  }];
}

def WriteLocalsPass : Pass<"tile-write-locals", "::tilec::tile::ProgramOp"> {
  let summary = "what writes a buffer of which each thread has a copy is done by every thread";
  let description = [{
    Needs:  `tile-place-locals`.
    Gives:  no fill and no copy writes a local buffer of the block: it is stored element by element.
    Leaves: what is computed; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SeparateOverlapsPass : Pass<"tile-separate-overlaps", "::tilec::tile::ProgramOp"> {
  let summary = "copies within one buffer read all before they write";
  let description = [{
    Needs:  a verified program.
    Gives:  a copy from one part of a buffer to another one goes through a buffer of its own: of the thread
            where threads copy for themselves, of the block elsewhere.
    Leaves: everything else.
  }];
  let options = [Option<"lockstep", "lockstep", "bool", "false", "only in programs with kernels that name threads">];
}

def NarrowTilesPass : Pass<"tile-narrow-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "tiles no wider than their tensors";
  let description = [{
    Needs:  a verified program.
    Gives:  tiles of products have no rows and columns that no tensor gets: a product in tiles of 256
            columns whose C has 128 multiplies 128.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandInnerTilesPass : Pass<"tile-expand-inner-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "tile operations of an iteration are loops over elements";
  let description = [{
    Needs:  `tile-separate-overlaps`.
    Gives:  no copy, fill or reduction stands in a `tile.parallel`: it is a loop over elements, which is
            checked and distributed as every other statement of the iteration is.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def StraightenFlipsPass : Pass<"tile-straighten-flips", "::tilec::tile::ProgramOp"> {
  let summary = "places with a bit turned over are linear forms";
  let description = [{
    Needs:  a verified program.
    Gives:  an index `j ^ c`, c a power of two, is `j + c - j / c % 2 * 2c`. A short serial loop around parallels
            whose variable picks the bit of such a place in a tile (`j ^ (1 << b)`) is its rounds.
    Leaves: what is computed; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SimplifyOffsetsPass : Pass<"tile-simplify-offsets", "::tilec::tile::ProgramOp"> {
  let summary = "places as sums of as few terms as can be";
  let description = [{
    Needs:  a verified program.
    Gives:  quotients and remainders of indices that have a linear form are computed by it: row and column of
            `by * 524288 + bx * 128` in rows of 4096 are `by * 128` and `bx * 128`. Others lose what
            part of their divisor can be divided first: of `k * 32 + j` and 96, where j is below
            32, `k / 3`. A view of all of a tile is the tile.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ShortenParallelsPass : Pass<"tile-shorten-parallels", "::tilec::tile::ProgramOp"> {
  let summary = "parallels of which a guard leaves a piece are that piece";
  let description = [{
    Needs:  `tile-expand-inner-tiles`.
    Gives:  `for i in T.Parallel(32): if i < 16: S[i] = F[p * 16 + i]` has 16 iterations: a piece of the
            fragment, which its lanes have. The guard is decided next.
    Leaves: loops whose guard leaves no piece of a fragment; what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DecideComparisonsPass : Pass<"tile-decide-comparisons", "::tilec::tile::ProgramOp"> {
  let summary = "what every iteration answers alike is no question";
  let description = [{
    Needs:  a verified program.
    Gives:  comparisons, minima and maxima of indices that their ranges decide are constants, and the
            branches that hang on them are taken: a guard `k * 32 + j < 128` in a loop over four tiles of
            32 columns does not keep a lane's loads apart.
    Leaves: what is computed.
  }];
  let options = [Option<"lockstep", "lockstep", "bool", "false", "only in programs with kernels that name threads">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def FoldViewsPass : Pass<"tile-fold-views", "::tilec::tile::ProgramOp"> {
  let summary = "accesses name whole buffers";
  let description = [{
    Needs:  a verified program.
    Gives:  loads, stores and atomics name the buffer behind a view, with its indices.
    Leaves: everything but accesses of elements and arithmetic of indices.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DropGuardsPass : Pass<"tile-drop-guards", "::tilec::tile::ProgramOp"> {
  let summary = "guards that say what the ends of tensors say are no branches";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  of a branch in a parallel that writes elements of tensors alone, conditions are left out which leave out
            what lies outside of these: `if i < N: B[i] = A[i]` where B has N elements.
    Leaves: what is computed; branches that write tiles.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnguardReadsPass : Pass<"tile-unguard-reads", "::tilec::tile::ProgramOp"> {
  let summary = "reads that a branch leaves out for a zero are reads of all iterations";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  `if row < n: S[i, j] = A[row, j]` with `else: S[i, j] = 0` reads A in all iterations: outside
            of the tensor, which reads as zero, where the guard does not hold.
    Leaves: what is computed; guards that differ within a row.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SelectValuesPass : Pass<"tile-select-values", "::tilec::tile::ProgramOp"> {
  let summary = "values are chosen, not branches, where memory is read";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  in loops over elements, a branch of which both sides give a value, or store one in the same place, and one
            reads shared memory alone, or in a pipelined round a tensor, or by an element of a mask tensors, is both values
            and a `select`. One that changes elements of a tile that the round copies stores what was there in the others.
    Leaves: branches whose sides may not be computed in any case, or are long; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReadOncePass : Pass<"tile-read-once", "::tilec::tile::ProgramOp"> {
  let summary = "an element of a tensor is read once in an iteration";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  an iteration of a parallel reads an element of a tensor that the kernel does not write once; one that stores
            several elements of one tensor and nothing else, some of them in front of a read, reads first.
    Leaves: everything else. docs/decisions/0016-tensors-do-not-overlap.md.
  }];
}

def KeepResultsPass : Pass<"tile-keep-results", "::tilec::tile::ProgramOp"> {
  let summary = "branches that all threads take give no values where the last wave is not whole";
  let description = [{
    Needs:  of lockstep kernels, `tile-stage-elements`.
    Gives:  in lockstep kernels whose threads do not fill their waves, what a branch gives that all threads take
            alike stands in a local buffer: it can be cut where threads meet.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def UnifyMeetingsPass : Pass<"tile-unify-meetings", "::tilec::tile::ProgramOp"> {
  let summary = "where threads meet, all of them pass";
  let description = [{
    Needs:  of lockstep kernels, `tile-stage-elements`, `tile-keep-results`.
    Gives:  ops where threads meet (tile operations, barriers, exchanges) leave branches that only some
            threads take, and get `active` or a condition of the whole block instead. Errors for loops
            whose number of rounds differs between threads that meet in them.
    Leaves: other kernels. docs/machine-code/lockstep.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LowerBreaksPass : Pass<"tile-lower-breaks", "::tilec::tile::ProgramOp"> {
  let summary = "loops that are left early are `tile.while`";
  let description = [{
    Needs:  a verified program.
    Gives:  no `tile.break` is left: the loop counts and asks a flag, and what follows a break in its round
            hangs on the flag. Such a loop has no stages.
    Leaves: loops without a break.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ExpandScansPass : Pass<"tile-expand-scans", "::tilec::tile::ProgramOp"> {
  let summary = "scans in pieces that registers hold";
  let description = [{
    Needs:  a verified program.
    Gives:  a scan between shared tiles that are too large for registers is done in blocks, of lines first,
            then of a line; one in a parallel walks its line.
    Leaves: scans that registers hold; everything else.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RollCopiesPass : Pass<"tile-roll-copies", "::tilec::tile::ProgramOp"> {
  let summary = "parts of a tile that are copied one by one are a loop";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  copies of a pipelined round that fill the rows of a shared tile in equal parts, from places of one tensor
            that lie a constant apart, are a serial loop of one copy.
    Leaves: what is computed; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def JoinRowCopiesPass : Pass<"tile-join-row-copies", "::tilec::tile::ProgramOp"> {
  let summary = "rows that a serial loop copies are brought by one parallel";
  let description = [{
    Needs:  copies are `tile.copy`.
    Gives:  a serial loop outside of parallels that only copies rows of a tensor, one or several in each iteration, to
            rows of a tile that are the iteration's own, or such rows of a tile to rows of a tensor that are, is a
            `tile.parallel` over the rows' elements.
    Leaves: what is computed; lockstep kernels, boxes that are no whole rows of the tile.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ParallelizeLoopsPass : Pass<"tile-parallelize-loops", "::tilec::tile::ProgramOp"> {
  let summary = "serial loops with independent iterations are parallels";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  a serial loop of constant bounds outside of parallels, of which no iteration touches what another
            one writes, is a `tile.parallel`, with as many loops of its nest as are independent. Parallels inside
            are its own.
    Leaves: what is computed; lockstep kernels, pipelined loops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ForwardLocalsPass : Pass<"tile-forward-locals", "::tilec::tile::ProgramOp"> {
  let summary = "elements of an iteration's local arrays are computed where they are read";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  a local array of an iteration of a parallel, all of whose elements a serial loop writes, is gone: each read
            computes what the loop before it wrote there, rounded as the array holds it.
    Leaves: what is computed; arrays that are written otherwise, that more than a few reads would compute anew, or whose
            values come from what is written in between; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WidenParallelsPass : Pass<"tile-widen-parallels", "::tilec::tile::ProgramOp"> {
  let summary = "serial loops inside of parallels are further loops of them";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  a serial loop of constant bounds that is all that a parallel does, under a condition or not, of which no
            round touches what another one writes, is one more loop of the parallel.
    Leaves: what is computed; lockstep kernels, local buffers.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NestReductionsPass : Pass<"tile-nest-reductions", "::tilec::tile::ProgramOp"> {
  let summary = "serial loops that fold an iteration's elements are parallels in the parallel";
  let description = [{
    Needs:  `tile-fold-views`; loops that are further loops of their parallel are ones (`tile-widen-parallels`).
    Gives:  a serial loop of constant bounds in a parallel, which only folds elements into ones that its rounds
            share and writes others that are each round's own, is a parallel in it, or a loop of such over
            as many rounds as registers hold.
    Leaves: lockstep kernels; sums that each round rounds; loops that do not fold along the rows that they read, in
            parallels that have work for most threads.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitVariablesPass : Pass<"tile-split-variables", "::tilec::tile::ProgramOp"> {
  let summary = "updates of groups of elements have a loop for each group";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  a variable of a parallel whose quotient is an index of an updated element (m[j // 128] = max(...)), and
            whose extent is a multiple of the divisor, is two: the group and the element of it.
    Leaves: what is computed; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SpreadLocalsPass : Pass<"tile-spread-locals", "::tilec::tile::ProgramOp"> {
  let summary = "local buffers that are gone through element by element are fragments";
  let description = [{
    Needs:  `tile-place-locals`, `tile-parallelize-loops`.
    Gives:  a shared buffer that was a local one, all of whose accesses are tile operations and loops over
            its elements, is a fragment; so is one that a product multiplies into. No buffer is
            `was_local`.
    Leaves: everything else.
  }];
}

def MergeParallelsPass : Pass<"tile-merge-parallels", "::tilec::tile::ProgramOp"> {
  let summary = "nests of parallels with extents of run time are one loop";
  let description = [{
    Needs:  `tile-parallelize-loops`.
    Gives:  a parallel that is all there is in another one is one loop with it, where an extent of theirs
            is known only at run time.
    Leaves: nests of constant extents, which `tile-fission-parallels` joins; all else.
  }];
}

def ChunkParallelsPass : Pass<"tile-chunk-parallels", "::tilec::tile::ProgramOp"> {
  let summary = "parallels run over pieces of a block's lanes";
  let description = [{
    Needs:  `tile-merge-parallels`.
    Gives:  a parallel that stands in no other one has constant extents: with one of run time it is a loop
            over pieces of a block's lanes, under a guard.
    Leaves: nested parallels; all else.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def BoundParallelsPass : Pass<"tile-bound-parallels", "::tilec::tile::ProgramOp"> {
  let summary = "nested parallels have constant extents";
  let description = [{
    Needs:  `tile-chunk-parallels`.
    Gives:  parallels have constant extents: a nested one runs to a bound of its extent, under a guard, or in
            pieces of a block's lanes, or is a serial loop of each iteration.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def FissionParallelsPass : Pass<"tile-fission-parallels", "::tilec::tile::ProgramOp"> {
  let summary = "nested parallels are perfect nests";
  let description = [{
    Needs:  `tile-bound-parallels`.
    Gives:  no parallel stands in another one: statement by statement instead of iteration by iteration, they
            are one loop over both. Scalars and private buffers that cross a cut are fragments.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def OrderUpdatesPass : Pass<"tile-order-updates", "::tilec::tile::ProgramOp"> {
  let summary = "updates of elements that memory names take turns";
  let description = [{
    Needs:  `tile-fission-parallels`.
    Gives:  iterations of a parallel that update an element which memory names (`x[I[i]] += e`), where no
            atomic computes that, are a serial loop.
    Leaves: updates with an atomic; everything else.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UpdateAtomicallyPass : Pass<"tile-update-atomically", "::tilec::tile::ProgramOp"> {
  let summary = "updates of elements that memory names are atomic";
  let description = [{
    Needs:  `tile-order-updates`: those without an atomic take turns.
    Gives:  an update in a parallel of an element which memory names (`x[I[i]] += e`) is a `tile.atomic`.
    Leaves: other updates; what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RecognizeReductionsPass : Pass<"tile-recognize-reductions", "::tilec::tile::ProgramOp"> {
  let summary = "x = op(x, e) in a parallel is a `tile.reduce`";
  let description = [{
    Needs:  `tile-update-atomically`.
    Gives:  a reduction inside of a parallel is a `tile.reduce` behind it. Errors for iterations that depend on
            each other in another way.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def SumBeforeAtomicsPass : Pass<"tile-sum-before-atomics", "::tilec::tile::ProgramOp"> {
  let summary = "what many iterations add to one element of a tensor is summed first";
  let description = [{
    Needs:  `tile-recognize-reductions`: parallels are perfect nests.
    Gives:  a parallel that adds f32 to elements of a tensor which some of its variables do not name is a
            `tile.reduce` of the terms over those, and one atomic update an element.
    Leaves: lockstep kernels; fewer than eight updates an element; other atomics; parallels that do more.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def KeepOwnElementsPass : Pass<"tile-keep-own-elements", "::tilec::tile::ProgramOp"> {
  let summary = "shared tiles whose elements nobody exchanges are fragments";
  let description = [{
    Needs:  `tile-recognize-reductions`; copies are `tile.copy`, loops over elements `tile.parallel`.
    Gives:  a tile that a loop without a ring fills, changes element by element or reduces and writes
            back, and whose rest nobody reads, is a fragment; so is, in a kernel without products, one that is filled
            and read element by element outside of loops.
    Leaves: what is computed; tiles of more than a thread's registers; lockstep kernels.
  }];
}

def RaiseCopiesPass : Pass<"tile-raise-copies", "::tilec::tile::ProgramOp"> {
  let summary = "parallels that move a box of a tensor to shared memory are copies";
  let description = [{
    Needs:  `tile-fission-parallels`.
    Gives:  a `tile.parallel` that only moves a global box to all of a shared buffer is a `tile.copy`.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def JoinCopiesPass : Pass<"tile-join-copies", "::tilec::tile::ProgramOp"> {
  let summary = "two branches that copy to the same tiles are one row of copies";
  let description = [{
    Needs:  `tile-raise-copies`.
    Gives:  `if c: copy(K[x], t) else: copy(K[y], t)` is `copy(K[x if c else y], t)`, which each round
            executes and so can run ahead. Both branches copy boxes of the same tensors to the same tiles
            in the same order, and do nothing else. One that clears the tiles instead, in a pipelined loop, copies
            from behind the end of the tensor.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LiftStatementsPass : Pass<"tile-lift-statements", "::tilec::tile::ProgramOp"> {
  let summary = "statements on scalars that all lanes hold are parallels";
  let description = [{
    Needs:  `tile-recognize-reductions`.
    Gives:  a statement of the block that computes with fragments of one element is a `tile.parallel` with one
            iteration: nothing passes through shared memory.
    Leaves: what is computed; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LiftElementsPass : Pass<"tile-lift-elements", "::tilec::tile::ProgramOp"> {
  let summary = "elements of fragments are reached by all lanes";
  let description = [{
    Needs:  `tile-lift-statements`.
    Gives:  no element of a fragment is read or written outside of a parallel: a write is a parallel over
            the fragment in which one iteration writes, a read goes through a shared copy.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RollTailsPass : Pass<"tile-roll-tails", "::tilec::tile::ProgramOp"> {
  let summary = "last rounds that are written out are rounds";
  let description = [{
    Needs:  `tile-raise-copies`.
    Gives:  a pipelined loop takes in the round that is written out behind it: programs that order their copies
            by hand do so, and a plan wants all rounds.
    Leaves: what is computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def JoinProductsPass : Pass<"tile-join-products", "::tilec::tile::ProgramOp"> {
  let summary = "products that their author cuts by hand are one";
  let description = [{
    Needs:  `tile-raise-copies`.
    Gives:  a serial loop whose rounds multiply the steps of two shared tiles along K is one product; so is one whose
            rounds bring the parts of M or N to the parts of a fragment.
    Leaves: sums that the steps round; lockstep kernels.
  }];
}

def ForwardOperandsPass : Pass<"tile-forward-operands", "::tilec::tile::ProgramOp"> {
  let summary = "products read shared tiles themselves";
  let description = [{
    Needs:  copies are `tile.copy`.
    Gives:  a fragment that only brings a whole shared tile to one product of the same block is gone: the
            product reads the shared tile, in the way that the target has for that.
    Leaves: what is computed.
  }];
}

def ForwardTransposesPass : Pass<"tile-forward-transposes", "::tilec::tile::ProgramOp"> {
  let summary = "products read across tiles that are transposed for them";
  let description = [{
    Needs:  `tile-fold-views`.
    Gives:  a tile of 16-bit elements that only brings the transpose of a shared tile to products of the same block is
            gone: they read the shared tile, `transpose_a` or `transpose_b` the other way.
    Leaves: what is computed; tiles with a layout of their author's; lockstep kernels.
  }];
}

def ForwardTilesPass : Pass<"tile-forward-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "fragments read tensors themselves";
  let description = [{
    Needs:  copies are `tile.copy`.
    Gives:  a shared tile that only brings elements of a tensor, converted, to one fragment of the same block
            is gone: no asynchronous copy could fill it.
    Leaves: what is computed.
  }];
}

def ForwardNumbersPass : Pass<"tile-forward-numbers", "::tilec::tile::ProgramOp"> {
  let summary = "places that a tile of numbers says are read from the tensor";
  let description = [{
    Needs:  copies are `tile.copy`.
    Gives:  in pipelined loops, `t[i] = Rows[x + i]` and `b[i, j] = B[t[i], j]` are `b[i, j] = B[Rows[x + i], j]`:
            what finds its rows by a tile of its own round could not run ahead. A tile that nobody else reads is gone.
    Leaves: what is computed; numbers of tensors that the kernel writes; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def JoinUpdatesPass : Pass<"tile-join-updates", "::tilec::tile::ProgramOp"> {
  let summary = "a tile that is changed in place is brought with its last values";
  let description = [{
    Needs:  `tile-raise-copies`: copies are `tile.copy`.
    Gives:  in pipelined loops of products, `copy(A[x], t)` and `t[i, j] = f(t[i, j])` are
            `t[i, j] = f(A[x + i, j])`, where f reads nothing else that the loop writes, and nothing else of the
            round writes t.
    Leaves: what is computed; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def EraseDeadPass : Pass<"tile-erase-dead", "::tilec::tile::ProgramOp"> {
  let summary = "what nothing uses is gone";
  let description = [{
    Needs:  a verified program.
    Gives:  no views, arithmetic, loads and buffers are left without a use.
    Leaves: parameters; everything that is used or has an effect.
  }];
}

def RaiseFillsPass : Pass<"tile-raise-fills", "::tilec::tile::ProgramOp"> {
  let summary = "parallels that fill tiles are fills";
  let description = [{
    Needs:  `tile-fission-parallels`, `tile-erase-dead`: what is left in a loop keeps it from being a fill.
    Gives:  a `tile.parallel` that only sets whole fragments or shared tiles to values that no iteration
            changes is as many `tile.fill`, and so is what another one sets a fragment to that it does not
            touch otherwise. What fills all of a tile through a view names the tile.
    Leaves: what is computed.
  }];
}

def LowerCopiesPass : Pass<"tile-lower-copies", "::tilec::tile::ProgramOp"> {
  let summary = "copies of registers are moves of elements";
  let description = [{
    Needs:  passes that look for copies have run.
    Gives:  a copy that touches a fragment or local buffer is a `tile.move`.
    Leaves: other copies; everything else.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerFillsPass : Pass<"tile-lower-fills", "::tilec::tile::ProgramOp"> {
  let summary = "fills of boxes are loops over elements";
  let description = [{
    Needs:  `tile-raise-fills`.
    Gives:  every `tile.fill` fills a whole fragment or shared tile; another one is a `tile.parallel`.
    Leaves: everything else.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RaiseMovesPass : Pass<"tile-raise-moves", "::tilec::tile::ProgramOp"> {
  let summary = "parallels that only move elements are moves";
  let description = [{
    Needs:  `tile-raise-copies`.
    Gives:  a `tile.parallel` that moves elements and does nothing else is a `tile.move`.
    Leaves: everything else.
  }];
}

def StreamFragmentsPass : Pass<"tile-stream-fragments", "::tilec::tile::ProgramOp"> {
  let summary = "fragments that no registers hold are values of an iteration";
  let description = [{
    Needs:  `tile-raise-fills`, `tile-raise-moves`.
    Gives:  loops over a fragment's elements, of more registers than a thread has, are one loop in which the
            element is a value, where no iteration touches what another one of another loop writes.
    Leaves: what is computed; lockstep kernels. docs/machine-code/layouts.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ReadRoundsPass : Pass<"tile-read-rounds", "::tilec::tile::ProgramOp"> {
  let summary = "tiles that a short loop brings to registers are read for all rounds at once";
  let description = [{
    Needs:  `tile-raise-moves`.
    Gives:  reads of a loop of few rounds stand in front of all that its rounds do with them, where a
            thread's registers hold them.
    Leaves: what is computed; lockstep kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ChooseThreadsPass : Pass<"tile-choose-threads", "::tilec::tile::ProgramOp"> {
  let summary = "more threads where fragments do not fit into those that the author named";
  let description = [{
    Needs:  operations in one form (`tile-lower-breaks`, `tile-lower-copies`, `tile-lower-fills`).
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
    Needs:  operations in one form (`tile-lower-breaks`, `tile-lower-copies`, `tile-lower-fills`).
    Gives:  a pipelined loop of 64 rounds that asks for no ring (`stages` 0 and 1) has two stages where the
            grid has no more blocks than the chip units and a round is copies and one product, or up to
            two for each and a round has several products.
    Leaves: loops whose schedule or stages the author named, all else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"", "`--schedule=`">];
}

def SetKTilesPass : Pass<"tile-set-k-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "products whose rounds bring whole rows of the swizzle";
  let description = [{
    Needs:  operations in one form (`tile-lower-breaks`, `tile-lower-copies`, `tile-lower-fills`).
    Gives:  a loop that copies two operands and multiplies them does so in rounds of 128 bytes along
            K where rows along K are copied: fewer longer rounds instead of shorter ones, and more
            shorter ones where shared memory would hold few slots. Where waves copy, counted one by one, rounds bring
            half of K as long as two slots leave more blocks on a unit so, fit at all, or copies start earlier.
    Leaves: chips whose copies are awaited in groups, without TMA; loops whose schedule or stages the author named, all
            else; the order in which sums are added. docs/machine-code/hopper.md, docs/machine-code/pipelining.md.
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
            products, of which a tile is used outside, or of fewer than 8 whole rounds (4 where a block
            has a unit to itself; 2 where rows are no whole accesses there, or no whole words).
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TransposeOperandsPass : Pass<"tile-transpose-operands", "::tilec::tile::ProgramOp"> {
  let summary = "operands of bytes that lie across are the other way round";
  let description = [{
    Needs:  operations in one form (`tile-lower-breaks`, `tile-lower-copies`, `tile-lower-fills`).
    Gives:  an operand of bytes that has K as the slower dimension is read from a shared tile with its rows
            and columns exchanged, which a loop in front of the product fills, where warp groups multiply it
            then.
    Leaves: chips without warp groups; products that they multiply as they are, or in no way.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ConvertOperandsPass : Pass<"tile-convert-operands", "::tilec::tile::ProgramOp"> {
  let summary = "products have element types that a matrix instruction takes";
  let description = [{
    Needs:  `tile-transpose-operands`.
    Gives:  floats of 8 bits and elements of 4 bits, which the chip does not multiply, are copied to f16 or
            int8, exactly; a sum of less than 32 bits is an f32 that is rounded once, behind the product. Where
            shared memory has no room for the converted tiles beside all that is needed with them, they are
            parts of K, each converted and multiplied in turn.
    Leaves: what warp groups multiply; types for which no instruction is found.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandProductsPass : Pass<"tile-expand-products", "::tilec::tile::ProgramOp"> {
  let summary = "products that no matrix instruction multiplies are loops over C";
  let description = [{
    Needs:  `tile-convert-operands`.
    Gives:  a loop over the elements of C, each a sum along K, stands for a product of types that no
            instruction takes, or of a sparse A.
    Leaves: what warp groups multiply; products of f32 that lanes share evenly.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def PackTilesPass : Pass<"tile-pack-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "shared tiles of 4-bit elements are tiles of bytes";
  let description = [{
    Needs:  `tile-raise-moves`.
    Gives:  what loops with stages bring from tensors of 4-bit integers lies in shared memory as in the
            tensor, two elements a byte; loops over elements take their half of it.
    Leaves: tiles that anything else touches, and boxes that begin or end within a byte.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def IsolateOperandsPass : Pass<"tile-isolate-operands", "::tilec::tile::ProgramOp"> {
  let summary = "products, reductions and scans work on whole buffers";
  let description = [{
    Needs:  `tile-expand-products`.
    Gives:  C of a product and the operands of reductions and scans are whole fragments, A and B whole
            fragments or shared tiles, or boxes of these; anything else is copied to a fragment or tile of its
            own, and back. Lanes multiply what is in shared memory.
    Leaves: what is computed.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ChooseWarpGroupsPass : Pass<"tile-choose-warp-groups", "::tilec::tile::ProgramOp"> {
  let summary = "which products whole warp groups multiply";
  let description = [{
    Needs:  `tile-isolate-operands`.
    Gives:  `warp_group` on those, and a remark on others, of chips that have warp groups.
    Leaves: everything else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def ForwardAccumulatorsPass : Pass<"tile-forward-accumulators", "::tilec::tile::ProgramOp"> {
  let summary = "operands made of accumulators stay in registers";
  let description = [{
    Needs:  `tile-choose-warp-groups`.
    Gives:  a shared tile of 16-bit floats that one loop fills from accumulators, and that is nothing but A of
            products of the same block, is a fragment, where each wave multiplies the rows that it has made
            and registers are left.
    Leaves: lockstep kernels; tiles with a layout of their author's.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def ChainProductsPass : Pass<"tile-chain-products", "::tilec::tile::ProgramOp"> {
  let summary = "products that take what others of the kernel have made";
  let description = [{
    Needs:  `tile-forward-accumulators`.
    Gives:  `chained` on all products of a kernel in which one takes a fragment that is computed from
            another's C, if each of them has a large atom, and registers are left: they use it.
    Leaves: everything else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"atoms", "atoms", "std::string", "\"\"",
                        "`large` or `small` for products that could have either; empty: large ones for chains">];
}

def KeepOperandsPass : Pass<"tile-keep-operands", "::tilec::tile::ProgramOp"> {
  let summary = "operands that a loop does not change lie in registers";
  let description = [{
    Needs:  `tile-chain-products`.
    Gives:  a shared tile that a product reads in every round of a loop that does not write it (Q of
            attention) is read from a fragment, filled once in front of the loop, as far as registers are
            left.
    Leaves: chips whose accumulators have no registers of their own; lockstep kernels; products that say how
            they are multiplied.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def InferLayoutsPass : Pass<"tile-infer-layouts", "::tilec::tile::ProgramOp"> {
  let summary = "choose where the elements of every fragment are";
  let description = [{
    Needs:  `tile-choose-warp-groups`, `tile-chain-products`, `tile-keep-operands`.
    Gives:  every `tile.alloc` of a fragment has a layout. Every `tile.gemm` says how it is
            multiplied (`mma`), which no later pass decides again; what it says already is
            kept, or refused.
    Leaves: all but these.

    Matrix operations decide first; parallels, reductions and copies pass layouts
    on; what is left gets a blocked layout. docs/machine-code/layouts.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def UnrollHeldRowsPass : Pass<"tile-unroll-held-rows", "::tilec::tile::ProgramOp"> {
  let summary = "loops through rows that each lane has whole are their rounds";
  let description = [{
    Needs:  `tile-infer-layouts`.
    Gives:  a serial loop of at most 16 rounds within a parallel, whose variable says which element of a
            fragment is touched, is its rounds, in which registers have numbers.
    Leaves: loops of which a round needs what other lanes hold.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnrollWindowsPass : Pass<"tile-unroll-windows", "::tilec::tile::ProgramOp"> {
  let summary = "loops over the pieces of a fragment are their rounds";
  let description = [{
    Needs:  `tile-unroll-held-rows`.
    Gives:  a serial loop of at most 128 rounds around parallels, whose variable says which piece of a
            fragment they touch, is its rounds, if a lane computes at most 1024 elements in all of them.
    Leaves: loops of which a round needs what other lanes hold, or does anything else.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FollowPiecesPass : Pass<"tile-follow-pieces", "::tilec::tile::ProgramOp"> {
  let summary = "loops over a piece of a fragment are run where the piece lies";
  let description = [{
    Needs:  `tile-unroll-windows`.
    Gives:  a loop that no whole fragment gives a layout has that of a piece that it touches, `layout`, where
            lanes have all that they need then.
    Leaves: everything else.
  }];
}

def MatchOperandsPass : Pass<"tile-match-operands", "::tilec::tile::ProgramOp"> {
  let summary = "products, reductions and scans have operands in the layouts that they compute with";
  let description = [{
    Needs:  `tile-infer-layouts`.
    Gives:  a fragment that lies in another layout is copied to a fragment of the op's own (C, results) or to
            a shared tile (A, B), and back where it is written.
    Leaves: how products are multiplied, but for where operands are read from.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def StageFragmentsPass : Pass<"tile-stage-fragments", "::tilec::tile::ProgramOp"> {
  let summary = "elements of fragments are touched by the lanes that hold them";
  let description = [{
    Needs:  `tile-follow-pieces`, `tile-match-operands`.
    Gives:  a loop that touches elements of other lanes works on a shared copy of the fragment, filled in
            front of it and read back behind it. Where these copies take more shared memory than there is,
            loops have the layout of what they read, if that stages fewer bytes.
    Leaves: the order of ops.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LayOutSharedPass : Pass<"tile-lay-out-shared", "::tilec::tile::ProgramOp"> {
  let summary = "choose where the elements of every shared buffer are";
  let description = [{
    Needs:  `tile-stage-fragments`.
    Gives:  every `tile.alloc` of a shared buffer has a layout: swizzled for those who read it, in panels for
            warp groups, or plain.
    Leaves: everything else. docs/machine-code/layouts.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"swizzle", "swizzle", "int64_t", "0",
                        "how many layouts without bank conflicts are passed over">];
}

def RaiseTransposesPass : Pass<"tile-raise-transposes", "::tilec::tile::ProgramOp"> {
  let summary = "loops that move bytes across are transpositions";
  let description = [{
    Needs:  `tile-lay-out-shared`.
    Gives:  a `tile.move` between shared tiles of bytes that exchanges rows and columns is a
            `tile.transpose_bytes`, where layouts keep 4 neighbours together.
    Leaves: chips whose lanes do not exchange blocks of bytes; everything else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def KeepLoopLayoutsPass : Pass<"tile-keep-loop-layouts", "::tilec::tile::ProgramOp"> {
  let summary = "loops keep layouts that folding may take the reason for";
  let description = [{
    Needs:  `tile-lay-out-shared`.
    Gives:  a loop whose layout hangs on a read, or on a store in a branch, has it itself (`layout`), where
            its other fragments need it.
    Leaves: everything else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def ChooseSchedulesPass : Pass<"tile-choose-schedules", "::tilec::tile::ProgramOp"> {
  let summary = "of the schedules that authors name, the one that the target has";
  let description = [{
    Needs:  a verified program.
    Gives:  the strategy of a loop is the first of its names that the target has, else `auto`, with a warning; a
            loop that is to be left as it is says so (`exact`).
    Leaves: everything else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def DelaySumsPass : Pass<"tile-delay-sums", "::tilec::tile::ProgramOp"> {
  let summary = "sums over rounds are combined over lanes once";
  let description = [{
    Needs:  layouts.
    Gives:  `l[i] = l[i] * alpha[i] + sum(row i of S)` in every round of a loop, from l = 0: each lane keeps the sum
            of its own elements; lanes and waves combine theirs behind the loop. So of maxima, minima and
            largest magnitudes that nothing else of the loop reads, from any start.
    Leaves: lockstep kernels; everything else. docs/decisions/0007-sums-are-combined-late.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RewriteGatesPass : Pass<"tile-rewrite-gates", "::tilec::tile::ProgramOp"> {
  let summary = "1 + erf(x) and 1 + tanh(x) are shorter functions";
  let description = [{
    Needs:  layouts.
    Gives:  a sum of 1 and erf(x) or tanh(x) (a GELU), rounded to 16 bits, is erfc(-x) or 2 / (1 + exp(-2x)), `afn`.
    Leaves: programs that ask for the library's functions; what the agreement rule can see.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ShortenAnglesPass : Pass<"tile-shorten-angles", "::tilec::tile::ProgramOp"> {
  let summary = "sines of angles with a known bound are computed in f32";
  let description = [{
    Needs:  layouts.
    Gives:  sines and cosines of angles that index arithmetic bounds, from which values come that are rounded to 16
            bits, are polynomials of f32, or the chip's instruction (`afn`).
    Leaves: programs that ask for the library's functions, or for `--math=fast`; what the agreement rule can see.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def FuseSquaresPass : Pass<"tile-fuse-squares", "::tilec::tile::ProgramOp"> {
  let summary = "squares are added to sums of squares in one operation";
  let description = [{
    Needs:  layouts.
    Gives:  a square that is only summed with others is not rounded before (`contract`).
    Leaves: programs that ask for the library's functions; what the agreement rule can see.
  }];
}

def FuseAffinePass : Pass<"tile-fuse-affine", "::tilec::tile::ProgramOp"> {
  let summary = "a * b + c of what hangs on a sum of a row is one operation";
  let description = [{
    Needs:  layouts.
    Gives:  a product that hangs on a reduction's sum is not rounded in front of a sum or difference that is rounded
            to 16 bits (`contract`).
    Leaves: differences that must be 0 of equal terms; programs that ask for the library's functions; what the
            agreement rule can see.
  }];
}

def RelaxExponentialsPass : Pass<"tile-relax-exponentials", "::tilec::tile::ProgramOp"> {
  let summary = "exponentials whose small results are nothing";
  let description = [{
    Needs:  layouts.
    Gives:  exponentials whose results are rounded to 16 bits, or summed below a row's maximum, have `afn` where what
            is below 2^-126 counts as zero; their arguments are rounded once (`contract`), and e^x is 2^(x log2 e).
    Leaves: programs that ask for the library's functions; what the agreement rule can see.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def RelaxLogarithmsPass : Pass<"tile-relax-logarithms", "::tilec::tile::ProgramOp"> {
  let summary = "logarithms that only say how large something is";
  let description = [{
    Needs:  layouts.
    Gives:  a logarithm that is only subtracted from arguments of exponentials that are rounded to 16 bits has `afn`.
    Leaves: programs that ask for the library's functions; what the agreement rule can see.
  }];
}

def RelaxTangentsPass : Pass<"tile-relax-tangents", "::tilec::tile::ProgramOp"> {
  let summary = "hyperbolic tangents whose last bits nobody sees";
  let description = [{
    Needs:  layouts.
    Gives:  a hyperbolic tangent whose result is rounded to 16 bits has `afn`: 2^-20 of it at most get lost. One that caps
            scores of 64 at most, in a kernel that gives 16-bit numbers alone, is 1 - 2 / (1 + e^2x).
    Leaves: programs that ask for the library's functions; what the agreement rule can see.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def RelaxQuotientsPass : Pass<"tile-relax-quotients", "::tilec::tile::ProgramOp"> {
  let summary = "quotients are products with reciprocals";
  let description = [{
    Needs:  `tile-relax-exponentials`: which sums are of approximate powers; nothing behind it asks where quotients go.
    Gives:  a quotient that is rounded to 16 bits, or a mean of a row that no comparison sees, has `arcp`, of a divisor
            that is no denormal number; a sigmoid's and a softmax's reciprocal, and an inverse square root that is
            rounded to 16 bits, have `afn`.
    Leaves: programs that ask for the library's functions; what the agreement rule can see.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def FuseExactProductsPass : Pass<"tile-fuse-exact-products", "::tilec::tile::ProgramOp"> {
  let summary = "products that f32 holds to the last bit are added in one operation";
  let description = [{
    Needs:  layouts.
    Gives:  a product of numbers of so few bits that f32 has all of the result's is not rounded in front of a sum
            (`contract`), which makes no difference.
    Leaves: programs that ask for the library's functions; what is computed.
  }];
}

def AllowFastMathPass : Pass<"tile-allow-fast-math", "::tilec::tile::ProgramOp"> {
  let summary = "what `--math=fast` allows";
  let description = [{
    Needs:  layouts.
    Gives:  in programs that ask for it, functions of f32 have `afn`, quotients `arcp`, sums and products `contract`.
    Leaves: other programs.
  }];
}

def RunSerialAheadPass : Pass<"tile-run-serial-ahead", "::tilec::tile::ProgramOp"> {
  let summary = "two stages for serial loops that bring rows";
  let description = [{
    Needs:  layouts.
    Gives:  in a kernel without pipelined loops, a serial loop that brings rows and works on them element by
            element has two stages, where shared memory holds them beside as many blocks as before.
    Leaves: chips that count copies, lockstep kernels; what is computed.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def HoistReadsPass : Pass<"tile-hoist-reads", "::tilec::tile::ProgramOp"> {
  let summary = "what a loop reads alike in all rounds is read in front of it";
  let description = [{
    Needs:  layouts.
    Gives:  a pipelined loop reads in front of its rounds what places of its copies are computed from and no round
            writes: variables, and, where copies are counted, elements of tensors. A read in the round would
            keep the copy back. So it does what elements of each row read alike in all rounds, beside products,
            where it is little. A small tensor that elements of tiles are looked up in, for a product, is
            brought to shared memory there.
    Leaves: everything else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def HoistTilesPass : Pass<"tile-hoist-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "tiles that a round has for itself stand in front of the loop";
  let description = [{
    Needs:  layouts.
    Gives:  a shared tile that copies of a pipelined loop fill stands in front of it, and may have slots.
    Leaves: everything else.
  }];
}

def SplitFillsPass : Pass<"tile-split-fills", "::tilec::tile::ProgramOp"> {
  let summary = "what copies bring has a tile of its own";
  let description = [{
    Needs:  layouts, `tile-hoist-tiles`.
    Gives:  a tile that a round of a pipelined loop copies, and then gives other values, is two tiles; one that is
            computed on its way from a tensor, where registers have no room for a round of it, is computed
            from a tile that is copied. Where shared memory has room for both, and for a second
            slot of each copy.
    Leaves: what is computed.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FindProducersPass : Pass<"tile-find-producers", "::tilec::tile::ProgramOp"> {
  let summary = "which loops a producer warp can serve";
  let description = [{
    Needs:  layouts, `tile-hoist-tiles`.
    Gives:  where the chip has TMA, a pipelined loop around products of warp groups is `served` by a producer that
            can come to its copies and bring all of them, which say how (`transfers`). Other loops
            get a remark, or, where their author named a schedule, a warning.
    Leaves: everything else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"",
                        "the strategy of every product, instead of its own">];
}

def ClearProductsPass : Pass<"tile-clear-products", "::tilec::tile::ProgramOp"> {
  let summary = "products that begin without their fill";
  let description = [{
    Needs:  layouts.
    Gives:  in kernels that may have a producer, a fill with zeros of a product's C is the product's `clear` where
            the instruction has one.
    Leaves: lockstep kernels; all else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ChooseRoundsPass : Pass<"tile-choose-rounds", "::tilec::tile::ProgramOp"> {
  let summary = "how a round runs beside a producer";
  let description = [{
    Needs:  `tile-find-producers`, `tile-clear-products`: what fills are left decides what a gemm waits for.
    Gives:  a served loop has the form of its rounds: its gemm stays in flight over their end, or the second of two
            runs under the first of the next round, and each statement says when it runs, or gemms run beside
            what does not need them. One that asks for one stage is served only where its tiles are filled beside gemms. Its
            fragments stand in front of it.
    Leaves: how many slots there are, who shares tiles; everything else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"",
                        "the strategy of every product, instead of its own">];
}

def ForwardStoresPass : Pass<"tile-forward-stores", "::tilec::tile::ProgramOp"> {
  let summary = "accumulators are stored without a shared tile on the way";
  let description = [{
    Needs:  `tile-choose-rounds`: which loops keep their producer.
    Gives:  what a kernel with a producer stores through a shared tile of its author's, and through nothing else, is
            stored from registers: the bytes are the rings'.
    Leaves: what a tensor copy cannot store; statements of a round that is cut; everything else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FindDeadRoundsPass : Pass<"tile-find-dead-rounds", "::tilec::tile::ProgramOp"> {
  let summary = "rounds that change nothing for a warp group";
  let description = [{
    Needs:  `tile-choose-rounds`, `tile-forward-stores`: rows that no tensor has are seen to be so where they are
            stored from registers.
    Gives:  an overlapped loop of which a mask of -inf leaves warp groups nothing to do from some round
            on, or that computes rows which no tensor has, says from which round (`dead_from`).
    Leaves: other loops, lockstep kernels; masks. docs/machine-code/hopper.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def GuardMasksPass : Pass<"tile-guard-masks", "::tilec::tile::ProgramOp"> {
  let summary = "masks run where they cut";
  let description = [{
    Needs:  layouts, `tile-find-dead-rounds`, which looks at masks.
    Gives:  a mask of a product's C by a condition on indices runs only where the condition cuts the tile, and
            the product ignores what C holds elsewhere; where a kernel may have a producer, only in warp groups of
            whose rows it cuts some.
    Leaves: lockstep kernels of chips with tensor copies, and those that have no producer; all else.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ShareOutTilesPass : Pass<"tile-share-out-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "as many blocks as run at once, which take tile after tile";
  let description = [{
    Needs:  `tile-choose-rounds`.
    Gives:  a kernel that is one served product has the grid, the teams and the clusters of its strategy, whose name
            the loop keeps (`planned`); one that is an overlapped loop of as many rounds in each block shares out
            its tiles, too, and its copies where its author asks for clusters (`persistent`). Errors where a
            named strategy does not fit.
    Leaves: lockstep kernels; what is computed. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"",
                        "the strategy of every product, instead of its own">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TakeTurnsPass : Pass<"tile-take-turns", "::tilec::tile::ProgramOp"> {
  let summary = "warp groups of an overlapped loop multiply in turn";
  let description = [{
    Needs:  `tile-share-out-tiles`: warp groups of blocks that share out their tiles drift apart alone.
    Gives:  overlapped loops of several warp groups have turns where nothing else keeps these apart, or where
            their author asks for them. A warning where a served loop has less than its author asks for.
    Leaves: everything else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"",
                        "the strategy of every product, instead of its own">];
}

def FitSlotsPass : Pass<"tile-fit-slots", "::tilec::tile::ProgramOp"> {
  let summary = "as many slots as shared memory holds";
  let description = [{
    Needs:  `tile-take-turns`: blocks that take tile after tile need more of shared memory at a time.
    Gives:  rings of served loops have as many slots as their author asks for, or as many as there is shared memory
            for; loops that fill the same buffers have as many, each of them a producer. A loop of which shared memory
            holds no two slots has none, with a remark. No served loop asks for a strategy any more.
    Leaves: everything else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">,
                 Option<"strategy", "strategy", "std::string", "\"\"",
                        "the strategy of every product, instead of its own">];
}

def StoreTilesPass : Pass<"tile-store-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "what is computed of accumulators is stored by tensor copies";
  let description = [{
    Needs:  `tile-fit-slots`.
    Gives:  in kernels with a served loop, a loop that stores what it computes of an accumulator to boxes of tensors
            is a `tile.store_tile`, where nothing else sees what it writes and shared memory holds its buffers,
            for which rings give back slots that only their author wished for. Updates of the accumulator
            in front of such a loop are part of it; where a guard holds for whole tiles, these are stored so.
    Leaves: other stores; what is computed. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AddSlotsPass : Pass<"tile-add-slots", "::tilec::tile::ProgramOp"> {
  let summary = "slots for copies to be under way as long as they take";
  let description = [{
    Needs:  `tile-store-tiles`: what accumulators are stored through comes before slots beyond the first ones.
    Gives:  rings whose slots are the compiler's have as many as hide a copy, of shared memory that no other resident
            block would get. Overlapped loops with one slot say in which order it is filled and released. A
            remark where a loop has fewer slots than its author asks for.
    Leaves: everything else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def FillOncePass : Pass<"tile-fill-once", "::tilec::tile::ProgramOp"> {
  let summary = "tiles that the producer fills beside its loops";
  let description = [{
    Needs:  `tile-fit-slots`: which loops have a producer.
    Gives:  a copy around a served loop (attention's Q), which the producer can come to and whose tile only products
            of warp groups behind it read, says how it is brought (`transfers`).
    Leaves: lockstep kernels; everything else. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def ClearFirstRoundsPass : Pass<"tile-clear-first-rounds", "::tilec::tile::ProgramOp"> {
  let summary = "first rounds that ignore what C holds, instead of a fill";
  let description = [{
    Needs:  `tile-fit-slots`: which loops have a producer.
    Gives:  where the gemm of a served loop stays in flight, and the loop is known to have a round, a fill of its C
            with zeros in front of the loop is the `clear` of the first round.
    Leaves: other loops; what is computed. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DelayWaitsPass : Pass<"tile-delay-waits", "::tilec::tile::ProgramOp"> {
  let summary = "gemms run beside what does not need them";
  let description = [{
    Needs:  `tile-store-tiles`: which fragments there are, and `tile-fill-once`: what the producer writes.
    Gives:  in served loops whose rounds say so (`beside`), gemms are `in_flight` up to a `tile.gemm_wait` in front of
            the statement that needs them, or at the round's end, where registers hold what they read.
    Leaves: other loops; what is computed. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
}

def ExpandProducersPass : Pass<"tile-expand-producers", "::tilec::tile::ProgramOp"> {
  let summary = "pipelined loops with a producer warp";
  let description = [{
    Needs:  `tile-add-slots`, `tile-fill-once`, `tile-clear-first-rounds`, `tile-delay-waits`.
    Gives:  a producer warp fills the slots of served loops and tiles beside them, and the others wait for these. Such loops have no stages.
    Leaves: other loops and chips. docs/machine-code/hopper.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ReadImagesPass : Pass<"tile-read-images", "::tilec::tile::ProgramOp"> {
  let summary = "images that no producer brings are read element by element";
  let description = [{
    Needs:  `tile-expand-producers`.
    Gives:  no copy of a box of a `tile.im2col` is left: it is a loop over the image's elements.
    Leaves: everything else.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SeparateTilesPass : Pass<"tile-separate-tiles", "::tilec::tile::ProgramOp"> {
  let summary = "each pipelined loop has tiles of its own";
  let description = [{
    Needs:  `tile-hoist-tiles`.
    Gives:  a tile that several pipelined loops fill anew in every round is one a loop: rings are a loop's own.
    Leaves: what is computed.
  }];
}

def ExpandPipelinesPass : Pass<"tile-expand-pipelines", "::tilec::tile::ProgramOp"> {
  let summary = "run the copies of a pipelined loop ahead of their use";
  let description = [{
    Needs:  layouts, `tile-hoist-reads`, `tile-separate-tiles`.
    Gives:  no loop has `stages` > 1; its copies from global to shared memory are
            asynchronous, in a ring of `stages` buffers, with explicit waits and
            barriers. Tiles that cannot be copied so, or find no room for a second slot,
            wait in registers (where the chip keeps the order of what it reads).
    Leaves: the order of everything else.

    `planPipeline` decides. docs/machine-code/pipelining.md.
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tilec::nameOf(::tilec::defaultArch))", "the chip">];
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

def PlacesFirstPass : Pass<"wave-places-first", "::tilec::wave::KernelOp"> {
  let summary = "places are computed before the numbers behind them are read";
  let description = [{
    Needs:  `tile-to-wave`.
    Gives:  a round that takes a number of a row from another register, in which it reads the next one, computes places
            from it before it reads that: no copy between the two waits for the read.
    Leaves: everything else.
  }];
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

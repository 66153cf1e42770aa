//===- EmitTileStore.cpp - accumulators to global memory through TMA ------===//
//
// Per transfer, or as many as have a buffer each: wait until the buffer has been read, compute
// the elements and write them into it (swizzled), fence, and one thread starts the transfer. Rows
// and columns outside the tensor are dropped by TMA. What comes from global memory is asked for
// some repetitions of the layout ahead.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/WarpGroups.h"
#include "Roles/Product.h"
#include "Roles/TileStore.h"
#include "ToWave/Ops.h"
#include "ToWave/Roles.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

/// Registers of a lane for what it has asked for, beside accumulators.
constexpr int64_t fetchRegs = 16, mostFetched = 8;

class TileStoreEmitter {
public:
  TileStoreEmitter(Emitter &e, tile::StoreTileOp loop, Elements &outer)
      : e(e), b(e.b), loc(loop.getLoc()), loop(loop), outer(outer),
        store(tileStoreOf(loop, e.target)), copies(*e.target.tensorCopies),
        rowsOfWarp(store.slabRows / warpsPerGroup) {
    buffers = loop.getBuffers();
    bytes = loop.getBytes();
  }

  LogicalResult run();

private:
  /// A repetition of the layout: the elements of a register group.
  struct Rep {
    Elements elements;
    SmallVector<Value, 2> values; ///< of each target, when computed
  };

  void findFetches();
  void placeThreads();
  LogicalResult fetchUpTo(size_t rep);
  LogicalResult compute(size_t rep);
  /// What one transfer brings: of which target, from which repetition on.
  struct Transfer {
    size_t target, firstRep;
  };
  LogicalResult write(Transfer what, int64_t bufferAt);
  LogicalResult transfer(ArrayRef<Transfer> together);
  void waitForBuffer();
  void writeMatrices(const TileTarget &target, int64_t rep, Value left, Value right,
                     int64_t bufferAt);
  void writePairs(const TileTarget &target, int64_t rep, Value values, int64_t bufferAt);
  void send(const TileTarget &target, int64_t col, int64_t bufferAt);
  /// The chunk of its row that `chunk` is moved to; `rowIn8` is the row among 8.
  Value swizzled(const TileTarget &target, Value chunk, Value rowIn8);
  /// Where the element is that `target` writes first.
  Value originOf(Value index);
  void sync() {
    // Barrier 0 is the block's, then come those of the teams.
    e.roles->syncAt(ofBlock, groups * teams, 1 + teams, e.target.groupLanes());
  }
  template <typename Body> void asLeader(Body body) {
    auto branch = scf::IfOp::create(b, loc, leads, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    body();
  }

  Emitter &e;
  OpBuilder &b;
  Location loc;
  tile::StoreTileOp loop;
  Elements &outer;
  TileStore store;
  const TensorCopies &copies;
  int64_t rowsOfWarp;                         ///< of a slab
  llvm::SmallPtrSet<Operation *, 16> fetches; ///< loads of global memory and their indices
  size_t ahead = 1;                           ///< repetitions that are fetched before their turn
  std::vector<Rep> reps;                      ///< fetched so far
  int64_t buffers = 1, bytes = 0, groups = 1, teams = 1;
  int64_t transfers = 0; ///< so far
  Value groupM, groupN, inGroup, ofBlock, leads;
  Value base; ///< of the warp group's buffers
};

void TileStoreEmitter::placeThreads() {
  groups = store.groupsM * store.groupsN;
  teams = e.kernel.getTeams();
  Value group = e.divIndex(e.waveId, warpsPerGroup);
  inGroup = e.remIndex(e.waveId, warpsPerGroup);
  groupM = e.remIndex(group, store.groupsM);
  groupN = e.divIndex(group, store.groupsM);
  leads = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                e.remIndex(e.threadId, e.target.groupLanes()), e.index(0));
  ofBlock = e.team ? e.addIndex(group, e.mulIndex(e.team, groups)) : group;
  base = e.addIndex(e.mulIndex(ofBlock, buffers * bytes), e.placeOf(loop));
}

void TileStoreEmitter::findFetches() {
  int64_t regs = 0, ofRep = store.layout.atomRegs();
  for (Operation *op : llvm::reverse(store.ops)) {
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isGlobal = load && load.getBuffer().getType().isGlobal();
    bool isIndex =
        (load || isMemoryEffectFree(op)) &&
        llvm::any_of(op->getUsers(), [&](Operation *user) { return fetches.contains(user); });
    if (isGlobal || isIndex)
      fetches.insert(op);
    if (isGlobal) {
      bool moves[2] = {false, false};
      for (Value index : load.getIndices())
        for (int d : {0, 1})
          moves[d] |= dependsOn(index, loop.ivs()[d]);
      regs += moves[0] && moves[1] ? ofRep : moves[0] ? ofRep / 2 : 2;
    }
  }
  ahead = regs == 0 ? 0 : std::clamp<int64_t>(fetchRegs / regs, 1, mostFetched);
}

LogicalResult TileStoreEmitter::fetchUpTo(size_t rep) {
  size_t all = store.cols() / groupColumns;
  while (reps.size() <= std::min(rep, all - 1)) {
    reps.push_back({elementsOf(e, loop, store.layout, reps.size(), nullptr, outer), {}});
    for (Operation *op : store.ops)
      if (fetches.contains(op) && failed(e.emitOp(*op, reps.back().elements)))
        return failure();
  }
  return success();
}

LogicalResult TileStoreEmitter::compute(size_t number) {
  if (failed(fetchUpTo(number + ahead)))
    return failure();
  Rep &rep = reps[number];
  if (!rep.values.empty())
    return success();
  rep.values.resize(store.targets.size());
  for (Operation *op : store.ops) {
    auto target = llvm::find_if(store.targets, [&](const TileTarget &t) { return t.op == op; });
    if (target == store.targets.end()) {
      if (!fetches.contains(op) && failed(e.emitOp(*op, rep.elements)))
        return failure();
      continue;
    }
    SmallVector<Value, 8> parts;
    for (int64_t i = 0; i < rep.elements.count; ++i)
      parts.push_back(e.lookup(target->value, i, rep.elements));
    DType dtype = tile::dtypeOf(target->tensor);
    rep.values[target - store.targets.begin()] =
        e.fromScalar(e.pack(parts), dtype, tile::movesElement(cast<tile::StoreOp>(op)));
  }
  return success();
}

Value TileStoreEmitter::swizzled(const TileTarget &target, Value chunk, Value rowIn8) {
  int64_t phases = target.rowBytes / copies.chunkBytes;
  Value phase = e.remIndex(e.divIndex(rowIn8, copies.swizzleRows / phases), phases);
  return arith::XOrIOp::create(b, loc, chunk, phase);
}

/// Two repetitions of 16-bit elements. Lanes 8 m to 8 m + 7 give the rows of matrix m: rows + 8 for
/// odd m, columns + 8 for m >= 2.
void TileStoreEmitter::writeMatrices(const TileTarget &target, int64_t rep, Value left, Value right,
                                     int64_t bufferAt) {
  const int64_t half = rowsOfWarp / 2, chunkBytes = copies.chunkBytes;
  Value inMatrix = e.remIndex(e.laneId, half), matrix = e.divIndex(e.laneId, half);
  Value lower = e.remIndex(matrix, 2), isRight = e.divIndex(matrix, 2);
  Value row = e.addIndex(e.addIndex(e.mulIndex(inGroup, rowsOfWarp * store.slabs),
                                    e.mulIndex(lower, half * store.slabs)),
                         inMatrix);
  Value chunk = swizzled(target, e.addIndex(isRight, rep), inMatrix);
  Value to =
      e.addIndex(e.addIndex(base, e.mulIndex(row, target.rowBytes)), e.mulIndex(chunk, chunkBytes));
  for (int64_t slab = 0; slab < store.slabs; ++slab) {
    SmallVector<Value, 2> parts = {left, right};
    for (Value &part : parts)
      if (store.slabs > 1)
        part = wave::ExtractOp::create(b, loc, e.vectorOf(4, wave::elementOf(part.getType())), part,
                                       4 * slab);
    wave::StMatrixOp::create(b, loc, e.pack(parts), to, bufferAt + slab * half * target.rowBytes);
  }
}

/// Other elements: a lane has two neighbours of each of its rows.
void TileStoreEmitter::writePairs(const TileTarget &target, int64_t rep, Value values,
                                  int64_t bufferAt) {
  const int64_t chunkBytes = copies.chunkBytes;
  Value rowIn8 = e.divIndex(e.laneId, 4);
  Value inRep = e.mulIndex(e.remIndex(e.laneId, 4), 2 * target.elemBytes); // bytes
  int64_t before = rep * groupColumns * target.elemBytes;
  Value chunk = e.addIndex(e.divIndex(inRep, chunkBytes), before / chunkBytes);
  Value inChunk = e.addIndex(e.remIndex(inRep, chunkBytes), before % chunkBytes);
  Value row = e.addIndex(e.mulIndex(inGroup, rowsOfWarp * store.slabs), rowIn8);
  Value rowPlace = e.addIndex(base, e.mulIndex(row, target.rowBytes));
  Value to = e.addIndex(
      e.addIndex(rowPlace, e.mulIndex(swizzled(target, chunk, rowIn8), chunkBytes)), inChunk);
  Type pair = e.vectorOf(2, wave::elementOf(values.getType()));
  for (int64_t at = 0; at < 2 * store.slabs; ++at) {
    int64_t half = at % 2, slab = at / 2, rows = rowsOfWarp / 2 * (store.slabs * half + slab);
    Value two = wave::ExtractOp::create(b, loc, pair, values, 2 * at);
    wave::SharedWriteOp::create(b, loc, two, to, Value(), bufferAt + rows * target.rowBytes);
  }
}

Value TileStoreEmitter::originOf(Value index) {
  LinearForm form = linearize(index);
  Value sum;
  for (auto [term, factor] : form.terms)
    if (!llvm::is_contained(loop.ivs(), term)) {
      Value part = e.mulIndex(e.indexFor(term, 0, outer), factor);
      sum = sum ? e.addIndex(sum, part) : part;
    }
  return e.addIndex(sum, form.constant);
}

void TileStoreEmitter::send(const TileTarget &target, int64_t col, int64_t bufferAt) {
  SmallVector<Value> coords; // innermost first
  for (int64_t d = int64_t(target.indices.size()) - 1; d >= 0; --d) {
    Value at = originOf(target.indices[d]);
    if (d == target.rowDim)
      at = e.addIndex(at, e.mulIndex(groupM, store.rows()));
    else if (d + 1 == int64_t(target.indices.size()))
      at = e.addIndex(e.addIndex(at, e.mulIndex(groupN, store.cols())), col);
    coords.push_back(at);
  }
  wave::TmaStoreOp::create(b, loc, e.roles->tensorMaps[target.op], coords,
                           e.addIndex(base, bufferAt), target.adds);
  wave::BulkCommitOp::create(b, loc);
}

/// The leader's transfers but the last ones have been read; the first in an author's loop also
/// waits until all of the round before are written.
void TileStoreEmitter::waitForBuffer() {
  bool all = transfers == 0 && loop.getInOrder();
  bool isLast = all || loop.getAfresh();
  asLeader([&] { wave::BulkWaitOp::create(b, loc, isLast ? 0 : buffers - 1, /*read=*/!all); });
}

LogicalResult TileStoreEmitter::write(Transfer what, int64_t bufferAt) {
  const TileTarget &target = store.targets[what.target];
  bool isMatrix = target.elemBytes == 2;
  int64_t count = target.cols() / groupColumns;
  for (int64_t rep = 0; rep < count; ++rep) {
    size_t number = what.firstRep + rep;
    if (failed(compute(number)))
      return failure();
    Value values = reps[number].values[what.target];
    if (!isMatrix)
      writePairs(target, rep, values, bufferAt);
    else if (rep % 2 == 1)
      writeMatrices(target, rep - 1, reps[number - 1].values[what.target], values, bufferAt);
  }
  return success();
}

/// Transfers through a buffer each.
LogicalResult TileStoreEmitter::transfer(ArrayRef<Transfer> together) {
  auto bufferOf = [&](size_t i) { return (transfers + int64_t(i)) % buffers * bytes; };
  waitForBuffer();
  sync();
  for (auto [i, what] : llvm::enumerate(together))
    if (failed(write(what, bufferOf(i))))
      return failure();
  wave::AsyncFenceOp::create(b, loc);
  sync();
  asLeader([&] {
    for (auto [i, what] : llvm::enumerate(together))
      send(store.targets[what.target], int64_t(what.firstRep) * groupColumns, bufferOf(i));
  });
  transfers += int64_t(together.size());
  return success();
}

LogicalResult TileStoreEmitter::run() {
  findFetches();
  placeThreads();
  reps.reserve(store.cols() / groupColumns);
  if (ahead && failed(fetchUpTo(ahead)))
    return failure();
  SmallVector<Transfer> all;
  for (int64_t col = 0; col < store.cols(); col += store.stepCols())
    for (auto [n, target] : llvm::enumerate(store.targets))
      for (int64_t at = 0; at < store.stepCols(); at += target.cols())
        all.push_back({n, size_t((col + at) / groupColumns)});
  size_t atOnce = loop.getAfresh() ? buffers : 1;
  for (ArrayRef<Transfer> rest = all; !rest.empty();
       rest = rest.drop_front(std::min(atOnce, rest.size())))
    if (failed(transfer(rest.take_front(std::min(atOnce, rest.size())))))
      return failure();
  return success();
}

LogicalResult emitTileStore(Emitter &e, tile::StoreTileOp loop, Elements &outer) {
  return TileStoreEmitter(e, loop, outer).run();
}

} // namespace tilec

//===- Generator.h - random tile programs, as source text -----------------===//
//
// A program is one function of one or two launches. A launch loads tiles
// (sources), changes them (transforms) and writes every tile it still has
// (sinks), so that each statement can be seen in a result. What is known about
// every value (its range, and whether all devices must have the same bits)
// keeps programs well conditioned by construction:
// docs/contribute/differential-testing.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Random.h"

#include "tilec/Base/DType.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tilec::fuzz {

/// What is known about the values of an expression or a tile.
struct Facts {
  double lo = 0, hi = 0;
  bool exact = true; ///< every device has the same bits
  /// f32 ulps that devices may differ beside what the second reference run
  /// shows.
  double ulps = 0;
  double step = 0; ///< values are multiples of it; 0: nothing known

  double mag() const;
  Facts hull(const Facts &other) const;
  Facts withZero() const;
};

struct Expr {
  std::string text;
  DType type = DType::F32;
  Facts facts;
};

struct Tensor {
  std::string name, shape; ///< shape as text: `(50, 70)`
  DType type = DType::F32;
  Facts facts;
};

struct Tile {
  std::string name;
  DType type = DType::F32;
  std::vector<int64_t> shape;
  bool isShared = false;
  bool isReady = false; ///< all of it has been written
  Facts facts;
};

/// Values up to here are stored in `type` without overflow or saturation.
double safeMagnitude(DType type);
/// `"float16"`, quoted.
std::string quoted(DType type);
std::string number(double value);

class Generator {
public:
  explicit Generator(uint64_t seed);
  std::string run();

private:
  //===--- text (Generate.cpp) ---===//
  void line(const std::string &text);
  struct Suite {
    Suite(Generator &g, const std::string &head) : g(g) {
      g.line(head);
      ++g.depth;
    }
    ~Suite() { --g.depth; }
    Generator &g;
  };
  std::string fresh(const std::string &stem);
  std::string dtypeText(DType type);
  std::string assemble();
  std::string signature() const;
  void chooseStyle();

  //===--- parameters ---===//
  Tensor &input(DType type, const std::string &shape, bool isRagged);
  Tensor &output(DType type, const std::string &shape, bool isZeroed);
  std::string scalarParam(DType type, const std::string &value);

  //===--- one launch (Launch.cpp) ---===//
  void launch(bool isFirst);
  void chooseShape();
  void openBlock(const std::function<void()> &body);
  void body();
  void hints();
  void bodyHints();
  std::string rows() const { return rowBase; }
  Tile &alloc(bool isShared, DType type, std::vector<int64_t> shape);
  bool fitsShared(DType type, const std::vector<int64_t> &shape) const;
  std::vector<Tile *> tilesOf(const std::vector<int64_t> &shape);
  Tile *pickTile(const std::function<bool(const Tile &)> &want);
  bool isFull(const Tile &t) const { return t.shape == std::vector<int64_t>{P, Q}; }
  Tile &fullTile(DType type, bool isShared) { return alloc(isShared, type, {P, Q}); }
  DType anyType();
  DType floatType();
  DType intType();

  //===--- sources (Sources.cpp, Gemms.cpp) ---===//
  void source();
  Tile &loadTile(DType type);
  Tile &loadInto(Tile &t, Tensor &from);
  void safeValueLoad();
  void stridedLoad();
  void im2colLoad();
  void gatherLoad();
  void pipelinedAccumulate();
  void gemm();
  void tileGemm();
  void copyOperand(Tensor &from, const std::string &row, const std::string &col, Tile &to);

  //===--- transforms (Transforms.cpp, Reductions.cpp) ---===//
  void transform();
  void elementwise();
  void elementwiseInto(Tile &dst, bool isUpdate);
  void update(Tile &dst, const std::vector<Expr> &extra);
  void vectorizedRows();
  void privateArray();
  void reduceTile();
  void parallelReduce();
  void scan();
  void transposeTile();
  void reducer();
  void anyAll();
  void macroCall();
  void moveTile();
  void fillSlice();
  void unrolledList();
  void debugCalls();

  //===--- loops and branches (Loops.cpp) ---===//
  void serialUpdates();
  void branch();
  void variable();
  void whileLoop();
  void iterationWhile();

  //===--- views (Views.cpp) ---===//
  void viewTile();
  std::string reshaped(const std::string &source, const std::string &shape);
  void reshapedTile();
  void bitsOfTile();
  void writeThroughView();
  void viewOfTensor();

  //===--- sinks (Sinks.cpp) ---===//
  void sink(Tile &t);
  void sinkFull(Tile &t);
  void sinkVector(Tile &t);
  void sinkShortRows(Tile &t);
  void atomicSink(Tile &t);
  void atomicLoadStore();
  void atomicOldValues();
  void sharedCounters();

  //===--- expressions (Expressions.cpp, Math.cpp, Integers.cpp) ---===//
  std::vector<Expr> leavesFor(const std::vector<int64_t> &shape, const Tile *dst);
  void globalLeaves(std::vector<Expr> &out);
  Expr value(DType type, const std::vector<Expr> &leaves, int depth);
  Expr floatExpr(const std::vector<Expr> &leaves, int depth);
  Expr floatTerm(const std::vector<Expr> &leaves);
  Expr joined(const Expr &a, const Expr &b);
  Expr floatLeaf(const std::vector<Expr> &leaves);
  Expr exactFloat(const std::vector<Expr> &leaves, int depth);
  Expr toF32(const Expr &e);
  Expr doubleExpr(const std::vector<Expr> &leaves, int depth);
  Expr arithmetic(const std::vector<Expr> &leaves, int depth);
  Expr choice(const std::vector<Expr> &leaves, int depth);
  Expr mathCall(const std::vector<Expr> &leaves, int depth);
  Expr mathOfTwo(const std::vector<Expr> &leaves, int depth);
  Expr rounding(const std::vector<Expr> &leaves, int depth);
  Expr bitTrick(const std::vector<Expr> &leaves, int depth);
  Expr limits(const std::vector<Expr> &leaves, int depth);
  Expr fit(Expr e, double lo, double hi);
  Expr bounded(Expr e, double mag);
  Expr condition(const std::vector<Expr> &leaves, int depth);
  Expr intExpr(DType type, const std::vector<Expr> &leaves, int depth);
  Expr intLeaf(DType type, const std::vector<Expr> &leaves);
  Expr intCall(DType type, const std::vector<Expr> &leaves, int depth);
  Expr bitwise(DType type, const std::vector<Expr> &leaves, int depth);
  Expr cast(const Expr &e, DType type);
  /// What a tile knows after `facts` was stored into `type`.
  Facts stored(const Facts &facts, DType type);

  /// In [0, n), different from seed to seed: neighbouring seeds go through all
  /// of them, so that a few hundred programs use everything often. Now and then
  /// any number.
  int64_t spread(const char *site, int64_t n);
  std::string spreadName(const char *site, const std::vector<std::string> &names) {
    return names[static_cast<size_t>(spread(site, static_cast<int64_t>(names.size())))];
  }

  Random rng;
  uint64_t seed;
  std::map<std::string, uint64_t> siteUses;
  int depth = 0;
  std::string text; ///< of the launches
  std::string macros;
  std::set<std::string> traits;
  std::map<std::string, int> counters;

  enum class Style { PrimFunc, Factory, JitFactory, Eager } style = Style::Factory;
  std::vector<std::string> params, workspaces, eagerOutputs, runOptions, consts;
  std::map<std::string, std::string> annotations; ///< of eager parameters
  std::vector<std::unique_ptr<Tensor>> tensors;
  std::vector<Tensor *> readable; ///< written by an earlier launch, [M, N]

  // The shape of the current launch.
  int64_t P = 0, Q = 0, M = 0, N = 0, gm = 1, gn = 1, threads = 128;
  std::string p, q, m, n; ///< as the script writes them
  std::string rowBase, colBase, by, bx;
  bool isRaggedM = false, isRaggedN = false, isDynamic = false, isLastLaunch = true,
       isPersistent = false;
  std::vector<std::unique_ptr<Tile>> tiles;
  std::vector<Expr> scalars; ///< uniform values that expressions may use
  int64_t sharedBytes = 0;
  int loopDepth = 0;
};

} // namespace tilec::fuzz

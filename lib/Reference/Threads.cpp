//===- Threads.cpp - shuffles, votes, reductions over a warp --------------===//
//
// A warp is `warpLanes` consecutive threads of the block; the last one may be short.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Machine.h"

namespace tilec::reference {
namespace {

bool takesPart(Frame &frame, const WarpAux &aux, int lane) {
  return frame.isOn(lane) && (!aux.hasActive || frame.at<int64_t>(aux.active)[lane] != 0);
}

/// Calls fn(first, end) for the threads of each warp.
void forWarps(Frame &frame, const WarpAux &aux, llvm::function_ref<void(int, int)> fn) {
  for (int first = 0; first < frame.lanes; first += aux.warpLanes)
    fn(first, std::min(first + aux.warpLanes, frame.lanes));
}

/// The thread whose value `lane` gets, or one that does not exist. See tile.shuffle.
int64_t sourceOf(const WarpAux &aux, int lane, int64_t by) {
  int64_t inWarp = lane % aux.warpLanes, warp = lane - inWarp;
  int64_t first = inWarp / aux.width * aux.width, last = first + aux.width - 1;
  int64_t from = inWarp;
  switch (aux.shuffle) {
  case tile::ShuffleKind::Idx:
    return warp + first + (by & (aux.width - 1));
  case tile::ShuffleKind::Xor:
    from = inWarp ^ by;
    break;
  case tile::ShuffleKind::Up:
    from = inWarp - by;
    break;
  case tile::ShuffleKind::Down:
    from = inWarp + by;
    break;
  }
  bool isBefore = aux.shuffle == tile::ShuffleKind::Up ? from < first : from < 0;
  return warp + (isBefore || from > last ? inWarp : from);
}

template <typename T> void runShuffle(Frame &frame, const Instr &instr, const WarpAux &aux) {
  std::vector<T> values(frame.at<T>(instr.a), frame.at<T>(instr.a) + frame.lanes);
  const int64_t *by = frame.at<int64_t>(instr.b);
  T undefined;
  if constexpr (std::is_same_v<T, int64_t>)
    undefined = wrapInt(int64_t(0xa5a5a5a5a5a5a5a5), aux.bits);
  else
    undefined = std::numeric_limits<T>::quiet_NaN();
  for (int lane = 0; lane < frame.lanes; ++lane) {
    if (!frame.isOn(lane))
      continue;
    int64_t from = sourceOf(aux, lane, by[lane]);
    bool exists = from < frame.lanes && takesPart(frame, aux, int(from));
    frame.at<T>(instr.dst)[lane] = exists ? values[from] : undefined;
  }
}

template <typename T> bool less(const WarpAux &aux, T x, T y) {
  if constexpr (std::is_same_v<T, int64_t>)
    if (aux.isUnsigned) {
      uint64_t low = aux.bits >= 64 ? ~0ull : (1ull << aux.bits) - 1;
      return (uint64_t(x) & low) < (uint64_t(y) & low);
    }
  return x < y;
}

template <typename T> T combine(const WarpAux &aux, T x, T y) {
  switch (aux.reduce) {
  case tile::ReduceKind::Max:
    return x != x || less(aux, x, y) ? y : x;
  case tile::ReduceKind::Min:
    return x != x || less(aux, y, x) ? y : x;
  default:
    break;
  }
  if constexpr (std::is_same_v<T, int64_t>) {
    if (aux.reduce == tile::ReduceKind::BitAnd)
      return x & y;
    if (aux.reduce == tile::ReduceKind::BitOr)
      return x | y;
    if (aux.reduce == tile::ReduceKind::BitXor)
      return x ^ y;
    return wrapInt(int64_t(uint64_t(x) + uint64_t(y)), aux.bits);
  } else {
    return x + y;
  }
}

/// T is held in registers, Sum is what a warp's values are accumulated in.
template <typename T, typename Sum>
void runReduce(Frame &frame, const Instr &instr, const WarpAux &aux) {
  const T *values = frame.at<T>(instr.a);
  T *results = frame.at<T>(instr.dst);
  forWarps(frame, aux, [&](int first, int end) {
    Sum sum = 0;
    bool isFirst = true;
    for (int lane = first; lane < end; ++lane) {
      if (!takesPart(frame, aux, lane))
        continue;
      sum = isFirst ? Sum(values[lane]) : combine<Sum>(aux, sum, Sum(values[lane]));
      isFirst = false;
    }
    for (int lane = first; lane < end; ++lane)
      if (frame.isOn(lane))
        results[lane] = T(sum);
  });
}

/// Whether the values of two threads are the same, bit for bit.
bool same(Frame &frame, const Instr &instr, const WarpAux &aux, int x, int y) {
  if (aux.rep == Rep::F32) {
    const auto *bits = frame.at<uint32_t>(instr.a);
    return bits[x] == bits[y];
  }
  return frame.at<int64_t>(instr.a)[x] == frame.at<int64_t>(instr.a)[y];
}

} // namespace

void execShuffle(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const WarpAux *>(instr.aux);
  switch (aux.rep) {
  case Rep::F32:
    return runShuffle<float>(frame, instr, aux);
  case Rep::F64:
    return runShuffle<double>(frame, instr, aux);
  case Rep::Int:
    return runShuffle<int64_t>(frame, instr, aux);
  }
}

void execVote(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const WarpAux *>(instr.aux);
  const int64_t *said = frame.at<int64_t>(instr.a);
  forWarps(frame, aux, [&](int first, int end) {
    bool any = false, all = true;
    for (int lane = first; lane < end; ++lane)
      if (takesPart(frame, aux, lane)) {
        any |= said[lane] != 0;
        all &= said[lane] != 0;
      }
    for (int lane = first; lane < end; ++lane)
      frame.at<int64_t>(instr.dst)[lane] = aux.vote == tile::VoteKind::All ? all : any;
  });
}

void execBallot(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const WarpAux *>(instr.aux);
  const int64_t *said = frame.at<int64_t>(instr.a);
  forWarps(frame, aux, [&](int first, int end) {
    uint64_t mask = 0;
    for (int lane = first; lane < end; ++lane)
      if (takesPart(frame, aux, lane) && said[lane])
        mask |= uint64_t(1) << (lane - first);
    for (int lane = first; lane < end; ++lane)
      frame.at<int64_t>(instr.dst)[lane] = wrapInt(int64_t(mask), aux.warpLanes);
  });
}

void execMatch(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const WarpAux *>(instr.aux);
  bool isAll = aux.vote == tile::VoteKind::All;
  std::vector<int64_t> masks(frame.lanes, 0);
  forWarps(frame, aux, [&](int first, int end) {
    for (int lane = first; lane < end; ++lane) {
      bool agree = true;
      for (int other = first; other < end; ++other) {
        if (!takesPart(frame, aux, other))
          continue;
        bool isSame = same(frame, instr, aux, lane, other);
        agree &= isSame;
        if (isAll || isSame)
          masks[lane] |= int64_t(uint64_t(1) << (other - first));
      }
      // Of those that take no part only the others' agreement counts.
      bool counts = takesPart(frame, aux, lane);
      masks[lane] = counts && (!isAll || agree) ? wrapInt(masks[lane], aux.warpLanes) : 0;
    }
  });
  std::copy(masks.begin(), masks.end(), frame.at<int64_t>(instr.dst));
}

void execWarpReduce(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const WarpAux *>(instr.aux);
  if (aux.rep == Rep::Int)
    return runReduce<int64_t, int64_t>(frame, instr, aux);
  if (aux.rep == Rep::F64)
    return runReduce<double, double>(frame, instr, aux);
  if (frame.machine.isSequential())
    return runReduce<float, float>(frame, instr, aux);
  return runReduce<float, double>(frame, instr, aux);
}

void execBlockVote(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const WarpAux *>(instr.aux);
  const int64_t *said = frame.at<int64_t>(instr.a);
  int64_t yes = 0, asked = 0;
  for (int lane = 0; lane < frame.lanes; ++lane)
    if (takesPart(frame, aux, lane)) {
      yes += said[lane] != 0;
      ++asked;
    }
  int64_t result = aux.vote == tile::VoteKind::Count ? yes
                   : aux.vote == tile::VoteKind::Any ? yes != 0
                                                     : yes == asked;
  std::fill_n(frame.at<int64_t>(instr.dst), frame.lanes, result);
}

template <typename Byte> static int64_t dot(int64_t a, int64_t b) {
  int64_t sum = 0;
  for (int shift = 0; shift < 32; shift += 8)
    sum += int64_t(static_cast<Byte>(a >> shift)) * static_cast<Byte>(b >> shift);
  return sum;
}

void execDp4a(Frame &frame, const Instr &instr) {
  const int64_t *a = frame.at<int64_t>(instr.a), *b = frame.at<int64_t>(instr.b),
                *c = frame.at<int64_t>(instr.c);
  for (int lane = 0; lane < frame.lanes; ++lane) {
    int64_t sum = instr.imm ? dot<uint8_t>(a[lane], b[lane]) : dot<int8_t>(a[lane], b[lane]);
    frame.at<int64_t>(instr.dst)[lane] = wrapInt(c[lane] + sum, 32);
  }
}

} // namespace tilec::reference

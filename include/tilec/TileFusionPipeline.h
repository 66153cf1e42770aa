//===- tilec/TileFusionPipeline.h - TileFusion's Pipeline -----------------===//
//
// Included by tilec/TileFusion.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#ifndef TILEC_TILEFUSION_INSIDE
#error "include tilec/TileFusion.h"
#endif

namespace tilec::tilefusion {

/// Sub-tiles on their way, one a `commit()`. What a commit brings is copied where it is asked for:
/// how many copies are on the way at once, and in how many buffers, is the compiler's choice for
/// the loop around (RecordOptions::stages). Counts commits in loops over `int`; in others it is an
/// error.
template <typename Element, typename SrcTile, typename DstTile, typename TileIterator,
          typename Copy, int NUM_STAGES, int kIterations = TileIterator::sc1.count - NUM_STAGES + 1>
class Pipeline {
public:
  static constexpr StripCount Iterations{kIterations};

  /// The tile, or where it lies; `buffers` says nothing, as that of a SharedTile.
  template <typename Source>
  explicit Pipeline(const Source &source, const void *buffers = nullptr) : source(SrcTile(source)) {
    (void)buffers;
    detail::Session &s = *detail::session;
    number = s.nextPipeline++;
  }

  void commit(Loc loc = Loc::current()) {
    settle(loc);
    if (frames.empty())
      ++done;
    else
      ++frames.back().inBody;
  }

  /// What the commit before the last one has brought, or the last one.
  DstTile &get_prev_dst(Loc loc = Loc::current()) { return bring(2, loc); }
  DstTile &get_cur_dst(Loc loc = Loc::current()) { return bring(1, loc); }

  /// What the commit of this number has brought, from 0.
  DstTile &get_dst_tile_by_index(int index, Loc loc = Loc::current()) {
    Copy()(TileIterator(source)(index, loc), tile, loc);
    return tile;
  }

  /// Begins anew with another tile.
  template <typename Source> void reset_src_tile(const Source &from, Loc loc = Loc::current()) {
    settle(loc);
    if (!frames.empty())
      detail::session->fail("a pipeline gets its tile outside of the loops that use it", loc);
    source = SrcTile(from);
    done = 0;
  }

private:
  /// A loop that is open: how many commits its body has made so far.
  struct Frame {
    int order;
    int64_t before; ///< commits
    int64_t inBody = 0;
  };

  /// Enters and leaves loops as the program has done since the last call.
  void settle(Loc loc) {
    detail::Session &s = *detail::session;
    if (s.hasRanges)
      s.fail("a pipeline counts rounds: write the loops around it as `for (int k = 0; k < n; ++k)`",
             loc);
    while (!frames.empty() && !isOpen(frames.back().order)) {
      const Frame &left = frames.back();
      int64_t &each = s.commits[{number, left.order}];
      if (s.pass == detail::Session::Learn)
        each = left.inBody;
      const detail::LoopInfo &loop = s.loops[left.order];
      int64_t after = left.before + each * std::max<int64_t>(loop.count - loop.start, 0);
      frames.pop_back();
      if (frames.empty())
        done = after;
      else
        frames.back().inBody += each * std::max<int64_t>(loop.count - loop.start, 0);
    }
    for (const detail::OpenLoop &loop : s.open)
      if (isNew(loop.order))
        frames.push_back({loop.order, frames.empty() ? done : 0});
  }
  bool isOpen(int order) const {
    return std::any_of(detail::session->open.begin(), detail::session->open.end(),
                       [&](const detail::OpenLoop &loop) { return loop.order == order; });
  }
  bool isNew(int order) const {
    return std::none_of(frames.begin(), frames.end(),
                        [&](const Frame &frame) { return frame.order == order; });
  }

  /// The tile of the commit that is `back` behind.
  DstTile &bring(int64_t back, Loc loc) {
    settle(loc);
    detail::Session &s = *detail::session;
    detail::Coord index(done - back);
    if (!frames.empty())
      index = {frames.front().before - back};
    for (const Frame &frame : frames) {
      index.constant += frame.inBody;
      int64_t each = s.commits[{number, frame.order}];
      if (each == 0)
        continue;
      if (index.loop >= 0)
        s.fail("a pipeline is committed to in two loops around each other", loc);
      if (s.pass == detail::Session::Record) {
        index.loop = frame.order;
        index.factor = each;
        index.constant -= each * s.loops[frame.order].start;
      } else {
        for (const detail::OpenLoop &loop : s.open)
          if (loop.order == frame.order)
            index.constant += each * (*loop.variable - s.loops[frame.order].start);
      }
    }
    DstTile &to = frames.empty() ? outside : tile;
    Copy()(TileIterator(source).strip(index), to, loc);
    return to;
  }

  SrcTile source;
  DstTile tile, outside; ///< of loops, whose tile is a ring of the compiler's then
  int number = 0;
  int64_t done = 0; ///< commits outside of loops, and those of loops that have ended
  std::vector<Frame> frames;
};

} // namespace tilec::tilefusion

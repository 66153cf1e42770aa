//===- Allocator.cpp - options of jemalloc in our tools -------------------===//
//
// jemalloc reads its options from this symbol; `MALLOC_CONF` in the environment goes before them
// (cmake/TilecAllocator.cmake says why the tools have it).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extern "C" {
// Pages of 2 MiB where the kernel gives them on request: the heap of a long kernel is walked many
// times, and its small pages miss the TLB. What is free stays ours: the kernel would clear it for
// the next stage, which is 3 % of the time of 1000 statements.
extern const char *malloc_conf;
const char *malloc_conf = "thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1";
}

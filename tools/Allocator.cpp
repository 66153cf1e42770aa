// SPDX-License-Identifier: Apache-2.0
//
// Options of jemalloc in our tools (cmake/TilecAllocator.cmake); `MALLOC_CONF` in the environment
// goes before them.

// Pages of 2 MiB where the kernel gives them on request: the heap of a long kernel is walked many
// times, and its small pages miss the TLB. 1000 statements: 15 % less time
// (docs/numbers/compile-time.md).
extern "C" {
extern const char *malloc_conf;
const char *malloc_conf = "thp:always";
}

# SPDX-License-Identifier: Apache-2.0
#
# tilec_use_allocator(NAME): the tool takes jemalloc in place of glibc's malloc where its static archive is
# installed. A compile makes and walks many small objects; what that costs beyond instructions is the latency of
# the heap (docs/numbers/compile-time.md). Libraries that others load keep the allocator of their host.

find_library(TILEC_JEMALLOC NAMES libjemalloc_pic.a DOC "jemalloc as a static archive of position-independent code")
mark_as_advanced(TILEC_JEMALLOC)

function(tilec_use_allocator name)
  # The sanitizers bring an allocator of their own.
  if(NOT TILEC_JEMALLOC OR TILEC_SANITIZE)
    return()
  endif()
  target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools/Allocator.cpp)
  # Only libraries call malloc: the reference from outside of them takes it out of the archive.
  target_link_options(${name} PRIVATE -Wl,--undefined=malloc)
  target_link_libraries(${name} PRIVATE ${TILEC_JEMALLOC})
endfunction()

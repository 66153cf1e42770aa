# SPDX-License-Identifier: Apache-2.0
# Compiler, linker and cache settings of every target.

# Set by .ci/run: what another compiler finds new is no reason to fail for who only builds.
option(TILEC_WERROR "treat warnings as errors" $ENV{TILEC_WERROR})
# What ./dev builds. Without it each source sees what it includes itself, and tools find its commands.
option(TILEC_UNITY "compile the sources of some libraries together" OFF)
option(TILEC_SANITIZE "build with the address and undefined-behaviour sanitizers" OFF)
option(TILEC_FUZZ "make the programs of test/fuzz libFuzzer programs (clang)" OFF)

add_library(tilecOptions INTERFACE)
target_compile_options(tilecOptions INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(TILEC_WERROR)
  target_compile_options(tilecOptions INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(tilecOptions INTERFACE -Wno-error=deprecated-declarations)
else()
  # g++ 12 sees maybe-uninitialized and dangling-else patterns inside LLVM's and MLIR's inline code.
  target_compile_options(tilecOptions INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict -Wno-comment)
endif()
if(TILEC_SANITIZE)
  target_compile_options(tilecOptions INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  # libLLVM has no RTTI, and functions of GPU drivers are called through our own declarations.
  target_compile_options(tilecOptions INTERFACE -fno-sanitize=vptr
    $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  target_link_options(tilecOptions INTERFACE -fsanitize=address,undefined)
endif()
if(TILEC_FUZZ)
  target_compile_options(tilecOptions INTERFACE -fsanitize=fuzzer-no-link)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")

find_program(TILEC_LLD NAMES ld.lld-22 ld.lld)
if(TILEC_LLD AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=lld)
endif()
find_program(TILEC_CCACHE ccache)
if(TILEC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines and time_macros: what ccache needs to cache files that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TILEC_CCACHE})
endif()
find_package(Threads REQUIRED)

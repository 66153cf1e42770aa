# SPDX-License-Identifier: Apache-2.0
# LLVM as Debian ships it: libLLVM.so for LLVM, static archives for MLIR. (libMLIR.so costs 12 ms at
# every start of the compiler; see docs/reference/dependencies.md.)

find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(TILEC_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

add_library(tilecLLVM INTERFACE)
target_include_directories(tilecLLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(tilecLLVM INTERFACE ${TILEC_LLVM_DEFINITIONS})
target_link_libraries(tilecLLVM INTERFACE LLVM Threads::Threads)

add_library(tilecMLIR INTERFACE)
target_include_directories(tilecMLIR SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
target_link_libraries(tilecMLIR INTERFACE tilecLLVM)

set(TILEC_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})

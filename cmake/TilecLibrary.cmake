# SPDX-License-Identifier: Apache-2.0
#
# tilec_library(NAME [TOGETHER] SOURCES file... USES folder... [LINK target...] [APART file...])
#   makes the library tilecNAME of lib/NAME; USES names folders of a lower level only.
#   TOGETHER: with TILEC_UNITY six sources are one to the compiler, which then makes what MLIR's headers hold
#   once for all of them: three fifths of the time. APART: sources whose names of their own stand in a
#   neighbour, too.
# tilec_tool(NAME [ALLOCATOR] SOURCES file... USES folder... [LINK target...])
#   ALLOCATOR: with jemalloc (cmake/TilecAllocator.cmake).
# tilec_unit_test(NAME SOURCES file... USES folder... [LINK target...])
#   one GoogleTest binary; every test in it becomes a ctest test.

# The layering of docs/contribute/architecture.md. A library may use only libraries of a lower level.
set(TILEC_LEVEL_Base 0)
set(TILEC_LEVEL_Messages 1)
set(TILEC_LEVEL_Support 1)
set(TILEC_LEVEL_Runtime 1)
set(TILEC_LEVEL_Layout 2)
set(TILEC_LEVEL_Target 3)
set(TILEC_LEVEL_Script 4)
set(TILEC_LEVEL_IR 4)
set(TILEC_LEVEL_CodeGen 4)
set(TILEC_LEVEL_Sim 4)
set(TILEC_LEVEL_SimDevice 5)
set(TILEC_LEVEL_PtxSim 6)
set(TILEC_LEVEL_Report 5)
set(TILEC_LEVEL_Build 5)
set(TILEC_LEVEL_Import 5)
set(TILEC_LEVEL_Reference 5)
set(TILEC_LEVEL_Analysis 5)
set(TILEC_LEVEL_Transforms 6)
set(TILEC_LEVEL_Lower 7)
set(TILEC_LEVEL_Driver 8)
set(TILEC_LEVEL_Capi 9)
set(TILEC_LEVEL_Plugin 9)
set(TILEC_LEVEL_RuntimeCapi 2)

# Folders that see MLIR, and folders that see LLVM at all. Base, Messages and Runtime see neither, so that
# tilec-launch runs on a GPU host without LLVM.
set(TILEC_MLIR_FOLDERS IR Import Reference Analysis Transforms Lower Driver Capi Plugin)
set(TILEC_PLAIN_FOLDERS Base Messages Runtime RuntimeCapi)

# tilec_precompile(TARGET header...): the headers are compiled once for all files of the target.
function(tilec_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  # Without the time of the header's file ccache finds the result again.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Xclang -fno-pch-timestamp>)
endfunction()

function(tilec_use target name)
  foreach(used IN LISTS ARGN)
    if(NOT DEFINED TILEC_LEVEL_${used})
      message(FATAL_ERROR "${name} uses ${used}, which has no level")
    endif()
    if(DEFINED TILEC_LEVEL_${name} AND NOT TILEC_LEVEL_${used} LESS TILEC_LEVEL_${name})
      message(FATAL_ERROR "${name} (level ${TILEC_LEVEL_${name}}) may not use ${used} (level ${TILEC_LEVEL_${used}})")
    endif()
    target_link_libraries(${target} PUBLIC tilec${used})
  endforeach()
endfunction()

function(tilec_common target name)
  target_include_directories(${target} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(${target} PRIVATE tilecOptions)
  if(name IN_LIST TILEC_MLIR_FOLDERS)
    target_link_libraries(${target} PUBLIC tilecMLIR)
  elseif(NOT name IN_LIST TILEC_PLAIN_FOLDERS)
    target_link_libraries(${target} PUBLIC tilecLLVM)
  endif()
endfunction()

function(tilec_library name)
  cmake_parse_arguments(arg "TOGETHER" "" "SOURCES;USES;LINK;APART" ${ARGN})
  add_library(tilec${name} STATIC ${arg_SOURCES})
  tilec_common(tilec${name} ${name})
  tilec_use(tilec${name} ${name} ${arg_USES})
  target_link_libraries(tilec${name} PUBLIC ${arg_LINK})
  if(arg_TOGETHER AND TILEC_UNITY)
    set_target_properties(tilec${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

function(tilec_tool name)
  cmake_parse_arguments(arg "ALLOCATOR" "" "SOURCES;USES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE tilecOptions ${arg_LINK})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${name} PRIVATE tilec${used})
  endforeach()
  if(arg_ALLOCATOR)
    tilec_use_allocator(${name})
  endif()
endfunction()

function(tilec_unit_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE tilecOptions ${arg_LINK} GTest::gtest GTest::gtest_main)
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${name} PRIVATE tilec${used})
  endforeach()
  target_compile_definitions(${name} PRIVATE TILEC_TEST_DATA="${PROJECT_SOURCE_DIR}/test/data")
  gtest_discover_tests(${name} TEST_PREFIX "unit/" DISCOVERY_TIMEOUT 60)
endfunction()

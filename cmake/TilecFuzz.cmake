# SPDX-License-Identifier: Apache-2.0
#
# tilec_fuzz_target(NAME SOURCES file... USES folder...)
#   A program around LLVMFuzzerTestOneInput. In a build with TILEC_FUZZ (`./dev fuzz`) it is a
#   libFuzzer program. In every other build it runs the files it is given (test/fuzz/support), and
#   the folders corpus and regressions beside it become the tests fuzz/FOLDER/corpus and
#   fuzz/FOLDER/regressions, where they exist.

function(tilec_fuzz_target name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE tilecOptions)
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${name} PRIVATE tilec${used})
  endforeach()
  if(TILEC_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test/fuzz/support/RunFiles.cpp)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  foreach(inputs IN ITEMS corpus regressions)
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${inputs})
      continue()
    endif()
    add_test(NAME fuzz/${folder}/${inputs}
      COMMAND ${name} ${CMAKE_CURRENT_SOURCE_DIR}/${inputs})
    set_tests_properties(fuzz/${folder}/${inputs} PROPERTIES LABELS fuzz TIMEOUT 300)
  endforeach()
endfunction()

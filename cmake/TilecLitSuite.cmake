# SPDX-License-Identifier: Apache-2.0
#
# tilec_lit_suite(NAME)
#   Makes every lit test below the current source folder one ctest test, NAME/<path>. A lit test is a
#   file with RUN lines and one of the suffixes below, outside folders named Inputs. All suites share
#   test/lit/lit.cfg.py, which finds the tools; what depends on the build is in lit.site.cfg.py.

set(TILEC_LIT_SUFFIXES mlir py ll test)

include(TilecPython)
find_program(TILEC_LIT NAMES lit llvm-lit llvm-lit-22
  HINTS ${TILEC_LLVM_TOOLS} ${TILEC_LLVM_TOOLS}/../utils/lit NO_DEFAULT_PATH)
if(NOT TILEC_LIT)
  message(FATAL_ERROR "lit of LLVM 22 not found: install the package llvm-22-tools")
endif()

function(tilec_lit_suite name)
  set(TILEC_SUITE_NAME ${name})
  set(TILEC_SUITE_SOURCE ${CMAKE_CURRENT_SOURCE_DIR})
  set(TILEC_SUITE_BINARY ${CMAKE_CURRENT_BINARY_DIR})
  configure_file(${PROJECT_SOURCE_DIR}/test/lit/lit.site.cfg.py.in
                 ${CMAKE_CURRENT_BINARY_DIR}/lit.site.cfg.py @ONLY)
  set(patterns "")
  foreach(suffix IN LISTS TILEC_LIT_SUFFIXES)
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.${suffix})
  endforeach()
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${patterns})
  list(FILTER tests EXCLUDE REGEX "(^|/)(Inputs/|lit\\.[a-z.]*cfg)")
  # Many lit processes run at once; their common file of test times would be read half written.
  file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/.lit_test_times.txt)
  # -S: lit needs nothing that is installed for Python, and `site` is a third of what it takes to begin.
  foreach(test IN LISTS tests)
    add_test(NAME ${name}/${test}
      COMMAND ${Python3_EXECUTABLE} -S ${TILEC_LIT} -v --skip-test-time-recording
              ${CMAKE_CURRENT_BINARY_DIR}/${test})
    # A test whose REQUIRES does not hold is shown as skipped, not as passed.
    set_tests_properties(${name}/${test} PROPERTIES
      LABELS ${name} TIMEOUT 300 SKIP_REGULAR_EXPRESSION "(^|\n)UNSUPPORTED: ")
  endforeach()
endfunction()

# SPDX-License-Identifier: Apache-2.0
#
# Python3_EXECUTABLE, for the tests: the interpreter itself. A wrapper that picks one of several
# (pyenv's) takes a tenth of a second of each of more than a thousand tests.

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
if(NOT EXISTS "${TILEC_PYTHON}")
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE interpreter OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(TILEC_PYTHON ${interpreter} CACHE INTERNAL "the interpreter that runs the tests")
endif()
set(Python3_EXECUTABLE ${TILEC_PYTHON})

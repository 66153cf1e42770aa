# SPDX-License-Identifier: Apache-2.0
# Builds the Python package into BUILD/site, with more OPTIONS for CMake, and runs SCRIPT with it.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G Ninja -DPython_EXECUTABLE=${PYTHON}
  -DTILEC_BUILD=${TILEC_BUILD} ${OPTIONS} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${BUILD}/site COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
if(SCRIPT)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${BUILD}/site ${PYTHON} ${SCRIPT} COMMAND_ERROR_IS_FATAL ANY)
endif()

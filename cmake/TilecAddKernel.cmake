# SPDX-License-Identifier: Apache-2.0
#
# tilec_add_kernel(TARGET target SOURCE script.py [ENTRY "call(...)"] TARGETS arch...
#                  [NAME name] [OPTIONS option...])
#   Compiles a kernel for these GPUs when the project is built, embeds the images in `target`, and
#   gives it the header NAME.tilec.h (NAME: the script's name without its folder and suffix) with the
#   class tilec_kernels::NAME, a launcher that takes the image for the device that it is made on. The
#   target is linked with tilec::runtime. OPTIONS go to `tilec`.

function(tilec_add_kernel)
  cmake_parse_arguments(arg "" "TARGET;SOURCE;ENTRY;NAME" "TARGETS;OPTIONS" ${ARGN})
  foreach(needed IN ITEMS TARGET SOURCE TARGETS)
    if(NOT arg_${needed})
      message(FATAL_ERROR "tilec_add_kernel: ${needed} is missing")
    endif()
  endforeach()
  get_filename_component(source ${arg_SOURCE} ABSOLUTE)
  if(NOT arg_NAME)
    get_filename_component(arg_NAME ${source} NAME_WE)
  endif()
  string(MAKE_C_IDENTIFIER ${arg_NAME} name)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/tilec/${arg_TARGET})
  set(entry "")
  if(arg_ENTRY)
    set(entry --entry ${arg_ENTRY})
  endif()
  set(images "")
  foreach(arch IN LISTS arg_TARGETS)
    set(image ${folder}/${name}.${arch}.bin)
    add_custom_command(OUTPUT ${image} ${image}.json
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${TILEC_EXECUTABLE} ${source} ${entry} --target=${arch} ${arg_OPTIONS} -o ${image}
      DEPENDS ${source} ${TILEC_EXECUTABLE}
      COMMENT "tilec ${name} for ${arch}" VERBATIM)
    list(APPEND images ${image})
  endforeach()
  set(embed ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tilec_embed.cmake)
  set(header ${folder}/${name}.tilec.h)
  set(data ${folder}/${name}.tilec.c)
  string(REPLACE ";" "," targets "${arg_TARGETS}")
  add_custom_command(OUTPUT ${header} ${data}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFOLDER=${folder} -DTARGETS=${targets} -P ${embed}
    DEPENDS ${images} ${embed} COMMENT "tilec ${name}: launcher" VERBATIM)
  enable_language(C)
  target_sources(${arg_TARGET} PRIVATE ${header} ${data})
  target_include_directories(${arg_TARGET} PRIVATE ${folder})
  target_link_libraries(${arg_TARGET} PRIVATE tilec::runtime)
endfunction()

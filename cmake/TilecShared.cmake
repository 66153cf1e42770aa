# SPDX-License-Identifier: Apache-2.0
#
# tilec_shared_library(TARGET OUTPUT name LIBRARY folder EXPORTS file [STATIC_LLVM])
#   libNAME.so around the archive of lib/FOLDER and all archives that it uses, which exports the
#   symbols of a version script only. With STATIC_LLVM everything of LLVM and MLIR in it comes from
#   archives, too: nothing of it can meet another LLVM of the process, in either direction
#   (docs/decisions/0009-one-library.md).

# All archives behind `target`, each once, LLVM's shared library left out. `others` gets what is
# neither an archive nor LLVM: -ldl and the like.
function(tilec_archives_of target archives others)
  set(todo ${target})
  set(seen "")
  set(found "")
  set(rest "")
  while(todo)
    list(POP_FRONT todo item)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" item "${item}")
    if(item IN_LIST seen OR item STREQUAL "LLVM" OR item MATCHES "^::@")
      continue()
    endif()
    list(APPEND seen ${item})
    if(NOT TARGET ${item})
      list(APPEND rest ${item})
      continue()
    endif()
    get_target_property(type ${item} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND found ${item})
    elseif(NOT type STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    get_target_property(next ${item} INTERFACE_LINK_LIBRARIES)
    if(next)
      list(APPEND todo ${next})
    endif()
  endwhile()
  set(${archives} ${found} PARENT_SCOPE)
  set(${others} ${rest} PARENT_SCOPE)
endfunction()

# Archives of LLVM as llvm-config lists them, and the system's libraries that they use.
function(tilec_llvm_archives archives systems)
  # Only the two back ends that tilec has: a third of what libLLVM.so holds.
  set(components amdgpu nvptx passes core support irreader mc mcparser mcdisassembler object target
                 analysis option)
  execute_process(COMMAND ${TILEC_LLVM_TOOLS}/llvm-config --link-static --libfiles ${components}
    OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(files UNIX_COMMAND "${files}")
  set(present "")
  foreach(file IN LISTS files)
    if(EXISTS ${file}) # Debian lists Polly with `passes`, in a package of its own
      list(APPEND present ${file})
    endif()
  endforeach()
  # Compressed debug sections: zlib and zstd, as archives where there are any. Debian's LLVM needs
  # their shared libraries anyhow, so they are there without development packages, too.
  set(system "")
  foreach(library IN ITEMS z zstd)
    find_library(TILEC_LIB_${library} NAMES lib${library}.a lib${library}.so lib${library}.so.1 REQUIRED)
    list(APPEND system ${TILEC_LIB_${library}})
  endforeach()
  set(${archives} ${present} PARENT_SCOPE)
  set(${systems} ${system} PARENT_SCOPE)
endfunction()

function(tilec_shared_library target)
  cmake_parse_arguments(arg "STATIC_LLVM" "OUTPUT;LIBRARY;EXPORTS" "" ${ARGN})
  tilec_archives_of(tilec${arg_LIBRARY} ours others)
  set(files "")
  foreach(archive IN LISTS ours)
    list(APPEND files $<TARGET_FILE:${archive}>)
  endforeach()
  list(REMOVE_ITEM files $<TARGET_FILE:tilec${arg_LIBRARY}>)
  set(llvm "")
  set(system "")
  if(arg_STATIC_LLVM)
    tilec_llvm_archives(llvm system)
  endif()
  # A shared library wants a source; everything comes from archives.
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.c CONTENT
       "/* ${arg_OUTPUT}: see lib/${arg_LIBRARY} */ typedef int tilec_no_code;\n" @ONLY)
  add_library(${target} SHARED ${CMAKE_CURRENT_BINARY_DIR}/${target}.c)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${arg_OUTPUT} LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS "${arg_EXPORTS};$<TARGET_FILE:tilec${arg_LIBRARY}>;${files}")
  foreach(archive IN LISTS ours)
    get_target_property(imported ${archive} IMPORTED)
    if(NOT imported)
      add_dependencies(${target} ${archive})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE
    -Wl,--whole-archive $<TARGET_FILE:tilec${arg_LIBRARY}> -Wl,--no-whole-archive
    -Wl,--start-group ${files} ${llvm} -Wl,--end-group ${system} ${CMAKE_DL_LIBS} m Threads::Threads)
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${arg_EXPORTS} -Wl,-Bsymbolic -Wl,--gc-sections
    -Wl,--build-id -Wl,-O1)
  if(TILEC_SANITIZE)
    # The runtime of the sanitizers is in the program.
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  else()
    target_link_options(${target} PRIVATE -Wl,-z,defs -static-libstdc++ -static-libgcc)
  endif()
  # Half a million relative relocations, packed: what the loader does before main takes 3 ms.
  target_link_options(${target} PRIVATE -Wl,-z,pack-relative-relocs)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
endfunction()

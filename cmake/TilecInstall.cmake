# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: tools, the two libraries, the headers of their interface, CMake
# and pkg-config files. docs/deploy/embedding.md is for who uses them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(tilecCompilerShared PROPERTIES EXPORT_NAME tilec)
set_target_properties(tilecRuntimeShared PROPERTIES EXPORT_NAME runtime)
add_library(tilecCxx INTERFACE)
set_target_properties(tilecCxx PROPERTIES EXPORT_NAME cxx)
target_link_libraries(tilecCxx INTERFACE tilecCompilerShared)
target_compile_features(tilecCxx INTERFACE cxx_std_20)

install(TARGETS tilecCompilerShared tilecRuntimeShared tilecCxx EXPORT tilecTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH tilec_lib_of_bin "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
foreach(tool IN ITEMS tilec tilec-run)
  set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/${tilec_lib_of_bin}")
endforeach()
install(TARGETS TilecPlugin TilecLlvmPlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tilec tilec-run tilec-launch RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tilec-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Of include/tilec the headers for users alone; the folders are the compiler's own.
install(FILES include/tilec/Compiler.h include/tilec/Tile.h include/tilec/TileFunctions.h include/tilec/TileMath.h
  include/tilec/TileFusion.h include/tilec/TileFusionCompute.h
  include/tilec/TileFusionPipeline.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilec)

set(tilec_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/tilec)
install(EXPORT tilecTargets NAMESPACE tilec:: DESTINATION ${tilec_cmake})
configure_package_config_file(cmake/tilecConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tilecConfig.cmake
  INSTALL_DESTINATION ${tilec_cmake} PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 nothing is promised from one minor version to the next.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tilecConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tilecConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tilecConfigVersion.cmake cmake/TilecAddKernel.cmake
  cmake/tilec_embed.cmake DESTINATION ${tilec_cmake})

# Relative to the file, so that an installation can be moved.
file(RELATIVE_PATH tilec_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(name IN ITEMS tilec tilec-runtime)
  configure_file(cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# SPDX-License-Identifier: Apache-2.0
# libtilec-runtime.so without LLVM: the sources of Base, Runtime and RuntimeCapi are plain C++.
set(runtime_sources "")
foreach(folder IN ITEMS Base Runtime RuntimeCapi)
  file(GLOB found CONFIGURE_DEPENDS ${sources}/lib/${folder}/*.cpp)
  list(APPEND runtime_sources ${found})
endforeach()
file(READ ${sources}/CMakeLists.txt compiler_project)
string(REGEX MATCH "VERSION ([0-9.]+)[^0-9.][^)]*LANGUAGES" found "${compiler_project}")
set_source_files_properties(${sources}/lib/Base/Version.cpp PROPERTIES COMPILE_DEFINITIONS TILEC_VERSION="${CMAKE_MATCH_1}")
find_package(nlohmann_json 3.11 REQUIRED)
add_library(tilec_runtime_only SHARED ${runtime_sources})
target_include_directories(tilec_runtime_only PRIVATE ${sources}/include PUBLIC ${sources}/include)
target_link_libraries(tilec_runtime_only PRIVATE nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
target_link_options(tilec_runtime_only PRIVATE
  -Wl,--version-script=${sources}/lib/RuntimeCapi/exports.map -Wl,-z,defs)
set_target_properties(tilec_runtime_only PROPERTIES OUTPUT_NAME tilec-runtime SOVERSION 0
  CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
add_library(tilec::runtime ALIAS tilec_runtime_only)

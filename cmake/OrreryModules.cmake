# SPDX-License-Identifier: Apache-2.0
# A module is a folder of src/ and the library orrery_<module> made of it. It links the modules declared
# before it, so that the order of orrery_module() calls is the order of dependence. A module without a
# .cpp is an INTERFACE library: it may be all headers, or not written yet.

set(ORRERY_MODULES "")
# What reads and writes, and prices nothing: -O2 takes a third longer to compile it than -O1.
set(ORRERY_READS_AND_WRITES document calibrate exchange insight report engine io cli)
set(ORRERY_MUTATED "" CACHE STRING "The module that scripts/mutate changes")

# Headers of the library and of JSON, which a source of a group sees anyway: read once for all targets with
# the flags of OWNER, not once for each group. A source compiled alone reads its own.
function(orrery_precompile target owner)
  if(NOT CMAKE_UNITY_BUILD OR ORRERY_MUTATED)
    return()
  endif()
  if(NOT target STREQUAL owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <charconv> <cmath> <cstdint> <functional>
    <limits> <map> <memory> <numeric> <optional> <set> <span> <sstream> <string> <string_view> <tuple>
    <unordered_map> <utility> <variant> <vector> <nlohmann/json.hpp> ${ARGN})
endfunction()

# orrery_module(NAME [LINK targets...] [EXCLUDE files...])
function(orrery_module name)
  cmake_parse_arguments(arg "" "" "LINK;EXCLUDE" ${ARGN})
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  foreach(file IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources ${dir}/${file})
  endforeach()

  # Compile options of this module's own files only.
  add_library(orrery_${name}_settings INTERFACE)
  if(sources)
    add_library(orrery_${name} STATIC ${sources})
    target_link_libraries(orrery_${name} PRIVATE orrery_flags orrery_${name}_settings)
    if(name STREQUAL ORRERY_MUTATED)
      # Compiled once for each mutant, which may leave a name unused.
      target_compile_options(orrery_${name} PRIVATE -O1 -w)
      set_target_properties(orrery_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 4)
    endif()
    set(headers_of orrery_model)
    if(ORRERY_QUICK_BUILD AND name IN_LIST ORRERY_READS_AND_WRITES)
      set(headers_of orrery_document)
      # g++ 12 takes a std::optional for uninitialized with -O1; -O2 sees that it is not.
      target_compile_options(orrery_${name} PRIVATE -O1 -Wno-maybe-uninitialized)
    endif()
    if(TARGET ${headers_of})
      orrery_precompile(orrery_${name} ${headers_of})
    endif()
    set(scope PUBLIC)
  else()
    add_library(orrery_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(orrery_${name} ${scope}
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${ORRERY_GENERATED_DIR})
  target_compile_features(orrery_${name} ${scope} cxx_std_20)
  target_link_libraries(orrery_${name} ${scope} ${arg_LINK})
  foreach(left IN LISTS ORRERY_MODULES)
    target_link_libraries(orrery_${name} ${scope} orrery_${left})
  endforeach()
  list(APPEND ORRERY_MODULES ${name})
  set(ORRERY_MODULES ${ORRERY_MODULES} PARENT_SCOPE)
endfunction()

# The libraries that are installed: orrery::orrery (shared) and orrery::static, of the modules up to
# engine and of those files of io that need nothing but the system.
function(orrery_library)
  set(objects "")
  foreach(module IN LISTS ORRERY_MODULES)
    get_target_property(type orrery_${module} TYPE)
    if(NOT module MATCHES "^(io|cli)$" AND type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:orrery_${module}>)
    endif()
  endforeach()
  set(system config_dirs.cpp files.cpp public_face.cpp threads.cpp)
  list(TRANSFORM system PREPEND ${PROJECT_SOURCE_DIR}/src/io/)
  add_library(orrery_system OBJECT ${system})
  target_link_libraries(orrery_system PRIVATE
    orrery_flags orrery_io_settings orrery_engine Threads::Threads)

  add_library(liborrery SHARED ${objects} $<TARGET_OBJECTS:orrery_system>)
  # Until 1.0 the interface may change with every minor version.
  set_target_properties(liborrery PROPERTIES EXPORT_NAME orrery
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  add_library(liborrery_static STATIC ${objects} $<TARGET_OBJECTS:orrery_system>)
  set_target_properties(liborrery_static PROPERTIES EXPORT_NAME static)
  foreach(library liborrery liborrery_static)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME orrery)
    target_link_libraries(${library} PRIVATE Threads::Threads)
    target_include_directories(${library} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<BUILD_INTERFACE:${ORRERY_GENERATED_DIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  target_link_libraries(liborrery PRIVATE ${ORRERY_FORMAT_LIBRARIES})
  # A C program that links the archive needs the C++ library.
  target_link_libraries(liborrery_static INTERFACE
    ${ORRERY_FORMAT_LIBRARIES} $<LINK_ONLY:stdc++> $<LINK_ONLY:m>)
  add_library(orrery::orrery ALIAS liborrery)
  add_library(orrery::static ALIAS liborrery_static)
endfunction()

# The program. main.cpp stays out of orrery_cli so that tests can link the commands.
function(orrery_program)
  add_dependencies(orrery_cli orrery_build_info)
  # Alone in its object, so that a test's program can bring its own GPU in its place.
  set_source_files_properties(src/cli/measuring_device.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
  if(EXISTS ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
    add_executable(orrery src/cli/main.cpp)
    target_link_libraries(orrery PRIVATE orrery_flags orrery_cli)
  endif()
  # main.cpp may not be there yet: look again when it appears.
  file(GLOB unused CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
endfunction()

# The program of the same objects without a shared library: it runs in an empty root. `static/orrery.map`
# names the archives it took.
function(orrery_static_program)
  set(objects "")
  foreach(module IN LISTS ORRERY_MODULES)
    get_target_property(type orrery_${module} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" AND NOT module MATCHES "^(io|cli)$")
      list(APPEND objects $<TARGET_OBJECTS:orrery_${module}>)
    endif()
  endforeach()
  # spdlog and fmt come as shared libraries: the modules that log are compiled with their headers alone.
  file(GLOB_RECURSE logging ${PROJECT_SOURCE_DIR}/src/io/*.cpp ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
  list(REMOVE_ITEM logging ${PROJECT_SOURCE_DIR}/src/io/public_face.cpp)
  add_executable(orrery_static ${logging} ${objects})
  add_dependencies(orrery_static orrery_build_info)
  set_target_properties(orrery_static PROPERTIES
    OUTPUT_NAME orrery RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/static)
  target_include_directories(orrery_static PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${ORRERY_GENERATED_DIR})
  target_compile_definitions(orrery_static PRIVATE SPDLOG_FMT_EXTERNAL)
  set(archives "")
  foreach(library z sqlite3 ${ORRERY_FORMAT_LIBRARIES})
    find_library(ORRERY_STATIC_${library} lib${library}.a REQUIRED)
    mark_as_advanced(ORRERY_STATIC_${library})
    list(APPEND archives ${ORRERY_STATIC_${library}})
  endforeach()
  target_link_libraries(orrery_static PRIVATE orrery_flags orrery_io_settings nlohmann_json::nlohmann_json Boost::headers
    Eigen3::Eigen CLI11::CLI11 fmt::fmt-header-only Threads::Threads ${archives} m)
  target_link_options(orrery_static PRIVATE
    -static -Wl,-Map=${PROJECT_BINARY_DIR}/static/orrery.map)
endfunction()

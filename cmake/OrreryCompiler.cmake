# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers and the external packages of the whole build.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Everything may become part of a shared library, which shows the C interface alone.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_library(orrery_flags INTERFACE)
target_compile_options(orrery_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
  # The same input gives the same bytes on every machine: no fused multiply-add by chance.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ looks for garbage from 128 MB on, a fifth of its time here: a compilation takes up to 1 GB.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>
    $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=200>)
endif()
if(ORRERY_WERROR)
  target_compile_options(orrery_flags INTERFACE -Werror)
endif()
if(ORRERY_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # With -fsanitize g++ says it of values that are set, as its manual warns; the sanitizer itself looks.
  target_compile_options(orrery_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(ORRERY_SANITIZE)
  add_compile_options(-fsanitize=${ORRERY_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ORRERY_SANITIZE})
  if(ORRERY_SANITIZE_LESS)
    add_compile_options(-fno-sanitize=${ORRERY_SANITIZE_LESS})
  endif()
  if(ORRERY_SANITIZE MATCHES address)
    add_compile_definitions(ORRERY_MOVING_JSON="core/moving_json.h")
  endif()
endif()
if(ORRERY_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "ORRERY_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(ORRERY_PACKAGES)
  # Two builds of one commit give the same bytes, in whatever folders they are made.
  add_compile_options(-ffile-prefix-map=${CMAKE_BINARY_DIR}=. -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
  add_link_options(-Wl,-z,relro,-z,now)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(spdlog 1.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
# Its headers alone, which hold all of its code: Debian's CMake package links a shared library.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
# YAML and XML of other tools. A build without these libraries (Emscripten has neither) refuses such
# files in `import`.
set(ORRERY_FORMAT_LIBRARIES "")
find_path(YAML_CPP_INCLUDE_DIR yaml-cpp/yaml.h)
find_library(YAML_CPP_LIBRARY yaml-cpp)
find_path(PUGIXML_INCLUDE_DIR pugixml.hpp)
find_library(PUGIXML_LIBRARY pugixml)
foreach(library YAML_CPP PUGIXML)
  mark_as_advanced(${library}_INCLUDE_DIR ${library}_LIBRARY)
  if(${library}_INCLUDE_DIR AND ${library}_LIBRARY)
    string(TOLOWER ${library} name)
    string(REPLACE "_" "-" name ${name})
    list(APPEND ORRERY_FORMAT_LIBRARIES ${name})
  else()
    message(STATUS "${library} not found: import refuses files that need it")
  endif()
endforeach()

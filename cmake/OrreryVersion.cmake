# SPDX-License-Identifier: Apache-2.0
# Two generated headers under <build>/generated:
#   orrery/version.h      kVersion; installed with the public headers
#   cli/build_info.h      kGitHash, kCompiler, kBuildOptions; for `orrery --version` alone, since it
#                         changes with every commit

set(ORRERY_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
configure_file(cmake/version.h.in ${ORRERY_GENERATED_DIR}/orrery/version.h @ONLY)

set(_orrery_options ${CMAKE_BUILD_TYPE})
if(ORRERY_MPI)
  string(APPEND _orrery_options ", MPI")
endif()
if(ORRERY_CUDA)
  string(APPEND _orrery_options ", CUDA")
endif()
if(ORRERY_HIP)
  string(APPEND _orrery_options ", HIP")
endif()
if(ORRERY_SANITIZE)
  string(APPEND _orrery_options ", sanitize=${ORRERY_SANITIZE}")
endif()
set(_orrery_write_build_info
  ${CMAKE_COMMAND}
    -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
    -D INPUT=${PROJECT_SOURCE_DIR}/cmake/build_info.h.in
    -D OUTPUT=${ORRERY_GENERATED_DIR}/cli/build_info.h
    -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    -D "BUILD_OPTIONS=${_orrery_options}"
    -P ${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake)
# Now, so that tools find the header before the first build; and before each link of the program.
execute_process(COMMAND ${_orrery_write_build_info})
add_custom_target(orrery_build_info
  COMMAND ${_orrery_write_build_info}
  BYPRODUCTS ${ORRERY_GENERATED_DIR}/cli/build_info.h
  COMMENT "" VERBATIM)

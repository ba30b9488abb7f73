# SPDX-License-Identifier: Apache-2.0
# The same source by hipcc: kernels and copies. Each file is a command of its own, since CMake's HIP
# language wants a toolchain newer than Debian's.
set(ORRERY_HIP_ARCHITECTURES gfx90a CACHE STRING "What hipcc compiles for")
find_program(ORRERY_HIPCC hipcc REQUIRED)
find_library(ORRERY_HIP_RUNTIME amdhip64 HINTS /opt/rocm/lib REQUIRED)
list(TRANSFORM ORRERY_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE targets)
set(objects "")
foreach(file cuda_device.cu random.cu element_kernels.cu row_kernels.cu copies.cpp)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${file}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${ORRERY_HIPCC} ${targets} -std=c++20 -O2 -fPIC -x hip
      -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
      -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${file} -o ${object}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} DEPFILE ${object}.d VERBATIM)
  list(APPEND objects ${object})
endforeach()
add_library(orrery_cuda_kernels STATIC nvml.cpp ${objects})
target_compile_features(orrery_cuda_kernels PUBLIC cxx_std_20)
target_include_directories(orrery_cuda_kernels
  PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(orrery_cuda_kernels PRIVATE ${ORRERY_HIP_RUNTIME} ${CMAKE_DL_LIBS})
add_library(orrery_cuda INTERFACE)
target_link_libraries(orrery_cuda INTERFACE orrery_cuda_kernels orrery_calibrate)
orrery_test_without_gpu()

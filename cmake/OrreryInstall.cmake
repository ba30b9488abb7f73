# SPDX-License-Identifier: Apache-2.0
# Installs the program, both libraries with their headers, configs/, and what find_package(orrery)
# and pkg-config need.

include(CMakePackageConfigHelpers)

if(TARGET orrery)
  install(TARGETS orrery RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS liborrery liborrery_static EXPORT orrery
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(dir ${PROJECT_SOURCE_DIR}/include/orrery ${ORRERY_GENERATED_DIR}/orrery)
  install(DIRECTORY ${dir} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endforeach()
foreach(data configs validation)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${data})
    install(DIRECTORY ${data} DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery)
  endif()
endforeach()

set(_orrery_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)
install(EXPORT orrery NAMESPACE orrery:: FILE orreryTargets.cmake
  DESTINATION ${_orrery_cmake_dir})
configure_package_config_file(cmake/orreryConfig.cmake.in orreryConfig.cmake
  INSTALL_DESTINATION ${_orrery_cmake_dir})
write_basic_package_version_file(orreryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/orreryConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/orreryConfigVersion.cmake
  DESTINATION ${_orrery_cmake_dir})
# From <libdir>/pkgconfig back to the prefix, so that the installed tree can be moved.
file(RELATIVE_PATH ORRERY_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
list(TRANSFORM ORRERY_FORMAT_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE ORRERY_FORMAT_LIBS)
list(JOIN ORRERY_FORMAT_LIBS " " ORRERY_FORMAT_LIBS)
configure_file(cmake/orrery.pc.in orrery.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/orrery.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

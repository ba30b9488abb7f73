# SPDX-License-Identifier: Apache-2.0
# Installs the program, both libraries with their headers, configs/, and what find_package(orrery)
# and pkg-config need.

include(CMakePackageConfigHelpers)

if(TARGET orrery)
  install(TARGETS orrery RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
# Completions, the manual page and the JSON Schemas say what this very program takes.
if(TARGET orrery AND NOT CMAKE_CROSSCOMPILING)
  set(_orrery_made
    bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions orrery
    zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _orrery
    fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d orrery.fish
    man ${CMAKE_INSTALL_MANDIR}/man1 orrery.1)
  while(_orrery_made)
    list(POP_FRONT _orrery_made what folder name)
    set(file ${PROJECT_BINARY_DIR}/completions/${name})
    add_custom_command(OUTPUT ${file}
      COMMAND orrery completions ${what} --config-dir - -o ${file} DEPENDS orrery VERBATIM)
    if(ORRERY_PACKAGES AND what STREQUAL "man")  # as Debian's packages have them
      add_custom_command(OUTPUT ${file}.gz COMMAND gzip -9nkf ${file} DEPENDS ${file} VERBATIM)
      string(APPEND file .gz)
    endif()
    list(APPEND _orrery_made_files ${file})
    install(FILES ${file} DESTINATION ${folder} COMPONENT program)
  endwhile()
  # Every kind of document that `orrery schema` knows, and the map of file names to them.
  set(_orrery_schemas ${PROJECT_BINARY_DIR}/schemas)
  add_custom_command(OUTPUT ${_orrery_schemas}/vscode-settings.json
    COMMAND ${CMAKE_COMMAND} -DORRERY=$<TARGET_FILE:orrery> -DFOLDER=${_orrery_schemas}
      -P ${PROJECT_SOURCE_DIR}/cmake/write_schemas.cmake
    DEPENDS orrery ${PROJECT_SOURCE_DIR}/cmake/write_schemas.cmake VERBATIM)
  list(APPEND _orrery_made_files ${_orrery_schemas}/vscode-settings.json)
  install(DIRECTORY ${_orrery_schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery COMPONENT program
    FILES_MATCHING PATTERN "*.json")
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completions)
  add_custom_target(orrery_completions ALL DEPENDS ${_orrery_made_files})
endif()
install(TARGETS liborrery liborrery_static EXPORT orrery
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
foreach(dir ${PROJECT_SOURCE_DIR}/include/orrery ${ORRERY_GENERATED_DIR}/orrery)
  install(DIRECTORY ${dir} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h")
endforeach()
foreach(data configs validation)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${data})
    install(DIRECTORY ${data} DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery COMPONENT program)
  endif()
endforeach()
# The page, where scripts/page has built it.
install(FILES ${PROJECT_SOURCE_DIR}/build-page/page.html
  DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery COMPONENT program OPTIONAL)

set(_orrery_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)
install(EXPORT orrery NAMESPACE orrery:: FILE orreryTargets.cmake
  DESTINATION ${_orrery_cmake_dir} COMPONENT development)
configure_package_config_file(cmake/orreryConfig.cmake.in orreryConfig.cmake
  INSTALL_DESTINATION ${_orrery_cmake_dir})
write_basic_package_version_file(orreryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/orreryConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/orreryConfigVersion.cmake
  DESTINATION ${_orrery_cmake_dir} COMPONENT development)
# From <libdir>/pkgconfig back to the prefix, so that the installed tree can be moved.
file(RELATIVE_PATH ORRERY_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
list(TRANSFORM ORRERY_FORMAT_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE ORRERY_FORMAT_LIBS)
list(JOIN ORRERY_FORMAT_LIBS " " ORRERY_FORMAT_LIBS)
configure_file(cmake/orrery.pc.in orrery.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/orrery.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

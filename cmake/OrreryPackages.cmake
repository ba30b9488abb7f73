# SPDX-License-Identifier: Apache-2.0
# Debian packages by `cpack -G DEB` of a build with -DORRERY_PACKAGES=ON: orrery (the program, configs, manual page, completions, schemas),
# liborrery (the shared library), liborrery-dev (headers, archive) and, with -DORRERY_PYTHON=ON,
# python3-orrery. scripts/make-packages calls it.

set(CPACK_PACKAGE_NAME orrery)
set(CPACK_PACKAGE_VENDOR "Orrery developers")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Orrery developers <orrery@example.org>" CACHE STRING
  "Name and address in the packages")
set(CPACK_DEBIAN_PACKAGE_RELEASE 0orrery1)  # not Debian's own
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library development)
if(ORRERY_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(_orrery_soname liborrery${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(_orrery_about "Orrery predicts what a training run of a large language model does on a
cluster: memory of every GPU, time of a step, the best parallel layout, cost
and power of the whole training. Every number opens to its formula.")

# orrery_debian(COMPONENT NAME SECTION DEPENDS "summary")
macro(orrery_debian component name section depends summary)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${_orrery_about}")
  orrery_debian_documents(${component} ${name})
endmacro()

# /usr/share/doc/NAME: the licence and a compressed changelog.
function(orrery_debian_documents component name)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${name})
  install(FILES ${PROJECT_BINARY_DIR}/debian/copyright DESTINATION ${folder}
    COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz DESTINATION ${folder}
    COMPONENT ${component})
  set(overrides ${PROJECT_SOURCE_DIR}/packaging/debian/${component}.lintian-overrides)
  if(EXISTS ${overrides})
    install(FILES ${overrides} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
      RENAME ${name} COMPONENT ${component})
  endif()
endfunction()

orrery_debian(program orrery science "" "predicts memory, time and cost of model training")
orrery_debian(library ${_orrery_soname} libs "" "predicts model training, shared library")
orrery_debian(development liborrery-dev libdevel "${_orrery_soname} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})"
  "predicts model training, headers")
orrery_debian(python python3-orrery python "python3" "predicts model training, Python module")
# The module is built for the Python that built it.
if(Python3_VERSION_MINOR)
  math(EXPR _orrery_next_python "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${_orrery_next_python})")
endif()

# The date of both is that of the commit, so that two builds give the same bytes.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/debian)
configure_file(packaging/debian/copyright ${PROJECT_BINARY_DIR}/debian/copyright COPYONLY)
set(_orrery_date "Thu, 01 Jan 1970 00:00:00 +0000")
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  string(TIMESTAMP _orrery_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
configure_file(packaging/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog.Debian @ONLY)
execute_process(COMMAND gzip -9nkf changelog.Debian
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/debian COMMAND_ERROR_IS_FATAL ANY)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
include(CPack)

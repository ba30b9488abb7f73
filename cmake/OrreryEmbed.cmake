# SPDX-License-Identifier: Apache-2.0
# Files as constants of the program.
#
#   orrery_embed(ROOM SYMBOL BASE files...)   files below BASE
#
# gives the room a generated source that defines, as core/embedded.h declares it,
#   extern const std::span<const EmbeddedFile> SYMBOL;
# one entry a file, in the order given, named by its path below BASE.
#
# The source is written when the build needs it: this file is its own script then.

if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  file(STRINGS "${ORRERY_LIST}" files)
  list(POP_FRONT files base symbol)
  foreach(path IN LISTS files)
    file(RELATIVE_PATH name "${base}" "${path}")
    # As bytes: CMake would take a bracket or a semicolon for its own.
    file(READ "${path}" bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" lines "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" lines "${lines}")
    string(REGEX REPLACE "([^\n]+)" "    \"\\1\"" lines "${lines}")
    string(APPEND entries "  {\"${name}\",\n${lines}},\n")
  endforeach()
  file(WRITE "${ORRERY_OUTPUT}"
    "// Made by cmake/OrreryEmbed.cmake.\n"
    "#include \"core/embedded.h\"\n\n"
    "namespace orrery {\n"
    "namespace {\n\n"
    "constexpr EmbeddedFile k${symbol}[] = {\n${entries}};\n\n"
    "}  // namespace\n\n"
    "extern const std::span<const EmbeddedFile> ${symbol};\n"
    "const std::span<const EmbeddedFile> ${symbol} = k${symbol};\n\n"
    "}  // namespace orrery\n")
  return()
endif()

set(ORRERY_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(orrery_embed room symbol base)
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${base}/)
  set(list ${ORRERY_GENERATED_DIR}/embedded/${symbol}.list)
  set(source ${ORRERY_GENERATED_DIR}/embedded/${symbol}.cpp)
  list(JOIN files "\n" lines)
  file(CONFIGURE OUTPUT ${list} CONTENT "${base}\n${symbol}\n${lines}\n" @ONLY)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DORRERY_LIST=${list} -DORRERY_OUTPUT=${source} -P ${ORRERY_EMBED_SCRIPT}
    DEPENDS ${files} ${list} ${ORRERY_EMBED_SCRIPT} VERBATIM)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(orrery_${room} PRIVATE ${source})
endfunction()

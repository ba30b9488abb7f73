# SPDX-License-Identifier: Apache-2.0
# Text files as constants of the program.
#
#   orrery_embed(MODULE SYMBOL BASE files...)   files by their paths below BASE
#
# gives the module a generated source that defines
#   extern const std::span<const EmbeddedFile> SYMBOL;   // core/embedded.h
# with one entry a file, in the order given, named by its path below BASE.
#
# The source is written when the build needs it: this file is its own script then.

if(CMAKE_SCRIPT_MODE_FILE)
  file(STRINGS "${ORRERY_LIST}" files)
  list(POP_FRONT files base symbol)
  file(WRITE "${ORRERY_OUTPUT}.new"
    "// Made by cmake/OrreryEmbed.cmake.\n#include \"core/embedded.h\"\n\n"
    "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
    "namespace orrery {\nnamespace {\n\n"
    "using std::string_view_literals::operator\"\"sv;\n\n"
    "constexpr EmbeddedFile kFiles[] = {\n")
  foreach(name IN LISTS files)
    file(READ "${base}/${name}" text)
    if(ORRERY_DENSE)  # JSON without its indents: no string of it has a line's end
      string(REGEX REPLACE "\n +" "\n" text "${text}")
    endif()
    file(APPEND "${ORRERY_OUTPUT}.new" "    {\"${name}\"sv, R\"~~~~(${text})~~~~\"sv},\n")
  endforeach()
  file(APPEND "${ORRERY_OUTPUT}.new"
    "};\n\n}  // namespace\n\n"
    "extern const std::span<const EmbeddedFile> ${symbol};\n"
    "const std::span<const EmbeddedFile> ${symbol} = kFiles;\n\n"
    "}  // namespace orrery\n")
  file(RENAME "${ORRERY_OUTPUT}.new" "${ORRERY_OUTPUT}")
  return()
endif()

set(ORRERY_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(orrery_embed module symbol base)
  set(list ${ORRERY_GENERATED_DIR}/embedded/${symbol}.list)
  set(source ${ORRERY_GENERATED_DIR}/embedded/${symbol}.cpp)
  list(JOIN ARGN "\n" lines)
  file(CONFIGURE OUTPUT ${list} CONTENT "${base}\n${symbol}\n${lines}\n" @ONLY)
  set(inputs ${ARGN})
  list(TRANSFORM inputs PREPEND ${base}/)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DORRERY_LIST=${list} -DORRERY_OUTPUT=${source}
      -P ${ORRERY_EMBED_SCRIPT}
    DEPENDS ${inputs} ${list} ${ORRERY_EMBED_SCRIPT} VERBATIM)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(orrery_${module} PRIVATE ${source})
  # All such sources, for who compiles them otherwise (scripts/check-wasm).
  if(NOT TARGET orrery_embedded)
    add_custom_target(orrery_embedded)
  endif()
  add_custom_target(orrery_embed_${symbol} DEPENDS ${source})
  add_dependencies(orrery_embedded orrery_embed_${symbol})
endfunction()

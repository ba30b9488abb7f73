# SPDX-License-Identifier: Apache-2.0
# Writes FOLDER/NAME.schema.json for every NAME that `ORRERY schema` knows, and vscode-settings.json:
# which files VS Code is to hold against which schema.

file(MAKE_DIRECTORY ${FOLDER})
# Asked for none, the program names them all.
execute_process(COMMAND ${ORRERY} schema --config-dir - ERROR_VARIABLE refusal OUTPUT_QUIET)
string(REGEX MATCH "allowed: ([a-z, ]*)" _ "${refusal}")
string(REGEX REPLACE ",? or |, " ";" names "${CMAKE_MATCH_1}")
if(NOT names)
  message(FATAL_ERROR "no list of schemas in: ${refusal}")
endif()
set(lines "")
foreach(name IN LISTS names)
  set(file ${FOLDER}/${name}.schema.json)
  execute_process(COMMAND ${ORRERY} schema ${name} --config-dir - -o ${file} COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND lines
    "    {\"fileMatch\": [\"*.${name}.json\"], \"url\": \"./.vscode/schemas/${name}.schema.json\"}")
endforeach()
list(JOIN lines ",\n" lines)
file(WRITE ${FOLDER}/vscode-settings.json "{\n  \"json.schemas\": [\n${lines}\n  ]\n}\n")

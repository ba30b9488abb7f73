# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT from INPUT with the commit of SOURCE_DIR; leaves it alone when nothing changed.

execute_process(
  COMMAND git -C ${SOURCE_DIR} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE GIT_HASH RESULT_VARIABLE failed
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed)
  set(GIT_HASH unknown)
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)

# heddle for CMake and CTest:
#
#   find_package(heddle REQUIRED)
#   heddle_add_test(NAME queue COMMAND queue-test 3 OPTIONS --max-time 5m)
#
# A test passes when heddle verifies the program, fails at a violation, and is skipped when not everything could be
# looked at (exit status 3), or, with BOUNDED_IS_ENOUGH, passes then, too. COMMAND is a target or a program. Reports go to
# heddle-NAME/ in the build folder. To have data races looked at, configure with -DCMAKE_C_COMPILER=heddle-cc.

get_filename_component(_heddle_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(HEDDLE_COMMAND heddle HINTS "${_heddle_prefix}/bin")
if(NOT HEDDLE_COMMAND)
  set(heddle_FOUND FALSE)
  set(heddle_NOT_FOUND_MESSAGE "the heddle command is not in PATH; set HEDDLE_COMMAND")
  return()
endif()
set(heddle_FOUND TRUE)

function(heddle_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 T "BOUNDED_IS_ENOUGH" "NAME" "COMMAND;OPTIONS")
  if(NOT T_NAME OR NOT T_COMMAND)
    message(FATAL_ERROR "heddle_add_test(NAME name COMMAND program [argument...] [OPTIONS option...])")
  endif()
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_add_test: what is ${T_UNPARSED_ARGUMENTS}?")
  endif()
  list(POP_FRONT T_COMMAND program)
  if(TARGET ${program})
    set(program "$<TARGET_FILE:${program}>")
  endif()
  set(check "${HEDDLE_COMMAND}" check --no-progress --out "${CMAKE_CURRENT_BINARY_DIR}/heddle-${T_NAME}" ${T_OPTIONS} --
    "${program}" ${T_COMMAND})
  if(T_BOUNDED_IS_ENOUGH)
    add_test(NAME ${T_NAME} COMMAND sh -c "\"$@\"; s=$?; [ $s = 3 ] && exit 0; exit $s" sh ${check})
  else()
    add_test(NAME ${T_NAME} COMMAND ${check})
    set_tests_properties(${T_NAME} PROPERTIES SKIP_RETURN_CODE 3)
  endif()
endfunction()

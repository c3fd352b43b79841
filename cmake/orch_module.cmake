# The architecture is the DEPS lists. orch_module(term SOURCES screen.cc DEPS base) makes the target
# orch_term with one include root that holds nothing but a link to its own folder, so a header of a
# module that is not declared (directly or through a declared one) does not compile.
#
# With ORCH_UNITY its sources are compiled as one, in a quarter of the time: most of it goes into the
# same headers. Then they share one anonymous namespace: those whose names clash with the others' stand
# APART, which are compiled as another one, or ALONE. What is HOT, where tests spend their time, is
# optimized a little where there are tests, even if nothing else is. What is FAST works on every byte of
# an agent's output, or often: what is shipped is optimized for speed there, and for size everywhere else,
# also in those sources of a FAST module that are RARE: they work a few times in a turn.

function(orch_module name)
  cmake_parse_arguments(M "HOT;FAST" "" "SOURCES;APART;ALONE;RARE;DEPS;LIBS" ${ARGN})
  set(root ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
  add_library(orch_${name} STATIC ${M_SOURCES})
  target_include_directories(orch_${name} PUBLIC ${root})
  list(TRANSFORM M_DEPS PREPEND orch_)
  if(static_libraries)  # of these, distributions have no static library
    list(TRANSFORM M_LIBS REPLACE "^fmt::fmt$" fmt::fmt-header-only)
    list(TRANSFORM M_LIBS REPLACE "^spdlog::spdlog$" spdlog::spdlog_header_only)
  endif()
  target_link_libraries(orch_${name} PUBLIC ${M_DEPS} PRIVATE orch_flags ${M_LIBS})
  if(M_HOT AND ORCH_TESTS)
    orch_headers(orch_${name} hot)
  else()
    orch_headers(orch_${name} module)
  endif()
  if(NOT M_FAST)
    target_compile_options(orch_${name} PRIVATE "$<$<CONFIG:Release>:${orch_small}>")
  elseif(M_RARE AND CMAKE_BUILD_TYPE STREQUAL Release)  # each by itself: a unit has one set of options
    set_source_files_properties(${M_RARE} PROPERTIES COMPILE_OPTIONS "${orch_small}")
  endif()
  orch_units(orch_${name} "${M_SOURCES}" "${M_APART}" "${M_ALONE}")
endfunction()

function(orch_units target sources apart alone)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ORCH_UNITY} UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${sources} PROPERTIES UNITY_GROUP together)
  set_source_files_properties(${apart} PROPERTIES UNITY_GROUP apart)
  set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# orch_test(term SOURCES screen_test.cc DEPS term LIBS ...): one Catch2 executable per module folder. Its
# sources are compiled as those of a module. With EACH_FILE, as PREFIX, those of each source are a test of
# their own, which ctest runs beside the others: what runs long does not stand in one queue. Target
# PREFIX_FILE_test builds what such a test needs.
function(orch_test name)
  cmake_parse_arguments(T "" "EACH_FILE" "SOURCES;APART;ALONE;DEPS;LIBS" ${ARGN})
  add_executable(${name}_test ${T_SOURCES} $<TARGET_OBJECTS:catch_main>)
  list(TRANSFORM T_DEPS PREPEND orch_)
  target_link_libraries(${name}_test PRIVATE ${T_DEPS} orch_flags Catch2::Catch2 ${T_LIBS})
  target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE
    ORCH_RECORDINGS="${CMAKE_SOURCE_DIR}/tests/recordings" ORCH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  orch_headers(${name}_test test)
  orch_units(${name}_test "${T_SOURCES}" "${T_APART}" "${T_ALONE}")
  set(tests ${name})
  if(T_EACH_FILE)
    list(TRANSFORM T_SOURCES REPLACE "_test\\.cc$" "" OUTPUT_VARIABLE tests)
    list(FILTER tests EXCLUDE REGEX "\\.cc$")
    foreach(file ${tests})
      add_test(NAME ${T_EACH_FILE}_${file} COMMAND ${name}_test -\# "[#${file}_test]~[.]")  # but what is hidden
      add_custom_target(${T_EACH_FILE}_${file}_test DEPENDS ${name}_test)
    endforeach()
    list(TRANSFORM tests PREPEND ${T_EACH_FILE}_)
  else()
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
  foreach(test ${tests})
    list(FIND ORCH_TEST_COSTS ${test} at)
    if(at GREATER_EQUAL 0)
      math(EXPR at "${at} + 1")
      list(GET ORCH_TEST_COSTS ${at} cost)
      set_tests_properties(${test} PROPERTIES COST ${cost})
    endif()
  endforeach()
  # An emulator is slow.
  set_tests_properties(${tests} PROPERTIES TIMEOUT $<IF:$<BOOL:${CMAKE_CROSSCOMPILING}>,3000,900>)
endfunction()

# The architecture is the DEPS lists. orch_module(term SOURCES screen.cc DEPS base) makes the target
# orch_term with one include root that holds nothing but a link to its own folder, so a header of a
# module that is not declared (directly or through a declared one) does not compile.
#
# With ORCH_UNITY its sources are compiled BATCH at a time, or four, which halves the time: most of it
# goes into the same headers. Then they share one anonymous namespace; those whose names clash stand
# APART.

function(orch_module name)
  cmake_parse_arguments(M "" "BATCH" "SOURCES;APART;DEPS;LIBS" ${ARGN})
  set(root ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
  add_library(orch_${name} STATIC ${M_SOURCES})
  target_include_directories(orch_${name} PUBLIC ${root})
  list(TRANSFORM M_DEPS PREPEND orch_)
  if(ORCH_STATIC)  # of these, distributions have no static library
    list(TRANSFORM M_LIBS REPLACE "^fmt::fmt$" fmt::fmt-header-only)
    list(TRANSFORM M_LIBS REPLACE "^spdlog::spdlog$" spdlog::spdlog_header_only)
  endif()
  target_link_libraries(orch_${name} PUBLIC ${M_DEPS} PRIVATE orch_options ${M_LIBS})
  orch_batches(orch_${name} "${M_BATCH}" ${M_APART})
endfunction()

function(orch_batches target size)
  if(NOT size)
    set(size 4)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ORCH_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# orch_test(term SOURCES screen_test.cc DEPS term LIBS ...): one Catch2 executable per module folder. Its
# sources are compiled as those of a module.
function(orch_test name)
  cmake_parse_arguments(T "" "" "SOURCES;DEPS;LIBS;APART;SECOND" ${ARGN})
  add_executable(${name}_test ${T_SOURCES} $<TARGET_OBJECTS:catch_main>)
  list(TRANSFORM T_DEPS PREPEND orch_)
  target_link_libraries(${name}_test PRIVATE ${T_DEPS} orch_options Catch2::Catch2 ${T_LIBS})
  target_compile_definitions(${name}_test PRIVATE
    ORCH_RECORDINGS="${CMAKE_SOURCE_DIR}/tests/recordings" ORCH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # Catch2's macros are dear to optimize and to run fast no use.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Debug>:-O0>)
  orch_batches(${name}_test "" ${T_APART})
  # Those of SECOND, which are names of sources without their _test.cc, run beside the others.
  set(first "")
  set(second "")
  foreach(source ${T_SECOND})
    string(APPEND first "~[#${source}_test]")
    string(APPEND second "[#${source}_test],")
  endforeach()
  if(T_SECOND)
    add_test(NAME ${name} COMMAND ${name}_test -\# ${first})
    add_test(NAME ${name}_second COMMAND ${name}_test -\# ${second})
  else()
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
  # An emulator is slow.
  set_tests_properties(${name} PROPERTIES TIMEOUT $<IF:$<BOOL:${CMAKE_CROSSCOMPILING}>,3000,300>)
endfunction()

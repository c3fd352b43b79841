# The architecture is the DEPS lists. orch_module(term SOURCES screen.cc DEPS base) makes the target
# orch_term with one include root that holds nothing but a link to its own folder, so a header of a
# module that is not declared (directly or through a declared one) does not compile.

add_library(orch_options INTERFACE)
target_compile_options(orch_options INTERFACE -Wall -Wextra -Wconversion -Wno-psabi -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 warns of its own std::string (GCC bug 105651)
if(ORCH_SANITIZE)
  target_compile_options(orch_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(orch_options INTERFACE -fsanitize=address,undefined)
endif()
if(ORCH_FUZZ)  # comparisons are not traced: the dictionaries know the words, and it halves the speed
  target_compile_options(orch_options INTERFACE
    -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()

function(orch_module name)
  cmake_parse_arguments(M "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
  add_library(orch_${name} STATIC ${M_SOURCES})
  target_include_directories(orch_${name} PUBLIC ${root})
  list(TRANSFORM M_DEPS PREPEND orch_)
  target_link_libraries(orch_${name} PUBLIC ${M_DEPS} PRIVATE orch_options ${M_LIBS})
endfunction()

# orch_test(term SOURCES screen_test.cc DEPS term LIBS ...): one Catch2 executable per module folder.
function(orch_test name)
  cmake_parse_arguments(T "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  add_executable(${name}_test ${T_SOURCES} $<TARGET_OBJECTS:catch_main>)
  list(TRANSFORM T_DEPS PREPEND orch_)
  target_link_libraries(${name}_test PRIVATE ${T_DEPS} orch_options ${T_LIBS})
  target_compile_definitions(${name}_test PRIVATE
    ORCH_RECORDINGS="${CMAKE_SOURCE_DIR}/tests/recordings" ORCH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

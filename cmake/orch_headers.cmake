# orch_headers(TARGET SET): with ORCH_PCH, what most sources include of other people's headers is parsed once
# for each set of targets that are compiled alike, and not in each of them again: a quarter of what all of it
# takes to build. A source includes what it uses all the same, for g++ and clang-tidy compile without these.

set(orch_headers_common
  <algorithm> <array> <charconv> <chrono> <cstdint> <cstdio> <deque> <filesystem> <fstream> <functional> <map>
  <memory> <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>
  <fmt/format.h> <nlohmann/json.hpp>)
set(orch_headers_module ${orch_headers_common})
set(orch_headers_hot ${orch_headers_common})
set(orch_headers_test ${orch_headers_common} <random> <sstream> <catch2/catch.hpp>)

# The options of each set, besides orch_flags.
set(orch_options_module "")
set(orch_options_hot $<$<CONFIG:Debug>:-O1>)
set(orch_options_test $<$<CONFIG:Debug>:-O0>)  # Catch2's macros are dear to optimize and to run fast no use

function(orch_headers target set)
  target_compile_options(${target} PRIVATE ${orch_options_${set}})
  if(NOT ORCH_PCH OR NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    return()
  endif()
  set(holder orch_headers_${set})
  if(NOT TARGET ${holder})
    set(source ${PROJECT_BINARY_DIR}/${holder}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(${holder} OBJECT ${source})
    target_link_libraries(${holder} PRIVATE orch_flags fmt::fmt nlohmann_json::nlohmann_json)
    # Without its time, so that ccache knows again what was compiled with it.
    target_compile_options(${holder} PRIVATE ${orch_options_${set}} -pthread -Xclang -fno-pch-timestamp)
    if(set STREQUAL test)
      target_link_libraries(${holder} PRIVATE Catch2::Catch2)
    endif()
    target_precompile_headers(${holder} PRIVATE ${orch_headers_${set}})
  endif()
  # What a library asks for of those that use it has to be alike for all of the set.
  target_compile_options(${target} PRIVATE -pthread)
  target_compile_definitions(${target} PRIVATE FMT_SHARED)
  target_precompile_headers(${target} REUSE_FROM ${holder})
endfunction()

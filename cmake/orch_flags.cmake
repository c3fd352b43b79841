# orch_flags: how every target of the project is compiled and linked. Warnings are errors only where
# CMAKE_COMPILE_WARNING_AS_ERROR says so, as the presets of those who work on orch do.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)

add_library(orch_flags INTERFACE)
# A char is signed on every processor: the kernels of src/screen/term compare bytes as such.
target_compile_options(orch_flags INTERFACE -fsigned-char -Wall -Wextra -Wconversion -Wno-psabi
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # g++ 12 warns of its own std::string (GCC bug 105651)
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)  # clang alone takes it for a part of -Wconversion

# The linker of Debian takes seconds for what lld does in one; what is shipped is not linked so often.
find_program(ORCH_LLD ld.lld)
if(ORCH_LLD AND CMAKE_BUILD_TYPE STREQUAL Debug AND NOT CMAKE_CROSSCOMPILING)
  target_link_options(orch_flags INTERFACE -fuse-ld=lld)
endif()

if(ORCH_PORTABLE)  # the C++ runtime of g++ 12 is not everywhere, either
  target_link_options(orch_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()
if(ORCH_PORTABLE AND ORCH_OLD_GLIBC)  # compiled with the headers of this glibc, and linked against the old one
  if(NOT EXISTS ${ORCH_OLD_GLIBC}/usr/lib)
    message(FATAL_ERROR "there is no glibc in ${ORCH_OLD_GLIBC}; run: packaging/old-glibc ${ORCH_OLD_GLIBC}")
  endif()
  enable_language(C)
  set(libraries ${CMAKE_LIBRARY_ARCHITECTURE})
  add_library(orch_old_glibc OBJECT ${PROJECT_SOURCE_DIR}/packaging/old_glibc.c)
  target_compile_options(orch_old_glibc PRIVATE -fPIE -fvisibility=hidden)
  target_link_options(orch_flags INTERFACE --sysroot=${ORCH_OLD_GLIBC} -B${ORCH_OLD_GLIBC}/usr/lib/${libraries}
    -L${ORCH_OLD_GLIBC}/usr/lib/${libraries} -L${ORCH_OLD_GLIBC}/lib/${libraries} -Wl,--wrap=pow)
  target_link_libraries(orch_flags INTERFACE $<TARGET_OBJECTS:orch_old_glibc> dl rt)
endif()

if(ORCH_MUSL)  # cmake/musl.cmake
  enable_language(C)
  add_library(orch_musl_stdio OBJECT ${PROJECT_SOURCE_DIR}/packaging/musl_stdio.c)
  target_compile_options(orch_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-include${PROJECT_SOURCE_DIR}/packaging/musl_stdio.h>
    -Wno-nullability-completeness)
  target_link_libraries(orch_flags INTERFACE $<TARGET_OBJECTS:orch_musl_stdio>)
endif()

# What is optimized for size calls memcpy all the same: g++ would copy by "rep movsb", which costs a third of
# the speed of a text that streams by, and saves 0.2 % of the program.
set(orch_small -Os)
set(CMAKE_REQUIRED_FLAGS -Werror)
check_cxx_compiler_flag(-mstringop-strategy=libcall ORCH_HAS_stringop_strategy)
unset(CMAKE_REQUIRED_FLAGS)
if(ORCH_HAS_stringop_strategy)
  list(APPEND orch_small -mstringop-strategy=libcall)
endif()

# Relative relocations take a bit each instead of 24 bytes where glibc, from 2.36 on, can read that.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT ORCH_STATIC AND NOT ORCH_OLD_GLIBC)
  check_cxx_source_compiles("#include <features.h>
    #if !__GLIBC_PREREQ(2, 36)
    #error older
    #endif
    int main() {}" ORCH_GLIBC_READS_RELR)
  check_linker_flag(CXX -Wl,-z,pack-relative-relocs ORCH_LINKER_WRITES_RELR)
  if(ORCH_GLIBC_READS_RELR AND ORCH_LINKER_WRITES_RELR)
    target_link_options(orch_flags INTERFACE -Wl,-z,pack-relative-relocs)
  endif()
endif()

if(ORCH_FUZZ)  # comparisons are not traced: the dictionaries know the words, and it halves the speed
  target_compile_options(orch_flags INTERFACE
    -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()

if(ORCH_SANITIZE)
  target_compile_options(orch_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(orch_flags INTERFACE -fsanitize=address,undefined)
else()
  # Hardening, each where the compiler has it for this processor. PIE is asked for by its own name:
  # CMAKE_POSITION_INDEPENDENT_CODE would compile the static libraries with the slower -fPIC.
  set(CMAKE_REQUIRED_FLAGS -Werror)  # clang only warns of those that it has not
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection
               -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "ORCH_HAS${flag}" has)
    check_cxx_compiler_flag(${flag} ${has})
    if(${has})
      target_compile_options(orch_flags INTERFACE ${flag})
    endif()
  endforeach()
  unset(CMAKE_REQUIRED_FLAGS)
  target_compile_options(orch_flags INTERFACE -fPIE)
  # zig, which makes the program with musl, takes -pie for static programs, too, and leaves out -static-pie.
  set(pie -pie)
  if(ORCH_STATIC AND NOT ORCH_MUSL)
    set(pie -static-pie)
  endif()
  target_link_options(orch_flags INTERFACE
    ${pie} -Wl,-z,relro,-z,now,-z,noexecstack)

  set(optimized $<NOT:$<CONFIG:Debug>>)
  if(NOT CMAKE_CXX_FLAGS MATCHES "_FORTIFY_SOURCE")  # else a distribution has chosen its level
    set(level 3)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
      set(level 2)
    endif()
    target_compile_options(orch_flags INTERFACE
      $<${optimized}:-U_FORTIFY_SOURCE> $<${optimized}:-D_FORTIFY_SOURCE=${level}>)
  endif()

  # What is built anywhere is the same, and says nothing of where. A debugger finds the sources when it
  # is started in the project's folder.
  target_compile_options(orch_flags INTERFACE
    $<${optimized}:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>
    $<${optimized}:-ffile-prefix-map=${PROJECT_BINARY_DIR}=build>)
endif()

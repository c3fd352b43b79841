# The toolchain of the static program: zig and the libraries that packaging/musl has made in the folder ORCH_MUSL.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ORCH_MUSL ORCH_MUSL_PROCESSOR)
if(NOT ORCH_MUSL_PROCESSOR)
  set(ORCH_MUSL_PROCESSOR x86_64)
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ORCH_MUSL_PROCESSOR})
set(tool ${ORCH_MUSL}/bin/${ORCH_MUSL_PROCESSOR})
set(CMAKE_C_COMPILER ${tool}-cc)
set(CMAKE_CXX_COMPILER ${tool}-c++)
foreach(kind CMAKE CMAKE_C_COMPILER CMAKE_CXX_COMPILER)
  set(${kind}_AR ${tool}-ar)
  set(${kind}_RANLIB ${tool}-ranlib)
endforeach()
find_program(CMAKE_STRIP ${ORCH_MUSL_PROCESSOR}-linux-gnu-strip)

set(prefix ${ORCH_MUSL}/${ORCH_MUSL_PROCESSOR})
set(CMAKE_FIND_ROOT_PATH ${prefix})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${prefix}/lib/pkgconfig)

# spdlog calls fstat64, which musl has under this name alone. The code has no frame pointers, and the program names no
# place where it was built.
set(CMAKE_C_FLAGS_INIT "-fomit-frame-pointer -ffile-prefix-map=${ORCH_MUSL}/=")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT} -D_LARGEFILE64_SOURCE")

# What orch writes itself when it is built (cmake/orch_install.cmake) it can write here, too.
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL ORCH_MUSL_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/env)
else()
  find_program(EMULATOR NAMES qemu-${ORCH_MUSL_PROCESSOR} qemu-${ORCH_MUSL_PROCESSOR}-static)
  if(EMULATOR)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${EMULATOR})
  endif()
endif()

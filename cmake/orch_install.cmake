# What `cmake --install` brings: the program, its manual pages, its completions for three shells, and the
# documents. `cmake --build BUILD --target uninstall` takes away again what it brought.
include(GNUInstallDirs)
set(ORCH_BASH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/bash-completion/completions CACHE STRING
  "The folder for the completion script of bash")
set(ORCH_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
  "The folder for the completion script of zsh; of Debian's packages: share/zsh/vendor-completions")
set(ORCH_FISH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d CACHE STRING
  "The folder for the completion script of fish")

install(TARGETS orch COMPONENT orch)
install(FILES README.md LICENSE CHANGELOG.md TYPE DOC COMPONENT orch)
install(DIRECTORY docs TYPE DOC COMPONENT orch)  # beside README, whose links lead there

# orch itself writes its manual pages and its completions, of the commands and options that it has. Where
# it is built for another processor, an emulator has to run it.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  set(run_orch ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:orch>)
  add_custom_command(OUTPUT ${manual}/made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
    COMMAND ${run_orch} internal manual ${manual}/man1
    COMMAND ${run_orch} completion bash >${manual}/orch
    COMMAND ${run_orch} completion zsh >${manual}/_orch
    COMMAND ${run_orch} completion fish >${manual}/orch.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${manual}/made
    DEPENDS orch COMMENT "Writing the manual pages and completions")
  add_custom_target(orch_manual ALL DEPENDS ${manual}/made)
  install(DIRECTORY ${manual}/man1 TYPE MAN COMPONENT orch)
  install(FILES ${manual}/orch DESTINATION ${ORCH_BASH_COMPLETIONS} COMPONENT orch)
  install(FILES ${manual}/_orch DESTINATION ${ORCH_ZSH_COMPLETIONS} COMPONENT orch)
  install(FILES ${manual}/orch.fish DESTINATION ${ORCH_FISH_COMPLETIONS} COMPONENT orch)
endif()

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Removing what was installed")
endif()

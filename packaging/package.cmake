# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and the Debian package (`cpack --config CPackConfig.cmake` in the build folder). Included by the top CMakeLists.txt after all programs.
include(GNUInstallDirs)
install(TARGETS mantissa)
include(${CMAKE_CURRENT_LIST_DIR}/wheel/older_symbols.cmake)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/engine/attach/probe ${CMAKE_SOURCE_DIR}/resources/watch DESTINATION ${CMAKE_INSTALL_DATADIR}/mantissa
  PATTERN __pycache__ EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/resources/data/opticks.txt ${CMAKE_SOURCE_DIR}/resources/data/digits.csv.gz
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mantissa/data)  # which the examples read
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/guide DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/resources/data/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME data-credits.md)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(MANTISSA_BUILD_GUI)
  install(TARGETS mantissa-lab)  # looks for the engine beside itself
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/mantissa-lab.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/mantissa-lab.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
  install(FILES ${CMAKE_SOURCE_DIR}/resources/icons/mantissa-lab.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/mantissa-lab.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME mantissa-lab.xml)
  install(FILES ${CMAKE_SOURCE_DIR}/resources/icons/application-x-mantissa-recording.svg
    DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/mimetypes)
endif()

# What packaging/manual writes, in the folders where Debian's shells and man look. Debian wants pages and changelog packed, without a time.
add_subdirectory(packaging/manual)
if(TARGET manual)
  find_program(GZIP_PROGRAM gzip REQUIRED)
  set(packed changelog.gz mantissa.1.gz)
  set(pages ${CMAKE_BINARY_DIR}/manual/mantissa.1)
  if(MANTISSA_BUILD_GUI)
    list(APPEND packed mantissa-lab.1.gz)
    list(APPEND pages ${CMAKE_BINARY_DIR}/manual/mantissa-lab.1)
  endif()
  list(TRANSFORM packed PREPEND ${CMAKE_BINARY_DIR}/manual/)
  add_custom_command(OUTPUT ${packed}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_LIST_DIR}/changelog ${CMAKE_BINARY_DIR}/manual/changelog
    COMMAND ${GZIP_PROGRAM} -9nkf ${CMAKE_BINARY_DIR}/manual/changelog ${pages}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/changelog ${pages} VERBATIM)
  add_custom_target(packed_manual ALL DEPENDS ${packed})
  add_dependencies(packed_manual manual)
  list(POP_FRONT packed changelog)
  install(FILES ${changelog} DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES ${packed} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${CMAKE_BINARY_DIR}/manual/mantissa.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME mantissa)
  install(FILES ${CMAKE_BINARY_DIR}/manual/_mantissa DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${CMAKE_BINARY_DIR}/manual/mantissa.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mantissa)
set(CPACK_PACKAGE_CONTACT "Mantissa's maintainers <mantissa@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Precision lab: train the same network in several number formats")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# whatever the umask of who builds
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Mantissa trains one model in FP32, TF32, FP16, BF16 and FP8 at once, each
exactly as its format stores and rounds, and shows what the format does to the
loss, the loss scale, skipped steps and memory, and where every Inf and NaN was
born.
.
mantissa-lab is the window, mantissa the same lab on the command line. Any CPU
will do; no GPU is needed.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-noto-core | fonts-dejavu-core, fonts-noto-cjk, qt6-translations-l10n, qt6-wayland")
if(TARGET mantissa_cuda)  # a package of its own: NVIDIA's libraries, which it needs, are none of Debian's
  install(TARGETS mantissa_cuda LIBRARY DESTINATION lib/mantissa COMPONENT cuda)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_ALL Unspecified cuda)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME mantissa)
  set(CPACK_COMPONENT_UNSPECIFIED_DESCRIPTION "${CPACK_DEBIAN_PACKAGE_DESCRIPTION}")
  set(CPACK_DEBIAN_CUDA_PACKAGE_NAME mantissa-cuda)
  set(CPACK_DEBIAN_CUDA_DESCRIPTION "Precision lab: training on NVIDIA GPUs
The module that Mantissa's engine loads where there is an NVIDIA GPU of
capability 8.0 or newer. It needs NVIDIA's driver, cuBLASLt ${CUDAToolkit_VERSION_MAJOR} and cuDNN 9,
from NVIDIA's own archive; where they are missing, 'mantissa devices' says so.")
  set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "mantissa (= ${PROJECT_VERSION}), libc6, libstdc++6")
  set(CPACK_DEBIAN_CUDA_PACKAGE_RECOMMENDS "libcublas-${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR} | libcublas, libcudnn9-cuda-${CUDAToolkit_VERSION_MAJOR}")
endif()
include(CPack)

# SPDX-License-Identifier: Apache-2.0
# Included by packaging/package.cmake. What older_symbols.cpp is for stands there; packaging/wheel/build.py turns the option on.
option(MANTISSA_OLDER_LIBSTDCXX "Link the programs so that libstdc++ of GCC 11 is enough to run them" OFF)
if(MANTISSA_OLDER_LIBSTDCXX)
  foreach(program mantissa mantissa-lab)
    if(TARGET ${program})
      target_sources(${program} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/older_symbols.cpp)
      target_link_options(${program} PRIVATE -Wl,--wrap=_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)
    endif()
  endforeach()
endif()

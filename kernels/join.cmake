# Writes all kernel sources into one text that needs no includes: what nvcc compiles and what NVRTC gets on a host.
# cmake -DFOLDER=… -DOUT=… -P join.cmake
cmake_minimum_required(VERSION 3.25)
set(text "")
set(taken "")

# A source after those that it includes.
function(take name)
  if(name IN_LIST taken)
    return()
  endif()
  list(APPEND taken ${name})
  file(READ ${FOLDER}/${name} source)
  string(REGEX MATCHALL "#include \"kernels/[a-z0-9_]+\\.hpp\"" includes "${source}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*kernels/(.*)\"" "\\1" other "${include}")
    take(${other})
  endforeach()
  string(REGEX REPLACE "#(include|pragma once)[^\n]*" "" source "${source}")
  set(text "${text}#line 1 \"kernels/${name}\"\n${source}" PARENT_SCOPE)
  set(taken "${taken}" PARENT_SCOPE)
endfunction()

file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/*.hpp)
list(REMOVE_ITEM sources kernel.hpp images.hpp)  # the host's side
list(SORT sources)
foreach(source IN LISTS sources)
  take(${source})
endforeach()
file(CONFIGURE OUTPUT ${OUT} CONTENT "@text@" @ONLY)  # leaves an equal file alone

# SPDX-License-Identifier: MIT
#
# What this machine has, and how a program is built. The suite includes it once for all folders; a chapter that is
# built alone includes it itself, and then has no tests on simulated devices.
include_guard(GLOBAL)

option(WITH_CUDA "Build the CUDA programs, if nvcc is there" ON)
option(REQUIRE_DEVICES "A test on a missing device fails instead of being skipped" OFF)
set(OPENCL_TEST_DEVICES "" CACHE STRING "What the OpenCL tests give to --device, one round each")
set(GPU_TIMING_WARNINGS "-Wall;-Wextra" CACHE STRING "Warnings of the C compiler")
find_program(NVIDIA_SMI nvidia-smi)
if(NVIDIA_SMI)
  execute_process(COMMAND ${NVIDIA_SMI} -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
endif()
set(architectures all-major) # for a GPU that is not here
if(NVIDIA_SMI AND no_gpu EQUAL 0)
  set(architectures native)
endif()
set(GPU_ARCHITECTURES ${architectures} CACHE STRING "What nvcc's -arch= gets")

set(has_host ON)
find_package(Threads REQUIRED)
find_package(OpenCL)
set(has_opencl ${OpenCL_FOUND})
set(wants_opencl "OpenCL (Debian: ocl-icd-opencl-dev, pocl-opencl-icd)")
set(wants_cuda "the CUDA Toolkit, 11.8 or later (from NVIDIA's packages)")
if(WITH_CUDA)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER) # ask again each time; and in the toolkit's own place, often not in PATH
    unset(CMAKE_CUDA_COMPILER CACHE)
    find_program(nvcc nvcc HINTS /usr/local/cuda/bin NO_CACHE)
    if(nvcc AND NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${nvcc})
    endif()
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES OFF) # see GPU_ARCHITECTURES
    enable_language(CUDA)
    set(has_cuda ON)
  endif()
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
get_filename_component(SUITE ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
include_directories(${CMAKE_CURRENT_LIST_DIR})
link_libraries(Threads::Threads m ${CMAKE_DL_LIBS})
enable_testing()
add_custom_target(programs) # each program of this machine's devices
add_custom_target(tests) # what only tests run; all: the chapters' programs, and the simulated ones that the tour runs
if(CMAKE_SOURCE_DIR STREQUAL SUITE)
  include(${SUITE}/simulator/simulator.cmake) # add_simulated()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/test/live.cmake) # add_live()

# build(host|opencl|cuda name source): an executable, in its own folder, if this machine has what it needs. Target `all`
# has it only as a chapter's program.
function(build needs name source)
  if(NOT has_${needs})
    set_property(GLOBAL APPEND_STRING PROPERTY left_out_${needs} " ${name}")
    return()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  add_dependencies(programs ${name})
  add_dependencies(tests ${name})
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:C>:${GPU_TIMING_WARNINGS}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-arch=${GPU_ARCHITECTURES};-Xcompiler=-Wall,-Wextra>")
  set_target_properties(${name} PROPERTIES LABELS ${needs})
  if(needs STREQUAL opencl)
    target_link_libraries(${name} PRIVATE OpenCL::OpenCL)
    target_compile_definitions(${name} PRIVATE KERNEL_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
endfunction()

function(build_by_default target)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endfunction()

# add_minimal(host|opencl|cuda minimal.c|.cu): a chapter's first page, which takes no options.
function(add_minimal needs source)
  cmake_path(GET source STEM program)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  string(SUBSTRING ${folder} 0 3 prefix)
  set(name ${prefix}${needs}_${program})
  if(COMMAND add_simulated)
    add_simulated(${needs} ${source} ${prefix}${needs}_)
  endif()
  build(${needs} ${name} ${source})
  build_by_default(${name})
  add_live(${name} sane sh ${SUITE}/common/test/sane.sh
    ${CMAKE_CURRENT_SOURCE_DIR}/test/sane.awk $<TARGET_FILE:${name}>)
  if(TARGET ${name} AND NOT REQUIRE_DEVICES)
    set_tests_properties(${name}.sane PROPERTIES SKIP_REGULAR_EXPRESSION
      "no driver.. failed: error -1001|no device.. failed: error -1[^0-9]|no CUDA-capable|version is insufficient")
  endif()
endfunction()

# add_program(host|opencl|cuda program.c|.cu [options]): a program, what it prints on simulated devices, and
# with the options what test/sane.awk asks of its record on this machine.
function(add_program needs source)
  cmake_path(GET source STEM name)
  file(RELATIVE_PATH folder ${SUITE} ${CMAKE_CURRENT_SOURCE_DIR})
  get_property(before GLOBAL PROPERTY programs)
  set_property(GLOBAL APPEND_STRING PROPERTY programs "${needs} ${folder}/${name}\n")
  set_property(GLOBAL APPEND PROPERTY sources_${needs} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  if(COMMAND add_simulated)
    add_simulated(${needs} ${source})
    add_bad_input(${needs} ${name})
    if(NOT needs STREQUAL cuda OR (NOT architectures STREQUAL native AND NOT before MATCHES "cuda ${folder}/"))
      build_by_default(simulated_${name}) # texts and `check` need those in C; the tour, a chapter's first one in CUDA
    endif()
  endif()
  build(${needs} ${name} ${source})
  build_by_default(${name})
  add_live_everywhere(${name} sane --device sh ${SUITE}/common/test/sane.sh
    ${CMAKE_CURRENT_SOURCE_DIR}/test/sane.awk $<TARGET_FILE:${name}> ${ARGN})
endfunction()

# At the end: what is left out, and the programs in reading order for the scripts.
function(finish)
  foreach(needs opencl cuda)
    get_property(left_out GLOBAL PROPERTY left_out_${needs})
    if(left_out)
      message(STATUS "Left out, because they need ${wants_${needs}}:${left_out}")
    endif()
  endforeach()
  get_property(programs GLOBAL PROPERTY programs)
  file(WRITE ${CMAKE_BINARY_DIR}/programs.txt "${programs}")
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL finish)

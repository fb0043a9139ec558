# SPDX-License-Identifier: MIT
#
# How a program is built and tested: on simulated devices, and on this machine.

include(common/test/simulated.cmake) # add_simulated()

set(GPU_ARCHITECTURES "all-major" CACHE STRING "What nvcc's -arch= gets; all-major: no driver has to compile a kernel")
add_custom_target(programs) # all but the tests' own

# build(needs name source): an executable, in its chapter's folder, if this machine has what it needs.
function(build needs name source)
  if(NOT has_${needs})
    set_property(GLOBAL APPEND_STRING PROPERTY left_out_${needs} " ${name}")
    return()
  endif()
  cmake_path(GET source PARENT_PATH folder)
  add_executable(${name} ${source})
  add_dependencies(programs ${name})
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:C>:${GPU_TIMING_WARNINGS}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-arch=${GPU_ARCHITECTURES};-Xcompiler=-Wall,-Wextra>")
  set_target_properties(${name} PROPERTIES LABELS ${needs} RUNTIME_OUTPUT_DIRECTORY ${folder})
  if(needs STREQUAL opencl)
    target_link_libraries(${name} PRIVATE OpenCL::OpenCL)
    target_compile_definitions(${name} PRIVATE KERNEL_DIR="${CMAKE_SOURCE_DIR}/${folder}" SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  endif()
endfunction()

# add_live(name test command...): a test on this machine, if the program is built. One at a time, or
# they would time each other; 77 says that a device is missing.
function(add_live name test)
  if(TARGET ${name})
    get_target_property(needs ${name} LABELS)
    add_test(NAME ${name}.${test} COMMAND ${ARGN})
    set_tests_properties(${name}.${test} PROPERTIES LABELS ${needs} RUN_SERIAL ON TIMEOUT 300)
    if(NOT REQUIRE_DEVICES)
      set_tests_properties(${name}.${test} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
  endif()
endfunction()

# add_live_everywhere(name test option command...): one test for each of OPENCL_TEST_DEVICES, which the
# command takes behind `option`.
function(add_live_everywhere name test option)
  set(needs) # the caller has one of its own, which is seen here
  if(TARGET ${name} AND OPENCL_TEST_DEVICES)
    get_target_property(needs ${name} LABELS)
  endif()
  if(needs STREQUAL opencl)
    foreach(device IN LISTS OPENCL_TEST_DEVICES)
      add_live(${name} ${test}.${device} ${ARGN} ${option} ${device})
    endforeach()
  else()
    add_live(${name} ${test} ${ARGN})
  endif()
endfunction()

# add_program(host|opencl|cuda folder/program.c|.cu [options]): a program, what it prints on simulated
# devices, and with the options what folder/test/program.awk asks of its CSV on this machine.
function(add_program needs source)
  cmake_path(GET source STEM name)
  cmake_path(GET source PARENT_PATH folder)
  add_simulated(${source})
  build(${needs} ${name} ${source})
  add_live_everywhere(${name} sane --device sh ${CMAKE_SOURCE_DIR}/common/test/sane.sh
    ${CMAKE_SOURCE_DIR}/${folder}/test/${name}.awk $<TARGET_FILE:${name}> ${ARGN})
endfunction()

# add_minimal(host|opencl|cuda folder/minimal.c|.cu): a chapter's first page, which takes no options.
function(add_minimal needs source)
  string(SUBSTRING ${source} 0 3 prefix)
  set(name ${prefix}${needs}_minimal)
  add_simulated(${source} ${prefix}${needs}_)
  build(${needs} ${name} ${source})
  add_live(${name} runs ${name})
  if(TARGET ${name} AND NOT REQUIRE_DEVICES)
    set_tests_properties(${name}.runs PROPERTIES SKIP_REGULAR_EXPRESSION
      "no driver|no device|no CUDA-capable device|driver version is insufficient")
  endif()
endfunction()

# The machine code of the CUDA kernels, which a machine without a GPU cannot run.
find_program(NVDISASM nvdisasm HINTS /usr/local/cuda/bin ${CMAKE_SOURCE_DIR}/build/nvdisasm/nvidia/cu13/bin)
if(Python3_FOUND AND has_cuda AND NVDISASM)
  add_test(NAME machine_code COMMAND Python3::Interpreter
    ${CMAKE_SOURCE_DIR}/common/test/read_sass.py ${NVDISASM} ${CMAKE_CUDA_COMPILER})
  set_tests_properties(machine_code PROPERTIES LABELS simulated SKIP_RETURN_CODE 77)
endif()

# fit_to_measure, with a /proc and a /sys of its own below `root`, and with NVML in the folders `new` and
# `old`, where its test runs; it looks every 2 ms.
function(add_fit_to_measure source)
  set(there ${CMAKE_BINARY_DIR}/simulated/bin/${source})
  add_executable(simulated_fit_to_measure ${source})
  target_compile_definitions(simulated_fit_to_measure PRIVATE ROOT="root" INTERVAL_MS=6)
  set_target_properties(simulated_fit_to_measure PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${there}
    OUTPUT_NAME fit_to_measure)
  foreach(age new old)
    add_library(nvml_${age} SHARED common/test/fake_nvml.c)
    set_target_properties(nvml_${age} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${there}/${age}
      PREFIX lib OUTPUT_NAME nvidia-ml SUFFIX .so.1)
  endforeach()
  target_compile_definitions(nvml_old PRIVATE OLD)
  add_test(NAME fit_to_measure.simulated COMMAND sh ${CMAKE_SOURCE_DIR}/common/test/simulated.sh
    ${CMAKE_SOURCE_DIR}/06_warmup/test/expected/fit_to_measure.txt $<TARGET_FILE:simulated_fit_to_measure>)
  set_tests_properties(fit_to_measure.simulated PROPERTIES LABELS simulated TIMEOUT 120)
endfunction()

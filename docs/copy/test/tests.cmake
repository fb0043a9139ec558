# SPDX-License-Identifier: MIT
#
# The files to copy stand alone, and check their own result and clock.

add_simulated(opencl recipe.c opencl_)
add_simulated(cuda recipe.cu cuda_)
add_simulated(opencl compare.c opencl_)
add_simulated(cuda compare.cu cuda_)
foreach(program recipe compare) # small ones; the last block of the recipe is not full
  foreach(api opencl cuda)
    if(TARGET simulated_${api}_${program})
      target_compile_definitions(simulated_${api}_${program} PRIVATE
        N=$<IF:$<STREQUAL:${program},recipe>,20000,512> STEPS_A=200 STEPS_B=300)
    endif()
  endforeach()
endforeach()
add_test(NAME compare_processes.simulated COMMAND sh ${SUITE}/common/test/simulated.sh
  ${CMAKE_CURRENT_SOURCE_DIR}/test/compare_processes.txt ${CMAKE_CURRENT_SOURCE_DIR}/compare_processes.sh)
set_tests_properties(compare_processes.simulated PROPERTIES LABELS simulated
  ENVIRONMENT COMPARE=$<TARGET_FILE:simulated_cuda_compare>)

# fit_to_measure, with a /proc and a /sys of its own below `root`, and with NVML in the folders `new` and
# `old`, where its test runs; it looks every 2 ms.
set(there ${CMAKE_BINARY_DIR}/simulated/bin)
add_executable(simulated_fit_to_measure fit_to_measure.c)
target_compile_definitions(simulated_fit_to_measure PRIVATE ROOT="root" INTERVAL_MS=6)
set_target_properties(simulated_fit_to_measure PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${there}/docs/copy
  OUTPUT_NAME fit_to_measure)
foreach(age new old)
  add_library(nvml_${age} SHARED test/fake_nvml.c)
  set_target_properties(nvml_${age} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${there}/${age}
    PREFIX lib OUTPUT_NAME nvidia-ml SUFFIX .so.1)
endforeach()
target_compile_definitions(nvml_old PRIVATE OLD)
add_test(NAME fit_to_measure.simulated COMMAND sh ${SUITE}/common/test/simulated.sh
  ${SUITE}/docs/copy/test/fit_to_measure.txt $<TARGET_FILE:simulated_fit_to_measure>)
set_tests_properties(fit_to_measure.simulated PROPERTIES LABELS simulated TIMEOUT 120)
add_live(fit_to_measure sees_a_busy_loop sh ${CMAKE_CURRENT_SOURCE_DIR}/test/busy_loop.sh $<TARGET_FILE:fit_to_measure>)

build(host compare_test test/compare_test.c)
build(host compare_simulation test/compare_simulation.c)
add_live(compare_test holds sh -c
  "\"$0\" | grep -A 6 'Disturbed: for 3 of 8' | grep -A 4 'take some 3500 s' | grep 'More than an hour'"
  $<TARGET_FILE:compare_test>)
add_live(compare_simulation holds sh -c "\"$0\" --runs 2000 --csv | awk -f \"$1\"" $<TARGET_FILE:compare_simulation>
  ${CMAKE_CURRENT_SOURCE_DIR}/test/compare_simulation.awk)

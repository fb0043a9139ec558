# SPDX-License-Identifier: MIT
#
# The tests on this machine.

# add_live(name test command...): a test on this machine, if the program is built. One at a time on the GPU and one on
# the processor, or they would time each other; and with three cores for itself, so on a small machine nothing runs
# beside it, unless the test asks for no time, but whether a program ends well or its results are right. Beside a GPU, PoCL
# leaves cores to the host. 77 says that a device is missing, or disturbed each time.
function(add_live name test)
  if(TARGET ${name})
    get_target_property(needs ${name} LABELS)
    add_test(NAME ${name}.${test} COMMAND ${ARGN})
    set(where processor)
    if(needs STREQUAL cuda OR ARGN MATCHES NVIDIA OR (needs STREQUAL opencl AND REQUIRE_DEVICES AND NOT
        ARGN MATCHES Portable))
      set(where gpu)
    endif()
    set_tests_properties(${name}.${test} PROPERTIES LABELS ${needs} RESOURCE_LOCK ${where} PROCESSORS 3 COST 10
      TIMEOUT 300)
    if(test MATCHES "^(holds|results|ends_as_the_command|some_numbers_of_threads)")
      set_tests_properties(${name}.${test} PROPERTIES PROCESSORS 1)
    endif()
    if(REQUIRE_DEVICES)
      set_tests_properties(${name}.${test} PROPERTIES
        ENVIRONMENT "POCL_MAX_PTHREAD_COUNT=4;POCL_CPU_MAX_CU_COUNT=4") # its name of before and of now
    else()
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

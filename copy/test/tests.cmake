# SPDX-License-Identifier: MIT
#
# The files to copy stand alone, and check their own result and clock.

# Red: recipe prints another number than before, believes wrong stamps, or has a mark less; compare names the wrong one.
add_simulated(opencl recipe.c opencl_)
add_simulated(cuda recipe.cu cuda_)
add_simulated(opencl compare.c opencl_)
add_simulated(cuda compare.cu cuda_)
# Small ones: the last block of recipe is not full.
set(small_recipe "RCP_COLD_BYTES=(2 << 20)")
set(small_compare CMP_LONGEST_ROW=8)
set(N_recipe N=5000)
set(N_compare N=512 STEPS_A=200 STEPS_B=300)
foreach(program recipe compare)
  if(TARGET simulated_opencl_${program})
    target_compile_definitions(simulated_opencl_${program} PRIVATE ${small_${program}} ${N_${program}})
  endif()
  if(TARGET simulated_cuda_${program})
    set_property(TARGET simulated_cuda_${program} PROPERTY DEFINES ${small_${program}} ${N_${program}})
  endif()
endforeach()
foreach(api opencl cuda)
  if(TARGET simulated_${api}_compare)
    set_tests_properties(${api}_compare.simulated ${api}_recipe.simulated PROPERTIES COST 9 TIMEOUT 400)
  endif()
endforeach()

# Red: a launch that lies about its work gets a number, or an honest one gets none.
# The files to copy with launches that lie and honest ones in place of their own part: copy/liars/cuda_recipe, ...
function(add_liars api program macro)
  set(from simulated_${api}_${program})
  file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${program}.c text)
  if(NOT TARGET ${from} OR NOT text MATCHES "ifdef ${macro}")
    return()
  endif()
  if(api STREQUAL cuda)
    build_by_simcc(${from}_liars copy/${program}.cu copy/liars cuda_${program})
    set_property(TARGET ${from}_liars PROPERTY DEFINES ${small_${program}} ${macro}="test/liars.cu" SIZE=6000)
    return()
  endif()
  add_executable(${from}_liars EXCLUDE_FROM_ALL)
  add_dependencies(tests ${from}_liars)
  foreach(property SOURCES COMPILE_OPTIONS INCLUDE_DIRECTORIES LINK_LIBRARIES)
    get_target_property(value ${from} ${property})
    set_target_properties(${from}_liars PROPERTIES ${property} "${value}")
  endforeach()
  target_include_directories(${from}_liars PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/test) # liars.h, as it stands
  target_compile_definitions(${from}_liars PRIVATE ${small_${program}} SIZE=6000
    ${macro}="${CMAKE_BINARY_DIR}/simulated/c/copy/test/liars.c")
  target_sources(${from}_liars PRIVATE $<TARGET_OBJECTS:simulated_liars_kernels>)
  set_target_properties(${from}_liars PROPERTIES ENABLE_EXPORTS ON OUTPUT_NAME ${api}_${program}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/simulated/bin/copy/liars)
endfunction()
if(TARGET simulated_opencl_recipe)
  rewrite_text(copy/test/liars.c)
  add_library(simulated_liars_kernels OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/simulated/copy/test/liars.cl.c)
  target_include_directories(simulated_liars_kernels PRIVATE ${simulator})
  target_compile_options(simulated_liars_kernels PRIVATE -include opencl_c.h)
endif()
foreach(api opencl cuda)
  string(REPLACE opencl c api_ending ${api})
  string(REPLACE cuda cu api_ending ${api_ending})
  add_liars(${api} recipe TIMED)
  add_liars(${api} compare COMPARED)
  build(${api} recipe_liars_${api} recipe.${api_ending})
  build(${api} compare_liars_${api} compare.${api_ending})
  if(TARGET recipe_liars_${api})
    target_compile_definitions(recipe_liars_${api} PRIVATE SIZE=500000 TIMED="test/liars.${api_ending}")
    target_compile_definitions(compare_liars_${api} PRIVATE SIZE=500000 COMPARED="test/liars.${api_ending}")
  endif()
  set(at_once 4) # each waits more than it works
  if(api STREQUAL cuda OR REQUIRE_DEVICES) # one GPU
    set(at_once 1)
  endif()
  set(liars sh ${CMAKE_CURRENT_SOURCE_DIR}/test/liars.sh ${at_once})
  # Red: so on this machine's driver, whose queues and clocks are no model's.
  add_live(recipe_liars_${api} are_refused ${liars} $<TARGET_FILE:recipe_liars_${api}>)
  add_live(compare_liars_${api} are_refused ${liars} $<TARGET_FILE:compare_liars_${api}> 0.05 --processes 1)
  if(TARGET simulated_${api}_recipe_liars)
    add_test(NAME ${api}_liars.simulated COMMAND sh ${SUITE}/simulator/transcript.sh
      ${SUITE}/copy/test/${api}_liars.txt ${CMAKE_BINARY_DIR}/simulated/bin/copy/liars)
    set_tests_properties(${api}_liars.simulated PROPERTIES LABELS simulated TIMEOUT 300 COST 8 SKIP_RETURN_CODE 77) # long ones start first
  endif()
endforeach()

if(Python3_FOUND) # red: recipe's median or mark is another one than compare's
  add_test(NAME copy.same COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/test/same.py)
  set_tests_properties(copy.same PROPERTIES LABELS simulated)
endif()

build(host compare_test test/compare_test.c)
add_live(compare_test holds compare_test) # red: a wrong median, interval, step or mark
# Red: several processes or candidates give another verdict, or one that failed is taken for one that measured.
add_test(NAME compare_processes.simulated COMMAND sh ${SUITE}/simulator/transcript.sh
  ${CMAKE_CURRENT_SOURCE_DIR}/test/compare_processes.txt $<TARGET_FILE:compare_test>)
set_tests_properties(compare_processes.simulated PROPERTIES LABELS simulated SKIP_RETURN_CODE 77)

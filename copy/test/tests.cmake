# SPDX-License-Identifier: MIT
#
# The files to copy stand alone, and check their own result and clock.

# Red: recipe prints another number than before, believes wrong stamps, or has a mark less.
add_simulated(opencl recipe.c opencl_)
add_simulated(cuda recipe.cu cuda_)
if(TARGET simulated_opencl_recipe)
  target_compile_definitions(simulated_opencl_recipe PRIVATE N=5000 "RCP_COLD_BYTES=(2 << 20)") # the last block is not full
endif()
if(TARGET simulated_cuda_recipe)
  set_property(TARGET simulated_cuda_recipe PROPERTY DEFINES N=5000)
endif()

# Red: a launch that lies about its work gets a number, or an honest one gets none; compare's verdict, exit code or mark is
# another one.
if(TARGET simulated_cuda_recipe)
  set(small -DSIZE=512)
  set(shared ${small} -shared -Xcompiler -fPIC,-fno-gnu-unique)
  build_by_simcc(simulated_compare copy/compare.cu copy/cuda_ compare)
  build_by_simcc(simulated_recipe_parts copy/recipe.cu copy/cuda_ recipe_parts ${small} -DTIMED="test/parts.cu")
  build_by_simcc(simulated_A copy/test/parts.cu copy/cuda_ A.so ${shared} -DSIDE="A")
  build_by_simcc(simulated_B copy/test/parts.cu copy/cuda_ B.so ${shared} -DSIDE="B")
  build_by_simcc(simulated_unique copy/test/parts.cu copy/cuda_ unique.so ${small} -shared -Xcompiler -fPIC -DSIDE="B")
  add_test(NAME cuda_compare.simulated COMMAND sh ${SUITE}/simulator/transcript.sh
    ${SUITE}/copy/test/cuda_compare.txt ${CMAKE_BINARY_DIR}/simulated/bin/copy/cuda_)
  set_tests_properties(cuda_compare.simulated PROPERTIES LABELS simulated TIMEOUT 300 COST 8)
endif()
if(TARGET simulated_opencl_recipe)
  rewrite_text(copy/test/liars.c)
  add_library(simulated_liars_kernels OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/simulated/copy/test/liars.cl.c)
  target_include_directories(simulated_liars_kernels PRIVATE ${simulator})
  target_compile_options(simulated_liars_kernels PRIVATE -include opencl_c.h)
  add_executable(simulated_opencl_liars EXCLUDE_FROM_ALL)
  add_dependencies(tests simulated_opencl_liars)
  foreach(property SOURCES COMPILE_OPTIONS INCLUDE_DIRECTORIES LINK_LIBRARIES)
    get_target_property(value simulated_opencl_recipe ${property})
    set_target_properties(simulated_opencl_liars PROPERTIES ${property} "${value}")
  endforeach()
  target_compile_definitions(simulated_opencl_liars PRIVATE "RCP_COLD_BYTES=(2 << 20)" SIZE=6000
    TIMED="${CMAKE_BINARY_DIR}/simulated/c/copy/test/liars.c")
  target_sources(simulated_opencl_liars PRIVATE $<TARGET_OBJECTS:simulated_liars_kernels>)
  set_target_properties(simulated_opencl_liars PROPERTIES ENABLE_EXPORTS ON OUTPUT_NAME recipe_liars
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/simulated/bin/copy/opencl_)
  add_test(NAME opencl_liars.simulated COMMAND sh ${SUITE}/simulator/transcript.sh
    ${SUITE}/copy/test/opencl_liars.txt ${CMAKE_BINARY_DIR}/simulated/bin/copy/opencl_/recipe_liars)
  set_tests_properties(opencl_liars.simulated PROPERTIES LABELS simulated TIMEOUT 300 COST 8)
endif()

# Red: so on this machine's driver, whose queues and clocks are no model's.
build(opencl liars_opencl recipe.c)
build(cuda liars_cuda recipe.cu)
set(at_once 4) # each waits more than it works
if(REQUIRE_DEVICES) # one GPU
  set(at_once 1)
endif()
set(liars sh ${CMAKE_CURRENT_SOURCE_DIR}/test/liars.sh)
if(TARGET liars_opencl)
  target_compile_definitions(liars_opencl PRIVATE SIZE=500000 TIMED="test/liars.c")
endif()
add_live(liars_opencl are_refused ${liars} ${at_once} LIE $<TARGET_FILE:liars_opencl>)
if(TARGET liars_cuda)
  target_compile_definitions(liars_cuda PRIVATE TIMED="test/parts.cu")
  foreach(side A B)
    add_library(parts_${side} MODULE EXCLUDE_FROM_ALL test/parts.cu)
    add_dependencies(tests parts_${side})
    target_compile_definitions(parts_${side} PRIVATE SIDE="${side}")
    target_compile_options(parts_${side} PRIVATE -arch=${GPU_ARCHITECTURES} -Xcompiler=-fPIC,-fno-gnu-unique)
  endforeach()
  add_live(liars_cuda are_refused ${liars} 1 PART $<TARGET_FILE:liars_cuda>)
  add_live(compare_cuda are_refused ${CMAKE_COMMAND} -E env A=plain ${liars} 1 B $<TARGET_FILE:compare_cuda>
    $<TARGET_FILE:parts_A> $<TARGET_FILE:parts_B> --seconds 0.1 --processes 6)
endif()

# SPDX-License-Identifier: MIT
#
# The simulated machine, the programs linked with it, and their tests. See README.md.

set(simulator ${CMAKE_CURRENT_LIST_DIR})

# No sanitizer follows a jump from stack to stack.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fcf-protection=none has_cf) # machine.c fills in a jump buffer itself
set(traps) # what is not set shows, what goes too far ends the program
foreach(flags -ftrivial-auto-var-init=pattern
    "-fsanitize=bounds,signed-integer-overflow,shift -fsanitize-undefined-trap-on-error")
  string(MAKE_C_IDENTIFIER "has${flags}" has)
  check_c_compiler_flag("${flags}" ${has})
  if(${has})
    separate_arguments(flags)
    list(APPEND traps ${flags})
  endif()
endforeach()
add_library(simulated STATIC ${simulator}/machine.c ${simulator}/times.c ${simulator}/faults.c)
target_compile_options(simulated PRIVATE ${GPU_TIMING_WARNINGS} -fno-sanitize=all
  $<$<BOOL:${has_cf}>:-fcf-protection=none>)
find_path(OPENCL_HEADERS CL/cl.h HINTS ${OpenCL_INCLUDE_DIRS})
if(OPENCL_HEADERS)
  add_library(simulated_opencl STATIC ${simulator}/opencl.c)
  target_include_directories(simulated_opencl PUBLIC ${OPENCL_HEADERS})
  target_compile_options(simulated_opencl PRIVATE ${GPU_TIMING_WARNINGS})
  target_link_libraries(simulated_opencl PUBLIC simulated ${CMAKE_DL_LIBS})
endif()

# What is not C becomes C, in the same place below build/simulated: CUDA C and OpenCL C by sed, and the OpenCL C that
# stands in a program's text, line by line in quotes. Only what a program of the suite is made of is looked at: in a
# chapter's folder a reader may leave anything.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${simulator}/cuda.sed ${simulator}/text.sed)
function(rewrite source to)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${source})
  get_filename_component(folder ${CMAKE_BINARY_DIR}/simulated/${to} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND sed ${ARGN} ${CMAKE_SOURCE_DIR}/${source} OUTPUT_FILE ${CMAKE_BINARY_DIR}/simulated/new)
  configure_file(${CMAKE_BINARY_DIR}/simulated/new ${CMAKE_BINARY_DIR}/simulated/${to} COPYONLY)
endfunction()
# rewrite_device(FILE): a .cu, .cl or .h of the suite, and the headers that it includes by their place; of those in
# common/ only blocked.h is CUDA C.
function(rewrite_device source)
  get_property(rewritten GLOBAL PROPERTY rewritten)
  if(source IN_LIST rewritten OR NOT EXISTS ${CMAKE_SOURCE_DIR}/${source})
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY rewritten ${source})
  string(REGEX REPLACE "\\.c[lu]$" "\\0.c" to ${source})
  rewrite(${source} ${to} -e "1i\\#line 1 \"${source}\"" -f ${simulator}/cuda.sed)
  file(READ ${CMAKE_SOURCE_DIR}/${source} text)
  string(REGEX MATCHALL "#include \"[^\"]+" headers "${text}")
  foreach(header IN LISTS headers)
    string(REPLACE "#include \"" "" header ${header})
    cmake_path(REPLACE_FILENAME source ${header} OUTPUT_VARIABLE header)
    cmake_path(NORMAL_PATH header)
    rewrite_device(${header})
  endforeach()
endfunction()
rewrite(common/blocked.h common/blocked.h -e "1i\\#line 1 \"common/blocked.h\"" -f ${simulator}/cuda.sed)
# rewrite_text(FILE): a .c that stands alone, and the kernels in its text.
function(rewrite_text source)
  rewrite(${source} c/${source} -e "1i\\#line 1 \"${source}\"")
  rewrite(${source} ${source}l.c -f ${simulator}/text.sed -f ${simulator}/cuda.sed)
endfunction()

# add_simulated(host|opencl|cuda program.c|.cu [prefix]): a folder's program on the simulated device, and the test that
# compares what it prints with test/prefixprogram.txt. The .cl file that an OpenCL program names goes with it, once for
# every clock it knows. A page that stands alone has its kernels in its text.
function(add_simulated needs source)
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  get_filename_component(program ${source} NAME_WE)
  set(source ${folder}/${source})
  set(name ${ARGN}${program})
  set(target simulated_${name})
  set(there ${CMAKE_BINARY_DIR}/simulated)
  if(needs STREQUAL opencl AND NOT OPENCL_HEADERS)
    return()
  endif()
  if(needs STREQUAL cuda)
    rewrite_device(${source})
    add_executable(${target} ${there}/${source}.c)
    target_compile_options(${target} PRIVATE -D_GNU_SOURCE -include cuda_runtime.h)
  else()
    set(kernels)
    if(ARGN) # it stands alone
      rewrite_text(${source})
      add_executable(${target} ${there}/c/${source})
      target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${folder})
      target_compile_options(${target} PRIVATE -Drand=simulated_rand)
      if(needs STREQUAL opencl)
        set(kernels ${there}/${source}l.c)
      endif()
    else()
      add_executable(${target} ${CMAKE_SOURCE_DIR}/${source})
      target_compile_options(${target} PRIVATE -D_GNU_SOURCE= -include machine.h -D__builtin_ia32_rdtsc=simulated_tsc)
      file(STRINGS ${CMAKE_SOURCE_DIR}/${source} names REGEX "\"[a-z_0-9./]+\\.cl\"")
      string(REGEX REPLACE ".*\"([a-z_0-9./]+\\.cl)\".*" "\\1" file "${names}")
      list(LENGTH names count)
      if(count GREATER 1)
        message(FATAL_ERROR "${source} names more than one .cl file: ${names}")
      elseif(count)
        rewrite_device(${folder}/${file})
        set(kernels ${there}/${folder}/${file}.c)
      endif()
    endif()
    if(needs STREQUAL opencl)
      target_link_libraries(${target} PRIVATE simulated_opencl)
      target_compile_definitions(${target} PRIVATE KERNEL_DIR="${CMAKE_SOURCE_DIR}/${folder}")
    endif()
    if(kernels)
      file(READ ${kernels} text)
      string(REGEX MATCHALL "defined CLOCK_[A-Z]+" clocks "${text}")
      list(REMOVE_DUPLICATES clocks)
      if(NOT clocks OR text MATCHES "#else")
        list(APPEND clocks NONE)
      endif()
      foreach(clock IN LISTS clocks)
        string(REPLACE "defined CLOCK_" "" clock ${clock})
        add_library(${target}_${clock} OBJECT ${kernels})
        target_include_directories(${target}_${clock} PRIVATE ${simulator})
        target_compile_options(${target}_${clock} PRIVATE -include opencl_c.h)
        if(NOT clock STREQUAL "NONE")
          target_compile_definitions(${target}_${clock} PRIVATE PREFIX=${clock} CLOCK_${clock})
        endif()
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${clock}>)
      endforeach()
    endif()
  endif()
  file(STRINGS ${CMAKE_SOURCE_DIR}/${source} pages REGEX "^#ifndef COUNT")
  if(pages) # a first page, which has no options: 32 blocks
    target_compile_options(${target} PRIVATE "-DCOUNT=(1 << 13)")
  endif()
  target_include_directories(${target} PRIVATE ${simulator} ${CMAKE_SOURCE_DIR}/common ${there}/${folder})
  target_include_directories(${target} BEFORE PRIVATE ${there}/common)
  target_compile_options(${target} PRIVATE -Dmalloc=simulated_malloc -Dfree=simulated_forget
    -Dfopen=simulated_fopen -Dgetrusage=simulated_getrusage
    -DRECORD_DIGITS=3 ${traps} -Wall -Wextra
    -ffp-contract=off -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
  target_link_libraries(${target} PRIVATE simulated m -Wl,-u,simulated_host_ns) # before a sanitizer's clocks
  set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON OUTPUT_NAME ${program}
    RUNTIME_OUTPUT_DIRECTORY ${there}/bin/${folder}/${ARGN})
  add_test(NAME ${name}.simulated COMMAND sh ${CMAKE_SOURCE_DIR}/docs/simulator/transcript.sh
    ${CMAKE_SOURCE_DIR}/${folder}/test/${name}.txt $<TARGET_FILE:${target}>)
  set_tests_properties(${name}.simulated PROPERTIES LABELS simulated TIMEOUT 120 SKIP_RETURN_CODE 77)
endfunction()

# add_bad_input(host|opencl|cuda program): what a program with options must refuse.
function(add_bad_input needs name)
  if(TARGET simulated_${name})
    add_test(NAME ${name}.bad_input COMMAND sh ${CMAKE_SOURCE_DIR}/common/test/bad_input.sh
      $<TARGET_FILE:simulated_${name}> ${needs})
    set_tests_properties(${name}.bad_input PROPERTIES LABELS simulated)
  endif()
endfunction()

# A python3 that is a script, which looks for the real one (pyenv), takes longer than most of what the tests ask of it: so
# the tests take the real one.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE real OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(real AND NOT real STREQUAL Python3_EXECUTABLE)
    set_target_properties(Python3::Interpreter PROPERTIES IMPORTED_LOCATION ${real})
    get_filename_component(folder ${real} DIRECTORY)
    file(WRITE ${CMAKE_BINARY_DIR}/real_python3.cmake "set(ENV{PATH} \"${folder}:\$ENV{PATH}\")\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/real_python3.cmake)
  endif()
endif()

add_test(NAME transcript COMMAND sh ${simulator}/test/transcript_test.sh)
set_tests_properties(transcript PROPERTIES LABELS simulated)

# A reader's own program: twelve of strangers, and what simcc refuses or a program must say.
find_program(CXX_OF_SIMCC NAMES g++ clang++)
if(Python3_FOUND AND CXX_OF_SIMCC)
  add_test(NAME simcc.strangers COMMAND sh ${simulator}/transcript.sh ${simulator}/test/simcc.txt ${simulator}/simcc)
  add_test(NAME simcc.cases COMMAND Python3::Interpreter ${simulator}/test/simcc_cases.py ${simulator}/simcc
    ${simulator}/test/simcc_good.cu)
  set_tests_properties(simcc.strangers simcc.cases PROPERTIES LABELS simulated TIMEOUT 600 COST 20)
endif()

# The machine code of the CUDA kernels, which a machine without a GPU cannot run.
find_program(NVDISASM nvdisasm HINTS /usr/local/cuda/bin ${CMAKE_SOURCE_DIR}/build/nvdisasm/nvidia/cu13/bin)
if(Python3_FOUND)
  add_test(NAME model_of_h200 COMMAND Python3::Interpreter ${simulator}/test/h200.py ${CMAKE_BINARY_DIR}/simulated/bin)
  set_tests_properties(model_of_h200 PROPERTIES LABELS simulated)
endif()
if(Python3_FOUND AND has_cuda AND NVDISASM)
  add_test(NAME machine_code COMMAND Python3::Interpreter
    ${CMAKE_SOURCE_DIR}/common/test/read_sass.py ${NVDISASM} ${CMAKE_CUDA_COMPILER})
  set_tests_properties(machine_code PROPERTIES LABELS simulated SKIP_RETURN_CODE 77 COST 20)
endif()

# The exercises of the chapters. A sanitizer of the build would have to be in the reader's program, too.
if(Python3_FOUND AND NOT CMAKE_C_FLAGS MATCHES "sanitize")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${simulator}/test/exercises.txt)
  file(STRINGS ${simulator}/test/exercises.txt exercises REGEX "^\\[[a-z_]+\\]$")
  string(REGEX REPLACE "[][]" "" exercises "${exercises}")
  foreach(name IN LISTS exercises)
    add_test(NAME exercise_${name} COMMAND Python3::Interpreter ${simulator}/test/exercises.py ${name})
    set_tests_properties(exercise_${name} PROPERTIES LABELS simulated TIMEOUT 240 COST 5 SKIP_RETURN_CODE 77
      ENVIRONMENT "SIMULATED_LIBRARIES=${CMAKE_BINARY_DIR};XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/simcc_cache")
  endforeach()
endif()

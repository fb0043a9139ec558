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
add_library(simulated STATIC EXCLUDE_FROM_ALL ${simulator}/machine.c ${simulator}/times.c ${simulator}/faults.c)
target_compile_options(simulated PRIVATE ${GPU_TIMING_WARNINGS} -fno-sanitize=all
  $<$<BOOL:${has_cf}>:-fcf-protection=none>)
find_path(OPENCL_HEADERS CL/cl.h HINTS ${OpenCL_INCLUDE_DIRS})
if(OPENCL_HEADERS)
  add_library(simulated_opencl STATIC EXCLUDE_FROM_ALL ${simulator}/opencl.c)
  target_include_directories(simulated_opencl PUBLIC ${OPENCL_HEADERS})
  target_compile_options(simulated_opencl PRIVATE ${GPU_TIMING_WARNINGS})
  target_link_libraries(simulated_opencl PUBLIC simulated ${CMAKE_DL_LIBS})
endif()

# CUDA programs are built by simcc, as a reader's are.
find_package(Python3 COMPONENTS Interpreter)
find_program(CXX_OF_SIMCC NAMES g++ clang++)
set(simcc ${CMAKE_COMMAND} -E env CXX=${CXX_OF_SIMCC} XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/simcc_cache
  ${Python3_EXECUTABLE} ${simulator}/simcc)
file(GLOB of_simcc ${simulator}/*.[ch] ${simulator}/simcc*)

# OpenCL C becomes C, in the same place below build/simulated. Only what a program of the suite is made of is looked at:
# in a chapter's folder a reader may leave anything.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${simulator}/opencl.sed ${simulator}/text.sed)
function(rewrite source to)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${source})
  get_filename_component(folder ${CMAKE_BINARY_DIR}/simulated/${to} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND sed ${ARGN} ${CMAKE_SOURCE_DIR}/${source} OUTPUT_FILE ${CMAKE_BINARY_DIR}/simulated/new)
  configure_file(${CMAKE_BINARY_DIR}/simulated/new ${CMAKE_BINARY_DIR}/simulated/${to} COPYONLY)
endfunction()
# rewrite_kernels(FILE): a .cl, and what it includes by its place.
function(rewrite_kernels source)
  string(REGEX REPLACE "\\.cl$" "\\0.c" to ${source})
  rewrite(${source} ${to} -e "1i\\#line 1 \"${source}\"" -f ${simulator}/opencl.sed)
  file(STRINGS ${CMAKE_SOURCE_DIR}/${source} headers REGEX "^#include \"")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "#include \"([^\"]+)\".*" "\\1" header ${header})
    cmake_path(REPLACE_FILENAME source ${header} OUTPUT_VARIABLE header)
    cmake_path(NORMAL_PATH header)
    rewrite_kernels(${header})
  endforeach()
endfunction()
# rewrite_text(FILE): a .c that stands alone, and the kernels in its text, line by line in quotes.
function(rewrite_text source)
  rewrite(${source} c/${source} -e "1i\\#line 1 \"${source}\"")
  rewrite(${source} ${source}l.c -f ${simulator}/text.sed -f ${simulator}/opencl.sed)
endfunction()

# build_by_simcc(target program.cu folder name [options]): a program of the suite, build/simulated/bin/folder/name. What the
# target's property DEFINES holds is defined. A target's property PROGRAM is the file, also of one in C.
function(build_by_simcc target source folder name)
  set(program ${CMAKE_BINARY_DIR}/simulated/bin/${folder}/${name})
  cmake_path(GET program PARENT_PATH there)
  file(MAKE_DIRECTORY ${there})
  set(defined $<TARGET_PROPERTY:${target},DEFINES>)
  add_custom_command(OUTPUT ${program} COMMAND ${simcc} ${source} -o ${program} -MF ${program}.d -Icommon
    -Xcompiler -Wall,-Wextra ${ARGN} "$<$<BOOL:${defined}>:-D$<JOIN:${defined},;-D>>"
    COMMAND_EXPAND_LISTS VERBATIM WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    DEPENDS ${CMAKE_SOURCE_DIR}/${source} ${of_simcc} DEPFILE ${program}.d COMMENT "simcc ${source}")
  add_custom_target(${target} DEPENDS ${program})
  add_dependencies(tests ${target})
  set_target_properties(${target} PROPERTIES PROGRAM ${program})
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
  if((needs STREQUAL opencl AND NOT OPENCL_HEADERS) OR
      (needs STREQUAL cuda AND NOT (Python3_FOUND AND CXX_OF_SIMCC)))
    return()
  endif()
  file(STRINGS ${CMAKE_SOURCE_DIR}/${source} pages REGEX "^#ifndef COUNT")
  if(pages) # a first page, which has no options: 32 blocks
    set(small "-DCOUNT=(1 << 13)")
  endif()
  if(needs STREQUAL cuda)
    cmake_path(SET where NORMALIZE ${folder}/${ARGN})
    build_by_simcc(${target} ${source} ${where} ${program} ${small})
  else()
    set(kernels)
    if(ARGN) # it stands alone
      rewrite_text(${source})
      add_executable(${target} EXCLUDE_FROM_ALL ${there}/c/${source})
      target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${folder})
      target_compile_options(${target} PRIVATE -Drand=simulated_rand)
      if(needs STREQUAL opencl)
        set(kernels ${there}/${source}l.c)
      endif()
    else()
      add_executable(${target} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/${source})
      target_compile_options(${target} PRIVATE -D_GNU_SOURCE=1 -include machine.h -D__builtin_ia32_rdtsc=simulated_tsc)
      file(STRINGS ${CMAKE_SOURCE_DIR}/${source} names REGEX "\"[a-z_0-9./]+\\.cl\"")
      set(file)
      foreach(line IN LISTS names)
        string(REGEX REPLACE ".*\"([a-z_0-9./]+\\.cl)\".*" "\\1" file "${line}")
      endforeach()
      if(file)
        rewrite_kernels(${folder}/${file})
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
        add_library(${target}_${clock} OBJECT EXCLUDE_FROM_ALL ${kernels})
        target_include_directories(${target}_${clock} PRIVATE ${simulator})
        target_compile_options(${target}_${clock} PRIVATE -include opencl_c.h)
        if(NOT clock STREQUAL "NONE")
          target_compile_definitions(${target}_${clock} PRIVATE PREFIX=${clock} CLOCK_${clock})
        endif()
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${clock}>)
      endforeach()
    endif()
    target_include_directories(${target} PRIVATE ${simulator} ${CMAKE_SOURCE_DIR}/common)
    target_compile_options(${target} PRIVATE -Dmalloc=simulated_malloc -Dfree=simulated_host_free
      -Dfopen=simulated_fopen ${small} ${traps} -Wall -Wextra
      -ffp-contract=off -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
    target_link_libraries(${target} PRIVATE simulated m -Wl,-u,simulated_host_ns) # before a sanitizer's clocks
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON OUTPUT_NAME ${program}
      RUNTIME_OUTPUT_DIRECTORY ${there}/bin/${folder}/${ARGN} PROGRAM $<TARGET_FILE:${target}>)
    add_dependencies(tests ${target})
  endif()
  get_target_property(file ${target} PROGRAM)
  # Red: the program prints another number, mark or error than the text of its chapter was written for.
  add_test(NAME ${name}.simulated COMMAND sh ${CMAKE_SOURCE_DIR}/simulator/transcript.sh
    ${CMAKE_SOURCE_DIR}/${folder}/test/${name}.txt ${file})
  set_tests_properties(${name}.simulated PROPERTIES LABELS simulated TIMEOUT 120 SKIP_RETURN_CODE 77)
endfunction()

# add_bad_input(host|opencl|cuda program): what a program with options must refuse.
function(add_bad_input needs name)
  if(TARGET simulated_${name})
    get_target_property(file simulated_${name} PROGRAM)
    # Red: a mistyped option measures something else, in silence.
    add_test(NAME ${name}.bad_input COMMAND sh ${CMAKE_SOURCE_DIR}/common/test/bad_input.sh
      ${file} ${needs})
    set_tests_properties(${name}.bad_input PROPERTIES LABELS simulated)
  endif()
endfunction()

# A python3 that is a script, which looks for the real one (pyenv), takes longer than most of what the tests ask of it: so
# the tests take the real one.
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

# Red: no test above says anything.
add_test(NAME transcript COMMAND sh ${simulator}/test/transcript_test.sh)
set_tests_properties(transcript PROPERTIES LABELS simulated)

# Red: a reader's program gets wrong parts, or words that are no answer; simcc builds what it cannot run, or crashes; a
# mistake in a kernel is not named.
if(Python3_FOUND AND CXX_OF_SIMCC)
  add_test(NAME simcc.strangers COMMAND sh ${simulator}/transcript.sh ${simulator}/test/simcc.txt ${simulator}/simcc)
  add_test(NAME simcc.cases COMMAND Python3::Interpreter ${simulator}/test/simcc_cases.py ${simulator}/simcc
    ${simulator}/test/simcc_good.cu)
  set_tests_properties(simcc.strangers simcc.cases PROPERTIES LABELS simulated TIMEOUT 600 COST 20)
endif()

# The machine code of the CUDA kernels, which a machine without a GPU cannot run.
find_program(NVDISASM nvdisasm HINTS /usr/local/cuda/bin ${CMAKE_SOURCE_DIR}/build/nvdisasm/nvidia/cu13/bin)
if(Python3_FOUND)
  # Red: a reader without a GPU sees clocks that no H200 has.
  add_test(NAME model_of_h200 COMMAND Python3::Interpreter ${simulator}/test/h200.py ${CMAKE_BINARY_DIR}/simulated/bin)
  set_tests_properties(model_of_h200 PROPERTIES LABELS simulated)
endif()
if(Python3_FOUND AND has_cuda AND NVDISASM)
  # Red: nvcc moved the reading of a clock across the work, on every reader's GPU.
  add_test(NAME machine_code COMMAND Python3::Interpreter
    ${CMAKE_SOURCE_DIR}/tools/test/read_sass.py ${NVDISASM} ${CMAKE_CUDA_COMPILER})
  set_tests_properties(machine_code PROPERTIES LABELS simulated SKIP_RETURN_CODE 77 COST 20)
endif()

# The exercises of the chapters. A sanitizer of the build would have to be in the reader's program, too.
if(Python3_FOUND AND NOT CMAKE_C_FLAGS MATCHES "sanitize")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${simulator}/test/exercises.txt)
  file(STRINGS ${simulator}/test/exercises.txt exercises REGEX "^\\[[a-z_]+\\]$")
  string(REGEX REPLACE "[][]" "" exercises "${exercises}")
  foreach(name IN LISTS exercises)
    # Red: check calls a wrong answer right, or a right one wrong.
    add_test(NAME exercise_${name} COMMAND Python3::Interpreter ${simulator}/test/exercises.py ${name})
    set_tests_properties(exercise_${name} PROPERTIES LABELS simulated TIMEOUT 240 COST 5 SKIP_RETURN_CODE 77
      ENVIRONMENT "SIMULATED_LIBRARIES=${CMAKE_BINARY_DIR};XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/simcc_cache")
  endforeach()
endif()

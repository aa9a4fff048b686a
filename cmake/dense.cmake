# dense_levels(target): core/dense compiled for each instruction-set level, linked into the target.
# ${generated} is where gather() has put the list of losses.
# A level's objects may hold no weak symbol, or the linker might take its copy for another level: tests look.

option(WIDEMARGIN_BASE_ONLY "Kernels for every processor only: quicker to compile, slower to run" OFF)

function(dense_levels target)
  set(names base)
  set(flags_base "")
  set(vector_base 2)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT WIDEMARGIN_BASE_ONLY)
    list(APPEND names v3 v4)
    set(flags_v3 -mavx2 -mfma)
    set(vector_v3 4)
    set(flags_v4 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw -mprefer-vector-width=512)
    set(vector_v4 8)
  endif()
  foreach(name ${names})
    add_library(${target}_${name} OBJECT "${WIDEMARGIN_CORE}/dense/kernels.cpp" "${WIDEMARGIN_CORE}/dense/losses.cpp"
      "${WIDEMARGIN_CORE}/dense/symmetric.cpp" "${WIDEMARGIN_CORE}/dense/adaptive.cpp")
    target_include_directories(${target}_${name} PRIVATE "${WIDEMARGIN_CORE}" "${generated}")
    set_target_properties(${target}_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
    target_compile_definitions(${target}_${name} PRIVATE
      WIDEMARGIN_LEVEL=${name} WIDEMARGIN_NAME="${name}" WIDEMARGIN_VECTOR=${vector_${name}}
      WIDEMARGIN_LOSSES=widemargin_losses_${name})
    target_compile_options(${target}_${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3> -Wall -Wextra -Wno-psabi -fno-math-errno -fno-trapping-math ${flags_${name}})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${name}>)
  endforeach()
  target_sources(${target} PRIVATE "${WIDEMARGIN_CORE}/dense/level.cpp")
  list(LENGTH names count)
  if(count GREATER 1)
    set_property(SOURCE "${WIDEMARGIN_CORE}/dense/level.cpp" APPEND PROPERTY COMPILE_DEFINITIONS WIDEMARGIN_X86)
  endif()
endfunction()

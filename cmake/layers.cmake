# fw_layer(name SOURCES ... USES ...): one folder, one static library.
function(fw_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${LAYER_SOURCES})
  target_link_libraries(${name} PUBLIC fw_options ${LAYER_USES} m)
endfunction()

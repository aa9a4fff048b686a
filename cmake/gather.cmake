# gather(loss ${folder}): writes ${folder}/widemargin_loss_headers.hpp, which includes every header of core/loss,
# so that a new loss is one header and one line in the list, and no third place.
#
# Included from anywhere; core/ is found beside this file's folder.

set(WIDEMARGIN_CORE "${CMAKE_CURRENT_LIST_DIR}/../core")

function(gather kind folder)
  file(GLOB headers RELATIVE "${WIDEMARGIN_CORE}" CONFIGURE_DEPENDS "${WIDEMARGIN_CORE}/${kind}/*.hpp")
  list(REMOVE_ITEM headers "${kind}/all.hpp")
  list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
  list(JOIN headers "\n" text)
  file(CONFIGURE OUTPUT "${folder}/widemargin_${kind}_headers.hpp" CONTENT "#pragma once\n${text}\n" @ONLY)
endfunction()

# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCES=FOLDER -DOUTPUT=FILE -P engine_texts.cmake: writes the patterns of engine/telemetry/text.h, "..."_text, that are below
# FOLDER as QT_TRANSLATE_NOOP for lupdate.
file(GLOB_RECURSE files ${SOURCES}/*.cpp ${SOURCES}/*.h)
list(FILTER files EXCLUDE REGEX "/telemetry/text\\.h$")  # which defines _text
set(patterns)
foreach(file IN LISTS files)
  file(READ ${file} source)
  string(REPLACE ";" "@semicolon@" source "${source}")  # which ends an element of a list
  string(REGEX REPLACE "[][]" "" source "${source}")    # and brackets join some; no pattern has one
  string(REGEX MATCHALL "\"[^\"\n]+\"([ \n]*\"[^\"\n]*\")*_text" found "${source}")
  string(REGEX MATCHALL "\"_text" all "${source}")
  list(LENGTH all written)
  list(LENGTH found taken)
  if(NOT written EQUAL taken OR found MATCHES "[\\]")
    message(FATAL_ERROR "${file}: a pattern is a plain literal, or several, without quotes, brackets and comments in it")
  endif()
  list(APPEND patterns ${found})
endforeach()
list(TRANSFORM patterns REPLACE "_text$" "")
list(TRANSFORM patterns REPLACE "\"[ \n]+\"" "")
list(REMOVE_DUPLICATES patterns)
list(SORT patterns)
list(TRANSFORM patterns PREPEND "    QT_TRANSLATE_NOOP(\"engine\", ")
list(JOIN patterns "),\n" text)
string(REPLACE "@semicolon@" ";" text "${text}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "const char* const kPatterns[] = {\n${text})};\n" @ONLY)

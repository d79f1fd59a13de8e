# Writes OUTPUT, which defines fw_code_version: VERSION and a digest of every source that a run's figures come from. Two
# builds with the same string give the same figures, so stored runs can be told from those of other code.
# Usage: cmake -D ROOT=... -D VERSION=... -D OUTPUT=... -D "SOURCES=a;b" -P code_version.cmake
set(listing "")
foreach(source IN LISTS SOURCES)
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND listing "${source} ${digest}\n")
endforeach()
string(SHA256 digest "${listing}")
string(SUBSTRING ${digest} 0 12 digest)
file(WRITE ${OUTPUT} "#include \"sim/study/code_version.h\"\n\nconst char fw_code_version[] = \"${VERSION}-${digest}\";\n")

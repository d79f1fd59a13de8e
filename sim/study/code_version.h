/* Which code figures come from. */
#ifndef FW_STUDY_CODE_VERSION_H
#define FW_STUDY_CODE_VERSION_H

/* fleetwatt's version and a digest of all sources that a run passes through (cmake/code_version.cmake writes it). */
extern const char fw_code_version[];

#endif

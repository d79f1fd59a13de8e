/* Ceilings that several tables of this folder share. They are generous: they catch a wrong unit, not an unusual wish.
 */
#ifndef FW_POLICIES_CEILINGS_H
#define FW_POLICIES_CEILINGS_H

#define FWI_MOST_SHARE 2.0 /* of a budget */
#define FWI_MOST_CAP_W 10000.0
#define FWI_MOST_S 86400.0

#endif

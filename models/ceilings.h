/* Ceilings that several tables of this folder share. They are generous: they catch a wrong unit, not an unusual device.
 */
#ifndef FW_MODELS_CEILINGS_H
#define FW_MODELS_CEILINGS_H

#define FWI_MOST_W 10000.0
#define FWI_MOST_S 86400.0
#define FWI_MOST_COUNT 1e9

#endif

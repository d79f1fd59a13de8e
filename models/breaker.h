/* A thermal breaker: it trips on heat, not on power, so a short overload passes and a long one does not.
 *
 * The heat of its bimetal follows d(heat)/dt = ((load / rating)^2 - heat) / time_constant, and it trips when the heat
 * reaches a threshold above 1, the heat at which its rating holds it for good. Real breakers differ by a lot and stand
 * in no data sheet as two numbers, so every breaker is run three times: as it is believed to be, and at both ends of
 * what it may be. Heat at a smaller time constant is an average of nothing older, so no largest heat falls when the
 * time constant does; hence the ends of the range bound everything between them (docs/models.md, "Breaker"). The
 * magnetic trip, at five to ten times the rating, is out of reach of a fleet and left out. */
#ifndef FW_MODELS_BREAKER_H
#define FW_MODELS_BREAKER_H

#include "sim/base/record.h"

typedef struct fw_breaker_law {
  fw_time_ns time_constant;
  double trip; /* heat at which it opens; above 1 */
} fw_breaker_law;

typedef enum fw_breaker_case {
  FW_BREAKER_NOMINAL,
  FW_BREAKER_EARLIEST, /* least time constant, lowest threshold */
  FW_BREAKER_LATEST,
  FW_BREAKER_CASES
} fw_breaker_case;

/* What becomes of a trip. */
typedef enum fw_breaker_effect {
  FW_BREAKER_COUNTS, /* it is counted; power goes on as if nothing had happened */
  FW_BREAKER_OPENS   /* that of the nominal law, all feeds in service, takes the power of everything behind it */
} fw_breaker_effect;

/* The three laws, and what a trip means: everything behind the breaker is off for `outage`, then its jobs are loaded
 * for `load`. */
typedef struct fw_breaker_model {
  fw_breaker_law nominal;
  fw_breaker_law earliest;
  fw_breaker_law latest;
  fw_time_ns outage;
  int on_trip; /* an fw_breaker_effect */
  fw_time_ns load;
} fw_breaker_model;

/* Defaults: 250 s and 1.2065, which trip 110 % after 17 min and 140 % after 60 s; from 125 s and 1.05^2 to 1000 s and
 * 1.3^2, the latter still within what UL 489 demands. */
extern const fw_record fw_breaker_model_record;
extern const fw_breaker_model fw_breaker_model_default;

/* Whether the nominal law lies between the others, and a breaker that opens stays open. `value` is the object that the
 * model was decoded from. */
fw_status fw_breaker_model_check(const fw_breaker_model *model, const fw_json_value *value,
                                 fw_diagnostics *diagnostics);

const fw_breaker_law *fw_breaker_law_of(const fw_breaker_model *model, fw_breaker_case which);

/* Seconds until a steady load of `ratio` times the rating trips a breaker of heat `heat`; infinite where it holds. */
double fw_breaker_time_to_trip_s(const fw_breaker_law *law, double heat, double ratio);

/* One breaker under load. */
typedef struct fw_breaker {
  double decay; /* of the heat over a tick */
  double trip;
  fw_time_ns tick;
  fw_time_ns outage;
  fw_time_ns open; /* time left until it is closed again */
  double heat;     /* below 0: no load was seen yet */
  double largest;  /* heat over threshold, since the start or the last restart */
  uint64_t trips;
  fw_time_ns elapsed;
  fw_time_ns first_trip; /* elapsed time at it; -1: none */
} fw_breaker;

void fw_breaker_start(fw_breaker *breaker, const fw_breaker_law *law, fw_time_ns outage, fw_time_ns tick);

/* A tick under (load / rating)^2 = `square`, exact for a load that is steady over the tick. The first tick finds the
 * breaker as warm as its load would have made it for good, at most as warm as its rating does. After a trip it cools
 * without load until the outage is over. */
void fw_breaker_push(fw_breaker *breaker, double square);

/* A number of ticks, from 1 to `most`, such that a breaker that was started by `law` cannot trip at the end of any tick
 * before the last of them while no tick is above `square`. From the closed form (fw_breaker_time_to_trip_s), with a
 * slack of 1e-9 of the heat: pushing rounds each tick's heat by 1e-16 of it, so that holds for up to a million ticks.
 */
size_t fw_breaker_ticks_to_trip(const fw_breaker_law *law, const fw_breaker *breaker, double square, size_t most);

/* Ends a warm-up: counts anew, stays as warm as it is. */
void fw_breaker_restart(fw_breaker *breaker);

#endif

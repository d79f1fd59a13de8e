/* Fronts against points worked out by hand, and against brute force. */
#include <criterion/criterion.h>

#include "sim/base/random.h"
#include "sim/study/front.h"

Test(front, drops_what_another_point_beats) {
  fw_front_point points[] = {{0.03, 90}, {0.01, 50}, {0.02, 80}, {0.02, 70}, {0.025, 80}, {0.01, 60}};
  cr_assert_eq(fw_front_make(points, 6), 3);
  cr_expect_eq(points[0].tokens, 60);
  cr_expect_eq(points[1].tokens, 80);
  cr_expect_eq(points[1].rate, 0.02);
  cr_expect_eq(points[2].tokens, 90);
}

Test(front, is_straight_between_points_and_flat_beyond) {
  const fw_front_point front[] = {{0.01, 60}, {0.02, 80}, {0.03, 90}};
  cr_expect_float_eq(fw_front_at(front, 3, 0.0125), 65, 1e-12);
  cr_expect_float_eq(fw_front_at(front, 3, 0.02), 80, 1e-12);
  cr_expect_float_eq(fw_front_at(front, 3, 0.029), 89, 1e-9);
  cr_expect_eq(fw_front_at(front, 3, 0.0), 60);
  cr_expect_eq(fw_front_at(front, 3, 0.5), 90);
}

/* What is left is just what no other point beats, in order. */
Test(front, equals_brute_force) {
  enum { ROUNDS = 200, POINTS = 12 };
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const fw_stream stream = fw_stream_make(9, FW_DRAW_TEST, round);
    fw_front_point points[POINTS];
    fw_front_point copy[POINTS];
    size_t wanted = 0;
    for (uint64_t i = 0; i < POINTS; i++)
      copy[i] = points[i] =
          (fw_front_point){(double)fw_random_below(stream, 2 * i, 8), (double)fw_random_below(stream, 2 * i + 1, 8)};
    for (size_t i = 0; i < POINTS; i++) {
      bool beaten = false;
      for (size_t j = 0; j < POINTS; j++) {
        const bool as_good = copy[j].rate <= copy[i].rate && copy[j].tokens >= copy[i].tokens;
        const bool same = copy[j].rate == copy[i].rate && copy[j].tokens == copy[i].tokens;
        beaten = beaten || (as_good && (!same || j < i));
      }
      wanted += !beaten;
    }
    const size_t kept = fw_front_make(points, POINTS);
    cr_assert_eq(kept, wanted, "round %u", round);
    for (size_t i = 1; i < kept; i++)
      cr_assert(points[i].rate > points[i - 1].rate && points[i].tokens > points[i - 1].tokens);
  }
}

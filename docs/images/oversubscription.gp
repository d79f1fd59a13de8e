# docs/images/oversubscription.svg from oversubscription.csv beside it; both are made by `./fw figures`.
# Columns: 1 policy, 2 hours, 3 window_s, 4 oversubscription, 7 violation_rate, 8 lo, 9 hi.

set terminal svg size 960,440 font 'sans-serif,12' background 'white'
set output 'docs/images/oversubscription.svg'
set datafile separator ','

rate(policy, hours, window) = sprintf("< LC_ALL=C awk -F, 'NR > 1 && $1 == \"%s\" && ($2 > 1) == (%s > 1) && $3 == %s' ", \
                                      policy, hours, window).'docs/images/oversubscription.csv'

set xlabel 'nameplate over budget'
set ylabel 'time above the budget, %'
set yrange [0:100]
set xrange [1:3]
set grid
set key at graph 0.02, 0.97 left top Left reverse samplen 2

set multiplot layout 1,2
do for [hours in "0 24"] {
  set title hours eq '24' ? '24 h' : '20 min'
  plot rate('uncontrolled', hours, '0.5') using 4:(100 * $7):(100 * $8):(100 * $9) with yerrorlines \
         pointtype 7 pointsize 0.3 linecolor rgb '#bbbbbb' title 'uncontrolled, 0.5 s', \
       rate('uncontrolled', hours, '10') using 4:(100 * $7) with lines linecolor rgb '#888888' title 'uncontrolled, 10 s', \
       rate('uncontrolled', hours, '30') using 4:(100 * $7) with lines linewidth 2 linecolor rgb '#444444' title 'uncontrolled, 30 s', \
       rate('uncontrolled', hours, '300') using 4:(100 * $7) with lines linecolor rgb '#000000' title 'uncontrolled, 300 s', \
       rate('hysteresis', hours, '30') using 4:(100 * $7) with lines linewidth 2 linecolor rgb '#0072b2' \
         title 'hysteresis, 30 s', \
       rate('uniform-cap', hours, '0.5') using 4:(100 * $7) with lines dashtype 2 linecolor rgb '#009e73' \
         title 'uniform cap, 0.5 s', \
       rate('uniform-cap', hours, '30') using 4:(100 * $7) with lines linewidth 2 linecolor rgb '#009e73' title 'uniform cap, 30 s'
}
unset multiplot

# docs/images/plan-fleet16.svg from plan-fleet16.csv beside it; both are made by `./fw figures`.
# Columns: 1 policy, 2 window_s, 3 oversubscription, 6 state, 8 risk, 9 risk_lo, 10 risk_hi.

set terminal svg size 900,480 font 'sans-serif,12' background 'white'
set output 'docs/images/plan-fleet16.svg'
set datafile separator ','

rows(policy, state) = sprintf("< LC_ALL=C awk -F, 'NR > 1 && $1 == \"%s\" && (\"%s\" == \"any\" || $6 == \"%s\")' ", \
                              policy, state, state).'docs/images/plan-fleet16.csv'

set xlabel 'nameplate over budget'
set ylabel 'time above the budget, 30 s mean, %'
set logscale y
set yrange [0.001:100]
set grid
set key outside right reverse Left samplen 2
set arrow from graph 0, first 1 to graph 1, first 1 nohead dashtype 2 linecolor rgb '#d55e00'
set label 'limit' at graph 0.01, first 1.4 textcolor rgb '#d55e00'

policies = 'uncontrolled static-4 threshold hysteresis uniform-cap priority-cap'
array colour[6] = ['#000000', '#999999', '#56b4e9', '#0072b2', '#009e73', '#e69f00']

# Risks of 0 are drawn at the foot of the picture.
shown(risk) = risk > 0.00001 ? 100 * risk : 0.001

plot for [i=1:6] rows(word(policies, i), 'any') using 3:(shown($8)) with lines linewidth 1.5 \
       linecolor rgb colour[i] title word(policies, i), \
     for [i=1:6] rows(word(policies, i), 'meets') using 3:(shown($8)) with points pointtype 7 pointsize 0.9 \
       linecolor rgb colour[i] notitle, \
     for [i=1:6] rows(word(policies, i), 'fails') using 3:(shown($8)) with points pointtype 6 pointsize 0.9 \
       linecolor rgb colour[i] notitle, \
     keyentry with points pointtype 7 linecolor rgb '#444444' title 'proven to meet', \
     keyentry with points pointtype 6 linecolor rgb '#444444' title 'proven to fail'

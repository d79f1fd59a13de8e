# The picture of `./fw demo`: the 30 s mean of the site's power under three policies, and the budget.
# Reads NAME-POLICY.csv as `fleetwatt run --series` writes it, for the variable `name`; writes NAME.svg.

set terminal svg size 960,420 font 'sans-serif,13' background 'white'
set output name.'.svg'

# Minutes, and kW as the mean of the last 60 samples of 0.5 s, every 5 s (columns: 1 t_s, 2 power_w, 4 budget_w).
mean_30_s = 'BEGIN { FS = "," } NR > 2 { sum += $2 - kept[n % 60]; kept[n++ % 60] = $2; ' \
          . 'if (n >= 60 && n % 10 == 0) print $1 / 60, sum / 60000 }'
mean_of(policy) = "< LC_ALL=C awk '".mean_30_s."' ".name.'-'.policy.'.csv'
budget = real(system("LC_ALL=C awk -F, 'NR == 3 { print $4 / 1000; exit }' ".name.'-uncontrolled.csv'))

set title 'Sixteen A100s, 6.4 kW nameplate, on a feed of 3.2 kW (simulated)'
set xlabel 'minutes'
set ylabel 'kW, mean over 30 s'
set key outside below
set grid ytics
set xrange [5:60]
plot mean_of('uncontrolled') with lines linewidth 1.5 linecolor rgb '#999999' title 'uncontrolled', \
     mean_of('hysteresis') with lines linewidth 1.5 linecolor rgb '#0072b2' title 'hysteresis', \
     mean_of('priority-cap') with lines linewidth 1.5 linecolor rgb '#009e73' title 'priority-cap', \
     budget with lines linewidth 2 dashtype 2 linecolor rgb '#d55e00' title 'budget'

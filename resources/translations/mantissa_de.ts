<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name>QMenu</name>
    <message>
        <source>Weights are written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rounded to nearest even</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rounded stochastically</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With Kahan&apos;s summation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>FP8 scales come from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Past steps (delayed)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The tensor itself (current)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TF32 operands are rounded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To nearest even (cuBLAS)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To nearest, ties away (cvt.rna)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Toward zero (raw tensor core)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sums of products</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hopper&apos;s tensor cores, promoted each 128</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the policy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open bundled experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Diagnose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>← →</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crosshair, sample by sample (in the plots); the next format (on a card)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>↑ ↓</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Double or halve the scale (in its field)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Single keys rest while a text field has the cursor.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mantissa %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A desktop precision lab: the same network trained side by side in several number formats, each with its own loss scaler, and what that does to loss, scale, skipped steps, memory and speed.

The window is free software under the GPL, version 3 or later; engine and kernels are under the Apache License 2.0. Plots are drawn by QCustomPlot, the window by Qt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · 1 thread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>full speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 step/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 steps/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · steady, %2 of %3 clean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why? Look at step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind to before step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind %1 to before step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scale %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not begun yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backward, loss × %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 not finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>magnitudes %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>magnitudes up to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, the only one of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, the first of %2 among %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in none of %1 parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> and %1 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no gradient is finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 other parameter is finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 other parameters are finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>element</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, a sum of %2 products</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 times the limit of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, rounded to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · instruction %2 of %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>producer: its inputs are finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>passed on: the data held it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>passed on: what it reads is not finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, step %2, loss scale %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not finite in both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>infinite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>equal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all plots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> A table of %1 rows is too long for the clipboard: zoom in, or export a CSV.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a table of %1 rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied %1 as %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> and </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seeds %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not written: the picture could not be drawn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not written: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pinned to the edge of the plot, in the colour of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Events: %1. %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing yet: changes, skips and non-finite values will be listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1  %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1 skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 steps skipped, %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>smoothing %1, raw trace behind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not smoothed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 NaN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, validation %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 values of 0 or less: no place on a log axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>outliers reach beyond the axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no steps yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clip %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>global, unscaled, before clipping, log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>k samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is emulated on CPU: not a hardware speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and %2 are emulated on CPU: not a hardware speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>train</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>powers of two</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run scales its loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only %1 scales its loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 scale their loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss is not scaled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skipped steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a tick per skip, running total below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no step skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skipped, the last at step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, weight gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, input gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, bias gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, no NaN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 Inf</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>masters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 runs, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scale %1, %2 skips in the last %3 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No tensor of this run was measured yet. Choose “sampled” or “full” under Measure tensors, and train a few steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>to nearest, ties away from 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>toward 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stochastic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>to nearest, ties to even</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NaN is on no line. %1 makes of it: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is beyond the ends of the line. %2 makes of it: %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it becomes %2, rounded %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is a number of %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is beyond %2; %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, and %1 does not have %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tie: %1 is exactly halfway between %2 and %3%4; %5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 goes up to %2 in %3 % of all draws, else down to %4%5; in this draw it becomes %6.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 lies %2 % of the way from %3 to %4%5; %6.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Taken as the nearest FP32 number, %1: every format is a rounding of FP32.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>normal, mean 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>uniform, 0 to 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one large, many small</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>alternating signs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, rounded stochastically</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, one after the other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, chunks of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, pairwise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, Kahan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, FP32 every %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each product is added to the sum, and the sum rounded to FP32.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each sum is rounded up with the probability of its fraction: what one addition loses, others make up for on average.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each product is added to the sum, and the sum rounded. Once a product is less than half the gap at the sum, nothing changes any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each chunk has a sum of its own, which stays small; the chunks&apos; sums are added at the end, in the same format.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Halves of halves: what is added is of like size, and each product goes through few roundings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A second number of the format carries what the sum has lost, and gives it back with the next product.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A few products at a time are cut to the scale of the largest, added exactly, and cut again. Errors are in ulp of the sum&apos;s own format.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After each chunk the sum moves to FP32, and begins at 0 again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: the sum of %2 products is %3; exact is %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: the sum of %2 products is exact, %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 products give %3; exact is %4. That is %5 ulp of %6 off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>skipped</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>Calibrating</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collapsing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finite again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fixed scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hitting a spike</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Probing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skip storm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steady</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All finite.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step skipped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normal.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not a scale problem.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not finite, and nothing skips such a step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not finite since step %1, and nothing skips such a step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finite now, but step %1 was not, and was not skipped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skip in a row.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skips in a row.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skip so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skips so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skip in a row, and the scale is below %2 by now: hardly a scale problem.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skips in a row, and the scale is below %2 by now: hardly a scale problem.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skip so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skips so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skip in a row.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skips in a row.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scale is fixed: every such step is lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 step skipped: the scale is fixed and these overflowed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 steps skipped: the scale is fixed and these overflowed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Probing: %1 skip in the first %2 step, normal.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Probing: %1 skip in the first %2 steps, normal.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Probing: %1 skips in the first %2 steps, normal.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tried a larger scale, stepped back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 had larger gradients than the scale allows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scale is infinite: every step overflows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set a smaller one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scale is so small that its reciprocal is infinite.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps are no longer meaningful.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scale follows the largest gradients.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 clean steps to the next growth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weights were broken before this step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradients of an earlier step are still there, and not finite.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The data are not finite.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The update itself made a NaN.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The update left the format.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is wrong with this step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything is finite when it is repeated.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not searched to the end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The arithmetic makes a NaN.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It overflows in FP32 as well.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The forward pass overflows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The loss scale was too high.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No loss scale can help.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its tensors and gradients are all finite.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: what is read is not finite.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Neither another loss scale nor FP32 would help.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clipping would not help: the overflow comes before any gradient.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clipping or a lower learning rate would not help: the overflow comes before both.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1/%2 of channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as it trains</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the precision needs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>attention mask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backoff factor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>base of the rotary angles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>betas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bias</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dampening</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>data path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>data set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>degrees of freedom</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drawn from the seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dropout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>epochs between validations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>eps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>falls to 0 at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>features</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradient checkpointing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients start at zero</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>growth factor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>growth interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>heads of keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hidden layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hysteresis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>image height</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>image width</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>initial scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>initial weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>inner channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>label smoothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss scaler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lr</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>momentum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nesterov</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>noise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>schedule on skip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>score scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>smallest scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>softmax</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the preset&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tied head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unscaling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>validation interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>validation precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weight decay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what decays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>growth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backoff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scaler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Actions</name>
    <message>
        <source>New experiment…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open experiment…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save experiment as JSON…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open recording…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import runs…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a folder of runs…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep a recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy plot as picture and table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Explore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Diagnose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Freeze view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the tail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow last 500</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Manual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logarithmic loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smooth the loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next crosshair mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Architecture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First non-finite step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind all runs to before the held step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind run to before the held step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fork run at the crosshair…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What if, from the crosshair…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Single step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset to step 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In lock-step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put an Inf into the next batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Double the loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Halve the loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Examine the last step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next captured step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous captured step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind to before the captured step and fork</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Number inspector…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Mantissa</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data table…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ArchitectureModel</name>
    <message>
        <source> forced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a format for %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>operation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computes in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>makes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ArchitecturePage</name>
    <message>
        <source>Operations of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 parameters</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitHead</name>
    <message>
        <source>sign</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exponent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mantissa</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitStrip</name>
    <message>
        <source>Bits in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sign</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exponent, 2 to the %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mantissa, 2 to the −%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1; at the %2 bit, which is %3: Space flips it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bit %1, %2: click to flip</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitsWindow</name>
    <message>
        <source>Number inspector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A number, or a dot product</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A dot product</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CapturedList</name>
    <message>
        <source>Captured steps, newest last</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CapturedModel</name>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 of %2, %3, loss scale %4</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChainModel</name>
    <message>
        <source>%1 limit %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 not finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2, %3: largest magnitude %4%5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tensor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest magnitude</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChainTable</name>
    <message>
        <source>Largest magnitude of each tensor, in order of execution</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChangeBadge</name>
    <message>
        <source>%1 effective at step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 pending · from the next step</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CorridorPlot</name>
    <message>
        <source>Scale corridor: the loss scales that each layer can live with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✕ no scale fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>try %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>safe for every layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataPage</name>
    <message>
        <source>Format of the files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export to a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export to a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where a folder with the files is made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine stopped before it was done.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported what %1 holds to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported to %1, without what could not be recorded: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to export data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is being recorded, so there is nothing to export but weights. File &gt; Keep a recording changes that for the next start of the engine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs that are only looked at are not among them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine is writing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CSV, a table a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One file a run, one row a step. Numbers read back to the same value; NaN and infinities are nan, inf and -inf.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One file a run, one object a step, after a line that says what wrote it. NaN and infinities are strings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TensorBoard events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One folder a run. TensorBoard keeps values as 32-bit floats: seven digits of what was recorded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report, one HTML file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plots, settings, verdicts and numbers on one page that needs nothing beside it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights, safetensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weights of each run as they are now, for other programs to load.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataTable</name>
    <message>
        <source>Data table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All plots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the chosen rows, or all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chosen rows, or all, at full precision (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values of the plots, a row for each step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No steps on screen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps %1 to %2, about the crosshair, of those on screen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps %1 to %2, as on screen.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataTableModel</name>
    <message>
        <source>loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ms a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1
%2</source>
        <comment>run, then quantity</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>+Inf</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>−Inf</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NaN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 at step %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DiagnoseDock</name>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Captured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None yet. A step that is skipped, or not finite, is captured by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause training on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any skip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first skip of a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in lock-step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each at its pace</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DiagnosePage</name>
    <message>
        <source>Magnitudes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what the format makes of each tensor, and which loss scales it can live with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before a switch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what another format would lose of the run, layer by layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scaler race</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>how every loss scaler would have fared over the steps of this run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Twins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in which layer, and at which step, two runs part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous captured step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next captured step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fork</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 does not scale its loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, steps %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, no step yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run to look at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open an experiment, or add a run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step is repeated as it was, at other scales and in other formats. Nothing of that is committed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step cannot be looked at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is looked at as soon as training pauses.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 of %2 was not looked at yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In a run of bad steps not each one is captured by itself. Any step can be looked at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has not begun</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start training: a step that is skipped, or not finite, is captured by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step of %1 was captured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its bad steps were recorded, not looked at closer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has gone wrong in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All of its %1 steps are finite, and none was skipped. How much room is left, its last step can show.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run is only looked at: it has no weights here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Examine step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Examine the last step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind to %1 and fork</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A new run from before step %1, with %2; this one is not touched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A new run from before step %1; this one is not touched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step was not measured: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What if: %1, %2 steps from step %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New run from before step %2: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no step to look at yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to look at a step.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DotModel</name>
    <message>
        <source>cannot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Units in the last place of the format that the sums are in, at the exact sum; on tensor cores, of FP32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sums</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>relative</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ulp</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DotPage</name>
    <message>
        <source>Ways to sum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>products</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length of the dot product</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which numbers are multiplied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed of the numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>factors in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Format of the factors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sums in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Format of the sums</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chunk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Products in a chunk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tensor core</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which tensor core</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DotPlot</name>
    <message>
        <source>Relative error against length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relative error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>products</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DraftCell</name>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse for %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DraftForm</name>
    <message>
        <source>Data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ElementsModel</name>
    <message>
        <source>%1 %2, stored in %3 as %4%5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, with the loss scale in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tensor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>index</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ElementsPanel</name>
    <message>
        <source>Elements</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which elements are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the list of elements</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the other instruments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Number shown in all formats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the number in the inspector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flip its bits, and see it on its number line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chosen element in every format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all finite but 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>overflow in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>normal in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>subnormal in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flushed by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exactly 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>0 here, not in FP32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading: the step is repeated, as it was and in FP32.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No element is like that: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the largest in FP32 first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in their order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the largest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 elements, %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One element.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 elements, %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both columns carry the loss scale, %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They carry no loss scale.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These elements cannot be read: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is NaN in FP32 as well, or there is no such tensor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 rounded to each format</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EngineClient</name>
    <message>
        <source>%1 could not be started (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it sent what this window cannot read (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it speaks protocol %1, and this window speaks %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it did not say hello first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ended by signal %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it ended by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it ended with exit code %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EventBar</name>
    <message>
        <source>Events, newest first</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EventModel</name>
    <message>
        <source>%1: %2 is effective</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a run that is gone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: a what-if of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: forked from %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: first %2, %3 %4, %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 stopped: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind to before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>way back</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ExportDialog</name>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plots as a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data of the recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run as a program</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastModel</name>
    <message>
        <source>forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>updates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flushed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>overflow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>headroom</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2: of %3 numbers other than 0, %4 flushed to zero, %5 subnormal, %6 overflow; %7 comes closest to the limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1
%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share that would become 0: at least so many change no weight that is kept in the format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the numbers other than 0 that would become 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share that would keep fewer digits than the format has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share that would leave the format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often the largest number could still double</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastPage</name>
    <message>
        <source>Before a switch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Format to be switched to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Half the tried loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tried loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Twice the tried loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the loss scale that is safe</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>safe: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the loss scale %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over the last %1 looks, as %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each tensor has its own scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact: this step kept everything in FP32. How training would go on, a fork shows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 of %2, as if %3 stored every tensor. %4</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastTable</name>
    <message>
        <source>What the format would make of each layer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForkDialog</name>
    <message>
        <source>Fork %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A new run from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as it was before step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with this changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>called</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the new run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only as a what-if, of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps of the what-if</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A what-if trains at once, thin and dashed in the plots. It is kept or dismissed later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the one it comes from, with a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>See what if</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fork</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FormatRows</name>
    <message>
        <source>The number in every format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>becomes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>relative</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ulp</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look closer at %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number line and the buttons above are this format&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next number of %1 above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next number of %1 below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FormatsModel</name>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sign exponent mantissa</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rounded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>relative</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ulp</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>above</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FrozenTab</name>
    <message>
        <source>View frozen before the first step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View frozen at step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training goes on: %1 new %2. Space returns to the live end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GaugeList</name>
    <message>
        <source>Silent failures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often tensors are measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sampled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Costs nothing while it is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it costs is being measured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1&#x202f;% of a step&apos;s time, measured.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::HealthLine</name>
    <message>
        <source>Why?</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::InspectorPage</name>
    <message>
        <source>Value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value, as a number or as bits of the chosen format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>0.1, 1/3, pi, 2^-24, 0x1.8p-3, inf, nan; or bits: 0x3c00, 0 01111 0000000000</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rounded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How it is rounded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw again: round stochastically with other random bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>saturating</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is beyond the largest number becomes that number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chosen format&apos;s largest number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>smallest normal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chosen format&apos;s smallest normal number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>smallest subnormal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chosen format&apos;s smallest subnormal number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 + ε</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next number above 1 in the chosen format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A number is missing here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no number, and no bits of %1 (it has %2).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the bits of %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1:</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::InstrumentPages</name>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Instruments</name>
    <message>
        <source>all weight gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all forward tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all updates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>try %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>swallowed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flushed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These gradients are not finite: they say nothing of a scale.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At step %1:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over the last %1 looks:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No gradient of this run carries a loss scale.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Microscope</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensors under the microscope</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Format whose window is drawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>normal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>overflow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Elements by what the format makes of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A click on a count of the first row lists its elements</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the tried loss scale from the next step on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision strip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>updates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensors of the strip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>headroom</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>non-finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure of the strip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scale corridor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of gradients that may be flushed to zero</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at most %1&#x202f;% flushed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trains a copy of the run up to that step, and looks at all of its tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List the elements that are not finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lists the elements that are infinite or NaN: no bar counts them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✕ %1 not finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 elements are not finite: list them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nearest look: step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1; measuring step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LayoutSwitch</name>
    <message>
        <source>Layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layout: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LedgerModel</name>
    <message>
        <source>a card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>total</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes/parameter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch for %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights, master weights, gradients and optimizer, a parameter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest batch whose memory, with the data set beside it, fits %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::MainWindow</name>
    <message>
        <source>Mantissa</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List of keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show memory by purpose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1
Opened %2 instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Experiments (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restart from the beginning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep looking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 - Mantissa</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused on the way: it goes on with the next step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine declined</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine stopped at step %1: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine stopped: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything up to step %1 is still here: plots, read-out and pictures of them go on working.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has been trained yet, so nothing is lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restart and go on from the last recorded step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last words of the engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The loss of %1 is not scaled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an Inf in the next batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training goes on as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 skipped step %2: training is paused.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is before step %2 again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 did not repeat itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 came out differently on the way back: what follows may differ from the first time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a step first: point at it or click it in the plots.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click the step in the plots first: what was trained from there on will be gone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why? Look at step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy plot as picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy plot as table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings are kept from the next start of the engine on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No recordings are kept from the next start of the engine on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings (*.mantissa)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import runs to look at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs (*.csv *.jsonl *tfevents* *.mantissa);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import all runs of a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start afresh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to look at other runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The recording has a problem</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 Training goes on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window did not end properly last time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was recorded then is here again, from %1: nothing but the last moment is lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opened %1, written by version %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 can only be looked at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run, what happened to it</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language: %1, from the next start on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::MemoryModel</name>
    <message>
        <source>%1 % less than %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 % more than %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 (%3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 before the last switch</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::MemoryPanel</name>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of each run by purpose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, predicted = measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thin bar: before the last switch.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Microscope</name>
    <message>
        <source>Microscope: how often which magnitudes come</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss scale used %1, tried %2; left and right arrow try another one, up and down choose a bar, Enter lists its elements</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These numbers carry no loss scale; up and down choose a bar, Enter lists its elements</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flushed to 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>normal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>overflow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used %1, drag it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>try %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 from %2 to %3: click for the elements</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NumberField</name>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NumberLineView</name>
    <message>
        <source>Number line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 Left and right arrow step to the neighbours.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>halfway: a tie</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>halfway</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only finite numbers stand on a line</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::OriginCard</name>
    <message>
        <source>Where it began</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy this card and the verdict as text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest magnitude</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in order of execution, log2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was looked at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1, found in %2 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every tensor is finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sign, exponent, mantissa</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, bits %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PickerPage</name>
    <message>
        <source>New experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title of the experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create the experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine reads the data…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one for each format, its loss scaler as the format needs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of the card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of the card in GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of each run by purpose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No engine is running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With the data, %1 in all as each run has its own copy, the runs take %2. %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This machine has %1 to spare.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This machine has only %1 to spare.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Creating…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PicturePage</name>
    <message>
        <source>Which plot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The whole board</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind of file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PNG, a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SVG, a drawing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF, a drawing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light, for paper</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as a table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preview of the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1x, %2 × %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title, runs, seed and versions are in the picture and in its text fields; the experiment travels in the file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines and text stay sharp at any size. Title, runs, seed and versions are in the drawing and in its description.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines and text stay sharp at any size. Title, runs, seed and versions are on the page; the experiment is attached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotBoard</name>
    <message>
        <source>Follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the newest steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open an experiment, or add a run: each one gets its own line here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready to train</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start training, or take a single step. Each run draws its own line, step by step.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PrecisionControl</name>
    <message>
        <source>in force</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pending</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision of %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision of %1: %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pure formats, scaling, rounding and sums</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PrecisionStrip</name>
    <message>
        <source>Precision strip: layers over steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>0 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>100 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>non-finite ✕</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step was measured along the way.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ProgramPage</name>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Framework</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The settings of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no run to write down.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to see the program.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not saved: %2.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RaceModel</name>
    <message>
        <source>as this run has it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, edited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It ends at step %1: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scaler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run&apos;s own scaler, and every preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>wasted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps that it would have skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>longest row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most skips one after another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>headroom</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Powers of two by which the scale stayed below what a step would have borne, mean of the steps taken</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>final scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After the last step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step at which its framework would have ended the run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RacePage</name>
    <message>
        <source>Scaler race</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A step is a whole number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First step to be measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last step to be measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop measuring; what was measured stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scalers of the race</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The thresholds are those of the run as it went: a scaler that skips other steps would train other weights. Each scaler begins at the first step measured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A whole number, 1 or more; empty for the preset&apos;s own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A number above 0; empty for the preset&apos;s own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>grows every</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Growth interval of the chosen scaler, steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>begins at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Initial scale of the chosen scaler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train on with the chosen scaler, from the next step on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to measure steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure %1 steps of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: step %2 of %3 is being measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as if its gradients were stored in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run to look at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is only looked at: it has no weights here, and its steps cannot be repeated.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each step is repeated to see how high a loss scale it would have borne.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure how high a loss scale each step would have borne. Then every loss scaler is raced over the same steps, and you see how many each would have wasted.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RacePlot</name>
    <message>
        <source>Loss scales of the race over the steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strong: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✕ overflows: the step is skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 bears no loss scale.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 bears a loss scale of %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 bears any loss scale.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2, skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ReadoutModel</name>
    <message>
        <source>loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>raw</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accuracy, %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lr</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>k samples/s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ReadoutPanel</name>
    <message>
        <source>Read-out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read-out: the values of all runs at one step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no step yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>epoch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>quantity, value</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run, values</comment>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RecordingsPage</name>
    <message>
        <source>Recordings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>begun</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings, newest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the replay says</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the folder of recordings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Really delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the chosen recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train the chosen recording once more and compare every value, bit by bit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the chosen recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: the replay was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: trained once more…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: trained once more, step %2 of %3, identical so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (being recorded)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This engine keeps no recordings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are none yet in %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2, %3 in all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete %1? It cannot be brought back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop replay</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Replay</name>
    <message>
        <source>%1 could not be started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The replay ended without a word.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bit-identical: %1 steps of %2 runs, with %3 live changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (%1).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first difference is at step %1 of %2: %3 was %4 and is now %5.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunCard</name>
    <message>
        <source>Run %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunControls</name>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lr</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The learning rate is a number, 0 or more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradient norm clip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The clip is a number above 0, or empty for off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Learning rate of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradient norm clip of %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunHeader</name>
    <message>
        <source>Name of run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>emulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>native</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This format is emulated on the CPU: results are those of the format, speed is not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The CPU computes in this format itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what if</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recorded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A few steps of what could be; the run it comes from is not touched.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To be looked at: it has no weights here, and trains no further.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More about run %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunList</name>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunListModel</name>
    <message>
        <source>file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recorded, %1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what if, %1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 pending, next step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunNote</name>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from %1 at step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a run that is gone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep %1 as a run like others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunsDock</name>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a run with the selected run&apos;s settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in lock-step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each at its pace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, same seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why? Look at step %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScaleSpin</name>
    <message>
        <source>The scale is a positive number up to 3.4·10³⁸, such as 2^16.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScaleStrip</name>
    <message>
        <source>Loss scale</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScalerControls</name>
    <message>
        <source>Scaler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss scaler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss is not scaled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Double the loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Halve the loss scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Growth, backoff and interval of the loss scaler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A whole number, 1 or more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The bound is above 0, or empty for the preset&apos;s own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the preset&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>growth ×</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Growth factor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The growth factor is above 1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backoff ×</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backoff factor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backoff factor is between 0 and 1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>every, steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Growth interval, steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>smallest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hysteresis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hysteresis, overflows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>follows the largest gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>×%1, ×%2, every %3 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>growth ×%1, backoff ×%2, every %3 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss scaler of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss scale of %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StatusLine</name>
    <message>
        <source>Starting the engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine stopped; controls are disabled, nothing is lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused at step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine running; training goes on while the view is frozen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finished at step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewinding %1: step %2 of %3. Pause breaks off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 train, %3 validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, seed %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recording %1· %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1· %2, not recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1
%2 steps are safe there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StepCounter</name>
    <message>
        <source>The tape: press on it to choose a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · epoch %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StepQuestions</name>
    <message>
        <source>The engine has stopped: restart it to read a step.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Tape</name>
    <message>
        <source>No run has a step %1 to go back to.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run has no step %1 to go back to.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step chosen: click in the plots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind all runs to before step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind %1 alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fork %1 %2…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What if, with %1 %2…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind %1 to before its first non-finite step, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind %1 to before its last skip, %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TextPanel</name>
    <message>
        <source>Text that the model writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written after step %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ThroughputLine</name>
    <message>
        <source>Throughput</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>k samples/s, emulated on CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>k samples/s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TopBar</name>
    <message>
        <source>Train</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Single step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind, fork, what if</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset to step 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pace of training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Freeze view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the plots follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the tail again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crosshair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crosshair off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crosshair + values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next crosshair mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Frozen · %1 new steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Frozen, back to the live end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrialsModel</name>
    <message>
        <source>not run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>skip</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>non-finite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The forward pass was not finite.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>trial</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>non-finite
gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flushed
to zero</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>differs
from FP32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>outcome</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrialsTable</name>
    <message>
        <source>Trials: the step repeated in other ways</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TwinCurve</name>
    <message>
        <source>The chosen layer&apos;s difference over steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 at step %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>equal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>apart above %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first apart: step %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TwinMap</name>
    <message>
        <source>How far the runs are apart: layers over steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first apart: step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>equal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>10⁻⁶</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>100 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>non-finite ✕</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, step %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not compared</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TwinsPage</name>
    <message>
        <source>Twins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run to compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>against</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run that it is compared against</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference above which they are apart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>apart at all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>apart above %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whole run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>last %1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps to compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare the two runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference by layer and step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weight gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensors that are compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference of one layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two runs that can be trained here are held against each other, tensor by tensor. Add a run, or fork one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train a few steps: then the two runs can be held against each other, tensor by tensor.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In which layer, and at which step, do they part? Press Compare: copies of both runs go back and are trained again side by side, and each tensor of the one is held against the other&apos;s. The runs themselves stay where they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparing: %1 of %2 steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 steps were compared. Differences are relative to %3, without loss scales.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop comparing; training pauses</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stops comparing, and pauses training. What was found stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The comparison ended: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to compare yet.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::VerdictCard</name>
    <message>
        <source>Verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>normal for a dynamic scaler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try what would help on the next batches, without committing anything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is wrong with this step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every tensor, every gradient and the loss are finite.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tried on the next %1 batches, nothing committed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not tried yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1 repeated, nothing committed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train on with nothing changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, from the next step on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try it first: what it would do is shown before it is done.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not tried yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More ways to use: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the next step on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In a new run, from before this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What if: %1 steps from before this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>mantissa::gui::VerdictPanel</name>
    <message>
        <source>Scaler verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in Diagnose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run scales its loss.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step skipped so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 step skipped, step %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 steps skipped so far, the last at step %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 clean steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It grows to %1 after %2 more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>

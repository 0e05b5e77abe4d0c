<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name>QMenu</name>
    <message>
        <source>Weights are written</source>
        <translation>Gewichte werden geschrieben</translation>
    </message>
    <message>
        <source>Rounded to nearest even</source>
        <translation>Zur nächsten geraden Zahl gerundet</translation>
    </message>
    <message>
        <source>Rounded stochastically</source>
        <translation>Stochastisch gerundet</translation>
    </message>
    <message>
        <source>With Kahan&apos;s summation</source>
        <translation>Mit Kahan-Summation</translation>
    </message>
    <message>
        <source>FP8 scales come from</source>
        <translation>FP8-Skalen kommen aus</translation>
    </message>
    <message>
        <source>Past steps (delayed)</source>
        <translation>Vergangenen Schritten (delayed)</translation>
    </message>
    <message>
        <source>The tensor itself (current)</source>
        <translation>Dem Tensor selbst (current)</translation>
    </message>
    <message>
        <source>To nearest, ties away (cvt.rna)</source>
        <translation>Zur nächsten, Mitte von null weg (cvt.rna)</translation>
    </message>
    <message>
        <source>Toward zero (raw tensor core)</source>
        <translation>Zur Null hin (roher Tensor-Core)</translation>
    </message>
    <message>
        <source>Hopper&apos;s tensor cores, promoted each 128</source>
        <translation>Tensor-Cores von Hopper, alle 128 übertragen</translation>
    </message>
    <message>
        <source>As the policy</source>
        <translation>Wie die Policy</translation>
    </message>
    <message>
        <source>As %1</source>
        <translation>Wie %1</translation>
    </message>
    <message>
        <source>Matmul accumulator</source>
        <translation>Matmul-Akkumulator</translation>
    </message>
    <message>
        <source>To nearest even (cuBLAS)</source>
        <translation>Zur nächsten geraden Zahl (cuBLAS)</translation>
    </message>
    <message>
        <source>TF32 inputs are rounded</source>
        <translation>TF32-Eingaben werden gerundet</translation>
    </message>
    <message>
        <source>Recipe of %1</source>
        <translation>Rezept von %1</translation>
    </message>
    <message>
        <source>Gradients are</source>
        <translation>Gradienten sind</translation>
    </message>
    <message>
        <source>Scales are</source>
        <translation>Skalen sind</translation>
    </message>
    <message>
        <source>Rounded up (Transformer Engine)</source>
        <translation>Aufgerundet (Transformer Engine)</translation>
    </message>
    <message>
        <source>Rounded down (OCP)</source>
        <translation>Abgerundet (OCP)</translation>
    </message>
    <message>
        <source>Weights in square blocks</source>
        <translation>Gewichte in quadratischen Blöcken</translation>
    </message>
    <message>
        <source>Random Hadamard transform for weight gradients</source>
        <translation>Zufällige Hadamard-Transformation für Gewichtsgradienten</translation>
    </message>
    <message>
        <source>Gradients rounded stochastically</source>
        <translation>Gradienten stochastisch gerundet</translation>
    </message>
    <message>
        <source>Last 15 % of the blocks in BF16</source>
        <translation>Letzte 15 % der Blöcke in BF16</translation>
    </message>
    <message>
        <source>Forward products in BF16</source>
        <translation>Vorwärtsprodukte in BF16</translation>
    </message>
    <message>
        <source>Powers of two (Transformer Engine)</source>
        <translation>Zweierpotenzen (Transformer Engine)</translation>
    </message>
    <message>
        <source>FP32 numbers</source>
        <translation>FP32-Zahlen</translation>
    </message>
    <message>
        <source>Input of weight gradients requantised from its rows</source>
        <translation>Eingabe der Gewichtsgradienten aus ihren Zeilen neu quantisiert</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Mantissa %1</source>
        <translation>Mantissa %1</translation>
    </message>
    <message>
        <source>A desktop precision lab: the same network trained side by side in several number formats, each with its own loss scaler, and what that does to loss, scale, skipped steps, memory and speed.

The window is free software under the GPL, version 3 or later; engine and kernels are under the Apache License 2.0. Plots are drawn by QCustomPlot, the window by Qt.</source>
        <translation>Ein Präzisionslabor für den Schreibtisch: dasselbe Netz nebeneinander in mehreren Zahlenformaten trainiert, jedes mit eigenem Loss-Scaler, und was das mit Loss, Loss-Scale, übersprungenen Schritten, Speicher und Tempo macht.

Das Fenster ist freie Software unter der GPL, Version 3 oder neuer; Engine und Kernel stehen unter der Apache-Lizenz 2.0. Die Diagramme zeichnet QCustomPlot, das Fenster Qt.</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>%1 · 1 thread</source>
        <translation>%1 · 1 Thread</translation>
    </message>
    <message>
        <source>%1 · %2 threads</source>
        <translation>%1 · %2 Threads</translation>
    </message>
    <message>
        <source>no device</source>
        <translation>kein Gerät</translation>
    </message>
    <message>
        <source>full speed</source>
        <translation>volles Tempo</translation>
    </message>
    <message>
        <source>1 step/s</source>
        <translation>1 Schritt/s</translation>
    </message>
    <message>
        <source>%1 steps/s</source>
        <translation>%1 Schritte/s</translation>
    </message>
    <message>
        <source>%1 · steady, %2 of %3 clean</source>
        <translation>%1 · stabil, %2 von %3 sauber</translation>
    </message>
    <message>
        <source>Why? Examine step %1 of %2</source>
        <translation>Warum? Schritt %1 von %2 ansehen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Verbergen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>scale %1</source>
        <translation>Scale %1</translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation>Grad.-Norm</translation>
    </message>
    <message>
        <source>%1 skipped</source>
        <translation>%1 übersprungen</translation>
    </message>
    <message>
        <source>not begun yet</source>
        <translation>noch nicht begonnen</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 Schritt</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 Schritte</translation>
    </message>
    <message>
        <source>, %1 of %2</source>
        <translation>, %1 von %2</translation>
    </message>
    <message>
        <source>all finite</source>
        <translation>alles endlich</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Backward, loss × %1</source>
        <translation>Rückwärts, Loss × %1</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Update</translation>
    </message>
    <message>
        <source>%1 not finite</source>
        <translation>%1 nicht endlich</translation>
    </message>
    <message>
        <source>all 0</source>
        <translation>alle 0</translation>
    </message>
    <message>
        <source>finite</source>
        <translation>endlich</translation>
    </message>
    <message>
        <source>magnitudes %1 to %2</source>
        <translation>Beträge %1 bis %2</translation>
    </message>
    <message>
        <source>magnitudes up to %1</source>
        <translation>Beträge bis %1</translation>
    </message>
    <message>
        <source>%1, the only one of %2</source>
        <translation>%1, das einzige von %2</translation>
    </message>
    <message>
        <source>%1, the first of %2 among %3</source>
        <translation>%1, das erste von %2 unter %3</translation>
    </message>
    <message>
        <source>in none of %1 parameters</source>
        <translation>in keinem von %1 Parametern</translation>
    </message>
    <message>
        <source> and %1 more</source>
        <translation> und %1 weitere</translation>
    </message>
    <message>
        <source>no gradient is finite</source>
        <translation>kein Gradient ist endlich</translation>
    </message>
    <message>
        <source>1 other parameter is finite</source>
        <translation>1 weiterer Parameter ist endlich</translation>
    </message>
    <message>
        <source>%1 other parameters are finite</source>
        <translation>%1 weitere Parameter sind endlich</translation>
    </message>
    <message>
        <source>element</source>
        <translation>Element</translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation>in FP32</translation>
    </message>
    <message>
        <source>%1, a sum of %2 products</source>
        <translation>%1, eine Summe von %2 Produkten</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>, %1 times the limit of %2</source>
        <translation>, das %1-Fache der Grenze von %2</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>größtes</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>liest</translation>
    </message>
    <message>
        <source>%1, gradient</source>
        <translation>%1, Gradient</translation>
    </message>
    <message>
        <source>%1 · instruction %2 of %3</source>
        <translation>%1 · Befehl %2 von %3</translation>
    </message>
    <message>
        <source>producer: its inputs are finite</source>
        <translation>Erzeuger: seine Eingaben sind endlich</translation>
    </message>
    <message>
        <source>passed on: the data held it</source>
        <translation>weitergegeben: die Daten enthielten es</translation>
    </message>
    <message>
        <source>passed on: what it reads is not finite</source>
        <translation>weitergegeben: was es liest, ist nicht endlich</translation>
    </message>
    <message>
        <source>%1, step %2, loss scale %3</source>
        <translation>%1, Schritt %2, Loss-Scale %3</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>Schritte %1 bis %2</translation>
    </message>
    <message>
        <source>not finite in both</source>
        <translation>in beiden nicht endlich</translation>
    </message>
    <message>
        <source>infinite</source>
        <translation>unendlich</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>all plots</source>
        <translation>alle Diagramme</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source> A table of %1 rows is too long for the clipboard: zoom in, or export a CSV.</source>
        <translation> Eine Tabelle mit %1 Zeilen ist zu lang für die Zwischenablage: zoomen Sie hinein, oder exportieren Sie eine CSV-Datei.</translation>
    </message>
    <message>
        <source>a table of %1 rows</source>
        <translation>Tabelle mit %1 Zeilen</translation>
    </message>
    <message>
        <source>Copied %1 as %2.</source>
        <translation>Kopiert: %1 als %2.</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 Mio.</translation>
    </message>
    <message>
        <source>engine %1</source>
        <translation>Engine %1</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>Seed %1</translation>
    </message>
    <message>
        <source>seeds %1</source>
        <translation>Seeds %1</translation>
    </message>
    <message>
        <source>Runs: %1.</source>
        <translation>Läufe: %1.</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>%1 kann nicht geschrieben werden: %2.</translation>
    </message>
    <message>
        <source>%1 was not written: the picture could not be drawn.</source>
        <translation>%1 wurde nicht geschrieben: das Bild ließ sich nicht zeichnen.</translation>
    </message>
    <message>
        <source>%1 was not written: %2.</source>
        <translation>%1 wurde nicht geschrieben: %2.</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>step %1, %2</source>
        <translation>Schritt %1, %2</translation>
    </message>
    <message>
        <source>Events: %1. %2</source>
        <translation>Ereignisse: %1. %2</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Nothing yet: changes, skips and non-finite values will be listed here.</source>
        <translation>Noch nichts: Änderungen, übersprungene Schritte und nicht endliche Werte stehen dann hier.</translation>
    </message>
    <message>
        <source>%1 changes</source>
        <translation>%1 Änderungen</translation>
    </message>
    <message>
        <source>step %1  %2: %3</source>
        <translation>Schritt %1  %2: %3</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>step %1 skipped</source>
        <translation>Schritt %1 übersprungen</translation>
    </message>
    <message>
        <source>%1 steps skipped, %2 to %3</source>
        <translation>%1 Schritte übersprungen, %2 bis %3</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>log</source>
        <translation>log</translation>
    </message>
    <message>
        <source>smoothing %1, raw trace behind</source>
        <translation>Glättung %1, dahinter die Rohwerte</translation>
    </message>
    <message>
        <source>smoothing %1 of the logarithm, raw trace behind</source>
        <translation>Glättung %1 des Logarithmus, dahinter die Rohwerte</translation>
    </message>
    <message>
        <source>smoothing %1 of the symlog value, raw trace behind</source>
        <translation>Glättung %1 des Symlog-Werts, dahinter die Rohwerte</translation>
    </message>
    <message>
        <source>not smoothed</source>
        <translation>nicht geglättet</translation>
    </message>
    <message>
        <source>, %1 NaN</source>
        <translation>, %1 NaN</translation>
    </message>
    <message>
        <source>, validation %1</source>
        <translation>, Validierung %1</translation>
    </message>
    <message>
        <source>no steps yet</source>
        <translation>noch keine Schritte</translation>
    </message>
    <message>
        <source>clip %1</source>
        <translation>Clip %1</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>%1 is emulated: not a hardware speed</source>
        <translation>%1 ist emuliert: kein Hardware-Tempo</translation>
    </message>
    <message>
        <source>%1 and %2 are emulated: not a hardware speed</source>
        <translation>%1 und %2 sind emuliert: kein Hardware-Tempo</translation>
    </message>
    <message>
        <source>train</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>run %1: %2</source>
        <translation>Lauf %1: %2</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>powers of two</source>
        <translation>Zweierpotenzen</translation>
    </message>
    <message>
        <source>No run scales its loss</source>
        <translation>Kein Lauf skaliert seinen Loss</translation>
    </message>
    <message>
        <source>Only %1 scales its loss</source>
        <translation>Nur %1 skaliert seinen Loss</translation>
    </message>
    <message>
        <source>%1 scale their loss</source>
        <translation>%1 skalieren ihren Loss</translation>
    </message>
    <message>
        <source>loss is not scaled</source>
        <translation>Loss wird nicht skaliert</translation>
    </message>
    <message>
        <source>Skipped steps</source>
        <translation>Übersprungene Schritte</translation>
    </message>
    <message>
        <source>%1 so far</source>
        <translation>bisher %1</translation>
    </message>
    <message>
        <source>a tick per skip, running total below</source>
        <translation>ein Strich je Skip, darunter die Summe</translation>
    </message>
    <message>
        <source>no step skipped</source>
        <translation>kein Schritt übersprungen</translation>
    </message>
    <message>
        <source>%1 skipped, the last at step %2</source>
        <translation>%1 übersprungen, zuletzt Schritt %2</translation>
    </message>
    <message>
        <source>%1, weight gradient</source>
        <translation>%1, Gewichtsgradient</translation>
    </message>
    <message>
        <source>%1, input gradient</source>
        <translation>%1, Eingabegradient</translation>
    </message>
    <message>
        <source>%1, bias gradient</source>
        <translation>%1, Bias-Gradient</translation>
    </message>
    <message>
        <source>, no NaN</source>
        <translation>, kein NaN</translation>
    </message>
    <message>
        <source>, %1 Inf</source>
        <translation>, %1 Inf</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>Scale</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>masters</source>
        <translation>Master</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Workspace</translation>
    </message>
    <message>
        <source>%1, %2 runs, %3</source>
        <translation>%1, %2 Läufe, %3</translation>
    </message>
    <message>
        <source>scale %1, %2 skips in the last %3 steps</source>
        <translation>Scale %1, %2 übersprungen in den letzten %3 Schritten</translation>
    </message>
    <message>
        <source>to nearest, ties away from 0</source>
        <translation>zur nächsten Zahl, Mitte von 0 weg</translation>
    </message>
    <message>
        <source>toward 0</source>
        <translation>zur 0 hin</translation>
    </message>
    <message>
        <source>stochastic</source>
        <translation>stochastisch</translation>
    </message>
    <message>
        <source>to nearest, ties to even</source>
        <translation>zur nächsten Zahl, Mitte zur geraden</translation>
    </message>
    <message>
        <source>NaN is on no line. %1 makes of it: %2.</source>
        <translation>NaN liegt auf keinem Strahl. %1 macht daraus: %2.</translation>
    </message>
    <message>
        <source>%1 is beyond the ends of the line. %2 makes of it: %3.</source>
        <translation>%1 liegt jenseits der Enden des Strahls. %2 macht daraus: %3.</translation>
    </message>
    <message>
        <source>it becomes %2, rounded %1</source>
        <translation>es wird zu %2, gerundet %1</translation>
    </message>
    <message>
        <source>%1 is a number of %2.</source>
        <translation>%1 ist eine Zahl von %2.</translation>
    </message>
    <message>
        <source>%1 is beyond %2; %3.</source>
        <translation>%1 liegt jenseits von %2; %3.</translation>
    </message>
    <message>
        <source>, and %1 does not have %2</source>
        <translation>, und %1 hat kein %2</translation>
    </message>
    <message>
        <source>A tie: %1 is exactly halfway between %2 and %3%4; %5.</source>
        <translation>Genau die Mitte: %1 liegt zwischen %2 und %3%4; %5.</translation>
    </message>
    <message>
        <source>%1 goes up to %2 in %3 % of all draws, else down to %4%5; in this draw it becomes %6.</source>
        <translation>%1 geht in %3 % aller Züge hinauf zu %2, sonst hinunter zu %4%5; in diesem Zug wird es %6.</translation>
    </message>
    <message>
        <source>%1 lies %2 % of the way from %3 to %4%5; %6.</source>
        <translation>%1 liegt %2 % des Weges von %3 zu %4%5; %6.</translation>
    </message>
    <message>
        <source>Taken as the nearest FP32 number, %1: every format is a rounding of FP32.</source>
        <translation>Als nächste FP32-Zahl genommen, %1: jedes Format ist eine Rundung von FP32.</translation>
    </message>
    <message>
        <source>normal, mean 0</source>
        <translation>normalverteilt, Mittel 0</translation>
    </message>
    <message>
        <source>uniform, 0 to 1</source>
        <translation>gleichverteilt, 0 bis 1</translation>
    </message>
    <message>
        <source>one large, many small</source>
        <translation>eine große, viele kleine</translation>
    </message>
    <message>
        <source>alternating signs</source>
        <translation>wechselnde Vorzeichen</translation>
    </message>
    <message>
        <source>%1, rounded stochastically</source>
        <translation>%1, stochastisch gerundet</translation>
    </message>
    <message>
        <source>%1, chunks of %2</source>
        <translation>%1, Blöcke von %2</translation>
    </message>
    <message>
        <source>%1, pairwise</source>
        <translation>%1, paarweise</translation>
    </message>
    <message>
        <source>%1, Kahan</source>
        <translation>%1, Kahan</translation>
    </message>
    <message>
        <source>%1, FP32 every %2</source>
        <translation>%1, FP32 alle %2</translation>
    </message>
    <message>
        <source>Each product is added to the sum, and the sum rounded to FP32.</source>
        <translation>Jedes Produkt wird zur Summe addiert und die Summe auf FP32 gerundet.</translation>
    </message>
    <message>
        <source>Each sum is rounded up with the probability of its fraction: what one addition loses, others make up for on average.</source>
        <translation>Jede Summe wird mit der Wahrscheinlichkeit ihres Bruchteils aufgerundet: was eine Addition verliert, holen andere im Mittel wieder herein.</translation>
    </message>
    <message>
        <source>Each product is added to the sum, and the sum rounded. Once a product is less than half the gap at the sum, nothing changes any more.</source>
        <translation>Jedes Produkt wird zur Summe addiert und die Summe gerundet. Sobald ein Produkt kleiner ist als der halbe Abstand bei der Summe, ändert sich nichts mehr.</translation>
    </message>
    <message>
        <source>Each chunk has a sum of its own, which stays small; the chunks&apos; sums are added at the end, in the same format.</source>
        <translation>Jeder Block hat seine eigene Summe, die klein bleibt; am Ende werden die Summen der Blöcke addiert, im selben Format.</translation>
    </message>
    <message>
        <source>Halves of halves: what is added is of like size, and each product goes through few roundings.</source>
        <translation>Hälften von Hälften: was addiert wird, ist ähnlich groß, und jedes Produkt geht durch wenige Rundungen.</translation>
    </message>
    <message>
        <source>A second number of the format carries what the sum has lost, and gives it back with the next product.</source>
        <translation>Eine zweite Zahl des Formats trägt, was die Summe verloren hat, und gibt es mit dem nächsten Produkt zurück.</translation>
    </message>
    <message>
        <source>A few products at a time are cut to the scale of the largest, added exactly, and cut again. Errors are in ulp of the sum&apos;s own format.</source>
        <translation>Einige Produkte auf einmal werden auf die Skala des größten gekürzt, genau addiert und wieder gekürzt. Fehler stehen in ulp des Formats der Summe.</translation>
    </message>
    <message>
        <source>After each chunk the sum moves to FP32, and begins at 0 again.</source>
        <translation>Nach jedem Block geht die Summe nach FP32 und beginnt wieder bei 0.</translation>
    </message>
    <message>
        <source>%1: the sum of %2 products is %3; the exact value is %4.</source>
        <translation>%1: die Summe von %2 Produkten ist %3; genau wäre %4.</translation>
    </message>
    <message>
        <source>%1: the sum of %2 products is exact, %3.</source>
        <translation>%1: die Summe von %2 Produkten ist genau, %3.</translation>
    </message>
    <message>
        <source>%1: %2 products give %3; the exact value is %4. That is %5 ulp of %6 off.</source>
        <translation>%1: %2 Produkte ergeben %3; genau wäre %4. Das sind %5 ulp von %6 daneben.</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>übersprungen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>--screenshot takes a file that ends in .png, not &apos;%1&apos;</source>
        <translation>--screenshot braucht eine Datei, die auf .png endet, nicht &apos;%1&apos;</translation>
    </message>
    <message>
        <source>--screenshot: there is no folder %1</source>
        <translation>--screenshot: es gibt keinen Ordner %1</translation>
    </message>
    <message>
        <source>--screenshot: %1 cannot be written</source>
        <translation>--screenshot: %1 kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>--after-steps takes a number of steps from 0 to %1, not &apos;%2&apos;</source>
        <translation>--after-steps braucht eine Schrittzahl von 0 bis %1, nicht &apos;%2&apos;</translation>
    </message>
    <message>
        <source>--after-steps goes with --screenshot</source>
        <translation>--after-steps geht nur mit --screenshot</translation>
    </message>
    <message>
        <source>--size is WIDTHxHEIGHT, from %1x%2 to %3x%4, not &apos;%5&apos;</source>
        <translation>--size ist BREITExHÖHE, von %1x%2 bis %3x%4, nicht &apos;%5&apos;</translation>
    </message>
    <message>
        <source>--layout is explore, diagnose or present, not &apos;%1&apos;</source>
        <translation>--layout ist explore, diagnose oder present, nicht &apos;%1&apos;</translation>
    </message>
    <message>
        <source>there is no recording %1</source>
        <translation>es gibt keine Aufzeichnung %1</translation>
    </message>
    <message>
        <source>run %1, hidden</source>
        <translation>Lauf %1, verborgen</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>What is 0 or less has no place on it.</source>
        <translation>Was 0 oder kleiner ist, hat darauf keinen Platz.</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Values of 0 or less are hidden, and counted.</source>
        <translation>Werte von 0 oder weniger sind verborgen und werden gezählt.</translation>
    </message>
    <message>
        <source>Symlog</source>
        <translation>Symlog</translation>
    </message>
    <message>
        <source>Linear about 0, logarithmic beyond on both sides.</source>
        <translation>Linear um 0, darüber hinaus beidseits logarithmisch.</translation>
    </message>
    <message>
        <source>Robust range</source>
        <translation>Robuster Bereich</translation>
    </message>
    <message>
        <source>A few outliers that would squash the rest are left outside, and marked.</source>
        <translation>Wenige Ausreißer, die den Rest stauchen würden, bleiben draußen und werden markiert.</translation>
    </message>
    <message>
        <source>Fit everything</source>
        <translation>Alles einpassen</translation>
    </message>
    <message>
        <source>Outliers too, however much they squash the rest.</source>
        <translation>Auch Ausreißer, wie sehr sie den Rest auch stauchen.</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>Fit this plot</source>
        <translation>Dieses Diagramm einpassen</translation>
    </message>
    <message>
        <source>Unlink its x axis</source>
        <translation>x-Achse lösen</translation>
    </message>
    <message>
        <source>Share the x axis again</source>
        <translation>x-Achse wieder teilen</translation>
    </message>
    <message>
        <source>Smoothing, from none to 0.999</source>
        <translation>Glättung, von keiner bis 0.999</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>loss scale grew from %1 to %2</source>
        <translation>Loss-Scale wuchs von %1 auf %2</translation>
    </message>
    <message>
        <source>loss scale grew %1 times, from %2 to %3, the last at step %4</source>
        <translation>Loss-Scale wuchs %1-mal, von %2 auf %3, zuletzt bei Schritt %4</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>fork</source>
        <translation>Abzweig</translation>
    </message>
    <message>
        <source>skip</source>
        <translation>Skip</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>above the axis</source>
        <translation>über der Achse</translation>
    </message>
    <message>
        <source>below the axis</source>
        <translation>unter der Achse</translation>
    </message>
    <message>
        <source>symlog, linear within ±%1</source>
        <translation>symlog, linear innerhalb ±%1</translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation>mehr als %1</translation>
    </message>
    <message>
        <source>%1 points above and %2 below, clipped</source>
        <translation>%1 Punkte darüber und %2 darunter, abgeschnitten</translation>
    </message>
    <message>
        <source>1 point above, clipped</source>
        <translation>1 Punkt darüber, abgeschnitten</translation>
    </message>
    <message>
        <source>1 point below, clipped</source>
        <translation>1 Punkt darunter, abgeschnitten</translation>
    </message>
    <message>
        <source>%1 points above, clipped</source>
        <translation>%1 Punkte darüber, abgeschnitten</translation>
    </message>
    <message>
        <source>%1 points below, clipped</source>
        <translation>%1 Punkte darunter, abgeschnitten</translation>
    </message>
    <message>
        <source>1 value ≤ 0 hidden</source>
        <translation>1 Wert ≤ 0 verborgen</translation>
    </message>
    <message>
        <source>%1 values ≤ 0 hidden</source>
        <translation>%1 Werte ≤ 0 verborgen</translation>
    </message>
    <message>
        <source>global, unscaled, before clipping</source>
        <translation>global, unskaliert, vor dem Clipping</translation>
    </message>
    <message>
        <source>own x axis</source>
        <translation>eigene x-Achse</translation>
    </message>
    <message>
        <source>No run that is shown scales its loss</source>
        <translation>Kein gezeigter Lauf skaliert seinen Loss</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>wall time</source>
        <translation>Laufzeit</translation>
    </message>
    <message>
        <source>training time</source>
        <translation>Trainingszeit</translation>
    </message>
    <message>
        <source>The number of the step, from 0.</source>
        <translation>Die Nummer des Schritts, ab 0.</translation>
    </message>
    <message>
        <source>Samples that the run has used up, that step&apos;s included.</source>
        <translation>Beispiele, die der Lauf verbraucht hat, die des Schritts eingeschlossen.</translation>
    </message>
    <message>
        <source>Samples used up by the number of training samples.</source>
        <translation>Verbrauchte Beispiele durch die Anzahl der Trainingsbeispiele.</translation>
    </message>
    <message>
        <source>Seconds since training began, whichever run had its turn; pauses do not count.</source>
        <translation>Sekunden seit Beginn des Trainings, gleich welcher Lauf an der Reihe war; Pausen zählen nicht.</translation>
    </message>
    <message>
        <source>Seconds of its steps alone, without validation.</source>
        <translation>Sekunden allein seiner Schritte, ohne Validierung.</translation>
    </message>
    <message>
        <source>%1, log</source>
        <translation>%1, log</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 d</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>layout change</source>
        <translation>Änderung der Anordnung</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>Farbe</translation>
    </message>
    <message>
        <source>Blue, disc</source>
        <translation>Blau, Scheibe</translation>
    </message>
    <message>
        <source>Vermilion, square</source>
        <translation>Zinnober, Quadrat</translation>
    </message>
    <message>
        <source>Green, plus</source>
        <translation>Grün, Plus</translation>
    </message>
    <message>
        <source>Purple, ring</source>
        <translation>Purpur, Ring</translation>
    </message>
    <message>
        <source>Amber, open square</source>
        <translation>Bernstein, offenes Quadrat</translation>
    </message>
    <message>
        <source>Sky blue, star</source>
        <translation>Himmelblau, Stern</translation>
    </message>
    <message>
        <source>%1, as now</source>
        <translation>%1, wie jetzt</translation>
    </message>
    <message>
        <source>%1, swapped with %2</source>
        <translation>%1, im Tausch mit %2</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>stored state</source>
        <translation>abgelegter Zustand</translation>
    </message>
    <message>
        <source>the runs share the device by turns</source>
        <translation>die Läufe teilen sich das Gerät abwechselnd</translation>
    </message>
    <message>
        <source>%1 Loss at the end: %2, in validation %3 (%4&#x202f;% right).</source>
        <translation>%1 Loss am Ende: %2, in der Validierung %3 (%4&#x202f;% richtig).</translation>
    </message>
    <message>
        <source>%1 Loss at the end: %2, in validation %3.</source>
        <translation>%1 Loss am Ende: %2, in der Validierung %3.</translation>
    </message>
    <message>
        <source>%1 Loss at the end: %2.</source>
        <translation>%1 Loss am Ende: %2.</translation>
    </message>
    <message>
        <source>micro-batch %1 of %2</source>
        <translation>Mikro-Batch %1 von %2</translation>
    </message>
    <message>
        <source>the text from token %1 on</source>
        <translation>der Text ab Token %1</translation>
    </message>
    <message>
        <source>row %1 of the data set</source>
        <translation>Zeile %1 des Datensatzes</translation>
    </message>
    <message>
        <source>from</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>What is wrong with my training?</source>
        <translation>Was stimmt mit meinem Training nicht?</translation>
    </message>
    <message>
        <source>not finite since step %1</source>
        <translation>nicht endlich seit Schritt %1</translation>
    </message>
    <message>
        <source>the loss of step %1 is not finite</source>
        <translation>der Loss von Schritt %1 ist nicht endlich</translation>
    </message>
    <message>
        <source>the loss was %1 and is %2</source>
        <translation>der Loss war %1 und ist %2</translation>
    </message>
    <message>
        <source>the loss is %1, and that of %2 is %3</source>
        <translation>der Loss ist %1, der von %2 ist %3</translation>
    </message>
    <message>
        <source>%1 of %2 steps skipped</source>
        <translation>%1 von %2 Schritten übersprungen</translation>
    </message>
    <message>
        <source>the loss scale is %1</source>
        <translation>die Loss-Scale ist %1</translation>
    </message>
    <message>
        <source>%1 of %2 clean steps to a growth, and %3 steps are left</source>
        <translation>%1 von %2 sauberen Schritten bis zum Wachsen, und %3 Schritte bleiben</translation>
    </message>
    <message>
        <source>%1 samples/s, %2 has %3; the format is emulated here</source>
        <translation>%1 Beispiele/s, %2 hat %3; das Format ist hier emuliert</translation>
    </message>
    <message>
        <source>%1 samples/s, %2 has %3</source>
        <translation>%1 Beispiele/s, %2 hat %3</translation>
    </message>
    <message>
        <source>%1, %2 has %3</source>
        <translation>%1, %2 hat %3</translation>
    </message>
    <message>
        <source>running statistics are not finite</source>
        <translation>laufende Statistiken sind nicht endlich</translation>
    </message>
    <message>
        <source>the latest validation is not finite, and training is</source>
        <translation>die letzte Validierung ist nicht endlich, das Training ist es</translation>
    </message>
    <message>
        <source>%1 exceeds the range of FP16 at step %2</source>
        <translation>%1 verlässt FP16 in Schritt %2</translation>
    </message>
    <message>
        <source>the gradient norm is %1, and the bound %2</source>
        <translation>die Gradientennorm ist %1, die Schranke %2</translation>
    </message>
    <message>
        <source>In FP32: %1 of the arithmetic, %2 of the memory traffic.</source>
        <translation>In FP32: %1 der Rechnung, %2 des Speicherverkehrs.</translation>
    </message>
    <message>
        <source>Silent failure</source>
        <translation>Stiller Fehler</translation>
    </message>
    <message>
        <source>Waiting for an earlier question</source>
        <translation>Wartet auf eine frühere Frage</translation>
    </message>
    <message>
        <source>Going back to the step: %1 of %2 steps</source>
        <translation>Zurück zum Schritt: %1 von %2 Schritten</translation>
    </message>
    <message>
        <source>Going back to the step</source>
        <translation>Zurück zum Schritt</translation>
    </message>
    <message>
        <source>Repeating the step in other ways</source>
        <translation>Der Schritt wird auf andere Weise wiederholt</translation>
    </message>
    <message>
        <source>Comparing the step with FP32</source>
        <translation>Der Schritt wird mit FP32 verglichen</translation>
    </message>
    <message>
        <source>Searching for the layers that need FP32</source>
        <translation>Gesucht werden die Schichten, die FP32 brauchen</translation>
    </message>
    <message>
        <source>Trying: %1, %2 of %3 steps</source>
        <translation>Versucht wird: %1, %2 von %3 Schritten</translation>
    </message>
    <message>
        <source>Trying: %1</source>
        <translation>Versucht wird: %1</translation>
    </message>
    <message>
        <source>Measuring: %1 of %2 steps</source>
        <translation>Gemessen: %1 von %2 Schritten</translation>
    </message>
    <message>
        <source>%1, sequential</source>
        <translation>%1, der Reihe nach</translation>
    </message>
    <message>
        <source>Rewind to step %1</source>
        <translation>Zurück zu Schritt %1</translation>
    </message>
    <message>
        <source>Rewind %1 to step %2</source>
        <translation>%1 zu Schritt %2 zurückspulen</translation>
    </message>
    <message>
        <source>health is shown after the answer</source>
        <translation>Zustand nach der Antwort sichtbar</translation>
    </message>
    <message>
        <source>Skips and non-finite values are shown after the answer.</source>
        <translation>Skips und nicht endliche Werte werden nach der Antwort gezeigt.</translation>
    </message>
    <message>
        <source>above each plot, in the colour of the run</source>
        <translation>über jedem Diagramm, in der Farbe des Laufs</translation>
    </message>
    <message>
        <source>validation loss</source>
        <translation>Validierungs-Loss</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>Wertebereich</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Loss scaler</source>
        <translation>Loss-Scaler</translation>
    </message>
    <message>
        <source>Mistakes</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Eight bits and fewer</source>
        <translation>Acht Bit und weniger</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Weitere</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>format, its loss</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Final loss: %1</source>
        <translation>Loss am Ende: %1</translation>
    </message>
    <message>
        <source>Catching up: step %1 of %2.</source>
        <translation>Holt auf: Schritt %1 von %2.</translation>
    </message>
    <message>
        <source>Hide this plot</source>
        <translation>Dieses Diagramm ausblenden</translation>
    </message>
    <message>
        <source>The usual plots</source>
        <translation>Die üblichen Diagramme</translation>
    </message>
    <message>
        <source>Validation accuracy</source>
        <translation>Genauigkeit der Validierung</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Zero gradients</source>
        <translation>Gradienten gleich 0</translation>
    </message>
    <message>
        <source>% of weight gradients, those flushed to 0 among them</source>
        <translation>% der Gradienten der Gewichte, auch die zu 0 gerundeten</translation>
    </message>
    <message>
        <source>Subnormal gradients</source>
        <translation>Subnormale Gradienten</translation>
    </message>
    <message>
        <source>% of activation gradients other than 0</source>
        <translation>% der Gradienten der Aktivierungen ungleich 0</translation>
    </message>
    <message>
        <source>Inf and NaN</source>
        <translation>Inf und NaN</translation>
    </message>
    <message>
        <source>% of activations and gradients</source>
        <translation>% der Aktivierungen und Gradienten</translation>
    </message>
    <message>
        <source>Lost updates</source>
        <translation>Verlorene Updates</translation>
    </message>
    <message>
        <source>% of updates that leave their weight: w + dw = w</source>
        <translation>% der Updates, die ihr Gewicht nicht ändern: w + dw = w</translation>
    </message>
    <message>
        <source>Unchanged weights</source>
        <translation>Unveränderte Gewichte</translation>
    </message>
    <message>
        <source>% of weights that a step does not change</source>
        <translation>% der Gewichte, die ein Schritt nicht ändert</translation>
    </message>
    <message>
        <source>from a file</source>
        <translation>aus einer Datei</translation>
    </message>
    <message>
        <source>no value yet</source>
        <translation>noch kein Wert</translation>
    </message>
    <message>
        <source>%1&#x202f;%</source>
        <translation>%1&#x202f;%</translation>
    </message>
    <message>
        <source>not measured: see Measure tensors in Diagnose</source>
        <translation>nicht gemessen: siehe Tensoren messen unter Diagnose</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>verbunden</translation>
    </message>
    <message>
        <source>its file is followed while it grows</source>
        <translation>die Datei wird verfolgt, während sie wächst</translation>
    </message>
    <message>
        <source>its process has gone without a word</source>
        <translation>der Prozess ist ohne ein Wort weg</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>beendet</translation>
    </message>
    <message>
        <source>%1 messages dropped</source>
        <translation>%1 Nachrichten verworfen</translation>
    </message>
    <message>
        <source>rank %1 of %2</source>
        <translation>Rang %1 von %2</translation>
    </message>
    <message>
        <source>Tensors are counted when the probe is asked for them.</source>
        <translation>Tensoren werden gezählt, wenn die Sonde danach gefragt wird.</translation>
    </message>
    <message>
        <source>Tensors are counted in every step that is a multiple of %1.</source>
        <translation>Tensoren werden in jedem Schritt gezählt, der ein Vielfaches von %1 ist.</translation>
    </message>
    <message>
        <source>Tensors are counted in every step.</source>
        <translation>Tensoren werden in jedem Schritt gezählt.</translation>
    </message>
    <message>
        <source>elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>%1 of %2 are not finite</source>
        <translation>%1 von %2 sind nicht endlich</translation>
    </message>
    <message>
        <source>nothing new is read</source>
        <translation>es wird nichts Neues gelesen</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>Beispiele/s</translation>
    </message>
    <message>
        <source>%1 with the loss scale</source>
        <translation>%1 mit der Loss-Scale</translation>
    </message>
    <message>
        <source>%1, rounded to %2 and kept in %3</source>
        <translation>%1, gerundet auf %2 und in %3 gehalten</translation>
    </message>
    <message>
        <source>%1: it fits, but an intermediate value overflows</source>
        <translation>%1: das passt, aber ein Zwischenwert läuft über</translation>
    </message>
    <message>
        <source>Mean loss of the last %1 steps: %2.</source>
        <translation>Mittlerer Loss der letzten %1 Schritte: %2.</translation>
    </message>
    <message>
        <source>and %1 more runs</source>
        <translation>und %1 weitere Läufe</translation>
    </message>
    <message>
        <source>No tensor of this run was measured yet. Choose “sampled” or “each step” under Measure tensors, and train a few steps.</source>
        <translation>Noch wurde kein Tensor dieses Laufs gemessen. Wählen Sie „Stichproben“ oder „jeden Schritt“ unter „Tensoren messen“, und trainieren Sie einige Schritte.</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>Calibrating</source>
        <translation>Kalibriert</translation>
    </message>
    <message>
        <source>Collapsing</source>
        <translation>Bricht zusammen</translation>
    </message>
    <message>
        <source>Dead</source>
        <translation>Tot</translation>
    </message>
    <message>
        <source>Finite</source>
        <translation>Endlich</translation>
    </message>
    <message>
        <source>Finite again</source>
        <translation>Wieder endlich</translation>
    </message>
    <message>
        <source>Fixed scale</source>
        <translation>Feste Scale</translation>
    </message>
    <message>
        <source>Hitting a spike</source>
        <translation>Auf Spitze gestoßen</translation>
    </message>
    <message>
        <source>Not finite</source>
        <translation>Nicht endlich</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>Nicht begonnen</translation>
    </message>
    <message>
        <source>Probing</source>
        <translation>Tastet</translation>
    </message>
    <message>
        <source>Skip storm</source>
        <translation>Lauter Skips</translation>
    </message>
    <message>
        <source>Steady</source>
        <translation>Stabil</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>No step yet.</source>
        <translation>Noch kein Schritt.</translation>
    </message>
    <message>
        <source>Not a scale problem.</source>
        <translation>Kein Problem der Scale.</translation>
    </message>
    <message>
        <source>Not finite, and nothing skips such a step.</source>
        <translation>Nicht endlich, und nichts überspringt einen solchen Schritt.</translation>
    </message>
    <message>
        <source>Not finite since step %1, and nothing skips such a step.</source>
        <translation>Nicht endlich seit Schritt %1, und nichts überspringt einen solchen Schritt.</translation>
    </message>
    <message>
        <source>Finite now, but step %1 was not, and was not skipped.</source>
        <translation>Jetzt endlich, aber Schritt %1 war es nicht und wurde nicht übersprungen.</translation>
    </message>
    <message>
        <source>%1 skip in a row.</source>
        <translation>%1 Schritt in Folge übersprungen.</translation>
    </message>
    <message>
        <source>%1 skips in a row.</source>
        <translation>%1 Schritte in Folge übersprungen.</translation>
    </message>
    <message>
        <source>%1 skip so far.</source>
        <translation>Bisher %1 Schritt übersprungen.</translation>
    </message>
    <message>
        <source>%1 skips so far.</source>
        <translation>Bisher %1 Schritte übersprungen.</translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skip in a row.</source>
        <translation>Sucht eine brauchbare Scale: %1 Schritt in Folge übersprungen.</translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skips in a row.</source>
        <translation>Sucht eine brauchbare Scale: %1 Schritte in Folge übersprungen.</translation>
    </message>
    <message>
        <source>The scale is fixed: every such step is lost.</source>
        <translation>Die Scale ist fest: jeder solche Schritt ist verloren.</translation>
    </message>
    <message>
        <source>%1 skips in a row up to step %2, and the scale has not grown since.</source>
        <translation>%1 Schritte in Folge übersprungen, zuletzt Schritt %2; seitdem ist die Scale nicht gewachsen.</translation>
    </message>
    <message>
        <source>Step %1 had larger gradients than the scale allows.</source>
        <translation>Schritt %1 hatte größere Gradienten, als die Scale erlaubt.</translation>
    </message>
    <message>
        <source>The scale follows the largest gradients.</source>
        <translation>Die Scale folgt den größten Gradienten.</translation>
    </message>
    <message>
        <source>%1 of %2 clean steps to the next growth.</source>
        <translation>%1 von %2 sauber bis zum nächsten Wachstum.</translation>
    </message>
    <message>
        <source>The weights were broken before this step.</source>
        <translation>Die Gewichte waren vor diesem Schritt schon kaputt.</translation>
    </message>
    <message>
        <source>Gradients of an earlier step are still there, and not finite.</source>
        <translation>Gradienten eines früheren Schritts sind noch da, und nicht endlich.</translation>
    </message>
    <message>
        <source>The data are not finite.</source>
        <translation>Die Daten sind nicht endlich.</translation>
    </message>
    <message>
        <source>The update itself made a NaN.</source>
        <translation>Das Update selbst hat ein NaN erzeugt.</translation>
    </message>
    <message>
        <source>The update left the format.</source>
        <translation>Das Update hat das Format verlassen.</translation>
    </message>
    <message>
        <source>Nothing is wrong with this step.</source>
        <translation>An diesem Schritt ist nichts falsch.</translation>
    </message>
    <message>
        <source>Everything is finite when it is repeated.</source>
        <translation>Beim Wiederholen ist alles endlich.</translation>
    </message>
    <message>
        <source>Not searched to the end.</source>
        <translation>Nicht zu Ende gesucht.</translation>
    </message>
    <message>
        <source>The arithmetic makes a NaN.</source>
        <translation>Die Rechnung ergibt ein NaN.</translation>
    </message>
    <message>
        <source>It overflows in FP32 as well.</source>
        <translation>Es läuft auch in FP32 über.</translation>
    </message>
    <message>
        <source>The forward pass overflows.</source>
        <translation>Der Vorwärtslauf läuft über.</translation>
    </message>
    <message>
        <source>The loss scale was too high.</source>
        <translation>Der Loss-Scale war zu hoch.</translation>
    </message>
    <message>
        <source>No loss scale can help.</source>
        <translation>Kein Loss-Scale kann helfen.</translation>
    </message>
    <message>
        <source>Its tensors and gradients are all finite.</source>
        <translation>Seine Tensoren und Gradienten sind alle endlich.</translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: what is read is not finite.</source>
        <translation>Ein anderer Loss-Scale oder ein anderes Format würde nicht helfen: was gelesen wird, ist nicht endlich.</translation>
    </message>
    <message>
        <source>Neither another loss scale nor FP32 would help.</source>
        <translation>Weder ein anderer Loss-Scale noch FP32 würde helfen.</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>as heads</source>
        <translation>wie Köpfe</translation>
    </message>
    <message>
        <source>as it trains</source>
        <translation>wie beim Training</translation>
    </message>
    <message>
        <source>as the precision needs</source>
        <translation>wie die Präzision braucht</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>attention mask</source>
        <translation>Attention-Maske</translation>
    </message>
    <message>
        <source>backoff factor</source>
        <translation>Backoff-Faktor</translation>
    </message>
    <message>
        <source>base of the rotary angles</source>
        <translation>Basis der Drehwinkel</translation>
    </message>
    <message>
        <source>batch size</source>
        <translation>Batch-Größe</translation>
    </message>
    <message>
        <source>betas</source>
        <translation>Betas</translation>
    </message>
    <message>
        <source>bias</source>
        <translation>Bias</translation>
    </message>
    <message>
        <source>by steps</source>
        <translation>nach Schritten</translation>
    </message>
    <message>
        <source>channels</source>
        <translation>Kanäle</translation>
    </message>
    <message>
        <source>classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>Clip</translation>
    </message>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>dampening</source>
        <translation>Dämpfung</translation>
    </message>
    <message>
        <source>data path</source>
        <translation>Datenpfad</translation>
    </message>
    <message>
        <source>data set</source>
        <translation>Datensatz</translation>
    </message>
    <message>
        <source>degrees of freedom</source>
        <translation>Freiheitsgrade</translation>
    </message>
    <message>
        <source>drawn from the seed</source>
        <translation>aus dem Seed gezogen</translation>
    </message>
    <message>
        <source>dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>each</source>
        <translation>je</translation>
    </message>
    <message>
        <source>epochs between validations</source>
        <translation>Epochen je Validierung</translation>
    </message>
    <message>
        <source>eps</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>epsilon of norms</source>
        <translation>Epsilon der Normierung</translation>
    </message>
    <message>
        <source>falls to 0 at</source>
        <translation>fällt auf 0 bei</translation>
    </message>
    <message>
        <source>features</source>
        <translation>Merkmale</translation>
    </message>
    <message>
        <source>gradient checkpointing</source>
        <translation>Gradient-Checkpointing</translation>
    </message>
    <message>
        <source>growth factor</source>
        <translation>Wachstumsfaktor</translation>
    </message>
    <message>
        <source>growth interval</source>
        <translation>Wachstumsintervall</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>heads of keys</source>
        <translation>Köpfe der Keys</translation>
    </message>
    <message>
        <source>hidden layers</source>
        <translation>verdeckte Schichten</translation>
    </message>
    <message>
        <source>hysteresis</source>
        <translation>Hysterese</translation>
    </message>
    <message>
        <source>image height</source>
        <translation>Bildhöhe</translation>
    </message>
    <message>
        <source>image width</source>
        <translation>Bildbreite</translation>
    </message>
    <message>
        <source>initial scale</source>
        <translation>Anfangs-Scale</translation>
    </message>
    <message>
        <source>initial weights</source>
        <translation>Anfangsgewichte</translation>
    </message>
    <message>
        <source>inner channels</source>
        <translation>innere Kanäle</translation>
    </message>
    <message>
        <source>label smoothing</source>
        <translation>Label-Glättung</translation>
    </message>
    <message>
        <source>largest scale</source>
        <translation>größte Scale</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>loss scaler</source>
        <translation>Loss-Scaler</translation>
    </message>
    <message>
        <source>lr</source>
        <translation>lr</translation>
    </message>
    <message>
        <source>micro-batches</source>
        <translation>Mikro-Batches</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>momentum</source>
        <translation>Momentum</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>nesterov</source>
        <translation>Nesterov</translation>
    </message>
    <message>
        <source>noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>Präzision</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>Zeitplan</translation>
    </message>
    <message>
        <source>score scale</source>
        <translation>Score-Skala</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>smallest scale</source>
        <translation>kleinste Scale</translation>
    </message>
    <message>
        <source>softmax</source>
        <translation>Softmax</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>text sample</source>
        <translation>Textprobe</translation>
    </message>
    <message>
        <source>the original&apos;s</source>
        <translation>das des Originals</translation>
    </message>
    <message>
        <source>the preset&apos;s</source>
        <translation>aus der Vorlage</translation>
    </message>
    <message>
        <source>tied head</source>
        <translation>geteilter Kopf</translation>
    </message>
    <message>
        <source>times</source>
        <translation>mal</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>validation interval</source>
        <translation>Validierungsintervall</translation>
    </message>
    <message>
        <source>validation precision</source>
        <translation>Präzision der Validierung</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>warm-up steps</source>
        <translation>Aufwärmschritte</translation>
    </message>
    <message>
        <source>weight decay</source>
        <translation>Weight-Decay</translation>
    </message>
    <message>
        <source>growth</source>
        <translation>Wachstum</translation>
    </message>
    <message>
        <source>backoff</source>
        <translation>Backoff</translation>
    </message>
    <message>
        <source>interval</source>
        <translation>Intervall</translation>
    </message>
    <message>
        <source>scaler</source>
        <translation>Scaler</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>normal</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>subnormal</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>null</translation>
    </message>
    <message>
        <source>clipped while scaled</source>
        <translation>skaliert geclippt</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>So lassen</translation>
    </message>
    <message>
        <source>fused softmax</source>
        <translation>verschmolzenes Softmax</translation>
    </message>
    <message>
        <source>fused kernels</source>
        <translation>verschmolzene Kernel</translation>
    </message>
    <message>
        <source>logits of the loss</source>
        <translation>Logits der Verlustfunktion</translation>
    </message>
    <message>
        <source>An overflow stays in gradients that are not set to zero.</source>
        <translation>Ein Überlauf bleibt in Gradienten, die nicht auf null gesetzt werden.</translation>
    </message>
    <message>
        <source>Running statistics are not finite.</source>
        <translation>Laufende Statistiken sind nicht endlich.</translation>
    </message>
    <message>
        <source>Training diverges.</source>
        <translation>Das Training divergiert.</translation>
    </message>
    <message>
        <source>Neither the format nor the loss scale is the cause.</source>
        <translation>Weder das Format noch der Loss-Scale ist die Ursache.</translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: statistics that are not finite stay so.</source>
        <translation>Ein anderer Loss-Scale oder ein anderes Format hülfe nicht: Statistiken, die nicht endlich sind, bleiben es.</translation>
    </message>
    <message>
        <source>Set gradients to zero</source>
        <translation>Gradienten auf null setzen</translation>
    </message>
    <message>
        <source>Skip such steps</source>
        <translation>Solche Schritte überspringen</translation>
    </message>
    <message>
        <source>A dynamic loss scaler</source>
        <translation>Ein dynamischer Loss-Scaler</translation>
    </message>
    <message>
        <source>The scaler&apos;s defaults</source>
        <translation>Die Vorgaben des Scalers</translation>
    </message>
    <message>
        <source>No clipping</source>
        <translation>Kein Clipping</translation>
    </message>
    <message>
        <source>Unscale before clipping</source>
        <translation>Vor dem Clipping entskalieren</translation>
    </message>
    <message>
        <source>Switch to BF16</source>
        <translation>Zu BF16 wechseln</translation>
    </message>
    <message>
        <source>Switch to FP32</source>
        <translation>Zu FP32 wechseln</translation>
    </message>
    <message>
        <source>Running statistics are out of all bounds.</source>
        <translation>Laufende Statistiken sind jenseits aller Grenzen.</translation>
    </message>
    <message>
        <source>A weight is far too large.</source>
        <translation>Ein Gewicht ist viel zu groß.</translation>
    </message>
    <message>
        <source>Gradients are not set to zero.</source>
        <translation>Die Gradienten werden nicht auf null gesetzt.</translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: statistics recover slowly, by a tenth a step.</source>
        <translation>Ein anderer Loss-Scale oder ein anderes Format würde nicht helfen: Statistiken erholen sich langsam, um ein Zehntel je Schritt.</translation>
    </message>
    <message>
        <source>scale too low</source>
        <translation>Skala zu klein</translation>
    </message>
    <message>
        <source>norm overflow</source>
        <translation>Norm läuft über</translation>
    </message>
    <message>
        <source>Reset the running statistics</source>
        <translation>Laufende Statistiken zurücksetzen</translation>
    </message>
    <message>
        <source>Validate as it trains</source>
        <translation>Validieren, wie trainiert wird</translation>
    </message>
    <message>
        <source>No loss scaler</source>
        <translation>Kein Loss-Scaler</translation>
    </message>
    <message>
        <source>There is not enough memory.</source>
        <translation>Der Speicher reicht nicht.</translation>
    </message>
    <message>
        <source>The weights were not finite when they were loaded.</source>
        <translation>Die Gewichte waren schon beim Laden nicht endlich.</translation>
    </message>
    <message>
        <source>The loss scale is too small.</source>
        <translation>Der Loss-Scale ist zu klein.</translation>
    </message>
    <message>
        <source>The gradient norm overflows.</source>
        <translation>Die Gradientennorm läuft über.</translation>
    </message>
    <message>
        <source>Finite, but running statistics are not</source>
        <translation>Endlich, aber laufende Statistiken sind es nicht</translation>
    </message>
    <message>
        <source>Finite, but weights are not</source>
        <translation>Endlich, aber Gewichte sind es nicht</translation>
    </message>
    <message>
        <source>Finite, but scaled gradients are clipped</source>
        <translation>Endlich, aber skalierte Gradienten werden geclippt</translation>
    </message>
    <message>
        <source>Finite, but weights do not move</source>
        <translation>Endlich, aber Gewichte bewegen sich nicht</translation>
    </message>
    <message>
        <source>Finite, but updates are lost</source>
        <translation>Endlich, aber Updates gehen verloren</translation>
    </message>
    <message>
        <source>Finite, but validation is not</source>
        <translation>Endlich, aber die Validierung ist es nicht</translation>
    </message>
    <message>
        <source>The loss of the latest validation is not finite.</source>
        <translation>Der Loss der letzten Validierung ist nicht endlich.</translation>
    </message>
    <message>
        <source>scale too high</source>
        <translation>Loss-Scale zu hoch</translation>
    </message>
    <message>
        <source>forward overflow</source>
        <translation>Überlauf vorwärts</translation>
    </message>
    <message>
        <source>bad data</source>
        <translation>schlechte Daten</translation>
    </message>
    <message>
        <source>bad weights</source>
        <translation>schlechte Gewichte</translation>
    </message>
    <message>
        <source>arithmetic NaN</source>
        <translation>NaN der Rechnung</translation>
    </message>
    <message>
        <source>unexplained</source>
        <translation>ungeklärt</translation>
    </message>
    <message>
        <source>divergence</source>
        <translation>Divergenz</translation>
    </message>
    <message>
        <source>kept gradients</source>
        <translation>behaltene Gradienten</translation>
    </message>
    <message>
        <source>silent failure</source>
        <translation>stiller Fehler</translation>
    </message>
    <message>
        <source>bad statistics</source>
        <translation>schlechte Statistiken</translation>
    </message>
    <message>
        <source>8/3 of channels</source>
        <translation>8/3 der Kanäle</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 %2, as before</source>
        <translation>%1 %2, wie zuvor</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>%1 are not finite already, so every step from here on is lost.</source>
        <translation>%1 sind schon nicht endlich, also ist jeder Schritt von hier an verloren.</translation>
    </message>
    <message>
        <source>%1 are not finite as loaded from %2, before any step. No loss scale and no format can help: load other weights.</source>
        <translation>%1 sind, wie aus %2 geladen, vor jedem Schritt nicht endlich. Kein Loss-Scale und kein Format kann helfen: laden Sie andere Gewichte.</translation>
    </message>
    <message>
        <source>%1 are not finite.</source>
        <translation>%1 sind nicht endlich.</translation>
    </message>
    <message>
        <source>%1 are out of all bounds: negative, or beyond %2.</source>
        <translation>%1 sind jenseits aller Grenzen: negativ oder über %2.</translation>
    </message>
    <message>
        <source>%1 differs by %2 from FP32&apos;s</source>
        <translation>%1 weicht um %2 von FP32 ab</translation>
    </message>
    <message>
        <source>%1 gives %2 at every loss scale that was tried but those at which all gradients are flushed to 0, and is finite in FP32.</source>
        <translation>%1 ergibt %2 bei jedem versuchten Loss-Scale außer denen, bei denen alle Gradienten zu 0 werden, und ist in FP32 endlich.</translation>
    </message>
    <message>
        <source>%1 gives %2 at every loss scale that was tried, and is finite in FP32.</source>
        <translation>%1 ergibt %2 bei jedem versuchten Loss-Scale und ist in FP32 endlich.</translation>
    </message>
    <message>
        <source>%1 gives %2 at this loss scale. Gradients are not set to zero before each step, so what is not finite stays in them: every step from here on is lost.</source>
        <translation>%1 ergibt %2 bei diesem Loss-Scale. Gradienten werden nicht vor jedem Schritt auf null gesetzt, also bleibt in ihnen, was nicht endlich ist: jeder Schritt von hier an ist verloren.</translation>
    </message>
    <message>
        <source>%1 gives %2 from finite operands, and FP32 does too: it is the computation, not the format.</source>
        <translation>%1 ergibt %2 aus endlichen Operanden, und FP32 auch: es liegt an der Rechnung, nicht am Format.</translation>
    </message>
    <message>
        <source>%1 gives %2</source>
        <translation>%1 ergibt %2</translation>
    </message>
    <message>
        <source>%1 gives %2, and FP32 does too: it is the computation, not the format.</source>
        <translation>%1 ergibt %2, und FP32 auch: es liegt an der Rechnung, nicht am Format.</translation>
    </message>
    <message>
        <source>%1 gives %2. The trials that would show why take long at this step, or could not be run.</source>
        <translation>%1 ergibt %2. Die Versuche, die sagen würden, warum, dauern bei diesem Schritt lange oder konnten nicht laufen.</translation>
    </message>
    <message>
        <source>%1 in FP32</source>
        <translation>%1 in FP32</translation>
    </message>
    <message>
        <source>%1 is all 0, in FP32 too</source>
        <translation>%1 ist ganz 0, auch in FP32</translation>
    </message>
    <message>
        <source>%1 is all 0, where FP32&apos;s is not</source>
        <translation>%1 ist ganz 0, in FP32 aber nicht</translation>
    </message>
    <message>
        <source>%1 is not finite already, so every step from here on is lost.</source>
        <translation>%1 ist schon nicht endlich, also ist jeder Schritt von hier an verloren.</translation>
    </message>
    <message>
        <source>%1 is not finite as loaded from %2, before any step. No loss scale and no format can help: load other weights.</source>
        <translation>%1 ist, wie aus %2 geladen, vor jedem Schritt nicht endlich. Kein Loss-Scale und kein Format kann helfen: laden Sie andere Gewichte.</translation>
    </message>
    <message>
        <source>%1 is not finite.</source>
        <translation>%1 ist nicht endlich.</translation>
    </message>
    <message>
        <source>%1 is out of all bounds: negative, or beyond %2.</source>
        <translation>%1 ist jenseits aller Grenzen: negativ oder über %2.</translation>
    </message>
    <message>
        <source>%1 exceeds the range of %2 in the forward pass, before the loss scale is applied, so no loss scale can help.</source>
        <translation>%1 verlässt %2 auf dem Weg vorwärts, bevor der Loss-Scale ins Spiel kommt, also kann kein Loss-Scale helfen.</translation>
    </message>
    <message>
        <source>%1 of %2 is 0 or subnormal in the format that multiplies it</source>
        <translation>%1 von %2 ist 0 oder subnormal in dem Format, das damit multipliziert</translation>
    </message>
    <message>
        <source>%1 of %2 is at the limits of the activation, where its derivative is 0</source>
        <translation>%1 von %2 liegt an den Grenzen der Aktivierung, wo ihre Ableitung 0 ist</translation>
    </message>
    <message>
        <source>%1 of the gradients that are not 0 in FP32 are flushed to 0</source>
        <translation>%1 der Gradienten, die in FP32 nicht 0 sind, werden zu 0</translation>
    </message>
    <message>
        <source>%1 of the next %2 steps are not finite</source>
        <translation>%1 der nächsten %2 Schritte sind nicht endlich</translation>
    </message>
    <message>
        <source>%1 of the weights of %2 that FP32 would move do not change: the updates are lost in the format that keeps the weights</source>
        <translation>%1 der Gewichte von %2, die FP32 bewegen würde, ändern sich nicht: die Updates gehen in dem Format verloren, das die Gewichte hält</translation>
    </message>
    <message>
        <source>%1 of the weights that FP32 would move do not change: the updates are lost in the format that keeps the weights</source>
        <translation>%1 der Gewichte, die FP32 bewegen würde, ändern sich nicht: die Updates gehen in dem Format verloren, das die Gewichte hält</translation>
    </message>
    <message>
        <source>%1 skip %2.</source>
        <translation>%1 Skip %2.</translation>
    </message>
    <message>
        <source>%1 skip</source>
        <translation>%1 Skip</translation>
    </message>
    <message>
        <source>%1 skips %2.</source>
        <translation>%1 Skips %2.</translation>
    </message>
    <message>
        <source>%1 steps in a row were skipped, although the loss scale is already below 1: the scale is probably not the cause.</source>
        <translation>%1 Schritte in Folge wurden übersprungen, obwohl die Scale schon unter 1 liegt: wahrscheinlich ist sie nicht die Ursache.</translation>
    </message>
    <message>
        <source>%1 skips</source>
        <translation>%1 Skips</translation>
    </message>
    <message>
        <source>%1 step with a non-finite value %2.</source>
        <translation>%1 Schritt mit einem nicht endlichen Wert %2.</translation>
    </message>
    <message>
        <source>%1 steps with a non-finite value %2.</source>
        <translation>%1 Schritte mit einem nicht endlichen Wert %2.</translation>
    </message>
    <message>
        <source>%1 tensors of parameters get a gradient of exactly 0, in FP32 too, the first of them %2</source>
        <translation>%1 Parametertensoren bekommen einen Gradienten von genau 0, auch in FP32, als erster %2</translation>
    </message>
    <message>
        <source>%1 tensors were not finite already as loaded from %3, before step 0: load other weights.</source>
        <translation>%1 Tensoren waren schon beim Laden aus %3, vor Schritt 0, nicht endlich: laden Sie andere Gewichte.</translation>
    </message>
    <message>
        <source>%1 was changed from %2 to %3 at step %4.</source>
        <translation>%1 wurde bei Schritt %4 von %2 auf %3 geändert.</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>%1, %2 in FP32</source>
        <translation>%1, %2 in FP32</translation>
    </message>
    <message>
        <source>%1, in use</source>
        <translation>%1, wie verwendet</translation>
    </message>
    <message>
        <source>%1, not scaled</source>
        <translation>%1, nicht skaliert</translation>
    </message>
    <message>
        <source>%1, which training does not read, could not be used for validation before.</source>
        <translation>%1, was das Training nicht liest, war schon vorher für die Validierung unbrauchbar.</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>%2 gets a gradient of exactly 0, in FP32 too</source>
        <translation>%2 bekommt einen Gradienten von genau 0, auch in FP32</translation>
    </message>
    <message>
        <source>%2 of %1 step skipped: the scale is fixed and these overflowed.</source>
        <translation>%2 von %1 Schritt übersprungen: die Scale ist fest, und diese sind übergelaufen.</translation>
    </message>
    <message>
        <source>%2 of %1 steps skipped: the scale is fixed and these overflowed.</source>
        <translation>%2 von %1 Schritten übersprungen: die Scale ist fest, und diese sind übergelaufen.</translation>
    </message>
    <message>
        <source>%2 was not finite already as loaded from %3, before step 0: load other weights.</source>
        <translation>%2 war schon beim Laden aus %3, vor Schritt 0, nicht endlich: laden Sie andere Gewichte.</translation>
    </message>
    <message>
        <source>0/0, inf − inf and the logarithm of a negative number do that.</source>
        <translation>0/0, inf − inf und der Logarithmus einer negativen Zahl tun das.</translation>
    </message>
    <message>
        <source>A constant rate</source>
        <translation>Eine konstante Lernrate</translation>
    </message>
    <message>
        <source>A mask of minus infinity</source>
        <translation>Eine Maske aus minus unendlich</translation>
    </message>
    <message>
        <source>A softmax that subtracts the maximum</source>
        <translation>Ein Softmax, der das Maximum abzieht</translation>
    </message>
    <message>
        <source>All finite. No step skipped.</source>
        <translation>Alles endlich. Kein Schritt übersprungen.</translation>
    </message>
    <message>
        <source>All gradients are finite. Their 2-norm is %1, beyond the largest number of FP32, %2, so the norm is infinite.</source>
        <translation>Alle Gradienten sind endlich. Ihre 2-Norm ist %1, mehr als die größte Zahl von FP32, %2, also ist die Norm unendlich.</translation>
    </message>
    <message>
        <source>All of its numbers are finite, but %1.</source>
        <translation>Alle seine Zahlen sind endlich, aber %1.</translation>
    </message>
    <message>
        <source>Also, %1.</source>
        <translation>Außerdem: %1.</translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: the weight itself is at fault.</source>
        <translation>Ein anderer Loss-Scale oder ein anderes Format würde nicht helfen: das Gewicht selbst ist schuld.</translation>
    </message>
    <message>
        <source>Back to step %1: %2</source>
        <translation>Zurück zu Schritt %1: %2</translation>
    </message>
    <message>
        <source>Clipping divides by the norm: every gradient becomes 0, and the step changes nothing.</source>
        <translation>Clipping teilt durch die Norm: jeder Gradient wird 0, und der Schritt ändert nichts.</translation>
    </message>
    <message>
        <source>Gradients are clipped before they are unscaled: the limit of %1 acts as one of %2.</source>
        <translation>Das Clipping kommt vor dem Entskalieren: Die Grenze von %1 wirkt wie eine von %2.</translation>
    </message>
    <message>
        <source>Every tensor of weights moved.</source>
        <translation>Jeder Tensor von Gewichten hat sich bewegt.</translation>
    </message>
    <message>
        <source>Every update that was meant moved its weight.</source>
        <translation>Jedes beabsichtigte Update hat sein Gewicht bewegt.</translation>
    </message>
    <message>
        <source>Every validation does, and gives NaN, until the statistics are reset.</source>
        <translation>Jede Validierung liest sie und ergibt NaN, bis die Statistiken zurückgesetzt werden.</translation>
    </message>
    <message>
        <source>Every validation does, and is wrong, until the statistics are reset.</source>
        <translation>Jede Validierung liest sie und ist falsch, bis die Statistiken zurückgesetzt werden.</translation>
    </message>
    <message>
        <source>Every weight is finite.</source>
        <translation>Jedes Gewicht ist endlich.</translation>
    </message>
    <message>
        <source>FP32 masters: switch to %1</source>
        <translation>FP32-Master: zu %1 wechseln</translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skip so far. Normal.</source>
        <translation>Sucht eine brauchbare Scale: bisher %1 Schritt übersprungen. Normal.</translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skips so far. Normal.</source>
        <translation>Sucht eine brauchbare Scale: bisher %1 Schritte übersprungen. Normal.</translation>
    </message>
    <message>
        <source>Finite, but computed in TF32 instead of FP32</source>
        <translation>Endlich, aber TF32 tritt an die Stelle von FP32</translation>
    </message>
    <message>
        <source>Finite, but a setting keeps it from learning</source>
        <translation>Endlich, aber eine Einstellung verhindert das Lernen</translation>
    </message>
    <message>
        <source>Finite, but a weight is far too large</source>
        <translation>Endlich, aber ein Gewicht ist viel zu groß</translation>
    </message>
    <message>
        <source>Finite, but an activation is saturated</source>
        <translation>Endlich, aber eine Aktivierung ist gesättigt</translation>
    </message>
    <message>
        <source>Finite, but an operation loses its input</source>
        <translation>Endlich, aber eine Operation verliert ihre Eingabe</translation>
    </message>
    <message>
        <source>Finite, but gradients are lost</source>
        <translation>Endlich, aber Gradienten gehen verloren</translation>
    </message>
    <message>
        <source>Finite, but parameters get no gradient</source>
        <translation>Endlich, aber Parameter bekommen keinen Gradienten</translation>
    </message>
    <message>
        <source>Finite, but the loss does not fall</source>
        <translation>Endlich, aber der Loss fällt nicht</translation>
    </message>
    <message>
        <source>Finite, but the loss has grown</source>
        <translation>Endlich, aber der Loss ist gewachsen</translation>
    </message>
    <message>
        <source>Finite, but the schedule is ahead of the optimizer</source>
        <translation>Endlich, aber der Schedule ist dem Optimierer voraus</translation>
    </message>
    <message>
        <source>Finite, but the weights hardly move</source>
        <translation>Endlich, aber die Gewichte bewegen sich kaum</translation>
    </message>
    <message>
        <source>Finite, but weights are lost in the format</source>
        <translation>Endlich, aber Gewichte gehen im Format verloren</translation>
    </message>
    <message>
        <source>First non-finite: %1.</source>
        <translation>Zuerst nicht endlich: %1.</translation>
    </message>
    <message>
        <source>From the start: %1</source>
        <translation>Von Anfang an: %1</translation>
    </message>
    <message>
        <source>Gradients are clipped after they were unscaled.</source>
        <translation>Gradienten werden nach dem Entskalieren geclippt.</translation>
    </message>
    <message>
        <source>Gradients are not set to zero before each step, so what was not finite once stays: every step from here on adds to it. No loss scale and no format can help.</source>
        <translation>Gradienten werden nicht vor jedem Schritt auf null gesetzt, also bleibt, was einmal nicht endlich war: jeder Schritt von hier an addiert dazu. Kein Loss-Scale und kein Format kann helfen.</translation>
    </message>
    <message>
        <source>Gradients are unscaled by its reciprocal, which is infinite in FP32: even gradients that are finite or 0 become Inf or NaN. The same batch gives finite gradients at %1.</source>
        <translation>Gradienten werden mit dem Kehrwert des Loss-Scale entskaliert, der in FP32 unendlich ist: selbst endliche Gradienten oder 0 werden Inf oder NaN. Derselbe Batch ergibt endliche Gradienten bei %1.</translation>
    </message>
    <message>
        <source>Gradients of all earlier steps stay in those of this one, so that each update follows their sum. All is finite so far.</source>
        <translation>Gradienten aller früheren Schritte bleiben in denen dieses Schritts, so dass jedes Update ihrer Summe folgt. Bisher ist alles endlich.</translation>
    </message>
    <message>
        <source>In %1 from step %2, %3.</source>
        <translation>In %1 ab Schritt %2: %3.</translation>
    </message>
    <message>
        <source>In %1, %2.</source>
        <translation>In %1: %2.</translation>
    </message>
    <message>
        <source>In FP32 its largest value is %1, %2 times the limit of %3.</source>
        <translation>In FP32 ist sein größter Wert %1, das %2-fache der Grenze von %3.</translation>
    </message>
    <message>
        <source>Kahan&apos;s sums carry what a step loses into the next ones.</source>
        <translation>Kahan-Summen tragen, was ein Schritt verliert, in die nächsten.</translation>
    </message>
    <message>
        <source>Larger scales were not searched, since this step takes long.</source>
        <translation>Größere Scales wurden nicht durchsucht, da dieser Schritt lange dauert.</translation>
    </message>
    <message>
        <source>Left alone, %1 of the next %2 steps are not finite.</source>
        <translation>Unverändert sind %1 der nächsten %2 Schritte nicht endlich.</translation>
    </message>
    <message>
        <source>Losses and gradients of this step are finite; %1 then wrote %2 into %3, kept in %4.</source>
        <translation>Losses und Gradienten dieses Schritts sind endlich; %1 schrieb dann %2 in %3, gehalten in %4.</translation>
    </message>
    <message>
        <source>No loss scale and no format can help.</source>
        <translation>Kein Loss-Scale und kein Format kann helfen.</translation>
    </message>
    <message>
        <source>No loss scale can help: go back to before the step that wrote them, and examine that step.</source>
        <translation>Kein Loss-Scale kann helfen: gehen Sie vor den Schritt zurück, der sie schrieb, und untersuchen Sie ihn.</translation>
    </message>
    <message>
        <source>No skip, nothing non-finite %1.</source>
        <translation>Kein Skip und alles endlich %1.</translation>
    </message>
    <message>
        <source>Normal: the scaler begins high on purpose and comes down until a step fits.</source>
        <translation>Normal: der Scaler beginnt absichtlich hoch und geht herunter, bis ein Schritt passt.</translation>
    </message>
    <message>
        <source>Normal: the scale grows until a step overflows, and lowering it a few times is enough.</source>
        <translation>Normal: der Scaler geht hinauf, bis ein Schritt überläuft, und wenige Stufen hinab genügen.</translation>
    </message>
    <message>
        <source>Normal: the scale grows until a step overflows, and lowering it once is enough.</source>
        <translation>Normal: der Scaler geht hinauf, bis ein Schritt überläuft, und eine Stufe hinab genügt.</translation>
    </message>
    <message>
        <source>Nothing but the recorded gradient norm depends on it: the update takes the gradients as they are.</source>
        <translation>Nur die aufgezeichnete Gradientennorm hängt davon ab: das Update nimmt die Gradienten, wie sie sind.</translation>
    </message>
    <message>
        <source>Nothing kept them out of the weights.</source>
        <translation>Nichts hielt sie von den Gewichten fern.</translation>
    </message>
    <message>
        <source>One block in eight was measured.</source>
        <translation>Gemessen wurde jeder achte Block.</translation>
    </message>
    <message>
        <source>Probing: %2 in the first %1 step, normal.</source>
        <translation>Tastet sich heran: %2 im ersten %1 Schritt, normal.</translation>
    </message>
    <message>
        <source>Probing: %2 in the first %1 steps, normal.</source>
        <translation>Tastet sich heran: %2 in den ersten %1 Schritten, normal.</translation>
    </message>
    <message>
        <source>Products are fp32&apos;s own.</source>
        <translation>Produkte sind die von fp32 selbst.</translation>
    </message>
    <message>
        <source>Running statistics are finite.</source>
        <translation>Laufende Statistiken sind endlich.</translation>
    </message>
    <message>
        <source>Scaler %1</source>
        <translation>Scaler %1</translation>
    </message>
    <message>
        <source>Set scale %1</source>
        <translation>Scale auf %1 setzen</translation>
    </message>
    <message>
        <source>Stochastic rounding moves a weight as often as its update asks for, so that none is lost in the mean.</source>
        <translation>Stochastisches Runden bewegt ein Gewicht so oft, wie sein Update verlangt, so dass im Mittel keines verloren geht.</translation>
    </message>
    <message>
        <source>Stopped: %1.</source>
        <translation>Beendet: %1.</translation>
    </message>
    <message>
        <source>The batch and the weights are finite.</source>
        <translation>Der Batch und die Gewichte sind endlich.</translation>
    </message>
    <message>
        <source>The batch itself holds values that are not finite, in %1.</source>
        <translation>Der Batch selbst enthält Werte, die nicht endlich sind, in %1.</translation>
    </message>
    <message>
        <source>The learning rate&apos;s schedule goes with the optimizer&apos;s steps.</source>
        <translation>Der Schedule der Lernrate geht mit den Schritten des Optimierers.</translation>
    </message>
    <message>
        <source>The learning rate&apos;s schedule is %1 step ahead of the optimizer, because it also advanced at a skipped step.</source>
        <translation>Der Schedule der Lernrate ist dem Optimierer um %1 Schritt voraus, weil er auch bei einem übersprungenen Schritt weiterging.</translation>
    </message>
    <message>
        <source>The learning rate&apos;s schedule is %1 steps ahead of the optimizer, because it also advanced at skipped steps.</source>
        <translation>Der Schedule der Lernrate ist dem Optimierer um %1 Schritte voraus, weil er auch bei übersprungenen Schritten weiterging.</translation>
    </message>
    <message>
        <source>The loss scale does not matter here.</source>
        <translation>Der Loss-Scale spielt hier keine Rolle.</translation>
    </message>
    <message>
        <source>The loss was %1 before step %2, and is %3 now.</source>
        <translation>Der Loss war %1 vor Schritt %2 und ist jetzt %3.</translation>
    </message>
    <message>
        <source>The loss was first not finite at step %1: examine that step.</source>
        <translation>Der Loss war zuerst bei Schritt %1 nicht endlich: untersuchen Sie diesen Schritt.</translation>
    </message>
    <message>
        <source>The same batch gives finite gradients at %1 and below.</source>
        <translation>Derselbe Batch ergibt endliche Gradienten bei %1 und darunter.</translation>
    </message>
    <message>
        <source>The scale is infinite: every step overflows. Set a smaller one.</source>
        <translation>Die Scale ist unendlich: jeder Schritt läuft über. Setzen Sie eine kleinere.</translation>
    </message>
    <message>
        <source>%1 skips in a row: a lower scale has not helped.</source>
        <translation>%1 Skips in Folge: Ein kleinerer Scale hat nicht geholfen.</translation>
    </message>
    <message>
        <source>The step left all weights of %1 as they were.</source>
        <translation>Der Schritt ließ alle Gewichte von %1, wie sie waren.</translation>
    </message>
    <message>
        <source>The step was skipped, so the weights are as they were.</source>
        <translation>Der Schritt wurde übersprungen, also sind die Gewichte, wie sie waren.</translation>
    </message>
    <message>
        <source>The step&apos;s tensors and gradients are all finite; the scaler&apos;s own test, of sums or norms, has overflowed in fp32.</source>
        <translation>Tensoren und Gradienten des Schritts sind alle endlich; die eigene Prüfung des Scalers, von Summen oder Normen, ist in fp32 übergelaufen.</translation>
    </message>
    <message>
        <source>There are numbers that are not finite in %1: they stay there, and a saved file keeps them.</source>
        <translation>In %1 gibt es Zahlen, die nicht endlich sind: sie bleiben dort, und eine gespeicherte Datei behält sie.</translation>
    </message>
    <message>
        <source>There its gradients are within %1 of FP32&apos;s, with %2 of them flushed to zero.</source>
        <translation>Dort liegen seine Gradienten innerhalb von %1 um die von FP32, wobei %2 davon zu null werden.</translation>
    </message>
    <message>
        <source>There its gradients are within %1 of FP32&apos;s.</source>
        <translation>Dort liegen seine Gradienten innerhalb von %1 um die von FP32.</translation>
    </message>
    <message>
        <source>There they differ by %1 from FP32&apos;s, with %2 of them flushed to zero.</source>
        <translation>Dort weichen sie um %1 von denen von FP32 ab, wobei %2 davon zu null werden.</translation>
    </message>
    <message>
        <source>There they differ by %1 from FP32&apos;s.</source>
        <translation>Dort weichen sie um %1 von denen von FP32 ab.</translation>
    </message>
    <message>
        <source>They were finite before step %1.</source>
        <translation>Sie waren vor Schritt %1 endlich.</translation>
    </message>
    <message>
        <source>Training does not read them: the step&apos;s tensors, gradients and loss are finite.</source>
        <translation>Das Training liest sie nicht: Tensoren, Gradienten und Loss des Schritts sind endlich.</translation>
    </message>
    <message>
        <source>Tried a larger scale and lowered it again. Normal.</source>
        <translation>Versuchte eine größere Scale, trat zurück. Normal.</translation>
    </message>
    <message>
        <source>Updates were too large: %1. From step %2 on with %3 %4, %5.</source>
        <translation>Updates waren zu groß: %1. Ab Schritt %2 mit %3 %4: %5.</translation>
    </message>
    <message>
        <source>What came after added to it.</source>
        <translation>Was danach kam, trug dazu bei.</translation>
    </message>
    <message>
        <source>With %1 in FP32 the same step is finite.</source>
        <translation>Mit %1 in FP32 ist derselbe Schritt endlich.</translation>
    </message>
    <message>
        <source>all %1 in FP32</source>
        <translation>alle %1 in FP32</translation>
    </message>
    <message>
        <source>an epsilon of %1 is added to the root of the second moment, far above the gradients</source>
        <translation>zur Wurzel des zweiten Moments wird ein Epsilon von %1 addiert, weit über den Gradienten</translation>
    </message>
    <message>
        <source>clipping multiplies the gradients by %1</source>
        <translation>Clipping multipliziert die Gradienten mit %1</translation>
    </message>
    <message>
        <source>dropout sets %1 of each activation to 0</source>
        <translation>Dropout setzt %1 jeder Aktivierung auf 0</translation>
    </message>
    <message>
        <source>fp32 was asked for, and %1 compute in tf32, with 10 fraction bits in place of 23.</source>
        <translation>fp32 war verlangt, und %1 rechnen in tf32, mit 10 statt 23 Bits der Mantisse.</translation>
    </message>
    <message>
        <source>gradients are clipped before they are unscaled: the bound acts as %1</source>
        <translation>Gradienten werden vor dem Entskalieren geclippt: die Grenze wirkt wie %1</translation>
    </message>
    <message>
        <source>in the next %1 steps</source>
        <translation>in den nächsten %1 Schritten</translation>
    </message>
    <message>
        <source>in the next step</source>
        <translation>im nächsten Schritt</translation>
    </message>
    <message>
        <source>label smoothing of 1 asks for the same probability of every class, whatever the label</source>
        <translation>Label-Smoothing von 1 verlangt für jede Klasse dieselbe Wahrscheinlichkeit, was auch immer das Label ist</translation>
    </message>
    <message>
        <source>the causal mask sets scores of later positions to %1, so that attention sees them</source>
        <translation>die kausale Maske setzt die Scores späterer Positionen auf %1, so dass die Attention sie sieht</translation>
    </message>
    <message>
        <source>the gradients differ by %1 from FP32&apos;s</source>
        <translation>die Gradienten weichen um %1 von denen von FP32 ab</translation>
    </message>
    <message>
        <source>the gradients of all parameters are 0, where FP32&apos;s are not</source>
        <translation>die Gradienten aller Parameter sind 0, in FP32 aber nicht</translation>
    </message>
    <message>
        <source>the largest weight of %1 is %2 times the root mean square of the others</source>
        <translation>das größte Gewicht von %1 ist das %2-fache des quadratischen Mittels der anderen</translation>
    </message>
    <message>
        <source>the learning rate is 0</source>
        <translation>die Lernrate ist 0</translation>
    </message>
    <message>
        <source>the loss is %1 after %2 steps</source>
        <translation>der Loss ist %1 nach %2 Schritten</translation>
    </message>
    <message>
        <source>the mean of the last ten losses is %1 times as high as it was</source>
        <translation>das Mittel der letzten zehn Loss-Werte ist das %1-fache dessen, was es war</translation>
    </message>
    <message>
        <source>the loss is %1 times that of the first ten steps</source>
        <translation>der Loss ist das %1-fache dessen der ersten zehn Schritte</translation>
    </message>
    <message>
        <source>the loss is where it was in the first ten steps</source>
        <translation>der Loss ist, wo er in den ersten zehn Schritten war</translation>
    </message>
    <message>
        <source>the loss of a validation with these weights is not finite</source>
        <translation>der Loss einer Validierung mit diesen Gewichten ist nicht endlich</translation>
    </message>
    <message>
        <source>the loss of a validation with these weights is not finite: %1 overflows in the format that it computes in</source>
        <translation>der Loss einer Validierung mit diesen Gewichten ist nicht endlich: %1 läuft in dem Format über, in dem sie rechnet</translation>
    </message>
    <message>
        <source>the norms divide by the root of their variance and an epsilon of %1, far above any variance</source>
        <translation>die Normierungen teilen durch die Wurzel aus ihrer Varianz und einem Epsilon von %1, weit über jeder Varianz</translation>
    </message>
    <message>
        <source>the schedule multiplies the learning rate by %1</source>
        <translation>der Schedule multipliziert die Lernrate mit %1</translation>
    </message>
    <message>
        <source>the update does not change %1 of the weights, not in FP32 either: it is too small</source>
        <translation>das Update lässt %1 der Gewichte, wie sie sind, auch in FP32: es ist zu klein</translation>
    </message>
    <message>
        <source>weight decay takes %1 of each weight in a step</source>
        <translation>Weight-Decay nimmt in einem Schritt %1 von jedem Gewicht</translation>
    </message>
    <message>
        <source>with a dampening of 1 no gradient but the first enters the momentum</source>
        <translation>mit einem Dampening von 1 geht kein Gradient außer dem ersten in das Momentum ein</translation>
    </message>
    <message>
        <source>with a momentum of %1 no gradient is ever forgotten</source>
        <translation>mit einem Momentum von %1 wird kein Gradient je vergessen</translation>
    </message>
    <message>
        <source>Adam&apos;s epsilon of %1 is large enough for moments that are stored in %2.</source>
        <translation>Adams Epsilon von %1 ist groß genug für Momente, die in %2 gespeichert werden.</translation>
    </message>
    <message>
        <source>Adam&apos;s epsilon of %1 is too small for moments that are stored in %2. Small second moments become 0 there; where the gradient is 0 too, the first moment is divided by epsilon alone. Take at least %3.</source>
        <translation>Adams Epsilon von %1 ist zu klein für Momente, die in %2 gespeichert werden. Kleine zweite Momente werden dort 0; wo auch der Gradient 0 ist, wird das erste Moment durch Epsilon allein geteilt. Nehmen Sie mindestens %3.</translation>
    </message>
    <message>
        <source>Finite, but Adam&apos;s epsilon is too small</source>
        <translation>Endlich, aber Adams Epsilon ist zu klein</translation>
    </message>
    <message>
        <source>Small second moments become 0 in the format that stores them; where the gradient is 0 too, the first moment is divided by Adam&apos;s epsilon alone.</source>
        <translation>Kleine zweite Momente werden in dem Format, das sie speichert, 0; wo auch der Gradient 0 ist, wird das erste Moment durch Adams Epsilon allein geteilt.</translation>
    </message>
    <message>
        <source>0/0 is the usual cause: a second moment that is 0 in that format, with an epsilon of 0.</source>
        <translation>0/0 ist die übliche Ursache: ein zweites Moment, das in diesem Format 0 ist, mit einem Epsilon von 0.</translation>
    </message>
    <message>
        <source>The loss scale stays at %1: raise it by hand.</source>
        <translation>Der Loss-Scale bleibt bei %1: erhöhen Sie ihn von Hand.</translation>
    </message>
    <message>
        <source>The next step reads what this update wrote.</source>
        <translation>Der nächste Schritt liest, was dieses Update schrieb.</translation>
    </message>
    <message>
        <source>lost updates</source>
        <translation>verlorene Updates</translation>
    </message>
    <message>
        <source>unchanged weights</source>
        <translation>unveränderte Gewichte</translation>
    </message>
    <message>
        <source>weights not finite</source>
        <translation>Gewichte nicht endlich</translation>
    </message>
    <message>
        <source>LR schedule ahead</source>
        <translation>LR-Zeitplan voraus</translation>
    </message>
    <message>
        <source>TF32 in place of FP32</source>
        <translation>TF32 statt FP32</translation>
    </message>
    <message>
        <source>zero_grad every step</source>
        <translation>zero_grad in jedem Schritt</translation>
    </message>
    <message>
        <source>unscale</source>
        <translation>Unscale</translation>
    </message>
    <message>
        <source>weight decay on</source>
        <translation>Weight Decay auf</translation>
    </message>
    <message>
        <source>The examination ended after %1 s, before all remedies were tried; trials may be missing as well.</source>
        <translation>Die Untersuchung endete nach %1 s, bevor alle Gegenmittel probiert waren; auch Versuche können fehlen.</translation>
    </message>
    <message>
        <source>In step %1, which was examined, %2.</source>
        <translation>Im untersuchten Schritt %1: %2.</translation>
    </message>
    <message>
        <source>%1 gave a number that is not finite, and its buffers held NaN or Inf already.</source>
        <translation>%1 lieferte eine nicht endliche Zahl, und die Puffer dieses Moduls enthielten schon NaN oder Inf.</translation>
    </message>
    <message>
        <source>%1 gave an infinity in FP16, whose largest number is 65504.</source>
        <translation>%1 lieferte in FP16, dessen größte Zahl 65504 ist, eine Unendlichkeit.</translation>
    </message>
    <message>
        <source>%1 held NaN or Inf before the optimizer moved them. An earlier update wrote it there: look at the first step that was not finite.</source>
        <translation>%1 enthielten NaN oder Inf, bevor der Optimierer sie bewegte. Eine frühere Aktualisierung hat das hineingeschrieben: siehe den ersten nicht endlichen Schritt.</translation>
    </message>
    <message>
        <source>%1 held NaN or Inf when the step began. Training does not read them; validation does.</source>
        <translation>%1 enthielten NaN oder Inf, als der Schritt begann. Das Training liest sie nicht, die Validierung schon.</translation>
    </message>
    <message>
        <source>%1 operation was seen.</source>
        <translation>%1 Operation wurde gesehen.</translation>
    </message>
    <message>
        <source>%1 operations were seen, in the order in which they ran.</source>
        <translation>%1 Operationen wurden gesehen, in der Reihenfolge, in der sie liefen.</translation>
    </message>
    <message>
        <source>%1 was the first gradient that is not finite, in the order of the backward pass.</source>
        <translation>%1 war in der Reihenfolge des Rückwärtsdurchgangs der erste nicht endliche Gradient.</translation>
    </message>
    <message>
        <source>%1, which the model is called with, held NaN or Inf before any module had computed anything.</source>
        <translation>%1, womit das Modell aufgerufen wird, enthielt NaN oder Inf, bevor ein Modul etwas berechnet hatte.</translation>
    </message>
    <message>
        <source>A lower loss scale would not help: this run has none.</source>
        <translation>Eine kleinere Verlustskala hülfe nicht: es gibt keine.</translation>
    </message>
    <message>
        <source>A module made NaN of finite numbers in FP16.</source>
        <translation>Ein Modul hat in FP16 aus endlichen Zahlen NaN gemacht.</translation>
    </message>
    <message>
        <source>A module made NaN of finite numbers.</source>
        <translation>Ein Modul hat aus endlichen Zahlen NaN gemacht.</translation>
    </message>
    <message>
        <source>A module made an infinity of finite numbers.</source>
        <translation>Ein Modul hat aus endlichen Zahlen eine Unendlichkeit gemacht.</translation>
    </message>
    <message>
        <source>A module&apos;s buffers were not finite.</source>
        <translation>Die Puffer eines Moduls waren nicht endlich.</translation>
    </message>
    <message>
        <source>A single skip is how a dynamic scaler finds its scale.</source>
        <translation>Mit einem einzelnen übersprungenen Schritt findet ein dynamischer Skalierer seine Skala.</translation>
    </message>
    <message>
        <source>A wider format need not help: 0/0, Inf - Inf and the logarithm of a negative number are NaN in FP32 as well.</source>
        <translation>Ein weiteres Format muss nicht helfen: 0/0, Inf - Inf und der Logarithmus einer negativen Zahl sind auch in FP32 NaN.</translation>
    </message>
    <message>
        <source>An operation made a number that is not finite.</source>
        <translation>Eine Operation hat eine nicht endliche Zahl gemacht.</translation>
    </message>
    <message>
        <source>An output of the forward pass was too large for FP16.</source>
        <translation>Eine Ausgabe des Vorwärtsdurchgangs war zu groß für FP16.</translation>
    </message>
    <message>
        <source>Every operation of this step gave finite numbers.</source>
        <translation>Jede Operation dieses Schritts lieferte endliche Zahlen.</translation>
    </message>
    <message>
        <source>In FP16 such a NaN mostly comes of an overflow within the module: a weight or a sum beyond 65504, then an infinity less an infinity or times 0.</source>
        <translation>In FP16 entsteht ein solches NaN meist durch einen Überlauf im Modul: ein Gewicht oder eine Summe über 65504, dann unendlich minus unendlich oder mal 0.</translation>
    </message>
    <message>
        <source>Its inputs and weights are finite, and so are the outputs of the modules within it: an operation in its own code made it.</source>
        <translation>Seine Eingaben und Gewichte sind endlich, die Ausgaben der Module darin auch: eine Operation in seinem eigenen Code hat es gemacht.</translation>
    </message>
    <message>
        <source>Its inputs, weights and buffers are finite.</source>
        <translation>Seine Eingaben, Gewichte und Puffer sind endlich.</translation>
    </message>
    <message>
        <source>Loss and forward pass are finite.</source>
        <translation>Verlust und Vorwärtsdurchgang sind endlich.</translation>
    </message>
    <message>
        <source>Loss and forward pass are finite; gradients times %1 left FP16.</source>
        <translation>Verlust und Vorwärtsdurchgang sind endlich; die Gradienten mal %1 haben FP16 verlassen.</translation>
    </message>
    <message>
        <source>No loss scale and no format would help: the data hold it.</source>
        <translation>Keine Verlustskala und kein Format hülfe: es steht in den Daten.</translation>
    </message>
    <message>
        <source>No loss scale helps a step whose loss is not finite.</source>
        <translation>Keine Verlustskala rettet einen Schritt, dessen Verlust nicht endlich ist.</translation>
    </message>
    <message>
        <source>No loss scale would help: the forward pass reads these weights.</source>
        <translation>Keine Verlustskala hülfe: der Vorwärtsdurchgang liest diese Gewichte.</translation>
    </message>
    <message>
        <source>No loss scale would help: the overflow comes before the loss.</source>
        <translation>Keine Verlustskala hülfe: der Überlauf kommt vor dem Verlust.</translation>
    </message>
    <message>
        <source>All examined tensors of this step are finite; the scaler found the non-finite value in the weights&apos; gradients.</source>
        <translation>Kein in diesem Schritt angesehener Tensor ist nicht endlich; der Skalierer hat es in den Gradienten der Gewichte gefunden.</translation>
    </message>
    <message>
        <source>Of the operations of this step, %1 in %2 was the first that gave a number which is not finite.</source>
        <translation>Von den Operationen dieses Schritts war %1 in %2 die erste, die eine nicht endliche Zahl lieferte.</translation>
    </message>
    <message>
        <source>Running statistics were not finite before this step.</source>
        <translation>Laufende Statistiken waren vor diesem Schritt nicht endlich.</translation>
    </message>
    <message>
        <source>The backward pass made a number that is not finite.</source>
        <translation>Der Rückwärtsdurchgang hat eine nicht endliche Zahl gemacht.</translation>
    </message>
    <message>
        <source>The batch was not finite.</source>
        <translation>Der Batch war nicht endlich.</translation>
    </message>
    <message>
        <source>The first number that is not finite was made between two modules.</source>
        <translation>Die erste nicht endliche Zahl entstand zwischen zwei Modulen.</translation>
    </message>
    <message>
        <source>The inputs of %1 are not finite, and no module&apos;s output before it was: an operation in the model&apos;s own code made it. Capture the next step to see each operation.</source>
        <translation>Die Eingaben von %1 sind nicht endlich, und keine Modulausgabe davor war es nicht: eine Operation im eigenen Code des Modells hat es gemacht. Den nächsten Schritt erfassen zeigt jede Operation.</translation>
    </message>
    <message>
        <source>The largest gradient of step %1 was %2, which fits FP16 up to a scale of %3.</source>
        <translation>Der größte Gradient von Schritt %1 war %2; er passt bis zu einer Skala von %3 in FP16.</translation>
    </message>
    <message>
        <source>The learning rate went from %1 to %2 at step %3.</source>
        <translation>Die Lernrate ging in Schritt %3 von %1 auf %2.</translation>
    </message>
    <message>
        <source>The loss had grown to %1 before this step, from %2 when it was lowest.</source>
        <translation>Der Verlust war vor diesem Schritt auf %1 gewachsen, von %2, als er am kleinsten war.</translation>
    </message>
    <message>
        <source>The loss is computed outside the model: the value comes from the loss&apos;s own arithmetic, or from an input other than the model&apos;s outputs.</source>
        <translation>Der Verlust wird außerhalb des Modells berechnet: seine eigene Rechnung, oder was er neben den Ausgaben des Modells bekommt, hat es gemacht.</translation>
    </message>
    <message>
        <source>The loss is not finite, and every module&apos;s output is.</source>
        <translation>Der Verlust ist nicht endlich, die Ausgabe jedes Moduls schon.</translation>
    </message>
    <message>
        <source>The training has diverged.</source>
        <translation>Das Training ist divergiert.</translation>
    </message>
    <message>
        <source>Weights were not finite before this step&apos;s update.</source>
        <translation>Gewichte waren vor der Aktualisierung dieses Schritts nicht endlich.</translation>
    </message>
    <message>
        <source>the model itself</source>
        <translation>das Modell selbst</translation>
    </message>
    <message>
        <source>The module is %1, and its output is stored in %2.</source>
        <translation>Das Modul ist %1, seine Ausgabe wird in %2 gespeichert.</translation>
    </message>
    <message>
        <source>%1 operation was not seen.</source>
        <translation>%1 Operation wurde nicht gesehen.</translation>
    </message>
    <message>
        <source>%1 operations were not seen.</source>
        <translation>%1 Operationen wurden nicht gesehen.</translation>
    </message>
    <message>
        <source>Gradients are unscaled by the reciprocal of %1, which is infinite in FP32: even gradients that are finite or 0 become Inf or NaN.</source>
        <translation>Gradienten werden mit dem Kehrwert von %1 entskaliert, der in FP32 unendlich ist: selbst endliche Gradienten oder 0 werden Inf oder NaN.</translation>
    </message>
    <message>
        <source>No gradient was measured before this step, so the size of the overflow is not known.</source>
        <translation>Zuvor war kein Gradient gemessen worden; wie weit sie es verlassen haben, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Not every operation of this step was seen.</source>
        <translation>Nicht jede Operation dieses Schritts wurde gesehen.</translation>
    </message>
    <message>
        <source>The largest finite output of the step was %1: a product of two such numbers would leave FP16.</source>
        <translation>Die größte endliche Ausgabe des Schritts war %1: ein Produkt zweier solcher Zahlen würde FP16 verlassen.</translation>
    </message>
    <message>
        <source>The last measured gradients are those of step %1. The largest was %2. Multiplied by the loss scale it is %3, far below FP16&apos;s limit.</source>
        <translation>Die zuletzt gemessenen Gradienten sind die von Schritt %1. Der größte war %2; mal Loss-Scale ergibt das %3, weit unter der Grenze von FP16.</translation>
    </message>
    <message>
        <source>The loss scale was %1 already.</source>
        <translation>Der Loss-Scale war bereits %1.</translation>
    </message>
    <message>
        <source>The operations of this step could not be captured: %1.</source>
        <translation>Die Operationen dieses Schritts konnten nicht aufgezeichnet werden: %1.</translation>
    </message>
    <message>
        <source>The loss has grown, and its gradients left FP16.</source>
        <translation>Der Loss ist gewachsen, und seine Gradienten haben FP16 verlassen.</translation>
    </message>
    <message>
        <source>The loss of this step is %1, from %2 when it was lowest, and gradients grow with it. A lower scale lets the update pass and does not bring the loss back: look at what changed before this step.</source>
        <translation>Der Loss dieses Schritts ist %1, gegenüber %2, als er am kleinsten war, und die Gradienten wachsen mit ihm. Eine kleinere Skala lässt die Aktualisierung zu und bringt den Loss nicht zurück: siehe, was sich vor diesem Schritt geändert hat.</translation>
    </message>
    <message>
        <source>This step&apos;s were larger: %1 is half of the scale that overflowed.</source>
        <translation>Die dieses Schritts waren größer: %1 ist die Hälfte der Skala, die überlief.</translation>
    </message>
    <message>
        <source>%1 %2 of the gradients of %3 would overflow: the largest is %4.</source>
        <translation>%1 würden %2 der Gradienten von %3 überlaufen: Der größte ist %4.</translation>
    </message>
    <message>
        <source>%1 cannot hold %2: its largest value is %3, and no loss scale changes that.</source>
        <translation>%1 fasst %2 nicht: Der größte Wert ist %3, und keine Loss-Scale ändert das.</translation>
    </message>
    <message>
        <source>%1 cannot work here: override this layer (%2)</source>
        <translation>%1 kann hier nicht funktionieren: diese Schicht ausnehmen (%2)</translation>
    </message>
    <message>
        <source>%1 loses its small gradients below a loss scale of %2, and %3 overflows above %4</source>
        <translation>%1 verliert unter einer Loss-Scale von %2 kleine Gradienten, und %3 läuft über %4 über</translation>
    </message>
    <message>
        <source>%1 nothing would overflow or flush to zero.</source>
        <translation>%1 würde nichts überlaufen und nichts zu null werden.</translation>
    </message>
    <message>
        <source>%1 nothing would overflow; %2 and %3 would flush to zero.</source>
        <translation>%1 würde nichts überlaufen; %2 und %3 würden zu null.</translation>
    </message>
    <message>
        <source>%1 nothing would overflow; %2 would flush to zero.</source>
        <translation>%1 würde nichts überlaufen; %2 würden zu null.</translation>
    </message>
    <message>
        <source>%1 of the forward values of %2</source>
        <translation>%1 der Vorwärtswerte von %2</translation>
    </message>
    <message>
        <source>%1 of the gradients of %2</source>
        <translation>%1 der Gradienten von %2</translation>
    </message>
    <message>
        <source>%1 times the limit of %2</source>
        <translation>das %1-Fache der Grenze von %2</translation>
    </message>
    <message>
        <source>%1, as far as one block in eight shows</source>
        <translation>%1, soweit jeder achte Block es zeigt</translation>
    </message>
    <message>
        <source>As %1 with loss scale %2</source>
        <translation>Als %1 mit Loss-Scale %2</translation>
    </message>
    <message>
        <source>As %1 without a loss scale</source>
        <translation>Als %1 ohne Loss-Scale</translation>
    </message>
    <message>
        <source>As %1, each tensor with a scale of its own,</source>
        <translation>Als %1, jeder Tensor mit eigener Skala,</translation>
    </message>
    <message>
        <source>BF16 can.</source>
        <translation>BF16 fasst ihn.</translation>
    </message>
    <message>
        <source>Choose a finite step for a forecast of %1.</source>
        <translation>Für eine Vorhersage von %1 einen endlichen Schritt wählen.</translation>
    </message>
    <message>
        <source>Forward values of %1 are not finite in this step already.</source>
        <translation>Vorwärtswerte von %1 sind in diesem Schritt schon nicht endlich.</translation>
    </message>
    <message>
        <source>From %1 down none would.</source>
        <translation>Bis %1 täte es keiner.</translation>
    </message>
    <message>
        <source>Gradients of %1 are not finite in this step already.</source>
        <translation>Gradienten von %1 sind in diesem Schritt schon nicht endlich.</translation>
    </message>
    <message>
        <source>Nor can BF16.</source>
        <translation>BF16 auch nicht.</translation>
    </message>
    <message>
        <source>One block in eight of the larger tensors was measured; the other blocks are not counted.</source>
        <translation>Von größeren Tensoren wurde jeder achte Block gemessen; die anderen Blöcke sind nicht gezählt.</translation>
    </message>
    <message>
        <source>Tensors of this step were stored in %1: what that rounding lost is not counted.</source>
        <translation>Tensoren dieses Schritts waren in %1 gespeichert: Was diese Rundung verlor, ist nicht gezählt.</translation>
    </message>
    <message>
        <source>Weights kept in it would miss at least %1 of the updates of %2.</source>
        <translation>Darin gehaltenen Gewichten entgingen mindestens %1 der Updates von %2.</translation>
    </message>
    <message>
        <source>all gradients are 0 at this loss scale, so no scale can be called safe: measure at a higher one</source>
        <translation>alle Gradienten sind bei dieser Loss-Scale 0, keine kann also sicher heißen: bei einer höheren messen</translation>
    </message>
    <message>
        <source>all gradients of %1 are 0 at this loss scale, so no scale can be called safe: measure at a higher one</source>
        <translation>alle Gradienten von %1 sind bei dieser Loss-Scale 0, keine kann also sicher heißen: bei einer höheren messen</translation>
    </message>
    <message>
        <source>any loss scale from %1 on is safe</source>
        <translation>jede Loss-Scale ab %1 ist sicher</translation>
    </message>
    <message>
        <source>any loss scale from %1 to %2 is safe</source>
        <translation>jede Loss-Scale von %1 bis %2 ist sicher</translation>
    </message>
    <message>
        <source>any loss scale is safe</source>
        <translation>jede Loss-Scale ist sicher</translation>
    </message>
    <message>
        <source>any loss scale up to %1 is safe</source>
        <translation>jede Loss-Scale bis %1 ist sicher</translation>
    </message>
    <message>
        <source>no loss scale suits all layers: %1</source>
        <translation>keine Loss-Scale passt für alle Schichten: %1</translation>
    </message>
    <message>
        <source>Running statistics settle over about %1 steps.</source>
        <translation>Laufende Statistiken pendeln sich in etwa %1 Schritten ein.</translation>
    </message>
    <message>
        <source>With this format, the loss scaler is: %1.</source>
        <translation>Mit diesem Format ist der Loss-Scaler: %1.</translation>
    </message>
    <message>
        <source>all gradients of %1 are 0 at this loss scale, and %2 overflowed at it, so no scale can be called safe</source>
        <translation>alle Gradienten von %1 sind bei dieser Loss-Scale 0, und %2 lief bei ihr über, keine kann also sicher heißen</translation>
    </message>
    <message>
        <source>no loss scale above %1 is usable; how far below it must be is not known, because %2 overflowed</source>
        <translation>keine Loss-Scale über %1 ist brauchbar; wie weit darunter sie liegen muss, ist nicht bekannt, denn %2 lief über</translation>
    </message>
    <message>
        <source>no loss scale below %1 or above %2 is usable; how far below %2 it must be is not known, because %3 overflowed</source>
        <translation>keine Loss-Scale unter %1 oder über %2 ist brauchbar; wie weit unter %2 sie liegen muss, ist nicht bekannt, denn %3 lief über</translation>
    </message>
    <message>
        <source>The scale is so small that its reciprocal is Inf: no step is valid.</source>
        <translation>Der Loss-Scale ist so klein, dass sein Kehrwert Inf ist: Kein Schritt ist gültig.</translation>
    </message>
    <message>
        <source>%1 and %2 differ by less than %3</source>
        <translation>%1 und %2 unterscheiden sich um weniger als %3</translation>
    </message>
    <message>
        <source>%1 of %2 at step %3</source>
        <translation>%1 von %2 bei Schritt %3</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of %2, steps %3 to %4</source>
        <translation>%1 von %2, Schritte %3 bis %4</translation>
    </message>
    <message>
        <source>%1 rounded to %2</source>
        <translation>%1 gerundet auf %2</translation>
    </message>
    <message>
        <source>%1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>%1^%2</source>
        <translation>%1^%2</translation>
    </message>
    <message>
        <source>(%1)</source>
        <translation>(%1)</translation>
    </message>
    <message>
        <source>exp(%1)</source>
        <translation>exp(%1)</translation>
    </message>
    <message>
        <source>exponent bits</source>
        <translation>Exponentenbits</translation>
    </message>
    <message>
        <source>first non-finite step</source>
        <translation>erster nicht endlicher Schritt</translation>
    </message>
    <message>
        <source>first non-finite tensor</source>
        <translation>erster nicht endlicher Tensor</translation>
    </message>
    <message>
        <source>first skipped step</source>
        <translation>erster übersprungener Schritt</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>growths of the loss scale</source>
        <translation>Erhöhungen des Loss-Scale</translation>
    </message>
    <message>
        <source>highest %1 of %2, steps %3 to %4</source>
        <translation>höchster Wert, %1 von %2, Schritte %3 bis %4</translation>
    </message>
    <message>
        <source>largest number</source>
        <translation>größte Zahl</translation>
    </message>
    <message>
        <source>largest safe loss scale</source>
        <translation>größter sicherer Loss-Scale</translation>
    </message>
    <message>
        <source>largest value in FP32</source>
        <translation>größter Wert in FP32</translation>
    </message>
    <message>
        <source>layer to compute in FP32</source>
        <translation>Schicht, die in FP32 zu rechnen ist,</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>log(%1)</source>
        <translation>log(%1)</translation>
    </message>
    <message>
        <source>lowest %1 of %2, steps %3 to %4</source>
        <translation>niedrigster Wert, %1 von %2, Schritte %3 bis %4</translation>
    </message>
    <message>
        <source>machine epsilon</source>
        <translation>Maschinenepsilon</translation>
    </message>
    <message>
        <source>mantissa bits</source>
        <translation>Mantissenbits</translation>
    </message>
    <message>
        <source>mean %1 of %2, steps %3 to %4</source>
        <translation>Mittel, %1 von %2, Schritte %3 bis %4</translation>
    </message>
    <message>
        <source>memory of the activations</source>
        <translation>Speicher der Aktivierungen</translation>
    </message>
    <message>
        <source>memory of the gradients</source>
        <translation>Speicher der Gradienten</translation>
    </message>
    <message>
        <source>memory of the master weights</source>
        <translation>Speicher der Master-Gewichte</translation>
    </message>
    <message>
        <source>memory of the optimizer</source>
        <translation>Speicher des Optimierers</translation>
    </message>
    <message>
        <source>memory of the weights</source>
        <translation>Speicher der Gewichte</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>origin</source>
        <translation>Ursprung</translation>
    </message>
    <message>
        <source>running statistics that are not finite</source>
        <translation>nicht endliche laufende Statistiken</translation>
    </message>
    <message>
        <source>share of gradients that are 0</source>
        <translation>Anteil der Gradienten, die 0 sind,</translation>
    </message>
    <message>
        <source>share of lost updates</source>
        <translation>Anteil verlorener Updates</translation>
    </message>
    <message>
        <source>skipped steps</source>
        <translation>übersprungene Schritte</translation>
    </message>
    <message>
        <source>smallest normal number</source>
        <translation>kleinste normale Zahl</translation>
    </message>
    <message>
        <source>smallest number above 0</source>
        <translation>kleinste Zahl über 0</translation>
    </message>
    <message>
        <source>sqrt(%1)</source>
        <translation>sqrt(%1)</translation>
    </message>
    <message>
        <source>steps with a non-finite loss</source>
        <translation>Schritte mit nicht endlichem Loss</translation>
    </message>
    <message>
        <source>stored bits</source>
        <translation>gespeicherte Bits</translation>
    </message>
    <message>
        <source>training loss</source>
        <translation>Trainings-Loss</translation>
    </message>
    <message>
        <source>ulp of %2 at %1</source>
        <translation>ulp von %2 bei %1</translation>
    </message>
    <message>
        <source>validation accuracy</source>
        <translation>Validierungsgenauigkeit</translation>
    </message>
    <message>
        <source>validation loss</source>
        <translation>Validierungs-Loss</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>|%1|</source>
        <translation>|%1|</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
    <message>
        <source>−%1</source>
        <translation>−%1</translation>
    </message>
    <message>
        <source>The loss has not fallen far enough yet.</source>
        <translation>Der Loss ist noch nicht weit genug gefallen.</translation>
    </message>
    <message>
        <source>The loss stays above its former %1.</source>
        <translation>Der Loss bleibt über den früheren %1.</translation>
    </message>
    <message>
        <source>Validation is not finite.</source>
        <translation>Die Validierung ist nicht endlich.</translation>
    </message>
    <message>
        <source>%1 will not become finite again: training does not show it, every validation does.</source>
        <translation>%1 wird nicht wieder endlich: Das Training zeigt es nicht, jede Validierung zeigt es.</translation>
    </message>
    <message>
        <source>All gradients of %1 are exactly 0, so these weights do not move.</source>
        <translation>Alle Gradienten von %1 sind genau 0, daher bewegen sich diese Gewichte nicht.</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>gesättigt</translation>
    </message>
    <message>
        <source>Adam epsilon rounds to 0</source>
        <translation>Adams Epsilon wird 0</translation>
    </message>
    <message>
        <source>BatchNorm buffers not finite</source>
        <translation>BatchNorm-Puffer nicht endlich</translation>
    </message>
    <message>
        <source>LR schedule on a skipped step</source>
        <translation>LR-Zeitplan bei einem Skip</translation>
    </message>
    <message>
        <source>before clipping</source>
        <translation>vor dem Clipping</translation>
    </message>
    <message>
        <source>after clipping</source>
        <translation>nach dem Clipping</translation>
    </message>
    <message>
        <source>all parameters</source>
        <translation>alle Parameter</translation>
    </message>
    <message>
        <source>matrices only</source>
        <translation>nur Matrizen</translation>
    </message>
    <message>
        <source>advances</source>
        <translation>geht weiter</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>Scale fell</source>
        <translation>Loss-Scale gefallen</translation>
    </message>
    <message>
        <source>The scale fell from %2 to %3 in %1 skip.</source>
        <translation>Der Loss-Scale fiel von %2 auf %3 in %1 übersprungenen Schritt.</translation>
    </message>
    <message>
        <source>The scale fell from %2 to %3 in %1 skips.</source>
        <translation>Der Loss-Scale fiel von %2 auf %3 in %1 übersprungenen Schritten.</translation>
    </message>
    <message>
        <source>All gradients are exactly 0: there is no update to lose.</source>
        <translation>Alle Gradienten sind genau 0: Es gibt kein Update zu verlieren.</translation>
    </message>
    <message>
        <source>memory of the workspace with scratch</source>
        <translation>Speicher des Workspace mit Scratch</translation>
    </message>
    <message>
        <source>total memory with scratch</source>
        <translation>Speicher insgesamt mit Scratch</translation>
    </message>
    <message>
        <source>An intermediate value of %1 exceeds the range of %2 in the forward pass, before the loss scale is applied, so no loss scale can help. In FP32 the result&apos;s largest value is %3, which %2 can hold.</source>
        <translation>Ein Zwischenwert von %1 verlässt %2 auf dem Weg vorwärts, bevor der Loss-Scale ins Spiel kommt, also kann kein Loss-Scale helfen. In FP32 ist der größte Wert des Ergebnisses %3, was %2 darstellen kann.</translation>
    </message>
    <message>
        <source>The loss is %1 of the first one. By now some updates are too small to change a weight.</source>
        <translation>Der Loss beträgt %1 des ersten. Manche Änderungen sind inzwischen zu klein, um ein Gewicht zu verändern.</translation>
    </message>
    <message>
        <source>A beta2 of %1 is too large for second moments that are stored in %2: their decay rounds back, so they stay at the largest gradients of the past, and updates stay small. Take at most %3, or store the optimizer&apos;s state in fp32.</source>
        <translation>Ein beta2 von %1 ist zu groß für zweite Momente, die in %2 gespeichert sind: Ihr Abklingen wird zurückgerundet, sie bleiben bei den größten Gradienten der Vergangenheit, und die Änderungen bleiben klein. Nehmen Sie höchstens %3, oder speichern Sie den Zustand des Optimierers in fp32.</translation>
    </message>
    <message>
        <source>Finite, but second moments do not decay</source>
        <translation>Endlich, aber zweite Momente klingen nicht ab</translation>
    </message>
    <message>
        <source>Second moments in %1 decrease with a beta2 of %2.</source>
        <translation>Zweite Momente in %1 werden mit einem beta2 von %2 kleiner.</translation>
    </message>
    <message>
        <source>Newton-Schulz steps</source>
        <translation>Newton-Schulz-Schritte</translation>
    </message>
    <message>
        <source>Newton-Schulz format</source>
        <translation>Newton-Schulz-Format</translation>
    </message>
    <message>
        <source>factor of the rate</source>
        <translation>Faktor der Rate</translation>
    </message>
    <message>
        <source>optimizer state in</source>
        <translation>Optimierer-Zustand in</translation>
    </message>
    <message>
        <source>as AdamW&apos;s RMS</source>
        <translation>wie AdamWs RMS</translation>
    </message>
    <message>
        <source>original</source>
        <translation>ursprünglich</translation>
    </message>
    <message>
        <source>spectral, unclamped</source>
        <translation>spektral, unbegrenzt</translation>
    </message>
    <message>
        <source>the weights&apos; format</source>
        <translation>im Format der Gewichte</translation>
    </message>
    <message>
        <source>second moments do not decay</source>
        <translation>zweite Momente klingen nicht ab</translation>
    </message>
    <message>
        <source>Second moments below %1 do not decrease in %2 with a beta2 of %3: their decay rounds back. These are gradients below %4. Store the optimizer&apos;s state in fp32.</source>
        <translation>Zweite Momente unter %1 werden in %2 mit einem beta2 von %3 nicht kleiner: Ihr Abklingen wird zurückgerundet. Das sind Gradienten unter %4. Speichern Sie den Zustand des Optimierers in fp32.</translation>
    </message>
    <message>
        <source>%1 of %2 and %3, steps %4 to %5</source>
        <translation>%1 von %2 und %3, Schritte %4 bis %5</translation>
    </message>
    <message>
        <source>mean difference of the training losses</source>
        <translation>mittlerer Unterschied der Trainings-Losses</translation>
    </message>
    <message>
        <source>%1 product has a dimension that is not a multiple of 8 (16 in fp8, 4 in tf32), which tensor cores pad.</source>
        <translation>%1 Produkt hat eine Dimension, die kein Vielfaches von 8 (in fp8: 16) ist; Tensor Cores füllen sie auf.</translation>
    </message>
    <message>
        <source>%1 products have a dimension that is not a multiple of 8 (16 in fp8, 4 in tf32), which tensor cores pad.</source>
        <translation>%1 Produkte haben eine Dimension, die kein Vielfaches von 8 (in fp8: 16) ist; Tensor Cores füllen sie auf.</translation>
    </message>
    <message>
        <source>Conversions between formats take %1 of the time. A step in fp32 has none.</source>
        <translation>Umwandlungen zwischen Formaten brauchen %1 der Zeit. Ein Schritt in fp32 hat keine.</translation>
    </message>
    <message>
        <source>Products in fp32 use no tensor cores: %1 of the time.</source>
        <translation>Produkte in fp32 nutzen keine Tensor Cores: %1 der Zeit.</translation>
    </message>
    <message>
        <source>Products take %1 of the time: if they took none, the step would be %2 times as fast.</source>
        <translation>Produkte brauchen %1 der Zeit: ohne sie wäre der Schritt %2-mal so schnell.</translation>
    </message>
    <message>
        <source>The matrix products reach %1 of the rate of one large product: larger tensors use the device better.</source>
        <translation>Die Matrixprodukte erreichen %1 der Rate eines großen Produkts: Größere Tensoren nutzen das Gerät besser.</translation>
    </message>
    <message>
        <source>This GPU has no instructions for products in %1; the prediction uses the rate of %2.</source>
        <translation>Diese GPU hat keine Befehle für Produkte in %1; die Vorhersage nimmt die Rate von %2.</translation>
    </message>
    <message>
        <source>This device computes products in %1 with fp32 arithmetic and rounds their results, so they are not faster than in fp32.</source>
        <translation>Dieses Gerät berechnet Produkte in %1 mit fp32-Arithmetik und rundet ihre Ergebnisse; sie sind darum nicht schneller als in fp32.</translation>
    </message>
    <message>
        <source>A narrower format helps the other operations only as far as it makes their tensors smaller.</source>
        <translation>Ein schmaleres Format hilft den übrigen Operationen nur, soweit es ihre Tensoren kleiner macht.</translation>
    </message>
    <message>
        <source>In %2, %1 of the updates are smaller than half the spacing (ulp) of the weights&apos; format and change nothing in this training step.</source>
        <translation>In %2 sind %1 der Updates kleiner als der halbe Abstand (ulp) des Formats der Gewichte und ändern in diesem Trainingsschritt nichts.</translation>
    </message>
    <message>
        <source>In %2, %1 of the updates are smaller than half the spacing (ulp) of the weights&apos; format and change nothing.</source>
        <translation>In %2 sind %1 der Updates kleiner als der halbe Abstand (ulp) des Formats der Gewichte und ändern nichts.</translation>
    </message>
    <message>
        <source>%1 of the step passes between its operations, for example to start them and to read results.</source>
        <translation>%1 des Schritts vergehen zwischen seinen Operationen, etwa für ihren Start und das Lesen von Ergebnissen.</translation>
    </message>
    <message>
        <source>Most of the time goes to operations of less than 5 µs, which a narrower format does not shorten: the tensors are too small for this device. A larger batch or wider layers use it better.</source>
        <translation>Die meiste Zeit kosten Operationen unter 5 µs, die ein schmaleres Format nicht verkürzt: Die Tensoren sind für dieses Gerät zu klein. Ein größerer Batch oder breitere Schichten nutzen es besser.</translation>
    </message>
    <message>
        <source>Most of the time goes to reading and writing memory: a narrower format helps as far as it makes tensors smaller.</source>
        <translation>Die meiste Zeit kostet das Lesen und Schreiben von Speicher: Ein schmaleres Format hilft, soweit es Tensoren kleiner macht.</translation>
    </message>
    <message>
        <source>The tensors are too small for this GPU: most of the time goes to the launch of kernels, which a narrower format does not shorten. A larger batch or wider layers use it better.</source>
        <translation>Die Tensoren sind für diese GPU zu klein: Die meiste Zeit kostet der Start der Kernel, den ein schmaleres Format nicht verkürzt. Ein größerer Batch oder breitere Schichten nutzen sie besser.</translation>
    </message>
    <message>
        <source>The time to decode block formats, if the GPU does not multiply their codes, is not predicted.</source>
        <translation>Die Zeit, Blockformate zu dekodieren, falls die GPU ihre Codes nicht multipliziert, ist nicht vorhergesagt.</translation>
    </message>
    <message>
        <source>This device decodes operands in block formats before it multiplies them, so their products are not faster.</source>
        <translation>Dieses Gerät dekodiert Operanden in Blockformaten vor dem Multiplizieren; ihre Produkte sind darum nicht schneller.</translation>
    </message>
    <message>
        <source>A value was injected into %1 in this step: %2.</source>
        <translation>In diesem Schritt wurde ein Wert in %1 eingefügt: %2.</translation>
    </message>
    <message>
        <source>No update is finite.</source>
        <translation>Keine Aktualisierung ist endlich.</translation>
    </message>
    <message>
        <source>The largest weight of %1 is more than ten billion times the root mean square of the others.</source>
        <translation>Das größte Gewicht von %1 ist mehr als das Zehnmilliardenfache des quadratischen Mittels der anderen.</translation>
    </message>
    <message>
        <source>The largest weights of %1 are each more than ten billion times the root mean square of the others.</source>
        <translation>Die größten Gewichte von %1 sind jeweils mehr als das Zehnmilliardenfache des quadratischen Mittels der anderen.</translation>
    </message>
    <message>
        <source>The loss was %1 before step %2. In FP32, that of this step is %3.</source>
        <translation>Der Loss war %1 vor Schritt %2. In FP32 ist der dieses Schritts %3.</translation>
    </message>
    <message>
        <source>The sums of matrix products are emulated (accumulator %1), which takes most of their time and says nothing about such a GPU.</source>
        <translation>Die Summen der Matrixprodukte sind emuliert (accumulator %1). Das kostet die meiste Zeit und sagt nichts über eine solche GPU.</translation>
    </message>
    <message>
        <source>They are finite, and what is computed from them is not, in FP32 either.</source>
        <translation>Sie sind endlich, und was aus ihnen berechnet wird, ist es nicht, auch nicht in FP32.</translation>
    </message>
    <message>
        <source>All examined tensors of this step are finite, and the norm of the weights&apos; gradients is not.</source>
        <translation>Alle untersuchten Tensoren dieses Schritts sind endlich, die Norm der Gewichtsgradienten ist es nicht.</translation>
    </message>
    <message>
        <source>The output of a module was not finite.</source>
        <translation>Die Ausgabe eines Moduls war nicht endlich.</translation>
    </message>
    <message>
        <source>Whether its inputs were finite is not known: an operation before it may have made the number.</source>
        <translation>Ob seine Eingaben endlich waren, ist nicht bekannt: Die Zahl kann in einer Operation davor entstanden sein.</translation>
    </message>
    <message>
        <source>%1 of the last %2 steps were skipped.</source>
        <translation>%1 der letzten %2 Schritte wurden übersprungen.</translation>
    </message>
    <message>
        <source>The training&apos;s process no longer reports.</source>
        <translation>Der Prozess des Trainings meldet sich nicht mehr.</translation>
    </message>
    <message>
        <source>%1 clean step since the scale last changed.</source>
        <translation>%1 sauberer Schritt seit der letzten Änderung der Scale.</translation>
    </message>
    <message>
        <source>%1 clean steps since the scale last changed.</source>
        <translation>%1 saubere Schritte seit der letzten Änderung der Scale.</translation>
    </message>
    <message>
        <source>Before the first update a dynamic scaler lowers its scale with each skip.</source>
        <translation>Vor der ersten Aktualisierung senkt ein dynamischer Skalierer seine Skala mit jedem übersprungenen Schritt.</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Actions</name>
    <message>
        <source>New experiment…</source>
        <translation>Neues Experiment …</translation>
    </message>
    <message>
        <source>Open experiment…</source>
        <translation>Experiment öffnen …</translation>
    </message>
    <message>
        <source>Save experiment as JSON…</source>
        <translation>Experiment als JSON speichern …</translation>
    </message>
    <message>
        <source>Recordings…</source>
        <translation>Aufzeichnungen …</translation>
    </message>
    <message>
        <source>Open recording…</source>
        <translation>Aufzeichnung öffnen …</translation>
    </message>
    <message>
        <source>Import runs…</source>
        <translation>Läufe importieren …</translation>
    </message>
    <message>
        <source>Import a folder of runs…</source>
        <translation>Einen Ordner mit Läufen importieren …</translation>
    </message>
    <message>
        <source>Keep a recording</source>
        <translation>Aufzeichnen</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Copy plot as picture and table</source>
        <translation>Diagramm als Bild und Tabelle kopieren</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Diagnose</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Freeze view</source>
        <translation>Ansicht einfrieren</translation>
    </message>
    <message>
        <source>Follow the tail</source>
        <translation>Dem Ende folgen</translation>
    </message>
    <message>
        <source>Follow all</source>
        <translation>Allem folgen</translation>
    </message>
    <message>
        <source>Follow last 500</source>
        <translation>Den letzten 500 folgen</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>Von Hand</translation>
    </message>
    <message>
        <source>Fit all</source>
        <translation>Alles einpassen</translation>
    </message>
    <message>
        <source>Previous view</source>
        <translation>Vorige Ansicht</translation>
    </message>
    <message>
        <source>Next crosshair mode</source>
        <translation>Nächster Fadenkreuz-Modus</translation>
    </message>
    <message>
        <source>Architecture…</source>
        <translation>Architektur …</translation>
    </message>
    <message>
        <source>Next event</source>
        <translation>Nächstes Ereignis</translation>
    </message>
    <message>
        <source>Previous event</source>
        <translation>Voriges Ereignis</translation>
    </message>
    <message>
        <source>First non-finite step</source>
        <translation>Erster nicht endlicher Schritt</translation>
    </message>
    <message>
        <source>Rewind all runs to before the pinned step</source>
        <translation>Alle Läufe vor den gehaltenen Schritt zurückspulen</translation>
    </message>
    <message>
        <source>Rewind run to before the pinned step</source>
        <translation>Lauf vor den gehaltenen Schritt zurückspulen</translation>
    </message>
    <message>
        <source>Fork run at the crosshair…</source>
        <translation>Lauf am Fadenkreuz abzweigen …</translation>
    </message>
    <message>
        <source>What if, from the crosshair…</source>
        <translation>Was wäre wenn, ab dem Fadenkreuz …</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Single step</source>
        <translation>Einzelschritt</translation>
    </message>
    <message>
        <source>Reset to step 0</source>
        <translation>Auf Schritt 0 zurücksetzen</translation>
    </message>
    <message>
        <source>In lock-step</source>
        <translation>Im Gleichschritt</translation>
    </message>
    <message>
        <source>Add a run</source>
        <translation>Lauf hinzufügen</translation>
    </message>
    <message>
        <source>Rename run</source>
        <translation>Lauf umbenennen</translation>
    </message>
    <message>
        <source>Remove run</source>
        <translation>Lauf entfernen</translation>
    </message>
    <message>
        <source>Show or hide run</source>
        <translation>Lauf zeigen oder verbergen</translation>
    </message>
    <message>
        <source>Previous run</source>
        <translation>Voriger Lauf</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>Nächster Lauf</translation>
    </message>
    <message>
        <source>Put an Inf into the next batch</source>
        <translation>Ein Inf in den nächsten Batch setzen</translation>
    </message>
    <message>
        <source>Double the loss scale</source>
        <translation>Loss-Scale verdoppeln</translation>
    </message>
    <message>
        <source>Halve the loss scale</source>
        <translation>Loss-Scale halbieren</translation>
    </message>
    <message>
        <source>Examine the last step</source>
        <translation>Letzten Schritt untersuchen</translation>
    </message>
    <message>
        <source>Next captured step</source>
        <translation>Nächster erfasster Schritt</translation>
    </message>
    <message>
        <source>Previous captured step</source>
        <translation>Voriger erfasster Schritt</translation>
    </message>
    <message>
        <source>Number inspector…</source>
        <translation>Zahleninspektor …</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>About Mantissa</source>
        <translation>Über Mantissa</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>Hoher Kontrast</translation>
    </message>
    <message>
        <source>Data table…</source>
        <translation>Wertetabelle …</translation>
    </message>
    <message>
        <source>Copy experiment as text</source>
        <translation>Experiment als Text kopieren</translation>
    </message>
    <message>
        <source>Paste experiment</source>
        <translation>Experiment einfügen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Fork from before the undone change…</source>
        <translation>Vor der zurückgenommenen Änderung abzweigen …</translation>
    </message>
    <message>
        <source>Note at the crosshair…</source>
        <translation>Notiz am Fadenkreuz …</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>Präsentieren</translation>
    </message>
    <message>
        <source>Save layout as…</source>
        <translation>Anordnung speichern unter …</translation>
    </message>
    <message>
        <source>Rename layout…</source>
        <translation>Anordnung umbenennen …</translation>
    </message>
    <message>
        <source>Delete layout</source>
        <translation>Anordnung löschen</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>Anordnung zurücksetzen</translation>
    </message>
    <message>
        <source>Move panels</source>
        <translation>Panels verschieben</translation>
    </message>
    <message>
        <source>Leave Present</source>
        <translation>Präsentation verlassen</translation>
    </message>
    <message>
        <source>Before or after: the other run</source>
        <translation>Vorher oder nachher: der andere Lauf</translation>
    </message>
    <message>
        <source>Show all runs again</source>
        <translation>Wieder alle Läufe zeigen</translation>
    </message>
    <message>
        <source>Next view</source>
        <translation>Nächste Ansicht</translation>
    </message>
    <message>
        <source>Smooth the lines</source>
        <translation>Linien glätten</translation>
    </message>
    <message>
        <source>Cursor A at the crosshair</source>
        <translation>Cursor A ans Fadenkreuz</translation>
    </message>
    <message>
        <source>Cursor B at the crosshair</source>
        <translation>Cursor B ans Fadenkreuz</translation>
    </message>
    <message>
        <source>Lock the cursors</source>
        <translation>Cursor sperren</translation>
    </message>
    <message>
        <source>Remove the cursors</source>
        <translation>Cursor entfernen</translation>
    </message>
    <message>
        <source>Choose a lesson…</source>
        <translation>Lektion wählen …</translation>
    </message>
    <message>
        <source>Open lesson file…</source>
        <translation>Lektionsdatei öffnen …</translation>
    </message>
    <message>
        <source>Next, or reveal, in the lesson</source>
        <translation>Weiter oder auflösen, in der Lektion</translation>
    </message>
    <message>
        <source>Back in the lesson</source>
        <translation>Zurück, in der Lektion</translation>
    </message>
    <message>
        <source>This step of the lesson again</source>
        <translation>Diesen Schritt der Lektion noch einmal</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>Rundgang</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Open bundled experiment</source>
        <translation>Mitgeliefertes Experiment öffnen</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>Anordnungen</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>Panels</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>x axis</source>
        <translation>x-Achse</translation>
    </message>
    <message>
        <source>Plots</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Smoothing factor</source>
        <translation>Glättungsfaktor</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>&amp;Diagnose</source>
        <translation>D&amp;iagnose</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>L&amp;ektionen</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Select a run</source>
        <translation>Einen Lauf wählen</translation>
    </message>
    <message>
        <source>← →</source>
        <translation>← →</translation>
    </message>
    <message>
        <source>Crosshair, sample by sample, with Shift by ten (in the plots); the next format (on a card)</source>
        <translation>Fadenkreuz, Wert für Wert, mit Shift um zehn (in den Diagrammen); das nächste Format (auf einer Karte)</translation>
    </message>
    <message>
        <source>↑ ↓</source>
        <translation>↑ ↓</translation>
    </message>
    <message>
        <source>Double or halve the scale (in its field)</source>
        <translation>Loss-Scale verdoppeln oder halbieren (in seinem Feld)</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Let go of the crosshair, then remove the cursors (in the plots)</source>
        <translation>Fadenkreuz loslassen, dann die Cursor entfernen (in den Diagrammen)</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Jump to the event (in the list of events)</source>
        <translation>Zum Ereignis springen (in der Liste der Ereignisse)</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
    <message>
        <source>Remove the note (in the list of events)</source>
        <translation>Notiz entfernen (in der Liste der Ereignisse)</translation>
    </message>
    <message>
        <source>Keep a checkpoint of the run</source>
        <translation>Checkpoint des Laufs behalten</translation>
    </message>
    <message>
        <source>Move run up</source>
        <translation>Lauf nach oben</translation>
    </message>
    <message>
        <source>Move run down</source>
        <translation>Lauf nach unten</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>Farbe</translation>
    </message>
    <message>
        <source>What is wrong with my training?</source>
        <translation>Was stimmt mit meinem Training nicht?</translation>
    </message>
    <message>
        <source>Reset with the original settings</source>
        <translation>Mit den ursprünglichen Einstellungen zurücksetzen</translation>
    </message>
    <message>
        <source>Count votes in the lesson</source>
        <translation>In der Lektion Stimmen zählen</translation>
    </message>
    <message>
        <source>Toggle log y axis</source>
        <translation>Logarithmische y-Achse umschalten</translation>
    </message>
    <message>
        <source>Gallery…</source>
        <translation>Galerie …</translation>
    </message>
    <message>
        <source>What to look for</source>
        <translation>Worauf zu achten ist</translation>
    </message>
    <message>
        <source>Watch a PyTorch training…</source>
        <translation>PyTorch-Training beobachten …</translation>
    </message>
    <message>
        <source>Follow imported logs while they grow</source>
        <translation>Importierte Logs verfolgen, während sie wachsen</translation>
    </message>
    <message>
        <source>Rewind to the captured step and fork</source>
        <translation>Zum erfassten Schritt zurückspulen und abzweigen</translation>
    </message>
    <message>
        <source>Close the lesson</source>
        <translation>Lektion schließen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::AnswerCard</name>
    <message>
        <source>Answer %1: %2</source>
        <translation>Antwort %1: %2</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>Right, and your answer</source>
        <translation>Richtig, und Ihre Antwort</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Richtig</translation>
    </message>
    <message>
        <source>Your answer, but not right</source>
        <translation>Ihre Antwort, aber nicht richtig</translation>
    </message>
    <message>
        <source>1 vote</source>
        <translation>1 Stimme</translation>
    </message>
    <message>
        <source>%1 votes</source>
        <translation>%1 Stimmen</translation>
    </message>
    <message>
        <source>%1, %2 %</source>
        <translation>%1, %2 %</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ArchitectureModel</name>
    <message>
        <source> forced</source>
        <translation> erzwungen</translation>
    </message>
    <message>
        <source>Choose a format for %1</source>
        <translation>Ein Format für %1 wählen</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>computes in</source>
        <translation>rechnet in</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>makes</source>
        <translation>erzeugt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ArchitecturePage</name>
    <message>
        <source>Operations of the model</source>
        <translation>Operationen des Modells</translation>
    </message>
    <message>
        <source>%1, %2 parameters</source>
        <translation>%1, %2 Parameter</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitHead</name>
    <message>
        <source>sign</source>
        <translation>Vorzeichen</translation>
    </message>
    <message>
        <source>exponent</source>
        <translation>Exponent</translation>
    </message>
    <message>
        <source>mantissa</source>
        <translation>Mantisse</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitStrip</name>
    <message>
        <source>Bits in %1</source>
        <translation>Bits in %1</translation>
    </message>
    <message>
        <source>sign</source>
        <translation>Vorzeichen</translation>
    </message>
    <message>
        <source>exponent, 2 to the %1</source>
        <translation>Exponent, 2 hoch %1</translation>
    </message>
    <message>
        <source>mantissa, 2 to the −%1</source>
        <translation>Mantisse, 2 hoch −%1</translation>
    </message>
    <message>
        <source>%1; at the %2 bit, which is %3: Space flips it</source>
        <translation>%1; am Bit „%2“, es ist %3: die Leertaste kippt es</translation>
    </message>
    <message>
        <source>Bit %1, %2: click to flip</source>
        <translation>Bit %1, %2: Klick kippt es</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitsWindow</name>
    <message>
        <source>Number inspector</source>
        <translation>Zahleninspektor</translation>
    </message>
    <message>
        <source>A number, or a dot product</source>
        <translation>Eine Zahl oder ein Skalarprodukt</translation>
    </message>
    <message>
        <source>One number</source>
        <translation>Eine Zahl</translation>
    </message>
    <message>
        <source>A dot product</source>
        <translation>Ein Skalarprodukt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BlockMapPlot</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>SQNR of the operand&apos;s blocks</source>
        <translation>SQNR der Blöcke des Operanden</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>von %1 bis %2</translation>
    </message>
    <message>
        <source>SQNR %1</source>
        <translation>SQNR %1</translation>
    </message>
    <message>
        <source>%1 dB</source>
        <translation>%1 dB</translation>
    </message>
    <message>
        <source>block row %1, column %2</source>
        <translation>Blockzeile %1, Spalte %2</translation>
    </message>
    <message>
        <source>%1 % flushed</source>
        <translation>%1 % zu 0 gerundet</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
    <message>
        <source>The worst of these blocks.</source>
        <translation>Der schlechteste dieser Blöcke.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BlockModel</name>
    <message>
        <source>input gradient</source>
        <translation>Eingabegradient</translation>
    </message>
    <message>
        <source>weight gradient</source>
        <translation>Gewichtsgradient</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>all 0</source>
        <translation>alle 0</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exakt</translation>
    </message>
    <message>
        <source>NaN scale</source>
        <translation>Skala NaN</translation>
    </message>
    <message>
        <source>%1 dB</source>
        <translation>%1 dB</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>product</source>
        <translation>Produkt</translation>
    </message>
    <message>
        <source>operand</source>
        <translation>Operand</translation>
    </message>
    <message>
        <source>SQNR</source>
        <translation>SQNR</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>zu 0</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>gesättigt</translation>
    </message>
    <message>
        <source>The layer whose operand is quantised</source>
        <translation>Die Schicht, deren Operand quantisiert wird</translation>
    </message>
    <message>
        <source>The products that read the operand</source>
        <translation>Die Produkte, die den Operanden lesen</translation>
    </message>
    <message>
        <source>The layer&apos;s input, its weight, or the gradient of its output</source>
        <translation>Die Eingabe der Schicht, ihr Gewicht oder der Gradient ihrer Ausgabe</translation>
    </message>
    <message>
        <source>Signal to quantisation noise ratio: 10 log10 of the sum of squares over the sum of squared errors</source>
        <translation>Verhältnis von Signal zu Quantisierungsrauschen: 10 log10 der Summe der Quadrate durch die Summe der quadrierten Fehler</translation>
    </message>
    <message>
        <source>Share of the numbers other than 0 that became 0</source>
        <translation>Anteil der Zahlen außer 0, die zu 0 wurden</translation>
    </message>
    <message>
        <source>Share of the numbers beyond the largest number of their block</source>
        <translation>Anteil der Zahlen über der größten Zahl ihres Blocks</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BlockStrip</name>
    <message>
        <source>Over the steps that were read</source>
        <translation>Über die gelesenen Schritte</translation>
    </message>
    <message>
        <source>The products of a linear layer are y = x wᵀ, dx = dy w and dw = dyᵀ x. Each reads two operands in blocks.</source>
        <translation>Die Produkte einer linearen Schicht sind y = x wᵀ, dx = dy w und dw = dyᵀ x. Jedes liest zwei Operanden in Blöcken.</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>zu 0</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>gesättigt</translation>
    </message>
    <message>
        <source>Measure of the strip</source>
        <translation>Maß des Streifens</translation>
    </message>
    <message>
        <source>Blocks over steps: operands over the steps that were read</source>
        <translation>Blöcke über Schritte: Operanden über die gelesenen Schritte</translation>
    </message>
    <message>
        <source>Over %1 of %2 steps that were read; the others have another precision</source>
        <translation>Über %1 von %2 gelesenen Schritten; die anderen haben eine andere Präzision</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BlocksPage</name>
    <message>
        <source>blocks of %1</source>
        <translation>Blöcke von %1</translation>
    </message>
    <message>
        <source>rotated</source>
        <translation>rotiert</translation>
    </message>
    <message>
        <source>stochastic rounding</source>
        <translation>stochastisch gerundet</translation>
    </message>
    <message>
        <source>Only a run that the engine trains can repeat a step.</source>
        <translation>Nur ein Lauf, den die Engine trainiert, kann einen Schritt wiederholen.</translation>
    </message>
    <message>
        <source>The run has no step yet.</source>
        <translation>Der Lauf hat noch keinen Schritt.</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Quantised operands</source>
        <translation>Quantisierte Operanden</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to read a step.</source>
        <translation>Die Engine steht: starten Sie sie neu, um einen Schritt zu lesen.</translation>
    </message>
    <message>
        <source>Select an operand: its map shows the signal to quantisation noise ratio of its blocks.</source>
        <translation>Wählen Sie einen Operanden: Seine Karte zeigt das Verhältnis von Signal zu Quantisierungsrauschen seiner Blöcke.</translation>
    </message>
    <message>
        <source>What the block format makes of each operand of the step&apos;s matrix products.</source>
        <translation>Was das Blockformat aus jedem Operanden der Matrixprodukte des Schritts macht.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Largest magnitude: %1 before the rotation, %2 after it.</source>
        <translation>Größter Betrag: %1 vor der Rotation, %2 danach.</translation>
    </message>
    <message>
        <source>Largest magnitude: %1. This operand is not rotated.</source>
        <translation>Größter Betrag: %1. Dieser Operand wird nicht rotiert.</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <translation>%1, Schritt %2</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Wird gelesen</translation>
    </message>
    <message>
        <source>Read step %1</source>
        <translation>Schritt %1 lesen</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Präzision</translation>
    </message>
    <message>
        <source>Precision in which the step is read</source>
        <translation>Präzision, in der der Schritt gelesen wird</translation>
    </message>
    <message>
        <source>as trained</source>
        <translation>wie trainiert</translation>
    </message>
    <message>
        <source>Read %1 steps of the run</source>
        <translation>%1 Schritte des Laufs lesen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>requantised</source>
        <translation>neu quantisiert</translation>
    </message>
    <message>
        <source>A precision shows the step as it would be after a switch to it, with its usual recipe and without overrides. The run does not change.</source>
        <translation>Eine Präzision zeigt den Schritt, wie er nach einem Wechsel zu ihr wäre, mit ihrem üblichen Rezept und ohne Ausnahmen. Der Lauf ändert sich nicht.</translation>
    </message>
    <message>
        <source>These steps were read already.</source>
        <translation>Diese Schritte wurden schon gelesen.</translation>
    </message>
    <message>
        <source>The step is repeated. The run does not change.</source>
        <translation>Der Schritt wird wiederholt. Der Lauf ändert sich nicht.</translation>
    </message>
    <message>
        <source>Step %1 is repeated, and %2 more. The run does not change.</source>
        <translation>Schritt %1 wird wiederholt, und %2 weitere. Der Lauf ändert sich nicht.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CapturedGroups</name>
    <message>
        <source>normal for a dynamic scaler</source>
        <translation>normal für einen dynamischen Scaler</translation>
    </message>
    <message>
        <source>all finite</source>
        <translation>alles endlich</translation>
    </message>
    <message>
        <source>Show these steps</source>
        <translation>Diese Schritte zeigen</translation>
    </message>
    <message>
        <source>Fold these steps away</source>
        <translation>Diese Schritte einklappen</translation>
    </message>
    <message>
        <source>%1, %2 steps, folded</source>
        <translation>%1, %2 Schritte, eingeklappt</translation>
    </message>
    <message>
        <source>%1, %2 steps</source>
        <translation>%1, %2 Schritte</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CapturedList</name>
    <message>
        <source>Captured steps by verdict, newest last</source>
        <translation>Erfasste Schritte nach Befund, die neuesten zuletzt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CapturedModel</name>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Step %1 of %2, %3, loss scale %4</source>
        <translation>Schritt %1 von %2, %3, Loss-Scale %4</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChainModel</name>
    <message>
        <source>%1 limit %2</source>
        <translation>%1-Grenze %2</translation>
    </message>
    <message>
        <source>, %1 not finite</source>
        <translation>, %1 nicht endlich</translation>
    </message>
    <message>
        <source>none finite</source>
        <translation>keines endlich</translation>
    </message>
    <message>
        <source>%1 of %2, %3: largest magnitude %4%5</source>
        <translation>%1 von %2, %3: größter Betrag %4%5</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>largest magnitude</source>
        <translation>größter Betrag</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChainTable</name>
    <message>
        <source>Largest magnitude of each tensor, in order of execution</source>
        <translation>Größter Betrag jedes Tensors, in der Reihenfolge der Ausführung</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChangeBadge</name>
    <message>
        <source>%1 effective at step %2</source>
        <translation>%1 wirksam ab Schritt %2</translation>
    </message>
    <message>
        <source>%1 pending · from the next step</source>
        <translation>%1 angefordert · ab dem nächsten Schritt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ComparePage</name>
    <message>
        <source>Compare runs</source>
        <translation>Läufe vergleichen</translation>
    </message>
    <message>
        <source>Run to compare</source>
        <translation>Lauf zum Vergleichen</translation>
    </message>
    <message>
        <source>against</source>
        <translation>gegen</translation>
    </message>
    <message>
        <source>Run that it is compared against</source>
        <translation>Lauf, mit dem verglichen wird</translation>
    </message>
    <message>
        <source>Difference above which they are apart</source>
        <translation>Abweichung, über der sie als getrennt gelten</translation>
    </message>
    <message>
        <source>apart at all</source>
        <translation>überhaupt getrennt</translation>
    </message>
    <message>
        <source>apart above %1</source>
        <translation>getrennt über %1</translation>
    </message>
    <message>
        <source>whole run</source>
        <translation>ganzer Lauf</translation>
    </message>
    <message>
        <source>last %1 steps</source>
        <translation>letzte %1 Schritte</translation>
    </message>
    <message>
        <source>Steps to compare</source>
        <translation>Schritte zum Vergleichen</translation>
    </message>
    <message>
        <source>Follow training</source>
        <translation>Dem Training folgen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Compare the two runs</source>
        <translation>Die beiden Läufe vergleichen</translation>
    </message>
    <message>
        <source>Difference by layer and step</source>
        <translation>Abweichung nach Schicht und Schritt</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>weight gradients</source>
        <translation>Gewichtsgradienten</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Tensors that are compared</source>
        <translation>Tensoren, die verglichen werden</translation>
    </message>
    <message>
        <source>Difference of one layer</source>
        <translation>Abweichung einer Schicht</translation>
    </message>
    <message>
        <source>Train a few steps first; then the two runs can be compared tensor by tensor.</source>
        <translation>Trainieren Sie einige Schritte: dann lassen sich die beiden Läufe gegeneinander halten, Tensor für Tensor.</translation>
    </message>
    <message>
        <source>In which layer and at which step do they first differ? Press Compare: copies of both runs are rewound and trained again side by side, and their tensors are compared. The runs themselves do not change.</source>
        <translation>In welcher Schicht und bei welchem Schritt gehen sie auseinander? Drücken Sie „Vergleichen“: Kopien beider Läufe gehen zurück und werden nebeneinander neu trainiert, und jeder Tensor des einen wird gegen den des anderen gehalten. Die Läufe selbst bleiben, wo sie sind.</translation>
    </message>
    <message>
        <source>Comparing: %1 of %2 steps.</source>
        <translation>Vergleicht: %1 von %2 Schritten.</translation>
    </message>
    <message>
        <source>%1 of %2 steps were compared. Differences are relative to %3, without loss scales.</source>
        <translation>%1 von %2 Schritten wurden verglichen. Abweichungen sind relativ zu %3, ohne Loss-Scales.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stop comparing; training pauses</source>
        <translation>Vergleich beenden; das Training ruht dann</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>The comparison ended: %1.</source>
        <translation>Der Vergleich endete: %1.</translation>
    </message>
    <message>
        <source>There is nothing to compare yet.</source>
        <translation>Es gibt noch nichts zu vergleichen.</translation>
    </message>
    <message>
        <source>Stops comparing. What was found stays.</source>
        <translation>Beendet den Vergleich. Was gefunden wurde, bleibt.</translation>
    </message>
    <message>
        <source>Two runs are compared here, tensor by tensor. Add a run, fork one, or watch a PyTorch training.</source>
        <translation>Hier werden zwei Läufe verglichen, Tensor für Tensor. Fügen Sie einen Lauf hinzu, zweigen Sie einen ab, oder beobachten Sie ein PyTorch-Training.</translation>
    </message>
    <message>
        <source>In which layer and at which step do they first differ? Press Compare: each module&apos;s tensors are compared in the steps for which the watched run has sent sketches. mantissa_probe.watch(..., sketches=True) sends them.</source>
        <translation>In welcher Schicht und bei welchem Schritt gehen sie auseinander? Drücken Sie Vergleichen: Die Tensoren jedes Moduls werden in den Schritten verglichen, von denen der beobachtete Lauf Skizzen gesendet hat. mantissa_probe.watch(..., sketches=True) sendet sie.</translation>
    </message>
    <message>
        <source>They are estimated from sketches, to about 10 %, and are valid if both trainings start from the same weights and take the same batches.</source>
        <translation>Sie sind aus Skizzen bekannt, auf etwa 10 % genau, und gelten, wenn beide Trainings von denselben Gewichten aus dieselben Batches nehmen.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ComparisonCurve</name>
    <message>
        <source>The chosen layer&apos;s difference over steps</source>
        <translation>Abweichung der gewählten Schicht über den Schritten</translation>
    </message>
    <message>
        <source>%1 at step %2: %3</source>
        <translation>%1 bei Schritt %2: %3</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>apart above %1</source>
        <translation>getrennt über %1</translation>
    </message>
    <message>
        <source>first apart: step %1</source>
        <translation>zuerst getrennt: Schritt %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ComparisonMap</name>
    <message>
        <source>How far the runs are apart: layers over steps</source>
        <translation>Wie weit die Läufe auseinander sind: Schichten über Schritten</translation>
    </message>
    <message>
        <source>first apart: step %1</source>
        <translation>zuerst getrennt: Schritt %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>10⁻⁶</source>
        <translation>10⁻⁶</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100 %</translation>
    </message>
    <message>
        <source>non-finite ✕</source>
        <translation>nicht endlich ✕</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>%1, step %2: %3</source>
        <translation>%1, Schritt %2: %3</translation>
    </message>
    <message>
        <source>not compared</source>
        <translation>nicht verglichen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CursorModel</name>
    <message>
        <source>%1 step</source>
        <translation>%1 Schritt</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 Schritte</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1, %2 von %3</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CursorPanel</name>
    <message>
        <source>What the cursors compare</source>
        <translation>Was die Cursor vergleichen</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>Gesperrt</translation>
    </message>
    <message>
        <source>Cursors</source>
        <translation>Cursor</translation>
    </message>
    <message>
        <source>They cannot be moved with the mouse or the keyboard.</source>
        <translation>Weder die Hand noch eine Taste bewegt sie.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the cursors</source>
        <translation>Cursor entfernen</translation>
    </message>
    <message>
        <source>all of the chosen run</source>
        <translation>alles vom gewählten Lauf</translation>
    </message>
    <message>
        <source>Values at the cursors A and B, their difference and their ratio</source>
        <translation>Werte an den Cursorn A und B, ihre Differenz und ihr Verhältnis</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CurvePicture</name>
    <message>
        <source>no picture</source>
        <translation>kein Bild</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataPage</name>
    <message>
        <source>Format of the files</source>
        <translation>Format der Dateien</translation>
    </message>
    <message>
        <source>Export to a folder…</source>
        <translation>In einen Ordner exportieren …</translation>
    </message>
    <message>
        <source>Export to a folder</source>
        <translation>In einen Ordner exportieren</translation>
    </message>
    <message>
        <source>Where a folder with the files is made</source>
        <translation>Wo ein Ordner mit den Dateien angelegt wird</translation>
    </message>
    <message>
        <source>The engine stopped before it was done.</source>
        <translation>Die Engine hielt an, bevor sie fertig war.</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>Exportiert nach %1</translation>
    </message>
    <message>
        <source>Exported the data of %1 to %2</source>
        <translation>Was %1 enthält, wurde exportiert nach %2</translation>
    </message>
    <message>
        <source>Exported to %1, without what could not be recorded: %2</source>
        <translation>Exportiert nach %1, ohne das, was nicht aufgezeichnet werden konnte: %2</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to export data.</source>
        <translation>Die Engine steht: starten Sie sie neu, um Daten zu exportieren.</translation>
    </message>
    <message>
        <source>Nothing is being recorded, so there is nothing to export but weights. File &gt; Keep a recording changes that for the next start of the engine.</source>
        <translation>Es wird nicht aufgezeichnet, also gibt es außer Gewichten nichts zu exportieren. Datei &gt; Aufzeichnen ändert das für den nächsten Start der Engine.</translation>
    </message>
    <message>
        <source>Read-only runs are not included.</source>
        <translation>Läufe, die nur angesehen werden, sind nicht dabei.</translation>
    </message>
    <message>
        <source>The engine is writing…</source>
        <translation>Die Engine schreibt …</translation>
    </message>
    <message>
        <source>CSV, a table a run</source>
        <translation>CSV, eine Tabelle je Lauf</translation>
    </message>
    <message>
        <source>One file a run, one row a step. Numbers read back to the same value; NaN and infinities are nan, inf and -inf.</source>
        <translation>Eine Datei je Lauf, eine Zeile je Schritt. Zahlen ergeben beim Lesen denselben Wert; NaN und Unendlich sind nan, inf und -inf.</translation>
    </message>
    <message>
        <source>One file per run with one JSON object per step; the first line names the program. NaN and infinities are strings.</source>
        <translation>Eine Datei je Lauf, ein Objekt je Schritt, nach einer Zeile, die sagt, was sie schrieb. NaN und Unendlich sind Zeichenketten.</translation>
    </message>
    <message>
        <source>TensorBoard events</source>
        <translation>TensorBoard-Ereignisse</translation>
    </message>
    <message>
        <source>One folder a run. TensorBoard keeps values as 32-bit floats: seven digits of what was recorded.</source>
        <translation>Ein Ordner je Lauf. TensorBoard hält Werte als 32-Bit-Zahlen: sieben Stellen des Aufgezeichneten.</translation>
    </message>
    <message>
        <source>Weights, safetensors</source>
        <translation>Gewichte, safetensors</translation>
    </message>
    <message>
        <source>The weights of each run as they are now, for other programs to load.</source>
        <translation>Die Gewichte jedes Laufs, wie sie jetzt sind, für andere Programme.</translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation>JSON-Zeilen</translation>
    </message>
    <message>
        <source>Report, an HTML page</source>
        <translation>Bericht, eine HTML-Seite</translation>
    </message>
    <message>
        <source>A page with runs, verdicts, plots, memory and settings, and in the same folder the plots as drawings, the steps as CSV and the experiment.</source>
        <translation>Eine Seite mit Läufen, Urteilen, Diagrammen, Speicher und Einstellungen; daneben die Diagramme als Zeichnungen, die Schritte als CSV und das Experiment.</translation>
    </message>
    <message>
        <source>In the folder</source>
        <translation>Im Ordner</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataTable</name>
    <message>
        <source>Data table</source>
        <translation>Wertetabelle</translation>
    </message>
    <message>
        <source>Plot</source>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>All plots</source>
        <translation>Alle Diagramme</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the chosen rows, or all</source>
        <translation>Die gewählten Zeilen oder alle kopieren</translation>
    </message>
    <message>
        <source>The chosen rows, or all, at full precision (%1)</source>
        <translation>Die gewählten Zeilen oder alle, in voller Genauigkeit (%1)</translation>
    </message>
    <message>
        <source>Values of the plots, a row for each step</source>
        <translation>Werte der Diagramme, eine Zeile je Schritt</translation>
    </message>
    <message>
        <source>No steps on screen.</source>
        <translation>Kein Schritt auf dem Bildschirm.</translation>
    </message>
    <message>
        <source>Steps %1 to %2, about the crosshair, of those on screen.</source>
        <translation>Schritte %1 bis %2, um das Fadenkreuz, von denen auf dem Bildschirm.</translation>
    </message>
    <message>
        <source>Steps %1 to %2, as on screen.</source>
        <translation>Schritte %1 bis %2, wie auf dem Bildschirm.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataTableModel</name>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>übersprungen</translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation>Grad.-Norm</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>ms a step</source>
        <translation>ms je Schritt</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>Beispiele/s</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>%1
%2</source>
        <comment>run, then quantity</comment>
        <translation>%1
%2</translation>
    </message>
    <message>
        <source>+Inf</source>
        <translation>+Inf</translation>
    </message>
    <message>
        <source>−Inf</source>
        <translation>−Inf</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>%1, skipped</source>
        <translation>%1, übersprungen</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>%1 at step %2: %3</source>
        <translation>%1 bei Schritt %2: %3</translation>
    </message>
    <message>
        <source>no value</source>
        <translation>kein Wert</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DiagnoseController</name>
    <message>
        <source>%1 skipped step %2: training is paused.</source>
        <translation>%1 übersprang Schritt %2: das Training ruht.</translation>
    </message>
    <message>
        <source>Rewind to step %1 and fork</source>
        <translation>Zu Schritt %1 zurückspulen und abzweigen</translation>
    </message>
    <message>
        <source>Training continues unchanged.</source>
        <translation>Das Training läuft unverändert weiter.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DiagnoseDock</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Captured steps</source>
        <translation>Erfasste Schritte</translation>
    </message>
    <message>
        <source>None yet. A step that is skipped, or not finite, is captured automatically.</source>
        <translation>Noch keine. Ein Schritt, der übersprungen wird oder nicht endlich ist, wird von selbst erfasst.</translation>
    </message>
    <message>
        <source>Pause on</source>
        <translation>Anhalten bei</translation>
    </message>
    <message>
        <source>Pause training on</source>
        <translation>Training anhalten bei</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>any skip</source>
        <translation>jedem Skip</translation>
    </message>
    <message>
        <source>first skip of a run</source>
        <translation>erstem Skip je Lauf</translation>
    </message>
    <message>
        <source>in lock-step</source>
        <translation>im Gleichschritt</translation>
    </message>
    <message>
        <source>each at its pace</source>
        <translation>jeder in seinem Tempo</translation>
    </message>
    <message>
        <source>Captured steps are shown after the answer.</source>
        <translation>Erfasste Schritte werden nach der Antwort gezeigt.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DiagnosePage</name>
    <message>
        <source>New run: %1</source>
        <translation>Neuer Lauf: %1</translation>
    </message>
    <message>
        <source>Magnitudes</source>
        <translation>Beträge</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>what a block format makes of the operands of each matrix product</source>
        <translation>was ein Blockformat aus den Operanden jedes Matrixprodukts macht</translation>
    </message>
    <message>
        <source>Before a switch</source>
        <translation>Vor einem Wechsel</translation>
    </message>
    <message>
        <source>what another format would lose of the run, layer by layer</source>
        <translation>was ein anderes Format vom Lauf verlöre, Schicht für Schicht</translation>
    </message>
    <message>
        <source>Scaler race</source>
        <translation>Scaler-Rennen</translation>
    </message>
    <message>
        <source>which of this run&apos;s steps each loss scaler would have skipped</source>
        <translation>welche Schritte dieses Laufs jeder Loss-Scaler übersprungen hätte</translation>
    </message>
    <message>
        <source>Compare runs</source>
        <translation>Läufe vergleichen</translation>
    </message>
    <message>
        <source>in which layer and at which step two runs first differ</source>
        <translation>in welcher Schicht und bei welchem Schritt zwei Läufe auseinandergehen</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Fork</source>
        <translation>Abzweigen</translation>
    </message>
    <message>
        <source>no run</source>
        <translation>kein Lauf</translation>
    </message>
    <message>
        <source>%1 does not scale its loss</source>
        <translation>%1 skaliert seinen Loss nicht</translation>
    </message>
    <message>
        <source>%1, steps %2 to %3</source>
        <translation>%1, Schritte %2 bis %3</translation>
    </message>
    <message>
        <source>%1, no step yet</source>
        <translation>%1, noch kein Schritt</translation>
    </message>
    <message>
        <source>No run to examine</source>
        <translation>Kein Lauf zum Ansehen</translation>
    </message>
    <message>
        <source>Open an experiment, or add a run.</source>
        <translation>Öffnen Sie ein Experiment, oder fügen Sie einen Lauf hinzu.</translation>
    </message>
    <message>
        <source>Looking at step %1 of %2</source>
        <translation>Schritt %1 von %2 wird angesehen</translation>
    </message>
    <message>
        <source>This step cannot be examined</source>
        <translation>Dieser Schritt kann nicht angesehen werden</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>It is examined as soon as training pauses.</source>
        <translation>Er wird angesehen, sobald das Training ruht.</translation>
    </message>
    <message>
        <source>Step %1 of %2 has not been examined yet</source>
        <translation>Schritt %1 von %2 wurde noch nicht angesehen</translation>
    </message>
    <message>
        <source>Start training: a step that is skipped, or not finite, is captured automatically.</source>
        <translation>Starten Sie das Training: ein Schritt, der übersprungen wird oder nicht endlich ist, wird von selbst erfasst.</translation>
    </message>
    <message>
        <source>No step of %1 was captured</source>
        <translation>Kein Schritt von %1 wurde erfasst</translation>
    </message>
    <message>
        <source>Its non-finite steps were recorded but not examined.</source>
        <translation>Seine nicht endlichen Schritte wurden aufgezeichnet, aber nicht untersucht.</translation>
    </message>
    <message>
        <source>This run is read-only: its weights are not available.</source>
        <translation>Dieser Lauf wird nur angesehen: er hat hier keine Gewichte.</translation>
    </message>
    <message>
        <source>Examine step %1</source>
        <translation>Schritt %1 untersuchen</translation>
    </message>
    <message>
        <source>Examine the last step</source>
        <translation>Letzten Schritt untersuchen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Rewind to %1 and fork</source>
        <translation>Zu %1 zurückspulen und abzweigen</translation>
    </message>
    <message>
        <source>A new run from before step %1, with %2; this one is not touched</source>
        <translation>Ein neuer Lauf ab vor Schritt %1, mit %2; dieser bleibt, wie er ist</translation>
    </message>
    <message>
        <source>A new run from before step %1; this one is not touched</source>
        <translation>Ein neuer Lauf ab vor Schritt %1; dieser bleibt, wie er ist</translation>
    </message>
    <message>
        <source>The step was not measured: %1</source>
        <translation>Der Schritt wurde nicht gemessen: %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>What if: %1, %2 steps from step %3</source>
        <translation>Was wäre wenn: %1, %2 Schritte ab Schritt %3</translation>
    </message>
    <message>
        <source>New run from before step %2: %1</source>
        <translation>Neuer Lauf ab vor Schritt %2: %1</translation>
    </message>
    <message>
        <source>There is no step to examine yet.</source>
        <translation>Es gibt noch keinen Schritt zum Ansehen.</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to examine a step.</source>
        <translation>Die Engine steht: starten Sie sie neu, um einen Schritt anzusehen.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run, what happened to it</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stop the examination; the results so far are shown</source>
        <translation>Untersuchung beenden; was bis dahin bekannt ist, wird gezeigt</translation>
    </message>
    <message>
        <source>A step that is skipped, or not finite, shows up here by itself.</source>
        <translation>Ein übersprungener oder nicht endlicher Schritt erscheint hier von selbst.</translation>
    </message>
    <message>
        <source>All of its %1 steps are finite, and none was skipped.</source>
        <translation>Alle %1 Schritte sind endlich, keiner wurde übersprungen.</translation>
    </message>
    <message>
        <source>Capture the next step</source>
        <translation>Nächsten Schritt erfassen</translation>
    </message>
    <message>
        <source>The probe lists every operation of that step, which takes it some time once.</source>
        <translation>Die Sonde listet jede Operation dieses Schritts auf; das kostet einmal etwas Zeit.</translation>
    </message>
    <message>
        <source>The probe captures its next step.</source>
        <translation>Die Sonde erfasst ihren nächsten Schritt.</translation>
    </message>
    <message>
        <source>Previous captured step of this run</source>
        <translation>Voriger erfasster Schritt dieses Laufs</translation>
    </message>
    <message>
        <source>Next captured step of this run</source>
        <translation>Nächster erfasster Schritt dieses Laufs</translation>
    </message>
    <message>
        <source>Examine a run that failed</source>
        <translation>Einen gescheiterten Lauf untersuchen</translation>
    </message>
    <message>
        <source>See %1: %2</source>
        <comment>run, what happened to it</comment>
        <translation>Zu %1: %2</translation>
    </message>
    <message>
        <source>There is a run “%1” already.</source>
        <translation>Es gibt schon einen Lauf „%1“.</translation>
    </message>
    <message>
        <source>%1 has not started</source>
        <translation>%1 hat noch nicht begonnen</translation>
    </message>
    <message>
        <source>Shown after the answer</source>
        <translation>Nach der Antwort zu sehen</translation>
    </message>
    <message>
        <source>This page could answer a question of the lesson.</source>
        <translation>Diese Seite könnte eine Frage der Lektion beantworten.</translation>
    </message>
    <message>
        <source>No step of %1 was skipped or non-finite</source>
        <translation>Kein Schritt von %1 wurde übersprungen oder war nicht endlich</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>Zeit je Schritt</translation>
    </message>
    <message>
        <source>where the time of a step goes, and why a narrower format may not be faster</source>
        <translation>wohin die Zeit eines Schritts geht und warum ein schmaleres Format nicht schneller sein muss</translation>
    </message>
    <message>
        <source>The step is repeated as it was, at other scales and in other formats. The run does not change.</source>
        <translation>Der Schritt wird wiederholt, wie er war, mit anderen Scales und in anderen Formaten. Der Lauf ändert sich nicht.</translation>
    </message>
    <message>
        <source>In a series of non-finite steps, only some are captured automatically. Steps of a watched training cannot be repeated.</source>
        <translation>In einer Folge nicht endlicher Schritte werden nur einige von selbst erfasst. Schritte eines beobachteten Trainings lassen sich nicht wiederholen.</translation>
    </message>
    <message>
        <source>In a series of non-finite steps, only some are captured automatically. Any step can be examined.</source>
        <translation>In einer Folge nicht endlicher Schritte werden nur einige von selbst erfasst. Jeder Schritt lässt sich untersuchen.</translation>
    </message>
    <message>
        <source>All of its %1 steps are finite, and none was skipped. Examine the last step to see what rounding loses and how much headroom is left.</source>
        <translation>Alle %1 Schritte sind endlich, und keiner wurde übersprungen. Untersuchen Sie den letzten Schritt, um zu sehen, was das Runden verliert und wie viel Reserve bleibt.</translation>
    </message>
    <message>
        <source>how the format rounds each tensor, and which loss scales are usable</source>
        <translation>wie das Format jeden Tensor rundet, und welche Loss-Scales brauchbar sind</translation>
    </message>
    <message>
        <source>Step %1 of %2 was finite</source>
        <translation>Schritt %1 von %2 war endlich</translation>
    </message>
    <message>
        <source>Its loss and gradients were finite, and it was not skipped.</source>
        <translation>Loss und Gradienten waren endlich, und er wurde nicht übersprungen.</translation>
    </message>
    <message>
        <source>Its loss was finite, and it was not skipped. Whether its gradients were is not known.</source>
        <translation>Sein Loss war endlich, und er wurde nicht übersprungen. Ob seine Gradienten endlich waren, ist nicht bekannt.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DotModel</name>
    <message>
        <source>cannot</source>
        <translation>geht nicht</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Units in the last place of the format that the sums are in, at the exact sum; on tensor cores, of FP32</source>
        <translation>Einheiten der letzten Stelle des Formats, in dem die Summen stehen, bei der genauen Summe; bei Tensor-Cores die von FP32</translation>
    </message>
    <message>
        <source>sums</source>
        <translation>Summen</translation>
    </message>
    <message>
        <source>result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>relativ</translation>
    </message>
    <message>
        <source>ulp</source>
        <translation>ulp</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DotPage</name>
    <message>
        <source>Ways to sum</source>
        <translation>Arten zu summieren</translation>
    </message>
    <message>
        <source>products</source>
        <translation>Produkte</translation>
    </message>
    <message>
        <source>Length of the dot product</source>
        <translation>Länge des Skalarprodukts</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>Which numbers are multiplied</source>
        <translation>Welche Zahlen multipliziert werden</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Seed of the numbers</source>
        <translation>Seed der Zahlen</translation>
    </message>
    <message>
        <source>factors in</source>
        <translation>Faktoren in</translation>
    </message>
    <message>
        <source>Format of the factors</source>
        <translation>Format der Faktoren</translation>
    </message>
    <message>
        <source>sums in</source>
        <translation>Summen in</translation>
    </message>
    <message>
        <source>Format of the sums</source>
        <translation>Format der Summen</translation>
    </message>
    <message>
        <source>chunk</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Products in a chunk</source>
        <translation>Produkte in einem Block</translation>
    </message>
    <message>
        <source>tensor core</source>
        <translation>Tensor-Core</translation>
    </message>
    <message>
        <source>Which tensor core</source>
        <translation>Welcher Tensor-Core</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DotPlot</name>
    <message>
        <source>Relative error against length</source>
        <translation>Relativer Fehler über der Länge</translation>
    </message>
    <message>
        <source>Relative error</source>
        <translation>Relativer Fehler</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>genau</translation>
    </message>
    <message>
        <source>products</source>
        <translation>Produkte</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DraftCell</name>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen …</translation>
    </message>
    <message>
        <source>Browse for %1</source>
        <translation>Nach %1 suchen</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation>Wählen: %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DraftForm</name>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ElementsModel</name>
    <message>
        <source>%1 %2, stored in %3 as %4%5</source>
        <translation>%1 %2, gespeichert in %3 als %4%5</translation>
    </message>
    <message>
        <source>, with the loss scale in it</source>
        <translation>, mit dem Loss-Scale darin</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>index</source>
        <translation>Index</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation>in FP32</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ElementsPanel</name>
    <message>
        <source>Elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>Which elements are listed</source>
        <translation>Welche Elemente aufgeführt werden</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close the list of elements</source>
        <translation>Liste der Elemente schließen</translation>
    </message>
    <message>
        <source>Back to the other instruments</source>
        <translation>Zurück zu den anderen Instrumenten</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation>in FP32</translation>
    </message>
    <message>
        <source>Number shown in all formats</source>
        <translation>Zahl, die in allen Formaten gezeigt wird</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>Untersuchen</translation>
    </message>
    <message>
        <source>Open the number in the inspector</source>
        <translation>Die Zahl im Inspektor öffnen</translation>
    </message>
    <message>
        <source>Flip its bits, and see it on its number line</source>
        <translation>Ihre Bits kippen, und sie auf ihrem Zahlenstrahl sehen</translation>
    </message>
    <message>
        <source>The chosen element in every format</source>
        <translation>Das gewählte Element in jedem Format</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>von %1 bis %2</translation>
    </message>
    <message>
        <source>all finite but 0</source>
        <translation>alle endlichen außer 0</translation>
    </message>
    <message>
        <source>overflow in %1</source>
        <translation>Überlauf in %1</translation>
    </message>
    <message>
        <source>normal in %1</source>
        <translation>normal in %1</translation>
    </message>
    <message>
        <source>subnormal in %1</source>
        <translation>subnormal in %1</translation>
    </message>
    <message>
        <source>flushed by %1</source>
        <translation>von %1 auf null gesetzt</translation>
    </message>
    <message>
        <source>exactly 0</source>
        <translation>genau 0</translation>
    </message>
    <message>
        <source>0 here, not in FP32</source>
        <translation>hier 0, in FP32 nicht</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>step %1, %2</source>
        <translation>Schritt %1, %2</translation>
    </message>
    <message>
        <source>Reading: the step is repeated, as it was and in FP32.</source>
        <translation>Liest: der Schritt wird wiederholt, wie er war und in FP32.</translation>
    </message>
    <message>
        <source>No element is like that: %1.</source>
        <translation>Kein Element ist so: %1.</translation>
    </message>
    <message>
        <source>the largest in FP32 first</source>
        <translation>die größten in FP32 zuerst</translation>
    </message>
    <message>
        <source>in their order</source>
        <translation>in ihrer Reihenfolge</translation>
    </message>
    <message>
        <source>the largest first</source>
        <translation>die größten zuerst</translation>
    </message>
    <message>
        <source>%1 of %2 elements, %3.</source>
        <translation>%1 von %2 Elementen, %3.</translation>
    </message>
    <message>
        <source>One element.</source>
        <translation>Ein Element.</translation>
    </message>
    <message>
        <source>%1 elements, %2.</source>
        <translation>%1 Elemente, %2.</translation>
    </message>
    <message>
        <source>Both columns carry the loss scale, %1.</source>
        <translation>Beide Spalten tragen den Loss-Scale, %1.</translation>
    </message>
    <message>
        <source>They carry no loss scale.</source>
        <translation>Sie tragen keinen Loss-Scale.</translation>
    </message>
    <message>
        <source>These elements cannot be read: %1.</source>
        <translation>Diese Elemente sind nicht lesbar: %1.</translation>
    </message>
    <message>
        <source>It is NaN in FP32 as well, or there is no such tensor</source>
        <translation>Es ist auch in FP32 NaN, oder es gibt den Tensor nicht</translation>
    </message>
    <message>
        <source>%1 rounded to each format</source>
        <translation>%1, auf jedes Format gerundet</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EngineClient</name>
    <message>
        <source>%1 could not be started (%2)</source>
        <translation>%1 konnte nicht gestartet werden (%2)</translation>
    </message>
    <message>
        <source>it sent what this window cannot read (%1)</source>
        <translation>sie sandte, was dieses Fenster nicht lesen kann (%1)</translation>
    </message>
    <message>
        <source>it speaks protocol %1, and this window speaks %2</source>
        <translation>sie spricht Protokoll %1, dieses Fenster spricht %2</translation>
    </message>
    <message>
        <source>its first message was not a hello</source>
        <translation>sie hat nicht zuerst gegrüßt</translation>
    </message>
    <message>
        <source>ended by signal %1</source>
        <translation>beendet durch Signal %1</translation>
    </message>
    <message>
        <source>it ended by itself</source>
        <translation>sie endete von selbst</translation>
    </message>
    <message>
        <source>it ended with exit code %1</source>
        <translation>sie endete mit Code %1</translation>
    </message>
    <message>
        <source>its device cannot go on (%1)</source>
        <translation>ihr Gerät kann nicht weitermachen (%1)</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EventBar</name>
    <message>
        <source>Events, newest first</source>
        <translation>Ereignisse, die neuesten zuerst</translation>
    </message>
    <message>
        <source>Which events are listed</source>
        <translation>Welche Ereignisse aufgeführt werden</translation>
    </message>
    <message>
        <source>all kinds, %1</source>
        <translation>alle Arten, %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EventModel</name>
    <message>
        <source>%1: %2 is effective</source>
        <translation>%1: %2 ist wirksam</translation>
    </message>
    <message>
        <source>a run that is gone</source>
        <translation>ein Lauf, den es nicht mehr gibt</translation>
    </message>
    <message>
        <source>%1: a what-if of %2</source>
        <translation>%1: ein Was-wäre-wenn von %2</translation>
    </message>
    <message>
        <source>%1: forked from %2</source>
        <translation>%1: abgezweigt von %2</translation>
    </message>
    <message>
        <source>%1: first %2, %3, %4</source>
        <translation>%1: zuerst %2, %3, %4</translation>
    </message>
    <message>
        <source>%1 stopped: %2</source>
        <translation>%1 angehalten: %2</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>way back</source>
        <translation>zurück</translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation>Notiz bearbeiten</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>%1: checkpoint, a fork from here trains nothing again</source>
        <translation>%1: Checkpoint, ein Abzweig von hier trainiert nichts erneut</translation>
    </message>
    <message>
        <source>%1: state stored in the recording</source>
        <translation>%1: Zustand in der Aufzeichnung gespeichert</translation>
    </message>
    <message>
        <source>Fork from here…</source>
        <translation>Hier abzweigen …</translation>
    </message>
    <message>
        <source>Rewind to step %1</source>
        <translation>Zurück zu Schritt %1</translation>
    </message>
    <message>
        <source>%1: validation not finite: %2</source>
        <translation>%1: Validierung nicht endlich: %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>What to export</source>
        <translation>Was exportiert wird</translation>
    </message>
    <message>
        <source>Plots as a picture</source>
        <translation>Diagramme als Bild</translation>
    </message>
    <message>
        <source>Data of the recording</source>
        <translation>Daten der Aufzeichnung</translation>
    </message>
    <message>
        <source>A run as a program</source>
        <translation>Ein Lauf als Programm</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ExportPreview</name>
    <message>
        <source>Preview of the report</source>
        <translation>Vorschau des Berichts</translation>
    </message>
    <message>
        <source>The first lines of the first file</source>
        <translation>Die ersten Zeilen der ersten Datei</translation>
    </message>
    <message>
        <source>No preview: these are more than %1 steps.</source>
        <translation>Keine Vorschau: Es sind mehr als %1 Schritte.</translation>
    </message>
    <message>
        <source>No preview: there is no room for the files.</source>
        <translation>Keine Vorschau: Für die Dateien ist kein Platz.</translation>
    </message>
    <message>
        <source>The engine is writing…</source>
        <translation>Die Engine schreibt …</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>file, size</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>There is nothing to write.</source>
        <translation>Es gibt nichts zu schreiben.</translation>
    </message>
    <message>
        <source>These files are for programs: there is no text to show.</source>
        <translation>Diese Dateien sind für Programme: Es gibt keinen Text zu zeigen.</translation>
    </message>
    <message>
        <source>The report cannot be shown here.</source>
        <translation>Der Bericht kann hier nicht gezeigt werden.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FileController</name>
    <message>
        <source>Open experiment</source>
        <translation>Experiment öffnen</translation>
    </message>
    <message>
        <source>Experiments (*.json)</source>
        <translation>Experimente (*.json)</translation>
    </message>
    <message>
        <source>Copied the current experiment as text.</source>
        <translation>Experiment als Text kopiert, wie es jetzt ist.</translation>
    </message>
    <message>
        <source>Open recording</source>
        <translation>Aufzeichnung öffnen</translation>
    </message>
    <message>
        <source>Recordings (*.mantissa)</source>
        <translation>Aufzeichnungen (*.mantissa)</translation>
    </message>
    <message>
        <source>Import runs to view</source>
        <translation>Läufe zum Ansehen importieren</translation>
    </message>
    <message>
        <source>Runs (*.csv *.jsonl *tfevents* *.wandb *.db *.log *trainer_state.json *.mantissa *.mprobe);;All files (*)</source>
        <translation>Läufe (*.csv *.jsonl *tfevents* *.wandb *.db *.log *trainer_state.json *.mantissa *.mprobe);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Import all runs of a folder</source>
        <translation>Alle Läufe eines Ordners importieren</translation>
    </message>
    <message>
        <source>Logs that are imported from now on are followed while they grow.</source>
        <translation>Logs, die ab jetzt importiert werden, werden verfolgt, während sie wachsen.</translation>
    </message>
    <message>
        <source>Logs that are imported from now on are read once.</source>
        <translation>Logs, die ab jetzt importiert werden, werden einmal gelesen.</translation>
    </message>
    <message>
        <source>Recordings are kept from the next start of the engine on.</source>
        <translation>Ab dem nächsten Start der Engine wird aufgezeichnet.</translation>
    </message>
    <message>
        <source>No recordings are kept from the next start of the engine on.</source>
        <translation>Ab dem nächsten Start der Engine wird nicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>Damit weitermachen</translation>
    </message>
    <message>
        <source>Start afresh</source>
        <translation>Neu beginnen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The experiment was not opened</source>
        <translation>Das Experiment wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>The recording was not opened</source>
        <translation>Die Aufzeichnung wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>Nothing was imported</source>
        <translation>Es wurde nichts importiert</translation>
    </message>
    <message>
        <source>No training can be watched</source>
        <translation>Kein Training kann beobachtet werden</translation>
    </message>
    <message>
        <source>Paused on the way: it goes on with the next step.</source>
        <translation>Unterwegs angehalten: mit dem nächsten Schritt geht es weiter.</translation>
    </message>
    <message>
        <source>What was pasted was not opened</source>
        <translation>Das Eingefügte wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>Not done</source>
        <translation>Nicht ausgeführt</translation>
    </message>
    <message>
        <source>At %1: %2</source>
        <translation>Bei %1: %2</translation>
    </message>
    <message>
        <source>%1 was not opened</source>
        <translation>%1 wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>%1
Opened %2 instead.</source>
        <translation>%1
Stattdessen wurde %2 geöffnet.</translation>
    </message>
    <message>
        <source>Save experiment</source>
        <translation>Experiment speichern</translation>
    </message>
    <message>
        <source>%1 was not saved</source>
        <translation>%1 wurde nicht gespeichert</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>There is no text to paste.</source>
        <translation>Es gibt keinen Text zum Einfügen.</translation>
    </message>
    <message>
        <source>What was copied is no experiment: its text begins with “{”.</source>
        <translation>Das Kopierte ist kein Experiment: dessen Text beginnt mit „{“.</translation>
    </message>
    <message>
        <source>pasted</source>
        <translation>eingefügt</translation>
    </message>
    <message>
        <source>Open a probe&apos;s file</source>
        <translation>Datei einer Sonde öffnen</translation>
    </message>
    <message>
        <source>Files of a probe (*.mprobe)</source>
        <translation>Dateien einer Sonde (*.mprobe)</translation>
    </message>
    <message>
        <source>%1 was not imported</source>
        <translation>%1 wurde nicht importiert</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to import runs.</source>
        <translation>Die Engine steht: starten Sie sie neu, um andere Läufe anzusehen.</translation>
    </message>
    <message>
        <source>The recording has a problem</source>
        <translation>Die Aufzeichnung hat ein Problem</translation>
    </message>
    <message>
        <source>%1 Training continues.</source>
        <translation>%1 Das Training läuft weiter.</translation>
    </message>
    <message>
        <source>The window did not end properly last time</source>
        <translation>Das Fenster endete letztes Mal nicht ordentlich</translation>
    </message>
    <message>
        <source>What was recorded then is here again, from %1: nothing but the last moment is lost.</source>
        <translation>Was dabei aufgezeichnet wurde, ist wieder da, aus %1: verloren ist nur der letzte Augenblick.</translation>
    </message>
    <message>
        <source>Opened %1, written by version %2.</source>
        <translation>%1 geöffnet, geschrieben von Version %2.</translation>
    </message>
    <message>
        <source>%1 opens read-only</source>
        <translation>%1 ist schreibgeschützt geöffnet</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastModel</name>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>updates</source>
        <translation>Updates</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>auf null</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>subnormal</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>Überlauf</translation>
    </message>
    <message>
        <source>headroom</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>%1, %2: of %3 finite numbers other than 0, %4 flushed to zero, %5 subnormal, %6 overflow; %7 comes closest to the limit</source>
        <translation>%1, %2: von %3 endlichen Zahlen ungleich 0 werden %4 auf null gesetzt, %5 subnormal, %6 laufen über; %7 kommt der Grenze am nächsten</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>%1
%2</source>
        <translation>%1
%2</translation>
    </message>
    <message>
        <source>Share of the numbers other than 0 that would become 0</source>
        <translation>Anteil der Zahlen ungleich 0, die 0 würden</translation>
    </message>
    <message>
        <source>Share that would keep fewer digits than the format has</source>
        <translation>Anteil, der weniger Stellen behielte, als das Format hat</translation>
    </message>
    <message>
        <source>Share that would leave the format</source>
        <translation>Anteil, der das Format verließe</translation>
    </message>
    <message>
        <source>How often the largest number could still double</source>
        <translation>Wie oft sich die größte Zahl noch verdoppeln könnte</translation>
    </message>
    <message>
        <source>Share of updates that would become 0: a lower bound on those that would leave a weight stored in this format unchanged</source>
        <translation>Anteil der Updates, die 0 würden: eine untere Schranke für jene, die ein in diesem Format gespeichertes Gewicht nicht ändern würden</translation>
    </message>
    <message>
        <source>%1, %2: all %3 numbers other than 0 are Inf or NaN</source>
        <translation>%1, %2: Alle %3 Zahlen ungleich 0 sind Inf oder NaN</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastPage</name>
    <message>
        <source>Before a switch</source>
        <translation>Vor einem Wechsel</translation>
    </message>
    <message>
        <source>Target format</source>
        <translation>Format, zu dem gewechselt werden soll</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>Half the tried loss scale</source>
        <translation>Den versuchten Loss-Scale halbieren</translation>
    </message>
    <message>
        <source>Tried loss scale</source>
        <translation>Versuchter Loss-Scale</translation>
    </message>
    <message>
        <source>Twice the tried loss scale</source>
        <translation>Den versuchten Loss-Scale verdoppeln</translation>
    </message>
    <message>
        <source>Try the loss scale that is safe</source>
        <translation>Den sicheren Loss-Scale versuchen</translation>
    </message>
    <message>
        <source>used: %1</source>
        <translation>benutzt: %1</translation>
    </message>
    <message>
        <source>safe: %1</source>
        <translation>sicher: %1</translation>
    </message>
    <message>
        <source>Try the loss scale %1</source>
        <translation>Den Loss-Scale %1 versuchen</translation>
    </message>
    <message>
        <source>Over the last %1 samples of tensor statistics, as %2: %3</source>
        <translation>Über die letzten %1 Messungen der Tensoren, als %2: %3</translation>
    </message>
    <message>
        <source>In one sample of tensor statistics, as %1: %2</source>
        <translation>In einer Messung der Tensoren, als %1: %2</translation>
    </message>
    <message>
        <source>each tensor has its own scale</source>
        <translation>jeder Tensor hat seine eigene Scale</translation>
    </message>
    <message>
        <source>Step %1 of %2, as if %3 stored every tensor. %4</source>
        <translation>Schritt %1 von %2, als ob %3 jeden Tensor hielte. %4</translation>
    </message>
    <message>
        <source>try: %1</source>
        <translation>versuchen: %1</translation>
    </message>
    <message>
        <source>Block formats</source>
        <translation>Blockformate</translation>
    </message>
    <message>
        <source>Block formats: on the page “Blocks”</source>
        <translation>Blockformate: auf der Seite „Blöcke“</translation>
    </message>
    <message>
        <source>MXFP8, NVFP4 and the others: the page “Blocks” repeats a step as after a switch</source>
        <translation>MXFP8, NVFP4 und die anderen: Die Seite „Blöcke“ wiederholt einen Schritt wie nach einem Wechsel</translation>
    </message>
    <message>
        <source>Exact: this step kept everything in FP32. To see how training would continue, make a fork.</source>
        <translation>Genau: dieser Schritt hielt alles in FP32. Wie das Training weiterginge, zeigt ein Abzweig.</translation>
    </message>
    <message>
        <source>The measured tensors of this step are in FP32.</source>
        <translation>Die gemessenen Tensoren dieses Schritts sind in FP32.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastTable</name>
    <message>
        <source>What the format would make of each layer</source>
        <translation>Was das Format aus jeder Schicht machen würde</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForkDialog</name>
    <message>
        <source>Fork %1</source>
        <translation>%1 abzweigen</translation>
    </message>
    <message>
        <source>A new run from</source>
        <translation>Ein neuer Lauf aus</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>as it was before step</source>
        <translation>wie er war vor Schritt</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>with this changed</source>
        <translation>mit dieser Änderung</translation>
    </message>
    <message>
        <source>What to change</source>
        <translation>Was sich ändert</translation>
    </message>
    <message>
        <source>called</source>
        <translation>genannt</translation>
    </message>
    <message>
        <source>Name of the new run</source>
        <translation>Name des neuen Laufs</translation>
    </message>
    <message>
        <source>only as a what-if, of</source>
        <translation>nur als Was-wäre-wenn, über</translation>
    </message>
    <message>
        <source>Steps of the what-if</source>
        <translation>Schritte des Was-wäre-wenn</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>A what-if trains at once, thin and dashed in the plots. It is kept or dismissed later.</source>
        <translation>Ein Was-wäre-wenn trainiert sofort, dünn und gestrichelt in den Diagrammen. Später wird es behalten oder verworfen.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>as the one it comes from, with a number</source>
        <translation>wie der, aus dem er kommt, mit einer Nummer</translation>
    </message>
    <message>
        <source>See what if</source>
        <translation>Zeigen, was wäre</translation>
    </message>
    <message>
        <source>Fork</source>
        <translation>Abzweigen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FormatRows</name>
    <message>
        <source>The number in every format</source>
        <translation>Die Zahl in jedem Format</translation>
    </message>
    <message>
        <source>format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>becomes</source>
        <translation>wird zu</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>relativ</translation>
    </message>
    <message>
        <source>ulp</source>
        <translation>ulp</translation>
    </message>
    <message>
        <source>class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>next below</source>
        <translation>nächste darunter</translation>
    </message>
    <message>
        <source>next above</source>
        <translation>nächste darüber</translation>
    </message>
    <message>
        <source>Examine %1</source>
        <translation>%1 näher ansehen</translation>
    </message>
    <message>
        <source>The number line and the buttons above are this format&apos;s</source>
        <translation>Der Zahlenstrahl und die Knöpfe darüber gelten für dieses Format</translation>
    </message>
    <message>
        <source>Next number of %1 above</source>
        <translation>Nächste Zahl von %1 darüber</translation>
    </message>
    <message>
        <source>Next number of %1 below</source>
        <translation>Nächste Zahl von %1 darunter</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FormatsModel</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>sign exponent mantissa</source>
        <translation>Vorzeichen Exponent Mantisse</translation>
    </message>
    <message>
        <source>rounded</source>
        <translation>gerundet</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>relativ</translation>
    </message>
    <message>
        <source>ulp</source>
        <translation>ulp</translation>
    </message>
    <message>
        <source>class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>below</source>
        <translation>darunter</translation>
    </message>
    <message>
        <source>above</source>
        <translation>darüber</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FrozenTab</name>
    <message>
        <source>View frozen before the first step</source>
        <translation>Ansicht vor dem ersten Schritt eingefroren</translation>
    </message>
    <message>
        <source>View frozen at step %1</source>
        <translation>Ansicht bei Schritt %1 eingefroren</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Training continues: %1 new %2. Unfreeze to return to the live end.</source>
        <translation>Das Training läuft weiter: %1 %2 neu. Auftauen führt zum Ende zurück.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GalleryCard</name>
    <message>
        <source>open now</source>
        <translation>jetzt offen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GalleryPage</name>
    <message>
        <source>Gallery</source>
        <translation>Galerie</translation>
    </message>
    <message>
        <source>What do you want to see?</source>
        <translation>Was möchten Sie sehen?</translation>
    </message>
    <message>
        <source>Type to filter</source>
        <translation>Zum Filtern tippen</translation>
    </message>
    <message>
        <source>Filter of the gallery</source>
        <translation>Filter der Galerie</translation>
    </message>
    <message>
        <source>Nothing in the gallery has these words.</source>
        <translation>Nichts in der Galerie enthält diese Wörter.</translation>
    </message>
    <message>
        <source>Arrow keys choose, Enter opens, letters filter, Esc closes.</source>
        <translation>Pfeiltasten wählen, Enter öffnet, Buchstaben filtern, Esc schließt.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close the gallery</source>
        <translation>Galerie schließen</translation>
    </message>
    <message>
        <source>Show group: %1</source>
        <translation>Gruppe zeigen: %1</translation>
    </message>
    <message>
        <source>Your recordings</source>
        <translation>Ihre Aufzeichnungen</translation>
    </message>
    <message>
        <source>%1, %2 steps. %3</source>
        <translation>%1, %2 Schritte. %3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GaugeList</name>
    <message>
        <source>Silent failures</source>
        <translation>Stille Fehler</translation>
    </message>
    <message>
        <source>Measure tensors</source>
        <translation>Tensoren messen</translation>
    </message>
    <message>
        <source>How often tensors are measured</source>
        <translation>Wie oft Tensoren gemessen werden</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>sampled</source>
        <translation>Stichproben</translation>
    </message>
    <message>
        <source>each step</source>
        <translation>jeden Schritt</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Costs nothing while it is off.</source>
        <translation>Kostet nichts, solange es aus ist.</translation>
    </message>
    <message>
        <source>What it costs is being measured.</source>
        <translation>Was es kostet, wird gemessen.</translation>
    </message>
    <message>
        <source>%1&#x202f;% of a step&apos;s time, measured.</source>
        <translation>%1&#x202f;% der Zeit eines Schritts, gemessen.</translation>
    </message>
    <message>
        <source>one block in eight</source>
        <translation>jeder achte Block</translation>
    </message>
    <message>
        <source>Measures one eighth of every large tensor at each step; eight steps cover it all. Shares refer to the measured elements.</source>
        <translation>Misst in jedem Schritt ein Achtel jedes großen Tensors; acht Schritte erfassen ihn ganz. Anteile gelten für die gemessenen Elemente.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GuideBrowser</name>
    <message>
        <source>Page of the guide</source>
        <translation>Seite des Handbuchs</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GuideWindow</name>
    <message>
        <source>Guide</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vor</translation>
    </message>
    <message>
        <source>Find in the guide (Ctrl+F)</source>
        <translation>Im Handbuch suchen (Ctrl+F)</translation>
    </message>
    <message>
        <source>Find in the guide</source>
        <translation>Im Handbuch suchen</translation>
    </message>
    <message>
        <source>Contents of the guide</source>
        <translation>Inhalt des Handbuchs</translation>
    </message>
    <message>
        <source>%1 - Guide</source>
        <translation>%1 - Handbuch</translation>
    </message>
    <message>
        <source>%1 on this page</source>
        <translation>%1 auf dieser Seite</translation>
    </message>
    <message>
        <source>Not in the guide</source>
        <translation>Nicht im Handbuch</translation>
    </message>
    <message>
        <source>Enter searches all pages</source>
        <translation>Eingabetaste: alle Seiten durchsuchen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::HealthLine</name>
    <message>
        <source>Why?</source>
        <translation>Warum?</translation>
    </message>
    <message>
        <source>Rewind</source>
        <translation>Zurück</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::HelpController</name>
    <message>
        <source>Closed until another experiment opens. View &gt; What to look for keeps it closed.</source>
        <translation>Geschlossen, bis ein anderes Experiment geöffnet wird. Ansicht &gt; Worauf zu achten ist hält es geschlossen.</translation>
    </message>
    <message>
        <source>Language: %1, from the next start on.</source>
        <translation>Sprache: %1, ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::InspectorPage</name>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Value, as a number or as bits of the chosen format</source>
        <translation>Wert, als Zahl oder als Bits des gewählten Formats</translation>
    </message>
    <message>
        <source>0.1, 1/3, pi, 2^-24, 0x1.8p-3, inf, nan; or bits: 0x3c00, 0 01111 0000000000</source>
        <translation>0.1, 1/3, pi, 2^-24, 0x1.8p-3, inf, nan; oder Bits: 0x3c00, 0 01111 0000000000</translation>
    </message>
    <message>
        <source>rounded</source>
        <translation>gerundet</translation>
    </message>
    <message>
        <source>How it is rounded</source>
        <translation>Wie gerundet wird</translation>
    </message>
    <message>
        <source>Draw again</source>
        <translation>Neu ziehen</translation>
    </message>
    <message>
        <source>Draw again: round stochastically with other random bits</source>
        <translation>Neu ziehen: stochastisch runden mit anderen Zufallsbits</translation>
    </message>
    <message>
        <source>saturating</source>
        <translation>sättigend</translation>
    </message>
    <message>
        <source>What is beyond the largest number becomes that number</source>
        <translation>Was über der größten Zahl liegt, wird zu dieser Zahl</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>größtes</translation>
    </message>
    <message>
        <source>The chosen format&apos;s largest number</source>
        <translation>Die größte Zahl des gewählten Formats</translation>
    </message>
    <message>
        <source>smallest normal</source>
        <translation>kleinste normale</translation>
    </message>
    <message>
        <source>The chosen format&apos;s smallest normal number</source>
        <translation>Die kleinste normale Zahl des gewählten Formats</translation>
    </message>
    <message>
        <source>smallest subnormal</source>
        <translation>kleinste subnormale</translation>
    </message>
    <message>
        <source>The chosen format&apos;s smallest subnormal number</source>
        <translation>Die kleinste subnormale Zahl des gewählten Formats</translation>
    </message>
    <message>
        <source>1 + ε</source>
        <translation>1 + ε</translation>
    </message>
    <message>
        <source>The next number above 1 in the chosen format</source>
        <translation>Die nächste Zahl über 1 im gewählten Format</translation>
    </message>
    <message>
        <source>any:</source>
        <translation>beliebig:</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>%1 zeigen</translation>
    </message>
    <message>
        <source>From the bits of %1.</source>
        <translation>Aus den Bits von %1.</translation>
    </message>
    <message>
        <source>%1:</source>
        <translation>%1:</translation>
    </message>
    <message>
        <source>Enter a number.</source>
        <translation>Bitte eine Zahl eingeben.</translation>
    </message>
    <message>
        <source>Enter a number, or %1 bits for %2.</source>
        <translation>Bitte eine Zahl oder %1 Bits für %2 eingeben.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::InstrumentPages</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Instruments</name>
    <message>
        <source>all weight gradients</source>
        <translation>alle Gewichtsgradienten</translation>
    </message>
    <message>
        <source>all forward tensors</source>
        <translation>alle Vorwärts-Tensoren</translation>
    </message>
    <message>
        <source>all updates</source>
        <translation>alle Updates</translation>
    </message>
    <message>
        <source>used %1</source>
        <translation>benutzt %1</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>wie es ist</translation>
    </message>
    <message>
        <source>try %1</source>
        <translation>Versuch %1</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>verloren</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>auf null</translation>
    </message>
    <message>
        <source>These gradients are not finite, so no loss scale follows from them.</source>
        <translation>Diese Gradienten sind nicht endlich: sie sagen nichts über eine Scale.</translation>
    </message>
    <message>
        <source>At step %1:</source>
        <translation>Bei Schritt %1:</translation>
    </message>
    <message>
        <source>Over the last %1 samples of tensor statistics:</source>
        <translation>Über die letzten %1 Messungen der Tensoren:</translation>
    </message>
    <message>
        <source>In one sample of tensor statistics:</source>
        <translation>In einer Messung der Tensoren:</translation>
    </message>
    <message>
        <source>No gradient of this run carries a loss scale.</source>
        <translation>Kein Gradient dieses Laufs trägt einen Loss-Scale.</translation>
    </message>
    <message>
        <source>Microscope</source>
        <translation>Mikroskop</translation>
    </message>
    <message>
        <source>Tensors under the microscope</source>
        <translation>Tensoren unter dem Mikroskop</translation>
    </message>
    <message>
        <source>Format whose window is drawn</source>
        <translation>Format, dessen Fenster gezeichnet ist</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>Scale</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>subnormal</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>normal</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>Überlauf</translation>
    </message>
    <message>
        <source>exact 0</source>
        <translation>genau 0</translation>
    </message>
    <message>
        <source>Elements by what the format makes of them</source>
        <translation>Elemente nach dem, was das Format aus ihnen macht</translation>
    </message>
    <message>
        <source>A click on a count of the first row lists its elements</source>
        <translation>Ein Klick auf eine Anzahl der ersten Zeile listet ihre Elemente auf</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Use the tried loss scale from the next step on</source>
        <translation>Den versuchten Loss-Scale ab dem nächsten Schritt verwenden</translation>
    </message>
    <message>
        <source>Precision strip</source>
        <translation>Präzisionsstreifen</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>updates</source>
        <translation>Updates</translation>
    </message>
    <message>
        <source>Tensors of the strip</source>
        <translation>Tensoren des Streifens</translation>
    </message>
    <message>
        <source>headroom</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>non-finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>Measure of the strip</source>
        <translation>Maß des Streifens</translation>
    </message>
    <message>
        <source>Usable loss scales</source>
        <translation>Skalenkorridor</translation>
    </message>
    <message>
        <source>Share of gradients that may be flushed to zero</source>
        <translation>Anteil der Gradienten, die auf null gesetzt werden dürfen</translation>
    </message>
    <message>
        <source>at most %1&#x202f;% flushed</source>
        <translation>höchstens %1&#x202f;% auf null</translation>
    </message>
    <message>
        <source>Measure this step</source>
        <translation>Diesen Schritt messen</translation>
    </message>
    <message>
        <source>Trains a copy of the run up to that step and measures all of its tensors</source>
        <translation>Trainiert eine Kopie des Laufs bis zu diesem Schritt und sieht alle seine Tensoren an</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>nearest sample: step %1</source>
        <translation>nächster Blick: Schritt %1</translation>
    </message>
    <message>
        <source>%1; measuring step %2</source>
        <translation>%1; Schritt %2 wird gemessen</translation>
    </message>
    <message>
        <source>Measure step %1</source>
        <translation>Schritt %1 messen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1, one block in eight</source>
        <translation>%1, jeder achte Block</translation>
    </message>
    <message>
        <source>Inf, NaN</source>
        <translation>Inf, NaN</translation>
    </message>
    <message>
        <source>the forward pass is not finite, and no loss scale changes that</source>
        <translation>Der Vorwärtslauf ist nicht endlich, und keine Loss-Scale ändert das</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>zu groß</translation>
    </message>
    <message>
        <source>Finite numbers that overflow in this format</source>
        <translation>Endliche Zahlen, die in diesem Format überlaufen</translation>
    </message>
    <message>
        <source>Numbers that are stored as Inf or NaN, such as those that have overflowed</source>
        <translation>Zahlen, die als Inf oder NaN gespeichert sind, etwa nach einem Überlauf</translation>
    </message>
    <message>
        <source>Upper bound: all numbers are treated as if they shared the block of the largest one. The page “Blocks” has exact counts.</source>
        <translation>Obere Schranke: Alle Zahlen gelten als im Block der größten. Die genauen Anzahlen hat die Seite „Blöcke“.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::KeyMap</name>
    <message>
        <source>Other</source>
        <translation>Sonstige</translation>
    </message>
    <message>
        <source>%1 is used by the window&apos;s own controls and cannot be assigned.</source>
        <translation>%1 gehört den Teilen des Fensters selbst und bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>%1 is the key of “%2”: give that another one first.</source>
        <translation>%1 ist die Taste von „%2“: erst dort eine andere wählen.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::KeyRecorder</name>
    <message>
        <source>Press the new key; Escape cancels</source>
        <translation>Neue Taste drücken; Escape lässt sie, wie sie ist</translation>
    </message>
    <message>
        <source>press a key</source>
        <translation>Taste drücken</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::KeysPage</name>
    <message>
        <source>Change key</source>
        <translation>Taste ändern</translation>
    </message>
    <message>
        <source>Record a new key for the chosen action</source>
        <translation>Eine neue Taste für die gewählte Aktion aufnehmen</translation>
    </message>
    <message>
        <source>No key</source>
        <translation>Keine Taste</translation>
    </message>
    <message>
        <source>Leave the chosen action without a key</source>
        <translation>Die gewählte Aktion ohne Taste lassen</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>The usual key of the chosen action</source>
        <translation>Die übliche Taste der gewählten Aktion</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Alle zurücksetzen</translation>
    </message>
    <message>
        <source>The usual keys of all actions</source>
        <translation>Die üblichen Tasten aller Aktionen</translation>
    </message>
    <message>
        <source>Search actions and keys</source>
        <translation>Aktionen und Tasten suchen</translation>
    </message>
    <message>
        <source>Search: a word, or a key such as Ctrl+E</source>
        <translation>Suchen: ein Wort oder eine Taste wie Ctrl+E</translation>
    </message>
    <message>
        <source>Actions and their keys</source>
        <translation>Aktionen und ihre Tasten</translation>
    </message>
    <message>
        <source>Always the same</source>
        <translation>Immer gleich</translation>
    </message>
    <message>
        <source>%1 (changed)</source>
        <translation>%1 (geändert)</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Double click or Enter records a new key. Single keys rest while a text field has the cursor.</source>
        <translation>Doppelklick oder Enter nimmt eine neue Taste auf. Einzelne Tasten ruhen, solange ein Textfeld den Cursor hat.</translation>
    </message>
    <message>
        <source>Press the new key of “%1”. Escape cancels.</source>
        <translation>Die neue Taste von „%1“ drücken. Escape lässt sie, wie sie ist.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LayoutSwitch</name>
    <message>
        <source>Layout</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>Layout: %1</source>
        <translation>Anordnung: %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Layouts</name>
    <message>
        <source>The saved layout cannot be read by this version; the default layout is used.</source>
        <translation>Wie die Panels standen, kann diese Version nicht lesen: sie stehen wie voreingestellt.</translation>
    </message>
    <message>
        <source>The saved layout is restored.</source>
        <translation>Die Anordnung steht, wie sie gespeichert wurde.</translation>
    </message>
    <message>
        <source>The default layout is restored.</source>
        <translation>Die Anordnung steht wie voreingestellt.</translation>
    </message>
    <message>
        <source>Saved the layout %1.</source>
        <translation>Anordnung %1 gespeichert.</translation>
    </message>
    <message>
        <source>Save layout as</source>
        <translation>Anordnung speichern unter</translation>
    </message>
    <message>
        <source>Name of the layout</source>
        <translation>Name der Anordnung</translation>
    </message>
    <message>
        <source>Rename layout</source>
        <translation>Anordnung umbenennen</translation>
    </message>
    <message>
        <source>There is a layout %1 already.</source>
        <translation>Eine Anordnung %1 gibt es schon.</translation>
    </message>
    <message>
        <source>Deleted the layout %1.</source>
        <translation>Anordnung %1 gelöscht.</translation>
    </message>
    <message>
        <source>Rename %1…</source>
        <translation>%1 umbenennen …</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LedgerModel</name>
    <message>
        <source>a GPU</source>
        <translation>einer GPU</translation>
    </message>
    <message>
        <source>total</source>
        <translation>gesamt</translation>
    </message>
    <message>
        <source>bytes/parameter</source>
        <translation>Bytes/Parameter</translation>
    </message>
    <message>
        <source>batch for %1</source>
        <translation>Batch für %1</translation>
    </message>
    <message>
        <source>Weights, master weights, gradients and optimizer, a parameter</source>
        <translation>Gewichte, Master-Gewichte, Gradienten und Optimierer, je Parameter</translation>
    </message>
    <message>
        <source>The largest batch that fits %1 together with the data set</source>
        <translation>Der größte Batch, dessen Speicher, mit dem Datensatz daneben, in %1 passt</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>scratch</source>
        <translation>Scratch</translation>
    </message>
    <message>
        <source>Temporary memory of operations, on a CPU mostly of the emulation: not in the total</source>
        <translation>Kurzzeitiger Speicher von Operationen, auf einer CPU meist der Emulation: nicht in der Summe</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LessonController</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close the lesson and open the recording again</source>
        <translation>Lektion schließen und die Aufzeichnung wieder öffnen</translation>
    </message>
    <message>
        <source>Open lesson file</source>
        <translation>Lektionsdatei öffnen</translation>
    </message>
    <message>
        <source>Lessons (*.md)</source>
        <translation>Lektionen (*.md)</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>The lesson was not opened</source>
        <translation>Die Lektion wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>%1 was closed for the lesson. It was not being recorded.</source>
        <translation>%1 wurde für die Lektion geschlossen. Es wurde nicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>%1 was closed for the lesson. It is kept under File &gt; Recordings.</source>
        <translation>%1 wurde für die Lektion geschlossen und ist erhalten, unter Datei &gt; Aufzeichnungen.</translation>
    </message>
    <message>
        <source>%1 was closed for the lesson</source>
        <translation>%1 wurde für die Lektion geschlossen</translation>
    </message>
    <message>
        <source>All of its steps are kept in %1, under File &gt; Recordings.</source>
        <translation>Alle seine Schritte sind in %1 erhalten, unter Datei &gt; Aufzeichnungen.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LessonEntry</name>
    <message>
        <source>%1 · finished</source>
        <translation>%1 · abgeschlossen</translation>
    </message>
    <message>
        <source>Lesson %1: %2</source>
        <translation>Lektion %1: %2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LessonPanel</name>
    <message>
        <source>Lesson</source>
        <translation>Lektion</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>This step again, as the lesson has it</source>
        <translation>Diesen Schritt noch einmal, wie ihn die Lektion hat</translation>
    </message>
    <message>
        <source>This step again, as the lesson has it (R)</source>
        <translation>Diesen Schritt noch einmal, wie ihn die Lektion hat (R)</translation>
    </message>
    <message>
        <source>Text of the step</source>
        <translation>Text des Schritts</translation>
    </message>
    <message>
        <source>What came out, and why</source>
        <translation>Was herauskam, und warum</translation>
    </message>
    <message>
        <source>Measured here</source>
        <translation>Hier gemessen</translation>
    </message>
    <message>
        <source>Runs that are hidden until the answer</source>
        <translation>Läufe, die bis zur Antwort verborgen sind</translation>
    </message>
    <message>
        <source>Go on training</source>
        <translation>Weitertrainieren</translation>
    </message>
    <message>
        <source>Go on training to the step that the lesson needs</source>
        <translation>Weitertrainieren bis zu dem Schritt, den die Lektion braucht</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>Lektionen</translation>
    </message>
    <message>
        <source>Open file…</source>
        <translation>Datei öffnen …</translation>
    </message>
    <message>
        <source>Open a lesson file</source>
        <translation>Eine Lektionsdatei öffnen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close the list of lessons</source>
        <translation>Liste der Lektionen schließen</translation>
    </message>
    <message>
        <source>%1 steps · about %2 minutes</source>
        <translation>%1 Schritte · etwa %2 Minuten</translation>
    </message>
    <message>
        <source>next</source>
        <translation>weiter</translation>
    </message>
    <message>
        <source>back</source>
        <translation>zurück</translation>
    </message>
    <message>
        <source>Lesson %1 of %2</source>
        <translation>Lektion %1 von %2</translation>
    </message>
    <message>
        <source>Lesson from a file</source>
        <translation>Lektion aus einer Datei</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>Vorhersagen</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Next: reveal</source>
        <translation>Weiter: auflösen</translation>
    </message>
    <message>
        <source>Not %1: %2
%3</source>
        <translation>Nicht %1: %2
%3</translation>
    </message>
    <message>
        <source>It was %1.</source>
        <translation>Es war %1.</translation>
    </message>
    <message>
        <source>Right: %1, as you said.</source>
        <translation>Richtig: %1, wie vorhergesagt.</translation>
    </message>
    <message>
        <source>Not %1: it was %2.</source>
        <translation>Nicht %1: es war %2.</translation>
    </message>
    <message>
        <source>paused at step %1 of %2</source>
        <translation>Pause bei Schritt %1 von %2</translation>
    </message>
    <message>
        <source>training to step %1</source>
        <translation>trainiert bis Schritt %1</translation>
    </message>
    <message>
        <source>You have trained or changed these runs. Next continues with the lesson&apos;s own settings; Reset restores this step.</source>
        <translation>Diese Läufe wurden seither von Hand trainiert oder geändert. „Weiter“ geht mit denen der Lektion weiter; „Zurücksetzen“ holt diesen Schritt zurück.</translation>
    </message>
    <message>
        <source>not in this run: %1</source>
        <translation>nicht in diesem Lauf: %1</translation>
    </message>
    <message>
        <source>Holds: %1</source>
        <translation>Gilt: %1</translation>
    </message>
    <message>
        <source>Count votes</source>
        <translation>Stimmen zählen</translation>
    </message>
    <message>
        <source>Count the votes of a room for each answer</source>
        <translation>Zählt die Stimmen eines Raums für jede Antwort</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>Nächste Lektion</translation>
    </message>
    <message>
        <source>It was %1: %2 of %3 votes.</source>
        <translation>Es war %1: %2 von %3 Stimmen.</translation>
    </message>
    <message>
        <source>Stop counting</source>
        <translation>Zählen beenden</translation>
    </message>
    <message>
        <source>The answer&apos;s letter or a click adds a vote, with Shift it takes one back.</source>
        <translation>Der Buchstabe der Antwort oder ein Klick zählt eine Stimme, mit Umschalt nimmt er eine zurück.</translation>
    </message>
    <message>
        <source>Close the lesson; the experiment stays open</source>
        <translation>Lektion schließen; das Experiment bleibt offen</translation>
    </message>
    <message>
        <source>This is the end of the lesson. One more press: “%1”.</source>
        <translation>Hier endet die Lektion. Noch einmal: „%1“.</translation>
    </message>
    <message>
        <source>votes</source>
        <translation>Stimmen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LessonPlayer</name>
    <message>
        <source>The engine has stopped. Restart it, then press Reset.</source>
        <translation>Die Engine steht. Erst neu starten, dann „Zurücksetzen“ drücken.</translation>
    </message>
    <message>
        <source>At %1: %2</source>
        <translation>Bei %1: %2</translation>
    </message>
    <message>
        <source>Another experiment was opened. Reset brings this step&apos;s runs back.</source>
        <translation>Ein anderes Experiment wurde geöffnet. „Zurücksetzen“ holt die Läufe dieses Schritts zurück.</translation>
    </message>
    <message>
        <source>The runs were reset on the way. Reset restores this step.</source>
        <translation>Die Läufe wurden unterwegs zurückgesetzt. „Zurücksetzen“ holt diesen Schritt zurück.</translation>
    </message>
    <message>
        <source>The runs were rewound on the way. Reset restores this step.</source>
        <translation>Die Läufe wurden unterwegs zurückgespult. „Zurücksetzen“ holt diesen Schritt zurück.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LookForStrip</name>
    <message>
        <source>Close what to look for</source>
        <translation>Hinweise zum Experiment schließen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::MainWindow</name>
    <message>
        <source>Mantissa</source>
        <translation>Mantissa</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>List of keys</source>
        <translation>Liste der Tasten</translation>
    </message>
    <message>
        <source>Show memory by purpose</source>
        <translation>Speicher nach Zweck zeigen</translation>
    </message>
    <message>
        <source>%1 - Mantissa</source>
        <translation>%1 - Mantissa</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Captured steps</source>
        <translation>Erfasste Schritte</translation>
    </message>
    <message>
        <source>Read-out</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Scaler verdict</source>
        <translation>Urteil zum Scaler</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::MemoryModel</name>
    <message>
        <source>%1 % less than %2</source>
        <translation>%1 % weniger als %2</translation>
    </message>
    <message>
        <source>%1 % more than %2</source>
        <translation>%1 % mehr als %2</translation>
    </message>
    <message>
        <source>%1: %2 (%3)</source>
        <translation>%1: %2 (%3)</translation>
    </message>
    <message>
        <source>, %1 before the last switch</source>
        <translation>, %1 vor dem letzten Wechsel</translation>
    </message>
    <message>
        <source>, scratch %1</source>
        <translation>, Hilfsspeicher %1</translation>
    </message>
    <message>
        <source>not counted: %1 of scratch, most of it for the emulation on the CPU</source>
        <translation>nicht gezählt: %1 Hilfsspeicher, das meiste für die Emulation auf der CPU</translation>
    </message>
    <message>
        <source>not counted: %1 of scratch</source>
        <translation>nicht gezählt: %1 Hilfsspeicher</translation>
    </message>
    <message>
        <source>%1 beside %2: %3.</source>
        <translation>%1 neben %2: %3.</translation>
    </message>
    <message>
        <source>The masters are the FP32 copy of the weights, which the optimizer updates.</source>
        <translation>Die Master sind die FP32-Kopie der Gewichte, die der Optimierer ändert.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::MemoryPanel</name>
    <message>
        <source>Memory by purpose is known for the lab&apos;s own runs only.</source>
        <translation>Der Speicher nach Zweck ist nur für eigene Läufe des Labors bekannt.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory of each run by purpose</source>
        <translation>Speicher jedes Laufs nach Zweck</translation>
    </message>
    <message>
        <source>%1, predicted = measured</source>
        <translation>%1, vorhergesagt = gemessen</translation>
    </message>
    <message>
        <source>%1, predicted</source>
        <translation>%1, vorhergesagt</translation>
    </message>
    <message>
        <source>Thin bar: before the last switch.</source>
        <translation>Dünner Balken: vor dem letzten Wechsel.</translation>
    </message>
    <message>
        <source>Allocated with the data: %1.</source>
        <translation>Zugeteilt samt Daten: %1.</translation>
    </message>
    <message>
        <source>In use of the device: %1.</source>
        <translation>Vom Gerät belegt: %1.</translation>
    </message>
    <message>
        <source>The totals are what the formats need on any device. On a GPU, the libraries&apos; own workspace comes on top.</source>
        <translation>Die Summen sind das, was die Formate auf jedem Gerät brauchen. Auf einer GPU kommt der Arbeitsspeicher der Bibliotheken hinzu.</translation>
    </message>
    <message>
        <source>scratch, mostly emulation: not in the totals</source>
        <translation>Hilfsspeicher, meist der Emulation: nicht in den Summen</translation>
    </message>
    <message>
        <source>scratch of operations: not in the totals</source>
        <translation>Hilfsspeicher der Operationen: nicht in den Summen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Microscope</name>
    <message>
        <source>Microscope: how often which magnitudes come</source>
        <translation>Mikroskop: wie oft welche Beträge vorkommen</translation>
    </message>
    <message>
        <source>Loss scale used %1, tried %2; left and right arrow try another one, up and down choose a bar, Enter lists its elements</source>
        <translation>Loss-Scale benutzt %1, versucht %2; Pfeil links und rechts versuchen einen anderen, auf und ab wählen einen Balken, Enter listet seine Elemente auf</translation>
    </message>
    <message>
        <source>These numbers carry no loss scale; up and down choose a bar, Enter lists its elements</source>
        <translation>Diese Zahlen tragen keinen Loss-Scale; auf und ab wählen einen Balken, Enter listet seine Elemente auf</translation>
    </message>
    <message>
        <source>flushed to 0</source>
        <translation>auf 0 gesetzt</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>subnormal</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>normal</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>Überlauf</translation>
    </message>
    <message>
        <source>used %1, drag it</source>
        <translation>benutzt %1, ziehen Sie daran</translation>
    </message>
    <message>
        <source>try %1</source>
        <translation>Versuch %1</translation>
    </message>
    <message>
        <source>used %1</source>
        <translation>benutzt %1</translation>
    </message>
    <message>
        <source>%1 from %2 to %3: click for the elements</source>
        <translation>%1 von %2 bis %3: Klick zeigt die Elemente</translation>
    </message>
    <message>
        <source>%1. In no bar: %2 +Inf, %3 −Inf, %4 NaN</source>
        <translation>%1. In keinem Balken: %2 +Inf, %3 −Inf, %4 NaN</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NoteField</name>
    <message>
        <source>Run that the note is about</source>
        <translation>Lauf, um den es in der Notiz geht</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove this note</source>
        <translation>Diese Notiz entfernen</translation>
    </message>
    <message>
        <source>Note: Enter saves it, Escape cancels</source>
        <translation>Notiz: Enter behält sie, Escape lässt alles, wie es ist</translation>
    </message>
    <message>
        <source>Note; Enter saves, Esc cancels</source>
        <translation>Notiz; Enter behält, Esc verlässt</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>all runs</source>
        <translation>alle Läufe</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NumberCard</name>
    <message>
        <source>A number in four formats</source>
        <translation>Eine Zahl in vier Formaten</translation>
    </message>
    <message>
        <source>becomes</source>
        <translation>wird zu</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NumberField</name>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NumberLineView</name>
    <message>
        <source>Number line</source>
        <translation>Zahlenstrahl</translation>
    </message>
    <message>
        <source>%1 Left and right arrow step to the neighbours.</source>
        <translation>%1 Pfeil links und rechts gehen zu den Nachbarn.</translation>
    </message>
    <message>
        <source>not in %1</source>
        <translation>nicht in %1</translation>
    </message>
    <message>
        <source>halfway: a tie</source>
        <translation>genau in der Mitte</translation>
    </message>
    <message>
        <source>halfway</source>
        <translation>Mitte</translation>
    </message>
    <message>
        <source>Only finite numbers lie on a number line</source>
        <translation>Nur endliche Zahlen stehen auf einem Strahl</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::OriginCard</name>
    <message>
        <source>Where it began</source>
        <translation>Wo es begann</translation>
    </message>
    <message>
        <source>Copy this card and the verdict as text</source>
        <translation>Diese Karte und das Urteil als Text kopieren</translation>
    </message>
    <message>
        <source>Largest magnitude</source>
        <translation>Größter Betrag</translation>
    </message>
    <message>
        <source>in order of execution, log2</source>
        <translation>in der Reihenfolge der Ausführung, log2</translation>
    </message>
    <message>
        <source>What was examined</source>
        <translation>Was angesehen wurde</translation>
    </message>
    <message>
        <source>step %1, found in %2 ms</source>
        <translation>Schritt %1, in %2 ms gefunden</translation>
    </message>
    <message>
        <source>sign, exponent, mantissa</source>
        <translation>Vorzeichen, Exponent, Mantisse</translation>
    </message>
    <message>
        <source>%1, bits %2</source>
        <translation>%1, Bits %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>All values and gradients of this step are finite</source>
        <translation>Alle Werte und Gradienten dieses Schritts sind endlich</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PanelDock</name>
    <message>
        <source>Close panel: %1</source>
        <translation>Panel schließen: %1</translation>
    </message>
    <message>
        <source>Close; View &gt; Panels brings it back</source>
        <translation>Schließen; Ansicht &gt; Panels holt es zurück</translation>
    </message>
    <message>
        <source>Put panel back: %1</source>
        <translation>Panel zurück ins Fenster: %1</translation>
    </message>
    <message>
        <source>Float panel: %1</source>
        <translation>Panel lösen: %1</translation>
    </message>
    <message>
        <source>Back into the window</source>
        <translation>Zurück ins Fenster</translation>
    </message>
    <message>
        <source>A window of its own</source>
        <translation>Ein eigenes Fenster</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PickerPage</name>
    <message>
        <source>New experiment</source>
        <translation>Neues Experiment</translation>
    </message>
    <message>
        <source>Title of the experiment</source>
        <translation>Titel des Experiments</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>Anlegen</translation>
    </message>
    <message>
        <source>Create the experiment</source>
        <translation>Das Experiment anlegen</translation>
    </message>
    <message>
        <source>The engine reads the data…</source>
        <translation>Die Engine liest die Daten …</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to go on.</source>
        <translation>Die Engine steht: starten Sie sie neu, um weiterzumachen.</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>one for each format, its loss scaler as the format needs</source>
        <translation>einer je Format, mit dem Loss-Scaler, den das Format braucht</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU-Speicher</translation>
    </message>
    <message>
        <source>GPU memory in GiB</source>
        <translation>GPU-Speicher in GiB</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Memory of each run by purpose</source>
        <translation>Speicher jedes Laufs nach Zweck</translation>
    </message>
    <message>
        <source>No engine is running.</source>
        <translation>Es läuft keine Engine.</translation>
    </message>
    <message>
        <source>%1: %2 parameters</source>
        <translation>%1: %2 Parameter</translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 GiB</translation>
    </message>
    <message>
        <source>This machine has %1 to spare.</source>
        <translation>Dieser Rechner hat %1 frei.</translation>
    </message>
    <message>
        <source>This machine has only %1 to spare.</source>
        <translation>Dieser Rechner hat nur %1 frei.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Creating…</source>
        <translation>Wird angelegt …</translation>
    </message>
    <message>
        <source>With the data, %1 in all as each run has its own copy, the runs take %2, scratch included. %3</source>
        <translation>Mit den Daten, insgesamt %1, da jeder Lauf seine eigene Kopie hat, brauchen die Läufe %2, Scratch eingeschlossen. %3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PicturePage</name>
    <message>
        <source>Which plot</source>
        <translation>Welches Diagramm</translation>
    </message>
    <message>
        <source>The whole board</source>
        <translation>Alle zusammen</translation>
    </message>
    <message>
        <source>Kind of file</source>
        <translation>Art der Datei</translation>
    </message>
    <message>
        <source>PNG, a picture</source>
        <translation>PNG, ein Bild</translation>
    </message>
    <message>
        <source>SVG, a drawing</source>
        <translation>SVG, eine Zeichnung</translation>
    </message>
    <message>
        <source>PDF, a drawing</source>
        <translation>PDF, eine Zeichnung</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>Light, for paper</source>
        <translation>Hell, für Papier</translation>
    </message>
    <message>
        <source>As shown</source>
        <translation>Wie gezeigt</translation>
    </message>
    <message>
        <source>Plot</source>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Copy as a picture</source>
        <translation>Als Bild kopieren</translation>
    </message>
    <message>
        <source>Copy table</source>
        <translation>Tabelle kopieren</translation>
    </message>
    <message>
        <source>Copy as a table</source>
        <translation>Als Tabelle kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>Das Bild speichern</translation>
    </message>
    <message>
        <source>Preview of the picture</source>
        <translation>Vorschau des Bildes</translation>
    </message>
    <message>
        <source>%1x, %2 × %3</source>
        <translation>%1x, %2 × %3</translation>
    </message>
    <message>
        <source>Title, runs, seed and versions are in the picture and in its text fields; the experiment travels in the file.</source>
        <translation>Titel, Läufe, Seed und Versionen stehen im Bild und in seinen Textfeldern; das Experiment reist in der Datei mit.</translation>
    </message>
    <message>
        <source>Lines and text stay sharp at any size. Title, runs, seed and versions are in the drawing and in its description.</source>
        <translation>Linien und Text bleiben in jeder Größe scharf. Titel, Läufe, Seed und Versionen stehen in der Zeichnung und ihrer Beschreibung.</translation>
    </message>
    <message>
        <source>Lines and text stay sharp at any size. Title, runs, seed and versions are on the page; the experiment is attached.</source>
        <translation>Linien und Text bleiben in jeder Größe scharf. Titel, Läufe, Seed und Versionen stehen auf der Seite; das Experiment hängt an.</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotAxes</name>
    <message>
        <source>Not on this axis, as only their steps are known: %1</source>
        <translation>Nicht auf dieser Achse, da nur ihre Schritte bekannt sind: %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotBoard</name>
    <message>
        <source>Plots</source>
        <translation>Diagramme</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotCursors</name>
    <message>
        <source>%1 · step %2</source>
        <translation>%1 · Schritt %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotOverlays</name>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Follow the newest steps</source>
        <translation>Den neuesten Schritten folgen</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>Noch keine Läufe</translation>
    </message>
    <message>
        <source>Open an experiment, or add a run: each one gets its own line here.</source>
        <translation>Öffnen Sie ein Experiment, oder fügen Sie einen Lauf hinzu: jeder bekommt hier seine Linie.</translation>
    </message>
    <message>
        <source>Ready to train</source>
        <translation>Bereit zum Training</translation>
    </message>
    <message>
        <source>Start training, or take a single step. Each run draws its own line, step by step.</source>
        <translation>Starten Sie das Training, oder machen Sie einen Einzelschritt. Jeder Lauf zeichnet seine Linie, Schritt für Schritt.</translation>
    </message>
    <message>
        <source>%1 ▾</source>
        <translation>%1 ▾</translation>
    </message>
    <message>
        <source>x axis: %1</source>
        <translation>x-Achse: %1</translation>
    </message>
    <message>
        <source>Plots ▾</source>
        <translation>Diagramme ▾</translation>
    </message>
    <message>
        <source>Choose the plots</source>
        <translation>Diagramme wählen</translation>
    </message>
    <message>
        <source>Which plots are shown, and in which order</source>
        <translation>Welche Diagramme gezeigt werden, und in welcher Reihenfolge</translation>
    </message>
    <message>
        <source>Listening for a training</source>
        <translation>Wartet auf ein Training</translation>
    </message>
    <message>
        <source>Start the script with the probe: its lines appear here.</source>
        <translation>Das Skript mit der Sonde starten: seine Linien erscheinen hier.</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>The first step appears when the script has done it.</source>
        <translation>Der erste Schritt erscheint, wenn das Skript ihn getan hat.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotPointer</name>
    <message>
        <source>steps %1 to %2  %3: %4 ×%5</source>
        <translation>Schritte %1 bis %2  %3: %4 ×%5</translation>
    </message>
    <message>
        <source>Click to ask why, or to go back.</source>
        <translation>Klicken: nach dem Grund fragen oder zurückgehen.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PrecisionControl</name>
    <message>
        <source>current</source>
        <translation>aktuell</translation>
    </message>
    <message>
        <source>pending</source>
        <translation>angefordert</translation>
    </message>
    <message>
        <source>Precision of %1: %2</source>
        <translation>Präzision von %1: %2</translation>
    </message>
    <message>
        <source>Precision of %1: %2, %3</source>
        <translation>Präzision von %1: %2, %3</translation>
    </message>
    <message>
        <source>Block formats, pure formats, scaling, rounding and sums</source>
        <translation>Blockformate, reine Formate, Skalierung, Rundung und Summen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PrecisionStrip</name>
    <message>
        <source>Precision strip: layers over steps</source>
        <translation>Präzisionsstreifen: Schichten über Schritten</translation>
    </message>
    <message>
        <source>0</source>
        <translation>0</translation>
    </message>
    <message>
        <source>0 %</source>
        <translation>0 %</translation>
    </message>
    <message>
        <source>%1 bits</source>
        <translation>%1 Bits</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100 %</translation>
    </message>
    <message>
        <source>non-finite ✕</source>
        <translation>nicht endlich ✕</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>No step was measured along the way.</source>
        <translation>Unterwegs wurde kein Schritt gemessen.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PresentController</name>
    <message>
        <source>Before and after need two runs that are shown.</source>
        <translation>Vorher und nachher brauchen zwei gezeigte Läufe.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PresentPage</name>
    <message>
        <source>Presentation</source>
        <translation>Präsentation</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Before / after</source>
        <translation>Vorher / nachher</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Leave</source>
        <translation>Verlassen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>%1, %2, lr %3, %4, seed %5.</source>
        <translation>%1, %2, lr %3, %4, Seed %5.</translation>
    </message>
    <message>
        <source>%1 is emulated.</source>
        <translation>%1 ist emuliert.</translation>
    </message>
    <message>
        <source>%1 and %2 are emulated.</source>
        <translation>%1 und %2 sind emuliert.</translation>
    </message>
    <message>
        <source>step &lt;b&gt;%1&lt;/b&gt; of %2</source>
        <translation>Schritt &lt;b&gt;%1&lt;/b&gt; von %2</translation>
    </message>
    <message>
        <source>step &lt;b&gt;%1&lt;/b&gt;</source>
        <translation>Schritt &lt;b&gt;%1&lt;/b&gt;</translation>
    </message>
    <message>
        <source>What is shown: plots, colours, a lesson</source>
        <translation>Was zu sehen ist: Diagramme, Farben, eine Lektion</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ProgramPage</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Framework</source>
        <translation>Framework</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the program</source>
        <translation>Das Programm kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Save the program</source>
        <translation>Das Programm speichern</translation>
    </message>
    <message>
        <source>The settings of</source>
        <translation>Die Einstellungen von</translation>
    </message>
    <message>
        <source>in</source>
        <translation>in</translation>
    </message>
    <message>
        <source>The program</source>
        <translation>Das Programm</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <source>There is no run to write down.</source>
        <translation>Es gibt keinen Lauf zum Aufschreiben.</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to see the program.</source>
        <translation>Die Engine steht: starten Sie sie neu, um das Programm zu sehen.</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>%1 was not saved: %2.</source>
        <translation>%1 wurde nicht gespeichert: %2.</translation>
    </message>
    <message>
        <source>the engine has stopped</source>
        <translation>die Engine steht</translation>
    </message>
    <message>
        <source>Left out: %1</source>
        <translation>Ausgelassen: %1</translation>
    </message>
    <message>
        <source>Saved %1 and the files that it reads.</source>
        <translation>%1 gespeichert, mit den Dateien, die das Programm liest.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RaceModel</name>
    <message>
        <source>%1, edited</source>
        <translation>%1, geändert</translation>
    </message>
    <message>
        <source>It ends at step %1: %2.</source>
        <translation>Er endet bei Schritt %1: %2.</translation>
    </message>
    <message>
        <source>scaler</source>
        <translation>Scaler</translation>
    </message>
    <message>
        <source>The run&apos;s own scaler, and every preset</source>
        <translation>Der Scaler des Laufs und jede Vorlage</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>übersprungen</translation>
    </message>
    <message>
        <source>Steps that it would have skipped</source>
        <translation>Schritte, die er übersprungen hätte</translation>
    </message>
    <message>
        <source>headroom</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>Powers of two between the scale and the highest usable scale of a step, mean over the steps taken</source>
        <translation>Zweierpotenzen, um die die Scale unter dem blieb, was ein Schritt getragen hätte, Mittel der getanen Schritte</translation>
    </message>
    <message>
        <source>final scale</source>
        <translation>letzte Scale</translation>
    </message>
    <message>
        <source>After the last step</source>
        <translation>Nach dem letzten Schritt</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>geendet</translation>
    </message>
    <message>
        <source>The step at which its framework would have ended the run</source>
        <translation>Der Schritt, bei dem sein Framework den Lauf beendet hätte</translation>
    </message>
    <message>
        <source>this run&apos;s scaler</source>
        <translation>Scaler dieses Laufs</translation>
    </message>
    <message>
        <source>longest streak</source>
        <translation>längste Folge</translation>
    </message>
    <message>
        <source>The most skips in a row</source>
        <translation>Die meisten Skips in Folge</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RacePage</name>
    <message>
        <source>Scaler race</source>
        <translation>Scaler-Rennen</translation>
    </message>
    <message>
        <source>A step is a whole number.</source>
        <translation>Ein Schritt ist eine ganze Zahl.</translation>
    </message>
    <message>
        <source>First step to be measured</source>
        <translation>Erster Schritt, der gemessen wird</translation>
    </message>
    <message>
        <source>Last step to be measured</source>
        <translation>Letzter Schritt, der gemessen wird</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stop measuring; what was measured stays</source>
        <translation>Messen beenden; was gemessen wurde, bleibt</translation>
    </message>
    <message>
        <source>Scalers of the race</source>
        <translation>Scaler des Rennens</translation>
    </message>
    <message>
        <source>The thresholds are those of the run as it went: a scaler that skips other steps would train other weights. Each scaler begins at the first step measured.</source>
        <translation>Die Grenzen sind die des Laufs, wie er ging: ein Scaler, der andere Schritte überspringt, würde andere Gewichte trainieren. Jeder Scaler beginnt beim ersten gemessenen Schritt.</translation>
    </message>
    <message>
        <source>A whole number, 1 or more; empty for the preset&apos;s own.</source>
        <translation>Eine ganze Zahl ab 1; leer für die der Vorlage.</translation>
    </message>
    <message>
        <source>A number above 0; empty for the preset&apos;s own.</source>
        <translation>Eine Zahl über 0; leer für die der Vorlage.</translation>
    </message>
    <message>
        <source>grows every</source>
        <translation>wächst alle</translation>
    </message>
    <message>
        <source>Growth interval of the chosen scaler, steps</source>
        <translation>Wachstumsintervall des gewählten Scalers, Schritte</translation>
    </message>
    <message>
        <source>Initial scale of the chosen scaler</source>
        <translation>Anfangs-Scale des gewählten Scalers</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Train on with the chosen scaler, from the next step on</source>
        <translation>Ab dem nächsten Schritt mit dem gewählten Scaler weitertrainieren</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to measure steps.</source>
        <translation>Die Engine steht: starten Sie sie neu, um Schritte zu messen.</translation>
    </message>
    <message>
        <source>Measure %1 steps of %2</source>
        <translation>%1 Schritte von %2 messen</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>Noch einmal messen</translation>
    </message>
    <message>
        <source>Measure %1 of %2</source>
        <translation>%1 von %2 messen</translation>
    </message>
    <message>
        <source>no run</source>
        <translation>kein Lauf</translation>
    </message>
    <message>
        <source>%1: step %2 of %3 is being measured</source>
        <translation>%1: Schritt %2 von %3 wird gemessen</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>as if its gradients were stored in %1</source>
        <translation>als ob seine Gradienten in %1 stünden</translation>
    </message>
    <message>
        <source>No run to examine.</source>
        <translation>Kein Lauf zum Ansehen.</translation>
    </message>
    <message>
        <source>%1 is read-only: its weights are not available, so its steps cannot be repeated.</source>
        <translation>%1 wird nur angesehen: er hat hier keine Gewichte, und seine Schritte lassen sich nicht wiederholen.</translation>
    </message>
    <message>
        <source>Each step is repeated to find its highest usable loss scale.</source>
        <translation>Jeder Schritt wird wiederholt, um zu sehen, welchen Loss-Scale er getragen hätte.</translation>
    </message>
    <message>
        <source>Measure the highest usable loss scale of each step. Then every loss scaler is raced over the same steps, and you see how many each would have skipped.</source>
        <translation>Messen Sie, welchen Loss-Scale jeder Schritt getragen hätte. Dann treten alle Loss-Scaler über dieselben Schritte an, und Sie sehen, wie viele jeder übersprungen hätte.</translation>
    </message>
    <message>
        <source>initial scale</source>
        <translation>Anfangs-Scale</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RacePlot</name>
    <message>
        <source>Loss scales of the race over the steps</source>
        <translation>Loss-Scales des Rennens über den Schritten</translation>
    </message>
    <message>
        <source>Strong: %1</source>
        <translation>Kräftig: %1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>✕ overflows: the step is skipped</source>
        <translation>✕ läuft über: der Schritt wird übersprungen</translation>
    </message>
    <message>
        <source>%1, ended</source>
        <translation>%1, geendet</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>No loss scale is usable at step %1.</source>
        <translation>Schritt %1 trägt keinen Loss-Scale.</translation>
    </message>
    <message>
        <source>The highest usable loss scale at step %1 is %2.</source>
        <translation>Schritt %1 trägt einen Loss-Scale von %2.</translation>
    </message>
    <message>
        <source>Every loss scale is usable at step %1.</source>
        <translation>Schritt %1 trägt jeden Loss-Scale.</translation>
    </message>
    <message>
        <source>%1: %2, skipped</source>
        <translation>%1: %2, übersprungen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ReadoutModel</name>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>raw</source>
        <translation>roh</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>accuracy, %</source>
        <translation>Genauigkeit, %</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>übersprungen</translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation>Grad.-Norm</translation>
    </message>
    <message>
        <source>lr</source>
        <translation>lr</translation>
    </message>
    <message>
        <source>exponential average, factor %1; the value itself is in the row below</source>
        <translation>exponentieller Mittelwert, Faktor %1; der Wert selbst steht in der Zeile darunter</translation>
    </message>
    <message>
        <source>exponential average of the logarithm, factor %1; the value itself is in the row below</source>
        <translation>exponentieller Mittelwert des Logarithmus, Faktor %1; der Wert selbst steht in der Zeile darunter</translation>
    </message>
    <message>
        <source>exponential average of the symlog value, factor %1; the value itself is in the row below</source>
        <translation>exponentieller Mittelwert des Symlog-Werts, Faktor %1; der Wert selbst steht in der Zeile darunter</translation>
    </message>
    <message>
        <source>%1 TFLOP/s in %2 products</source>
        <translation>%1 TFLOP/s in %2-Produkten</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Token/s</translation>
    </message>
    <message>
        <source>%1 % of the GPU&apos;s peak of %2</source>
        <translation>%1 % des Höchstwerts der GPU von %2</translation>
    </message>
    <message>
        <source>the device&apos;s peak: n/a</source>
        <translation>Höchstwert des Geräts: nicht bekannt</translation>
    </message>
    <message>
        <source>%1 % of the %2 that a large product reaches on this device</source>
        <translation>%1 % der %2, die ein großes Produkt auf diesem Gerät erreicht</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
    <message>
        <source>%1, %</source>
        <translation>%1, %</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>Beispiele/s</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ReadoutPanel</name>
    <message>
        <source>Read-out</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Read-out: the values of all runs at one step</source>
        <translation>Werte aller Läufe bei einem Schritt</translation>
    </message>
    <message>
        <source>no step yet</source>
        <translation>noch kein Schritt</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>quantity, value</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run, values</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Release the step that a click holds: the newest step is shown again</source>
        <translation>Den mit einem Klick festgehaltenen Schritt loslassen: danach wird wieder der neueste gezeigt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RecordingsPage</name>
    <message>
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>begun</source>
        <translation>begonnen</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Recordings, newest first</source>
        <translation>Aufzeichnungen, die neuesten zuerst</translation>
    </message>
    <message>
        <source>Output of the replay</source>
        <translation>Was der Nachlauf sagt</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>Ordner zeigen</translation>
    </message>
    <message>
        <source>Show the folder of recordings</source>
        <translation>Den Ordner der Aufzeichnungen zeigen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Really delete</source>
        <translation>Wirklich löschen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen …</translation>
    </message>
    <message>
        <source>Delete the chosen recording</source>
        <translation>Die gewählte Aufzeichnung löschen</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>Nachlaufen</translation>
    </message>
    <message>
        <source>Train the chosen recording once more and compare every value, bit by bit</source>
        <translation>Die gewählte Aufzeichnung noch einmal trainieren und jeden Wert vergleichen, Bit für Bit</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open the chosen recording</source>
        <translation>Die gewählte Aufzeichnung öffnen</translation>
    </message>
    <message>
        <source>%1: the replay was stopped.</source>
        <translation>%1: der Nachlauf wurde beendet.</translation>
    </message>
    <message>
        <source>%1: trained once more…</source>
        <translation>%1: noch einmal trainiert …</translation>
    </message>
    <message>
        <source>%1: trained once more, step %2 of %3, identical so far.</source>
        <translation>%1: noch einmal trainiert, Schritt %2 von %3, bisher gleich.</translation>
    </message>
    <message>
        <source>%1 (being recorded)</source>
        <translation>%1 (wird aufgezeichnet)</translation>
    </message>
    <message>
        <source>This engine keeps no recordings.</source>
        <translation>Diese Engine führt keine Aufzeichnungen.</translation>
    </message>
    <message>
        <source>There are none yet in %1.</source>
        <translation>Es gibt noch keine in %1.</translation>
    </message>
    <message>
        <source>%1 in %2, %3 in all.</source>
        <translation>%1 in %2, zusammen %3.</translation>
    </message>
    <message>
        <source>Delete %1? It cannot be brought back.</source>
        <translation>%1 löschen? Das lässt sich nicht zurücknehmen.</translation>
    </message>
    <message>
        <source>Stop replay</source>
        <translation>Nachlauf beenden</translation>
    </message>
    <message>
        <source>formats</source>
        <translation>Formate</translation>
    </message>
    <message>
        <source>final loss</source>
        <translation>Loss am Ende</translation>
    </message>
    <message>
        <source>The least final loss of its runs</source>
        <translation>Der kleinste Loss am Ende seiner Läufe</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RecoveryController</name>
    <message>
        <source>Restart from the beginning</source>
        <translation>Von vorn beginnen</translation>
    </message>
    <message>
        <source>Keep looking</source>
        <translation>Weiter ansehen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The engine stopped at step %1: %2.</source>
        <translation>Die Engine hielt bei Schritt %1 an: %2.</translation>
    </message>
    <message>
        <source>The engine stopped: %1.</source>
        <translation>Die Engine hielt an: %1.</translation>
    </message>
    <message>
        <source>Everything up to step %1 is still here: plots, read-out and pictures of them go on working.</source>
        <translation>Alles bis Schritt %1 ist noch da: Diagramme, Werte und Bilder davon tun weiter ihren Dienst.</translation>
    </message>
    <message>
        <source>Nothing has been trained yet, so nothing is lost.</source>
        <translation>Es wurde noch nichts trainiert, also ist nichts verloren.</translation>
    </message>
    <message>
        <source>Restart and go on from the last recorded step</source>
        <translation>Neu starten und beim letzten aufgezeichneten Schritt weitermachen</translation>
    </message>
    <message>
        <source>Last words of the engine</source>
        <translation>Letzte Worte der Engine</translation>
    </message>
    <message>
        <source>It was started again, from the beginning.</source>
        <translation>Sie wurde neu gestartet und beginnt von vorn.</translation>
    </message>
    <message>
        <source>It was started again and goes on from the last recorded step.</source>
        <translation>Sie wurde neu gestartet und macht beim letzten aufgezeichneten Schritt weiter.</translation>
    </message>
    <message>
        <source>%1 takes over from %2: %3.</source>
        <translation>%1 übernimmt für %2: %3.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Replay</name>
    <message>
        <source>%1 could not be started</source>
        <translation>%1 konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>The replay ended without a word.</source>
        <translation>Der Nachlauf endete ohne ein Wort.</translation>
    </message>
    <message>
        <source>Bit-identical: %1 steps of %2 runs, with %3 live changes</source>
        <translation>Bitgleich: %1 Schritte von %2 Läufen, mit %3 Änderungen unterwegs</translation>
    </message>
    <message>
        <source> (%1).</source>
        <translation> (%1).</translation>
    </message>
    <message>
        <source>The first difference is at step %1 of %2: %3 was %4 and is now %5.</source>
        <translation>Der erste Unterschied ist bei Schritt %1 von %2: %3 war %4 und ist jetzt %5.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunCard</name>
    <message>
        <source>Run %1</source>
        <translation>Lauf %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunChip</name>
    <message>
        <source>run %1, hidden</source>
        <translation>Lauf %1, verborgen</translation>
    </message>
    <message>
        <source>Run %1 is hidden: show it</source>
        <translation>Lauf %1 ist verborgen: zeigen</translation>
    </message>
    <message>
        <source>Run %1: hide it</source>
        <translation>Lauf %1: verbergen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunChips</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunControls</name>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>lr</source>
        <translation>lr</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>The learning rate is a number, 0 or more.</source>
        <translation>Die Lernrate ist eine Zahl ab 0.</translation>
    </message>
    <message>
        <source>Gradient norm clip</source>
        <translation>Clip der Gradientennorm</translation>
    </message>
    <message>
        <source>The clip is a number above 0, or empty for off.</source>
        <translation>Der Clip ist eine Zahl über 0, oder leer für aus.</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>Clip</translation>
    </message>
    <message>
        <source>Learning rate of %1</source>
        <translation>Lernrate von %1</translation>
    </message>
    <message>
        <source>Gradient norm clip of %1</source>
        <translation>Clip der Gradientennorm von %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunHeader</name>
    <message>
        <source>Name of run %1</source>
        <translation>Name von Lauf %1</translation>
    </message>
    <message>
        <source>emulated</source>
        <translation>emuliert</translation>
    </message>
    <message>
        <source>native</source>
        <translation>nativ</translation>
    </message>
    <message>
        <source>This format is emulated: results are those of the format, speed is not.</source>
        <translation>Dieses Format wird emuliert: Die Ergebnisse sind die des Formats, das Tempo nicht.</translation>
    </message>
    <message>
        <source>The CPU computes in this format itself.</source>
        <translation>Die CPU rechnet selbst in diesem Format.</translation>
    </message>
    <message>
        <source>what if</source>
        <translation>was wäre wenn</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>aufgezeichnet</translation>
    </message>
    <message>
        <source>Read-only: its weights are not available, so it cannot be trained further.</source>
        <translation>Zum Ansehen: er hat hier keine Gewichte und trainiert nicht weiter.</translation>
    </message>
    <message>
        <source>Show run %1</source>
        <translation>Lauf %1 zeigen</translation>
    </message>
    <message>
        <source>Hide run %1</source>
        <translation>Lauf %1 verbergen</translation>
    </message>
    <message>
        <source>More about run %1</source>
        <translation>Mehr zu Lauf %1</translation>
    </message>
    <message>
        <source>A training in another process, which a probe reports.</source>
        <translation>Ein Training in einem anderen Prozess, von dem eine Sonde berichtet.</translation>
    </message>
    <message>
        <source>PyTorch</source>
        <translation>PyTorch</translation>
    </message>
    <message>
        <source>log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>Another program&apos;s log, read while it grows.</source>
        <translation>Das Log eines anderen Programms, gelesen, während es wächst.</translation>
    </message>
    <message>
        <source>A short trial run. Its parent run does not change.</source>
        <translation>Ein kurzer Versuch. Der Lauf, von dem er abzweigt, bleibt gleich.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunList</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunListModel</name>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>recorded, %1 steps</source>
        <translation>aufgezeichnet, %1 Schritte</translation>
    </message>
    <message>
        <source>what if, %1 steps</source>
        <translation>was wäre wenn, %1 Schritte</translation>
    </message>
    <message>
        <source>%1 pending, next step</source>
        <translation>%1 angefordert, nächster Schritt</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1, %2, %3</translation>
    </message>
    <message>
        <source>shown after the answer</source>
        <translation>wird nach der Antwort gezeigt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunNote</name>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>from %1 at step %2</source>
        <translation>aus %1 bei Schritt %2</translation>
    </message>
    <message>
        <source>a run that is gone</source>
        <translation>ein Lauf, den es nicht mehr gibt</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>aus %1</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Keep %1 as a run like others</source>
        <translation>%1 als Lauf wie andere behalten</translation>
    </message>
    <message>
        <source>Dismiss %1</source>
        <translation>%1 verwerfen</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>no step yet</source>
        <translation>noch kein Schritt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunsDock</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add a run with the selected run&apos;s settings</source>
        <translation>Einen Lauf mit den Einstellungen des gewählten hinzufügen</translation>
    </message>
    <message>
        <source>in lock-step</source>
        <translation>im Gleichschritt</translation>
    </message>
    <message>
        <source>each at its pace</source>
        <translation>jeder in seinem Tempo</translation>
    </message>
    <message>
        <source>%1, same seed</source>
        <translation>%1, ein Seed</translation>
    </message>
    <message>
        <source>Why? Examine step %1</source>
        <translation>Warum? Schritt %1 ansehen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScaleHistogram</name>
    <message>
        <source>How many blocks have a scale of each power of two</source>
        <translation>Wie viele Blöcke eine Skala jeder Zweierpotenz haben</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>von %1 bis %2</translation>
    </message>
    <message>
        <source>scales of blocks</source>
        <translation>Skalen der Blöcke</translation>
    </message>
    <message>
        <source>%1 to below %2: %3 blocks</source>
        <translation>%1 bis unter %2: %3 Blöcke</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScaleSpin</name>
    <message>
        <source>The scale is a positive number up to 3.4·10³⁸, such as 2^16.</source>
        <translation>Die Scale ist eine positive Zahl bis 3.4·10³⁸, etwa 2^16.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScaleStrip</name>
    <message>
        <source>Loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScalerControls</name>
    <message>
        <source>Scaler</source>
        <translation>Scaler</translation>
    </message>
    <message>
        <source>Loss scaler</source>
        <translation>Loss-Scaler</translation>
    </message>
    <message>
        <source>loss is not scaled</source>
        <translation>Loss wird nicht skaliert</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>Double the loss scale</source>
        <translation>Loss-Scale verdoppeln</translation>
    </message>
    <message>
        <source>Halve the loss scale</source>
        <translation>Loss-Scale halbieren</translation>
    </message>
    <message>
        <source>Growth, backoff and interval of the loss scaler</source>
        <translation>Wachstum, Backoff und Intervall des Loss-Scalers</translation>
    </message>
    <message>
        <source>A whole number, 1 or more.</source>
        <translation>Eine ganze Zahl ab 1.</translation>
    </message>
    <message>
        <source>The limit must be above 0. Leave it empty for the preset&apos;s value.</source>
        <translation>Die Grenze muss über 0 liegen. Leer gilt der Wert der Vorgabe.</translation>
    </message>
    <message>
        <source>the preset&apos;s</source>
        <translation>aus der Vorlage</translation>
    </message>
    <message>
        <source>growth ×</source>
        <translation>Wachstum ×</translation>
    </message>
    <message>
        <source>Growth factor</source>
        <translation>Wachstumsfaktor</translation>
    </message>
    <message>
        <source>The growth factor is above 1.</source>
        <translation>Der Wachstumsfaktor liegt über 1.</translation>
    </message>
    <message>
        <source>backoff ×</source>
        <translation>Backoff ×</translation>
    </message>
    <message>
        <source>Backoff factor</source>
        <translation>Backoff-Faktor</translation>
    </message>
    <message>
        <source>The backoff factor must be between 0 and 1.</source>
        <translation>Der Backoff-Faktor liegt zwischen 0 und 1.</translation>
    </message>
    <message>
        <source>Growth interval, steps</source>
        <translation>Wachstumsintervall, Schritte</translation>
    </message>
    <message>
        <source>Smallest scale</source>
        <translation>Kleinste Scale</translation>
    </message>
    <message>
        <source>Largest scale</source>
        <translation>Größte Scale</translation>
    </message>
    <message>
        <source>hysteresis</source>
        <translation>Hysterese</translation>
    </message>
    <message>
        <source>Hysteresis, overflows</source>
        <translation>Hysterese, Überläufe</translation>
    </message>
    <message>
        <source>follows the largest gradients</source>
        <translation>folgt den größten Gradienten</translation>
    </message>
    <message>
        <source>×%1, ×%2, every %3 steps</source>
        <translation>×%1, ×%2, alle %3 Schritte</translation>
    </message>
    <message>
        <source>growth ×%1, backoff ×%2, every %3 steps</source>
        <translation>Wachstum ×%1, Backoff ×%2, alle %3 Schritte</translation>
    </message>
    <message>
        <source>Loss scaler of %1</source>
        <translation>Loss-Scaler von %1</translation>
    </message>
    <message>
        <source>Loss scale of %1</source>
        <translation>Loss-Scale von %1</translation>
    </message>
    <message>
        <source>growth interval</source>
        <translation>Wachstumsintervall</translation>
    </message>
    <message>
        <source>min scale</source>
        <translation>min. Scale</translation>
    </message>
    <message>
        <source>max scale</source>
        <translation>max. Scale</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Screenshot</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>the engine stopped: %1</source>
        <translation>die Engine hielt an: %1</translation>
    </message>
    <message>
        <source>%1 stopped after %2 of %3 steps: %4</source>
        <translation>%1 hielt nach %2 von %3 Schritten an: %4</translation>
    </message>
    <message>
        <source>training ended before step %1</source>
        <translation>das Training endete vor Schritt %1</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>%1 wurde nicht geschrieben: %2</translation>
    </message>
    <message>
        <source>%1 ends after %2 steps: the picture shows its last step</source>
        <translation>%1 endet nach %2 Schritten: Das Bild zeigt den letzten</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StatusLine</name>
    <message>
        <source>Starting the engine</source>
        <translation>Die Engine startet</translation>
    </message>
    <message>
        <source>Engine stopped</source>
        <translation>Engine steht</translation>
    </message>
    <message>
        <source>Engine stopped; controls are disabled, nothing is lost</source>
        <translation>Die Engine steht; Bedienung gesperrt, nichts ist verloren</translation>
    </message>
    <message>
        <source>Engine ready</source>
        <translation>Engine bereit</translation>
    </message>
    <message>
        <source>Paused at step %1</source>
        <translation>Pause bei Schritt %1</translation>
    </message>
    <message>
        <source>Engine running; training goes on while the view is frozen</source>
        <translation>Engine läuft; das Training geht weiter, während die Ansicht eingefroren ist</translation>
    </message>
    <message>
        <source>Engine running</source>
        <translation>Engine läuft</translation>
    </message>
    <message>
        <source>Finished at step %1</source>
        <translation>Fertig bei Schritt %1</translation>
    </message>
    <message>
        <source>Rewinding %1: step %2 of %3. Pause breaks off.</source>
        <translation>%1 wird zurückgespult: Schritt %2 von %3. Pause bricht ab.</translation>
    </message>
    <message>
        <source>a run</source>
        <translation>ein Lauf</translation>
    </message>
    <message>
        <source>%1, %2 train, %3 validation</source>
        <translation>%1, %2 Training, %3 Validierung</translation>
    </message>
    <message>
        <source>%1, seed %2</source>
        <translation>%1, Seed %2</translation>
    </message>
    <message>
        <source>recording %1· %2</source>
        <translation>Aufzeichnung %1· %2</translation>
    </message>
    <message>
        <source>%1· %2, not recording</source>
        <translation>%1· %2, zeichnet nicht auf</translation>
    </message>
    <message>
        <source>%1
%2 steps are safe there</source>
        <translation>%1
%2 Schritte sind dort sicher</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>Ordner zeigen</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Recordings…</source>
        <translation>Aufzeichnungen …</translation>
    </message>
    <message>
        <source>Watching at %1</source>
        <translation>Beobachtet an %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StepCounter</name>
    <message>
        <source>The timeline: press it to choose a step</source>
        <translation>Die Zeitleiste: drücken Sie darauf, um einen Schritt zu wählen</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source> · epoch %1</source>
        <translation> · Epoche %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StepDots</name>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StepQuestions</name>
    <message>
        <source>The engine has stopped: restart it to read a step.</source>
        <translation>Die Engine steht: starten Sie sie neu, um einen Schritt zu lesen.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::SymptomsPage</name>
    <message>
        <source>Guide</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Read in the guide: %1</source>
        <translation>Im Handbuch lesen: %1</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Open the experiment that shows it: %1</source>
        <translation>Das Experiment öffnen, das es zeigt: %1</translation>
    </message>
    <message>
        <source>None of the present runs shows one of these. Choose what you see in your own training.</source>
        <translation>Keiner der vorhandenen Läufe zeigt eines davon. Wählen Sie, was Sie in Ihrem eigenen Training sehen.</translation>
    </message>
    <message>
        <source>What a present run shows is marked, and leads to it. For your own training choose what you see.</source>
        <translation>Was ein vorhandener Lauf zeigt, ist markiert und führt zu ihm. Für Ihr eigenes Training wählen Sie, was Sie sehen.</translation>
    </message>
    <message>
        <source>%1: shown by a present run</source>
        <translation>%1: ein vorhandener Lauf zeigt es</translation>
    </message>
    <message>
        <source>Examine %1 in Diagnose: %2</source>
        <translation>%1 in Diagnose ansehen: %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TextPanel</name>
    <message>
        <source>Text that the model writes</source>
        <translation>Text, den das Modell schreibt</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>written after step %1</source>
        <translation>geschrieben nach Schritt %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ThroughputLine</name>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>samples/s, emulated</source>
        <translation>Beispiele/s, emuliert</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>Beispiele/s</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Timeline</name>
    <message>
        <source>No run has a step %1 to go back to.</source>
        <translation>Kein Lauf hat einen Schritt %1, zu dem er zurück könnte.</translation>
    </message>
    <message>
        <source>This run has no step %1 to go back to.</source>
        <translation>Dieser Lauf hat keinen Schritt %1, zu dem er zurück könnte.</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>No step chosen: click in the plots</source>
        <translation>Kein Schritt gewählt: klicken Sie in die Diagramme</translation>
    </message>
    <message>
        <source>Rewind %1 alone</source>
        <translation>%1 allein zurückspulen</translation>
    </message>
    <message>
        <source>before step %1</source>
        <translation>vor Schritt %1</translation>
    </message>
    <message>
        <source>from here</source>
        <translation>ab hier</translation>
    </message>
    <message>
        <source>Fork %1 %2…</source>
        <translation>%1 %2 abzweigen …</translation>
    </message>
    <message>
        <source>What if, with %1 %2…</source>
        <translation>Was wäre wenn, mit %1 %2 …</translation>
    </message>
    <message>
        <source>Rewind all runs to step %1</source>
        <translation>Alle Läufe zu Schritt %1 zurückspulen</translation>
    </message>
    <message>
        <source>Rewind %1 to step %2, the first non-finite one</source>
        <translation>%1 zu Schritt %2 zurückspulen, dem ersten nicht endlichen</translation>
    </message>
    <message>
        <source>Rewind %1 to step %2, the last skip</source>
        <translation>%1 zu Schritt %2 zurückspulen, dem letzten übersprungenen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TimelineController</name>
    <message>
        <source>%1 is before step %2 again.</source>
        <translation>%1 steht wieder vor Schritt %2.</translation>
    </message>
    <message>
        <source>%1 did not repeat itself</source>
        <translation>%1 hat sich nicht wiederholt</translation>
    </message>
    <message>
        <source>Step %1 came out differently on the way back: what follows may differ from the first time.</source>
        <translation>Schritt %1 kam auf dem Rückweg anders heraus: was folgt, kann vom ersten Mal abweichen.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run, what happened to it</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Choose a step first: point at it or click it in the plots.</source>
        <translation>Wählen Sie erst einen Schritt: zeigen Sie in den Diagrammen darauf, oder klicken Sie ihn an.</translation>
    </message>
    <message>
        <source>Click the step in the plots first: what was trained from there on will be gone.</source>
        <translation>Klicken Sie erst den Schritt in den Diagrammen an: was ab dort trainiert wurde, ist dann weg.</translation>
    </message>
    <message>
        <source>Why? Examine step %1 of %2</source>
        <translation>Warum? Schritt %1 von %2 ansehen</translation>
    </message>
    <message>
        <source>Copy plot as picture</source>
        <translation>Diagramm als Bild kopieren</translation>
    </message>
    <message>
        <source>Copy plot as table</source>
        <translation>Diagramm als Tabelle kopieren</translation>
    </message>
    <message>
        <source>There is no step yet to write a note at.</source>
        <translation>Es gibt noch keinen Schritt für eine Notiz.</translation>
    </message>
    <message>
        <source>Edit note “%1”…</source>
        <translation>Notiz „%1“ bearbeiten …</translation>
    </message>
    <message>
        <source>Remove note “%1”</source>
        <translation>Notiz „%1“ entfernen</translation>
    </message>
    <message>
        <source>Note at step %1…</source>
        <translation>Notiz bei Schritt %1 …</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TimesModel</name>
    <message>
        <source>compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1×</source>
        <translation>%1×</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
    <message>
        <source>% of GEMM</source>
        <translation>% vom GEMM</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>limited by</source>
        <translation>begrenzt durch</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>All instructions of this name in a step; “_grad” marks those of the backward pass</source>
        <translation>Alle Instruktionen dieses Namens in einem Schritt; „_grad“ bezeichnet die des Rückwärtsdurchlaufs</translation>
    </message>
    <message>
        <source>The format in which products are computed</source>
        <translation>Das Format, in dem Produkte berechnet werden</translation>
    </message>
    <message>
        <source>How often a step runs it</source>
        <translation>Wie oft ein Schritt sie ausführt</translation>
    </message>
    <message>
        <source>Time of all its runs in a step</source>
        <translation>Zeit aller Ausführungen in einem Schritt</translation>
    </message>
    <message>
        <source>Share of the time of all operations</source>
        <translation>Anteil an der Zeit aller Operationen</translation>
    </message>
    <message>
        <source>Floating-point operations of its products in a second, in 10¹²</source>
        <translation>Gleitkommaoperationen ihrer Produkte je Sekunde, in 10¹²</translation>
    </message>
    <message>
        <source>Its rate over that of one large matrix product in the same format on this device</source>
        <translation>Ihre Rate durch die eines großen Produkts im selben Format auf diesem Gerät</translation>
    </message>
    <message>
        <source>Bytes that it reads and writes in a second, in 10⁹; beyond the memory&apos;s rate, the numbers are in a cache</source>
        <translation>Bytes, die sie je Sekunde liest und schreibt, in 10⁹; oberhalb der Rate des Speichers liegen die Zahlen in einem Cache</translation>
    </message>
    <message>
        <source>The time of the same operation in the other run, or predicted for the GPU</source>
        <translation>Die Zeit derselben Operation im anderen Lauf, oder die für die GPU vorhergesagte</translation>
    </message>
    <message>
        <source>This run&apos;s time over the other one</source>
        <translation>Die Zeit dieses Laufs durch die andere</translation>
    </message>
    <message>
        <source>What most of the predicted time goes to: computing products, reading and writing memory, or starting the operation</source>
        <translation>Wofür die meiste vorhergesagte Zeit gebraucht wird: Produkte rechnen, Speicher lesen und schreiben oder die Operation starten</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TimesPage</name>
    <message>
        <source>Step time</source>
        <translation>Zeit je Schritt</translation>
    </message>
    <message>
        <source>Time of a step by operation</source>
        <translation>Zeit eines Schritts nach Operationen</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Times shown beside those of this run</source>
        <translation>Zeiten neben denen dieses Laufs</translation>
    </message>
    <message>
        <source>Another run that was measured, or a GPU for which the times of this run&apos;s step are predicted</source>
        <translation>Ein anderer gemessener Lauf oder eine GPU, für die die Zeiten des Schritts vorhergesagt werden</translation>
    </message>
    <message>
        <source>Measures the latest step of each run, so that they can be shown beside each other</source>
        <translation>Misst den jüngsten Schritt jedes Laufs, um sie nebeneinander zu zeigen</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to measure a step.</source>
        <translation>Die Engine steht: starten Sie sie neu, um einen Schritt zu messen.</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>%1, predicted</source>
        <translation>%1, vorhergesagt</translation>
    </message>
    <message>
        <source>What limits the step</source>
        <translation>Was den Schritt begrenzt</translation>
    </message>
    <message>
        <source>A step of “%1” takes %2, so this run takes %3 times as long.</source>
        <translation>Ein Schritt von „%1“ braucht %2; dieser Lauf braucht das %3-Fache.</translation>
    </message>
    <message>
        <source>Measure step %1</source>
        <translation>Schritt %1 messen</translation>
    </message>
    <message>
        <source>Measure all runs</source>
        <translation>Alle Läufe messen</translation>
    </message>
    <message>
        <source>Where does the time of a step go, and why is a narrower format not faster? Each operation of a step is timed on this device. The run does not change.</source>
        <translation>Wohin geht die Zeit eines Schritts, und warum ist ein schmaleres Format nicht schneller? Jede Operation eines Schritts wird auf diesem Gerät gemessen. Der Lauf ändert sich nicht.</translation>
    </message>
    <message>
        <source>%1, step %2, on %3</source>
        <translation>%1, Schritt %2, auf %3</translation>
    </message>
    <message>
        <source>On %1, a step is predicted to take %2.</source>
        <translation>Auf %1 braucht ein Schritt voraussichtlich %2.</translation>
    </message>
    <message>
        <source>A step takes %1, its operations %2: products %3 %, conversions between formats %4 %, others %5 %.</source>
        <translation>Ein Schritt braucht %1, seine Operationen %2: Produkte %3 %, Umwandlungen zwischen Formaten %4 %, andere %5 %.</translation>
    </message>
    <message>
        <source>Goes back to the step on a copy of the run, repeats it several times and times each operation. The run goes on.</source>
        <translation>Geht auf einer Kopie des Laufs zum Schritt zurück, wiederholt ihn mehrmals und misst jede Operation. Der Lauf geht weiter.</translation>
    </message>
    <message>
        <source>No kind of operation stands out.</source>
        <translation>Keine Art von Operation sticht hervor.</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>Messung beenden</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TopBar</name>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Single step</source>
        <translation>Einzelschritt</translation>
    </message>
    <message>
        <source>Rewind, fork, what if</source>
        <translation>Zurückspulen, abzweigen, was wäre wenn</translation>
    </message>
    <message>
        <source>Reset to step 0</source>
        <translation>Auf Schritt 0 zurücksetzen</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Pace of training</source>
        <translation>Tempo des Trainings</translation>
    </message>
    <message>
        <source>Freeze view</source>
        <translation>Ansicht einfrieren</translation>
    </message>
    <message>
        <source>What the plots follow</source>
        <translation>Wem die Diagramme folgen</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Follow the tail again</source>
        <translation>Dem Ende wieder folgen</translation>
    </message>
    <message>
        <source>Crosshair</source>
        <translation>Fadenkreuz</translation>
    </message>
    <message>
        <source>Crosshair off</source>
        <translation>Fadenkreuz aus</translation>
    </message>
    <message>
        <source>Crosshair + values</source>
        <translation>Fadenkreuz + Werte</translation>
    </message>
    <message>
        <source>Next crosshair mode</source>
        <translation>Nächster Fadenkreuz-Modus</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>New experiment</source>
        <translation>Neues Experiment</translation>
    </message>
    <message>
        <source>Rewind</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Frozen · %1 new steps</source>
        <translation>Eingefroren · %1 neue Schritte</translation>
    </message>
    <message>
        <source>Frozen, back to the live end</source>
        <translation>Eingefroren, zurück zum Ende</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Train more</source>
        <translation>Weiter trainieren</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Tour</name>
    <message>
        <source>A format for each run</source>
        <translation>Ein Format für jeden Lauf</translation>
    </message>
    <message>
        <source>Click another one: the run goes on in it from its next step, and the other runs stay as they are.</source>
        <translation>Ein Klick auf ein anderes: der Lauf geht ab seinem nächsten Schritt darin weiter, die anderen Läufe bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>The loss scale</source>
        <translation>Der Loss-Scale</translation>
    </message>
    <message>
        <source>FP16 loses small gradients. Its scaler multiplies the loss by this power of two first; ×2 and ÷2 change it while it trains.</source>
        <translation>FP16 verliert kleine Gradienten. Sein Scaler multipliziert den Loss vorher mit dieser Zweierpotenz; ×2 und ÷2 ändern sie beim Training.</translation>
    </message>
    <message>
        <source>The plots</source>
        <translation>Die Diagramme</translation>
    </message>
    <message>
        <source>The wheel zooms, a drag pans, a double click shows everything. Point at a step to see its values in the read-out; a click pins the step.</source>
        <translation>Das Rad zoomt, Ziehen verschiebt, ein Doppelklick zeigt alles. Zeigt man auf einen Schritt, stehen unter „Werte“ die seinen; ein Klick hält ihn fest.</translation>
    </message>
    <message>
        <source>When a step is skipped</source>
        <translation>Wenn ein Schritt übersprungen wird</translation>
    </message>
    <message>
        <source>◇ in the plots is a step that overflowed. “Why?” on its run&apos;s card, or Diagnose, shows where it began and what would help.</source>
        <translation>◇ in den Diagrammen ist ein Schritt, der übergelaufen ist. „Warum?“ auf der Karte seines Laufs, oder die Diagnose, zeigt, wo es begann und was helfen würde.</translation>
    </message>
    <message>
        <source>Everything has a key</source>
        <translation>Alles hat eine Taste</translation>
    </message>
    <message>
        <source>? lists them. The guide is in the menu Help, and so is this tour.</source>
        <translation>? listet sie auf. Das Handbuch steht im Menü Hilfe, und dieser Rundgang auch.</translation>
    </message>
    <message>
        <source>Skip tour</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>Tour, %1 of %2: %3</source>
        <translation>Rundgang, %1 von %2: %3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrainingController</name>
    <message>
        <source>Train %1 more steps</source>
        <translation>%1 weitere Schritte trainieren</translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation>Training anhalten</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>The loss of %1 is not scaled.</source>
        <translation>Der Loss von %1 wird nicht skaliert.</translation>
    </message>
    <message>
        <source>an Inf in the next batch</source>
        <translation>ein Inf im nächsten Batch</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrainingLine</name>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrialsModel</name>
    <message>
        <source>not run</source>
        <translation>nicht gelaufen</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>finite</source>
        <translation>endlich</translation>
    </message>
    <message>
        <source>skip</source>
        <translation>Skip</translation>
    </message>
    <message>
        <source>non-finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>The forward pass was not finite.</source>
        <translation>Der Vorwärtslauf war nicht endlich.</translation>
    </message>
    <message>
        <source>trial</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>non-finite
gradients</source>
        <translation>Gradienten
Inf, NaN</translation>
    </message>
    <message>
        <source>flushed
to zero</source>
        <translation>auf null
gesetzt</translation>
    </message>
    <message>
        <source>differs
from FP32</source>
        <translation>Abstand
zu FP32</translation>
    </message>
    <message>
        <source>outcome</source>
        <translation>Ergebnis</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrialsTable</name>
    <message>
        <source>Trials: the step repeated in other ways</source>
        <translation>Versuche: der Schritt auf andere Weise wiederholt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::UndoController</name>
    <message>
        <source>While a lesson has the place of panels, the layout stays as it is: close the lesson first.</source>
        <translation>Solange eine Lektion anstelle von Panels steht, bleibt die Anordnung: zuerst die Lektion schließen.</translation>
    </message>
    <message>
        <source>Undo %1</source>
        <translation>Rückgängig: %1</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo %1</source>
        <translation>Wiederholen: %1</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::UndoLog</name>
    <message>
        <source>hiding of %1</source>
        <translation>%1 verbergen</translation>
    </message>
    <message>
        <source>showing of %1</source>
        <translation>%1 zeigen</translation>
    </message>
    <message>
        <source>renaming of %1 to %2</source>
        <translation>%1 in %2 umbenennen</translation>
    </message>
    <message>
        <source>removal of a note</source>
        <translation>Notiz entfernen</translation>
    </message>
    <message>
        <source>change of %1 of %2</source>
        <translation>%1 von %2 ändern</translation>
    </message>
    <message>
        <source>%1 of %2 is %3 already.</source>
        <translation>%1 von %2 ist schon %3.</translation>
    </message>
    <message>
        <source>%1 of %2 is %3 again from its next step on.</source>
        <translation>%1 von %2 ist ab dem nächsten Schritt wieder %3.</translation>
    </message>
    <message>
        <source>%1 No step was trained with the other value.</source>
        <translation>%1 Kein Schritt wurde mit dem anderen Wert trainiert.</translation>
    </message>
    <message>
        <source>%1 Steps %2 to %3 stay as they were trained: Edit &gt; Fork goes on without them.</source>
        <translation>%1 Die Schritte %2 bis %3 bleiben, wie sie trainiert wurden: Bearbeiten &gt; Abzweigen geht ohne sie weiter.</translation>
    </message>
    <message>
        <source>%1 is back with all of its steps.</source>
        <translation>%1 ist wieder da, mit allen Schritten.</translation>
    </message>
    <message>
        <source>%1 is gone for good.</source>
        <translation>%1 ist endgültig weg.</translation>
    </message>
    <message>
        <source>%1 is back with its settings. Its steps are gone: it trains them again from step 0.</source>
        <translation>%1 ist wieder da, mit seinen Einstellungen. Seine Schritte sind weg: er trainiert sie ab Schritt 0 neu.</translation>
    </message>
    <message>
        <source>removal of %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>adding of %1</source>
        <translation>%1 hinzufügen</translation>
    </message>
    <message>
        <source>change of a note</source>
        <translation>Notiz ändern</translation>
    </message>
    <message>
        <source>note at step %1</source>
        <translation>Notiz bei Schritt %1</translation>
    </message>
    <message>
        <source>new order of runs</source>
        <translation>neue Reihenfolge der Läufe</translation>
    </message>
    <message>
        <source>new colours of runs</source>
        <translation>neue Farben der Läufe</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::UsableScalesPlot</name>
    <message>
        <source>Usable loss scales of each layer</source>
        <translation>Skalenkorridor: die Loss-Scales, mit denen jede Schicht leben kann</translation>
    </message>
    <message>
        <source>✕ no scale fits</source>
        <translation>✕ keine Scale passt</translation>
    </message>
    <message>
        <source>try %1</source>
        <translation>Versuch %1</translation>
    </message>
    <message>
        <source>used %1</source>
        <translation>benutzt %1</translation>
    </message>
    <message>
        <source>safe for every layer</source>
        <translation>sicher für jede Schicht</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>Loss-Scale</translation>
    </message>
    <message>
        <source>overflowed: upper end not known</source>
        <translation>übergelaufen: oberes Ende nicht bekannt</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::VerdictCard</name>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>normal for a dynamic scaler</source>
        <translation>normal für einen dynamischen Scaler</translation>
    </message>
    <message>
        <source>What would help</source>
        <translation>Was helfen würde</translation>
    </message>
    <message>
        <source>Try them</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>Try longer</source>
        <translation>Länger probieren</translation>
    </message>
    <message>
        <source>Try what would help on the next batches, without committing anything</source>
        <translation>Ausprobieren, was bei den nächsten Batches helfen würde, ohne etwas zu übernehmen</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Nothing is wrong with this step.</source>
        <translation>An diesem Schritt ist nichts falsch.</translation>
    </message>
    <message>
        <source>Every tensor, every gradient and the loss are finite.</source>
        <translation>Jeder Tensor, jeder Gradient und der Loss sind endlich.</translation>
    </message>
    <message>
        <source>not tried yet</source>
        <translation>noch nicht versucht</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Train on with nothing changed</source>
        <translation>Ohne Änderung weitertrainieren</translation>
    </message>
    <message>
        <source>%1, from the next step on</source>
        <translation>%1, ab dem nächsten Schritt</translation>
    </message>
    <message>
        <source>Not tried yet.</source>
        <translation>Noch nicht versucht.</translation>
    </message>
    <message>
        <source>More ways to use: %1</source>
        <translation>Weitere Wege: %1</translation>
    </message>
    <message>
        <source>From the next step on</source>
        <translation>Ab dem nächsten Schritt</translation>
    </message>
    <message>
        <source>In a new run, from before this step</source>
        <translation>In einem neuen Lauf, ab vor diesem Schritt</translation>
    </message>
    <message>
        <source>What if: %1 steps from before this step</source>
        <translation>Was wäre wenn: %1 Schritte ab vor diesem Schritt</translation>
    </message>
    <message>
        <source>Trying…</source>
        <translation>Wird versucht …</translation>
    </message>
    <message>
        <source>A new run from before step %1</source>
        <translation>Ein neuer Lauf von vor Schritt %1 an</translation>
    </message>
    <message>
        <source>In a new run, from before step %1</source>
        <translation>In einem neuen Lauf, von vor Schritt %1 an</translation>
    </message>
    <message>
        <source>What if: %1 steps from before step %2</source>
        <translation>Was wäre wenn: %1 Schritte von vor Schritt %2 an</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stop trying; results so far are kept</source>
        <translation>Versuche beenden; bisherige Ergebnisse bleiben</translation>
    </message>
    <message>
        <source>%1, in a new run from before this step: training has ended</source>
        <translation>%1, in einem neuen Lauf ab vor diesem Schritt: Das Training ist beendet</translation>
    </message>
    <message>
        <source>Training has ended</source>
        <translation>Das Training ist beendet</translation>
    </message>
    <message>
        <source>tried, did not help</source>
        <translation>versucht, ohne Erfolg</translation>
    </message>
    <message>
        <source>tried on the next %1 batches: finite, but the loss is not restored yet</source>
        <translation>mit den nächsten %1 Batches versucht: endlich, aber der Loss ist noch nicht wiederhergestellt</translation>
    </message>
    <message>
        <source>without a change</source>
        <translation>ohne Änderung</translation>
    </message>
    <message>
        <source>tried on the next %1 batches: none of the remedies has restored the loss so far; the best is first</source>
        <translation>an den nächsten %1 Batches versucht: keine hat den Loss bis dahin wiederhergestellt, die beste steht zuerst</translation>
    </message>
    <message>
        <source>Only a run that trains here can be changed.</source>
        <translation>Nur ein Lauf, der hier trainiert, kann geändert werden.</translation>
    </message>
    <message>
        <source>tried up to step %1, the run is unchanged</source>
        <translation>versucht bis Schritt %1, Lauf unverändert</translation>
    </message>
    <message>
        <source>tried on the next %1 batches, the run is unchanged</source>
        <translation>an %1 Batches versucht, Lauf unverändert</translation>
    </message>
    <message>
        <source>step %1 repeated, the run is unchanged</source>
        <translation>Schritt %1 wiederholt, Lauf unverändert</translation>
    </message>
    <message>
        <source>Try it first. It can be applied after its result is shown.</source>
        <translation>Erst ausprobieren. Ist das Ergebnis gezeigt, lässt es sich anwenden.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::VerdictPanel</name>
    <message>
        <source>Scaler verdict</source>
        <translation>Urteil zum Scaler</translation>
    </message>
    <message>
        <source>Open in Diagnose</source>
        <translation>In der Diagnose öffnen</translation>
    </message>
    <message>
        <source>Examine step %1 of %2</source>
        <translation>Schritt %1 von %2 ansehen</translation>
    </message>
    <message>
        <source>No run scales its loss.</source>
        <translation>Kein Lauf skaliert seinen Loss.</translation>
    </message>
    <message>
        <source>No step skipped so far.</source>
        <translation>Bisher kein Schritt übersprungen.</translation>
    </message>
    <message>
        <source>1 step skipped, step %1.</source>
        <translation>1 Schritt übersprungen, Schritt %1.</translation>
    </message>
    <message>
        <source>%1 steps skipped so far, the last at step %2.</source>
        <translation>Bisher %1 Schritte übersprungen, zuletzt Schritt %2.</translation>
    </message>
    <message>
        <source>%1 of %2 clean steps</source>
        <translation>%1 von %2 sauber</translation>
    </message>
    <message>
        <source>It grows to %1 after %2 more.</source>
        <translation>Er wächst auf %1 nach %2 weiteren.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ViewController</name>
    <message>
        <source>This plot has one scale: what it shows is exact.</source>
        <translation>Dieses Diagramm hat nur eine Skala: was es zeigt, ist genau.</translation>
    </message>
    <message>
        <source>The cursors are locked: View &gt; Lock the cursors lets them go.</source>
        <translation>Die Cursor sind gesperrt: Ansicht &gt; Cursor sperren gibt sie frei.</translation>
    </message>
    <message>
        <source>There is no step yet to put a cursor on.</source>
        <translation>Es gibt noch keinen Schritt, auf dem ein Cursor stehen könnte.</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::WatchDialog</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>%1 kopieren</translation>
    </message>
    <message>
        <source>Watch a PyTorch training</source>
        <translation>PyTorch-Training beobachten</translation>
    </message>
    <message>
        <source>Your own training, in this window</source>
        <translation>Ihr eigenes Training in diesem Fenster</translation>
    </message>
    <message>
        <source>A probe in the script reports loss scale, skipped steps, gradient norms and the magnitudes of all tensors. It changes no number, and never waits for this window.</source>
        <translation>Eine Sonde im Skript berichtet von Verlustskala, übersprungenen Schritten, Gradientennormen und den Größen aller Tensoren. Sie ändert keine Zahl und wartet nie auf dieses Fenster.</translation>
    </message>
    <message>
        <source>the command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>the lines</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>3. Start watching, then start the script. It shows up here by itself.</source>
        <translation>3. Beobachten beginnen, dann das Skript starten. Es erscheint hier von selbst.</translation>
    </message>
    <message>
        <source>Open a probe&apos;s file…</source>
        <translation>Datei einer Sonde öffnen …</translation>
    </message>
    <message>
        <source>Open a probe&apos;s file</source>
        <translation>Datei einer Sonde öffnen</translation>
    </message>
    <message>
        <source>Stop listening</source>
        <translation>Nicht mehr warten</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Start watching</source>
        <translation>Beobachten beginnen</translation>
    </message>
    <message>
        <source>this experiment</source>
        <translation>diesem Experiment</translation>
    </message>
    <message>
        <source>Added to the runs of %1</source>
        <translation>Neben den Läufen von %1, die bleiben</translation>
    </message>
    <message>
        <source>Listening at %1. Scripts on this machine find it by themselves.</source>
        <translation>Wartet an %1. Skripte auf diesem Rechner finden es von selbst.</translation>
    </message>
    <message>
        <source>1. Let Python find the probe, in the terminal that the script runs in:</source>
        <translation>1. Python zeigen, wo die Sonde liegt, in dem Terminal, in dem das Skript läuft:</translation>
    </message>
    <message>
        <source>2. Add these lines to the script, without scaler=scaler where it has none:</source>
        <translation>2. Diese Zeilen in das Skript einfügen; ohne scaler=scaler, wo es keinen gibt:</translation>
    </message>
</context>
<context>
    <name>symptoms</name>
    <message>
        <source>The loss is NaN</source>
        <translation>Der Loss ist NaN</translation>
    </message>
    <message>
        <source>The loss does not fall, or falls slower than in FP32</source>
        <translation>Der Loss fällt nicht oder langsamer als in FP32</translation>
    </message>
    <message>
        <source>Steps are skipped all the time</source>
        <translation>Ständig werden Schritte übersprungen</translation>
    </message>
    <message>
        <source>The loss scale collapses, or never grows</source>
        <translation>Die Loss-Scale bricht ein oder wächst nie</translation>
    </message>
    <message>
        <source>FP16 is not faster</source>
        <translation>FP16 ist nicht schneller</translation>
    </message>
    <message>
        <source>Memory does not shrink</source>
        <translation>Der Speicher wird nicht kleiner</translation>
    </message>
    <message>
        <source>Validation or inference differs from training</source>
        <translation>Validierung oder Inferenz weicht vom Training ab</translation>
    </message>
    <message>
        <source>Results change from run to run</source>
        <translation>Ergebnisse ändern sich von Lauf zu Lauf</translation>
    </message>
    <message>
        <source>A BF16 checkpoint fails in FP16</source>
        <translation>Ein BF16-Checkpoint versagt in FP16</translation>
    </message>
    <message>
        <source>Gradients are clipped to nothing</source>
        <translation>Gradienten werden bis auf nichts geclippt</translation>
    </message>
</context>
</TS>

<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>QMenu</name>
    <message>
        <source>Weights are written</source>
        <translation>权重的写回方式</translation>
    </message>
    <message>
        <source>Rounded to nearest even</source>
        <translation>舍入到最近偶数</translation>
    </message>
    <message>
        <source>Rounded stochastically</source>
        <translation>随机舍入</translation>
    </message>
    <message>
        <source>With Kahan&apos;s summation</source>
        <translation>Kahan 求和</translation>
    </message>
    <message>
        <source>FP8 scales come from</source>
        <translation>FP8 缩放因子来自</translation>
    </message>
    <message>
        <source>Past steps (delayed)</source>
        <translation>过去的步（延迟缩放）</translation>
    </message>
    <message>
        <source>The tensor itself (current)</source>
        <translation>张量本身（当前缩放）</translation>
    </message>
    <message>
        <source>To nearest, ties away (cvt.rna)</source>
        <translation>到最近，居中时远离零（cvt.rna）</translation>
    </message>
    <message>
        <source>Toward zero (raw tensor core)</source>
        <translation>向零（原始张量核心）</translation>
    </message>
    <message>
        <source>Hopper&apos;s tensor cores, promoted each 128</source>
        <translation>Hopper 张量核心，每 128 个提升一次</translation>
    </message>
    <message>
        <source>As the policy</source>
        <translation>随策略</translation>
    </message>
    <message>
        <source>As %1</source>
        <translation>同 %1</translation>
    </message>
    <message>
        <source>Matmul accumulator</source>
        <translation>矩阵乘累加器</translation>
    </message>
    <message>
        <source>To nearest even (cuBLAS)</source>
        <translation>就近取偶 (cuBLAS)</translation>
    </message>
    <message>
        <source>TF32 inputs are rounded</source>
        <translation>TF32 输入的舍入方式</translation>
    </message>
    <message>
        <source>Recipe of %1</source>
        <translation>%1 的配方</translation>
    </message>
    <message>
        <source>Gradients are</source>
        <translation>梯度格式</translation>
    </message>
    <message>
        <source>Scales are</source>
        <translation>缩放因子取法</translation>
    </message>
    <message>
        <source>Rounded up (Transformer Engine)</source>
        <translation>向上取整（Transformer Engine）</translation>
    </message>
    <message>
        <source>Rounded down (OCP)</source>
        <translation>向下取整（OCP）</translation>
    </message>
    <message>
        <source>Weights in square blocks</source>
        <translation>权重使用方形块</translation>
    </message>
    <message>
        <source>Random Hadamard transform for weight gradients</source>
        <translation>权重梯度使用随机 Hadamard 变换</translation>
    </message>
    <message>
        <source>Gradients rounded stochastically</source>
        <translation>梯度随机舍入</translation>
    </message>
    <message>
        <source>Last 15 % of the blocks in BF16</source>
        <translation>最后 15 % 的块保持 BF16</translation>
    </message>
    <message>
        <source>Forward products in BF16</source>
        <translation>前向乘积使用 BF16</translation>
    </message>
    <message>
        <source>Powers of two (Transformer Engine)</source>
        <translation>2 的幂（Transformer Engine）</translation>
    </message>
    <message>
        <source>FP32 numbers</source>
        <translation>FP32 数</translation>
    </message>
    <message>
        <source>Input of weight gradients requantised from its rows</source>
        <translation>权重梯度的输入由其按行量化的值重新量化</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Mantissa %1</source>
        <translation>Mantissa %1</translation>
    </message>
    <message>
        <source>A desktop precision lab: the same network trained side by side in several number formats, each with its own loss scaler, and what that does to loss, scale, skipped steps, memory and speed.

The window is free software under the GPL, version 3 or later; engine and kernels are under the Apache License 2.0. Plots are drawn by QCustomPlot, the window by Qt.</source>
        <translation>桌面精度实验室：同一个网络以多种数值格式并排训练，各有自己的损失缩放器，看它们如何影响损失、缩放因子、跳过的步、内存和速度。

本窗口是自由软件，采用 GPL 第 3 版或更高版本；引擎和内核采用 Apache 许可证 2.0。图由 QCustomPlot 绘制，窗口由 Qt 构建。</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>%1 · 1 thread</source>
        <translation>%1 · 1 个线程</translation>
    </message>
    <message>
        <source>%1 · %2 threads</source>
        <translation>%1 · %2 个线程</translation>
    </message>
    <message>
        <source>no device</source>
        <translation>无设备</translation>
    </message>
    <message>
        <source>full speed</source>
        <translation>全速</translation>
    </message>
    <message>
        <source>1 step/s</source>
        <translation>1 步/秒</translation>
    </message>
    <message>
        <source>%1 steps/s</source>
        <translation>%1 步/秒</translation>
    </message>
    <message>
        <source>%1 · steady, %2 of %3 clean</source>
        <translation>%1 · 稳定，%2/%3 步正常</translation>
    </message>
    <message>
        <source>Why? Examine step %1 of %2</source>
        <translation>为什么？查看 %2 的第 %1 步</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>scale %1</source>
        <translation>缩放因子 %1</translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>%1 skipped</source>
        <translation>跳过 %1</translation>
    </message>
    <message>
        <source>not begun yet</source>
        <translation>尚未开始</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>, %1 of %2</source>
        <translation>，%2 之 %1</translation>
    </message>
    <message>
        <source>all finite</source>
        <translation>全部有限</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Backward, loss × %1</source>
        <translation>反向，损失 × %1</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>%1 not finite</source>
        <translation>%1 个非有限</translation>
    </message>
    <message>
        <source>all 0</source>
        <translation>全为 0</translation>
    </message>
    <message>
        <source>finite</source>
        <translation>有限</translation>
    </message>
    <message>
        <source>magnitudes %1 to %2</source>
        <translation>绝对值 %1 到 %2</translation>
    </message>
    <message>
        <source>magnitudes up to %1</source>
        <translation>绝对值至多 %1</translation>
    </message>
    <message>
        <source>%1, the only one of %2</source>
        <translation>%1，%2 个中唯一的一个</translation>
    </message>
    <message>
        <source>%1, the first of %2 among %3</source>
        <translation>%1，%3 个中 %2 个的第一个</translation>
    </message>
    <message>
        <source>in none of %1 parameters</source>
        <translation>%1 个参数中都没有</translation>
    </message>
    <message>
        <source> and %1 more</source>
        <translation>，另有 %1 个</translation>
    </message>
    <message>
        <source>no gradient is finite</source>
        <translation>没有有限的梯度</translation>
    </message>
    <message>
        <source>1 other parameter is finite</source>
        <translation>另有 1 个参数有限</translation>
    </message>
    <message>
        <source>%1 other parameters are finite</source>
        <translation>另有 %1 个参数有限</translation>
    </message>
    <message>
        <source>element</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation>FP32 中</translation>
    </message>
    <message>
        <source>%1, a sum of %2 products</source>
        <translation>%1，%2 个乘积之和</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1，位于 %2</translation>
    </message>
    <message>
        <source>, %1 times the limit of %2</source>
        <translation>，是 %2 上限的 %1 倍</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>存为</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>%1, gradient</source>
        <translation>%1，梯度</translation>
    </message>
    <message>
        <source>%1 · instruction %2 of %3</source>
        <translation>%1 · 第 %2 条指令，共 %3 条</translation>
    </message>
    <message>
        <source>producer: its inputs are finite</source>
        <translation>产生者：其输入有限</translation>
    </message>
    <message>
        <source>passed on: the data held it</source>
        <translation>传递：数据中已有</translation>
    </message>
    <message>
        <source>passed on: what it reads is not finite</source>
        <translation>传递：它读到的已非有限</translation>
    </message>
    <message>
        <source>%1, step %2, loss scale %3</source>
        <translation>%1，第 %2 步，损失缩放因子 %3</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1 到 %2 步</translation>
    </message>
    <message>
        <source>not finite in both</source>
        <translation>两者都非有限</translation>
    </message>
    <message>
        <source>infinite</source>
        <translation>无穷</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>相等</translation>
    </message>
    <message>
        <source>all plots</source>
        <translation>所有图</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source> A table of %1 rows is too long for the clipboard: zoom in, or export a CSV.</source>
        <translation> %1 行的表格对剪贴板太长：请放大视图，或导出 CSV。</translation>
    </message>
    <message>
        <source>a table of %1 rows</source>
        <translation>%1 行的表格</translation>
    </message>
    <message>
        <source>Copied %1 as %2.</source>
        <translation>已复制：%1，形式为%2。</translation>
    </message>
    <message>
        <source> and </source>
        <translation> 和 </translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 M</translation>
    </message>
    <message>
        <source>engine %1</source>
        <translation>引擎 %1</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>种子 %1</translation>
    </message>
    <message>
        <source>seeds %1</source>
        <translation>种子 %1</translation>
    </message>
    <message>
        <source>Runs: %1.</source>
        <translation>运行：%1。</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>无法写入 %1：%2。</translation>
    </message>
    <message>
        <source>%1 was not written: the picture could not be drawn.</source>
        <translation>未写入 %1：图片无法绘制。</translation>
    </message>
    <message>
        <source>%1 was not written: %2.</source>
        <translation>未写入 %1：%2。</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>step %1, %2</source>
        <translation>第 %1 步，%2</translation>
    </message>
    <message>
        <source>Events: %1. %2</source>
        <translation>事件：%1。%2</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Nothing yet: changes, skips and non-finite values will be listed here.</source>
        <translation>尚无：更改、跳过的步和非有限值会列在这里。</translation>
    </message>
    <message>
        <source>%1 changes</source>
        <translation>%1 处更改</translation>
    </message>
    <message>
        <source>step %1  %2: %3</source>
        <translation>第 %1 步  %2：%3</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>step %1 skipped</source>
        <translation>第 %1 步被跳过</translation>
    </message>
    <message>
        <source>%1 steps skipped, %2 to %3</source>
        <translation>跳过 %1 步，第 %2 到 %3 步</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>smoothing %1, raw trace behind</source>
        <translation>平滑 %1，后面是原始曲线</translation>
    </message>
    <message>
        <source>smoothing %1 of the logarithm, raw trace behind</source>
        <translation>对数平滑 %1，后面是原始曲线</translation>
    </message>
    <message>
        <source>smoothing %1 of the symlog value, raw trace behind</source>
        <translation>对称对数值平滑 %1，后面是原始曲线</translation>
    </message>
    <message>
        <source>not smoothed</source>
        <translation>未平滑</translation>
    </message>
    <message>
        <source>, %1 NaN</source>
        <translation>，%1 个 NaN</translation>
    </message>
    <message>
        <source>, validation %1</source>
        <translation>，验证 %1</translation>
    </message>
    <message>
        <source>no steps yet</source>
        <translation>尚无步</translation>
    </message>
    <message>
        <source>clip %1</source>
        <translation>裁剪 %1</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>%1 is emulated: not a hardware speed</source>
        <translation>%1 为模拟：不是硬件速度</translation>
    </message>
    <message>
        <source>%1 and %2 are emulated: not a hardware speed</source>
        <translation>%1 和 %2 为模拟：不是硬件速度</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>run %1: %2</source>
        <translation>运行 %1：%2</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>powers of two</source>
        <translation>2 的幂</translation>
    </message>
    <message>
        <source>No run scales its loss</source>
        <translation>没有运行缩放其损失</translation>
    </message>
    <message>
        <source>Only %1 scales its loss</source>
        <translation>只有 %1 缩放其损失</translation>
    </message>
    <message>
        <source>%1 scale their loss</source>
        <translation>%1 缩放其损失</translation>
    </message>
    <message>
        <source>loss is not scaled</source>
        <translation>损失不缩放</translation>
    </message>
    <message>
        <source>Skipped steps</source>
        <translation>跳过的步</translation>
    </message>
    <message>
        <source>%1 so far</source>
        <translation>至今 %1</translation>
    </message>
    <message>
        <source>a tick per skip, running total below</source>
        <translation>每次跳过一道刻线，下方为累计</translation>
    </message>
    <message>
        <source>no step skipped</source>
        <translation>没有跳过的步</translation>
    </message>
    <message>
        <source>%1 skipped, the last at step %2</source>
        <translation>跳过 %1 步，最后是第 %2 步</translation>
    </message>
    <message>
        <source>%1, weight gradient</source>
        <translation>%1，权重梯度</translation>
    </message>
    <message>
        <source>%1, input gradient</source>
        <translation>%1，输入梯度</translation>
    </message>
    <message>
        <source>%1, bias gradient</source>
        <translation>%1，偏置梯度</translation>
    </message>
    <message>
        <source>, no NaN</source>
        <translation>，无 NaN</translation>
    </message>
    <message>
        <source>, %1 Inf</source>
        <translation>，%1 个 Inf</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>缩放因子</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>masters</source>
        <translation>主权重</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>%1, %2 runs, %3</source>
        <translation>%1，%2 个运行，%3</translation>
    </message>
    <message>
        <source>scale %1, %2 skips in the last %3 steps</source>
        <translation>缩放因子 %1，最近 %3 步跳过 %2 步</translation>
    </message>
    <message>
        <source>to nearest, ties away from 0</source>
        <translation>舍入到最近，居中时远离 0</translation>
    </message>
    <message>
        <source>toward 0</source>
        <translation>向 0 舍入</translation>
    </message>
    <message>
        <source>stochastic</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>to nearest, ties to even</source>
        <translation>舍入到最近，居中时取偶</translation>
    </message>
    <message>
        <source>NaN is on no line. %1 makes of it: %2.</source>
        <translation>NaN 不在任何数轴上。%1 将其变为：%2。</translation>
    </message>
    <message>
        <source>%1 is beyond the ends of the line. %2 makes of it: %3.</source>
        <translation>%1 超出数轴两端。%2 将其变为：%3。</translation>
    </message>
    <message>
        <source>it becomes %2, rounded %1</source>
        <translation>它变为 %2，%1</translation>
    </message>
    <message>
        <source>%1 is a number of %2.</source>
        <translation>%1 是 %2 中的数。</translation>
    </message>
    <message>
        <source>%1 is beyond %2; %3.</source>
        <translation>%1 超出 %2 的范围；%3。</translation>
    </message>
    <message>
        <source>, and %1 does not have %2</source>
        <translation>，而 %1 没有 %2</translation>
    </message>
    <message>
        <source>A tie: %1 is exactly halfway between %2 and %3%4; %5.</source>
        <translation>平局：%1 恰在 %2 与 %3%4 正中；%5。</translation>
    </message>
    <message>
        <source>%1 goes up to %2 in %3 % of all draws, else down to %4%5; in this draw it becomes %6.</source>
        <translation>%1 在 %3 % 的抽取中向上到 %2，否则向下到 %4%5；这次抽取中变为 %6。</translation>
    </message>
    <message>
        <source>%1 lies %2 % of the way from %3 to %4%5; %6.</source>
        <translation>%1 位于 %3 到 %4%5 之间的 %2 % 处；%6。</translation>
    </message>
    <message>
        <source>Taken as the nearest FP32 number, %1: every format is a rounding of FP32.</source>
        <translation>取最近的 FP32 数 %1：每种格式都是 FP32 的舍入。</translation>
    </message>
    <message>
        <source>normal, mean 0</source>
        <translation>正态，均值 0</translation>
    </message>
    <message>
        <source>uniform, 0 to 1</source>
        <translation>均匀，0 到 1</translation>
    </message>
    <message>
        <source>one large, many small</source>
        <translation>一大多小</translation>
    </message>
    <message>
        <source>alternating signs</source>
        <translation>正负交替</translation>
    </message>
    <message>
        <source>%1, rounded stochastically</source>
        <translation>%1，随机舍入</translation>
    </message>
    <message>
        <source>%1, chunks of %2</source>
        <translation>%1，每 %2 个一块</translation>
    </message>
    <message>
        <source>%1, pairwise</source>
        <translation>%1，两两相加</translation>
    </message>
    <message>
        <source>%1, Kahan</source>
        <translation>%1，Kahan</translation>
    </message>
    <message>
        <source>%1, FP32 every %2</source>
        <translation>%1，每 %2 个转 FP32</translation>
    </message>
    <message>
        <source>Each product is added to the sum, and the sum rounded to FP32.</source>
        <translation>每个乘积加到和上，和舍入到 FP32。</translation>
    </message>
    <message>
        <source>Each sum is rounded up with the probability of its fraction: what one addition loses, others make up for on average.</source>
        <translation>每个和按其小数部分的概率向上舍入：一次加法失去的，平均而言由其他次补回。</translation>
    </message>
    <message>
        <source>Each product is added to the sum, and the sum rounded. Once a product is less than half the gap at the sum, nothing changes any more.</source>
        <translation>每个乘积加到和上，和再舍入。一旦乘积小于和处间距的一半，便不再有任何变化。</translation>
    </message>
    <message>
        <source>Each chunk has a sum of its own, which stays small; the chunks&apos; sums are added at the end, in the same format.</source>
        <translation>每块有自己的和，保持较小；最后以同一格式把各块的和相加。</translation>
    </message>
    <message>
        <source>Halves of halves: what is added is of like size, and each product goes through few roundings.</source>
        <translation>一半再一半：相加的数大小相近，每个乘积经过的舍入很少。</translation>
    </message>
    <message>
        <source>A second number of the format carries what the sum has lost, and gives it back with the next product.</source>
        <translation>该格式的第二个数记下和所失去的部分，并在下一个乘积时补回。</translation>
    </message>
    <message>
        <source>A few products at a time are cut to the scale of the largest, added exactly, and cut again. Errors are in ulp of the sum&apos;s own format.</source>
        <translation>每次取几个乘积，截断到最大者的尺度，精确相加，再次截断。误差以和自身格式的 ulp 计。</translation>
    </message>
    <message>
        <source>After each chunk the sum moves to FP32, and begins at 0 again.</source>
        <translation>每块之后和转入 FP32，再从 0 开始。</translation>
    </message>
    <message>
        <source>%1: the sum of %2 products is %3; the exact value is %4.</source>
        <translation>%1：%2 个乘积之和为 %3；精确值为 %4。</translation>
    </message>
    <message>
        <source>%1: the sum of %2 products is exact, %3.</source>
        <translation>%1：%2 个乘积之和精确，为 %3。</translation>
    </message>
    <message>
        <source>%1: %2 products give %3; the exact value is %4. That is %5 ulp of %6 off.</source>
        <translation>%1：%2 个乘积得 %3；精确值为 %4。相差 %6 的 %5 ulp。</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>--screenshot takes a file that ends in .png, not &apos;%1&apos;</source>
        <translation>--screenshot 需要以 .png 结尾的文件，而不是“%1”</translation>
    </message>
    <message>
        <source>--screenshot: there is no folder %1</source>
        <translation>--screenshot：没有文件夹 %1</translation>
    </message>
    <message>
        <source>--screenshot: %1 cannot be written</source>
        <translation>--screenshot：无法写入 %1</translation>
    </message>
    <message>
        <source>--after-steps takes a number of steps from 0 to %1, not &apos;%2&apos;</source>
        <translation>--after-steps 需要 0 到 %1 的步数，而不是“%2”</translation>
    </message>
    <message>
        <source>--after-steps goes with --screenshot</source>
        <translation>--after-steps 须与 --screenshot 一起使用</translation>
    </message>
    <message>
        <source>--size is WIDTHxHEIGHT, from %1x%2 to %3x%4, not &apos;%5&apos;</source>
        <translation>--size 是 WIDTHxHEIGHT，从 %1x%2 到 %3x%4，而不是“%5”</translation>
    </message>
    <message>
        <source>--layout is explore, diagnose or present, not &apos;%1&apos;</source>
        <translation>--layout 是 explore、diagnose 或 present，而不是“%1”</translation>
    </message>
    <message>
        <source>there is no recording %1</source>
        <translation>没有记录 %1</translation>
    </message>
    <message>
        <source>run %1, hidden</source>
        <translation>运行 %1，已隐藏</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>What is 0 or less has no place on it.</source>
        <translation>不大于 0 的值在其上无处可放。</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>线性</translation>
    </message>
    <message>
        <source>Values of 0 or less are hidden, and counted.</source>
        <translation>不大于 0 的值会隐藏并计数。</translation>
    </message>
    <message>
        <source>Symlog</source>
        <translation>对称对数</translation>
    </message>
    <message>
        <source>Linear about 0, logarithmic beyond on both sides.</source>
        <translation>0 附近线性，两侧之外为对数。</translation>
    </message>
    <message>
        <source>Robust range</source>
        <translation>稳健范围</translation>
    </message>
    <message>
        <source>A few outliers that would squash the rest are left outside, and marked.</source>
        <translation>会压扁其余部分的少数离群值留在外面，并加标记。</translation>
    </message>
    <message>
        <source>Fit everything</source>
        <translation>适配全部</translation>
    </message>
    <message>
        <source>Outliers too, however much they squash the rest.</source>
        <translation>离群值也包括在内，不管它们把其余部分压得多扁。</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Fit this plot</source>
        <translation>适配此图</translation>
    </message>
    <message>
        <source>Unlink its x axis</source>
        <translation>解除其 x 轴的关联</translation>
    </message>
    <message>
        <source>Share the x axis again</source>
        <translation>重新共用 x 轴</translation>
    </message>
    <message>
        <source>Smoothing, from none to 0.999</source>
        <translation>平滑，从无到 0.999</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
    <message>
        <source>note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>loss scale grew from %1 to %2</source>
        <translation>损失缩放因子从 %1 增长到 %2</translation>
    </message>
    <message>
        <source>loss scale grew %1 times, from %2 to %3, the last at step %4</source>
        <translation>损失缩放因子增长 %1 次，从 %2 到 %3，最后一次在第 %4 步</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>fork</source>
        <translation>分叉</translation>
    </message>
    <message>
        <source>skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>非有限</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>above the axis</source>
        <translation>高于坐标轴</translation>
    </message>
    <message>
        <source>below the axis</source>
        <translation>低于坐标轴</translation>
    </message>
    <message>
        <source>symlog, linear within ±%1</source>
        <translation>对称对数，±%1 内为线性</translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation>超过 %1</translation>
    </message>
    <message>
        <source>%1 points above and %2 below, clipped</source>
        <translation>上方 %1 个点、下方 %2 个点，已截去</translation>
    </message>
    <message>
        <source>1 point above, clipped</source>
        <translation>上方 1 个点，已截去</translation>
    </message>
    <message>
        <source>1 point below, clipped</source>
        <translation>下方 1 个点，已截去</translation>
    </message>
    <message>
        <source>%1 points above, clipped</source>
        <translation>上方 %1 个点，已截去</translation>
    </message>
    <message>
        <source>%1 points below, clipped</source>
        <translation>下方 %1 个点，已截去</translation>
    </message>
    <message>
        <source>1 value ≤ 0 hidden</source>
        <translation>1 个 ≤ 0 的值已隐藏</translation>
    </message>
    <message>
        <source>%1 values ≤ 0 hidden</source>
        <translation>%1 个 ≤ 0 的值已隐藏</translation>
    </message>
    <message>
        <source>global, unscaled, before clipping</source>
        <translation>全局、已反缩放、裁剪前</translation>
    </message>
    <message>
        <source>own x axis</source>
        <translation>独立 x 轴</translation>
    </message>
    <message>
        <source>No run that is shown scales its loss</source>
        <translation>显示的运行都不缩放其损失</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>wall time</source>
        <translation>总用时</translation>
    </message>
    <message>
        <source>training time</source>
        <translation>训练用时</translation>
    </message>
    <message>
        <source>The number of the step, from 0.</source>
        <translation>步的编号，从 0 起。</translation>
    </message>
    <message>
        <source>Samples that the run has used up, that step&apos;s included.</source>
        <translation>运行已用掉的样本数，含该步的样本。</translation>
    </message>
    <message>
        <source>Samples used up by the number of training samples.</source>
        <translation>已用掉的样本数除以训练样本数。</translation>
    </message>
    <message>
        <source>Seconds since training began, whichever run had its turn; pauses do not count.</source>
        <translation>自训练开始以来的秒数，无论轮到哪个运行；暂停不计。</translation>
    </message>
    <message>
        <source>Seconds of its steps alone, without validation.</source>
        <translation>仅各步的秒数，不含验证。</translation>
    </message>
    <message>
        <source>%1, log</source>
        <translation>%1，对数</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 天</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>layout change</source>
        <translation>布局更改</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Blue, disc</source>
        <translation>蓝色，圆点</translation>
    </message>
    <message>
        <source>Vermilion, square</source>
        <translation>朱红，方块</translation>
    </message>
    <message>
        <source>Green, plus</source>
        <translation>绿色，加号</translation>
    </message>
    <message>
        <source>Purple, ring</source>
        <translation>紫色，圆环</translation>
    </message>
    <message>
        <source>Amber, open square</source>
        <translation>琥珀色，空心方块</translation>
    </message>
    <message>
        <source>Sky blue, star</source>
        <translation>天蓝，星形</translation>
    </message>
    <message>
        <source>%1, as now</source>
        <translation>%1，当前</translation>
    </message>
    <message>
        <source>%1, swapped with %2</source>
        <translation>%1，与 %2 互换</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>stored state</source>
        <translation>已存状态</translation>
    </message>
    <message>
        <source>the runs share the device by turns</source>
        <translation>各运行轮流使用设备</translation>
    </message>
    <message>
        <source>%1 Loss at the end: %2, in validation %3 (%4&#x202f;% right).</source>
        <translation>%1 最终损失：%2，验证损失 %3（正确率 %4&#x202f;%）。</translation>
    </message>
    <message>
        <source>%1 Loss at the end: %2, in validation %3.</source>
        <translation>%1 最终损失：%2，验证损失 %3。</translation>
    </message>
    <message>
        <source>%1 Loss at the end: %2.</source>
        <translation>%1 最终损失：%2。</translation>
    </message>
    <message>
        <source>micro-batch %1 of %2</source>
        <translation>微批 %1（共 %2 个）</translation>
    </message>
    <message>
        <source>the text from token %1 on</source>
        <translation>从第 %1 个词元开始的文本</translation>
    </message>
    <message>
        <source>row %1 of the data set</source>
        <translation>数据集第 %1 行</translation>
    </message>
    <message>
        <source>from</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>In FP32: %1 of the arithmetic, %2 of the memory traffic.</source>
        <translation>FP32：占计算量的 %1，占访存量的 %2。</translation>
    </message>
    <message>
        <source>What is wrong with my training?</source>
        <translation>我的训练出了什么问题？</translation>
    </message>
    <message>
        <source>not finite since step %1</source>
        <translation>自第 %1 步起不再有限</translation>
    </message>
    <message>
        <source>the loss of step %1 is not finite</source>
        <translation>第 %1 步的损失不是有限值</translation>
    </message>
    <message>
        <source>the loss was %1 and is %2</source>
        <translation>损失原为 %1，现为 %2</translation>
    </message>
    <message>
        <source>the loss is %1, and that of %2 is %3</source>
        <translation>损失为 %1，而 %2 的损失为 %3</translation>
    </message>
    <message>
        <source>%1 of %2 steps skipped</source>
        <translation>%2 步中跳过了 %1 步</translation>
    </message>
    <message>
        <source>the loss scale is %1</source>
        <translation>损失缩放因子为 %1</translation>
    </message>
    <message>
        <source>%1 of %2 clean steps to a growth, and %3 steps are left</source>
        <translation>距离增长需 %2 个干净步，已有 %1 个，还剩 %3 步</translation>
    </message>
    <message>
        <source>%1 samples/s, %2 has %3; the format is emulated here</source>
        <translation>%1 样本/秒，%2 为 %3；该格式在此为模拟</translation>
    </message>
    <message>
        <source>%1 samples/s, %2 has %3</source>
        <translation>%1 样本/秒，%2 为 %3</translation>
    </message>
    <message>
        <source>%1, %2 has %3</source>
        <translation>%1，%2 为 %3</translation>
    </message>
    <message>
        <source>running statistics are not finite</source>
        <translation>运行统计量不是有限值</translation>
    </message>
    <message>
        <source>the latest validation is not finite, and training is</source>
        <translation>最近一次验证不是有限值，而训练是</translation>
    </message>
    <message>
        <source>%1 exceeds the range of FP16 at step %2</source>
        <translation>%1 在第 %2 步超出 FP16</translation>
    </message>
    <message>
        <source>the gradient norm is %1, and the bound %2</source>
        <translation>梯度范数为 %1，上限为 %2</translation>
    </message>
    <message>
        <source>Silent failure</source>
        <translation>无声失败</translation>
    </message>
    <message>
        <source>Waiting for an earlier question</source>
        <translation>正在等待先前的问题</translation>
    </message>
    <message>
        <source>Going back to the step: %1 of %2 steps</source>
        <translation>正在回到该步：%2 步中的第 %1 步</translation>
    </message>
    <message>
        <source>Going back to the step</source>
        <translation>正在回到该步</translation>
    </message>
    <message>
        <source>Repeating the step in other ways</source>
        <translation>正在以其他方式重复该步</translation>
    </message>
    <message>
        <source>Comparing the step with FP32</source>
        <translation>正在与 FP32 比较该步</translation>
    </message>
    <message>
        <source>Searching for the layers that need FP32</source>
        <translation>正在查找需要 FP32 的层</translation>
    </message>
    <message>
        <source>Trying: %1, %2 of %3 steps</source>
        <translation>正在试：%1，%3 步中的第 %2 步</translation>
    </message>
    <message>
        <source>Trying: %1</source>
        <translation>正在试：%1</translation>
    </message>
    <message>
        <source>Measuring: %1 of %2 steps</source>
        <translation>正在测量：%2 步中的第 %1 步</translation>
    </message>
    <message>
        <source>%1, sequential</source>
        <translation>%1，顺序</translation>
    </message>
    <message>
        <source>Rewind to step %1</source>
        <translation>回退到第 %1 步</translation>
    </message>
    <message>
        <source>Rewind %1 to step %2</source>
        <translation>将 %1 回退到第 %2 步</translation>
    </message>
    <message>
        <source>health is shown after the answer</source>
        <translation>答案之后显示状态</translation>
    </message>
    <message>
        <source>Skips and non-finite values are shown after the answer.</source>
        <translation>跳过的步和非有限值在答案之后显示。</translation>
    </message>
    <message>
        <source>above each plot, in the colour of the run</source>
        <translation>位于各图上方，颜色同运行</translation>
    </message>
    <message>
        <source>validation loss</source>
        <translation>验证损失</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Loss scaler</source>
        <translation>损失缩放器</translation>
    </message>
    <message>
        <source>Mistakes</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Eight bits and fewer</source>
        <translation>八位及以下</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>format, its loss</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Final loss: %1</source>
        <translation>最终损失：%1</translation>
    </message>
    <message>
        <source>Catching up: step %1 of %2.</source>
        <translation>正在追赶：第 %1 步，共 %2 步。</translation>
    </message>
    <message>
        <source>Hide this plot</source>
        <translation>隐藏此图</translation>
    </message>
    <message>
        <source>The usual plots</source>
        <translation>常用图</translation>
    </message>
    <message>
        <source>Validation accuracy</source>
        <translation>验证准确率</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Zero gradients</source>
        <translation>零梯度</translation>
    </message>
    <message>
        <source>% of weight gradients, those flushed to 0 among them</source>
        <translation>占权重梯度的百分比，包括被冲刷为 0 的</translation>
    </message>
    <message>
        <source>Subnormal gradients</source>
        <translation>次正规梯度</translation>
    </message>
    <message>
        <source>% of activation gradients other than 0</source>
        <translation>占非零激活梯度的百分比</translation>
    </message>
    <message>
        <source>Inf and NaN</source>
        <translation>Inf 和 NaN</translation>
    </message>
    <message>
        <source>% of activations and gradients</source>
        <translation>占激活与梯度的百分比</translation>
    </message>
    <message>
        <source>Lost updates</source>
        <translation>丢失的更新</translation>
    </message>
    <message>
        <source>% of updates that leave their weight: w + dw = w</source>
        <translation>未改变权重的更新所占百分比：w + dw = w</translation>
    </message>
    <message>
        <source>Unchanged weights</source>
        <translation>未改变的权重</translation>
    </message>
    <message>
        <source>% of weights that a step does not change</source>
        <translation>一步之后未改变的权重所占百分比</translation>
    </message>
    <message>
        <source>from a file</source>
        <translation>来自文件</translation>
    </message>
    <message>
        <source>no value yet</source>
        <translation>还没有值</translation>
    </message>
    <message>
        <source>%1&#x202f;%</source>
        <translation>%1&#x202f;%</translation>
    </message>
    <message>
        <source>not measured: see Measure tensors in Diagnose</source>
        <translation>未测量：见诊断中的测量张量</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>its file is followed while it grows</source>
        <translation>文件增长时持续跟踪</translation>
    </message>
    <message>
        <source>its process has gone without a word</source>
        <translation>其进程已无声消失</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>%1 messages dropped</source>
        <translation>丢弃了 %1 条消息</translation>
    </message>
    <message>
        <source>rank %1 of %2</source>
        <translation>第 %1 个 rank，共 %2 个</translation>
    </message>
    <message>
        <source>Tensors are counted when the probe is asked for them.</source>
        <translation>仅在向探针询问时才统计张量。</translation>
    </message>
    <message>
        <source>Tensors are counted in every step that is a multiple of %1.</source>
        <translation>在步数为 %1 的倍数的每一步统计张量。</translation>
    </message>
    <message>
        <source>Tensors are counted in every step.</source>
        <translation>在每一步统计张量。</translation>
    </message>
    <message>
        <source>elements</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>%1 of %2 are not finite</source>
        <translation>%2 个中有 %1 个非有限</translation>
    </message>
    <message>
        <source>nothing new is read</source>
        <translation>不再读取新内容</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>%1 with the loss scale</source>
        <translation>%1（含损失缩放）</translation>
    </message>
    <message>
        <source>%1, rounded to %2 and kept in %3</source>
        <translation>%1，舍入为 %2 并以 %3 保存</translation>
    </message>
    <message>
        <source>%1: it fits, but an intermediate value overflows</source>
        <translation>%1：它放得下，但一个中间值溢出</translation>
    </message>
    <message>
        <source>Mean loss of the last %1 steps: %2.</source>
        <translation>最后 %1 步的平均损失：%2。</translation>
    </message>
    <message>
        <source>and %1 more runs</source>
        <translation>另有 %1 次运行</translation>
    </message>
    <message>
        <source>No tensor of this run was measured yet. Choose “sampled” or “each step” under Measure tensors, and train a few steps.</source>
        <translation>此运行尚未测量过张量。请在“测量张量”下选择“抽样”或“每步”，再训练几步。</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>Calibrating</source>
        <translation>校准中</translation>
    </message>
    <message>
        <source>Collapsing</source>
        <translation>崩溃中</translation>
    </message>
    <message>
        <source>Dead</source>
        <translation>失效</translation>
    </message>
    <message>
        <source>Finite</source>
        <translation>有限</translation>
    </message>
    <message>
        <source>Finite again</source>
        <translation>恢复有限</translation>
    </message>
    <message>
        <source>Fixed scale</source>
        <translation>固定因子</translation>
    </message>
    <message>
        <source>Hitting a spike</source>
        <translation>遇到尖峰</translation>
    </message>
    <message>
        <source>Not finite</source>
        <translation>非有限</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>未开始</translation>
    </message>
    <message>
        <source>Probing</source>
        <translation>试探中</translation>
    </message>
    <message>
        <source>Skip storm</source>
        <translation>连续跳过</translation>
    </message>
    <message>
        <source>Steady</source>
        <translation>稳定</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>No step yet.</source>
        <translation>尚无步。</translation>
    </message>
    <message>
        <source>Not a scale problem.</source>
        <translation>不是缩放因子的问题。</translation>
    </message>
    <message>
        <source>Not finite, and nothing skips such a step.</source>
        <translation>非有限，且没有什么会跳过这样的步。</translation>
    </message>
    <message>
        <source>Not finite since step %1, and nothing skips such a step.</source>
        <translation>非有限：自第 %1 步起，且没有什么会跳过这样的步。</translation>
    </message>
    <message>
        <source>Finite now, but step %1 was not, and was not skipped.</source>
        <translation>现在有限，但第 %1 步不是，也未被跳过。</translation>
    </message>
    <message>
        <source>%1 skip in a row.</source>
        <translation>连续跳过 %1 步。</translation>
    </message>
    <message>
        <source>%1 skips in a row.</source>
        <translation>连续跳过 %1 步。</translation>
    </message>
    <message>
        <source>%1 skip so far.</source>
        <translation>至今跳过 %1 步。</translation>
    </message>
    <message>
        <source>%1 skips so far.</source>
        <translation>至今跳过 %1 步。</translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skip in a row.</source>
        <translation>正在寻找可用的缩放因子：连续跳过 %1 步。</translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skips in a row.</source>
        <translation>正在寻找可用的缩放因子：连续跳过 %1 步。</translation>
    </message>
    <message>
        <source>The scale is fixed: every such step is lost.</source>
        <translation>缩放因子固定：每个这样的步都丢失了。</translation>
    </message>
    <message>
        <source>%1 skips in a row up to step %2, and the scale has not grown since.</source>
        <translation>到第 %2 步连续跳过了 %1 步，此后缩放因子没有再增大。</translation>
    </message>
    <message>
        <source>Step %1 had larger gradients than the scale allows.</source>
        <translation>第 %1 步的梯度超出缩放因子所允许的范围。</translation>
    </message>
    <message>
        <source>The scale follows the largest gradients.</source>
        <translation>缩放因子跟随最大的梯度。</translation>
    </message>
    <message>
        <source>%1 of %2 clean steps to the next growth.</source>
        <translation>距下次增长：%2 步中已有 %1 步正常。</translation>
    </message>
    <message>
        <source>The weights were broken before this step.</source>
        <translation>此步之前权重就已损坏。</translation>
    </message>
    <message>
        <source>Gradients of an earlier step are still there, and not finite.</source>
        <translation>更早一步的梯度仍在，且非有限。</translation>
    </message>
    <message>
        <source>The data are not finite.</source>
        <translation>数据非有限。</translation>
    </message>
    <message>
        <source>The update itself made a NaN.</source>
        <translation>更新本身产生了 NaN。</translation>
    </message>
    <message>
        <source>The update left the format.</source>
        <translation>更新超出了格式的范围。</translation>
    </message>
    <message>
        <source>Nothing is wrong with this step.</source>
        <translation>此步没有问题。</translation>
    </message>
    <message>
        <source>Everything is finite when it is repeated.</source>
        <translation>重复时一切有限。</translation>
    </message>
    <message>
        <source>Not searched to the end.</source>
        <translation>未搜索到底。</translation>
    </message>
    <message>
        <source>The arithmetic makes a NaN.</source>
        <translation>计算本身产生 NaN。</translation>
    </message>
    <message>
        <source>It overflows in FP32 as well.</source>
        <translation>在 FP32 中也会上溢。</translation>
    </message>
    <message>
        <source>The forward pass overflows.</source>
        <translation>前向传播上溢。</translation>
    </message>
    <message>
        <source>The loss scale was too high.</source>
        <translation>损失缩放因子过大。</translation>
    </message>
    <message>
        <source>No loss scale can help.</source>
        <translation>任何损失缩放因子都无济于事。</translation>
    </message>
    <message>
        <source>Its tensors and gradients are all finite.</source>
        <translation>其张量和梯度全部有限。</translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: what is read is not finite.</source>
        <translation>换损失缩放因子或格式都无济于事：读到的就非有限。</translation>
    </message>
    <message>
        <source>Neither another loss scale nor FP32 would help.</source>
        <translation>换损失缩放因子或用 FP32 都无济于事。</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>as heads</source>
        <translation>同头数</translation>
    </message>
    <message>
        <source>as it trains</source>
        <translation>同训练</translation>
    </message>
    <message>
        <source>as the precision needs</source>
        <translation>按精度所需</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>attention mask</source>
        <translation>注意力掩码</translation>
    </message>
    <message>
        <source>backoff factor</source>
        <translation>回退因子</translation>
    </message>
    <message>
        <source>base of the rotary angles</source>
        <translation>旋转角的底数</translation>
    </message>
    <message>
        <source>batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>betas</source>
        <translation>beta</translation>
    </message>
    <message>
        <source>bias</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>by steps</source>
        <translation>按步数</translation>
    </message>
    <message>
        <source>channels</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>code</source>
        <translation>编码宽度</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>dampening</source>
        <translation>阻尼</translation>
    </message>
    <message>
        <source>data path</source>
        <translation>数据路径</translation>
    </message>
    <message>
        <source>data set</source>
        <translation>数据集</translation>
    </message>
    <message>
        <source>degrees of freedom</source>
        <translation>自由度</translation>
    </message>
    <message>
        <source>drawn from the seed</source>
        <translation>由种子抽取</translation>
    </message>
    <message>
        <source>dropout</source>
        <translation>dropout</translation>
    </message>
    <message>
        <source>each</source>
        <translation>每</translation>
    </message>
    <message>
        <source>epochs between validations</source>
        <translation>验证间隔轮数</translation>
    </message>
    <message>
        <source>eps</source>
        <translation>eps</translation>
    </message>
    <message>
        <source>epsilon of norms</source>
        <translation>归一化的 epsilon</translation>
    </message>
    <message>
        <source>falls to 0 at</source>
        <translation>降到 0 于</translation>
    </message>
    <message>
        <source>features</source>
        <translation>特征数</translation>
    </message>
    <message>
        <source>gradient checkpointing</source>
        <translation>梯度检查点</translation>
    </message>
    <message>
        <source>growth factor</source>
        <translation>增长因子</translation>
    </message>
    <message>
        <source>growth interval</source>
        <translation>增长间隔</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>heads of keys</source>
        <translation>键的头数</translation>
    </message>
    <message>
        <source>hidden layers</source>
        <translation>隐藏层</translation>
    </message>
    <message>
        <source>hysteresis</source>
        <translation>迟滞</translation>
    </message>
    <message>
        <source>image height</source>
        <translation>图像高度</translation>
    </message>
    <message>
        <source>image width</source>
        <translation>图像宽度</translation>
    </message>
    <message>
        <source>initial scale</source>
        <translation>初始缩放因子</translation>
    </message>
    <message>
        <source>initial weights</source>
        <translation>初始权重</translation>
    </message>
    <message>
        <source>inner channels</source>
        <translation>内部通道</translation>
    </message>
    <message>
        <source>label smoothing</source>
        <translation>标签平滑</translation>
    </message>
    <message>
        <source>largest scale</source>
        <translation>最大缩放因子</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>loss scaler</source>
        <translation>损失缩放器</translation>
    </message>
    <message>
        <source>lr</source>
        <translation>lr</translation>
    </message>
    <message>
        <source>micro-batches</source>
        <translation>微批数</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>nesterov</source>
        <translation>nesterov</translation>
    </message>
    <message>
        <source>noise</source>
        <translation>噪声</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>score scale</source>
        <translation>得分缩放</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>smallest scale</source>
        <translation>最小缩放因子</translation>
    </message>
    <message>
        <source>softmax</source>
        <translation>softmax</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>text sample</source>
        <translation>文本样例</translation>
    </message>
    <message>
        <source>the original&apos;s</source>
        <translation>与原模型相同</translation>
    </message>
    <message>
        <source>the preset&apos;s</source>
        <translation>预设的值</translation>
    </message>
    <message>
        <source>tied head</source>
        <translation>共享输出头</translation>
    </message>
    <message>
        <source>times</source>
        <translation>乘以</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>validation interval</source>
        <translation>验证间隔</translation>
    </message>
    <message>
        <source>validation precision</source>
        <translation>验证精度</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>warm-up steps</source>
        <translation>预热步数</translation>
    </message>
    <message>
        <source>weight decay</source>
        <translation>权重衰减</translation>
    </message>
    <message>
        <source>growth</source>
        <translation>增长</translation>
    </message>
    <message>
        <source>backoff</source>
        <translation>回退</translation>
    </message>
    <message>
        <source>interval</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>scaler</source>
        <translation>缩放器</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>正规</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>次正规</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>零</translation>
    </message>
    <message>
        <source>clipped while scaled</source>
        <translation>缩放时裁剪</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>保持不变</translation>
    </message>
    <message>
        <source>fused softmax</source>
        <translation>融合 softmax</translation>
    </message>
    <message>
        <source>fused kernels</source>
        <translation>融合内核</translation>
    </message>
    <message>
        <source>logits of the loss</source>
        <translation>损失的 logits</translation>
    </message>
    <message>
        <source>An overflow stays in gradients that are not set to zero.</source>
        <translation>溢出留在了未清零的梯度中。</translation>
    </message>
    <message>
        <source>Running statistics are not finite.</source>
        <translation>运行统计量不是有限值。</translation>
    </message>
    <message>
        <source>Training diverges.</source>
        <translation>训练发散。</translation>
    </message>
    <message>
        <source>Neither the format nor the loss scale is the cause.</source>
        <translation>格式和损失缩放因子都不是原因。</translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: statistics that are not finite stay so.</source>
        <translation>换损失缩放因子或格式无济于事：非有限的统计量不会恢复。</translation>
    </message>
    <message>
        <source>Set gradients to zero</source>
        <translation>将梯度清零</translation>
    </message>
    <message>
        <source>Skip such steps</source>
        <translation>跳过这类步骤</translation>
    </message>
    <message>
        <source>A dynamic loss scaler</source>
        <translation>动态损失缩放器</translation>
    </message>
    <message>
        <source>The scaler&apos;s defaults</source>
        <translation>缩放器的默认设置</translation>
    </message>
    <message>
        <source>No clipping</source>
        <translation>不裁剪</translation>
    </message>
    <message>
        <source>Unscale before clipping</source>
        <translation>裁剪前先取消缩放</translation>
    </message>
    <message>
        <source>Switch to BF16</source>
        <translation>切换到 BF16</translation>
    </message>
    <message>
        <source>Switch to FP32</source>
        <translation>切换到 FP32</translation>
    </message>
    <message>
        <source>Running statistics are out of all bounds.</source>
        <translation>运行统计量超出一切界限。</translation>
    </message>
    <message>
        <source>A weight is far too large.</source>
        <translation>有一个权重过大。</translation>
    </message>
    <message>
        <source>Gradients are not set to zero.</source>
        <translation>梯度没有清零。</translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: statistics recover slowly, by a tenth a step.</source>
        <translation>换用其他损失缩放值或格式无济于事：统计量恢复缓慢，每步十分之一。</translation>
    </message>
    <message>
        <source>scale too low</source>
        <translation>缩放值过小</translation>
    </message>
    <message>
        <source>norm overflow</source>
        <translation>范数溢出</translation>
    </message>
    <message>
        <source>Reset the running statistics</source>
        <translation>重置运行统计量</translation>
    </message>
    <message>
        <source>Validate as it trains</source>
        <translation>按训练格式验证</translation>
    </message>
    <message>
        <source>No loss scaler</source>
        <translation>不使用损失缩放器</translation>
    </message>
    <message>
        <source>There is not enough memory.</source>
        <translation>内存不足。</translation>
    </message>
    <message>
        <source>The weights were not finite when they were loaded.</source>
        <translation>权重在加载时就不是有限值。</translation>
    </message>
    <message>
        <source>The loss scale is too small.</source>
        <translation>损失缩放因子过小。</translation>
    </message>
    <message>
        <source>The gradient norm overflows.</source>
        <translation>梯度范数溢出。</translation>
    </message>
    <message>
        <source>Finite, but running statistics are not</source>
        <translation>数值有限，但运行统计量不是</translation>
    </message>
    <message>
        <source>Finite, but weights are not</source>
        <translation>数值有限，但权重不是</translation>
    </message>
    <message>
        <source>Finite, but scaled gradients are clipped</source>
        <translation>数值有限，但被裁剪的是缩放后的梯度</translation>
    </message>
    <message>
        <source>Finite, but weights do not move</source>
        <translation>数值有限，但权重不动</translation>
    </message>
    <message>
        <source>Finite, but updates are lost</source>
        <translation>数值有限，但更新丢失</translation>
    </message>
    <message>
        <source>Finite, but validation is not</source>
        <translation>数值有限，但验证不是</translation>
    </message>
    <message>
        <source>The loss of the latest validation is not finite.</source>
        <translation>最近一次验证的损失不是有限值。</translation>
    </message>
    <message>
        <source>scale too high</source>
        <translation>缩放因子过大</translation>
    </message>
    <message>
        <source>forward overflow</source>
        <translation>前向溢出</translation>
    </message>
    <message>
        <source>bad data</source>
        <translation>数据有问题</translation>
    </message>
    <message>
        <source>bad weights</source>
        <translation>权重有问题</translation>
    </message>
    <message>
        <source>arithmetic NaN</source>
        <translation>运算产生 NaN</translation>
    </message>
    <message>
        <source>unexplained</source>
        <translation>原因不明</translation>
    </message>
    <message>
        <source>divergence</source>
        <translation>发散</translation>
    </message>
    <message>
        <source>kept gradients</source>
        <translation>保留的梯度</translation>
    </message>
    <message>
        <source>silent failure</source>
        <translation>无声失败</translation>
    </message>
    <message>
        <source>bad statistics</source>
        <translation>统计量有问题</translation>
    </message>
    <message>
        <source>8/3 of channels</source>
        <translation>通道数的 8/3</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 %2, as before</source>
        <translation>%1 %2，同之前</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 及另外 %2 个</translation>
    </message>
    <message>
        <source>%1 are not finite already, so every step from here on is lost.</source>
        <translation>%1 已经非有限，因此从这里起每一步都丢失。</translation>
    </message>
    <message>
        <source>%1 are not finite as loaded from %2, before any step. No loss scale and no format can help: load other weights.</source>
        <translation>%1 从 %2 加载时、任何一步之前就非有限。任何损失缩放因子或格式都无济于事：请加载其他权重。</translation>
    </message>
    <message>
        <source>%1 are not finite.</source>
        <translation>%1 非有限。</translation>
    </message>
    <message>
        <source>%1 are out of all bounds: negative, or beyond %2.</source>
        <translation>%1 超出一切界限：为负，或大于 %2。</translation>
    </message>
    <message>
        <source>%1 differs by %2 from FP32&apos;s</source>
        <translation>%1 与 FP32 相差 %2</translation>
    </message>
    <message>
        <source>%1 gives %2 at every loss scale that was tried but those at which all gradients are flushed to 0, and is finite in FP32.</source>
        <translation>%1 在所有试过的损失缩放因子下都得到 %2（梯度全部下溢为 0 的除外），而在 FP32 中有限。</translation>
    </message>
    <message>
        <source>%1 gives %2 at every loss scale that was tried, and is finite in FP32.</source>
        <translation>%1 在所有试过的损失缩放因子下都得到 %2，而在 FP32 中有限。</translation>
    </message>
    <message>
        <source>%1 gives %2 at this loss scale. Gradients are not set to zero before each step, so what is not finite stays in them: every step from here on is lost.</source>
        <translation>%1 在此损失缩放因子下得到 %2。每步之前梯度没有清零，因此非有限值留在其中：从这里起每一步都丢失。</translation>
    </message>
    <message>
        <source>%1 gives %2 from finite operands, and FP32 does too: it is the computation, not the format.</source>
        <translation>%1 由有限的操作数得到 %2，FP32 也是如此：是计算本身，而非格式。</translation>
    </message>
    <message>
        <source>%1 gives %2</source>
        <translation>%1 得到 %2</translation>
    </message>
    <message>
        <source>%1 gives %2, and FP32 does too: it is the computation, not the format.</source>
        <translation>%1 得到 %2，FP32 也是如此：是计算本身，而非格式。</translation>
    </message>
    <message>
        <source>%1 gives %2. The trials that would show why take long at this step, or could not be run.</source>
        <translation>%1 得到 %2。能说明原因的试验在此步耗时太长，或无法运行。</translation>
    </message>
    <message>
        <source>%1 in FP32</source>
        <translation>%1 用 FP32</translation>
    </message>
    <message>
        <source>%1 is all 0, in FP32 too</source>
        <translation>%1 全为 0，在 FP32 中也是</translation>
    </message>
    <message>
        <source>%1 is all 0, where FP32&apos;s is not</source>
        <translation>%1 全为 0，而在 FP32 中不是</translation>
    </message>
    <message>
        <source>%1 is not finite already, so every step from here on is lost.</source>
        <translation>%1 已经非有限，因此从这里起每一步都丢失。</translation>
    </message>
    <message>
        <source>%1 is not finite as loaded from %2, before any step. No loss scale and no format can help: load other weights.</source>
        <translation>%1 从 %2 加载时、任何一步之前就非有限。任何损失缩放因子或格式都无济于事：请加载其他权重。</translation>
    </message>
    <message>
        <source>%1 is not finite.</source>
        <translation>%1 非有限。</translation>
    </message>
    <message>
        <source>%1 is out of all bounds: negative, or beyond %2.</source>
        <translation>%1 超出一切界限：为负，或大于 %2。</translation>
    </message>
    <message>
        <source>%1 exceeds the range of %2 in the forward pass, before the loss scale is applied, so no loss scale can help.</source>
        <translation>%1 在前向传播中、损失缩放因子起作用之前就超出 %2 的范围，因此任何缩放因子都无济于事。</translation>
    </message>
    <message>
        <source>%1 of %2 is 0 or subnormal in the format that multiplies it</source>
        <translation>%2 的 %1 在相乘所用的格式中为 0 或次正规数</translation>
    </message>
    <message>
        <source>%1 of %2 is at the limits of the activation, where its derivative is 0</source>
        <translation>%2 的 %1 处于激活函数的极限，其导数在此为 0</translation>
    </message>
    <message>
        <source>%1 of the gradients that are not 0 in FP32 are flushed to 0</source>
        <translation>在 FP32 中不为 0 的梯度有 %1 下溢为 0</translation>
    </message>
    <message>
        <source>%1 of the next %2 steps are not finite</source>
        <translation>接下来 %2 步中有 %1 步非有限</translation>
    </message>
    <message>
        <source>%1 of the weights of %2 that FP32 would move do not change: the updates are lost in the format that keeps the weights</source>
        <translation>%2 中 FP32 会改变的权重有 %1 没有变化：更新在保存权重的格式中丢失</translation>
    </message>
    <message>
        <source>%1 of the weights that FP32 would move do not change: the updates are lost in the format that keeps the weights</source>
        <translation>FP32 会改变的权重有 %1 没有变化：更新在保存权重的格式中丢失</translation>
    </message>
    <message>
        <source>%1 skip %2.</source>
        <translation>%2跳过 %1 步。</translation>
    </message>
    <message>
        <source>%1 skip</source>
        <translation>跳过 %1 步</translation>
    </message>
    <message>
        <source>%1 skips %2.</source>
        <translation>%2跳过 %1 步。</translation>
    </message>
    <message>
        <source>%1 steps in a row were skipped, although the loss scale is already below 1: the scale is probably not the cause.</source>
        <translation>连续跳过了 %1 步，而缩放因子已低于 1：原因多半不在缩放因子。</translation>
    </message>
    <message>
        <source>%1 skips</source>
        <translation>跳过 %1 步</translation>
    </message>
    <message>
        <source>%1 step with a non-finite value %2.</source>
        <translation>%2有 %1 步含非有限值。</translation>
    </message>
    <message>
        <source>%1 steps with a non-finite value %2.</source>
        <translation>%2有 %1 步含非有限值。</translation>
    </message>
    <message>
        <source>%1 tensors of parameters get a gradient of exactly 0, in FP32 too, the first of them %2</source>
        <translation>%1 个参数张量的梯度恰为 0，在 FP32 中也是，其中第一个是 %2</translation>
    </message>
    <message>
        <source>%1 tensors were not finite already as loaded from %3, before step 0: load other weights.</source>
        <translation>有 %1 个张量从 %3 加载时、第 0 步之前就非有限：请加载其他权重。</translation>
    </message>
    <message>
        <source>%1 was changed from %2 to %3 at step %4.</source>
        <translation>%1 在第 %4 步由 %2 改为 %3。</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>%1, %2 in FP32</source>
        <translation>%1，%2 用 FP32</translation>
    </message>
    <message>
        <source>%1, in use</source>
        <translation>%1，实际使用</translation>
    </message>
    <message>
        <source>%1, not scaled</source>
        <translation>%1，未缩放</translation>
    </message>
    <message>
        <source>%1, which training does not read, could not be used for validation before.</source>
        <translation>训练不读取的 %1 之前就无法用于验证。</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%2 gets a gradient of exactly 0, in FP32 too</source>
        <translation>%2 的梯度恰为 0，在 FP32 中也是</translation>
    </message>
    <message>
        <source>%2 of %1 step skipped: the scale is fixed and these overflowed.</source>
        <translation>%1 步中跳过 %2 步：缩放因子固定，这些步上溢了。</translation>
    </message>
    <message>
        <source>%2 of %1 steps skipped: the scale is fixed and these overflowed.</source>
        <translation>%1 步中跳过 %2 步：缩放因子固定，这些步上溢了。</translation>
    </message>
    <message>
        <source>%2 was not finite already as loaded from %3, before step 0: load other weights.</source>
        <translation>%2 从 %3 加载时、第 0 步之前就非有限：请加载其他权重。</translation>
    </message>
    <message>
        <source>0/0, inf − inf and the logarithm of a negative number do that.</source>
        <translation>0/0、inf − inf 和负数的对数都会如此。</translation>
    </message>
    <message>
        <source>A constant rate</source>
        <translation>恒定学习率</translation>
    </message>
    <message>
        <source>A mask of minus infinity</source>
        <translation>负无穷的掩码</translation>
    </message>
    <message>
        <source>A softmax that subtracts the maximum</source>
        <translation>减去最大值的 softmax</translation>
    </message>
    <message>
        <source>All finite. No step skipped.</source>
        <translation>全部有限。没有跳过任何步。</translation>
    </message>
    <message>
        <source>All gradients are finite. Their 2-norm is %1, beyond the largest number of FP32, %2, so the norm is infinite.</source>
        <translation>所有梯度都有限。其 2-范数为 %1，超过 FP32 的最大数 %2，因此范数为无穷。</translation>
    </message>
    <message>
        <source>All of its numbers are finite, but %1.</source>
        <translation>其数值全部有限，但 %1。</translation>
    </message>
    <message>
        <source>Also, %1.</source>
        <translation>此外，%1。</translation>
    </message>
    <message>
        <source>Another loss scale or format would not help: the weight itself is at fault.</source>
        <translation>换损失缩放因子或格式都无济于事：问题在权重本身。</translation>
    </message>
    <message>
        <source>Back to step %1: %2</source>
        <translation>回到第 %1 步：%2</translation>
    </message>
    <message>
        <source>Clipping divides by the norm: every gradient becomes 0, and the step changes nothing.</source>
        <translation>裁剪要除以范数：每个梯度都变为 0，此步不起作用。</translation>
    </message>
    <message>
        <source>Gradients are clipped before they are unscaled: the limit of %1 acts as one of %2.</source>
        <translation>梯度在反缩放之前就被裁剪：界限 %1 相当于 %2。</translation>
    </message>
    <message>
        <source>Every tensor of weights moved.</source>
        <translation>每个权重张量都有变化。</translation>
    </message>
    <message>
        <source>Every update that was meant moved its weight.</source>
        <translation>每个应有的更新都移动了其权重。</translation>
    </message>
    <message>
        <source>Every validation does, and gives NaN, until the statistics are reset.</source>
        <translation>每次验证都会读取它们并得到 NaN，直到统计量被重置。</translation>
    </message>
    <message>
        <source>Every validation does, and is wrong, until the statistics are reset.</source>
        <translation>每次验证都会读取它们并出错，直到统计量被重置。</translation>
    </message>
    <message>
        <source>Every weight is finite.</source>
        <translation>每个权重都有限。</translation>
    </message>
    <message>
        <source>FP32 masters: switch to %1</source>
        <translation>FP32 主权重：切换到 %1</translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skip so far. Normal.</source>
        <translation>正在寻找可用的缩放因子：至今跳过 %1 步。正常。</translation>
    </message>
    <message>
        <source>Finding a usable scale: %1 skips so far. Normal.</source>
        <translation>正在寻找可用的缩放因子：至今跳过 %1 步。正常。</translation>
    </message>
    <message>
        <source>Finite, but computed in TF32 instead of FP32</source>
        <translation>数值有限，但以 TF32 代替了 FP32</translation>
    </message>
    <message>
        <source>Finite, but a setting keeps it from learning</source>
        <translation>数值有限，但某个设置使其无法学习</translation>
    </message>
    <message>
        <source>Finite, but a weight is far too large</source>
        <translation>数值有限，但有权重过大</translation>
    </message>
    <message>
        <source>Finite, but an activation is saturated</source>
        <translation>数值有限，但有激活已饱和</translation>
    </message>
    <message>
        <source>Finite, but an operation loses its input</source>
        <translation>数值有限，但有运算丢失了其输入</translation>
    </message>
    <message>
        <source>Finite, but gradients are lost</source>
        <translation>数值有限，但梯度丢失</translation>
    </message>
    <message>
        <source>Finite, but parameters get no gradient</source>
        <translation>数值有限，但有参数得不到梯度</translation>
    </message>
    <message>
        <source>Finite, but the loss does not fall</source>
        <translation>数值有限，但损失不下降</translation>
    </message>
    <message>
        <source>Finite, but the loss has grown</source>
        <translation>数值有限，但损失变大了</translation>
    </message>
    <message>
        <source>Finite, but the schedule is ahead of the optimizer</source>
        <translation>数值有限，但学习率计划超前于优化器</translation>
    </message>
    <message>
        <source>Finite, but the weights hardly move</source>
        <translation>数值有限，但权重几乎不动</translation>
    </message>
    <message>
        <source>Finite, but weights are lost in the format</source>
        <translation>数值有限，但权重在该格式中丢失</translation>
    </message>
    <message>
        <source>First non-finite: %1.</source>
        <translation>首个非有限值：%1。</translation>
    </message>
    <message>
        <source>From the start: %1</source>
        <translation>从头开始：%1</translation>
    </message>
    <message>
        <source>Gradients are clipped after they were unscaled.</source>
        <translation>梯度在取消缩放之后裁剪。</translation>
    </message>
    <message>
        <source>Gradients are not set to zero before each step, so what was not finite once stays: every step from here on adds to it. No loss scale and no format can help.</source>
        <translation>每步之前梯度没有清零，因此曾经的非有限值一直存在：从这里起每一步都累加其上。任何损失缩放因子或格式都无济于事。</translation>
    </message>
    <message>
        <source>Gradients are unscaled by its reciprocal, which is infinite in FP32: even gradients that are finite or 0 become Inf or NaN. The same batch gives finite gradients at %1.</source>
        <translation>取消缩放要乘以其倒数，而它在 FP32 中为无穷：即使有限或为 0 的梯度也变成 Inf 或 NaN。同一批次在 %1 时梯度有限。</translation>
    </message>
    <message>
        <source>Gradients of all earlier steps stay in those of this one, so that each update follows their sum. All is finite so far.</source>
        <translation>之前所有步的梯度都留在此步的梯度中，每次更新都按它们之和进行。至今一切有限。</translation>
    </message>
    <message>
        <source>In %1 from step %2, %3.</source>
        <translation>从第 %2 步起用 %1：%3。</translation>
    </message>
    <message>
        <source>In %1, %2.</source>
        <translation>用 %1：%2。</translation>
    </message>
    <message>
        <source>In FP32 its largest value is %1, %2 times the limit of %3.</source>
        <translation>在 FP32 中其最大值为 %1，是界限 %3 的 %2 倍。</translation>
    </message>
    <message>
        <source>Kahan&apos;s sums carry what a step loses into the next ones.</source>
        <translation>Kahan 求和把一步中丢失的部分带入后面的步。</translation>
    </message>
    <message>
        <source>Larger scales were not searched, since this step takes long.</source>
        <translation>更大的缩放因子没有搜索，因为此步耗时太长。</translation>
    </message>
    <message>
        <source>Left alone, %1 of the next %2 steps are not finite.</source>
        <translation>若不改变，接下来 %2 步中有 %1 步非有限。</translation>
    </message>
    <message>
        <source>Losses and gradients of this step are finite; %1 then wrote %2 into %3, kept in %4.</source>
        <translation>此步的损失和梯度有限；随后 %1 把 %2 写入以 %4 保存的 %3。</translation>
    </message>
    <message>
        <source>No loss scale and no format can help.</source>
        <translation>任何损失缩放因子或格式都无济于事。</translation>
    </message>
    <message>
        <source>No loss scale can help: go back to before the step that wrote them, and examine that step.</source>
        <translation>任何损失缩放因子都无济于事：请回到写入它们的那一步之前，并检查那一步。</translation>
    </message>
    <message>
        <source>No skip, nothing non-finite %1.</source>
        <translation>%1没有跳过，也没有非有限值。</translation>
    </message>
    <message>
        <source>Normal: the scaler begins high on purpose and comes down until a step fits.</source>
        <translation>正常：缩放器有意从高处开始，逐步降低直到某一步合适。</translation>
    </message>
    <message>
        <source>Normal: the scale grows until a step overflows, and lowering it a few times is enough.</source>
        <translation>正常：缩放器一直增大到某一步上溢，降几级即可。</translation>
    </message>
    <message>
        <source>Normal: the scale grows until a step overflows, and lowering it once is enough.</source>
        <translation>正常：缩放器一直增大到某一步上溢，降一级即可。</translation>
    </message>
    <message>
        <source>Nothing but the recorded gradient norm depends on it: the update takes the gradients as they are.</source>
        <translation>只有记录的梯度范数取决于它：更新直接采用梯度。</translation>
    </message>
    <message>
        <source>Nothing kept them out of the weights.</source>
        <translation>没有什么阻止它们进入权重。</translation>
    </message>
    <message>
        <source>One block in eight was measured.</source>
        <translation>每八块测量了一块。</translation>
    </message>
    <message>
        <source>Probing: %2 in the first %1 step, normal.</source>
        <translation>试探：前 %1 步中%2，正常。</translation>
    </message>
    <message>
        <source>Probing: %2 in the first %1 steps, normal.</source>
        <translation>试探：前 %1 步中%2，正常。</translation>
    </message>
    <message>
        <source>Products are fp32&apos;s own.</source>
        <translation>乘积就是 fp32 的乘积。</translation>
    </message>
    <message>
        <source>Running statistics are finite.</source>
        <translation>运行统计量有限。</translation>
    </message>
    <message>
        <source>Scaler %1</source>
        <translation>缩放器 %1</translation>
    </message>
    <message>
        <source>Set scale %1</source>
        <translation>将缩放因子设为 %1</translation>
    </message>
    <message>
        <source>Stochastic rounding moves a weight as often as its update asks for, so that none is lost in the mean.</source>
        <translation>随机舍入按更新的大小以相应频率移动权重，平均而言没有更新丢失。</translation>
    </message>
    <message>
        <source>Stopped: %1.</source>
        <translation>已停止：%1。</translation>
    </message>
    <message>
        <source>The batch and the weights are finite.</source>
        <translation>批次和权重都有限。</translation>
    </message>
    <message>
        <source>The batch itself holds values that are not finite, in %1.</source>
        <translation>批次本身在 %1 中含有非有限值。</translation>
    </message>
    <message>
        <source>The learning rate&apos;s schedule goes with the optimizer&apos;s steps.</source>
        <translation>学习率计划与优化器的步数一致。</translation>
    </message>
    <message>
        <source>The learning rate&apos;s schedule is %1 step ahead of the optimizer, because it also advanced at a skipped step.</source>
        <translation>学习率计划比优化器超前 %1 步，因为它在跳过的步中也前进。</translation>
    </message>
    <message>
        <source>The learning rate&apos;s schedule is %1 steps ahead of the optimizer, because it also advanced at skipped steps.</source>
        <translation>学习率计划比优化器超前 %1 步，因为它在跳过的步中也前进。</translation>
    </message>
    <message>
        <source>The loss scale does not matter here.</source>
        <translation>损失缩放因子在这里无关紧要。</translation>
    </message>
    <message>
        <source>The loss was %1 before step %2, and is %3 now.</source>
        <translation>损失在第 %2 步之前为 %1，现在为 %3。</translation>
    </message>
    <message>
        <source>The loss was first not finite at step %1: examine that step.</source>
        <translation>损失首次非有限是在第 %1 步：请检查那一步。</translation>
    </message>
    <message>
        <source>The same batch gives finite gradients at %1 and below.</source>
        <translation>同一批次在 %1 及以下时梯度有限。</translation>
    </message>
    <message>
        <source>The scale is infinite: every step overflows. Set a smaller one.</source>
        <translation>缩放因子为无穷：每一步都上溢。请设小一些。</translation>
    </message>
    <message>
        <source>%1 skips in a row: a lower scale has not helped.</source>
        <translation>连续跳过 %1 步：降低缩放因子没有用。</translation>
    </message>
    <message>
        <source>The step left all weights of %1 as they were.</source>
        <translation>此步使 %1 的所有权重保持原样。</translation>
    </message>
    <message>
        <source>The step was skipped, so the weights are as they were.</source>
        <translation>此步被跳过，因此权重保持原样。</translation>
    </message>
    <message>
        <source>The step&apos;s tensors and gradients are all finite; the scaler&apos;s own test, of sums or norms, has overflowed in fp32.</source>
        <translation>此步的张量和梯度全部有限；缩放器自身对和或范数的检查在 fp32 中上溢。</translation>
    </message>
    <message>
        <source>There are numbers that are not finite in %1: they stay there, and a saved file keeps them.</source>
        <translation>%1 中有非有限的数：它们会留在那里，保存的文件也会保留它们。</translation>
    </message>
    <message>
        <source>There its gradients are within %1 of FP32&apos;s, with %2 of them flushed to zero.</source>
        <translation>此时其梯度与 FP32 相差在 %1 以内，其中 %2 下溢为零。</translation>
    </message>
    <message>
        <source>There its gradients are within %1 of FP32&apos;s.</source>
        <translation>此时其梯度与 FP32 相差在 %1 以内。</translation>
    </message>
    <message>
        <source>There they differ by %1 from FP32&apos;s, with %2 of them flushed to zero.</source>
        <translation>此时梯度与 FP32 相差 %1，其中 %2 下溢为零。</translation>
    </message>
    <message>
        <source>There they differ by %1 from FP32&apos;s.</source>
        <translation>此时梯度与 FP32 相差 %1。</translation>
    </message>
    <message>
        <source>They were finite before step %1.</source>
        <translation>在第 %1 步之前它们有限。</translation>
    </message>
    <message>
        <source>Training does not read them: the step&apos;s tensors, gradients and loss are finite.</source>
        <translation>训练不读取它们：此步的张量、梯度和损失都有限。</translation>
    </message>
    <message>
        <source>Tried a larger scale and lowered it again. Normal.</source>
        <translation>试了更大的缩放因子，又退回。正常。</translation>
    </message>
    <message>
        <source>Updates were too large: %1. From step %2 on with %3 %4, %5.</source>
        <translation>更新过大：%1。从第 %2 步起用 %3 %4：%5。</translation>
    </message>
    <message>
        <source>What came after added to it.</source>
        <translation>之后的步又加剧了它。</translation>
    </message>
    <message>
        <source>With %1 in FP32 the same step is finite.</source>
        <translation>%1 用 FP32 时同一步有限。</translation>
    </message>
    <message>
        <source>all %1 in FP32</source>
        <translation>所有 %1 用 FP32</translation>
    </message>
    <message>
        <source>an epsilon of %1 is added to the root of the second moment, far above the gradients</source>
        <translation>加到二阶矩平方根上的 epsilon 为 %1，远大于梯度</translation>
    </message>
    <message>
        <source>clipping multiplies the gradients by %1</source>
        <translation>裁剪把梯度乘以 %1</translation>
    </message>
    <message>
        <source>dropout sets %1 of each activation to 0</source>
        <translation>dropout 把每个激活的 %1 置为 0</translation>
    </message>
    <message>
        <source>fp32 was asked for, and %1 compute in tf32, with 10 fraction bits in place of 23.</source>
        <translation>要求的是 fp32，而 %1 用 tf32 计算，尾数 10 位而非 23 位。</translation>
    </message>
    <message>
        <source>gradients are clipped before they are unscaled: the bound acts as %1</source>
        <translation>梯度在取消缩放之前裁剪：界限相当于 %1</translation>
    </message>
    <message>
        <source>in the next %1 steps</source>
        <translation>接下来 %1 步中</translation>
    </message>
    <message>
        <source>in the next step</source>
        <translation>下一步中</translation>
    </message>
    <message>
        <source>label smoothing of 1 asks for the same probability of every class, whatever the label</source>
        <translation>标签平滑为 1 时，无论标签如何，各类的目标概率都相同</translation>
    </message>
    <message>
        <source>the causal mask sets scores of later positions to %1, so that attention sees them</source>
        <translation>因果掩码把后面位置的分数设为 %1，注意力因而能看到它们</translation>
    </message>
    <message>
        <source>the gradients differ by %1 from FP32&apos;s</source>
        <translation>梯度与 FP32 相差 %1</translation>
    </message>
    <message>
        <source>the gradients of all parameters are 0, where FP32&apos;s are not</source>
        <translation>所有参数的梯度都为 0，而在 FP32 中不是</translation>
    </message>
    <message>
        <source>the largest weight of %1 is %2 times the root mean square of the others</source>
        <translation>%1 的最大权重是其他权重均方根的 %2 倍</translation>
    </message>
    <message>
        <source>the learning rate is 0</source>
        <translation>学习率为 0</translation>
    </message>
    <message>
        <source>the loss is %1 after %2 steps</source>
        <translation>%2 步之后损失为 %1</translation>
    </message>
    <message>
        <source>the mean of the last ten losses is %1 times as high as it was</source>
        <translation>最近十步损失的平均值是之前的 %1 倍</translation>
    </message>
    <message>
        <source>the loss is %1 times that of the first ten steps</source>
        <translation>损失是前十步的 %1 倍</translation>
    </message>
    <message>
        <source>the loss is where it was in the first ten steps</source>
        <translation>损失与前十步相同</translation>
    </message>
    <message>
        <source>the loss of a validation with these weights is not finite</source>
        <translation>用这些权重验证的损失非有限</translation>
    </message>
    <message>
        <source>the loss of a validation with these weights is not finite: %1 overflows in the format that it computes in</source>
        <translation>用这些权重验证的损失非有限：%1 在验证所用的格式中上溢</translation>
    </message>
    <message>
        <source>the norms divide by the root of their variance and an epsilon of %1, far above any variance</source>
        <translation>归一化除以方差与 epsilon 之和的平方根，epsilon 为 %1，远大于任何方差</translation>
    </message>
    <message>
        <source>the schedule multiplies the learning rate by %1</source>
        <translation>学习率计划把学习率乘以 %1</translation>
    </message>
    <message>
        <source>the update does not change %1 of the weights, not in FP32 either: it is too small</source>
        <translation>更新使 %1 的权重保持原样，在 FP32 中也是：它太小</translation>
    </message>
    <message>
        <source>weight decay takes %1 of each weight in a step</source>
        <translation>权重衰减每步减去每个权重的 %1</translation>
    </message>
    <message>
        <source>with a dampening of 1 no gradient but the first enters the momentum</source>
        <translation>dampening 为 1 时，只有第一个梯度进入动量</translation>
    </message>
    <message>
        <source>with a momentum of %1 no gradient is ever forgotten</source>
        <translation>动量为 %1 时，任何梯度都不会被遗忘</translation>
    </message>
    <message>
        <source>Adam&apos;s epsilon of %1 is large enough for moments that are stored in %2.</source>
        <translation>Adam 的 epsilon %1 对以 %2 保存的矩来说足够大。</translation>
    </message>
    <message>
        <source>Adam&apos;s epsilon of %1 is too small for moments that are stored in %2. Small second moments become 0 there; where the gradient is 0 too, the first moment is divided by epsilon alone. Take at least %3.</source>
        <translation>Adam 的 epsilon %1 对以 %2 保存的矩来说太小。小的二阶矩在其中变为 0；若梯度也为 0，一阶矩就只除以 epsilon。请至少取 %3。</translation>
    </message>
    <message>
        <source>Finite, but Adam&apos;s epsilon is too small</source>
        <translation>数值有限，但 Adam 的 epsilon 太小</translation>
    </message>
    <message>
        <source>Small second moments become 0 in the format that stores them; where the gradient is 0 too, the first moment is divided by Adam&apos;s epsilon alone.</source>
        <translation>小的二阶矩在保存它们的格式中变为 0；若梯度也为 0，一阶矩就只除以 Adam 的 epsilon。</translation>
    </message>
    <message>
        <source>0/0 is the usual cause: a second moment that is 0 in that format, with an epsilon of 0.</source>
        <translation>通常是 0/0：二阶矩在该格式中为 0，而 epsilon 也为 0。</translation>
    </message>
    <message>
        <source>The loss scale stays at %1: raise it by hand.</source>
        <translation>损失缩放因子停留在 %1：请手动调高。</translation>
    </message>
    <message>
        <source>The next step reads what this update wrote.</source>
        <translation>下一步读取此更新写入的内容。</translation>
    </message>
    <message>
        <source>lost updates</source>
        <translation>丢失的更新</translation>
    </message>
    <message>
        <source>unchanged weights</source>
        <translation>未变的权重</translation>
    </message>
    <message>
        <source>weights not finite</source>
        <translation>权重非有限</translation>
    </message>
    <message>
        <source>LR schedule ahead</source>
        <translation>学习率计划超前</translation>
    </message>
    <message>
        <source>TF32 in place of FP32</source>
        <translation>以 TF32 代替 FP32</translation>
    </message>
    <message>
        <source>zero_grad every step</source>
        <translation>每步 zero_grad</translation>
    </message>
    <message>
        <source>unscale</source>
        <translation>反缩放</translation>
    </message>
    <message>
        <source>weight decay on</source>
        <translation>权重衰减范围</translation>
    </message>
    <message>
        <source>The examination ended after %1 s, before all remedies were tried; trials may be missing as well.</source>
        <translation>检查在 %1 秒后结束，尚未试完所有补救措施；试验也可能不全。</translation>
    </message>
    <message>
        <source>In step %1, which was examined, %2.</source>
        <translation>在已检查的第 %1 步中，%2。</translation>
    </message>
    <message>
        <source>%1 gave a number that is not finite, and its buffers held NaN or Inf already.</source>
        <translation>%1 给出了非有限数，而其缓冲区此前已含 NaN 或 Inf。</translation>
    </message>
    <message>
        <source>%1 gave an infinity in FP16, whose largest number is 65504.</source>
        <translation>%1 在 FP16 中给出了无穷大，FP16 的最大数为 65504。</translation>
    </message>
    <message>
        <source>%1 held NaN or Inf before the optimizer moved them. An earlier update wrote it there: look at the first step that was not finite.</source>
        <translation>%1 在优化器更新之前已含 NaN 或 Inf。是更早的一次更新写入的：请查看第一个非有限的步。</translation>
    </message>
    <message>
        <source>%1 held NaN or Inf when the step began. Training does not read them; validation does.</source>
        <translation>该步开始时 %1 含有 NaN 或 Inf。训练不读取它们，验证会读取。</translation>
    </message>
    <message>
        <source>%1 operation was seen.</source>
        <translation>看到 %1 个运算。</translation>
    </message>
    <message>
        <source>%1 operations were seen, in the order in which they ran.</source>
        <translation>按运行顺序看到 %1 个运算。</translation>
    </message>
    <message>
        <source>%1 was the first gradient that is not finite, in the order of the backward pass.</source>
        <translation>按反向传播的顺序，%1 是第一个非有限的梯度。</translation>
    </message>
    <message>
        <source>%1, which the model is called with, held NaN or Inf before any module had computed anything.</source>
        <translation>调用模型时传入的 %1 在任何模块计算之前就含有 NaN 或 Inf。</translation>
    </message>
    <message>
        <source>A lower loss scale would not help: this run has none.</source>
        <translation>更小的损失缩放无济于事：并没有使用缩放。</translation>
    </message>
    <message>
        <source>A module made NaN of finite numbers in FP16.</source>
        <translation>某个模块在 FP16 中由有限数得出了 NaN。</translation>
    </message>
    <message>
        <source>A module made NaN of finite numbers.</source>
        <translation>某个模块由有限数得出了 NaN。</translation>
    </message>
    <message>
        <source>A module made an infinity of finite numbers.</source>
        <translation>某个模块由有限数得出了无穷大。</translation>
    </message>
    <message>
        <source>A module&apos;s buffers were not finite.</source>
        <translation>某个模块的缓冲区不是有限的。</translation>
    </message>
    <message>
        <source>A single skip is how a dynamic scaler finds its scale.</source>
        <translation>动态缩放器正是通过偶尔跳过一步来找到缩放值。</translation>
    </message>
    <message>
        <source>A wider format need not help: 0/0, Inf - Inf and the logarithm of a negative number are NaN in FP32 as well.</source>
        <translation>更宽的格式未必有用：0/0、Inf - Inf 和负数的对数在 FP32 中也是 NaN。</translation>
    </message>
    <message>
        <source>An operation made a number that is not finite.</source>
        <translation>某个运算得出了非有限数。</translation>
    </message>
    <message>
        <source>An output of the forward pass was too large for FP16.</source>
        <translation>前向传播的一个输出对 FP16 来说太大。</translation>
    </message>
    <message>
        <source>Every operation of this step gave finite numbers.</source>
        <translation>该步的每个运算都给出有限数。</translation>
    </message>
    <message>
        <source>In FP16 such a NaN mostly comes of an overflow within the module: a weight or a sum beyond 65504, then an infinity less an infinity or times 0.</source>
        <translation>在 FP16 中，这样的 NaN 多半来自模块内部的溢出：权重或求和超过 65504，随后无穷减无穷或乘以 0。</translation>
    </message>
    <message>
        <source>Its inputs and weights are finite, and so are the outputs of the modules within it: an operation in its own code made it.</source>
        <translation>其输入和权重是有限的，内部各模块的输出也是：是它自身代码中的某个运算造成的。</translation>
    </message>
    <message>
        <source>Its inputs, weights and buffers are finite.</source>
        <translation>其输入、权重和缓冲区都是有限的。</translation>
    </message>
    <message>
        <source>Loss and forward pass are finite.</source>
        <translation>损失和前向传播是有限的。</translation>
    </message>
    <message>
        <source>Loss and forward pass are finite; gradients times %1 left FP16.</source>
        <translation>损失和前向传播是有限的；梯度乘以 %1 后超出 FP16。</translation>
    </message>
    <message>
        <source>No loss scale and no format would help: the data hold it.</source>
        <translation>任何损失缩放或格式都无济于事：它就在数据里。</translation>
    </message>
    <message>
        <source>No loss scale helps a step whose loss is not finite.</source>
        <translation>损失非有限的步，任何损失缩放都无法挽救。</translation>
    </message>
    <message>
        <source>No loss scale would help: the forward pass reads these weights.</source>
        <translation>任何损失缩放都无济于事：前向传播会读取这些权重。</translation>
    </message>
    <message>
        <source>No loss scale would help: the overflow comes before the loss.</source>
        <translation>任何损失缩放都无济于事：溢出发生在损失之前。</translation>
    </message>
    <message>
        <source>All examined tensors of this step are finite; the scaler found the non-finite value in the weights&apos; gradients.</source>
        <translation>该步所查看的张量都是有限的；缩放器是在权重的梯度中发现的。</translation>
    </message>
    <message>
        <source>Of the operations of this step, %1 in %2 was the first that gave a number which is not finite.</source>
        <translation>在该步的运算中，%2 里的 %1 最先给出非有限数。</translation>
    </message>
    <message>
        <source>Running statistics were not finite before this step.</source>
        <translation>该步之前，滑动统计量就不是有限的。</translation>
    </message>
    <message>
        <source>The backward pass made a number that is not finite.</source>
        <translation>反向传播得出了非有限数。</translation>
    </message>
    <message>
        <source>The batch was not finite.</source>
        <translation>该批数据不是有限的。</translation>
    </message>
    <message>
        <source>The first number that is not finite was made between two modules.</source>
        <translation>第一个非有限数产生于两个模块之间。</translation>
    </message>
    <message>
        <source>The inputs of %1 are not finite, and no module&apos;s output before it was: an operation in the model&apos;s own code made it. Capture the next step to see each operation.</source>
        <translation>%1 的输入不是有限的，而此前各模块的输出都是有限的：是模型自身代码中的某个运算造成的。捕获下一步即可看到每个运算。</translation>
    </message>
    <message>
        <source>The largest gradient of step %1 was %2, which fits FP16 up to a scale of %3.</source>
        <translation>第 %1 步的最大梯度为 %2，缩放不超过 %3 时可容于 FP16。</translation>
    </message>
    <message>
        <source>The learning rate went from %1 to %2 at step %3.</source>
        <translation>学习率在第 %3 步由 %1 变为 %2。</translation>
    </message>
    <message>
        <source>The loss had grown to %1 before this step, from %2 when it was lowest.</source>
        <translation>在该步之前，损失已从最低时的 %2 升至 %1。</translation>
    </message>
    <message>
        <source>The loss is computed outside the model: the value comes from the loss&apos;s own arithmetic, or from an input other than the model&apos;s outputs.</source>
        <translation>损失在模型之外计算：是其自身的运算，或模型输出以外的输入造成的。</translation>
    </message>
    <message>
        <source>The loss is not finite, and every module&apos;s output is.</source>
        <translation>损失不是有限的，而每个模块的输出都是有限的。</translation>
    </message>
    <message>
        <source>The training has diverged.</source>
        <translation>训练已发散。</translation>
    </message>
    <message>
        <source>Weights were not finite before this step&apos;s update.</source>
        <translation>在该步更新之前，权重就不是有限的。</translation>
    </message>
    <message>
        <source>the model itself</source>
        <translation>模型本身</translation>
    </message>
    <message>
        <source>The module is %1, and its output is stored in %2.</source>
        <translation>该模块为 %1，其输出以 %2 存储。</translation>
    </message>
    <message>
        <source>%1 operation was not seen.</source>
        <translation>有 %1 个运算未看到。</translation>
    </message>
    <message>
        <source>%1 operations were not seen.</source>
        <translation>有 %1 个运算未看到。</translation>
    </message>
    <message>
        <source>Gradients are unscaled by the reciprocal of %1, which is infinite in FP32: even gradients that are finite or 0 become Inf or NaN.</source>
        <translation>取消缩放要乘以 %1 的倒数，而它在 FP32 中为无穷：即使有限或为 0 的梯度也变成 Inf 或 NaN。</translation>
    </message>
    <message>
        <source>No gradient was measured before this step, so the size of the overflow is not known.</source>
        <translation>此前没有测量过梯度，因此不知超出了多少。</translation>
    </message>
    <message>
        <source>Not every operation of this step was seen.</source>
        <translation>并非该步的每个运算都被看到。</translation>
    </message>
    <message>
        <source>The largest finite output of the step was %1: a product of two such numbers would leave FP16.</source>
        <translation>该步最大的有限输出为 %1：两个这样的数相乘会超出 FP16。</translation>
    </message>
    <message>
        <source>The last measured gradients are those of step %1. The largest was %2. Multiplied by the loss scale it is %3, far below FP16&apos;s limit.</source>
        <translation>最近测得的梯度来自第 %1 步。最大值为 %2，乘以损失缩放因子为 %3，远低于 FP16 的上限。</translation>
    </message>
    <message>
        <source>The loss scale was %1 already.</source>
        <translation>损失缩放因子已经是 %1。</translation>
    </message>
    <message>
        <source>The operations of this step could not be captured: %1.</source>
        <translation>无法捕获该步的运算：%1。</translation>
    </message>
    <message>
        <source>The loss has grown, and its gradients left FP16.</source>
        <translation>损失增大了，其梯度超出了 FP16 的范围。</translation>
    </message>
    <message>
        <source>The loss of this step is %1, from %2 when it was lowest, and gradients grow with it. A lower scale lets the update pass and does not bring the loss back: look at what changed before this step.</source>
        <translation>此步的损失为 %1，最低时为 %2，梯度随之增大。降低缩放值可使更新通过，但不能使损失恢复：请查看此步之前发生了什么变化。</translation>
    </message>
    <message>
        <source>This step&apos;s were larger: %1 is half of the scale that overflowed.</source>
        <translation>该步的梯度更大：%1 是溢出时缩放因子的一半。</translation>
    </message>
    <message>
        <source>%1 %2 of the gradients of %3 would overflow: the largest is %4.</source>
        <translation>%1，%3 的梯度中有 %2 会上溢：最大的是%4。</translation>
    </message>
    <message>
        <source>%1 cannot hold %2: its largest value is %3, and no loss scale changes that.</source>
        <translation>%1 无法表示 %2：其最大值是%3，任何损失缩放都改变不了这一点。</translation>
    </message>
    <message>
        <source>%1 cannot work here: override this layer (%2)</source>
        <translation>%1 在这里行不通：请为该层另设格式（%2）</translation>
    </message>
    <message>
        <source>%1 loses its small gradients below a loss scale of %2, and %3 overflows above %4</source>
        <translation>%1 在损失缩放低于 %2 时丢失小梯度，而 %3 在高于 %4 时上溢</translation>
    </message>
    <message>
        <source>%1 nothing would overflow or flush to zero.</source>
        <translation>%1，不会有值上溢或变为零。</translation>
    </message>
    <message>
        <source>%1 nothing would overflow; %2 and %3 would flush to zero.</source>
        <translation>%1，不会有值上溢；%2和%3会变为零。</translation>
    </message>
    <message>
        <source>%1 nothing would overflow; %2 would flush to zero.</source>
        <translation>%1，不会有值上溢；%2会变为零。</translation>
    </message>
    <message>
        <source>%1 of the forward values of %2</source>
        <translation>%2 的前向值的 %1</translation>
    </message>
    <message>
        <source>%1 of the gradients of %2</source>
        <translation>%2 的梯度的 %1</translation>
    </message>
    <message>
        <source>%1 times the limit of %2</source>
        <translation>上限 %2 的 %1 倍</translation>
    </message>
    <message>
        <source>%1, as far as one block in eight shows</source>
        <translation>%1（就每八块测量的一块而言）</translation>
    </message>
    <message>
        <source>As %1 with loss scale %2</source>
        <translation>以 %1 存储、损失缩放为 %2 时</translation>
    </message>
    <message>
        <source>As %1 without a loss scale</source>
        <translation>以 %1 存储、不用损失缩放时</translation>
    </message>
    <message>
        <source>As %1, each tensor with a scale of its own,</source>
        <translation>以 %1 存储、每个张量有自己的缩放时</translation>
    </message>
    <message>
        <source>BF16 can.</source>
        <translation>BF16 可以。</translation>
    </message>
    <message>
        <source>Choose a finite step for a forecast of %1.</source>
        <translation>要预测 %1，请选择一个有限的步。</translation>
    </message>
    <message>
        <source>Forward values of %1 are not finite in this step already.</source>
        <translation>%1 的前向值在这一步已经不是有限值。</translation>
    </message>
    <message>
        <source>From %1 down none would.</source>
        <translation>不高于 %1 时都不会上溢。</translation>
    </message>
    <message>
        <source>Gradients of %1 are not finite in this step already.</source>
        <translation>%1 的梯度在这一步已经不是有限值。</translation>
    </message>
    <message>
        <source>Nor can BF16.</source>
        <translation>BF16 也不能。</translation>
    </message>
    <message>
        <source>One block in eight of the larger tensors was measured; the other blocks are not counted.</source>
        <translation>较大的张量每八块测量了一块；其余的块未计入。</translation>
    </message>
    <message>
        <source>Tensors of this step were stored in %1: what that rounding lost is not counted.</source>
        <translation>这一步的张量以 %1 存储：该舍入丢失的部分未计入。</translation>
    </message>
    <message>
        <source>Weights kept in it would miss at least %1 of the updates of %2.</source>
        <translation>以它保存的权重至少会错过 %2 的更新的 %1。</translation>
    </message>
    <message>
        <source>all gradients are 0 at this loss scale, so no scale can be called safe: measure at a higher one</source>
        <translation>在此损失缩放下所有梯度都是 0，因此无法说哪个缩放是安全的：请用更高的缩放测量</translation>
    </message>
    <message>
        <source>all gradients of %1 are 0 at this loss scale, so no scale can be called safe: measure at a higher one</source>
        <translation>在此损失缩放下 %1 的所有梯度都是 0，因此无法说哪个缩放是安全的：请用更高的缩放测量</translation>
    </message>
    <message>
        <source>any loss scale from %1 on is safe</source>
        <translation>不低于 %1 的损失缩放都是安全的</translation>
    </message>
    <message>
        <source>any loss scale from %1 to %2 is safe</source>
        <translation>从 %1 到 %2 的损失缩放都是安全的</translation>
    </message>
    <message>
        <source>any loss scale is safe</source>
        <translation>任何损失缩放都是安全的</translation>
    </message>
    <message>
        <source>any loss scale up to %1 is safe</source>
        <translation>不高于 %1 的损失缩放都是安全的</translation>
    </message>
    <message>
        <source>no loss scale suits all layers: %1</source>
        <translation>没有适合所有层的损失缩放：%1</translation>
    </message>
    <message>
        <source>Running statistics settle over about %1 steps.</source>
        <translation>运行统计量约需 %1 步才稳定。</translation>
    </message>
    <message>
        <source>With this format, the loss scaler is: %1.</source>
        <translation>采用此格式时，损失缩放器为：%1。</translation>
    </message>
    <message>
        <source>all gradients of %1 are 0 at this loss scale, and %2 overflowed at it, so no scale can be called safe</source>
        <translation>在此损失缩放下 %1 的所有梯度都是 0，而 %2 上溢了，因此无法说哪个缩放是安全的</translation>
    </message>
    <message>
        <source>no loss scale above %1 is usable; how far below it must be is not known, because %2 overflowed</source>
        <translation>高于 %1 的损失缩放不可用；要低多少无法得知，因为 %2 上溢了</translation>
    </message>
    <message>
        <source>no loss scale below %1 or above %2 is usable; how far below %2 it must be is not known, because %3 overflowed</source>
        <translation>低于 %1 或高于 %2 的损失缩放不可用；要比 %2 低多少无法得知，因为 %3 上溢了</translation>
    </message>
    <message>
        <source>The scale is so small that its reciprocal is Inf: no step is valid.</source>
        <translation>缩放因子小到其倒数为 Inf：没有一步有效。</translation>
    </message>
    <message>
        <source>%1 and %2 differ by less than %3</source>
        <translation>%1 与 %2 相差小于 %3</translation>
    </message>
    <message>
        <source>%1 of %2 at step %3</source>
        <translation>%2 在第 %3 步的%1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的%1</translation>
    </message>
    <message>
        <source>%1 of %2, steps %3 to %4</source>
        <translation>%2 的%1，第 %3 到 %4 步</translation>
    </message>
    <message>
        <source>%1 rounded to %2</source>
        <translation>%1 舍入到 %2</translation>
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
        <translation>指数位数</translation>
    </message>
    <message>
        <source>first non-finite step</source>
        <translation>首个非有限的步</translation>
    </message>
    <message>
        <source>first non-finite tensor</source>
        <translation>首个非有限的张量</translation>
    </message>
    <message>
        <source>first skipped step</source>
        <translation>首个被跳过的步</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>growths of the loss scale</source>
        <translation>损失缩放因子的增长次数</translation>
    </message>
    <message>
        <source>highest %1 of %2, steps %3 to %4</source>
        <translation>%2 的最高%1，第 %3 到 %4 步</translation>
    </message>
    <message>
        <source>largest number</source>
        <translation>最大数</translation>
    </message>
    <message>
        <source>largest safe loss scale</source>
        <translation>最大的安全损失缩放因子</translation>
    </message>
    <message>
        <source>largest value in FP32</source>
        <translation>在 FP32 中的最大值</translation>
    </message>
    <message>
        <source>layer to compute in FP32</source>
        <translation>应以 FP32 计算的层</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>log(%1)</source>
        <translation>log(%1)</translation>
    </message>
    <message>
        <source>lowest %1 of %2, steps %3 to %4</source>
        <translation>%2 的最低%1，第 %3 到 %4 步</translation>
    </message>
    <message>
        <source>machine epsilon</source>
        <translation>机器精度</translation>
    </message>
    <message>
        <source>mantissa bits</source>
        <translation>尾数位数</translation>
    </message>
    <message>
        <source>mean %1 of %2, steps %3 to %4</source>
        <translation>%2 的平均%1，第 %3 到 %4 步</translation>
    </message>
    <message>
        <source>memory of the activations</source>
        <translation>激活值的内存</translation>
    </message>
    <message>
        <source>memory of the gradients</source>
        <translation>梯度的内存</translation>
    </message>
    <message>
        <source>memory of the master weights</source>
        <translation>主权重的内存</translation>
    </message>
    <message>
        <source>memory of the optimizer</source>
        <translation>优化器的内存</translation>
    </message>
    <message>
        <source>memory of the weights</source>
        <translation>权重的内存</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>origin</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>running statistics that are not finite</source>
        <translation>非有限的运行统计量</translation>
    </message>
    <message>
        <source>share of gradients that are 0</source>
        <translation>为 0 的梯度的比例</translation>
    </message>
    <message>
        <source>share of lost updates</source>
        <translation>丢失的更新的比例</translation>
    </message>
    <message>
        <source>skipped steps</source>
        <translation>跳过的步数</translation>
    </message>
    <message>
        <source>smallest normal number</source>
        <translation>最小的规格化数</translation>
    </message>
    <message>
        <source>smallest number above 0</source>
        <translation>大于 0 的最小数</translation>
    </message>
    <message>
        <source>sqrt(%1)</source>
        <translation>sqrt(%1)</translation>
    </message>
    <message>
        <source>steps with a non-finite loss</source>
        <translation>损失非有限的步数</translation>
    </message>
    <message>
        <source>stored bits</source>
        <translation>存储位数</translation>
    </message>
    <message>
        <source>training loss</source>
        <translation>训练损失</translation>
    </message>
    <message>
        <source>ulp of %2 at %1</source>
        <translation>%2 在 %1 处的 ulp</translation>
    </message>
    <message>
        <source>validation accuracy</source>
        <translation>验证准确率</translation>
    </message>
    <message>
        <source>validation loss</source>
        <translation>验证损失</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>诊断结论</translation>
    </message>
    <message>
        <source>|%1|</source>
        <translation>|%1|</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
    <message>
        <source>−%1</source>
        <translation>−%1</translation>
    </message>
    <message>
        <source>The loss has not fallen far enough yet.</source>
        <translation>损失尚未下降到足够低。</translation>
    </message>
    <message>
        <source>The loss stays above its former %1.</source>
        <translation>损失仍高于此前的 %1。</translation>
    </message>
    <message>
        <source>Validation is not finite.</source>
        <translation>验证结果不是有限值。</translation>
    </message>
    <message>
        <source>%1 will not become finite again: training does not show it, every validation does.</source>
        <translation>%1 不会再变为有限值：训练中看不出来，每次验证都会显示。</translation>
    </message>
    <message>
        <source>All gradients of %1 are exactly 0, so these weights do not move.</source>
        <translation>%1 的所有梯度都恰好为 0，因此这些权重不会变化。</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>Adam epsilon rounds to 0</source>
        <translation>Adam 的 epsilon 舍入为 0</translation>
    </message>
    <message>
        <source>BatchNorm buffers not finite</source>
        <translation>BatchNorm 缓冲区非有限</translation>
    </message>
    <message>
        <source>LR schedule on a skipped step</source>
        <translation>跳过一步时的学习率计划</translation>
    </message>
    <message>
        <source>before clipping</source>
        <translation>裁剪之前</translation>
    </message>
    <message>
        <source>after clipping</source>
        <translation>裁剪之后</translation>
    </message>
    <message>
        <source>all parameters</source>
        <translation>所有参数</translation>
    </message>
    <message>
        <source>matrices only</source>
        <translation>仅矩阵</translation>
    </message>
    <message>
        <source>advances</source>
        <translation>继续推进</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Scale fell</source>
        <translation>缩放因子下降</translation>
    </message>
    <message>
        <source>The scale fell from %2 to %3 in %1 skip.</source>
        <translation>缩放因子在 %1 次跳过中从 %2 降到 %3。</translation>
    </message>
    <message>
        <source>The scale fell from %2 to %3 in %1 skips.</source>
        <translation>缩放因子在 %1 次跳过中从 %2 降到 %3。</translation>
    </message>
    <message>
        <source>All gradients are exactly 0: there is no update to lose.</source>
        <translation>所有梯度都恰好为 0：没有更新可丢失。</translation>
    </message>
    <message>
        <source>memory of the workspace with scratch</source>
        <translation>工作区的内存（含临时内存）</translation>
    </message>
    <message>
        <source>total memory with scratch</source>
        <translation>总内存（含临时内存）</translation>
    </message>
    <message>
        <source>An intermediate value of %1 exceeds the range of %2 in the forward pass, before the loss scale is applied, so no loss scale can help. In FP32 the result&apos;s largest value is %3, which %2 can hold.</source>
        <translation>%1 的一个中间值在前向传播中、损失缩放因子起作用之前就超出 %2 的范围，因此任何缩放因子都无济于事。在 FP32 中结果的最大值为 %3，%2 可以表示。</translation>
    </message>
    <message>
        <source>The loss is %1 of the first one. By now some updates are too small to change a weight.</source>
        <translation>损失是最初的 %1。此时一些更新太小，已无法改变权重。</translation>
    </message>
    <message>
        <source>A beta2 of %1 is too large for second moments that are stored in %2: their decay rounds back, so they stay at the largest gradients of the past, and updates stay small. Take at most %3, or store the optimizer&apos;s state in fp32.</source>
        <translation>对于以 %2 存储的二阶矩，%1 的 beta2 太大：衰减被舍入回去，于是二阶矩停在过去最大的梯度上，更新一直很小。请最多取 %3，或用 fp32 存储优化器状态。</translation>
    </message>
    <message>
        <source>Finite, but second moments do not decay</source>
        <translation>有限，但二阶矩不衰减</translation>
    </message>
    <message>
        <source>Second moments in %1 decrease with a beta2 of %2.</source>
        <translation>%1 中的二阶矩在 beta2 为 %2 时会减小。</translation>
    </message>
    <message>
        <source>Newton-Schulz steps</source>
        <translation>Newton-Schulz 步数</translation>
    </message>
    <message>
        <source>Newton-Schulz format</source>
        <translation>Newton-Schulz 格式</translation>
    </message>
    <message>
        <source>factor of the rate</source>
        <translation>学习率因子</translation>
    </message>
    <message>
        <source>optimizer state in</source>
        <translation>优化器状态格式</translation>
    </message>
    <message>
        <source>as AdamW&apos;s RMS</source>
        <translation>与 AdamW 的 RMS 相同</translation>
    </message>
    <message>
        <source>original</source>
        <translation>原始</translation>
    </message>
    <message>
        <source>spectral, unclamped</source>
        <translation>谱，无下限</translation>
    </message>
    <message>
        <source>the weights&apos; format</source>
        <translation>与权重相同</translation>
    </message>
    <message>
        <source>second moments do not decay</source>
        <translation>二阶矩不衰减</translation>
    </message>
    <message>
        <source>Second moments below %1 do not decrease in %2 with a beta2 of %3: their decay rounds back. These are gradients below %4. Store the optimizer&apos;s state in fp32.</source>
        <translation>小于 %1 的二阶矩在 %2 中以 %3 的 beta2 不会减小：衰减被舍入回去。这对应小于 %4 的梯度。请用 fp32 存储优化器状态。</translation>
    </message>
    <message>
        <source>%1 of %2 and %3, steps %4 to %5</source>
        <translation>%2 与 %3 的%1，第 %4 到 %5 步</translation>
    </message>
    <message>
        <source>mean difference of the training losses</source>
        <translation>训练损失之差的平均</translation>
    </message>
    <message>
        <source>%1 product has a dimension that is not a multiple of 8 (16 in fp8, 4 in tf32), which tensor cores pad.</source>
        <translation>%1 个乘积的某一维不是 8 的倍数（fp8 为 16），Tensor Core 会将其补齐。</translation>
    </message>
    <message>
        <source>%1 products have a dimension that is not a multiple of 8 (16 in fp8, 4 in tf32), which tensor cores pad.</source>
        <translation>%1 个乘积的某一维不是 8 的倍数（fp8 为 16），Tensor Core 会将其补齐。</translation>
    </message>
    <message>
        <source>Conversions between formats take %1 of the time. A step in fp32 has none.</source>
        <translation>格式转换占 %1 的时间。fp32 的步没有转换。</translation>
    </message>
    <message>
        <source>Products in fp32 use no tensor cores: %1 of the time.</source>
        <translation>fp32 乘积不使用 Tensor Core：占 %1 的时间。</translation>
    </message>
    <message>
        <source>Products take %1 of the time: if they took none, the step would be %2 times as fast.</source>
        <translation>乘积占 %1 的时间：即使乘积不花时间，这一步也只快到 %2 倍。</translation>
    </message>
    <message>
        <source>The matrix products reach %1 of the rate of one large product: larger tensors use the device better.</source>
        <translation>这些乘积只达到一个大乘积速率的 %1：更大的张量能更好地利用设备。</translation>
    </message>
    <message>
        <source>This GPU has no instructions for products in %1; the prediction uses the rate of %2.</source>
        <translation>此 GPU 没有 %1 乘积指令；预测采用 %2 的速率。</translation>
    </message>
    <message>
        <source>This device computes products in %1 with fp32 arithmetic and rounds their results, so they are not faster than in fp32.</source>
        <translation>此设备用 fp32 运算计算 %1 乘积并舍入结果，因此不比 fp32 快。</translation>
    </message>
    <message>
        <source>A narrower format helps the other operations only as far as it makes their tensors smaller.</source>
        <translation>更窄的格式只在缩小其余操作的张量的范围内对它们有帮助。</translation>
    </message>
    <message>
        <source>In %2, %1 of the updates are smaller than half the spacing (ulp) of the weights&apos; format and change nothing in this training step.</source>
        <translation>在 %2 中，%1 的更新小于权重格式间距（ulp）的一半，在这一训练步中不起作用。</translation>
    </message>
    <message>
        <source>In %2, %1 of the updates are smaller than half the spacing (ulp) of the weights&apos; format and change nothing.</source>
        <translation>在 %2 中，%1 的更新小于权重格式间距（ulp）的一半，不起作用。</translation>
    </message>
    <message>
        <source>%1 of the step passes between its operations, for example to start them and to read results.</source>
        <translation>这一步有 %1 的时间花在各操作之间，例如启动操作和读取结果。</translation>
    </message>
    <message>
        <source>Most of the time goes to operations of less than 5 µs, which a narrower format does not shorten: the tensors are too small for this device. A larger batch or wider layers use it better.</source>
        <translation>大部分时间花在短于 5 µs 的操作上，更窄的格式不会缩短它们：张量对此设备太小。更大的批次或更宽的层能更好地利用它。</translation>
    </message>
    <message>
        <source>Most of the time goes to reading and writing memory: a narrower format helps as far as it makes tensors smaller.</source>
        <translation>大部分时间花在读写内存上：更窄的格式在缩小张量的范围内有帮助。</translation>
    </message>
    <message>
        <source>The tensors are too small for this GPU: most of the time goes to the launch of kernels, which a narrower format does not shorten. A larger batch or wider layers use it better.</source>
        <translation>张量对此 GPU 太小：大部分时间花在启动内核上，更窄的格式不会缩短它。更大的批次或更宽的层能更好地利用它。</translation>
    </message>
    <message>
        <source>The time to decode block formats, if the GPU does not multiply their codes, is not predicted.</source>
        <translation>若 GPU 不能直接相乘块格式的编码，则解码时间未计入预测。</translation>
    </message>
    <message>
        <source>This device decodes operands in block formats before it multiplies them, so their products are not faster.</source>
        <translation>此设备在相乘前先解码块格式的操作数，因此其乘积不会更快。</translation>
    </message>
    <message>
        <source>A value was injected into %1 in this step: %2.</source>
        <translation>在这一步向 %1 注入了一个值：%2。</translation>
    </message>
    <message>
        <source>No update is finite.</source>
        <translation>没有一个更新是有限的。</translation>
    </message>
    <message>
        <source>The largest weight of %1 is more than ten billion times the root mean square of the others.</source>
        <translation>%1 的最大权重超过其余权重均方根的一百亿倍。</translation>
    </message>
    <message>
        <source>The largest weights of %1 are each more than ten billion times the root mean square of the others.</source>
        <translation>%1 各自的最大权重都超过其余权重均方根的一百亿倍。</translation>
    </message>
    <message>
        <source>The loss was %1 before step %2. In FP32, that of this step is %3.</source>
        <translation>第 %2 步之前的损失是 %1。这一步在 FP32 中的损失是 %3。</translation>
    </message>
    <message>
        <source>The sums of matrix products are emulated (accumulator %1), which takes most of their time and says nothing about such a GPU.</source>
        <translation>矩阵乘积的求和是模拟的（accumulator %1），这占去大部分时间，不能说明这种 GPU 的速度。</translation>
    </message>
    <message>
        <source>They are finite, and what is computed from them is not, in FP32 either.</source>
        <translation>它们是有限的，但由它们算出的结果不是，在 FP32 中也不是。</translation>
    </message>
    <message>
        <source>All examined tensors of this step are finite, and the norm of the weights&apos; gradients is not.</source>
        <translation>该步中检查过的所有张量都是有限的，但权重梯度的范数不是有限值。</translation>
    </message>
    <message>
        <source>The output of a module was not finite.</source>
        <translation>某个模块的输出不是有限值。</translation>
    </message>
    <message>
        <source>Whether its inputs were finite is not known: an operation before it may have made the number.</source>
        <translation>其输入是否有限未知：该数可能由之前的某个运算产生。</translation>
    </message>
    <message>
        <source>%1 of the last %2 steps were skipped.</source>
        <translation>最近 %2 步中有 %1 步被跳过。</translation>
    </message>
    <message>
        <source>The training&apos;s process no longer reports.</source>
        <translation>训练进程不再报告。</translation>
    </message>
    <message>
        <source>%1 clean step since the scale last changed.</source>
        <translation>自缩放因子上次改变以来，%1 步正常。</translation>
    </message>
    <message>
        <source>%1 clean steps since the scale last changed.</source>
        <translation>自缩放因子上次改变以来，%1 步正常。</translation>
    </message>
    <message>
        <source>Before the first update a dynamic scaler lowers its scale with each skip.</source>
        <translation>在首次更新之前，动态缩放器每跳过一步就降低一次缩放因子。</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>已中断</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Actions</name>
    <message>
        <source>New experiment…</source>
        <translation>新建实验…</translation>
    </message>
    <message>
        <source>Open experiment…</source>
        <translation>打开实验…</translation>
    </message>
    <message>
        <source>Save experiment as JSON…</source>
        <translation>将实验另存为 JSON…</translation>
    </message>
    <message>
        <source>Recordings…</source>
        <translation>记录…</translation>
    </message>
    <message>
        <source>Open recording…</source>
        <translation>打开记录…</translation>
    </message>
    <message>
        <source>Import runs…</source>
        <translation>导入运行…</translation>
    </message>
    <message>
        <source>Import a folder of runs…</source>
        <translation>导入一个文件夹的运行…</translation>
    </message>
    <message>
        <source>Keep a recording</source>
        <translation>保留记录</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Copy plot as picture and table</source>
        <translation>将图复制为图片和表格</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>探索</translation>
    </message>
    <message>
        <source>Diagnose</source>
        <translation>诊断</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Freeze view</source>
        <translation>冻结视图</translation>
    </message>
    <message>
        <source>Follow the tail</source>
        <translation>跟随末端</translation>
    </message>
    <message>
        <source>Follow all</source>
        <translation>跟随全部</translation>
    </message>
    <message>
        <source>Follow last 500</source>
        <translation>跟随最近 500 步</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>Fit all</source>
        <translation>全部适配</translation>
    </message>
    <message>
        <source>Previous view</source>
        <translation>上一个视图</translation>
    </message>
    <message>
        <source>Next crosshair mode</source>
        <translation>下一种十字光标模式</translation>
    </message>
    <message>
        <source>Architecture…</source>
        <translation>结构…</translation>
    </message>
    <message>
        <source>Next event</source>
        <translation>下一个事件</translation>
    </message>
    <message>
        <source>Previous event</source>
        <translation>上一个事件</translation>
    </message>
    <message>
        <source>First non-finite step</source>
        <translation>第一个非有限步</translation>
    </message>
    <message>
        <source>Rewind all runs to before the pinned step</source>
        <translation>将所有运行回退到所定步之前</translation>
    </message>
    <message>
        <source>Rewind run to before the pinned step</source>
        <translation>将运行回退到所定步之前</translation>
    </message>
    <message>
        <source>Fork run at the crosshair…</source>
        <translation>在十字光标处分叉运行…</translation>
    </message>
    <message>
        <source>What if, from the crosshair…</source>
        <translation>从十字光标处作假设…</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Single step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Reset to step 0</source>
        <translation>重置到第 0 步</translation>
    </message>
    <message>
        <source>In lock-step</source>
        <translation>同步前进</translation>
    </message>
    <message>
        <source>Add a run</source>
        <translation>添加运行</translation>
    </message>
    <message>
        <source>Rename run</source>
        <translation>重命名运行</translation>
    </message>
    <message>
        <source>Remove run</source>
        <translation>移除运行</translation>
    </message>
    <message>
        <source>Show or hide run</source>
        <translation>显示或隐藏运行</translation>
    </message>
    <message>
        <source>Previous run</source>
        <translation>上一个运行</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>下一个运行</translation>
    </message>
    <message>
        <source>Put an Inf into the next batch</source>
        <translation>在下一批放入一个 Inf</translation>
    </message>
    <message>
        <source>Double the loss scale</source>
        <translation>损失缩放因子加倍</translation>
    </message>
    <message>
        <source>Halve the loss scale</source>
        <translation>损失缩放因子减半</translation>
    </message>
    <message>
        <source>Examine the last step</source>
        <translation>检查最后一步</translation>
    </message>
    <message>
        <source>Next captured step</source>
        <translation>下一个捕获的步</translation>
    </message>
    <message>
        <source>Previous captured step</source>
        <translation>上一个捕获的步</translation>
    </message>
    <message>
        <source>Number inspector…</source>
        <translation>数值检查器…</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>About Mantissa</source>
        <translation>关于 Mantissa</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>Data table…</source>
        <translation>数据表…</translation>
    </message>
    <message>
        <source>Copy experiment as text</source>
        <translation>将实验复制为文本</translation>
    </message>
    <message>
        <source>Paste experiment</source>
        <translation>粘贴实验</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Fork from before the undone change…</source>
        <translation>从所撤销的更改之前分叉…</translation>
    </message>
    <message>
        <source>Note at the crosshair…</source>
        <translation>在十字光标处加备注…</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>Save layout as…</source>
        <translation>布局另存为…</translation>
    </message>
    <message>
        <source>Rename layout…</source>
        <translation>重命名布局…</translation>
    </message>
    <message>
        <source>Delete layout</source>
        <translation>删除布局</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Move panels</source>
        <translation>移动面板</translation>
    </message>
    <message>
        <source>Leave Present</source>
        <translation>退出演示</translation>
    </message>
    <message>
        <source>Before or after: the other run</source>
        <translation>之前或之后：另一个运行</translation>
    </message>
    <message>
        <source>Show all runs again</source>
        <translation>重新显示所有运行</translation>
    </message>
    <message>
        <source>Next view</source>
        <translation>下一个视图</translation>
    </message>
    <message>
        <source>Smooth the lines</source>
        <translation>平滑曲线</translation>
    </message>
    <message>
        <source>Cursor A at the crosshair</source>
        <translation>游标 A 置于十字光标处</translation>
    </message>
    <message>
        <source>Cursor B at the crosshair</source>
        <translation>游标 B 置于十字光标处</translation>
    </message>
    <message>
        <source>Lock the cursors</source>
        <translation>锁定游标</translation>
    </message>
    <message>
        <source>Remove the cursors</source>
        <translation>移除游标</translation>
    </message>
    <message>
        <source>Choose a lesson…</source>
        <translation>选择课程…</translation>
    </message>
    <message>
        <source>Open lesson file…</source>
        <translation>打开课程文件…</translation>
    </message>
    <message>
        <source>Next, or reveal, in the lesson</source>
        <translation>课程中前进，或揭晓答案</translation>
    </message>
    <message>
        <source>Back in the lesson</source>
        <translation>课程中后退</translation>
    </message>
    <message>
        <source>This step of the lesson again</source>
        <translation>重做课程的这一步</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open bundled experiment</source>
        <translation>打开内置实验</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>x axis</source>
        <translation>x 轴</translation>
    </message>
    <message>
        <source>Plots</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Smoothing factor</source>
        <translation>平滑系数</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>&amp;Diagnose</source>
        <translation>诊断(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>课程(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Select a run</source>
        <translation>选择一个运行</translation>
    </message>
    <message>
        <source>← →</source>
        <translation>← →</translation>
    </message>
    <message>
        <source>Crosshair, sample by sample, with Shift by ten (in the plots); the next format (on a card)</source>
        <translation>逐点移动十字光标，按住 Shift 每次十点（在图中）；下一个格式（在卡片上）</translation>
    </message>
    <message>
        <source>↑ ↓</source>
        <translation>↑ ↓</translation>
    </message>
    <message>
        <source>Double or halve the scale (in its field)</source>
        <translation>损失缩放因子加倍或减半（在其输入框中）</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Let go of the crosshair, then remove the cursors (in the plots)</source>
        <translation>放开十字光标，然后移除游标（在图中）</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Jump to the event (in the list of events)</source>
        <translation>跳到该事件（在事件列表中）</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
    <message>
        <source>Remove the note (in the list of events)</source>
        <translation>移除备注（在事件列表中）</translation>
    </message>
    <message>
        <source>Keep a checkpoint of the run</source>
        <translation>保留该运行的检查点</translation>
    </message>
    <message>
        <source>Move run up</source>
        <translation>运行上移</translation>
    </message>
    <message>
        <source>Move run down</source>
        <translation>运行下移</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>What is wrong with my training?</source>
        <translation>我的训练出了什么问题？</translation>
    </message>
    <message>
        <source>Reset with the original settings</source>
        <translation>重置并恢复原始设置</translation>
    </message>
    <message>
        <source>Count votes in the lesson</source>
        <translation>在课程中统计投票</translation>
    </message>
    <message>
        <source>Toggle log y axis</source>
        <translation>切换对数 y 轴</translation>
    </message>
    <message>
        <source>Gallery…</source>
        <translation>图库…</translation>
    </message>
    <message>
        <source>What to look for</source>
        <translation>看点</translation>
    </message>
    <message>
        <source>Watch a PyTorch training…</source>
        <translation>观察 PyTorch 训练…</translation>
    </message>
    <message>
        <source>Follow imported logs while they grow</source>
        <translation>导入的日志增长时持续跟踪</translation>
    </message>
    <message>
        <source>Rewind to the captured step and fork</source>
        <translation>回退到捕获的步并分叉</translation>
    </message>
    <message>
        <source>Close the lesson</source>
        <translation>关闭课程</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::AnswerCard</name>
    <message>
        <source>Answer %1: %2</source>
        <translation>答案 %1：%2</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>Right, and your answer</source>
        <translation>正确，也是所选的答案</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>正确</translation>
    </message>
    <message>
        <source>Your answer, but not right</source>
        <translation>所选的答案，但不正确</translation>
    </message>
    <message>
        <source>1 vote</source>
        <translation>1 票</translation>
    </message>
    <message>
        <source>%1 votes</source>
        <translation>%1 票</translation>
    </message>
    <message>
        <source>%1, %2 %</source>
        <translation>%1，%2 %</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ArchitectureModel</name>
    <message>
        <source> forced</source>
        <translation> 强制</translation>
    </message>
    <message>
        <source>Choose a format for %1</source>
        <translation>为 %1 选择格式</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>运算</translation>
    </message>
    <message>
        <source>computes in</source>
        <translation>计算格式</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>makes</source>
        <translation>产生</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ArchitecturePage</name>
    <message>
        <source>Operations of the model</source>
        <translation>模型的运算</translation>
    </message>
    <message>
        <source>%1, %2 parameters</source>
        <translation>%1，%2 个参数</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitHead</name>
    <message>
        <source>sign</source>
        <translation>符号</translation>
    </message>
    <message>
        <source>exponent</source>
        <translation>指数</translation>
    </message>
    <message>
        <source>mantissa</source>
        <translation>尾数</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitStrip</name>
    <message>
        <source>Bits in %1</source>
        <translation>%1 中的位</translation>
    </message>
    <message>
        <source>sign</source>
        <translation>符号</translation>
    </message>
    <message>
        <source>exponent, 2 to the %1</source>
        <translation>指数，2 的 %1 次方</translation>
    </message>
    <message>
        <source>mantissa, 2 to the −%1</source>
        <translation>尾数，2 的 −%1 次方</translation>
    </message>
    <message>
        <source>%1; at the %2 bit, which is %3: Space flips it</source>
        <translation>%1；位于“%2”位，其值为 %3：空格键翻转</translation>
    </message>
    <message>
        <source>Bit %1, %2: click to flip</source>
        <translation>第 %1 位，%2：单击翻转</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BitsWindow</name>
    <message>
        <source>Number inspector</source>
        <translation>数值检查器</translation>
    </message>
    <message>
        <source>A number, or a dot product</source>
        <translation>一个数，或一个点积</translation>
    </message>
    <message>
        <source>One number</source>
        <translation>一个数</translation>
    </message>
    <message>
        <source>A dot product</source>
        <translation>点积</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BlockMapPlot</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>SQNR of the operand&apos;s blocks</source>
        <translation>该操作数各块的 SQNR</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>从 %1 到 %2</translation>
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
        <translation>块行 %1，列 %2</translation>
    </message>
    <message>
        <source>%1 % flushed</source>
        <translation>%1 % 舍入为 0</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1：%2，%3</translation>
    </message>
    <message>
        <source>The worst of these blocks.</source>
        <translation>这些块中最差的一个。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BlockModel</name>
    <message>
        <source>input gradient</source>
        <translation>输入梯度</translation>
    </message>
    <message>
        <source>weight gradient</source>
        <translation>权重梯度</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>all 0</source>
        <translation>全为 0</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>NaN scale</source>
        <translation>缩放因子为 NaN</translation>
    </message>
    <message>
        <source>%1 dB</source>
        <translation>%1 dB</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>product</source>
        <translation>乘积</translation>
    </message>
    <message>
        <source>operand</source>
        <translation>操作数</translation>
    </message>
    <message>
        <source>SQNR</source>
        <translation>SQNR</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>舍入为 0</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>The layer whose operand is quantised</source>
        <translation>其操作数被量化的层</translation>
    </message>
    <message>
        <source>The products that read the operand</source>
        <translation>读取该操作数的乘积</translation>
    </message>
    <message>
        <source>The layer&apos;s input, its weight, or the gradient of its output</source>
        <translation>该层的输入、权重，或其输出的梯度</translation>
    </message>
    <message>
        <source>Signal to quantisation noise ratio: 10 log10 of the sum of squares over the sum of squared errors</source>
        <translation>信号与量化噪声之比：平方和除以误差平方和，取 10 log10</translation>
    </message>
    <message>
        <source>Share of the numbers other than 0 that became 0</source>
        <translation>非 0 的数中变为 0 的比例</translation>
    </message>
    <message>
        <source>Share of the numbers beyond the largest number of their block</source>
        <translation>超出所在块最大可表示数的比例</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BlockStrip</name>
    <message>
        <source>Over the steps that were read</source>
        <translation>已读取的各步</translation>
    </message>
    <message>
        <source>The products of a linear layer are y = x wᵀ, dx = dy w and dw = dyᵀ x. Each reads two operands in blocks.</source>
        <translation>线性层的乘积是 y = x wᵀ、dx = dy w 和 dw = dyᵀ x。每个都按块读取两个操作数。</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>舍入为 0</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>Measure of the strip</source>
        <translation>条带的度量</translation>
    </message>
    <message>
        <source>Blocks over steps: operands over the steps that were read</source>
        <translation>各步的块：已读取各步的操作数</translation>
    </message>
    <message>
        <source>Over %1 of %2 steps that were read; the others have another precision</source>
        <translation>已读取 %2 步中的 %1 步；其余各步的精度不同</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::BlocksPage</name>
    <message>
        <source>blocks of %1</source>
        <translation>%1 的块</translation>
    </message>
    <message>
        <source>rotated</source>
        <translation>已旋转</translation>
    </message>
    <message>
        <source>stochastic rounding</source>
        <translation>随机舍入</translation>
    </message>
    <message>
        <source>Only a run that the engine trains can repeat a step.</source>
        <translation>只有由引擎训练的运行才能重复某一步。</translation>
    </message>
    <message>
        <source>The run has no step yet.</source>
        <translation>该运行还没有任何一步。</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Quantised operands</source>
        <translation>被量化的操作数</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to read a step.</source>
        <translation>引擎已停止：请重新启动后再读取步。</translation>
    </message>
    <message>
        <source>Select an operand: its map shows the signal to quantisation noise ratio of its blocks.</source>
        <translation>选择一个操作数：其图显示各块的信号与量化噪声之比。</translation>
    </message>
    <message>
        <source>What the block format makes of each operand of the step&apos;s matrix products.</source>
        <translation>块格式如何表示这一步各矩阵乘积的每个操作数。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Largest magnitude: %1 before the rotation, %2 after it.</source>
        <translation>最大幅值：旋转前 %1，旋转后 %2。</translation>
    </message>
    <message>
        <source>Largest magnitude: %1. This operand is not rotated.</source>
        <translation>最大幅值：%1。该操作数未旋转。</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <translation>%1，第 %2 步</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>Read step %1</source>
        <translation>读取第 %1 步</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Precision in which the step is read</source>
        <translation>读取该步所用的精度</translation>
    </message>
    <message>
        <source>as trained</source>
        <translation>与训练时相同</translation>
    </message>
    <message>
        <source>Read %1 steps of the run</source>
        <translation>读取该运行的 %1 步</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>requantised</source>
        <translation>重新量化</translation>
    </message>
    <message>
        <source>A precision shows the step as it would be after a switch to it, with its usual recipe and without overrides. The run does not change.</source>
        <translation>一种精度显示切换到它之后这一步的样子，使用其通常的配方，没有例外设置。运行不变。</translation>
    </message>
    <message>
        <source>These steps were read already.</source>
        <translation>这些步已经读取过。</translation>
    </message>
    <message>
        <source>The step is repeated. The run does not change.</source>
        <translation>正在重复这一步，运行不会改变。</translation>
    </message>
    <message>
        <source>Step %1 is repeated, and %2 more. The run does not change.</source>
        <translation>正在重复第 %1 步，还有 %2 步。运行不会改变。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CapturedGroups</name>
    <message>
        <source>normal for a dynamic scaler</source>
        <translation>对动态缩放器属正常</translation>
    </message>
    <message>
        <source>all finite</source>
        <translation>全部有限</translation>
    </message>
    <message>
        <source>Show these steps</source>
        <translation>显示这些步</translation>
    </message>
    <message>
        <source>Fold these steps away</source>
        <translation>折叠这些步</translation>
    </message>
    <message>
        <source>%1, %2 steps, folded</source>
        <translation>%1，%2 步，已折叠</translation>
    </message>
    <message>
        <source>%1, %2 steps</source>
        <translation>%1，%2 步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CapturedList</name>
    <message>
        <source>Captured steps by verdict, newest last</source>
        <translation>按判定分组的捕获步，最新的在最后</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CapturedModel</name>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Step %1 of %2, %3, loss scale %4</source>
        <translation>%2 的第 %1 步，%3，损失缩放因子 %4</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChainModel</name>
    <message>
        <source>%1 limit %2</source>
        <translation>%1 上限 %2</translation>
    </message>
    <message>
        <source>, %1 not finite</source>
        <translation>，%1 个非有限</translation>
    </message>
    <message>
        <source>none finite</source>
        <translation>无一有限</translation>
    </message>
    <message>
        <source>%1 of %2, %3: largest magnitude %4%5</source>
        <translation>%2 的 %1，%3：最大绝对值 %4%5</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>largest magnitude</source>
        <translation>最大绝对值</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChainTable</name>
    <message>
        <source>Largest magnitude of each tensor, in order of execution</source>
        <translation>按执行顺序，每个张量的最大绝对值</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ChangeBadge</name>
    <message>
        <source>%1 effective at step %2</source>
        <translation>%1 自第 %2 步生效</translation>
    </message>
    <message>
        <source>%1 pending · from the next step</source>
        <translation>%1 待定 · 从下一步起</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ComparePage</name>
    <message>
        <source>Compare runs</source>
        <translation>比较运行</translation>
    </message>
    <message>
        <source>Run to compare</source>
        <translation>要比较的运行</translation>
    </message>
    <message>
        <source>against</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Run that it is compared against</source>
        <translation>与之对比的运行</translation>
    </message>
    <message>
        <source>Difference above which they are apart</source>
        <translation>差异高于此值即算分开</translation>
    </message>
    <message>
        <source>apart at all</source>
        <translation>任何差异</translation>
    </message>
    <message>
        <source>apart above %1</source>
        <translation>高于 %1 即分开</translation>
    </message>
    <message>
        <source>whole run</source>
        <translation>整个运行</translation>
    </message>
    <message>
        <source>last %1 steps</source>
        <translation>最近 %1 步</translation>
    </message>
    <message>
        <source>Steps to compare</source>
        <translation>要比较的步</translation>
    </message>
    <message>
        <source>Follow training</source>
        <translation>跟随训练</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compare the two runs</source>
        <translation>比较两个运行</translation>
    </message>
    <message>
        <source>Difference by layer and step</source>
        <translation>按层和步的差异</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>weight gradients</source>
        <translation>权重梯度</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Tensors that are compared</source>
        <translation>要比较的张量</translation>
    </message>
    <message>
        <source>Difference of one layer</source>
        <translation>单层的差异</translation>
    </message>
    <message>
        <source>Train a few steps first; then the two runs can be compared tensor by tensor.</source>
        <translation>先训练几步：然后可将两个运行逐个张量对比。</translation>
    </message>
    <message>
        <source>In which layer and at which step do they first differ? Press Compare: copies of both runs are rewound and trained again side by side, and their tensors are compared. The runs themselves do not change.</source>
        <translation>它们在哪一层、哪一步分开？按“比较”：两个运行的副本会回到起点并排重新训练，逐个张量对比。运行本身保持原位。</translation>
    </message>
    <message>
        <source>Comparing: %1 of %2 steps.</source>
        <translation>正在比较：%2 步中的 %1 步。</translation>
    </message>
    <message>
        <source>%1 of %2 steps were compared. Differences are relative to %3, without loss scales.</source>
        <translation>已比较 %2 步中的 %1 步。差异相对于 %3，不含损失缩放因子。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop comparing; training pauses</source>
        <translation>停止比较；训练随之暂停</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>The comparison ended: %1.</source>
        <translation>比较结束：%1。</translation>
    </message>
    <message>
        <source>There is nothing to compare yet.</source>
        <translation>还没有可比较的内容。</translation>
    </message>
    <message>
        <source>Stops comparing. What was found stays.</source>
        <translation>停止比较。已找到的保留。</translation>
    </message>
    <message>
        <source>Two runs are compared here, tensor by tensor. Add a run, fork one, or watch a PyTorch training.</source>
        <translation>在这里逐张量比较两个运行。请添加一个运行、派生一个运行，或监视一个 PyTorch 训练。</translation>
    </message>
    <message>
        <source>In which layer and at which step do they first differ? Press Compare: each module&apos;s tensors are compared in the steps for which the watched run has sent sketches. mantissa_probe.watch(..., sketches=True) sends them.</source>
        <translation>它们在哪一层、哪一步开始分开？按“比较”：在被监视的运行发送了草图的步骤中，比较每个模块的张量。mantissa_probe.watch(..., sketches=True) 会发送草图。</translation>
    </message>
    <message>
        <source>They are estimated from sketches, to about 10 %, and are valid if both trainings start from the same weights and take the same batches.</source>
        <translation>它们由草图得出，误差约 10 %；前提是两个训练从相同的权重出发、使用相同的批次。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ComparisonCurve</name>
    <message>
        <source>The chosen layer&apos;s difference over steps</source>
        <translation>所选层的差异随步的变化</translation>
    </message>
    <message>
        <source>%1 at step %2: %3</source>
        <translation>%1，第 %2 步：%3</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>相等</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>apart above %1</source>
        <translation>高于 %1 即分开</translation>
    </message>
    <message>
        <source>first apart: step %1</source>
        <translation>首次分开：第 %1 步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ComparisonMap</name>
    <message>
        <source>How far the runs are apart: layers over steps</source>
        <translation>运行相差多远：层与步</translation>
    </message>
    <message>
        <source>first apart: step %1</source>
        <translation>首次分开：第 %1 步</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>相等</translation>
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
        <translation>非有限 ✕</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>%1, step %2: %3</source>
        <translation>%1，第 %2 步：%3</translation>
    </message>
    <message>
        <source>not compared</source>
        <translation>未比较</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CursorModel</name>
    <message>
        <source>%1 step</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1，%3 用时 %2</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1，%2：%3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CursorPanel</name>
    <message>
        <source>What the cursors compare</source>
        <translation>游标比较的内容</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>锁定</translation>
    </message>
    <message>
        <source>Cursors</source>
        <translation>游标</translation>
    </message>
    <message>
        <source>They cannot be moved with the mouse or the keyboard.</source>
        <translation>手和按键都不会移动它们。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove the cursors</source>
        <translation>移除游标</translation>
    </message>
    <message>
        <source>all of the chosen run</source>
        <translation>所选运行的全部</translation>
    </message>
    <message>
        <source>Values at the cursors A and B, their difference and their ratio</source>
        <translation>游标 A 和 B 处的值、其差与其比</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::CurvePicture</name>
    <message>
        <source>no picture</source>
        <translation>没有图</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataPage</name>
    <message>
        <source>Format of the files</source>
        <translation>文件格式</translation>
    </message>
    <message>
        <source>Export to a folder…</source>
        <translation>导出到文件夹…</translation>
    </message>
    <message>
        <source>Export to a folder</source>
        <translation>导出到文件夹</translation>
    </message>
    <message>
        <source>Where a folder with the files is made</source>
        <translation>在何处创建存放文件的文件夹</translation>
    </message>
    <message>
        <source>The engine stopped before it was done.</source>
        <translation>引擎未完成就停止了。</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>已导出到 %1</translation>
    </message>
    <message>
        <source>Exported the data of %1 to %2</source>
        <translation>已将 %1 的内容导出到 %2</translation>
    </message>
    <message>
        <source>Exported to %1, without what could not be recorded: %2</source>
        <translation>已导出到 %1，缺少未能记录的部分：%2</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to export data.</source>
        <translation>引擎已停止：请重新启动后再导出数据。</translation>
    </message>
    <message>
        <source>Nothing is being recorded, so there is nothing to export but weights. File &gt; Keep a recording changes that for the next start of the engine.</source>
        <translation>没有在记录，因此除权重外没有可导出的内容。“文件 &gt; 保留记录”会在引擎下次启动时改变这一点。</translation>
    </message>
    <message>
        <source>Read-only runs are not included.</source>
        <translation>仅供查看的运行不在其中。</translation>
    </message>
    <message>
        <source>The engine is writing…</source>
        <translation>引擎正在写入…</translation>
    </message>
    <message>
        <source>CSV, a table a run</source>
        <translation>CSV，每个运行一张表</translation>
    </message>
    <message>
        <source>One file a run, one row a step. Numbers read back to the same value; NaN and infinities are nan, inf and -inf.</source>
        <translation>每个运行一个文件，每步一行。数字读回后值不变；NaN 和无穷写作 nan、inf 和 -inf。</translation>
    </message>
    <message>
        <source>One file per run with one JSON object per step; the first line names the program. NaN and infinities are strings.</source>
        <translation>每个运行一个文件，首行说明来源，之后每步一个对象。NaN 和无穷写作字符串。</translation>
    </message>
    <message>
        <source>TensorBoard events</source>
        <translation>TensorBoard 事件</translation>
    </message>
    <message>
        <source>One folder a run. TensorBoard keeps values as 32-bit floats: seven digits of what was recorded.</source>
        <translation>每个运行一个文件夹。TensorBoard 以 32 位浮点保存值：保留七位有效数字。</translation>
    </message>
    <message>
        <source>Weights, safetensors</source>
        <translation>权重，safetensors</translation>
    </message>
    <message>
        <source>The weights of each run as they are now, for other programs to load.</source>
        <translation>各运行当前的权重，供其他程序加载。</translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation>JSON 行</translation>
    </message>
    <message>
        <source>Report, an HTML page</source>
        <translation>报告，一个 HTML 页面</translation>
    </message>
    <message>
        <source>A page with runs, verdicts, plots, memory and settings, and in the same folder the plots as drawings, the steps as CSV and the experiment.</source>
        <translation>一个页面，包含运行、结论、图表、内存和设置；旁边有图表的矢量图、各步骤的 CSV 和实验文件。</translation>
    </message>
    <message>
        <source>In the folder</source>
        <translation>文件夹内容</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataTable</name>
    <message>
        <source>Data table</source>
        <translation>数据表</translation>
    </message>
    <message>
        <source>Plot</source>
        <translation>图</translation>
    </message>
    <message>
        <source>All plots</source>
        <translation>所有图</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the chosen rows, or all</source>
        <translation>复制所选行，或全部</translation>
    </message>
    <message>
        <source>The chosen rows, or all, at full precision (%1)</source>
        <translation>以全精度复制所选行或全部（%1）</translation>
    </message>
    <message>
        <source>Values of the plots, a row for each step</source>
        <translation>图中的值，每步一行</translation>
    </message>
    <message>
        <source>No steps on screen.</source>
        <translation>屏幕上没有步。</translation>
    </message>
    <message>
        <source>Steps %1 to %2, about the crosshair, of those on screen.</source>
        <translation>第 %1 到 %2 步，屏幕上十字光标附近的部分。</translation>
    </message>
    <message>
        <source>Steps %1 to %2, as on screen.</source>
        <translation>第 %1 到 %2 步，同屏幕所示。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DataTableModel</name>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>ms a step</source>
        <translation>毫秒/步</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
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
        <translation>%1，被跳过</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>%1 at step %2: %3</source>
        <translation>%1，第 %2 步：%3</translation>
    </message>
    <message>
        <source>no value</source>
        <translation>无值</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DiagnoseController</name>
    <message>
        <source>%1 skipped step %2: training is paused.</source>
        <translation>%1 跳过了第 %2 步：训练已暂停。</translation>
    </message>
    <message>
        <source>Rewind to step %1 and fork</source>
        <translation>回退到第 %1 步并分叉</translation>
    </message>
    <message>
        <source>Training continues unchanged.</source>
        <translation>训练照常继续。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DiagnoseDock</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Captured steps</source>
        <translation>捕获的步</translation>
    </message>
    <message>
        <source>None yet. A step that is skipped, or not finite, is captured automatically.</source>
        <translation>尚无。被跳过或非有限的步会自动捕获。</translation>
    </message>
    <message>
        <source>Pause on</source>
        <translation>暂停条件</translation>
    </message>
    <message>
        <source>Pause training on</source>
        <translation>暂停训练的条件</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>any skip</source>
        <translation>任何跳过</translation>
    </message>
    <message>
        <source>first skip of a run</source>
        <translation>运行的首次跳过</translation>
    </message>
    <message>
        <source>in lock-step</source>
        <translation>同步前进</translation>
    </message>
    <message>
        <source>each at its pace</source>
        <translation>各按其速</translation>
    </message>
    <message>
        <source>Captured steps are shown after the answer.</source>
        <translation>捕获的步在作答后显示。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DiagnosePage</name>
    <message>
        <source>New run: %1</source>
        <translation>新运行：%1</translation>
    </message>
    <message>
        <source>Magnitudes</source>
        <translation>绝对值</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>what a block format makes of the operands of each matrix product</source>
        <translation>块格式如何表示每个矩阵乘积的操作数</translation>
    </message>
    <message>
        <source>Before a switch</source>
        <translation>切换之前</translation>
    </message>
    <message>
        <source>what another format would lose of the run, layer by layer</source>
        <translation>另一种格式会使运行损失什么，逐层查看</translation>
    </message>
    <message>
        <source>Scaler race</source>
        <translation>缩放器竞赛</translation>
    </message>
    <message>
        <source>which of this run&apos;s steps each loss scaler would have skipped</source>
        <translation>每种损失缩放器会跳过此运行的哪些步</translation>
    </message>
    <message>
        <source>Compare runs</source>
        <translation>比较运行</translation>
    </message>
    <message>
        <source>in which layer and at which step two runs first differ</source>
        <translation>两个运行在哪一层、哪一步分开</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一个</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Fork</source>
        <translation>分叉</translation>
    </message>
    <message>
        <source>no run</source>
        <translation>无运行</translation>
    </message>
    <message>
        <source>%1 does not scale its loss</source>
        <translation>%1 不缩放其损失</translation>
    </message>
    <message>
        <source>%1, steps %2 to %3</source>
        <translation>%1，第 %2 到 %3 步</translation>
    </message>
    <message>
        <source>%1, no step yet</source>
        <translation>%1，尚无步</translation>
    </message>
    <message>
        <source>No run to examine</source>
        <translation>没有可查看的运行</translation>
    </message>
    <message>
        <source>Open an experiment, or add a run.</source>
        <translation>请打开实验，或添加运行。</translation>
    </message>
    <message>
        <source>Looking at step %1 of %2</source>
        <translation>正在查看 %2 的第 %1 步</translation>
    </message>
    <message>
        <source>This step cannot be examined</source>
        <translation>无法查看此步</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>%2 的第 %1 步</translation>
    </message>
    <message>
        <source>It is examined as soon as training pauses.</source>
        <translation>训练一暂停就会查看它。</translation>
    </message>
    <message>
        <source>Step %1 of %2 has not been examined yet</source>
        <translation>%2 的第 %1 步尚未查看</translation>
    </message>
    <message>
        <source>Start training: a step that is skipped, or not finite, is captured automatically.</source>
        <translation>开始训练：被跳过或非有限的步会自动捕获。</translation>
    </message>
    <message>
        <source>No step of %1 was captured</source>
        <translation>%1 没有捕获到的步</translation>
    </message>
    <message>
        <source>Its non-finite steps were recorded but not examined.</source>
        <translation>它的非有限步只有记录，未检查。</translation>
    </message>
    <message>
        <source>This run is read-only: its weights are not available.</source>
        <translation>此运行仅供查看：这里没有它的权重。</translation>
    </message>
    <message>
        <source>Examine step %1</source>
        <translation>检查第 %1 步</translation>
    </message>
    <message>
        <source>Examine the last step</source>
        <translation>检查最后一步</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的 %1</translation>
    </message>
    <message>
        <source>Rewind to %1 and fork</source>
        <translation>回退到 %1 并分叉</translation>
    </message>
    <message>
        <source>A new run from before step %1, with %2; this one is not touched</source>
        <translation>从第 %1 步之前开始新运行，改为 %2；此运行不受影响</translation>
    </message>
    <message>
        <source>A new run from before step %1; this one is not touched</source>
        <translation>从第 %1 步之前开始新运行；此运行不受影响</translation>
    </message>
    <message>
        <source>The step was not measured: %1</source>
        <translation>此步未测量：%1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>What if: %1, %2 steps from step %3</source>
        <translation>假设：%1，从第 %3 步起 %2 步</translation>
    </message>
    <message>
        <source>New run from before step %2: %1</source>
        <translation>从第 %2 步之前开始新运行：%1</translation>
    </message>
    <message>
        <source>There is no step to examine yet.</source>
        <translation>还没有可查看的步。</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to examine a step.</source>
        <translation>引擎已停止：请重新启动后再查看步。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run, what happened to it</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the examination; the results so far are shown</source>
        <translation>停止查看；显示到那时已知的内容</translation>
    </message>
    <message>
        <source>A step that is skipped, or not finite, shows up here by itself.</source>
        <translation>被跳过或非有限的步会自动出现在这里。</translation>
    </message>
    <message>
        <source>All of its %1 steps are finite, and none was skipped.</source>
        <translation>其全部 %1 步都是有限的，没有一步被跳过。</translation>
    </message>
    <message>
        <source>Capture the next step</source>
        <translation>捕获下一步</translation>
    </message>
    <message>
        <source>The probe lists every operation of that step, which takes it some time once.</source>
        <translation>探针会列出该步的每个运算，这会花费一次性的时间。</translation>
    </message>
    <message>
        <source>The probe captures its next step.</source>
        <translation>探针将捕获其下一步。</translation>
    </message>
    <message>
        <source>Previous captured step of this run</source>
        <translation>此运行的上一个捕获的步</translation>
    </message>
    <message>
        <source>Next captured step of this run</source>
        <translation>此运行的下一个捕获的步</translation>
    </message>
    <message>
        <source>Examine a run that failed</source>
        <translation>检查一个失败的运行</translation>
    </message>
    <message>
        <source>See %1: %2</source>
        <comment>run, what happened to it</comment>
        <translation>查看 %1：%2</translation>
    </message>
    <message>
        <source>There is a run “%1” already.</source>
        <translation>已有运行“%1”。</translation>
    </message>
    <message>
        <source>%1 has not started</source>
        <translation>%1 尚未开始</translation>
    </message>
    <message>
        <source>Shown after the answer</source>
        <translation>作答后显示</translation>
    </message>
    <message>
        <source>This page could answer a question of the lesson.</source>
        <translation>本页可能给出课程问题的答案。</translation>
    </message>
    <message>
        <source>No step of %1 was skipped or non-finite</source>
        <translation>%1 没有跳过的步，也没有非有限的步</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>where the time of a step goes, and why a narrower format may not be faster</source>
        <translation>一步的时间花在哪里，以及更窄的格式为何可能不更快</translation>
    </message>
    <message>
        <source>The step is repeated as it was, at other scales and in other formats. The run does not change.</source>
        <translation>此步按原样、以其他缩放因子和其他格式重复。运行不会改变。</translation>
    </message>
    <message>
        <source>In a series of non-finite steps, only some are captured automatically. Steps of a watched training cannot be repeated.</source>
        <translation>连续的非有限步只会自动捕获其中一部分。被观察的训练无法重复其步。</translation>
    </message>
    <message>
        <source>In a series of non-finite steps, only some are captured automatically. Any step can be examined.</source>
        <translation>连续的非有限步只会自动捕获其中一部分。任何一步都可以检查。</translation>
    </message>
    <message>
        <source>All of its %1 steps are finite, and none was skipped. Examine the last step to see what rounding loses and how much headroom is left.</source>
        <translation>全部 %1 步都是有限值，也没有跳过。检查最后一步，即可看到舍入丢失了什么、还有多少余量。</translation>
    </message>
    <message>
        <source>how the format rounds each tensor, and which loss scales are usable</source>
        <translation>格式如何舍入每个张量，以及哪些损失缩放因子可用</translation>
    </message>
    <message>
        <source>Step %1 of %2 was finite</source>
        <translation>%2 的第 %1 步是有限的</translation>
    </message>
    <message>
        <source>Its loss and gradients were finite, and it was not skipped.</source>
        <translation>其损失和梯度都是有限的，且未被跳过。</translation>
    </message>
    <message>
        <source>Its loss was finite, and it was not skipped. Whether its gradients were is not known.</source>
        <translation>其损失有限，且未被跳过。其梯度是否有限未知。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DotModel</name>
    <message>
        <source>cannot</source>
        <translation>不能</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Units in the last place of the format that the sums are in, at the exact sum; on tensor cores, of FP32</source>
        <translation>求和格式在精确和处的末位单位（ulp）；张量核心则用 FP32 的</translation>
    </message>
    <message>
        <source>sums</source>
        <translation>求和格式</translation>
    </message>
    <message>
        <source>result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>相对</translation>
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
        <translation>求和方式</translation>
    </message>
    <message>
        <source>products</source>
        <translation>乘积数</translation>
    </message>
    <message>
        <source>Length of the dot product</source>
        <translation>点积的长度</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>数</translation>
    </message>
    <message>
        <source>Which numbers are multiplied</source>
        <translation>相乘的是哪些数</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Seed of the numbers</source>
        <translation>数的种子</translation>
    </message>
    <message>
        <source>factors in</source>
        <translation>因子格式</translation>
    </message>
    <message>
        <source>Format of the factors</source>
        <translation>因子的格式</translation>
    </message>
    <message>
        <source>sums in</source>
        <translation>求和格式</translation>
    </message>
    <message>
        <source>Format of the sums</source>
        <translation>和的格式</translation>
    </message>
    <message>
        <source>chunk</source>
        <translation>分块</translation>
    </message>
    <message>
        <source>Products in a chunk</source>
        <translation>每块的乘积数</translation>
    </message>
    <message>
        <source>tensor core</source>
        <translation>张量核心</translation>
    </message>
    <message>
        <source>Which tensor core</source>
        <translation>哪种张量核心</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DotPlot</name>
    <message>
        <source>Relative error against length</source>
        <translation>相对误差随长度的变化</translation>
    </message>
    <message>
        <source>Relative error</source>
        <translation>相对误差</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>products</source>
        <translation>乘积数</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DraftCell</name>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Browse for %1</source>
        <translation>浏览 %1</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation>选择：%1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::DraftForm</name>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ElementsModel</name>
    <message>
        <source>%1 %2, stored in %3 as %4%5</source>
        <translation>%1 %2，以 %3 存为 %4%5</translation>
    </message>
    <message>
        <source>, with the loss scale in it</source>
        <translation>，含损失缩放因子</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>存为</translation>
    </message>
    <message>
        <source>index</source>
        <translation>索引</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation>FP32 中</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ElementsPanel</name>
    <message>
        <source>Elements</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Which elements are listed</source>
        <translation>列出哪些元素</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close the list of elements</source>
        <translation>关闭元素列表</translation>
    </message>
    <message>
        <source>Back to the other instruments</source>
        <translation>回到其他工具</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>in FP32</source>
        <translation>FP32 中</translation>
    </message>
    <message>
        <source>Number shown in all formats</source>
        <translation>以所有格式显示的数</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Open the number in the inspector</source>
        <translation>在检查器中打开此数</translation>
    </message>
    <message>
        <source>Flip its bits, and see it on its number line</source>
        <translation>翻转它的位，并在数轴上查看</translation>
    </message>
    <message>
        <source>The chosen element in every format</source>
        <translation>所选元素在每种格式中</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>all finite but 0</source>
        <translation>除 0 外全部有限</translation>
    </message>
    <message>
        <source>overflow in %1</source>
        <translation>在 %1 中上溢</translation>
    </message>
    <message>
        <source>normal in %1</source>
        <translation>在 %1 中为正规数</translation>
    </message>
    <message>
        <source>subnormal in %1</source>
        <translation>在 %1 中为次正规数</translation>
    </message>
    <message>
        <source>flushed by %1</source>
        <translation>被 %1 归零</translation>
    </message>
    <message>
        <source>exactly 0</source>
        <translation>恰为 0</translation>
    </message>
    <message>
        <source>0 here, not in FP32</source>
        <translation>此处为 0，FP32 中不为 0</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>非有限</translation>
    </message>
    <message>
        <source>step %1, %2</source>
        <translation>第 %1 步，%2</translation>
    </message>
    <message>
        <source>Reading: the step is repeated, as it was and in FP32.</source>
        <translation>读取中：此步按原样并以 FP32 重复。</translation>
    </message>
    <message>
        <source>No element is like that: %1.</source>
        <translation>没有这样的元素：%1。</translation>
    </message>
    <message>
        <source>the largest in FP32 first</source>
        <translation>FP32 中最大的在前</translation>
    </message>
    <message>
        <source>in their order</source>
        <translation>按其顺序</translation>
    </message>
    <message>
        <source>the largest first</source>
        <translation>最大的在前</translation>
    </message>
    <message>
        <source>%1 of %2 elements, %3.</source>
        <translation>%2 个元素中的 %1 个，%3。</translation>
    </message>
    <message>
        <source>One element.</source>
        <translation>一个元素。</translation>
    </message>
    <message>
        <source>%1 elements, %2.</source>
        <translation>%1 个元素，%2。</translation>
    </message>
    <message>
        <source>Both columns carry the loss scale, %1.</source>
        <translation>两列都含损失缩放因子 %1。</translation>
    </message>
    <message>
        <source>They carry no loss scale.</source>
        <translation>它们不含损失缩放因子。</translation>
    </message>
    <message>
        <source>These elements cannot be read: %1.</source>
        <translation>无法读取这些元素：%1。</translation>
    </message>
    <message>
        <source>It is NaN in FP32 as well, or there is no such tensor</source>
        <translation>它在 FP32 中也是 NaN，或没有这样的张量</translation>
    </message>
    <message>
        <source>%1 rounded to each format</source>
        <translation>%1 舍入到每种格式</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EngineClient</name>
    <message>
        <source>%1 could not be started (%2)</source>
        <translation>无法启动 %1（%2）</translation>
    </message>
    <message>
        <source>it sent what this window cannot read (%1)</source>
        <translation>它发来了本窗口无法读取的内容（%1）</translation>
    </message>
    <message>
        <source>it speaks protocol %1, and this window speaks %2</source>
        <translation>它使用协议 %1，本窗口使用 %2</translation>
    </message>
    <message>
        <source>its first message was not a hello</source>
        <translation>它没有先打招呼</translation>
    </message>
    <message>
        <source>ended by signal %1</source>
        <translation>被信号 %1 终止</translation>
    </message>
    <message>
        <source>it ended by itself</source>
        <translation>它自行结束</translation>
    </message>
    <message>
        <source>it ended with exit code %1</source>
        <translation>它以退出码 %1 结束</translation>
    </message>
    <message>
        <source>its device cannot go on (%1)</source>
        <translation>其设备无法继续（%1）</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EventBar</name>
    <message>
        <source>Events, newest first</source>
        <translation>事件，最新在前</translation>
    </message>
    <message>
        <source>Which events are listed</source>
        <translation>列出哪些事件</translation>
    </message>
    <message>
        <source>all kinds, %1</source>
        <translation>所有类型，%1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::EventModel</name>
    <message>
        <source>%1: %2 is effective</source>
        <translation>%1：%2 已生效</translation>
    </message>
    <message>
        <source>a run that is gone</source>
        <translation>已不存在的运行</translation>
    </message>
    <message>
        <source>%1: a what-if of %2</source>
        <translation>%1：%2 的假设</translation>
    </message>
    <message>
        <source>%1: forked from %2</source>
        <translation>%1：自 %2 分叉</translation>
    </message>
    <message>
        <source>%1: first %2, %3, %4</source>
        <translation>%1：首个 %2，%3，%4</translation>
    </message>
    <message>
        <source>%1 stopped: %2</source>
        <translation>%1 已停止：%2</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>way back</source>
        <translation>返回路径</translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation>编辑备注</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>%1: checkpoint, a fork from here trains nothing again</source>
        <translation>%1：检查点，从这里分叉无需重新训练</translation>
    </message>
    <message>
        <source>%1: state stored in the recording</source>
        <translation>%1：状态已存入记录</translation>
    </message>
    <message>
        <source>Fork from here…</source>
        <translation>从这里分叉…</translation>
    </message>
    <message>
        <source>Rewind to step %1</source>
        <translation>回退到第 %1 步</translation>
    </message>
    <message>
        <source>%1: validation not finite: %2</source>
        <translation>%1：验证结果非有限：%2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>What to export</source>
        <translation>导出内容</translation>
    </message>
    <message>
        <source>Plots as a picture</source>
        <translation>图作为图片</translation>
    </message>
    <message>
        <source>Data of the recording</source>
        <translation>记录的数据</translation>
    </message>
    <message>
        <source>A run as a program</source>
        <translation>运行作为程序</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ExportPreview</name>
    <message>
        <source>Preview of the report</source>
        <translation>报告预览</translation>
    </message>
    <message>
        <source>The first lines of the first file</source>
        <translation>第一个文件的开头几行</translation>
    </message>
    <message>
        <source>No preview: these are more than %1 steps.</source>
        <translation>没有预览：步数超过 %1。</translation>
    </message>
    <message>
        <source>No preview: there is no room for the files.</source>
        <translation>没有预览：没有空间存放文件。</translation>
    </message>
    <message>
        <source>The engine is writing…</source>
        <translation>引擎正在写入…</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>file, size</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>以及另外 %1 个</translation>
    </message>
    <message>
        <source>There is nothing to write.</source>
        <translation>没有可写入的内容。</translation>
    </message>
    <message>
        <source>These files are for programs: there is no text to show.</source>
        <translation>这些文件供程序使用：没有可显示的文本。</translation>
    </message>
    <message>
        <source>The report cannot be shown here.</source>
        <translation>无法在此显示报告。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FileController</name>
    <message>
        <source>Open experiment</source>
        <translation>打开实验</translation>
    </message>
    <message>
        <source>Experiments (*.json)</source>
        <translation>实验 (*.json)</translation>
    </message>
    <message>
        <source>Copied the current experiment as text.</source>
        <translation>已将实验按当前状态复制为文本。</translation>
    </message>
    <message>
        <source>Open recording</source>
        <translation>打开记录</translation>
    </message>
    <message>
        <source>Recordings (*.mantissa)</source>
        <translation>记录 (*.mantissa)</translation>
    </message>
    <message>
        <source>Import runs to view</source>
        <translation>导入供查看的运行</translation>
    </message>
    <message>
        <source>Runs (*.csv *.jsonl *tfevents* *.wandb *.db *.log *trainer_state.json *.mantissa *.mprobe);;All files (*)</source>
        <translation>运行 (*.csv *.jsonl *tfevents* *.wandb *.db *.log *trainer_state.json *.mantissa *.mprobe);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Import all runs of a folder</source>
        <translation>导入一个文件夹的所有运行</translation>
    </message>
    <message>
        <source>Logs that are imported from now on are followed while they grow.</source>
        <translation>从现在起，导入的日志在增长时会持续跟踪。</translation>
    </message>
    <message>
        <source>Logs that are imported from now on are read once.</source>
        <translation>从现在起，导入的日志只读取一次。</translation>
    </message>
    <message>
        <source>Recordings are kept from the next start of the engine on.</source>
        <translation>从引擎下次启动起保留记录。</translation>
    </message>
    <message>
        <source>No recordings are kept from the next start of the engine on.</source>
        <translation>从引擎下次启动起不保留记录。</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>继续它</translation>
    </message>
    <message>
        <source>Start afresh</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>The experiment was not opened</source>
        <translation>未打开该实验</translation>
    </message>
    <message>
        <source>The recording was not opened</source>
        <translation>未打开该记录</translation>
    </message>
    <message>
        <source>Nothing was imported</source>
        <translation>未导入任何内容</translation>
    </message>
    <message>
        <source>No training can be watched</source>
        <translation>无法观察训练</translation>
    </message>
    <message>
        <source>Paused on the way: it goes on with the next step.</source>
        <translation>中途暂停：从下一步继续。</translation>
    </message>
    <message>
        <source>What was pasted was not opened</source>
        <translation>未打开所粘贴的内容</translation>
    </message>
    <message>
        <source>Not done</source>
        <translation>未执行</translation>
    </message>
    <message>
        <source>At %1: %2</source>
        <translation>在 %1：%2</translation>
    </message>
    <message>
        <source>%1 was not opened</source>
        <translation>未打开 %1</translation>
    </message>
    <message>
        <source>%1
Opened %2 instead.</source>
        <translation>%1
已改为打开 %2。</translation>
    </message>
    <message>
        <source>Save experiment</source>
        <translation>保存实验</translation>
    </message>
    <message>
        <source>%1 was not saved</source>
        <translation>未保存 %1</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>There is no text to paste.</source>
        <translation>没有可粘贴的文本。</translation>
    </message>
    <message>
        <source>What was copied is no experiment: its text begins with “{”.</source>
        <translation>所复制的不是实验：实验的文本以“{”开头。</translation>
    </message>
    <message>
        <source>pasted</source>
        <translation>粘贴的内容</translation>
    </message>
    <message>
        <source>Open a probe&apos;s file</source>
        <translation>打开探针文件</translation>
    </message>
    <message>
        <source>Files of a probe (*.mprobe)</source>
        <translation>探针文件 (*.mprobe)</translation>
    </message>
    <message>
        <source>%1 was not imported</source>
        <translation>未导入 %1</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to import runs.</source>
        <translation>引擎已停止：请重新启动后再查看其他运行。</translation>
    </message>
    <message>
        <source>The recording has a problem</source>
        <translation>记录出了问题</translation>
    </message>
    <message>
        <source>%1 Training continues.</source>
        <translation>%1 训练继续。</translation>
    </message>
    <message>
        <source>The window did not end properly last time</source>
        <translation>窗口上次没有正常结束</translation>
    </message>
    <message>
        <source>What was recorded then is here again, from %1: nothing but the last moment is lost.</source>
        <translation>当时记录的内容已恢复，来自 %1：只丢了最后一刻。</translation>
    </message>
    <message>
        <source>Opened %1, written by version %2.</source>
        <translation>已打开 %1，由版本 %2 写入。</translation>
    </message>
    <message>
        <source>%1 opens read-only</source>
        <translation>%1 以只读方式打开</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastModel</name>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>updates</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>归零</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>次正规</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>上溢</translation>
    </message>
    <message>
        <source>headroom</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>%1, %2: of %3 finite numbers other than 0, %4 flushed to zero, %5 subnormal, %6 overflow; %7 comes closest to the limit</source>
        <translation>%1，%2：%3 个有限非零数中，%4 归零，%5 次正规，%6 上溢；%7 最接近上限</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>%1
%2</source>
        <translation>%1
%2</translation>
    </message>
    <message>
        <source>Share of the numbers other than 0 that would become 0</source>
        <translation>非零数中将变为 0 的比例</translation>
    </message>
    <message>
        <source>Share that would keep fewer digits than the format has</source>
        <translation>保留位数将少于格式位数的比例</translation>
    </message>
    <message>
        <source>Share that would leave the format</source>
        <translation>将超出格式范围的比例</translation>
    </message>
    <message>
        <source>How often the largest number could still double</source>
        <translation>最大的数还能加倍几次</translation>
    </message>
    <message>
        <source>Share of updates that would become 0: a lower bound on those that would leave a weight stored in this format unchanged</source>
        <translation>将变为 0 的更新的比例：不会改变以此格式存储的权重的更新至少有这么多</translation>
    </message>
    <message>
        <source>%1, %2: all %3 numbers other than 0 are Inf or NaN</source>
        <translation>%1，%2：全部 %3 个非零数均为 Inf 或 NaN</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastPage</name>
    <message>
        <source>Before a switch</source>
        <translation>切换之前</translation>
    </message>
    <message>
        <source>Target format</source>
        <translation>要切换到的格式</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>Half the tried loss scale</source>
        <translation>所试损失缩放因子减半</translation>
    </message>
    <message>
        <source>Tried loss scale</source>
        <translation>所试损失缩放因子</translation>
    </message>
    <message>
        <source>Twice the tried loss scale</source>
        <translation>所试损失缩放因子加倍</translation>
    </message>
    <message>
        <source>Try the loss scale that is safe</source>
        <translation>试用安全的损失缩放因子</translation>
    </message>
    <message>
        <source>used: %1</source>
        <translation>所用：%1</translation>
    </message>
    <message>
        <source>safe: %1</source>
        <translation>安全：%1</translation>
    </message>
    <message>
        <source>Try the loss scale %1</source>
        <translation>试用损失缩放因子 %1</translation>
    </message>
    <message>
        <source>Over the last %1 samples of tensor statistics, as %2: %3</source>
        <translation>最近 %1 次张量统计，按 %2：%3</translation>
    </message>
    <message>
        <source>In one sample of tensor statistics, as %1: %2</source>
        <translation>一次张量统计，按 %1：%2</translation>
    </message>
    <message>
        <source>each tensor has its own scale</source>
        <translation>每个张量有自己的缩放因子</translation>
    </message>
    <message>
        <source>Step %1 of %2, as if %3 stored every tensor. %4</source>
        <translation>%2 的第 %1 步，如同 %3 存储每个张量。%4</translation>
    </message>
    <message>
        <source>try: %1</source>
        <translation>尝试：%1</translation>
    </message>
    <message>
        <source>Block formats</source>
        <translation>块格式</translation>
    </message>
    <message>
        <source>Block formats: on the page “Blocks”</source>
        <translation>块格式：在“块”页上</translation>
    </message>
    <message>
        <source>MXFP8, NVFP4 and the others: the page “Blocks” repeats a step as after a switch</source>
        <translation>MXFP8、NVFP4 等：“块”页像切换之后那样重复一步</translation>
    </message>
    <message>
        <source>Exact: this step kept everything in FP32. To see how training would continue, make a fork.</source>
        <translation>精确：此步全部以 FP32 保存。要看训练会如何继续，请建立分叉。</translation>
    </message>
    <message>
        <source>The measured tensors of this step are in FP32.</source>
        <translation>此步测得的张量均为 FP32。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForecastTable</name>
    <message>
        <source>What the format would make of each layer</source>
        <translation>该格式会如何处理每一层</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ForkDialog</name>
    <message>
        <source>Fork %1</source>
        <translation>分叉 %1</translation>
    </message>
    <message>
        <source>A new run from</source>
        <translation>新运行取自</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>as it was before step</source>
        <translation>第几步之前的状态</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>%1 的</translation>
    </message>
    <message>
        <source>with this changed</source>
        <translation>并作此更改</translation>
    </message>
    <message>
        <source>What to change</source>
        <translation>更改什么</translation>
    </message>
    <message>
        <source>called</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Name of the new run</source>
        <translation>新运行的名称</translation>
    </message>
    <message>
        <source>only as a what-if, of</source>
        <translation>仅作假设，共</translation>
    </message>
    <message>
        <source>Steps of the what-if</source>
        <translation>假设的步数</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>A what-if trains at once, thin and dashed in the plots. It is kept or dismissed later.</source>
        <translation>假设会立即训练，在图中为细虚线。之后再保留或舍弃。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>as the one it comes from, with a number</source>
        <translation>同来源运行，加编号</translation>
    </message>
    <message>
        <source>See what if</source>
        <translation>看看会怎样</translation>
    </message>
    <message>
        <source>Fork</source>
        <translation>分叉</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FormatRows</name>
    <message>
        <source>The number in every format</source>
        <translation>此数在每种格式中</translation>
    </message>
    <message>
        <source>format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>becomes</source>
        <translation>变为</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>相对</translation>
    </message>
    <message>
        <source>ulp</source>
        <translation>ulp</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>next below</source>
        <translation>下邻</translation>
    </message>
    <message>
        <source>next above</source>
        <translation>上邻</translation>
    </message>
    <message>
        <source>Examine %1</source>
        <translation>细看 %1</translation>
    </message>
    <message>
        <source>The number line and the buttons above are this format&apos;s</source>
        <translation>数轴和上方按钮属于此格式</translation>
    </message>
    <message>
        <source>Next number of %1 above</source>
        <translation>%1 的上一个较大数</translation>
    </message>
    <message>
        <source>Next number of %1 below</source>
        <translation>%1 的下一个较小数</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1，%2：%3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FormatsModel</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>sign exponent mantissa</source>
        <translation>符号 指数 尾数</translation>
    </message>
    <message>
        <source>rounded</source>
        <translation>舍入后</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>相对</translation>
    </message>
    <message>
        <source>ulp</source>
        <translation>ulp</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>below</source>
        <translation>下方</translation>
    </message>
    <message>
        <source>above</source>
        <translation>上方</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::FrozenTab</name>
    <message>
        <source>View frozen before the first step</source>
        <translation>视图冻结于第一步之前</translation>
    </message>
    <message>
        <source>View frozen at step %1</source>
        <translation>视图冻结于第 %1 步</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Training continues: %1 new %2. Unfreeze to return to the live end.</source>
        <translation>训练继续：新增 %1 %2。解除冻结可回到最新处。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GalleryCard</name>
    <message>
        <source>open now</source>
        <translation>当前</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GalleryPage</name>
    <message>
        <source>Gallery</source>
        <translation>图库</translation>
    </message>
    <message>
        <source>What do you want to see?</source>
        <translation>想看什么？</translation>
    </message>
    <message>
        <source>Type to filter</source>
        <translation>输入以筛选</translation>
    </message>
    <message>
        <source>Filter of the gallery</source>
        <translation>图库的筛选</translation>
    </message>
    <message>
        <source>Nothing in the gallery has these words.</source>
        <translation>图库中没有包含这些词的内容。</translation>
    </message>
    <message>
        <source>Arrow keys choose, Enter opens, letters filter, Esc closes.</source>
        <translation>方向键选择，Enter 打开，字母筛选，Esc 关闭。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close the gallery</source>
        <translation>关闭图库</translation>
    </message>
    <message>
        <source>Show group: %1</source>
        <translation>显示分组：%1</translation>
    </message>
    <message>
        <source>Your recordings</source>
        <translation>您的记录</translation>
    </message>
    <message>
        <source>%1, %2 steps. %3</source>
        <translation>%1，%2 步。%3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GaugeList</name>
    <message>
        <source>Silent failures</source>
        <translation>无声的失败</translation>
    </message>
    <message>
        <source>Measure tensors</source>
        <translation>测量张量</translation>
    </message>
    <message>
        <source>How often tensors are measured</source>
        <translation>多久测量一次张量</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>sampled</source>
        <translation>抽样</translation>
    </message>
    <message>
        <source>each step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Costs nothing while it is off.</source>
        <translation>关闭时没有任何开销。</translation>
    </message>
    <message>
        <source>What it costs is being measured.</source>
        <translation>正在测量其开销。</translation>
    </message>
    <message>
        <source>%1&#x202f;% of a step&apos;s time, measured.</source>
        <translation>每步时间的 %1&#x202f;%，实测。</translation>
    </message>
    <message>
        <source>one block in eight</source>
        <translation>每八块看一块</translation>
    </message>
    <message>
        <source>Measures one eighth of every large tensor at each step; eight steps cover it all. Shares refer to the measured elements.</source>
        <translation>每步测量每个大张量的八分之一，八步测完。比例只针对测得的元素。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GuideBrowser</name>
    <message>
        <source>Page of the guide</source>
        <translation>指南页面</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::GuideWindow</name>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前进</translation>
    </message>
    <message>
        <source>Find in the guide (Ctrl+F)</source>
        <translation>在指南中查找 (Ctrl+F)</translation>
    </message>
    <message>
        <source>Find in the guide</source>
        <translation>在指南中查找</translation>
    </message>
    <message>
        <source>Contents of the guide</source>
        <translation>指南目录</translation>
    </message>
    <message>
        <source>%1 - Guide</source>
        <translation>%1 - 指南</translation>
    </message>
    <message>
        <source>%1 on this page</source>
        <translation>本页 %1 处</translation>
    </message>
    <message>
        <source>Not in the guide</source>
        <translation>指南中没有</translation>
    </message>
    <message>
        <source>Enter searches all pages</source>
        <translation>按 Enter 搜索所有页面</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::HealthLine</name>
    <message>
        <source>Why?</source>
        <translation>为什么？</translation>
    </message>
    <message>
        <source>Rewind</source>
        <translation>回退</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::HelpController</name>
    <message>
        <source>Closed until another experiment opens. View &gt; What to look for keeps it closed.</source>
        <translation>在打开另一个实验之前保持关闭。“视图 &gt; 看点”可一直关闭。</translation>
    </message>
    <message>
        <source>Language: %1, from the next start on.</source>
        <translation>语言：%1，从下次启动起。</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::InspectorPage</name>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Value, as a number or as bits of the chosen format</source>
        <translation>值，写作数字或所选格式的位</translation>
    </message>
    <message>
        <source>0.1, 1/3, pi, 2^-24, 0x1.8p-3, inf, nan; or bits: 0x3c00, 0 01111 0000000000</source>
        <translation>0.1、1/3、pi、2^-24、0x1.8p-3、inf、nan；或位：0x3c00、0 01111 0000000000</translation>
    </message>
    <message>
        <source>rounded</source>
        <translation>舍入后</translation>
    </message>
    <message>
        <source>How it is rounded</source>
        <translation>如何舍入</translation>
    </message>
    <message>
        <source>Draw again</source>
        <translation>重新抽取</translation>
    </message>
    <message>
        <source>Draw again: round stochastically with other random bits</source>
        <translation>重新抽取：用另一组随机位作随机舍入</translation>
    </message>
    <message>
        <source>saturating</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>What is beyond the largest number becomes that number</source>
        <translation>超过最大数的一律变为该最大数</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>The chosen format&apos;s largest number</source>
        <translation>所选格式的最大数</translation>
    </message>
    <message>
        <source>smallest normal</source>
        <translation>最小正规数</translation>
    </message>
    <message>
        <source>The chosen format&apos;s smallest normal number</source>
        <translation>所选格式的最小正规数</translation>
    </message>
    <message>
        <source>smallest subnormal</source>
        <translation>最小次正规数</translation>
    </message>
    <message>
        <source>The chosen format&apos;s smallest subnormal number</source>
        <translation>所选格式的最小次正规数</translation>
    </message>
    <message>
        <source>1 + ε</source>
        <translation>1 + ε</translation>
    </message>
    <message>
        <source>The next number above 1 in the chosen format</source>
        <translation>所选格式中 1 之上的下一个数</translation>
    </message>
    <message>
        <source>any:</source>
        <translation>任意：</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示 %1</translation>
    </message>
    <message>
        <source>From the bits of %1.</source>
        <translation>取自 %1 的位。</translation>
    </message>
    <message>
        <source>%1:</source>
        <translation>%1：</translation>
    </message>
    <message>
        <source>Enter a number.</source>
        <translation>请输入一个数。</translation>
    </message>
    <message>
        <source>Enter a number, or %1 bits for %2.</source>
        <translation>请输入一个数，或 %2 的 %1 位。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::InstrumentPages</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Instruments</name>
    <message>
        <source>all weight gradients</source>
        <translation>所有权重梯度</translation>
    </message>
    <message>
        <source>all forward tensors</source>
        <translation>所有前向张量</translation>
    </message>
    <message>
        <source>all updates</source>
        <translation>所有更新</translation>
    </message>
    <message>
        <source>used %1</source>
        <translation>所用 %1</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>原样</translation>
    </message>
    <message>
        <source>try %1</source>
        <translation>试 %1</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>丢失</translation>
    </message>
    <message>
        <source>flushed</source>
        <translation>归零</translation>
    </message>
    <message>
        <source>These gradients are not finite, so no loss scale follows from them.</source>
        <translation>这些梯度非有限：无从判断缩放因子。</translation>
    </message>
    <message>
        <source>At step %1:</source>
        <translation>第 %1 步：</translation>
    </message>
    <message>
        <source>Over the last %1 samples of tensor statistics:</source>
        <translation>最近 %1 次张量统计：</translation>
    </message>
    <message>
        <source>In one sample of tensor statistics:</source>
        <translation>一次张量统计：</translation>
    </message>
    <message>
        <source>No gradient of this run carries a loss scale.</source>
        <translation>此运行的梯度都不含损失缩放因子。</translation>
    </message>
    <message>
        <source>Microscope</source>
        <translation>显微镜</translation>
    </message>
    <message>
        <source>Tensors under the microscope</source>
        <translation>显微镜下的张量</translation>
    </message>
    <message>
        <source>Format whose window is drawn</source>
        <translation>所绘窗口的格式</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>缩放因子</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>次正规</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>正规</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>上溢</translation>
    </message>
    <message>
        <source>exact 0</source>
        <translation>恰为 0</translation>
    </message>
    <message>
        <source>Elements by what the format makes of them</source>
        <translation>按格式的处理划分的元素</translation>
    </message>
    <message>
        <source>A click on a count of the first row lists its elements</source>
        <translation>单击第一行的计数，列出其元素</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Use the tried loss scale from the next step on</source>
        <translation>从下一步起采用所试的损失缩放因子</translation>
    </message>
    <message>
        <source>Precision strip</source>
        <translation>精度条</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>updates</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Tensors of the strip</source>
        <translation>精度条的张量</translation>
    </message>
    <message>
        <source>headroom</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>non-finite</source>
        <translation>非有限</translation>
    </message>
    <message>
        <source>Measure of the strip</source>
        <translation>精度条的度量</translation>
    </message>
    <message>
        <source>Usable loss scales</source>
        <translation>缩放因子走廊</translation>
    </message>
    <message>
        <source>Share of gradients that may be flushed to zero</source>
        <translation>允许归零的梯度比例</translation>
    </message>
    <message>
        <source>at most %1&#x202f;% flushed</source>
        <translation>至多 %1&#x202f;% 归零</translation>
    </message>
    <message>
        <source>Measure this step</source>
        <translation>测量此步</translation>
    </message>
    <message>
        <source>Trains a copy of the run up to that step and measures all of its tensors</source>
        <translation>将运行的副本训练到该步，并查看其所有张量</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>nearest sample: step %1</source>
        <translation>最近的查看：第 %1 步</translation>
    </message>
    <message>
        <source>%1; measuring step %2</source>
        <translation>%1；正在测量第 %2 步</translation>
    </message>
    <message>
        <source>Measure step %1</source>
        <translation>测量第 %1 步</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的 %1</translation>
    </message>
    <message>
        <source>%1, one block in eight</source>
        <translation>%1，每八块看一块</translation>
    </message>
    <message>
        <source>Inf, NaN</source>
        <translation>Inf、NaN</translation>
    </message>
    <message>
        <source>the forward pass is not finite, and no loss scale changes that</source>
        <translation>前向传播不是有限的，任何损失缩放都改变不了这一点</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>过大</translation>
    </message>
    <message>
        <source>Finite numbers that overflow in this format</source>
        <translation>在此格式中溢出的有限数</translation>
    </message>
    <message>
        <source>Numbers that are stored as Inf or NaN, such as those that have overflowed</source>
        <translation>存储为 Inf 或 NaN 的数，例如已溢出的数</translation>
    </message>
    <message>
        <source>Upper bound: all numbers are treated as if they shared the block of the largest one. The page “Blocks” has exact counts.</source>
        <translation>上界：把所有的数都当作与最大的数同在一块。“块”页有精确的计数。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::KeyMap</name>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>%1 is used by the window&apos;s own controls and cannot be assigned.</source>
        <translation>%1 属于窗口部件本身，保持不变。</translation>
    </message>
    <message>
        <source>%1 is the key of “%2”: give that another one first.</source>
        <translation>%1 是“%2”的快捷键：请先给它换一个。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::KeyRecorder</name>
    <message>
        <source>Press the new key; Escape cancels</source>
        <translation>请按新的快捷键；按 Escape 保持不变</translation>
    </message>
    <message>
        <source>press a key</source>
        <translation>请按键</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::KeysPage</name>
    <message>
        <source>Change key</source>
        <translation>更改快捷键</translation>
    </message>
    <message>
        <source>Record a new key for the chosen action</source>
        <translation>为所选操作录制新的快捷键</translation>
    </message>
    <message>
        <source>No key</source>
        <translation>无快捷键</translation>
    </message>
    <message>
        <source>Leave the chosen action without a key</source>
        <translation>所选操作不设快捷键</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>The usual key of the chosen action</source>
        <translation>所选操作的默认快捷键</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部重置</translation>
    </message>
    <message>
        <source>The usual keys of all actions</source>
        <translation>所有操作的默认快捷键</translation>
    </message>
    <message>
        <source>Search actions and keys</source>
        <translation>搜索操作和快捷键</translation>
    </message>
    <message>
        <source>Search: a word, or a key such as Ctrl+E</source>
        <translation>搜索：输入词语，或如 Ctrl+E 的快捷键</translation>
    </message>
    <message>
        <source>Actions and their keys</source>
        <translation>操作及其快捷键</translation>
    </message>
    <message>
        <source>Always the same</source>
        <translation>始终不变</translation>
    </message>
    <message>
        <source>%1 (changed)</source>
        <translation>%1（已更改）</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Double click or Enter records a new key. Single keys rest while a text field has the cursor.</source>
        <translation>双击或按回车录制新的快捷键。光标在文本框中时，单字母键不起作用。</translation>
    </message>
    <message>
        <source>Press the new key of “%1”. Escape cancels.</source>
        <translation>请按“%1”的新快捷键。按 Escape 保持不变。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LayoutSwitch</name>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Layout: %1</source>
        <translation>布局：%1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Layouts</name>
    <message>
        <source>The saved layout cannot be read by this version; the default layout is used.</source>
        <translation>此版本无法读取面板原来的位置：它们按默认位置排列。</translation>
    </message>
    <message>
        <source>The saved layout is restored.</source>
        <translation>布局已恢复为保存时的样子。</translation>
    </message>
    <message>
        <source>The default layout is restored.</source>
        <translation>布局已恢复为默认。</translation>
    </message>
    <message>
        <source>Saved the layout %1.</source>
        <translation>已保存布局 %1。</translation>
    </message>
    <message>
        <source>Save layout as</source>
        <translation>布局另存为</translation>
    </message>
    <message>
        <source>Name of the layout</source>
        <translation>布局的名称</translation>
    </message>
    <message>
        <source>Rename layout</source>
        <translation>重命名布局</translation>
    </message>
    <message>
        <source>There is a layout %1 already.</source>
        <translation>已有名为 %1 的布局。</translation>
    </message>
    <message>
        <source>Deleted the layout %1.</source>
        <translation>已删除布局 %1。</translation>
    </message>
    <message>
        <source>Rename %1…</source>
        <translation>重命名 %1…</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>删除 %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LedgerModel</name>
    <message>
        <source>a GPU</source>
        <translation>一块 GPU</translation>
    </message>
    <message>
        <source>total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>bytes/parameter</source>
        <translation>字节/参数</translation>
    </message>
    <message>
        <source>batch for %1</source>
        <translation>%1 的批大小</translation>
    </message>
    <message>
        <source>Weights, master weights, gradients and optimizer, a parameter</source>
        <translation>每个参数的权重、主权重、梯度和优化器</translation>
    </message>
    <message>
        <source>The largest batch that fits %1 together with the data set</source>
        <translation>连同数据集在内，内存能放进 %1 的最大批</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>scratch</source>
        <translation>临时内存</translation>
    </message>
    <message>
        <source>Temporary memory of operations, on a CPU mostly of the emulation: not in the total</source>
        <translation>运算的临时内存，在 CPU 上多用于仿真：不计入总和</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LessonController</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close the lesson and open the recording again</source>
        <translation>关闭课程并重新打开记录</translation>
    </message>
    <message>
        <source>Open lesson file</source>
        <translation>打开课程文件</translation>
    </message>
    <message>
        <source>Lessons (*.md)</source>
        <translation>课程 (*.md)</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>The lesson was not opened</source>
        <translation>未打开课程</translation>
    </message>
    <message>
        <source>%1 was closed for the lesson. It was not being recorded.</source>
        <translation>为打开课程已关闭 %1。它没有在记录。</translation>
    </message>
    <message>
        <source>%1 was closed for the lesson. It is kept under File &gt; Recordings.</source>
        <translation>%1 已为课程关闭，保存在“文件 &gt; 记录”中。</translation>
    </message>
    <message>
        <source>%1 was closed for the lesson</source>
        <translation>为打开课程已关闭 %1</translation>
    </message>
    <message>
        <source>All of its steps are kept in %1, under File &gt; Recordings.</source>
        <translation>它的所有步都保存在 %1 中，见“文件 &gt; 记录”。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LessonEntry</name>
    <message>
        <source>%1 · finished</source>
        <translation>%1 · 已完成</translation>
    </message>
    <message>
        <source>Lesson %1: %2</source>
        <translation>第 %1 课：%2</translation>
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
        <translation>课程</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>This step again, as the lesson has it</source>
        <translation>按课程的设定重做这一步</translation>
    </message>
    <message>
        <source>This step again, as the lesson has it (R)</source>
        <translation>按课程的设定重做这一步 (R)</translation>
    </message>
    <message>
        <source>Text of the step</source>
        <translation>这一步的文本</translation>
    </message>
    <message>
        <source>What came out, and why</source>
        <translation>结果如何，为什么</translation>
    </message>
    <message>
        <source>Measured here</source>
        <translation>在此测得</translation>
    </message>
    <message>
        <source>Runs that are hidden until the answer</source>
        <translation>揭晓答案前隐藏的运行</translation>
    </message>
    <message>
        <source>Go on training</source>
        <translation>继续训练</translation>
    </message>
    <message>
        <source>Go on training to the step that the lesson needs</source>
        <translation>继续训练到课程所需的步</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Open file…</source>
        <translation>打开文件…</translation>
    </message>
    <message>
        <source>Open a lesson file</source>
        <translation>打开课程文件</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close the list of lessons</source>
        <translation>关闭课程列表</translation>
    </message>
    <message>
        <source>%1 steps · about %2 minutes</source>
        <translation>%1 步 · 约 %2 分钟</translation>
    </message>
    <message>
        <source>next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Lesson %1 of %2</source>
        <translation>第 %1 课，共 %2 课</translation>
    </message>
    <message>
        <source>Lesson from a file</source>
        <translation>来自文件的课程</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>阅读</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Next: reveal</source>
        <translation>下一步：揭晓</translation>
    </message>
    <message>
        <source>Not %1: %2
%3</source>
        <translation>不是 %1：%2
%3</translation>
    </message>
    <message>
        <source>It was %1.</source>
        <translation>答案是 %1。</translation>
    </message>
    <message>
        <source>Right: %1, as you said.</source>
        <translation>正确：%1，与所选一致。</translation>
    </message>
    <message>
        <source>Not %1: it was %2.</source>
        <translation>不是 %1：答案是 %2。</translation>
    </message>
    <message>
        <source>paused at step %1 of %2</source>
        <translation>暂停于第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>training to step %1</source>
        <translation>正在训练到第 %1 步</translation>
    </message>
    <message>
        <source>You have trained or changed these runs. Next continues with the lesson&apos;s own settings; Reset restores this step.</source>
        <translation>这些运行之后又被手动训练或更改过。“下一步”按课程的设定继续；“重置”恢复这一步。</translation>
    </message>
    <message>
        <source>not in this run: %1</source>
        <translation>此运行中不成立：%1</translation>
    </message>
    <message>
        <source>Holds: %1</source>
        <translation>成立：%1</translation>
    </message>
    <message>
        <source>Count votes</source>
        <translation>统计投票</translation>
    </message>
    <message>
        <source>Count the votes of a room for each answer</source>
        <translation>统计全场对每个答案的投票</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>下一课</translation>
    </message>
    <message>
        <source>It was %1: %2 of %3 votes.</source>
        <translation>答案是 %1：%3 票中的 %2 票。</translation>
    </message>
    <message>
        <source>Stop counting</source>
        <translation>停止统计</translation>
    </message>
    <message>
        <source>The answer&apos;s letter or a click adds a vote, with Shift it takes one back.</source>
        <translation>按答案的字母键或单击可加一票，按住 Shift 则减一票。</translation>
    </message>
    <message>
        <source>Close the lesson; the experiment stays open</source>
        <translation>关闭课程；实验仍保持打开</translation>
    </message>
    <message>
        <source>This is the end of the lesson. One more press: “%1”.</source>
        <translation>课程到此结束。再按一次：“%1”。</translation>
    </message>
    <message>
        <source>votes</source>
        <translation>投票</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LessonPlayer</name>
    <message>
        <source>The engine has stopped. Restart it, then press Reset.</source>
        <translation>引擎已停止。请重新启动它，然后按“重置”。</translation>
    </message>
    <message>
        <source>At %1: %2</source>
        <translation>在 %1：%2</translation>
    </message>
    <message>
        <source>Another experiment was opened. Reset brings this step&apos;s runs back.</source>
        <translation>打开了另一个实验。“重置”可恢复这一步的运行。</translation>
    </message>
    <message>
        <source>The runs were reset on the way. Reset restores this step.</source>
        <translation>途中运行被重置过。“重置”可恢复这一步。</translation>
    </message>
    <message>
        <source>The runs were rewound on the way. Reset restores this step.</source>
        <translation>途中运行被回退过。“重置”可恢复这一步。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::LookForStrip</name>
    <message>
        <source>Close what to look for</source>
        <translation>关闭看点</translation>
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
        <translation>快捷键</translation>
    </message>
    <message>
        <source>List of keys</source>
        <translation>快捷键列表</translation>
    </message>
    <message>
        <source>Show memory by purpose</source>
        <translation>按用途显示内存</translation>
    </message>
    <message>
        <source>%1 - Mantissa</source>
        <translation>%1 - Mantissa</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Captured steps</source>
        <translation>捕获的步</translation>
    </message>
    <message>
        <source>Read-out</source>
        <translation>读数</translation>
    </message>
    <message>
        <source>Scaler verdict</source>
        <translation>缩放器结论</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::MemoryModel</name>
    <message>
        <source>%1 % less than %2</source>
        <translation>比 %2 少 %1 %</translation>
    </message>
    <message>
        <source>%1 % more than %2</source>
        <translation>比 %2 多 %1 %</translation>
    </message>
    <message>
        <source>%1: %2 (%3)</source>
        <translation>%1：%2（%3）</translation>
    </message>
    <message>
        <source>, %1 before the last switch</source>
        <translation>，上次切换前为 %1</translation>
    </message>
    <message>
        <source>, scratch %1</source>
        <translation>，临时内存 %1</translation>
    </message>
    <message>
        <source>not counted: %1 of scratch, most of it for the emulation on the CPU</source>
        <translation>未计入：%1 临时内存，其中大部分用于在 CPU 上模拟</translation>
    </message>
    <message>
        <source>not counted: %1 of scratch</source>
        <translation>未计入：%1 临时内存</translation>
    </message>
    <message>
        <source>%1 beside %2: %3.</source>
        <translation>%1 与 %2 相比：%3。</translation>
    </message>
    <message>
        <source>The masters are the FP32 copy of the weights, which the optimizer updates.</source>
        <translation>主权重是优化器所更新的权重的 FP32 副本。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::MemoryPanel</name>
    <message>
        <source>Memory by purpose is known for the lab&apos;s own runs only.</source>
        <translation>按用途划分的内存仅对实验室自身的运行可知。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory of each run by purpose</source>
        <translation>各运行按用途的内存</translation>
    </message>
    <message>
        <source>%1, predicted = measured</source>
        <translation>%1，预测 = 实测</translation>
    </message>
    <message>
        <source>%1, predicted</source>
        <translation>%1，预测</translation>
    </message>
    <message>
        <source>Thin bar: before the last switch.</source>
        <translation>细条：上次切换之前。</translation>
    </message>
    <message>
        <source>Allocated with the data: %1.</source>
        <translation>连同数据已分配：%1。</translation>
    </message>
    <message>
        <source>In use of the device: %1.</source>
        <translation>设备已用：%1。</translation>
    </message>
    <message>
        <source>The totals are what the formats need on any device. On a GPU, the libraries&apos; own workspace comes on top.</source>
        <translation>合计是各格式在任何设备上所需的内存。在 GPU 上，还要加上库自身的工作区。</translation>
    </message>
    <message>
        <source>scratch, mostly emulation: not in the totals</source>
        <translation>临时内存，主要用于模拟：不计入合计</translation>
    </message>
    <message>
        <source>scratch of operations: not in the totals</source>
        <translation>运算的临时内存：不计入合计</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Microscope</name>
    <message>
        <source>Microscope: how often which magnitudes come</source>
        <translation>显微镜：各绝对值出现的频度</translation>
    </message>
    <message>
        <source>Loss scale used %1, tried %2; left and right arrow try another one, up and down choose a bar, Enter lists its elements</source>
        <translation>损失缩放因子所用 %1，所试 %2；左右箭头试另一个，上下箭头选直方条，回车列出其元素</translation>
    </message>
    <message>
        <source>These numbers carry no loss scale; up and down choose a bar, Enter lists its elements</source>
        <translation>这些数不含损失缩放因子；上下箭头选直方条，回车列出其元素</translation>
    </message>
    <message>
        <source>flushed to 0</source>
        <translation>归零</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>次正规</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>正规</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>上溢</translation>
    </message>
    <message>
        <source>used %1, drag it</source>
        <translation>所用 %1，可拖动</translation>
    </message>
    <message>
        <source>try %1</source>
        <translation>试 %1</translation>
    </message>
    <message>
        <source>used %1</source>
        <translation>所用 %1</translation>
    </message>
    <message>
        <source>%1 from %2 to %3: click for the elements</source>
        <translation>%1，从 %2 到 %3：单击查看元素</translation>
    </message>
    <message>
        <source>%1. In no bar: %2 +Inf, %3 −Inf, %4 NaN</source>
        <translation>%1。不在任何柱中：%2 个 +Inf、%3 个 −Inf、%4 个 NaN</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NoteField</name>
    <message>
        <source>Run that the note is about</source>
        <translation>备注所属的运行</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove this note</source>
        <translation>移除此备注</translation>
    </message>
    <message>
        <source>Note: Enter saves it, Escape cancels</source>
        <translation>备注：按 Enter 保留，按 Escape 放弃</translation>
    </message>
    <message>
        <source>Note; Enter saves, Esc cancels</source>
        <translation>备注；按 Enter 保留，按 Esc 放弃</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>all runs</source>
        <translation>所有运行</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NumberCard</name>
    <message>
        <source>A number in four formats</source>
        <translation>四种格式中的一个数</translation>
    </message>
    <message>
        <source>becomes</source>
        <translation>变为</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NumberField</name>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::NumberLineView</name>
    <message>
        <source>Number line</source>
        <translation>数轴</translation>
    </message>
    <message>
        <source>%1 Left and right arrow step to the neighbours.</source>
        <translation>%1 左右箭头移到相邻数。</translation>
    </message>
    <message>
        <source>not in %1</source>
        <translation>不在 %1 中</translation>
    </message>
    <message>
        <source>halfway: a tie</source>
        <translation>正中：平局</translation>
    </message>
    <message>
        <source>halfway</source>
        <translation>正中</translation>
    </message>
    <message>
        <source>Only finite numbers lie on a number line</source>
        <translation>只有有限数在数轴上</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::OriginCard</name>
    <message>
        <source>Where it began</source>
        <translation>起源</translation>
    </message>
    <message>
        <source>Copy this card and the verdict as text</source>
        <translation>将此卡片和结论复制为文本</translation>
    </message>
    <message>
        <source>Largest magnitude</source>
        <translation>最大绝对值</translation>
    </message>
    <message>
        <source>in order of execution, log2</source>
        <translation>按执行顺序，log2</translation>
    </message>
    <message>
        <source>What was examined</source>
        <translation>所查看的内容</translation>
    </message>
    <message>
        <source>step %1, found in %2 ms</source>
        <translation>第 %1 步，用 %2 毫秒找到</translation>
    </message>
    <message>
        <source>sign, exponent, mantissa</source>
        <translation>符号、指数、尾数</translation>
    </message>
    <message>
        <source>%1, bits %2</source>
        <translation>%1，位 %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>All values and gradients of this step are finite</source>
        <translation>这一步的所有值和梯度都有限</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PanelDock</name>
    <message>
        <source>Close panel: %1</source>
        <translation>关闭面板：%1</translation>
    </message>
    <message>
        <source>Close; View &gt; Panels brings it back</source>
        <translation>关闭；“视图 &gt; 面板”可将其恢复</translation>
    </message>
    <message>
        <source>Put panel back: %1</source>
        <translation>放回面板：%1</translation>
    </message>
    <message>
        <source>Float panel: %1</source>
        <translation>浮动面板：%1</translation>
    </message>
    <message>
        <source>Back into the window</source>
        <translation>放回窗口中</translation>
    </message>
    <message>
        <source>A window of its own</source>
        <translation>成为独立窗口</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PickerPage</name>
    <message>
        <source>New experiment</source>
        <translation>新建实验</translation>
    </message>
    <message>
        <source>Title of the experiment</source>
        <translation>实验的标题</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Create the experiment</source>
        <translation>创建实验</translation>
    </message>
    <message>
        <source>The engine reads the data…</source>
        <translation>引擎正在读取数据…</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to go on.</source>
        <translation>引擎已停止：请重新启动以继续。</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>one for each format, its loss scaler as the format needs</source>
        <translation>每种格式一个，损失缩放器按格式所需</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU 内存</translation>
    </message>
    <message>
        <source>GPU memory in GiB</source>
        <translation>GPU 内存（GiB）</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Memory of each run by purpose</source>
        <translation>各运行按用途的内存</translation>
    </message>
    <message>
        <source>No engine is running.</source>
        <translation>没有引擎在运行。</translation>
    </message>
    <message>
        <source>%1: %2 parameters</source>
        <translation>%1：%2 个参数</translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 GiB</translation>
    </message>
    <message>
        <source>This machine has %1 to spare.</source>
        <translation>本机有 %1 可用。</translation>
    </message>
    <message>
        <source>This machine has only %1 to spare.</source>
        <translation>本机只有 %1 可用。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Creating…</source>
        <translation>正在创建…</translation>
    </message>
    <message>
        <source>With the data, %1 in all as each run has its own copy, the runs take %2, scratch included. %3</source>
        <translation>加上数据（每个运行各有一份，共 %1），这些运行占用 %2，含临时内存。%3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PicturePage</name>
    <message>
        <source>Which plot</source>
        <translation>哪张图</translation>
    </message>
    <message>
        <source>The whole board</source>
        <translation>整个图板</translation>
    </message>
    <message>
        <source>Kind of file</source>
        <translation>文件类型</translation>
    </message>
    <message>
        <source>PNG, a picture</source>
        <translation>PNG，位图</translation>
    </message>
    <message>
        <source>SVG, a drawing</source>
        <translation>SVG，矢量图</translation>
    </message>
    <message>
        <source>PDF, a drawing</source>
        <translation>PDF，矢量图</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Light, for paper</source>
        <translation>浅色，适合纸张</translation>
    </message>
    <message>
        <source>As shown</source>
        <translation>如所示</translation>
    </message>
    <message>
        <source>Plot</source>
        <translation>图</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Copy as a picture</source>
        <translation>复制为图片</translation>
    </message>
    <message>
        <source>Copy table</source>
        <translation>复制表格</translation>
    </message>
    <message>
        <source>Copy as a table</source>
        <translation>复制为表格</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>保存图片</translation>
    </message>
    <message>
        <source>Preview of the picture</source>
        <translation>图片预览</translation>
    </message>
    <message>
        <source>%1x, %2 × %3</source>
        <translation>%1x，%2 × %3</translation>
    </message>
    <message>
        <source>Title, runs, seed and versions are in the picture and in its text fields; the experiment travels in the file.</source>
        <translation>标题、运行、种子和版本写在图片及其文本字段中；实验随文件携带。</translation>
    </message>
    <message>
        <source>Lines and text stay sharp at any size. Title, runs, seed and versions are in the drawing and in its description.</source>
        <translation>线条和文字在任何大小下都清晰。标题、运行、种子和版本写在图中及其说明里。</translation>
    </message>
    <message>
        <source>Lines and text stay sharp at any size. Title, runs, seed and versions are on the page; the experiment is attached.</source>
        <translation>线条和文字在任何大小下都清晰。标题、运行、种子和版本写在页面上；实验作为附件。</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotAxes</name>
    <message>
        <source>Not on this axis, as only their steps are known: %1</source>
        <translation>不在此轴上，因为只知道它们的步：%1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotBoard</name>
    <message>
        <source>Plots</source>
        <translation>图</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotCursors</name>
    <message>
        <source>%1 · step %2</source>
        <translation>%1 · 第 %2 步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotOverlays</name>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Follow the newest steps</source>
        <translation>跟随最新的步</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>尚无运行</translation>
    </message>
    <message>
        <source>Open an experiment, or add a run: each one gets its own line here.</source>
        <translation>请打开实验，或添加运行：每个运行在此有自己的曲线。</translation>
    </message>
    <message>
        <source>Ready to train</source>
        <translation>准备训练</translation>
    </message>
    <message>
        <source>Start training, or take a single step. Each run draws its own line, step by step.</source>
        <translation>开始训练，或走一个单步。每个运行逐步画出自己的曲线。</translation>
    </message>
    <message>
        <source>%1 ▾</source>
        <translation>%1 ▾</translation>
    </message>
    <message>
        <source>x axis: %1</source>
        <translation>x 轴：%1</translation>
    </message>
    <message>
        <source>Plots ▾</source>
        <translation>图 ▾</translation>
    </message>
    <message>
        <source>Choose the plots</source>
        <translation>选择图</translation>
    </message>
    <message>
        <source>Which plots are shown, and in which order</source>
        <translation>显示哪些图以及顺序</translation>
    </message>
    <message>
        <source>Listening for a training</source>
        <translation>正在等待训练</translation>
    </message>
    <message>
        <source>Start the script with the probe: its lines appear here.</source>
        <translation>启动带探针的脚本：其曲线会出现在这里。</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>The first step appears when the script has done it.</source>
        <translation>脚本完成第一步后即会显示。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PlotPointer</name>
    <message>
        <source>steps %1 to %2  %3: %4 ×%5</source>
        <translation>第 %1 至 %2 步  %3：%4 ×%5</translation>
    </message>
    <message>
        <source>Click to ask why, or to go back.</source>
        <translation>点击可询问原因，或返回该步。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PrecisionControl</name>
    <message>
        <source>current</source>
        <translation>生效中</translation>
    </message>
    <message>
        <source>pending</source>
        <translation>待定</translation>
    </message>
    <message>
        <source>Precision of %1: %2</source>
        <translation>%1 的精度：%2</translation>
    </message>
    <message>
        <source>Precision of %1: %2, %3</source>
        <translation>%1 的精度：%2，%3</translation>
    </message>
    <message>
        <source>Block formats, pure formats, scaling, rounding and sums</source>
        <translation>块格式、纯格式、缩放、舍入与求和</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PrecisionStrip</name>
    <message>
        <source>Precision strip: layers over steps</source>
        <translation>精度条：层与步</translation>
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
        <translation>%1 位</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100 %</translation>
    </message>
    <message>
        <source>non-finite ✕</source>
        <translation>非有限 ✕</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>No step was measured along the way.</source>
        <translation>途中没有测量过任何步。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PresentController</name>
    <message>
        <source>Before and after need two runs that are shown.</source>
        <translation>“之前 / 之后”需要两个显示的运行。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::PresentPage</name>
    <message>
        <source>Presentation</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Before / after</source>
        <translation>之前 / 之后</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Leave</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>%1, %2, lr %3, %4, seed %5.</source>
        <translation>%1，%2，lr %3，%4，种子 %5。</translation>
    </message>
    <message>
        <source>%1 is emulated.</source>
        <translation>%1 为模拟。</translation>
    </message>
    <message>
        <source>%1 and %2 are emulated.</source>
        <translation>%1 和 %2 为模拟。</translation>
    </message>
    <message>
        <source>step &lt;b&gt;%1&lt;/b&gt; of %2</source>
        <translation>第 &lt;b&gt;%1&lt;/b&gt; 步，共 %2 步</translation>
    </message>
    <message>
        <source>step &lt;b&gt;%1&lt;/b&gt;</source>
        <translation>第 &lt;b&gt;%1&lt;/b&gt; 步</translation>
    </message>
    <message>
        <source>What is shown: plots, colours, a lesson</source>
        <translation>显示什么：图、颜色、课程</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ProgramPage</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Framework</source>
        <translation>框架</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the program</source>
        <translation>复制程序</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Save the program</source>
        <translation>保存程序</translation>
    </message>
    <message>
        <source>The settings of</source>
        <translation>设置取自</translation>
    </message>
    <message>
        <source>in</source>
        <translation>框架为</translation>
    </message>
    <message>
        <source>The program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>已复制。</translation>
    </message>
    <message>
        <source>There is no run to write down.</source>
        <translation>没有可写出的运行。</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to see the program.</source>
        <translation>引擎已停止：请重新启动后再查看程序。</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>%1 was not saved: %2.</source>
        <translation>未保存 %1：%2。</translation>
    </message>
    <message>
        <source>the engine has stopped</source>
        <translation>引擎已停止</translation>
    </message>
    <message>
        <source>Left out: %1</source>
        <translation>未包含：%1</translation>
    </message>
    <message>
        <source>Saved %1 and the files that it reads.</source>
        <translation>已保存 %1 及其读取的文件。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RaceModel</name>
    <message>
        <source>%1, edited</source>
        <translation>%1，已改</translation>
    </message>
    <message>
        <source>It ends at step %1: %2.</source>
        <translation>它在第 %1 步结束：%2。</translation>
    </message>
    <message>
        <source>scaler</source>
        <translation>缩放器</translation>
    </message>
    <message>
        <source>The run&apos;s own scaler, and every preset</source>
        <translation>此运行自己的缩放器，以及每个预设</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Steps that it would have skipped</source>
        <translation>它会跳过的步</translation>
    </message>
    <message>
        <source>headroom</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>Powers of two between the scale and the highest usable scale of a step, mean over the steps taken</source>
        <translation>缩放因子低于该步所能承受值的 2 的幂次，取所走各步的平均</translation>
    </message>
    <message>
        <source>final scale</source>
        <translation>最终因子</translation>
    </message>
    <message>
        <source>After the last step</source>
        <translation>最后一步之后</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>The step at which its framework would have ended the run</source>
        <translation>其框架会结束该运行的那一步</translation>
    </message>
    <message>
        <source>this run&apos;s scaler</source>
        <translation>本运行的缩放器</translation>
    </message>
    <message>
        <source>longest streak</source>
        <translation>最长连续</translation>
    </message>
    <message>
        <source>The most skips in a row</source>
        <translation>连续跳过的最多步数</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RacePage</name>
    <message>
        <source>Scaler race</source>
        <translation>缩放器竞赛</translation>
    </message>
    <message>
        <source>A step is a whole number.</source>
        <translation>步是整数。</translation>
    </message>
    <message>
        <source>First step to be measured</source>
        <translation>要测量的第一步</translation>
    </message>
    <message>
        <source>Last step to be measured</source>
        <translation>要测量的最后一步</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop measuring; what was measured stays</source>
        <translation>停止测量；已测的保留</translation>
    </message>
    <message>
        <source>Scalers of the race</source>
        <translation>参赛的缩放器</translation>
    </message>
    <message>
        <source>The thresholds are those of the run as it went: a scaler that skips other steps would train other weights. Each scaler begins at the first step measured.</source>
        <translation>阈值取自此运行的实际过程：若缩放器跳过其他步，训练出的权重也会不同。每个缩放器都从测量的第一步开始。</translation>
    </message>
    <message>
        <source>A whole number, 1 or more; empty for the preset&apos;s own.</source>
        <translation>整数，至少为 1；留空则用预设的值。</translation>
    </message>
    <message>
        <source>A number above 0; empty for the preset&apos;s own.</source>
        <translation>大于 0 的数；留空则用预设的值。</translation>
    </message>
    <message>
        <source>grows every</source>
        <translation>增长间隔</translation>
    </message>
    <message>
        <source>Growth interval of the chosen scaler, steps</source>
        <translation>所选缩放器的增长间隔（步）</translation>
    </message>
    <message>
        <source>Initial scale of the chosen scaler</source>
        <translation>所选缩放器的初始缩放因子</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Train on with the chosen scaler, from the next step on</source>
        <translation>从下一步起用所选缩放器继续训练</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to measure steps.</source>
        <translation>引擎已停止：请重新启动后再测量步。</translation>
    </message>
    <message>
        <source>Measure %1 steps of %2</source>
        <translation>测量 %2 的 %1 步</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>再次测量</translation>
    </message>
    <message>
        <source>Measure %1 of %2</source>
        <translation>测量 %2 的 %1</translation>
    </message>
    <message>
        <source>no run</source>
        <translation>无运行</translation>
    </message>
    <message>
        <source>%1: step %2 of %3 is being measured</source>
        <translation>%1：正在测量第 %2 步，共 %3 步</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>as if its gradients were stored in %1</source>
        <translation>如同其梯度以 %1 存储</translation>
    </message>
    <message>
        <source>No run to examine.</source>
        <translation>没有可查看的运行。</translation>
    </message>
    <message>
        <source>%1 is read-only: its weights are not available, so its steps cannot be repeated.</source>
        <translation>%1 仅供查看：这里没有它的权重，它的步无法重复。</translation>
    </message>
    <message>
        <source>Each step is repeated to find its highest usable loss scale.</source>
        <translation>重复每一步，看它能承受多大的损失缩放因子。</translation>
    </message>
    <message>
        <source>Measure the highest usable loss scale of each step. Then every loss scaler is raced over the same steps, and you see how many each would have skipped.</source>
        <translation>测量每一步能承受多大的损失缩放因子。然后让每种损失缩放器在同样的步上竞赛，看各自会跳过多少步。</translation>
    </message>
    <message>
        <source>initial scale</source>
        <translation>初始缩放因子</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RacePlot</name>
    <message>
        <source>Loss scales of the race over the steps</source>
        <translation>竞赛中各步的损失缩放因子</translation>
    </message>
    <message>
        <source>Strong: %1</source>
        <translation>加粗：%1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>✕ overflows: the step is skipped</source>
        <translation>✕ 上溢：该步被跳过</translation>
    </message>
    <message>
        <source>%1, ended</source>
        <translation>%1，已结束</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 及另外 %2 个</translation>
    </message>
    <message>
        <source>No loss scale is usable at step %1.</source>
        <translation>第 %1 步不能承受任何损失缩放因子。</translation>
    </message>
    <message>
        <source>The highest usable loss scale at step %1 is %2.</source>
        <translation>第 %1 步能承受损失缩放因子 %2。</translation>
    </message>
    <message>
        <source>Every loss scale is usable at step %1.</source>
        <translation>第 %1 步能承受任何损失缩放因子。</translation>
    </message>
    <message>
        <source>%1: %2, skipped</source>
        <translation>%1：%2，被跳过</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ReadoutModel</name>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>raw</source>
        <translation>原始</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>accuracy, %</source>
        <translation>准确率，%</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>grad norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>lr</source>
        <translation>lr</translation>
    </message>
    <message>
        <source>exponential average, factor %1; the value itself is in the row below</source>
        <translation>指数平均，系数 %1；原值在下一行</translation>
    </message>
    <message>
        <source>exponential average of the logarithm, factor %1; the value itself is in the row below</source>
        <translation>对数的指数平均，系数 %1；原值在下一行</translation>
    </message>
    <message>
        <source>exponential average of the symlog value, factor %1; the value itself is in the row below</source>
        <translation>对称对数值的指数平均，系数 %1；原值在下一行</translation>
    </message>
    <message>
        <source>%1 TFLOP/s in %2 products</source>
        <translation>%1 TFLOP/s（%2 乘积）</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>%1 % of the GPU&apos;s peak of %2</source>
        <translation>GPU 峰值 %2 的 %1 %</translation>
    </message>
    <message>
        <source>the device&apos;s peak: n/a</source>
        <translation>设备峰值：未知</translation>
    </message>
    <message>
        <source>%1 % of the %2 that a large product reaches on this device</source>
        <translation>本设备上大型乘积所达 %2 的 %1 %</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
    <message>
        <source>%1, %</source>
        <translation>%1，%</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ReadoutPanel</name>
    <message>
        <source>Read-out</source>
        <translation>读数</translation>
    </message>
    <message>
        <source>Read-out: the values of all runs at one step</source>
        <translation>读数：所有运行在某一步的值</translation>
    </message>
    <message>
        <source>no step yet</source>
        <translation>尚无步</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>quantity, value</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run, values</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Release the step that a click holds: the newest step is shown again</source>
        <translation>松开点击固定的步：重新显示最新的一步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RecordingsPage</name>
    <message>
        <source>Recordings</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>begun</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Recordings, newest first</source>
        <translation>记录，最新在前</translation>
    </message>
    <message>
        <source>Output of the replay</source>
        <translation>重放的结果</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>显示文件夹</translation>
    </message>
    <message>
        <source>Show the folder of recordings</source>
        <translation>显示记录所在文件夹</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Really delete</source>
        <translation>确实删除</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Delete the chosen recording</source>
        <translation>删除所选记录</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>重放</translation>
    </message>
    <message>
        <source>Train the chosen recording once more and compare every value, bit by bit</source>
        <translation>将所选记录再训练一遍，逐位比较每个值</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open the chosen recording</source>
        <translation>打开所选记录</translation>
    </message>
    <message>
        <source>%1: the replay was stopped.</source>
        <translation>%1：重放已停止。</translation>
    </message>
    <message>
        <source>%1: trained once more…</source>
        <translation>%1：已再次训练…</translation>
    </message>
    <message>
        <source>%1: trained once more, step %2 of %3, identical so far.</source>
        <translation>%1：再次训练中，第 %2 步，共 %3 步，至今相同。</translation>
    </message>
    <message>
        <source>%1 (being recorded)</source>
        <translation>%1（正在记录）</translation>
    </message>
    <message>
        <source>This engine keeps no recordings.</source>
        <translation>此引擎不保留记录。</translation>
    </message>
    <message>
        <source>There are none yet in %1.</source>
        <translation>%1 中还没有记录。</translation>
    </message>
    <message>
        <source>%1 in %2, %3 in all.</source>
        <translation>%2 中有 %1 个，共 %3。</translation>
    </message>
    <message>
        <source>Delete %1? It cannot be brought back.</source>
        <translation>删除 %1？删除后无法恢复。</translation>
    </message>
    <message>
        <source>Stop replay</source>
        <translation>停止重放</translation>
    </message>
    <message>
        <source>formats</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>final loss</source>
        <translation>最终损失</translation>
    </message>
    <message>
        <source>The least final loss of its runs</source>
        <translation>各运行中最小的最终损失</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RecoveryController</name>
    <message>
        <source>Restart from the beginning</source>
        <translation>从头重新开始</translation>
    </message>
    <message>
        <source>Keep looking</source>
        <translation>继续查看</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>The engine stopped at step %1: %2.</source>
        <translation>引擎在第 %1 步停止：%2。</translation>
    </message>
    <message>
        <source>The engine stopped: %1.</source>
        <translation>引擎停止：%1。</translation>
    </message>
    <message>
        <source>Everything up to step %1 is still here: plots, read-out and pictures of them go on working.</source>
        <translation>到第 %1 步的一切都还在：图、读数和图片照常可用。</translation>
    </message>
    <message>
        <source>Nothing has been trained yet, so nothing is lost.</source>
        <translation>还没有训练过，所以没有任何损失。</translation>
    </message>
    <message>
        <source>Restart and go on from the last recorded step</source>
        <translation>重新启动，从最后记录的一步继续</translation>
    </message>
    <message>
        <source>Last words of the engine</source>
        <translation>引擎的最后输出</translation>
    </message>
    <message>
        <source>It was started again, from the beginning.</source>
        <translation>已重新启动，从头开始。</translation>
    </message>
    <message>
        <source>It was started again and goes on from the last recorded step.</source>
        <translation>已重新启动，从最后记录的步骤继续。</translation>
    </message>
    <message>
        <source>%1 takes over from %2: %3.</source>
        <translation>%1 接替 %2：%3。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Replay</name>
    <message>
        <source>%1 could not be started</source>
        <translation>无法启动 %1</translation>
    </message>
    <message>
        <source>The replay ended without a word.</source>
        <translation>重放没有说明就结束了。</translation>
    </message>
    <message>
        <source>Bit-identical: %1 steps of %2 runs, with %3 live changes</source>
        <translation>逐位相同：%2 个运行的 %1 步，含 %3 次实时更改</translation>
    </message>
    <message>
        <source> (%1).</source>
        <translation>（%1）。</translation>
    </message>
    <message>
        <source>The first difference is at step %1 of %2: %3 was %4 and is now %5.</source>
        <translation>首个差异在 %2 的第 %1 步：%3 原为 %4，现为 %5。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunCard</name>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunChip</name>
    <message>
        <source>run %1, hidden</source>
        <translation>运行 %1，已隐藏</translation>
    </message>
    <message>
        <source>Run %1 is hidden: show it</source>
        <translation>运行 %1 已隐藏：显示它</translation>
    </message>
    <message>
        <source>Run %1: hide it</source>
        <translation>运行 %1：隐藏它</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunChips</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunControls</name>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>lr</source>
        <translation>lr</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>The learning rate is a number, 0 or more.</source>
        <translation>学习率是不小于 0 的数。</translation>
    </message>
    <message>
        <source>Gradient norm clip</source>
        <translation>梯度范数裁剪</translation>
    </message>
    <message>
        <source>The clip is a number above 0, or empty for off.</source>
        <translation>裁剪值是大于 0 的数，留空则关闭。</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>Learning rate of %1</source>
        <translation>%1 的学习率</translation>
    </message>
    <message>
        <source>Gradient norm clip of %1</source>
        <translation>%1 的梯度范数裁剪</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunHeader</name>
    <message>
        <source>Name of run %1</source>
        <translation>运行 %1 的名称</translation>
    </message>
    <message>
        <source>emulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>native</source>
        <translation>原生</translation>
    </message>
    <message>
        <source>This format is emulated: results are those of the format, speed is not.</source>
        <translation>此格式是模拟的：结果与该格式一致，速度则不然。</translation>
    </message>
    <message>
        <source>The CPU computes in this format itself.</source>
        <translation>CPU 直接以此格式计算。</translation>
    </message>
    <message>
        <source>what if</source>
        <translation>假设</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Read-only: its weights are not available, so it cannot be trained further.</source>
        <translation>仅供查看：这里没有它的权重，也不再训练。</translation>
    </message>
    <message>
        <source>Show run %1</source>
        <translation>显示运行 %1</translation>
    </message>
    <message>
        <source>Hide run %1</source>
        <translation>隐藏运行 %1</translation>
    </message>
    <message>
        <source>More about run %1</source>
        <translation>运行 %1 的更多操作</translation>
    </message>
    <message>
        <source>A training in another process, which a probe reports.</source>
        <translation>另一进程中的训练，由探针报告。</translation>
    </message>
    <message>
        <source>PyTorch</source>
        <translation>PyTorch</translation>
    </message>
    <message>
        <source>log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Another program&apos;s log, read while it grows.</source>
        <translation>其他程序的日志，增长时持续读取。</translation>
    </message>
    <message>
        <source>A short trial run. Its parent run does not change.</source>
        <translation>短暂的试验运行，其来源运行不会改变。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunList</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunListModel</name>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>recorded, %1 steps</source>
        <translation>记录，%1 步</translation>
    </message>
    <message>
        <source>what if, %1 steps</source>
        <translation>假设，%1 步</translation>
    </message>
    <message>
        <source>%1 pending, next step</source>
        <translation>%1 待定，下一步</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1，%2，%3</translation>
    </message>
    <message>
        <source>shown after the answer</source>
        <translation>答案之后显示</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunNote</name>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>from %1 at step %2</source>
        <translation>来自 %1，第 %2 步</translation>
    </message>
    <message>
        <source>a run that is gone</source>
        <translation>已不存在的运行</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>来自 %1</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>舍弃</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Keep %1 as a run like others</source>
        <translation>将 %1 保留为普通运行</translation>
    </message>
    <message>
        <source>Dismiss %1</source>
        <translation>舍弃 %1</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>no step yet</source>
        <translation>还没有步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::RunsDock</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add a run with the selected run&apos;s settings</source>
        <translation>按所选运行的设置添加一个运行</translation>
    </message>
    <message>
        <source>in lock-step</source>
        <translation>同步前进</translation>
    </message>
    <message>
        <source>each at its pace</source>
        <translation>各按其速</translation>
    </message>
    <message>
        <source>%1, same seed</source>
        <translation>%1，同一种子</translation>
    </message>
    <message>
        <source>Why? Examine step %1</source>
        <translation>为什么？查看第 %1 步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScaleHistogram</name>
    <message>
        <source>How many blocks have a scale of each power of two</source>
        <translation>缩放因子为各个 2 的幂的块数</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>scales of blocks</source>
        <translation>块的缩放因子</translation>
    </message>
    <message>
        <source>%1 to below %2: %3 blocks</source>
        <translation>%1 至 %2 以下：%3 个块</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScaleSpin</name>
    <message>
        <source>The scale is a positive number up to 3.4·10³⁸, such as 2^16.</source>
        <translation>缩放因子是不超过 3.4·10³⁸ 的正数，如 2^16。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScaleStrip</name>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ScalerControls</name>
    <message>
        <source>Scaler</source>
        <translation>缩放器</translation>
    </message>
    <message>
        <source>Loss scaler</source>
        <translation>损失缩放器</translation>
    </message>
    <message>
        <source>loss is not scaled</source>
        <translation>损失不缩放</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>Double the loss scale</source>
        <translation>损失缩放因子加倍</translation>
    </message>
    <message>
        <source>Halve the loss scale</source>
        <translation>损失缩放因子减半</translation>
    </message>
    <message>
        <source>Growth, backoff and interval of the loss scaler</source>
        <translation>损失缩放器的增长、回退和间隔</translation>
    </message>
    <message>
        <source>A whole number, 1 or more.</source>
        <translation>整数，至少为 1。</translation>
    </message>
    <message>
        <source>The limit must be above 0. Leave it empty for the preset&apos;s value.</source>
        <translation>界限大于 0，留空则用预设的值。</translation>
    </message>
    <message>
        <source>the preset&apos;s</source>
        <translation>预设的值</translation>
    </message>
    <message>
        <source>growth ×</source>
        <translation>增长 ×</translation>
    </message>
    <message>
        <source>Growth factor</source>
        <translation>增长因子</translation>
    </message>
    <message>
        <source>The growth factor is above 1.</source>
        <translation>增长因子大于 1。</translation>
    </message>
    <message>
        <source>backoff ×</source>
        <translation>回退 ×</translation>
    </message>
    <message>
        <source>Backoff factor</source>
        <translation>回退因子</translation>
    </message>
    <message>
        <source>The backoff factor must be between 0 and 1.</source>
        <translation>回退因子在 0 和 1 之间。</translation>
    </message>
    <message>
        <source>Growth interval, steps</source>
        <translation>增长间隔（步）</translation>
    </message>
    <message>
        <source>Smallest scale</source>
        <translation>最小缩放因子</translation>
    </message>
    <message>
        <source>Largest scale</source>
        <translation>最大缩放因子</translation>
    </message>
    <message>
        <source>hysteresis</source>
        <translation>迟滞</translation>
    </message>
    <message>
        <source>Hysteresis, overflows</source>
        <translation>迟滞（上溢次数）</translation>
    </message>
    <message>
        <source>follows the largest gradients</source>
        <translation>跟随最大的梯度</translation>
    </message>
    <message>
        <source>×%1, ×%2, every %3 steps</source>
        <translation>×%1，×%2，每 %3 步</translation>
    </message>
    <message>
        <source>growth ×%1, backoff ×%2, every %3 steps</source>
        <translation>增长 ×%1，回退 ×%2，每 %3 步</translation>
    </message>
    <message>
        <source>Loss scaler of %1</source>
        <translation>%1 的损失缩放器</translation>
    </message>
    <message>
        <source>Loss scale of %1</source>
        <translation>%1 的损失缩放因子</translation>
    </message>
    <message>
        <source>growth interval</source>
        <translation>增长间隔</translation>
    </message>
    <message>
        <source>min scale</source>
        <translation>最小缩放</translation>
    </message>
    <message>
        <source>max scale</source>
        <translation>最大缩放</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Screenshot</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>the engine stopped: %1</source>
        <translation>引擎已停止：%1</translation>
    </message>
    <message>
        <source>%1 stopped after %2 of %3 steps: %4</source>
        <translation>%1 在 %2 步后停止，共 %3 步：%4</translation>
    </message>
    <message>
        <source>training ended before step %1</source>
        <translation>训练在第 %1 步之前结束</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>未写入 %1：%2</translation>
    </message>
    <message>
        <source>%1 ends after %2 steps: the picture shows its last step</source>
        <translation>%1 在 %2 步后结束：图片显示其最后一步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StatusLine</name>
    <message>
        <source>Starting the engine</source>
        <translation>正在启动引擎</translation>
    </message>
    <message>
        <source>Engine stopped</source>
        <translation>引擎已停止</translation>
    </message>
    <message>
        <source>Engine stopped; controls are disabled, nothing is lost</source>
        <translation>引擎已停止；控件已停用，没有丢失任何内容</translation>
    </message>
    <message>
        <source>Engine ready</source>
        <translation>引擎就绪</translation>
    </message>
    <message>
        <source>Paused at step %1</source>
        <translation>暂停于第 %1 步</translation>
    </message>
    <message>
        <source>Engine running; training goes on while the view is frozen</source>
        <translation>引擎运行中；视图冻结时训练照常进行</translation>
    </message>
    <message>
        <source>Engine running</source>
        <translation>引擎运行中</translation>
    </message>
    <message>
        <source>Finished at step %1</source>
        <translation>完成于第 %1 步</translation>
    </message>
    <message>
        <source>Rewinding %1: step %2 of %3. Pause breaks off.</source>
        <translation>正在回退 %1：第 %2 步，共 %3 步。按暂停中止。</translation>
    </message>
    <message>
        <source>a run</source>
        <translation>某个运行</translation>
    </message>
    <message>
        <source>%1, %2 train, %3 validation</source>
        <translation>%1，训练 %2，验证 %3</translation>
    </message>
    <message>
        <source>%1, seed %2</source>
        <translation>%1，种子 %2</translation>
    </message>
    <message>
        <source>recording %1· %2</source>
        <translation>正在记录 %1· %2</translation>
    </message>
    <message>
        <source>%1· %2, not recording</source>
        <translation>%1· %2，未在记录</translation>
    </message>
    <message>
        <source>%1
%2 steps are safe there</source>
        <translation>%1
%2 步已安全存于此</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>显示文件夹</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>复制路径</translation>
    </message>
    <message>
        <source>Recordings…</source>
        <translation>记录…</translation>
    </message>
    <message>
        <source>Watching at %1</source>
        <translation>正在 %1 观察</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StepCounter</name>
    <message>
        <source>The timeline: press it to choose a step</source>
        <translation>时间线：按下以选择一步</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>共 %1</translation>
    </message>
    <message>
        <source> · epoch %1</source>
        <translation> · 第 %1 轮</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StepDots</name>
    <message>
        <source>Step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::StepQuestions</name>
    <message>
        <source>The engine has stopped: restart it to read a step.</source>
        <translation>引擎已停止：请重新启动后再读取步。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::SymptomsPage</name>
    <message>
        <source>Guide</source>
        <translation>手册</translation>
    </message>
    <message>
        <source>Read in the guide: %1</source>
        <translation>在指南中阅读：%1</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Open the experiment that shows it: %1</source>
        <translation>打开展示该问题的实验：%1</translation>
    </message>
    <message>
        <source>None of the present runs shows one of these. Choose what you see in your own training.</source>
        <translation>当前运行均未出现其中任何一种。请选择您在自己训练中看到的现象。</translation>
    </message>
    <message>
        <source>What a present run shows is marked, and leads to it. For your own training choose what you see.</source>
        <translation>当前运行出现的现象已标出，并可跳转到该运行。对于您自己的训练，请选择您看到的现象。</translation>
    </message>
    <message>
        <source>%1: shown by a present run</source>
        <translation>%1：当前有运行出现</translation>
    </message>
    <message>
        <source>Examine %1 in Diagnose: %2</source>
        <translation>在诊断中查看 %1：%2</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TextPanel</name>
    <message>
        <source>Text that the model writes</source>
        <translation>模型写出的文本</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>written after step %1</source>
        <translation>写于第 %1 步之后</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ThroughputLine</name>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>samples/s, emulated</source>
        <translation>样本/秒，模拟</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Timeline</name>
    <message>
        <source>No run has a step %1 to go back to.</source>
        <translation>没有运行有可返回的第 %1 步。</translation>
    </message>
    <message>
        <source>This run has no step %1 to go back to.</source>
        <translation>此运行没有可返回的第 %1 步。</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>No step chosen: click in the plots</source>
        <translation>未选步：请在图中单击</translation>
    </message>
    <message>
        <source>Rewind %1 alone</source>
        <translation>只回退 %1</translation>
    </message>
    <message>
        <source>before step %1</source>
        <translation>第 %1 步之前</translation>
    </message>
    <message>
        <source>from here</source>
        <translation>从这里</translation>
    </message>
    <message>
        <source>Fork %1 %2…</source>
        <translation>分叉 %1 %2…</translation>
    </message>
    <message>
        <source>What if, with %1 %2…</source>
        <translation>假设，用 %1 %2…</translation>
    </message>
    <message>
        <source>Rewind all runs to step %1</source>
        <translation>将所有运行回退到第 %1 步</translation>
    </message>
    <message>
        <source>Rewind %1 to step %2, the first non-finite one</source>
        <translation>将 %1 回退到第 %2 步，即首个非有限的步</translation>
    </message>
    <message>
        <source>Rewind %1 to step %2, the last skip</source>
        <translation>将 %1 回退到第 %2 步，即最后被跳过的步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TimelineController</name>
    <message>
        <source>%1 is before step %2 again.</source>
        <translation>%1 又回到第 %2 步之前。</translation>
    </message>
    <message>
        <source>%1 did not repeat itself</source>
        <translation>%1 未能重现</translation>
    </message>
    <message>
        <source>Step %1 came out differently on the way back: what follows may differ from the first time.</source>
        <translation>第 %1 步在返回途中结果不同：其后可能与第一次不同。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run, what happened to it</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Choose a step first: point at it or click it in the plots.</source>
        <translation>请先选一步：在图中指向它或单击它。</translation>
    </message>
    <message>
        <source>Click the step in the plots first: what was trained from there on will be gone.</source>
        <translation>请先在图中单击该步：从那里起训练的内容将消失。</translation>
    </message>
    <message>
        <source>Why? Examine step %1 of %2</source>
        <translation>为什么？查看 %2 的第 %1 步</translation>
    </message>
    <message>
        <source>Copy plot as picture</source>
        <translation>将图复制为图片</translation>
    </message>
    <message>
        <source>Copy plot as table</source>
        <translation>将图复制为表格</translation>
    </message>
    <message>
        <source>There is no step yet to write a note at.</source>
        <translation>还没有可加备注的步。</translation>
    </message>
    <message>
        <source>Edit note “%1”…</source>
        <translation>编辑备注“%1”…</translation>
    </message>
    <message>
        <source>Remove note “%1”</source>
        <translation>移除备注“%1”</translation>
    </message>
    <message>
        <source>Note at step %1…</source>
        <translation>在第 %1 步加备注…</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TimesModel</name>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>启动</translation>
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
        <translation>操作</translation>
    </message>
    <message>
        <source>format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
    <message>
        <source>% of GEMM</source>
        <translation>占 GEMM %</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>limited by</source>
        <translation>受限于</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>比值</translation>
    </message>
    <message>
        <source>All instructions of this name in a step; “_grad” marks those of the backward pass</source>
        <translation>一步中此名称的所有指令；“_grad”表示反向传播的指令</translation>
    </message>
    <message>
        <source>The format in which products are computed</source>
        <translation>计算乘积所用的格式</translation>
    </message>
    <message>
        <source>How often a step runs it</source>
        <translation>一步执行它的次数</translation>
    </message>
    <message>
        <source>Time of all its runs in a step</source>
        <translation>一步中所有执行的时间合计</translation>
    </message>
    <message>
        <source>Share of the time of all operations</source>
        <translation>占所有操作时间的比例</translation>
    </message>
    <message>
        <source>Floating-point operations of its products in a second, in 10¹²</source>
        <translation>其乘积每秒的浮点运算次数，单位 10¹²</translation>
    </message>
    <message>
        <source>Its rate over that of one large matrix product in the same format on this device</source>
        <translation>其速率与此设备上同一格式的一个大乘积速率之比</translation>
    </message>
    <message>
        <source>Bytes that it reads and writes in a second, in 10⁹; beyond the memory&apos;s rate, the numbers are in a cache</source>
        <translation>每秒读写的字节数，单位 10⁹；超过内存速率时数据在缓存中</translation>
    </message>
    <message>
        <source>The time of the same operation in the other run, or predicted for the GPU</source>
        <translation>另一运行中同一操作的时间，或对该 GPU 的预测</translation>
    </message>
    <message>
        <source>This run&apos;s time over the other one</source>
        <translation>此运行的时间与另一时间之比</translation>
    </message>
    <message>
        <source>What most of the predicted time goes to: computing products, reading and writing memory, or starting the operation</source>
        <translation>预测时间的大部分用于：计算乘积、读写内存，或启动操作</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TimesPage</name>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>Time of a step by operation</source>
        <translation>一步的时间（按操作）</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>对照</translation>
    </message>
    <message>
        <source>Times shown beside those of this run</source>
        <translation>与此运行并列显示的时间</translation>
    </message>
    <message>
        <source>Another run that was measured, or a GPU for which the times of this run&apos;s step are predicted</source>
        <translation>另一个已测量的运行，或为其预测此步时间的 GPU</translation>
    </message>
    <message>
        <source>Measures the latest step of each run, so that they can be shown beside each other</source>
        <translation>测量每个运行的最新一步，以便并列显示</translation>
    </message>
    <message>
        <source>The engine has stopped: restart it to measure a step.</source>
        <translation>引擎已停止：请重新启动后再测量步。</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1, predicted</source>
        <translation>%1（预测）</translation>
    </message>
    <message>
        <source>What limits the step</source>
        <translation>此步受何限制</translation>
    </message>
    <message>
        <source>A step of “%1” takes %2, so this run takes %3 times as long.</source>
        <translation>“%1”的一步需要 %2；此运行是其 %3 倍。</translation>
    </message>
    <message>
        <source>Measure step %1</source>
        <translation>测量第 %1 步</translation>
    </message>
    <message>
        <source>Measure all runs</source>
        <translation>测量所有运行</translation>
    </message>
    <message>
        <source>Where does the time of a step go, and why is a narrower format not faster? Each operation of a step is timed on this device. The run does not change.</source>
        <translation>一步的时间花在哪里，更窄的格式为何不更快？在此设备上测量一步的每个操作。运行不会改变。</translation>
    </message>
    <message>
        <source>%1, step %2, on %3</source>
        <translation>%1，第 %2 步，%3</translation>
    </message>
    <message>
        <source>On %1, a step is predicted to take %2.</source>
        <translation>在 %1 上，一步预计需要 %2。</translation>
    </message>
    <message>
        <source>A step takes %1, its operations %2: products %3 %, conversions between formats %4 %, others %5 %.</source>
        <translation>一步需要 %1，其操作共 %2：乘积 %3 %，格式转换 %4 %，其他 %5 %。</translation>
    </message>
    <message>
        <source>Goes back to the step on a copy of the run, repeats it several times and times each operation. The run goes on.</source>
        <translation>在运行的副本上回到该步，重复若干次并测量每个操作的时间。运行继续进行。</translation>
    </message>
    <message>
        <source>No kind of operation stands out.</source>
        <translation>没有哪类操作特别突出。</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>停止测量</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TopBar</name>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Single step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Rewind, fork, what if</source>
        <translation>回退、分叉、假设</translation>
    </message>
    <message>
        <source>Reset to step 0</source>
        <translation>重置到第 0 步</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Pace of training</source>
        <translation>训练速度</translation>
    </message>
    <message>
        <source>Freeze view</source>
        <translation>冻结视图</translation>
    </message>
    <message>
        <source>What the plots follow</source>
        <translation>图跟随什么</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Follow the tail again</source>
        <translation>重新跟随末端</translation>
    </message>
    <message>
        <source>Crosshair</source>
        <translation>十字光标</translation>
    </message>
    <message>
        <source>Crosshair off</source>
        <translation>十字光标关</translation>
    </message>
    <message>
        <source>Crosshair + values</source>
        <translation>十字光标 + 读数</translation>
    </message>
    <message>
        <source>Next crosshair mode</source>
        <translation>下一种十字光标模式</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>New experiment</source>
        <translation>新建实验</translation>
    </message>
    <message>
        <source>Rewind</source>
        <translation>回退</translation>
    </message>
    <message>
        <source>Frozen · %1 new steps</source>
        <translation>已冻结 · 新增 %1 步</translation>
    </message>
    <message>
        <source>Frozen, back to the live end</source>
        <translation>已冻结，回到实时末端</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Train more</source>
        <translation>继续训练</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::Tour</name>
    <message>
        <source>A format for each run</source>
        <translation>每个运行一种格式</translation>
    </message>
    <message>
        <source>Click another one: the run goes on in it from its next step, and the other runs stay as they are.</source>
        <translation>单击另一种格式：此运行从下一步起改用它，其他运行保持不变。</translation>
    </message>
    <message>
        <source>The loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>FP16 loses small gradients. Its scaler multiplies the loss by this power of two first; ×2 and ÷2 change it while it trains.</source>
        <translation>FP16 会丢失小的梯度。其缩放器先将损失乘以这个 2 的幂；×2 和 ÷2 可在训练中更改它。</translation>
    </message>
    <message>
        <source>The plots</source>
        <translation>图</translation>
    </message>
    <message>
        <source>The wheel zooms, a drag pans, a double click shows everything. Point at a step to see its values in the read-out; a click pins the step.</source>
        <translation>滚轮缩放，拖动平移，双击显示全部。指向某一步，读数就显示该步的值；单击将其定住。</translation>
    </message>
    <message>
        <source>When a step is skipped</source>
        <translation>某一步被跳过时</translation>
    </message>
    <message>
        <source>◇ in the plots is a step that overflowed. “Why?” on its run&apos;s card, or Diagnose, shows where it began and what would help.</source>
        <translation>图中的 ◇ 是上溢的一步。其运行卡片上的“为什么？”或“诊断”会显示它起源于何处，以及什么会有帮助。</translation>
    </message>
    <message>
        <source>Everything has a key</source>
        <translation>一切都有快捷键</translation>
    </message>
    <message>
        <source>? lists them. The guide is in the menu Help, and so is this tour.</source>
        <translation>按 ? 列出快捷键。指南在“帮助”菜单中，本导览也在那里。</translation>
    </message>
    <message>
        <source>Skip tour</source>
        <translation>跳过导览</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>第 %1 项，共 %2 项</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>Tour, %1 of %2: %3</source>
        <translation>导览，第 %1 项，共 %2 项：%3</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrainingController</name>
    <message>
        <source>Train %1 more steps</source>
        <translation>再训练 %1 步</translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation>暂停训练</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>The loss of %1 is not scaled.</source>
        <translation>%1 的损失不缩放。</translation>
    </message>
    <message>
        <source>an Inf in the next batch</source>
        <translation>下一批中的一个 Inf</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrainingLine</name>
    <message>
        <source>Step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrialsModel</name>
    <message>
        <source>not run</source>
        <translation>未运行</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>参照</translation>
    </message>
    <message>
        <source>finite</source>
        <translation>有限</translation>
    </message>
    <message>
        <source>skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>non-finite</source>
        <translation>非有限</translation>
    </message>
    <message>
        <source>The forward pass was not finite.</source>
        <translation>前向传播非有限。</translation>
    </message>
    <message>
        <source>trial</source>
        <translation>试验</translation>
    </message>
    <message>
        <source>non-finite
gradients</source>
        <translation>非有限
梯度</translation>
    </message>
    <message>
        <source>flushed
to zero</source>
        <translation>归零
比例</translation>
    </message>
    <message>
        <source>differs
from FP32</source>
        <translation>与 FP32
之差</translation>
    </message>
    <message>
        <source>outcome</source>
        <translation>结果</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::TrialsTable</name>
    <message>
        <source>Trials: the step repeated in other ways</source>
        <translation>试验：以其他方式重复此步</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::UndoController</name>
    <message>
        <source>While a lesson has the place of panels, the layout stays as it is: close the lesson first.</source>
        <translation>课程占用面板位置时布局保持不变：请先关闭课程。</translation>
    </message>
    <message>
        <source>Undo %1</source>
        <translation>撤销：%1</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo %1</source>
        <translation>重做：%1</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::UndoLog</name>
    <message>
        <source>hiding of %1</source>
        <translation>隐藏 %1</translation>
    </message>
    <message>
        <source>showing of %1</source>
        <translation>显示 %1</translation>
    </message>
    <message>
        <source>renaming of %1 to %2</source>
        <translation>将 %1 重命名为 %2</translation>
    </message>
    <message>
        <source>removal of a note</source>
        <translation>移除备注</translation>
    </message>
    <message>
        <source>change of %1 of %2</source>
        <translation>更改 %2 的 %1</translation>
    </message>
    <message>
        <source>%1 of %2 is %3 already.</source>
        <translation>%2 的 %1 已经是 %3。</translation>
    </message>
    <message>
        <source>%1 of %2 is %3 again from its next step on.</source>
        <translation>%2 的 %1 从下一步起恢复为 %3。</translation>
    </message>
    <message>
        <source>%1 No step was trained with the other value.</source>
        <translation>%1 没有一步是用另一个值训练的。</translation>
    </message>
    <message>
        <source>%1 Steps %2 to %3 stay as they were trained: Edit &gt; Fork goes on without them.</source>
        <translation>%1 第 %2 到 %3 步保持已训练的样子：“编辑 &gt; 从所撤销的更改之前分叉”可撇开这些步继续。</translation>
    </message>
    <message>
        <source>%1 is back with all of its steps.</source>
        <translation>%1 已恢复，包括它的所有步。</translation>
    </message>
    <message>
        <source>%1 is gone for good.</source>
        <translation>%1 已永久消失。</translation>
    </message>
    <message>
        <source>%1 is back with its settings. Its steps are gone: it trains them again from step 0.</source>
        <translation>%1 已按其设置恢复。它的步已丢失：将从第 0 步起重新训练。</translation>
    </message>
    <message>
        <source>removal of %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>adding of %1</source>
        <translation>添加 %1</translation>
    </message>
    <message>
        <source>change of a note</source>
        <translation>更改备注</translation>
    </message>
    <message>
        <source>note at step %1</source>
        <translation>第 %1 步的备注</translation>
    </message>
    <message>
        <source>new order of runs</source>
        <translation>运行的新顺序</translation>
    </message>
    <message>
        <source>new colours of runs</source>
        <translation>运行的新颜色</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::UsableScalesPlot</name>
    <message>
        <source>Usable loss scales of each layer</source>
        <translation>缩放因子走廊：各层可承受的损失缩放因子</translation>
    </message>
    <message>
        <source>✕ no scale fits</source>
        <translation>✕ 没有合适的因子</translation>
    </message>
    <message>
        <source>try %1</source>
        <translation>试 %1</translation>
    </message>
    <message>
        <source>used %1</source>
        <translation>所用 %1</translation>
    </message>
    <message>
        <source>safe for every layer</source>
        <translation>对每层都安全</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>损失缩放因子</translation>
    </message>
    <message>
        <source>overflowed: upper end not known</source>
        <translation>上溢：上端未知</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::VerdictCard</name>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>normal for a dynamic scaler</source>
        <translation>对动态缩放器属正常</translation>
    </message>
    <message>
        <source>What would help</source>
        <translation>什么会有帮助</translation>
    </message>
    <message>
        <source>Try them</source>
        <translation>试试看</translation>
    </message>
    <message>
        <source>Try longer</source>
        <translation>试更长时间</translation>
    </message>
    <message>
        <source>Try what would help on the next batches, without committing anything</source>
        <translation>在接下来的批次上试验什么会有帮助，均不生效</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>试验</translation>
    </message>
    <message>
        <source>Nothing is wrong with this step.</source>
        <translation>此步没有问题。</translation>
    </message>
    <message>
        <source>Every tensor, every gradient and the loss are finite.</source>
        <translation>每个张量、每个梯度和损失都有限。</translation>
    </message>
    <message>
        <source>not tried yet</source>
        <translation>尚未试过</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Train on with nothing changed</source>
        <translation>不作更改，继续训练</translation>
    </message>
    <message>
        <source>%1, from the next step on</source>
        <translation>%1，从下一步起</translation>
    </message>
    <message>
        <source>Not tried yet.</source>
        <translation>尚未试过。</translation>
    </message>
    <message>
        <source>More ways to use: %1</source>
        <translation>更多用法：%1</translation>
    </message>
    <message>
        <source>From the next step on</source>
        <translation>从下一步起</translation>
    </message>
    <message>
        <source>In a new run, from before this step</source>
        <translation>在新运行中，从此步之前</translation>
    </message>
    <message>
        <source>What if: %1 steps from before this step</source>
        <translation>假设：从此步之前起 %1 步</translation>
    </message>
    <message>
        <source>Trying…</source>
        <translation>正在试…</translation>
    </message>
    <message>
        <source>A new run from before step %1</source>
        <translation>从第 %1 步之前开始的新运行</translation>
    </message>
    <message>
        <source>In a new run, from before step %1</source>
        <translation>在新运行中，从第 %1 步之前开始</translation>
    </message>
    <message>
        <source>What if: %1 steps from before step %2</source>
        <translation>假设：从第 %2 步之前起 %1 步</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop trying; results so far are kept</source>
        <translation>停止尝试；已试的保留</translation>
    </message>
    <message>
        <source>%1, in a new run from before this step: training has ended</source>
        <translation>%1，在从这一步之前开始的新运行中：训练已结束</translation>
    </message>
    <message>
        <source>Training has ended</source>
        <translation>训练已结束</translation>
    </message>
    <message>
        <source>tried, did not help</source>
        <translation>已尝试，没有效果</translation>
    </message>
    <message>
        <source>tried on the next %1 batches: finite, but the loss is not restored yet</source>
        <translation>已在接下来的 %1 个批次上尝试：结果有限，但损失尚未恢复</translation>
    </message>
    <message>
        <source>without a change</source>
        <translation>不作改动</translation>
    </message>
    <message>
        <source>tried on the next %1 batches: none of the remedies has restored the loss so far; the best is first</source>
        <translation>已在接下来的 %1 个批次上试过：到那时没有一项使损失恢复，最好的排在最前</translation>
    </message>
    <message>
        <source>Only a run that trains here can be changed.</source>
        <translation>只有在这里训练的运行可以更改。</translation>
    </message>
    <message>
        <source>tried up to step %1, the run is unchanged</source>
        <translation>已试到第 %1 步，运行未改变</translation>
    </message>
    <message>
        <source>tried on the next %1 batches, the run is unchanged</source>
        <translation>在接下来的 %1 批上试过，运行未改变</translation>
    </message>
    <message>
        <source>step %1 repeated, the run is unchanged</source>
        <translation>重复第 %1 步，运行未改变</translation>
    </message>
    <message>
        <source>Try it first. It can be applied after its result is shown.</source>
        <translation>请先试。显示结果之后即可应用。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::VerdictPanel</name>
    <message>
        <source>Scaler verdict</source>
        <translation>缩放器结论</translation>
    </message>
    <message>
        <source>Open in Diagnose</source>
        <translation>在诊断中打开</translation>
    </message>
    <message>
        <source>Examine step %1 of %2</source>
        <translation>查看 %2 的第 %1 步</translation>
    </message>
    <message>
        <source>No run scales its loss.</source>
        <translation>没有运行缩放其损失。</translation>
    </message>
    <message>
        <source>No step skipped so far.</source>
        <translation>至今没有跳过的步。</translation>
    </message>
    <message>
        <source>1 step skipped, step %1.</source>
        <translation>跳过 1 步，第 %1 步。</translation>
    </message>
    <message>
        <source>%1 steps skipped so far, the last at step %2.</source>
        <translation>至今跳过 %1 步，最后是第 %2 步。</translation>
    </message>
    <message>
        <source>%1 of %2 clean steps</source>
        <translation>%2 步中 %1 步正常</translation>
    </message>
    <message>
        <source>It grows to %1 after %2 more.</source>
        <translation>再有 %2 步后增长到 %1。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::ViewController</name>
    <message>
        <source>This plot has one scale: what it shows is exact.</source>
        <translation>此图只有一种刻度：所示为精确值。</translation>
    </message>
    <message>
        <source>The cursors are locked: View &gt; Lock the cursors lets them go.</source>
        <translation>游标已锁定：“视图 &gt; 锁定游标”可解除。</translation>
    </message>
    <message>
        <source>There is no step yet to put a cursor on.</source>
        <translation>还没有可放置游标的步。</translation>
    </message>
</context>
<context>
    <name>mantissa::gui::WatchDialog</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>复制%1</translation>
    </message>
    <message>
        <source>Watch a PyTorch training</source>
        <translation>观察 PyTorch 训练</translation>
    </message>
    <message>
        <source>Your own training, in this window</source>
        <translation>在此窗口中观察您自己的训练</translation>
    </message>
    <message>
        <source>A probe in the script reports loss scale, skipped steps, gradient norms and the magnitudes of all tensors. It changes no number, and never waits for this window.</source>
        <translation>脚本中的探针报告损失缩放、跳过的步、梯度范数以及所有张量的量级。它不改变任何数，也从不等待此窗口。</translation>
    </message>
    <message>
        <source>the command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>the lines</source>
        <translation>代码行</translation>
    </message>
    <message>
        <source>3. Start watching, then start the script. It shows up here by itself.</source>
        <translation>3. 开始观察，然后启动脚本。它会自动出现在这里。</translation>
    </message>
    <message>
        <source>Open a probe&apos;s file…</source>
        <translation>打开探针文件…</translation>
    </message>
    <message>
        <source>Open a probe&apos;s file</source>
        <translation>打开探针文件</translation>
    </message>
    <message>
        <source>Stop listening</source>
        <translation>停止等待</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Start watching</source>
        <translation>开始观察</translation>
    </message>
    <message>
        <source>this experiment</source>
        <translation>此实验</translation>
    </message>
    <message>
        <source>Added to the runs of %1</source>
        <translation>与“%1”的运行并列，后者保留</translation>
    </message>
    <message>
        <source>Listening at %1. Scripts on this machine find it by themselves.</source>
        <translation>正在 %1 等待。本机上的脚本会自动找到它。</translation>
    </message>
    <message>
        <source>1. Let Python find the probe, in the terminal that the script runs in:</source>
        <translation>1. 在运行脚本的终端中，让 Python 找到探针：</translation>
    </message>
    <message>
        <source>2. Add these lines to the script, without scaler=scaler where it has none:</source>
        <translation>2. 在脚本中加入这些行；没有 scaler 时去掉 scaler=scaler：</translation>
    </message>
</context>
<context>
    <name>symptoms</name>
    <message>
        <source>The loss is NaN</source>
        <translation>损失为 NaN</translation>
    </message>
    <message>
        <source>The loss does not fall, or falls slower than in FP32</source>
        <translation>损失不下降，或比 FP32 下降得慢</translation>
    </message>
    <message>
        <source>Steps are skipped all the time</source>
        <translation>不断跳过步</translation>
    </message>
    <message>
        <source>The loss scale collapses, or never grows</source>
        <translation>损失缩放因子崩塌，或从不增长</translation>
    </message>
    <message>
        <source>FP16 is not faster</source>
        <translation>FP16 并不更快</translation>
    </message>
    <message>
        <source>Memory does not shrink</source>
        <translation>内存没有减少</translation>
    </message>
    <message>
        <source>Validation or inference differs from training</source>
        <translation>验证或推理与训练不一致</translation>
    </message>
    <message>
        <source>Results change from run to run</source>
        <translation>每次运行结果不同</translation>
    </message>
    <message>
        <source>A BF16 checkpoint fails in FP16</source>
        <translation>BF16 检查点在 FP16 中失败</translation>
    </message>
    <message>
        <source>Gradients are clipped to nothing</source>
        <translation>梯度被裁剪殆尽</translation>
    </message>
</context>
</TS>

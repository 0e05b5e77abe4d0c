// SPDX-License-Identifier: Apache-2.0
// A small lesson of two runs: a question with a hidden run, a change on the way, and a beginning anew.
#pragma once

#include <QString>
#include <memory>

#include "engine/lessons/lesson.h"

namespace mantissa::gui {

inline const char* kSampleLesson = R"(# Two formats
Two runs that part.

seeds: 1
minutes: 2

```experiment
{"title": "Two formats", "data": {"name": "digits", "batch_size": 16}, "model": {"kind": "mlp", "hidden": [8]}, "steps": 400,
 "runs": [{"name": "wide", "precision": "fp32"}, {"name": "narrow", "precision": "fp16", "scaler": {"preset": "pytorch"}}]}
```

## Which one is lower?
Both are trained to step 20. See [the guide](loss-scaling.md), or `lr`.

```do
hide "narrow"
panels loss, loss scale
train to 20
```

```ask
Which one is lower?
- The one in *fp32* *
  It keeps more bits.
- The one in fp16
  It keeps fewer bits.
```

The wide one, by **a little**.

```do
show "narrow"
set "wide" /optimizer/lr 0.05
train to 40
```

```claim
loss("wide", 0) > 0
loss("wide", 0) < 0
```

## A change
Now in BF16.

```do
set "narrow" /precision bf16
train to 60
```

## Anew
From the beginning.

```do
reset
train to 10
```
)";

inline std::shared_ptr<const Lesson> sampleLesson() {
    return std::make_shared<const Lesson>(readLesson(kSampleLesson, "two-formats.md"));
}

}  // namespace mantissa::gui

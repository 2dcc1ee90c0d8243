"""Rules: verdicts and IR become findings. One file a rule, its docstring is its documentation page.

Codes come in families of a hundred by property; a code keeps its meaning for ever:

    GL0xx  the tool itself     (`style`, `suppression`, or the property that stayed open)
    GL1xx  in-range            an access whose subscript leaves its array
    GL2xx  in-range            an access past the data because the launch was rounded up
    GL3xx  disjoint            two threads meet in an element
    GL4xx  no-wrap             integer arithmetic leaves its width
    GL5xx  contract            the contract, and launches against it and against the device
    GL6xx  covered             elements that the launch leaves unwritten
    GL7xx  no-alias            arguments that overlap
    GL8xx  convergent          barriers that not all threads reach
    GL9xx  initialised         values read before they are written, lanes that a load leaves out

Within the last family GL901 is about elements of arrays, GL902 about lanes without a value
and GL903 about lanes padded with a value that counts. GL508 (static shared memory), GL509 (an autotuned
kernel that runs several times) and GL510 (the length of `tl.arange`) belong to the contract of a launch.

Rules live in one folder a family, where `registry` finds them on first use.
"""

"""A verified Triton kernel to PTX and machine code, ahead of time, through Triton's own compiler."""

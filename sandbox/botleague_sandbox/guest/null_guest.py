"""The least guest there is: it answers every line with null. Zygotes rehearse with it, and machines are tried."""

from __future__ import annotations

# Compiled from this text; reads into the 256 bytes from 32 on:
# (module
#   (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
#   (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
#   (memory (export "memory") 1)
#   (data (i32.const 0) "\20\00\00\00\00\01\00\00\10\02\00\00\05\00\00\00")
#   (data (i32.const 528) "null\n")
#   (func (export "_start") (loop
#     (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16)))
#     (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))
#     (br 0))))
MODULE = bytes.fromhex(
    "0061736d01000000010c0260047f7f7f7f017f60000002440216776173695f736e617073686f745f70726576696577310766"
    "645f72656164000016776173695f736e617073686f745f70726576696577310866645f777269746500000302010105030100"
    "01071302066d656d6f72790200065f737461727400020a1f011d000340410041004101411010001a41014108410141101001"
    "1a0c000b0b0b21020041000b1020000000000100001002000005000000004190040b056e756c6c0a0015046e616d65010e02"
    "00047265616401057772697465"
)

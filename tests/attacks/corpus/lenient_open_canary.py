# attack: filesystem
# expect: contained
# language: promised
# imports: lenient
# note: lenient imports bring an `open`; it must reach the submission's own files only, and write none
import os, gzip
from os import path


def move(observation):
    canary = observation["canary"]
    up = path.join(*[".."] * 12)
    for name in (canary["file"], up + canary["file"], "/" + canary["file"], "./" + up + canary["file"], 0):
        for opened in (open, gzip.open):
            try:
                return "PWNED read " + str(opened(name).read())[:20]
            except (OSError, TypeError):
                pass
    for mode in ("w", "a", "x", "r+", "wb", "w+b"):
        try:
            with open(path.join(canary["dir"], "x"), mode) as file:
                file.write("x")
            return "PWNED wrote"
        except (OSError, ValueError):
            pass
    if os.environ.get(canary["env"]) or path.exists(canary["dir"]):
        return "PWNED looked"
    return observation["legal"][0]

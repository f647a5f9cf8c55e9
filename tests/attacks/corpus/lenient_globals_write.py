# attack: catch-all
# expect: contained
# verdict: timeout exception
# language: promised
# imports: lenient
# note: globals() is a copy: nothing written to it changes what a handler catches or what a guard is
def move(observation):
    for names in (globals(), locals()):
        names["ValueError"] = BaseException
        for key in ("__builtins__", "_still_", "_getattr_"):
            if key in names:
                return "ESCAPED " + key
    while True:
        try:
            while True: pass
        except ValueError: pass

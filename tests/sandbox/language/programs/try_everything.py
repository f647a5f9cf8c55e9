class TooBad(Exception):
    def __init__(self, reason, code=3):
        super().__init__(reason)
        self.code = code
log = []
def risky(n):
    try:
        if n == 0: return 1 / 0
        if n == 1: return [][1]
        if n == 2: raise TooBad("bad")
        if n == 3: return int("x")
        if n == 4: raise KeyError("k") from ValueError("v")
        return "fine"
    except ZeroDivisionError as e:
        return "zero " + str(e)
    except (IndexError, ValueError) as e:
        return type(e).__name__ + " " + str(e)
    except TooBad as e:
        return e.args, e.code
    except Exception:
        log.append("other")
        raise
    else:
        return "else"
    finally:
        log.append(n)
def move(obs):
    out = []
    for n in range(6):
        try: out.append(risky(n))
        except KeyError as e: out.append(repr(e))
        except: out.append("?")
    try:
        try: raise ValueError("first")
        except ValueError: raise RuntimeError("second")
    except BaseException as e: out.append(str(e))
    for i in range(3):
        try: continue
        finally: out.append(i)
    assert out, "never empty"
    return out, log[-3:]

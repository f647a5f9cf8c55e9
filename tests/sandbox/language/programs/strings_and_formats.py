import string, re, textwrap
def move(obs):
    name, n = "Bot", 7
    table = "\n".join("{:<5}|{:>4}".format(k, v) for k, v in {"a": 1, "bb": 22}.items())
    data = {"x": 1.5, "y": [1, 2]}
    return [
        "%s has %d (%.2f%%)" % (name, n, 12.345), f"{name!r:>8}|{n:03d}|{n / 3:.{2}f}|{n=}", table,
        "{x:.2f} {y[1]}".format(**data), "{0} {1} {0}".format("a", "b"), "{:{}}".format("w", 5), "{x}".format_map(data),
        string.Template("$who!").substitute(who="me"), re.sub(r"(\w)(\d)", r"\2\1", "a1b2"), re.findall(r"\d+", "1 22 333"),
        [m.group(1) for m in re.finditer(r"<(\w+)>", "<a><b>")], textwrap.dedent("  x\n  y"), "a,b,,c".split(","), "abc"[::-1], "x".join("123"),
        "Hello".center(11, "*"), "ß".encode("utf-8"), b"\xff".decode("latin-1"), "tEsT".swapcase(), str.upper("abc"), "a" "b", r"\n", ("%(k)s" % {"k": 1}), repr("q'"), ascii("é"), "x" * 3, string.ascii_lowercase[:3], format(1234567, ","), format(255, "x"),
    ]

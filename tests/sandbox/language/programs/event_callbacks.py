class Events:
    def __init__(self): self._handlers = {}
    def on(self, name):
        def register(f):
            self._handlers.setdefault(name, []).append(f)
            f.event = name
            return f
        return register
    def emit(self, name, *a, **k): return [h(*a, **k) for h in self._handlers.get(name, ())]
ev = Events()
@ev.on("hit")
def ouch(damage, *, armour=0): return damage - armour
@ev.on("hit")
def shout(damage, **_): return "!" * damage
class Tool:
    def tag(f):
        f.tagged = True
        return f
    @tag
    def use(self): return "used"
    commands = {}
    def command(name, commands=commands):
        def deco(f):
            commands[name] = f
            return f
        return deco
    @command("go")
    def go(self): return "went"
def move(obs): return ev.emit("hit", 3, armour=1), ouch.event, ev.emit("none"), Tool.use.tagged, Tool().use(), Tool.commands["go"](Tool())

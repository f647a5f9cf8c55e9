import enum
Color = enum.Enum("Color", "RED GREEN BLUE")
Level = enum.IntEnum("Level", ["A", "B"], start=10)
def move(obs):
    return list(Color), Color.RED.value, Color["GREEN"].name, Level.B + 1, Color(3), isinstance(Color.RED, Color)

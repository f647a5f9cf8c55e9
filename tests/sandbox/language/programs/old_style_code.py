from __future__ import print_function, division
import string
class OldBot():
    def __init__(self):
        self.map = []
        self.init_map()
    def init_map(self):
        for i in range(3):
            row = []
            for j in range(3):
                row.append(i*3+j)
            self.map.append(row)
    def Act(self, data):
        (name, pos, damage) = data
        if(damage > 5):
            direction = 90
        elif(damage == 5):
            direction = 45
        else:
            direction = 0
        i = 0
        while i < len(self.map):
            for v in self.map[i]:
                if v == 4:
                    break
            else:
                direction += 1
            i = i + 1
        return (direction, pos[0]/2, pos[1]//2, name, self.map)
bot = OldBot()
def move(obs):
    return bot.Act(("x", (3, 5), obs["turn"]))

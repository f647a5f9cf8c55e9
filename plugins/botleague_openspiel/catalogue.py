"""Catalogue of the games of OpenSpiel that may be played here, as data: lists of variants need no native code.

Tests compare every entry with the library, and play the least and the greatest value of every parameter.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """One game of the library.

    Attributes:
        title: its name for people.
        seats: their number, or the least and the greatest number: ``"2"``, ``"2-6"``. A range is given to the library
            as the parameter ``players``.
        traits: letters: ``c`` chance, ``h`` hidden information, ``s`` simultaneous turns, ``o`` random openings,
            ``l`` long: the library's text of all that a seat knows grows too long, so it gets what it saw last,
            ``r`` the library can draw what a seat does not know again.
        parameters: the parameters that may be chosen: ``size=3..9`` whole numbers, ``komi=0.0..9.0`` numbers,
            ``swap=?`` true or false, ``order=up|down`` words.
        summary: the goal in a few words.
        rules: a few sentences for authors of bots, with the text of positions and the names of actions.
    """

    title: str
    seats: str
    traits: str
    parameters: str
    summary: str
    rules: str = ""


def variant_name(short_name: str) -> str:
    """Return our name of a game of the library, "connect-four" for ``connect_four``."""
    return short_name.replace("_", "-")


# fmt: off
GAMES: dict[str, Entry] = {
    # Without chance and with everything visible.
    "chess": Entry("Chess", "2", "o", "", "checkmate the enemy king",
        "Chess by FIDE's rules; the third repetition and fifty moves without progress are draws. Player 1 has white"
        " and moves first. The text is a FEN, actions have the names of chess notation: Nf3, exd5, O-O, e8=Q+."),
    "antichess": Entry("Antichess", "2", "o", "", "lose all your pieces first",
        "Chess in which captures are compulsory, the king is an ordinary piece, and the player without pieces or "
        "moves wins. Player 1 has white and moves first. The text is a FEN; names of actions: Nf3, exd5, e8=K."),
    "crazyhouse": Entry("Crazyhouse", "2", "o",
        "king_of_hill=? sticky_promotions=?", "chess with captured pieces dropped",
        "Chess in which you may drop captured pieces as your own instead of moving. Player 1 has white and moves "
        "first. The text is a FEN with captured pieces in brackets; names of actions: Nf3, exd5, and N@f3 for a drop."),
    "shogi": Entry("Shogi", "2", "o", "", "checkmate the enemy king, Japanese rules",
        "Japanese chess on 9 x 9: captured pieces change sides and may be dropped, most pieces promote in the last "
        "three ranks. The text is an SFEN; names of actions: 7g7f, 8h2b+ (promotes), P*5e (drop)."),
    "xiangqi": Entry("Xiangqi", "2", "o", "", "checkmate the enemy general, Chinese rules",
        "Chinese chess on 9 x 10 points. Player 0 has the capital letters at the bottom and moves first: Rook, Horse, "
        "Elephant, Adviser, General, Cannon, Soldier. Names of actions: C(7,7)-(7,4), as row and column from the top."),
    "go": Entry("Go", "2", "o", "board_size=5..19 komi=-50.0..50.0 max_game_length=20..2000", "surround more area",
        "Place stones on 19 x 19 points by area counting, with 7.5 points for white; superko is forbidden. Player 0"
        " has black (X) and moves first, player 1 white (O). Two passes in a row end the game. Names of actions: B "
        "c4, W pass; no column i."),
    "gomoku": Entry("Gomoku", "2", "o", "size=5..19 connect=3..6 wrap=? anti=?", "five stones in a row",
        "Players place stones in turn on 15 x 15 points; five in a row, column or diagonal win. Player 0 has b and "
        "moves first, player 1 w. Names of actions: 5,0 for row and column, counted from the top left."),
    "hex": Entry("Hex", "2", "o", "board_size=3..19 num_cols=3..19 num_rows=3..19 swap=?", "connect your two sides",
        "Players colour hexagons in turn on a rhombus of 11 x 11, without draws. Player 0 (x) moves first and "
        "connects top and bottom, player 1 (o) left and right. Names of actions: e3, column and row from the top "
        "left; a cell touches its neighbours in the row, and above and below those at the same column and at one "
        "further right above, left below."),
    "havannah": Entry("Havannah", "2", "o", "board_size=3..10 swap=?", "build a ring, a bridge or a fork",
        "Players place stones in turn on a hexagon of hexagons with 8 to a side. A ring around any cell, a "
        "connection of two corners, or one of three sides wins. Player 0 has O and moves first, player 1 @. Names "
        "of actions: c4."),
    "y": Entry("Y", "2", "o", "board_size=5..19", "connect all three sides",
        "Players place stones in turn on a triangle of hexagons with 19 to a side. The first chain that touches all"
        " three sides wins; there are no draws. Player 0 has O and moves first, player 1 @. Names of actions: c4."),
    "twixt": Entry("TwixT", "2", "o", "board_size=5..24", "link your two borders",
        "Players place pegs in turn on 8 x 8; pegs a knight's step apart are linked unless a link is in the way. "
        "Player 0 (x, moves first) connects top and bottom, player 1 (o) left and right. Names of actions: xc4."),
    "othello": Entry("Othello", "2", "o", "", "most discs at the end",
        "Place a disc so that it encloses enemy discs in a line: they turn over. A player without such a cell "
        "passes; most discs win. Player 0 has x and moves first, player 1 o. Names of actions: c4, a letter for the"
        " column; pass."),
    "connect_four": Entry("Connect Four", "2", "o", "rows=4..12 columns=4..12 x_in_row=3..6", "four discs in a line",
        "Drop discs in turn into 7 columns of 6 cells; four in a row, column or diagonal win, a full board is a "
        "draw. Player 0 has x and moves first, player 1 o. Action 3 drops a disc into the fourth column from the "
        "left; its name is x3 or o3."),
    "tic_tac_toe": Entry("Tic-tac-toe", "2", "", "", "three in a row",
        "Mark cells of 3 x 3 in turn; three in a line win. Player 0 has x and moves first, player 1 o. Actions are "
        "the cells, row by row from the top left; the name of action 5 is x(1,2)."),
    "ultimate_tic_tac_toe": Entry("Ultimate tic-tac-toe", "2", "o", "", "win three boards in a row",
        "Nine boards of tic-tac-toe: the cell you mark chooses the board of your opponent, or, if that is finished,"
        " your opponent chooses a board, as an action of its own. Three boards in a line win. Player 0 has x and "
        "moves first."),
    "breakthrough": Entry("Breakthrough", "2", "o", "rows=4..9 columns=4..12", "reach the far row",
        "Pieces step one forward, straight or diagonally, and capture diagonally; the first on the far row wins. "
        "Player 0 has b, moves first and goes down, player 1 w goes up. Names of actions: c7d6, c7d6* for a capture."),
    "checkers": Entry("Checkers", "2", "o", "", "capture or block all pieces",
        "English draughts on 8 x 8: men step diagonally forward, jumps are compulsory, and crowned pieces go both "
        "ways. Player 0 has o (king 8), starts at the bottom and moves first, player 1 + (king *). Each jump is an "
        "action of its own. Names of actions: c3d4, c3e5."),
    "amazons": Entry("Amazons", "2", "o", "", "be the last to move",
        "Four queens each on 10 x 10: a turn moves a queen and shoots an arrow (#) from there, which blocks its "
        "cell for good. It is three actions: From, To, Shoot, with row and column. A player who cannot move loses. "
        "Player 0 has X."),
    "clobber": Entry("Clobber", "2", "o", "rows=2..10 columns=2..10", "be the last to capture",
        "The board is full of pieces; each action captures an enemy piece on a neighbouring cell of the row or column. "
        "A player who cannot capture loses. Player 0 has o and moves first, player 1 x. Names of actions: f4f5."),
    "lines_of_action": Entry("Lines of Action", "2", "o", "max_game_length=20..5000", "unite all your pieces",
        "Pieces move in a line exactly as many cells as there are pieces in that line, jumping over their own. All "
        "of your pieces in one group win. Player 0 has x and moves first, player 1 o. Names of actions: b1-d3."),
    "nine_mens_morris": Entry("Nine Men's Morris", "2", "o", "", "build mills, leave two men",
        "Place nine men each on 24 points, then slide them; three in a row take an enemy man, as an action of its "
        "own. Two men or no move lose. Player 0 has W and moves first. Names of actions: Point 4, Move 4 -> 5."),
    "oware": Entry("Oware", "2", "o", "num_houses_per_player=2..10 num_seeds_per_house=1..8", "capture most seeds",
        "Sow the seeds of one of your six houses; twos and threes in enemy houses at the end of the sowing are "
        "captured. 25 seeds win. Player 0 has the lower row, A to F, and moves first. Actions are houses from the "
        "left."),
    "mancala": Entry("Mancala (Kalah)", "2", "o", "", "collect most seeds",
        "Sow the seeds of one of your six pits; a last seed in your store moves again, in an empty pit of yours it "
        "captures the opposite one. Player 0 has the lower row with the store at its right, and moves first."),
    "nim": Entry("Nim", "2", "", "is_misere=?", "do not take the last object",
        "Piles of 1, 3, 5 and 7 objects: take any number from one pile; who takes the last object loses. The text "
        "shows the player to move and the piles. Names of actions: pile:3, take:2;."),
    "pentago": Entry("Pentago", "2", "o", "", "five in a row, with turning quarters",
        "Place a marble on 6 x 6, then turn one of the four quarters: both are one action. Five in a line win. Player "
        "0 has O and moves first, player 1 @. Names of actions: a1s, a cell and one of the letters at the rim."),
    "hive": Entry("Hive", "2", "o", "uses_ladybug=? uses_mosquito=? uses_pillbug=?", "surround the enemy queen bee",
        "Place and move insects without breaking the hive; a surrounded queen loses. Your queen must be placed by "
        "your fourth turn. Player 0 has white and moves first. Text and names of actions are those of the Universal"
        " Hive Protocol: wA1, bS1 -wA1."),
    "dots_and_boxes": Entry("Dots and Boxes", "2", "",
        "num_rows=1..6 num_cols=1..6 utility_margin=?", "close most boxes",
        "Draw a line between two dots; who closes a box owns it and moves again. Most of the 2 x 2 boxes win. "
        "Actions are lines: first the horizontal ones, row by row, then the vertical ones."),
    # With dice or lots that all players see.
    "backgammon": Entry("Backgammon", "2", "c",
        "hyper_backgammon=? max_player_turns=10..5000 scoring_type=winloss_scoring|enable_gammons|full_scoring",
        "bear off all checkers first",
        "Backgammon without doubling. An action plays both dice; a double is two actions. Player 0 has x, player 1 o. "
        "Names of actions: 1 - 24/22 13/12*, with a number, the points from and to, and * for a hit; Bar, Off, Pass."),
    "einstein_wurfelt_nicht": Entry("EinStein würfelt nicht!", "2", "c", "", "reach the far corner",
        "Six numbered stones each on 5 x 5. A die says which stone moves, or the nearest numbers left; it steps "
        "towards the enemy corner and captures whatever is there. Reaching that corner or capturing all wins. "
        "Player 0 has b."),
    "banqi": Entry("Banqi", "2", "c", "max_no_progress=10..200", "capture all enemy pieces",
        "Chinese dark chess on 4 x 8: turn up a hidden piece, or move to a neighbouring cell, capturing pieces of "
        "your rank or below; cannons jump over one piece. The first piece turned up decides the colours."),
    "pig": Entry("Pig", "2-10", "c", "winscore=10..500 diceoutcomes=2..20 piglet=?", "first to 100 points",
        "Roll a die as often as you like: its sum is yours when you stop, but a 1 ends your turn with nothing. The "
        "first with 100 points wins. Actions: 0 roll, 1 stop."),
    "maedn": Entry("Mensch ärgere Dich nicht", "2-4", "c", "twoPlayersOpposite=?", "bring home four pieces",
        "Race four pieces around the track by dice; a six brings a piece in and rolls again, and pieces that are "
        "hit go back. Actions: 0 pass, 1 bring a piece in, further ones move the piece on that field."),
    "yacht": Entry("Yacht", "2-6", "c", "", "most points with five dice",
        "Roll five dice up to three times, choosing the dice to roll again, then fill one of twelve categories of "
        "your sheet. Most points win. Names of actions tell the dice that are rolled again, or the category."),
    # With hidden information.
    "kuhn_poker": Entry("Kuhn poker", "2-10", "chr", "", "poker with one card each",
        "Each player antes 1 and gets one card of as many as players plus one. Pass (0) or bet 1 (1); a bet must be"
        " called to stay in. The highest card wins the pot. The text has your card, then the actions: 2pb."),
    "leduc_poker": Entry("Leduc poker", "2-10", "chr", "suit_isomorphism=?", "poker with two betting rounds",
        "Each player antes 1 and gets one card; after a round of bets of 2 a public card appears, then bets are 4. "
        "A pair with the public card wins, else the highest card. At most two raises per round. Actions: 0 fold, 1 "
        "call, 2 raise."),
    "liars_dice": Entry("Liar's dice", "2", "ch",
        "numdice=1..4 dice_sides=2..6 bidding_rule=reset-face|reset-quantity",
        "bid on hidden dice, or call the bluff",
        "Each player hides one die. Bids say how many dice of a face there are, 6 counts as any face, and each bid "
        "must be higher. Calling Liar ends the game: the last bidder wins if the bid is true. Names of actions: "
        "1-3, Liar."),
    "gin_rummy": Entry("Gin rummy", "2", "chr",
        "knock_card=1..10 oklahoma=? gin_bonus=0..50 undercut_bonus=0..50", "melds with the least deadwood",
        "Ten cards each: draw the upcard or from the stock, discard one, and knock with at most 10 points outside "
        "sets and runs. Melds are laid by actions of their own. Names of actions begin with Player: 0 Action:."),
    "hearts": Entry("Hearts", "4", "chr",
        "pass_cards=? no_pts_on_first_trick=? can_lead_any_club=? jd_bonus=? avoid_all_tricks_bonus=? "
        "must_break_hearts=? qs_breaks_hearts=? can_lead_hearts_instead_of_qs=?",
        "avoid hearts and the queen of spades",
        "Pass three cards, then play 13 tricks; follow suit. Each heart counts 1, the queen of spades 13, and all "
        "26 together go to the others. The score is 26 minus your points. Names of actions: QS, TH."),
    "spades": Entry("Spades", "4", "ch", "", "make the tricks you bid, with a partner",
        "Players 0 and 2 play against 1 and 3. Bid your tricks, then play 13 of them: follow suit, spades are "
        "trumps. A made bid scores ten per trick, extra tricks are bags. Names of actions: SA, HT, and bids."),
    "bridge": Entry("Contract bridge", "4", "ch",
        "dealer_vul=? non_dealer_vul=? use_double_dummy_result=?", "bid the best contract with your partner",
        "North and South (players 0 and 2) play against East and West. Bid or pass; the result of the play is "
        "computed with all hands open, so bots only bid. The score is that of duplicate bridge. Names of actions: "
        "1♠, 3NT, Pass, Dbl, RDbl."),
    "skat": Entry("Skat", "3", "ch", "", "61 points alone against two",
        "Bid, and the declarer takes the skat, discards two cards, chooses the game and plays alone against both "
        "others: 61 of 120 points win. Names of actions: CJ, S7, bids such as diamonds."),
    "euchre": Entry("Euchre", "4", "chr",
        "stick_the_dealer=? allow_lone_defender=?", "three of five tricks with a partner",
        "Players 0 and 2 against 1 and 3 with 24 cards. Order up the turned card or name trumps, then play five "
        "tricks; the jack of trumps is highest, then the other jack of its colour. Names of actions: SJ, HA, Pass, "
        "Order up!."),
    "oh_hell": Entry("Oh Hell", "3-7", "chr", "off_bid_penalty=?", "take exactly the tricks you bid",
        "Bid how many tricks you will take, then follow suit; trumps are turned up. An exact bid scores ten and its"
        " tricks. Names of actions: SA, HT; a bid's name is its number."),
    "cribbage": Entry("Cribbage", "2-4", "ch", "", "121 points by fifteens, pairs and runs",
        "Discard to the crib, then play cards towards 31 and count hands: fifteens, pairs, runs, flushes and the "
        "jack. The first with 121 points wins. Names of actions are the cards, and Pass."),
    "hanabi": Entry("Hanabi", "2-5", "ch",
        "colors=2..5 ranks=2..5 hand_size=2..5 max_information_tokens=1..8 max_life_tokens=1..3",
        "build fireworks together",
        "All play together: you see the others' cards and not your own. Give a hint, discard, or play a card: five "
        "colours from 1 to 5. Three errors end the game. All get the same score."),
    "dark_hex": Entry("Dark hex", "2", "h",
        "board_size=2..7 num_rows=2..7 num_cols=2..7 gameversion=cdh|adh", "hex without seeing the other's stones",
        "Hex on 3 x 3 in which you do not see enemy stones: an action on one reveals it and you try again. Player 0 "
        "(x) connects top and bottom, player 1 (o) left and right. Actions are cells, row by row from the top left."),
    "phantom_go": Entry("Phantom go", "2", "h",
        "board_size=5..13 komi=-50.0..50.0 max_game_length=20..1000", "go without seeing the other's stones",
        "On 9 x 9 points you see your own stones only; otherwise it is go. An action on a hidden stone reveals it, "
        "and you try again. Player 0 has black (X), player 1 white (O), which gets 7.5 points. Names of actions: B "
        "c4, W pass."),
    "kriegspiel": Entry("Kriegspiel", "2", "hl",
        "50_move_rule=? threefold_repetition=?", "chess without seeing the other",
        "Chess in which you see your own pieces only. An umpire announces captures, checks and pawn tries, and refuses "
        "illegal moves, after which you try again. Player 1 has white and moves first. Names of actions: e2e4, e7e8q."),
    "battleship": Entry("Battleship", "2", "h", "num_shots=1..100 allow_repeated_shots=?", "sink the hidden ships",
        "Place five ships on 10 x 10 in secret, then shoot in turn, 50 times each. The score is the ships sunk "
        "minus those lost. Names of actions: Pl0: shoot at (3, 4), with row and column from the top left."),
    # With simultaneous turns.
    "goofspiel": Entry("Goofspiel", "2-6", "cs",
        "num_cards=2..20 points_order=random|descending|ascending "
        "returns_type=win_loss|point_difference|total_points",
        "win point cards by secret bids",
        "A card of 1 to 13 points is turned up; all bid one card of their own 13 at the same time, and the highest "
        "single bid takes the points. Most points win. Action 4 bids the card of 5."),
    "oshi_zumo": Entry("Oshi-Zumo", "2", "s",
        "coins=1..100 size=1..6 min_bid=0..1 alesia=?", "push the wrestler off the board",
        "Both have 50 coins and bid some at the same time: the higher bid pushes the wrestler one cell away. All "
        "bids are spent. Player 0 pushes to the right. An action is the bid."),
    "blotto": Entry("Colonel Blotto", "2-6", "s", "coins=2..12 fields=2..4", "win most battlefields",
        "All divide 10 coins on three fields at the same time, once; most coins win a field, most fields win. The "
        "name of an action is the division: [5,3,2]."),
    "snake": Entry("Snake", "2-4", "cs", "rows=6..20 columns=6..20 horizon=10..500", "eat, grow and survive",
        "Snakes move at the same time on 10 x 10 for 100 steps: food makes them grow, walls and bodies kill. The "
        "score is the food eaten. Names of actions are directions."),
    "markov_soccer": Entry("Markov soccer", "2", "cs", "horizon=20..5000", "carry the ball into the goal",
        "Two players on a grid move at the same time, in a random order; running into the one with the ball takes "
        "it. Player 0 is A and scores at the right, player 1 is B and scores at the left; the capital letter has "
        "the ball."),
}
"""Games with a variant of their own, by the library's short name."""

OTHERS: dict[str, Entry] = {
    "2048": Entry("2048", "1", "c", "", "merge tiles"),
    "bargaining": Entry("Bargaining", "2", "ch", "max_turns=2..50", "divide items by offers"),
    "blackjack": Entry("Blackjack", "1", "ch", "", "21 against the dealer"),
    "capture_the_flag": Entry("Capture the flag", "2", "cs", "horizon=20..2000", "carry the flag home"),
    "chinese_checkers": Entry("Chinese checkers", "2", "o", "", "cross the star first"),
    "coin_game": Entry("Coin game", "2", "ch", "", "collect coins of a secret colour"),
    "coop_box_pushing": Entry("Cooperative box pushing", "2", "chs", "horizon=10..500", "push the boxes together"),
    "crazy_eights": Entry("Crazy Eights", "2-6", "ch", "", "shed your cards"),
    "dou_dizhu": Entry("Dou Dizhu", "3", "ch", "", "shed your cards, one against two"),
    "first_sealed_auction": Entry("Sealed auction", "2-6", "ch", "max_value=2..50", "win a first-price auction"),
    "laser_tag": Entry("Laser tag", "2", "cs", "horizon=20..2000", "tag the other"),
    "lewis_signaling": Entry("Lewis signalling", "2", "ch", "", "agree on signals"),
    "matrix_pd": Entry("Prisoner's dilemma", "2", "s", "", "cooperate or defect, once"),
    "matrix_rps": Entry("Rock, paper, scissors", "2", "s", "", "beat the other's sign, once"),
    "mnk": Entry("m,n,k", "2", "o", "m=3..19 n=3..19 k=3..8", "k stones in a row on m x n"),
    "pathfinding": Entry("Pathfinding", "1", "cs", "horizon=20..2000", "reach the goal"),
    "phantom_ttt": Entry("Phantom tic-tac-toe", "2", "h",
        "gameversion=classical|abrupt", "without seeing the other's marks"),
    "repeated_leduc_poker": Entry("Repeated Leduc poker", "2-4", "ch",
        "num_hands=1..50", "Leduc poker, several hands"),
    "sheriff": Entry("Sheriff", "2", "h", "", "smuggle, bribe and inspect"),
    "solitaire": Entry("Solitaire", "1", "ch", "depth_limit=20..500", "Klondike solitaire"),
    "tiny_bridge_2p": Entry("Tiny bridge, two players", "2", "ch", "", "bid with eight cards"),
    "tiny_bridge_4p": Entry("Tiny bridge, four players", "4", "ch", "", "bid with eight cards"),
    "trade_comm": Entry("Trade with messages", "2", "ch", "", "agree on a trade"),
}
"""Games without a variant of their own: a project makes one from the base ``openspiel``."""
# fmt: on

"""The C++ core of tengen."""

from collections.abc import Mapping, Sequence
import enum
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class TengenError(ValueError):
    """Any error of tengen's own."""

class UnknownGameError(TengenError):
    """No game of that name."""

class GameOptionError(TengenError):
    """No such option, or a value out of its range."""

class IllegalActionError(TengenError):
    """The rules do not allow this action here."""

class ActionTextError(TengenError):
    """A text that names no action of this game."""

class BoardTextError(TengenError):
    """A drawing that is not a board of this game."""

class ArgumentError(TengenError):
    """A number, count or shape that the function cannot use."""

class RulesError(TengenError):
    """A game written by a user broke its promise."""

class NoLegalActionError(RulesError):
    """Rules allow no action in a game that goes on."""

class EvaluatorError(TengenError):
    """An evaluator answered with numbers no search can use."""

class SearchParamError(TengenError):
    """No such search parameter, or a value out of its range."""

class InUseError(TengenError):
    """Another thread is using an object that is for one thread at a time."""

class RecordError(TengenError):
    """A record that can't have come about, or a file that is damaged."""

class Reason(enum.StrEnum):
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    LINE = 'line'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    FULL_BOARD = 'full board'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    NO_MOVE = 'no move'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    TWO_PASSES = 'two passes'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    LENGTH = 'length'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    MAJORITY = 'majority'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    CONNECTION = 'connection'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    CAPTURE = 'capture'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    CHECKMATE = 'checkmate'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    STALEMATE = 'stalemate'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    REPETITION = 'repetition'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    PERPETUAL_CHECK = 'perpetual check'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    FIFTY_MOVES = 'fifty moves'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    MATERIAL = 'material'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    DECLARATION = 'declaration'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    RESIGNATION = 'resignation'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    FORFEIT = 'forfeit'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    AGREEMENT = 'agreement'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    RULES = 'rules'
    """
    Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.
    """

    def __str__(self, /):
        """Return str(self)."""

class Outcome:
    """
    How a finished game ended, and why. Outcomes are equal if the same player won, or neither. A value: any thread may use it.
    """

    def __init__(self, winner: int | None, reason: str = 'rules', sentence: str = '') -> None: ...

    @property
    def winner(self) -> int | None:
        """0 for the first player, 1 for the second, None for a draw."""

    @property
    def reason(self) -> Reason:
        """Why it ended: Reason.LINE, which is equal to 'line'."""

    @property
    def sentence(self) -> str:
        """The same for people: 'four in a row'; may be empty."""

    @property
    def is_draw(self) -> bool:
        """Whether nobody won."""

    @property
    def returns(self) -> tuple[float, float]:
        """+1, -1 or 0 for each player, the first player's first."""

    def value_for(self, player: int) -> float:
        """The result as a value for that player."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[object, ...]: ...

    def __repr__(self) -> str: ...

class Piece:
    """A kind of piece. A value: any thread may use it."""

    @property
    def name(self) -> str: ...

    @property
    def letter(self) -> str:
        """One character, in drawings."""

    @property
    def owner(self) -> int | None:
        """0 or 1; None if it belongs to neither player."""

    @property
    def colour(self) -> str:
        """'#rrggbb', or '' if the game leaves it open."""

    def __repr__(self) -> str: ...

class ActionCells:
    """
    Where an action happens; a pass happens nowhere. A value: any thread may use it.
    """

    @property
    def source(self) -> int | None:
        """The cell that a piece leaves."""

    @property
    def target(self) -> int | None:
        """The cell that a piece or stone comes to."""

    @property
    def piece(self) -> int | None:
        """The code of a piece that comes from the hand."""

    def __eq__(self, other: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class GameSpec:
    """Names and sizes of a game. A value: any thread may use it."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str:
        """What load() takes to make this game."""

    @property
    def options(self) -> dict[str, bool | int | float]:
        """Every option with its value, in order."""

    @property
    def options_text(self) -> str:
        """The same as it is written in a call of load(): 'size=9, komi=7.5'."""

    @property
    def rules_digest(self) -> str:
        """SHA-256 of the text of a rules file; '' for all other games."""

    @property
    def num_planes(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def most_legal(self) -> int:
        """No state has more legal actions than this."""

    @property
    def action_layout(self) -> str:
        """
        What actions are on the board: 'cells', 'columns', 'planes' (plane * cells + cell) or 'dense' (nothing).
        """

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """
        What can stand on a cell; its code in State.cells is its index + 1. Empty: the game does not say.
        """

    @property
    def hands(self) -> tuple[int, ...]:
        """Codes of pieces that can be held."""

    @property
    def shape(self) -> str:
        """How the board is drawn: 'square' or 'hex'."""

    @property
    def score_name(self) -> str:
        """What State.score counts, such as 'points'; '' if there is none."""

    @property
    def longest_game(self) -> int:
        """No game has more actions than this."""

    @property
    def plane_names(self) -> list[str]: ...

    @property
    def player_names(self) -> list[str]: ...

    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """The shape [C, H, W] of State.planes()."""

    def __repr__(self) -> str: ...

class Perft:
    """Counts of a full enumeration, one entry per depth from 0."""

    @property
    def positions(self) -> list[int]:
        """Action sequences of that length."""

    @property
    def finished(self) -> list[int]:
        """Those of them that end the game."""

    def __repr__(self) -> str: ...

class PlayoutCounts:
    """What many random games came to."""

    @property
    def games(self) -> int: ...

    @property
    def actions(self) -> int:
        """Of all games together."""

    @property
    def wins(self) -> list[int]:
        """By player."""

    @property
    def draws(self) -> int: ...

    def __repr__(self) -> str: ...

class OptionKind(enum.Enum):
    INTEGER = 0

    NUMBER = 1

    FLAG = 2

class OptionSpec:
    """One option of a game."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> OptionKind: ...

    @property
    def default(self) -> float: ...

    @property
    def lowest(self) -> float: ...

    @property
    def highest(self) -> float: ...

    @property
    def help(self) -> str: ...

class GameEntry:
    """A game of the registry."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def options(self) -> list[OptionSpec]: ...

def game_entries() -> list[GameEntry]:
    """The built-in games."""

class Symmetry:
    """
    A symmetry of the board, acting on planes, policies and actions. Any thread may use it.
    """

    @property
    def name(self) -> str: ...

    def planes(self, planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """The planes [C, H, W] of the symmetric position."""

    def policy(self, policy: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """The policy [A] of the symmetric position."""

    def action(self, action: int) -> int:
        """The action that does on the symmetric board what `action` does here."""

    def __repr__(self) -> str: ...

class State:
    """
    A position: a value that never changes, so any thread may use it. play() gives the next one.
    """

    @property
    def game(self) -> Game:
        """The rules it is played by."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """Legal actions in increasing order; empty when the game is over."""

    def legal_mask(self) -> Annotated[NDArray[numpy.bool_], dict(order='C')]:
        """The same as an array of bool, one for each action."""

    def is_legal(self, action: int | str) -> bool:
        """Whether play(action) would do; False too for what is no action at all."""

    def play(self, action: int | str) -> State:
        """The state after `action`, given as a number or as text."""

    @property
    def outcome(self) -> Outcome | None:
        """Who won and why; None while the game goes on."""

    @property
    def cells(self) -> Annotated[NDArray[numpy.int8], dict(order='C')] | None:
        """
        Piece codes, int8 [H, W], 0 for an empty cell; None if the game does not say.
        """

    @property
    def hands(self) -> tuple[dict[int, int], dict[int, int]]:
        """What the first and the second player hold: counts by piece code."""

    @property
    def score(self) -> float | None:
        """
        For the first player, in spec.score_name; None in a game without a score.
        """

    @property
    def evaluation_key(self) -> int:
        """States with equal keys have equal planes and equal legal actions."""

    @property
    def moves(self) -> tuple[int, ...]:
        """The actions played so far."""

    @property
    def start_board(self) -> str | None:
        """
        The board that the moves began at, as state(board=...) got it; None if that was the initial state.
        """

    @property
    def moves_text(self) -> str:
        """The same as text, as state() takes it."""

    def planes(self, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')] | None = None) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')]:
        """
        What a network sees: float32 [C, H, W], from the side of the player to move; written into `out` if given.
        """

    def action_text(self, action: int) -> str:
        """The name that an action has here, as people write it."""

    def parse_action(self, text: str) -> int | None:
        """
        The action that has that name here, or None; not all of them are legal.
        """

    def notation(self, action: int | str) -> str:
        """
        A legal action as game records for people have it (Nf3 in chess); its name in other games.
        """

    @property
    def position_text(self) -> str:
        """
        The position as programs exchange it (FEN in chess), or the drawing; state(board=...) reads it.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> State: ...

    def __deepcopy__(self, memo: object, /) -> State: ...

    def __str__(self) -> str: ...

    def __reduce__(self) -> tuple[object, ...]: ...

    def __repr__(self) -> str: ...

class Game:
    """
    Rules and sizes. Made by tengen.load(). It never changes: any thread may use it.
    """

    @property
    def spec(self) -> GameSpec:
        """Names and sizes."""

    @property
    def backend(self) -> str:
        """
        What runs the rules: 'c++', or for a Python file 'compiled' or 'interpreted'.
        """

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Symmetries of the board, the identity first."""

    def initial_state(self) -> State:
        """The state that every game starts from."""

    def state(self, moves: str | Sequence[int | str] = '', board: str | None = None) -> State:
        """
        The state after `moves` (a text or a list) from the start, or from a board: a drawing or a position_text.
        """

    def action_text(self, action: int) -> str:
        """
        The name of an action; where names depend on the state, its name for the first player.
        """

    def parse_action(self, text: str) -> int | None:
        """
        The action of that name, or None; where names depend on the state, as for the first player.
        """

    def action_cells(self, state: State, action: int | str) -> ActionCells:
        """Where an action happens in that state: the cells it goes from and to."""

    def perft(self, depth: int, state: State | None = None) -> Perft:
        """
        Counts every action sequence up to `depth`, or to the end of the longest game.
        """

    def count_sequences(self, length: int, state: State | None = None) -> int:
        """
        The number of action sequences of that length: perft(length).positions[-1], counted faster.
        """

    def random_playouts(self, games: int, seed: int, state: State | None = None) -> PlayoutCounts:
        """Plays uniformly random games to their end."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Game: ...

    def __deepcopy__(self, memo: object, /) -> Game: ...

    def __reduce__(self) -> tuple[object, ...]: ...

    def __repr__(self) -> str: ...

def make_game(name: str, options: Mapping[str, float]) -> Game: ...

LARGEST_TABLE_STATE: int = 16384

def make_table_game(rules: object, *, name: str, source: str, options: dict[str, bool | int | float], rules_digest: str = '', board: tuple[int, int], action_layout: str, num_actions: int, most_legal: int = 0, action_cells: Sequence[tuple[int, int]] = [], numbered_actions: bool = False, longest_game: int, plane_names: Sequence[str], player_names: Sequence[str], symmetries: Sequence[tuple[str, Sequence[int], Sequence[int]]], pieces: Sequence[tuple[str, str, int | None, str]] = [], shape: str = 'square', score_name: str = '', state_size: int, addresses: Mapping[str, int] | None) -> Game:
    """
    A game whose rules are compiled functions at `addresses`, or, without them, methods of `rules`.
    """

def symmetry_named(name: str, board: tuple[int, int], num_actions: int, action_layout: str) -> tuple[list[int], list[int]] | None:
    """The cell_source and action_source of a symmetry of the board, or None."""

class ParamSpec:
    """One search parameter."""

    @property
    def name(self) -> str: ...

    @property
    def default(self) -> object: ...

    @property
    def lowest(self) -> float: ...

    @property
    def highest(self) -> float: ...

    @property
    def choices(self) -> list[str]: ...

    @property
    def help(self) -> str: ...

    def __repr__(self) -> str: ...

def param_specs() -> list[ParamSpec]:
    """Every search parameter with its default, range and origin."""

class SearchParams:
    """Every number the search uses. It never changes: any thread may use it."""

    def __init__(self, **parameters: object) -> None: ...

    def replace(self, **parameters: object) -> SearchParams:
        """The same parameters but for those given."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    @property
    def samples_moves(self) -> bool:
        """
        Whether the best action of a search with noise is a sample already, so that self-play draws none itself.
        """

    @property
    def needs_budget(self) -> bool:
        """
        Whether the course of a search depends on how many simulations it will have.
        """

    @property
    def selection(self) -> str:
        """how a child is chosen: puct, uct or gumbel"""

    @property
    def simulations(self) -> int:
        """simulations per search; 0 is the raw network"""

    @property
    def leaves_per_batch(self) -> int:
        """
        leaves one tree may have in a batch, kept apart by counting their visits at once
        """

    @property
    def virtual_loss(self) -> float:
        """
        losses a leaf under evaluation counts for meanwhile (AlphaGo 2016: 3; 0 counts its visit only)
        """

    @property
    def most_collisions(self) -> int:
        """
        times that a batch may come to a leaf it has already before it stops looking for others
        """

    @property
    def max_nodes(self) -> int:
        """
        nodes one tree may have; the search of that tree stops there and says so
        """

    @property
    def c_puct(self) -> float:
        """weight of prior and visits against value (AlphaZero: 1.25)"""

    @property
    def c_puct_base(self) -> float:
        """
        c_puct grows by log((N + base + 1) / base); 0: it does not (AlphaZero: 19652)
        """

    @property
    def unvisited_value(self) -> str:
        """value of a child without visits: parent (less fpu_reduction) or zero"""

    @property
    def fpu_reduction(self) -> float:
        """
        first play urgency: how far below its parent an unvisited child starts (KataGo: 0.2)
        """

    @property
    def c_uct(self) -> float:
        """exploration of UCT (sqrt 2 in theory)"""

    @property
    def rollout_weight(self) -> float:
        """
        lambda in (1 - lambda) v + lambda z: 0 network only, 1 random rollouts only (AlphaGo 2016: 0.5)
        """

    @property
    def solve(self) -> bool:
        """back up proven wins, losses and draws (MCTS-Solver, Winands 2008)"""

    @property
    def instant_wins(self) -> bool:
        """
        with solve: where the player to move can win at once, that is seen without an evaluation
        """

    @property
    def exact_leaf_nodes(self) -> int:
        """
        with solve: positions that an exact search by the rules may look at to settle a new node, which then needs no evaluation; nodes as far from the end as those where it failed are rarely asked about; 0: off
        """

    @property
    def exact_root_nodes(self) -> int:
        """
        with solve: positions that an exact search by the rules may look at to settle the root when a search begins, at most 50 for each simulation; 0: off
        """

    @property
    def discount(self) -> float:
        """
        a result n plies away counts discount^n: below 1, an early win is better than a late one
        """

    @property
    def random_symmetry(self) -> bool:
        """
        evaluate each leaf in one symmetry, drawn from its evaluation key (AlphaGo Zero)
        """

    @property
    def cache_entries(self) -> int:
        """
        evaluations a forest remembers, of states with at most 256 legal actions; 0: none
        """

    @property
    def noise_fraction(self) -> float:
        """epsilon of the root noise in self-play (AlphaZero: 0.25)"""

    @property
    def dirichlet_alpha(self) -> float:
        """
        alpha of the root noise (AlphaZero: chess 0.3, Go 0.03); 0: dirichlet_total / legal actions
        """

    @property
    def dirichlet_total(self) -> float:
        """
        sum of all alphas when scaled to the legal actions (KataGo: 10.83 = 0.03 * 361)
        """

    @property
    def forced_playouts(self) -> float:
        """
        k in sqrt(k P N): visits a root child gets at least, pruned from the target (KataGo: 2; 0: off)
        """

    @property
    def gumbel_considered(self) -> int:
        """m: actions sampled at the root (Gumbel AlphaZero: 16)"""

    @property
    def gumbel_scale(self) -> float:
        """size of the Gumbel noise when there is noise (1 in theory)"""

    @property
    def gumbel_c_visit(self) -> float:
        """
        c_visit in sigma(q) = (c_visit + max N) c_scale q (Gumbel AlphaZero: 50)
        """

    @property
    def gumbel_c_scale(self) -> float:
        """c_scale of the same (0.1 with rescaled q as in mctx; 1 in the paper)"""

    @property
    def gumbel_rescale(self) -> bool:
        """
        rescale q to [0, 1] between the least and the greatest of a node (mctx)
        """

def outcome_of_proof(proven: int) -> Outcome | None:
    """The outcome that a number in TreeArrays.proven stands for; None for 0."""

class TreeResult:
    """What the search of one tree came to."""

    @property
    def stopped(self) -> str:
        """
        'simulations', 'proven', 'node cap', 'game over', 'searching' or 'not started'.
        """

    @property
    def simulations(self) -> int:
        """Done in this search."""

    @property
    def nodes(self) -> int: ...

    @property
    def root_value(self) -> float:
        """For the player to move."""

    @property
    def network_value(self) -> float:
        """The evaluation of the root itself, for the player to move."""

    @property
    def proven(self) -> Outcome | None:
        """The result under best play, if it is known for certain."""

    @property
    def distance(self) -> int:
        """Plies to the end in the line that proves it."""

    @property
    def best_action(self) -> int: ...

    @property
    def line(self) -> list[int]:
        """The principal variation."""

    def __repr__(self) -> str: ...

class ChildScore:
    """The terms of one child's score in one selection."""

    @property
    def action(self) -> int: ...

    @property
    def visits(self) -> int: ...

    @property
    def q(self) -> float:
        """Mean value for the player who chooses."""

    @property
    def prior(self) -> float: ...

    @property
    def bonus(self) -> float:
        """The exploration term; U in PUCT."""

    @property
    def score(self) -> float:
        """Of the children that are compared, the highest is taken."""

    @property
    def standing(self) -> str:
        """
        What puts the child before or behind its siblings, whatever its score: 'winning' (at once), 'forced' (by forced playouts) and 'untried' (in UCT) go first, 'waiting' (in sequential halving) and 'settled' (its result is certain) are passed over; all others are 'compared'.
        """

    def __repr__(self) -> str: ...

class SelectionStep:
    """One choice on the way down."""

    @property
    def node(self) -> int: ...

    @property
    def children(self) -> list[ChildScore]: ...

    @property
    def chosen(self) -> int:
        """The action taken."""

    def __repr__(self) -> str: ...

class BackupChange:
    """What the backup changed in one node."""

    @property
    def node(self) -> int: ...

    @property
    def visits_before(self) -> int: ...

    @property
    def visits_after(self) -> int: ...

    @property
    def value_sum_before(self) -> float:
        """For the first player."""

    @property
    def value_sum_after(self) -> float:
        """For the first player."""

    def __repr__(self) -> str: ...

class SimulationTrace:
    """What one simulation did."""

    @property
    def steps(self) -> list[SelectionStep]:
        """The choices, from the root down."""

    @property
    def leaf(self) -> int:
        """The node the simulation ended in."""

    @property
    def kind(self) -> str:
        """
        How the leaf got its value: 'evaluated', 'cached', 'rollout', 'exact' or 'proven'.
        """

    @property
    def actions(self) -> list[int]:
        """Legal actions of the leaf, if it was expanded."""

    @property
    def priors(self) -> list[float]:
        """Their priors."""

    @property
    def value(self) -> float:
        """What was backed up, for the first player."""

    @property
    def changes(self) -> list[BackupChange]:
        """What the backup changed, from the root down."""

    def __repr__(self) -> str: ...

class TreeArrays:
    """A tree as arrays over its nodes and edges; node 0 is the root."""

    @property
    def parent(self) -> Annotated[NDArray[numpy.int32], dict(order='C')]: ...

    @property
    def action(self) -> Annotated[NDArray[numpy.int32], dict(order='C')]: ...

    @property
    def player(self) -> Annotated[NDArray[numpy.int32], dict(order='C')]: ...

    @property
    def visits(self) -> Annotated[NDArray[numpy.int64], dict(order='C')]: ...

    @property
    def value_sum(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """For the first player."""

    @property
    def value(self) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """The evaluation of the node itself, for the first player."""

    @property
    def prior(self) -> Annotated[NDArray[numpy.float32], dict(order='C')]: ...

    @property
    def proven(self) -> Annotated[NDArray[numpy.int8], dict(order='C')]:
        """0 unknown, 1 first player wins, 2 second player wins, 3 draw."""

    @property
    def distance(self) -> Annotated[NDArray[numpy.int32], dict(order='C')]: ...

    @property
    def edges_from(self) -> Annotated[NDArray[numpy.int64], dict(order='C')]: ...

    @property
    def edge_action(self) -> Annotated[NDArray[numpy.int32], dict(order='C')]: ...

    @property
    def edge_prior(self) -> Annotated[NDArray[numpy.float32], dict(order='C')]: ...

    @property
    def edge_child(self) -> Annotated[NDArray[numpy.int32], dict(order='C')]: ...

    def __repr__(self) -> str: ...

class TablesShape:
    """What the tables of an n-tuple network look at."""

    def __init__(self, *, tuples: Sequence[Sequence[int]], stages: int = 1, shares_players: bool = False, marks_targets: bool = False) -> None: ...

    @property
    def tuples(self) -> list[list[int]]:
        """The cells of each tuple, [T][length]."""

    @property
    def stages(self) -> int:
        """Tables apart for positions with few and with many pieces."""

    @property
    def shares_players(self) -> bool:
        """
        Whether both players have the same tables; the second then sees the colours swapped.
        """

    @property
    def marks_targets(self) -> bool:
        """
        Whether an empty cell that the mover can move to has a code of its own.
        """

    def weights_shape(self, game: Game) -> tuple[int, int, int]:
        """
        [banks, tuples, entries] of the weights; ArgumentError if the game has no such tables.
        """

class TablesLearning:
    """How tables learn; docs/networks.md has the meanings."""

    def __init__(self, *, rate: float, return_share: float, epsilon: float, random_start_share: float, random_start_plies: int, coherence: bool = True) -> None: ...

class TablesFigures:
    """What came of some games of learning."""

    @property
    def games(self) -> int: ...

    @property
    def positions(self) -> int: ...

    @property
    def evaluations(self) -> int: ...

    @property
    def plies(self) -> int: ...

    @property
    def first_wins(self) -> int: ...

    @property
    def draws(self) -> int: ...

    @property
    def squared_error(self) -> float: ...

    @property
    def squared_target(self) -> float: ...

class Tables:
    """An n-tuple network that evaluates. Threads can share it."""

    def __init__(self, game: Game, shape: TablesShape, weights: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], temperature: float) -> None: ...

    def evaluate(self, states: Sequence[State]) -> tuple[Annotated[NDArray[numpy.float32], dict(order='C')], Annotated[NDArray[numpy.float32], dict(order='C')]]:
        """
        Logits [B, A], 0 where an action is not legal, and values [B] for the player to move.
        """

class TablesLearner:
    """Tables that learn by playing themselves."""

    def __init__(self, game: Game, shape: TablesShape) -> None: ...

    def play(self, first: int, games: int, seed: int, how: TablesLearning, kept: int = 0) -> tuple[TablesFigures, list[tuple[list[int], int]]]:
        """
        Plays the games `first` to `first + games - 1` of a seed and learns from each. Returns the figures, and of the last `kept` games the moves and how many of them opened the game at random.
        """

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """A copy, [banks, tuples, entries]."""

    def sums(self) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """
        A copy, [banks, tuples, entries, 2]: of the errors, and of their sizes.
        """

    def load(self, weights: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None: ...

def random_tuples(game: Game, count: int, length: int, seed: int, marks_targets: bool = False, most_entries: int = 65536) -> list[list[int]]:
    """
    Cells of tuples by random walks on the board. length 0: as many as keep a table within `most_entries`.
    """

class RolloutFigures:
    """How well a rollout policy foretold the moves of some games."""

    @property
    def positions(self) -> int:
        """With more than one legal action."""

    @property
    def first(self) -> float:
        """Positions whose move the policy held for the likeliest."""

    @property
    def first_five(self) -> float:
        """Positions whose move was among the five likeliest."""

    @property
    def log_loss(self) -> float:
        """The sum of -log p of the moves played."""

class RolloutPolicy:
    """
    A softmax over small patterns, fast enough for play-outs. Threads can share it.
    """

    def __init__(self, game: Game, weights: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], share_players: bool) -> None: ...

    def probabilities(self, state: State) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """Of each action [A]; all 0 if the game is over."""

    def playouts(self, games: int, seed: int, state: State | None = None) -> PlayoutCounts:
        """
        Plays games of the policy to their end, as Game.random_playouts does at random.
        """

class RolloutLearner:
    """Makes a rollout policy of recorded games."""

    def __init__(self, game: Game, share_players: bool) -> None: ...

    def learn(self, *, moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_plies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], boards: Sequence[str], rate: float, decay: float) -> RolloutFigures:
        """
        Learns from these games in their order: game i has moves[starts[i] : starts[i + 1]], of which those before first_plies[i] were drawn at random, and starts at the drawing boards[i]; no boards: all start initially. The figures are of each move before it was learned from.
        """

    def measure(self, *, moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_plies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], boards: Sequence[str]) -> RolloutFigures:
        """How well the moves of these games are foretold; nothing is learned."""

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """A copy, [banks, weights]."""

    def sums(self) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """A copy, [banks, weights]: of the squared gradients."""

    def load(self, weights: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None: ...

class AlphaBetaResult:
    """What a minimax search found. A value: any thread may use it."""

    @property
    def best_action(self) -> int: ...

    @property
    def value(self) -> float:
        """For the player to move; beyond 0.9 or -0.9 the result is forced."""

    @property
    def depth(self) -> int:
        """Plies searched: fewer than asked for where the result is forced."""

    @property
    def positions(self) -> int:
        """Positions looked at."""

    def __repr__(self) -> str: ...

def alphabeta(state: State, depth: int, seed: int) -> AlphaBetaResult:
    """
    Minimax with alpha-beta pruning to that depth; the seed chooses among moves of equal value.
    """

class ExactPosition:
    """Which actions are best by the rules. Any thread may use it."""

    @property
    def best(self) -> list[int]:
        """All actions that keep the result and its distance, or the best score."""

    @property
    def played(self) -> int:
        """One of them."""

class ExactLine:
    """Best play by the rules to the end of a game. Any thread may use it."""

    @property
    def outcome(self) -> Outcome: ...

    @property
    def positions(self) -> list[ExactPosition]:
        """From the one that was asked about to the last before the end."""

def exact_lines(states: Sequence[State], most_positions: int, seeds: Sequence[int]) -> list[ExactLine | None]:
    """
    For each state best play to the end of the game, or None if settling one of the positions on the way takes more than `most_positions`. Among equally good actions the seed chooses.
    """

class Forest:
    """
    Many trees, one batch: select() asks for evaluations, update() takes them.

    For one thread at a time: a call during another thread's raises InUseError. Threads with a forest each may share games, states and parameters.
    """

    def __init__(self, game: Game, num_trees: int, params: SearchParams, seed: int, rollouts: RolloutPolicy | None = None) -> None:
        """
        `rollouts` is the policy of the play-outs that params.rollout_weight asks for; uniformly random without.
        """

    @property
    def params(self) -> SearchParams: ...

    @property
    def num_trees(self) -> int: ...

    @property
    def num_pending(self) -> int:
        """Leaves that wait for update()."""

    @property
    def bytes(self) -> int:
        """
        Memory that grows with trees, nodes, leaves and the cache, in use or in reserve.
        """

    def set_root(self, tree: int, state: State, seed: int | None = None) -> None:
        """A new position for a tree, without memory of the old one."""

    def restrict_root(self, tree: int, only: Sequence[int]) -> None:
        """
        Searches only these legal actions at the root, until it is another; all if there are none. The tree begins anew.
        """

    def begin(self, tree: int | None = None, simulations: int | None = None, noise: bool = False) -> None:
        """
        Starts a search on one tree, or on all. `noise`: explore at the root, as self-play does.
        """

    def searching(self) -> bool: ...

    def stopped_trees(self) -> list[int]:
        """Trees whose search has stopped."""

    def select(self, max_leaves: int = 0) -> NDArray[numpy.float32]:
        """
        Planes [B, C, H, W] of the next leaves to evaluate; the next call writes over them. B may be 0.
        """

    def update(self, logits: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        Policy logits [B, A] and values for the player to move, [B] or win/draw/loss [B, 3], for those leaves.
        """

    def update_and_select(self, logits: NDArray[numpy.float32], values: NDArray[numpy.float32], max_leaves: int = 0) -> NDArray[numpy.float32]:
        """update() and the next select() in one call."""

    def settle(self, tables: Tables, max_leaves: int = 0) -> int:
        """
        select() and update() in one, answered by tables; returns how many leaves they were asked about.
        """

    def cancel(self) -> None:
        """Takes the last select() back: the next one asks for the same leaves."""

    def advance(self, tree: int, action: int) -> None:
        """Plays an action at the root and keeps its subtree."""

    def clear_cache(self) -> None:
        """Forgets all evaluations; needed when the network changes."""

    def result(self, tree: int) -> TreeResult: ...

    def root_arrays(self, trees: Sequence[int] | None = None) -> tuple[Annotated[NDArray[numpy.int32], dict(order='C')], Annotated[NDArray[numpy.float32], dict(order='C')], Annotated[NDArray[numpy.float32], dict(order='C')], Annotated[NDArray[numpy.float32], dict(order='C')]]:
        """
        visits, policy_target, q and prior of these roots, or of all, each [T, A].
        """

    def tree(self, tree: int) -> TreeArrays:
        """A copy of the whole tree as arrays."""

    def trace(self, on: bool) -> None:
        """Step mode: whether to record what each simulation does."""

    @property
    def last_trace(self) -> SimulationTrace:
        """What the last simulation did."""

    def __repr__(self) -> str: ...

class formulas:
    """The formulas of the search, as the search computes them."""

    @staticmethod
    def puct_factor(c_puct: float, base: float, parent_visits: float) -> float: ...

    @staticmethod
    def puct_bonus(c: float, p: float, sqrt_total: float, n: int) -> float: ...

    @staticmethod
    def uct_bonus(c: float, sqrt_log_total: float, n: int) -> float: ...

    @staticmethod
    def unvisited_q(parent_q: float, reduction: float, visited_prior: float) -> float: ...

    @staticmethod
    def forced_visits(k: float, p: float, total: float) -> float: ...

    @staticmethod
    def gumbel_sigma(q: float, c_visit: float, c_scale: float, max_visits: float) -> float: ...

    @staticmethod
    def mixed_value(v: float, total_visits: float, visited_prior: float, visited_prior_q: float) -> float: ...

    @staticmethod
    def halving_schedule(considered: int, simulations: int) -> list[int]: ...

    @staticmethod
    def fast_exp(x: float) -> float: ...

    @staticmethod
    def softmax(logits: Sequence[float]) -> list[float]: ...

    @staticmethod
    def apply_temperature(weights: Sequence[float], tau: float) -> list[float]: ...

    @staticmethod
    def random_dirichlet(seed: int, alpha: float, count: int) -> list[float]: ...

    @staticmethod
    def mix_noise(priors: Sequence[float], noise: Sequence[float], eps: float) -> list[float]: ...

    @staticmethod
    def prune_forced(visits: Sequence[float], q: Sequence[float], priors: Sequence[float], c: float, k: float) -> list[float]: ...

class RecordEnd:
    """How a recorded game ended. A value: any thread may use it."""

    @property
    def outcome(self) -> Outcome | None:
        """None if by the rules the game goes on."""

    @property
    def ownership(self) -> Annotated[NDArray[numpy.int8], dict(order='C')] | None:
        """int8 [H, W], 1 the first player's; None if the game has none."""

    @property
    def score(self) -> float | None:
        """For the first player; None if the game has none."""

    def __repr__(self) -> str: ...

def replay_record(game: Game, moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], plies: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], policy_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], board: str = '') -> RecordEnd:
    """
    Plays a record to its end and checks that every move and every action of a policy target is legal.
    """

def write_samples(game: Game, *, positions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], symmetries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], move_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], position_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], winners: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], played_out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], ownership: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], plies: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], policy_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], boards: Sequence[str] = []) -> dict[str, Any]:
    """
    The arrays of a batch, for positions of recorded games (records/samples.h tells what is what).
    """

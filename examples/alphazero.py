"""AlphaZero in one file, to be read from top to bottom in half an hour.

    python examples/alphazero.py                              # tic-tac-toe: perfect play in some minutes
    python examples/alphazero.py connect_four --minutes 20    # stopped at any time, the same command goes on
    python examples/alphazero.py othello:size=6 --minutes 20  # any game of tengen, or a rules file of yours

Needs numpy and torch. The parts, in the order of the loop: rules, network, search, self-play, learning, gate. A formula
of the papers (AlphaGo Zero 2017, AlphaZero 2018) stands above the line that computes it.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional


# ---- 1. The rules. A state is a value that never changes. A game has these members:
#      shape, actions        the shape [C, H, W] of the planes that the network sees, and the number of actions
#      start(), play(state, action), legal(state)   the first state, the next state, the legal actions
#      player(state)         who is to move, 0 or 1
#      result(state)         +1 if player 0 has won, -1 if player 1 has, 0 for a draw; None while the game goes on
#      planes(state), symmetries(planes, policy)   what the player to move sees, and all mirror images of it
class InARow:
    """Stones in a row. A state is (stones of the player to move, stones of the other), as bits; ply = stones in all."""

    def __init__(self, rows, columns, needed, falls):
        self.rows, self.columns, self.needed, self.falls = rows, columns, needed, falls
        self.stride = columns + 1  # an empty column at the end of each row keeps lines from wrapping around
        self.shape = (2, rows, columns)
        self.actions = columns if falls else rows * columns  # an action is a column, or a cell

    def start(self):
        return 0, 0

    def player(self, state):
        return (state[0] | state[1]).bit_count() % 2

    def cell(self, state, action):
        """The bit that an action fills, 0 if there is none: in a column the lowest empty cell."""
        row, column = (self.rows - 1, action) if self.falls else divmod(action, self.columns)
        bit = 1 << row * self.stride + column
        while bit & (state[0] | state[1]):
            bit = bit >> self.stride if self.falls else 0
        return bit

    def legal(self, state):
        return [action for action in range(self.actions) if self.cell(state, action)]

    def play(self, state, action):
        return state[1], state[0] | self.cell(state, action)

    def result(self, state):
        for step in (1, self.stride, self.stride - 1, self.stride + 1):
            row = state[1]  # only the player who moved last can have a row
            for n in range(1, self.needed):
                row &= state[1] >> n * step
            if row:
                return 1 if self.player(state) == 1 else -1
        return None if self.legal(state) else 0

    def planes(self, state):
        bits = np.array(state, "<u8").view(np.uint8).reshape(2, 8)
        cells = np.unpackbits(bits, axis=1, count=self.rows * self.stride, bitorder="little")
        return cells.reshape(2, self.rows, self.stride)[:, :, : self.columns].astype(np.float32)

    def symmetries(self, planes, policy):
        if self.falls:
            return [(planes, policy), (planes[:, :, ::-1], policy[::-1])]
        board = policy.reshape(self.rows, self.columns)
        turned = [(np.rot90(planes, k, (1, 2)), np.rot90(board, k)) for k in range(4)]
        return [(p[:, :, ::m], b[:, ::m].reshape(-1)) for p, b in turned for m in (1, -1)]


class TengenGame:
    """Any other game: one of tengen's, or a rules file."""

    def __init__(self, name):
        from tengen.interfaces.cli.game_argument import parse_game

        game = parse_game(name)
        self.shape, self.actions = game.spec.planes_shape, game.spec.num_actions
        self.start = game.initial_state
        self.player = lambda state: state.to_move
        self.legal = lambda state: state.legal_actions
        self.play = lambda state, action: state.play(action)
        self.result = lambda state: None if state.outcome is None else state.outcome.value_for(0)
        self.planes = lambda state: state.planes()
        self.symmetries = lambda planes, policy: [(s.planes(planes), s.policy(policy)) for s in game.symmetries]


GAMES = {"tic_tac_toe": InARow(3, 3, 3, falls=False), "connect_four": InARow(6, 7, 4, falls=True)}


# ---- 2. The network: f(s) = (p, v). A tower of residual blocks with two heads.
class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.one, self.two = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norm_one, self.norm_two = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x):
        return functional.relu(x + self.norm_two(self.two(functional.relu(self.norm_one(self.one(x))))))


class Network(nn.Module):
    def __init__(self, game, blocks, channels):
        super().__init__()
        planes, height, width = game.shape
        stem = [nn.Conv2d(planes, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
        self.tower = nn.Sequential(*stem, *(Block(channels) for _ in range(blocks)))
        size = 8 * height * width
        self.policy = nn.Sequential(nn.Conv2d(channels, 8, 1), nn.ReLU(), nn.Flatten(), nn.Linear(size, game.actions))
        value = [nn.Conv2d(channels, 8, 1), nn.ReLU(), nn.Flatten(), nn.Linear(size, 32), nn.ReLU(), nn.Linear(32, 1)]
        self.value = nn.Sequential(*value, nn.Tanh())

    def forward(self, planes):  # [B, C, H, W] -> logits [B, A], values [B] for the player to move
        x = self.tower(planes)
        return self.policy(x), self.value(x).squeeze(1)


@torch.inference_mode()
def evaluate(network, planes):
    network.eval()
    return [answer.numpy() for answer in network(torch.from_numpy(np.stack(planes)))]


# ---- 3. The search. Each simulation: select, expand, evaluate, back up.
class Node:
    """A position in the tree, and for each of its legal actions: prior P, visits N, and W, the sum of the values."""

    def __init__(self, game, state):
        self.state, self.player, self.result = state, game.player(state), game.result(state)
        self.legal = () if self.result is not None else game.legal(state)
        self.value = self.result if self.player == 0 or self.result is None else -self.result  # for the player to move
        self.children = {}  # by index into legal
        self.P = None  # until it is expanded
        self.N, self.W = np.zeros(len(self.legal)), np.zeros(len(self.legal))


def select(node, c_puct):
    # a = argmax Q(s,a) + c_puct * P(s,a) * sqrt(sum_b N(s,b)) / (1 + N(s,a)),   Q = W / N
    q = node.W / np.maximum(1, node.N)
    return int(np.argmax(q + c_puct * node.P * np.sqrt(max(1.0, node.N.sum())) / (1 + node.N)))


def search(game, network, roots, simulations, *, c_puct=1.5, noise=0.0, rng=None):
    """Grows the trees of all roots by so many simulations. A batch of the network has one leaf of every tree."""
    for number in range(simulations + 1):  # the first one expands the root
        paths, leaves = [], []
        for root in roots:
            node, path = root, []
            while node.P is not None:
                edge = select(node, c_puct)
                path.append((node, edge))
                if edge not in node.children:
                    node.children[edge] = Node(game, game.play(node.state, node.legal[edge]))
                node = node.children[edge]
            paths.append(path)
            leaves.append(node)
        waiting = [leaf for leaf in leaves if leaf.result is None]
        answers = zip(*evaluate(network, [game.planes(leaf.state) for leaf in waiting]), strict=True) if waiting else ()
        for leaf, (logits, value) in zip(waiting, answers, strict=True):
            chances = np.exp(logits[leaf.legal,] - logits[leaf.legal,].max())
            leaf.P = chances / chances.sum()
            leaf.value = float(value)
            if number == 0 and noise:  # P' = (1 - eps) * P + eps * Dir(alpha), at the root only
                leaf.P = (1 - noise) * leaf.P + noise * rng.dirichlet([10 / len(leaf.legal)] * len(leaf.legal))
        for path, leaf in zip(paths, leaves, strict=True):
            for node, edge in path:  # N(s,a) += 1,  W(s,a) += v, seen from whoever moved at s
                node.N[edge] += 1
                node.W[edge] += leaf.value if node.player == leaf.player else -leaf.value


def choose(node, temperature, rng):
    """pi(a) = N(a)^(1/tau) / sum_b N(b)^(1/tau), and an action drawn from it; tau = 0 is the most visited one."""
    pi = (node.N / node.N.max()) ** (1 / max(temperature, 1e-3))
    return node.legal[int(rng.choice(len(node.legal), p=pi / pi.sum()))]


# ---- 4. Self-play: many games at once, each position recorded as (planes, pi, z).
def random_opening(game, most, rng):
    """A position after up to `most` random moves: without them, most positions would never be seen."""
    state, plies = game.start(), rng.integers(most + 1)
    while plies and game.result(state) is None:
        state, plies = game.play(state, int(rng.choice(game.legal(state)))), plies - 1
    return state if game.result(state) is None else random_opening(game, most, rng)


def play_games(game, network, count, settings, rng):
    """`count` games of the network against itself; their positions, in all mirror images."""
    states = [random_opening(game, settings.opening_plies, rng) for _ in range(count)]
    records, samples, running = [[] for _ in range(count)], [], list(range(count))
    while running:
        roots = [Node(game, states[i]) for i in running]
        search(game, network, roots, settings.simulations, noise=settings.noise, rng=rng)
        for i, root in zip(list(running), roots, strict=True):
            pi = np.zeros(game.actions, np.float32)
            pi[root.legal,] = root.N / root.N.sum()
            records[i].append((game.planes(root.state), pi, root.player))
            states[i] = game.play(root.state, choose(root, float(len(records[i]) <= settings.warm_plies), rng))
            if (result := game.result(states[i])) is not None:
                for planes, pi, player in records[i]:  # z = +1, 0 or -1 for the player who was to move
                    z = np.float32(result if player == 0 else -result)
                    samples += [(*image, z) for image in game.symmetries(planes, pi)]
                running.remove(i)
    return samples


# ---- 5. Learning from the newest positions.
def learn(network, optimizer, replay, *, settings, rng):
    """Steps on random samples of the replay; the mean losses of policy and value."""
    network.train()
    losses = []
    for _ in range(settings.steps):
        batch = [replay[i] for i in rng.integers(len(replay), size=settings.batch)]
        planes, pi, z = (torch.from_numpy(np.stack(part)) for part in zip(*batch, strict=True))
        logits, v = network(planes)
        # loss = (z - v)^2 - pi . log p + c * |theta|^2; the last term is the optimizer's weight decay
        value_loss = (z - v).square().mean()
        policy_loss = -(pi * functional.log_softmax(logits, 1)).sum(1).mean()
        optimizer.zero_grad()
        (value_loss + policy_loss).backward()
        optimizer.step()
        losses.append((policy_loss.item(), value_loss.item()))
    return np.mean(losses, axis=0)


# ---- 6. The gate: the new network plays on only if it beats the old one.
def pit(game, new, old, settings, rng):
    """The score of `new`, from 0 to 1. Every random opening is played twice, with colours swapped."""
    count = settings.gate_games // 2
    states = 2 * [random_opening(game, settings.opening_plies, rng) for _ in range(count)]
    while running := [i for i, state in enumerate(states) if game.result(state) is None]:
        news = [i for i in running if game.player(states[i]) == (i >= count)]  # where `new` is to move
        for network, mine in ((new, news), (old, [i for i in running if i not in news])):
            roots = [Node(game, states[i]) for i in mine]
            search(game, network, roots, settings.simulations)
            for i, root in zip(mine, roots, strict=True):
                states[i] = game.play(root.state, choose(root, 0.0, rng))
    # score = wins / (wins + losses), without the openings that both play equally well; if there are no others, 1
    leads = [game.result(one) - game.result(other) for one, other in zip(states[:count], states[count:], strict=True)]
    return np.mean([lead > 0 for lead in leads if lead]) if any(leads) else 1.0


# ---- The loop.
def train(settings):
    """Self-play, learning, gate; again until the time is up. Returns the game and the best network."""
    torch.manual_seed(settings.seed)
    game = GAMES.get(settings.game) or TengenGame(settings.game)
    path = Path(settings.checkpoint or f"{settings.game.split(':')[0]}.alphazero.pt")
    network, best = (Network(game, settings.blocks, settings.channels) for _ in range(2))
    best.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.rate, weight_decay=settings.decay)
    parts = {"network": network, "best": best, "optimizer": optimizer}
    iteration, spent, replay = 0, 0.0, []
    if path.exists():  # only numbers are read from it, never code
        kept = torch.load(path, weights_only=True)
        for name, part in parts.items():
            part.load_state_dict(kept[name])
        iteration, spent = kept["iteration"], kept["spent"]
        replay = list(zip(*(each.numpy() for each in kept["replay"]), strict=True))
    began = time.perf_counter() - spent
    while (spent := time.perf_counter() - began) < 60 * settings.minutes:
        rng = np.random.default_rng([settings.seed, iteration])
        replay = (replay + play_games(game, best, settings.games, settings, rng))[-settings.window :]
        optimizer.param_groups[0]["lr"] = settings.rate / (1 + iteration / 10)  # smaller and smaller steps
        policy_loss, value_loss = learn(network, optimizer, replay, settings=settings, rng=rng)
        score = pit(game, network, best, settings, rng)
        if score > settings.gate:  # 55 % in AlphaGo Zero
            best.load_state_dict(network.state_dict())
        iteration += 1
        print(f"{iteration:4d}  {spent / 60:5.1f} min  {len(replay):6d} positions  loss {policy_loss:.3f} policy "
              f"{value_loss:.3f} value  {score:4.0%} against the best", flush=True)  # fmt: skip
        kept = {name: part.state_dict() for name, part in parts.items()}
        kept |= {"iteration": iteration, "spent": time.perf_counter() - began}
        kept["replay"] = [torch.from_numpy(np.stack(each)) for each in zip(*replay, strict=True)]
        torch.save(kept, f"{path}.part")
        os.replace(f"{path}.part", path)  # a kill leaves the old file or the new one, never half of one
    return game, best


def parse_settings(arguments=None):
    parser = argparse.ArgumentParser(description="AlphaZero in one file.")
    parser.add_argument("game", nargs="?", default="tic_tac_toe")
    for default in ["minutes=3.0", "seed=1", "blocks=3", "channels=48", "games=128", "simulations=50", "warm_plies=2",
                    "opening_plies=8", "noise=0.25", "window=60000", "steps=100", "batch=256", "rate=0.002",
                    "decay=0.0001", "gate=0.55", "gate_games=40"]:  # fmt: skip
        name, value = default.split("=")
        parser.add_argument(f"--{name.replace('_', '-')}", type=float if "." in value else int, default=value)
    parser.add_argument("--checkpoint", default="")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    train(parse_settings())

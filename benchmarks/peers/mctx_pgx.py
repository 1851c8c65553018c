"""Self-play with mctx's Gumbel search on pgx's games, for the comparison of `tengen bench selfplay`.

It runs in an environment of its own (requirements.txt), never imports tengen, and is controlled through pipes: every
line on stdin is a number of moves to make in all games; the answer is a line of JSON with the simulations, the seconds
by the clock and the seconds of processor time.

The comparison favours it: everything is compiled for one shape before the first answer, convolutions have the layout
that is fastest for XLA on a CPU, the normalisation is folded into them, and its heads are smaller than ours.
"""

import argparse
import json
import os
import sys
import time

import jax
import jax.numpy as jnp
import mctx
import pgx

BLOCKS, CHANNELS = 4, 64


def new_network(env, key):
    """The weights of a residual tower with a policy and a value head."""
    height, width, planes = env.observation_shape
    cells = height * width
    keys = iter(jax.random.split(key, 2 * BLOCKS + 6))

    def conv(size, inputs, outputs):
        spread = jnp.sqrt(2.0 / (size * size * inputs))
        return jax.random.normal(next(keys), (size, size, inputs, outputs)) * spread, jnp.zeros(outputs)

    def dense(inputs, outputs):
        return jax.random.normal(next(keys), (inputs, outputs)) * 0.05, jnp.zeros(outputs)

    return {
        "stem": conv(3, planes, CHANNELS),
        "blocks": [(conv(3, CHANNELS, CHANNELS), conv(3, CHANNELS, CHANNELS)) for _ in range(BLOCKS)],
        "policy": conv(1, CHANNELS, 2),
        "logits": dense(2 * cells, env.num_actions),
        "value": conv(1, CHANNELS, 1),
        "hidden": dense(cells, CHANNELS),
        "out": dense(CHANNELS, 1),
    }


def evaluate(network, planes):
    """planes [B, H, W, C] -> logits [B, A], values [B] for the player to move"""

    def conv(x, layer):
        weights, bias = layer
        return (
            jax.lax.conv_general_dilated(x, weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias
        )

    def dense(x, layer):
        return x @ layer[0] + layer[1]

    x = jax.nn.relu(conv(planes.astype(jnp.float32), network["stem"]))
    for first, second in network["blocks"]:
        x = jax.nn.relu(x + conv(jax.nn.relu(conv(x, first)), second))
    flat = len(x)
    policy = jax.nn.relu(conv(x, network["policy"])).reshape(flat, -1)
    value = jax.nn.relu(conv(x, network["value"])).reshape(flat, -1)
    value = dense(jax.nn.relu(dense(value, network["hidden"])), network["out"])
    return dense(policy, network["logits"]), jnp.tanh(value[:, 0])


def masked(logits, states):
    """Masks illegal actions."""
    logits = logits - logits.max(axis=-1, keepdims=True)
    return jnp.where(states.legal_action_mask, logits, jnp.finfo(logits.dtype).min)


def make_move(env, simulations):
    """A function that searches every game of a batch, plays a move in each, and restarts finished games."""
    step = jax.vmap(env.step)
    start = jax.vmap(env.init)

    def recurrent(network, _, actions, states):
        movers = states.current_player
        states = step(states, actions)
        logits, values = evaluate(network, states.observation)
        rows = jnp.arange(len(actions))
        over = states.terminated
        return mctx.RecurrentFnOutput(
            reward=states.rewards[rows, movers],
            discount=jnp.where(over, 0.0, -1.0),
            prior_logits=masked(logits, states),
            value=jnp.where(over, 0.0, values),
        ), states

    def move(network, states, key):
        search_key, start_key = jax.random.split(key)
        logits, values = evaluate(network, states.observation)
        root = mctx.RootFnOutput(prior_logits=masked(logits, states), value=values, embedding=states)
        found = mctx.gumbel_muzero_policy(
            params=network,
            rng_key=search_key,
            root=root,
            recurrent_fn=recurrent,
            num_simulations=simulations,
            invalid_actions=~states.legal_action_mask,
            qtransform=mctx.qtransform_completed_by_mix_value,
            gumbel_scale=1.0,
        )
        states = step(states, found.action)
        over = states.terminated | states.truncated
        fresh = start(jax.random.split(start_key, len(over)))

        def choose(new, old):
            return jnp.where(over.reshape(-1, *[1] * (old.ndim - 1)), new, old)

        return jax.tree_util.tree_map(choose, fresh, states), found.action_weights

    return jax.jit(move)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--simulations", type=int, required=True)
    parser.add_argument("--core", type=int, help="the one to stay on; all of them if not given")
    arguments = parser.parse_args()
    if arguments.core is not None:
        os.sched_setaffinity(0, {arguments.core})
    env = pgx.make(arguments.game)
    key = jax.random.PRNGKey(0)
    network = new_network(env, key)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(key, arguments.batch))
    move = make_move(env, arguments.simulations)
    states, _ = move(network, states, key)  # compiles
    jax.block_until_ready(states)
    print(json.dumps({"ready": f"jax {jax.__version__}, {arguments.batch} games"}), flush=True)
    for line in sys.stdin:
        moves = int(line)
        started, used = time.perf_counter(), time.process_time()
        for _ in range(moves):
            key, move_key = jax.random.split(key)
            states, _ = move(network, states, move_key)
        jax.block_until_ready(states)
        answer = {
            "simulations": moves * arguments.batch * arguments.simulations,
            "seconds": time.perf_counter() - started,
            "processor_seconds": time.process_time() - used,
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

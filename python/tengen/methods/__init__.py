"""What can fill the stages of a training run: one method a file, chosen by the setting `method`.

`train` calls the stages by name and knows nothing else about them. A method is a class that fills some of AlphaZero's
otherwise; records, run folder, resuming, reports and the page stay the same. To add one: a file here, a line in
METHODS, and its name in RunConfig.method.
"""

from tengen.config import ConfigError, RunConfig
from tengen.methods.alphago import AlphaGo
from tengen.methods.alphazero import AlphaZero, Measured, new_learner, rated
from tengen.methods.dqn import Dqn
from tengen.methods.imitation import Imitation
from tengen.methods.reinforce import Reinforce
from tengen.methods.taught import Taught
from tengen.methods.temporal import TemporalDifferences

__all__ = [
    "METHODS",
    "AlphaGo",
    "AlphaZero",
    "Dqn",
    "Imitation",
    "Measured",
    "Reinforce",
    "Taught",
    "TemporalDifferences",
    "method_of",
    "new_learner",
    "rated",
]

METHODS: dict[str, type[AlphaZero]] = {
    "alphago": AlphaGo,
    "alphazero": AlphaZero,
    "dqn": Dqn,
    "reinforce": Reinforce,
    "temporal": TemporalDifferences,
    "imitation": Imitation,
}


def method_of(config: RunConfig) -> type[AlphaZero]:
    """The method that a config asks for. Tables have one of their own, and it has no other networks."""
    is_tables, is_temporal = config.network.kind == "ntuple", config.method == "temporal"
    if is_tables and config.method == "alphazero":  # the default: the kind of the network decides
        return TemporalDifferences
    if is_tables != is_temporal:
        raise ConfigError(
            f"method: '{config.method}' and network.kind = '{config.network.kind}' do not go together; "
            "'temporal' is the method of 'ntuple' and of no other kind."
        )
    if config.method == "alphazero" and config.tables.teach_share:
        return Taught
    return METHODS[config.method]

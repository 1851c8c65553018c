"""Games as self-play, replay, arena and viewers exchange them, and the files they are kept in."""

from tengen._core import RecordEnd, RecordError
from tengen.records.identity import GameIdentity
from tengen.records.record import POLICY_PARTS, GameRecord, RecordBuilder, decode, encode, policy_parts
from tengen.records.shards import Damage, ShardEnd, ShardWriter, newest_games, pack, read_games, unpack

__all__ = [
    "POLICY_PARTS",
    "Damage",
    "GameIdentity",
    "GameRecord",
    "RecordBuilder",
    "RecordEnd",
    "RecordError",
    "ShardEnd",
    "ShardWriter",
    "decode",
    "encode",
    "newest_games",
    "pack",
    "policy_parts",
    "read_games",
    "unpack",
]

// What was played from this position: in the games of a run, or in one's own documents, with the results of those games
// and what the network thinks of each move.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { playersClass, playersStyle } from "../board/pieces";
import { http } from "../connection";
import { Select, capital, percent } from "../controls";
import { allDocuments, isOf } from "../documents";
import { branchAt, wholeLine } from "../game_tree";
import { t } from "../language";
import type { Analysis, BoardShape, Position, RunSummary } from "../protocol";
import { moveText, widthOf } from "../moves";
import { positionKey } from "../shown";

interface OpeningMove {
  text: string;
  notation: string;
  games: number;
  wins: number; // of the first player
  draws: number;
  losses: number;
}

interface Openings {
  games: number; // that came to this position
  looked_at: number;
  moves: OpeningMove[];
}

const OWN = "own"; // no run is called so: the server's names of runs come with a prefix here
const MOST_SHOWN = 12;

export function OpeningCard(props: {
  app: App;
  board: BoardShape;
  position: Position;
  analysis: Analysis | null;
  onPlay: (text: string) => void;
}): JSX.Element {
  const { board, position } = props;
  const [isOpen, setOpen] = useState(false);
  const [runs, setRuns] = useState<RunSummary[]>([]);
  const [source, setSource] = useState(OWN);
  const { found, problem } = useOpenings(isOpen, source, position);
  useEffect(() => {
    if (isOpen) http<RunSummary[]>("/api/runs").then((all) => setRuns(all.filter((run) => !run.bundled && run.game === position.game)), () => undefined);
  }, [isOpen, position.game]);
  const thought = new Map(props.analysis?.moves.map((move) => [move.text, move.win_rate]));
  return (
    <details class="card openings" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("Opening explorer")}</summary>
      <Select
        label={t("Games")}
        value={source}
        onChange={setSource}
        options={[
          { value: OWN, text: t("Your analyses and imported games") },
          ...runs.map((run) => ({ value: `run:${run.name}`, text: t("Newest games of run {run}", { run: run.name }) })),
        ]}
      />
      {problem && <p role="alert">{problem}</p>}
      {found && (
        <p class="soft small" data-reached={found.games}>
          {t("{count} of {all} games came to this position.", { count: found.games, all: found.looked_at })}
        </p>
      )}
      {found && found.moves.length > 0 && (
        <table class={`moves number ${playersClass(board)}`} style={{ ...playersStyle(board), "--longest": Math.max(...found.moves.map(({ notation }) => widthOf(moveText(notation)))) }}>
          <thead>
            <tr>
              <th scope="col">{t("Move")}</th>
              <th scope="col">{t("Games")}</th>
              <th scope="col">{t("Search")}</th>
              <th scope="col" class="line-column">
                {t("Results")}
              </th>
            </tr>
          </thead>
          <tbody>
            {found.moves.slice(0, MOST_SHOWN).map((move) => (
              <tr data-opening={move.text} data-games={move.games}>
                <th scope="row">
                  <button type="button" class="quiet" aria-label={t("Play {move}", { move: moveText(move.notation) })} onClick={() => props.onPlay(move.text)}>
                    {moveText(move.notation)}
                  </button>
                </th>
                <td>
                  <span class="share" style={{ "--share": move.games / Math.max(1, found.games) }}>
                    {move.games}
                  </span>
                </td>
                <td>{thought.has(move.text) ? percent(thought.get(move.text) ?? 0) : "–"}</td>
                <td class="line-column">
                  <Results board={board} move={move} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

function Results({ board, move }: { board: BoardShape; move: OpeningMove }): JSX.Element {
  const total = move.wins + move.draws + move.losses;
  if (total === 0) return <span class="soft small">{t("not known")}</span>;
  const [first, second] = board.players.map(capital) as [string, string];
  const words = t("{first} won {wins}, {draws} drawn, {second} won {losses}", { first, second, wins: move.wins, draws: move.draws, losses: move.losses });
  return (
    <span class="bar" role="img" aria-label={words} title={words}>
      <span class="bar-first" style={{ width: `${(100 * move.wins) / total}%` }} />
      <span class="bar-second" style={{ width: `${(100 * move.losses) / total}%` }} />
    </span>
  );
}

function useOpenings(isOpen: boolean, source: string, position: Position): { found: Openings | null; problem: string | null } {
  const [answer, setAnswer] = useState<{ key: string; found: Openings | null; problem: string | null } | null>(null);
  const key = `${source} ${positionKey(position)}`;
  useEffect(() => {
    if (!isOpen) return undefined;
    if (source === OWN) return void setAnswer({ key, found: ownOpenings(position), problem: null });
    let isGone = false;
    const name = encodeURIComponent(source.slice("run:".length));
    http<Openings>(`/api/runs/${name}/openings`, { position }).then(
      (found) => isGone || setAnswer({ key, found, problem: null }),
      (error: Error) => isGone || setAnswer({ key, found: null, problem: error.message }),
    );
    return () => {
      isGone = true;
    };
  }, [isOpen, key]);
  return answer?.key === key ? answer : { found: null, problem: null };
}

/** A document counts as one game in every move that its tree has here; its result counts for its main line. */
function ownOpenings(position: Position): Openings {
  const documents = allDocuments().filter((one) => isOf(one, position));
  const here = documents.flatMap((document) => {
    const branch = branchAt(document.tree, position.moves);
    return branch ? [{ document, branch }] : [];
  });
  const moves = new Map<string, OpeningMove>();
  for (const { document, branch } of here) {
    const main = wholeLine(document.tree, []);
    for (const { text, notation } of branch.children) {
      const move = moves.get(text) ?? { text, notation: notation || text, games: 0, wins: 0, draws: 0, losses: 0 };
      const isMain = [...position.moves, text].every((played, ply) => main[ply] === played);
      const result = isMain ? document.result : undefined; // of a variation the result is not known
      moves.set(text, {
        ...move,
        games: move.games + 1,
        wins: move.wins + Number(result === 0),
        draws: move.draws + Number(result === "draw"),
        losses: move.losses + Number(result === 1),
      });
    }
  }
  return { games: here.length, looked_at: documents.length, moves: [...moves.values()].sort((a, b) => b.games - a.games) };
}

// Games in and out: pasted or dropped, as a file, as a link.

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { http } from "../connection";
import { copyLink, copyText } from "../controls";
import { type Document, keepDocument, newDocument, withResult } from "../documents";
import { type FlatBranch, flatten, readMoves, unflatten, withLine, wholeLine } from "../game_tree";
import { t } from "../language";
import { type Spot, freshId, spotAt, writeLink } from "../link";
import type { Position, State } from "../protocol";
import { askState } from "../shown";

/** The server's answer about a game in SGF or PGN. */
interface ReadGame {
  position: Position; // the end of its main line
  tree: FlatBranch[];
}

export function Tools(props: {
  app: App;
  spot: Spot;
  document: Document;
  model: string;
  state: State | null;
  onRemove: () => void; // the move shown and all that follows it
}): JSX.Element {
  const { app, spot, document: shown } = props;
  const { position } = spot;
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const line = wholeLine(shown.tree, []);
  const kind = position.game.includes("chess") ? "PGN" : position.game.includes("shogi") ? "KIF" : "SGF";
  const boardText = props.state && !props.state.board_text.includes("\n") ? props.state.board_text : null;
  const name = shown.name.replace(/[^\p{L}\p{N}_-]+/gu, "_") || `${position.game}-${line.length}`;

  const open = async (content: string): Promise<void> => {
    const { position: end, tree } = await readGame(content, position);
    const state = await askState(app, end);
    const id = freshId();
    const branch = tree ? unflatten(tree) : withLine(newDocument(id, end).tree, state.position.moves, state.notations);
    keepDocument(withResult({ ...newDocument(id, end), tree: branch }, state));
    app.go(writeLink("analyse", spotAt({ ...end, moves: state.position.moves }, id)));
  };
  const paste = async (): Promise<void> => {
    try {
      await open(text);
      dialog.current?.close();
      setText("");
      setProblem(null);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const isOver = useDrop((file) => {
    textOf(file)
      .then(open)
      .catch((error: Error) => app.notify(error.message));
  });
  const downloadRecord = async (): Promise<void> => {
    try {
      const written = await http<{ text: string }>("/api/records/write", { position: { ...position, moves: [] }, tree: flatten(shown.tree) });
      download(`${name}.${kind.toLowerCase()}`, written.text, "text/plain");
    } catch (error) {
      app.notify((error as Error).message);
    }
  };
  return (
    <section class="buttons tools" aria-label={t("Game in and out")}>
      <button type="button" class="quiet" onClick={() => dialog.current?.showModal()}>
        {t("Paste a game")}
      </button>
      <button type="button" class="quiet" onClick={() => download(`${name}.txt`, `${line.join(" ")}\n`, "text/plain")}>
        {t("Download moves")}
      </button>
      <button type="button" class="quiet" onClick={() => void downloadRecord()}>
        {t("Download {kind}", { kind })}
      </button>
      {boardText && (
        <button type="button" class="quiet" onClick={() => void copyText(app, boardText, t("The position is copied."))}>
          {t("Copy {kind}", { kind: position.game.includes("shogi") ? "SFEN" : "FEN" })}
        </button>
      )}
      <button type="button" class="quiet" onClick={() => void copyLink(app, writeLink("analyse", { ...spot, id: null }, { model: props.model }))}>
        {t("Copy link")}
      </button>
      <button type="button" class="quiet" disabled={!position.moves.length} onClick={props.onRemove}>
        {t("Remove from here")}
      </button>
      <a class="button quiet" href={writeLink("play", spotAt(position, freshId()))}>
        {t("Play from here")}
      </a>
      <a class="button quiet" href={writeLink("explore", spot, { model: props.model })}>
        {t("Explore this position")}
      </a>
      {isOver && <div class="drop-here">{t("Drop a game here: SGF, PGN, or moves as text.")}</div>}
      <dialog ref={dialog} aria-label={t("Paste a game")}>
        <form
          method="dialog"
          onSubmit={(event) => {
            event.preventDefault();
            void paste();
          }}
        >
          <h2 class="dialog-title">{t("Paste a game")}</h2>
          <label class="soft small" for="pasted">
            {t("Moves in order, or a game in SGF or PGN with its variations; of chess also a position in FEN; of shogi KIF, CSA or SFEN. A file can be dropped anywhere on this page.")}
          </label>
          <textarea id="pasted" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          {problem && <p role="alert">{problem}</p>}
          <div class="buttons">
            <button type="submit" class="primary" disabled={!text.trim()}>
              {t("Show it")}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              {t("Cancel")}
            </button>
          </div>
        </form>
      </dialog>
    </section>
  );
}

const FEN = /^[a-zA-Z0-9/[\]+~-]*\/[a-zA-Z0-9/[\]+~-]* [wb]\b.*$/;

/** A game in SGF, PGN, KIF or CSA, a position in FEN or SFEN, or the moves of the game that is shown. */
async function readGame(text: string, shown: Position): Promise<{ position: Position; tree: FlatBranch[] | null }> {
  const trimmed = text.trim();
  if (FEN.test(trimmed)) return { position: { ...shown, start: trimmed, moves: [] }, tree: null };
  const isPgn = trimmed.startsWith("[") || (shown.game.includes("chess") && /^1\.\s*\S/.test(trimmed));
  const isShogi = /^(#KIF|# ---|手合割|開始日時|V2|'|N[+-]|PI|P1)/m.test(trimmed) || /^手数/m.test(trimmed);
  if (trimmed.startsWith("(") || isPgn || isShogi) return http<ReadGame>("/api/records/read", { text });
  return { position: { ...shown, moves: readMoves(text) }, tree: null };
}

/** Whether a file is held over the page; one that is let go is handed on. */
function useDrop(onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFile);
  latest.current = onFile;
  useLayoutEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      latest.current(file);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}

/** Game files come in many encodings: UTF-8 if it is, else as an SGF says, else as most files of its kind have it. */
async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const plain = new TextDecoder("latin1").decode(bytes);
    const usual = /^\s*\[/.test(plain) ? "windows-1252" : /^\s*\(/.test(plain) ? "gb18030" : "shift_jis"; // PGN, SGF, KIF
    return decodedAs(/\bCA\[([\w.:-]+)\]/.exec(plain)?.[1] ?? usual, bytes) ?? plain;
  }
}

function decodedAs(encoding: string, bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return null; // no such encoding
  }
}

function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}

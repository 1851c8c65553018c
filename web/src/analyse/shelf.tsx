// The documents of this browser: the name of the one that is open, and a list to open, begin and delete others.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { type Document, allDocuments, deleteDocument } from "../documents";
import { wholeLine } from "../game_tree";
import { language, t } from "../language";
import { freshId, spotAt, writeLink } from "../link";
import type { Position } from "../protocol";

export function Shelf(props: {
  app: App;
  document: Document;
  position: Position;
  onRename: (name: string) => void;
}): JSX.Element {
  const { app, document: shown, position } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [all, setAll] = useState<Document[]>([]);
  const fresh = (): string => writeLink("analyse", spotAt({ ...position, moves: [] }, freshId()));
  const open = (): void => {
    setAll(allDocuments());
    dialog.current?.showModal();
  };
  const remove = (id: string): void => {
    deleteDocument(id);
    setAll(allDocuments());
    if (id === shown.id) app.go(fresh(), "replace");
  };
  return (
    <div class="shelf">
      <input
        type="text"
        aria-label={t("Name of this analysis")}
        placeholder={t("Untitled analysis")}
        maxLength={100}
        value={shown.name}
        onChange={(event) => props.onRename(event.currentTarget.value.trim())}
      />
      <button type="button" onClick={() => app.go(fresh())}>
        {t("New")}
      </button>
      <button type="button" onClick={open}>
        {t("Open")}
      </button>
      <dialog ref={dialog} aria-label={t("Your analyses")}>
        <h2 class="dialog-title">{t("Your analyses")}</h2>
        <p class="soft small">{t("They are kept in this browser only. Download what you want to keep elsewhere.")}</p>
        {all.length === 0 && <p>{t("There are none yet: play a move, or paste a game.")}</p>}
        <ul class="shelf-list">
          {all.map((one) => (
            <li data-document={one.id}>
              <a href={linkTo(one)} aria-current={one.id === shown.id ? "true" : undefined} onClick={() => dialog.current?.close()}>
                <b>{one.name || t("Untitled analysis")}</b>
                <span class="soft small">{aboutOf(app, one)}</span>
              </a>
              <button type="button" class="quiet" aria-label={t("Delete {name}", { name: one.name || t("untitled analysis") })} onClick={() => remove(one.id)}>
                {t("Delete")}
              </button>
            </li>
          ))}
        </ul>
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            {t("Close")}
          </button>
        </div>
      </dialog>
    </div>
  );
}

function linkTo({ id, game, options, start, tree }: Document): string {
  return writeLink("analyse", spotAt({ game, options, ...(start ? { start } : {}), moves: wholeLine(tree, []) }, id));
}

function aboutOf(app: App, { game, tree, updated }: Document): string {
  const title = app.games.find(({ name }) => name === game)?.title ?? game;
  const count = wholeLine(tree, []).length;
  const when = new Date(updated).toLocaleDateString(language(), { dateStyle: "medium" });
  return `${title}, ${t("{n} {n:move|moves}", { n: count })}, ${when}`;
}

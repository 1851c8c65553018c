// The page in the reader's language. English stands in the sources, as the argument of `t` or `rich`; the other
// languages are tables from the English text to theirs, one file each, fetched only by those who read it
// (web/languages, and a test that no text is missing in any).
// What follows ## in a text tells two texts apart that are the same in English.
// {name} in a text is a value; {n:move|moves} is the form that belongs to the number n, by the rules of the language.

import type { JSX } from "preact";
import { Fragment, h } from "preact";
import { keep, remember } from "./storage";

export type Language = "en" | "zh-Hans" | "zh-Hant" | "ru";

export const LANGUAGES: Record<Language, string> = { en: "English", "zh-Hans": "简体中文", "zh-Hant": "繁體中文", ru: "Русский" };

type Values = Record<string, string | number>;

let current: Language = "en";
let table: Record<string, string> = {};
let training: Record<string, string> = {};
let templates: [RegExp, string][] = []; // of those with values: how to find them, and the text in the reader's language
let plural = new Intl.PluralRules("en");

export function language(): Language {
  return current;
}

/** A text in the reader's language; one that the table does not have, as a game of the reader's own says it, stays as it is. */
export function t(text: string, values: Values = {}): string {
  return filled(table[text] ?? text.split("##")[0] ?? "", values);
}

function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (whole, name: string, forms?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return forms === undefined ? String(value) : formOf(Number(value), forms.split("|"));
  });
}

/** Help and diagnosis, which the server writes in English: by the text, or the text with values, that it was made of. */
export function said(text: string): string {
  if (training[text] !== undefined) return training[text];
  for (const [pattern, own] of templates) {
    const values = pattern.exec(text)?.slice(1);
    if (values) return filled(own, Object.fromEntries(values.map((value, index) => [index + 1, said(value)])));
  }
  return text;
}

/** A text with *parts* in bold. */
export function rich(text: string, values: Values = {}): JSX.Element {
  const parts = t(text, values).split("*");
  return h(Fragment, null, ...parts.map((part, i) => (i % 2 ? h("b", null, part) : part)));
}

const ORDER = ["one", "few", "many", "other"];

/** One form for each kind of number that the language has; English and Chinese know "one" and the rest. */
function formOf(number: number, forms: string[]): string {
  const kind = plural.select(number);
  const index = current === "ru" ? ORDER.indexOf(kind === "other" ? "few" : kind) : kind === "one" ? 0 : 1;
  return forms[Math.min(index, forms.length - 1)] ?? "";
}

/** The texts of training, which only its screen needs: the help of settings and the diagnosis of runs. */
export async function speakOfTraining(): Promise<void> {
  if (current === "en" || templates.length) return;
  try {
    training = (await (await fetch(`/assets/languages/training/${current}.json`)).json()) as Record<string, string>;
    templates = Object.entries(training).flatMap(([text, own]) => (text.includes("{1}") ? [[patternOf(text), own]] : []));
  } catch {
    // they stay in English
  }
}

/** Of a text whose values are {1}, {2} and so on, in this order. */
function patternOf(text: string): RegExp {
  const parts = text.split(/\{\d\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(.*)")}$`);
}

/** What the visitor chose, else the first language of the browser that the page speaks. */
export function wantedLanguage(): Language {
  const kept = remember("language");
  if (kept !== null && kept in LANGUAGES) return kept as Language;
  for (const name of navigator.languages) {
    const [tongue, ...more] = name.toLowerCase().split("-");
    if (tongue === "ru" || tongue === "en") return tongue;
    if (tongue === "zh") return more.some((part) => ["hant", "tw", "hk", "mo"].includes(part)) ? "zh-Hant" : "zh-Hans";
  }
  return "en";
}

export function keepLanguage(chosen: Language): void {
  keep("language", chosen);
}

/** Fetches the table. Where that fails the page speaks English, as it did before. */
export async function speak(wanted: Language): Promise<void> {
  try {
    table = wanted === "en" ? {} : ((await (await fetch(`/assets/languages/${wanted}.json`)).json()) as Record<string, string>);
    current = wanted;
  } catch {
    [table, current] = [{}, "en"];
  }
  plural = new Intl.PluralRules(current);
  document.documentElement.lang = current;
}

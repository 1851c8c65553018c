// What this browser keeps: between visits (`keep`), or for this tab alone (`keepHere`). A browser that keeps nothing is
// fine too.

export function keep(name: string, value: string): void {
  store(localStorage, name, value);
}

export function remember(name: string): string | null {
  return read(localStorage, name);
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // nothing is kept, so nothing is to be forgotten
  }
}

/** Names that begin so. */
export function keptNames(start: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(PREFIX + start))
      .map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

export function keepHere(name: string, value: string): void {
  store(sessionStorage, name, value);
}

export function rememberHere(name: string): string | null {
  return read(sessionStorage, name);
}

const PREFIX = "tengen.";

function store(where: Storage, name: string, value: string): void {
  try {
    where.setItem(PREFIX + name, value);
  } catch {
    // private mode or full: the page works without
  }
}

function read(where: Storage, name: string): string | null {
  try {
    return where.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

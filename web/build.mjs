// Builds the page into the Python package: one script, one style sheet, index.html, the texts in other languages, the licences of what is bundled, and
// the hash of what they were built from, which a test compares with the sources (so that a user and a tester need no
// Node).
// The same sources give the same bytes.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "python", "tengen", "interfaces", "web", "static");

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "assets"), { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.tsx" },
  outdir: join(out, "assets"),
  bundle: true,
  minify: true,
  sourcemap: false,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
copyFileSync(join(here, "src", "index.html"), join(out, "index.html"));
for (const path of under(join(here, "languages")).sort()) {
  mkdirSync(dirname(join(out, "assets", path)), { recursive: true });
  writeFileSync(join(out, "assets", path), JSON.stringify(JSON.parse(readFileSync(join(here, path), "utf8"))));
}
writeFileSync(join(out, "assets", "licences.txt"), licences());
writeFileSync(join(out, "assets", "sources.sha256"), `${hashOfSources()}\n`);
for (const name of ["app.js", "app.css"]) {
  const bytes = readFileSync(join(out, "assets", name));
  console.log(`${name}  ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzip`);
}

/** The licence of every package whose code is in the script, as its authors ship it: the notice must go with the code. */
function licences() {
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const notices = Object.keys(dependencies)
    .sort()
    .map((name) => {
      const folder = join(here, "node_modules", name);
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return `${name} ${version} (${license})\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
    });
  const line = "-".repeat(80);
  return `app.js and app.css contain code of these packages.\n\n${notices.map((notice) => `${line}\n${notice}`).join("\n")}`;
}

/** Of every source file in the order of its path: the path, a zero byte, its length, a zero byte, its bytes. */
function hashOfSources() {
  const files = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json", ...under(join(here, "src")), ...under(join(here, "languages"))];
  const hash = createHash("sha256");
  for (const path of files.sort()) {
    const bytes = readFileSync(join(here, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

function under(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => relative(here, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

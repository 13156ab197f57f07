import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { isMainThread } from 'node:worker_threads';

/*
 * Changes Ponder's own modules while Node loads them (`--import`); node_modules stays as it is. None of
 * the changes alters what is indexed (docs/decisions.md).
 *
 * - `ponder@….patch` is a diff of Ponder's package. Each file in it names the Git blob that it applies
 *   to: with any other version of Ponder, the indexer ends with a sentence.
 * - Ponder names the schema of its RPC cache in its code, `ponder_sync`, so that all indexers of a
 *   database share it. PONDER_CACHE_SCHEMA renames it, so that a reindex takes no answer over from the
 *   indexer that runs (docs/reliability.md).
 */

const PACKAGE = '/node_modules/ponder/';
const PATCH = 'ponder@0.16.10.patch';

/** The prefix by which the patch imports the modules of this folder. */
const OWN_PREFIX = 'tributary:';

/** The files of the patch, by their path in the package. */
const files = new Map(
  readFileSync(new URL(PATCH, import.meta.url), 'utf8')
    .split(/^diff --git /m)
    .slice(1)
    .map(parseFile),
);

// Node 22.15 and later run the hooks in this thread. Older ones run this file again in a thread of its own,
// through which the source of every module goes: that makes a start some seconds longer.
if (module.registerHooks) module.registerHooks({ resolve, load });
else if (isMainThread) module.register(import.meta.url);

/** A hook of Node's loader: finds the modules of this folder. */
export function resolve(specifier, context, nextResolve) {
  if (!specifier.startsWith(OWN_PREFIX)) return nextResolve(specifier, context);
  const { href } = new URL(specifier.slice(OWN_PREFIX.length), import.meta.url);
  return { url: href, shortCircuit: true };
}

/** A hook of Node's loader: returns a module of Ponder with the changes. */
export function load(url, context, nextLoad) {
  const loaded = nextLoad(url, context);
  // In a thread of its own, loading is asynchronous.
  return loaded instanceof Promise
    ? loaded.then((source) => changed(url, source))
    : changed(url, loaded);
}

function changed(url, loaded) {
  const at = url.indexOf(PACKAGE);
  if (at < 0 || loaded.source == null) return loaded;
  const path = url.slice(at + PACKAGE.length);
  const source = patched(path, Buffer.from(loaded.source).toString('utf8'));
  // Whole words only: Ponder's metrics are called ponder_sync_block and the like.
  const schema = process.env.PONDER_CACHE_SCHEMA ?? 'ponder_sync';
  return { ...loaded, source: source.replace(/\bponder_sync\b/g, schema) };
}

/** Reads one file of a Git diff: the blob that it applies to, and its hunks. */
function parseFile(diff) {
  const [, path] = /^\+\+\+ b\/(.+)$/m.exec(diff);
  const [, blob] = /^index ([0-9a-f]{40})\.\./m.exec(diff);
  const hunks = diff
    .split(/^@@ -/m)
    .slice(1)
    .map((hunk) => {
      const [, start, count] = /^(\d+),(\d+) /.exec(hunk);
      const lines = hunk.split('\n').filter((line, i) => i > 0 && /^[ +]/.test(line));
      return { index: start - 1, count: Number(count), lines: lines.map((line) => line.slice(1)) };
    });
  return [path, { blob, hunks }];
}

/** @throws if the patch has the file, and was made for another version of it. */
function patched(path, source) {
  const file = files.get(path);
  if (file === undefined) return source;
  const bytes = Buffer.from(source);
  const blob = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  if (blob !== file.blob) {
    throw new Error(
      `Ponder's ${path} is not the one that engine/cli/stack/ponder/${PATCH} changes ` +
        `(blob ${blob}): install the pinned version, or make the patch again.`,
    );
  }
  const lines = source.split('\n');
  // From the last to the first, so that line numbers stay valid.
  for (const { index, count, lines: replacement } of file.hunks.toReversed()) {
    lines.splice(index, count, ...replacement);
  }
  return lines.join('\n');
}

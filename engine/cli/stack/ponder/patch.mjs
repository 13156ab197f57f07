import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/*
 * The changes to Ponder's own modules, which are made while they are compiled (`compile.mjs`);
 * node_modules stays as it is. None of them alters what is indexed (bench/decisions.md).
 *
 * - `ponder@….patch` is a diff of Ponder's package. Each file in it names the Git blob that it applies
 *   to: with any other version of Ponder, the indexer ends with a sentence.
 * - Ponder names the schema of its RPC cache in its code, `ponder_sync`, so that all indexers of a
 *   database share it. It is renamed, so that a reindex takes no answer over from the indexer that runs
 *   (docs/how-it-works/reliability.md).
 */

const PATCH = 'ponder@0.17.7.patch';

/** URL of the patch. */
export const patchFile = new URL(PATCH, import.meta.url);

/** Thrown if the installed Ponder is not the one that the patch is for. */
export class OtherPonderError extends Error {
  name = 'OtherPonderError';
}

/** Name of the schema of the RPC cache in Ponder's code. */
export const DEFAULT_CACHE_SCHEMA = 'ponder_sync';

/** The prefix by which the patch imports the modules of this folder. */
const OWN_PREFIX = 'tributary:';

/** The files of the patch, by their path in the package. */
const files = new Map(
  readFileSync(patchFile, 'utf8')
    .split(/^diff --git /m)
    .slice(1)
    .map(parseFile),
);

/** The address of a module of this folder, if the patch imports it by that specifier. */
export function ownModule(specifier) {
  if (!specifier.startsWith(OWN_PREFIX)) return undefined;
  return new URL(specifier.slice(OWN_PREFIX.length), import.meta.url);
}

/**
 * A module of Ponder with the changes.
 * @param path its path in the package.
 * @param cacheSchema schema of the RPC cache.
 * @throws {OtherPonderError} if the patch has the file, and was made for another version of it.
 */
export function changed(path, source, cacheSchema = DEFAULT_CACHE_SCHEMA) {
  // Whole words only: Ponder's metrics are called ponder_sync_block and the like.
  return patched(path, source).replace(/\bponder_sync\b/g, cacheSchema);
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

function patched(path, source) {
  const file = files.get(path);
  if (file === undefined) return source;
  const bytes = Buffer.from(source);
  const blob = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  if (blob !== file.blob) {
    throw new OtherPonderError(
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

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const { patchFile }: { patchFile: URL } = await import(
  new URL('../../engine/cli/stack/ponder/patch.mjs', import.meta.url).href
);

/** Bytes of a diff, or of what Git says about a patch. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Applies the changes of the project's patch to another release of Ponder, those that still fit.
 * @param folder the unpacked package. Its files are changed.
 * @returns the diff against that release, as the project's patch has it, and `file:line` of each change that does not fit.
 */
export async function tryPatch(folder: string): Promise<{ patch: string; refused: string[] }> {
  await git(folder, 'init', '--quiet');
  await git(folder, 'add', 'dist/esm');
  // One line of context before and after a change is enough; the blobs of another release differ in any case.
  const apply = ['apply', '--reject', '-C1', fileURLToPath(patchFile)];
  const refused = await git(folder, ...apply).then(
    () => [],
    (error: { stderr?: string }) => refusedIn(error.stderr ?? ''),
  );
  const { stdout: patch } = await git(folder, 'diff', '--full-index', '--no-ext-diff');
  return { patch, refused };
}

async function git(folder: string, ...args: string[]) {
  const settings = ['core.autocrlf=false', 'color.ui=false'].flatMap((one) => ['-c', one]);
  return await promisify(execFile)('git', [...settings, ...args], {
    cwd: folder,
    // Sentences of Git are read.
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
}

/** Files and lines that `git apply` names as not applied. */
function refusedIn(stderr: string): string[] {
  const refused = [
    ...stderr.matchAll(/^error: (?:patch failed: (.+)|(.+: No such file or directory))$/gm),
  ].map(([, hunk, file]) => hunk ?? file ?? '');
  if (refused.length === 0) throw new Error(`git apply failed: ${stderr}`);
  return refused;
}

import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inheritedEnv } from '../../engine/env.ts';

/** One instruction of a Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** What an image would contain, in folders of this machine. */
export interface BuiltImage {
  /** The folder that is `/app` in the image. */
  readonly app: string;
  /** The folder that is `/data` in the image. */
  readonly data: string;
  /** Variables of `ENV`, with the folders of this machine. */
  readonly env: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly entrypoint: readonly string[];
  readonly healthcheck: readonly string[];
}

/** Instructions of a Dockerfile, without comments. Lines are not continued in ours. */
function instructionsOf(text: string): Instruction[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      if (name === '') throw new Error(`This line is no instruction: ${line}`);
      return { name, rest };
    });
}

/**
 * Performs the steps of a Dockerfile without Docker: `/app`, `/data` and `/backups` become folders of `root`. An
 * earlier stage's `/app` is moved away, because compiled files know the path of their sources. Base images are not used: the commands run with the programs of this machine.
 * @throws {Error} at an instruction that it does not know, or a command that fails.
 */
export async function buildImage(
  dockerfile: string,
  context: string,
  root: string,
): Promise<BuiltImage> {
  const included = await contextFilter(`${dockerfile}.dockerignore`);
  const stages = new Map<string, string>();
  const app = join(root, 'app');
  let uid = 0;
  let stage: string | undefined;
  let env: Record<string, string> = {};
  let [entrypoint, healthcheck]: string[][] = [[], []];
  const data = join(root, 'data');
  const here = (text: string) =>
    text.replaceAll(/(?<![\w.])\/(app|data|backups)\b/g, (_, folder) => join(root, folder));
  for (const { name, rest } of instructionsOf(await readFile(dockerfile, 'utf8'))) {
    switch (name) {
      case 'FROM': {
        if (stage !== undefined) {
          const moved = join(root, `stage-${stage}`);
          await rename(app, moved);
          stages.set(stage, moved);
        }
        stage = / AS (\w+)$/.exec(rest)?.[1] ?? 'final';
        env = {};
        await mkdir(app, { recursive: true });
        break;
      }
      case 'ENV':
        for (const pair of rest.split(' ')) {
          const [key = '', value = ''] = pair.split('=');
          env[key] = here(value);
        }
        break;
      case 'COPY':
        await copy(rest, { app, stages, context, included });
        break;
      case 'RUN':
        runShell(here(rest), app, env);
        break;
      case 'USER':
        uid = Number(rest.split(':')[0]);
        break;
      case 'ENTRYPOINT':
        entrypoint = JSON.parse(here(rest));
        break;
      case 'HEALTHCHECK':
        healthcheck = JSON.parse(here(rest.replace(/^.* CMD /, '')));
        break;
      case 'WORKDIR':
        if (rest !== '/app') throw new Error(`WORKDIR ${rest} is not supported`);
        break;
      case 'LABEL':
      case 'VOLUME':
      case 'EXPOSE':
      case 'CMD':
        break;
      default:
        throw new Error(`${name} is not supported`);
    }
  }
  return {
    ...{ app, data, env, uid },
    entrypoint: entrypoint ?? [],
    healthcheck: healthcheck ?? [],
  };
}

interface CopyInput {
  readonly app: string;
  readonly stages: ReadonlyMap<string, string>;
  readonly context: string;
  readonly included: (path: string) => boolean;
}

async function copy(rest: string, { app, stages, context, included }: CopyInput): Promise<void> {
  const from = /^--from=(\w+) \/app \/app$/.exec(rest)?.[1];
  if (from !== undefined) {
    await cp(stages.get(from) ?? '', app, {
      ...{ recursive: true, preserveTimestamps: true, verbatimSymlinks: true },
    });
    return;
  }
  const words = rest.split(' ');
  const target = words.pop() ?? '';
  for (const source of words) {
    const all = source === '.';
    const files = all ? await filesOf(context) : [source];
    for (const file of files.filter(included)) {
      // A folder as target takes the file by its last name, as Docker does.
      const path = all ? file : join(target, file.split('/').at(-1) ?? '');
      await mkdir(dirname(join(app, path)), { recursive: true });
      await cp(join(context, file), join(app, path), { preserveTimestamps: true });
    }
  }
}

/** Files of the build context, without those that never are in one. */
async function filesOf(context: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(join(context, below))) {
    if (['.git', 'node_modules'].includes(name)) continue;
    const path = below === '' ? name : `${below}/${name}`;
    if ((await stat(join(context, path))).isDirectory()) {
      found.push(...(await filesOf(context, path)));
    } else found.push(path);
  }
  return found;
}

/** Reads a `.dockerignore`: the last pattern that matches a path, or a folder above it, decides. */
async function contextFilter(path: string): Promise<(path: string) => boolean> {
  const rules = (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const isIncluded = line.startsWith('!');
      const pattern = (isIncluded ? line.slice(1) : line)
        .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('**/', '\0')
        .replaceAll('**', '\x01')
        .replaceAll('*', '[^/]*')
        .replaceAll('\0', '(?:.*/)?')
        .replaceAll('\x01', '.*');
      return { isIncluded, pattern: new RegExp(`^${pattern}(?:/|$)`) };
    });
  return (file) => rules.findLast(({ pattern }) => pattern.test(file))?.isIncluded ?? true;
}

function runShell(command: string, cwd: string, env: Readonly<Record<string, string>>): void {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
    ...{ cwd, encoding: 'utf8' },
    env: { ...inheritedEnv(), ...env },
  });
  if (status !== 0) throw new Error(`${command} failed:\n${stdout}\n${stderr}`);
}

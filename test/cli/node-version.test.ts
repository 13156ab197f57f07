import { execFile } from 'node:child_process';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';

interface NodeVersion {
  readonly PINNED_NODE: string;
  isSupported(version: string): boolean;
}

const { PINNED_NODE, isSupported }: NodeVersion = await import(
  new URL('../../scripts/node-version.mjs', import.meta.url).href
);

const OLD_NODE = '20.20.2';

describe('the check of the version', () => {
  it('agrees with `engines` in package.json; .ci/run tests the oldest version and the pinned one', async () => {
    const manifest = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
    expect(manifest.engines).toEqual({ node: '^22.13 || >=24' });
    expect(['22.13.0', '22.23.3', '24.0.0', '26.12.1'].map(isSupported)).not.toContain(false);
    expect(['18.20.8', OLD_NODE, '22.12.0', '23.11.1'].map(isSupported)).not.toContain(true);
    const ci = await readFile(join(projectRoot, '.ci', 'run'), 'utf8');
    expect(ci).toContain(`with-node.mjs ${PINNED_NODE} npm test\n`);
    expect(ci).toContain('with-node.mjs 22.13.0 npm start');
  });
});

/** A project where nothing is installed. */
let root: string;
/** Programs that are found before those of the machine. */
let programs: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-node-'));
  programs = join(root, 'programs');
  await mkdir(programs);
  for (const name of ['install.mjs', 'node-version.mjs', 'tributary.mjs']) {
    await cp(join(projectRoot, 'scripts', name), join(root, 'scripts', name));
  }
  await writeFile(join(root, 'package-lock.json'), '{ "packages": {} }');
  await writeProgram('npm', NPM);
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Instead of npm: notes each call, installs this Node as any version, and no other package. */
const NPM = [
  'echo "$(node --version) $*" >> "$CALLS"',
  'if [ "$2" != --prefix ]; then mkdir -p node_modules; echo "{}" > node_modules/.package-lock.json; exit; fi',
  'for package; do :; done',
  'bin="$3/node_modules/$(echo "$package" | cut -d @ -f 1)/bin"',
  'mkdir -p "$bin"',
  'echo "#!/bin/sh" > "$bin/node"',
  'echo "if [ \\"\\$1\\" = --version ]; then echo v$(echo "$package" | cut -d @ -f 2); exit; fi" >> "$bin/node"',
  'echo "exec \\"$THIS_NODE\\" \\"\\$@\\"" >> "$bin/node"',
  'chmod +x "$bin/node"',
].join('\n');

async function writeProgram(name: string, script: string): Promise<void> {
  await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(programs, name), 0o755);
}

/** What a script of the project prints on a Node of a version, where `node` of the machine is of another one. */
async function runOn(version: string, machine: string, script: string): Promise<string> {
  await writeProgram('node', `echo v${machine}`);
  const versions = `{ ...process.versions, node: '${version}' }`;
  const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:${versions}})`;
  const bin = join(root, 'node_modules', '.bin');
  const env = {
    ...process.env,
    CALLS: join(root, 'calls'),
    THIS_NODE: process.execPath,
    PATH: [bin, programs, process.env.PATH].join(delimiter),
  };
  const args = ['--import', pretend, join(root, 'scripts', script)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, cwd: root });
  return stdout + stderr;
}

async function npmCalls(): Promise<string[]> {
  return (await readFile(join(root, 'calls'), 'utf8')).trim().split('\n');
}

describe('an installation on a Node that is too old', () => {
  const link = () => readlink(join(root, 'node_modules', '.bin', 'node'));
  const onOldNode = () => runOn(OLD_NODE, OLD_NODE, 'install.mjs');

  it('fetches the pinned Node, installs with it, and lets scripts of npm find it first', async () => {
    const output = (await onOldNode()).split('\n');
    expect(output).toEqual([
      `Tributary needs Node 22.13, 24 or later, and this is ${OLD_NODE}: fetching Node ${PINNED_NODE} from npm into node_modules/.cache/node …`,
      'Installing what is missing (npm install) …',
      '',
    ]);
    expect(await npmCalls()).toEqual([
      expect.stringMatching(
        new RegExp(`^v${OLD_NODE} install --prefix .* node-.*@${PINNED_NODE}$`),
      ),
      expect.stringMatching(new RegExp(`^v${PINNED_NODE} install --no-save`)),
    ]);
    const name = `node-${process.platform}-${process.arch}`;
    expect(await link()).toBe(`../.cache/node/${PINNED_NODE}/node_modules/${name}/bin/node`);
    // Other accounts can run it, too.
    const { mode } = await stat(join(root, 'node_modules', '.cache', 'node', PINNED_NODE));
    expect(mode & 0o055).toBe(0o055);
  });

  it('fetches it once, and says nothing when there is nothing to do', async () => {
    await onOldNode();
    const calls = await npmCalls();
    expect(await runOn(PINNED_NODE, OLD_NODE, 'install.mjs')).toBe('');
    expect(await onOldNode()).toBe('');
    expect(await npmCalls()).toEqual(calls);
    expect(await link()).toContain(PINNED_NODE);
  });

  it('removes the link once the Node of the machine is supported', async () => {
    await onOldNode();
    expect(await runOn(PINNED_NODE, '22.13.0', 'install.mjs')).toBe('');
    await expect(link()).rejects.toThrow('ENOENT');
  });

  it('says that npm did not install it, and leaves nothing half-installed', async () => {
    await writeProgram('npm', 'exit 1');
    await expect(onOldNode()).rejects.toThrow(
      /\nnpm did not install node-.*@24.*: is the registry reachable\?\n$/,
    );
    expect(await readdir(join(root, 'node_modules', '.cache', 'node'))).toEqual([]);
  });
});

it('installs on a supported Node without fetching another', async () => {
  expect(await runOn('22.13.0', '22.13.0', 'install.mjs')).toBe(
    'Installing what is missing (npm install) …\n',
  );
  expect(await npmCalls()).toEqual([expect.stringMatching(/^v22.13.0 install --no-save/)]);
});

it('refuses to run `tributary` on a Node that is too old, and names the script that fetches one', async () => {
  await expect(runOn(OLD_NODE, OLD_NODE, 'tributary.mjs')).rejects.toThrow(
    `Tributary needs Node 22.13, 24 or later, and this is ${OLD_NODE}; \`npm run tributary\` fetches Node ${PINNED_NODE}.`,
  );
});

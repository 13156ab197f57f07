import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, spawnChild } from '../../engine/cli/stack/processes.ts';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);

/** Release of Debian that a machine has. */
const RELEASE = 'bookworm';

const HOSTNAME = 'operator';

const TOOLS = ['debootstrap', 'systemd-nspawn', 'nsenter', 'mount'];

/**
 * Whether this Node is the newest supported one. The machine has its own, so one of the two runs of `.ci/run` is
 * enough.
 */
const isNewestNode = Number.parseInt(process.versions.node, 10) >= 24;

/** Whether a Debian machine can be started here: by root on Linux, with the tools for it. */
export const debianAvailable =
  isNewestNode &&
  process.getuid?.() === 0 &&
  TOOLS.every((tool) => spawnSync('which', [tool]).status === 0);

if (isNewestNode && !debianAvailable) {
  const needed = `root and ${TOOLS.join(', ')}`;
  console.warn(`Without ${needed}, the tests on a Debian machine are skipped.`);
}

/** A machine with a fresh Debian and its own systemd, on the network of this one. */
export interface DebianMachine {
  /** Its file system, seen from here. */
  readonly root: string;
  /** Opens a shell of root. */
  shell(): RootShell;
  /** Switches it off, and deletes its file system. */
  remove(): Promise<void>;
}

/** What commands printed, and how they ended. */
export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A shell that keeps its variables from one text of commands to the next. */
export interface RootShell {
  /** Runs commands until one fails. A code other than 0 ends the shell. */
  run(commands: string): Promise<Printed>;
  close(): Promise<void>;
}

/**
 * Boots a fresh Debian in namespaces of its own. Its files lie over those of a base system, which the
 * first call downloads.
 */
export async function startDebian(): Promise<DebianMachine> {
  const base = await baseSystem();
  const dir = await mkdtemp(join(tmpdir(), 'tributary-debian-'));
  const [root, upper, work] = ['root', 'upper', 'work'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([root, upper, work].map((folder) => mkdir(folder)));
  // Nothing of it outlives the test, so nothing is synced to the disk.
  const layers = `volatile,lowerdir=${base},upperdir=${upper},workdir=${work}`;
  await run('mount', ['-t', 'overlay', 'overlay', '-o', layers, root]);
  await prepare(root);
  const logFile = join(dir, 'console.log');
  const machine = spawnChild({
    name: 'systemd-nspawn',
    command: 'systemd-nspawn',
    // Without the services that would register it, which may not run here.
    args: [
      '--register=no',
      '--keep-unit',
      '--quiet',
      '--console=pipe',
      '--boot',
      `--machine=${HOSTNAME}`,
      '-D',
      root,
    ],
    stopSignal: 'SIGTERM',
    graceMs: 30_000,
    logFile,
  });
  const remove = async () => {
    await machine.stop();
    await run('umount', ['--lazy', root]);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const running = async () => {
      const init = await firstChildOf(machine.pid);
      const args = [...enter(init), 'systemctl', 'is-system-running'];
      return (await run('nsenter', args)).stdout.trim() === 'running' ? init : undefined;
    };
    const init = await waitFor(running, {
      what: 'the machine to boot',
      timeout: 60_000,
      interval: 500,
    });
    return { root, shell: () => openShell(init), remove };
  } catch (error) {
    const log = await readFile(logFile, 'utf8').catch(() => '');
    await remove();
    throw new Error(`The Debian machine did not boot: ${log.slice(-2_000)}`, { cause: error });
  }
}

async function baseSystem(): Promise<string> {
  const folder = join(projectRoot, 'node_modules', '.cache', 'debian', RELEASE);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const packages = '--include=systemd,systemd-sysv,dbus,ca-certificates,iproute2,procps,sudo';
  await run('debootstrap', ['--variant=minbase', packages, RELEASE, unfinished], {
    maxBuffer: 2 ** 24,
  });
  await rename(unfinished, folder);
  return folder;
}

/** Names the machine, and lets it trust what this one trusts, such as the certificate of a mirror. */
async function prepare(root: string): Promise<void> {
  await writeFile(join(root, 'etc/hostname'), `${HOSTNAME}\n`);
  await writeFile(join(root, 'etc/hosts'), `127.0.0.1 localhost ${HOSTNAME}\n::1 localhost\n`);
  const file = '/etc/ssl/certs/ca-certificates.crt';
  await writeFile(join(root, file), await readFile(file));
  await writeFile(join(root, 'etc/npmrc'), `cafile=${file}\n`);
}

async function firstChildOf(pid: number): Promise<number> {
  return Number((await run('pgrep', ['-P', String(pid)])).stdout.split('\n')[0]);
}

function enter(init: number): string[] {
  return ['--target', String(init), '--mount', '--uts', '--ipc', '--pid', '--root', '--wd', '--'];
}

function openShell(init: number): RootShell {
  const child = spawn('nsenter', [...enter(init), 'env', '-i', ...ENVIRONMENT, 'bash', '-e'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  let check = () => {};
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      printed[name] += chunk;
      check();
    });
  }
  child.stdin.on('error', () => {});
  const closed = once(child, 'close').then(([code]) => Number(code));
  const end = '--- end of the commands';
  return {
    async run(commands) {
      Object.assign(printed, { stdout: '', stderr: '' });
      const done = new Promise<number>((resolve) => {
        check = () => {
          if (printed.stdout.endsWith(`\n${end}\n`)) resolve(0);
        };
      });
      child.stdin.write(`${commands}\necho; echo '${end}'\n`);
      const code = await Promise.race([done, closed]);
      const stdout = printed.stdout.replace(`\n${end}\n`, '');
      return { code, stdout, stderr: printed.stderr };
    },
    close: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

/** What root has after logging in, as far as it matters. */
const ENVIRONMENT = [
  'HOME=/root',
  'USER=root',
  'LANG=C.UTF-8',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'DEBIAN_FRONTEND=noninteractive',
  'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
];

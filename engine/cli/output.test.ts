import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './stack/processes.ts';

/** A symbol that any token can have, and the same as printed. */
const HOSTILE = '\u001b[2J\u202eUSDC\n✓ pass\u001b[32m';
const SHOWN = '\\u{1b}[2J\\u{202e}USDC\\u{a}✓ pass\\u{1b}[32m';

/** Output of a program, with colors or without. */
async function outputOf(program: string, colors = false) {
  const code = `
    import { out, style } from './engine/cli/output.ts';
    import { runTasks } from './engine/cli/tasks.ts';
    const hostile = ${JSON.stringify(HOSTILE)};
    ${program}`;
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', code],
    {
      cwd: projectRoot,
      env: colors ? { ...env, FORCE_COLOR: '1' } : env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  await once(child, 'close');
  return { stdout, stderr };
}

describe('out', () => {
  it('prints each text as one line, whatever it contains', async () => {
    const program = `
      out.print(\`1 \${hostile}\`, 'two');
      out.error(hostile);
      out.table([['symbol', hostile]], [hostile]);`;
    const { stdout, stderr } = await outputOf(program);
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      `1 ${SHOWN}`,
      'two',
      SHOWN,
      expect.stringMatching(/^symbol {2,}\S/),
      '',
    ]);
    expect(stdout.split('\n')[3]).toContain(SHOWN);
    expect(stderr).toBe(`${SHOWN}\n`);
  });

  it('prints no other styles than its own, whatever is in a styled text', async () => {
    const { stdout } = await outputOf(
      "out.print('a ' + style.red('no ' + style.bold(hostile)) + ' b'); out.table([[style.green('ok')]])",
      true,
    );
    const red = `\u001b[31mno \u001b[1m${SHOWN}\u001b[22m\u001b[39m`;
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      `a ${red} b`,
      '\u001b[32mok\u001b[39m',
      '',
    ]);
  });

  it('marks the further lines of an error as belonging to it', async () => {
    const { stderr } = await outputOf("out.failure('The call failed: ' + hostile)");
    expect(stderr).toBe('The call failed: \\u{1b}[2J\\u{202e}USDC\n  | ✓ pass\\u{1b}[32m\n');
  });

  it('prints JSON that is the same value, in ASCII where a terminal would obey or hide', async () => {
    const { stdout } = await outputOf('out.json({ hostile }); out.json({ hostile }, 0)');
    expect(JSON.parse(stdout.slice(0, stdout.lastIndexOf('\n{')))).toEqual({ hostile: HOSTILE });
    expect(stdout).toMatch(/^[\n -~✓]*$/);
  });

  it('writes the bytes of a file to a pipe', async () => {
    const { stdout } = await outputOf('out.data(\'{"a":"\\u202e"}\')');
    expect(stdout).toBe('{"a":"\u202e"}');
  });
});

describe('runTasks', () => {
  it('shows titles, output and errors as plain text, and throws the error of the task', async () => {
    const program = `
      const task = async (_, line) => {
        line.output(hostile);
        line.title(hostile);
        throw new Error(hostile);
      };
      await runTasks([{ title: 'Working', task }], {}, false).catch((error) => {
        out.print(String(error.message === hostile));
      });`;
    const { stdout, stderr } = await outputOf(program);
    const all = `${stdout}${stderr}`;
    expect(stdout.endsWith('true\n')).toBe(true);
    expect(all.split(SHOWN).length).toBeGreaterThanOrEqual(3);
    expect(all).not.toContain('\u202e');
    expect(all).not.toContain('\u001b[2J');
    expect(all).not.toMatch(/^✓ pass/m);
  });
});

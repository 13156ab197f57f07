/** A block of a page: code to run, or what the code before it prints. */
export interface Block {
  readonly language: 'ts' | 'sh' | 'text';
  readonly text: string;
  /** Where its fence is, from 1. */
  readonly line: number;
}

/** The fenced blocks of a page that are run or compared, in order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(ts|sh|text)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1] as Block['language'],
    text: match[2] ?? '',
    line: page.slice(0, match.index).split('\n').length,
  }));
}

/**
 * All TypeScript of a page as one module, with its shell commands run in their places. Before each
 * block it prints a line of `marker` and the block's line number.
 * @param options.root the folder that imports of `./…` are from.
 */
export function programOf(
  blocks: readonly Block[],
  options: { readonly root: string; readonly marker: string },
): string {
  const code = blocks.filter(({ language }) => language !== 'text');
  const parts = code.map(({ language, text, line }) => {
    const body = language === 'ts' ? text : `await __shell(${JSON.stringify(text)});\n`;
    return `console.log(${JSON.stringify(`${options.marker} ${line}`)});\n${body}`;
  });
  return `import { spawn as __spawn } from 'node:child_process';
async function __shell(commands: string) {
  const child = __spawn('bash', ['-ec', commands], { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(\`\${commands} ended with \${code}\`);
  console.log();
}
${parts.join('\n')}`.replaceAll("from './", `from '${options.root}/`);
}

/** All shell commands of a page as one script, which prints a line of `marker` before each block. */
export function shellOf(blocks: readonly Block[], marker: string): string {
  return blocks
    .filter(({ language }) => language === 'sh')
    .map(({ line, text }) => `echo '${marker} ${line}'\n${text}`)
    .join('\n');
}

/** What each block printed, by its line on the page. */
export function outputsOf(stdout: string, marker: string): Map<number, string> {
  const sections = stdout.split(`${marker} `).slice(1);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n');
      return [Number(section.slice(0, end)), section.slice(end + 1)];
    }),
  );
}

/**
 * The first part of a `text` block that the output does not have in its place, or `undefined` where
 * it has all of them. Anything may stand where `…` does; space around the whole does not count.
 */
export function missingPart(text: string, output: string): string | undefined {
  const [first = '', ...parts] = text.trim().split('…');
  const printed = output.trim();
  if (!printed.startsWith(first)) return first;
  let at = first.length;
  for (const part of parts.slice(0, -1)) {
    const found = printed.indexOf(part, at);
    if (found < 0) return part;
    at = found + part.length;
  }
  const last = parts.at(-1);
  if (last === undefined) return at === printed.length ? undefined : 'nothing more';
  return printed.slice(at).endsWith(last) ? undefined : last;
}

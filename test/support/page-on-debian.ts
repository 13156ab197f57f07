import type { RootShell } from './debian.ts';
import { blocksOf, missingPart } from './walkthrough.ts';

/** A block of a page that did not do what the page says. */
export interface Deviation {
  /** Line of the page. */
  readonly line: number;
  readonly commands: string;
  readonly code: number | null;
  readonly printed: string;
  /** Text of the page that was not printed. */
  readonly missing?: string;
}

/**
 * Runs the shell commands of a page in order, and compares the `text` blocks after them with what they
 * printed.
 * @param replacements what a reader has to replace by values of their own, and by what.
 * @param onBlock is called before each block, for progress.
 * @returns the first block that failed or printed something else; `undefined` if all did what the page says.
 */
export async function runPage(
  page: string,
  shell: RootShell,
  replacements: Readonly<Record<string, string>>,
  onBlock: (line: number) => void = () => {},
): Promise<Deviation | undefined> {
  const blocks = blocksOf(page);
  for (const [i, block] of blocks.entries()) {
    if (block.language !== 'sh') continue;
    onBlock(block.line);
    const commands = Object.entries(replacements).reduce(
      (text, [placeholder, value]) => text.replaceAll(placeholder, value),
      block.text,
    );
    const { code, stdout, stderr } = await shell.run(commands);
    const deviation = { line: block.line, commands, code, printed: `${stdout}${stderr}` };
    if (code !== 0) return deviation;
    const next = blocks[i + 1];
    if (next?.language !== 'text') continue;
    const missing = missingPart(next.text, stdout);
    if (missing !== undefined) return { ...deviation, missing };
  }
  return undefined;
}

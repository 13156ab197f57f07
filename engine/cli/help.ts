import { type Command, Help, type HelpConfiguration } from 'commander';
import { allVariables, type Program, unsetText } from '../variables.ts';
import { style, terminalColumns } from './output.ts';

/** Columns of a line of help at most. */
const MAX_WIDTH = 100;

/** Help that marks options which a command cannot do without. */
export const helpConfiguration: HelpConfiguration = {
  optionDescription(option) {
    const description = Help.prototype.optionDescription.call(this, option);
    return option.mandatory ? `${description} (required)` : description;
  },
  commandUsage(command) {
    const usage = Help.prototype.commandUsage.call(this, command);
    const needed = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
    return needed.length === 0
      ? usage
      : usage.replace('[options]', `${needed.join(' ')} [options]`);
  },
};

/** Section of a command's help with the environment variables that it reads. */
export function variablesHelp(program: Program): string {
  const read = allVariables.filter(({ programs }) => programs.includes(program));
  if (read.length === 0) return '';
  const indent = Math.max(...read.map(({ name }) => name.length)) + 4;
  const width = Math.min(terminalColumns() ?? MAX_WIDTH, MAX_WIDTH) - indent;
  const lines = read.flatMap((variable) => {
    const text = `${variable.description} (default: ${unsetText(variable)})`;
    return wrapped(text, width).map((line, i) =>
      i === 0
        ? `  ${style.bold(variable.name.padEnd(indent - 2))}${line}`
        : `${' '.repeat(indent)}${line}`,
    );
  });
  return `\nEnvironment variables:\n${lines.join('\n')}`;
}

/** Lines of a text, none longer than the width except for a single word. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > Math.max(width, 20)) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Fewest letters of a command that count as its beginning. */
const MIN_PREFIX = 2;
/** Wrong letters of a command at most. */
const MAX_DISTANCE = 2;

/**
 * Commands that somebody may have meant, best first: those that begin with the word, then those that differ in a letter
 * or two.
 */
export function similarCommands(word: string, names: readonly string[]): readonly string[] {
  const begun = names.filter((name) => word.length >= MIN_PREFIX && name.startsWith(word));
  const near = names
    .map((name) => ({ name, distance: distanceOf(word, name) }))
    .filter(({ distance }) => distance <= Math.min(MAX_DISTANCE, word.length - 1))
    .sort((a, b) => a.distance - b.distance);
  const best = near.filter(({ distance }) => distance === near[0]?.distance);
  return [...new Set([...begun, ...best.map(({ name }) => name)])].slice(0, 3);
}

/** Letters that must be added, left out or replaced to make one word of another (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Lets a program name the commands that an unknown one may mean. */
export function suggestCommands(program: Command): void {
  program.on('command:*', ([word = '']: string[]) => {
    const visible = program.createHelp().visibleCommands(program);
    const names = similarCommands(
      word,
      visible.map((command) => command.name()),
    );
    const question = names.length === 0 ? '' : `\n(Did you mean ${names.join(' or ')}?)`;
    program.error(`error: unknown command '${word}'${question}`, {
      code: 'commander.unknownCommand',
    });
  });
}

import { randomUUID } from 'node:crypto';
import Table from 'cli-table3';
import pc from 'picocolors';
import { plainJson, plainLines, plainText } from '../core/plain-text.ts';

/**
 * Begins the mark of a style in a text, until the text is printed. It is random, so that no text of a stranger (a symbol,
 * a name, an error of an RPC) has one: all other escape sequences are written as text.
 */
const MARK = `\u0000${randomUUID()}`;
const MARKS = new RegExp(`${MARK}\\[(\\d+)m`);

type StyleName = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** Styles of parts of a line for `out`, if the terminal has colors. */
export const style: Readonly<Record<StyleName, (text: string) => string>> = {
  bold: marked('bold'),
  cyan: marked('cyan'),
  dim: marked('dim'),
  green: marked('green'),
  red: marked('red'),
  yellow: marked('yellow'),
};

/**
 * All output of commands. Only styles of `style` act on a terminal: everything else passes `plainText`, so a text of a
 * stranger neither acts, hides nor begins a line, wherever it is from. Lint rules refuse any other way to write.
 */
export const out = {
  /** Prints each text as one line on standard output. */
  print(...lines: readonly string[]): void {
    for (const line of lines) console.log(rendered(line));
  },

  /** Prints each text as one line on standard error. */
  error(...lines: readonly string[]): void {
    for (const line of lines) console.error(rendered(line));
  },

  /** Prints the message of an error in red; its second and further lines are marked as belonging to it. */
  failure(message: string): void {
    const [first = '', ...rest] = message.split('\n');
    this.error(style.red(first), ...rest.map((line) => style.red(`  | ${line}`)));
  },

  /** Prints rows in columns, with an optional header. */
  table(rows: readonly (readonly string[])[], head?: readonly string[]): void {
    console.log(tableText(rows, head));
  },

  /** Prints JSON. What a terminal obeys or hides is written as `\uXXXX`, also to a file or pipe: the value is the same. */
  json(value: unknown, indent = 2): void {
    console.log(plainJson(value, indent));
  },

  /** Writes JSON text to the byte, as a file has it, except on a terminal: there as `json` does. */
  data(text: string): void {
    process.stdout.write(process.stdout.isTTY ? plainLines(text) : text);
  },
};

/** Columns of the terminal; `undefined` if the output is none. */
export function terminalColumns(): number | undefined {
  return process.stdout.columns;
}

/** Table without lines, for any terminal and for pipes. */
const PLAIN = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '' },
  middle: ' ',
};

/** Rows in columns, with an optional header, as `out.table` prints them. */
function tableText(rows: readonly (readonly string[])[], head?: readonly string[]): string {
  const table = new Table({
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1 },
    chars: PLAIN,
    ...(head === undefined ? {} : { head: head.map(rendered) }),
  });
  for (const row of rows) table.push(row.map(rendered));
  // The last column is not padded: a narrow terminal would show the spaces as empty lines.
  return table.toString().replace(/[^\S\n]+$/gm, '');
}

function marked(name: StyleName): (text: string) => string {
  const [open = '', close = ''] = pc[name]('|').split('|');
  const mark = (code: string) => code.replace('\u001b', MARK);
  return (text) => `${mark(open)}${text}${mark(close)}`;
}

/** A line for the terminal: its marks as styles, and the rest as plain text. */
function rendered(line: string): string {
  return line
    .split(MARKS)
    .map((part, index) => (index % 2 === 0 ? plainText(part) : `\u001b[${part}m`))
    .join('');
}

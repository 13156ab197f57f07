import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { plainText } from '../../core/plain-text.ts';

/** True if a person can be asked: input and messages are a terminal. */
export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks a question on the terminal. @returns true for y or yes. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await askLine(`${plainText(question)} [y/N] `, process.stderr);
  return /^y(es)?$/i.test(answer.trim());
}

/** Asks for a password on the terminal, which does not show it. */
export async function askPassword(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asked = askLine('', silent);
  // Not before: reading the line turns the terminal's own echo off.
  process.stderr.write(`${plainText(question)} `);
  const password = await asked;
  process.stderr.write('\n');
  return password;
}

/** Reads a line. Ctrl-C and a closed input end the process, as without the question. */
async function askLine(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const stop = () => process.exit(130);
  lines.once('SIGINT', stop).once('close', stop);
  try {
    return await lines.question(question);
  } finally {
    lines.off('close', stop).close();
  }
}

/** Exit codes of `tributary` (docs/operate/run.md#exit-codes). */
export const exitCodes = {
  ok: 0,
  /** A check failed, an audit found a violation, the configuration is wrong, or a part ended. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The API, the RPC or the database did not respond. */
  unavailable: 3,
  /** Another program listens on a configured port. */
  portTaken: 4,
  /** The API does not have what the command names. */
  notFound: 5,
  /** The receipt matches as of its block, and the sale has later events. */
  outdated: 6,
} as const;

/** Ends a command with a sentence for the user, and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** Each is printed on a line of its own. */
  readonly sentences: readonly string[];

  /** @param sentences one, or one for each reason. */
  constructor(
    sentences: string | readonly string[],
    readonly exitCode: number = exitCodes.failed,
  ) {
    const all = typeof sentences === 'string' ? [sentences] : sentences;
    super(all.join('\n'));
    this.sentences = all;
  }
}

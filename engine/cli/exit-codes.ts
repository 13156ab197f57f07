/** What an exit code of `tributary` means (docs: operations, «Exit codes»). */
export const exitCodes = {
  ok: 0,
  /** A check failed, an audit found a violation, the configuration is bad, or a part ended. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** What was asked could not be found out: the API, the RPC or the database did not answer. */
  unavailable: 3,
  /** Another program listens on a port that the environment names. */
  portTaken: 4,
} as const;

/** Ends a command with a sentence for the person who ran it, and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: number = exitCodes.failed,
  ) {
    super(message);
  }
}

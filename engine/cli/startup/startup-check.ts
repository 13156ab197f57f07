import { CommandError, exitCodes } from '../exit-codes.ts';
import { Patience } from '../stack/patience.ts';

/** Something that is wrong: one sentence, which names the variable to change. */
export interface Finding {
  readonly sentence: string;
  /** Exit code if the program cannot run like this; without it, the program runs and says the sentence. */
  readonly exitCode?: number;
}

/** By how much the clock of this machine differs from another one. */
export interface ClockSample {
  /** The other clock, as a part of a sentence: `PostgreSQL`. */
  readonly source: string;
  /** Milliseconds by which this machine's clock is ahead; negative if it is behind. */
  readonly aheadMs: number;
}

/** Result of a check; empty if all is well. */
export interface CheckResult {
  readonly findings?: readonly Finding[];
  readonly clocks?: readonly ClockSample[];
}

/** A check before anything heavy begins. */
export interface StartupCheck {
  /** @param signal aborted if the check takes too long. */
  run(signal: AbortSignal): Promise<CheckResult>;
  /** Finding if it takes too long. */
  readonly late: Finding;
}

/** Seconds of a free machine that a check may take. All run concurrently. */
const CHECK_SECONDS = 4;

/** Milliseconds between two looks at the time that a check has taken. */
const POLL_MS = 100;

/** Runs all checks concurrently. None of them throws: an error of one is a finding. */
export async function runChecks(checks: readonly StartupCheck[]): Promise<Required<CheckResult>> {
  const results = await Promise.all(checks.map(runInTime));
  return {
    findings: results.flatMap(({ findings = [] }) => findings),
    clocks: results.flatMap(({ clocks = [] }) => clocks),
  };
}

async function runInTime({ run, late }: StartupCheck): Promise<CheckResult> {
  const tooLate = new AbortController();
  const patience = new Patience(CHECK_SECONDS);
  let isDone = false;
  const running = run(tooLate.signal)
    .catch((error: unknown): CheckResult => {
      if (tooLate.signal.aborted) return { findings: [late] };
      return { findings: [{ ...late, sentence: `${late.sentence} (${messageOf(error)})` }] };
    })
    .finally(() => {
      isDone = true;
    });
  const limit = async (): Promise<CheckResult> => {
    while (!isDone && !patience.isOver) await patience.pause(POLL_MS);
    tooLate.abort();
    return { findings: [late] };
  };
  return await Promise.race([running, limit()]);
}

/**
 * Says what was found.
 * @throws {CommandError} with a sentence for each reason why the program cannot run.
 */
export function settleFindings(
  findings: readonly Finding[],
  warn: (sentence: string) => void,
): void {
  const refusals = findings.filter(({ exitCode }) => exitCode !== undefined);
  for (const { sentence, exitCode } of findings) if (exitCode === undefined) warn(sentence);
  const [first] = refusals;
  if (first === undefined) return;
  throw new CommandError(
    refusals.map(({ sentence }) => sentence),
    first.exitCode ?? exitCodes.failed,
  );
}

/** First line of an error's message, or its code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node reports failed attempts at several addresses of a host as one error without a message.
  const [inner] = error instanceof AggregateError ? error.errors : [];
  const of = inner instanceof Error ? inner : error;
  const cause = of.cause instanceof Error ? of.cause : undefined;
  if (of.message === 'fetch failed' && cause !== undefined) return messageOf(cause);
  const [line = ''] = of.message.split('\n');
  return line || ('code' in of ? String(of.code) : of.name);
}

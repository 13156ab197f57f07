import { Command, InvalidArgumentError } from 'commander';
import { defaultMix, faultNames, isFaultName } from './faults/index.ts';
import { failureOf, lineOf, Totals, tableOf } from './report.ts';
import { simulate, sweep } from './simulation.ts';
import { runVirtually } from './virtual/command.ts';
import { isVirtualFaultName, virtualFaultNames } from './virtual/faults.ts';
import { STEPS_PER_FAULT } from './virtual/run.ts';

interface Options {
  seed?: number;
  steps: number;
  seeds: number;
  minutes?: number;
  only?: string[];
  virtual?: boolean;
  stepsPerSeed: number;
  stepsPerFault: number;
  workers: number;
  redis?: boolean;
  json?: boolean;
}

/**
 * The `simulate` command: one seed after the other until one fails, or the seeds or the minutes are
 * over. @returns the exit code.
 */
export async function main(args: readonly string[]): Promise<number> {
  const options = read(args);
  const log = options.json ? () => {} : (line: string) => console.log(line);
  const first = options.seed ?? Math.floor(Math.random() * 1_000_000);
  if (options.virtual === true) return await runVirtual(options, first, log);
  const only = options.only && known(options.only, isFaultName, faultNames);
  const mix = only ?? defaultMix(options.redis === true);
  const until = options.minutes && performance.now() + options.minutes * 60_000;
  const goesOn = (done: number) =>
    until === undefined ? done < options.seeds : performance.now() < until;
  const totals = new Totals();
  for (let done = 0; done === 0 || goesOn(done); done += 1) {
    const seed = first + done;
    const { steps, workers, redis = false } = options;
    log(`seed ${seed}, ${steps} steps`);
    const onRound = (round: Parameters<typeof lineOf>[0]) => log(lineOf(round));
    const outcome = await simulate({ seed, steps, mix, workers, redis, onRound });
    totals.add(outcome);
    if (outcome.failure !== undefined) {
      const failure = failureOf(outcome, { ...options, only });
      if (options.json) console.log(JSON.stringify({ ...totals.toJson(), failure }, null, 2));
      else console.error(failure.text);
      return 1;
    }
    await sweep(outcome);
  }
  console.log(options.json ? JSON.stringify(totals.toJson(), null, 2) : tableOf(totals));
  return 0;
}

/** `--virtual`: a chain in memory, of which `--steps` counts those of all seeds together. */
async function runVirtual(
  { steps, stepsPerSeed, stepsPerFault, only, json }: Options,
  seed: number,
  log: (line: string) => void,
): Promise<number> {
  const mix = only && known(only, isVirtualFaultName, virtualFaultNames);
  const chosen = mix === undefined ? {} : { only: mix };
  const sizes = { steps, stepsPerSeed, stepsPerFault };
  return await runVirtually({ seed, ...sizes, json: json === true, log, ...chosen });
}

function read(args: readonly string[]): Options {
  const command = new Command('simulate')
    .description('Plays random histories on a real chain while everything goes wrong, and checks.')
    .option('--seed <n>', 'what decides it all (default: a random one, which is printed)', integer)
    .option('--virtual', 'a chain and an indexer in memory: fast, with the real settlement')
    .option('--steps <n>', 'steps of each history; of all together with --virtual', integer, 200)
    .option('--steps-per-seed <n>', 'steps of one history with --virtual', integer, 10_000)
    .option(
      '--steps-per-fault <n>',
      'steps between two faults with --virtual, on average',
      integer,
      STEPS_PER_FAULT,
    )
    .option('--seeds <n>', 'how many seeds, counted up', integer, 1)
    .option('--minutes <n>', 'goes on with new seeds for so long', integer)
    .option('--only <faults>', `just these, of ${faultNames.join(', ')}`, list)
    .option('--workers <n>', 'settlement workers to begin with', integer, 1)
    .option('--redis', 'the queue on a Redis (redis-server on the PATH) and not on PostgreSQL')
    .option('--json', 'print the totals as JSON');
  return command.parse([...args], { from: 'user' }).opts<Options>();
}

function integer(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError(`"${text}" is not a whole number.`);
  return Number(text);
}

function list(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** The names, if all of them are faults. @throws {InvalidArgumentError} that names one that is not. */
function known<Name extends string>(
  names: readonly string[],
  isName: (name: string) => name is Name,
  all: readonly Name[],
): Name[] {
  const found = names.filter(isName);
  if (found.length === names.length) return found;
  const unknown = names.find((name) => !isName(name));
  throw new InvalidArgumentError(`"${unknown}" is none of ${all.join(', ')}.`);
}

import type { ChainEnv, Env } from '../../env.ts';
import { portFindings } from '../ports.ts';
import { clockFindings } from './clock.ts';
import { databaseCheck } from './database.ts';
import { folderCheck } from './machine.ts';
import { programsCheck } from './programs.ts';
import { rpcCheck } from './rpc.ts';
import { bucketCheck, mailCheck, redisCheck } from './services.ts';
import { runChecks, type StartupCheck, settleFindings } from './startup-check.ts';

/** A program that runs until it is stopped. */
export type Service = 'start' | 'indexer' | 'worker' | 'api' | 'gateway';

/**
 * Checks everything that a program needs before it does anything: within 5 s on a free machine it says one sentence for
 * each thing that is wrong, and names the variable. A service that others can begin without, such as an API whose RPC is
 * away, runs all the same.
 * @param warn receives what does not prevent the program from running.
 * @throws {CommandError} with a sentence for each reason why it cannot run.
 */
export async function confirmSurroundings(
  service: Service,
  env: Env,
  warn: (sentence: string) => void,
): Promise<void> {
  const { findings, clocks } = await runChecks(checksOf(service, env));
  settleFindings([...findings, ...clockFindings(clocks)], warn);
}

/**
 * Checks the database alone, for a command that needs nothing else.
 * @throws {CommandError} with a sentence that names `DATABASE_URL`.
 */
export async function confirmDatabase(databaseUrl: string): Promise<void> {
  const { findings } = await runChecks([databaseCheck(databaseUrl)]);
  settleFindings(findings, () => {});
}

/** The checks of a program. All run concurrently, each with a limit of its own. */
function checksOf(service: Service, env: Env): readonly StartupCheck[] {
  if (service === 'gateway') return portChecks(service, env);
  return [
    // `start` has chosen its ports.
    ...(service === 'start' ? [] : portChecks(service, env)),
    ...(env.databaseUrl === undefined ? [] : [databaseCheck(env.databaseUrl)]),
    ...(env.chain === undefined ? [] : chainChecks(service, env.chain)),
    ...(service === 'start' ? [programsCheck(env)] : []),
    ...(service === 'indexer' ? [] : serviceChecks(service, env)),
  ];
}

function portChecks(service: Exclude<Service, 'start'>, env: Env): readonly StartupCheck[] {
  return [
    {
      late: { sentence: `HOST: the ports of ${env.host} cannot be tried.` },
      run: async () => ({ findings: await portFindings(service, env) }),
    },
  ];
}

/** Checks of the RPCs. Workers and APIs wait for them, with an alarm. */
function chainChecks(service: Service, chain: ChainEnv): readonly StartupCheck[] {
  const isNeeded = service === 'start' || service === 'indexer';
  return [rpcCheck(chain, { isNeeded, followsChain: isNeeded || service === 'worker' })];
}

function serviceChecks(service: Service, env: Env): readonly StartupCheck[] {
  const { redisUrl, mail, storage, dataDir } = env;
  const isStart = service === 'start';
  return [
    ...(redisUrl === undefined ? [] : [redisCheck(redisUrl, isStart)]),
    ...(mail === undefined ? [] : [mailCheck(mail.url)]),
    ...(storage?.endpoint === undefined ? [] : [bucketCheck(storage.endpoint)]),
    // With a bucket, only `start` writes to the folder.
    ...(isStart || storage === undefined ? [folderCheck(dataDir, isStart)] : []),
  ];
}

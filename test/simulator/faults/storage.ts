import { setTimeout } from 'node:timers/promises';
import { sessionName } from '../../../engine/db/connection.ts';
import type { Fault, Scene } from './fault.ts';

/** PostgreSQL ends as in a crash while calls come in, and recovers from its log. */
const crashPostgres: Fault = {
  weight: 1.5,
  run: async ({ history, system, checks, dice }) => {
    const [steps, delayMs] = [dice.between(2, 6), dice.below(400)];
    checks.reader.excuse = 'unavailable';
    const crash = setTimeout(delayMs).then(() => system.crashPostgres());
    await Promise.all([history.play(steps), crash]);
    return `stopped immediately and started, ${delayMs} ms into ${steps} steps`;
  },
};

const PARTS = [sessionName('worker'), sessionName('api'), ''] as const;

/** Connections are cut: of the workers, of the API, or of everybody but ourselves. */
const cutConnections: Fault = {
  weight: 3,
  run: async ({ history, system, checks, dice }) => {
    const part = dice.pick([...PARTS]);
    const [steps, delayMs] = [dice.between(2, 6), dice.below(400)];
    checks.reader.excuse = 'unavailable';
    const cut = setTimeout(delayMs).then(
      () => system.pool<{ cut: boolean }[]>`
        select pg_terminate_backend(pid) as cut from pg_stat_activity
        where datname = current_database() and application_name <> 'simulator'
          and (${part} = '' or application_name = ${part})`,
    );
    const [, rows] = await Promise.all([history.play(steps), cut]);
    return `${rows.length} connections of ${part === '' ? 'everybody' : part}`;
  },
};

const flushRedis: Fault = {
  weight: 3,
  redis: true,
  run: (scene) => withCalls(scene, ({ redis }) => redis?.flush(), 'emptied'),
};

const killRedis: Fault = {
  weight: 3,
  redis: true,
  run: (scene) => withCalls(scene, ({ redis }) => redis?.crash(), 'killed'),
};

/** Redis loses what came since it last saved: here, the calls of about a second. */
const loseRedisSecond: Fault = {
  weight: 3,
  redis: true,
  run: async (scene) => {
    await scene.system.redis?.save();
    await Promise.all([scene.history.play(6), setTimeout(1_000)]);
    return await withCalls(scene, ({ redis }) => redis?.crash(), 'killed a second after it saved');
  },
};

async function withCalls(
  { history, system, dice }: Scene,
  act: (system: Scene['system']) => Promise<void> | undefined,
  report: string,
): Promise<string> {
  const [steps, delayMs] = [dice.between(2, 6), dice.below(300)];
  await Promise.all([history.play(steps), setTimeout(delayMs).then(() => act(system))]);
  return `${report}, ${delayMs} ms into ${steps} steps`;
}

export const storageFaults = {
  crashPostgres,
  cutConnections,
  flushRedis,
  killRedis,
  loseRedisSecond,
} as const satisfies Record<string, Fault>;

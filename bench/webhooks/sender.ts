import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Settings of a process that sends. */
export interface SenderSettings {
  readonly databaseUrl: string;
  /** `posts` sends the bodies that are stored in the database, without a queue, signature or log. */
  readonly mode: 'service' | 'posts';
  /** Posts that are sent concurrently. */
  readonly concurrency: number;
  /** URL of the receiver, for posts. */
  readonly url: string;
}

/** A process that is ready to send. */
interface SenderProcess {
  readonly pid: number;
  start(): unknown;
}

const PROGRAM = fileURLToPath(new URL('./sender-process.ts', import.meta.url));

/** Does a piece of work with a process that sends after `start`, and ends the process. */
export async function withSender<T>(
  settings: SenderSettings,
  work: (sender: SenderProcess) => Promise<T>,
): Promise<T> {
  const child = fork(PROGRAM, [JSON.stringify(settings)], { execArgv: ['--import', 'tsx'] });
  const exit = once(child, 'exit');
  const failed = exit.then(([code]) => {
    throw new Error(`the sender ended with ${code}`);
  });
  failed.catch(() => {});
  try {
    await Promise.race([once(child, 'message'), failed]);
    const result = await Promise.race([
      work({ pid: child.pid ?? 0, start: () => child.send('start') }),
      failed,
    ]);
    child.send('stop');
    const [code] = await exit;
    if (code !== 0) throw new Error(`the sender ended with ${code}`);
    return result;
  } finally {
    child.kill('SIGKILL');
  }
}

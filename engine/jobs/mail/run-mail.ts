import { repeat, WakeSignal } from '../repeat.ts';
import type { Running } from '../webhooks/run-webhooks.ts';
import { type MailContext, MailDispatcher } from './dispatch.ts';

/** Milliseconds between two looks for what is due. */
const POLL_MS = 2_000;

/** Makes mails of what was published, and sends them. Any number of processes may run. */
export function runMail(context: MailContext, pollMs = POLL_MS): Running {
  const stopping = new AbortController();
  const wakeSignal = new WakeSignal();
  const dispatcher = new MailDispatcher(context, () => wakeSignal.raise());
  const onError = (error: unknown) =>
    context.log.error({ err: error }, 'mails: a step failed, and is repeated');
  const loop = repeat(
    { signal: stopping.signal, wakeSignal, pollMs, onError },
    async () => (await dispatcher.begin()) > 0,
  );
  return {
    stop: async () => {
      stopping.abort();
      wakeSignal.raise();
      await loop;
      await dispatcher.idle();
    },
  };
}

import { CHANGES_CHANNEL, listen } from '../../db/notify.ts';
import { repeat, WakeSignal } from '../repeat.ts';
import { type DispatchContext, Dispatcher } from './dispatch.ts';
import { type PublishContext, publishEvents } from './publish.ts';
import { resealSecrets } from './reseal.ts';

/** Milliseconds between two looks if nothing announces a change. */
const POLL_MS = 1_000;

/** Milliseconds between two looks for secrets that were sealed under an older key. */
const RESEAL_MS = 3_600_000;

/** Something that runs in a worker. */
export interface Running {
  /** Stops when what is on its way has ended. */
  stop(): Promise<void>;
}

/** Makes deliveries of webhooks and sends them. Any number of processes may run. */
export async function runWebhooks(
  context: PublishContext & DispatchContext,
  pollMs = POLL_MS,
): Promise<Running> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const [made, reseal] = [new WakeSignal(), new WakeSignal()];
  const publisher = await runPublisher(context, pollMs, () => made.raise());
  const dispatcher = new Dispatcher(context, () => made.raise());
  const onError = onErrorOf(context);
  const steps = [
    repeat({ signal, wakeSignal: reseal, pollMs: RESEAL_MS, onError }, async () => {
      await resealSecrets(context.pool, context.keys);
      return false;
    }),
    repeat(
      { signal, wakeSignal: made, pollMs, onError },
      async () => (await dispatcher.begin()) > 0,
    ),
  ];
  return {
    stop: async () => {
      stopping.abort();
      made.raise();
      reseal.raise();
      await Promise.all([publisher.stop(), ...steps]);
      await dispatcher.idle();
    },
  };
}

/**
 * Makes deliveries and notifications of what happens. `runWebhooks` does so too: a worker needs it once.
 * @param onPublished called after each step.
 */
export async function runPublisher(
  context: PublishContext & Pick<DispatchContext, 'log'>,
  pollMs = POLL_MS,
  onPublished: () => void = () => {},
): Promise<Running> {
  const stopping = new AbortController();
  const wakeSignal = new WakeSignal();
  const unlisten = await listen(context.pool, CHANGES_CHANNEL, () => wakeSignal.raise());
  const step = repeat(
    { signal: stopping.signal, wakeSignal, pollMs, onError: onErrorOf(context) },
    async () => {
      const more = await publishEvents(context);
      onPublished();
      return more;
    },
  );
  return {
    stop: async () => {
      stopping.abort();
      wakeSignal.raise();
      await step;
      await unlisten();
    },
  };
}

function onErrorOf({ log }: Pick<DispatchContext, 'log'>): (error: unknown) => void {
  return (error) => log.error({ err: error }, 'webhooks: a step failed, and is repeated');
}

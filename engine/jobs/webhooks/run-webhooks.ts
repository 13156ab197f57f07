import { CHANGES_CHANNEL, listen } from '../../db/notify.ts';
import { Bell, repeat } from '../repeat.ts';
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
  const [made, reseal] = [new Bell(), new Bell()];
  const publisher = await runPublisher(context, pollMs, () => made.ring());
  const dispatcher = new Dispatcher(context, () => made.ring());
  const onError = onErrorOf(context);
  const steps = [
    repeat({ signal, bell: reseal, pollMs: RESEAL_MS, onError }, async () => {
      await resealSecrets(context.pool, context.keys);
      return false;
    }),
    repeat({ signal, bell: made, pollMs, onError }, async () => (await dispatcher.begin()) > 0),
  ];
  return {
    stop: async () => {
      stopping.abort();
      made.ring();
      reseal.ring();
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
  const bell = new Bell();
  const unlisten = await listen(context.pool, CHANGES_CHANNEL, () => bell.ring());
  const step = repeat(
    { signal: stopping.signal, bell, pollMs, onError: onErrorOf(context) },
    async () => {
      const more = await publishEvents(context);
      onPublished();
      return more;
    },
  );
  return {
    stop: async () => {
      stopping.abort();
      bell.ring();
      await step;
      await unlisten();
    },
  };
}

function onErrorOf({ log }: Pick<DispatchContext, 'log'>): (error: unknown) => void {
  return (error) => log.error({ err: error }, 'webhooks: a step failed, and is repeated');
}

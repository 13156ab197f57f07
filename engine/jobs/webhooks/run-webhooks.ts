import { setTimeout } from 'node:timers/promises';
import { CHANGES_CHANNEL, listen } from '../../db/notify.ts';
import { type DispatchContext, Dispatcher } from './dispatch.ts';
import { type PublishContext, publishEvents } from './publish.ts';
import { resealSecrets } from './reseal.ts';

/** Milliseconds between two looks if nothing announces a change. */
const POLL_MS = 1_000;

/** Milliseconds between two looks for secrets that were sealed under an older key. */
const RESEAL_MS = 3_600_000;

/** Running webhooks. */
export interface RunningWebhooks {
  /** Stops when the attempts that are on their way have ended. */
  stop(): Promise<void>;
}

/** Makes deliveries and sends them. Any number of processes may run. */
export async function runWebhooks(
  context: PublishContext & DispatchContext,
  pollMs = POLL_MS,
): Promise<RunningWebhooks> {
  const stopping = new AbortController();
  const [changed, made] = [new Bell(), new Bell()];
  const unlisten = await listen(context.pool, CHANGES_CHANNEL, () => changed.ring());
  const dispatcher = new Dispatcher(context, () => made.ring());
  const reseal = new Bell();
  const steps = [
    repeat(stopping.signal, context, reseal, RESEAL_MS, async () => {
      await resealSecrets(context.pool, context.keys);
      return false;
    }),
    repeat(stopping.signal, context, changed, pollMs, async () => {
      const more = await publishEvents(context);
      made.ring();
      return more;
    }),
    repeat(stopping.signal, context, made, pollMs, async () => (await dispatcher.begin()) > 0),
  ];
  return {
    stop: async () => {
      stopping.abort();
      changed.ring();
      made.ring();
      reseal.ring();
      await Promise.all(steps);
      await dispatcher.idle();
      await unlisten();
    },
  };
}

/** Wakes the loop that waits; a ring while it is busy is remembered. */
class Bell {
  #wake: (() => void) | undefined;
  #rang = false;

  ring(): void {
    this.#rang = true;
    this.#wake?.();
  }

  /** Resolves at the next ring, or after some milliseconds. */
  async wait(milliseconds: number): Promise<void> {
    const timer = new AbortController();
    if (!this.#rang) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(milliseconds, undefined, { signal: timer.signal }).then(resolve, () => {});
      });
    }
    timer.abort();
    this.#wake = undefined;
    this.#rang = false;
  }
}

/** Repeats a step: immediately while it finds something, and otherwise at the next ring. */
async function repeat(
  signal: AbortSignal,
  { log }: Pick<DispatchContext, 'log'>,
  bell: Bell,
  pollMs: number,
  step: () => Promise<boolean>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await step()) continue;
    } catch (error) {
      log.error({ err: error }, 'webhooks: a step failed, and is repeated');
    }
    await bell.wait(pollMs);
  }
}

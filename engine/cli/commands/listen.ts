import { createHash } from 'node:crypto';
import { countOf } from '../../core/count-of.ts';
import type { Subscription } from '../../core/webhook-events.ts';
import type { Env } from '../../env.ts';
import { newWebhookSecret } from '../../secrets/webhook-secret.ts';
import { apiUrlOf, askApi } from '../api-client.ts';
import { untilStopped } from '../connect.ts';
import { Forwarder } from '../listen/forwarder.ts';
import { type Attempt, listen, MAX_ATTEMPTS } from '../listen/listen.ts';
import { isAccepted } from '../listen/post.ts';
import { out, style } from '../output.ts';

export interface ListenCommandOptions {
  readonly forwardTo: string;
  /** Default: all events, when their block is settled. */
  readonly events?: readonly Subscription[];
  readonly account?: `0x${string}`;
  readonly campaign?: string;
  readonly from?: string;
  readonly secret?: string;
  readonly url?: string;
  readonly json?: boolean;
}

const ALL_EVENTS: readonly Subscription[] = [{ pattern: '*', finality: 'pending' }];

/**
 * Runs `tributary listen`: forwards settled events as webhooks to an address until Ctrl-C, and prints one
 * line for each attempt.
 */
export async function runListen(env: Env, options: ListenCommandOptions): Promise<void> {
  const baseUrl = (await apiUrlOf(env, options.url)).replace(/\/+$/, '');
  const { data: status } = await askApi(baseUrl, (client) => client.system.status({}));
  const { chainId, contractAddress } = status.deployment;
  const forwarder = new Forwarder(
    (bytes) => createHash('sha256').update(bytes).digest(),
    { chainId, contractAddress, publicUrl: baseUrl },
    options.events ?? ALL_EVENTS,
  );
  const secret = options.secret ?? newWebhookSecret();
  const print = options.json === true ? printJson : printText;
  const stopped = new AbortController();
  void untilStopped().then(() => stopped.abort());
  print.started({ forwardTo: options.forwardTo, api: baseUrl, secret });
  await askApi(baseUrl, (client) =>
    listen({
      client,
      forwarder,
      url: options.forwardTo,
      secret,
      campaignId: options.campaign === undefined ? undefined : [options.campaign],
      account: options.account === undefined ? undefined : [options.account],
      from: options.from,
      signal: stopped.signal,
      onAttempt: print.attempt,
      onOpen: print.open,
      onReset: (reason) => {
        out.error(
          style.yellow(
            reason === 'TOO_OLD'
              ? 'The changes since that id are no longer stored: events in between are missing.'
              : 'The service does not know that id: it is from another ledger. Forwarding new events.',
          ),
        );
      },
    }),
  );
  const { resumeFrom } = forwarder;
  if (resumeFrom !== undefined) print.stopped({ resumeFrom, held: forwarder.heldCount });
}

interface Started {
  readonly forwardTo: string;
  readonly api: string;
  readonly secret: string;
}

interface Stopped {
  readonly resumeFrom: string;
  /** Events that still waited for their finality. */
  readonly held: number;
}

const printText = {
  started({ forwardTo, api, secret }: Started): void {
    out.print(`Forwarding events of ${api} to ${forwardTo}`);
    out.print(`Secret of the signatures: ${style.bold(secret)}`);
    out.print(style.dim('Ctrl-C ends it.'));
  },
  open(): void {
    out.print(style.dim(`${time()}  listening`));
  },
  attempt(attempt: Attempt): void {
    const { body, ms } = attempt;
    const { campaignId, saleId } = body.data;
    const subject = `campaign ${campaignId}${saleId === null ? '' : `, sale ${saleId}`}`;
    const result = isAccepted(attempt)
      ? style.green(String(attempt.status))
      : style.red(`${attempt.status ?? attempt.reason}, ${outlookOf(attempt)}`);
    out.print(`${time()}  ${body.type}  ${subject}  ${result}  ${style.dim(`${ms} ms`)}`);
  },
  stopped({ resumeFrom, held }: Stopped): void {
    if (held > 0) {
      const events = countOf(held, 'event still waits', 'events still wait');
      out.print(`${events} for a block that is final enough.`);
    }
    out.print(`Resume with --from ${resumeFrom}`);
  },
};

const printJson = {
  started: (started: Started) => printLine({ kind: 'started', ...started }),
  open: () => printLine({ kind: 'open' }),
  attempt({ body, number, status, reason, ms }: Attempt): void {
    const { eventId, campaignId, saleId } = body.data;
    const subject = { eventId, type: body.type, campaignId, saleId };
    printLine({ kind: 'attempt', ...subject, attempt: number, status, reason, ms });
  },
  stopped: (stopped: Stopped) => printLine({ kind: 'stopped', ...stopped }),
};

function printLine(line: object): void {
  out.json({ at: new Date().toISOString(), ...line }, 0);
}

function outlookOf({ number }: Attempt): string {
  return number < MAX_ATTEMPTS ? 'retrying' : `gave up after ${number} attempts`;
}

/** Local time of day. */
function time(): string {
  return new Date().toTimeString().slice(0, 8);
}

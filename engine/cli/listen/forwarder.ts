import type { StreamUpdate } from '../../client/index.ts';
import { isEventName } from '../../core/events.ts';
import type { Finality } from '../../core/finality.ts';
import { neededFinality, type Subscription } from '../../core/webhook-events.ts';
import {
  type ContractEvent,
  eventTypeOf,
  retractionOf,
  type Sha256,
  type WebhookBody,
  type WebhookDeployment,
  webhookMessageOf,
} from '../../core/webhook-message.ts';

/** A webhook that waits to be sent, or is being sent. */
export interface Delivery {
  readonly body: WebhookBody;
}

/** Position in the stream: the id of a message, and its sequence number. */
interface Position {
  readonly id: string;
  readonly sequence: number;
}

interface Planned extends Delivery {
  readonly kind: 'event' | 'retraction';
  readonly event: ContractEvent;
  /** Number of the event among those of its campaign. */
  readonly seq: number;
  readonly finality: Finality;
  /** Position before its message: a stream that resumes there has it again. */
  readonly before: Position | undefined;
}

type Settled = Extract<StreamUpdate, { event: 'settled' }>['data'];
type Heads = Extract<StreamUpdate, { event: 'head' }>['data']['heads'];

/** Largest number of sent events that are remembered, to retract them. */
const MAX_SENT = 10_000;

/**
 * Turns messages of the stream into webhooks in order: waits for the finality of each, cancels those that
 * are retracted before they are sent, and retracts those that the receiver has accepted.
 */
export class Forwarder {
  readonly #sha256: Sha256;
  readonly #deployment: WebhookDeployment;
  readonly #subscriptions: readonly Subscription[];
  /** Deliveries that can be sent now, oldest first. */
  #ready: Planned[] = [];
  /** Events whose block is not final enough yet, oldest first. */
  #held: Planned[] = [];
  #sending: Planned | undefined;
  #isCancelled = false;
  /** Events that the receiver has accepted, and that a reorg can still remove. */
  #sent: Planned[] = [];
  #safe = -1;
  #finalized = -1;
  #position: Position | undefined;

  constructor(
    sha256: Sha256,
    deployment: WebhookDeployment,
    subscriptions: readonly Subscription[],
  ) {
    this.#sha256 = sha256;
    this.#deployment = deployment;
    this.#subscriptions = subscriptions;
  }

  /** Number of deliveries that can be sent now. */
  get readyCount(): number {
    return this.#ready.length;
  }

  /** Number of events that wait until their block is final enough. */
  get heldCount(): number {
    return this.#held.length;
  }

  /**
   * Id from which a stream resumes without missing a webhook that was not sent yet; `undefined` before the
   * first message.
   */
  get resumeFrom(): string | undefined {
    const unsent = [...this.#ready, ...this.#held];
    if (this.#sending !== undefined && !this.#isCancelled) unsent.push(this.#sending);
    let first = this.#position;
    for (const { before } of unsent) {
      if (before !== undefined && first !== undefined && before.sequence < first.sequence) {
        first = before;
      }
    }
    return first?.id;
  }

  /** Applies a message of the stream. */
  take(message: StreamUpdate): void {
    const { id, data } = message;
    switch (message.event) {
      case 'hello':
      case 'head':
        this.#advance(message.data.heads);
        break;
      case 'settled':
        this.#plan(message.data);
        break;
      case 'retracted':
        this.#retract(message.data.campaignId, message.data.afterSeq);
        break;
      case 'reset':
        this.#forget();
        break;
    }
    this.#position = { id, sequence: data.sequence };
  }

  /** The next delivery to send, which is the only one until `finish`; `undefined` if none is ready. */
  next(): Delivery | undefined {
    this.#sending = this.#ready.shift();
    this.#isCancelled = false;
    return this.#sending;
  }

  /** True if the delivery that is being sent was retracted meanwhile. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /**
   * Ends the delivery that `next` returned.
   * @param accepted true if the receiver has accepted it.
   */
  finish(accepted: boolean): void {
    const sent = this.#sending;
    this.#sending = undefined;
    if (sent === undefined || !accepted || sent.kind === 'retraction') return;
    if (this.#isCancelled) this.#planRetraction(sent);
    else this.#remember(sent);
  }

  #plan({ campaignId, events }: Settled): void {
    for (const streamed of events) {
      const { name, seq } = streamed;
      // A newer service may know other events.
      if (!isEventName(name)) continue;
      const event: ContractEvent = {
        ...streamed,
        name,
        campaignId,
        blockNumber: Number(streamed.blockNumber),
        timestamp: Date.parse(streamed.at) / 1_000,
      };
      const finality = neededFinality(this.#subscriptions, eventTypeOf(event));
      if (finality === undefined) continue;
      const body = webhookMessageOf(this.#sha256, this.#deployment, event, finality);
      const before = this.#position;
      const planned: Planned = { kind: 'event', event, seq, finality, before, body };
      (this.#isDue(planned) ? this.#ready : this.#held).push(planned);
    }
  }

  #advance({ safe, finalized }: Heads): void {
    this.#finalized = finalized === null ? -1 : Number(finalized);
    // A final block is safe, on a chain without safe blocks too.
    this.#safe = Math.max(this.#finalized, safe === null ? -1 : Number(safe));
    this.#ready.push(...this.#held.filter((planned) => this.#isDue(planned)));
    this.#held = this.#held.filter((planned) => !this.#isDue(planned));
    this.#sent = this.#sent.filter(({ event }) => event.blockNumber > this.#finalized);
  }

  #isDue({ event, finality }: Planned): boolean {
    if (finality === 'pending') return true;
    return event.blockNumber <= (finality === 'safe' ? this.#safe : this.#finalized);
  }

  #retract(campaignId: string, afterSeq: number): void {
    const isRetracted = ({ event, seq, kind }: Planned) =>
      kind === 'event' && event.campaignId === campaignId && seq > afterSeq;
    const remains = (planned: Planned) => !isRetracted(planned);
    this.#ready = this.#ready.filter(remains);
    this.#held = this.#held.filter(remains);
    if (this.#sending !== undefined && isRetracted(this.#sending)) this.#isCancelled = true;
    const retracted = this.#sent.filter(isRetracted);
    this.#sent = this.#sent.filter(remains);
    // The newest first, as a chain removes them.
    for (const planned of retracted.reverse()) this.#planRetraction(planned);
  }

  #planRetraction({ event, seq, finality }: Planned): void {
    const body = retractionOf(this.#sha256, this.#deployment, event, finality);
    const before = this.#position;
    this.#ready.push({ kind: 'retraction', event, seq, finality, before, body });
  }

  #remember(sent: Planned): void {
    if (sent.event.blockNumber <= this.#finalized) return;
    this.#sent.push(sent);
    if (this.#sent.length > MAX_SENT) this.#sent.shift();
  }

  /** Forgets everything: after a gap, or in another ledger, no message says what was retracted. */
  #forget(): void {
    this.#ready = [];
    this.#held = [];
    this.#sent = [];
    if (this.#sending !== undefined) this.#isCancelled = true;
  }
}

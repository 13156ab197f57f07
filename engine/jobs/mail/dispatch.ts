import {
  type ClaimedMail,
  claimMails,
  type MailResult,
  reclaimLostMails,
  saveMailAttempt,
} from '../../db/commerce/mail-dispatch.ts';
import { makeMails } from '../../db/commerce/mail-outbox.ts';
import { readOutboxHead } from '../../db/commerce/webhook-outbox.ts';
import type { Pool } from '../../db/connection.ts';
import type { SecretKeys } from '../../secrets/keys.ts';
import { unseal } from '../../secrets/seal.ts';
import { Attempts } from '../attempts.ts';
import { nextAttemptMs } from '../webhooks/schedule.ts';
import { confirmationText, type MailLinks, notificationText } from './message.ts';
import type { MailOutcome, MailSender, OutgoingMail } from './send.ts';

/** Mails that one process sends at the same time. */
const CONCURRENCY = 4;

/** Milliseconds after which an attempt that says nothing counts as lost: longer than one may take. */
const LEASE_MS = 120_000;

/** Milliseconds of the first and of the longest pause after the mail server failed. */
const PAUSE_MS = { first: 1_000, longest: 60_000 } as const;

/** Milliseconds for which an address can be confirmed. */
const CONFIRMATION_MS = 86_400_000;

/** Result for a mail that would confirm nothing any more. */
const PAST: MailResult = { outcome: 'failed', smtpCode: null, next: null };

/** Everything that sending mails needs from outside. */
export interface MailContext {
  readonly pool: Pool;
  readonly keys: SecretKeys;
  readonly sender: Pick<MailSender, 'send'>;
  readonly chainId: number;
  /** Public origin of the service. */
  readonly publicUrl: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** Called with the outcome of each attempt. */
  readonly onAttempt?: (outcome: MailOutcome['kind']) => void;
}

/** Makes mails of what waits, and sends them. Any number of processes may run: each mail is claimed by one. */
export class MailDispatcher {
  readonly #context: MailContext;
  readonly #attempts: Attempts;
  /** Times in a row that the mail server was not available, and until when nothing is sent because of them. */
  #failures = 0;
  #pausedUntil = 0;

  /** @param onEnded called when an attempt has ended, so that the next may begin. */
  constructor(context: MailContext, onEnded: () => void = () => {}) {
    this.#context = context;
    this.#attempts = new Attempts({
      limit: CONCURRENCY,
      onError: (error) =>
        context.log.error({ err: error }, 'an attempt at a mail could not be stored'),
      onEnded,
    });
  }

  /**
   * Makes mails, claims those that are due, and begins to send them.
   * @returns how many it began.
   */
  async begin(): Promise<number> {
    const { pool, clock } = this.#context;
    const now = new Date(clock());
    await reclaimLostMails(pool, now);
    await pool.begin(async (sql) => {
      const head = await readOutboxHead(sql);
      const { safeNumber, finalizedNumber, settledNumber } = head ?? {};
      // On a chain without safe blocks, what waits for one waits for the final one.
      const safe = safeNumber ?? finalizedNumber ?? null;
      await makeMails(sql, { safe }, settledNumber ?? null, now);
    });
    const limit = this.#attempts.room;
    if (limit === 0 || now.getTime() < this.#pausedUntil) return 0;
    const claimed = await claimMails(pool, now, { limit, leaseMs: LEASE_MS });
    for (const mail of claimed) this.#attempts.add(this.#deliver(mail));
    return claimed.length;
  }

  /** Resolves once all running attempts have ended. */
  async idle(): Promise<void> {
    await this.#attempts.idle();
  }

  /** Makes one attempt at a mail, and stores how it ended. */
  async #deliver(mail: ClaimedMail): Promise<void> {
    const { pool, sender, clock, log, onAttempt } = this.#context;
    const outgoing = outgoingMail(this.#context, mail);
    const outcome = outgoing && (await sender.send(outgoing));
    const now = new Date(clock());
    if (outcome !== undefined) {
      onAttempt?.(outcome.kind);
      this.#noteServer(outcome, now);
    }
    const result = outcome === undefined ? PAST : resultOf(this.#context, mail, outcome, now);
    const isUndeliverable = await pool.begin((sql) => saveMailAttempt(sql, mail, result, now));
    // A mail has an address of a person in it, so the log names only the mail.
    if (result.outcome !== 'sent') {
      const fields = { mail: mail.id, attempt: mail.attempt, code: result.smtpCode };
      log.warn(fields, result.next === null ? 'a mail was given up' : 'a mail is sent again later');
    }
    if (isUndeliverable) log.warn({ mail: mail.id }, 'an e-mail address counts as undeliverable');
  }

  /** Leaves the mail server alone for a while after it was not available. */
  #noteServer({ kind }: MailOutcome, now: Date): void {
    const isServers = kind === 'unavailable';
    this.#failures = isServers ? this.#failures + 1 : 0;
    const pause = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** (this.#failures - 1));
    this.#pausedUntil = isServers ? now.getTime() + pause : 0;
  }
}

/** Mail as it is sent; `undefined` if it can no longer be, because it would confirm nothing. */
function outgoingMail(
  { keys, chainId, publicUrl, clock }: MailContext,
  { id, account, address, createdAt, unsubscribeToken, sealedToken, items, itemCount }: ClaimedMail,
): OutgoingMail | undefined {
  if (unsubscribeToken === null) return undefined;
  const unsubscribe = `${publicUrl}/mail/unsubscribe?token=${unsubscribeToken}`;
  const links: MailLinks = { chainId, publicUrl, unsubscribe };
  const common = { messageId: `<${id}@${new URL(publicUrl).hostname}>`, to: address, unsubscribe };
  if (sealedToken === null) {
    const text = notificationText(account, { items, count: itemCount }, links);
    return { ...common, ...text };
  }
  const token = unseal(sealedToken, keys, 'mail token')?.text;
  if (token === undefined || clock() >= createdAt.getTime() + CONFIRMATION_MS) return undefined;
  const confirm = `${publicUrl}/mail/confirm?token=${token}`;
  return { ...common, ...confirmationText(account, confirm, links) };
}

/** Consequences of an outcome for the mail. */
function resultOf(
  { random }: MailContext,
  { attempt, createdAt, sealedToken }: ClaimedMail,
  { kind, code }: MailOutcome,
  now: Date,
): MailResult {
  if (kind === 'sent' || kind === 'refused') return { outcome: kind, smtpCode: code, next: null };
  const wait = nextAttemptMs(attempt, { retryAfterSeconds: null, random });
  const at = wait === null ? null : now.getTime() + wait;
  const isTooLate =
    sealedToken !== null && at !== null && at >= createdAt.getTime() + CONFIRMATION_MS;
  return {
    outcome: 'failed',
    smtpCode: code,
    next: at === null || isTooLate ? null : new Date(at),
  };
}

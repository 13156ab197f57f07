import { LRUCache } from 'lru-cache';
import type { Meta } from '../../contract/envelope.ts';
import { connectionLosses, type Pool } from '../../db/connection.ts';
import { currentSnapshot } from '../../db/read/current-snapshot.ts';
import type { AppDeps } from '../deps.ts';
import type { Answer } from '../handler.ts';
import { answerMeta } from '../render/answer-meta.ts';
import { Snapshots } from './snapshots.ts';

/** An answer as it is sent, but for what belongs to the one request. */
export interface KeptAnswer {
  /** The JSON of its `data`. */
  readonly data: string;
  readonly meta: Omit<Meta, 'requestId'>;
}

/** How answers came about. */
export interface KeptCounts {
  /** Given again. */
  kept: number;
  /** Waited for another request that was making the very same. */
  joined: number;
  made: number;
}

/** Of all answers that one process keeps; a character is a byte, where it is not a rare one. */
const MIB_MOST = 32;
/** Of the longest answer that is kept. */
const ANSWER_MIB_MOST = 1;
const MIB = 2 ** 20;

/**
 * Milliseconds. Nothing needs it while one database names its snapshots and no connection is lost; a
 * pooler in between may hide that the database behind it was restored from a backup.
 */
const KEPT_MS = 10_000;

interface Kept extends KeptAnswer {
  /** What the database was when it was made: see `validatorOf`. */
  readonly validator: string;
}

interface Making {
  /** The database's validator from some time before it began; `undefined` if none was known. */
  readonly validator: string | undefined;
  readonly answer: Promise<KeptAnswer>;
}

/**
 * Answers that are given again for as long as nothing in the database changes, in the memory of one API
 * process. All of them are dropped when a connection to the database is lost, and none is kept on a
 * standby. Each request asks PostgreSQL for the snapshot of now, many of them together; the answer that
 * was made of the same snapshot is the very answer that would be made, to the last character. So a write
 * is seen by the next read, whichever process did it (docs/api.md, «Answers given again»).
 */
export class KeptAnswers {
  readonly counts: KeptCounts = { kept: 0, joined: 0, made: 0 };
  readonly #losses: () => number;
  readonly #validators: Snapshots;
  #seenLosses: number;
  readonly #making = new Map<string, Making>();
  readonly #answers: LRUCache<string, Kept>;

  constructor({ pool, keptMiB = MIB_MOST }: Pick<AppDeps, 'pool' | 'keptMiB'>) {
    this.#losses = () => connectionLosses(pool);
    this.#seenLosses = this.#losses();
    this.#validators = new Snapshots(() => validatorOf(pool));
    this.#answers = new LRUCache({
      maxSize: keptMiB * MIB,
      maxEntrySize: Math.min(keptMiB, ANSWER_MIB_MOST) * MIB,
      sizeCalculation: ({ data }, key) => data.length + key.length,
      ttl: KEPT_MS,
    });
  }

  /**
   * The answer to a question, kept or made.
   * @param question everything that the answer hangs on beside the database.
   * @throws whatever making it throws: that is not kept.
   */
  async answer(question: string, make: () => Promise<Answer<unknown>>): Promise<KeptAnswer> {
    // Of a question that nobody asks just now nothing can be given again: no need to wait.
    if (!this.#answers.has(question) && !this.#making.has(question)) {
      return await this.#make(question, this.#validators.last, make);
    }
    const now = await this.#validators.next();
    this.#dropAfterLoss();
    // Nothing can be validated: on a standby, and while connections are lost.
    if (now === undefined) return await this.#make(question, now, make);
    const kept = this.#answers.get(question);
    if (kept?.validator === now) {
      this.counts.kept += 1;
      return kept;
    }
    const making = this.#making.get(question);
    if (making?.validator === now) {
      this.counts.joined += 1;
      return await making.answer;
    }
    return await this.#make(question, now, make);
  }

  /** Frees what no validator can match any more. */
  #dropAfterLoss(): void {
    const losses = this.#losses();
    if (losses === this.#seenLosses) return;
    this.#seenLosses = losses;
    this.#answers.clear();
  }

  async #make(
    question: string,
    validator: string | undefined,
    make: () => Promise<Answer<unknown>>,
  ): Promise<KeptAnswer> {
    this.counts.made += 1;
    const making: Making = { validator, answer: make().then(toKept) };
    this.#making.set(question, making);
    void this.#keep(question, making);
    return await making.answer;
  }

  /** Keeps what was made where nothing has changed since before it began; nobody waits for that. */
  async #keep(question: string, { validator, answer }: Making): Promise<void> {
    try {
      const { data, meta } = await answer;
      const after = await this.#validators.next();
      this.#dropAfterLoss();
      if (after === undefined || after !== validator) return;
      this.#answers.set(question, { data, meta, validator: after });
    } catch {
      // Whoever asked is told why by the answer itself; and without a snapshot nothing is kept.
    } finally {
      if (this.#making.get(question)?.answer === answer) this.#making.delete(question);
    }
  }
}

/**
 * Names what the database is now, for this process: equal names, equal rows. Lost connections are part
 * of it, because snapshots are comparable only between two losses.
 * @returns `undefined` on a standby, and if a connection was lost while it was asked.
 */
async function validatorOf(pool: Pool): Promise<string | undefined> {
  const losses = connectionLosses(pool);
  const snapshot = await currentSnapshot(pool);
  if (snapshot === undefined || connectionLosses(pool) !== losses) return undefined;
  return `${losses} ${snapshot}`;
}

function toKept(answer: Answer<unknown>): KeptAnswer {
  return { data: JSON.stringify(answer.data), meta: answerMeta(answer) };
}

import { LRUCache } from 'lru-cache';
import type { Meta } from '../../contract/envelope.ts';
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
 * Milliseconds. Nothing needs it as long as one database tells of its snapshots; one that was put back
 * from a backup may name one again that stood for other rows.
 */
const KEPT_MS = 10_000;

interface Kept extends KeptAnswer {
  readonly snapshot: string;
}

interface Making {
  /** Of some time before it began; `undefined` where none was known yet. */
  readonly snapshot: string | undefined;
  readonly answer: Promise<KeptAnswer>;
}

/**
 * Answers that are given again for as long as nothing in the database changes, in the memory of one API
 * process. Each request asks PostgreSQL for the snapshot of now, many of them together; the answer that
 * was made of the same snapshot is the very answer that would be made, to the last character. So a write
 * is seen by the next read, whichever process did it (docs/api.md, «Answers given again»).
 */
export class KeptAnswers {
  readonly counts: KeptCounts = { kept: 0, joined: 0, made: 0 };
  readonly #snapshots: Snapshots;
  readonly #making = new Map<string, Making>();
  readonly #answers: LRUCache<string, Kept>;

  constructor({ pool, keptMiB = MIB_MOST }: Pick<AppDeps, 'pool' | 'keptMiB'>) {
    this.#snapshots = new Snapshots(() => currentSnapshot(pool));
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
      return await this.#make(question, this.#snapshots.last, make);
    }
    const now = await this.#snapshots.next();
    const kept = this.#answers.get(question);
    if (kept?.snapshot === now) {
      this.counts.kept += 1;
      return kept;
    }
    const making = this.#making.get(question);
    if (making?.snapshot === now) {
      this.counts.joined += 1;
      return await making.answer;
    }
    return await this.#make(question, now, make);
  }

  async #make(
    question: string,
    snapshot: string | undefined,
    make: () => Promise<Answer<unknown>>,
  ): Promise<KeptAnswer> {
    this.counts.made += 1;
    const making: Making = { snapshot, answer: make().then(toKept) };
    this.#making.set(question, making);
    void this.#keep(question, making);
    return await making.answer;
  }

  /** Keeps what was made where nothing has changed since before it began; nobody waits for that. */
  async #keep(question: string, { snapshot, answer }: Making): Promise<void> {
    try {
      const { data, meta } = await answer;
      const after = await this.#snapshots.next();
      if (after === snapshot) this.#answers.set(question, { data, meta, snapshot });
    } catch {
      // Whoever asked is told why by the answer itself; and without a snapshot nothing is kept.
    } finally {
      if (this.#making.get(question)?.answer === answer) this.#making.delete(question);
    }
  }
}

function toKept(answer: Answer<unknown>): KeptAnswer {
  return { data: JSON.stringify(answer.data), meta: answerMeta(answer) };
}

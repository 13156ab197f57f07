import { LRUCache } from 'lru-cache';
import type { SharedPage } from '../../../contract/pages.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { type PageInput, type ShareSubject, subjectReaders } from './subject.ts';

/** Milliseconds for which a subject is served from memory: prices and rewards may be that old. */
const MAX_AGE_MS = 30_000;

const MAX_SUBJECTS = 2_000;

type SubjectDeps = Pick<AppDeps, 'pool' | 'deployment' | 'database' | 'limits'>;

/** A page that is asked for. */
export interface SubjectRequest {
  readonly page: SharedPage;
  readonly input: PageInput;
  /** Address of the caller: reading from the database counts against the limit of requests to the API. */
  readonly ip: string;
}

/** Subjects of pages, for their tags and their share cards: read once for many requests. */
export class ShareSubjects {
  readonly #read: LRUCache<string, { readonly subject: ShareSubject | undefined }, SubjectRequest>;

  constructor(readonly deps: SubjectDeps) {
    this.#read = new LRUCache({
      max: MAX_SUBJECTS,
      ttl: MAX_AGE_MS,
      fetchMethod: async (_key, _stale, { context }) => ({ subject: await this.#load(context) }),
    });
  }

  /**
   * Subject of a page; `undefined` if there is no such thing.
   * @throws {HttpError} RATE_LIMITED if it must be read and the caller has sent too many requests.
   * @throws {DatabaseAwayError} if it must be read and the database is away.
   */
  async get(request: SubjectRequest): Promise<ShareSubject | undefined> {
    const key = `${request.page}/${Object.values(request.input).join('/')}`;
    if (!this.#read.has(key)) await this.deps.limits.take('address', request.ip);
    return (await this.#read.fetch(key, { context: request }))?.subject;
  }

  async #load({ page, input }: SubjectRequest): Promise<ShareSubject | undefined> {
    const { pool, deployment, database } = this.deps;
    const read = () =>
      readLedger(pool, (snapshot) => subjectReaders[page](snapshot, deployment, input));
    return await (database === undefined ? read() : database.run(read));
  }
}

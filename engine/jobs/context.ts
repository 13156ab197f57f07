import type { Disk } from 'flydrive';
import type { Pool } from '../db/connection.ts';
import type { JobQueue } from './queue.ts';

/** What jobs tell of their work; the entry point logs it. */
export interface JobLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** All that a job needs from outside. */
export interface JobContext {
  readonly pool: Pool;
  /** Exported files, by keys like `reports/…`. */
  readonly files: Disk;
  readonly queue: Pick<JobQueue, 'pushReport' | 'pushChore'>;
  readonly log: JobLog;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

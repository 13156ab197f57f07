import type { Disk } from 'flydrive';
import type { Pool } from '../db/connection.ts';
import type { JobQueue } from '../queue/job-queue.ts';

/** The log that jobs write to. */
export interface JobLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything that a job needs from outside. */
export interface JobContext {
  readonly pool: Pool;
  /** Storage of exported files, with keys like `reports/…`. */
  readonly files: Disk;
  readonly queue: Pick<JobQueue, 'pushReport' | 'pushChore'>;
  readonly log: JobLog;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

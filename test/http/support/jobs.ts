import type { JobContext } from '../../../engine/jobs/context.ts';
import { makeReport } from '../../../engine/jobs/reports/make-report.ts';
import type { ApiFixture } from './api-fixture.ts';

/** What a worker would do its jobs with, over the fixture; `pushed` says what was pushed again. */
export function jobsOf(
  { deps, pool }: Pick<ApiFixture, 'deps' | 'pool'>,
  changes: Partial<JobContext> = {},
): JobContext & { readonly pushed: string[]; readonly logged: string[] } {
  const pushed: string[] = [];
  const logged: string[] = [];
  const record = (_fields: object, message: string) => void logged.push(message);
  return {
    pool,
    files: deps.files,
    queue: {
      pushReport: async (id) => void pushed.push(id),
      pushChore: async (chore) => void pushed.push(chore),
    },
    log: { info: record, warn: record, error: record },
    clock: deps.clock,
    pushed,
    logged,
    ...changes,
  };
}

/** Makes a report that is ordered, as a worker does. */
export async function make(fixture: ApiFixture, id: string): Promise<void> {
  await makeReport(jobsOf(fixture), id, new AbortController().signal);
}

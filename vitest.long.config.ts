import { configDefaults, defineConfig } from 'vitest/config';
import shared, { longTests } from './vitest.config.ts';

/** `npm run test:long`: whole systems that are started, killed, cut off, lied to and rebuilt, and the pages. */
export default defineConfig({
  test: {
    ...shared.test,
    include: longTests,
    exclude: configDefaults.exclude,
    // Each file runs several processes that are busy most of the time: three files took as long in all.
    maxWorkers: 2,
  },
});

import { configDefaults, defineConfig } from 'vitest/config';
import shared, { longTests } from './vitest.config.ts';

/** `npm run test:long`: whole systems that are started, killed, cut off, lied to and rebuilt, and the pages. */
export default defineConfig({
  test: {
    ...shared.test,
    include: longTests,
    exclude: configDefaults.exclude,
    // Some files wait most of the time, others run several busy processes: with four, each takes too long.
    maxWorkers: 3,
  },
});

import { configDefaults, defineConfig } from 'vitest/config';
import shared, { longTests } from './vitest.config.ts';

/** `npm run test:long`: whole systems that are started, killed, cut off, lied to and rebuilt, and the pages. */
export default defineConfig({
  test: {
    ...shared.test,
    include: longTests,
    exclude: configDefaults.exclude,
    // Each file runs several processes. Two files at a time left a quarter of two cores idle.
    maxWorkers: 3,
  },
});

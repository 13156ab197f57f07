import { configDefaults, defineConfig } from 'vitest/config';
import shared from './vitest.config.ts';

/** `npm run test:long`: whole systems that are started, killed, cut off, lied to and rebuilt. */
export default defineConfig({
  test: {
    ...shared.test,
    include: ['test/long/**/*.test.ts'],
    exclude: configDefaults.exclude,
    // Each file runs several processes that are busy most of the time.
    maxWorkers: 2,
  },
});

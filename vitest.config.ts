import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['engine/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'],
    // `npm run test:long`.
    exclude: [...configDefaults.exclude, 'test/long/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // Files start processes of their own (anvil, Ponder): two at a time is what two cores carry.
    pool: 'forks',
    maxWorkers: 2,
    // Modules are loaded once for each of the two, and not once for each file.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
